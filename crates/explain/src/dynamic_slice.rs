//! Which steps of a failing run the violation depends on: the dynamic slice of the run (Korel and Laski 1988), backwards from what is violated.
//!
//! The run is replayed. Every event becomes a node with the nodes it depends on: the steps that gave the values it reads (variables of an activation, or
//! bytes of memory), and the branch or call that decided that it happens. A branch decides up to its immediate postdominator, as in Xin and Zhang 2007.
//! What reads a variable also depends on the branches since its last assignment that could have assigned it on another way (`untaken`).
//! Conditions of assumptions are no part of a slice unless values or branches lead through them.
//!
//! What is over-approximated: library functions read and write the whole rest of the objects that they are given.

use crate::Failure;
use crate::untaken::Untaken;
use cfa::analysis::dominators::Dominators;
use cfa::analysis::library::memory_use;
use cfa::analysis::points_to::PointsTo;
use cfa::interp::{Event, InputSource, Observer, View};
use cfa::walk::{self, Node};
use cfa::{
    AssumeRole, Body, Callee, EdgeId, ExprId, ExprKind, FuncId, LocId, Op, PlaceId, PlaceKind, Program, Type, VarId,
};
use evidence::Trace;
use rustc_hash::FxHashMap;

/// Longer runs are not sliced: every event takes memory.
const MAX_EVENTS: usize = 2_000_000;

/// In longer runs, ways that were not taken are not looked at.
const MAX_EVENTS_WITH_UNTAKEN: u64 = 200_000;

/// Of a larger object, only the beginning is followed where a library function is given it.
const MAX_BYTES: u64 = 1 << 16;

/// What a violation depends on, by the number of the event: edges, inputs, and calls entered and left, in the order in which an observer of the run gets
/// them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slice {
    relevant: Vec<bool>,
}

impl Slice {
    /// `None` if the run is too long.
    pub fn of(failure: &Failure<'_>) -> Option<Slice> {
        if failure.steps as usize > MAX_EVENTS {
            return None;
        }
        let program = failure.task.program;
        let points_to = (failure.steps <= MAX_EVENTS_WITH_UNTAKEN).then(|| PointsTo::of(program, failure.task.entry));
        let mut recorder = Recorder::new(program, points_to.as_ref().map(Untaken::new));
        let run = failure.run_observed(&mut recorder);
        if recorder.events > MAX_EVENTS {
            return None;
        }
        let mut goals = match run.end {
            Some(end) => recorder.end(end),
            None => Vec::new(),
        };
        if failure.property.is_about_the_end() {
            goals.extend(recorder.allocated.values());
        }
        Some(Slice { relevant: recorder.graph.reached(goals, recorder.events) })
    }

    pub fn is_relevant(&self, event: usize) -> bool {
        self.relevant.get(event).copied().unwrap_or(false)
    }

    /// For each step that a trace of the same run keeps, whether the violation depends on it.
    pub fn of_steps(&self, trace: &Trace) -> Vec<bool> {
        let after_gap = |index: usize| if index >= trace.skipped_at { trace.skipped as usize } else { 0 };
        (0..trace.steps.len()).map(|index| self.is_relevant(index + after_gap(index))).collect()
    }
}

/// The trace's steps that matter, or `None` if the run is too long to tell.
pub fn relevant_steps(failure: &Failure<'_>, trace: &Trace) -> Option<Vec<bool>> {
    Slice::of(failure).map(|slice| slice.of_steps(trace))
}

type NodeId = u32;

/// Nodes in the order of the run; each depends on earlier ones only.
#[derive(Default)]
struct Graph {
    /// The event of a node, and where its dependences end.
    nodes: Vec<(u32, usize)>,
    dependences: Vec<NodeId>,
}

impl Graph {
    fn add(&mut self, event: usize, on: impl IntoIterator<Item = NodeId>) -> NodeId {
        let begin = self.dependences.len();
        self.dependences.extend(on);
        let own = &mut self.dependences[begin..];
        own.sort_unstable();
        let mut kept = begin;
        for index in begin..self.dependences.len() {
            if kept == begin || self.dependences[index] != self.dependences[kept - 1] {
                self.dependences[kept] = self.dependences[index];
                kept += 1;
            }
        }
        self.dependences.truncate(kept);
        self.nodes.push((event as u32, kept));
        (self.nodes.len() - 1) as NodeId
    }

    /// The events that nodes depend on, themselves included.
    fn reached(&self, goals: Vec<NodeId>, events: usize) -> Vec<bool> {
        let mut marked = vec![false; self.nodes.len()];
        goals.into_iter().for_each(|goal| marked[goal as usize] = true);
        let mut relevant = vec![false; events];
        for index in (0..self.nodes.len()).rev() {
            if !marked[index] {
                continue;
            }
            let (event, end) = self.nodes[index];
            relevant[event as usize] = true;
            let begin = if index == 0 { 0 } else { self.nodes[index - 1].1 };
            self.dependences[begin..end].iter().for_each(|on| marked[*on as usize] = true);
        }
        relevant
    }
}

/// What holds a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Cell {
    /// A variable that has no address, of one activation.
    Slot(u32, VarId),
    Byte(u64),
}

/// The edges that leave a location, before one of them is carried out: afterwards the values that addresses were made of may be gone.
struct Pending {
    location: LocId,
    reads: Vec<NodeId>,
    /// Of a call, what each argument depends on.
    args: Vec<Vec<NodeId>>,
    /// What is written, and whether something of the old contents may stay.
    writes: Vec<Cell>,
    keeps_old: bool,
}

/// An activation of a function.
struct Frame {
    activation: u32,
    /// Its call.
    entered: NodeId,
    /// Branches that decide what happens, and the locations where they cease to.
    branches: Vec<(NodeId, Option<LocId>)>,
    pending: Option<Pending>,
    returned: Option<NodeId>,
}

struct Recorder<'a, 'p> {
    program: &'p Program,
    untaken: Option<Untaken<'a, 'p>>,
    graph: Graph,
    events: usize,
    definitions: FxHashMap<Cell, NodeId>,
    /// Branches since the last definition that could have led to another one.
    undecided: FxHashMap<Cell, Vec<NodeId>>,
    frames: Vec<Frame>,
    activations: u32,
    /// Inputs that were read for the edge that follows, or for parameters of the entry function.
    inputs: Vec<(InputSource, NodeId)>,
    /// What the function that was left last returned.
    result: Option<NodeId>,
    postdominators: FxHashMap<FuncId, Option<Dominators>>,
    /// Calls that allocated what was not freed yet, by address.
    allocated: FxHashMap<u64, NodeId>,
}

impl<'a, 'p> Recorder<'a, 'p> {
    fn new(program: &'p Program, untaken: Option<Untaken<'a, 'p>>) -> Self {
        Recorder {
            program,
            untaken,
            graph: Graph::default(),
            events: 0,
            definitions: FxHashMap::default(),
            undecided: FxHashMap::default(),
            frames: Vec::new(),
            activations: 0,
            inputs: Vec::new(),
            result: None,
            postdominators: FxHashMap::default(),
            allocated: FxHashMap::default(),
        }
    }

    fn activation(&self) -> u32 {
        self.frames.last().map_or(0, |frame| frame.activation)
    }

    /// The cells of a place, as long as it can be found.
    fn cells(&self, view: &View<'_, '_>, place: PlaceId) -> Vec<Cell> {
        let program = self.program;
        if let PlaceKind::Var(var) = program.places[place].kind
            && view.address_of(var).is_none()
        {
            return vec![Cell::Slot(self.activation(), var)];
        }
        let Ok(address) = view.address(place) else { return Vec::new() };
        bytes(address, program.types.size_of(program.places[place].ty).unwrap_or(0))
    }

    fn define(&mut self, cells: &[Cell], node: NodeId) {
        self.definitions.extend(cells.iter().map(|cell| (*cell, node)));
        cells.iter().for_each(|cell| drop(self.undecided.remove(cell)));
    }

    /// A branch could have led to other values of variables.
    fn could_define(&mut self, view: &View<'_, '_>, branch: NodeId, from: LocId, until: Option<LocId>) {
        let Some(untaken) = &mut self.untaken else { return };
        for var in untaken.at(from, until).iter() {
            for cell in self.cells_of(view, *var) {
                self.undecided.entry(cell).or_default().push(branch);
            }
        }
    }

    /// The cells of a variable of the present activation, or of static lifetime.
    fn cells_of(&self, view: &View<'_, '_>, var: VarId) -> Vec<Cell> {
        match view.address_of(var) {
            Some(address) => bytes(address, self.program.types.size_of(self.program.vars[var].ty).unwrap_or(0)),
            None => vec![Cell::Slot(self.activation(), var)],
        }
    }

    fn definers(&self, cells: &[Cell], found: &mut Vec<NodeId>) {
        for cell in cells {
            if let Some(node) = self.definitions.get(cell)
                && found.last() != Some(node)
            {
                found.push(*node);
            }
            found.extend(self.undecided.get(cell).into_iter().flatten());
        }
    }

    /// The nodes that gave what an expression, or the address of a place, is computed of.
    fn reads(&self, view: &View<'_, '_>, node: Node, found: &mut Vec<NodeId>) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if let Node::Expr(expr) = node
                && let ExprKind::Read(place) = self.program.exprs[expr].kind
            {
                self.definers(&self.cells(view, place), found);
            }
            open.extend(walk::children(self.program, node).into_iter().flatten());
        }
    }

    /// What a library function is given at an address: the rest of the object.
    fn given(&self, view: &View<'_, '_>, argument: ExprId) -> Vec<Cell> {
        let Ok(pointer) = view.value(argument) else { return Vec::new() };
        match view.object(pointer.lo) {
            Some((object, offset)) if offset >= 0 => {
                bytes(pointer.lo, (object.bytes.len() as u64).saturating_sub(offset as u64).min(MAX_BYTES))
            }
            _ => Vec::new(),
        }
    }

    /// Looks at what leaves a location, in the state in which it is left.
    fn prepare(&mut self, view: &View<'_, '_>, location: LocId) {
        let program = self.program;
        let mut pending =
            Pending { location, reads: Vec::new(), args: Vec::new(), writes: Vec::new(), keeps_old: false };
        // Two edges have the same condition.
        if let Some(edge) = program.locations[location].out[0] {
            match program.edges[edge].op {
                Op::Call { callee, args, .. } => {
                    if let Callee::Indirect(pointer) = callee {
                        self.reads(view, Node::Expr(pointer), &mut pending.reads);
                    }
                    for argument in program.call_args(args) {
                        let mut found = Vec::new();
                        self.reads(view, Node::Expr(*argument), &mut found);
                        pending.args.push(found);
                    }
                    if let Callee::Direct(function) = callee
                        && let Body::Library(meaning) = program.functions[function].body
                    {
                        let (used, args) = (memory_use(meaning), program.call_args(args));
                        for index in used.reads.among(args.len()) {
                            if program.types.is_pointer(program.exprs[args[index]].ty) {
                                self.definers(&self.given(view, args[index]), &mut pending.reads);
                            }
                        }
                        for index in used.writes.among(args.len()) {
                            pending.writes.extend(self.given(view, args[index]));
                            pending.keeps_old = true;
                        }
                    }
                }
                op => walk::parts(program, &op, |part| self.reads(view, part, &mut pending.reads)),
            }
            match program.edges[edge].op {
                Op::Assign(place, _) | Op::Havoc(place, _) => {
                    pending.writes = self.cells(view, place);
                    pending.keeps_old = is_bit_field(program, place);
                }
                _ => {}
            }
            if pending.keeps_old {
                let mut old = Vec::new();
                self.definers(&pending.writes, &mut old);
                pending.reads.extend(old);
            }
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.pending = Some(pending);
        }
    }

    /// What was found out before an edge was carried out.
    fn prepared(&mut self, edge: EdgeId) -> Option<Pending> {
        let from = self.program.edges[edge].from;
        self.frames.last_mut()?.pending.take_if(|pending| pending.location == from)
    }

    /// The branch or call that decides that something happens at a location.
    fn decider(&mut self, location: LocId) -> Option<NodeId> {
        let frame = self.frames.last_mut()?;
        while frame.branches.pop_if(|(_, until)| *until == Some(location)).is_some() {}
        Some(frame.branches.last().map_or(frame.entered, |(node, _)| *node))
    }

    fn edge(&mut self, view: &View<'_, '_>, edge: EdgeId, value: Option<u64>) {
        let program = self.program;
        let (op, from, event) = (program.edges[edge].op, program.edges[edge].from, self.events - 1);
        let mut on: Vec<NodeId> = self.decider(from).into_iter().collect();
        let pending = self.prepared(edge);
        let (mut writes, mut args) = (Vec::new(), Vec::new());
        if let Some(pending) = pending {
            on.extend(pending.reads);
            (writes, args) = (pending.writes, pending.args);
        }
        on.extend(self.inputs.drain(..).map(|(_, node)| node));
        if let Op::Call { dest, callee, .. } = op {
            match callee {
                Callee::Direct(function) if program.automaton(function).is_none() => {
                    on.extend(args.into_iter().flatten())
                }
                // The arguments became parameters.
                _ => on.extend(self.result.take()),
            }
            if let Some(dest) = dest {
                self.reads(view, Node::Place(dest), &mut on);
                writes.extend(self.cells(view, dest));
            }
        }
        if let Op::Declare(var) | Op::Alloca(var, _) = op {
            writes = self.cells_of(view, var);
        }
        let node = self.graph.add(event, on);
        self.define(&writes, node);
        if let Op::Call { callee: Callee::Direct(function), args, .. } = op
            && let Body::Library(meaning) = program.functions[function].body
        {
            let used = memory_use(meaning);
            if let Some(freed) = used.frees
                && let Some(argument) = program.call_args(args).get(freed)
                && let Ok(address) = view.value(*argument)
            {
                self.allocated.remove(&address.lo);
            }
            if let Some(address) = value.filter(|_| used.allocates) {
                self.allocated.insert(address, node);
            }
        }
        if let Op::Assume { cond, role: AssumeRole::Branch(_), .. } = op
            && program.constant(cond).is_none()
        {
            let until = self.postdominator(from);
            if let Some(frame) = self.frames.last_mut() {
                // A further round of a loop depends on the one before, which the node says.
                frame.branches.pop_if(|(_, other)| *other == until);
                frame.branches.push((node, until));
            }
            self.could_define(view, node, from, until);
        }
        if let (Op::Return(_), Some(frame)) = (op, self.frames.last_mut()) {
            frame.returned = Some(node);
        }
        self.prepare(view, program.edges[edge].to);
    }

    fn postdominator(&mut self, location: LocId) -> Option<LocId> {
        let function = self.program.locations[location].function;
        let tree = self.postdominators.entry(function).or_insert_with(|| Dominators::post(self.program, function));
        tree.as_ref().and_then(|tree| tree.immediate(location))
    }

    fn enter(&mut self, view: &View<'_, '_>, call: Option<EdgeId>, function: FuncId) {
        let program = self.program;
        let event = self.events - 1;
        let (mut on, mut args) = (Vec::new(), Vec::new());
        if let Some(call) = call {
            on.extend(self.decider(program.edges[call].from));
            // It is needed again when the call came back.
            if let Some(pending) = self.frames.last().and_then(|frame| frame.pending.as_ref()) {
                on.extend(&pending.reads);
                args.clone_from(&pending.args);
            }
        }
        let entered = self.graph.add(event, on);
        self.activations += 1;
        let activation = self.activations;
        self.frames.push(Frame { activation, entered, branches: Vec::new(), pending: None, returned: None });
        let inputs = std::mem::take(&mut self.inputs);
        for (index, param) in program.functions[function].params.iter().enumerate() {
            let cells = self.cells_of(view, *param);
            let read =
                inputs.iter().filter(|(source, _)| matches!(source, InputSource::Param { var, .. } if var == param));
            let given = args.get(index).into_iter().flatten().copied().chain(read.map(|(_, node)| *node));
            let node = self.graph.add(event, given.chain([entered]));
            self.define(&cells, node);
        }
        if let Some(automaton) = program.automaton(function) {
            self.prepare(view, automaton.entry);
        }
    }

    /// The node of the edge at which the run ends.
    fn end(&mut self, edge: EdgeId) -> Vec<NodeId> {
        let mut on: Vec<NodeId> = self.decider(self.program.edges[edge].from).into_iter().collect();
        if let Some(pending) = self.prepared(edge) {
            on.extend(pending.reads);
            on.extend(pending.args.into_iter().flatten());
        }
        on.extend(self.inputs.drain(..).map(|(_, node)| node));
        on
    }
}

impl Observer for Recorder<'_, '_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        self.events += 1;
        match event {
            Event::Edge { edge, value } => self.edge(view, edge, value.map(|(_, bits)| bits.lo)),
            Event::Input(input) => {
                let decider = match input.request.source {
                    InputSource::Edge { edge, .. } => self.decider(self.program.edges[edge].from),
                    InputSource::Param { .. } => None,
                };
                let node = self.graph.add(self.events - 1, decider);
                self.inputs.push((input.request.source, node));
            }
            Event::Enter { edge, function } => self.enter(view, edge, function),
            Event::Leave { .. } => {
                self.result = self.frames.pop().and_then(|frame| frame.returned);
            }
        }
    }

    fn gives_up(&mut self) -> bool {
        self.events > MAX_EVENTS
    }
}

fn bytes(address: u64, size: u64) -> Vec<Cell> {
    (0..size).map(|offset| Cell::Byte(address.wrapping_add(offset))).collect()
}

/// Whether storing the place leaves bits of its bytes as they are.
fn is_bit_field(program: &Program, place: PlaceId) -> bool {
    let PlaceKind::Field(base, number) = program.places[place].kind else { return false };
    let Type::Record(record) = *program.types.get(program.places[base].ty) else { return false };
    program.types.records[record].fields[number as usize].bits.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay;
    use cfa::interp::{ListInputs, ProgramArgs};
    use cfa::{Bits, DataModel, Property, PropertySet, Task};
    use evidence::{StepKind, TraceRecorder};
    use std::collections::BTreeSet;

    const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
        extern void *malloc(unsigned long); extern void *memcpy(void *, const void *, unsigned long);\n";

    /// The lines with a relevant step; the first of the text is 1.
    fn lines(text: &str, inputs: &[u128]) -> BTreeSet<u32> {
        let (sources, compiled) = testkit::compile(format!("{PRELUDE}{text}").as_bytes(), DataModel::Lp64);
        assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
        let program = &compiled.program;
        let entry = program.function_named("main").expect("main");
        let properties = PropertySet::of(&[Property::UnreachCall, Property::ValidDeref, Property::DivByZero]);
        let task = Task { program, entry, properties };
        let values = inputs.iter().map(|value| Bits::new(*value)).collect();
        let failure =
            replay::failure(task, ProgramArgs::default(), &mut ListInputs::new(values)).expect("the run fails");
        let mut recorder = TraceRecorder::new(1000);
        let run = failure.run_observed(&mut recorder);
        let trace = recorder.finish(run, &failure.tape.args);
        let relevant = relevant_steps(&failure, &trace).expect("a short run");
        assert_eq!(relevant.len(), trace.steps.len());
        let relevant = trace.steps.iter().zip(relevant).filter(|(_, relevant)| *relevant);
        let edges = relevant.filter_map(|(step, _)| match step.kind {
            StepKind::Edge(edge) => Some(edge),
            StepKind::Input(InputSource::Edge { edge, .. }) => Some(edge),
            StepKind::Enter { call, .. } => call,
            _ => None,
        });
        edges.map(|edge| sources.locate(program.edges[edge].span.lo).map_or(0, |at| at.line - 2)).collect()
    }

    #[test]
    fn values_that_do_not_reach_the_violation_are_left_out() {
        let text = "int main(void) {\n int a = __VERIFIER_nondet_int();\n int b = __VERIFIER_nondet_int();\n int c = a + 1;\n \
                    int d = b * 2;\n if (c > 5) {\n reach_error();\n }\n return d; }";
        assert_eq!(lines(text, &[9, 4]), [2, 4, 6].into());
    }

    #[test]
    fn branches_decide_up_to_where_they_meet_again() {
        let text = "int main(void) {\n int a = __VERIFIER_nondet_int();\n int x = 0;\n if (a)\n x = 7;\n if (a > 3)\n a = 0;\n \
                    if (x)\n reach_error();\n return 0; }";
        // The third branch changes nothing that is read later.
        assert_eq!(lines(text, &[9]), [2, 4, 5, 8].into());
    }

    #[test]
    fn a_branch_that_could_have_led_to_another_value_counts() {
        let text = "int top;\nvoid raise(int a) {\n if (a > 5)\n top = a; }\nint main(void) {\n int a = __VERIFIER_nondet_int();\n \
                    int b = __VERIFIER_nondet_int();\n int m = 0;\n int n = 0;\n if (b > 3)\n n = 1;\n if (a == 7)\n m = 1;\n raise(b);\n \
                    if (m == 0)\n reach_error();\n return n; }";
        assert_eq!(lines(text, &[4, 4]), [6, 8, 12, 15].into());
        let text = text.replace("m == 0", "top == 0");
        assert_eq!(lines(&text, &[4, 4]), [3, 7, 14, 15].into());
    }

    #[test]
    fn elements_and_pointers_are_told_apart() {
        let text = "int main(void) {\n int a[4];\n int *p = a;\n for (int i = 0; i < 4; i++)\n a[i] = i;\n a[2] = 9;\n p = p + 2;\n \
                    int *q = &a[1];\n if (*p == 9)\n reach_error();\n return *q; }";
        assert_eq!(lines(text, &[]), [3, 6, 7, 9].into());
    }

    #[test]
    fn a_pointer_that_its_own_target_replaces_is_read_before() {
        let text = "struct n { struct n *next; int v; };\nint main(void) {\n struct n c = { 0, 5 };\n struct n b = { &c, 6 };\n \
                    struct n *p = &b;\n p = p->next;\n if (p->v == 5)\n reach_error();\n return 0; }";
        assert_eq!(lines(text, &[]), [3, 4, 5, 6, 7].into());
    }

    #[test]
    fn calls_hand_on_arguments_and_results() {
        let text = "int twice(int x, int y) {\n int unused = y;\n return x * 2; }\nint main(void) {\n int a = __VERIFIER_nondet_int();\n \
                    int b = __VERIFIER_nondet_int();\n int c = twice(a, b);\n if (c == 8)\n reach_error();\n return 0; }";
        assert_eq!(lines(text, &[4, 1]), [3, 5, 7, 8].into());
    }

    #[test]
    fn recursion_and_loops_are_followed_round_by_round() {
        let text = "int down(int n) {\n if (n <= 0)\n return 1;\n return down(n - 1) + 1; }\nint main(void) {\n int s = 0;\n int t = 0;\n \
                    for (int i = 0; i < 3; i++) {\n s += i;\n t++; }\n if (down(s) == 4)\n reach_error();\n return t; }";
        assert_eq!(lines(text, &[]), [2, 3, 4, 6, 8, 9, 11].into());
    }

    #[test]
    fn what_a_fault_reads_counts() {
        let text = "int main(void) {\n int a[3];\n int i = __VERIFIER_nondet_int();\n int j = 1;\n a[j] = 2;\n a[i] = 3;\n return 0; }";
        assert_eq!(lines(text, &[7]), [3].into());
        let text =
            "int main(void) {\n int d = __VERIFIER_nondet_int();\n int e = 4;\n int f = d - 4;\n return 100 / f + e; }";
        assert!(lines(text, &[4]).is_superset(&[2, 4].into()));
    }

    #[test]
    fn the_library_hands_on_what_it_copies() {
        let text = "int main(void) {\n int a = __VERIFIER_nondet_int();\n int b = 0;\n int c = 3;\n memcpy(&b, &a, 4);\n c++;\n \
                    if (b == 4)\n reach_error();\n return c; }";
        assert_eq!(lines(text, &[4]).intersection(&[2, 4, 5, 6, 7].into()).copied().collect::<Vec<_>>(), [2, 5, 7]);
    }
}

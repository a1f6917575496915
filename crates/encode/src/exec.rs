//! Symbolic execution: one function at a time, paths merged where they meet, loops and recursion unrolled up to a bound, calls inlined.
//!
//! Invariants: a state whose path condition is false is dropped at once; every way in which a run can leave the model (a violated property,
//! undefined behaviour, an unsupported construct, an exhausted bound) is an [`Obligation`] with the exact condition under which it happens,
//! and the state goes on only where it does not.

use crate::apart::{Meetings, Positions};
use crate::contract::{Arguments, Names, Recursion, Trial};
use crate::edges::PathState;
use crate::encoder::Encoder;
use crate::guard::Guard;
use crate::mode::{Mode, Onward, Storing};
use crate::order::Order;
use crate::path::Assigned;
use crate::quantified::Quantified;
use crate::rounds::LoopCount;
use crate::state::{Frame, Shaped, State};
use crate::unrolling::{EventKind, InputPlace, Obligation, ObligationKind, SymbolicEvent, Unrolling};
use crate::value::SymbolicValue;
use crate::watch::Moment;
use base::Budget;
use cfa::{
    AssumeRole, Body, EdgeId, ExprId, Fault, FuncId, Init, InputKind, LocId, Op, Program, Property, PropertySet,
    TypeId, VarId, VarKind,
};
use logic::{TermId, TermPool};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::rc::Rc;

/// What 256 steps cost of a budget's effort.
const EFFORT_OF_STEPS: u64 = 100;

/// Steps that make many terms count as what they make.
const TERMS_OF_EFFORT: u64 = 64;
const MAX_UNPAID_TERMS: usize = 100_000;

/// What a run may do within.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How often a loop may be entered again, and how deep a function may call itself.
    pub unwind: u32,
    /// Loops whose exit test needs no solver may be entered again so often without counting, as long as paths split in them …
    pub decided: u32,
    /// … and without limit while none do, until so many edges were executed in all.
    pub steps: u64,
}

/// One activation of a function.
#[derive(Clone)]
pub(crate) struct Activation {
    pub function: FuncId,
    pub context: u32,
    pub first_var: u32,
    pub order: Rc<Order>,
    pub loops: FxHashMap<LocId, LoopCount>,
    /// How many rounds through loops were begun.
    pub rounds: u64,
    /// Objects that live until the function returns.
    pub allocas: Vec<u32>,
    /// Where it was called.
    pub call: EdgeId,
    /// It stands for all activations of the function that a recursive call begins.
    pub arbitrary: bool,
}

/// Where some of the uninitialized contents of an allocation come from.
#[derive(Clone)]
pub(crate) struct HeapFill {
    /// Among the fills of the unrolling.
    pub index: usize,
    pub when: TermId,
    pub bytes: Range<u64>,
}

pub(crate) struct Run<'e, 'p> {
    pub program: &'p Program,
    pub encoder: &'e mut Encoder<'p>,
    pub bounds: Bounds,
    /// What is checked now: where conditions of ours are evaluated, also that their arithmetic does not overflow.
    pub properties: PropertySet,
    pub budget: &'e Budget,
    pub out: Unrolling,
    pub stack: Vec<Activation>,
    /// The edge that is executed, for obligations.
    pub edge: EdgeId,
    /// How often paths have split.
    pub splits: u64,
    /// Objects allocated so far, in order.
    pub allocated: Vec<u32>,
    /// How often something was relaxed.
    pub relaxed: u32,
    /// How often each input was asked for: two inputs of one execution are never the same variable.
    pub asked: FxHashMap<String, u32>,
    /// Which runs are meant.
    pub mode: &'e mut (dyn Mode + 'e),
    /// The fills of allocations by the names of their contents: an allocation's own, and those of the ones that it was moved from.
    pub heap_fills: FxHashMap<Rc<str>, Vec<HeapFill>>,
    /// Runs on which something goes wrong now are looked at elsewhere: they end, and are no obligations.
    pub assuming: bool,
    /// How many arbitrary states were made.
    pub cuts: u32,
    /// The recursive calls whose arbitrary activations are executed, the outermost first.
    pub recursions: Vec<Recursion>,
    /// The recursive call that is executed as it is.
    pub trial: Option<Trial>,
    /// What the names of the contract that is evaluated stand for, parameters included.
    pub names: Names,
    /// States in which conditions hold for all values of a variable.
    pub quantified: Vec<Quantified>,
    /// Where the path that is executed has ended within functions.
    pub stopped: Option<PathState>,
    /// If set, what keeps states apart where they meet.
    pub positions: Option<Rc<Positions>>,
    pub meetings: Meetings,
    /// Whether it is tracked what single bytes can be.
    pub tracks_values: bool,
    /// How many terms the budget was charged for.
    paid_terms: usize,
    /// States behind the call that is executed that are kept apart from the one that it returns.
    pub others: Vec<State>,
}

fn back_in_caller(mut end: State) -> Option<State> {
    let waiting = Rc::unwrap_or_clone(end.callers.take()?);
    (end.registers, end.locals) = (waiting.registers, waiting.locals);
    (end.tests, end.callers) = (waiting.tests, waiting.below);
    Some(end)
}

impl<'e, 'p> Run<'e, 'p> {
    pub fn new(
        encoder: &'e mut Encoder<'p>,
        bounds: Bounds,
        budget: &'e Budget,
        mode: &'e mut (dyn Mode + 'e),
    ) -> Self {
        let paid_terms = encoder.pool.len();
        Run {
            program: encoder.task.program,
            properties: encoder.task.properties,
            encoder,
            bounds,
            budget,
            out: Unrolling::default(),
            stack: Vec::new(),
            edge: EdgeId(0),
            splits: 0,
            allocated: Vec::new(),
            relaxed: 0,
            asked: FxHashMap::default(),
            mode,
            heap_fills: FxHashMap::default(),
            assuming: false,
            cuts: 0,
            recursions: Vec::new(),
            trial: None,
            names: Names::default(),
            quantified: Vec::new(),
            stopped: None,
            positions: None,
            meetings: Meetings::default(),
            tracks_values: false,
            paid_terms,
            others: Vec::new(),
        }
    }
}

impl<'p> Run<'_, 'p> {
    pub fn pool(&mut self) -> &mut TermPool {
        &mut self.encoder.pool
    }

    pub fn activation(&mut self) -> &mut Activation {
        self.stack.last_mut().expect("a function is running")
    }

    /// Notes that runs leave the model here when `cond` holds, and goes on with the others.
    pub fn leave(&mut self, state: &mut State, kind: ObligationKind, cond: TermId) {
        if self.pool().as_bool(cond) == Some(false) {
            return;
        }
        match self.mode.leave(&mut self.encoder.pool, self.edge, &kind, cond) {
            Onward::Restricted => {}
            Onward::Unchanged => return,
            Onward::Over => {
                self.out.interrupted = true;
                return;
            }
        }
        let guard = state.guard.term(self.pool());
        let mut full = self.pool().and(guard, cond);
        if self.pool().as_bool(full) == Some(false) {
            return;
        }
        if let ObligationKind::Violation(property, _) = kind
            && self.encoder.monitor.is_some()
        {
            let accepted = self.accepted(state, property);
            full = self.pool().and(full, accepted);
        }
        if !self.assuming || kind.may_be_spurious() {
            let events_before = self.out.events.len();
            self.out.obligations.push(Obligation { kind, edge: self.edge, cond: full, events_before });
        }
        let not = self.pool().not(cond);
        state.guard = state.guard.and(self.pool(), not);
    }

    pub fn fault(&mut self, state: &mut State, fault: Fault, cond: TermId) {
        if let (Fault::FixedAddress, Some(registers)) = (fault, &self.program.registers) {
            let reason = self.program.name(registers.unresolved).to_string();
            self.leave(state, ObligationKind::Poison(reason), cond);
            return;
        }
        let property = fault.property().filter(|property| self.properties.contains(*property));
        if let Some(property) = property {
            self.leave(state, ObligationKind::Violation(property, Some(fault)), cond);
        } else if !matches!(fault, Fault::SignedOverflow | Fault::ShiftRange) {
            self.leave(state, ObligationKind::Undefined(fault), cond);
        }
    }

    /// Notes an event of the present edge, if events are recorded.
    pub fn note_event(&mut self, state: &State, kind: EventKind, value: Option<(TypeId, SymbolicValue)>) {
        let source = InputPlace::Edge(self.edge);
        self.note_event_of(state, source, kind, value);
    }

    pub fn note_event_of(
        &mut self,
        state: &State,
        source: InputPlace,
        kind: EventKind,
        value: Option<(TypeId, SymbolicValue)>,
    ) {
        if self.encoder.record_events {
            let guard = state.guard.term(self.pool());
            let value = value.map(|(ty, value)| (ty, value.pack(self.pool())));
            self.out.events.push(SymbolicEvent { source, kind, guard, value });
        }
    }

    /// Notes that runs end with `abort`.
    pub fn note_abort(&mut self, state: &State) {
        let guard = state.guard.term(self.pool());
        self.out.aborts.push(guard);
    }

    /// Goes on only where a condition holds.
    pub fn assume(&mut self, state: &mut State, cond: TermId) {
        let onward = self.mode.assume(&mut self.encoder.pool, self.edge, cond);
        self.restrict(state, onward, cond);
    }

    pub fn poison(&mut self, state: &mut State, construct: impl Into<String>) {
        let always = self.pool().bool(true);
        self.leave(state, ObligationKind::Poison(construct.into()), always);
    }

    pub fn is_dead(&mut self, state: &State) -> bool {
        let guard = state.guard.term(self.pool());
        self.pool().as_bool(guard) == Some(false)
    }

    /// A number that tells this execution of a location from its other executions in the activation.
    pub fn salt(&mut self) -> u64 {
        // On one path, no step is executed twice.
        if self.is_one_path() {
            return self.out.steps << 1;
        }
        let location = self.program.edges[self.edge].from;
        let Some(activation) = self.stack.last() else { return 0 };
        let heads = activation.order.loops_around(location);
        let first = if activation.order.in_irreducible_loop(location) { activation.rounds } else { 0 };
        heads.iter().fold(first, |salt, head| {
            let iterations = activation.loops.get(head).map_or(0, |count| count.iterations);
            (salt ^ iterations as u64 ^ ((head.0 as u64) << 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17)
        })
    }

    pub fn context(&self) -> u32 {
        self.stack.last().map_or(0, |activation| activation.context)
    }

    /// A name for a fresh variable at the present edge.
    pub fn fresh_name(&mut self, what: &str) -> String {
        let (context, edge, salt) = (self.context(), self.edge, self.salt());
        format!("{what}@{edge}/{context}/{salt:x}")
    }

    pub fn start(&mut self) {
        let entry = self.encoder.task.entry;
        let guard = match self.is_flat() {
            true => {
                let here = self.encoder.begins_at(0);
                Guard::TRUE.and(self.pool(), here)
            }
            false => Guard::TRUE,
        };
        let mut state = State::empty(guard);
        self.make_globals(&mut state);
        let params = self.entry_params(&mut state, entry);
        let Some(params) = params else { return };
        if let Some(monitor) = &mut self.encoder.monitor {
            state.marks = Rc::new(monitor.marks(&self.encoder.pool));
        }
        let end = self.in_place(entry, params, state, 0);
        for end in std::mem::take(&mut self.others).into_iter().chain(end) {
            self.check_leaks(end);
        }
    }

    /// Runs a function on a state whose registers are the caller's; the result has them too.
    pub fn function(&mut self, function: FuncId, args: Arguments, caller: State, context: u32) -> Option<State> {
        self.execute(function, args, caller, (context, false))
    }

    /// The same, for an arbitrary activation.
    pub fn arbitrary_function(&mut self, id: FuncId, args: Arguments, caller: State, context: u32) -> Option<State> {
        self.execute(id, args, caller, (context, true))
    }

    fn execute(
        &mut self,
        function: FuncId,
        args: Arguments,
        caller: State,
        (context, arbitrary): (u32, bool),
    ) -> Option<State> {
        let Body::Defined(automaton) = &self.program.functions[function].body else { return Some(caller) };
        let vars = automaton.vars.clone();
        let count = (vars.end - vars.start) as usize;
        let order = self.encoder.order(function);
        self.stack.push(Activation {
            function,
            context,
            first_var: vars.start,
            order,
            loops: FxHashMap::default(),
            rounds: 0,
            allocas: Vec::new(),
            call: self.edge,
            arbitrary,
        });
        let waiting =
            Frame { registers: caller.registers, locals: caller.locals, tests: caller.tests, below: caller.callers };
        let mut state = State {
            guard: caller.guard,
            registers: vec![None; count],
            locals: Rc::new(vec![None; count]),
            memory: caller.memory,
            callers: Some(Rc::new(waiting)),
            result: None,
            marks: caller.marks,
            bytes: caller.bytes,
            ranges: caller.ranges,
            tests: Rc::default(),
        };
        self.storing(Storing::Params(true));
        for (param, value) in self.program.functions[function].params.iter().zip(args) {
            self.bind_param(&mut state, *param, value);
        }
        self.storing(Storing::Params(false));
        if self.stack.len() == 1 {
            self.watch(&mut state, Moment::Start(function));
        }
        let end = match self.is_one_path() {
            true => self.along(automaton.entry, automaton.exit, state),
            false => self.whole_function(automaton.entry, automaton.exit, state),
        };
        match end {
            Some(end) => self.leave_function(end),
            None => {
                self.stack.pop();
                None
            }
        }
    }

    /// The running function has returned: the registers are its caller's again.
    pub fn leave_function(&mut self, end: State) -> Option<State> {
        self.stack.pop();
        self.others = std::mem::take(&mut self.others).into_iter().filter_map(back_in_caller).collect();
        back_in_caller(end)
    }

    fn bind_param(&mut self, state: &mut State, param: VarId, leaves: Vec<SymbolicValue>) {
        self.assigning(Assigned::Var(param));
        if self.in_register(param) {
            let slot = self.slot(param);
            let ty = self.program.vars[param].ty;
            self.storing(Storing::Register(Some(param)));
            // Parameters of the entry function are inputs: they are not relaxed.
            let passed = self.stack.len() > 1;
            let leaf = leaves.first().map(|leaf| if passed { self.relax(state, *leaf) } else { *leaf });
            state.registers[slot] = leaf.map(|leaf| self.named(leaf, Some(ty)));
            return;
        }
        let id = self.new_local(state, param, 0, false);
        let ty = self.program.vars[param].ty;
        self.store_leaves(state, id, ty, &leaves);
    }

    pub fn in_register(&self, var: VarId) -> bool {
        let var = &self.program.vars[var];
        var.kind.function().is_some() && !var.address_taken && self.program.types.is_scalar(var.ty)
    }

    pub fn slot(&self, var: VarId) -> usize {
        (var.0 - self.stack.last().expect("a function is running").first_var) as usize
    }

    /// The state in which either of two exclusive paths was taken.
    pub fn merge(&mut self, first: State, second: &State) -> State {
        let (state, shaped) = State::merge(self.pool(), first, second);
        for Shaped { name, layout, cells, cond } in shaped {
            self.note_heap_fill(&state, &name, &layout, &cells, cond);
        }
        state
    }

    /// How deep a function may call itself, and what happens below.
    pub fn recursion_bound(&self, function: FuncId) -> (u32, ObligationKind) {
        match self.encoder.limits.functions.get(&function) {
            Some(limit) => (*limit, ObligationKind::Limit(*limit)),
            None => (self.bounds.unwind, ObligationKind::Unwind),
        }
    }

    /// Carries out what leaves a location: the edges and the states behind them.
    pub fn location(&mut self, location: LocId, mut state: State) -> Vec<(EdgeId, State)> {
        self.head_executed(location);
        self.out.steps += 1;
        let terms = self.encoder.pool.len() - self.paid_terms;
        if self.out.steps.is_multiple_of(256) || terms > MAX_UNPAID_TERMS {
            self.budget.spend(EFFORT_OF_STEPS.max(terms as u64 / TERMS_OF_EFFORT));
            self.paid_terms += terms;
            if self.budget.expired() {
                self.out.interrupted = true;
                return Vec::new();
            }
        }
        match self.program.locations[location].out {
            [None, _] => Vec::new(),
            [Some(edge), None] => {
                self.edge = edge;
                if !self.watch(&mut state, Moment::Before(edge)) {
                    return Vec::new();
                }
                let first = self.operation(edge, state);
                let mut next: Vec<(EdgeId, State)> =
                    std::mem::take(&mut self.others).into_iter().chain(first).map(|state| (edge, state)).collect();
                // The variables of a function are gone once it returned.
                if !matches!(self.program.edges[edge].op, Op::Return(_)) {
                    for (_, state) in &mut next {
                        self.watch(state, Moment::After(edge));
                    }
                }
                next
            }
            [Some(yes), Some(no)] => {
                self.edge = yes;
                let Op::Assume { cond, .. } = self.program.edges[yes].op else { return Vec::new() };
                if !self.watch(&mut state, Moment::Before(yes)) {
                    return Vec::new();
                }
                if self.encoder.note_assertions {
                    self.note_assertions(location, &state);
                }
                let literal = self.program.constant(cond).is_some();
                let truth = self.condition(&mut state, cond);
                let truth = self.decided_by_bytes(&state, truth);
                self.note_event(&state, EventKind::Branch, Some((TypeId::INT, SymbolicValue::Bits(truth))));
                let plain = truth;
                let truth = self.relax_term(&state, truth);
                if let Some(value) = self.pool().as_bool(plain)
                    && truth != plain
                    && !literal
                {
                    self.decided(&mut state, cond, if value { no } else { yes });
                }
                match self.pool().as_bool(truth) {
                    Some(value) => {
                        if !literal {
                            self.decided(&mut state, cond, if value { no } else { yes });
                        }
                        let edge = if value { yes } else { no };
                        self.watch(&mut state, Moment::After(edge));
                        vec![(edge, state)]
                    }
                    None => {
                        self.splits += 1;
                        let not = self.pool().not(truth);
                        let mut other = state.clone();
                        state.guard = state.guard.and(self.pool(), truth);
                        other.guard = other.guard.and(self.pool(), not);
                        self.restrict_bytes(&mut state, truth);
                        self.restrict_bytes(&mut other, not);
                        self.restrict_ranges(&mut state, truth);
                        self.restrict_ranges(&mut other, not);
                        self.watch(&mut state, Moment::After(yes));
                        self.watch(&mut other, Moment::After(no));
                        vec![(yes, state), (no, other)]
                    }
                }
            }
        }
    }

    pub fn operation(&mut self, edge: EdgeId, mut state: State) -> Option<State> {
        if let Some(caveat) = self.program.edges[edge].caveat {
            let always = self.pool().bool(true);
            self.left_open(&state, self.program.name(caveat), always);
        }
        match self.program.edges[edge].op {
            Op::Skip => {}
            Op::Declare(var) => self.declare(&mut state, var),
            Op::Kill(var) => self.kill(&mut state, var),
            Op::Alloca(var, size) => self.alloca(&mut state, var, size),
            Op::Assign(place, value) => self.assign(&mut state, place, value),
            Op::Havoc(place, InputKind::Nondet(_) | InputKind::External(_) | InputKind::Written(_)) => {
                let ty = self.program.places[place].ty;
                let value = self.input(&mut state, ty, InputPlace::Edge(edge));
                self.write_place(&mut state, place, value);
            }
            Op::Assume { cond, truth, role } => {
                debug_assert_eq!(role, AssumeRole::Assumption);
                let value = self.condition(&mut state, cond);
                let value = if truth { value } else { self.pool().not(value) };
                self.assume(&mut state, value);
            }
            Op::Assert { cond, property } => self.assertion(&mut state, cond, property),
            Op::Call { dest, callee, args } => return self.call(state, edge, dest, callee, args),
            Op::Return(value) => {
                let leaves = match value {
                    Some(value) => Some((self.leaves_of(&mut state, value), self.program.exprs[value].ty)),
                    // Other paths may return something.
                    None => self.missing_result(&mut state).map(|leaves| (leaves, TypeId::VOID)),
                };
                let function = self.activation().function;
                self.assigning(Assigned::Result(function));
                self.storing(Storing::Register(None));
                state.result = leaves.map(|(leaves, ty)| {
                    let ty = self.program.types.is_scalar(ty).then_some(ty);
                    let leaves: Vec<SymbolicValue> = leaves.into_iter().map(|leaf| self.relax(&state, leaf)).collect();
                    leaves.into_iter().map(|leaf| self.named(leaf, ty)).collect()
                });
                self.watch(&mut state, Moment::After(edge));
                self.kill_locals(&mut state);
            }
            Op::Halt(code) => {
                if let Some(code) = code {
                    self.value(&mut state, code);
                    if !self.is_dead(&state) {
                        self.check_leaks(state);
                    }
                } else {
                    self.note_abort(&state);
                }
                return None;
            }
            Op::Poison(reason) => {
                let construct = self.program.name(reason).to_string();
                self.poison(&mut state, construct);
            }
        }
        (!self.is_dead(&state)).then_some(state)
    }

    /// A branch is reached: the assertions that it decides about are evaluated.
    fn note_assertions(&mut self, branch: LocId, state: &State) {
        for call in self.encoder.facts.error_calls(self.program, branch).to_vec() {
            let Op::Assert { property, .. } = self.program.edges[call].op else { continue };
            if self.properties.contains(property) {
                let guard = state.guard.term(self.pool());
                self.out.assertions.push((call, guard));
            }
        }
    }

    fn assertion(&mut self, state: &mut State, cond: ExprId, property: Property) {
        let value = self.condition(state, cond);
        let fails = self.pool().not(value);
        if self.properties.contains(property) {
            if !(self.encoder.note_assertions && self.encoder.facts.is_decided_before(self.program, self.edge)) {
                let guard = state.guard.term(self.pool());
                self.out.assertions.push((self.edge, guard));
            }
            self.leave(state, ObligationKind::Violation(property, None), fails);
        } else if property == Property::Assertion {
            // The program ends there as with `abort`.
            self.assume(state, value);
        }
    }

    pub fn make_globals(&mut self, state: &mut State) {
        for (var, data) in self.program.vars.iter() {
            let is_static = matches!(data.kind, VarKind::Global | VarKind::Constant) && data.init != Init::None;
            if is_static {
                self.make_global(state, var);
            }
        }
        for (function, _) in self.program.functions.iter() {
            self.make_function(state, function);
        }
    }
}

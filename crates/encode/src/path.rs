//! The trace formula of one concrete run: its steps as terms over SSA names, one group of constraints per step, inputs symbolic, the
//! scopes of conditions kept (papers 1, 3 and 4 work on it; `ALGORITHMS.md` calls the parts `psi`, `TF` and `phi`).
//!
//! The executor of [`crate::exec`] runs on the given inputs: every branch is decided by evaluating its condition on them, so there is one
//! path and no merging. With [`Names::Fresh`] every assigned value gets a name of its own and the step says what the name equals; with
//! [`Names::Inline`] values stay terms over the inputs.

use crate::exec::Run;
use crate::inputs::{fill_request, input_kind, values_in};
use crate::scopes::Scopes;
use crate::state::State;
use crate::unrolling::{FillPart, FillPlace, InputPlace, ObligationKind};
use crate::value::Value;
use cfa::interp::{InputRequest, InputSource, Inputs, ProgramArgs};
use cfa::{Bits, EdgeId, Fault, FuncId, LocId, Op, PlaceId, Property, TypeId, VarId};
use logic::{Assignment, Evaluator, TermId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How assigned values appear in later steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    /// As names that their step defines.
    Fresh,
    /// As names, and a variable that a branch not taken would have assigned gets a new one where the branches meet (paper 4's frame conditions).
    FreshWithFrames,
    /// As terms over the inputs.
    Inline,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    Edge(EdgeId),
    /// The branches of this `Assume` edge's condition meet again.
    Frame(EdgeId),
}

/// What a definition gives a value to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Assigned {
    Var(VarId),
    Place(PlaceId),
    /// What a function returns.
    Result(FuncId),
    /// A scalar of a larger copy, or memory that a library function writes.
    Memory,
}

/// The piece of storage that a definition writes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Slot {
    /// A scalar of an activation.
    Register(u32, VarId),
    /// Object and offset, as they are on the run.
    Memory(u32, u64),
    /// What an activation returns.
    Result(u32),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Definition {
    pub assigned: Assigned,
    pub slot: Slot,
    /// A variable of its own, or the value itself.
    pub name: TermId,
    pub value: TermId,
    /// Type of the scalar; of a pointer's two parts: `None`.
    pub ty: Option<TypeId>,
}

#[derive(Clone, Debug)]
pub struct PathStep {
    pub origin: Origin,
    /// The function it belongs to, and which of its activations.
    pub function: FuncId,
    pub activation: u32,
    pub definitions: Vec<Definition>,
    /// The condition that the step takes for granted: a branch or an assumption.
    pub guard: Option<TermId>,
    /// What must hold for the step not to go wrong.
    pub checks: Vec<TermId>,
    /// The innermost condition in whose scope it lies, as an index into [`PathFormula::conditions`].
    pub scope: Option<u32>,
    /// Position in the list of inputs before the step.
    pub inputs: u32,
}

/// A branch condition that was true, with the one around it.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    pub step: u32,
    pub term: TermId,
    pub parent: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
pub struct PathInput {
    pub source: InputSource,
    pub ty: TypeId,
    pub term: TermId,
    pub bits: Bits,
    /// The step that reads it; parameters come before the first.
    pub step: Option<u32>,
    /// Where it goes, if it is kept as it is.
    pub slot: Option<Slot>,
}

/// Uninitialized memory that was made up, with what the run found there.
#[derive(Clone, Debug)]
pub struct PathFill {
    pub place: FillPlace,
    pub terms: Vec<TermId>,
    /// Where they are; an allocation that was never looked into has none.
    pub part: Option<FillPart>,
    /// Of an allocation, and of those that it was moved to.
    names: Vec<Rc<str>>,
}

pub struct PathFormula {
    pub steps: Vec<PathStep>,
    pub conditions: Vec<Condition>,
    pub inputs: Vec<PathInput>,
    pub fills: Vec<PathFill>,
    /// What should have held at the end, and does not on this run.
    pub assertion: TermId,
    pub property: Property,
    pub fault: Option<Fault>,
    /// Where the run ends.
    pub edge: EdgeId,
    /// The value of every name and input on this run.
    pub values: Assignment,
}

/// Why there is no formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoFormula {
    /// The run ends without violating anything.
    NoViolation,
    /// An assumption of the program does not hold on these inputs.
    AssumptionFailed(EdgeId),
    /// There are too few inputs.
    OutOfInputs(EdgeId),
    Undefined(Fault, EdgeId),
    Unsupported(String, EdgeId),
    TooLong,
    OutOfBudget,
}

/// A condition whose scope is open.
struct Open {
    condition: u32,
    activation: u32,
    branch: LocId,
    taken: EdgeId,
}

pub(crate) enum End {
    Violation { property: Property, fault: Option<Fault>, assertion: TermId, edge: EdgeId },
    None(NoFormula),
}

/// What the executor keeps while it follows a run.
pub(crate) struct Path<'e> {
    pub inputs: &'e mut dyn Inputs,
    pub args: &'e ProgramArgs,
    names: Names,
    pub max_steps: usize,
    values: Assignment,
    evaluator: Evaluator,
    pub steps: Vec<PathStep>,
    conditions: Vec<Condition>,
    path_inputs: Vec<PathInput>,
    fills: Vec<PathFill>,
    open: Vec<Open>,
    scopes: Scopes,
    activations: u32,
    running: Vec<u32>,
    pub end: Option<End>,
    /// Objects that a name of a pointer's object may stand for.
    pub targets: FxHashMap<TermId, Rc<Vec<u32>>>,
    /// What allocations held before they were written.
    heap: FxHashMap<Rc<str>, Vec<u8>>,
    assigned: Assigned,
    slot: Slot,
    binding: bool,
    next_name: u32,
}

impl<'e> Path<'e> {
    pub fn new(inputs: &'e mut dyn Inputs, args: &'e ProgramArgs, names: Names, max_steps: usize) -> Self {
        Path {
            inputs,
            args,
            names,
            max_steps,
            values: Assignment::new(),
            evaluator: Evaluator::default(),
            steps: Vec::new(),
            conditions: Vec::new(),
            path_inputs: Vec::new(),
            fills: Vec::new(),
            open: Vec::new(),
            scopes: Scopes::default(),
            activations: 0,
            running: Vec::new(),
            end: None,
            targets: FxHashMap::default(),
            heap: FxHashMap::default(),
            assigned: Assigned::Memory,
            slot: Slot::Result(0),
            binding: false,
            next_name: 0,
        }
    }

    /// The formula, if the run violated something.
    pub fn finish(self) -> Result<PathFormula, NoFormula> {
        match self.end {
            Some(End::Violation { property, fault, assertion, edge }) => Ok(PathFormula {
                steps: self.steps,
                conditions: self.conditions,
                inputs: self.path_inputs,
                fills: self.fills,
                assertion,
                property,
                fault,
                edge,
                values: self.values,
            }),
            Some(End::None(reason)) => Err(reason),
            None => Err(NoFormula::NoViolation),
        }
    }
}

impl<'e> Run<'e, '_> {
    pub(crate) fn path(&mut self) -> Option<&mut Path<'e>> {
        self.path.as_deref_mut()
    }

    pub fn follows_a_run(&self) -> bool {
        self.path.is_some()
    }

    /// What a Boolean term is on the run at hand.
    pub fn holds_on_path(&mut self, term: TermId) -> bool {
        let pool = &self.encoder.pool;
        let path = self.path.as_deref_mut().expect("a run is followed");
        path.evaluator.eval(pool, &path.values, term).as_bool() == Some(true)
    }

    fn bits_on_path(&mut self, term: TermId) -> logic::Bits {
        let pool = &self.encoder.pool;
        let path = self.path.as_deref_mut().expect("a run is followed");
        path.evaluator.eval(pool, &path.values, term).as_bits().cloned().unwrap_or_else(|| logic::Bits::zero(1))
    }

    /// The run is over.
    pub fn end_path(&mut self, end: End) {
        self.out.interrupted = true;
        if let Some(path) = self.path()
            && path.end.is_none()
        {
            path.end = Some(end);
        }
    }

    /// A way to leave the model: either the run takes it, or the step relies on its not being taken.
    pub fn leave_path(&mut self, kind: ObligationKind, cond: TermId) {
        if self.out.interrupted {
            return;
        }
        let edge = self.edge;
        let not = self.pool().not(cond);
        if !self.holds_on_path(cond) {
            if self.pool().as_bool(not) != Some(true)
                && let Some(step) = self.path().and_then(|path| path.steps.last_mut())
            {
                step.checks.push(not);
            }
            return;
        }
        self.end_path(match kind {
            ObligationKind::Violation(property, fault) => End::Violation { property, fault, assertion: not, edge },
            ObligationKind::Undefined(fault) => End::None(NoFormula::Undefined(fault, edge)),
            ObligationKind::Poison(construct) | ObligationKind::LeftOpen(construct) => {
                End::None(NoFormula::Unsupported(construct, edge))
            }
            ObligationKind::Unwind | ObligationKind::Limit(_) => End::None(NoFormula::TooLong),
        });
    }

    /// An assumption of the program.
    pub fn assume_on_path(&mut self, cond: TermId) {
        if self.out.interrupted {
            return;
        }
        if !self.holds_on_path(cond) {
            let edge = self.edge;
            return self.end_path(End::None(NoFormula::AssumptionFailed(edge)));
        }
        let sure = self.pool().as_bool(cond) == Some(true);
        if let Some(step) = self.path().and_then(|path| path.steps.last_mut())
            && !sure
        {
            step.guard = Some(cond);
        }
    }

    fn begin_step(&mut self, origin: Origin) {
        let function = self.stack.last().map_or(FuncId(0), |activation| activation.function);
        let Some(path) = self.path() else { return };
        let scope = path.open.iter().rev().map(|open| open.condition).next();
        let activation = path.running.last().copied().unwrap_or(0);
        let inputs = path.path_inputs.len() as u32;
        path.steps.push(PathStep {
            origin,
            function,
            activation,
            definitions: Vec::new(),
            guard: None,
            checks: Vec::new(),
            scope,
            inputs,
        });
        if path.steps.len() > path.max_steps {
            self.end_path(End::None(NoFormula::TooLong));
        }
    }

    /// What comes after a call belongs to the call's edge again.
    pub fn resume_call_on_path(&mut self, edge: EdgeId) {
        if self.follows_a_run() && !self.out.interrupted {
            self.begin_step(Origin::Edge(edge));
        }
    }

    /// Says what the values that are stored next are assigned to.
    pub fn assigning(&mut self, assigned: Assigned) {
        if let Some(path) = self.path() {
            path.assigned = assigned;
        }
    }

    /// The storage of a variable in a register, or of a result, of the activation at hand; a parameter is bound before its function runs.
    pub fn assigning_register(&mut self, var: Option<VarId>) {
        if let Some(path) = self.path() {
            let running = path.running.last().copied().unwrap_or(0);
            path.slot = match (var, path.assigned) {
                (None, _) => Slot::Result(running),
                (Some(var), _) if path.binding => Slot::Register(path.activations + 1, var),
                (Some(var), _) => Slot::Register(running, var),
            };
        }
    }

    pub fn assigning_memory(&mut self, object: TermId, offset: TermId) {
        if self.follows_a_run() {
            let object = self.bits_on_path(object).to_u64().unwrap_or(0) as u32;
            let offset = self.bits_on_path(offset).to_u64().unwrap_or(0);
            if let Some(path) = self.path() {
                path.slot = Slot::Memory(object, offset);
            }
        }
    }

    /// Whether parameters of the next activation are being bound.
    pub fn binding(&mut self, yes: bool) {
        if let Some(path) = self.path() {
            path.binding = yes;
        }
    }

    /// The name of a value that is about to be stored.
    pub fn named(&mut self, value: Value, ty: Option<TypeId>) -> Value {
        let Some(path) = self.path.as_deref_mut() else { return value };
        let (assigned, slot) = (path.assigned, path.slot);
        if path.names == Names::Inline || path.steps.is_empty() {
            if let Value::Bits(term) = value
                && let Some(input) = path.path_inputs.iter_mut().rev().find(|input| input.term == term)
            {
                input.slot.get_or_insert(slot);
            }
            let (Value::Bits(term) | Value::Pointer { offset: term, .. }) = value;
            let ty = ty.filter(|_| matches!(value, Value::Bits(_)));
            if let Some(step) = path.steps.last_mut() {
                step.definitions.push(Definition { assigned, slot, name: term, value: term, ty });
            }
            return value;
        }
        match value {
            Value::Bits(term) => Value::Bits(self.define(assigned, term, ty)),
            Value::Pointer { object, offset } => {
                let named = self.define(assigned, object, None);
                let known = Rc::new(self.named_objects(object));
                if let Some(path) = self.path() {
                    path.targets.insert(named, known);
                }
                Value::Pointer { object: named, offset: self.define(assigned, offset, None) }
            }
        }
    }

    fn define(&mut self, assigned: Assigned, value: TermId, ty: Option<TypeId>) -> TermId {
        // The input itself is the name of what an input is assigned to.
        let path = self.path.as_deref_mut().expect("a run is followed");
        let (step, slot) = (path.steps.len() as u32 - 1, path.slot);
        if let Some(input) = path.path_inputs.last_mut().filter(|input| input.term == value && input.step == Some(step))
        {
            input.slot.get_or_insert(slot);
            return value;
        }
        let bits = self.bits_on_path(value);
        let width = self.pool().width(value);
        let path = self.path.as_deref_mut().expect("a run is followed");
        path.next_name += 1;
        let slot = path.slot;
        let name = self.encoder.pool.bv_var(&format!("ssa{}", path.next_name), width);
        path.values.set_bits(name, bits);
        let step = path.steps.last_mut().expect("a step is under way");
        step.definitions.push(Definition { assigned, slot, name, value, ty });
        name
    }

    /// Asks for an input.
    pub fn input_on_path(&mut self, source: InputPlace, ty: TypeId, term: TermId) {
        let source = match source {
            InputPlace::Edge(edge) => InputSource::Edge { edge, kind: input_kind(self.program, edge) },
            InputPlace::Param(var, leaf) => InputSource::Param { var, leaf },
        };
        let edge = self.edge;
        let width = self.pool().width(term);
        let Some(path) = self.path() else { return };
        let Some(bits) = path.inputs.next(&InputRequest { source, ty }) else {
            return self.end_path(End::None(NoFormula::OutOfInputs(edge)));
        };
        let value = logic::Bits::new(width, bits.get());
        let bits = Bits::new(value.to_u128().unwrap_or(0));
        path.values.set_bits(term, value);
        let step = (path.steps.len() as u32).checked_sub(1);
        path.path_inputs.push(PathInput { source, ty, term, bits, step, slot: None });
    }

    /// A variable whose value on the run is known.
    pub fn value_on_path(&mut self, term: TermId, value: u128) {
        let width = self.pool().width(term);
        if let Some(path) = self.path() {
            path.values.set_bits(term, logic::Bits::new(width, value));
        }
    }

    /// Asks what uninitialized memory of so many bytes holds.
    pub fn fill_on_path(&mut self, place: FillPlace, size: u64, part: FillPart) {
        let request = fill_request(&place, self.edge);
        let Some(path) = self.path() else { return };
        let mut bytes = vec![0; size as usize];
        path.inputs.fill(&request, &mut bytes);
        let terms = self.take_bytes(&bytes, &part);
        if let Some(path) = self.path() {
            path.fills.push(PathFill { place, terms, part: Some(part), names: Vec::new() });
        }
    }

    /// Keeps what an allocation holds until it is known what it is an array of.
    pub fn fill_heap_on_path(&mut self, place: FillPlace, name: Rc<str>, size: TermId) {
        const MAX_SIZE: u64 = 1 << 24;
        let request = fill_request(&place, self.edge);
        let size = self.bits_on_path(size).to_u64().unwrap_or(0).min(MAX_SIZE);
        let Some(path) = self.path() else { return };
        let mut bytes = vec![0; size as usize];
        path.inputs.fill(&request, &mut bytes);
        path.fills.push(PathFill { place, terms: Vec::new(), part: None, names: vec![name.clone()] });
        path.heap.insert(name, bytes);
    }

    /// An allocation that nobody has looked into is moved: what one holds, the other holds.
    pub fn move_fill_on_path(&mut self, from: &str, to: &Rc<str>) {
        let Some(path) = self.path() else { return };
        let Some(old) = path.heap.get(from).cloned() else { return };
        if let Some(new) = path.heap.get_mut(to) {
            let kept = old.len().min(new.len());
            new[..kept].copy_from_slice(&old[..kept]);
        }
        for fill in &mut path.fills {
            if fill.names.iter().any(|name| **name == *from) {
                fill.names.push(to.clone());
            }
        }
    }

    /// An allocation is shaped: its terms get the values that are there.
    pub fn shape_on_path(&mut self, name: &str, part: FillPart) {
        let Some(bytes) = self.path().and_then(|path| path.heap.get(name).cloned()) else { return };
        let terms = self.take_bytes(&bytes, &part);
        let Some(path) = self.path() else { return };
        for fill in path.fills.iter_mut().filter(|fill| fill.names.iter().any(|known| **known == *name)) {
            (fill.terms, fill.part) = (terms.clone(), Some(part.clone()));
        }
    }

    /// Gives made-up terms the values that the run has there.
    fn take_bytes(&mut self, bytes: &[u8], part: &FillPart) -> Vec<TermId> {
        let values = values_in(&self.encoder.pool, bytes, part);
        let Some(path) = self.path() else { return Vec::new() };
        let terms = values.iter().map(|(term, _)| *term).collect();
        for (term, value) in values {
            path.values.set(term, value);
        }
        terms
    }

    /// Executes a function along the run.
    pub fn follow(&mut self, entry: LocId, exit: LocId, mut state: State) -> Option<State> {
        let path = self.path()?;
        path.activations += 1;
        let activation = path.activations;
        path.running.push(activation);
        let mut location = entry;
        while location != exit {
            self.close_scopes(&mut state, location, activation);
            if self.out.steps.is_multiple_of(256) && self.budget.expired() {
                self.end_path(End::None(NoFormula::OutOfBudget));
            }
            self.out.steps += 1;
            if self.out.interrupted {
                return None;
            }
            let edge = match self.program.locations[location].out {
                [None, _] => return None,
                [Some(edge), None] => {
                    self.edge = edge;
                    self.begin_step(Origin::Edge(edge));
                    state = self.operation(edge, state)?;
                    edge
                }
                [Some(yes), Some(no)] => self.branch_on_path(&mut state, location, yes, no)?,
            };
            if self.out.interrupted {
                return None;
            }
            location = self.program.edges[edge].to;
        }
        if let Some(path) = self.path() {
            path.open.retain(|open| open.activation != activation);
            path.running.pop();
        }
        Some(state)
    }

    fn branch_on_path(&mut self, state: &mut State, location: LocId, yes: EdgeId, no: EdgeId) -> Option<EdgeId> {
        self.edge = yes;
        let Op::Assume { cond, .. } = self.program.edges[yes].op else { return None };
        self.begin_step(Origin::Edge(yes));
        let truth = self.condition(state, cond);
        if self.out.interrupted {
            return None;
        }
        let value = self.holds_on_path(truth);
        let guard = if value { truth } else { self.pool().not(truth) };
        let taken = if value { yes } else { no };
        let path = self.path()?;
        let step = path.steps.len() as u32 - 1;
        let last = path.steps.last_mut()?;
        last.origin = Origin::Edge(taken);
        last.guard = Some(guard);
        let parent = last.scope;
        path.conditions.push(Condition { step, term: guard, parent });
        let condition = path.conditions.len() as u32 - 1;
        let activation = path.running.last().copied().unwrap_or(0);
        path.open.push(Open { condition, activation, branch: location, taken });
        Some(taken)
    }

    /// Ends the scopes of the conditions whose branches meet at a location, and notes what the branches not taken would have assigned.
    fn close_scopes(&mut self, state: &mut State, location: LocId, activation: u32) {
        loop {
            let program = self.program;
            let Some(path) = self.path() else { return };
            let mine = path.open.iter().enumerate().filter(|(_, open)| open.activation == activation);
            let mut closing = None;
            for (index, open) in mine {
                if open.branch == location || path.scopes.of(program, open.taken).ends.contains(&location) {
                    closing = Some(index);
                    break;
                }
            }
            let Some(first) = closing else { return };
            // Scopes nest: what was opened later ends too, innermost first.
            let last = path.open.len() - 1;
            let open = &path.open[last.max(first)];
            let (taken, names) = (open.taken, path.names);
            if names == Names::FreshWithFrames {
                let assigned = path.scopes.of(program, taken).assigned.clone();
                self.frame(state, taken, &assigned);
            }
            if let Some(path) = self.path() {
                path.open.truncate(last);
            }
        }
    }

    /// Variables keep their values where the branches of a condition meet: a step that can be looked at, under the condition's scope.
    fn frame(&mut self, state: &mut State, taken: EdgeId, vars: &[VarId]) {
        let taken_assigns = self.assigned_since(taken);
        let vars: Vec<VarId> = vars.iter().copied().filter(|var| !taken_assigns.contains(var)).collect();
        let (edge, mut begun) = (self.edge, false);
        for var in vars {
            let ty = self.program.vars[var].ty;
            let Some(spot) = self.settled_spot(state, var) else { continue };
            if !begun {
                self.begin_step(Origin::Frame(taken));
                begun = true;
            }
            let value = self.load(state, spot, ty);
            self.assigning(Assigned::Var(var));
            self.store(state, spot, ty, value);
        }
        self.edge = edge;
    }

    /// Variables that steps since a branch was taken have assigned.
    fn assigned_since(&mut self, taken: EdgeId) -> Vec<VarId> {
        let Some(path) = self.path() else { return Vec::new() };
        let from = path.steps.iter().rposition(|step| step.origin == Origin::Edge(taken)).unwrap_or(0);
        let definitions = path.steps[from..].iter().flat_map(|step| &step.definitions);
        let vars = definitions.filter_map(|definition| match definition.assigned {
            Assigned::Var(var) => Some(var),
            _ => None,
        });
        vars.collect()
    }
}

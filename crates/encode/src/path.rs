//! The trace formula of one concrete run: its steps as terms over SSA names, one group of constraints per step, inputs symbolic, the
//! scopes of conditions kept (papers 1, 3 and 4 work on it; `ALGORITHMS.md` calls the parts `psi`, `TF` and `phi`).
//!
//! A [`Mode`] of the executor: every branch is decided by evaluating its condition on the given inputs, so there is one path and no merging. With [`Names::Fresh`] every assigned value gets a name of its own and the step says what the name equals; with
//! [`Names::Inline`] values stay terms over the inputs.

use crate::inputs::{fill_request, input_kind, values_in};
use crate::mode::{Argument, Fill, Meeting, Mode, Naming, Onward, Route, Storing, Supply};
use crate::scopes::Scopes;
use crate::unrolling::{FillPart, FillPlace, InputPlace, ObligationKind};
use crate::value::SymbolicValue;
use cfa::interp::{InputRequest, InputSource, Inputs, ProgramArgs};
use cfa::{Bits, EdgeId, Fault, FuncId, LocId, PlaceId, Program, Property, TypeId, VarId};
use logic::{Assignment, Evaluator, TermId, TermPool};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How assigned values appear in later steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    /// As names that their step defines.
    Fresh,
    /// As names, and a variable that a branch not taken would have assigned gets a new one where the branches meet (the frame conditions of Christ et al. 2013).
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

/// Fresh variables of uninitialized memory, with what the run found there.
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

enum End {
    Violation { property: Property, fault: Option<Fault>, assertion: TermId, edge: EdgeId },
    None(NoFormula),
}

/// The mode of execution that follows one run.
pub(crate) struct Path<'e> {
    inputs: &'e mut dyn Inputs,
    args: &'e ProgramArgs,
    names: Names,
    max_steps: usize,
    values: Assignment,
    evaluator: Evaluator,
    steps: Vec<PathStep>,
    conditions: Vec<Condition>,
    path_inputs: Vec<PathInput>,
    fills: Vec<PathFill>,
    open: Vec<Open>,
    scopes: Scopes,
    activations: u32,
    running: Vec<u32>,
    end: Option<End>,
    /// Objects that a name of a pointer's object may stand for.
    targets: FxHashMap<TermId, Rc<Vec<u32>>>,
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

impl Path<'_> {
    /// What a Boolean term is on the run.
    fn holds(&mut self, pool: &TermPool, term: TermId) -> bool {
        self.evaluator.eval(pool, &self.values, term).as_bool() == Some(true)
    }

    fn bits(&mut self, pool: &TermPool, term: TermId) -> logic::Bits {
        self.evaluator.eval(pool, &self.values, term).as_bits().cloned().unwrap_or_else(|| logic::Bits::zero(1))
    }

    /// The run is over.
    fn end(&mut self, end: End) -> Onward {
        self.end.get_or_insert(end);
        Onward::Over
    }

    fn begin_step(&mut self, function: FuncId, origin: Origin) -> Onward {
        let scope = self.open.last().map(|open| open.condition);
        let activation = self.running.last().copied().unwrap_or(0);
        let inputs = self.path_inputs.len() as u32;
        self.steps.push(PathStep {
            origin,
            function,
            activation,
            definitions: Vec::new(),
            guard: None,
            checks: Vec::new(),
            scope,
            inputs,
        });
        if self.steps.len() > self.max_steps {
            return self.end(End::None(NoFormula::TooLong));
        }
        Onward::Unchanged
    }

    fn define(&mut self, pool: &mut TermPool, assigned: Assigned, value: TermId, ty: Option<TypeId>) -> TermId {
        // The input itself is the name of what an input is assigned to.
        let (step, slot) = (self.steps.len() as u32 - 1, self.slot);
        if let Some(input) = self.path_inputs.last_mut().filter(|input| input.term == value && input.step == Some(step))
        {
            input.slot.get_or_insert(slot);
            return value;
        }
        let bits = self.bits(pool, value);
        let width = pool.width(value);
        self.next_name += 1;
        let name = pool.bv_var(&format!("ssa{}", self.next_name), width);
        self.values.set_bits(name, bits);
        let step = self.steps.last_mut().expect("a step is under way");
        step.definitions.push(Definition { assigned, slot, name, value, ty });
        name
    }

    /// Gives made-up terms the values that the run has there.
    fn take_bytes(&mut self, pool: &TermPool, bytes: &[u8], part: &FillPart) -> Vec<TermId> {
        let values = values_in(pool, bytes, part);
        let terms = values.iter().map(|(term, _)| *term).collect();
        for (term, value) in values {
            self.values.set(term, value);
        }
        terms
    }

    /// Keeps what an allocation holds until it is known what it is an array of.
    fn fill_allocation(&mut self, pool: &TermPool, (place, edge): (FillPlace, EdgeId), name: Rc<str>, size: TermId) {
        const MAX_SIZE: u64 = 1 << 24;
        let request = fill_request(&place, edge);
        let size = self.bits(pool, size).to_u64().unwrap_or(0).min(MAX_SIZE);
        let mut bytes = vec![0; size as usize];
        self.inputs.fill(&request, &mut bytes);
        self.fills.push(PathFill { place, terms: Vec::new(), part: None, names: vec![name.clone()] });
        self.heap.insert(name, bytes);
    }

    /// What one allocation holds, the other holds.
    fn move_fill(&mut self, from: &str, to: &Rc<str>) {
        let Some(old) = self.heap.get(from).cloned() else { return };
        if let Some(new) = self.heap.get_mut(to) {
            let kept = old.len().min(new.len());
            new[..kept].copy_from_slice(&old[..kept]);
        }
        for fill in &mut self.fills {
            if fill.names.iter().any(|name| **name == *from) {
                fill.names.push(to.clone());
            }
        }
    }

    /// An allocation is shaped: its terms get the values that are there.
    fn shape(&mut self, pool: &TermPool, name: &str, part: FillPart) {
        let Some(bytes) = self.heap.get(name).cloned() else { return };
        let terms = self.take_bytes(pool, &bytes, &part);
        for fill in self.fills.iter_mut().filter(|fill| fill.names.iter().any(|known| **known == *name)) {
            (fill.terms, fill.part) = (terms.clone(), Some(part.clone()));
        }
    }

    /// Variables that steps since a branch was taken have assigned.
    fn assigned_since(&self, taken: EdgeId) -> Vec<VarId> {
        let from = self.steps.iter().rposition(|step| step.origin == Origin::Edge(taken)).unwrap_or(0);
        let definitions = self.steps[from..].iter().flat_map(|step| &step.definitions);
        let vars = definitions.filter_map(|definition| match definition.assigned {
            Assigned::Var(var) => Some(var),
            _ => None,
        });
        vars.collect()
    }
}

impl Mode for Path<'_> {
    fn outcome(&mut self, pool: &TermPool, cond: TermId) -> Option<bool> {
        Some(self.holds(pool, cond))
    }

    fn calls(&mut self, _: &Program, pool: &TermPool, _: Option<FuncId>, hit: TermId) -> Option<bool> {
        Some(self.holds(pool, hit))
    }

    /// Either the run leaves the model, or the step relies on its not doing so.
    fn leave(&mut self, pool: &mut TermPool, edge: EdgeId, kind: &ObligationKind, cond: TermId) -> Onward {
        if self.end.is_some() {
            return Onward::Over;
        }
        let not = pool.not(cond);
        if !self.holds(pool, cond) {
            if pool.as_bool(not) != Some(true)
                && let Some(step) = self.steps.last_mut()
            {
                step.checks.push(not);
            }
            return Onward::Unchanged;
        }
        self.end(match kind.clone() {
            ObligationKind::Violation(property, fault) => End::Violation { property, fault, assertion: not, edge },
            ObligationKind::Undefined(fault) => End::None(NoFormula::Undefined(fault, edge)),
            ObligationKind::Poison(construct) | ObligationKind::LeftOpen(construct) => {
                End::None(NoFormula::Unsupported(construct, edge))
            }
            ObligationKind::Unwind | ObligationKind::Limit(_) => End::None(NoFormula::TooLong),
        })
    }

    fn assume(&mut self, pool: &mut TermPool, edge: EdgeId, cond: TermId) -> Onward {
        if self.end.is_some() {
            return Onward::Over;
        }
        if !self.holds(pool, cond) {
            return self.end(End::None(NoFormula::AssumptionFailed(edge)));
        }
        if let Some(step) = self.steps.last_mut()
            && pool.as_bool(cond) != Some(true)
        {
            step.guard = Some(cond);
        }
        Onward::Unchanged
    }

    fn input(
        &mut self,
        program: &Program,
        pool: &TermPool,
        (edge, source, ty): (EdgeId, InputPlace, TypeId),
        term: TermId,
    ) -> Supply {
        let source = match source {
            InputPlace::Edge(edge) => InputSource::Edge { edge, kind: input_kind(program, edge) },
            InputPlace::Param(var, leaf) => InputSource::Param { var, leaf },
        };
        let Some(bits) = self.inputs.next(&InputRequest { source, ty }) else {
            self.end(End::None(NoFormula::OutOfInputs(edge)));
            return Supply::Exhausted;
        };
        let value = logic::Bits::new(pool.width(term), bits.get());
        let bits = Bits::new(value.to_u128().unwrap_or(0));
        self.values.set_bits(term, value);
        let step = (self.steps.len() as u32).checked_sub(1);
        self.path_inputs.push(PathInput { source, ty, term, bits, step, slot: None });
        Supply::Known
    }

    fn argument(&mut self, pool: &TermPool, part: Argument, term: TermId) {
        let word = |number: u32| self.args.words.get(number as usize).map_or(&[][..], |word| word);
        let value = match part {
            Argument::Count => self.args.words.len() as u128,
            Argument::Length(number) => word(number).len() as u128,
            Argument::Byte(number, at) => word(number).get(at as usize).copied().unwrap_or(0) as u128,
        };
        self.values.set_bits(term, logic::Bits::new(pool.width(term), value));
    }

    fn knows_memory(&self) -> bool {
        true
    }

    fn fill(&mut self, pool: &TermPool, fill: Fill<'_>) {
        match fill {
            Fill::Object { place, edge, size, part } => {
                let mut bytes = vec![0; size as usize];
                self.inputs.fill(&fill_request(&place, edge), &mut bytes);
                let terms = self.take_bytes(pool, &bytes, &part);
                self.fills.push(PathFill { place, terms, part: Some(part), names: Vec::new() });
            }
            Fill::Allocation { place, edge, name, size } => self.fill_allocation(pool, (place, edge), name, size),
            Fill::Moved { from, to } => self.move_fill(from, to),
            Fill::Shaped { name, part } => self.shape(pool, name, part),
        }
    }

    /// The run has the values that the interpreter has, and proves nothing about others.
    fn explores_open(&self) -> bool {
        false
    }

    fn naming(&self) -> Naming {
        match self.names {
            Names::Inline => Naming::Noted,
            Names::Fresh | Names::FreshWithFrames => Naming::Fresh,
        }
    }

    fn storing(&mut self, pool: &TermPool, what: Storing) {
        match what {
            Storing::To(assigned) => self.assigned = assigned,
            Storing::Register(var) => {
                let running = self.running.last().copied().unwrap_or(0);
                self.slot = match var {
                    None => Slot::Result(running),
                    // A parameter is bound before its function runs.
                    Some(var) if self.binding => Slot::Register(self.activations + 1, var),
                    Some(var) => Slot::Register(running, var),
                };
            }
            Storing::Memory(object, offset) => {
                let object = self.bits(pool, object).to_u64().unwrap_or(0) as u32;
                let offset = self.bits(pool, offset).to_u64().unwrap_or(0);
                self.slot = Slot::Memory(object, offset);
            }
            Storing::Params(binding) => self.binding = binding,
        }
    }

    fn name(
        &mut self,
        pool: &mut TermPool,
        value: SymbolicValue,
        ty: Option<TypeId>,
        objects: Vec<u32>,
    ) -> SymbolicValue {
        let (assigned, slot) = (self.assigned, self.slot);
        if self.names == Names::Inline || self.steps.is_empty() {
            if let SymbolicValue::Bits(term) = value
                && let Some(input) = self.path_inputs.iter_mut().rev().find(|input| input.term == term)
            {
                input.slot.get_or_insert(slot);
            }
            let (SymbolicValue::Bits(term) | SymbolicValue::Pointer { offset: term, .. }) = value;
            let ty = ty.filter(|_| matches!(value, SymbolicValue::Bits(_)));
            if let Some(step) = self.steps.last_mut() {
                step.definitions.push(Definition { assigned, slot, name: term, value: term, ty });
            }
            return value;
        }
        match value {
            SymbolicValue::Bits(term) => SymbolicValue::Bits(self.define(pool, assigned, term, ty)),
            SymbolicValue::Pointer { object, offset } => {
                let object = self.define(pool, assigned, object, None);
                self.targets.insert(object, Rc::new(objects));
                SymbolicValue::Pointer { object, offset: self.define(pool, assigned, offset, None) }
            }
        }
    }

    fn targets(&self, name: TermId) -> Option<Rc<Vec<u32>>> {
        self.targets.get(&name).cloned()
    }

    fn route(&mut self) -> Option<&mut dyn Route> {
        Some(self)
    }
}

impl Route for Path<'_> {
    fn enter(&mut self) {
        self.activations += 1;
        self.running.push(self.activations);
    }

    fn exit(&mut self) {
        if let Some(activation) = self.running.pop() {
            self.open.retain(|open| open.activation != activation);
        }
    }

    fn step(&mut self, function: FuncId, origin: Origin) -> Onward {
        self.begin_step(function, origin)
    }

    fn returned(&mut self, function: FuncId, edge: EdgeId) -> Onward {
        self.begin_step(function, Origin::Edge(edge))
    }

    fn choose(
        &mut self,
        pool: &mut TermPool,
        branch: LocId,
        truth: TermId,
        (yes, no): (EdgeId, EdgeId),
    ) -> (EdgeId, Onward) {
        let value = self.holds(pool, truth);
        let guard = if value { truth } else { pool.not(truth) };
        let taken = if value { yes } else { no };
        let last = self.steps.last_mut().expect("a step is under way");
        last.origin = Origin::Edge(taken);
        last.guard = Some(guard);
        let parent = last.scope;
        let step = self.steps.len() as u32 - 1;
        self.conditions.push(Condition { step, term: guard, parent });
        let condition = self.conditions.len() as u32 - 1;
        let activation = self.running.last().copied().unwrap_or(0);
        self.open.push(Open { condition, activation, branch, taken });
        (taken, Onward::Unchanged)
    }

    /// The scope of a condition ends where its branches meet, and at the branch itself.
    fn meeting(&mut self, program: &Program, location: LocId) -> Option<Meeting> {
        let activation = self.running.last().copied().unwrap_or(0);
        let scopes = &mut self.scopes;
        let mut mine = self.open.iter().filter(|open| open.activation == activation);
        mine.find(|open| open.branch == location || scopes.of(program, open.taken).ends.contains(&location))?;
        // Scopes nest: what was opened later ends too, innermost first.
        let taken = self.open.last()?.taken;
        if self.names != Names::FreshWithFrames {
            return Some(Meeting { taken, vars: Vec::new() });
        }
        let already = self.assigned_since(taken);
        let scope = self.scopes.of(program, taken);
        let vars = scope.assigned.iter().copied().filter(|var| !already.contains(var)).collect();
        Some(Meeting { taken, vars })
    }

    fn met(&mut self) {
        self.open.pop();
    }

    fn out_of_time(&mut self) {
        self.end(End::None(NoFormula::OutOfBudget));
    }
}

//! Recursive calls by contracts. A call of a recursive function from outside its component of the call graph is not unwound. Instead
//!
//! * each function of the component that can be reached is executed once from an *arbitrary activation*, a state that stands for all states in which the
//!   function is called on behalf of this call: its parameters, and everything in memory that the component changes, are arbitrary, except that the
//!   conditions on calls (*requires*) that are switched on hold;
//! * in there, and after it for the call from outside, a call is replaced by the contract of the called function: its requirements are checked, then what
//!   the component changes is arbitrary, and so is the result, except that the conditions on returning (*ensures*) hold;
//! * where an arbitrary activation returns, the latter are checked.
//!
//! Why this is a proof (Hoare 1971): consider the first moment of a run at which a condition or the property fails. It lies in some activation, which
//! began in a state that its arbitrary activation stands for, since all requirements held before; the calls that returned in it did what their contracts
//! say, since nothing failed before; so the failure is seen here.
//!
//! What the component changes is found by executing ([`crate::changes`]), until calls and returns show nothing new. Objects that activations make are
//! not in the arbitrary state. A pointer to one that another activation made may name anything, so that a run that follows it leaves the model.
//!
//! Before, the call is tried as it is: recursion that constants end, or that does not happen, needs no contract. With `k` rounds, the first levels of
//! calls are executed in place, from outside and in arbitrary activations. The conditions are checked there too, so that they hold for all calls.

use crate::changes::{Changes, Targets, grow};
use crate::exec::Run;
use crate::state::State;
use crate::value::SymbolicValue;
use cfa::contract::{old_values, result_type};
use cfa::{Anchor, EdgeId, FuncId, TypeId, VarId, VarKind};
use logic::TermId;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Levels of calls that are executed in place, at most: each may have several calls.
const MOST_LEVELS: u32 = 2;

/// Locations that are executed to see whether recursion ends by itself.
const MOST_STEPS: u64 = 20_000;

/// The scalars of each argument of a call.
pub(crate) type Arguments = Vec<Vec<SymbolicValue>>;

/// What activations of a component that are begun by one call from outside change.
#[derive(Clone, Default)]
pub(crate) struct CallChanges {
    memory: Changes,
    /// The functions that are called, with the arguments of the first call that was seen.
    called: BTreeMap<FuncId, Arguments>,
    /// Parameters that do not always have the value of the call from outside, by function, number and scalar.
    params: BTreeMap<(FuncId, usize, usize), Targets>,
    /// Results, by function and scalar.
    results: BTreeMap<(FuncId, usize), Targets>,
}

/// A call from outside whose arbitrary activations are being executed.
pub(crate) struct Recursion {
    component: u32,
    /// The state in which the call happens.
    outside: State,
    /// The arbitrary state in which the present activation began.
    entry: State,
    /// The parameters of the arbitrary activations of each function.
    params: BTreeMap<FuncId, Arguments>,
    changes: CallChanges,
    /// Whether this pass has shown more changes.
    grown: bool,
}

/// A call that is executed as it is, to see whether its recursion ends by itself.
pub(crate) struct Trial {
    component: u32,
    /// How many functions ran when it began, and how many paths and locations there had been.
    stack: usize,
    splits: u64,
    steps: u64,
    failed: bool,
}

/// The values of names that a contract has, and when each has one.
pub(crate) type Names = FxHashMap<VarId, (SymbolicValue, TermId)>;

/// How a call is executed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    InPlace,
    /// In place, as long as it ends by itself.
    Tried,
    ByContract,
    /// The trial that it belongs to has failed.
    GivenUp,
}

impl Run<'_, '_> {
    /// Executes the call of a function with a body: the state after it, with the result.
    pub fn activate(&mut self, function: FuncId, args: Arguments, state: State, edge: EdgeId) -> Option<State> {
        let salt = self.salt();
        let context = self.context();
        let context = self.encoder.context_of(context, edge, salt ^ (function.0 as u64) << 48);
        let Some(component) = self.component_by_contract(function) else {
            return self.in_place(function, args, state, context);
        };
        match self.way(component, function, context) {
            Way::InPlace => self.in_place(function, args, state, context),
            Way::Tried => match self.try_in_place(component, function, &args, &state, context) {
                Ok(end) => end,
                Err(Failed) => self.activate(function, args, state, edge),
            },
            Way::ByContract => match self.recursions.iter().rposition(|one| one.component == component) {
                Some(index) => self.call_inside(index, function, args, state),
                None => self.call_from_outside(component, function, args, state, context),
            },
            Way::GivenUp => None,
        }
    }

    /// Executes the body of a function, and checks what its contract says, if it has one.
    pub fn in_place(&mut self, function: FuncId, args: Arguments, state: State, context: u32) -> Option<State> {
        let has_clauses = |anchor: Anchor| self.candidates_of(anchor).is_some();
        if self.is_flat() || !has_clauses(Anchor::Requires(function)) && !has_clauses(Anchor::Ensures(function)) {
            return self.function(function, args, state, context);
        }
        let mut names = self.named_params(function, &args);
        self.check_clauses(Anchor::Requires(function), &state, names.clone());
        self.add_old_values(function, &state, &mut names);
        let end = self.function(function, args, state, context)?;
        let result = end.result.clone().unwrap_or_default();
        self.add_result(function, &result, &mut names);
        self.check_clauses(Anchor::Ensures(function), &end, names);
        Some(end)
    }

    /// The component of a function whose calls are not unwound.
    pub fn component_by_contract(&mut self, function: FuncId) -> Option<u32> {
        let cut = self.encoder.cut.as_ref()?;
        if cut.flat { None } else { self.encoder.recursion().component(function) }
    }

    fn way(&mut self, component: u32, function: FuncId, context: u32) -> Way {
        let (unwind, rounds) = self.encoder.cut.as_ref().map_or((0, 0), |cut| (cut.unwind, cut.rounds));
        if let Some(trial) = self.trial.as_mut().filter(|trial| trial.component == component) {
            let depth = self.stack[trial.stack..].iter().filter(|one| one.function == function).count();
            let decided = trial.splits == self.splits && (depth as u64) < unwind as u64;
            trial.failed |= depth > 0 && !decided || self.out.steps - trial.steps > MOST_STEPS;
            return if trial.failed { Way::GivenUp } else { Way::InPlace };
        }
        let level = self.levels_of(component);
        let outside = self.recursions.iter().all(|one| one.component != component);
        if outside && level == 0 && !self.encoder.known_calls.deep.contains(&context) {
            return Way::Tried;
        }
        if level < rounds.min(MOST_LEVELS) { Way::InPlace } else { Way::ByContract }
    }

    /// How many functions of a component wait for each other, from the last arbitrary activation on, which does not count.
    fn levels_of(&mut self, component: u32) -> u32 {
        let recursion = self.encoder.recursion();
        let own = self.stack.iter().rev().filter(|one| recursion.component(one.function) == Some(component));
        own.take_while(|one| !one.arbitrary).count() as u32
    }

    fn try_in_place(
        &mut self,
        component: u32,
        function: FuncId,
        args: &Arguments,
        state: &State,
        context: u32,
    ) -> Result<Option<State>, Failed> {
        let noted = self.noted();
        let trial =
            Trial { component, stack: self.stack.len(), splits: self.splits, steps: self.out.steps, failed: false };
        let before = self.trial.replace(trial);
        let edge = self.edge;
        let end = self.in_place(function, args.clone(), state.clone(), context);
        let failed = std::mem::replace(&mut self.trial, before).is_some_and(|trial| trial.failed);
        if !failed {
            return Ok(end);
        }
        self.edge = edge;
        self.forget_since(noted);
        self.encoder.known_calls.deep.insert(context);
        Err(Failed)
    }

    fn call_from_outside(
        &mut self,
        component: u32,
        function: FuncId,
        args: Arguments,
        state: State,
        context: u32,
    ) -> Option<State> {
        let edge = self.edge;
        self.check_clauses(Anchor::Requires(function), &state, self.named_params(function, &args));
        let mut changes = self.encoder.known_calls.changes.remove(&context).unwrap_or_default();
        // What a parameter is for another call from outside is of no interest.
        changes.called.insert(function, args.clone());
        self.recursions.push(Recursion {
            component,
            outside: state.clone(),
            entry: state.clone(),
            params: BTreeMap::new(),
            changes,
            grown: false,
        });
        let noted = self.noted();
        loop {
            self.recursion().grown = false;
            self.choose_params(function, &args);
            let called: Vec<FuncId> = self.recursion().params.keys().copied().collect();
            for callee in called {
                self.arbitrary_activation(callee, context);
                self.edge = edge;
            }
            if !self.recursion().grown || self.out.interrupted {
                break;
            }
            self.forget_since(noted);
        }
        let index = self.recursions.len() - 1;
        let end = (!self.out.interrupted).then(|| self.by_contract(index, function, &args, state));
        let recursion = self.recursions.pop().expect("pushed above");
        self.encoder.known_calls.changes.insert(context, recursion.changes);
        end.flatten()
    }

    /// The present call from outside.
    fn recursion(&mut self) -> &mut Recursion {
        self.recursions.last_mut().expect("a recursive function is being called")
    }

    /// Parameters for the arbitrary activations of all functions that are called.
    fn choose_params(&mut self, outer: FuncId, args: &Arguments) {
        let (changes, outside) = (self.recursion().changes.clone(), self.recursion().outside.clone());
        let mut chosen = BTreeMap::new();
        for (function, seen) in &changes.called {
            let first = if *function == outer { args } else { seen };
            let mut params: Arguments = Vec::new();
            for (number, leaves) in first.iter().enumerate() {
                let mut values = Vec::new();
                for (leaf, value) in leaves.iter().enumerate() {
                    let changed = changes.params.get(&(*function, number, leaf));
                    values.push(match changed {
                        None if *function == outer => *value,
                        changed => {
                            let before = (*function == outer).then_some(*value);
                            let targets = changed.cloned().unwrap_or_default();
                            self.arbitrary_like(&outside, before, &targets, *value)
                        }
                    });
                }
                params.push(values);
            }
            chosen.insert(*function, params);
        }
        self.recursion().params = chosen;
    }

    /// An arbitrary value of the kind that another one is of.
    fn arbitrary_like(
        &mut self,
        known: &State,
        before: Option<SymbolicValue>,
        targets: &Targets,
        like: SymbolicValue,
    ) -> SymbolicValue {
        let kind = match like {
            SymbolicValue::Bits(term) => (false, self.encoder.pool.width(term)),
            SymbolicValue::Pointer { .. } => (true, 0),
        };
        self.cuts += 1;
        let name = format!("call{}", self.cuts);
        self.arbitrary_value(known, before, targets, kind, &name)
    }

    /// Executes a function from a state that stands for all states in which it is called.
    fn arbitrary_activation(&mut self, function: FuncId, context: u32) {
        let (outside, changes) = (self.recursion().outside.clone(), self.recursion().changes.memory.clone());
        let mut entry = self.arbitrary_memory(&outside, &outside, &changes);
        let params = self.recursion().params[&function].clone();
        let names = self.named_params(function, &params);
        self.assume_clauses(Anchor::Requires(function), &mut entry, names);
        self.recursion().entry = entry.clone();
        let mut names = self.named_params(function, &params);
        self.add_old_values(function, &entry, &mut names);
        let context = self.encoder.context_of(context, self.edge, u64::MAX - function.0 as u64);
        let Some(end) = self.arbitrary_function(function, params, entry.clone(), context) else { return };
        let result = end.result.clone().unwrap_or_default();
        let recursion = self.recursions.last_mut().expect("a recursive function is being called");
        let pool = &self.encoder.pool;
        recursion.grown |= recursion.changes.memory.grow_memory(pool, &entry, &end);
        for (leaf, value) in result.iter().enumerate() {
            let results = &mut recursion.changes.results;
            if matches!(value, SymbolicValue::Pointer { .. }) {
                recursion.grown |= grow(pool, results, (function, leaf), &[*value]);
            }
        }
        self.withhold_leaks(&entry, &end, "allocation in a recursive function that is not unwound");
        self.add_result(function, &result, &mut names);
        self.check_clauses(Anchor::Ensures(function), &end, names);
    }

    /// A call in an arbitrary activation.
    fn call_inside(&mut self, index: usize, function: FuncId, args: Arguments, state: State) -> Option<State> {
        let recursion = &mut self.recursions[index];
        let pool = &self.encoder.pool;
        let changes = &mut recursion.changes;
        recursion.grown |= changes.memory.grow_memory(pool, &recursion.entry, &state);
        let known = recursion.params.get(&function);
        recursion.grown |= known.is_none();
        changes.called.entry(function).or_insert_with(|| args.clone());
        for (number, leaves) in args.iter().enumerate() {
            for (leaf, value) in leaves.iter().enumerate() {
                let same = known.and_then(|known| known.get(number)?.get(leaf)) == Some(value);
                recursion.grown |= !same && grow(pool, &mut changes.params, (function, number, leaf), &[*value]);
            }
        }
        let entry = recursion.entry.clone();
        self.withhold_leaks(&entry, &state, "allocation in a recursive function that is not unwound");
        self.check_clauses(Anchor::Requires(function), &state, self.named_params(function, &args));
        self.by_contract(index, function, &args, state)
    }

    /// The state after a call, as far as the contract of the function tells.
    fn by_contract(&mut self, index: usize, function: FuncId, args: &Arguments, mut state: State) -> Option<State> {
        let (outside, changes) = (self.recursions[index].outside.clone(), self.recursions[index].changes.clone());
        let mut names = self.named_params(function, args);
        self.add_old_values(function, &state, &mut names);
        let mut after = self.arbitrary_memory(&state, &outside, &changes.memory);
        let ty = result_type(self.program, function).filter(|ty| *ty != TypeId::VOID);
        let mut result = Vec::new();
        if let Some(ty) = ty {
            let Some(accesses) = self.leaf_accesses(ty) else {
                self.poison(&mut state, "copy of a large struct");
                return None;
            };
            for (leaf, (_, access)) in accesses.into_iter().enumerate() {
                let targets = changes.results.get(&(function, leaf)).cloned().unwrap_or_default();
                self.cuts += 1;
                let name = format!("result{}", self.cuts);
                result.push(self.arbitrary_value(&outside, None, &targets, (access.pointer, access.width), &name));
            }
        }
        self.add_result(function, &result, &mut names);
        self.assume_clauses(Anchor::Ensures(function), &mut after, names);
        after.result = ty.is_some().then_some(result);
        (!self.is_dead(&after)).then_some(after)
    }

    /// The parameters of a function as names of its contract.
    fn named_params(&self, function: FuncId, args: &Arguments) -> Names {
        let always = self.encoder.pool.bool(true);
        let params = self.program.functions[function].params.iter().zip(args);
        let scalar = |(param, leaves): (&VarId, &Vec<SymbolicValue>)| {
            let is_scalar = self.program.types.is_scalar(self.program.vars[*param].ty);
            leaves.first().filter(|_| is_scalar).map(|value| (*param, (*value, always)))
        };
        params.filter_map(scalar).collect()
    }

    /// Adds what the contract of a function says of the state in which it is called.
    fn add_old_values(&mut self, function: FuncId, state: &State, names: &mut Names) {
        let ensures = self.candidates_at(Anchor::Ensures(function));
        let old: BTreeSet<VarId> = ensures.iter().flat_map(|one| old_values(self.program, one.expr)).collect();
        for var in old {
            let VarKind::Old(expr) = self.program.vars[var].kind else { continue };
            let outer = std::mem::replace(&mut self.names, names.clone());
            let value = self.defined_value(state, expr);
            self.names = outer;
            names.insert(var, value);
        }
    }

    fn add_result(&mut self, function: FuncId, result: &[SymbolicValue], names: &mut Names) {
        let always = self.encoder.pool.bool(true);
        let name = self.program.vars.iter().find(|(_, var)| var.kind == VarKind::Result(function));
        if let (Some((name, _)), [value]) = (name, result) {
            names.insert(name, (*value, always));
        }
    }

    fn assume_clauses(&mut self, anchor: Anchor, state: &mut State, names: Names) {
        let outer = std::mem::replace(&mut self.names, names);
        self.assume_candidates(state, anchor);
        self.names = outer;
    }

    fn check_clauses(&mut self, anchor: Anchor, state: &State, names: Names) {
        let outer = std::mem::replace(&mut self.names, names);
        self.check_candidates(anchor, state);
        self.names = outer;
    }

    /// What falls off the end of an arbitrary activation returns: anything.
    pub fn missing_result_of_any_call(&mut self, state: &mut State) -> Option<Vec<SymbolicValue>> {
        let (function, call) = (self.activation().function, self.activation().call);
        let ty = result_type(self.program, function).filter(|ty| *ty != TypeId::VOID)?;
        self.unknown_leaves(state, ty, call)
    }
}

/// Recursion does not end by itself.
struct Failed;

/// How much was noted at some time.
#[derive(Clone, Copy)]
pub(crate) struct Noted {
    obligations: usize,
    broken: usize,
    sightings: usize,
    points: usize,
    quantified: usize,
    cuts: u32,
}

impl Run<'_, '_> {
    pub fn noted(&self) -> Noted {
        let out = &self.out;
        Noted {
            obligations: out.obligations.len(),
            broken: out.broken.len(),
            sightings: out.sightings.len(),
            points: out.points.len(),
            quantified: self.quantified.len(),
            cuts: self.cuts,
        }
    }

    /// Forgets what was found since then, since it is looked for once more.
    pub fn forget_since(&mut self, noted: Noted) {
        self.out.obligations.truncate(noted.obligations);
        self.out.broken.truncate(noted.broken);
        self.out.sightings.truncate(noted.sightings);
        self.out.points.truncate(noted.points);
        self.quantified.truncate(noted.quantified);
        self.cuts = noted.cuts;
    }
}

/// What is known about recursive calls from earlier executions.
#[derive(Default)]
pub(crate) struct KnownCalls {
    /// What the activations that a call from outside begins change, by the context of the call.
    changes: FxHashMap<u32, CallChanges>,
    /// Calls, by their contexts, whose recursion does not end by itself.
    deep: rustc_hash::FxHashSet<u32>,
}

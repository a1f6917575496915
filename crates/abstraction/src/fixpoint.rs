//! The fixpoint computation: one abstract state for each location in each context, from below with widening at the heads of loops, then a
//! few rounds from above (narrowing).
//!
//! The terms are those of configurable program analysis (Beyer et al. 2022, section 2.2, after Beyer et al. 2007):
//! the transfer relation is `transfer`, merge joins states of one location and context (but for what `States` keeps apart), stop is inclusion.
//!
//! A context is a chain of calls, so that a function is analysed anew for each place that it is called from, as if it were inlined.
//! Recursive functions, and all functions once there are too many contexts, have one context for all calls.
//!
//! States are recomputed from those of their predecessors, so every round from above is sound by itself: if all states hold before it, they
//! hold after it.

use crate::domains::Thresholds;
use crate::graph::Graph;
use crate::state::{State, States};
use crate::transfer::Transfer;
use base::Budget;
use base::ids::Id;
use cfa::{Body, EdgeId, FuncId, LocId, Op, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Visits of a loop head before its state is widened: short loops are then followed exactly.
const JOINS: u32 = 4;
/// Visits after which thresholds are skipped.
const STEPS: u32 = 24;
const NARROWINGS: usize = 3;
const MAX_CONTEXTS: usize = 400;
const MAX_NODES: usize = 60_000;
const MAX_UPDATES: u64 = 300_000;

pub struct CallContext {
    pub function: FuncId,
    /// Calls that lead here.
    callers: Vec<(usize, EdgeId)>,
    /// Places of the calls in their orders, outermost first.
    path: Vec<u32>,
    pub states: Vec<States>,
    visits: Vec<u32>,
}

pub struct Fixpoint<'a, 'p> {
    program: &'p Program,
    transfer: &'a Transfer<'p>,
    graphs: FxHashMap<FuncId, Graph>,
    recursive: &'a FxHashSet<FuncId>,
    pub contexts: Vec<CallContext>,
    own: FxHashMap<(usize, EdgeId, FuncId), usize>,
    shared: FxHashMap<FuncId, usize>,
    /// Callers come before the functions that they call, but for recursion.
    ranks: FxHashMap<FuncId, u32>,
    nodes: usize,
    queue: BTreeSet<(Vec<u32>, usize, LocId)>,
    thresholds: &'a Thresholds,
    few: Thresholds,
}

/// The budget was used up before the states held.
pub struct OutOfBudget;

impl<'a, 'p> Fixpoint<'a, 'p> {
    pub fn compute(
        transfer: &'a Transfer<'p>,
        graphs: FxHashMap<FuncId, Graph>,
        recursive: &'a FxHashSet<FuncId>,
        thresholds: &'a Thresholds,
        entry: FuncId,
        budget: &Budget,
    ) -> Result<Self, OutOfBudget> {
        let mut fixpoint = Fixpoint {
            program: transfer.context.program,
            transfer,
            graphs,
            recursive,
            contexts: Vec::new(),
            own: FxHashMap::default(),
            shared: FxHashMap::default(),
            ranks: ranks(transfer, entry),
            nodes: 0,
            queue: BTreeSet::new(),
            thresholds,
            few: Thresholds::default(),
        };
        let root = fixpoint.new_context(entry, Vec::new());
        if fixpoint.recursive.contains(&entry) {
            fixpoint.shared.insert(entry, root);
        }
        fixpoint.enqueue(root, fixpoint.graphs[&entry].entry);
        fixpoint.ascend(budget)?;
        fixpoint.descend(budget);
        Ok(fixpoint)
    }

    /// The states of a location that is kept.
    fn kept(&self, context: usize, location: LocId) -> &States {
        let context = &self.contexts[context];
        &context.states[location.index() - self.graphs[&context.function].first]
    }

    /// The states of any location.
    pub fn states(&self, context: usize, location: LocId) -> States {
        let graph = &self.graphs[&self.contexts[context].function];
        let mut edges = Vec::new();
        let mut at = location;
        while let (false, [edge]) = (graph.kept[at.index() - graph.first], &graph.into[at.index() - graph.first][..]) {
            edges.push(*edge);
            at = self.program.edges[*edge].from;
        }
        let start = self.kept(context, at);
        if edges.is_empty() {
            return start.clone();
        }
        let cells = &self.transfer.context.cells.all;
        let mut found = States::default();
        for state in start.iter() {
            let walk = |state: State, edge: &EdgeId| self.transfer.step(state, *edge);
            if let Some(state) = edges.iter().rev().try_fold(state.clone(), walk) {
                found.add(state, cells);
            }
        }
        found
    }

    fn new_context(&mut self, function: FuncId, path: Vec<u32>) -> usize {
        let count = self.graphs[&function].into.len();
        self.nodes += count;
        self.contexts.push(CallContext {
            function,
            callers: Vec::new(),
            path,
            states: vec![States::default(); count],
            visits: vec![0; count],
        });
        self.contexts.len() - 1
    }

    fn key(&self, context: usize, location: LocId) -> (Vec<u32>, usize, LocId) {
        let data = &self.contexts[context];
        let graph = &self.graphs[&data.function];
        let mut path = data.path.clone();
        path.push(graph.order[location.index() - graph.first]);
        (path, context, location)
    }

    fn enqueue(&mut self, context: usize, location: LocId) {
        let key = self.key(context, location);
        self.queue.insert(key);
    }

    fn ascend(&mut self, budget: &Budget) -> Result<(), OutOfBudget> {
        let mut updates = 0u64;
        while let Some((_, context, location)) = self.queue.pop_first() {
            updates += 1;
            if updates > MAX_UPDATES || (updates.is_multiple_of(32) && budget.expired()) {
                return Err(OutOfBudget);
            }
            let mut new = self.pulled(context, location);
            if new.is_empty() {
                continue;
            }
            let function = self.contexts[context].function;
            let graph = &self.graphs[&function];
            let index = location.index() - graph.first;
            let recursive = self.recursive.contains(&function);
            let widens = graph.heads[index] || (recursive && (location == graph.entry || location == graph.exit));
            let data = &mut self.contexts[context];
            data.visits[index] += 1;
            let old = &data.states[index];
            if !old.is_empty() {
                let mut joined = old.clone();
                joined.add_all(new);
                new = joined;
                if widens && data.visits[index] > JOINS {
                    let limits = if data.visits[index] > STEPS { &self.few } else { self.thresholds };
                    new = old.widen(new, limits);
                }
                if new == *old {
                    continue;
                }
            }
            data.states[index] = new;
            self.enqueue_successors(context, location);
        }
        Ok(())
    }

    fn enqueue_successors(&mut self, context: usize, location: LocId) {
        let program = self.program;
        for edge in program.successors(location) {
            for callee in self.defined_callees(edge) {
                let inner = self.callee_context(context, edge, callee);
                let entry = self.graphs[&callee].entry;
                self.enqueue(inner, entry);
            }
        }
        let graph = &self.graphs[&self.contexts[context].function];
        for next in graph.next[location.index() - graph.first].clone() {
            self.enqueue(context, next);
        }
        if location == self.graphs[&self.contexts[context].function].exit {
            for (caller, edge) in self.contexts[context].callers.clone() {
                self.enqueue(caller, program.edges[edge].to);
            }
        }
    }

    fn defined_callees(&self, edge: EdgeId) -> Vec<FuncId> {
        if !matches!(self.program.edges[edge].op, Op::Call { .. }) {
            return Vec::new();
        }
        let called = self.transfer.context.points_to.called(edge).functions;
        called.into_iter().filter(|function| self.graphs.contains_key(function)).collect()
    }

    fn callee_context(&mut self, context: usize, edge: EdgeId, function: FuncId) -> usize {
        if let Some(known) = self.own.get(&(context, edge, function)) {
            return *known;
        }
        let from = self.program.edges[edge].from;
        let path = self.key(context, from).0;
        let too_many = self.contexts.len() >= MAX_CONTEXTS
            || self.nodes + self.graphs[&function].into.len() > MAX_NODES
            || path.len() > 20;
        let inner = if self.recursive.contains(&function) || too_many {
            match self.shared.get(&function) {
                Some(shared) => *shared,
                None => {
                    // After all callers, so that their states are together there before it is analysed.
                    let rank = self.ranks.get(&function).copied().unwrap_or(0);
                    let path = if self.recursive.contains(&function) { path } else { vec![u32::MAX, rank] };
                    let shared = self.new_context(function, path);
                    self.shared.insert(function, shared);
                    shared
                }
            }
        } else {
            self.new_context(function, path)
        };
        self.contexts[inner].callers.push((context, edge));
        self.own.insert((context, edge, function), inner);
        inner
    }

    /// The states of a location, from those before it; none, if no run comes there as far as is known.
    fn pulled(&self, context: usize, location: LocId) -> States {
        let data = &self.contexts[context];
        let graph = &self.graphs[&data.function];
        let cells = &self.transfer.context.cells.all;
        let mut found = States::default();
        let mut add = |state: Option<State>| {
            let Some(mut state) = state else { return };
            state.retain(|cell| {
                let Some(var) = cells[cell as usize].var else { return true };
                let owner = cells[cell as usize].owner;
                let foreign = owner.is_some() && owner != Some(data.function);
                foreign || cells[cell as usize].is_argument || graph.liveness.is_live(location, var)
            });
            found.add(state, cells);
        };
        if location == graph.entry {
            if context == 0 {
                add(Some(self.transfer.initial(data.function)));
            }
            for (caller, edge) in &data.callers {
                for before in self.kept(*caller, self.program.edges[*edge].from).iter() {
                    add(self.transfer.enter(before, *edge, data.function));
                }
            }
        }
        for edge in &graph.into[location.index() - graph.first] {
            let states = self.states(context, self.program.edges[*edge].from);
            if !matches!(self.program.edges[*edge].op, Op::Call { .. }) {
                states.into_iter().for_each(|before| add(self.transfer.step(before, *edge)));
                continue;
            }
            if states.is_empty() {
                continue;
            }
            for function in self.transfer.context.points_to.called(*edge).functions {
                match self.program.functions[function].body {
                    Body::Defined(_) => {
                        let Some(inner) = self.own.get(&(context, *edge, function)) else { continue };
                        for returned in self.kept(*inner, self.graphs[&function].exit).iter() {
                            for before in states.iter() {
                                add(self.transfer.leave(before, returned, *edge, function));
                            }
                        }
                    }
                    Body::Library(_) | Body::Undefined => {
                        states.iter().for_each(|before| add(self.transfer.library_call(before, *edge, function)));
                    }
                }
            }
        }
        found
    }

    fn descend(&mut self, budget: &Budget) {
        let mut nodes = Vec::new();
        for (context, data) in self.contexts.iter().enumerate() {
            let graph = &self.graphs[&data.function];
            let reached = (0..data.states.len()).filter(|index| !data.states[*index].is_empty());
            nodes.extend(reached.map(|index| self.key(context, LocId::from_index(graph.first + index))));
        }
        nodes.sort_unstable();
        for _ in 0..NARROWINGS {
            let mut changed = false;
            for (count, (_, context, location)) in nodes.iter().enumerate() {
                if count % 32 == 0 && budget.expired() {
                    return;
                }
                let new = self.pulled(*context, *location);
                let index = location.index() - self.graphs[&self.contexts[*context].function].first;
                let state = &mut self.contexts[*context].states[index];
                if new != *state {
                    *state = new;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }
}

/// The reverse postorder of the calls.
fn ranks(transfer: &Transfer<'_>, entry: FuncId) -> FxHashMap<FuncId, u32> {
    let program = transfer.context.program;
    let callees = |function: FuncId| -> Vec<FuncId> {
        let edges = program.automaton(function).into_iter().flat_map(|automaton| automaton.edges.clone());
        edges.flat_map(|edge| transfer.context.points_to.called(EdgeId(edge)).functions).collect()
    };
    let mut ranks = FxHashMap::default();
    let mut seen = FxHashSet::default();
    let mut next = u32::MAX - 1;
    let mut stack = vec![(entry, callees(entry), 0)];
    seen.insert(entry);
    while let Some((function, called, at)) = stack.last_mut() {
        let Some(callee) = called.get(*at).copied() else {
            ranks.insert(*function, next);
            next -= 1;
            stack.pop();
            continue;
        };
        *at += 1;
        if seen.insert(callee) {
            stack.push((callee, callees(callee), 0));
        }
    }
    ranks
}

//! The search for a proof: states at loop heads are abstracted and collected until no new ones appear.
//!
//! At a head, variables that are not read any more are forgotten, lists are folded, and states are joined where there are many. It is
//! tried with states as exact as possible first, then with longer runs of nodes before they are folded, then with nodes that
//! alternate, then with more kinds of nodes in a list, then with less exact numbers.

use crate::check::{Place, Shapes, follows_leaks, without_lost};
use crate::cover::covers;
use crate::evaluate::{Machine, Trouble};
use crate::fold::{fold, list_links};
use crate::graph::{Kind, ObjectId};
use crate::join::{MAX_ALTERNATIVES, Numbers, Policy, join_states};
use crate::state::State;
use base::Budget;
use cfa::analysis::PointsTo;
use cfa::analysis::effects::EffectAnalysis;
use cfa::analysis::liveness::Liveness;
use cfa::{FuncId, LocId, Task};
use std::collections::BTreeMap;

/// From so many states at one place on, those are joined that differ in lengths of lists; from so many on that differ only in numbers, these, too;
/// and more are given up.
const JOINED_FROM: usize = 3;
const WIDENED_FROM: usize = 5;
const MAX_STATES: usize = 72;
/// Allocations in one state at a loop head, however many nodes their lists have: more will not be folded.
const MAX_ALLOCATIONS: usize = 16;
/// Edges executed in one attempt.
const MAX_STEPS: u64 = 400_000;

/// Shapes at all loop heads that prove the task; or what is in the way of the last attempt.
pub fn analyze(task: Task<'_>, budget: &Budget) -> Result<Shapes, Trouble> {
    let links = &list_links(task.program);
    let exact = Policy { numbers: Numbers::Cover, alternatives: 1, empty: false, chain: 2, pairs: false, links };
    let attempts = [
        exact,
        Policy { chain: 3, ..exact },
        Policy { pairs: true, ..exact },
        Policy { alternatives: MAX_ALTERNATIVES, empty: true, ..exact },
        Policy { numbers: Numbers::Widen, empty: true, ..exact },
    ];
    let mut first = None;
    for policy in attempts {
        match Analysis::new(task, policy).run(budget) {
            Ok(shapes) => return Ok(shapes),
            // Other abstractions do not help with what is not followed at all.
            Err(trouble @ (Trouble::Unsupported(..) | Trouble::LeftOpen(..))) => return Err(trouble),
            Err(trouble) => first = first.or(Some(trouble)),
        }
        if budget.expired() {
            return Err(Trouble::Limit);
        }
    }
    Err(first.unwrap_or(Trouble::Limit))
}

struct Analysis<'p, 'k> {
    task: Task<'p>,
    machine: Machine<'p>,
    policy: Policy<'k>,
    leaks: bool,
    live: BTreeMap<FuncId, Option<Liveness>>,
    states: BTreeMap<Place, Vec<State>>,
    work: Vec<(LocId, State)>,
    steps: u64,
    /// Whether a state was added since the last time that all were gone through.
    grown: bool,
}

impl<'p, 'k> Analysis<'p, 'k> {
    fn new(task: Task<'p>, policy: Policy<'k>) -> Self {
        let program = task.program;
        let points_to = PointsTo::of(program, task.entry);
        let effects = EffectAnalysis::new(&points_to);
        let live = program.functions.ids().map(|id| (id, Liveness::of(&effects, id, task.entry))).collect();
        Analysis {
            task,
            machine: Machine::new(task),
            policy,
            leaks: follows_leaks(task),
            live,
            states: BTreeMap::new(),
            work: Vec::new(),
            steps: 0,
            grown: false,
        }
    }

    fn run(mut self, budget: &Budget) -> Result<Shapes, Trouble> {
        let (location, state) = self.machine.start(self.task.entry)?;
        let mut round = vec![(location, state)];
        // A state that was replaced by a more general one may have been needed: all are gone through again until none is missing.
        loop {
            self.work = round;
            self.grown = false;
            self.drain(budget)?;
            if !self.grown {
                return Ok(Shapes { states: self.states });
            }
            round = vec![self.machine.start(self.task.entry)?];
            for ((_, head), states) in &self.states {
                let head = *head;
                let cases = states.iter().cloned().map(|state| (head, state));
                round.extend(cases);
            }
            // The states themselves are not to be added again.
            let begun = round.remove(0);
            let given = std::mem::take(&mut round);
            for (head, state) in given {
                let onward = self.step(head, state, budget)?;
                round.extend(onward);
            }
            round.push(begun);
        }
    }

    fn step(&mut self, location: LocId, state: State, budget: &Budget) -> Result<Vec<(LocId, State)>, Trouble> {
        self.steps += 1;
        if self.steps > MAX_STEPS || (self.steps.is_multiple_of(16) && budget.expired()) {
            return Err(Trouble::Limit);
        }
        self.machine.step(location, state)
    }

    fn drain(&mut self, budget: &Budget) -> Result<(), Trouble> {
        while let Some((location, state)) = self.work.pop() {
            let mut state = state;
            if self.task.program.locations[location].loop_head.is_some() {
                match self.arrive(location, state)? {
                    Some(new) => state = new,
                    None => continue,
                }
            }
            let onward = self.step(location, state, budget)?;
            self.work.extend(onward);
        }
        Ok(())
    }

    /// A state at a loop head: the abstract state to go on from, unless one that covers it was there.
    fn arrive(&mut self, head: LocId, mut state: State) -> Result<Option<State>, Trouble> {
        without_lost(&self.machine, &mut state, self.leaks)?;
        let place = (state.calls(), head);
        let known = self.states.entry(place.clone()).or_default();
        if known.iter().any(|one| covers(one, &state, self.leaks)) {
            return Ok(None);
        }
        self.forget_dead(head, &mut state);
        fold(self.task.program, &mut state, self.policy);
        state.drop_lost();
        let known = self.states.get_mut(&place).expect("just made");
        if known.iter().any(|one| covers(one, &state, self.leaks)) {
            return Ok(None);
        }
        let with = |policy: Policy<'_>| {
            let mut joined = known.iter().rev().filter_map(|one| {
                let mut joined = join_states(one, &state, policy)?;
                fold(self.task.program, &mut joined, self.policy);
                joined.drop_lost();
                (covers(&joined, one, self.leaks) && covers(&joined, &state, self.leaks)).then_some(joined)
            });
            (joined.next(), joined.count())
        };
        let mut joined = None;
        if known.len() >= JOINED_FROM {
            joined = with(Policy { numbers: Numbers::Cover, ..self.policy }).0;
        }
        if joined.is_none() && known.len() >= WIDENED_FROM {
            let (widened, others) = with(Policy { numbers: Numbers::Widen, ..self.policy });
            joined = widened.filter(|_| others + 1 >= WIDENED_FROM);
        }
        if let Some(joined) = joined {
            state = joined;
            known.retain(|one| !covers(&state, one, self.leaks));
        }
        let allocations = state.graph.objects.values().filter(|object| object.kind == Kind::Heap).count();
        if known.len() >= MAX_STATES || allocations > MAX_ALLOCATIONS {
            return Err(Trouble::Limit);
        }
        known.push(state.clone());
        self.grown = true;
        Ok(Some(state))
    }

    /// Variables that are not read any more hold anything, unless they are the only ones that lead to an allocation.
    fn forget_dead(&self, head: LocId, state: &mut State) {
        let program = self.task.program;
        let mut at = head;
        let mut dead: Vec<ObjectId> = Vec::new();
        for frame in state.frames.iter().rev() {
            if let Some(Some(live)) = self.live.get(&frame.function) {
                dead.extend(
                    frame.variables.iter().filter(|(var, _)| !live.is_live(at, **var)).map(|(_, object)| *object),
                );
            }
            at = frame.call.map_or(at, |call| program.edges[call].to);
        }
        for id in dead {
            let heap = |state: &State| {
                let lost = state.lost();
                lost.iter().any(|id| state.graph.objects[id].kind == Kind::Heap)
            };
            let mut other = state.clone();
            let object = other.graph.objects.get_mut(&id).expect("a variable lives");
            object.fields.clear();
            object.zero = false;
            if !self.leaks || !heap(&other) {
                *state = other;
            }
        }
        state.drop_lost();
    }
}

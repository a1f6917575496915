//! Executes a region of a function, the whole of it or one round of a loop, from a state at one of its locations to the states at its exits. Paths
//! are merged where they meet; the next round of an inner loop begins when nothing of the present one is pending.

use crate::exec::Run;
use crate::order::{Order, Round};
use crate::rounds::Waiting;
use crate::state::State;
use cfa::{EdgeId, LocId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Where runs leave a region.
#[derive(Default)]
pub(crate) struct Exits {
    /// The states at the exit location of the function: one, unless states are kept apart.
    pub ends: Vec<State>,
    /// Of one round of a loop: the edges that leave the loop, with the states behind them.
    pub left: Vec<(EdgeId, State)>,
    /// Of one round of a loop: the state that comes back to its head.
    pub back: Option<State>,
}

/// What is still to be executed.
struct Pending {
    order: Rc<Order>,
    /// The loop of which one round is executed; `None`: the whole function.
    round: Option<Round>,
    /// States by the position of their location: the first one is next.
    states: BTreeMap<u32, (LocId, Vec<State>)>,
    /// States that came back to an inner loop.
    waiting: Vec<Waiting>,
    exits: Exits,
}

impl Run<'_, '_> {
    /// Executes a function from its entry to its exit.
    pub fn whole_function(&mut self, entry: LocId, exit: LocId, state: State) -> Option<State> {
        let order = self.activation().order.clone();
        let mut state = state;
        self.enter_loops(&order, &[], entry, &mut state);
        let mut ends = self.region(None, entry, Some(exit), state).ends;
        let last = ends.pop();
        self.others = ends;
        last
    }

    /// Executes one round of a loop from a state at its head.
    pub fn one_round(&mut self, round: Round, state: State) -> Exits {
        self.region(Some(round), round.head, None, state)
    }

    fn region(&mut self, round: Option<Round>, start: LocId, exit: Option<LocId>, state: State) -> Exits {
        let order = self.activation().order.clone();
        let states = BTreeMap::from([(order.position(start), (start, vec![state]))]);
        let mut pending = Pending { order, round, states, waiting: Vec::new(), exits: Exits::default() };
        let mut started = false;
        loop {
            if self.out.interrupted {
                return Exits::default();
            }
            if self.begin_next_round(&mut pending) {
                continue;
            }
            let Some((position, location, state)) = self.next_state(&mut pending) else { return pending.exits };
            if Some(location) == exit {
                pending.exits.ends.push(state);
                continue;
            }
            // The head of the loop whose round this is was cut already.
            let first = !std::mem::replace(&mut started, true);
            let entered = if first && round.is_some() { None } else { self.loop_to_cut(&pending.order, location) };
            let next = match entered {
                Some(round) => self.cut_loop(round, state),
                None => self.location(location, state),
            };
            for (edge, state) in next {
                self.arrive(&mut pending, position, edge, state);
            }
        }
    }

    /// The next state, with the position of its location.
    fn next_state(&mut self, pending: &mut Pending) -> Option<(u32, LocId, State)> {
        let mut first = pending.states.first_entry()?;
        let (position, location) = (*first.key(), first.get().0);
        let states = &mut first.get_mut().1;
        let state = states.pop();
        if states.is_empty() {
            first.remove();
        } else {
            self.count_apart(location);
        }
        Some((position, location, state?))
    }

    /// Begins the next round of an inner loop if nothing of the present one is left: inner loops before outer ones.
    fn begin_next_round(&mut self, pending: &mut Pending) -> bool {
        let first = pending.states.first_key_value().map(|(position, _)| *position);
        let inner = pending.waiting.iter().map(|one| one.round).min_by_key(|round| round.last - round.first);
        let Some(round) = inner.filter(|round| first.is_none_or(|first| first > round.last)) else { return false };
        let waiting = std::mem::take(&mut pending.waiting);
        let (begun, others) = waiting.into_iter().partition(|one| one.round == round);
        pending.waiting = others;
        for (location, states) in self.begin_round(round, begun) {
            pending.states.insert(pending.order.position(location), (location, states));
        }
        true
    }

    /// A state gets behind an edge that was executed at a position.
    fn arrive(&mut self, pending: &mut Pending, position: u32, edge: EdgeId, mut state: State) {
        if self.is_dead(&state) {
            return;
        }
        let (location, target) = (self.program.edges[edge].from, self.program.edges[edge].to);
        let to = pending.order.position(target);
        if let Some(round) = pending.round {
            if target == round.head {
                let back = pending.exits.back.take();
                pending.exits.back = Some(self.merge_if(back, state));
                return;
            }
            if !round.contains(to) {
                pending.exits.left.push((edge, state));
                return;
            }
        }
        if to <= position {
            let round = pending.order.round(location, target);
            match pending.waiting.iter_mut().find(|one| one.target == target && one.round == round) {
                None => pending.waiting.push(Waiting { target, round, edge, states: vec![state] }),
                Some(one) => self.join(target, &mut one.states, state),
            }
            return;
        }
        let order = pending.order.clone();
        self.enter_loops(&order, order.loops_around(location), target, &mut state);
        let (_, states) = pending.states.entry(to).or_insert_with(|| (target, Vec::new()));
        self.join(target, states, state);
    }

    pub fn merge_if(&mut self, before: Option<State>, state: State) -> State {
        match before {
            None => state,
            Some(other) => self.merge(other, &state),
        }
    }
}

//! Loops cut at their heads: instead of unwinding a loop, one of its rounds is executed from a state that stands for all states at the head. What a
//! round changes is arbitrary in that state, everything else keeps its value, and the candidates for invariants that are switched on hold.
//!
//! With `k` rounds this is the combined rule of k-induction (Donaldson et al. 2011): the first `k` rounds are executed as they are; then follow, from the
//! arbitrary state, `k` rounds on which nothing goes wrong and which come back, and one round that is looked at. Every round of a run is one of the
//! first `k`, or the last of `k + 1` rounds in a row. So what cannot go wrong here cannot go wrong in the program; the converse does not hold.
//!
//! What a round changes is found by executing it ([`changes`]): as long as the state that comes back differs from the state at the head in a place that
//! is not arbitrary yet, that place becomes arbitrary too and the round is executed again.

use crate::changes::{Changes, Closed};
use crate::exec::Run;
use crate::order::{Order, Round};
use crate::state::State;
use crate::unrolling::ObligationKind;
use crate::value::SymbolicValue;
use cfa::contract::bound_variable;
use cfa::{Anchor, EdgeId, ExprId, LocId, PlaceId, PlaceKind, Program, Property, VarId};
use logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

/// How loops are cut.
#[derive(Clone, Default)]
pub struct Cut {
    /// The `k` of k-induction.
    pub rounds: u32,
    /// Loops that end within so many rounds by tests of constants are unwound.
    pub unwind: u32,
    /// Makes each head a place where executions begin, in a state that has nothing to do with how the head is reached ([`crate::points`]); there are
    /// no rounds then, and candidates are evaluated, but neither assumed nor checked.
    pub flat: bool,
    /// Candidates for invariants and clauses of contracts.
    pub candidates: FxHashMap<Anchor, Vec<GuardedCandidate>>,
    /// The variables of candidates that are about all values of one, by their expressions.
    pub bound: FxHashMap<ExprId, VarId>,
}

impl Cut {
    /// Adds a candidate. False if it speaks about what such a candidate cannot speak about: then it will be neither assumed nor checked.
    #[must_use]
    pub fn add(&mut self, program: &Program, anchor: Anchor, candidate: GuardedCandidate) -> bool {
        let bound = bound_variable(program, candidate.expr);
        // Nothing is known about arrays at points.
        let possible = anchor.can_state(program, candidate.expr) && !(self.flat && bound.is_some());
        if possible {
            self.bound.extend(bound.map(|var| (candidate.expr, var)));
            self.candidates.entry(anchor).or_default().push(candidate);
        }
        possible
    }
}

/// A condition that may hold whenever a run is at a loop head, or a function is called or returns. It is assumed there where its selector holds.
#[derive(Clone, Copy, Debug)]
pub struct GuardedCandidate {
    pub number: u32,
    pub expr: ExprId,
    pub selector: TermId,
}

/// What is known about the loops of a program from earlier executions.
#[derive(Default)]
pub(crate) struct KnownLoops {
    /// What a round changes, by the context and the head.
    pub changes: FxHashMap<(u32, LocId), Changes>,
    /// Loops that constants do not end soon.
    long: FxHashSet<LocId>,
    pub closed: Closed,
}

impl Run<'_, '_> {
    /// The loop to cut at a location, if it heads one.
    pub fn loop_to_cut(&mut self, order: &Order, location: LocId) -> Option<Round> {
        self.encoder.cut.as_ref()?;
        order.loop_at(location)
    }

    /// Executes a loop that was entered: the edges that leave it, with the states behind them.
    pub fn cut_loop(&mut self, round: Round, entry: State) -> Vec<(EdgeId, State)> {
        if let Some(left) = self.unwind_by_constants(round, &entry) {
            return left;
        }
        if self.is_flat() {
            return self.begin_at(round, entry);
        }
        let rounds = self.encoder.cut.as_ref().map_or(0, |cut| cut.rounds);
        let mut left = Vec::new();
        let mut at = entry.clone();
        self.check_candidates(Anchor::Head(round.head), &at);
        for _ in 0..rounds {
            let exits = self.counted_round(round, at);
            left.extend(exits.left);
            let Some(back) = exits.back else { return left };
            at = back;
            self.check_candidates(Anchor::Head(round.head), &at);
        }
        let key = (self.context(), round.head);
        let mut changes = self.encoder.known_loops.changes.remove(&key).unwrap_or_default();
        let counts = self.activation().loops.clone();
        let noted = self.noted();
        loop {
            let mut head = self.arbitrary(&entry, &changes);
            head.guard = at.guard.clone();
            self.assume_candidates(&mut head, Anchor::Head(round.head));
            let (exits, first_back) = self.induction_step(round, head.clone(), rounds);
            let grown = match &first_back {
                Some(back) => changes.grow(&self.encoder.pool, &head, back),
                None => false,
            };
            if !grown || self.out.interrupted {
                left.extend(exits.left);
                if let Some(back) = &exits.back {
                    self.check_candidates(Anchor::Head(round.head), back);
                    self.withhold_leaks(&head, back, "allocation in a loop that is not unwound");
                }
                self.encoder.known_loops.changes.insert(key, changes);
                return left;
            }
            self.forget_since(noted);
            self.activation().loops = counts.clone();
        }
    }

    /// Some rounds on which nothing goes wrong, and one that is looked at; with the state that comes back from the first of them.
    fn induction_step(&mut self, round: Round, head: State, rounds: u32) -> (crate::region::Exits, Option<State>) {
        let assuming = std::mem::replace(&mut self.assuming, true);
        let mut first_back = None;
        let mut at = Some(head);
        for number in 0..rounds {
            let Some(state) = at.take() else { break };
            at = self.counted_round(round, state).back;
            if number == 0 {
                first_back = at.clone();
            }
            if let Some(state) = &mut at {
                self.assume_candidates(state, Anchor::Head(round.head));
            }
        }
        self.assuming = assuming;
        let exits = at.map(|state| self.counted_round(round, state)).unwrap_or_default();
        let first_back = if rounds == 0 { exits.back.clone() } else { first_back };
        (exits, first_back)
    }

    pub fn counted_round(&mut self, round: Round, state: State) -> crate::region::Exits {
        let exits = self.one_round(round, state);
        self.activation().loops.entry(round.head).or_default().iterations += 1;
        exits
    }

    /// Unwinds a loop whose rounds end by tests of constants, as long as there are few; otherwise nothing has happened.
    fn unwind_by_constants(&mut self, round: Round, entry: &State) -> Option<Vec<(EdgeId, State)>> {
        let most = self.encoder.cut.as_ref().map_or(0, |cut| cut.unwind);
        if most == 0 || self.encoder.known_loops.long.contains(&round.head) {
            return None;
        }
        let counts = self.activation().loops.clone();
        let noted = self.noted();
        let mut left = Vec::new();
        let mut at = entry.clone();
        for _ in 0..most {
            self.check_candidates(Anchor::Head(round.head), &at);
            let splits = self.splits;
            let exits = self.counted_round(round, at);
            left.extend(exits.left);
            let Some(back) = exits.back else { return Some(left) };
            let decided = self.activation().loops.get(&round.head).is_some_and(|count| count.decided);
            let few = self.activation().loops.get(&round.head).is_some_and(|count| count.iterations <= 16);
            if !decided || (splits != self.splits && !few) || self.out.interrupted {
                break;
            }
            at = back;
        }
        self.encoder.known_loops.long.insert(round.head);
        self.forget_since(noted);
        self.activation().loops = counts;
        None
    }

    /// Goes on only where the candidates hold that are switched on, or cannot be evaluated as in the program.
    pub fn assume_candidates(&mut self, state: &mut State, anchor: Anchor) {
        for candidate in self.candidates_at(anchor) {
            let (holds, unclear) = self.candidate_holds(state, candidate.expr);
            let holds = self.pool().or(holds, unclear);
            let holds = self.pool().implies(candidate.selector, holds);
            state.guard = state.guard.and(self.pool(), holds);
        }
        self.remember_quantified(state, anchor);
    }

    /// Notes when each candidate does not hold.
    pub fn check_candidates(&mut self, anchor: Anchor, state: &State) {
        if self.assuming {
            return;
        }
        for candidate in self.candidates_at(anchor) {
            let (holds, _) = self.candidate_holds(state, candidate.expr);
            let fails = self.pool().not(holds);
            let guard = state.guard.term(self.pool());
            let fails = self.pool().and(guard, fails);
            if self.pool().as_bool(fails) != Some(false) {
                self.out.broken.push((candidate.number, fails));
            }
        }
    }

    pub fn candidates_at(&self, anchor: Anchor) -> Vec<GuardedCandidate> {
        self.candidates_of(anchor).cloned().unwrap_or_default()
    }

    pub fn candidates_of(&self, anchor: Anchor) -> Option<&Vec<GuardedCandidate>> {
        match &self.encoder.cut {
            Some(cut) => cut.candidates.get(&anchor),
            None => self.encoder.stated.get(&anchor),
        }
    }

    /// What a variable stands for in the contract that is evaluated, and when that has a value.
    pub fn value_of_name(&self, place: PlaceId) -> Option<(SymbolicValue, TermId)> {
        if self.names.is_empty() {
            return None;
        }
        match self.program.places[place].kind {
            PlaceKind::Var(var) => self.names.get(&var).copied(),
            _ => None,
        }
    }

    /// Whether an expression over the variables of the running function has a value in C, and it is not zero.
    pub fn holds(&mut self, state: &State, expr: ExprId) -> TermId {
        self.evaluation(state, expr).0
    }

    /// Whether a candidate holds, of one about all values of a variable: for any value; and when that is not known.
    fn candidate_holds(&mut self, state: &State, expr: ExprId) -> (TermId, TermId) {
        match self.bound_variable(expr) {
            None => self.evaluation(state, expr),
            Some(var) => {
                let any = self.any_value(var);
                self.holds_for(state, expr, var, any)
            }
        }
    }

    /// The same, and when that is not known.
    pub fn evaluation(&mut self, state: &State, expr: ExprId) -> (TermId, TermId) {
        let (truth, defined, unclear) = self.evaluated(state, |run, copy| run.condition(copy, expr));
        (self.pool().and(truth, defined), unclear)
    }

    /// The value of such an expression, and when it has one.
    pub fn defined_value(&mut self, state: &State, expr: ExprId) -> (SymbolicValue, TermId) {
        let (value, defined, _) = self.evaluated(state, |run, copy| run.value(copy, expr));
        (value, defined)
    }

    /// What is evaluated, when it has a value, and when that is not known.
    fn evaluated<T>(
        &mut self,
        state: &State,
        evaluate: impl FnOnce(&mut Self, &mut State) -> T,
    ) -> (T, TermId, TermId) {
        let (noted, fills) = (self.out.obligations.len(), self.out.fills.len());
        let asked = self.properties;
        self.properties = asked.with(Property::NoOverflow).with(Property::ShiftRange);
        // Where `assuming` is set, not everything would be noted.
        let assuming = std::mem::replace(&mut self.assuming, false);
        let mut copy = state.clone();
        let value = evaluate(self, &mut copy);
        self.assuming = assuming;
        self.properties = asked;
        // An access that is not modelled, or whose value is left open, has no value to rely on.
        let open = self.out.obligations.split_off(noted.min(self.out.obligations.len()));
        let mut all = vec![copy.guard.term(self.pool())];
        let mut unclear = self.pool().bool(false);
        for obligation in open {
            if obligation.kind.may_be_spurious() {
                unclear = self.pool().or(unclear, obligation.cond);
            }
            if !matches!(obligation.kind, ObligationKind::Violation(..)) {
                let not = self.pool().not(obligation.cond);
                all.push(not);
            }
        }
        // A run that is replayed is not given the contents of memory that only a contract reads.
        if self.encoder.cut.is_none() && self.out.fills.len() > fills {
            self.forget_fills(fills);
            all.push(self.encoder.pool.bool(false));
        }
        // The guard holds where this is asked: what remains is whether the evaluation adds to it.
        (value, self.pool().and_all(&all), unclear)
    }

    /// Allocations of earlier rounds are not in the arbitrary state: whether they are lost cannot be told.
    pub fn withhold_leaks(&mut self, head: &State, back: &State, what: &str) {
        let asked = self.properties;
        if self.assuming || !(asked.contains(Property::ValidMemtrack) || asked.contains(Property::ValidMemcleanup)) {
            return;
        }
        for id in back.memory.ids().collect::<Vec<_>>() {
            let Some(object) = back.memory.get(id).filter(|object| object.heap && head.memory.get(id).is_none()) else {
                continue;
            };
            let alive = object.alive;
            let guard = back.guard.term(self.pool());
            let cond = self.pool().and(guard, alive);
            self.withhold_proof(ObligationKind::Poison(what.into()), cond);
        }
    }
}

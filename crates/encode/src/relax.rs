//! Executions in which some edges may do something else than they say.

use crate::exec::Run;
use crate::state::State;
use crate::value::SymbolicValue;
use cfa::EdgeId;
use logic::TermId;
use rustc_hash::FxHashMap;

/// Edges that may do something else than they say, each when its selector holds: what they assign, return or pass is then arbitrary, and so is which
/// way they branch. That is how a change of the source at that place would look from outside.
#[derive(Clone, Default)]
pub struct Relaxation {
    pub selectors: FxHashMap<EdgeId, TermId>,
    /// Tells the arbitrary values of several executions apart.
    pub copy: u32,
    /// Inputs that are known, by the names that executions give them.
    pub known: FxHashMap<TermId, u128>,
}

impl Run<'_, '_> {
    /// A value of the present edge, arbitrary where its selector holds. Pointers stay: an arbitrary one would belong to no object.
    pub fn relax(&mut self, state: &State, value: SymbolicValue) -> SymbolicValue {
        match value {
            SymbolicValue::Bits(term) => SymbolicValue::Bits(self.relax_term(state, term)),
            SymbolicValue::Pointer { .. } => value,
        }
    }

    /// Whether the result of the present edge is unconstrained when its selector holds.
    pub fn is_relaxed(&self) -> bool {
        self.encoder.relaxation.as_ref().is_some_and(|relaxation| relaxation.selectors.contains_key(&self.edge))
    }

    pub fn relax_term(&mut self, state: &State, term: TermId) -> TermId {
        let Some(relaxation) = &self.encoder.relaxation else { return term };
        let Some(selector) = relaxation.selectors.get(&self.edge).copied() else { return term };
        let name = format!("relaxed{}.{}", relaxation.copy, self.relaxed);
        self.relaxed += 1;
        let sort = self.pool().sort(term);
        let other = self.pool().var(&name, sort);
        let guard = state.guard.term(self.pool());
        let differs = self.pool().eq(other, term);
        let differs = self.pool().not(differs);
        let differs = self.pool().and(guard, differs);
        self.out.relaxed.push((self.edge, differs));
        self.pool().ite(selector, other, term)
    }
}

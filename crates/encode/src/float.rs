//! Floating point.

use crate::exec::Run;
use crate::state::State;
use crate::value::Value;
use cfa::library::LibFn;
use cfa::{BinOp, TypeId};
use logic::TermId;

impl Run<'_, '_> {
    pub fn float_is_zero(&mut self, term: TermId, _ty: TypeId) -> TermId {
        let width = self.pool().width(term);
        let magnitude = self.pool().extract(term, width - 2, 0);
        let zero = self.pool().bv(width - 1, 0);
        self.pool().eq(magnitude, zero)
    }

    pub fn float_compare(&mut self, state: &mut State, _op: BinOp, _ty: TypeId, _a: TermId, _b: TermId) -> TermId {
        self.poison(state, "floating point");
        self.pool().bool(false)
    }

    pub fn float_negate(&mut self, state: &mut State, _ty: TypeId, term: TermId) -> TermId {
        self.poison(state, "floating point");
        term
    }

    pub fn float_arithmetic(&mut self, state: &mut State, _op: BinOp, _ty: TypeId, a: TermId, _b: TermId) -> TermId {
        self.poison(state, "floating point");
        a
    }

    pub fn float_cast(&mut self, state: &mut State, _term: TermId, _from: TypeId, to: TypeId) -> TermId {
        self.poison(state, "floating point");
        let width = self.program.types.scalar_bits(to);
        self.pool().bv(width, 0)
    }

    pub fn float_library(&mut self, _state: &mut State, _meaning: LibFn, _values: &[Value]) -> Option<Value> {
        None
    }
}

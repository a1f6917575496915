//! Values that do not come from the program: inputs, uninitialized memory, and what C leaves open.

use crate::address::{is_small, smallest};
use crate::exec::Run;
use crate::mode::Supply;
use crate::state::State;
use crate::unrolling::{EventKind, InputPlace, Obligation, ObligationKind, SymbolicInput};
use crate::value::{OBJECT_BITS, OFFSET_BITS, SymbolicValue};
use cfa::TypeId;
use logic::TermId;

impl Run<'_, '_> {
    /// An input of a type.
    pub fn input(&mut self, state: &mut State, ty: TypeId, source: InputPlace) -> SymbolicValue {
        let always = self.pool().bool(true);
        self.input_part(state, ty, source, 0, always)
    }

    /// One of several inputs that one edge asks for, where `cond` holds.
    pub fn input_part(
        &mut self,
        state: &mut State,
        ty: TypeId,
        source: InputPlace,
        part: u32,
        cond: TermId,
    ) -> SymbolicValue {
        let name = match source {
            InputPlace::Edge(_) if part > 0 => format!("{}/{part}", self.fresh_name("input")),
            InputPlace::Edge(_) => self.fresh_name("input"),
            InputPlace::Param(var, leaf) => format!("param@{var}.{leaf}"),
        };
        let width = self.program.types.scalar_bits(ty);
        let pointer = self.program.types.is_pointer(ty);
        let asked = self.asked.entry(name.clone()).or_insert(0);
        *asked += 1;
        let name = if *asked > 1 { format!("{name}#{asked}") } else { name };
        let mut term = self.encoder.input_var(name, width);
        if let Some(known) = self.encoder.relaxation.as_ref().and_then(|relaxation| relaxation.known.get(&term)) {
            let known = *known;
            term = self.pool().bv(width, known);
        }
        // Without the condition the interpreter does not ask.
        let supply = match self.happens(cond) {
            true => self.mode.input(self.program, &self.encoder.pool, (self.edge, source, ty), term),
            false => Supply::Known,
        };
        self.out.interrupted |= supply == Supply::Exhausted;
        if supply != Supply::Unknown {
            return if pointer { self.pointer_input(term) } else { SymbolicValue::Bits(term) };
        }
        let guard = state.guard.term(self.pool());
        let guard = self.pool().and(guard, cond);
        self.out.inputs.push(SymbolicInput { source, ty, guard, term });
        self.note_event_of(state, source, EventKind::Input, Some((ty, SymbolicValue::Bits(term))));
        if !pointer {
            return SymbolicValue::Bits(term);
        }
        self.note_foreign_pointer(guard);
        let no_object = is_small(self.pool(), term);
        let no_object = self.pool().implies(cond, no_object);
        self.assume(state, no_object);
        self.pointer_input(term)
    }

    /// A pointer from outside might also point to an object of the program, which is not explored: runs go on, but nothing is proved by them.
    pub fn note_foreign_pointer(&mut self, guard: TermId) {
        self.withhold_proof(ObligationKind::Poison("pointer from outside the program".into()), guard);
    }

    /// C leaves open what happens where `cond` holds: runs go on in one of the ways, but nothing is proved by them.
    pub fn left_open(&mut self, state: &State, what: &str, cond: TermId) {
        if self.pool().as_bool(cond) == Some(false) {
            return;
        }
        let guard = state.guard.term(self.pool());
        let cond = self.pool().and(guard, cond);
        self.withhold_proof(ObligationKind::LeftOpen(what.into()), cond);
    }

    pub fn withhold_proof(&mut self, kind: ObligationKind, cond: TermId) {
        if !self.mode.explores_open() || self.assuming || self.pool().as_bool(cond) == Some(false) {
            return;
        }
        let events_before = self.out.events.len();
        self.out.obligations.push(Obligation { kind, edge: self.edge, cond, events_before });
    }

    /// An uninitialized value, as a number and as a value: a pointer belongs to no object.
    pub fn uninitialized_value(&mut self, term: TermId, pointer: bool) -> (TermId, SymbolicValue) {
        if !pointer {
            return (term, SymbolicValue::Bits(term));
        }
        let term = smallest(self.pool(), term);
        (term, self.pointer_input(term))
    }

    /// An arbitrary pointer, taken as null or as one that belongs to no object.
    fn pointer_input(&mut self, term: TermId) -> SymbolicValue {
        let object = self.pool().bv(OBJECT_BITS, 0);
        let offset = self.pool().resize_signed(term, OFFSET_BITS);
        SymbolicValue::Pointer { object, offset }
    }
}

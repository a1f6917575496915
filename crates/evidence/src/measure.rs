//! The length of a run and the sum of its values: what counterexample minimization minimizes (Groce and Kroening 2005, section 4).

use crate::shown::{Gives, gives};
use cfa::interp::Event;
use cfa::{Bits, Program, TypeId, eval};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Measure {
    /// Steps that give something a value: inputs, declarations, assignments.
    pub length: u64,
    /// The absolute values of the integers that they give, added up.
    pub sum: u128,
}

impl Measure {
    pub fn count(&mut self, program: &Program, event: &Event<'_>) {
        match *event {
            Event::Input(input) => self.add(program, Some((input.request.ty, input.bits))),
            Event::Edge { edge, value } => match gives(program, edge) {
                Some(Gives::Declaration) => self.add(program, None),
                Some(Gives::Assignment) => self.add(program, value),
                // Counted when it was read.
                Some(Gives::Input) | None => {}
            },
            Event::Enter { .. } | Event::Leave { .. } => {}
        }
    }

    fn add(&mut self, program: &Program, value: Option<(TypeId, Bits)>) {
        self.length += 1;
        if let Some((ty, bits)) = value
            && matches!(program.types.get(ty), cfa::Type::Int(_))
        {
            self.sum = self.sum.saturating_add(eval::to_i128(&program.types, ty, bits).unsigned_abs());
        }
    }
}

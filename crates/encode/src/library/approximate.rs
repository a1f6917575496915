//! Functions of `math.h` that libraries compute differently in the last places ([`Approximate`]): the result is any number near that of the system's
//! library if the arguments are known, and any number otherwise; what is known of it then is said in C, where they are called.
//!
//! The interpreter has the result of the system's library. A violation that it does not show is none, so runs that are to be replayed have that
//! result: for arguments that are known, or that are one of some samples.

use super::Invocation;
use crate::exec::Run;
use crate::float::float;
use crate::state::State;
use crate::value::SymbolicValue;
use cfa::library::Approximate;
use cfa::{Bits, FloatKind};
use logic::TermId;

/// Arguments with which violations are looked for, …
const SAMPLES: [f64; 12] = [1.0, 0.5, 2.0, -1.0, -0.5, 3.0, 10.0, -2.0, 0.25, 100.0, -10.0, 1.5];
/// … of functions of two: the first of them.
const PAIRS: usize = 6;

fn encoded(kind: FloatKind, sample: f64) -> Bits {
    Bits::new(match kind {
        FloatKind::Float => (sample as f32).to_bits() as u128,
        _ => sample.to_bits() as u128,
    })
}

impl Run<'_, '_> {
    /// `None` for arguments of another type.
    pub(super) fn approximate(
        &mut self,
        state: &mut State,
        call: &Invocation,
        function: Approximate,
        kind: FloatKind,
    ) -> Option<SymbolicValue> {
        let format = float(kind);
        let width = format.format.width();
        let operands: Vec<TermId> = (0..function.arity()).map(|index| call.number(index)).collect::<Option<_>>()?;
        if operands.iter().any(|operand| self.pool().width(*operand) != width) {
            return None;
        }
        let known: Option<Vec<Bits>> = (operands.iter())
            .map(|operand| self.pool().as_u64(*operand).map(|number| Bits::new(number as u128)))
            .collect();
        let result_of =
            |operands: &[Bits]| function.of_system(kind, operands[0], operands.get(1).copied().unwrap_or(Bits::ZERO));
        if let Some(known) = known {
            let exact = result_of(&known)?;
            let (low, high) = Approximate::around(kind, exact);
            let [exact, low, high] = [exact, low, high].map(|bits| self.pool().bv(width, bits.get()));
            if low == high || !self.mode.explores_open() {
                return Some(SymbolicValue::Bits(exact));
            }
            let result = self.any_number(width);
            let above = format.le(self.pool(), low, result);
            let below = format.le(self.pool(), result, high);
            let near = self.pool().and(above, below);
            self.assume(state, near);
            let same = self.pool().eq(result, exact);
            self.require_for_replay(same);
            return Some(SymbolicValue::Bits(result));
        }
        // One run has one result, which depends on arguments that are not numbers here.
        if !self.mode.explores_open() {
            return None;
        }
        let result = self.any_number(width);
        let mut cases = Vec::new();
        let (first, second) = match function.arity() {
            1 => (&SAMPLES[..], &SAMPLES[..1]),
            _ => (&SAMPLES[..PAIRS], &SAMPLES[..PAIRS]),
        };
        for (x, y) in first.iter().flat_map(|x| second.iter().map(move |y| (*x, *y))) {
            let sample = [encoded(kind, x), encoded(kind, y)];
            let value = result_of(&sample)?;
            let value = self.pool().bv(width, value.get());
            let mut case = self.pool().eq(result, value);
            for (operand, sample) in operands.iter().zip(sample) {
                let sample = self.pool().bv(width, sample.get());
                let is_sample = self.pool().eq(*operand, sample);
                case = self.pool().and(case, is_sample);
            }
            cases.push(case);
        }
        let guard = state.guard.term(self.pool());
        let mut replays = self.pool().not(guard);
        for case in cases {
            replays = self.pool().or(replays, case);
        }
        self.require_for_replay(replays);
        Some(SymbolicValue::Bits(result))
    }

    fn any_number(&mut self, width: u32) -> TermId {
        let name = self.fresh_name("approximate");
        self.pool().bv_var(&name, width)
    }
}

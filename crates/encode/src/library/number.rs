//! Numbers in text: `atoi` and its relatives.

use super::bytes::Text;
use super::{Answer, Invocation};
use crate::exec::Run;
use crate::state::State;
use crate::value::SymbolicValue;
use cfa::IntKind;
use cfa::library::LibFn;
use logic::TermId;

/// What reading a number has seen so far, each as a Boolean; exactly one holds.
struct Phase {
    spaces: TermId,
    /// Behind the sign, or behind the first digit.
    digits: TermId,
}

struct Number {
    value: TermId,
    /// Whether the number is none of its type; the value is then the one next to it.
    overflow: TermId,
}

impl Run<'_, '_> {
    pub(super) fn parse_integer(&mut self, state: &mut State, call: &mut Invocation, meaning: LibFn) -> Option<Answer> {
        match meaning {
            // As glibc: through `long`, so that `atoi` of too much truncates.
            LibFn::Atoi(kind) => {
                let text = self.string_at(state, call, call.pointer(0)?);
                let number = self.integer_in(&text, 10, kind);
                self.misuse(state, number.overflow);
                Some(Answer::SymbolicValue(SymbolicValue::Bits(number.value)))
            }
            _ => None,
        }
    }

    fn integer_in(&mut self, text: &Text, base: u128, kind: IntKind) -> Number {
        let width = self.int_bits(kind);
        // Room for one more digit than fits.
        let wide = width + 7;
        let yes = self.pool().bool(true);
        let no = self.pool().bool(false);
        let mut phase = Phase { spaces: yes, digits: no };
        let mut negative = no;
        let mut value = self.pool().bv(wide, 0);
        let cap = self.pool().bv(wide, 1 << width);
        for (byte, inside) in text.bytes.iter().zip(&text.inside) {
            let (digit, is_digit) = self.digit(*byte, base, wide);
            let is_space = self.is_one_of(*byte, b"\t\n\x0b\x0c\r ");
            let is_minus = self.is_one_of(*byte, b"-");
            let is_sign = self.is_one_of(*byte, b"+-");
            let active = self.pool().or(phase.spaces, phase.digits);
            let takes = self.pool().and_all(&[*inside, active, is_digit]);
            let factor = self.pool().bv(wide, base);
            let more = self.pool().bv_mul(value, factor);
            let more = self.pool().bv_add(more, digit);
            let too_large = self.pool().ult(cap, more);
            let more = self.pool().ite(too_large, cap, more);
            value = self.pool().ite(takes, more, value);
            let sign = self.pool().and_all(&[*inside, phase.spaces, is_sign]);
            let minus = self.pool().and(sign, is_minus);
            negative = self.pool().or(negative, minus);
            let spaces = self.pool().and_all(&[*inside, phase.spaces, is_space]);
            phase = Phase { spaces, digits: self.pool().or(takes, sign) };
        }
        let one = self.pool().bv(wide, 1);
        let most = match kind.is_signed() {
            true => {
                let (plain, lower) =
                    (self.pool().bv(wide, (1 << (width - 1)) - 1), self.pool().bv(wide, 1 << (width - 1)));
                self.pool().ite(negative, lower, plain)
            }
            false => self.pool().bv_sub(cap, one),
        };
        let overflow = self.pool().ult(most, value);
        let value = self.pool().ite(overflow, most, value);
        let negated = self.pool().bv_neg(value);
        let negate = match kind.is_signed() {
            true => negative,
            false => {
                let fits = self.pool().not(overflow);
                self.pool().and(negative, fits)
            }
        };
        let value = self.pool().ite(negate, negated, value);
        let value = self.pool().extract(value, width - 1, 0);
        Number { value, overflow }
    }

    fn is_one_of(&mut self, byte: TermId, set: &[u8]) -> TermId {
        let mut hits = Vec::new();
        for member in set {
            let member = self.pool().bv(8, *member as u128);
            hits.push(self.pool().eq(byte, member));
        }
        self.pool().or_all(&hits)
    }

    /// The value of a digit, and whether it is one.
    fn digit(&mut self, byte: TermId, base: u128, wide: u32) -> (TermId, TermId) {
        let mut value = self.pool().bv(wide, 0);
        let mut hits = Vec::new();
        for (start, low, high) in [(b'0', 0, base.min(10)), (b'a', 10, base), (b'A', 10, base)] {
            if low >= high {
                continue;
            }
            let first = self.pool().bv(8, start as u128);
            let distance = self.pool().bv_sub(byte, first);
            let count = self.pool().bv(8, high - low);
            let hit = self.pool().ult(distance, count);
            let (distance, low) = (self.pool().zext(distance, wide), self.pool().bv(wide, low));
            let here = self.pool().bv_add(distance, low);
            value = self.pool().ite(hit, here, value);
            hits.push(hit);
        }
        (value, self.pool().or_all(&hits))
    }
}

//! Characters (`ctype.h`) and bits (gcc's built-ins).

use crate::exec::Run;
use crate::state::State;
use cfa::IntKind;
use cfa::library::{BitCount, CHARACTERS, Ctype, ctype_classes};
use logic::TermId;

impl Run<'_, '_> {
    /// A function of a byte, as a choice over the ranges on which it is constant, or the value plus a constant.
    fn by_ranges(&mut self, value: TermId, of: impl Fn(u8) -> i32, other: TermId) -> TermId {
        let width = self.pool().width(value);
        let mut result = other;
        let mut start = 0u32;
        while start < 256 {
            let image = of(start as u8);
            let mut end = start;
            while end < 255 && of(end as u8 + 1) == image {
                end += 1;
            }
            let inside = self.is_between(value, start, end);
            let image = self.pool().bv_signed(width, image as i128);
            result = self.pool().ite(inside, image, result);
            start = end + 1;
        }
        result
    }

    fn is_between(&mut self, value: TermId, low: u32, high: u32) -> TermId {
        let width = self.pool().width(value);
        let (low, high) = (self.pool().bv(width, low as u128), self.pool().bv(width, high as u128));
        let (above, below) = (self.pool().ule(low, value), self.pool().ule(value, high));
        self.pool().and(above, below)
    }

    /// glibc's bit of the class; 0 outside 0 to 255. `None` for an argument that is no `int`.
    pub(super) fn ctype(&mut self, class: Ctype, value: TermId) -> Option<TermId> {
        if self.pool().width(value) != 32 {
            return None;
        }
        let zero = self.pool().bv(32, 0);
        Some(match class.mask() {
            Some(mask) => self.by_ranges(value, |byte| (ctype_classes(byte) & mask) as i32, zero),
            None if class == Ctype::Ascii => {
                let is_ascii = self.is_between(value, 0, 0x7f);
                self.pool().bool_to_bv(is_ascii, 32)
            }
            None => {
                let mask = self.pool().bv(32, 0x7f);
                self.pool().bv_and(value, mask)
            }
        })
    }

    /// The argument of a function of `ctype.h`; others than these are misuse.
    pub(super) fn character(&mut self, state: &mut State, value: TermId) {
        let width = self.pool().width(value);
        let [first, last] = [*CHARACTERS.start(), *CHARACTERS.end()].map(|at| self.pool().bv_signed(width, at as i128));
        let (below, above) = (self.pool().slt(value, first), self.pool().slt(last, value));
        let outside = self.pool().or(below, above);
        self.misuse(state, outside);
    }

    pub(super) fn changed_case(&mut self, value: TermId, change: impl Fn(u8) -> u8) -> Option<TermId> {
        if self.pool().width(value) != 32 {
            return None;
        }
        let shift = |byte: u8| change(byte) as i32 - byte as i32;
        let zero = self.pool().bv(32, 0);
        let distance = self.by_ranges(value, shift, zero);
        Some(self.pool().bv_add(value, distance))
    }

    /// A byte in lower case.
    pub(super) fn folded(&mut self, byte: TermId) -> TermId {
        let shift = |byte: u8| byte.to_ascii_lowercase() as i32 - byte as i32;
        let zero = self.pool().bv(8, 0);
        let distance = self.by_ranges(byte, shift, zero);
        self.pool().bv_add(byte, distance)
    }

    pub(super) fn bswap(&mut self, value: TermId, width: u32) -> TermId {
        let value = self.pool().resize_unsigned(value, width);
        let mut result = self.pool().extract(value, 7, 0);
        for byte in 1..width / 8 {
            let piece = self.pool().extract(value, byte * 8 + 7, byte * 8);
            result = self.pool().concat(result, piece);
        }
        result
    }

    pub(super) fn bit_count(&mut self, state: &mut State, value: TermId, count: BitCount, kind: IntKind) -> TermId {
        let width = self.int_bits(kind);
        let value = self.pool().resize_unsigned(value, width);
        if matches!(count, BitCount::Clz | BitCount::Ctz) {
            let zero = self.pool().bv(width, 0);
            let undefined = self.pool().eq(value, zero);
            self.misuse(state, undefined);
        }
        let bits: Vec<TermId> = (0..width).map(|index| self.pool().bit(value, index)).collect();
        match count {
            BitCount::Clz => self.position(bits.iter().rev(), width),
            BitCount::Ctz => self.position(bits.iter(), width),
            BitCount::Ffs => {
                let zero = self.pool().bv(32, 0);
                let one = self.pool().bv(32, 1);
                let at = self.position(bits.iter(), width);
                let next = self.pool().bv_add(at, one);
                let none = self.pool().bv(width, 0);
                let none = self.pool().eq(value, none);
                self.pool().ite(none, zero, next)
            }
            BitCount::Popcount | BitCount::Parity => {
                let mut sum = self.pool().bv(32, 0);
                for bit in bits {
                    let bit = self.as_number(bit);
                    sum = self.pool().bv_add(sum, bit);
                }
                let one = self.pool().bv(32, 1);
                if count == BitCount::Parity { self.pool().bv_and(sum, one) } else { sum }
            }
            BitCount::Clrsb => {
                // How many bits below the sign equal it.
                let sign = bits[width as usize - 1];
                let differs: Vec<TermId> =
                    bits[..width as usize - 1].iter().rev().map(|bit| self.pool().ne(*bit, sign)).collect();
                self.position(differs.iter(), width - 1)
            }
        }
    }

    fn as_number(&mut self, bit: TermId) -> TermId {
        let bit = self.truth_of_bit(bit);
        self.pool().bool_to_bv(bit, 32)
    }

    /// One bit, or a Boolean, as a Boolean.
    fn truth_of_bit(&mut self, bit: TermId) -> TermId {
        match self.pool().sort(bit) {
            logic::Sort::Bool => bit,
            _ => self.pool().bv_to_bool(bit),
        }
    }

    /// The number of the first bit that is set.
    fn position<'b>(
        &mut self,
        bits: impl DoubleEndedIterator<Item = &'b TermId> + ExactSizeIterator,
        none: u32,
    ) -> TermId {
        let mut result = self.pool().bv(32, none as u128);
        for (at, bit) in bits.enumerate().rev() {
            let at = self.pool().bv(32, at as u128);
            let bit = self.truth_of_bit(*bit);
            result = self.pool().ite(bit, at, result);
        }
        result
    }
}

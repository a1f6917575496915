//! Concatenation, extraction, extension, shifts and rotations: what only moves bits becomes `Concat` and `Extract`.

use crate::bits::Bits;
use crate::pool::TermPool;
use crate::term::{Sort, TermId, TermOp};

impl TermPool {
    /// `high` above `low`.
    pub fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        // Right-nested: hang the parts of `high` before `low`, last part first.
        let mut parts = smallvec::SmallVec::<[TermId; 8]>::new();
        let mut rest = high;
        while let Some((first, others)) = self.binary(rest, TermOp::Concat) {
            parts.push(first);
            rest = others;
        }
        let mut result = self.concat_two(rest, low);
        while let Some(part) = parts.pop() {
            result = self.concat_two(part, result);
        }
        result
    }

    /// `high` is not a concatenation.
    fn concat_two(&mut self, high: TermId, low: TermId) -> TermId {
        if let Some((first, rest)) = self.binary(low, TermOp::Concat) {
            if let Some(merged) = self.merged(high, first) {
                return self.concat_two(merged, rest);
            }
        } else if let Some(merged) = self.merged(high, low) {
            return merged;
        }
        let sort = Sort::BitVec(self.width(high) + self.width(low)).pack();
        self.raw(TermOp::Concat, sort, [high, low, TermId(0)])
    }

    /// One term for two neighbours that are not concatenations: constants, adjacent slices, choices by one condition.
    fn merged(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        if let Some(value) = self.fold(high, low, Bits::concat) {
            return Some(value);
        }
        if let (Some(x), Some(y)) = (self.unary(high, TermOp::Extract), self.unary(low, TermOp::Extract))
            && x == y
        {
            let ((top, cut), (below, bottom)) = (self.extract_range(high), self.extract_range(low));
            return (cut == below + 1).then(|| self.extract(x, top, bottom));
        }
        let choice = |pool: &Self, t: TermId| match pool.constant_choice(t) {
            Some(choice) => Some((Some(choice.0), choice.1, choice.2)),
            None => (pool.op(t) == TermOp::Const).then_some((None, t, t)),
        };
        let (c1, t1, e1) = choice(self, high)?;
        let (c2, t2, e2) = choice(self, low)?;
        let condition = match (c1, c2) {
            (Some(c1), Some(c2)) if c1 == c2 => c1,
            (Some(c), None) | (None, Some(c)) => c,
            _ => return None,
        };
        let (t, e) = (self.fold(t1, t2, Bits::concat)?, self.fold(e1, e2, Bits::concat)?);
        Some(self.ite(condition, t, e))
    }

    /// Bits `high..=low`, counted from the least significant one.
    pub fn extract(&mut self, a: TermId, high: u32, low: u32) -> TermId {
        let width = self.width(a);
        debug_assert!(low <= high && high < width);
        if low == 0 && high + 1 == width {
            return a;
        }
        let (op, x) = (self.op(a), TermId(self.node(a).a));
        match op {
            TermOp::Const => {
                if width <= 64 {
                    let value = self.as_u64(a).expect("narrow") >> low;
                    return self.bv(high - low + 1, value as u128);
                }
                let value = self.as_bits(a).expect("a constant").extract(high, low);
                return self.bits(&value);
            }
            TermOp::Extract => {
                let (_, inner_low) = self.extract_range(a);
                return self.extract(x, high + inner_low, low + inner_low);
            }
            TermOp::Concat => return self.extract_concat(a, high, low),
            TermOp::SignExt => {
                let inner = self.width(x);
                if high < inner {
                    return self.extract(x, high, low);
                }
                let kept = self.extract(x, inner - 1, low.min(inner - 1));
                return self.sext(kept, high - low + 1);
            }
            TermOp::Ite
            | TermOp::Not
            | TermOp::And
            | TermOp::Or
            | TermOp::Xor
            | TermOp::Add
            | TermOp::Mul
            | TermOp::Neg => {
                if self.worth_pushing(a, op, low)
                    && let Some(pushed) = self.deeper(|pool| pool.extract_pushed(a, op, high, low))
                {
                    return pushed;
                }
            }
            _ => {}
        }
        let sort = Sort::BitVec(high - low + 1).pack();
        self.intern(crate::term::Node { op: TermOp::Extract, sort, a: a.0, b: high, c: low })
    }

    /// Walks the right-nested parts; a slice over several parts becomes a concatenation of slices.
    fn extract_concat(&mut self, a: TermId, high: u32, low: u32) -> TermId {
        let mut slices = smallvec::SmallVec::<[TermId; 8]>::new();
        let (mut rest, mut high) = (a, high);
        loop {
            let Some((first, others)) = self.binary(rest, TermOp::Concat) else {
                slices.push(self.extract(rest, high, low));
                break;
            };
            let below = self.width(others);
            if high >= below {
                slices.push(self.extract(first, high - below, low.saturating_sub(below)));
                if low >= below {
                    break;
                }
                high = below - 1;
            }
            rest = others;
        }
        let mut result = slices.pop().expect("a slice is not empty");
        while let Some(slice) = slices.pop() {
            result = self.concat(slice, result);
        }
        result
    }

    /// Whether slicing the arguments instead will simplify them.
    fn worth_pushing(&self, a: TermId, op: TermOp, low: u32) -> bool {
        let simple = |t: &TermId| matches!(self.op(*t), TermOp::Const | TermOp::Concat | TermOp::SignExt);
        let args = self.args(a);
        match op {
            TermOp::Not => true,
            TermOp::And | TermOp::Or | TermOp::Xor => args.iter().any(simple),
            TermOp::Ite => args[1..].iter().all(simple),
            // Carries only go up, so only slices from bit 0 may be pushed.
            _ => low == 0 && args.iter().any(simple),
        }
    }

    fn extract_pushed(&mut self, a: TermId, op: TermOp, high: u32, low: u32) -> TermId {
        let args = self.args(a);
        let slices: smallvec::SmallVec<[TermId; 3]> = args
            .iter()
            .enumerate()
            .map(|(i, arg)| if op == TermOp::Ite && i == 0 { *arg } else { self.extract(*arg, high, low) })
            .collect();
        match op {
            TermOp::Not => self.bv_not(slices[0]),
            TermOp::Neg => self.bv_neg(slices[0]),
            TermOp::And => self.bv_and(slices[0], slices[1]),
            TermOp::Or => self.bv_or(slices[0], slices[1]),
            TermOp::Xor => self.bv_xor(slices[0], slices[1]),
            TermOp::Add => self.bv_add(slices[0], slices[1]),
            TermOp::Mul => self.bv_mul(slices[0], slices[1]),
            _ => self.ite(slices[0], slices[1], slices[2]),
        }
    }

    /// One bit as a Boolean.
    pub fn bit(&mut self, a: TermId, index: u32) -> TermId {
        let bit = self.extract(a, index, index);
        let one = self.bv(1, 1);
        self.eq(one, bit)
    }

    /// Zero extension *to* a width.
    pub fn zext(&mut self, a: TermId, width: u32) -> TermId {
        let old = self.width(a);
        debug_assert!(width >= old);
        if width == old {
            return a;
        }
        let zeros = self.bv(width - old, 0);
        self.concat(zeros, a)
    }

    /// Sign extension *to* a width.
    pub fn sext(&mut self, a: TermId, width: u32) -> TermId {
        let old = self.width(a);
        debug_assert!(width >= old);
        if width == old {
            return a;
        }
        if let Some(value) = self.as_bits(a) {
            return self.bits(&value.sign_extend(width));
        }
        if let Some(inner) = self.unary(a, TermOp::SignExt) {
            return self.sext(inner, width);
        }
        if let Some((c, t, e)) = self.constant_choice(a) {
            let (t, e) = (self.sext(t, width), self.sext(e, width));
            return self.ite(c, t, e);
        }
        match self.known_sign(a) {
            Some(false) => return self.zext(a, width),
            Some(true) => {
                let ones = self.bits(&Bits::ones(width - old));
                return self.concat(ones, a);
            }
            None => {}
        }
        self.raw(TermOp::SignExt, Sort::BitVec(width).pack(), [a, TermId(0), TermId(0)])
    }

    /// The top bit if it is a constant at first sight.
    pub(super) fn known_sign(&self, a: TermId) -> Option<bool> {
        let top = self.binary(a, TermOp::Concat).map_or(a, |(high, _)| high);
        let node = self.node(top);
        if node.op != TermOp::Const {
            return None;
        }
        if node.sort <= 64 {
            let value = node.a as u64 | (node.b as u64) << 32;
            return Some(value >> (node.sort - 1) & 1 == 1);
        }
        self.as_bits(top).map(|value| value.sign())
    }

    /// To a width, up by zero extension or down by dropping high bits.
    pub fn resize_unsigned(&mut self, a: TermId, width: u32) -> TermId {
        if width < self.width(a) { self.extract(a, width - 1, 0) } else { self.zext(a, width) }
    }

    /// To a width, up by sign extension or down by dropping high bits.
    pub fn resize_signed(&mut self, a: TermId, width: u32) -> TermId {
        if width < self.width(a) { self.extract(a, width - 1, 0) } else { self.sext(a, width) }
    }

    pub(crate) fn shl_const(&mut self, a: TermId, amount: u32) -> TermId {
        let width = self.width(a);
        if amount >= width {
            return self.bv(width, 0);
        }
        if amount == 0 {
            return a;
        }
        if let Some(value) = self.as_bits(a) {
            return self.bits(&value.shl_by(amount));
        }
        if let (Some(k), x) = self.offset(a) {
            let (k, x) = (self.shl_const(k, amount), self.shl_const(x, amount));
            return self.bv_add(k, x);
        }
        let kept = self.extract(a, width - 1 - amount, 0);
        let zeros = self.bv(amount, 0);
        self.concat(kept, zeros)
    }

    pub(crate) fn lshr_const(&mut self, a: TermId, amount: u32) -> TermId {
        let width = self.width(a);
        if amount >= width {
            return self.bv(width, 0);
        }
        let kept = self.extract(a, width - 1, amount);
        self.zext(kept, width)
    }

    fn ashr_const(&mut self, a: TermId, amount: u32) -> TermId {
        let width = self.width(a);
        let kept = self.extract(a, width - 1, amount.min(width - 1));
        self.sext(kept, width)
    }

    fn constant_amount(&self, b: TermId) -> Option<u32> {
        let amount = self.as_bits(b)?;
        Some(amount.to_u128().map_or(u32::MAX, |amount| amount.min(u32::MAX as u128) as u32))
    }

    /// By the width or more: zero.
    pub fn bv_shl(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        match self.constant_amount(b) {
            Some(amount) => self.shl_const(a, amount),
            None => self.shift(TermOp::Shl, a, b),
        }
    }

    /// By the width or more: zero.
    pub fn bv_lshr(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        match self.constant_amount(b) {
            Some(amount) => self.lshr_const(a, amount),
            None => self.shift(TermOp::Lshr, a, b),
        }
    }

    /// By the width or more: all bits are the sign.
    pub fn bv_ashr(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b));
        match self.constant_amount(b) {
            Some(amount) => self.ashr_const(a, amount),
            None if self.known_sign(a) == Some(false) => self.shift(TermOp::Lshr, a, b),
            None => self.shift(TermOp::Ashr, a, b),
        }
    }

    fn shift(&mut self, op: TermOp, a: TermId, b: TermId) -> TermId {
        if self.is_zero(a) || op == TermOp::Ashr && self.is_ones(a) {
            return a;
        }
        if let (TermOp::Const, Some((c, t, e))) = (self.op(a), self.constant_choice(b)) {
            let by = |pool: &mut Self, amount: TermId| match op {
                TermOp::Shl => pool.bv_shl(a, amount),
                TermOp::Lshr => pool.bv_lshr(a, amount),
                _ => pool.bv_ashr(a, amount),
            };
            let (t, e) = (by(self, t), by(self, e));
            return self.ite(c, t, e);
        }
        let sort = self.node(a).sort;
        self.raw(op, sort, [a, b, TermId(0)])
    }

    /// Rotation to the left by a constant.
    pub fn rotate_left_const(&mut self, a: TermId, amount: u32) -> TermId {
        let width = self.width(a);
        let amount = amount % width;
        if amount == 0 {
            return a;
        }
        let (high, low) = (self.extract(a, width - 1 - amount, 0), self.extract(a, width - 1, width - amount));
        self.concat(high, low)
    }

    /// Rotation to the left by `b` modulo the width.
    pub fn bv_rol(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if let Some(amount) = self.as_bits(b) {
            let amount = amount.urem(&Bits::new(width, width as u128));
            return self.rotate_left_const(a, amount.to_u64().expect("below the width") as u32);
        }
        let (left, right) = self.rotation(b, width);
        let (up, down) = (self.bv_shl(a, left), self.bv_lshr(a, right));
        self.bv_or(up, down)
    }

    /// Rotation to the right by `b` modulo the width.
    pub fn bv_ror(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if let Some(amount) = self.as_bits(b) {
            let amount = amount.urem(&Bits::new(width, width as u128));
            return self.rotate_left_const(a, width - amount.to_u64().expect("below the width") as u32);
        }
        let (right, left) = self.rotation(b, width);
        let (up, down) = (self.bv_shl(a, left), self.bv_lshr(a, right));
        self.bv_or(up, down)
    }

    /// The amount modulo the width, and the width minus that; a width always fits into itself.
    fn rotation(&mut self, b: TermId, width: u32) -> (TermId, TermId) {
        let modulus = self.bv(width, width as u128);
        let forward = self.bv_urem(b, modulus);
        (forward, self.bv_sub(modulus, forward))
    }
}

//! Arithmetic and conversions on numbers and addresses: exact on constants, intervals otherwise.

use crate::evaluate::{Cases, Machine, Trouble, pushed};
use crate::facts::{Facts, number, pattern};
use crate::graph::{GraphValue, ZERO};
use crate::state::State;
use cfa::{BinOp, Bits, ExprId, Fault, Property, TypeId, UnOp, eval};

impl Machine<'_> {
    pub fn negated(&self, state: &mut State, op: UnOp, ty: TypeId, value: GraphValue) -> Result<GraphValue, Trouble> {
        let types = &self.program.types;
        if let GraphValue::Const(bits) = value {
            let result = eval::unary(types, op, ty, Bits::new(bits));
            if result.fault.is_some() && self.asks(Property::NoOverflow) {
                return self.may_fail();
            }
            return Ok(GraphValue::Const(result.bits.get()));
        }
        if op == UnOp::Neg && ty.float_kind().is_none() {
            return self.arithmetic(state, BinOp::Sub, (ty, ty), ZERO, value);
        }
        Ok(self.anything(state, ty))
    }

    pub fn cast(&self, state: State, operand: ExprId, to: TypeId) -> Cases {
        let types = &self.program.types;
        let from = self.program.exprs[operand].ty;
        if !types.is_scalar(to) || !types.is_scalar(from) {
            return self.unsupported("conversion of something that is no scalar");
        }
        if self.is_bool(to) && !self.is_bool(from) {
            let cases = self.truths(state, operand)?;
            return Ok(cases.into_iter().map(|(case, truth)| pushed(case, truth)).collect());
        }
        let mut cases = self.value(state, operand)?;
        for case in &mut cases {
            let value = case.pop();
            let result = self.converted(case, value, from, to)?;
            case.push(result);
        }
        Ok(cases)
    }

    pub fn converted(
        &self,
        state: &mut State,
        value: GraphValue,
        from: TypeId,
        to: TypeId,
    ) -> Result<GraphValue, Trouble> {
        let types = &self.program.types;
        let floats = (from.float_kind().is_some(), to.float_kind().is_some());
        if let GraphValue::Const(bits) = value {
            let bits = Bits::new(bits);
            if !eval::fits(types, from, to, bits) {
                return self.may_fail();
            }
            return Ok(GraphValue::Const(eval::cast(types, from, to, bits).get()));
        }
        match floats {
            (true, false) => return self.may_fail(),
            (true, true) if from == to => return Ok(value),
            (_, true) => return Ok(self.anything(state, to)),
            (false, false) => {}
        }
        let ((width, signed), (bits, sign)) = (self.reading(from), self.reading(to));
        if width == bits {
            return Ok(value);
        }
        let GraphValue::Symbol(_) = value else { return Ok(self.anything(state, to)) };
        let facts = state.graph.facts(value, width).read(width, signed);
        let mut whole = Facts::any_read(bits, sign);
        if facts.is_followed() && whole.low <= facts.low && facts.high <= whole.high {
            whole = Facts { bits, signed: sign, ..facts };
        }
        Ok(state.graph.symbol(whole))
    }

    /// Arithmetic on numbers and addresses; the types are those of the operands.
    pub fn arithmetic(
        &self,
        state: &mut State,
        op: BinOp,
        (ty, right): (TypeId, TypeId),
        a: GraphValue,
        b: GraphValue,
    ) -> Result<GraphValue, Trouble> {
        let types = &self.program.types;
        if let (GraphValue::Const(a), GraphValue::Const(b)) = (a, b) {
            return match eval::binary(types, op, ty, Bits::new(a), Bits::new(b), right) {
                Ok(result) if result.fault.and_then(Fault::property).is_some_and(|fault| self.asks(fault)) => {
                    self.may_fail()
                }
                Ok(result) => Ok(GraphValue::Const(result.bits.get())),
                Err(_) => self.may_fail(),
            };
        }
        if ty.float_kind().is_some() {
            return Ok(self.anything(state, ty));
        }
        let (bits, signed) = self.reading(ty);
        if bits == state.pointer_bits {
            let distance = |value: u128| number(value, bits, true) as i64;
            match (op, a, b) {
                (BinOp::Add, GraphValue::Address(..), GraphValue::Const(by)) => {
                    return Ok(state.graph.shifted(a, distance(by), bits));
                }
                (BinOp::Add, GraphValue::Const(by), GraphValue::Address(..)) => {
                    return Ok(state.graph.shifted(b, distance(by), bits));
                }
                (BinOp::Sub, GraphValue::Address(..), GraphValue::Const(by)) => {
                    return Ok(state.graph.shifted(a, distance(by).wrapping_neg(), bits));
                }
                _ => {}
            }
        }
        let shifts = matches!(op, BinOp::Shl | BinOp::Shr);
        if shifts {
            let (width, sign) = self.reading(right);
            let amount = state.graph.facts(b, width).read(width, sign);
            let inside = amount.is_followed() && amount.low >= 0 && amount.high < bits as i128;
            let overflows = op == BinOp::Shl && signed && self.asks(Property::NoOverflow);
            if overflows || (!inside && self.asks(Property::ShiftRange)) {
                return self.may_fail();
            }
            return Ok(self.anything(state, ty));
        }
        if a == b && matches!(op, BinOp::Sub | BinOp::Xor) {
            return Ok(ZERO);
        }
        if b == ZERO && matches!(op, BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor) {
            return Ok(a);
        }
        let (x, y) = (state.graph.facts(a, bits).read(bits, signed), state.graph.facts(b, bits).read(bits, signed));
        self.interval(state, op, ty, x, y)
    }

    /// Arithmetic on intervals.
    fn interval(&self, state: &mut State, op: BinOp, ty: TypeId, x: Facts, y: Facts) -> Result<GraphValue, Trouble> {
        let (bits, signed) = self.reading(ty);
        let whole = Facts::any_read(bits, signed);
        let followed = x.is_followed() && y.is_followed();
        let ends = |of: fn(i128, i128) -> Option<i128>| -> Option<(i128, i128)> {
            let corners = [(x.low, y.low), (x.low, y.high), (x.high, y.low), (x.high, y.high)];
            let values: Option<Vec<i128>> = corners.iter().map(|(a, b)| of(*a, *b)).collect();
            let values = values.filter(|_| followed)?;
            Some((values.iter().copied().min()?, values.iter().copied().max()?))
        };
        let inside = |range: &(i128, i128)| whole.low <= range.0 && range.1 <= whole.high;
        let range = match op {
            BinOp::Add => ends(i128::checked_add),
            BinOp::Sub => ends(|a, b| a.checked_sub(b)),
            BinOp::Mul => ends(i128::checked_mul),
            BinOp::Div | BinOp::Rem => {
                let zero = !followed || y.admits(0);
                let overflows = signed && (!followed || (x.low == whole.low && y.admits(pattern(-1, bits))));
                if zero || overflows {
                    return self.may_fail();
                }
                match op {
                    BinOp::Div if y.low > 0 => ends(i128::checked_div),
                    BinOp::Rem if y.low > 0 && x.low >= 0 => Some((0, (y.high - 1).min(x.high))),
                    _ => None,
                }
            }
            BinOp::And if followed && y.low >= 0 => Some((0, y.high)),
            BinOp::And if followed && x.low >= 0 => Some((0, x.high)),
            _ => None,
        };
        let may_overflow =
            matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul) && signed && range.filter(inside).is_none();
        if may_overflow && self.asks(Property::NoOverflow) {
            return self.may_fail();
        }
        Ok(match range.filter(inside) {
            Some((low, high)) => state.graph.symbol(Facts::between(bits, signed, low, high)),
            None => self.anything(state, ty),
        })
    }
}

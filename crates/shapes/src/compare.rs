//! Comparisons: the cases in which they hold or not, with what is known of the operands then.

use crate::evaluate::{Machine, Trouble};
use crate::facts::Facts;
use crate::graph::{End, GraphValue, Kind, ObjectId};
use crate::state::State;
use cfa::eval;
use cfa::{BinOp, Bits, TypeId, VarKind};

type Truths = Result<Vec<(State, bool)>, Trouble>;

impl Machine<'_> {
    /// Compares the two topmost values, which have one type.
    pub fn compare(&self, mut state: State, op: BinOp, ty: TypeId) -> Truths {
        let (b, a) = (state.pop(), state.pop());
        if let (GraphValue::Const(a), GraphValue::Const(b)) = (a, b) {
            let result = eval::binary(&self.program.types, op, ty, Bits::new(a), Bits::new(b), ty);
            return result.map_or_else(|_| self.may_fail(), |result| Ok(vec![(state, !result.bits.is_zero())]));
        }
        if ty.float_kind().is_some() {
            return Ok(vec![(state.clone(), true), (state, false)]);
        }
        if a.is_number() && b.is_number() {
            return Ok(self.compare_numbers(state, op, ty, a, b));
        }
        // An address in a segment that may be empty, or of which only one end is known, is made the address of a node.
        if let Some((object, end)) = to_split(&state, a, b) {
            state.push(a);
            state.push(b);
            let mut results = Vec::new();
            for case in self.split(state, object, end)? {
                results.extend(self.compare(case, op, ty)?);
            }
            return Ok(results);
        }
        match op {
            BinOp::Eq | BinOp::Ne => Ok(match self.same(&state, a, b) {
                Some(same) => vec![(state, same == (op == BinOp::Eq))],
                None => vec![(state.clone(), true), (state, false)],
            }),
            _ => self.compare_addresses(state, op, ty, a, b),
        }
    }

    /// Whether two values, one of which is an address or a function, are equal; `None`: that depends.
    fn same(&self, state: &State, a: GraphValue, b: GraphValue) -> Option<bool> {
        if a == b {
            return Some(true);
        }
        match (a, b) {
            (GraphValue::Address(one, end, x), GraphValue::Address(other, which, y)) => {
                if one == other {
                    // Addresses that far apart may be the same again.
                    let near = x.abs_diff(y) < 1 << 31;
                    return (end == which && near).then_some(x == y);
                }
                let literals = self.is_literal(state, one) && self.is_literal(state, other);
                let inside = |object: ObjectId, at: i64| at >= 0 && (at as u64) < state.graph.objects[&object].size;
                (!literals && inside(one, x) && inside(other, y)).then_some(false)
            }
            (GraphValue::Address(object, _, at), GraphValue::Const(0))
            | (GraphValue::Const(0), GraphValue::Address(object, _, at)) => {
                let whole = state.graph.objects[&object].size;
                (at >= 0 && at as u64 <= whole && whole > 0).then_some(false)
            }
            (GraphValue::Function(_), GraphValue::Function(_) | GraphValue::Const(0) | GraphValue::Address(..)) => {
                Some(false)
            }
            (GraphValue::Const(0) | GraphValue::Address(..), GraphValue::Function(_)) => Some(false),
            _ => None,
        }
    }

    /// Equal string literals may be one object.
    fn is_literal(&self, state: &State, object: ObjectId) -> bool {
        let Kind::Variable(var) = state.graph.objects[&object].kind else { return false };
        self.program.vars[var].kind == VarKind::Constant
    }

    fn compare_addresses(&self, state: State, op: BinOp, ty: TypeId, a: GraphValue, b: GraphValue) -> Truths {
        match (a, b) {
            (GraphValue::Address(one, end, x), GraphValue::Address(other, which, y))
                if one == other && end == which =>
            {
                let truth = match op {
                    BinOp::Lt => x < y,
                    BinOp::Le => x <= y,
                    BinOp::Gt => x > y,
                    _ => x >= y,
                };
                Ok(vec![(state, truth)])
            }
            _ if self.program.types.is_pointer(ty) => {
                self.unsupported("order of pointers that need not point into the same object")
            }
            _ => Ok(vec![(state.clone(), true), (state, false)]),
        }
    }

    fn compare_numbers(&self, state: State, op: BinOp, ty: TypeId, a: GraphValue, b: GraphValue) -> Vec<(State, bool)> {
        if a == b {
            return vec![(state, matches!(op, BinOp::Eq | BinOp::Le | BinOp::Ge))];
        }
        let (bits, signed) = self.reading(ty);
        let mut results = Vec::new();
        for truth in [true, false] {
            let relation = if truth { op } else { op.negated() };
            if let Some(case) = restricted(state.clone(), relation, (bits, signed), a, b) {
                results.push((case, truth));
            }
        }
        results
    }
}

/// The segment that has to be split before two values can be compared.
fn to_split(state: &State, a: GraphValue, b: GraphValue) -> Option<(ObjectId, End)> {
    let may_be_empty = |value: GraphValue| match value {
        GraphValue::Address(object, end, _) if state.graph.segment(object).is_some_and(|segment| segment.min == 0) => {
            Some((object, end))
        }
        _ => None,
    };
    if let (GraphValue::Address(one, end, _), GraphValue::Address(other, which, _)) = (a, b)
        && one == other
    {
        return (end != which).then_some((one, end));
    }
    may_be_empty(a).or_else(|| may_be_empty(b))
}

/// The state where a relation of two numbers holds; `None` if it never does.
fn restricted(mut state: State, op: BinOp, (bits, signed): (u32, bool), a: GraphValue, b: GraphValue) -> Option<State> {
    let read = |state: &State, value: GraphValue| state.graph.facts(value, bits).read(bits, signed);
    let (x, y) = (read(&state, a), read(&state, b));
    if !x.is_followed() || !y.is_followed() {
        return Some(state);
    }
    let (mut left, mut right) = (x.clone(), y.clone());
    match op {
        BinOp::Eq => {
            left.restrict(y.low, y.high);
            y.not.iter().for_each(|value| left.exclude(*value));
            right = left.clone();
        }
        BinOp::Ne => {
            if y.low == y.high {
                left.exclude(y.low);
            }
            if x.low == x.high {
                right.exclude(x.low);
            }
        }
        BinOp::Lt => {
            left.restrict(i128::MIN, y.high - 1);
            right.restrict(x.low + 1, i128::MAX);
        }
        BinOp::Le => {
            left.restrict(i128::MIN, y.high);
            right.restrict(x.low, i128::MAX);
        }
        BinOp::Gt => {
            left.restrict(y.low + 1, i128::MAX);
            right.restrict(i128::MIN, x.high - 1);
        }
        _ => {
            left.restrict(y.low, i128::MAX);
            right.restrict(i128::MIN, x.high);
        }
    }
    if left.is_empty() || right.is_empty() {
        return None;
    }
    for (value, before, after) in [(a, &x, left), (b, &y, right)] {
        learn(&mut state, value, before, after);
    }
    // Two names of one number.
    if op == BinOp::Eq {
        let own = |value: GraphValue| state.graph.facts(value, bits).bits == bits;
        match (a, b) {
            (GraphValue::Symbol(_), GraphValue::Symbol(_)) if own(a) && own(b) => state.replace(a, b),
            (GraphValue::Symbol(_), GraphValue::Const(_)) if own(a) => state.replace(a, b),
            (GraphValue::Const(_), GraphValue::Symbol(_)) if own(b) => state.replace(b, a),
            _ => {}
        }
    }
    Some(state)
}

/// Notes what is known of a symbol now.
fn learn(state: &mut State, value: GraphValue, before: &Facts, after: Facts) {
    let GraphValue::Symbol(symbol) = value else { return };
    if after == *before || state.graph.symbols.get(&symbol).is_none_or(|facts| facts.bits != after.bits) {
        return;
    }
    if let Some(only) = after.only() {
        return state.replace(value, GraphValue::Const(only));
    }
    state.graph.symbols.insert(symbol, after);
}

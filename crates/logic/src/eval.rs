//! What a term is worth under an assignment. No recursion: terms may be a million levels deep.
//!
//! Only what decides the result is evaluated: one arm of a choice, the writes a read has to look at.

use crate::bits::Bits;
use crate::pool::TermPool;
use crate::term::{Sort, TermId, TermOp};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TermValue {
    Bool(bool),
    Bits(Bits),
    Array(ArrayValue),
}

impl TermValue {
    pub fn as_bool(&self) -> Option<bool> {
        if let TermValue::Bool(value) = self { Some(*value) } else { None }
    }

    pub fn as_bits(&self) -> Option<&Bits> {
        if let TermValue::Bits(value) = self { Some(value) } else { None }
    }

    pub fn as_array(&self) -> Option<&ArrayValue> {
        if let TermValue::Array(value) = self { Some(value) } else { None }
    }
}

/// A total array: some elements, and one value for all the others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayValue {
    pub default: Bits,
    pub elements: BTreeMap<Bits, Bits>,
}

impl ArrayValue {
    pub fn get(&self, index: &Bits) -> &Bits {
        self.elements.get(index).unwrap_or(&self.default)
    }
}

/// Values of variables; a variable that is not mentioned is zero (or false, or zero everywhere).
#[derive(Clone, Default, Debug)]
pub struct Assignment {
    values: FxHashMap<TermId, TermValue>,
}

impl Assignment {
    pub fn new() -> Self {
        Assignment::default()
    }

    pub fn set(&mut self, var: TermId, value: TermValue) {
        self.values.insert(var, value);
    }

    pub fn set_bits(&mut self, var: TermId, value: Bits) {
        self.set(var, TermValue::Bits(value));
    }

    pub fn set_bool(&mut self, var: TermId, value: bool) {
        self.set(var, TermValue::Bool(value));
    }

    pub fn get(&self, var: TermId) -> Option<&TermValue> {
        self.values.get(&var)
    }

    fn scalar(&self, var: TermId, width: u32) -> Bits {
        match self.values.get(&var) {
            None => Bits::zero(width),
            Some(TermValue::Bool(value)) => Bits::from_bool(*value),
            Some(TermValue::Bits(value)) => value.clone(),
            Some(TermValue::Array(_)) => panic!("{var} is not an array"),
        }
    }

    fn element(&self, var: TermId, index: &Bits, width: u32) -> Bits {
        match self.values.get(&var) {
            None => Bits::zero(width),
            Some(TermValue::Array(value)) => value.get(index).clone(),
            Some(_) => panic!("{var} is an array"),
        }
    }
}

/// The value of a term. For many terms under one assignment keep an [`Evaluator`].
pub fn eval(pool: &TermPool, assignment: &Assignment, term: TermId) -> TermValue {
    Evaluator::default().eval(pool, assignment, term)
}

/// Remembers what it has evaluated; use it with one pool and one assignment.
#[derive(Clone, Default, Debug)]
pub struct Evaluator {
    memo: FxHashMap<TermId, Bits>,
}

enum Task {
    Scalar(TermId),
    /// The read `select` has index `index` and has come down to `array`.
    Read {
        select: TermId,
        array: TermId,
        index: Bits,
    },
}

impl Evaluator {
    pub fn eval(&mut self, pool: &TermPool, assignment: &Assignment, term: TermId) -> TermValue {
        match pool.sort(term) {
            Sort::Bool => TermValue::Bool(self.scalar(pool, assignment, term).bit(0)),
            Sort::BitVec(_) => TermValue::Bits(self.scalar(pool, assignment, term)),
            Sort::Array { .. } => TermValue::Array(self.array(pool, assignment, term)),
        }
    }

    /// A Boolean is one bit.
    pub fn scalar(&mut self, pool: &TermPool, assignment: &Assignment, term: TermId) -> Bits {
        let mut stack = vec![Task::Scalar(term)];
        while let Some(task) = stack.pop() {
            match task {
                Task::Scalar(term) => self.visit(pool, assignment, term, &mut stack),
                Task::Read { select, array, index } => self.read(pool, assignment, select, array, index, &mut stack),
            }
        }
        self.get(pool, term).expect("evaluated")
    }

    fn get(&self, pool: &TermPool, term: TermId) -> Option<Bits> {
        match pool.op(term) {
            TermOp::Bool => Some(Bits::from_bool(term == TermId::TRUE)),
            TermOp::Const => pool.as_bits(term),
            _ => self.memo.get(&term).cloned(),
        }
    }

    /// The value, or `None` after asking for it to be computed before `again`.
    fn need(&self, pool: &TermPool, term: TermId, again: &mut Option<Task>, stack: &mut Vec<Task>) -> Option<Bits> {
        let value = self.get(pool, term);
        if value.is_none() {
            stack.extend(again.take());
            stack.push(Task::Scalar(term));
        }
        value
    }

    fn visit(&mut self, pool: &TermPool, assignment: &Assignment, term: TermId, stack: &mut Vec<Task>) {
        if self.get(pool, term).is_some() {
            return;
        }
        let (op, width) = (pool.op(term), pool.width(term));
        let args = pool.args(term);
        let mut again = Some(Task::Scalar(term));
        let value = match op {
            TermOp::Var => assignment.scalar(term, width),
            TermOp::Ite => {
                let Some(c) = self.need(pool, args[0], &mut again, stack) else { return };
                let arm = if c.bit(0) { args[1] } else { args[2] };
                let Some(value) = self.need(pool, arm, &mut again, stack) else { return };
                value
            }
            TermOp::Select => {
                let Some(index) = self.need(pool, args[1], &mut again, stack) else { return };
                stack.push(Task::Read { select: term, array: args[0], index });
                return;
            }
            _ => {
                let values: smallvec::SmallVec<[Option<Bits>; 2]> =
                    args.iter().map(|arg| self.need(pool, *arg, &mut again, stack)).collect();
                let Some(values) = values.into_iter().collect::<Option<smallvec::SmallVec<[Bits; 2]>>>() else {
                    return;
                };
                apply(pool, term, &values)
            }
        };
        self.memo.insert(term, value);
    }

    fn read(
        &mut self,
        pool: &TermPool,
        assignment: &Assignment,
        select: TermId,
        mut array: TermId,
        index: Bits,
        stack: &mut Vec<Task>,
    ) {
        let width = pool.width(select);
        let value = loop {
            let args = pool.args(array);
            let mut again = Some(Task::Read { select, array, index: index.clone() });
            match pool.op(array) {
                TermOp::Var => break assignment.element(array, &index, width),
                TermOp::ConstArray => match self.need(pool, args[0], &mut again, stack) {
                    Some(value) => break value,
                    None => return,
                },
                TermOp::Ite => match self.need(pool, args[0], &mut again, stack) {
                    Some(c) => array = if c.bit(0) { args[1] } else { args[2] },
                    None => return,
                },
                TermOp::Store => {
                    let Some(at) = self.need(pool, args[1], &mut again, stack) else { return };
                    if at != index {
                        array = args[0];
                        continue;
                    }
                    match self.need(pool, args[2], &mut again, stack) {
                        Some(value) => break value,
                        None => return,
                    }
                }
                op => panic!("{op:?} is not an array"),
            }
        };
        self.memo.insert(select, value);
    }

    /// The whole array as a map.
    pub fn array(&mut self, pool: &TermPool, assignment: &Assignment, term: TermId) -> ArrayValue {
        let mut elements = BTreeMap::new();
        let mut array = term;
        loop {
            let args = pool.args(array);
            match pool.op(array) {
                TermOp::Var => {
                    let Sort::Array { element, .. } = pool.sort(array) else { panic!("{array} is not an array") };
                    let base = match assignment.get(array) {
                        Some(TermValue::Array(value)) => value.clone(),
                        _ => ArrayValue { default: Bits::zero(element), elements: BTreeMap::new() },
                    };
                    for (index, value) in base.elements {
                        elements.entry(index).or_insert(value);
                    }
                    return ArrayValue { default: base.default, elements };
                }
                TermOp::ConstArray => return ArrayValue { default: self.scalar(pool, assignment, args[0]), elements },
                TermOp::Ite => {
                    let c = self.scalar(pool, assignment, args[0]);
                    array = if c.bit(0) { args[1] } else { args[2] };
                }
                TermOp::Store => {
                    let index = self.scalar(pool, assignment, args[1]);
                    let value = self.scalar(pool, assignment, args[2]);
                    elements.entry(index).or_insert(value);
                    array = args[0];
                }
                op => panic!("{op:?} is not an array"),
            }
        }
    }
}

/// One operator on values.
fn apply(pool: &TermPool, term: TermId, values: &[Bits]) -> Bits {
    let width = pool.width(term);
    match (pool.op(term), values) {
        (TermOp::Not, [a]) => a.not(),
        (TermOp::Neg, [a]) => a.neg(),
        (TermOp::Extract, [a]) => {
            let (high, low) = pool.extract_range(term);
            a.extract(high, low)
        }
        (TermOp::SignExt, [a]) => a.sign_extend(width),
        (TermOp::And, [a, b]) => a.and(b),
        (TermOp::Or, [a, b]) => a.or(b),
        (TermOp::Xor, [a, b]) => a.xor(b),
        (TermOp::Eq, [a, b]) => Bits::from_bool(a == b),
        (TermOp::Ult, [a, b]) => Bits::from_bool(a.ult(b)),
        (TermOp::Slt, [a, b]) => Bits::from_bool(a.slt(b)),
        (TermOp::Add, [a, b]) => a.add(b),
        (TermOp::Mul, [a, b]) => a.mul(b),
        (TermOp::Udiv, [a, b]) => a.udiv(b),
        (TermOp::Urem, [a, b]) => a.urem(b),
        (TermOp::Shl, [a, b]) => a.shl(b),
        (TermOp::Lshr, [a, b]) => a.lshr(b),
        (TermOp::Ashr, [a, b]) => a.ashr(b),
        (TermOp::Concat, [a, b]) => a.concat(b),
        (op, _) => panic!("{op:?} has no value of its own"),
    }
}

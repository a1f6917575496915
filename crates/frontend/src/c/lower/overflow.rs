//! `__builtin_add_overflow` and its relatives: the exact result is computed in a type that has it, cut off and stored, and compared with what
//! the type of the destination can hold.

use super::Lower;
use super::expr::Operand;
use crate::c::ast;
use base::Span;
use cfa::walk::Node;
use cfa::{BinOp, ExprId, IntKind, Op, TypeId};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Overflow {
    op: BinOp,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// The arguments have the types they have, the last points to where the result goes.
    Generic,
    /// Arguments and destination are of one type: `__builtin_saddl_overflow`.
    Typed(IntKind),
    /// Nothing is stored, the last argument only has a type: `__builtin_add_overflow_p`.
    Predicate,
}

/// What a name that starts with `__builtin_` means, as far as it is about overflow.
pub(super) fn lookup(name: &str) -> Option<Overflow> {
    let name = name.strip_prefix("__builtin_")?;
    let operator = |name: &str| match name {
        "add" => Some(BinOp::Add),
        "sub" => Some(BinOp::Sub),
        "mul" => Some(BinOp::Mul),
        _ => None,
    };
    if let Some(op) = name.strip_suffix("_overflow_p") {
        return Some(Overflow { op: operator(op)?, form: Form::Predicate });
    }
    let name = name.strip_suffix("_overflow")?;
    if let Some(op) = operator(name) {
        return Some(Overflow { op, form: Form::Generic });
    }
    let op = operator(name.get(1..4)?)?;
    let kind = match (name.get(..1)?, name.get(4..)?) {
        ("s", "") => IntKind::Int,
        ("s", "l") => IntKind::Long,
        ("s", "ll") => IntKind::LongLong,
        ("u", "") => IntKind::UInt,
        ("u", "l") => IntKind::ULong,
        ("u", "ll") => IntKind::ULongLong,
        _ => return None,
    };
    Some(Overflow { op, form: Form::Typed(kind) })
}

/// The values of an integer type: from 0, or from `-2^bits`, to `2^bits - 1`.
#[derive(Clone, Copy)]
struct Range {
    bits: u32,
    signed: bool,
}

impl Range {
    fn has(self, other: Range) -> bool {
        other.bits <= self.bits && (self.signed || !other.signed)
    }
}

impl Lower<'_> {
    pub(super) fn overflow(&mut self, builtin: Overflow, args: &[ast::ExprId], span: Span) -> Option<Operand> {
        let Overflow { op, form } = builtin;
        let [left, right, last] = *args else {
            self.error(span, "three arguments are needed");
            return None;
        };
        let begin = self.edges_so_far();
        let value = self.rvalue(left);
        let mut left = self.before(value, &[right, last]);
        let (first, begin) = (self.evaluated(begin, Node::Expr(left)), self.edges_so_far());
        let value = self.rvalue(right);
        let mut right = self.before(value, &[last]);
        let (second, begin) = (self.evaluated(begin, Node::Expr(right)), self.edges_so_far());
        let (ty, range, pointer) = match form {
            Form::Predicate => {
                let last = self.operand(last);
                let ty = self.operand_type(last);
                let width = match last {
                    Operand::Place(place) => self.bit_field_width_of(place),
                    _ => None,
                };
                (Some(ty), width.map(|width| (width as u32, self.program.types.is_signed(ty))), None)
            }
            _ => {
                let mut pointer = self.rvalue(last);
                let third = self.evaluated(begin, Node::Expr(pointer));
                self.unsequenced([first, second, third]);
                if let Form::Typed(kind) = form {
                    left = self.coerce(left, TypeId::int(kind), span);
                    right = self.coerce(right, TypeId::int(kind), span);
                    let wanted = self.program.types.pointer_to(TypeId::int(kind));
                    pointer = self.coerce(pointer, wanted, span);
                }
                (self.program.types.pointee(self.expr_type(pointer)), None, Some(pointer))
            }
        };
        let kinds =
            [Some(self.expr_type(left)), Some(self.expr_type(right)), ty].map(|ty| ty.and_then(TypeId::int_kind));
        let [Some(a), Some(b), Some(kind)] = kinds else {
            for ty in [Some(self.expr_type(left)), Some(self.expr_type(right)), ty].into_iter().flatten() {
                if self.unsupported_name(ty).is_some() {
                    return Some(Operand::Value(self.unsupported_value(ty, TypeId::BOOL, span)));
                }
            }
            self.error(span, "integers are needed, and a place for the result");
            return None;
        };
        let range = match range {
            Some((width, signed)) => Range { bits: width - signed as u32, signed },
            None => self.range_of(kind),
        };
        let exact = exact_range(op, self.range_of(a), self.range_of(b));
        // The narrowest will do: multiplication is expensive.
        let wide = [IntKind::Int, IntKind::LongLong, IntKind::ULongLong, IntKind::Int128, IntKind::UInt128];
        let wide = wide.into_iter().find(|wide| self.range_of(*wide).has(exact)).unwrap_or_else(|| {
            self.poison(span, "overflow built-in that needs more than 128 bits");
            IntKind::Int128
        });
        let wide = TypeId::int(wide);
        let left = self.cast(left, wide, span);
        let right = self.cast(right, wide, span);
        let result = self.arithmetic(op, left, right, span);
        let result = self.fixed(result, span);
        let outside = self.outside(result, range, span);
        let outside = self.cast(outside, TypeId::BOOL, span);
        let outside = self.fixed(outside, span);
        if let Some(pointer) = pointer {
            let narrow = self.cast(result, TypeId::int(kind), span);
            let place = self.deref(pointer, TypeId::int(kind));
            let place = self.writable(place, span);
            self.emit(Op::Assign(place, narrow), span);
        }
        Some(Operand::Value(outside))
    }

    fn range_of(&self, kind: IntKind) -> Range {
        let signed = self.program.types.is_signed_kind(kind);
        Range { bits: kind.bits(self.program.model()) - signed as u32, signed }
    }

    /// Whether an integer is not in a range.
    fn outside(&mut self, number: ExprId, range: Range, span: Span) -> ExprId {
        let wide = self.expr_type(number);
        let own = self.range_of(wide.int_kind().unwrap_or(IntKind::Int));
        let mut outside = self.int(0, TypeId::INT, span);
        if range.bits < own.bits {
            let most = self.int(((1u128 << range.bits) - 1) as i128, wide, span);
            outside = self.arithmetic(BinOp::Gt, number, most, span);
        }
        if own.signed && (!range.signed || range.bits < own.bits) {
            let least = self.int(if range.signed { -(1i128 << range.bits) } else { 0 }, wide, span);
            let below = self.arithmetic(BinOp::Lt, number, least, span);
            outside = self.arithmetic(BinOp::Or, below, outside, span);
        }
        outside
    }

    /// A value that nothing that is done from here on changes.
    pub(super) fn fixed(&mut self, value: ExprId, span: Span) -> ExprId {
        if self.program.constant(value).is_some() {
            return value;
        }
        let temp = self.temp(self.expr_type(value), span);
        let place = self.var_place(temp);
        self.emit(Op::Assign(place, value), span);
        self.read_var(temp, span)
    }
}

/// A range that has all exact results.
fn exact_range(op: BinOp, a: Range, b: Range) -> Range {
    let larger = a.bits.max(b.bits);
    match op {
        BinOp::Mul => {
            // The product of the two least numbers is a power of two.
            let both = a.signed && b.signed;
            Range { bits: a.bits + b.bits + both as u32, signed: a.signed || b.signed }
        }
        BinOp::Sub if !a.signed && !b.signed => Range { bits: larger, signed: true },
        BinOp::Sub => Range { bits: larger + 1, signed: true },
        _ => Range { bits: larger + 1, signed: a.signed || b.signed },
    }
}

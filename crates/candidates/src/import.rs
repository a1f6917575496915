//! Conditions of the text as expressions over the terms of a loop. What cannot be evaluated in every state is refused: reads through pointers and at indices
//! that are no constants, and divisions that may fail. Signed sums and products of the text are computed without overflow: as [`Arithmetic`] says.

use crate::build::Builder;
use crate::scope::ClaimScope;
use cfa::{BinOp, ExprId, ExprKind, IntKind, TypeId, UnOp, eval};

/// Deeper expressions are refused.
const MAX_DEPTH: u32 = 24;

/// What becomes of signed arithmetic. Both give the same where the text does not overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arithmetic {
    /// In a type that holds all results.
    Exact,
    /// In the unsigned type of the same width, and converted back: what the program computes when it wraps around.
    Wrapping,
}

/// Two values of one type that the text compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Comparison {
    pub op: BinOp,
    pub left: ExprId,
    pub right: ExprId,
}

/// The comparison that a condition is; of another scalar, that it differs from zero.
pub fn comparison(
    builder: &mut Builder<'_>,
    scope: &ClaimScope,
    arithmetic: Arithmetic,
    condition: ExprId,
) -> Option<Comparison> {
    let mut import = Importer { builder, scope, arithmetic, depth: 0 };
    import.comparison(condition, true)
}

struct Importer<'i, 'p> {
    builder: &'i mut Builder<'p>,
    scope: &'i ClaimScope,
    arithmetic: Arithmetic,
    depth: u32,
}

impl Importer<'_, '_> {
    fn comparison(&mut self, expr: ExprId, truth: bool) -> Option<Comparison> {
        let ty = |importer: &Self, expr: ExprId| importer.builder.ty(expr);
        match self.builder.program().exprs[expr].kind {
            ExprKind::Unary(UnOp::Not, inner) => self.comparison(inner, !truth),
            ExprKind::Binary(op, left, right) if op.is_comparison() => {
                if !truth && ty(self, left).float_kind().is_some() {
                    return None;
                }
                let (left, right) = self.operands(left, right)?;
                let op = if truth { op } else { op.negated() };
                // `0 <= i` is the candidate `i >= 0`.
                let swapped = self.builder.program().constant(left).is_some();
                Some(match swapped {
                    true => Comparison { op: op.mirrored(), left: right, right: left },
                    false => Comparison { op, left, right },
                })
            }
            ExprKind::Cast(inner) if matches!(self.builder.program().exprs[inner].kind, ExprKind::Binary(op, ..) if op.is_comparison()) => {
                self.comparison(inner, truth)
            }
            _ => {
                let left = self.value(expr)?;
                let ty = self.builder.ty(left);
                if ty.float_kind().is_some() {
                    return None;
                }
                let right = self.builder.bits(ty, cfa::Bits::ZERO);
                Some(Comparison { op: if truth { BinOp::Ne } else { BinOp::Eq }, left, right })
            }
        }
    }

    /// Two operands of one type, computed in it or in a wider one.
    fn operands(&mut self, left: ExprId, right: ExprId) -> Option<(ExprId, ExprId)> {
        let wraps = self.arithmetic == Arithmetic::Wrapping;
        if wraps || !self.can_overflow(left) && !self.can_overflow(right) {
            return Some((self.value(left)?, self.value(right)?));
        }
        for (kind, bits) in [(IntKind::LongLong, 64), (IntKind::Int128, 128)] {
            if let (Some((left, a)), Some((right, b))) = (self.wide(left, kind), self.wide(right, kind))
                && a.max(b) < bits
            {
                return Some((left, right));
            }
        }
        None
    }

    fn can_overflow(&self, expr: ExprId) -> bool {
        let expr = self.builder.program().exprs[expr];
        let signed = self.builder.program().types.is_signed(expr.ty);
        match expr.kind {
            ExprKind::Unary(UnOp::Neg, _) => signed,
            ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) => signed,
            ExprKind::Cast(inner) => self.can_overflow(inner),
            _ => false,
        }
    }

    /// The exact value in a wide signed type, and the bits that it may need beside the sign.
    fn wide(&mut self, expr: ExprId, kind: IntKind) -> Option<(ExprId, u32)> {
        self.depth += 1;
        let result = if self.depth > MAX_DEPTH { None } else { self.wide_inner(expr, kind) };
        self.depth -= 1;
        result
    }

    fn wide_inner(&mut self, expr: ExprId, kind: IntKind) -> Option<(ExprId, u32)> {
        let program = self.builder.program();
        let (node, target) = (program.exprs[expr], TypeId::int(kind));
        let (width, signed) = (program.types.scalar_bits(node.ty), program.types.is_signed(node.ty));
        node.ty.int_kind()?;
        match node.kind {
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), left, right) if signed => {
                let ((left, a), (right, b)) = (self.wide(left, kind)?, self.wide(right, kind)?);
                let bits = if op == BinOp::Mul { a + b } else { a.max(b) + 1 };
                Some((self.builder.binary(op, left, right), bits))
            }
            ExprKind::Unary(UnOp::Neg, inner) if signed => {
                let (inner, bits) = self.wide(inner, kind)?;
                Some((self.builder.expr(ExprKind::Unary(UnOp::Neg, inner), target), bits + 1))
            }
            ExprKind::Const(bits) => {
                let value = eval::to_i128(&program.types, node.ty, bits);
                let constant = self.builder.constant(target, value);
                Some((constant, 128 - value.unsigned_abs().leading_zeros()))
            }
            ExprKind::Cast(inner) if self.keeps_value(self.builder.ty(inner), node.ty) => self.wide(inner, kind),
            _ => {
                let value = self.value(expr)?;
                Some((self.builder.cast(value, target), if signed { width - 1 } else { width }))
            }
        }
    }

    fn keeps_value(&self, from: TypeId, to: TypeId) -> bool {
        let (Some(from), Some(to)) = (from.int_kind(), to.int_kind()) else { return false };
        let types = &self.builder.program().types;
        let (narrow, wide) = (from.bits(types.model), to.bits(types.model));
        match (types.is_signed_kind(from), types.is_signed_kind(to)) {
            (true, true) | (false, false) => narrow <= wide,
            (false, true) => narrow < wide,
            (true, false) => false,
        }
    }

    /// The value of an expression in its own type.
    fn value(&mut self, expr: ExprId) -> Option<ExprId> {
        self.depth += 1;
        let result = if self.depth > MAX_DEPTH { None } else { self.value_inner(expr) };
        self.depth -= 1;
        result
    }

    fn value_inner(&mut self, expr: ExprId) -> Option<ExprId> {
        let node = self.builder.program().exprs[expr];
        let signed = self.builder.program().types.is_signed(node.ty);
        match node.kind {
            ExprKind::Const(bits) => Some(self.builder.bits(node.ty, bits)),
            ExprKind::Read(place) => {
                let place = self.builder.place(place)?;
                self.scope.term_of(place)?;
                Some(self.builder.read(place))
            }
            ExprKind::Cast(inner) => {
                let inner = self.value(inner)?;
                // A float out of range has no value as an integer.
                if self.builder.ty(inner).float_kind().is_some() && node.ty.float_kind().is_none() {
                    return None;
                }
                Some(self.builder.cast(inner, node.ty))
            }
            ExprKind::Unary(op, inner) => {
                if op == UnOp::Neg && signed {
                    return self.narrowed(expr, node.ty);
                }
                let inner = self.value(inner)?;
                Some(self.builder.expr(ExprKind::Unary(op, inner), node.ty))
            }
            ExprKind::Binary(op, left, right) => self.binary(expr, op, left, right),
            _ => None,
        }
    }

    /// A signed sum in the middle of other arithmetic, converted to its type.
    fn narrowed(&mut self, expr: ExprId, ty: TypeId) -> Option<ExprId> {
        if self.arithmetic == Arithmetic::Wrapping {
            let unsigned = TypeId::int(ty.int_kind()?.to_unsigned());
            let kind = self.builder.program().exprs[expr].kind;
            let mut operand = |expr| {
                let value = self.value(expr)?;
                Some(self.builder.cast(value, unsigned))
            };
            let kind = match kind {
                ExprKind::Binary(op, left, right) => ExprKind::Binary(op, operand(left)?, operand(right)?),
                ExprKind::Unary(op, inner) => ExprKind::Unary(op, operand(inner)?),
                _ => return None,
            };
            let value = self.builder.expr(kind, unsigned);
            return Some(self.builder.cast(value, ty));
        }
        let (value, bits) = self.wide(expr, IntKind::LongLong)?;
        (bits < 64).then(|| self.builder.cast(value, ty))
    }

    fn binary(&mut self, expr: ExprId, op: BinOp, left: ExprId, right: ExprId) -> Option<ExprId> {
        let ty = self.builder.ty(expr);
        let program = self.builder.program();
        let signed = program.types.is_signed(ty);
        let amount = program.constant(right).map(|bits| eval::to_i128(&program.types, program.exprs[right].ty, bits));
        let width = if ty.int_kind().is_some() { i128::from(program.types.scalar_bits(ty)) } else { 0 };
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul if signed => return self.narrowed(expr, ty),
            BinOp::Div | BinOp::Rem if ty.int_kind().is_some() && amount.is_none_or(|by| by == 0 || by == -1) => {
                return None;
            }
            BinOp::Shl if signed => return None,
            BinOp::Shl | BinOp::Shr if amount.is_none_or(|by| !(0..width).contains(&by)) => return None,
            _ => {}
        }
        if op.is_comparison() {
            let (left, right) = self.operands(left, right)?;
            return Some(self.builder.binary(op, left, right));
        }
        let (left, right) = (self.value(left)?, self.value(right)?);
        Some(self.builder.expr(ExprKind::Binary(op, left, right), ty))
    }
}

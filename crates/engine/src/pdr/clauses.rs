//! Clauses as expressions of the program.

use super::{Clause, Excluded, Relation};
use candidates::build::Builder;
use cfa::{Anchor, BinOp, ExprId, IntKind, Program};
use evidence::Invariant;

/// The clauses as candidates for invariants; those that C has no words for are left out.
pub fn invariants(program: &mut Program, clauses: &[Clause]) -> Vec<Invariant> {
    let mut builder = Builder::new(program);
    let invariant = |clause: &Clause| {
        let parts: Option<Vec<ExprId>> = clause.excluded.iter().map(|one| not_so(&mut builder, *one)).collect();
        let expr = match &parts?[..] {
            [] => builder.constant(cfa::TypeId::INT, 0),
            parts => builder.any(parts)?,
        };
        Some(Invariant { anchor: Anchor::Head(clause.head), expr })
    };
    clauses.iter().filter_map(invariant).collect()
}

/// That a scalar does not have a value, or one on its side.
fn not_so(builder: &mut Builder<'_>, excluded: Excluded) -> Option<ExprId> {
    let place = builder.scalar_at(excluded.var, excluded.offset, excluded.size)?;
    let read = builder.read(place);
    let kind = builder.ty(read).int_kind()?;
    let types = &builder.program().types;
    let bits = types.scalar_bits(builder.ty(read)).min(64);
    let signed = (excluded.value as i64) << (64 - bits) >> (64 - bits);
    let is_signed = types.is_signed(builder.ty(read));
    let (operator, value) = match excluded.relation {
        Relation::Equal if is_signed => (BinOp::Ne, signed as i128),
        Relation::Equal => (BinOp::Ne, excluded.value as i128),
        Relation::AtMost => (BinOp::Gt, signed as i128),
        Relation::AtLeast => (BinOp::Lt, signed as i128),
    };
    let read = match excluded.relation {
        Relation::AtMost | Relation::AtLeast if !is_signed => builder.cast(read, cfa::TypeId::int(signed_kind(kind)?)),
        _ => read,
    };
    Some(builder.compare_constant(operator, read, value))
}

/// The signed type of the same width.
fn signed_kind(kind: IntKind) -> Option<IntKind> {
    match kind {
        IntKind::UChar | IntKind::Char => Some(IntKind::SChar),
        IntKind::UShort => Some(IntKind::Short),
        IntKind::UInt => Some(IntKind::Int),
        IntKind::ULong => Some(IntKind::Long),
        IntKind::ULongLong => Some(IntKind::LongLong),
        _ => None,
    }
}

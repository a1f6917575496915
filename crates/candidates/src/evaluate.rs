//! Expressions evaluated on recorded states.

use crate::sample::Samples;
use crate::scope::ClaimScope;
use cfa::{Bits, ExprId, ExprKind, Program, TypeId, eval};

/// Whether a condition is true, and defined, in all recorded states.
pub fn holds(program: &Program, scope: &ClaimScope, samples: &Samples, expr: ExprId) -> bool {
    let ty = program.exprs[expr].ty;
    samples.states().all(|state| match value(program, scope, samples, state, expr) {
        Some(bits) => eval::truthy(&program.types, ty, bits),
        None => false,
    })
}

/// The values of an expression in all recorded states; `None` if it has none in one of them.
pub fn values(program: &Program, scope: &ClaimScope, samples: &Samples, expr: ExprId) -> Option<Vec<Bits>> {
    samples.states().map(|state| value(program, scope, samples, state, expr)).collect()
}

/// The value of an expression over the terms of the scope; `None` where C does not define it, and for anything that was not recorded.
fn value(program: &Program, scope: &ClaimScope, samples: &Samples, state: &[Bits], expr: ExprId) -> Option<Bits> {
    let types = &program.types;
    let ty = |expr: ExprId| -> TypeId { program.exprs[expr].ty };
    match program.exprs[expr].kind {
        ExprKind::Const(bits) => Some(bits),
        ExprKind::Read(place) => {
            scope.term_of(place).filter(|index| !samples.unreadable[*index]).map(|index| state[index])
        }
        ExprKind::Unary(op, a) => {
            let result = eval::unary(types, op, ty(a), value(program, scope, samples, state, a)?);
            result.fault.is_none().then_some(result.bits)
        }
        ExprKind::Binary(op, a, b) => {
            let (left, right) = (value(program, scope, samples, state, a)?, value(program, scope, samples, state, b)?);
            let result = eval::binary(types, op, ty(a), left, right, ty(b)).ok()?;
            result.fault.is_none().then_some(result.bits)
        }
        ExprKind::Cast(a) => Some(eval::cast(types, ty(a), ty(expr), value(program, scope, samples, state, a)?)),
        ExprKind::AddrOf(_)
        | ExprKind::FuncAddr(_)
        | ExprKind::PtrAdd(..)
        | ExprKind::PtrSub(..)
        | ExprKind::PtrDiff(..) => None,
    }
}

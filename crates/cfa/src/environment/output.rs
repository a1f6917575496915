//! Output that may fail: behind each call of a function that writes and whose result is used, an input decides whether the result tells of a failure.
//! What the library keeps of failures (`ferror`, `fflush`, `fclose`) is decided by a constant of its C text.

use super::{add_expr, add_object};
use crate::edit::Edit;
use crate::library::LibFn;
use crate::{BinOp, Body, Callee, EdgeId, ExprId, ExprKind, FuncId, Init, InputKind, Op, PlaceId, Program};
use crate::{StaticInit, TypeId};

/// See `frontend/src/c/prelude/stream.c`.
const MAY_FAIL: &str = "__library_output_may_fail";

pub(super) fn may_fail(program: &mut Program) {
    let calls = calls_with_result(program);
    let failures: Vec<(PlaceId, ExprId, Op)> =
        calls.iter().map(|(_, function, dest)| failure(program, *function, *dest)).collect();
    let mut edit = Edit::new(program);
    for ((call, function, _), (place, fails, failed)) in calls.into_iter().zip(failures) {
        let asked = edit.insert_behind(call, Op::Havoc(place, InputKind::Written(function))).expect("a call returns");
        let behind = edit.insert_behind(asked, Op::Skip).expect("an input is no return");
        edit.replace_if(behind, fails, failed).expect("this is no branch");
    }
    edit.finish().expect("nothing was removed");
    for var in library_constants(program) {
        program.vars[var].init = Init::Static(StaticInit { bytes: vec![1], ..StaticInit::default() });
    }
}

/// Whether the program looks at whether output succeeds.
pub(super) fn matters(program: &Program) -> bool {
    !calls_with_result(program).is_empty() || !library_constants(program).is_empty()
}

fn library_constants(program: &Program) -> Vec<crate::VarId> {
    let is_constant = |var: &crate::Var| program.name(var.name) == MAY_FAIL;
    program.vars.iter().filter(|(_, var)| is_constant(var)).map(|(id, _)| id).collect()
}

fn calls_with_result(program: &Program) -> Vec<(EdgeId, FuncId, PlaceId)> {
    let call = |(edge, data): (EdgeId, &crate::Edge)| match data.op {
        Op::Call { dest: Some(dest), callee: Callee::Direct(function), .. } if writes(program, function) => {
            Some((edge, function, dest))
        }
        _ => None,
    };
    program.edges.iter().filter_map(call).collect()
}

fn writes(program: &Program, function: FuncId) -> bool {
    let Body::Library(meaning) = program.functions[function].body else { return false };
    use LibFn::{Fprintf, Fputc, Fputs, Fwrite, Printf, Putchar, Puts, Write};
    matches!(meaning, Printf | Fprintf | Puts | Fputs | Putchar | Fputc | Fwrite | Write)
}

/// An object for an input, when it tells of a failure, and what happens then.
fn failure(program: &mut Program, function: FuncId, dest: PlaceId) -> (PlaceId, ExprId, Op) {
    let ty = program.places[dest].ty;
    let name = format!("result of a failed {}", program.function_name(function));
    let place = add_object(program, &name, ty);
    let input = add_expr(program, ExprKind::Read(place), ty);
    let done = add_expr(program, ExprKind::Read(dest), ty);
    let unsigned = if program.types.scalar_bits(ty) == 64 { TypeId::ULONG_LONG } else { TypeId::UINT };
    let mut as_unsigned = |expr: ExprId| add_expr(program, ExprKind::Cast(expr), unsigned);
    let (input_number, done_number) = (as_unsigned(input), as_unsigned(done));
    let one = crate::eval::from_i128(&program.types, unsigned, 1);
    let fails = match program.functions[function].body {
        Body::Library(LibFn::Fwrite) => ExprKind::Binary(BinOp::Lt, input_number, done_number),
        // From -1 to one less than was asked for.
        Body::Library(LibFn::Write) => {
            let one = add_expr(program, ExprKind::Const(one), unsigned);
            let next = add_expr(program, ExprKind::Binary(BinOp::Add, input_number, one), unsigned);
            ExprKind::Binary(BinOp::Le, next, done_number)
        }
        _ => {
            let end = crate::eval::from_i128(&program.types, ty, -1);
            let end = add_expr(program, ExprKind::Const(end), ty);
            ExprKind::Binary(BinOp::Eq, input, end)
        }
    };
    let fails = add_expr(program, fails, TypeId::INT);
    (place, fails, Op::Assign(dest, input))
}

//! A limit of the stack. The stack that calls need is counted: at each call of a function with a body, the sizes of its parameters and variables and a
//! [`CALL`] for what every call saves. More than the limit violates [`Property::StackLimit`], also by recursion that does not end. Compilers may need
//! less (variables in registers, calls that are not made) or more (temporaries, alignment); library functions are taken to need nothing.
//!
//! The size of variable-length arrays and of `alloca` is not counted: where one is made, nothing is proved.

use super::{add_expr, add_object};
use crate::edit::Edit;
use crate::library::LibFn;
use crate::{BinOp, Bits, Body, Callee, EdgeId, ExprKind, FuncId, IntKind, Op, Program, Property, TypeId, VarKind};

/// The return address and the frame pointer of the caller, on a 64-bit machine.
const CALL: u64 = 16;

pub(super) fn limit(program: &mut Program, limit: u64) {
    let ty = TypeId::int(IntKind::ULongLong);
    let used = add_object(program, "stack in use", ty);
    let limit = add_expr(program, ExprKind::Const(Bits::new(limit.into())), ty);
    let read = add_expr(program, ExprKind::Read(used), ty);
    let within = add_expr(program, ExprKind::Binary(BinOp::Le, read, limit), TypeId::INT);
    let mut steps = Vec::new();
    for function in program.functions.ids().collect::<Vec<FuncId>>() {
        let Some(size) = frame(program, function) else { continue };
        let size = add_expr(program, ExprKind::Const(Bits::new(size.into())), ty);
        let read = add_expr(program, ExprKind::Read(used), ty);
        let more = add_expr(program, ExprKind::Binary(BinOp::Add, read, size), ty);
        let less = add_expr(program, ExprKind::Binary(BinOp::Sub, read, size), ty);
        steps.push((function, more, less));
    }
    let open = program.names.intern("how much stack a variable-length array or `alloca` takes");
    let returns: Vec<(EdgeId, FuncId)> = program
        .edges
        .iter()
        .filter(|(_, edge)| matches!(edge.op, Op::Return(_)))
        .map(|(id, edge)| (id, program.locations[edge.from].function))
        .collect();
    let sized: Vec<EdgeId> =
        program.edges.iter().filter(|(_, edge)| takes_stack(program, edge.op)).map(|(id, _)| id).collect();
    let spans: Vec<_> = steps.iter().map(|(function, ..)| program.functions[*function].span).collect();
    let mut edit = Edit::new(program);
    for ((function, more, less), span) in steps.into_iter().zip(spans) {
        let check = Op::Assert { cond: within, property: Property::StackLimit };
        edit.insert_at_entry(function, check, span).expect("it has a body");
        edit.insert_at_entry(function, Op::Assign(used, more), span).expect("it has a body");
        for (edge, _) in returns.iter().filter(|(_, of)| *of == function) {
            edit.insert_before(*edge, Op::Assign(used, less)).expect("a return is no branch");
        }
    }
    sized.into_iter().for_each(|edge| edit.set_caveat(edge, open));
    edit.finish().expect("nothing was removed");
}

/// The bytes that a call of a function with a body needs.
fn frame(program: &Program, function: FuncId) -> Option<u64> {
    let automaton = program.automaton(function)?;
    let vars = automaton.vars.clone().map(crate::VarId);
    let sizes = vars.filter_map(|var| match program.vars[var].kind {
        VarKind::Param(_) | VarKind::Local(_) => program.types.size_of(program.vars[var].ty),
        _ => None,
    });
    Some(sizes.fold(CALL, u64::saturating_add))
}

fn takes_stack(program: &Program, op: Op) -> bool {
    match op {
        Op::Alloca(..) => true,
        Op::Call { callee: Callee::Direct(function), .. } => {
            matches!(program.functions[function].body, Body::Library(LibFn::Alloca))
        }
        _ => false,
    }
}

//! Expressions, places and operations as C text, over the names of the variables.
//!
//! [`expr_to_c`] and [`place_to_c`] are for evidence: what they return is C that has the value of the expression in the program's data
//! model, provided that the names mean the same variables where it is read (see [`mentions_temp`]). They return `None` where there is no
//! such C, or none short enough. [`expr_text`], [`place_text`] and [`op_to_c`] are for people: they cut with `…` and never fail.
//!
//! Parentheses are the fewest that C's precedence allows. A cast is shown only where C's own conversions would not give the same value,
//! as `convert` decides.

mod convert;
mod render;
#[cfg(test)]
mod tests;

use crate::walk::{Node, children};
use crate::*;
use render::Renderer;
use rustc_hash::FxHashSet;

pub fn expr_to_c(program: &Program, expr: ExprId) -> Option<String> {
    let mut renderer = Renderer::new(program);
    let text = renderer.value(expr);
    renderer.exact.then_some(text.text)
}

pub fn place_to_c(program: &Program, place: PlaceId) -> Option<String> {
    let mut renderer = Renderer::new(program);
    let text = renderer.lvalue(place);
    renderer.exact.then_some(text.text)
}

pub fn expr_text(program: &Program, expr: ExprId) -> String {
    Renderer::new(program).value(expr).text
}

pub fn place_text(program: &Program, place: PlaceId) -> String {
    Renderer::new(program).lvalue(place).text
}

/// Whether a variable that lowering made occurs: no user and no other tool knows it.
pub fn mentions_temp(program: &Program, expr: ExprId) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![Node::Expr(expr)];
    while let Some(node) = stack.pop() {
        if !seen.insert(node) {
            continue;
        }
        if let Node::Place(place) = node
            && let PlaceKind::Var(var) = program.places[place].kind
            && matches!(program.vars[var].kind, VarKind::Temp(_))
        {
            return true;
        }
        stack.extend(children(program, node).into_iter().flatten());
    }
    false
}

/// Whether a condition is the negation of what its text says: lowering moves the `!` of `!(a && b)` to operands that are written without.
pub fn negates_text(program: &Program, cond: ExprId) -> bool {
    match program.exprs[cond].kind {
        ExprKind::Unary(UnOp::Not, operand) => program.exprs[operand].span == program.exprs[cond].span,
        _ => false,
    }
}

/// An operation as a statement without its semicolon; `[…]` is an assumption.
pub fn op_to_c(program: &Program, op: &Op) -> String {
    let name = |var: VarId| render::var_name(program, var);
    match *op {
        Op::Skip => String::new(),
        Op::Declare(var) => program.types.declare(program.vars[var].ty, name(var), &program.names),
        Op::Kill(var) => format!("end of {}", name(var)),
        Op::Alloca(var, size) => format!("{} = alloca({})", name(var), converted(program, size)),
        Op::Assign(place, value) => format!("{} = {}", place_text(program, place), converted(program, value)),
        // A function without a body put it there.
        Op::Havoc(place, InputKind::Written(_)) => format!("{} = *", place_text(program, place)),
        Op::Havoc(place, InputKind::Nondet(function) | InputKind::External(function)) => {
            format!("{} = {}()", place_text(program, place), program.function_name(function))
        }
        Op::Assume { cond, truth: true, .. } => format!("[{}]", expr_text(program, cond)),
        Op::Assume { cond, truth: false, .. } => {
            let mut renderer = Renderer::new(program);
            let text = renderer.value(cond);
            format!("[!{}]", text.at_least(render::UNARY))
        }
        Op::Assert { cond, .. } => format!("assert({})", expr_text(program, cond)),
        Op::Call { dest, callee, args } => {
            let dest = dest.map_or(String::new(), |dest| format!("{} = ", place_text(program, dest)));
            let callee = match callee {
                Callee::Direct(function) => program.function_name(function).to_string(),
                Callee::Indirect(pointer) => Renderer::new(program).expr(pointer).at_least(render::POSTFIX),
            };
            let args: Vec<String> = program.call_args(args).iter().map(|arg| converted(program, *arg)).collect();
            format!("{dest}{callee}({})", args.join(", "))
        }
        Op::Return(None) => "return".to_string(),
        Op::Return(Some(value)) => format!("return {}", converted(program, value)),
        Op::Halt(None) => "abort()".to_string(),
        Op::Halt(Some(code)) => format!("exit({})", converted(program, code)),
        Op::Poison(reason) => format!("unsupported: {}", program.name(reason)),
    }
}

/// A value where C converts to the type of the target by itself.
fn converted(program: &Program, expr: ExprId) -> String {
    Renderer::new(program).expr(expr).text
}

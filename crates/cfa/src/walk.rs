//! What an operation, an expression or a place mentions directly: the one place that knows, for all who walk without recursion.

use crate::*;

/// A vertex of the graph that expressions and places form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Expr(ExprId),
    Place(PlaceId),
}

/// The direct parts of a node, left to right.
pub fn children(program: &Program, node: Node) -> [Option<Node>; 2] {
    match node {
        Node::Expr(expr) => match program.exprs[expr].kind {
            ExprKind::Const(_) | ExprKind::FuncAddr(_) => [None, None],
            ExprKind::Read(place) | ExprKind::AddrOf(place) => [Some(Node::Place(place)), None],
            ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => [Some(Node::Expr(operand)), None],
            ExprKind::Binary(_, left, right)
            | ExprKind::PtrAdd(left, right)
            | ExprKind::PtrSub(left, right)
            | ExprKind::PtrDiff(left, right) => [Some(Node::Expr(left)), Some(Node::Expr(right))],
        },
        Node::Place(place) => match program.places[place].kind {
            PlaceKind::Var(_) => [None, None],
            PlaceKind::Deref(pointer) => [Some(Node::Expr(pointer)), None],
            PlaceKind::Field(base, _) => [Some(Node::Place(base)), None],
            PlaceKind::Index(base, index) => [Some(Node::Place(base)), Some(Node::Expr(index))],
        },
    }
}

/// The expressions and places of an operation, left to right.
pub fn parts(program: &Program, op: &Op, mut visit: impl FnMut(Node)) {
    match *op {
        Op::Skip | Op::Declare(_) | Op::Kill(_) | Op::Poison(_) | Op::Return(None) | Op::Halt(None) => {}
        Op::Assign(place, value) => {
            visit(Node::Place(place));
            visit(Node::Expr(value));
        }
        Op::Havoc(place, _) => visit(Node::Place(place)),
        Op::Alloca(_, expr)
        | Op::Assume { cond: expr, .. }
        | Op::Assert { cond: expr, .. }
        | Op::Return(Some(expr))
        | Op::Halt(Some(expr)) => visit(Node::Expr(expr)),
        Op::Call { dest, callee, args } => {
            dest.into_iter().for_each(|place| visit(Node::Place(place)));
            if let Callee::Indirect(pointer) = callee {
                visit(Node::Expr(pointer));
            }
            program.call_args(args).iter().for_each(|arg| visit(Node::Expr(*arg)));
        }
    }
}

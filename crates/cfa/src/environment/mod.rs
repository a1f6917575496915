//! What a program runs in, where the answer depends on it: whether allocation and output can fail, how much stack there is. As in [`crate::undefined`], the program
//! is changed once, after it was read, so that the interpreter and the encoding see the same edges.

mod allocation;
pub mod expectation;
mod output;
pub mod replacement;
pub mod rows;
mod stack;

use crate::{Callee, Expr, ExprId, ExprKind, Init, Op, Place, PlaceId, PlaceKind, Program, TypeId, Var, VarKind};
use base::Span;

/// What is chosen about the environment; the default is that of the competition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Environment {
    /// Each allocation may give null.
    pub allocation_fails: bool,
    /// Each function that writes may fail.
    pub output_fails: bool,
    /// The bytes of stack that calls may need together.
    pub stack_limit: Option<u64>,
    /// Of a loop over the rows of a table, an input says which round counts.
    pub one_row: bool,
}

/// Gives the program its environment.
pub fn apply(program: &mut Program, environment: Environment) {
    if environment.allocation_fails {
        allocation::may_fail(program);
    }
    if environment.output_fails {
        output::may_fail(program);
    }
    if let Some(limit) = environment.stack_limit {
        stack::limit(program, limit);
    }
    if environment.one_row {
        rows::one_at_a_time(program);
    }
    #[cfg(debug_assertions)]
    if let Err(broken) = crate::verify::verify(program) {
        panic!("the environment broke the program representation: {broken:#?}");
    }
}

/// Whether a program allocates memory somewhere.
pub fn allocates(program: &Program) -> bool {
    let called = program.edges.values().any(|edge| match edge.op {
        Op::Call { callee: Callee::Direct(function), .. } => allocation::allocates(program, function),
        _ => false,
    });
    called
        || program
            .functions
            .ids()
            .any(|one| allocation::allocates(program, one) && allocation::is_pointed_to(program, one))
}

/// Whether a program looks at whether output succeeds.
pub fn looks_at_output(program: &Program) -> bool {
    output::matters(program)
}

/// An object of static lifetime that the text of the program does not have; its name is no identifier.
fn add_object(program: &mut Program, name: &str, ty: TypeId) -> PlaceId {
    let name = program.names.intern(name);
    let (kind, init) = (VarKind::Global, Init::Zero);
    let var = program.vars.push(Var { name, ty, kind, init, address_taken: false, read_only: false, span: Span::NONE });
    program.places.push(Place { kind: PlaceKind::Var(var), ty })
}

fn add_expr(program: &mut Program, kind: ExprKind, ty: TypeId) -> ExprId {
    program.exprs.push(Expr { kind, ty, span: Span::NONE })
}

#[cfg(test)]
mod tests;

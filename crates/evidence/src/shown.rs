//! What of a run is shown to people, and counted when its length is measured (`ALGORITHMS.md`, section 1): edges that give something of the
//! user's a value. Conditions, calls and returns as such do not count, and what only lowering knows is nobody's business.

use cfa::{Body, Callee, EdgeId, Op, PlaceId, PlaceKind, Program, VarKind, display};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gives {
    /// A local without initializer: its value is arbitrary.
    Declaration,
    Input,
    Assignment,
}

/// What an edge gives a value to, if it counts.
pub fn gives(program: &Program, edge: EdgeId) -> Option<Gives> {
    match program.edges[edge].op {
        Op::Declare(var) => {
            let ours = matches!(program.vars[var].kind, VarKind::Temp(_));
            (!ours && !is_initialized(program, edge)).then_some(Gives::Declaration)
        }
        Op::Havoc(..) => Some(Gives::Input),
        Op::Assign(place, _) => is_users(program, place).then_some(Gives::Assignment),
        Op::Call { dest, callee, .. } => {
            let dest = dest?;
            match callee {
                Callee::Direct(function) if reads_input(program, function) => Some(Gives::Input),
                _ => is_users(program, dest).then_some(Gives::Assignment),
            }
        }
        _ => None,
    }
}

fn reads_input(program: &Program, function: cfa::FuncId) -> bool {
    match program.functions[function].body {
        Body::Undefined => true,
        Body::Library(meaning) => matches!(meaning, cfa::library::LibFn::Input { .. }),
        Body::Defined(_) => false,
    }
}

/// Whether a place is one that the user wrote.
pub fn is_users(program: &Program, place: PlaceId) -> bool {
    let mut root = place;
    loop {
        match program.places[root].kind {
            PlaceKind::Var(var) => {
                return !matches!(program.vars[var].kind, VarKind::Temp(_) | VarKind::Constant);
            }
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => root = base,
            PlaceKind::Deref(pointer) => return !display::mentions_temp(program, pointer),
        }
    }
}

/// Whether a declaration gets its value at once: what follows it lies within the declarator.
pub fn is_initialized(program: &Program, declaration: EdgeId) -> bool {
    let declared = program.edges[declaration].span;
    program.successors(program.edges[declaration].to).any(|next| {
        let span = program.edges[next].span;
        declared.lo <= span.lo && span.hi <= declared.hi
    })
}

//! Which steps of a run are shown to users, and counted as its length: edges that give a variable or object of the source text a value (inputs,
//! declarations, assignments), as in Groce and Kroening 2005, figure 2. Conditions, calls, returns and variables that lowering added do not count.

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
                _ => (target(program, dest) == Target::Named).then_some(Gives::Assignment),
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

/// Whose a place is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The user's, and it reads as the user wrote it.
    Named,
    /// The user's, but reached through a temporary, as in `a[i++]`.
    Nameless,
    Ours,
}

pub fn is_users(program: &Program, place: PlaceId) -> bool {
    target(program, place) != Target::Ours
}

pub fn target(program: &Program, place: PlaceId) -> Target {
    let mut root = place;
    let mut named = Target::Named;
    loop {
        match program.places[root].kind {
            PlaceKind::Var(var) => {
                let ours = matches!(program.vars[var].kind, VarKind::Temp(_) | VarKind::Constant);
                return if ours { Target::Ours } else { named };
            }
            PlaceKind::Field(base, _) => root = base,
            PlaceKind::Index(base, index) => {
                if display::mentions_temp(program, index) {
                    named = Target::Nameless;
                }
                root = base;
            }
            PlaceKind::Deref(pointer) => {
                let hidden = display::mentions_temp(program, pointer);
                return if hidden { Target::Nameless } else { named };
            }
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

//! What witnesses say about states: texts that become conditions over the expressions of the program, and their truth.

use base::Span;
use cfa::walk::{Node, children};
use cfa::{Body, Callee, Expr, ExprId, ExprKind, FuncId, InputKind, LocId, Op, PlaceKind, Program, Type};
use cfa::{EdgeId, interp::View};
use encode::Look;
use frontend::c::expression::{Condition, Site, condition};
use logic::TermId;
use witness::convert::equations;

/// When something is passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Check {
    Always,
    /// The function whose variables it reads, if it reads any.
    When(Condition, Option<FuncId>),
    /// It cannot be told, and why.
    Unknown(String),
}

/// What `\result` is after an edge.
pub enum Returned {
    Value(ExprId),
    /// Nobody looks at what a function of the environment returns: it may have been anything.
    Any,
    /// A value that the program does not keep.
    Unknown,
    /// The edge is no return.
    Nothing,
}

pub const NOT_KEPT: &str = "a returned value that the program does not keep";

/// The program together with the expressions of a witness. Its automata are those of the original.
pub struct Conditions {
    pub program: Program,
}

impl Conditions {
    pub fn new(program: &Program) -> Self {
        Conditions { program: program.clone() }
    }

    /// The condition that a text is at a location. Old producers write several, each with a semicolon, and some write assignments.
    pub fn check(&mut self, text: &str, at: LocId, result: Option<ExprId>) -> Check {
        let mut parts = Vec::new();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            let site = Site { at, result };
            let found = condition(&mut self.program, site, part).or_else(|error| match equations(part) {
                Some(meant) => condition(&mut self.program, site, &meant),
                None => Err(error),
            });
            match found {
                Ok(condition) => parts.push(condition),
                Err(error) => return Check::Unknown(format!("`{part}`: {}", error.message)),
            }
        }
        match parts.len() {
            0 => Check::Always,
            _ => self.when(Condition::All(parts)),
        }
    }

    pub fn when(&self, condition: Condition) -> Check {
        let function = self.function_of(&condition, None);
        Check::When(condition, function)
    }

    /// The function whose variables a condition reads, if it reads any; those of `\result` are not its own.
    pub fn function_of(&self, condition: &Condition, result: Option<ExprId>) -> Option<FuncId> {
        let mut function = None;
        let mut open: Vec<Node> = condition.atoms().into_iter().map(Node::Expr).collect();
        while let Some(node) = open.pop() {
            if result.is_some_and(|result| node == Node::Expr(result)) {
                continue;
            }
            if let Node::Place(place) = node
                && let PlaceKind::Var(var) = self.program.places[place].kind
            {
                function = function.or(self.program.vars[var].kind.function());
            }
            open.extend(children(&self.program, node).into_iter().flatten());
        }
        function
    }

    /// What `\result` is after an edge: what the destination of a call holds, if that is all of the value.
    pub fn result_of(&mut self, edge: EdgeId) -> Returned {
        let program = &mut self.program;
        let (place, called) = match program.edges[edge].op {
            Op::Call { dest: Some(place), callee: Callee::Direct(function), .. } => (place, Some(function)),
            Op::Call { dest: Some(place), callee: Callee::Indirect(_), .. } => (place, None),
            Op::Havoc(place, InputKind::Nondet(function) | InputKind::External(function)) => (place, Some(function)),
            Op::Call { dest: None, callee: Callee::Direct(function), .. }
                if matches!(program.functions[function].body, Body::Undefined) =>
            {
                return Returned::Any;
            }
            Op::Call { dest: None, .. } => return Returned::Unknown,
            _ => return Returned::Nothing,
        };
        let ty = program.places[place].ty;
        let returned = called.map(|function| program.types.get(program.functions[function].ty));
        match returned {
            Some(Type::Function(signature)) if signature.result != ty => Returned::Unknown,
            _ => Returned::Value(program.exprs.push(Expr { kind: ExprKind::Read(place), ty, span: Span::NONE })),
        }
    }
}

impl Check {
    /// Nothing passes it.
    pub fn never() -> Check {
        Check::When(Condition::Any(Vec::new()), None)
    }

    /// When it is certainly passed in a symbolic state.
    pub fn symbolic(&self, look: &mut Look<'_, '_, '_>) -> TermId {
        self.symbolic_or(look, false)
    }

    /// When it is passed in a symbolic state; what cannot be told is noted, and taken for passed or not.
    pub fn symbolic_or(&self, look: &mut Look<'_, '_, '_>, unknown: bool) -> TermId {
        match self {
            Check::Always => look.pool().bool(true),
            Check::Unknown(why) => {
                look.unknown(why);
                look.pool().bool(unknown)
            }
            Check::When(_, Some(function)) if look.function() != Some(*function) => {
                look.unknown("condition over the variables of another function");
                look.pool().bool(unknown)
            }
            Check::When(condition, _) => {
                let (truth, defined) = symbolic(condition, look);
                look.pool().and(truth, defined)
            }
        }
    }
}

/// Truth, and whether there is one; parts that are not evaluated cannot fail.
fn symbolic(condition: &Condition, look: &mut Look<'_, '_, '_>) -> (TermId, TermId) {
    match condition {
        Condition::Atom(expr) => look.truth(*expr),
        Condition::Not(inner) => {
            let (truth, defined) = symbolic(inner, look);
            (look.pool().not(truth), defined)
        }
        Condition::All(parts) | Condition::Any(parts) => {
            let all = matches!(condition, Condition::All(_));
            let (mut truth, mut defined) = (look.pool().bool(all), look.pool().bool(true));
            for part in parts {
                let (next, has_value) = symbolic(part, look);
                let pool = look.pool();
                // Whether the parts before leave it open.
                let open = if all { truth } else { pool.not(truth) };
                let fine = pool.implies(open, has_value);
                defined = pool.and(defined, fine);
                truth = if all { pool.and(truth, next) } else { pool.or(truth, next) };
            }
            (truth, defined)
        }
        Condition::If(parts) => {
            let [cond, then, otherwise] = &**parts;
            let (cond, cond_defined) = symbolic(cond, look);
            let (then, then_defined) = symbolic(then, look);
            let (otherwise, otherwise_defined) = symbolic(otherwise, look);
            let pool = look.pool();
            let defined = pool.ite(cond, then_defined, otherwise_defined);
            (pool.ite(cond, then, otherwise), pool.and(cond_defined, defined))
        }
    }
}

/// The truth in a state of the interpreter; `None` where evaluating it is undefined.
pub fn concrete(condition: &Condition, view: &View<'_, '_>) -> Option<bool> {
    match condition {
        Condition::Atom(expr) => {
            let program = view.program();
            let ty = program.exprs[*expr].ty;
            view.value(*expr).ok().map(|bits| cfa::eval::truthy(&program.types, ty, bits))
        }
        Condition::Not(inner) => concrete(inner, view).map(|truth| !truth),
        Condition::All(parts) | Condition::Any(parts) => {
            let all = matches!(condition, Condition::All(_));
            for part in parts {
                if concrete(part, view)? != all {
                    return Some(!all);
                }
            }
            Some(all)
        }
        Condition::If(parts) => {
            let [cond, then, otherwise] = &**parts;
            concrete(if concrete(cond, view)? { then } else { otherwise }, view)
        }
    }
}

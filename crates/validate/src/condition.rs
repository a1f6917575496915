//! What witnesses say about states: texts that become conditions over the expressions of the program, and their truth.

use crate::lifetimes::{Lifetimes, Point};
use crate::spelling::as_c_condition;
use base::Span;
use cfa::interp::View;
use cfa::walk::{Node, children};
use cfa::{
    Anchor, Body, Callee, EdgeId, Expr, ExprId, ExprKind, FuncId, InputKind, LocId, Op, Place, PlaceKind, Program, Type,
};
use encode::Look;
use frontend::{Condition, Site, condition};
use logic::TermId;

/// When something is passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Check {
    Always,
    /// The function whose variables it reads, if it reads any.
    When(Condition, Option<FuncId>),
    /// Whether it is passed is unknown, and why.
    Unknown(String),
}

/// What `\result` is after an edge.
pub enum Returned {
    Value(ExprId),
    /// The value of an external function whose result the program discards: arbitrary.
    Any,
    /// A value that the program does not keep.
    Unknown,
    /// The edge is no return.
    Nothing,
}

pub const NOT_KEPT: &str = "a returned value that the program does not keep";
pub const OTHER_FUNCTION: &str = "condition over the variables of another function";
pub const UNDEFINED: &str = "a condition whose evaluation is undefined";

/// The program together with the expressions of a witness. Its automata are those of the original.
pub struct Conditions {
    pub program: Program,
    lifetimes: Lifetimes,
}

impl Conditions {
    pub fn new(program: &Program) -> Self {
        Conditions { program: program.clone(), lifetimes: Lifetimes::default() }
    }

    /// The condition that a text is at a point of a run, with the names of a location. Old producers write several, each with a semicolon,
    /// and some write assignments.
    pub fn check(&mut self, text: &str, names: LocId, result: Option<ExprId>, point: Point) -> Check {
        let mut parts = Vec::new();
        for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
            match self.part(part, Site { at: names, result }) {
                Ok(condition) => parts.push(condition),
                Err(error) => return Check::Unknown(format!("`{part}`: {error}")),
            }
        }
        if parts.is_empty() {
            return Check::Always;
        }
        let check = self.when(Condition::All(parts));
        match self.unborn(&check, point) {
            Some(name) => Check::Unknown(format!("`{text}`: `{name}` may not be declared yet")),
            None => check,
        }
    }

    /// The condition that a clause of the contract of a function is: on the states in which it is called, or returns.
    pub fn clause(&mut self, text: &str, anchor: Anchor) -> Result<Condition, String> {
        let (function, returns) = match anchor {
            Anchor::Requires(function) => (function, false),
            Anchor::Ensures(function) => (function, true),
            Anchor::Head(_) => return Err("no function".into()),
        };
        let at = self.program.automaton(function).ok_or("a function without a body")?.entry;
        let result = if returns { self.program.result_name(function) } else { None };
        let result = result.map(|var| {
            let ty = self.program.vars[var].ty;
            let place = self.program.places.push(Place { kind: PlaceKind::Var(var), ty });
            self.program.exprs.push(Expr { kind: ExprKind::Read(place), ty, span: Span::NONE })
        });
        let found = frontend::clause(&mut self.program, Site { at, result }, text);
        let found = found.map_err(|error| format!("`{text}`: {}", error.message))?;
        match found.atoms().into_iter().all(|atom| anchor.can_state(&self.program, atom)) {
            true => Ok(found),
            false => Err(format!("`{text}`: a contract speaks of scalar parameters and of memory that callers see")),
        }
    }

    /// Whether a text has a meaning with the names of a location.
    pub fn is_known(&mut self, text: &str, names: LocId) -> bool {
        let mut parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
        parts.all(|part| self.part(part, Site { at: names, result: None }).is_ok())
    }

    fn part(&mut self, text: &str, site: Site) -> Result<Condition, String> {
        let error = match condition(&mut self.program, site, text) {
            Ok(condition) => return Ok(condition),
            Err(error) => error.message,
        };
        let as_c_condition = as_c_condition(text).ok_or_else(|| error.clone())?;
        let found = condition(&mut self.program, site, &as_c_condition).map_err(|_| error)?;
        Ok(if witness::convert::equations(text).is_some() { self.assigned(found) } else { found })
    }

    /// What an assignment leaves: a value that was converted to the type of its place, of a bit-field to its width.
    fn assigned(&mut self, condition: Condition) -> Condition {
        match condition {
            Condition::Atom(expr) => {
                Condition::Atom(crate::spelling::assigned(&mut self.program, expr).unwrap_or(expr))
            }
            Condition::All(parts) => Condition::All(parts.into_iter().map(|part| self.assigned(part)).collect()),
            other => other,
        }
    }

    pub fn when(&self, condition: Condition) -> Check {
        let function = self.function_of(&condition, None);
        Check::When(condition, function)
    }

    /// The places that a condition reads; those of `\result` are not its own.
    fn places_of(&self, condition: &Condition, result: Option<ExprId>) -> Vec<cfa::PlaceId> {
        let mut found = Vec::new();
        let mut open: Vec<Node> = condition.atoms().into_iter().map(Node::Expr).collect();
        while let Some(node) = open.pop() {
            if result.is_some_and(|result| node == Node::Expr(result)) {
                continue;
            }
            if let Node::Place(place) = node {
                found.push(place);
            }
            open.extend(children(&self.program, node).into_iter().flatten());
        }
        found
    }

    fn vars_of<'s>(
        &'s self,
        condition: &Condition,
        result: Option<ExprId>,
    ) -> impl Iterator<Item = cfa::VarId> + use<'s> {
        self.places_of(condition, result).into_iter().filter_map(|place| match self.program.places[place].kind {
            PlaceKind::Var(var) => Some(var),
            _ => None,
        })
    }

    /// The function whose variables a condition reads, if it reads any; those of `\result` are not its own.
    pub fn function_of(&self, condition: &Condition, result: Option<ExprId>) -> Option<FuncId> {
        self.vars_of(condition, result).find_map(|var| self.program.vars[var].kind.function())
    }

    /// A variable of a check that some runs have not declared when they come to a point.
    fn unborn(&mut self, check: &Check, point: Point) -> Option<String> {
        let Check::When(condition, _) = check else { return None };
        let vars: Vec<cfa::VarId> = self.vars_of(condition, None).collect();
        let var = vars.into_iter().find(|var| !self.lifetimes.is_declared(&self.program, *var, point))?;
        Some(self.program.name(self.program.vars[var].name).to_string())
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

/// What a symbolic state says about a check.
pub struct CheckTruth<'c> {
    /// When it is certainly passed.
    pub holds: TermId,
    /// When it is unknown whether it is passed.
    pub unsure: TermId,
    pub why: &'c str,
}

impl Check {
    /// Nothing passes it.
    pub fn never() -> Check {
        Check::When(Condition::Any(Vec::new()), None)
    }

    pub fn symbolic(&self, look: &mut Look<'_, '_, '_>) -> CheckTruth<'_> {
        let (never, always) = (look.pool().bool(false), look.pool().bool(true));
        match self {
            Check::Always => CheckTruth { holds: always, unsure: never, why: "" },
            Check::Unknown(why) => CheckTruth { holds: never, unsure: always, why },
            Check::When(_, Some(function)) if look.function() != Some(*function) => {
                CheckTruth { holds: never, unsure: always, why: OTHER_FUNCTION }
            }
            Check::When(condition, _) => {
                let (truth, defined) = symbolic(condition, look);
                let holds = look.pool().and(truth, defined);
                CheckTruth { holds, unsure: look.pool().not(defined), why: UNDEFINED }
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
            view.strict().value(*expr).ok().map(|bits| cfa::eval::truthy(&program.types, ty, bits))
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

//! Which variables matter when a recursive function is called and when it returns, and which conditions the text has about them: those of the function, and
//! those of its callers on what they pass and get. In conditions on returning, parameters have the values of the call, `\old(x)` is what `x` was then.

use crate::Candidate;
use crate::assigned::Assigned;
use crate::build::Builder;
use crate::effects::{Effects, edges};
use crate::scope::{ClaimScope, Condition, Reachable, Recorded, Role, Term, closure};
use cfa::analysis::Recursion;
use cfa::walk::{Node, children};
use cfa::{Anchor, Callee, EdgeId, ExprId, ExprKind, FuncId, Op, PlaceId, PlaceKind, Program, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Terms of one scope, and conditions.
const MAX_TERMS: usize = 24;
const MAX_CONDITIONS: usize = 120;

/// The calls and the returns of all recursive functions that can be reached.
pub fn scopes(builder: &mut Builder<'_>, reachable: &Reachable, assigned: &Assigned) -> Vec<ClaimScope> {
    let recursion = Recursion::of(builder.program());
    let recursive: Vec<FuncId> = reachable.functions.iter().copied().filter(|f| recursion.is_recursive(*f)).collect();
    let mut found = Vec::new();
    for function in recursive {
        let parts = Parts::of(builder, reachable, function);
        found.push(calls(builder, &parts, assigned));
        found.push(returns(builder, &parts, assigned));
    }
    found
}

/// A function, and what it and the functions that it calls do.
struct Parts {
    function: FuncId,
    own: Effects,
    all: Effects,
    /// Scalars that are not variables of the function and that conditions can name, and whether they are written.
    places: Vec<(PlaceId, bool)>,
    params: Vec<VarId>,
    callers: Vec<Caller>,
    constants: Vec<i128>,
}

/// A caller of the function: its conditions, and what its variables are in the function.
struct Caller {
    conditions: Vec<(ExprId, Role)>,
    passed: Vec<(VarId, VarId)>,
    returned: Vec<VarId>,
}

impl Parts {
    fn of(builder: &mut Builder<'_>, reachable: &Reachable, function: FuncId) -> Self {
        let own_edges: Vec<EdgeId> = edges(builder.program(), function).collect();
        let own = Effects::of(builder, own_edges);
        let below = closure(builder.program(), &reachable.targets, [function]);
        let below: Vec<EdgeId> = below.iter().flat_map(|one| edges(builder.program(), *one)).collect();
        let all = Effects::of(builder, below);
        let program = builder.program();
        let params = program.functions[function].params.iter().copied();
        let params: Vec<VarId> = params.filter(|param| program.types.is_scalar(program.vars[*param].ty)).collect();
        // A pointer that keeps its value leads to the same place when the function returns.
        let kept: BTreeSet<VarId> = params.iter().copied().filter(|param| !is_written(builder, &own, *param)).collect();
        let program = builder.program();
        let mentioned: BTreeSet<PlaceId> = own.mentioned.iter().chain(&all.mentioned).copied().collect();
        let is_named = |place: &PlaceId| match base(program, *place) {
            Some(Base::Static) => true,
            Some(Base::Behind(param)) => kept.contains(&param),
            None => false,
        };
        let mut places: Vec<(PlaceId, bool)> =
            mentioned.into_iter().filter(is_named).map(|place| (place, all.writes(program, place))).collect();
        places.sort_by_key(|(place, written)| (!written, !own.in_condition.contains(place), *place));
        places.truncate(MAX_TERMS / 3);
        let callers = callers(builder, reachable, function);
        let mut constants: BTreeSet<i128> = all.constants.clone();
        constants.extend(&reachable.constants);
        Parts { function, own, all, places, params, callers, constants: constants.into_iter().collect() }
    }

    fn scope(
        &self,
        builder: &mut Builder<'_>,
        anchor: Anchor,
        mut terms: Vec<Term>,
        conditions: Vec<Condition>,
        assigned: &Assigned,
    ) -> ClaimScope {
        terms.truncate(MAX_TERMS);
        let values = |term: &Term| match term.recorded {
            Recorded::Returned => assigned.returned(self.function),
            Recorded::Here | Recorded::AtCall(_) => assigned.values(builder.program(), term.place),
        };
        ClaimScope {
            anchor,
            function: self.function,
            by_place: terms.iter().enumerate().map(|(index, term)| (term.place, index)).collect(),
            assigned: terms.iter().map(values).collect(),
            conditions,
            multiplies: self.all.multiplies,
            constants: self.constants.clone(),
            terms,
        }
    }

    /// The conditions of the function and of what it calls, with others.
    fn conditions(&self, more: Vec<Condition>) -> Vec<Condition> {
        let role = |role: Role| if role == Role::Assertion { role } else { Role::Inside };
        let own = self.all.conditions.iter().map(|(expr, of)| Condition { expr: *expr, role: role(*of) });
        let mut seen = FxHashSet::default();
        let mut all: Vec<Condition> = more.into_iter().chain(own).filter(|one| seen.insert(one.expr)).collect();
        all.truncate(MAX_CONDITIONS);
        all
    }
}

enum Base {
    Static,
    Behind(VarId),
}

/// What a place in the builder's form is a part of, if that is not a variable of a function.
fn base(program: &Program, mut place: PlaceId) -> Option<Base> {
    loop {
        match program.places[place].kind {
            PlaceKind::Field(inner, _) | PlaceKind::Index(inner, _) => place = inner,
            PlaceKind::Var(var) => return (program.vars[var].kind == VarKind::Global).then_some(Base::Static),
            PlaceKind::Deref(pointer) => {
                let ExprKind::Read(inner) = program.exprs[pointer].kind else { return None };
                let PlaceKind::Var(var) = program.places[inner].kind else { return None };
                return Some(Base::Behind(var));
            }
        }
    }
}

fn is_written(builder: &mut Builder<'_>, effects: &Effects, var: VarId) -> bool {
    let place = builder.variable(var);
    builder.program().vars[var].address_taken || effects.writes(builder.program(), place)
}

/// What may hold when the function is called.
fn calls(builder: &mut Builder<'_>, parts: &Parts, assigned: &Assigned) -> ClaimScope {
    let mut terms = Vec::new();
    for param in &parts.params {
        let place = builder.variable(*param);
        terms.push(term(builder, place, true, true, Recorded::Here));
    }
    for (place, written) in &parts.places {
        let in_condition = parts.all.in_condition.contains(place);
        terms.push(term(builder, *place, *written, in_condition, Recorded::Here));
    }
    let mut expected = Vec::new();
    for caller in &parts.callers {
        let names = passed(builder, caller);
        expected.extend(substituted(builder, &caller.conditions, &names));
    }
    let conditions = parts.conditions(expected);
    parts.scope(builder, Anchor::Requires(parts.function), terms, conditions, assigned)
}

/// What may hold when the function returns.
fn returns(builder: &mut Builder<'_>, parts: &Parts, assigned: &Assigned) -> ClaimScope {
    let mut terms = Vec::new();
    let result = builder.result_of(parts.function);
    if let Some(place) = result {
        terms.push(term(builder, place, true, true, Recorded::Returned));
    }
    for (place, written) in &parts.places {
        let in_condition = parts.all.in_condition.contains(place);
        terms.push(term(builder, *place, *written, in_condition, Recorded::Here));
    }
    for param in &parts.params {
        let place = builder.variable(*param);
        let read = builder.read(place);
        terms.push(term(builder, place, false, true, Recorded::AtCall(read)));
    }
    let mut before = Names::default();
    for (place, _) in parts.places.iter().filter(|(_, written)| *written) {
        let read = builder.read(*place);
        let old = builder.old(read);
        let in_condition = parts.all.in_condition.contains(place);
        terms.push(term(builder, old, false, in_condition, Recorded::AtCall(read)));
        let old = builder.read(old);
        before.places.insert(*place, old);
    }
    // What the function tests is what its variables were when it was called, as long as nothing was written.
    let own: Vec<(ExprId, Role)> = parts.own.conditions.keys().map(|expr| (*expr, Role::Inside)).collect();
    let mut more = substituted(builder, &own, &before);
    for caller in &parts.callers {
        let mut names = passed(builder, caller);
        for var in &caller.returned {
            if let Some(place) = result {
                names.vars.insert(*var, builder.read(place));
            }
        }
        more.extend(substituted(builder, &caller.conditions, &names));
    }
    let conditions = parts.conditions(more);
    parts.scope(builder, Anchor::Ensures(parts.function), terms, conditions, assigned)
}

/// The parameters that a caller's variables are.
fn passed(builder: &mut Builder<'_>, caller: &Caller) -> Names {
    let mut names = Names::default();
    for (var, param) in &caller.passed {
        let place = builder.variable(*param);
        names.vars.insert(*var, builder.read(place));
    }
    names
}

fn term(builder: &mut Builder<'_>, place: PlaceId, written: bool, in_condition: bool, recorded: Recorded) -> Term {
    let read = builder.read(place);
    Term { place, read, ty: builder.ty(read), written, in_condition, recorded }
}

/// What was found to hold at calls of a function, for its returns: where the last thing that a function does is to call itself, the state in which the last
/// activation begins is the one that all of them leave. Only conditions on memory: parameters are those of the call in both.
pub fn kept_by_returns(program: &Program, scope: &ClaimScope, found: &[Candidate]) -> Vec<ExprId> {
    let Anchor::Ensures(function) = scope.anchor else { return Vec::new() };
    let calls = found.iter().filter(|candidate| candidate.anchor == Anchor::Requires(function));
    let is_kept = |place: PlaceId| {
        let term = scope.term_of(place).map(|index| scope.terms[index]);
        term.is_some_and(|term| term.recorded == Recorded::Here)
    };
    let is_about_memory = |candidate: &&Candidate| {
        let mut open = vec![candidate.expr];
        while let Some(expr) = open.pop() {
            match program.exprs[expr].kind {
                ExprKind::Read(place) if is_kept(place) => {}
                ExprKind::Read(_) => return false,
                _ => open.extend(children(program, Node::Expr(expr)).into_iter().flatten().filter_map(
                    |node| match node {
                        Node::Expr(expr) => Some(expr),
                        Node::Place(_) => None,
                    },
                )),
            }
        }
        true
    };
    calls.filter(is_about_memory).map(|candidate| candidate.expr).collect()
}

/// The functions that call a function directly.
fn callers(builder: &mut Builder<'_>, reachable: &Reachable, function: FuncId) -> Vec<Caller> {
    let mut found = Vec::new();
    for caller in &reachable.functions {
        let program = builder.program();
        let params = program.functions[function].params.clone();
        let (mut passed, mut returned): (Vec<(VarId, VarId)>, Vec<VarId>) = (Vec::new(), Vec::new());
        let mut calls = false;
        for edge in edges(program, *caller) {
            let Op::Call { dest, callee: Callee::Direct(called), args } = program.edges[edge].op else { continue };
            if called != function {
                continue;
            }
            calls = true;
            let args = program.call_args(args).iter().zip(&params);
            passed.extend(args.filter_map(|(arg, param)| Some((variable_read(program, *arg)?, *param))));
            returned.extend(dest.and_then(|dest| variable(program, dest)));
        }
        if !calls {
            continue;
        }
        // What is copied from a result, or to an argument.
        for edge in edges(program, *caller) {
            let Op::Assign(to, value) = program.edges[edge].op else { continue };
            let (Some(to), Some(from)) = (variable(program, to), variable_read(program, value)) else { continue };
            if returned.contains(&from) && !returned.contains(&to) {
                returned.push(to);
            }
            if let Some((_, param)) = passed.iter().find(|(var, _)| *var == to).copied() {
                passed.push((from, param));
            }
        }
        // A parameter of the function itself is its own name.
        if *caller == function {
            passed.clear();
            returned.retain(|var| !params.contains(var));
        }
        let caller_edges: Vec<EdgeId> = edges(program, *caller).collect();
        let conditions = Effects::of(builder, caller_edges).conditions;
        let conditions = conditions.into_keys().map(|expr| (expr, Role::Assertion)).collect();
        found.push(Caller { conditions, passed, returned });
    }
    found
}

fn variable(program: &Program, place: PlaceId) -> Option<VarId> {
    match program.places[place].kind {
        PlaceKind::Var(var) => program.types.is_scalar(program.vars[var].ty).then_some(var),
        _ => None,
    }
}

/// The variable whose value an expression is, possibly converted.
fn variable_read(program: &Program, expr: ExprId) -> Option<VarId> {
    match program.exprs[expr].kind {
        ExprKind::Read(place) => variable(program, place),
        ExprKind::Cast(inner) if program.exprs[inner].ty.int_kind().is_some() => variable_read(program, inner),
        _ => None,
    }
}

/// What stands for variables, and for places in the builder's form.
#[derive(Default)]
struct Names {
    vars: FxHashMap<VarId, ExprId>,
    places: FxHashMap<PlaceId, ExprId>,
}

/// Conditions with other names in them; those that do not change are left out.
fn substituted(builder: &mut Builder<'_>, conditions: &[(ExprId, Role)], names: &Names) -> Vec<Condition> {
    let mut found = Vec::new();
    for (expr, role) in conditions {
        if let Some(new) = substitute(builder, *expr, names)
            && new != *expr
        {
            found.push(Condition { expr: new, role: *role });
        }
    }
    found
}

fn substitute(builder: &mut Builder<'_>, expr: ExprId, names: &Names) -> Option<ExprId> {
    let node = builder.program().exprs[expr];
    let kind = match node.kind {
        ExprKind::Const(_) => return Some(expr),
        ExprKind::Read(place) => {
            let named = match variable(builder.program(), place) {
                Some(var) => names.vars.get(&var).copied(),
                None => None,
            };
            let named = match named {
                Some(named) => Some(named),
                None => builder.place(place).and_then(|place| names.places.get(&place).copied()),
            };
            let Some(named) = named else { return Some(expr) };
            let numbers = builder.ty(named).int_kind().is_some() && node.ty.int_kind().is_some();
            return (numbers || builder.ty(named) == node.ty).then(|| builder.cast(named, node.ty));
        }
        ExprKind::Unary(op, a) => ExprKind::Unary(op, substitute(builder, a, names)?),
        ExprKind::Binary(op, a, b) => {
            ExprKind::Binary(op, substitute(builder, a, names)?, substitute(builder, b, names)?)
        }
        ExprKind::Cast(a) => ExprKind::Cast(substitute(builder, a, names)?),
        _ => return None,
    };
    Some(if kind == node.kind { expr } else { builder.expr(kind, node.ty) })
}

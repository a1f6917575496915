//! Correctness witnesses, by induction: the invariants at loop heads are what is to be proved together with the property. With `Policy::Candidates`
//! (Beyer et al. 2022, section 4.3) they are candidates, and own ones may help; strictly, they have to be inductive and to suffice by themselves.
//!
//! An invariant that is claimed for some states of an automaton only is taken as claimed whenever its place is reached: what holds always holds then too.

use super::{Claims, Located, Policy, Seen, Watcher, contracts};
use crate::WitnessTask;
use crate::condition::Check;
use crate::proof::{check, cut_loops};
use base::Budget;
use cfa::{Anchor, BinOp, ExprId, Program, TypeId, UnOp, loops};
use encode::Moment;
use engine::induction::{Goal, prove};
use evidence::{Invariant, Invariants, Proof, Verdict};
use frontend::Condition;
use logic::{Satisfiability, Solver, TermId};
use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

/// For how long it is looked for invariants that the proof can do without.
const LEAVING_OUT: Duration = Duration::from_millis(500);

/// How a witness was proved, for the report, and the numbers of the invariants that the proof rests on; or nothing.
pub fn confirm(
    witness_task: &WitnessTask<'_>,
    program: &Program,
    claims: &Claims,
    policy: Policy,
    budget: &Budget,
) -> Option<(String, Vec<usize>)> {
    if claims.located.iter().any(|invariant| invariant.problem.is_some()) {
        return None;
    }
    let mut program = program.clone();
    let mut stated = at_heads(&mut program, &claims.located);
    let clauses = contracts::exprs(&mut program, &claims.located)?;
    stated.extend(clauses.into_iter().map(|(number, anchor, expr)| (number, Invariant { anchor, expr })));
    let given: Vec<Invariant> = stated.iter().map(|(_, invariant)| *invariant).collect();
    let goal = Goal { given: &given, proposes: policy == Policy::Candidates, ..Goal::PROPERTY };
    let Verdict::Safe(Proof::Invariants(proof)) = prove(&goal, witness_task.task.about(&program), budget) else {
        return None;
    };
    let used = |proof: &Invariants| used(&stated, proof, witness_task, &budget.within(LEAVING_OUT));
    encode::on_large_stack(|| holds(witness_task, claims, &proof, budget)).then(|| {
        let own = proof.conditions.len() - given.len();
        let said = match given.len() {
            0 => "no stated invariant is needed".to_string(),
            1 => "the stated invariant is inductive".to_string(),
            count => format!("the {count} stated invariants are inductive"),
        };
        let more = if own == 0 { String::new() } else { format!(", with {own} that the witness does not state") };
        (format!("the property is proved by induction: {said}{more}"), used(&proof))
    })
}

/// The stated invariants that a proof cannot do without, by number, one left out after the other.
fn used(
    stated: &[(usize, Invariant)],
    proof: &Invariants,
    witness_task: &WitnessTask<'_>,
    budget: &Budget,
) -> Vec<usize> {
    let mut smaller = proof.clone();
    let numbers: BTreeSet<usize> = stated.iter().map(|(number, _)| *number).collect();
    let mut used = Vec::new();
    for number in numbers {
        let without = |one: &Invariant| !stated.iter().any(|(other, invariant)| *other == number && invariant == one);
        let conditions = smaller.conditions.iter().copied().filter(without).collect();
        let fewer = Invariants { conditions, ..smaller.clone() };
        match check(&fewer, witness_task.task, budget) {
            Ok(()) => smaller = fewer,
            Err(_) => used.push(number),
        }
    }
    used
}

/// The stated invariants that are claimed at loop heads, with their numbers.
fn at_heads(program: &mut Program, located: &[Located]) -> Vec<(usize, Invariant)> {
    let functions: Vec<cfa::FuncId> = program.functions.ids().collect();
    let heads: HashSet<cfa::LocId> =
        functions.into_iter().flat_map(|function| loops::loops(program, function)).map(|one| one.head).collect();
    let mut found = Vec::new();
    let checks = located.iter().enumerate().flat_map(|(number, one)| one.checks.iter().map(move |one| (number, one)));
    for (number, (moment, check)) in checks {
        let head = match moment {
            Moment::Before(edge) => program.edges[*edge].from,
            Moment::After(edge) => program.edges[*edge].to,
            Moment::Enter(..) | Moment::Start(_) => continue,
        };
        if !heads.contains(&head) {
            continue;
        }
        if let Check::When(condition, _) = check
            && let Some(exprs) = conjuncts(program, condition)
        {
            let invariant = |expr: ExprId| (number, Invariant { anchor: Anchor::Head(head), expr });
            found.extend(exprs.into_iter().map(invariant));
        }
    }
    found.dedup();
    found
}

/// A condition as expressions that all hold.
pub fn conjuncts(program: &mut Program, condition: &Condition) -> Option<Vec<ExprId>> {
    match condition {
        Condition::All(parts) => {
            let parts: Option<Vec<Vec<ExprId>>> = parts.iter().map(|part| conjuncts(program, part)).collect();
            Some(parts?.into_iter().flatten().collect())
        }
        other => truth(program, other).map(|expr| vec![expr]),
    }
}

/// A condition as one expression that is 0 or 1. All of it is evaluated, so it may have no value where the condition has one.
fn truth(program: &mut Program, condition: &Condition) -> Option<ExprId> {
    let int =
        |program: &mut Program, kind| program.exprs.push(cfa::Expr { kind, ty: TypeId::INT, span: base::Span::NONE });
    let not = |program: &mut Program, expr| int(program, cfa::ExprKind::Unary(UnOp::Not, expr));
    let joined = |program: &mut Program, op: BinOp, parts: &[Condition]| {
        let parts: Option<Vec<ExprId>> = parts.iter().map(|part| truth(program, part)).collect();
        parts?.into_iter().reduce(|left, right| int(program, cfa::ExprKind::Binary(op, left, right)))
    };
    match condition {
        Condition::Atom(expr) => {
            let inverse = not(program, *expr);
            Some(not(program, inverse))
        }
        Condition::Not(inner) => {
            let inner = truth(program, inner)?;
            Some(not(program, inner))
        }
        Condition::All(parts) => joined(program, BinOp::And, parts),
        Condition::Any(parts) => joined(program, BinOp::Or, parts),
        Condition::If(parts) => {
            let [cond, yes, no] = &**parts;
            let (cond, yes, no) = (truth(program, cond)?, truth(program, yes)?, truth(program, no)?);
            let inverse = not(program, cond);
            let yes = int(program, cfa::ExprKind::Binary(BinOp::And, cond, yes));
            let no = int(program, cfa::ExprKind::Binary(BinOp::And, inverse, no));
            Some(int(program, cfa::ExprKind::Binary(BinOp::Or, yes, no)))
        }
    }
}

/// Checks a proof once more, and with it all invariants at all their places.
fn holds(witness_task: &WitnessTask<'_>, claims: &Claims, proof: &Invariants, budget: &Budget) -> bool {
    let everywhere = Claims { table: None, located: claims.located.clone(), at: claims.at.clone() };
    let watcher = Box::new(Watcher { claims: &everywhere, program: &proof.program });
    let executed = cut_loops(proof, witness_task.task, Some(watcher), budget);
    let Ok((mut encoder, unrolling)) = executed else { return false };
    let mut conds: Vec<TermId> = unrolling.obligations.iter().map(|obligation| obligation.cond).collect();
    conds.extend(unrolling.broken.iter().map(|(_, cond)| *cond));
    let seen = unrolling.sightings.iter().filter(|(what, _)| Seen::Broken.is_in(*what) || Seen::Undefined.is_in(*what));
    conds.extend(seen.map(|(_, cond)| *cond));
    let any = encoder.pool.or_all(&conds);
    matches!(Solver::new().check(&encoder.pool, &[any], budget), Satisfiability::Unsat(_))
}

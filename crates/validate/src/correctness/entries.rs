//! The places of the invariants of YAML witnesses.

use super::Located;
use crate::condition::{Check, Conditions};
use crate::lifetimes::Point;
use crate::places::Places;
use cfa::{Anchor, EdgeId, ExprId};
use encode::Moment;
use frontend::Condition;
use witness::model::{Claim, Content, Contract, Entry, ExpressionFormat, Invariant, InvariantKind};

pub fn locate(entries: &[Entry], places: &Places<'_>, conditions: &mut Conditions) -> Result<Vec<Located>, String> {
    let mut located = Vec::new();
    for entry in entries {
        match &entry.content {
            Content::Invariants(claims) => {
                located.extend(claims.iter().map(|claim| claimed(claim, places, conditions)));
            }
            Content::Ghosts(_) => return Err("ghost variables are not supported".into()),
            Content::Violation(_) => return Err("a violation sequence in a correctness witness".into()),
        }
    }
    Ok(located)
}

fn claimed(claim: &Claim, places: &Places<'_>, conditions: &mut Conditions) -> Located {
    match claim {
        Claim::Contract(contract) => {
            let (clauses, problem) = match clauses(contract, places, conditions) {
                Ok(clauses) => (clauses, None),
                Err(problem) => (Vec::new(), Some(problem)),
            };
            let part = |word: &str, text: &Option<String>| text.as_ref().map(|text| format!("{word} {text}"));
            let texts = [part("requires", &contract.requires), part("ensures", &contract.ensures)];
            let expression = texts.into_iter().flatten().collect::<Vec<_>>().join("; ");
            Located {
                line: Some(contract.location.line),
                expression,
                checks: Vec::new(),
                clauses,
                problem,
                state: None,
            }
        }
        Claim::Invariant(invariant) => {
            let (checks, problem) = match checks(invariant, places, conditions) {
                Ok(checks) => (checks, None),
                Err(problem) => (Vec::new(), Some(problem)),
            };
            let line = invariant.location.as_ref().map(|location| location.line);
            Located { line, expression: invariant.value.clone(), checks, clauses: Vec::new(), problem, state: None }
        }
    }
}

/// The clauses of a contract.
fn clauses(
    contract: &Contract,
    places: &Places<'_>,
    conditions: &mut Conditions,
) -> Result<Vec<(Anchor, Condition)>, String> {
    let function = match &contract.location.function {
        Some(name) => places.source.function(name),
        None => places.source.function_at(contract.location.line),
    };
    let function = function.ok_or_else(|| format!("no function is defined in line {}", contract.location.line))?;
    let texts = [(Anchor::Requires(function), &contract.requires), (Anchor::Ensures(function), &contract.ensures)];
    let mut found = Vec::new();
    for (anchor, text) in texts {
        let Some(text) = text else { continue };
        let condition = conditions.clause(text, anchor)?;
        let in_c = matches!(contract.format, None | Some(ExpressionFormat::C));
        let same = |atom: &ExprId| cfa::acsl::is_same_in_acsl(&conditions.program, *atom);
        if !in_c && !condition.atoms().iter().all(same) {
            return Err(format!("`{text}`: C and ACSL compute this differently"));
        }
        found.push((anchor, condition));
    }
    Ok(found)
}

fn checks(
    invariant: &Invariant,
    places: &Places<'_>,
    conditions: &mut Conditions,
) -> Result<Vec<(Moment, Check)>, String> {
    let Some(location) = &invariant.location else {
        return Err("an invariant without a place is not supported".into());
    };
    if !matches!(invariant.format, None | Some(ExpressionFormat::C)) {
        return Err("only invariants in plain C are supported".into());
    }
    let edges: Vec<EdgeId> = match invariant.kind {
        InvariantKind::Loop => places.loop_condition(location.line, location.column)?,
        InvariantKind::Location => places.statement(location.line, location.column),
        kind => return Err(format!("{} is not supported", kind.word())),
    };
    if edges.is_empty() {
        return Err(format!("nothing begins in line {} where the invariant is to hold", location.line));
    }
    let check = |edge: EdgeId| {
        let at = places.program.edges[edge].from;
        match conditions.check(&invariant.value, at, None, Point::At(at)) {
            Check::Unknown(why) => Err(why),
            check => Ok((Moment::Before(edge), check)),
        }
    };
    edges.into_iter().map(check).collect()
}

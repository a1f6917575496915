//! The places of the invariants of YAML witnesses.

use super::Located;
use crate::condition::{Check, Conditions};
use crate::lifetimes::Point;
use crate::places::Places;
use cfa::EdgeId;
use encode::Moment;
use witness::model::{Claim, Content, Entry, ExpressionFormat, Invariant, InvariantKind};

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
        Claim::Contract(contract) => Located {
            line: Some(contract.location.line),
            expression: contract.ensures.clone().unwrap_or_else(|| "1".into()),
            checks: Vec::new(),
            problem: Some("function contracts are not supported".into()),
            state: None,
        },
        Claim::Invariant(invariant) => {
            let (checks, problem) = match checks(invariant, places, conditions) {
                Ok(checks) => (checks, None),
                Err(problem) => (Vec::new(), Some(problem)),
            };
            let line = invariant.location.as_ref().map(|location| location.line);
            Located { line, expression: invariant.value.clone(), checks, problem, state: None }
        }
    }
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

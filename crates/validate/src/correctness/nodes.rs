//! The places of the invariants of automata: an invariant is claimed where a step of the automaton leads to its node.

use super::Located;
use crate::condition::{Check, Conditions};
use crate::places::Places;
use crate::table::{Rule, TOO_LARGE, Table, automaton};
use base::Budget;
use cfa::FuncId;
use witness::Automaton;
use witness::model::Edge;

pub fn locate(
    automaton: &Automaton,
    places: &Places<'_>,
    conditions: &mut Conditions,
    entry: FuncId,
    budget: &Budget,
) -> Result<(Vec<Located>, Table), String> {
    let table = automaton::table(automaton, places, conditions, entry, budget)?;
    let mut located = Vec::new();
    for (index, node) in automaton.nodes.iter().enumerate() {
        let Some(text) = node.invariant.as_ref().filter(|text| !matches!(text.trim(), "true" | "1" | "")) else {
            continue;
        };
        if budget.expired() {
            return Err(TOO_LARGE.into());
        }
        let state = index as u32;
        let claim =
            Edge { assumption: Some(text.clone()), assumption_scope: node.invariant_scope.clone(), ..Edge::default() };
        let mut found = Located {
            line: None,
            expression: text.clone(),
            checks: Vec::new(),
            clauses: Vec::new(),
            problem: None,
            state: Some(state),
        };
        let mut into = automaton.edges.iter().filter(|edge| edge.target == node.id);
        found.line = into.find_map(|edge| edge.guard.start_line);
        for (moment, groups) in &table.groups {
            let leads = |rule: &Rule| rule.to == Some(state);
            if !groups.values().any(|group| group.rules.iter().any(leads)) {
                continue;
            }
            match automaton::condition(&claim, *moment, places, conditions, entry) {
                Check::Unknown(why) => drop(found.problem.get_or_insert(why)),
                check => found.checks.push((*moment, check)),
            }
        }
        if found.checks.is_empty() && found.problem.is_none() {
            found.problem = Some(format!("no operation leads to the node {} of an invariant", node.id));
        }
        located.push(found);
    }
    Ok((located, table))
}

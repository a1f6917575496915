//! The rules of an automaton (GraphML). An edge of the witness is taken when an operation of the program matches its source-code guard; when it
//! matches and the assumption does not hold, the run is not meant; operations that match nothing change nothing (paper 2, section 3.1).

use super::rules::{Check, Moment, Otherwise, Rule, Rules};
use crate::statics::TOO_LARGE;
use base::Budget;
use cfa::{EdgeId, Op, Program};
use std::collections::{HashMap, HashSet, VecDeque};
use witness::model::{Automaton, Edge, Guard};
use witness::program::Source;

pub fn rules(
    automaton: &Automaton,
    source: &Source<'_>,
    program: &Program,
    entry: &str,
    budget: &Budget,
) -> Result<Rules, &'static str> {
    let mut rules = Rules::new(program, Otherwise::Die);
    let ids: HashMap<&str, usize> =
        automaton.nodes.iter().enumerate().map(|(index, node)| (node.id.as_str(), index)).collect();
    let state = |id: &str| ids.get(id).copied();
    let flagged = |flag: fn(&witness::model::Node) -> bool| {
        automaton.nodes.iter().enumerate().filter(|(_, node)| flag(node)).map(|(index, _)| index).collect::<Vec<_>>()
    };
    rules.start = flagged(|node| node.entry);
    rules.accepting = flagged(|node| node.violation);
    let sinks: HashSet<usize> = flagged(|node| node.sink).into_iter().collect();
    let accepting: HashSet<usize> = rules.accepting.iter().copied().collect();
    let mut known: HashMap<String, Vec<EdgeId>> = HashMap::new();
    let mut backwards: HashMap<usize, Vec<usize>> = HashMap::new();
    for edge in &automaton.edges {
        if budget.expired() {
            return Err(TOO_LARGE);
        }
        let (Some(from), Some(to)) = (state(&edge.source), state(&edge.target)) else { continue };
        backwards.entry(to).or_default().push(from);
        let matches = known.entry(format!("{:?}", edge.guard)).or_insert_with(|| matching(&edge.guard, source)).clone();
        let target = (!sinks.contains(&to)).then_some(to);
        let accepts = accepting.contains(&to);
        transition(&mut rules, source, edge, from, target, &matches, entry, accepts);
    }
    let mut open: VecDeque<usize> = rules.accepting.iter().copied().collect();
    rules.distance = open.iter().map(|state| (*state, 0)).collect();
    while let Some(state) = open.pop_front() {
        let next = rules.distance[&state] + 1;
        for before in backwards.get(&state).into_iter().flatten() {
            if !rules.distance.contains_key(before) {
                rules.distance.insert(*before, next);
                open.push_back(*before);
            }
        }
    }
    Ok(rules)
}

/// The operations that a guard means; which function is entered or left is decided when it happens.
fn matching(guard: &Guard, source: &Source<'_>) -> Vec<EdgeId> {
    let without = Guard { enter_function: None, return_from: None, ..guard.clone() };
    let all = |guard: &Guard| source.matching(guard).into_iter().map(|step| step.edge).collect::<Vec<_>>();
    match guard.enter_function {
        Some(_) => {
            let calls = all(&Guard { return_from: None, ..guard.clone() });
            if calls.is_empty() { all(&without) } else { calls }
        }
        None => all(&without),
    }
}

fn transition(
    rules: &mut Rules,
    source: &Source<'_>,
    edge: &Edge,
    from: usize,
    to: Option<usize>,
    matches: &[EdgeId],
    entry: &str,
    accepts: bool,
) {
    let text = edge.assumption.clone().unwrap_or_default();
    let line = edge.guard.start_line.unwrap_or(0);
    let begins = edge.guard.enter_function.as_deref() == Some(entry);
    let outside = matches.is_empty() && edge.guard.start_line.is_some_and(|line| source.function_at(line).is_none());
    if begins || outside {
        // Declarations outside of functions are carried out before the run.
        let function = source.function(entry);
        let at = function.and_then(|function| rules.program.automaton(function)).map(|automaton| automaton.entry);
        let at = at.map(|at| rules.program.successors(at).next().map_or(at, |edge| rules.program.edges[edge].from));
        let check = at.map_or(Check::Always, |at| rules.check(&text, at, None));
        rules.add(Moment::Start, from, Rule { to, check, text: text.clone(), lingers: !begins, line });
        if begins {
            return;
        }
    }
    if matches.is_empty() && !outside {
        rules.missing.push(format!("an edge of the witness in line {line}"));
    }
    for &step in matches {
        let data = rules.program.edges[step].clone();
        let called = called(&rules.program, source, step);
        let entered = edge.guard.enter_function.is_some() && called == Called::Body;
        let (moment, at) = match (entered, data.op) {
            (true, _) => (Moment::Enter(step), data.from),
            (false, _) => (Moment::After(step), data.to),
        };
        let returns = match (&edge.guard.return_from, data.op) {
            (Some(_), Op::Return(_) | Op::Call { .. }) | (None, _) => true,
            (Some(_), _) => false,
        };
        if !returns {
            continue;
        }
        let check = rules.check(&text, at, Some(step));
        // A statement may be several operations, and any of them may be the one that is meant.
        let goes_on = |next: EdgeId| matches.contains(&next) && rules.program.edges[next].anchor == data.anchor;
        let lingers = rules.program.successors(data.to).any(goes_on);
        rules.add(moment, from, Rule { to, check, text: text.clone(), lingers, line });
        if accepts {
            rules.targets.entry(from).or_default().push(step);
        }
    }
}

#[derive(PartialEq, Eq)]
enum Called {
    Body,
    Other,
}

fn called(program: &Program, source: &Source<'_>, edge: EdgeId) -> Called {
    match program.edges[edge].op {
        Op::Call { callee: cfa::Callee::Indirect(_), .. } => Called::Body,
        _ => match source.called(edge).and_then(|name| program.function_named(name)) {
            Some(function) if matches!(program.edges[edge].op, Op::Call { .. }) => match program.automaton(function) {
                Some(_) => Called::Body,
                None => Called::Other,
            },
            _ => Called::Other,
        },
    }
}

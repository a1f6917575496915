//! What is wrong with an automaton as a whole (Beyer et al. 2022, sections 3.1 and 5).

use super::{Finding, Rule, forms, rules};
use crate::model::{Automaton, Edge, Kind, Position};
use std::collections::{HashMap, HashSet};

pub fn check(automaton: &Automaton, findings: &mut Vec<Finding>) {
    let mut report =
        |rule: &'static Rule, at: Position, message: String| findings.push(Finding::new(rule, at, message));
    metadata(automaton, &mut report);
    kinds(automaton, &mut report);
    // Of nodes with the same id the first one counts.
    let nodes: HashMap<&str, usize> =
        automaton.nodes.iter().enumerate().rev().map(|(index, node)| (node.id.as_str(), index)).collect();
    let mut edges: Vec<Vec<(usize, &Edge)>> = vec![Vec::new(); automaton.nodes.len()];
    for edge in &automaton.edges {
        let ends = [&edge.source, &edge.target].map(|end| {
            let found = nodes.get(end.as_str()).copied();
            if found.is_none() {
                report(&rules::NODE_UNKNOWN, edge.at, format!("there is no node `{end}`"));
            }
            found
        });
        edge_alone(edge, &mut report);
        let [Some(source), Some(target)] = ends else { continue };
        edges[source].push((target, edge));
        if source == target {
            report(&rules::SELF_LOOP, edge.at, format!("the edge leads from `{}` to itself", edge.source));
        }
        if automaton.nodes[source].sink {
            report(&rules::SINK, edge.at, format!("the edge leaves the sink `{}`", edge.source));
        }
    }
    let mut entries = automaton.nodes.iter().enumerate().filter(|(_, node)| node.entry);
    let entry = entries.next();
    for (_, node) in entries {
        report(&rules::ENTRY, node.at, format!("`{}` is a second entry", node.id));
    }
    match entry {
        Some((entry, _)) => from_entry(automaton, &edges, entry, &mut report),
        None if !automaton.nodes.is_empty() => report(&rules::ENTRY, automaton.at, "no node is the entry".into()),
        None => {}
    }
}

fn metadata(automaton: &Automaton, report: &mut impl FnMut(&'static Rule, Position, String)) {
    let missing = [
        ("witness-type", automaton.kind.is_none()),
        ("sourcecodelang", automaton.language.is_none()),
        ("producer", automaton.producer.is_none()),
        ("specification", automaton.specifications.is_empty()),
        ("programfile", automaton.program_file.is_none()),
        ("programhash", automaton.program_hash.is_none()),
        ("architecture", automaton.architecture.is_none()),
        ("creationtime", automaton.creation_time.is_none()),
    ];
    for (name, _) in missing.into_iter().filter(|(_, missing)| *missing) {
        report(&rules::METADATA, automaton.at, format!("the graph has no `{name}`"));
    }
}

/// What belongs to the other kind of witness, and what a kind must have.
fn kinds(automaton: &Automaton, report: &mut impl FnMut(&'static Rule, Position, String)) {
    let heads: Vec<_> = automaton.nodes.iter().filter(|node| node.cyclehead).collect();
    let termination = automaton.specifications.iter().any(|text| forms::is_termination(text));
    let mut wrong = |at: Position, key: &str, kind: Kind| {
        report(&rules::KEY_KIND, at, format!("`{key}` does not belong into a {} witness", kind.name()));
    };
    match automaton.kind {
        Some(kind @ Kind::Correctness) => {
            for node in &automaton.nodes {
                for (key, set) in [("sink", node.sink), ("violation", node.violation), ("cyclehead", node.cyclehead)] {
                    if set {
                        wrong(node.at, key, kind);
                    }
                }
            }
            for edge in &automaton.edges {
                if edge.assumption.is_some() {
                    wrong(edge.at, "assumption", kind);
                }
            }
        }
        Some(kind @ Kind::Violation) => {
            for node in &automaton.nodes {
                // The recurrent set of a cycle is the one invariant of a violation witness.
                if node.invariant.is_some() && !node.cyclehead && !termination {
                    wrong(node.at, "invariant", kind);
                }
            }
            if !termination && !automaton.nodes.iter().any(|node| node.violation) {
                report(&rules::VIOLATION_STATE, automaton.at, "no node is a violation state".into());
            }
            for node in automaton.nodes.iter().filter(|node| node.violation && node.sink) {
                report(&rules::SINK, node.at, format!("`{}` is a violation state and a sink", node.id));
            }
            if termination && heads.is_empty() {
                report(&rules::CYCLEHEAD, automaton.at, "no node is the head of a cycle".into());
            }
            for node in heads.iter().skip(1) {
                report(&rules::CYCLEHEAD, node.at, format!("`{}` is a second head of a cycle", node.id));
            }
            if let (false, false, Some(node)) = (termination, automaton.specifications.is_empty(), heads.first()) {
                report(&rules::CYCLEHEAD, node.at, "the specification is not termination".into());
            }
        }
        None => {}
    }
}

fn edge_alone(edge: &Edge, report: &mut impl FnMut(&'static Rule, Position, String)) {
    if edge.assumption.as_ref().is_some_and(|text| text.contains("\\result")) && edge.result_function.is_none() {
        report(&rules::RESULT_FUNCTION, edge.at, "the assumption has \\result but no assumption.resultfunction".into());
    }
    let guard = &edge.guard;
    let backwards =
        |start: Option<u32>, end: Option<u32>| matches!((start, end), (Some(start), Some(end)) if end < start);
    if backwards(guard.start_line, guard.end_line) || backwards(guard.start_offset, guard.end_offset) {
        report(&rules::LINES, edge.at, "the operation ends before it begins".into());
    }
}

/// A stack of calls as a list that shares its tails.
#[derive(Clone, Copy)]
struct Frame<'a> {
    function: &'a str,
    below: Option<usize>,
}

/// Walks all nodes once, with the calls on the way to each.
fn from_entry(
    automaton: &Automaton,
    edges: &[Vec<(usize, &Edge)>],
    entry: usize,
    report: &mut impl FnMut(&'static Rule, Position, String),
) {
    let mut frames: Vec<Frame<'_>> = Vec::new();
    let mut seen = vec![false; edges.len()];
    seen[entry] = true;
    let mut open = vec![(entry, None)];
    // Threads have stacks of their own.
    let threads = automaton.edges.iter().any(|edge| edge.guard.create_thread.is_some());
    while let Some((node, stack)) = open.pop() {
        for (target, edge) in &edges[node] {
            let mut stack: Option<usize> = stack;
            let guard = &edge.guard;
            if let Some(function) = &guard.return_from
                && guard.enter_function.as_ref() != Some(function)
            {
                match stack.map(|top| frames[top]) {
                    Some(top) if top.function == function => stack = top.below,
                    Some(top) if !threads => {
                        let message = format!("returns from `{function}` while in `{}`", top.function);
                        report(&rules::CALLS, edge.at, message);
                    }
                    None if !threads => {
                        report(&rules::CALLS, edge.at, format!("returns from `{function}`, which was not entered"));
                    }
                    _ => {}
                }
            }
            if let Some(function) = &guard.enter_function
                && guard.return_from.as_ref() != Some(function)
            {
                frames.push(Frame { function, below: stack });
                stack = Some(frames.len() - 1);
            }
            if !std::mem::replace(&mut seen[*target], true) {
                open.push((*target, stack));
            }
        }
    }
    let reached: HashSet<&str> =
        automaton.nodes.iter().zip(seen).filter(|(_, seen)| *seen).map(|(node, _)| node.id.as_str()).collect();
    for node in automaton.nodes.iter().filter(|node| !reached.contains(node.id.as_str())) {
        report(&rules::UNREACHABLE, node.at, format!("`{}` cannot be reached from the entry", node.id));
    }
}

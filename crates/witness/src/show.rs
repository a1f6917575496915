//! A witness for users: as text, and as a graph for Graphviz.

use crate::model::*;
use std::fmt::Write;

pub fn text(witness: &Witness) -> String {
    let mut out = String::new();
    let kind = witness.kind().map_or("witness", |kind| match kind {
        Kind::Violation => "violation witness",
        Kind::Correctness => "correctness witness",
    });
    let _ = writeln!(out, "{kind}");
    let mut field = |name: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(out, "  {name:<14} {value}");
        }
    };
    field("producer", witness.producer().unwrap_or(""));
    for specification in witness.specifications() {
        field("specification", specification);
    }
    for (file, hash) in witness.files() {
        field("program", file);
        field("hash", hash.unwrap_or(""));
    }
    field("data model", witness.data_model().unwrap_or(""));
    match witness {
        Witness::Automaton(automaton) => {
            field("created", automaton.creation_time.as_deref().unwrap_or(""));
            automaton_text(automaton, &mut out);
        }
        Witness::Entries(entries) => {
            if let Some(entry) = entries.first() {
                field("created", entry.metadata.creation_time.as_deref().unwrap_or(""));
                field("version", &entry.metadata.format_version);
                field("uuid", entry.metadata.uuid.as_deref().unwrap_or(""));
            }
            entries.iter().for_each(|entry| entry_text(entry, &mut out));
        }
    }
    out
}

fn automaton_text(automaton: &Automaton, out: &mut String) {
    let leaving = automaton.leaving();
    for node in &automaton.nodes {
        let _ = writeln!(out, "\n{}{}", node.id, marks(node));
        if let Some(invariant) = &node.invariant {
            let _ = writeln!(out, "  invariant {}{}", one_line(invariant), scope(&node.invariant_scope));
        }
        for edge in leaving.get(node.id.as_str()).into_iter().flatten() {
            let label = label(edge);
            let _ =
                writeln!(out, "  → {}{}{}", edge.target, if label.is_empty() { "" } else { ": " }, label.join(", "));
        }
    }
}

fn marks(node: &Node) -> String {
    let marks = [
        (node.entry, "entry"),
        (node.violation, "violation"),
        (node.sink, "sink"),
        (node.cyclehead, "head of the cycle"),
    ];
    let marks: Vec<&str> = marks.into_iter().filter(|(set, _)| *set).map(|(_, name)| name).collect();
    if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) }
}

fn scope(scope: &Option<String>) -> String {
    scope.as_ref().map_or(String::new(), |scope| format!(" in {scope}"))
}

/// The guards of a transition, as Beyer et al. 2022 writes them.
pub fn label(edge: &Edge) -> Vec<String> {
    let guard = &edge.guard;
    let mut parts = Vec::new();
    match (guard.start_line, guard.end_line) {
        (Some(start), Some(end)) if end != start => parts.push(format!("lines {start}–{end}")),
        (Some(line), _) | (None, Some(line)) => parts.push(format!("line {line}")),
        (None, None) => {}
    }
    match (guard.start_offset, guard.end_offset) {
        (Some(start), Some(end)) => parts.push(format!("characters {start}–{end}")),
        (Some(offset), None) | (None, Some(offset)) => parts.push(format!("character {offset}")),
        (None, None) => {}
    }
    parts.extend(guard.control.map(|truth| if truth { "then".to_string() } else { "else".to_string() }));
    parts.extend(guard.enter_loop_head.then(|| "enterLoopHead".into()));
    parts.extend(guard.enter_function.as_ref().map(|name| format!("enterFunction({name})")));
    parts.extend(guard.return_from.as_ref().map(|name| format!("returnFrom({name})")));
    parts.extend(guard.thread.as_ref().map(|thread| format!("thread {thread}")));
    parts.extend(guard.create_thread.as_ref().map(|thread| format!("creates thread {thread}")));
    if let Some(assumption) = &edge.assumption {
        let result = edge.result_function.as_ref().map_or(String::new(), |name| format!(" of {name}"));
        parts.push(format!("[{}]{}{result}", one_line(assumption), scope(&edge.assumption_scope)));
    }
    parts
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn place(location: &Location) -> String {
    let mut text = format!("{}:{}", location.file_name, location.line);
    if let Some(column) = location.column {
        let _ = write!(text, ":{column}");
    }
    if let Some(function) = &location.function {
        let _ = write!(text, " in {function}");
    }
    text
}

/// What a waypoint asks for, on one line.
pub fn waypoint_text(waypoint: &Waypoint) -> String {
    let mut text = format!("{} {} at {}", waypoint.action.word(), waypoint.kind.word(), place(&waypoint.location));
    if let Some(constraint) = &waypoint.constraint {
        let _ = write!(text, ": {}", one_line(&constraint.value));
    }
    if let Some(thread) = waypoint.thread {
        let _ = write!(text, " (thread {thread})");
    }
    text
}

fn entry_text(entry: &Entry, out: &mut String) {
    match &entry.content {
        Content::Violation(segments) => {
            for (index, segment) in segments.iter().enumerate() {
                let _ = writeln!(out, "\nsegment {}", index + 1);
                for waypoint in &segment.waypoints {
                    let _ = writeln!(out, "  {}", waypoint_text(waypoint));
                }
            }
        }
        Content::Invariants(claims) => {
            let _ = writeln!(out, "\n{} invariant(s)", claims.len());
            for claim in claims {
                let _ = writeln!(out, "  {}", claim_text(claim));
            }
        }
        Content::Ghosts(ghosts) => {
            let _ = writeln!(out, "\nghost variables");
            for variable in &ghosts.variables {
                let (name, ty, value) = (&variable.name, &variable.value_type, &variable.initial.value);
                let _ = writeln!(out, "  {ty} {name} = {value} ({})", variable.scope);
            }
            for updates in &ghosts.updates {
                for update in &updates.updates {
                    let _ = writeln!(out, "  at {}: {} = {}", place(&updates.location), update.variable, update.value);
                }
            }
        }
    }
}

/// What a claim says, on one line.
pub fn claim_text(claim: &Claim) -> String {
    match claim {
        Claim::Invariant(invariant) => {
            let at = invariant.location.as_ref().map_or(String::new(), |location| format!(" at {}", place(location)));
            format!("{}{at}: {}", invariant.kind.word(), one_line(&invariant.value))
        }
        Claim::Contract(contract) => {
            let part = |text: &Option<String>| one_line(text.as_deref().unwrap_or("1"));
            let (requires, ensures) = (part(&contract.requires), part(&contract.ensures));
            format!("function_contract at {}: requires {requires}, ensures {ensures}", place(&contract.location))
        }
    }
}

/// For Graphviz.
pub fn dot(witness: &Witness) -> String {
    let mut out = String::from(
        "digraph witness {\n  node [shape=circle, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\"];\n",
    );
    match witness {
        Witness::Automaton(automaton) => {
            for node in &automaton.nodes {
                let mut label = node.id.clone();
                if let Some(invariant) = &node.invariant {
                    let _ = write!(label, "\n{}", one_line(invariant));
                }
                let shape = match node {
                    Node { violation: true, .. } => ", shape=doublecircle, color=red",
                    Node { sink: true, .. } => ", style=dashed",
                    Node { invariant: Some(_), .. } => ", shape=box",
                    _ => "",
                };
                let _ = writeln!(out, "  {} [label={}{shape}];", quoted(&node.id), quoted(&label));
                if node.entry {
                    let _ = writeln!(out, "  \"\" [shape=none];\n  \"\" -> {};", quoted(&node.id));
                }
            }
            for edge in &automaton.edges {
                let label = quoted(&label(edge).join("\n"));
                let _ = writeln!(out, "  {} -> {} [label={label}];", quoted(&edge.source), quoted(&edge.target));
            }
        }
        Witness::Entries(entries) => {
            entries.iter().enumerate().for_each(|(index, entry)| entry_dot(index, entry, &mut out))
        }
    }
    out.push_str("}\n");
    out
}

/// A sequence is a path; a set of claims is a set of boxes.
fn entry_dot(index: usize, entry: &Entry, out: &mut String) {
    match &entry.content {
        Content::Violation(segments) => {
            for (number, segment) in segments.iter().enumerate() {
                let _ = writeln!(out, "  e{index}s{number} [label=\"{number}\"];");
                for (point, waypoint) in segment.waypoints.iter().enumerate() {
                    let label = quoted(&waypoint_text(waypoint));
                    let target = match waypoint.action {
                        Action::Avoid => {
                            let _ = writeln!(out, "  e{index}s{number}a{point} [label=\"⊥\", style=dashed];");
                            format!("e{index}s{number}a{point}")
                        }
                        Action::Follow | Action::Cycle => format!("e{index}s{}", number + 1),
                    };
                    let _ = writeln!(out, "  e{index}s{number} -> {target} [label={label}];");
                }
            }
            let _ = writeln!(out, "  e{index}s{} [label=\"\", shape=doublecircle, color=red];", segments.len());
        }
        Content::Invariants(claims) => {
            for (number, claim) in claims.iter().enumerate() {
                let _ = writeln!(out, "  e{index}i{number} [shape=box, label={}];", quoted(&claim_text(claim)));
            }
        }
        Content::Ghosts(ghosts) => {
            for (number, variable) in ghosts.variables.iter().enumerate() {
                let label = format!("ghost {} {} = {}", variable.value_type, variable.name, variable.initial.value);
                let _ = writeln!(out, "  e{index}g{number} [shape=note, label={}];", quoted(&label));
            }
        }
    }
}

fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{text}\"")
}

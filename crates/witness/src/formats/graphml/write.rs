//! Automaton to XML. Keys are declared as in the well-known headers, those that are used only.

use super::keys::{Domain, KEYS, Key};
use super::read::is_xml;
use crate::model::{Automaton, Edge, Extra, Kind, Node};
use quick_xml::escape::{escape, partial_escape};
use std::fmt::Write;

/// The reason, if the automaton holds a character that XML has no way to write.
pub fn write(automaton: &Automaton) -> Result<String, String> {
    let default_file = common_file(automaton);
    let mut body = String::new();
    let mut used = vec![false; KEYS.len()];
    let mut put = |out: &mut String, indent: &str, key: Key, value: &str| {
        used[key as usize] = true;
        let _ = writeln!(out, "{indent}<data key=\"{}\">{}</data>", key.known().id, text(value));
    };
    for (key, value) in graph_values(automaton) {
        put(&mut body, "  ", key, value);
    }
    extras(&mut body, "  ", &automaton.extra);
    for node in &automaton.nodes {
        let _ = write!(body, "  <node id=\"{}\"", escape(&node.id));
        let mut inner = String::new();
        for (key, value) in node_values(node) {
            put(&mut inner, "   ", key, value);
        }
        extras(&mut inner, "   ", &node.extra);
        close(&mut body, &inner, "node");
    }
    for edge in &automaton.edges {
        let _ = write!(body, "  <edge");
        if let Some(id) = &edge.id {
            let _ = write!(body, " id=\"{}\"", escape(id));
        }
        let _ = write!(body, " source=\"{}\" target=\"{}\"", escape(&edge.source), escape(&edge.target));
        let mut inner = String::new();
        for (key, value) in edge_values(edge, default_file.is_some()) {
            put(&mut inner, "   ", key, &value);
        }
        extras(&mut inner, "   ", &edge.extra);
        close(&mut body, &inner, "edge");
    }
    used[Key::OriginFile as usize] |= default_file.is_some();
    let text = format!("{}{body} </graph>\n</graphml>\n", header(automaton, &used, default_file));
    match text.chars().find(|letter| !is_xml(*letter)) {
        Some(letter) => Err(format!("the character {letter:?} cannot be written in XML")),
        None => Ok(text),
    }
}

/// The file that all edges are in; it becomes the default of its key.
fn common_file(automaton: &Automaton) -> Option<&str> {
    let mut files = automaton.edges.iter().map(|edge| edge.guard.origin_file.as_deref());
    let first = files.next()??;
    files.all(|file| file == Some(first)).then_some(first)
}

fn header(automaton: &Automaton, used: &[bool], default_file: Option<&str>) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n");
    out.push_str("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" ");
    out.push_str("xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n");
    for known in KEYS.iter().filter(|known| used[known.key as usize]) {
        let (name, ty, domain, id) = (known.name, known.value_type, known.domain.name(), known.id);
        let _ = write!(out, " <key attr.name=\"{name}\" attr.type=\"{ty}\" for=\"{domain}\" id=\"{id}\"");
        let default = match known.key {
            Key::OriginFile => default_file,
            _ if ty == "boolean" => Some("false"),
            _ => None,
        };
        match default {
            Some(value) => {
                let _ = writeln!(out, ">\n  <default>{}</default>\n </key>", text(value));
            }
            None => out.push_str("/>\n"),
        }
    }
    for key in &automaton.tool_keys {
        out.push_str(" <key");
        for (name, value) in [("attr.name", &key.name), ("attr.type", &key.value_type)] {
            if let Some(value) = value {
                let _ = write!(out, " {name}=\"{}\"", escape(value));
            }
        }
        let _ = write!(out, " for=\"{}\" id=\"{}\"", escape(&key.domain), escape(&key.id));
        match &key.default {
            Some(value) => {
                let _ = writeln!(out, ">\n  <default>{}</default>\n </key>", text(value));
            }
            None => out.push_str("/>\n"),
        }
    }
    out.push_str(" <graph edgedefault=\"directed\">\n");
    out
}

fn close(out: &mut String, inner: &str, name: &str) {
    if inner.is_empty() {
        out.push_str("/>\n");
    } else {
        let _ = write!(out, ">\n{inner}  </{name}>\n");
    }
}

fn extras(out: &mut String, indent: &str, extras: &[Extra]) {
    for extra in extras {
        let (key, value) = (escape(&extra.key), text(&extra.value));
        let _ = writeln!(out, "{indent}<data key=\"{key}\">{value}</data>");
    }
}

/// A value as the text of an element. A carriage return would come back as a line feed.
fn text(value: &str) -> String {
    partial_escape(value).replace('\r', "&#13;")
}

fn graph_values(automaton: &Automaton) -> Vec<(Key, &str)> {
    let kind = automaton.kind.map(|kind| match kind {
        Kind::Violation => "violation_witness",
        Kind::Correctness => "correctness_witness",
    });
    let mut values: Vec<(Key, Option<&str>)> = vec![
        (Key::WitnessType, kind),
        (Key::FormatVersion, automaton.format_version.as_deref()),
        (Key::Language, automaton.language.as_deref()),
        (Key::Producer, automaton.producer.as_deref()),
    ];
    values.extend(automaton.specifications.iter().map(|text| (Key::Specification, Some(text.as_str()))));
    values.extend([
        (Key::ProgramFile, automaton.program_file.as_deref()),
        (Key::ProgramHash, automaton.program_hash.as_deref()),
        (Key::Architecture, automaton.architecture.as_deref()),
        (Key::CreationTime, automaton.creation_time.as_deref()),
    ]);
    debug_assert!(values.iter().all(|(key, _)| key.known().domain == Domain::Graph));
    values.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

fn node_values(node: &Node) -> Vec<(Key, &str)> {
    let flag = |set: bool| set.then_some("true");
    let values = [
        (Key::Entry, flag(node.entry)),
        (Key::Sink, flag(node.sink)),
        (Key::Violation, flag(node.violation)),
        (Key::Cyclehead, flag(node.cyclehead)),
        (Key::Invariant, node.invariant.as_deref()),
        (Key::InvariantScope, node.invariant_scope.as_deref()),
    ];
    values.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

fn edge_values(edge: &Edge, file_is_default: bool) -> Vec<(Key, String)> {
    let guard = &edge.guard;
    let number = |value: Option<u32>| value.map(|value| value.to_string());
    let control = guard.control.map(|truth| if truth { "condition-true" } else { "condition-false" });
    let values = [
        (Key::OriginFile, guard.origin_file.clone().filter(|_| !file_is_default)),
        (Key::StartLine, number(guard.start_line)),
        (Key::EndLine, number(guard.end_line)),
        (Key::StartOffset, number(guard.start_offset)),
        (Key::EndOffset, number(guard.end_offset)),
        (Key::Control, control.map(String::from)),
        (Key::EnterLoopHead, guard.enter_loop_head.then(|| "true".into())),
        (Key::EnterFunction, guard.enter_function.clone()),
        (Key::ReturnFrom, guard.return_from.clone()),
        (Key::Thread, guard.thread.clone()),
        (Key::CreateThread, guard.create_thread.clone()),
        (Key::Assumption, edge.assumption.clone()),
        (Key::AssumptionScope, edge.assumption_scope.clone()),
        (Key::ResultFunction, edge.result_function.clone()),
        (Key::SourceCode, edge.source_code.clone()),
    ];
    values.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
}

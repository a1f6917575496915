//! SARIF 2.1.0, the format of code-scanning services: the run of a violation is a code flow, suspects and causes are related locations, repairs are fixes.

use super::finding::{Finding, Note, NoteKind, Severity, findings};
use super::{RenderOptions, Renderer, terminal};
use crate::check::DiagnosticView;
use crate::patch::{Replacement, replacements};
use crate::uri;
use crate::{Command, Document, PlaceView, Report};
use cfa::Property;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

pub static RENDERER: Renderer = Renderer {
    name: "sarif",
    about: "SARIF 2.1.0, for code-scanning services and editors",
    supports: |command| command != Command::Test,
    render,
    diagnostic: terminal::diagnostic,
    is_for_programs: true,
};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The rule of what belongs to no property: errors in the text of the program, answers that are not known.
const GENERAL: &str = "whydunit";

fn render(document: &Document, options: RenderOptions) -> String {
    let mut results: Vec<Value> = findings(document, options.shown).iter().map(result).collect();
    if let Report::Check(report) = &document.report {
        results.extend(report.diagnostics.iter().map(diagnostic_result));
    }
    let rules: BTreeSet<&str> = results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
    let rules: Vec<Value> = rules.into_iter().map(rule).collect();
    let mut invocation = json!({ "executionSuccessful": !matches!(document.report, Report::Error(_)) });
    if let Report::Error(error) = &document.report {
        invocation["toolExecutionNotifications"] = json!([{ "level": "error", "message": { "text": error.error } }]);
    }
    let mut properties = Map::new();
    properties.insert("command".into(), document.command.name().into());
    properties.extend(verdict(document).map(|verdict| ("verdict".into(), verdict.into())));
    let driver = json!({
        "name": "whydunit",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    let subjects = document.subject.iter().map(|file| json!({ "location": { "uri": uri::of_path(file) } }));
    let sarif = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "artifacts": subjects.collect::<Vec<Value>>(),
            "results": results,
            "properties": properties,
        }],
    });
    serde_json::to_string_pretty(&sarif).expect("keys are text")
}

fn verdict(document: &Document) -> Option<&'static str> {
    match &document.report {
        Report::Verify(report) => Some(report.verdict),
        Report::Minimize(report) => Some(report.verdict),
        Report::Explain(report) => Some(report.verdict),
        Report::Localize(report) => Some(report.verdict),
        Report::Replay(report) => Some(report.outcome),
        Report::Validation(report) => Some(report.result),
        Report::Check(_) | Report::Entries(_) | Report::Test(_) | Report::Lint(_) | Report::Error(_) => None,
    }
}

fn rule(id: &str) -> Value {
    let about = match Property::from_name(id) {
        Some(Property::ValidDeref) => "an index or pointer leads to no object".into(),
        Some(property) => crate::replay::describe(property, None),
        None => "what whydunit has to say besides violations".into(),
    };
    json!({ "id": id, "shortDescription": { "text": about } })
}

fn result(finding: &Finding) -> Value {
    let rule = finding.rule.as_deref().unwrap_or(GENERAL);
    let help = finding.notes.iter().find(|note| matches!(note.kind, NoteKind::Help));
    let text = help.map_or(finding.message.clone(), |help| format!("{}. {}", finding.message, help.message));
    let mut result = json!({ "ruleId": rule, "message": { "text": text } });
    match finding.severity {
        Severity::Error => result["level"] = "error".into(),
        // Whether something is wrong is open, not a failure that is less severe.
        Severity::Warning => (result["kind"], result["level"]) = ("open".into(), "none".into()),
        Severity::Note => (result["kind"], result["level"]) = ("informational".into(), "none".into()),
    }
    if !finding.place.file.is_empty() {
        result["locations"] = json!([location(&finding.place)]);
        let line = finding.place.text.as_deref().unwrap_or("").trim();
        result["partialFingerprints"] = json!({ "violation/v1": fingerprint(&[rule, &finding.place.file, line]) });
    }
    let steps: Vec<Value> = finding.notes.iter().enumerate().filter_map(step).collect();
    if !steps.is_empty() {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
    }
    let related: Vec<Value> = finding.notes.iter().filter_map(related).collect();
    if !related.is_empty() {
        result["relatedLocations"] = related.into();
    }
    let fixes: Vec<Value> = finding.notes.iter().filter_map(fix).collect();
    if !fixes.is_empty() {
        result["fixes"] = fixes.into();
    }
    result
}

fn diagnostic_result(view: &DiagnosticView) -> Value {
    let level = if view.severity == "error" { "error" } else { "warning" };
    let text = match &view.help {
        Some(help) => format!("{}. {help}", view.message),
        None => view.message.clone(),
    };
    let mut result = json!({ "ruleId": GENERAL, "level": level, "message": { "text": text } });
    if !view.place.file.is_empty() {
        result["locations"] = json!([location(&view.place)]);
    }
    let notes = view.notes.iter().filter(|note| !note.place.file.is_empty());
    let notes: Vec<Value> = notes.map(|note| with_message(&note.place, &note.message)).collect();
    if !notes.is_empty() {
        result["relatedLocations"] = notes.into();
    }
    result
}

fn step((index, note): (usize, &Note)) -> Option<Value> {
    let NoteKind::Step { depth, assigned } = &note.kind else { return None };
    let mut step = json!({
        "location": with_message(&note.place, &note.message),
        "nestingLevel": depth,
        "executionOrder": index + 1,
    });
    if let Some((name, value)) = assigned {
        step["state"] = json!({ name: { "text": value } });
    }
    Some(step)
}

fn related(note: &Note) -> Option<Value> {
    let mut related = match note.kind {
        NoteKind::Step { .. } | NoteKind::Repair { .. } | NoteKind::Help => return None,
        NoteKind::Call | NoteKind::Remark | NoteKind::Suspect { .. } => with_message(&note.place, &note.message),
    };
    if let NoteKind::Suspect { score } = note.kind {
        related["properties"] = json!({ "score": score });
    }
    Some(related)
}

fn fix(note: &Note) -> Option<Value> {
    let NoteKind::Repair { diff } = &note.kind else { return None };
    let mut changes: Vec<(String, Vec<Value>)> = Vec::new();
    for Replacement { file, first_line, removed, text } in replacements(diff) {
        let region =
            json!({ "startLine": first_line, "startColumn": 1, "endLine": first_line + removed, "endColumn": 1 });
        let replacement = json!({ "deletedRegion": region, "insertedContent": { "text": text } });
        match changes.iter_mut().find(|(known, _)| *known == file) {
            Some((_, list)) => list.push(replacement),
            None => changes.push((file, vec![replacement])),
        }
    }
    let artifact = |(file, list): &(String, Vec<Value>)| json!({ "artifactLocation": { "uri": uri::of_path(file) }, "replacements": list });
    let changes: Vec<Value> = changes.iter().map(artifact).collect();
    (!changes.is_empty()).then(|| json!({ "description": { "text": note.message }, "artifactChanges": changes }))
}

fn with_message(place: &PlaceView, message: &str) -> Value {
    let mut location = location(place);
    location["message"] = json!({ "text": message });
    location
}

/// Empty for what has no place.
fn location(place: &PlaceView) -> Value {
    if place.file.is_empty() {
        return json!({});
    }
    let mut region = json!({ "startLine": place.line.max(1), "startColumn": place.column.max(1) });
    if let Some(text) = &place.text {
        let (from, to) = (place.underline.0.min(text.len()), place.underline.1.min(text.len()));
        let length = text.get(from..to).map_or(0, |part| part.chars().count() as u32);
        region["endColumn"] = (place.column.max(1) + length).into();
        region["snippet"] = json!({ "text": text });
    }
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri::of_path(&place.file) }, "region": region } })
}

/// FNV-1a: the same finding has it after lines were added elsewhere.
fn fingerprint(parts: &[&str]) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in parts.join("\0").bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

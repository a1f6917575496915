//! What is known about a file: the answers of `verify` and `localize`, as diagnostics and as edits.

use super::jobs::Question;
use super::text;
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    Location, NumberOrString, Position, Range, TextEdit, Uri, WorkspaceEdit,
};
use report::patch;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Steps of the run that a diagnostic leads to.
const STEPS: usize = 30;
/// Suspects that are shown.
const SUSPECTS: usize = 3;

#[derive(Default)]
pub struct Known {
    /// The answers by the function to start at.
    answers: BTreeMap<Option<String>, Answer>,
}

#[derive(Default)]
struct Answer {
    verified: Value,
    localized: Value,
    checked: Value,
}

/// In a few words.
pub fn summary(report: &Value) -> String {
    match (report["verdict"].as_str(), report["error"].as_str()) {
        (Some("unknown"), _) => {
            let said = ["reason", "help"].into_iter().filter_map(|name| report[name].as_str());
            format!("verdict: unknown; {}", said.collect::<Vec<_>>().join("; "))
        }
        (Some(verdict), _) => format!("verdict: {verdict}"),
        (None, Some(error)) => error.to_string(),
        (None, None) => "no answer".to_string(),
    }
}

impl Known {
    /// What is to be asked now: a violation is localized, and of a program that cannot be verified it is asked whether it is C.
    pub fn learn(&mut self, question: &Question, report: &Value) -> Option<Question> {
        let answer = self.answers.entry(question.entry.clone()).or_default();
        match question.command {
            "localize" => answer.localized = report.clone(),
            "check" => answer.checked = report.clone(),
            _ => *answer = Answer { verified: report.clone(), ..Answer::default() },
        }
        match (question.command, report["verdict"].as_str()) {
            ("verify", Some("false")) => Some(question.and("localize")),
            ("verify", None) => Some(question.and("check")),
            _ => None,
        }
    }

    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.answers.iter().flat_map(|(entry, answer)| answer.diagnostics(entry.as_deref())).collect()
    }

    /// The edits that repair a violation at this place, or that change a line there.
    pub fn actions(&self, at: Range) -> Vec<CodeActionOrCommand> {
        self.answers.values().flat_map(|answer| answer.actions(at)).collect()
    }
}

impl Answer {
    fn diagnostics(&self, entry: Option<&str>) -> Vec<Diagnostic> {
        let from = entry.map_or(String::new(), |entry| format!(" (starting at {entry})"));
        let mut found = Vec::new();
        for violation in list(&self.verified["violations"]) {
            let detail = violation["detail"].as_str().map_or(String::new(), |detail| format!(": {detail}"));
            let message = format!("{}{detail}{from}", violation["message"].as_str().unwrap_or("violated"));
            let mut diagnostic = made(violation, DiagnosticSeverity::ERROR, message);
            diagnostic.code = violation["property"].as_str().map(|name| NumberOrString::String(name.into()));
            let steps = list(&violation["trace"]["steps"]).iter().filter(|step| step["relevant"] != false);
            let steps: Vec<_> = steps.filter(|step| step["kind"] != "declaration").filter_map(related).collect();
            let first = steps.len().saturating_sub(STEPS);
            diagnostic.related_information = Some(steps[first..].to_vec());
            found.push(diagnostic);
        }
        for suspect in list(&self.localized["suspects"]).iter().take(SUSPECTS) {
            let message = format!("suspect {}: {}", suspect["rank"], suspect["reason"].as_str().unwrap_or(""));
            found.push(made(suspect, DiagnosticSeverity::INFORMATION, message));
        }
        for diagnostic in list(&self.checked["diagnostics"]) {
            let message = diagnostic["message"].as_str().unwrap_or("").to_string();
            let is_error = diagnostic["severity"] == "error";
            let severity = if is_error { DiagnosticSeverity::ERROR } else { DiagnosticSeverity::WARNING };
            found.push(made(diagnostic, severity, message));
        }
        found
    }

    fn actions(&self, at: Range) -> Vec<CodeActionOrCommand> {
        let violated = list(&self.verified["violations"]).iter().any(|violation| is_at(violation, at));
        let repairs = list(&self.localized["repairs"]).iter().filter(|repair| violated || is_at(repair, at));
        repairs.enumerate().filter_map(|(index, repair)| Some(action(repair, index == 0)?.into())).collect()
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value, name: &str) -> u32 {
    value[name].as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(0)
}

fn is_at(value: &Value, at: Range) -> bool {
    let line = number(value, "line").saturating_sub(1);
    (at.start.line..=at.end.line).contains(&line)
}

fn made(value: &Value, severity: DiagnosticSeverity, message: String) -> Diagnostic {
    let file = value["file"].as_str().unwrap_or("");
    Diagnostic {
        range: text::range(file, number(value, "line"), number(value, "column").max(1)),
        severity: Some(severity),
        source: Some("whydunit".into()),
        message,
        ..Diagnostic::default()
    }
}

fn related(step: &Value) -> Option<DiagnosticRelatedInformation> {
    let file = step["file"].as_str()?;
    let range = text::range(file, number(step, "line"), number(step, "column"));
    let location = Location { uri: text::uri_of(file)?, range };
    Some(DiagnosticRelatedInformation { location, message: step["text"].as_str()?.to_string() })
}

// The protocol's map of edits has references as keys.
#[allow(clippy::mutable_key_type)]
fn action(repair: &Value, is_first: bool) -> Option<CodeAction> {
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for one in patch::replacements(repair["diff"].as_str()?) {
        let start = Position { line: one.first_line.saturating_sub(1), character: 0 };
        let end = Position { line: start.line + one.removed, character: 0 };
        // The diff names the file without the slash that an absolute path begins with.
        let uri = text::uri_of(repair["file"].as_str()?)?;
        changes.entry(uri).or_default().push(TextEdit { range: Range { start, end }, new_text: one.text });
    }
    Some(CodeAction {
        title: format!("Repair: {}", repair["edit"].as_str()?),
        kind: Some(CodeActionKind::QUICKFIX),
        edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
        is_preferred: Some(is_first && repair["complete"] == true),
        ..CodeAction::default()
    })
}

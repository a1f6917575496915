//! Suspects in the form of CPAchecker's `faultlocalization.json`, which its report and scripts around it read: each fault has a score, infos and
//! contributions with a location. A suspect of ours is a fault with one contribution. Offsets count bytes of the file.

use super::{RenderOptions, Renderer, terminal};
use crate::localize::{LocalizeReport, SuspectView};
use crate::{Command, Document, PlaceView, Report};
use serde_json::{Value, json};

pub static RENDERER: Renderer = Renderer {
    name: "cpachecker",
    about: "suspects as CPAchecker's faultlocalization.json",
    supports: |command| command == Command::Localize,
    render,
    diagnostic: terminal::diagnostic,
    is_for_programs: true,
};

fn render(document: &Document, _: RenderOptions) -> String {
    let value = match &document.report {
        Report::Localize(report) => faults(report),
        _ => json!({ "faults": [] }),
    };
    serde_json::to_string_pretty(&value).expect("keys are text")
}

fn faults(report: &LocalizeReport) -> Value {
    let faults: Vec<Value> = report.suspects.iter().map(|suspect| fault(report, suspect)).collect();
    let mut value = json!({ "faults": faults });
    if let Some(violation) = &report.violation {
        let PlaceView { file, line, text, .. } = &violation.place;
        value["error-location"] = location(file, *line, violation.place.offset, text.as_deref().unwrap_or(""));
    }
    value
}

fn fault(report: &LocalizeReport, suspect: &SuspectView) -> Value {
    let info = |description: &str, kind: &str| json!({ "fault-info": { "description": description, "score": suspect.score, "type": kind } });
    let mut infos = vec![info(&suspect.reason, "REASON")];
    let own = report.repairs.iter().filter(|repair| (&repair.file, repair.line) == (&suspect.file, suspect.line));
    infos.extend(own.map(|repair| info(&repair.sentence(), "FIX")));
    let contribution = json!({
        "score": suspect.score,
        "infos": [],
        "location": location(&suspect.file, suspect.line, suspect.offset, &suspect.text),
    });
    json!({ "fault": {
        "score": suspect.score,
        "intendedIndex": suspect.rank - 1,
        "infos": infos,
        "contributions": [{ "fault-contribution": contribution }],
    } })
}

/// The text of a line that starts at an offset, without the white space around it.
fn location(file: &str, line: u32, offset: Option<u32>, text: &str) -> Value {
    let code = text.trim();
    let start = offset.unwrap_or(0) as usize + text.len() - text.trim_start().len();
    json!({
        "startLine": line,
        "endLine": line,
        "startOffset": start,
        "endOffset": start + code.len(),
        "filename": file,
        "code": code,
    })
}

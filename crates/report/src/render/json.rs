//! One JSON object: the fields of the report, after what every such object starts with. `docs/schema.json` describes them.

use super::{RenderOptions, Renderer, terminal};
use crate::{Document, Report};
use serde::Serialize;

pub static RENDERER: Renderer = Renderer {
    name: "json",
    about: "one JSON object, for programs",
    supports: |_| true,
    render,
    diagnostic: terminal::diagnostic,
    is_for_programs: true,
};

#[derive(Serialize)]
struct Envelope<'a> {
    tool: Tool,
    command: &'a str,
    time_ms: f64,
    #[serde(flatten)]
    report: &'a Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished: Option<&'a str>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

fn render(document: &Document, _: RenderOptions) -> String {
    text(document)
}

pub fn text(document: &Document) -> String {
    let tool = Tool { name: "whydunit", version: env!("CARGO_PKG_VERSION") };
    let Document { command, time_ms, report, unfinished } = document;
    let envelope =
        Envelope { tool, command: command.name(), time_ms: *time_ms, report, unfinished: unfinished.as_deref() };
    serde_json::to_string_pretty(&envelope).expect("reports have text for keys")
}

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

/// Of `docs/schema.json`: it grows when a field goes away or means something else, not when one is added.
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Envelope<'a> {
    schema_version: u32,
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
    let Document { command, time_ms, report, unfinished, .. } = document;
    let (command, unfinished) = (command.name(), unfinished.as_deref());
    let envelope = Envelope { schema_version: SCHEMA_VERSION, tool, command, time_ms: *time_ms, report, unfinished };
    serde_json::to_string_pretty(&envelope).expect("reports have text for keys")
}

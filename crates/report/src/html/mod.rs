//! The report as one HTML page that needs nothing else: no network, no server, no other file. The model here is plain data; it is embedded as JSON, and the
//! scripts under `assets` show it. Text of programs is never part of the markup: scripts make text nodes of it.

mod cycles;
mod facts;
mod flow;
mod groups;
mod layout;
mod run;
mod witness_graph;

pub use cycles::CycleRow;
pub use facts::{FactRecorder, Facts};
pub use flow::{FlowGraph, FlowGraphs};
pub use layout::Drawing;
pub use run::{RunKind, RunPage};
pub use witness_graph::draw as draw_witness;

use crate::explain::{CauseReport, ChangeReport};
use crate::localize::{RepairView, SuspectView, TraceItem};
use crate::verify::{AssertionReport, ContractReport, InvariantReport};
use crate::{PlaceView, Report};
use base::{Location, SourceMap};
use serde::Serialize;
use std::collections::BTreeMap;

const TEMPLATE: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/style.css");
/// In the order in which they are put into the page.
const SCRIPTS: [&str; 9] = [
    include_str!("assets/dom.js"),
    include_str!("assets/list.js"),
    include_str!("assets/run.js"),
    include_str!("assets/source.js"),
    include_str!("assets/values.js"),
    include_str!("assets/why.js"),
    include_str!("assets/graph.js"),
    include_str!("assets/compare.js"),
    include_str!("assets/page.js"),
];

/// All that a page shows.
#[derive(Default, Serialize)]
pub struct Page {
    pub tool: String,
    pub command: &'static str,
    /// The files of the program.
    pub name: String,
    /// `true`, `false`, `unknown`; of a witness: `confirmed`, `rejected`, `undecided`.
    pub verdict: String,
    pub property: Option<String>,
    /// In words, why, or what was not found out.
    pub reason: Option<String>,
    pub how: Option<String>,
    pub place: Option<PlaceView>,
    pub sources: Vec<SourceText>,
    pub violations: Vec<ViolationPage>,
    pub suspects: Vec<SuspectView>,
    pub repairs: Vec<RepairPage>,
    /// Error invariants between the statements of the run, by method.
    pub traces: Vec<TracePage>,
    pub sentences: Vec<String>,
    pub causes: Vec<CauseReport>,
    pub changes: Vec<ChangeReport>,
    pub invariants: Vec<InvariantPage>,
    pub contracts: Vec<ContractReport>,
    pub checks: Vec<AssertionReport>,
    pub assumptions: Vec<String>,
    pub notes: Vec<String>,
    pub functions: Vec<FlowGraph>,
    pub witness: Option<Drawing>,
    pub downloads: Vec<Download>,
}

#[derive(Serialize)]
pub struct SourceText {
    pub name: String,
    /// The whole file, if it was read.
    pub text: Option<String>,
    /// Otherwise the lines that are known.
    pub lines: BTreeMap<u32, String>,
}

#[derive(Serialize)]
pub struct ViolationPage {
    pub property: String,
    pub message: String,
    pub detail: Option<String>,
    pub place: PlaceView,
    pub runs: Vec<RunPage>,
}

#[derive(Serialize)]
pub struct RepairPage {
    pub sentence: String,
    #[serde(flatten)]
    pub repair: RepairView,
}

#[derive(Serialize)]
pub struct TracePage {
    pub title: String,
    pub items: Vec<TraceItem>,
}

#[derive(Serialize)]
pub struct InvariantPage {
    pub place: PlaceView,
    pub expression: String,
    /// Of a witness: whether it holds, and whether the proof rests on it.
    pub result: Option<String>,
}

#[derive(Serialize)]
pub struct Download {
    pub name: String,
    /// What it is, in words.
    pub about: &'static str,
    pub text: String,
}

impl Page {
    /// Adds what a report says. Several reports about one program make one page.
    pub fn add(&mut self, report: &Report) {
        match report {
            Report::Verify(report) => {
                self.verdict = report.verdict.to_string();
                self.property = Some(report.property.clone());
                self.reason.clone_from(&report.reason);
                self.place.clone_from(&report.place);
                self.how = Some(match report.verdict {
                    "true" => format!(
                        "engine {}, bound {}; every proof by invariants was checked again: each invariant holds when its loop is reached, and one more \
                         round keeps it",
                        report.engine, report.bound
                    ),
                    _ => format!("engine {}, bound {}", report.engine, report.bound),
                });
                let invariant = |one: &InvariantReport| InvariantPage {
                    place: one.place.clone(),
                    expression: one.expression.clone(),
                    result: None,
                };
                self.invariants.extend(report.invariants.iter().map(invariant));
                self.contracts.clone_from(&report.contracts);
                self.checks.clone_from(&report.checks);
                self.assumptions.clone_from(&report.assumptions);
                self.notes.clone_from(&report.notes);
                if let Some(blame) = &report.blame {
                    self.blame(&blame.suspects, &blame.repairs);
                }
            }
            Report::Minimize(report) => {
                self.answer(report.verdict, report.reason.as_deref());
                if let Some(optimal) = &report.optimal {
                    self.notes.push(format!("The minimized run is the best one known; {}.", optimal.verdict()));
                }
            }
            Report::Explain(report) => {
                self.answer(report.verdict, report.reason.as_deref());
                self.sentences = report.sentences().to_vec();
                self.causes.clone_from(&report.causes);
                self.changes.clone_from(&report.changes);
            }
            Report::Localize(report) => {
                self.answer(report.verdict, report.reason.as_deref());
                self.blame(&report.suspects, &report.repairs);
                for method in &report.methods {
                    if let crate::localize::FindingView::Trace(trace) = &method.finding {
                        self.traces.push(TracePage { title: method.title.to_string(), items: trace.trace.clone() });
                    }
                }
                self.notes.extend(crate::localize::no_answers(&report.because));
            }
            Report::Validation(report) => {
                self.verdict = report.result.to_string();
                self.reason = Some(report.reason.clone());
                let progress = match report.progress.total {
                    0 => String::new(),
                    total => format!(", {} of {total} matched", report.progress.matched),
                };
                self.how = Some(format!("{}{progress}", report.how));
                for one in &report.invariants {
                    let used = match one.used {
                        Some(true) => ", used by the proof",
                        Some(false) => ", not needed by the proof",
                        None => "",
                    };
                    self.invariants.push(InvariantPage {
                        place: PlaceView {
                            file: report.file.clone(),
                            line: one.line.unwrap_or(0),
                            ..PlaceView::default()
                        },
                        expression: one.expression.clone(),
                        result: Some(format!("{}{used}", one.result)),
                    });
                }
            }
            Report::Check(_)
            | Report::Entries(_)
            | Report::Replay(_)
            | Report::Test(_)
            | Report::Lint(_)
            | Report::Error(_) => {}
        }
    }

    /// What a command after a failure says, if no other did.
    fn blame(&mut self, suspects: &[SuspectView], repairs: &[RepairView]) {
        self.suspects = suspects.to_vec();
        self.repairs = repairs.iter().map(|one| RepairPage { sentence: one.sentence(), repair: one.clone() }).collect();
    }

    fn answer(&mut self, verdict: &'static str, reason: Option<&str>) {
        if self.verdict.is_empty() {
            self.verdict = verdict.to_string();
            self.reason = reason.map(str::to_string);
        }
    }

    /// Adds the texts of all files that the page names.
    pub fn add_sources(&mut self, sources: &SourceMap, first: Option<&str>) {
        let mut names: Vec<String> = first.into_iter().map(str::to_string).collect();
        let mut lines: BTreeMap<String, BTreeMap<u32, String>> = BTreeMap::new();
        let mut note = |place: &PlaceView| {
            if place.line > 0 && !names.contains(&place.file) {
                names.push(place.file.clone());
            }
            if let (Some(text), true) = (&place.text, place.line > 0) {
                lines.entry(place.file.clone()).or_default().insert(place.line, text.clone());
            }
        };
        for violation in &self.violations {
            note(&violation.place);
            violation.runs.iter().for_each(|run| run.places().for_each(&mut note));
        }
        self.invariants.iter().for_each(|one| note(&one.place));
        self.contracts.iter().for_each(|one| note(&one.place));
        self.checks.iter().for_each(|one| note(&one.place));
        self.place.iter().for_each(&mut note);
        for one in &self.suspects {
            let text = Some(one.text.clone());
            note(&PlaceView { file: one.file.clone(), line: one.line, text, ..PlaceView::default() });
        }
        self.sources = names
            .into_iter()
            .map(|name| {
                let text = whole_text(sources, &name);
                let lines = if text.is_some() { BTreeMap::new() } else { lines.remove(&name).unwrap_or_default() };
                SourceText { name, text, lines }
            })
            .collect();
    }

    pub fn render(&self) -> String {
        let data = serde_json::to_string(self).expect("pages have text for keys");
        let title = format!("{}: {}", self.name, self.verdict);
        let mut page = String::with_capacity(data.len() + 200_000);
        // The template has each mark once; what is put in is never looked at again.
        let mut rest = TEMPLATE;
        for (mark, text) in [
            ("{{title}}", base::markup::html(&title)),
            ("{{style}}", STYLE.to_string()),
            ("{{data}}", embedded(&data)),
            ("{{script}}", SCRIPTS.join("\n")),
        ] {
            let (before, after) = rest.split_once(mark).expect("the template has every mark");
            page.push_str(before);
            page.push_str(&text);
            rest = after;
        }
        page.push_str(rest);
        page
    }
}

/// The text of a file that was read as it is.
fn whole_text(sources: &SourceMap, name: &str) -> Option<String> {
    let line = |line| sources.original_line(&Location { file: name.to_string(), line, column: 1, offset: None });
    let lines: Vec<String> = (1..).map_while(line).map(|text| text.into_owned()).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// JSON that an HTML parser takes for nothing but text, whatever it says.
fn embedded(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", letter as u32)),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hostile() -> Page {
        let text =
            "</script><script>alert(1)</script><!-- \u{202e}\u{2028} {{data}} {{script}} <img src=x onerror=alert(2)>";
        let source = SourceText { name: "a\"'<b>.c".into(), text: Some(text.into()), lines: BTreeMap::new() };
        Page { name: "a\"'<b>\u{202e}.c".into(), verdict: "false".into(), sources: vec![source], ..Page::default() }
    }

    #[test]
    fn text_never_becomes_markup() {
        let page = hostile().render();
        assert_eq!(page.matches("</script").count(), 2, "the data and the scripts end once each");
        assert!(!page.contains("<img") && !page.contains("<!-- ") && !page.contains('\u{2028}'));
        let title = page.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).expect("a title");
        assert_eq!(title, "a&quot;'&lt;b&gt;\\u{202e}.c: false");
    }

    #[test]
    fn the_data_can_be_read_back() {
        let page = hostile().render();
        let data = page.split("<script type=\"application/json\" id=\"data\">").nth(1).expect("the data");
        let data = data.split("</script>").next().expect("its end");
        let value: serde_json::Value = serde_json::from_str(data).expect("JSON");
        assert_eq!(value["sources"][0]["text"].as_str(), hostile().sources[0].text.as_deref());
    }

    #[test]
    fn a_page_is_small_and_asks_nobody() {
        let page = Page::default().render();
        assert!(page.len() < 200_000, "{} bytes", page.len());
        for outside in ["http://", "https://", "@import", "url("] {
            let allowed = page.matches("http://www.w3.org/2000/svg").count() * usize::from(outside == "http://");
            assert_eq!(page.matches(outside).count(), allowed, "{outside}");
        }
    }
}

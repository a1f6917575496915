//! Entries to YAML. Every text is double-quoted, which every reader of YAML understands the same way; the version of each entry is written as it
//! is, but for 0.1, which current tools do not read.

use crate::formats::FORMATS;
use crate::model::*;
use std::fmt::Write;

/// The reason, if an entry is of a version that is not written.
pub fn write(entries: &[Entry]) -> Result<String, String> {
    let mut out = Out { text: String::new(), indent: 0, item: false };
    for entry in entries {
        let version = &entry.metadata.format_version;
        if !FORMATS.iter().any(|format| format.name == "yaml" && format.writes.contains(&version.as_str())) {
            return Err(format!("version `{version}` is not written; convert to 2.0 or later"));
        }
        out.item(|out| out.entry(entry));
    }
    if entries.is_empty() {
        out.text.push_str("[]\n");
    }
    Ok(out.text)
}

struct Out {
    text: String,
    indent: usize,
    /// The next line begins a member of a list.
    item: bool,
}

impl Out {
    fn line(&mut self, content: &str) {
        let indent = if self.item { self.indent - 2 } else { self.indent };
        let _ = writeln!(self.text, "{:indent$}{}{content}", "", if self.item { "- " } else { "" });
        self.item = false;
    }

    fn item(&mut self, body: impl FnOnce(&mut Out)) {
        self.indent += 2;
        self.item = true;
        body(self);
        self.indent -= 2;
    }

    fn map(&mut self, name: &str, body: impl FnOnce(&mut Out)) {
        self.line(&format!("{name}:"));
        self.indent += 2;
        body(self);
        self.indent -= 2;
    }

    fn list<T>(&mut self, name: &str, items: &[T], mut body: impl FnMut(&mut Out, &T)) {
        if items.is_empty() {
            return self.line(&format!("{name}: []"));
        }
        self.line(&format!("{name}:"));
        for item in items {
            self.item(|out| body(out, item));
        }
    }

    fn text(&mut self, name: &str, value: &str) {
        self.line(&format!("{name}: {}", quoted(value)));
    }

    fn optional(&mut self, name: &str, value: &Option<String>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    fn format(&mut self, format: Option<ExpressionFormat>) {
        if let Some(format) = format {
            self.text("format", format.word());
        }
    }

    fn labels(&mut self, labels: &[String]) {
        if !labels.is_empty() {
            self.list("labels", labels, |out, label| out.line(&quoted(label)));
        }
    }

    fn entry(&mut self, entry: &Entry) {
        let kind = match &entry.content {
            Content::Violation(_) => "violation_sequence",
            Content::Invariants(_) => "invariant_set",
            Content::Ghosts(_) => "ghost_instrumentation",
        };
        self.text("entry_type", kind);
        self.map("metadata", |out| out.metadata(&entry.metadata));
        match &entry.content {
            Content::Violation(segments) => self.list("content", segments, |out, segment| {
                out.list("segment", &segment.waypoints, |out, waypoint| {
                    out.map("waypoint", |out| out.waypoint(waypoint));
                });
            }),
            Content::Invariants(claims) => self.list("content", claims, |out, claim| {
                // The word that more readers know, for contracts too.
                out.map("invariant", |out| out.claim(claim));
            }),
            Content::Ghosts(ghosts) => self.map("content", |out| out.ghosts(ghosts)),
        }
    }

    fn metadata(&mut self, metadata: &Metadata) {
        self.text("format_version", &metadata.format_version);
        self.optional("uuid", &metadata.uuid);
        self.optional("creation_time", &metadata.creation_time);
        let producer = &metadata.producer;
        let fields = [
            ("name", &producer.name),
            ("version", &producer.version),
            ("configuration", &producer.configuration),
            ("command_line", &producer.command_line),
            ("description", &producer.description),
        ];
        if fields.iter().any(|(_, value)| value.is_some()) {
            self.map("producer", |out| {
                for (name, value) in fields {
                    out.optional(name, value);
                }
            });
        }
        if metadata.task != Task::default() {
            self.map("task", |out| out.task(&metadata.task));
        }
    }

    fn task(&mut self, task: &Task) {
        self.list("input_files", &task.input_files, |out, file| out.line(&quoted(file)));
        if task.input_file_hashes.is_empty() {
            self.line("input_file_hashes: {}");
        } else {
            self.map("input_file_hashes", |out| {
                for (file, hash) in &task.input_file_hashes {
                    out.text(&quoted(file), hash);
                }
            });
        }
        self.optional("specification", &task.specification);
        self.optional("data_model", &task.data_model);
        self.optional("language", &task.language);
    }

    fn location(&mut self, location: &Location) {
        self.map("location", |out| {
            out.text("file_name", &location.file_name);
            out.optional("file_hash", &location.file_hash);
            out.line(&format!("line: {}", location.line));
            if let Some(column) = location.column {
                out.line(&format!("column: {column}"));
            }
            out.optional("function", &location.function);
        });
    }

    fn waypoint(&mut self, waypoint: &Waypoint) {
        self.text("type", waypoint.kind.word());
        self.text("action", waypoint.action.word());
        if let Some(thread) = waypoint.thread {
            self.line(&format!("thread_id: {thread}"));
        }
        if let Some(constraint) = &waypoint.constraint {
            self.map("constraint", |out| out.constraint(constraint, waypoint.kind == WaypointKind::Branching));
        }
        self.location(&waypoint.location);
    }

    /// The case that a `switch` takes is an integer; everything else is a text.
    fn constraint(&mut self, constraint: &Constraint, branching: bool) {
        match constraint.value.parse::<i64>() {
            Ok(case) if branching && case.to_string() == constraint.value => self.line(&format!("value: {case}")),
            _ => self.text("value", &constraint.value),
        }
        self.format(constraint.format);
    }

    fn claim(&mut self, claim: &Claim) {
        match claim {
            Claim::Invariant(invariant) => {
                self.text("type", invariant.kind.word());
                if let Some(location) = &invariant.location {
                    self.location(location);
                }
                self.text("value", &invariant.value);
                self.format(invariant.format);
                self.labels(&invariant.labels);
            }
            Claim::Contract(contract) => {
                self.text("type", "function_contract");
                self.location(&contract.location);
                self.optional("requires", &contract.requires);
                self.optional("ensures", &contract.ensures);
                self.format(contract.format);
                self.labels(&contract.labels);
            }
        }
    }

    fn ghosts(&mut self, ghosts: &Ghosts) {
        self.list("ghost_variables", &ghosts.variables, |out, variable| {
            out.text("name", &variable.name);
            out.text("scope", &variable.scope);
            out.text("type", &variable.value_type);
            out.map("initial", |out| out.constraint(&variable.initial, false));
        });
        self.list("ghost_updates", &ghosts.updates, |out, updates| {
            out.location(&updates.location);
            out.list("updates", &updates.updates, |out, update| {
                out.text("variable", &update.variable);
                out.text("value", &update.value);
                out.format(update.format);
            });
        });
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            // Control characters, and what YAML takes for a line break or a mark.
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => {
                let _ = write!(out, "\\u{:04x}", letter as u32);
            }
            letter => out.push(letter),
        }
    }
    out.push('"');
    out
}

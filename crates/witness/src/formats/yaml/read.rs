//! Tree to entries. Each mapping is read by one function that names its fields; what is missing, unknown or of the wrong kind is reported and
//! the rest is read all the same.

use super::tree::{self, Tree, YamlValue};
use crate::formats::{FORMATS, Limits};
use crate::lint::{Finding, Rule, forms, rules};
use crate::model::*;

pub fn read(text: &str, limits: &Limits) -> (Option<Witness>, Vec<Finding>) {
    let tree = match tree::parse(text, limits) {
        Ok(tree) => tree,
        Err(finding) => return (None, vec![finding]),
    };
    let mut reader = Reader { findings: Vec::new() };
    let at = tree.at;
    let YamlValue::List(items) = tree.value else {
        reader.report(&rules::FIELD_TYPE, at, "a witness is a list of entries");
        return (None, reader.findings);
    };
    let entries = items.into_iter().filter_map(|item| reader.entry(item)).collect();
    (Some(Witness::Entries(entries)), reader.findings)
}

struct Reader {
    findings: Vec<Finding>,
}

/// The fields of a mapping that were not asked for yet.
struct Fields {
    at: Position,
    what: &'static str,
    fields: Vec<(String, Position, Tree)>,
}

impl Fields {
    fn take(&mut self, name: &str) -> Option<Tree> {
        let index = self.fields.iter().position(|(field, _, _)| field == name)?;
        Some(self.fields.remove(index).2)
    }
}

impl Reader {
    fn report(&mut self, rule: &'static Rule, at: Position, message: impl Into<String>) {
        self.findings.push(Finding::new(rule, at, message.into()));
    }

    fn fields(&mut self, tree: Tree, what: &'static str) -> Option<Fields> {
        match tree.value {
            YamlValue::Map(fields) => Some(Fields { at: tree.at, what, fields }),
            _ => {
                self.report(&rules::FIELD_TYPE, tree.at, format!("{what} is a mapping"));
                None
            }
        }
    }

    /// Fields that were never asked for are unknown.
    fn done(&mut self, fields: Fields) {
        for (name, at, _) in fields.fields {
            self.report(&rules::FIELD_UNKNOWN, at, format!("{} has no field `{name}`", fields.what));
        }
    }

    fn required(&mut self, fields: &mut Fields, name: &str) -> Option<Tree> {
        let tree = fields.take(name);
        if tree.is_none() {
            self.report(&rules::FIELD_MISSING, fields.at, format!("{} has no `{name}`", fields.what));
        }
        tree
    }

    /// The same for metadata, without which a witness can still be understood.
    fn wanted(&mut self, fields: &mut Fields, name: &str) -> Option<Tree> {
        let tree = fields.take(name);
        if tree.is_none() {
            self.report(&rules::METADATA, fields.at, format!("{} has no `{name}`", fields.what));
        }
        tree
    }

    fn wanted_text(&mut self, fields: &mut Fields, name: &str) -> Option<(String, Position)> {
        let tree = self.wanted(fields, name)?;
        let at = tree.at;
        Some((self.text(tree, name)?, at))
    }

    fn text(&mut self, tree: Tree, name: &str) -> Option<String> {
        match tree.value {
            YamlValue::Text(text) | YamlValue::Typed(text) => Some(text),
            YamlValue::Null | YamlValue::List(_) | YamlValue::Map(_) => {
                self.report(&rules::FIELD_TYPE, tree.at, format!("`{name}` is a text"));
                None
            }
        }
    }

    /// A text that may be absent; its position too, for those who check it further.
    fn optional(&mut self, fields: &mut Fields, name: &str) -> Option<(String, Position)> {
        let tree = fields.take(name)?;
        let at = tree.at;
        Some((self.text(tree, name)?, at))
    }

    fn required_text(&mut self, fields: &mut Fields, name: &str) -> Option<(String, Position)> {
        let tree = self.required(fields, name)?;
        let at = tree.at;
        Some((self.text(tree, name)?, at))
    }

    fn number(&mut self, tree: Tree, name: &str, least: u32) -> Option<u32> {
        let at = tree.at;
        let text = self.text(tree, name)?;
        let number = text.parse().ok().filter(|number| *number >= least);
        if number.is_none() {
            self.report(&rules::VALUE, at, format!("`{name}` is a number from {least} on, not `{text}`"));
        }
        number
    }

    fn list(&mut self, tree: Tree, name: &str) -> Vec<Tree> {
        match tree.value {
            YamlValue::List(items) => items,
            _ => {
                self.report(&rules::FIELD_TYPE, tree.at, format!("`{name}` is a list"));
                Vec::new()
            }
        }
    }

    /// One of a set of words; the reader goes on without what holds it if it is none of them.
    fn word<T>(&mut self, fields: &mut Fields, name: &str, from: fn(&str) -> Option<T>) -> Option<T> {
        let (text, at) = self.required_text(fields, name)?;
        let found = from(&text);
        if found.is_none() {
            self.report(&rules::VALUE, at, format!("`{text}` is not a {name}"));
        }
        found
    }

    fn expression_format(&mut self, fields: &mut Fields) -> Option<ExpressionFormat> {
        let (text, at) = self.optional(fields, "format")?;
        let found = match text.as_str() {
            // The name of the first version.
            "C" => Some(ExpressionFormat::C),
            _ => ExpressionFormat::from_word(&text),
        };
        if found.is_none() {
            self.report(&rules::VALUE, at, format!("`{text}` is not a format of expressions"));
        }
        found
    }

    fn entry(&mut self, tree: Tree) -> Option<Entry> {
        let mut fields = self.fields(tree, "an entry")?;
        let at = fields.at;
        let kind = self.required_text(&mut fields, "entry_type");
        let metadata = self.wanted(&mut fields, "metadata").and_then(|tree| self.metadata(tree)).unwrap_or_default();
        let (kind, kind_at) = kind?;
        let content = match kind.as_str() {
            "violation_sequence" => {
                let segments = self.items(&mut fields, "content");
                Content::Violation(segments.into_iter().filter_map(|tree| self.segment(tree)).collect())
            }
            "invariant_set" => {
                let claims = self.items(&mut fields, "content");
                Content::Invariants(claims.into_iter().filter_map(|tree| self.claim(tree)).collect())
            }
            "ghost_instrumentation" => {
                let tree = self.required(&mut fields, "content")?;
                Content::Ghosts(self.ghosts(tree)?)
            }
            "loop_invariant" | "location_invariant" => {
                Content::Invariants(vec![self.old_invariant(&mut fields, &kind)?])
            }
            _ => {
                self.report(&rules::ENTRY_TYPE, kind_at, format!("`{kind}` is not a type of entry"));
                return None;
            }
        };
        self.done(fields);
        Some(Entry { at, metadata, content })
    }

    fn items(&mut self, fields: &mut Fields, name: &str) -> Vec<Tree> {
        match self.required(fields, name) {
            // An empty block is a list without members.
            Some(Tree { value: YamlValue::Null, .. }) | None => Vec::new(),
            Some(tree) => self.list(tree, name),
        }
    }

    fn metadata(&mut self, tree: Tree) -> Option<Metadata> {
        let mut fields = self.fields(tree, "metadata")?;
        let at = fields.at;
        let version = self.wanted_text(&mut fields, "format_version");
        if let Some((version, at)) = &version
            && !FORMATS.iter().any(|format| format.name == "yaml" && format.versions.contains(&version.as_str()))
        {
            self.report(&rules::VERSION, *at, format!("`{version}` is not a version that is known"));
        }
        let uuid = self.wanted_text(&mut fields, "uuid");
        self.findings.extend(uuid.iter().filter_map(|(text, at)| forms::uuid(text, *at)));
        let time = self.wanted_text(&mut fields, "creation_time");
        self.findings.extend(time.iter().filter_map(|(text, at)| forms::time(text, *at)));
        let producer = self.wanted(&mut fields, "producer").and_then(|tree| self.producer(tree)).unwrap_or_default();
        let task = self.wanted(&mut fields, "task").and_then(|tree| self.task(tree)).unwrap_or_default();
        self.done(fields);
        let text = |found: Option<(String, Position)>| found.map(|(text, _)| text);
        let format_version = text(version).unwrap_or_default();
        Some(Metadata { at, format_version, uuid: text(uuid), creation_time: text(time), producer, task })
    }

    fn producer(&mut self, tree: Tree) -> Option<Producer> {
        let mut fields = self.fields(tree, "producer")?;
        let name = self.wanted_text(&mut fields, "name");
        let version = self.wanted_text(&mut fields, "version");
        let mut rest = ["configuration", "command_line", "description"].map(|name| self.optional(&mut fields, name));
        self.done(fields);
        let [configuration, command_line, description] =
            rest.each_mut().map(|found| found.take().map(|(text, _)| text));
        let (name, version) = (name.map(|(text, _)| text), version.map(|(text, _)| text));
        Some(Producer { name, version, configuration, command_line, description })
    }

    fn task(&mut self, tree: Tree) -> Option<Task> {
        let mut fields = self.fields(tree, "task")?;
        let at = fields.at;
        let files = match self.wanted(&mut fields, "input_files") {
            Some(Tree { value: YamlValue::Text(file), .. }) => vec![file],
            Some(tree) => {
                let items = self.list(tree, "input_files");
                items.into_iter().filter_map(|item| self.text(item, "input_files")).collect()
            }
            None => Vec::new(),
        };
        let mut hashes = Vec::new();
        if let Some(tree) = self.wanted(&mut fields, "input_file_hashes")
            && let Some(found) = self.fields(tree, "input_file_hashes")
        {
            for (file, _, tree) in found.fields {
                let at = tree.at;
                let Some(hash) = self.text(tree, &file) else { continue };
                self.findings.extend(forms::hash(&hash, at));
                hashes.push((file, hash));
            }
        }
        let specification = self.wanted_text(&mut fields, "specification");
        self.findings.extend(specification.iter().filter_map(|(text, at)| forms::specification(text, *at)));
        let data_model = self.wanted_text(&mut fields, "data_model");
        let language = self.wanted_text(&mut fields, "language");
        for (found, known) in [(&data_model, &["ILP32", "LP64", "32bit", "64bit"][..]), (&language, &["C"][..])] {
            if let Some((text, at)) = found
                && !known.contains(&text.as_str())
            {
                self.report(&rules::METADATA, *at, format!("`{text}`: one of {} is needed", known.join(", ")));
            }
        }
        self.done(fields);
        let text = |found: Option<(String, Position)>| found.map(|(text, _)| text);
        Some(Task {
            at,
            input_files: files,
            input_file_hashes: hashes,
            specification: text(specification),
            data_model: text(data_model),
            language: text(language),
        })
    }

    /// `first` is the number of the first column: 1, but 0 in version 0.1.
    fn location(&mut self, tree: Tree, first: u32) -> Option<Location> {
        let mut fields = self.fields(tree, "a location")?;
        let at = fields.at;
        let file_name = self.required_text(&mut fields, "file_name").map(|(text, _)| text);
        let file_hash = self.optional(&mut fields, "file_hash").map(|(text, _)| text);
        let line = self.required(&mut fields, "line").and_then(|tree| self.number(tree, "line", 1));
        let column =
            fields.take("column").and_then(|tree| self.number(tree, "column", first)).map(|column| column + 1 - first);
        let function = self.optional(&mut fields, "function").map(|(text, _)| text);
        self.done(fields);
        Some(Location { at, file_name: file_name?, file_hash, line: line?, column, function })
    }

    fn required_location(&mut self, fields: &mut Fields) -> Option<Location> {
        let tree = self.required(fields, "location")?;
        self.location(tree, 1)
    }

    fn constraint(&mut self, tree: Tree) -> Option<Constraint> {
        let mut fields = self.fields(tree, "a constraint")?;
        let at = fields.at;
        let value = self.required_text(&mut fields, "value");
        let format = self.expression_format(&mut fields);
        self.done(fields);
        Some(Constraint { at, value: value?.0, format })
    }

    fn segment(&mut self, tree: Tree) -> Option<Segment> {
        let mut fields = self.fields(tree, "a member of the content")?;
        let at = fields.at;
        let waypoints = self.items(&mut fields, "segment");
        let waypoints = waypoints.into_iter().filter_map(|tree| self.waypoint(tree)).collect();
        self.done(fields);
        Some(Segment { at, waypoints })
    }

    fn waypoint(&mut self, tree: Tree) -> Option<Waypoint> {
        let mut outer = self.fields(tree, "a member of a segment")?;
        let inner = self.required(&mut outer, "waypoint");
        self.done(outer);
        let mut fields = self.fields(inner?, "a waypoint")?;
        let at = fields.at;
        let kind = self.word(&mut fields, "type", WaypointKind::from_word);
        let action = self.word(&mut fields, "action", Action::from_word);
        let location = self.required_location(&mut fields);
        let constraint = fields.take("constraint").and_then(|tree| self.constraint(tree));
        let thread = fields.take("thread_id").and_then(|tree| self.number(tree, "thread_id", 0));
        self.done(fields);
        Some(Waypoint { at, kind: kind?, action: action?, location: location?, constraint, thread })
    }

    fn claim(&mut self, tree: Tree) -> Option<Claim> {
        let mut outer = self.fields(tree, "a member of the content")?;
        // Producers disagree on the word for a function contract.
        let inner = match outer.take("contract") {
            Some(inner) => Some(inner),
            None => self.required(&mut outer, "invariant"),
        };
        self.done(outer);
        let mut fields = self.fields(inner?, "an invariant")?;
        let at = fields.at;
        let (kind, kind_at) = self.required_text(&mut fields, "type")?;
        if kind == "function_contract" {
            let location = self.required_location(&mut fields);
            let requires = self.optional(&mut fields, "requires").map(|(text, _)| text);
            let ensures = self.optional(&mut fields, "ensures").map(|(text, _)| text);
            let format = self.expression_format(&mut fields);
            let labels = self.labels(&mut fields);
            self.done(fields);
            return Some(Claim::Contract(Contract { at, location: location?, requires, ensures, format, labels }));
        }
        let Some(kind) = InvariantKind::from_word(&kind) else {
            self.report(&rules::VALUE, kind_at, format!("`{kind}` is not a type of invariant"));
            return None;
        };
        let location = match kind {
            InvariantKind::FlowInsensitive => None,
            _ => Some(self.required_location(&mut fields)?),
        };
        let value = self.required_text(&mut fields, "value");
        let format = self.expression_format(&mut fields);
        let labels = self.labels(&mut fields);
        self.done(fields);
        Some(Claim::Invariant(Invariant { at, kind, location, value: value?.0, format, labels }))
    }

    fn labels(&mut self, fields: &mut Fields) -> Vec<String> {
        let Some(tree) = fields.take("labels") else { return Vec::new() };
        let items = self.list(tree, "labels");
        items.into_iter().filter_map(|item| self.text(item, "labels")).collect()
    }

    /// Version 0.1: an entry is one invariant.
    fn old_invariant(&mut self, fields: &mut Fields, kind: &str) -> Option<Claim> {
        let at = fields.at;
        let location = self.required(fields, "location").and_then(|tree| self.location(tree, 0));
        let tree = self.required(fields, kind)?;
        let mut inner = self.fields(tree, "an invariant")?;
        let value = self.required_text(&mut inner, "string");
        let format = self.expression_format(&mut inner);
        // Always `assertion`.
        inner.take("type");
        self.done(inner);
        let kind = InvariantKind::from_word(kind)?;
        Some(Claim::Invariant(Invariant {
            at,
            kind,
            location: Some(location?),
            value: value?.0,
            format,
            labels: Vec::new(),
        }))
    }

    fn ghosts(&mut self, tree: Tree) -> Option<Ghosts> {
        let mut fields = self.fields(tree, "content")?;
        let variables = self.items(&mut fields, "ghost_variables");
        let variables = variables.into_iter().filter_map(|tree| self.ghost_variable(tree)).collect();
        let updates = self.items(&mut fields, "ghost_updates");
        let updates = updates.into_iter().filter_map(|tree| self.ghost_updates(tree)).collect();
        self.done(fields);
        Some(Ghosts { variables, updates })
    }

    fn ghost_variable(&mut self, tree: Tree) -> Option<GhostVariable> {
        let mut fields = self.fields(tree, "a ghost variable")?;
        let at = fields.at;
        let [name, scope, value_type] = ["name", "scope", "type"].map(|name| self.required_text(&mut fields, name));
        let initial = self.required(&mut fields, "initial").and_then(|tree| self.constraint(tree));
        self.done(fields);
        Some(GhostVariable { at, name: name?.0, scope: scope?.0, value_type: value_type?.0, initial: initial? })
    }

    fn ghost_updates(&mut self, tree: Tree) -> Option<GhostUpdates> {
        let mut fields = self.fields(tree, "a ghost update")?;
        let at = fields.at;
        let location = self.required_location(&mut fields);
        let mut updates = Vec::new();
        for tree in self.items(&mut fields, "updates") {
            let Some(mut fields) = self.fields(tree, "an update") else { continue };
            let at = fields.at;
            let variable = self.required_text(&mut fields, "variable");
            let value = self.required_text(&mut fields, "value");
            let format = self.expression_format(&mut fields);
            self.done(fields);
            if let (Some((variable, _)), Some((value, _))) = (variable, value) {
                updates.push(GhostUpdate { at, variable, value, format });
            }
        }
        self.done(fields);
        Some(GhostUpdates { at, location: location?, updates })
    }
}

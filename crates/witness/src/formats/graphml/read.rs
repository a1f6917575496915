//! XML to automaton, event by event. There are no entities but the five of XML, so nothing can expand; document types are refused, so
//! nothing can be included.

use super::keys::{Domain, Key};
use crate::formats::Limits;
use crate::lint::{Finding, Rule, forms, rules};
use crate::model::{Automaton, Edge, Extra, Kind, Node, Position, ToolKey, Witness};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::collections::HashSet;

pub fn read(text: &str, limits: &Limits) -> (Option<Witness>, Vec<Finding>) {
    let mut builder = Builder::default();
    match builder.document(text, limits) {
        Ok(()) => {
            builder.finish();
            (Some(Witness::Automaton(builder.automaton)), builder.findings)
        }
        Err(finding) => {
            builder.findings.push(finding);
            (None, builder.findings)
        }
    }
}

/// Turns byte offsets, which only grow, into positions.
struct Lines<'a> {
    text: &'a str,
    offset: usize,
    at: Position,
}

impl Lines<'_> {
    fn position(&mut self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let bytes = &self.text.as_bytes()[self.offset.min(offset)..offset];
        for byte in bytes {
            match byte {
                b'\n' => self.at = Position { line: self.at.line + 1, column: 1 },
                // Characters are counted, not the bytes that continue one.
                byte if byte & 0xc0 != 0x80 => self.at.column += 1,
                _ => {}
            }
        }
        self.offset = self.offset.max(offset);
        self.at
    }
}

/// An element that is open, and what is known of it.
#[expect(clippy::large_enum_variant, reason = "only a few are open at a time")]
enum Open {
    GraphMl,
    Graph,
    Node(Node),
    Edge(Edge),
    Key {
        id: Option<String>,
        declared: ToolKey,
    },
    Default,
    Data {
        key: Option<String>,
    },
    /// Not of this format: it and what is in it are left out.
    Foreign,
}

#[derive(Default)]
struct Builder {
    automaton: Automaton,
    findings: Vec<Finding>,
    /// Declarations of known keys: the id that was declared and the key that it means.
    declared: Vec<(String, Key)>,
    /// Ids of all declarations, and ids that data refer to.
    ids: HashSet<String>,
    used: Vec<(String, Domain, Position)>,
    defaults: Vec<(Key, String)>,
    /// Keys that the current element has already.
    seen: Vec<Key>,
    graph_seen: Vec<Key>,
    nodes: HashSet<String>,
    graphs: u32,
    roots: u32,
    text: String,
}

impl Builder {
    fn report(&mut self, rule: &'static Rule, at: Position, message: impl Into<String>) {
        self.findings.push(Finding::new(rule, at, message.into()));
    }

    fn document(&mut self, text: &str, limits: &Limits) -> Result<(), Finding> {
        let mut lines = Lines { text, offset: 0, at: Position { line: 1, column: 1 } };
        let mut reader = Reader::from_str(text);
        reader.config_mut().enable_all_checks(true);
        let mut stack: Vec<(Open, Position)> = Vec::new();
        let mut elements = 0;
        loop {
            let offset = reader.buffer_position() as usize;
            let event = reader.read_event();
            let at = match &event {
                Ok(_) => lines.position(offset),
                Err(_) => lines.position(reader.error_position() as usize),
            };
            let syntax = |message: String| Finding::new(&rules::SYNTAX, at, message);
            match event.map_err(|error| syntax(error.to_string()))? {
                Event::Start(start) | Event::Empty(start) if elements >= limits.elements => {
                    let name = start.name().as_ref().to_string();
                    let message = format!("<{name}>: more than {} elements", limits.elements);
                    return Err(Finding::new(&rules::LIMIT, at, message));
                }
                Event::Start(_) if stack.len() >= limits.depth => {
                    let message = format!("elements nest deeper than {}", limits.depth);
                    return Err(Finding::new(&rules::LIMIT, at, message));
                }
                Event::Start(start) => {
                    elements += 1;
                    let open = self.open(&start, stack.last().map(|(open, _)| open), at)?;
                    stack.push((open, at));
                }
                Event::Empty(start) => {
                    elements += 1;
                    let open = self.open(&start, stack.last().map(|(open, _)| open), at)?;
                    self.close(open, stack.last_mut().map(|(open, _)| open), at);
                }
                Event::End(_) => {
                    if let Some(finding) = limits.too_long(&self.text, at) {
                        return Err(finding);
                    }
                    let Some((open, at)) = stack.pop() else { return Err(syntax("nothing is open here".into())) };
                    self.close(open, stack.last_mut().map(|(open, _)| open), at);
                }
                Event::Text(content) => {
                    let content = content.xml10_content();
                    if let Some(bad) = content.chars().find(|letter| !is_xml(*letter)) {
                        return Err(syntax(format!("the character {bad:?} is not allowed in XML")));
                    }
                    if matches!(stack.last(), Some((Open::Data { .. } | Open::Default, _))) {
                        self.text.push_str(&content);
                    } else if !content.trim().is_empty() {
                        if stack.is_empty() {
                            return Err(syntax("text outside of the document".into()));
                        }
                        if !matches!(stack.last(), Some((Open::Foreign, _))) {
                            self.report(&rules::ELEMENT, at, "text where only elements belong");
                        }
                    }
                }
                Event::CData(content) => self.text.push_str(&content.xml10_content()),
                Event::GeneralRef(reference) => {
                    let letter = match reference.resolve_char_ref() {
                        Ok(Some(letter)) if is_xml(letter) => letter,
                        Ok(Some(_)) | Err(_) => return Err(syntax("not a character of XML".into())),
                        Ok(None) => match reference.xml10_content().as_ref() {
                            "amp" => '&',
                            "lt" => '<',
                            "gt" => '>',
                            "quot" => '"',
                            "apos" => '\'',
                            name => return Err(syntax(format!("the entity `&{name};` is not defined"))),
                        },
                    };
                    self.text.push(letter);
                }
                Event::DocType(_) => return Err(syntax("document type declarations are refused".into())),
                Event::Comment(_) | Event::PI(_) | Event::Decl(_) => {}
                Event::Eof => {
                    if let Some((_, at)) = stack.last() {
                        return Err(Finding::new(&rules::SYNTAX, *at, "the element is never closed".into()));
                    }
                    if self.roots == 0 {
                        return Err(syntax("there is no <graphml> element".into()));
                    }
                    return Ok(());
                }
            }
        }
    }

    fn open(&mut self, start: &BytesStart<'_>, parent: Option<&Open>, at: Position) -> Result<Open, Finding> {
        let name = start.local_name();
        let name: &str = name.as_ref();
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let syntax = |message: String| Finding::new(&rules::SYNTAX, at, message);
            let attribute = attribute.map_err(|error| syntax(error.to_string()))?;
            let value =
                attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| syntax(error.to_string()))?;
            attributes.push((attribute.key.as_ref().to_string(), value.into_owned()));
        }
        let mut take = |wanted: &str| {
            let index = attributes.iter().position(|(name, _)| name == wanted)?;
            Some(attributes.swap_remove(index).1)
        };
        let mut missing = Vec::new();
        let open = match (name, parent) {
            (_, Some(Open::Foreign)) => Open::Foreign,
            ("graphml", None) => {
                self.roots += 1;
                if self.roots > 1 {
                    return Err(Finding::new(&rules::SYNTAX, at, "a second document".into()));
                }
                if take("xmlns").as_deref() != Some("http://graphml.graphdrawing.org/xmlns") {
                    let message = "the default namespace is not http://graphml.graphdrawing.org/xmlns";
                    self.report(&rules::NAMESPACE, at, message);
                }
                Open::GraphMl
            }
            (_, None) => {
                return Err(Finding::new(&rules::SYNTAX, at, format!("the document is a <{name}>, not a <graphml>")));
            }
            ("key", Some(Open::GraphMl)) => {
                let (id, domain) = (take("id"), take("for"));
                missing.extend([("id", id.is_none()), ("for", domain.is_none())]);
                let declared = ToolKey {
                    id: id.clone().unwrap_or_default(),
                    name: take("attr.name"),
                    domain: domain.unwrap_or_default(),
                    value_type: take("attr.type"),
                    default: None,
                };
                Open::Key { id, declared }
            }
            ("default", Some(Open::Key { .. })) => {
                self.text.clear();
                Open::Default
            }
            ("graph", Some(Open::GraphMl)) => {
                self.graphs += 1;
                if self.graphs > 1 {
                    self.report(&rules::ELEMENT, at, "a second <graph>");
                    return Ok(Open::Foreign);
                }
                self.automaton.at = at;
                match take("edgedefault").as_deref() {
                    Some("directed") => {}
                    Some(other) => {
                        self.report(&rules::EDGE_DEFAULT, at, format!("edgedefault is `{other}`, not `directed`"));
                    }
                    None => self.report(&rules::EDGE_DEFAULT, at, "the graph has no edgedefault=\"directed\""),
                }
                Open::Graph
            }
            ("node", Some(Open::Graph)) => {
                let id = take("id");
                missing.push(("id", id.is_none()));
                self.seen.clear();
                Open::Node(Node { at, id: id.unwrap_or_default(), ..Node::default() })
            }
            ("edge", Some(Open::Graph)) => {
                let (source, target) = (take("source"), take("target"));
                missing.extend([("source", source.is_none()), ("target", target.is_none())]);
                self.seen.clear();
                let (source, target) = (source.unwrap_or_default(), target.unwrap_or_default());
                Open::Edge(Edge { at, id: take("id"), source, target, ..Edge::default() })
            }
            ("data", Some(Open::Graph | Open::Node(_) | Open::Edge(_))) => {
                let key = take("key");
                missing.push(("key", key.is_none()));
                self.text.clear();
                Open::Data { key }
            }
            _ => {
                self.report(&rules::ELEMENT, at, format!("<{name}> does not belong here"));
                Open::Foreign
            }
        };
        for (attribute, _) in missing.into_iter().filter(|(_, missing)| *missing) {
            self.report(&rules::ATTRIBUTE, at, format!("<{name}> has no attribute `{attribute}`"));
        }
        Ok(open)
    }

    fn close(&mut self, open: Open, parent: Option<&mut Open>, at: Position) {
        match open {
            Open::GraphMl | Open::Graph | Open::Foreign => {}
            Open::Node(node) => {
                if !self.nodes.insert(node.id.clone()) {
                    self.report(&rules::NODE_DUPLICATE, at, format!("a second node `{}`", node.id));
                }
                self.automaton.nodes.push(node);
            }
            Open::Edge(edge) => self.automaton.edges.push(edge),
            Open::Default => {
                let value = std::mem::take(&mut self.text).trim().to_string();
                if let Some(Open::Key { declared, .. }) = parent {
                    declared.default = Some(value);
                }
            }
            Open::Key { id: None, .. } => {}
            Open::Key { id: Some(id), declared } => self.declare(id, declared, at),
            Open::Data { key: None } => {}
            Open::Data { key: Some(id) } => {
                let value = std::mem::take(&mut self.text).trim().to_string();
                match parent {
                    Some(Open::Node(node)) => self.node_data(node, id, value, at),
                    Some(Open::Edge(edge)) => self.edge_data(edge, id, value, at),
                    _ => self.graph_data(id, value, at),
                }
            }
        }
    }

    fn declare(&mut self, id: String, declared: ToolKey, at: Position) {
        if !self.ids.insert(id.clone()) {
            self.report(&rules::KEY_DUPLICATE, at, format!("a second declaration of the key `{id}`"));
            return;
        }
        let key = Key::by_id(&id).or_else(|| Key::by_name(declared.name.as_deref()?));
        let Some(key) = key else {
            self.automaton.tool_keys.push(declared);
            return;
        };
        let known = key.known();
        if declared.domain != known.domain.name() && !declared.domain.is_empty() {
            let (ours, theirs) = (known.domain.name(), &declared.domain);
            self.report(&rules::KEY_DOMAIN, at, format!("`{id}` is a key for a {ours}, not for `{theirs}`"));
        }
        if let Some(value) = declared.default {
            if known.value_type != "boolean" {
                self.defaults.push((key, value));
            } else if value != "false" {
                self.report(&rules::KEY_DEFAULT, at, format!("the default of `{id}` is `{value}`, not `false`"));
            }
        }
        self.declared.push((id, key));
    }

    /// The known key that data mean, once it is checked that it may stand here. Keys that only tools know go to `extra`.
    fn key(&mut self, id: String, value: &str, domain: Domain, at: Position, extra: &mut Vec<Extra>) -> Option<Key> {
        let declared = self.declared.iter().find(|(declared, _)| *declared == id).map(|(_, key)| *key);
        let key = declared.or_else(|| Key::by_id(&id)).filter(|key| key.known().domain == domain);
        if !self.used.iter().any(|(used, found, _)| *used == id && *found == domain) {
            self.used.push((id.clone(), domain, at));
        }
        let Some(key) = key else {
            extra.push(Extra { key: id, value: value.into() });
            return None;
        };
        let seen = if domain == Domain::Graph { &mut self.graph_seen } else { &mut self.seen };
        if seen.contains(&key) && key != Key::Specification {
            self.report(&rules::DATA_DUPLICATE, at, format!("`{id}` is given twice"));
            return None;
        }
        seen.push(key);
        if value.is_empty() {
            self.report(&rules::DATA_EMPTY, at, format!("`{id}` has no value"));
            return None;
        }
        Some(key)
    }

    fn value(&mut self, key: Key, value: &str, at: Position, wanted: &str) {
        let message = format!("`{}` is not a value of `{}`: {wanted}", clip(value), key.known().id);
        self.report(&rules::VALUE, at, message);
    }

    fn boolean(&mut self, key: Key, value: &str, at: Position) -> bool {
        if value != "true" && value != "false" {
            self.value(key, value, at, "true or false");
        }
        value == "true"
    }

    fn number(&mut self, key: Key, value: &str, at: Position, least: u32) -> Option<u32> {
        let number = value.parse().ok().filter(|number| *number >= least);
        if number.is_none() {
            self.value(key, value, at, &format!("a number from {least} on"));
        }
        number
    }

    fn graph_data(&mut self, id: String, value: String, at: Position) {
        let mut extra = std::mem::take(&mut self.automaton.extra);
        let key = self.key(id, &value, Domain::Graph, at, &mut extra);
        self.automaton.extra = extra;
        let Some(key) = key else { return };
        match key {
            Key::WitnessType => match value.as_str() {
                "violation_witness" => self.automaton.kind = Some(Kind::Violation),
                "correctness_witness" => self.automaton.kind = Some(Kind::Correctness),
                _ => self.value(key, &value, at, "violation_witness or correctness_witness"),
            },
            Key::Language if value != "C" && value != "Java" => self.value(key, &value, at, "C or Java"),
            Key::Architecture if value != "32bit" && value != "64bit" => self.value(key, &value, at, "32bit or 64bit"),
            Key::Specification => {
                self.findings.extend(forms::specification(&value, at));
                self.automaton.specifications.push(value);
            }
            _ => {
                match key {
                    Key::CreationTime => self.findings.extend(forms::time(&value, at)),
                    Key::ProgramHash => self.findings.extend(forms::hash(&value, at)),
                    _ => {}
                }
                if let Some(slot) = graph_slot(&mut self.automaton, key) {
                    *slot = Some(value);
                }
            }
        }
    }

    fn node_data(&mut self, node: &mut Node, id: String, value: String, at: Position) {
        let key = self.key(id, &value, Domain::Node, at, &mut node.extra);
        match key {
            None => {}
            Some(key @ Key::Entry) => node.entry = self.boolean(key, &value, at),
            Some(key @ Key::Sink) => node.sink = self.boolean(key, &value, at),
            Some(key @ Key::Violation) => node.violation = self.boolean(key, &value, at),
            Some(key @ Key::Cyclehead) => node.cyclehead = self.boolean(key, &value, at),
            Some(key) => {
                if let Some(slot) = node_slot(node, key) {
                    *slot = Some(value);
                }
            }
        }
    }

    fn edge_data(&mut self, edge: &mut Edge, id: String, value: String, at: Position) {
        let key = self.key(id, &value, Domain::Edge, at, &mut edge.extra);
        let guard = &mut edge.guard;
        match key {
            None => {}
            Some(key @ Key::StartLine) => guard.start_line = self.number(key, &value, at, 1),
            Some(key @ Key::EndLine) => guard.end_line = self.number(key, &value, at, 1),
            Some(key @ Key::StartOffset) => guard.start_offset = self.number(key, &value, at, 0),
            Some(key @ Key::EndOffset) => guard.end_offset = self.number(key, &value, at, 0),
            Some(key @ Key::EnterLoopHead) => guard.enter_loop_head = self.boolean(key, &value, at),
            Some(key @ Key::Control) => match value.as_str() {
                "condition-true" => guard.control = Some(true),
                "condition-false" => guard.control = Some(false),
                _ => self.value(key, &value, at, "condition-true or condition-false"),
            },
            Some(key) => {
                if let Some(slot) = edge_slot(edge, key) {
                    *slot = Some(value);
                }
            }
        }
    }

    /// Applies defaults, and completes the declarations of tools' keys so that the automaton can be written.
    fn finish(&mut self) {
        if self.graphs == 0 {
            self.report(&rules::ELEMENT, Position { line: 1, column: 1 }, "the document has no <graph>");
        }
        for (key, value) in std::mem::take(&mut self.defaults) {
            for edge in &mut self.automaton.edges {
                if let Some(slot @ None) = edge_slot(edge, key) {
                    *slot = Some(value.clone());
                }
            }
            for node in &mut self.automaton.nodes {
                if let Some(slot @ None) = node_slot(node, key) {
                    *slot = Some(value.clone());
                }
            }
            if let Some(slot @ None) = graph_slot(&mut self.automaton, key) {
                *slot = Some(value);
            }
        }
        for (id, domain, at) in std::mem::take(&mut self.used) {
            if !self.ids.contains(&id) {
                self.report(&rules::KEY_UNDECLARED, at, format!("the key `{id}` is used but not declared"));
            }
            let known = self.declared.iter().find(|(declared, _)| *declared == id).map(|(_, key)| *key);
            let known = known.or_else(|| Key::by_id(&id)).filter(|key| key.known().domain == domain);
            let mut keys = self.automaton.tool_keys.iter();
            if known.is_none() && !keys.any(|key| key.id == id) {
                let domain = domain.name().to_string();
                self.automaton.tool_keys.push(ToolKey { id, name: None, domain, value_type: None, default: None });
            }
        }
    }
}

fn graph_slot(automaton: &mut Automaton, key: Key) -> Option<&mut Option<String>> {
    match key {
        Key::FormatVersion => Some(&mut automaton.format_version),
        Key::Language => Some(&mut automaton.language),
        Key::Producer => Some(&mut automaton.producer),
        Key::ProgramFile => Some(&mut automaton.program_file),
        Key::ProgramHash => Some(&mut automaton.program_hash),
        Key::Architecture => Some(&mut automaton.architecture),
        Key::CreationTime => Some(&mut automaton.creation_time),
        _ => None,
    }
}

fn node_slot(node: &mut Node, key: Key) -> Option<&mut Option<String>> {
    match key {
        Key::Invariant => Some(&mut node.invariant),
        Key::InvariantScope => Some(&mut node.invariant_scope),
        _ => None,
    }
}

fn edge_slot(edge: &mut Edge, key: Key) -> Option<&mut Option<String>> {
    match key {
        Key::OriginFile => Some(&mut edge.guard.origin_file),
        Key::EnterFunction => Some(&mut edge.guard.enter_function),
        Key::ReturnFrom => Some(&mut edge.guard.return_from),
        Key::Thread => Some(&mut edge.guard.thread),
        Key::CreateThread => Some(&mut edge.guard.create_thread),
        Key::Assumption => Some(&mut edge.assumption),
        Key::AssumptionScope => Some(&mut edge.assumption_scope),
        Key::ResultFunction => Some(&mut edge.result_function),
        Key::SourceCode => Some(&mut edge.source_code),
        _ => None,
    }
}

/// Characters of XML 1.0 (section 2.2).
pub(super) fn is_xml(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// A value short enough for a message.
fn clip(value: &str) -> String {
    match value.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.into(),
    }
}

//! What a witness says. GraphML witnesses are protocol automata (Beyer et al. 2022, section 3.1), YAML witnesses are lists of entries; neither can say
//! everything the other can, so both are kept as they are and [`crate::convert`] is the way between them.
//!
//! Texts are kept as they were written (expressions, names, hashes): only a program gives them a meaning.

use std::collections::HashMap;

/// Line and column, from 1, of a thing in the witness file; 0 when it comes from no file. Where a thing was written is no part of what it
/// says: all positions are equal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

impl PartialEq for Position {
    fn eq(&self, _: &Position) -> bool {
        true
    }
}

impl Eq for Position {}

#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one witness at a time")]
pub enum Witness {
    Automaton(Automaton),
    Entries(Vec<Entry>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Violation,
    Correctness,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Violation => "violation",
            Kind::Correctness => "correctness",
        }
    }
}

impl Witness {
    /// What the witness is evidence of, where it says so or its states imply it.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            Witness::Automaton(automaton) => automaton.told_kind(),
            Witness::Entries(entries) => entries.first().map(|entry| match entry.content {
                Content::Violation(_) => Kind::Violation,
                Content::Invariants(_) | Content::Ghosts(_) => Kind::Correctness,
            }),
        }
    }

    /// The specifications that the witness is about.
    pub fn specifications(&self) -> Vec<&str> {
        match self {
            Witness::Automaton(automaton) => automaton.specifications.iter().map(String::as_str).collect(),
            Witness::Entries(entries) => {
                let mut found: Vec<&str> =
                    entries.iter().filter_map(|entry| entry.metadata.task.specification.as_deref()).collect();
                found.dedup();
                found
            }
        }
    }

    pub fn producer(&self) -> Option<&str> {
        match self {
            Witness::Automaton(automaton) => automaton.producer.as_deref(),
            Witness::Entries(entries) => entries.first()?.metadata.producer.name.as_deref(),
        }
    }

    /// The data model, named as in YAML: `ILP32` or `LP64`.
    pub fn data_model(&self) -> Option<&'static str> {
        let text = match self {
            Witness::Automaton(automaton) => automaton.architecture.as_deref()?,
            Witness::Entries(entries) => entries.first()?.metadata.task.data_model.as_deref()?,
        };
        match text {
            "32bit" | "ILP32" => Some("ILP32"),
            "64bit" | "LP64" => Some("LP64"),
            _ => None,
        }
    }

    /// The program files, each with its hash where one is given.
    pub fn files(&self) -> Vec<(&str, Option<&str>)> {
        match self {
            Witness::Automaton(automaton) => automaton
                .program_file
                .as_deref()
                .map(|file| (file, automaton.program_hash.as_deref()))
                .into_iter()
                .collect(),
            Witness::Entries(entries) => {
                let Some(task) = entries.first().map(|entry| &entry.metadata.task) else { return Vec::new() };
                let hash = |file: &String| {
                    task.input_file_hashes.iter().find(|(name, _)| name == file).map(|(_, hash)| hash.as_str())
                };
                task.input_files.iter().map(|file| (file.as_str(), hash(file))).collect()
            }
        }
    }
}

/// A protocol automaton with the metadata of its graph. Defaults of the key declarations are already applied.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Automaton {
    pub at: Position,
    pub kind: Option<Kind>,
    pub format_version: Option<String>,
    pub language: Option<String>,
    pub producer: Option<String>,
    pub specifications: Vec<String>,
    pub program_file: Option<String>,
    pub program_hash: Option<String>,
    pub architecture: Option<String>,
    pub creation_time: Option<String>,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Keys that only some tools know: their declarations, and their data of the graph.
    pub tool_keys: Vec<ToolKey>,
    pub extra: Vec<Extra>,
}

impl Automaton {
    /// What it is evidence of. Old producers do not say so, but only violation witnesses end in a violation, and only others have invariants.
    pub fn told_kind(&self) -> Option<Kind> {
        let by_nodes = || {
            let violation = self.nodes.iter().any(|node| node.violation);
            let invariant = self.nodes.iter().any(|node| node.invariant.is_some());
            match (violation, invariant) {
                (true, false) => Some(Kind::Violation),
                (false, true) => Some(Kind::Correctness),
                _ => None,
            }
        };
        self.kind.or_else(by_nodes)
    }

    /// The edges out of each node: witnesses may be large, so that no caller scans all of them for each node.
    pub fn leaving(&self) -> HashMap<&str, Vec<&Edge>> {
        let mut leaving: HashMap<&str, Vec<&Edge>> = HashMap::new();
        for edge in &self.edges {
            leaving.entry(edge.source.as_str()).or_default().push(edge);
        }
        leaving
    }
}

/// Declaration of a key that the format does not define.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolKey {
    pub id: String,
    pub name: Option<String>,
    /// `graph`, `node`, `edge` or `all`.
    pub domain: String,
    pub value_type: Option<String>,
    pub default: Option<String>,
}

/// Data under a key that the format does not define.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extra {
    pub key: String,
    pub value: String,
}

/// A control state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Node {
    pub at: Position,
    pub id: String,
    pub entry: bool,
    pub sink: bool,
    pub violation: bool,
    pub cyclehead: bool,
    pub invariant: Option<String>,
    /// The function whose variables the invariant uses first.
    pub invariant_scope: Option<String>,
    pub extra: Vec<Extra>,
}

/// A transition: from, to, source-code guard, state-space guard.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edge {
    pub at: Position,
    pub id: Option<String>,
    pub source: String,
    pub target: String,
    pub guard: Guard,
    pub assumption: Option<String>,
    pub assumption_scope: Option<String>,
    /// The function whose value `\result` is.
    pub result_function: Option<String>,
    /// A comment, not a guard.
    pub source_code: Option<String>,
    pub extra: Vec<Extra>,
}

/// The source-code guard of a transition: which operations of the program it matches. All parts that are there must agree.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Guard {
    pub origin_file: Option<String>,
    pub start_line: Option<u32>,
    pub end_line: Option<u32>,
    /// Characters from the start of the file.
    pub start_offset: Option<u32>,
    pub end_offset: Option<u32>,
    /// The branch that is taken: `condition-true` or `condition-false`.
    pub control: Option<bool>,
    pub enter_loop_head: bool,
    pub enter_function: Option<String>,
    pub return_from: Option<String>,
    pub thread: Option<String>,
    pub create_thread: Option<String>,
}

impl Guard {
    /// Whether it is about a thread other than the first: some producers write that the first one is created.
    pub fn is_concurrent(&self) -> bool {
        let other = |thread: &Option<String>| thread.as_deref().is_some_and(|thread| thread != "0");
        other(&self.thread) || other(&self.create_thread)
    }
}

/// An entry of a YAML witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub at: Position,
    pub metadata: Metadata,
    pub content: Content,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Metadata {
    pub at: Position,
    pub format_version: String,
    pub uuid: Option<String>,
    pub creation_time: Option<String>,
    pub producer: Producer,
    pub task: Task,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Producer {
    pub name: Option<String>,
    pub version: Option<String>,
    pub configuration: Option<String>,
    pub command_line: Option<String>,
    pub description: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Task {
    pub at: Position,
    pub input_files: Vec<String>,
    pub input_file_hashes: Vec<(String, String)>,
    pub specification: Option<String>,
    pub data_model: Option<String>,
    pub language: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    Violation(Vec<Segment>),
    Invariants(Vec<Claim>),
    Ghosts(Ghosts),
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Segment {
    pub at: Position,
    pub waypoints: Vec<Waypoint>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    pub at: Position,
    pub kind: WaypointKind,
    pub action: Action,
    pub location: Location,
    pub constraint: Option<Constraint>,
    pub thread: Option<u32>,
}

/// A set of words that a field may hold, with the way from and to the words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($variant),* }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word),* }
            }

            pub fn from_word(word: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|known| known.word() == word)
            }
        }
    };
}

words!(WaypointKind {
    Assumption = "assumption",
    Branching = "branching",
    FunctionEnter = "function_enter",
    FunctionReturn = "function_return",
    Target = "target",
});

words!(Action { Follow = "follow", Avoid = "avoid", Cycle = "cycle" });

words!(
    /// The language of an expression.
    ExpressionFormat { C = "c_expression", ExtendedC = "ext_c_expression", Acsl = "acsl_expression" }
);

words!(InvariantKind {
    Loop = "loop_invariant",
    Location = "location_invariant",
    LoopTransition = "loop_transition_invariant",
    LocationTransition = "location_transition_invariant",
    FlowInsensitive = "flow_insensitive_invariant",
});

/// A place in the program; without a column the leftmost suitable one of the line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Location {
    pub at: Position,
    pub file_name: String,
    pub file_hash: Option<String>,
    pub line: u32,
    pub column: Option<u32>,
    pub function: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    pub at: Position,
    pub value: String,
    pub format: Option<ExpressionFormat>,
}

/// A member of an invariant set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    Invariant(Invariant),
    Contract(Contract),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    pub at: Position,
    pub kind: InvariantKind,
    /// Absent exactly for flow-insensitive invariants.
    pub location: Option<Location>,
    pub value: String,
    pub format: Option<ExpressionFormat>,
    pub labels: Vec<String>,
}

/// Pre- and postcondition of a function; absent means `1`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contract {
    pub at: Position,
    pub location: Location,
    pub requires: Option<String>,
    pub ensures: Option<String>,
    pub format: Option<ExpressionFormat>,
    pub labels: Vec<String>,
}

/// Variables that only the proof has, and where they change.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ghosts {
    pub variables: Vec<GhostVariable>,
    pub updates: Vec<GhostUpdates>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GhostVariable {
    pub at: Position,
    pub name: String,
    pub scope: String,
    pub value_type: String,
    pub initial: Constraint,
}

/// Updates at one place; their order matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GhostUpdates {
    pub at: Position,
    pub location: Location,
    pub updates: Vec<GhostUpdate>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GhostUpdate {
    pub at: Position,
    pub variable: String,
    pub value: String,
    pub format: Option<ExpressionFormat>,
}

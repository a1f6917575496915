//! The keys that the format defines (Beyer et al. 2022, section 5, tables 4 and 5), and those that common tools agree on.

/// What an element of the graph is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Domain {
    Graph,
    Node,
    Edge,
}

impl Domain {
    pub fn name(self) -> &'static str {
        match self {
            Domain::Graph => "graph",
            Domain::Node => "node",
            Domain::Edge => "edge",
        }
    }
}

pub struct KnownKey {
    pub key: Key,
    /// The id that data refer to.
    pub id: &'static str,
    /// The name in the declarations of well-known headers.
    pub name: &'static str,
    /// Other ids in circulation.
    pub aliases: &'static [&'static str],
    pub value_type: &'static str,
    pub domain: Domain,
}

macro_rules! keys {
    ($($key:ident $id:literal $name:literal $aliases:expr, $ty:literal $domain:ident;)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Key { $($key),* }

        pub static KEYS: &[KnownKey] = &[$(KnownKey {
            key: Key::$key,
            id: $id,
            name: $name,
            aliases: $aliases,
            value_type: $ty,
            domain: Domain::$domain,
        }),*];
    };
}

keys! {
    WitnessType "witness-type" "witness-type" &[], "string" Graph;
    FormatVersion "witness-format-version" "witness-format-version" &[], "string" Graph;
    Language "sourcecodelang" "sourcecodeLanguage" &[], "string" Graph;
    Producer "producer" "producer" &[], "string" Graph;
    Specification "specification" "specification" &[], "string" Graph;
    ProgramFile "programfile" "programFile" &[], "string" Graph;
    ProgramHash "programhash" "programHash" &[], "string" Graph;
    Architecture "architecture" "architecture" &[], "string" Graph;
    CreationTime "creationtime" "creationTime" &[], "string" Graph;
    Entry "entry" "isEntryNode" &[], "boolean" Node;
    Sink "sink" "isSinkNode" &[], "boolean" Node;
    Violation "violation" "isViolationNode" &[], "boolean" Node;
    Cyclehead "cyclehead" "isCyclehead" &[], "boolean" Node;
    Invariant "invariant" "invariant" &[], "string" Node;
    InvariantScope "invariant.scope" "invariant.scope" &[], "string" Node;
    OriginFile "originfile" "originFileName" &[], "string" Edge;
    StartLine "startline" "startline" &[], "int" Edge;
    EndLine "endline" "endline" &[], "int" Edge;
    StartOffset "startoffset" "startoffset" &[], "int" Edge;
    EndOffset "endoffset" "endoffset" &[], "int" Edge;
    Control "control" "control" &[], "string" Edge;
    EnterLoopHead "enterLoopHead" "enterLoopHead" &[], "boolean" Edge;
    EnterFunction "enterFunction" "enterFunction" &[], "string" Edge;
    ReturnFrom "returnFromFunction" "returnFromFunction" &["returnFrom"], "string" Edge;
    Thread "threadId" "threadId" &[], "string" Edge;
    CreateThread "createThread" "createThread" &[], "string" Edge;
    Assumption "assumption" "assumption" &[], "string" Edge;
    AssumptionScope "assumption.scope" "assumption.scope" &[], "string" Edge;
    ResultFunction "assumption.resultfunction" "assumption.resultfunction" &[], "string" Edge;
    SourceCode "sourcecode" "sourcecode" &[], "string" Edge;
}

impl Key {
    pub fn known(self) -> &'static KnownKey {
        &KEYS[self as usize]
    }

    /// The key with an id, or with one of its other names.
    pub fn by_id(id: &str) -> Option<Key> {
        KEYS.iter().find(|known| known.id == id || known.aliases.contains(&id)).map(|known| known.key)
    }

    /// The key that a declaration means by its `attr.name`.
    pub fn by_name(name: &str) -> Option<Key> {
        KEYS.iter().find(|known| known.name == name).map(|known| known.key)
    }
}

//! From a run that violates a property, or from a proof, to a witness. A violation witness states every input, so that it can be executed.

mod constants;
mod invariants;
mod path;
mod run_events;
mod sequence;

pub use constants::{constant, equation};

use crate::model::*;
use crate::program::Source;
use crate::specification;
use cfa::{DataModel, Property, Task};
use evidence::{Proof, Tape};
use sha2::Digest;

/// What a witness is made for.
pub struct Claim<'a> {
    pub source: &'a Source<'a>,
    /// What the verifier was asked.
    pub task: Task<'a>,
    /// ISO 8601.
    pub time: &'a str,
    /// The version of the verifier.
    pub version: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    Automaton,
    Entries,
}

/// The witness for a run that violates a property. The error is the reason why there is none.
pub fn violation(claim: &Claim<'_>, tape: &Tape, shape: Shape) -> Result<Witness, String> {
    let run_events = run_events::collect(claim.source, claim.task, tape);
    let cfa::interp::Outcome::Violation { property, .. } = run_events.run.outcome else {
        return Err("the run violates nothing".into());
    };
    Ok(match shape {
        Shape::Automaton => {
            let mut automaton = claim.automaton(Kind::Violation, &[property]);
            path::fill(claim, &run_events, &mut automaton);
            Witness::Automaton(automaton)
        }
        Shape::Entries => {
            let segments = sequence::segments(claim, &run_events);
            Witness::Entries(vec![claim.entry(Content::Violation(segments), &[property])])
        }
    })
}

/// The witness for a proof. A program that was unwound or executed completely needs no invariants: nothing but the program is needed to see it.
pub fn correctness(claim: &Claim<'_>, proof: &Proof, shape: Shape) -> Witness {
    // A formula that says more than was checked is left out, unless it is the only one.
    let all: Vec<Property> = claim.task.properties.iter().collect();
    let exact: Vec<Property> = all.iter().copied().filter(|one| specification::is_exact(*one)).collect();
    let properties = if exact.is_empty() { all } else { exact };
    let mut claims = match proof {
        Proof::Invariants(invariants) => invariants::claims(claim, invariants),
        // C has no expression for the shape of a list.
        Proof::Unwound { .. } | Proof::Executed { .. } | Proof::Shapes(_) => Vec::new(),
    };
    // Automata and format 2.0 have no words for contracts.
    if let (Shape::Entries, Proof::Invariants(invariants)) = (shape, proof) {
        claims.extend(invariants::contracts(claim, invariants));
    }
    let entry = claim.entry(Content::Invariants(claims), &properties);
    match shape {
        Shape::Automaton => {
            let mut automaton = claim.automaton(Kind::Correctness, &properties);
            // Where automata have no words for the places of the invariants, the witness has none.
            match crate::convert::automaton(&entry, claim.source) {
                Ok(made) => (automaton.nodes, automaton.edges) = (made.nodes, made.edges),
                Err(_) => automaton.nodes.push(Node { id: "q0".into(), entry: true, ..Node::default() }),
            }
            Witness::Automaton(automaton)
        }
        Shape::Entries => Witness::Entries(vec![entry]),
    }
}

impl Claim<'_> {
    fn model(&self) -> DataModel {
        self.task.program.model()
    }

    fn language(&self) -> Option<String> {
        self.task.program.language.map(String::from)
    }

    fn specifications(&self, properties: &[Property]) -> Vec<String> {
        let entry = self.task.program.function_name(self.task.entry);
        let mut all: Vec<String> = properties.iter().map(|property| specification::of(*property, entry)).collect();
        all.dedup();
        all
    }

    fn automaton(&self, kind: Kind, properties: &[Property]) -> Automaton {
        let architecture = match self.model() {
            DataModel::Ilp32 => "32bit",
            DataModel::Lp64 => "64bit",
        };
        Automaton {
            kind: Some(kind),
            format_version: Some("1.0".into()),
            language: self.language(),
            producer: Some(format!("whydunit {}", self.version)),
            specifications: self.specifications(properties),
            program_file: Some(self.source.name.into()),
            program_hash: Some(self.source.hash("")),
            architecture: Some(architecture.into()),
            creation_time: Some(self.time.into()),
            ..Automaton::default()
        }
    }

    fn entry(&self, content: Content, properties: &[Property]) -> Entry {
        let hash = self.source.hash("");
        let model = match self.model() {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        };
        let has_contracts = match &content {
            Content::Invariants(claims) => claims.iter().any(|claim| matches!(claim, crate::model::Claim::Contract(_))),
            _ => false,
        };
        let mut entry = Entry {
            at: Position::default(),
            metadata: Metadata {
                format_version: if has_contracts { "2.1" } else { "2.0" }.into(),
                creation_time: Some(self.time.into()),
                producer: Producer {
                    name: Some("whydunit".into()),
                    version: Some(self.version.into()),
                    ..Producer::default()
                },
                task: crate::model::Task {
                    input_files: vec![self.source.name.into()],
                    input_file_hashes: vec![(self.source.name.into(), hash)],
                    specification: Some(self.specifications(properties).join(" ")),
                    data_model: Some(model.into()),
                    language: self.language(),
                    ..crate::model::Task::default()
                },
                ..Metadata::default()
            },
            content,
        };
        entry.metadata.uuid = Some(uuid(&entry));
        entry
    }
}

/// The same evidence has the same uuid (version 5 in form: a name, hashed).
fn uuid(entry: &Entry) -> String {
    let text = crate::write(&Witness::Entries(vec![entry.clone()])).unwrap_or_default();
    let digest = sha2::Sha256::digest(text.as_bytes());
    let mut bytes: Vec<u8> = digest[..16].to_vec();
    bytes[6] = bytes[6] & 0x0f | 0x50;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

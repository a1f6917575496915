//! From one format to another, where the meaning is kept; the reason for the refusal where it is not.
//!
//! An automaton can say what a sequence cannot (alternatives, loops) and the reverse (which case of a `switch`). Guards of automata
//! name operations by line, offset or branch, waypoints name places: the program is needed to go from one to the other.

mod from_automaton;
mod from_entries;
pub(crate) mod steps;

pub(crate) use from_entries::automaton;
pub use steps::{equations, is_closed};

use crate::lint::used;
use crate::model::*;
use crate::program::Source;
use sha2::Digest;

/// What to convert to: a format and one of its versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target<'a> {
    GraphMl,
    Yaml(&'a str),
}

pub fn convert(witness: &Witness, to: Target<'_>, source: Option<&Source<'_>>) -> Result<Witness, String> {
    let needed = || source.ok_or_else(|| "the program is needed to find the places that the witness means".to_string());
    match (witness, to) {
        (Witness::Automaton(automaton), Target::GraphMl) => Ok(Witness::Automaton(automaton.clone())),
        (Witness::Automaton(automaton), Target::Yaml(version)) => {
            let content = from_automaton::content(automaton, needed()?)?;
            let mut entry = Entry { at: Position::default(), metadata: metadata(automaton, version), content };
            entry.metadata.uuid = Some(uuid(&format!("{entry:?}")));
            Ok(Witness::Entries(vec![entry]))
        }
        (Witness::Entries(entries), Target::GraphMl) => {
            // Invariants of version 0.1, one an entry, are one set.
            let entries = reversion(entries, NEWEST)?;
            let [entry] = &entries[..] else { return Err("several entries do not fit into one automaton".into()) };
            let mut automaton = from_entries::automaton(entry, needed()?)?;
            graph(&entry.metadata, &mut automaton);
            Ok(Witness::Automaton(automaton))
        }
        (Witness::Entries(entries), Target::Yaml(version)) => Ok(Witness::Entries(reversion(entries, version)?)),
    }
}

/// A witness with the metadata of another one, which it says the same as.
pub fn with_metadata_of(original: &Witness, witness: Witness, to: Target<'_>) -> Witness {
    match (original, witness, to) {
        (Witness::Automaton(automaton), Witness::Entries(mut entries), Target::Yaml(version)) => {
            for entry in &mut entries {
                entry.metadata = metadata(automaton, version);
                entry.metadata.uuid = Some(uuid(&format!("{entry:?}")));
            }
            Witness::Entries(entries)
        }
        (Witness::Entries(entries), Witness::Automaton(mut automaton), Target::GraphMl) => {
            if let Some(entry) = entries.first() {
                graph(&entry.metadata, &mut automaton);
            }
            Witness::Automaton(automaton)
        }
        (_, witness, _) => witness,
    }
}

/// The same entries in another version. Invariants of version 0.1, one an entry, become one set.
fn reversion(entries: &[Entry], version: &str) -> Result<Vec<Entry>, String> {
    let mut converted: Vec<Entry> = Vec::new();
    for entry in entries {
        if let Some((since, _, what)) = used(entry).into_iter().find(|(since, _, _)| version < *since) {
            return Err(format!("version {version} has no {what}; version {since} has"));
        }
        let old = entry.metadata.format_version == "0.1";
        let mut entry = entry.clone();
        entry.metadata.format_version = version.into();
        entry.metadata.task.data_model = entry.metadata.task.data_model.map(|model| match model.as_str() {
            "32bit" => "ILP32".into(),
            "64bit" => "LP64".into(),
            _ => model,
        });
        match (&entry.content, converted.last_mut().map(|last| (&last.metadata.task, &mut last.content))) {
            (Content::Invariants(more), Some((task, Content::Invariants(claims))))
                if old && *task == entry.metadata.task =>
            {
                claims.extend(more.iter().cloned());
            }
            _ => converted.push(entry),
        }
    }
    Ok(converted)
}

/// The version that has all that others have.
const NEWEST: &str = "2.2";

/// What stands for the version of a producer that names none.
const NO_VERSION: &str = "n/a";

fn metadata(automaton: &Automaton, version: &str) -> Metadata {
    let producer = automaton.producer.as_deref().unwrap_or("unknown");
    let (name, tool_version) = producer.split_once(' ').unwrap_or((producer, NO_VERSION));
    let file = automaton.program_file.clone();
    let hash = automaton.program_hash.clone();
    Metadata {
        at: Position::default(),
        format_version: version.into(),
        uuid: None,
        creation_time: automaton.creation_time.clone(),
        producer: Producer { name: Some(name.into()), version: Some(tool_version.into()), ..Producer::default() },
        task: Task {
            at: Position::default(),
            input_files: file.clone().into_iter().collect(),
            input_file_hashes: file.zip(hash).into_iter().collect(),
            specification: (!automaton.specifications.is_empty()).then(|| automaton.specifications.join(" ")),
            data_model: automaton
                .architecture
                .as_deref()
                .map(|text| if text == "32bit" { "ILP32" } else { "LP64" }.into()),
            language: automaton.language.clone(),
        },
    }
}

fn graph(metadata: &Metadata, automaton: &mut Automaton) {
    let producer = &metadata.producer;
    let version = producer.version.as_deref().filter(|version| *version != NO_VERSION);
    let name = producer.name.as_deref().unwrap_or("unknown");
    automaton.producer = Some(version.map_or(name.into(), |version| format!("{name} {version}")));
    automaton.creation_time = metadata.creation_time.clone();
    let task = &metadata.task;
    automaton.language = task.language.clone();
    automaton.specifications = task.specification.iter().map(|text| specification(text)).collect();
    automaton.program_file = task.input_files.first().cloned();
    automaton.program_hash = task.input_file_hashes.first().map(|(_, hash)| hash.clone());
    automaton.architecture = task
        .data_model
        .as_deref()
        .map(|model| if matches!(model, "ILP32" | "32bit") { "32bit" } else { "64bit" }.into());
}

/// GraphML has the whole specification, YAML often only the formula. A word that says nothing stays what it is.
fn specification(text: &str) -> String {
    if text.contains("CHECK(") || !text.contains(['(', ' ']) {
        text.into()
    } else {
        format!("CHECK( init(main()), LTL({text}) )")
    }
}

/// A uuid that only depends on the content (RFC 9562, version 8), so that the same conversion gives the same file.
fn uuid(content: &str) -> String {
    let digest = sha2::Sha256::digest(content.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    bytes[6] = 0x80 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

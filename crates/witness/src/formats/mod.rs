//! The formats: text in, [`Witness`] and findings out, and back. One file or folder a format, one line in [`FORMATS`].
//!
//! Readers are lenient: what can be understood is read, and what is wrong becomes a [`Finding`], so that the linter sees all of it at once.
//! Memory is bounded by [`Limits`]; no reader opens a file or a connection, even if a document refers to one.

pub mod graphml;
pub mod yaml;

use crate::from_evidence::Shape;
use crate::lint::{Finding, rules};
use crate::model::{Position, Witness};

/// How much a reader takes before it gives up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub bytes: usize,
    /// XML elements, or nodes of a YAML document.
    pub elements: usize,
    pub depth: usize,
    /// Bytes of one text: an expression, a name.
    pub text: usize,
}

impl Default for Limits {
    /// Room for the largest witnesses in circulation; at most about a gigabyte of memory.
    fn default() -> Self {
        Limits { bytes: 256 << 20, elements: 6_000_000, depth: 64, text: 1 << 20 }
    }
}

impl Limits {
    /// What is wrong with a text that is too long.
    fn too_long(&self, text: &str, at: Position) -> Option<Finding> {
        (text.len() > self.text).then(|| {
            let message = format!("a text of {} bytes is longer than the limit of {}", text.len(), self.text);
            Finding::new(&rules::LIMIT, at, message)
        })
    }
}

pub struct Format {
    pub name: &'static str,
    /// The first one is the usual one.
    pub extensions: &'static [&'static str],
    /// Versions that are read; [`Format::writes`] of them are also written.
    pub versions: &'static [&'static str],
    pub writes: &'static [&'static str],
    /// What it is made of.
    pub shape: Shape,
    /// Whether a text looks like this format. The first format that says so reads it.
    pub accepts: fn(&str) -> bool,
    read: fn(&str, &Limits) -> (Option<Witness>, Vec<Finding>),
}

pub static FORMATS: &[Format] = &[
    Format {
        name: "graphml",
        extensions: &["graphml", "xml"],
        versions: &["1.0"],
        writes: &["1.0"],
        shape: Shape::Automaton,
        accepts: |text| text.trim_start().starts_with('<'),
        read: graphml::read,
    },
    Format {
        name: "yaml",
        extensions: &["yml", "yaml"],
        versions: &["0.1", "2.0", "2.1", "2.2"],
        writes: &["2.0", "2.1", "2.2"],
        shape: Shape::Entries,
        accepts: |_| true,
        read: yaml::read,
    },
];

/// What reading a text gave: the witness, unless the text is not readable at all, and what is wrong with it.
pub struct Read {
    pub witness: Option<Witness>,
    pub findings: Vec<Finding>,
}

/// Reads a witness and recognizes its format.
pub fn read(bytes: &[u8], limits: &Limits) -> Read {
    let failed = |finding| Read { witness: None, findings: vec![finding] };
    if bytes.len() > limits.bytes {
        let message = format!("{} bytes are more than the limit of {}", bytes.len(), limits.bytes);
        return failed(Finding::new(&rules::LIMIT, Position { line: 1, column: 1 }, message));
    }
    let text = match std::str::from_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)) {
        Ok(text) => text,
        Err(error) => {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let line = before.matches('\n').count() as u32 + 1;
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() as u32 + 1;
            return failed(Finding::new(&rules::SYNTAX, Position { line, column }, "the text is not UTF-8".into()));
        }
    };
    let Some(format) = FORMATS.iter().find(|format| (format.accepts)(text)) else {
        let message = "the text is in no format that is known".into();
        return failed(Finding::new(&rules::SYNTAX, Position { line: 1, column: 1 }, message));
    };
    let (witness, mut findings) = (format.read)(text, limits);
    findings.sort_by_key(|finding| (finding.at.line, finding.at.column));
    Read { witness, findings }
}

/// Reads a witness to work with it: a witness whose text had to be left out somewhere is refused, with the first such finding.
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Witness, Finding> {
    let read = read(bytes, limits);
    let lost = read.findings.into_iter().find(|finding| finding.rule.loses);
    match (read.witness, lost) {
        (_, Some(finding)) => Err(finding),
        (Some(witness), None) => Ok(witness),
        (None, None) => Err(Finding::new(&rules::SYNTAX, Position::default(), "there is no witness".into())),
    }
}

/// The text of a witness in the format it is made for; the reason if it cannot be written.
pub fn write(witness: &Witness) -> Result<String, String> {
    match witness {
        Witness::Automaton(automaton) => graphml::write(automaton),
        Witness::Entries(entries) => yaml::write(entries),
    }
}

//! The forms of single values: times, hashes, uuids, specifications.

use super::{Finding, rules};
use crate::model::Position;

/// `2026-01-01T00:00:00Z`, or with an offset; fractions of a second are tolerated.
pub fn time(text: &str, at: Position) -> Option<Finding> {
    let good = is_time(text);
    (!good).then(|| Finding::new(&rules::TIME, at, format!("`{text}` is not a date and time with a time zone")))
}

fn is_time(text: &str) -> bool {
    let matches = |text: &str, pattern: &str| {
        text.len() == pattern.len()
            && text.bytes().zip(pattern.bytes()).all(|(byte, wanted)| match wanted {
                b'0' => byte.is_ascii_digit(),
                wanted => byte == wanted,
            })
    };
    let Some((moment, rest)) = text.split_at_checked(19) else { return false };
    let digits = rest.strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count() + 1);
    let zone = &rest[digits..];
    matches(moment, "0000-00-00T00:00:00")
        && digits != 1
        && ["Z", "+00:00", "-00:00"].iter().any(|pattern| matches(zone, pattern))
}

pub fn hash(text: &str, at: Position) -> Option<Finding> {
    let good = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (!good).then(|| Finding::new(&rules::HASH_FORM, at, format!("`{text}` is no SHA-256")))
}

pub fn uuid(text: &str, at: Position) -> Option<Finding> {
    let good = text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    (!good).then(|| Finding::new(&rules::UUID, at, format!("`{text}` is no uuid")))
}

/// The formulas of SV-COMP, without the `CHECK( init(main()), LTL(…) )` around them that most witnesses have.
const PROPERTIES: &[&str] = &[
    "G ! call(reach_error())",
    "G ! call(__VERIFIER_error())",
    "G ! overflow",
    "G valid-free",
    "G valid-deref",
    "G valid-memtrack",
    "G valid-memcleanup",
    "G valid-memsafety",
    "F end",
    "G ! data-race",
    "G def-behavior",
    // No property of the competition, but the usual one outside of it: the assertions of the language.
    "G assert",
];

/// The formula inside a specification, blanks aside.
pub fn formula(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    let inner = text.strip_prefix("CHECK(init(").and_then(|rest| rest.split_once("()),LTL("));
    let inner = inner.and_then(|(_, rest)| rest.strip_suffix("))"));
    inner.unwrap_or(&text).to_string()
}

pub fn is_termination(text: &str) -> bool {
    formula(text) == "Fend"
}

/// Several properties may stand in one text, one after the other.
pub fn specification(text: &str, at: Position) -> Option<Finding> {
    let known =
        |formula: &str| PROPERTIES.iter().any(|property| property.split_whitespace().collect::<String>() == formula);
    let mut parts: Vec<&str> = text.split("CHECK(").filter(|part| !part.trim().is_empty()).collect();
    let checks = text.contains("CHECK(");
    parts.retain(|part| !part.trim().is_empty());
    let good = parts.iter().all(|part| {
        let part = if checks { format!("CHECK({}", part.trim().trim_end_matches(',')) } else { part.to_string() };
        known(&formula(&part))
    });
    (!good || parts.is_empty())
        .then(|| Finding::new(&rules::SPECIFICATION, at, format!("`{text}` is not a property of SV-COMP")))
}

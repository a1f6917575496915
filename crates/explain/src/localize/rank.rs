//! One ranked list from what the methods found, each suspect with a reason.

use super::lines::Line;
use super::{Finding, Score};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub struct Suspect {
    pub line: Line,
    pub score: f64,
    pub reason: String,
    /// Methods that name the line.
    pub methods: Vec<&'static str>,
}

//! Conditions on a finished program. Witnesses have no form for Structured Text, so there are none to read.

use crate::{Condition, Site};
use base::{Diagnostic, Span};
use cfa::Program;

pub fn condition(_: &mut Program, _: Site, _: &str) -> Result<Condition, Diagnostic> {
    Err(Diagnostic::error(Span::NONE, "conditions of witnesses are C; there are none about programs in ST"))
}

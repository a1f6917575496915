//! Tests of the whole tool: its output on small programs, its behaviour against gcc, and its manners on nonsense.
//!
//! `WHYDUNIT_FUZZ_SCALE` multiplies the number of generated cases.

mod attack;
mod bad_input;
mod batch;
mod csmith;
mod evidence;
mod formats;
mod gcc_differential;
mod interruption;
mod ir;
mod json;
mod library;
mod lsp;
mod patches;
mod plc;
mod project;
mod robustness;
mod smt2;
mod suites;
mod support;
mod transcripts;
mod verbose;
mod widths;
mod witness;

//! Tests of the whole tool: its output on small programs, its behaviour against gcc, and its manners on nonsense.
//!
//! `WHYDUNIT_FUZZ_SCALE` multiplies the number of generated cases; `WHYDUNIT_BLESS` makes the golden tests rewrite their expectations.

mod attack;
mod bad_input;
mod bench_data;
mod csmith;
mod evidence;
mod gcc_differential;
mod golden;
mod interruption;
mod ir;
mod json;
mod robustness;
mod smt2;
mod support;
mod witness;

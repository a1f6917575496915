//! Development only: what tests of several crates and the chores of `xtask` share.

pub mod attack;
pub mod csmith;
pub mod process;
pub mod programs;
pub mod project;
pub mod random;

use base::SourceMap;
use cfa::DataModel;
use frontend::Compiled;

/// Compiles a C text that needs no preprocessor.
pub fn compile(text: &[u8], model: DataModel) -> (SourceMap, Compiled) {
    let mut sources = SourceMap::new();
    let file = sources.add("test.c", text.to_vec()).expect("test programs are small");
    let compiled = frontend::c::compile(&mut sources, &[file], model);
    (sources, compiled)
}

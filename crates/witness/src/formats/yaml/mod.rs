//! YAML 0.1 (invariants only), 2.0, 2.1 and 2.2: lists of entries.

mod read;
mod tree;
mod write;

pub(super) use read::read;
pub(super) use write::write;

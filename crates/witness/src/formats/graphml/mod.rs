//! GraphML 1.0: protocol automata as XML (Beyer et al. 2022, section 5).

pub(crate) mod keys;
mod read;
mod write;

pub(super) use read::read;
pub(super) use write::write;

//! GraphML 1.0: protocol automata as XML (paper 2, section 5).

pub(crate) mod keys;
mod read;
mod write;

pub(super) use read::read;
pub(super) use write::write;

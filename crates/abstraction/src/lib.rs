//! Layer 2: abstract interpretation.

pub mod domains;

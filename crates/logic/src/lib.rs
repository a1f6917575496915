//! Layer 1: terms, bit-blasting, SAT.

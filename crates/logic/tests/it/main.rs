//! One binary for all tests that use the crate from outside.

mod arrays;
mod dump;
mod floats;
mod floats_hardware;
mod floats_mass;
mod maxsat;
mod operators;
mod random;
mod rewriter;
mod solver;

//! Analyses of whole programs against runs of the interpreter.

mod soundness;
mod watch;

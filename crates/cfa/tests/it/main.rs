//! Analyses of whole programs, and edits of them, against runs of the interpreter.

mod edit;
mod soundness;
mod watch;

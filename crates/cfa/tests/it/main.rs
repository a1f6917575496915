//! Analyses of whole programs, and edits of them, against runs of the interpreter; the page of the manual about the library.

mod edit;
mod library_page;
mod soundness;
mod watch;

//! Renderers: each makes text of the one report model. Each is one file and one line in [`RENDERERS`].

mod cpachecker;
pub mod finding;
pub mod gcc;
mod github;
pub mod json;
mod junit;
mod sarif;
pub mod terminal;

use crate::check::DiagnosticView;
use crate::replay::Shown;
use crate::{Command, Document};
use terminal::Style;

pub struct Renderer {
    pub name: &'static str,
    pub about: &'static str,
    /// Whether there is such a text for the report of a command; for any other it must be refused before.
    pub supports: fn(Command) -> bool,
    /// The text for standard output; empty if there is nothing to say.
    pub render: fn(&Document, RenderOptions) -> String,
    /// What is said about the text of the program, for standard error.
    pub diagnostic: fn(&DiagnosticView, Style) -> String,
    /// Whether only a program reads it: then there is no progress beside it, and warnings about the program are not said.
    pub is_for_programs: bool,
}

/// How much is shown, and how it looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RenderOptions {
    pub shown: Shown,
    /// Also what is only of interest to who wants to know how the answer was found.
    pub verbose: bool,
    pub style: Style,
    /// Columns of the terminal, if there is one.
    pub width: Option<usize>,
}

pub static RENDERERS: &[&Renderer] = &[
    &terminal::RENDERER,
    &json::RENDERER,
    &gcc::RENDERER,
    &github::RENDERER,
    &sarif::RENDERER,
    &junit::RENDERER,
    &cpachecker::RENDERER,
];

/// The renderer that is used unless another one is chosen.
pub const DEFAULT_RENDERER: &str = terminal::RENDERER.name;

pub fn renderer(name: &str) -> Option<&'static Renderer> {
    RENDERERS.iter().copied().find(|renderer| renderer.name == name)
}

pub fn default_renderer() -> &'static Renderer {
    &terminal::RENDERER
}

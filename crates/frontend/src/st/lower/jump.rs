//! Labels of a body and jumps to them, as SCL has them. A jump may leave loops and branches, and enter no loop.

use super::super::ast::{Name, Stmt, StmtKind};
use super::Lower;
use base::{Diagnostic, Span};
use cfa::LocId;
use rustc_hash::FxHashMap;

/// Names with the loops around them.
#[derive(Default)]
struct Found<'s> {
    labels: Vec<(&'s Name, Vec<Span>)>,
    jumps: Vec<(&'s Name, Vec<Span>)>,
}

impl<'s> Found<'s> {
    fn add(&mut self, body: &'s [Stmt], loops: &[Span]) {
        for stmt in body {
            let inner = |found: &mut Self, body: &'s [Stmt]| {
                let loops: Vec<Span> = loops.iter().copied().chain([stmt.span]).collect();
                found.add(body, &loops);
            };
            match &stmt.kind {
                StmtKind::Label(name) => self.labels.push((name, loops.to_vec())),
                StmtKind::Goto(name) => self.jumps.push((name, loops.to_vec())),
                StmtKind::If(branches, otherwise) => {
                    branches.iter().for_each(|(_, body)| self.add(body, loops));
                    self.add(otherwise, loops);
                }
                StmtKind::Case(_, cases, otherwise) => {
                    cases.iter().for_each(|(_, body)| self.add(body, loops));
                    self.add(otherwise, loops);
                }
                StmtKind::For { body, .. } | StmtKind::While(_, body) | StmtKind::Repeat(body, _) => inner(self, body),
                _ => {}
            }
        }
    }
}

impl Lower<'_> {
    /// The labels of a body, before it is lowered. Says what is wrong with the jumps in it.
    pub fn find_labels(&mut self, body: &[Stmt]) -> FxHashMap<String, LocId> {
        let mut found = Found::default();
        found.add(body, &[]);
        let mut labels = FxHashMap::default();
        for (name, _) in &found.labels {
            let location = self.new_location();
            if labels.insert(name.key(), location).is_some() {
                self.error(name.span, format!("the label `{}` stands here twice", name.text));
            }
        }
        for (name, loops) in &found.jumps {
            self.has_jumps = true;
            match found.labels.iter().find(|(label, _)| label.key() == name.key()) {
                None => self.error(name.span, format!("there is no label `{}`", name.text)),
                Some((label, around)) if !loops.starts_with(around) => {
                    let error = Diagnostic::error(name.span, "a jump into a loop is not allowed");
                    self.diagnostics.push(error.note(label.span, "the label is here"));
                }
                Some(_) => {}
            }
        }
        labels
    }

    pub fn label_target(&self, name: &Name) -> Option<LocId> {
        self.frames.last()?.labels.get(&name.key()).copied()
    }
}

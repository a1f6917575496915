//! Whether an edited program still does its work: an edit after which loops are left at once, or blocks are skipped, can make every assertion hold.

use base::{SourceMap, Span};
use cfa::interp::{Event, Observer, View};
use std::collections::BTreeSet;

/// The statements that a run executes.
#[derive(Default)]
pub struct Executed(BTreeSet<(u32, u32)>);

impl Executed {
    /// As they read, since an edit may move them; without those that an edit touches.
    pub fn texts(&self, sources: &SourceMap, edited: &[Span]) -> BTreeSet<String> {
        let is_other = |lo: u32, hi: u32| !edited.iter().any(|span| span.lo < hi && lo < span.hi);
        let others = self.0.iter().filter(|(lo, hi)| is_other(*lo, *hi));
        others.map(|(lo, hi)| sources.snippet(Span { lo: *lo, hi: *hi }).into_owned()).collect()
    }
}

impl Observer for Executed {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { edge, .. } = event {
            let span = view.program().edges[edge].span;
            self.0.insert((span.lo, span.hi));
        }
    }
}

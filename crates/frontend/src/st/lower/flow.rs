//! Where control is and where it goes. Everything that a cycle does is one function without calls: bodies of blocks and functions are put where they are called,
//! which the absence of recursion makes possible, so that loops of blocks are loops of the one function and variables need no pointers.

use super::Lower;
use base::Span;
use cfa::{AssumeRole, Branch, Edge, EdgeId, ExprId, FuncId, LocId, Op, ScopeId};

/// The target of edges that lead nowhere yet.
const OPEN: LocId = LocId(u32::MAX);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cursor {
    At(LocId),
    /// Behind an edge that leads nowhere yet.
    Behind(EdgeId),
    /// Nothing comes here.
    Nowhere,
}

pub struct Flow {
    pub function: FuncId,
    pub scope: ScopeId,
    pub cursor: Cursor,
    pub anchor: u32,
    /// What is added now says how a run goes on behind a check of an operation: it is no part of the statement, which may be wrong while this is not.
    pub checks: bool,
    /// Whether something was to be done, also where nothing leads to.
    pub emitted: bool,
}

impl Lower<'_> {
    pub fn new_location(&mut self) -> LocId {
        let (function, scope) = (self.flow.function, self.flow.scope);
        let visible = self.program.scopes[scope].names.len() as u32;
        self.program.add_location(function, scope, visible)
    }

    /// A location at the cursor; `None` in code that nothing leads to.
    pub fn settle(&mut self) -> Option<LocId> {
        self.flow.emitted = true;
        match self.flow.cursor {
            Cursor::At(location) => Some(location),
            Cursor::Behind(edge) => {
                let location = self.new_location();
                self.program.edges[edge].to = location;
                self.flow.cursor = Cursor::At(location);
                Some(location)
            }
            Cursor::Nowhere => None,
        }
    }

    /// Where an operation of the text happens: in the library, at the call.
    pub fn place_of(&self, span: Span) -> Span {
        match self.frames.last().and_then(|frame| frame.called_at) {
            Some(call) => call,
            None => span,
        }
    }

    fn add_edge(&mut self, from: LocId, to: LocId, op: Op, span: Span) -> EdgeId {
        let span = self.place_of(span);
        let called = self.frames.last().and_then(|frame| frame.called_at);
        let anchor = match self.flow.checks {
            true => span.hi,
            false => called.map_or(self.flow.anchor, |call| call.lo),
        };
        self.program.add_edge(Edge { from, to, op, span, anchor, caveat: None })
    }

    pub fn emit(&mut self, op: Op, span: Span) {
        if let Some(from) = self.settle() {
            let edge = self.add_edge(from, OPEN, op, span);
            self.flow.cursor = Cursor::Behind(edge);
        }
    }

    pub fn emit_to(&mut self, op: Op, span: Span, to: LocId) {
        if let Some(from) = self.settle() {
            self.add_edge(from, to, op, span);
            self.flow.cursor = Cursor::Nowhere;
        }
    }

    pub fn poison(&mut self, span: Span, construct: &str) {
        let reason = self.program.names.intern(construct);
        self.emit(Op::Poison(reason), span);
    }

    /// Leads the cursor to a location and leaves it nowhere.
    pub fn go_to(&mut self, target: LocId, span: Span) {
        match self.flow.cursor {
            Cursor::At(from) => drop(self.add_edge(from, target, Op::Skip, span)),
            Cursor::Behind(edge) => self.program.edges[edge].to = target,
            Cursor::Nowhere => {}
        }
        self.flow.cursor = Cursor::Nowhere;
    }

    /// Continues at a location; the cursor before it leads there too.
    pub fn place_at(&mut self, location: LocId, span: Span) {
        self.go_to(location, span);
        self.flow.cursor = Cursor::At(location);
    }

    /// A branch on a scalar: the cursors behind the true and the false edge.
    pub fn branch(&mut self, cond: ExprId, branch: Branch, span: Span) -> (Cursor, Cursor) {
        let Some(from) = self.settle() else { return (Cursor::Nowhere, Cursor::Nowhere) };
        // What a standard block decides is no branch of the text.
        let inside = self.frames.last().is_some_and(|frame| frame.called_at.is_some());
        let role = AssumeRole::Branch(if inside { Branch::Conditional } else { branch });
        let yes = self.add_edge(from, OPEN, Op::Assume { cond, truth: true, role }, span);
        let no = self.add_edge(from, OPEN, Op::Assume { cond, truth: false, role }, span);
        self.flow.cursor = Cursor::Nowhere;
        (Cursor::Behind(yes), Cursor::Behind(no))
    }

    /// One cursor where several end.
    pub fn join(&mut self, cursors: &[Cursor], span: Span) {
        let live: Vec<Cursor> = cursors.iter().copied().filter(|cursor| *cursor != Cursor::Nowhere).collect();
        match live[..] {
            [] => self.flow.cursor = Cursor::Nowhere,
            [only] => self.flow.cursor = only,
            _ => {
                let meeting = self.new_location();
                for cursor in live {
                    self.flow.cursor = cursor;
                    self.go_to(meeting, span);
                }
                self.flow.cursor = Cursor::At(meeting);
            }
        }
    }

    /// A location that a loop comes back to.
    pub fn loop_head(&mut self, span: Span) -> Option<LocId> {
        // A label in it may lead into code that nothing else leads to.
        let has_labels = self.frames.last().is_some_and(|frame| !frame.labels.is_empty());
        if self.flow.cursor == Cursor::Nowhere && !has_labels {
            return None;
        }
        // A location of its own, so that nothing else leads into the loop.
        let head = self.new_location();
        self.place_at(head, span);
        self.program.locations[head].loop_head = Some(self.place_of(span));
        Some(head)
    }
}

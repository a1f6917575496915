//! Where control is and where it goes: the cursor, branches, and jumps.
//!
//! The cursor is either at a location, or behind an edge whose target is still open; an open edge takes any target, so straight code
//! and jumps need no `Skip` edges. Jumps (`break`, `continue`, `goto`) are only noted and are wired when the function ends: by then
//! all labels are known, and all variables whose address is taken, whose lifetime must end on the way.

use super::Lower;
use base::{Span, Symbol};
use cfa::library::Frozen;
use cfa::{AssumeRole, Branch, Edge, EdgeId, ExprId, FuncId, LocId, Op, ScopeId, TypeId, VarId};
use rustc_hash::FxHashMap;

pub(super) struct FunctionState {
    pub id: FuncId,
    pub name: Symbol,
    pub result: TypeId,
    pub exit: LocId,
    pub cursor: Cursor,
    /// Targets of `break` and `continue`, innermost last.
    pub breaks: Vec<Target>,
    pub continues: Vec<Target>,
    pub switches: Vec<Switch>,
    pub labels: FxHashMap<Symbol, Label>,
    pub jumps: Vec<Jump>,
    /// Locals by the scope they are declared in, in order.
    pub locals: FxHashMap<ScopeId, Vec<VarId>>,
    /// Locals that are read-only, or members of them, once they are initialized.
    pub frozen: FxHashMap<VarId, Frozen>,
    /// `__func__`
    pub name_object: Option<VarId>,
    /// What stands for a label whose address is taken.
    pub label_objects: FxHashMap<Symbol, VarId>,
    /// An edge at the start that does nothing, in a program with `setjmp`.
    pub jump_entry: Option<EdgeId>,
    /// First character of the current statement.
    pub anchor: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cursor {
    At(LocId),
    /// Behind an edge that leads nowhere yet.
    Behind(EdgeId),
    /// Nothing comes here.
    Nowhere,
}

/// A place in the source, as far as lifetimes go.
#[derive(Clone, Copy)]
pub(super) struct Position {
    scope: ScopeId,
    /// Variables that are made before it.
    vars: u32,
}

#[derive(Clone, Copy)]
pub(super) struct Target {
    pub location: LocId,
    pub position: Position,
}

pub(super) struct Label {
    pub target: Option<Target>,
    pub span: Span,
}

pub(super) struct Jump {
    from: Cursor,
    position: Position,
    to: Destination,
    span: Span,
    anchor: u32,
}

pub(super) enum Destination {
    Target(Target),
    Label(Symbol),
}

pub(super) struct Switch {
    pub value_type: TypeId,
    pub cases: Vec<Case>,
    pub default: Option<(Target, Span)>,
}

pub(super) struct Case {
    pub low: i128,
    pub high: i128,
    pub target: Target,
    pub span: Span,
}

/// A location that does not exist yet.
const OPEN: LocId = LocId(u32::MAX);

impl Lower<'_> {
    pub(super) fn state(&mut self) -> &mut FunctionState {
        self.function.as_mut().expect("inside a function")
    }

    pub(super) fn cursor(&self) -> Cursor {
        self.function.as_ref().map_or(Cursor::Nowhere, |function| function.cursor)
    }

    pub(super) fn set_cursor(&mut self, cursor: Cursor) {
        if let Some(function) = &mut self.function {
            function.cursor = cursor;
        }
    }

    pub(super) fn reachable(&self) -> bool {
        self.cursor() != Cursor::Nowhere
    }

    pub(super) fn new_location(&mut self) -> LocId {
        let scope = self.scope();
        let function = self.state().id;
        let visible = self.program.scopes[scope].names.len() as u32;
        self.program.add_location(function, scope, visible)
    }

    /// The location of the cursor; an open edge gets one.
    fn settle(&mut self) -> Option<LocId> {
        match self.cursor() {
            Cursor::At(location) => Some(location),
            Cursor::Behind(edge) => {
                let location = self.new_location();
                self.program.edges[edge].to = location;
                self.set_cursor(Cursor::At(location));
                Some(location)
            }
            Cursor::Nowhere => None,
        }
    }

    fn add_edge(&mut self, from: LocId, to: LocId, op: Op, span: Span) -> EdgeId {
        let anchor = self.state().anchor;
        self.program.add_edge(Edge { from, to, op, span, anchor, caveat: None })
    }

    /// One operation at the cursor. Without a function, or in code nothing leads to, there is nothing to do.
    pub(super) fn emit(&mut self, op: Op, span: Span) {
        if self.must_fold() {
            self.effect_wanted.get_or_insert(span);
            return;
        }
        if let Some(from) = self.settle() {
            let edge = self.add_edge(from, OPEN, op, span);
            self.set_cursor(Cursor::Behind(edge));
        }
    }

    pub(super) fn poison(&mut self, span: Span, construct: &str) {
        let reason = self.program.names.intern(construct);
        if self.must_fold() {
            self.poison_wanted.get_or_insert(reason);
        }
        self.emit(Op::Poison(reason), span);
    }

    /// C, or gcc, leaves open what happens here: runs go on, but nothing is proved by them.
    pub(super) fn left_open(&mut self, span: Span, what: &str) {
        let reason = self.program.names.intern(what);
        if self.must_fold() {
            self.poison_wanted.get_or_insert(reason);
        }
        self.emit(Op::Skip, span);
        if !self.must_fold()
            && let Cursor::Behind(edge) = self.cursor()
        {
            self.program.edges[edge].caveat = Some(reason);
        }
    }

    /// The last operation here: what follows is not reached from it.
    pub(super) fn emit_to(&mut self, op: Op, span: Span, target: LocId) {
        if self.function.is_none() {
            self.effect_wanted.get_or_insert(span);
            return;
        }
        if let Some(from) = self.settle() {
            self.add_edge(from, target, op, span);
            self.set_cursor(Cursor::Nowhere);
        }
    }

    /// The run ends here.
    pub(super) fn emit_end(&mut self, op: Op, span: Span) {
        if self.function.is_none() {
            self.effect_wanted.get_or_insert(span);
            return;
        }
        if self.settle().is_some() {
            let end = self.new_location();
            self.emit_to(op, span, end);
        }
    }

    /// Leads the cursor to a location and leaves it nowhere.
    pub(super) fn go_to(&mut self, target: LocId, span: Span) {
        match self.cursor() {
            Cursor::At(from) => drop(self.add_edge(from, target, Op::Skip, span)),
            Cursor::Behind(edge) => self.program.edges[edge].to = target,
            Cursor::Nowhere => {}
        }
        self.set_cursor(Cursor::Nowhere);
    }

    /// Puts a location at the cursor that other edges can lead to.
    pub(super) fn mark(&mut self) -> Option<LocId> {
        self.settle()
    }

    /// Continues at a location; the cursor before it leads there too.
    pub(super) fn place_at(&mut self, location: LocId, span: Span) {
        self.go_to(location, span);
        self.set_cursor(Cursor::At(location));
    }

    /// Two-way branch on a scalar; returns the cursors behind the true and the false edge. A constant condition still gives both edges,
    /// because both exist in the source.
    pub(super) fn branch(&mut self, cond: ExprId, branch: Branch, span: Span) -> (Cursor, Cursor) {
        if self.function.is_none() {
            self.effect_wanted.get_or_insert(span);
            return (Cursor::Nowhere, Cursor::Nowhere);
        }
        let Some(from) = self.settle() else { return (Cursor::Nowhere, Cursor::Nowhere) };
        let role = AssumeRole::Branch(branch);
        let yes = self.add_edge(from, OPEN, Op::Assume { cond, truth: true, role }, span);
        let no = self.add_edge(from, OPEN, Op::Assume { cond, truth: false, role }, span);
        self.set_cursor(Cursor::Nowhere);
        (Cursor::Behind(yes), Cursor::Behind(no))
    }

    /// One cursor where several end. Their locations get the current scope.
    pub(super) fn join(&mut self, cursors: &[Cursor], span: Span) {
        let live: Vec<Cursor> = cursors.iter().copied().filter(|cursor| *cursor != Cursor::Nowhere).collect();
        match live[..] {
            [] => self.set_cursor(Cursor::Nowhere),
            [only] => self.set_cursor(only),
            _ => {
                // A cursor that stands at a location already can be the meeting point itself.
                let meeting = match live.iter().find(|cursor| matches!(cursor, Cursor::At(_))) {
                    Some(Cursor::At(location)) => *location,
                    _ => self.new_location(),
                };
                for cursor in live {
                    if cursor != Cursor::At(meeting) {
                        self.set_cursor(cursor);
                        self.go_to(meeting, span);
                    }
                }
                self.set_cursor(Cursor::At(meeting));
            }
        }
    }

    /// Notes a jump from the cursor.
    pub(super) fn jump(&mut self, to: Destination, span: Span) {
        let from = self.cursor();
        let position = self.position();
        let anchor = self.state().anchor;
        if from != Cursor::Nowhere {
            self.state().jumps.push(Jump { from, position, to, span, anchor });
        }
        self.set_cursor(Cursor::Nowhere);
    }

    /// Ends the lifetime of the innermost scope's locals on the way out of it.
    pub(super) fn kill_scope(&mut self, scope: ScopeId, span: Span) {
        let Some(locals) = self.state().locals.get(&scope) else { return };
        for var in locals.clone().into_iter().rev() {
            if self.needs_kill(var) {
                self.emit(Op::Kill(var), span);
            }
        }
    }

    /// Whether the end of the lifetime can be observed: only if a pointer to the object may exist.
    fn needs_kill(&self, var: VarId) -> bool {
        let var = &self.program.vars[var];
        var.address_taken || matches!(var.kind, cfa::VarKind::Vla(_))
    }

    /// Wires the jumps of the function.
    pub(super) fn resolve_jumps(&mut self) {
        let jumps = std::mem::take(&mut self.state().jumps);
        for jump in jumps {
            let target = match jump.to {
                Destination::Target(target) => Some(target),
                Destination::Label(name) => {
                    let target = self.state().labels.get(&name).and_then(|label| label.target);
                    if target.is_none() {
                        let message = format!("label `{}` is used but not defined", self.text(name));
                        self.error(jump.span, message);
                    }
                    target
                }
            };
            let Some(target) = target else { continue };
            self.set_cursor(jump.from);
            self.state().anchor = jump.anchor;
            self.cross_scopes(jump.position, target, jump.span);
            self.go_to(target.location, jump.span);
        }
    }

    pub(super) fn position(&self) -> Position {
        Position { scope: self.scope(), vars: self.program.vars.len() as u32 }
    }

    /// Ends lifetimes of the scopes a jump leaves and begins those of the scopes it enters.
    pub(super) fn cross_scopes(&mut self, from: Position, target: Target, span: Span) {
        let entered = self.scope_chain(target.position.scope);
        let mut scope = from.scope;
        while !entered.contains(&scope) {
            self.kill_scope(scope, span);
            match self.program.scopes[scope].parent {
                Some((parent, _)) => scope = parent,
                None => return,
            }
        }
        // A declaration that is jumped over leaves its variable without a value.
        let skipped = from.vars..target.position.vars;
        self.begin_lifetimes(scope, |var| skipped.contains(&var.0), span);
        for inner in entered.into_iter().take_while(|inner| *inner != scope).collect::<Vec<_>>().into_iter().rev() {
            // C begins the lifetime with the block, wherever the jump lands; what is declared later is declared again on the way.
            self.begin_lifetimes(inner, |_| true, span);
        }
    }

    fn begin_lifetimes(&mut self, scope: ScopeId, wanted: impl Fn(VarId) -> bool, span: Span) {
        let locals = self.state().locals.get(&scope).cloned().unwrap_or_default();
        for var in locals.into_iter().filter(|var| wanted(*var)) {
            if matches!(self.program.vars[var].kind, cfa::VarKind::Vla(_)) {
                self.poison(span, "jump into the scope of a variable-length array");
            } else {
                self.emit(Op::Declare(var), span);
                self.end_writes_of_skipped(var, span);
            }
        }
    }

    /// The labels of the function that stand at no loop statement: a loop that has its head there is the label's.
    pub(super) fn labels_without_loop(&mut self) -> Vec<(LocId, Span)> {
        let labels = self.state().labels.values().filter_map(|label| Some((label.target?.location, label.span)));
        let mut labels: Vec<(LocId, Span)> = labels.collect();
        labels.retain(|(location, _)| self.program.locations[*location].loop_head.is_none());
        // Of several labels at one place the first one wins, as it is written last.
        labels.sort_by_key(|(location, span)| (*location, std::cmp::Reverse(span.lo)));
        labels
    }

    fn scope_chain(&self, scope: ScopeId) -> Vec<ScopeId> {
        let parent = |scope: &ScopeId| self.program.scopes[*scope].parent.map(|(parent, _)| parent);
        std::iter::successors(Some(scope), parent).collect()
    }
}

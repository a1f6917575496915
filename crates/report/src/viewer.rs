//! One step of a run in the words of the user: places, names, values and calls of the program's own text.

use crate::PlaceView;
use crate::replay::{InputView, StepView};
use crate::value;
use base::{SourceMap, Span};
use cfa::interp::{InputSource, RecordedInput};
use cfa::walk::Node;
use cfa::{
    AssumeRole, Body, Branch, Callee, EdgeId, ExprId, ExprKind, FuncId, InputKind, Op, PlaceId, PlaceKind, Program,
    Property, display, eval,
};
use evidence::shown::{self, Target};
use evidence::{Step, StepKind};
use std::cell::RefCell;
use std::collections::HashMap;

/// The calls that are under way at a step.
#[derive(Default)]
pub(crate) struct Calls {
    /// By depth.
    entered: Vec<Option<(EdgeId, FuncId)>>,
}

impl Calls {
    pub(crate) fn follow(&mut self, step: &Step) {
        let depth = step.depth as usize;
        match step.kind {
            StepKind::Enter { call, function } => {
                self.entered.resize(depth, None);
                self.entered.push(call.map(|call| (call, function)));
            }
            _ => self.entered.truncate(depth + 1),
        }
    }

    /// The innermost call in the user's text, and what it calls.
    pub(crate) fn own(&self, view: &Viewer<'_>) -> Option<(EdgeId, FuncId)> {
        self.entered.iter().rev().flatten().copied().find(|(call, _)| view.is_own(*call))
    }

    /// The depth at which a call under way is made.
    pub(crate) fn depth_of(&self, call: EdgeId) -> u32 {
        let entered = self.entered.iter().rposition(|entered| entered.is_some_and(|(edge, _)| edge == call));
        entered.unwrap_or(0).saturating_sub(1) as u32
    }

    pub(crate) fn callee(&self, view: &Viewer<'_>) -> Option<String> {
        self.own(view).map(|(_, function)| view.program.function_name(function).to_string())
    }
}

/// Names and texts of the parts of a program, for users.
pub(crate) struct Viewer<'a> {
    pub program: &'a Program,
    sources: &'a SourceMap,
    /// A long run is at few places.
    places: RefCell<HashMap<Span, Option<PlaceView>>>,
}

impl<'a> Viewer<'a> {
    pub(crate) fn new(program: &'a Program, sources: &'a SourceMap) -> Self {
        Viewer { program, sources, places: RefCell::default() }
    }

    pub(crate) fn place(&self, span: Span) -> Option<PlaceView> {
        self.places.borrow_mut().entry(span).or_insert_with(|| PlaceView::of(self.sources, span)).clone()
    }

    /// The place of an edge in the user's text.
    pub(crate) fn place_of_edge(&self, edge: EdgeId) -> Option<PlaceView> {
        match self.is_own(edge) {
            true => self.place(self.program.edges[edge].span),
            false => PlaceView::of_edge(self.program, self.sources, edge),
        }
    }

    /// Whether an edge comes from text of the user.
    pub(crate) fn is_own(&self, edge: EdgeId) -> bool {
        !self.sources.is_in_system_header(self.program.edges[edge].span.lo)
    }

    /// The command line, if the program reads it.
    pub(crate) fn argument_count(&self, entry: FuncId, arguments: usize) -> Option<StepView> {
        let params = &self.program.functions[entry].params;
        let count = *params.first()?;
        let read = self.program.places.values().any(|place| place.kind == PlaceKind::Var(count));
        // Any other `main` is given inputs instead, and they are shown.
        let scalars = params.iter().all(|var| self.program.types.is_scalar(self.program.vars[*var].ty));
        if self.program.function_name(entry) != "main" || !scalars || !read {
            return None;
        }
        let var = &self.program.vars[count];
        let (name, value) = (self.program.name(var.name).to_string(), arguments.to_string());
        let (place, function) = (self.place(var.span)?, "main".to_string());
        let text = format!("{name} = {value}");
        Some(StepView {
            place,
            function,
            kind: "input",
            text,
            assigned: Some(name),
            value: Some(value),
            relevant: None,
            at: 0,
            depth: 0,
            input: None,
            character: None,
        })
    }

    pub(crate) fn input(&self, input: &RecordedInput) -> InputView {
        let ty = input.request.ty;
        let (name, function, span) = match input.request.source {
            InputSource::Edge { edge, kind } => {
                let (InputKind::Nondet(function) | InputKind::External(function) | InputKind::Written(function)) = kind;
                let place = match self.program.edges[edge].op {
                    Op::Havoc(place, _) => Some(place),
                    Op::Call { dest, .. } => dest,
                    _ => None,
                };
                let name = place.and_then(|place| self.user_place(place));
                (name, Some(self.program.function_name(function).to_string()), self.program.edges[edge].span)
            }
            InputSource::Param { var, .. } => {
                let var = &self.program.vars[var];
                (Some(self.program.name(var.name).to_string()), None, var.span)
            }
        };
        InputView {
            name,
            function,
            place: self.place(span).unwrap_or_default(),
            ty: self.program.types.c_name(ty, &self.program.names),
            value: eval::display(&self.program.types, ty, input.bits),
            dont_care: None,
            range: None,
        }
    }

    /// An input that a library function written in C asked for: it is shown at the call in the user's text.
    pub(crate) fn library_input(&self, step: &Step, calls: &Calls) -> Option<StepView> {
        let StepKind::Input(InputSource::Edge { edge, .. }) = step.kind else { return None };
        if self.is_own(edge) {
            return None;
        }
        let (call, function) = calls.own(self)?;
        let (ty, bits) = step.value?;
        let value = eval::display(&self.program.types, ty, bits);
        let readable = match self.is_character_input(edge) {
            true => value::read_character(self.program, ty, bits),
            false => value::scalar(self.program, ty, bits),
        };
        let text = format!("{}() = {readable}", self.program.function_name(function));
        let name = self.program.function_name(function).to_string();
        let character = self.is_character_input(edge).then(|| (name, value.parse::<u8>().ok()));
        let shown = self.view(call, step, "input", text, None, Some(value))?;
        Some(StepView { depth: calls.depth_of(call), character, ..shown })
    }

    /// Whether an edge of the library asks for the next character of a stream.
    pub(crate) fn is_character_input(&self, edge: EdgeId) -> bool {
        matches!(self.program.edges[edge].op, Op::Call { callee: Callee::Direct(function), .. }
            if ["__library_input_character", "__library_input_after_spaces"].contains(&self.program.function_name(function)))
    }

    /// The value of a step for people, given what it was assigned to.
    pub(crate) fn readable(&self, step: &Step, place: Option<PlaceId>) -> Option<String> {
        let (ty, bits) = step.value?;
        let pointee = step.pointee.as_ref().and_then(|pointee| self.pointee(ty, pointee));
        let constants = place.and_then(|place| self.program.enumeration_of(place));
        Some(pointee.unwrap_or_else(|| value::named(self.program, constants, ty, bits)))
    }

    /// A place as the user wrote it; `None` when there is no such text.
    pub(crate) fn user_place(&self, place: PlaceId) -> Option<String> {
        (shown::target(self.program, place) == Target::Named)
            .then(|| frontend::display(self.program, Node::Place(place)))
    }

    /// A step as the user sees it; `None` for what only lowering knows.
    pub(crate) fn step(&self, step: &Step) -> Option<StepView> {
        let value = step.value.map(|(ty, bits)| eval::display(&self.program.types, ty, bits));
        match step.kind {
            StepKind::Edge(edge) => self.edge(edge, step, value),
            StepKind::Input(InputSource::Edge { edge, kind }) => {
                let (InputKind::Nondet(function) | InputKind::External(function) | InputKind::Written(function)) = kind;
                let place = match self.program.edges[edge].op {
                    Op::Havoc(place, _) => Some(place),
                    Op::Call { dest, .. } => dest,
                    _ => None,
                };
                let assigned = place.and_then(|place| self.user_place(place));
                let name = self.program.function_name(function);
                let readable = self.readable(step, place);
                let shown = readable.as_deref().unwrap_or("?");
                let text = match &assigned {
                    Some(assigned) if matches!(kind, InputKind::Written(_)) && !is_made_up(assigned) => {
                        format!("{assigned} = {shown}, written by {name}()")
                    }
                    Some(assigned) => format!("{assigned} = {shown}"),
                    None if is_made_up(name) => format!("{name} = {shown}"),
                    None => format!("{name}() = {shown}"),
                };
                self.view(edge, step, "input", text, assigned, value)
            }
            StepKind::Input(InputSource::Param { var, .. }) => {
                let constants = self.program.enumeration_of_var(var);
                let var = &self.program.vars[var];
                let name = self.program.name(var.name).to_string();
                let readable = step.value.map(|(ty, bits)| value::named(self.program, constants, ty, bits));
                let text = format!("{name} = {}", readable.as_deref().unwrap_or("?"));
                let place = self.place(var.span)?;
                let function = self.program.function_name(var.kind.function()?).to_string();
                Some(StepView {
                    place,
                    function,
                    kind: "input",
                    text,
                    assigned: Some(name),
                    value,
                    relevant: None,
                    at: 0,
                    depth: step.depth,
                    input: None,
                    character: None,
                })
            }
            // What happens in a library function is not shown.
            StepKind::Enter { function, .. }
                if frontend::is_library_text(self.sources, self.program.functions[function].span.lo) =>
            {
                None
            }
            StepKind::Enter { call: Some(edge), function } => {
                let text = format!("call {}", self.program.function_name(function));
                self.view(edge, step, "call", text, None, None)
            }
            StepKind::Enter { call: None, .. } | StepKind::Leave(_) => None,
        }
    }

    pub(crate) fn edge(&self, edge: EdgeId, step: &Step, value: Option<String>) -> Option<StepView> {
        match self.program.edges[edge].op {
            // An uninitialized local; an initialized one shows its assignment.
            Op::Declare(var) => {
                shown::gives(self.program, edge)?;
                let text = self.program.types.declare(
                    self.program.vars[var].ty,
                    self.program.name(self.program.vars[var].name).to_string(),
                    &self.program.names,
                );
                self.view(edge, step, "declaration", text, None, None)
            }
            Op::Assign(place, _) => {
                if shown::target(self.program, place) == Target::Ours {
                    return None;
                }
                let assigned = self.user_place(place);
                let text = match (&assigned, self.readable(step, Some(place))) {
                    (Some(assigned), Some(value)) => format!("{assigned} = {value}"),
                    (None, Some(value)) => format!("{} (gives {value})", self.snippet(edge)),
                    (_, None) => self.snippet(edge),
                };
                self.view(edge, step, "assignment", text, assigned, value)
            }
            // The result of a function that is only declared was shown as an input.
            Op::Call { callee: Callee::Direct(function), .. }
                if self.program.functions[function].body == Body::Undefined =>
            {
                None
            }
            Op::Call { dest, .. } => {
                let assigned = self.user_place(dest?)?;
                let text = format!("{assigned} = {}", self.readable(step, dest).as_deref().unwrap_or("…"));
                self.view(edge, step, "assignment", text, Some(assigned), value)
            }
            // The input before says it.
            Op::Assume { cond, .. } if self.is_decision(cond) => None,
            // A language without conditional expressions has such branches only in what was made of its text.
            Op::Assume { role: AssumeRole::Branch(Branch::Conditional), .. } if !self.has_conditionals() => None,
            Op::Assume { cond, truth, role: AssumeRole::Branch(Branch::Switch) }
                if frontend::of(self.program).is_some_and(|frontend| !frontend.names_cases) =>
            {
                let text = format!("{} is {truth}", frontend::display(self.program, Node::Expr(cond)));
                self.view(edge, step, "branch", text, None, None)
            }
            Op::Assume { cond, truth, role: AssumeRole::Branch(_) } => {
                let truth = truth != display::negates_text(self.program, cond);
                let text = format!("{} is {truth}", self.snippet(edge));
                self.view(edge, step, "branch", text, None, None)
            }
            Op::Assume { role: AssumeRole::Assumption, .. } => {
                self.view(edge, step, "assumption", self.snippet(edge), None, None)
            }
            // It is no statement of the program; what it looks at was shown.
            Op::Assert { property: Property::StackLimit, .. } => None,
            Op::Assert { .. } => self.view(edge, step, "assertion", self.snippet(edge), None, None),
            Op::Return(_) => {
                let text = match self.readable(step, None) {
                    Some(value) => format!("return {value}"),
                    None => "return".into(),
                };
                self.view(edge, step, "return", text, None, value)
            }
            Op::Halt(_) => self.view(edge, step, "call", self.snippet(edge), None, None),
            Op::Skip | Op::Kill(_) | Op::Alloca(..) | Op::Havoc(..) | Op::Poison(_) => None,
        }
    }

    fn has_conditionals(&self) -> bool {
        frontend::of(self.program).is_none_or(|frontend| (frontend.spelling)(frontend::TokenKind::Question).is_some())
    }

    /// Whether a condition is just an object that the program's text does not have.
    pub(crate) fn is_decision(&self, cond: ExprId) -> bool {
        let ExprKind::Read(place) = self.program.exprs[cond].kind else { return false };
        let PlaceKind::Var(var) = self.program.places[place].kind else { return false };
        is_made_up(self.program.name(self.program.vars[var].name))
    }

    pub(crate) fn snippet(&self, edge: EdgeId) -> String {
        let text = self.sources.snippet(self.program.edges[edge].span);
        // A macro of a system header leaves line markers in the middle of an expression.
        let lines = text.lines().enumerate().filter(|(number, line)| *number == 0 || !line.starts_with('#'));
        let words: Vec<&str> = lines.flat_map(|(_, line)| line.split_whitespace()).collect();
        words.join(" ")
    }

    pub(crate) fn view(
        &self,
        edge: EdgeId,
        step: &Step,
        kind: &'static str,
        text: String,
        assigned: Option<String>,
        value: Option<String>,
    ) -> Option<StepView> {
        if !self.is_own(edge) {
            return None;
        }
        let place = self.place(self.program.edges[edge].span)?;
        let location = self.program.edges[edge].from;
        let function = self.program.function_name(self.program.locations[location].function).to_string();
        let (relevant, at, depth) = (None, 0, step.depth);
        Some(StepView {
            place,
            function,
            kind,
            text,
            assigned,
            value,
            relevant,
            depth,
            at,
            input: None,
            character: None,
        })
    }
}

/// Whether a name is none of the program's text: that of an object or a function of its environment.
fn is_made_up(name: &str) -> bool {
    name.contains(' ')
}

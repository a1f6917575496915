//! The events of a run that a witness states: inputs, branches, calls, and the values of uninitialized memory that the run reads.

use super::constants::equation;
use crate::program::Source;
use cfa::interp::{self, Config, Event, FillRequest, InputRequest, InputSource, Inputs, Observer, Run, View};
use cfa::library::LibFn;
use cfa::walk::{self, Node};
use cfa::{
    Bits, Body, Callee, EdgeId, FuncId, InputKind, Op, PlaceKind, Program, Task, Type, TypeId, VarId, VarKind, eval,
};
use evidence::{Tape, shown};
use std::cell::RefCell;
use std::rc::Rc;

/// More branches and calls than that are left out, all of them: the inputs decide them anyway.
const MAX_TURNS: usize = 2_000;

/// When there are more inputs, the zeros that end what one place reads are left out: validators try zero first.
const MANY_INPUTS: usize = 20_000;

/// More scalars of one object, or characters of the command line, are left out.
const MAX_SCALARS: usize = 256;

pub enum RunEvent {
    /// An input was read by an edge.
    Input {
        edge: EdgeId,
        ty: TypeId,
        bits: Bits,
    },
    Branch(EdgeId),
    Enter {
        call: EdgeId,
        function: FuncId,
    },
    Return {
        edge: EdgeId,
        function: FuncId,
    },
    /// A local had contents that no statement gave it. `site`: the first edge of the next statement that can name it.
    Unset {
        declaration: EdgeId,
        site: EdgeId,
        values: Vec<String>,
    },
}

pub struct RunEvents {
    /// What holds when the entry function begins, as equations.
    pub start: Vec<String>,
    pub events: Vec<RunEvent>,
    pub run: Run,
    /// The last edge that was carried out.
    last: Option<EdgeId>,
}

impl RunEvents {
    /// Where the run ends. A leak is seen only after the last statement.
    pub fn end(&self) -> Option<EdgeId> {
        self.run.end.or(self.last)
    }
}

/// Runs the tape again and collects its events.
pub fn collect(source: &Source<'_>, task: Task<'_>, tape: &Tape) -> RunEvents {
    let Task { program, entry, properties } = task;
    let fills: Fills = Rc::default();
    let mut player = tape.play();
    let mut inputs = Watched { inner: &mut player, fills: fills.clone() };
    let mut collector = EventCollector {
        source,
        program,
        fills,
        start: Vec::new(),
        events: Vec::new(),
        open: Vec::new(),
        turns: 0,
        last: None,
    };
    let config = Config { properties, ..Config::default() };
    let run = interp::run_observed(program, entry, &tape.args, &mut inputs, &config, &mut collector);
    collector.finish(entry, tape, run)
}

type Fills = Rc<RefCell<Vec<(FillRequest, Vec<u8>)>>>;

struct Watched<'i> {
    inner: &'i mut dyn Inputs,
    fills: Fills,
}

impl Inputs for Watched<'_> {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        self.inner.next(request)
    }

    fn fill(&mut self, request: &FillRequest, bytes: &mut [u8]) {
        self.inner.fill(request, bytes);
        self.fills.borrow_mut().push((*request, evidence::tape::remembered(bytes)));
    }
}

/// A local that was declared and perhaps not written since.
struct Unset {
    var: VarId,
    bytes: Vec<u8>,
    declaration: EdgeId,
    site: Option<EdgeId>,
    depth: usize,
    /// Its index among the events.
    at: usize,
    read: bool,
    over: bool,
}

struct EventCollector<'a> {
    source: &'a Source<'a>,
    program: &'a Program,
    fills: Fills,
    start: Vec<String>,
    events: Vec<RunEvent>,
    open: Vec<Unset>,
    turns: usize,
    last: Option<EdgeId>,
}

impl Observer for EventCollector<'_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        let depth = view.depth();
        match event {
            Event::Input(input) => match input.request.source {
                // What a library function makes of an input is known when it returns.
                InputSource::Edge { edge, .. } if calls_library(self.program, edge) => {}
                InputSource::Edge { edge, .. } => {
                    self.events.push(RunEvent::Input { edge, ty: input.request.ty, bits: input.bits });
                }
                InputSource::Param { var, .. } => {
                    let name = self.program.name(self.program.vars[var].name);
                    let scalar = self.program.vars[var].ty == input.request.ty;
                    let value = equation(&self.program.types, name, input.request.ty, input.bits);
                    self.start.extend(value.filter(|_| scalar));
                }
            },
            Event::Enter { edge: Some(call), function } => {
                self.reads(call, depth.saturating_sub(1));
                self.turn(RunEvent::Enter { call, function });
            }
            Event::Enter { edge: None, .. } | Event::Leave { .. } => {}
            Event::Edge { edge, value } => {
                if let Some((ty, bits)) = value.filter(|_| reads_input(self.program, edge)) {
                    self.events.push(RunEvent::Input { edge, ty, bits });
                }
                self.edge(edge, depth);
            }
        }
        let filled: Vec<_> = self.fills.borrow_mut().drain(..).collect();
        for (request, bytes) in filled {
            match request {
                FillRequest::Local { var, edge: Some(declaration) } if self.names(var) => {
                    let at = self.events.len();
                    self.open.push(Unset { var, bytes, declaration, site: None, depth, at, read: false, over: false });
                }
                // Headers declare more than programs use.
                FillRequest::Extern { var }
                    if self.program.places.iter().any(|(_, place)| place.kind == PlaceKind::Var(var)) =>
                {
                    let name = self.program.name(self.program.vars[var].name);
                    let mut values = Vec::new();
                    self.scalars(name, self.program.vars[var].ty, &bytes, true, &mut values);
                    self.start.extend(values);
                }
                _ => {}
            }
        }
    }
}

impl EventCollector<'_> {
    fn names(&self, var: VarId) -> bool {
        matches!(self.program.vars[var].kind, VarKind::Local(_))
    }

    fn turn(&mut self, event: RunEvent) {
        self.turns += 1;
        if self.turns <= MAX_TURNS {
            self.events.push(event);
        }
    }

    fn edge(&mut self, edge: EdgeId, depth: usize) {
        if self.source.place(self.program.edges[edge].anchor).is_some() {
            self.last = Some(edge);
        }
        self.reads(edge, depth);
        let data = &self.program.edges[edge];
        for open in self.open.iter_mut().filter(|open| !open.over && open.depth == depth) {
            let other = data.anchor != self.program.edges[open.declaration].anchor;
            if open.site.is_none() && other && self.source.place(data.anchor).is_some() {
                open.site = Some(edge);
            }
            match data.op {
                Op::Assign(place, _) | Op::Havoc(place, _) | Op::Call { dest: Some(place), .. } => {
                    open.over |= matches!(self.program.places[place].kind, PlaceKind::Var(var) if var == open.var);
                }
                Op::Kill(var) | Op::Declare(var) => open.over |= var == open.var,
                _ => {}
            }
        }
        let program = self.program;
        self.open.retain(|open| !open.over || open.read || worth_stating(program, open));
        match data.op {
            Op::Assume { role: cfa::AssumeRole::Branch(_), .. } => self.turn(RunEvent::Branch(edge)),
            Op::Return(_) if depth > 1 => {
                let function = self.program.locations[data.from].function;
                self.turn(RunEvent::Return { edge, function });
            }
            _ => {}
        }
        if matches!(data.op, Op::Return(_)) {
            self.open.iter_mut().filter(|open| open.depth == depth).for_each(|open| open.over = true);
        }
    }

    /// Marks the locals that an edge reads before anything wrote them.
    fn reads(&mut self, edge: EdgeId, depth: usize) {
        if !self.open.iter().any(|open| !open.over && open.depth == depth) {
            return;
        }
        let mut nodes = Vec::new();
        let op = self.program.edges[edge].op;
        let written = match op {
            Op::Assign(place, _) | Op::Havoc(place, _) => Some(Node::Place(place)),
            Op::Call { dest, .. } => dest.map(Node::Place),
            _ => None,
        };
        walk::parts(self.program, &op, |node| {
            if Some(node) != written {
                nodes.push(node);
            } else {
                nodes.extend(walk::children(self.program, node).into_iter().flatten());
            }
        });
        while let Some(node) = nodes.pop() {
            if let Node::Place(place) = node
                && let PlaceKind::Var(var) = self.program.places[place].kind
            {
                let same = |open: &&mut Unset| open.var == var && open.depth == depth && !open.over;
                self.open.iter_mut().filter(same).for_each(|open| open.read = true);
            }
            nodes.extend(walk::children(self.program, node).into_iter().flatten());
        }
    }

    /// Equations for the scalars of an object; without `all` only those that are not zero.
    fn scalars(&self, name: &str, ty: TypeId, bytes: &[u8], all: bool, values: &mut Vec<String>) {
        let types = &self.program.types;
        if values.len() >= MAX_SCALARS {
            return;
        }
        match types.get(ty) {
            Type::Array(element, Some(length)) => {
                let size = types.size_of(*element).unwrap_or(0) as usize;
                for index in 0..*length as usize {
                    let Some(part) = bytes.get(index * size..(index + 1) * size) else { return };
                    if part.iter().any(|byte| *byte != 0) {
                        self.scalars(&format!("{name}[{index}]"), *element, part, false, values);
                    }
                }
            }
            Type::Record(record) => {
                for field in types.records[*record].fields.iter().filter(|field| field.bits.is_none()) {
                    let (Some(member), Some(size)) = (field.name, types.size_of(field.ty)) else { continue };
                    let Some(part) = bytes.get(field.offset as usize..(field.offset + size) as usize) else { return };
                    let member = format!("{name}.{}", self.program.name(member));
                    self.scalars(&member, field.ty, part, false, values);
                }
            }
            _ if types.is_scalar(ty) => {
                let number = bytes.iter().take(16).rev().fold(0u128, |number, byte| number << 8 | *byte as u128);
                let bits = eval::truncate(number, types.scalar_bits(ty));
                if all || number != 0 {
                    values.extend(equation(types, name, ty, bits));
                }
            }
            _ => {}
        }
    }

    fn finish(mut self, entry: FuncId, tape: &Tape, run: Run) -> RunEvents {
        // What the last, violating edge reads counts too, though the edge was never carried out.
        if let Some(end) = run.end {
            self.reads(end, run.stack.len() + 1);
        }
        if self.program.function_name(entry) == "main" {
            let mut words = Vec::new();
            self.command_line(entry, tape, &mut words);
            self.start.splice(0..0, words);
        }
        let mut unset = Vec::new();
        for open in &self.open {
            let var = &self.program.vars[open.var];
            let Some(site) = open.site.filter(|_| open.read || worth_stating(self.program, open)) else { continue };
            let mut values = Vec::new();
            self.scalars(self.program.name(var.name), var.ty, &open.bytes, open.read, &mut values);
            if !values.is_empty() {
                unset.push((open.at, RunEvent::Unset { declaration: open.declaration, site, values }));
            }
        }
        if self.turns > MAX_TURNS {
            let mut index = 0;
            let mut kept = Vec::new();
            for event in self.events {
                for (at, ..) in unset.iter_mut().filter(|(at, ..)| *at == index) {
                    *at = kept.len();
                }
                index += 1;
                if matches!(event, RunEvent::Input { .. }) {
                    kept.push(event);
                }
            }
            unset.iter_mut().filter(|(at, ..)| *at == index).for_each(|(at, ..)| *at = kept.len());
            self.events = kept;
        }
        unset.sort_by_key(|(at, ..)| *at);
        for (at, event) in unset.into_iter().rev() {
            self.events.insert(at, event);
        }
        let inputs = self.events.iter().filter(|event| matches!(event, RunEvent::Input { .. })).count();
        if inputs > MANY_INPUTS {
            drop_last_zeros(&mut self.events);
        }
        RunEvents { start: self.start, events: self.events, run, last: self.last }
    }

    /// `argc` and the characters of `argv`, where they were chosen.
    fn command_line(&self, entry: FuncId, tape: &Tape, values: &mut Vec<String>) {
        let params = &self.program.functions[entry].params;
        let names: Vec<&str> = params.iter().map(|var| self.program.name(self.program.vars[*var].name)).collect();
        let words = &tape.args.words;
        let [count, rest @ ..] = names.as_slice() else { return };
        if count.is_empty() || !self.program.types.is_scalar(self.program.vars[params[0]].ty) {
            return;
        }
        values.push(format!("{count} == {}", words.len()));
        let Some(name) = rest.first().filter(|name| !name.is_empty()) else { return };
        // A word that is left out is empty.
        for (index, word) in words.iter().enumerate().filter(|(_, word)| !word.is_empty()) {
            for (at, byte) in word.iter().chain([&0]).enumerate() {
                if values.len() < MAX_SCALARS && !(index == 0 && word == b"program") {
                    values.push(format!("{name}[{index}][{at}] == {}", *byte as i8));
                }
            }
        }
    }
}

/// Of an object with parts it is not known which of them are read.
fn worth_stating(program: &Program, open: &Unset) -> bool {
    !program.types.is_scalar(program.vars[open.var].ty) && open.bytes.iter().any(|byte| *byte != 0)
}

fn drop_last_zeros(events: &mut Vec<RunEvent>) {
    let mut unset = std::collections::HashSet::new();
    let mut kept: Vec<bool> = events
        .iter()
        .rev()
        .map(|event| match event {
            RunEvent::Input { edge, bits, .. } => unset.contains(edge) || (!bits.is_zero() && unset.insert(*edge)),
            _ => true,
        })
        .collect();
    events.retain(|_| kept.pop().unwrap_or(true));
}

/// The variable of the user's that an input goes to as it is.
pub fn variable(program: &Program, edge: EdgeId) -> Option<String> {
    let place = match program.edges[edge].op {
        Op::Havoc(place, _) | Op::Call { dest: Some(place), .. } => place,
        _ => return None,
    };
    let plain = matches!(program.places[place].kind, PlaceKind::Var(_));
    let named = plain && shown::target(program, place) == shown::Target::Named;
    frontend::source_text(program, Node::Place(place)).filter(|_| named)
}

/// For what a function without a body leaves in memory: the place as source text, if it has a name.
pub fn written(program: &Program, edge: EdgeId) -> Option<Option<String>> {
    match program.edges[edge].op {
        Op::Havoc(place, InputKind::Written(_)) => {
            let named = shown::target(program, place) == shown::Target::Named;
            Some(frontend::source_text(program, Node::Place(place)).filter(|_| named))
        }
        _ => None,
    }
}

fn library(program: &Program, edge: EdgeId) -> Option<&LibFn> {
    let Op::Call { callee: Callee::Direct(function), .. } = program.edges[edge].op else { return None };
    match &program.functions[function].body {
        Body::Library(meaning) => Some(meaning),
        _ => None,
    }
}

fn calls_library(program: &Program, edge: EdgeId) -> bool {
    library(program, edge).is_some()
}

/// Whether the value of a library call is an input, as far as C can express it: addresses cannot be stated.
fn reads_input(program: &Program, edge: EdgeId) -> bool {
    let Op::Call { dest: Some(place), .. } = program.edges[edge].op else { return false };
    let arithmetic = program.places[place].ty.is_arithmetic();
    let is_input = |meaning| matches!(meaning, &LibFn::Rand | &LibFn::Input { .. });
    arithmetic && library(program, edge).is_some_and(is_input)
}

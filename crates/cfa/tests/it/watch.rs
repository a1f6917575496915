//! An observer that compares every step of a run with what the analyses say.

use cfa::analysis::effects::{EffectAnalysis, Part};
use cfa::analysis::liveness::Liveness;
use cfa::analysis::offsets::Offsets;
use cfa::analysis::points_to::reads;
use cfa::analysis::{Effects, Object, PointsTo, Targets};
use cfa::interp::{Event, ObjectKind, Observer, View};
use cfa::walk::{self, Node};
use cfa::{Body, Callee, EdgeId, ExprKind, FuncId, LocId, Op, PlaceKind, Program, VarId};
use std::collections::{BTreeMap, HashMap};

/// How often each kind of thing was compared.
#[derive(Default, Debug)]
pub struct Compared {
    pub pointers: u64,
    pub writes: u64,
    pub calls: u64,
    pub live: u64,
    pub frees: u64,
}

/// One activation.
struct Frame {
    function: FuncId,
    /// Contents of variables after the last step.
    before: BTreeMap<VarId, Vec<u8>>,
    /// Contents of live allocations after the last step, by address.
    heap: BTreeMap<u64, Vec<u8>>,
    /// Where the activation was, step by step.
    visited: Vec<LocId>,
    /// How many steps were taken when a variable got its whole value last.
    written: HashMap<VarId, usize>,
}

pub struct Watch<'a, 'p> {
    program: &'p Program,
    points_to: &'a PointsTo<'p>,
    effects: &'a EffectAnalysis<'a, 'p>,
    liveness: HashMap<FuncId, Liveness>,
    of_edges: HashMap<EdgeId, Effects>,
    /// Which edge allocated an address.
    allocated: HashMap<u64, EdgeId>,
    frames: Vec<Frame>,
    pub compared: Compared,
    pub wrong: Vec<String>,
}

impl<'a, 'p> Watch<'a, 'p> {
    pub fn new(points_to: &'a PointsTo<'p>, effects: &'a EffectAnalysis<'a, 'p>, entry: FuncId) -> Self {
        let program = points_to.program();
        let of = |function: &FuncId| Some((*function, Liveness::of(effects, *function, entry)?));
        Watch {
            program,
            points_to,
            effects,
            liveness: points_to.reached().iter().filter_map(of).collect(),
            of_edges: HashMap::new(),
            allocated: HashMap::new(),
            frames: Vec::new(),
            compared: Compared::default(),
            wrong: Vec::new(),
        }
    }

    fn object(&self, view: &View<'_, '_>, address: u64) -> Option<(Object, Option<u64>)> {
        let (object, offset) = view.object(address)?;
        let offset = u64::try_from(offset).ok();
        let abstracted = match object.kind {
            ObjectKind::Nothing => return None,
            ObjectKind::Global(var) | ObjectKind::Constant(var) | ObjectKind::Local(var) => Object::Var(var),
            ObjectKind::Function(function) => Object::Function(function),
            ObjectKind::Internal | ObjectKind::Arguments | ObjectKind::Argument(_) => Object::Library,
            ObjectKind::Alloca | ObjectKind::Heap => Object::Allocation(*self.allocated.get(&object.base)?),
        };
        Some((abstracted, offset))
    }

    fn check_address(&mut self, view: &View<'_, '_>, edge: EdgeId, what: &str, address: u64, targets: &Targets) {
        let Some((object, offset)) = self.object(view, address) else { return };
        self.compared.pointers += 1;
        let covered = match offset {
            Some(offset) => targets.may_be(self.program, object, offset),
            None => targets.anything || targets.known.iter().any(|target| target.object == object),
        };
        if !covered {
            self.wrong.push(format!("{edge}: {what} is {object:?} + {offset:?}, expected {targets:?}"));
        }
    }

    /// Every address that the operation of an edge mentions.
    fn check_pointers(&mut self, view: &View<'_, '_>, edge: EdgeId) {
        let mut pending = Vec::new();
        walk::parts(self.program, &self.program.edges[edge].op, |node| pending.push(node));
        while let Some(node) = pending.pop() {
            match node {
                Node::Expr(expr) if self.program.types.is_scalar(self.program.exprs[expr].ty) => {
                    let is_pointer = self.program.types.is_pointer(self.program.exprs[expr].ty);
                    if let (true, Ok(bits)) = (is_pointer, view.value(expr)) {
                        let targets = self.points_to.targets(expr);
                        self.check_address(view, edge, &format!("{expr}"), bits.lo, &targets);
                    }
                }
                Node::Expr(_) => {}
                Node::Place(place) => {
                    if let Ok(address) = view.address(place) {
                        let targets = self.points_to.place(place);
                        self.check_address(view, edge, &format!("{place}"), address, &targets);
                    }
                }
            }
            pending.extend(walk::children(self.program, node).into_iter().flatten());
        }
    }

    fn contents(&self, view: &View<'_, '_>, function: FuncId) -> BTreeMap<VarId, Vec<u8>> {
        let own = |var: &VarId| match self.program.vars[*var].kind.function() {
            None => true,
            Some(owner) => owner == function,
        };
        let bytes = |var: VarId| {
            let size = self.program.types.size_of(self.program.vars[var].ty).unwrap_or(0);
            match view.address_of(var) {
                Some(address) => view.bytes(address, size).ok().map(<[u8]>::to_vec),
                None => view.variable(var).map(|bits| bits.get().to_le_bytes().to_vec()),
            }
        };
        self.program.vars.ids().filter(own).filter_map(|var| Some((var, bytes(var)?))).collect()
    }

    fn heap(&self, view: &View<'_, '_>) -> BTreeMap<u64, Vec<u8>> {
        let live = |base: u64| view.object(base).filter(|(object, _)| object.live && object.base == base);
        self.allocated.keys().filter_map(|base| Some((*base, live(*base)?.0.bytes.clone()))).collect()
    }

    /// Allocations that changed or were freed.
    fn check_heap(&mut self, view: &View<'_, '_>, edge: EdgeId) {
        let now = self.heap(view);
        let Some(frame) = self.frames.last_mut() else { return };
        let effects = self.of_edges.entry(edge).or_insert_with(|| self.effects.edge(edge));
        for (base, before) in &frame.heap {
            let object = Object::Allocation(self.allocated[base]);
            let Some(bytes) = now.get(base) else {
                self.compared.frees += 1;
                // Allocations on the stack end with a variable or with the function.
                let freed = effects.frees.touches(self.program, object, Part::WHOLE);
                let ended = effects.writes.touches(self.program, object, Part::WHOLE);
                if !(freed || ended) {
                    self.wrong.push(format!("{edge} freed {object:?}, expected {:?}", effects.frees));
                }
                continue;
            };
            for at in (0..bytes.len().min(before.len())).filter(|at| before[*at] != bytes[*at]) {
                self.compared.writes += 1;
                let part = Part { offsets: Offsets::exactly(at as u64), extent: 1 };
                if !effects.writes.touches(self.program, object, part) {
                    self.wrong.push(format!("{edge} wrote byte {at} of {object:?}, expected {:?}", effects.writes));
                }
            }
        }
        frame.heap = now;
    }

    fn check_writes(&mut self, view: &View<'_, '_>, edge: EdgeId) {
        let Some(frame) = self.frames.last() else { return };
        let now = self.contents(view, frame.function);
        let effects = self.of_edges.entry(edge).or_insert_with(|| self.effects.edge(edge));
        for (var, bytes) in &now {
            let Some(before) = frame.before.get(var).filter(|before| before.len() == bytes.len()) else { continue };
            for at in (0..bytes.len()).filter(|at| before[*at] != bytes[*at]) {
                self.compared.writes += 1;
                let part = Part { offsets: Offsets::exactly(at as u64), extent: 1 };
                if !effects.writes.touches(self.program, Object::Var(*var), part) {
                    self.wrong.push(format!("{edge} wrote byte {at} of {var}, expected {:?}", effects.writes));
                }
            }
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.before = now;
        }
    }

    /// What the edge reads must have been live since it was written.
    fn check_live(&mut self, view: &View<'_, '_>, edge: EdgeId) {
        let mut places = Vec::new();
        walk::parts(self.program, &self.program.edges[edge].op, |part| {
            reads(self.program, part, |place| places.push(place));
        });
        for place in places {
            if let PlaceKind::Var(var) = self.program.places[place].kind {
                let depth = self.frames.len().saturating_sub(1);
                self.check_live_in(edge, var, depth);
                continue;
            }
            let Some((Object::Var(var), _)) = view.address(place).ok().and_then(|at| self.object(view, at)) else {
                continue;
            };
            let Ok(address) = view.address(place) else { continue };
            let Some((object, _)) = view.object(address) else { continue };
            let base = object.base;
            let mut seen = view.caller();
            let mut depth = self.frames.len();
            if view.address_of(var) == Some(base) {
                self.check_live_in(edge, var, depth - 1);
            }
            while depth > 1 {
                depth -= 1;
                if seen.address_of(var) == Some(base) && self.program.vars[var].kind.function().is_some() {
                    self.check_live_in(edge, var, depth - 1);
                }
                seen = seen.caller();
            }
        }
    }

    fn check_live_in(&mut self, edge: EdgeId, var: VarId, depth: usize) {
        let Some(frame) = self.frames.get(depth) else { return };
        let since = frame.written.get(&var).copied().unwrap_or(0);
        for location in &frame.visited[since..] {
            self.compared.live += 1;
            if !self.liveness[&frame.function].is_live(*location, var) {
                self.wrong.push(format!("{edge} reads {var}, which is dead at {location}"));
            }
        }
    }
}

impl Observer for Watch<'_, '_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        match event {
            Event::Enter { edge, function } => {
                if let Some(edge) = edge {
                    // Arguments are read before the call.
                    if let Some(frame) = self.frames.last_mut() {
                        frame.visited.push(self.program.edges[edge].from);
                    }
                    self.compared.calls += 1;
                    if self.points_to.called(edge).functions.binary_search(&function).is_err() {
                        self.wrong.push(format!("{edge} called {function}"));
                    }
                }
                if !self.points_to.reached().contains(&function) {
                    self.wrong.push(format!("{function} was reached"));
                }
                let (before, heap) = (self.contents(view, function), self.heap(view));
                self.frames.push(Frame { function, before, heap, visited: Vec::new(), written: HashMap::new() });
            }
            Event::Leave { .. } => drop(self.frames.pop()),
            Event::Edge { edge, value } => {
                let op = self.program.edges[edge].op;
                let library = |function: FuncId| matches!(self.program.functions[function].body, Body::Library(_));
                let allocates = match op {
                    Op::Call { callee: Callee::Direct(function), .. } => library(function),
                    Op::Call { .. } | Op::Alloca(..) => true,
                    _ => false,
                };
                let made = value.map(|(_, bits)| bits.lo).or_else(|| match op {
                    Op::Alloca(var, _) => view.variable(var).map(|bits| bits.lo),
                    _ => None,
                });
                if let (true, Some(address)) = (allocates, made)
                    && let Some((object, 0)) = view.object(address)
                    && matches!(object.kind, ObjectKind::Heap | ObjectKind::Alloca)
                {
                    self.allocated.insert(object.base, edge);
                }
                let Some(frame) = self.frames.last_mut() else { return };
                frame.visited.push(self.program.edges[edge].from);
                // Pointers may have changed by the edge itself; they are covered all the same.
                self.check_pointers(view, edge);
                self.check_writes(view, edge);
                self.check_heap(view, edge);
                let is_call =
                    matches!(op, Op::Call { callee, .. } if !matches!(callee, Callee::Direct(f) if library(f)));
                if !is_call && self.is_stable(op) {
                    self.check_live(view, edge);
                }
                let steps = self.frames.last().map_or(0, |frame| frame.visited.len());
                if let (Some(var), Some(frame)) = (whole(self.program, op), self.frames.last_mut()) {
                    frame.written.insert(var, steps);
                }
            }
            Event::Input(_) => {}
        }
    }
}

impl Watch<'_, '_> {
    /// Whether the places that the edge read can still be found after it: it changed none of the pointers that lead to them.
    fn is_stable(&self, op: Op) -> bool {
        match op {
            Op::Assign(place, value) => {
                !self.program.types.is_pointer(self.program.places[place].ty)
                    && !matches!(self.program.exprs[value].kind, ExprKind::AddrOf(_))
                    && self.program.types.is_scalar(self.program.places[place].ty)
            }
            Op::Call { dest, .. } => dest.is_none(),
            Op::Assume { .. } | Op::Assert { .. } => true,
            _ => false,
        }
    }
}

fn whole(program: &Program, op: Op) -> Option<VarId> {
    let var = |place: cfa::PlaceId| match program.places[place].kind {
        PlaceKind::Var(var) => Some(var),
        _ => None,
    };
    match op {
        Op::Assign(place, _) | Op::Havoc(place, _) => var(place),
        Op::Declare(var) | Op::Kill(var) | Op::Alloca(var, _) => Some(var),
        Op::Call { dest: Some(place), .. } => var(place),
        _ => None,
    }
}

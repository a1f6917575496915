//! Points-to analysis of a whole program: inclusion-based (Andersen 1994), insensitive to flow and calls, sensitive to members. A target
//! is an object with a set of offsets ([`Offsets`]), so `a[i].next` and `a[i].count` stay apart. `memory` holds what objects may contain,
//! `library` knows what library functions copy and return.
//!
//! Objects are variables (one for all activations), allocation sites, functions, and one object for everything that the library owns.
//! Values of all types are followed, because unions, `memcpy` and casts carry addresses through any type. A value that is computed from
//! numbers, read as an input, or put together from pieces is [`Targets::anything`]: it may be the address of any object in memory.
//!
//! **What is promised.** In every run of [`crate::interp`] in which memory that was never written, and values that functions fail to
//! return, do not happen to be addresses of objects: an address that a place or pointer has is among its [`Targets`] (or is of no object),
//! and a called function is among [`PointsTo::called`]. Using an uninitialized pointer is undefined, and other contents make the same access fault.

mod library;
mod memory;

pub use memory::access_size;

use super::offsets::Offsets;
use crate::walk::Node;
use crate::*;
use memory::{Memory, Slot};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// What memory consists of, abstractly.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    Var(VarId),
    /// All objects that an edge allocates: a call of `malloc` and the like, or `Op::Alloca`.
    Allocation(EdgeId),
    Function(FuncId),
    /// `argv`.
    Library,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Target {
    pub object: Object,
    pub offsets: Offsets,
}

/// What a pointer may point to. Null and addresses of no object are not listed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Targets {
    /// It may also be the address of any object in memory.
    pub anything: bool,
    /// Ascending; none includes another.
    pub known: Vec<Target>,
}

/// Offset sets of one object among the targets of a pointer; more are joined.
const MAX_OFFSETS: usize = 16;

impl Targets {
    pub const NOTHING: Targets = Targets { anything: false, known: Vec::new() };

    pub fn anything() -> Targets {
        Targets { anything: true, known: Vec::new() }
    }

    fn one(object: Object, offsets: Offsets) -> Targets {
        Targets { anything: false, known: vec![Target { object, offsets }] }
    }

    /// Whether something is new.
    fn insert(&mut self, target: Target) -> bool {
        let first = self.known.partition_point(|known| known.object < target.object);
        let count = self.known[first..].partition_point(|known| known.object == target.object);
        let same = &self.known[first..first + count];
        if same.iter().any(|known| known.offsets.includes(target.offsets)) {
            return false;
        }
        let offsets = if count < MAX_OFFSETS {
            target.offsets
        } else {
            same.iter().fold(target.offsets, |joined, known| joined.join(known.offsets))
        };
        let mut kept: Vec<Target> = same.iter().copied().filter(|known| !offsets.includes(known.offsets)).collect();
        kept.push(Target { offsets, ..target });
        kept.sort_unstable();
        self.known.splice(first..first + count, kept);
        true
    }

    /// Whether something is new.
    fn add(&mut self, other: &Targets) -> bool {
        let mut changed = other.anything && !self.anything;
        self.anything |= other.anything;
        for target in &other.known {
            changed |= self.insert(*target);
        }
        changed
    }

    /// Adds the targets of another pointer.
    pub fn add_all(&mut self, other: &Targets) {
        self.add(other);
    }

    fn map(&self, change: impl Fn(Offsets) -> Offsets) -> Targets {
        let mut result = Targets { anything: self.anything, known: Vec::new() };
        for target in &self.known {
            result.insert(Target { offsets: change(target.offsets), ..*target });
        }
        result
    }

    /// Whether a pointer may point into an object. A variable that lives in a register has none.
    pub fn may_be(&self, program: &Program, object: Object, offset: u64) -> bool {
        let exact = Offsets::exactly(offset);
        let known = |target: &Target| target.object == object && target.offsets.includes(exact);
        (self.anything && in_memory(program, object)) || self.known.iter().any(known)
    }
}

/// Whether an object has an address at all: a scalar whose address is never taken has none.
pub fn in_memory(program: &Program, object: Object) -> bool {
    match object {
        Object::Var(var) => program.vars[var].address_taken || !program.types.is_scalar(program.vars[var].ty),
        Object::Allocation(_) | Object::Function(_) | Object::Library => true,
    }
}

/// The functions that a call may call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Called {
    /// Ascending.
    pub functions: Vec<FuncId>,
    /// The pointer may be any number, so the functions are all there are.
    pub any: bool,
}

/// What the pointers of a program may point to in runs from one entry function.
pub struct PointsTo<'p> {
    program: &'p Program,
    memory: Memory,
    /// Functions that runs may reach, in the order they were found.
    reached: Vec<FuncId>,
}

impl<'p> PointsTo<'p> {
    pub fn of(program: &'p Program, entry: FuncId) -> Self {
        let mut solver = Solver {
            program,
            memory: Memory::new(program),
            reached: Vec::new(),
            is_reached: FxHashSet::default(),
            queue: VecDeque::new(),
            queued: vec![false; program.edges.len()],
            readers: FxHashMap::default(),
            trace: Vec::new(),
        };
        solver.statics();
        solver.entry(entry);
        solver.run();
        solver.memory.finish();
        PointsTo { program, memory: solver.memory, reached: solver.reached }
    }

    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Functions with a body that runs may reach.
    pub fn reached(&self) -> &[FuncId] {
        &self.reached
    }

    /// What the value of a scalar expression may point to.
    pub fn targets(&self, expr: ExprId) -> Targets {
        self.memory.value(self.program, expr, &mut Vec::new())
    }

    /// Where a place may lie.
    pub fn place(&self, place: PlaceId) -> Targets {
        self.memory.address(self.program, place, &mut Vec::new())
    }

    /// The functions that a call edge may call; none for another edge.
    pub fn called(&self, edge: EdgeId) -> Called {
        match self.program.edges[edge].op {
            Op::Call { callee, .. } => called(self.program, &self.memory, callee, &mut Vec::new()),
            _ => Called::default(),
        }
    }

    /// What pointers stored at some places may point to, for every type that they are read with.
    pub fn behind(&self, pointers: &Targets) -> Targets {
        let size = self.program.model().pointer_bytes();
        self.memory.load(self.program, pointers, size, &mut Vec::new())
    }
}

fn called(program: &Program, memory: &Memory, callee: Callee, trace: &mut Vec<Slot>) -> Called {
    match callee {
        Callee::Direct(function) => Called { functions: vec![function], any: false },
        Callee::Indirect(pointer) => {
            let targets = memory.value(program, pointer, trace);
            if targets.anything {
                return Called { functions: program.functions.ids().collect(), any: true };
            }
            let function = |target: &Target| match target.object {
                Object::Function(function) if target.offsets.includes(Offsets::ZERO) => Some(function),
                _ => None,
            };
            let mut functions: Vec<FuncId> = targets.known.iter().filter_map(function).collect();
            functions.dedup();
            Called { functions, any: false }
        }
    }
}

struct Solver<'p> {
    program: &'p Program,
    memory: Memory,
    reached: Vec<FuncId>,
    is_reached: FxHashSet<FuncId>,
    queue: VecDeque<EdgeId>,
    queued: Vec<bool>,
    /// Edges to look at again when the contents of a slot change.
    readers: FxHashMap<Slot, FxHashSet<EdgeId>>,
    /// Slots that the current edge read.
    trace: Vec<Slot>,
}

impl Solver<'_> {
    /// Contents of objects of static lifetime.
    fn statics(&mut self) {
        let pointer = self.program.model().pointer_bytes();
        for (id, var) in self.program.vars.iter() {
            let slot = Slot::Object(Object::Var(id));
            match &var.init {
                Init::None | Init::Zero => {}
                Init::Unknown => self.memory.write(slot, Offsets::ANY, pointer, &Targets::anything()),
                Init::Static(init) => {
                    for relocation in &init.relocations {
                        let object = match relocation.target {
                            RelocationTarget::Var(var) => Object::Var(var),
                            RelocationTarget::Function(function) => Object::Function(function),
                        };
                        let target = Targets::one(object, Offsets::ZERO.plus(relocation.addend as i128));
                        self.memory.write(slot, Offsets::exactly(relocation.offset), pointer, &target);
                    }
                    let relocated = |offset: u64| {
                        let after = init.relocations.partition_point(|relocation| relocation.offset <= offset);
                        after > 0 && offset < init.relocations[after - 1].offset + pointer
                    };
                    let mut offset = 0;
                    while offset < init.bytes.len() {
                        let end = (offset + pointer as usize).min(init.bytes.len());
                        let number = |at: usize| init.bytes[at] != 0 && !relocated(at as u64);
                        if (offset..end).any(number) {
                            self.memory.write(slot, Offsets::exactly(offset as u64), pointer, &Targets::anything());
                        }
                        offset = end;
                    }
                }
            }
        }
        self.memory.changed.clear();
    }

    fn entry(&mut self, entry: FuncId) {
        let pointer = self.program.model().pointer_bytes();
        self.memory.write(
            Slot::Object(Object::Library),
            Offsets::ANY,
            pointer,
            &Targets::one(Object::Library, Offsets::ANY),
        );
        let params = &self.program.functions[entry].params;
        let scalars = params.iter().all(|param| self.program.types.is_scalar(self.program.vars[*param].ty));
        let is_main = self.program.function_name(entry) == "main" && scalars;
        for param in params {
            let ty = self.program.vars[*param].ty;
            let slot = Slot::Object(Object::Var(*param));
            // `argv` and `envp`; other parameters are inputs.
            if is_main && self.program.types.is_pointer(ty) {
                self.memory.write(slot, Offsets::ZERO, pointer, &Targets::one(Object::Library, Offsets::ZERO));
            }
            if !is_main || !self.program.types.is_pointer(ty) {
                self.memory.write(slot, Offsets::ANY, pointer, &Targets::anything());
            }
        }
        self.reach(entry);
    }

    fn reach(&mut self, function: FuncId) {
        let Some(automaton) = self.program.automaton(function) else { return };
        if self.is_reached.insert(function) {
            self.reached.push(function);
            automaton.edges.clone().for_each(|edge| self.enqueue(EdgeId(edge)));
        }
    }

    fn enqueue(&mut self, edge: EdgeId) {
        if !std::mem::replace(&mut self.queued[edge.0 as usize], true) {
            self.queue.push_back(edge);
        }
    }

    fn run(&mut self) {
        while let Some(edge) = self.queue.pop_front() {
            self.queued[edge.0 as usize] = false;
            self.trace.clear();
            self.step(edge);
            for slot in std::mem::take(&mut self.trace) {
                self.readers.entry(slot).or_default().insert(edge);
            }
            for slot in std::mem::take(&mut self.memory.changed) {
                let mut readers: Vec<EdgeId> = self.readers.get(&slot).into_iter().flatten().copied().collect();
                readers.sort_unstable();
                readers.into_iter().for_each(|reader| self.enqueue(reader));
            }
        }
    }

    fn value(&mut self, expr: ExprId) -> Targets {
        self.memory.value(self.program, expr, &mut self.trace)
    }

    fn address(&mut self, place: PlaceId) -> Targets {
        self.memory.address(self.program, place, &mut self.trace)
    }

    fn step(&mut self, edge: EdgeId) {
        let program = self.program;
        match program.edges[edge].op {
            Op::Assign(place, value) => {
                let to = self.address(place);
                self.assign(&to, value);
            }
            Op::Havoc(place, _) => {
                let to = self.address(place);
                let size = program.types.size_of(program.places[place].ty).unwrap_or(1);
                self.memory.store(&to, size, &Targets::anything());
            }
            Op::Alloca(var, _) => {
                let object = Targets::one(Object::Allocation(edge), Offsets::ZERO);
                self.memory.write(
                    Slot::Object(Object::Var(var)),
                    Offsets::ZERO,
                    program.model().pointer_bytes(),
                    &object,
                );
            }
            Op::Return(Some(value)) => {
                let function = program.locations[program.edges[edge].from].function;
                self.assign_slot(Slot::Result(function), value);
            }
            Op::Call { dest, callee, args } => self.call(edge, dest, callee, program.call_args(args)),
            Op::Skip
            | Op::Declare(_)
            | Op::Kill(_)
            | Op::Assume { .. }
            | Op::Assert { .. }
            | Op::Return(None)
            | Op::Halt(_)
            | Op::Poison(_) => {}
        }
    }

    /// Stores a value, which may be a record.
    fn assign(&mut self, to: &Targets, value: ExprId) {
        let ty = self.program.exprs[value].ty;
        let size = self.program.types.size_of(ty).unwrap_or(1);
        if self.program.types.is_scalar(ty) {
            let targets = self.value(value);
            self.memory.store(to, size, &targets);
        } else if let ExprKind::Read(place) = self.program.exprs[value].kind {
            let from = self.address(place);
            let cells = self.memory.range(self.program, &from, size, &mut self.trace);
            self.memory.store_range(to, &cells);
        }
    }

    fn assign_slot(&mut self, slot: Slot, value: ExprId) {
        let ty = self.program.exprs[value].ty;
        let size = self.program.types.size_of(ty).unwrap_or(1);
        if self.program.types.is_scalar(ty) {
            let targets = self.value(value);
            self.memory.write(slot, Offsets::ZERO, size, &targets);
        } else if let ExprKind::Read(place) = self.program.exprs[value].kind {
            let from = self.address(place);
            for (offsets, extent, targets) in self.memory.range(self.program, &from, size, &mut self.trace) {
                self.memory.write(slot, offsets, extent, &targets);
            }
        }
    }

    fn call(&mut self, edge: EdgeId, dest: Option<PlaceId>, callee: Callee, args: &[ExprId]) {
        let program = self.program;
        let called = called(program, &self.memory, callee, &mut self.trace);
        let to = dest.map(|place| (self.address(place), program.types.size_of(program.places[place].ty).unwrap_or(1)));
        for function in called.functions {
            match program.functions[function].body {
                Body::Defined(_) => {
                    self.reach(function);
                    for (param, arg) in program.functions[function].params.iter().zip(args) {
                        self.assign_slot(Slot::Object(Object::Var(*param)), *arg);
                    }
                    if let Some((to, size)) = &to {
                        let cells = self.memory.slot_range(Slot::Result(function), *size, &mut self.trace);
                        self.memory.store_range(to, &cells);
                    }
                }
                Body::Library(meaning) => {
                    let result = self.library(edge, meaning, args);
                    if let Some((to, size)) = &to {
                        self.memory.store(to, *size, &result);
                    }
                }
                // The result is an input.
                Body::Undefined => {
                    if let Some((to, size)) = &to {
                        self.memory.store(to, *size, &Targets::anything());
                    }
                }
            }
        }
    }
}

/// The places that computing an expression or the address of a place reads, without those that only have their address taken.
pub fn reads(program: &Program, node: Node, mut visit: impl FnMut(PlaceId)) {
    let mut pending = vec![node];
    let mut seen = FxHashSet::default();
    while let Some(node) = pending.pop() {
        if !seen.insert(node) {
            continue;
        }
        if let Node::Expr(expr) = node
            && let ExprKind::Read(place) = program.exprs[expr].kind
        {
            visit(place);
        }
        pending.extend(walk::children(program, node).into_iter().flatten());
    }
}

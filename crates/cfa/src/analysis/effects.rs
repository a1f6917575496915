//! What may be read, written, freed and allocated: by an edge, by a loop, by a function with all that it calls.
//!
//! Memory is seen as [`points_to`](super::points_to) sees it: parts of objects, and [`Region::anywhere`] for what may be any memory. An edge's
//! effects include those of the functions that it calls. The variables of a called function that live in registers are not listed: the
//! caller's activation has its own. What a function changes of its variables in memory is, since a pointer may lead to an older activation.
//!
//! The beginning and the end of a variable's lifetime count as writing it.

use super::library::{Arguments, memory_use};
use super::offsets::{Offsets, TO_THE_END};
use super::points_to::{Object, PointsTo, Target, Targets, in_memory, reads};
use crate::loops::Loop;
use crate::walk;
use crate::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Parts of objects.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Region {
    /// Also any memory whatsoever.
    pub anywhere: bool,
    parts: BTreeMap<Object, Vec<Part>>,
}

/// Some bytes at each of a set of offsets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Part {
    pub offsets: Offsets,
    pub extent: u64,
}

impl Part {
    pub const WHOLE: Part = Part { offsets: Offsets::ZERO, extent: TO_THE_END };

    fn includes(self, other: Part) -> bool {
        self == Part::WHOLE || (self.offsets.includes(other.offsets) && self.extent >= other.extent)
    }
}

/// Parts of one object in a region; with more, it is the whole object.
const MAX_PARTS: usize = 16;

impl Region {
    pub fn is_empty(&self) -> bool {
        !self.anywhere && self.parts.is_empty()
    }

    /// The objects that parts are known of, with the parts; ascending.
    pub fn objects(&self) -> impl Iterator<Item = (Object, &[Part])> {
        self.parts.iter().map(|(object, parts)| (*object, parts.as_slice()))
    }

    /// The variables that it may hold a part of.
    pub fn variables(&self) -> impl Iterator<Item = VarId> {
        self.parts.keys().filter_map(|object| match object {
            Object::Var(var) => Some(*var),
            _ => None,
        })
    }

    /// Whether it may hold some of the bytes of an object.
    pub fn touches(&self, program: &Program, object: Object, part: Part) -> bool {
        let overlap = |own: &Part| own.offsets.overlaps(own.extent, part.offsets, part.extent);
        (self.anywhere && in_memory(program, object))
            || self.parts.get(&object).is_some_and(|parts| parts.iter().any(overlap))
    }

    pub fn touches_variable(&self, program: &Program, var: VarId) -> bool {
        self.touches(program, Object::Var(var), Part::WHOLE)
    }

    /// Whether two regions may have memory in common.
    pub fn meets(&self, program: &Program, other: &Region) -> bool {
        let within = |some: &Region, all: &Region| {
            some.objects().any(|(object, parts)| parts.iter().any(|part| all.touches(program, object, *part)))
        };
        (self.anywhere && other.anywhere) || within(self, other) || within(other, self)
    }

    /// Whether something is new.
    pub fn insert(&mut self, object: Object, part: Part) -> bool {
        let parts = self.parts.entry(object).or_default();
        if parts.iter().any(|own| own.includes(part)) {
            return false;
        }
        parts.retain(|own| !part.includes(*own));
        parts.push(part);
        parts.sort_unstable();
        if parts.len() > MAX_PARTS {
            *parts = vec![Part::WHOLE];
        }
        true
    }

    fn insert_targets(&mut self, targets: &Targets, extent: u64) {
        self.anywhere |= targets.anything;
        for target in &targets.known {
            if !matches!(target.object, Object::Function(_)) {
                self.insert(target.object, Part { offsets: target.offsets, extent });
            }
        }
    }

    /// Whether something is new.
    pub fn add(&mut self, other: &Region) -> bool {
        let mut changed = other.anywhere && !self.anywhere;
        self.anywhere |= other.anywhere;
        for (object, parts) in &other.parts {
            for part in parts {
                changed |= self.insert(*object, *part);
            }
        }
        changed
    }

    fn without(&self, mut unwanted: impl FnMut(Object) -> bool) -> Region {
        let kept = self.parts.iter().filter(|(object, _)| !unwanted(**object));
        Region { anywhere: self.anywhere, parts: kept.map(|(object, parts)| (*object, parts.clone())).collect() }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Effects {
    pub reads: Region,
    pub writes: Region,
    /// Objects that may be freed.
    pub frees: Region,
    /// Allocation sites that may make an object.
    pub allocates: Region,
    /// It may write what cannot be named: see [`library::LibFn::MayWrite`].
    pub unknown: bool,
}

impl Effects {
    /// Whether something is new.
    fn add(&mut self, other: &Effects) -> bool {
        let unknown = other.unknown && !self.unknown;
        self.unknown |= other.unknown;
        self.reads.add(&other.reads)
            | self.writes.add(&other.writes)
            | self.frees.add(&other.frees)
            | self.allocates.add(&other.allocates)
            | unknown
    }
}

/// Effects of a whole program.
pub struct EffectAnalysis<'a, 'p> {
    points_to: &'a PointsTo<'p>,
    /// Of functions with a body that runs may reach, with all that they call; without their own variables in registers.
    functions: FxHashMap<FuncId, Effects>,
    /// Functions that some call may call.
    called: FxHashSet<FuncId>,
}

impl<'a, 'p> EffectAnalysis<'a, 'p> {
    pub fn new(points_to: &'a PointsTo<'p>) -> Self {
        let program = points_to.program();
        let mut analysis = EffectAnalysis { points_to, functions: FxHashMap::default(), called: FxHashSet::default() };
        let mut calls: Vec<(FuncId, Vec<FuncId>)> = Vec::new();
        for function in points_to.reached() {
            let Some(automaton) = program.automaton(*function) else { continue };
            let mut own = Effects::default();
            let mut called = Vec::new();
            for edge in automaton.edges.clone().map(EdgeId) {
                own.add(&analysis.own(edge));
                called.extend(points_to.called(edge).functions);
            }
            called.sort_unstable();
            called.dedup();
            analysis.called.extend(&called);
            calls.push((*function, called));
            let private = |object: Object| match object {
                Object::Var(var) => program.vars[var].kind.function() == Some(*function) && !in_memory(program, object),
                _ => false,
            };
            own.reads = own.reads.without(private);
            own.writes = own.writes.without(private);
            analysis.functions.insert(*function, own);
        }
        let mut changed = true;
        while changed {
            changed = false;
            // Callees were mostly found after their callers.
            for (function, called) in calls.iter().rev() {
                let Some(mut effects) = analysis.functions.remove(function) else { continue };
                for callee in called {
                    if let Some(other) = analysis.functions.get(callee) {
                        changed |= effects.add(other);
                    }
                }
                analysis.functions.insert(*function, effects);
            }
        }
        analysis
    }

    /// What a function and all that it calls may do; `None` if runs do not reach it or it has no body.
    pub fn function(&self, function: FuncId) -> Option<&Effects> {
        self.functions.get(&function)
    }

    pub fn points_to(&self) -> &'a PointsTo<'p> {
        self.points_to
    }

    /// Whether some call may call a function.
    pub fn is_called(&self, function: FuncId) -> bool {
        self.called.contains(&function)
    }

    /// What an edge may do, called functions included.
    pub fn edge(&self, edge: EdgeId) -> Effects {
        let mut effects = self.own(edge);
        for function in self.points_to.called(edge).functions {
            if let Some(called) = self.functions.get(&function) {
                effects.add(called);
            }
        }
        effects
    }

    /// What the rounds of a loop may do: all edges that stay in it.
    pub fn of_loop(&self, body: &Loop) -> Effects {
        let program = self.points_to.program();
        let mut effects = Effects::default();
        for edge in body.body.iter().flat_map(|location| program.successors(*location)) {
            if body.body.binary_search(&program.edges[edge].to).is_ok() {
                effects.add(&self.edge(edge));
            }
        }
        effects
    }

    /// What an edge does itself, without functions with a body that it calls (but with passing them arguments).
    fn own(&self, edge: EdgeId) -> Effects {
        let program = self.points_to.program();
        let mut effects = Effects::default();
        let op = &program.edges[edge].op;
        walk::parts(program, op, |part| {
            reads(program, part, |place| self.access(place, &mut effects.reads));
        });
        match *op {
            Op::Assign(place, _) | Op::Havoc(place, _) => self.access(place, &mut effects.writes),
            Op::Declare(var) => drop(effects.writes.insert(Object::Var(var), Part::WHOLE)),
            Op::Kill(var) => {
                // The storage of a variable-length array ends with its variable.
                if matches!(program.vars[var].kind, VarKind::Vla(_) | VarKind::Temp(_)) {
                    let own = Target { object: Object::Var(var), offsets: Offsets::ZERO };
                    let storage = self.points_to.behind(&Targets { anything: false, known: vec![own] });
                    let is_storage = |target: &Target| match target.object {
                        Object::Allocation(edge) => matches!(program.edges[edge].op, Op::Alloca(..)),
                        _ => false,
                    };
                    let known = storage.known.into_iter().filter(is_storage).collect();
                    effects.writes.insert_targets(&from_here(&Targets { anything: false, known }), TO_THE_END);
                }
                effects.writes.insert(Object::Var(var), Part::WHOLE);
            }
            Op::Alloca(var, _) => {
                effects.writes.insert(Object::Var(var), Part::WHOLE);
                effects.writes.insert(Object::Allocation(edge), Part::WHOLE);
                effects.allocates.insert(Object::Allocation(edge), Part::WHOLE);
            }
            Op::Call { dest, args, .. } => {
                dest.into_iter().for_each(|place| self.access(place, &mut effects.writes));
                for function in self.points_to.called(edge).functions {
                    match program.functions[function].body {
                        Body::Library(meaning) => self.library(edge, meaning, program.call_args(args), &mut effects),
                        Body::Defined(_) => {
                            let params = program.functions[function].params.iter().map(|param| Object::Var(*param));
                            for param in params.filter(|param| in_memory(program, *param)) {
                                effects.writes.insert(param, Part::WHOLE);
                            }
                        }
                        Body::Undefined => {}
                    }
                }
            }
            Op::Skip | Op::Assume { .. } | Op::Assert { .. } | Op::Return(_) | Op::Halt(_) | Op::Poison(_) => {}
        }
        effects
    }

    fn access(&self, place: PlaceId, region: &mut Region) {
        let program = self.points_to.program();
        let extent = super::points_to::access_size(program, place);
        region.insert_targets(&self.points_to.place(place), extent);
    }

    fn library(&self, edge: EdgeId, function: library::LibFn, args: &[ExprId], effects: &mut Effects) {
        let program = self.points_to.program();
        let uses = memory_use(function);
        let behind = |index: usize| match args.get(index) {
            Some(arg) if program.types.is_scalar(program.exprs[*arg].ty) => self.points_to.targets(*arg),
            _ => Targets::default(),
        };
        for (used, region) in [(uses.reads, &mut effects.reads), (uses.writes, &mut effects.writes)] {
            for index in used.among(args.len()) {
                // Numbers among the arguments of `printf` lead to no memory.
                let number = !program.types.is_pointer(program.exprs[args[index]].ty);
                if !(number && matches!(used, Arguments::From(_))) {
                    region.insert_targets(&from_here(&behind(index)), TO_THE_END);
                }
            }
        }
        if let Some(freed) = uses.frees {
            effects.frees.insert_targets(&from_here(&behind(freed)), TO_THE_END);
            effects.writes.insert_targets(&from_here(&behind(freed)), TO_THE_END);
        }
        if uses.allocates {
            effects.allocates.insert(Object::Allocation(edge), Part::WHOLE);
            effects.writes.insert(Object::Allocation(edge), Part::WHOLE);
        }
        effects.unknown |= uses.unknown;
    }
}

/// A library function that gets a pointer goes from there to the end of the object at most; an offset that is not known may be any.
fn from_here(targets: &Targets) -> Targets {
    let mut result = targets.clone();
    for target in &mut result.known {
        if target.offsets.stride != 0 {
            target.offsets = Offsets::ZERO;
        }
    }
    result
}

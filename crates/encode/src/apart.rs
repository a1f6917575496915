//! Which states stay apart where paths meet. Merging makes one value of two by a condition; where that value is then used as an index or as a pointer, every
//! later access has to consider all elements. A parser that has read one or two characters is cheaper to follow twice, each time at a known position.
//!
//! So states are not merged while a variable that indices or pointers are computed from has different constants in them. Only what is cheaper is
//! decided here: merged or not, the states stand for the same runs.

use crate::encoder::{Encoder, ObjectKey};
use crate::exec::{Activation, Run};
use crate::memory::{Cell, Contents, Object};
use crate::state::State;
use crate::value::SymbolicValue;
use cfa::analysis::PointsTo;
use cfa::analysis::effects::EffectAnalysis;
use cfa::analysis::liveness::Liveness;
use cfa::walk::{self, Node};
use cfa::{
    Body, Callee, ExprId, ExprKind, FuncId, LocId, Op, PlaceId, PlaceKind, Program, RecordId, Task, Type, TypeId, VarId,
};
use logic::TermPool;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// More states than this are merged at a location, from then on.
const MOST_STATES: usize = 256;
/// A location is executed so often for states that could have been merged; then they are.
const MOST_EXECUTIONS: u32 = 20_000;
/// Larger arrays are not compared, …
const MOST_ELEMENTS: usize = 16;
/// … and larger structures are not.
const MOST_LANES: usize = 64;

/// What indices and pointers are computed from.
pub(crate) struct Positions {
    vars: FxHashSet<VarId>,
    /// Members of structures, by their offset.
    members: FxHashSet<(RecordId, u64)>,
    /// The offsets of these members.
    offsets: FxHashSet<u64>,
    /// Functions that return such values.
    results: FxHashSet<FuncId>,
    /// Which variables are still read, by function: a value that is not keeps nothing apart.
    live: FxHashMap<FuncId, Liveness>,
}

impl Positions {
    pub fn of(task: Task<'_>) -> Positions {
        let program = task.program;
        let points_to = PointsTo::of(program, task.entry);
        let effects = EffectAnalysis::new(&points_to);
        let live = |id: FuncId| Some((id, Liveness::of(&effects, id, task.entry)?));
        let mut found = Positions {
            vars: FxHashSet::default(),
            members: FxHashSet::default(),
            offsets: FxHashSet::default(),
            results: FxHashSet::default(),
            live: points_to.reached().iter().filter_map(|function| live(*function)).collect(),
        };
        for edge in program.edges.values() {
            let mut pending = Vec::new();
            walk::parts(program, &edge.op, |node| pending.push(node));
            while let Some(node) = pending.pop() {
                if let Node::Place(place) = node {
                    match program.places[place].kind {
                        PlaceKind::Deref(pointer) => found.mark_value(program, pointer),
                        PlaceKind::Index(_, index) => found.mark_value(program, index),
                        PlaceKind::Var(_) | PlaceKind::Field(..) => {}
                    }
                }
                pending.extend(walk::children(program, node).into_iter().flatten());
            }
        }
        // What flows into them counts too.
        let mut size = 0;
        while size != found.size() {
            size = found.size();
            for (_, edge) in program.edges.iter() {
                found.flow(program, &edge.op, program.locations[edge.from].function);
            }
        }
        found
    }

    fn size(&self) -> usize {
        self.vars.len() + self.members.len() + self.results.len()
    }

    fn flow(&mut self, program: &Program, op: &Op, function: FuncId) {
        match *op {
            Op::Assign(place, value) if self.is_marked(program, place) => self.mark_value(program, value),
            Op::Return(Some(value)) if self.results.contains(&function) => self.mark_value(program, value),
            Op::Call { dest, callee: Callee::Direct(callee), args } => {
                if dest.is_some_and(|dest| self.is_marked(program, dest)) {
                    self.results.insert(callee);
                }
                if matches!(program.functions[callee].body, Body::Defined(_)) {
                    for (param, arg) in program.functions[callee].params.iter().zip(program.call_args(args)) {
                        if self.vars.contains(param) {
                            self.mark_value(program, *arg);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// What a value is computed from, by arithmetic.
    fn mark_value(&mut self, program: &Program, value: ExprId) {
        let mut pending = vec![value];
        while let Some(expr) = pending.pop() {
            match program.exprs[expr].kind {
                ExprKind::Read(place) => self.mark(program, place),
                ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => pending.push(operand),
                ExprKind::Binary(op, left, right) if !op.is_comparison() => pending.extend([left, right]),
                ExprKind::PtrAdd(left, right) | ExprKind::PtrSub(left, right) | ExprKind::PtrDiff(left, right) => {
                    pending.extend([left, right]);
                }
                ExprKind::Binary(..) | ExprKind::Const(_) | ExprKind::AddrOf(_) | ExprKind::FuncAddr(_) => {}
            }
        }
    }

    fn mark(&mut self, program: &Program, place: PlaceId) {
        if let Some(var) = variable(program, place) {
            self.vars.insert(var);
        } else if let Some(member) = member(program, place) {
            self.members.insert(member);
            self.offsets.insert(member.1);
        }
    }

    fn is_marked(&self, program: &Program, place: PlaceId) -> bool {
        variable(program, place).is_some_and(|var| self.vars.contains(&var))
            || member(program, place).is_some_and(|member| self.members.contains(&member))
    }
}

fn variable(program: &Program, place: PlaceId) -> Option<VarId> {
    match program.places[place].kind {
        PlaceKind::Var(var) => Some(var),
        _ => None,
    }
}

fn member(program: &Program, place: PlaceId) -> Option<(RecordId, u64)> {
    let PlaceKind::Field(base, number) = program.places[place].kind else { return None };
    let Type::Record(record) = *program.types.get(program.places[base].ty) else { return None };
    let field = program.types.records[record].fields.get(number as usize)?;
    Some((record, field.offset))
}

/// The structure that a type is, or an array of.
fn element_record(program: &Program, mut ty: TypeId) -> Option<RecordId> {
    loop {
        match *program.types.get(ty) {
            Type::Array(element, _) => ty = element,
            Type::Record(record) => return Some(record),
            _ => return None,
        }
    }
}

/// What was decided about single locations.
#[derive(Default)]
pub(crate) struct Meetings {
    /// Where states are merged in any case.
    merged: FxHashSet<LocId>,
    executed: FxHashMap<LocId, u32>,
}

impl Run<'_, '_> {
    /// Adds a state to those that wait at a location.
    pub fn join(&mut self, location: LocId, waiting: &mut Vec<State>, state: State) {
        let Some(positions) = self.positions.clone().filter(|_| !self.meetings.merged.contains(&location)) else {
            let merged = waiting.drain(..).fold(state, |state, other| self.merge(other, &state));
            waiting.push(merged);
            return;
        };
        let Some(activation) = self.stack.last() else { return };
        let (encoder, at) = (&*self.encoder, (activation, location));
        let is_near = |other: &State| !positions.differ(encoder, at, other, &state);
        match waiting.iter().position(is_near) {
            Some(at) => {
                let other = waiting.swap_remove(at);
                let merged = self.merge(other, &state);
                waiting.push(merged);
            }
            None => waiting.push(state),
        }
        if waiting.len() > MOST_STATES {
            self.meetings.merged.insert(location);
            let last = waiting.pop().expect("more than one");
            self.join(location, waiting, last);
        }
    }

    /// One of several states is executed at a location.
    pub fn count_apart(&mut self, location: LocId) {
        let executed = self.meetings.executed.entry(location).or_default();
        *executed += 1;
        if *executed > MOST_EXECUTIONS {
            self.meetings.merged.insert(location);
        }
    }
}

impl Positions {
    /// Whether something that positions are computed from has different constants in two states of a function.
    fn differ(&self, encoder: &Encoder<'_>, at: (&Activation, LocId), a: &State, b: &State) -> bool {
        let pool = &encoder.pool;
        let (activation, location) = at;
        let live = self.live.get(&activation.function);
        let is_live = |var: VarId| live.is_none_or(|live| live.is_live(location, var));
        for (slot, pair) in a.registers.iter().zip(&b.registers).enumerate() {
            let var = VarId(activation.first_var + slot as u32);
            if let (Some(x), Some(y)) = pair
                && self.vars.contains(&var)
                && are_different_constants(pool, *x, *y)
                && is_live(var)
            {
                return true;
            }
        }
        if self.results.contains(&activation.function)
            && let (Some(x), Some(y)) = (&a.result, &b.result)
            && x.iter().zip(y).any(|(x, y)| are_different_constants(pool, *x, *y))
        {
            return true;
        }
        a.memory.differences(&b.memory).any(|(id, x, y)| {
            if are_different_allocations(pool, x, y) {
                return true;
            }
            let var = match encoder.object_keys[id as usize] {
                ObjectKey::Global(var) if !is_live(var) => return false,
                ObjectKey::Local(context, var, _) if context == activation.context && !is_live(var) => return false,
                ObjectKey::Global(var) | ObjectKey::Local(_, var, _) => Some(var),
                _ => None,
            };
            match var {
                Some(var) if self.vars.contains(&var) => objects_differ(pool, |_| true, x, y),
                Some(var) => {
                    let program = encoder.task.program;
                    let Some(record) = element_record(program, program.vars[var].ty) else { return false };
                    objects_differ(pool, |offset| self.members.contains(&(record, offset)), x, y)
                }
                // Of an allocation it is not known which structure it is.
                None => objects_differ(pool, |offset| self.offsets.contains(&offset), x, y),
            }
        })
    }
}

/// Whether merging would lose what an allocation holds: the states allocated it in different ways, and it is alive.
fn are_different_allocations(pool: &TermPool, a: &Object, b: &Object) -> bool {
    let is_dead = |object: &Object| pool.as_bool(object.alive) == Some(false);
    if is_dead(a) || is_dead(b) {
        return false;
    }
    match (&a.contents, &b.contents) {
        (Contents::Untyped { name, .. }, Contents::Untyped { name: other, .. }) => name != other,
        (Contents::Typed { layout, .. }, Contents::Typed { layout: other, .. }) => {
            !Rc::ptr_eq(layout, other) && layout != other
        }
        _ => false,
    }
}

/// Whether a position in an object has different constants in two states.
fn objects_differ(pool: &TermPool, is_position: impl Fn(u64) -> bool, a: &Object, b: &Object) -> bool {
    let (Contents::Typed { layout, cells }, Contents::Typed { layout: other, cells: others }) =
        (&a.contents, &b.contents)
    else {
        return false;
    };
    if layout.lanes.len() > MOST_LANES || !Rc::ptr_eq(layout, other) && layout != other {
        return false;
    }
    layout.lanes.iter().zip(cells.iter().zip(others)).any(|(lane, (x, y))| {
        is_position(lane.offset)
            && match (x, y) {
                (Cell::One(x), Cell::One(y)) => are_different_constants(pool, *x, *y),
                (Cell::Few(x), Cell::Few(y)) if x.len() <= MOST_ELEMENTS => {
                    x.iter().zip(&**y).any(|(x, y)| are_different_constants(pool, *x, *y))
                }
                _ => false,
            }
    })
}

fn are_different_constants(pool: &TermPool, a: SymbolicValue, b: SymbolicValue) -> bool {
    let differ = |x, y| x != y && pool.is_const(x) && pool.is_const(y);
    match (a, b) {
        (SymbolicValue::Bits(x), SymbolicValue::Bits(y)) => differ(x, y),
        (SymbolicValue::Pointer { object: a, offset: x }, SymbolicValue::Pointer { object: b, offset: y }) => {
            let known = [a, b, x, y].into_iter().all(|term| pool.is_const(term));
            known && (a, x) != (b, y)
        }
        _ => false,
    }
}

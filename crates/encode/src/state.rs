//! A symbolic state: a path condition, the values of the registers of the running function, and memory. Cloning is cheap, merging costs what
//! differs.

use crate::bytes::KnownBytes;
use crate::guard::Guard;
use crate::layout::Layout;
use crate::memory::{Cell, Contents, Object, fresh_cells};
use crate::rounds::Tests;
use crate::value::SymbolicValue;
use crate::watch::Marks;
use logic::{TermId, TermPool};
use std::rc::Rc;

#[derive(Clone)]
pub struct State {
    pub guard: Guard,
    /// Scalars of the function that live in registers, by their number in the function.
    pub registers: Vec<Option<SymbolicValue>>,
    /// The object of each variable that lives in memory, as a term: paths that declared it in different rounds of a loop can meet.
    /// `None`: the variable lives in a register, or its lifetime has not begun.
    pub locals: Rc<Vec<Option<TermId>>>,
    pub memory: Memory,
    /// The functions that wait for this one, the last caller first.
    pub callers: Option<Rc<Frame>>,
    /// What the function returns, once it does: a scalar, or the leaves of a record.
    pub result: Option<Vec<SymbolicValue>>,
    /// What a monitor knows.
    pub marks: Rc<Marks>,
    /// What single bytes can be.
    pub bytes: Rc<KnownBytes>,
    /// What numbers can be on the path.
    pub ranges: Rc<crate::ranges::KnownRanges>,
    /// The tests of loops that were decided without the solver.
    pub tests: Rc<Tests>,
}

/// The variables of a function that waits for a call to return.
#[derive(Clone)]
pub struct Frame {
    pub registers: Vec<Option<SymbolicValue>>,
    pub locals: Rc<Vec<Option<TermId>>>,
    pub tests: Rc<Tests>,
    pub below: Option<Rc<Frame>>,
}

const CHUNK: usize = 16;

/// An allocation that one of two merged paths had not looked into, and took the shape that it has on the other.
pub struct Shaped {
    pub name: Rc<str>,
    pub layout: Rc<Layout>,
    pub cells: Vec<Cell>,
    /// That the path was taken on which it was untouched, and that it is alive there.
    pub cond: TermId,
}

/// What merging needs: terms, the condition that holds on the first path, and a place to note fresh variables of uninitialized memory.
struct Merge<'m> {
    pool: &'m mut TermPool,
    tell: TermId,
    /// Of the object that is merged, when it is alive on the two paths.
    alive: (TermId, TermId),
    shaped: Vec<Shaped>,
}

/// Objects by number, in shared chunks.
#[derive(Clone, Default)]
pub struct Memory {
    chunks: Vec<Rc<Vec<Option<Rc<Object>>>>>,
}

impl Memory {
    pub fn get(&self, id: u32) -> Option<&Rc<Object>> {
        self.chunks.get(id as usize / CHUNK)?.get(id as usize % CHUNK)?.as_ref()
    }

    pub fn set(&mut self, id: u32, object: Rc<Object>) {
        let chunk = id as usize / CHUNK;
        while self.chunks.len() <= chunk {
            self.chunks.push(Rc::new(vec![None; CHUNK]));
        }
        Rc::make_mut(&mut self.chunks[chunk])[id as usize % CHUNK] = Some(object);
    }

    pub fn get_mut(&mut self, id: u32) -> Option<&mut Object> {
        let chunk = self.chunks.get_mut(id as usize / CHUNK)?;
        Rc::make_mut(chunk)[id as usize % CHUNK].as_mut().map(Rc::make_mut)
    }

    pub fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.chunks.iter().enumerate().flat_map(|(chunk, objects)| {
            let present = objects.iter().enumerate().filter(|(_, object)| object.is_some());
            present.map(move |(index, _)| (chunk * CHUNK + index) as u32)
        })
    }

    /// The objects that both have, and that are not the same in both.
    pub fn differences<'m>(&'m self, other: &'m Memory) -> impl Iterator<Item = (u32, &'m Object, &'m Object)> {
        let chunks = self.chunks.iter().zip(&other.chunks).enumerate();
        chunks.filter(|(_, (mine, other))| !Rc::ptr_eq(mine, other)).flat_map(|(number, (mine, other))| {
            mine.iter().zip(other.iter()).enumerate().filter_map(move |(index, pair)| match pair {
                (Some(a), Some(b)) if !Rc::ptr_eq(a, b) => Some(((number * CHUNK + index) as u32, &**a, &**b)),
                _ => None,
            })
        })
    }

    fn merge(merge: &mut Merge<'_>, mut first: Memory, second: &Memory) -> Memory {
        let length = first.chunks.len().max(second.chunks.len());
        let empty = Rc::new(vec![None; CHUNK]);
        first.chunks.resize(length, empty.clone());
        let others = second.chunks.iter().chain(std::iter::repeat(&empty));
        for (mine, other) in first.chunks.iter_mut().zip(others) {
            if Rc::ptr_eq(mine, other) {
                continue;
            }
            for (mine, other) in Rc::make_mut(mine).iter_mut().zip(other.iter()) {
                match (&mine, other) {
                    (None, None) => {}
                    // What only one path allocated lives only on that path.
                    (Some(a), None) => *mine = Some(alive_if(merge.pool, merge.tell, a)),
                    (None, Some(b)) => {
                        let not = merge.pool.not(merge.tell);
                        *mine = Some(alive_if(merge.pool, not, b));
                    }
                    (Some(a), Some(b)) if Rc::ptr_eq(a, b) || a == b => {}
                    (Some(a), Some(b)) => *mine = Some(Rc::new(merge.objects(a, b))),
                }
            }
        }
        first
    }
}

fn alive_if(pool: &mut TermPool, cond: TermId, object: &Rc<Object>) -> Rc<Object> {
    if !object.heap {
        return object.clone();
    }
    let mut object = Object::clone(object);
    object.alive = pool.and(cond, object.alive);
    Rc::new(object)
}

impl Merge<'_> {
    fn objects(&mut self, a: &Object, b: &Object) -> Object {
        self.alive = (a.alive, b.alive);
        Object {
            size: self.pool.ite(self.tell, a.size, b.size),
            alive: self.pool.ite(self.tell, a.alive, b.alive),
            writes: a.writes.and(&b.writes),
            heap: a.heap,
            contents: self.contents(&a.contents, &b.contents),
        }
    }

    fn contents(&mut self, a: &Contents, b: &Contents) -> Contents {
        match (a, b) {
            _ if a == b => a.clone(),
            (Contents::Typed { layout, cells }, Contents::Typed { layout: other, cells: more })
                if Rc::ptr_eq(layout, other) || layout == other =>
            {
                let pairs = cells.iter().zip(more);
                let merged: Option<Vec<Cell>> = pairs.map(|(a, b)| Cell::ite(self.pool, self.tell, a, b)).collect();
                match merged {
                    Some(cells) => Contents::Typed { layout: layout.clone(), cells },
                    None => Contents::Opaque,
                }
            }
            (Contents::Untyped { zero, name }, Contents::Typed { layout, .. }) => {
                let cond = self.pool.and(self.tell, self.alive.0);
                let shaped = self.shape(layout, *zero, name, cond);
                self.contents(&shaped, b)
            }
            (Contents::Typed { layout, .. }, Contents::Untyped { zero, name }) => {
                let not = self.pool.not(self.tell);
                let cond = self.pool.and(not, self.alive.1);
                let shaped = self.shape(layout, *zero, name, cond);
                self.contents(a, &shaped)
            }
            _ => Contents::Opaque,
        }
    }

    fn shape(&mut self, layout: &Rc<Layout>, zero: bool, name: &Rc<str>, cond: TermId) -> Contents {
        let cells = fresh_cells(self.pool, layout, zero, name);
        if !zero {
            self.shaped.push(Shaped { name: name.clone(), layout: layout.clone(), cells: cells.clone(), cond });
        }
        Contents::Typed { layout: layout.clone(), cells }
    }
}

impl State {
    /// A state without variables and objects.
    pub fn empty(guard: Guard) -> State {
        State {
            guard,
            registers: Vec::new(),
            locals: Rc::default(),
            memory: Memory::default(),
            callers: None,
            result: None,
            marks: Rc::default(),
            bytes: Rc::default(),
            ranges: Rc::default(),
            tests: Rc::default(),
        }
    }

    /// The state in which either of two exclusive paths was taken.
    pub fn merge(pool: &mut TermPool, mut first: State, second: &State) -> (State, Vec<Shaped>) {
        let (guard, tell) = Guard::merge(pool, &first.guard, &second.guard);
        merge_variables(pool, tell, (&mut first.registers, &mut first.locals), (&second.registers, &second.locals));
        let callers = merge_frames(pool, tell, first.callers.take(), &second.callers);
        let result = match (first.result.take(), &second.result) {
            (Some(a), Some(b)) if a.len() == b.len() => Some(
                a.iter()
                    .zip(b)
                    .map(|(a, b)| if a == b { *a } else { SymbolicValue::ite(pool, tell, *a, *b) })
                    .collect(),
            ),
            (Some(a), _) => Some(a),
            (None, b) => b.clone(),
        };
        let marks = crate::watch::merge(pool, tell, &first.marks, &second.marks);
        let always = pool.bool(true);
        let mut merge = Merge { pool, tell, alive: (always, always), shaped: Vec::new() };
        let memory = Memory::merge(&mut merge, first.memory, &second.memory);
        let (registers, locals, tests) = (first.registers, first.locals, first.tests);
        let bytes = crate::bytes::merge(&first.bytes, &second.bytes);
        let ranges = crate::ranges::merge(&first.ranges, &second.ranges);
        (State { guard, registers, locals, memory, callers, result, marks, bytes, ranges, tests }, merge.shaped)
    }
}

type Registers = Vec<Option<SymbolicValue>>;
type Locals = Rc<Vec<Option<TermId>>>;

fn merge_variables(
    pool: &mut TermPool,
    tell: TermId,
    (registers, locals): (&mut Registers, &mut Locals),
    (other_registers, other_locals): (&Registers, &Locals),
) {
    for (mine, other) in registers.iter_mut().zip(other_registers) {
        match (*mine, *other) {
            (None, Some(_)) => *mine = *other,
            (Some(a), Some(b)) if a != b => *mine = Some(SymbolicValue::ite(pool, tell, a, b)),
            _ => {}
        }
    }
    if !Rc::ptr_eq(locals, other_locals) {
        for (mine, other) in Rc::make_mut(locals).iter_mut().zip(other_locals.iter()) {
            *mine = match (*mine, *other) {
                (Some(a), Some(b)) => Some(pool.ite(tell, a, b)),
                // A variable that only one path declared is out of scope on the other, or about to be declared again.
                (a, b) => a.or(b),
            };
        }
    }
}

/// Two paths of one function have the same callers, whose variables differ only where a path begins in an arbitrary state.
fn merge_frames(
    pool: &mut TermPool,
    tell: TermId,
    first: Option<Rc<Frame>>,
    second: &Option<Rc<Frame>>,
) -> Option<Rc<Frame>> {
    let (mine, other) = (first?, second.as_ref()?);
    if Rc::ptr_eq(&mine, other) {
        return Some(mine);
    }
    let mut frame = Frame::clone(&mine);
    merge_variables(pool, tell, (&mut frame.registers, &mut frame.locals), (&other.registers, &other.locals));
    frame.below = merge_frames(pool, tell, frame.below.take(), &other.below);
    Some(Rc::new(frame))
}

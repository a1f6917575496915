//! A symbolic state: a path condition, the values of the registers of the function at hand, and memory. Cloning is cheap, merging costs what
//! differs.

use crate::guard::Guard;
use crate::memory::{Cell, Contents, Object, fresh_cells};
use crate::value::Value;
use logic::TermPool;
use std::rc::Rc;

#[derive(Clone)]
pub struct State {
    pub guard: Guard,
    /// Scalars of the function that live in registers, by their number in the function.
    pub registers: Vec<Option<Value>>,
    /// The object of each variable that lives in memory.
    pub locals: Rc<Vec<u32>>,
    pub memory: Memory,
    /// What the function returns, once it does: a scalar, or the leaves of a record.
    pub result: Option<Vec<Value>>,
}

/// No object: the variable lives in a register, or its lifetime has not begun.
pub const NO_OBJECT: u32 = 0;

const CHUNK: usize = 16;

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

    fn merge(pool: &mut TermPool, tell: logic::TermId, mut first: Memory, second: &Memory) -> Memory {
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
                    (Some(a), None) => *mine = Some(alive_if(pool, tell, a)),
                    (None, Some(b)) => {
                        let not = pool.not(tell);
                        *mine = Some(alive_if(pool, not, b));
                    }
                    (Some(a), Some(b)) if Rc::ptr_eq(a, b) || a == b => {}
                    (Some(a), Some(b)) => *mine = Some(Rc::new(merge_objects(pool, tell, a, b))),
                }
            }
        }
        first
    }
}

fn alive_if(pool: &mut TermPool, cond: logic::TermId, object: &Rc<Object>) -> Rc<Object> {
    if !object.heap {
        return object.clone();
    }
    let mut object = Object::clone(object);
    object.alive = pool.and(cond, object.alive);
    Rc::new(object)
}

fn merge_objects(pool: &mut TermPool, tell: logic::TermId, a: &Object, b: &Object) -> Object {
    Object {
        size: pool.ite(tell, a.size, b.size),
        alive: pool.ite(tell, a.alive, b.alive),
        writable: a.writable,
        heap: a.heap,
        contents: merge_contents(pool, tell, &a.contents, &b.contents),
    }
}

fn merge_contents(pool: &mut TermPool, tell: logic::TermId, a: &Contents, b: &Contents) -> Contents {
    match (a, b) {
        _ if a == b => a.clone(),
        (Contents::Typed { layout, cells }, Contents::Typed { layout: other, cells: more })
            if Rc::ptr_eq(layout, other) || layout == other =>
        {
            let merged: Option<Vec<Cell>> = cells.iter().zip(more).map(|(a, b)| Cell::ite(pool, tell, a, b)).collect();
            match merged {
                Some(cells) => Contents::Typed { layout: layout.clone(), cells },
                None => Contents::Opaque,
            }
        }
        (Contents::Untyped { zero, name }, Contents::Typed { layout, .. }) => {
            let cells = fresh_cells(pool, layout, *zero, name);
            merge_contents(pool, tell, &Contents::Typed { layout: layout.clone(), cells }, b)
        }
        (Contents::Typed { layout, .. }, Contents::Untyped { zero, name }) => {
            let cells = fresh_cells(pool, layout, *zero, name);
            merge_contents(pool, tell, a, &Contents::Typed { layout: layout.clone(), cells })
        }
        _ => Contents::Opaque,
    }
}

impl State {
    /// The state in which either of two exclusive paths was taken.
    pub fn merge(pool: &mut TermPool, mut first: State, second: &State) -> State {
        let (guard, tell) = Guard::merge(pool, &first.guard, &second.guard);
        for (mine, other) in first.registers.iter_mut().zip(&second.registers) {
            match (*mine, *other) {
                (None, Some(_)) => *mine = *other,
                (Some(a), Some(b)) if a != b => *mine = Some(Value::ite(pool, tell, a, b)),
                _ => {}
            }
        }
        if !Rc::ptr_eq(&first.locals, &second.locals) {
            let locals = Rc::make_mut(&mut first.locals);
            for (mine, other) in locals.iter_mut().zip(second.locals.iter()) {
                // A variable that only one path declared is out of scope on the other, or about to be declared again.
                if *mine == NO_OBJECT {
                    *mine = *other;
                }
            }
        }
        let result = match (first.result.take(), &second.result) {
            (Some(a), Some(b)) if a.len() == b.len() => {
                Some(a.iter().zip(b).map(|(a, b)| if a == b { *a } else { Value::ite(pool, tell, *a, *b) }).collect())
            }
            (Some(a), _) => Some(a),
            (None, b) => b.clone(),
        };
        let memory = Memory::merge(pool, tell, first.memory, &second.memory);
        State { guard, registers: first.registers, locals: first.locals, memory, result }
    }
}

//! Reads, writes and choices of arrays. A read looks through writes that are known to be at the same or another index.

use super::store_index::LONG_WALK;
use crate::pool::TermPool;
use crate::term::{Sort, TermId, TermOp};
use rustc_hash::FxHashSet;
use std::fmt;

/// Why [`TermPool::array_eq`] refused: the arrays are not writes over one common array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrayEqError {
    pub left_base: TermId,
    pub right_base: TermId,
}

impl fmt::Display for ArrayEqError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "equality of arrays over different bases {} and {}", self.left_base, self.right_base)
    }
}

impl std::error::Error for ArrayEqError {}

/// Where a read ends.
enum Reached {
    TermValue(TermId),
    /// This array may hold the value; nothing more is known about it.
    Array(TermId),
}

/// How far a read at a symbolic index, or the merge of two arrays, looks.
const WALK_LIMIT: usize = 64;

impl TermPool {
    /// The array that holds `value` everywhere.
    pub fn const_array(&mut self, index_width: u32, value: TermId) -> TermId {
        let sort = Sort::Array { index: index_width, element: self.width(value) }.pack();
        self.raw(TermOp::ConstArray, sort, [value, TermId(0), TermId(0)])
    }

    fn element_sort(&self, array: TermId) -> u32 {
        match self.sort(array) {
            Sort::Array { element, .. } => element,
            sort => panic!("{array} is a {sort:?}, not an array"),
        }
    }

    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        if self.op(index) == TermOp::Const {
            return self.select_constant(array, index);
        }
        match self.walk_symbolic(array, index) {
            Reached::TermValue(value) => value,
            Reached::Array(array) => self.raw_select(array, index),
        }
    }

    fn raw_select(&mut self, array: TermId, index: TermId) -> TermId {
        let sort = self.element_sort(array);
        self.raw(TermOp::Select, sort, [array, index, TermId(0)])
    }

    /// Reads through choices as well; each choice is read once for each index.
    fn select_constant(&mut self, array: TermId, index: TermId) -> TermId {
        let first = match self.walk_constant(array, index) {
            Reached::TermValue(value) => return value,
            Reached::Array(array) if self.op(array) != TermOp::Ite => return self.raw_select(array, index),
            Reached::Array(choice) => choice,
        };
        let mut todo = vec![first];
        while let Some(&choice) = todo.last() {
            if self.stores.choices.contains_key(&(choice, index)) {
                todo.pop();
                continue;
            }
            let (c, t, e) = self.ternary(choice, TermOp::Ite).expect("only choices are put off");
            let mut read = |pool: &mut Self, arm: TermId| match pool.walk_constant(arm, index) {
                Reached::TermValue(value) => Some(value),
                Reached::Array(array) if pool.op(array) != TermOp::Ite => Some(pool.raw_select(array, index)),
                Reached::Array(inner) => {
                    let known = pool.stores.choices.get(&(inner, index)).copied();
                    if known.is_none() {
                        todo.push(inner);
                    }
                    known
                }
            };
            let (t, e) = (read(self, t), read(self, e));
            if let (Some(t), Some(e)) = (t, e) {
                let value = self.ite(c, t, e);
                self.stores.choices.insert((choice, index), value);
                todo.pop();
            }
        }
        self.stores.choices[&(first, index)]
    }

    pub(crate) fn constant_store(&self, array: TermId) -> Option<(TermId, TermId, TermId)> {
        self.ternary(array, TermOp::Store).filter(|(_, index, _)| self.op(*index) == TermOp::Const)
    }

    /// Through stores at constant indices and constant arrays.
    fn walk_constant(&mut self, array: TermId, index: TermId) -> Reached {
        let (mut current, mut steps) = (array, 0);
        let mut found = None;
        while let Some((inner, at, value)) = self.constant_store(current) {
            if let Some(map) = self.stores.map(current) {
                found = self.stores.get(map, index);
                current = map.base;
                break;
            }
            if at == index {
                found = Some(value);
                break;
            }
            current = inner;
            steps += 1;
        }
        if steps > LONG_WALK {
            self.leave_map(array);
        }
        if let Some(value) = found {
            return Reached::TermValue(value);
        }
        match self.unary(current, TermOp::ConstArray) {
            Some(value) => Reached::TermValue(value),
            None => Reached::Array(current),
        }
    }

    /// A map at `array` of all writes at constant indices below it, with maps on the way for reads of older versions.
    fn leave_map(&mut self, array: TermId) {
        let mut arrays = Vec::new();
        let mut current = array;
        while let Some((inner, _, _)) = self.constant_store(current) {
            if self.stores.map(current).is_some() {
                break;
            }
            arrays.push(current);
            current = inner;
        }
        let mut below = self.stores.map(current);
        let base = below.map_or(current, |map| map.base);
        for chunk in arrays.rchunks(WALK_LIMIT) {
            let writes = chunk.iter().map(|array| (self.arg(*array, 1), self.arg(*array, 2))).collect::<Vec<_>>();
            self.stores.build(chunk[0], below, base, &writes);
            below = self.stores.map(chunk[0]);
        }
    }

    /// A bounded walk through stores at the same or a known different index.
    fn walk_symbolic(&mut self, array: TermId, index: TermId) -> Reached {
        let mut current = array;
        for _ in 0..WALK_LIMIT {
            let Some((inner, at, value)) = self.ternary(current, TermOp::Store) else { break };
            if at == index {
                return Reached::TermValue(value);
            }
            if !self.known_different(at, index) {
                break;
            }
            current = inner;
        }
        match self.unary(current, TermOp::ConstArray) {
            Some(value) => Reached::TermValue(value),
            None => Reached::Array(current),
        }
    }

    pub fn store(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        debug_assert_eq!(self.element_sort(array), self.width(value));
        if self.binary(value, TermOp::Select) == Some((array, index))
            || self.unary(array, TermOp::ConstArray) == Some(value)
        {
            return array;
        }
        let base = match self.ternary(array, TermOp::Store) {
            Some((inner, at, _)) if at == index => inner,
            _ => array,
        };
        let sort = self.node(array).sort;
        self.raw(TermOp::Store, sort, [base, index, value])
    }

    pub(super) fn array_ite(&mut self, c: TermId, t: TermId, e: TermId) -> TermId {
        if let Some(merged) = self.deeper(|pool| pool.merge_arrays(c, t, e)).flatten() {
            return merged;
        }
        let sort = self.node(t).sort;
        self.raw(TermOp::Ite, sort, [c, t, e])
    }

    /// A choice between arrays that differ in few writes becomes those writes with chosen values, so that arrays written
    /// in branches stay chains.
    fn merge_arrays(&mut self, c: TermId, t: TermId, e: TermId) -> Option<TermId> {
        for (changed, old, in_then) in [(t, e, true), (e, t, false)] {
            if let Some((inner, index, value)) = self.ternary(changed, TermOp::Store)
                && inner == old
            {
                let before = self.select(old, index);
                let value = if in_then { self.ite(c, value, before) } else { self.ite(c, before, value) };
                return Some(self.store(old, index, value));
            }
        }
        if let (Some((a, i, x)), Some((b, j, y))) = (self.ternary(t, TermOp::Store), self.ternary(e, TermOp::Store))
            && (a, i) == (b, j)
        {
            let value = self.ite(c, x, y);
            return Some(self.store(a, i, value));
        }
        let (base, indices) = self.common_constant_writes(t, e)?;
        let mut result = base;
        for index in indices {
            let (x, y) = (self.select(t, index), self.select(e, index));
            let value = self.ite(c, x, y);
            result = self.store(result, index, value);
        }
        Some(result)
    }

    /// The array both are made of by a few writes at constant indices, and those indices, oldest first.
    fn common_constant_writes(&self, t: TermId, e: TermId) -> Option<(TermId, Vec<TermId>)> {
        let chain = |start: TermId| {
            let mut arrays = vec![start];
            let mut indices = Vec::new();
            while let Some((inner, index, _)) = self.constant_store(*arrays.last().expect("not empty")) {
                if indices.len() == WALK_LIMIT {
                    break;
                }
                indices.push(index);
                arrays.push(inner);
            }
            (arrays, indices)
        };
        let ((t_arrays, t_indices), (e_arrays, e_indices)) = (chain(t), chain(e));
        let positions: FxHashSet<TermId> = t_arrays.iter().copied().collect();
        let e_position = e_arrays.iter().position(|array| positions.contains(array))?;
        let base = e_arrays[e_position];
        let t_position = t_arrays.iter().position(|array| *array == base)?;
        let mut seen = FxHashSet::default();
        let written = e_indices[..e_position].iter().rev().chain(t_indices[..t_position].iter().rev());
        Some((base, written.copied().filter(|index| seen.insert(*index)).collect()))
    }

    /// Whether two arrays hold the same everywhere, when both are writes over the same array, or over constant arrays
    /// that the writes cannot cover.
    pub fn array_eq(&mut self, a: TermId, b: TermId) -> Result<TermId, ArrayEqError> {
        assert_eq!(self.sort(a), self.sort(b));
        let Sort::Array { index: index_width, .. } = self.sort(a) else { panic!("{a} is not an array") };
        if a == b {
            return Ok(TermId::TRUE);
        }
        let chain = |start: TermId| {
            let mut arrays = vec![start];
            while let Some((inner, _, _)) = self.ternary(*arrays.last().expect("not empty"), TermOp::Store) {
                arrays.push(inner);
            }
            arrays
        };
        let (a_chain, b_chain) = (chain(a), chain(b));
        let a_set: FxHashSet<TermId> = a_chain.iter().copied().collect();
        let (a_end, b_end) = match b_chain.iter().position(|array| a_set.contains(array)) {
            Some(b_end) => (a_chain.iter().position(|array| *array == b_chain[b_end]).expect("in the set"), b_end),
            None => (a_chain.len() - 1, b_chain.len() - 1),
        };
        let mut conditions = Vec::new();
        if a_chain[a_end] != b_chain[b_end] {
            let refused = ArrayEqError { left_base: a_chain[a_end], right_base: b_chain[b_end] };
            let values =
                self.unary(a_chain[a_end], TermOp::ConstArray).zip(self.unary(b_chain[b_end], TermOp::ConstArray));
            let (x, y) = values.ok_or(refused)?;
            let writes = (a_end + b_end) as u128;
            if index_width < 127 && writes >= 1 << index_width {
                return Err(refused);
            }
            conditions.push(self.eq(x, y));
        }
        let mut seen = FxHashSet::default();
        for array in a_chain[..a_end].iter().chain(&b_chain[..b_end]) {
            let index = self.arg(*array, 1);
            if seen.insert(index) {
                let (x, y) = (self.select(a, index), self.select(b, index));
                conditions.push(self.eq(x, y));
            }
        }
        Ok(self.and_all(&conditions))
    }
}

//! Abstract states: what is known of each cell, and of cells together. A cell that is not listed can be anything; an unreachable state is `None`.

use crate::cells::{Cell, CellId, Kind};
use crate::domains::Thresholds;
use crate::domains::affine::AffineSpace;
use crate::domains::float::FloatRange;
use crate::domains::number::Number;
use crate::domains::octagon::Octagon;
use crate::relations::closed_copy;
use std::rc::Rc;

#[derive(Clone, PartialEq, Debug)]
pub enum AbstractValue {
    Int(Number),
    Float(FloatRange),
}

impl AbstractValue {
    pub fn top(kind: Kind) -> AbstractValue {
        match kind {
            Kind::Int(shape) => AbstractValue::Int(Number::top(shape)),
            Kind::Float(kind) => AbstractValue::Float(FloatRange::top(kind)),
        }
    }

    pub fn is_top(&self) -> bool {
        match self {
            AbstractValue::Int(number) => number.is_top(),
            AbstractValue::Float(range) => range.is_top(),
        }
    }

    /// Of different kinds: anything of the first one's.
    pub fn join(&self, other: &AbstractValue) -> AbstractValue {
        match (self, other) {
            (AbstractValue::Int(a), AbstractValue::Int(b)) if a.shape == b.shape => AbstractValue::Int(a.join(b)),
            (AbstractValue::Float(a), AbstractValue::Float(b)) if a.kind == b.kind => AbstractValue::Float(a.join(b)),
            (AbstractValue::Int(a), _) => AbstractValue::Int(Number::top(a.shape)),
            (AbstractValue::Float(a), _) => AbstractValue::Float(FloatRange::top(a.kind)),
        }
    }

    pub fn meet(&self, other: &AbstractValue) -> Option<AbstractValue> {
        match (self, other) {
            (AbstractValue::Int(a), AbstractValue::Int(b)) if a.shape == b.shape => a.meet(b).map(AbstractValue::Int),
            (AbstractValue::Float(a), AbstractValue::Float(b)) if a.kind == b.kind => {
                a.meet(b).map(AbstractValue::Float)
            }
            _ => Some(self.clone()),
        }
    }

    fn widen(&self, newer: &AbstractValue, thresholds: &Thresholds) -> AbstractValue {
        match (self, newer) {
            (AbstractValue::Int(a), AbstractValue::Int(b)) if a.shape == b.shape => {
                AbstractValue::Int(a.widen(b, thresholds))
            }
            (AbstractValue::Float(a), AbstractValue::Float(b)) if a.kind == b.kind => AbstractValue::Float(a.widen(b)),
            _ => self.join(newer),
        }
    }
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// Ascending; never a value that says nothing.
    cells: Vec<(CellId, Rc<AbstractValue>)>,
    /// By pack, ascending; a pack that is not listed says nothing.
    octagons: ByPack<Octagon>,
    /// Likewise.
    spaces: ByPack<AffineSpace>,
}

/// Relations by the number of their pack, ascending.
type ByPack<T> = Vec<(u32, Rc<T>)>;

fn find<T>(relations: &ByPack<T>, pack: u32) -> Option<&Rc<T>> {
    let at = relations.binary_search_by_key(&pack, |(own, _)| *own).ok()?;
    Some(&relations[at].1)
}

fn put<T>(relations: &mut ByPack<T>, pack: u32, relation: Option<Rc<T>>) {
    match (relations.binary_search_by_key(&pack, |(own, _)| *own), relation) {
        (Ok(at), None) => drop(relations.remove(at)),
        (Ok(at), Some(relation)) => relations[at].1 = relation,
        (Err(_), None) => {}
        (Err(at), Some(relation)) => relations.insert(at, (pack, relation)),
    }
}

impl State {
    pub fn get(&self, cell: CellId) -> Option<&AbstractValue> {
        let at = self.cells.binary_search_by_key(&cell, |(id, _)| *id).ok()?;
        Some(&self.cells[at].1)
    }

    pub fn value(&self, cell: CellId, cells: &[Cell]) -> AbstractValue {
        self.get(cell).cloned().unwrap_or_else(|| AbstractValue::top(cells[cell as usize].kind))
    }

    pub fn iter(&self) -> impl Iterator<Item = (CellId, &AbstractValue)> {
        self.cells.iter().map(|(cell, value)| (*cell, &**value))
    }

    /// A new value, which is related to nothing.
    pub fn set(&mut self, cell: CellId, value: AbstractValue) {
        self.unrelate(|other| other == cell);
        self.refine(cell, value);
    }

    /// More is known of the value that a cell has.
    pub fn refine(&mut self, cell: CellId, value: AbstractValue) {
        let at = self.cells.binary_search_by_key(&cell, |(id, _)| *id);
        match (at, value.is_top()) {
            (Ok(at), true) => drop(self.cells.remove(at)),
            (Ok(at), false) => self.cells[at].1 = Rc::new(value),
            (Err(_), true) => {}
            (Err(at), false) => self.cells.insert(at, (cell, Rc::new(value))),
        }
    }

    pub fn forget(&mut self, cell: CellId) {
        self.unrelate(|other| other == cell);
        if let Ok(at) = self.cells.binary_search_by_key(&cell, |(id, _)| *id) {
            self.cells.remove(at);
        }
    }

    /// Forgets all other cells.
    pub fn retain(&mut self, mut keep: impl FnMut(CellId) -> bool) {
        self.unrelate(|cell| !keep(cell));
        self.cells.retain(|(cell, _)| keep(*cell));
    }

    pub fn octagon(&self, pack: u32) -> Option<&Rc<Octagon>> {
        find(&self.octagons, pack)
    }

    pub fn octagons(&self) -> impl Iterator<Item = &Rc<Octagon>> {
        self.octagons.iter().map(|(_, octagon)| octagon)
    }

    /// What the variables of a pack have to do with each other.
    pub fn relate(&mut self, pack: u32, octagon: Octagon) {
        put(&mut self.octagons, pack, (!octagon.is_top()).then(|| Rc::new(octagon)));
    }

    pub fn space(&self, pack: u32) -> Option<&Rc<AffineSpace>> {
        find(&self.spaces, pack)
    }

    pub fn spaces(&self) -> impl Iterator<Item = &Rc<AffineSpace>> {
        self.spaces.iter().map(|(_, space)| space)
    }

    /// Equations between the variables of a pack.
    pub fn equate(&mut self, pack: u32, space: AffineSpace) {
        put(&mut self.spaces, pack, (!space.is_top()).then(|| Rc::new(space)));
    }

    /// Takes the relations of another state.
    pub fn take_relations(&mut self, other: &State) {
        self.octagons = other.octagons.clone();
        self.spaces = other.spaces.clone();
    }

    fn unrelate(&mut self, mut unwanted: impl FnMut(CellId) -> bool) {
        if self.octagons.is_empty() && self.spaces.is_empty() {
            return;
        }
        let mut gone = |variables: &[CellId]| -> Vec<usize> {
            (0..variables.len()).filter(|index| unwanted(variables[*index])).collect()
        };
        for (_, octagon) in &mut self.octagons {
            let gone = gone(&octagon.variables);
            if gone.is_empty() {
                continue;
            }
            let copy = Rc::make_mut(octagon);
            // What contradicts itself is found where it came about; here it only says nothing more.
            if copy.close().is_none() {
                *copy = Octagon::top(copy.variables.clone());
            }
            gone.into_iter().for_each(|index| copy.forget(index));
        }
        for (_, space) in &mut self.spaces {
            let gone = gone(&space.variables);
            if !gone.is_empty() {
                let copy = Rc::make_mut(space);
                gone.into_iter().for_each(|index| copy.forget(index));
            }
        }
        self.octagons.retain(|(_, octagon)| !octagon.is_top());
        self.spaces.retain(|(_, space)| !space.is_top());
    }

    /// The values of cells that both states know something of, combined.
    fn combine(&self, other: &State, combine: impl Fn(&AbstractValue, &AbstractValue) -> AbstractValue) -> State {
        let mut cells = Vec::with_capacity(self.cells.len().min(other.cells.len()));
        let mut theirs = other.cells.iter().peekable();
        for (cell, own) in &self.cells {
            while theirs.next_if(|(id, _)| id < cell).is_some() {}
            let Some((_, value)) = theirs.next_if(|(id, _)| id == cell) else { continue };
            if Rc::ptr_eq(own, value) || own == value {
                cells.push((*cell, own.clone()));
                continue;
            }
            let combined = combine(own, value);
            if !combined.is_top() {
                cells.push((*cell, Rc::new(combined)));
            }
        }
        State { cells, ..State::default() }
    }

    pub fn join(&self, other: &State) -> State {
        let mut joined = self.combine(other, AbstractValue::join);
        for (pack, own) in &self.octagons {
            let Some(theirs) = other.octagon(*pack) else { continue };
            let octagon = match (closed_copy(own), closed_copy(theirs)) {
                (Some(own), Some(theirs)) => own.join(&theirs),
                (Some(one), None) | (None, Some(one)) => (*one).clone(),
                (None, None) => continue,
            };
            joined.relate(*pack, octagon);
        }
        for (pack, own) in &self.spaces {
            if let Some(theirs) = other.space(*pack) {
                joined.equate(*pack, own.join(theirs));
            }
        }
        joined
    }

    /// The newer state includes this one.
    pub fn widen(&self, newer: &State, thresholds: &Thresholds) -> State {
        let mut widened = self.combine(newer, |a, b| a.widen(b, thresholds));
        for (pack, own) in &self.octagons {
            if let Some(theirs) = newer.octagon(*pack) {
                let octagon = own.widen(theirs);
                // Unchanged, so that the comparison with the old state says so.
                widened.relate(*pack, if octagon.has_bounds_of(own) { (**own).clone() } else { octagon });
            }
        }
        for (pack, own) in &self.spaces {
            // Chains of spaces are finite but may be long.
            let patient = !thresholds.numbers().is_empty();
            if let Some(theirs) = newer.space(*pack).filter(|theirs| patient || *theirs == own) {
                widened.equate(*pack, (**theirs).clone());
            }
        }
        widened
    }

    /// Adds what another state knows of cells that this one knows nothing of.
    pub fn extend_from(&mut self, other: &State, mut wanted: impl FnMut(CellId) -> bool) {
        for (cell, value) in other.cells.iter().filter(|(cell, _)| wanted(*cell)) {
            if let Err(at) = self.cells.binary_search_by_key(cell, |(id, _)| *id) {
                self.cells.insert(at, (*cell, value.clone()));
            }
        }
    }
}

/// States of one location that are kept apart because a cell that splits has different constant values in them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct States {
    /// By key, ascending.
    parts: Vec<(Vec<(CellId, i128)>, State)>,
    /// There were too many; there is one now.
    collapsed: bool,
}

/// Parts of one location; more are joined.
const MAX_PARTS: usize = 8;

impl States {
    pub fn iter(&self) -> impl Iterator<Item = &State> {
        self.parts.iter().map(|(_, state)| state)
    }

    pub fn into_iter(self) -> impl Iterator<Item = State> {
        self.parts.into_iter().map(|(_, state)| state)
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Adds a state, joined with those of its key.
    pub fn add(&mut self, state: State, cells: &[Cell]) {
        let constant = |(cell, value): (CellId, &AbstractValue)| match value {
            AbstractValue::Int(number) if cells[cell as usize].splits => Some((cell, number.single()?)),
            _ => None,
        };
        let key: Vec<(CellId, i128)> = state.iter().filter_map(constant).collect();
        self.insert(key, state);
    }

    fn insert(&mut self, key: Vec<(CellId, i128)>, state: State) {
        let key = if self.collapsed { Vec::new() } else { key };
        match self.parts.binary_search_by(|(own, _)| own.cmp(&key)) {
            Ok(at) => self.parts[at].1 = self.parts[at].1.join(&state),
            Err(at) => self.parts.insert(at, (key, state)),
        }
        if self.parts.len() > MAX_PARTS
            && let Some(joined) = self.joined()
        {
            self.parts = vec![(Vec::new(), joined)];
            self.collapsed = true;
        }
    }

    pub fn add_all(&mut self, other: States) {
        for (key, state) in other.parts {
            self.insert(key, state);
        }
    }

    pub fn joined(&self) -> Option<State> {
        self.iter().fold(None, |joined: Option<State>, state| {
            Some(joined.map_or_else(|| state.clone(), |joined| joined.join(state)))
        })
    }

    /// The newer states include these.
    pub fn widen(&self, newer: States, thresholds: &Thresholds) -> States {
        let collapsed = newer.collapsed;
        let widened = newer.parts.into_iter().map(|(key, state)| {
            let old = self.parts.binary_search_by(|(own, _)| own.cmp(&key));
            let state = old.map_or_else(|_| state.clone(), |at| self.parts[at].1.widen(&state, thresholds));
            (key, state)
        });
        States { parts: widened.collect(), collapsed }
    }
}

//! Memory as a graph (Dudka et al. 2013): objects with fields, values that are numbers or addresses, and list segments.
//!
//! A segment stands for any number of list nodes, at least `min`. All of them look like one of its patterns: a graph of its own, whose
//! first object is the node and whose other objects belong to that node alone (nested lists, for example). What all nodes share is an
//! argument of the segment.
//!
//! Invariants: the bytes of an object that no field covers are zero if `zero` says so, else anything. Fields do not overlap. Live objects
//! only: the address of a dead object is an unknown number.

use crate::facts::Facts;
use base::define_id;
use cfa::{FuncId, TypeId, VarId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

define_id!(ObjectId, "o");
define_id!(SymbolId, "s");

/// The node of a pattern.
pub const NODE: ObjectId = ObjectId(0);

/// Which node of a segment an address belongs to. In a segment without nodes, the first one is what follows, the last what precedes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum End {
    First,
    Last,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GraphValue {
    /// Bits, zero-extended.
    Const(u128),
    Symbol(SymbolId),
    /// An object (for a segment: one of its nodes) and the distance from its start; `End::First` unless it is a segment.
    Address(ObjectId, End, i64),
    Function(FuncId),
    /// In a pattern: an argument of the segment.
    Outer(usize),
    /// In a pattern: the link to the next node, or what follows the last.
    Next,
    /// In a pattern: the link to the node before.
    Previous,
}

pub const ZERO: GraphValue = GraphValue::Const(0);

impl GraphValue {
    pub fn object(self) -> Option<ObjectId> {
        match self {
            GraphValue::Address(object, ..) => Some(object),
            _ => None,
        }
    }

    pub fn is_number(self) -> bool {
        matches!(self, GraphValue::Const(_) | GraphValue::Symbol(_))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    pub size: u64,
    pub value: GraphValue,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Variable(VarId),
    Heap,
}

/// Where the links of a list are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Links {
    /// Offsets of the fields.
    pub next: u64,
    pub previous: Option<u64>,
    /// The offset in a node that links point to.
    pub head: i64,
    /// Bytes of a link.
    pub width: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    pub links: Links,
    pub nodes: Vec<Arc<Graph>>,
    pub args: Vec<GraphValue>,
    /// At least so many nodes.
    pub min: u8,
    /// What the last node links to.
    pub next: GraphValue,
    /// What the first node links back to; anything in a singly linked list.
    pub previous: GraphValue,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    pub kind: Kind,
    /// Of a segment: of one node.
    pub size: u64,
    /// Bytes that no field covers are zero.
    pub zero: bool,
    pub fields: BTreeMap<u64, Field>,
    /// The record type that the whole of it was used as: a hint for folding.
    pub hint: Option<TypeId>,
    /// A segment has no fields of its own.
    pub segment: Option<Box<Segment>>,
}

impl Object {
    pub fn new(kind: Kind, size: u64, zero: bool) -> Self {
        Object { kind, size, zero, fields: BTreeMap::new(), hint: None, segment: None }
    }

    /// Every value it holds.
    pub fn values(&self) -> impl Iterator<Item = GraphValue> + '_ {
        let own = self.fields.values().map(|field| field.value);
        let links = self.segment.iter().flat_map(|segment| {
            let previous = segment.links.previous.map(|_| segment.previous);
            segment.args.iter().copied().chain([segment.next]).chain(previous)
        });
        own.chain(links)
    }

    fn map(&mut self, change: &mut dyn FnMut(GraphValue) -> GraphValue) {
        for field in self.fields.values_mut() {
            field.value = change(field.value);
        }
        if let Some(segment) = &mut self.segment {
            segment.args.iter_mut().for_each(|arg| *arg = change(*arg));
            segment.next = change(segment.next);
            segment.previous = change(segment.previous);
        }
    }

    /// Fields that overlap a range.
    pub fn overlapping(&self, start: u64, size: u64) -> Vec<u64> {
        let end = start.saturating_add(size);
        let overlaps = |(at, field): &(&u64, &Field)| **at < end && at.saturating_add(field.size) > start;
        self.fields.iter().filter(overlaps).map(|(at, _)| *at).collect()
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Graph {
    pub objects: BTreeMap<ObjectId, Object>,
    pub symbols: BTreeMap<SymbolId, Facts>,
    /// The next number that was not given out.
    pub fresh: u32,
}

impl Graph {
    pub fn add(&mut self, object: Object) -> ObjectId {
        let id = ObjectId(self.fresh);
        self.fresh += 1;
        self.objects.insert(id, object);
        id
    }

    pub fn symbol(&mut self, facts: Facts) -> GraphValue {
        if let Some(only) = facts.only() {
            return GraphValue::Const(only);
        }
        let id = SymbolId(self.fresh);
        self.fresh += 1;
        self.symbols.insert(id, facts);
        GraphValue::Symbol(id)
    }

    /// What is known of a number; of an address or function: that it is one.
    pub fn facts(&self, value: GraphValue, bits: u32) -> Facts {
        match value {
            GraphValue::Symbol(symbol) => self.symbols.get(&symbol).cloned().unwrap_or_else(|| Facts::any(bits)),
            GraphValue::Const(number) => Facts::constant(number, bits),
            _ => Facts::any(bits),
        }
    }

    pub fn segment(&self, object: ObjectId) -> Option<&Segment> {
        self.objects.get(&object)?.segment.as_deref()
    }

    /// Changes every value in memory.
    pub fn map(&mut self, change: &mut dyn FnMut(GraphValue) -> GraphValue) {
        for object in self.objects.values_mut() {
            object.map(change);
        }
    }

    /// What is known of some bytes; `None`: nothing.
    pub fn peek(&self, object: ObjectId, at: u64, size: u64) -> Option<GraphValue> {
        let object = self.objects.get(&object)?;
        if let Some(field) = object.fields.get(&at)
            && field.size == size
        {
            return Some(field.value);
        }
        let parts = object.overlapping(at, size);
        if parts.is_empty() {
            return object.zero.then_some(ZERO);
        }
        // Numbers are put together of numbers.
        let byte = |place: u64| {
            let part = parts.iter().find(|start| **start <= place && place < **start + object.fields[start].size);
            match part.map(|start| (place - start, object.fields[start])) {
                None => object.zero.then_some(0),
                Some((_, Field { value: ZERO, .. })) => Some(0),
                Some((distance, Field { size: ..=16, value: GraphValue::Const(number) })) => {
                    Some(number >> (8 * distance) & 0xff)
                }
                Some(_) => None,
            }
        };
        if size > 16 {
            let [start] = parts[..] else { return None };
            let inside = start <= at && at + size <= start + object.fields[&start].size;
            return (object.fields[&start].value == ZERO && (inside || object.zero)).then_some(ZERO);
        }
        (0..size).rev().try_fold(0u128, |number, index| Some(number << 8 | byte(at + index)?)).map(GraphValue::Const)
    }

    /// Bytes become unknown.
    pub fn forget(&mut self, id: ObjectId, at: u64, size: u64) {
        if size == 0 {
            return;
        }
        let object = &self.objects[&id];
        let zero = object.zero;
        let mut unknown: Vec<(u64, u64)> = Vec::new();
        let mut zeros: Vec<(u64, u64)> = Vec::new();
        let overlapping = object.overlapping(at, size);
        for start in &overlapping {
            let field = object.fields[start];
            let parts =
                [(*start, at.saturating_sub(*start)), (at + size, (start + field.size).saturating_sub(at + size))];
            for part in parts.into_iter().filter(|(_, length)| *length > 0) {
                if field.value == ZERO { zeros.push(part) } else { unknown.push(part) }
            }
        }
        if zero {
            unknown.push((at, size));
        }
        // Without a background, what no field covers is unknown anyway.
        if !zero {
            unknown.clear();
        }
        let values: Vec<(u64, u64, GraphValue)> = unknown
            .into_iter()
            .map(|(at, size)| (at, size, self.symbol(Facts::any((size * 8).min(u32::MAX as u64) as u32))))
            .collect();
        let object = self.objects.get_mut(&id).expect("a live object");
        for start in overlapping {
            object.fields.remove(&start);
        }
        for (at, size) in zeros.into_iter().filter(|_| !zero) {
            object.fields.insert(at, Field { size, value: ZERO });
        }
        for (at, size, value) in values {
            object.fields.insert(at, Field { size, value });
        }
    }

    pub fn write(&mut self, id: ObjectId, at: u64, size: u64, value: GraphValue) {
        if size == 0 {
            return;
        }
        self.forget(id, at, size);
        let object = self.objects.get_mut(&id).expect("a live object");
        object.fields.remove(&at);
        if !(object.zero && value == ZERO) {
            object.fields.insert(at, Field { size, value });
        }
    }

    /// Everything that can be reached from some objects, these included.
    pub fn reachable(&self, roots: impl IntoIterator<Item = ObjectId>) -> BTreeSet<ObjectId> {
        let mut work: Vec<ObjectId> = roots.into_iter().collect();
        let mut seen: BTreeSet<ObjectId> = work.iter().copied().collect();
        while let Some(id) = work.pop() {
            let Some(object) = self.objects.get(&id) else { continue };
            work.extend(object.values().filter_map(GraphValue::object).filter(|target| seen.insert(*target)));
        }
        seen
    }

    /// Drops symbols that nothing holds.
    pub fn drop_symbols(&mut self, others: &[GraphValue]) {
        let mut used = BTreeSet::new();
        for value in self.objects.values().flat_map(Object::values).chain(others.iter().copied()) {
            if let GraphValue::Symbol(symbol) = value {
                used.insert(symbol);
            }
        }
        for object in self.objects.values() {
            if let Some(segment) = &object.segment
                && let GraphValue::Symbol(symbol) = segment.previous
            {
                used.insert(symbol);
            }
        }
        self.symbols.retain(|symbol, _| used.contains(symbol));
    }

    /// Copies a pattern's objects into this graph; gives the node.
    pub fn instantiate(
        &mut self,
        pattern: &Graph,
        args: &[GraphValue],
        next: GraphValue,
        previous: GraphValue,
    ) -> ObjectId {
        let objects: BTreeMap<ObjectId, ObjectId> =
            pattern.objects.iter().map(|(id, object)| (*id, self.add(object.clone()))).collect();
        let symbols: BTreeMap<SymbolId, GraphValue> =
            pattern.symbols.iter().map(|(id, facts)| (*id, self.symbol(facts.clone()))).collect();
        let mut change = |value: GraphValue| match value {
            GraphValue::Symbol(symbol) => symbols[&symbol],
            GraphValue::Address(object, end, at) => GraphValue::Address(objects[&object], end, at),
            GraphValue::Outer(number) => args[number],
            GraphValue::Next => next,
            GraphValue::Previous => previous,
            GraphValue::Const(_) | GraphValue::Function(_) => value,
        };
        for id in objects.values() {
            self.objects.get_mut(id).expect("just added").map(&mut change);
        }
        objects[&NODE]
    }

    /// The value at a distance from an address or number.
    pub fn shifted(&mut self, value: GraphValue, distance: i64, bits: u32) -> GraphValue {
        match value {
            _ if distance == 0 => value,
            GraphValue::Address(object, end, at) => match at.checked_add(distance) {
                Some(at) => GraphValue::Address(object, end, at),
                None => self.symbol(Facts::any(bits)),
            },
            GraphValue::Const(number) => {
                let moved = (number as i128).wrapping_add(distance as i128) as u128;
                GraphValue::Const(if bits >= 128 { moved } else { moved & ((1 << bits) - 1) })
            }
            _ => self.symbol(Facts::any(bits)),
        }
    }
}

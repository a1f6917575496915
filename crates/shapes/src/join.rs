//! What two graphs have in common: a graph that covers both, if they have the same shape but for the lengths of lists, and numbers.
//!
//! Used to merge the nodes of a list into one pattern, and states at a loop head. Nothing rests on it: what comes out is checked by
//! [`crate::cover`].

use crate::facts::Facts;
use crate::fold::take_node;
use crate::graph::{End, Field, Graph, GraphValue, Kind, Links, NODE, Object, ObjectId, Segment, ZERO};
use crate::state::{Frame, State};
use cfa::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What becomes of two numbers that differ.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Numbers {
    /// One must cover the other.
    Cover,
    /// So that repeated joins end.
    Widen,
}

/// More kinds of nodes in one list are not kept apart.
pub const MAX_ALTERNATIVES: usize = 4;

/// How graphs are joined.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'k> {
    pub numbers: Numbers,
    /// How many kinds of nodes a list may have before numbers are merged.
    pub alternatives: usize,
    /// Whether a list on one side that is missing on the other becomes a list that may be empty.
    pub empty: bool,
    /// How many nodes in a row become a segment.
    pub chain: u8,
    /// Whether two nodes in a row may be taken for one.
    pub pairs: bool,
    /// The links of types that look like nodes of lists.
    pub links: &'k BTreeMap<TypeId, Links>,
}

/// What is known of the numbers that a pattern shares with the graph around it.
pub type Outer<'o> = &'o dyn Fn(usize) -> Option<Facts>;

/// One pattern for the nodes of two.
fn join_nodes(a: &Graph, b: &Graph, policy: Policy<'_>, outer: Outer<'_>) -> Option<Graph> {
    let mut join = Join::new(a, b, Policy { alternatives: 1, ..policy }, outer);
    join.object(NODE, NODE)?;
    join.finish()
}

/// Patterns for the nodes of two lists; arguments with the same number are the same.
pub fn join_patterns(
    a: &[Arc<Graph>],
    b: &[Arc<Graph>],
    policy: Policy<'_>,
    outer: Outer<'_>,
) -> Option<Vec<Arc<Graph>>> {
    let mut nodes: Vec<Arc<Graph>> = a.to_vec();
    'next: for node in b {
        for known in &mut nodes {
            if known == node {
                continue 'next;
            }
            if let Some(joined) = join_nodes(known, node, Policy { numbers: Numbers::Cover, ..policy }, outer) {
                *known = Arc::new(joined);
                continue 'next;
            }
        }
        if nodes.len() < policy.alternatives {
            nodes.push(node.clone());
            continue;
        }
        if policy.numbers == Numbers::Cover {
            return None;
        }
        let joined =
            nodes.iter().enumerate().find_map(|(index, known)| Some((index, join_nodes(known, node, policy, outer)?)));
        let (index, joined) = joined?;
        nodes[index] = Arc::new(joined);
    }
    Some(nodes)
}

pub fn join_states(a: &State, b: &State, policy: Policy<'_>) -> Option<State> {
    if a.frames.len() != b.frames.len() || a.statics.keys().ne(b.statics.keys()) {
        return None;
    }
    let mut join = Join::new(&a.graph, &b.graph, policy, &|_| None);
    let mut statics = BTreeMap::new();
    for (var, object) in &a.statics {
        statics.insert(*var, join.object(*object, b.statics[var])?);
    }
    let mut frames = Vec::new();
    for (one, other) in a.frames.iter().zip(&b.frames) {
        let mut variables = BTreeMap::new();
        if one.variables.keys().ne(other.variables.keys()) {
            return None;
        }
        for (var, object) in &one.variables {
            variables.insert(*var, join.object(*object, other.variables[var])?);
        }
        frames.push(Frame { function: one.function, call: one.call, variables });
    }
    let graph = join.finish()?;
    Some(State { graph, statics, frames, temporaries: Vec::new(), pointer_bits: a.pointer_bits })
}

struct Join<'o> {
    a: Graph,
    b: Graph,
    out: Graph,
    /// The objects that belong together, and what they became.
    pairs: BTreeMap<(ObjectId, ObjectId), ObjectId>,
    left: BTreeSet<ObjectId>,
    right: BTreeSet<ObjectId>,
    /// Segments of exactly one node: their first node is their last.
    ones: (BTreeSet<ObjectId>, BTreeSet<ObjectId>),
    numbers: BTreeMap<(GraphValue, GraphValue), GraphValue>,
    todo: Vec<(ObjectId, ObjectId, ObjectId)>,
    policy: Policy<'o>,
    outer: Outer<'o>,
}

impl<'o> Join<'o> {
    fn new(a: &Graph, b: &Graph, policy: Policy<'o>, outer: Outer<'o>) -> Self {
        Join {
            a: a.clone(),
            b: b.clone(),
            out: Graph::default(),
            pairs: BTreeMap::new(),
            left: BTreeSet::new(),
            right: BTreeSet::new(),
            ones: (BTreeSet::new(), BTreeSet::new()),
            numbers: BTreeMap::new(),
            todo: Vec::new(),
            policy,
            outer,
        }
    }

    /// Two objects become one.
    fn object(&mut self, one: ObjectId, other: ObjectId) -> Option<ObjectId> {
        if let Some(known) = self.pairs.get(&(one, other)) {
            return Some(*known);
        }
        if self.left.contains(&one) || self.right.contains(&other) {
            return None;
        }
        match (self.a.segment(one).map(|segment| segment.links), self.b.segment(other).map(|segment| segment.links)) {
            (Some(links), None) => {
                make_one(&mut self.b, other, links)?;
                self.ones.1.insert(other);
            }
            (None, Some(links)) => {
                make_one(&mut self.a, one, links)?;
                self.ones.0.insert(one);
            }
            _ => {}
        }
        let (first, second) = (self.a.objects.get(&one)?, self.b.objects.get(&other)?);
        if first.kind != second.kind || first.size != second.size || !same_hint(first, second) {
            return None;
        }
        let mut object = Object::new(first.kind, first.size, first.zero && second.zero);
        object.hint = first.hint.or(second.hint);
        let id = self.out.add(object);
        self.pairs.insert((one, other), id);
        self.left.insert(one);
        self.right.insert(other);
        self.todo.push((one, other, id));
        Some(id)
    }

    fn finish(mut self) -> Option<Graph> {
        while let Some((one, other, id)) = self.todo.pop() {
            match (self.a.segment(one).cloned(), self.b.segment(other).cloned()) {
                (None, None) => self.fields(one, other, id)?,
                (Some(first), Some(second)) => {
                    let segment = self.segments(&first, &second)?;
                    self.out.objects.get_mut(&id)?.segment = Some(Box::new(segment));
                }
                _ => return None,
            }
        }
        Some(self.out)
    }

    fn fields(&mut self, one: ObjectId, other: ObjectId, id: ObjectId) -> Option<()> {
        let (first, second) = (self.a.objects[&one].clone(), self.b.objects[&other].clone());
        let mut places: Vec<(u64, u64)> = first.fields.iter().map(|(at, field)| (*at, field.size)).collect();
        places.extend(second.fields.iter().map(|(at, field)| (*at, field.size)));
        places.sort_unstable();
        places.dedup();
        let zero = first.zero && second.zero;
        for (at, size) in places {
            let values = (self.a.peek(one, at, size), self.b.peek(other, at, size));
            let (Some(x), Some(y)) = values else {
                // Nothing is known of it on one side; with a background of zeros that has to be said.
                if zero {
                    return None;
                }
                continue;
            };
            let overlaps = !self.out.objects[&id].overlapping(at, size).is_empty();
            let value = self.value(x, y, size as u32 * 8)?;
            if overlaps || (zero && value == ZERO) {
                continue;
            }
            self.out.objects.get_mut(&id)?.fields.insert(at, Field { size, value });
        }
        Some(())
    }

    fn segments(&mut self, first: &Segment, second: &Segment) -> Option<Segment> {
        if first.links != second.links || first.args.len() != second.args.len() {
            return None;
        }
        let nodes = join_patterns(&first.nodes, &second.nodes, self.policy, &|_| None)?;
        let mut args = Vec::new();
        for (x, y) in first.args.iter().zip(&second.args) {
            args.push(self.value(*x, *y, 64)?);
        }
        let next = self.value(first.next, second.next, 64)?;
        let previous = match first.links.previous {
            Some(_) => self.value(first.previous, second.previous, 64)?,
            None => ZERO,
        };
        Some(Segment { links: first.links, nodes, args, min: first.min.min(second.min), next, previous })
    }

    fn value(&mut self, x: GraphValue, y: GraphValue, bits: u32) -> Option<GraphValue> {
        match (x, y) {
            (GraphValue::Address(one, end, at), GraphValue::Address(other, which, distance)) => {
                if at != distance {
                    return None;
                }
                if let Some(value) = self.skip_empty(x, y, bits) {
                    return Some(value);
                }
                let id = self.object(one, other)?;
                let end = match (self.ones.0.contains(&one), self.ones.1.contains(&other)) {
                    (true, _) => which,
                    (_, true) => end,
                    _ if end == which => end,
                    _ => return None,
                };
                Some(GraphValue::Address(id, end, at))
            }
            (GraphValue::Address(..), GraphValue::Const(_)) | (GraphValue::Const(_), GraphValue::Address(..)) => {
                self.skip_empty(x, y, bits)
            }
            (
                GraphValue::Const(_) | GraphValue::Symbol(_) | GraphValue::Outer(_),
                GraphValue::Const(_) | GraphValue::Symbol(_) | GraphValue::Outer(_),
            ) => self.number(x, y, bits),
            _ if x == y => Some(x),
            _ => None,
        }
    }

    /// A list on one side that is not on the other: it may be empty.
    fn skip_empty(&mut self, x: GraphValue, y: GraphValue, bits: u32) -> Option<GraphValue> {
        let in_a =
            |join: &Self| matches!(x, GraphValue::Address(one, End::First, _) if join.skippable(&join.a, one, x));
        let in_b =
            |join: &Self| matches!(y, GraphValue::Address(other, End::First, _) if join.skippable(&join.b, other, y));
        let same_kind = match (x, y) {
            (GraphValue::Address(one, ..), GraphValue::Address(other, ..)) => {
                let (a, b) = (&self.a.objects[&one], &self.b.objects[&other]);
                self.pairs.contains_key(&(one, other)) || (a.kind == b.kind && a.size == b.size && same_hint(a, b))
            }
            _ => false,
        };
        if same_kind || !self.policy.empty {
            return None;
        }
        self.make_lists(x, y);
        let (list, from_a) = if in_a(self) {
            (x.object()?, true)
        } else if in_b(self) {
            (y.object()?, false)
        } else {
            return None;
        };
        let graph = if from_a { &self.a } else { &self.b };
        let taken = if from_a { &self.left } else { &self.right };
        if taken.contains(&list) {
            return None;
        }
        let object = graph.objects[&list].clone();
        let segment = object.segment.as_deref()?.clone();
        let id = self.out.add(Object { segment: None, ..object.clone() });
        if from_a {
            self.left.insert(list);
        } else {
            self.right.insert(list);
        }
        let next = if from_a { self.value(segment.next, y, bits)? } else { self.value(x, segment.next, bits)? };
        self.out.objects.get_mut(&id)?.segment = Some(Box::new(Segment { min: 0, next, ..segment.clone() }));
        Some(GraphValue::Address(id, End::First, segment.links.head))
    }

    /// A node that is only on one side is a list, if its type says so.
    fn make_lists(&mut self, x: GraphValue, y: GraphValue) {
        for (value, graph, taken, ones) in
            [(x, &mut self.a, &self.left, &mut self.ones.0), (y, &mut self.b, &self.right, &mut self.ones.1)]
        {
            let Some(id) = value.object().filter(|id| !taken.contains(id) && graph.segment(*id).is_none()) else {
                continue;
            };
            let links = graph.objects[&id].hint.and_then(|hint| self.policy.links.get(&hint));
            if let Some(links) = links
                && make_one(graph, id, *links).is_some()
            {
                ones.insert(id);
            }
        }
    }

    /// Whether nothing is shared with a list, and it does not link back to where it is, so that it can be left out.
    fn skippable(&self, graph: &Graph, id: ObjectId, from: GraphValue) -> bool {
        let Some(segment) = graph.segment(id) else { return false };
        let plain = segment.args.iter().all(|arg| matches!(arg, GraphValue::Const(_) | GraphValue::Function(_)));
        let first = from == GraphValue::Address(id, End::First, segment.links.head);
        let users = graph.objects.values().flat_map(Object::values).filter(|value| value.object() == Some(id)).count();
        let begins = segment.links.previous.is_none() || matches!(segment.previous, GraphValue::Const(_));
        begins && plain && first && users == 1
    }

    fn number(&mut self, x: GraphValue, y: GraphValue, bits: u32) -> Option<GraphValue> {
        if x == y && matches!(x, GraphValue::Const(_) | GraphValue::Outer(_)) {
            return Some(x);
        }
        if let Some(known) = self.numbers.get(&(x, y)) {
            return Some(*known);
        }
        let outer = self.outer;
        let facts = |graph: &Graph, value: GraphValue| match value {
            GraphValue::Outer(number) => outer(number),
            _ => Some(graph.facts(value, bits)),
        };
        let (first, second) = (facts(&self.a, x)?, facts(&self.b, y)?);
        let joined = if first.covers(&second) {
            first
        } else if second.covers(&first) {
            second
        } else {
            match self.policy.numbers {
                Numbers::Cover => return None,
                Numbers::Widen => first.hull(&second, true),
            }
        };
        let value = self.out.symbol(joined);
        self.numbers.insert((x, y), value);
        Some(value)
    }
}

/// Whether two objects may be used as one and the same type.
fn same_hint(first: &Object, second: &Object) -> bool {
    first.hint.is_none() || second.hint.is_none() || first.hint == second.hint
}

/// Makes an object a list segment of exactly one node.
fn make_one(graph: &mut Graph, id: ObjectId, links: Links) -> Option<()> {
    if graph.objects.get(&id)?.kind != Kind::Heap {
        return None;
    }
    let taken = take_node(graph, id, links, &[])?;
    let object = graph.objects.get_mut(&id)?;
    object.fields.clear();
    object.zero = false;
    object.segment = Some(Box::new(Segment {
        links,
        nodes: vec![Arc::new(taken.pattern)],
        args: taken.args,
        min: 1,
        next: taken.next,
        previous: taken.previous,
    }));
    for private in taken.private {
        graph.objects.remove(&private);
    }
    Some(())
}

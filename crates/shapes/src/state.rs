//! One abstract state: memory, the calls under way, and values that an expression is computed with. Here: variables, the ends of lifetimes,
//! and taking a node out of a segment.

use crate::facts::Facts;
use crate::graph::{End, Graph, GraphValue, Kind, Object, ObjectId};
use cfa::{EdgeId, FuncId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// A call under way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    pub function: FuncId,
    /// Where it was called; `None` for the function that is run first.
    pub call: Option<EdgeId>,
    pub variables: BTreeMap<VarId, ObjectId>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    pub graph: Graph,
    pub statics: BTreeMap<VarId, ObjectId>,
    pub frames: Vec<Frame>,
    /// Values that are not in memory yet. They are here so that they change when the graph does.
    pub temporaries: Vec<GraphValue>,
    /// Of a pointer.
    pub pointer_bits: u32,
}

impl State {
    pub fn frame(&self) -> &Frame {
        self.frames.last().expect("a function runs")
    }

    /// The calls under way, outermost first.
    pub fn calls(&self) -> Vec<EdgeId> {
        self.frames.iter().filter_map(|frame| frame.call).collect()
    }

    pub fn push(&mut self, value: GraphValue) {
        self.temporaries.push(value);
    }

    pub fn pop(&mut self) -> GraphValue {
        self.temporaries.pop().expect("as many are taken as were put")
    }

    /// Every object that a name stands for.
    pub fn roots(&self) -> Vec<ObjectId> {
        let locals = self.frames.iter().flat_map(|frame| frame.variables.values());
        self.statics.values().chain(locals).copied().collect()
    }

    pub fn map(&mut self, change: &mut dyn FnMut(GraphValue) -> GraphValue) {
        self.graph.map(change);
        self.temporaries.iter_mut().for_each(|value| *value = change(*value));
    }

    pub fn any(&mut self, bits: u32) -> GraphValue {
        self.graph.symbol(Facts::any(bits))
    }

    /// A symbol is a known value from now on.
    pub fn replace(&mut self, symbol: GraphValue, by: GraphValue) {
        self.map(&mut |value| if value == symbol { by } else { value });
    }

    /// The lifetime of an object ends: its address is an unknown number, and an address may be used again.
    pub fn end_lifetime(&mut self, id: ObjectId) {
        self.graph.objects.remove(&id);
        let mut distances: BTreeSet<i64> = BTreeSet::new();
        self.map(&mut |value| {
            if let GraphValue::Address(object, _, at) = value
                && object == id
            {
                distances.insert(at);
            }
            value
        });
        let bits = self.pointer_bits;
        for distance in distances {
            let unknown = self.any(bits);
            self.map(&mut |value| match value {
                GraphValue::Address(object, _, at) if object == id && at == distance => unknown,
                other => other,
            });
        }
    }

    /// The cases of a segment: it has no nodes, or its first (last) node is an object of its own. The cases cover all memories that
    /// the state stands for. `None`: it cannot be said what an empty segment is.
    pub fn split(self, id: ObjectId, end: End) -> Option<Vec<State>> {
        let segment = self.graph.segment(id)?.clone();
        let mut cases = Vec::new();
        if segment.min == 0 {
            cases.push(self.clone().without_nodes(id)?);
        }
        for node in &segment.nodes {
            let mut state = self.clone();
            let links = segment.links;
            let (next, previous) = match end {
                End::First => (GraphValue::Next, segment.previous),
                End::Last => (segment.next, GraphValue::Previous),
            };
            let block = state.graph.instantiate(node, &segment.args, next, previous);
            let link = GraphValue::Address(block, End::First, links.head);
            // What leads to the end of the segment leads to the node; then the node gets its link to the rest.
            state.map(&mut |value| match value {
                GraphValue::Address(object, which, at) if object == id && which == end => {
                    GraphValue::Address(block, End::First, at)
                }
                other => other,
            });
            let to_rest = GraphValue::Address(id, end, links.head);
            state.map(&mut |value| {
                if matches!(value, GraphValue::Next | GraphValue::Previous) { to_rest } else { value }
            });
            let rest = state.graph.objects.get_mut(&id)?.segment.as_mut()?;
            rest.min = segment.min.saturating_sub(1);
            match end {
                End::First if links.previous.is_some() => rest.previous = link,
                End::First => {}
                End::Last => rest.next = link,
            }
            cases.push(state);
        }
        Some(cases)
    }

    /// The state if a segment has no nodes.
    pub fn without_nodes(mut self, id: ObjectId) -> Option<State> {
        let segment = self.graph.segment(id)?.clone();
        let (next, previous, head, bits) = (segment.next, segment.previous, segment.links.head, self.pointer_bits);
        if next.object() == Some(id) || previous.object() == Some(id) {
            return None;
        }
        self.graph.objects.remove(&id);
        // Each distance once, so that equal addresses stay equal.
        let mut known: BTreeMap<(End, i64), GraphValue> = BTreeMap::new();
        let mut ends: Vec<(End, i64)> = Vec::new();
        self.map(&mut |value| {
            if let GraphValue::Address(object, end, at) = value
                && object == id
            {
                ends.push((end, at));
            }
            value
        });
        for (end, at) in ends {
            let from = if end == End::First { next } else { previous };
            known.entry((end, at)).or_insert_with(|| match at.checked_sub(head) {
                Some(distance) => self.graph.shifted(from, distance, bits),
                None => self.graph.symbol(Facts::any(bits)),
            });
        }
        self.map(&mut |value| match value {
            GraphValue::Address(object, end, at) if object == id => known[&(end, at)],
            other => other,
        });
        Some(self)
    }

    /// Objects that no name leads to.
    pub fn lost(&self) -> Vec<ObjectId> {
        let roots = self.roots().into_iter().chain(self.temporaries.iter().filter_map(|value| value.object()));
        let reached = self.graph.reachable(roots);
        self.graph.objects.keys().filter(|id| !reached.contains(id)).copied().collect()
    }

    /// Objects that no name leads to are not part of the state any more. Whether some were.
    pub fn drop_lost(&mut self) -> bool {
        let lost = self.lost();
        for id in &lost {
            self.graph.objects.remove(id);
        }
        let others = self.temporaries.clone();
        self.graph.drop_symbols(&others);
        !lost.is_empty()
    }

    pub fn new_variable(&mut self, var: VarId, size: u64, zero: bool) -> ObjectId {
        self.graph.add(Object::new(Kind::Variable(var), size, zero))
    }
}

//! Inclusion: does one abstract state describe every memory that another one describes?
//!
//! The objects of the covering state are matched one to one with objects of the covered one, beginning at the variables. A segment of the
//! covering state is taken apart on the way: it has no nodes (any more), or its first (last) node is an object of the covered state, or a
//! segment there whose nodes all look like nodes of it. Where there is a choice, each is tried.
//!
//! Checking a proof rests on this and on the transfer functions; it shares nothing with folding and joining.

use crate::facts::Facts;
use crate::graph::{End, Graph, GraphValue, Kind, NODE, Object, ObjectId, Segment, SymbolId, ZERO};
use crate::state::State;
use std::collections::{BTreeMap, BTreeSet};

/// More choices are not tried; the answer is then no.
const MAX_TRIES: u32 = 20_000;

/// Whether `general` describes every memory of `special`. `all`: every allocation of the special state must be one of the general state, too;
/// otherwise some may be lost.
pub fn covers(general: &State, special: &State, all: bool) -> bool {
    let Some(start) = Match::begin(general, special) else { return false };
    let mut search = Search { special: &special.graph, outer: &|_| None, all, tries: 0 };
    search.solve(start)
}

/// Part of a one-to-one correspondence.
#[derive(Clone)]
struct Match {
    /// The general state, taken apart so far. Its temporaries are values that must be equal to `wanted`.
    general: State,
    wanted: Vec<GraphValue>,
    objects: BTreeMap<ObjectId, ObjectId>,
    used: BTreeSet<ObjectId>,
    symbols: BTreeMap<SymbolId, GraphValue>,
    /// How many unknown values of the special state got a name.
    unknown: u32,
    /// How often in a row something had to wait.
    waited: usize,
}

impl Match {
    /// Variables with the same name correspond to each other.
    fn begin(general: &State, special: &State) -> Option<Match> {
        let mut start = Match::of(general.clone());
        if general.frames.len() != special.frames.len() {
            return None;
        }
        let mut names = vec![(&general.statics, &special.statics)];
        for (one, other) in general.frames.iter().zip(&special.frames) {
            if (one.function, one.call) != (other.function, other.call) {
                return None;
            }
            names.push((&one.variables, &other.variables));
        }
        for (variables, others) in names {
            for (var, object) in variables {
                let other = *others.get(var)?;
                if !start.pair(*object, other, &special.graph) {
                    return None;
                }
            }
        }
        Some(start)
    }

    fn of(mut general: State) -> Match {
        general.temporaries.clear();
        Match {
            general,
            wanted: Vec::new(),
            objects: BTreeMap::new(),
            used: BTreeSet::new(),
            symbols: BTreeMap::new(),
            unknown: 0,
            waited: 0,
        }
    }

    fn want(&mut self, value: GraphValue, to_be: GraphValue) {
        self.general.temporaries.push(value);
        self.wanted.push(to_be);
    }

    /// The next value that has to be compared: one that needs no choice, if there is one.
    fn take(&mut self) -> Option<(GraphValue, GraphValue)> {
        let graph = &self.general.graph;
        let open = |value: &GraphValue| {
            value.object().is_some_and(|id| !self.objects.contains_key(&id) && graph.segment(id).is_some())
        };
        let certain = self.general.temporaries.iter().rposition(|value| !open(value));
        let index = certain.or(self.wanted.len().checked_sub(1))?;
        Some((self.general.temporaries.remove(index), self.wanted.remove(index)))
    }

    /// Two objects that are no segments correspond to each other; their contents must, too.
    fn pair(&mut self, id: ObjectId, other: ObjectId, special: &Graph) -> bool {
        let (Some(object), Some(target)) = (self.general.graph.objects.get(&id).cloned(), special.objects.get(&other))
        else {
            return false;
        };
        if object.segment.is_some() || target.segment.is_some() {
            return false;
        }
        if object.kind != target.kind || object.size != target.size || !self.used.insert(other) {
            return false;
        }
        self.objects.insert(id, other);
        if object.zero {
            let zero_elsewhere =
                target.fields.iter().all(|(at, field)| field.value == ZERO || is_covered(&object, *at, field.size));
            if !target.zero || !zero_elsewhere {
                return false;
            }
        }
        for (at, field) in &object.fields {
            let value = special.peek(other, *at, field.size).unwrap_or_else(|| {
                self.unknown += 1;
                GraphValue::Symbol(SymbolId(u32::MAX - self.unknown))
            });
            self.want(field.value, value);
        }
        true
    }

    /// What a value of the general state is in the special one, if that is known already.
    fn translated(&self, value: GraphValue) -> Option<GraphValue> {
        match value {
            GraphValue::Symbol(symbol) => self.symbols.get(&symbol).copied(),
            GraphValue::Address(object, end, at) => Some(GraphValue::Address(*self.objects.get(&object)?, end, at)),
            other => Some(other),
        }
    }
}

struct Search<'g> {
    special: &'g Graph,
    /// What is known of values that a pattern shares with the graph around it.
    outer: &'g dyn Fn(usize) -> Option<Facts>,
    all: bool,
    tries: u32,
}

impl Search<'_> {
    fn solve(&mut self, mut now: Match) -> bool {
        self.tries += 1;
        if self.tries > MAX_TRIES {
            return false;
        }
        while let Some((value, wanted)) = now.take() {
            match value {
                GraphValue::Address(id, end, at) => {
                    if let Some(other) = now.objects.get(&id) {
                        if wanted != GraphValue::Address(*other, end, at) {
                            return false;
                        }
                    } else if now.general.graph.segment(id).is_some() {
                        return self.choose(now, (id, end, at), wanted);
                    } else {
                        let GraphValue::Address(other, End::First, distance) = wanted else { return false };
                        if distance != at || !now.pair(id, other, self.special) {
                            return false;
                        }
                    }
                }
                GraphValue::Symbol(symbol) => match now.symbols.get(&symbol) {
                    Some(bound) if *bound != wanted => return false,
                    Some(_) => {}
                    None => {
                        let facts = now.general.graph.symbols.get(&symbol).cloned().unwrap_or_else(|| Facts::any(8));
                        if !self.satisfies(wanted, &facts) {
                            return false;
                        }
                        now.symbols.insert(symbol, wanted);
                    }
                },
                GraphValue::Const(_)
                | GraphValue::Function(_)
                | GraphValue::Outer(_)
                | GraphValue::Next
                | GraphValue::Previous => {
                    if value != wanted {
                        return false;
                    }
                }
            }
        }
        let matched = |id: &ObjectId| now.objects.contains_key(id);
        let heap = |(_, object): &(&ObjectId, &Object)| object.kind == Kind::Heap;
        let kept = || self.special.objects.iter().filter(heap).all(|(id, _)| now.used.contains(id));
        now.general.graph.objects.keys().all(matched) && (!self.all || kept())
    }

    /// Whether a value of the special state is one that a symbol of the general state may be.
    fn satisfies(&self, value: GraphValue, facts: &Facts) -> bool {
        if facts.is_any() {
            return true;
        }
        match value {
            GraphValue::Const(number) => facts.admits(number),
            GraphValue::Symbol(symbol) => self.special.symbols.get(&symbol).is_some_and(|known| facts.covers(known)),
            GraphValue::Outer(number) => (self.outer)(number).is_some_and(|known| facts.covers(&known)),
            _ => false,
        }
    }

    /// A value that points into a segment of the general state must be `wanted`.
    fn choose(&mut self, now: Match, (id, end, at): (ObjectId, End, i64), wanted: GraphValue) -> bool {
        let segment = now.general.graph.segment(id).expect("a segment").clone();
        let size = now.general.graph.objects[&id].size;
        let mut again = now.clone();
        again.want(GraphValue::Address(id, end, at), wanted);
        if let GraphValue::Address(other, other_end, _) = wanted
            && let Some(target) = self.special.objects.get(&other)
            && target.kind == Kind::Heap
            && target.size == size
            && !now.used.contains(&other)
        {
            if let Some(part) = &target.segment {
                if other_end == end && part.links == segment.links {
                    match self.is_part(&now, &segment, part) {
                        Some(true) => {
                            if let Some(next) = with_part(again.clone(), (id, end), &segment, other, part)
                                && self.solve(next)
                            {
                                return true;
                            }
                        }
                        Some(false) => {}
                        None => {
                            // What the nodes share is not matched yet: other values first.
                            if again.waited <= again.wanted.len() {
                                again.waited += 1;
                                again.general.temporaries.rotate_right(1);
                                again.wanted.rotate_right(1);
                                return self.solve(again);
                            }
                        }
                    }
                }
            } else {
                // The covering state if the segment is not empty.
                let mut general = again.general.clone();
                if let Some(rest) = general.graph.objects.get_mut(&id).and_then(|object| object.segment.as_mut()) {
                    rest.min = rest.min.max(1);
                }
                let min = segment.min.saturating_sub(1);
                for mut case in general.split(id, end).unwrap_or_default() {
                    if let Some(rest) = case.graph.objects.get_mut(&id).and_then(|object| object.segment.as_mut()) {
                        rest.min = min;
                    }
                    if self.solve(Match { general: case, waited: 0, ..again.clone() }) {
                        return true;
                    }
                }
            }
        }
        if segment.min == 0
            && let Some(general) = again.general.clone().without_nodes(id)
        {
            return self.solve(Match { general, waited: 0, ..again });
        }
        false
    }

    /// Whether every node of a segment of the special state is a node that the general segment may have; `None`: not known yet.
    fn is_part(&mut self, now: &Match, segment: &Segment, part: &Segment) -> Option<bool> {
        let shared: Vec<GraphValue> = segment.args.iter().map(|arg| now.translated(*arg)).collect::<Option<_>>()?;
        let mut names: Vec<GraphValue> = Vec::new();
        let mut name = |value: GraphValue| match value {
            GraphValue::Symbol(_) | GraphValue::Address(..) | GraphValue::Outer(_) => {
                let known = names.iter().position(|other| *other == value);
                GraphValue::Outer(known.unwrap_or_else(|| {
                    names.push(value);
                    names.len() - 1
                }))
            }
            other => other,
        };
        let general_args: Vec<GraphValue> = shared.into_iter().map(&mut name).collect();
        let special_args: Vec<GraphValue> = part.args.iter().map(|arg| name(*arg)).collect();
        let facts = |number: usize| match names.get(number)? {
            GraphValue::Symbol(symbol) => self.special.symbols.get(symbol).cloned(),
            GraphValue::Outer(number) => (self.outer)(*number),
            _ => None,
        };
        let pointer_bits = now.general.pointer_bits;
        let covered = |node: &Graph| {
            segment.nodes.iter().any(|pattern| {
                let general = closed(pattern, &general_args, pointer_bits);
                let special = closed(node, &special_args, pointer_bits);
                let mut search = Search { special: &special.graph, outer: &facts, all: true, tries: 0 };
                let mut start = Match::of(general);
                start.pair(NODE, NODE, &special.graph) && search.solve(start)
            })
        };
        Some(part.nodes.iter().all(|node| covered(node)))
    }
}

/// Whether fields cover all bytes of a range.
fn is_covered(object: &Object, at: u64, size: u64) -> bool {
    let mut end = at;
    for start in object.overlapping(at, size) {
        if start > end {
            return false;
        }
        end = end.max(start + object.fields[&start].size);
    }
    end >= at + size
}

/// One node of a segment as a state of its own.
fn closed(pattern: &Graph, args: &[GraphValue], pointer_bits: u32) -> State {
    let mut state = State {
        graph: Graph::default(),
        statics: BTreeMap::new(),
        frames: Vec::new(),
        temporaries: Vec::new(),
        pointer_bits,
    };
    state.graph.instantiate(pattern, args, GraphValue::Next, GraphValue::Previous);
    state
}

/// The general state, whose segment begins (ends) with a part that corresponds to a segment of the special state.
fn with_part(
    now: Match,
    (id, end): (ObjectId, End),
    segment: &Segment,
    other: ObjectId,
    part: &Segment,
) -> Option<Match> {
    let mut now = now;
    let general = &mut now.general;
    let mut object = general.graph.objects[&id].clone();
    let front = end == End::First;
    let chunk = general.graph.add(Object::new(Kind::Heap, object.size, false));
    general.map(&mut |value| match value {
        GraphValue::Address(target, which, at) if target == id && which == end => GraphValue::Address(chunk, which, at),
        other => other,
    });
    let head = segment.links.head;
    let rest = general.graph.objects.get_mut(&id)?.segment.as_mut()?;
    rest.min = segment.min.saturating_sub(part.min);
    let mut own = Segment { args: Vec::new(), nodes: Vec::new(), ..rest.as_ref().clone() };
    if front {
        own.next = GraphValue::Address(id, End::First, head);
        if segment.links.previous.is_some() {
            rest.previous = GraphValue::Address(chunk, End::Last, head);
        }
    } else {
        own.previous = GraphValue::Address(id, End::Last, head);
        rest.next = GraphValue::Address(chunk, End::First, head);
    }
    let (next, previous) = (own.next, own.previous);
    object.segment = Some(Box::new(own));
    general.graph.objects.insert(chunk, object);
    if !now.used.insert(other) {
        return None;
    }
    now.objects.insert(chunk, other);
    now.waited = 0;
    now.want(next, part.next);
    if segment.links.previous.is_some() {
        now.want(previous, part.previous);
    }
    Some(now)
}

//! Folding: two neighbours of a list (nodes or segments) become one segment, if nothing but a link leads to where they meet.
//! Nothing rests on it: what comes out is checked by [`crate::cover`].

use crate::facts::Facts;
use crate::graph::{End, Field, Graph, GraphValue, Kind, Links, Object, ObjectId, Segment, SymbolId, ZERO};
use crate::join::{Policy, join_patterns};
use crate::state::State;
use cfa::{Program, Type, TypeId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Segments of more nodes are not told apart.
const MAX_MIN: u8 = 2;

/// A node as a pattern.
pub struct Taken {
    pub pattern: Graph,
    pub args: Vec<GraphValue>,
    pub next: GraphValue,
    pub previous: GraphValue,
    /// Objects that belong to the node alone; they are in the pattern.
    pub private: Vec<ObjectId>,
}

/// Who holds addresses of an object.
fn holders(graph: &Graph, id: ObjectId) -> impl Iterator<Item = ObjectId> + '_ {
    let holds = move |object: &Object| object.values().any(|value| value.object() == Some(id));
    graph.objects.iter().filter(move |(_, object)| holds(object)).map(|(holder, _)| *holder)
}

/// The pattern of an object that is a list node. `temporaries` are addresses that are held outside of memory.
pub fn take_node(graph: &Graph, id: ObjectId, links: Links, temporaries: &[GraphValue]) -> Option<Taken> {
    take(graph, id, id, links, temporaries)
}

/// The pattern of a node, or of two nodes in a row that are taken for one.
fn take(graph: &Graph, id: ObjectId, tail: ObjectId, links: Links, temporaries: &[GraphValue]) -> Option<Taken> {
    let next = graph.peek(tail, links.next, links.width)?;
    let previous = match links.previous {
        Some(at) => graph.peek(id, at, links.width)?,
        None => ZERO,
    };
    let is_link = |at: u64| at == links.next || Some(at) == links.previous;
    let mut private = private_objects(graph, id, &is_link, temporaries);
    if tail != id {
        private.push(tail);
        private.extend(private_objects(graph, tail, &is_link, temporaries));
    }
    let mut pattern = Graph::default();
    let mut names: BTreeMap<ObjectId, ObjectId> = BTreeMap::new();
    for member in std::iter::once(id).chain(private.iter().copied()) {
        names.insert(member, pattern.add(graph.objects[&member].clone()));
    }
    // Links are fields of the node also where they lie in a background of zeros.
    let places = [Some((tail, links.next)), links.previous.map(|at| (id, at))];
    for (member, at) in places.into_iter().flatten() {
        let node = pattern.objects.get_mut(&names[&member])?;
        let overlapping = node.overlapping(at, links.width);
        if overlapping.iter().any(|place| *place != at || node.fields[place].size != links.width) {
            return None;
        }
        node.fields.entry(at).or_insert(Field { size: links.width, value: ZERO });
    }
    // Symbols that are used elsewhere, too, are shared.
    let mut shared: BTreeSet<SymbolId> = BTreeSet::new();
    let mut note = |value: GraphValue| {
        if let GraphValue::Symbol(symbol) = value {
            shared.insert(symbol);
        }
    };
    for (other, object) in graph.objects.iter().filter(|(other, _)| !names.contains_key(other)) {
        debug_assert!(*other != id);
        object.values().for_each(&mut note);
    }
    temporaries.iter().copied().for_each(&mut note);
    note(next);
    note(previous);
    let mut args: Vec<GraphValue> = Vec::new();
    let mut symbols: BTreeMap<SymbolId, GraphValue> = BTreeMap::new();
    let outer = |value: GraphValue, args: &mut Vec<GraphValue>| {
        let known = args.iter().position(|arg| *arg == value);
        GraphValue::Outer(known.unwrap_or_else(|| {
            args.push(value);
            args.len() - 1
        }))
    };
    for (member, name) in &names {
        let mut copy = pattern.objects.remove(name)?;
        let mut change = |value: GraphValue, pattern: &mut Graph| match value {
            GraphValue::Address(target, end, at) => match names.get(&target) {
                Some(name) => GraphValue::Address(*name, end, at),
                None => outer(value, &mut args),
            },
            GraphValue::Symbol(symbol) if shared.contains(&symbol) => outer(value, &mut args),
            GraphValue::Symbol(symbol) => *symbols.entry(symbol).or_insert_with(|| {
                pattern.symbol(graph.symbols.get(&symbol).cloned().unwrap_or_else(|| Facts::any(8)))
            }),
            other => other,
        };
        for (at, field) in &mut copy.fields {
            field.value = match (*member, Some(*at)) {
                (member, at) if member == tail && at == Some(links.next) => GraphValue::Next,
                (member, at) if member == id && at == links.previous => GraphValue::Previous,
                _ => change(field.value, &mut pattern),
            };
        }
        if let Some(segment) = &mut copy.segment {
            for arg in &mut segment.args {
                *arg = change(*arg, &mut pattern);
            }
            segment.next = change(segment.next, &mut pattern);
            segment.previous = change(segment.previous, &mut pattern);
        }
        pattern.objects.insert(*name, copy);
    }
    Some(Taken { pattern, args, next, previous, private })
}

/// Allocations that only the fields of a node lead to, its links aside.
fn private_objects(
    graph: &Graph,
    id: ObjectId,
    is_link: &dyn Fn(u64) -> bool,
    temporaries: &[GraphValue],
) -> Vec<ObjectId> {
    let own =
        graph.objects[&id].fields.iter().filter(|(at, _)| !is_link(**at)).filter_map(|(_, field)| field.value.object());
    let mut members: BTreeSet<ObjectId> = graph.reachable(own);
    let links: Vec<ObjectId> = graph.objects[&id]
        .fields
        .iter()
        .filter(|(at, _)| is_link(**at))
        .filter_map(|(_, field)| field.value.object())
        .collect();
    members.retain(|member| *member != id && graph.objects[member].kind == Kind::Heap && !links.contains(member));
    loop {
        let escapes = |member: &ObjectId| {
            holders(graph, *member).any(|holder| holder != id && !members.contains(&holder))
                || temporaries.iter().any(|value| value.object() == Some(*member))
        };
        let Some(escaped) = members.iter().copied().find(escapes) else { break };
        members.remove(&escaped);
    }
    // What is left must be reachable from the node without objects that are not its own.
    members.into_iter().collect()
}

/// One side of a fold.
struct Part {
    nodes: Vec<Arc<Graph>>,
    args: Vec<GraphValue>,
    min: u8,
    next: GraphValue,
    previous: GraphValue,
    private: Vec<ObjectId>,
    /// The object that the link to what follows is in.
    tail: ObjectId,
}

fn part(graph: &Graph, id: ObjectId, links: Links) -> Option<Part> {
    if let Some(segment) = graph.segment(id) {
        let Segment { nodes, args, min, next, previous, .. } = segment.clone();
        let private = Vec::new();
        return (segment.links == links).then_some(Part { nodes, args, min, next, previous, private, tail: id });
    }
    Some(taken_part(take_node(graph, id, links, &[])?, id))
}

fn taken_part(taken: Taken, tail: ObjectId) -> Part {
    Part {
        nodes: vec![Arc::new(taken.pattern)],
        args: taken.args,
        min: 1,
        next: taken.next,
        previous: taken.previous,
        private: taken.private,
        tail,
    }
}

/// Folds until nothing can be folded any more.
pub fn fold(program: &Program, state: &mut State, policy: Policy<'_>) {
    loop {
        let folded = fold_once(program, state, policy).or_else(|| match policy.pairs {
            true => fold_pairs(program, state, policy),
            false => None,
        });
        match folded {
            Some(folded) => *state = folded,
            None => return,
        }
    }
}

/// Two nodes in a row as one node of a list whose nodes alternate.
fn pair_part(graph: &Graph, id: ObjectId, links: Links) -> Option<Part> {
    let Some(GraphValue::Address(tail, End::First, head)) = graph.peek(id, links.next, links.width) else {
        return None;
    };
    let object = graph.objects.get(&tail)?;
    let fits = head == links.head && object.kind == Kind::Heap && object.segment.is_none() && tail != id;
    if !fits || graph.segment(id).is_some() || object.size != graph.objects[&id].size {
        return None;
    }
    let leading = |object: &Object| object.values().filter(|value| value.object() == Some(tail)).count();
    let one_way = graph.objects.values().map(leading).sum::<usize>() == 1;
    one_way.then(|| Some(taken_part(take(graph, id, tail, links, &[])?, tail)))?
}

/// Folds pairs of nodes: what follows a list of pairs, or four nodes in a row.
fn fold_pairs(program: &Program, state: &State, policy: Policy<'_>) -> Option<State> {
    let graph = &state.graph;
    for (one, other, links) in neighbours(program, graph).into_iter().filter(|(.., links)| links.previous.is_none()) {
        let (first, other) = match graph.segment(one) {
            Some(_) => (part(graph, one, links), other),
            None => {
                let first = pair_part(graph, one, links);
                let Some(next) = first.as_ref().and_then(|part| part.next.object()) else { continue };
                (first, next)
            }
        };
        let Some(first) = first else { continue };
        if first.next != GraphValue::Address(other, End::First, links.head)
            || first.private.contains(&other)
            || other == one
        {
            continue;
        }
        if graph.objects.get(&other).is_none_or(|object| object.kind != Kind::Heap) {
            continue;
        }
        let second = match graph.segment(other) {
            Some(_) => part(graph, other, links),
            None => pair_part(graph, other, links),
        };
        if let Some(second) = second
            && let Some((_, folded)) = fold_parts(state, (one, first), (other, second), links, policy)
        {
            return Some(folded);
        }
    }
    None
}

fn fold_once(program: &Program, state: &State, policy: Policy<'_>) -> Option<State> {
    let mut found: Option<(usize, State)> = None;
    for (one, other, links) in neighbours(program, &state.graph) {
        if policy.chain > 2 && !has_third(&state.graph, one, other, links) {
            continue;
        }
        // Nested lists first: they are parts of the nodes of others.
        if let Some((size, folded)) = fold_pair(state, one, other, links, policy)
            && found.as_ref().is_none_or(|(least, _)| size < *least)
        {
            found = Some((size, folded));
        }
    }
    found.map(|(_, folded)| folded)
}

/// Objects that may be neighbours in a list, and its links.
fn neighbours(program: &Program, graph: &Graph) -> Vec<(ObjectId, ObjectId, Links)> {
    let mut found = Vec::new();
    let pointer = program.model().pointer_bytes();
    for (one, object) in graph.objects.iter().filter(|(_, object)| object.kind == Kind::Heap) {
        if let Some(segment) = &object.segment {
            if let GraphValue::Address(other, End::First, head) = segment.next
                && head == segment.links.head
                && is_neighbour(graph, *one, other, segment.links)
            {
                found.push((*one, other, segment.links));
            }
            continue;
        }
        for (at, field) in object.fields.iter().filter(|(_, field)| field.size == pointer) {
            let GraphValue::Address(other, End::First, head) = field.value else { continue };
            let Some(target) = graph.objects.get(&other) else { continue };
            if target.kind != Kind::Heap || target.size != object.size || other == *one {
                continue;
            }
            if let Some(segment) = &target.segment {
                if segment.links.next == *at
                    && segment.links.head == head
                    && is_neighbour(graph, *one, other, segment.links)
                {
                    found.push((*one, other, segment.links));
                }
                continue;
            }
            if !is_link(program, object.hint.or(target.hint), *at, head) || graph.peek(other, *at, pointer).is_none() {
                continue;
            }
            let back = GraphValue::Address(*one, End::First, head);
            let previous = target.fields.iter().find(|(place, field)| {
                *place != at && field.value == back && graph.peek(*one, **place, pointer).is_some()
            });
            let links = Links { next: *at, previous: previous.map(|(place, _)| *place), head, width: pointer };
            // A doubly linked list has two directions; one of them is enough.
            if links.previous.is_none_or(|place| place > *at) {
                found.push((*one, other, links));
            }
        }
    }
    found
}

/// Whether two neighbours are more than two nodes, or have a further one.
fn has_third(graph: &Graph, one: ObjectId, other: ObjectId, links: Links) -> bool {
    if graph.segment(one).is_some() || graph.segment(other).is_some() {
        return true;
    }
    let size = graph.objects[&one].size;
    let is_node =
        |id: ObjectId| graph.objects.get(&id).is_some_and(|object| object.kind == Kind::Heap && object.size == size);
    let leads = |from: ObjectId, to: ObjectId| {
        let link =
            graph.segment(from).map_or_else(|| graph.peek(from, links.next, links.width), |segment| Some(segment.next));
        link == Some(GraphValue::Address(to, End::First, links.head))
    };
    graph.objects.keys().any(|third| {
        *third != one && *third != other && is_node(*third) && (leads(other, *third) || leads(*third, one))
    })
}

/// Whether the second of two objects, one of which is a segment, links back to the first, if it has to.
fn is_neighbour(graph: &Graph, one: ObjectId, other: ObjectId, links: Links) -> bool {
    let (Some(first), Some(second)) = (graph.objects.get(&one), graph.objects.get(&other)) else { return false };
    if one == other || second.kind != Kind::Heap || first.size != second.size {
        return false;
    }
    if second.segment.as_ref().is_some_and(|segment| segment.links != links) {
        return false;
    }
    if second.segment.is_none() && graph.peek(other, links.next, links.width).is_none() {
        return false;
    }
    let Some(place) = links.previous else { return true };
    let end = if first.segment.is_some() { End::Last } else { End::First };
    let back = GraphValue::Address(one, end, links.head);
    let held = match &second.segment {
        Some(segment) => segment.previous,
        None => second.fields.get(&place).map_or(ZERO, |field| field.value),
    };
    held == back && (first.segment.is_some() || graph.peek(one, place, links.width).is_some())
}

/// Whether a member of a type points to where another object of the type has something of the member's target type: then it may be a link.
fn is_link(program: &Program, hint: Option<TypeId>, at: u64, head: i64) -> bool {
    let Some(ty) = hint else { return true };
    let Ok(head) = u64::try_from(head) else { return false };
    let member = types_at(program, ty, at).into_iter().find_map(|ty| program.types.pointee(ty));
    match member {
        Some(TypeId::VOID | TypeId::CHAR) => true,
        Some(target) => head == 0 && target == ty || types_at(program, ty, head).contains(&target),
        None => false,
    }
}

/// The types that have one or two pointers to themselves: nodes of lists, most likely.
pub fn list_links(program: &Program) -> BTreeMap<TypeId, Links> {
    let width = program.model().pointer_bytes();
    let links = |ty: TypeId, data: &Type| {
        let Type::Record(record) = data else { return None };
        let fields = &program.types.records[*record].fields;
        let mut own = fields.iter().filter(|field| program.types.pointee(field.ty) == Some(ty));
        let (next, previous) = (own.next()?.offset, own.next().map(|field| field.offset));
        own.next().is_none().then_some(Links { next, previous, head: 0, width })
    };
    program.types.iter().filter_map(|(ty, data)| Some((ty, links(ty, data)?))).collect()
}

/// The types of what begins at an offset, from the outside inwards.
fn types_at(program: &Program, ty: TypeId, at: u64) -> Vec<TypeId> {
    let mut found = Vec::new();
    let (mut ty, mut at) = (ty, at);
    loop {
        if at == 0 {
            found.push(ty);
        }
        match program.types.get(ty) {
            Type::Record(record) => {
                let fields = &program.types.records[*record].fields;
                let size = |ty: TypeId| program.types.size_of(ty).unwrap_or(0);
                let inside = fields.iter().find(|field| field.offset <= at && at < field.offset + size(field.ty));
                let Some(field) = inside else { return found };
                (ty, at) = (field.ty, at - field.offset);
            }
            Type::Array(element, _) => {
                let size = program.types.size_of(*element).unwrap_or(0).max(1);
                (ty, at) = (*element, at % size);
            }
            _ => return found,
        }
    }
}

/// The state with two neighbours folded, and how much belongs to them alone.
fn fold_pair(
    state: &State,
    one: ObjectId,
    other: ObjectId,
    links: Links,
    policy: Policy<'_>,
) -> Option<(usize, State)> {
    let (first, second) = (part(&state.graph, one, links)?, part(&state.graph, other, links)?);
    fold_parts(state, (one, first), (other, second), links, policy)
}

fn fold_parts(
    state: &State,
    (one, first): (ObjectId, Part),
    (other, second): (ObjectId, Part),
    links: Links,
    policy: Policy<'_>,
) -> Option<(usize, State)> {
    let graph = &state.graph;
    let inside: BTreeSet<ObjectId> =
        [one, other].into_iter().chain(first.private.iter().copied()).chain(second.private.iter().copied()).collect();
    if first.args.iter().chain(&second.args).any(|arg| arg.object().is_some_and(|object| inside.contains(&object))) {
        return None;
    }
    if !only_links_between(state, one, other, links, &first, &second) {
        return None;
    }
    // Arguments with the same number are the same.
    let mut args: Vec<GraphValue> = Vec::new();
    let mut renumbered = |part: &Part| -> Vec<Arc<Graph>> {
        let numbers: Vec<usize> = part
            .args
            .iter()
            .map(|arg| {
                args.iter().position(|known| known == arg).unwrap_or_else(|| {
                    args.push(*arg);
                    args.len() - 1
                })
            })
            .collect();
        let rename = |node: &Arc<Graph>| {
            let mut node = Graph::clone(node);
            node.map(&mut |value| {
                if let GraphValue::Outer(number) = value { GraphValue::Outer(numbers[number]) } else { value }
            });
            Arc::new(node)
        };
        part.nodes.iter().map(rename).collect()
    };
    let (nodes, others) = (renumbered(&first), renumbered(&second));
    let known = |number: usize| {
        let arg = args[number];
        arg.is_number().then(|| graph.facts(arg, state.pointer_bits))
    };
    let nodes = join_patterns(&nodes, &others, policy, &known)?;
    let (nodes, args) = without_unused(nodes, &args);
    let mut folded = state.clone();
    let mut object = Object {
        hint: graph.objects[&one].hint.or(graph.objects[&other].hint),
        ..Object::new(Kind::Heap, graph.objects[&one].size, false)
    };
    let previous = if links.previous.is_some() { first.previous } else { ZERO };
    let min = (first.min + second.min).min(MAX_MIN);
    object.segment = Some(Box::new(Segment { links, nodes, args, min, next: second.next, previous }));
    for id in &inside {
        folded.graph.objects.remove(id);
    }
    let id = folded.graph.add(object);
    let first_is_segment = graph.segment(one).is_some();
    folded.map(&mut |value| match value {
        GraphValue::Address(target, end, at) if target == one => {
            debug_assert!(end == End::First || !first_is_segment);
            GraphValue::Address(id, End::First, at)
        }
        GraphValue::Address(target, _, at) if target == other => GraphValue::Address(id, End::Last, at),
        other => other,
    });
    Some((inside.len(), folded))
}

/// Whether nothing but their links leads to where two neighbours meet.
fn only_links_between(
    state: &State,
    one: ObjectId,
    other: ObjectId,
    links: Links,
    first: &Part,
    second: &Part,
) -> bool {
    let graph = &state.graph;
    let doubly = links.previous.is_some();
    let own = |part: &Part, id: ObjectId, holder: ObjectId| holder == id || part.private.contains(&holder);
    let (one_is_segment, other_is_segment) = (graph.segment(one).is_some(), graph.segment(other).is_some());
    let mut allowed = true;
    let mut judge = |holder: Option<ObjectId>, place: Option<u64>, value: GraphValue| {
        let GraphValue::Address(target, end, _) = value else { return };
        let by = |part: &Part, id: ObjectId| holder.is_some_and(|holder| own(part, id, holder));
        if target == one && !by(first, one) {
            // The link back from the second; everything else leads to the beginning of both.
            let back = holder == Some(other) && place == links.previous && doubly;
            let link_of_last = by(second, other) && !back && place != Some(links.next);
            let inner = one_is_segment && end == End::Last && !back;
            allowed &= !inner && !link_of_last;
        }
        if target == other && !by(second, other) {
            let link = holder == Some(first.tail) && place == Some(links.next);
            let first_of_segment = other_is_segment && end == End::First;
            let from_first = by(first, one) && !link && place != links.previous;
            allowed &= link || (doubly && !first_of_segment && !from_first);
        }
    };
    for (holder, object) in &graph.objects {
        for (at, Field { value, .. }) in &object.fields {
            judge(Some(*holder), Some(*at), *value);
        }
        if let Some(segment) = &object.segment {
            judge(Some(*holder), Some(links.next), segment.next);
            if segment.links.previous.is_some() {
                judge(Some(*holder), links.previous, segment.previous);
            }
            segment.args.iter().for_each(|arg| judge(Some(*holder), None, *arg));
        }
    }
    state.temporaries.iter().for_each(|value| judge(None, None, *value));
    allowed
}

/// Leaves out arguments that no pattern uses any more.
fn without_unused(nodes: Vec<Arc<Graph>>, args: &[GraphValue]) -> (Vec<Arc<Graph>>, Vec<GraphValue>) {
    let mut used: BTreeSet<usize> = BTreeSet::new();
    for object in nodes.iter().flat_map(|node| node.objects.values()) {
        for value in object.values() {
            if let GraphValue::Outer(number) = value {
                used.insert(number);
            }
        }
    }
    let kept: Vec<usize> = used.into_iter().collect();
    let rename = |node: Arc<Graph>| {
        let mut node = Graph::clone(&node);
        node.map(&mut |value| match value {
            GraphValue::Outer(number) => GraphValue::Outer(kept.iter().position(|kept| *kept == number).unwrap_or(0)),
            other => other,
        });
        Arc::new(node)
    };
    (nodes.into_iter().map(rename).collect(), kept.iter().map(|number| args[*number]).collect())
}

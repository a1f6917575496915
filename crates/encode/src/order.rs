//! The order in which locations of a function are executed: topological, except for back edges, and every loop contiguous. Always taking the
//! first pending location then merges paths before they go on, and finishes a loop before what follows it. An edge that leads back in this order
//! waits until nothing of its loop is pending ([`Order::round`]), so that the paths of one iteration meet before the next one begins.

use cfa::{FuncId, LocId, Program, loops};
use rustc_hash::{FxHashMap, FxHashSet};

pub struct Order {
    /// Position of each location, by its number in the function.
    position: Vec<u32>,
    first: u32,
    /// Loop heads around each location, innermost first.
    enclosing: FxHashMap<LocId, Vec<LocId>>,
    /// First and last position of each loop, by its head.
    extent: FxHashMap<LocId, (u32, u32)>,
    /// Heads of loops that can be entered past their head.
    irreducible: FxHashSet<LocId>,
}

impl Order {
    pub fn of(program: &Program, function: FuncId) -> Order {
        let automaton = program.automaton(function).expect("a function with a body");
        let found = loops::loops(program, function);
        // The innermost loop of each location: inner loops come after outer ones.
        let mut innermost: FxHashMap<LocId, usize> = FxHashMap::default();
        for (number, one) in found.iter().enumerate() {
            for location in &one.body {
                innermost.insert(*location, number);
            }
        }
        let parents: Vec<Option<usize>> = found.iter().map(|one| one.parent).collect();
        let heads: Vec<LocId> = found.iter().map(|one| one.head).collect();
        let mut ordering = Ordering {
            program,
            loops: &found,
            innermost: &innermost,
            parents: &parents,
            heads: &heads,
            result: Vec::new(),
        };
        ordering.region(None, automaton.entry);
        let first = automaton.locations.start;
        let mut position = vec![u32::MAX; (automaton.locations.end - first) as usize];
        for (index, location) in ordering.result.iter().enumerate() {
            position[(location.0 - first) as usize] = index as u32;
        }
        let mut enclosing: FxHashMap<LocId, Vec<LocId>> = FxHashMap::default();
        for (location, number) in &innermost {
            let chain = std::iter::successors(Some(*number), |number| parents[*number]);
            enclosing.insert(*location, chain.map(|number| heads[number]).collect());
        }
        let mut extent = FxHashMap::default();
        for one in &found {
            let positions = one.body.iter().map(|location| position[(location.0 - first) as usize]);
            let (low, high) = positions.fold((u32::MAX, 0), |(low, high), at| (low.min(at), high.max(at)));
            extent.insert(one.head, (low, high));
        }
        let irreducible = found.iter().filter(|one| one.irreducible).map(|one| one.head).collect();
        Order { position, first, enclosing, extent, irreducible }
    }

    /// The innermost loop that an edge which leads back stays in: its head, and its first and last position. A constant condition that is relaxed can
    /// lead back where there is no loop: all between its ends is one then.
    pub fn round(&self, from: LocId, to: LocId) -> Round {
        let around = self.loops_around(from);
        match self.loops_around(to).iter().find(|head| around.contains(head)) {
            Some(head) => {
                let (first, last) = self.extent[head];
                Round { head: *head, first, last }
            }
            None => Round { head: to, first: self.position(to), last: self.position(from) },
        }
    }

    /// One round through the loop with this head; `None` if there is no such loop, or if it can be entered past its head.
    pub fn loop_at(&self, head: LocId) -> Option<Round> {
        let (first, last) = *self.extent.get(&head)?;
        (!self.irreducible.contains(&head)).then_some(Round { head, first, last })
    }

    /// Whether a location lies in a loop that can be entered past its head, so that counting executions of heads does not tell its own apart.
    pub fn in_irreducible_loop(&self, location: LocId) -> bool {
        self.loops_around(location).iter().any(|head| self.irreducible.contains(head))
    }

    pub fn position(&self, location: LocId) -> u32 {
        self.position[(location.0 - self.first) as usize]
    }

    pub fn loops_around(&self, location: LocId) -> &[LocId] {
        self.enclosing.get(&location).map_or(&[], Vec::as_slice)
    }
}

/// One more round through a loop: all locations between two positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Round {
    pub head: LocId,
    pub first: u32,
    pub last: u32,
}

impl Round {
    pub fn contains(&self, position: u32) -> bool {
        (self.first..=self.last).contains(&position)
    }
}

struct Ordering<'a> {
    program: &'a Program,
    loops: &'a [loops::Loop],
    innermost: &'a FxHashMap<LocId, usize>,
    parents: &'a [Option<usize>],
    heads: &'a [LocId],
    result: Vec<LocId>,
}

impl Ordering<'_> {
    /// The loop directly inside `outer` that a location lies in; `None` if it lies in no inner loop; `Err` if it is outside of `outer`.
    fn inner_loop(&self, outer: Option<usize>, location: LocId) -> Result<Option<usize>, ()> {
        let mut child = None;
        let mut at = self.innermost.get(&location).copied();
        while at != outer {
            child = at;
            at = match at {
                Some(number) => self.parents[number],
                None => return Err(()),
            };
        }
        Ok(child)
    }

    /// Orders the locations of one loop (or of the function), with inner loops as single nodes.
    fn region(&mut self, outer: Option<usize>, head: LocId) {
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        enum Node {
            Location(LocId),
            Loop(usize),
        }
        let node = |ordering: &Self, location: LocId| match ordering.inner_loop(outer, location) {
            Ok(Some(inner)) => Some(Node::Loop(inner)),
            Ok(None) => Some(Node::Location(location)),
            Err(()) => None,
        };
        let successors = |ordering: &Self, at: Node| -> Vec<Node> {
            let inside: Vec<LocId> = match at {
                Node::Location(location) => vec![location],
                Node::Loop(inner) => ordering.loops[inner].body.clone(),
            };
            let mut found = Vec::new();
            for location in inside {
                for edge in ordering.program.successors(location) {
                    let to = ordering.program.edges[edge].to;
                    // Back edges to the region's own head do not count.
                    if outer.is_some() && to == head {
                        continue;
                    }
                    if let Some(next) = node(ordering, to)
                        && next != at
                    {
                        found.push(next);
                    }
                }
            }
            found.sort_by_key(|node| match node {
                Node::Location(location) => location.0,
                Node::Loop(inner) => ordering.heads[*inner].0,
            });
            found.dedup();
            found
        };
        // Depth-first, iteratively; reverse postorder.
        let start = match outer {
            Some(_) => Node::Location(head),
            None => node(self, head).unwrap_or(Node::Location(head)),
        };
        let mut seen = FxHashSet::default();
        seen.insert(start);
        let mut stack = vec![(start, successors(self, start), 0usize)];
        let mut postorder = Vec::new();
        while let Some((at, next, index)) = stack.last_mut() {
            match next.get(*index).copied() {
                Some(child) => {
                    *index += 1;
                    if seen.insert(child) {
                        let children = successors(self, child);
                        stack.push((child, children, 0));
                    }
                }
                None => {
                    postorder.push(*at);
                    stack.pop();
                }
            }
        }
        for at in postorder.into_iter().rev() {
            match at {
                Node::Location(location) => self.result.push(location),
                Node::Loop(inner) => self.region(Some(inner), self.heads[inner]),
            }
        }
    }
}

//! Loops of an automaton: which locations head one, and how loops nest.
//!
//! Only edges that a run can take count: an `Assume` whose constant condition contradicts it, and `Halt`, lead nowhere. So the body of
//! `do { … } while (0)` is no loop however it was lowered.
//!
//! A *head* is, for a structured loop, the location the frontend marked; for a loop built with `goto`, the target of a back edge of a
//! depth-first search. This is wider than Beyer et al. 2022, section 5 (whose head must also have an edge that leaves the loop, so that
//! `again: x++; if (x < 9) goto again;` has none), because engines cut the automaton at heads:
//! **every cycle passes through a head** once [`mark_loop_heads`] has run.
//!
//! Everything is iterative, and linear but for the union-find of [`loops`]; an entry into an irreducible loop is looked at once more
//! for each loop around it that it enters too.

use crate::{FuncId, LocId, Op, Program};
use base::Span;
use base::ids::Id;

/// A loop of the nesting forest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    pub head: LocId,
    /// All locations of the loop, inner loops and the head included, ascending.
    pub body: Vec<LocId>,
    /// Index of the innermost loop around this one; smaller than the own index.
    pub parent: Option<usize>,
    /// The body can be entered past the head.
    pub irreducible: bool,
}

const NONE: usize = usize::MAX;

/// Sets `Location::loop_head` for loops built with `goto`: where a cycle avoids all heads the frontend marked, the target of its back
/// edge becomes one, with the span of the first edge that leaves it. A mark on a location that lies on no cycle is removed.
pub fn mark_loop_heads(program: &mut Program, function: FuncId) {
    let Some(graph) = Graph::of(program, function) else { return };
    let component = graph.components(&|_| true);
    let mut members = vec![0u32; graph.next.len()];
    for node in &component {
        members[*node] += 1;
    }
    let mut marked = vec![false; graph.next.len()];
    for node in 0..graph.next.len() {
        let location = &mut program.locations[graph.location(node)];
        if location.loop_head.is_some() {
            marked[node] = members[component[node]] > 1 || graph.successors(node).any(|next| next == node);
            if !marked[node] {
                location.loop_head = None;
            }
        }
    }
    // The location of a cycle that the search met first is above all others in the search tree, so the cycle enters it by a back edge.
    let walk = graph.walk(std::iter::once(graph.entry).chain(0..graph.next.len()));
    let component = graph.components(&|node| !marked[node]);
    for node in (0..graph.next.len()).filter(|node| !marked[*node]) {
        for head in graph.successors(node).filter(|head| !marked[*head]) {
            if component[node] == component[head] && walk.is_above(walk.number[head], walk.number[node]) {
                let head = graph.location(head);
                let span = program.locations[head].out[0].map_or(Span::NONE, |edge| program.edges[edge].span);
                program.locations[head].loop_head = Some(span);
            }
        }
    }
}

/// The loop nesting forest (Havlak 1997) of what is reachable from the entry, outer loops first. Loops with one head are one
/// loop. Of an irreducible loop, the head is the location that the depth-first search reaches first.
pub fn loops(program: &Program, function: FuncId) -> Vec<Loop> {
    let Some(graph) = Graph::of(program, function) else { return Vec::new() };
    let walk = graph.walk(std::iter::once(graph.entry));
    let count = walk.order.len();
    // From here on, locations go by their number in the walk.
    let (mut back, mut others) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for (from, node) in walk.order.iter().enumerate() {
        for next in graph.successors(*node) {
            let to = walk.number[next];
            if walk.is_above(to, from) { back[to].push(from) } else { others[to].push(from) }
        }
    }
    let mut sets: Vec<usize> = (0..count).collect();
    let mut mark = vec![NONE; count];
    let mut outer = vec![NONE; count];
    let mut irreducible = vec![false; count];
    for head in (0..count).rev() {
        let mut body = Vec::new();
        for from in &back[head] {
            let from = find(&mut sets, *from);
            if from != head && mark[from] != head {
                mark[from] = head;
                body.push(from);
            }
        }
        let mut at = 0;
        while at < body.len() {
            for from in std::mem::take(&mut others[body[at]]) {
                let from = find(&mut sets, from);
                if !walk.is_above(head, from) {
                    irreducible[head] = true;
                    others[head].push(from);
                } else if from != head && mark[from] != head {
                    mark[from] = head;
                    body.push(from);
                }
            }
            at += 1;
        }
        for inner in body {
            outer[inner] = head;
            sets[inner] = head;
        }
    }
    let mut index = vec![NONE; count];
    let mut loops: Vec<Loop> = Vec::new();
    for head in (0..count).filter(|head| !back[*head].is_empty()) {
        index[head] = loops.len();
        let parent = (outer[head] != NONE).then(|| index[outer[head]]);
        let head_location = graph.location(walk.order[head]);
        loops.push(Loop { head: head_location, body: Vec::new(), parent, irreducible: irreducible[head] });
    }
    for node in 0..graph.next.len() {
        let mut number = walk.number[node];
        while number != NONE {
            if index[number] != NONE {
                loops[index[number]].body.push(graph.location(node));
            }
            number = outer[number];
        }
    }
    loops
}

/// Root of a union-find tree, halving the path on the way.
fn find(sets: &mut [usize], mut item: usize) -> usize {
    while sets[item] != item {
        sets[item] = sets[sets[item]];
        item = sets[item];
    }
    item
}

/// The locations of one function, numbered from 0.
struct Graph {
    first: usize,
    entry: usize,
    next: Vec<[usize; 2]>,
}

impl Graph {
    fn of(program: &Program, function: FuncId) -> Option<Graph> {
        let automaton = program.automaton(function)?;
        let first = automaton.locations.start as usize;
        let successor = |edge: Option<crate::EdgeId>| {
            let edge = &program.edges[edge?];
            let dead = match edge.op {
                Op::Halt(_) => true,
                Op::Assume { cond, truth, .. } => program.constant(cond).is_some_and(|value| value.is_zero() == truth),
                _ => false,
            };
            (!dead).then(|| edge.to.index() - first)
        };
        let next = automaton
            .locations
            .clone()
            .map(|location| program.locations[LocId(location)].out.map(|edge| successor(edge).unwrap_or(NONE)))
            .collect();
        Some(Graph { first, entry: automaton.entry.index() - first, next })
    }

    fn location(&self, node: usize) -> LocId {
        LocId::from_index(self.first + node)
    }

    fn successors(&self, node: usize) -> impl Iterator<Item = usize> {
        self.next[node].into_iter().filter(|next| *next != NONE)
    }

    /// Depth-first search from the roots in turn.
    fn walk(&self, roots: impl Iterator<Item = usize>) -> Walk {
        let mut walk = Walk { order: Vec::new(), number: vec![NONE; self.next.len()], last: Vec::new() };
        let mut stack = Vec::new();
        for root in roots {
            if walk.number[root] == NONE {
                walk.visit(root);
                stack.push((root, 0));
            }
            while let Some((node, at)) = stack.last_mut() {
                if *at == 2 {
                    walk.last[walk.number[*node]] = walk.order.len() - 1;
                    stack.pop();
                    continue;
                }
                let next = self.next[*node][*at];
                *at += 1;
                if next != NONE && walk.number[next] == NONE {
                    walk.visit(next);
                    stack.push((next, 0));
                }
            }
        }
        walk
    }

    /// For each node that is kept, one node of its strongly connected component (Tarjan 1972); other nodes stand for themselves.
    fn components(&self, keep: &dyn Fn(usize) -> bool) -> Vec<usize> {
        let count = self.next.len();
        let mut component: Vec<usize> = (0..count).collect();
        let (mut number, mut low, mut open) = (vec![NONE; count], vec![0; count], vec![false; count]);
        let (mut path, mut stack, mut counter) = (Vec::new(), Vec::new(), 0);
        for root in (0..count).filter(|node| keep(*node)) {
            if number[root] == NONE {
                stack.push((root, 0));
            }
            while let Some((node, at)) = stack.last_mut() {
                let node = *node;
                if *at == 0 {
                    (number[node], low[node], open[node]) = (counter, counter, true);
                    counter += 1;
                    path.push(node);
                }
                if *at < 2 {
                    let next = self.next[node][*at];
                    *at += 1;
                    if next == NONE || !keep(next) {
                        continue;
                    }
                    if number[next] == NONE {
                        stack.push((next, 0));
                    } else if open[next] {
                        low[node] = low[node].min(number[next]);
                    }
                    continue;
                }
                stack.pop();
                if let Some((parent, _)) = stack.last() {
                    low[*parent] = low[*parent].min(low[node]);
                }
                if low[node] == number[node] {
                    while let Some(member) = path.pop() {
                        open[member] = false;
                        component[member] = node;
                        if member == node {
                            break;
                        }
                    }
                }
            }
        }
        component
    }
}

/// A depth-first search: nodes are numbered in the order they are met.
struct Walk {
    order: Vec<usize>,
    /// By node; `NONE` where the walk did not come.
    number: Vec<usize>,
    /// By number: the highest number in the subtree.
    last: Vec<usize>,
}

impl Walk {
    fn visit(&mut self, node: usize) {
        self.number[node] = self.order.len();
        self.order.push(node);
        self.last.push(0);
    }

    /// Whether a number is the other or an ancestor of it in the tree.
    fn is_above(&self, above: usize, below: usize) -> bool {
        above <= below && below <= self.last[above]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Builder;
    use crate::{AssumeRole, Branch};

    /// A function whose locations are numbers; node 0 is the entry. Two successors make a branch, none is the end of the run.
    fn graph(edges: &[(usize, &[usize])], marks: &[usize]) -> (Program, FuncId) {
        let mut b = Builder::new();
        let f = b.begin_simple("f");
        let locations: Vec<LocId> = (0..edges.len()).map(|_| b.loc()).collect();
        let exit = b.loc();
        for (node, next) in edges {
            match next {
                [] => {}
                [one] => {
                    let span = Span::new(*node as u32 + 1, 999_999);
                    b.edge_at(locations[*node], Op::Skip, locations[*one], span);
                }
                [yes, no] => {
                    let cond = b.global_int("c");
                    let role = AssumeRole::Branch(Branch::If);
                    b.branch(locations[*node], cond, role, locations[*yes], locations[*no]);
                }
                _ => panic!("at most two successors"),
            }
        }
        for mark in marks {
            b.program.locations[locations[*mark]].loop_head = Some(Span::new(50, 60));
        }
        b.end(locations[0], exit);
        (b.program, f)
    }

    fn heads(program: &Program) -> Vec<(u32, Span)> {
        program.locations.iter().filter_map(|(id, location)| Some((id.0, location.loop_head?))).collect()
    }

    #[test]
    fn goto_loop_is_marked_with_the_span_of_its_first_edge() {
        let (mut program, f) = graph(&[(0, &[1]), (1, &[2]), (2, &[1, 3]), (3, &[])], &[]);
        mark_loop_heads(&mut program, f);
        assert_eq!(heads(&program), [(1, Span::new(2, 999_999))]);
    }

    #[test]
    fn the_frontends_head_is_kept_and_no_second_one_is_added() {
        // do { 1 } while (2): the frontend marked the condition.
        let (mut program, f) = graph(&[(0, &[1]), (1, &[2]), (2, &[1, 3]), (3, &[])], &[2]);
        mark_loop_heads(&mut program, f);
        assert_eq!(heads(&program), [(2, Span::new(50, 60))]);
        assert_eq!(loops(&program, f)[0].head, LocId(1));
    }

    #[test]
    fn a_mark_off_every_cycle_is_removed() {
        let (mut program, f) = graph(&[(0, &[1]), (1, &[2, 3]), (2, &[3]), (3, &[])], &[1]);
        mark_loop_heads(&mut program, f);
        assert_eq!(heads(&program), []);
    }

    #[test]
    fn a_contradicted_constant_condition_is_no_loop() {
        let (mut program, f) = graph(&[(0, &[1]), (1, &[0, 2]), (2, &[])], &[0]);
        for expr in program.exprs.values_mut() {
            expr.kind = crate::ExprKind::Const(crate::Bits::ZERO);
        }
        mark_loop_heads(&mut program, f);
        assert_eq!(heads(&program), []);
        assert_eq!(loops(&program, f), []);
    }

    #[test]
    fn a_goto_loop_inside_a_marked_loop_is_cut_too() {
        // 1 heads a while; inside, 2 -> 3 -> 2 is a goto loop.
        let (mut program, f) = graph(&[(0, &[1]), (1, &[2, 4]), (2, &[3]), (3, &[2, 1]), (4, &[])], &[1]);
        mark_loop_heads(&mut program, f);
        assert_eq!(heads(&program), [(1, Span::new(50, 60)), (2, Span::new(3, 999_999))]);
        let found = loops(&program, f);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].head, &found[0].body[..]), (LocId(1), &[LocId(1), LocId(2), LocId(3)][..]));
        assert_eq!((found[1].head, found[1].parent), (LocId(2), Some(0)));
        assert_eq!(found[1].body, [LocId(2), LocId(3)]);
    }

    #[test]
    fn self_loop() {
        let (mut program, f) = graph(&[(0, &[1]), (1, &[1])], &[]);
        mark_loop_heads(&mut program, f);
        assert_eq!(heads(&program), [(1, Span::new(2, 999_999))]);
        assert_eq!(
            loops(&program, f),
            [Loop { head: LocId(1), body: vec![LocId(1)], parent: None, irreducible: false }]
        );
    }

    #[test]
    fn irreducible_loop_has_the_first_entry_as_head() {
        let (mut program, f) = graph(&[(0, &[1, 2]), (1, &[2, 3]), (2, &[1]), (3, &[])], &[]);
        mark_loop_heads(&mut program, f);
        assert_eq!(heads(&program).len(), 1);
        let found = loops(&program, f);
        assert_eq!(found.len(), 1);
        assert!(found[0].irreducible);
        assert_eq!((found[0].head, &found[0].body[..]), (LocId(1), &[LocId(1), LocId(2)][..]));
    }

    /// On random graphs: every cycle passes through a head, and a head that was added lies on a cycle.
    #[test]
    fn heads_cut_every_cycle_of_random_graphs() {
        let mut random = crate::testing::Random::new(7);
        for _ in 0..400 {
            let count = 2 + random.below(12);
            let next: Vec<Vec<usize>> =
                (0..count).map(|_| (0..random.below(3)).map(|_| random.below(count)).collect()).collect();
            let edges: Vec<(usize, &[usize])> = next.iter().enumerate().map(|(n, next)| (n, &next[..])).collect();
            let marks: Vec<usize> = (0..count).filter(|_| random.below(6) == 0).collect();
            let (mut program, f) = graph(&edges, &marks);
            mark_loop_heads(&mut program, f);
            let graph = Graph::of(&program, f).unwrap();
            let is_head = |node: usize| program.locations[graph.location(node)].loop_head.is_some();
            let cut = graph.components(&|node| !is_head(node));
            let whole = graph.components(&|_| true);
            for node in 0..count {
                let cycle =
                    |c: &[usize]| (0..count).filter(|o| c[*o] == c[node]).count() > 1 || next[node].contains(&node);
                assert!(is_head(node) || !cycle(&cut), "{edges:?} {marks:?}");
                assert!(!is_head(node) || cycle(&whole), "{edges:?} {marks:?}");
            }
            for (index, found) in loops(&program, f).iter().enumerate() {
                assert!(found.parent.is_none_or(|parent| parent < index), "{edges:?}");
                for location in &found.body {
                    let node = location.index();
                    assert_eq!(whole[node], whole[found.head.index()], "{edges:?}");
                }
            }
        }
    }

    #[test]
    fn long_functions_and_deep_nests_need_no_stack() {
        let count = 200_000;
        let chain: Vec<Vec<usize>> = (0..count).map(|n| if n + 1 < count { vec![n + 1] } else { vec![0] }).collect();
        let edges: Vec<(usize, &[usize])> = chain.iter().enumerate().map(|(n, next)| (n, &next[..])).collect();
        let (mut program, f) = graph(&edges, &[]);
        mark_loop_heads(&mut program, f);
        assert_eq!(heads(&program).len(), 1);
        assert_eq!(loops(&program, f)[0].body.len(), count);
    }
}

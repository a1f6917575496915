//! Dominators and postdominators of the locations of one function (Cooper et al. 2001).
//!
//! Edges are taken as they stand: a condition that is constant still has two ways. The end of a run (`Halt`, or a location without edges)
//! and the exit of the function are one virtual end, so a location that cannot reach any end has no postdominator.

use crate::{FuncId, LocId, Op, Program};
use base::ids::Id;

/// A tree over the locations of a function: the immediate dominator (or postdominator) of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dominators {
    first: usize,
    /// By location number within the function: its parent in the tree. The root, and what the root does not reach, have none.
    parent: Vec<Option<LocId>>,
    /// Whether the root reaches the location.
    reached: Vec<bool>,
    /// Distance from the root.
    depth: Vec<u32>,
}

impl Dominators {
    /// Every path from the entry to a location passes its dominators.
    pub fn of(program: &Program, function: FuncId) -> Option<Dominators> {
        let automaton = program.automaton(function)?;
        let first = automaton.locations.start as usize;
        let next = successors(program, function);
        Some(Dominators::from_graph(first, automaton.entry.index() - first, &next))
    }

    /// Every path from a location to the end of the function or of the run passes its postdominators.
    pub fn post(program: &Program, function: FuncId) -> Option<Dominators> {
        let automaton = program.automaton(function)?;
        let first = automaton.locations.start as usize;
        let count = automaton.locations.len();
        let mut back = vec![Vec::new(); count + 1];
        for location in automaton.locations.clone().map(LocId) {
            let node = location.index() - first;
            let mut ends = program.locations[location].out == [None, None];
            for edge in program.successors(location) {
                match program.edges[edge].op {
                    Op::Halt(_) => ends = true,
                    _ => back[program.edges[edge].to.index() - first].push(node),
                }
            }
            if ends {
                back[count].push(node);
            }
        }
        let mut tree = Dominators::from_graph(first, count, &back);
        // The virtual end is no location.
        tree.parent.pop();
        tree.reached.pop();
        for parent in &mut tree.parent {
            *parent = parent.filter(|parent| parent.index() != first + count);
        }
        Some(tree)
    }

    fn from_graph(first: usize, root: usize, next: &[Vec<usize>]) -> Dominators {
        let order = postorder(root, next);
        let mut number = vec![usize::MAX; next.len()];
        for (index, node) in order.iter().enumerate() {
            number[*node] = index;
        }
        let mut before = vec![Vec::new(); next.len()];
        for node in &order {
            for to in &next[*node] {
                before[*to].push(*node);
            }
        }
        let mut parent = vec![usize::MAX; next.len()];
        parent[root] = root;
        let mut changed = true;
        while changed {
            changed = false;
            for node in order.iter().rev().copied().filter(|node| *node != root) {
                let mut best = usize::MAX;
                for from in before[node].iter().copied().filter(|from| parent[*from] != usize::MAX) {
                    best = if best == usize::MAX { from } else { meet(&parent, &number, best, from) };
                }
                changed |= parent[node] != best;
                parent[node] = best;
            }
        }
        let mut depth = vec![0; next.len()];
        for node in order.iter().rev().copied().filter(|node| *node != root) {
            depth[node] = depth[parent[node]] + 1;
        }
        let reached = number.iter().map(|number| *number != usize::MAX).collect();
        let parent = (0..next.len())
            .map(|node| (node != root && parent[node] != usize::MAX).then(|| LocId::from_index(first + parent[node])))
            .collect();
        Dominators { first, parent, reached, depth }
    }

    /// The closest other location that dominates it.
    pub fn immediate(&self, location: LocId) -> Option<LocId> {
        self.parent[location.index() - self.first]
    }

    /// Whether the entry reaches the location (the location reaches an end).
    pub fn is_reached(&self, location: LocId) -> bool {
        self.reached[location.index() - self.first]
    }

    /// Whether a location dominates another, or is the same. `false` where the root does not reach both.
    pub fn dominates(&self, above: LocId, below: LocId) -> bool {
        if !self.is_reached(above) || !self.is_reached(below) {
            return false;
        }
        let depth = |location: LocId| self.depth[location.index() - self.first];
        let mut at = below;
        while depth(at) > depth(above) {
            match self.immediate(at) {
                Some(next) => at = next,
                None => break,
            }
        }
        at == above
    }
}

/// The closest common ancestor of two nodes, by numbers that grow towards the root.
fn meet(parent: &[usize], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while number[a] < number[b] {
            a = parent[a];
        }
        while number[b] < number[a] {
            b = parent[b];
        }
    }
    a
}

fn successors(program: &Program, function: FuncId) -> Vec<Vec<usize>> {
    let Some(automaton) = program.automaton(function) else { return Vec::new() };
    let first = automaton.locations.start as usize;
    let targets = |location: u32| {
        let edges = program.successors(LocId(location)).map(|edge| &program.edges[edge]);
        edges.filter(|edge| !matches!(edge.op, Op::Halt(_))).map(|edge| edge.to.index() - first).collect()
    };
    automaton.locations.clone().map(targets).collect()
}

fn postorder(root: usize, next: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; next.len()];
    let mut order = Vec::new();
    let mut stack = vec![(root, 0)];
    seen[root] = true;
    while let Some((node, at)) = stack.last_mut() {
        let Some(to) = next[*node].get(*at).copied() else {
            order.push(*node);
            stack.pop();
            continue;
        };
        *at += 1;
        if !seen[to] {
            seen[to] = true;
            stack.push((to, 0));
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Builder, Random};
    use crate::{AssumeRole, Branch};

    /// A function of random shape; its last location is the exit.
    fn random_function(random: &mut Random) -> (Program, FuncId) {
        let mut b = Builder::new();
        let f = b.begin_simple("f");
        let locations: Vec<LocId> = (0..2 + random.below(9)).map(|_| b.loc()).collect();
        let exit = b.loc();
        for location in &locations {
            match random.below(8) {
                0 => {}
                1 => drop(b.edge(*location, Op::Return(None), exit)),
                2 => drop(b.edge(*location, Op::Halt(None), random.pick(&locations))),
                3..=4 => drop(b.edge(*location, Op::Skip, random.pick(&locations))),
                _ => {
                    let cond = b.global_int("c");
                    let role = AssumeRole::Branch(Branch::If);
                    b.branch(*location, cond, role, random.pick(&locations), random.pick(&locations));
                }
            }
        }
        b.end(locations[0], exit);
        (b.program, f)
    }

    /// Locations that can be reached without passing one of them.
    fn reachable(program: &Program, from: LocId, without: Option<LocId>) -> Vec<LocId> {
        let mut seen = Vec::new();
        let mut pending = vec![from];
        while let Some(at) = pending.pop() {
            if Some(at) == without || seen.contains(&at) {
                continue;
            }
            seen.push(at);
            let edges = program.successors(at).map(|edge| &program.edges[edge]);
            pending.extend(edges.filter(|edge| !matches!(edge.op, Op::Halt(_))).map(|edge| edge.to));
        }
        seen
    }

    fn ends(program: &Program, at: LocId) -> bool {
        program.successors(at).all(|edge| matches!(program.edges[edge].op, Op::Halt(_)))
    }

    #[test]
    fn agree_with_reachability_on_random_graphs() {
        let mut random = Random::new(7);
        let (mut dominated, mut postdominated) = (0, 0);
        for _ in 0..400 {
            let (program, f) = random_function(&mut random);
            let (dominators, post) = (Dominators::of(&program, f).unwrap(), Dominators::post(&program, f).unwrap());
            let automaton = program.automaton(f).unwrap();
            let all: Vec<LocId> = automaton.locations.clone().map(LocId).collect();
            let from_entry = reachable(&program, automaton.entry, None);
            let can_end =
                |from: LocId, without| reachable(&program, from, without).iter().any(|at| ends(&program, *at));
            for a in &all {
                for b in &all {
                    let reached = from_entry.contains(a) && from_entry.contains(b);
                    let expected = reached && (a == b || !reachable(&program, automaton.entry, Some(*a)).contains(b));
                    assert_eq!(dominators.dominates(*a, *b), expected, "{a} dominates {b}");
                    dominated += (expected && a != b) as u32;
                    let expected = can_end(*a, None) && can_end(*b, None) && (a == b || !can_end(*b, Some(*a)));
                    assert_eq!(post.dominates(*a, *b), expected, "{a} postdominates {b}");
                    postdominated += (expected && a != b) as u32;
                }
            }
            for location in &all {
                let others = all.iter().filter(|other| *other != location && dominators.dominates(**other, *location));
                let closest = others.max_by_key(|other| dominators.depth[other.index() - dominators.first]);
                assert_eq!(dominators.immediate(*location), closest.copied());
            }
        }
        assert!(dominated > 1000 && postdominated > 1000, "{dominated} {postdominated}");
    }
}

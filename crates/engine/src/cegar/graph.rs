//! The abstract reachability graph. A node is a place with a cube of literals over its state; its successors are the cubes of what steps can lead to, as
//! far as the precision of the place where they end can tell (lazy abstraction; Henzinger et al. 2002).
//!
//! Invariant: every state that a run is in at a place satisfies the cube of a node there, once nothing is open.

use crate::blocks::Stop;
use crate::blocks::steps::{START, Steps};
use base::Budget;
use logic::{Sort, TermId};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Cubes of one block are not enumerated beyond this.
const MOST_CUBES: usize = 1000;
/// More nodes are given up: an invariant with so many parts cannot be checked in time.
const MOST_NODES: usize = 20_000;

pub struct Node {
    pub place: usize,
    /// Literals over the state, in the order of the precision.
    pub cube: Vec<TermId>,
    /// How many terms of the precision its cube was made with.
    precision: usize,
    /// The node before, and the number of the block from there.
    parent: Option<(usize, usize)>,
    depth: usize,
    /// The nodes that steps lead to, which may be older ones that say less.
    successors: Option<Vec<usize>>,
    removed: bool,
}

pub struct Graph {
    nodes: Vec<Node>,
    /// Nodes whose successors are not known, the shortest paths first.
    open: BTreeSet<(usize, usize)>,
    /// By place: terms over its state whose values abstract states tell. It only grows.
    pub precision: Vec<Vec<TermId>>,
    /// Cubes that one block leads to; where there are more, some terms are not told.
    most_cubes: usize,
}

impl Graph {
    pub fn new(steps: &Steps<'_>, most_cubes: usize) -> Self {
        let start = Node {
            place: START,
            cube: Vec::new(),
            precision: 0,
            parent: None,
            depth: 0,
            successors: None,
            removed: false,
        };
        let precision = vec![Vec::new(); steps.places.len()];
        Graph { nodes: vec![start], open: BTreeSet::from([(0, 0)]), precision, most_cubes }
    }

    /// The nodes that stand for what is reachable.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| !node.removed)
    }

    /// Goes on until a node is found where something may go wrong; `None` if there is none.
    pub fn explore(&mut self, steps: &mut Steps<'_>, budget: &Budget) -> Result<Option<usize>, Stop> {
        while let Some((depth, id)) = self.open.first().copied() {
            if budget.expired() {
                return Err(Stop::OutOfBudget);
            }
            let place = self.nodes[id].place;
            let cube: Vec<TermId> = self.nodes[id].cube.clone();
            let mut asked: Vec<TermId> = cube.into_iter().map(|literal| steps.here(place, literal)).collect();
            asked.push(steps.places[place].bad);
            if steps.step(place, &asked, budget)?.is_some() {
                return Ok(Some(id));
            }
            asked.pop();
            let mut successors = Vec::new();
            for block in 0..steps.places[place].blocks.len() {
                let to = steps.places[place].blocks[block].to;
                for cube in self.cubes(steps, place, block, &asked, budget)? {
                    successors.push(self.node(to, cube, (id, block), depth + 1));
                }
            }
            self.open.remove(&(depth, id));
            self.nodes[id].successors = Some(successors);
            if self.nodes.len() > MOST_NODES {
                return Err(Stop::Stuck);
            }
        }
        Ok(None)
    }

    /// An older node that covers a cube, or a new one.
    fn node(&mut self, place: usize, cube: Vec<TermId>, parent: (usize, usize), depth: usize) -> usize {
        let literals: FxHashSet<TermId> = cube.iter().copied().collect();
        let covers = |node: &Node| {
            !node.removed && node.place == place && node.cube.iter().all(|literal| literals.contains(literal))
        };
        if let Some(older) = self.nodes.iter().position(covers) {
            return older;
        }
        let id = self.nodes.len();
        let precision = self.precision[place].len();
        let parent = Some(parent);
        self.nodes.push(Node { place, cube, precision, parent, depth, successors: None, removed: false });
        self.open.insert((depth, id));
        id
    }

    /// The cubes over the precision that a block leads to from what is assumed.
    fn cubes(
        &mut self,
        steps: &mut Steps<'_>,
        place: usize,
        block: usize,
        assumed: &[TermId],
        budget: &Budget,
    ) -> Result<Vec<Vec<TermId>>, Stop> {
        let to = steps.places[place].blocks[block].to;
        let mut terms: Vec<(TermId, TermId)> = Vec::new();
        for term in &self.precision[to] {
            terms.push((*term, steps.after(place, block, *term)));
        }
        let mut asked = assumed.to_vec();
        asked.push(steps.places[place].blocks[block].guard);
        loop {
            let found = enumerate(steps, place, &asked, &terms, self.most_cubes, budget)?;
            if found.len() <= self.most_cubes {
                return Ok(found);
            }
            let values = |index: usize| found.iter().map(|cube| cube[index]).collect::<FxHashSet<TermId>>().len();
            let diverse = (0..terms.len()).max_by_key(|index| values(*index));
            match diverse {
                Some(index) if steps.pool().sort(terms[index].0) != Sort::Bool => {
                    terms.remove(index);
                }
                _ => return Ok(vec![cartesian(steps, place, &asked, &terms, &found, budget)?]),
            }
        }
    }

    /// The blocks on the way to a node, with the nodes after them.
    pub fn path(&self, node: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut blocks, mut nodes) = (Vec::new(), vec![node]);
        let mut at = node;
        while let Some((parent, block)) = self.nodes[at].parent {
            blocks.push(block);
            nodes.push(parent);
            at = parent;
        }
        blocks.reverse();
        nodes.reverse();
        (blocks, nodes)
    }

    /// Adds terms to the precision of the places on a path, and forgets what was explored with less. Fails if nothing more can be told.
    pub fn refine(&mut self, nodes: &[usize], terms: &[Vec<TermId>]) -> Result<(), Stop> {
        let mut pivot = None;
        for (id, terms) in nodes.iter().zip(terms) {
            let Node { place, precision: known, .. } = self.nodes[*id];
            for term in terms {
                let precision = &mut self.precision[place];
                let index = precision.iter().position(|one| one == term).unwrap_or_else(|| {
                    precision.push(*term);
                    precision.len() - 1
                });
                if index >= known && pivot.is_none() {
                    pivot = Some(*id);
                }
            }
        }
        // Where the precision tells all that is needed, there were too many cubes to use it.
        let pivot = match (pivot, nodes.get(1)) {
            (Some(pivot), _) => pivot,
            (None, Some(first)) if self.most_cubes < MOST_CUBES => {
                self.most_cubes *= 4;
                *first
            }
            _ => return Err(Stop::Stuck),
        };
        self.nodes[pivot].removed = true;
        // Nodes are in the order in which they were made: a parent is before its children.
        for id in pivot + 1..self.nodes.len() {
            let parent = self.nodes[id].parent;
            self.nodes[id].removed |= parent.is_some_and(|(parent, _)| self.nodes[parent].removed);
        }
        for id in 0..self.nodes.len() {
            let node = &self.nodes[id];
            if node.removed {
                self.open.remove(&(node.depth, id));
                continue;
            }
            let lost = |successors: &Vec<usize>| successors.iter().any(|one| self.nodes[*one].removed);
            if node.successors.as_ref().is_some_and(lost) {
                self.open.insert((node.depth, id));
                self.nodes[id].successors = None;
            }
        }
        Ok(())
    }
}

/// The cubes of the values that some terms can have after a step; one more than `most` if there are more. A term comes with its meaning in the step.
fn enumerate(
    steps: &mut Steps<'_>,
    place: usize,
    asked: &[TermId],
    terms: &[(TermId, TermId)],
    most: usize,
    budget: &Budget,
) -> Result<Vec<Vec<TermId>>, Stop> {
    let enumerated = steps.pool().bool_var("enumerated");
    let mut asked = asked.to_vec();
    asked.push(enumerated);
    let mut found = Vec::new();
    while found.len() <= most
        && let Some(model) = steps.step(place, &asked, budget)?
    {
        found.push(terms.iter().map(|(term, meaning)| steps.is_so(*term, &model, *meaning)).collect());
        let same: Vec<TermId> = terms.iter().map(|(_, meaning)| steps.is_so(*meaning, &model, *meaning)).collect();
        let same = steps.pool().and_all(&same);
        let other = steps.pool().not(same);
        let other = steps.pool().implies(enumerated, other);
        steps.assert(other);
    }
    Ok(found)
}

/// One cube for all values: the literals that hold after every step (Cartesian abstraction; Ball et al. 2001).
fn cartesian(
    steps: &mut Steps<'_>,
    place: usize,
    asked: &[TermId],
    terms: &[(TermId, TermId)],
    found: &[Vec<TermId>],
    budget: &Budget,
) -> Result<Vec<TermId>, Stop> {
    let mut cube = Vec::new();
    for (index, (term, meaning)) in terms.iter().enumerate() {
        let literal = found[0][index];
        if found.iter().any(|cube| cube[index] != literal) {
            continue;
        }
        let differs = if literal == *term { steps.pool().not(*meaning) } else { *meaning };
        let mut asked = asked.to_vec();
        asked.push(differs);
        if steps.pool().sort(*term) == Sort::Bool && steps.step(place, &asked, budget)?.is_none() {
            cube.push(literal);
        }
    }
    Ok(cube)
}

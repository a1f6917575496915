//! Which expressions and places get a definition of their own in the text, and in which order.

use crate::walk::{Node, children, parts};
use crate::*;
use base::ids::Id;

/// A shared node with no more nodes under it is repeated rather than named: easier to read.
const SMALL: u32 = 8;
/// A tree of more levels is cut by naming, so that neither printer nor parser recurses deep.
const MAX_HEIGHT: u32 = 40;
const UNNAMED: u32 = u32::MAX;

#[derive(Clone, Copy, Default)]
struct Facts {
    uses: u32,
    /// Of the text, that is down to named nodes.
    size: u32,
    height: u32,
    done: bool,
}

pub(super) struct Naming {
    exprs: Vec<u32>,
    places: Vec<u32>,
    /// By position in the order of edges asked for: the nodes to define before that edge.
    pub definitions: Vec<Vec<Node>>,
}

impl Naming {
    pub fn name(&self, node: Node) -> Option<u32> {
        let name = match node {
            Node::Expr(expr) => self.exprs[expr.index()],
            Node::Place(place) => self.places[place.index()],
        };
        (name != UNNAMED).then_some(name)
    }
}

/// Whether the condition is printed as `same`: it is the one of the other branch.
pub(super) fn repeats_condition(program: &Program, edge: EdgeId) -> bool {
    let [Some(first), Some(second)] = program.locations[program.edges[edge].from].out else { return false };
    match (program.edges[first].op, program.edges[second].op) {
        (Op::Assume { cond, .. }, Op::Assume { cond: other, .. }) => second == edge && first != edge && cond == other,
        _ => false,
    }
}

/// `edges` in the order in which they are printed.
pub(super) fn name_nodes(program: &Program, edges: &[EdgeId]) -> Naming {
    let mut facts = Table {
        exprs: vec![Facts::default(); program.exprs.len()],
        places: vec![Facts::default(); program.places.len()],
    };
    let roots = |edge: EdgeId| {
        let mut roots = Vec::new();
        if !repeats_condition(program, edge) {
            parts(program, &program.edges[edge].op, |node| roots.push(node));
        }
        roots
    };
    count_uses(program, edges.iter().flat_map(|edge| roots(*edge)), &mut facts);

    let mut naming = Naming {
        exprs: vec![UNNAMED; program.exprs.len()],
        places: vec![UNNAMED; program.places.len()],
        definitions: Vec::new(),
    };
    let (mut next_expr, mut next_place) = (0, 0);
    let mut stack = Vec::new();
    for edge in edges {
        let mut definitions = Vec::new();
        for root in roots(*edge) {
            stack.push((root, false));
            while let Some((node, expanded)) = stack.pop() {
                if facts.of(node).done {
                    continue;
                }
                let below = children(program, node);
                if !expanded {
                    stack.push((node, true));
                    stack.extend(below.into_iter().rev().flatten().map(|child| (child, false)));
                    continue;
                }
                if facts.settle(&naming, node, &below) {
                    let (slot, next) = match node {
                        Node::Expr(expr) => (&mut naming.exprs[expr.index()], &mut next_expr),
                        Node::Place(place) => (&mut naming.places[place.index()], &mut next_place),
                    };
                    *slot = *next;
                    *next += 1;
                    definitions.push(node);
                }
            }
        }
        naming.definitions.push(definitions);
    }
    naming
}

struct Table {
    exprs: Vec<Facts>,
    places: Vec<Facts>,
}

impl Table {
    fn of(&mut self, node: Node) -> &mut Facts {
        match node {
            Node::Expr(expr) => &mut self.exprs[expr.index()],
            Node::Place(place) => &mut self.places[place.index()],
        }
    }

    /// Computes size and height; whether the node must be named.
    fn settle(&mut self, naming: &Naming, node: Node, below: &[Option<Node>]) -> bool {
        let (mut size, mut height) = (1u32, 0);
        for child in below.iter().flatten() {
            let facts = *self.of(*child);
            let named = naming.name(*child).is_some();
            size = size.saturating_add(if named { 1 } else { facts.size });
            height = height.max(if named { 1 } else { facts.height + 1 });
        }
        let facts = self.of(node);
        (facts.size, facts.height, facts.done) = (size, height, true);
        (facts.uses > 1 && size > SMALL) || height >= MAX_HEIGHT
    }
}

fn count_uses(program: &Program, roots: impl Iterator<Item = Node>, facts: &mut Table) {
    let mut stack = Vec::new();
    for root in roots {
        stack.push(root);
        while let Some(node) = stack.pop() {
            let uses = &mut facts.of(node).uses;
            *uses += 1;
            if *uses == 1 {
                stack.extend(children(program, node).into_iter().flatten());
            }
        }
    }
}

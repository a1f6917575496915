//! Counting networks that grow: output `k` is true when at least `k` inputs are. Only that direction is encoded, which
//! is what an upper bound needs; outputs are made when a bound first asks for them.
//!
//! Bailleux and Boufkhad 2003, built lazily as in Martins et al. 2014.

use crate::sat::SatLit;
use crate::solver::Solver;

pub struct Totalizer {
    nodes: Vec<Node>,
}

struct Node {
    /// Children in the vector; none for an input.
    children: Option<(usize, usize)>,
    /// Inputs below.
    size: usize,
    /// `outputs[k - 1]`: at least `k` inputs below are true.
    outputs: Vec<SatLit>,
}

impl Totalizer {
    pub fn new(inputs: &[SatLit]) -> Self {
        let input = |lit: &SatLit| Node { children: None, size: 1, outputs: vec![*lit] };
        let mut nodes: Vec<Node> = inputs.iter().map(input).collect();
        // Pairs the two oldest nodes: a balanced tree, children before parents.
        let mut next = 0;
        while nodes.len() - next > 1 {
            let size = nodes[next].size + nodes[next + 1].size;
            nodes.push(Node { children: Some((next, next + 1)), size, outputs: Vec::new() });
            next += 2;
        }
        Totalizer { nodes }
    }

    pub fn inputs(&self) -> usize {
        self.nodes.last().map_or(0, |root| root.size)
    }

    /// The output for at least `bound` inputs, `1 <= bound <= inputs`.
    pub fn output(&mut self, solver: &mut Solver, bound: usize) -> SatLit {
        for index in 0..self.nodes.len() {
            self.extend(solver, index, bound);
        }
        self.nodes[self.nodes.len() - 1].outputs[bound - 1]
    }

    fn extend(&mut self, solver: &mut Solver, index: usize, bound: usize) {
        let Node { children: Some((left, right)), size, ref outputs } = self.nodes[index] else { return };
        for k in outputs.len() + 1..=bound.min(size) {
            let output = solver.new_literal();
            let (a, b) = (&self.nodes[left].outputs, &self.nodes[right].outputs);
            for i in k.saturating_sub(b.len())..=k.min(a.len()) {
                let mut clause = vec![output];
                if i > 0 {
                    clause.push(!a[i - 1]);
                }
                if k > i {
                    clause.push(!b[k - i - 1]);
                }
                solver.add_clause(&clause);
            }
            if let Some(previous) = self.nodes[index].outputs.last() {
                solver.add_clause(&[!output, *previous]);
            }
            self.nodes[index].outputs.push(output);
        }
    }
}

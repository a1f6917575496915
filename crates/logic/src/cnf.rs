//! From gates to clauses, incrementally: a node gets a variable and its clauses when a question first reaches it.
//!
//! Both directions are encoded, so a node may be used in any polarity later. Exclusive or, multiplexers and
//! conjunctions of more than two are recognised and need no variables inside.

use crate::aig::{Aig, Lit};
use crate::sat::{ClauseSink, SatLit};
use smallvec::SmallVec;

#[derive(Default)]
pub struct Cnf {
    /// The variable of each node; 0 if it has none yet.
    vars: Vec<i32>,
    last: i32,
    clauses: u64,
    stack: Vec<usize>,
}

/// The clauses of a node, in terms of other nodes.
enum Gate {
    Input,
    And(SmallVec<[Lit; 8]>),
    /// `node = if c then t else e`
    Mux(Lit, Lit, Lit),
    Xor(Lit, Lit),
}

/// Longer conjunctions are cut: clauses over a thousand literals slow the SAT solver down.
const MAX_AND: usize = 32;

impl Cnf {
    pub fn new_var(&mut self) -> SatLit {
        assert!(self.last < i32::MAX - 1, "too many variables");
        self.last += 1;
        SatLit(self.last)
    }

    pub fn vars(&self) -> usize {
        self.last as usize
    }

    pub fn clauses(&self) -> u64 {
        self.clauses
    }

    /// The SAT literal of a literal that has one.
    #[inline]
    pub fn get(&self, lit: Lit) -> Option<SatLit> {
        let var = *self.vars.get(lit.node())?;
        (var != 0).then_some(SatLit(if lit.negated() { -var } else { var }))
    }

    pub fn add(&mut self, sink: &mut dyn ClauseSink, clause: &[SatLit]) {
        self.clauses += 1;
        sink.add_clause(clause);
    }

    /// The SAT literal, with clauses for everything below. The constant gets a variable fixed to false.
    pub fn encode(&mut self, aig: &Aig, sink: &mut dyn ClauseSink, lit: Lit) -> SatLit {
        if let Some(known) = self.get(lit) {
            return known;
        }
        if self.vars.len() < aig.len() {
            self.vars.resize(aig.len(), 0);
        }
        if lit.is_const() {
            let var = self.new_var();
            self.vars[0] = var.0;
            self.add(sink, &[!var]);
            return self.get(lit).expect("just made");
        }
        let mut stack = std::mem::take(&mut self.stack);
        self.name(lit.node(), &mut stack);
        while let Some(node) = stack.pop() {
            let gate = self.classify(aig, node);
            let inputs: SmallVec<[Lit; 8]> = match &gate {
                Gate::Input => SmallVec::new(),
                Gate::And(lits) => lits.clone(),
                Gate::Mux(c, t, e) => SmallVec::from_slice(&[*c, *t, *e]),
                Gate::Xor(a, b) => SmallVec::from_slice(&[*a, *b]),
            };
            for input in inputs {
                self.name(input.node(), &mut stack);
            }
            self.define(sink, node, &gate);
        }
        self.stack = stack;
        self.get(lit).expect("just made")
    }

    /// A variable for a node; its clauses are written when it leaves the stack.
    fn name(&mut self, node: usize, stack: &mut Vec<usize>) {
        if self.vars[node] == 0 {
            self.vars[node] = self.new_var().0;
            stack.push(node);
        }
    }

    fn classify(&self, aig: &Aig, node: usize) -> Gate {
        let Some((left, right)) = aig.gate(node) else { return Gate::Input };
        if left.negated()
            && right.negated()
            && let (Some((p, q)), Some((r, s))) = (aig.gate(left.node()), aig.gate(right.node()))
        {
            // ¬(c ∧ x) ∧ ¬(¬c ∧ y) = if c then ¬x else ¬y
            for (c, x) in [(p, q), (q, p)] {
                for (d, y) in [(r, s), (s, r)] {
                    if c == !d {
                        return if x == !y { Gate::Xor(c, x) } else { Gate::Mux(c, !x, !y) };
                    }
                }
            }
        }
        let mut leaves: SmallVec<[Lit; 8]> = SmallVec::new();
        let mut open: SmallVec<[Lit; 8]> = SmallVec::from_slice(&[right, left]);
        while let Some(lit) = open.pop() {
            let inner = !lit.negated() && aig.uses(lit.node()) == 1 && self.vars[lit.node()] == 0;
            match aig.gate(lit.node()) {
                Some((a, b)) if inner && leaves.len() + open.len() < MAX_AND => open.extend([b, a]),
                _ => leaves.push(lit),
            }
        }
        leaves.sort_unstable();
        leaves.dedup();
        Gate::And(leaves)
    }

    fn define(&mut self, sink: &mut dyn ClauseSink, node: usize, gate: &Gate) {
        let out = SatLit(self.vars[node]);
        let sat = |lit: Lit| self.get(lit).expect("inputs are named first");
        match gate {
            Gate::Input => {}
            Gate::Xor(a, b) => {
                let (a, b) = (sat(*a), sat(*b));
                for clause in [[!out, a, b], [!out, !a, !b], [out, !a, b], [out, a, !b]] {
                    self.add(sink, &clause);
                }
            }
            Gate::Mux(c, t, e) => {
                let (c, t, e) = (sat(*c), sat(*t), sat(*e));
                // The last two follow from the others but let both arms propagate without the condition.
                let clauses = [[!c, !t, out], [!c, t, !out], [c, !e, out], [c, e, !out], [!t, !e, out], [t, e, !out]];
                for clause in clauses {
                    self.add(sink, &clause);
                }
            }
            Gate::And(lits) => {
                let lits: SmallVec<[SatLit; 8]> = lits.iter().map(|lit| sat(*lit)).collect();
                for lit in &lits {
                    self.add(sink, &[!out, *lit]);
                }
                let mut long: SmallVec<[SatLit; 9]> = lits.iter().map(|lit| !*lit).collect();
                long.push(out);
                self.add(sink, &long);
            }
        }
    }
}

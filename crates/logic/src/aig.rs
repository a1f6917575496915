//! An and-inverter graph with structural hashing, constant propagation and two-level simplification.
//!
//! The two-level rules are those of Brummayer and Biere 2006: none of them adds a node.

/// A node and a sign. Even: the node itself; odd: its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(pub u32);

impl Lit {
    pub const FALSE: Lit = Lit(0);
    pub const TRUE: Lit = Lit(1);

    #[inline]
    pub fn new(value: bool) -> Lit {
        Lit(value as u32)
    }

    #[inline]
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    #[inline]
    pub fn negated(self) -> bool {
        self.0 & 1 == 1
    }

    #[inline]
    pub fn is_const(self) -> bool {
        self.0 <= 1
    }

    #[inline]
    pub fn flip_if(self, flip: bool) -> Lit {
        Lit(self.0 ^ flip as u32)
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;
    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Both arguments of a conjunction; an input has `left == INPUT`.
#[derive(Clone, Copy)]
struct Node {
    left: Lit,
    right: Lit,
}

const INPUT: Lit = Lit(u32::MAX);

pub struct Aig {
    nodes: Vec<Node>,
    /// How often each node is an argument; a hint for the clause generator.
    uses: Vec<u32>,
    slots: Vec<u32>,
    gates: usize,
}

impl Aig {
    pub fn new() -> Self {
        // Node 0 is the constant; it looks like an input but has no variable.
        Aig { nodes: vec![Node { left: INPUT, right: INPUT }], uses: vec![0], slots: vec![0; 1024], gates: 0 }
    }

    /// Nodes of all kinds.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    pub fn gates(&self) -> usize {
        self.gates
    }

    pub fn input(&mut self) -> Lit {
        self.push(Node { left: INPUT, right: INPUT })
    }

    fn push(&mut self, node: Node) -> Lit {
        let index = self.nodes.len() as u32;
        assert!(index < u32::MAX / 2, "too many gates");
        self.nodes.push(node);
        self.uses.push(0);
        Lit(index << 1)
    }

    /// The arguments if the node is a conjunction.
    #[inline]
    pub fn gate(&self, node: usize) -> Option<(Lit, Lit)> {
        let Node { left, right } = self.nodes[node];
        (left != INPUT).then_some((left, right))
    }

    #[inline]
    pub fn uses(&self, node: usize) -> u32 {
        self.uses[node]
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (mut a, mut b) = (a, b);
        // A rule may replace an argument by a smaller one; then all rules apply again.
        loop {
            if a.0 > b.0 {
                std::mem::swap(&mut a, &mut b);
            }
            if a == Lit::FALSE || a == !b {
                return Lit::FALSE;
            }
            if a == Lit::TRUE || a == b {
                return b;
            }
            match self.two_levels(a, b) {
                Step::Done(lit) => return lit,
                Step::Again(x, y) => (a, b) = (x, y),
                Step::Build => break,
            }
        }
        self.lookup(a, b)
    }

    fn two_levels(&self, a: Lit, b: Lit) -> Step {
        let (x, y) = (self.gate(a.node()), self.gate(b.node()));
        for (lit, gate, other) in [(a, x, b), (b, y, a)] {
            let Some((p, q)) = gate else { continue };
            if !lit.negated() {
                if other == p || other == q {
                    return Step::Done(lit);
                }
                if other == !p || other == !q {
                    return Step::Done(Lit::FALSE);
                }
            } else {
                // ¬(p ∧ q) ∧ other
                if other == !p || other == !q {
                    return Step::Done(other);
                }
                if other == p {
                    return Step::Again(!q, other);
                }
                if other == q {
                    return Step::Again(!p, other);
                }
            }
        }
        let (Some((p, q)), Some((r, s))) = (x, y) else { return Step::Build };
        match (a.negated(), b.negated()) {
            (false, false) => {
                if p == !r || p == !s || q == !r || q == !s {
                    return Step::Done(Lit::FALSE);
                }
                // (p ∧ q) ∧ (p ∧ s) = (p ∧ q) ∧ s
                if p == r || q == r {
                    return Step::Again(a, s);
                }
                if p == s || q == s {
                    return Step::Again(a, r);
                }
            }
            (true, true) => {
                // ¬(p ∧ q) ∧ ¬(p ∧ ¬q) = ¬p
                if p == r && q == !s || p == s && q == !r {
                    return Step::Done(!p);
                }
                if q == s && p == !r || q == r && p == !s {
                    return Step::Done(!q);
                }
            }
            (first_negated, _) => {
                let (plain, (p, q), negated) = if first_negated { (b, (p, q), (r, s)) } else { (a, (r, s), (p, q)) };
                let (r, s) = negated;
                // ¬(p ∧ q) ∧ (r ∧ s), where `plain` is r ∧ s
                if p == !r || p == !s || q == !r || q == !s {
                    return Step::Done(plain);
                }
                if p == r || p == s {
                    return Step::Again(plain, !q);
                }
                if q == r || q == s {
                    return Step::Again(plain, !p);
                }
            }
        }
        Step::Build
    }

    #[inline]
    fn hash(a: Lit, b: Lit) -> usize {
        let mixed = (a.0 as u64 | (b.0 as u64) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32 ^ mixed) as usize
    }

    fn lookup(&mut self, a: Lit, b: Lit) -> Lit {
        let mask = self.slots.len() - 1;
        let mut slot = Self::hash(a, b) & mask;
        while self.slots[slot] != 0 {
            let index = self.slots[slot];
            let node = self.nodes[index as usize];
            if node.left == a && node.right == b {
                return Lit(index << 1);
            }
            slot = (slot + 1) & mask;
        }
        let lit = self.push(Node { left: a, right: b });
        self.uses[a.node()] += 1;
        self.uses[b.node()] += 1;
        self.slots[slot] = lit.0 >> 1;
        self.gates += 1;
        if self.gates * 2 > self.slots.len() {
            self.grow();
        }
        lit
    }

    #[cold]
    fn grow(&mut self) {
        let mut slots = vec![0; self.slots.len() * 2];
        let mask = slots.len() - 1;
        for (index, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.left != INPUT) {
            let mut slot = Self::hash(node.left, node.right) & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = index as u32;
        }
        self.slots = slots;
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let negate = a.negated() ^ b.negated();
        let (a, b) = (Lit(a.0 & !1), Lit(b.0 & !1));
        let both = self.and(a, b);
        let neither = self.and(!a, !b);
        self.and(!both, !neither).flip_if(negate)
    }

    pub fn mux(&mut self, c: Lit, t: Lit, e: Lit) -> Lit {
        if t == e {
            return t;
        }
        if t == !e {
            return self.xor(c, e);
        }
        let (x, y) = (self.and(c, t), self.and(!c, e));
        self.or(x, y)
    }

    /// Balanced.
    pub fn and_all(&mut self, lits: &[Lit]) -> Lit {
        let mut layer = lits.to_vec();
        while layer.len() > 1 {
            layer = layer.chunks(2).map(|pair| if let [a, b] = *pair { self.and(a, b) } else { pair[0] }).collect();
        }
        layer.first().copied().unwrap_or(Lit::TRUE)
    }

    pub fn or_all(&mut self, lits: &[Lit]) -> Lit {
        let negated: Vec<Lit> = lits.iter().map(|lit| !*lit).collect();
        !self.and_all(&negated)
    }

    /// Sum and carry of three bits.
    pub fn full_adder(&mut self, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
        let half = self.xor(a, b);
        let sum = self.xor(half, c);
        // The carry is c where a and b differ, and a where they agree.
        let carry = if a.is_const() || b.is_const() || c.is_const() {
            let (x, y) = (self.and(a, b), self.and(half, c));
            self.or(x, y)
        } else {
            self.mux(half, c, a)
        };
        (sum, carry)
    }
}

impl Default for Aig {
    fn default() -> Self {
        Self::new()
    }
}

enum Step {
    Done(Lit),
    Again(Lit, Lit),
    Build,
}

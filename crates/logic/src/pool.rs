//! The store of terms: hash-consing, constants, variables, and how to look at a term. The builders are in `rewrite/`.

use crate::bits::Bits;
use crate::rewrite::StoreIndex;
use crate::term::{Args, Node, Sort, TermId, TermOp};
use rustc_hash::FxHashMap;

/// All terms of one problem. Nothing is ever removed.
pub struct TermPool {
    pub(crate) nodes: Vec<Node>,
    table: Table,
    /// Constants wider than 64 bits; narrower ones are inside their node.
    wide: Vec<Bits>,
    wide_ids: FxHashMap<Bits, TermId>,
    names: String,
    name_ends: Vec<u32>,
    /// How deep rewriting rules that call builders on subterms may still go.
    pub(crate) fuel: u32,
    pub(crate) stores: StoreIndex,
    /// Terms that all parts of a client build on, by the names that the client gives them.
    pub shared: FxHashMap<&'static str, TermId>,
}

/// Rules that descend stop here and build the plain term.
pub(crate) const FUEL: u32 = 10;

impl TermPool {
    pub fn new() -> Self {
        let mut pool = TermPool {
            nodes: Vec::with_capacity(256),
            table: Table::new(),
            wide: Vec::new(),
            wide_ids: FxHashMap::default(),
            names: String::new(),
            name_ends: Vec::new(),
            fuel: FUEL,
            stores: StoreIndex::default(),
            shared: FxHashMap::default(),
        };
        pool.intern(Node { op: TermOp::Bool, sort: 0, a: 0, b: 0, c: 0 });
        pool.intern(Node { op: TermOp::Bool, sort: 0, a: 1, b: 0, c: 0 });
        pool
    }

    #[inline]
    pub(crate) fn intern(&mut self, node: Node) -> TermId {
        self.table.intern(&mut self.nodes, node)
    }

    #[inline]
    pub(crate) fn raw(&mut self, op: TermOp, sort: u32, args: [TermId; 3]) -> TermId {
        self.intern(Node { op, sort, a: args[0].0, b: args[1].0, c: args[2].0 })
    }

    #[inline]
    pub(crate) fn node(&self, term: TermId) -> &Node {
        &self.nodes[term.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: `false` and `true` are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    #[inline]
    pub fn bool(&self, value: bool) -> TermId {
        if value { TermId::TRUE } else { TermId::FALSE }
    }

    /// The low `width` bits of `value` as a constant.
    #[inline]
    pub fn bv(&mut self, width: u32, value: u128) -> TermId {
        if width <= 64 {
            let value = if width == 64 { value as u64 } else { value as u64 & ((1 << width) - 1) };
            let sort = Sort::BitVec(width).pack();
            return self.intern(Node { op: TermOp::Const, sort, a: value as u32, b: (value >> 32) as u32, c: 0 });
        }
        self.bits(&Bits::new(width, value))
    }

    /// The low `width` bits of the two's complement of `value` as a constant.
    pub fn bv_signed(&mut self, width: u32, value: i128) -> TermId {
        self.bits(&Bits::from_i128(width, value))
    }

    pub fn bits(&mut self, value: &Bits) -> TermId {
        if value.width() <= 64 {
            return self.bv(value.width(), value.to_u128().expect("at most 64 bits"));
        }
        if let Some(id) = self.wide_ids.get(value) {
            return *id;
        }
        let sort = Sort::BitVec(value.width()).pack();
        let id = self.intern(Node { op: TermOp::Const, sort, a: self.wide.len() as u32, b: 0, c: 0 });
        self.wide.push(value.clone());
        self.wide_ids.insert(value.clone(), id);
        id
    }

    /// A new variable. Names need not be unique: two calls give two variables.
    pub fn var(&mut self, name: &str, sort: Sort) -> TermId {
        let index = self.name_ends.len() as u32;
        self.names.push_str(name);
        self.name_ends.push(self.names.len() as u32);
        let id = TermId(self.nodes.len() as u32);
        self.nodes.push(Node { op: TermOp::Var, sort: sort.pack(), a: index, b: 0, c: 0 });
        id
    }

    pub fn bool_var(&mut self, name: &str) -> TermId {
        self.var(name, Sort::Bool)
    }

    pub fn bv_var(&mut self, name: &str, width: u32) -> TermId {
        self.var(name, Sort::BitVec(width))
    }

    pub fn array_var(&mut self, name: &str, index: u32, element: u32) -> TermId {
        self.var(name, Sort::Array { index, element })
    }

    /// The name a variable was made with.
    pub fn name(&self, var: TermId) -> Option<&str> {
        let node = self.node(var);
        if node.op != TermOp::Var {
            return None;
        }
        let index = node.a as usize;
        let start = if index == 0 { 0 } else { self.name_ends[index - 1] as usize };
        Some(&self.names[start..self.name_ends[index] as usize])
    }

    #[inline]
    pub fn op(&self, term: TermId) -> TermOp {
        self.node(term).op
    }

    #[inline]
    pub fn sort(&self, term: TermId) -> Sort {
        Sort::unpack(self.node(term).sort)
    }

    /// The width of a bit-vector; 1 for a Boolean; panics for an array.
    #[inline]
    pub fn width(&self, term: TermId) -> u32 {
        match self.sort(term) {
            Sort::Bool => 1,
            Sort::BitVec(width) => width,
            Sort::Array { .. } => panic!("{term} is an array"),
        }
    }

    #[inline]
    pub fn args(&self, term: TermId) -> Args {
        Args::of(self.node(term))
    }

    #[inline]
    pub fn arg(&self, term: TermId, index: usize) -> TermId {
        self.args(term)[index]
    }

    /// `(high, low)` of an `Extract`.
    pub fn extract_range(&self, term: TermId) -> (u32, u32) {
        let node = self.node(term);
        debug_assert_eq!(node.op, TermOp::Extract);
        (node.b, node.c)
    }

    /// Whether the term is `true`, `false` or a bit-vector constant.
    #[inline]
    pub fn is_const(&self, term: TermId) -> bool {
        matches!(self.op(term), TermOp::Const | TermOp::Bool)
    }

    pub fn as_bool(&self, term: TermId) -> Option<bool> {
        match term {
            TermId::FALSE => Some(false),
            TermId::TRUE => Some(true),
            _ => None,
        }
    }

    #[inline]
    pub fn as_bits(&self, term: TermId) -> Option<Bits> {
        let node = self.node(term);
        if node.op != TermOp::Const {
            return None;
        }
        if node.sort <= 64 {
            return Some(Bits::new(node.sort, node.a as u128 | (node.b as u128) << 32));
        }
        Some(self.wide[node.a as usize].clone())
    }

    /// The unsigned value of a bit-vector constant, if it fits.
    #[inline]
    pub fn as_u64(&self, term: TermId) -> Option<u64> {
        let node = self.node(term);
        if node.op != TermOp::Const {
            return None;
        }
        if node.sort <= 64 {
            return Some(node.a as u64 | (node.b as u64) << 32);
        }
        self.wide[node.a as usize].to_u64()
    }

    pub(crate) fn is_zero(&self, term: TermId) -> bool {
        self.as_u64(term) == Some(0)
    }

    pub(crate) fn is_ones(&self, term: TermId) -> bool {
        let node = self.node(term);
        node.op == TermOp::Const
            && match node.sort {
                64 => node.a == u32::MAX && node.b == u32::MAX,
                width if width < 64 => (node.a as u64 | (node.b as u64) << 32) == (1 << width) - 1,
                _ => self.wide[node.a as usize].is_ones(),
            }
    }

    /// The argument of a term if it is the given one-place operator.
    #[inline]
    pub(crate) fn unary(&self, term: TermId, op: TermOp) -> Option<TermId> {
        let node = self.node(term);
        (node.op == op).then_some(TermId(node.a))
    }

    #[inline]
    pub fn binary(&self, term: TermId, op: TermOp) -> Option<(TermId, TermId)> {
        let node = self.node(term);
        (node.op == op).then_some((TermId(node.a), TermId(node.b)))
    }

    #[inline]
    pub(crate) fn ternary(&self, term: TermId, op: TermOp) -> Option<(TermId, TermId, TermId)> {
        let node = self.node(term);
        (node.op == op).then_some((TermId(node.a), TermId(node.b), TermId(node.c)))
    }
}

impl Default for TermPool {
    fn default() -> Self {
        Self::new()
    }
}

/// Open addressing; a slot holds half the hash, so that most misses do not touch the nodes.
struct Table {
    /// High half: hash; low half: id + 1, or 0 for a free slot. The length is a power of two.
    slots: Vec<u64>,
    used: usize,
}

impl Table {
    fn new() -> Self {
        Table { slots: vec![0; 1024], used: 0 }
    }

    #[inline]
    fn intern(&mut self, nodes: &mut Vec<Node>, node: Node) -> TermId {
        let hash = node.hash();
        let mask = self.slots.len() - 1;
        let tag = hash & 0xffff_ffff_0000_0000;
        let mut slot = hash as usize & mask;
        loop {
            let entry = self.slots[slot];
            if entry == 0 {
                break;
            }
            if entry & 0xffff_ffff_0000_0000 == tag {
                let id = (entry as u32) - 1;
                if nodes[id as usize] == node {
                    return TermId(id);
                }
            }
            slot = (slot + 1) & mask;
        }
        let id = nodes.len() as u32;
        assert!(id < u32::MAX - 1, "too many terms");
        nodes.push(node);
        self.slots[slot] = tag | (id as u64 + 1);
        self.used += 1;
        if self.used * 3 > self.slots.len() * 2 {
            self.grow(nodes);
        }
        TermId(id)
    }

    #[cold]
    fn grow(&mut self, nodes: &[Node]) {
        let mut slots = vec![0; self.slots.len() * 2];
        let mask = slots.len() - 1;
        // In the order of the nodes, not of the slots: reading them is then sequential.
        for (id, node) in nodes.iter().enumerate().filter(|(_, node)| node.op != TermOp::Var) {
            let hash = node.hash();
            let mut slot = hash as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = hash & 0xffff_ffff_0000_0000 | (id as u64 + 1);
        }
        self.slots = slots;
    }
}

//! Path conditions as persistent lists of conjuncts. Two paths that split and meet again share the list up to where they split, so merging
//! costs what differs, and a diamond leaves no trace.

use logic::{TermId, TermPool};
use std::cell::Cell;
use std::rc::Rc;

/// Where two paths split earlier than so many conditions ago, the conjunction of what followed is kept: the operands of a long `&&` all leave for one place.
const LONG: usize = 16;

#[derive(Clone)]
pub struct Guard {
    node: Option<Rc<Node>>,
}

struct Node {
    parent: Guard,
    cond: TermId,
    depth: u32,
    /// The conjunction of the whole list.
    full: TermId,
    /// The conjunction of what follows some earlier node of the list. That node lives as long as this one, so its address is its own.
    since: Cell<Option<(*const Node, TermId)>>,
}

impl Guard {
    pub const TRUE: Guard = Guard { node: None };

    pub fn term(&self, pool: &TermPool) -> TermId {
        self.node.as_ref().map_or(pool.bool(true), |node| node.full)
    }

    fn depth(&self) -> u32 {
        self.node.as_ref().map_or(0, |node| node.depth)
    }

    pub fn same(&self, other: &Guard) -> bool {
        match (&self.node, &other.node) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// This path and a condition.
    #[must_use]
    pub fn and(&self, pool: &mut TermPool, cond: TermId) -> Guard {
        if pool.as_bool(cond) == Some(true) {
            return self.clone();
        }
        let before = self.term(pool);
        let full = pool.and(before, cond);
        Guard {
            node: Some(Rc::new(Node {
                parent: self.clone(),
                cond,
                depth: self.depth() + 1,
                full,
                since: Cell::new(None),
            })),
        }
    }

    fn parent(&self) -> &Guard {
        &self.node.as_ref().expect("not the empty list").parent
    }

    /// The path on which either of two exclusive paths was taken, and a condition that tells, on it, the first from the second.
    pub fn merge(pool: &mut TermPool, first: &Guard, second: &Guard) -> (Guard, TermId) {
        let (mut a, mut b) = (first, second);
        while !a.same(b) {
            if a.depth() >= b.depth() {
                a = a.parent();
            } else {
                b = b.parent();
            }
        }
        let shared = a.clone();
        let (left, right) = (first.since(pool, &shared), second.since(pool, &shared));
        let either = pool.or(left, right);
        // What tells the two apart: the shorter description is the better one.
        let tell = if first.depth() <= second.depth() { left } else { pool.not(right) };
        (shared.and(pool, either), tell)
    }

    fn address(&self) -> *const Node {
        self.node.as_ref().map_or(std::ptr::null(), Rc::as_ptr)
    }

    /// The conjunction of what follows an earlier point of this path.
    fn since(&self, pool: &mut TermPool, earlier: &Guard) -> TermId {
        let length = (self.depth() - earlier.depth()) as usize;
        let Some(node) = self.node.as_ref().filter(|_| length > 0) else { return pool.bool(true) };
        if length > LONG {
            let before = node.parent.long_since(pool, earlier);
            return pool.and(before, node.cond);
        }
        let mut conds: Vec<TermId> = self.nodes().take(length).map(|node| node.cond).collect();
        conds.reverse();
        pool.and_all(&conds)
    }

    /// The same, kept for the next one who asks.
    fn long_since(&self, pool: &mut TermPool, earlier: &Guard) -> TermId {
        let length = (self.depth() - earlier.depth()) as usize;
        let mut known = pool.bool(true);
        let mut rest = Vec::new();
        for node in self.nodes().take(length) {
            match node.since.get() {
                Some((start, conjunction)) if start == earlier.address() => {
                    known = conjunction;
                    break;
                }
                _ => rest.push(node.cond),
            }
        }
        let all = rest.into_iter().rev().fold(known, |all, cond| pool.and(all, cond));
        if let Some(node) = &self.node {
            node.since.set(Some((earlier.address(), all)));
        }
        all
    }

    /// The nodes of the list, the last one first.
    fn nodes(&self) -> impl Iterator<Item = &Node> {
        std::iter::successors(self.node.as_deref(), |node| node.parent.node.as_deref())
    }
}

/// A long path is a long list; dropping it must not recurse.
impl Drop for Guard {
    fn drop(&mut self) {
        let mut next = self.node.take();
        while let Some(node) = next {
            next = match Rc::try_unwrap(node) {
                Ok(mut node) => node.parent.node.take(),
                Err(_) => None,
            };
        }
    }
}

//! Path conditions as persistent lists of conjuncts. Two paths that split and meet again share the list up to where they split, so merging
//! costs what differs, and a diamond leaves no trace.

use logic::{TermId, TermPool};
use std::rc::Rc;

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
        Guard { node: Some(Rc::new(Node { parent: self.clone(), cond, depth: self.depth() + 1, full })) }
    }

    fn parent(&self) -> &Guard {
        &self.node.as_ref().expect("not the empty list").parent
    }

    /// The path on which either of two exclusive paths was taken, and a condition that tells, on it, the first from the second.
    pub fn merge(pool: &mut TermPool, first: &Guard, second: &Guard) -> (Guard, TermId) {
        let (mut a, mut b) = (first.clone(), second.clone());
        let (mut only_a, mut only_b) = (Vec::new(), Vec::new());
        while !a.same(&b) {
            if a.depth() >= b.depth() {
                only_a.push(a.node.as_ref().expect("deeper than nothing").cond);
                a = a.parent().clone();
            } else {
                only_b.push(b.node.as_ref().expect("deeper than nothing").cond);
                b = b.parent().clone();
            }
        }
        only_a.reverse();
        only_b.reverse();
        let left = pool.and_all(&only_a);
        let right = pool.and_all(&only_b);
        let either = pool.or(left, right);
        // What tells the two apart: the shorter description is the better one.
        let tell = if only_a.len() <= only_b.len() { left } else { pool.not(right) };
        (a.and(pool, either), tell)
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

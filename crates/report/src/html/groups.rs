//! Steps of a run folded by call, loop and iteration.

use crate::fold::heads_around;
use cfa::{FuncId, LocId, Program};
use serde::Serialize;
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupKind {
    Call,
    Loop,
    Iteration,
}

/// Steps that belong together. `count` is the number of rounds of a loop, or the number of an iteration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Group {
    pub kind: GroupKind,
    pub parent: Option<usize>,
    pub first: usize,
    /// The last step and one.
    pub end: usize,
    pub count: u64,
    /// Of a loop, the location of its head.
    #[serde(skip)]
    pub head: Option<LocId>,
    /// The line of the loop.
    pub line: Option<u32>,
}

struct Open {
    kind: GroupKind,
    depth: u32,
    head: Option<LocId>,
    count: u64,
    /// Made when a step belongs to it.
    group: Option<usize>,
}

pub struct Grouper<'p> {
    program: &'p Program,
    around: HashMap<FuncId, HashMap<LocId, Vec<LocId>>>,
    open: Vec<Open>,
    pub groups: Vec<Group>,
}

impl<'p> Grouper<'p> {
    pub fn new(program: &'p Program) -> Self {
        Grouper { program, around: HashMap::new(), open: Vec::new(), groups: Vec::new() }
    }

    /// A function is entered; calls below the entry function are groups.
    pub fn enter(&mut self, depth: u32, at: usize) {
        self.close(at, |open| open.depth >= depth);
        if depth > 0 {
            self.open.push(Open { kind: GroupKind::Call, depth, head: None, count: 0, group: None });
        }
    }

    /// What follows happens at this depth.
    pub fn at_depth(&mut self, depth: u32, at: usize) {
        self.close(at, |open| open.depth > depth);
    }

    /// The function at this depth is at a location; `at` is the number of the next step.
    pub fn arrive(&mut self, depth: u32, location: LocId, at: usize) {
        self.at_depth(depth, at);
        let function = self.program.locations[location].function;
        let around = self.around.entry(function).or_insert_with(|| heads_around(self.program, function));
        let heads = around.get(&location).cloned().unwrap_or_default();
        let own = self.open.iter().position(|open| open.depth == depth && open.kind != GroupKind::Call);
        let first = own.unwrap_or(self.open.len());
        let known: Vec<Option<LocId>> =
            self.open[first..].iter().filter(|open| open.kind == GroupKind::Loop).map(|open| open.head).collect();
        let same = known.iter().zip(&heads).take_while(|(known, head)| **known == Some(**head)).count();
        // A loop and its iteration stand for each head.
        self.truncate(first + 2 * same, at);
        if heads.get(same.wrapping_sub(1)) == Some(&location) && same == heads.len() {
            let [.., round, iteration] = self.open.as_mut_slice() else { return };
            round.count += 1;
            let count = round.count;
            if let Some(group) = round.group {
                self.groups[group].count = count;
            }
            if let Some(group) = iteration.group.take() {
                self.groups[group].end = at;
            }
            iteration.count = count;
        }
        for head in &heads[same..] {
            self.open.push(Open { kind: GroupKind::Loop, depth, head: Some(*head), count: 1, group: None });
            self.open.push(Open { kind: GroupKind::Iteration, depth, head: None, count: 1, group: None });
        }
    }

    /// A step; gives the innermost group it belongs to.
    pub fn step(&mut self, at: usize) -> Option<usize> {
        let mut parent = None;
        for open in &mut self.open {
            let group = *open.group.get_or_insert_with(|| {
                let (kind, count, head) = (open.kind, open.count, open.head);
                self.groups.push(Group { kind, parent, first: at, end: at + 1, count, head, line: None });
                self.groups.len() - 1
            });
            self.groups[group].end = at + 1;
            parent = Some(group);
        }
        parent
    }

    /// Steps are missing from here on.
    pub fn gap(&mut self, at: usize) {
        self.truncate(0, at);
    }

    fn close(&mut self, at: usize, ends: impl Fn(&Open) -> bool) {
        let kept = self.open.iter().position(ends).unwrap_or(self.open.len());
        self.truncate(kept, at);
    }

    fn truncate(&mut self, kept: usize, at: usize) {
        for open in self.open.drain(kept.min(self.open.len())..) {
            if let Some(group) = open.group {
                self.groups[group].end = at;
            }
        }
    }
}

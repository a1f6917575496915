//! Records states at loop heads, and at calls and returns of recursive functions. Of the visits in one run the first ones, the last one and a few between are kept: they differ most.

use super::inputs::Random;
use super::{Sample, Samples};
use crate::SamplingOptions;
use crate::scope::{ClaimScope, Recorded, Term};
use base::ids::Id;
use cfa::interp::{Event, Observer, View};
use cfa::{Anchor, Bits, FuncId, Op, Program};
use rustc_hash::FxHashMap;

/// Visits of one run that are kept in any case.
const FIRST: u64 = 16;

/// Further states of one run that are kept because they are new: a machine with few states shows all of them.
const MAX_MORE: u32 = 40;

/// Of calls and returns, so many times as much is kept: each level of a recursion may be a case of its own, and the deepest ones are rare.
const CALLS: usize = 4;

pub struct Recorder<'s> {
    scopes: &'s [ClaimScope],
    /// The scope whose head an edge leads to, by edge; `NONE` for others.
    by_edge: Vec<u32>,
    /// The scope whose head is the entry of a function, by function.
    by_function: Vec<u32>,
    /// The scopes of a function's calls and returns, by function.
    calls: Vec<[u32; 2]>,
    /// Recursive functions that run, each with the values that its scope of returns takes from its call.
    running: Vec<(FuncId, Vec<Option<Bits>>)>,
    /// What the last `return` of this run gave.
    returned: Option<Bits>,
    heads: Vec<Head>,
    random: Random,
    run: u32,
    /// Of one group.
    capacity: usize,
    /// Inputs that this run read so far, and those that it had read when it recorded a new state for the last time.
    inputs: usize,
    news: Option<usize>,
    /// Inputs before the last visit of a head, if there is one.
    visited: Option<usize>,
}

/// Samples are kept apart, so that the many visits of long loops do not displace the first and last ones of other runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    /// The first two visits and the last one.
    Ends,
    Between,
}

#[derive(Default)]
struct Head {
    /// By [`Group`].
    groups: [Vec<Sample>; 2],
    /// How many states of each group there were.
    distinct: [usize; 2],
    /// Which sample a state is; a large number if it is none any more.
    seen: FxHashMap<Vec<Bits>, (Group, usize)>,
    unreadable: Vec<bool>,
    /// In this run; and new states among them that were kept only because they are new.
    visits: u64,
    more: u32,
    /// How many times as much is kept as of a loop head.
    share: usize,
    last: Vec<Bits>,
    /// Whether the last visit is not kept yet.
    pending: bool,
}

const NONE: u32 = u32::MAX;

impl<'s> Recorder<'s> {
    pub fn new(program: &Program, scopes: &'s [ClaimScope], options: &SamplingOptions) -> Self {
        let mut by_edge = vec![NONE; program.edges.len()];
        let mut by_function = vec![NONE; program.functions.len()];
        let mut calls = vec![[NONE; 2]; program.functions.len()];
        let mut by_location = vec![NONE; program.locations.len()];
        for (number, scope) in scopes.iter().enumerate() {
            match scope.anchor {
                Anchor::Head(head) => {
                    by_location[head.index()] = number as u32;
                    if program.automaton(scope.function).is_some_and(|automaton| automaton.entry == head) {
                        by_function[scope.function.index()] = number as u32;
                    }
                }
                Anchor::Requires(function) => calls[function.index()][0] = number as u32,
                Anchor::Ensures(function) => calls[function.index()][1] = number as u32,
            }
        }
        for (id, edge) in program.edges.iter() {
            by_edge[id.index()] = by_location[edge.to.index()];
        }
        let head = |scope: &ClaimScope| {
            let share = if scope.anchor.head().is_some() { 1 } else { CALLS };
            Head { unreadable: vec![false; scope.terms.len()], share, ..Head::default() }
        };
        Recorder {
            scopes,
            by_edge,
            by_function,
            calls,
            running: Vec::new(),
            returned: None,
            heads: scopes.iter().map(head).collect(),
            random: Random::new(options.seed ^ 0x5eed),
            run: 0,
            capacity: options.samples.div_ceil(2).max(1),
            inputs: 0,
            news: None,
            visited: None,
        }
    }

    pub fn begin(&mut self, run: u32) {
        self.run = run;
        (self.inputs, self.news, self.visited) = (0, None, None);
        (self.running, self.returned) = (Vec::new(), None);
    }

    /// How many inputs the run needed to get to all states that no run recorded before; `None` if there are none.
    pub fn end(&mut self) -> Option<usize> {
        for number in 0..self.heads.len() {
            (self.heads[number].visits, self.heads[number].more) = (0, 0);
            if self.heads[number].pending {
                self.keep(number, Group::Ends);
            }
        }
        self.news
    }

    /// Whether the run came to a loop head.
    pub fn visited(&self) -> bool {
        self.visited.is_some()
    }

    /// How many inputs the run had read when it came to a loop head for the last time.
    pub fn accepted(&self) -> usize {
        self.visited.unwrap_or(0)
    }

    pub fn finish(self) -> Vec<Samples> {
        let head = |head: Head| Samples { samples: head.groups.concat(), unreadable: head.unreadable };
        self.heads.into_iter().map(head).collect()
    }

    /// Keeps the state of the last visit.
    fn keep(&mut self, number: usize, group: Group) {
        let head = &mut self.heads[number];
        head.pending = false;
        if let Some((group, at)) = head.seen.get(&head.last) {
            if let Some(sample) = head.groups[*group as usize].get_mut(*at) {
                sample.visits += 1;
            }
            return;
        }
        self.news = Some(self.inputs);
        let values = head.last.clone();
        let sample = Sample { values: values.clone(), run: self.run, visits: 1 };
        head.distinct[group as usize] += 1;
        let samples = &mut head.groups[group as usize];
        let mut at = samples.len();
        if at < self.capacity * head.share {
            samples.push(sample);
        } else {
            // Each state of the group stays with the same probability.
            at = self.random.below(head.distinct[group as usize]);
            match samples.get_mut(at) {
                Some(old) => {
                    head.seen.insert(std::mem::replace(old, sample).values, (group, usize::MAX));
                }
                None => at = usize::MAX,
            }
        }
        head.seen.insert(values, (group, at));
    }

    fn visit(&mut self, view: &View<'_, '_>, number: usize) {
        self.visit_after(view, number, &[], None);
    }

    /// A visit where some terms have values of a call, and one may be what the function returns.
    fn visit_after(&mut self, view: &View<'_, '_>, number: usize, at_call: &[Option<Bits>], returned: Option<Bits>) {
        let head = &mut self.heads[number];
        self.visited = Some(self.inputs);
        head.visits += 1;
        head.last.clear();
        for (index, term) in self.scopes[number].terms.iter().enumerate() {
            let value = match term.recorded {
                Recorded::Here => view.value(term.read).ok(),
                Recorded::AtCall(_) => at_call.get(index).copied().flatten(),
                Recorded::Returned => returned,
            };
            head.unreadable[index] |= value.is_none();
            head.last.push(value.unwrap_or(Bits::ZERO));
        }
        head.pending = true;
        let visits = head.visits;
        if visits <= 2 {
            self.keep(number, Group::Ends);
        } else if visits <= FIRST || is_chosen(visits, if self.run < 2 { 16 } else { 4 }) {
            self.keep(number, Group::Between);
        } else if head.more < MAX_MORE * head.share as u32 && !head.seen.contains_key(&head.last) {
            head.more += 1;
            self.keep(number, Group::Between);
        }
    }
}

impl Recorder<'_> {
    fn called(&mut self, view: &View<'_, '_>, function: FuncId) {
        let [requires, ensures] = self.calls[function.index()];
        if requires != NONE {
            self.visit(view, requires as usize);
        }
        if ensures != NONE {
            let value = |term: &Term| match term.recorded {
                Recorded::AtCall(expr) => view.value(expr).ok(),
                Recorded::Here | Recorded::Returned => None,
            };
            self.running.push((function, self.scopes[ensures as usize].terms.iter().map(value).collect()));
        }
    }

    fn left(&mut self, view: &View<'_, '_>, function: FuncId) {
        let returned = self.returned.take();
        let ensures = self.calls[function.index()][1];
        if ensures != NONE
            && let Some((_, at_call)) = self.running.pop_if(|(running, _)| *running == function)
        {
            self.visit_after(view, ensures as usize, &at_call, returned);
        }
    }
}

impl Observer for Recorder<'_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        let number = match event {
            Event::Edge { edge, value } => {
                if let Op::Return(_) = view.program().edges[edge].op {
                    self.returned = value.map(|(_, bits)| bits);
                }
                self.by_edge[edge.index()]
            }
            Event::Enter { function, .. } => {
                self.called(view, function);
                self.by_function[function.index()]
            }
            Event::Input(_) => {
                self.inputs += 1;
                NONE
            }
            Event::Leave { function } => {
                self.left(view, function);
                NONE
            }
        };
        if number != NONE {
            self.visit(view, number as usize);
        }
    }
}

/// About `count` visits between a number and its double, spread so that they have no common divisor. The first runs may be the only ones, and show more.
fn is_chosen(visits: u64, count: u64) -> bool {
    let range = (visits / count).next_power_of_two();
    visits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & (range - 1) == 0
}

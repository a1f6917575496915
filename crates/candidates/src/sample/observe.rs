//! Records states at loop heads. Of the visits in one run the first ones, the last one and a few between are kept: they differ most.

use super::inputs::Random;
use super::{Sample, Samples};
use crate::Options;
use crate::scope::LoopScope;
use base::ids::Id;
use cfa::interp::{Event, Observer, View};
use cfa::{Bits, Program};
use rustc_hash::FxHashMap;

/// Visits of one run that are kept in any case.
const FIRST: u64 = 16;

pub struct Recorder<'s> {
    scopes: &'s [LoopScope],
    /// The scope whose head an edge leads to, by edge; `NONE` for others.
    by_edge: Vec<u32>,
    /// The scope whose head is the entry of a function, by function.
    by_function: Vec<u32>,
    heads: Vec<Head>,
    random: Random,
    run: u32,
    capacity: usize,
    news: bool,
}

#[derive(Default)]
struct Head {
    samples: Vec<Sample>,
    /// Which sample a state is; a large number if it is none any more.
    seen: FxHashMap<Vec<Bits>, usize>,
    unreadable: Vec<bool>,
    /// In this run.
    visits: u64,
    last: Vec<Bits>,
    /// Whether the last visit is not kept yet.
    pending: bool,
}

const NONE: u32 = u32::MAX;

impl<'s> Recorder<'s> {
    pub fn new(program: &Program, scopes: &'s [LoopScope], options: &Options) -> Self {
        let mut by_edge = vec![NONE; program.edges.len()];
        let mut by_function = vec![NONE; program.functions.len()];
        let mut by_location = vec![NONE; program.locations.len()];
        for (number, scope) in scopes.iter().enumerate() {
            by_location[scope.head.index()] = number as u32;
            if program.automaton(scope.function).is_some_and(|automaton| automaton.entry == scope.head) {
                by_function[scope.function.index()] = number as u32;
            }
        }
        for (id, edge) in program.edges.iter() {
            by_edge[id.index()] = by_location[edge.to.index()];
        }
        let head = |scope: &LoopScope| Head { unreadable: vec![false; scope.terms.len()], ..Head::default() };
        Recorder {
            scopes,
            by_edge,
            by_function,
            heads: scopes.iter().map(head).collect(),
            random: Random::new(options.seed ^ 0x5eed),
            run: 0,
            capacity: options.samples.max(1),
            news: false,
        }
    }

    pub fn begin(&mut self, run: u32) {
        self.run = run;
        self.news = false;
    }

    /// Whether the run recorded something new.
    pub fn end(&mut self) -> bool {
        for number in 0..self.heads.len() {
            self.heads[number].visits = 0;
            if self.heads[number].pending {
                self.keep(number);
            }
        }
        self.news
    }

    pub fn finish(self) -> Vec<Samples> {
        let head = |head: Head| Samples { samples: head.samples, unreadable: head.unreadable };
        self.heads.into_iter().map(head).collect()
    }

    /// Keeps the state of the last visit.
    fn keep(&mut self, number: usize) {
        let head = &mut self.heads[number];
        head.pending = false;
        if let Some(at) = head.seen.get(&head.last) {
            if let Some(sample) = head.samples.get_mut(*at) {
                sample.visits += 1;
            }
            return;
        }
        let values = head.last.clone();
        self.news = true;
        let sample = Sample { values: values.clone(), run: self.run, visits: 1 };
        let mut at = head.samples.len();
        if at < self.capacity {
            head.samples.push(sample);
        } else {
            // Each state seen so far stays with the same probability.
            at = self.random.below(head.seen.len() + 1);
            match head.samples.get_mut(at) {
                Some(old) => {
                    head.seen.insert(std::mem::replace(old, sample).values, usize::MAX);
                }
                None => at = usize::MAX,
            }
        }
        head.seen.insert(values, at);
    }

    fn visit(&mut self, view: &View<'_, '_>, number: usize) {
        let head = &mut self.heads[number];
        head.visits += 1;
        head.last.clear();
        for (index, term) in self.scopes[number].terms.iter().enumerate() {
            head.last.push(match view.value(term.read) {
                Ok(bits) => bits,
                Err(_) => {
                    head.unreadable[index] = true;
                    Bits::ZERO
                }
            });
        }
        head.pending = true;
        if head.visits <= FIRST || head.visits.is_power_of_two() || head.visits.is_multiple_of(37) {
            self.keep(number);
        }
    }
}

impl Observer for Recorder<'_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        let number = match event {
            Event::Edge { edge, .. } => self.by_edge[edge.index()],
            Event::Enter { function, .. } => self.by_function[function.index()],
            Event::Input(_) | Event::Leave { .. } => NONE,
        };
        if number != NONE {
            self.visit(view, number as usize);
        }
    }
}

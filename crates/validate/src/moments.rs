//! The moments of a run of the interpreter, as the encoder's monitors know them.

use base::Budget;
use cfa::interp::{Event, Observer, View};
use cfa::{LocId, Op, Program};
use encode::Moment;

pub struct Moments<'p, F: FnMut(&View<'_, '_>, Moment)> {
    program: &'p Program,
    budget: &'p Budget,
    on_moment: F,
    steps: u32,
}

impl<'p, F: FnMut(&View<'_, '_>, Moment)> Moments<'p, F> {
    pub fn new(program: &'p Program, budget: &'p Budget, on_moment: F) -> Self {
        Moments { program, budget, on_moment, steps: 0 }
    }
}

impl<F: FnMut(&View<'_, '_>, Moment)> Moments<'_, F> {
    fn arrive(&mut self, view: &View<'_, '_>, location: LocId) {
        if let Some(edge) = self.program.locations[location].out[0] {
            (self.on_moment)(view, Moment::Before(edge));
        }
    }
}

impl<F: FnMut(&View<'_, '_>, Moment)> Observer for Moments<'_, F> {
    /// To look at each moment can be slow, however few steps there are.
    fn gives_up(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        self.steps.is_multiple_of(256) && self.budget.expired()
    }

    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        match event {
            Event::Edge { edge, .. } => {
                (self.on_moment)(view, Moment::After(edge));
                if !matches!(self.program.edges[edge].op, Op::Return(_)) {
                    self.arrive(view, self.program.edges[edge].to);
                }
            }
            Event::Enter { edge, function } => {
                match edge {
                    // The variables are still the caller's.
                    Some(edge) => (self.on_moment)(&view.caller(), Moment::Enter(edge, function)),
                    None => (self.on_moment)(view, Moment::Start(function)),
                }
                if let Some(automaton) = self.program.automaton(function) {
                    self.arrive(view, automaton.entry);
                }
            }
            Event::Input(_) | Event::Leave { .. } => {}
        }
    }
}

//! How far known runs go: how often each loop is entered again, and how deep each function calls itself.
//!
//! A failing run ends early, so its loop counts say nothing about passing runs; those are measured themselves. And where a line may do
//! something else, no loop is decided any more, so it is these numbers that bound the unrolling.

use crate::Failure;
use cfa::interp::{Event, Observer, View};
use cfa::{FuncId, LocId, Program, loops};
use encode::Limits;
use evidence::Tape;
use rustc_hash::{FxHashMap, FxHashSet};

/// The limits within which all known runs stay, and can still go on by one round. Loops that a fault skips have more to do than was ever seen, hence
/// the least number of rounds.
pub fn limits(failures: &[Failure<'_>], passing: &[Tape], least: u32) -> Limits {
    let Some(first) = failures.first() else { return Limits::default() };
    let mut extent = Extent::default();
    let passing = passing.iter().map(|tape| first.with_tape(tape));
    for run in failures.iter().cloned().chain(passing) {
        extent.frames.clear();
        run.run_observed(&mut extent);
    }
    let mut limits = extent.most;
    limits.loops.values_mut().chain(limits.functions.values_mut()).for_each(|limit| *limit = (*limit + 1).max(least));
    limits
}

#[derive(Default)]
struct Extent {
    frames: Vec<Frame>,
    /// The locations of each loop, by its head, of the functions that were entered.
    bodies: FxHashMap<LocId, FxHashSet<LocId>>,
    known: FxHashSet<FuncId>,
    most: Limits,
}

struct Frame {
    function: FuncId,
    /// How often the head of a loop was reached again since the loop was entered.
    again: FxHashMap<LocId, u32>,
}

impl Extent {
    fn learn(&mut self, program: &Program, function: FuncId) {
        if self.known.insert(function) {
            for one in loops::loops(program, function) {
                self.bodies.entry(one.head).or_default().extend(one.body);
            }
        }
    }
}

impl Observer for Extent {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        match event {
            Event::Enter { function, .. } => {
                self.learn(view.program(), function);
                let depth = self.frames.iter().filter(|frame| frame.function == function).count() as u32;
                self.frames.push(Frame { function, again: FxHashMap::default() });
                let most = self.most.functions.entry(function).or_default();
                *most = depth.max(*most);
            }
            Event::Leave { .. } => drop(self.frames.pop()),
            Event::Edge { edge, .. } => {
                let edge = &view.program().edges[edge];
                let (Some(body), Some(frame)) = (self.bodies.get(&edge.to), self.frames.last_mut()) else { return };
                let again = frame.again.entry(edge.to).or_default();
                *again = if body.contains(&edge.from) { *again + 1 } else { 0 };
                let most = self.most.loops.entry(edge.to).or_default();
                *most = (*most).max(*again);
            }
            Event::Input(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::{DataModel, Property, PropertySet, Task};

    #[test]
    fn loops_and_recursion_of_known_runs() {
        let text = "int deep(int n) { return n ? deep(n - 1) : 0; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < i; j++)
      x += deep(6);
  __VERIFIER_assert(x != 7);
}
void __VERIFIER_assert(int c) { if (!c) reach_error(); }
";
        let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
        let program = &compiled.program;
        let properties = PropertySet::of(&[Property::UnreachCall]);
        let entry = program.function_named("main").expect("it is defined");
        let mut seven = cfa::interp::ListInputs::then_zero(vec![cfa::Bits::new(7)]);
        let failure = crate::replay::failure(Task { program, entry, properties }, Default::default(), &mut seven)
            .unwrap_or_else(|outcome| panic!("{outcome:?}"));
        let mut found = limits(&[failure], &[], 4);
        let mut rounds: Vec<u32> = found.loops.drain().map(|(_, limit)| limit).collect();
        rounds.sort();
        assert_eq!(rounds, [4 + 1, 5 + 1]);
        let deep = program.function_named("deep").expect("it is defined");
        assert_eq!((found.functions[&deep], found.functions[&entry]), (6 + 1, 4));
    }
}

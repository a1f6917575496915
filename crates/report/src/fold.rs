//! Which steps of a run a reader can do without: the middle iterations of long loops. Linear in the length of the run.

use cfa::{FuncId, LocId, Program, loops};
use std::collections::HashMap;

/// An iteration begins when the head is reached. These many are shown at the end of a loop, besides its first one.
const LAST: usize = 2;
/// Fewer are not worth a line that says so.
const FEWEST: u64 = 2;

/// Steps `start..end` are whole iterations of one loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fold {
    pub start: usize,
    pub end: usize,
    pub iterations: u64,
    pub head: LocId,
}

/// Follows a run from location to location.
pub struct Folder<'p> {
    program: &'p Program,
    /// Loop heads around each location, outermost first, for the functions that were met.
    around: HashMap<FuncId, HashMap<LocId, Vec<LocId>>>,
    /// The loops that each running function is in, outermost first.
    open: Vec<Vec<Open>>,
    folds: Vec<Fold>,
}

struct Open {
    head: LocId,
    iterations: u64,
    /// Where the second iteration starts.
    second: usize,
    /// Where the last ones start.
    last: [usize; LAST],
}

impl<'p> Folder<'p> {
    pub fn new(program: &'p Program) -> Self {
        Folder { program, around: HashMap::new(), open: Vec::new(), folds: Vec::new() }
    }

    /// A function starts running in place of everything at this depth and below.
    pub fn enter(&mut self, depth: u32) {
        self.return_to(depth as usize);
        self.open.resize_with(depth as usize + 1, Vec::new);
    }

    /// The function at this depth is at a location; `at` is the number of the next step that is shown.
    pub fn arrive(&mut self, depth: u32, location: LocId, at: usize) {
        let depth = depth as usize;
        self.return_to(depth + 1);
        self.open.resize_with(depth + 1, Vec::new);
        let function = self.program.locations[location].function;
        let around = self.around.entry(function).or_insert_with(|| heads_around(self.program, function));
        let heads = around.get(&location).map_or(&[][..], Vec::as_slice);
        let open = &mut self.open[depth];
        let same = open.iter().zip(heads).take_while(|(open, head)| open.head == **head).count();
        self.folds.extend(open.drain(same..).filter_map(Open::fold));
        match open.last_mut() {
            Some(open) if open.head == location => open.again(at),
            _ => {}
        }
        open.extend(heads[same..].iter().map(|head| Open { head: *head, iterations: 1, second: at, last: [at; LAST] }));
    }

    /// Steps are missing from here on: what follows is not known to belong to what was open.
    pub fn gap(&mut self) {
        self.return_to(0);
    }

    /// What can be left out, outermost loops only, in order and without overlaps.
    pub fn finish(mut self) -> Vec<Fold> {
        self.return_to(0);
        let mut folds = self.folds;
        folds.sort_by_key(|fold| (fold.start, std::cmp::Reverse(fold.end)));
        let mut end = 0;
        folds.retain(|fold| {
            let outermost = fold.start >= end;
            if outermost {
                end = fold.end;
            }
            outermost
        });
        folds
    }

    fn return_to(&mut self, depth: usize) {
        if self.open.len() > depth {
            self.folds.extend(self.open.drain(depth..).flatten().filter_map(Open::fold));
        }
    }
}

impl Open {
    fn again(&mut self, at: usize) {
        self.iterations += 1;
        if self.iterations == 2 {
            self.second = at;
        }
        self.last.rotate_left(1);
        self.last[LAST - 1] = at;
    }

    fn fold(self) -> Option<Fold> {
        let iterations = self.iterations.saturating_sub(1 + LAST as u64);
        let (start, end) = (self.second, self.last[0]);
        (iterations >= FEWEST && start < end).then_some(Fold { start, end, iterations, head: self.head })
    }
}

/// The heads of the loops around each location of a function, outermost first.
pub fn heads_around(program: &Program, function: FuncId) -> HashMap<LocId, Vec<LocId>> {
    let mut around: HashMap<LocId, Vec<LocId>> = HashMap::new();
    // Outer loops come first.
    for one in loops::loops(program, function) {
        for location in one.body {
            around.entry(location).or_default().push(one.head);
        }
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;

    const NESTED: &str = "int main(void) { int n = 0; while (n < 9) { while (n % 7) n++; n++; } return n; }";

    #[test]
    fn inner_folds_vanish_in_outer_ones() {
        let (_, compiled) = testkit::compile(NESTED.as_bytes(), cfa::DataModel::Lp64);
        let program = compiled.program;
        let found = loops::loops(&program, program.function_named("main").expect("main is there"));
        let (outer, inner) = (found[0].head, found[1].head);
        let run = |outers: usize, inners: usize| {
            let mut folder = Folder::new(&program);
            folder.enter(0);
            let mut at = 0;
            for _ in 0..outers {
                folder.arrive(0, outer, at);
                at += 1;
                for _ in 0..inners {
                    folder.arrive(0, inner, at);
                    at += 1;
                }
            }
            folder.finish()
        };
        assert_eq!(run(4, 4), [], "short loops are shown");
        let inside = |start| Fold { start, end: start + 7, iterations: 7, head: inner };
        assert_eq!(run(2, 10), [inside(2), inside(13)]);
        let middle = Fold { start: 11, end: 98 * 11, iterations: 97, head: outer };
        assert_eq!(run(100, 10), [inside(2), middle, inside(98 * 11 + 2), inside(99 * 11 + 2)]);
    }
}

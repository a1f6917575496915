//! Several faults: edits that make some of the failing tests pass and break no other are put together, two at a time, or with one that helps only where the
//! other one was made. What is left are edits that repair a part.

use super::edits::{Edit, Kind};
use super::{BATCH, Edited, Known, Runs, Search, compile, sift};
use crate::localize::lines::Line;
use crate::suite::{TestResult, Unobserved};
use cfa::Task;

/// Edits that are looked at.
const MAX_EDITS: usize = 600;
/// Edits that are put together, and pairs of them that are tried.
const MAX_PARTIAL: usize = 60;
const MAX_PAIRS: usize = 200;
/// Repairs of several lines that are enough.
const ENOUGH: usize = 3;
/// Edits beside which a further one is looked for.
const MAX_FIRST: usize = 2;
/// An edit that repairs a part makes so many failing tests pass, at least, and half of them.
const LEAST_PART: usize = 2;

impl Runs<'_> {
    /// Which failing tests pass with an edit; `None` if none does, or if one that passed does not.
    fn fixed(&self, edited: &Edited) -> Option<Vec<bool>> {
        let program = &edited.compiled.program;
        let task = Task { program, entry: program.function_named(&self.entry)?, properties: self.properties };
        let (failing, passing) = self.tests.split_at(self.failing_tests);
        let passes = |test: &crate::suite::Test| {
            test.result(&test.run(task, self.max_steps, &mut Unobserved)) == TestResult::Passes
        };
        let fixed: Vec<bool> =
            if passing.iter().all(passes) { failing.iter().map(passes).collect() } else { return None };
        fixed.contains(&true).then_some(fixed)
    }
}

impl Search<'_> {
    /// Tries two edits on different lines at once.
    pub(super) fn several(&mut self, edits: &[(&Line, Edit)]) {
        if self.runs.failing_tests < 2 {
            return;
        }
        let mut partial: Vec<(&Line, &Edit, Vec<bool>)> = Vec::new();
        let one_place: Vec<(&Line, Edit)> =
            edits.iter().filter(|(_, edit)| edit.definition.is_none()).take(MAX_EDITS).cloned().collect();
        for batch in one_place.chunks(BATCH) {
            if self.budget.expired() || partial.len() >= MAX_PARTIAL {
                break;
            }
            let fixed = sift(self.bench, self.place, batch, |edited| self.runs.fixed(edited));
            for ((line, edit), fixed) in batch.iter().zip(fixed) {
                // Of edits that make the same tests pass on one line, the simplest.
                if let Some((_, fixed)) = fixed
                    && !partial.iter().any(|(other, _, known)| other == line && *known == fixed)
                {
                    partial.push((line, edit, fixed));
                }
            }
        }
        let mut pairs: Vec<(usize, &Line, Edit)> = Vec::new();
        for (index, (line, first, fixed)) in partial.iter().enumerate() {
            for (other_line, second, others) in &partial[index + 1..] {
                // A test that needs both passes with neither alone.
                let more = |these: &[bool], those: &[bool]| these.iter().zip(those).any(|(this, that)| *this && !*that);
                if line == other_line || !more(fixed, others) || !more(others, fixed) {
                    continue;
                }
                let left = fixed.iter().zip(others).filter(|(one, other)| !**one && !**other).count();
                pairs.push((left, line, both(line, first, other_line, second)));
            }
        }
        let texts: Vec<(&str, &[u8], u32)> = self.bench.units.iter().map(|unit| self.bench.text(*unit)).collect();
        pairs.sort_by_key(|(left, ..)| *left);
        for (_, line, edit) in pairs.into_iter().take(MAX_PAIRS) {
            if self.budget.expired() || self.found.verified.len() >= ENOUGH {
                break;
            }
            let Some(edited) = compile(self.bench, &texts, &edit, self.place) else { continue };
            if self.runs.pass(&edited) {
                let repair = self.repair(line, &edit, &edited, Known::Tests(self.runs.tests.len()));
                self.found.verified.push(repair);
            }
        }
        if self.found.verified.is_empty() {
            partial.sort_by_key(|(.., fixed)| std::cmp::Reverse(count(fixed)));
            for (line, first, _) in partial.iter().take(MAX_FIRST) {
                self.beside(line, first, &one_place);
            }
        }
        if self.found.verified.is_empty() {
            self.part(&partial, &texts);
        }
    }

    /// Tries one more edit beside one that repairs a part.
    fn beside(&mut self, line: &Line, first: &Edit, edits: &[(&Line, Edit)]) {
        let pairs: Vec<(&Line, Edit)> = edits
            .iter()
            .filter(|(other, _)| *other != line)
            .map(|(other, second)| (*other, both(line, first, other, second)))
            .collect();
        for batch in pairs.chunks(BATCH) {
            if self.budget.expired() || self.found.verified.len() >= ENOUGH {
                break;
            }
            let passing = sift(self.bench, self.place, batch, |edited| self.runs.pass(edited).then_some(()));
            for ((_, edit), edited) in batch.iter().zip(passing) {
                let Some((edited, ())) = edited else { continue };
                let repair = self.repair(line, edit, &edited, Known::Tests(self.runs.tests.len()));
                self.found.verified.push(repair);
            }
        }
    }

    /// Edits that repair the largest part.
    fn part(&mut self, partial: &[(&Line, &Edit, Vec<bool>)], texts: &[(&str, &[u8], u32)]) {
        let most = partial.first().map_or(0, |(.., fixed)| count(fixed));
        if most < LEAST_PART || 2 * most < self.runs.failing_tests {
            return;
        }
        for (line, edit, fixed) in partial.iter().filter(|(.., fixed)| count(fixed) == most).take(ENOUGH) {
            let Some(edited) = compile(self.bench, texts, edit, self.place) else { continue };
            let repair = self.repair(line, edit, &edited, Known::Part(most, fixed.len()));
            self.found.verified.push(repair);
        }
    }
}

fn count(fixed: &[bool]) -> usize {
    fixed.iter().filter(|fixed| **fixed).count()
}

/// Two edits of different lines at once.
fn both(line: &Line, first: &Edit, other_line: &Line, second: &Edit) -> Edit {
    let mut parts: Vec<(u32, u32, String)> = first.parts.iter().chain(&second.parts).cloned().collect();
    parts.sort();
    let what = format!("{} in line {} and {} in line {}", first.what, line.line, second.what, other_line.line);
    Edit { parts, what, kind: Kind::Several, shared_tokens: 0, definition: None }
}

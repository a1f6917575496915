//! Makes a program that shows a wrong answer smaller: lines and blocks are left out as long as the answer stays wrong in the same way.

use super::native::{self, Report};
use super::verdict_check::{ClaimedVerdict, DecideOptions, Wrong, ask, properties, wrong};
use super::{Attack, Query};
use std::path::Path;

/// Compilations are slow; so many must do.
const MAX_COMPILATIONS: u32 = 120;

struct Reducer<'a> {
    folder: &'a Path,
    name: &'a str,
    asked: DecideOptions,
    question: Query,
    said: &'a ClaimedVerdict,
    compilations: u32,
}

/// The smallest program found that is answered wrongly, too, with the question in it.
pub fn reduce(folder: &Path, name: &str, found: &Wrong, asked: DecideOptions) -> Attack {
    let question = match &found.question {
        Query::Property(property) => Query::Property(*property),
        _ => Query::Reached,
    };
    let mut reducer = Reducer { folder, name, asked, question, said: &found.said, compilations: 0 };
    let mut best = found.attack.asking(&found.question);
    if !reducer.still_wrong(&best) {
        return best;
    }
    loop {
        let before = best.lines.len();
        let mut at = 0;
        while at < best.lines.len() {
            match shorter(&best.lines, at).into_iter().find_map(|lines| {
                let candidate = Attack { lines, ..best.clone() };
                reducer.still_wrong(&candidate).then_some(candidate)
            }) {
                Some(candidate) => best = candidate,
                None => at += 1,
            }
        }
        if best.lines.len() == before || reducer.compilations >= MAX_COMPILATIONS {
            return best;
        }
    }
}

/// The program without a line, without the block that starts there, or without the braces of that block.
fn shorter(lines: &[String], at: usize) -> Vec<Vec<String>> {
    let without = |from: usize, to: usize| [&lines[..from], &lines[to + 1..]].concat();
    let Some(end) = block_end(lines, at) else { return vec![without(at, at)] };
    let unwrapped = [&lines[..at], &lines[at + 1..end], &lines[end + 1..]].concat();
    vec![without(at, end), unwrapped]
}

/// The last line of a block that starts at a line.
fn block_end(lines: &[String], at: usize) -> Option<usize> {
    if !lines[at].ends_with('{') {
        return None;
    }
    let mut open = 1i32;
    for (index, line) in lines.iter().enumerate().skip(at + 1) {
        // `} else {` ends one block and starts another: both go.
        let braces = if line.trim_start().starts_with('}') && line.ends_with('{') { 0 } else { balance(line) };
        open += braces;
        if open == 0 {
            return Some(index);
        }
    }
    None
}

fn balance(line: &str) -> i32 {
    line.matches('{').count() as i32 - line.matches('}').count() as i32
}

impl Reducer<'_> {
    fn still_wrong(&mut self, candidate: &Attack) -> bool {
        if self.compilations >= MAX_COMPILATIONS {
            return false;
        }
        let said = ask(&candidate.with_checks(), candidate.flavour, properties(&self.question), self.asked);
        if !said.resembles(self.said) {
            return false;
        }
        self.compilations += 1;
        let Ok(truths) = native::truths(self.folder, self.name, std::slice::from_ref(candidate)) else { return false };
        let usable = truths[0].unusable.is_none() && !truths[0].reports.contains(&Report::Uninitialized);
        usable && wrong(candidate, &self.question, &truths[0], &said).is_some()
    }
}

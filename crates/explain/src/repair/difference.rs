//! How much an edit changes where nothing is known to be expected: tests made by chance from those that are given are run with and without it. Tests
//! cannot prove an edit, but of two edits with which all tests pass, the one that leaves more of the other runs as they were is the likelier one, and of edits
//! that differ there at most one is right.

use crate::runs::Random;
use crate::suite::{Expected, InputNumber, Test, Unobserved};
use cfa::Task;
use cfa::interp::Outcome;

/// Tests that are made.
const COUNT: usize = 96;

/// What is seen of a run from outside.
type Seen = (Option<i32>, Vec<u8>);

/// Tests made by chance, with what the program does on them as it is.
pub struct OtherTests {
    tests: Vec<(Test, Seen)>,
    max_steps: u64,
}

impl OtherTests {
    pub fn of(task: Task<'_>, tests: &[Test], max_steps: u64) -> Self {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut found: Vec<(Test, Seen)> = Vec::new();
        for _ in 0..COUNT {
            let Some(base) = tests.get(random.below(tests.len())) else { break };
            let test = changed(base, tests, &mut random);
            let given =
                |other: &Test| (other.args == test.args) && other.stdin == test.stdin && other.inputs == test.inputs;
            if tests.iter().any(given) || found.iter().any(|(other, _)| given(other)) {
                continue;
            }
            // A run that does not end regularly was never meant.
            if let Some(seen) = seen(&test, task, max_steps) {
                found.push((test, seen));
            }
        }
        OtherTests { tests: found, max_steps }
    }

    /// Which of them come out otherwise.
    pub fn differ(&self, edited: Task<'_>) -> Vec<bool> {
        let differs = |(test, before): &(Test, Seen)| seen(test, edited, self.max_steps).as_ref() != Some(before);
        self.tests.iter().map(differs).collect()
    }

    /// What comes out of them.
    pub fn outcomes(&self, edited: Task<'_>) -> Vec<Option<Seen>> {
        self.tests.iter().map(|(test, _)| seen(test, edited, self.max_steps)).collect()
    }
}

fn seen(test: &Test, task: Task<'_>, max_steps: u64) -> Option<Seen> {
    let run = test.run(task, max_steps, &mut Unobserved);
    match run.outcome {
        Outcome::Finished(code) => Some((Some(code), run.stdout)),
        Outcome::Aborted => Some((None, run.stdout)),
        _ => None,
    }
}

/// A test with some of its numbers and words replaced: by those of other tests, or by neighbours.
fn changed(base: &Test, tests: &[Test], random: &mut Random) -> Test {
    let mut test = Test { name: String::new(), expected: Expected::default(), ..base.clone() };
    let other = &tests[random.below(tests.len())];
    for (at, word) in test.args.iter_mut().enumerate() {
        match (random.below(4), other.args.get(at)) {
            (0 | 1, Some(replaced)) => word.clone_from(replaced),
            (2, _) => *word = neighbour(word, random),
            _ => {}
        }
    }
    for (at, input) in test.inputs.iter_mut().enumerate() {
        match (random.below(4), other.inputs.get(at), &input) {
            (0 | 1, Some(replaced), _) => *input = *replaced,
            (2, _, InputNumber::Int(value)) => *input = InputNumber::Int(value + random.below(5) as i128 - 2),
            _ => {}
        }
    }
    if let Some(text) = &mut test.stdin {
        *text = changed_text(text, other.stdin.as_deref().unwrap_or_default(), random);
    }
    test
}

/// A number that is a little more or less; another word stays as it is.
fn neighbour(word: &[u8], random: &mut Random) -> Vec<u8> {
    let number = std::str::from_utf8(word).ok().and_then(|text| text.parse::<i64>().ok());
    number.map_or(word.to_vec(), |number| (number.wrapping_add(random.below(7) as i64 - 3)).to_string().into_bytes())
}

/// A text with some of its words replaced; white space stays.
fn changed_text(text: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let is_space = |byte: &u8| byte.is_ascii_whitespace();
    let words: Vec<&[u8]> = other.split(is_space).filter(|word| !word.is_empty()).collect();
    let mut found = Vec::with_capacity(text.len());
    for piece in text.split_inclusive(is_space) {
        let end = piece.iter().position(is_space).unwrap_or(piece.len());
        let (word, space) = piece.split_at(end);
        match random.below(6) {
            0 if !words.is_empty() && !word.is_empty() => found.extend(words[random.below(words.len())]),
            1 => found.extend(neighbour(word, random)),
            _ => found.extend(word),
        }
        found.extend(space);
    }
    found
}

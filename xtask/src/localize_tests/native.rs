//! Programs compiled and run natively: what tests expect, and whether a repair is right on inputs that no test has.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use testkit::process::run_within;

const LIMIT: Duration = Duration::from_secs(2);
/// Random inputs that a repair is tried on.
const RANDOM: usize = 150;

/// What a run is given.
#[derive(Clone, PartialEq, Debug)]
pub struct Given {
    pub args: Vec<String>,
    pub stdin: String,
}

/// A program without fault, compiled.
#[derive(Clone)]
pub struct Original {
    binary: PathBuf,
    /// What random inputs are made from.
    seeds: Vec<Given>,
}

pub fn compile(source: &Path, to: &Path) -> Result<bool> {
    let status = Command::new("gcc").args(["-w", "-std=gnu17", "-o"]).arg(to).arg(source).arg("-lm").status()?;
    Ok(status.success())
}

/// What a compiled program prints, and its exit code; `None` if it does not end in time or is ended by a signal.
fn run(binary: &Path, given: &Given) -> Result<Option<(String, i32)>> {
    let text = tempfile::NamedTempFile::new()?;
    std::fs::write(text.path(), &given.stdin)?;
    let mut command = Command::new("sh");
    let script = "in=$1; shift; timeout 1 \"$0\" \"$@\" < \"$in\" > \"$in.out\"; code=$?; head -c 100000 \"$in.out\"; rm \"$in.out\"; exit $code";
    command.args(["-c", script]).arg(binary).arg(text.path()).args(&given.args);
    let run = run_within(&mut command, LIMIT)?;
    Ok(run.and_then(|run| {
        let code = run.code.filter(|code| *code < 124)?;
        Some((String::from_utf8_lossy(&run.stdout).into_owned(), code))
    }))
}

impl Original {
    pub fn of(source: &Path, binary: &Path, seeds: Vec<Given>) -> Result<Original> {
        if !compile(source, binary)? {
            bail!("{} does not compile", source.display());
        }
        Ok(Original { binary: binary.to_path_buf(), seeds })
    }

    /// A test: what is given, and what is expected.
    pub fn test(&self, given: Given) -> Result<(Given, String)> {
        let (printed, _) =
            run(&self.binary, &given)?.with_context(|| format!("{} fails on {given:?}", self.binary.display()))?;
        Ok((given, printed))
    }

    /// The first test that another program fails.
    pub fn refutes<'t>(&self, other: &Path, tests: &'t [(Given, String)]) -> Result<Option<&'t Given>> {
        for (given, expected) in tests {
            if run(other, given)?.is_none_or(|(printed, _)| printed != *expected) {
                return Ok(Some(given));
            }
        }
        Ok(None)
    }

    /// A random input on which another program does not do what this one does.
    pub fn differs(&self, other: &Path) -> Result<Option<Given>> {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for _ in 0..RANDOM {
            let Some(seed) = self.seeds.get(random.below(self.seeds.len().max(1))) else { return Ok(None) };
            let given = random.changed(seed);
            // Where the program itself fails, nothing is expected.
            let Some(expected) = run(&self.binary, &given)? else { continue };
            if run(other, &given)?.as_ref() != Some(&expected) {
                return Ok(Some(given));
            }
        }
        Ok(None)
    }
}

/// Xorshift: the same inputs every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }

    /// Words of what is given, some of them changed, left out or twice.
    fn changed(&mut self, seed: &Given) -> Given {
        let args = seed.args.iter().map(|word| self.word(word)).collect();
        let mut stdin = String::new();
        for line in seed.stdin.split_inclusive('\n') {
            let words: Vec<&str> = line.trim_end_matches('\n').split(' ').collect();
            for (index, word) in words.iter().enumerate() {
                let copies = match self.below(12) {
                    0 => 0,
                    1 => 2,
                    _ => 1,
                };
                for _ in 0..copies {
                    if index > 0 {
                        stdin.push(' ');
                    }
                    stdin.push_str(&self.word(word));
                }
            }
            stdin.push('\n');
        }
        Given { args, stdin }
    }

    fn word(&mut self, word: &str) -> String {
        let Ok(number) = word.parse::<i64>() else {
            let letters = word.chars().map(|letter| match self.below(8) {
                0 if letter.is_ascii_lowercase() => (b'a' + self.below(26) as u8) as char,
                _ => letter,
            });
            return letters.collect();
        };
        let near = self.below(7) as i64 - 3;
        match self.below(6) {
            0 | 1 => (number + near).to_string(),
            2 => (self.below(1 + 2 * number.unsigned_abs().min(100_000) as usize) as i64).to_string(),
            _ => number.to_string(),
        }
    }
}

//! Thousands of csmith programs against gcc. What differs stays in `target/fuzz` and fails the chore.

use crate::{root, setup};
use anyhow::{Context, Result, bail};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use testkit::csmith::{self, FLAVOURS, Verdict};

pub fn fuzz(args: &[String]) -> Result<()> {
    let number = |flag: &str, default: u64| -> Result<u64> {
        match args.iter().position(|arg| arg == flag) {
            Some(at) => {
                args.get(at + 1).and_then(|text| text.parse().ok()).with_context(|| format!("{flag} needs a number"))
            }
            None => Ok(default),
        }
    };
    let (count, first) = (number("--count", 1000)?, number("--seed", 1)?);
    setup::setup()?;
    let folder = root().join("target/fuzz");
    std::fs::create_dir_all(&folder)?;
    let next = AtomicU64::new(0);
    let tally = Mutex::new((0u64, 0u64, Vec::<String>::new()));
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        return;
                    }
                    let outcome = one(&folder, first + index);
                    let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
                    match outcome {
                        Ok(Verdict::Same) => tally.0 += 1,
                        Ok(Verdict::Skipped) => tally.1 += 1,
                        Ok(Verdict::Different { expected, got }) => {
                            eprintln!("seed {}: expected {expected:?}, got {got:?}", first + index);
                            tally.2.push(format!("seed {}", first + index));
                        }
                        Err(error) => tally.2.push(format!("seed {}: {error:#}", first + index)),
                    }
                    if (index + 1).is_multiple_of(100) {
                        eprintln!(
                            "{} done: {} same, {} too slow, {} different",
                            index + 1,
                            tally.0,
                            tally.1,
                            tally.2.len()
                        );
                    }
                }
            });
        }
    });
    let (same, skipped, different) = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    println!(
        "{count} programs: {same} same, {skipped} skipped (csmith or the program takes too long), {} different",
        different.len()
    );
    if !different.is_empty() {
        bail!("different:\n{}", different.join("\n"));
    }
    Ok(())
}

fn one(folder: &std::path::Path, seed: u64) -> Result<Verdict> {
    let Some(path) = csmith::generate(folder, (seed % FLAVOURS.len() as u64) as usize, seed)? else {
        return Ok(Verdict::Skipped);
    };
    let verdict = csmith::compare(&path)?;
    if !matches!(verdict, Verdict::Different { .. }) {
        std::fs::remove_file(&path)?;
    }
    Ok(verdict)
}

//! Random programs, thousands of them, against compilers: one table of kinds. What differs stays in `target/fuzz` and fails the chore.

use crate::{option, root, setup};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use testkit::attack::verdict_check::{self, Tally, Wrong};
use testkit::attack::{self, Attack, Flavour, Query, native, reduce};
use testkit::csmith::{self, Comparison};
use testkit::library;

/// A kind of programs: how many make a task for one core, and what comparing them gives.
struct Kind {
    name: &'static str,
    flavours: fn() -> Vec<&'static str>,
    batch: u64,
    compare: fn(&FuzzOptions, std::ops::Range<u64>) -> Result<Outcome>,
}

static KINDS: &[Kind] = &[
    Kind {
        name: "csmith",
        flavours: || csmith::FLAVOURS.iter().map(|(name, _)| *name).collect(),
        batch: 1,
        compare: compare_csmith,
    },
    Kind {
        name: "attack",
        flavours: || attack::FLAVOURS.iter().map(|flavour| flavour.name).collect(),
        batch: 50,
        compare: compare_attacks,
    },
    Kind { name: "library", flavours: Vec::new, batch: 1, compare: compare_library },
];

struct FuzzOptions {
    folder: std::path::PathBuf,
    /// Only this one.
    flavour: Option<usize>,
    attack: verdict_check::DecideOptions,
    /// How many wrong answers are still to be made smaller.
    reductions: AtomicU64,
}

impl FuzzOptions {
    fn attack_flavour(&self, seed: u64) -> &'static Flavour {
        &attack::FLAVOURS[self.flavour.unwrap_or(seed as usize % attack::FLAVOURS.len())]
    }
}

#[derive(Default)]
struct Outcome {
    counts: Tally,
    different: Vec<String>,
}

pub fn fuzz(args: &[String]) -> Result<()> {
    let number = |flag: &str, default: u64| -> Result<u64> {
        option(args, flag).map_or(Ok(default), |text| text.parse().with_context(|| format!("{flag} needs a number")))
    };
    let (count, first) = (number("--count", 1000)?, number("--seed", 1)?);
    let kind = named(KINDS.iter().map(|kind| kind.name), option(args, "--kind").unwrap_or("csmith"))?;
    let kind = &KINDS[kind];
    let flavour = option(args, "--flavour").map(|name| named((kind.flavours)().into_iter(), name)).transpose()?;
    setup::setup()?;
    let asked = FuzzOptions {
        folder: root().join("target/fuzz"),
        flavour,
        attack: verdict_check::DecideOptions {
            decide: decider(option(args, "--engine").unwrap_or(engine::default_engine().name))?,
            limit: Duration::from_millis(number("--timeout-ms", 2000)?),
        },
        reductions: AtomicU64::new(number("--reduce", 20)?),
    };
    std::fs::create_dir_all(&asked.folder)?;
    if args.iter().any(|arg| arg == "--show") {
        for seed in first..first + count {
            println!("{}", attack::attack(asked.attack_flavour(seed), seed).with_checks());
        }
        return Ok(());
    }
    if kind.name == "attack" && !native::has_clang() {
        println!("clang is not installed: the programs are compared with gcc only");
    }
    let total = run(kind, &asked, first, count);
    for (what, number) in &total.counts {
        println!("{number:8} {what}");
    }
    println!("{count} programs, {} different", total.different.len());
    if !total.different.is_empty() {
        bail!("different:\n{}", total.different.join("\n"));
    }
    Ok(())
}

/// The engine with a name; `cut` is `induction` that unwinds no loop at all.
fn decider(name: &str) -> Result<engine::Decide> {
    if name == "cut" {
        return Ok(engine::induction::decide_without_unwinding);
    }
    Ok(engine::engine(name).with_context(|| format!("no engine is called `{name}`"))?.decide)
}

fn named(names: impl Iterator<Item = &'static str>, wanted: &str) -> Result<usize> {
    let names: Vec<&str> = names.collect();
    names.iter().position(|name| *name == wanted).with_context(|| format!("`{wanted}` is not among {names:?}"))
}

fn run(kind: &Kind, asked: &FuzzOptions, first: u64, count: u64) -> Outcome {
    let next = AtomicU64::new(0);
    let total = Mutex::new(Outcome::default());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let start = next.fetch_add(kind.batch, Ordering::Relaxed);
                    if start >= count {
                        return;
                    }
                    let end = (start + kind.batch).min(count);
                    let outcome = (kind.compare)(asked, first + start..first + end);
                    let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
                    match outcome {
                        Ok(outcome) => {
                            for (what, number) in outcome.counts {
                                *total.counts.entry(what).or_default() += number;
                            }
                            for one in outcome.different {
                                eprintln!("{one}");
                                total.different.push(one);
                            }
                        }
                        Err(error) => total.different.push(format!("seed {}: {error:#}", first + start)),
                    }
                    if end.is_multiple_of(100) {
                        eprintln!("{end} done, {} different", total.different.len());
                    }
                }
            });
        }
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn compare_csmith(asked: &FuzzOptions, seeds: std::ops::Range<u64>) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for seed in seeds {
        let flavour = asked.flavour.unwrap_or(seed as usize % csmith::FLAVOURS.len());
        let what = match csmith_program(&asked.folder, flavour, seed)? {
            Comparison::Same => "same",
            Comparison::Skipped => "skipped: csmith or the program takes too long",
            Comparison::Different { expected, got } => {
                outcome.different.push(format!("seed {seed}: expected {expected:?}, got {got:?}"));
                "different"
            }
        };
        *outcome.counts.entry(what.to_string()).or_default() += 1;
    }
    Ok(outcome)
}

/// Random calls of library functions against the system's.
fn compare_library(asked: &FuzzOptions, seeds: std::ops::Range<u64>) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for seed in seeds {
        if let Comparison::Different { expected, got } = library::compare(&asked.folder, seed)? {
            outcome.different.push(format!("seed {seed}: - gcc, + whydunit\n{}", testkit::diff(&expected, &got)));
        }
        *outcome.counts.entry("calls".to_string()).or_default() += library::CALLS;
    }
    Ok(outcome)
}

fn csmith_program(folder: &Path, flavour: usize, seed: u64) -> Result<Comparison> {
    let Some(path) = csmith::generate(folder, flavour, seed)? else {
        return Ok(Comparison::Skipped);
    };
    let verdict = csmith::compare(&path)?;
    if !matches!(verdict, Comparison::Different { .. }) {
        std::fs::remove_file(&path)?;
    }
    Ok(verdict)
}

fn compare_attacks(asked: &FuzzOptions, seeds: std::ops::Range<u64>) -> Result<Outcome> {
    let name = format!("attack-{}", seeds.start);
    let programs: Vec<Attack> = seeds.map(|seed| attack::attack(asked.attack_flavour(seed), seed)).collect();
    let (counts, found) = verdict_check::compare(&asked.folder, &name, &programs, asked.attack)?;
    let mut different = Vec::new();
    for wrong in &found {
        let stored = store(asked, wrong)?;
        match wrong.is_doubtful() {
            true => eprintln!("{stored}"),
            false => different.push(stored),
        }
    }
    Ok(Outcome { counts, different })
}

/// Keeps a program that is answered wrongly, as small as it can be made.
fn store(asked: &FuzzOptions, wrong: &Wrong) -> Result<String> {
    let Wrong { attack, question, said, why } = wrong;
    let name = format!("{}-{}", attack.flavour.name, attack.seed);
    let small = asked.reductions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
    let program = match small {
        true => reduce::reduce(&asked.folder, &name, wrong, asked.attack),
        false => attack.asking(question),
    };
    let property = match question {
        Query::Property(property) => property.name(),
        _ => "unreach-call",
    };
    let path = asked.folder.join(format!("{name}.c"));
    std::fs::write(&path, format!("// {said:?}: {why}\n// verify -p {property}\n{}\n", program.with_checks()))?;
    Ok(format!("{}: {said:?}: {why}", path.display()))
}

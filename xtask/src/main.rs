//! Project chores. `cargo xtask` lists them.

mod archive;
mod batches;
mod bench;
mod citations;
mod code_map;
mod foreign;
mod fuzz;
mod localize;
mod localize_tests;
mod plc_mutants;
mod report_browser;
mod setup;
mod tasks;
mod tcas;
mod tidy;
mod witnesses;

use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::{Command, ExitCode};

struct Chore {
    name: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Result<()>,
}

impl Chore {
    /// Its help names all its options.
    fn takes(&self, option: &str) -> bool {
        self.help.split(['[', ']', ' ']).any(|word| word == option)
    }
}

static CHORES: &[Chore] = &[
    Chore {
        name: "setup",
        help: "install the programs that tests need (csmith, z3, benchexec)",
        run: |_| setup::setup(),
    },
    Chore { name: "test", help: "[-- OPTIONS OF cargo test]: setup, then all tests", run: |args| test(args) },
    Chore { name: "tidy", help: "formatting, lints, layers, the code map, cited papers", run: |_| tidy::tidy() },
    Chore { name: "bless", help: "accept the present output of the golden tests as right", run: |_| bless() },
    Chore { name: "ci", help: "tidy, then test", run: |_| ci() },
    Chore {
        name: "archive",
        help: "[--tool PATH]: the archive for competitions, target/whydunit.zip, checked",
        run: archive::archive,
    },
    Chore {
        name: "bench",
        help: "measure the frontend and the interpreter; writes target/bench.json",
        run: bench::bench,
    },
    Chore {
        name: "tasks",
        help: "[--property P] [--filter TEXT] [--timeout S] [--jobs N]: verify the benchmark tasks, count, measure, compare with peers",
        run: tasks::tasks,
    },
    Chore {
        name: "witnesses",
        help: "[--filter TEXT] [--timeout S]: verify the violated benchmark tasks, lint and validate the witnesses, count, measure",
        run: witnesses::witnesses,
    },
    Chore { name: "tcas", help: "verify the TCAS variants: verdict and milliseconds of each", run: |_| tcas::tcas() },
    Chore {
        name: "localize",
        help: "rank the known faulty lines of the benchmark programs",
        run: |_| localize::localize(),
    },
    Chore {
        name: "localize-tests",
        help: "[--set tcas|tcas-one|reference|mutants-even|mutants-odd|whole] [--no-repair] [--every N] [--tool PATH]: rank faulty lines from tests, beside Ochiai and DStar",
        run: localize_tests::localize_tests,
    },
    Chore {
        name: "plc-mutants",
        help: "[--filter TEXT] [--tool PATH]: rank the changed lines of mutants of the PLC programs beside the project",
        run: plc_mutants::plc_mutants,
    },
    Chore {
        name: "foreign-witnesses",
        help: "[--kind violation|correctness] [--how NAME] [--timeout S] [--tool PATH]: validate the witnesses of other tools",
        run: foreign::foreign,
    },
    Chore {
        name: "report-browser",
        help: "[--tool PATH]: test the HTML report in chromium (needs node and npm); screenshots in target/report-browser",
        run: report_browser::report_browser,
    },
    Chore {
        name: "fuzz",
        help: "[--kind csmith|attack] [--flavour NAME] [--count N] [--seed S] [--timeout-ms T] [--reduce N] [--engine NAME] [--show]: compare random programs with compilers",
        run: fuzz::fuzz,
    },
];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let name = args.first().map_or("", String::as_str);
    match CHORES.iter().find(|chore| chore.name == name) {
        Some(chore) => {
            let own = args[1..].iter().take_while(|arg| *arg != "--");
            if let Some(unknown) = own.filter(|arg| arg.starts_with('-')).find(|arg| !chore.takes(arg)) {
                bail!("{unknown} is no option of it\nusage: cargo xtask {name} {}", chore.help);
            }
            (chore.run)(&args[1..])
        }
        None => {
            let list: Vec<String> = CHORES.iter().map(|chore| format!("  {:6} {}", chore.name, chore.help)).collect();
            bail!("usage: cargo xtask CHORE\n{}", list.join("\n"));
        }
    }
}

pub fn root() -> PathBuf {
    testkit::project::root()
}

/// Builds what is shipped; where it is.
pub fn release() -> Result<PathBuf> {
    must(cargo().args(["build", "--quiet", "--release"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join("release/whydunit"))
}

/// The value that follows a flag.
pub fn option<'a>(args: &'a [String], flag: &str) -> Option<&'a str> {
    args.iter().position(|arg| arg == flag).and_then(|at| args.get(at + 1)).map(String::as_str)
}

/// Runs a command in the project's root and fails if it does.
pub fn must(command: &mut Command) -> Result<()> {
    let status = command.current_dir(root()).status()?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}

pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn test(args: &[String]) -> Result<()> {
    setup::setup()?;
    let forwarded = args.iter().skip_while(|arg| *arg != "--").skip(1);
    must(cargo().args(["test", "--workspace", "--quiet"]).args(forwarded))
}

fn bless() -> Result<()> {
    must(cargo().args(["test", "--package", "cli", "--test", "golden"]).env("WHYDUNIT_BLESS", "1"))?;
    must(
        cargo()
            .args(["test", "--package", "cli", "--test", "it", "--", "transcripts", "widths"])
            .env("WHYDUNIT_BLESS", "1"),
    )
}

fn ci() -> Result<()> {
    tidy::tidy()?;
    test(&[])
}

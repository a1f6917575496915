//! The faulty programs that localization is measured on, each with tests. What a test expects is what the program without the fault prints when it is
//! compiled and run.

use super::mutations::mutations;
use super::native::{Given, Original, compile};
use crate::root;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use testkit::project::{bench_data, files_below};

/// Mutants of one program that are measured.
const MUTANTS: usize = 8;

/// A faulty program with tests.
pub struct Case {
    pub name: String,
    pub file: PathBuf,
    pub faulty: Vec<u64>,
    /// What is given and what should be printed.
    pub tests: Vec<(Given, String)>,
    /// The program without the fault.
    pub original: Original,
    /// What `localize` is asked instead, for programs that have no tests but an assertion.
    pub options: Vec<&'static str>,
}

/// The variants of TCAS as programs with a command line.
pub fn tcas(work: &Path, failing: usize, passing: usize) -> Result<Vec<Case>> {
    let data = bench_data().context("there is no benchmark data beside the project")?.join("tcas");
    let words = |line: &str| -> Vec<String> { line.split_whitespace().map(String::from).collect() };
    let universe = std::fs::read_to_string(data.join("universe.txt"))?;
    let universe: Vec<Vec<String>> = universe.lines().map(words).filter(|words| words.len() == 12).collect();
    let given = |words: &Vec<String>| Given { args: words.clone(), stdin: String::new() };
    let more: Vec<Given> = universe.iter().step_by(7).map(given).collect();
    let original = Original::of(&data.join("original.c"), &work.join("original"), more)?;
    let mut cases = Vec::new();
    for (name, fields) in faults(&data)? {
        let file = data.join(format!("versions/{name}.c"));
        let listed = std::fs::read_to_string(data.join(format!("failing/{name}.txt")))?;
        let fails: Vec<Vec<String>> = listed
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| Some(words(line.split(" : ").nth(1)?)))
            .collect();
        let known: BTreeSet<&Vec<String>> = fails.iter().collect();
        let passes: Vec<&Vec<String>> = universe.iter().filter(|test| !known.contains(test)).collect();
        // Spread over the whole list, always the same ones.
        let chosen = spread(&fails.iter().collect::<Vec<_>>(), failing).into_iter().chain(spread(&passes, passing));
        let tests = chosen.map(|words| original.test(given(words))).collect::<Result<_>>()?;
        let faulty = with_uses(&file, numbers(&fields[1]))?;
        cases.push(Case { faulty, name, file, tests, original: original.clone(), options: Vec::new() });
    }
    Ok(cases)
}

/// The same beside a reference that an assertion compares them with.
pub fn reference(work: &Path) -> Result<Vec<Case>> {
    let data = bench_data().context("there is no benchmark data beside the project")?.join("tcas");
    let original = Original::of(&data.join("original.c"), &work.join("original"), Vec::new())?;
    let case = |(name, fields): (String, Vec<String>)| {
        let mut options = vec!["--trust", "AllRepair_correct_*"];
        // Its fault is an index out of bounds.
        if name == "v33" {
            options.extend(["-p", "valid-deref"]);
        }
        let file = data.join(format!("harness/tcas_{name}.c"));
        let faulty = with_uses(&file, numbers(&fields[2]))?;
        Ok(Case { file, faulty, tests: Vec::new(), original: original.clone(), options, name })
    };
    faults(&data)?.into_iter().map(case).collect()
}

fn faults(data: &Path) -> Result<Vec<(String, Vec<String>)>> {
    let faults = std::fs::read_to_string(data.join("faults.csv"))?;
    let fields = |row: &str| -> Vec<String> { row.split(',').map(String::from).collect() };
    Ok(faults.lines().skip(1).map(fields).map(|fields| (fields[0].clone(), fields)).collect())
}

fn numbers(text: &str) -> Vec<u64> {
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

fn spread<'a, T>(all: &[&'a T], count: usize) -> Vec<&'a T> {
    let step = (all.len() / count.max(1)).max(1);
    all.iter().step_by(step).take(count).copied().collect()
}

/// The faulty lines, and of macros those that use them.
fn with_uses(file: &Path, mut faulty: Vec<u64>) -> Result<Vec<u64>> {
    let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    for line in faulty.clone() {
        let words: Vec<&str> =
            lines.get(line as usize - 1).map_or(Vec::new(), |line| line.split_whitespace().collect());
        let Some(name) = words.iter().position(|word| *word == "#define").and_then(|at| words.get(at + 1)) else {
            continue;
        };
        let uses = |text: &str| {
            text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').any(|word| word == *name)
        };
        faulty.extend(lines.iter().enumerate().filter(|(_, text)| uses(text)).map(|(at, _)| at as u64 + 1));
    }
    Ok(faulty)
}

/// Mutants of the programs in `tests/faults`; every second program belongs to one half.
pub fn mutants(work: &Path, half: usize) -> Result<Vec<Case>> {
    let programs = files_below(&root().join("tests/faults"), &["c"]);
    let programs = programs.into_iter().filter(|path| !path.parent().is_some_and(|folder| folder.ends_with("whole")));
    let mut cases = Vec::new();
    for program in programs.skip(half).step_by(2) {
        let text = std::fs::read_to_string(&program)?;
        let stem = stem(&program);
        let inputs = text.lines().filter_map(|line| line.strip_prefix("//~ test: "));
        let given =
            inputs.map(|stdin| Given { args: Vec::new(), stdin: stdin.replace("\\n", "\n") }).collect::<Vec<_>>();
        let original = Original::of(&program, &work.join(&stem), given.clone())?;
        let tests: Vec<(Given, String)> = given.into_iter().map(|given| original.test(given)).collect::<Result<_>>()?;
        let mut kept = 0;
        let all = mutations(&text);
        let step = (all.len() / (3 * MUTANTS)).max(1);
        for (number, (line, mutated)) in all.into_iter().enumerate().step_by(step) {
            let (file, mutant) = (work.join(format!("{stem}_{number}.c")), work.join(format!("{stem}_{number}")));
            std::fs::write(&file, mutated)?;
            if kept == MUTANTS || !compile(&file, &mutant)? || original.refutes(&mutant, &tests)?.is_none() {
                continue;
            }
            kept += 1;
            let (name, faulty, tests) = (format!("{stem}:{line}#{number}"), vec![line], tests.clone());
            cases.push(Case { name, file, faulty, tests, original: original.clone(), options: Vec::new() });
        }
    }
    Ok(cases)
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned())
}

/// Whole programs with seeded faults: `NAME.tests` has a command line, `|` and the standard input on each line, `NAME.faults` a line of the program and
/// what stands there instead, between lines `---`.
pub fn whole(work: &Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for program in files_below(&root().join("tests/faults/whole"), &["c"]) {
        let (text, stem) = (std::fs::read_to_string(&program)?, stem(&program));
        let given = |line: &str| {
            let (args, stdin) = line.split_once('|').with_context(|| format!("{stem}.tests: no `|` in {line:?}"))?;
            let stdin = stdin.trim_start_matches(' ').replace("\\n", "\n").replace("\\t", "\t");
            Ok(Given { args: args.split_whitespace().map(String::from).collect(), stdin })
        };
        let given: Vec<Given> =
            std::fs::read_to_string(program.with_extension("tests"))?.lines().map(given).collect::<Result<_>>()?;
        let original = Original::of(&program, &work.join(&stem), given.clone())?;
        let tests: Vec<(Given, String)> = given.into_iter().map(|given| original.test(given)).collect::<Result<_>>()?;
        let faults = std::fs::read_to_string(program.with_extension("faults"))?;
        for (number, fault) in faults.split("---\n").enumerate() {
            let (old, new) = fault.trim_end().split_once('\n').context("a fault is two lines")?;
            let at: Vec<usize> =
                text.lines().enumerate().filter(|(_, line)| *line == old).map(|(index, _)| index).collect();
            let [at] = at.as_slice() else { bail!("{stem}.faults: {old:?} is not one line of the program") };
            let mut lines: Vec<&str> = text.lines().collect();
            lines[*at] = new;
            let (file, mutant) = (work.join(format!("{stem}_{number}.c")), work.join(format!("{stem}_{number}")));
            std::fs::write(&file, lines.join("\n") + "\n")?;
            if !compile(&file, &mutant)? || original.refutes(&mutant, &tests)?.is_none() {
                bail!("{stem}.faults: no test fails with {new:?}");
            }
            let (name, faulty, tests) = (format!("{stem}:{}", at + 1), vec![*at as u64 + 1], tests.clone());
            cases.push(Case { name, file, faulty, tests, original: original.clone(), options: Vec::new() });
        }
    }
    Ok(cases)
}

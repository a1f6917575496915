//! How well faults of PLC programs are localized: mutants of the programs of the benchmark with requirements and test cases (one operator, constant, branch or
//! variable changed; always the same ones), and the rank of the changed line where the mutant violates what the original keeps.

use crate::{option, release};
use anyhow::{Context, Result};
use frontend::{Token, TokenKind};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::process::run_within;
use testkit::project::{bench_data, files_below};

/// Mutants of one program and kind that are tried.
const TRIED: usize = 6;
/// Seconds for the decision of a requirement, and for localization.
const DECIDE: u64 = 5;
const LOCALIZE: u64 = 20;
const SEED: u64 = 15;
const VIOLATED: i32 = 10;

#[derive(Default)]
struct Totals {
    mutants: usize,
    killed: usize,
    found: usize,
    top: [usize; 3],
    repaired: usize,
}

/// One change of a text.
struct Mutant {
    kind: &'static str,
    lo: usize,
    hi: usize,
    new: String,
}

pub fn plc_mutants(args: &[String]) -> Result<()> {
    let tool = match option(args, "--tool") {
        Some(path) => PathBuf::from(path),
        None => release()?,
    };
    let filter = option(args, "--filter").unwrap_or("");
    let data = bench_data().context("there is no benchmark data beside the project")?.join("plc/agents4plc");
    let work = tempfile::tempdir()?;
    let mut totals: Vec<(&str, Totals)> =
        ["operator", "constant", "branch", "variable"].map(|kind| (kind, Totals::default())).into();
    println!("{:42} {:10} {:>14} {:>6} {:>8}", "mutant", "kind", "shown by", "rank", "ms");
    for program in files_below(&data, &["st"]) {
        let json = program.with_extension("json");
        let stem = program.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
        if !json.exists() || !stem.contains(filter) {
            continue;
        }
        let text = in_lines(&std::fs::read_to_string(&program)?);
        let kept = Kept::of(&tool, &program, &json)?;
        for (kind, total) in &mut totals {
            for mutant in chosen(mutations(&text), kind) {
                let line = text[..mutant.lo].matches('\n').count() as u64 + 1;
                let mutated = format!("{}{}{}", &text[..mutant.lo], mutant.new, &text[mutant.hi..]);
                let file = work.path().join(format!("{stem}.st"));
                std::fs::write(&file, mutated)?;
                if !accepted(&tool, &file)? {
                    continue;
                }
                total.mutants += 1;
                let Some((shown_by, options)) = kept.violated(&tool, &file, &json)? else { continue };
                total.killed += 1;
                let start = Instant::now();
                let (rank, repaired) = localize(&tool, &file, &options, line)?;
                let name = format!("{stem}:{line} {:?}→{:?}", &text[mutant.lo..mutant.hi], mutant.new);
                let shown = rank.map_or("-".to_string(), |rank| rank.to_string());
                let time = start.elapsed().as_millis();
                println!("{name:42} {kind:10} {shown_by:>14} {shown:>6} {time:>8}");
                total.found += usize::from(rank.is_some());
                total.repaired += usize::from(repaired);
                for (top, limit) in total.top.iter_mut().zip([1, 3, 5]) {
                    *top += usize::from(rank.is_some_and(|rank| rank <= limit));
                }
            }
        }
    }
    println!("\n{:10} mutants  shown  in list  Top-1  Top-3  Top-5  repairs", "kind");
    let mut all = Totals::default();
    for (kind, total) in &totals {
        print_row(kind, total);
        all.mutants += total.mutants;
        all.killed += total.killed;
        all.found += total.found;
        all.repaired += total.repaired;
        all.top.iter_mut().zip(total.top).for_each(|(sum, top)| *sum += top);
    }
    print_row("all", &all);
    Ok(())
}

fn print_row(name: &str, total: &Totals) {
    let Totals { mutants, killed, found, top: [one, three, five], repaired } = total;
    println!("{name:10} {mutants:>7} {killed:>6} {found:>8} {one:>6} {three:>6} {five:>6} {repaired:>8}");
}

/// What the original keeps.
struct Kept {
    requirements: Vec<usize>,
    /// Test cases by their numbers.
    tests: Vec<usize>,
}

impl Kept {
    fn of(tool: &Path, program: &Path, json: &Path) -> Result<Self> {
        let data: Value = serde_json::from_str(&std::fs::read_to_string(json)?)?;
        let count = data["properties_to_be_validated"].as_array().map_or(0, Vec::len);
        let mut requirements = Vec::new();
        for number in 1..=count {
            if verify(tool, program, json, number)? == Some(0) {
                requirements.push(number);
            }
        }
        Ok(Kept { requirements, tests: passing(tool, program, json)? })
    }

    /// What shows that a mutant is wrong, and the options with which it is localized.
    fn violated(&self, tool: &Path, file: &Path, json: &Path) -> Result<Option<(String, Vec<String>)>> {
        let json_text = json.display().to_string();
        for number in &self.requirements {
            if verify(tool, file, json, *number)? == Some(VIOLATED) {
                let options = ["--require".into(), json_text, "--requirement".into(), number.to_string()];
                return Ok(Some((format!("requirement {number}"), options.into())));
            }
        }
        let passing = passing(tool, file, json)?;
        match self.tests.iter().find(|test| !passing.contains(test)) {
            Some(test) => {
                // A file of this test case alone: others may fail for reasons of their own.
                let data: Value = serde_json::from_str(&std::fs::read_to_string(json)?)?;
                let alone = file.with_extension("case.json");
                let case = serde_json::json!({ "test_cases": [data["test_cases"][*test - 1]] });
                std::fs::write(&alone, case.to_string())?;
                let options = ["--test-cases".into(), alone.display().to_string()];
                Ok(Some((format!("test case {test}"), options.into())))
            }
            None => Ok(None),
        }
    }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds + 5)
}

fn verify(tool: &Path, program: &Path, json: &Path, number: usize) -> Result<Option<i32>> {
    let mut command = Command::new(tool);
    command.args(["verify", "--timeout", &DECIDE.to_string(), "--requirement", &number.to_string(), "--require"]);
    command.arg(json).arg(program);
    Ok(run_within(&mut command, seconds(DECIDE))?.and_then(|run| run.code))
}

fn accepted(tool: &Path, program: &Path) -> Result<bool> {
    let run = run_within(Command::new(tool).arg("check").arg(program), seconds(DECIDE))?;
    Ok(run.is_some_and(|run| run.code == Some(0)))
}

/// The numbers of the test cases that pass.
fn passing(tool: &Path, program: &Path, json: &Path) -> Result<Vec<usize>> {
    let mut command = Command::new(tool);
    command.args(["replay", "--test-cases"]).arg(json).arg(program);
    let run = run_within(&mut command, seconds(LOCALIZE))?;
    let printed = run.map_or(String::new(), |run| String::from_utf8_lossy(&run.stdout).into_owned());
    let number = |line: &str| line.strip_prefix("test case ")?.split_once(": passes")?.0.parse().ok();
    Ok(printed.lines().filter_map(number).collect())
}

/// The rank of a line among the suspects, and whether some repair is at it.
fn localize(tool: &Path, file: &Path, options: &[String], line: u64) -> Result<(Option<usize>, bool)> {
    let mut command = Command::new(tool);
    command.args(["localize", "--json", "--timeout", &LOCALIZE.to_string()]).args(options).arg(file);
    let Some(run) = run_within(&mut command, seconds(LOCALIZE))? else { return Ok((None, false)) };
    let report: Value = serde_json::from_slice(&run.stdout).unwrap_or(Value::Null);
    let at_line = |one: &Value| one["line"].as_u64() == Some(line);
    let rank = report["suspects"].as_array().and_then(|all| all.iter().position(at_line)).map(|rank| rank + 1);
    Ok((rank, report["repairs"].as_array().is_some_and(|all| all.iter().any(at_line))))
}

/// Some of the mutants of a kind, spread over the text by a fixed seed.
fn chosen(mutants: Vec<Mutant>, kind: &str) -> Vec<Mutant> {
    let mut own: Vec<(u64, Mutant)> = mutants
        .into_iter()
        .filter(|mutant| mutant.kind == kind)
        .enumerate()
        // A number that looks random, the same every time (the mixing function of SplitMix).
        .map(|(index, mutant)| {
            let mut mixed = (index as u64 + SEED).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (mixed ^ (mixed >> 27), mutant)
        })
        .collect();
    own.sort_by_key(|(mixed, _)| *mixed);
    own.into_iter().take(TRIED).map(|(_, mutant)| mutant).collect()
}

/// All changes of the bodies of a text.
fn mutations(text: &str) -> Vec<Mutant> {
    let Some(language) = frontend::for_extension("st") else { return Vec::new() };
    let tokens = (language.tokens)(text.as_bytes(), 0);
    let word = |token: &Token| &text[token.span.lo as usize..token.span.hi as usize];
    let start = tokens.iter().rposition(|token| word(token).eq_ignore_ascii_case("END_VAR")).map_or(0, |at| at + 1);
    let (declared, body) = tokens.split_at(start);
    let types = declared_types(declared, &word);
    let mut found = Vec::new();
    for (index, token) in body.iter().enumerate() {
        let mut put = |kind, new: String| {
            found.push(Mutant { kind, lo: token.span.lo as usize, hi: token.span.hi as usize, new });
        };
        let spelled = |kind| (language.spelling)(kind).unwrap_or("").to_string();
        use cfa::BinOp::*;
        match token.kind {
            TokenKind::Binary(op) if op.is_comparison() => {
                let others = [Lt, Le, Gt, Ge, Eq, Ne].into_iter().filter(|other| *other != op);
                others.for_each(|other| put("operator", spelled(TokenKind::Binary(other))));
            }
            TokenKind::Binary(Add) => put("operator", spelled(TokenKind::Binary(Sub))),
            TokenKind::Binary(Sub) => put("operator", spelled(TokenKind::Binary(Add))),
            TokenKind::Binary(Mul) => put("operator", spelled(TokenKind::Binary(Add))),
            TokenKind::And => put("operator", spelled(TokenKind::Or)),
            TokenKind::Or => put("operator", spelled(TokenKind::And)),
            TokenKind::Not => put("operator", String::new()),
            TokenKind::Truth(value) => put("constant", spelled(TokenKind::Truth(!value))),
            TokenKind::Number => {
                if let Ok(number) = word(token).parse::<i64>() {
                    put("constant", (number + 1).to_string());
                    put("constant", if number == 0 { "2".into() } else { (number - 1).to_string() });
                }
            }
            TokenKind::Word => {
                let own = types.iter().find(|(name, _)| name.eq_ignore_ascii_case(word(token)));
                let others = types.iter().filter(|(name, ty)| own.is_some_and(|own| own.0 != *name && own.1 == *ty));
                others.for_each(|(name, _)| put("variable", name.to_string()));
            }
            _ if word(token).eq_ignore_ascii_case("IF") || word(token).eq_ignore_ascii_case("ELSIF") => {
                let then = body[index..].iter().position(|token| word(token).eq_ignore_ascii_case("THEN"));
                if let Some(then) = then {
                    let (lo, hi) = (token.span.hi as usize, body[index + then].span.lo as usize);
                    let new = format!(" NOT ({}) ", text[lo..hi].trim());
                    found.push(Mutant { kind: "branch", lo: lo + leading(&text[lo..hi]), hi, new });
                }
            }
            _ => {}
        }
    }
    found
}

/// A program of one line with a line for each statement: lines are what is ranked.
fn in_lines(text: &str) -> String {
    let Some(language) = frontend::for_extension("st").filter(|_| text.lines().count() < 5) else { return text.into() };
    let mut result = String::new();
    let mut done = 0;
    for token in (language.tokens)(text.as_bytes(), 0) {
        let (lo, hi) = (token.span.lo as usize, token.span.hi as usize);
        let ends = ["THEN", "ELSE", "DO", "OF", "END_VAR", "VAR", "VAR_INPUT", "VAR_OUTPUT"];
        if token.kind == TokenKind::Semicolon || ends.iter().any(|word| text[lo..hi].eq_ignore_ascii_case(word)) {
            result.push_str(&text[done..hi]);
            result.push('\n');
            done = hi;
        }
    }
    result + &text[done..]
}

/// Space before a text.
fn leading(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// Variables with the text of their types.
fn declared_types<'t>(tokens: &[Token], word: &impl Fn(&Token) -> &'t str) -> Vec<(&'t str, String)> {
    let mut found = Vec::new();
    let mut names = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at].kind {
            TokenKind::Word => names.push(word(&tokens[at])),
            TokenKind::Comma => {}
            TokenKind::Colon => {
                let ends = |token: &Token| matches!(token.kind, TokenKind::Semicolon | TokenKind::Assign);
                let end = tokens[at..].iter().position(ends).map_or(tokens.len(), |end| at + end);
                let ty: Vec<String> = tokens[at + 1..end].iter().map(|one| word(one).to_ascii_uppercase()).collect();
                found.extend(names.drain(..).map(|name| (name, ty.join(" "))));
                let semicolon = tokens[end..].iter().position(|one| one.kind == TokenKind::Semicolon);
                at = semicolon.map_or(tokens.len(), |behind| end + behind);
            }
            _ => names.clear(),
        }
        at += 1;
    }
    found
}

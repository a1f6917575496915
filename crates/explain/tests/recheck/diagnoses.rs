//! Diagnoses, by rewriting the source: lines that may do something else become lines that take their values from outside, the inputs become
//! constants, and the model checker is asked whether the end can be reached. Nothing of that knows selectors, MaxSAT or relaxed edges.

use crate::oracles::Example;
use base::Budget;
use cfa::{Property, PropertySet, Task};
use engine::Options;
use evidence::Verdict;
use explain::localize::Finding;
use explain::localize::diagnosis::covered;
use explain::localize::lines::Lines;
use std::collections::BTreeSet;
use std::time::Duration;

#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub runs: u32,
    /// Sets of lines whose change makes the run pass.
    pub confirmed: u32,
    /// Sets of lines that do not, checked too.
    pub refuted: u32,
    pub undecided: u32,
}

/// A line with its values from outside; pointers keep theirs. `None` for a line whose shape is not known.
fn freed(line: &str) -> Option<String> {
    let text = line.trim();
    let canned = [
        (
            "switch (",
            "switch (extra() & 3) { case 0: x = extra(); case 1: y = extra(); break; case 2: u = extra(); break; default: arr[0] = extra(); }",
        ),
        ("x--; if", "x = extra(); if (extra()) break; } while (extra());"),
        ("int x = a,", "int x = extra(), y = extra(), arr[4] = {extra(), extra(), extra(), extra()}, *p = &x;"),
        ("struct s t", "struct s t = {extra(), extra(), extra()}, r = {extra(), extra(), extra()}, *q = &t;"),
        ("int f(int n", "int f(int n, int m) { return extra(); }"),
        ("do {", "do {"),
        ("int a[4]", "int a[4] = {extra(), extra(), extra(), extra()};"),
    ];
    if let Some((_, new)) = canned.iter().find(|(start, _)| text.starts_with(start)) {
        return Some(new.to_string());
    }
    if text == "r = t;" {
        return Some("r = (struct s){extra(), extra(), extra()};".into());
    }
    if text.starts_with("p = ") || text.starts_with("q = ") {
        return Some(text.into());
    }
    if let Some(counter) = text.strip_prefix("for (int ").and_then(|rest| rest.split(' ').next()) {
        return Some(format!("for (int {counter} = extra(); extra(); {counter} = extra()) {{"));
    }
    if let Some(at) = text.find("if (") {
        return Some(format!("{}if (extra()){}", &text[..at], after_condition(&text[at + 3..])));
    }
    let assigned = [" = ", " += ", " ^= "].iter().filter_map(|operator| text.find(operator)).min()?;
    Some(format!("{} = extra();", &text[..assigned]))
}

/// What follows a condition in parentheses.
fn after_condition(text: &str) -> &str {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        depth += (letter == '(') as i32 - (letter == ')') as i32;
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    ""
}

/// Whether the run can end regularly when some lines do something else; `None` if unknown.
fn can_pass(example: &Example, lines: &BTreeSet<u32>) -> Option<bool> {
    let failure = example.failure();
    let file = example.sources.file_at(failure.task.program.edges[failure.edge].span.lo)?;
    let text = std::str::from_utf8(example.sources.text(file)).ok()?;
    let mut program = "extern long extra(void); void reach_error(void); void __VERIFIER_assume(int); ".to_string();
    for (number, line) in text.lines().enumerate() {
        let line = match lines.contains(&(number as u32 + 1)) {
            true => freed(line)?,
            false => line.to_string(),
        };
        program.push_str(&with_constant_inputs(example, &line));
        program.push('\n');
    }
    let (_, compiled) = testkit::compile(program.as_bytes(), example.compiled.program.model());
    assert!(!compiled.has_errors(), "{:?}\n{program}", compiled.diagnostics);
    let entry = compiled.program.function_named(&example.entry)?;
    let properties = PropertySet::of(&[Property::UnreachCall]);
    let task = Task { program: &compiled.program, entry, properties };
    let options = Options { unwind: Some(9), ..Options::default() };
    match engine::bmc::decide(task, &options, &Budget::for_duration(Duration::from_secs(3))).verdict {
        Verdict::Unsafe(_) => Some(true),
        Verdict::Safe(_) => Some(false),
        Verdict::Unknown(_) => None,
    }
}

/// A line with the inputs as they are in the run; what should hold is assumed, and the end is what is looked for.
fn with_constant_inputs(example: &Example, line: &str) -> String {
    let text = line.trim();
    if let Some(assertion) = text.strip_prefix("//@ assert ") {
        return format!("__VERIFIER_assume({}); reach_error();", assertion.trim_end_matches(';'));
    }
    if text.contains(&format!(" {}(", example.entry)) {
        let known = |(name, value): (String, i32)| format!(" __VERIFIER_assume({name} == {value});");
        return text.replacen('{', &format!("{{{}", parameters(example).into_iter().map(known).collect::<String>()), 1);
    }
    if text.starts_with("int a = __VERIFIER") {
        let [a, b, c] = [0, 1, 2].map(|index| example.inputs[index].get() & 15);
        return format!("int a = {a}, b = {b}, c = {c};");
    }
    if text.starts_with("return ") {
        return format!("{{ reach_error(); {text} }}");
    }
    line.to_string()
}

/// Parameters of the entry function, which no example changes, with their values.
fn parameters(example: &Example) -> Vec<(String, i32)> {
    let program = &example.compiled.program;
    let entry = program.function_named(&example.entry).expect("the entry function");
    let of_entry = |kind: cfa::VarKind| kind == cfa::VarKind::Param(entry);
    let params = program.vars.values().filter(|var| of_entry(var.kind));
    params.zip(&example.inputs).map(|(var, bits)| (program.name(var.name).to_string(), bits.get() as i32)).collect()
}

pub fn check(example: &Example, counts: &mut Counts) {
    counts.runs += 1;
    let failure = example.failure();
    let Finding::Diagnoses(diagnoses) = example.find("maxsat") else { panic!("maxsat gives diagnoses") };
    let diagnoses = diagnoses.sets;
    let found: Vec<BTreeSet<u32>> =
        diagnoses.iter().map(|diagnosis| diagnosis.lines.iter().map(|line| line.line).collect()).collect();
    for lines in &found {
        match can_pass(example, lines) {
            Some(true) => counts.confirmed += 1,
            Some(false) => panic!("a change of {lines:?} does not help\n{}", example.name),
            None => counts.undecided += 1,
        }
    }
    // Within loops a change may help only later than diagnoses look.
    let file = example.sources.file_at(failure.task.program.edges[failure.edge].span.lo).expect("a file");
    let text = String::from_utf8_lossy(example.sources.text(file)).into_owned();
    if ["for (", "while (", "y = f("].iter().any(|loops| text.contains(loops)) {
        return;
    }
    // Single lines are all there, and of a larger set no line can be left out.
    let lines = Lines::new(&example.sources, &[]);
    let executed = covered(&failure).into_iter().filter_map(|edge| lines.suspect(&failure, edge)).map(|line| line.line);
    let single = executed.collect::<BTreeSet<u32>>().into_iter().map(|line| BTreeSet::from([line]));
    let fewer = found.iter().filter(|set| set.len() > 1).flat_map(|set| {
        set.iter().map(|line| set.iter().copied().filter(|other| other != line).collect::<BTreeSet<u32>>())
    });
    for lines in single.chain(fewer).collect::<BTreeSet<_>>() {
        if found.contains(&lines) {
            continue;
        }
        match can_pass(example, &lines) {
            Some(false) => counts.refuted += 1,
            Some(true) => panic!("a change of {lines:?} helps too, beside {found:?}\n{}", example.name),
            None => counts.undecided += 1,
        }
    }
}

//! Random programs with random sequences of assumptions. The oracle is the program itself: instrumented in its text, it counts the segments,
//! and is run on every input.

use crate::waypoints::{sequence, waypoint};
use cfa::interp::{self, Config, ListInputs, Outcome, ProgramArgs};
use cfa::{DataModel, Property, PropertySet};
use std::fmt::Write;
use testkit::programs;
use testkit::random::Random;
use validate::ValidationResult;
use witness::model::{Action, WaypointKind};

/// An assumption before the statement of a line, by index.
struct Assumed {
    line: usize,
    condition: String,
    segment: usize,
    avoid: bool,
}

fn is_statement(line: &str) -> bool {
    let text = line.trim_start();
    let starts = ["x ", "y ", "u ", "l ", "t.", "*p", "arr[", "v.", "q->", "p =", "q =", "r ="];
    text.ends_with(';') && !text.contains('{') && starts.iter().any(|start| text.starts_with(start))
}

fn condition(random: &mut Random) -> String {
    let names = ["a", "b", "c", "x", "y", "*p", "arr[1]", "t.g", "q->f", "(int)u", "t.bits", "arr[a & 3]"];
    let relations = ["==", "!=", "<", ">=", "<=", ">"];
    let mut one = || {
        let limit = random.below(12);
        format!("{} {} {limit}", names[random.below(names.len())], relations[random.below(relations.len())])
    };
    let first = one();
    let second = one();
    match random.below(4) {
        0 => format!("{first} && {second}"),
        1 => format!("{first} || {second}"),
        _ => first,
    }
}

/// The program, but it counts the segments and fails only when all were passed.
fn instrumented(lines: &[&str], assumed: &[Assumed], segments: usize, first_time: bool) -> String {
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let mut here: Vec<&Assumed> = assumed.iter().filter(|assumed| assumed.line == index).collect();
        here.sort_by_key(|assumed| (assumed.segment, !assumed.avoid));
        if !here.is_empty() {
            text.push_str("{ int now = seg; ");
            for Assumed { condition, segment, avoid, .. } in here {
                let then = if *avoid { "-1".to_string() } else { (segment + 1).to_string() };
                let otherwise = if first_time && !avoid { "seg = -1;" } else { ";" };
                let _ = write!(
                    text,
                    "if (now == {segment} && seg == now) {{ if ({condition}) seg = {then}; else {otherwise} }} "
                );
            }
            text.push_str("} ");
        }
        if line.trim_start().starts_with("//@ assert") {
            let _ = writeln!(text, "if (seg == {}) {{\n{line}\n}}", segments - 1);
        } else {
            let _ = writeln!(text, "{line}");
        }
        if line.starts_with("union w {") {
            text.push_str("int seg;\n");
        }
    }
    text
}

fn violated_on_some_input(text: &str) -> bool {
    let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    assert!(!compiled.has_errors(), "{text}\n{:?}", compiled.diagnostics);
    let program = &compiled.program;
    let entry = program.function_named("main").expect("there is a main");
    let config =
        Config { properties: PropertySet::of(&[Property::Assertion]), max_steps: 100_000, ..Config::default() };
    programs::all_inputs().any(|inputs| {
        let run = interp::run(program, entry, &ProgramArgs::default(), &mut ListInputs::then_zero(inputs), &config);
        matches!(run.outcome, Outcome::Violation { .. })
    })
}

#[test]
fn sequences_of_assumptions() {
    let mut seen = [0; 3];
    let cases = std::env::var("WHYDUNIT_FUZZ_SCALE").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    for seed in 0..25 * cases {
        let text = programs::random(seed);
        let lines: Vec<&str> = text.lines().collect();
        let statements: Vec<usize> = (0..lines.len()).filter(|index| is_statement(lines[*index])).collect();
        let Some(target) = lines.iter().position(|line| line.trim_start().starts_with("//@ assert")) else { continue };
        if statements.is_empty() {
            continue;
        }
        let mut random = Random::new(seed + 1000);
        let segments = 1 + random.below(3) + 1;
        let mut assumed = Vec::new();
        let mut waypoints = Vec::new();
        for segment in 0..segments {
            let mut here = Vec::new();
            let last = segment + 1 == segments;
            let count = usize::from(!last) + usize::from(random.below(3) == 0);
            for number in 0..count {
                let line = statements[random.below(statements.len())];
                let condition = condition(&mut random);
                let avoid = last || number > 0;
                let action = if avoid { Action::Avoid } else { Action::Follow };
                here.push(waypoint(WaypointKind::Assumption, action, line as u32 + 1, None, &condition));
                assumed.push(Assumed { line, condition, segment, avoid });
            }
            if last {
                here.push(waypoint(WaypointKind::Target, Action::Follow, target as u32 + 1, None, ""));
            }
            waypoints.push(here);
        }
        let narrow = violated_on_some_input(&instrumented(&lines, &assumed, segments, true));
        let wide = violated_on_some_input(&instrumented(&lines, &assumed, segments, false));
        let expected = match (narrow, wide) {
            (true, _) => ValidationResult::Confirmed,
            (false, true) => ValidationResult::Undecided,
            (false, false) => ValidationResult::Rejected,
        };
        let (sources, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
        let properties = PropertySet::of(&[Property::Assertion]);
        let found = crate::ask(&sequence(waypoints.clone()), &sources, "test.c", &compiled.program, properties);
        // What is not modelled is reported, and some programs do not end; nothing else may differ.
        let excused = ["not supported", "out of time"].iter().any(|start| found.reason.starts_with(start));
        if found.result == ValidationResult::Undecided && excused {
            continue;
        }
        assert_eq!(found.result, expected, "seed {seed}: {}\n{text}\n{waypoints:#?}", found.reason);
        seen[expected as usize] += 1;
    }
    assert!(seen[..2].iter().all(|count| *count > 0), "{seen:?}");
    assert!(seen.iter().sum::<usize>() > 15, "{seen:?}");
}

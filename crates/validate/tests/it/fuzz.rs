//! Witnesses that make less and less sense: no panic, and nothing that is not true is ever confirmed.

use base::Budget;
use cfa::{DataModel, Property, PropertySet, Task};
use testkit::project::root;
use testkit::random::Random;
use validate::{ValidationResult, WitnessTask};
use witness::{Kind, Limits, Witness};

fn file(name: &str) -> String {
    std::fs::read_to_string(root().join("tests/witnesses").join(name)).expect("the witnesses are there")
}

/// Words that stand in witnesses, and what may stand there instead.
const WORDS: &[&str] = &[
    "true",
    "false",
    "condition-true",
    "condition-false",
    "follow",
    "avoid",
    "assumption",
    "target",
    "branching",
    "function_enter",
    "function_return",
    "main",
    "sink",
    "violation",
    "entry",
    "0",
    "1",
    "7",
    "99999999999999999999",
    "-3",
    "s",
    "i",
    "n",
    "v",
    "\\result",
    "\\result == 3",
    "s / 0",
    "*(int *)0",
    "((((s))))",
    "s[5]",
    "f(s)",
    "s = 3; i = 4",
    "i == 2 && s == 1",
    "!",
    "(",
    "sizeof(s)",
    "(char)s == 224",
    "1.5",
    "__VERIFIER_nondet_uchar",
];

/// Exchanges words for others; the text mostly stays one that can be read.
fn mutated(text: &str, random: &mut Random) -> String {
    let mut text = text.to_string();
    for _ in 0..=random.below(3) {
        let is_inner = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let starts: Vec<usize> = text
            .char_indices()
            .filter(|(at, c)| is_inner(*c) && !text[..*at].ends_with(is_inner))
            .map(|(at, _)| at)
            .collect();
        let from = starts[random.below(starts.len())];
        let to = text[from..].find(|c| !is_inner(c)).map_or(text.len(), |length| from + length);
        let word = WORDS[random.below(WORDS.len())].replace('&', "&amp;");
        match random.below(4) {
            // A line again, or not at all.
            0 => {
                let line = text[..from].rfind('\n').map_or(0, |at| at + 1);
                let end = text[from..].find('\n').map_or(text.len(), |at| from + at + 1);
                let copy = if random.below(2) == 0 { text[line..end].repeat(2) } else { String::new() };
                text.replace_range(line..end, &copy);
            }
            _ => text.replace_range(from..to, &word),
        }
    }
    text
}

/// What all validators say, and whether the refiner finds a run.
fn confirmed(witness: &Witness, program: &str) -> bool {
    let (sources, compiled) = testkit::compile(program.as_bytes(), DataModel::Ilp32);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    let entry = compiled.program.function_named("main").expect("the program has a main");
    let properties = PropertySet::of(&[Property::UnreachCall]);
    let ask = |decide: &dyn Fn(&WitnessTask<'_>) -> bool| {
        let budget = Budget::unlimited().with_effort(3_000);
        let (file, program) = ("test.c", &compiled.program);
        decide(&WitnessTask {
            witness,
            sources: &sources,
            file,
            task: Task { program, entry, properties },
            budget: &budget,
        })
    };
    let ways: [&dyn Fn(&WitnessTask<'_>) -> bool; 4] = [
        &|witness_task| validate::validate(witness_task).result == ValidationResult::Confirmed,
        &|witness_task| validate::statics::validate(witness_task).result == ValidationResult::Confirmed,
        &|witness_task| validate::interpret::validate(witness_task).result == ValidationResult::Confirmed,
        &|witness_task| validate::refine::refine(witness_task).is_ok(),
    ];
    ways.iter().fold(false, |found, way| ask(*way) | found)
}

#[test]
fn nothing_untrue_is_confirmed() {
    let scale: usize = std::env::var("WHYDUNIT_FUZZ_SCALE").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let unsafe_program = file("figures/linear-inequality-inv-b.c");
    // Never wrong, and small enough that all runs can be looked at.
    let safe_program = file("figures/linear-inequality-inv-a.c").replace("if (n == 0)", "if (n == 0 || n > 3)");
    let texts: Vec<String> = ["fig-9b", "fig-9c", "fig-9d", "fig-13b"]
        .iter()
        .map(|name| file(&format!("figures/{name}.graphml")))
        .chain([sequence(&unsafe_program)])
        .collect();
    let mut random = Random::new(5);
    let (mut read, mut still) = (0, 0);
    for round in 0..60 * scale {
        let text = mutated(&texts[round % texts.len()], &mut random);
        let Some(witness) = witness::read(text.as_bytes(), &Limits::default()).witness else { continue };
        read += 1;
        match witness.kind() {
            Some(Kind::Correctness) => assert!(!confirmed(&witness, &unsafe_program), "{text}"),
            _ => assert!(!confirmed(&witness, &safe_program), "{text}"),
        }
        still += u32::from(confirmed(&witness, &unsafe_program));
    }
    assert!(read > 20 && still > 5, "{read} could be read, {still} of them were confirmed");
}

/// The concrete figure as YAML.
fn sequence(program: &str) -> String {
    let concrete = witness::parse(file("figures/fig-9d.graphml").as_bytes(), &Limits::default()).expect("it is one");
    let (sources, compiled) = testkit::compile(program.as_bytes(), DataModel::Ilp32);
    let source = witness::program::Source::new(&sources, "test.c", Some(&compiled.program)).expect("it is the program");
    let target = witness::convert::Target::Yaml("2.0");
    let found = witness::convert::convert(&concrete, target, Some(&source)).expect("it is a path");
    witness::write(&found).expect("it can be written")
}

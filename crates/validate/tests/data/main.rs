//! Witnesses of other tools, in the benchmark data beside the project. Where that is absent, the test is listed as ignored.

use base::Budget;
use cfa::{DataModel, Property, PropertySet, Task};
use std::path::Path;
use validate::{ValidationResult, WitnessTask};
use witness::convert::{Target, convert};
use witness::program::Source;
use witness::{Limits, Witness};

fn main() {
    testkit::data::main(&[("witnesses_of_other_tools", witnesses_of_other_tools)])
}

/// Small witnesses of other tools: wherever both are decided, it is to the same.
fn witnesses_of_other_tools(data: &Path) {
    let folder = data.join("witnesses");
    let index = std::fs::read_to_string(folder.join("index.csv")).expect("the folder has an index");
    let (mut tried, mut decided) = (0, 0);
    for line in index.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let [name, _, _, _, program, ..] = fields[..] else { continue };
        let (Ok(text), Ok(program)) = (std::fs::read(folder.join(name)), std::fs::read(folder.join(program))) else {
            continue;
        };
        if text.len() > 5_000 || program.len() > 3_000 {
            continue;
        }
        let Ok(original) = witness::parse(&text, &Limits::default()) else { continue };
        let model = if original.data_model() == Some("LP64") { DataModel::Lp64 } else { DataModel::Ilp32 };
        let (sources, compiled) = testkit::compile(&program, model);
        if compiled.has_errors() || compiled.program.function_named("main").is_none() {
            continue;
        }
        let source = Source::new(&sources, "test.c", Some(&compiled.program)).expect("it is in the map");
        let target = match original {
            Witness::Automaton(_) => Target::Yaml("2.0"),
            Witness::Entries(_) => Target::GraphMl,
        };
        let Ok(other) = convert(&original, target, Some(&source)) else { continue };
        tried += 1;
        let properties = PropertySet::of(&[Property::UnreachCall]);
        let [first, second] = [&original, &other].map(|witness| {
            let (budget, program) = (Budget::unlimited().with_effort(4_000), &compiled.program);
            let entry = program.function_named("main").expect("it was looked for");
            let file = "test.c";
            let witness_task = WitnessTask {
                witness,
                sources: &sources,
                file,
                task: Task { program, entry, properties },
                budget: &budget,
            };
            validate::statics::validate(&witness_task)
        });
        if first.result != ValidationResult::Undecided && second.result != ValidationResult::Undecided {
            decided += 1;
            assert_eq!(first.result, second.result, "{name}: {} / {}", first.reason, second.reason);
        }
    }
    assert!(tried > 50 && decided > 30, "only {tried} could be converted, {decided} were decided");
}

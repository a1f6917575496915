//! The checks of the target `recheck` on TCAS, in the benchmark data beside the project. Where that is absent, the test is listed as ignored.

#![allow(dead_code, reason = "the modules are shared with the target `recheck`, which uses all of them")]

#[path = "../recheck/cores.rs"]
mod cores;
#[path = "../recheck/formula.rs"]
mod formula;
#[path = "../recheck/invariants.rs"]
mod invariants;
#[path = "../oracles/mod.rs"]
mod oracles;
#[path = "../recheck/spoken.rs"]
mod spoken;

use cfa::interp::{self, Config, ListInputs, Outcome, ProgramArgs};
use cfa::{Bits, DataModel, Property, PropertySet};
use oracles::Example;
use std::path::Path;
use std::process::Command;

fn main() {
    testkit::data::main(&[("tcas_once_more", tcas_once_more)])
}

/// A version of TCAS with inputs on which it fails.
fn tcas(data: &Path, version: u32) -> Option<Example> {
    let folder = data.join("tcas");
    let file = folder.join(format!("harness/tcas_v{version}.c"));
    let text = Command::new("cc").arg("-E").arg(file).output().ok().filter(|output| output.status.success())?.stdout;
    let (sources, compiled) = testkit::compile(&text, DataModel::Lp64);
    let failing = std::fs::read_to_string(folder.join(format!("failing/v{version}.txt"))).ok()?;
    let program = &compiled.program;
    let entry = program.function_named("main")?;
    let config = Config { properties: PropertySet::of(&[Property::Assertion]), ..Config::default() };
    let inputs = failing.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let values = line.split(" : ").nth(1)?.split_whitespace();
        let values: Vec<Bits> = values.map(|value| Bits::new(value.parse::<u32>().unwrap_or(0) as u128)).collect();
        let mut inputs = ListInputs::new(values.clone());
        let run = interp::run(program, entry, &ProgramArgs::default(), &mut inputs, &config);
        matches!(run.outcome, Outcome::Violation { .. }).then_some(values)
    })?;
    Some(Example {
        name: format!("TCAS {version}"),
        sources,
        spectrum: Default::default(),
        compiled,
        entry: "main".into(),
        inputs,
    })
}

fn tcas_once_more(data: &Path) {
    let scale = std::env::var("WHYDUNIT_FUZZ_SCALE").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let (mut found, mut cores) = (invariants::Counts::default(), cores::Counts::default());
    for version in [1, 11, 31, 41, 7].into_iter().take(1 + scale) {
        let example = tcas(data, version).unwrap_or_else(|| panic!("version {version} fails on none of its inputs"));
        invariants::check(&example, &mut found);
        cores::check(&example, &mut cores);
    }
    assert!(
        found.invariants > found.runs && found.spoken.evaluations > 0 && cores.rounds > cores.runs,
        "{found:?} {cores:?}"
    );
}

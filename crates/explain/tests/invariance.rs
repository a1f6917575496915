//! What does not change the fault does not change the suspects: dead code, other names, a statement split in two.

use base::{Budget, SourceMap};
use cfa::interp::{ListInputs, ProgramArgs};
use cfa::{Bits, DataModel, Property, PropertySet, Task};
use explain::localize::rank::{rank, run_methods};
use explain::localize::spectrum::{FORMULAS, Spectrum};
use explain::localize::{Decay, LOCALIZERS, LocalizeOptions};
use explain::repair::Repairs;
use explain::{Failure, replay};
use frontend::Compiled;

/// The marked lines among the suspects, in their order.
fn suspects(text: &str) -> Vec<String> {
    let (sources, compiled): (SourceMap, Compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    assert!(!compiled.has_errors(), "{:?}\n{text}", compiled.diagnostics);
    let program = &compiled.program;
    let entry = program.function_named("f").expect("the entry function");
    let properties = PropertySet::of(&[Property::Assertion]);
    let mut inputs = ListInputs::new(vec![Bits::new(7), Bits::new(3)]);
    let failure = replay::failure(Task { program, entry, properties }, ProgramArgs::default(), &mut inputs);
    let failures: [Failure<'_>; 1] = [failure.unwrap_or_else(|outcome| panic!("{outcome:?}\n{text}"))];
    let options = LocalizeOptions {
        sources: &sources,
        trusted: &[],
        rounds: 100,
        minimal: true,
        decay: Decay::Harmonic,
        passing: &[],
        spectrum: &Spectrum::default(),
        tested: None,
        replaced: Default::default(),
        most_edits: usize::MAX,
    };
    let names: Vec<&str> = LOCALIZERS.iter().map(|localizer| localizer.name).collect();
    let found = run_methods(&failures, &names, &options, &Budget::unlimited());
    // Spectrum scores need passing runs.
    assert_eq!(found.len(), LOCALIZERS.len() - FORMULAS.len(), "every other method answers");
    let list = rank(&failures, &found, &Repairs::default(), &options);
    let mark = |line: u32| text.lines().nth(line as usize - 1)?.split("// ").nth(1).map(String::from);
    let mut marks: Vec<String> = list.iter().filter_map(|suspect| mark(suspect.line.line)).collect();
    marks.dedup();
    marks
}

const PLAIN: &str = "
int f(int a, int b) {
  int larger = a; // start
  int unused = 4; // unused
  if (a > b) // branch
    larger = b; // fault
  //@ assert larger >= a && larger >= b;
  return unused;
}
";

#[test]
fn suspects_survive_what_does_not_matter() {
    let plain = suspects(PLAIN);
    // The test before it computes something; the fault is a copy, which ranks behind.
    assert_eq!(plain[..2], ["branch", "fault"], "{plain:?}");
    assert!(!plain.contains(&"unused".to_string()), "{plain:?}");
    let renamed = PLAIN.replace("larger", "q17").replace("a >", "first >").replace("int a", "int first");
    let renamed = renamed.replace("= a;", "= first;").replace(">= a &&", ">= first &&");
    assert_eq!(suspects(&renamed), plain, "other names");
    let dead = PLAIN.replace(
        "  if (a > b)",
        "  if (b == 99 && a == 98) larger = 5; // dead\n  unused = unused * 3; // unused\n  if (a > b)",
    );
    assert_eq!(suspects(&dead), plain, "dead code");
    let split = PLAIN.replace("larger = b; // fault", "{ int half = b; // fault\n    larger = half; } // fault");
    assert_eq!(suspects(&split), plain, "a statement in two");
}

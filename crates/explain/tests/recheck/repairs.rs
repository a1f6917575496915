//! Repair hints: the edit is made once more, here, and the program that it gives is checked again, by the model checker and on every input.

use crate::oracles::Example;
use base::Budget;
use cfa::interp::{self, Config, Event, ListInputs, Observer, Outcome, ProgramArgs, View};
use cfa::{Bits, Op, Program, PropertySet, Task};
use engine::Options;
use evidence::{Proof, Reason, Verdict};
use explain::localize::lines::{Line, Lines};
use explain::repair::{Checked, EditableLine, Known, Repair, Workbench, repair};
use frontend::Compiled;
use std::collections::BTreeSet;
use std::time::Duration;

#[derive(Clone, Copy, Default, Debug)]
pub struct Counts {
    pub runs: u32,
    pub repairs: u32,
    pub complete: u32,
    pub inputs: u32,
}

fn decide(program: &Program, entry: &str, properties: PropertySet, unwind: Option<u32>) -> Verdict {
    let entry = program.function_named(entry).expect("the entry function");
    let task = Task { program, entry, properties };
    let options = Options { unwind, ..Options::default() };
    engine::bmc::decide(task, &options, &Budget::for_duration(Duration::from_secs(2))).verdict
}

/// Verified edits at every line that the run passes.
pub fn repairs(example: &Example, unwind: Option<u32>) -> Vec<Repair> {
    let failure = example.failure();
    let properties = failure.task.properties;
    let check = |program: &Program| match decide(program, &example.entry, properties, unwind) {
        Verdict::Safe(Proof::Unwound { bound }) => Checked::Holds { bound, complete: true },
        Verdict::Safe(Proof::Executed { .. } | Proof::Invariants(_) | Proof::Shapes(_)) => {
            Checked::Holds { bound: 0, complete: true }
        }
        Verdict::Unsafe(violation) => Checked::Fails(violation.inputs),
        Verdict::Unknown(Reason::Bound { bound, .. }) => Checked::Holds { bound, complete: false },
        Verdict::Unknown(_) => Checked::Unknown,
    };
    let file = example.sources.file_at(example.compiled.program.edges[failure.edge].span.lo).expect("a file");
    let (units, options) = ([file], frontend::CompileOptions::of(example.compiled.program.model()));
    let undefined = cfa::undefined::UndefinedFunctions::Pure;
    let frontend = frontend::of(&example.compiled.program).expect("it was compiled");
    let bench = Workbench {
        frontend,
        sources: &example.sources,
        units: &units,
        options,
        environment: Default::default(),
        undefined,
        check: &check,
    };
    let lines = Lines::new(&example.sources, &[]);
    let blamed = example.compiled.program.edges.iter().filter_map(|(edge, _)| lines.suspect(&failure, edge));
    let suspects = blamed.collect::<BTreeSet<Line>>().into_iter();
    let suspects: Vec<EditableLine> = suspects.map(|line| EditableLine::at(line, true)).collect();
    repair(
        std::slice::from_ref(&failure),
        None,
        &suspects,
        &example.options(),
        &bench,
        &Budget::for_duration(Duration::from_secs(20)),
    )
    .verified
}

/// The text of the program with an edit.
fn edited(example: &Example, repair: &Repair) -> Compiled {
    let edge = example.failure().edge;
    let file = example.sources.file_at(example.compiled.program.edges[edge].span.lo).expect("a file");
    let base = example.sources.base(file) as usize;
    let mut text = example.sources.text(file).to_vec();
    // From the end, so that positions before stay what they are.
    for (lo, hi, new) in repair.edit.parts.iter().rev() {
        text.splice(*lo as usize - base..*hi as usize - base, new.bytes());
    }
    let model = example.compiled.program.model();
    let (_, compiled) = testkit::compile_file(example.sources.name(file), text, model);
    assert!(!compiled.has_errors(), "{repair:?} does not compile\n{}", example.name);
    compiled
}

/// Whether an assertion was evaluated, or the condition of an error call.
#[derive(Default)]
struct Evaluated(bool);

impl Observer for Evaluated {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { edge, .. } = event {
            let program = view.program();
            self.0 |= match program.edges[edge].op {
                Op::Assert { .. } => true,
                Op::Assume { .. } => {
                    let other = program.successors(program.edges[edge].from).find(|other| *other != edge);
                    other.is_some_and(|other| {
                        let mut next = program.successors(program.edges[other].to);
                        next.any(|next| matches!(program.edges[next].op, Op::Assert { .. }))
                    })
                }
                _ => false,
            };
        }
    }
}

/// Checks the first few repairs; `inputs`: everything that the program can be given, if that is not too much.
pub fn check(example: &Example, unwind: Option<u32>, inputs: &[Vec<Bits>], counts: &mut Counts) {
    counts.runs += 1;
    let properties = example.failure().task.properties;
    for repair in repairs(example, unwind).iter().take(3) {
        counts.repairs += 1;
        let wrong = |what: String| -> ! { panic!("{repair:?}: {what}\n{}", example.name) };
        let compiled = edited(example, repair);
        let program = &compiled.program;
        // Nothing is said of all inputs.
        let Known::Holds { bound, complete } = repair.known else { continue };
        match decide(program, &example.entry, properties, Some(bound)) {
            Verdict::Safe(_) => {}
            Verdict::Unknown(Reason::Bound { .. }) if !complete => {}
            verdict => wrong(format!("{verdict:?}")),
        }
        let entry = program.function_named(&example.entry).expect("the entry function");
        let mut evaluated = Evaluated::default();
        let mut run = |values: &[Bits]| {
            let config = Config { properties, max_steps: 20_000, ..Config::default() };
            let mut inputs = ListInputs::then_zero(values.to_vec());
            interp::run_observed(program, entry, &ProgramArgs::default(), &mut inputs, &config, &mut evaluated).outcome
        };
        let outcome = run(&example.inputs);
        if !matches!(outcome, Outcome::Finished(_)) {
            wrong(format!("the failing run ends by {outcome:?}"));
        }
        if complete {
            counts.complete += 1;
            for values in inputs {
                counts.inputs += 1;
                let outcome = run(values);
                if matches!(outcome, Outcome::Violation { .. }) {
                    wrong(format!("{outcome:?} on {values:?}"));
                }
            }
        }
        if !evaluated.0 {
            wrong("the assertion is not evaluated any more".into());
        }
    }
}

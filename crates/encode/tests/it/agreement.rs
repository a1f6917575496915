//! Random programs: on every input the terms say what the interpreter does, step by step.

use crate::{Unrolled, compile, unroll_with};
use cfa::interp::{Event, Observer, Outcome, View};
use cfa::{Bits, EdgeId, Op, Property};
use encode::{EventKind, InputPlace, ObligationKind};
use testkit::programs;

/// What a run assigns to scalars other than pointers, whose numbers are the interpreter's own.
#[derive(Default)]
struct Assigned(Vec<(EdgeId, Bits)>);

impl Observer for Assigned {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        let Event::Edge { edge, value: Some((ty, bits)) } = event else { return };
        let program = view.program();
        if matches!(program.edges[edge].op, Op::Assign(..)) && !program.types.is_pointer(ty) {
            self.0.push((edge, bits));
        }
    }
}

/// How the runs of a program ended.
#[derive(Default, Debug)]
struct Counts {
    finished: u32,
    violated: u32,
    undefined: u32,
    beyond: u32,
    assigned: usize,
}

#[test]
fn terms_and_runs_agree() {
    let mut counts = Counts::default();
    for seed in 0..40 {
        let text = programs::random(seed);
        let program = compile(&text);
        for keeps_apart in [false, true] {
            let unrolled = unroll_with(&program, 6, &[Property::Assertion], keeps_apart);
            for inputs in programs::all_inputs().skip(seed as usize).step_by(211) {
                let what = format!("seed {seed}, apart: {keeps_apart}, {inputs:?}\n{text}");
                compare(&unrolled, &inputs, &mut counts, &what);
            }
        }
    }
    assert!(counts.finished > 200 && counts.violated > 200 && counts.assigned > 4000, "{counts:?}");
}

fn compare(unrolled: &Unrolled<'_>, inputs: &[Bits], counts: &mut Counts, what: &str) {
    let values = unrolled.on(inputs);
    let mut observed = Assigned::default();
    let run = unrolled.run_observed(inputs, &mut observed);
    let left = values.left_by();
    let kinds: Vec<&ObligationKind> = left.iter().map(|found| &found.kind).collect();
    // A run ends in one way.
    assert_eq!(left.len() + values.ends_regularly(), 1, "{kinds:?} {:?}, {what}", run.outcome);
    match (kinds.first(), run.outcome) {
        (None, Outcome::Finished(_) | Outcome::Aborted) => counts.finished += 1,
        (Some(ObligationKind::Violation(property, fault)), Outcome::Violation { property: ours, fault: found }) => {
            assert_eq!((*property, *fault, Some(left[0].edge)), (ours, found, run.end), "{what}");
            counts.violated += 1;
        }
        (Some(ObligationKind::Undefined(fault)), Outcome::Undefined(found)) => {
            assert_eq!((*fault, Some(left[0].edge)), (found, run.end), "{what}");
            counts.undefined += 1;
        }
        // The interpreter goes on where the bound ends.
        (Some(ObligationKind::Unwind), _) => {
            counts.beyond += 1;
            return;
        }
        (kind, outcome) => panic!("{kind:?}, but {outcome:?}: {what}"),
    }
    let program = unrolled.task.program;
    let happened = unrolled.unrolling.events.iter().filter_map(|event| {
        let (ty, term) = event.value?;
        let InputPlace::Edge(edge) = event.source else { return None };
        let assigns = event.kind == EventKind::Write && matches!(program.edges[edge].op, Op::Assign(..));
        let shown = assigns && program.types.is_scalar(ty) && !program.types.is_pointer(ty);
        (shown && values.holds(event.guard)).then(|| (edge, Bits::new(values.number(term))))
    });
    let happened: Vec<(EdgeId, Bits)> = happened.collect();
    assert_eq!(happened, observed.0, "{what}");
    counts.assigned += happened.len();
}

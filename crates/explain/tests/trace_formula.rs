//! The trace formula against its definition: it follows the interpreter edge by edge; with the inputs of the run it holds, and with the assertion
//! it does not, also when every step is only promised under the conditions in whose scope it lies.

use base::Budget;
use cfa::interp::{self, Config, Event, ListInputs, Observer, ProgramArgs, View};
use cfa::{DataModel, EdgeId, Property, PropertySet, Task};
use encode::{Encoder, Follow, Names, Origin, PathFormula};
use logic::{Solver, TermId, TermPool};
use testkit::programs;

#[derive(Default)]
struct Edges(Vec<EdgeId>);

impl Observer for Edges {
    fn step(&mut self, _: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { edge, .. } = event {
            self.0.push(edge);
        }
    }
}

/// What the precondition and the steps say, and the same with every step under its conditions.
fn formulas(pool: &mut TermPool, formula: &PathFormula) -> (Vec<TermId>, Vec<TermId>) {
    let (mut plain, mut scoped) = (Vec::new(), Vec::new());
    for input in &formula.inputs {
        let width = pool.width(input.term);
        let value = pool.bv(width, input.bits.get());
        let known = pool.eq(input.term, value);
        plain.push(known);
        scoped.push(known);
    }
    for term in formula.fills.iter().flat_map(|fill| &fill.terms) {
        if let Some(logic::TermValue::Bits(bits)) = formula.values.get(*term) {
            let value = pool.bits(bits);
            let known = pool.eq(*term, value);
            plain.push(known);
            scoped.push(known);
        }
    }
    for step in &formula.steps {
        plain.extend(step.guard);
        plain.extend(&step.checks);
        let mut conditions = Vec::new();
        let mut scope = step.scope;
        while let Some(index) = scope {
            let condition = formula.conditions[index as usize];
            conditions.push(condition.term);
            scope = condition.parent;
        }
        let under = pool.and_all(&conditions);
        for definition in &step.definitions {
            let equal = pool.eq(definition.name, definition.value);
            plain.push(equal);
            scoped.push(pool.implies(under, equal));
        }
    }
    (plain, scoped)
}

fn check(seed: u64) -> bool {
    let text = programs::random(seed);
    let model = if seed.is_multiple_of(2) { DataModel::Lp64 } else { DataModel::Ilp32 };
    let (_, compiled) = testkit::compile(text.as_bytes(), model);
    let program = &compiled.program;
    let entry = program.function_named("main").expect("main");
    let properties = PropertySet::of(&[Property::Assertion]);
    let config = Config { properties, max_steps: 100_000, ..Config::default() };
    let run = |values: Vec<cfa::Bits>, edges: &mut Edges| {
        interp::run_observed(program, entry, &ProgramArgs::default(), &mut ListInputs::new(values), &config, edges)
    };
    let fails = |values: &Vec<cfa::Bits>| {
        let mut inputs = ListInputs::new(values.clone());
        let run = interp::run(program, entry, &ProgramArgs::default(), &mut inputs, &config);
        matches!(run.outcome, interp::Outcome::Violation { .. })
    };
    // One in a hundred is enough to find a failing one in most programs that have any.
    let Some(values) = programs::all_inputs().step_by(101).find(fails) else { return false };
    let mut edges = Edges::default();
    let run = run(values.clone(), &mut edges);
    for names in [Names::Fresh, Names::FreshWithFrames, Names::Inline] {
        let mut encoder = Encoder::new(Task { program, entry, properties });
        let follow = Follow {
            inputs: &mut ListInputs::new(values.clone()),
            args: &ProgramArgs::default(),
            names,
            max_steps: 100_000,
        };
        let formula = encoder.follow(follow, &Budget::unlimited());
        let formula = formula.unwrap_or_else(|reason| panic!("seed {seed}: {reason:?}\n{text}"));
        assert_eq!(Some(formula.edge), run.end, "seed {seed}");
        // A call is one step before and one after; the interpreter reports it once, after.
        let mut followed = Vec::new();
        for (index, step) in formula.steps.iter().enumerate() {
            let Origin::Edge(edge) = step.origin else { continue };
            let calls = matches!(program.edges[edge].op, cfa::Op::Call { callee: cfa::Callee::Direct(callee), .. }
                if program.automaton(callee).is_some());
            let first = calls && {
                let next = formula.steps[index + 1..].iter().find(|next| next.origin != step.origin);
                next.is_some_and(|next| next.activation > step.activation)
            };
            if !first {
                followed.push(edge);
            }
        }
        // The interpreter reports no event for the edge that fails.
        followed.pop();
        assert_eq!(followed, edges.0, "seed {seed}: another path\n{text}");
        let (plain, scoped) = formulas(&mut encoder.pool, &formula);
        let budget = Budget::unlimited();
        let ask = |encoder: &Encoder<'_>, terms: &[TermId]| Solver::new().check(&encoder.pool, terms, &budget);
        assert!(ask(&encoder, &plain).is_sat(), "seed {seed} {names:?}: the run is not a model of its formula\n{text}");
        let mut contradiction = plain.clone();
        contradiction.push(formula.assertion);
        assert!(ask(&encoder, &contradiction).is_unsat(), "seed {seed} {names:?}: not an error\n{text}");
        let mut contradiction = scoped;
        contradiction.push(formula.assertion);
        assert!(ask(&encoder, &contradiction).is_unsat(), "seed {seed} {names:?}: not flow-sensitive\n{text}");
    }
    true
}

#[test]
fn formula_of_random_runs() {
    let scale = std::env::var("WHYDUNIT_FUZZ_SCALE").ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(1);
    let failing = (0..60 * scale).filter(|seed| check(*seed)).count();
    assert!(failing as u64 >= 12 * scale, "only {failing} programs fail");
}

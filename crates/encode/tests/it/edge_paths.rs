//! The condition of a path of edges: the runs that take it, and no others. States on the way can be merged, asked and made arbitrary.

use crate::compile;
use base::Budget;
use cfa::interp::{self, Config, Event, Inputs, ListInputs, Observer, ProgramArgs, Run, View};
use cfa::{Bits, EdgeId, ExprId, ExprKind, LocId, PlaceKind, Program, Property, PropertySet, Task};
use encode::{EdgePath, Encoder, ModelInputs, NoPath, PathState};
use logic::{Evaluator, Satisfiability, Solver, TermId};
use testkit::programs;

/// The edges of a run in the order in which they begin.
#[derive(Default)]
struct Begun {
    edges: Vec<EdgeId>,
    /// Edges that called functions with a body.
    calls: Vec<Option<EdgeId>>,
    /// The call that came back last: its edge was noted when it began.
    returned: Option<EdgeId>,
}

impl Observer for Begun {
    fn step(&mut self, _: &View<'_, '_>, event: Event<'_>) {
        match event {
            Event::Enter { edge, .. } => {
                self.edges.extend(edge);
                self.calls.push(edge);
            }
            Event::Leave { .. } => self.returned = self.calls.pop().flatten(),
            Event::Edge { edge, .. } if self.returned == Some(edge) => self.returned = None,
            Event::Edge { edge, .. } => self.edges.push(edge),
            Event::Input(_) => {}
        }
    }
}

fn task(program: &Program) -> Task<'_> {
    let entry = program.function_named("main").expect("main");
    Task { program, entry, properties: PropertySet::of(&[Property::Assertion]) }
}

fn edges_of(task: Task<'_>, inputs: &mut dyn Inputs) -> (Run, Vec<EdgeId>) {
    let mut begun = Begun::default();
    let config = Config { properties: task.properties, max_steps: 3000, ..Config::default() };
    let run = interp::run_observed(task.program, task.entry, &ProgramArgs::default(), inputs, &config, &mut begun);
    (run, begun.edges)
}

fn path(encoder: &mut Encoder<'_>, edges: &[EdgeId]) -> EdgePath {
    encoder.path(edges, &Budget::unlimited()).expect("edges of a run are a path")
}

/// The edges that runs on a model's inputs take.
fn replay(encoder: &Encoder<'_>, found: &EdgePath, asked: &[TermId]) -> Option<Vec<EdgeId>> {
    let replayable = found.unrolling.replayable;
    let asked: Vec<TermId> = asked.iter().copied().chain([found.condition]).chain(replayable).collect();
    match Solver::new().check(&encoder.pool, &asked, &Budget::unlimited()) {
        Satisfiability::Unsat(_) => None,
        Satisfiability::Sat(model) => {
            let mut inputs = ModelInputs::new(&encoder.pool, &model, &found.unrolling);
            Some(edges_of(encoder.task, &mut inputs).1)
        }
        Satisfiability::Unknown => panic!("no limit was set"),
    }
}

#[test]
fn runs_take_their_paths_and_models_replay_along_them() {
    let (mut paths, mut others) = (0, 0);
    for seed in 300..330 {
        let text = programs::random(seed);
        let program = compile(&text);
        let task = task(&program);
        let mut encoder = Encoder::new(task);
        for inputs in programs::all_inputs().skip(seed as usize).step_by(1009) {
            let what = format!("seed {seed}, {inputs:?}\n{text}");
            let (_, edges) = edges_of(task, &mut ListInputs::then_zero(inputs.clone()));
            let found = path(&mut encoder, &edges);
            let given = found.unrolling.assignment(
                &program,
                &encoder.pool,
                &ProgramArgs::default(),
                &mut ListInputs::then_zero(inputs.clone()),
            );
            let holds = Evaluator::default().eval(&encoder.pool, &given, found.condition).as_bool();
            assert_eq!(holds, Some(true), "{what}");
            let taken = replay(&encoder, &found, &[]).expect("this run");
            assert_eq!(taken[..edges.len()], edges[..], "{what}");
            paths += 1;
            // Other inputs that lead along the same edges.
            let mut same = encoder.pool.bool(true);
            for (input, bits) in found.unrolling.inputs.iter().zip(&inputs) {
                let width = encoder.pool.width(input.term);
                let value = encoder.pool.bv(width, bits.get());
                let equal = encoder.pool.eq(input.term, value);
                same = encoder.pool.and(same, equal);
            }
            let different = encoder.pool.not(same);
            if let Some(taken) = replay(&encoder, &found, &[different]) {
                assert_eq!(taken[..edges.len()], edges[..], "{what}");
                others += 1;
            }
        }
    }
    assert!(paths > 100 && others > 50, "{paths} paths, {others} with other inputs");
}

#[test]
fn a_path_executed_in_two_parts_has_the_same_condition() {
    let mut parts = 0;
    for seed in 330..340 {
        let program = compile(&programs::random(seed));
        let task = task(&program);
        let mut encoder = Encoder::new(task);
        let inputs: Vec<Bits> = [3, 9, 14].map(Bits::new).to_vec();
        let (_, edges) = edges_of(task, &mut ListInputs::then_zero(inputs));
        let whole = path(&mut encoder, &edges);
        for middle in [edges.len() / 3, edges.len() / 2] {
            let Ok(first) = encoder.path(&edges[..middle], &Budget::unlimited()) else { continue };
            let start = first.end.expect("the run goes on");
            let rest = encoder.path_from(&start, &edges[middle..], &Budget::unlimited()).expect("a path");
            let differ = encoder.pool.ne(whole.condition, rest.condition);
            assert!(is_impossible(&encoder, &[differ]), "seed {seed}, split at {middle}");
            parts += 1;
        }
    }
    assert!(parts > 10, "{parts}");
}

fn is_impossible(encoder: &Encoder<'_>, asked: &[TermId]) -> bool {
    matches!(Solver::new().check(&encoder.pool, asked, &Budget::unlimited()), Satisfiability::Unsat(_))
}

#[test]
fn edges_that_do_not_follow_each_other_are_no_path() {
    let program = compile("int main(void) { int x = 1; x = 2; x = 3; return x; }");
    let mut encoder = Encoder::new(task(&program));
    let (_, mut edges) = edges_of(task(&program), &mut ListInputs::then_zero(Vec::new()));
    edges.remove(1);
    let found = encoder.path(&edges, &Budget::unlimited()).map(|_| ());
    assert_eq!(found, Err(NoPath::NotAPath(1)));
    let call = "int f(void) { return 1; } int main(void) { int (*p)(void) = f; return p(); }";
    let program = compile(call);
    let mut encoder = Encoder::new(task(&program));
    let (_, edges) = edges_of(task(&program), &mut ListInputs::then_zero(Vec::new()));
    let inside = edges.iter().position(|edge| {
        let function = program.locations[program.edges[*edge].from].function;
        program.function_name(function) == "f"
    });
    let call = inside.expect("f is called");
    let found = encoder.path(&edges[..call], &Budget::unlimited()).map(|_| ());
    assert_eq!(found, Err(NoPath::EndsInIndirectCall));
    assert!(encoder.path(&edges, &Budget::unlimited()).is_ok());
}

/// A read of a variable.
fn read(program: &Program, name: &str) -> ExprId {
    let reads = |expr: &cfa::Expr| match expr.kind {
        ExprKind::Read(place) => match program.places[place].kind {
            PlaceKind::Var(var) => program.name(program.vars[var].name) == name,
            _ => false,
        },
        _ => false,
    };
    program.exprs.iter().find(|(_, expr)| reads(expr)).map(|(id, _)| id).expect("the variable is read")
}

/// Whether a variable can have a value in a state.
fn can_be(encoder: &mut Encoder<'_>, at: &PathState, name: &str, value: u128) -> bool {
    let expr = read(encoder.task.program, name);
    let (found, defined) = encoder.evaluate(at, expr);
    let here = at.condition(&mut encoder.pool);
    let wanted = encoder.pool.bv(32, value);
    let equal = encoder.pool.eq(found, wanted);
    !is_impossible(encoder, &[here, defined, equal])
}

/// The state where an edge of a branch and those behind it come to a location.
fn up_to(encoder: &mut Encoder<'_>, from: &PathState, first: EdgeId, end: LocId) -> PathState {
    let program = encoder.task.program;
    let mut edges = vec![first];
    while let Some(last) = edges.last().copied().filter(|last| program.edges[*last].to != end) {
        edges.push(program.successors(program.edges[last].to).next().expect("the branches meet"));
    }
    encoder.path_from(from, &edges, &Budget::unlimited()).expect("a path").end.expect("runs go on")
}

#[test]
fn states_are_merged_and_made_arbitrary() {
    let program = compile(
        "int nondet_int(void); int y; int main(void) { int x = nondet_int(); int z; if (x > 3) y = 1; else y = 2; z = y; return z; }",
    );
    let task = task(&program);
    let mut encoder = Encoder::new(task);
    let (_, edges) = edges_of(task, &mut ListInputs::then_zero(vec![Bits::new(7)]));
    let (_, other) = edges_of(task, &mut ListInputs::then_zero(vec![Bits::new(1)]));
    let common = edges.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let meet = edges[common..].iter().find(|edge| other.contains(edge)).expect("the branches meet");
    let meet = program.edges[*meet].from;
    let branch = path(&mut encoder, &edges[..common]).end.expect("runs go on");
    let first = up_to(&mut encoder, &branch, edges[common], meet);
    let second = up_to(&mut encoder, &branch, other[common], meet);
    assert!(encoder.merge(&branch, &first).is_none());
    let either = encoder.merge(&first, &second).expect("both are there");
    assert_eq!(either.location(), meet);
    let can = |encoder: &mut Encoder<'_>, at: &PathState, value| can_be(encoder, at, "y", value);
    assert!(can(&mut encoder, &first, 1) && !can(&mut encoder, &first, 2));
    assert!(can(&mut encoder, &either, 1) && can(&mut encoder, &either, 2) && !can(&mut encoder, &either, 3));
    let y = program.vars.iter().find(|(_, var)| program.name(var.name) == "y").expect("y").0;
    let any = encoder.havoc(&either, &[y]).expect("y can be named");
    assert!(can(&mut encoder, &any, 3));
    let anywhere = encoder.anywhere(meet).expect("main has a body");
    assert!(can(&mut encoder, &anywhere, 3));
    // From there on it is the program's own value again.
    let rest: Vec<EdgeId> = edges.iter().copied().skip_while(|edge| program.edges[*edge].from != meet).collect();
    let end = encoder.path_from(&anywhere, &rest, &Budget::unlimited()).expect("a path");
    assert!(end.end.is_none() && !is_impossible(&encoder, &[end.condition]));
}

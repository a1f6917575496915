//! Division of numbers that comparisons limit: random programs over two small inputs, and all their runs.

use base::{Budget, SourceMap};
use cfa::interp::{self, Config, ListInputs, Outcome, ProgramArgs};
use cfa::{Bits, DataModel, Property, PropertySet, Task};
use engine::Options;
use evidence::{Reason, Verdict};
use frontend::CompileOptions;
use std::time::Duration;
use testkit::random::Random;

/// Inputs are from -6 to 6.
const LARGEST: i32 = 6;

fn statement(random: &mut Random) -> String {
    let mut pick = |from: &[&str]| from[random.below(from.len())].to_string();
    let (to, left, right) = (pick(&["a", "b", "c"]), pick(&["a", "b", "c", "a + b", "c * 3"]), pick(&["a", "b", "c"]));
    let (op, limit) = (pick(&["/", "%"]), pick(&["0", "1", "5", "9", "-3"]));
    let test = pick(&["<", ">", "<=", ">=", "!="]);
    match random.below(6) {
        0 | 1 => format!("if ({right} != 0) {to} = ({left}) {op} {right};"),
        2 => format!("if ({left} {test} {limit}) {to} = {left}; else {to} = {right};"),
        3 => format!("if ({left} {test} {limit}) return 0;"),
        4 => format!("while (c {test} {limit} && b != 0) {{ c = c {op} b; b = b - 1; if (c == {limit}) break; }}"),
        _ => format!("if ({left} {test} {limit}) {{ if ({right} > 0) {to} = ({left}) {op} {right}; }}"),
    }
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let ty = ["int", "unsigned", "long", "short"][random.below(4)];
    let statements: Vec<String> = (0..6).map(|_| statement(&mut random)).collect();
    let (var, value) = (["a", "b", "c"][random.below(3)], random.below(9) as i32 - 4);
    format!(
        "int __VERIFIER_nondet_int(void); void __VERIFIER_assert(int);\n\
         int main(void) {{\n  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n  \
         if (x < -{LARGEST} || x > {LARGEST} || y < -{LARGEST} || y > {LARGEST}) return 0;\n  \
         {ty} a = x, b = y, c = 7;\n  {}\n  __VERIFIER_assert({var} != {value});\n  return 0;\n}}\n",
        statements.join("\n  ")
    )
}

#[test]
fn all_runs_agree_with_the_verdict() {
    let (mut safe, mut violated, mut unknown) = (0, 0, 0);
    for seed in 0..60 {
        let text = program(seed);
        let mut sources = SourceMap::new();
        let file = sources.add("test.c", text.clone().into_bytes()).expect("it is small");
        let language = frontend::for_extension("c").expect("C is in the table");
        let compiled = (language.compile)(&mut sources, &[file], &CompileOptions::of(DataModel::Lp64));
        assert!(!compiled.has_errors(), "seed {seed}: {:?}\n{text}", compiled.diagnostics);
        let program = &compiled.program;
        let entry = program.function_named("main").expect("main");
        let properties = PropertySet::of(&[Property::Assertion, Property::UnreachCall, Property::DivByZero]);
        let config = Config { properties, max_steps: 10_000, ..Config::default() };
        let ends = |x: i32, y: i32| {
            let inputs = [x, y].map(|value| Bits::new(value as u32 as u128));
            interp::run(program, entry, &ProgramArgs::default(), &mut ListInputs::then_zero(inputs.to_vec()), &config)
                .outcome
        };
        let mut all = (-LARGEST..=LARGEST).flat_map(|x| (-LARGEST..=LARGEST).map(move |y| (x, y)));
        let fails = all.any(|(x, y)| matches!(ends(x, y), Outcome::Violation { .. }));
        let task = Task { program, entry, properties };
        let options = Options { unwind: Some(6), ..Options::default() };
        let answer = engine::bmc::decide(task, &options, &Budget::for_duration(Duration::from_secs(20)));
        match answer.verdict {
            Verdict::Safe(_) => {
                assert!(!fails, "seed {seed}: called safe, but a run fails\n{text}");
                safe += 1;
            }
            Verdict::Unsafe(_) => {
                assert!(fails, "seed {seed}: called violated, but no run fails\n{text}");
                violated += 1;
            }
            Verdict::Unknown(Reason::Bound { .. }) => unknown += 1,
            Verdict::Unknown(reason) => {
                assert!(!fails, "seed {seed}: a run fails that was not found ({reason:?})\n{text}");
                unknown += 1;
            }
        }
    }
    assert!(safe > 10 && violated > 10 && unknown < 30, "{safe} safe, {violated} violated, {unknown} unknown");
}

//! What the environment does, in the encoding and in the interpreter: random programs whose allocations may fail, whose stack is limited, and that read
//! volatile objects and registers. All that decides a run is a few bits, so all runs can be made.

use base::{Budget, SourceMap};
use cfa::environment::{Environment, apply};
use cfa::interp::{self, Config, ListInputs, Outcome, ProgramArgs};
use cfa::{Bits, DataModel, Property, PropertySet, Task};
use engine::Options;
use evidence::Verdict;
use frontend::{CompileOptions, RegisterRange};
use std::time::Duration;
use testkit::random::Random;

/// Inputs of a run: each is 0 or -1, which decides everything that an input decides here.
const INPUTS: u32 = 7;

fn statement(random: &mut Random) -> &'static str {
    const STATEMENTS: &[&str] = &[
        "p = malloc(4);",
        "q = calloc(1, 4);",
        "if (p) *p = 1;",
        "if (q) *q = 2;",
        "*p = 3;",
        "free(p); p = 0;",
        "r = realloc(q, 8); if (r) { q = r; *q = 0; }",
        "if (flag & 1) n++;",
        "if (REGISTER & 1) n += 2;",
        "REGISTER = n;",
        "c = 200 + (flag & 1); if (c < 0) n = 50;",
        "n = deeper(n & 3);",
        "if (printf(\"%d\", n & 7) != 1) n += 3;",
        "if (putchar(65) < 0) n += 2;",
        "if (fwrite(&n, 1, 4, (void *)2) < 4) n++;",
        "if (n > 2 && q) __VERIFIER_assert(*q != 2);",
        "__VERIFIER_assert(n < 6);",
    ];
    STATEMENTS[random.below(STATEMENTS.len())]
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let statements: Vec<&str> = (0..6).map(|_| statement(&mut random)).collect();
    format!(
        "void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void *realloc(void *, unsigned long);\n\
         void free(void *); void __VERIFIER_assert(int);\n\
         int printf(const char *, ...); int putchar(int); unsigned long fwrite(const void *, unsigned long, unsigned long, void *);\n\
         volatile int flag;\n\
         static int deeper(int n) {{ int pad[4]; pad[0] = n; return n > 0 ? deeper(n - 1) + 1 : pad[0]; }}\n\
         int main(void) {{\n  int *p = 0, *q = 0, *r = 0, n = 0; char c = 0;\n  {}\n  return 0;\n}}\n",
        statements.join("\n  ")
    )
    .replace("REGISTER", "*(volatile int *)0x40000000")
}

#[test]
fn encoding_and_interpreter_agree() {
    let (mut safe, mut violated, mut unknown) = (0, 0, 0);
    for seed in 0..150 {
        let model = if seed % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
        let mut text = program(seed);
        if model == DataModel::Ilp32 {
            text = text.replace("unsigned long", "unsigned");
        }
        let mut sources = SourceMap::new();
        let file = sources.add("test.c", text.clone().into_bytes()).expect("it is small");
        let options = CompileOptions {
            unsigned_char: seed % 3 == 0,
            volatile_inputs: seed % 5 != 0,
            registers: vec![RegisterRange { first: 0x4000_0000, last: 0x4000_ffff, name: None }],
            ..CompileOptions::of(model)
        };
        let language = frontend::for_extension("c").expect("C is in the table");
        let mut compiled = (language.compile)(&mut sources, &[file], &options);
        assert!(!compiled.has_errors(), "seed {seed}: {:?}\n{text}", compiled.diagnostics);
        let environment = Environment {
            allocation_fails: seed % 4 != 0,
            output_fails: seed % 3 != 0,
            stack_limit: Some(150),
            one_row: false,
        };
        apply(&mut compiled.program, environment);
        let program = &compiled.program;
        let entry = program.function_named("main").expect("main");
        let properties = PropertySet::of(Property::DEFAULT).with(Property::StackLimit);
        let config = Config { properties, max_steps: 100_000, ..Config::default() };
        let fails = (0..1u32 << INPUTS).any(|number| {
            let bits = (0..INPUTS).map(|index| Bits::new((number >> index & 1) as u128 * u32::MAX as u128));
            let mut inputs = ListInputs::then_zero(bits.collect());
            let run = interp::run(program, entry, &ProgramArgs::default(), &mut inputs, &config);
            matches!(run.outcome, Outcome::Violation { .. })
        });
        let task = Task { program, entry, properties };
        let answer = engine::bmc::decide(task, &Options::default(), &Budget::for_duration(Duration::from_secs(20)));
        match answer.verdict {
            Verdict::Safe(_) => {
                assert!(!fails, "seed {seed}: called safe, but a run fails\n{text}");
                safe += 1;
            }
            Verdict::Unsafe(_) => {
                assert!(fails, "seed {seed}: called violated, but no run fails\n{text}");
                violated += 1;
            }
            Verdict::Unknown(reason) => {
                assert!(!fails, "seed {seed}: a run fails that was not found ({reason:?})\n{text}");
                unknown += 1;
            }
        }
    }
    assert!(safe > 15 && violated > 30 && unknown < 15, "{safe} safe, {violated} violated, {unknown} unknown");
}

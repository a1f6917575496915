//! Programs in the interpreter: random expressions against an evaluator that is written here, programs that should do the same as others, damaged texts.

use super::compile;
use crate::CompileOptions;
use base::SourceMap;
use cfa::interp::{self, Config, Event, ListInputs, Observer, Outcome, ProgramArgs, View};
use cfa::{Bits, CycleRole, DataModel, Program};

fn compiled(text: &str) -> (Program, cfa::FuncId) {
    let mut sources = SourceMap::new();
    let file = sources.add("test.st", text.as_bytes().to_vec()).expect("a file");
    let compiled = compile(&mut sources, &[file], &CompileOptions::of(DataModel::Lp64));
    let errors: Vec<_> = compiled.diagnostics.iter().map(|one| (&one.message, sources.snippet(one.span))).collect();
    assert!(!compiled.has_errors(), "{errors:?}\n{text}");
    let entry = compiled.entry.expect("an entry").unwrap_or_else(|reason| panic!("{reason}\n{text}"));
    (compiled.program, entry)
}

/// The same numbers every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 16
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// A type of numbers as the standard defines it.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Number {
    name: &'static str,
    width: u32,
    signed: bool,
    bits: bool,
}

const fn number(name: &'static str, width: u32, signed: bool, bits: bool) -> Number {
    Number { name, width, signed, bits }
}

const NUMBERS: [Number; 12] = [
    number("SINT", 8, true, false),
    number("INT", 16, true, false),
    number("DINT", 32, true, false),
    number("LINT", 64, true, false),
    number("USINT", 8, false, false),
    number("UINT", 16, false, false),
    number("UDINT", 32, false, false),
    number("ULINT", 64, false, false),
    number("BYTE", 8, false, true),
    number("WORD", 16, false, true),
    number("DWORD", 32, false, true),
    number("LWORD", 64, false, true),
];

impl Number {
    fn wrap(self, value: i128) -> i128 {
        let low = value & ((1i128 << self.width) - 1);
        if self.signed && low >> (self.width - 1) == 1 { low - (1i128 << self.width) } else { low }
    }

    fn least(self) -> i128 {
        if self.signed { -(1i128 << (self.width - 1)) } else { 0 }
    }

    fn most(self) -> i128 {
        if self.signed { (1i128 << (self.width - 1)) - 1 } else { (1i128 << self.width) - 1 }
    }
}

struct Expressions {
    random: Random,
    /// Variables with their types and values.
    variables: Vec<(Number, String, i128)>,
}

impl Expressions {
    /// A number of a type: its text and value.
    fn number(&mut self, ty: Number, depth: u32) -> (String, i128) {
        if depth == 0 {
            let own: Vec<_> = self.variables.iter().filter(|(known, ..)| *known == ty).cloned().collect();
            let (_, name, value) = own[self.random.below(own.len())].clone();
            return (name, value);
        }
        let (a, x) = self.number(ty, depth - 1);
        match self.random.below(10) {
            0 => {
                let from = NUMBERS[self.random.below(NUMBERS.len())];
                if from == ty {
                    return (a, x);
                }
                let (text, value) = self.number(from, depth - 1);
                (format!("{}_TO_{}({text})", from.name, ty.name), ty.wrap(value))
            }
            1 => {
                let (condition, truth) = self.truth(depth - 1);
                let (b, y) = self.number(ty, depth - 1);
                (format!("SEL({condition}, {a}, {b})"), if truth { y } else { x })
            }
            2 if !ty.bits => {
                let (b, y) = self.number(ty, depth - 1);
                let name = ["MIN", "MAX"][self.random.below(2)];
                (format!("{name}({a}, {b})"), if name == "MIN" { x.min(y) } else { x.max(y) })
            }
            3 if ty.signed => match self.random.below(2) {
                0 => (format!("ABS({a})"), ty.wrap(x.abs())),
                _ => (format!("-({a})"), ty.wrap(-x)),
            },
            _ if ty.bits => {
                let (b, y) = self.number(ty, depth - 1);
                let count = self.random.below(ty.width as usize) as u32;
                let mask = (1i128 << ty.width) - 1;
                match self.random.below(8) {
                    0 => (format!("({a} AND {b})"), x & y),
                    1 => (format!("({a} OR {b})"), x | y),
                    2 => (format!("({a} XOR {b})"), x ^ y),
                    3 => (format!("NOT ({a})"), !x & mask),
                    4 => (format!("SHL({a}, {count})"), (x << count) & mask),
                    5 => (format!("SHR({a}, {count})"), x >> count),
                    6 => (format!("ROL({a}, {count})"), ((x << count) | (x >> (ty.width - count))) & mask),
                    _ => (format!("ROR({a}, {count})"), ((x >> count) | (x << (ty.width - count))) & mask),
                }
            }
            choice => {
                let (b, y) = self.number(ty, depth - 1);
                match choice % 5 {
                    0 => (format!("({a} + {b})"), ty.wrap(x + y)),
                    1 => (format!("({a} - {b})"), ty.wrap(x - y)),
                    2 => (format!("({a} * {b})"), ty.wrap(x.wrapping_mul(y))),
                    // The controller would stop.
                    _ if y == 0 => (a, x),
                    3 => (format!("({a} / {b})"), ty.wrap(x / y)),
                    _ => (format!("({a} MOD {b})"), x % y),
                }
            }
        }
    }

    fn truth(&mut self, depth: u32) -> (String, bool) {
        if depth == 0 {
            let value = self.random.below(2) == 1;
            return (if value { "TRUE" } else { "FALSE" }.into(), value);
        }
        let (a, x) = self.truth(depth - 1);
        let (b, y) = self.truth(depth - 1);
        match self.random.below(6) {
            0 => (format!("({a} AND {b})"), x && y),
            1 => (format!("({a} OR {b})"), x || y),
            2 => (format!("({a} XOR {b})"), x != y),
            3 => (format!("NOT ({a})"), !x),
            _ => {
                let ty = NUMBERS[self.random.below(NUMBERS.len())];
                let ((a, x), (b, y)) = (self.number(ty, depth - 1), self.number(ty, depth - 1));
                let operators =
                    [("<", x < y), ("<=", x <= y), (">", x > y), (">=", x >= y), ("=", x == y), ("<>", x != y)];
                let (operator, truth) = operators[self.random.below(6)];
                (format!("({a} {operator} {b})"), truth)
            }
        }
    }
}

#[test]
fn random_expressions_have_the_values_that_the_standard_gives_them() {
    for seed in 0..12 {
        let mut random = Random(seed);
        let mut variables = Vec::new();
        let mut declared = String::new();
        for ty in NUMBERS {
            let mut values = vec![ty.least(), ty.most(), 0, 1];
            values.extend((0..3).map(|_| ty.wrap((random.next() as i128) << random.below(17))));
            values.push(ty.wrap(-1 - random.below(9) as i128));
            for (index, value) in values.into_iter().enumerate() {
                let name = format!("{}_{index}", ty.name.to_ascii_lowercase());
                declared.push_str(&format!("{name} : {} := {value};\n", ty.name));
                variables.push((ty, name, value));
            }
        }
        let mut expressions = Expressions { random, variables };
        let mut body = String::new();
        for round in 0..120 {
            let ty = NUMBERS[expressions.random.below(NUMBERS.len())];
            let depth = 1 + round % 4;
            let (text, value) = expressions.number(ty, depth);
            body.push_str(&format!("r_{0} := {text};\n(*#ASSERT r_{0} = {value}*)\n", ty.name));
            let (text, truth) = expressions.truth(depth);
            body.push_str(&format!("r_BOOL := {text};\n(*#ASSERT {}r_BOOL*)\n", if truth { "" } else { "NOT " }));
        }
        let results: String = NUMBERS.iter().map(|ty| format!("r_{0} : {0};\n", ty.name)).collect();
        let text =
            format!("FUNCTION_BLOCK test\nVAR\n{declared}{results}r_BOOL : BOOL;\nEND_VAR\n{body}END_FUNCTION_BLOCK\n");
        let (program, entry) = compiled(&text);
        let config = Config { max_steps: 100_000, ..Config::default() };
        let run = interp::run(&program, entry, &ProgramArgs::default(), &mut ListInputs::default(), &config);
        if let Outcome::Violation { .. } = run.outcome {
            let span = run.end.map_or(base::Span::NONE, |edge| program.edges[edge].span);
            let at = span.lo.min(text.len() as u32) as usize;
            panic!("seed {seed}: {:?} near {}", run.outcome, &text[at.saturating_sub(300)..(at + 60).min(text.len())]);
        }
    }
}

/// The outputs of a program at the end of cycles.
#[derive(Default)]
struct Outputs(Vec<Vec<Bits>>);

impl Observer for Outputs {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        let Some(cycle) = &view.program().cycle else { return };
        if let Event::Edge { edge, .. } = event
            && view.program().edges[edge].to == cycle.head
        {
            let outputs = cycle.variables.iter().filter(|(_, role)| *role == CycleRole::Output);
            self.0.push(outputs.map(|(value, _)| view.value(*value).expect("a value")).collect());
        }
    }
}

fn outputs(text: &str, inputs: &[Bits]) -> Vec<Vec<Bits>> {
    let (program, entry) = compiled(text);
    let config = Config { max_steps: 1_000_000, ..Config::default() };
    let mut outputs = Outputs::default();
    let mut list = ListInputs::new(inputs.to_vec());
    interp::run_observed(&program, entry, &ProgramArgs::default(), &mut list, &config, &mut outputs);
    outputs.0
}

const DECLARED: &str = "VAR_INPUT go, stop : BOOL; n : INT; END_VAR VAR_OUTPUT a, b : INT; q : BOOL; END_VAR";
const COUNTER: &str =
    "FUNCTION_BLOCK Sum VAR_INPUT on : BOOL; amount : INT; END_VAR VAR_OUTPUT total : INT; END_VAR VAR last : BOOL; END_VAR
    IF on AND NOT last THEN total := total + amount; END_IF; last := on; END_FUNCTION_BLOCK";

/// Programs that do the same: independent statements in another order, other names, a function block by hand.
#[test]
fn changes_that_change_nothing() {
    let program = |declared: &str, body: &str| {
        format!("{COUNTER}\nFUNCTION_BLOCK Test {DECLARED} {declared}\n{body}\nEND_FUNCTION_BLOCK")
    };
    let block = program(
        "VAR s : Sum; t : TON; END_VAR",
        "s(on := go, amount := n); a := s.total; b := n MOD 7 - a; t(IN := stop, PT := T#30ms); q := t.Q;",
    );
    let reordered = program(
        "VAR t : TON; s : Sum; END_VAR",
        "t(PT := T#30ms, IN := stop); q := t.Q; s(amount := n, on := go); a := s.total; b := n MOD 7 - a;",
    );
    let renamed = program(
        "VAR first_one : Sum; a_clock : TON; END_VAR",
        "FIRST_ONE(on := GO, amount := N, total => A); b := N MOD 7 - a; a_clock(IN := Stop, PT := t#0.03s, Q => q);",
    );
    let by_hand = program(
        "VAR total : INT; last, old : BOOL; since : INT; END_VAR",
        "IF go AND NOT last THEN total := total + n; END_IF; last := go; a := total; b := n MOD 7 - a;
         IF NOT stop THEN since := 0; q := FALSE; ELSE IF old AND since < 3 THEN since := since + 1; END_IF; q := since >= 3; END_IF; old := stop;",
    );
    // A block that nothing uses would be one more to choose from.
    let by_hand = by_hand.replace(COUNTER, "");
    let unrolled = program(
        "VAR s : ARRAY[1..2] OF Sum; t : TON; i : INT; END_VAR",
        "FOR i := 1 TO 2 DO IF i = 2 THEN s[i](on := go, amount := n); END_IF; END_FOR;
         a := s[2].total; b := n MOD 7 - a; t(IN := stop, PT := T#30ms); q := t.Q;",
    );
    let mut random = Random(7);
    for _ in 0..20 {
        let mut inputs = Vec::new();
        for _ in 0..30 {
            inputs.extend([random.below(2), usize::from(random.below(4) > 0)].map(|bit| Bits::new(bit as u128)));
            inputs.push(Bits::new(u128::from(random.next() as u16)));
        }
        let expected = outputs(&block, &inputs);
        assert_eq!(expected.len(), 31, "the state before the first cycle, and 30 cycles");
        for (what, other) in
            [("order", &reordered), ("names", &renamed), ("by hand", &by_hand), ("array of blocks", &unrolled)]
        {
            assert_eq!(outputs(other, &inputs), expected, "{what}");
        }
    }
}

/// Whatever a text is, there is an answer.
#[test]
fn damaged_texts_are_read_to_their_end() {
    let text = include_str!("prelude.st");
    let more = "TYPE t : STRUCT a : ARRAY[1..3, 0..1] OF INT := [6(1)]; b : (x, y := 5); END_STRUCT; END_TYPE
        PROGRAM p VAR v : t; s : STRING[10] := 'a$'b'; c AT %QX0.1 : BOOL; d : TIME := T#1m30s; END_VAR
        CASE v.b OF x: v.a[1, 0] := 16#FF; ELSE WHILE NOT c DO c := TRUE; END_WHILE; END_CASE; REPEAT s[0] := 1; UNTIL d > T#1s END_REPEAT; END_PROGRAM";
    let other = "CLASS c VAR n : UNION a : DWORD; b : ARRAY[0..3] OF BYTE; END_UNION; END_VAR METHOD PUBLIC m : INT VAR_INPUT k : INT; END_VAR m := k; END_METHOD END_CLASS
        CONFIGURATION conf RESOURCE r ON PLC TASK t(INTERVAL := T#20ms); PROGRAM one WITH t : p(x := 1); END_RESOURCE VAR_ACCESS a : b; END_VAR END_CONFIGURATION
        DATA_BLOCK \"d\" STRUCT x : INT; END_STRUCT BEGIN x := 5; END_DATA_BLOCK NAMESPACE n ACTIONS c ACTION a: ; END_ACTION END_ACTIONS END_NAMESPACE
        FUNCTION_BLOCK e EXTENDS c CONST K := 1; END_CONST SUPER^(); #x := %MW4.%B1; a S= b := c := STRING#'a'; (/* l */) lab: JMP lab; END_FUNCTION_BLOCK";
    let text = format!("{more}\n{other}\n{}", &text[text.find("FUNCTION_BLOCK R_TRIG").expect("it is there")..]);
    let mut random = Random(3);
    let pieces =
        ["END_VAR", ";", ":=", "(", ")", "IF", "END_IF", "'", "(*", "#", "[", "..", "16#", "FUNCTION", "\u{e4}", ":"];
    for _ in 0..600 {
        let mut damaged = text.clone().into_bytes();
        for _ in 0..1 + random.below(4) {
            let at = random.below(damaged.len());
            match random.below(4) {
                0 => damaged.truncate(at.max(1)),
                1 => drop(damaged.drain(at..(at + random.below(40)).min(damaged.len()))),
                2 => damaged[at] = random.next() as u8,
                _ => {
                    let piece = pieces[random.below(pieces.len())].bytes();
                    damaged.splice(at..at, piece);
                }
            }
            if damaged.is_empty() {
                damaged.push(b' ');
            }
        }
        let mut sources = SourceMap::new();
        let name = ["damaged.st", "damaged.scl", "damaged.EXP"][random.below(3)];
        let file = sources.add(name, damaged).expect("a file");
        compile(&mut sources, &[file], &CompileOptions::of(DataModel::Lp64));
    }
}

/// What the timing diagrams of the standard say (IEC 61131-3, third edition, figure 15), from the times at which the input changed.
struct Diagram {
    preset: i64,
    /// Since when the input is as it is; `None` before it was ever true.
    rose: Option<i64>,
    fell: Option<i64>,
    pulse: Option<i64>,
    /// Whether the pulse lasted at the last call.
    lasts: bool,
    input: bool,
}

impl Diagram {
    /// At a time: Q and ET of TON, TOF and TP.
    fn at(&mut self, now: i64, input: bool) -> [(bool, i64); 3] {
        if input && !self.input {
            self.rose = Some(now);
            // An edge while a pulse lasts does nothing; nor does one at the call that ends it (so does iec2c).
            if !self.lasts {
                self.pulse = Some(now);
            }
        }
        if !input && self.input {
            self.fell = Some(now);
        }
        self.input = input;
        let since = |start: Option<i64>| start.map(|start| now - start);
        let on = since(self.rose).filter(|_| input);
        let off = since(self.fell).filter(|_| !input);
        let pulse = since(self.pulse);
        let lasts = pulse.is_some_and(|passed| passed < self.preset);
        self.lasts = lasts;
        [
            (on.is_some_and(|passed| passed >= self.preset), on.map_or(0, |passed| passed.min(self.preset))),
            (input || off.is_some_and(|passed| passed < self.preset), off.map_or(0, |passed| passed.min(self.preset))),
            (lasts, pulse.filter(|_| lasts || input).map_or(0, |passed| passed.min(self.preset))),
        ]
    }
}

#[test]
fn timers_follow_their_diagrams() {
    let mut random = Random(11);
    for preset in [0, 10, 25, 30, 70, 1000] {
        let text = format!(
            "FUNCTION_BLOCK Test VAR_INPUT go : BOOL; END_VAR VAR_OUTPUT q1, q2, q3 : BOOL; e1, e2, e3 : TIME; END_VAR
             VAR on : TON; off : TOF; pulse : TP; END_VAR
             on(IN := go, PT := T#{preset}ms, Q => q1, ET => e1); off(IN := go, PT := T#{preset}ms, Q => q2, ET => e2);
             pulse(IN := go, PT := T#{preset}ms, Q => q3, ET => e3); END_FUNCTION_BLOCK"
        );
        for _ in 0..8 {
            let seldom = 2 + random.below(6);
            let mut go = false;
            let inputs: Vec<bool> = (0..60)
                .map(|_| {
                    go ^= random.below(seldom) == 0;
                    go
                })
                .collect();
            let bits: Vec<Bits> = inputs.iter().map(|go| Bits::new(u128::from(*go))).collect();
            let found = outputs(&text, &bits);
            let mut diagram = Diagram { preset, rose: None, fell: None, pulse: None, lasts: false, input: false };
            for (cycle, go) in inputs.iter().enumerate() {
                let wanted = diagram.at(10 * cycle as i64, *go);
                let value = |number: usize| found[cycle + 1][number].get() as i64;
                let seen = [0, 1, 2].map(|timer| (value(timer) == 1, value(timer + 3)));
                assert_eq!(seen, wanted, "TON, TOF, TP with {preset} ms in cycle {cycle} of {inputs:?}");
            }
        }
    }
}

/// Counters count rising edges between the limits of their type.
#[test]
fn counters_count_edges() {
    let text = "FUNCTION_BLOCK Test VAR_INPUT up, down, reset, load : BOOL; END_VAR VAR_OUTPUT q1, q2, q3, q4 : BOOL; c1, c2, c3 : INT; END_VAR
        VAR u : CTU; d : CTD; b : CTUD; END_VAR
        u(CU := up, R := reset, PV := 3, Q => q1, CV => c1); d(CD := down, LD := load, PV := 3, Q => q2, CV => c2);
        b(CU := up, CD := down, R := reset, LD := load, PV := 3, QU => q3, QD => q4, CV => c3); END_FUNCTION_BLOCK";
    let mut random = Random(5);
    for _ in 0..20 {
        let mut inputs = Vec::new();
        for _ in 0..60 {
            inputs.push([2, 2, 9, 9].map(|seldom| random.below(seldom) == 0));
        }
        let bits: Vec<Bits> = inputs.iter().flatten().map(|input| Bits::new(u128::from(*input))).collect();
        let found = outputs(text, &bits);
        let (mut before, mut up_only, mut down_only, mut both) = ([false; 4], 0i16, 0i16, 0i16);
        for (cycle, now) in inputs.iter().enumerate() {
            let [up, down, reset, load] = *now;
            let (rises, falls) = (up && !before[0], down && !before[1]);
            up_only = if reset { 0 } else { up_only + i16::from(rises) };
            down_only = if load { 3 } else { down_only - i16::from(falls) };
            both = match (reset, load) {
                (true, _) => 0,
                (_, true) => 3,
                _ => both + i16::from(rises) - i16::from(falls),
            };
            before = *now;
            let truth = [up_only >= 3, down_only <= 0, both >= 3, both <= 0].map(|truth| truth as i16);
            let wanted: Vec<i16> = truth.into_iter().chain([up_only, down_only, both]).collect();
            let seen: Vec<i16> = found[cycle + 1].iter().map(|bits| bits.get() as i16).collect();
            assert_eq!(seen, wanted, "cycle {cycle} of {inputs:?}");
        }
    }
}

#[test]
fn jumps_that_lead_nowhere_or_into_loops_are_errors() {
    let text = "FUNCTION_BLOCK f VAR_INPUT n : INT; END_VAR VAR_OUTPUT r : INT; END_VAR
        GOTO inside; GOTO nowhere;
        WHILE n > 3 DO inside: r := 1; inside: ; END_WHILE;
        END_FUNCTION_BLOCK";
    let mut sources = SourceMap::new();
    let file = sources.add("test.scl", text.as_bytes().to_vec()).expect("a file");
    let compiled = compile(&mut sources, &[file], &CompileOptions::of(DataModel::Lp64));
    let found: Vec<&str> = compiled.diagnostics.iter().map(|one| one.message.as_str()).collect();
    let expected =
        ["a jump into a loop is not allowed", "there is no label `nowhere`", "the label `inside` stands here twice"];
    assert_eq!(found, expected);
}

/// Code that nothing leads to may have labels and loops.
#[test]
fn labels_in_code_that_is_never_run() {
    let (program, _) = compiled(
        "FUNCTION_BLOCK f VAR_OUTPUT r : INT; END_VAR
        GOTO past;
        FOR r := 1 TO 3 DO
          again: r := r + 1;
          REPEAT IF r < 5 THEN GOTO again; END_IF; UNTIL r > 9 END_REPEAT;
        END_FOR;
        past: r := 2;
        END_FUNCTION_BLOCK",
    );
    assert!(cfa::verify::verify(&program).is_ok());
}

/// The interval of the task, if nothing else is asked for.
#[test]
fn tasks_say_how_long_a_cycle_takes() {
    let time = |task: &str, asked: Option<(u32, u32)>| {
        let text = format!(
            "PROGRAM p VAR x : INT; END_VAR x := 1; END_PROGRAM
            CONFIGURATION c RESOURCE r ON plc TASK t({task}); PROGRAM i WITH t : p; END_RESOURCE END_CONFIGURATION"
        );
        let mut sources = SourceMap::new();
        let file = sources.add("test.st", text.into_bytes()).expect("a file");
        let mut options = CompileOptions::of(DataModel::Lp64);
        options.cycle.time = asked;
        let compiled = compile(&mut sources, &[file], &options);
        (compiled.cycle_time, compiled.entry.is_some_and(|entry| entry.is_ok()))
    };
    assert_eq!(time("INTERVAL := T#1s500ms, PRIORITY := 1", None), (Some((1500, 1500)), true));
    assert_eq!(time("INTERVAL := T#20ms", Some((5, 7))), (Some((5, 7)), true));
    assert_eq!(time("PRIORITY := 1", None), (Some((10, 10)), true));
    assert!(!time("SINGLE := x, PRIORITY := 1", None).1);
}

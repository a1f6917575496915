//! Control flow, calls, limits and inputs of the interpreter.

use super::*;
use crate::{AssumeRole, BinOp, Branch, Init, Type, UnOp};

/// `int i = 0, s = 0; while (i < n) { s = s + i; i = i + 1; }`; returns the location behind, and `s`.
fn counting_loop(b: &mut Builder, start: LocId, n: i32) -> (LocId, VarId) {
    let (i, s) = (b.local("i", TypeId::INT), b.local("s", TypeId::INT));
    let (i_place, s_place, zero) = (b.var_place(i), b.var_place(s), b.int(0));
    let at = assign(b, start, i_place, zero);
    let head = assign(b, at, s_place, zero);
    let (body, after) = (b.loc(), b.loc());
    let (value, limit) = (b.var(i), b.int(n));
    let cond = b.binary(BinOp::Lt, value, limit);
    b.branch(head, cond, AssumeRole::Branch(Branch::While), body, after);
    let (sum, value, one) = (b.var(s), b.var(i), b.int(1));
    let sum = b.binary(BinOp::Add, sum, value);
    let next = b.binary(BinOp::Add, value, one);
    let at = assign(b, body, s_place, sum);
    b.edge(at, Op::Assign(i_place, next), head);
    (after, s)
}

#[test]
fn a_loop_counts_its_steps() {
    let mut b = Builder::new();
    let main = main_of(&mut b, |b, start| {
        let (at, s) = counting_loop(b, start, 100);
        let (sum, expected) = (b.var(s), b.int(4950));
        let cond = b.binary(BinOp::Eq, sum, expected);
        expect(b, at, cond)
    });
    let run = run_with(&b, main, &Config::default());
    assert_eq!(run.outcome, Outcome::Finished(0));
    // Two assignments, 100 rounds of three edges, the way out, the assertion, the return.
    assert_eq!(run.steps, 2 + 300 + 1 + 1 + 1);
    let limited = run_with(&b, main, &Config { max_steps: 50, ..Config::default() });
    assert_eq!(limited.outcome, Outcome::Limit(Limit::Steps));
}

#[test]
fn an_observer_ends_a_run_that_has_a_limit() {
    struct Impatient(u32);
    impl Observer for Impatient {
        fn step(&mut self, _: &View<'_, '_>, _: Event<'_>) {
            self.0 += 1;
        }

        fn gives_up(&mut self) -> bool {
            self.0 >= 20
        }
    }
    let mut b = Builder::new();
    let main = main_of(&mut b, |b, start| counting_loop(b, start, 100).0);
    for (max_steps, outcome) in [(1000, Outcome::Limit(Limit::Steps)), (u64::MAX, Outcome::Finished(0))] {
        let config = Config { max_steps, ..Config::default() };
        let mut inputs = ListInputs::default();
        let run = run_observed(&b.program, main, &ProgramArgs::default(), &mut inputs, &config, &mut Impatient(0));
        assert_eq!(run.outcome, outcome);
    }
}

#[test]
fn a_violation_names_its_edge_and_its_calls() {
    let mut b = Builder::new();
    let inner = b.begin("inner", TypeId::INT, &[("x", TypeId::INT)]);
    let x = b.program.functions[inner].params[0];
    let (start, exit) = (b.loc(), b.loc());
    let (value, ten) = (b.var(x), b.int(10));
    let cond = b.binary(BinOp::Lt, value, ten);
    let next = b.loc();
    let assertion = b.edge(start, Op::Assert { cond, property: Property::Assertion }, next);
    b.edge(next, Op::Return(Some(value)), exit);
    b.end(start, exit);
    let main = main_of(&mut b, |b, start| {
        let r = b.local("r", TypeId::INT);
        let (dest, nine, ten) = (b.var_place(r), b.int(9), b.int(10));
        let at = call(b, start, Some(dest), inner, &[nine]);
        call(b, at, Some(dest), inner, &[ten])
    });
    let run = run_with(&b, main, &Config::default());
    assert_eq!(run.outcome, Outcome::Violation { property: Property::Assertion, fault: None });
    assert_eq!(run.end, Some(assertion));
    assert_eq!(run.stack.len(), 1);
    assert_eq!(run.steps, 3 + 2);
    // Not asked for: a failed assertion aborts.
    let config = Config { properties: PropertySet::EMPTY, ..Config::default() };
    assert_eq!(run_with(&b, main, &config).outcome, Outcome::Aborted);
}

#[test]
fn recursion_is_limited_by_the_configuration_only() {
    let mut b = Builder::new();
    let down = b.begin("down", TypeId::LONG, &[("n", TypeId::LONG)]);
    let n = b.program.functions[down].params[0];
    let (start, exit) = (b.loc(), b.loc());
    let (more, done) = (b.loc(), b.loc());
    let (value, zero, one) = (b.var(n), b.constant(TypeId::LONG, 0), b.constant(TypeId::LONG, 1));
    let cond = b.binary(BinOp::Gt, value, zero);
    b.branch(start, cond, AssumeRole::Branch(Branch::If), more, done);
    let less = b.binary(BinOp::Sub, value, one);
    let temp = b.temp(TypeId::LONG);
    let place = b.var_place(temp);
    let at = call(&mut b, more, Some(place), down, &[less]);
    let result = b.var(temp);
    let result = b.binary(BinOp::Add, result, one);
    b.edge(at, Op::Return(Some(result)), exit);
    b.edge(done, Op::Return(Some(zero)), exit);
    b.end(start, exit);
    let main = main_of(&mut b, |b, start| {
        let r = b.local("r", TypeId::LONG);
        let (dest, million) = (b.var_place(r), b.constant(TypeId::LONG, 1_000_000));
        let at = call(b, start, Some(dest), down, &[million]);
        let value = b.var(r);
        let cond = b.binary(BinOp::Eq, value, million);
        expect(b, at, cond)
    });
    assert_eq!(outcome(&b, main), Outcome::Finished(0));
    let run = run_with(&b, main, &Config { max_depth: 1000, ..Config::default() });
    assert_eq!(run.outcome, Outcome::Limit(Limit::Depth));
    assert_eq!(run.stack.len(), 999);
}

#[test]
fn inputs_are_asked_for_and_recorded() {
    let mut b = Builder::new();
    let ty = b.function_type(TypeId::INT, &[]);
    let nondet = b.declare("__VERIFIER_nondet_int", ty, Body::Undefined);
    let ty = b.function_type(TypeId::UCHAR, &[]);
    let external = b.declare("read_sensor", ty, Body::Undefined);
    let main = main_of(&mut b, |b, start| {
        let (x, y) = (b.local("x", TypeId::INT), b.local("y", TypeId::UCHAR));
        let (x_place, y_place) = (b.var_place(x), b.var_place(y));
        let at = b.then(start, Op::Havoc(x_place, InputKind::Nondet(nondet)));
        let at = call(b, at, Some(y_place), external, &[]);
        let (x, y) = (b.var(x), b.var(y));
        let y = b.cast(TypeId::INT, y);
        let cond = b.binary(BinOp::Ne, x, y);
        let at = b.then(at, Op::Assume { cond, truth: true, role: AssumeRole::Assumption });
        expect(b, at, x)
    });
    let go = |values: &[i32]| {
        let values = values.iter().map(|value| Bits::new(*value as i128 as u128)).collect();
        run(&b.program, main, &ProgramArgs::default(), &mut ListInputs::new(values), &Config::default())
    };
    assert_eq!(go(&[]).outcome, Outcome::Limit(Limit::Inputs));
    assert_eq!(go(&[1]).outcome, Outcome::Limit(Limit::Inputs));
    assert_eq!(go(&[5, 5]).outcome, Outcome::AssumptionFailed);
    assert_eq!(go(&[0, 5]).outcome, Outcome::Violation { property: Property::Assertion, fault: None });
    let run = go(&[-1, -1]);
    assert_eq!(run.outcome, Outcome::Finished(0));
    assert_eq!(run.inputs.iter().map(|input| input.bits.lo).collect::<Vec<_>>(), [0xffff_ffff, 0xff]);
    assert!(
        matches!(run.inputs[1].request.source, InputSource::Edge { kind: InputKind::External(f), .. } if f == external)
    );
}

#[test]
fn function_pointers_are_checked() {
    let mut b = Builder::new();
    let twice = b.begin("twice", TypeId::INT, &[("x", TypeId::INT)]);
    let x = b.program.functions[twice].params[0];
    let (start, exit) = (b.loc(), b.loc());
    let (value, two) = (b.var(x), b.int(2));
    let product = b.binary(BinOp::Mul, value, two);
    b.edge(start, Op::Return(Some(product)), exit);
    b.end(start, exit);
    let ty = b.program.functions[twice].ty;
    let pointer = b.program.types.pointer_to(ty);
    let main = b.begin("main", TypeId::INT, &[]);
    let (start, exit) = (b.loc(), b.loc());
    let (f, r) = (b.local("f", pointer), b.local("r", TypeId::INT));
    let (f_place, r_place) = (b.var_place(f), b.var_place(r));
    let address = b.expr(crate::ExprKind::FuncAddr(twice), pointer);
    let at = assign(&mut b, start, f_place, address);
    let (callee, seven) = (b.var(f), b.int(7));
    let at = b.call(at, Some(r_place), Callee::Indirect(callee), &[seven]);
    let (value, fourteen) = (b.var(r), b.int(14));
    let cond = b.binary(BinOp::Eq, value, fourteen);
    let at = expect(&mut b, at, cond);
    let moved = b.ptr_add(callee, seven);
    let at = assign(&mut b, at, f_place, moved);
    let at = b.call(at, Some(r_place), Callee::Indirect(callee), &[seven]);
    b.edge(at, Op::Return(Some(seven)), exit);
    b.end(start, exit);
    assert_eq!(outcome(&b, main), Outcome::Undefined(Fault::BadCall));
}

#[test]
fn a_missing_result_is_arbitrary() {
    struct Ones;
    impl Inputs for Ones {
        fn next(&mut self, _: &InputRequest) -> Option<Bits> {
            None
        }
        fn fill(&mut self, _: &FillRequest, bytes: &mut [u8]) {
            bytes.fill(1);
        }
    }
    let mut b = Builder::new();
    let empty = b.begin("empty", TypeId::INT, &[]);
    let (start, exit) = (b.loc(), b.loc());
    b.edge(start, Op::Return(None), exit);
    b.end(start, exit);
    let main = b.begin("main", TypeId::INT, &[]);
    let (start, exit) = (b.loc(), b.loc());
    let r = b.local("r", TypeId::INT);
    let dest = b.var_place(r);
    let at = call(&mut b, start, Some(dest), empty, &[]);
    let value = b.var(r);
    b.edge(at, Op::Return(Some(value)), exit);
    b.end(start, exit);
    let go = |config: &Config| run(&b.program, main, &ProgramArgs::default(), &mut Ones, config).outcome;
    assert_eq!(go(&Config::default()), Outcome::Finished(0x0101_0101));
    let property = Property::Initialized;
    let config = Config { properties: PropertySet::of(&[property]), ..Config::default() };
    assert_eq!(go(&config), Outcome::Violation { property, fault: Some(Fault::MissingReturn) });
}

#[test]
fn events_tell_the_whole_run() {
    #[derive(Default)]
    struct Log {
        edges: u64,
        sum: Option<u64>,
        entered: Vec<FuncId>,
    }
    impl Observer for Log {
        fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
            match event {
                Event::Edge { edge, value } => {
                    self.edges += 1;
                    if let (Op::Assign(place, expr), Some((_, bits))) = (view.program().edges[edge].op, value)
                        && view.program().vars.iter().any(|(id, var)| {
                            view.program().name(var.name) == "s"
                                && view.program().places[place].kind == crate::PlaceKind::Var(id)
                        })
                    {
                        self.sum = Some(bits.lo);
                        let _ = expr;
                    }
                }
                Event::Enter { function, .. } => self.entered.push(function),
                Event::Leave { function } => assert_eq!(view.function(), Some(function)),
                Event::Input(_) => {}
            }
        }
    }
    let mut b = Builder::new();
    let main = main_of(&mut b, |b, start| counting_loop(b, start, 10).0);
    let mut log = Log::default();
    let inputs = &mut ListInputs::default();
    let run = run_observed(&b.program, main, &ProgramArgs::default(), inputs, &Config::default(), &mut log);
    assert_eq!((log.edges, log.sum, log.entered), (run.steps, Some(45), vec![main]));
}

#[test]
fn main_gets_its_arguments() {
    let mut b = Builder::new();
    let pointers = b.program.types.pointer_to(TypeId::CHAR_POINTER);
    let main = b.begin("main", TypeId::INT, &[("argc", TypeId::INT), ("argv", pointers)]);
    let (start, exit) = (b.loc(), b.loc());
    let [argc, argv] = [0, 1].map(|index| b.program.functions[main].params[index]);
    // return argv[argc - 1][1] + (argv[argc] != 0)
    let (count, vector, one) = (b.var(argc), b.var(argv), b.int(1));
    let last = b.binary(BinOp::Sub, count, one);
    let last = b.ptr_add(vector, last);
    let last = b.deref(last);
    let word = b.read(last);
    let byte = b.ptr_add(word, one);
    let byte = b.deref(byte);
    let byte = b.read(byte);
    let byte = b.cast(TypeId::INT, byte);
    let end = b.ptr_add(vector, count);
    let end = b.deref(end);
    let end = b.read(end);
    let missing = b.unary(UnOp::Not, end);
    let missing = b.unary(UnOp::Not, missing);
    let result = b.binary(BinOp::Add, byte, missing);
    b.edge(start, Op::Return(Some(result)), exit);
    b.end(start, exit);
    let args = ProgramArgs { words: vec![b"prog".to_vec(), b"xyz".to_vec()] };
    let run = run(&b.program, main, &args, &mut ListInputs::default(), &Config::default());
    assert_eq!(run.outcome, Outcome::Finished(b'y' as i32));
}

#[test]
fn parameters_of_another_entry_are_inputs() {
    let mut b = Builder::new();
    let (_, record) = b.list_record("node");
    let entry = b.begin("entry", TypeId::INT, &[("a", TypeId::SHORT), ("s", record)]);
    let (start, exit) = (b.loc(), b.loc());
    let [a, s] = [0, 1].map(|index| b.program.functions[entry].params[index]);
    let a = b.var(a);
    let a = b.cast(TypeId::INT, a);
    let s = b.var_place(s);
    let (x, flags) = (b.field(s, 0), b.field(s, 2));
    let (x, flags) = (b.read(x), b.read(flags));
    let flags = b.cast(TypeId::INT, flags);
    let sum = b.binary(BinOp::Add, a, x);
    let sum = b.binary(BinOp::Add, sum, flags);
    b.edge(start, Op::Return(Some(sum)), exit);
    b.end(start, exit);
    let values = [-1i128, 100, 0, 0xff].map(|value| Bits::new(value as u128)).to_vec();
    let run = run(&b.program, entry, &ProgramArgs::default(), &mut ListInputs::new(values), &Config::default());
    assert_eq!(run.outcome, Outcome::Finished(-1 + 100 + 31));
    assert_eq!(run.inputs.len(), 4);
}

#[test]
fn poison_and_unsupported_functions_end_the_run() {
    let mut b = Builder::new();
    let reason = b.symbol("inline assembly");
    let main = main_of(&mut b, |b, start| b.then(start, Op::Poison(reason)));
    assert_eq!(outcome(&b, main), Outcome::Poison(PoisonReason::Construct(reason)));
    let mut b = Builder::new();
    let jump = library(&mut b, "setjmp", TypeId::INT, &[TypeId::VOID_POINTER], false);
    let main = main_of(&mut b, |b, start| {
        let null = b.constant(TypeId::VOID_POINTER, 0);
        call(b, start, None, jump, &[null])
    });
    assert_eq!(outcome(&b, main), Outcome::Poison(PoisonReason::Library(jump, "non-local jumps")));
}

#[test]
fn extern_variables_are_filled_and_statics_relocated() {
    struct Sevens;
    impl Inputs for Sevens {
        fn next(&mut self, _: &InputRequest) -> Option<Bits> {
            None
        }
        fn fill(&mut self, request: &FillRequest, bytes: &mut [u8]) {
            if let FillRequest::Extern { .. } = request {
                bytes[0] = 7;
            }
        }
    }
    let mut b = Builder::new();
    let unknown = b.global("unknown", TypeId::INT, Init::Unknown);
    let pointer = b.program.types.pointer_to(TypeId::INT);
    let target = crate::RelocationTarget::Var(unknown);
    let relocations = vec![crate::Relocation { offset: 0, target, addend: 0 }];
    let init = Init::Static(crate::StaticInit { bytes: Vec::new(), relocations });
    let p = b.global("p", pointer, init);
    b.program.vars[unknown].address_taken = true;
    let main = b.begin("main", TypeId::INT, &[]);
    let (start, exit) = (b.loc(), b.loc());
    let p = b.var(p);
    let place = b.deref(p);
    let value = b.read(place);
    b.edge(start, Op::Return(Some(value)), exit);
    b.end(start, exit);
    let run = run(&b.program, main, &ProgramArgs::default(), &mut Sevens, &Config::default());
    assert_eq!(run.outcome, Outcome::Finished(7));
    assert!(matches!(b.program.types.get(pointer), Type::Pointer(_)));
}

#[test]
fn deep_expressions_need_no_deep_stack() {
    let mut b = Builder::new();
    let main = b.begin("main", TypeId::INT, &[]);
    let (start, exit) = (b.loc(), b.loc());
    let x = b.local("x", TypeId::INT);
    let (place, one) = (b.var_place(x), b.int(1));
    let at = assign(&mut b, start, place, one);
    let value = b.var(x);
    let sum = (0..100_000).fold(value, |sum, _| b.binary(BinOp::Add, value, sum));
    let truth = (0..100_001).fold(sum, |truth, _| b.unary(UnOp::Not, truth));
    let (yes, no) = (b.loc(), b.loc());
    b.branch(at, truth, AssumeRole::Branch(Branch::If), yes, no);
    b.edge(yes, Op::Return(Some(one)), exit);
    b.edge(no, Op::Return(Some(sum)), exit);
    b.end(start, exit);
    let config = Config::default();
    let run = run(&b.program, main, &ProgramArgs::default(), &mut ListInputs::default(), &config);
    assert_eq!(run.outcome, Outcome::Finished(100_001));
}

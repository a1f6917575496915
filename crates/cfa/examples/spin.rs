//! How fast the interpreter is: `for (i = 0; i < 1e8; i++) s = s * 31 + (i ^ s);`, to be compared with the same loop from `gcc -O0`.
//! Prints seconds and nanoseconds a round. `cargo run --release -p cfa --example spin`

use base::Span;
use cfa::interp::{Config, ListInputs, ProgramArgs, run};
use cfa::*;
use std::io::Write;
use std::time::Instant;

const ROUNDS: i32 = 100_000_000;

fn main() -> std::io::Result<()> {
    let program = spin();
    let entry = program.function_named("main").expect("it was built");
    let start = Instant::now();
    let run = run(&program, entry, &ProgramArgs::default(), &mut ListInputs::default(), &Config::default());
    let seconds = start.elapsed().as_secs_f64();
    let each = seconds * 1e9 / ROUNDS as f64;
    writeln!(std::io::stdout(), "{:?} {} steps {seconds:.3} s, {each:.2} ns a round", run.outcome, run.steps)
}

fn spin() -> Program {
    let mut p = Program::new(DataModel::Lp64);
    let name = p.names.intern("main");
    let signature =
        types::FunctionType { result: TypeId::INT, params: Vec::new(), variadic: false, unprototyped: false };
    let ty = p.types.intern(Type::Function(signature));
    let main = FuncId(0);
    let [i, s] = ["i", "s"].map(|name| {
        let (name, kind) = (p.names.intern(name), VarKind::Local(main));
        p.vars.push(Var {
            name,
            ty: TypeId::INT,
            kind,
            init: Init::None,
            address_taken: false,
            read_only: false,
            span: Span::NONE,
        })
    });
    let [i_place, s_place] = [i, s].map(|var| p.places.push(Place { kind: PlaceKind::Var(var), ty: TypeId::INT }));
    let locations: Vec<LocId> = (0..6)
        .map(|_| {
            let scope = ScopeId(0);
            p.add_location(main, scope, 0)
        })
        .collect();
    let mut expr = |kind| p.exprs.push(Expr { kind, ty: TypeId::INT, span: Span::NONE });
    let mut constant = |value: i32| expr(ExprKind::Const(Bits::new(value as u32 as u128)));
    let (zero, one, factor, limit) = (constant(0), constant(1), constant(31), constant(ROUNDS));
    let (i, s) = (expr(ExprKind::Read(i_place)), expr(ExprKind::Read(s_place)));
    let product = expr(ExprKind::Binary(BinOp::Mul, s, factor));
    let mixed = expr(ExprKind::Binary(BinOp::Xor, i, s));
    let sum = expr(ExprKind::Binary(BinOp::Add, product, mixed));
    let next = expr(ExprKind::Binary(BinOp::Add, i, one));
    let cond = expr(ExprKind::Binary(BinOp::Lt, i, limit));
    let role = AssumeRole::Branch(Branch::For);
    for (from, op, to) in [
        (0, Op::Assign(i_place, zero), 1),
        (1, Op::Assign(s_place, one), 2),
        (2, Op::Assume { cond, truth: true, role }, 3),
        (2, Op::Assume { cond, truth: false, role }, 4),
        (3, Op::Assign(s_place, sum), 5),
        (5, Op::Assign(i_place, next), 2),
    ] {
        connect(&mut p, locations[from], op, locations[to]);
    }
    let exit = p.add_location(main, ScopeId(0), 0);
    connect(&mut p, locations[4], Op::Return(Some(s)), exit);
    let automaton = Automaton {
        entry: locations[0],
        exit,
        locations: 0..p.locations.len() as u32,
        edges: 0..p.edges.len() as u32,
        vars: 0..2,
        scope: ScopeId(0),
        span: Span::NONE,
    };
    let body = Body::Defined(automaton);
    p.functions.push(Function { name, ty, params: Vec::new(), body, span: Span::NONE });
    p
}

fn connect(p: &mut Program, from: LocId, op: Op, to: LocId) {
    p.add_edge(Edge { from, to, op, span: Span::NONE, anchor: 0, caveat: None });
}

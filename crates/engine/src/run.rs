//! The engine that executes: a program without inputs has one run, and the interpreter shows how it ends.
//!
//! Invariant: it answers only where nothing outside the program decides what a run does. [`left_open`] finds what the environment (inputs, files,
//! addresses) or the language (padding, results of `memcmp`) leaves open; reading uninitialized memory, undefined behaviour and shifts by too much end the run without an
//! answer.

use crate::{Answer, Options};
use base::Budget;
use cfa::interp::{self, Config, InputRequest, Inputs, Outcome, ProgramArgs, Uninitialized};
use cfa::library::{Classify, Ctype, LibFn, Math};
use cfa::types::{RecordKind, Type};
use cfa::{BinOp, Bits, Body, Callee, EdgeId, ExprId, ExprKind, Op, Program, Property, Task, TypeId};
use evidence::{Proof, Reason, Tape, Verdict, Violation};

/// Some seconds; longer runs are left to the other engines. Fewer than a replay may have: what is found here is replayed.
const MAX_STEPS: u64 = 1_500_000_000;

struct NoInputs;

impl Inputs for NoInputs {
    fn next(&mut self, _: &InputRequest) -> Option<Bits> {
        None
    }
}

pub fn decide(task: Task<'_>, _: &Options, budget: &Budget) -> Answer {
    decide_within(task, MAX_STEPS, budget)
}

/// As [`decide`], but a run of more steps is given up.
pub fn decide_within(task: Task<'_>, max_steps: u64, budget: &Budget) -> Answer {
    let program = task.program;
    let unknown = |construct: String, edge| Verdict::Unknown(Reason::Unsupported { construct, edge });
    if let Some((what, edge)) = left_open(task) {
        return answer(unknown(format!("execution of a program that depends on {what}"), edge), Vec::new());
    }
    // What a shift by too much gives is open.
    let properties = task.properties.with(Property::ShiftRange);
    let (uninitialized, budget) = (Uninitialized::Error, budget.clone());
    let config = Config { properties, max_steps, uninitialized, budget, ..Config::default() };
    let run = interp::run(program, task.entry, &ProgramArgs::default(), &mut NoInputs, &config);
    let end = run.end.unwrap_or(EdgeId(0));
    match run.outcome {
        Outcome::Finished(_) | Outcome::Aborted | Outcome::AssumptionFailed => {
            answer(Verdict::Safe(Proof::Executed { steps: run.steps }), Vec::new())
        }
        Outcome::Violation { property, fault } if task.properties.contains(property) => {
            let violation = Violation { property, fault, edge: end, inputs: Vec::new() };
            answer(Verdict::Unsafe(violation.clone()), vec![(violation, Tape::default())])
        }
        Outcome::Violation { fault: Some(fault), .. } | Outcome::Undefined(fault) => {
            answer(Verdict::Unknown(Reason::Undefined { fault, edge: end, tape: Some(Tape::default()) }), Vec::new())
        }
        Outcome::Violation { fault: None, .. } | Outcome::Poison(_) => {
            answer(unknown("a construct that the interpreter does not execute".into(), end), Vec::new())
        }
        Outcome::Limit(_) => answer(Verdict::Unknown(Reason::Budget { bound: 0 }), Vec::new()),
    }
}

fn answer(verdict: Verdict, violations: Vec<(Violation, Tape)>) -> Answer {
    let complete = matches!(verdict, Verdict::Safe(_));
    Answer { engine: "run", verdict, bound: 0, violations, complete, explored: None, checks: Vec::new() }
}

/// What a run of the program depends on besides the program, and where.
fn left_open(task: Task<'_>) -> Option<(&'static str, EdgeId)> {
    let program = task.program;
    let nowhere = EdgeId(0);
    // What still points to an allocation may be a number.
    if task.properties.contains(Property::ValidMemtrack) {
        return Some(("where addresses are kept", nowhere));
    }
    let main_without_arguments = program.function_name(task.entry) == "main" && !encode::reads_arguments(task);
    if !program.functions[task.entry].params.is_empty() && !main_without_arguments {
        return Some(("its arguments", nowhere));
    }
    if program.vars.values().any(|var| var.init == cfa::Init::Unknown) {
        return Some(("variables that are defined elsewhere", nowhere));
    }
    if program.types.records.values().any(|record| has_gaps(program, record)) {
        return Some(("padding", nowhere));
    }
    if bools_as_bytes(program) {
        return Some(("bytes of `_Bool`", nowhere));
    }
    if computes_floats(program) && encode::sees_float_bits(program) {
        return Some(("sign and payload of a NaN", nowhere));
    }
    if program.exprs.ids().any(|expr| looks_at_address(program, expr)) {
        return Some(("addresses", nowhere));
    }
    program.edges.iter().find_map(|(id, edge)| match edge.op {
        _ if edge.caveat.is_some() => Some(("the order of evaluation", id)),
        Op::Havoc(..) => Some(("inputs", id)),
        Op::Call { dest, callee: Callee::Direct(function), .. } => match program.functions[function].body {
            Body::Defined(_) => None,
            Body::Undefined => Some(("functions that are not defined", id)),
            Body::Library(LibFn::Puts) if dest.is_some() => Some(("the number that `puts` returns", id)),
            Body::Library(LibFn::Malloc | LibFn::Calloc) => {
                (!is_small_allocation(program, edge.op)).then_some(("the size of an allocation", id))
            }
            Body::Library(function) => (!is_determined(function)).then_some(("library functions", id)),
        },
        // A function whose address is taken is one that is defined, or is found here.
        Op::Call { callee: Callee::Indirect(_), .. } => {
            let known = |body: &Body| matches!(body, Body::Defined(_));
            let unknown = program.exprs.values().any(
                |expr| matches!(expr.kind, ExprKind::FuncAddr(function) if !known(&program.functions[function].body)),
            );
            unknown.then_some(("functions that are called through pointers", id))
        }
        _ => None,
    })
}

/// Whether an allocation surely succeeds: its size is a constant, and not huge.
fn is_small_allocation(program: &Program, call: Op) -> bool {
    let Op::Call { args: (first, end), .. } = call else { return false };
    let args = program.args[first as usize..end as usize].iter();
    args.map(|arg| program.constant(*arg)).all(|size| size.is_some_and(|size| size.get() < 1 << 16))
}

/// Bytes or bits that belong to no member, or to several.
fn has_gaps(program: &Program, record: &cfa::types::Record) -> bool {
    let size = |field: &cfa::types::Field| program.types.size_of(field.ty).unwrap_or(0);
    let members: u64 = record.fields.iter().map(size).sum();
    record.kind == RecordKind::Union
        || record.fields.iter().any(|field| field.bits.is_some())
        || (record.complete && members != record.size)
}

/// A `_Bool` may hold another byte than 0 or 1 where pointers to it are converted, as for `memset`: reading it is then undefined.
fn bools_as_bytes(program: &Program) -> bool {
    let has_bools = program.places.values().any(|place| place.ty == TypeId::BOOL);
    let is_bool = |ty: TypeId| program.types.pointee(ty) == Some(TypeId::BOOL);
    let converts = |expr: &cfa::Expr| match expr.kind {
        ExprKind::Cast(from) => {
            let from = program.exprs[from].ty;
            program.types.is_pointer(from) && program.types.is_pointer(expr.ty) && from != expr.ty
        }
        _ => false,
    };
    let from_bool = |expr: &cfa::Expr| matches!(expr.kind, ExprKind::Cast(from) if is_bool(program.exprs[from].ty) || is_bool(expr.ty));
    let in_records =
        program.types.records.values().any(|record| record.fields.iter().any(|field| field.ty == TypeId::BOOL));
    has_bools && program.exprs.values().any(|expr| converts(expr) && (in_records || from_bool(expr)))
}

/// Whether there is an operation whose result may be a NaN.
fn computes_floats(program: &Program) -> bool {
    let is_float = |ty: TypeId| ty.float_kind().is_some();
    let operation = |expr: &cfa::Expr| match expr.kind {
        ExprKind::Binary(..) => is_float(expr.ty),
        ExprKind::Cast(from) => is_float(expr.ty) && is_float(program.exprs[from].ty),
        _ => false,
    };
    let library = |function: &cfa::Function| matches!(function.body, Body::Library(LibFn::Math(..)));
    program.exprs.values().any(operation) || program.functions.values().any(library)
}

/// Conversions of pointers to numbers and back, and comparisons other than with null.
pub fn looks_at_address(program: &Program, expr: ExprId) -> bool {
    let is_pointer = |ty: TypeId| program.types.is_pointer(ty);
    let of = |expr: ExprId| &program.exprs[expr];
    let is_constant = |expr: ExprId| matches!(of(expr).kind, ExprKind::Const(_));
    match of(expr).kind {
        ExprKind::Cast(from) => {
            let to_bool = of(expr).ty == TypeId::BOOL;
            is_pointer(of(from).ty) != is_pointer(of(expr).ty) && !to_bool && !is_constant(from)
        }
        ExprKind::Binary(op, left, right) => {
            let equality = matches!(op, BinOp::Eq | BinOp::Ne);
            is_pointer(of(left).ty) && !(equality && (is_constant(left) || is_constant(right)))
        }
        ExprKind::PtrDiff(..) => true,
        // Short numbers that are kept as long doubles have unused bytes.
        _ => matches!(program.types.get(of(expr).ty), Type::Float(cfa::types::FloatKind::LongDouble)),
    }
}

/// Library functions whose result and effect follow from their arguments.
fn is_determined(function: LibFn) -> bool {
    match function {
        // What they give for numbers that do not fit, and for zeros of both signs, is open.
        LibFn::Math(Math::Lround | Math::Llround | Math::Lrint | Math::Llrint | Math::Fmin | Math::Fmax, _) => false,
        LibFn::Math(math, _) => !matches!(math, Math::Nan | Math::Frexp),
        // Which number other than zero they give is open.
        LibFn::Ctype(class) => class == Ctype::ToAscii,
        LibFn::Classify(class) => !matches!(class, Classify::InfiniteOpen | Classify::Signbit),
        LibFn::Require | LibFn::EndObject => true,
        LibFn::Free | LibFn::Exit | LibFn::Abort | LibFn::Unreachable => true,
        LibFn::Abs(_) | LibFn::Atoi(_) | LibFn::Tolower | LibFn::Toupper => true,
        LibFn::Memcpy | LibFn::Memmove | LibFn::Memset | LibFn::Strlen | LibFn::Strcpy | LibFn::Strncpy => true,
        LibFn::Strcat | LibFn::Strncat | LibFn::Strchr | LibFn::Strrchr | LibFn::Strstr => true,
        LibFn::Printf | LibFn::Puts | LibFn::Putchar | LibFn::EndWrites(_) => true,
        LibFn::Bswap(_) | LibFn::BitCount(..) | LibFn::First | LibFn::Compare(_) => true,
        _ => false,
    }
}

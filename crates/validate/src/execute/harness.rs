//! The program and what surrounds it as C: definitions of the input functions that return the values of one run in order, and of the functions
//! that say what happened. Nothing of it depends on the witness any more.

use super::Case;
use super::library_inputs::{self, Filled};
use base::{FileId, SourceMap};
use cfa::interp::{InputSource, Outcome, ProgramArgs};
use cfa::library::LibFn;
use cfa::walk::{self, Node};
use cfa::{
    BinOp, Bits, Body, Callee, DataModel, EdgeId, ExprKind, FuncId, Init, InputKind, Op, Program, Property,
    PropertySet, Task, Type, TypeId, UnOp, VarKind, display, eval,
};
use evidence::Tape;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;
use witness::from_evidence::constant;

/// How a run of the harness ends when something happened; what it writes says it too, since programs have exit codes of their own.
pub const REACHED: (i32, &str) = (107, "whydunit: error function called");
pub const ASSERTION: (i32, &str) = (108, "whydunit: assertion failed");
pub const ASSUMPTION: (i32, &str) = (109, "whydunit: assumption failed");
pub const BAD_FREE: (i32, &str) = (110, "whydunit: invalid free");
pub const LEAK: (i32, &str) = (111, "whydunit: memory not freed");
pub const BAD_ACCESS: (i32, &str) = (115, "whydunit: invalid access");
pub const OVERFLOW: (i32, &str) = (114, "whydunit: overflow");
pub const LOST: (i32, &str) = (113, "whydunit: memory lost");

pub const ERROR_FUNCTIONS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

/// What is compiled.
pub struct Harness {
    /// Texts of the program as they were parsed, with a call at the start of the error functions.
    pub units: Vec<Vec<u8>>,
    /// The rest, as a file of its own, and to be put behind a unit: one compilation is cheaper than two.
    pub text: String,
    pub behind: String,
    pub needs: Needs,
    /// Functions whose calls the linker leads to definitions of the harness.
    pub wraps: Vec<&'static str>,
    /// Why the program itself cannot be linked with the harness, but only a copy with changes.
    pub needs_copy: Option<&'static str>,
    /// Whether the compiler watches the arithmetic; otherwise integers wrap.
    pub sanitized: bool,
    pub model: DataModel,
    pub args: ProgramArgs,
    pub properties: PropertySet,
}

/// What takes no part in a run of ours, but has a name that others link to.
const ASSUMES: [&str; 2] = ["__VERIFIER_assume", "__CPROVER_assume"];
const ASSERTS: [&str; 3] = ["__VERIFIER_assert", "__CPROVER_assert", "assert"];
const NOTHING: [&str; 6] = [
    "__VERIFIER_atomic_begin",
    "__VERIFIER_atomic_end",
    "__CPROVER_atomic_begin",
    "__CPROVER_atomic_end",
    "__CPROVER_input",
    "__CPROVER_output",
];
/// The C library has them.
const SYSTEM: [&str; 11] = [
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "__assert_fail",
    "__assert_perror_fail",
    "__assert",
    "__assert_func",
    "alloca",
    "main",
];

/// Variables that the C library has.
const SYSTEM_VARIABLES: [&str; 9] =
    ["stdin", "stdout", "stderr", "environ", "__environ", "optarg", "optind", "opterr", "optopt"];

/// `check`: something more to write into the program. The error is the reason why a run cannot be carried out by compiled code.
pub fn harness(case: &Case<'_>, check: Option<Insertion>) -> Result<Harness, String> {
    let Case { sources, task, tape, run } = *case;
    let Task { program, entry, properties } = task;
    let mut text = Definitions::new();
    let names = names(sources, program);
    let mut values: BTreeMap<FuncId, Vec<(TypeId, Bits)>> = BTreeMap::new();
    let mut params: Vec<(TypeId, Bits)> = Vec::new();
    for input in &run.inputs {
        match input.request.source {
            InputSource::Edge { kind: InputKind::Nondet(function) | InputKind::External(function), .. } => {
                values.entry(function).or_default().push((input.request.ty, input.bits));
            }
            InputSource::Edge { kind: InputKind::Written(function), .. } => {
                let name = program.function_name(function);
                return Err(format!("the run depends on memory that the undefined function `{name}` writes"));
            }
            InputSource::Param { .. } => params.push((input.request.ty, input.bits)),
        }
    }
    let filled = library_inputs::filled(case);
    let streams = library_inputs::streams(program, run);
    text.both(&library_inputs::stream_definitions(&streams));
    let mut wraps = Vec::new();
    if matches!(run.outcome, Outcome::Violation { property: Property::ValidMemcleanup, .. }) {
        text.both(library_inputs::LEAKS);
        wraps.extend(library_inputs::WATCHED_ALLOCATOR);
    } else if !filled.heap.is_empty() {
        text.both(&library_inputs::heap_definitions(&filled.heap));
        wraps.push("malloc");
    }
    for (function, data) in program.functions.iter() {
        let name = program.function_name(function);
        let input = match &data.body {
            Body::Undefined => !SYSTEM.contains(&name) && !name.starts_with("__builtin_"),
            Body::Library(meaning) => {
                matches!(meaning, LibFn::Input { .. } | LibFn::Rand)
                    && values.contains_key(&function)
                    && !name.starts_with("__library_")
            }
            Body::Defined(_) => false,
        };
        if input {
            text.wanted = values.contains_key(&function) || names.get(name.as_bytes()).is_none_or(|count| *count > 1);
            define(&mut text, program, function, values.get(&function).map_or(&[], Vec::as_slice), &filled)?;
            text.wanted = true;
        }
    }
    for (id, var) in program.vars.iter() {
        let name = program.name(var.name);
        let provided = SYSTEM_VARIABLES.contains(&name) || name.starts_with("_IO_");
        if var.init == Init::Unknown && matches!(var.kind, VarKind::Global) && !provided {
            let (name, size) = (program.name(var.name), program.types.size_of(var.ty).unwrap_or(0).max(1));
            let bytes: Vec<String> = tape.external(id).iter().map(u8::to_string).collect();
            text.variable(name, size, &bytes.join(", "));
        }
    }
    if program.function_name(entry) != "main" {
        call_entry(&mut text, program, entry, &params)?;
    }
    let mut insertions = unset(program, sources, tape, &mut text);
    let mut needs_copy = match () {
        () if !insertions.is_empty() => Some("variables without initializers hold what they held in the run"),
        () if check.is_some() => Some("the operands of the overflow are checked"),
        () => silent_error_function(program),
    };
    insertions.extend(check);
    if let Some(annotation) = run.end.and_then(|edge| annotation(sources, program.edges[edge].span.lo)) {
        insertions.push(annotation);
        needs_copy = Some("the assertion of a comment is checked");
    }
    let units = units(sources, program, &insertions);
    let Definitions { text, behind, .. } = text;
    Ok(Harness {
        units,
        text,
        behind,
        needs: if streams.used || !wraps.is_empty() { Needs::Library } else { needs(program, sources, entry) },
        wraps,
        needs_copy,
        sanitized: true,
        model: program.model(),
        args: tape.args.clone(),
        properties,
    })
}

/// What a program needs of a C library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Needs {
    /// Nothing but a way in and out, and what takes a few instructions.
    Start,
    Memory,
    Library,
}

/// Functions of the library that the start of a program has; those whose result the program must not use; and those of the allocator.
const START: [&str; 2] = ["memcpy", "memset"];
const OUTPUT: [&str; 9] = ["printf", "fprintf", "vprintf", "puts", "putchar", "fputs", "fputc", "fflush", "perror"];
const MEMORY: [&str; 4] = ["malloc", "calloc", "realloc", "free"];

/// The functions that a run may call. Where a pointer decides, all of them.
fn called(program: &Program, entry: FuncId) -> HashSet<FuncId> {
    let (mut found, mut open) = (HashSet::from([entry]), vec![entry]);
    while let Some(function) = open.pop() {
        let edges = program.automaton(function).into_iter().flat_map(|automaton| automaton.edges.clone()).map(EdgeId);
        for edge in edges {
            match program.edges[edge].op {
                Op::Call { callee: Callee::Direct(next), .. } if found.insert(next) => open.push(next),
                Op::Call { callee: Callee::Indirect(_), .. } => {
                    return program.functions.iter().map(|(function, _)| function).collect();
                }
                _ => {}
            }
        }
    }
    found
}

fn is_written_in_c(program: &Program, sources: &SourceMap, function: FuncId) -> bool {
    frontend::is_library_text(sources, program.functions[function].span.lo)
}

fn needs(program: &Program, sources: &SourceMap, entry: FuncId) -> Needs {
    let of_edge = |edge: EdgeId| match program.edges[edge].op {
        Op::Call { dest, callee: Callee::Direct(function), .. } => {
            let name = program.function_name(function);
            match &program.functions[function].body {
                Body::Library(LibFn::Input { .. } | LibFn::Exit | LibFn::Abort) => Needs::Start,
                Body::Library(_) if START.contains(&name) || dest.is_none() && OUTPUT.contains(&name) => Needs::Start,
                Body::Library(_) if MEMORY.contains(&name) => Needs::Memory,
                Body::Library(_) => Needs::Library,
                // Here its text is compiled with the program; there the system has it.
                Body::Defined(_) if is_written_in_c(program, sources, function) => Needs::Library,
                Body::Undefined | Body::Defined(_) => Needs::Start,
            }
        }
        _ => Needs::Start,
    };
    let called = called(program, entry);
    let automata = called.iter().filter_map(|function| program.automaton(*function));
    let edges = automata.flat_map(|automaton| automaton.edges.clone()).map(EdgeId);
    edges.map(of_edge).max().unwrap_or(Needs::Start)
}

/// What the harness defines, in two forms. In a file of its own the names are those of the program; behind a unit of the program they would
/// meet its declarations, so there the compiler sees other names and only the linker the same.
struct Definitions {
    text: String,
    behind: String,
    /// Whether what comes next is wanted behind the program: compiling unused definitions takes time.
    wanted: bool,
}

impl Definitions {
    fn new() -> Self {
        let mut text = String::from("/* The inputs of one run. Built by whydunit. */\n");
        text.push_str("extern void whydunit_exit(int) __asm__(\"_exit\");\n");
        text.push_str("extern long whydunit_write(int, const void *, unsigned long) __asm__(\"write\");\n");
        text.push_str("static void whydunit_end(int code, const char *message) {\n  unsigned long length = 0;\n");
        text.push_str("  while (message[length]) length++;\n  whydunit_write(2, message, length);\n");
        text.push_str("  whydunit_exit(code);\n}\n");
        for (name, (code, message)) in [
            ("whydunit_violation(void)", REACHED),
            ("whydunit_assertion(void)", ASSERTION),
            ("whydunit_assumption(void)", ASSUMPTION),
            ("whydunit_overflow(void)", OVERFLOW),
        ] {
            let _ = writeln!(text, "void {name} {{ whydunit_end({code}, \"{message}\\n\"); }}");
        }
        let behind = text.clone();
        let mut definitions = Definitions { text, behind, wanted: true };
        for name in ["__assert_fail", "__assert_perror_fail"] {
            definitions.function("void", name, "", " whydunit_assertion(); ");
        }
        definitions
    }

    fn function(&mut self, ty: &str, name: &str, params: &str, body: &str) {
        let _ = writeln!(self.text, "{ty} {name}({params}) {{{body}}}");
        if !self.wanted {
            return;
        }
        let inner = format!("whydunit_of_{name}");
        let _ = writeln!(self.behind, "{ty} {inner}({params}) __asm__(\"{name}\");\n{ty} {inner}({params}) {{{body}}}");
    }

    /// Definitions of names that the program does not have.
    fn both(&mut self, definitions: &str) {
        self.text.push_str(definitions);
        self.behind.push_str(definitions);
    }

    fn variable(&mut self, name: &str, size: u64, bytes: &str) {
        let aligned = "__attribute__((aligned(16)))";
        let _ = writeln!(self.text, "unsigned char {name}[{size}] {aligned} = {{{bytes}}};");
        let inner = format!("unsigned char whydunit_of_{name}[{size}]");
        let _ = writeln!(self.behind, "extern {inner} __asm__(\"{name}\");\n{inner} {aligned} = {{{bytes}}};");
    }

    /// A `main` that calls a function.
    fn main(&mut self, name: &str, types: &str, passed: &str) {
        let _ = writeln!(self.text, "void {name}({types});\nint main(void) {{ {name}({passed}); return 0; }}");
        let _ = writeln!(self.behind, "void whydunit_entry({types}) __asm__(\"{name}\");");
        let _ = writeln!(self.behind, "int whydunit_main(void) __asm__(\"main\");");
        let _ = writeln!(self.behind, "int whydunit_main(void) {{ whydunit_entry({passed}); return 0; }}");
    }
}

/// The type as the linker sees it: any of the same size in the same kind of register.
pub fn spelled(program: &Program, ty: TypeId) -> Option<&'static str> {
    Some(match program.types.get(ty) {
        Type::Void => "void",
        Type::Int(kind) => kind.c_name(),
        Type::Float(kind) => kind.c_name(),
        Type::Pointer(_) => "void *",
        _ => return None,
    })
}

fn value(program: &Program, ty: TypeId, bits: Bits) -> String {
    let special = || match (ty.float_kind(), cfa::eval::display(&program.types, ty, bits)) {
        (Some(_), name) if name.contains("nan") => "__builtin_nan(\"\")".to_string(),
        (Some(_), name) => format!("{}__builtin_inf()", if name.starts_with('-') { "-" } else { "" }),
        // Addresses of our interpreter mean nothing elsewhere, but they are not null.
        (None, _) if program.types.is_pointer(ty) => format!("(void *){:#x}", bits.get()),
        (None, _) if bits.hi != 0 => {
            let ty = spelled(program, ty).unwrap_or("__int128");
            format!("({ty})((unsigned __int128){:#x}ULL << 64 | {:#x}ULL)", bits.hi, bits.lo)
        }
        (None, _) => format!("({}){:#x}ULL", spelled(program, ty).unwrap_or("int"), bits.get()),
    };
    constant(&program.types, ty, bits).unwrap_or_else(special)
}

fn define(
    text: &mut Definitions,
    program: &Program,
    function: FuncId,
    values: &[(TypeId, Bits)],
    filled: &Filled,
) -> Result<(), String> {
    let name = program.function_name(function);
    if ERROR_FUNCTIONS.contains(&name) {
        text.function("void", name, "", " whydunit_violation(); ");
        return Ok(());
    }
    if NOTHING.contains(&name) {
        text.function("void", name, "", "");
        return Ok(());
    }
    for (names, otherwise) in [(&ASSUMES[..], "whydunit_assumption"), (&ASSERTS[..], "whydunit_assertion")] {
        if names.contains(&name) {
            text.function("void", name, "int condition", &format!(" if (!condition) {otherwise}(); "));
            return Ok(());
        }
    }
    let Type::Function(signature) = program.types.get(program.functions[function].ty) else { return Ok(()) };
    let Some(ty) = spelled(program, signature.result) else {
        if let Some((ty, definition)) = library_inputs::record(program, signature.result)
            && values.is_empty()
        {
            let records = filled.records.get(&function).map_or(&[][..], Vec::as_slice);
            let listed: Vec<String> =
                records.iter().map(|bytes| initializer(program, signature.result, bytes)).collect();
            text.both(&definition);
            text.function(&ty, name, "", &records_in_order(&ty, &listed));
            return Ok(());
        }
        return match values.is_empty() {
            true => Ok(()),
            false => Err(format!("`{name}` returns a struct or union")),
        };
    };
    if ty == "void" {
        text.function("void", name, "", "");
        return Ok(());
    }
    let listed: Vec<String> = values.iter().map(|(ty, bits)| value(program, *ty, *bits)).collect();
    text.function(ty, name, "", &values_in_order(ty, &listed));
    Ok(())
}

/// A `main` that calls the function that runs begin with.
fn call_entry(
    text: &mut Definitions,
    program: &Program,
    entry: FuncId,
    params: &[(TypeId, Bits)],
) -> Result<(), String> {
    let name = program.function_name(entry);
    if program.function_named("main").is_some_and(|main| program.automaton(main).is_some()) {
        return Err(format!("the run begins with `{name}`, but the program has a `main` of its own"));
    }
    let declared = &program.functions[entry].params;
    if declared.len() != params.len() {
        return Err(format!("`{name}` takes a struct or union"));
    }
    let types: Option<Vec<&str>> = params.iter().map(|(ty, _)| spelled(program, *ty)).collect();
    let types = types.ok_or_else(|| format!("`{name}` takes a struct or union"))?;
    let passed: Vec<String> = params.iter().map(|(ty, bits)| value(program, *ty, *bits)).collect();
    let types = if types.is_empty() { "void".to_string() } else { types.join(", ") };
    text.main(name, &types, &passed.join(", "));
    Ok(())
}

const CALL: &str = " { extern void whydunit_violation(void); whydunit_violation(); } ";

/// Something to write into the program, at a position of the source map.
pub struct Insertion {
    at: u32,
    text: String,
    /// What must be declared before.
    declaration: String,
}

/// Locals that hold something before the program gives them a value get initializers.
fn unset(program: &Program, sources: &SourceMap, tape: &Tape, text: &mut Definitions) -> Vec<Insertion> {
    let mut found = Vec::new();
    for (var, fills) in tape.locals() {
        let data = &program.vars[var];
        let zero = fills.iter().all(|bytes| bytes.iter().all(|byte| *byte == 0));
        let declaration = program.edges.iter().find(|(_, edge)| edge.op == Op::Declare(var));
        let (false, VarKind::Local(_), Some((_, edge))) = (zero, data.kind, declaration) else { continue };
        // An initializer stands there already.
        if sources.snippet(edge.span).contains('=') {
            continue;
        }
        let values: Vec<String> = fills.iter().map(|bytes| initializer(program, data.ty, bytes)).collect();
        let insertion = match spelled(program, data.ty) {
            Some(ty) => {
                let name = format!("whydunit_unset_{}", var.0);
                text.function(ty, &name, "void", &values_in_order(ty, &values));
                let declaration = format!("extern {ty} {name}(void); ");
                Insertion { at: edge.span.hi, text: format!(" = {name}()"), declaration }
            }
            // An array or struct gets the same contents every time.
            None => Insertion { at: edge.span.hi, text: format!(" = {}", values[0]), declaration: String::new() },
        };
        found.push(insertion);
    }
    found
}

/// The contents of an object as C writes them; members that are not named are zero.
fn initializer(program: &Program, ty: TypeId, bytes: &[u8]) -> String {
    let types = &program.types;
    let mut parts = Vec::new();
    let mut part = |name: String, ty: TypeId, offset: u64| {
        let size = types.size_of(ty).unwrap_or(0);
        let inner = bytes.get(offset as usize..(offset + size) as usize).unwrap_or(&[]);
        if inner.iter().any(|byte| *byte != 0) {
            parts.push(format!("{name} = {}", initializer(program, ty, inner)));
        }
    };
    match types.get(ty) {
        Type::Array(element, length) => {
            let size = types.size_of(*element).unwrap_or(0);
            (0..length.unwrap_or(0)).for_each(|index| part(format!("[{index}]"), *element, index * size));
        }
        Type::Record(record) => {
            for field in types.records[*record].fields.iter().filter(|field| field.bits.is_none()) {
                if let Some(name) = field.name {
                    part(format!(".{}", program.name(name)), field.ty, field.offset);
                }
            }
        }
        _ => {
            let number = bytes.iter().take(16).rev().fold(0u128, |number, byte| number << 8 | *byte as u128);
            return value(program, ty, eval::truncate(number, types.scalar_bits(ty)));
        }
    }
    format!("{{{}}}", parts.join(", "))
}

/// A statement that looks for an overflow in the operands of an edge, before the statement of the edge.
pub fn overflow_check(case: &Case<'_>, edge: EdgeId) -> Option<Insertion> {
    let program = case.task.program;
    let mut open = Vec::new();
    walk::parts(program, &program.edges[edge].op, |node| open.push(node));
    let mut checks = Vec::new();
    while let Some(node) = open.pop() {
        open.extend(walk::children(program, node).into_iter().flatten());
        let Node::Expr(expr) = node else { continue };
        let ty = program.exprs[expr].ty;
        let Some(kind) = ty.int_kind().filter(|kind| kind.is_signed()) else { continue };
        let (name, left, right) = match program.exprs[expr].kind {
            ExprKind::Binary(BinOp::Add, left, right) => ("add", Some(left), right),
            ExprKind::Binary(BinOp::Sub, left, right) => ("sub", Some(left), right),
            ExprKind::Binary(BinOp::Mul, left, right) => ("mul", Some(left), right),
            ExprKind::Unary(UnOp::Neg, operand) => ("sub", None, operand),
            _ => continue,
        };
        let left = left.map_or(Some("0".to_string()), |left| display::expr_to_c(program, left));
        let (Some(left), Some(right)) = (left, display::expr_to_c(program, right)) else { continue };
        checks.push(format!("__builtin_{name}_overflow_p({left}, {right}, ({})0)", kind.c_name()));
    }
    if checks.is_empty() {
        return None;
    }
    // Inner operands come last in the list, and first in the program.
    checks.reverse();
    let call = "{ extern void whydunit_overflow(void); whydunit_overflow(); }";
    let anchor = program.edges[edge].anchor;
    // A statement may be a branch of another, and must stay one; a declaration never is.
    let declares = |(_, edge): (EdgeId, &cfa::Edge)| edge.anchor == anchor && matches!(edge.op, Op::Declare(_));
    let rest = if program.edges.iter().any(declares) { "" } else { "else " };
    let text = format!(" if ({}) {call} {rest}", checks.join(" || "));
    Some(Insertion { at: anchor, text, declaration: String::new() })
}

/// The assertion of a comment, `//@ assert e;`, as a statement before it; positions elsewhere give none.
fn annotation(sources: &SourceMap, position: u32) -> Option<Insertion> {
    let file = sources.file_at(position)?;
    let (text, at) = (sources.text(file), (position - sources.base(file)) as usize);
    let line = text[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let start = text[line..at].windows(3).rposition(|word| word == b"//@" || word == b"/*@")? + line;
    let rest = std::str::from_utf8(&text[start..]).ok()?;
    let (condition, _) = rest[3..].trim_start().strip_prefix("assert")?.split_once(';')?;
    let text = format!(" {{ extern void whydunit_assertion(void); if (!({condition})) whydunit_assertion(); }} ");
    Some(Insertion { at: sources.base(file) + start as u32, text, declaration: String::new() })
}

/// The body of a function that returns one value after the other, and then zeros.
fn values_in_order(ty: &str, values: &[String]) -> String {
    let mut text = String::from("\n");
    if !values.is_empty() {
        let _ = writeln!(text, "  static {ty} const values[] = {{{}}};", values.join(", "));
        let _ = writeln!(text, "  static unsigned next;\n  if (next < {}) return values[next++];", values.len());
    }
    text.push_str("  return 0;\n");
    text
}

/// The same for records, whose zero is an object.
fn records_in_order(ty: &str, values: &[String]) -> String {
    let mut text = format!("\n  static {ty} const zero;\n");
    if !values.is_empty() {
        let _ = writeln!(text, "  static {ty} const values[] = {{{}}};", values.join(", "));
        let _ = writeln!(text, "  static unsigned next;\n  if (next < {}) return values[next++];", values.len());
    }
    text.push_str("  return zero;\n");
    text
}

/// An error function of the program's that just returns: that it was called shows only in a copy.
fn silent_error_function(program: &Program) -> Option<&'static str> {
    let ends = |function: FuncId| {
        let edges = program.automaton(function).into_iter().flat_map(|automaton| automaton.edges.clone()).map(EdgeId);
        edges.map(|edge| &program.edges[edge].op).any(|op| match op {
            Op::Halt(code) => code.is_none(),
            Op::Assert { .. } => true,
            Op::Call { callee: Callee::Direct(callee), .. } => {
                program.function_name(*callee).starts_with("__assert") || program.function_name(*callee) == "abort"
            }
            _ => false,
        })
    };
    let defined = ERROR_FUNCTIONS.iter().filter_map(|name| program.function_named(name));
    let mut silent = defined.filter(|function| program.automaton(*function).is_some() && !ends(*function));
    silent.next().map(|_| "the error function of the program just returns")
}

/// The files that have a part of the program. Compiled code has the library of the system, not our text of it.
fn files(sources: &SourceMap, program: &Program) -> Vec<FileId> {
    let functions = program.functions.iter().filter_map(|(_, function)| match &function.body {
        Body::Defined(automaton) => Some(automaton.span.lo),
        _ => None,
    });
    let vars = program.vars.iter().filter(|(_, var)| var.kind == VarKind::Global).map(|(_, var)| var.span.lo);
    let own = functions.chain(vars).filter(|position| !frontend::is_library_text(sources, *position));
    let mut files: Vec<_> = own.filter_map(|position| sources.file_at(position)).collect();
    files.sort();
    files.dedup();
    files
}

/// How often each name is in the text of the program: headers declare more than programs use.
fn names<'s>(sources: &'s SourceMap, program: &Program) -> HashMap<&'s [u8], usize> {
    let mut found = HashMap::new();
    for file in files(sources, program) {
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        for name in sources.text(file).split(|byte| !is_part(byte)).filter(|name| !name.is_empty()) {
            *found.entry(name).or_default() += 1;
        }
    }
    found
}

/// The texts that the program was parsed from. Calling an error function is the violation, whatever its body does.
fn units(sources: &SourceMap, program: &Program, unset: &[Insertion]) -> Vec<Vec<u8>> {
    let unit = |file| {
        let (mut text, base): (Vec<u8>, u32) = (sources.text(file).to_vec(), sources.base(file));
        let bodies = ERROR_FUNCTIONS
            .iter()
            .filter_map(|name| program.functions[program.function_named(name)?].body.defined_span())
            .filter(|span| sources.file_at(span.lo) == Some(file))
            .filter_map(|span| {
                let start = (span.lo - base) as usize;
                text[start..].iter().position(|byte| *byte == b'{').map(|brace| start + brace + 1)
            });
        let mut insertions: Vec<(usize, &str)> = bodies.map(|at| (at, CALL)).collect();
        let here = unset.iter().filter(|insertion| sources.file_at(insertion.at) == Some(file));
        insertions.extend(here.clone().map(|insertion| ((insertion.at - base) as usize, insertion.text.as_str())));
        insertions.sort();
        for (at, inserted) in insertions.into_iter().rev() {
            text.splice(at..at, inserted.bytes());
        }
        let declarations: String = here.map(|insertion| insertion.declaration.as_str()).collect();
        // Debuggers show the user's file.
        let name = sources.name(file).replace('\\', "\\\\").replace('"', "\\\"");
        text.splice(0..0, format!("{declarations}\n# 1 \"{name}\"\n").into_bytes());
        text
    };
    files(sources, program).into_iter().map(unit).collect()
}

trait DefinedSpan {
    fn defined_span(&self) -> Option<base::Span>;
}

impl DefinedSpan for Body {
    fn defined_span(&self) -> Option<base::Span> {
        match self {
            Body::Defined(automaton) => Some(automaton.span),
            _ => None,
        }
    }
}

/// What compilers add so that violations are seen where they happen.
pub fn sanitizers(harness: &Harness) -> Vec<&'static str> {
    let properties = harness.properties;
    let any = |wanted: &[Property]| harness.sanitized && wanted.iter().any(|property| properties.contains(*property));
    let mut flags = Vec::new();
    if any(&[Property::NoOverflow]) {
        // Shifts to the left overflow too.
        flags.extend(["-fsanitize=signed-integer-overflow", "-fsanitize=shift-base"]);
    } else {
        // Otherwise integers wrap.
        flags.push("-fwrapv");
    }
    if any(&[Property::ShiftRange]) {
        flags.push("-fsanitize=shift");
    }
    if is_memory(properties) {
        flags.extend(["-fsanitize=bounds-strict", "-fsanitize=null"]);
    }
    flags.push("-fsanitize-undefined-trap-on-error");
    flags
}

pub fn is_memory(properties: PropertySet) -> bool {
    [Property::ValidDeref, Property::ValidFree, Property::ValidMemtrack, Property::ValidMemcleanup]
        .iter()
        .any(|property| properties.contains(*property))
}

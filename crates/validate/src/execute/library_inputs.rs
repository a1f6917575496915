//! What the run got from the C library, as definitions for compiled code: the text of the standard input, files that cannot be opened, contents
//! of allocated memory, and records that undefined functions return. Compiled code has the library of the system, which is given these.

use super::Case;
use cfa::interp::{self, Config, FillRequest, InputRequest, InputSource, Inputs, Run};
use cfa::types::RecordKind;
use cfa::{Bits, Callee, EdgeId, FuncId, Op, Program, Type, TypeId, eval};
use evidence::Player;
use std::collections::BTreeMap;
use std::fmt::Write;

/// What streams gave, in the order of the run.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Streams {
    pub text: Vec<u8>,
    /// Of each call of `fopen`: whether it succeeded.
    pub opened: Vec<bool>,
    /// Whether anything was read.
    pub used: bool,
}

fn callee(program: &Program, edge: EdgeId) -> Option<FuncId> {
    match program.edges[edge].op {
        Op::Call { callee: Callee::Direct(function), .. } => Some(function),
        _ => None,
    }
}

/// What the library functions written in C (`frontend`'s prelude) read: `stream.c` and `scan.c` say which input means what.
pub fn streams(program: &Program, run: &Run) -> Streams {
    let mut streams = Streams::default();
    // A number follows a number only behind a space.
    let mut after_number = false;
    for input in &run.inputs {
        let InputSource::Edge { edge, .. } = input.request.source else { continue };
        let Some(source) = callee(program, edge) else { continue };
        let asks = program.function_name(program.locations[program.edges[edge].from].function);
        let number = eval::display(&program.types, input.request.ty, input.bits);
        match (program.function_name(source), asks) {
            ("__library_input_character" | "__library_input_after_spaces", _) => {
                streams.used = true;
                if let Ok(byte) = number.parse::<u8>() {
                    streams.text.push(byte);
                    after_number = false;
                }
            }
            ("__library_input_number", "__library_scan_number")
            | ("__library_input_double" | "__library_input_float", _) => {
                if after_number {
                    streams.text.push(b' ');
                }
                streams.text.extend(number.as_bytes());
                (streams.used, after_number) = (true, true);
            }
            // The second input of a failure is why it failed.
            ("__library_input_int", "fopen") if streams.opened.last() == Some(&false) && is_errno(program, edge) => {}
            ("__library_input_int", "fopen") => {
                streams.opened.push(!input.bits.is_zero());
                streams.used = true;
            }
            _ => {}
        }
    }
    streams
}

/// Whether the result of a call becomes `errno`, and not a condition.
fn is_errno(program: &Program, edge: EdgeId) -> bool {
    let first = program.edges.iter().find(|(id, other)| {
        callee(program, *id).is_some_and(|function| program.function_name(function) == "__library_input_int")
            && program.locations[other.from].function == program.locations[program.edges[edge].from].function
    });
    first.is_some_and(|(first, _)| first != edge)
}

/// Definitions that make the standard input a pipe with the text in it, and files that are opened other ends of it.
pub fn stream_definitions(streams: &Streams) -> String {
    let mut text = String::new();
    if !streams.used {
        return text;
    }
    let bytes: Vec<String> = streams.text.iter().map(u8::to_string).collect();
    let length = bytes.len();
    text.push_str(
        "extern int whydunit_pipe(int *) __asm__(\"pipe\");\nextern int whydunit_dup2(int, int) __asm__(\"dup2\");\n",
    );
    text.push_str("extern int whydunit_close(int) __asm__(\"close\");\n");
    text.push_str("extern int whydunit_setvbuf(void *, char *, int, unsigned long) __asm__(\"setvbuf\");\n");
    text.push_str("extern void *whydunit_stdin __asm__(\"stdin\");\n");
    let _ = writeln!(
        text,
        "static const unsigned char whydunit_text[] = {{{}}};",
        [bytes, vec!["0".into()]].concat().join(", ")
    );
    text.push_str("__attribute__((constructor)) static void whydunit_feed(void) {\n  int ends[2];\n");
    text.push_str("  if (whydunit_pipe(ends)) return;\n");
    let _ = writeln!(text, "  whydunit_write(ends[1], whydunit_text, {length});");
    text.push_str("  whydunit_close(ends[1]);\n  whydunit_dup2(ends[0], 0);\n  whydunit_close(ends[0]);\n");
    // Every reader takes what it needs, so that the order is that of the run.
    text.push_str("  whydunit_setvbuf(whydunit_stdin, 0, 2, 0);\n}\n");
    if !streams.opened.is_empty() {
        let opened: Vec<&str> = streams.opened.iter().map(|done| if *done { "1" } else { "0" }).collect();
        text.push_str("extern int whydunit_dup(int) __asm__(\"dup\");\n");
        text.push_str("extern void *whydunit_fdopen(int, const char *) __asm__(\"fdopen\");\n");
        text.push_str("extern void *whydunit_tmpfile(void) __asm__(\"tmpfile\");\n");
        text.push_str("void *whydunit_fopen(const char *, const char *) __asm__(\"fopen\");\n");
        text.push_str("void *whydunit_fopen(const char *name, const char *mode) {\n");
        let _ = writeln!(text, "  static const char opened[] = {{{}}};", opened.join(", "));
        text.push_str("  static unsigned next;\n  void *file;\n");
        let _ = writeln!(text, "  if (next < {} && !opened[next++]) return 0;", opened.len());
        text.push_str(
            "  if (*mode != 'r') return whydunit_tmpfile();\n  file = whydunit_fdopen(whydunit_dup(0), \"r\");\n",
        );
        text.push_str("  if (file) whydunit_setvbuf(file, 0, 2, 0);\n  return file;\n}\n");
    }
    text
}

/// What memory held that the run was given, in order.
#[derive(Default)]
pub struct Filled {
    /// Of each call of `malloc` in the text of the program.
    pub heap: Vec<Vec<u8>>,
    /// Records that undefined functions returned.
    pub records: BTreeMap<FuncId, Vec<Vec<u8>>>,
}

struct Log<'t> {
    player: Player<'t>,
    fills: Vec<(FillRequest, Vec<u8>)>,
}

impl Inputs for Log<'_> {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        self.player.next(request)
    }

    fn fill(&mut self, request: &FillRequest, bytes: &mut [u8]) {
        self.player.fill(request, bytes);
        self.fills.push((*request, evidence::tape::remembered(bytes)));
    }
}

/// Plays the run again, and notes what memory is filled with.
pub fn filled(case: &Case<'_>) -> Filled {
    let Case { sources, task, tape, run } = *case;
    let program = task.program;
    let mut filled = Filled::default();
    // A run of minutes is not played again.
    if run.steps > evidence::LONG_RUN {
        return filled;
    }
    let config = Config { properties: task.properties, ..Config::default() };
    let mut log = Log { player: tape.play(), fills: Vec::new() };
    interp::run(program, task.entry, &tape.args, &mut log, &config);
    for (request, bytes) in log.fills {
        let (FillRequest::Allocation { edge } | FillRequest::Result { edge }) = request else { continue };
        let Some(function) = callee(program, edge) else { continue };
        let is_own = !sources.is_in_system_header(program.edges[edge].span.lo);
        match request {
            FillRequest::Allocation { .. } if is_own && program.function_name(function) == "malloc" => {
                filled.heap.push(bytes);
            }
            FillRequest::Result { .. } => filled.records.entry(function).or_default().push(bytes),
            _ => {}
        }
    }
    // Fresh memory is zero there too.
    if filled.heap.iter().flatten().all(|byte| *byte == 0) {
        filled.heap.clear();
    }
    filled
}

/// Definitions that give allocated memory its contents; the linker has to wrap `malloc`.
pub fn heap_definitions(contents: &[Vec<u8>]) -> String {
    let mut text = String::from("extern void *whydunit_malloc(unsigned long) __asm__(\"__real_malloc\");\n");
    for (index, bytes) in contents.iter().enumerate() {
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let mut bytes: Vec<String> = bytes[..end].iter().map(u8::to_string).collect();
        bytes.push("0".into());
        let _ = writeln!(text, "static const unsigned char whydunit_heap_{index}[] = {{{}}};", bytes.join(", "));
    }
    let entries: Vec<String> = (0..contents.len())
        .map(|index| format!("{{whydunit_heap_{index}, sizeof whydunit_heap_{index} - 1}}"))
        .collect();
    let _ = writeln!(
        text,
        "static const struct {{ const unsigned char *bytes; unsigned long length; }} whydunit_heap[] = {{{}}};",
        entries.join(", ")
    );
    text.push_str("void *whydunit_wrapped_malloc(unsigned long) __asm__(\"__wrap_malloc\");\n");
    text.push_str("void *whydunit_wrapped_malloc(unsigned long size) {\n  static unsigned next;\n");
    text.push_str("  unsigned char *memory = whydunit_malloc(size);\n");
    let _ = writeln!(text, "  if (memory && next < {}) {{", contents.len());
    text.push_str("    for (unsigned long i = 0; i < size; i++)\n");
    text.push_str("      memory[i] = i < whydunit_heap[next].length ? whydunit_heap[next].bytes[i] : 0;\n");
    text.push_str("    next++;\n  }\n  return memory;\n}\n");
    text
}

/// Definitions that count what is allocated and not freed when the program ends; the linker has to wrap the functions of the allocator.
pub const WATCHED_ALLOCATOR: [&str; 4] = ["malloc", "calloc", "realloc", "free"];
pub const LEAKS: &str = include_str!("leaks.c");

/// The definition of a record with the members that it has, under a name of its own; `None` if it has members that C cannot repeat so.
pub fn record(program: &Program, ty: TypeId) -> Option<(String, String)> {
    let Type::Record(id) = *program.types.get(ty) else { return None };
    let data = &program.types.records[id];
    let name = format!("{} whydunit_record_{}", keyword(data.kind), id.0);
    Some((name.clone(), format!("{name} {{ {}}};\n", members(program, ty)?)))
}

fn keyword(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Struct => "struct",
        RecordKind::Union => "union",
    }
}

fn members(program: &Program, ty: TypeId) -> Option<String> {
    let types = &program.types;
    let Type::Record(id) = *types.get(ty) else { return None };
    let mut text = String::new();
    for field in &types.records[id].fields {
        let mut lengths = String::new();
        let mut element = field.ty;
        while let Type::Array(inner, length) = types.get(element) {
            let _ = write!(lengths, "[{}]", (*length)?);
            element = *inner;
        }
        let spelled = match types.get(element) {
            Type::Record(inner) => {
                format!("{} {{ {}}}", keyword(types.records[*inner].kind), members(program, element)?)
            }
            _ => super::harness::spelled(program, element)?.to_string(),
        };
        if field.bits.is_some() {
            return None;
        }
        let _ = write!(text, "{spelled} {}{lengths}; ", program.name(field.name?));
    }
    Some(text)
}

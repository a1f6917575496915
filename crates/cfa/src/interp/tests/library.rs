//! Library functions, compared with what the machine's own gcc and C library do. Without a gcc there is nothing to compare with.

use super::*;
use crate::library::CtypeTable;
use crate::{BinOp, Init};
use std::process::Command;

/// An argument as C and as a program.
#[derive(Clone)]
enum Arg {
    Int(i32),
    Long(i64),
    Double(f64),
    LongDouble(f64),
    Text(&'static str),
    Null,
}

impl Arg {
    fn c(&self) -> String {
        match self {
            Arg::Int(value) => format!("(int){value}LL"),
            Arg::Long(value) => format!("(long){}ULL", *value as u64),
            Arg::Double(value) => format!("number({:#x}ULL)", value.to_bits()),
            Arg::LongDouble(value) => format!("(long double)number({:#x}ULL)/3", value.to_bits()),
            Arg::Text(text) => format!("{text:?}"),
            Arg::Null => "(char *)0".into(),
        }
    }

    fn expr(&self, b: &mut Builder) -> ExprId {
        let float = |b: &mut Builder, value: f64| {
            b.expr(crate::ExprKind::Const(Bits::new(value.to_bits() as u128)), TypeId::DOUBLE)
        };
        match self {
            Arg::Int(value) => b.int(*value),
            Arg::Long(value) => b.constant(TypeId::LONG, *value as i128),
            Arg::Double(value) => float(b, *value),
            Arg::LongDouble(value) => {
                let (value, three) = (float(b, *value), float(b, 3.0));
                let (value, three) = (b.cast(TypeId::LONG_DOUBLE, value), b.cast(TypeId::LONG_DOUBLE, three));
                b.binary(BinOp::Div, value, three)
            }
            Arg::Text(value) => text(b, value),
            Arg::Null => b.constant(TypeId::CHAR_POINTER, 0),
        }
    }
}

/// What a C program prints; `None` without gcc.
fn printed_by_gcc(name: &str, source: &str) -> Option<Vec<u8>> {
    let directory = std::env::temp_dir().join(format!("whydunit-interp-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).ok()?;
    let (file, program) = (directory.join("test.c"), directory.join("test"));
    std::fs::write(&file, source).ok()?;
    let built =
        Command::new("gcc").args(["-w", "-O0", "-fno-builtin", "-o"]).arg(&program).arg(&file).arg("-lm").output();
    let output = match built {
        Ok(output) if output.status.success() => Command::new(&program).output().ok().map(|output| output.stdout),
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        Err(_) => None,
    };
    let _ = std::fs::remove_dir_all(&directory);
    output
}

#[test]
fn printf_prints_what_glibc_prints() {
    let mut cases: Vec<(String, Arg)> = Vec::new();
    let flags = ["", "-", "+", " ", "#", "0", "-+", "0+", "# ", "-0#", "+#0"];
    let sizes = ["", "1", "12", ".0", ".3", "12.4", "3.12", ".", "25.20"];
    for flag in flags {
        for size in sizes {
            for conversion in ["d", "i", "u", "x", "X", "o", "hhd", "hd", "hhu", "hx"] {
                for value in [0, 1, -1, 12345, i32::MIN, 300] {
                    cases.push((format!("[%{flag}{size}{conversion}]"), Arg::Int(value)));
                }
            }
            for conversion in ["ld", "lu", "lx", "llo", "zu", "jd", "td", "p"] {
                for value in [0, -1, i64::MAX] {
                    cases.push((format!("[%{flag}{size}{conversion}]"), Arg::Long(value)));
                }
            }
            for conversion in ["f", "e", "g", "F", "E", "G"] {
                for value in
                    [0.0, -0.0, 1.0, -2.5, 0.1, 123456789.125, 1e-7, 1e22, 9.9999999e5, f64::INFINITY, -f64::NAN]
                {
                    // glibc drops the zeros that `#` keeps when rounding carries into a new digit; that is its bug.
                    if value != 9.9999999e5 || !flag.contains('#') {
                        cases.push((format!("[%{flag}{size}{conversion}]"), Arg::Double(value)));
                    }
                }
                for value in [0.0, 1.0, 1e300] {
                    cases.push((format!("[%{flag}{size}L{conversion}]"), Arg::LongDouble(value)));
                }
            }
            for (conversion, arg) in
                [("s", Arg::Text("hello")), ("s", Arg::Null), ("c", Arg::Int(65)), ("s", Arg::Text(""))]
            {
                cases.push((format!("[%{flag}{size}{conversion}]"), arg));
            }
        }
    }
    let mut source = String::from(
        "#include <stdio.h>\nstatic double number(unsigned long long b) { union { unsigned long long b; double d; } u; u.b = b; return u.d; }\n",
    );
    let mut b = Builder::new();
    let printf = library(&mut b, "printf", TypeId::INT, &[TypeId::CHAR_POINTER], true);
    for (index, chunk) in cases.chunks(500).enumerate() {
        source += &format!("static void part{index}(void) {{\n");
        for (format, arg) in chunk {
            source += &format!("printf({format:?} \" %d\\n\", {}, 7);\n", arg.c());
        }
        source += "}\n";
    }
    source += "int main(void) {\n";
    (0..cases.len().div_ceil(500)).for_each(|index| source += &format!("part{index}();\n"));
    source += "return 0; }\n";
    let main = main_of(&mut b, |b, mut at| {
        for (format, arg) in &cases {
            let (format, arg, seven) = (text(b, &format!("{format} %d\n")), arg.expr(b), b.int(7));
            at = call(b, at, None, printf, &[format, arg, seven]);
        }
        at
    });
    let run = run_with(&b, main, &Config::default());
    assert_eq!(run.outcome, Outcome::Finished(0));
    let Some(expected) = printed_by_gcc("printf", &source) else { return };
    let (got, expected) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&expected));
    for ((got, expected), (format, _)) in got.lines().zip(expected.lines()).zip(&cases) {
        assert_eq!(got, expected, "{format}");
    }
    assert_eq!(got.len(), expected.len());
}

#[test]
fn ctype_is_the_c_locale() {
    let names = [
        "isalnum", "isalpha", "isblank", "iscntrl", "isdigit", "isgraph", "islower", "isprint", "ispunct", "isspace",
        "isupper", "isxdigit", "isascii", "toascii", "tolower", "toupper",
    ];
    let mut b = Builder::new();
    let printf = library(&mut b, "printf", TypeId::INT, &[TypeId::CHAR_POINTER], true);
    let functions = names.map(|name| library(&mut b, name, TypeId::INT, &[TypeId::INT], false));
    let main = main_of(&mut b, |b, mut at| {
        let format = text(b, "%d ");
        let r = b.local("r", TypeId::INT);
        let (dest, value) = (b.var_place(r), b.var(r));
        for character in -1..256 {
            let argument = b.int(character);
            for function in functions {
                at = call(b, at, Some(dest), function, &[argument]);
                at = call(b, at, None, printf, &[format, value]);
            }
        }
        at
    });
    let run = run_with(&b, main, &Config::default());
    assert_eq!(run.outcome, Outcome::Finished(0));
    let calls: String = names.iter().map(|name| format!("printf(\"%d \", {name}(c));")).collect();
    let source = format!(
        "#include <stdio.h>\n#include <ctype.h>\n{}\nint main(void) {{ for (int c = -1; c < 256; c++) {{ {calls} }}\
         for (int c = -128; c < 256; c++) printf(\"%d \", (*__ctype_b_loc())[c]); return 0; }}",
        names.iter().map(|name| format!("#undef {name}\n")).collect::<String>()
    );
    let Some(expected) = printed_by_gcc("ctype", &source) else { return };
    let table = CtypeTable::Classes.bytes();
    let entries = table.chunks(2).map(|entry| format!("{} ", u16::from_le_bytes([entry[0], entry[1]])));
    let printed = format!("{}{}", String::from_utf8_lossy(&run.stdout), entries.collect::<String>());
    assert_eq!(printed, String::from_utf8_lossy(&expected));
}

#[test]
fn mathematics_is_exact() {
    let unary = ["fabs", "sqrt", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "logb"];
    let binary = ["fmod", "remainder", "copysign", "fmin", "fmax", "fdim", "nextafter"];
    let values =
        [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -3.7, 1e15 + 0.5, 1e300, 5e-324, f64::INFINITY, -f64::INFINITY, 2.0, 3.0];
    let mut b = Builder::new();
    let printf = library(&mut b, "printf", TypeId::INT, &[TypeId::CHAR_POINTER], true);
    let mut source = String::from(
        "#include <stdio.h>\n#include <math.h>\nstatic double number(unsigned long long b) { union { unsigned long long b; double d; } u; u.b = b; return u.d; }\nint main(void) {\n",
    );
    let types = [
        ("", TypeId::DOUBLE, "double", ""),
        ("f", TypeId::FLOAT, "float", ""),
        ("l", TypeId::LONG_DOUBLE, "long double", "L"),
    ];
    let mut calls = Vec::new();
    for (suffix, ty, c_type, length) in types {
        for (names, arity) in [(&unary[..], 1), (&binary[..], 2)] {
            for name in names {
                let name = format!("{name}{suffix}");
                let function = library(&mut b, &name, ty, &vec![ty; arity], false);
                for x in values {
                    for y in &values[..if arity == 1 { 1 } else { values.len() }] {
                        let c = |value: f64| format!("({c_type})number({:#x}ULL)", value.to_bits());
                        let args = if arity == 1 { c(x) } else { format!("{}, {}", c(x), c(*y)) };
                        source += &format!("printf(\"{name} %.25{length}g\\n\", {name}({args}));\n");
                        calls.push((function, ty, x, *y, arity, format!("{name} %.25{length}g\n")));
                    }
                }
            }
        }
    }
    source += "return 0; }\n";
    let main = main_of(&mut b, |b, mut at| {
        for (function, ty, x, y, arity, format) in &calls {
            let r = b.local("r", *ty);
            let args: Vec<ExprId> = [*x, *y][..*arity]
                .iter()
                .map(|value| {
                    let value = Arg::Double(*value).expr(b);
                    b.cast(*ty, value)
                })
                .collect();
            let (dest, mut value, format) = (b.var_place(r), b.var(r), text(b, format));
            at = call(b, at, Some(dest), *function, &args);
            if *ty == TypeId::FLOAT {
                value = b.cast(TypeId::DOUBLE, value);
            }
            at = call(b, at, None, printf, &[format, value]);
        }
        at
    });
    let run = run_with(&b, main, &Config::default());
    assert_eq!(run.outcome, Outcome::Finished(0));
    let Some(expected) = printed_by_gcc("math", &source) else { return };
    let (got, expected) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&expected));
    for ((got, expected), call) in got.lines().zip(expected.lines()).zip(&calls) {
        // The sign of a NaN is unspecified.
        assert_eq!(got.replace("-nan", "nan"), expected.replace("-nan", "nan"), "{:?} {:?}", call.2, call.3);
    }
    assert_eq!(got.lines().count(), expected.lines().count());
}

#[test]
fn misuse_is_a_fault() {
    let mut b = Builder::new();
    let memcpy = library(
        &mut b,
        "memcpy",
        TypeId::VOID_POINTER,
        &[TypeId::VOID_POINTER, TypeId::VOID_POINTER, TypeId::ULONG],
        false,
    );
    let array = b.program.types.array_of(TypeId::CHAR, Some(8));
    let buffer = b.global("buffer", array, Init::Zero);
    for (to, from, length, expected) in [
        (0, 4, 4, Outcome::Finished(0)),
        (0, 3, 4, Outcome::Undefined(Fault::LibraryMisuse)),
        (0, 4, 5, Outcome::Undefined(Fault::LibraryMisuse)),
        (5, 0, 4, Outcome::Undefined(Fault::OutOfBounds)),
    ] {
        let mut b = clone(&b);
        let main = main_of(&mut b, |b, start| {
            let place = b.var_place(buffer);
            let base = b.address_as(place, TypeId::CHAR_POINTER);
            let mut at = |index: i32| {
                let index = b.int(index);
                let pointer = b.ptr_add(base, index);
                b.cast(TypeId::VOID_POINTER, pointer)
            };
            let (to, from) = (at(to), at(from));
            let length = b.constant(TypeId::ULONG, length);
            call(b, start, None, memcpy, &[to, from, length])
        });
        assert_eq!(outcome(&b, main), expected);
    }
}

/// A copy to add a `main` to.
fn clone(b: &Builder) -> Builder {
    let mut copy = Builder::new();
    copy.program = b.program.clone();
    copy
}

#[test]
fn strings_and_numbers_are_read_and_written() {
    let mut b = Builder::new();
    let chars = TypeId::CHAR_POINTER;
    let printf = library(&mut b, "printf", TypeId::INT, &[chars], true);
    let atol = library(&mut b, "atol", TypeId::LONG, &[chars], false);
    let strlen = library(&mut b, "strlen", TypeId::ULONG, &[chars], false);
    let main = main_of(&mut b, |b, mut at| {
        let n = b.local("n", TypeId::LONG);
        let n_place = b.var_place(n);
        for source in ["  -31z", "077", "x"] {
            let source = text(b, source);
            at = call(b, at, Some(n_place), atol, &[source]);
            let (format, value) = (text(b, "%ld "), b.var(n));
            at = call(b, at, None, printf, &[format, value]);
        }
        let source = text(b, "hello");
        let r = b.temp(TypeId::ULONG);
        let dest = b.var_place(r);
        at = call(b, at, Some(dest), strlen, &[source]);
        let (format, value) = (text(b, "%zu"), b.var(r));
        call(b, at, None, printf, &[format, value])
    });
    let run = run_with(&b, main, &Config::default());
    assert_eq!(run.outcome, Outcome::Finished(0));
    assert_eq!(String::from_utf8_lossy(&run.stdout), "-31 77 0 5");
}

//! The textual form of a program: [`print()`] and [`parse`]. For logs, for tests on programs, for people.
//!
//! `print(parse(print(p))) == print(p)` for every program that [`crate::verify::verify`] accepts, and everything that the program means is kept:
//! ids of types, records, variables, functions, scopes, locations and edges, all spans, all names. Ids of expressions and places, the
//! order of the interner, expressions that no edge mentions, the language of the source and its cycle are not.
//!
//! ```text
//! program lp64
//! type t20 = record r0                                   also: ptr int, array int 4, array int ?, fn int (int t20 ...) unprototyped
//! record r0 struct point size 8 align 4                  a record without tag is `-`; `incomplete` follows the alignment
//!   field x: int at 0 bits 3:5                           bits start:width; a field without name is `-`
//! global v0 counter: int addr = zero @12..19             addr: its address is taken; const may follow
//! constant v1 "": t21 = static #686900 8: v0 + 4         hex bytes, then relocations offset: target + addend
//! scope s1 in s0/2 @20..90                               two names of s0 were declared when it opened
//!   name x = v2                                          also: = f0, = type int, = 5:int for an enumeration constant
//! fn f0 main: t25 (v2) @5..9 scope s1 entry L0 exit L2 @0..120
//!   param v2 n: int @30..31                              also: local, temp, vla
//!   L0: s1/1 loop @40..80                                innermost scope and how many of its names are declared
//!     e0: assume while (v2 < 10:int) -> L1 @44..50^40    the edge's span and, where it is not the start, its anchor
//!     e1: assume not while same -> L2                    same: the very condition of the first edge
//!     e2: v2 = 3:int -> L3 @52..56 caveat "…"            what C leaves open there
//! ```
//! A function without automaton ends in `library`, `system` or `undefined` instead of its scope. Types with ids below 20 go by name.
//!
//! Expressions: `10:int`, `-1:long`, `0.5:double`, `0x10:t20` are constants, `f3` the address of a function, `(a + b)`, `(- a)`,
//! `(p .+ i)`, `(p .- i)` and `(p .-. q)` are operators, the latter three on pointers, `long(a)` is a cast, `&place` an address, and a place
//! alone is a read of it. Places: `v2`, `[p]` (what p points to), `v2.1` (field number 1), `v2[i]`. A type that is not the one that the parts
//! imply follows as `:t20` (expression) or `#t20` (place), and a span as `@3..7`.
//!
//! What is mentioned more than once and not small, or nested deep, is defined before the edge that needs it first: `let x0 = …`,
//! `let p0 = …`. So no text nests deep and none is exponentially larger than its program.

mod lines;
mod naming;
mod print;
mod scan;
#[cfg(test)]
mod tests;
mod tree;

pub use print::{PrintOptions, print, print_with};
pub use scan::ParseError;

use crate::{BinOp, Branch, Program};

/// The program that a text describes. It need not keep the invariants of [`crate::verify::verify`], but every id in it is in range, so the
/// verifier can say what is wrong.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    lines::parse(text).map_err(|error| scan::in_characters(error, text))
}

/// The types that every table starts with, by id.
const BUILTIN_TYPES: [&str; 20] = [
    "void", "bool", "char", "schar", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "llong", "ullong",
    "i128", "u128", "float", "double", "ldouble", "void*", "char*",
];

const BRANCHES: [(Branch, &str); 7] = [
    (Branch::If, "if"),
    (Branch::While, "while"),
    (Branch::Do, "do"),
    (Branch::For, "for"),
    (Branch::Switch, "switch"),
    (Branch::Conditional, "conditional"),
    (Branch::ShortCircuit, "short-circuit"),
];

/// Operators between two operands, longer spellings first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Infix {
    Binary(BinOp),
    PtrAdd,
    PtrSub,
    PtrDiff,
}

const POINTER_INFIX: [(Infix, &str); 3] = [(Infix::PtrDiff, ".-."), (Infix::PtrAdd, ".+"), (Infix::PtrSub, ".-")];

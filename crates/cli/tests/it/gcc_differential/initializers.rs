//! Random nested aggregates with random initializers: braces or none, designators, ranges, values that come twice.

use super::{PRELUDE, compare};
use crate::support::{count, none_failed};
use std::fmt::Write;
use testkit::random::Random;

/// The shape of a type, to write initializers for it and to print every scalar of it.
#[derive(Clone)]
enum Shape {
    Scalar(&'static str),
    Text(usize),
    Array(Box<Shape>, usize),
    Struct(usize, Vec<(String, Shape)>),
    Union(usize, Vec<(String, Shape)>),
}

struct Maker {
    random: Random,
    types: String,
    records: Vec<Shape>,
}

const SCALARS: &[&str] = &["char", "short", "int", "long", "unsigned char", "double", "_Bool", "unsigned bits : 5"];

impl Maker {
    fn shape(&mut self, depth: usize) -> Shape {
        match self.random.below(if depth == 0 { 2 } else { 7 }) {
            0 => Shape::Scalar(SCALARS[self.random.below(SCALARS.len() - 1)]),
            1 if self.random.below(3) == 0 => Shape::Text(1 + self.random.below(5)),
            2 | 3 => Shape::Array(Box::new(self.shape(depth - 1)), 1 + self.random.below(3)),
            4..7 if !self.records.is_empty() => self.records[self.random.below(self.records.len())].clone(),
            _ => Shape::Scalar(SCALARS[self.random.below(SCALARS.len() - 1)]),
        }
    }

    fn record(&mut self) {
        let index = self.records.len();
        let mut members = Vec::new();
        let mut body = String::new();
        for member in 0..1 + self.random.below(4) {
            let name = format!("m{member}");
            let shape = match self.random.below(6) {
                0 => Shape::Scalar(SCALARS[SCALARS.len() - 1]),
                _ => self.shape(2),
            };
            writeln!(body, "  {};", declare(&shape, &name)).expect("writing to a string");
            members.push((name, shape));
        }
        let is_union = self.random.below(5) == 0;
        let kind = if is_union { "union" } else { "struct" };
        writeln!(self.types, "typedef {kind} {{\n{body}}} r{index};").expect("writing to a string");
        self.records.push(if is_union { Shape::Union(index, members) } else { Shape::Struct(index, members) });
    }

    fn scalar(&mut self) -> String {
        match self.random.below(4) {
            0 => "'x'".into(),
            1 => format!("{}", self.random.below(300)),
            2 => format!("-{}", self.random.below(99)),
            _ => format!("{}.5", self.random.below(30)),
        }
    }

    fn text(&mut self, length: usize) -> String {
        let letters: String =
            (0..self.random.below(length + 1)).map(|_| (b'a' + self.random.below(26) as u8) as char).collect();
        format!("\"{letters}\"")
    }

    /// An initializer for the whole, in braces where the shape has parts.
    fn braced(&mut self, shape: &Shape, depth: usize) -> String {
        match shape {
            Shape::Scalar(_) if depth > 0 && self.random.below(12) == 0 => format!("{{ {} }}", self.scalar()),
            Shape::Scalar(_) => self.scalar(),
            Shape::Text(length) if self.random.below(2) == 0 => self.text(*length),
            Shape::Text(_) => format!("{{ {} }}", self.scalar()),
            Shape::Array(..) | Shape::Struct(..) | Shape::Union(..) => {
                let mut items = Vec::new();
                for _ in 0..self.random.below(5) {
                    items.push(self.item(shape, depth));
                }
                let items: Vec<String> = items.into_iter().flatten().collect();
                format!("{{ {} }}", items.join(", "))
            }
        }
    }

    /// One item of a braced list, if the shape has room for it: gcc refuses designators that do not exist, so they always do.
    fn item(&mut self, shape: &Shape, depth: usize) -> Option<String> {
        let (designator, inner) = self.step(shape)?;
        let mut designator = designator;
        let mut inner = inner;
        while self.random.below(4) == 0 {
            let Some((next, deeper)) = self.step(&inner) else { break };
            if next.contains("...") {
                break;
            }
            designator.push_str(&next);
            inner = deeper;
        }
        match self.random.below(3) {
            // Without designator and braces: goes wherever the list stands, so only numbers are safe.
            0 => Some(format!("{}", self.random.below(100))),
            1 if depth < 4 && !matches!(inner, Shape::Scalar(_)) => {
                Some(format!("{designator} = {}", self.braced(&inner, depth + 1)))
            }
            _ => {
                let first = self.random.below(100);
                Some(format!("{designator} = {first}"))
            }
        }
    }

    fn step(&mut self, shape: &Shape) -> Option<(String, Shape)> {
        match shape {
            Shape::Scalar(_) | Shape::Text(_) => None,
            Shape::Array(element, length) => {
                let low = self.random.below(*length);
                let high = low + self.random.below(length - low);
                let designator = if high > low && self.random.below(2) == 0 {
                    format!("[{low} ... {high}]")
                } else {
                    format!("[{low}]")
                };
                Some((designator, (**element).clone()))
            }
            Shape::Struct(_, members) | Shape::Union(_, members) => {
                let (name, inner) = members[self.random.below(members.len())].clone();
                Some((format!(".{name}"), inner))
            }
        }
    }
}

fn declare(shape: &Shape, name: &str) -> String {
    match shape {
        Shape::Scalar("unsigned bits : 5") => format!("unsigned {name} : 5"),
        Shape::Scalar(ty) => format!("{ty} {name}"),
        Shape::Text(length) => format!("char {name}[{length}]"),
        Shape::Array(element, length) => declare(element, &format!("{name}[{length}]")),
        Shape::Struct(index, _) | Shape::Union(index, _) => format!("r{index} {name}"),
    }
}

/// Statements that print each scalar. Of a union only the bytes that its first member has: the others may be padding.
fn print(shape: &Shape, place: &str, out: &mut String) {
    match shape {
        Shape::Scalar(_) => {
            writeln!(out, "  printf(\"{place} %g\\n\", (double){place});").expect("writing to a string")
        }
        Shape::Text(length) => {
            writeln!(out, "  show_bytes(\"{place}\", {place}, {length});").expect("writing to a string")
        }
        Shape::Array(element, length) => {
            (0..*length).for_each(|index| print(element, &format!("{place}[{index}]"), out))
        }
        Shape::Struct(_, members) => {
            members.iter().for_each(|(name, member)| print(member, &format!("{place}.{name}"), out))
        }
        Shape::Union(_, members) => {
            let (name, member) = &members[0];
            if matches!(member, Shape::Scalar(ty) if *ty != "double" && *ty != "_Bool") {
                print(member, &format!("{place}.{name}"), out);
            }
        }
    }
}

#[test]
fn initializers_agree_with_gcc() {
    let mut failures = Vec::new();
    for batch in 0..count(4) {
        let mut maker = Maker { random: Random::new(500 + batch as u64), types: String::new(), records: Vec::new() };
        (0..12).for_each(|_| maker.record());
        let (mut globals, mut main) = (String::new(), String::new());
        for case in 0..80 {
            let shape = maker.records[maker.random.below(12)].clone();
            let shape = if maker.random.below(4) == 0 { Shape::Array(Box::new(shape), 2) } else { shape };
            let init = maker.braced(&shape, 0);
            writeln!(globals, "static {} = {init};", declare(&shape, &format!("g{case}")))
                .expect("writing to a string");
            print(&shape, &format!("g{case}"), &mut main);
            writeln!(main, "  {{ {} = {init};", declare(&shape, &format!("a{case}"))).expect("writing to a string");
            print(&shape, &format!("a{case}"), &mut main);
            main.push_str("  }\n");
        }
        let program = format!("{PRELUDE}{}{globals}int main(void) {{\n{main}  return 0;\n}}\n", maker.types);
        failures.extend(compare(&format!("initializers-{batch}"), &program));
    }
    none_failed(&failures);
}

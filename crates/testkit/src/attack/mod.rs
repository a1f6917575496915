//! Small attack programs (10 to 40 lines): loops with many ways back and out, objects of blocks whose addresses escape, unions, bit-fields,
//! function pointers, recursion, the heap. Their few inputs have two or four values each, so that the compiled program can be run on all
//! of them ([`native`]), and what whydunit says ([`verdict_check`]) is compared with what happens.

mod expression;
mod generate;
mod idiom;
mod interpret;
pub mod native;
pub mod reduce;
mod scope;
mod statement;
pub mod verdict_check;

use cfa::Property;
use cfa::undefined::UndefinedFunctions;
pub use generate::attack;
use generate::{NAMES, OBJECTS};
use statement::Statement;
use std::collections::BTreeSet;

/// A kind of programs, and what is asked of them.
pub struct Flavour {
    pub name: &'static str,
    statements: &'static [(Statement, usize)],
    /// Asked beside the values at the checks.
    pub property: Option<Property>,
    /// What functions without a body do, to whydunit. The compiled ones write little, so whydunit may find more than happens.
    pub undefined: UndefinedFunctions,
    dangling: bool,
    bounds: bool,
    overflows: bool,
    divisions: bool,
    shifts: bool,
}

impl Flavour {
    const fn new(name: &'static str, statements: &'static [(Statement, usize)]) -> Self {
        Flavour {
            name,
            statements,
            property: None,
            undefined: UndefinedFunctions::Pure,
            dangling: false,
            bounds: false,
            overflows: false,
            divisions: false,
            shifts: false,
        }
    }

    fn has(&self, wanted: Statement) -> bool {
        self.statements.iter().any(|(statement, _)| *statement == wanted)
    }

    fn calls(&self) -> bool {
        self.has(Statement::Call)
    }

    fn records(&self) -> bool {
        self.has(Statement::Memory) || self.has(Statement::Padding)
    }
}

const LOOPS: &[(Statement, usize)] = &[
    (Statement::Assign, 4),
    (Statement::Declare, 2),
    (Statement::Point, 3),
    (Statement::Branch, 2),
    (Statement::Loop, 5),
    (Statement::Jump, 5),
    (Statement::Switch, 1),
    (Statement::Input, 1),
    (Statement::End, 1),
    (Statement::Check, 1),
];
const MIXED: &[(Statement, usize)] = &[
    (Statement::Assign, 4),
    (Statement::Declare, 2),
    (Statement::Point, 2),
    (Statement::Branch, 2),
    (Statement::Loop, 3),
    (Statement::Jump, 2),
    (Statement::Switch, 1),
    (Statement::Call, 2),
    (Statement::Memory, 2),
    (Statement::Text, 1),
    (Statement::Heap, 1),
    (Statement::Input, 1),
    (Statement::Effects, 2),
    (Statement::End, 1),
    (Statement::Check, 1),
];

pub static FLAVOURS: &[Flavour] = &[
    Flavour::new("loops", LOOPS),
    Flavour::new("mixed", MIXED),
    Flavour::new(
        "memory",
        &[
            (Statement::Assign, 4),
            (Statement::Declare, 3),
            (Statement::Point, 3),
            (Statement::Branch, 2),
            (Statement::Memory, 5),
            (Statement::Text, 1),
            (Statement::Heap, 2),
            (Statement::Effects, 1),
        ],
    ),
    Flavour::new(
        "calls",
        &[
            (Statement::Assign, 3),
            (Statement::Declare, 2),
            (Statement::Branch, 2),
            (Statement::Call, 5),
            (Statement::Switch, 2),
            (Statement::Effects, 2),
            (Statement::Input, 1),
            (Statement::End, 1),
            (Statement::Check, 1),
            (Statement::Loop, 1),
        ],
    ),
    Flavour::new(
        "padding",
        &[(Statement::Assign, 3), (Statement::Declare, 2), (Statement::Branch, 1), (Statement::Padding, 5)],
    ),
    Flavour::new(
        "idioms",
        &[
            (Statement::Assign, 3),
            (Statement::Declare, 2),
            (Statement::Point, 1),
            (Statement::Branch, 2),
            (Statement::Loop, 2),
            (Statement::Jump, 1),
            (Statement::Idiom, 6),
        ],
    ),
    Flavour {
        undefined: UndefinedFunctions::Havoc,
        ..Flavour::new(
            "outside",
            &[
                (Statement::Assign, 4),
                (Statement::Declare, 2),
                (Statement::Point, 2),
                (Statement::Branch, 2),
                (Statement::Loop, 1),
                (Statement::Call, 1),
                (Statement::Heap, 1),
                (Statement::Touch, 4),
            ],
        )
    },
    Flavour { dangling: true, property: Some(Property::ValidDeref), ..Flavour::new("dangling", LOOPS) },
    Flavour { bounds: true, property: Some(Property::ValidDeref), ..Flavour::new("bounds", MIXED) },
    Flavour { overflows: true, property: Some(Property::NoOverflow), ..Flavour::new("overflows", MIXED) },
    Flavour { divisions: true, property: Some(Property::DivByZero), ..Flavour::new("divisions", MIXED) },
    Flavour { shifts: true, property: Some(Property::ShiftRange), ..Flavour::new("shifts", MIXED) },
];

/// A program whose lines `CHECK(SITE, VALUE);` stand for questions about values.
#[derive(Clone)]
pub struct Attack {
    pub seed: u64,
    pub flavour: &'static Flavour,
    pub lines: Vec<String>,
}

/// What the verdict is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Query {
    /// Is `reach_error` called if it is called for this value at a site?
    Equal {
        site: u32,
        value: i64,
    },
    /// Is it called if it is called for every value but these?
    NoneOf {
        site: u32,
        values: BTreeSet<i64>,
    },
    /// Is it called, in a program that has the question in it already?
    Reached,
    Property(Property),
}

impl Attack {
    /// The program with checks.
    pub fn with_checks(&self) -> String {
        self.lines.join("\n")
    }

    /// The C program of a question.
    pub fn text(&self, question: &Query) -> String {
        let lines = self.lines.iter().map(|line| match check_in(line) {
            None => line.clone(),
            Some((indent, site, value)) => match question {
                Query::Equal { site: asked, value: number } if *asked == site => {
                    format!("{indent}if (({value}) == {}) reach_error();", literal(*number))
                }
                Query::NoneOf { site: asked, values } if *asked == site => {
                    let others: Vec<String> =
                        values.iter().map(|number| format!("({value}) != {}", literal(*number))).collect();
                    let condition = if others.is_empty() { "1".to_string() } else { others.join(" && ") };
                    format!("{indent}if ({condition}) reach_error();")
                }
                // Computing it may be what is wrong.
                _ => format!("{indent}if ({value}) {{}}"),
            },
        });
        lines.map(|line| line + "\n").collect()
    }

    /// The same program, with the question in it.
    pub fn asking(&self, question: &Query) -> Attack {
        Attack { lines: self.text(question).lines().map(str::to_string).collect(), ..self.clone() }
    }

    fn defined_names(&self) -> &'static [&'static str] {
        NAMES
    }

    /// The objects at file scope.
    fn global_objects(&self) -> Vec<&'static str> {
        let declares = |line: &String, name: &str| {
            let start = line.split(['=', ';']).next().unwrap_or("");
            let words: Vec<&str> = start.split([' ', '*', '[']).collect();
            !line.starts_with([' ', '}'])
                && !start.contains('(')
                && !line.contains('{') | line.contains('=')
                && words.contains(&name)
        };
        OBJECTS.iter().copied().filter(|name| self.lines.iter().any(|line| declares(line, name))).collect()
    }

    fn has_static_locals(&self) -> bool {
        let inside = |line: &String| line.trim_start() != line && line.trim_start().starts_with("static ");
        self.lines.iter().any(|line| inside(line) || line.contains("{ static "))
    }
}

/// The indentation, the site and the value of a check.
fn check_in(line: &str) -> Option<(&str, u32, &str)> {
    let text = line.trim_start();
    let (site, value) = text.strip_prefix("CHECK(")?.strip_suffix(");")?.split_once(", ")?;
    Some((&line[..line.len() - text.len()], site.parse().ok()?, value))
}

/// A number as C writes it; the comparison is one of `long`.
fn literal(number: i64) -> String {
    match number {
        i64::MIN => "(-9223372036854775807l - 1)".to_string(),
        _ => format!("{number}l"),
    }
}

//! What whydunit says about a program, compared with what happens when it is compiled and run.

use super::interpret::first_bad_run;
use super::native::{self, Report, Truth};
use super::{Attack, Flavour, Query};
use anyhow::Result;
use base::Budget;
use cfa::undefined::UndefinedFunctions;
use cfa::{DataModel, Property, PropertySet, Task};
use engine::{Decide, Options};
use evidence::{Reason, Verdict};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

/// The verdict of whydunit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClaimedVerdict {
    True,
    False,
    /// With the name of the reason.
    Unknown(&'static str),
    /// A bug of its own: a violation that does not replay, a panic, a program rejected that compilers accept.
    Broken(String),
}

impl ClaimedVerdict {
    /// Whether two answers are wrong in the same way.
    pub fn resembles(&self, other: &ClaimedVerdict) -> bool {
        match (self, other) {
            (ClaimedVerdict::Broken(left), ClaimedVerdict::Broken(right)) => {
                left.split(':').next() == right.split(':').next()
            }
            _ => self == other,
        }
    }

    fn name(&self) -> String {
        match self {
            ClaimedVerdict::True => "true".into(),
            ClaimedVerdict::False => "false".into(),
            ClaimedVerdict::Unknown(reason) => format!("unknown({reason})"),
            ClaimedVerdict::Broken(_) => "broken".into(),
        }
    }
}

const DOUBTFUL: &str = "doubtful";

/// An answer that what happens contradicts.
pub struct Wrong {
    pub attack: Attack,
    pub question: Query,
    pub said: ClaimedVerdict,
    pub why: String,
}

impl Wrong {
    /// An answer or a reason that nothing supports, where sanitizers do not see everything.
    pub fn is_doubtful(&self) -> bool {
        self.why.starts_with(DOUBTFUL)
    }
}

/// The engine, and its time limit.
#[derive(Clone, Copy)]
pub struct DecideOptions {
    pub decide: Decide,
    pub limit: Duration,
}

/// How often each answer was given, by flavour and truth.
pub type Tally = BTreeMap<String, u64>;

/// Asks about a text of a program's; the flavour says what functions without a body do.
pub fn ask(text: &str, flavour: &Flavour, properties: PropertySet, asked: DecideOptions) -> ClaimedVerdict {
    let decided = catch_unwind(AssertUnwindSafe(|| {
        let (sources, mut compiled) = crate::compile(text.as_bytes(), DataModel::Lp64);
        if compiled.has_errors() {
            let first = compiled.diagnostics.iter().find(|diagnostic| diagnostic.severity == base::Severity::Error);
            let line = first.and_then(|first| sources.locate(first.span.lo)).map_or(0, |at| at.line);
            return ClaimedVerdict::Broken(format!(
                "rejected: line {line}: {}",
                first.map_or("", |first| &first.message)
            ));
        }
        cfa::undefined::apply(&mut compiled.program, &compiled.outside, flavour.undefined);
        let program = &compiled.program;
        let Some(entry) = program.function_named("main") else {
            return ClaimedVerdict::Broken("rejected: no main".into());
        };
        let task = Task { program, entry, properties };
        match (asked.decide)(task, &Options::default(), &Budget::for_duration(asked.limit)).verdict {
            Verdict::Safe(_) => match first_bad_run(task) {
                None => ClaimedVerdict::True,
                Some(run) => ClaimedVerdict::Broken(format!("true, but in the interpreter: {run}")),
            },
            Verdict::Unsafe(_) => ClaimedVerdict::False,
            Verdict::Unknown(reason @ Reason::NotReplayed { .. }) => {
                ClaimedVerdict::Broken(format!("internal: {reason:?}"))
            }
            Verdict::Unknown(reason) => ClaimedVerdict::Unknown(reason.name()),
        }
    }));
    decided.unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        ClaimedVerdict::Broken(format!("panic: {}", message.unwrap_or("")))
    })
}

pub fn properties(question: &Query) -> PropertySet {
    match question {
        Query::Property(property) => PropertySet::of(&[*property]),
        _ => PropertySet::of(&[Property::UnreachCall]),
    }
}

/// Why an answer is wrong, if it is.
pub fn wrong(attack: &Attack, question: &Query, truth: &Truth, said: &ClaimedVerdict) -> Option<String> {
    if let ClaimedVerdict::Broken(what) = said {
        return Some(what.clone());
    }
    let undefined = truth.is_undefined();
    let violated = match question {
        Query::Equal { site, value } => {
            truth.values[*site as usize].as_ref().is_some_and(|values| values.contains(value))
        }
        Query::NoneOf { .. } => false,
        Query::Reached => truth.reached,
        Query::Property(property) => truth.reports.iter().any(|report| violates(*report, *property)),
    };
    // Overflow is no concern where the value is defined, and an index may lie outside its array and inside the object.
    let ends_runs = |report: &Report| {
        matches!(report, Report::Memory | Report::DivisionByZero | Report::Other | Report::Uninitialized)
    };
    // No value of such a shift is right, so what follows from one says nothing.
    let unspecified = truth.reports.contains(&Report::ShiftExponent);
    if unspecified && *question != Query::Property(Property::ShiftRange) {
        return None;
    }
    match said {
        ClaimedVerdict::True if violated => Some(format!("true, but violated: {}", truth.first_report)),
        ClaimedVerdict::True if truth.dies || truth.reports.iter().any(ends_runs) => {
            Some(format!("true in spite of undefined behaviour: {}", truth.first_report))
        }
        ClaimedVerdict::False if violated || undefined => None,
        // The sanitizer does not see that an object of a block is another one in the next round.
        ClaimedVerdict::False if attack.flavour.dangling => None,
        ClaimedVerdict::False if attack.flavour.undefined == UndefinedFunctions::Havoc => None,
        // A left shift into the sign is an overflow to some; compilers fold constants and gcc narrows sums before
        // their sanitizers see them.
        ClaimedVerdict::False if *question == Query::Property(Property::NoOverflow) => {
            (!truth.reports.contains(&Report::ShiftedValue) && native::has_clang())
                .then(|| format!("{DOUBTFUL}: false, but no sanitizer reports an overflow"))
        }
        ClaimedVerdict::False if truth.agreed => Some("false, but no run violates it".into()),
        ClaimedVerdict::Unknown("undefined-behaviour") if !undefined && !attack.flavour.dangling => {
            Some(format!("{DOUBTFUL}: undefined behaviour that no sanitizer reports"))
        }
        _ => None,
    }
}

fn violates(report: Report, property: Property) -> bool {
    match property {
        Property::NoOverflow => report == Report::Overflow,
        Property::DivByZero => report == Report::DivisionByZero,
        Property::ShiftRange => report == Report::ShiftExponent,
        _ => report == Report::Memory,
    }
}

/// What is asked of a program whose values are known.
fn questions(attack: &Attack, truth: &Truth) -> Vec<Query> {
    let mut questions: Vec<Query> = attack.flavour.property.into_iter().map(Query::Property).collect();
    let sites: Vec<u32> =
        (0..2).filter(|site| truth.values[*site as usize].as_ref().is_some_and(|values| !values.is_empty())).collect();
    if sites.is_empty() {
        return questions;
    }
    let site = sites[attack.seed as usize % sites.len()];
    let Some(values) = &truth.values[site as usize] else { return questions };
    let chosen = values.iter().nth((attack.seed >> 3) as usize % values.len());
    questions.extend(chosen.map(|value| Query::Equal { site, value: *value }));
    questions.push(Query::NoneOf { site, values: values.clone() });
    questions
}

/// Compares whydunit with the truth on many programs.
pub fn compare(folder: &Path, name: &str, programs: &[Attack], asked: DecideOptions) -> Result<(Tally, Vec<Wrong>)> {
    let truths = native::truths(folder, name, programs)?;
    let (mut tally, mut found) = (Tally::new(), Vec::new());
    let mut count = |what: String| *tally.entry(what).or_default() += 1;
    for (attack, truth) in programs.iter().zip(&truths) {
        let flavour = attack.flavour.name;
        if let Some(why) = truth.unusable {
            count(format!("{flavour:10} not compared: {why}"));
            continue;
        }
        for question in questions(attack, truth) {
            let said = ask(&attack.text(&question), attack.flavour, properties(&question), asked);
            let class = match (&question, truth.is_undefined(), truth.agreed) {
                (_, true, _) => "undefined",
                (_, _, false) => "compilers differ",
                (Query::Equal { .. }, ..) => "violated",
                (Query::Property(property), ..) if truth.reports.iter().any(|one| violates(*one, *property)) => {
                    "violated"
                }
                _ => "safe",
            };
            count(format!("{flavour:10} {class}: {}", said.name()));
            if let Some(why) = wrong(attack, &question, truth, &said) {
                found.push(Wrong { attack: attack.clone(), question, said, why });
            }
        }
    }
    Ok((tally, found))
}

//! Error invariants (Ermis et al. 2012; Christ et al. 2013, section 4): the relevant statements are a minimal set that contradicts the assertion, and
//! between two of them stands an error invariant ([`interpolate::invariants`]).

use super::lines::Line;
use super::trace::ErrorTrace;
use base::Budget;
use cfa::EdgeId;
use encode::Origin;
use interpolate::cores::{Group, MAX_MINIMAL, groups_with_guards, relevant_groups};
use interpolate::invariants::{Goal, Invariants};
pub use interpolate::invariants::{Invariant, Range};
use interpolate::words;

/// An abstract error trace: invariants and the statements at which they change.
#[derive(Clone, Debug, Default)]
pub struct AbstractTrace {
    pub items: Vec<Item>,
    /// Lines of the relevant statements, in the order of the run.
    pub relevant: Vec<Line>,
    /// Lines of the conditions in whose scope they lie.
    pub conditions: Vec<Line>,
    /// What the recursive variant finds, if it was asked and came to an end, and how.
    pub recursive: Option<Vec<Line>>,
    /// It was asked, and did not come to an end.
    pub recursive_gave_up: bool,
    pub explained: Vec<Explained>,
    /// The steps of the relevant statements, including those that cannot be suspects. The numbers are those of the trace formula's steps.
    pub core: Vec<usize>,
    /// An invariant before each of them, and before the assertion; `None` where none was looked for or the budget ended.
    pub invariants: Vec<Option<Invariant>>,
}

/// A condition that the recursive variant explains (`None`: the assertion), the step before which it holds, and what makes it hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explained {
    pub condition: Option<u32>,
    pub end: usize,
    pub core: Vec<usize>,
}

#[derive(Clone, Debug)]
pub enum Item {
    /// A C expression that holds here, with `…` for what C has no words for: see [`Invariant`].
    Invariant(String),
    Statement {
        edge: EdgeId,
        line: Line,
    },
    /// A variable keeps its value because a branch was not taken.
    Frame {
        line: Line,
        text: String,
    },
}

/// Invariants are looked for before so many of the last relevant statements: each is about everything that follows it.
const INVARIANTS: usize = 80;

/// What it may cost to find simple ones together.
const EFFORT_OF_ALL: u64 = 50_000;

pub fn flow_insensitive(trace: &mut ErrorTrace<'_>, budget: &Budget) -> Option<AbstractTrace> {
    let groups = groups_with_guards(&mut trace.run);
    let phi = trace.run.phi;
    let relevant = relevant_groups(&mut trace.run, groups, phi, budget)?;
    Some(abstract_trace(trace, &relevant, &[], budget))
}

/// The relevant statements with invariants between them, which suffice for the assertion and for further goals.
pub fn abstract_trace(
    trace: &mut ErrorTrace<'_>,
    relevant: &[Group],
    goals: &[Goal],
    budget: &Budget,
) -> AbstractTrace {
    let budget = &budget.with_effort(EFFORT_OF_ALL);
    let mut invariants = Invariants::new(&trace.run, relevant, goals);
    let mut result = AbstractTrace { core: relevant.iter().map(|group| group.step).collect(), ..Default::default() };
    for position in 0..=relevant.len() {
        let near_the_end = relevant.len() - position < if relevant.len() > MAX_MINIMAL { 8 } else { INVARIANTS };
        let invariant = if near_the_end { invariants.at(&mut trace.run, position, budget) } else { None };
        if let Some(invariant) = invariant.as_ref().filter(|invariant| !invariant.text.is_empty()) {
            let and = frontend::of(trace.run.encoder.task.program)
                .and_then(|frontend| (frontend.spelling)(frontend::TokenKind::And))
                .unwrap_or("&&");
            let rest = if invariant.complete { String::new() } else { format!(" {and} …") };
            result.items.push(Item::Invariant(format!("{}{rest}", invariant.text)));
        }
        result.invariants.push(invariant);
        let Some(group) = relevant.get(position) else { break };
        let Some(line) = trace.lines[group.step].clone() else { continue };
        let scope = trace.run.formula.steps[group.step].scope;
        for condition in trace.run.conditions_around(scope) {
            let step = trace.run.formula.conditions[condition as usize].step as usize;
            result.conditions.extend(trace.lines[step].clone());
        }
        match trace.run.formula.steps[group.step].origin {
            Origin::Edge(edge) => {
                result.relevant.push(line.clone());
                result.items.push(Item::Statement { edge, line });
            }
            Origin::Frame(_) => {
                let vars = trace.run.formula.steps[group.step].definitions.iter();
                let vars = vars.map(|one| words::assigned_text(trace.run.encoder.task.program, one.assigned));
                let mut vars: Vec<String> = vars.collect();
                vars.dedup();
                let text = format!("{} unchanged", vars.join(", "));
                result.items.push(Item::Frame { line, text });
            }
        }
    }
    result.conditions.sort();
    result.conditions.dedup();
    result
}

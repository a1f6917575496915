//! Error invariants (paper 4, and Ermis et al., "Error Invariants", 2012). The relevant statements are a minimal set that contradicts the assertion;
//! between two of them one formula over the values that the later ones read holds and suffices: the error invariant.
//!
//! Invariants are state cores: of the concrete values that the rest of the contradiction reads, a minimal subset that suffices, each then
//! weakened to the widest bound or interval. Both defining conditions are checked before anything is returned: the run implies it, and with the
//! rest of the trace it contradicts the assertion.

use super::lines::Line;
use super::trace::ErrorTrace;
use super::whodunit::MAX_MINIMAL;
use super::words::{self, Words};
use base::Budget;
use cfa::{Bits, EdgeId, Type, TypeId, eval};
use encode::{Origin, PathInput};
use logic::{Outcome, Solver, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

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
    /// The steps of the relevant statements, those included that nobody is blamed for. The numbers are those of the trace formula's steps.
    pub core: Vec<usize>,
    /// An invariant before each of them, and before the assertion; `None` where none was looked for or the budget ended.
    pub invariants: Vec<Option<Invariant>>,
}

/// An error invariant at every position of an interval; a position is before the step of that number.
#[derive(Clone, PartialEq, Debug)]
pub struct Invariant {
    pub from: usize,
    pub to: usize,
    /// All of them hold; none: it is true.
    pub ranges: Vec<Range>,
    /// What of it can be said in C at the start of the interval; empty if nothing.
    pub text: String,
    /// Whether that is all of it.
    pub complete: bool,
    /// The last position at which the text is true of the variables: a condition has read one, and then it changes.
    pub until: usize,
}

/// A name of the trace formula whose value lies in an interval.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Range {
    pub name: String,
    pub signed: bool,
    pub low: i128,
    pub high: i128,
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

/// What it may cost to find simple ones, each and together: to learn which values do not matter can be as hard as a proof.
const EFFORT_OF_ONE: u64 = 5_000;
const EFFORT_OF_ALL: u64 = 50_000;
/// What it may cost to leave out what is not relevant.
const MINIMAL_EFFORT: u64 = 50_000;

/// A step with what it says, under its conditions if that is asked for.
#[derive(Clone)]
pub struct Group {
    pub step: usize,
    pub terms: Vec<TermId>,
}

pub fn flow_insensitive(trace: &mut ErrorTrace<'_>, budget: &Budget) -> Option<AbstractTrace> {
    let mut groups = Vec::new();
    for step in 0..trace.end {
        let mut terms = trace.equations(step);
        terms.extend(trace.formula.steps[step].guard);
        if !terms.is_empty() {
            groups.push(Group { step, terms });
        }
    }
    let relevant = relevant_groups(trace, groups, trace.phi, budget)?;
    Some(abstract_trace(trace, &relevant, &[], budget))
}

/// A minimal set of groups that, with the inputs, contradicts the assertion.
pub fn relevant_groups(
    trace: &mut ErrorTrace<'_>,
    groups: Vec<Group>,
    phi: TermId,
    budget: &Budget,
) -> Option<Vec<Group>> {
    let mut given = trace.psi.clone();
    given.push(phi);
    needed_groups(trace, &given, groups, budget)
}

/// A minimal set of groups that contradicts what is given.
pub fn needed_groups(
    trace: &mut ErrorTrace<'_>,
    given: &[TermId],
    groups: Vec<Group>,
    budget: &Budget,
) -> Option<Vec<Group>> {
    let mut all = given.to_vec();
    all.extend(groups.iter().flat_map(|group| &group.terms));
    let core = trace.contradiction(&all, budget)?.ok()?;
    let core: FxHashSet<TermId> = core.into_iter().collect();
    let mut kept: Vec<Group> =
        groups.into_iter().filter(|group| group.terms.iter().any(|term| core.contains(term))).collect();
    // Earlier steps are tried first: what is near the assertion explains it best.
    let mut position = if kept.len() > MAX_MINIMAL { kept.len() } else { 0 };
    let budget = &budget.with_effort(MINIMAL_EFFORT);
    while position < kept.len() {
        let mut terms = given.to_vec();
        let others = kept.iter().enumerate().filter(|(index, _)| *index != position);
        terms.extend(others.flat_map(|(_, group)| &group.terms));
        let Some(answer) = trace.contradiction(&terms, budget) else { break };
        match answer {
            Ok(core) => {
                let core: FxHashSet<TermId> = core.into_iter().collect();
                kept.remove(position);
                let before = kept[..position].iter().filter(|group| group.terms.iter().any(|term| core.contains(term)));
                position = before.count();
                kept.retain(|group| group.terms.iter().any(|term| core.contains(term)));
            }
            Err(()) => position += 1,
        }
    }
    Some(kept)
}

/// What is read of the state at a point: a name with its value, and what it is called.
struct Reading {
    name: TermId,
    equal: TermId,
    word: Option<(String, Option<TypeId>)>,
}

/// Something else than the assertion that the statements before a step contradict.
#[derive(Clone, Copy)]
pub struct Goal {
    pub step: usize,
    pub term: TermId,
}

/// The relevant statements with invariants between them, which suffice for the assertion and for further goals.
pub fn abstract_trace(
    trace: &mut ErrorTrace<'_>,
    relevant: &[Group],
    goals: &[Goal],
    budget: &Budget,
) -> AbstractTrace {
    let budget = &budget.with_effort(EFFORT_OF_ALL);
    let mut invariants = Invariants { words: Words::of(trace), relevant, goals, before: FxHashMap::default() };
    let mut result = AbstractTrace { core: relevant.iter().map(|group| group.step).collect(), ..Default::default() };
    for position in 0..=relevant.len() {
        let near_the_end = relevant.len() - position < if relevant.len() > MAX_MINIMAL { 8 } else { INVARIANTS };
        let invariant = if near_the_end { invariants.at(trace, position, budget) } else { None };
        if let Some(invariant) = invariant.as_ref().filter(|invariant| !invariant.text.is_empty()) {
            let rest = if invariant.complete { "" } else { " && …" };
            result.items.push(Item::Invariant(format!("{}{rest}", invariant.text)));
        }
        result.invariants.push(invariant);
        let Some(group) = relevant.get(position) else { break };
        let Some(line) = trace.lines[group.step].clone() else { continue };
        let scope = trace.formula.steps[group.step].scope;
        for condition in conditions_around(trace, scope) {
            let step = trace.formula.conditions[condition as usize].step as usize;
            result.conditions.extend(trace.lines[step].clone());
        }
        match trace.formula.steps[group.step].origin {
            Origin::Edge(edge) => {
                result.relevant.push(line.clone());
                result.items.push(Item::Statement { edge, line });
            }
            Origin::Frame(_) => {
                let vars = trace.formula.steps[group.step].definitions.iter();
                let vars = vars.map(|one| words::assigned_text(trace.encoder.task.program, one.assigned));
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

/// The conditions in whose scope something lies, innermost first.
pub fn conditions_around(trace: &ErrorTrace<'_>, scope: Option<u32>) -> Vec<u32> {
    let parent = |condition: &u32| trace.formula.conditions[*condition as usize].parent;
    std::iter::successors(scope, parent).collect()
}

/// The invariants of a trace, one after the other.
struct Invariants<'a> {
    words: Words,
    relevant: &'a [Group],
    goals: &'a [Goal],
    /// What was said of each value at the point before.
    before: FxHashMap<TermId, (i128, i128)>,
}

impl Invariants<'_> {
    /// An error invariant for the point before a relevant step, or before the assertion.
    fn at(&mut self, trace: &mut ErrorTrace<'_>, position: usize, budget: &Budget) -> Option<Invariant> {
        let to = self.relevant.get(position).map_or(trace.end, |group| group.step);
        let after = position.checked_sub(1).map_or(0, |last| self.relevant[last].step + 1);
        // Inputs that are read later belong to what follows.
        let read_before = |input: &PathInput| input.step.is_none_or(|step| (step as usize) < to);
        let inputs = trace.formula.inputs.iter().zip(trace.psi.iter().copied());
        let (known, later): (Vec<_>, Vec<_>) = inputs.partition(|(input, _)| read_before(input));
        let known: Vec<TermId> = known.into_iter().map(|(_, term)| term).collect();
        let mut rest: Vec<TermId> = later.into_iter().map(|(_, term)| term).collect();
        rest.extend(self.rest(trace, position, to));
        // What comes before and what comes after share these names; a formula over them suffices (Craig).
        let mut before: Vec<TermId> = self.relevant[..position].iter().flat_map(|group| group.terms.clone()).collect();
        before.extend(known);
        before.extend(&trace.psi[trace.formula.inputs.len()..]);
        let before: FxHashSet<TermId> = trace.names_in_all(&before).into_iter().collect();
        let mut readings = Vec::new();
        for name in trace.names_in_all(&rest).into_iter().filter(|name| before.contains(name)) {
            if let Some(logic::Value::Bits(bits)) = trace.formula.values.get(name).cloned() {
                let value = trace.encoder.pool.bits(&bits);
                let equal = trace.encoder.pool.eq(name, value);
                readings.push(Reading { name, equal, word: None });
            }
        }
        let from = after.max(read_until(trace, &readings));
        readings.iter_mut().for_each(|reading| reading.word = self.words.say(trace, reading.name, from));
        // What cannot be said is the first to be left out.
        readings.sort_by_key(|reading| reading.word.is_some());
        let mut suffix = Suffix { solver: Solver::new(), budget: &budget.with_effort(EFFORT_OF_ONE) };
        for term in &rest {
            suffix.solver.assert(&trace.encoder.pool, *term);
        }
        let all: Vec<TermId> = readings.iter().map(|reading| reading.equal).collect();
        let core = suffix.core(trace, &all)?;
        let core = all.into_iter().filter(|term| core.contains(term)).collect();
        let core = suffix.minimal(trace, core);
        readings.retain(|reading| core.contains(&reading.equal));
        let from = after.max(read_until(trace, &readings));
        readings.iter_mut().for_each(|reading| reading.word = self.words.say(trace, reading.name, from));
        let mut parts: Vec<Part> = Vec::new();
        for Reading { name, equal, word } in readings {
            parts.push(Part { range: exactly(trace, name, word.as_ref().and_then(|word| word.1))?, term: equal, word });
        }
        self.weaken(trace, &mut suffix, &mut parts);
        let conjuncts: Vec<TermId> = parts.iter().map(|part| part.term).collect();
        let formula = trace.encoder.pool.and_all(&conjuncts);
        if !is_error_invariant(trace, formula, &rest, budget) {
            return None;
        }
        let said = |part: &Part| part.word.as_ref().map(|_| (part.range.name, (part.range.low, part.range.high)));
        self.before = parts.iter().filter_map(said).collect();
        let mut texts: Vec<String> = parts.iter().filter_map(|part| part.text(trace)).collect();
        let complete = texts.len() == parts.len();
        texts.sort();
        texts.dedup();
        let said = parts.iter().filter(|part| part.word.is_some());
        let until =
            said.filter_map(|part| self.words.until(trace, part.range.name)).min().map_or(to, |until| until.min(to));
        let ranges = parts.into_iter().map(|part| part.range.of(trace)).collect();
        Some(Invariant { from, to, ranges, text: texts.join(" && "), complete, until })
    }

    /// What follows a position: the relevant statements, and that the assertion holds or another goal is reached. An assumption counts only for
    /// goals that come after it.
    fn rest(&self, trace: &mut ErrorTrace<'_>, position: usize, to: usize) -> Vec<TermId> {
        let groups = &self.relevant[position..];
        let goals: Vec<&Goal> = self.goals.iter().filter(|goal| goal.step >= to).collect();
        let assumes = |group: &&Group| !goals.is_empty() && trace.is_assumption(&trace.formula.steps[group.step]);
        let (assumed, defining): (Vec<&Group>, Vec<&Group>) = groups.iter().partition(assumes);
        let mut rest: Vec<TermId> = defining.into_iter().flat_map(|group| group.terms.clone()).collect();
        let mut ways = Vec::new();
        for (end, term) in goals.iter().map(|goal| (goal.step, goal.term)).chain([(trace.end, trace.phi)]) {
            let before = assumed.iter().filter(|group| group.step < end);
            let mut terms: Vec<TermId> = before.flat_map(|group| group.terms.clone()).collect();
            terms.push(term);
            ways.push(trace.encoder.pool.and_all(&terms));
        }
        rest.push(trace.encoder.pool.or_all(&ways));
        rest
    }

    fn weaken(&self, trace: &mut ErrorTrace<'_>, suffix: &mut Suffix<'_>, parts: &mut [Part]) {
        // What was said of a value at the point before is said again if it still suffices.
        let as_before = |part: &Part| self.before.get(&part.range.name).filter(|_| part.word.is_some()).copied();
        let mut settled = vec![false; parts.len()];
        let mut terms = Vec::new();
        for (part, settled) in parts.iter().zip(&mut settled) {
            terms.push(match as_before(part) {
                Some((low, high)) => {
                    *settled = true;
                    between(trace, Number { low, high, ..part.range })
                }
                None => part.term,
            });
        }
        if suffix.core(trace, &terms).is_some() {
            for (part, term) in parts.iter_mut().zip(terms) {
                (part.range.low, part.range.high) = as_before(part).unwrap_or((part.range.low, part.range.high));
                part.term = term;
            }
        } else {
            settled.fill(false);
        }
        // Each other value is weakened in turn, the rest as they are by then.
        for index in (0..parts.len()).filter(|index| !settled[*index]) {
            let others = parts.iter().enumerate().filter(|(at, _)| *at != index);
            let others: Vec<TermId> = others.map(|(_, part)| part.term).collect();
            if let Some(range) = suffix.weaken(trace, &parts[index], &others) {
                parts[index].range = range;
                parts[index].term = between(trace, range);
            }
        }
    }
}

/// The position from which all inputs among what is read are there.
fn read_until(trace: &ErrorTrace<'_>, readings: &[Reading]) -> usize {
    let names: FxHashSet<TermId> = readings.iter().map(|reading| reading.name).collect();
    let read = trace.formula.inputs.iter().filter(|input| names.contains(&input.term)).filter_map(|input| input.step);
    read.max().map_or(0, |step| step as usize + 1)
}

/// The two conditions: it holds on the run (whose values follow from the inputs), and with the rest it contradicts the assertion.
pub fn is_error_invariant(trace: &mut ErrorTrace<'_>, formula: TermId, rest: &[TermId], budget: &Budget) -> bool {
    let holds = logic::eval::eval(&trace.encoder.pool, &trace.formula.values, formula).as_bool() == Some(true);
    let mut terms = rest.to_vec();
    terms.push(formula);
    holds && matches!(trace.contradiction(&terms, budget), Some(Ok(_)))
}

/// One conjunct of an invariant.
struct Part {
    range: Number,
    term: TermId,
    /// What the value is called here, with its type.
    word: Option<(String, Option<TypeId>)>,
}

impl Part {
    fn text(&self, trace: &ErrorTrace<'_>) -> Option<String> {
        let (text, ty) = self.word.as_ref()?;
        let (ty, types) = ((*ty)?, &trace.encoder.task.program.types);
        let Number { low, high, .. } = self.range;
        if low == high {
            let logic::Value::Bits(bits) = trace.formula.values.get(self.range.name)? else { return None };
            return Some(format!("{text} == {}", eval::display(types, ty, Bits::new(bits.to_u128()?))));
        }
        let (least, most) = limits(self.range.signed, trace.encoder.pool.width(self.range.name));
        Some(match (low == least, high == most) {
            (true, _) => format!("{text} <= {high}"),
            (false, true) => format!("{text} >= {low}"),
            (false, false) => format!("{text} >= {low} && {text} <= {high}"),
        })
    }
}

/// A name and the interval that its value lies in.
#[derive(Clone, Copy)]
struct Number {
    name: TermId,
    signed: bool,
    low: i128,
    high: i128,
}

impl Number {
    fn of(self, trace: &ErrorTrace<'_>) -> Range {
        let name = trace.encoder.pool.name(self.name).unwrap_or_default().to_string();
        Range { name, signed: self.signed, low: self.low, high: self.high }
    }
}

/// A name with its value on the run; numbers of C by their value, everything else by its bits.
fn exactly(trace: &ErrorTrace<'_>, name: TermId, ty: Option<TypeId>) -> Option<Number> {
    let logic::Value::Bits(bits) = trace.formula.values.get(name)? else { return None };
    let types = &trace.encoder.task.program.types;
    let signed = ty.is_some_and(|ty| matches!(types.get(ty), Type::Int(_)) && types.is_signed(ty));
    let value = if signed { bits.to_i128()? } else { bits.to_u128()? as i128 };
    Some(Number { name, signed, low: value, high: value })
}

fn limits(signed: bool, width: u32) -> (i128, i128) {
    match signed {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    }
}

/// The rest of the trace, asserted: what must be known of the state for it to contradict the assertion?
struct Suffix<'b> {
    solver: Solver,
    budget: &'b Budget,
}

impl Suffix<'_> {
    fn core(&mut self, trace: &ErrorTrace<'_>, terms: &[TermId]) -> Option<Vec<TermId>> {
        match self.solver.check(&trace.encoder.pool, terms, self.budget) {
            Outcome::Unsat(core) => Some(core),
            Outcome::Sat(_) | Outcome::Unknown => None,
        }
    }

    fn minimal(&mut self, trace: &ErrorTrace<'_>, mut core: Vec<TermId>) -> Vec<TermId> {
        let mut position = 0;
        while position < core.len() {
            let mut fewer = core.clone();
            fewer.remove(position);
            match self.core(trace, &fewer) {
                Some(smaller) => {
                    let before = core[..position].iter().filter(|term| smaller.contains(term)).count();
                    core = fewer.into_iter().filter(|term| smaller.contains(term)).collect();
                    position = before;
                }
                None => position += 1,
            }
        }
        core
    }

    /// The widest bound or interval around the value of an integer that still suffices.
    fn weaken(&mut self, trace: &mut ErrorTrace<'_>, part: &Part, others: &[TermId]) -> Option<Number> {
        // What has no name in the source is not shown, so it may stay as it is.
        let ty = part.word.as_ref()?.1?;
        let types = &trace.encoder.task.program.types;
        let width = types.scalar_bits(ty);
        let is_number = matches!(types.get(ty), Type::Int(_)) && (2..=64).contains(&width);
        let number = part.range;
        if !is_number || trace.encoder.pool.width(number.name) != width {
            return None;
        }
        let (least, most) = limits(number.signed, width);
        let value = number.low;
        let high = self.reach(trace, number, others, most)?;
        let low = self.reach(trace, number, others, least)?;
        // Both sides together may be too much, since each was tried alone.
        let both = self.escapes(trace, Number { low, high, ..number }, others)?.is_none();
        let (low, high) = match both {
            true => (low, high),
            false if high == most || high - value >= value - low => (value, high),
            false => (low, value),
        };
        ((low, high) != (least, most)).then_some(Number { low, high, ..number })
    }

    /// A value in an interval for which the rest no longer contradicts the assertion, if there is one; `None` at the end of the budget.
    fn escapes(&mut self, trace: &mut ErrorTrace<'_>, number: Number, others: &[TermId]) -> Option<Option<i128>> {
        let mut terms = others.to_vec();
        terms.push(between(trace, number));
        match self.solver.check(&trace.encoder.pool, &terms, self.budget) {
            Outcome::Unsat(_) => Some(None),
            Outcome::Sat(model) => {
                let bits = model.bits(&trace.encoder.pool, number.name);
                let value = if number.signed { bits.to_i128() } else { bits.to_u128().map(|value| value as i128) };
                Some(Some(value?))
            }
            Outcome::Unknown => None,
        }
    }

    /// How far a value may move in one direction: bisection, helped by the values that escape.
    fn reach(&mut self, trace: &mut ErrorTrace<'_>, number: Number, others: &[TermId], limit: i128) -> Option<i128> {
        let value = number.low;
        let up_to = |to: i128| Number { low: to.min(value), high: to.max(value), ..number };
        let towards = if limit < value { 1 } else { -1 };
        let Some(mut bad) = self.escapes(trace, up_to(limit), others)? else { return Some(limit) };
        // Everything up to `good` suffices, `bad` does not.
        let mut good = value;
        while (bad - good).abs() > 1 {
            // Perhaps what escaped is the first that does; if not, the middle is next.
            for probe in [bad + towards, good + (bad - good) / 2] {
                match self.escapes(trace, up_to(probe), others)? {
                    None if probe == bad + towards => return Some(probe),
                    None => good = probe,
                    Some(escaped) => bad = escaped,
                }
                if (bad - good).abs() <= 1 {
                    break;
                }
            }
        }
        Some(good)
    }
}

fn between(trace: &mut ErrorTrace<'_>, number: Number) -> TermId {
    let pool = &mut trace.encoder.pool;
    let width = pool.width(number.name);
    let (low, high) = (pool.bv_signed(width, number.low), pool.bv_signed(width, number.high));
    let (above, below) = match number.signed {
        true => (pool.sle(low, number.name), pool.sle(number.name, high)),
        false => (pool.ule(low, number.name), pool.ule(number.name, high)),
    };
    pool.and(above, below)
}

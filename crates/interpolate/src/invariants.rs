//! Error invariants (Christ et al. 2013, section 4; Ermis et al. 2012): between two relevant statements of a run, one formula over the values that the
//! later ones read holds and suffices for the contradiction.
//!
//! They are state cores ([`crate::state`]), each value weakened to the widest bound or interval. Both defining conditions are checked before anything is
//! returned: the run implies it, and with the rest of the run it contradicts what should have held.

use crate::cores::Group;
use crate::formula::RunFormula;
use crate::state::{Interval, Suffix};
use crate::words::Words;
use base::Budget;
use cfa::{BinOp, Bits, IntKind, Program, Type, TypeId, eval};
use encode::PathInput;
use frontend::TokenKind;
use logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

/// What it may cost to find a simple one: to learn which values do not matter can be as hard as a proof.
const EFFORT_OF_ONE: u64 = 5_000;

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

/// Something else than the assertion that the statements before a step contradict.
#[derive(Clone, Copy)]
pub struct Goal {
    pub step: usize,
    pub term: TermId,
}

/// What is read of the state at a point: a name with its value, and what it is called.
struct Reading {
    name: TermId,
    equal: TermId,
    word: Option<(String, Option<TypeId>)>,
}

/// The invariants of a run, one after the other.
pub struct Invariants<'a> {
    words: Words,
    /// A contradiction with what should have held.
    relevant: &'a [Group],
    /// The invariants suffice for these too.
    goals: &'a [Goal],
    /// What was said of each value at the point before.
    before: FxHashMap<TermId, (i128, i128)>,
}

impl<'a> Invariants<'a> {
    pub fn new(trace: &RunFormula<'_>, relevant: &'a [Group], goals: &'a [Goal]) -> Self {
        Invariants { words: Words::of(trace), relevant, goals, before: FxHashMap::default() }
    }

    /// An error invariant for the point before a relevant step, or before the assertion.
    pub fn at(&mut self, trace: &mut RunFormula<'_>, position: usize, budget: &Budget) -> Option<Invariant> {
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
            if let Some(logic::TermValue::Bits(bits)) = trace.formula.values.get(name).cloned() {
                let value = trace.encoder.pool.bits(&bits);
                let equal = trace.encoder.pool.eq(name, value);
                readings.push(Reading { name, equal, word: None });
            }
        }
        let from = after.max(read_until(trace, &readings));
        readings.iter_mut().for_each(|reading| reading.word = self.words.say(trace, reading.name, from));
        // What cannot be said is the first to be left out.
        readings.sort_by_key(|reading| reading.word.is_some());
        let effort = budget.with_effort(EFFORT_OF_ONE);
        let mut suffix = Suffix::new(trace, &rest, &effort);
        let all: Vec<TermId> = readings.iter().map(|reading| reading.equal).collect();
        let core = suffix.minimal_core(trace, &all)?;
        readings.retain(|reading| core.contains(&reading.equal));
        let from = after.max(read_until(trace, &readings));
        readings.iter_mut().for_each(|reading| reading.word = self.words.say(trace, reading.name, from));
        let mut parts: Vec<Part> = Vec::new();
        for Reading { name, equal, word } in readings {
            let range = Interval::exactly(trace, name, word.as_ref().and_then(|word| word.1))?;
            parts.push(Part { range, term: equal, word });
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
        let and = format!(" {} ", spelling(trace, TokenKind::And));
        let complete = texts.len() == parts.len();
        texts.sort();
        texts.dedup();
        let said = parts.iter().filter(|part| part.word.is_some());
        let until =
            said.filter_map(|part| self.words.until(trace, part.range.name)).min().map_or(to, |until| until.min(to));
        let ranges = parts.into_iter().map(|part| range_of(trace, part.range)).collect();
        Some(Invariant { from, to, ranges, text: texts.join(&and), complete, until })
    }

    /// What follows a position: the relevant statements, and that the assertion holds or another goal is reached. An assumption counts only for
    /// goals that come after it.
    fn rest(&self, trace: &mut RunFormula<'_>, position: usize, to: usize) -> Vec<TermId> {
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

    fn weaken(&self, trace: &mut RunFormula<'_>, suffix: &mut Suffix<'_>, parts: &mut [Part]) {
        // What was said of a value at the point before is said again if it still suffices.
        let as_before = |part: &Part| self.before.get(&part.range.name).filter(|_| part.word.is_some()).copied();
        let mut settled = vec![false; parts.len()];
        let mut terms = Vec::new();
        for (part, settled) in parts.iter().zip(&mut settled) {
            terms.push(match as_before(part) {
                Some((low, high)) => {
                    *settled = true;
                    Interval { low, high, ..part.range }.term(trace)
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
            if parts[index].is_number(trace)
                && let Some(range) = suffix.widest(trace, parts[index].range, &others)
            {
                parts[index].range = range;
                parts[index].term = range.term(trace);
            }
        }
    }
}

/// The position from which all inputs among what is read are there.
fn read_until(trace: &RunFormula<'_>, readings: &[Reading]) -> usize {
    let names: FxHashSet<TermId> = readings.iter().map(|reading| reading.name).collect();
    let read = trace.formula.inputs.iter().filter(|input| names.contains(&input.term)).filter_map(|input| input.step);
    read.max().map_or(0, |step| step as usize + 1)
}

/// The two conditions: it holds on the run (whose values follow from the inputs), and with the rest it contradicts the assertion.
pub fn is_error_invariant(trace: &mut RunFormula<'_>, formula: TermId, rest: &[TermId], budget: &Budget) -> bool {
    let holds = logic::eval::eval(&trace.encoder.pool, &trace.formula.values, formula).as_bool() == Some(true);
    let mut terms = rest.to_vec();
    terms.push(formula);
    holds && matches!(trace.contradiction(&terms, budget), Some(Ok(_)))
}

/// One conjunct of an invariant.
struct Part {
    range: Interval,
    term: TermId,
    /// What the value is called here, with its type.
    word: Option<(String, Option<TypeId>)>,
}

impl Part {
    /// Whether it is an integer of the source. What has no name there is not shown, so it may stay as it is.
    fn is_number(&self, trace: &RunFormula<'_>) -> bool {
        let Some((_, Some(ty))) = self.word else { return false };
        let types = &trace.encoder.task.program.types;
        let width = types.scalar_bits(ty);
        matches!(types.get(ty), Type::Int(_))
            && (2..=64).contains(&width)
            && trace.encoder.pool.width(self.range.name) == width
    }

    fn text(&self, trace: &RunFormula<'_>) -> Option<String> {
        let (text, ty) = self.word.as_ref()?;
        let ty = (*ty)?;
        let Interval { low, high, .. } = self.range;
        if low == high {
            let logic::TermValue::Bits(bits) = trace.formula.values.get(self.range.name)? else { return None };
            let value = value_text(trace.encoder.task.program, ty, Bits::new(bits.to_u128()?));
            return Some(format!("{text} {} {value}", spelling(trace, TokenKind::Binary(BinOp::Eq))));
        }
        let (least, most) = self.range.limits(trace);
        Some(match (low == least, high == most) {
            (true, _) => format!("{text} <= {high}"),
            (false, true) => format!("{text} >= {low}"),
            (false, false) => format!("{text} >= {low} {} {text} <= {high}", spelling(trace, TokenKind::And)),
        })
    }
}

/// How the language of the program writes an operator.
fn spelling(trace: &RunFormula<'_>, kind: TokenKind) -> &'static str {
    frontend::of(trace.encoder.task.program).and_then(|frontend| (frontend.spelling)(kind)).unwrap_or(match kind {
        TokenKind::And => "&&",
        _ => "==",
    })
}

/// A number as the language of the program writes it.
fn value_text(program: &Program, ty: TypeId, bits: Bits) -> String {
    let words = frontend::of(program).and_then(|frontend| frontend.truth_values);
    match words.filter(|_| ty.int_kind() == Some(IntKind::Bool)) {
        Some(words) => words[(bits != Bits::ZERO) as usize].into(),
        None => eval::display(&program.types, ty, bits),
    }
}

fn range_of(trace: &RunFormula<'_>, interval: Interval) -> Range {
    let name = trace.encoder.pool.name(interval.name).unwrap_or_default().to_string();
    Range { name, signed: interval.signed, low: interval.low, high: interval.high }
}

//! Error invariants (paper 4, and Ermis et al., "Error Invariants", 2012). The relevant statements are a minimal set that contradicts the assertion;
//! between two of them one formula over the values that the later ones read holds and suffices: the error invariant.
//!
//! Invariants are state cores: of the concrete values that the rest of the contradiction reads, a minimal subset that suffices, each then
//! weakened to the widest bound or interval. Both defining conditions are checked before anything is returned: the run implies it, and with the
//! rest of the trace it contradicts the assertion.

use super::lines::Line;
use super::trace::ErrorTrace;
use super::whodunit::MAX_MINIMAL;
use base::Budget;
use cfa::{Bits, EdgeId, Type, TypeId, VarKind, display, eval};
use encode::{Assigned, Definition, Origin};
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
    /// What the recursive variant finds, if it was asked and came to an end.
    pub recursive: Option<Vec<Line>>,
}

#[derive(Clone, Debug)]
pub enum Item {
    /// A C expression that holds from here to the next statement.
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
    Some(abstract_trace(trace, &relevant, trace.phi, budget))
}

/// A minimal set of groups that, with the inputs, contradicts the assertion.
pub fn relevant_groups(
    trace: &mut ErrorTrace<'_>,
    groups: Vec<Group>,
    phi: TermId,
    budget: &Budget,
) -> Option<Vec<Group>> {
    let mut all = vec![phi];
    all.extend(&trace.psi);
    all.extend(groups.iter().flat_map(|group| &group.terms));
    let core = trace.contradiction(&all, budget)?.ok()?;
    let core: FxHashSet<TermId> = core.into_iter().collect();
    let mut kept: Vec<Group> =
        groups.into_iter().filter(|group| group.terms.iter().any(|term| core.contains(term))).collect();
    let mut inputs: Vec<TermId> = trace.psi.iter().copied().filter(|term| core.contains(term)).collect();
    // Earlier steps are tried first: what is near the assertion explains it best.
    let mut position = if kept.len() > MAX_MINIMAL { kept.len() } else { 0 };
    let budget = &budget.with_effort(MINIMAL_EFFORT);
    while position < kept.len() {
        let mut terms = vec![phi];
        terms.extend(&inputs);
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
                inputs.retain(|term| core.contains(term));
            }
            Err(()) => position += 1,
        }
    }
    Some(kept)
}

/// What is read of the state at a point: each name with its value.
struct Reading {
    name: TermId,
    equal: TermId,
}

/// The relevant statements with invariants between them.
pub fn abstract_trace(trace: &mut ErrorTrace<'_>, relevant: &[Group], phi: TermId, budget: &Budget) -> AbstractTrace {
    let budget = &budget.with_effort(EFFORT_OF_ALL);
    let names = readable_names(trace);
    let mut result = AbstractTrace::default();
    let mut before = FxHashMap::default();
    for position in 0..=relevant.len() {
        let near_the_end = relevant.len() - position < if relevant.len() > MAX_MINIMAL { 8 } else { INVARIANTS };
        let rest: Vec<TermId> =
            relevant[position..].iter().flat_map(|group| group.terms.clone()).chain([phi]).collect();
        let from = relevant.get(position).map_or(trace.end, |group| group.step);
        if near_the_end && let Some(text) = invariant(trace, &rest, from, &names, &mut before, budget) {
            result.items.push(Item::Invariant(text));
        }
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
                let vars = trace.formula.steps[group.step].definitions.iter().map(|one| text_of(trace, one));
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

/// What each name is called, its type, and whether its text can be shown.
type Names = FxHashMap<TermId, (String, Option<TypeId>)>;

fn text_of(trace: &ErrorTrace<'_>, definition: &Definition) -> String {
    let program = trace.encoder.program;
    match definition.assigned {
        Assigned::Var(var) if matches!(program.vars[var].kind, VarKind::Temp(_)) => "…".into(),
        Assigned::Var(var) => program.name(program.vars[var].name).to_string(),
        Assigned::Place(place) => display::place_text(program, place),
        Assigned::Result(function) => format!("{}()", program.function_name(function)),
        Assigned::Memory => "…".into(),
    }
}

fn readable_names(trace: &ErrorTrace<'_>) -> Names {
    let program = trace.encoder.program;
    let mut names = Names::default();
    for input in &trace.formula.inputs {
        let text = match input.source {
            cfa::interp::InputSource::Param { var, .. } => program.name(program.vars[var].name).to_string(),
            cfa::interp::InputSource::Edge { edge, .. } => match program.edges[edge].op {
                cfa::Op::Havoc(place, _) | cfa::Op::Call { dest: Some(place), .. }
                    if evidence::shown::target(program, place) == evidence::shown::Target::Named =>
                {
                    display::place_text(program, place)
                }
                _ => "…".into(),
            },
        };
        names.insert(input.term, (text, Some(input.ty)));
    }
    for definition in trace.formula.steps.iter().flat_map(|step| &step.definitions) {
        names.insert(definition.name, (text_of(trace, definition), definition.ty));
    }
    names
}

/// An error invariant for the point before a step, as C; `None` if nothing of the state matters there.
fn invariant(
    trace: &mut ErrorTrace<'_>,
    rest: &[TermId],
    from: usize,
    names: &Names,
    before: &mut FxHashMap<TermId, (TermId, String)>,
    budget: &Budget,
) -> Option<String> {
    let mut seen = FxHashSet::default();
    let mut readings = Vec::new();
    for name in trace.names_in_all(rest) {
        let earlier = trace.defined_by.get(&name).is_none_or(|step| *step < from);
        if earlier
            && seen.insert(name)
            && let Some(logic::Value::Bits(bits)) = trace.formula.values.get(name).cloned()
        {
            let value = trace.encoder.pool.bits(&bits);
            let equal = trace.encoder.pool.eq(name, value);
            readings.push(Reading { name, equal });
        }
    }
    // What follows is asserted once; only what is said of the state changes from question to question.
    let mut suffix = Suffix { solver: Solver::new(), budget: &budget.with_effort(EFFORT_OF_ONE) };
    for term in rest {
        suffix.solver.assert(&trace.encoder.pool, *term);
    }
    let all: Vec<TermId> = readings.iter().map(|reading| reading.equal).collect();
    let core = suffix.core(trace, &all)?;
    let core = suffix.minimal(trace, core);
    let mut parts: Vec<Part> = Vec::new();
    for reading in readings.iter().filter(|reading| core.contains(&reading.equal)) {
        let text = equality(trace, reading.name, names)?;
        parts.push(Part { name: reading.name, term: reading.equal, text });
    }
    // What was said of a value at the point before is said again if it still suffices.
    let equalities: Vec<TermId> = parts.iter().map(|part| part.term).collect();
    let mut settled = vec![false; parts.len()];
    for (part, settled) in parts.iter_mut().zip(&mut settled) {
        if let Some((term, text)) = before.get(&part.name) {
            (part.term, part.text, *settled) = (*term, text.clone(), true);
        }
    }
    let terms: Vec<TermId> = parts.iter().map(|part| part.term).collect();
    if suffix.core(trace, &terms).is_none() {
        settled.fill(false);
        for (part, equality_term) in parts.iter_mut().zip(equalities) {
            part.term = equality_term;
            part.text = equality(trace, part.name, names)?;
        }
    }
    // Each other value is weakened in turn, the rest as they are by then.
    for index in (0..parts.len()).filter(|index| !settled[*index]) {
        let others = parts.iter().enumerate().filter(|(at, _)| *at != index);
        let others: Vec<TermId> = others.map(|(_, part)| part.term).collect();
        if let Some((term, text)) = suffix.weaken(trace, parts[index].name, &others, names) {
            (parts[index].term, parts[index].text) = (term, text);
        }
    }
    let conjuncts: Vec<TermId> = parts.iter().map(|part| part.term).collect();
    let formula = trace.encoder.pool.and_all(&conjuncts);
    if parts.is_empty() || !is_error_invariant(trace, formula, rest, budget) {
        return None;
    }
    *before = parts.iter().map(|part| (part.name, (part.term, part.text.clone()))).collect();
    let mut texts: Vec<String> = parts.into_iter().map(|part| part.text).collect();
    texts.sort();
    texts.dedup();
    // A value that has no name in the source cannot be spoken of.
    texts.retain(|text| !text.contains('…'));
    (!texts.is_empty()).then(|| texts.join(" && "))
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
    name: TermId,
    term: TermId,
    text: String,
}

fn equality(trace: &ErrorTrace<'_>, name: TermId, names: &Names) -> Option<String> {
    let (text, ty) = names.get(&name)?;
    let logic::Value::Bits(bits) = trace.formula.values.get(name)? else { return None };
    let types = &trace.encoder.program.types;
    Some(match ty {
        Some(ty) => format!("{text} == {}", eval::display(types, *ty, Bits::new(bits.to_u128()?))),
        // One of the two parts of a pointer.
        None => "…".into(),
    })
}

/// The rest of the trace, asserted: what must be known of the state for it to contradict the assertion?
struct Suffix<'b> {
    solver: Solver,
    budget: &'b Budget,
}

/// An integer name and what its type allows.
#[derive(Clone, Copy)]
struct Number {
    name: TermId,
    signed: bool,
    value: i128,
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
    fn weaken(
        &mut self,
        trace: &mut ErrorTrace<'_>,
        name: TermId,
        others: &[TermId],
        names: &Names,
    ) -> Option<(TermId, String)> {
        let (text, ty) = names.get(&name)?.clone();
        // What has no name in the source is not shown, so it may stay as it is.
        let ty = ty.filter(|_| !text.contains('…'))?;
        let types = &trace.encoder.program.types;
        if !matches!(types.get(ty), Type::Int(_)) {
            return None;
        }
        let (signed, width) = (types.is_signed(ty), types.scalar_bits(ty));
        if !(2..=64).contains(&width) || trace.encoder.pool.width(name) != width {
            return None;
        }
        let logic::Value::Bits(bits) = trace.formula.values.get(name)?.clone() else { return None };
        let value = eval::to_i128(types, ty, Bits::new(bits.to_u128()?));
        let (least, most) = match signed {
            true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
            false => (0, (1i128 << width) - 1),
        };
        let number = Number { name, signed, value };
        let high = self.reach(trace, number, others, most)?;
        let low = self.reach(trace, number, others, least)?;
        // Both sides together may be too much, since each was tried alone.
        let both = self.escapes(trace, number, others, low, high)?.is_none();
        let (low, high) = match both {
            true => (low, high),
            false if high == most || high - value >= value - low => (value, high),
            false => (low, value),
        };
        let term = between(trace, number, low, high);
        let text = match (low == least, high == most) {
            (true, true) => return None,
            (true, false) => format!("{text} <= {high}"),
            (false, true) => format!("{text} >= {low}"),
            _ if low == high => format!("{text} == {low}"),
            _ => format!("{text} >= {low} && {text} <= {high}"),
        };
        Some((term, text))
    }

    /// A value in an interval for which the rest no longer contradicts the assertion, if there is one; `None` at the end of the budget.
    fn escapes(
        &mut self,
        trace: &mut ErrorTrace<'_>,
        number: Number,
        others: &[TermId],
        low: i128,
        high: i128,
    ) -> Option<Option<i128>> {
        let mut terms = others.to_vec();
        terms.push(between(trace, number, low, high));
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
        let value = number.value;
        let interval = |to: i128| if to < value { (to, value) } else { (value, to) };
        let towards = if limit < value { 1 } else { -1 };
        let (low, high) = interval(limit);
        let Some(mut bad) = self.escapes(trace, number, others, low, high)? else { return Some(limit) };
        // Everything up to `good` suffices, `bad` does not.
        let mut good = value;
        while (bad - good).abs() > 1 {
            // Perhaps what escaped is the first that does; if not, the middle is next.
            for probe in [bad + towards, good + (bad - good) / 2] {
                let (low, high) = interval(probe);
                match self.escapes(trace, number, others, low, high)? {
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

fn between(trace: &mut ErrorTrace<'_>, number: Number, low: i128, high: i128) -> TermId {
    let pool = &mut trace.encoder.pool;
    let width = pool.width(number.name);
    let (low, high) = (pool.bv_signed(width, low), pool.bv_signed(width, high));
    let (above, below) = match number.signed {
        true => (pool.sle(low, number.name), pool.sle(number.name, high)),
        false => (pool.ule(low, number.name), pool.ule(number.name, high)),
    };
    pool.and(above, below)
}

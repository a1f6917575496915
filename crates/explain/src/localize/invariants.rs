//! Error invariants (paper 4, and Ermis et al., "Error Invariants", 2012). The relevant statements are a minimal set that contradicts the assertion;
//! between two of them one formula over the values that the later ones read holds and suffices: the error invariant.
//!
//! Invariants are state cores: of the concrete values that the rest of the contradiction reads, a minimal subset that suffices, each then
//! weakened to the widest bound or interval. Both defining conditions are checked before anything is returned: the run implies it, and with the
//! rest of the trace it contradicts the assertion.

use super::lines::Line;
use super::trace::ErrorTrace;
use super::whodunit::minimize;
use base::Budget;
use cfa::{Bits, Type, TypeId, VarKind, display, eval};
use encode::{Assigned, Definition, Origin};
use logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

/// An abstract error trace: invariants and the statements at which they change.
#[derive(Clone, Debug, Default)]
pub struct AbstractTrace {
    pub items: Vec<Item>,
    /// Lines of the relevant statements, in the order of the run.
    pub relevant: Vec<Line>,
    /// Lines of the conditions in whose scope they lie.
    pub conditions: Vec<Line>,
    /// What the recursive variant finds, if it was asked.
    pub recursive: Vec<Line>,
}

#[derive(Clone, Debug)]
pub enum Item {
    /// A C expression that holds from here to the next statement.
    Invariant(String),
    Statement {
        step: usize,
        line: Line,
    },
    /// A variable keeps its value because a branch was not taken.
    Frame {
        step: usize,
        line: Line,
        text: String,
    },
}

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
    let mut position = 0;
    while position < kept.len() {
        let mut terms = vec![phi];
        terms.extend(&inputs);
        let others = kept.iter().enumerate().filter(|(index, _)| *index != position);
        terms.extend(others.flat_map(|(_, group)| &group.terms));
        match trace.contradiction(&terms, budget)? {
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
    let names = readable_names(trace);
    let mut result = AbstractTrace::default();
    for position in 0..=relevant.len() {
        let rest: Vec<TermId> =
            relevant[position..].iter().flat_map(|group| group.terms.clone()).chain([phi]).collect();
        let from = relevant.get(position).map_or(trace.end, |group| group.step);
        if let Some(text) = invariant(trace, &rest, from, &names, budget) {
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
            Origin::Edge(_) => {
                result.relevant.push(line.clone());
                result.items.push(Item::Statement { step: group.step, line });
            }
            Origin::Frame(_) => {
                let vars = trace.formula.steps[group.step].definitions.iter().map(|one| text_of(trace, one));
                let mut vars: Vec<String> = vars.collect();
                vars.dedup();
                let text = format!("{} unchanged", vars.join(", "));
                result.items.push(Item::Frame { step: group.step, line, text });
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
    budget: &Budget,
) -> Option<String> {
    let mut read = FxHashSet::default();
    let mut readings = Vec::new();
    for term in rest {
        for name in trace.names_in(*term) {
            let earlier = trace.defined_by.get(&name).is_none_or(|step| *step < from);
            if earlier
                && read.insert(name)
                && let Some(logic::Value::Bits(bits)) = trace.formula.values.get(name).cloned()
            {
                let value = trace.encoder.pool.bits(&bits);
                let equal = trace.encoder.pool.eq(name, value);
                readings.push(Reading { name, equal });
            }
        }
    }
    let mut terms: Vec<TermId> = rest.to_vec();
    terms.extend(readings.iter().map(|reading| reading.equal));
    let core = trace.contradiction(&terms, budget)?.ok()?;
    let core = minimize(trace, core, budget);
    let mut parts: Vec<(Reading, TermId, String)> = Vec::new();
    for reading in readings {
        if core.contains(&reading.equal) {
            let text = equality(trace, reading.name, names)?;
            parts.push((Reading { name: reading.name, equal: reading.equal }, reading.equal, text));
        }
    }
    // Each value is weakened in turn, the others as they are by then.
    for index in 0..parts.len() {
        let others: Vec<TermId> =
            parts.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, part)| part.1).collect();
        let mut fixed = rest.to_vec();
        fixed.extend(others);
        let name = parts[index].0.name;
        if let Some((term, text)) = weaken(trace, name, &fixed, names, budget) {
            (parts[index].1, parts[index].2) = (term, text);
        }
    }
    let conjuncts: Vec<TermId> = parts.iter().map(|part| part.1).collect();
    let formula = trace.encoder.pool.and_all(&conjuncts);
    if !is_error_invariant(trace, formula, rest, budget) || parts.is_empty() {
        return None;
    }
    let mut texts: Vec<String> = parts.into_iter().map(|part| part.2).collect();
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

/// The widest bound or interval around the value of an integer that still suffices.
fn weaken(
    trace: &mut ErrorTrace<'_>,
    name: TermId,
    fixed: &[TermId],
    names: &Names,
    budget: &Budget,
) -> Option<(TermId, String)> {
    let (text, ty) = names.get(&name)?.clone();
    let ty = ty?;
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
    let high = reach(trace, name, signed, fixed, value, most, budget)?;
    let low = reach(trace, name, signed, fixed, value, least, budget)?;
    // Both sides together may be too much, since each was tried alone.
    let (low, high) = match suffices(trace, name, signed, fixed, low, high, budget)? {
        true => (low, high),
        false if high == most || high - value >= value - low => (value, high),
        false => (low, value),
    };
    let term = between(trace, name, signed, low, high);
    let text = match (low == least, high == most) {
        (true, true) => return None,
        (true, false) => format!("{text} <= {high}"),
        (false, true) => format!("{text} >= {low}"),
        _ if low == high => format!("{text} == {low}"),
        _ => format!("{text} >= {low} && {text} <= {high}"),
    };
    Some((term, text))
}

fn between(trace: &mut ErrorTrace<'_>, name: TermId, signed: bool, low: i128, high: i128) -> TermId {
    let pool = &mut trace.encoder.pool;
    let width = pool.width(name);
    let (low, high) = (pool.bv_signed(width, low), pool.bv_signed(width, high));
    let (above, below) = match signed {
        true => (pool.sle(low, name), pool.sle(name, high)),
        false => (pool.ule(low, name), pool.ule(name, high)),
    };
    pool.and(above, below)
}

fn suffices(
    trace: &mut ErrorTrace<'_>,
    name: TermId,
    signed: bool,
    fixed: &[TermId],
    low: i128,
    high: i128,
    budget: &Budget,
) -> Option<bool> {
    let inside = between(trace, name, signed, low, high);
    let mut terms = fixed.to_vec();
    terms.push(inside);
    Some(trace.contradiction(&terms, budget)?.is_ok())
}

/// How far a value may move in one direction, by bisection.
fn reach(
    trace: &mut ErrorTrace<'_>,
    name: TermId,
    signed: bool,
    fixed: &[TermId],
    value: i128,
    limit: i128,
    budget: &Budget,
) -> Option<i128> {
    let interval = |to: i128| if to < value { (to, value) } else { (value, to) };
    let (low, high) = interval(limit);
    if suffices(trace, name, signed, fixed, low, high, budget)? {
        return Some(limit);
    }
    let (mut good, mut bad) = (value, limit);
    while (bad - good).abs() > 1 {
        let middle = good + (bad - good) / 2;
        let (low, high) = interval(middle);
        if suffices(trace, name, signed, fixed, low, high, budget)? {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Some(good)
}

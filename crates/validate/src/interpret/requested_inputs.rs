//! The inputs that a witness requests, from the expressions of its rules.

use super::hints::{self, Comparison, HintValue, hints};
use crate::table::{Rule, Table};
use crate::walk::Walker;
use cfa::interp::{FillRequest, InputRequest, InputSource, Inputs, ProgramArgs};
use cfa::walk::Node;
use cfa::{Bits, EdgeId, FuncId, Op, PlaceKind, Program, TypeId, VarId, VarKind};
use encode::Moment;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// An expression that the run must satisfy later.
#[derive(Clone, Copy)]
struct UpcomingCondition<'t> {
    text: &'t str,
    /// Whether that is when a statement, or the run, begins; otherwise it is after some operation.
    at_start: bool,
}

/// Conditions that are checked next: those of the state's rules, and what statements are assumed to begin with after them.
fn upcoming_conditions(table: &Table, state: u32) -> Vec<UpcomingCondition<'_>> {
    let starts = |moment: Moment| matches!(moment, Moment::Before(_) | Moment::Start(_));
    let mut found = Vec::new();
    let mut at = state;
    for _ in 0..64 {
        let leaving = table.leaving(at).iter().filter(|rule| rule.to.is_some());
        found.extend(leaving.clone().map(|rule| UpcomingCondition { text: &rule.text, at_start: starts(rule.moment) }));
        match leaving.clone().find(|rule| starts(rule.moment)).and_then(|rule| rule.to) {
            Some(next) if next != at => at = next,
            _ => break,
        }
    }
    found
}

/// What inputs are that a witness says nothing about.
#[derive(Clone, Debug)]
pub enum Guess {
    Zero,
    /// These, in this order; then the run ends.
    Choices(Vec<u8>),
}

/// The inputs of a run that follows a witness.
pub struct WitnessInputs<'t> {
    pub program: &'t Program,
    pub entry: FuncId,
    pub walker: Rc<RefCell<Walker<'t>>>,
    /// Whether the witness is a sequence: it may wait for a later match.
    pub may_wait: bool,
    /// The first input that the witness leaves open, if any.
    pub open: Option<Open>,
    /// Whether the witness says of each input what it is, be it that others are possible where it waits for a later match.
    pub all_stated: bool,
    /// What such inputs are, and how many there were.
    guess: Guess,
    guessed: usize,
    /// What was found out before: a loop asks for the same again and again.
    known: HashMap<ContentsKey, Vec<Written>>,
    chosen: HashMap<(EdgeId, TypeId, Vec<u32>), Option<Chosen>>,
}

/// A value for an input.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Chosen {
    bits: Bits,
    /// The witness says that it is this value.
    stated: bool,
    /// And allows no other, in none of its states.
    only: bool,
}

/// What a variable holds depends on nothing else.
type ContentsKey = (VarId, Moment, Vec<u32>);

/// A scalar part of an object: its offset, size and contents.
type Written = (u64, u64, u128);

/// An input that the witness says nothing definite about.
#[derive(Clone, Copy)]
pub enum Open {
    At(EdgeId),
    Parameter,
}

impl<'t> WitnessInputs<'t> {
    pub fn new(
        program: &'t Program,
        entry: FuncId,
        walker: Rc<RefCell<Walker<'t>>>,
        may_wait: bool,
        guess: Guess,
    ) -> Self {
        let (known, chosen) = (HashMap::new(), HashMap::new());
        WitnessInputs {
            program,
            entry,
            walker,
            may_wait,
            open: None,
            all_stated: true,
            guess,
            guessed: 0,
            known,
            chosen,
        }
    }

    /// The value that the witness wants for something of one of the names. It is the only one if all states of the witness want it.
    fn wanted(&self, moment: Moment, names: &[String], ty: TypeId) -> Option<Chosen> {
        let walker = self.walker.borrow();
        let all = walker.states.iter().map(|state| self.wanted_in(walker.table, *state, moment, names, ty));
        let all: Vec<Option<Chosen>> = all.collect();
        let first = all.iter().find_map(|chosen| *chosen)?;
        Some(Chosen { only: first.only && all.iter().all(|chosen| *chosen == Some(first)), ..first })
    }

    fn wanted_in(&self, table: &Table, state: u32, moment: Moment, names: &[String], ty: TypeId) -> Option<Chosen> {
        let mut found: Vec<(Comparison, HintValue)> = Vec::new();
        let collect = |found: &mut Vec<(Comparison, HintValue)>, text: &str, follow: bool, result: bool| {
            let all = hints(text);
            let lone = all.len() == 1;
            for hint in all {
                let named = names.contains(&hint.operand) && (result || hint.operand != "\\result");
                if named && (follow || lone) {
                    let relation = if follow { hint.relation } else { hint.relation.negated() };
                    found.push((relation, hint.number));
                }
            }
        };
        for rule in table.at(moment, state) {
            collect(&mut found, &rule.text, rule.to.is_some(), true);
        }
        if found.is_empty() {
            upcoming_conditions(table, state)
                .into_iter()
                .for_each(|upcoming_conditions| collect(&mut found, upcoming_conditions.text, true, false));
        }
        if found.is_empty() {
            return None;
        }
        let (bits, only) = hints::choose(&self.program.types, ty, &found)?;
        // A sequence may also wait for a later match, unless other values are to be avoided.
        let must =
            !self.may_wait || table.at(moment, state).iter().any(|rule| rule.to.is_none() && avoids_others(rule));
        Some(Chosen { bits, stated: only, only: only && must })
    }

    /// The command line that the witness assumes; the words that it says nothing about are empty.
    pub fn command_line(&self) -> ProgramArgs {
        let (program, walker) = (self.program, self.walker.borrow());
        let params = &program.functions[self.entry].params;
        let names: Vec<&str> = params.iter().map(|var| program.name(program.vars[*var].name)).collect();
        let ([count, rest @ ..], "main") = (names.as_slice(), program.function_name(self.entry)) else {
            return ProgramArgs::default();
        };
        let mut words: Vec<Vec<u8>> = vec![b"program".to_vec()];
        let texts = walker.states.iter().flat_map(|state| upcoming_conditions(walker.table, *state));
        let all: Vec<hints::Hint> = texts.flat_map(|upcoming_conditions| hints(upcoming_conditions.text)).collect();
        for hint in &all {
            let (Comparison::Eq, HintValue::Int(value)) = (hint.relation, hint.number) else { continue };
            if hint.operand == *count {
                words.resize((value.clamp(1, 64)) as usize, Vec::new());
            }
        }
        for hint in &all {
            let (Comparison::Eq, HintValue::Int(value)) = (hint.relation, hint.number) else { continue };
            let indices = rest.first().and_then(|name| hint.operand.strip_prefix(name)).map(|indices| {
                let inner = indices.trim_start_matches('[').trim_end_matches(']');
                inner.split("][").map(str::parse::<usize>).collect::<Result<Vec<_>, _>>()
            });
            if let Some(Ok(indices)) = indices
                && let [word, at] = indices[..]
                && word < words.len()
                && at < 4096
            {
                if word == 0 && words[0] == b"program" {
                    words[0].clear();
                }
                if words[word].len() <= at {
                    words[word].resize(at + 1, 0);
                }
                words[word][at] = value as u8;
            }
        }
        // The zero at the end is no part of a word.
        for word in &mut words {
            let end = word.iter().position(|byte| *byte == 0).unwrap_or(word.len());
            word.truncate(end);
        }
        ProgramArgs { words }
    }
}

/// Whether a waypoint to avoid is passed with all values but one.
fn avoids_others(rule: &Rule) -> bool {
    matches!(hints(&rule.text)[..], [hints::Hint { relation: Comparison::Ne, .. }])
}

impl Inputs for WitnessInputs<'_> {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        let program = self.program;
        let (wanted, open) = match request.source {
            InputSource::Edge { edge, .. } => {
                let asked = (edge, request.ty, self.walker.borrow().states.clone());
                let known = self.chosen.get(&asked).copied();
                let wanted =
                    known.unwrap_or_else(|| self.wanted(Moment::After(edge), &names_of(program, edge), request.ty));
                self.chosen.insert(asked, wanted);
                (wanted, Open::At(edge))
            }
            InputSource::Param { var, .. } => {
                let name = vec![program.name(program.vars[var].name).to_string()];
                (self.wanted(Moment::Start(self.entry), &name, request.ty), Open::Parameter)
            }
        };
        match wanted {
            Some(chosen) if chosen.only => Some(chosen.bits),
            other => {
                self.open.get_or_insert(open);
                self.all_stated &= other.is_some_and(|chosen| chosen.stated);
                if let Some(chosen) = other {
                    return Some(chosen.bits);
                }
                self.guessed += 1;
                match &self.guess {
                    Guess::Zero => Some(Bits::ZERO),
                    Guess::Choices(choices) => Some(Bits::new((*choices.get(self.guessed - 1)?).into())),
                }
            }
        }
    }

    fn fill(&mut self, request: &FillRequest, bytes: &mut [u8]) {
        let (var, moment) = match *request {
            FillRequest::Local { var, edge: Some(edge) } => (var, Moment::After(edge)),
            FillRequest::Local { var, edge: None } | FillRequest::Extern { var } => (var, Moment::Start(self.entry)),
            // What a function fails to return is anything.
            FillRequest::Result { edge } => {
                self.open.get_or_insert(Open::At(edge));
                self.all_stated = false;
                return;
            }
            FillRequest::Allocation { .. } => return,
        };
        let walker = self.walker.borrow();
        let asked = (var, moment, walker.states.clone());
        let parts = self.known.entry(asked).or_insert_with(|| contents(self.program, &walker, var, moment));
        for (offset, size, bits) in parts.iter() {
            for index in 0..*size {
                if let Some(slot) = bytes.get_mut((offset + index) as usize) {
                    *slot = (bits >> (index * 8)) as u8;
                }
            }
        }
    }
}

/// What the witness says about a variable and its parts.
fn contents(program: &Program, walker: &Walker<'_>, var: VarId, moment: Moment) -> Vec<Written> {
    let data = &program.vars[var];
    if !matches!(data.kind, VarKind::Local(_) | VarKind::Global | VarKind::Param(_)) {
        return Vec::new();
    }
    let name = program.name(data.name);
    let mut texts: Vec<&str> = Vec::new();
    for &state in &walker.states {
        texts.extend(walker.table.at(moment, state).iter().map(|rule| &*rule.text));
        texts.extend(
            upcoming_conditions(walker.table, state)
                .into_iter()
                .filter(|upcoming_conditions| upcoming_conditions.at_start)
                .map(|upcoming_conditions| upcoming_conditions.text),
        );
    }
    let mut written: Vec<Written> = Vec::new();
    for hint in texts.into_iter().filter(|text| text.contains(name)).flat_map(hints) {
        let Some(path) = hint.operand.strip_prefix(name).filter(|_| hint.relation == Comparison::Eq) else { continue };
        let Some((offset, ty)) = part(program, data.ty, path) else { continue };
        let bits = hints::bits(&program.types, ty, hint.number).get();
        let size = program.types.size_of(ty).unwrap_or(0).min(16);
        if !written.iter().any(|(known, ..)| *known == offset) {
            written.push((offset, size, bits));
        }
    }
    written
}

/// The scalar part of an object that `[3].x` names.
fn part(program: &Program, mut ty: TypeId, mut path: &str) -> Option<(u64, TypeId)> {
    let types = &program.types;
    let mut offset = 0;
    while !path.is_empty() {
        if let Some(rest) = path.strip_prefix('[') {
            let (index, rest) = rest.split_once(']')?;
            let cfa::Type::Array(element, _) = types.get(ty) else { return None };
            offset += index.parse::<u64>().ok()?.checked_mul(types.size_of(*element)?)?;
            (ty, path) = (*element, rest);
        } else {
            let rest = path.strip_prefix('.')?;
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let cfa::Type::Record(record) = types.get(ty) else { return None };
            let named = |field: &&cfa::types::Field| field.name.is_some_and(|name| program.name(name) == &rest[..end]);
            let field = types.records[*record].fields.iter().find(named).filter(|field| field.bits.is_none())?;
            offset += field.offset;
            (ty, path) = (field.ty, &rest[end..]);
        }
    }
    types.is_scalar(ty).then_some((offset, ty))
}

/// The names that a witness may have for the value that an edge reads.
fn names_of(program: &Program, edge: EdgeId) -> Vec<String> {
    let mut names = vec!["\\result".to_string()];
    let place = match program.edges[edge].op {
        Op::Havoc(place, _) | Op::Call { dest: Some(place), .. } => place,
        _ => return names,
    };
    names.extend(frontend::source_text(program, Node::Place(place)).map(|text| text.replace(' ', "")));
    // A temporary is assigned soon.
    if let PlaceKind::Var(var) = program.places[place].kind
        && matches!(program.vars[var].kind, VarKind::Temp(_))
    {
        let mut at = program.edges[edge].to;
        for _ in 0..4 {
            let Some(next) = program.successors(at).next() else { break };
            if let Op::Assign(place, _) = program.edges[next].op {
                names.extend(frontend::source_text(program, Node::Place(place)).map(|text| text.replace(' ', "")));
            }
            at = program.edges[next].to;
        }
    }
    names
}

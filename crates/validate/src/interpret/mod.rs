//! The interpreter follows the witness: where the program asks for an input, the witness says which (paper 2: the extraction of the test vector);
//! at every step the witness moves along. Nothing is compiled, nothing of the program leaves the interpreter.

mod automaton;
pub mod hints;
mod rules;
mod sequence;

use crate::condition::concrete;
use crate::{Answer, Progress, Question, Validation};
use base::Budget;
use cfa::interp::{
    self, Config, Event, FillRequest, InputRequest, InputSource, Inputs, Limit, Observer, Outcome, ProgramArgs, Run,
    Uninitialized, View,
};
use cfa::{Bits, EdgeId, Fault, Op, PlaceKind, Program, TypeId, VarId, VarKind, display};
use evidence::{Tape, TapeRecorder};
use hints::{Number, Relation, hints};
use rules::{Check, Moment, Otherwise, Rules};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use witness::program::Source;
use witness::{Content, Kind, Witness};

pub const NAME: &str = "interpret";

/// Longer runs are given up.
const MAX_STEPS: u64 = 200_000_000;

/// How many steps a budget is good for: the interpreter does not look at the clock.
fn steps_within(budget: &Budget) -> u64 {
    const EACH_SECOND: f64 = 2e6;
    let affordable = budget.remaining().map(|left| (left.as_secs_f64() * EACH_SECOND) as u64);
    affordable.map_or(MAX_STEPS, |steps| steps.min(MAX_STEPS))
}

pub fn validate(question: &Question<'_>) -> Validation {
    match follow(question) {
        Ok(followed) => followed.validation,
        Err(reason) => Validation { result: Answer::Undecided, how: NAME, reason, progress: Progress::default() },
    }
}

/// A run along a witness.
pub struct Followed {
    pub validation: Validation,
    pub run: Run,
    /// Everything that the run was given.
    pub tape: Tape,
    /// The run is none that the witness means.
    pub left: bool,
}

/// Runs the program as the witness says.
pub fn follow(question: &Question<'_>) -> Result<Followed, String> {
    if question.witness.kind() != Some(Kind::Violation) {
        return Err("it is not a violation witness: there is no run to follow".into());
    }
    let source =
        Source::new(question.sources, question.file, Some(question.program)).ok_or("the program is in no file")?;
    let entry = question.program.function_name(question.entry);
    let rules = match question.witness {
        Witness::Automaton(found) => automaton::rules(found, &source, question.program, entry, question.budget)?,
        Witness::Entries(entries) => {
            let segments = entries.iter().find_map(|entry| match &entry.content {
                Content::Violation(segments) => Some(segments),
                _ => None,
            });
            let segments = segments.ok_or("it has no violation sequence")?;
            sequence::rules(segments, &source, question.program, question.budget)?
        }
    };
    let tracker = Rc::new(RefCell::new(Tracker::new(&rules)));
    let args = tracker.borrow().command_line(question);
    let mut giver = Giver { tracker: tracker.clone() };
    let mut recorder = TapeRecorder::new(args.clone(), &mut giver);
    let mut watcher = Watcher { tracker: tracker.clone(), budget: question.budget, steps: 0 };
    let config =
        Config { properties: question.properties, max_steps: steps_within(question.budget), ..Config::default() };
    let run = interp::run_observed(&rules.program, question.entry, &args, &mut recorder, &config, &mut watcher);
    let tape = recorder.tape;
    let tracker = tracker.borrow();
    let validation = tracker.judge(question, &run, &tape, &args);
    Ok(Followed { validation, run, tape, left: tracker.dead.is_some() })
}

/// Where in the witness the run is.
struct Tracker<'r> {
    rules: &'r Rules,
    states: Vec<usize>,
    total: usize,
    /// The nearest to the violation that it ever was.
    nearest: usize,
    /// Why no state is left.
    dead: Option<String>,
    /// The first input that the witness leaves open, if any: (line of code is found by the edge).
    open: Option<EdgeId>,
    /// A condition that could not be evaluated but was taken to hold.
    unsure: Option<String>,
    /// Whether the witness ever could be in two states.
    ambiguous: bool,
}

impl<'r> Tracker<'r> {
    fn new(rules: &'r Rules) -> Self {
        let total = rules.start.iter().filter_map(|state| rules.distance.get(state)).min().copied().unwrap_or(0);
        Tracker {
            rules,
            states: rules.start.clone(),
            total,
            nearest: total,
            dead: None,
            open: None,
            unsure: None,
            ambiguous: false,
        }
    }

    /// The witness moves.
    fn moment(&mut self, view: &View<'_, '_>, moment: Moment) {
        let mut next: Vec<usize> = Vec::new();
        let mut changed = false;
        let mut failed = None;
        for &state in &self.states {
            let rules = self.rules.at(moment, state);
            if rules.is_empty() {
                next.push(state);
                continue;
            }
            changed = true;
            let mut passed = Vec::new();
            let mut forbidden = false;
            for rule in rules {
                let holds = match &rule.check {
                    Check::Always => true,
                    Check::When(condition) => concrete(condition, view) == Some(true),
                    Check::Unknown(why) => {
                        self.unsure.get_or_insert_with(|| why.clone());
                        true
                    }
                };
                match (holds, rule.to) {
                    (true, Some(to)) => passed.push(to),
                    (true, None) => forbidden = true,
                    (false, _) => {
                        failed.get_or_insert_with(|| (rule.line, rule.text.clone()));
                    }
                }
            }
            let lingers = rules.iter().any(|rule| rule.lingers);
            if forbidden && self.rules.otherwise == Otherwise::Stay {
                failed.get_or_insert_with(|| (rules[0].line, "a waypoint to avoid".into()));
                continue;
            }
            let stays = match self.rules.otherwise {
                Otherwise::Stay => passed.is_empty(),
                Otherwise::Die => lingers,
            };
            next.extend(passed);
            if stays {
                next.push(state);
            }
        }
        if !changed {
            return;
        }
        let mut seen = std::collections::HashSet::new();
        next.retain(|state| seen.insert(*state));
        self.ambiguous |= next.len() > 1;
        if next.is_empty() && self.dead.is_none() {
            let (line, text) = failed.unwrap_or_default();
            let what =
                if text.is_empty() { "it leads to a sink".to_string() } else { format!("`{text}` does not hold") };
            self.dead = Some(format!("line {line}: {what}"));
        }
        self.states = next;
        self.note();
    }

    fn while_moving(&mut self, view: &View<'_, '_>, moment: Moment) {
        for _ in 0..self.rules.distance.len().min(1000) {
            let before = self.states.clone();
            self.moment(view, moment);
            if self.states == before {
                break;
            }
        }
    }

    fn note(&mut self) {
        let nearest = self.states.iter().filter_map(|state| self.rules.distance.get(state)).min();
        self.nearest = self.nearest.min(nearest.copied().unwrap_or(usize::MAX));
    }

    /// The value that the witness wants for something of one of the names.
    fn wanted(&self, moment: Moment, names: &[String], ty: TypeId) -> Option<(Bits, bool)> {
        let types = &self.rules.program.types;
        for &state in &self.states {
            let mut found: Vec<(Relation, Number)> = Vec::new();
            let collect = |found: &mut Vec<(Relation, Number)>, text: &str, follow: bool, result: bool| {
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
            for rule in self.rules.at(moment, state) {
                collect(&mut found, &rule.text, rule.to.is_some(), true);
            }
            if found.is_empty() {
                self.rules.soon(state).into_iter().for_each(|soon| collect(&mut found, soon.text, true, false));
            }
            if !found.is_empty()
                && let Some((bits, only)) = hints::choose(types, ty, &found)
            {
                // A sequence may also wait for a later match, unless other values are to be avoided.
                let must = self.rules.otherwise == Otherwise::Die
                    || found.iter().filter(|(relation, _)| *relation == Relation::Eq).count() > 1;
                return Some((bits, only && must));
            }
        }
        None
    }

    /// The command line that the witness assumes; the words that it says nothing about are empty.
    fn command_line(&self, question: &Question<'_>) -> ProgramArgs {
        let program = question.program;
        let params = &program.functions[question.entry].params;
        let names: Vec<&str> = params.iter().map(|var| program.name(program.vars[*var].name)).collect();
        let ([count, rest @ ..], "main") = (names.as_slice(), program.function_name(question.entry)) else {
            return ProgramArgs::default();
        };
        let mut words: Vec<Vec<u8>> = vec![b"program".to_vec()];
        let texts = self.states.iter().flat_map(|state| self.rules.soon(*state));
        let all: Vec<hints::Hint> = texts.flat_map(|soon| hints(soon.text)).collect();
        for hint in &all {
            let (Relation::Eq, Number::Int(value)) = (hint.relation, hint.number) else { continue };
            if hint.operand == *count {
                words.resize((value.clamp(1, 64)) as usize, Vec::new());
            }
        }
        for hint in &all {
            let (Relation::Eq, Number::Int(value)) = (hint.relation, hint.number) else { continue };
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

    fn accepts(&self, end: Option<EdgeId>) -> bool {
        self.states.iter().any(|state| {
            self.rules.accepting.contains(state)
                || end.is_some_and(|end| self.rules.targets.get(state).is_some_and(|edges| edges.contains(&end)))
        })
    }

    fn judge(&self, question: &Question<'_>, run: &Run, tape: &Tape, args: &ProgramArgs) -> Validation {
        let place = |edge: EdgeId| {
            let found = question.sources.locate(question.program.edges[edge].anchor);
            found.map_or("an unknown place".to_string(), |found| format!("line {}", found.line))
        };
        // A leak has no place, and witnesses put it anywhere at the end.
        let leak = matches!(run.outcome, Outcome::Violation { fault: None, property }
            if matches!(property, cfa::Property::ValidMemcleanup | cfa::Property::ValidMemtrack));
        let end = run.end.or(run.stack.last().copied());
        let at_end = leak && self.states.iter().any(|state| self.rules.targets.contains_key(state));
        let violated = matches!(run.outcome, Outcome::Violation { .. });
        let accepted = violated && (self.accepts(end) || self.accepts(run.stack.last().copied()) || at_end);
        let matched = if accepted { self.total } else { self.total.saturating_sub(self.nearest) };
        let progress = Progress { matched, total: self.total };
        let answer = |result, reason: String| Validation { result, how: NAME, reason, progress };
        let how_far = format!("{matched} of {} steps of the witness were followed", self.total);
        if accepted {
            return match &self.unsure {
                Some(why) => answer(Answer::Undecided, format!("an expression could not be evaluated: {why}")),
                None => answer(Answer::Confirmed, "the run that the witness describes violates the property".into()),
            };
        }
        // Nothing is certain if somebody else could have chosen otherwise.
        let certain = self.open.is_none()
            && self.unsure.is_none()
            && !self.ambiguous
            && self.reads_only_written(question, tape, args);
        let ended = match run.outcome {
            Outcome::Violation { property, .. } => {
                format!("it violates {} in {}", property.name(), end.map_or("no line".into(), place))
            }
            Outcome::Finished(code) => format!("it ends with code {code}"),
            Outcome::Aborted => "it is aborted".into(),
            Outcome::AssumptionFailed => "an assumption of the program fails".into(),
            Outcome::Undefined(fault) => format!("its behaviour is undefined: {}", fault.describe()),
            Outcome::Poison(_) => "it meets a construct that is not supported".into(),
            Outcome::Limit(limit) => format!("a limit was reached ({limit:?})"),
        };
        let reason = match (&self.dead, self.open, &self.rules.missing[..]) {
            (Some(dead), ..) => format!("the run leaves the witness in {dead}; {how_far}"),
            (None, Some(open), _) => {
                format!(
                    "the witness leaves the input in {} open, and with the value that was tried {ended}; {how_far}",
                    place(open)
                )
            }
            (None, None, [missing, ..]) => {
                format!(
                    "{missing} stands for nothing in the program; with the inputs of the witness {ended}; {how_far}"
                )
            }
            (None, None, []) => format!("with the inputs of the witness {ended}; {how_far}"),
        };
        let limited =
            matches!(run.outcome, Outcome::Limit(Limit::Steps | Limit::Memory | Limit::Depth) | Outcome::Poison(_));
        let rejected = certain && !limited && (!violated || self.dead.is_some());
        answer(if rejected { Answer::Rejected } else { Answer::Undecided }, reason)
    }

    /// Whether the run depends on the inputs alone, and not on what memory holds that nobody wrote.
    fn reads_only_written(&self, question: &Question<'_>, tape: &Tape, args: &ProgramArgs) -> bool {
        let config = Config {
            properties: question.properties,
            max_steps: steps_within(question.budget),
            uninitialized: Uninitialized::Error,
            ..Config::default()
        };
        let run = interp::run(&self.rules.program, question.entry, args, &mut tape.play(), &config);
        !matches!(
            run.outcome,
            Outcome::Undefined(Fault::Uninitialized | Fault::MissingReturn)
                | Outcome::Violation { fault: Some(Fault::Uninitialized | Fault::MissingReturn), .. }
        )
    }
}

/// Gives the run what the witness wants it to be given.
struct Giver<'r> {
    tracker: Rc<RefCell<Tracker<'r>>>,
}

impl Inputs for Giver<'_> {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        let mut tracker = self.tracker.borrow_mut();
        let program = &tracker.rules.program;
        let (wanted, edge) = match request.source {
            InputSource::Edge { edge, .. } => {
                (tracker.wanted(Moment::After(edge), &names_of(program, edge), request.ty), Some(edge))
            }
            InputSource::Param { var, .. } => {
                let name = vec![program.name(program.vars[var].name).to_string()];
                (tracker.wanted(Moment::Start, &name, request.ty), None)
            }
        };
        match wanted {
            Some((bits, true)) => Some(bits),
            other => {
                let open = edge.unwrap_or(EdgeId(0));
                tracker.open.get_or_insert(open);
                Some(other.map_or(Bits::ZERO, |(bits, _)| bits))
            }
        }
    }

    fn fill(&mut self, request: &FillRequest, bytes: &mut [u8]) {
        let tracker = self.tracker.borrow();
        let (var, moment) = match *request {
            FillRequest::Local { var, edge: Some(edge) } => (var, Moment::After(edge)),
            FillRequest::Local { var, edge: None } | FillRequest::Extern { var } => (var, Moment::Start),
            FillRequest::Allocation { .. } | FillRequest::Result { .. } => return,
        };
        fill_var(&tracker, var, moment, bytes);
    }
}

/// Writes what the witness says about a variable and its parts into its memory.
fn fill_var(tracker: &Tracker<'_>, var: VarId, moment: Moment, bytes: &mut [u8]) {
    let program = &tracker.rules.program;
    let data = &program.vars[var];
    if !matches!(data.kind, VarKind::Local(_) | VarKind::Global | VarKind::Param(_)) {
        return;
    }
    let name = program.name(data.name);
    let mut texts: Vec<&str> = Vec::new();
    for &state in &tracker.states {
        texts.extend(tracker.rules.at(moment, state).iter().map(|rule| rule.text.as_str()));
        texts.extend(tracker.rules.soon(state).into_iter().filter(|soon| soon.at_start).map(|soon| soon.text));
    }
    let mut written = HashMap::new();
    for hint in texts.into_iter().filter(|text| text.contains(name)).flat_map(hints) {
        let Some(path) = hint.operand.strip_prefix(name).filter(|_| hint.relation == Relation::Eq) else { continue };
        let Some((offset, ty)) = part(program, data.ty, path) else { continue };
        let bits = hints::bits(&program.types, ty, hint.number).get();
        let size = program.types.size_of(ty).unwrap_or(0).min(16);
        written.entry(offset).or_insert((size, bits));
    }
    for (offset, (size, bits)) in written {
        for index in 0..size {
            if let Some(slot) = bytes.get_mut((offset + index) as usize) {
                *slot = (bits >> (index * 8)) as u8;
            }
        }
    }
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
    names.extend(display::place_to_c(program, place).map(|text| text.replace(' ', "")));
    // A temporary goes somewhere soon.
    if let PlaceKind::Var(var) = program.places[place].kind
        && matches!(program.vars[var].kind, VarKind::Temp(_))
    {
        let mut at = program.edges[edge].to;
        for _ in 0..4 {
            let Some(next) = program.successors(at).next() else { break };
            if let Op::Assign(place, _) = program.edges[next].op {
                names.extend(display::place_to_c(program, place).map(|text| text.replace(' ', "")));
            }
            at = program.edges[next].to;
        }
    }
    names
}

struct Watcher<'r> {
    tracker: Rc<RefCell<Tracker<'r>>>,
    budget: &'r Budget,
    steps: u32,
}

impl Observer for Watcher<'_> {
    /// Following a witness can be slow, however few steps there are.
    fn gives_up(&mut self) -> bool {
        self.steps = self.steps.wrapping_add(1);
        self.steps.is_multiple_of(256) && self.budget.expired()
    }

    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        let mut tracker = self.tracker.borrow_mut();
        let program = view.program();
        let reached = match event {
            Event::Input(_) | Event::Leave { .. } => return,
            Event::Enter { edge: None, function } => {
                tracker.while_moving(view, Moment::Start);
                program.automaton(function).map(|automaton| (automaton.entry, None))
            }
            Event::Enter { edge: Some(edge), function } => {
                tracker.moment(view, Moment::Enter(edge));
                program.automaton(function).map(|automaton| (automaton.entry, None))
            }
            Event::Edge { edge, .. } => {
                tracker.moment(view, Moment::After(edge));
                Some((program.edges[edge].to, Some(edge)))
            }
        };
        // Statements begin where the edge before belongs to another.
        if let Some((location, before)) = reached
            && let Some(next) = program.locations[location].out[0]
            && before.is_none_or(|before| program.edges[before].anchor != program.edges[next].anchor)
        {
            // Several waypoints may stand at one place.
            tracker.while_moving(view, Moment::Before(next));
        }
    }
}

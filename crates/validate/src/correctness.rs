//! Correctness witnesses, by refutation: an invariant that some run breaks, or a property that some run violates, rejects the witness; it is
//! confirmed only when everything is unwound and both hold on all of it.

use crate::condition::{Check, Conditions, concrete};
use crate::places::Places;
use crate::statics::NAME;
use crate::{Answer, Progress, Question, Validation};
use cfa::interp::{self, Config, Event, Observer, Outcome, View};
use cfa::{EdgeId, LocId, Program};
use encode::{Bounds, Encoder, Look, Marks, ModelInputs, Moment, Monitor, Obligation, ObligationKind, Unrolling};
use logic::{Model, Solver, TermId, TermPool};
use std::collections::HashMap;
use witness::Witness;
use witness::model::{Claim, Content, ExpressionFormat, Invariant, InvariantKind};
use witness::program::Source;

const FIRST_STEPS: u64 = 50_000;
const FIRST_DECIDED: u32 = 8;
const MAX_BOUND: u32 = 1 << 20;
const REPLAY_STEPS: u64 = 200_000_000;

/// What became of one invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvariantResult {
    pub line: Option<u32>,
    pub expression: String,
    pub result: Answer,
}

pub fn validate(question: &Question<'_>) -> Validation {
    check(question).0
}

/// As [`validate`], and what is known about each invariant.
pub fn check(question: &Question<'_>) -> (Validation, Vec<InvariantResult>) {
    engine::bmc::on_large_stack(|| refute(question))
}

/// An invariant and the places it holds at.
struct Located {
    line: Option<u32>,
    expression: String,
    /// Before these edges.
    checks: Vec<(EdgeId, Check)>,
    /// Why it cannot be checked, if it cannot.
    problem: Option<String>,
}

fn refute(question: &Question<'_>) -> (Validation, Vec<InvariantResult>) {
    let mut conditions = Conditions::new(question.program);
    let located = match locate(question, &mut conditions) {
        Ok(located) => located,
        Err(reason) => return (verdict(Answer::Undecided, reason, Progress::default()), Vec::new()),
    };
    let mut by_edge: HashMap<EdgeId, Vec<usize>> = HashMap::new();
    for (index, invariant) in located.iter().enumerate() {
        for (edge, _) in &invariant.checks {
            by_edge.entry(*edge).or_default().push(index);
        }
    }
    let program = &conditions.program;
    let mut encoder = Encoder::new(program);
    encoder.monitor = Some(Box::new(Watcher { invariants: &located, by_edge: &by_edge }));
    let refutation = Refutation { question, located: &located, by_edge: &by_edge, encoder, solver: Solver::new() };
    let (answer, reason, broken) = refutation.run();
    let results = located.iter().enumerate().map(|(index, invariant)| InvariantResult {
        line: invariant.line,
        expression: invariant.expression.clone(),
        result: match answer {
            _ if broken == Some(index) => Answer::Rejected,
            Answer::Confirmed => Answer::Confirmed,
            _ => Answer::Undecided,
        },
    });
    let placed = located.iter().filter(|invariant| invariant.problem.is_none()).count();
    (verdict(answer, reason, Progress { matched: placed, total: located.len() }), results.collect())
}

fn verdict(result: Answer, reason: impl Into<String>, progress: Progress) -> Validation {
    Validation { result, how: NAME, reason: reason.into(), progress }
}

/// Finds the places of all invariants.
fn locate(question: &Question<'_>, conditions: &mut Conditions) -> Result<Vec<Located>, String> {
    let source = Source::new(question.sources, question.file, Some(question.program))
        .ok_or_else(|| format!("{} is not part of the program", question.file))?;
    let places = Places::new(&source, question.program);
    match question.witness {
        Witness::Entries(entries) => {
            let mut located = Vec::new();
            for entry in entries {
                match &entry.content {
                    Content::Invariants(claims) => {
                        located.extend(claims.iter().map(|claim| claimed(claim, &places, conditions)));
                    }
                    Content::Ghosts(_) => return Err("ghost variables are not supported".into()),
                    Content::Violation(_) => return Err("a violation sequence in a correctness witness".into()),
                }
            }
            Ok(located)
        }
        Witness::Automaton(automaton) => automata::locate(automaton, &places, conditions, question.entry),
    }
}

fn claimed(claim: &Claim, places: &Places<'_>, conditions: &mut Conditions) -> Located {
    match claim {
        Claim::Contract(contract) => Located {
            line: Some(contract.location.line),
            expression: contract.ensures.clone().unwrap_or_else(|| "1".into()),
            checks: Vec::new(),
            problem: Some("function contracts are not supported".into()),
        },
        Claim::Invariant(invariant) => {
            let (checks, problem) = match invariant_checks(invariant, places, conditions) {
                Ok(checks) => (checks, None),
                Err(problem) => (Vec::new(), Some(problem)),
            };
            let line = invariant.location.as_ref().map(|location| location.line);
            Located { line, expression: invariant.value.clone(), checks, problem }
        }
    }
}

fn invariant_checks(
    invariant: &Invariant,
    places: &Places<'_>,
    conditions: &mut Conditions,
) -> Result<Vec<(EdgeId, Check)>, String> {
    let Some(location) = &invariant.location else {
        return Err("an invariant without a place is not supported".into());
    };
    if !matches!(invariant.format, None | Some(ExpressionFormat::C)) {
        return Err("only invariants in plain C are supported".into());
    }
    let program = places.program;
    let edges: Vec<EdgeId> = match invariant.kind {
        InvariantKind::Loop => condition_edges(places, location.line, location.column)?,
        InvariantKind::Location => places.statement(location.line, location.column),
        kind => return Err(format!("{} is not supported", kind.word())),
    };
    if edges.is_empty() {
        return Err(format!("nothing begins in line {} where the invariant is to hold", location.line));
    }
    let check = |edge: EdgeId| {
        let at = program.edges[edge].from;
        match conditions.check(&invariant.value, at, None) {
            Check::Unknown(why) => Err(why),
            check => Ok((edge, check)),
        }
    };
    edges.into_iter().map(check).collect()
}

/// Before which edges the condition of a loop is about to be evaluated.
fn condition_edges(places: &Places<'_>, line: u32, column: Option<u32>) -> Result<Vec<EdgeId>, String> {
    let program = places.program;
    let head = places.loop_at(line, column).ok_or_else(|| format!("no loop begins in line {line}"))?;
    let Some(span) = program.locations[head].loop_head else { return Err("not a loop".into()) };
    let text = places.source.place(span.lo).and_then(|place| places.source.rest(place.line, place.column));
    if text.is_some_and(|text| text.starts_with("do")) {
        return Err("the invariant of a do loop is not supported".into());
    }
    let first: Option<EdgeId> = program.locations[head].out[0];
    first.map(|edge| vec![edge]).ok_or_else(|| "a loop without an operation".into())
}

struct Watcher<'l> {
    invariants: &'l [Located],
    by_edge: &'l HashMap<EdgeId, Vec<usize>>,
}

impl Monitor for Watcher<'_> {
    fn marks(&mut self, pool: &TermPool) -> Marks {
        vec![(0, pool.bool(true))]
    }

    fn moment(&mut self, look: &mut Look<'_, '_, '_>, moment: Moment) {
        let Moment::Before(edge) = moment else { return };
        for index in self.by_edge.get(&edge).into_iter().flatten() {
            for (at, check) in &self.invariants[*index].checks {
                if *at == edge {
                    let holds = check.symbolic(look);
                    let broken = look.pool().not(holds);
                    look.sighting(*index as u32, broken);
                }
            }
        }
    }

    fn accepts(&mut self, look: &mut Look<'_, '_, '_>, _: EdgeId) -> TermId {
        look.pool().bool(true)
    }
}

struct Refutation<'q, 'p> {
    question: &'q Question<'q>,
    located: &'q [Located],
    by_edge: &'q HashMap<EdgeId, Vec<usize>>,
    encoder: Encoder<'p>,
    solver: Solver,
}

enum Reachable {
    Never,
    Yes(Model),
    Unknown,
}

type Decision = (Answer, String, Option<usize>);

impl Refutation<'_, '_> {
    fn run(mut self) -> Decision {
        let (mut bound, mut steps, mut decided) = (0, FIRST_STEPS, FIRST_DECIDED);
        loop {
            self.question.budget.progress().set_bound(bound);
            let bounds = Bounds { unwind: bound, decided, steps, properties: self.question.properties };
            if let Some(decision) = self.round(bounds) {
                return decision;
            }
            if bound >= MAX_BOUND {
                return (Answer::Undecided, format!("nothing is wrong up to the bound {bound}"), None);
            }
            bound = (bound * 2).max(1);
            steps = steps.saturating_mul(4);
            decided = decided.saturating_mul(4);
        }
    }

    fn round(&mut self, bounds: Bounds) -> Option<Decision> {
        let tired = Some((Answer::Undecided, format!("nothing is wrong up to the bound {}", bounds.unwind / 2), None));
        let unrolling = self.encoder.unroll(self.question.entry, bounds, self.question.budget);
        if unrolling.interrupted {
            return tired;
        }
        let is_violation = |obligation: &Obligation| matches!(obligation.kind, ObligationKind::Violation(..));
        let conds = |wanted: &dyn Fn(&Obligation) -> bool| -> Vec<TermId> {
            unrolling.obligations.iter().filter(|found| wanted(found)).map(|found| found.cond).collect()
        };
        let mut questions = vec![conds(&is_violation)];
        questions.push(unrolling.sightings.iter().map(|(_, cond)| *cond).collect());
        for question in questions {
            let any = self.encoder.pool.or_all(&question);
            let mut wanted = vec![any];
            wanted.extend(unrolling.replayable);
            match self.reachable(&wanted) {
                Reachable::Yes(model) => return Some(self.rejected(&unrolling, &model)),
                Reachable::Unknown => return tired,
                Reachable::Never => {}
            }
            if unrolling.replayable.is_some() && !matches!(self.reachable(&[any]), Reachable::Never) {
                let reason = "only a run with a very long command line could refute it".to_string();
                return Some((Answer::Undecided, reason, None));
            }
        }
        let unwind = self.encoder.pool.or_all(&conds(&|found| found.kind == ObligationKind::Unwind));
        match self.reachable(&[unwind]) {
            Reachable::Yes(_) => return None,
            Reachable::Unknown => return tired,
            Reachable::Never => {}
        }
        let leaves = conds(&|found| !is_violation(found));
        let leaves = self.encoder.pool.or_all(&leaves);
        match self.reachable(&[leaves]) {
            Reachable::Yes(_) => {
                let reason = "some runs do what is not supported, or is undefined behaviour".to_string();
                return Some((Answer::Undecided, reason, None));
            }
            Reachable::Unknown => return tired,
            Reachable::Never => {}
        }
        Some(match self.located.iter().find_map(|invariant| invariant.problem.as_ref()) {
            Some(problem) => (Answer::Undecided, format!("the property holds, but: {problem}"), None),
            None => {
                let reason = format!(
                    "everything is unwound at the bound {}; the property and the invariants hold",
                    bounds.unwind
                );
                (Answer::Confirmed, reason, None)
            }
        })
    }

    fn reachable(&mut self, conds: &[TermId]) -> Reachable {
        if conds.iter().any(|cond| self.encoder.pool.as_bool(*cond) == Some(false)) {
            return Reachable::Never;
        }
        match self.solver.check(&self.encoder.pool, conds, self.question.budget) {
            logic::Outcome::Sat(model) => Reachable::Yes(model),
            logic::Outcome::Unsat(_) => Reachable::Never,
            logic::Outcome::Unknown => Reachable::Unknown,
        }
    }

    /// What the run of a model does wrong, as the interpreter sees it.
    fn rejected(&mut self, unrolling: &Unrolling, model: &Model) -> Decision {
        let question = self.question;
        let program = self.encoder.program;
        let mut inputs = ModelInputs::new(&self.encoder.pool, model, unrolling);
        let args = inputs.program_args(program, question.entry);
        let config = Config { properties: question.properties, max_steps: REPLAY_STEPS, ..Config::default() };
        let mut observer = Breaks { program, invariants: self.located, by_edge: self.by_edge, broken: None };
        let run = interp::run_observed(program, question.entry, &args, &mut inputs, &config, &mut observer);
        let values: Vec<String> = run.inputs.iter().map(|input| input.bits.get().to_string()).collect();
        let with = if values.is_empty() { String::new() } else { format!(" (inputs {})", values.join(", ")) };
        if let Some(index) = observer.broken {
            let invariant = &self.located[index];
            let line = invariant.line.map_or(String::new(), |line| format!(" in line {line}"));
            let reason = format!("a run breaks the invariant `{}`{line}{with}", invariant.expression);
            return (Answer::Rejected, reason, Some(index));
        }
        match run.outcome {
            Outcome::Violation { property, .. } => {
                (Answer::Rejected, format!("a run violates {}{with}", property.name()), None)
            }
            outcome => (Answer::Undecided, format!("internal: the run does not replay: {outcome:?}"), None),
        }
    }
}

/// Evaluates the invariants along a run.
struct Breaks<'l> {
    program: &'l Program,
    invariants: &'l [Located],
    by_edge: &'l HashMap<EdgeId, Vec<usize>>,
    broken: Option<usize>,
}

impl Breaks<'_> {
    fn arrive(&mut self, view: &View<'_, '_>, location: LocId) {
        let Some(edge) = self.program.locations[location].out[0] else { return };
        for index in self.by_edge.get(&edge).into_iter().flatten() {
            for (at, check) in &self.invariants[*index].checks {
                if let Check::When(condition, _) = check
                    && *at == edge
                    && self.broken.is_none()
                    && concrete(condition, view) != Some(true)
                {
                    self.broken = Some(*index);
                }
            }
        }
    }
}

impl Observer for Breaks<'_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        match event {
            Event::Edge { edge, .. } if !matches!(self.program.edges[edge].op, cfa::Op::Return(_)) => {
                self.arrive(view, self.program.edges[edge].to);
            }
            Event::Enter { function, .. } => {
                if let Some(automaton) = self.program.automaton(function) {
                    self.arrive(view, automaton.entry);
                }
            }
            Event::Edge { .. } | Event::Input(_) | Event::Leave { .. } => {}
        }
    }
}

/// The invariants of automata: they hold where the automaton may be in the node, as far as that is one place for each way in.
mod automata {
    use super::*;
    use cfa::FuncId;
    use witness::Automaton;

    pub fn locate(
        automaton: &Automaton,
        places: &Places<'_>,
        conditions: &mut Conditions,
        _entry: FuncId,
    ) -> Result<Vec<Located>, String> {
        let mut located = Vec::new();
        for node in &automaton.nodes {
            let Some(text) = node.invariant.as_ref().filter(|text| !matches!(text.trim(), "true" | "1")) else {
                continue;
            };
            let entering = automaton.edges.iter().filter(|edge| edge.target == node.id && edge.source != node.id);
            let mut found = Located { line: None, expression: text.clone(), checks: Vec::new(), problem: None };
            for edge in entering {
                found.line = found.line.or(edge.guard.start_line);
            }
            found.problem = Some("invariants of automata are not supported yet".into());
            located.push(found);
        }
        let _ = (places, conditions);
        Ok(located)
    }
}

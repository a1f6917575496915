//! The report of `explain`: what is different in the closest run that passes, and what the failure depends on.

use crate::PlaceView;
use crate::failure::NoFailure;
use crate::localize::Blame;
use crate::replay::{self, ReplayReport, Shown, ViolationView};
use crate::terminal::Style;
use crate::value;
use crate::verify::TraceReport;
use crate::viewer::Viewer;
use base::SourceMap;
use cfa::{BinOp, Op, Program};
use evidence::shown::{Gives, gives};
use evidence::{Cause, Change, Measure, Operand, Predicate, Relation, Seen, Strength, Subject, Trace, ValueOf};
use frontend::TokenKind;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

#[derive(Debug, Serialize)]
pub struct ExplainReport {
    /// `false` if there is a failing run; otherwise as `verify` says.
    pub verdict: &'static str,
    /// Why there is no explanation.
    pub reason: Option<String>,
    /// What to do where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    pub violation: Option<ViolationView>,
    /// How many values and branches are different in the closest passing run.
    pub distance: Option<u64>,
    /// No passing run within the bound is closer.
    pub proven: bool,
    pub bound: Option<u32>,
    pub changes: Vec<ChangeReport>,
    /// The smallest change of inputs with which the run passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_change: Option<InputChangeReport>,
    pub causes: Vec<CauseReport>,
    pub failing: Option<TraceReport>,
    pub passing: Option<TraceReport>,
    /// The first lines to suspect, where a person reads the answer.
    #[serde(flatten)]
    pub blame: Option<Blame>,
    #[serde(skip)]
    pub(crate) text: Text,
}

#[derive(Debug)]
pub(crate) enum Text {
    None(NoFailure),
    /// What can be said in a sentence.
    Said {
        run: Box<ReplayReport>,
        sentences: Vec<String>,
        lower_bound: u64,
        more: bool,
    },
}

#[derive(Clone, Debug, Serialize)]
pub struct ChangeReport {
    #[serde(flatten)]
    pub place: PlaceView,
    /// `branch`, `input` or `value`.
    pub kind: &'static str,
    pub name: String,
    pub failing: String,
    pub passing: String,
    /// Whether the violated assertion depends on it.
    pub relevant: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct InputChangeReport {
    pub inputs: Vec<ChangeReport>,
    /// Other inputs that suffice alone, each with its smallest change.
    pub others: Vec<ChangeReport>,
    /// No run within the bound passes with fewer inputs changed, nor with a smaller change of as many.
    pub proven: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct CauseReport {
    pub predicate: String,
    /// No run within the bound fails without it.
    pub necessary: bool,
    /// How many more differences it takes to fail without it than to pass; `None` if that is not known, or never happens.
    pub strength: Option<u64>,
    /// Causes that follow from it.
    pub subsumes: Vec<String>,
}

/// What was found out.
pub struct Explanation<'a> {
    pub distance: u64,
    pub lower_bound: u64,
    pub proven: bool,
    pub bound: u32,
    pub changes: &'a [Change],
    pub causes: &'a [Cause],
    pub more_candidates: bool,
    pub input_change: Option<InputChange<'a>>,
    pub passing: &'a Trace,
}

/// The smallest change of inputs with which the run passes.
#[derive(Clone, Copy)]
pub struct InputChange<'a> {
    pub inputs: &'a [Change],
    /// That suffice alone as well.
    pub others: &'a [Change],
    pub proven: bool,
}

impl ExplainReport {
    /// What can be said in a sentence.
    pub(crate) fn sentences(&self) -> &[String] {
        match &self.text {
            Text::None(_) => &[],
            Text::Said { sentences, .. } => sentences,
        }
    }

    pub fn none(why: NoFailure) -> Self {
        ExplainReport {
            verdict: why.verdict,
            reason: Some(why.reason.clone()),
            help: why.help.clone(),
            violation: None,
            distance: None,
            proven: false,
            bound: None,
            changes: Vec::new(),
            input_change: None,
            causes: Vec::new(),
            failing: None,
            passing: None,
            blame: None,
            text: Text::None(why),
        }
    }

    /// A failing run without an explanation.
    pub fn unexplained(violation: ViolationView, failing: (Option<Measure>, ReplayReport), reason: String) -> Self {
        let (measure, run) = failing;
        let trace = TraceReport::new(measure, &run);
        let text = Text::Said { run: Box::new(run), sentences: vec![reason.clone()], lower_bound: 0, more: false };
        let none = NoFailure::given_up(&reason, &base::Progress::default());
        ExplainReport {
            verdict: "false",
            reason: Some(reason),
            help: None,
            violation: Some(violation),
            failing: Some(trace),
            text,
            ..ExplainReport::none(none)
        }
    }

    pub fn new(
        program: &Program,
        sources: &SourceMap,
        violation: ViolationView,
        failing: (Option<Measure>, ReplayReport),
        found: &Explanation<'_>,
    ) -> Self {
        let (measure, run) = failing;
        let view = Viewer::new(program, sources);
        let changes: Vec<ChangeReport> = found.changes.iter().map(|change| view.change(change)).collect();
        let names = Names::of(&view, found.causes);
        let causes = distinct(found.causes.iter().map(|cause| names.cause(&view, cause)));
        let mut sentences = Vec::new();
        let what = if violation.property == "assertion" { "The assertion" } else { "The run" };
        for cause in causes.iter().take(MAX_SAID) {
            let only = if cause.necessary { " No run within the bound fails without it." } else { "" };
            sentences.push(format!("{what} fails because `{}`.{only}", cause.predicate));
        }
        let input_change = found.input_change.map(|InputChange { inputs, others, proven }| InputChangeReport {
            inputs: inputs.iter().map(|change| view.change(change)).collect(),
            others: others.iter().map(|change| view.change(change)).collect(),
            proven,
        });
        sentences.extend(match &input_change {
            Some(change) => change.sentence(),
            None => what_if(found.changes, &changes),
        });
        let passing = replay::report(program, sources, found.passing);
        ExplainReport {
            verdict: "false",
            reason: None,
            help: None,
            violation: Some(violation),
            distance: Some(found.distance),
            proven: found.proven,
            bound: Some(found.bound),
            changes,
            input_change,
            causes,
            failing: Some(TraceReport::new(measure, &run)),
            passing: Some(TraceReport::new(found.passing.measure, &passing)),
            blame: None,
            text: Text::Said {
                run: Box::new(run),
                sentences,
                lower_bound: found.lower_bound,
                more: found.more_candidates,
            },
        }
    }
}

/// More causes are shown only on demand.
const MAX_SAID: usize = 3;

impl InputChangeReport {
    /// What suffices for the run to pass.
    fn sentence(&self) -> Option<String> {
        let name = |view: &ChangeReport| format!("`{}`", view.name);
        let one = |view: &ChangeReport| match (view.failing.as_str(), view.passing.as_str()) {
            (NOT_EXECUTED, passing) => format!("{} = {passing}", name(view)),
            (_, NOT_EXECUTED) => format!("{} not read", name(view)),
            (failing, passing) => format!("{} {failing} → {passing}", name(view)),
        };
        let (suffice, least) = match (self.inputs.as_slice(), self.others.as_slice()) {
            ([], _) => return None,
            ([_], []) => ("suffices", "no smaller change of a single input does"),
            ([_], _) => ("suffices", "no smaller change of one of them does"),
            _ => ("suffice", "no fewer inputs do, and no smaller change of as many"),
        };
        let all = |views: &[ChangeReport], and: &str| views.iter().map(one).collect::<Vec<_>>().join(and);
        let others = match self.others.as_slice() {
            [] => String::new(),
            others => format!("; so does {} alone", all(others, " or ")),
        };
        let proof = if self.proven { format!(" (proven: {least})") } else { String::new() };
        Some(format!("{} {suffice} for the run to pass{others}{proof}.", all(&self.inputs, " and ")))
    }
}

/// What a run shows of what it does not come by.
const NOT_EXECUTED: &str = "not executed";

/// A relation of values and the condition of a branch may read the same.
fn distinct(causes: impl Iterator<Item = CauseReport>) -> Vec<CauseReport> {
    let mut all: Vec<CauseReport> = Vec::new();
    for mut cause in causes {
        let follows = |known: &CauseReport| known.predicate == cause.predicate;
        if let Some(known) = all.iter_mut().find(|known| follows(known)) {
            let more: Vec<String> = cause.subsumes.drain(..).filter(|one| !known.subsumes.contains(one)).collect();
            known.subsumes.extend(more);
            continue;
        }
        all.push(cause);
    }
    let heads: Vec<String> = all.iter().map(|cause| cause.predicate.clone()).collect();
    for cause in &mut all {
        cause.subsumes.retain(|one| !heads.contains(one));
    }
    all
}

/// What other inputs would do.
fn what_if(changes: &[Change], views: &[ChangeReport]) -> Option<String> {
    let read = |change: &Change| change.failing != Seen::Not && change.passing != Seen::Not;
    let inputs = changes.iter().zip(views).filter(|(change, _)| change.is_input && read(change));
    let other: Vec<String> =
        inputs.map(|(_, view)| format!("`{}` were {} instead of {}", view.name, view.passing, view.failing)).collect();
    match other.as_slice() {
        [] => None,
        [one] => Some(format!("If {one} (no other input changed), the run would pass.")),
        several => Some(format!("If {} (no other input changed), the run would pass.", several.join(" and "))),
    }
}

impl Viewer<'_> {
    fn place_of(&self, value: ValueOf) -> PlaceView {
        match value.subject {
            Subject::Edge(edge) => self.place_of_edge(edge).unwrap_or_default(),
            Subject::Param(var, _) => self.place(self.program.vars[var].span).unwrap_or_default(),
        }
    }

    fn name_of(&self, value: ValueOf) -> String {
        let edge = match value.subject {
            Subject::Edge(edge) => edge,
            Subject::Param(var, _) => return self.program.name(self.program.vars[var].name).to_string(),
        };
        let place = match self.program.edges[edge].op {
            Op::Assign(place, _) | Op::Havoc(place, _) => Some(place),
            Op::Call { dest, .. } => dest,
            Op::Declare(var) => return self.program.name(self.program.vars[var].name).to_string(),
            _ => None,
        };
        place.and_then(|place| self.user_place(place)).unwrap_or_else(|| self.snippet(edge))
    }

    fn seen(&self, seen: Seen) -> String {
        match seen {
            Seen::Not => NOT_EXECUTED.into(),
            Seen::There => "executed".into(),
            Seen::Value(ty, bits) => value::plain(self.program, ty, bits),
            Seen::Branch(truth) => truth.to_string(),
        }
    }

    /// What occurrences are counted in: a program that runs in cycles reads each input once in a cycle.
    fn times(&self, is_input: bool) -> &'static str {
        if is_input && self.program.cycle.is_some() { "cycle" } else { "time" }
    }

    fn change(&self, change: &Change) -> ChangeReport {
        let branch = matches!(change.failing, Seen::Branch(_)) || matches!(change.passing, Seen::Branch(_));
        ChangeReport {
            place: self.place_of(change.value),
            kind: match (branch, change.is_input) {
                (true, _) => "branch",
                (false, true) => "input",
                (false, false) => "value",
            },
            name: match change.value.occurrence {
                0 => self.name_of(change.value),
                time => format!("{} ({} {time})", self.name_of(change.value), self.times(change.is_input)),
            },
            failing: self.seen(change.failing),
            passing: self.seen(change.passing),
            relevant: change.relevant,
        }
    }
}

/// How the language of a program writes an operator.
fn spelling(program: &Program, kind: TokenKind) -> &'static str {
    frontend::of(program).and_then(|frontend| (frontend.spelling)(kind)).unwrap_or("")
}

/// Names of values, with the line where several values of the causes have the same name.
struct Names(BTreeMap<String, Vec<ValueOf>>);

impl Names {
    fn of(view: &Viewer<'_>, causes: &[Cause]) -> Self {
        let mut names: BTreeMap<String, Vec<ValueOf>> = BTreeMap::new();
        let predicates = causes.iter().flat_map(|cause| std::iter::once(&cause.predicate).chain(&cause.subsumes));
        for predicate in predicates {
            let (Predicate::Compare(left, _, _) | Predicate::Branch(left, _)) = *predicate;
            let right = match *predicate {
                Predicate::Compare(_, _, Operand::Value(right)) => Some(right),
                _ => None,
            };
            for value in std::iter::once(left).chain(right) {
                let known = names.entry(view.name_of(value)).or_default();
                if !known.contains(&value) {
                    known.push(value);
                }
            }
        }
        Names(names)
    }

    fn value(&self, view: &Viewer<'_>, value: ValueOf) -> String {
        let name = view.name_of(value);
        let is_input = match value.subject {
            Subject::Edge(edge) => gives(view.program, edge) == Some(Gives::Input),
            Subject::Param(..) => true,
        };
        let shared = self.0.get(&name).is_some_and(|values| values.len() > 1);
        if !shared || (is_input && value.occurrence == 0) {
            return name;
        }
        let line = view.place_of(value).line;
        match value.occurrence {
            0 => format!("{name} (line {line})"),
            time => format!("{name} (line {line}, {} {time})", view.times(is_input)),
        }
    }

    fn predicate(&self, view: &Viewer<'_>, predicate: Predicate) -> String {
        match predicate {
            Predicate::Compare(left, relation, right) => {
                let right = match right {
                    Operand::Value(value) => self.value(view, value),
                    Operand::Constant(ty, bits) => value::plain(view.program, ty, bits),
                };
                let relation = match relation {
                    Relation::Eq => BinOp::Eq,
                    Relation::Lt => BinOp::Lt,
                    Relation::Gt => BinOp::Gt,
                    Relation::Le => BinOp::Le,
                    Relation::Ge => BinOp::Ge,
                    Relation::Ne => BinOp::Ne,
                };
                format!("{} {} {right}", self.value(view, left), spelling(view.program, TokenKind::Binary(relation)))
            }
            Predicate::Branch(value, true) => self.value(view, value),
            Predicate::Branch(value, false) => {
                format!("{}({})", spelling(view.program, TokenKind::Not), self.value(view, value))
            }
        }
    }

    fn cause(&self, view: &Viewer<'_>, cause: &Cause) -> CauseReport {
        CauseReport {
            predicate: self.predicate(view, cause.predicate),
            necessary: cause.strength == Strength::Necessary,
            strength: match cause.strength {
                Strength::Farther(Reverse(differences)) => Some(differences),
                Strength::Necessary | Strength::NecessaryHere | Strength::Unknown => None,
            },
            subsumes: cause.subsumes.iter().map(|predicate| self.predicate(view, *predicate)).collect(),
        }
    }
}

impl ExplainReport {
    pub fn to_text(&self, shown: Shown, style: Style) -> String {
        let run = match &self.text {
            Text::None(why) => return why.to_text(style),
            Text::Said { run, .. } => run,
        };
        let property = self.violation.as_ref().map_or("", |violation| violation.property);
        if shown == Shown::End {
            return format!("verdict: false({property})\n{}", run.body(shown, style));
        }
        let blame = self.blame.as_ref();
        let mut rest = self.explanation(shown);
        rest.push_str(&blame.map(Blame::to_text).unwrap_or_default());
        let suspect = blame.and_then(|blame| blame.suspects.first());
        format!("verdict: false({property})\n{}\n{rest}", run.body_before(&rest, suspect, shown, style))
    }

    /// Why it fails, in sentences; all that follows from each cause only on demand.
    fn explanation(&self, shown: Shown) -> String {
        let Text::Said { sentences, lower_bound, more, .. } = &self.text else { return String::new() };
        let mut text = String::new();
        for sentence in sentences {
            writeln!(text, "{sentence}").expect("writing to a string");
        }
        let Some(distance) = self.distance else { return text };
        let everything = shown == Shown::Everything;
        if everything && !self.causes.is_empty() {
            text.push_str("\ncauses:\n");
        }
        for cause in self.causes.iter().filter(|_| everything) {
            write!(text, "  {}", cause.predicate).expect("writing to a string");
            if !cause.subsumes.is_empty() {
                write!(text, "    (and so {})", cause.subsumes.join(", ")).expect("writing to a string");
            }
            text.push('\n');
        }
        let hidden = self.causes.len().saturating_sub(if everything { usize::MAX } else { MAX_SAID });
        match (hidden, *more) {
            (0, false) => {}
            (0, true) => text.push_str("There may be other causes: not all candidates were checked.\n"),
            (1, _) => text.push_str("A weaker cause is not shown (--full shows it).\n"),
            (hidden, _) => {
                writeln!(text, "{hidden} weaker causes are not shown (--full shows all).").expect("writing to a string")
            }
        }
        let bound = self.bound.map_or(String::new(), |bound| format!(" within bound {bound}"));
        let proof = match self.proven {
            true => format!("proven: none{bound} is closer"),
            false => format!("not proven: at least {lower_bound}"),
        };
        let plural = if distance == 1 { "" } else { "s" };
        writeln!(text, "\nclosest passing run: {distance} difference{plural} ({proof})").expect("writing to a string");
        self.list_changes(&mut text);
        text
    }

    fn list_changes(&self, text: &mut String) {
        let place = |change: &ChangeReport| format!("{}:{}", change.place.file, change.place.line);
        let (listed, rest): (Vec<&ChangeReport>, Vec<&ChangeReport>) =
            self.changes.iter().partition(|change| change.relevant);
        let places = listed.iter().map(|change| place(change).len()).max().unwrap_or(0);
        let names = listed.iter().map(|change| change.name.chars().count()).max().unwrap_or(0).min(40);
        for change in &listed {
            let (at, ChangeReport { name, failing, passing, .. }) = (place(change), change);
            writeln!(text, "  {at:places$}  {name:names$}  {passing} instead of {failing}")
                .expect("writing to a string");
        }
        if !rest.is_empty() {
            writeln!(text, "  … and {} that do not matter for the assertion", rest.len()).expect("writing to a string");
        }
    }
}

/// Why a failure has no closest passing run.
pub fn no_passing_run(bound: u32) -> String {
    format!(
        "No run within bound {bound} passes: whatever the inputs are, it fails or does not end regularly, so the failure does not depend on them."
    )
}

//! The report of `verify`: the verdict, and the run that shows a violation.

use crate::PlaceView;
use crate::cycles::CycleTable;
use crate::localize::Blame;
use crate::replay::{self, InputView, ReplayReport, Shown, StepView};
use crate::spent::Spent;
use crate::terminal::{self, Style};
use crate::unsupported;
use base::{Progress, Size, SourceMap};
use cfa::walk::Node;
use cfa::{Anchor, EdgeId, FuncId, Op, Program, Property, PropertySet};
use evidence::{Check, CheckVerdict, Invariant, Measure, Proof, Reason, Trace, Verdict, Violation};
use serde::Serialize;
use std::fmt::Write;

/// Why an engine stopped by itself without an answer.
const OUT_OF_BUDGET: &str = "out of time or interrupted";

/// More invariants are shown only on demand.
const FEW_INVARIANTS: usize = 12;

/// How an answer starts when the user's bound was too small.
const BOUND: &str = "verdict: unknown(bound)";

#[derive(Debug, Serialize)]
pub struct VerifyReport {
    /// `true`, `false` or `unknown`.
    pub verdict: &'static str,
    pub property: String,
    pub reason: Option<String>,
    /// What to do where the answer is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    pub engine: &'static str,
    pub bound: u32,
    pub caveats: Vec<String>,
    /// What the answer rests on, all of it.
    pub assumptions: Vec<String>,
    /// What a user should know besides.
    pub notes: Vec<String>,
    pub violations: Vec<ViolationReport>,
    /// Of a proof by induction: what holds whenever a run is at the head of a loop.
    pub invariants: Vec<InvariantReport>,
    /// Of a proof by induction: what holds whenever a recursive function is called, and when it returns.
    pub contracts: Vec<ContractReport>,
    pub checks: Vec<AssertionReport>,
    /// Of the first violation, where they were looked for.
    #[serde(flatten)]
    pub blame: Option<Blame>,
    /// With `--verbose`: what each engine did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnReport>,
    #[serde(skip)]
    pub(crate) first_line: String,
    #[serde(skip)]
    pub(crate) place: Option<PlaceView>,
    #[serde(skip)]
    pub(crate) replays: Vec<ReplayReport>,
    /// The run that comes to undefined behaviour that no property asks about.
    #[serde(skip)]
    pub(crate) undefined: Option<ReplayReport>,
    /// That run.
    pub undefined_trace: Option<TraceReport>,
}

#[derive(Debug, Serialize)]
pub struct ViolationReport {
    pub property: &'static str,
    pub message: String,
    #[serde(flatten)]
    pub place: PlaceView,
    /// The values that made it happen: operands, an index and the length of the array, the size of the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    pub trace: TraceReport,
}

/// With `--verbose`: one engine's attempt, or the check of a proof.
#[derive(Debug, Serialize)]
pub struct TurnReport {
    pub engine: &'static str,
    pub began_ms: f64,
    /// Not of one that was still at work when the time was over.
    pub took_ms: Option<f64>,
    pub outcome: String,
    /// Of its questions to a solver, the number; of the largest one, the size.
    pub questions: u64,
    pub terms: u64,
    pub variables: u64,
    pub clauses: u64,
}

impl TurnReport {
    pub fn of(turn: base::Turn) -> TurnReport {
        let ms = |time: std::time::Duration| time.as_secs_f64() * 1000.0;
        let (took_ms, outcome) = match turn.ended {
            Some((took, outcome)) => (Some(ms(took)), outcome),
            None => (None, "still at work when the time was over".into()),
        };
        let Size { questions, terms, variables, clauses } = turn.size;
        let began_ms = ms(turn.began);
        TurnReport { engine: turn.engine, began_ms, took_ms, outcome, questions, terms, variables, clauses }
    }

    fn sizes(&self) -> String {
        let TurnReport { terms, variables, clauses, .. } = self;
        let questions = match self.questions {
            0 => return String::new(),
            1 => "1 question".to_string(),
            many => format!("{many} questions, the largest"),
        };
        format!(" ({questions} of {terms} terms, {variables} variables, {clauses} clauses)")
    }
}

/// With `--all`: one assertion, or another place where a property is violated.
#[derive(Clone, Debug, Serialize)]
pub struct AssertionReport {
    pub property: &'static str,
    #[serde(flatten)]
    pub place: PlaceView,
    /// `violated`, `holds`, `holds-up-to-bound`, `not-reached` (within the bound) or `unknown`.
    pub verdict: &'static str,
    /// Of `holds-up-to-bound` and `not-reached`.
    pub bound: Option<u32>,
    #[serde(skip)]
    pub(crate) words: String,
}

#[derive(Debug, Serialize)]
pub struct InvariantReport {
    #[serde(flatten)]
    pub place: PlaceView,
    /// In the language of the program, where the source has names for everything in it.
    pub expression: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct ContractReport {
    pub function: String,
    /// Where the function is defined.
    #[serde(flatten)]
    pub place: PlaceView,
    /// Over the parameters, and over what they and static objects hold when the function is called.
    pub requires: Vec<String>,
    /// The same when it returns; parameters are what they were, `\result` is returned, and `\old(x)` is what `x` was.
    pub ensures: Vec<String>,
}

#[derive(Debug, Serialize)]
pub struct TraceReport {
    /// Steps that give something a value: inputs, declarations, assignments. `null`: the run has many millions of steps, and was not followed
    /// throughout.
    pub length: Option<u64>,
    /// Sum of the absolute values of what they give; `null` as `length`.
    pub sum: Option<String>,
    /// The words of the command line, if it was an input; bytes that are no text are escaped.
    pub arguments: Vec<String>,
    pub inputs: Vec<InputView>,
    /// The values of the inputs as `--inputs` takes them back.
    pub inputs_line: String,
    pub steps: Vec<StepView>,
    /// Of a program that runs in cycles: the values at the end of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<CycleTable>,
}

impl TraceReport {
    pub fn new(measure: Option<Measure>, view: &ReplayReport) -> Self {
        TraceReport {
            length: measure.map(|measure| measure.length),
            sum: measure.map(|measure| measure.sum.to_string()),
            arguments: view.arguments.clone(),
            inputs: view.inputs.clone(),
            inputs_line: view.inputs_line.clone(),
            steps: view.steps.clone(),
            cycles: view.cycles.clone(),
        }
    }
}

/// A violation, and the run that shows it.
pub struct ShownRun {
    pub violation: Violation,
    pub measure: Option<Measure>,
    pub run: ReplayReport,
}

/// What was asked.
#[derive(Clone, Copy)]
pub struct VerifyRequest {
    pub properties: PropertySet,
    pub engine: &'static str,
    /// All violations, not only one.
    pub all: bool,
}

/// How far the engine came.
#[derive(Clone, Copy)]
pub struct Exploration<'a> {
    pub bound: u32,
    pub complete: bool,
    /// The bound up to which all violations were looked for.
    pub explored: Option<u32>,
    pub checks: &'a [Check],
    pub progress: &'a Progress,
}

pub fn report(
    program: &Program,
    sources: &SourceMap,
    verdict: &Verdict,
    found: Vec<ShownRun>,
    request: VerifyRequest,
    reached: Exploration<'_>,
) -> VerifyReport {
    let asked: Vec<&str> = request.properties.iter().map(|property| property.name()).collect();
    let asked = asked.join(",");
    let checked = words(program, request.properties);
    let place = |edge: EdgeId| PlaceView::of_edge(program, sources, edge);
    let spent = match verdict {
        Verdict::Unknown(Reason::Budget { .. }) => Some(Spent::of(reached.progress, Some((program, sources)))),
        _ => None,
    };
    let (name, first_line, reason, at, property) = match verdict {
        Verdict::Safe(proof) => {
            let reason = match proof {
                Proof::Unwound { bound } => {
                    format!(
                        "holds for all inputs (checked: {checked}): every loop and recursion ends within bound {bound}"
                    )
                }
                Proof::Invariants(proof) => {
                    let contracts = proof.conditions.iter().any(|one| one.anchor.head().is_none());
                    let over =
                        if contracts { "the rounds of loops and the depth of calls" } else { "the rounds of loops" };
                    let before = match proof.rounds {
                        0 => String::new(),
                        rounds => format!(", with {rounds} rounds before each"),
                    };
                    format!("holds for all inputs (checked: {checked}): proved by induction over {over}{before}")
                }
                Proof::Shapes(proof) => {
                    let many =
                        |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
                    let (shapes, heads) = (many(proof.states, "shape"), many(proof.heads, "loop head"));
                    format!("holds for all inputs (checked: {checked}): memory keeps to {shapes} at {heads}")
                }
                Proof::Executed { steps } => {
                    format!("the program has no inputs (checked: {checked}): its only run ends after {steps} steps")
                }
            };
            ("true", "verdict: true".to_string(), Some(reason), None, asked)
        }
        Verdict::Unsafe(violation) => {
            let property = violation.property.name();
            let rest = match (request.all, reached.complete, reached.explored) {
                (false, ..) => None,
                (true, true, _) => Some("no other place can violate the property".to_string()),
                (true, false, Some(bound)) => Some(format!("no other place is violated up to bound {bound}")),
                (true, false, None) => Some("other places may violate the property too".to_string()),
            };
            ("false", format!("verdict: false({property})"), rest, None, property.to_string())
        }
        Verdict::Unknown(reason) => {
            let (mut text, at) = unknown(program, sources, reason);
            if let Some(spent) = &spent {
                text = format!("{text}: {}", spent.known);
            }
            ("unknown", format!("verdict: unknown({})", reason.name()), Some(text), at, asked)
        }
    };
    let mut violations = Vec::new();
    let mut replays = Vec::new();
    for ShownRun { violation, measure, run } in found {
        violations.push(ViolationReport {
            property: violation.property.name(),
            message: run.reason.clone(),
            place: run.end.clone().or_else(|| place(violation.edge)).unwrap_or_default(),
            detail: run.detail.clone(),
            trace: TraceReport::new(measure, &run),
        });
        replays.push(run);
    }
    VerifyReport {
        verdict: name,
        property,
        reason,
        help: match (verdict, spent) {
            (_, Some(spent)) => Some(spent.help),
            (Verdict::Unknown(reason), None) => advice(program, sources, reason),
            (Verdict::Safe(_) | Verdict::Unsafe(_), None) => None,
        },
        engine: request.engine,
        bound: reached.bound,
        caveats: Vec::new(),
        assumptions: Vec::new(),
        notes: Vec::new(),
        violations,
        invariants: invariants(verdict, sources),
        contracts: contracts(verdict, sources),
        checks: checks(reached.checks, place),
        blame: None,
        turns: Vec::new(),
        first_line,
        place: at,
        replays,
        undefined: None,
        undefined_trace: None,
    }
}

/// Properties in words where several are one thing to users, else by name.
pub fn words(program: &Program, properties: PropertySet) -> String {
    use Property::{Assertion, DivByZero, UnreachCall, ValidDeref, ValidFree};
    let mut words = Vec::new();
    let has = |wanted: &[Property]| wanted.iter().all(|property| properties.contains(*property));
    let (assertions, memory) = (has(&[UnreachCall, Assertion]), has(&[ValidDeref, ValidFree]));
    for property in properties.iter() {
        words.push(match property {
            UnreachCall if assertions => "assertions",
            Assertion if assertions => continue,
            // Nothing is allocated in a controller.
            ValidDeref if memory && program.cycle.is_some() => "indices and pointers",
            ValidDeref if memory => "memory safety",
            ValidFree if memory => continue,
            DivByZero => "division by zero",
            _ => property.name(),
        });
    }
    words.join(", ")
}

/// Why there is no answer, in words, and where.
pub fn unknown(program: &Program, sources: &SourceMap, reason: &Reason) -> (String, Option<PlaceView>) {
    let place = |edge: &EdgeId| PlaceView::of_edge(program, sources, *edge);
    match reason {
        Reason::Budget { bound } => (format!("{OUT_OF_BUDGET} at bound {bound}"), None),
        Reason::Bound { bound, edge } => {
            let (more, at) = match (&program.edges[*edge].op, program.locations[program.edges[*edge].to].loop_head) {
                (Op::Call { .. }, _) => ("this call may nest deeper", place(edge)),
                (_, Some(head)) if !sources.is_in_system_header(head.lo) => {
                    ("this loop may go on", PlaceView::of(sources, head))
                }
                _ => ("this loop may go on", place(edge)),
            };
            (format!("nothing is wrong up to bound {bound}, but {more}"), at)
        }
        Reason::Unsupported { construct, edge } => (format!("not supported: {construct}"), place(edge)),
        Reason::LeftOpen { what, edge } => {
            (format!("no violation was found, but C does not say what happens here: {what}"), place(edge))
        }
        Reason::Undefined { fault, edge, .. } => {
            let ask = match fault.property() {
                Some(property) => format!(" (-p {} asks for it)", property.name()),
                None => String::new(),
            };
            let what = fault.describe();
            (format!("the property holds on every run without undefined behaviour; here: {what}{ask}"), place(edge))
        }
        Reason::NotProved { edge } => {
            let text = "no proof was found; the engine looks for no violation. Loops cut, this could not be excluded";
            (text.to_string(), place(edge))
        }
        Reason::NotReplayed { edge, outcome } => {
            let text = format!("a violation was found that does not replay ({outcome:?}): please report this as a bug");
            (text, place(edge))
        }
    }
}

/// What to do about an unknown answer, where its reason does not say it already.
pub fn advice(program: &Program, sources: &SourceMap, reason: &Reason) -> Option<String> {
    match reason {
        Reason::Budget { .. } => None,
        Reason::NotReplayed { .. } => {
            Some("another engine may answer meanwhile: --engine induction, --engine traces".into())
        }
        Reason::Bound { edge, bound } => {
            let more = 2 * bound.max(&1);
            let place = unknown(program, sources, reason).1;
            let alone = match (&program.edges[*edge].op, place) {
                (Op::Call { .. }, _) => format!("--unwind {more}"),
                (_, Some(place)) => {
                    format!("--unwind-loop {}={more} for this loop, --unwind {more} for all", place.line)
                }
                (_, None) => format!("--unwind {more}"),
            };
            Some(format!("allow more ({alone}); without --unwind the bound grows by itself, and proofs are tried"))
        }
        Reason::Unsupported { construct, .. } => Some(unsupported::help(construct).into()),
        Reason::LeftOpen { .. } => {
            Some("write it so that C says what happens; `whydunit replay` shows what gcc makes of it".into())
        }
        Reason::Undefined { fault, .. } => match fault.property() {
            Some(_) => None,
            None => Some("correct this first: after undefined behaviour C promises nothing".into()),
        },
        Reason::NotProved { .. } => Some("--engine auto looks for violations too, and tries other proofs".into()),
    }
}

/// The invariants of a proof in the order of the source.
fn invariants(verdict: &Verdict, sources: &SourceMap) -> Vec<InvariantReport> {
    let Verdict::Safe(Proof::Invariants(proof)) = verdict else { return Vec::new() };
    let program = &proof.program;
    let view = |invariant: &Invariant| {
        let location = &program.locations[invariant.anchor.head()?];
        let first = location.out[0].map(|edge| program.edges[edge].span);
        let span = location.loop_head.or(first).filter(|span| !sources.is_in_system_header(span.lo))?;
        let place = PlaceView::of(sources, span);
        let text = frontend::display(program, Node::Expr(invariant.expr));
        let expression = match cfa::contract::bound_variable(program, invariant.expr) {
            Some(_) => format!("for all \\k: {text}"),
            None => text,
        };
        Some(InvariantReport { place: place.unwrap_or_default(), expression })
    };
    let mut views: Vec<InvariantReport> = proof.conditions.iter().filter_map(view).collect();
    views.sort_by_cached_key(|view| (view.place.file.clone(), view.place.line, view.place.column));
    views
}

/// The contracts of a proof in the order of the functions.
fn contracts(verdict: &Verdict, sources: &SourceMap) -> Vec<ContractReport> {
    let Verdict::Safe(Proof::Invariants(proof)) = verdict else { return Vec::new() };
    let program = &proof.program;
    let clauses = |anchor: Anchor| -> Vec<String> {
        let own = proof.conditions.iter().filter(|one| one.anchor == anchor);
        own.map(|one| cfa::display::expr_text(program, one.expr)).collect()
    };
    let view = |function: FuncId| {
        let (requires, ensures) = (clauses(Anchor::Requires(function)), clauses(Anchor::Ensures(function)));
        let span = program.functions[function].span;
        if sources.is_in_system_header(span.lo) {
            return None;
        }
        let place = PlaceView::of(sources, span).unwrap_or_default();
        let function = program.function_name(function).to_string();
        (!requires.is_empty() || !ensures.is_empty()).then_some(ContractReport { function, place, requires, ensures })
    };
    program.functions.ids().filter_map(view).collect()
}

/// The checks in the order of the source.
fn checks(checks: &[Check], place: impl Fn(EdgeId) -> Option<PlaceView>) -> Vec<AssertionReport> {
    let mut views: Vec<AssertionReport> = checks
        .iter()
        .map(|check| AssertionReport {
            property: check.property.name(),
            place: place(check.edge).unwrap_or_default(),
            verdict: check.verdict.name(),
            bound: check.verdict.bound(),
            words: match check.verdict {
                CheckVerdict::HoldsUpTo(bound) => format!("holds up to bound {bound}"),
                CheckVerdict::NotReached(bound) => format!("not reached within bound {bound}"),
                verdict => verdict.name().to_string(),
            },
        })
        .collect();
    let key = |check: &AssertionReport| (check.place.file.clone(), check.place.line, check.place.column);
    views.sort_by_cached_key(key);
    views
}

/// The report when time or memory ran out at a bound and the engine does not answer.
pub fn out_of_budget(request: VerifyRequest, reason: &str, progress: &Progress) -> VerifyReport {
    let bound = progress.bound();
    let Spent { known, help } = Spent::of(progress, None);
    let asked: Vec<&str> = request.properties.iter().map(|property| property.name()).collect();
    VerifyReport {
        verdict: "unknown",
        property: asked.join(","),
        reason: Some(format!("{reason} at bound {bound}: {known}")),
        help: Some(help),
        engine: request.engine,
        bound,
        caveats: Vec::new(),
        assumptions: Vec::new(),
        notes: Vec::new(),
        violations: Vec::new(),
        invariants: Vec::new(),
        contracts: Vec::new(),
        checks: Vec::new(),
        blame: None,
        turns: Vec::new(),
        first_line: "verdict: unknown(budget)".into(),
        place: None,
        replays: Vec::new(),
        undefined: None,
        undefined_trace: None,
    }
}

impl VerifyReport {
    /// The verdict as the text begins.
    pub fn first_line(&self) -> &str {
        &self.first_line
    }

    /// Adds the run that comes to undefined behaviour that no property asks about.
    pub fn show_undefined(&mut self, program: &Program, sources: &SourceMap, trace: &Trace) {
        let view = replay::report(program, sources, trace);
        self.undefined_trace = Some(TraceReport::new(trace.measure, &view));
        self.undefined = Some(view);
    }

    pub fn to_text(&self, shown: Shown, style: Style) -> String {
        let mut text = format!("{}\n", self.first_line);
        let blame = self.blame.as_ref().filter(|_| shown != Shown::End);
        let blamed = blame.map(Blame::to_text).unwrap_or_default();
        let suspect = blame.and_then(|blame| blame.suspects.first());
        for replay in &self.replays {
            text.push_str(&replay.body_before(&blamed, suspect, shown, style));
        }
        text.push_str(&blamed);
        if let Some(undefined) = &self.undefined {
            text.push_str(&undefined.body(shown, style));
        }
        if let Some(reason) = &self.reason {
            match &self.place {
                // The run ends there, and says what happens.
                _ if self.undefined.is_some() => writeln!(text, "\n{reason}"),
                Some(place) if self.first_line == BOUND => write!(text, "\n{}", terminal::noted(reason, place, style)),
                Some(place) => write!(text, "\n{}", terminal::pointed(reason, place, None, style)),
                None => writeln!(text, "{reason}"),
            }
            .expect("writing to a string");
        }
        if let Some(help) = &self.help {
            writeln!(text, "help: {help}").expect("writing to a string");
        }
        let most = if shown == Shown::Everything { usize::MAX } else { FEW_INVARIANTS };
        for InvariantReport { place, expression } in self.invariants.iter().take(most) {
            writeln!(text, "invariant: {}:{}: {expression}", place.file, place.line).expect("writing to a string");
        }
        if let Some(more) = self.invariants.len().checked_sub(most).filter(|more| *more > 0) {
            writeln!(text, "and {more} more invariants (--full shows all)").expect("writing to a string");
        }
        for contract in &self.contracts {
            let words = |word: &str, clauses: &[String]| {
                let text = clauses.iter().map(|clause| format!("({clause})")).collect::<Vec<_>>().join(" && ");
                match clauses {
                    [] => String::new(),
                    [one] => format!("; {word} {one}"),
                    _ => format!("; {word} {text}"),
                }
            };
            let clauses = words("requires", &contract.requires) + &words("ensures", &contract.ensures);
            let ContractReport { function, place, .. } = contract;
            writeln!(text, "contract: {}:{}: {function}{}", place.file, place.line, clauses.replacen(';', ":", 1))
                .expect("writing to a string");
        }
        for caveat in &self.caveats {
            writeln!(text, "assumed: {caveat}").expect("writing to a string");
        }
        // A run that shows a violation needs few assumptions: which it was given can be seen in it.
        let others: Vec<&str> =
            self.assumptions.iter().filter(|one| !self.caveats.contains(one)).map(String::as_str).collect();
        if self.verdict == "true" && !others.is_empty() {
            writeln!(text, "assumed: {}", others.join("; ")).expect("writing to a string");
        }
        for note in &self.notes {
            writeln!(text, "note: {note}").expect("writing to a string");
        }
        if !self.checks.is_empty() {
            text.push_str("\nchecks:\n");
            let place = |check: &AssertionReport| format!("{}:{}", check.place.file, check.place.line);
            let places = self.checks.iter().map(|check| place(check).len()).max().unwrap_or(0);
            let properties = self.checks.iter().map(|check| check.property.len()).max().unwrap_or(0);
            for check in &self.checks {
                let (place, AssertionReport { property, words, .. }) = (place(check), check);
                writeln!(text, "  {place:places$}  {property:properties$}  {words}").expect("writing to a string");
            }
        }
        if !self.turns.is_empty() {
            text.push_str("\nengines:\n");
        }
        for turn in &self.turns {
            let TurnReport { engine, began_ms, took_ms, outcome, .. } = turn;
            let took = took_ms.map_or("…".into(), |ms| format!("{:.2}", ms / 1000.0));
            let began = began_ms / 1000.0;
            writeln!(text, "  {engine:10}  from {began:.2} s, {took} s: {outcome}{}", turn.sizes())
                .expect("writing to a string");
        }
        text
    }
}

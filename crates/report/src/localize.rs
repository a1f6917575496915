//! The report of `localize`: the ranked suspects with reasons, what each method says in its own terms, and repair hints.

use crate::failure::NoFailure;
use crate::patch;
use crate::replay::{ReplayReport, Shown, ViolationView};
use crate::terminal::{self, Style};
use serde::{Serialize, Serializer};
use std::fmt::Write;

#[derive(Debug, Serialize)]
pub struct LocalizeReport {
    /// `false` if there is a failing run; otherwise as `verify` says.
    pub verdict: &'static str,
    /// Why there is none.
    pub reason: Option<String>,
    /// What to do where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    pub violation: Option<ViolationView>,
    /// Failing runs that the answer rests on.
    pub runs: usize,
    pub suspects: Vec<SuspectView>,
    #[serde(serialize_with = "by_name")]
    pub methods: Vec<MethodView>,
    pub repairs: Vec<RepairView>,
    /// Methods that gave no answer.
    pub unanswered: Vec<String>,
    /// Lines of which no method could say whether a change of them alone helps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unanswered_lines: Vec<LineView>,
    /// Why, in words, each method once.
    #[serde(skip)]
    pub because: Vec<NoAnswer>,
    /// Where tests are given: how many fail and pass, and which say nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestsView>,
    #[serde(skip)]
    pub(crate) none: Option<NoFailure>,
    /// The failing run that the story is told of.
    #[serde(skip)]
    pub run: Option<Box<ReplayReport>>,
}

/// A method that gave no answer, and why.
#[derive(Clone, Debug)]
pub struct NoAnswer {
    pub method: String,
    pub why: String,
    /// Others have answered what it would be asked.
    pub is_needless: bool,
}

/// In words, the methods with one reason together.
pub(crate) fn no_answers(all: &[NoAnswer]) -> Vec<String> {
    let mut found: Vec<(Vec<&str>, &str)> = Vec::new();
    for NoAnswer { method, why, .. } in all {
        match found.iter_mut().find(|(_, other)| other == why) {
            Some((methods, _)) => methods.push(method),
            None => found.push((vec![method], why)),
        }
    }
    found.into_iter().map(|(methods, why)| format!("{}: {why}", methods.join(", "))).collect()
}

#[derive(Clone, Debug, Serialize)]
pub struct LineView {
    pub file: String,
    pub line: u32,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct TestsView {
    pub failing: usize,
    pub passing: usize,
    /// Names of those that fail.
    pub failing_names: Vec<String>,
    /// Names, with the reason.
    pub left_out: Vec<String>,
    /// How the first failing test fails, if it is not by the violation of a property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complaint: Option<String>,
}

impl TestsView {
    /// Which tests fail, where no complaint says so and they are few.
    fn which(&self) -> String {
        const FEW: usize = 8;
        if self.complaint.is_some() || self.passing == 0 || self.failing_names.len() > FEW {
            return String::new();
        }
        format!("; failing: {}", self.failing_names.join(", "))
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct SuspectView {
    pub rank: usize,
    pub file: String,
    pub line: u32,
    pub function: String,
    pub score: f64,
    pub reason: String,
    pub methods: Vec<&'static str>,
    /// The line itself.
    #[serde(skip)]
    pub text: String,
    /// Where it begins in the file.
    #[serde(skip)]
    pub offset: Option<u32>,
}

/// What one method finds, in its own terms. In JSON they are the fields of one object; a method that did not run, or found no time to finish, is absent.
#[derive(Clone, Debug)]
pub struct MethodView {
    pub name: &'static str,
    pub title: &'static str,
    pub finding: FindingView,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum FindingView {
    Scores(Vec<ScoreView>),
    Trace(TraceView),
    Diagnoses(Vec<DiagnosisView>),
}

fn by_name<S: Serializer>(methods: &[MethodView], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(methods.iter().map(|method| (method.name, &method.finding)))
}

#[derive(Clone, Debug, Serialize)]
pub struct ScoreView {
    pub file: String,
    pub line: u32,
    pub score: f64,
}

/// An abstract error trace.
#[derive(Clone, Debug, Serialize)]
pub struct TraceView {
    /// Lines of relevant statements.
    pub relevant: Vec<u32>,
    /// Lines of the conditions in whose scope they lie.
    pub conditions: Vec<u32>,
    /// What the recursive algorithm finds relevant, if it came to an end; only of the flow-sensitive method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recursive: Option<Vec<u32>>,
    #[serde(skip)]
    pub recursive_gave_up: bool,
    pub trace: Vec<TraceItem>,
}

/// What an invariant says that the one before it does not.
struct Fact<'a> {
    line: Option<u32>,
    statement: &'a str,
    facts: Vec<&'a str>,
}

impl TraceView {
    /// Each fact once, where it begins to hold. What C has no words for is left out.
    fn changed_facts(&self) -> Vec<Fact<'_>> {
        let mut changes: Vec<Fact<'_>> = Vec::new();
        let (mut known, mut statement): (Vec<&str>, Option<&TraceItem>) = (Vec::new(), None);
        for item in &self.trace {
            if item.kind != "invariant" {
                statement = Some(item);
                continue;
            }
            let now = conjuncts(&item.text);
            let facts: Vec<&str> = now.iter().copied().filter(|fact| !known.contains(fact)).collect();
            known = now;
            if facts.is_empty() {
                continue;
            }
            let (line, text) = statement.map_or((None, "at the beginning"), |one| (one.line, one.text.trim()));
            match changes.last_mut() {
                Some(last) if (last.line, last.statement) == (line, text) => last.facts.extend(facts),
                _ => changes.push(Fact { line, statement: text, facts }),
            }
        }
        changes
    }
}

/// The parts of a conjunction, not looking into parentheses.
fn conjuncts(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (index, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            '&' if depth == 0 && text[index..].starts_with("&& ") => {
                parts.push(text[start..index].trim());
                start = index + 2;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !matches!(*part, "…" | "" | "true" | "1"));
    parts
}

#[derive(Clone, Debug, Serialize)]
pub struct TraceItem {
    /// `invariant`, `statement` or `frame`.
    pub kind: &'static str,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub text: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct DiagnosisView {
    pub lines: Vec<u32>,
    pub cost: u32,
    /// How many of the passing runs that execute the line also pass when it does something else.
    pub flexibility: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
pub struct RepairView {
    pub file: String,
    pub line: u32,
    /// What the edit does, in words.
    pub edit: String,
    pub diff: String,
    /// No violation was found up to this bound, for all inputs.
    pub verified_bound: u32,
    /// Everything is unwound at that bound.
    pub complete: bool,
    /// Whether some run that failed still comes to the assertion.
    pub still_judged: bool,
    /// It was not checked for all inputs: so many tests pass with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<usize>,
    /// To check it for all inputs was too hard: so many runs that were found pass with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<usize>,
    /// Of so many failing tests (the second number) these pass with it, and all that passed still do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<(usize, usize)>,
    /// Whether the program has inputs at all.
    #[serde(skip)]
    pub has_inputs: bool,
    /// Of so many tests made by chance from those that are given (the second number), how many come out otherwise with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<(usize, usize)>,
    /// So many other edits make all tests pass as well, and do other things elsewhere.
    #[serde(skip_serializing_if = "is_zero")]
    pub rivals: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What `verify` says of a violation: the first suspects, and edits with which the property holds.
#[derive(Debug, Serialize)]
pub struct Blame {
    pub suspects: Vec<SuspectView>,
    pub repairs: Vec<RepairView>,
}

impl Blame {
    pub fn of(report: LocalizeReport) -> Option<Self> {
        let LocalizeReport { mut suspects, mut repairs, .. } = report;
        suspects.truncate(FIRST);
        repairs.truncate(1);
        (!suspects.is_empty()).then_some(Blame { suspects, repairs })
    }

    pub(crate) fn to_text(&self) -> String {
        let mut text = String::from("\nfirst suspects:\n");
        write_suspects(&self.suspects, &self.repairs, &mut text).expect("writing to a string");
        self.repairs.iter().try_for_each(|repair| repair.write(&mut text)).expect("writing to a string");
        text
    }
}

const NO_LINE: &str = "no line can be blamed: the failure depends on none that is not trusted";

impl LocalizeReport {
    /// Where no line can be blamed, the inputs that the failing run depends on are all there is to say.
    pub fn blame_inputs(&mut self) {
        let is_none = self.reason.as_deref() == Some(NO_LINE);
        let steps = self.run.iter().flat_map(|run| &run.steps);
        let inputs = steps.filter(|step| step.input.is_some() && step.relevant != Some(false));
        let inputs: Vec<&str> = inputs.map(|step| step.text.as_str()).collect();
        if is_none && !inputs.is_empty() {
            self.reason =
                Some(format!("no line can be blamed: the failure depends on inputs alone: {}", inputs.join(", ")));
        }
    }
}

/// Suspects with their lines, unless the diff of the repair, which follows, shows the line.
fn write_suspects(suspects: &[SuspectView], repairs: &[RepairView], text: &mut String) -> std::fmt::Result {
    for SuspectView { rank, file, line, function, reason, text: source, .. } in suspects {
        // A declaration outside of functions, or the definition of a macro.
        let place = if function.is_empty() { String::new() } else { format!(" in {function}") };
        writeln!(text, "{rank:3}. {file}:{line}{place}: {reason}")?;
        let is_in_diff = repairs.first().is_some_and(|repair| repair.removes(file, *line));
        if !is_in_diff {
            writeln!(text, "       {}", source.trim())?;
        }
    }
    Ok(())
}

impl RepairView {
    fn write(&self, text: &mut String) -> std::fmt::Result {
        writeln!(text, "\nrepair hint: {}\n{}", self.sentence(), self.diff.trim_end())
    }

    /// Whether the diff shows the line.
    fn removes(&self, file: &str, line: u32) -> bool {
        patch::replacements(&self.diff)
            .iter()
            .any(|part| part.file == file && (part.first_line..part.first_line + part.removed).contains(&line))
    }

    /// The edit, and what it gives.
    pub(crate) fn sentence(&self) -> String {
        if let Some((fixed, failing)) = self.part {
            let still = "those that pass still do; the others need another change";
            return format!("{}; then {fixed} of {failing} failing tests pass, and {still} (not proven)", self.edit);
        }
        if let Some(tests) = self.tests {
            let pass = if tests == 1 { "the test passes".to_string() } else { format!("all {tests} tests pass") };
            let changes = match self.changes {
                Some((changed, of)) if of > 0 => {
                    format!("; {changed} of {of} random ones come out otherwise than before")
                }
                _ => String::new(),
            };
            let rivals = match self.rivals {
                0 => String::new(),
                1 => "; another edit does so too, and other things elsewhere".into(),
                rivals => format!("; {rivals} other edits do so too, and other things elsewhere"),
            };
            return format!("{}; then {pass} (not proven for other inputs{changes}{rivals})", self.edit);
        }
        if let Some(runs) = self.runs {
            return format!("{}; then all {runs} known runs pass (not proven for other inputs)", self.edit);
        }
        let reach = match (self.has_inputs, self.complete) {
            (false, _) => String::new(),
            (true, true) => " for all inputs".to_string(),
            (true, false) => format!(" for all inputs up to bound {}", self.verified_bound),
        };
        let but = if self.still_judged { "" } else { ", but the runs that failed do not come to it any more" };
        format!("{}; then the property holds{reach}{but}", self.edit)
    }
}

/// What was found.
pub struct Localized {
    pub violation: ViolationView,
    pub runs: usize,
    pub suspects: Vec<SuspectView>,
    pub methods: Vec<MethodView>,
    pub repairs: Vec<RepairView>,
    pub unanswered: Vec<String>,
    pub unanswered_lines: Vec<LineView>,
    pub because: Vec<NoAnswer>,
    pub tests: Option<TestsView>,
}

/// Changes of invariants that are printed unless all are asked for.
const FACTS: usize = 8;
/// Columns of a statement and what holds behind it on one line.
const FACT_WIDTH: usize = 90;
/// Suspects printed in full, and how many more on one line; with `--full` all.
const IN_FULL: usize = 5;
const BRIEFLY: usize = 12;
/// So many lines without an answer are only counted.
const MANY_LINES: usize = 12;
/// Suspects that `verify` names.
const FIRST: usize = 3;

impl LocalizeReport {
    pub fn none(why: NoFailure) -> Self {
        LocalizeReport {
            verdict: why.verdict,
            reason: Some(why.reason.clone()),
            help: why.help.clone(),
            violation: None,
            runs: 0,
            suspects: Vec::new(),
            methods: Vec::new(),
            repairs: Vec::new(),
            unanswered: Vec::new(),
            unanswered_lines: Vec::new(),
            because: Vec::new(),
            tests: None,
            none: Some(why),
            run: None,
        }
    }

    pub fn new(found: Localized) -> Self {
        let Localized { violation, runs, suspects, methods, repairs, unanswered, unanswered_lines, because, tests } =
            found;
        let reason = match (suspects.is_empty(), unanswered.is_empty() && unanswered_lines.is_empty()) {
            (false, _) => None,
            (true, true) => Some(NO_LINE.into()),
            (true, false) => Some("no line was blamed".into()),
        };
        let violation = Some(violation);
        LocalizeReport {
            verdict: "false",
            reason,
            help: None,
            violation,
            runs,
            suspects,
            methods,
            repairs,
            unanswered,
            unanswered_lines,
            because,
            tests,
            none: None,
            run: None,
        }
    }

    pub fn to_text(&self, shown: Shown, verbose: bool, style: Style) -> String {
        let (Some(violation), None) = (&self.violation, &self.none) else {
            return self.none.as_ref().map_or(String::new(), |none| none.to_text(style));
        };
        let complaint = self.tests.as_ref().and_then(|tests| tests.complaint.as_deref());
        let what = if complaint.is_some() { "test" } else { violation.property };
        let mut text = format!("verdict: false({what})\n\n");
        let message = complaint.unwrap_or(&violation.message);
        text.push_str(&terminal::pointed(message, &violation.place, None, style));
        if let Some(tests) = &self.tests {
            let _ = writeln!(text, "{} failing and {} passing tests{}", tests.failing, tests.passing, tests.which());
            for test in &tests.left_out {
                let _ = writeln!(text, "left out: {test}");
            }
        }
        if shown == Shown::End {
            for SuspectView { file, line, .. } in &self.suspects {
                let _ = writeln!(text, "{file}:{line}");
            }
            return text;
        }
        let mut rest = String::new();
        self.write(&mut rest, shown, verbose).expect("writing to a string");
        if let Some(run) = &self.run {
            text.push_str(&run.inputs_of_story());
            if !run.steps.is_empty() {
                text.push_str(&run.steps_before(&text, &rest, self.suspects.first()).unwrap_or_default());
            }
        }
        text + &rest
    }

    /// What comes behind the run.
    fn write(&self, text: &mut String, shown: Shown, verbose: bool) -> std::fmt::Result {
        let everything = shown == Shown::Everything;
        if let Some(reason) = &self.reason {
            writeln!(text, "{reason}")?;
        }
        let runs = if self.runs == 1 { "one failing run".into() } else { format!("{} failing runs", self.runs) };
        if !self.suspects.is_empty() {
            writeln!(text, "\nsuspects, from {runs}:")?;
        }
        let all = self.suspects.len();
        let (in_full, briefly) = if everything { (all, all) } else { (IN_FULL.min(all), (IN_FULL + BRIEFLY).min(all)) };
        write_suspects(&self.suspects[..in_full], &self.repairs, text)?;
        if in_full < briefly {
            let lines = self.suspects[in_full..briefly].iter().map(|suspect| suspect.line.to_string());
            let lines = lines.collect::<Vec<_>>().join(", ");
            let more = match all - briefly {
                0 => String::new(),
                more => format!(" and {more} more (--full)"),
            };
            let word = if briefly - in_full == 1 { "line" } else { "lines" };
            writeln!(text, "     also {word} {lines}{more}")?;
        }
        if !self.unanswered_lines.is_empty() {
            let lines: Vec<String> = self.unanswered_lines.iter().map(|line| line.line.to_string()).collect();
            let lines = match lines.len() {
                many @ MANY_LINES.. if !everything => format!("{many} lines (--full names them)"),
                _ => format!("lines {}", lines.join(", ")),
            };
            writeln!(text, "not answered for {lines}: they may be to blame as well")?;
        }
        self.write_repairs(text, everything)?;
        self.write_traces(text, verbose, everything)?;
        if !self.unanswered.is_empty() && self.because.is_empty() {
            return writeln!(text, "\nno answer yet from {}", self.unanswered.join(", "));
        }
        let told: Vec<NoAnswer> =
            self.because.iter().filter(|one| verbose || everything || !one.is_needless).cloned().collect();
        if !told.is_empty() {
            text.push('\n');
        }
        no_answers(&told).iter().try_for_each(|line| writeln!(text, "no answer from {line}"))
    }

    /// What methods on one run say in their own terms.
    fn write_traces(&self, text: &mut String, verbose: bool, everything: bool) -> std::fmt::Result {
        let traces = self.methods.iter().filter_map(|method| match &method.finding {
            FindingView::Trace(trace) => Some((method, trace, trace.changed_facts())),
            FindingView::Scores(_) | FindingView::Diagnoses(_) => None,
        });
        let mut traces: Vec<_> = traces.filter(|(.., facts)| !facts.is_empty()).collect();
        if !verbose && !everything {
            // One of them is enough to read, and none if it is long, or if an edit says more.
            traces.sort_by_key(|(.., facts)| facts.len());
            let is_short = traces.first().is_some_and(|(.., facts)| facts.len() <= FACTS);
            traces.truncate(usize::from(is_short && self.repairs.is_empty()));
        }
        for (method, trace, facts) in traces {
            writeln!(text, "\n{}, where they change:", method.title)?;
            for Fact { line, statement, facts } in facts {
                let line = line.map_or(String::new(), |line| line.to_string());
                let statement = format!("  {line:>5}  {statement}");
                let facts = facts.join(" && ");
                // One line of its own for what would be too long beside the statement.
                match statement.chars().count() + facts.chars().count() < FACT_WIDTH {
                    true => writeln!(text, "{statement}  then {facts}")?,
                    false => writeln!(text, "{statement}\n         then {facts}")?,
                }
            }
            if trace.recursive_gave_up {
                writeln!(text, "       (the recursive variant gave up: the run is too long for it)")?;
            }
        }
        Ok(())
    }

    /// The first repair as a diff; others are a line each unless everything is asked for.
    fn write_repairs(&self, text: &mut String, everything: bool) -> std::fmt::Result {
        let diffs = if everything { self.repairs.len() } else { 1 };
        self.repairs.iter().take(diffs).try_for_each(|repair| repair.write(text))?;
        for repair in self.repairs.iter().skip(diffs) {
            writeln!(text, "or {}:{}: {} (--full shows the diff)", repair.file, repair.line, repair.sentence())?;
        }
        Ok(())
    }
}

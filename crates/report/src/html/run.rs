//! One run for a page: its steps as rows of numbers, with the texts once each, so that runs of many steps stay small.

use super::cycles::{CycleRow, cycles};
use super::facts::Facts;
use super::flow::FlowGraphs;
use super::groups::{Group, Grouper};
use crate::PlaceView;
use crate::replay::{InputView, ReplayReport, StepView};
use crate::viewer::Viewer;
use base::SourceMap;
use cfa::interp::InputSource;
use cfa::{EdgeId, Op, PlaceId, PlaceKind, Program, VarKind};
use evidence::{Step, StepKind, Trace};
use serde::Serialize;
use std::collections::HashMap;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RunKind {
    Minimized,
    Original,
    Passing,
}

#[derive(Serialize)]
pub struct RunPage {
    pub kind: RunKind,
    pub outcome: &'static str,
    pub reason: String,
    /// The values that made the violation happen.
    pub detail: Option<String>,
    pub stdout: String,
    pub inputs: Vec<InputView>,
    pub inputs_line: String,
    pub arguments: Vec<String>,
    /// Every text of the steps.
    texts: Vec<String>,
    files: Vec<String>,
    steps: Vec<StepRow>,
    groups: Vec<Group>,
    /// So many steps were left out before the step `skipped_at`.
    skipped: u64,
    skipped_at: usize,
    step_count: u64,
    /// Whether it is known which steps are relevant.
    sliced: bool,
    end: Option<PlaceView>,
    /// The place of the end in the drawings.
    end_at: Option<(u32, u32, u32)>,
    cycles: Option<Vec<CycleRow>>,
    #[serde(skip)]
    places: Vec<PlaceView>,
}

/// As an array: file, line, column, kind, text, function, depth, group or -1, whether it is relevant, what it sets, the input it is or -1, and its place
/// in the drawings.
#[derive(Serialize)]
struct StepRow(u32, u32, u32, u32, u32, u32, u32, i64, u8, Vec<SetRow>, i64, Option<(u32, u32, u32)>);

/// As an array: name, value, whether it is a variable of the whole program.
#[derive(Serialize)]
struct SetRow(u32, u32, u8);

#[derive(Default)]
struct Texts {
    known: HashMap<String, u32>,
    all: Vec<String>,
}

impl Texts {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.known.get(text) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.known.insert(text.to_string(), number);
        self.all.push(text.to_string());
        number
    }
}

impl RunPage {
    pub fn new(
        kind: RunKind,
        program: &Program,
        sources: &SourceMap,
        trace: &Trace,
        report: &ReplayReport,
        facts: &Facts,
        graphs: &FlowGraphs,
    ) -> Self {
        let view = Viewer::new(program, sources);
        let (mut texts, mut files) = (Texts::default(), Texts::default());
        let mut grouper = Grouper::new(program);
        let mut shown = report.steps.iter().enumerate().peekable();
        let mut steps: Vec<StepRow> = Vec::new();
        let mut places: Vec<PlaceView> = Vec::new();
        for (index, step) in trace.steps.iter().enumerate() {
            if index == trace.skipped_at && trace.skipped > 0 {
                grouper.gap(steps.len());
            }
            match step.kind {
                StepKind::Enter { .. } => grouper.enter(step.depth, steps.len()),
                // What a call gives is a step of the caller.
                _ => grouper.at_depth(step.depth, steps.len()),
            }
            while let Some((number, own)) = shown.next_if(|(_, own)| own.at == index) {
                let group = grouper.step(number).map_or(-1, |group| group as i64);
                let event = if index >= trace.skipped_at { index + trace.skipped as usize } else { index };
                let sets = sets(&view, step, own, event, facts);
                let sets = sets
                    .into_iter()
                    .map(|(name, value, global)| SetRow(texts.number(&name), texts.number(&value), u8::from(global)));
                let sets = sets.collect();
                let function = match step.kind {
                    StepKind::Enter { function, .. } => program.function_name(function),
                    _ => &own.function,
                };
                let edge = edge_of(step);
                steps.push(StepRow(
                    files.number(&own.place.file),
                    own.place.line,
                    own.place.column,
                    texts.number(own.kind),
                    texts.number(&own.text),
                    texts.number(function),
                    own.depth,
                    group,
                    u8::from(own.relevant.unwrap_or(true)),
                    sets,
                    own.input.map_or(-1, |input| input as i64),
                    edge.and_then(|edge| graphs.place(edge)),
                ));
                places.push(own.place.clone());
            }
            if let StepKind::Edge(edge) = step.kind {
                grouper.arrive(step.depth, program.edges[edge].to, steps.len());
            }
        }
        grouper.gap(steps.len());
        let mut groups = grouper.groups;
        for group in &mut groups {
            let span = group.head.and_then(|head| program.locations[head].loop_head);
            group.line = span.and_then(|span| view.place(span)).map(|place| place.line);
        }
        places.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        places.dedup_by(|a, b| (&a.file, a.line) == (&b.file, b.line));
        let is_reactive = program.language.is_some_and(|language| !language.eq_ignore_ascii_case("c"));
        RunPage {
            kind,
            outcome: report.outcome,
            reason: report.reason.clone(),
            detail: report.detail.clone(),
            stdout: report.stdout.clone(),
            inputs: report.inputs.clone(),
            inputs_line: report.inputs_line.clone(),
            arguments: report.arguments.clone(),
            texts: texts.all,
            files: files.all,
            steps,
            groups,
            skipped: report.skipped,
            skipped_at: report.skipped_at,
            step_count: report.step_count,
            sliced: report.steps.iter().any(|step| step.relevant.is_some()),
            end: report.end.clone(),
            end_at: trace.run.end.and_then(|edge| graphs.place(edge)),
            cycles: if is_reactive { cycles(&report.steps, sources) } else { None },
            places,
        }
    }

    /// How many steps are shown.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn places(&self) -> impl Iterator<Item = &PlaceView> {
        self.places.iter().chain(&self.end)
    }
}

fn edge_of(step: &Step) -> Option<EdgeId> {
    match step.kind {
        StepKind::Edge(edge) | StepKind::Input(InputSource::Edge { edge, .. }) => Some(edge),
        StepKind::Enter { call, .. } => call,
        StepKind::Input(InputSource::Param { .. }) | StepKind::Leave(_) => None,
    }
}

/// What a step gives a value: name, value, whether it is a variable of the whole program.
fn sets(view: &Viewer<'_>, step: &Step, own: &StepView, event: usize, facts: &Facts) -> Vec<(String, String, bool)> {
    if let Some(parameters) = facts.parameters.get(&event) {
        return parameters.iter().map(|(name, value)| (name.clone(), value.clone(), false)).collect();
    }
    let Some(assigned) = &own.assigned else { return Vec::new() };
    let place = edge_of(step).and_then(|edge| match view.program.edges[edge].op {
        Op::Assign(place, _) | Op::Havoc(place, _) => Some(place),
        Op::Call { dest, .. } => dest,
        _ => None,
    });
    let Some(value) = view.readable(step, place).or_else(|| own.value.clone()) else { return Vec::new() };
    let name = facts.names.get(&event).unwrap_or(assigned).clone();
    vec![(name, value, place.is_some_and(|place| is_global(view.program, place)))]
}

fn is_global(program: &Program, mut place: PlaceId) -> bool {
    loop {
        match program.places[place].kind {
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => place = base,
            PlaceKind::Var(var) => return matches!(program.vars[var].kind, VarKind::Global),
            PlaceKind::Deref(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::FactRecorder;
    use cfa::DataModel;
    use cfa::interp::{Config, ListInputs, ProgramArgs, run_observed};
    use evidence::TraceRecorder;

    const TEXT: &str = "int total;\nint twice(int x) {\n return x * 2; }\nint main(void) {\n int a[3];\n for (int i = 0; i < 3; i++)\n a[i] = \
        twice(i);\n total = a[2];\n return 0; }";

    /// The page's data of the only run of the program.
    fn data(show: usize) -> serde_json::Value {
        let (sources, compiled) = testkit::compile(TEXT.as_bytes(), DataModel::Lp64);
        let program = &compiled.program;
        let entry = program.function_named("main").expect("main");
        let run = |observer: &mut dyn cfa::interp::Observer| {
            let args = ProgramArgs::default();
            run_observed(program, entry, &args, &mut ListInputs::default(), &Config::default(), observer)
        };
        let mut recorder = TraceRecorder::new(show);
        let ended = run(&mut recorder);
        let trace = recorder.finish(ended, &ProgramArgs::default());
        let mut report = crate::replay::report(program, &sources, &trace);
        report.mark_relevant(&vec![true; trace.steps.len()]);
        let gap = trace.skipped_at..trace.skipped_at + trace.skipped as usize;
        let mut facts = FactRecorder::new(program, &sources, gap);
        run(&mut facts);
        let graphs = FlowGraphs::of(program, &sources, entry);
        let page = RunPage::new(RunKind::Original, program, &sources, &trace, &report, &facts.finish(), &graphs);
        assert_eq!(page.steps(), report.steps.len());
        serde_json::to_value(&page).expect("JSON")
    }

    #[test]
    fn steps_are_folded_by_call_loop_and_round() {
        let data = data(1000);
        let groups = data["groups"].as_array().expect("a list");
        let of = |kind: &str| groups.iter().filter(|group| group["kind"] == kind).count();
        // The condition is evaluated a fourth time.
        assert_eq!((of("loop"), of("iteration"), of("call")), (1, 4, 3));
        let texts =
            |number: usize| data["texts"][data["steps"][number][4].as_u64().expect("a number") as usize].clone();
        for group in groups.iter().filter(|group| group["kind"] == "call") {
            let (first, end) = (group["first"].as_u64().expect("first"), group["end"].as_u64().expect("end"));
            assert_eq!((texts(first as usize), end - first), ("call twice".into(), 2), "the call and its return");
        }
        let round = groups.iter().find(|group| group["kind"] == "loop").expect("a loop");
        assert_eq!((&round["line"], &round["count"]), (&6.into(), &4.into()));
    }

    #[test]
    fn steps_set_elements_parameters_and_global_variables() {
        let data = data(1000);
        let text = |number: &serde_json::Value| {
            data["texts"][number.as_u64().expect("a number") as usize].as_str().expect("a text")
        };
        let steps = data["steps"].as_array().expect("a list");
        let sets = steps.iter().flat_map(|step| step[9].as_array().expect("a list"));
        let sets: Vec<(&str, &str, bool)> = sets.map(|set| (text(&set[0]), text(&set[1]), set[2] == 1)).collect();
        for expected in [("x", "1", false), ("a[1]", "2", false), ("a[2]", "4", false), ("total", "4", true)] {
            assert!(sets.contains(&expected), "{expected:?} of {sets:?}");
        }
        // Every step of the program's own text has its place in the drawings.
        assert!(steps.iter().all(|step| step[11].is_array()));
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let data = data(10);
        assert!(data["skipped"].as_u64().expect("a number") > 0);
        assert!(data["skipped_at"].as_u64() < Some(10));
    }
}

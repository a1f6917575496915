//! The counterexample as a test that runs without whydunit: C harness, Makefile, gdb script, Test-Comp test case.

use crate::evidence_file::{IN_NO_FILE, VERSION};
use crate::failure::{self, Origin, Start, on_zeroed_memory};
use crate::test_build::{GDB, TestBuild, UNIT_TEST};
use crate::verification::{effort, minimized};
use crate::{Loaded, Problem, Request};
use cfa::interp::{self, Config, Run};
use cfa::{DataModel, Property, Task, eval};
use evidence::Tape;
use explain::Failure;
use explain::minimize::{DEFAULT_MINIMIZER, minimizer};
use report::replay::ReplayReport;
use report::test::TestReport;
use validate::execute::harness::Harness;
use validate::execute::{COMPILER, Case, Observed, sandbox};
use witness::program::Source;
use witness::testcase;

/// Only the state at the end of cycles is of interest.
const KEPT_STEPS: usize = 2;

pub struct TestCase {
    /// What is known; the files are not in it yet.
    pub report: TestReport,
    /// Name and contents.
    pub files: Vec<(String, Vec<u8>)>,
}

/// The files of the program as the Makefile of the test names them, and what the preprocessor is given.
pub struct LiveSources {
    pub files: Vec<String>,
    pub flags: Vec<String>,
    /// Why they are not what the compiler would see; then a copy is tested.
    pub unusable: Option<&'static str>,
}

/// Makes a test of a failing run; one that is searched for is made small. With `run` the test is compiled and run, and the violation must be
/// observed. `time` is ISO 8601.
pub fn make(
    request: &Request<'_>,
    start: Start<'_>,
    live: &LiveSources,
    run: bool,
    time: &str,
) -> Result<TestCase, Problem> {
    let Request { loaded, task, budget, .. } = *request;
    let mut test = TestCase { report: TestReport::default(), files: Vec::new() };
    let Some(failure) = failing(request, start, &mut test.report)? else { return Ok(test) };
    let report = &mut test.report;
    let failure = on_zeroed_memory(&failure).unwrap_or(failure);
    let tape = &failure.tape;
    let config = Config { properties: task.properties, ..Config::default() };
    let played = interp::run(task.program, task.entry, &tape.args, &mut tape.play(), &config);
    report.inputs_line =
        Some(report::replay::inputs_line(task.program, &played.inputs)).filter(|line| !line.is_empty());
    let case = Case { sources: &loaded.sources, task, tape, run: &played };
    let harness = case
        .harness()
        .map_err(|reason| Problem::Refused(format!("no test can be made of the counterexample: {reason}")))?;
    let export = Export { loaded, task, harness: &harness, run: &played, tape, live };
    test.files = export.files(failure.property, time).map_err(Problem::Refused)?;
    if run {
        observe(&case, budget, report);
    }
    Ok(test)
}

/// The failing run to make a test of; one that is searched for is made small. `None` if there is none, as the report then says.
fn failing<'a>(
    request: &Request<'a>,
    start: Start<'_>,
    report: &mut TestReport,
) -> Result<Option<Failure<'a>>, Problem> {
    let found = match failure::find(request, start)? {
        Ok(found) => found,
        Err(none) => {
            report.verdict = none.verdict;
            report.reason = Some(match none.verdict {
                "true" => "the property holds, so there is nothing to test".into(),
                _ => match &none.place {
                    Some(place) => format!("{} (at {}:{})", none.reason, place.file, place.line),
                    None => none.reason.clone(),
                },
            });
            report.help = none.help;
            return Ok(None);
        }
    };
    report.verdict = "false";
    report.property = Some(found.failure.property.name());
    Ok(Some(match (found.origin, minimizer(DEFAULT_MINIMIZER)) {
        (Origin::Search, Some(minimizer)) => minimized(found.failure, minimizer, &effort(request.budget)),
        _ => found.failure,
    }))
}

/// The failing run of a program that runs in cycles.
pub fn of_cycles(request: &Request<'_>, start: Start<'_>) -> Result<(TestCase, Option<ReplayReport>), Problem> {
    let mut test = TestCase { report: TestReport::default(), files: Vec::new() };
    let Some(failure) = failing(request, start, &mut test.report)? else { return Ok((test, None)) };
    let trace = failure::trace(&failure, KEPT_STEPS);
    let run = report::replay::report(request.task.program, &request.loaded.sources, &trace);
    Ok((test, Some(run)))
}

fn observe(case: &Case<'_>, budget: &base::Budget, report: &mut TestReport) {
    let reason = match case.observe(budget) {
        Ok(Observed::Violation(property)) => {
            report.observed = Some(true);
            report.property = Some(property.name());
            return;
        }
        Ok(Observed::Other(what)) => format!("the test was run, and {what}"),
        Err(reason) => reason,
    };
    (report.observed, report.reason) = (Some(false), Some(reason));
}

struct Export<'a> {
    loaded: &'a Loaded,
    task: Task<'a>,
    harness: &'a Harness,
    run: &'a Run,
    tape: &'a Tape,
    live: &'a LiveSources,
}

impl Export<'_> {
    fn files(&self, property: Property, time: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
        let recipe = sandbox::recipes(self.harness, COMPILER).into_iter().next();
        let recipe = recipe.ok_or("there is no way to compile a test here")?;
        // The runtime must come first.
        let extra: Vec<(String, Vec<u8>)> =
            recipe.extra.iter().map(|(name, text)| (name.to_string(), text.as_bytes().to_vec())).collect();
        let units = self.harness.units.iter().enumerate();
        let units: Vec<(String, Vec<u8>)> =
            units.map(|(index, text)| (format!("program{index}.i"), text.clone())).collect();
        let names = |files: &[(String, Vec<u8>)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let build = TestBuild {
            program: &self.live.files,
            copy: &names(&units),
            needs_copy: match recipe.extra.is_empty() {
                true => self.harness.needs_copy.or(self.live.unusable),
                false => Some("there is no C library for programs of this data model"),
            },
            runtime: &names(&extra),
            compile: &[&recipe.flags[..], &self.live.flags[..]].concat(),
            has_library: recipe.extra.is_empty(),
            words: &self.tape.args.words,
            leaks: self
                .harness
                .properties
                .iter()
                .any(|property| matches!(property, Property::ValidMemtrack | Property::ValidMemcleanup)),
        };
        let mut files: Vec<(String, Vec<u8>)> = extra.into_iter().chain(units).collect();
        files.push(("harness.c".into(), self.harness.text.clone().into_bytes()));
        files.push(("Makefile".into(), build.makefile().into_bytes()));
        files.push(("check.sh".into(), build.script().into_bytes()));
        files.push(("CMakeLists.txt".into(), build.cmake().into_bytes()));
        files.push(("unit_test.c".into(), UNIT_TEST.as_bytes().to_vec()));
        files.push(("violation.gdb".into(), GDB.as_bytes().to_vec()));
        files.push(("metadata.xml".into(), self.metadata(property, time)?.into_bytes()));
        files.push(("testcase.xml".into(), self.testcase().into_bytes()));
        Ok(files)
    }

    fn metadata(&self, property: Property, time: &str) -> Result<String, String> {
        let name = self.loaded.file_of(self.task.entry).ok_or(IN_NO_FILE)?;
        let source = Source::new(&self.loaded.sources, name, Some(self.task.program)).ok_or(IN_NO_FILE)?;
        let entry = self.task.program.function_name(self.task.entry);
        let specification = match property {
            Property::UnreachCall => format!("COVER( init({entry}()), FQL(COVER EDGES(@CALL(reach_error))) )"),
            other => witness::specification::of(other, entry),
        };
        Ok(testcase::metadata(&testcase::Metadata {
            producer: &format!("whydunit {VERSION}"),
            specification: &specification,
            program_file: name,
            program_hash: &source.hash(""),
            entry,
            architecture: match self.task.program.model() {
                DataModel::Ilp32 => "32bit",
                DataModel::Lp64 => "64bit",
            },
            time,
        }))
    }

    fn testcase(&self) -> String {
        let types = &self.task.program.types;
        let inputs = self.run.inputs.iter().map(|input| {
            let ty = input.request.ty;
            let value = match types.is_pointer(ty) {
                true => input.bits.get().to_string(),
                false => eval::display(types, ty, input.bits),
            };
            testcase::Input { value, ty: types.c_name(ty, &self.task.program.names) }
        });
        testcase::write(&inputs.collect::<Vec<_>>())
    }
}

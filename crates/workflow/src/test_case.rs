//! The counterexample as a test that runs without whydunit: C harness, Makefile, gdb script, Test-Comp test case.

use crate::evidence_file::{IN_NO_FILE, VERSION};
use crate::{Loaded, Problem, Request, decide};
use cfa::interp::{self, Config, Run};
use cfa::{DataModel, Property, Task, eval};
use evidence::{Tape, Verdict};
use report::test::TestReport;
use validate::execute::harness::Harness;
use validate::execute::{COMPILER, Case, Observed, sandbox};
use witness::program::Source;
use witness::testcase;

pub struct TestCase {
    /// What is known; the files are not in it yet.
    pub report: TestReport,
    /// Name and contents.
    pub files: Vec<(String, Vec<u8>)>,
}

/// Decides, and makes a test of the counterexample. With `run` the test is compiled and run, and the violation must be observed. `time` is ISO 8601.
pub fn make(request: &Request<'_>, run: bool, time: &str) -> Result<TestCase, Problem> {
    let Request { loaded, task, budget, .. } = *request;
    let answer = decide(request)?;
    let mut test = TestCase { report: TestReport::default(), files: Vec::new() };
    let report = &mut test.report;
    match (answer.verdict, answer.violations.into_iter().next()) {
        (Verdict::Safe(_), _) => {
            report.verdict = "true";
            report.reason = Some("the property holds, so there is nothing to test".into());
        }
        (Verdict::Unsafe(violation), Some((_, tape))) => {
            report.verdict = "false";
            report.property = Some(violation.property.name());
            let config = Config { properties: task.properties, ..Config::default() };
            let played = interp::run(task.program, task.entry, &tape.args, &mut tape.play(), &config);
            let case = Case { sources: &loaded.sources, task, tape: &tape, run: &played };
            let harness = case
                .harness()
                .map_err(|reason| Problem::Refused(format!("no test can be made of the counterexample: {reason}")))?;
            let export = Export { loaded, task, harness: &harness, run: &played, tape: &tape };
            test.files = export.files(violation.property, time).map_err(Problem::Refused)?;
            if run {
                observe(&case, budget, report);
            }
        }
        _ => report.reason = Some("no violation was found".into()),
    }
    Ok(test)
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
}

impl Export<'_> {
    fn files(&self, property: Property, time: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
        let recipe = sandbox::recipes(self.harness, COMPILER).into_iter().next();
        let recipe = recipe.ok_or("there is no way to compile a test here")?;
        // The runtime must come first.
        let extra = recipe.extra.iter().map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()));
        let units = self.harness.units.iter().enumerate();
        let units = units.map(|(index, text)| (format!("program{index}.i"), text.clone()));
        let mut files: Vec<(String, Vec<u8>)> = extra.chain(units).collect();
        files.push(("harness.c".into(), self.harness.text.clone().into_bytes()));
        let sources: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        files.push(("Makefile".into(), self.makefile(&sources, &recipe).into_bytes()));
        files.push(("violation.gdb".into(), GDB.as_bytes().to_vec()));
        files.push(("metadata.xml".into(), self.metadata(property, time)?.into_bytes()));
        files.push(("testcase.xml".into(), self.testcase().into_bytes()));
        Ok(files)
    }

    fn makefile(&self, sources: &[String], recipe: &sandbox::Recipe) -> String {
        let words = self.tape.args.words.iter().skip(1).map(|word| {
            let text = String::from_utf8_lossy(word).replace('\'', "'\\''").replace('$', "$$");
            format!(" '{text}'")
        });
        let words: String = words.collect();
        let libraries = if recipe.extra.is_empty() { " -lm" } else { "" };
        let (sources, flags) = (sources.join(" "), recipe.flags.join(" "));
        format!(
            "# The violation: `make check` shows it, `make debug` stops at it.\nCC = {COMPILER}\nCFLAGS = -g {flags}\n\n\
             run: {sources}\n\t$(CC) $(CFLAGS) {sources}{libraries} -o run\n\n\
             .PHONY: check debug clean\ncheck: run\n\t./run{words}; test $$? -ge 107\n\n\
             debug: run\n\tgdb -q -x violation.gdb --args ./run{words}\n\nclean:\n\trm -f run\n"
        )
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

const GDB: &str = "# Stops where the property is violated.\nset pagination off\nset breakpoint pending on\nset debuginfod enabled off\n\
                   break whydunit_violation\nbreak whydunit_assertion\nrun\nbacktrace\nup\n";

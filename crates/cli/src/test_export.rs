//! `test`: the counterexample as a test that runs without whydunit: C harness, Makefile, gdb script, Test-Comp test case.

use crate::args::TestArgs;
use crate::decide::decide;
use crate::load::{Loaded, load};
use crate::pipeline::{BAD_INPUT, OK, UNKNOWN, VIOLATED, entry_function, print, print_diagnostics, print_json};
use crate::produce::{creation_time, main_file};
use crate::question::{DEFAULT_PROPERTIES, budget};
use crate::watch::{Allowance, GivenUp, Waiting};
use crate::{property, task, undefined};
use anyhow::{Context, Result};
use cfa::interp::{self, Config, Run};
use cfa::{DataModel, Property, Task, eval};
use engine::{Options, default_engine};
use evidence::{Tape, Verdict};
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use validate::execute::harness::Harness;
use validate::execute::{COMPILER, Case, Observed, sandbox};
use witness::program::Source;
use witness::testcase;

#[derive(Serialize)]
struct TestReport {
    verdict: &'static str,
    property: Option<&'static str>,
    directory: Option<String>,
    files: Vec<String>,
    /// Whether the compiled test showed the violation; absent if it was not run.
    observed: Option<bool>,
    reason: Option<String>,
}

pub fn command(args: &TestArgs) -> Result<u8> {
    let start = Instant::now();
    let (source, names) = task::resolve(&args.source, &args.property)?;
    let properties = property::set(&names, DEFAULT_PROPERTIES)?;
    let budget = budget(args.timeout)?;
    let json = args.json;
    let allowance = Allowance { timeout: args.timeout, memory: args.memory, shows_progress: !json };
    let give_up = move |given_up: GivenUp| {
        TestReport { reason: Some(given_up.reason.into()), ..TestReport::default() }.print(json, start)?;
        Ok(UNKNOWN)
    };
    let waiting = Waiting::within(allowance, start, &budget, default_engine().name, give_up);
    let loaded = load(&source)?;
    print_diagnostics(&loaded);
    if loaded.compiled.has_errors() {
        return Ok(BAD_INPUT);
    }
    let competition = undefined::is_competition(&args.source.files, &names);
    let loaded = loaded.with_undefined_functions(args.undefined.or_usual(competition));
    let program = &loaded.compiled.program;
    let entry = entry_function(program, &args.entry)?;
    let task = Task { program, entry, properties };
    let options = Options { unwind: args.unwind, ..Options::default() };
    let answer = decide(default_engine(), task, &options, &budget)?;
    let mut report = TestReport::default();
    let code = match (answer.verdict, answer.violations.into_iter().next()) {
        (Verdict::Safe(_), _) => {
            report.verdict = "true";
            report.reason = Some("the property holds, so there is nothing to test".into());
            OK
        }
        (Verdict::Unsafe(violation), Some((_, tape))) => {
            report.verdict = "false";
            report.property = Some(violation.property.name());
            let config = Config { properties, ..Config::default() };
            let run = interp::run(program, entry, &tape.args, &mut tape.play(), &config);
            let case = Case { sources: &loaded.sources, task, tape: &tape, run: &run };
            let built = case
                .harness()
                .map_err(|reason| anyhow::anyhow!("no test can be made of the counterexample: {reason}"))?;
            let folder = args.out.clone().unwrap_or_else(|| folder_for(&source.files[0]));
            let export = Export { loaded: &loaded, task, harness: &built, run: &run, tape: &tape };
            report.files = export.write(&folder, violation.property)?;
            report.directory = Some(folder.display().to_string());
            match args.run.then(|| case.observe(&budget)) {
                None => VIOLATED,
                Some(Ok(Observed::Violation(property))) => {
                    report.observed = Some(true);
                    report.property = Some(property.name());
                    VIOLATED
                }
                Some(other) => {
                    report.observed = Some(false);
                    report.reason = Some(match other {
                        Ok(Observed::Other(what)) => {
                            format!("the test was run, and {what}")
                        }
                        Err(reason) => reason,
                        Ok(Observed::Violation(_)) => String::new(),
                    });
                    UNKNOWN
                }
            }
        }
        _ => {
            report.reason = Some("no violation was found".into());
            UNKNOWN
        }
    };
    drop(waiting);
    report.print(json, start)?;
    Ok(code)
}

impl Default for TestReport {
    /// Nothing is known.
    fn default() -> Self {
        let (property, directory, files) = (None, None, Vec::new());
        TestReport { verdict: "unknown", property, directory, files, observed: None, reason: None }
    }
}

impl TestReport {
    fn print(&self, json: bool, start: Instant) -> Result<()> {
        match json {
            true => print_json("test", start, self),
            false => print(self.to_text().trim_end()),
        }
    }

    fn to_text(&self) -> String {
        let property = self.property.map(|property| format!("({property})")).unwrap_or_default();
        let mut out = format!("verdict: {}{property}\n", self.verdict);
        if let Some(directory) = &self.directory {
            let _ = writeln!(out, "{directory}: {}", self.files.join(", "));
        }
        if let Some(observed) = self.observed {
            let _ = writeln!(
                out,
                "run: {}",
                if observed { "the violation was observed" } else { "the violation was not observed" }
            );
        }
        if let Some(reason) = &self.reason {
            let _ = writeln!(out, "{reason}");
        }
        out
    }
}

/// Beside the current directory's files, named for the program.
fn folder_for(file: &Path) -> PathBuf {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    PathBuf::from(format!("{stem}-test"))
}

struct Export<'a> {
    loaded: &'a Loaded,
    task: Task<'a>,
    harness: &'a Harness,
    run: &'a Run,
    tape: &'a Tape,
}

impl Export<'_> {
    fn write(&self, folder: &Path, property: Property) -> Result<Vec<String>> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let recipe = sandbox::recipes(self.harness, COMPILER).into_iter().next();
        let recipe = recipe.context("there is no way to compile a test here")?;
        // The runtime must come first.
        let extra = recipe.extra.iter().map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()));
        let units = self.harness.units.iter().enumerate();
        let units = units.map(|(index, text)| (format!("program{index}.i"), text.clone()));
        let mut files: Vec<(String, Vec<u8>)> = extra.chain(units).collect();
        files.push(("harness.c".into(), self.harness.text.clone().into_bytes()));
        let sources: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        files.push(("Makefile".into(), self.makefile(&sources, &recipe).into_bytes()));
        files.push(("violation.gdb".into(), GDB.as_bytes().to_vec()));
        files.push(("metadata.xml".into(), self.metadata(property)?.into_bytes()));
        files.push(("testcase.xml".into(), self.testcase().into_bytes()));
        for (name, text) in &files {
            let path = folder.join(name);
            std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(files.into_iter().map(|(name, _)| name).collect())
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

    fn metadata(&self, property: Property) -> Result<String> {
        let name = main_file(self.loaded, self.task.entry).context("the program is in no file")?;
        let source =
            Source::new(&self.loaded.sources, &name, Some(self.task.program)).context("the program is in no file")?;
        let entry = self.task.program.function_name(self.task.entry);
        let specification = match property {
            Property::UnreachCall => format!("COVER( init({entry}()), FQL(COVER EDGES(@CALL(reach_error))) )"),
            other => witness::specification::of(other, entry),
        };
        Ok(testcase::metadata(&testcase::Metadata {
            producer: concat!("whydunit ", env!("CARGO_PKG_VERSION")),
            specification: &specification,
            program_file: &name,
            program_hash: &source.hash(""),
            entry,
            architecture: match self.task.program.model() {
                DataModel::Ilp32 => "32bit",
                DataModel::Lp64 => "64bit",
            },
            time: &creation_time()?,
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

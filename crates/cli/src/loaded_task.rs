//! The options and the program of a task: properties, engine, limits. The same for every command that decides or starts from a failure.

use crate::args::{EntryArgs, SourceArgs, TaskArgs};
use crate::load::load_with;
use crate::output::Output;
use crate::pipeline::entry_function;
use crate::{cycle, property, task, undefined, unwind, watch};
use anyhow::{Context, Result, bail};
use base::Budget;
use cfa::undefined::UndefinedFunctions;
use cfa::{FuncId, PropertySet, Task};
use engine::{ENGINES, Engine, Options, engine};
use frontend::CompileOptions;
use std::time::Duration;
use workflow::page::KeptRuns;
use workflow::{Loaded, Request};

/// Checked options, before the program is read.
pub struct TaskOptions {
    source: SourceArgs,
    undefined: UndefinedFunctions,
    pub properties: PropertySet,
    pub engine: &'static Engine,
    pub budget: Budget,
}

/// The options together with a program without errors.
pub struct LoadedTask {
    pub loaded: Loaded,
    pub entry: FuncId,
    pub options: Options,
    show_steps: usize,
    /// The runs for a page, if there is to be one.
    pub kept: Option<KeptRuns>,
    pub question: TaskOptions,
}

/// As long as the user wants to wait.
pub fn budget(timeout: Option<f64>) -> Result<Budget> {
    let budget = match timeout {
        Some(seconds) if seconds > 0.0 && seconds < 1e9 => Budget::for_duration(Duration::from_secs_f64(seconds)),
        Some(seconds) => bail!("--timeout {seconds:e}: a positive number of seconds below 1e9 is needed"),
        None => Budget::unlimited(),
    };
    Ok(budget.with_cancel(watch::interrupt_flag()?))
}

impl TaskOptions {
    pub fn of(args: &TaskArgs) -> Result<Self> {
        let (source, names) = task::resolve(&args.source, &args.property)?;
        let properties = args.environment.with_limits(property::set(&names)?)?;
        let Some(engine) = engine(&args.engine) else {
            let known: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
            bail!("unknown engine `{}` (known: {})", args.engine, known.join(", "));
        };
        if let Some(property) = properties.iter().find(|property| !(engine.supports)(*property)) {
            bail!(
                "`{}` cannot be decided by the engine {}; replay can check it on a single run",
                property.name(),
                engine.name
            );
        }
        let bounded = args.unwind.is_some() || !args.unwind_loop.is_empty();
        if bounded && !engine.takes_options {
            bail!("--unwind and --unwind-loop have no meaning for the engine {}; use bmc", engine.name);
        }
        let budget = budget(args.timeout)?;
        let undefined = args.undefined.or_usual(undefined::is_competition(&args.source.files, &names));
        Ok(TaskOptions { source, undefined, properties, engine, budget })
    }

    /// `None` if the program has errors, which are printed.
    pub fn about_program(self, args: &TaskArgs, output: &Output) -> Result<Option<LoadedTask>> {
        let compile_options = args.environment.compile_options(self.source.data_model(), &args.entry)?;
        self.compiled_with(&compile_options, args, output)
    }

    /// The same, with options of the compiler that are not those of the command line.
    pub fn compiled_with(
        self,
        compile_options: &CompileOptions,
        args: &TaskArgs,
        output: &Output,
    ) -> Result<Option<LoadedTask>> {
        let loaded = load_with(&self.source, compile_options, None)?;
        if !output.is_for_programs() || loaded.compiled.has_errors() {
            output.print_diagnostics(&loaded);
        }
        if loaded.compiled.has_errors() {
            return Ok(None);
        }
        args.environment.cycle.check(&loaded)?;
        cycle::refuse_overflow_of_narrow_numbers(&loaded.compiled.program, self.properties)?;
        let (loaded, entry) = with_entry(loaded, &self.source, &args.entry, output)?;
        let loaded = loaded.with_undefined_functions(self.undefined).with_environment(args.environment.environment());
        let limits = unwind::limits(&args.unwind_loop, &loaded.compiled.program, &loaded.sources)?;
        let options = Options { unwind: args.unwind, limits, all: false };
        let kept = args.output.html.is_some().then(KeptRuns::default);
        let show_steps = args.output.show_steps;
        Ok(Some(LoadedTask { loaded, entry, options, show_steps, kept, question: self }))
    }
}

impl LoadedTask {
    pub fn request(&self) -> Request<'_> {
        let program = &self.loaded.compiled.program;
        Request {
            loaded: &self.loaded,
            task: Task { program, entry: self.entry, properties: self.question.properties },
            engine: self.question.engine,
            options: &self.options,
            budget: &self.question.budget,
            show_steps: self.show_steps,
            kept: self.kept.as_ref(),
        }
    }
}

/// The function to start at. Pointers that it is given can be made to point somewhere, and conditions assumed: a function is added that calls it.
pub fn with_entry(loaded: Loaded, source: &SourceArgs, args: &EntryArgs, output: &Output) -> Result<(Loaded, FuncId)> {
    let program = &loaded.compiled.program;
    let entry = match &loaded.compiled.entry {
        Some(Ok(entry)) => *entry,
        Some(Err(reason)) => bail!("{reason}"),
        None => entry_function(program, &args.entry)?,
    };
    if loaded.compiled.entry.is_some() {
        if !args.entry_arrays.is_empty() || args.entry_depth.is_some() {
            bail!("--entry-arrays and --entry-depth are about functions of C");
        }
        return Ok((loaded, entry));
    }
    let objects = args.objects()?;
    if objects.is_empty() {
        return Ok((loaded, entry));
    }
    if args.entry == "main" && !program.functions[entry].params.is_empty() {
        bail!(
            "--entry-arrays, --entry-depth and --assume have no meaning for `main`, whose arguments are the command line; use --entry"
        );
    }
    let language = frontend::of(program).context("the program comes from a file")?;
    let text = (language.call_with_objects)(program, entry, &objects, frontend::CALL_WITH_OBJECTS)
        .map_err(anyhow::Error::msg)?;
    let defined_in = loaded.sources.file_at(program.functions[entry].span.lo);
    let unit = loaded.units.iter().position(|unit| Some(*unit) == defined_in).unwrap_or(0);
    let mut loaded = load_with(source, &loaded.options, Some((unit, &text)))?;
    if loaded.compiled.has_errors() {
        output.print_diagnostics(&loaded);
        bail!("`{}` cannot be called as --entry-arrays, --entry-depth or --assume say", args.entry);
    }
    let entry = entry_function(&loaded.compiled.program, frontend::CALL_WITH_OBJECTS)?;
    loaded.entry_assumptions = args.assumptions();
    Ok((loaded, entry))
}

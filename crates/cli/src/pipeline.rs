//! What each command does, on one screen.

use crate::args::{
    CheckArgs, Cli, Command, DumpFormat, ReplayArgs, ShowArgs, ShowWhat, SuspectsArg, UninitializedArg, VerifyArgs,
};
use crate::load::{load, load_with};
use crate::loaded_task::{TaskOptions, with_entry};
use crate::output::{Output, print};
use crate::watch::{GivenUp, Waiting};
use crate::{
    batch_run, cycle, cycle_tests, entries, failure, html, lsp, manual, produce, property, report_command, test_export,
    undefined, witness,
};
use anyhow::{Context, Result, bail};
use cfa::interp::{Config, Uninitialized};
use evidence::{Reason, Verdict};
use explain::minimize::{NO_MINIMIZER, minimizer};
use explain::replay;
use frontend::CompileOptions;
use report::PlaceView;
use report::check::CheckReport;
use report::replay::Shown;
use report::verify::TurnReport;
use workflow::{bounded, localization, verification};

/// The formats name functions, statements and expressions of C.
pub const NO_WITNESS: &str = "witnesses are about C programs and have no form for others";

pub const OK: u8 = 0;
pub const BAD_INPUT: u8 = 2;
pub const VIOLATED: u8 = 10;
pub const UNKNOWN: u8 = 30;
pub const INTERNAL: u8 = 70;

pub fn run(cli: &Cli) -> Result<u8> {
    match &cli.command {
        Command::Verify(args) => verify(args),
        Command::Minimize(args) => failure::minimize(args),
        Command::Localize(args) => failure::localize(args),
        Command::Explain(args) => failure::explain(args),
        Command::Report(args) => report_command::command(args),
        Command::Check(args) => check(args),
        Command::Show(args) => show(args),
        Command::Replay(args) => replay(args),
        Command::Test(args) => test_export::command(args),
        Command::Witness(command) => witness::run(command),
        Command::Batch(args) => batch_run::command(args),
        Command::Lsp(args) => lsp::command(args),
        Command::Completions(args) => manual::completions(args),
        Command::Man(args) => manual::man(args),
    }
}

fn check(args: &CheckArgs) -> Result<u8> {
    let output = Output::new(report::Command::Check, &args.format, Shown::Folded, &args.source.files)?;
    let loaded = load(&args.source)?;
    let report = CheckReport::new(&loaded.sources, loaded.files, &loaded.compiled.diagnostics);
    let code = if report.errors > 0 { BAD_INPUT } else { OK };
    if !output.is_for_programs() {
        output.print_diagnostics(&loaded);
    }
    output.print(report)?;
    Ok(code)
}

fn show(args: &ShowArgs) -> Result<u8> {
    let mut cycle = args.cycle.options("main", &[])?;
    if matches!(args.what, ShowWhat::Requirements) {
        // One whose conditions are wrong has a name too.
        cycle.requirements.clear();
    }
    let loaded =
        load_with(&args.source, &CompileOptions { cycle, ..CompileOptions::of(args.source.data_model()) }, None)?;
    args.cycle.check(&loaded)?;
    if loaded.compiled.has_errors() {
        Output::for_people(report::Command::Check).print_diagnostics(&loaded);
        return Ok(BAD_INPUT);
    }
    let program = &loaded.compiled.program;
    let text = match args.what {
        ShowWhat::Functions if args.dot => {
            bail!("--dot has no meaning for functions; `show cfa --dot` draws their control flow")
        }
        ShowWhat::Functions => {
            let line = |id: cfa::FuncId| {
                let name = program.function_name(id);
                match PlaceView::of(&loaded.sources, program.functions[id].span).filter(|_| args.places) {
                    Some(PlaceView { file, line, column, .. }) => format!("{file}:{line}:{column}: {name}"),
                    None => name.to_string(),
                }
            };
            own_functions(&loaded).into_iter().map(line).collect::<Vec<String>>().join("\n")
        }
        ShowWhat::Requirements if args.dot || args.places => {
            bail!("--dot and --places have no meaning for requirements; they are for `show cfa` and `show functions`")
        }
        ShowWhat::Requirements => {
            args.cycle.requirements()?.into_iter().map(|one| one.name).collect::<Vec<String>>().join("\n")
        }
        ShowWhat::Cfa if args.places => bail!("--places has no meaning for cfa"),
        ShowWhat::Cfa if args.dot => cfa::dot::dot(program, Some(&loaded.sources)),
        ShowWhat::Cfa => cfa::text::print(program),
    };
    print(text.trim_end())?;
    Ok(OK)
}

/// The functions that the files themselves define, not headers of the system, by place.
pub fn own_functions(loaded: &workflow::Loaded) -> Vec<cfa::FuncId> {
    let program = &loaded.compiled.program;
    let defined = program.functions.iter().filter(|(id, _)| program.automaton(*id).is_some());
    let own = defined.filter(|(_, function)| {
        loaded.sources.file_at(function.span.lo).is_some_and(|file| loaded.units.contains(&file))
    });
    own.map(|(id, _)| id).collect()
}

fn replay(args: &ReplayArgs) -> Result<u8> {
    if let Some(file) = &args.test_cases {
        return cycle_tests::run(args, file);
    }
    let shown = match (args.quiet, args.full) {
        (true, _) => Shown::End,
        (false, true) => Shown::Everything,
        (false, false) => Shown::Folded,
    };
    let output = Output::new(report::Command::Replay, &args.format, shown, &args.source.files)?;
    let test = args.given.test(&args.oracle)?.unwrap_or_default();
    let config = Config {
        properties: args.environment.with_limits(property::set(&args.property)?)?,
        max_steps: args.max_steps,
        max_memory: args.max_memory.saturating_mul(1 << 20),
        max_depth: args.max_depth,
        uninitialized: match args.uninitialized {
            UninitializedArg::Zero => Uninitialized::Arbitrary,
            UninitializedArg::Error => Uninitialized::Error,
        },
        ..Config::default()
    };
    let compile_options = args.environment.compile_options(args.source.data_model(), &args.entry)?;
    let loaded = load_with(&args.source, &compile_options, None)?;
    output.print_diagnostics(&loaded);
    if loaded.compiled.has_errors() {
        return Ok(BAD_INPUT);
    }
    args.environment.cycle.check(&loaded)?;
    let (loaded, entry) = with_entry(loaded, &args.source, &args.entry, &output)?;
    let competition = undefined::is_competition(&args.source.files, &args.property);
    let loaded = loaded.with_undefined_functions(args.undefined.or_usual(competition));
    let loaded = loaded.with_environment(args.environment.environment());
    let show_steps = (!args.quiet).then_some(args.show_steps);
    let report = workflow::replay::replay(&loaded, entry, &args.entry.entry, &test, &config, show_steps);
    let code = match report.outcome {
        "finished" if report.expected.is_some() => VIOLATED,
        "finished" => OK,
        "violation" => VIOLATED,
        _ => UNKNOWN,
    };
    output.print(report)?;
    Ok(code)
}

pub fn entry_function(program: &cfa::Program, name: &str) -> Result<cfa::FuncId> {
    let entry = program.function_named(name).filter(|function| program.automaton(*function).is_some());
    entry.with_context(|| {
        let defined = program.functions.iter().filter(|(id, _)| program.automaton(*id).is_some());
        let names: Vec<&str> = defined.map(|(id, _)| program.function_name(id)).take(20).collect();
        let among = if names.is_empty() { String::new() } else { format!(" (defined: {})", names.join(", ")) };
        format!("the program defines no function `{name}`; choose where to start with --entry{among}")
    })
}

/// Whether the first lines to suspect are named.
fn wants_suspects(args: &VerifyArgs, output: &Output) -> bool {
    match args.suspects {
        SuspectsArg::Always => true,
        SuspectsArg::Never => false,
        SuspectsArg::Auto => {
            let competition = undefined::is_competition(&args.question.source.files, &args.question.property);
            !competition && !args.all && args.minimize != NO_MINIMIZER && output.tells_story()
        }
    }
}

fn verify(args: &VerifyArgs) -> Result<u8> {
    if args.all_entries {
        return entries::command(args);
    }
    let requirements = args.question.environment.cycle.requirements()?;
    if let (Some(file), true) = (&args.question.output.html, requirements.len() > 1) {
        bail!("--html {}: a page is about one requirement; choose it with --requirement", file.display());
    }
    if requirements.len() > 1 {
        return cycle::each_requirement(&requirements);
    }
    let options = &args.question;
    let output = Output::of(report::Command::Verify, &options.output, &options.source.files)?;
    let minimizer = minimizer(&args.minimize).context("the strategy is in the table")?;
    produce::check(&args.witness)?;
    html::check(options.output.html.as_deref())?;
    if let (Some(option), [file, ..]) = (options.unusual(), args.witness.as_slice()) {
        bail!(
            "--witness {}: witnesses have no words for {option}; without --witness the answer is the same, and `whydunit test` keeps a failing run",
            file.display()
        );
    }
    let Some(mut asked) = TaskOptions::of(options)?.about_program(options, &output)? else { return Ok(BAD_INPUT) };
    if let (Some(_), [file, ..]) = (&asked.loaded.compiled.entry, args.witness.as_slice()) {
        bail!("--witness {}: {NO_WITNESS}; `whydunit test` writes a run as a test case", file.display());
    }
    if args.all && !asked.question.engine.takes_options {
        bail!("--all has no meaning for the engine {}; use bmc", asked.question.engine.name);
    }
    asked.options.all = args.all;
    let request = asked.request();
    if let Some(format) = args.dump {
        if let Some(file) = &options.output.html {
            bail!("--html {}: there is no page of a question that is only printed (--dump)", file.display());
        }
        let write = match format {
            DumpFormat::Smt2 => logic::dump::smt2,
            DumpFormat::Dimacs => logic::dump::dimacs,
        };
        print(bounded::dump(&request, options.unwind.unwrap_or(1), write).trim_end())?;
        return Ok(OK);
    }
    let question = verification::question(&request);
    let (verbose, progress) = (options.output.verbose, request.budget.progress().clone());
    let turns = move || match verbose {
        true => progress.turns().into_iter().map(TurnReport::of).collect(),
        false => Vec::new(),
    };
    let turns_so_far = turns.clone();
    let (caveats, assumptions) = (asked.loaded.caveats.clone(), asked.loaded.assumptions());
    let late_output = output.clone();
    let wants_page = options.output.html.is_some();
    let give_up = move |given_up: GivenUp<'_>| {
        html::say_not_written(wants_page);
        let mut report = report::verify::out_of_budget(question, given_up.reason, given_up.progress);
        report.turns = turns_so_far();
        (report.caveats, report.assumptions) = (caveats, assumptions);
        late_output.print(report)?;
        Ok(UNKNOWN)
    };
    let waiting = Waiting::start(options, &output, request.budget, request.engine.name, give_up);
    let answer = workflow::decide(&request)?;
    // From here on there is an answer; simplifying it has its own small time limit.
    drop(waiting);
    let mut verified = verification::report(&request, answer, minimizer)?;
    verified.report.turns = turns();
    // A run to what is looked for has nothing that is to blame.
    let is_goal = requirements.first().is_some_and(|one| one.pattern == frontend::Pattern::Reachability);
    if wants_suspects(args, &output)
        && !is_goal
        && let Some(tape) = &verified.tape
        && let Ok(failure) = replay::failure(request.task, tape.args.clone(), &mut tape.play())
    {
        verified.report.blame = localization::first::suspects(&request, &failure, &args.trusted.trust);
    }
    if is_goal && matches!(verified.verdict, Verdict::Unsafe(_)) {
        let note = "the run reaches what is looked for; it is shown as the violation of \"never\"";
        verified.report.notes.push(note.to_string());
    }
    produce::write(&args.witness, &request, &verified)?;
    let document = output.document(verified.report);
    output.print_document(&document)?;
    html::write(options, &request, &[&document], Some(&verified.verdict))?;
    let code = match verified.verdict {
        Verdict::Safe(_) => OK,
        Verdict::Unsafe(_) => VIOLATED,
        Verdict::Unknown(Reason::NotReplayed { .. }) => INTERNAL,
        Verdict::Unknown(_) => UNKNOWN,
    };
    match requirements.first() {
        Some(requirement) => cycle::say(requirement, code, &output),
        None => Ok(code),
    }
}

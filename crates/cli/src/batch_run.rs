//! `whydunit batch`: many tasks. The work is done by the crate `batch`; here are the command line, progress on a terminal, and what is printed at the end.

use crate::args::{BatchArgs, BatchCommand, BatchCompareArgs, BatchSummaryArgs};
use crate::output::print;
use crate::pipeline::{OK, UNKNOWN, VIOLATED};
use crate::watch::interrupt_flag;
use anyhow::{Context, Result, bail};
use batch::compare::{Change, compare};
use batch::outcome::Status;
use batch::reasons::Reason;
use batch::run::ClusterSettings;
use batch::sources::{self, Question};
use batch::summary::{Summary, Tally};
use batch::{Event, Limits, Rerun, Settings, cluster, html, results};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Of the memory that a task may use, the tool itself gives up at this share, and says what it knows.
const OWN_SHARE: f64 = 0.9;

pub fn command(args: &BatchArgs) -> Result<u8> {
    match &args.command {
        Some(BatchCommand::Compare(args)) => comparison(args),
        Some(BatchCommand::Summary(args)) => summary(args),
        Some(BatchCommand::Worker { folder, round, element }) => cluster::work(folder, *round, *element).map(|()| OK),
        None => run(args),
    }
}

fn run(args: &BatchArgs) -> Result<u8> {
    let own = std::env::current_exe().context("the path of this program is not known")?;
    let limits = limits(args)?;
    let question = Question {
        properties: args.property.clone(),
        functions: args.functions.clone(),
        filter: args.filter.clone().unwrap_or_default(),
        requirements: args.require.clone(),
        options: options(args, &limits),
        tool: own.clone(),
    };
    let tasks = sources::expand(&args.tasks, &question)?;
    if tasks.is_empty() {
        bail!(
            "there are no tasks in what was given: name task files (.yml), a .set file, a .csv list, a folder, or programs; --filter may leave none over"
        );
    }
    let cluster = match args.on.as_str() {
        "local" => None,
        name => Some(ClusterSettings {
            cluster: cluster::cluster(name).context("the scheduler is in the table")?,
            options: args.submit_option.clone(),
            retries: args.retries,
        }),
    };
    let again = args.rerun.iter().filter_map(|name| Status::named(name)).collect();
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Settings {
        tool: own,
        jobs: args.jobs.unwrap_or_else(cores),
        limits,
        resume: (args.resume || !args.rerun.is_empty()).then_some(Rerun(again)),
        cluster,
        interrupted: interrupt_flag()?,
    };
    let progress = Progress::new(tasks.len());
    let finished = batch::run(&tasks, &settings, &args.out, &mut |event| progress.show(event));
    progress.close();
    let finished = finished.with_context(|| {
        format!("what ended before is kept in {}; the same command with --resume goes on", args.out.display())
    })?;
    let rows = args.out.join(results::RESULTS);
    let summary = Summary::of(results::read_rows(&rows)?);
    summary.write(&args.out.join("summary.json"))?;
    print(&summary.table())?;
    without_answer(&rows, &summary)?;
    page(args.html.as_deref(), &args.out, args.against.as_deref())?;
    print(&format!("\nresults: {}", rows.display()))?;
    if finished.interrupted {
        let left = finished.tally.all - finished.tally.done;
        eprintln!("interrupted: {left} tasks are left; the same command with --resume goes on");
        return Ok(UNKNOWN);
    }
    Ok(exit_code(&finished.tally))
}

/// Limits from the command line; the tool's own time limit comes first, so that it can say what it knows.
fn limits(args: &BatchArgs) -> Result<Limits> {
    for (name, value) in
        [("--timeout", args.timeout), ("--time-limit", args.time_limit), ("--cpu-limit", args.cpu_limit)]
    {
        if let Some(seconds) = value.filter(|seconds| !(*seconds > 0.0 && *seconds < 1e9)) {
            bail!("{name} {seconds:e}: a positive number of seconds below 1e9 is needed");
        }
    }
    let wall_s = args.time_limit.unwrap_or_else(|| own_timeout(args) * 1.1 + 1.0);
    Ok(Limits {
        wall_s: Some(wall_s),
        cpu_s: args.cpu_limit,
        memory_mb: Some(args.memory_limit),
        file_mb: Some(args.file_limit),
    })
}

/// Seconds after which the tool gives up by itself.
fn own_timeout(args: &BatchArgs) -> f64 {
    const USUAL: f64 = 60.0;
    args.timeout.unwrap_or_else(|| args.time_limit.map_or(USUAL, |seconds| seconds * OWN_SHARE))
}

/// Options of `verify` for every task. Those that the user gives after `--` come last, and count.
fn options(args: &BatchArgs, limits: &Limits) -> Vec<String> {
    let given =
        |name: &str| args.options.iter().any(|option| option == name || option.starts_with(&format!("{name}=")));
    let mut options = Vec::new();
    if !given("--timeout") {
        options.extend(["--timeout".to_string(), own_timeout(args).to_string()]);
    }
    if let Some(memory) = limits.memory_mb.filter(|_| !given("--memory")) {
        options.extend(["--memory".to_string(), ((memory as f64 * OWN_SHARE) as u64).max(1).to_string()]);
    }
    // Verdicts are counted here; what explains a violation is asked for by name.
    if !given("--suspects") {
        options.extend(["--suspects", "never"].map(String::from));
    }
    options.extend(args.options.iter().cloned());
    options
}

fn exit_code(tally: &Tally) -> u8 {
    if tally.count(Status::Wrong) > 0 || tally.unexpected_violations > 0 {
        VIOLATED
    } else if tally.count(Status::Undecided) + tally.count(Status::Error) > 0 {
        UNKNOWN
    } else {
        OK
    }
}

/// Wrong answers by name; a line for each reason why there is no answer.
fn without_answer(rows: &Path, summary: &Summary) -> Result<()> {
    const SHOWN: usize = 20;
    let wrong = results::read_rows(rows)?.filter(|row| row.status == Status::Wrong);
    let mut wrong = wrong.map(|row| {
        let expected = row.expected.as_ref().map_or(String::new(), |expected| format!(", expected {expected}"));
        format!("{} ({}): {}{expected}", row.task, row.property, row.verdict)
    });
    list("wrong", &mut wrong, SHOWN)?;
    for status in [Status::Error, Status::Undecided] {
        let mut lines = summary.reasons.iter().filter(|reason| reason.status == status).map(Reason::line);
        list(status.name(), &mut lines, SHOWN)?;
    }
    Ok(())
}

/// Some lines below a title, and how many more there are.
fn list(title: &str, lines: &mut dyn Iterator<Item = String>, shown: usize) -> Result<()> {
    let first: Vec<String> = lines.take(shown).map(|line| format!("  {line}")).collect();
    if first.is_empty() {
        return Ok(());
    }
    print(&format!("\n{title}:\n{}", first.join("\n")))?;
    match lines.count() {
        0 => Ok(()),
        more => print(&format!("  and {more} more")),
    }
}

/// The HTML summary, if one is wanted.
fn page(file: Option<&Path>, folder: &Path, against: Option<&Path>) -> Result<()> {
    let Some(file) = file else { return Ok(()) };
    let rows = results::read(folder)?;
    let title = name_of(folder);
    let other = against.map(|path| Ok::<_, anyhow::Error>((name_of(path), results::read(path)?))).transpose()?;
    let compared = other.as_ref().map(|(name, old)| (name, old, compare(old, &rows)));
    let against = compared.as_ref().map(|(name, old, compared)| (name.as_str(), old.as_slice(), compared));
    html::write(file, &html::Page { title: &title, rows: &rows, folder, against })?;
    print(&format!("\nsummary: {}", file.display()))
}

fn name_of(path: &Path) -> String {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn summary(args: &BatchSummaryArgs) -> Result<u8> {
    let rows = args.folder.join(results::RESULTS);
    let summary = Summary::of(results::read_rows(&rows)?);
    print(&summary.table())?;
    without_answer(&rows, &summary)?;
    page(args.html.as_deref(), &args.folder, args.against.as_deref())?;
    Ok(OK)
}

/// Exit code 10 if an answer was lost or is wrong that was not.
fn comparison(args: &BatchCompareArgs) -> Result<u8> {
    let (old, new) = (results::read(&args.old)?, results::read(&args.new)?);
    let compared = compare(&old, &new);
    print(compared.text().trim_end())?;
    page(args.html.as_deref(), &args.new, Some(&args.old))?;
    let wrong = compared.differences.iter().any(|one| one.status == Some(Status::Wrong));
    Ok(if wrong || compared.count(Change::Lost) > 0 { VIOLATED } else { OK })
}

/// One line on a terminal: rate, verdicts so far, time left. Elsewhere only notes.
struct Progress {
    bar: Option<ProgressBar>,
    start: Instant,
}

impl Progress {
    fn new(all: usize) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(all as u64), ProgressDrawTarget::stderr_with_hz(5));
            let style = ProgressStyle::with_template("{pos}/{len} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        Progress { bar, start: Instant::now() }
    }

    fn show(&self, event: Event<'_>) {
        match (event, &self.bar) {
            (Event::Note(note), None) => eprintln!("{note}"),
            (Event::Note(note), Some(bar)) => bar.println(note),
            (Event::Ended(..), None) => {}
            (Event::Ended(_, tally), Some(bar)) => {
                bar.set_position(tally.done as u64);
                let rate = (tally.done - tally.kept) as f64 / self.start.elapsed().as_secs_f64().max(0.001);
                let left = (tally.all - tally.done) as f64 / rate.max(1e-9);
                let wrong = tally.count(Status::Wrong);
                let wrong = if wrong > 0 { format!(", {wrong} WRONG") } else { String::new() };
                bar.set_message(format!(
                    "{rate:.1}/s, {} true, {} false, {} undecided, {} errors{wrong}, {} left",
                    tally.holds,
                    tally.violated,
                    tally.count(Status::Undecided),
                    tally.count(Status::Error),
                    duration(left)
                ));
            }
        }
    }

    fn close(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

fn duration(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// The folder of results, if none is chosen.
pub fn default_folder() -> PathBuf {
    PathBuf::from("whydunit-results")
}

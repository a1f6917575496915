//! The command line of `whydunit batch`.

use batch::cluster::CLUSTERS;
use batch::outcome::Status;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct BatchArgs {
    #[command(subcommand)]
    pub command: Option<BatchCommand>,
    /// Task files (.yml), patterns, set files (.set), lists (.csv with the columns task and property), folders, programs, or a
    /// compile_commands.json, each of whose functions is a task
    #[arg(required = true, value_name = "TASKS")]
    pub tasks: Vec<String>,
    /// Tasks at the same time (default: the number of cores)
    #[arg(short, long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Property name or .prp file, may be given several times: only these (default: those that task files list)
    #[arg(short, long, value_name = "NAME|FILE.prp")]
    pub property: Vec<String>,
    /// Only tasks with this text in their name
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Of a compile_commands.json: only functions whose names match
    #[arg(long, value_name = "PATTERN")]
    pub functions: Option<String>,
    /// Of PLC programs: each requirement is a task, as with --require of verify; %s stands for the path of the program without its extension, as in
    /// --require %s.json; may be given several times
    #[arg(long, value_name = "FILE.json|PATTERN: A; B")]
    pub require: Vec<String>,
    /// Each task gives up by itself after so many seconds, and says what it knows (default: 60, or 9/10 of --time-limit)
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Each task is ended after so many seconds (default: 11/10 of --timeout and a second)
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub time_limit: Option<f64>,
    /// Each task is ended when its processes together have used so many seconds of processor time
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub cpu_limit: Option<f64>,
    /// Each task is ended when its processes together use more megabytes; the tool itself gives up at 9/10 of it
    #[arg(long, value_name = "MB", default_value_t = 2200)]
    pub memory_limit: u64,
    /// No task may write a larger file, what it prints included
    #[arg(long, value_name = "MB", default_value_t = 100)]
    pub file_limit: u64,
    /// Folder for the results
    #[arg(long, value_name = "DIR", default_value_os_t = crate::batch_run::default_folder())]
    pub out: PathBuf,
    /// Go on with the run in the folder: tasks with a result are not run again
    #[arg(long)]
    pub resume: bool,
    /// With --resume: run tasks again whose result was one of these
    #[arg(long, value_name = "STATUS,…", value_delimiter = ',', value_parser = statuses())]
    pub rerun: Vec<String>,
    /// Write a summary that a browser shows
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// An older run to compare with in the summary: its folder or results.jsonl
    #[arg(long, value_name = "OLD", requires = "html")]
    pub against: Option<PathBuf>,
    /// Who runs the tasks
    #[arg(long, value_name = "WHERE", value_parser = places(), default_value = "local")]
    pub on: String,
    /// Further argument of the command that submits to the scheduler, may be given several times
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub submit_option: Vec<String>,
    /// How often tasks are submitted again whose worker was lost
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub retries: u32,
    /// Options of verify for every task; %o stands for a path of the task's own, as in --witness %o.yml
    #[arg(last = true, value_name = "OPTIONS OF verify")]
    pub options: Vec<String>,
}

#[derive(Subcommand)]
pub enum BatchCommand {
    /// Two runs: answers gained, lost and changed, and times
    Compare(BatchCompareArgs),
    /// The table of a run, or its HTML summary
    Summary(BatchSummaryArgs),
    /// One element of a job array; schedulers start it
    #[command(hide = true)]
    Worker { folder: PathBuf, round: usize, element: usize },
}

#[derive(Args)]
pub struct BatchCompareArgs {
    /// Folder of a run, or its results.jsonl
    pub old: PathBuf,
    /// Folder of a run, or its results.jsonl
    pub new: PathBuf,
    /// Write the summary of the new run with a scatter plot
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

#[derive(Args)]
pub struct BatchSummaryArgs {
    /// Folder of a run
    pub folder: PathBuf,
    /// Write a summary that a browser shows
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// An older run to compare with
    #[arg(long, value_name = "OLD", requires = "html")]
    pub against: Option<PathBuf>,
}

fn places() -> PossibleValuesParser {
    let local = PossibleValue::new("local").help("this machine");
    let others = CLUSTERS.iter().map(|cluster| PossibleValue::new(cluster.name).help(cluster.about));
    PossibleValuesParser::new(std::iter::once(local).chain(others))
}

fn statuses() -> PossibleValuesParser {
    PossibleValuesParser::new(Status::ALL.iter().map(|status| PossibleValue::new(status.name())))
}

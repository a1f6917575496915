//! The command line.

use crate::batch_args::BatchArgs;
use crate::output::Output;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use explain::localize::LOCALIZERS;
use explain::minimize::{DEFAULT_MINIMIZER, MINIMIZERS, Objective};
use report::render::{DEFAULT_RENDERER, RENDERERS};
use report::replay::Shown;
use std::path::PathBuf;

#[derive(Parser)]
#[command(
    name = "whydunit",
    version,
    about = "Finds the bug in a C program, proves it by replay, and says why",
    max_term_width = 120
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// When to use colours: on a terminal (auto; NO_COLOR and CLICOLOR_FORCE decide otherwise), always or never
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColorArg::Auto, hide_possible_values = true)]
    pub color: ColorArg,
    /// Take options from this file (default: whydunit.toml in this folder or the nearest one above it)
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Take options from no file
    #[arg(long, global = true, conflicts_with = "config")]
    pub no_config: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    Auto,
    Always,
    Never,
}

impl Cli {
    /// The program that the command is about, and what it runs in.
    pub fn program(&mut self) -> Option<(&mut SourceArgs, Option<&mut EnvironmentArgs>)> {
        let task = match &mut self.command {
            Command::Verify(args) => &mut args.question,
            Command::Minimize(args) => &mut args.failure.question,
            Command::Localize(args) => &mut args.failure.question,
            Command::Explain(args) => &mut args.failure.question,
            Command::Report(args) => &mut args.question,
            Command::Check(args) => return Some((&mut args.source, None)),
            Command::Replay(args) => return Some((&mut args.source, Some(&mut args.environment))),
            Command::Test(args) => return Some((&mut args.source, None)),
            Command::Show(args) => return Some((&mut args.source, None)),
            Command::Witness(_) | Command::Batch(_) | Command::Lsp(_) | Command::Completions(_) | Command::Man(_) => {
                return None;
            }
        };
        Some((&mut task.source, Some(&mut task.environment)))
    }

    /// Where the command's report goes, if it has one.
    pub fn output(&self) -> Option<Output> {
        fn question(command: report::Command, args: &TaskArgs) -> (report::Command, &FormatArgs, Vec<PathBuf>) {
            (command, &args.output.format, args.source.files.clone())
        }
        let (command, format, files) = match &self.command {
            Command::Verify(args) => question(report::Command::Verify, &args.question),
            Command::Minimize(args) => question(report::Command::Minimize, &args.failure.question),
            Command::Localize(args) => question(report::Command::Localize, &args.failure.question),
            Command::Explain(args) => question(report::Command::Explain, &args.failure.question),
            Command::Report(args) => question(report::Command::Verify, &args.question),
            Command::Check(args) => (report::Command::Check, &args.format, args.source.files.clone()),
            Command::Replay(args) => (report::Command::Replay, &args.format, args.source.files.clone()),
            Command::Test(args) => (report::Command::Test, &args.format, args.source.files.clone()),
            Command::Witness(WitnessCommand::Lint(args)) => {
                (report::Command::WitnessLint, &args.format, vec![args.witness.witness.clone()])
            }
            Command::Witness(WitnessCommand::Validate(args)) => {
                (report::Command::WitnessValidate, &args.format, vec![args.witness.witness.clone()])
            }
            Command::Show(_)
            | Command::Witness(_)
            | Command::Batch(_)
            | Command::Lsp(_)
            | Command::Completions(_)
            | Command::Man(_) => {
                return None;
            }
        };
        Output::new(command, format, Shown::End, &files).ok()
    }
}

#[derive(Subcommand)]
pub enum Command {
    /// Decide whether a property holds
    Verify(VerifyArgs),
    /// The shortest run with the smallest values that shows a violation
    Minimize(MinimizeArgs),
    /// The lines to suspect for a violation, and why
    Localize(LocalizeArgs),
    /// The closest run that passes, what is different there, and what the failure depends on
    Explain(ExplainArgs),
    /// Verify; after a violation also minimize, explain and localize; write it all as an HTML page (default: report.html)
    Report(Box<ReportArgs>),
    /// Parse and type-check only
    Check(CheckArgs),
    /// Run the program in the interpreter on given inputs, step by step
    Replay(ReplayArgs),
    /// Make a test of the counterexample: C harness, Makefile, gdb script, Test-Comp test case
    Test(TestArgs),
    /// Show an internal form of the program
    Show(ShowArgs),
    /// Check, validate, convert or show a verification witness
    #[command(subcommand)]
    Witness(WitnessCommand),
    /// Many tasks, each as a process under limits: on this machine or a cluster, resumable, with tables
    Batch(Box<BatchArgs>),
    /// A language server on standard input and output, for editors
    Lsp(LspArgs),
    /// Print the completions of the command line for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for each command into a folder
    Man(ManArgs),
}

#[derive(Args)]
pub struct LspArgs {
    /// Give up on a question after so many seconds
    #[arg(long, value_name = "S", default_value_t = 20.0)]
    pub timeout: f64,
    /// For clients that say so: standard input and output are always used
    #[arg(long, hide = true)]
    pub stdio: bool,
}

#[derive(Args)]
pub struct CompletionsArgs {
    /// The shell; for bash: whydunit completions bash > ~/.local/share/bash-completion/completions/whydunit
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Args)]
pub struct ManArgs {
    /// Write whydunit.1, whydunit-verify.1 and so on there, instead of the first one to standard output
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}

/// The program and how to read it.
#[derive(Args, Clone)]
pub struct SourceArgs {
    /// C files (.c, or preprocessed .i), or PLC programs in Structured Text (.st, .scl, .EXP); several are linked into one program; for verify also
    /// a task file (.yml)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How the files of a program are read.
#[derive(Args, Clone)]
pub struct ReadingArgs {
    /// Sizes of the integer types and pointers (default: lp64, or what a task file or a witness says)
    #[arg(long, value_enum)]
    pub data_model: Option<Model>,
    /// Preprocessor for files with directives
    #[arg(long, value_name = "COMMAND", default_value = "cc -E")]
    pub cpp: String,
    /// Directory for #include, passed on to the preprocessor
    #[arg(short = 'I', long, value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Macro definition, passed on to the preprocessor
    #[arg(short = 'D', long, value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Read each file as the compiler call for it in this list says: include folders, macros, data model, signedness of char
    #[arg(long, value_name = "FOLDER|compile_commands.json")]
    pub compile_commands: Option<PathBuf>,
}

impl SourceArgs {
    pub fn model(&self) -> Model {
        self.reading.data_model.unwrap_or(Model::Lp64)
    }

    pub fn data_model(&self) -> cfa::DataModel {
        match self.model() {
            Model::Ilp32 => cfa::DataModel::Ilp32,
            Model::Lp64 => cfa::DataModel::Lp64,
        }
    }
}

/// What functions without a body do.
#[derive(Args, Clone)]
pub struct UndefinedArgs {
    /// What calls of functions do that are declared and not defined, library and input functions aside
    /// (default: havoc, or pure with a task file or a .prp file)
    #[arg(long, value_enum, value_name = "MEANING")]
    pub undefined_functions: Option<Undefined>,
}

/// What the program runs in.
#[derive(Args, Clone, Default)]
pub struct EnvironmentArgs {
    /// malloc, calloc, realloc and the like may return null at every call (default: they succeed, as in the competition)
    #[arg(long)]
    pub malloc_may_fail: bool,
    /// printf, puts, fwrite, write and the like may fail at every call, and fflush and fclose (default: they succeed)
    #[arg(long)]
    pub output_may_fail: bool,
    /// What volatile objects hold
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = VolatileArg::Memory)]
    pub volatile: VolatileArg,
    /// Hardware registers at fixed addresses, the last one included: every read there is an input, writes are steps of the run; may be
    /// given several times. Only constant addresses are followed, as *(volatile unsigned *)0x40021000 or a member of a structure there
    #[arg(long, value_name = "FIRST..LAST[:NAME]")]
    pub mmio: Vec<String>,
    /// A run whose calls need more stack is a violation of stack-limit, also if recursion does not end: a call needs its parameters and
    /// variables and 16 bytes. Where a variable-length array or alloca is made, nothing is proved
    #[arg(long, value_name = "BYTES")]
    pub stack_limit: Option<u64>,
    /// char is unsigned, as on ARM
    #[arg(long)]
    pub char_unsigned: bool,
    #[command(flatten)]
    pub cycle: CycleArgs,
}

/// What is asked of programs that run in cycles.
#[derive(Args, Clone, Default)]
pub struct CycleArgs {
    /// PLC programs: what holds at the end of every cycle, as a file in PLCverif's form (job_req, pattern_id, pattern_params), or as a pattern and its
    /// conditions, as in 'implication: stop; NOT running'; may be given several times. Only requirements and assertions are checked then
    #[arg(long, value_name = "FILE.json|PATTERN: A; B")]
    pub require: Vec<String>,
    /// PLC programs: only the requirement with this name or number of those of --require
    #[arg(long, value_name = "NAME", requires = "require")]
    pub requirement: Option<String>,
    /// PLC programs: the time that a cycle takes, a constant or a range (default: 10ms)
    #[arg(long, value_name = "TIME|TIME..TIME")]
    pub cycle_time: Option<String>,
    /// PLC programs: an input that has the same value in all cycles; may be given several times
    #[arg(long, value_name = "NAME")]
    pub constant_input: Vec<String>,
    /// PLC programs: VAR_IN_OUT of the entry block keep their values from cycle to cycle (default: the caller may change them, as in PLCverif)
    #[arg(long)]
    pub keep_in_out: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum VolatileArg {
    /// What was written last, as other objects do; one that is defined elsewhere may hold anything, and nothing is proved by it
    #[default]
    Memory,
    /// Something else at every read: each read is an input
    Inputs,
}

/// Where a run begins, and with what.
#[derive(Args, Clone)]
pub struct EntryArgs {
    /// Function to start at; of a PLC program, the block that runs in every cycle
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    /// Pointers among the parameters of the function to start at point to arrays of so many elements with arbitrary contents; or one of
    /// them does, with so many elements as a number or another parameter says; may be given several times
    #[arg(long, value_name = "N|PARAMETER=N|PARAMETER=OTHER")]
    pub entry_arrays: Vec<String>,
    /// Build structures for the parameters so many objects deep: a pointer in them leads to an object or is null, behind that it is null
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub entry_depth: Option<u32>,
    /// Start only where a condition holds, in C, over the parameters of the function to start at and global variables; of a PLC program, in every cycle
    /// and over its inputs; may be given several times
    #[arg(long, value_name = "EXPRESSION")]
    pub assume: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Undefined {
    /// They return an arbitrary value and change nothing
    Pure,
    /// They also write arbitrary values to what arguments and global variables lead to
    Havoc,
    /// A call is not supported: the answer is unknown where one can happen
    Error,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Model {
    Ilp32,
    Lp64,
}

#[derive(Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Args)]
pub struct ShowArgs {
    /// What to show
    #[arg(value_enum)]
    pub what: ShowWhat,
    /// As a graph for Graphviz
    #[arg(long, conflicts_with = "text")]
    pub dot: bool,
    /// As text that can be read back (default)
    #[arg(long)]
    pub text: bool,
    /// Of functions, also where each is: FILE:LINE:COLUMN: NAME
    #[arg(long, conflicts_with = "dot")]
    pub places: bool,
    #[command(flatten)]
    pub cycle: CycleArgs,
    #[command(flatten)]
    pub source: SourceArgs,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum ShowWhat {
    /// Control-flow automata
    Cfa,
    /// The names of the functions that the files define, one on each line
    Functions,
    /// Of PLC programs: the names of the requirements of --require, one on each line
    Requirements,
}

/// What a run is given.
#[derive(Args, Clone, Default)]
pub struct GivenArgs {
    /// Values of the inputs in the order the program asks for them, separated by commas
    #[arg(long, value_name = "V1,V2,…", value_delimiter = ',', allow_hyphen_values = true)]
    pub inputs: Option<Vec<String>>,
    /// Take the inputs from a test case of Test-Comp
    #[arg(long, value_name = "FILE", conflicts_with = "inputs")]
    pub test_xml: Option<PathBuf>,
    /// Command-line argument of the program, may be given several times
    #[arg(long = "arg", value_name = "TEXT", allow_hyphen_values = true)]
    pub args: Vec<String>,
    /// What the program reads from its standard input
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
}

/// What is expected of a run.
#[derive(Args, Clone, Default)]
pub struct OracleArgs {
    /// The output that the run should have; line ends at its end do not count
    #[arg(long, value_name = "FILE")]
    pub expect_stdout: Option<PathBuf>,
    /// The exit code of the program, or the result of the function to start at, that the run should have
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub expect_result: Option<i32>,
}

#[derive(Args)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub undefined: UndefinedArgs,
    #[command(flatten)]
    pub given: GivenArgs,
    /// PLC programs: run the test cases of a file (input_trace and expected_output_trace, values of each cycle) and say which ones pass
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["inputs", "test_xml"])]
    pub test_cases: Option<PathBuf>,
    #[command(flatten)]
    pub oracle: OracleArgs,
    #[command(flatten)]
    pub entry: EntryArgs,
    #[command(flatten)]
    pub environment: EnvironmentArgs,
    /// Property to check while running, may be given several times (default: assertions, memory safety, division by zero)
    #[arg(short, long, value_name = "NAME")]
    pub property: Vec<String>,
    /// Stop after so many steps
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000)]
    pub max_steps: u64,
    /// Stop when the program's objects take more than so many megabytes
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    pub max_memory: u64,
    /// Stop when calls nest deeper
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub max_depth: u32,
    /// Reading memory that was never written: take zero, or stop with an error
    #[arg(long, value_enum, default_value_t = UninitializedArg::Zero)]
    pub uninitialized: UninitializedArg,
    /// Print at most so many steps of the run (the first and the last ones)
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub show_steps: usize,
    /// Print every iteration of long loops, not only the first and the last two
    #[arg(long)]
    pub full: bool,
    /// Print only how the run ends
    #[arg(long, short)]
    pub quiet: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UninitializedArg {
    Zero,
    Error,
}

/// What is asked, and how much the answer may cost.
#[derive(Args)]
pub struct TaskArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub undefined: UndefinedArgs,
    /// Property name, group (default, memsafety, all) or .prp file, may be given several times: exactly these are checked (default:
    /// assertions, that is unreach-call and assertion; memory safety, that is valid-deref and valid-free; div-by-zero)
    #[arg(short, long, value_name = "NAME|FILE.prp")]
    pub property: Vec<String>,
    #[command(flatten)]
    pub entry: EntryArgs,
    #[command(flatten)]
    pub environment: EnvironmentArgs,
    /// How to decide
    #[arg(long, value_name = "NAME", default_value = engine::DEFAULT_ENGINE)]
    pub engine: String,
    /// Unwind loops and recursion so often, instead of as often as it takes
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub unwind: Option<u32>,
    /// Enter one loop again at most N times (the one whose statement starts there), or let one function call itself at most N deep,
    /// whatever the bound for the others is; may be given several times. If more is possible, the answer is not `true`
    #[arg(long, value_name = "FILE:LINE=N|LINE=N|FUNCTION=N")]
    pub unwind_loop: Vec<String>,
    /// Give up after so many seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Give up when more than so many megabytes are needed
    #[arg(long, value_name = "MB", default_value_t = 2000)]
    pub memory: u64,
    #[command(flatten)]
    pub output: OutputArgs,
}

impl TaskArgs {
    /// The first option about the environment or the entry that a witness does not tell.
    pub fn unusual(&self) -> Option<&'static str> {
        let entry = [
            (!self.entry.entry_arrays.is_empty(), "--entry-arrays"),
            (self.entry.entry_depth.is_some(), "--entry-depth"),
            (!self.entry.assume.is_empty(), "--assume"),
        ];
        let entry = entry.into_iter().find_map(|(is, name)| is.then_some(name));
        self.environment.unusual().or(entry)
    }
}

/// In which form a report is printed.
#[derive(Args)]
pub struct FormatArgs {
    /// Form of the report
    #[arg(long, value_name = "NAME", value_parser = formats(), default_value = DEFAULT_RENDERER)]
    pub format: String,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(RENDERERS.iter().map(|one| PossibleValue::new(one.name).help(one.about)))
}

/// How the answer is printed.
#[derive(Args)]
pub struct OutputArgs {
    /// Print at most so many steps of the run (the first and the last ones)
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub show_steps: usize,
    /// Print every step and every fact that was found, not only what matters
    #[arg(long)]
    pub full: bool,
    /// Print only the verdict and the place, and of localize the lines
    #[arg(long, short, conflicts_with_all = ["full", "verbose"])]
    pub quiet: bool,
    /// Say what each engine did, how long it took and why it stopped, and print all error invariants
    #[arg(long, short)]
    pub verbose: bool,
    /// Also write what was found out as an HTML page: one file that needs nothing else (docs/guide/src/report.md)
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub format: FormatArgs,
}

impl OutputArgs {
    pub fn shown(&self) -> Shown {
        match (self.quiet, self.full) {
            (true, _) => Shown::End,
            (false, true) => Shown::Everything,
            (false, false) => Shown::Story,
        }
    }
}

#[derive(Args)]
pub struct TrustArgs {
    /// Functions that are never blamed, as a pattern with * and ?; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub trust: Vec<String>,
}

/// When `verify` names the first suspects.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SuspectsArg {
    /// Where a person reads the answer, unless the question is a task file or a property file
    Auto,
    Always,
    Never,
}

/// Verify, minimize, explain and localize in one go.
#[derive(Args)]
pub struct ReportArgs {
    #[command(flatten)]
    pub question: TaskArgs,
    #[command(flatten)]
    pub trusted: TrustArgs,
}

#[derive(Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub question: TaskArgs,
    /// Instead of deciding, print the question of the bound --unwind (default 1) for another solver
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub dump: Option<DumpFormat>,
    /// Find every place where a property is violated, not only one, and say of each assertion and call of an error function
    /// whether it is violated, holds, holds up to the bound, or is not reached within it (of other checks, only violated ones are listed)
    #[arg(long)]
    pub all: bool,
    /// Verify each function of the files as the one to start at, and print one line about each (--timeout is for each, default 10 s)
    #[arg(long, conflicts_with = "all")]
    pub all_entries: bool,
    /// With --all-entries: leave out functions of files that match a pattern with * and ?; may be given several times
    #[arg(long, value_name = "GLOB", requires = "all_entries")]
    pub exclude: Vec<String>,
    /// Write the evidence as a verification witness, in the format of the extension (.graphml, .yml); may be given several times
    #[arg(long, value_name = "FILE")]
    pub witness: Vec<PathBuf>,
    /// How much to simplify the run that shows a violation; optimal stops early where it is hard, the command minimize does not
    #[arg(long, value_name = "STRATEGY", value_parser = strategies(), default_value = DEFAULT_MINIMIZER)]
    pub minimize: String,
    /// Whether to name the first lines to suspect for a violation, with what costs little (localize does it thoroughly)
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = SuspectsArg::Auto)]
    pub suspects: SuspectsArg,
    #[command(flatten)]
    pub trusted: TrustArgs,
}

/// A run that fails: found as by verify, or given.
#[derive(Args)]
pub struct FailureArgs {
    #[command(flatten)]
    pub question: TaskArgs,
    /// A failing test to start from
    #[command(flatten, next_help_heading = "A failing test to start from")]
    pub given: GivenArgs,
    /// Start from a violation witness of any tool (GraphML or YAML): from a run that it describes
    #[arg(long, value_name = "WITNESS", conflicts_with_all = ["inputs", "test_xml", "args", "stdin"])]
    pub witness: Option<PathBuf>,
    /// PLC programs: start from the first of the test cases of a file that fails
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["inputs", "test_xml", "args", "stdin", "witness"])]
    pub test_cases: Option<PathBuf>,
}

#[derive(Args)]
pub struct MinimizeArgs {
    #[command(flatten)]
    pub failure: FailureArgs,
    /// How far to go: each strategy also shows what the ones before it give
    #[arg(long, value_name = "STRATEGY", value_parser = strategies(), default_value = DEFAULT_MINIMIZER)]
    pub strategy: String,
    /// What is to be small, the most important first (default: length,values; of PLC programs cycles,changes,values); the default ones decide among what is equally good
    #[arg(long, value_name = "OBJECTIVE,…", value_delimiter = ',', value_parser = objectives())]
    pub objective: Vec<String>,
    /// Also find a box of inputs that fail on the same path in all combinations, as wide as possible
    #[arg(long = "box")]
    pub failing_box: bool,
}

#[derive(Args)]
pub struct LocalizeArgs {
    #[command(flatten)]
    pub failure: FailureArgs,
    #[command(flatten)]
    pub oracle: OracleArgs,
    /// Tests, some of which fail: a .csv or .json file, a folder of NAME.in, NAME.args and NAME.out files, or a test suite of Test-Comp
    /// (docs/guide/src/localize.md has the formats)
    #[arg(long, value_name = "FILE|FOLDER", conflicts_with_all = ["inputs", "test_xml", "args", "stdin", "witness", "expect_stdout", "expect_result"])]
    pub tests: Option<PathBuf>,
    /// Methods to use
    #[arg(long, value_name = "METHOD,…", value_delimiter = ',', value_parser = methods(), default_value = "all")]
    pub method: Vec<String>,
    #[command(flatten)]
    pub trusted: TrustArgs,
    /// Use up to so many different failing runs (default: 16 that are found, or those that are given and no others)
    #[arg(long, value_name = "N")]
    pub runs: Option<usize>,
    /// Rounds of the method iterative
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub rounds: u32,
    /// Make the contradictions of the method iterative minimal
    #[arg(long)]
    pub minimal: bool,
    /// Let the scores of the method iterative fall as e^-i instead of 1/i
    #[arg(long)]
    pub exponential: bool,
    /// Do not try edits
    #[arg(long)]
    pub no_repair: bool,
}

fn methods() -> PossibleValuesParser {
    let all = PossibleValue::new("all").help("all of them, merged into one list, and repair hints");
    let each = LOCALIZERS.iter().map(|one| PossibleValue::new(one.name).help(one.about));
    PossibleValuesParser::new(std::iter::once(all).chain(each))
}

#[derive(Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    pub failure: FailureArgs,
    /// Look for causes among relations of inputs only
    #[arg(long)]
    pub inputs_only: bool,
    #[command(flatten)]
    pub trusted: TrustArgs,
}

fn strategies() -> PossibleValuesParser {
    PossibleValuesParser::new(MINIMIZERS.iter().map(|one| PossibleValue::new(one.name).help(one.about)))
}

fn objectives() -> PossibleValuesParser {
    PossibleValuesParser::new(Objective::ALL.iter().map(|one| PossibleValue::new(one.name()).help(one.about())))
}

#[derive(Args)]
pub struct TestArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub undefined: UndefinedArgs,
    /// Property name, group (default, memsafety, all) or .prp file, may be given several times (default: assertions, memory safety,
    /// division by zero)
    #[arg(short, long, value_name = "NAME|FILE.prp")]
    pub property: Vec<String>,
    /// Function to start at; of a PLC program, the block that runs in every cycle
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    #[command(flatten)]
    pub cycle: CycleArgs,
    /// Unwind loops and recursion so often, instead of as often as it takes
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub unwind: Option<u32>,
    /// Give up after so many seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Give up when more than so many megabytes are needed
    #[arg(long, value_name = "MB", default_value_t = 2000)]
    pub memory: u64,
    #[command(flatten, next_help_heading = "A failing run to make the test of")]
    pub given: GivenArgs,
    /// Make the test of a run that a violation witness of any tool describes (GraphML or YAML)
    #[arg(long, value_name = "WITNESS", conflicts_with_all = ["inputs", "test_xml", "args", "stdin"])]
    pub witness: Option<PathBuf>,
    /// Directory for the files (default: the name of the program, with `-test`)
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Compile the test with `cc` and run it under limits: the violation must be observed (of a PLC program, `replay --test-cases` does that)
    #[arg(long)]
    pub run: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DumpFormat {
    /// SMT-LIB 2
    Smt2,
    /// CNF after bit-blasting
    Dimacs,
}

#[derive(Subcommand)]
pub enum WitnessCommand {
    /// Check that a witness follows its format and fits its program
    Lint(WitnessLintArgs),
    /// Find out whether what a witness claims is true
    Validate(WitnessValidateArgs),
    /// Write a witness with every input for a run that a less precise one describes
    Refine(WitnessRefineArgs),
    /// Translate a witness into another format, where the meaning is kept
    Convert(WitnessConvertArgs),
    /// Show a witness as text or as a graph
    Show(WitnessShowArgs),
}

/// The witness, and the program it is about.
#[derive(Args)]
pub struct WitnessArgs {
    /// GraphML or YAML, recognized by their content
    #[arg(value_name = "WITNESS")]
    pub witness: PathBuf,
    /// The program (.c, or preprocessed .i)
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

#[derive(Args)]
pub struct WitnessLintArgs {
    #[command(flatten)]
    pub witness: WitnessArgs,
    /// Take warnings for errors
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Args)]
pub struct WitnessValidateArgs {
    #[command(flatten)]
    pub witness: WitnessArgs,
    #[command(flatten)]
    pub undefined: UndefinedArgs,
    /// How: static (symbolic execution along the witness), interpret (the interpreter follows the witness), execute (the program is
    /// compiled and run on the inputs of the witness) (default: interpret if the witness gives the inputs, else static)
    #[arg(long, value_name = "NAME")]
    pub how: Option<String>,
    /// Of a correctness witness: the stated invariants have to be the proof, and no others may help
    #[arg(long)]
    pub strict: bool,
    /// Property name or .prp file, may be given several times (default: what the witness says)
    #[arg(short, long, value_name = "NAME|FILE.prp")]
    pub property: Vec<String>,
    /// Function to start at
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    /// Give up after so many seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Give up when more than so many megabytes are needed
    #[arg(long, value_name = "MB", default_value_t = 2000)]
    pub memory: u64,
    /// Also write what was found out as an HTML page: one file that needs nothing else (docs/guide/src/report.md)
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    #[command(flatten)]
    pub format: FormatArgs,
}

#[derive(Args)]
pub struct WitnessRefineArgs {
    #[command(flatten)]
    pub witness: WitnessArgs,
    #[command(flatten)]
    pub undefined: UndefinedArgs,
    /// File to write, its extension names the format (default: standard output, in the format of the witness)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Property name or .prp file, may be given several times (default: what the witness says)
    #[arg(short, long, value_name = "NAME|FILE.prp")]
    pub property: Vec<String>,
    /// Function to start at
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry: String,
    /// Give up after so many seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Give up when more than so many megabytes are needed
    #[arg(long, value_name = "MB", default_value_t = 2000)]
    pub memory: u64,
}

#[derive(Args)]
pub struct WitnessConvertArgs {
    #[command(flatten)]
    pub witness: WitnessArgs,
    /// Format to convert to: graphml, yaml-2.0, yaml-2.1 or yaml-2.2 (default: by the extension of --output)
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<String>,
    /// File to write (default: standard output)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args)]
pub struct WitnessShowArgs {
    /// GraphML or YAML, recognized by their content
    #[arg(value_name = "WITNESS")]
    pub witness: PathBuf,
    /// As a graph for Graphviz
    #[arg(long)]
    pub dot: bool,
}

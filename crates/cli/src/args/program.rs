//! What is read, how, and what it runs in.

use super::FormatArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

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

//! A program that was read, and what answers about it rest on.

use base::{FileId, SourceMap};
use cfa::FuncId;
use cfa::environment::Environment;
use cfa::undefined::{UndefinedFunctions, apply};
use frontend::{CompileOptions, Compiled, Pattern, RegisterRange};

pub struct Loaded {
    pub sources: SourceMap,
    pub compiled: Compiled,
    /// How many files were read.
    pub files: usize,
    /// The texts that the program was compiled from.
    pub units: Vec<FileId>,
    /// What calls of functions without a body are taken for.
    pub undefined: UndefinedFunctions,
    /// What is assumed about functions without a body.
    pub caveats: Vec<String>,
    /// What it was compiled with.
    pub options: CompileOptions,
    pub environment: Environment,
    /// What is assumed about where a run begins.
    pub entry_assumptions: Vec<String>,
}

impl Loaded {
    pub fn new(sources: SourceMap, compiled: Compiled, units: Vec<FileId>, options: CompileOptions) -> Self {
        let (files, undefined) = (units.len(), UndefinedFunctions::Pure);
        let (caveats, entry_assumptions) = (Vec::new(), Vec::new());
        let environment = Environment::default();
        Loaded { sources, compiled, files, units, undefined, caveats, options, environment, entry_assumptions }
    }

    /// Gives calls of functions without a body their meaning, and notes what is assumed about them.
    pub fn with_undefined_functions(mut self, meaning: UndefinedFunctions) -> Self {
        let called = apply(&mut self.compiled.program, &self.compiled.outside, meaning);
        let names = called.join(", ");
        self.undefined = meaning;
        self.caveats = match meaning {
            _ if called.is_empty() => Vec::new(),
            UndefinedFunctions::Pure => vec![format!(
                "undefined functions ({names}) are taken as pure: they return any value and change nothing"
            )],
            UndefinedFunctions::Havoc => vec![format!(
                "undefined functions ({names}) return any value and may write what their arguments and global variables \
                 lead to, except const; they always return and call no function of the program"
            )],
            // Where one is called, that is the answer.
            UndefinedFunctions::Error => Vec::new(),
        };
        self
    }

    /// Gives the program its environment.
    pub fn with_environment(mut self, environment: Environment) -> Self {
        cfa::environment::apply(&mut self.compiled.program, environment);
        self.environment = environment;
        self
    }

    /// All that answers about the program rest on, the most important first.
    pub fn assumptions(&self) -> Vec<String> {
        let mut all = self.caveats.clone();
        all.extend(self.entry_assumptions.iter().cloned());
        if cfa::environment::allocates(&self.compiled.program) {
            let fails = if self.environment.allocation_fails { "allocation may fail" } else { "allocation succeeds" };
            all.push(fails.into());
        }
        if cfa::environment::looks_at_output(&self.compiled.program) {
            let fails = if self.environment.output_fails { "output may fail" } else { "output succeeds" };
            all.push(fails.into());
        }
        if self.options.volatile_inputs {
            all.push("every read of a volatile object is an input".into());
        }
        for RegisterRange { first, last, .. } in &self.options.registers {
            all.push(format!("every read at {first:#x}..{last:#x} is an input"));
        }
        if self.options.unsigned_char {
            all.push("char is unsigned".into());
        }
        if let Some(limit) = self.environment.stack_limit {
            all.push(format!("{limit} bytes of stack, of which a call takes its variables and 16 bytes"));
        }
        if self.compiled.entry.is_some() {
            if let Some((least, most)) = self.compiled.cycle_time {
                all.push(match least == most {
                    true => format!("a cycle takes {least} ms"),
                    false => format!("a cycle takes {least} to {most} ms"),
                });
            }
            all.push("inputs are new in every cycle".into());
            if self.options.cycle.keep_in_out {
                all.push("VAR_IN_OUT of the entry block keep their values".into());
            }
            let (assumed, required): (Vec<_>, Vec<_>) =
                self.options.cycle.requirements.iter().partition(|one| one.pattern == Pattern::Assumed);
            all.extend(
                assumed.into_iter().flat_map(|one| &one.parameters).map(|text| format!("{text} in every cycle")),
            );
            if !required.is_empty() {
                all.push("the controller stops where an index is out of range or a divisor is zero".into());
            }
            let constant = self.options.cycle.constant_inputs.iter();
            all.extend(constant.map(|name| format!("{name} is the same in all cycles")));
            return all;
        }
        all.push("no threads".into());
        all
    }

    /// The name of the file that a run begins in, as it was given. Line markers of a file that came preprocessed name others.
    pub fn file_of(&self, entry: FuncId) -> Option<&str> {
        let span = self.compiled.program.automaton(entry)?.span;
        Some(self.sources.name(self.sources.file_at(span.lo)?))
    }
}

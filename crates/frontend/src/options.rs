//! What a program is compiled with besides its text.

use crate::Requirement;
use cfa::{DataModel, Program, Registers};

#[derive(Clone, Debug)]
pub struct CompileOptions {
    pub model: DataModel,
    /// `char` has the values of `unsigned char`.
    pub unsigned_char: bool,
    /// Every read of a volatile object is an input; else volatile objects are memory as others are.
    pub volatile_inputs: bool,
    /// Hardware registers at fixed addresses: every read is an input, a write is an assignment to an object that is never read.
    pub registers: Vec<RegisterRange>,
    /// Of a program that runs in cycles.
    pub cycle: CycleOptions,
}

/// What a program that runs in cycles is asked, and what it runs in.
#[derive(Clone, Default, Debug)]
pub struct CycleOptions {
    /// The block that runs in every cycle; `None`: the one that the text makes clear.
    pub entry: Option<String>,
    /// The least and the greatest time of a cycle, in milliseconds; `None`: what the text says.
    pub time: Option<(u32, u32)>,
    /// Inputs that have the same value in all cycles.
    pub constant_inputs: Vec<String>,
    /// VAR_IN_OUT of the entry block keep their values; else the caller may change them between cycles, as it does inputs.
    pub keep_in_out: bool,
    /// With that: those that get new values in every cycle nevertheless.
    pub more_inputs: Vec<String>,
    /// What holds at the end of every cycle.
    pub requirements: Vec<Requirement>,
    /// Values of variables before the first cycle: the numbers that each consists of.
    pub initial_state: Vec<(String, Vec<String>)>,
}

/// Addresses of registers, the last one included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegisterRange {
    pub first: u64,
    pub last: u64,
    /// What they are called in messages.
    pub name: Option<String>,
}

/// Why an access to registers is not followed.
const UNRESOLVED: &str = "access at a fixed address where --mmio names no register, to a part of a register, or through a pointer to what is not volatile";

impl CompileOptions {
    /// The usual ones of gcc on x86.
    pub fn of(model: DataModel) -> Self {
        CompileOptions {
            model,
            unsigned_char: false,
            volatile_inputs: false,
            registers: Vec::new(),
            cycle: CycleOptions::default(),
        }
    }

    /// A program without functions.
    pub(crate) fn program(&self) -> Program {
        let mut program = Program::new(self.model);
        program.types.unsigned_char = self.unsigned_char;
        program
    }

    /// Notes that some accesses at fixed addresses are no errors.
    pub(crate) fn note_registers(&self, program: &mut Program) {
        if !self.registers.is_empty() {
            let ranges = self.registers.iter().map(|range| (range.first, range.last)).collect();
            program.registers = Some(Registers { ranges, unresolved: program.names.intern(UNRESOLVED) });
        }
    }
}

/// How many elements the array has that a pointer leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Length {
    Elements(u32),
    /// As many as a parameter says.
    Param(String),
}

/// The objects that the pointers among the parameters of a function lead to, and what is assumed about all of it.
#[derive(Clone, Default, Debug)]
pub struct EntryObjects {
    /// For pointers that are not named below; `None` leaves them arbitrary.
    pub elements: Option<u32>,
    /// By the name of the parameter.
    pub lengths: Vec<(String, Length)>,
    /// So many objects deep pointers in structures lead to objects or are null; those behind are null. 0: they are arbitrary.
    pub depth: u32,
    /// Conditions over parameters and objects at file scope, in the language of the program.
    pub assumptions: Vec<String>,
}

impl EntryObjects {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.elements.is_none() && self.lengths.is_empty() && self.depth == 0 && self.assumptions.is_empty()
    }
}

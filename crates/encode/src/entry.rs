//! What the function that is run first is given: inputs, or the command line.
//!
//! `argc` is any positive number. Of `argv`, the first words are strings of any length whose first bytes are inputs ([`CommandLine`] says how many,
//! more with larger bounds); the layouts end there, so a run that reads other words or bytes needs a larger bound, or leaves the model as poison.

use crate::encoder::ObjectKey;
use crate::exec::Run;
use crate::layout;
use crate::memory::{Cell, Contents, Object};
use crate::mode::Argument;
use crate::state::State;
use crate::unrolling::{InputPlace, SymbolicInput, SymbolicWord};
use crate::value::{OBJECT_BITS, OFFSET_BITS, SymbolicValue};
use cfa::const_bits::Writes;
use cfa::interp::ProgramArgs;
use cfa::{FuncId, PlaceKind, Task, TypeId, VarId};
use logic::TermId;
use std::rc::Rc;

/// Arguments of `main`, its own name included, that a replay can hand over.
const MAX_ARGUMENTS: u32 = 64;
/// What of the command line can be looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CommandLine {
    words: u32,
    /// Of each word, its end included.
    bytes: u32,
}

impl CommandLine {
    /// For any run.
    pub const USUAL: Self = CommandLine { words: 6, bytes: 12 };
    /// A word with more bytes is not modelled beyond them: each byte is a term.
    const MOST_BYTES: usize = 1024;

    /// Longer words are long enough to be told from those that a bound allows.
    const MOST_BYTES_OF_BOUNDS: u32 = 64;

    /// A loop over words or bytes looks at one more in each round.
    pub fn with_bound(self, unwind: u32) -> Self {
        let looked_at = unwind.saturating_add(2);
        CommandLine {
            words: self.words.max(looked_at.min(MAX_ARGUMENTS)),
            bytes: self.bytes.max(looked_at.min(Self::MOST_BYTES_OF_BOUNDS)),
        }
    }

    /// Whether a larger bound has more of it.
    pub fn grows(self) -> bool {
        self.words < MAX_ARGUMENTS || self.bytes < Self::MOST_BYTES_OF_BOUNDS
    }

    /// As much as a known run has, at least.
    pub fn with_room_for(self, args: &ProgramArgs) -> Self {
        let longest = args.words.iter().map(|word| word.len() + 1).max().unwrap_or(0);
        CommandLine {
            words: self.words.max(args.words.len().min(MAX_ARGUMENTS as usize) as u32),
            bytes: self.bytes.max(longest.min(Self::MOST_BYTES) as u32),
        }
    }
}

/// Whether a program looks at its command line, which is then one of its inputs.
pub fn reads_arguments(task: Task<'_>) -> bool {
    let Task { program, entry, .. } = task;
    let params = &program.functions[entry].params;
    let mentioned = |var: &VarId| program.places.values().any(|place| place.kind == PlaceKind::Var(*var));
    program.function_name(entry) == "main" && params.iter().take(2).any(mentioned)
}

impl Run<'_, '_> {
    /// Parameters of the function that is run first.
    pub fn entry_params(&mut self, state: &mut State, entry: FuncId) -> Option<Vec<Vec<SymbolicValue>>> {
        let params = self.program.functions[entry].params.clone();
        if self.program.function_name(entry) == "main" && !params.is_empty() {
            return self.main_params(state, &params);
        }
        let mut values = Vec::new();
        for param in params {
            let ty = self.program.vars[param].ty;
            if !self.program.types.is_scalar(ty) {
                self.poison(state, "record parameter of the entry function");
                return None;
            }
            values.push(vec![self.input(state, ty, InputPlace::Param(param, 0))]);
        }
        Some(values)
    }

    fn main_params(&mut self, state: &mut State, params: &[VarId]) -> Option<Vec<Vec<SymbolicValue>>> {
        let types = &self.program.types;
        let is_pointer = |var: &VarId| types.is_pointer(self.program.vars[*var].ty);
        let count = params[0];
        if !types.is_scalar(self.program.vars[count].ty) || is_pointer(&count) || !params[1..].iter().all(is_pointer) {
            self.poison(state, "parameters of main that are not argc and argv");
            return None;
        }
        // A program that reads neither need not be asked.
        let width = types.scalar_bits(self.program.vars[count].ty);
        let has_words = params.get(1).is_some_and(|var| self.is_mentioned(*var));
        let given = match has_words || self.is_mentioned(count) {
            true => self.argument_count(state, count, width),
            false => self.pool().bv(width, 1),
        };
        let mut values = vec![vec![SymbolicValue::Bits(given)]];
        for (index, _) in params[1..].iter().enumerate() {
            let value = match index {
                0 if has_words => self.argument_vector(state, given),
                // The environment is not looked into.
                _ => {
                    let number = self.encoder.command_line.words + 1 + index as u32;
                    self.argument_object(state, number, None, Contents::Opaque)
                }
            };
            values.push(vec![value]);
        }
        Some(values)
    }

    fn is_mentioned(&self, var: VarId) -> bool {
        self.program.places.values().any(|place| place.kind == PlaceKind::Var(var))
    }

    /// How many arguments the program gets: at least itself. A replay can hand over so many only.
    fn argument_count(&mut self, state: &mut State, var: VarId, width: u32) -> TermId {
        let ty = self.program.vars[var].ty;
        let term = self.pool().bv_var("argc", width);
        self.mode.argument(&self.encoder.pool, Argument::Count, term);
        let guard = state.guard.term(self.pool());
        self.out.inputs.push(SymbolicInput { source: InputPlace::Param(var, 0), ty, guard, term });
        let one = self.pool().bv(width, 1);
        let some = self.pool().sle(one, term);
        self.assume(state, some);
        let limit = self.pool().bv(width, MAX_ARGUMENTS as u128);
        let few = self.pool().sle(term, limit);
        self.require_for_replay(few);
        term
    }

    pub(crate) fn require_for_replay(&mut self, cond: TermId) {
        self.out.replayable = Some(match self.out.replayable {
            Some(other) => self.pool().and(other, cond),
            None => cond,
        });
    }

    fn argument_object(
        &mut self,
        state: &mut State,
        number: u32,
        size: Option<TermId>,
        contents: Contents,
    ) -> SymbolicValue {
        let id = self.encoder.object_id(ObjectKey::Argument(number));
        let pointer_bytes = self.program.model().pointer_bytes() as u128;
        let size = size.unwrap_or_else(|| self.pool().bv(OFFSET_BITS, pointer_bytes));
        let alive = self.pool().bool(true);
        state.memory.set(id, Rc::new(Object { size, alive, writes: Writes::All, heap: false, contents }));
        let object = self.pool().bv(OBJECT_BITS, id as u128);
        SymbolicValue::Pointer { object, offset: self.pool().bv(OFFSET_BITS, 0) }
    }

    /// `argv`: a pointer for each word and a null pointer behind the last.
    fn argument_vector(&mut self, state: &mut State, count: TermId) -> SymbolicValue {
        let width = self.pool().width(count);
        let mut pointers = Vec::new();
        let CommandLine { words, .. } = self.encoder.command_line;
        for number in 0..words {
            let word = self.argument_word(state, number);
            let position = self.pool().bv(width, number as u128);
            let exists = self.pool().slt(position, count);
            let null = SymbolicValue::null(self.pool());
            pointers.push(SymbolicValue::ite(self.pool(), exists, word, null));
        }
        let contents = self.argument_contents(TypeId::VOID_POINTER, pointers);
        let one = self.pool().bv(OFFSET_BITS, 1);
        let count = self.pool().resize_unsigned(count, OFFSET_BITS);
        let length = self.pool().bv_add(count, one);
        let pointer_bytes = self.program.model().pointer_bytes() as u128;
        let each = self.pool().bv(OFFSET_BITS, pointer_bytes);
        let size = self.pool().bv_mul(length, each);
        self.argument_object(state, words, Some(size), contents)
    }

    fn argument_word(&mut self, state: &mut State, number: u32) -> SymbolicValue {
        let length = self.pool().bv_var(&format!("argv[{number}].length"), 32);
        self.mode.argument(&self.encoder.pool, Argument::Length(number), length);
        let zero = self.pool().bv(8, 0);
        let (mut inputs, mut cells) = (Vec::new(), Vec::new());
        let CommandLine { bytes, .. } = self.encoder.command_line;
        for at in 0..bytes {
            let byte = self.pool().bv_var(&format!("argv[{number}][{at}]"), 8);
            self.mode.argument(&self.encoder.pool, Argument::Byte(number, at), byte);
            let position = self.pool().bv(32, at as u128);
            let inside = self.pool().ult(position, length);
            // Only the last byte of a word is zero.
            let some = self.pool().ne(byte, zero);
            let proper = self.pool().implies(inside, some);
            self.assume(state, proper);
            cells.push(SymbolicValue::Bits(self.pool().ite(inside, byte, zero)));
            inputs.push(byte);
        }
        let limit = self.pool().bv(32, bytes as u128);
        let short = self.pool().ult(length, limit);
        self.require_for_replay(short);
        let contents = self.argument_contents(TypeId::CHAR, cells);
        let one = self.pool().bv(OFFSET_BITS, 1);
        let wide = self.pool().zext(length, OFFSET_BITS);
        let size = self.pool().bv_add(wide, one);
        self.out.words.push(SymbolicWord { length, bytes: inputs });
        self.argument_object(state, number, Some(size), contents)
    }

    fn argument_contents(&mut self, element: TypeId, values: Vec<SymbolicValue>) -> Contents {
        match layout::of_elements(&self.program.types, element, Some(values.len() as u64)) {
            Some(layout) => Contents::Typed { layout: Rc::new(layout), cells: vec![Cell::Few(Rc::new(values))] },
            None => Contents::Opaque,
        }
    }
}

//! The way back: a model of the solver → inputs for the interpreter.
//!
//! The executions of one edge happen in the same order symbolically and concretely, and the model says which of them happen at all; so
//! a queue per edge is enough to answer the interpreter's requests.

use crate::path::PathFormula;
use crate::unrolling::{FillPart, FillPlace, InputPlace, SymbolicFill, SymbolicWord, Unrolling};
use cfa::interp::{FillRequest, InputRequest, InputSource, Inputs, ProgramArgs};
use cfa::{Bits, Callee, EdgeId, FuncId, InputKind, Op, Program, Task, VarId};
use logic::{ArrayValue, Assignment, Evaluator, Model, TermId, TermPool, TermValue};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum FillKey {
    Local(VarId),
    Allocation(EdgeId),
    Extern(VarId),
    Result(EdgeId),
}

/// Inputs that lead a run where a model says.
#[derive(Clone)]
pub struct ModelInputs {
    edges: FxHashMap<EdgeId, VecDeque<Bits>>,
    params: FxHashMap<(VarId, u32), Bits>,
    words: Vec<Vec<u8>>,
    fills: FxHashMap<FillKey, VecDeque<Vec<(u64, u64, u128)>>>,
    /// The run ends where it asks for more than the model has, instead of being given zeros.
    pub end_with_last: bool,
}

impl ModelInputs {
    pub fn new(pool: &TermPool, model: &Model, unrolling: &Unrolling) -> Self {
        let word = |word: &SymbolicWord| {
            let length = model.bits(pool, word.length).to_u64().unwrap_or(0).min(word.bytes.len() as u64);
            let bytes = word.bytes[..length as usize].iter();
            bytes.map(|byte| model.bits(pool, *byte).to_u64().unwrap_or(0) as u8).collect()
        };
        let mut inputs = ModelInputs {
            edges: FxHashMap::default(),
            params: FxHashMap::default(),
            words: unrolling.words.iter().map(word).collect(),
            fills: FxHashMap::default(),
            end_with_last: false,
        };
        let taken = |guard: TermId| model.bool(pool, guard);
        for input in unrolling.inputs.iter().filter(|input| taken(input.guard)) {
            let bits = Bits::new(model.bits(pool, input.term).to_u128().unwrap_or(0));
            match input.source {
                InputPlace::Edge(edge) => inputs.edges.entry(edge).or_default().push_back(bits),
                InputPlace::Param(var, leaf) => drop(inputs.params.insert((var, leaf), bits)),
            }
        }
        for fill in unrolling.fills.iter().filter(|fill| taken(fill.guard)) {
            let key = match fill.place {
                FillPlace::Local(var) => FillKey::Local(var),
                FillPlace::Allocation(edge) => FillKey::Allocation(edge),
                FillPlace::Extern(var) => FillKey::Extern(var),
                FillPlace::Result(edge) => FillKey::Result(edge),
            };
            let mut scalars: Vec<(u64, u64, u128)> = Vec::new();
            let parts = fill.parts.iter().filter(|part| taken(part.guard));
            for part in parts {
                scalars_of(pool, model, part, &mut scalars);
            }
            inputs.fills.entry(key).or_default().push_back(scalars);
        }
        inputs
    }
}

impl Unrolling {
    /// The run that inputs lead to, as values for the inputs and the uninitialized memory of the unrolled program. Pointers without a value stay null.
    pub fn assignment(
        &self,
        program: &Program,
        pool: &TermPool,
        args: &ProgramArgs,
        inputs: &mut dyn Inputs,
    ) -> Assignment {
        let mut model = Assignment::new();
        let mut evaluator = Evaluator::default();
        for (number, word) in self.words.iter().enumerate() {
            let given = args.words.get(number).map_or(&[][..], Vec::as_slice);
            model.set_bits(word.length, logic::Bits::new(pool.width(word.length), given.len() as u128));
            for (term, byte) in word.bytes.iter().zip(given) {
                model.set_bits(*term, logic::Bits::new(8, *byte as u128));
            }
        }
        let main = |var: VarId| {
            let function = program.vars[var].kind.function();
            function.is_some_and(|function| program.function_name(function) == "main")
        };
        let mut fills = self.fills.iter().peekable();
        for (position, input) in self.inputs.iter().enumerate() {
            while let Some(fill) = fills.next_if(|fill| fill.inputs_before <= position) {
                if evaluator.eval(pool, &model, fill.guard).as_bool() == Some(true) {
                    self.take_fill(pool, fill, inputs, &mut model);
                }
            }
            if evaluator.eval(pool, &model, input.guard).as_bool() != Some(true) {
                continue;
            }
            let source = match input.source {
                InputPlace::Edge(edge) => InputSource::Edge { edge, kind: input_kind(program, edge) },
                InputPlace::Param(var, leaf) => InputSource::Param { var, leaf },
            };
            let bits = match input.source {
                InputPlace::Param(var, _) if main(var) => Some(Bits::new(args.words.len() as u128)),
                _ => inputs.next(&InputRequest { source, ty: input.ty }),
            };
            let width = pool.width(input.term);
            model.set_bits(input.term, logic::Bits::new(width, bits.unwrap_or(Bits::ZERO).get()));
        }
        for fill in fills {
            if evaluator.eval(pool, &model, fill.guard).as_bool() == Some(true) {
                self.take_fill(pool, fill, inputs, &mut model);
            }
        }
        model
    }

    fn take_fill(&self, pool: &TermPool, fill: &SymbolicFill, inputs: &mut dyn Inputs, model: &mut Assignment) {
        const MAX_SIZE: u64 = 1 << 24;
        let mut bytes = vec![0; fill.size.min(MAX_SIZE) as usize];
        inputs.fill(&fill_request(&fill.place, EdgeId(0)), &mut bytes);
        for part in &fill.parts {
            for (term, value) in values_in(pool, &bytes, part) {
                model.set(term, value);
            }
        }
    }
}

/// What the interpreter asks for the same memory; `edge` is the declaration of a local.
pub(crate) fn fill_request(place: &FillPlace, edge: EdgeId) -> FillRequest {
    match place {
        FillPlace::Local(var) => FillRequest::Local { var: *var, edge: Some(edge) },
        FillPlace::Allocation(edge) => FillRequest::Allocation { edge: *edge },
        FillPlace::Extern(var) => FillRequest::Extern { var: *var },
        FillPlace::Result(edge) => FillRequest::Result { edge: *edge },
    }
}

/// The values of made-up terms, from the bytes that are there. A made-up pointer is no variable but made of one; it stays null.
pub(crate) fn values_in(pool: &TermPool, bytes: &[u8], part: &FillPart) -> Vec<(TermId, TermValue)> {
    let read = |at: u64, size: u64| {
        let from = (at as usize).min(bytes.len());
        let to = (at.saturating_add(size.min(16)) as usize).min(bytes.len());
        bytes[from..to].iter().rev().fold(0u128, |number, byte| number << 8 | *byte as u128)
    };
    let variables = part.scalars.iter().filter(|(_, _, term)| pool.name(*term).is_some());
    let scalars = variables
        .map(|(at, size, term)| (*term, TermValue::Bits(logic::Bits::new(pool.width(*term), read(*at, *size)))));
    let mut values: Vec<(TermId, TermValue)> = scalars.collect();
    for (at, range, term) in part.bit_fields.iter().filter(|(_, _, term)| pool.name(*term).is_some()) {
        let bytes = read(*at, range.bytes());
        values.push((*term, TermValue::Bits(logic::Bits::new(range.width as u32, bytes >> range.start))));
    }
    for (offset, stride, size, array) in &part.arrays {
        let width = *size as u32 * 8;
        let count = (bytes.len() as u64).saturating_sub(*offset) / stride.max(&1);
        let elements = (0..count).filter_map(|index| {
            let number = read(offset + index * stride, *size);
            let key = logic::Bits::new(crate::memory::INDEX_BITS, index as u128);
            (number != 0).then(|| (key, logic::Bits::new(width, number)))
        });
        let value = ArrayValue { default: logic::Bits::zero(width), elements: elements.collect() };
        values.push((*array, TermValue::Array(value)));
    }
    values
}

pub(crate) fn input_kind(program: &Program, edge: EdgeId) -> InputKind {
    match program.edges[edge].op {
        Op::Havoc(_, kind) => kind,
        Op::Call { callee: Callee::Direct(function), .. } => InputKind::External(function),
        _ => InputKind::External(FuncId(0)),
    }
}

impl ModelInputs {
    /// Inputs that lead a run along the path of a formula as a model says.
    pub fn of_path(pool: &TermPool, model: &Model, formula: &PathFormula) -> Self {
        let mut inputs = ModelInputs {
            edges: FxHashMap::default(),
            params: FxHashMap::default(),
            words: Vec::new(),
            fills: FxHashMap::default(),
            end_with_last: false,
        };
        for input in &formula.inputs {
            let bits = Bits::new(model.bits(pool, input.term).to_u128().unwrap_or(0));
            match input.source {
                InputSource::Edge { edge, .. } => inputs.edges.entry(edge).or_default().push_back(bits),
                InputSource::Param { var, leaf } => drop(inputs.params.insert((var, leaf), bits)),
            }
        }
        for fill in &formula.fills {
            let mut scalars = Vec::new();
            if let Some(part) = &fill.part {
                scalars_of(pool, model, part, &mut scalars);
            }
            let key = match &fill.place {
                FillPlace::Local(var) => FillKey::Local(*var),
                FillPlace::Extern(var) => FillKey::Extern(*var),
                FillPlace::Result(edge) => FillKey::Result(*edge),
                FillPlace::Allocation(edge) => FillKey::Allocation(*edge),
            };
            inputs.fills.entry(key).or_default().push_back(scalars);
        }
        inputs
    }
}

/// The scalars that a model makes up.
fn scalars_of(pool: &TermPool, model: &Model, part: &FillPart, scalars: &mut Vec<(u64, u64, u128)>) {
    let value = |term: TermId| model.bits(pool, term).to_u128().unwrap_or(0);
    scalars.extend(part.scalars.iter().map(|(at, size, term)| (*at, *size, value(*term))));
    // Bit-fields share bytes.
    let mut shared: BTreeMap<u64, u128> = BTreeMap::new();
    for (at, range, term) in &part.bit_fields {
        let bits = value(*term) << range.start;
        for byte in 0..range.bytes() {
            *shared.entry(at + byte).or_default() |= bits >> (byte * 8) & 0xff;
        }
    }
    scalars.extend(shared.into_iter().map(|(at, byte)| (at, 1, byte)));
    for (offset, stride, size, array) in &part.arrays {
        // The default stands for elements that the question did not mention.
        let value = model.value(pool, *array);
        let Some(value) = value.as_array() else { continue };
        for (index, element) in &value.elements {
            let index = index.to_u64().unwrap_or(u64::MAX);
            let at = index.checked_mul(*stride).and_then(|distance| offset.checked_add(distance));
            scalars.extend(at.map(|at| (at, *size, element.to_u128().unwrap_or(0))));
        }
    }
}

impl ModelInputs {
    /// The command line that goes with the inputs.
    pub fn program_args(&self, task: Task<'_>) -> ProgramArgs {
        let Task { program, entry, .. } = task;
        let first = program.functions[entry].params.first();
        let count = first.and_then(|var| self.params.get(&(*var, 0))).map_or(1, |bits| bits.lo.clamp(1, 64));
        let words = (0..count as usize).map(|index| self.words.get(index).cloned().unwrap_or_default());
        match program.function_name(entry) {
            "main" => ProgramArgs { words: words.collect() },
            _ => ProgramArgs::default(),
        }
    }
}

impl Inputs for ModelInputs {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        match request.source {
            // What the model does not mention does not matter.
            InputSource::Edge { edge, .. } => {
                let otherwise = (!self.end_with_last).then_some(Bits::ZERO);
                self.edges.get_mut(&edge).and_then(VecDeque::pop_front).or(otherwise)
            }
            InputSource::Param { var, leaf } => Some(self.params.get(&(var, leaf)).copied().unwrap_or(Bits::ZERO)),
        }
    }

    fn fill(&mut self, request: &FillRequest, bytes: &mut [u8]) {
        let key = match *request {
            FillRequest::Local { var, .. } => FillKey::Local(var),
            FillRequest::Allocation { edge } => FillKey::Allocation(edge),
            FillRequest::Extern { var } => FillKey::Extern(var),
            FillRequest::Result { edge } => FillKey::Result(edge),
        };
        let Some(scalars) = self.fills.get_mut(&key).and_then(VecDeque::pop_front) else { return };
        for (at, size, value) in scalars {
            for byte in 0..size.min(16) {
                if let Some(slot) = bytes.get_mut(at.saturating_add(byte) as usize) {
                    *slot = (value >> (byte * 8)) as u8;
                }
            }
        }
    }
}

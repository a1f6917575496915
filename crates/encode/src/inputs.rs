//! The way back: a model of the solver → inputs for the interpreter.
//!
//! The executions of one edge happen in the same order symbolically and concretely, and the model says which of them happen at all; so
//! a queue per edge is enough to answer the interpreter's requests.

use crate::exec::{FillPlace, InputPlace, SymbolicWord, Unrolling};
use cfa::interp::{FillRequest, InputRequest, InputSource, Inputs, ProgramArgs};
use cfa::{Bits, EdgeId, FuncId, Program, VarId};
use logic::{Model, TermId, TermPool};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum FillKey {
    Local(VarId),
    Allocation(EdgeId),
    Extern(VarId),
    Result(EdgeId),
}

/// Inputs that lead a run where a model says.
pub struct ModelInputs {
    edges: FxHashMap<EdgeId, VecDeque<Bits>>,
    params: FxHashMap<(VarId, u32), Bits>,
    words: Vec<Vec<u8>>,
    fills: FxHashMap<FillKey, VecDeque<Vec<(u64, u64, u128)>>>,
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
                scalars.extend(
                    part.scalars
                        .iter()
                        .map(|(at, size, term)| (*at, *size, model.bits(pool, *term).to_u128().unwrap_or(0))),
                );
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
            inputs.fills.entry(key).or_default().push_back(scalars);
        }
        inputs
    }
}

impl ModelInputs {
    /// The command line, if it is one of the inputs.
    pub fn arguments(&self, program: &Program, entry: FuncId) -> Vec<Vec<u8>> {
        let first = program.functions[entry].params.first();
        match first.is_some_and(|var| self.params.contains_key(&(*var, 0))) {
            true => self.program_args(program, entry).words,
            false => Vec::new(),
        }
    }

    /// The command line that goes with the inputs.
    pub fn program_args(&self, program: &Program, entry: FuncId) -> ProgramArgs {
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
                Some(self.edges.get_mut(&edge).and_then(VecDeque::pop_front).unwrap_or(Bits::ZERO))
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

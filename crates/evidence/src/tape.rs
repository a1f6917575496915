//! Everything a run was given, so that it can be run again: by the interpreter, along its trace formula, or on the unrolled program.
//! The values of one source are in order; runs of one program ask each source in the same order.

use cfa::interp::{FillRequest, InputRequest, InputSource, Inputs, ProgramArgs};
use cfa::{Bits, EdgeId, VarId};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tape {
    pub args: ProgramArgs,
    /// The run ends where it asks for more than there is, instead of being given zeros: it is the beginning of a run that need not end.
    pub is_prefix: bool,
    values: BTreeMap<ValueKey, Vec<Bits>>,
    fills: BTreeMap<FillKey, Vec<Vec<u8>>>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum ValueKey {
    Edge(EdgeId),
    Param(VarId, u32),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum FillKey {
    Local(VarId),
    Allocation(EdgeId),
    Extern(VarId),
    Result(EdgeId),
}

fn value_key(request: &InputRequest) -> ValueKey {
    match request.source {
        InputSource::Edge { edge, .. } => ValueKey::Edge(edge),
        InputSource::Param { var, leaf } => ValueKey::Param(var, leaf),
    }
}

fn fill_key(request: &FillRequest) -> FillKey {
    match *request {
        FillRequest::Local { var, .. } => FillKey::Local(var),
        FillRequest::Allocation { edge } => FillKey::Allocation(edge),
        FillRequest::Extern { var } => FillKey::Extern(var),
        FillRequest::Result { edge } => FillKey::Result(edge),
    }
}

impl Tape {
    /// What the locals held when they were declared, each time.
    pub fn locals(&self) -> impl Iterator<Item = (VarId, &[Vec<u8>])> {
        self.fills.iter().filter_map(|(key, fills)| match key {
            FillKey::Local(var) => Some((*var, fills.as_slice())),
            FillKey::Allocation(_) | FillKey::Extern(_) | FillKey::Result(_) => None,
        })
    }

    /// What a variable that is never defined held; nothing if it was not read.
    pub fn external(&self, var: VarId) -> &[u8] {
        self.fills.get(&FillKey::Extern(var)).and_then(|fills| fills.first()).map_or(&[], Vec::as_slice)
    }

    /// Plays it from the start. After the end of what one source gave: zeros.
    pub fn play(&self) -> Player<'_> {
        Player { tape: self, values: BTreeMap::new(), fills: BTreeMap::new() }
    }
}

pub struct Player<'t> {
    tape: &'t Tape,
    values: BTreeMap<ValueKey, usize>,
    fills: BTreeMap<FillKey, usize>,
}

impl Inputs for Player<'_> {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        let key = value_key(request);
        let position = self.values.entry(key).or_insert(0);
        *position += 1;
        let value = self.tape.values.get(&key).and_then(|values| values.get(*position - 1));
        match value {
            Some(value) => Some(*value),
            None => (!self.tape.is_prefix).then_some(Bits::ZERO),
        }
    }

    fn fill(&mut self, request: &FillRequest, bytes: &mut [u8]) {
        let key = fill_key(request);
        let position = self.fills.entry(key).or_insert(0);
        *position += 1;
        if let Some(recorded) = self.tape.fills.get(&key).and_then(|fills| fills.get(*position - 1)) {
            let length = bytes.len().min(recorded.len());
            bytes[..length].copy_from_slice(&recorded[..length]);
        }
    }
}

/// A copy of what memory was filled with. Of huge fills, which are nearly always zero, only what comes before the zeros at the end: the rest
/// is zero when it is read again, and memory that was never touched stays so.
pub fn remembered(bytes: &[u8]) -> Vec<u8> {
    const HUGE: usize = 1 << 20;
    let length = match bytes.len() {
        ..=HUGE => bytes.len(),
        _ => bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1),
    };
    bytes[..length].to_vec()
}

/// Passes on the inputs of another source and records them.
pub struct TapeRecorder<'i> {
    inner: &'i mut dyn Inputs,
    pub tape: Tape,
}

impl<'i> TapeRecorder<'i> {
    pub fn new(args: ProgramArgs, inner: &'i mut dyn Inputs) -> Self {
        TapeRecorder { inner, tape: Tape { args, ..Tape::default() } }
    }
}

impl Inputs for TapeRecorder<'_> {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        let bits = self.inner.next(request)?;
        self.tape.values.entry(value_key(request)).or_default().push(bits);
        Some(bits)
    }

    fn fill(&mut self, request: &FillRequest, bytes: &mut [u8]) {
        self.inner.fill(request, bytes);
        self.tape.fills.entry(fill_key(request)).or_default().push(remembered(bytes));
    }
}

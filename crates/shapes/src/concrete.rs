//! The abstract state that describes the memory of one run at one moment: what tests compare proofs with.

use crate::check::Shapes;
use crate::cover::covers;
use crate::graph::{End, Field, Graph, GraphValue, Kind, Object, ObjectId};
use crate::state::{Frame, State};
use cfa::interp::{ObjectKind, View};
use cfa::{LocId, VarId, VarKind};
use std::collections::BTreeMap;

impl Shapes {
    /// Whether some state of a loop head describes the memory of a run that is there.
    pub fn describe(&self, head: LocId, view: &View<'_, '_>) -> bool {
        let state = observed(view);
        let given = self.states.get(&(state.calls(), head));
        given.is_some_and(|given| given.iter().any(|one| covers(one, &state, false)))
    }
}

/// All of memory that variables lead to, with every number known.
pub fn observed(view: &View<'_, '_>) -> State {
    let program = view.program();
    let bytes = program.model().pointer_bytes();
    let mut builder = Builder { view, bytes, graph: Graph::default(), known: BTreeMap::new(), work: Vec::new() };
    let is_static = |kind: VarKind| matches!(kind, VarKind::Global | VarKind::Constant);
    let mut statics = BTreeMap::new();
    for (var, data) in program.vars.iter().filter(|(_, data)| is_static(data.kind)) {
        if let Some(object) = view.address_of(var).and_then(|address| builder.object(address, Kind::Variable(var))) {
            statics.insert(var, object);
        }
        debug_assert!(data.kind.function().is_none());
    }
    let calls = view.call_stack();
    let mut frames = Vec::new();
    let mut here = view.caller();
    for depth in (0..view.depth()).rev() {
        let current = if depth + 1 == view.depth() { None } else { Some(&here) };
        let frame = builder.frame(current.unwrap_or(view), depth.checked_sub(1).map(|index| calls[index]));
        frames.extend(frame);
        if depth + 1 != view.depth() {
            here = here.caller();
        }
    }
    frames.reverse();
    builder.finish();
    State { graph: builder.graph, statics, frames, temporaries: Vec::new(), pointer_bits: bytes as u32 * 8 }
}

struct Builder<'v, 'a, 'r> {
    view: &'v View<'a, 'r>,
    bytes: u64,
    graph: Graph,
    /// By the address of the start.
    known: BTreeMap<u64, ObjectId>,
    work: Vec<(ObjectId, Vec<u8>)>,
}

impl Builder<'_, '_, '_> {
    fn frame(&mut self, view: &View<'_, '_>, call: Option<cfa::EdgeId>) -> Option<Frame> {
        let program = view.program();
        let function = view.function()?;
        let mut variables = BTreeMap::new();
        for number in program.automaton(function)?.vars.clone() {
            let var = VarId(number);
            if program.vars[var].kind.function() != Some(function) {
                continue;
            }
            let size = program.types.size_of(program.vars[var].ty).unwrap_or(0);
            let object = match view.address_of(var) {
                Some(address) => self.object(address, Kind::Variable(var)),
                None => view.variable(var).map(|bits| {
                    let id = self.graph.add(Object::new(Kind::Variable(var), size, true));
                    self.work.push((id, bits.get().to_le_bytes()[..size.min(16) as usize].to_vec()));
                    id
                }),
            };
            variables.extend(object.map(|object| (var, object)));
        }
        Some(Frame { function, call, variables })
    }

    /// The object that an address is the start of.
    fn object(&mut self, start: u64, kind: Kind) -> Option<ObjectId> {
        let (object, _) = self.view.object(start).filter(|(object, _)| object.live)?;
        if let Some(known) = self.known.get(&object.base) {
            return Some(*known);
        }
        let id = self.graph.add(Object::new(kind, object.bytes.len() as u64, true));
        self.known.insert(object.base, id);
        self.work.push((id, object.bytes.clone()));
        Some(id)
    }

    fn finish(&mut self) {
        while let Some((id, bytes)) = self.work.pop() {
            let mut fields = BTreeMap::new();
            let mut at = 0;
            while at < bytes.len() {
                let word = bytes.get(at..at + self.bytes as usize).filter(|_| at.is_multiple_of(self.bytes as usize));
                match word.and_then(|word| self.address(word)) {
                    Some(value) => {
                        fields.insert(at as u64, Field { size: self.bytes, value });
                        at += self.bytes as usize;
                    }
                    None => {
                        fields.insert(at as u64, Field { size: 1, value: GraphValue::Const(bytes[at] as u128) });
                        at += 1;
                    }
                }
            }
            self.graph.objects.get_mut(&id).expect("it was added").fields = fields;
        }
    }

    fn address(&mut self, word: &[u8]) -> Option<GraphValue> {
        let address = word.iter().rev().fold(0u64, |number, byte| number << 8 | *byte as u64);
        if let Some(function) = self.view.function_at(address) {
            return Some(GraphValue::Function(function));
        }
        let (object, distance) = self.view.object(address).filter(|(object, _)| object.live)?;
        let kind = match object.kind {
            ObjectKind::Heap => Kind::Heap,
            ObjectKind::Global(var) | ObjectKind::Constant(var) | ObjectKind::Local(var) => Kind::Variable(var),
            _ => return None,
        };
        let id = self.object(object.base, kind)?;
        Some(GraphValue::Address(id, End::First, distance))
    }
}

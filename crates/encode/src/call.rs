//! Calls: functions of the program are executed in place.

use crate::encoder::ObjectKey;
use crate::exec::Run;
use crate::state::State;
use crate::unrolling::{EventKind, FillPart, FillPlace, InputPlace, ObligationKind};
use crate::value::{OFFSET_BITS, SymbolicValue};
use crate::watch::Moment;
use cfa::const_bits::Writes;
use cfa::{Body, Callee, EdgeId, ExprId, Fault, FuncId, Op, PlaceId, Type, TypeId, VarId};

/// Nested calls; each takes some kilobytes of stack here.
const MAX_CALLS: usize = 20_000;

impl Run<'_, '_> {
    pub fn call(
        &mut self,
        mut state: State,
        edge: EdgeId,
        dest: Option<PlaceId>,
        callee: Callee,
        args: (u32, u32),
    ) -> Option<State> {
        let exprs: Vec<ExprId> = self.program.call_args(args).to_vec();
        match callee {
            Callee::Direct(function) => self.call_function(state, edge, dest, function, &exprs),
            Callee::Indirect(pointer) => {
                let SymbolicValue::Pointer { object, offset } = self.value(&mut state, pointer) else { return None };
                let zero = self.pool().bv(OFFSET_BITS, 0);
                let displaced = self.pool().ne(offset, zero);
                let mut merged: Option<State> = None;
                let mut others = Vec::new();
                let candidates = self.called_candidates(object);
                for (id, hit) in candidates {
                    let function = match id.map(|id| self.encoder.object_keys[id as usize]) {
                        Some(ObjectKey::Function(function)) => Some(function),
                        _ => None,
                    };
                    match self.mode.calls(self.program, &self.encoder.pool, function, hit) {
                        Some(false) => continue,
                        // Where one function is called, what follows relies on that.
                        Some(true) => {
                            let others = self.pool().not(hit);
                            let kind = ObligationKind::Poison("call of another function".into());
                            self.leave(&mut state, kind, others);
                        }
                        None => {}
                    }
                    let Some(function) = function else {
                        self.fault(&mut state, Fault::BadCall, hit);
                        continue;
                    };
                    let bad = self.pool().and(hit, displaced);
                    self.fault(&mut state, Fault::BadCall, bad);
                    if !self.takes(function, &exprs, dest) {
                        self.fault(&mut state, Fault::CallMismatch, hit);
                        continue;
                    }
                    let mut exprs = exprs.clone();
                    if matches!(self.program.functions[function].body, Body::Library(_)) {
                        exprs.retain(|arg| !self.program.is_argument_list(self.program.exprs[*arg].ty));
                    }
                    let mut one = state.clone();
                    one.guard = one.guard.and(self.pool(), hit);
                    if self.is_dead(&one) {
                        continue;
                    }
                    if let Some(end) = self.call_function(one, edge, dest, function, &exprs) {
                        merged = Some(match merged {
                            None => end,
                            Some(other) => self.merge(other, &end),
                        });
                    }
                    others.append(&mut self.others);
                    self.edge = edge;
                }
                self.others = others;
                merged
            }
        }
    }

    /// Whether a function can be called with these arguments through a pointer.
    fn takes(&self, function: FuncId, args: &[ExprId], dest: Option<PlaceId>) -> bool {
        let types = &self.program.types;
        let Type::Function(signature) = types.get(self.program.functions[function].ty) else { return false };
        let class = |ty: TypeId| (types.size_of(ty), ty.float_kind(), types.is_scalar(ty));
        let result = dest.is_none_or(|dest| class(self.program.places[dest].ty) == class(signature.result));
        let params =
            signature.params.iter().zip(args).all(|(param, arg)| class(*param) == class(self.program.exprs[*arg].ty));
        let count = args.len() == signature.params.len() || signature.variadic && args.len() >= signature.params.len();
        // A function with a body finds its variable arguments by a list.
        let wanted = self.program.functions[function].params.get(signature.params.len()).filter(|_| signature.variadic);
        let given = args.get(signature.params.len()).map(|arg| self.program.exprs[*arg].ty);
        let list = wanted.is_none_or(|list| given == Some(self.program.vars[*list].ty));
        result && (signature.unprototyped || (params && count && list))
    }

    fn call_function(
        &mut self,
        mut state: State,
        edge: EdgeId,
        dest: Option<PlaceId>,
        function: FuncId,
        args: &[ExprId],
    ) -> Option<State> {
        match &self.program.functions[function].body {
            Body::Defined(_) => {
                let params = self.program.functions[function].params.clone();
                let mut values = Vec::new();
                let is_other_kind = |(param, arg): (&VarId, &ExprId)| {
                    self.program.vars[*param].ty.float_kind() != self.program.exprs[*arg].ty.float_kind()
                };
                if params.iter().zip(args).any(is_other_kind) {
                    self.poison(&mut state, "call with an argument of another kind than the parameter");
                    return None;
                }
                for (index, arg) in args.iter().enumerate() {
                    let leaves = self.leaves_of(&mut state, *arg);
                    let Some(param) = params.get(index) else { continue };
                    values.push(self.converted(&mut state, leaves, self.program.exprs[*arg].ty, *param));
                }
                if values.len() < params.len() {
                    self.poison(&mut state, "call with too few arguments");
                    return None;
                }
                if self.is_dead(&state) {
                    return None;
                }
                let depth = self.stack.iter().filter(|activation| activation.function == function).count();
                let (most, exhausted) = self.recursion_bound(function);
                let unbounded = self.component_by_contract(function).is_some();
                if depth as u64 > most as u64 && !unbounded || self.stack.len() >= MAX_CALLS {
                    let always = self.pool().bool(true);
                    self.leave(&mut state, exhausted, always);
                    return None;
                }
                self.out.deepest = self.out.deepest.max(depth as u32);
                self.note_event(&state, EventKind::Call, None);
                if !self.watch(&mut state, Moment::Enter(edge, function)) {
                    return None;
                }
                let end = self.activate(function, values, state, edge);
                let others = std::mem::take(&mut self.others);
                let mut ends: Vec<State> =
                    others.into_iter().chain(end).filter_map(|end| self.finish_call(end, edge, dest)).collect();
                let last = ends.pop();
                self.others = ends;
                last
            }
            Body::Undefined => {
                for arg in args {
                    self.leaves_of(&mut state, *arg);
                }
                if let Some(dest) = dest {
                    let ty = self.program.places[dest].ty;
                    if self.program.types.is_scalar(ty) {
                        let value = self.input(&mut state, ty, InputPlace::Edge(edge));
                        self.write_place(&mut state, dest, value);
                    } else {
                        self.unknown_result(&mut state, dest, edge);
                    }
                }
                (!self.is_dead(&state)).then_some(state)
            }
            Body::Library(meaning) => self.library(state, dest, function, *meaning, args),
        }
    }

    /// A function that an edge called has returned.
    pub fn finish_call(&mut self, mut end: State, edge: EdgeId, dest: Option<PlaceId>) -> Option<State> {
        self.edge = edge;
        let result = end.result.take();
        self.resume_call(edge);
        if let Some(dest) = dest {
            let ty = self.program.places[dest].ty;
            match result {
                Some(leaves) => self.write_leaves(&mut end, dest, ty, &leaves),
                None => self.unknown_result(&mut end, dest, edge),
            }
        }
        (!self.is_dead(&end)).then_some(end)
    }

    /// An argument as an old-style parameter takes it.
    fn converted(
        &mut self,
        state: &mut State,
        leaves: Vec<SymbolicValue>,
        from: TypeId,
        param: VarId,
    ) -> Vec<SymbolicValue> {
        let to = self.program.vars[param].ty;
        match leaves[..] {
            [value] if from != to && self.program.types.is_scalar(from) && self.program.types.is_scalar(to) => {
                vec![self.cast(state, value, from, to)]
            }
            _ => leaves,
        }
    }

    /// A value that the function did not return: arbitrary.
    fn unknown_result(&mut self, state: &mut State, dest: PlaceId, edge: EdgeId) {
        let ty = self.program.places[dest].ty;
        if let Some(leaves) = self.unknown_leaves(state, ty, edge) {
            self.write_leaves(state, dest, ty, &leaves);
        }
    }

    /// What a call has for its destination after the running function returned nothing; `None` if the call has no destination.
    pub fn missing_result(&mut self, state: &mut State) -> Option<Vec<SymbolicValue>> {
        if self.activation().arbitrary {
            return self.missing_result_of_any_call(state);
        }
        let call = self.activation().call;
        let called = self.stack.len() > 1;
        let Op::Call { dest: Some(dest), .. } = self.program.edges[call].op else { return None };
        called.then(|| self.unknown_leaves(state, self.program.places[dest].ty, call)).flatten()
    }

    /// Arbitrary scalars for a value of a type that a call should have returned.
    pub fn unknown_leaves(&mut self, state: &mut State, ty: TypeId, call: EdgeId) -> Option<Vec<SymbolicValue>> {
        let Some(accesses) = self.leaf_accesses(ty) else {
            self.poison(state, "copy of a large struct");
            return None;
        };
        let name = self.fresh_name("result");
        let guard = state.guard.term(self.pool());
        let mut part = FillPart { guard, scalars: Vec::new(), bit_fields: Vec::new(), arrays: Vec::new() };
        let mut leaves = Vec::new();
        for (number, (at, access)) in accesses.into_iter().enumerate() {
            let term = self.pool().bv_var(&format!("{name}.{number}"), access.width);
            let (term, value) = self.uninitialized_value(term, access.pointer);
            match access.bits {
                Some(range) => part.bit_fields.push((at, range, term)),
                None => part.scalars.push((at, access.size, term)),
            }
            leaves.push(value);
        }
        if leaves.iter().any(|leaf| matches!(leaf, SymbolicValue::Pointer { .. })) {
            self.note_foreign_pointer(guard);
        }
        let size = self.program.types.size_of(ty).unwrap_or(0);
        self.note_part(FillPlace::Result(call), size, part);
        Some(leaves)
    }

    pub fn alloca(&mut self, state: &mut State, var: VarId, size: ExprId) {
        let size = self.wide_index(state, size);
        let value = self.new_allocation(state, size, false, false);
        // The declared elements may have `const` members, and nothing initializes them.
        if let (SymbolicValue::Pointer { object, .. }, Some(element)) =
            (value, self.program.types.pointee(self.program.vars[var].ty))
            && let Some(id) = self.pool().as_u64(object)
            && let Some(object) = state.memory.get_mut(id as u32)
        {
            object.writes = Writes::of(&self.program.types, element);
        }
        let slot = self.slot(var);
        if self.in_register(var) {
            state.registers[slot] = Some(value);
        } else {
            let id = self.new_local(state, var, 1, false);
            let ty = self.program.vars[var].ty;
            self.store_leaves(state, id, ty, &[value]);
        }
    }
}

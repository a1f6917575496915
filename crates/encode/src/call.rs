//! Calls: functions of the program are executed in place, library functions by their meaning.

use crate::exec::{EventKind, FillPlace, InputPlace, MadeUp, ObjectKey, ObligationKind, Run};
use crate::memory::{Access, Contents, Object};
use crate::path::Assigned;
use crate::state::State;
use crate::value::{OBJECT_BITS, OFFSET_BITS, Value};
use cfa::library::LibFn;
use cfa::{Body, Callee, EdgeId, ExprId, Fault, FuncId, PlaceId, PlaceKind, Type, TypeId, VarId};
use logic::TermId;
use std::rc::Rc;

/// Arguments of `main`, its own name included.
const MAX_ARGUMENTS: u32 = 64;
/// Nested calls; each takes some kilobytes of stack here.
const MAX_CALLS: usize = 20_000;
/// Copies and fills of more bytes than this are carried out only for whole objects.
const MAX_BYTES: u64 = 512;

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
                let Value::Pointer { object, offset } = self.value(&mut state, pointer) else { return None };
                let zero = self.pool().bv(OFFSET_BITS, 0);
                let displaced = self.pool().ne(offset, zero);
                let mut merged: Option<State> = None;
                let candidates = self.candidates(&state, object);
                for (id, hit) in candidates {
                    // A run that is followed calls one function only, and relies on that.
                    if self.follows_a_run() {
                        if !self.holds_on_path(hit) {
                            continue;
                        }
                        let others = self.pool().not(hit);
                        let kind = ObligationKind::Poison("call of another function".into());
                        self.leave(&mut state, kind, others);
                    }
                    let function = match id.map(|id| self.encoder.object_keys[id as usize]) {
                        Some(ObjectKey::Function(function)) if self.takes(function, &exprs, dest) => function,
                        _ => {
                            self.fault(&mut state, Fault::BadCall, hit);
                            continue;
                        }
                    };
                    let bad = self.pool().and(hit, displaced);
                    self.fault(&mut state, Fault::BadCall, bad);
                    let mut one = state.clone();
                    one.guard = one.guard.and(self.pool(), hit);
                    if self.is_dead(&one) {
                        continue;
                    }
                    if let Some(end) = self.call_function(one, edge, dest, function, &exprs) {
                        merged = Some(match merged {
                            None => end,
                            Some(other) => State::merge(self.pool(), other, &end),
                        });
                    }
                    self.edge = edge;
                }
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
        result && (signature.unprototyped || (params && count))
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
                if depth as u64 > most as u64 || self.stack.len() >= MAX_CALLS {
                    let always = self.pool().bool(true);
                    self.leave(&mut state, exhausted, always);
                    return None;
                }
                self.note_event(&state, EventKind::Call, None);
                let salt = self.salt();
                let context = self.context();
                let context = self.encoder.context_of(context, edge, salt ^ (function.0 as u64) << 48);
                let mut end = self.function(function, values, state, context)?;
                self.edge = edge;
                let result = end.result.take();
                self.resume_call_on_path(edge);
                if let Some(dest) = dest {
                    let ty = self.program.places[dest].ty;
                    match result {
                        Some(leaves) => self.write_leaves(&mut end, dest, ty, &leaves),
                        None => self.unknown_result(&mut end, dest, edge),
                    }
                }
                (!self.is_dead(&end)).then_some(end)
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
            Body::Library(meaning) => self.library(state, edge, dest, function, *meaning, args),
        }
    }

    /// An argument as an old-style parameter takes it.
    fn converted(&mut self, state: &mut State, leaves: Vec<Value>, from: TypeId, param: VarId) -> Vec<Value> {
        let to = self.program.vars[param].ty;
        match leaves[..] {
            [value] if from != to && self.program.types.is_scalar(from) && self.program.types.is_scalar(to) => {
                vec![self.cast(state, value, from, to)]
            }
            _ => leaves,
        }
    }

    /// A value that nobody gave: arbitrary.
    fn unknown_result(&mut self, state: &mut State, dest: PlaceId, edge: EdgeId) {
        let ty = self.program.places[dest].ty;
        if !self.program.types.is_scalar(ty) {
            return self.poison(state, "record that a function fails to return");
        }
        let name = self.fresh_name("result");
        let width = self.program.types.scalar_bits(ty);
        let term = self.pool().bv_var(&name, width);
        let size = self.program.types.size_of(ty).unwrap_or(1);
        self.note_scalar(state, FillPlace::Result(edge), size, term);
        let value = if self.program.types.is_pointer(ty) { self.pointer_input(term) } else { Value::Bits(term) };
        self.write_place(state, dest, value);
    }

    /// Parameters of the function that is run first.
    pub fn entry_params(&mut self, state: &mut State, entry: FuncId) -> Option<Vec<Vec<Value>>> {
        let params = self.program.functions[entry].params.clone();
        let mut values = Vec::new();
        if self.program.function_name(entry) == "main" && !params.is_empty() {
            // `argv` is not looked into; `argc` is an input, but a program that never reads it need not be asked.
            let ty = self.program.vars[params[0]].ty;
            if !self.program.types.is_scalar(ty) || self.program.types.is_pointer(ty) {
                self.poison(state, "parameters of main that are not argc and argv");
                return None;
            }
            let width = self.program.types.scalar_bits(ty);
            let count = match self.is_mentioned(params[0]) {
                true => self.argument_count(state, params[0], width),
                false => self.pool().bv(width, 1),
            };
            values.push(vec![Value::Bits(count)]);
            for param in &params[1..] {
                let id = self.encoder.object_id(ObjectKey::Local(u32::MAX, *param, 0));
                let bytes = self.program.model().pointer_bytes() as u128 * 2;
                let size = self.pool().bv(OFFSET_BITS, bytes);
                let alive = self.pool().bool(true);
                let object = Object { size, alive, writable: true, heap: false, contents: Contents::Opaque };
                state.memory.set(id, Rc::new(object));
                let object = self.pool().bv(OBJECT_BITS, id as u128);
                values.push(vec![Value::Pointer { object, offset: self.pool().bv(OFFSET_BITS, 0) }]);
            }
            return Some(values);
        }
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

    fn is_mentioned(&self, var: VarId) -> bool {
        self.program.places.values().any(|place| place.kind == PlaceKind::Var(var))
    }

    /// How many arguments the program gets: at least itself. A replay can hand over so many only.
    fn argument_count(&mut self, state: &mut State, var: VarId, width: u32) -> TermId {
        let ty = self.program.vars[var].ty;
        let term = self.pool().bv_var("argc", width);
        let guard = state.guard.term(self.pool());
        self.out.inputs.push(crate::exec::SymbolicInput { source: InputPlace::Param(var, 0), ty, guard, term });
        if let Some(words) = self.path().map(|path| path.words) {
            self.value_on_path(term, words as u128);
        }
        let one = self.pool().bv(width, 1);
        let some = self.pool().sle(one, term);
        self.assume(state, some);
        let limit = self.pool().bv(width, MAX_ARGUMENTS as u128);
        self.out.replayable = Some(self.pool().sle(term, limit));
        term
    }

    fn new_allocation(&mut self, state: &mut State, size: TermId, zero: bool, heap: bool) -> Value {
        let (context, edge, salt) = (self.context(), self.edge, self.salt());
        let id = self.encoder.object_id(ObjectKey::Heap(context, edge, salt));
        let name: Rc<str> = self.fresh_name("heap").into();
        let alive = self.pool().bool(true);
        let place = FillPlace::Allocation(edge, name.clone());
        if !zero && self.follows_a_run() {
            self.fill_heap_on_path(place, name.clone(), size);
        } else if !zero {
            let bytes = self.pool().as_u64(size).unwrap_or(0);
            self.note_made_up(state, place, bytes, MadeUp::default());
        }
        let object = Object { size, alive, writable: true, heap, contents: Contents::Untyped { zero, name } };
        state.memory.set(id, Rc::new(object));
        let object = self.pool().bv(OBJECT_BITS, id as u128);
        Value::Pointer { object, offset: self.pool().bv(OFFSET_BITS, 0) }
    }

    pub fn alloca(&mut self, state: &mut State, var: VarId, size: ExprId) {
        let size = self.wide_index(state, size);
        let value = self.new_allocation(state, size, false, false);
        let slot = self.slot(var);
        if self.in_register(var) {
            state.registers[slot] = Some(value);
        } else {
            let id = self.new_local(state, var, 1, false);
            let ty = self.program.vars[var].ty;
            self.store_leaves(state, id, ty, &[value]);
        }
    }

    fn library(
        &mut self,
        mut state: State,
        edge: EdgeId,
        dest: Option<PlaceId>,
        function: FuncId,
        meaning: LibFn,
        args: &[ExprId],
    ) -> Option<State> {
        let mut values = Vec::new();
        for arg in args {
            if !self.program.types.is_scalar(self.program.exprs[*arg].ty) {
                self.poison(&mut state, "struct passed to a library function");
                return None;
            }
            values.push(self.value(&mut state, *arg));
        }
        let types: Vec<TypeId> = args.iter().map(|arg| self.program.exprs[*arg].ty).collect();
        let wide = |run: &mut Self, index: usize| {
            let term = values[index].bits();
            run.pool().resize_unsigned(term, OFFSET_BITS)
        };
        let result = match meaning {
            LibFn::Malloc => {
                let size = wide(self, 0);
                Some(self.new_allocation(&mut state, size, false, true))
            }
            LibFn::Calloc => {
                let (count, each) = (wide(self, 0), wide(self, 1));
                let size = self.pool().bv_mul(count, each);
                Some(self.new_allocation(&mut state, size, true, true))
            }
            LibFn::Alloca => {
                let size = wide(self, 0);
                Some(self.new_allocation(&mut state, size, false, false))
            }
            LibFn::Free => {
                self.free(&mut state, values[0]);
                None
            }
            LibFn::Abs(_) => {
                let term = values[0].bits();
                if self.bounds.properties.contains(cfa::Property::NoOverflow) {
                    let overflows = self.pool().neg_overflows(term);
                    self.fault(&mut state, Fault::SignedOverflow, overflows);
                }
                Some(Value::Bits(self.pool().bv_abs(term)))
            }
            LibFn::Memset => {
                let size = wide(self, 2);
                self.memset(&mut state, values[0], values[1].bits(), size);
                Some(values[0])
            }
            LibFn::Memcpy | LibFn::Memmove => {
                let size = wide(self, 2);
                self.memcpy(&mut state, values[0], values[1], size);
                Some(values[0])
            }
            LibFn::Exit | LibFn::Abort => {
                match meaning {
                    LibFn::Exit => self.check_leaks(state),
                    _ => self.note_abort(&state),
                }
                return None;
            }
            LibFn::Unreachable => {
                let always = self.pool().bool(true);
                self.fault(&mut state, Fault::Unreachable, always);
                return None;
            }
            LibFn::Zero { .. } => None,
            LibFn::Input { .. } if dest.is_none() => None,
            LibFn::Input { .. } => {
                let ty = self.program.places[dest?].ty;
                Some(self.input(&mut state, ty, InputPlace::Edge(edge)))
            }
            // Output changes nothing that a property sees; what it returns is not modelled.
            LibFn::Printf | LibFn::Puts | LibFn::Putchar | LibFn::Fputc | LibFn::Fputs if dest.is_none() => None,
            LibFn::Unsupported { reason, .. } => {
                let construct = format!("`{}` ({reason})", self.program.function_name(function));
                self.poison(&mut state, construct);
                return None;
            }
            _ => match self.float_library(meaning, &values, &types) {
                Some(value) => Some(value),
                None => {
                    let construct = format!("library function `{}`", self.program.function_name(function));
                    self.poison(&mut state, construct);
                    return None;
                }
            },
        };
        if let Some(dest) = dest {
            let ty = self.program.places[dest].ty;
            let value = match result {
                Some(value) => value,
                None => self.zero(ty),
            };
            let value = match (value, self.program.types.is_pointer(ty)) {
                (Value::Bits(term), false) => {
                    let width = self.program.types.scalar_bits(ty);
                    Value::Bits(self.pool().resize_unsigned(term, width))
                }
                (value, _) => value,
            };
            self.write_place(&mut state, dest, value);
        }
        (!self.is_dead(&state)).then_some(state)
    }

    fn free(&mut self, state: &mut State, pointer: Value) {
        let Value::Pointer { object, offset } = pointer else { return };
        let zero = self.pool().bv(OFFSET_BITS, 0);
        let displaced = self.pool().ne(offset, zero);
        let candidates = self.candidates(state, object);
        let mut freed = Vec::new();
        for (id, hit) in candidates {
            let misplaced = self.pool().and(hit, displaced);
            let target = id.and_then(|id| state.memory.get(id).cloned());
            match (id, target) {
                // free(NULL) does nothing.
                (Some(0), None) => self.fault(state, Fault::InvalidFree, misplaced),
                (Some(id), Some(target)) if target.heap => {
                    let dead = self.pool().not(target.alive);
                    let twice = self.pool().and(hit, dead);
                    self.fault(state, Fault::DoubleFree, twice);
                    self.fault(state, Fault::InvalidFree, misplaced);
                    freed.push((id, hit));
                }
                _ => self.fault(state, Fault::InvalidFree, hit),
            }
        }
        for (id, hit) in freed {
            let not = self.pool().not(hit);
            let pool = &mut self.encoder.pool;
            if let Some(target) = state.memory.get_mut(id) {
                target.alive = pool.and(target.alive, not);
            }
        }
    }

    /// The one object a pointer names, and a constant offset in it.
    fn known_target(&mut self, pointer: Value) -> Option<(u32, u64)> {
        let Value::Pointer { object, offset } = pointer else { return None };
        Some((self.pool().as_u64(object)? as u32, self.pool().as_u64(offset)?))
    }

    fn memset(&mut self, state: &mut State, to: Value, byte: TermId, size: TermId) {
        if self.pool().as_u64(size) == Some(0) {
            return;
        }
        let byte = self.pool().extract(byte, 7, 0);
        // A whole object set to zero is a fresh zero object.
        if let Some((id, 0)) = self.known_target(to)
            && self.pool().as_u64(byte) == Some(0)
            && let Some(target) = state.memory.get(id).cloned()
            && target.size == size
            && target.writable
            && self.pool().as_bool(target.alive) == Some(true)
        {
            let contents = match &target.contents {
                Contents::Untyped { name, .. } => Some(Contents::Untyped { zero: true, name: name.clone() }),
                Contents::Typed { layout, .. } => {
                    let cells = crate::memory::fresh_cells(self.pool(), layout, true, "");
                    Some(Contents::Typed { layout: layout.clone(), cells })
                }
                Contents::Opaque | Contents::Nothing => None,
            };
            if let (Some(contents), Some(target)) = (contents, state.memory.get_mut(id)) {
                target.contents = contents;
                return;
            }
        }
        match self.pool().as_u64(size) {
            Some(count) if count <= MAX_BYTES => {
                for at in 0..count {
                    self.store_byte(state, to, at, byte);
                }
            }
            _ => self.poison(state, "memset of unknown or large size"),
        }
    }

    fn memcpy(&mut self, state: &mut State, to: Value, from: Value, size: TermId) {
        if self.pool().as_u64(size) == Some(0) {
            return;
        }
        if let (Some((to_id, 0)), Some((from_id, 0))) = (self.known_target(to), self.known_target(from))
            && let (Some(target), Some(source)) = (state.memory.get(to_id).cloned(), state.memory.get(from_id).cloned())
            && target.size == size
            && source.size == size
            && target.writable
            && self.pool().as_bool(target.alive) == Some(true)
            && self.pool().as_bool(source.alive) == Some(true)
        {
            let same = match (&target.contents, &source.contents) {
                (Contents::Typed { layout: a, .. }, Contents::Typed { layout: b, .. }) => a == b,
                (Contents::Untyped { .. }, Contents::Typed { .. }) => true,
                _ => false,
            };
            if same && let Some(target) = state.memory.get_mut(to_id) {
                target.contents = source.contents.clone();
                return;
            }
        }
        match self.pool().as_u64(size) {
            Some(count) if count <= MAX_BYTES => {
                let bytes: Vec<TermId> = (0..count).map(|at| self.load_byte(state, from, at)).collect();
                for (at, byte) in bytes.into_iter().enumerate() {
                    self.store_byte(state, to, at as u64, byte);
                }
            }
            _ => self.poison(state, "memcpy of unknown or large size"),
        }
    }

    fn byte_place(&mut self, pointer: Value, at: u64) -> (TermId, TermId, Access) {
        let Value::Pointer { object, offset } = pointer else { panic!("a pointer is needed") };
        let distance = self.pool().bv(OFFSET_BITS, at as u128);
        let offset = self.pool().bv_add(offset, distance);
        (object, offset, Access { size: 1, width: 8, pointer: false, bits: None })
    }

    fn load_byte(&mut self, state: &mut State, pointer: Value, at: u64) -> TermId {
        let (object, offset, access) = self.byte_place(pointer, at);
        self.load_at(state, object, offset, access, TypeId::CHAR).bits()
    }

    fn store_byte(&mut self, state: &mut State, pointer: Value, at: u64, byte: TermId) {
        let (object, offset, access) = self.byte_place(pointer, at);
        self.assigning(Assigned::Memory);
        let byte = self.named(Value::Bits(byte), Some(TypeId::CHAR));
        self.store_at(state, object, offset, access, byte, TypeId::CHAR);
    }
}

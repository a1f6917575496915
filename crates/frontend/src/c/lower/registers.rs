//! Values that come from outside at every read: volatile objects (`--volatile inputs`) and hardware registers at fixed addresses (`--mmio`). A read
//! becomes an input; a write to a register goes to an object of its own, which is never read, so that it is a step of the run. Where a pointer to a volatile object
//! is computed, the run decides which of both it leads to.

use super::Lower;
use super::expr::Operand;
use super::flow::Cursor;
use crate::c::ast;
use base::Span;
use cfa::types::FunctionType;
use cfa::{
    Body, Branch, Callee, ExprId, ExprKind, FuncId, Function, Init, InputKind, Op, PlaceId, PlaceKind, Type, TypeId,
    Var, VarKind, eval,
};

/// Whether the object of a place is volatile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Volatile {
    Surely,
    Perhaps,
}

impl Lower<'_> {
    /// Notes the place of a volatile object, for when it is read.
    pub(super) fn note_volatile(&mut self, operand: Operand, expr: ast::ExprId) {
        let Operand::Place(place) = operand else { return };
        let is_of_interest = self.options.volatile_inputs || !self.options.registers.is_empty();
        if !is_of_interest || self.situation.in_library || !self.makes_edges() {
            return;
        }
        let ty = self.place_type(place);
        if !self.program.types.is_scalar(ty) && !self.is_record(ty) {
            return;
        }
        let qualifiers = self.expr_qualifiers(expr);
        if qualifiers.is_surely_volatile() {
            self.volatile_places.insert(place, Volatile::Surely);
        } else if qualifiers.is_volatile() {
            self.volatile_places.insert(place, Volatile::Perhaps);
        }
    }

    /// Another place for the same object.
    pub(super) fn same_volatile(&mut self, place: PlaceId, other: PlaceId) {
        if let Some(volatile) = self.volatile_places.get(&place).copied() {
            self.volatile_places.insert(other, volatile);
        }
    }

    fn makes_edges(&self) -> bool {
        !self.situation.speculating
            && !self.must_fold()
            && !self.situation.pure
            && !self.situation.in_static_initializer
    }

    /// The value of a place that comes from outside at every read; `None` for others.
    pub(super) fn read_from_outside(&mut self, place: PlaceId, span: Span) -> Option<ExprId> {
        if !self.makes_edges() {
            return None;
        }
        let register = self.register_address(place);
        let may_be_register = self.may_be_register(place);
        let volatile = self.volatile_places.get(&place).copied().filter(|_| self.options.volatile_inputs);
        if register.is_none() && volatile.is_none() && !may_be_register {
            return None;
        }
        let whole = self.program.types.is_scalar(self.place_type(place)) && self.bit_field_width_of(place).is_none();
        match (register, volatile) {
            (Some(_), _) if !whole => {
                self.poison(span, "a bit-field or a structure in a register");
                None
            }
            (Some(address), _) => {
                let name = self.register_name(Some(address));
                Some(self.input(place, &name, span))
            }
            (None, None) if whole => Some(self.read_if_register(place, span)),
            (None, None) => None,
            (None, Some(Volatile::Surely)) if whole => {
                // It is an access like any other.
                if may_be_register {
                    self.read_if_register(place, span);
                } else {
                    let temp = self.temp(self.place_type(place), span);
                    let (kept, value) = (self.var_place(temp), self.read(place, span));
                    self.emit(Op::Assign(kept, value), span);
                }
                let name = match self.program.places[place].kind {
                    PlaceKind::Var(var) => format!("volatile {}", self.text(self.program.vars[var].name)),
                    _ => "volatile object".to_string(),
                };
                Some(self.input(place, &name, span))
            }
            _ => {
                self.left_open(span, "a volatile bit-field or structure, or what may be volatile");
                None
            }
        }
    }

    /// Whether only the run decides if a place is a register: it is reached by a computed pointer to something volatile.
    pub(super) fn may_be_register(&self, place: PlaceId) -> bool {
        if self.options.registers.is_empty() || !self.volatile_places.contains_key(&place) || !self.makes_edges() {
            return false;
        }
        let mut root = place;
        while let PlaceKind::Field(base, _) | PlaceKind::Index(base, _) = self.program.places[root].kind {
            root = base;
        }
        matches!(self.program.places[root].kind, PlaceKind::Deref(_)) && self.fixed_address(place).is_none()
    }

    /// The value of a place that may be a register: an input, or what memory holds there.
    fn read_if_register(&mut self, place: PlaceId, span: Span) -> ExprId {
        let ty = self.place_type(place);
        let temp = self.temp(ty, span);
        let (register, memory) = self.branch_on_register(place, span);
        self.set_cursor(register);
        let name = self.register_name(None);
        let reader = self.reader(&name, ty);
        let kept = self.var_place(temp);
        self.emit(Op::Havoc(kept, InputKind::Written(reader)), span);
        let register = self.cursor();
        self.set_cursor(memory);
        let value = self.read(place, span);
        self.emit(Op::Assign(kept, value), span);
        let memory = self.cursor();
        self.join(&[register, memory], span);
        self.read_var(temp, span)
    }

    /// Writes what may be a register.
    pub(super) fn write_if_register(&mut self, place: PlaceId, value: ExprId, span: Span) {
        let (register, memory) = self.branch_on_register(place, span);
        let mut ends = [register, memory];
        let name = self.register_name(None);
        let written = self.written_register(None, &name, self.place_type(place));
        for (cursor, target) in ends.iter_mut().zip([written, place]) {
            self.set_cursor(*cursor);
            self.emit(Op::Assign(target, value), span);
            *cursor = self.cursor();
        }
        self.join(&ends, span);
    }

    /// The cursors where a place is a register and where it is memory. The branch is not in the source, so it has no span.
    fn branch_on_register(&mut self, place: PlaceId, span: Span) -> (Cursor, Cursor) {
        let address = self.address_of(place, self.place_type(place), span);
        let address = self.cast(address, TypeId::VOID_POINTER, span);
        let args = self.argument_slice(&[address]);
        let function = self.builtin("__library_is_register", "i(p)");
        let temp = self.temp(TypeId::INT, span);
        let dest = Some(self.var_place(temp));
        self.emit(Op::Call { dest, callee: Callee::Direct(function), args }, Span::NONE);
        let is_register = self.read_var(temp, span);
        self.branch(is_register, Branch::Conditional, Span::NONE)
    }

    /// An input of the type of a place.
    fn input(&mut self, place: PlaceId, name: &str, span: Span) -> ExprId {
        let ty = self.place_type(place);
        let reader = self.reader(name, ty);
        let temp = self.temp(ty, span);
        let kept = self.var_place(temp);
        self.emit(Op::Havoc(kept, InputKind::Written(reader)), span);
        self.read_var(temp, span)
    }

    /// The function that stands for what gives such inputs.
    fn reader(&mut self, name: &str, result: TypeId) -> FuncId {
        if let Some(function) = self.outside_readers.get(name) {
            return *function;
        }
        let (params, variadic, unprototyped) = (Vec::new(), false, false);
        let ty = self.program.types.intern(Type::Function(FunctionType { result, params, variadic, unprototyped }));
        let symbol = self.program.names.intern(name);
        let function = Function { name: symbol, ty, params: Vec::new(), body: Body::Undefined, span: Span::NONE };
        let function = self.program.functions.push(function);
        self.outside_readers.insert(name.to_string(), function);
        function
    }

    /// The object that stands for a register where one is written.
    pub(super) fn register_of(&mut self, place: PlaceId) -> Option<PlaceId> {
        if self.situation.speculating || self.situation.pure {
            return None;
        }
        let (address, ty) = (self.register_address(place)?, self.place_type(place));
        let name = self.register_name(Some(address));
        Some(self.written_register(Some(address), &name, ty))
    }

    /// The object that holds what was written last to a register, or to any whose address is computed.
    fn written_register(&mut self, address: Option<u64>, name: &str, ty: TypeId) -> PlaceId {
        if let Some(register) = self.registers.get(&(address, ty)) {
            return *register;
        }
        let name = self.program.names.intern(name);
        let (kind, init) = (VarKind::Global, Init::Zero);
        let var = Var { name, ty, kind, init, address_taken: false, read_only: false, span: Span::NONE };
        let var = self.program.vars.push(var);
        let register = self.var_place(var);
        self.registers.insert((address, ty), register);
        register
    }

    /// What a register is called in messages; without an address one that only the run knows.
    fn register_name(&self, address: Option<u64>) -> String {
        let all = &self.options.registers;
        match (address, &all[..]) {
            (Some(address), _) => {
                let range = all.iter().find(|range| (range.first..=range.last).contains(&address));
                let name = range.and_then(|range| range.name.as_deref()).unwrap_or("register");
                format!("{name} {address:#x}")
            }
            (None, [range]) => range.name.clone().unwrap_or_else(|| "register".to_string()),
            (None, _) => "register".to_string(),
        }
    }

    /// The address of a place in a range of registers, if it is constant.
    fn register_address(&self, place: PlaceId) -> Option<u64> {
        if self.options.registers.is_empty() {
            return None;
        }
        let address = self.fixed_address(place)?;
        self.options.registers.iter().any(|range| (range.first..=range.last).contains(&address)).then_some(address)
    }

    fn fixed_address(&self, place: PlaceId) -> Option<u64> {
        let types = &self.program.types;
        match self.program.places[place].kind {
            PlaceKind::Var(_) => None,
            PlaceKind::Deref(pointer) => self.constant_pointer(pointer),
            PlaceKind::Field(base, field) => {
                let Type::Record(record) = *types.get(self.place_type(base)) else { return None };
                let offset = types.records[record].fields[field as usize].offset;
                self.fixed_address(base)?.checked_add(offset)
            }
            PlaceKind::Index(base, index) => {
                let size = types.size_of(self.place_type(place))?;
                self.fixed_address(base)?.checked_add(self.constant_index(index)?.checked_mul(size)?)
            }
        }
    }

    fn constant_index(&self, index: ExprId) -> Option<u64> {
        let bits = self.program.constant(index)?;
        u64::try_from(eval::to_i128(&self.program.types, self.expr_type(index), bits)).ok()
    }

    fn constant_pointer(&self, pointer: ExprId) -> Option<u64> {
        let types = &self.program.types;
        match self.program.exprs[pointer].kind {
            ExprKind::Const(bits) => Some(bits.lo),
            // A narrower number may have a sign.
            ExprKind::Cast(inner) => {
                let (from, to) = (self.expr_type(inner), self.expr_type(pointer));
                (types.scalar_bits(from) == types.scalar_bits(to)).then(|| self.constant_pointer(inner))?
            }
            ExprKind::AddrOf(place) => self.fixed_address(place),
            ExprKind::PtrAdd(base, index) => {
                let size = types.size_of(types.pointee(self.expr_type(pointer))?)?;
                self.constant_pointer(base)?.checked_add(self.constant_index(index)?.checked_mul(size)?)
            }
            _ => None,
        }
    }

    /// Results of calls and inputs that go to registers.
    pub(super) fn finish_registers(&mut self) {
        if self.options.registers.is_empty() {
            return;
        }
        for edge in self.program.edges.ids().collect::<Vec<_>>() {
            let target = match self.program.edges[edge].op {
                Op::Call { dest: Some(place), .. } | Op::Assign(place, _) | Op::Havoc(place, _) => place,
                _ => continue,
            };
            let Some(register) = self.register_of(target) else { continue };
            match &mut self.program.edges[edge].op {
                Op::Call { dest, .. } => *dest = Some(register),
                Op::Assign(place, _) | Op::Havoc(place, _) => *place = register,
                _ => {}
            }
        }
    }
}

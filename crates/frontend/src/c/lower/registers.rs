//! Values that come from outside at every read: volatile objects (`--volatile inputs`) and hardware registers at constant addresses (`--mmio`). A read
//! becomes an input; a write to a register goes to an object of its own, which is never read, so that it is a step of the run.

use super::Lower;
use super::expr::Operand;
use crate::c::ast;
use base::Span;
use cfa::types::FunctionType;
use cfa::{
    Body, ExprId, ExprKind, FuncId, Function, Init, InputKind, Op, PlaceId, PlaceKind, Type, TypeId, Var, VarKind, eval,
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
        if !self.options.volatile_inputs || self.situation.in_library || !self.makes_edges() {
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
        let volatile = self.volatile_places.get(&place).copied();
        if register.is_none() && volatile.is_none() {
            return None;
        }
        let whole = self.program.types.is_scalar(self.place_type(place)) && self.bit_field_width_of(place).is_none();
        match (register, volatile) {
            (Some(_), _) if !whole => {
                self.poison(span, "a bit-field or a structure in a register");
                None
            }
            (Some(address), _) => {
                let name = self.register_name(address);
                Some(self.input(place, &name, span))
            }
            (None, Some(Volatile::Surely)) if whole => {
                let temp = self.temp(self.place_type(place), span);
                let (kept, value) = (self.var_place(temp), self.read(place, span));
                // It is an access like any other.
                self.emit(Op::Assign(kept, value), span);
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
        if let Some(register) = self.registers.get(&(address, ty)) {
            return Some(*register);
        }
        let name = self.register_name(address);
        let name = self.program.names.intern(&name);
        let (kind, init) = (VarKind::Global, Init::Zero);
        let var = Var { name, ty, kind, init, address_taken: false, read_only: false, span: Span::NONE };
        let var = self.program.vars.push(var);
        let register = self.var_place(var);
        self.registers.insert((address, ty), register);
        Some(register)
    }

    fn register_name(&self, address: u64) -> String {
        let range = self.options.registers.iter().find(|range| (range.first..=range.last).contains(&address));
        match range.and_then(|range| range.name.as_deref()) {
            Some(name) => format!("{name} {address:#x}"),
            None => format!("register {address:#x}"),
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

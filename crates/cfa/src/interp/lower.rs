//! Expressions and places to bytecode. The instruction chosen depends on the type alone; what has no instruction of its own goes through
//! [`crate::eval`] as a slow operation, so the two can only differ where an instruction exists (and tests compare those).
//!
//! Invariant: only the last instruction of an expression writes the destination it was given, so `x = f(x)` needs no copy.

use super::code::*;
use super::compile::Compiler;
use crate::eval::{self, Scalar};
use crate::expr::{BinOp, Bits, ExprId, ExprKind, PlaceId, PlaceKind, UnOp};
use crate::program::{VarId, VarKind};
use crate::types::{DataModel, RecordKind, Type, TypeId};

/// Where a place is.
enum Spot {
    Slot(Slot),
    Memory(Address),
    Bits(BitAccess),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// The place is read or written: indices are checked.
    Use,
    /// Only its address is wanted: it may lie outside.
    AddressOnly,
}

/// How the fast instructions see an integer type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fast {
    S32,
    U32,
    S64,
    U64,
}

impl Compiler<'_> {
    pub(super) fn value(&mut self, expr: ExprId) -> Slot {
        self.eval(expr, None)
    }

    pub(super) fn value_into(&mut self, expr: ExprId, d: Slot) {
        self.eval(expr, Some(d));
    }

    fn target(&mut self, into: Option<Slot>, ty: TypeId) -> Slot {
        let wide = self.is_wide(ty);
        into.unwrap_or_else(|| self.temp(wide))
    }

    fn eval(&mut self, expr: ExprId, into: Option<Slot>) -> Slot {
        let program = self.program;
        let ty = program.exprs[expr].ty;
        match program.exprs[expr].kind {
            ExprKind::Const(bits) => self.constant(bits, ty, into),
            ExprKind::FuncAddr(function) => {
                let value = self.options.functions[function.0 as usize];
                let d = self.target(into, ty);
                self.emit(Instr::Const { d, value });
                d
            }
            ExprKind::Read(place) => self.read(place, into),
            ExprKind::AddrOf(place) => match self.spot(place, Access::AddressOnly) {
                Spot::Memory(address) => self.materialize(address, into),
                Spot::Slot(_) | Spot::Bits(_) => panic!("{place}: has no address"),
            },
            ExprKind::Unary(op, a) => self.unary(op, a, into),
            ExprKind::Binary(op, a, b) => self.binary(op, a, b, into),
            ExprKind::Cast(a) => {
                let slot = self.value(a);
                self.cast_slot(slot, program.exprs[a].ty, ty, into)
            }
            ExprKind::PtrAdd(pointer, index) => self.pointer_move(pointer, index, false, into),
            ExprKind::PtrSub(pointer, index) => self.pointer_move(pointer, index, true, into),
            ExprKind::PtrDiff(a, b) => {
                let stride = self.stride(program.exprs[a].ty);
                let (a, b) = (self.value(a), self.value(b));
                let d = self.target(into, ty);
                self.slow(Slow::PtrDiff { d, a, b, stride });
                d
            }
        }
    }

    fn constant(&mut self, bits: Bits, ty: TypeId, into: Option<Slot>) -> Slot {
        let wide = self.is_wide(ty);
        let d = self.target(into, ty);
        self.emit(Instr::Const { d, value: bits.lo });
        if wide {
            self.emit(Instr::Const { d: d + 1, value: bits.hi });
        }
        d
    }

    /// A value that is in a slot already.
    fn copy(&mut self, a: Slot, ty: TypeId, into: Option<Slot>) -> Slot {
        match into {
            Some(d) if d != a => {
                self.emit(Instr::Mov { d, a });
                if self.is_wide(ty) {
                    self.emit(Instr::Mov { d: d + 1, a: a + 1 });
                }
                d
            }
            _ => a,
        }
    }

    fn unary(&mut self, op: UnOp, operand: ExprId, into: Option<Slot>) -> Slot {
        let ty = self.program.exprs[operand].ty;
        let a = self.value(operand);
        let narrow = !self.is_wide(ty) && ty.float_kind().is_none();
        let result = if op == UnOp::Not { TypeId::INT } else { ty };
        let d = self.target(into, result);
        match (op, self.fast(ty)) {
            (UnOp::Not, _) if narrow => self.emit(Instr::EqI { d, a, b: 0 }),
            (UnOp::Neg, Some(Fast::S32)) => self.emit(Instr::NegS32 { d, a }),
            (UnOp::Neg, Some(Fast::S64)) => self.emit(Instr::NegS64 { d, a }),
            (UnOp::Neg, Some(Fast::U32)) => self.emit(Instr::Neg32 { d, a }),
            (UnOp::Neg, Some(Fast::U64)) => self.emit(Instr::Neg64 { d, a }),
            (UnOp::BitNot, Some(Fast::S32 | Fast::U32)) => self.emit(Instr::Not32 { d, a }),
            (UnOp::BitNot, Some(Fast::S64 | Fast::U64)) => self.emit(Instr::Not64 { d, a }),
            _ => self.slow(Slow::Unary { op, ty, d, a }),
        };
        d
    }

    fn fast(&self, ty: TypeId) -> Option<Fast> {
        match eval::scalar(&self.program.types, ty) {
            Scalar::Int { width: 32, signed: true } => Some(Fast::S32),
            Scalar::Int { width: 32, signed: false } => Some(Fast::U32),
            Scalar::Int { width: 64, signed: true } => Some(Fast::S64),
            Scalar::Int { width: 64, signed: false } => Some(Fast::U64),
            _ => None,
        }
    }

    fn binary(&mut self, op: BinOp, left: ExprId, right: ExprId, into: Option<Slot>) -> Slot {
        let program = self.program;
        let (ty, right_ty) = (program.exprs[left].ty, program.exprs[right].ty);
        let result = if op.is_comparison() { TypeId::INT } else { ty };
        let commutes =
            matches!(op, BinOp::Add | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Eq | BinOp::Ne);
        let swap = commutes && program.constant(left).is_some();
        let (left, right) = if swap { (right, left) } else { (left, right) };
        let fast = self.fast(ty);
        if let (Some(fast), Some(constant)) = (fast, program.constant(right)) {
            let a = self.value(left);
            let d = self.target(into, result);
            if let Some(instr) = immediate(op, fast, d, a, constant, !self.is_wide(right_ty)) {
                self.emit(instr);
                return d;
            }
            let b = self.value(right);
            return self.binary_slots(op, ty, right_ty, d, a, b);
        }
        let (a, b) = (self.value(left), self.value(right));
        let d = self.target(into, result);
        self.binary_slots(op, ty, right_ty, d, a, b)
    }

    fn binary_slots(&mut self, op: BinOp, ty: TypeId, right: TypeId, d: Slot, a: Slot, b: Slot) -> Slot {
        let shift = matches!(op, BinOp::Shl | BinOp::Shr);
        let instr = match eval::scalar(&self.program.types, ty) {
            _ if shift && self.is_wide(right) => None,
            Scalar::F32 => float32(op, d, a, b),
            Scalar::F64 => float64(op, d, a, b),
            Scalar::Int { width: 65.., .. } | Scalar::X87 => None,
            Scalar::Int { signed, .. } => match self.fast(ty) {
                Some(fast) => integer(op, fast, d, a, b),
                None => sign_free(op, signed, d, a, b),
            },
        };
        match instr {
            Some(instr) => self.emit(instr),
            None => self.slow(Slow::Binary { op, ty, right, d, a, b }),
        };
        d
    }

    pub(super) fn cast_slot(&mut self, a: Slot, from: TypeId, to: TypeId, into: Option<Slot>) -> Slot {
        use Scalar::*;
        let types = &self.program.types;
        let (source, result) = (eval::scalar(types, from), eval::scalar(types, to));
        let narrow = !self.is_wide(from) && !self.is_wide(to);
        if narrow && to == TypeId::BOOL && from == TypeId::BOOL {
            return self.copy(a, to, into);
        }
        let instr = |d: Slot| match (source, result) {
            (Int { width: ..=64, .. }, _) if to == TypeId::BOOL => Some(Instr::NeI { d, a, b: 0 }),
            (Int { width: w, signed }, Int { width, .. }) if narrow => match (w, width) {
                (8, 32) if signed => Some(Instr::Sext8To32 { d, a }),
                (16, 32) if signed => Some(Instr::Sext16To32 { d, a }),
                (8, 64) if signed => Some(Instr::Sext8To64 { d, a }),
                (16, 64) if signed => Some(Instr::Sext16To64 { d, a }),
                (32, 64) if signed => Some(Instr::Sext32To64 { d, a }),
                _ if width < w => Some(Instr::AndI { d, a, b: ((1u64 << width) - 1) as u32 }),
                _ => None,
            },
            (Int { width: 32, signed: true }, F64) => Some(Instr::S32ToF64 { d, a }),
            (Int { width: 64, signed: true }, F64) => Some(Instr::S64ToF64 { d, a }),
            (F64, Int { width: 32, signed: true }) => Some(Instr::F64ToS32 { d, a }),
            (F32, F64) => Some(Instr::F32ToF64 { d, a }),
            (F64, F32) => Some(Instr::F64ToF32 { d, a }),
            _ => None,
        };
        let same = match (source, result) {
            (Int { width: w, signed }, Int { width, .. }) => {
                narrow && to != TypeId::BOOL && (w == width || (w < width && !signed))
            }
            (source, result) => source == result,
        };
        if same {
            return self.copy(a, to, into);
        }
        let d = self.target(into, to);
        match instr(d) {
            Some(instr) => self.emit(instr),
            None => self.slow(Slow::Cast { from, to, d, a }),
        };
        d
    }

    fn stride(&self, pointer: TypeId) -> u64 {
        let types = &self.program.types;
        types.pointee(pointer).and_then(|target| types.stride(target)).unwrap_or(1)
    }

    fn pointer_move(&mut self, pointer: ExprId, index: ExprId, back: bool, into: Option<Slot>) -> Slot {
        let program = self.program;
        let (ty, index_ty) = (program.exprs[pointer].ty, program.exprs[index].ty);
        let stride = self.stride(ty);
        let a = self.value(pointer);
        if let Some(bits) = program.constant(index) {
            let count = eval::to_i128(&program.types, index_ty, bits);
            let distance = if back { -count } else { count }.checked_mul(stride as i128);
            if let Some(at) = distance.and_then(|distance| i32::try_from(distance).ok()) {
                if at == 0 {
                    return self.copy(a, ty, into);
                }
                let d = self.target(into, ty);
                self.emit(Instr::Offset { d, a, at });
                return d;
            }
        }
        let mut b = self.index(index);
        if back {
            let d = self.temp(false);
            let negated = if self.index_is_32(index_ty) { Instr::Neg32 { d, a: b } } else { Instr::Neg64 { d, a: b } };
            // The lowest `int` has no negation in 32 bits.
            if self.index_is_32(index_ty) && program.model() == DataModel::Lp64 {
                let wide = self.temp(false);
                self.emit(Instr::Sext32To64 { d: wide, a: b });
                self.emit(Instr::Neg64 { d, a: wide });
                let target = self.target(into, ty);
                self.slow(Slow::PtrAdd { d: target, a, b: d, stride });
                return target;
            }
            self.emit(negated);
            b = d;
        }
        let d = self.target(into, ty);
        match (u16::try_from(stride), self.index_is_32(index_ty)) {
            (Ok(stride), true) => self.emit(Instr::PtrAdd32 { d, a, b, stride }),
            (Ok(stride), false) => self.emit(Instr::PtrAdd64 { d, a, b, stride }),
            (Err(_), true) => {
                let wide = self.temp(false);
                self.emit(Instr::Sext32To64 { d: wide, a: b });
                self.slow(Slow::PtrAdd { d, a, b: wide, stride })
            }
            (Err(_), false) => self.slow(Slow::PtrAdd { d, a, b, stride }),
        };
        d
    }

    /// Whether [`Self::index`] gives a signed 32-bit slot. With flat 32-bit addresses all indices wrap to that.
    fn index_is_32(&self, ty: TypeId) -> bool {
        self.program.model() == DataModel::Ilp32 || self.fast(ty) == Some(Fast::S32)
    }

    /// An index as a signed number of 32 or 64 bits.
    fn index(&mut self, index: ExprId) -> Slot {
        let ty = self.program.exprs[index].ty;
        let a = self.value(index);
        let wanted = if self.index_is_32(ty) { TypeId::INT } else { TypeId::LONG_LONG };
        self.cast_slot(a, ty, wanted, None)
    }

    fn read(&mut self, place: PlaceId, into: Option<Slot>) -> Slot {
        let ty = self.program.places[place].ty;
        match self.spot(place, Access::Use) {
            Spot::Slot(slot) => self.copy(slot, ty, into),
            Spot::Bits(bits) => {
                self.check_written(bits.address, (bits.start as u64 + bits.width as u64).div_ceil(8));
                let d = self.target(into, ty);
                self.slow(Slow::LoadBits { d, bits });
                d
            }
            Spot::Memory(address) => {
                self.check_written(address, self.stored_bytes(ty));
                let d = self.target(into, ty);
                match self.load_instr(d, address, ty) {
                    Some(instr) => self.emit(instr),
                    None => self.slow(Slow::Load { d, address, ty }),
                };
                d
            }
        }
    }

    /// Bytes of memory that hold the value: a `long double` has ten and padding.
    fn stored_bytes(&self, ty: TypeId) -> u64 {
        match eval::scalar(&self.program.types, ty) {
            Scalar::Int { width, .. } => width.div_ceil(8) as u64,
            Scalar::F32 => 4,
            Scalar::F64 => 8,
            Scalar::X87 => 10,
        }
    }

    fn check_written(&mut self, address: Address, length: u64) {
        if self.options.check_written {
            self.slow(Slow::CheckWritten { address, length });
        }
    }

    fn mark_written(&mut self, address: Address, length: u64) {
        if self.options.check_written {
            self.slow(Slow::MarkWritten { address, length });
        }
    }

    fn load_instr(&self, d: Slot, address: Address, ty: TypeId) -> Option<Instr> {
        let bytes = self.stored_bytes(ty);
        if ty == TypeId::BOOL {
            return None;
        }
        match address.base {
            Base::Object(object) => {
                let at = self.inside(object, address.at, bytes)?;
                Some(match bytes {
                    1 => Instr::Get8 { d, object, at },
                    2 => Instr::Get16 { d, object, at },
                    4 => Instr::Get32 { d, object, at },
                    8 => Instr::Get64 { d, object, at },
                    _ => return None,
                })
            }
            Base::Slot(a) => {
                let at = i32::try_from(address.at).ok()?;
                Some(match bytes {
                    1 => Instr::Load8 { d, a, at },
                    2 => Instr::Load16 { d, a, at },
                    4 => Instr::Load32 { d, a, at },
                    8 => Instr::Load64 { d, a, at },
                    _ => return None,
                })
            }
        }
    }

    fn store_instr(&self, s: Slot, address: Address, ty: TypeId) -> Option<Instr> {
        let bytes = self.stored_bytes(ty);
        match address.base {
            Base::Object(object) => {
                let at = self.inside(object, address.at, bytes)?;
                if self.program.vars[self.static_var(object)?].kind == VarKind::Constant {
                    return None;
                }
                Some(match bytes {
                    1 => Instr::Put8 { s, object, at },
                    2 => Instr::Put16 { s, object, at },
                    4 => Instr::Put32 { s, object, at },
                    8 => Instr::Put64 { s, object, at },
                    _ => return None,
                })
            }
            Base::Slot(a) => {
                let at = i32::try_from(address.at).ok()?;
                Some(match bytes {
                    1 => Instr::Store8 { s, a, at },
                    2 => Instr::Store16 { s, a, at },
                    4 => Instr::Store32 { s, a, at },
                    8 => Instr::Store64 { s, a, at },
                    _ => return None,
                })
            }
        }
    }

    /// The variable of a static object; they are numbered in order.
    fn static_var(&self, object: u32) -> Option<VarId> {
        let index = self.options.objects.partition_point(|(number, _)| *number < object);
        self.options.objects.get(index).filter(|(number, _)| *number == object).map(|(_, var)| *var)
    }

    /// The offset, if the bytes are inside the declared type of a static object.
    fn inside(&self, object: u32, at: i64, bytes: u64) -> Option<u32> {
        let var = self.static_var(object)?;
        let size = self.program.types.size_of(self.program.vars[var].ty)?;
        let at = u64::try_from(at).ok()?;
        (at.checked_add(bytes)? <= size).then_some(u32::try_from(at).ok()?)
    }

    pub(super) fn store(&mut self, place: PlaceId, slot: Slot) {
        let ty = self.program.places[place].ty;
        match self.spot(place, Access::Use) {
            Spot::Slot(d) => {
                self.copy(slot, ty, Some(d));
            }
            Spot::Bits(bits) => {
                self.slow(Slow::StoreBits { s: slot, bits });
                self.mark_written(bits.address, (bits.start as u64 + bits.width as u64).div_ceil(8));
            }
            Spot::Memory(address) => self.store_memory(address, ty, slot),
        }
    }

    fn store_memory(&mut self, address: Address, ty: TypeId, s: Slot) {
        match self.store_instr(s, address, ty) {
            Some(instr) => self.emit(instr),
            None => self.slow(Slow::Store { s, address, ty }),
        };
        self.mark_written(address, self.stored_bytes(ty));
    }

    pub(super) fn store_variable(&mut self, var: VarId, slot: Slot) {
        let ty = self.program.vars[var].ty;
        match self.home(var) {
            Home::Slot(d) => {
                self.copy(slot, ty, Some(d));
            }
            Home::Local(own) => self.store_memory(Address { base: Base::Slot(own), at: 0 }, ty, slot),
            Home::Object(object) => self.store_memory(Address { base: Base::Object(object), at: 0 }, ty, slot),
        }
    }

    /// The bytes of a record value.
    pub(super) fn record(&mut self, expr: ExprId) -> Address {
        match self.program.exprs[expr].kind {
            ExprKind::Read(place) => self.memory(place),
            other => panic!("{expr}: {other:?} of record type"),
        }
    }

    /// A place of record type.
    pub(super) fn memory(&mut self, place: PlaceId) -> Address {
        match self.spot(place, Access::Use) {
            Spot::Memory(address) => address,
            Spot::Slot(_) | Spot::Bits(_) => panic!("{place}: a record in a register"),
        }
    }

    fn spot(&mut self, place: PlaceId, access: Access) -> Spot {
        let program = self.program;
        match program.places[place].kind {
            PlaceKind::Var(var) => match self.home(var) {
                Home::Slot(slot) => Spot::Slot(slot),
                Home::Local(slot) => Spot::Memory(Address { base: Base::Slot(slot), at: 0 }),
                Home::Object(object) => Spot::Memory(Address { base: Base::Object(object), at: 0 }),
            },
            PlaceKind::Deref(pointer) => {
                // `*&place` is the place: common after lowering, and free.
                if let ExprKind::AddrOf(inner) = program.exprs[pointer].kind
                    && program.places[inner].ty == program.places[place].ty
                {
                    return self.spot(inner, access);
                }
                let slot = self.value(pointer);
                Spot::Memory(Address { base: Base::Slot(slot), at: 0 })
            }
            PlaceKind::Field(inner, number) => {
                let Type::Record(record) = *program.types.get(program.places[inner].ty) else {
                    panic!("{place}: a field of what is no record");
                };
                let field = &program.types.records[record].fields[number as usize];
                let Spot::Memory(address) = self.spot(inner, access) else { panic!("{place}: a record in a register") };
                let address = address.plus(field.offset as i64);
                match field.bits {
                    None => Spot::Memory(address),
                    Some(bits) => Spot::Bits(BitAccess { address, start: bits.start, width: bits.width, ty: field.ty }),
                }
            }
            PlaceKind::Index(inner, index) => {
                let Spot::Memory(address) = self.spot(inner, access) else { panic!("{place}: an array in a register") };
                Spot::Memory(self.element(inner, index, address, access))
            }
        }
    }

    fn element(&mut self, array: PlaceId, index: ExprId, address: Address, access: Access) -> Address {
        let program = self.program;
        let Type::Array(element, length) = *program.types.get(program.places[array].ty) else {
            panic!("{array}: indexed, but no array");
        };
        let stride = program.types.stride(element).unwrap_or(1);
        let length = match length {
            Some(length) if access == Access::Use && !self.is_flexible(array, length) => length,
            _ => u64::MAX,
        };
        let index_ty = program.exprs[index].ty;
        if let Some(bits) = program.constant(index) {
            let value = eval::to_i128(&program.types, index_ty, bits);
            let distance = value.checked_mul(stride as i128).and_then(|distance| i64::try_from(distance).ok());
            if let Some(distance) = distance
                && ((0..length as i128).contains(&value) || length == u64::MAX)
                && (-(1 << 31)..1 << 31).contains(&distance)
            {
                return address.plus(distance);
            }
        }
        // A checked index of 64 bits must not be cut to 32 before the check.
        let whole = length != u64::MAX && matches!(self.fast(index_ty), Some(Fast::S64 | Fast::U64));
        let slot = if whole { self.value(index) } else { self.index(index) };
        let d = self.temp(false);
        self.code.indexes.push(IndexInfo { base: address.base, displacement: address.at, stride, length });
        let table = self.code.indexes.len() as u32 - 1;
        self.emit(if !whole && self.index_is_32(index_ty) {
            Instr::Index32 { d, index: slot, table }
        } else {
            Instr::Index64 { d, index: slot, table }
        });
        Address { base: Base::Slot(d), at: 0 }
    }

    /// Arrays of no or one element at the end of a structure are the old way to write flexible ones.
    fn is_flexible(&self, array: PlaceId, length: u64) -> bool {
        let program = self.program;
        let PlaceKind::Field(outer, number) = program.places[array].kind else { return false };
        let Type::Record(record) = *program.types.get(program.places[outer].ty) else { return false };
        let record = &program.types.records[record];
        length <= 1 && record.kind == RecordKind::Struct && number as usize + 1 == record.fields.len()
    }

    fn materialize(&mut self, address: Address, into: Option<Slot>) -> Slot {
        let pointer = TypeId::VOID_POINTER;
        match address.base {
            Base::Object(object) => {
                let d = self.target(into, pointer);
                match (self.inside(object, address.at, 0), self.static_var(object)) {
                    (Some(at), Some(var)) => {
                        let value = self.options.statics[var.0 as usize].1 + at as u64;
                        self.emit(Instr::Const { d, value });
                    }
                    _ => {
                        self.slow(Slow::Address { d, address });
                    }
                }
                d
            }
            Base::Slot(a) if address.at == 0 && self.code.owner(a).is_none() => self.copy(a, pointer, into),
            Base::Slot(a) => {
                let d = self.target(into, pointer);
                match i32::try_from(address.at) {
                    Ok(at) => self.emit(Instr::Address { d, a, at }),
                    Err(_) => self.slow(Slow::Address { d, address }),
                };
                d
            }
        }
    }

    /// Emits a jump, to be aimed later, that is taken when the condition has that truth.
    pub(super) fn jump_if(&mut self, cond: ExprId, truth: bool) -> usize {
        let program = self.program;
        let ty = program.exprs[cond].ty;
        match program.exprs[cond].kind {
            ExprKind::Unary(UnOp::Not, inner) => return self.jump_if(inner, !truth),
            ExprKind::Cast(inner) if self.keeps_truth(program.exprs[inner].ty, ty) => {
                return self.jump_if(inner, truth);
            }
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                if let Some(jump) = self.compare_jump(if truth { op } else { inverse(op) }, a, b) {
                    return jump;
                }
            }
            _ => {}
        }
        let mut a = self.value(cond);
        if self.is_wide(ty) || ty.float_kind().is_some() {
            a = self.cast_slot(a, ty, TypeId::BOOL, None);
        }
        let steps = self.take_steps();
        self.emit(if truth {
            Instr::BrNeI { a, b: 0, target: 0, steps }
        } else {
            Instr::BrEqI { a, b: 0, target: 0, steps }
        })
    }

    /// Whether a conversion between integers cannot turn a value into zero.
    fn keeps_truth(&self, from: TypeId, to: TypeId) -> bool {
        match (eval::scalar(&self.program.types, from), eval::scalar(&self.program.types, to)) {
            (Scalar::Int { width: w @ ..=64, .. }, Scalar::Int { width, .. }) => to == TypeId::BOOL || w <= width,
            _ => false,
        }
    }

    fn compare_jump(&mut self, op: BinOp, left: ExprId, right: ExprId) -> Option<usize> {
        let program = self.program;
        let ty = program.exprs[left].ty;
        let Scalar::Int { width: ..=64, signed } = eval::scalar(&program.types, ty) else { return None };
        let fast = match self.fast(ty) {
            Some(fast) => fast,
            None if !signed || matches!(op, BinOp::Eq | BinOp::Ne) => Fast::U64,
            None => return None,
        };
        let (op, left, right) =
            if program.constant(left).is_some() { (mirrored(op), right, left) } else { (op, left, right) };
        let a = self.value(left);
        if let Some(instr) = program.constant(right).and_then(|bits| immediate_jump(op, fast, a, bits, self.pending()))
        {
            self.take_steps();
            return Some(self.emit(instr));
        }
        let b = self.value(right);
        let steps = self.take_steps();
        let (op, a, b) = match op {
            BinOp::Gt => (BinOp::Lt, b, a),
            BinOp::Ge => (BinOp::Le, b, a),
            other => (other, a, b),
        };
        let target = 0;
        Some(self.emit(match (op, fast) {
            (BinOp::Eq, _) => Instr::BrEq { a, b, target, steps },
            (BinOp::Ne, _) => Instr::BrNe { a, b, target, steps },
            (BinOp::Lt, Fast::S32) => Instr::BrLtS32 { a, b, target, steps },
            (BinOp::Lt, Fast::S64) => Instr::BrLtS64 { a, b, target, steps },
            (BinOp::Lt, _) => Instr::BrLtU { a, b, target, steps },
            (_, Fast::S32) => Instr::BrLeS32 { a, b, target, steps },
            (_, Fast::S64) => Instr::BrLeS64 { a, b, target, steps },
            (_, _) => Instr::BrLeU { a, b, target, steps },
        }))
    }
}

fn inverse(op: BinOp) -> BinOp {
    match op {
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        BinOp::Lt => BinOp::Ge,
        BinOp::Ge => BinOp::Lt,
        BinOp::Gt => BinOp::Le,
        BinOp::Le => BinOp::Gt,
        other => other,
    }
}

/// The comparison with its operands exchanged.
fn mirrored(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Gt => BinOp::Lt,
        BinOp::Le => BinOp::Ge,
        BinOp::Ge => BinOp::Le,
        other => other,
    }
}

/// A comparison with a constant as a jump, where the constant fits; `>` and `<=` become `>=` and `<` of the next number.
fn immediate_jump(op: BinOp, fast: Fast, a: Slot, bits: Bits, steps: u16) -> Option<Instr> {
    let target = 0;
    let next = matches!(op, BinOp::Gt | BinOp::Le) as i128;
    let below = matches!(op, BinOp::Lt | BinOp::Le);
    Some(match (op, fast) {
        (BinOp::Eq, _) => Instr::BrEqI { a, b: u32::try_from(bits.lo).ok()?, target, steps },
        (BinOp::Ne, _) => Instr::BrNeI { a, b: u32::try_from(bits.lo).ok()?, target, steps },
        (_, Fast::S32) => {
            let b = i32::try_from(bits.lo as u32 as i32 as i128 + next).ok()?;
            if below { Instr::BrLtS32I { a, b, target, steps } } else { Instr::BrGeS32I { a, b, target, steps } }
        }
        (_, Fast::S64) => {
            let b = i32::try_from(bits.lo as i64 as i128 + next).ok()?;
            if below { Instr::BrLtS64I { a, b, target, steps } } else { Instr::BrGeS64I { a, b, target, steps } }
        }
        (_, Fast::U32 | Fast::U64) => {
            let b = u32::try_from(bits.lo as i128 + next).ok()?;
            if below { Instr::BrLtUI { a, b, target, steps } } else { Instr::BrGeUI { a, b, target, steps } }
        }
    })
}

/// The instruction with a constant on its right, where there is one. `narrow_amount`: a shift's amount is no wide constant.
fn immediate(op: BinOp, fast: Fast, d: Slot, a: Slot, bits: Bits, narrow_amount: bool) -> Option<Instr> {
    use Fast::*;
    let wide = matches!(fast, S64 | U64);
    let width = if wide { 64 } else { 32 };
    // Arithmetic immediates are sign-extended, those of logic are not.
    let signed = if wide { i32::try_from(bits.lo as i64).ok() } else { Some(bits.lo as u32 as i32) };
    let unsigned = u32::try_from(bits.lo).ok();
    let amount = unsigned.filter(|amount| narrow_amount && *amount < width);
    Some(match (op, fast) {
        (BinOp::Add, S32) => Instr::AddS32I { d, a, b: signed? },
        (BinOp::Add, S64) => Instr::AddS64I { d, a, b: signed? },
        (BinOp::Add, U32) => Instr::Add32I { d, a, b: signed? },
        (BinOp::Add, U64) => Instr::Add64I { d, a, b: signed? },
        (BinOp::Sub, S32) => Instr::SubS32I { d, a, b: signed? },
        (BinOp::Sub, S64) => Instr::SubS64I { d, a, b: signed? },
        (BinOp::Sub, U32) => Instr::Add32I { d, a, b: signed?.wrapping_neg() },
        (BinOp::Sub, U64) => Instr::Add64I { d, a, b: signed?.checked_neg()? },
        (BinOp::Mul, S32) => Instr::MulS32I { d, a, b: signed? },
        (BinOp::Mul, S64) => Instr::MulS64I { d, a, b: signed? },
        (BinOp::Mul, U32) => Instr::Mul32I { d, a, b: signed? },
        (BinOp::Mul, U64) => Instr::Mul64I { d, a, b: signed? },
        (BinOp::And, _) => Instr::AndI { d, a, b: unsigned? },
        (BinOp::Or, _) => Instr::OrI { d, a, b: unsigned? },
        (BinOp::Xor, _) => Instr::XorI { d, a, b: unsigned? },
        (BinOp::Shl, S32) => Instr::ShlS32I { d, a, b: amount? },
        (BinOp::Shl, S64) => Instr::ShlS64I { d, a, b: amount? },
        (BinOp::Shl, U32) => Instr::ShlU32I { d, a, b: amount? },
        (BinOp::Shl, U64) => Instr::ShlU64I { d, a, b: amount? },
        (BinOp::Shr, S32) => Instr::ShrS32I { d, a, b: amount? },
        (BinOp::Shr, S64) => Instr::ShrS64I { d, a, b: amount? },
        (BinOp::Shr, _) => Instr::ShrUI { d, a, b: amount? },
        (BinOp::Eq, _) => Instr::EqI { d, a, b: unsigned? },
        (BinOp::Ne, _) => Instr::NeI { d, a, b: unsigned? },
        _ => return None,
    })
}

fn integer(op: BinOp, fast: Fast, d: Slot, a: Slot, b: Slot) -> Option<Instr> {
    use Fast::*;
    let signed = matches!(fast, S32 | S64);
    Some(match (op, fast) {
        (BinOp::Add, S32) => Instr::AddS32 { d, a, b },
        (BinOp::Add, S64) => Instr::AddS64 { d, a, b },
        (BinOp::Add, U32) => Instr::Add32 { d, a, b },
        (BinOp::Add, U64) => Instr::Add64 { d, a, b },
        (BinOp::Sub, S32) => Instr::SubS32 { d, a, b },
        (BinOp::Sub, S64) => Instr::SubS64 { d, a, b },
        (BinOp::Sub, U32) => Instr::Sub32 { d, a, b },
        (BinOp::Sub, U64) => Instr::Sub64 { d, a, b },
        (BinOp::Mul, S32) => Instr::MulS32 { d, a, b },
        (BinOp::Mul, S64) => Instr::MulS64 { d, a, b },
        (BinOp::Mul, U32) => Instr::Mul32 { d, a, b },
        (BinOp::Mul, U64) => Instr::Mul64 { d, a, b },
        (BinOp::Div, S32) => Instr::DivS32 { d, a, b },
        (BinOp::Div, S64) => Instr::DivS64 { d, a, b },
        (BinOp::Rem, S32) => Instr::RemS32 { d, a, b },
        (BinOp::Rem, S64) => Instr::RemS64 { d, a, b },
        (BinOp::Shl, S32) => Instr::ShlS32 { d, a, b },
        (BinOp::Shl, S64) => Instr::ShlS64 { d, a, b },
        (BinOp::Shl, U32) => Instr::ShlU32 { d, a, b },
        (BinOp::Shl, U64) => Instr::ShlU64 { d, a, b },
        (BinOp::Shr, S32) => Instr::ShrS32 { d, a, b },
        (BinOp::Shr, S64) => Instr::ShrS64 { d, a, b },
        (BinOp::Shr, U32) => Instr::ShrU32 { d, a, b },
        (BinOp::Shr, U64) => Instr::ShrU64 { d, a, b },
        (BinOp::Lt, S32) => Instr::LtS32 { d, a, b },
        (BinOp::Lt, S64) => Instr::LtS64 { d, a, b },
        (BinOp::Le, S32) => Instr::LeS32 { d, a, b },
        (BinOp::Le, S64) => Instr::LeS64 { d, a, b },
        (BinOp::Gt, S32) => Instr::LtS32 { d, a: b, b: a },
        (BinOp::Gt, S64) => Instr::LtS64 { d, a: b, b: a },
        (BinOp::Ge, S32) => Instr::LeS32 { d, a: b, b: a },
        (BinOp::Ge, S64) => Instr::LeS64 { d, a: b, b: a },
        _ => return sign_free(op, signed, d, a, b),
    })
}

/// What works on zero-extended slots of any width.
fn sign_free(op: BinOp, signed: bool, d: Slot, a: Slot, b: Slot) -> Option<Instr> {
    Some(match op {
        BinOp::And => Instr::And { d, a, b },
        BinOp::Or => Instr::Or { d, a, b },
        BinOp::Xor => Instr::Xor { d, a, b },
        BinOp::Eq => Instr::Eq { d, a, b },
        BinOp::Ne => Instr::Ne { d, a, b },
        _ if signed => return None,
        BinOp::Div => Instr::DivU { d, a, b },
        BinOp::Rem => Instr::RemU { d, a, b },
        BinOp::Lt => Instr::LtU { d, a, b },
        BinOp::Le => Instr::LeU { d, a, b },
        BinOp::Gt => Instr::LtU { d, a: b, b: a },
        BinOp::Ge => Instr::LeU { d, a: b, b: a },
        _ => return None,
    })
}

fn float32(op: BinOp, d: Slot, a: Slot, b: Slot) -> Option<Instr> {
    Some(match op {
        BinOp::Add => Instr::AddF32 { d, a, b },
        BinOp::Sub => Instr::SubF32 { d, a, b },
        BinOp::Mul => Instr::MulF32 { d, a, b },
        BinOp::Div => Instr::DivF32 { d, a, b },
        BinOp::Eq => Instr::EqF32 { d, a, b },
        BinOp::Lt => Instr::LtF32 { d, a, b },
        BinOp::Le => Instr::LeF32 { d, a, b },
        BinOp::Gt => Instr::LtF32 { d, a: b, b: a },
        BinOp::Ge => Instr::LeF32 { d, a: b, b: a },
        _ => return None,
    })
}

fn float64(op: BinOp, d: Slot, a: Slot, b: Slot) -> Option<Instr> {
    Some(match op {
        BinOp::Add => Instr::AddF64 { d, a, b },
        BinOp::Sub => Instr::SubF64 { d, a, b },
        BinOp::Mul => Instr::MulF64 { d, a, b },
        BinOp::Div => Instr::DivF64 { d, a, b },
        BinOp::Eq => Instr::EqF64 { d, a, b },
        BinOp::Lt => Instr::LtF64 { d, a, b },
        BinOp::Le => Instr::LeF64 { d, a, b },
        BinOp::Gt => Instr::LtF64 { d, a: b, b: a },
        BinOp::Ge => Instr::LeF64 { d, a: b, b: a },
        _ => return None,
    })
}

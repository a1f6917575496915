//! What the dispatch loop does not do itself: wide arithmetic, lifetimes, bit-fields, records, inputs, ends of the run, and all calls that are
//! more than a copy of slots.

use super::code::*;
use super::machine::{Machine, Stop};
use super::memory::{Memory, ObjectKind};
use super::*;
use crate::const_bits::Writes;
use crate::eval::{self, Scalar};
use crate::program::Body;
use crate::types::{BitRange, FunctionType, Type, TypeTable};
use std::rc::Rc;

/// Bytes of memory that hold a scalar's value.
pub(super) fn stored_bytes(types: &TypeTable, ty: TypeId) -> u64 {
    match eval::scalar(types, ty) {
        Scalar::Int { width, .. } => width.div_ceil(8) as u64,
        Scalar::F32 => 4,
        Scalar::F64 => 8,
        Scalar::X87 => 10,
    }
}

fn bits_of_bytes(types: &TypeTable, ty: TypeId, bytes: &[u8]) -> Bits {
    let mut value = [0; 16];
    value[..bytes.len()].copy_from_slice(bytes);
    // Of a `_Bool`'s byte only the lowest bit counts.
    eval::truncate(u128::from_le_bytes(value), types.scalar_bits(ty))
}

impl Memory {
    pub(super) fn load_scalar(&self, types: &TypeTable, address: u64, at: i64, ty: TypeId) -> Result<Bits, Fault> {
        Ok(bits_of_bytes(types, ty, self.read(address, at, stored_bytes(types, ty))?))
    }

    pub(super) fn store_scalar(
        &mut self,
        types: &TypeTable,
        address: u64,
        at: i64,
        ty: TypeId,
        bits: Bits,
    ) -> Result<(), Fault> {
        let length = stored_bytes(types, ty);
        let bytes = self.write(address, at, length)?;
        bytes.copy_from_slice(&bits.get().to_le_bytes()[..length as usize]);
        self.mark_written(address, at, length);
        Ok(())
    }

    pub(super) fn load_bits(&self, types: &TypeTable, address: u64, field: &BitAccess) -> Result<Bits, Fault> {
        let BitRange { start, width } = field.range;
        let length = field.range.bytes();
        let mut bytes = [0; 16];
        bytes[..length as usize].copy_from_slice(self.read(address, field.address.at, length)?);
        let raw = Bits::new(u128::from_le_bytes(bytes) >> start);
        let value = eval::extend(raw, width as u32, types.is_signed(field.ty));
        Ok(eval::truncate(value as u128, types.scalar_bits(field.ty)))
    }

    pub(super) fn store_bits(&mut self, address: u64, field: &BitAccess, value: Bits) -> Result<(), Fault> {
        let BitRange { start, width } = field.range;
        let target = self.write_bits(address, field.address.at, field.range)?;
        let length = target.len();
        let mut bytes = [0; 16];
        bytes[..length].copy_from_slice(target);
        let mask = ((1u128 << width) - 1) << start;
        let merged = (u128::from_le_bytes(bytes) & !mask) | (value.get() << start & mask);
        target.copy_from_slice(&merged.to_le_bytes()[..length]);
        Ok(())
    }
}

/// A value on its way into a parameter.
pub(super) enum Passed {
    Scalar(Bits),
    /// A record in memory.
    At(u64),
    Bytes(Vec<u8>),
    /// Nothing was passed: arbitrary.
    Missing,
}

impl Machine<'_> {
    /// The value of a scalar in slots.
    pub(super) fn get(&self, base: usize, slot: Slot, ty: TypeId) -> Bits {
        let at = base + slot as usize;
        let wide = self.program.types.scalar_bits(ty) > 64;
        Bits { lo: self.slots[at], hi: if wide { self.slots[at + 1] } else { 0 } }
    }

    pub(super) fn set(&mut self, base: usize, slot: Slot, ty: TypeId, bits: Bits) {
        let at = base + slot as usize;
        self.slots[at] = bits.lo;
        if self.program.types.scalar_bits(ty) > 64 {
            self.slots[at + 1] = bits.hi;
        }
    }

    /// Arbitrary bits of a scalar type.
    fn arbitrary(&mut self, request: FillRequest, ty: TypeId) -> Bits {
        let mut bytes = [0; 16];
        let length = stored_bytes(&self.program.types, ty) as usize;
        self.fill(request, &mut bytes[..length]);
        bits_of_bytes(&self.program.types, ty, &bytes[..length])
    }

    /// A fresh object for a variable; the old one, if there was one, ends.
    pub(super) fn declare(&mut self, base: usize, slot: Slot, var: VarId, edge: Option<EdgeId>) -> Result<(), Stop> {
        let address = self.slots[base + slot as usize];
        let number = if address == 0 {
            let size = self.program.types.size_of(self.program.vars[var].ty).unwrap_or(0);
            let number = self.memory.allocate(size, ObjectKind::Local(var))?;
            self.slots[base + slot as usize] = self.memory.objects[number].base;
            number
        } else {
            // A jump back to before the declaration does not end the lifetime, which is that of the block.
            let (number, _) = self.memory.resolve(address);
            self.memory.clear(number);
            number
        };
        self.fill_object(FillRequest::Local { var, edge }, number);
        Ok(())
    }

    fn kill_slot(&mut self, base: usize, slot: Slot) {
        let address = std::mem::take(&mut self.slots[base + slot as usize]);
        if address != 0 {
            let (number, _) = self.memory.resolve(address);
            self.memory.kill(number);
        }
    }

    pub(super) fn alloca(&mut self, owner: Option<VarId>, size: u64, edge: EdgeId) -> Result<u64, Stop> {
        let number = self.memory.allocate(size, ObjectKind::Alloca)?;
        self.fill_object(FillRequest::Allocation { edge }, number);
        // The declared elements may have `const` members, and nothing initializes them.
        if let Some(element) = owner.and_then(|var| self.program.types.pointee(self.program.vars[var].ty)) {
            self.memory.objects[number].writes = Writes::of(&self.program.types, element);
        }
        self.allocas.push((self.frames.len(), owner, number));
        Ok(self.memory.objects[number].base)
    }

    fn kill_allocas(&mut self, owner: VarId) {
        let depth = self.frames.len();
        let mine = |entry: &(usize, Option<VarId>, usize)| entry.0 == depth && entry.1 == Some(owner);
        while let Some(at) = self.allocas.iter().rposition(mine) {
            let (_, _, number) = self.allocas.remove(at);
            self.memory.kill(number);
        }
    }

    pub(super) fn slow(&mut self, code: &Code, base: usize, index: u32) -> Result<(), Stop> {
        let types = &self.program.types;
        match code.slow[index as usize] {
            Slow::Unary { op, ty, d, a } => {
                let value = eval::unary(types, op, ty, self.get(base, a, ty));
                self.notice_fault(value.fault)?;
                let result = if op == crate::UnOp::Not { TypeId::INT } else { ty };
                self.set(base, d, result, value.bits);
            }
            Slow::Binary { op, ty, right, d, a, b } => {
                let (left, amount) = (self.get(base, a, ty), self.get(base, b, right));
                let value = eval::binary(types, op, ty, left, amount, right)?;
                self.notice_fault(value.fault)?;
                let result = if op.is_comparison() { TypeId::INT } else { ty };
                self.set(base, d, result, value.bits);
            }
            Slow::Cast { from, to, d, a } => {
                let bits = self.get(base, a, from);
                if !eval::fits(types, from, to, bits) {
                    return Err(Stop::Fault(Fault::FloatConversion));
                }
                self.set(base, d, to, eval::cast(types, from, to, bits));
            }
            Slow::PtrAdd { d, a, b, stride } => {
                let count = self.slots[base + b as usize] as i64;
                self.slots[base + d as usize] = self.memory.offset(self.slots[base + a as usize], count, stride);
            }
            Slow::PtrDiff { d, a, b, stride } => {
                let (a, b) = (self.slots[base + a as usize], self.slots[base + b as usize]);
                self.slots[base + d as usize] = self.pointer_difference(a, b, stride);
            }
            Slow::Address { d, address } => {
                let (start, at) = self.address(code, base, address)?;
                self.slots[base + d as usize] = self.memory.offset(start, at, 1);
            }
            Slow::Load { d, address, ty } => {
                let (start, at) = self.address(code, base, address)?;
                let bits = self.memory.load_scalar(types, start, at, ty)?;
                self.set(base, d, ty, bits);
            }
            Slow::Store { s, address, ty } => {
                let (start, at) = self.address(code, base, address)?;
                let bits = self.get(base, s, ty);
                self.memory.store_scalar(types, start, at, ty, bits)?;
            }
            Slow::LoadBits { d, bits } => {
                let (start, _) = self.address(code, base, bits.address)?;
                let value = self.memory.load_bits(types, start, &bits)?;
                self.set(base, d, bits.ty, value);
            }
            Slow::StoreBits { s, bits } => {
                let (start, _) = self.address(code, base, bits.address)?;
                let value = self.get(base, s, bits.ty);
                self.memory.store_bits(start, &bits, value)?;
            }
            Slow::CheckWritten { address, length } => {
                let (start, at) = self.address(code, base, address)?;
                self.memory.read(start, at, length)?;
                if !self.memory.is_written(start, at, length) {
                    return Err(Stop::Fault(Fault::Uninitialized));
                }
            }
            Slow::MarkWritten { address, length } => {
                let (start, at) = self.address(code, base, address)?;
                self.memory.mark_written(start, at, length);
            }
            Slow::Copy { to, from, length } => {
                let (source, from_at) = self.address(code, base, from)?;
                let (target, to_at) = self.address(code, base, to)?;
                self.memory.copy(target, to_at, source, from_at, length)?;
            }
            Slow::Fill { d, var, ty, edge } => {
                let bits = self.arbitrary(FillRequest::Local { var, edge: Some(edge) }, ty);
                self.set(base, d, ty, bits);
            }
            Slow::Declare { slot, var, edge } => self.declare(base, slot, var, Some(edge))?,
            Slow::Kill { slot } => self.kill_slot(base, slot),
            Slow::Alloca { owner, d, size, edge } => {
                let size = self.slots[base + size as usize];
                self.slots[base + d as usize] = self.alloca(Some(owner), size, edge)?;
            }
            Slow::KillAlloca { owner } => self.kill_allocas(owner),
            Slow::Input { d, ty, kind, edge } => {
                let bits = self.input(InputRequest { source: InputSource::Edge { edge, kind }, ty })?;
                self.set(base, d, ty, bits);
            }
            Slow::ResultScalar { d, ty, edge } => {
                let bits = if self.returned.given {
                    self.returned.bits
                } else if self.misses_results() {
                    return Err(Stop::Fault(Fault::MissingReturn));
                } else {
                    self.arbitrary(FillRequest::Result { edge }, ty)
                };
                self.set(base, d, ty, bits);
            }
            Slow::ResultRecord { to, ty, edge } => self.take_record(code, base, to, ty, edge)?,
            Slow::SetWide { a } => {
                let at = base + a as usize;
                self.returned.bits = Bits { lo: self.slots[at], hi: self.slots[at + 1] };
                self.returned.given = true;
            }
            Slow::SetRecord { from, length } => {
                let (start, at) = self.address(code, base, from)?;
                self.returned.bytes = self.memory.read(start, at, length)?.to_vec();
                let (number, offset) = self.memory.resolve(start);
                let first = offset.wrapping_add(at as u64) as usize;
                let flags = self.memory.objects[number].written.get(first..first + length as usize);
                self.returned.written = flags.map_or(Vec::new(), <[bool]>::to_vec);
                self.returned.given = true;
            }
            Slow::AssumptionFailed => return Err(Stop::End(Outcome::AssumptionFailed)),
            Slow::AssertionFailed { property } => {
                let asked = self.config.properties.contains(property);
                let violation = Outcome::Violation { property, fault: None };
                return Err(Stop::End(if asked { violation } else { Outcome::Aborted }));
            }
            Slow::Halt { code: None } => return Err(Stop::End(Outcome::Aborted)),
            Slow::Halt { code: Some(slot) } => {
                return Err(Stop::End(Outcome::Finished(self.slots[base + slot as usize] as i32)));
            }
            Slow::Poison { reason } => {
                return Err(Stop::End(Outcome::Poison(PoisonReason::Construct(reason))));
            }
            Slow::Stuck => return Err(Stop::Fault(Fault::Unreachable)),
        }
        Ok(())
    }

    pub(super) fn notice_fault(&mut self, fault: Option<Fault>) -> Result<(), Stop> {
        fault.map_or(Ok(()), |fault| self.notice_here(fault))
    }

    /// In elements, as `ptrdiff_t`.
    pub(super) fn pointer_difference(&self, a: u64, b: u64, stride: u64) -> u64 {
        let stride = (stride as i64).max(1);
        match self.pointer_type_bits() {
            32 => (((a as u32).wrapping_sub(b as u32) as i32 as i64) / stride) as u32 as u64,
            _ => ((a.wrapping_sub(b) as i64) / stride) as u64,
        }
    }

    /// Whether it is a fault to use the value of a function that returned none.
    fn misses_results(&self) -> bool {
        self.config.properties.contains(Property::Initialized) || self.memory.tracks_written()
    }

    fn take_record(&mut self, code: &Code, base: usize, to: Address, ty: TypeId, edge: EdgeId) -> Result<(), Stop> {
        let length = self.program.types.size_of(ty).unwrap_or(0);
        let (start, at) = self.address(code, base, to)?;
        if !self.returned.given && self.misses_results() {
            return Err(Stop::Fault(Fault::MissingReturn));
        }
        if !self.returned.given {
            let mut bytes = vec![0; length as usize];
            self.fill(FillRequest::Result { edge }, &mut bytes);
            self.returned.bytes = bytes;
            self.returned.written = Vec::new();
        }
        self.memory.write(start, at, length)?.copy_from_slice(&self.returned.bytes);
        self.memory.mark_written(start, at, length);
        let (number, offset) = self.memory.resolve(start);
        let first = offset.wrapping_add(at as u64) as usize;
        if !self.returned.written.is_empty() {
            let flags = &mut self.memory.objects[number].written[first..first + length as usize];
            flags.copy_from_slice(&self.returned.written);
        }
        Ok(())
    }

    /// Any call but a simple one. Either a frame is pushed, or the call is over and its result is in `returned`.
    pub(super) fn call(&mut self, code: &Code, base: usize, site: &CallSite) -> Result<(), Stop> {
        let program = self.program;
        let function = match site.callee {
            CalleeSlot::Direct(function) => function,
            CalleeSlot::Indirect(slot) => {
                let (number, offset) = self.memory.resolve(self.slots[base + slot as usize]);
                match self.memory.objects[number].kind {
                    ObjectKind::Function(function) if offset == 0 => match self.fits(function, site) {
                        true => function,
                        false => return Err(Stop::Fault(Fault::CallMismatch)),
                    },
                    _ => return Err(Stop::Fault(Fault::BadCall)),
                }
            }
        };
        match &program.functions[function].body {
            Body::Defined(_) => {
                let callee = self.code_of(function);
                let passed = self.pass(&callee, base, site)?;
                self.enter(callee, passed, Some(site.edge))
            }
            Body::Library(library) => {
                let value = |arg: &Argument| {
                    let scalar = program.types.is_scalar(arg.ty);
                    let bits = if scalar { self.get(base, arg.slot, arg.ty) } else { Bits::ZERO };
                    (arg.ty, bits)
                };
                let mut args: Vec<(TypeId, Bits)> = site.args.iter().map(value).collect();
                if let CalleeSlot::Indirect(_) = site.callee {
                    args.retain(|(ty, _)| !program.is_argument_list(*ty));
                }
                let result = self.library(*library, function, site, &args)?;
                self.returned.given = result.is_some();
                self.returned.bits = result.unwrap_or_default();
                if let Some(ty) = site.result.filter(|ty| program.types.is_scalar(*ty)) {
                    self.returned.bits = eval::truncate(self.returned.bits.get(), program.types.scalar_bits(ty));
                }
                Ok(())
            }
            Body::Undefined => {
                debug_assert!(code.function.0 < program.functions.len() as u32);
                self.external(function, site)
            }
        }
    }

    /// The result of a function that is declared only.
    pub(super) fn external(&mut self, function: FuncId, site: &CallSite) -> Result<(), Stop> {
        self.returned.given = false;
        if let Some(ty) = site.result.filter(|ty| self.program.types.is_scalar(*ty)) {
            self.returned.bits = self.external_input(function, site.edge, ty)?;
            self.returned.given = true;
        }
        Ok(())
    }

    pub(super) fn external_input(&mut self, function: FuncId, edge: EdgeId, ty: TypeId) -> Result<Bits, Stop> {
        let source = InputSource::Edge { edge, kind: InputKind::External(function) };
        self.input(InputRequest { source, ty })
    }

    fn signature(&self, function: FuncId) -> Option<&FunctionType> {
        match self.program.types.get(self.program.functions[function].ty) {
            Type::Function(signature) => Some(signature),
            _ => None,
        }
    }

    /// Whether arguments and result of an indirect call are what the function takes and gives, as the calling convention sees them.
    fn fits(&self, function: FuncId, site: &CallSite) -> bool {
        let Some(signature) = self.signature(function) else { return false };
        let result_fits = site.result.is_none_or(|ty| self.same_class(ty, signature.result));
        if signature.unprototyped {
            return result_fits;
        }
        let enough = site.args.len() == signature.params.len()
            || (signature.variadic && site.args.len() >= signature.params.len());
        // A function with a body finds its variable arguments by a list.
        let wanted = self.program.functions[function].params.get(signature.params.len());
        if let Some(list) = wanted.filter(|_| signature.variadic)
            && site.args.get(signature.params.len()).is_none_or(|arg| arg.ty != self.program.vars[*list].ty)
        {
            return false;
        }
        let pairs = signature.params.iter().zip(&site.args);
        result_fits && enough && pairs.into_iter().all(|(param, arg)| self.same_class(*param, arg.ty))
    }

    fn same_class(&self, a: TypeId, b: TypeId) -> bool {
        let types = &self.program.types;
        match (types.is_scalar(a), types.is_scalar(b)) {
            (true, true) => types.size_of(a) == types.size_of(b) && a.float_kind() == b.float_kind(),
            (false, false) => a == b || types.size_of(a) == types.size_of(b),
            _ => false,
        }
    }

    /// The arguments of a call as a function's parameters take them.
    fn pass(&mut self, callee: &Rc<Code>, base: usize, site: &CallSite) -> Result<Vec<Passed>, Stop> {
        let types = &self.program.types;
        let mut passed = Vec::with_capacity(callee.params.len());
        for (index, param) in callee.params.iter().enumerate() {
            passed.push(match site.args.get(index) {
                None => Passed::Missing,
                Some(arg) if param.record == types.is_scalar(arg.ty) => return Err(Stop::Fault(Fault::CallMismatch)),
                // A number of another kind is passed elsewhere (C11 6.5.2.2p6).
                Some(arg) if !param.record && param.ty.float_kind() != arg.ty.float_kind() => {
                    return Err(Stop::Fault(Fault::CallMismatch));
                }
                Some(arg) if param.record => Passed::At(self.slots[base + arg.slot as usize]),
                Some(arg) => {
                    let bits = self.get(base, arg.slot, arg.ty);
                    Passed::Scalar(eval::truncate(bits.get(), types.scalar_bits(param.ty)))
                }
            });
        }
        Ok(passed)
    }

    /// Enters a function. Faults of the parameters happen before its frame exists, so they belong to the call.
    pub(super) fn enter(&mut self, code: Rc<Code>, passed: Vec<Passed>, edge: Option<EdgeId>) -> Result<(), Stop> {
        if self.frames.len() >= self.config.max_depth as usize {
            return Err(Stop::End(Outcome::Limit(Limit::Depth)));
        }
        let types = &self.program.types;
        let mut values = Vec::with_capacity(passed.len());
        for (param, passed) in code.params.iter().zip(passed) {
            let request = FillRequest::Local { var: param.var, edge };
            let missing = matches!(passed, Passed::Missing);
            let bits = match passed {
                Passed::Scalar(bits) => bits,
                Passed::Missing if !param.record => self.arbitrary(request, param.ty),
                _ => Bits::ZERO,
            };
            if let Home::Slot(_) = param.home {
                if missing && self.memory.tracks_written() {
                    return Err(Stop::Fault(Fault::Uninitialized));
                }
                values.push(bits);
                continue;
            }
            let number = self.memory.allocate(param.size, ObjectKind::Local(param.var))?;
            let address = self.memory.objects[number].base;
            match passed {
                Passed::At(source) => self.memory.copy(address, 0, source, 0, param.size)?,
                Passed::Bytes(bytes) => {
                    self.memory.write(address, 0, bytes.len() as u64)?.copy_from_slice(&bytes);
                    self.memory.mark_written(address, 0, param.size);
                }
                Passed::Missing if param.record => self.fill_object(request, number),
                _ => {
                    self.memory.store_scalar(types, address, 0, param.ty, bits)?;
                    if missing && self.memory.tracks_written() {
                        self.memory.objects[number].written.fill(false);
                    }
                }
            }
            values.push(Bits { lo: address, hi: 0 });
        }
        let base = self.slots.len();
        self.slots.resize(base + code.slots as usize, 0);
        for (param, value) in code.params.iter().zip(values) {
            let (Home::Slot(slot) | Home::Local(slot)) = param.home else { continue };
            let at = base + slot as usize;
            self.slots[at] = value.lo;
            if param.wide && matches!(param.home, Home::Slot(_)) {
                self.slots[at + 1] = value.hi;
            }
        }
        self.push_frame(code, base, edge);
        Ok(())
    }
}

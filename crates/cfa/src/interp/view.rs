//! What an observer can see of a run: the current activation, the stack, memory, and the value of any expression in that state. The evaluation
//! walks the tree and shares nothing with the bytecode but memory and [`crate::eval`], so each can be tested against the other.

use super::code::{Address, Base, BitAccess, Home};
use super::machine::{Frame, Machine};
use super::places::is_flexible;
use super::*;
use crate::eval;
use crate::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use crate::types::Type;
use std::collections::BTreeMap;

pub struct View<'a, 'r> {
    machine: &'a Machine<'r>,
    /// How many activations above are not looked at.
    above: usize,
    /// Whether arithmetic that overflows, or shifts too far, has no value.
    strict: bool,
    /// Variables that stand for values: those of a contract.
    names: Option<&'a BTreeMap<VarId, Bits>>,
}

impl<'a, 'r> View<'a, 'r> {
    pub(super) fn new(machine: &'a Machine<'r>) -> Self {
        View { machine, above: 0, strict: false, names: None }
    }

    /// The same state, seen by the function that called the current one.
    pub fn caller(&self) -> View<'a, 'r> {
        View { above: self.above + 1, ..*self }
    }

    /// The same state, where [`View::value`] is an error for arithmetic that is undefined in C.
    pub fn strict(&self) -> View<'a, 'r> {
        View { strict: true, ..*self }
    }

    /// The same state, where some variables stand for given values.
    pub fn with_names(&self, names: &'a BTreeMap<VarId, Bits>) -> View<'a, 'r> {
        View { names: Some(names), ..*self }
    }

    fn settled(&self, value: eval::Value) -> Result<Bits, Fault> {
        match value.fault.filter(|_| self.strict) {
            Some(fault) => Err(fault),
            None => Ok(value.bits),
        }
    }

    pub fn program(&self) -> &'r Program {
        self.machine.program
    }

    /// What was written to the standard output until now.
    pub fn stdout(&self) -> &'a [u8] {
        &self.machine.libc.stdout
    }

    /// Calls under way, the entry function's included.
    pub fn depth(&self) -> usize {
        self.machine.frames.len().saturating_sub(self.above)
    }

    /// The function that runs.
    pub fn function(&self) -> Option<FuncId> {
        self.frame().map(|frame| frame.code.function)
    }

    /// The edges of the calls under way, outermost first.
    pub fn call_stack(&self) -> Vec<EdgeId> {
        self.machine.call_stack()
    }

    fn frame(&self) -> Option<&'a Frame> {
        self.machine.frames.iter().rev().nth(self.above)
    }

    fn home(&self, var: VarId) -> Option<Home> {
        let own = self.frame().and_then(|frame| frame.code.home(var));
        own.or_else(|| match self.machine.statics.by_var[var.0 as usize].0 {
            0 => None,
            number => Some(Home::Object(number)),
        })
    }

    /// The address of a variable that lives in memory.
    pub fn address_of(&self, var: VarId) -> Option<u64> {
        match self.home(var)? {
            Home::Slot(_) => None,
            Home::Object(number) => Some(self.machine.memory.objects[number as usize].base),
            Home::Local(slot) => {
                let address = self.machine.slots[self.frame()?.base + slot as usize];
                (address != 0).then_some(address)
            }
        }
    }

    /// The value of a scalar variable of the current activation or of static lifetime.
    pub fn variable(&self, var: VarId) -> Option<Bits> {
        let ty = self.program().vars[var].ty;
        if !self.program().types.is_scalar(ty) {
            return None;
        }
        match self.home(var)? {
            Home::Slot(slot) => Some(self.machine.get(self.frame()?.base, slot, ty)),
            _ => self.machine.memory.load_scalar(&self.program().types, self.address_of(var)?, 0, ty).ok(),
        }
    }

    /// Valid memory.
    pub fn bytes(&self, address: u64, length: u64) -> Result<&'a [u8], Fault> {
        self.machine.memory.read(address, 0, length)
    }

    /// The object that an address belongs to, and the offset in it.
    pub fn object(&self, address: u64) -> Option<(&'a Object, i64)> {
        let (number, offset) = self.machine.memory.resolve(address);
        (number != 0).then(|| (&self.machine.memory.objects[number], offset as i64))
    }

    /// The function at an address.
    pub fn function_at(&self, address: u64) -> Option<FuncId> {
        match self.object(address)? {
            (Object { kind: ObjectKind::Function(function), .. }, 0) => Some(*function),
            _ => None,
        }
    }

    /// The value of a scalar expression in this state.
    pub fn value(&self, expr: ExprId) -> Result<Bits, Fault> {
        let program = self.program();
        let types = &program.types;
        let ty = program.exprs[expr].ty;
        match program.exprs[expr].kind {
            ExprKind::Const(bits) => Ok(bits),
            ExprKind::FuncAddr(function) => Ok(word(self.machine.statics.functions[function.0 as usize])),
            ExprKind::Read(place) => self.read(place),
            ExprKind::AddrOf(place) => {
                let (start, at) = self.place(place, false)?;
                Ok(word(self.machine.memory.offset(start, at, 1)))
            }
            ExprKind::Unary(op, a) => self.settled(eval::unary(types, op, program.exprs[a].ty, self.value(a)?)),
            ExprKind::Binary(op, a, b) => {
                let (left, right) = (program.exprs[a].ty, program.exprs[b].ty);
                self.settled(eval::binary(types, op, left, self.value(a)?, self.value(b)?, right)?)
            }
            ExprKind::Cast(a) => {
                let (from, bits) = (program.exprs[a].ty, self.value(a)?);
                match eval::fits(types, from, ty, bits) {
                    true => Ok(eval::cast(types, from, ty, bits)),
                    false => Err(Fault::FloatConversion),
                }
            }
            ExprKind::PtrAdd(pointer, index) => self.moved(pointer, index, 1),
            ExprKind::PtrSub(pointer, index) => self.moved(pointer, index, -1),
            ExprKind::PtrDiff(a, b) => {
                let stride = self.stride(program.exprs[a].ty);
                Ok(word(self.machine.pointer_difference(self.value(a)?.lo, self.value(b)?.lo, stride)))
            }
        }
    }

    fn stride(&self, pointer: TypeId) -> u64 {
        let types = &self.program().types;
        types.pointee(pointer).and_then(|target| types.stride(target)).unwrap_or(1)
    }

    fn moved(&self, pointer: ExprId, index: ExprId, direction: i128) -> Result<Bits, Fault> {
        let program = self.program();
        let count = eval::to_i128(&program.types, program.exprs[index].ty, self.value(index)?);
        let stride = self.stride(program.exprs[pointer].ty);
        // Addresses wrap at the width of a pointer.
        let count = match self.machine.pointer_type_bits() {
            32 => (count * direction) as i32 as i64,
            _ => (count * direction) as i64,
        };
        Ok(word(self.machine.memory.offset(self.value(pointer)?.lo, count, stride)))
    }

    fn read(&self, place: PlaceId) -> Result<Bits, Fault> {
        let program = self.program();
        let ty = program.places[place].ty;
        if let PlaceKind::Var(var) = program.places[place].kind
            && let Some(bits) = self.names.and_then(|names| names.get(&var))
        {
            return Ok(*bits);
        }
        if let PlaceKind::Var(var) = program.places[place].kind
            && let Some(Home::Slot(_)) = self.home(var)
        {
            return self.variable(var).ok_or(Fault::Dangling);
        }
        let (start, at) = self.place(place, true)?;
        if let PlaceKind::Field(inner, number) = program.places[place].kind
            && let Type::Record(record) = *program.types.get(program.places[inner].ty)
            && let field = &program.types.records[record].fields[number as usize]
            && let Some(bits) = field.bits
        {
            let address = Address { base: Base::Slot(0), at };
            let access = BitAccess { address, range: bits, ty: field.ty };
            return self.machine.memory.load_bits(&program.types, start, &access);
        }
        self.machine.memory.load_scalar(&program.types, start, at, ty)
    }

    /// The address of a place; of a bit-field, of its first byte.
    pub fn address(&self, place: PlaceId) -> Result<u64, Fault> {
        let (start, at) = self.place(place, false)?;
        Ok(self.machine.memory.offset(start, at, 1))
    }

    /// A pointer and a displacement from it. `used`: indices are checked.
    fn place(&self, place: PlaceId, used: bool) -> Result<(u64, i64), Fault> {
        let program = self.program();
        match program.places[place].kind {
            PlaceKind::Var(var) => Ok((self.address_of(var).ok_or(Fault::Dangling)?, 0)),
            PlaceKind::Deref(pointer) => {
                if let ExprKind::AddrOf(inner) = program.exprs[pointer].kind
                    && program.places[inner].ty == program.places[place].ty
                {
                    return self.place(inner, used);
                }
                Ok((self.value(pointer)?.lo, 0))
            }
            PlaceKind::Field(inner, number) => {
                let (start, at) = self.place(inner, used)?;
                let Type::Record(record) = *program.types.get(program.places[inner].ty) else {
                    return Err(Fault::WildPointer);
                };
                Ok((start, at + program.types.records[record].fields[number as usize].offset as i64))
            }
            PlaceKind::Index(inner, index) => {
                let (start, at) = self.place(inner, used)?;
                let Type::Array(element, length) = *program.types.get(program.places[inner].ty) else {
                    return Err(Fault::WildPointer);
                };
                let value = eval::to_i128(&program.types, program.exprs[index].ty, self.value(index)?);
                let checked = length.filter(|length| used && !is_flexible(program, inner, *length));
                if checked.is_some_and(|length| !(0..length as i128).contains(&value)) {
                    return Err(Fault::OutOfBounds);
                }
                let stride = program.types.stride(element).unwrap_or(1) as i128;
                let distance = i64::try_from(value.saturating_mul(stride) + at as i128);
                let memory = &self.machine.memory;
                Ok((distance.map_or(memory.wild(), |distance| memory.offset(start, distance, 1)), 0))
            }
        }
    }
}

fn word(value: u64) -> Bits {
    Bits { lo: value, hi: 0 }
}

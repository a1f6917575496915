//! Before the first step: objects of static lifetime, the addresses of functions, and the parameters of the entry function.

use super::code::{Address, Base, BitAccess};
use super::machine::{Machine, Stop};
use super::memory::ObjectKind;
use super::slow::Passed;
use super::*;
use crate::const_bits::Writes;
use crate::program::{Init, RelocationTarget, VarKind};
use crate::types::{BitRange, RecordKind, Type, TypeTable};

/// A scalar part of a type.
struct Leaf {
    offset: u64,
    ty: TypeId,
    bits: Option<BitRange>,
}

/// The scalars of a type in order; of a union, those of its first member.
fn leaves(types: &TypeTable, ty: TypeId, offset: u64, out: &mut Vec<Leaf>) {
    match types.get(ty) {
        Type::Array(element, length) => {
            let size = types.size_of(*element).unwrap_or(0);
            (0..length.unwrap_or(0)).for_each(|index| leaves(types, *element, offset + index * size, out));
        }
        Type::Record(record) => {
            let record = &types.records[*record];
            let count = if record.kind == RecordKind::Union { 1 } else { usize::MAX };
            for field in record.fields.iter().take(count) {
                match field.bits {
                    Some(bits) => out.push(Leaf { offset: offset + field.offset, ty: field.ty, bits: Some(bits) }),
                    None => leaves(types, field.ty, offset + field.offset, out),
                }
            }
        }
        Type::Void | Type::Function(_) => {}
        Type::Int(_) | Type::Float(_) | Type::Pointer(_) => out.push(Leaf { offset, ty, bits: None }),
    }
}

impl Machine<'_> {
    pub(super) fn set_up(&mut self, entry: FuncId, args: &ProgramArgs) -> Result<(), Stop> {
        self.place_functions()?;
        self.place_statics()?;
        self.relocate()?;
        if self.program.automaton(entry).is_none() {
            return Err(Stop::Fault(Fault::BadCall));
        }
        let code = self.code_of(entry);
        let params = &self.program.functions[entry].params;
        // A `main` that takes records is no program's `main`; its parameters are inputs as in other functions.
        let scalars = params.iter().all(|var| self.program.types.is_scalar(self.program.vars[*var].ty));
        let passed = if self.program.function_name(entry) == "main" && scalars {
            self.main_arguments(code.params.len(), args)?
        } else {
            params.iter().map(|var| self.parameter_input(*var)).collect::<Result<_, _>>()?
        };
        self.enter(code, passed, None)
    }

    fn place_functions(&mut self) -> Result<(), Stop> {
        for function in self.program.functions.ids() {
            let number = self.memory.allocate(0, ObjectKind::Function(function))?;
            self.statics.functions.push(self.memory.objects[number].base);
        }
        Ok(())
    }

    fn place_statics(&mut self) -> Result<(), Stop> {
        let program = self.program;
        self.statics.by_var = vec![(0, 0); program.vars.len()];
        for (id, var) in program.vars.iter() {
            let kind = match var.kind {
                VarKind::Global => ObjectKind::Global(id),
                VarKind::Constant => ObjectKind::Constant(id),
                _ => continue,
            };
            let declared = program.types.size_of(var.ty).unwrap_or(0);
            // The initializer of a flexible array member makes an object longer than its type.
            let given = if let Init::Static(init) = &var.init { &init.bytes[..] } else { &[] };
            let number = self.memory.allocate(declared.max(given.len() as u64), kind)?;
            let object = &mut self.memory.objects[number];
            object.bytes[..given.len()].copy_from_slice(given);
            object.written.fill(true);
            if var.read_only {
                object.writes = Writes::Nothing;
            } else if object.writes == Writes::All {
                object.writes = Writes::of(&program.types, var.ty);
            }
            self.statics.by_var[id.0 as usize] = (number as u32, object.base);
            self.statics.by_number.push((number as u32, id));
            if var.init == Init::Unknown {
                self.fill_object(FillRequest::Extern { var: id }, number);
            }
        }
        Ok(())
    }

    fn relocate(&mut self) -> Result<(), Stop> {
        let program = self.program;
        let width = program.model().pointer_bytes() as usize;
        for (id, var) in program.vars.iter() {
            let Init::Static(init) = &var.init else { continue };
            let (number, _) = self.statics.by_var[id.0 as usize];
            for relocation in &init.relocations {
                let target = match relocation.target {
                    RelocationTarget::Var(var) => self.statics.by_var[var.0 as usize].1,
                    RelocationTarget::Function(function) => self.statics.functions[function.0 as usize],
                };
                let address = self.memory.offset(target, relocation.addend, 1);
                let at = relocation.offset as usize;
                let bytes = self.memory.objects[number as usize].bytes.get_mut(at..at + width);
                bytes.ok_or(Fault::OutOfBounds)?.copy_from_slice(&address.to_le_bytes()[..width]);
            }
        }
        Ok(())
    }

    /// `argc`, `argv` and an empty `envp`.
    fn main_arguments(&mut self, count: usize, args: &ProgramArgs) -> Result<Vec<Passed>, Stop> {
        let mut passed = vec![Passed::Scalar(Bits::new(args.words.len() as u128))];
        if count > 1 {
            let mut pointers = Vec::new();
            for (number, word) in args.words.iter().enumerate() {
                let mut bytes = word.clone();
                bytes.push(0);
                pointers.push(self.initialized(bytes, ObjectKind::Argument(number as u32))?);
            }
            pointers.push(0);
            let vector = self.pointer_table(&pointers, ObjectKind::Arguments)?;
            let environment = self.pointer_table(&[0], ObjectKind::Internal)?;
            passed.push(Passed::Scalar(Bits { lo: vector, hi: 0 }));
            passed.push(Passed::Scalar(Bits { lo: environment, hi: 0 }));
        }
        passed.resize_with(count.max(passed.len()), || Passed::Missing);
        passed.truncate(count);
        Ok(passed)
    }

    /// An initialized object of the command line or the library; its address.
    fn initialized(&mut self, bytes: Vec<u8>, kind: ObjectKind) -> Result<u64, Stop> {
        let number = self.memory.allocate(bytes.len() as u64, kind)?;
        let object = &mut self.memory.objects[number];
        object.bytes = bytes;
        object.written.fill(true);
        Ok(object.base)
    }

    pub(super) fn pointer_table(&mut self, pointers: &[u64], kind: ObjectKind) -> Result<u64, Stop> {
        let width = self.program.model().pointer_bytes() as usize;
        let bytes = pointers.iter().flat_map(|pointer| pointer.to_le_bytes()[..width].to_vec()).collect();
        self.initialized(bytes, kind)
    }

    /// A parameter of an entry function that is not `main`: its scalars are inputs.
    fn parameter_input(&mut self, var: VarId) -> Result<Passed, Stop> {
        let types = &self.program.types;
        let ty = self.program.vars[var].ty;
        let ask = |machine: &mut Self, leaf: usize, ty: TypeId| {
            machine.input(InputRequest { source: InputSource::Param { var, leaf: leaf as u32 }, ty })
        };
        if types.is_scalar(ty) {
            return Ok(Passed::Scalar(ask(self, 0, ty)?));
        }
        let mut parts = Vec::new();
        leaves(types, ty, 0, &mut parts);
        // A scratch object, so that bit-fields are stored by the code that stores bit-fields.
        let number = self.memory.allocate(types.size_of(ty).unwrap_or(0), ObjectKind::Internal)?;
        let base = self.memory.objects[number].base;
        for (index, leaf) in parts.iter().enumerate() {
            let value = ask(self, index, leaf.ty)?;
            match leaf.bits {
                None => self.memory.store_scalar(types, base, leaf.offset as i64, leaf.ty, value)?,
                Some(range) => {
                    let address = Address { base: Base::Slot(0), at: leaf.offset as i64 };
                    let field = BitAccess { address, range, ty: leaf.ty };
                    self.memory.store_bits(base, &field, value)?;
                }
            }
        }
        let bytes = self.memory.objects[number].bytes.clone();
        self.memory.kill(number);
        Ok(Passed::Bytes(bytes))
    }
}

//! Library functions: what a call of a [`LibFn`] does and returns. Grouped by header; this file dispatches, allocates, and holds the state
//! that the library has in a run.
//!
//! Output to `stdout` (the pointer 2) is recorded, that to `stderr` (3) apart from it, any other is dropped. What reads is written in C, as
//! many other functions are ([`LibFn::InC`]). A function that the standard leaves undefined for its arguments is
//! [`Fault::LibraryMisuse`]; a bad pointer faults as a bad access does.

mod format;
mod math;
mod stdio;
mod string;

use super::code::CallSite;
use super::machine::{Machine, Stop};
use super::memory::{ObjectKind, largest_allocation};
use super::*;
use crate::const_bits::Writes;
use crate::eval;
use crate::library::{BitCount, CHARACTERS, Classify, Ctype, Frozen, LibFn, ctype_classes};
use crate::types::IntKind;

/// The pointers that the frontend gives to the standard streams.
const STDIN: u64 = 1;
const STDOUT: u64 = 2;
const STDERR: u64 = 3;

/// What a program that looks at `errno` calls.
const ERRNO: &str = "__errno_location";

const ENOMEM: i32 = 12;
const EINVAL: i32 = 22;

#[derive(Default)]
pub struct Libc {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// A call in progress.
#[derive(Clone, Copy)]
pub(super) struct Invocation<'a> {
    pub function: FuncId,
    pub site: &'a CallSite,
    pub args: &'a [(TypeId, Bits)],
}

impl Invocation<'_> {
    /// The low 64 bits of an argument. A call without it is misuse.
    fn arg(&self, index: usize) -> Result<u64, Stop> {
        self.typed(index).map(|(_, bits)| bits.lo)
    }

    fn typed(&self, index: usize) -> Result<(TypeId, Bits), Stop> {
        self.args.get(index).copied().ok_or(Stop::Fault(Fault::LibraryMisuse))
    }

    fn int(&self, index: usize) -> Result<i32, Stop> {
        self.arg(index).map(|value| value as i32)
    }
}

type Answer = Result<Option<Bits>, Stop>;

fn int(value: impl Into<i64>) -> Answer {
    word(value.into() as u64)
}

fn word(value: u64) -> Answer {
    Ok(Some(Bits { lo: value, hi: 0 }))
}

impl Machine<'_> {
    pub(super) fn library(
        &mut self,
        library: LibFn,
        function: FuncId,
        site: &CallSite,
        args: &[(TypeId, Bits)],
    ) -> Answer {
        let call = &Invocation { function, site, args };
        match library {
            LibFn::Malloc => self.malloc(call, call.arg(0)?),
            LibFn::Calloc => self.calloc(call),
            LibFn::Realloc => self.realloc(call, call.arg(0)?, Some(call.arg(1)?)),
            LibFn::ReallocArray => self.realloc(call, call.arg(0)?, call.arg(1)?.checked_mul(call.arg(2)?)),
            LibFn::AlignedAlloc => self.malloc(call, call.arg(1)?),
            LibFn::PosixMemalign => self.posix_memalign(call),
            LibFn::Free => self.free(call.arg(0)?),
            LibFn::Alloca => {
                let address = self.alloca(None, call.arg(0)?, site.edge)?;
                word(address)
            }
            LibFn::Exit => Err(Stop::End(Outcome::Finished(call.int(0)?))),
            LibFn::Abort => Err(Stop::End(Outcome::Aborted)),
            LibFn::Unreachable => Err(Stop::Fault(Fault::Unreachable)),
            LibFn::Abs(kind) => self.abs(call, kind),
            LibFn::Rand => self.rand(call),
            LibFn::Time => self.time(call),
            LibFn::Ctype(Ctype::ToAscii) => int(ctype(Ctype::ToAscii, call.int(0)?)),
            LibFn::Ctype(Ctype::Ascii) => self.nonzero(call, ctype(Ctype::Ascii, call.int(0)?)),
            LibFn::Ctype(class) => self.nonzero(call, ctype(class, character(call)?)),
            LibFn::Tolower => int(changed_case(character(call)?, |byte| byte.to_ascii_lowercase())),
            LibFn::Toupper => int(changed_case(character(call)?, |byte| byte.to_ascii_uppercase())),
            LibFn::Math(function, kind) => self.math(call, function, kind),
            LibFn::Approximate(function, kind) => self.approximate(call, function, kind),
            LibFn::Classify(class @ (Classify::InfiniteOpen | Classify::Signbit)) => {
                self.nonzero(call, math::classify(call, class)?)
            }
            LibFn::Classify(class) => int(math::classify(call, class)?),
            LibFn::BuiltinFpclassify => math::builtin_fpclassify(call),
            LibFn::Compare(relation) => math::compare(&self.program.types, call, relation),
            LibFn::Bswap(width) => word(call.arg(0)?.swap_bytes() >> (64 - width as u32)),
            LibFn::BitCount(count, kind) => self.bit_count(call, count, kind),
            LibFn::First => Ok(Some(call.typed(0)?.1)),
            LibFn::IsRegister => {
                let address = call.arg(0)?;
                let registers = self.program.registers.as_ref();
                int(i32::from(registers.is_some_and(|registers| registers.contains(address))))
            }
            LibFn::Zero { .. } | LibFn::Absent { .. } => word(0),
            // The values that it may have written are those that are there.
            LibFn::MayWrite => Ok(None),
            LibFn::EndWrites(frozen) => {
                let (number, _) = self.memory.resolve(call.arg(0)?);
                let object = &mut self.memory.objects[number];
                object.writes = match (frozen, object.kind) {
                    (Frozen::Members, ObjectKind::Local(var)) => {
                        Writes::of(&self.program.types, self.program.vars[var].ty)
                    }
                    _ => Writes::Nothing,
                };
                Ok(None)
            }
            LibFn::Input { .. } => self.library_input(call),
            LibFn::Require => match call.int(0)? {
                0 => Err(Stop::Fault(Fault::LibraryMisuse)),
                _ => Ok(None),
            },
            LibFn::NewObject => {
                let number = self.memory.allocate(call.arg(0)?, ObjectKind::Internal)?;
                self.fill_object(FillRequest::Allocation { edge: site.edge }, number);
                word(self.memory.objects[number].base)
            }
            LibFn::EndObject => {
                let (number, offset) = self.memory.resolve(call.arg(0)?);
                let object = &self.memory.objects[number];
                match object.kind {
                    ObjectKind::Internal if offset == 0 && object.live => self.memory.kill(number),
                    ObjectKind::Internal if offset == 0 => return Err(Stop::Fault(Fault::DoubleFree)),
                    _ => return Err(Stop::Fault(Fault::InvalidFree)),
                }
                Ok(None)
            }
            // Its text is compiled with the program; what has none was declared with another type.
            LibFn::InC => Err(self.unsupported(call, "a library function without its text")),
            LibFn::Unsupported { reason, .. } => Err(self.unsupported(call, reason)),
            LibFn::Printf
            | LibFn::Fprintf
            | LibFn::Snprintf
            | LibFn::Puts
            | LibFn::Putchar
            | LibFn::Fputc
            | LibFn::Fputs
            | LibFn::Fwrite
            | LibFn::Write
            | LibFn::Perror => self.stdio(library, call),
            LibFn::Atoi(kind) => self.integer_in_text(kind, call),
            LibFn::Strtod(kind) => self.float_in_text(kind, call),
            _ => self.string(library, call),
        }
    }

    fn unsupported(&self, call: &Invocation<'_>, reason: &'static str) -> Stop {
        Stop::End(Outcome::Poison(PoisonReason::Library(call.function, reason)))
    }

    fn library_input(&mut self, call: &Invocation<'_>) -> Answer {
        match call.site.result {
            Some(ty) if self.program.types.is_scalar(ty) => {
                self.external_input(call.function, call.site.edge, ty).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn rand(&mut self, call: &Invocation<'_>) -> Answer {
        let bits = self.library_input(call)?;
        match bits {
            Some(bits) if bits.lo > i32::MAX as u64 => Err(Stop::End(Outcome::AssumptionFailed)),
            bits => Ok(bits),
        }
    }

    /// Whether the program looks at `errno`, which functions written in C set.
    fn has_errno(&self) -> bool {
        self.program.function_named(ERRNO).is_some_and(|function| self.program.automaton(function).is_some())
    }

    pub(super) fn new_heap(&mut self, call: &Invocation<'_>, size: u64, fill: bool) -> Result<u64, Stop> {
        if size > largest_allocation(self.program.model()) {
            if self.has_errno() {
                return Err(self.unsupported(call, "`errno` after a failed allocation"));
            }
            return Ok(0);
        }
        let number = self.memory.allocate(size, ObjectKind::Heap)?;
        if fill {
            self.fill_object(FillRequest::Allocation { edge: call.site.edge }, number);
        } else {
            self.memory.objects[number].written.fill(true);
        }
        Ok(self.memory.objects[number].base)
    }

    fn malloc(&mut self, call: &Invocation<'_>, size: u64) -> Answer {
        word(self.new_heap(call, size, true)?)
    }

    fn calloc(&mut self, call: &Invocation<'_>) -> Answer {
        let size = call.arg(0)?.saturating_mul(call.arg(1)?);
        word(self.new_heap(call, size, false)?)
    }

    fn posix_memalign(&mut self, call: &Invocation<'_>) -> Answer {
        let (target, alignment) = (call.arg(0)?, call.arg(1)?);
        if !alignment.is_power_of_two() || !alignment.is_multiple_of(self.program.model().pointer_bytes()) {
            return int(EINVAL);
        }
        let address = self.new_heap(call, call.arg(2)?, true)?;
        if address == 0 {
            return int(ENOMEM);
        }
        self.store_pointer(target, address)?;
        int(0)
    }

    fn store_pointer(&mut self, target: u64, value: u64) -> Result<(), Stop> {
        let bits = Bits { lo: value, hi: 0 };
        Ok(self.memory.store_scalar(&self.program.types, target, 0, TypeId::VOID_POINTER, bits)?)
    }

    /// The allocation that starts at an address.
    fn allocation(&self, address: u64) -> Result<usize, Fault> {
        let (number, offset) = self.memory.resolve(address);
        let object = &self.memory.objects[number];
        match object.kind {
            ObjectKind::Heap if offset == 0 && object.live => Ok(number),
            ObjectKind::Heap if offset == 0 => Err(Fault::DoubleFree),
            _ => Err(Fault::InvalidFree),
        }
    }

    fn free(&mut self, address: u64) -> Answer {
        if address != 0 {
            let number = self.allocation(address)?;
            self.memory.kill(number);
        }
        Ok(None)
    }

    /// `None`: the size overflowed.
    fn realloc(&mut self, call: &Invocation<'_>, old: u64, size: Option<u64>) -> Answer {
        let size = size.unwrap_or(u64::MAX);
        if old == 0 {
            return self.malloc(call, size);
        }
        let number = self.allocation(old)?;
        if size == 0 {
            self.memory.kill(number);
            return word(0);
        }
        let address = self.new_heap(call, size, true)?;
        if address != 0 {
            let kept = size.min(self.memory.objects[number].bytes.len() as u64);
            self.memory.copy(address, 0, old, 0, kept)?;
            self.memory.kill(number);
        }
        word(address)
    }

    fn abs(&mut self, call: &Invocation<'_>, kind: IntKind) -> Answer {
        let (ty, types) = (TypeId::int(kind), &self.program.types);
        let value = call.typed(0)?.1;
        if eval::to_i128(types, ty, value) >= 0 {
            return Ok(Some(value));
        }
        let negated = eval::unary(types, crate::UnOp::Neg, ty, value);
        self.notice_fault(negated.fault)?;
        Ok(Some(negated.bits))
    }

    fn time(&mut self, call: &Invocation<'_>) -> Answer {
        let value = self.external_input(call.function, call.site.edge, TypeId::LONG)?;
        let target = call.arg(0)?;
        if target != 0 {
            self.memory.store_scalar(&self.program.types, target, 0, TypeId::LONG, value)?;
        }
        Ok(Some(value))
    }

    fn bit_count(&mut self, call: &Invocation<'_>, count: BitCount, kind: IntKind) -> Answer {
        match count.of(call.arg(0)?, kind.bits(self.program.model())) {
            Some(count) => int(count),
            None => Err(Stop::Fault(Fault::LibraryMisuse)),
        }
    }
}

/// The argument of a function of `ctype.h`. C asks for a character or `EOF`; the tables of libraries begin at -128.
fn character(call: &Invocation<'_>) -> Result<i32, Stop> {
    let value = call.int(0)?;
    if CHARACTERS.contains(&value) { Ok(value) } else { Err(Stop::Fault(Fault::LibraryMisuse)) }
}

fn ctype(class: Ctype, value: i32) -> i32 {
    match class.mask() {
        Some(mask) => u8::try_from(value).map_or(0, |byte| (ctype_classes(byte) & mask) as i32),
        None if class == Ctype::Ascii => (value & !0x7f == 0) as i32,
        None => value & 0x7f,
    }
}

fn changed_case(value: i32, change: impl Fn(u8) -> u8) -> i32 {
    u8::try_from(value).map_or(value, |byte| change(byte) as i32)
}

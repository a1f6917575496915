//! Library functions: what a call of a [`LibFn`] does and returns, as the interpreter defines it. This file dispatches; [`bytes`] is how all of
//! them look at memory, the others are grouped by header.
//!
//! A function looks at bytes one by one, each under the condition that it is looked at. How far is limited by the sizes of the objects, or by
//! [`bytes::MAX_BYTES`]; a run that would go on from there leaves the model as poison.

mod allocate;
mod approximate;
mod bytes;
mod character;
mod memory;
mod number;
mod stdio;
mod string;

use crate::encoder::ObjectKey;
use crate::exec::Run;
use crate::state::State;
use crate::unrolling::{InputPlace, Obligation, ObligationKind};
use crate::value::{OBJECT_BITS, OFFSET_BITS, SymbolicValue};
use cfa::const_bits::Writes;
use cfa::library::{Classify, Ctype, Frozen, LibFn};
use cfa::{ExprId, Fault, FuncId, IntKind, PlaceId, TypeId};
use logic::TermId;

/// A call in progress.
pub(crate) struct Invocation {
    function: FuncId,
    values: Vec<SymbolicValue>,
    types: Vec<TypeId>,
    /// The type of what the result is stored in, if it is.
    result: Option<TypeId>,
    /// How many inputs the call has asked for.
    inputs: u32,
}

/// What a call does.
enum Answer {
    /// Goes on without a value, or with zero if one is wanted.
    Nothing,
    SymbolicValue(SymbolicValue),
    /// The run ends here.
    End,
    /// There is no model of it.
    Unmodelled,
}

impl Invocation {
    fn pointer(&self, index: usize) -> Option<SymbolicValue> {
        self.values.get(index).copied().filter(|value| matches!(value, SymbolicValue::Pointer { .. }))
    }

    fn number(&self, index: usize) -> Option<TermId> {
        match self.values.get(index) {
            Some(SymbolicValue::Bits(term)) => Some(*term),
            _ => None,
        }
    }
}

impl Run<'_, '_> {
    pub fn library(
        &mut self,
        mut state: State,
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
        let result = dest.map(|dest| self.program.places[dest].ty);
        let mut call = Invocation { function, values, types, result, inputs: 0 };
        let answer = self.meaning(&mut state, &mut call, meaning).unwrap_or(Answer::Unmodelled);
        let value = match answer {
            Answer::Nothing => None,
            Answer::SymbolicValue(value) => Some(value),
            Answer::End => return None,
            Answer::Unmodelled => {
                let name = self.program.function_name(function);
                let construct = match meaning {
                    LibFn::Unsupported { reason, .. } if name.starts_with("__library_") => reason.to_string(),
                    LibFn::Unsupported { reason, .. } => format!("`{name}` ({reason})"),
                    _ => format!(
                        "library function `{}` with arguments like these",
                        name.trim_start_matches("__library_")
                    ),
                };
                self.poison(&mut state, construct);
                return None;
            }
        };
        if self.is_dead(&state) {
            return None;
        }
        if let Some(dest) = dest {
            self.store_result(&mut state, dest, value);
        }
        (!self.is_dead(&state)).then_some(state)
    }

    /// Runs go on, but nothing is proved by them.
    fn note_unproved(&mut self, state: &State, construct: String) {
        if !self.mode.explores_open() {
            return;
        }
        let cond = state.guard.term(self.pool());
        let events_before = self.out.events.len();
        let kind = ObligationKind::Poison(construct);
        self.out.obligations.push(Obligation { kind, edge: self.edge, cond, events_before });
    }

    /// Whether a pointer belongs to no object and is the address of a register.
    fn is_register(&mut self, pointer: SymbolicValue) -> SymbolicValue {
        let SymbolicValue::Pointer { object, offset } = pointer else { return pointer };
        let ranges = self.program.registers.as_ref().map_or(Vec::new(), |registers| registers.ranges.clone());
        let width = 8 * self.program.model().pointer_bytes() as u32;
        let pool = self.pool();
        let none = pool.bv(OBJECT_BITS, 0);
        let plain = pool.eq(object, none);
        let address = pool.extract(offset, width - 1, 0);
        let inside: Vec<TermId> = ranges
            .into_iter()
            .map(|(first, last)| {
                let (first, last) = (pool.bv(width, first.into()), pool.bv(width, last.into()));
                let (after, before) = (pool.ule(first, address), pool.ule(address, last));
                pool.and(after, before)
            })
            .collect();
        let inside = pool.or_all(&inside);
        let is_register = pool.and(plain, inside);
        SymbolicValue::Bits(pool.bool_to_bv(is_register, 32))
    }

    fn store_result(&mut self, state: &mut State, dest: PlaceId, value: Option<SymbolicValue>) {
        let ty = self.program.places[dest].ty;
        if !self.program.types.is_scalar(ty) {
            return self.poison(state, "struct returned by a library function");
        }
        let value = match (value, self.program.types.is_pointer(ty)) {
            (None, _) => self.zero(ty),
            (Some(SymbolicValue::Bits(term)), false) => {
                let width = self.program.types.scalar_bits(ty);
                SymbolicValue::Bits(self.pool().resize_unsigned(term, width))
            }
            (Some(value @ SymbolicValue::Pointer { .. }), true) => value,
            // The program declared the function otherwise.
            _ => return self.poison(state, "library function declared with another type"),
        };
        self.write_place(state, dest, value);
    }

    /// `None`: an argument is missing or of another kind than the function wants.
    fn meaning(&mut self, state: &mut State, call: &mut Invocation, meaning: LibFn) -> Option<Answer> {
        let value = match meaning {
            LibFn::Malloc
            | LibFn::Calloc
            | LibFn::Alloca
            | LibFn::Free
            | LibFn::AlignedAlloc
            | LibFn::NewObject
            | LibFn::EndObject => {
                return self.allocation(state, call, meaning);
            }
            LibFn::Realloc | LibFn::ReallocArray | LibFn::PosixMemalign => {
                return self.allocation(state, call, meaning);
            }
            LibFn::Exit => {
                self.check_leaks(state.clone());
                return Some(Answer::End);
            }
            LibFn::Abort => {
                self.note_abort(state);
                return Some(Answer::End);
            }
            LibFn::Unreachable => {
                let always = self.pool().bool(true);
                self.fault(state, Fault::Unreachable, always);
                return Some(Answer::End);
            }
            LibFn::Zero { .. } => return Some(Answer::Nothing),
            LibFn::Approximate(function, kind) => self.approximate(state, call, function, kind)?,
            LibFn::Require => {
                let term = call.number(0)?;
                let width = self.pool().width(term);
                let zero = self.pool().bv(width, 0);
                let fails = self.pool().eq(term, zero);
                self.misuse(state, fails);
                return Some(Answer::Nothing);
            }
            LibFn::MayWrite => {
                let construct = self.program.function_name(call.function).to_string();
                self.note_unproved(state, construct);
                return Some(Answer::Nothing);
            }
            LibFn::EndWrites(frozen) => {
                let SymbolicValue::Pointer { object, .. } = call.pointer(0)? else { return None };
                for id in self.named_objects(object) {
                    let writes = match (frozen, self.encoder.object_keys[id as usize]) {
                        (Frozen::Members, ObjectKey::Local(_, var, _)) => {
                            Writes::of(&self.program.types, self.program.vars[var].ty)
                        }
                        _ => Writes::Nothing,
                    };
                    if let Some(object) = state.memory.get_mut(id) {
                        object.writes = writes;
                    }
                }
                return Some(Answer::Nothing);
            }
            LibFn::Absent { .. } => {
                if call.result.is_some() && self.mode.explores_open() {
                    let construct =
                        format!("a result of `{}` other than zero", self.program.function_name(call.function));
                    let name = self.fresh_name("absent");
                    let other = self.pool().bool_var(&name);
                    self.leave(state, ObligationKind::Poison(construct), other);
                }
                return Some(Answer::Nothing);
            }
            LibFn::Input { .. } | LibFn::Rand => match call.result {
                None => return Some(Answer::Nothing),
                Some(ty) => {
                    let value = self.library_input(state, call, ty);
                    if meaning == LibFn::Rand {
                        let term = value.bits();
                        let most = self.pool().bv(32, i32::MAX as u128);
                        let width = self.pool().width(term);
                        let most = self.pool().resize_unsigned(most, width);
                        let possible = self.pool().ule(term, most);
                        self.assume(state, possible);
                    }
                    value
                }
            },
            LibFn::Time => {
                let value = self.library_input(state, call, TypeId::LONG);
                self.store_unless_null(state, call.pointer(0)?, value, TypeId::LONG);
                value
            }
            LibFn::First => *call.values.first()?,
            LibFn::IsRegister => self.is_register(call.pointer(0)?),
            LibFn::Abs(_) => {
                let term = call.number(0)?;
                if self.properties.contains(cfa::Property::NoOverflow) {
                    let overflows = self.pool().neg_overflows(term);
                    self.fault(state, Fault::SignedOverflow, overflows);
                }
                SymbolicValue::Bits(self.pool().bv_abs(term))
            }
            LibFn::Ctype(class @ Ctype::ToAscii) => SymbolicValue::Bits(self.ctype(class, call.number(0)?)?),
            LibFn::Ctype(class) => {
                if class != Ctype::Ascii {
                    self.character(state, call.number(0)?);
                }
                let answer = self.ctype(class, call.number(0)?)?;
                SymbolicValue::Bits(self.nonzero(state, call, answer))
            }
            LibFn::Tolower => {
                self.character(state, call.number(0)?);
                SymbolicValue::Bits(self.changed_case(call.number(0)?, |byte| byte.to_ascii_lowercase())?)
            }
            LibFn::Toupper => {
                self.character(state, call.number(0)?);
                SymbolicValue::Bits(self.changed_case(call.number(0)?, |byte| byte.to_ascii_uppercase())?)
            }
            LibFn::Bswap(width) => SymbolicValue::Bits(self.bswap(call.number(0)?, width as u32)),
            LibFn::BitCount(count, kind) => SymbolicValue::Bits(self.bit_count(state, call.number(0)?, count, kind)),
            LibFn::Memset | LibFn::Bzero | LibFn::Memcpy | LibFn::Mempcpy | LibFn::Memmove | LibFn::Bcopy => {
                return self.copying(state, call, meaning);
            }
            LibFn::Memcmp | LibFn::Memchr | LibFn::Memrchr => return self.searching(state, call, meaning),
            LibFn::Atoi(_) => return self.parse_integer(state, call, meaning),
            LibFn::Strlen
            | LibFn::Strnlen
            | LibFn::Strcpy
            | LibFn::Stpcpy
            | LibFn::Strncpy
            | LibFn::Strcat
            | LibFn::Strncat
            | LibFn::Strcmp
            | LibFn::Strncmp
            | LibFn::Strcasecmp
            | LibFn::Strncasecmp
            | LibFn::Strchr
            | LibFn::Strchrnul
            | LibFn::Strrchr
            | LibFn::Strstr
            | LibFn::Strdup
            | LibFn::Strndup
            | LibFn::Strspn
            | LibFn::Strcspn
            | LibFn::Strpbrk => return self.string(state, call, meaning),
            LibFn::Printf
            | LibFn::Fprintf
            | LibFn::Puts
            | LibFn::Putchar
            | LibFn::Fputc
            | LibFn::Fputs
            | LibFn::Fwrite
            | LibFn::Write
            | LibFn::Perror => return self.stdio(state, call, meaning),
            LibFn::Classify(Classify::InfiniteOpen | Classify::Signbit) => {
                let answer = self.float_library(state, meaning, &call.values, &call.types)?.bits();
                SymbolicValue::Bits(self.nonzero(state, call, answer))
            }
            _ => self.float_library(state, meaning, &call.values, &call.types)?,
        };
        Some(Answer::SymbolicValue(value))
    }

    /// An argument of type `size_t` or another unsigned number.
    fn size_argument(&mut self, call: &Invocation, index: usize) -> Option<TermId> {
        let term = call.number(index)?;
        Some(self.pool().resize_unsigned(term, OFFSET_BITS))
    }

    /// The next input that a call asks for.
    fn library_input(&mut self, state: &mut State, call: &mut Invocation, ty: TypeId) -> SymbolicValue {
        let always = self.pool().bool(true);
        self.library_input_if(state, call, ty, always)
    }

    fn library_input_if(
        &mut self,
        state: &mut State,
        call: &mut Invocation,
        ty: TypeId,
        cond: TermId,
    ) -> SymbolicValue {
        let part = call.inputs;
        call.inputs += 1;
        self.input_part(state, ty, InputPlace::Edge(self.edge), part, cond)
    }

    /// Stores a scalar through a pointer unless it is null.
    fn store_unless_null(&mut self, state: &mut State, to: SymbolicValue, value: SymbolicValue, ty: TypeId) {
        let null = self.is_null(to);
        let cond = self.pool().not(null);
        let access = self.access_of(ty, None);
        self.store_scalar_if(state, to, access, value, ty, cond);
    }

    fn is_null(&mut self, pointer: SymbolicValue) -> TermId {
        let null = SymbolicValue::null(self.pool());
        self.same_pointer(pointer, null)
    }

    fn displaced(&mut self, pointer: SymbolicValue, distance: TermId) -> SymbolicValue {
        let SymbolicValue::Pointer { object, offset } = pointer else { panic!("a pointer is needed") };
        SymbolicValue::Pointer { object, offset: self.pool().bv_add(offset, distance) }
    }

    fn misuse(&mut self, state: &mut State, cond: TermId) {
        self.fault(state, Fault::LibraryMisuse, cond);
    }

    fn beyond_limit(&mut self, state: &mut State, call: &Invocation, cond: TermId) {
        let name = self.program.function_name(call.function);
        let construct = format!("`{name}` of more than {} bytes", bytes::MAX_BYTES);
        self.leave(state, ObligationKind::Poison(construct), cond);
    }

    fn int_bits(&self, kind: IntKind) -> u32 {
        kind.bits(self.program.model())
    }
}

//! Library functions: what they copy, what they store, and what their results may point to.

use super::super::library::{Arguments, memory_use};
use super::super::offsets::{Offsets, TO_THE_END};
use super::{Object, Solver, Targets};
use crate::library::{LibFn, Math};
use crate::*;

impl Solver<'_> {
    /// The effect of a call; what its result may point to.
    pub(super) fn library(&mut self, edge: EdgeId, function: LibFn, args: &[ExprId]) -> Targets {
        let pointer = self.program.model().pointer_bytes();
        let new = || Targets::one(Object::Allocation(edge), Offsets::ZERO);
        match function {
            LibFn::Malloc | LibFn::Calloc | LibFn::AlignedAlloc | LibFn::Alloca | LibFn::NewObject => new(),
            LibFn::Realloc | LibFn::ReallocArray => {
                let old = self.argument(args, 0);
                let cells = self.memory.range(self.program, &old, TO_THE_END, &mut self.trace);
                self.memory.store_range(&new(), &cells);
                new()
            }
            LibFn::PosixMemalign => {
                let to = self.argument(args, 0);
                self.memory.store(&to, pointer, &new());
                Targets::NOTHING
            }
            LibFn::Strdup | LibFn::Strndup => {
                self.memory.store(&new(), TO_THE_END, &Targets::anything());
                new()
            }
            LibFn::Memcpy | LibFn::Memmove | LibFn::Mempcpy => {
                let (to, from) = (self.argument(args, 0), self.argument(args, 1));
                self.copy(&to, &from, args.get(2).copied());
                if function == LibFn::Mempcpy { moved(&to) } else { to }
            }
            LibFn::Bcopy => {
                let (from, to) = (self.argument(args, 0), self.argument(args, 1));
                self.copy(&to, &from, args.get(2).copied());
                Targets::NOTHING
            }
            LibFn::Memset | LibFn::Bzero => {
                let (zero, length) = match function {
                    LibFn::Memset => (self.is_zero(args.get(1).copied()), args.get(2).copied()),
                    _ => (true, args.get(1).copied()),
                };
                let to = self.argument(args, 0);
                if !zero || !length.is_some_and(|length| self.is_multiple(length, pointer)) {
                    self.fill(&to);
                }
                to
            }
            LibFn::Strcpy | LibFn::Strncpy | LibFn::Strcat | LibFn::Strncat | LibFn::Stpcpy => {
                let to = self.argument(args, 0);
                self.fill(&to);
                if function == LibFn::Stpcpy { moved(&to) } else { to }
            }
            LibFn::Strchr | LibFn::Strchrnul | LibFn::Strrchr | LibFn::Strstr | LibFn::Strpbrk => {
                moved(&self.argument(args, 0))
            }
            LibFn::Memchr | LibFn::Memrchr => moved(&self.argument(args, 0)),
            LibFn::First => self.argument(args, 0),
            LibFn::Strtod(_) => {
                let (string, end) = (self.argument(args, 0), self.argument(args, 1));
                self.memory.store(&end, pointer, &moved(&string));
                Targets::anything()
            }
            LibFn::Math(Math::Modf | Math::Frexp, _) => {
                let to = self.argument(args, 1);
                self.memory.store(&to, 16, &Targets::anything());
                Targets::anything()
            }
            LibFn::Zero { .. } | LibFn::Absent { .. } => Targets::NOTHING,
            _ => {
                let written = memory_use(function).writes;
                if written != Arguments::None {
                    for index in written.among(args.len()) {
                        let to = self.argument(args, index);
                        self.fill(&to);
                    }
                }
                Targets::anything()
            }
        }
    }

    /// Null pointers and numbers among the arguments point to nothing that is written.
    fn argument(&mut self, args: &[ExprId], index: usize) -> Targets {
        match args.get(index) {
            Some(arg) if self.program.types.is_scalar(self.program.exprs[*arg].ty) => self.value(*arg),
            _ => Targets::NOTHING,
        }
    }

    /// Numbers are stored from places to the ends of their objects.
    fn fill(&mut self, to: &Targets) {
        self.memory.store(to, TO_THE_END, &Targets::anything());
    }

    fn copy(&mut self, to: &Targets, from: &Targets, length: Option<ExprId>) {
        let pointer = self.program.model().pointer_bytes();
        let constant = length.and_then(|length| self.program.constant(length)).map(Bits::get);
        match (constant, length) {
            (Some(length), _) if length < u32::MAX as u128 => {
                let cells = self.memory.range(self.program, from, length as u64, &mut self.trace);
                self.memory.store_range(to, &cells);
                // The last bytes may overwrite a part of a pointer.
                if !(length as u64).is_multiple_of(pointer) {
                    let rest = length as u64 % pointer;
                    let end = to.map(|offsets| offsets.plus((length as u64 - rest) as i128));
                    self.memory.store(&end, rest, &Targets::anything());
                }
            }
            (_, Some(length)) if self.is_multiple(length, pointer) => {
                let cells = self.memory.range(self.program, from, TO_THE_END, &mut self.trace);
                self.memory.store_range(to, &cells);
            }
            _ => self.fill(to),
        }
    }

    fn is_zero(&self, expr: Option<ExprId>) -> bool {
        expr.and_then(|expr| self.program.constant(expr)).is_some_and(Bits::is_zero)
    }

    /// Whether a length is visibly a multiple of a size.
    fn is_multiple(&self, length: ExprId, size: u64) -> bool {
        match self.program.exprs[length].kind {
            ExprKind::Const(bits) => bits.get().is_multiple_of(size as u128),
            ExprKind::Binary(BinOp::Mul, left, right) => self.is_multiple(left, size) || self.is_multiple(right, size),
            ExprKind::Cast(inner) => self.is_multiple(inner, size),
            _ => false,
        }
    }
}

/// Somewhere in the same objects.
fn moved(targets: &Targets) -> Targets {
    targets.map(|_| Offsets::ANY)
}

//! Expressions and places to bytecode. The instruction chosen depends on the type alone; what has no instruction of its own goes through
//! [`crate::eval`] as a slow operation, so the two can only differ where an instruction exists (and tests compare those).
//!
//! Invariant: only the last instruction of an expression writes the destination it was given, so `x = f(x)` needs no copy.

use super::code::*;
use super::compile::Compiler;
use super::places::{Access, Spot};
use super::select::{Fast, float32, float64, immediate, immediate_jump, integer, inverse, mirrored, sign_free};
use crate::eval::{self, Scalar};
use crate::expr::{BinOp, Bits, ExprId, ExprKind, UnOp};
use crate::types::{DataModel, TypeId};

/// Nesting of expressions that any stack can hold, and the stack for more.
const DEEP: u32 = 500;
const DEEP_STACK: usize = 1 << 29;

impl Compiler<'_> {
    pub(super) fn value(&mut self, expr: ExprId) -> Slot {
        self.eval(expr, None)
    }

    pub(super) fn value_into(&mut self, expr: ExprId, d: Slot) {
        self.eval(expr, Some(d));
    }

    pub(super) fn target(&mut self, into: Option<Slot>, ty: TypeId) -> Slot {
        let wide = self.is_wide(ty);
        into.unwrap_or_else(|| self.temp(wide))
    }

    /// Recursion with a bound on the host's stack: a deep expression (generated code has sums of 20,000 terms) goes on on a stack of its own.
    fn eval(&mut self, expr: ExprId, into: Option<Slot>) -> Slot {
        self.depth += 1;
        let slot = if self.depth == DEEP {
            std::thread::scope(|scope| {
                let work = || self.eval_node(expr, into);
                let thread = std::thread::Builder::new().stack_size(DEEP_STACK).spawn_scoped(scope, work);
                thread.expect("a thread for a deep expression").join().expect("the thread only compiles")
            })
        } else {
            self.eval_node(expr, into)
        };
        self.depth -= 1;
        slot
    }

    fn eval_node(&mut self, expr: ExprId, into: Option<Slot>) -> Slot {
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
    pub(super) fn copy(&mut self, a: Slot, ty: TypeId, into: Option<Slot>) -> Slot {
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

    pub(super) fn fast(&self, ty: TypeId) -> Option<Fast> {
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
    pub(super) fn index_is_32(&self, ty: TypeId) -> bool {
        self.program.model() == DataModel::Ilp32 || self.fast(ty) == Some(Fast::S32)
    }

    /// An index as a signed number of 32 or 64 bits.
    pub(super) fn index(&mut self, index: ExprId) -> Slot {
        let ty = self.program.exprs[index].ty;
        let a = self.value(index);
        let wanted = if self.index_is_32(ty) { TypeId::INT } else { TypeId::LONG_LONG };
        self.cast_slot(a, ty, wanted, None)
    }

    /// Emits a jump, to be aimed later, that is taken when the condition has that truth.
    pub(super) fn jump_if(&mut self, mut cond: ExprId, mut truth: bool) -> usize {
        let program = self.program;
        loop {
            match program.exprs[cond].kind {
                ExprKind::Unary(UnOp::Not, inner) => (cond, truth) = (inner, !truth),
                ExprKind::Cast(inner) if self.keeps_truth(program.exprs[inner].ty, program.exprs[cond].ty) => {
                    cond = inner
                }
                _ => break,
            }
        }
        let ty = program.exprs[cond].ty;
        if let ExprKind::Binary(op, a, b) = program.exprs[cond].kind
            && op.is_comparison()
            && let Some(jump) = self.compare_jump(if truth { op } else { inverse(op) }, a, b)
        {
            return jump;
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

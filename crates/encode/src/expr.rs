//! Expressions of the program → values, with the faults that evaluating them may raise.

use crate::access::Spot;
use crate::address::{has_number, number_to_pointer, pointer_to_number};
use crate::encoder::ObjectKey;
use crate::exec::Run;
use crate::state::State;
use crate::unrolling::{ObligationKind, POINTERS_APART};
use crate::value::{OBJECT_BITS, OFFSET_BITS, SymbolicValue};
use cfa::{BinOp, ExprId, ExprKind, Fault, TypeId, UnOp};
use logic::TermId;

impl Run<'_, '_> {
    /// The value of a scalar expression.
    pub fn value(&mut self, state: &mut State, expr: ExprId) -> SymbolicValue {
        let node = self.program.exprs[expr];
        match node.kind {
            ExprKind::Const(bits) => self.constant(state, node.ty, bits.get()),
            ExprKind::Read(place) => {
                if let Some((value, defined)) = self.value_of_name(place) {
                    // It may have one in the program all the same.
                    let undefined = self.pool().not(defined);
                    self.leave(state, ObligationKind::Poison("a value that has none here".into()), undefined);
                    return value;
                }
                let spot = self.spot(state, place, true);
                self.load(state, spot, self.program.places[place].ty)
            }
            ExprKind::AddrOf(place) => match self.spot(state, place, false) {
                Spot::Memory { object, offset, .. } => SymbolicValue::Pointer { object, offset },
                Spot::Register(var) => panic!("the address of {var}, which lives in a register"),
            },
            ExprKind::FuncAddr(function) => {
                let id = self.encoder.object_id(ObjectKey::Function(function));
                let object = self.pool().bv(OBJECT_BITS, id as u128);
                SymbolicValue::Pointer { object, offset: self.pool().bv(OFFSET_BITS, 0) }
            }
            ExprKind::Unary(UnOp::Not, _) => {
                let truth = self.condition(state, expr);
                SymbolicValue::Bits(self.pool().bool_to_bv(truth, 32))
            }
            ExprKind::Unary(op, operand) => self.unary(state, op, operand, node.ty),
            ExprKind::Binary(op, ..) if op.is_comparison() => {
                let truth = self.condition(state, expr);
                SymbolicValue::Bits(self.pool().bool_to_bv(truth, 32))
            }
            ExprKind::Binary(op, left, right) => self.arithmetic(state, op, left, right, node.ty),
            ExprKind::Cast(operand) => {
                let from = self.program.exprs[operand].ty;
                let value = self.value(state, operand);
                self.cast(state, value, from, node.ty)
            }
            ExprKind::PtrAdd(pointer, index) | ExprKind::PtrSub(pointer, index) => {
                let SymbolicValue::Pointer { object, offset } = self.value(state, pointer) else {
                    panic!("{pointer} is no pointer")
                };
                let target = self.program.types.pointee(node.ty).expect("a pointer");
                let stride = self.program.types.stride(target).unwrap_or(1);
                let index = self.wide_index(state, index);
                let stride = self.pool().bv(OFFSET_BITS, stride as u128);
                let distance = self.pool().bv_mul(index, stride);
                let offset = match node.kind {
                    ExprKind::PtrAdd(..) => self.pool().bv_add(offset, distance),
                    _ => self.pool().bv_sub(offset, distance),
                };
                SymbolicValue::Pointer { object, offset }
            }
            ExprKind::PtrDiff(left, right) => self.difference(state, left, right, node.ty),
        }
    }

    fn constant(&mut self, state: &mut State, ty: TypeId, bits: u128) -> SymbolicValue {
        let width = self.program.types.scalar_bits(ty);
        let number = self.pool().bv(width, bits);
        if !self.program.types.is_pointer(ty) {
            return SymbolicValue::Bits(number);
        }
        let pointer = number_to_pointer(self.pool(), number);
        if self.names_an_object(state, pointer) {
            self.ambiguous_address(state);
        }
        pointer
    }

    /// Whether a pointer is known to belong to an object that there is.
    fn names_an_object(&mut self, state: &State, pointer: SymbolicValue) -> bool {
        let SymbolicValue::Pointer { object, .. } = pointer else { return false };
        self.pool().as_u64(object).is_some_and(|id| id != 0 && state.memory.get(id as u32).is_some())
    }

    /// A number of the program's own that could be anything's address.
    fn ambiguous_address(&mut self, state: &mut State) {
        let always = self.pool().bool(true);
        self.leave(state, ObligationKind::Poison("a number that may be an address".into()), always);
    }

    /// Whether a scalar expression is not zero.
    pub fn condition(&mut self, state: &mut State, expr: ExprId) -> TermId {
        let node = self.program.exprs[expr];
        match node.kind {
            ExprKind::Unary(UnOp::Not, operand) => {
                let truth = self.condition(state, operand);
                self.pool().not(truth)
            }
            ExprKind::Binary(op, left, right) if op.is_comparison() => {
                let ty = self.program.exprs[left].ty;
                let left = self.value(state, left);
                let right = self.value(state, right);
                self.compare(state, op, ty, left, right)
            }
            _ => {
                let value = self.value(state, expr);
                self.truth(value, node.ty)
            }
        }
    }

    pub fn truth(&mut self, value: SymbolicValue, ty: TypeId) -> TermId {
        match value {
            SymbolicValue::Bits(term) if ty.float_kind().is_some() => {
                let zero = self.float_is_zero(term, ty);
                self.pool().not(zero)
            }
            SymbolicValue::Bits(term) => {
                let width = self.pool().width(term);
                let zero = self.pool().bv(width, 0);
                self.pool().ne(term, zero)
            }
            SymbolicValue::Pointer { .. } => {
                let null = SymbolicValue::null(self.pool());
                let equal = self.same_pointer(value, null);
                self.pool().not(equal)
            }
        }
    }

    pub fn same_pointer(&mut self, a: SymbolicValue, b: SymbolicValue) -> TermId {
        let (SymbolicValue::Pointer { object: a, offset: m }, SymbolicValue::Pointer { object: b, offset: n }) = (a, b)
        else {
            panic!("pointers are compared with pointers")
        };
        let objects = self.pool().eq(a, b);
        let offsets = self.pool().eq(m, n);
        self.pool().and(objects, offsets)
    }

    fn compare(
        &mut self,
        state: &mut State,
        op: BinOp,
        ty: TypeId,
        left: SymbolicValue,
        right: SymbolicValue,
    ) -> TermId {
        if ty.float_kind().is_some() {
            return self.float_compare(op, ty, left.bits(), right.bits());
        }
        let signed = self.program.types.is_signed(ty);
        let (a, b) = match (left, right) {
            (SymbolicValue::Bits(a), SymbolicValue::Bits(b)) => (a, b),
            _ => match op {
                BinOp::Eq | BinOp::Ne => {
                    self.note_open_equality(state, left, right);
                    let same = self.same_pointer(left, right);
                    return if op == BinOp::Eq { same } else { self.pool().not(same) };
                }
                _ => return self.pointer_order(state, op, left, right),
            },
        };
        self.ordered(op, a, b, signed)
    }

    fn ordered(&mut self, op: BinOp, a: TermId, b: TermId, signed: bool) -> TermId {
        let pool = self.pool();
        match (op, signed) {
            (BinOp::Eq, _) => pool.eq(a, b),
            (BinOp::Ne, _) => pool.ne(a, b),
            (BinOp::Lt, true) => pool.slt(a, b),
            (BinOp::Le, true) => pool.sle(a, b),
            (BinOp::Gt, true) => pool.sgt(a, b),
            (BinOp::Ge, true) => pool.sge(a, b),
            (BinOp::Lt, false) => pool.ult(a, b),
            (BinOp::Le, false) => pool.ule(a, b),
            (BinOp::Gt, false) => pool.ugt(a, b),
            (_, _) => pool.uge(a, b),
        }
    }

    /// Order of pointers: known within one object; where objects lie relative to each other is not specified.
    fn pointer_order(&mut self, state: &mut State, op: BinOp, left: SymbolicValue, right: SymbolicValue) -> TermId {
        let (SymbolicValue::Pointer { object: a, offset: m }, SymbolicValue::Pointer { object: b, offset: n }) =
            (left, right)
        else {
            panic!("pointers are compared with pointers")
        };
        self.require_same_object(state, a, b);
        self.ordered(op, m, n, true)
    }

    /// Pointers into different objects are different only where both point into live objects: the end of one object may be the start of
    /// another, an address is used again after `free`, equal string literals may be one object. Runs go on as if they were different.
    fn note_open_equality(&mut self, state: &mut State, left: SymbolicValue, right: SymbolicValue) {
        let (SymbolicValue::Pointer { object: a, offset: m }, SymbolicValue::Pointer { object: b, offset: n }) =
            (left, right)
        else {
            panic!("pointers are compared with pointers")
        };
        let none = self.pool().bv(OBJECT_BITS, 0);
        let differ = self.pool().ne(a, b);
        if !self.mode.explores_open() || a == none || b == none || self.pool().as_bool(differ) == Some(false) {
            return;
        }
        let (first, second) = (self.settled(state, a, m), self.settled(state, b, n));
        let both = self.pool().and(first, second);
        let open = self.pool().not(both);
        let (some, others) = (self.pool().ne(a, none), self.pool().ne(b, none));
        let open = self.pool().and_all(&[differ, open, some, others]);
        self.left_open(
            state,
            "whether pointers are equal of which one points to no live object, or behind its end",
            open,
        );
    }

    /// Whether a pointer points into a live object that shares its address with no other, or to a function.
    fn settled(&mut self, state: &State, object: TermId, offset: TermId) -> TermId {
        let mut settled = self.pool().bool(false);
        for (id, hit) in self.candidates(state, object) {
            let Some(target) = id.and_then(|id| state.memory.get(id)).cloned() else { continue };
            let inside = match id.map(|id| self.encoder.object_keys[id as usize]) {
                Some(ObjectKey::Function(_)) => self.pool().bool(true),
                Some(ObjectKey::Global(var)) if self.program.vars[var].kind == cfa::VarKind::Constant => continue,
                _ => self.pool().ult(offset, target.size),
            };
            let here = self.pool().and_all(&[hit, inside, target.alive]);
            settled = self.pool().or(settled, here);
        }
        settled
    }

    fn require_same_object(&mut self, state: &mut State, a: TermId, b: TermId) {
        let differ = self.pool().ne(a, b);
        self.leave(state, ObligationKind::Poison(POINTERS_APART.into()), differ);
    }

    fn difference(&mut self, state: &mut State, left: ExprId, right: ExprId, ty: TypeId) -> SymbolicValue {
        let target = self.program.types.pointee(self.program.exprs[left].ty).expect("a pointer");
        let stride = self.program.types.stride(target).unwrap_or(1).max(1);
        let left = self.value(state, left);
        let right = self.value(state, right);
        let (SymbolicValue::Pointer { object: a, offset: m }, SymbolicValue::Pointer { object: b, offset: n }) =
            (left, right)
        else {
            panic!("pointers are subtracted from pointers")
        };
        self.require_same_object(state, a, b);
        let bytes = self.pool().bv_sub(m, n);
        let elements = match crate::linear::divide(self.pool(), bytes, stride) {
            Some((quotient, remainder)) if self.pool().as_u64(remainder) == Some(0) => quotient,
            _ => {
                let divisor = self.pool().bv(OFFSET_BITS, stride as u128);
                self.pool().bv_sdiv(bytes, divisor)
            }
        };
        let width = self.program.types.scalar_bits(ty);
        SymbolicValue::Bits(self.pool().resize_signed(elements, width))
    }

    fn unary(&mut self, state: &mut State, op: UnOp, operand: ExprId, ty: TypeId) -> SymbolicValue {
        let term = self.value(state, operand).bits();
        if ty.float_kind().is_some() {
            return SymbolicValue::Bits(self.float_negate(ty, term));
        }
        match op {
            UnOp::Neg => {
                if self.overflow_matters(ty) {
                    let overflows = self.pool().neg_overflows(term);
                    self.fault(state, Fault::SignedOverflow, overflows);
                }
                SymbolicValue::Bits(self.pool().bv_neg(term))
            }
            _ => SymbolicValue::Bits(self.pool().bv_not(term)),
        }
    }

    /// Whether overflow of a type is asked about.
    fn overflow_matters(&self, ty: TypeId) -> bool {
        can_overflow(ty) && self.properties.contains(cfa::Property::NoOverflow)
    }

    fn arithmetic(&mut self, state: &mut State, op: BinOp, left: ExprId, right: ExprId, ty: TypeId) -> SymbolicValue {
        let right_type = self.program.exprs[right].ty;
        let a = self.value(state, left).bits();
        let b = self.value(state, right).bits();
        if ty.float_kind().is_some() {
            return SymbolicValue::Bits(self.float_arithmetic(op, ty, a, b));
        }
        let signed = self.program.types.is_signed(ty);
        let checked = self.overflow_matters(ty);
        let width = self.pool().width(a);
        SymbolicValue::Bits(match op {
            BinOp::Add => {
                if checked {
                    let overflows = self.pool().sadd_overflows(a, b);
                    self.fault(state, Fault::SignedOverflow, overflows);
                }
                self.pool().bv_add(a, b)
            }
            BinOp::Sub => {
                if checked {
                    let overflows = self.pool().ssub_overflows(a, b);
                    self.fault(state, Fault::SignedOverflow, overflows);
                }
                self.pool().bv_sub(a, b)
            }
            BinOp::Mul => {
                if checked {
                    let overflows = self.pool().smul_overflows(a, b);
                    self.fault(state, Fault::SignedOverflow, overflows);
                }
                self.pool().bv_mul(a, b)
            }
            BinOp::Div | BinOp::Rem => {
                let zero = self.pool().bv(width, 0);
                let by_zero = self.pool().eq(b, zero);
                self.fault(state, Fault::DivisionByZero, by_zero);
                if can_overflow(ty) {
                    let overflows = self.pool().sdiv_overflows(a, b);
                    self.fault(state, Fault::DivisionOverflow, overflows);
                }
                if let Some(narrow) = self.narrow_division(state, a, b, op == BinOp::Div) {
                    return SymbolicValue::Bits(narrow);
                }
                match (op, signed) {
                    (BinOp::Div, true) => self.pool().bv_sdiv(a, b),
                    (BinOp::Div, false) => self.pool().bv_udiv(a, b),
                    (_, true) => self.pool().bv_srem(a, b),
                    (_, false) => self.pool().bv_urem(a, b),
                }
            }
            BinOp::And => self.pool().bv_and(a, b),
            BinOp::Or => self.pool().bv_or(a, b),
            BinOp::Xor => self.pool().bv_xor(a, b),
            BinOp::Shl | BinOp::Shr => self.shift(state, op, ty, right_type, a, b),
            _ => panic!("a comparison is no arithmetic"),
        })
    }

    /// The amount is masked to the width, as the processor does and as the interpreter decided.
    fn shift(&mut self, state: &mut State, op: BinOp, ty: TypeId, right: TypeId, a: TermId, b: TermId) -> TermId {
        let width = self.pool().width(a);
        let amount_width = self.pool().width(b);
        let mut inside = self.pool().bool(true);
        if self.properties.contains(cfa::Property::ShiftRange) || self.overflow_matters(ty) {
            // A negative amount is huge when read as unsigned.
            let limit = self.pool().bv(amount_width.max(16), width as u128);
            let amount = match self.program.types.is_signed(right) {
                true => self.pool().resize_signed(b, amount_width.max(16)),
                false => self.pool().resize_unsigned(b, amount_width.max(16)),
            };
            inside = self.pool().ult(amount, limit);
            let outside = self.pool().not(inside);
            self.fault(state, Fault::ShiftRange, outside);
        }
        let b = self.pool().resize_unsigned(b, width);
        let mask = self.pool().bv(width, width as u128 - 1);
        let amount = self.pool().bv_and(b, mask);
        let signed = self.program.types.is_signed(ty);
        if op == BinOp::Shr {
            return if signed { self.pool().bv_ashr(a, amount) } else { self.pool().bv_lshr(a, amount) };
        }
        let shifted = self.pool().bv_shl(a, amount);
        if self.overflow_matters(ty) {
            let back = self.pool().bv_ashr(shifted, amount);
            let lost = self.pool().ne(back, a);
            let negative = self.pool().is_negative(a);
            let overflows = self.pool().or(lost, negative);
            // One operation has one fault: out of range it is the amount's.
            let overflows = self.pool().and(overflows, inside);
            self.fault(state, Fault::SignedOverflow, overflows);
        }
        shifted
    }

    /// Beyond what numbers can tell apart, they would be ambiguous.
    fn require_number(&mut self, state: &mut State, value: SymbolicValue, width: u32) {
        let fits = has_number(self.pool(), value, width);
        let ambiguous = self.pool().not(fits);
        self.leave(state, ObligationKind::Poison("address of a distant place as a number".into()), ambiguous);
    }

    /// A number that was computed, as a pointer. Short addresses look like numbers that programs write themselves: what is known to be such
    /// a number may be either.
    fn number_as_pointer(&mut self, state: &mut State, number: TermId) -> SymbolicValue {
        let pointer = number_to_pointer(self.pool(), number);
        if self.pool().as_u64(number).is_none() {
            self.out.numbers_as_pointers = true;
        } else if self.pool().width(number) < 64 && self.names_an_object(state, pointer) {
            self.ambiguous_address(state);
        }
        pointer
    }

    pub fn cast(&mut self, state: &mut State, value: SymbolicValue, from: TypeId, to: TypeId) -> SymbolicValue {
        let types = &self.program.types;
        let (from_pointer, to_pointer) = (types.is_pointer(from), types.is_pointer(to));
        if to == TypeId::BOOL {
            let truth = self.truth(value, from);
            return SymbolicValue::Bits(self.pool().bool_to_bv(truth, 1));
        }
        match (from_pointer, to_pointer) {
            (true, true) => return value,
            (true, false) => {
                let pointer_width = types.scalar_bits(from);
                let width = types.scalar_bits(to);
                self.require_number(state, value, pointer_width);
                let number = pointer_to_number(self.pool(), value, pointer_width);
                return SymbolicValue::Bits(self.pool().resize_unsigned(number, width));
            }
            (false, true) => {
                let width = types.scalar_bits(to);
                let signed = types.is_signed(from);
                let term = value.bits();
                let number = if signed {
                    self.pool().resize_signed(term, width)
                } else {
                    self.pool().resize_unsigned(term, width)
                };
                return self.number_as_pointer(state, number);
            }
            (false, false) => {}
        }
        if from.float_kind().is_some() || to.float_kind().is_some() {
            return SymbolicValue::Bits(self.float_cast(state, value.bits(), from, to));
        }
        let width = types.scalar_bits(to);
        let signed = types.is_signed(from);
        let term = value.bits();
        SymbolicValue::Bits(if signed {
            self.pool().resize_signed(term, width)
        } else {
            self.pool().resize_unsigned(term, width)
        })
    }
}

/// Whether arithmetic in a type can overflow: it is signed, and as wide as what narrower types are promoted to.
fn can_overflow(ty: TypeId) -> bool {
    ty.int_kind().is_some_and(|kind| kind.is_signed() && kind.rank() >= cfa::IntKind::Int.rank())
}

//! gcc's atomic built-ins, `__sync_…` and `__atomic_…`. A program has one thread (to start another is poison), so each is the plain
//! operation that it makes indivisible, except that its arithmetic wraps. Weak exchanges do not fail, as they do not on x86.

use super::Lower;
use super::expr::Operand;
use crate::c::ast;
use base::Span;
use cfa::walk::Node;
use cfa::{BinOp, Branch, ExprId, ExprKind, IntKind, Op, PlaceId, PlaceKind, TypeId, UnOp};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Atomic {
    /// Pointer, operand; the result is the value before or after.
    Update(Operator, Result),
    Load,
    Store,
    Exchange,
    /// `__sync_lock_release`
    Release,
    /// Pointer, pointer to the result.
    LoadInto,
    /// Pointer, pointer to the value.
    StoreFrom,
    /// Pointer, pointer to the value, pointer to the result.
    ExchangeFrom,
    /// Pointer, old value, new value; the result is whether it was stored, or what was there.
    Swap(Swapped),
    /// Pointer, pointer to the old value, new value.
    CompareExchange,
    /// Pointer, pointer to the old value, pointer to the new value.
    CompareExchangeFrom,
    TestAndSet,
    Clear,
    Fence,
    /// Size, pointer.
    LockFree,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Plain(BinOp),
    Nand,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Result {
    Before,
    After,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Swapped {
    Whether,
    Before,
}

/// The built-ins that are no update.
const TABLE: &[(&str, Atomic)] = &[
    ("__sync_bool_compare_and_swap", Atomic::Swap(Swapped::Whether)),
    ("__sync_val_compare_and_swap", Atomic::Swap(Swapped::Before)),
    ("__sync_lock_test_and_set", Atomic::Exchange),
    ("__sync_lock_release", Atomic::Release),
    ("__sync_synchronize", Atomic::Fence),
    ("__atomic_load_n", Atomic::Load),
    ("__atomic_load", Atomic::LoadInto),
    ("__atomic_store_n", Atomic::Store),
    ("__atomic_store", Atomic::StoreFrom),
    ("__atomic_exchange_n", Atomic::Exchange),
    ("__atomic_exchange", Atomic::ExchangeFrom),
    ("__atomic_compare_exchange_n", Atomic::CompareExchange),
    ("__atomic_compare_exchange", Atomic::CompareExchangeFrom),
    ("__atomic_test_and_set", Atomic::TestAndSet),
    ("__atomic_clear", Atomic::Clear),
    ("__atomic_thread_fence", Atomic::Fence),
    ("__atomic_signal_fence", Atomic::Fence),
    ("__atomic_always_lock_free", Atomic::LockFree),
    ("__atomic_is_lock_free", Atomic::LockFree),
];

pub(super) fn lookup(name: &str) -> Option<Atomic> {
    if let Some((_, atomic)) = TABLE.iter().find(|(known, _)| *known == name) {
        return Some(*atomic);
    }
    let (operator, result) = match name.strip_prefix("__sync_") {
        Some(rest) => match (rest.strip_prefix("fetch_and_"), rest.strip_suffix("_and_fetch")) {
            (Some(operator), _) => (operator, Result::Before),
            (_, operator) => (operator?, Result::After),
        },
        None => {
            let rest = name.strip_prefix("__atomic_")?;
            match (rest.strip_prefix("fetch_"), rest.strip_suffix("_fetch")) {
                (Some(operator), _) => (operator, Result::Before),
                (_, operator) => (operator?, Result::After),
            }
        }
    };
    let operator = match operator {
        "add" => Operator::Plain(BinOp::Add),
        "sub" => Operator::Plain(BinOp::Sub),
        "and" => Operator::Plain(BinOp::And),
        "or" => Operator::Plain(BinOp::Or),
        "xor" => Operator::Plain(BinOp::Xor),
        "nand" => Operator::Nand,
        _ => return None,
    };
    Some(Atomic::Update(operator, result))
}

impl Atomic {
    /// How many arguments there are before the memory orders.
    fn arity(self) -> usize {
        match self {
            Atomic::Fence => 0,
            Atomic::Load | Atomic::Release | Atomic::TestAndSet | Atomic::Clear => 1,
            Atomic::Update(..) | Atomic::Store | Atomic::Exchange => 2,
            Atomic::LoadInto | Atomic::StoreFrom | Atomic::LockFree => 2,
            Atomic::ExchangeFrom | Atomic::Swap(_) => 3,
            Atomic::CompareExchange | Atomic::CompareExchangeFrom => 3,
        }
    }
}

impl Lower<'_> {
    pub(super) fn atomic(&mut self, atomic: Atomic, name: &str, args: &[ast::ExprId], span: Span) -> Operand {
        if args.len() < atomic.arity() {
            self.error(span, format!("`{name}` needs more arguments"));
            return Operand::Value(self.dummy(TypeId::INT, span));
        }
        let (operands, orders) = args.split_at(atomic.arity());
        if atomic == Atomic::LockFree {
            return self.lock_free(operands, name, span);
        }
        self.evaluate(orders);
        let mut values: Vec<ExprId> = Vec::new();
        let mut evaluated = Vec::new();
        for (index, operand) in operands.iter().enumerate().rev() {
            let begin = self.edges_so_far();
            let value = self.rvalue(*operand);
            let value = self.before(value, &operands[..index]);
            evaluated.push(self.evaluated(begin, Node::Expr(value)));
            values.push(value);
        }
        values.reverse();
        self.unsequenced(evaluated);
        if atomic == Atomic::Fence {
            return Operand::Void;
        }
        match self.atomic_on(atomic, &values, span) {
            Some(operand) => operand,
            // A type that is not supported, or that gcc takes by the bytes.
            None => {
                let ty = self.unsupported_type(&format!("`{name}`"));
                Operand::Value(self.unsupported_value(ty, ty, span))
            }
        }
    }

    /// The operation on values that are evaluated; `None` if it is not supported.
    fn atomic_on(&mut self, atomic: Atomic, values: &[ExprId], span: Span) -> Option<Operand> {
        let pointer = self.fixed_pointer(values[0], span);
        if let Atomic::TestAndSet | Atomic::Clear = atomic {
            return self.flag(atomic, pointer, span);
        }
        let ty = self.program.types.pointee(self.expr_type(pointer))?;
        self.program.types.size_of(ty).filter(|_| self.unsupported_name(ty).is_none())?;
        let place = self.deref(pointer, ty);
        let place = self.writable(place, span);
        let whole = ty.int_kind().is_some() || self.program.types.is_pointer(ty);
        match atomic {
            // Other types are loaded, stored and exchanged through pointers only.
            Atomic::LoadInto => {
                let to = self.same_type_behind(values[1], ty, span)?;
                let value = self.read(place, span);
                self.emit(Op::Assign(to, value), span);
            }
            Atomic::StoreFrom => {
                let from = self.same_type_behind(values[1], ty, span)?;
                let value = self.read(from, span);
                self.emit(Op::Assign(place, value), span);
            }
            Atomic::ExchangeFrom => {
                let from = self.same_type_behind(values[1], ty, span)?;
                let to = self.same_type_behind(values[2], ty, span)?;
                let old = self.read(place, span);
                let old = self.fixed(old, span);
                let new = self.read(from, span);
                self.emit(Op::Assign(place, new), span);
                self.emit(Op::Assign(to, old), span);
            }
            _ if !whole => return None,
            Atomic::Load => {
                let value = self.read(place, span);
                return Some(Operand::Value(self.fixed(value, span)));
            }
            Atomic::Store | Atomic::Release => {
                let value = match values.get(1) {
                    Some(value) => self.converted(*value, ty, span)?,
                    None => self.int(0, ty, span),
                };
                self.emit(Op::Assign(place, value), span);
            }
            Atomic::Exchange => {
                let new = self.converted(values[1], ty, span)?;
                let new = self.fixed(new, span);
                let old = self.read(place, span);
                let old = self.fixed(old, span);
                self.emit(Op::Assign(place, new), span);
                return Some(Operand::Value(old));
            }
            Atomic::Update(operator, result) => return self.update(operator, result, place, values[1], span),
            Atomic::Swap(swapped) => {
                let expected = self.converted(values[1], ty, span)?;
                let new = self.converted(values[2], ty, span)?;
                let old = self.read(place, span);
                let old = self.fixed(old, span);
                let same = self.arithmetic(BinOp::Eq, old, expected, span);
                let same = self.fixed(same, span);
                self.exchange_if(same, (place, new), None, span);
                return Some(Operand::Value(match swapped {
                    Swapped::Whether => self.cast(same, TypeId::BOOL, span),
                    Swapped::Before => old,
                }));
            }
            Atomic::CompareExchange | Atomic::CompareExchangeFrom => {
                let expected = self.same_type_behind(values[1], ty, span)?;
                let new = match atomic {
                    Atomic::CompareExchange => self.converted(values[2], ty, span)?,
                    _ => {
                        let from = self.same_type_behind(values[2], ty, span)?;
                        self.read(from, span)
                    }
                };
                let old = self.read(place, span);
                let old = self.fixed(old, span);
                let wanted = self.read(expected, span);
                let same = self.arithmetic(BinOp::Eq, old, wanted, span);
                let same = self.fixed(same, span);
                self.exchange_if(same, (place, new), Some((expected, old)), span);
                return Some(Operand::Value(self.cast(same, TypeId::BOOL, span)));
            }
            Atomic::TestAndSet | Atomic::Clear | Atomic::Fence | Atomic::LockFree => return None,
        }
        Some(Operand::Void)
    }

    /// `*place = *place op value`, which wraps. On a pointer it counts bytes.
    fn update(
        &mut self,
        operator: Operator,
        result: Result,
        place: PlaceId,
        value: ExprId,
        span: Span,
    ) -> Option<Operand> {
        let ty = self.place_type(place);
        let kind = match ty.int_kind() {
            Some(IntKind::Bool) => return None,
            Some(kind) if kind.rank() < IntKind::Int.rank() => IntKind::UInt,
            Some(kind) => kind.to_unsigned(),
            None => self.program.model().size_type(),
        };
        let number = TypeId::int(kind);
        let value = self.converted(value, number, span)?;
        let old = self.read(place, span);
        let old = self.fixed(old, span);
        let old_number = self.cast(old, number, span);
        let new = match operator {
            Operator::Plain(op) => self.arithmetic(op, old_number, value, span),
            Operator::Nand => {
                let both = self.arithmetic(BinOp::And, old_number, value, span);
                self.unary(UnOp::BitNot, both, span)
            }
        };
        let new = self.cast(new, ty, span);
        let new = if result == Result::After { self.fixed(new, span) } else { new };
        self.emit(Op::Assign(place, new), span);
        Some(Operand::Value(if result == Result::After { new } else { old }))
    }

    /// Stores the one if a condition holds, else the other.
    fn exchange_if(
        &mut self,
        cond: ExprId,
        (place, value): (PlaceId, ExprId),
        otherwise: Option<(PlaceId, ExprId)>,
        span: Span,
    ) {
        if self.must_fold() {
            self.effect_wanted.get_or_insert(span);
            return;
        }
        let (yes, no) = self.branch(cond, Branch::Conditional, span);
        self.set_cursor(yes);
        self.emit(Op::Assign(place, value), span);
        let yes = self.cursor();
        self.set_cursor(no);
        if let Some((place, value)) = otherwise {
            self.emit(Op::Assign(place, value), span);
        }
        let no = self.cursor();
        self.join(&[yes, no], span);
    }

    /// One byte at any address.
    fn flag(&mut self, atomic: Atomic, pointer: ExprId, span: Span) -> Option<Operand> {
        let target = self.program.types.pointee(self.expr_type(pointer))?;
        if self.unsupported_name(target).is_some() {
            return None;
        }
        // A `_Bool` is accessed as `_Bool`, every other object as a byte.
        let byte = if target == TypeId::BOOL { TypeId::BOOL } else { TypeId::UCHAR };
        let to_byte = self.program.types.pointer_to(byte);
        let pointer = self.cast(pointer, to_byte, span);
        let place = self.deref(pointer, byte);
        let place = self.writable(place, span);
        if atomic == Atomic::Clear {
            let zero = self.int(0, byte, span);
            self.emit(Op::Assign(place, zero), span);
            return Some(Operand::Void);
        }
        let old = self.read(place, span);
        let old = self.fixed(old, span);
        let one = self.int(1, byte, span);
        // gcc makes a truth value of the byte that is neither true nor false.
        let strange = self.arithmetic(BinOp::Gt, old, one, span);
        if byte != TypeId::BOOL && !self.must_fold() {
            let (yes, no) = self.branch(strange, Branch::Conditional, span);
            self.set_cursor(yes);
            self.poison(span, "`__atomic_test_and_set` of a byte other than 0 and 1");
            let yes = self.cursor();
            self.join(&[yes, no], span);
        }
        let old = self.cast(old, TypeId::BOOL, span);
        self.emit(Op::Assign(place, one), span);
        Some(Operand::Value(old))
    }

    /// Objects of up to 8 bytes are handled without locks; what a library does with larger ones is not known.
    fn lock_free(&mut self, operands: &[ast::ExprId], name: &str, span: Span) -> Operand {
        self.effect(operands[1]);
        match self.constant_int(operands[0]) {
            Some(1 | 2 | 4 | 8) => Operand::Value(self.int(1, TypeId::BOOL, span)),
            Some(_) if name == "__atomic_always_lock_free" => Operand::Value(self.int(0, TypeId::BOOL, span)),
            _ => {
                self.poison(span, &format!("`{name}`"));
                Operand::Value(self.dummy(TypeId::BOOL, span))
            }
        }
    }

    /// What a pointer argument leads to, if that is of the wanted type or an integer as large.
    fn same_type_behind(&mut self, pointer: ExprId, wanted: TypeId, span: Span) -> Option<PlaceId> {
        let pointer = self.fixed_pointer(pointer, span);
        let target = self.program.types.pointee(self.expr_type(pointer))?;
        let types = &self.program.types;
        let alike = |ty: TypeId| ty.int_kind().is_some_and(|kind| kind != IntKind::Bool) || types.is_pointer(ty);
        let fits = target == wanted
            || target == TypeId::VOID
            || (alike(target) && alike(wanted) && types.size_of(target) == types.size_of(wanted));
        if !fits {
            return None;
        }
        let to_wanted = self.program.types.pointer_to(wanted);
        let pointer = self.cast(pointer, to_wanted, span);
        let place = self.deref(pointer, wanted);
        Some(self.writable(place, span))
    }

    /// A pointer whose value no store changes. The address of a variable or member is kept as it is written.
    fn fixed_pointer(&mut self, pointer: ExprId, span: Span) -> ExprId {
        if let ExprKind::AddrOf(place) = self.program.exprs[pointer].kind {
            let mut root = place;
            while let PlaceKind::Field(base, _) = self.program.places[root].kind {
                root = base;
            }
            if let PlaceKind::Var(_) = self.program.places[root].kind {
                return pointer;
            }
        }
        self.fixed(pointer, span)
    }

    /// A scalar as another type, without complaint.
    fn converted(&mut self, value: ExprId, ty: TypeId, span: Span) -> Option<ExprId> {
        let from = self.expr_type(value);
        let scalar = from.is_arithmetic() || self.program.types.is_pointer(from);
        scalar.then(|| self.cast(value, ty, span))
    }
}

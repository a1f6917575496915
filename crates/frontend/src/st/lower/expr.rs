//! Expressions and the places that names lead to.
//!
//! The standard leaves open how far a Boolean expression is evaluated. Here AND and OR of BOOL evaluate the right operand only where it matters if it could end the
//! run (an index, a division, a call); else both operands are parts of one condition.

use super::super::ast::{Expr, ExprKind as Ast, Name, Operator, key};
use super::Lower;
use super::constant::Const;
use super::operator::Val;
use super::types::{ArrayTy, Ty};
use super::vars::{InstanceId, Slot};
use base::Span;
use cfa::{BinOp, Branch, ExprId, ExprKind, IntKind, Op, PlaceId, PlaceKind, Property, Type, TypeId};
use std::rc::Rc;

/// What a path of names leads to.
pub enum Target {
    Place(PlaceId, Ty, bool),
    Const(Const, Ty),
    Block(InstanceId),
    Blocks(Rc<(Vec<(i128, i128)>, Vec<InstanceId>)>),
    /// One of several, by conditions of which one holds.
    Choice(Vec<(ExprId, InstanceId)>),
    Unsupported(&'static str),
    /// There was an error.
    Nothing,
}

impl From<Slot> for Target {
    fn from(slot: Slot) -> Self {
        match slot {
            Slot::Place { place, ty, writable } => Target::Place(place, ty, writable),
            Slot::Const(value, ty) => Target::Const(value, ty),
            Slot::Block(instance) => Target::Block(instance),
            Slot::Blocks(blocks) => Target::Blocks(blocks),
            Slot::Unsupported(what) => Target::Unsupported(what),
        }
    }
}

/// Whether evaluating an expression may end the run or calls something.
pub fn has_effects(expr: &Expr) -> bool {
    match &expr.kind {
        Ast::Call(..) | Ast::Deref(_) => true,
        Ast::Index(of, indices) => {
            has_effects(of) || indices.iter().any(|index| !matches!(index.kind, Ast::Int(_)) || has_effects(index))
        }
        Ast::Binary(Operator::Div | Operator::Mod | Operator::Power, _, right) => {
            !matches!(right.kind, Ast::Int(_) | Ast::Real(_)) || has_effects(right)
        }
        Ast::Binary(_, left, right) => has_effects(left) || has_effects(right),
        Ast::Member(of, _) | Ast::Bit(of, _) | Ast::Slice(of, ..) | Ast::Not(of) | Ast::Neg(of) | Ast::Plus(of) => {
            has_effects(of)
        }
        _ => false,
    }
}

impl Lower<'_> {
    /// An expression as a value of a type.
    pub fn value_as(&mut self, expr: &Expr, ty: &Ty) -> ExprId {
        let value = self.value(expr);
        self.convert(value, ty, expr.span)
    }

    /// An expression as a condition.
    pub fn condition(&mut self, expr: &Expr) -> ExprId {
        match self.value(expr) {
            Val::Expr(value, Ty::Bool) => self.condition_of(value),
            Val::Int(number @ 0..=1) => self.constant(number, TypeId::BOOL, expr.span),
            Val::Bad => self.constant(0, TypeId::BOOL, expr.span),
            other => {
                let found = match other {
                    Val::Expr(_, ty) | Val::Whole(_, ty) => self.ty_name(&ty),
                    _ => "a constant".into(),
                };
                self.error(expr.span, format!("a condition is a BOOL, this is {found}"));
                self.constant(0, TypeId::BOOL, expr.span)
            }
        }
    }

    pub fn value(&mut self, expr: &Expr) -> Val {
        let span = expr.span;
        match &expr.kind {
            Ast::Int(value) => Val::Int(*value),
            Ast::Real(value) => Val::Real(*value),
            Ast::Bool(value) => self.boolean(*value, span),
            Ast::Text(text) => Val::Text(text.clone()),
            Ast::Typed(_, rest) if rest.is_empty() => {
                // Editors write `TIME#` where a field was left empty.
                self.unsupported.push((span, "a literal without a value"));
                self.poison(span, "a literal without a value");
                Val::Bad
            }
            Ast::Typed(prefix, rest) => match self.typed_literal(prefix, rest, span) {
                Some((value, ty)) => self.const_val(&value, Some(&ty), span),
                None => Val::Bad,
            },
            Ast::Name(name) => {
                if self.lookup(name).is_none() {
                    if let Some(value) = self.enumerator(name, span) {
                        return value;
                    }
                    if name.eq_ignore_ascii_case("NULL") {
                        return Val::Int(0);
                    }
                }
                self.read_target(expr)
            }
            Ast::Member(of, name) => {
                if let Ast::Name(ty) = &of.kind
                    && self.lookup(ty).is_none()
                    && let Some((number, value)) = self.enumerator_of(ty, &name.text)
                {
                    return self.const_val(&Const::Int(value), Some(&Ty::Enum(number)), span);
                }
                self.read_target(expr)
            }
            Ast::Address(_) | Ast::Index(..) | Ast::Deref(_) => self.read_target(expr),
            Ast::Bit(of, bit) => self.bit(of, *bit, span),
            Ast::Slice(of, width, number) => self.slice(of, *width, *number, span),
            Ast::Call(callee, args) => self.call_value(callee, args, span),
            Ast::Not(inner) => {
                let value = self.value(inner);
                self.complement(value, span)
            }
            Ast::Neg(inner) => {
                let value = self.value(inner);
                self.negative(value, span)
            }
            Ast::Plus(inner) => self.value(inner),
            Ast::Binary(operator, left, right) => {
                let lazy = matches!(operator, Operator::AndThen | Operator::OrElse);
                let logical = lazy || matches!(operator, Operator::And | Operator::Or);
                if logical && has_effects(right) {
                    return self.shortened(*operator, left, right, span);
                }
                let mut first = self.value(left);
                // A call on the right may change what stands on the left.
                if self.calls_own_code(right) {
                    first = self.keep_value(first, left.span);
                }
                let right = self.value(right);
                self.binary(*operator, first, right, span)
            }
            Ast::List(_) | Ast::Record(_) => {
                self.error(span, "this is an initial value, not an expression");
                Val::Bad
            }
            Ast::Bad => Val::Bad,
        }
    }

    /// Whether an expression calls a function or method of the text.
    fn calls_own_code(&self, expr: &Expr) -> bool {
        let within = |inner: &Expr| self.calls_own_code(inner);
        match &expr.kind {
            Ast::Call(callee, args) => {
                let known = match &callee.kind {
                    Ast::Name(name) => self.pous.get(&key(name)).is_none_or(|pou| self.unit.pous[*pou].is_library),
                    _ => false,
                };
                !known || args.iter().filter_map(|arg| arg.value.as_ref()).any(within)
            }
            Ast::Index(of, indices) => within(of) || indices.iter().any(within),
            Ast::Binary(_, left, right) => within(left) || within(right),
            Ast::Member(of, _)
            | Ast::Bit(of, _)
            | Ast::Slice(of, ..)
            | Ast::Not(of)
            | Ast::Neg(of)
            | Ast::Plus(of)
            | Ast::Deref(of) => within(of),
            _ => false,
        }
    }

    pub fn any_calls_own_code(&self, args: &[super::super::ast::Arg]) -> bool {
        args.iter().filter_map(|arg| arg.value.as_ref()).any(|value| self.calls_own_code(value))
    }

    /// A value as it is now, whatever happens to the variables that it was read from.
    pub fn keep_value(&mut self, value: Val, span: Span) -> Val {
        let Val::Expr(expr, ty) = value else { return value };
        if self.program.constant(expr).is_some() {
            return Val::Expr(expr, ty);
        }
        let id = self.program.exprs[expr].ty;
        let kept = self.temp(id);
        self.emit(Op::Assign(kept, expr), span);
        Val::Expr(self.read(kept, span), ty)
    }

    /// AND, OR with a right operand that is evaluated only where it matters.
    fn shortened(&mut self, operator: Operator, left: &Expr, right: &Expr, span: Span) -> Val {
        let first = self.value(left);
        let Val::Expr(first, Ty::Bool) = first else {
            // Strings of bits.
            let second = self.value(right);
            return self.binary(operator, first, second, span);
        };
        let is_and = matches!(operator, Operator::And | Operator::AndThen);
        let result = self.temp(TypeId::BOOL);
        self.emit(Op::Assign(result, first), left.span);
        let kept = self.read(result, left.span);
        let (yes, no) = self.branch(kept, Branch::ShortCircuit, left.span);
        let (go_on, done) = if is_and { (yes, no) } else { (no, yes) };
        self.flow.cursor = go_on;
        let second = match self.value(right) {
            Val::Expr(second, Ty::Bool) => second,
            Val::Bad => self.constant(0, TypeId::BOOL, right.span),
            _ => {
                self.error(right.span, "both operands must be BOOL");
                self.constant(0, TypeId::BOOL, right.span)
            }
        };
        self.emit(Op::Assign(result, second), right.span);
        let behind = self.flow.cursor;
        self.join(&[behind, done], span);
        Val::Expr(self.read(result, span), Ty::Bool)
    }

    fn enumerator(&mut self, name: &str, span: Span) -> Option<Val> {
        let values = self.enumerators.get(&key(name))?.clone();
        let (number, value) = *values.first()?;
        // A name of several enumerations is a number until it meets one of them.
        if values.iter().any(|(_, other)| *other != value) {
            self.error(span, format!("`{name}` is a value of several types: write Type#{name}"));
        }
        match values.len() {
            1 => Some(self.const_val(&Const::Int(value), Some(&Ty::Enum(number)), span)),
            _ => Some(Val::Int(value)),
        }
    }

    /// What stands at a place, read.
    fn read_target(&mut self, expr: &Expr) -> Val {
        let span = expr.span;
        // A member of an instance that an index chooses: each of them is read where it is the one.
        if let Ast::Member(of, name) = &expr.kind
            && let Target::Choice(choices) = self.target(of)
        {
            return self.read_choice(&choices, name, span);
        }
        match self.target(expr) {
            Target::Place(place, ty, _) if ty.is_scalar() => Val::Expr(self.read(place, span), ty),
            Target::Place(place, ty, _) => Val::Whole(place, ty),
            Target::Const(value, ty) => self.const_val(&value, Some(&ty), span),
            Target::Unsupported(what) => {
                self.poison(span, what);
                Val::Bad
            }
            Target::Nothing => Val::Bad,
            Target::Block(_) | Target::Blocks(_) | Target::Choice(_) => {
                self.poison(span, "a function block as a value");
                Val::Bad
            }
        }
    }

    fn read_choice(&mut self, choices: &[(ExprId, InstanceId)], name: &Name, span: Span) -> Val {
        let member = |lower: &Self, instance: InstanceId| lower.instances[instance].slots.get(&name.key()).cloned();
        let Some(Slot::Place { ty, .. }) = choices.first().and_then(|(_, one)| member(self, *one)) else {
            self.error(name.span, format!("the function block has no variable `{}`", name.text));
            return Val::Bad;
        };
        if !ty.is_scalar() {
            self.poison(span, "array in an instance that an index chooses");
            return Val::Bad;
        }
        let id = self.cfa_type(&ty);
        let result = self.temp(id);
        let mut ends = Vec::new();
        for (cond, instance) in choices {
            let (yes, no) = self.branch(*cond, Branch::Conditional, span);
            self.flow.cursor = yes;
            if let Some(Slot::Place { place, .. }) = member(self, *instance) {
                let value = self.read(place, span);
                self.emit(Op::Assign(result, value), span);
            }
            ends.push(self.flow.cursor);
            self.flow.cursor = no;
        }
        // The index was checked, so one of them holds; the last way is never taken.
        ends.push(self.flow.cursor);
        self.join(&ends, span);
        Val::Expr(self.read(result, span), ty)
    }

    /// Where a path of names leads. Says what is wrong with it.
    pub fn target(&mut self, expr: &Expr) -> Target {
        let span = expr.span;
        match &expr.kind {
            Ast::Name(name) => match self.lookup(name) {
                Some(slot) => slot.into(),
                None if name.eq_ignore_ascii_case("instance") && self.entry_instance.is_some() => {
                    Target::Block(self.entry_instance.unwrap_or(0))
                }
                None if self.entry_instance.is_some_and(|_| self.is_entry_name(name)) => {
                    Target::Block(self.entry_instance.unwrap_or(0))
                }
                None if name.eq_ignore_ascii_case("THIS") && self.own_instance().is_some() => {
                    Target::Block(self.own_instance().unwrap_or(0))
                }
                None if name.eq_ignore_ascii_case("ENO") => Target::Unsupported("ENO in a block"),
                None => {
                    self.missing(span, &format!("`{name}` is not declared"));
                    match self.is_export() {
                        true => Target::Unsupported("what is declared elsewhere"),
                        false => Target::Nothing,
                    }
                }
            },
            Ast::Address(address) => {
                let wanted = key(address);
                if self.overlapping.contains(&wanted) {
                    return Target::Unsupported("address that shares bits with another one");
                }
                match self.located.iter().find(|one| one.address == wanted) {
                    Some(found) => found.slot.clone().into(),
                    None => Target::Unsupported("this address"),
                }
            }
            // `f(x).member`
            Ast::Call(callee, args) => match self.call_value(callee, args, span) {
                Val::Whole(place, ty) => Target::Place(place, ty, false),
                Val::Bad => Target::Nothing,
                _ => {
                    self.error(span, "this is no variable");
                    Target::Nothing
                }
            },
            Ast::Member(of, name) => match self.target(of) {
                Target::Place(place, Ty::Struct(number), writable) => {
                    let members = &self.structs[number].members;
                    let Some(index) = members.iter().position(|one| one.name.eq_ignore_ascii_case(&name.text)) else {
                        let message = format!("`{}` has no member `{}`", self.structs[number].name, name.text);
                        self.error(name.span, message);
                        return Target::Nothing;
                    };
                    let ty = members[index].ty.clone();
                    let id = self.cfa_type(&ty);
                    let place = self.new_place(PlaceKind::Field(place, index as u32), id);
                    Target::Place(place, ty, writable)
                }
                Target::Block(instance) => match self.instances[instance].slots.get(&name.key()).cloned() {
                    Some(slot) => slot.into(),
                    None => {
                        let message = format!("`{}` has no variable `{}`", self.block_name(instance), name.text);
                        self.error(name.span, message);
                        Target::Nothing
                    }
                },
                Target::Choice(_) => Target::Unsupported("write to a variable of an instance that an index chooses"),
                Target::Unsupported(what) => Target::Unsupported(what),
                Target::Nothing => Target::Nothing,
                Target::Place(_, ty, _) | Target::Const(_, ty) => {
                    let message = format!("{} has no members", self.ty_name(&ty));
                    self.error(name.span, message);
                    Target::Nothing
                }
                Target::Blocks(_) => {
                    self.error(name.span, "an index is missing");
                    Target::Nothing
                }
            },
            Ast::Index(of, indices) => self.index(of, indices, span),
            Ast::Deref(of) if matches!(&of.kind, Ast::Name(name) if name.eq_ignore_ascii_case("THIS")) => {
                self.target(of)
            }
            Ast::Deref(of) => match self.value(of) {
                Val::Expr(pointer, Ty::Pointer(target)) => {
                    let id = self.cfa_type(&target);
                    let place = self.new_place(PlaceKind::Deref(pointer), id);
                    Target::Place(place, (*target).clone(), true)
                }
                Val::Bad => Target::Nothing,
                _ => {
                    self.error(span, "`^` needs a pointer");
                    Target::Nothing
                }
            },
            Ast::Bad => Target::Nothing,
            _ => {
                self.error(span, "this is no variable");
                Target::Nothing
            }
        }
    }

    /// The instance whose body or method this is.
    fn own_instance(&self) -> Option<InstanceId> {
        self.frames.last().and_then(|frame| frame.instance)
    }

    /// Requirements may say the name of the block where others say `instance`.
    fn is_entry_name(&self, name: &str) -> bool {
        let pou = self.entry_instance.and_then(|instance| self.instances[instance].pou);
        pou.is_some_and(|pou| self.unit.pous[pou].name.text.eq_ignore_ascii_case(name))
    }

    pub fn block_name(&self, instance: InstanceId) -> String {
        match self.instances[instance].pou {
            Some(pou) => self.unit.pous[pou].name.text.clone(),
            None => self.instances[instance].name.clone(),
        }
    }

    fn index(&mut self, of: &Expr, indices: &[Expr], span: Span) -> Target {
        match self.target(of) {
            Target::Place(place, Ty::Array(array), writable) => {
                self.array_element(place, &array, writable, indices, span)
            }
            Target::Place(place, Ty::Text(length), writable) => {
                // CoDeSys: the bytes of a text, from 0.
                let bytes = ArrayTy {
                    dimensions: vec![(0, length as i128)],
                    element: Ty::Int(IntKind::UChar, true),
                    element_init: None,
                };
                self.array_element(place, &Rc::new(bytes), writable, indices, span)
            }
            Target::Blocks(blocks) => self.choose_block(&blocks, indices, span),
            Target::Unsupported(what) => {
                // The index is checked for errors.
                indices.iter().for_each(|index| drop(self.value(index)));
                Target::Unsupported(what)
            }
            Target::Nothing => Target::Nothing,
            Target::Place(_, ty, _) | Target::Const(_, ty) => {
                let message = format!("{} has no elements", self.ty_name(&ty));
                self.error(span, message);
                Target::Nothing
            }
            Target::Block(_) | Target::Choice(_) => {
                self.error(span, "a function block has no elements");
                Target::Nothing
            }
        }
    }

    fn array_element(
        &mut self,
        place: PlaceId,
        array: &Rc<ArrayTy>,
        writable: bool,
        indices: &[Expr],
        span: Span,
    ) -> Target {
        if indices.len() > array.dimensions.len() {
            self.error(span, format!("{} indices for {} dimensions", indices.len(), array.dimensions.len()));
            return Target::Nothing;
        }
        let mut place = place;
        for (dimension, index) in indices.iter().enumerate() {
            let (low, high) = array.dimensions[dimension];
            let Some(index) = self.checked_index(index, low, high, array.shift(dimension)) else {
                return Target::Nothing;
            };
            let Type::Array(element, _) = *self.program.types.get(self.program.places[place].ty) else {
                return Target::Nothing;
            };
            place = self.new_place(PlaceKind::Index(place, index), element);
        }
        // `a[1][2]` of an array of arrays.
        let rest = &array.dimensions[indices.len()..];
        let ty = match rest.is_empty() {
            true => array.element.clone(),
            false => Ty::Array(Rc::new(ArrayTy {
                dimensions: rest.to_vec(),
                element: array.element.clone(),
                element_init: array.element_init,
            })),
        };
        Target::Place(place, ty, writable)
    }

    /// An index that lies within bounds, or the run ends.
    fn checked_index(&mut self, index: &Expr, low: i128, high: i128, shift: i128) -> Option<ExprId> {
        let span = index.span;
        let value = match self.value(index) {
            Val::Int(number) => {
                if !(low..=high).contains(&number) {
                    self.error(span, format!("the index {number} is outside {low}..{high}"));
                    return None;
                }
                self.constant(number, TypeId::INT, span)
            }
            Val::Expr(value, ty) if ty.int(self).is_some() => self.bounded_index(value, low, high, span),
            Val::Bad => return None,
            _ => {
                self.error(span, "an index is a whole number");
                return None;
            }
        };
        if shift == 0 {
            return Some(value);
        }
        let wide = self.cast(value, TypeId::LONG_LONG, span);
        let shift = self.constant(shift, TypeId::LONG_LONG, span);
        Some(self.expr(ExprKind::Binary(BinOp::Sub, wide, shift), TypeId::LONG_LONG, span))
    }

    fn bounded_index(&mut self, value: ExprId, low: i128, high: i128, span: Span) -> ExprId {
        let ty = self.program.exprs[value].ty;
        let mut value = value;
        if self.freeze && self.program.constant(value).is_none() {
            let kept = self.temp(ty);
            self.emit(Op::Assign(kept, value), span);
            value = self.read(kept, span);
        }
        let signed = self.program.types.is_signed(ty);
        let width = self.program.types.scalar_bits(ty);
        let most = if signed { (1i128 << (width - 1)) - 1 } else { (1i128 << width) - 1 };
        let least = if signed { -(1i128 << (width - 1)) } else { 0 };
        // Bounds that every number of the type keeps need no check.
        let mut conditions = Vec::new();
        for (bound, op, needed) in [(low, BinOp::Ge, low > least), (high, BinOp::Le, high < most)] {
            if needed {
                let bound = self.constant(bound, ty, span);
                conditions.push(self.compare(op, value, bound, span));
            }
        }
        let cond = match conditions[..] {
            [] => return value,
            [one] => one,
            _ => self.expr(ExprKind::Binary(BinOp::And, conditions[0], conditions[1]), TypeId::INT, span),
        };
        self.require(cond, Property::ValidDeref, span);
        value
    }

    fn choose_block(
        &mut self,
        blocks: &Rc<(Vec<(i128, i128)>, Vec<InstanceId>)>,
        indices: &[Expr],
        span: Span,
    ) -> Target {
        let (dimensions, instances) = (&blocks.0, &blocks.1);
        if indices.len() != dimensions.len() {
            self.error(span, format!("{} indices for {} dimensions", indices.len(), dimensions.len()));
            return Target::Nothing;
        }
        let freeze = std::mem::replace(&mut self.freeze, true);
        let mut values = Vec::new();
        for (index, (low, high)) in indices.iter().zip(dimensions) {
            match self.checked_index(index, *low, *high, 0) {
                Some(value) => values.push(value),
                None => {
                    self.freeze = freeze;
                    return Target::Nothing;
                }
            }
        }
        self.freeze = freeze;
        let known = |lower: &Self, value: ExprId| {
            let bits = lower.program.constant(value)?;
            Some(cfa::eval::to_i128(&lower.program.types, lower.program.exprs[value].ty, bits))
        };
        let mut choices: Vec<(Option<ExprId>, usize)> = vec![(None, 0)];
        for (value, (low, high)) in values.into_iter().zip(dimensions) {
            let mut next = Vec::new();
            for (cond, before) in choices {
                let range = match known(self, value) {
                    Some(one) => one..=one,
                    None => *low..=*high,
                };
                for index in range {
                    let number = before * (high - low + 1) as usize + (index - low) as usize;
                    if known(self, value).is_some() {
                        next.push((cond, number));
                        continue;
                    }
                    let ty = self.program.exprs[value].ty;
                    let constant = self.constant(index, ty, span);
                    let is = self.compare(BinOp::Eq, value, constant, span);
                    let cond = match cond {
                        None => is,
                        Some(cond) => self.expr(ExprKind::Binary(BinOp::And, cond, is), TypeId::INT, span),
                    };
                    next.push((Some(cond), number));
                }
            }
            choices = next;
        }
        match choices[..] {
            [(None, number)] => Target::Block(instances[number]),
            _ => Target::Choice(
                choices.into_iter().filter_map(|(cond, number)| Some((cond?, instances[number]))).collect(),
            ),
        }
    }
}

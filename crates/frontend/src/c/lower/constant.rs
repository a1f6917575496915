//! Constant expressions, and looking at an expression without carrying it out (`sizeof`, `typeof`).

use super::Lower;
use super::expr::Operand;
use super::flow::Cursor;
use crate::c::ast;
use base::{Diagnostic, Span};
use cfa::{ExprKind, FuncId, PlaceKind, RelocationTarget, TypeId, VarId, VarKind};

/// A value known before the program runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StaticValue {
    Number(cfa::Bits),
    Address(RelocationTarget, i64),
}

impl Lower<'_> {
    /// Lowers something and forgets it again: no edge, variable, scope or expression of it stays. What it says of types stays.
    pub(super) fn speculate<T>(&mut self, action: impl FnOnce(&mut Self) -> T) -> T {
        let cursor = self.cursor();
        self.set_cursor(Cursor::Nowhere);
        let program = &self.program;
        let (vars, exprs, places, args) =
            (program.vars.len(), program.exprs.len(), program.places.len(), program.args.len());
        let (locations, edges, scopes) = (program.locations.len(), program.edges.len(), program.scopes.len());
        let jumps = self.function.as_ref().map_or(0, |function| function.jumps.len());
        let effect_wanted = self.effect_wanted.take();
        let before = std::mem::replace(&mut self.situation.speculating, true);
        let result = action(self);
        self.situation.speculating = before;
        self.effect_wanted = effect_wanted;
        let program = &mut self.program;
        program.vars.truncate(vars);
        self.known.split_off(&VarId(vars as u32));
        program.exprs.truncate(exprs);
        program.places.truncate(places);
        program.args.truncate(args);
        program.edges.truncate(edges);
        program.scopes.truncate(scopes);
        if program.locations.len() > locations
            && let Some(function) = &mut self.function
        {
            function
                .labels
                .retain(|_, label| label.target.is_none_or(|target| (target.location.0 as usize) < locations));
            function.jumps.truncate(jumps);
            program.locations.truncate(locations);
        }
        self.set_cursor(cursor);
        result
    }

    pub(super) fn type_of_expr(&mut self, expr: ast::ExprId) -> TypeId {
        self.speculate(|lower| {
            let operand = lower.operand(expr);
            lower.operand_type(operand)
        })
    }

    /// The type of an expression's value: arrays and functions are pointers.
    pub(super) fn type_of_value(&mut self, expr: ast::ExprId) -> TypeId {
        self.speculate(|lower| {
            let value = lower.rvalue(expr);
            lower.expr_type(value)
        })
    }

    /// The value of an integer constant expression.
    pub(super) fn constant_int(&mut self, expr: ast::ExprId) -> Option<i128> {
        // The common case by far, and it needs no lowering at all.
        if let ast::ExprKind::Int(literal) = self.ast.exprs[expr].kind {
            return Some(literal.value as i128);
        }
        self.in_constant_context(|lower| {
            lower.speculate(|lower| {
                let value = lower.rvalue(expr);
                let ty = lower.expr_type(value);
                let bits = lower.program.constant(value)?;
                (lower.effect_wanted.is_none() && ty.int_kind().is_some())
                    .then(|| cfa::eval::to_i128(&lower.program.types, ty, bits))
            })
        })
    }

    pub(super) fn in_constant_context<T>(&mut self, action: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.situation.constant_context, true);
        let result = action(self);
        self.situation.constant_context = before;
        result
    }

    /// Whether control flow inside an expression must be decided now, because no edges can be made.
    pub(super) fn must_fold(&self) -> bool {
        self.situation.constant_context || self.function.is_none()
    }

    pub(super) fn static_assert(&mut self, cond: ast::ExprId, message: Option<ast::StringId>, span: Span) {
        // It may stand inside the initializer of a static object, which asks later what was poison in it.
        let around = self.poison_wanted.take();
        let value = self.constant_int(cond);
        let poison = std::mem::replace(&mut self.poison_wanted, around);
        match value {
            None if poison.is_some() => self.warning(span, "static assertion about something that is not supported"),
            None => self.error(span, "static assertion is not an integer constant expression"),
            Some(0) => {
                let text = message.map_or(String::new(), |message| match &self.ast.strings[message].units {
                    ast::Units::Bytes(bytes) => format!(": {}", String::from_utf8_lossy(bytes)),
                    ast::Units::Wide(_) => String::new(),
                });
                self.report(Diagnostic::error(span, format!("static assertion failed{text}")));
            }
            Some(_) => {}
        }
    }

    /// The value of a lowered expression, if it is constant: a number, or the address of a static object plus an offset.
    pub(super) fn static_value(&self, expr: cfa::ExprId) -> Option<StaticValue> {
        let program = &self.program;
        let node = program.exprs[expr];
        match node.kind {
            ExprKind::Const(bits) => Some(StaticValue::Number(bits)),
            ExprKind::FuncAddr(function) => Some(address_of_function(function)),
            ExprKind::AddrOf(place) => {
                let (var, offset) = self.static_place(place)?;
                Some(StaticValue::Address(RelocationTarget::Var(var), offset))
            }
            ExprKind::Cast(inner) => {
                let value = self.static_value(inner)?;
                let same_size = program.types.size_of(node.ty) == Some(program.model().pointer_bytes())
                    && node.ty.float_kind().is_none();
                matches!(value, StaticValue::Address(..)).then_some(value).filter(|_| same_size)
            }
            ExprKind::PtrAdd(pointer, index) | ExprKind::PtrSub(pointer, index) => {
                let stride = program.types.stride(program.types.pointee(node.ty)?)? as i128;
                let bits = program.constant(index)?;
                let count = cfa::eval::to_i128(&program.types, program.exprs[index].ty, bits);
                let count = if matches!(node.kind, ExprKind::PtrSub(..)) { -count } else { count };
                self.displaced(pointer, count.checked_mul(stride)?)
            }
            ExprKind::Binary(op @ (cfa::BinOp::Add | cfa::BinOp::Sub), left, right) => {
                let offset = |expr: cfa::ExprId| {
                    let bits = program.constant(expr)?;
                    Some(cfa::eval::to_i128(&program.types, program.exprs[expr].ty, bits))
                };
                match (op, offset(left), offset(right)) {
                    (cfa::BinOp::Add, _, Some(offset)) => self.displaced(left, offset),
                    (cfa::BinOp::Add, Some(offset), _) => self.displaced(right, offset),
                    (_, _, Some(offset)) => self.displaced(left, -offset),
                    _ => None,
                }
            }
            // The difference of two addresses in one object.
            ExprKind::PtrDiff(left, right) => {
                let (StaticValue::Address(a, m), StaticValue::Address(b, n)) =
                    (self.static_value(left)?, self.static_value(right)?)
                else {
                    return None;
                };
                let stride = program.types.stride(program.types.pointee(program.exprs[left].ty)?)? as i64;
                let elements = (m - n) / stride.max(1);
                (a == b).then(|| StaticValue::Number(cfa::eval::from_i128(&program.types, node.ty, elements as i128)))
            }
            // Reading a constant object, e.g. `"abc"[1]`, or copying a `const` one, is not constant in C.
            ExprKind::Read(_) | ExprKind::Unary(..) | ExprKind::Binary(..) => None,
        }
    }

    fn displaced(&self, base: cfa::ExprId, by: i128) -> Option<StaticValue> {
        match self.static_value(base)? {
            StaticValue::Address(target, addend) => {
                Some(StaticValue::Address(target, i64::try_from(addend as i128 + by).ok()?))
            }
            StaticValue::Number(bits) => {
                let ty = self.program.exprs[base].ty;
                let value = cfa::eval::to_i128(&self.program.types, ty, bits) + by;
                Some(StaticValue::Number(cfa::eval::from_i128(&self.program.types, ty, value)))
            }
        }
    }

    /// The object and byte offset of a place that is the same in every run.
    pub(super) fn static_place(&self, place: cfa::PlaceId) -> Option<(VarId, i64)> {
        let program = &self.program;
        match program.places[place].kind {
            PlaceKind::Var(var) => {
                matches!(program.vars[var].kind, VarKind::Global | VarKind::Constant).then_some((var, 0))
            }
            PlaceKind::Field(base, field) => {
                let (var, offset) = self.static_place(base)?;
                let cfa::Type::Record(record) = *program.types.get(program.places[base].ty) else { return None };
                let field = &program.types.records[record].fields[field as usize];
                Some((var, offset.checked_add(field.offset as i64)?))
            }
            PlaceKind::Index(base, index) => {
                let (var, offset) = self.static_place(base)?;
                let size = program.types.size_of(program.places[place].ty)? as i64;
                let bits = program.constant(index)?;
                let index = cfa::eval::to_i128(&program.types, program.exprs[index].ty, bits);
                Some((var, offset.checked_add(i64::try_from(index).ok()?.checked_mul(size)?)?))
            }
            PlaceKind::Deref(pointer) => match self.static_value(pointer)? {
                StaticValue::Address(RelocationTarget::Var(var), offset) => Some((var, offset)),
                _ => None,
            },
        }
    }

    /// The value that an operand has at compile time, looked at for `__builtin_constant_p`.
    pub(super) fn is_constant(&mut self, expr: ast::ExprId) -> bool {
        self.speculate(|lower| {
            let operand = lower.in_constant_context(|lower| lower.operand(expr));
            if lower.effect_wanted.is_some() {
                return false;
            }
            match operand {
                Operand::Value(value) => lower.program.constant(value).is_some(),
                _ => false,
            }
        })
    }
}

fn address_of_function(function: FuncId) -> StaticValue {
    StaticValue::Address(RelocationTarget::Function(function), 0)
}

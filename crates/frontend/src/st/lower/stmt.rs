//! Statements.

use super::super::ast::{CaseLabel, Expr, ExprKind as Ast, Name, Stmt, StmtKind};
use super::expr::Target;
use super::flow::Cursor;
use super::operator::Val;
use super::types::Ty;
use super::vars::{InstanceId, Slot};
use super::{Lower, MAX_EDGES};
use base::Span;
use cfa::{BinOp, Branch, ExprId, ExprKind, Op, PlaceId, Property, TypeId};

/// More scalars than this are not copied one by one.
const MAX_COPIED: usize = 20_000;

impl Lower<'_> {
    pub fn statements(&mut self, body: &[Stmt]) {
        for stmt in body {
            if self.program.edges.len() > MAX_EDGES {
                return self.poison(stmt.span, "program of more than two million operations");
            }
            let anchor = std::mem::replace(&mut self.flow.anchor, stmt.span.lo);
            self.statement(stmt);
            self.flow.anchor = anchor;
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign(target, value) => self.assign_statement(target, value, span),
            StmtKind::Call(call) => {
                if let Ast::Call(callee, args) = &call.kind {
                    self.call_statement(callee, args, span);
                }
            }
            StmtKind::If(branches, otherwise) => {
                let mut ends = Vec::new();
                for (cond, body) in branches {
                    if matches!(cond.kind, Ast::Bool(true)) {
                        // The way of a region; what follows such a branch is never run.
                        self.statements(body);
                        ends.push(self.flow.cursor);
                        self.flow.cursor = Cursor::Nowhere;
                        continue;
                    }
                    let value = self.condition(cond);
                    let (yes, no) = self.branch(value, Branch::If, cond.span);
                    self.flow.cursor = yes;
                    self.statements(body);
                    ends.push(self.flow.cursor);
                    self.flow.cursor = no;
                }
                self.statements(otherwise);
                ends.push(self.flow.cursor);
                self.join(&ends, span);
            }
            StmtKind::Case(selector, cases, otherwise) => self.case(selector, cases, otherwise, span),
            StmtKind::For { variable, from, to, by, body } => {
                self.for_loop(variable, from, to, by.as_ref(), body, span);
            }
            StmtKind::While(cond, body) => {
                let head = self.loop_head(span);
                let value = self.condition(cond);
                let (yes, no) = self.branch(value, Branch::While, cond.span);
                self.flow.cursor = yes;
                self.loop_body(head, body, no, span);
            }
            StmtKind::Repeat(body, cond) => {
                let head = self.loop_head(span);
                let (next, end) = (self.new_location(), self.new_location());
                self.push_loop(end, next);
                self.statements(body);
                self.pop_loop();
                self.place_at(next, span);
                let value = self.condition(cond);
                let (yes, no) = self.branch(value, Branch::Do, cond.span);
                self.flow.cursor = no;
                match head {
                    Some(head) => self.go_to(head, span),
                    None => self.flow.cursor = Cursor::Nowhere,
                }
                self.flow.cursor = yes;
                self.place_at(end, span);
            }
            StmtKind::Exit | StmtKind::Continue => {
                let innermost = self.frames.last().and_then(|frame| frame.loops.last().copied());
                match (innermost, &stmt.kind) {
                    (Some((end, _)), StmtKind::Exit) => self.jump(end, span),
                    (Some((_, next)), _) => self.jump(next, span),
                    (None, _) => self.error(span, "there is no loop around this"),
                }
            }
            StmtKind::Label(name) => {
                if let Some(target) = self.label_target(name) {
                    self.place_at(target, span);
                }
            }
            StmtKind::Goto(name) => {
                if let Some(target) = self.label_target(name) {
                    self.jump(target, span);
                }
            }
            StmtKind::Return => {
                if let Some(end) = self.frames.last().map(|frame| frame.end) {
                    self.jump(end, span);
                }
            }
            StmtKind::Assert(cond, _) => {
                let value = self.condition(cond);
                self.emit(Op::Assert { cond: value, property: Property::Assertion }, span);
            }
            StmtKind::Unsupported(what) => self.poison(span, what),
        }
    }

    /// A step of its own, so that a trace shows it.
    fn jump(&mut self, to: cfa::LocId, span: Span) {
        self.emit(Op::Skip, span);
        self.go_to(to, span);
    }

    fn push_loop(&mut self, end: cfa::LocId, next: cfa::LocId) {
        if let Some(frame) = self.frames.last_mut() {
            frame.loops.push((end, next));
        }
    }

    fn pop_loop(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.loops.pop();
        }
    }

    /// The body of a loop that begins anew at its head, and what follows it.
    fn loop_body(&mut self, head: Option<cfa::LocId>, body: &[Stmt], behind: Cursor, span: Span) {
        let end = self.new_location();
        // In code that nothing leads to there is no head.
        self.push_loop(end, head.unwrap_or(end));
        self.statements(body);
        self.pop_loop();
        match head {
            Some(head) => self.go_to(head, span),
            None => self.flow.cursor = Cursor::Nowhere,
        }
        self.flow.cursor = behind;
        self.place_at(end, span);
    }

    fn for_loop(&mut self, variable: &Expr, from: &Expr, to: &Expr, by: Option<&Expr>, body: &[Stmt], span: Span) {
        let (place, ty) = match self.target(variable) {
            Target::Place(place, ty, true) if ty.is_number() && !ty.is_real() => (place, ty),
            Target::Nothing => return,
            Target::Unsupported(what) => return self.poison(span, what),
            _ => return self.error(variable.span, "the variable of a loop is a whole number that can be written"),
        };
        let first = self.value_as(from, &ty);
        let heading = span.start().to(to.span);
        let limit = self.kept(to);
        let step = match by {
            Some(by) => self.kept(by),
            None => Val::Int(1),
        };
        self.emit(Op::Assign(place, first), variable.span.to(from.span));
        let head = self.loop_head(span);
        let end = self.new_location();
        let now = self.read(place, variable.span);
        let now = Val::Expr(now, ty.clone());
        let Some((a, b, _)) = self.unify(now, limit, heading) else { return };
        let sign = match &step {
            Val::Int(number) => Some(*number >= 0),
            Val::Expr(value, _) => self
                .program
                .constant(*value)
                .map(|bits| cfa::eval::to_i128(&self.program.types, self.program.exprs[*value].ty, bits) >= 0),
            _ => None,
        };
        let cond = match sign {
            Some(true) => self.compare(BinOp::Le, a, b, heading),
            Some(false) => self.compare(BinOp::Ge, a, b, heading),
            None => self.either_way(&step, a, b, heading),
        };
        let (yes, no) = self.branch(cond, Branch::For, heading);
        self.flow.cursor = yes;
        if let Ty::Subrange(_, low, high) = ty {
            // What the last step leaves behind the loop is up to the controller.
            let now = self.read(place, variable.span);
            self.check_subrange(now, low, high, variable.span.to(from.span));
        }
        let next = self.new_location();
        self.push_loop(end, next);
        self.statements(body);
        self.pop_loop();
        self.place_at(next, span);
        let by_span = by.map_or(heading, |by| by.span);
        let old = self.read(place, variable.span);
        let sum = self.binary(super::super::ast::Operator::Add, Val::Expr(old, ty.clone()), step, by_span);
        let sum = match sum {
            Val::Expr(sum, _) => {
                let id = self.cfa_type(&ty);
                self.cast(sum, id, by_span)
            }
            _ => return,
        };
        self.emit(Op::Assign(place, sum), heading);
        match head {
            Some(head) => self.go_to(head, span),
            None => self.flow.cursor = Cursor::Nowhere,
        }
        self.flow.cursor = no;
        self.place_at(end, span);
    }

    /// The condition of a loop whose direction is known only when it runs.
    fn either_way(&mut self, step: &Val, now: ExprId, limit: ExprId, span: Span) -> ExprId {
        let Val::Expr(step, _) = step else { return self.constant(0, TypeId::BOOL, span) };
        let ty = self.program.exprs[*step].ty;
        let zero = self.constant(0, ty, span);
        let up = self.compare(BinOp::Ge, *step, zero, span);
        let down = self.compare(BinOp::Lt, *step, zero, span);
        let below = self.compare(BinOp::Le, now, limit, span);
        let above = self.compare(BinOp::Ge, now, limit, span);
        let first = self.expr(ExprKind::Binary(BinOp::And, up, below), TypeId::INT, span);
        let second = self.expr(ExprKind::Binary(BinOp::And, down, above), TypeId::INT, span);
        self.expr(ExprKind::Binary(BinOp::Or, first, second), TypeId::INT, span)
    }

    /// A limit of a loop, evaluated once: a constant, or a temporary.
    fn kept(&mut self, expr: &Expr) -> Val {
        if let Some(value) = self.const_int(expr) {
            return Val::Int(value);
        }
        match self.value(expr) {
            Val::Expr(value, ty) if ty.int(self).is_some() => {
                let id = self.program.exprs[value].ty;
                let kept = self.temp(id);
                self.emit(Op::Assign(kept, value), expr.span);
                Val::Expr(self.read(kept, expr.span), ty)
            }
            Val::Int(value) => Val::Int(value),
            Val::Bad => Val::Bad,
            _ => {
                self.error(expr.span, "a loop counts whole numbers");
                Val::Bad
            }
        }
    }

    fn case(&mut self, selector: &Expr, cases: &[(Vec<CaseLabel>, Vec<Stmt>)], otherwise: &[Stmt], span: Span) {
        let (value, ty) = match self.value(selector) {
            Val::Expr(value, ty) if ty.int(self).is_some() => (value, ty),
            Val::Int(number) => {
                let ty = Ty::Int(cfa::IntKind::Int, false);
                (self.convert(Val::Int(number), &ty, selector.span), ty)
            }
            Val::Bad => {
                // The bodies are checked all the same.
                let cursor = std::mem::replace(&mut self.flow.cursor, Cursor::Nowhere);
                cases.iter().for_each(|(_, body)| self.statements(body));
                self.statements(otherwise);
                self.flow.cursor = cursor;
                return;
            }
            _ => return self.error(selector.span, "CASE needs a whole number"),
        };
        let mut ends = Vec::new();
        for (labels, body) in cases {
            let mut entries = Vec::new();
            for label in labels {
                let (cond, label_span) = match label {
                    CaseLabel::One(one) => (self.label(BinOp::Eq, value, &ty, one), one.span),
                    CaseLabel::Range(low, high) => {
                        let above = self.label(BinOp::Ge, value, &ty, low);
                        let below = self.label(BinOp::Le, value, &ty, high);
                        let both = self.expr(ExprKind::Binary(BinOp::And, above, below), TypeId::INT, low.span);
                        (both, low.span.to(high.span))
                    }
                };
                let (yes, no) = self.branch(cond, Branch::Switch, label_span);
                entries.push(yes);
                self.flow.cursor = no;
            }
            let rest = self.flow.cursor;
            self.join(&entries, span);
            self.statements(body);
            ends.push(self.flow.cursor);
            self.flow.cursor = rest;
        }
        self.statements(otherwise);
        ends.push(self.flow.cursor);
        self.join(&ends, span);
    }

    fn label(&mut self, op: BinOp, value: ExprId, ty: &Ty, label: &Expr) -> ExprId {
        let number = match (&label.kind, ty) {
            // A value of the selector's own type, whatever other types have the name.
            (Ast::Name(name), Ty::Enum(number)) => {
                let values = &self.enums[*number].values;
                values.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
            }
            _ => None,
        };
        let number = number.or_else(|| self.const_int(label));
        let Some(number) = number else {
            if !matches!(label.kind, Ast::Bad) {
                self.missing(label.span, "the label of a case must be a constant");
            }
            return self.constant(0, TypeId::INT, label.span);
        };
        if ty.int(self).is_some_and(|kind| !self.holds(kind, number)) {
            self.warning(label.span, format!("no {} is {number}", self.ty_name(ty)));
        }
        // In a type that has the number: one that the selector cannot be is no other one.
        match self.unify(Val::Expr(value, ty.clone()), Val::Int(number), label.span) {
            Some((value, constant, _)) => self.compare(op, value, constant, label.span),
            None => self.constant(0, TypeId::INT, label.span),
        }
    }

    fn assign_statement(&mut self, target: &Expr, value: &Expr, span: Span) {
        if let Ast::Bit(of, bit) = &target.kind {
            let value = self.value_as(value, &Ty::Bool);
            return self.assign_bit(of, *bit, value, span);
        }
        if let Ast::Slice(of, width, number) = &target.kind {
            return self.assign_slice(of, (*width, *number), value, span);
        }
        if let Ast::Member(of, name) = &target.kind
            && let Target::Choice(choices) = self.target(of)
        {
            return self.assign_choice(&choices, name, value, span);
        }
        // A name that several enumerations have is one of the target's type.
        let place = self.target(target);
        match place {
            Target::Place(place, ty, true) => {
                let value = self.value_for(value, &ty);
                self.assign(place, &ty, value, span);
            }
            Target::Place(_, _, false) | Target::Const(..) => {
                self.error(target.span, "a constant cannot be assigned to");
            }
            Target::Unsupported(what) => {
                self.value(value);
                self.poison(span, what);
            }
            Target::Nothing => drop(self.value(value)),
            Target::Block(_) | Target::Blocks(_) | Target::Choice(_) => {
                self.poison(span, "assignment of a function block");
            }
        }
    }

    /// A variable of the instance that an index chooses.
    fn assign_choice(&mut self, choices: &[(ExprId, InstanceId)], name: &Name, value: &Expr, span: Span) {
        let member = |lower: &Self, instance: InstanceId| lower.instances[instance].slots.get(&name.key()).cloned();
        let Some(Slot::Place { ty, .. }) = choices.first().and_then(|(_, one)| member(self, *one)) else {
            return self.error(name.span, format!("the function block has no variable `{}`", name.text));
        };
        let value = self.value_for(value, &ty);
        let value = self.keep_value(value, span);
        let mut ends = Vec::new();
        for (cond, instance) in choices {
            let (yes, no) = self.branch(*cond, Branch::Conditional, span);
            self.flow.cursor = yes;
            if let Some(Slot::Place { place, ty, .. }) = member(self, *instance) {
                self.assign(place, &ty, value.clone(), span);
            }
            ends.push(self.flow.cursor);
            self.flow.cursor = no;
        }
        // The index was checked, so one of them holds; the last way is never taken.
        ends.push(self.flow.cursor);
        self.join(&ends, span);
    }

    /// A value that is meant for a type.
    pub fn value_for(&mut self, expr: &Expr, ty: &Ty) -> Val {
        if let (Ast::Name(name), Ty::Enum(number)) = (&expr.kind, ty)
            && self.lookup(name).is_none()
            && let Some((_, value)) =
                self.enums[*number].values.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).cloned()
        {
            return self.const_val(&super::constant::Const::Int(value), Some(ty), expr.span);
        }
        self.value(expr)
    }

    /// Writes a value to a place of a type.
    pub fn assign(&mut self, place: PlaceId, ty: &Ty, value: Val, span: Span) {
        match (ty, value) {
            (Ty::Text(length), value) => self.assign_text(place, *length, value, span),
            (Ty::Array(_) | Ty::Struct(_), Val::Whole(from, found)) => {
                if found != *ty && !self.same_shape(ty, &found) {
                    let message = format!("a value of {} is not a value of {}", self.ty_name(&found), self.ty_name(ty));
                    return self.error(span, message);
                }
                self.copy(place, from, ty, &found, span);
            }
            (_, Val::Bad) => {}
            (_, value) => {
                let value = self.convert(value, ty, span);
                if let Ty::Subrange(_, low, high) = ty
                    && self.program.constant(value).is_none()
                {
                    self.check_subrange(value, *low, *high, span);
                }
                self.emit(Op::Assign(place, value), span);
            }
        }
    }

    fn check_subrange(&mut self, value: ExprId, low: i128, high: i128, span: Span) {
        let id = self.program.exprs[value].ty;
        let (low, high) = (self.constant(low, id, span), self.constant(high, id, span));
        let (above, below) = (self.compare(BinOp::Ge, value, low, span), self.compare(BinOp::Le, value, high, span));
        let cond = self.expr(ExprKind::Binary(BinOp::And, above, below), TypeId::INT, span);
        self.emit(Op::Assert { cond, property: Property::Subrange }, span);
    }

    /// Arrays of the same elements and lengths.
    fn same_shape(&self, a: &Ty, b: &Ty) -> bool {
        let (Ty::Array(a), Ty::Array(b)) = (a, b) else { return false };
        let lengths = |array: &super::types::ArrayTy| {
            array.dimensions.iter().map(|(low, high)| high - low).collect::<Vec<i128>>()
        };
        a.element == b.element && lengths(a) == lengths(b)
    }

    fn copy(&mut self, to: PlaceId, from: PlaceId, ty: &Ty, from_ty: &Ty, span: Span) {
        if let Ty::Struct(_) = ty {
            let value = self.read(from, span);
            return self.emit(Op::Assign(to, value), span);
        }
        let (to, from) = (self.scalars_of(to, ty, 0), self.scalars_of(from, from_ty, 0));
        if to.len() > MAX_COPIED {
            return self.poison(span, "copy of a large array");
        }
        for ((to, ..), (from, ..)) in to.into_iter().zip(from) {
            let value = self.read(from, span);
            self.emit(Op::Assign(to, value), span);
        }
    }
}

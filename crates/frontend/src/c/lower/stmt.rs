//! Statements.

use super::Lower;
use super::expr::Operand;
use super::flow::{Case, Cursor, Destination, Label, Switch, Target};
use crate::c::ast::{self, StmtKind as Ast};
use base::{Diagnostic, Span, Symbol};
use cfa::{BinOp, Bits, Branch, LocId, Op, Property, TypeId};

/// A statement with this label must not be reached, if that is asked about.
const ERROR_LABEL: &str = "ERROR";

impl Lower<'_> {
    pub(super) fn statement(&mut self, stmt: ast::StmtId) {
        let ast::Stmt { kind, span } = self.ast.stmts[stmt];
        self.state().anchor = span.lo;
        match kind {
            Ast::Null | Ast::Error => {}
            Ast::Expr(expr) => self.effect(expr),
            Ast::Compound(statements) => {
                self.open_block(span);
                for statement in self.ast.get(statements) {
                    self.statement(*statement);
                }
                self.close_scope(span);
            }
            Ast::Decl(decl) => self.declaration(decl),
            Ast::If(..) => self.if_chain(stmt),
            Ast::While(cond, body) => self.while_loop(cond, body, span),
            Ast::DoWhile(body, cond) => self.do_loop(body, cond, span),
            Ast::For { init, cond, step, body } => self.for_loop(init, cond, step, body, span),
            Ast::Switch(value, body) => self.switch(value, body, span),
            Ast::Case(low, high, inner) => {
                self.case(low, high, span);
                self.statement(inner);
            }
            Ast::Default(inner) => {
                self.default(span);
                self.statement(inner);
            }
            Ast::Label(name, inner) => {
                self.label(name, span);
                self.statement(inner);
            }
            Ast::LocalLabel(name, inner) => {
                self.bind_label(name);
                self.statement(inner);
            }
            Ast::Goto(name) => {
                let name = self.names.label(name);
                self.mention_label(name, span);
                self.jump(Destination::Label(name), span);
            }
            Ast::GotoComputed(expr) => {
                self.effect(expr);
                self.poison_end(span, "computed goto");
            }
            Ast::Break => self.leave(span, "break"),
            Ast::Continue => self.leave(span, "continue"),
            Ast::Return(value) => self.return_statement(value, span),
            Ast::Asm => self.poison(span, "inline assembly"),
            Ast::AcslAssert(expr) => {
                let value = self.rvalue(expr);
                let cond = self.check_condition(value, span);
                self.emit(Op::Assert { cond, property: Property::Assertion }, span);
            }
        }
    }

    /// Leaves the innermost block: its locals die on the way.
    pub(super) fn close_scope(&mut self, span: Span) {
        let scope = self.scope();
        let end = Span::new(span.hi.saturating_sub(1).max(span.lo), span.hi);
        self.kill_scope(scope, end);
        self.close_block();
        // Where the block ended (the target of a `break`, say) its names are no longer visible.
        if let Cursor::At(location) = self.cursor() {
            let scope = self.scope();
            self.program.locations[location].visible = self.program.scopes[scope].names.len() as u32;
            self.program.locations[location].scope = scope;
        }
    }

    /// Poison from where control goes we do not know where.
    fn poison_end(&mut self, span: Span, construct: &str) {
        let reason = self.program.names.intern(construct);
        self.emit_end(Op::Poison(reason), span);
    }

    fn if_chain(&mut self, first: ast::StmtId) {
        let span = self.ast.stmts[first].span;
        let mut ends = Vec::new();
        let mut next = Some(first);
        // A chain of `else if` is as long as it likes: it is a loop here, not a recursion.
        while let Some(stmt) = next.take() {
            let Ast::If(cond, then, otherwise) = self.ast.stmts[stmt].kind else {
                self.statement(stmt);
                break;
            };
            let anchor = self.ast.stmts[stmt].span.lo;
            self.state().anchor = anchor;
            let (yes, no) = self.condition(cond, Branch::If, Some(anchor));
            self.set_cursor(yes);
            self.scoped_statement(then);
            ends.push(self.cursor());
            self.set_cursor(no);
            next = otherwise;
        }
        ends.push(self.cursor());
        self.join(&ends, span);
    }

    fn scoped_statement(&mut self, stmt: ast::StmtId) {
        self.statement(stmt);
    }

    /// The location of a loop head, its own even where another loop starts at the same place.
    fn loop_head(&mut self, span: Span) -> LocId {
        if let Cursor::At(location) = self.cursor()
            && self.program.locations[location].loop_head.is_some()
        {
            self.emit(Op::Skip, span.start());
        }
        let head = match self.mark() {
            Some(head) => head,
            None => self.new_location(),
        };
        self.program.locations[head].loop_head = Some(span);
        self.set_cursor(Cursor::At(head));
        head
    }

    /// Lowers a loop's body with its jumps.
    fn loop_body(&mut self, body: ast::StmtId, after: LocId, again: LocId) {
        let position = self.position();
        self.state().breaks.push(Target { location: after, position });
        self.state().continues.push(Target { location: again, position });
        self.statement(body);
        self.state().breaks.pop();
        self.state().continues.pop();
    }

    fn while_loop(&mut self, cond: ast::ExprId, body: ast::StmtId, span: Span) {
        let head = self.loop_head(span);
        let after = self.new_location();
        let (yes, no) = self.condition(cond, Branch::While, Some(span.lo));
        self.set_cursor(yes);
        self.loop_body(body, after, head);
        self.go_to(head, span);
        self.set_cursor(no);
        self.place_at(after, span);
    }

    fn do_loop(&mut self, body: ast::StmtId, cond: ast::ExprId, span: Span) {
        let head = self.loop_head(span);
        let after = self.new_location();
        let test = self.new_location();
        self.loop_body(body, after, test);
        self.place_at(test, span);
        self.state().anchor = span.lo;
        let (yes, no) = self.condition(cond, Branch::Do, Some(span.lo));
        self.set_cursor(yes);
        self.go_to(head, span);
        self.set_cursor(no);
        self.place_at(after, span);
    }

    fn for_loop(
        &mut self,
        init: ast::StmtId,
        cond: Option<ast::ExprId>,
        step: Option<ast::ExprId>,
        body: ast::StmtId,
        span: Span,
    ) {
        self.open_block(span);
        self.statement(init);
        self.state().anchor = span.lo;
        let head = self.loop_head(span);
        let after = self.new_location();
        let again = if step.is_some() { self.new_location() } else { head };
        let (yes, no) = match cond {
            Some(cond) => self.condition(cond, Branch::For, Some(span.lo)),
            None => (self.cursor(), Cursor::Nowhere),
        };
        self.set_cursor(yes);
        self.loop_body(body, after, again);
        if let Some(step) = step {
            self.place_at(again, span);
            self.state().anchor = span.lo;
            self.effect(step);
        }
        self.go_to(head, span);
        self.set_cursor(no);
        self.place_at(after, span);
        self.close_scope(span);
    }

    fn switch(&mut self, value: ast::ExprId, body: ast::StmtId, span: Span) {
        let mut value = self.rvalue(value);
        let ty = self.expr_type(value);
        if self.unsupported_name(ty).is_some() {
            value = self.unsupported_value(ty, TypeId::INT, span);
        } else if ty.int_kind().is_none() {
            self.error(span, "`switch` needs an integer");
            return;
        }
        let value = self.promote(value);
        let value_type = self.expr_type(value);
        let temp = self.temp(value_type, span);
        let place = self.var_place(temp);
        let value_span = self.span_of(value);
        self.emit(Op::Assign(place, value), value_span);
        let dispatch = self.cursor();
        let anchor = span.lo;
        self.set_cursor(Cursor::Nowhere);
        let position = self.position();
        let after = self.new_location();
        self.state().breaks.push(Target { location: after, position });
        self.state().switches.push(Switch { value_type, cases: Vec::new(), default: None });
        self.statement(body);
        self.state().breaks.pop();
        let switch = self.state().switches.pop().expect("pushed above");
        self.go_to(after, span);
        self.check_cases(&switch);

        self.set_cursor(dispatch);
        self.state().anchor = anchor;
        for case in &switch.cases {
            let no = self.dispatch_case(temp, value_type, case);
            self.cross_scopes(position, case.target, case.span);
            self.go_to(case.target.location, case.span);
            self.set_cursor(no);
        }
        if let Some((target, span)) = switch.default {
            self.cross_scopes(position, target, span);
            self.go_to(target.location, span);
        }
        self.place_at(after, span);
    }

    /// Tests for one case; the cursor is then where it matches, the result where it does not.
    fn dispatch_case(&mut self, value: cfa::VarId, ty: TypeId, case: &Case) -> Cursor {
        let mut compare = |op: BinOp, bound: i128| {
            let value = self.read_var(value, case.span);
            let bound = self.int(bound, ty, case.span);
            let cond = self.arithmetic(op, value, bound, case.span);
            self.branch(cond, Branch::Switch, case.span)
        };
        if case.low == case.high {
            let (yes, no) = compare(BinOp::Eq, case.low);
            self.set_cursor(yes);
            return no;
        }
        let (above, below) = compare(BinOp::Ge, case.low);
        self.set_cursor(above);
        let value = self.read_var(value, case.span);
        let bound = self.int(case.high, ty, case.span);
        let cond = self.arithmetic(BinOp::Le, value, bound, case.span);
        let (inside, beyond) = self.branch(cond, Branch::Switch, case.span);
        self.join(&[below, beyond], case.span);
        let no = self.cursor();
        self.set_cursor(inside);
        no
    }

    fn check_cases(&mut self, switch: &Switch) {
        let mut ranges: Vec<(i128, i128, Span)> =
            switch.cases.iter().map(|case| (case.low, case.high, case.span)).collect();
        ranges.sort_by_key(|(low, ..)| *low);
        for pair in ranges.windows(2) {
            if pair[1].0 <= pair[0].1 {
                self.report(Diagnostic::error(pair[1].2, "duplicate case value").note(pair[0].2, "it is used here"));
            }
        }
    }

    /// The location that a label or case stands at.
    fn landing(&mut self) -> Target {
        let location = match self.mark() {
            Some(location) => location,
            None => self.new_location(),
        };
        self.set_cursor(Cursor::At(location));
        Target { location, position: self.position() }
    }

    fn case(&mut self, low: ast::ExprId, high: Option<ast::ExprId>, span: Span) {
        let low_value = self.constant_int(low);
        let high_value = high.map_or(low_value, |high| self.constant_int(high));
        let (Some(low_value), Some(high_value)) = (low_value, high_value) else {
            self.error(self.ast.exprs[low].span, "case label is not an integer constant");
            return;
        };
        let Some(value_type) = self.state().switches.last().map(|switch| switch.value_type) else {
            self.error(span, "case label outside of a switch");
            return;
        };
        let converted = |lower: &Self, value| {
            let bits = cfa::eval::from_i128(&lower.program.types, value_type, value);
            cfa::eval::to_i128(&lower.program.types, value_type, bits)
        };
        let (low_value, high_value) = (converted(self, low_value), converted(self, high_value));
        let label = self.ast.exprs[high.unwrap_or(low)].span;
        let span = Span::new(span.lo, label.hi);
        if low_value > high_value {
            self.warning(span, "empty case range");
            return;
        }
        let target = self.landing();
        let case = Case { low: low_value, high: high_value, target, span };
        self.state().switches.last_mut().expect("checked above").cases.push(case);
    }

    fn default(&mut self, span: Span) {
        if self.state().switches.is_empty() {
            self.error(span, "`default` outside of a switch");
            return;
        }
        let target = self.landing();
        let span = Span::new(span.lo, (span.lo + "default".len() as u32).min(span.hi));
        let switch = self.state().switches.last_mut().expect("checked above");
        if let Some((_, first)) = switch.default.replace((target, span)) {
            self.report(Diagnostic::error(span, "second `default` in one switch").note(first, "the first one"));
        }
    }

    fn label(&mut self, name: Symbol, span: Span) {
        let target = self.landing();
        let span = Span::new(span.lo, (span.lo + self.text(name).len() as u32).min(span.hi));
        let text = self.text(name).to_string();
        let own = self.names.label(name);
        let label = self.state().labels.entry(own).or_insert(Label { target: None, span });
        if label.target.is_some() {
            let first = label.span;
            self.report(Diagnostic::error(span, format!("duplicate label `{text}`")).note(first, "it is defined here"));
            return;
        }
        (label.target, label.span) = (Some(target), span);
        if text == ERROR_LABEL {
            let never = self.constant(Bits::ZERO, TypeId::INT, span);
            self.emit(Op::Assert { cond: never, property: Property::UnreachLabel }, span);
        }
    }

    fn mention_label(&mut self, name: Symbol, span: Span) {
        self.state().labels.entry(name).or_insert(Label { target: None, span });
    }

    fn leave(&mut self, span: Span, what: &str) {
        let targets = if what == "break" { &self.state().breaks } else { &self.state().continues };
        match targets.last().copied() {
            Some(target) => self.jump(Destination::Target(target), span),
            None => self.error(span, format!("`{what}` outside of a loop")),
        }
    }

    fn return_statement(&mut self, value: Option<ast::ExprId>, span: Span) {
        let (result, exit) = (self.state().result, self.state().exit);
        let value = match value {
            None => None,
            Some(value) if result == TypeId::VOID => {
                if let Operand::Value(_) | Operand::Place(_) = self.operand(value) {
                    self.warning(span, "a void function returns a value");
                }
                None
            }
            Some(value) => {
                let value = self.rvalue(value);
                let value = self.coerce(value, result, span);
                (self.expr_type(value) == result).then_some(value)
            }
        };
        let value = self.return_from_main(value, span);
        self.emit_to(Op::Return(value), span, exit);
    }

    /// GNU `({ … })`: its value is that of the last expression statement.
    pub(super) fn statement_expression(&mut self, stmt: ast::StmtId) -> Operand {
        let ast::Stmt { kind: Ast::Compound(statements), span } = self.ast.stmts[stmt] else { return Operand::Void };
        if self.function.is_none() {
            self.error(span, "statement expression outside of a function");
            return Operand::Value(self.dummy(TypeId::INT, span));
        }
        let statements = self.ast.get(statements);
        let anchor = self.state().anchor;
        let stores = self.stores_so_far();
        self.open_block(span);
        let mut result = Operand::Void;
        for (index, statement) in statements.iter().enumerate() {
            match self.ast.stmts[*statement].kind {
                Ast::Expr(expr) if index + 1 == statements.len() => result = self.kept_value(expr),
                _ => self.statement(*statement),
            }
        }
        self.close_scope(span);
        self.sequence_point(stores);
        self.state().anchor = anchor;
        result
    }

    /// A value that outlives the block it was computed in.
    fn kept_value(&mut self, expr: ast::ExprId) -> Operand {
        let span = self.ast.exprs[expr].span;
        let value = match self.operand(expr) {
            Operand::Void => return Operand::Void,
            Operand::Place(place) if self.place_type(place) == TypeId::VOID => return Operand::Void,
            operand => self.value_of(operand, span),
        };
        if self.program.constant(value).is_some() {
            return Operand::Value(value);
        }
        let temp = self.temp(self.expr_type(value), span);
        let place = self.var_place(temp);
        self.emit(Op::Assign(place, value), span);
        Operand::Value(self.read_var(temp, span))
    }
}

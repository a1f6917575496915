//! Expressions of witnesses, lowered where no edge can be made. What would need one (a call, an assignment, an object of its own) is an
//! error; `&&`, `||` and `?:` become arithmetic where nothing that they skip could fail.

use super::Lower;
use super::qualifiers::Qualifiers;
use super::scope::Name;
use crate::c::ast::{self, Ast as Tree, BinaryOp, ExprKind as Ast, UnaryOp};
use crate::c::expression::{OLD, RESULT, Shape};
use crate::{Condition, Site};
use base::{Diagnostic, Severity, Span, Symbol};
use cfa::walk::{Node, children};
use cfa::{BinOp, Binding, Bits, ExprId, ExprKind, PlaceKind, Program, ScopeId, Type, TypeId, UnOp, VarKind};

/// Lowers an expression whose words are given. On failure the program is as before.
pub(in crate::c) fn condition_at(
    program: &mut Program,
    site: Site,
    tree: &Tree,
    expr: ast::ExprId,
    words: &[Symbol],
    shape: Shape,
) -> Result<Condition, Diagnostic> {
    if let Some((span, what)) = impure(tree) {
        return Err(Diagnostic::error(span, format!("{what} in an expression that must not change anything")));
    }
    let model = program.model();
    let before = Sizes::of(program);
    let mut lower = Lower::new(std::mem::replace(program, Program::new(model)), tree);
    lower.situation.pure = true;
    lower.open_unit(true);
    for word in words {
        lower.mean(site, *word);
    }
    let found = match shape {
        Shape::Condition => lower.tree(expr),
        Shape::Expression => Condition::Atom(lower.rvalue(expr)),
    };
    let error = lower.diagnostics.into_iter().find(|diagnostic| diagnostic.severity == Severity::Error);
    let effect = lower.effect_wanted.map(|span| Diagnostic::error(span, "not supported in an expression of a witness"));
    *program = lower.program;
    let object = program.vars.len() > before.vars || program.functions.len() > before.functions;
    let object = object.then(|| Diagnostic::error(Span::NONE, "an expression of a witness cannot make an object"));
    program.scopes[ScopeId(0)].names.truncate(before.names);
    if let Some(error) = error.or(effect).or(object) {
        program.vars.truncate(before.vars);
        program.exprs.truncate(before.exprs);
        program.places.truncate(before.places);
        program.functions.truncate(before.functions);
        return Err(error);
    }
    for index in before.exprs..program.exprs.len() {
        // They stand in no file.
        program.exprs[ExprId(index as u32)].span = Span::NONE;
    }
    Ok(found)
}

struct Sizes {
    vars: usize,
    exprs: usize,
    places: usize,
    functions: usize,
    names: usize,
}

impl Sizes {
    fn of(program: &Program) -> Sizes {
        Sizes {
            vars: program.vars.len(),
            exprs: program.exprs.len(),
            places: program.places.len(),
            functions: program.functions.len(),
            names: program.scopes[ScopeId(0)].names.len(),
        }
    }
}

/// The first thing that is not pure.
fn impure(tree: &Tree) -> Option<(Span, &'static str)> {
    let found = tree.exprs.iter().filter_map(|(_, expr)| {
        let what = match expr.kind {
            Ast::Call(..) => "a call",
            Ast::Assign(..) => "an assignment",
            Ast::Unary(UnaryOp::PreInc | UnaryOp::PreDec | UnaryOp::PostInc | UnaryOp::PostDec, _) => "`++` or `--`",
            Ast::Binary(BinaryOp::Comma, ..) => "a comma",
            Ast::Statement(_) => "a statement",
            Ast::String(_) | Ast::CompoundLiteral(..) => "a literal that is an object",
            Ast::LabelAddress(_) => "the address of a label",
            Ast::VaArg(..) => "`va_arg`",
            _ => return None,
        };
        Some((expr.span, what))
    });
    found.min_by_key(|(span, _)| span.lo)
}

impl Lower<'_> {
    /// Gives a word the meaning that it has at the site.
    fn mean(&mut self, site: Site, word: Symbol) {
        if self.text(word) == RESULT {
            if let Some(result) = site.result {
                self.shadow(word, Name::Value(result));
            }
            return;
        }
        if let Some(number) = self.text(word).strip_prefix(OLD).and_then(|number| number.parse().ok()) {
            let var = cfa::VarId(number);
            let is_old = |(id, data): (cfa::VarId, &cfa::Var)| id == var && matches!(data.kind, VarKind::Old(_));
            if self.program.vars.iter().any(is_old) {
                self.shadow(word, Name::Var(var, self.program.vars[var].ty));
            }
            return;
        }
        // Witnesses may speak of what the file declares further down.
        let binding = self.program.lookup(site.at, word).or_else(|| self.program.lookup_in_file(site.at, word));
        let meaning = match binding {
            Some(Binding::Var(var)) => {
                if matches!(self.program.vars[var].kind, VarKind::Vla(_)) {
                    let message = format!("`{}`: variable-length arrays are not supported here", self.text(word));
                    self.error(Span::NONE, message);
                }
                Some(Name::Var(var, self.program.vars[var].ty))
            }
            Some(Binding::Function(function)) => Some(Name::Function(function)),
            Some(Binding::Type(ty)) => Some(Name::Typedef { ty, qualifiers: Qualifiers::UNKNOWN }),
            Some(Binding::Constant(ty, bits)) => Some(Name::Constant(ty, bits)),
            // Words of <stdbool.h> and of C23, which witnesses use wherever they stand.
            None => match self.text(word) {
                "true" => Some(Name::Constant(TypeId::INT, Bits::new(1))),
                "false" => Some(Name::Constant(TypeId::INT, Bits::ZERO)),
                _ => None,
            },
        };
        if let Some(meaning) = meaning {
            self.shadow(word, meaning);
        }
        // Scopes do not keep tags: a tag is found only if it is unique in the program.
        let tagged = self.program.types.records.iter().filter(|(_, record)| record.tag == Some(word));
        if let [record] = tagged.map(|(id, _)| id).take(2).collect::<Vec<_>>()[..] {
            let ty = self.program.types.intern(Type::Record(record));
            self.bind_tag(word, ty);
        }
    }

    fn tree(&mut self, expr: ast::ExprId) -> Condition {
        let ast::Expr { kind, span } = self.ast.exprs[expr];
        match kind {
            Ast::Unary(UnaryOp::Not, inner) => Condition::Not(Box::new(self.tree(inner))),
            Ast::Binary(op @ (BinaryOp::LogAnd | BinaryOp::LogOr), ..) => {
                let parts = self.chain(op, expr).into_iter().map(|part| self.tree(part)).collect();
                if op == BinaryOp::LogAnd { Condition::All(parts) } else { Condition::Any(parts) }
            }
            Ast::Conditional { cond, then: Some(then), otherwise, .. } => {
                Condition::If(Box::new([self.tree(cond), self.tree(then), self.tree(otherwise)]))
            }
            _ => {
                let value = self.rvalue(expr);
                Condition::Atom(self.check_condition(value, span))
            }
        }
    }

    /// The operands of `a && b && …`, which is nested to the left and may be long.
    fn chain(&self, op: BinaryOp, expr: ast::ExprId) -> Vec<ast::ExprId> {
        let mut parts = Vec::new();
        let mut at = expr;
        while let Ast::Binary(found, left, right) = self.ast.exprs[at].kind
            && found == op
        {
            parts.push(right);
            at = left;
        }
        parts.push(at);
        parts.reverse();
        parts
    }

    /// 1 if a scalar is not zero, else 0.
    fn truth(&mut self, value: ExprId, span: Span) -> ExprId {
        let value = self.check_condition(value, span);
        if matches!(self.program.exprs[value].kind, ExprKind::Binary(op, ..) if op.is_comparison()) {
            return value;
        }
        let not = self.unary(UnOp::Not, value, span);
        self.unary(UnOp::Not, not, span)
    }

    pub(super) fn pure_truth(&mut self, expr: ast::ExprId, span: Span) -> ExprId {
        let Ast::Binary(op, ..) = self.ast.exprs[expr].kind else { return self.dummy(TypeId::INT, span) };
        let bits = if op == BinaryOp::LogAnd { BinOp::And } else { BinOp::Or };
        let mut whole = None;
        for part in self.chain(op, expr) {
            let value = self.rvalue(part);
            let value = self.truth(value, span);
            whole = Some(match whole {
                None => value,
                Some(left) => {
                    self.must_not_fail(value, span);
                    self.arithmetic(bits, left, value, span)
                }
            });
        }
        whole.unwrap_or_else(|| self.dummy(TypeId::INT, span))
    }

    /// `c ? a : b` is `b + c * (a - b)`, modulo the width.
    pub(super) fn pure_conditional(
        &mut self,
        cond: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
        span: Span,
    ) -> ExprId {
        let tested = self.rvalue(cond);
        let first = match then {
            Some(then) => self.rvalue(then),
            None => tested,
        };
        let second = self.rvalue(otherwise);
        let ty = self.conditional_type(first, second, span);
        let Some(kind) = ty.int_kind() else {
            let message =
                format!("`?:` of type `{}` is not supported in an expression of a witness", self.type_name(ty));
            self.error(span, message);
            return self.dummy(TypeId::INT, span);
        };
        self.must_not_fail(first, span);
        self.must_not_fail(second, span);
        let chosen = self.truth(tested, span);
        let unsigned = TypeId::int(kind.to_unsigned());
        let [chosen, first, second] = [chosen, first, second].map(|value| {
            let value = self.cast(value, ty, span);
            self.cast(value, unsigned, span)
        });
        let difference = self.arithmetic(BinOp::Sub, first, second, span);
        let product = self.arithmetic(BinOp::Mul, chosen, difference, span);
        let sum = self.arithmetic(BinOp::Add, second, product, span);
        self.cast(sum, ty, span)
    }

    /// Reports a value that C evaluates only sometimes and that could fail otherwise.
    fn must_not_fail(&mut self, value: ExprId, span: Span) {
        if self.can_fail(value) {
            self.error(
                span,
                "`&&`, `||` or `?:` inside of an expression, with a part that must not be evaluated always",
            );
        }
    }

    /// Whether evaluating a value can raise a fault: memory, division, overflow, shifts, conversions of floats.
    fn can_fail(&self, value: ExprId) -> bool {
        let program = &self.program;
        let mut open = vec![Node::Expr(value)];
        while let Some(node) = open.pop() {
            let fails = match node {
                Node::Place(place) => {
                    matches!(program.places[place].kind, PlaceKind::Deref(_) | PlaceKind::Index(..))
                }
                Node::Expr(expr) => {
                    let ty = program.exprs[expr].ty;
                    match program.exprs[expr].kind {
                        ExprKind::Const(_) | ExprKind::Read(_) | ExprKind::AddrOf(_) | ExprKind::FuncAddr(_) => false,
                        ExprKind::Unary(UnOp::Neg, _) => program.types.is_signed(ty),
                        ExprKind::Unary(..) => false,
                        ExprKind::Binary(op, ..) => match op {
                            BinOp::Add | BinOp::Sub | BinOp::Mul => program.types.is_signed(ty),
                            BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr => true,
                            _ => false,
                        },
                        ExprKind::Cast(inner) => {
                            program.exprs[inner].ty.float_kind().is_some() && ty.float_kind().is_none()
                        }
                        ExprKind::PtrAdd(..) | ExprKind::PtrSub(..) | ExprKind::PtrDiff(..) => true,
                    }
                }
            };
            if fails {
                return true;
            }
            open.extend(children(program, node).into_iter().flatten());
        }
        false
    }
}

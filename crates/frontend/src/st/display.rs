//! Expressions and places of a program as Structured Text.

use super::lower::int_name;
use cfa::walk::Node;
use cfa::{BinOp, ExprId, ExprKind, IntKind, PlaceId, PlaceKind, Program, Type, TypeId, UnOp, VarKind, eval};

/// As text that the language reads back; `None` for what it has no words for.
pub fn source_text(program: &Program, node: Node) -> Option<String> {
    let hidden = match node {
        Node::Expr(expr) => cfa::display::mentions_temp(program, expr),
        Node::Place(_) => false,
    };
    let text = display(program, node);
    (!hidden && !text.contains('?')).then_some(text)
}

pub fn display(program: &Program, node: Node) -> String {
    let writer = Writer { program };
    match node {
        Node::Expr(expr) => writer.expr(expr, 0),
        Node::Place(place) => writer.place(place),
    }
}

struct Writer<'p> {
    program: &'p Program,
}

/// Binding of operators, the weakest first.
fn level(op: BinOp) -> u32 {
    match op {
        BinOp::Or => 1,
        BinOp::Xor => 2,
        BinOp::And => 3,
        BinOp::Eq | BinOp::Ne => 4,
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => 5,
        BinOp::Add | BinOp::Sub => 6,
        BinOp::Mul | BinOp::Div | BinOp::Rem => 7,
        BinOp::Shl | BinOp::Shr => 8,
    }
}

fn word(op: BinOp) -> &'static str {
    match op {
        BinOp::Or => "OR",
        BinOp::Xor => "XOR",
        BinOp::And => "AND",
        BinOp::Eq => "=",
        BinOp::Ne => "<>",
        BinOp::Rem => "MOD",
        other => other.c_name(),
    }
}

impl Writer<'_> {
    fn type_name(&self, ty: TypeId) -> &'static str {
        match self.program.types.get(ty) {
            Type::Int(kind) => int_name(*kind, false),
            Type::Float(cfa::FloatKind::Float) => "REAL",
            Type::Float(_) => "LREAL",
            _ => "?",
        }
    }

    fn expr(&self, expr: ExprId, outer: u32) -> String {
        let data = &self.program.exprs[expr];
        match data.kind {
            ExprKind::Const(bits) if data.ty == TypeId::BOOL => if bits.is_zero() { "FALSE" } else { "TRUE" }.into(),
            ExprKind::Const(bits) => {
                let text = eval::display(&self.program.types, data.ty, bits);
                let real = data.ty.float_kind().is_some();
                let whole = !text.contains(['.', 'e', 'n', 'i']);
                if real && whole { format!("{text}.0") } else { text }
            }
            ExprKind::Read(place) => self.place(place),
            ExprKind::AddrOf(place) => format!("ADR({})", self.place(place)),
            ExprKind::FuncAddr(_) => "?".into(),
            ExprKind::Unary(UnOp::Neg, inner) => format!("-{}", self.expr(inner, 9)),
            ExprKind::Unary(UnOp::BitNot, inner) => format!("NOT {}", self.expr(inner, 9)),
            ExprKind::Unary(UnOp::Not, inner) => self.negated(inner, outer),
            ExprKind::Binary(op @ (BinOp::Shl | BinOp::Shr), left, right) => {
                let name = if op == BinOp::Shl { "SHL" } else { "SHR" };
                format!("{name}({}, {})", self.expr(left, 0), self.expr(right, 0))
            }
            ExprKind::Binary(op, left, right) => self.binary(op, left, right, outer),
            ExprKind::Cast(inner) => {
                let from = self.program.exprs[inner].ty;
                // A comparison is a BOOL already.
                if self.is_truth(inner) && data.ty == TypeId::BOOL {
                    return self.expr(inner, outer);
                }
                format!("{}_TO_{}({})", self.type_name(from), self.type_name(data.ty), self.expr(inner, 0))
            }
            ExprKind::PtrAdd(pointer, index) => format!("{} + {}", self.expr(pointer, 6), self.expr(index, 7)),
            ExprKind::PtrSub(pointer, index) | ExprKind::PtrDiff(pointer, index) => {
                format!("{} - {}", self.expr(pointer, 6), self.expr(index, 7))
            }
        }
    }

    /// Whether an `int` of the representation is the result of a comparison.
    fn is_truth(&self, expr: ExprId) -> bool {
        match self.program.exprs[expr].kind {
            ExprKind::Unary(UnOp::Not, _) => true,
            ExprKind::Binary(op, ..) if op.is_comparison() => true,
            ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Xor, left, right) => {
                self.is_truth(left) && self.is_truth(right)
            }
            _ => self.program.exprs[expr].ty == TypeId::BOOL,
        }
    }

    fn negated(&self, inner: ExprId, outer: u32) -> String {
        if self.is_truth(inner) {
            return format!("NOT {}", self.expr(inner, 9));
        }
        let zero = if self.program.exprs[inner].ty.float_kind().is_some() { "0.0" } else { "0" };
        self.enclosed(format!("{} = {zero}", self.expr(inner, 5)), 4, outer)
    }

    fn enclosed(&self, text: String, own: u32, outer: u32) -> String {
        if own < outer { format!("({text})") } else { text }
    }

    fn binary(&self, op: BinOp, left: ExprId, right: ExprId, outer: u32) -> String {
        // `x = FALSE` as people say it.
        let constant = |expr: ExprId| self.program.constant(expr).filter(|_| self.is_truth(expr));
        let truth_of = |expr: ExprId| match self.program.exprs[expr].kind {
            ExprKind::Cast(inner) if self.is_truth(inner) => inner,
            _ => expr,
        };
        let (left, right) = match op.is_comparison() && self.is_truth(truth_of(left)) {
            true => (truth_of(left), right),
            false => (left, right),
        };
        if op.is_comparison()
            && self.is_truth(left)
            && let Some(bits) =
                constant(truth_of(right)).or(self.program.constant(right)).filter(|bits| bits.get() <= 1)
        {
            let same = match (op, bits.is_zero()) {
                (BinOp::Eq | BinOp::Ge, false) | (BinOp::Ne | BinOp::Gt, true) => Some(true),
                (BinOp::Ne | BinOp::Lt, false) | (BinOp::Eq | BinOp::Le, true) => Some(false),
                _ => None,
            };
            match same {
                Some(true) => return self.expr(left, outer),
                Some(false) => return format!("NOT {}", self.expr(left, 9)),
                None => {}
            }
        }
        let (left, right) = match op.is_comparison() {
            true => self.without_conversions(left, right),
            false => (left, right),
        };
        // Truth values are compared as they are.
        let bool_of = |expr: ExprId| match self.program.exprs[expr].kind {
            _ if self.program.exprs[expr].ty == TypeId::BOOL => Some(expr),
            ExprKind::Cast(inner) if self.program.exprs[inner].ty == TypeId::BOOL => Some(inner),
            _ => None,
        };
        let (left, right) = match (op, bool_of(left), bool_of(right)) {
            (BinOp::Eq | BinOp::Ne, Some(left), Some(right)) => (left, right),
            _ => (left, right),
        };
        let own = level(op);
        let named = |value: ExprId, of: ExprId| match op {
            BinOp::Eq | BinOp::Ne => self.enumerator(value, of).map(str::to_string),
            _ => None,
        };
        let first = named(left, right).unwrap_or_else(|| self.expr(left, own));
        let second = named(right, left).unwrap_or_else(|| self.expr(right, own + 1));
        self.enclosed(format!("{first} {} {second}", word(op)), own, outer)
    }

    /// The name of a constant that is compared with a variable of an enumeration, if nothing else has this name.
    fn enumerator(&self, constant: ExprId, compared: ExprId) -> Option<&str> {
        let bits = self.program.constant(constant)?;
        let number = eval::to_i128(&self.program.types, self.program.exprs[constant].ty, bits);
        let place = match self.program.exprs[compared].kind {
            ExprKind::Read(place) => place,
            _ => return None,
        };
        let name = *self.program.enumeration_of(place)?.get(&number)?;
        let name = self.program.name(name);
        let same = |symbol: base::Symbol| self.program.name(symbol).eq_ignore_ascii_case(name);
        let is_clear = self.program.enumerations.names().all(|(other, value)| value == number || !same(other));
        let is_variable = |var: &cfa::Var| self.program.name(var.name).eq_ignore_ascii_case(name);
        (is_clear && !self.program.vars.iter().any(|(_, var)| is_variable(var))).then_some(name)
    }

    /// The sides of a comparison without conversions that the language makes by itself: a number is compared with a constant of its own type, or with another
    /// one of the same type.
    fn without_conversions(&self, left: ExprId, right: ExprId) -> (ExprId, ExprId) {
        let types = &self.program.types;
        let widened = |expr: ExprId| match self.program.exprs[expr].kind {
            ExprKind::Cast(inner) => {
                let (from, to) = (self.program.exprs[inner].ty, self.program.exprs[expr].ty);
                let numbers =
                    [from, to].iter().all(|ty| matches!(types.get(*ty), Type::Int(kind) if *kind != IntKind::Bool));
                let keeps = types.is_signed(from) == types.is_signed(to) || types.is_signed(to);
                (numbers && keeps && types.scalar_bits(from) < types.scalar_bits(to)).then_some((inner, from))
            }
            _ => None,
        };
        let fits = |expr: ExprId, ty: TypeId| {
            self.program.constant(expr).is_some_and(|bits| {
                let own = self.program.exprs[expr].ty;
                let value = eval::to_i128(types, own, bits);
                eval::to_i128(types, ty, eval::from_i128(types, ty, value)) == value
            })
        };
        match (widened(left), widened(right)) {
            (Some((one, from)), Some((other, also))) if from == also => (one, other),
            (Some((one, from)), None) if fits(right, from) => (one, right),
            (None, Some((other, from))) if fits(left, from) => (left, other),
            _ => (left, right),
        }
    }

    fn place(&self, place: PlaceId) -> String {
        match self.program.places[place].kind {
            PlaceKind::Var(var) => {
                let data = &self.program.vars[var];
                let name = self.program.name(data.name);
                if name.is_empty() || matches!(data.kind, VarKind::Temp(_)) { "?".into() } else { name.to_string() }
            }
            PlaceKind::Deref(pointer) => format!("{}^", self.expr(pointer, 10)),
            PlaceKind::Field(base, field) => {
                let Type::Record(record) = *self.program.types.get(self.program.places[base].ty) else {
                    return "?".into();
                };
                let name = self.program.types.records[record].fields[field as usize].name;
                format!("{}.{}", self.place(base), name.map_or("?", |name| self.program.name(name)))
            }
            PlaceKind::Index(base, index) => {
                // The first bound is taken off where it is not small: what the text says stands before that.
                let shown = match self.program.exprs[index].kind {
                    ExprKind::Binary(BinOp::Sub, value, bound)
                        if self.program.exprs[index].ty == TypeId::LONG_LONG
                            && self.program.constant(bound).is_some() =>
                    {
                        match self.program.exprs[value].kind {
                            ExprKind::Cast(inner) => inner,
                            _ => value,
                        }
                    }
                    _ => index,
                };
                let base = self.place(base);
                match base.strip_suffix(']') {
                    Some(begun) => {
                        format!("{begun}, {}]", self.expr(shown, 0))
                    }
                    _ => format!("{base}[{}]", self.expr(shown, 0)),
                }
            }
        }
    }
}

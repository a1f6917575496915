//! A guard for an operation that can fail: `if (b != 0)` before a statement that divides by `b`, `p` and `i < N` before one that follows a pointer or an index.

use super::{Edit, Kind, Place};
use cfa::walk::{self, Node};
use cfa::{BinOp, ExprId, ExprKind, Fault, PlaceKind, Type, VarKind};

impl Place<'_> {
    pub(super) fn guarded(&self, edits: &mut Vec<Edit>) {
        if !self.frontend.extensions.contains(&"c") || self.fault.is_none() {
            return;
        }
        let statement = self.statement(&self.tokens);
        for guard in self.guards() {
            if let Some(span) = statement {
                let what = format!("`if ({guard})` added");
                let mut edit = Edit::replace(Kind::Guarded, span.lo, span.lo, format!("if ({guard}) "), what);
                edit.shared_tokens = self.shared_tokens(&guard);
                edits.push(edit);
            }
        }
        // A value has to be given in any case.
        for expr in self.exprs() {
            let data = &self.program.exprs[expr];
            let ExprKind::Binary(BinOp::Div | BinOp::Rem, _, divisor) = data.kind else { continue };
            if self.fault != Some(Fault::DivisionByZero) {
                continue;
            }
            let Some(divisor) = self.plain_text(divisor) else { continue };
            let old = self.sources.snippet(data.span).into_owned();
            if self.is_here(data.span.lo) && self.is_here(data.span.hi) && !old.contains('\n') && old.contains(&divisor)
            {
                let new = format!("({divisor} != 0 ? {old} : 0)");
                let what = format!("`{new}` instead of `{old}`");
                edits.push(Edit::replace(Kind::Guarded, data.span.lo, data.span.hi, new, what));
            }
        }
    }

    /// Conditions under which what the line does is defined.
    fn guards(&self) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut add = |guard: String| {
            if !found.contains(&guard) {
                found.push(guard);
            }
        };
        let mut open = Vec::new();
        for edge in &self.edges {
            walk::parts(self.program, &self.program.edges[*edge].op, |node| open.push(node));
        }
        while let Some(node) = open.pop() {
            match node {
                Node::Expr(expr) => {
                    if let ExprKind::Binary(BinOp::Div | BinOp::Rem, _, divisor) = self.program.exprs[expr].kind
                        && self.fault == Some(Fault::DivisionByZero)
                    {
                        self.plain_text(divisor).into_iter().for_each(|text| add(format!("{text} != 0")));
                    }
                }
                Node::Place(place) => match self.program.places[place].kind {
                    PlaceKind::Index(array, index) if self.fault == Some(Fault::OutOfBounds) => {
                        let length = match self.program.types.get(self.program.places[array].ty) {
                            Type::Array(_, Some(length)) => *length,
                            _ => 0,
                        };
                        if let Some(text) = self.plain_text(index).filter(|_| length > 0) {
                            add(format!("{text} < {length}"));
                            add(format!("{text} >= 0"));
                            add(format!("{text} >= 0 && {text} < {length}"));
                        }
                    }
                    PlaceKind::Deref(pointer) if self.fault == Some(Fault::NullDereference) => {
                        self.plain_text(pointer).into_iter().for_each(&mut add)
                    }
                    _ => {}
                },
            }
            open.extend(walk::children(self.program, node).into_iter().flatten());
        }
        found
    }

    /// The text of an expression that can be written twice, and is no constant.
    fn plain_text(&self, expr: ExprId) -> Option<String> {
        let data = &self.program.exprs[expr];
        // A conversion that is not written has the text of its operand.
        if let ExprKind::Cast(inner) = data.kind {
            return self.plain_text(inner);
        }
        let reads = match data.kind {
            ExprKind::Const(_) => false,
            ExprKind::Read(place) => match self.program.places[place].kind {
                PlaceKind::Var(var) => !matches!(self.program.vars[var].kind, VarKind::Temp(_)),
                _ => true,
            },
            _ => true,
        };
        let text = self.sources.snippet(data.span).into_owned();
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "_[].->+ ".contains(letter);
        let is_plain = !text.is_empty() && text.chars().all(plain) && !text.contains("++") && !text.contains("--");
        let begins = text.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
        (reads && is_plain && begins && self.is_here(data.span.lo) && self.is_visible_start(&text)).then_some(text)
    }
}

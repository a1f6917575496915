//! One more condition: `c && d` and `c || d`.

use super::text::exprs_of;
use super::{Edit, Kind, Place};
use cfa::{BinOp, ExprKind};
use frontend::TokenKind;
use std::collections::BTreeSet;

impl Place<'_> {
    /// One more condition: `c && d` and `c || d` with comparisons that the program makes elsewhere, or in the same function also their opposites.
    pub(super) fn conditions(&self, edits: &mut Vec<Edit>) {
        let (mut known, mut opposites): (BTreeSet<String>, BTreeSet<String>) = Default::default();
        for (id, edge) in self.program.edges.iter() {
            // What is trusted is no source of edits: it would only repeat what is expected.
            if self.lines.of(self.program, id).is_none() {
                continue;
            }
            let here = self.program.locations[edge.from].function == self.program.locations[self.at].function;
            for expr in exprs_of(self.program, [&edge.op]) {
                let data = &self.program.exprs[expr];
                let ExprKind::Binary(op, a, b) = data.kind else { continue };
                let text = self.sources.snippet(data.span).into_owned();
                if !op.is_comparison() || text.is_empty() || text.len() >= 60 || text.contains('\n') {
                    continue;
                }
                // Elsewhere only what means the same everywhere: names of the file scope and numbers.
                if here && self.is_visible(&text) {
                    let (a, b) = (self.program.exprs[a].span, self.program.exprs[b].span);
                    let opposite = opposite(op).filter(|_| data.span.lo <= a.lo && a.hi <= b.lo);
                    opposites.extend(
                        opposite
                            .map(|op| self.spelling(TokenKind::Binary(op)))
                            .map(|op| format!("{} {op} {}", self.sources.snippet(a), self.sources.snippet(b))),
                    );
                    known.insert(text);
                } else if self.is_global(&text) {
                    known.insert(text);
                }
            }
        }
        for span in self.boolean_values() {
            let texts = known.iter().chain(opposites.difference(&known));
            for (operator, text) in texts.flat_map(|text| [(TokenKind::And, text), (TokenKind::Or, text)]) {
                let operator = self.spelling(operator);
                let parts = vec![(span.lo, span.lo, "(".into()), (span.hi, span.hi, format!(") {operator} ({text})"))];
                let (what, kind) = (format!("`{operator} {text}` added"), Kind::Condition);
                edits.push(Edit { parts, what, kind, shared_tokens: self.shared_tokens(text), definition: None });
            }
        }
    }
}

fn opposite(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Lt => BinOp::Ge,
        BinOp::Le => BinOp::Gt,
        BinOp::Gt => BinOp::Le,
        BinOp::Ge => BinOp::Lt,
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        _ => return None,
    })
}

//! What stands at a place and around it: pieces of its text, and names that mean something there.

use super::Place;
use base::{FileId, SourceMap};
use cfa::walk::{self, Node};
use cfa::{BinOp, Binding, ExprId, ExprKind, Op, Program, TypeId, VarId, VarKind};
use frontend::{Token, TokenKind};
use std::collections::BTreeSet;

impl Place<'_> {
    pub(super) fn text(&self, token: Token) -> String {
        String::from_utf8_lossy(self.sources.bytes(token.span)).into_owned()
    }

    /// How the language writes an operator.
    pub(in crate::repair) fn spelling(&self, kind: TokenKind) -> &'static str {
        (self.frontend.spelling)(kind).unwrap_or("")
    }

    /// Integer variables that can be seen here, and what else the line and its function read.
    pub(in crate::repair) fn atoms(&self, most: usize) -> Vec<String> {
        let mut found = self.others_of_type(TypeId::INT, None, most);
        let function = self.program.locations[self.at].function;
        let here = self.program.edges.values().filter(|edge| self.program.locations[edge.from].function == function);
        for expr in exprs_of(self.program, here.map(|edge| &edge.op)) {
            let data = &self.program.exprs[expr];
            let text = self.sources.snippet(data.span);
            let plain = |c: char| c.is_ascii_alphanumeric() || "_[].->".contains(c);
            if matches!(data.kind, ExprKind::Read(_))
                && data.ty == TypeId::INT
                && !text.is_empty()
                && text.chars().all(plain)
                && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && self.is_visible_start(&text)
                && !found.iter().any(|known| *known == *text)
            {
                found.push(text.into_owned());
            }
        }
        found.truncate(most);
        found
    }

    /// Whether the name that a text begins with means something here.
    pub(super) fn is_visible_start(&self, text: &str) -> bool {
        let name: String = text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        self.is_visible(&name)
    }

    /// Constants, those near zero first.
    pub(in crate::repair) fn near_constants(&self, most: usize) -> Vec<i128> {
        let mut found: Vec<i128> =
            self.constants.iter().copied().filter(|value| i32::try_from(*value).is_ok()).collect();
        found.sort_by_key(|value| value.abs());
        found.truncate(most);
        found
    }

    /// Controlling expressions on the line.
    pub(super) fn conditions_here(&self) -> Vec<base::Span> {
        let mut spans: Vec<base::Span> = Vec::new();
        for edge in &self.edges {
            if let Op::Assume { truth: true, .. } = self.program.edges[*edge].op {
                let span = self.program.edges[*edge].span;
                if !spans.contains(&span) {
                    spans.push(span);
                }
            }
        }
        spans
    }

    pub(super) fn is_here(&self, position: u32) -> bool {
        let (first, last) = (self.tokens.first(), self.tokens.last());
        first.is_some_and(|token| token.span.lo <= position) && last.is_some_and(|token| position <= token.span.hi)
    }

    /// All expressions of the line's edges.
    pub(super) fn exprs(&self) -> Vec<ExprId> {
        exprs_of(self.program, self.edges.iter().map(|edge| &self.program.edges[*edge].op))
    }

    /// Whether a name is a word of the text, and not made of several: variables of instances have other texts inside of them.
    pub(super) fn is_plain(&self, name: base::Symbol) -> bool {
        let tokens = (self.frontend.tokens)(self.program.name(name).as_bytes(), 0);
        matches!(
            tokens[..],
            [Token { kind: TokenKind::Word, .. }]
                | [Token { kind: TokenKind::Word, .. }, Token { kind: TokenKind::End, .. }]
        )
    }

    /// Variables of a type that can be seen here, the nearest scopes first.
    pub(super) fn others_of_type(&self, ty: TypeId, except: Option<VarId>, most: usize) -> Vec<String> {
        let mut found = Vec::new();
        let location = &self.program.locations[self.at];
        let mut scope = Some((location.scope, location.visible));
        while let Some((id, visible)) = scope {
            for (name, binding) in self.program.scopes[id].names[..visible as usize].iter().rev() {
                if let Binding::Var(other) = binding
                    && Some(*other) != except
                    && self.program.vars[*other].ty == ty
                    && self.is_plain(*name)
                    && !matches!(self.program.vars[*other].kind, VarKind::Temp(_) | VarKind::Constant)
                    && found.len() < most
                {
                    found.push(self.program.name(*name).to_string());
                }
            }
            scope = self.program.scopes[id].parent;
        }
        found
    }

    /// How many of the names, numbers and operators of a text stand on the line, in percent.
    pub(in crate::repair) fn shared_tokens(&self, text: &str) -> u32 {
        let counts =
            |token: &&Token| !matches!(token.kind, TokenKind::LeftParen | TokenKind::RightParen | TokenKind::End);
        let here: BTreeSet<String> = self.tokens.iter().filter(counts).map(|token| self.text(*token)).collect();
        let tokens = (self.frontend.tokens)(text.as_bytes(), 0);
        let all: Vec<&Token> = tokens.iter().filter(counts).collect();
        let known = all.iter().filter(|token| here.contains(&text[token.span.lo as usize..token.span.hi as usize]));
        (100 * known.count() / all.len().max(1)) as u32
    }

    /// The tokens of every line of the functions of this file that has an edge.
    pub(super) fn statements(&self) -> Vec<Vec<Token>> {
        let mut starts = BTreeSet::new();
        let own = self.program.edges.iter().filter(|(id, _)| self.lines.of(self.program, *id).is_some());
        for (_, edge) in own {
            if let Some(file) = self.sources.file_at(edge.span.lo).filter(|_| edge.span.lo < edge.span.hi) {
                starts.insert(whole_lines(self.sources, file, edge.span.lo, edge.span.hi));
            }
        }
        let tokens = |(lo, hi): (u32, u32)| (self.frontend.tokens)(self.sources.bytes(base::Span { lo, hi }), lo);
        starts.into_iter().map(tokens).collect()
    }

    /// Pieces that are values: after `return` or `=` up to `;`, and the sides of a comparison.
    pub(in crate::repair) fn values_in(&self, tokens: &[Token]) -> Vec<base::Span> {
        let mut spans = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            if matches!(token.kind, TokenKind::Assign | TokenKind::Return) {
                let end = tokens[index..].iter().position(|token| token.kind == TokenKind::Semicolon);
                if let (Some(end), Some(first)) = (end, tokens.get(index + 1)) {
                    let last = tokens[index + end - 1];
                    spans.push(base::Span { lo: first.span.lo, hi: last.span.hi });
                }
            }
            if is_relation(token.kind) {
                spans.extend(side(tokens[..index].iter().rev(), true, true));
                spans.extend(side(tokens[index + 1..].iter(), false, true));
            }
        }
        spans.retain(|span| span.lo < span.hi);
        spans
    }

    /// Whether all names of a text mean something here.
    pub(super) fn is_visible(&self, text: &str) -> bool {
        let tokens = (self.frontend.tokens)(text.as_bytes(), 0);
        tokens.iter().filter(|token| token.kind == TokenKind::Word).all(|token| {
            let name = &text[token.span.lo as usize..token.span.hi as usize];
            let symbol = self.program.names.lookup(name);
            !self.lines.is_trusted(name) && symbol.is_some_and(|symbol| self.program.lookup(self.at, symbol).is_some())
        })
    }

    /// Whether a text means the same everywhere. Calls of functions that are trusted would only repeat the assertion.
    pub(super) fn is_global(&self, text: &str) -> bool {
        let tokens = (self.frontend.tokens)(text.as_bytes(), 0);
        let known = |token: &Token| {
            let name = &text[token.span.lo as usize..token.span.hi as usize];
            if self.lines.is_trusted(name) {
                return false;
            }
            let symbol = self.program.names.lookup(name);
            let scope = self.program.scopes.values().next();
            let all = scope.map_or(&[][..], |scope| scope.names.as_slice());
            symbol.is_some_and(|symbol| {
                all.iter()
                    .any(|(name, binding)| *name == symbol && matches!(binding, Binding::Var(_) | Binding::Function(_)))
            })
        };
        tokens.iter().all(|token| match token.kind {
            TokenKind::Word => known(token),
            TokenKind::LeftParen | TokenKind::RightParen | TokenKind::LeftBracket | TokenKind::RightBracket => true,
            TokenKind::Number | TokenKind::Question | TokenKind::Colon | TokenKind::End => true,
            TokenKind::And | TokenKind::Or | TokenKind::Not | TokenKind::Truth(_) => true,
            TokenKind::Binary(op) => op.is_comparison() || matches!(op, BinOp::Add | BinOp::Sub),
            _ => false,
        })
    }

    /// What is assigned or decided here and is a truth value: after `=` up to `;`, or a whole condition.
    pub(in crate::repair) fn boolean_values(&self) -> Vec<base::Span> {
        let mut spans = Vec::new();
        for (index, token) in self.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Assign) {
            let end =
                self.tokens[index..].iter().position(|token| token.kind == TokenKind::Semicolon).map(|end| index + end);
            let Some(end) = end else { continue };
            let truth = |token: &Token| {
                matches!(token.kind, TokenKind::And | TokenKind::Or | TokenKind::Not) || is_relation(token.kind)
            };
            if self.tokens[index + 1..end].iter().any(truth) {
                spans.push(base::Span { lo: token.span.hi + 1, hi: self.tokens[end].span.lo });
            }
        }
        if spans.is_empty() {
            // The controlling expression as a whole spans its operands.
            let all = self.conditions_here();
            let lo = all.iter().map(|span| span.lo).min();
            let hi = all.iter().map(|span| span.hi).max();
            spans.extend(lo.zip(hi).map(|(lo, hi)| base::Span { lo, hi }));
        }
        spans
    }
}

/// All expressions of what edges do.
pub(super) fn exprs_of<'a>(program: &'a Program, ops: impl IntoIterator<Item = &'a Op>) -> Vec<ExprId> {
    let mut all = BTreeSet::new();
    let mut open = Vec::new();
    for op in ops {
        walk::parts(program, op, |node| open.push(node));
    }
    while let Some(node) = open.pop() {
        if let Node::Expr(expr) = node
            && !all.insert(expr)
        {
            continue;
        }
        open.extend(walk::children(program, node).into_iter().flatten());
    }
    all.into_iter().collect()
}

pub(super) fn is_relation(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Binary(op) if op.is_comparison())
}

/// One side of a comparison, or of `&&` and `||`: tokens up to a parenthesis that does not belong to it, or an operator that binds less.
pub(super) fn side<'t>(
    tokens: impl Iterator<Item = &'t Token>,
    leftwards: bool,
    of_comparison: bool,
) -> Option<base::Span> {
    let mut depth = 0;
    let mut span: Option<base::Span> = None;
    for token in tokens {
        let (opens, closes) = match token.kind {
            TokenKind::LeftParen | TokenKind::LeftBracket => (!leftwards, leftwards),
            TokenKind::RightParen | TokenKind::RightBracket => (leftwards, !leftwards),
            _ => (false, false),
        };
        if closes && depth == 0 {
            break;
        }
        let ends = matches!(
            token.kind,
            TokenKind::And
                | TokenKind::Or
                | TokenKind::Semicolon
                | TokenKind::Comma
                | TokenKind::Assign
                | TokenKind::Question
                | TokenKind::Colon
                | TokenKind::LeftBrace
                | TokenKind::Return
        );
        let binds_less = of_comparison && (token.kind == TokenKind::Not || is_relation(token.kind));
        if depth == 0 && (ends || binds_less) {
            break;
        }
        depth += opens as i32 - closes as i32;
        span = Some(match span {
            None => token.span,
            Some(span) => base::Span { lo: span.lo.min(token.span.lo), hi: span.hi.max(token.span.hi) },
        });
    }
    span
}

/// From the start of the first line to the end of the last.
pub(in crate::repair) fn whole_lines(sources: &SourceMap, file: FileId, from: u32, to: u32) -> (u32, u32) {
    let (text, base) = (sources.text(file), sources.base(file));
    let (from, to) = ((from - base) as usize, ((to - base) as usize).min(text.len()));
    let start = text[..from].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let end = text[to..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| to + at);
    (base + start as u32, base + end as u32)
}

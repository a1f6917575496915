//! Whole statements: one less, one more that stands elsewhere in the function, two in the other order (memory that is freed too early), and a variable that
//! is declared without a value.

use super::{Edit, Kind, MAX_REUSED, Place};
use base::Span;
use frontend::{Token, TokenKind};
use std::collections::BTreeSet;

impl Place<'_> {
    pub(super) fn statements_changed(&self, edits: &mut Vec<Edit>) {
        self.missing_value(edits);
        let Some(here) = self.statement(&self.tokens) else { return };
        let own = self.sources.snippet(here).into_owned();
        edits.push(Edit::replace(Kind::Removal, here.lo, here.hi, ";", format!("no `{own}`")));
        if let Some(next) = self.next_statement(here) {
            let other = self.sources.snippet(next).into_owned();
            let parts = vec![(here.lo, here.hi, other.clone()), (next.lo, next.hi, own.clone())];
            let what = format!("`{other}` before `{own}`");
            edits.push(Edit { parts, what, kind: Kind::Order, shared_tokens: 0, definition: None });
            edits.extend(self.freed_later(here, &own, next, &other));
        }
        if self.program.cycle.is_some() {
            return;
        }
        let function = self.program.locations[self.at].function;
        let in_function = |span: Span| {
            let mut edges = self.program.edges.values();
            edges.any(|edge| {
                span.lo <= edge.span.lo
                    && edge.span.hi <= span.hi
                    && self.program.locations[edge.from].function == function
            })
        };
        let others = self.statements().into_iter().filter_map(|tokens| self.statement(&tokens));
        let others: BTreeSet<String> =
            others.filter(|span| in_function(*span)).map(|span| self.sources.snippet(span).into_owned()).collect();
        let fits = |other: &&String| **other != own && !other.contains('\n') && self.is_visible(other);
        for other in others.iter().filter(fits).take(MAX_REUSED) {
            let what = format!("`{other}` added");
            let parts = vec![(here.lo, here.lo, format!("{other} "))];
            edits.push(Edit {
                parts,
                what,
                kind: Kind::Addition,
                shared_tokens: self.shared_tokens(other),
                definition: None,
            });
        }
    }

    /// `free(p);` before `p = p->next;` frees what the next statement reads: it has to be remembered, and freed behind it.
    fn freed_later(&self, here: Span, own: &str, next: Span, other: &str) -> Option<Edit> {
        let pointer = own.strip_prefix("free(")?.strip_suffix(");")?;
        // Two variables of one name are no program.
        if !other.contains(pointer) || self.is_visible("freed") {
            return None;
        }
        let parts = vec![
            (here.lo, here.hi, format!("void *freed = {pointer};")),
            (next.lo, next.hi, format!("{other} free(freed);")),
        ];
        let what = format!("`{pointer}` freed after `{other}`");
        Some(Edit { parts, what, kind: Kind::Order, shared_tokens: 0, definition: None })
    }

    /// `int x;` becomes `int x = 0;`, of each variable of a declaration.
    fn missing_value(&self, edits: &mut Vec<Edit>) {
        let tokens: Vec<&Token> = self.tokens.iter().filter(|token| token.kind != TokenKind::End).collect();
        let [ty, second, .., end] = tokens[..] else { return };
        let star = TokenKind::Binary(cfa::BinOp::Mul);
        let is_type = matches!(ty.kind, TokenKind::Word | TokenKind::Other)
            && (second.kind == TokenKind::Word || second.kind == TokenKind::Other || second.kind == star);
        let statement_words = ["goto", "return", "break", "continue", "typedef", "extern", "case", "else", "}", "{"];
        if !is_type || end.kind != TokenKind::Semicolon || statement_words.contains(&self.text(*ty).as_str()) {
            return;
        }
        // Behind a word or a star of the declaration, or a comma, and before a comma or its end.
        let mut depth = 0;
        for (index, three) in tokens.windows(3).enumerate() {
            depth +=
                i32::from(three[0].kind == TokenKind::LeftParen) - i32::from(three[0].kind == TokenKind::RightParen);
            if depth > 0 || matches!(three[0].kind, TokenKind::LeftBrace) {
                continue;
            }
            let begins = match three[0].kind {
                TokenKind::Comma => true,
                TokenKind::Word | TokenKind::Other => index == 0 || index == 1,
                kind => kind == star,
            };
            let name = three[1];
            let ends = matches!(three[2].kind, TokenKind::Comma | TokenKind::Semicolon);
            if begins && ends && name.kind == TokenKind::Word {
                let what = format!("`{}` begins with 0", self.text(*name));
                edits.push(Edit::replace(Kind::Initialization, name.span.hi, name.span.hi, " = 0", what));
            }
        }
    }

    /// The one statement that tokens are, an assignment, an update or a call, with its semicolon.
    pub(super) fn statement(&self, tokens: &[Token]) -> Option<Span> {
        let tokens: Vec<&Token> = tokens.iter().filter(|token| token.kind != TokenKind::End).collect();
        let [first, second, .., last] = tokens[..] else { return None };
        let semicolons = tokens.iter().filter(|token| token.kind == TokenKind::Semicolon).count();
        let begins = matches!(first.kind, TokenKind::Word | TokenKind::Increment | TokenKind::Decrement)
            || first.kind == TokenKind::Binary(cfa::BinOp::Mul);
        // Two words are a declaration.
        let is_statement = begins && second.kind != TokenKind::Word && last.kind == TokenKind::Semicolon;
        (is_statement && semicolons == 1).then(|| Span::new(first.span.lo, last.span.hi))
    }

    /// The statement on the next line.
    fn next_statement(&self, here: Span) -> Option<Span> {
        let file = self.sources.file_at(here.lo)?;
        let (text, base) = (self.sources.text(file), self.sources.base(file));
        let rest = &text[(here.hi - base) as usize..];
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let next = &rest[end + 1..];
        let length = next.iter().position(|byte| *byte == b'\n').unwrap_or(next.len());
        let tokens = (self.frontend.tokens)(&next[..length], here.hi + end as u32 + 1);
        self.statement(&tokens)
    }
}

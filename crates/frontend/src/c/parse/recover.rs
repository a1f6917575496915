//! Reporting syntax errors and finding a place to go on from.

use super::*;

/// Where a failed construct began: what recovery goes back to, except for the position in the text.
pub(super) struct Checkpoint {
    depth: u32,
    chain: u32,
    tallest: u32,
    level: usize,
    lengths: [usize; 16],
}

impl Scratch {
    fn lengths(&self) -> [usize; 16] {
        [
            self.exprs.len(),
            self.stmts.len(),
            self.decls.len(),
            self.symbols.len(),
            self.params.len(),
            self.parts.len(),
            self.pointers.len(),
            self.init_declarators.len(),
            self.init_items.len(),
            self.designators.len(),
            self.associations.len(),
            self.members.len(),
            self.enumerators.len(),
            self.attributes.len(),
            self.labels.len(),
            self.branches.len(),
        ]
    }

    fn truncate(&mut self, lengths: &[usize; 16]) {
        self.exprs.truncate(lengths[0]);
        self.stmts.truncate(lengths[1]);
        self.decls.truncate(lengths[2]);
        self.symbols.truncate(lengths[3]);
        self.params.truncate(lengths[4]);
        self.parts.truncate(lengths[5]);
        self.pointers.truncate(lengths[6]);
        self.init_declarators.truncate(lengths[7]);
        self.init_items.truncate(lengths[8]);
        self.designators.truncate(lengths[9]);
        self.associations.truncate(lengths[10]);
        self.members.truncate(lengths[11]);
        self.enumerators.truncate(lengths[12]);
        self.attributes.truncate(lengths[13]);
        self.labels.truncate(lengths[14]);
        self.branches.truncate(lengths[15]);
    }
}

impl Parser<'_> {
    pub(super) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            depth: self.depth,
            chain: self.chain,
            tallest: self.tallest,
            level: self.scopes.level(),
            lengths: self.scratch.lengths(),
        }
    }

    /// Drops what a failed construct left behind. `stmts` and `members` belong to lists that go on: their length is given.
    pub(super) fn restore(&mut self, checkpoint: &Checkpoint, stmts: usize, members: usize) {
        self.depth = checkpoint.depth;
        self.chain = checkpoint.chain;
        self.tallest = checkpoint.tallest;
        self.scopes.close_to(checkpoint.level);
        let mut lengths = checkpoint.lengths;
        lengths[1] = stmts;
        lengths[11] = members;
        self.scratch.truncate(&lengths);
    }

    #[cold]
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.errors.stopped || (self.errors.quiet_at == self.at && diagnostic.severity == Severity::Error) {
            return;
        }
        self.errors.count += (diagnostic.severity == Severity::Error) as usize;
        self.errors.diagnostics.push(diagnostic);
        if self.errors.count >= MAX_ERRORS {
            self.stop();
        }
    }

    #[cold]
    pub(super) fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Parse<T> {
        self.report(Diagnostic::error(span, message));
        Err(Fail)
    }

    /// No token is looked at any more, so everything ends.
    fn stop(&mut self) {
        self.errors.stopped = true;
        self.at = self.tokens.len() - 1;
    }

    #[cold]
    pub(super) fn too_deep<T>(&mut self) -> Parse<T> {
        let span = self.token().span();
        self.report(Diagnostic::error(span, "nested too deeply"));
        self.stop();
        Err(Fail)
    }

    /// How the current token is called in a message.
    fn found(&self) -> String {
        match self.kind() {
            kind @ (Tok::End | Tok::AcslStart | Tok::AcslEnd | Tok::Text) => kind.text().to_string(),
            _ => {
                let text = String::from_utf8_lossy(self.text(self.token().span()));
                let short: String = text.chars().take(40).collect();
                format!("`{short}`")
            }
        }
    }

    #[cold]
    pub(super) fn expected<T>(&mut self, what: &str) -> Parse<T> {
        let span = self.token().span();
        self.error(span, format!("expected {what}, found {}", self.found()))
    }

    /// A token is missing. Where the next one starts a line or closes a block, the text goes on as if the semicolon were there.
    #[cold]
    pub(super) fn missing(&mut self, kind: Tok, context: &str) -> Parse<()> {
        let space = if context.is_empty() { "" } else { " " };
        let message = format!("expected `{}`{space}{context}", kind.text());
        if kind == Tok::Semi {
            let hi = self.hi();
            let result = self.error(Span { lo: hi, hi }, message);
            let goes_on = self.kind() == Tok::RBrace || (self.starts_line() && !continues(self.kind()));
            return if goes_on { Ok(()) } else { result };
        }
        let span = self.token().span();
        self.error(span, format!("{message}, found {}", self.found()))
    }

    /// Whether a newline stands between the last token and this one.
    fn starts_line(&self) -> bool {
        self.text(Span { lo: self.hi(), hi: self.lo() }).contains(&b'\n')
    }

    /// A closing token is missing; the note shows what it would match.
    #[inline]
    pub(super) fn expect_closing(&mut self, kind: Tok, open: Token) -> Parse<()> {
        if self.eat(kind) { Ok(()) } else { self.not_closed(kind, open) }
    }

    #[cold]
    fn not_closed(&mut self, kind: Tok, open: Token) -> Parse<()> {
        let message = format!("expected `{}`, found {}", kind.text(), self.found());
        let note = format!("to match this `{}`", open.kind.text());
        self.report(Diagnostic::error(self.token().span(), message).note(open.span(), note));
        Err(Fail)
    }

    /// Errors at the current token are consequences of the one before.
    fn hush(&mut self) {
        self.errors.quiet_at = self.at;
    }

    /// Skips to the end of the statement or member: past its `;`, or up to the `}` of the block, or up to a line that begins with a
    /// keyword no expression goes on with.
    pub(super) fn skip_statement(&mut self, start: usize) {
        let mut braces = 0;
        loop {
            match self.kind() {
                Tok::End => break,
                Tok::Semi if braces == 0 => {
                    self.bump();
                    break;
                }
                Tok::LBrace => braces += 1,
                Tok::RBrace if braces == 0 => break,
                Tok::RBrace => {
                    braces -= 1;
                    if braces == 0 {
                        self.bump();
                        self.eat(Tok::Semi);
                        break;
                    }
                }
                Tok::AcslStart if braces == 0 && self.at > start => break,
                Tok::AcslStart => {
                    self.skip_acsl();
                    continue;
                }
                kind if braces == 0 && self.at > start && begins_statement(kind) && self.starts_line() => break,
                _ => {}
            }
            self.bump();
        }
        self.hush();
    }

    /// Skips to the end of an external declaration.
    pub(super) fn skip_external(&mut self, start: usize) {
        let mut braces = 0;
        loop {
            match self.kind() {
                Tok::End => break,
                Tok::Semi if braces == 0 => {
                    self.bump();
                    break;
                }
                Tok::LBrace => braces += 1,
                Tok::RBrace => {
                    braces -= 1;
                    if braces <= 0 {
                        self.bump();
                        self.eat(Tok::Semi);
                        break;
                    }
                }
                Tok::AcslStart => {
                    self.skip_acsl();
                    continue;
                }
                kind if braces == 0 && self.at > start && begins_declaration(kind) && self.starts_line() => break,
                _ => {}
            }
            self.bump();
        }
        self.hush();
    }

    /// Skips to the `)` that closes an already open parenthesis, and past it. Fails where a statement must have ended before.
    pub(super) fn skip_parenthesis(&mut self) -> Parse<()> {
        let mut parentheses = 0;
        loop {
            match self.kind() {
                Tok::End | Tok::LBrace | Tok::RBrace | Tok::AcslStart | Tok::AcslEnd => return Err(Fail),
                kind if begins_statement(kind) && self.starts_line() => return Err(Fail),
                Tok::LParen => parentheses += 1,
                Tok::RParen if parentheses == 0 => {
                    self.bump();
                    self.hush();
                    return Ok(());
                }
                Tok::RParen => parentheses -= 1,
                _ => {}
            }
            self.bump();
        }
    }

    /// At the start of an ACSL assertion or inside: skips past its end.
    pub(super) fn skip_acsl(&mut self) {
        while !matches!(self.kind(), Tok::AcslEnd | Tok::End) {
            self.bump();
        }
        self.eat(Tok::AcslEnd);
    }

    /// At an opening parenthesis: past the closing one that matches.
    pub(super) fn skip_balanced(&mut self, open: Tok, close: Tok) -> Parse<()> {
        let first = self.token();
        let mut nested = 0;
        loop {
            let kind = self.kind();
            if kind == Tok::End || matches!(kind, Tok::LBrace | Tok::RBrace | Tok::AcslEnd) {
                return self.expect_closing(close, first);
            }
            self.bump();
            if kind == open {
                nested += 1;
            } else if kind == close {
                nested -= 1;
                if nested == 0 {
                    return Ok(());
                }
            }
        }
    }
}

/// Tokens that only make sense after an operand: a line that starts with one belongs to the line before.
fn continues(kind: Tok) -> bool {
    use Tok::*;
    matches!(
        kind,
        End | RParen
            | RBracket
            | Comma
            | Dot
            | Arrow
            | Slash
            | Percent
            | Lt
            | Gt
            | Le
            | Ge
            | EqEq
            | Ne
            | Caret
            | Pipe
            | AndAnd
            | OrOr
            | Question
            | Colon
            | Eq
            | LBracket
            | LParen
    )
}

fn begins_statement(kind: Tok) -> bool {
    use Tok::*;
    matches!(kind, If | While | For | Do | Switch | Case | Default | Return | Break | Continue | Goto | Else)
}

fn begins_declaration(kind: Tok) -> bool {
    use Tok::*;
    matches!(
        kind,
        Typedef
            | Extern
            | Static
            | Inline
            | Void
            | CharType
            | Short
            | Int
            | Long
            | Float
            | Double
            | Signed
            | Unsigned
            | Bool
            | Struct
            | Union
            | Enum
            | Const
            | Noreturn
            | ThreadLocal
    )
}

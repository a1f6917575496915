//! Tokens to syntax tree: recursive descent with precedence climbing, aware of typedef names, for C11 with the extensions that gcc
//! accepts in practice.
//!
//! Errors: a function that cannot go on reports and returns [`Fail`], which travels up to the nearest list of statements, members or
//! external declarations; there [`recover`] skips to a place to go on from. Nothing here can overflow the stack: recursion is counted
//! in `depth`, trees that loops build are measured in `height`.

mod attribute;
mod builtin;
mod decl;
mod declarator;
pub mod dump;
mod expr;
mod init;
mod record;
mod recover;
mod scope;
mod specs;
mod stmt;

use super::ast::*;
use super::lex::{self, Lexed, MAX_ERRORS, Tok, Token};
use base::source::LineMark;
use base::{Diagnostic, IdVec, Interner, Severity, Span, Symbol};
use scope::Scopes;

pub struct Parsed {
    pub ast: Ast,
    pub marks: Vec<LineMark>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a translation unit; `base` is the global position of the first byte.
pub fn parse(text: &[u8], base: u32, names: &mut Interner) -> Parsed {
    let mut lexed = lex::lex(text, base, names);
    let early = std::mem::take(&mut lexed.diagnostics);
    let mut parser = Parser::new(text, base, &lexed, names);
    parser.translation_unit();
    let (ast, diagnostics) = parser.finish(early);
    Parsed { ast, marks: lexed.marks, diagnostics }
}

/// For witness expressions: the one expression that a text consists of. A text that is a type name gives `sizeof` of it.
pub fn parse_expression(
    text: &[u8],
    base: u32,
    names: &mut Interner,
    is_typedef: &dyn Fn(Symbol) -> bool,
) -> (Ast, Option<ExprId>, Vec<Diagnostic>) {
    let mut lexed = lex::lex(text, base, names);
    let early = std::mem::take(&mut lexed.diagnostics);
    let mut parser = Parser::new(text, base, &lexed, names);
    for token in &lexed.tokens {
        if token.kind == Tok::Word && is_typedef(token.symbol()) {
            parser.scopes.declare(token.symbol(), true);
        }
    }
    let expr = parser.whole_expression();
    let (ast, diagnostics) = parser.finish(early);
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    (ast, expr.ok().filter(|_| !failed), diagnostics)
}

/// An error was reported; the caller passes it on to where recovery happens.
#[derive(Debug)]
struct Fail;

type Parse<T> = Result<T, Fail>;

/// Limit on nested constructs: the recursion of this parser and of the walks over its tree.
const MAX_DEPTH: u32 = 12_000;
/// Limit on what loops nest: operands of one chain of operators, `else if`s, labels of one statement.
const MAX_CHAIN: u32 = 20_000;

struct Parser<'a> {
    tokens: &'a [Token],
    /// Index of the current token.
    at: usize,
    /// The text of literals, see [`Lexed::text`].
    literals: &'a [u8],
    source: &'a [u8],
    base: u32,
    packs: &'a [(u32, u8)],
    names: &'a mut Interner,
    ast: Ast,
    scratch: Scratch,
    scopes: Scopes,
    depth: u32,
    /// Nesting made by loops above the current statement.
    chain: u32,
    /// Height of the expression that was parsed last.
    height: u32,
    /// Largest height of a whole expression in the current statement expression.
    tallest: u32,
    errors: Errors,
}

struct Errors {
    diagnostics: Vec<Diagnostic>,
    count: usize,
    /// An error at this token is a consequence of the last one.
    quiet_at: usize,
    /// The rest of the text is not looked at any more.
    stopped: bool,
}

/// Lists under construction, innermost on top. An element goes to its pool when its list is complete.
#[derive(Default)]
struct Scratch {
    exprs: Vec<ExprId>,
    stmts: Vec<StmtId>,
    decls: Vec<DeclId>,
    symbols: Vec<Symbol>,
    params: Vec<Param>,
    parts: Vec<Part>,
    pointers: Vec<Quals>,
    init_declarators: Vec<InitDeclarator>,
    init_items: Vec<InitItem>,
    designators: Vec<Designator>,
    associations: Vec<Association>,
    members: Vec<Member>,
    enumerators: Vec<Enumerator>,
    attributes: Vec<Attribute>,
    labels: Vec<stmt::Label>,
    branches: Vec<stmt::Branch>,
}

impl<'a> Parser<'a> {
    fn new(source: &'a [u8], base: u32, lexed: &'a Lexed, names: &'a mut Interner) -> Self {
        let scopes = Scopes::new(names);
        let tokens = lexed.tokens.len();
        let mut ast = Ast::default();
        ast.weak.clone_from(&lexed.weak);
        ast.exprs = IdVec::with_capacity(tokens / 8);
        ast.specs = IdVec::with_capacity(tokens / 6);
        ast.declarators = IdVec::with_capacity(tokens / 6);
        Parser {
            tokens: &lexed.tokens,
            at: 0,
            literals: &lexed.text,
            source,
            base,
            packs: &lexed.packs,
            names,
            ast,
            scratch: Scratch::default(),
            scopes,
            depth: 0,
            chain: 0,
            height: 0,
            tallest: 0,
            errors: Errors { diagnostics: Vec::new(), count: 0, quiet_at: usize::MAX, stopped: false },
        }
    }

    /// The tree, and the diagnostics of both stages in the order of the text.
    fn finish(self, lexer: Vec<Diagnostic>) -> (Ast, Vec<Diagnostic>) {
        let mut diagnostics = lexer;
        diagnostics.extend(self.errors.diagnostics);
        diagnostics.sort_by_key(|diagnostic| diagnostic.span.lo);
        let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
        let errors = diagnostics.iter().enumerate().filter(|(_, diagnostic)| is_error(diagnostic));
        if let Some((last, _)) = errors.clone().nth(MAX_ERRORS - 1) {
            let span = diagnostics[last].span;
            diagnostics.truncate(last + 1);
            diagnostics.push(Diagnostic::error(span, "too many errors"));
        }
        (self.ast, diagnostics)
    }

    fn whole_expression(&mut self) -> Parse<ExprId> {
        let expr = if self.starts_type_name() {
            let lo = self.lo();
            let ty = self.type_name()?;
            self.expr(ExprKind::SizeofType(ty), lo)
        } else {
            self.expression()?
        };
        if self.kind() == Tok::End { Ok(expr) } else { self.expected("end of expression") }
    }

    #[inline]
    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    #[inline]
    fn kind(&self) -> Tok {
        self.tokens[self.at].kind
    }

    /// The kind of a following token; `ahead` at most 3.
    #[inline]
    fn peek(&self, ahead: usize) -> Tok {
        self.tokens.get(self.at + ahead).map_or(Tok::End, |token| token.kind)
    }

    /// Start of the current token.
    #[inline]
    fn lo(&self) -> u32 {
        self.tokens[self.at].lo
    }

    /// End of the token before the current one.
    #[inline]
    fn hi(&self) -> u32 {
        if self.at == 0 { self.base } else { self.tokens[self.at - 1].hi() }
    }

    /// From a start to the end of what was parsed last.
    #[inline]
    fn since(&self, lo: u32) -> Span {
        Span { lo, hi: self.hi().max(lo) }
    }

    #[inline]
    fn bump(&mut self) {
        debug_assert!(self.kind() != Tok::End);
        self.at += 1;
    }

    // A branch, not `self.at += found as usize`: rustc 1.95 miscompiles that at opt-level 2 and 3 (seen in `label_declaration`).
    #[inline]
    fn eat(&mut self, kind: Tok) -> bool {
        if self.kind() != kind {
            return false;
        }
        self.at += 1;
        true
    }

    /// `context` follows the token in the message: "after expression".
    #[inline]
    fn expect(&mut self, kind: Tok, context: &str) -> Parse<()> {
        if self.eat(kind) { Ok(()) } else { self.missing(kind, context) }
    }

    /// The name at the current token.
    fn name(&mut self, what: &str) -> Parse<Symbol> {
        if self.kind() != Tok::Word {
            return self.expected(what);
        }
        let symbol = self.token().symbol();
        self.bump();
        Ok(symbol)
    }

    /// Counts one level of recursion; each successful call needs a matching leave.
    #[inline]
    fn enter(&mut self) -> Parse<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { self.too_deep() } else { Ok(()) }
    }

    #[inline]
    fn leave(&mut self) {
        self.depth -= 1;
    }

    #[inline]
    fn expr(&mut self, kind: ExprKind, lo: u32) -> ExprId {
        let span = self.since(lo);
        self.ast.exprs.push(Expr { kind, span })
    }

    #[inline]
    fn stmt(&mut self, kind: StmtKind, lo: u32) -> StmtId {
        let span = self.since(lo);
        self.ast.stmts.push(Stmt { kind, span })
    }

    #[inline]
    fn decl(&mut self, kind: DeclKind, lo: u32) -> DeclId {
        let span = self.since(lo);
        self.ast.decls.push(Decl { kind, span })
    }

    fn text(&self, span: Span) -> &'a [u8] {
        let source: &'a [u8] = self.source;
        source.get((span.lo - self.base) as usize..(span.hi - self.base) as usize).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests;

//! The templates: another relational operator, another constant, `&&` for `||`, exchanged operands or arms, a negation or condition more or less,
//! another variable of the same type, an expression that the program uses elsewhere.

use super::Workbench;
use crate::localize::lines::{Line, Lines};
use base::{FileId, Interner, SourceMap};
use cfa::walk::{self, Node};
use cfa::{BinOp, Binding, EdgeId, ExprId, ExprKind, LocId, Op, Program, TypeId, VarId, VarKind};
use frontend::c::lex::{self, Tok, Token};
use std::collections::BTreeSet;

/// Replacements of pieces of text, ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    pub parts: Vec<(u32, u32, String)>,
    /// What it does, in words.
    pub what: String,
    pub kind: Kind,
    /// Of a condition that it adds: how much of it the line already speaks of, in percent. What was forgotten is rarely about something else.
    pub familiar: u32,
}

/// Kinds of edits, the simplest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    Operator,
    Constant,
    /// Operands or arms exchanged, a negation more or less.
    Shape,
    /// Another arithmetic operator, not the inverse.
    Arithmetic,
    Variable,
    /// One more condition.
    Condition,
    /// An expression that stands elsewhere in the program.
    Reuse,
}

impl Edit {
    fn replace(kind: Kind, lo: u32, hi: u32, text: impl Into<String>, what: impl Into<String>) -> Self {
        Edit { parts: vec![(lo, hi, text.into())], what: what.into(), kind, familiar: 0 }
    }

    /// Whether it changes something of a piece of text.
    pub fn touches(&self, span: base::Span) -> bool {
        self.parts.iter().any(|(lo, hi, _)| *lo <= span.hi && span.lo <= *hi)
    }

    /// The text of a file with the replacements that lie in it.
    pub fn apply(&self, text: &[u8], base: u32) -> Vec<u8> {
        let mut result = Vec::with_capacity(text.len() + 64);
        let mut done = 0;
        for (lo, hi, new) in &self.parts {
            let (Some(lo), Some(hi)) = (lo.checked_sub(base), hi.checked_sub(base)) else { continue };
            if hi as usize > text.len() || (lo as usize) < done {
                continue;
            }
            result.extend_from_slice(&text[done..lo as usize]);
            result.extend_from_slice(new.as_bytes());
            done = hi as usize;
        }
        result.extend_from_slice(&text[done..]);
        result
    }
}

const RELATIONS: &[(Tok, &str)] =
    &[(Tok::Lt, "<"), (Tok::Le, "<="), (Tok::Gt, ">"), (Tok::Ge, ">="), (Tok::EqEq, "=="), (Tok::Ne, "!=")];

const ARITHMETIC: &[(Tok, &str)] =
    &[(Tok::Plus, "+"), (Tok::Minus, "-"), (Tok::Star, "*"), (Tok::Slash, "/"), (Tok::Percent, "%")];

/// At most so many other variables and constants are tried for one.
const MAX_OTHERS: usize = 16;
/// As many expressions that stand elsewhere.
const MAX_REUSED: usize = 24;

struct Place<'a> {
    program: &'a Program,
    sources: &'a SourceMap,
    edges: Vec<EdgeId>,
    /// Where names are looked up.
    at: LocId,
    names: Interner,
    tokens: Vec<Token>,
    /// Integer constants of the program.
    constants: Vec<i128>,
    lines: &'a Lines<'a>,
}

/// Every edit of a line, the simple ones first.
pub fn at<'a>(program: &'a Program, bench: &'a Workbench<'_>, lines: &'a Lines<'a>, line: &Line) -> Vec<Edit> {
    // Edges that do nothing may span a whole loop, whose other lines are not this one.
    let says_something = |edge: &EdgeId| {
        let mut says = false;
        walk::parts(program, &program.edges[*edge].op, |_| says = true);
        says
    };
    let mine = |edge: &EdgeId| says_something(edge) && lines.of(program, *edge).as_ref() == Some(line);
    let edges: Vec<EdgeId> = (0..program.edges.len() as u32).map(EdgeId).filter(mine).collect();
    let Some(first) = edges.first() else { return Vec::new() };
    let at = program.edges[*first].from;
    let from = edges.iter().map(|edge| program.edges[*edge].span.lo).min().unwrap_or(0);
    let to = edges.iter().map(|edge| program.edges[*edge].span.hi).max().unwrap_or(0);
    let Some(file) = bench.sources.file_at(from) else { return Vec::new() };
    let (from, to) = whole_lines(bench.sources, file, from, to);
    let mut names = Interner::new();
    let base = bench.sources.base(file);
    let piece = &bench.sources.text(file)[(from - base) as usize..(to - base) as usize];
    let tokens = lex::lex(piece, from, &mut names).tokens;
    let constants = constants(program);
    let place = Place { program, sources: bench.sources, edges, at, names, tokens, constants, lines };
    let mut edits = Vec::new();
    place.operators(&mut edits);
    place.constants(&mut edits);
    place.arms(&mut edits);
    place.negations(&mut edits);
    place.exchanges(&mut edits);
    place.omissions(&mut edits);
    place.arithmetic(&mut edits);
    place.variables(&mut edits);
    place.conditions(&mut edits);
    place.reuse(&mut edits);
    edits
}

/// From the start of the first line to the end of the last.
pub(super) fn whole_lines(sources: &SourceMap, file: FileId, from: u32, to: u32) -> (u32, u32) {
    let (text, base) = (sources.text(file), sources.base(file));
    let (from, to) = ((from - base) as usize, ((to - base) as usize).min(text.len()));
    let start = text[..from].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let end = text[to..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| to + at);
    (base + start as u32, base + end as u32)
}

fn constants(program: &Program) -> Vec<i128> {
    let mut all = BTreeSet::new();
    for expr in program.exprs.values() {
        if let ExprKind::Const(bits) = expr.kind
            && matches!(program.types.get(expr.ty), cfa::Type::Int(_))
        {
            all.insert(cfa::eval::to_i128(&program.types, expr.ty, bits));
        }
    }
    all.into_iter().collect()
}

impl Place<'_> {
    fn text(&self, token: Token) -> String {
        String::from_utf8_lossy(self.sources.bytes(token.span())).into_owned()
    }

    fn operators(&self, edits: &mut Vec<Edit>) {
        for (index, token) in self.tokens.iter().enumerate() {
            let mut put = |new: &str| {
                let what = format!("`{new}` instead of `{}`", token.kind.text());
                edits.push(Edit::replace(Kind::Operator, token.lo, token.hi(), new, what));
            };
            if RELATIONS.iter().any(|(kind, _)| *kind == token.kind) {
                RELATIONS.iter().filter(|(kind, _)| *kind != token.kind).for_each(|(_, text)| put(text));
            }
            match token.kind {
                Tok::AndAnd => put("||"),
                Tok::OrOr => put("&&"),
                Tok::Plus if self.is_binary(index) => put("-"),
                Tok::Minus if self.is_binary(index) => put("+"),
                Tok::Star if self.is_binary(index) => put("/"),
                Tok::Slash => put("*"),
                _ => {}
            }
        }
    }

    /// Arithmetic that is not just the inverse of what stands there.
    fn arithmetic(&self, edits: &mut Vec<Edit>) {
        let inverse = edits.iter().flat_map(|edit| edit.parts.clone()).collect::<Vec<_>>();
        for (index, token) in self.tokens.iter().enumerate() {
            if ARITHMETIC.iter().all(|(kind, _)| *kind != token.kind) || !self.is_binary(index) {
                continue;
            }
            for (_, new) in ARITHMETIC.iter().filter(|(kind, _)| *kind != token.kind) {
                if !inverse.contains(&(token.lo, token.hi(), new.to_string())) {
                    let what = format!("`{new}` instead of `{}`", token.kind.text());
                    edits.push(Edit::replace(Kind::Arithmetic, token.lo, token.hi(), *new, what));
                }
            }
        }
    }

    fn is_binary(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.tokens.get(before));
        before.is_some_and(|token| {
            matches!(token.kind, Tok::Word | Tok::Number | Tok::Char | Tok::RParen | Tok::RBracket)
        })
    }

    fn constants(&self, edits: &mut Vec<Edit>) {
        for token in self.tokens.iter().filter(|token| token.kind == Tok::Number) {
            let text = self.text(*token);
            let Ok(value) = text.parse::<i128>() else { continue };
            // Neighbours first, then what the program says elsewhere, the nearest first.
            let mut others = self.constants.clone();
            others.sort_by_key(|other| (other - value).unsigned_abs());
            let near = [value + 1, value - 1];
            let others = others.into_iter().filter(|other| *other != value && !near.contains(other)).take(MAX_OTHERS);
            for new in near.into_iter().chain(others) {
                let what = format!("{new} instead of {value}");
                edits.push(Edit::replace(Kind::Constant, token.lo, token.hi(), new.to_string(), what));
            }
        }
    }

    /// `c ? a : b` with its arms exchanged.
    fn arms(&self, edits: &mut Vec<Edit>) {
        for (index, question) in self.tokens.iter().enumerate().filter(|(_, token)| token.kind == Tok::Question) {
            let Some(colon) = self.matching(index + 1, &[Tok::Colon]) else { continue };
            let Some(end) = self.matching(colon + 1, &[Tok::RParen, Tok::Semi, Tok::Comma, Tok::Colon]) else {
                continue;
            };
            let (a, b) = ((question.hi(), self.tokens[colon].lo), (self.tokens[colon].hi(), self.tokens[end].lo));
            let text =
                |(lo, hi): (u32, u32)| String::from_utf8_lossy(self.sources.bytes(base::Span { lo, hi })).into_owned();
            let parts = vec![(a.0, a.1, text(b)), (b.0, b.1, text(a))];
            edits.push(Edit { parts, what: "the arms of `?:` exchanged".into(), kind: Kind::Shape, familiar: 0 });
        }
    }

    /// The next token of some kinds at the same nesting.
    fn matching(&self, from: usize, kinds: &[Tok]) -> Option<usize> {
        let mut depth = 0;
        for (index, token) in self.tokens.iter().enumerate().skip(from) {
            if depth == 0 && kinds.contains(&token.kind) {
                return Some(index);
            }
            match token.kind {
                Tok::LParen | Tok::LBracket | Tok::Question => depth += 1,
                Tok::RParen | Tok::RBracket => depth -= 1,
                Tok::Colon if depth > 0 => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                return None;
            }
        }
        None
    }

    fn negations(&self, edits: &mut Vec<Edit>) {
        for token in self.tokens.iter().filter(|token| token.kind == Tok::Bang) {
            edits.push(Edit::replace(Kind::Shape, token.lo, token.hi(), "", "no negation"));
        }
        for span in self.conditions_here() {
            let parts = vec![(span.lo, span.lo, "!(".into()), (span.hi, span.hi, ")".into())];
            edits.push(Edit { parts, what: "the condition negated".into(), kind: Kind::Shape, familiar: 0 });
        }
    }

    /// Controlling expressions on the line.
    fn conditions_here(&self) -> Vec<base::Span> {
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

    fn exchanges(&self, edits: &mut Vec<Edit>) {
        for expr in self.exprs() {
            let ExprKind::Binary(BinOp::Sub | BinOp::Div | BinOp::Rem, a, b) = self.program.exprs[expr].kind else {
                continue;
            };
            let (a, b) = (self.program.exprs[a].span, self.program.exprs[b].span);
            if a.hi <= b.lo && a.lo < a.hi && b.lo < b.hi && self.is_here(a.lo) && self.is_here(b.hi) {
                let (left, right) = (self.sources.snippet(a).into_owned(), self.sources.snippet(b).into_owned());
                let what = format!("`{left}` and `{right}` exchanged");
                edits.push(Edit {
                    parts: vec![(a.lo, a.hi, right), (b.lo, b.hi, left)],
                    what,
                    kind: Kind::Shape,
                    familiar: 0,
                });
            }
        }
    }

    /// A condition less: `c && d` and `c || d` without either.
    fn omissions(&self, edits: &mut Vec<Edit>) {
        let joins = |token: &Token| matches!(token.kind, Tok::AndAnd | Tok::OrOr);
        for (index, token) in self.tokens.iter().enumerate().filter(|(_, token)| joins(token)) {
            let left = side(self.tokens[..index].iter().rev(), true, false).map(|left| (left.lo, token.hi(), left));
            let right = side(self.tokens[index + 1..].iter(), false, false).map(|right| (token.lo, right.hi, right));
            for (lo, hi, operand) in left.into_iter().chain(right) {
                let what = format!("no `{}`", self.sources.snippet(operand));
                edits.push(Edit::replace(Kind::Shape, lo, hi, "", what));
            }
        }
    }

    fn is_here(&self, position: u32) -> bool {
        let (first, last) = (self.tokens.first(), self.tokens.last());
        first.is_some_and(|token| token.lo <= position) && last.is_some_and(|token| position <= token.hi())
    }

    /// All expressions of the line's edges.
    fn exprs(&self) -> Vec<ExprId> {
        exprs_of(self.program, self.edges.iter().map(|edge| &self.program.edges[*edge].op))
    }

    fn variables(&self, edits: &mut Vec<Edit>) {
        for token in self.tokens.iter().filter(|token| token.kind == Tok::Number) {
            let number = self.text(*token);
            for other in self.others_of_type(TypeId::INT, None) {
                let what = format!("`{other}` instead of {number}");
                edits.push(Edit::replace(Kind::Variable, token.lo, token.hi(), other, what));
            }
        }
        for (index, token) in self.tokens.iter().enumerate().filter(|(_, token)| token.kind == Tok::Word) {
            let next = self.tokens.get(index + 1).map(|next| next.kind);
            let name = self.names.resolve(token.symbol()).to_string();
            let symbol = self.program.names.lookup(&name);
            let Some(Binding::Var(var)) = symbol.and_then(|symbol| self.program.lookup(self.at, symbol)) else {
                continue;
            };
            let is_local = |var: VarId| self.program.vars[var].kind.function().is_some();
            // What is called stays, and what of the file's is assigned: another target would change what else the program is judged by.
            let is_target = next == Some(Tok::Eq);
            let stays = next == Some(Tok::LParen) || (is_target && !is_local(var));
            if stays || !self.program.types.is_scalar(self.program.vars[var].ty) {
                continue;
            }
            for other in self.others_of_type(self.program.vars[var].ty, Some(var)) {
                let symbol = self.program.names.lookup(&other);
                let binding = symbol.and_then(|symbol| self.program.lookup(self.at, symbol));
                if is_target && !matches!(binding, Some(Binding::Var(other)) if is_local(other)) {
                    continue;
                }
                let what = format!("`{other}` instead of `{name}`");
                edits.push(Edit::replace(Kind::Variable, token.lo, token.hi(), other, what));
            }
        }
    }

    /// Variables of a type that can be seen here, the nearest scopes first.
    fn others_of_type(&self, ty: TypeId, except: Option<VarId>) -> Vec<String> {
        let mut found = Vec::new();
        let location = &self.program.locations[self.at];
        let mut scope = Some((location.scope, location.visible));
        while let Some((id, visible)) = scope {
            for (name, binding) in self.program.scopes[id].names[..visible as usize].iter().rev() {
                if let Binding::Var(other) = binding
                    && Some(*other) != except
                    && self.program.vars[*other].ty == ty
                    && !matches!(self.program.vars[*other].kind, VarKind::Temp(_) | VarKind::Constant)
                    && found.len() < MAX_OTHERS
                {
                    found.push(self.program.name(*name).to_string());
                }
            }
            scope = self.program.scopes[id].parent;
        }
        found
    }

    /// One more condition: `c && d` and `c || d` with comparisons that the program makes elsewhere, or in the same function also their opposites.
    fn conditions(&self, edits: &mut Vec<Edit>) {
        let (mut known, mut opposites): (BTreeSet<String>, BTreeSet<String>) = Default::default();
        for edge in self.program.edges.values() {
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
                        opposite.map(|op| format!("{} {op} {}", self.sources.snippet(a), self.sources.snippet(b))),
                    );
                    known.insert(text);
                } else if self.is_global(&text) {
                    known.insert(text);
                }
            }
        }
        for span in self.boolean_values() {
            let texts = known.iter().chain(opposites.difference(&known));
            for (operator, text) in texts.flat_map(|text| [("&&", text), ("||", text)]) {
                let parts = vec![(span.lo, span.lo, "(".into()), (span.hi, span.hi, format!(") {operator} ({text})"))];
                let (what, kind) = (format!("`{operator} {text}` added"), Kind::Condition);
                edits.push(Edit { parts, what, kind, familiar: self.familiarity(text) });
            }
        }
    }

    /// How many of the names, numbers and operators of a text stand on the line, in percent.
    fn familiarity(&self, text: &str) -> u32 {
        let counts = |token: &&Token| !matches!(token.kind, Tok::LParen | Tok::RParen | Tok::End);
        let here: BTreeSet<String> = self.tokens.iter().filter(counts).map(|token| self.text(*token)).collect();
        let mut names = Interner::new();
        let tokens = lex::lex(text.as_bytes(), 0, &mut names).tokens;
        let all: Vec<&Token> = tokens.iter().filter(counts).collect();
        let known = all.iter().filter(|token| here.contains(&text[token.lo as usize..token.hi() as usize]));
        (100 * known.count() / all.len().max(1)) as u32
    }

    /// What is returned, assigned or compared here, replaced by what is returned, assigned or compared elsewhere (the plastic surgery hypothesis;
    /// Barr et al., 2014).
    fn reuse(&self, edits: &mut Vec<Edit>) {
        let mut known: BTreeSet<String> = BTreeSet::new();
        for tokens in self.statements() {
            known.extend(self.values_in(&tokens).into_iter().map(|span| self.sources.snippet(span).into_owned()));
        }
        let known: Vec<String> = known.into_iter().filter(|text| text.len() < 80 && self.is_global(text)).collect();
        for span in self.values_in(&self.tokens) {
            let old = self.sources.snippet(span).into_owned();
            // A constant in place of a computation would repair by not computing.
            let computes = |text: &str| text.contains(|c: char| c.is_ascii_alphabetic());
            let fits = |text: &&String| **text != old && (computes(text) || !computes(&old));
            for text in known.iter().filter(fits).take(MAX_REUSED) {
                let what = format!("`{text}` instead of `{old}`");
                edits.push(Edit::replace(Kind::Reuse, span.lo, span.hi, format!("({text})"), what));
            }
        }
    }

    /// The tokens of every line of the functions of this file that has an edge.
    fn statements(&self) -> Vec<Vec<Token>> {
        let mut starts = BTreeSet::new();
        for edge in self.program.edges.values() {
            if let Some(file) = self.sources.file_at(edge.span.lo).filter(|_| edge.span.lo < edge.span.hi) {
                starts.insert(whole_lines(self.sources, file, edge.span.lo, edge.span.hi));
            }
        }
        let mut names = Interner::new();
        let lex = |(lo, hi): (u32, u32)| lex::lex(self.sources.bytes(base::Span { lo, hi }), lo, &mut names).tokens;
        starts.into_iter().map(lex).collect()
    }

    /// Pieces that are values: after `return` or `=` up to `;`, and the sides of a comparison.
    fn values_in(&self, tokens: &[Token]) -> Vec<base::Span> {
        let mut spans = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            let is_return = self.sources.bytes(token.span()) == b"return";
            if token.kind == Tok::Eq || is_return {
                let end = tokens[index..].iter().position(|token| token.kind == Tok::Semi);
                if let (Some(end), Some(first)) = (end, tokens.get(index + 1)) {
                    let last = tokens[index + end - 1];
                    spans.push(base::Span { lo: first.lo, hi: last.hi() });
                }
            }
            if RELATIONS.iter().any(|(kind, _)| *kind == token.kind) {
                spans.extend(side(tokens[..index].iter().rev(), true, true));
                spans.extend(side(tokens[index + 1..].iter(), false, true));
            }
        }
        spans.retain(|span| span.lo < span.hi);
        spans
    }

    /// Whether all names of a text mean something here.
    fn is_visible(&self, text: &str) -> bool {
        let mut names = Interner::new();
        let tokens = lex::lex(text.as_bytes(), 0, &mut names).tokens;
        tokens.iter().filter(|token| token.kind == Tok::Word).all(|token| {
            let name = names.resolve(token.symbol());
            let symbol = self.program.names.lookup(name);
            !self.lines.is_trusted(name) && symbol.is_some_and(|symbol| self.program.lookup(self.at, symbol).is_some())
        })
    }

    /// Whether a text means the same everywhere. Calls of functions that are trusted would only repeat what the program is judged by.
    fn is_global(&self, text: &str) -> bool {
        let mut names = Interner::new();
        let tokens = lex::lex(text.as_bytes(), 0, &mut names).tokens;
        let known = |token: &Token| {
            let name = names.resolve(token.symbol());
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
            Tok::Word => known(token),
            Tok::LParen | Tok::RParen | Tok::LBracket | Tok::RBracket | Tok::Number | Tok::End => true,
            Tok::Plus | Tok::Minus | Tok::Question | Tok::Colon | Tok::AndAnd | Tok::OrOr | Tok::Bang => true,
            kind => RELATIONS.iter().any(|(relation, _)| *relation == kind),
        })
    }

    /// What is assigned or decided here and is a truth value: after `=` up to `;`, or a whole condition.
    fn boolean_values(&self) -> Vec<base::Span> {
        let mut spans = Vec::new();
        for (index, token) in self.tokens.iter().enumerate().filter(|(_, token)| token.kind == Tok::Eq) {
            let end = self.tokens[index..].iter().position(|token| token.kind == Tok::Semi).map(|end| index + end);
            let Some(end) = end else { continue };
            let truth = |token: &Token| {
                matches!(token.kind, Tok::AndAnd | Tok::OrOr | Tok::Bang)
                    || RELATIONS.iter().any(|(kind, _)| *kind == token.kind)
            };
            if self.tokens[index + 1..end].iter().any(truth) {
                spans.push(base::Span { lo: token.hi() + 1, hi: self.tokens[end].lo });
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
fn exprs_of<'a>(program: &'a Program, ops: impl IntoIterator<Item = &'a Op>) -> Vec<ExprId> {
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

fn opposite(op: BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Lt => ">=",
        BinOp::Le => ">",
        BinOp::Gt => "<=",
        BinOp::Ge => "<",
        BinOp::Eq => "!=",
        BinOp::Ne => "==",
        _ => return None,
    })
}

/// One side of a comparison, or of `&&` and `||`: tokens up to a parenthesis that does not belong to it, or an operator that binds less.
fn side<'t>(tokens: impl Iterator<Item = &'t Token>, leftwards: bool, of_comparison: bool) -> Option<base::Span> {
    let mut depth = 0;
    let mut span: Option<base::Span> = None;
    for token in tokens {
        let (opens, closes) = match token.kind {
            Tok::LParen | Tok::LBracket => (!leftwards, leftwards),
            Tok::RParen | Tok::RBracket => (leftwards, !leftwards),
            _ => (false, false),
        };
        if closes && depth == 0 {
            break;
        }
        let ends = matches!(
            token.kind,
            Tok::AndAnd | Tok::OrOr | Tok::Semi | Tok::Comma | Tok::Eq | Tok::Question | Tok::Colon | Tok::LBrace
        );
        let binds_less =
            of_comparison && (token.kind == Tok::Bang || RELATIONS.iter().any(|(kind, _)| *kind == token.kind));
        if depth == 0 && (ends || binds_less) {
            break;
        }
        depth += opens as i32 - closes as i32;
        span = Some(match span {
            None => token.span(),
            Some(span) => base::Span { lo: span.lo.min(token.lo), hi: span.hi.max(token.hi()) },
        });
    }
    span
}

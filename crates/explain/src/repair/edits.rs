//! The templates: another relational operator, another constant, `&&` for `||`, exchanged operands or arms, a negation or condition more or less,
//! another variable of the same type, an expression that the program uses elsewhere.

use super::Workbench;
use crate::localize::lines::{Line, Lines};
use base::{FileId, SourceMap};
use cfa::walk::{self, Node};
use cfa::{BinOp, Binding, EdgeId, ExprId, ExprKind, LocId, Op, Program, TypeId, VarId, VarKind};
use frontend::{Frontend, Token, TokenKind};
use std::collections::BTreeSet;

/// Replacements of pieces of text, ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    pub parts: Vec<(u32, u32, String)>,
    /// What it does, in words.
    pub what: String,
    pub kind: Kind,
    /// Of a condition that it adds: the percentage of its tokens that the line already has. A forgotten condition is mostly about the same variables.
    pub shared_tokens: u32,
}

/// Kinds of edits, the simplest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A limit that belongs to the range or does not: `<` and `<=`.
    Boundary,
    Operator,
    Constant,
    /// Operands or arms exchanged, a negation more or less.
    Shape,
    /// One more assignment, in programs whose variables keep their values from cycle to cycle.
    Assignment,
    /// Another arithmetic operator, not the inverse.
    Arithmetic,
    Variable,
    /// A number at a round distance from the one that stands there.
    Number,
    /// A comparison that stands elsewhere and has one side in common with this one.
    Comparison,
    /// The same change of an operator on two lines.
    Twice,
    /// One more condition, which stands elsewhere.
    Condition,
    /// One more condition, synthesized.
    Guard,
    /// One more term, synthesized.
    Term,
    /// An expression that stands elsewhere in the program.
    Reuse,
}

impl Edit {
    pub(super) fn replace(kind: Kind, lo: u32, hi: u32, text: impl Into<String>, what: impl Into<String>) -> Self {
        Edit { parts: vec![(lo, hi, text.into())], what: what.into(), kind, shared_tokens: 0 }
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

const RELATIONS: [BinOp; 6] = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne];

const ARITHMETIC: [BinOp; 5] = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Rem];

fn is_relation(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Binary(op) if op.is_comparison())
}

/// At most so many other variables and constants are tried for one.
const MAX_OTHERS: usize = 16;
/// What people are wrong by when they write a number.
const DISTANCES: [i128; 20] = [2, 3, 4, 5, 6, 8, 10, 15, 16, 20, 25, 30, 40, 50, 60, 100, 150, 200, 300, 500];
/// As many expressions that stand elsewhere.
pub(super) const MAX_REUSED: usize = 24;

pub(super) struct Place<'a> {
    pub(super) frontend: &'static Frontend,
    pub(super) program: &'a Program,
    pub(super) sources: &'a SourceMap,
    pub(super) edges: Vec<EdgeId>,
    /// Where names are looked up.
    pub(super) at: LocId,
    pub(super) tokens: Vec<Token>,
    /// Integer constants of the program that are not only in trusted functions, and numbers that tests have.
    pub(super) constants: Vec<i128>,
    pub(super) lines: &'a Lines<'a>,
}

/// What stands on a line, to be edited.
pub(super) fn place<'a>(
    program: &'a Program,
    bench: &'a Workbench<'_>,
    lines: &'a Lines<'a>,
    line: &Line,
    numbers: &[i128],
) -> Option<Place<'a>> {
    // Edges that do nothing may span a whole loop, whose other lines are not this one.
    let says_something = |edge: &EdgeId| {
        let mut says = false;
        walk::parts(program, &program.edges[*edge].op, |_| says = true);
        says
    };
    let mine = |edge: &EdgeId| says_something(edge) && lines.of(program, *edge).as_ref() == Some(line);
    let edges: Vec<EdgeId> = (0..program.edges.len() as u32).map(EdgeId).filter(mine).collect();
    let first = edges.first()?;
    let at = program.edges[*first].from;
    let from = edges.iter().map(|edge| program.edges[*edge].span.lo).min().unwrap_or(0);
    let to = edges.iter().map(|edge| program.edges[*edge].span.hi).max().unwrap_or(0);
    let file = bench.sources.file_at(from)?;
    let (from, to) = whole_lines(bench.sources, file, from, to);
    let base = bench.sources.base(file);
    let piece = &bench.sources.text(file)[(from - base) as usize..(to - base) as usize];
    let frontend = bench.frontend;
    let tokens = (frontend.tokens)(piece, from);
    let mut constants: Vec<i128> = constants(program, lines);
    constants.extend(defined(bench.sources, line));
    constants.extend(numbers);
    constants.sort_unstable();
    constants.dedup();
    Some(Place { frontend, program, sources: bench.sources, edges, at, tokens, constants, lines })
}

/// Every edit of a line that is made from its text, the simple ones first.
pub(super) fn at(place: &Place<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    place.operators(&mut edits);
    place.constants(&mut edits);
    place.arms(&mut edits);
    place.negations(&mut edits);
    place.exchanges(&mut edits);
    place.omissions(&mut edits);
    place.arithmetic(&mut edits);
    place.variables(&mut edits);
    place.comparisons(&mut edits);
    place.conditions(&mut edits);
    place.reuse(&mut edits);
    if place.program.cycle.is_some() {
        place.assignments(&mut edits);
    }
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

/// Constants of functions that can be blamed. What is trusted is no source of edits: it would only repeat what is expected.
fn constants(program: &Program, lines: &Lines<'_>) -> Vec<i128> {
    let own = program.edges.iter().filter(|(edge, _)| lines.of(program, *edge).is_some());
    let mut all = BTreeSet::new();
    for expr in exprs_of(program, own.map(|(_, edge)| &edge.op)) {
        let expr = &program.exprs[expr];
        if let ExprKind::Const(bits) = expr.kind
            && matches!(program.types.get(expr.ty), cfa::Type::Int(_))
        {
            all.insert(cfa::eval::to_i128(&program.types, expr.ty, bits));
        }
    }
    all.into_iter().collect()
}

/// Numbers that macros of the file of a line stand for, whether they are used or not.
fn defined(sources: &SourceMap, line: &Line) -> Vec<i128> {
    let text = |number: u32| {
        let place = base::Location { file: line.file.to_string(), line: number, column: 1, offset: None };
        sources.original_line(&place)
    };
    let lines = (1..).map_while(text);
    let number = |line: std::borrow::Cow<'_, str>| {
        let mut words = line.split_whitespace();
        (words.next() == Some("#define")).then(|| words.nth(1)?.parse().ok()).flatten()
    };
    lines.filter_map(number).collect()
}

impl Place<'_> {
    fn text(&self, token: Token) -> String {
        String::from_utf8_lossy(self.sources.bytes(token.span)).into_owned()
    }

    /// How the language writes an operator.
    pub(super) fn spelling(&self, kind: TokenKind) -> &'static str {
        (self.frontend.spelling)(kind).unwrap_or("")
    }

    /// Another operator in place of one; nothing if the language has no such operator.
    fn operator(&self, kind: Kind, old: Token, new: TokenKind) -> Option<Edit> {
        let text = (self.frontend.spelling)(new)?;
        let what = format!("`{text}` instead of `{}`", self.text(old));
        Some(Edit::replace(kind, old.span.lo, old.span.hi, text, what))
    }

    fn operators(&self, edits: &mut Vec<Edit>) {
        for (index, token) in self.tokens.iter().enumerate() {
            if let TokenKind::Binary(old) = token.kind {
                let others = RELATIONS.into_iter().filter(|new| *new != old && old.is_comparison());
                edits.extend(others.filter_map(|new| {
                    let kind = if is_boundary(old, new) { Kind::Boundary } else { Kind::Operator };
                    self.operator(kind, *token, TokenKind::Binary(new))
                }));
            }
            let mut put = |new| edits.extend(self.operator(Kind::Operator, *token, new));
            match token.kind {
                TokenKind::And => put(TokenKind::Or),
                TokenKind::Or => put(TokenKind::And),
                TokenKind::Binary(BinOp::Add) if self.is_binary(index) => put(TokenKind::Binary(BinOp::Sub)),
                TokenKind::Binary(BinOp::Sub) if self.is_binary(index) => put(TokenKind::Binary(BinOp::Add)),
                TokenKind::Binary(BinOp::Mul) if self.is_binary(index) => put(TokenKind::Binary(BinOp::Div)),
                TokenKind::Binary(BinOp::Div) => put(TokenKind::Binary(BinOp::Mul)),
                _ => {}
            }
        }
    }

    /// Integer variables that can be seen here, and what else the line and its function read.
    pub(super) fn atoms(&self, most: usize) -> Vec<String> {
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
    fn is_visible_start(&self, text: &str) -> bool {
        let name: String = text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        self.is_visible(&name)
    }

    /// Constants, those near zero first.
    pub(super) fn near_constants(&self, most: usize) -> Vec<i128> {
        let mut found: Vec<i128> =
            self.constants.iter().copied().filter(|value| i32::try_from(*value).is_ok()).collect();
        found.sort_by_key(|value| value.abs());
        found.truncate(most);
        found
    }

    /// A comparison replaced by one that stands elsewhere and has a side in common with it.
    fn comparisons(&self, edits: &mut Vec<Edit>) {
        let mut known: BTreeSet<[String; 3]> = BTreeSet::new();
        for tokens in self.statements() {
            known.extend(self.comparisons_in(&tokens).into_iter().map(|(parts, _)| parts));
        }
        for ([left, op, right], span) in self.comparisons_in(&self.tokens) {
            let beside = |other: &&[String; 3]| (other[0] == left) != (other[2] == right) && other[1] == op;
            for [new_left, _, new_right] in known.iter().filter(beside) {
                let text = format!("{new_left} {op} {new_right}");
                if self.is_global(&text) {
                    let what = format!("`{text}` instead of `{}`", self.sources.snippet(span));
                    edits.push(Edit::replace(Kind::Comparison, span.lo, span.hi, text, what));
                }
            }
        }
    }

    fn comparisons_in(&self, tokens: &[Token]) -> Vec<([String; 3], base::Span)> {
        let mut found = Vec::new();
        for (index, token) in tokens.iter().enumerate().filter(|(_, token)| is_relation(token.kind)) {
            let left = side(tokens[..index].iter().rev(), true, true);
            let right = side(tokens[index + 1..].iter(), false, true);
            if let Some((left, right)) =
                left.zip(right).filter(|(left, right)| left.lo < left.hi && right.lo < right.hi)
            {
                let text = |span: base::Span| self.sources.snippet(span).into_owned();
                let span = base::Span { lo: left.lo, hi: right.hi };
                found.push(([text(left), self.text(*token), text(right)], span));
            }
        }
        found
    }

    /// Arithmetic that is not just the inverse of what stands there.
    fn arithmetic(&self, edits: &mut Vec<Edit>) {
        let inverse = edits.iter().flat_map(|edit| edit.parts.clone()).collect::<Vec<_>>();
        for (index, token) in self.tokens.iter().enumerate() {
            let TokenKind::Binary(old) = token.kind else { continue };
            if !ARITHMETIC.contains(&old) || !self.is_binary(index) {
                continue;
            }
            for new in ARITHMETIC.into_iter().filter(|new| *new != old) {
                let edit = self.operator(Kind::Arithmetic, *token, TokenKind::Binary(new));
                edits.extend(edit.filter(|edit| !edit.parts.iter().any(|part| inverse.contains(part))));
            }
        }
    }

    fn is_binary(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.tokens.get(before));
        before.is_some_and(|token| {
            matches!(
                token.kind,
                TokenKind::Word
                    | TokenKind::Number
                    | TokenKind::Character
                    | TokenKind::RightParen
                    | TokenKind::RightBracket
            )
        })
    }

    fn constants(&self, edits: &mut Vec<Edit>) {
        for token in &self.tokens {
            if let TokenKind::Truth(value) = token.kind {
                edits.extend(self.operator(Kind::Constant, *token, TokenKind::Truth(!value)));
            }
        }
        for token in self.tokens.iter().filter(|token| token.kind == TokenKind::Number) {
            let text = self.text(*token);
            let Ok(value) = text.parse::<i128>() else { continue };
            // Neighbours first, then what the program says elsewhere, the nearest first.
            let mut others = self.constants.clone();
            others.sort_by_key(|other| (other - value).unsigned_abs());
            let near = [value + 1, value - 1];
            let others = others.into_iter().filter(|other| *other != value && !near.contains(other)).take(MAX_OTHERS);
            for new in near.into_iter().chain(others) {
                let what = format!("{new} instead of {value}");
                edits.push(Edit::replace(Kind::Constant, token.span.lo, token.span.hi, new.to_string(), what));
            }
            for new in DISTANCES.into_iter().flat_map(|distance| [value - distance, value + distance]) {
                if (new >= 0 || value < 0) && !self.constants.contains(&new) {
                    let what = format!("{new} instead of {value}");
                    edits.push(Edit::replace(Kind::Number, token.span.lo, token.span.hi, new.to_string(), what));
                }
            }
        }
    }

    /// `c ? a : b` with its arms exchanged.
    fn arms(&self, edits: &mut Vec<Edit>) {
        for (index, question) in self.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Question) {
            let Some(colon) = self.matching(index + 1, &[TokenKind::Colon]) else { continue };
            let Some(end) = self.matching(
                colon + 1,
                &[TokenKind::RightParen, TokenKind::Semicolon, TokenKind::Comma, TokenKind::Colon],
            ) else {
                continue;
            };
            let (a, b) = (
                (question.span.hi, self.tokens[colon].span.lo),
                (self.tokens[colon].span.hi, self.tokens[end].span.lo),
            );
            let text =
                |(lo, hi): (u32, u32)| String::from_utf8_lossy(self.sources.bytes(base::Span { lo, hi })).into_owned();
            let parts = vec![(a.0, a.1, text(b)), (b.0, b.1, text(a))];
            edits.push(Edit { parts, what: "the arms of `?:` exchanged".into(), kind: Kind::Shape, shared_tokens: 0 });
        }
    }

    /// The next token of some kinds at the same nesting.
    fn matching(&self, from: usize, kinds: &[TokenKind]) -> Option<usize> {
        let mut depth = 0;
        for (index, token) in self.tokens.iter().enumerate().skip(from) {
            if depth == 0 && kinds.contains(&token.kind) {
                return Some(index);
            }
            match token.kind {
                TokenKind::LeftParen | TokenKind::LeftBracket | TokenKind::Question => depth += 1,
                TokenKind::RightParen | TokenKind::RightBracket => depth -= 1,
                TokenKind::Colon if depth > 0 => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                return None;
            }
        }
        None
    }

    fn negations(&self, edits: &mut Vec<Edit>) {
        for token in self.tokens.iter().filter(|token| token.kind == TokenKind::Not) {
            edits.push(Edit::replace(Kind::Shape, token.span.lo, token.span.hi, "", "no negation"));
        }
        for span in self.conditions_here() {
            let parts =
                vec![(span.lo, span.lo, format!("{}(", self.spelling(TokenKind::Not))), (span.hi, span.hi, ")".into())];
            edits.push(Edit { parts, what: "the condition negated".into(), kind: Kind::Shape, shared_tokens: 0 });
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
                    shared_tokens: 0,
                });
            }
        }
    }

    /// A condition less: `c && d` and `c || d` without either.
    fn omissions(&self, edits: &mut Vec<Edit>) {
        let joins = |token: &Token| matches!(token.kind, TokenKind::And | TokenKind::Or);
        for (index, token) in self.tokens.iter().enumerate().filter(|(_, token)| joins(token)) {
            let left = side(self.tokens[..index].iter().rev(), true, false).map(|left| (left.lo, token.span.hi, left));
            let right =
                side(self.tokens[index + 1..].iter(), false, false).map(|right| (token.span.lo, right.hi, right));
            for (lo, hi, operand) in left.into_iter().chain(right) {
                let what = format!("no `{}`", self.sources.snippet(operand));
                edits.push(Edit::replace(Kind::Shape, lo, hi, "", what));
            }
        }
    }

    fn is_here(&self, position: u32) -> bool {
        let (first, last) = (self.tokens.first(), self.tokens.last());
        first.is_some_and(|token| token.span.lo <= position) && last.is_some_and(|token| position <= token.span.hi)
    }

    /// All expressions of the line's edges.
    fn exprs(&self) -> Vec<ExprId> {
        exprs_of(self.program, self.edges.iter().map(|edge| &self.program.edges[*edge].op))
    }

    fn variables(&self, edits: &mut Vec<Edit>) {
        for token in self.tokens.iter().filter(|token| token.kind == TokenKind::Number) {
            let number = self.text(*token);
            for other in self.others_of_type(TypeId::INT, None, MAX_OTHERS) {
                let what = format!("`{other}` instead of {number}");
                edits.push(Edit::replace(Kind::Variable, token.span.lo, token.span.hi, other, what));
            }
        }
        for (index, token) in self.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word) {
            let next = self.tokens.get(index + 1).map(|next| next.kind);
            let name = self.text(*token);
            let symbol = self.program.names.lookup(&name);
            let Some(Binding::Var(var)) = symbol.and_then(|symbol| self.program.lookup(self.at, symbol)) else {
                continue;
            };
            let is_local = |var: VarId| self.program.vars[var].kind.function().is_some();
            // What is called stays, and what of the file's is assigned: another target could change what the assertion reads.
            let is_target = next == Some(TokenKind::Assign);
            let stays = next == Some(TokenKind::LeftParen) || (is_target && !is_local(var));
            if stays || !self.program.types.is_scalar(self.program.vars[var].ty) {
                continue;
            }
            for other in self.others_of_type(self.program.vars[var].ty, Some(var), MAX_OTHERS) {
                let symbol = self.program.names.lookup(&other);
                let binding = symbol.and_then(|symbol| self.program.lookup(self.at, symbol));
                if is_target && !matches!(binding, Some(Binding::Var(other)) if is_local(other)) {
                    continue;
                }
                let what = format!("`{other}` instead of `{name}`");
                edits.push(Edit::replace(Kind::Variable, token.span.lo, token.span.hi, other, what));
            }
        }
    }

    /// Whether a name is a word of the text, and not made of several: variables of instances have other texts inside of them.
    fn is_plain(&self, name: base::Symbol) -> bool {
        let tokens = (self.frontend.tokens)(self.program.name(name).as_bytes(), 0);
        matches!(
            tokens[..],
            [Token { kind: TokenKind::Word, .. }]
                | [Token { kind: TokenKind::Word, .. }, Token { kind: TokenKind::End, .. }]
        )
    }

    /// Variables of a type that can be seen here, the nearest scopes first.
    fn others_of_type(&self, ty: TypeId, except: Option<VarId>, most: usize) -> Vec<String> {
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

    /// One more condition: `c && d` and `c || d` with comparisons that the program makes elsewhere, or in the same function also their opposites.
    fn conditions(&self, edits: &mut Vec<Edit>) {
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
                edits.push(Edit { parts, what, kind, shared_tokens: self.shared_tokens(text) });
            }
        }
    }

    /// How many of the names, numbers and operators of a text stand on the line, in percent.
    pub(super) fn shared_tokens(&self, text: &str) -> u32 {
        let counts =
            |token: &&Token| !matches!(token.kind, TokenKind::LeftParen | TokenKind::RightParen | TokenKind::End);
        let here: BTreeSet<String> = self.tokens.iter().filter(counts).map(|token| self.text(*token)).collect();
        let tokens = (self.frontend.tokens)(text.as_bytes(), 0);
        let all: Vec<&Token> = tokens.iter().filter(counts).collect();
        let known = all.iter().filter(|token| here.contains(&text[token.span.lo as usize..token.span.hi as usize]));
        (100 * known.count() / all.len().max(1)) as u32
    }

    /// What is returned, assigned or compared here, replaced by what is returned, assigned or compared elsewhere (the plastic surgery hypothesis;
    /// Barr et al. 2014).
    fn reuse(&self, edits: &mut Vec<Edit>) {
        let mut known: BTreeSet<String> = BTreeSet::new();
        for tokens in self.statements() {
            known.extend(self.values_in(&tokens).into_iter().map(|span| self.sources.snippet(span).into_owned()));
        }
        let known: Vec<String> = known.into_iter().filter(|text| text.len() < 80 && self.is_global(text)).collect();
        for span in self.values_in(&self.tokens) {
            let old = self.sources.snippet(span).into_owned();
            // A constant in place of a computation would repair by not computing.
            let computes = |text: &str| {
                let tokens = (self.frontend.tokens)(text.as_bytes(), 0);
                tokens.iter().any(|token| !matches!(token.kind, TokenKind::Truth(_) | TokenKind::End))
                    && text.contains(|letter: char| letter.is_ascii_alphabetic())
            };
            let fits = |text: &&String| **text != old && (computes(text) || !computes(&old));
            for text in known.iter().filter(fits).take(MAX_REUSED) {
                let what = format!("`{text}` instead of `{old}`");
                edits.push(Edit::replace(Kind::Reuse, span.lo, span.hi, format!("({text})"), what));
            }
        }
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
    pub(super) fn values_in(&self, tokens: &[Token]) -> Vec<base::Span> {
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
    fn is_global(&self, text: &str) -> bool {
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
    pub(super) fn boolean_values(&self) -> Vec<base::Span> {
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

fn is_boundary(old: BinOp, new: BinOp) -> bool {
    matches!(
        (old, new),
        (BinOp::Lt, BinOp::Le) | (BinOp::Le, BinOp::Lt) | (BinOp::Gt, BinOp::Ge) | (BinOp::Ge, BinOp::Gt)
    )
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

/// One side of a comparison, or of `&&` and `||`: tokens up to a parenthesis that does not belong to it, or an operator that binds less.
fn side<'t>(tokens: impl Iterator<Item = &'t Token>, leftwards: bool, of_comparison: bool) -> Option<base::Span> {
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

//! Statements.

use super::super::ast::{CaseLabel, Expr, ExprKind, Name, Operator, Stmt, StmtKind};
use super::super::lex::Tok;
use super::Parser;
use base::{Diagnostic, Span};

/// What no statement begins with, because something around it goes on there.
const ENDS: &[&str] = &[
    "ELSE",
    "ELSIF",
    "ELSEIF",
    "UNTIL",
    "FUNCTION",
    "FUNCTION_BLOCK",
    "PROGRAM",
    "TYPE",
    "VAR",
    "VAR_INPUT",
    "VAR_OUTPUT",
    "VAR_IN_OUT",
    "VAR_TEMP",
    "VAR_GLOBAL",
    "VAR_EXTERNAL",
    "ACTION",
    "ACTIONS",
    "NAMESPACE",
    "TRANSITION",
    "STEP",
    "INITIAL_STEP",
    "METHOD",
    "CLASS",
    "CONFIGURATION",
    "DATA_BLOCK",
    "ORGANIZATION_BLOCK",
    "INTERFACE",
    "PROPERTY",
];

/// Statements as one: a branch that is always taken.
fn always(body: Vec<Stmt>, span: Span) -> StmtKind {
    let cond = Expr { kind: ExprKind::Bool(true), span };
    StmtKind::If(vec![(cond, body)], Vec::new())
}

impl Parser<'_> {
    /// Whether a list of statements ends here.
    pub(super) fn ends_statements(&self) -> bool {
        let token = self.peek();
        token.tok == Tok::End
            || token.tok == Tok::Word && (token.word.starts_with("END_") || ENDS.contains(&token.word))
    }

    pub(super) fn statements(&mut self) -> Vec<Stmt> {
        let mut found = Vec::new();
        while !self.ends_statements() {
            let before = self.at;
            if let Some(stmt) = self.deeper(None, |parser| parser.statement()) {
                found.push(stmt);
            }
            if self.at == before {
                // Nothing was read: the token is in the way.
                self.expected("a statement");
                self.next();
            }
        }
        found
    }

    /// Goes on behind the next semicolon of a wrong statement.
    fn recover(&mut self) {
        while !self.ends_statements() && !self.accept(";") {
            self.next();
        }
    }

    fn statement(&mut self) -> Option<Stmt> {
        let start = self.peek();
        let kind = match (start.tok, start.word) {
            (_, ";") => {
                self.next();
                return None;
            }
            (Tok::Assert, _) => return Some(self.assertion()),
            (_, "IF") => self.if_statement(),
            (_, "CASE") => self.case_statement(),
            (_, "FOR") => self.for_statement(),
            (_, "WHILE") => {
                self.next();
                let cond = self.expr();
                self.expect("DO");
                let body = self.statements();
                self.close("END_WHILE");
                StmtKind::While(cond, body)
            }
            (_, "REPEAT") => {
                self.next();
                let body = self.statements();
                let cond = if self.expect("UNTIL") { self.expr() } else { self.bad(start.span) };
                self.accept(";");
                self.close("END_REPEAT");
                StmtKind::Repeat(body, cond)
            }
            (_, "EXIT" | "CONTINUE" | "RETURN") => {
                self.next();
                match start.word {
                    "EXIT" => StmtKind::Exit,
                    "CONTINUE" => StmtKind::Continue,
                    _ => StmtKind::Return,
                }
            }
            (_, "REGION") => {
                // The rest of the line is its title.
                self.next();
                let line = self.text[(start.span.hi - self.base) as usize..].iter().position(|byte| *byte == b'\n');
                let end = line.map_or(u32::MAX, |line| start.span.hi + line as u32);
                while self.peek().span.lo < end && self.peek().tok != Tok::End {
                    self.next();
                }
                let body = self.statements();
                self.close("END_REGION");
                let span = start.span.to(self.end_of_last());
                return Some(Stmt { kind: always(body, start.span), span });
            }
            (_, "GOTO" | "JMP") => {
                self.next();
                StmtKind::Goto(self.name()?)
            }
            (Tok::Word, "") | (Tok::Quoted, _) if self.peek_at(1).word == ":" => {
                let name = self.name()?;
                self.next();
                let span = start.span.to(self.end_of_last());
                return Some(Stmt { kind: StmtKind::Label(name), span });
            }
            (Tok::Word, "") | (Tok::Quoted, _) | (Tok::Address, _) => self.assignment_or_call()?,
            _ => {
                self.expected("a statement");
                self.recover();
                return None;
            }
        };
        let span = start.span.to(self.end_of_last());
        let is_block = matches!(
            kind,
            StmtKind::If(..) | StmtKind::Case(..) | StmtKind::For { .. } | StmtKind::While(..) | StmtKind::Repeat(..)
        );
        // Compilers accept a block without a semicolon behind it.
        if !self.accept(";") && !is_block {
            let at = self.end_of_last();
            self.error(at, "a semicolon is missing here");
            // At the beginning of another statement it is clear where this one ends.
            let is_assignment = self.is_name() && self.peek_at(1).word == ":=";
            if !self.ends_statements() && !is_assignment {
                self.recover();
            }
        }
        Some(Stmt { kind, span })
    }

    /// The word that ends a block.
    fn close(&mut self, word: &str) {
        self.expect(word);
    }

    fn assertion(&mut self) -> Stmt {
        let start = self.next().span;
        let cond = self.expr();
        let mut name = None;
        if self.accept(":") {
            let token = self.peek();
            if token.tok != Tok::EndAssert {
                self.next();
                name = Some(Name { text: self.text_of(token.span), span: token.span });
            }
        }
        if self.peek().tok != Tok::EndAssert {
            self.expected("the end of the assertion");
        }
        while !matches!(self.peek().tok, Tok::EndAssert | Tok::End) {
            self.next();
        }
        if self.peek().tok == Tok::EndAssert {
            self.next();
        }
        let span = start.to(cond.span);
        Stmt { kind: StmtKind::Assert(cond, name), span }
    }

    fn if_statement(&mut self) -> StmtKind {
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        loop {
            self.next();
            let cond = self.expr();
            self.expect("THEN");
            branches.push((cond, self.statements()));
            if self.is("ELSEIF") {
                let span = self.peek().span;
                self.diagnostics.push(Diagnostic::warning(span, "the standard writes ELSIF"));
            } else if !self.is("ELSIF") {
                break;
            }
        }
        if self.accept("ELSE") {
            otherwise = self.statements();
        }
        self.close("END_IF");
        StmtKind::If(branches, otherwise)
    }

    fn case_statement(&mut self) -> StmtKind {
        self.next();
        let selector = self.expr();
        self.expect("OF");
        let mut cases = Vec::new();
        let mut otherwise = Vec::new();
        while !self.is("END_CASE") && !self.is("ELSE") && self.peek().tok != Tok::End {
            let before = self.at;
            if self.accept(";") {
                continue;
            }
            let mut labels = vec![self.case_label()];
            while self.accept(",") {
                labels.push(self.case_label());
            }
            if !self.expect(":") {
                self.recover();
                if self.at == before && self.ends_statements() {
                    break;
                }
                continue;
            }
            cases.push((labels, self.case_body()));
            if self.at == before || self.ends_statements() && !self.is("END_CASE") && !self.is("ELSE") {
                break;
            }
        }
        if self.accept("ELSE") {
            self.accept(":");
            otherwise = self.statements();
        }
        self.close("END_CASE");
        StmtKind::Case(selector, cases, otherwise)
    }

    fn case_label(&mut self) -> CaseLabel {
        let first = self.expr();
        match self.accept("..") {
            true => CaseLabel::Range(first, self.expr()),
            false => CaseLabel::One(first),
        }
    }

    /// Up to the next label, which begins as a statement may: with a name or a number.
    fn case_body(&mut self) -> Vec<Stmt> {
        let mut found = Vec::new();
        while !self.ends_statements() && !self.at_label() {
            let before = self.at;
            if let Some(stmt) = self.deeper(None, |parser| parser.statement()) {
                found.push(stmt);
            }
            if self.at == before {
                self.expected("a statement");
                self.next();
            }
        }
        found
    }

    fn at_label(&self) -> bool {
        let token = self.peek();
        match token.tok {
            Tok::Number | Tok::Typed => true,
            Tok::Symbol => matches!(token.word, "-" | "+" | "("),
            Tok::Word | Tok::Quoted => {
                let mut ahead = 1;
                // `Type.value` is one label as well.
                while self.peek_at(ahead).word == "." {
                    ahead += 2;
                }
                matches!(self.peek_at(ahead).word, ":" | "," | "..")
            }
            _ => false,
        }
    }

    fn for_statement(&mut self) -> StmtKind {
        self.next();
        let variable = self.expr();
        self.expect(":=");
        let from = self.expr();
        self.expect("TO");
        let to = self.expr();
        let by = self.accept("BY").then(|| self.expr());
        self.expect("DO");
        let body = self.statements();
        self.close("END_FOR");
        StmtKind::For { variable, from, to, by, body }
    }

    fn assignment_or_call(&mut self) -> Option<StmtKind> {
        let target = self.expr_before_assignment();
        let operator = match self.peek().word {
            ":=" | "?=" => None,
            "+=" => Some(Operator::Add),
            "-=" => Some(Operator::Sub),
            "*=" => Some(Operator::Mul),
            "/=" => Some(Operator::Div),
            "" if self.peek_at(1).word == "=" && ["S", "R", "REF"].iter().any(|word| self.is_word(word)) => {
                return Some(self.set_or_reset(target));
            }
            _ => {
                return match target.kind {
                    ExprKind::Call(..) => Some(StmtKind::Call(target)),
                    // CoDeSys: an action is called by its name alone.
                    ExprKind::Name(_) | ExprKind::Member(..) if self.is(";") => {
                        let span = target.span;
                        Some(StmtKind::Call(Expr { kind: ExprKind::Call(Box::new(target), Vec::new()), span }))
                    }
                    ExprKind::Bad => {
                        self.recover();
                        None
                    }
                    _ => {
                        self.expected("`:=` or a call");
                        self.recover();
                        None
                    }
                };
            }
        };
        if self.is("?=") {
            self.next();
            self.expr();
            return Some(StmtKind::Unsupported("assignment attempt"));
        }
        self.next();
        let value = self.expr();
        if operator.is_none() && self.is(":=") {
            return Some(self.several_targets(vec![target, value]));
        }
        let value = match operator {
            None => value,
            Some(operator) => {
                let span = target.span.to(value.span);
                Expr { kind: ExprKind::Binary(operator, Box::new(target.clone()), Box::new(value)), span }
            }
        };
        Some(StmtKind::Assign(target, value))
    }

    /// CoDeSys: `a := b := 1`; the last place gets the value first.
    fn several_targets(&mut self, mut targets: Vec<Expr>) -> StmtKind {
        let start = targets[0].span;
        while self.accept(":=") {
            targets.push(self.expr());
        }
        let mut body = Vec::new();
        while let [.., target, value] = &targets[..] {
            let span = target.span.to(value.span);
            body.push(Stmt { kind: StmtKind::Assign(target.clone(), value.clone()), span });
            targets.pop();
        }
        always(body, start)
    }

    /// CoDeSys: `a S= condition` sets, `a R= condition` resets.
    fn set_or_reset(&mut self, target: Expr) -> StmtKind {
        let (sets, refers) = (self.is_word("S"), self.is_word("REF"));
        self.next();
        self.next();
        let cond = self.expr();
        if refers {
            return StmtKind::Unsupported("REFERENCE");
        }
        let span = target.span.to(cond.span);
        let value = Expr { kind: ExprKind::Bool(sets), span: target.span };
        let body = vec![Stmt { kind: StmtKind::Assign(target, value), span }];
        StmtKind::If(vec![(cond, body)], Vec::new())
    }

    /// A place or a call.
    fn expr_before_assignment(&mut self) -> Expr {
        self.postfix()
    }
}

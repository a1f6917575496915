//! Statements.

use super::*;

/// What stands before a statement.
#[derive(Clone, Copy)]
pub(super) struct Label {
    lo: u32,
    kind: LabelKind,
}

#[derive(Clone, Copy)]
enum LabelKind {
    Name(Symbol),
    Case(ExprId, Option<ExprId>),
    Default,
}

/// One `if (cond) then` of a chain of `else if`s.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    lo: u32,
    cond: ExprId,
    then: StmtId,
}

/// Where a statement stands: in a list of statements, declarations may follow a label.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    List,
    Body,
}

impl Parser<'_> {
    /// At a `{`.
    pub(super) fn block(&mut self) -> Parse<StmtId> {
        let open = self.token();
        let lo = open.lo;
        self.expect(Tok::LBrace, "")?;
        self.scopes.open();
        let from = self.scratch.stmts.len();
        let checkpoint = self.checkpoint();
        loop {
            match self.kind() {
                Tok::RBrace | Tok::End => break,
                _ => self.block_item(&checkpoint),
            }
        }
        self.scopes.close();
        self.expect_closing(Tok::RBrace, open)?;
        let statements = self.ast.list(&mut self.scratch.stmts, from);
        Ok(self.stmt(StmtKind::Compound(statements), lo))
    }

    /// Pushes one statement or declaration.
    fn block_item(&mut self, checkpoint: &recover::Checkpoint) {
        let start = self.at;
        let done = self.scratch.stmts.len();
        let statement = match self.statement(Place::List) {
            Ok(statement) => statement,
            Err(Fail) => {
                let members = self.scratch.members.len();
                self.restore(checkpoint, done, members);
                self.skip_statement(start);
                if self.at == start && !matches!(self.kind(), Tok::End | Tok::RBrace) {
                    self.bump();
                }
                let lo = self.tokens[start].lo;
                self.stmt(StmtKind::Error, lo)
            }
        };
        self.scratch.stmts.push(statement);
    }

    /// A body: of a branch or a loop.
    fn body(&mut self) -> Parse<StmtId> {
        self.statement(Place::Body)
    }

    fn statement(&mut self, place: Place) -> Parse<StmtId> {
        self.enter()?;
        let labels = self.scratch.labels.len();
        let mut statement = self.after_labels(place, labels)?;
        let count = self.scratch.labels.len() - labels;
        self.chain -= count as u32;
        while self.scratch.labels.len() > labels {
            let Some(Label { lo, kind }) = self.scratch.labels.pop() else { break };
            let kind = match kind {
                LabelKind::Name(name) => StmtKind::Label(name, statement),
                LabelKind::Case(low, high) => StmtKind::Case(low, high, statement),
                LabelKind::Default => StmtKind::Default(statement),
            };
            statement = self.stmt(kind, lo);
        }
        self.leave();
        Ok(statement)
    }

    /// The statement under any number of labels, which go to the scratch stack from `labels` on.
    fn after_labels(&mut self, place: Place, labels: usize) -> Parse<StmtId> {
        loop {
            let token = self.token();
            let lo = token.lo;
            match token.kind {
                Tok::Word if self.peek(1) == Tok::Colon => {
                    self.bump();
                    self.push_label(lo, LabelKind::Name(token.symbol()))?;
                    let attributes = self.scratch.attributes.len();
                    // An attribute after a label is the label's, unless a declaration shows otherwise; neither matters.
                    self.attributes()?;
                    self.scratch.attributes.truncate(attributes);
                }
                Tok::Case => {
                    self.bump();
                    let low = self.constant_expression()?;
                    let high = if self.eat(Tok::Ellipsis) { Some(self.constant_expression()?) } else { None };
                    self.push_label(lo, LabelKind::Case(low, high))?;
                }
                Tok::Default => {
                    self.bump();
                    self.push_label(lo, LabelKind::Default)?;
                }
                _ => break,
            }
        }
        if self.scratch.labels.len() == labels {
            return self.unlabelled(place);
        }
        // After a label, before a declaration or the end of the block: an empty statement takes the label.
        let ends = self.kind() == Tok::RBrace || (place == Place::List && self.starts_declaration());
        if ends && !self.starts_attribute() {
            let hi = self.hi();
            return Ok(self.stmt(StmtKind::Null, hi));
        }
        self.unlabelled(place)
    }

    /// At the colon.
    fn push_label(&mut self, lo: u32, kind: LabelKind) -> Parse<()> {
        self.expect(Tok::Colon, "after label")?;
        self.scratch.labels.push(Label { lo, kind });
        self.link()
    }

    /// Counts one level of nesting that a loop makes.
    fn link(&mut self) -> Parse<()> {
        self.chain += 1;
        if self.chain > MAX_CHAIN { self.too_deep() } else { Ok(()) }
    }

    fn unlabelled(&mut self, place: Place) -> Parse<StmtId> {
        let lo = self.lo();
        let kind = match self.kind() {
            Tok::LBrace => return self.block(),
            Tok::Semi => {
                self.bump();
                StmtKind::Null
            }
            Tok::If => return self.if_chain(),
            Tok::While => {
                self.bump();
                let cond = self.condition()?;
                StmtKind::While(cond, self.body()?)
            }
            Tok::Do => self.do_while()?,
            Tok::For => return self.for_loop(),
            Tok::Switch => {
                self.bump();
                let value = self.condition()?;
                StmtKind::Switch(value, self.body()?)
            }
            Tok::Return => {
                self.bump();
                let value = if self.kind() == Tok::Semi { None } else { Some(self.expression()?) };
                self.expect(Tok::Semi, "after return statement")?;
                StmtKind::Return(value)
            }
            Tok::Break | Tok::Continue => {
                let is_break = self.kind() == Tok::Break;
                self.bump();
                self.expect(Tok::Semi, if is_break { "after `break`" } else { "after `continue`" })?;
                if is_break { StmtKind::Break } else { StmtKind::Continue }
            }
            Tok::Goto => self.goto()?,
            Tok::Asm => {
                self.assembly()?;
                StmtKind::Asm
            }
            Tok::AcslStart => return self.acsl(place),
            Tok::LabelDecl => self.label_declaration()?,
            Tok::Attribute | Tok::LBracket if self.starts_attribute() => return self.attributed(place),
            Tok::Word if self.peek(1) == Tok::Word && !self.starts_declaration() => {
                let attributes = self.scratch.attributes.len();
                StmtKind::Decl(self.declaration(lo, attributes)?)
            }
            _ if self.starts_declaration() => {
                let attributes = self.scratch.attributes.len();
                StmtKind::Decl(self.declaration(lo, attributes)?)
            }
            Tok::Else => {
                let span = self.token().span();
                return self.error(span, "`else` without a previous `if`");
            }
            _ => {
                let expr = self.expression()?;
                self.expect(Tok::Semi, "after expression")?;
                StmtKind::Expr(expr)
            }
        };
        Ok(self.stmt(kind, lo))
    }

    /// A parenthesised expression. After an error inside, parsing goes on behind its closing parenthesis.
    fn condition(&mut self) -> Parse<ExprId> {
        let open = self.token();
        self.expect(Tok::LParen, "before condition")?;
        let checkpoint = self.checkpoint();
        let (stmts, members) = (self.scratch.stmts.len(), self.scratch.members.len());
        let result = self.expression();
        match result.and_then(|cond| self.expect_closing(Tok::RParen, open).map(|()| cond)) {
            Ok(cond) => Ok(cond),
            Err(Fail) => {
                self.restore(&checkpoint, stmts, members);
                self.skip_parenthesis()?;
                Ok(self.expr(ExprKind::Error, open.lo))
            }
        }
    }

    /// A chain of `else if`s is a loop here, however long it is.
    fn if_chain(&mut self) -> Parse<StmtId> {
        let from = self.scratch.branches.len();
        let mut otherwise = None;
        loop {
            let lo = self.lo();
            self.bump();
            let cond = self.condition()?;
            let then = self.body()?;
            self.scratch.branches.push(Branch { lo, cond, then });
            self.link()?;
            if !self.eat(Tok::Else) {
                break;
            }
            if self.kind() != Tok::If {
                otherwise = Some(self.body()?);
                break;
            }
        }
        self.chain -= (self.scratch.branches.len() - from) as u32;
        while self.scratch.branches.len() > from + 1 {
            let Some(Branch { lo, cond, then }) = self.scratch.branches.pop() else { break };
            otherwise = Some(self.stmt(StmtKind::If(cond, then, otherwise), lo));
        }
        match self.scratch.branches.pop() {
            Some(Branch { lo, cond, then }) => Ok(self.stmt(StmtKind::If(cond, then, otherwise), lo)),
            None => Err(Fail),
        }
    }

    fn do_while(&mut self) -> Parse<StmtKind> {
        self.bump();
        let body = self.body()?;
        self.expect(Tok::While, "after body of `do`")?;
        let cond = self.condition()?;
        self.expect(Tok::Semi, "after `do` statement")?;
        Ok(StmtKind::DoWhile(body, cond))
    }

    fn for_loop(&mut self) -> Parse<StmtId> {
        let lo = self.lo();
        self.bump();
        self.scopes.open();
        let open = self.token();
        self.expect(Tok::LParen, "after `for`")?;
        let checkpoint = self.checkpoint();
        let (stmts, members) = (self.scratch.stmts.len(), self.scratch.members.len());
        let header = self.for_header();
        let header = match header.and_then(|header| self.expect_closing(Tok::RParen, open).map(|()| header)) {
            Ok(header) => header,
            Err(Fail) => {
                self.restore(&checkpoint, stmts, members);
                self.skip_parenthesis()?;
                (self.stmt(StmtKind::Error, open.lo), None, None)
            }
        };
        let body = self.body()?;
        self.scopes.close();
        let (init, cond, step) = header;
        Ok(self.stmt(StmtKind::For { init, cond, step, body }, lo))
    }

    fn for_header(&mut self) -> Parse<(StmtId, Option<ExprId>, Option<ExprId>)> {
        let lo = self.lo();
        let init = if self.eat(Tok::Semi) {
            self.stmt(StmtKind::Null, lo)
        } else if self.starts_declaration() {
            let attributes = self.scratch.attributes.len();
            let decl = self.declaration(lo, attributes)?;
            self.stmt(StmtKind::Decl(decl), lo)
        } else {
            let expr = self.expression()?;
            self.expect(Tok::Semi, "after first part of `for`")?;
            self.stmt(StmtKind::Expr(expr), lo)
        };
        let cond = if self.kind() == Tok::Semi { None } else { Some(self.expression()?) };
        self.expect(Tok::Semi, "after condition of `for`")?;
        let step = if self.kind() == Tok::RParen { None } else { Some(self.expression()?) };
        Ok((init, cond, step))
    }

    fn goto(&mut self) -> Parse<StmtKind> {
        self.bump();
        let kind = if self.eat(Tok::Star) {
            StmtKind::GotoComputed(self.expression()?)
        } else {
            StmtKind::Goto(self.name("label")?)
        };
        self.expect(Tok::Semi, "after `goto`")?;
        Ok(kind)
    }

    /// `__label__ a, b;`
    fn label_declaration(&mut self) -> Parse<StmtKind> {
        let lo = self.lo();
        self.bump();
        let mut names = vec![self.name("label")?];
        while self.eat(Tok::Comma) {
            names.push(self.name("label")?);
        }
        self.expect(Tok::Semi, "after label declaration")?;
        let span = self.since(lo);
        let last = StmtKind::Null;
        Ok(names.iter().rev().fold(last, |kind, name| {
            let next = self.ast.stmts.push(Stmt { kind, span });
            StmtKind::LocalLabel(*name, next)
        }))
    }

    /// `__attribute__((fallthrough));`, or a declaration that starts with an attribute.
    fn attributed(&mut self, place: Place) -> Parse<StmtId> {
        let lo = self.lo();
        let from = self.scratch.attributes.len();
        self.attributes()?;
        if self.starts_declaration() {
            let decl = self.declaration(lo, from)?;
            return Ok(self.stmt(StmtKind::Decl(decl), lo));
        }
        self.scratch.attributes.truncate(from);
        if self.kind() == Tok::RBrace {
            return self.expected("statement");
        }
        self.unlabelled(place)
    }

    /// ACSL assertions never change what the program does: before the statement that is a loop's or branch's body they join it.
    fn acsl(&mut self, place: Place) -> Parse<StmtId> {
        let lo = self.lo();
        let first = self.acsl_assertion();
        if place == Place::List || matches!(self.kind(), Tok::RBrace | Tok::Else | Tok::End) {
            return Ok(first);
        }
        let from = self.scratch.stmts.len();
        self.scratch.stmts.push(first);
        while self.kind() == Tok::AcslStart {
            let next = self.acsl_assertion();
            self.scratch.stmts.push(next);
        }
        let body = self.body()?;
        self.scratch.stmts.push(body);
        let statements = self.ast.list(&mut self.scratch.stmts, from);
        Ok(self.stmt(StmtKind::Compound(statements), lo))
    }

    /// From the start to the end of the comment; an error does not leave it.
    fn acsl_assertion(&mut self) -> StmtId {
        self.bump();
        let lo = self.lo();
        let checkpoint = self.checkpoint();
        let (stmts, members) = (self.scratch.stmts.len(), self.scratch.members.len());
        let statement = match self.acsl_content(lo) {
            Ok(statement) => statement,
            Err(Fail) => {
                self.restore(&checkpoint, stmts, members);
                self.stmt(StmtKind::Error, lo)
            }
        };
        self.skip_acsl();
        statement
    }

    fn acsl_content(&mut self, lo: u32) -> Parse<StmtId> {
        // `assert`, and the name an assertion may have.
        self.bump();
        if self.kind() == Tok::Word && self.peek(1) == Tok::Colon {
            self.bump();
            self.bump();
        }
        let cond = self.expression()?;
        self.expect(Tok::Semi, "after ACSL assertion")?;
        let statement = self.stmt(StmtKind::AcslAssert(cond), lo);
        if self.kind() == Tok::AcslEnd { Ok(statement) } else { self.expected("end of ACSL comment") }
    }
}

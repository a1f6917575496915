//! Expressions.

use super::super::lex::literal;
use super::*;

/// By token: binding strength from `||` (1) to `*` (10), 0 for what is no binary operator.
static OPERATORS: [(u8, BinaryOp); 256] = {
    let mut table = [(0, BinaryOp::Comma); 256];
    let mut index = 0;
    while index < BINARY.len() {
        table[BINARY[index].0 as usize] = (BINARY[index].1, BINARY[index].2);
        index += 1;
    }
    table
};

static BINARY: [(Tok, u8, BinaryOp); 18] = [
    (Tok::OrOr, 1, BinaryOp::LogOr),
    (Tok::AndAnd, 2, BinaryOp::LogAnd),
    (Tok::Pipe, 3, BinaryOp::Or),
    (Tok::Caret, 4, BinaryOp::Xor),
    (Tok::Amp, 5, BinaryOp::And),
    (Tok::EqEq, 6, BinaryOp::Eq),
    (Tok::Ne, 6, BinaryOp::Ne),
    (Tok::Lt, 7, BinaryOp::Lt),
    (Tok::Gt, 7, BinaryOp::Gt),
    (Tok::Le, 7, BinaryOp::Le),
    (Tok::Ge, 7, BinaryOp::Ge),
    (Tok::Shl, 8, BinaryOp::Shl),
    (Tok::Shr, 8, BinaryOp::Shr),
    (Tok::Plus, 9, BinaryOp::Add),
    (Tok::Minus, 9, BinaryOp::Sub),
    (Tok::Star, 10, BinaryOp::Mul),
    (Tok::Slash, 10, BinaryOp::Div),
    (Tok::Percent, 10, BinaryOp::Rem),
];

/// The operator of a compound assignment, `None` inside for `=`.
fn assign_op(kind: Tok) -> Option<Option<BinaryOp>> {
    Some(match kind {
        Tok::Eq => None,
        Tok::StarEq => Some(BinaryOp::Mul),
        Tok::SlashEq => Some(BinaryOp::Div),
        Tok::PercentEq => Some(BinaryOp::Rem),
        Tok::PlusEq => Some(BinaryOp::Add),
        Tok::MinusEq => Some(BinaryOp::Sub),
        Tok::ShlEq => Some(BinaryOp::Shl),
        Tok::ShrEq => Some(BinaryOp::Shr),
        Tok::AmpEq => Some(BinaryOp::And),
        Tok::CaretEq => Some(BinaryOp::Xor),
        Tok::PipeEq => Some(BinaryOp::Or),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parse<ExprId> {
        let lo = self.lo();
        let mut left = self.assignment()?;
        while self.kind() == Tok::Comma {
            let height = self.height;
            self.bump();
            let right = self.assignment()?;
            left = self.taller(ExprKind::Binary(BinaryOp::Comma, left, right), lo, height)?;
        }
        self.tallest = self.tallest.max(self.height);
        Ok(left)
    }

    pub(super) fn assignment(&mut self) -> Parse<ExprId> {
        self.enter()?;
        let lo = self.lo();
        let left = self.conditional(lo)?;
        let result = match assign_op(self.kind()) {
            None => left,
            Some(op) => {
                let height = self.height;
                self.bump();
                let right = self.assignment()?;
                self.taller(ExprKind::Assign(op, left, right), lo, height)?
            }
        };
        self.tallest = self.tallest.max(self.height);
        self.leave();
        Ok(result)
    }

    pub(super) fn constant_expression(&mut self) -> Parse<ExprId> {
        self.enter()?;
        let result = self.conditional(self.lo())?;
        self.tallest = self.tallest.max(self.height);
        self.leave();
        Ok(result)
    }

    fn conditional(&mut self, lo: u32) -> Parse<ExprId> {
        let cond = self.binary(1)?;
        if self.kind() != Tok::Question {
            return Ok(cond);
        }
        let mut height = self.height;
        let question = self.lo();
        self.bump();
        let then = if self.kind() == Tok::Colon { None } else { Some(self.expression()?) };
        height = height.max(self.height);
        self.expect(Tok::Colon, "in conditional expression")?;
        let otherwise = self.constant_expression()?;
        self.taller(ExprKind::Conditional { cond, then, otherwise, question }, lo, height)
    }

    fn binary(&mut self, least: u8) -> Parse<ExprId> {
        let lo = self.lo();
        let mut left = self.unary()?;
        loop {
            let (precedence, op) = OPERATORS[self.kind() as usize];
            if precedence < least {
                return Ok(left);
            }
            let height = self.height;
            self.bump();
            let right = self.binary(precedence + 1)?;
            left = self.taller(ExprKind::Binary(op, left, right), lo, height)?;
        }
    }

    /// A node over the expression parsed last and others of at most the given height.
    #[inline]
    pub(super) fn taller(&mut self, kind: ExprKind, lo: u32, others: u32) -> Parse<ExprId> {
        self.height = self.height.max(others) + 1;
        if self.height > MAX_CHAIN + MAX_DEPTH {
            return self.too_deep();
        }
        Ok(self.expr(kind, lo))
    }

    #[inline]
    fn leaf(&mut self, kind: ExprKind, lo: u32) -> ExprId {
        self.height = 1;
        self.expr(kind, lo)
    }

    /// Also casts.
    pub(super) fn unary(&mut self) -> Parse<ExprId> {
        let token = self.token();
        let lo = token.lo;
        let op = match token.kind {
            Tok::Word => {
                self.bump();
                let name = self.leaf(ExprKind::Name(token.symbol()), lo);
                return self.postfix(name, lo);
            }
            Tok::Number => {
                let number = self.number(token);
                return self.postfix(number, lo);
            }
            Tok::LParen => return self.parenthesis(),
            Tok::Star => UnaryOp::Deref,
            Tok::Amp => UnaryOp::Addr,
            Tok::Minus => UnaryOp::Minus,
            Tok::Bang => UnaryOp::Not,
            Tok::Tilde => UnaryOp::BitNot,
            Tok::Plus => UnaryOp::Plus,
            Tok::PlusPlus => UnaryOp::PreInc,
            Tok::MinusMinus => UnaryOp::PreDec,
            Tok::Real => UnaryOp::Real,
            Tok::Imag => UnaryOp::Imag,
            Tok::Sizeof | Tok::Alignof => return self.size_or_alignment(),
            Tok::AndAnd => {
                self.bump();
                let label = self.name("label")?;
                return Ok(self.leaf(ExprKind::LabelAddress(label), lo));
            }
            Tok::Extension => {
                while self.eat(Tok::Extension) {}
                return self.nested_unary();
            }
            _ => return self.primary(),
        };
        self.bump();
        let operand = self.nested_unary()?;
        self.taller(ExprKind::Unary(op, operand), lo, 0)
    }

    pub(super) fn nested_unary(&mut self) -> Parse<ExprId> {
        self.enter()?;
        let operand = self.unary()?;
        self.leave();
        Ok(operand)
    }

    /// A cast, a compound literal, a statement expression or an expression in parentheses.
    fn parenthesis(&mut self) -> Parse<ExprId> {
        let open = self.token();
        let lo = open.lo;
        self.bump();
        if self.kind() == Tok::LBrace {
            let outer = std::mem::take(&mut self.tallest);
            self.enter()?;
            let block = self.block()?;
            self.leave();
            self.expect_closing(Tok::RParen, open)?;
            self.height = self.tallest;
            self.tallest = outer;
            let statement = self.taller(ExprKind::Statement(block), lo, 0)?;
            return self.postfix(statement, lo);
        }
        if self.starts_type_name() {
            let ty = self.type_name()?;
            self.expect_closing(Tok::RParen, open)?;
            if self.kind() == Tok::LBrace {
                return self.compound_literal(ty, lo);
            }
            let height = self.height;
            let operand = self.nested_unary()?;
            return self.taller(ExprKind::Cast(ty, operand), lo, height);
        }
        let inner = self.expression()?;
        self.expect_closing(Tok::RParen, open)?;
        self.postfix(inner, lo)
    }

    /// After `(type)`, at the brace.
    fn compound_literal(&mut self, ty: TypeNameId, lo: u32) -> Parse<ExprId> {
        let height = self.height;
        let outer = std::mem::take(&mut self.tallest);
        let init = self.initializer()?;
        self.height = self.tallest;
        self.tallest = outer;
        let literal = self.taller(ExprKind::CompoundLiteral(ty, init), lo, height)?;
        self.postfix(literal, lo)
    }

    /// `sizeof` and `_Alignof`, of a type or of an expression.
    fn size_or_alignment(&mut self) -> Parse<ExprId> {
        let token = self.token();
        let size = token.kind == Tok::Sizeof;
        self.bump();
        let open = self.token();
        let of_expr = |operand| if size { ExprKind::SizeofExpr(operand) } else { ExprKind::AlignofExpr(operand) };
        if open.kind == Tok::LParen {
            self.bump();
            if self.starts_type_name() {
                let ty = self.type_name()?;
                self.expect_closing(Tok::RParen, open)?;
                if self.kind() == Tok::LBrace {
                    let literal = self.compound_literal(ty, open.lo)?;
                    return self.taller(of_expr(literal), token.lo, 0);
                }
                let kind = if size { ExprKind::SizeofType(ty) } else { ExprKind::AlignofType(ty) };
                return self.taller(kind, token.lo, 0);
            }
            self.at -= 1;
        }
        let operand = self.nested_unary()?;
        self.taller(of_expr(operand), token.lo, 0)
    }

    #[inline]
    pub(super) fn postfix(&mut self, mut left: ExprId, lo: u32) -> Parse<ExprId> {
        loop {
            let open = self.token();
            let height = self.height;
            left = match open.kind {
                Tok::LParen => self.call(left, lo)?,
                Tok::LBracket => {
                    self.bump();
                    let index = self.expression()?;
                    self.expect_closing(Tok::RBracket, open)?;
                    self.taller(ExprKind::Index(left, index), lo, height)?
                }
                Tok::Dot => {
                    self.bump();
                    let member = self.name("member name")?;
                    self.taller(ExprKind::Member(left, member), lo, height)?
                }
                Tok::Arrow => {
                    self.bump();
                    let member = self.name("member name")?;
                    self.taller(ExprKind::Arrow(left, member), lo, height)?
                }
                Tok::PlusPlus => {
                    self.bump();
                    self.taller(ExprKind::Unary(UnaryOp::PostInc, left), lo, height)?
                }
                Tok::MinusMinus => {
                    self.bump();
                    self.taller(ExprKind::Unary(UnaryOp::PostDec, left), lo, height)?
                }
                _ => return Ok(left),
            };
        }
    }

    /// The arguments of a call, at the `(`.
    fn call(&mut self, callee: ExprId, lo: u32) -> Parse<ExprId> {
        let mut height = self.height;
        let open = self.token();
        self.bump();
        let from = self.scratch.exprs.len();
        if self.kind() != Tok::RParen {
            loop {
                let argument = self.assignment()?;
                height = height.max(self.height);
                self.scratch.exprs.push(argument);
                if !self.eat(Tok::Comma) {
                    break;
                }
            }
        }
        self.expect_closing(Tok::RParen, open)?;
        let arguments = self.ast.list(&mut self.scratch.exprs, from);
        self.taller(ExprKind::Call(callee, arguments), lo, height)
    }

    fn primary(&mut self) -> Parse<ExprId> {
        let token = self.token();
        let lo = token.lo;
        let expr = match token.kind {
            Tok::Char => self.character(token),
            Tok::Text => {
                let string = self.string()?;
                self.leaf(ExprKind::String(string), lo)
            }
            Tok::Generic => self.generic()?,
            Tok::VaArg => self.va_arg()?,
            Tok::Offsetof => self.offsetof()?,
            Tok::TypesCompatible => self.types_compatible()?,
            Tok::ChooseExpr => self.choose()?,
            Tok::ConvertVector | Tok::HasAttribute => self.unsupported_builtin()?,
            _ => return self.expected("expression"),
        };
        self.postfix(expr, lo)
    }

    /// A wrong number is reported and parsing goes on: the token is whole.
    fn number(&mut self, token: Token) -> ExprId {
        let kind = match literal::number(&self.literals[token.value as usize..]) {
            Ok(literal::Number::Int(int)) => ExprKind::Int(int),
            Ok(literal::Number::Float(text)) => {
                let units = Units::Bytes(text.into_bytes());
                ExprKind::Float(self.ast.strings.push(StringLiteral { encoding: Encoding::Plain, units }))
            }
            Ok(literal::Number::Unsupported(kind)) => ExprKind::Unsupported(kind),
            Err(message) => {
                self.report(Diagnostic::error(token.span(), message));
                ExprKind::Error
            }
        };
        self.advance_and_leaf(kind, token.lo)
    }

    fn character(&mut self, token: Token) -> ExprId {
        let mut warnings = Vec::new();
        let kind = match literal::character(&self.literals[token.value as usize..], &mut warnings) {
            Ok((value, encoding)) => ExprKind::Char(value, encoding),
            Err(message) => {
                self.report(Diagnostic::error(token.span(), message));
                ExprKind::Error
            }
        };
        self.warn(token.span(), warnings);
        self.advance_and_leaf(kind, token.lo)
    }

    fn advance_and_leaf(&mut self, kind: ExprKind, lo: u32) -> ExprId {
        // The error may have been the last one allowed: then there is no token left to take.
        if self.kind() != Tok::End {
            self.bump();
        }
        self.leaf(kind, lo)
    }

    fn warn(&mut self, span: Span, warnings: Vec<String>) {
        for warning in warnings {
            self.report(Diagnostic::warning(span, warning));
        }
    }

    /// One string literal of all adjacent ones.
    pub(super) fn string(&mut self) -> Parse<StringId> {
        if self.kind() != Tok::Text {
            return self.expected("string literal");
        }
        let start = self.at;
        let mut encoding = Encoding::Plain;
        while self.kind() == Tok::Text {
            let token = self.token();
            let (other, _) = literal::prefix(&self.literals[token.value as usize..]);
            match literal::join(encoding, other) {
                Some(joined) => encoding = joined,
                None => self.report(Diagnostic::error(token.span(), "adjacent string literals of different prefixes")),
            }
            if self.kind() == Tok::Text {
                self.bump();
            }
        }
        let mut units = match encoding {
            Encoding::Plain | Encoding::Utf8 => Units::Bytes(Vec::new()),
            _ => Units::Wide(Vec::new()),
        };
        for index in start..self.at {
            let token = self.tokens[index];
            if token.kind == Tok::Text {
                let mut warnings = Vec::new();
                literal::string(&self.literals[token.value as usize..], encoding, &mut units, &mut warnings);
                self.warn(token.span(), warnings);
            }
        }
        Ok(self.ast.strings.push(StringLiteral { encoding, units }))
    }
}

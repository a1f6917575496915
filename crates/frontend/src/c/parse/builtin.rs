//! Expressions that look like calls but take types: `_Generic` and gcc's builtins.

use super::*;

impl Parser<'_> {
    fn open(&mut self) -> Parse<Token> {
        self.bump();
        let open = self.token();
        self.expect(Tok::LParen, "")?;
        Ok(open)
    }

    pub(super) fn generic(&mut self) -> Parse<ExprId> {
        let lo = self.lo();
        let open = self.open()?;
        let selector = self.assignment()?;
        let mut height = self.height;
        let from = self.scratch.associations.len();
        while self.eat(Tok::Comma) {
            self.height = 0;
            let ty = if self.eat(Tok::Default) { None } else { Some(self.type_name()?) };
            height = height.max(self.height);
            self.expect(Tok::Colon, "in generic association")?;
            let value = self.assignment()?;
            height = height.max(self.height);
            self.scratch.associations.push(Association { ty, value });
        }
        self.expect_closing(Tok::RParen, open)?;
        let associations = self.ast.list(&mut self.scratch.associations, from);
        self.taller(ExprKind::Generic(selector, associations), lo, height)
    }

    pub(super) fn va_arg(&mut self) -> Parse<ExprId> {
        let lo = self.lo();
        let open = self.open()?;
        let list = self.assignment()?;
        let height = self.height;
        self.expect(Tok::Comma, "")?;
        let ty = self.type_name()?;
        self.expect_closing(Tok::RParen, open)?;
        self.taller(ExprKind::VaArg(list, ty), lo, height)
    }

    pub(super) fn offsetof(&mut self) -> Parse<ExprId> {
        let lo = self.lo();
        let open = self.open()?;
        let ty = self.type_name()?;
        let mut height = self.height;
        self.expect(Tok::Comma, "")?;
        let from = self.scratch.designators.len();
        let span = self.token().span();
        let field = self.name("member name")?;
        self.scratch.designators.push(Designator::Field(field, span));
        loop {
            let token = self.token();
            if self.eat(Tok::Dot) {
                let span = self.token().span();
                let field = self.name("member name")?;
                self.scratch.designators.push(Designator::Field(field, span));
            } else if self.eat(Tok::LBracket) {
                let index = self.expression()?;
                height = height.max(self.height);
                self.expect_closing(Tok::RBracket, token)?;
                self.scratch.designators.push(Designator::Index(index));
            } else {
                break;
            }
        }
        self.expect_closing(Tok::RParen, open)?;
        let designators = self.ast.list(&mut self.scratch.designators, from);
        self.taller(ExprKind::Offsetof(ty, designators), lo, height)
    }

    /// A builtin that is not supported, and whose arguments are not all expressions.
    pub(super) fn unsupported_builtin(&mut self) -> Parse<ExprId> {
        let lo = self.lo();
        let name = match self.kind() {
            Tok::ConvertVector => "`__builtin_convertvector`",
            _ => "`__builtin_has_attribute`",
        };
        self.bump();
        if self.kind() != Tok::LParen {
            return self.expected("`(`");
        }
        self.skip_balanced(Tok::LParen, Tok::RParen)?;
        self.taller(ExprKind::Unsupported(name), lo, 0)
    }

    pub(super) fn types_compatible(&mut self) -> Parse<ExprId> {
        let lo = self.lo();
        let open = self.open()?;
        let left = self.type_name()?;
        let height = self.height;
        self.expect(Tok::Comma, "")?;
        let right = self.type_name()?;
        self.expect_closing(Tok::RParen, open)?;
        self.taller(ExprKind::TypesCompatible(left, right), lo, height)
    }

    pub(super) fn choose(&mut self) -> Parse<ExprId> {
        let lo = self.lo();
        let open = self.open()?;
        let cond = self.assignment()?;
        let mut height = self.height;
        self.expect(Tok::Comma, "")?;
        let then = self.assignment()?;
        height = height.max(self.height);
        self.expect(Tok::Comma, "")?;
        let otherwise = self.assignment()?;
        self.expect_closing(Tok::RParen, open)?;
        self.taller(ExprKind::Choose(cond, then, otherwise), lo, height)
    }
}

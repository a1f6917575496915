//! `__attribute__((…))`, `[[…]]` and `_Alignas`. All go to the scratch stack of attributes; the construct they belong to takes them.

use super::*;

impl Parser<'_> {
    #[inline]
    pub(super) fn starts_attribute(&self) -> bool {
        self.kind() == Tok::Attribute || (self.kind() == Tok::LBracket && self.peek(1) == Tok::LBracket)
    }

    /// Any number of attribute specifiers.
    #[inline]
    pub(super) fn attributes(&mut self) -> Parse<()> {
        while self.starts_attribute() {
            if self.kind() == Tok::LBracket {
                self.skip_balanced(Tok::LBracket, Tok::RBracket)?;
            } else {
                self.attribute_specifier()?;
            }
        }
        Ok(())
    }

    fn attribute_specifier(&mut self) -> Parse<()> {
        self.bump();
        let outer = self.token();
        self.expect(Tok::LParen, "after `__attribute__`")?;
        let inner = self.token();
        self.expect(Tok::LParen, "after `__attribute__`")?;
        loop {
            if !matches!(self.kind(), Tok::Comma | Tok::RParen) {
                let attribute = self.attribute()?;
                self.scratch.attributes.push(attribute);
            }
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.expect_closing(Tok::RParen, inner)?;
        self.expect_closing(Tok::RParen, outer)
    }

    fn attribute(&mut self) -> Parse<Attribute> {
        let token = self.token();
        // Keywords are attribute names too: `const`.
        let text = self.text(token.span());
        if !text.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_' || *byte >= 0x80) {
            return self.expected("attribute name");
        }
        self.bump();
        let text = text.strip_prefix(b"__").and_then(|text| text.strip_suffix(b"__")).unwrap_or(text);
        let open = self.token();
        let has_operands = open.kind == Tok::LParen;
        let attribute = match text {
            b"packed" => Attribute::Packed,
            b"noreturn" => Attribute::Noreturn,
            b"transparent_union" => Attribute::TransparentUnion,
            b"weak" => Attribute::Weak,
            b"vector_size" => Attribute::VectorSize,
            b"aligned" if has_operands && self.peek(1) != Tok::RParen => {
                self.bump();
                let alignment = self.constant_expression()?;
                self.expect_closing(Tok::RParen, open)?;
                return Ok(Attribute::Aligned(Some(alignment)));
            }
            b"aligned" => Attribute::Aligned(None),
            b"constructor" if !has_operands => Attribute::Constructor,
            b"constructor"
            | b"destructor"
            | b"cleanup"
            | b"alias"
            | b"ifunc"
            | b"weakref"
            | b"scalar_storage_order" => Attribute::Unsupported(token.symbol()),
            b"mode" if has_operands && self.peek(1) == Tok::Word => Attribute::Mode(self.tokens[self.at + 1].symbol()),
            _ => Attribute::Other(token.symbol()),
        };
        if has_operands {
            self.skip_balanced(Tok::LParen, Tok::RParen)?;
        }
        Ok(attribute)
    }

    /// `_Alignas(type)` or `_Alignas(expression)`.
    pub(super) fn alignas(&mut self) -> Parse<()> {
        self.bump();
        let open = self.token();
        self.expect(Tok::LParen, "after `_Alignas`")?;
        let attribute = if self.starts_type_name() {
            Attribute::AlignedAs(self.type_name()?)
        } else {
            Attribute::Aligned(Some(self.constant_expression()?))
        };
        self.expect_closing(Tok::RParen, open)?;
        self.scratch.attributes.push(attribute);
        Ok(())
    }
}

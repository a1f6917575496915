//! Structs, unions and enumerations.

use super::declarator::Form;
use super::*;

impl Parser<'_> {
    /// At `struct` or `union`.
    pub(super) fn record(&mut self) -> Parse<TypeSpec> {
        self.enter()?;
        let lo = self.lo();
        let is_union = self.kind() == Tok::Union;
        self.bump();
        let attributes = self.scratch.attributes.len();
        let tag = self.tag()?;
        let mut members = None;
        let mut pack = 0;
        if self.kind() == Tok::LBrace {
            members = Some(self.members()?);
            // As gcc does: what is in force where the definition ends counts.
            pack = self.pack();
            self.attributes()?;
        } else if tag.is_none() {
            return self.expected("a tag or `{`");
        }
        let span = self.since(lo);
        let attributes = self.ast.list(&mut self.scratch.attributes, attributes);
        self.leave();
        Ok(TypeSpec::Record(RecordSpec { is_union, tag, members, attributes, pack, span }))
    }

    /// The tag, with attributes before it.
    fn tag(&mut self) -> Parse<Option<Symbol>> {
        self.attributes()?;
        let token = self.token();
        Ok(self.eat(Tok::Word).then(|| token.symbol()))
    }

    /// `#pragma pack` in force at the last token.
    fn pack(&self) -> u8 {
        let passed = self.packs.partition_point(|(index, _)| (*index as usize) < self.at);
        passed.checked_sub(1).map_or(0, |last| self.packs[last].1)
    }

    fn members(&mut self) -> Parse<List<Member>> {
        let open = self.token();
        self.bump();
        let from = self.scratch.members.len();
        let checkpoint = self.checkpoint();
        loop {
            match self.kind() {
                Tok::RBrace | Tok::End => break,
                Tok::Semi => self.bump(),
                Tok::AcslStart => self.skip_acsl(),
                _ => {
                    let start = self.at;
                    if self.member().is_err() {
                        let members = self.scratch.members.len();
                        let stmts = self.scratch.stmts.len();
                        self.restore(&checkpoint, stmts, members);
                        self.skip_statement(start);
                    }
                }
            }
        }
        self.expect_closing(Tok::RBrace, open)?;
        Ok(self.ast.list(&mut self.scratch.members, from))
    }

    /// One member declaration, up to its semicolon.
    fn member(&mut self) -> Parse<()> {
        let lo = self.lo();
        if self.kind() == Tok::StaticAssert {
            let (cond, message) = self.static_assertion()?;
            self.scratch.members.push(Member::StaticAssert { cond, message, span: self.since(lo) });
            return Ok(());
        }
        let start = self.at;
        let from = self.scratch.attributes.len();
        let specs = self.specs(from)?;
        if let TypeSpec::Missing = self.ast.specs[specs].base {
            if self.kind() == Tok::Word && matches!(self.peek(1), Tok::Word | Tok::Star) {
                self.unknown_type(specs);
            } else if self.at == start {
                return self.expected("member declaration");
            }
        }
        if matches!(self.kind(), Tok::Semi | Tok::RBrace) {
            self.scratch.members.push(Member::Field { specs, declarator: None, width: None, span: self.since(lo) });
            return self.end_of_member();
        }
        let mut lo = lo;
        loop {
            let attributes = self.scratch.attributes.len();
            self.attributes()?;
            let declarator = match self.kind() {
                Tok::Colon => None,
                _ => Some(self.declarator_after(Form::Named, attributes)?),
            };
            let mut width = None;
            if self.eat(Tok::Colon) {
                width = Some(self.constant_expression()?);
                self.late_attributes(declarator)?;
            }
            self.scratch.members.push(Member::Field { specs, declarator, width, span: self.since(lo) });
            if !self.eat(Tok::Comma) {
                break;
            }
            lo = self.lo();
        }
        self.end_of_member()
    }

    /// The semicolon, which gcc does not miss after the last member.
    fn end_of_member(&mut self) -> Parse<()> {
        match self.kind() {
            Tok::RBrace => Ok(()),
            _ => self.expect(Tok::Semi, "after member declaration"),
        }
    }

    /// Attributes after the width of a bit-field.
    fn late_attributes(&mut self, declarator: Option<DeclaratorId>) -> Parse<()> {
        let from = self.scratch.attributes.len();
        self.attributes()?;
        if self.scratch.attributes.len() > from
            && let Some(declarator) = declarator
        {
            let earlier = self.ast.get(self.ast.declarators[declarator].attributes).to_vec();
            self.scratch.attributes.splice(from..from, earlier);
            self.ast.declarators[declarator].attributes = self.ast.list(&mut self.scratch.attributes, from);
        }
        self.scratch.attributes.truncate(from);
        Ok(())
    }

    /// At `enum`.
    pub(super) fn enumeration(&mut self) -> Parse<TypeSpec> {
        let lo = self.lo();
        self.bump();
        let attributes = self.scratch.attributes.len();
        let tag = self.tag()?;
        let mut enumerators = None;
        if self.kind() == Tok::LBrace {
            enumerators = Some(self.enumerators()?);
            self.attributes()?;
        } else if tag.is_none() {
            return self.expected("a tag or `{`");
        }
        let span = self.since(lo);
        let attributes = self.ast.list(&mut self.scratch.attributes, attributes);
        Ok(TypeSpec::Enum(EnumSpec { tag, enumerators, attributes, span }))
    }

    fn enumerators(&mut self) -> Parse<List<Enumerator>> {
        let open = self.token();
        self.bump();
        let from = self.scratch.enumerators.len();
        while self.kind() != Tok::RBrace {
            let lo = self.lo();
            let name = self.name("enumerator")?;
            let attributes = self.scratch.attributes.len();
            self.attributes()?;
            self.scratch.attributes.truncate(attributes);
            let value = if self.eat(Tok::Eq) { Some(self.constant_expression()?) } else { None };
            self.scopes.declare(name, false);
            self.scratch.enumerators.push(Enumerator { name, value, span: self.since(lo) });
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.expect_closing(Tok::RBrace, open)?;
        Ok(self.ast.list(&mut self.scratch.enumerators, from))
    }
}

//! Declarations and function definitions.

use super::declarator::Form;
use super::*;

impl Parser<'_> {
    pub(super) fn translation_unit(&mut self) {
        let checkpoint = self.checkpoint();
        while self.kind() != Tok::End {
            let start = self.at;
            if self.kind() == Tok::AcslStart {
                self.skip_acsl();
                continue;
            }
            match self.external_declaration() {
                Ok(item) => self.ast.items.push(item),
                Err(Fail) => {
                    self.restore(&checkpoint, 0, 0);
                    self.skip_external(start);
                    let lo = self.tokens[start].lo;
                    let item = self.decl(DeclKind::Error, lo);
                    self.ast.items.push(item);
                }
            }
            // At least one token is consumed, also after an error, so the loop ends.
            if self.at == start && self.kind() != Tok::End {
                self.bump();
            }
        }
    }

    fn external_declaration(&mut self) -> Parse<DeclId> {
        let lo = self.lo();
        match self.kind() {
            Tok::Semi => {
                self.bump();
                Ok(self.decl(DeclKind::Ignored, lo))
            }
            Tok::Asm => {
                self.assembly()?;
                Ok(self.decl(DeclKind::Ignored, lo))
            }
            Tok::RBrace => {
                let span = self.token().span();
                self.error(span, "unmatched `}`")
            }
            _ => {
                let from = self.scratch.attributes.len();
                self.declaration(lo, from)
            }
        }
    }

    /// `asm volatile goto ("…" : … );` with the semicolon.
    pub(super) fn assembly(&mut self) -> Parse<()> {
        self.bump();
        while matches!(self.kind(), Tok::Volatile | Tok::Inline | Tok::Goto | Tok::Const) {
            self.bump();
        }
        if self.kind() != Tok::LParen {
            return self.missing(Tok::LParen, "after `asm`");
        }
        self.skip_balanced(Tok::LParen, Tok::RParen)?;
        self.expect(Tok::Semi, "after `asm`")
    }

    /// `_Static_assert(cond, "message");` with the semicolon.
    pub(super) fn static_assertion(&mut self) -> Parse<(ExprId, Option<StringId>)> {
        self.bump();
        let open = self.token();
        self.expect(Tok::LParen, "after `_Static_assert`")?;
        let cond = self.constant_expression()?;
        let message = if self.eat(Tok::Comma) { Some(self.string()?) } else { None };
        self.expect_closing(Tok::RParen, open)?;
        self.expect(Tok::Semi, "after `_Static_assert`")?;
        Ok((cond, message))
    }

    /// A declaration or function definition (inside a function: GNU). Attributes from `attributes` on stood before it.
    pub(super) fn declaration(&mut self, lo: u32, attributes: usize) -> Parse<DeclId> {
        while self.kind() == Tok::Extension && self.peek(1) == Tok::StaticAssert {
            self.bump();
        }
        if self.kind() == Tok::StaticAssert {
            let (cond, message) = self.static_assertion()?;
            return Ok(self.decl(DeclKind::StaticAssert { cond, message }, lo));
        }
        let start = self.at;
        let specs = self.specs(attributes)?;
        if let TypeSpec::Missing = self.ast.specs[specs].base {
            self.missing_type(specs, start)?;
        }
        if self.eat(Tok::Semi) {
            return Ok(self.decl(DeclKind::Variables { specs, declarators: List::EMPTY }, lo));
        }
        let is_typedef = self.ast.specs[specs].storage == Some(Storage::Typedef);
        let from = self.scratch.init_declarators.len();
        loop {
            let attributes = self.scratch.attributes.len();
            self.attributes()?;
            let start = self.lo();
            let declarator = self.declarator_after(Form::Named, attributes)?;
            let first = self.scratch.init_declarators.len() == from;
            if first && !is_typedef && self.begins_body(declarator) {
                return self.function(lo, specs, declarator);
            }
            if let Some(name) = self.ast.declarators[declarator].name {
                self.scopes.declare(name, is_typedef);
            }
            let init = if self.eat(Tok::Eq) { Some(self.initializer()?) } else { None };
            let span = self.since(start);
            self.scratch.init_declarators.push(InitDeclarator { declarator, init, span });
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.expect(Tok::Semi, "after declaration")?;
        let declarators = self.ast.list(&mut self.scratch.init_declarators, from);
        Ok(self.decl(DeclKind::Variables { specs, declarators }, lo))
    }

    /// No type was given: an implicit `int`, an unknown type, or no declaration at all.
    fn missing_type(&mut self, specs: SpecsId, start: usize) -> Parse<()> {
        match self.kind() {
            Tok::Word if matches!(self.peek(1), Tok::Word | Tok::Star | Tok::Const | Tok::Volatile) => {
                self.unknown_type(specs);
                Ok(())
            }
            Tok::Word | Tok::Star | Tok::LParen | Tok::Semi => Ok(()),
            _ if self.at > start => Ok(()),
            _ => self.expected("declaration"),
        }
    }

    /// Whether a function's body, or the parameter declarations of an old-style definition, stand here.
    fn begins_body(&self, declarator: DeclaratorId) -> bool {
        let Some(Part::Function { kind, .. }) = self.ast.get(self.ast.declarators[declarator].parts).first() else {
            return false;
        };
        match kind {
            _ if self.kind() == Tok::LBrace => true,
            ParamKind::Names(_) => self.starts_declaration(),
            _ => false,
        }
    }

    fn function(&mut self, lo: u32, specs: SpecsId, declarator: DeclaratorId) -> Parse<DeclId> {
        let Declarator { name, parts, .. } = self.ast.declarators[declarator];
        if let Some(name) = name {
            self.scopes.declare(name, false);
        }
        self.scopes.open();
        if let Some(Part::Function { params, kind }) = self.ast.get(parts).first().copied() {
            self.declare_parameters(params, kind);
        }
        let from = self.scratch.decls.len();
        while self.kind() != Tok::LBrace {
            let lo = self.lo();
            if !self.starts_declaration() {
                return self.missing(Tok::LBrace, "before function body").and(Err(Fail));
            }
            let attributes = self.scratch.attributes.len();
            let decl = self.declaration(lo, attributes)?;
            self.scratch.decls.push(decl);
        }
        let kr_params = self.ast.list(&mut self.scratch.decls, from);
        let body = self.block()?;
        self.scopes.close();
        Ok(self.decl(DeclKind::Function { specs, declarator, kr_params, body }, lo))
    }

    fn declare_parameters(&mut self, params: List<Param>, kind: ParamKind) {
        for param in self.ast.get(params) {
            if let Some(name) = self.ast.declarators[param.declarator].name {
                self.scopes.declare(name, false);
            }
        }
        if let ParamKind::Names(names) = kind {
            for name in self.ast.get(names) {
                self.scopes.declare(*name, false);
            }
        }
    }
}

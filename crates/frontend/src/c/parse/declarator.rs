//! Declarators: what stands around a name and makes pointers, arrays and functions of it.

use super::*;

/// Which declarators are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// With a name: variables, functions, members.
    Named,
    /// Without: type names.
    Abstract,
    /// Either: parameters.
    Either,
}

/// The name inside a declarator, with its place.
struct Core {
    name: Option<Symbol>,
    span: Span,
}

impl Parser<'_> {
    /// A declarator with the attributes and the assembler name after it.
    pub(super) fn declarator(&mut self, form: Form) -> Parse<DeclaratorId> {
        let attributes = self.scratch.attributes.len();
        self.declarator_after(form, attributes)
    }

    /// As [`Parser::declarator`], where attributes from `attributes` on of the scratch stack stood before it.
    pub(super) fn declarator_after(&mut self, form: Form, attributes: usize) -> Parse<DeclaratorId> {
        let lo = self.lo();
        let from = self.scratch.parts.len();
        let core = self.parts(form, from)?;
        let span = self.since(if self.lo() == lo { self.hi() } else { lo });
        if self.kind() == Tok::Asm && form == Form::Named {
            self.assembler_name()?;
        }
        self.attributes()?;
        let parts = self.ast.list(&mut self.scratch.parts, from);
        let attributes = self.ast.list(&mut self.scratch.attributes, attributes);
        Ok(self.ast.declarators.push(Declarator { name: core.name, name_span: core.span, parts, attributes, span }))
    }

    fn assembler_name(&mut self) -> Parse<()> {
        self.bump();
        if self.kind() != Tok::LParen {
            return self.missing(Tok::LParen, "after `asm`");
        }
        self.skip_balanced(Tok::LParen, Tok::RParen)
    }

    /// Pushes the parts from the name outwards: those of the declarator in parentheses, then suffixes, then pointers from the right.
    fn parts(&mut self, form: Form, from: usize) -> Parse<Core> {
        let pointers = self.scratch.pointers.len();
        loop {
            match self.kind() {
                Tok::Star => {
                    self.bump();
                    let quals = self.pointer_quals()?;
                    self.scratch.pointers.push(quals);
                }
                // Between parentheses and stars, and after a comma.
                Tok::Attribute => self.attributes()?,
                _ => break,
            }
        }
        let core = self.core(form, from)?;
        self.suffixes()?;
        while self.scratch.pointers.len() > pointers {
            if let Some(quals) = self.scratch.pointers.pop() {
                self.scratch.parts.push(Part::Pointer(quals));
            }
        }
        if self.scratch.parts.len() - from > MAX_DEPTH as usize {
            return self.too_deep();
        }
        Ok(core)
    }

    fn pointer_quals(&mut self) -> Parse<Quals> {
        let mut quals = Quals::default();
        loop {
            match self.kind() {
                Tok::Const => quals.is_const = true,
                Tok::Volatile => quals.is_volatile = true,
                Tok::Restrict => quals.is_restrict = true,
                Tok::Atomic => quals.is_atomic = true,
                Tok::Attribute => {
                    self.attributes()?;
                    continue;
                }
                _ => return Ok(quals),
            }
            self.bump();
        }
    }

    fn core(&mut self, form: Form, from: usize) -> Parse<Core> {
        let token = self.token();
        match token.kind {
            Tok::Word if form != Form::Abstract => {
                self.bump();
                Ok(Core { name: Some(token.symbol()), span: token.span() })
            }
            Tok::LParen if form == Form::Named || !self.opens_parameters() => {
                self.enter()?;
                self.bump();
                let core = self.parts(form, from)?;
                self.expect_closing(Tok::RParen, token)?;
                self.leave();
                Ok(core)
            }
            _ if form == Form::Named => self.expected("identifier"),
            _ => {
                let hi = self.hi();
                Ok(Core { name: None, span: Span { lo: hi, hi } })
            }
        }
    }

    /// Whether the `(` here, where an abstract declarator is allowed, begins parameters and not a declarator in parentheses.
    fn opens_parameters(&self) -> bool {
        let next = self.tokens[self.at + 1];
        match next.kind {
            Tok::RParen | Tok::Ellipsis => true,
            Tok::Word => self.scopes.is_type(next.symbol()),
            Tok::Star | Tok::LParen | Tok::LBracket | Tok::Attribute => false,
            _ => true,
        }
    }

    /// Arrays and parameters.
    fn suffixes(&mut self) -> Parse<()> {
        let from = self.scratch.parts.len();
        loop {
            let part = match self.kind() {
                Tok::LBracket if !self.starts_attribute() => self.array()?,
                Tok::LParen => self.parameters()?,
                _ => return Ok(()),
            };
            self.scratch.parts.push(part);
            if self.scratch.parts.len() - from > MAX_DEPTH as usize {
                return self.too_deep();
            }
        }
    }

    fn array(&mut self) -> Parse<Part> {
        let open = self.token();
        self.bump();
        // `[static const 3]`, in any order; the length says something to callers only.
        let mut quals = self.pointer_quals()?;
        if self.eat(Tok::Static) {
            let more = self.pointer_quals()?;
            quals.is_const |= more.is_const;
            quals.is_volatile |= more.is_volatile;
            quals.is_restrict |= more.is_restrict;
            quals.is_atomic |= more.is_atomic;
        }
        let star = self.kind() == Tok::Star && self.peek(1) == Tok::RBracket;
        let length = if star {
            self.bump();
            None
        } else if self.kind() == Tok::RBracket {
            None
        } else {
            Some(self.assignment()?)
        };
        self.expect_closing(Tok::RBracket, open)?;
        Ok(Part::Array { length, star, quals })
    }

    fn parameters(&mut self) -> Parse<Part> {
        self.enter()?;
        let open = self.token();
        self.bump();
        let part = match self.kind() {
            Tok::RParen => Part::Function { params: List::EMPTY, kind: ParamKind::Empty },
            Tok::Void if self.peek(1) == Tok::RParen => {
                self.bump();
                Part::Function { params: List::EMPTY, kind: ParamKind::Prototype { variadic: false } }
            }
            Tok::Word if !self.starts_type_name() && matches!(self.peek(1), Tok::Comma | Tok::RParen) => {
                let from = self.scratch.symbols.len();
                loop {
                    let name = self.name("parameter name")?;
                    self.scratch.symbols.push(name);
                    if !self.eat(Tok::Comma) {
                        break;
                    }
                }
                let names = self.ast.list(&mut self.scratch.symbols, from);
                Part::Function { params: List::EMPTY, kind: ParamKind::Names(names) }
            }
            _ => self.prototype()?,
        };
        self.expect_closing(Tok::RParen, open)?;
        self.leave();
        Ok(part)
    }

    fn prototype(&mut self) -> Parse<Part> {
        self.scopes.open();
        let from = self.scratch.params.len();
        let mut variadic = false;
        loop {
            if self.eat(Tok::Ellipsis) {
                variadic = true;
                break;
            }
            let param = self.parameter()?;
            self.scratch.params.push(param);
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.scopes.close();
        let params = self.ast.list(&mut self.scratch.params, from);
        Ok(Part::Function { params, kind: ParamKind::Prototype { variadic } })
    }

    fn parameter(&mut self) -> Parse<Param> {
        let lo = self.lo();
        let start = self.at;
        let from = self.scratch.attributes.len();
        let specs = self.specs(from)?;
        if let TypeSpec::Missing = self.ast.specs[specs].base {
            let named = self.kind() == Tok::Word;
            if named && !matches!(self.peek(1), Tok::Comma | Tok::RParen | Tok::LBracket) {
                self.unknown_type(specs);
            } else if self.at == start && named {
                // `int f(int a, b)`
                self.unknown_type(specs);
            } else if self.at == start {
                return self.expected("parameter declaration");
            }
        }
        let declarator = self.declarator(Form::Either)?;
        if let Some(name) = self.ast.declarators[declarator].name {
            self.scopes.declare(name, false);
        }
        Ok(Param { specs, declarator, span: self.since(lo) })
    }
}

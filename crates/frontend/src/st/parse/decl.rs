//! Declarations of variables and types.

use super::super::ast::{Edge, Expr, ExprKind, Name, TypeDecl, TypeExpr, TypeKind, VarBlock, VarClass, VarDecl};
use super::super::lex::Tok;
use super::Parser;
use base::Diagnostic;

/// The words that begin a block of variables.
pub(super) fn class_of(word: &str) -> Option<VarClass> {
    Some(match word {
        "VAR" | "VAR_STAT" | "VAR_INST" => VarClass::Local,
        "VAR_INPUT" => VarClass::Input,
        "VAR_OUTPUT" => VarClass::Output,
        "VAR_IN_OUT" => VarClass::InOut,
        "VAR_TEMP" => VarClass::Temp,
        "VAR_GLOBAL" | "VAR_CONFIG" => VarClass::Global,
        "VAR_EXTERNAL" => VarClass::External,
        _ => return None,
    })
}

impl Parser<'_> {
    /// At the first word of a block.
    pub(super) fn var_block(&mut self, class: VarClass) -> VarBlock {
        self.next();
        let mut constant = self.accept("CONSTANT");
        const WORDS: &[&str] =
            &["RETAIN", "NON_RETAIN", "PERSISTENT", "PUBLIC", "PRIVATE", "PROTECTED", "INTERNAL", "DB_SPECIFIC"];
        while let Some(word) = WORDS.iter().find(|word| self.is_word(word)) {
            // A variable can have such a name.
            if matches!(self.peek_at(1).word, ":" | ",") {
                break;
            }
            self.accept_word(word);
            constant |= self.accept("CONSTANT");
        }
        let mut vars = Vec::new();
        while !self.is("END_VAR") && self.peek().tok != Tok::End {
            // Siemens: `BEGIN` ends declarations; some files forget `END_VAR` before it.
            if self.is("BEGIN") {
                let warning = Diagnostic::warning(self.end_of_last(), "`END_VAR` is missing");
                self.diagnostics.push(warning);
                return VarBlock { class, constant, vars };
            }
            if class_of(self.peek().word).is_some() {
                self.expected("`END_VAR`");
                return VarBlock { class, constant, vars };
            }
            let before = self.at;
            self.declaration(&mut vars);
            if self.at == before {
                self.expected("a declaration");
                self.next();
            }
        }
        self.expect("END_VAR");
        self.accept(";");
        VarBlock { class, constant, vars }
    }

    /// `a, b AT %IX0.0 : T := init;`
    pub(super) fn declaration(&mut self, vars: &mut Vec<VarDecl>) {
        if self.accept(";") {
            return;
        }
        let mut names: Vec<(Name, Option<Name>)> = Vec::new();
        loop {
            let name = match self.peek().tok {
                // `AT %I*: BOOL` without a name.
                Tok::Word if self.is("AT") => Some(Name { text: String::new(), span: self.peek().span }),
                Tok::Word if self.is("MOD") => {
                    let token = self.next();
                    Some(Name { text: self.text_of(token.span), span: token.span })
                }
                _ => self.name(),
            };
            let Some(name) = name else { return self.recover_declaration() };
            let mut address = None;
            if self.accept("AT") {
                let token = self.next();
                address = Some(Name { text: self.text_of(token.span), span: token.span });
            }
            names.push((name, address));
            if !self.accept(",") {
                break;
            }
        }
        if !self.expect(":") {
            return self.recover_declaration();
        }
        let ty = self.type_expr();
        let edge = match (self.accept_word("R_EDGE"), self.accept_word("F_EDGE")) {
            (true, _) => Some(Edge::Rising),
            (_, true) => Some(Edge::Falling),
            _ => None,
        };
        let init = (self.accept(":=") || self.accept("=")).then(|| self.initial_value(&ty));
        for (name, address) in names {
            vars.push(VarDecl { name, ty: ty.clone(), init: init.clone(), address, edge });
        }
        if !self.accept(";") && !self.is("END_VAR") && !self.is("END_STRUCT") && !self.is("END_UNION") {
            let at = self.end_of_last();
            self.error(at, "a semicolon is missing here");
            self.recover_declaration();
        }
    }

    fn recover_declaration(&mut self) {
        while self.peek().tok != Tok::End && !self.is("END_VAR") && !self.is("END_STRUCT") && !self.ends_statements() {
            if self.accept(";") {
                return;
            }
            self.next();
        }
    }

    /// The value behind `:=`. CoDeSys 2.3 writes the elements of arrays without brackets.
    pub(super) fn initial_value(&mut self, ty: &TypeExpr) -> Expr {
        let first = self.initial_element();
        let is_list = matches!(ty.kind, TypeKind::Array(..)) && !matches!(first.kind, ExprKind::List(_));
        if !is_list {
            return first;
        }
        let start = first.span;
        let mut elements = vec![self.repeated(first)];
        while self.accept(",") {
            let next = self.initial_element();
            elements.push(self.repeated(next));
        }
        let span = start.to(self.end_of_last());
        Expr { kind: ExprKind::List(elements), span }
    }

    /// `3(0)`: so many times.
    fn repeated(&mut self, first: Expr) -> (Option<Expr>, Expr) {
        if !self.accept("(") {
            return (None, first);
        }
        let value = if self.is(")") { self.bad(first.span) } else { self.initial_element() };
        let start = value.span;
        let mut values = vec![(None, value.clone())];
        while self.accept(",") {
            let next = self.initial_element();
            values.push(self.repeated(next));
        }
        self.expect(")");
        match values.len() {
            1 => (Some(first), value),
            _ => (Some(first), Expr { kind: ExprKind::List(values), span: start.to(self.end_of_last()) }),
        }
    }

    fn initial_element(&mut self) -> Expr {
        let start = self.peek().span;
        let otherwise = self.bad(start);
        self.deeper(otherwise, |parser| parser.initial_element_inner())
    }

    fn initial_element_inner(&mut self) -> Expr {
        let start = self.peek().span;
        if self.accept("[") {
            let mut elements = Vec::new();
            while !self.is("]") && self.peek().tok != Tok::End {
                let first = self.initial_element();
                elements.push(self.repeated(first));
                if !self.accept(",") {
                    break;
                }
            }
            self.expect("]");
            let span = start.to(self.end_of_last());
            return Expr { kind: ExprKind::List(elements), span };
        }
        let is_record = self.is("(") && self.peek_at(2).word == ":=";
        if !is_record {
            return self.expr();
        }
        self.next();
        let mut members = Vec::new();
        while let Some(name) = self.name() {
            self.expect(":=");
            let value = self.initial_element();
            members.push((name, value));
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")");
        let span = start.to(self.end_of_last());
        Expr { kind: ExprKind::Record(members), span }
    }

    pub(super) fn type_expr(&mut self) -> TypeExpr {
        let start = self.peek().span;
        let otherwise = TypeExpr { kind: TypeKind::Unsupported("this type"), span: start };
        self.deeper(otherwise, |parser| parser.type_inner())
    }

    fn type_inner(&mut self) -> TypeExpr {
        let start = self.peek();
        let kind = match start.word {
            "ARRAY" => self.array_type(),
            "STRUCT" => TypeKind::Struct(self.members("END_STRUCT")),
            "UNION" => TypeKind::Union(self.members("END_UNION")),
            "POINTER" => {
                self.next();
                self.expect("TO");
                TypeKind::Pointer(Box::new(self.type_expr()))
            }
            "REF_TO" => {
                self.next();
                TypeKind::Pointer(Box::new(self.type_expr()))
            }
            "REFERENCE" => {
                self.next();
                self.expect("TO");
                self.type_expr();
                TypeKind::Unsupported("REFERENCE")
            }
            "(" => self.enumeration(None),
            _ => self.named_type(),
        };
        TypeExpr { kind, span: start.span.to(self.end_of_last()) }
    }

    /// What stands between the first word of a structure and its last one.
    fn members(&mut self, end: &str) -> Vec<VarDecl> {
        self.next();
        let mut members = Vec::new();
        while !self.is(end) && self.peek().tok != Tok::End && !self.ends_outer() {
            let before = self.at;
            self.declaration(&mut members);
            if self.at == before {
                self.expected("a member");
                self.next();
            }
        }
        self.expect(end);
        members
    }

    /// Siemens: `CONST name := value; END_CONST`, at the first word.
    pub(super) fn constants(&mut self) -> VarBlock {
        self.next();
        let mut vars = Vec::new();
        while !self.is("END_CONST") && self.peek().tok != Tok::End && !self.ends_outer() {
            if self.accept(";") {
                continue;
            }
            let Some(name) = self.name() else { break };
            self.expect(":=");
            let init = self.expr();
            let ty = TypeExpr { kind: TypeKind::Inferred, span: name.span };
            vars.push(VarDecl { name, ty, init: Some(init), address: None, edge: None });
            if !self.is("END_CONST") {
                self.expect(";");
            }
        }
        self.expect("END_CONST");
        self.accept(";");
        VarBlock { class: VarClass::Local, constant: true, vars }
    }

    fn ends_outer(&self) -> bool {
        matches!(self.peek().word, "END_TYPE" | "END_VAR" | "FUNCTION" | "FUNCTION_BLOCK" | "PROGRAM")
    }

    fn array_type(&mut self) -> TypeKind {
        self.next();
        let mut dimensions = Vec::new();
        if self.expect("[") {
            loop {
                if self.accept("*") {
                    self.accept("]");
                    self.accept("OF");
                    self.type_expr();
                    return TypeKind::Unsupported("ARRAY of any length");
                }
                let low = self.expr();
                self.expect("..");
                let high = self.expr();
                dimensions.push((low, high));
                if !self.accept(",") {
                    break;
                }
            }
            self.expect("]");
        }
        self.expect("OF");
        TypeKind::Array(dimensions, Box::new(self.type_expr()))
    }

    fn enumeration(&mut self, base: Option<TypeExpr>) -> TypeKind {
        self.next();
        let mut values = Vec::new();
        while let Some(name) = self.name() {
            let value = (self.accept(":=") || self.accept("=")).then(|| self.expr());
            values.push((name, value));
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")");
        let behind = (base.is_none() && self.is_name()).then(|| self.type_expr());
        TypeKind::Enum(values, base.or(behind).map(Box::new))
    }

    fn named_type(&mut self) -> TypeKind {
        let Some(name) = self.name() else { return TypeKind::Unsupported("this type") };
        if name.key() == "STRING" || name.key() == "WSTRING" {
            let close = match self.peek().word {
                "[" => "]",
                "(" => ")",
                _ => return TypeKind::String(None, name.key() == "WSTRING"),
            };
            self.next();
            let length = self.expr();
            self.expect(close);
            return TypeKind::String(Some(Box::new(length)), name.key() == "WSTRING");
        }
        if self.is("(") {
            // A subrange, or an enumeration with its base.
            if self.is_name_at(1) && matches!(self.peek_at(2).word, "," | ")" | ":=") {
                let span = name.span;
                return self.enumeration(Some(TypeExpr { kind: TypeKind::Named(name), span }));
            }
            self.next();
            let low = self.expr();
            self.expect("..");
            let high = self.expr();
            self.expect(")");
            return TypeKind::Subrange(name, Box::new((low, high)));
        }
        TypeKind::Named(name)
    }

    fn is_name_at(&self, ahead: usize) -> bool {
        let token = self.peek_at(ahead);
        token.tok == Tok::Quoted || token.tok == Tok::Word && token.word.is_empty()
    }

    /// At `TYPE`.
    pub(super) fn types(&mut self, found: &mut Vec<TypeDecl>) {
        self.next();
        while !self.is("END_TYPE") && self.peek().tok != Tok::End && !self.is("FUNCTION_BLOCK") && !self.is("PROGRAM") {
            if self.accept(";") {
                continue;
            }
            let Some(name) = self.name() else {
                while !matches!(self.peek().word, ";" | "END_TYPE") && self.peek().tok != Tok::End {
                    self.next();
                }
                continue;
            };
            // Siemens leaves the colon out, and puts the version before the structure.
            if !self.accept(":") {
                if self.is_word("VERSION") {
                    self.next();
                    self.accept(":");
                    self.next();
                } else if !self.is("STRUCT") {
                    self.expected("`:`");
                }
            }
            if self.is_word("VERSION") {
                self.next();
                self.accept(":");
                self.next();
            }
            let ty = self.type_expr();
            let init = self.accept(":=").then(|| self.initial_value(&ty));
            found.push(TypeDecl { name, ty, init });
            if !self.accept(";") && !self.is("END_TYPE") && !self.is_name() {
                let at = self.end_of_last();
                self.error(at, "a semicolon is missing here");
                while !matches!(self.peek().word, ";" | "END_TYPE") && self.peek().tok != Tok::End {
                    self.next();
                }
            }
        }
        self.expect("END_TYPE");
        self.accept(";");
    }
}

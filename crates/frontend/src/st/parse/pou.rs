//! Program organization units, and what stands around them.

use super::super::ast::{Name, Pou, PouKind, RunsProgram, Stmt, StmtKind, Task, TypeKind, Unit, VarBlock, VarClass};
use super::super::lex::Tok;
use super::decl::class_of;
use super::{Dialect, Parser};
use base::Diagnostic;

const CHART: &str = "sequential function chart";

impl Parser<'_> {
    pub(super) fn unit(&mut self) -> Unit {
        let mut unit = Unit::default();
        loop {
            let token = self.peek();
            let kind = match (token.tok, token.word) {
                (Tok::End, _) => return unit,
                (_, "FUNCTION") => Some(PouKind::Function),
                // A class is a function block without a body.
                (_, "FUNCTION_BLOCK" | "CLASS") => Some(PouKind::FunctionBlock),
                (_, "PROGRAM") => Some(PouKind::Program),
                (_, "ORGANIZATION_BLOCK") => Some(PouKind::OrganizationBlock),
                (_, "DATA_BLOCK") => Some(PouKind::DataBlock),
                _ => None,
            };
            let before = self.at;
            match token.word {
                _ if kind.is_some() => {
                    if let Some(pou) = kind.and_then(|kind| self.pou(kind, &mut unit)) {
                        unit.pous.push(pou);
                    }
                }
                "ACTIONS" => self.actions(&mut unit),
                "NAMESPACE" => {
                    // What it declares has its name without that of the namespace.
                    self.next();
                    self.name();
                    while self.accept(".") {
                        self.name();
                    }
                    self.accept(";");
                }
                "END_NAMESPACE" => drop(self.next()),
                "TYPE" => self.types(&mut unit.types),
                "VAR_GLOBAL" => unit.globals.push(self.var_block(VarClass::Global)),
                "VAR_CONFIG" => self.var_config(),
                "CONFIGURATION" => self.configuration(&mut unit),
                "INTERFACE" => self.interface(&mut unit),
                ";" => drop(self.next()),
                _ => {
                    self.expected("a program, function block, function or type");
                    self.skip_to_unit();
                }
            }
            if self.at == before {
                self.next();
            }
        }
    }

    fn skip_to_unit(&mut self) {
        const BEGIN: &[&str] = &[
            "FUNCTION",
            "FUNCTION_BLOCK",
            "PROGRAM",
            "ORGANIZATION_BLOCK",
            "DATA_BLOCK",
            "TYPE",
            "VAR_GLOBAL",
            "CONFIGURATION",
            "CLASS",
            "INTERFACE",
            "ACTIONS",
            "NAMESPACE",
            "END_NAMESPACE",
        ];
        self.next();
        while self.peek().tok != Tok::End && !BEGIN.contains(&self.peek().word) {
            self.next();
        }
    }

    /// What is read over: variables of such a type are not supported.
    fn interface(&mut self, unit: &mut Unit) {
        self.next();
        unit.interfaces.extend(self.name());
        while self.peek().tok != Tok::End && !self.accept("END_INTERFACE") {
            self.next();
        }
    }

    /// `ACTIONS block ACTION … END_ACTION END_ACTIONS`, at the first word.
    fn actions(&mut self, unit: &mut Unit) {
        self.next();
        let Some(owner) = self.name() else { return };
        while self.is("ACTION") {
            self.member(PouKind::Action, &owner, unit);
        }
        self.expect("END_ACTIONS");
    }

    /// Words before the name of a block or method that say who sees it and who may extend it.
    fn modifiers(&mut self) {
        const WORDS: &[&str] = &["PUBLIC", "PRIVATE", "PROTECTED", "INTERNAL", "FINAL", "ABSTRACT", "OVERRIDE"];
        while WORDS.iter().any(|word| self.is_word(word)) {
            let behind = self.peek_at(1);
            if behind.tok != Tok::Quoted && !(behind.tok == Tok::Word && behind.word.is_empty()) {
                return;
            }
            self.next();
        }
    }

    /// A method or action of a block, at the first word.
    fn member(&mut self, kind: PouKind, owner: &Name, unit: &mut Unit) {
        let start = self.next().span;
        self.modifiers();
        let Some(name) = self.name() else { return };
        let result = match (kind, self.accept(":")) {
            (PouKind::Method, true) => Some(self.type_expr()),
            _ => None,
        };
        self.accept(";");
        let (mut blocks, mut body) = (Vec::new(), Vec::new());
        while let Some(class) = class_of(self.peek().word) {
            if self.is("VAR_INST") {
                body.push(Stmt { kind: StmtKind::Unsupported("VAR_INST"), span: self.peek().span });
            }
            blocks.push(self.var_block(class));
        }
        body.extend(self.statements());
        self.expect(&format!("END_{}", kind.word()));
        self.accept(";");
        let span = start.to(self.end_of_last());
        let (is_library, is_export) = (self.dialect == Dialect::Library, self.dialect == Dialect::Export);
        let is_scl = self.dialect == Dialect::Scl;
        let owner = Some(owner.clone());
        let (instance_of, base) = (None, None);
        unit.pous.push(Pou {
            kind,
            name,
            result,
            blocks,
            body,
            span,
            is_library,
            is_export,
            is_scl,
            instance_of,
            owner,
            base,
        });
    }

    fn pou(&mut self, kind: PouKind, unit: &mut Unit) -> Option<Pou> {
        let is_class = self.is("CLASS");
        let start = self.next().span;
        self.modifiers();
        let Some(name) = self.name() else {
            self.skip_to_unit();
            return None;
        };
        let mut blocks = Vec::new();
        let mut result = None;
        let mut instance_of = None;
        let mut base = None;
        let mut body = Vec::new();
        if self.accept(":") {
            result = Some(self.type_expr());
        }
        while matches!(self.peek().word, "EXTENDS" | "IMPLEMENTS") {
            let extends = self.next().word == "EXTENDS";
            let named = self.name();
            base = if extends { named } else { base };
            while self.accept(",") {
                self.name();
            }
        }
        if kind != PouKind::Function || result.is_none() {
            self.accept(";");
        }
        self.attributes();
        let end = if is_class { "END_CLASS".into() } else { format!("END_{}", kind.word()) };
        loop {
            let token = self.peek();
            if self.accept("END_VAR") {
                // Of a block whose end was missing.
                continue;
            }
            match token.word {
                "VAR_GLOBAL" => blocks.push(self.var_block(VarClass::External)),
                "CONST" => blocks.push(self.constants()),
                "LABEL" => {
                    while self.peek().tok != Tok::End && !self.accept("END_LABEL") {
                        self.next();
                    }
                    self.accept(";");
                }
                word if class_of(word).is_some() => {
                    let class = class_of(word).unwrap_or(VarClass::Local);
                    blocks.push(self.var_block(class));
                }
                "STRUCT" if kind == PouKind::DataBlock => {
                    let ty = self.type_expr();
                    self.accept(";");
                    if let TypeKind::Struct(vars) = ty.kind {
                        blocks.push(VarBlock { class: VarClass::Global, constant: false, vars });
                    }
                }
                _ if kind == PouKind::DataBlock && self.is_name() && blocks.is_empty() && body.is_empty() => {
                    instance_of = self.name();
                    self.accept(";");
                }
                _ => break,
            }
        }
        if self.accept("BEGIN") {
            self.accept(";");
        }
        let known = body.len();
        body.extend(self.body(&name, unit));
        let has_end = self.accept(&end);
        if !has_end {
            self.missing_end(&end, &name, body.len() > known || !blocks.is_empty());
        }
        self.accept(";");
        let span = start.to(self.end_of_last());
        let is_library = self.dialect == Dialect::Library;
        let is_export = self.dialect == Dialect::Export;
        let is_scl = self.dialect == Dialect::Scl;
        let owner = None;
        Some(Pou { kind, name, result, blocks, body, span, is_library, is_export, is_scl, instance_of, owner, base })
    }

    /// At the end of a file it is clear where a unit ends; elsewhere something is wrong.
    fn missing_end(&mut self, end: &str, name: &Name, complete: bool) {
        if self.peek().tok == Tok::End && complete && !self.has_errors() {
            let warning = Diagnostic::warning(self.end_of_last(), format!("`{end}` is missing"))
                .note(name.span, "of what begins here");
            self.diagnostics.push(warning);
            return;
        }
        self.expected(&format!("`{end}`"));
        while self.peek().tok != Tok::End && !self.accept(end) {
            if matches!(self.peek().word, "FUNCTION" | "FUNCTION_BLOCK" | "PROGRAM" | "TYPE") {
                return;
            }
            self.next();
        }
    }

    /// Siemens: `VERSION : 0.1`, `TITLE = …`, and the like.
    fn attributes(&mut self) {
        const WORDS: &[&str] =
            &["VERSION", "TITLE", "AUTHOR", "FAMILY", "NAME", "KNOW_HOW_PROTECT", "NON_RETAIN", "OPTIMIZED_ACCESS"];
        while let Some(word) = WORDS.iter().find(|word| self.is_word(word)) {
            if !matches!(self.peek_at(1).word, ":" | "=") {
                if matches!(*word, "KNOW_HOW_PROTECT" | "NON_RETAIN") {
                    self.next();
                    continue;
                }
                return;
            }
            self.next();
            self.next();
            // A version may be written as `0.1`, a title as words of one line.
            let line = self.peek().span.lo;
            let newline = self.text[(line - self.base) as usize..].iter().position(|byte| *byte == b'\n');
            let end = newline.map_or(u32::MAX, |newline| line + newline as u32);
            while self.peek().span.lo < end && self.peek().tok != Tok::End {
                self.next();
            }
        }
    }

    /// Statements, and what stands beside them or in their place: methods and actions, steps of a sequential function chart, bodies in other languages.
    fn body(&mut self, owner: &Name, unit: &mut Unit) -> Vec<Stmt> {
        let mut body = Vec::new();
        let rest = self.tokens[self.at..].iter().map(|token| token.word);
        let mut unit_rest =
            rest.take_while(|word| !matches!(*word, "END_PROGRAM" | "END_FUNCTION_BLOCK" | "END_CLASS"));
        let is_chart = unit_rest.any(|word| matches!(word, "INITIAL_STEP" | "STEP"));
        loop {
            let token = self.peek();
            let skipped = match token.word {
                "INITIAL_STEP" | "STEP" => (CHART, "END_STEP"),
                "TRANSITION" => (CHART, "END_TRANSITION"),
                // What a chart does is not supported, and nothing of it is of interest.
                "ACTION" if is_chart => (CHART, "END_ACTION"),
                "ACTION" => {
                    self.member(PouKind::Action, owner, unit);
                    continue;
                }
                "METHOD" => {
                    self.member(PouKind::Method, owner, unit);
                    continue;
                }
                "PROPERTY" => ("property of a function block", "END_PROPERTY"),
                _ if self.is_word("_FBD_BODY") || self.is_word("_LD_BODY") || self.is_word("_IL_BODY") => {
                    body.push(Stmt { kind: StmtKind::Unsupported("body in another language"), span: token.span });
                    while self.peek().tok != Tok::End && !self.peek().word.starts_with("END_") {
                        self.next();
                    }
                    continue;
                }
                _ => {
                    let before = self.at;
                    body.extend(self.statements());
                    if self.at == before {
                        return body;
                    }
                    continue;
                }
            };
            let (what, end) = skipped;
            // A chart decides what runs; a property runs only where it is named, and there it is not declared.
            if what == CHART {
                body.push(Stmt { kind: StmtKind::Unsupported(what), span: token.span });
            } else {
                let message = format!("{what} is not supported: it is left out, and calls of it are errors");
                self.diagnostics.push(Diagnostic::warning(token.span, message));
            }
            while self.peek().tok != Tok::End && !self.accept(end) {
                self.next();
            }
            self.accept(";");
        }
    }

    /// What runs, and the variables of the configuration.
    fn configuration(&mut self, unit: &mut Unit) {
        while self.peek().tok != Tok::End && !self.accept("END_CONFIGURATION") {
            match self.peek().word {
                "VAR_GLOBAL" => unit.globals.push(self.var_block(VarClass::Global)),
                "VAR_CONFIG" => self.var_config(),
                "PROGRAM" => self.runs_program(unit),
                _ if self.is_word("VAR_ACCESS") => {
                    // Names for other devices.
                    while self.peek().tok != Tok::End && !self.accept("END_VAR") {
                        self.next();
                    }
                }
                _ if self.is_word("TASK") => self.task(unit),
                _ => drop(self.next()),
            }
        }
        self.accept(";");
    }

    fn runs_program(&mut self, unit: &mut Unit) {
        self.next();
        if self.is_word("RETAIN") || self.is_word("NON_RETAIN") {
            self.next();
        }
        let Some(instance) = self.name() else { return };
        let task = if self.accept_word("WITH") { self.name() } else { None };
        if !self.expect(":") {
            return;
        }
        let Some(program) = self.name() else { return };
        let args = if self.accept("(") { self.args() } else { Vec::new() };
        unit.programs.push(RunsProgram { instance, task, program, args });
        self.expect(";");
    }

    /// `TASK name(INTERVAL := T#20ms, PRIORITY := 1);`
    fn task(&mut self, unit: &mut Unit) {
        self.next();
        let Some(name) = self.name() else { return };
        let args = if self.accept("(") { self.args() } else { Vec::new() };
        let named = |wanted: &str| args.iter().find(|arg| arg.name.as_ref().is_some_and(|name| name.key() == wanted));
        let value = named("INTERVAL").and_then(|arg| arg.value.as_ref());
        let interval = value.map_or(String::new(), |value| self.text_of(value.span).replace(' ', ""));
        unit.tasks.push(Task { name, interval, single: named("SINGLE").is_some() });
        self.accept(";");
    }

    /// `VAR_CONFIG program.variable AT %IX0.0 : BOOL; END_VAR`: where variables `AT %I*` are. Only what begins with a value would change what runs.
    fn var_config(&mut self) {
        self.next();
        while self.peek().tok != Tok::End && !self.accept("END_VAR") {
            if self.is(":=") {
                let span = self.peek().span;
                self.error(span, "initial values in VAR_CONFIG are not supported");
            }
            self.next();
        }
        self.accept(";");
    }
}

//! Program organization units, and what stands around them.

use super::super::ast::{Name, Pou, PouKind, RunsProgram, Stmt, StmtKind, TypeKind, Unit, VarBlock, VarClass};
use super::super::lex::Tok;
use super::decl::class_of;
use super::{Dialect, Parser};
use base::Diagnostic;

impl Parser<'_> {
    pub(super) fn unit(&mut self) -> Unit {
        let mut unit = Unit::default();
        loop {
            let token = self.peek();
            let kind = match (token.tok, token.word) {
                (Tok::End, _) => return unit,
                (_, "FUNCTION") => Some(PouKind::Function),
                (_, "FUNCTION_BLOCK") => Some(PouKind::FunctionBlock),
                (_, "PROGRAM") => Some(PouKind::Program),
                (_, "ORGANIZATION_BLOCK") => Some(PouKind::OrganizationBlock),
                (_, "DATA_BLOCK") => Some(PouKind::DataBlock),
                _ => None,
            };
            let before = self.at;
            match token.word {
                _ if kind.is_some() => {
                    if let Some(pou) = kind.and_then(|kind| self.pou(kind)) {
                        unit.pous.push(pou);
                    }
                }
                "TYPE" => self.types(&mut unit.types),
                "VAR_GLOBAL" | "VAR_CONFIG" => unit.globals.push(self.var_block(VarClass::Global)),
                "CONFIGURATION" => self.configuration(&mut unit),
                "CLASS" => self.not_supported(&mut unit, "CLASS", "END_CLASS"),
                "INTERFACE" => self.not_supported(&mut unit, "INTERFACE", "END_INTERFACE"),
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
        ];
        self.next();
        while self.peek().tok != Tok::End && !BEGIN.contains(&self.peek().word) {
            self.next();
        }
    }

    /// What is read over: variables of such a type are not supported.
    fn not_supported(&mut self, unit: &mut Unit, what: &str, end: &str) {
        let span = self.next().span;
        unit.classes.extend(self.name());
        self.diagnostics.push(Diagnostic::warning(span, format!("{what} is not supported: it is left out")));
        while self.peek().tok != Tok::End && !self.accept(end) {
            self.next();
        }
    }

    fn pou(&mut self, kind: PouKind) -> Option<Pou> {
        let start = self.next().span;
        let Some(name) = self.name() else {
            self.skip_to_unit();
            return None;
        };
        let mut blocks = Vec::new();
        let mut result = None;
        let mut instance_of = None;
        let mut body = Vec::new();
        if self.accept(":") {
            result = Some(self.type_expr());
        }
        while matches!(self.peek().word, "EXTENDS" | "IMPLEMENTS") {
            let span = self.next().span;
            body.push(Stmt { kind: StmtKind::Unsupported("inheritance of function blocks"), span });
            self.name();
            while self.accept(",") {
                self.name();
            }
        }
        if kind != PouKind::Function || result.is_none() {
            self.accept(";");
        }
        self.attributes();
        let end = format!("END_{}", kind.word());
        loop {
            let token = self.peek();
            if self.accept("END_VAR") {
                // Of a block whose end was missing.
                continue;
            }
            match token.word {
                "VAR_GLOBAL" => blocks.push(self.var_block(VarClass::External)),
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
        body.extend(self.body());
        let has_end = self.accept(&end);
        if !has_end {
            self.missing_end(&end, &name, body.len() > known || !blocks.is_empty());
        }
        self.accept(";");
        let span = start.to(self.end_of_last());
        let is_library = self.dialect == Dialect::Library;
        let is_export = self.dialect == Dialect::Export;
        Some(Pou { kind, name, result, blocks, body, span, is_library, is_export, instance_of })
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

    /// Statements, or what stands in their place: steps of a sequential function chart, methods and actions, bodies in other languages.
    fn body(&mut self) -> Vec<Stmt> {
        let mut body = Vec::new();
        loop {
            let token = self.peek();
            let skipped = match token.word {
                "INITIAL_STEP" | "STEP" => ("sequential function chart", "END_STEP"),
                "TRANSITION" => ("sequential function chart", "END_TRANSITION"),
                "ACTION" => ("action", "END_ACTION"),
                "METHOD" => ("method", "END_METHOD"),
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
            // A chart decides what runs; actions and methods run only where they are named, and there they are not declared.
            if what == "sequential function chart" {
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
                "VAR_GLOBAL" | "VAR_CONFIG" => unit.globals.push(self.var_block(VarClass::Global)),
                "PROGRAM" => {
                    self.next();
                    let Some(instance) = self.name() else { continue };
                    if self.accept_word("WITH") {
                        self.name();
                    }
                    if !self.expect(":") {
                        continue;
                    }
                    let Some(program) = self.name() else { continue };
                    unit.tasks.push(RunsProgram { instance, program });
                    while self.peek().tok != Tok::End && !self.accept(";") {
                        self.next();
                    }
                }
                _ => drop(self.next()),
            }
        }
        self.accept(";");
    }
}

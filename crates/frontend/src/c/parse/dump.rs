//! A tree as an s-expression, one external declaration a line: for golden tests and for looking at.
//!
//! Types stand in angle brackets and are read from the name outwards: `int *a[3]` is `a <[3] * int>`.

use super::super::ast::*;
use base::{Interner, Symbol};
use std::fmt::Write;

/// The whole translation unit.
pub fn dump(ast: &Ast, names: &Interner) -> String {
    let mut dumper = Dumper { ast, names, out: String::new() };
    for item in &ast.items {
        dumper.decl(*item);
        dumper.out.push('\n');
    }
    dumper.out
}

pub fn dump_expression(ast: &Ast, names: &Interner, expr: ExprId) -> String {
    let mut dumper = Dumper { ast, names, out: String::new() };
    dumper.expr(expr);
    dumper.out
}

struct Dumper<'a> {
    ast: &'a Ast,
    names: &'a Interner,
    out: String,
}

/// Appends; writing to a string cannot fail.
macro_rules! put {
    ($dumper:expr, $($arg:tt)*) => {{
        let _ = write!($dumper.out, $($arg)*);
    }};
}

impl Dumper<'_> {
    fn name(&mut self, name: Symbol) {
        self.out.push_str(self.names.resolve(name));
    }

    fn decl(&mut self, decl: DeclId) {
        match self.ast.decls[decl].kind {
            DeclKind::Variables { specs, declarators } if declarators.is_empty() => {
                self.out.push_str("(declare <");
                self.specs(specs);
                self.out.push_str(">)");
            }
            DeclKind::Variables { specs, declarators } => {
                for (index, item) in self.ast.get(declarators).iter().enumerate() {
                    self.out.push_str(if index == 0 { "(var " } else { " (var " });
                    self.declared(specs, item.declarator);
                    if let Some(init) = item.init {
                        self.out.push(' ');
                        self.init(init);
                    }
                    self.out.push(')');
                }
            }
            DeclKind::Function { specs, declarator, kr_params, body } => {
                self.out.push_str("(function ");
                self.declared(specs, declarator);
                for param in self.ast.get(kr_params) {
                    self.out.push(' ');
                    self.decl(*param);
                }
                self.out.push(' ');
                self.stmt(body);
                self.out.push(')');
            }
            DeclKind::StaticAssert { cond, .. } => self.node("static-assert", &[cond]),
            DeclKind::Ignored => self.out.push_str("(ignored)"),
            DeclKind::Error => self.out.push_str("(error)"),
        }
    }

    /// `name <type>`
    fn declared(&mut self, specs: SpecsId, declarator: DeclaratorId) {
        if let Some(name) = self.ast.declarators[declarator].name {
            self.name(name);
            self.out.push(' ');
        }
        self.out.push('<');
        for part in self.ast.get(self.ast.declarators[declarator].parts) {
            self.part(*part);
            self.out.push(' ');
        }
        self.specs(specs);
        self.attributes(self.ast.declarators[declarator].attributes);
        self.out.push('>');
    }

    fn part(&mut self, part: Part) {
        match part {
            Part::Pointer(quals) => {
                self.out.push('*');
                self.quals(quals);
            }
            Part::Array { length, star, .. } => {
                self.out.push('[');
                if let Some(length) = length {
                    self.expr(length);
                }
                self.out.push_str(if star { "*]" } else { "]" });
            }
            Part::Function { params, kind } => {
                self.out.push('(');
                for (index, param) in self.ast.get(params).iter().enumerate() {
                    self.out.push_str(if index > 0 { ", " } else { "" });
                    self.declared(param.specs, param.declarator);
                }
                match kind {
                    ParamKind::Prototype { variadic } => self.out.push_str(if variadic { ", ..." } else { "" }),
                    ParamKind::Empty => self.out.push('?'),
                    ParamKind::Names(names) => {
                        self.out.push_str("names");
                        for name in self.ast.get(names) {
                            self.out.push(' ');
                            self.name(*name);
                        }
                    }
                }
                self.out.push(')');
            }
        }
    }

    fn quals(&mut self, quals: Quals) {
        let Quals { is_const, is_volatile, is_restrict, is_atomic } = quals;
        let all = [(is_const, "const"), (is_volatile, "volatile"), (is_restrict, "restrict"), (is_atomic, "atomic")];
        for (set, text) in all {
            if set {
                put!(self, "{text} ");
            }
        }
    }

    fn attributes(&mut self, attributes: List<Attribute>) {
        for attribute in self.ast.get(attributes) {
            self.out.push_str(" @");
            match *attribute {
                Attribute::Packed => self.out.push_str("packed"),
                Attribute::Aligned(None) => self.out.push_str("aligned"),
                Attribute::Aligned(Some(value)) => self.node("aligned", &[value]),
                Attribute::AlignedAs(ty) => {
                    self.out.push_str("aligned");
                    self.type_name(ty);
                }
                Attribute::Mode(name) => {
                    self.out.push_str("mode-");
                    self.name(name);
                }
                Attribute::VectorSize => self.out.push_str("vector_size"),
                Attribute::Weak => self.out.push_str("weak"),
                Attribute::Noreturn => self.out.push_str("noreturn"),
                Attribute::TransparentUnion => self.out.push_str("transparent_union"),
                Attribute::Constructor => self.out.push_str("constructor"),
                Attribute::Unsupported(name) | Attribute::Other(name) => self.name(name),
            }
        }
    }

    fn specs(&mut self, specs: SpecsId) {
        let specs = self.ast.specs[specs];
        if let Some(storage) = specs.storage {
            put!(self, "{} ", format!("{storage:?}").to_lowercase());
        }
        for (set, text) in [(specs.thread_local, "thread"), (specs.inline, "inline"), (specs.noreturn, "noreturn")] {
            if set {
                put!(self, "{text} ");
            }
        }
        self.quals(specs.quals);
        match specs.base {
            TypeSpec::Missing => self.out.push_str("missing"),
            TypeSpec::Void => self.out.push_str("void"),
            TypeSpec::Int(kind) => put!(self, "{}", format!("{kind:?}").to_lowercase()),
            TypeSpec::Float(kind) => put!(self, "{}", format!("{kind:?}").to_lowercase()),
            TypeSpec::Unsupported(name) => put!(self, "unsupported {}", self.names.resolve(name)),
            TypeSpec::Name(name) => self.name(name),
            TypeSpec::Record(record) => self.record(record),
            TypeSpec::Enum(spec) => self.enumeration(spec),
            TypeSpec::TypeofExpr(expr) => self.node("typeof", &[expr]),
            TypeSpec::TypeofType(ty) => {
                self.out.push_str("typeof");
                self.type_name(ty);
            }
            TypeSpec::Auto => self.out.push_str("auto"),
            TypeSpec::VaList => self.out.push_str("va_list"),
            TypeSpec::Atomic(ty) => {
                self.out.push_str("atomic");
                self.type_name(ty);
            }
            TypeSpec::Error => self.out.push_str("error"),
        }
        self.attributes(specs.attributes);
    }

    fn record(&mut self, record: RecordSpec) {
        self.out.push_str(if record.is_union { "union" } else { "struct" });
        if let Some(tag) = record.tag {
            self.out.push(' ');
            self.name(tag);
        }
        if record.pack > 0 {
            put!(self, " pack{}", record.pack);
        }
        if let Some(members) = record.members {
            self.out.push_str(" {");
            for (index, member) in self.ast.get(members).iter().enumerate() {
                self.out.push_str(if index > 0 { "; " } else { "" });
                self.member(*member);
            }
            self.out.push('}');
        }
        self.attributes(record.attributes);
    }

    fn member(&mut self, member: Member) {
        match member {
            Member::Field { specs, declarator, width, .. } => {
                match declarator {
                    Some(declarator) => self.declared(specs, declarator),
                    None => {
                        self.out.push('<');
                        self.specs(specs);
                        self.out.push('>');
                    }
                }
                if let Some(width) = width {
                    self.out.push(':');
                    self.expr(width);
                }
            }
            Member::StaticAssert { cond, .. } => self.node("static-assert", &[cond]),
        }
    }

    fn enumeration(&mut self, spec: EnumSpec) {
        self.out.push_str("enum");
        if let Some(tag) = spec.tag {
            self.out.push(' ');
            self.name(tag);
        }
        if let Some(enumerators) = spec.enumerators {
            self.out.push_str(" {");
            for (index, enumerator) in self.ast.get(enumerators).iter().enumerate() {
                self.out.push_str(if index > 0 { " " } else { "" });
                self.name(enumerator.name);
                if let Some(value) = enumerator.value {
                    self.out.push('=');
                    self.expr(value);
                }
            }
            self.out.push('}');
        }
        self.attributes(spec.attributes);
    }

    fn type_name(&mut self, ty: TypeNameId) {
        let TypeName { specs, declarator, .. } = self.ast.type_names[ty];
        self.declared(specs, declarator);
    }

    fn init(&mut self, init: InitId) {
        match self.ast.inits[init].kind {
            InitKind::Expr(expr) => self.expr(expr),
            InitKind::List(items) => {
                self.out.push('{');
                for (index, item) in self.ast.get(items).iter().enumerate() {
                    self.out.push_str(if index > 0 { " " } else { "" });
                    self.designators(item.designators);
                    self.out.push_str(if item.designators.is_empty() { "" } else { "=" });
                    self.init(item.init);
                }
                self.out.push('}');
            }
        }
    }

    fn designators(&mut self, designators: List<Designator>) {
        for designator in self.ast.get(designators) {
            match *designator {
                Designator::Field(name, _) => {
                    self.out.push('.');
                    self.name(name);
                }
                Designator::Index(index) => {
                    self.out.push('[');
                    self.expr(index);
                    self.out.push(']');
                }
                Designator::Range(low, high) => {
                    self.out.push('[');
                    self.expr(low);
                    self.out.push_str("...");
                    self.expr(high);
                    self.out.push(']');
                }
            }
        }
    }

    /// `(head a b)`
    fn node(&mut self, head: &str, operands: &[ExprId]) {
        put!(self, "({head}");
        for operand in operands {
            self.out.push(' ');
            self.expr(*operand);
        }
        self.out.push(')');
    }

    fn stmt(&mut self, stmt: StmtId) {
        let (head, exprs, bodies): (&str, &[Option<ExprId>], &[Option<StmtId>]) = match self.ast.stmts[stmt].kind {
            StmtKind::Null => ("null", &[], &[]),
            StmtKind::Expr(expr) => return self.expr(expr),
            StmtKind::Compound(list) => {
                let statements = self.ast.get(list);
                self.out.push_str("(block");
                for statement in statements {
                    self.out.push(' ');
                    self.stmt(*statement);
                }
                self.out.push(')');
                return;
            }
            StmtKind::Decl(decl) => return self.decl(decl),
            StmtKind::If(cond, then, otherwise) => ("if", &[Some(cond)], &[Some(then), otherwise]),
            StmtKind::While(cond, body) => ("while", &[Some(cond)], &[Some(body)]),
            StmtKind::DoWhile(body, cond) => ("do-while", &[Some(cond)], &[Some(body)]),
            StmtKind::For { init, cond, step, body } => {
                self.out.push_str("(for ");
                self.stmt(init);
                for part in [cond, step] {
                    self.out.push(' ');
                    match part {
                        Some(part) => self.expr(part),
                        None => self.out.push('_'),
                    }
                }
                self.out.push(' ');
                self.stmt(body);
                self.out.push(')');
                return;
            }
            StmtKind::Switch(value, body) => ("switch", &[Some(value)], &[Some(body)]),
            StmtKind::Case(low, high, body) => ("case", &[Some(low), high], &[Some(body)]),
            StmtKind::Default(body) => ("default", &[], &[Some(body)]),
            StmtKind::Label(name, body) => (&format!("label {}", self.names.resolve(name)), &[], &[Some(body)]),
            StmtKind::LocalLabel(name, next) => (&format!("local {}", self.names.resolve(name)), &[], &[Some(next)]),
            StmtKind::Goto(name) => (&format!("goto {}", self.names.resolve(name)), &[], &[]),
            StmtKind::GotoComputed(target) => ("goto", &[Some(target)], &[]),
            StmtKind::Break => ("break", &[], &[]),
            StmtKind::Continue => ("continue", &[], &[]),
            StmtKind::Return(value) => ("return", &[value], &[]),
            StmtKind::Asm => ("asm", &[], &[]),
            StmtKind::AcslAssert(cond) => ("acsl-assert", &[Some(cond)], &[]),
            StmtKind::Error => ("error", &[], &[]),
        };
        put!(self, "({head}");
        for expr in exprs.iter().flatten() {
            self.out.push(' ');
            self.expr(*expr);
        }
        for body in bodies.iter().flatten() {
            self.out.push(' ');
            self.stmt(*body);
        }
        self.out.push(')');
    }

    fn expr(&mut self, expr: ExprId) {
        match self.ast.exprs[expr].kind {
            ExprKind::Name(name) => self.name(name),
            ExprKind::Int(int) => {
                put!(self, "{}", int.value);
                self.out.push_str(if int.decimal { "" } else { "x" });
                self.out.push_str(if int.unsigned { "u" } else { "" });
                self.out.push_str(["", "l", "ll"][int.long as usize % 3]);
            }
            ExprKind::Float(text) => match &self.ast.strings[text].units {
                Units::Bytes(bytes) => self.out.push_str(&String::from_utf8_lossy(bytes)),
                Units::Wide(_) => {}
            },
            ExprKind::Char(value, encoding) => put!(self, "(char{} {value})", prefix(encoding)),
            ExprKind::String(text) => self.string(text),
            ExprKind::Call(callee, arguments) => {
                self.out.push_str("(call ");
                self.expr(callee);
                for argument in self.ast.get(arguments) {
                    self.out.push(' ');
                    self.expr(*argument);
                }
                self.out.push(')');
            }
            ExprKind::Index(left, right) => self.node("[]", &[left, right]),
            ExprKind::Member(left, name) => self.member_access(".", left, name),
            ExprKind::Arrow(left, name) => self.member_access("->", left, name),
            ExprKind::Unary(op, operand) => self.node(unary(op), &[operand]),
            ExprKind::Binary(op, left, right) => self.node(binary(op), &[left, right]),
            ExprKind::Assign(op, left, right) => {
                let head = format!("{}=", op.map_or("", binary));
                self.node(&head, &[left, right]);
            }
            ExprKind::Conditional { cond, then: Some(then), otherwise, .. } => self.node("?", &[cond, then, otherwise]),
            ExprKind::Conditional { cond, then: None, otherwise, .. } => self.node("?:", &[cond, otherwise]),
            ExprKind::Cast(ty, operand) => self.typed("cast", ty, |dumper| {
                dumper.out.push(' ');
                dumper.expr(operand);
            }),
            ExprKind::CompoundLiteral(ty, init) => self.typed("literal", ty, |dumper| {
                dumper.out.push(' ');
                dumper.init(init);
            }),
            ExprKind::SizeofExpr(operand) => self.node("sizeof", &[operand]),
            ExprKind::SizeofType(ty) => self.typed("sizeof", ty, |_| ()),
            ExprKind::AlignofExpr(operand) => self.node("alignof", &[operand]),
            ExprKind::AlignofType(ty) => self.typed("alignof", ty, |_| ()),
            ExprKind::Statement(body) => self.stmt(body),
            ExprKind::Unsupported(kind) => put!(self, "(unsupported {kind})"),
            ExprKind::LabelAddress(name) => put!(self, "(&& {})", self.names.resolve(name)),
            ExprKind::Generic(selector, associations) => self.generic(selector, associations),
            ExprKind::VaArg(list, ty) => self.typed("va_arg", ty, |dumper| {
                dumper.out.push(' ');
                dumper.expr(list);
            }),
            ExprKind::Offsetof(ty, designators) => self.typed("offsetof", ty, |dumper| {
                dumper.out.push(' ');
                dumper.designators(designators);
            }),
            ExprKind::TypesCompatible(left, right) => self.typed("types-compatible", left, |dumper| {
                dumper.out.push(' ');
                dumper.type_name(right);
            }),
            ExprKind::Choose(cond, then, otherwise) => self.node("choose", &[cond, then, otherwise]),
            ExprKind::Error => self.out.push_str("(error)"),
        }
    }

    fn member_access(&mut self, head: &str, left: ExprId, name: Symbol) {
        put!(self, "({head} ");
        self.expr(left);
        put!(self, " {})", self.names.resolve(name));
    }

    fn typed(&mut self, head: &str, ty: TypeNameId, rest: impl FnOnce(&mut Self)) {
        put!(self, "({head} ");
        self.type_name(ty);
        rest(self);
        self.out.push(')');
    }

    fn generic(&mut self, selector: ExprId, associations: List<Association>) {
        self.out.push_str("(generic ");
        self.expr(selector);
        for association in self.ast.get(associations) {
            self.out.push(' ');
            match association.ty {
                Some(ty) => self.type_name(ty),
                None => self.out.push_str("default"),
            }
            self.out.push('=');
            self.expr(association.value);
        }
        self.out.push(')');
    }

    fn string(&mut self, text: StringId) {
        let ast = self.ast;
        let StringLiteral { encoding, units } = &ast.strings[text];
        match units {
            Units::Bytes(bytes) => put!(self, "{}\"{}\"", prefix(*encoding), bytes.escape_ascii()),
            Units::Wide(units) => put!(self, "{}{units:x?}", prefix(*encoding)),
        }
    }
}

fn prefix(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Plain => "",
        Encoding::Utf8 => "u8",
        Encoding::Wide => "L",
        Encoding::Utf16 => "u",
        Encoding::Utf32 => "U",
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Minus => "-",
        UnaryOp::Not => "!",
        UnaryOp::BitNot => "~",
        UnaryOp::Deref => "*",
        UnaryOp::Addr => "&",
        UnaryOp::PreInc => "++",
        UnaryOp::PreDec => "--",
        UnaryOp::PostInc => "post++",
        UnaryOp::PostDec => "post--",
        UnaryOp::Real => "real",
        UnaryOp::Imag => "imag",
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::LogAnd => "&&",
        BinaryOp::LogOr => "||",
        BinaryOp::Comma => ",",
    }
}

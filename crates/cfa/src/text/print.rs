//! Program to text.

use super::naming::{Naming, name_nodes, repeats_condition};
use super::{BRANCHES, BUILTIN_TYPES, Infix, POINTER_INFIX};
use crate::types::{FunctionType, RecordKind};
use crate::walk::Node;
use crate::*;
use base::ids::Id;
use base::{Span, Symbol};
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrintOptions {
    /// Positions in the source. A text without them is easier to read and still parses; all spans are then `Span::NONE`.
    pub spans: bool,
}

impl Default for PrintOptions {
    fn default() -> Self {
        PrintOptions { spans: true }
    }
}

/// The whole program. It must keep the invariants of [`crate::verify::verify`]; else the text may not parse.
pub fn print(program: &Program) -> String {
    print_with(program, PrintOptions::default())
}

pub fn print_with(program: &Program, options: PrintOptions) -> String {
    let edges: Vec<EdgeId> = program
        .functions
        .values()
        .filter_map(|function| match &function.body {
            Body::Defined(automaton) => Some(automaton),
            Body::Library(_) | Body::Undefined => None,
        })
        .flat_map(|automaton| automaton.locations.clone())
        .flat_map(|location| program.locations[LocId(location)].out.into_iter().flatten())
        .collect();
    let naming = name_nodes(program, &edges);
    let mut printer = Printer { program, options, naming, printed: 0, out: String::new() };
    printer.program();
    printer.out
}

struct Printer<'a> {
    program: &'a Program,
    options: PrintOptions,
    naming: Naming,
    /// Edges printed so far: the index into `naming.definitions`.
    printed: usize,
    out: String,
}

/// Appends formatted text; writing to a `String` cannot fail.
macro_rules! put {
    ($printer:expr, $($arguments:tt)*) => { let _ = write!($printer.out, $($arguments)*); };
}

impl Printer<'_> {
    fn program(&mut self) {
        let unsigned_char = if self.program.types.unsigned_char { " unsigned-char" } else { "" };
        put!(self, "program {}{unsigned_char}\n", self.program.model().name());
        self.types();
        let mut automatic = vec![false; self.program.vars.len()];
        for function in self.program.functions.values() {
            if let Body::Defined(automaton) = &function.body {
                automaton.vars.clone().for_each(|var| automatic[var as usize] = true);
            }
        }
        for var in self.program.vars.ids().filter(|var| !automatic[var.index()]) {
            self.var(var, None);
        }
        self.scopes();
        for function in self.program.functions.ids() {
            self.function(function);
        }
    }

    fn ty(&mut self, ty: TypeId) {
        match BUILTIN_TYPES.get(ty.index()) {
            Some(name) => self.out.push_str(name),
            None => {
                put!(self, "{ty}");
            }
        }
    }

    fn span(&mut self, span: Span) {
        if self.options.spans && span != Span::NONE {
            put!(self, " @{}..{}", span.lo, span.hi);
        }
    }

    fn symbol(&mut self, symbol: Symbol) {
        let name = self.program.name(symbol);
        let identifier = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        if !name.is_empty() && name.chars().all(identifier) && !name.starts_with(|c: char| c.is_ascii_digit()) {
            self.out.push_str(name);
            return;
        }
        self.out.push('"');
        for c in name.chars() {
            match c {
                '"' | '\\' => {
                    put!(self, "\\{c}");
                }
                c if c.is_control() => {
                    put!(self, "\\u{{{:x}}}", c as u32);
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn symbol_or_dash(&mut self, symbol: Option<Symbol>) {
        match symbol {
            Some(symbol) => self.symbol(symbol),
            None => self.out.push('-'),
        }
    }

    fn types(&mut self) {
        for (id, ty) in self.program.types.iter().skip(BUILTIN_TYPES.len()) {
            put!(self, "type {id} = ");
            match ty {
                // The table starts with these, so none comes here.
                Type::Void | Type::Int(_) | Type::Float(_) => self.ty(id),
                Type::Pointer(target) => {
                    self.out.push_str("ptr ");
                    self.ty(*target);
                }
                Type::Array(element, length) => {
                    self.out.push_str("array ");
                    self.ty(*element);
                    match length {
                        Some(length) => {
                            put!(self, " {length}");
                        }
                        None => self.out.push_str(" ?"),
                    }
                }
                Type::Record(record) => {
                    put!(self, "record {record}");
                }
                Type::Function(function) => self.function_type(function),
            }
            self.out.push('\n');
        }
        for (id, record) in self.program.types.records.iter() {
            put!(self, "record {id} {} ", if record.kind == RecordKind::Struct { "struct" } else { "union" });
            self.symbol_or_dash(record.tag);
            put!(self, " size {} align {}", record.size, record.align);
            self.out.push_str(if record.complete { "\n" } else { " incomplete\n" });
            for field in &record.fields {
                self.out.push_str("  field ");
                self.symbol_or_dash(field.name);
                self.out.push_str(": ");
                self.ty(field.ty);
                put!(self, " at {}", field.offset);
                if let Some(bits) = field.bits {
                    put!(self, " bits {}:{}", bits.start, bits.width);
                }
                if field.is_const {
                    self.out.push_str(" const");
                }
                self.out.push('\n');
            }
        }
    }

    fn function_type(&mut self, function: &FunctionType) {
        self.out.push_str("fn ");
        self.ty(function.result);
        self.out.push_str(" (");
        for (index, param) in function.params.iter().enumerate() {
            if index > 0 {
                self.out.push(' ');
            }
            self.ty(*param);
        }
        if function.variadic {
            self.out.push_str(if function.params.is_empty() { "..." } else { " ..." });
        }
        self.out.push_str(if function.unprototyped { ") unprototyped" } else { ")" });
    }

    /// `inside`: the function in whose block the line stands; an owner is only printed where it is another.
    fn var(&mut self, id: VarId, inside: Option<FuncId>) {
        let var = &self.program.vars[id];
        let kind = match var.kind {
            VarKind::Global => "global",
            VarKind::Constant => "constant",
            VarKind::Param(_) => "param",
            VarKind::Local(_) => "local",
            VarKind::Temp(_) => "temp",
            VarKind::Vla(_) => "vla",
            // They are added by proofs, and are not read back.
            VarKind::Result(_) | VarKind::Old(_) | VarKind::Bound(_) => "contract",
        };
        put!(self, "{}{kind} {id} ", if inside.is_some() { "  " } else { "" });
        self.symbol(var.name);
        self.out.push_str(": ");
        self.ty(var.ty);
        if let Some(owner) = var.kind.function().filter(|owner| inside != Some(*owner)) {
            put!(self, " of {owner}");
        }
        if var.address_taken {
            self.out.push_str(" addr");
        }
        if var.read_only {
            self.out.push_str(" const");
        }
        match &var.init {
            Init::None => {}
            Init::Zero => self.out.push_str(" = zero"),
            Init::Unknown => self.out.push_str(" = unknown"),
            Init::Static(init) => self.static_init(init),
        }
        self.span(var.span);
        self.out.push('\n');
    }

    fn static_init(&mut self, init: &StaticInit) {
        self.out.push_str(" = static #");
        for byte in &init.bytes {
            put!(self, "{byte:02x}");
        }
        for relocation in &init.relocations {
            put!(self, " {}: ", relocation.offset);
            match relocation.target {
                RelocationTarget::Var(var) => {
                    put!(self, "{var}");
                }
                RelocationTarget::Function(function) => {
                    put!(self, "{function}");
                }
            }
            match relocation.addend {
                0 => {}
                addend => {
                    put!(self, " {} {}", if addend < 0 { '-' } else { '+' }, addend.unsigned_abs());
                }
            }
        }
    }

    fn scopes(&mut self) {
        for (id, scope) in self.program.scopes.iter() {
            put!(self, "scope {id}");
            if let Some((parent, visible)) = scope.parent {
                put!(self, " in {parent}/{visible}");
            }
            self.span(scope.span);
            self.out.push('\n');
            for (name, binding) in &scope.names {
                self.out.push_str("  name ");
                self.symbol(*name);
                self.out.push_str(" = ");
                match binding {
                    Binding::Var(var) => {
                        put!(self, "{var}");
                    }
                    Binding::Function(function) => {
                        put!(self, "{function}");
                    }
                    Binding::Type(ty) => {
                        self.out.push_str("type ");
                        self.ty(*ty);
                    }
                    Binding::Constant(ty, bits) => self.constant(*ty, *bits),
                }
                self.out.push('\n');
            }
        }
    }

    fn function(&mut self, id: FuncId) {
        let function = &self.program.functions[id];
        put!(self, "fn {id} ");
        self.symbol(function.name);
        self.out.push_str(": ");
        self.ty(function.ty);
        self.out.push_str(" (");
        for (index, param) in function.params.iter().enumerate() {
            put!(self, "{}{param}", if index > 0 { " " } else { "" });
        }
        self.out.push(')');
        self.span(function.span);
        let automaton = match &function.body {
            Body::Defined(automaton) => automaton,
            Body::Library(library::LibFn::UNMODELLED_SYSTEM_FUNCTION) => return self.out.push_str(" system\n"),
            Body::Library(_) => return self.out.push_str(" library\n"),
            Body::Undefined => return self.out.push_str(" undefined\n"),
        };
        put!(self, " scope {} entry {} exit {}", automaton.scope, automaton.entry, automaton.exit);
        self.span(automaton.span);
        self.out.push('\n');
        automaton.vars.clone().for_each(|var| self.var(VarId(var), Some(id)));
        automaton.locations.clone().for_each(|location| self.location(LocId(location)));
    }

    fn location(&mut self, id: LocId) {
        let location = &self.program.locations[id];
        put!(self, "  {id}: {}/{}", location.scope, location.visible);
        if let Some(span) = location.loop_head {
            self.out.push_str(" loop");
            self.span(span);
        }
        self.out.push('\n');
        for edge in location.out.into_iter().flatten() {
            for node in std::mem::take(&mut self.naming.definitions[self.printed]) {
                self.definition(node);
            }
            self.printed += 1;
            self.edge(edge);
        }
    }

    fn definition(&mut self, node: Node) {
        let name = self.naming.name(node).unwrap_or_default();
        match node {
            Node::Expr(expr) => {
                put!(self, "    let x{name} = ");
                self.expr_tree(expr);
            }
            Node::Place(place) => {
                put!(self, "    let p{name} = ");
                self.place_tree(place);
            }
        }
        self.out.push('\n');
    }

    fn edge(&mut self, id: EdgeId) {
        let edge = &self.program.edges[id];
        put!(self, "    {id}: ");
        self.op(id, &edge.op);
        put!(self, " -> {}", edge.to);
        self.span(edge.span);
        if self.options.spans && edge.anchor != edge.span.lo {
            put!(self, "{}^{}", if edge.span == Span::NONE { " @0..0" } else { "" }, edge.anchor);
        }
        if let Some(caveat) = edge.caveat {
            self.out.push_str(" caveat ");
            self.symbol(caveat);
        }
        self.out.push('\n');
    }

    fn op(&mut self, edge: EdgeId, op: &Op) {
        match *op {
            Op::Skip => self.out.push_str("skip"),
            Op::Declare(var) => {
                put!(self, "declare {var}");
            }
            Op::Kill(var) => {
                put!(self, "kill {var}");
            }
            Op::Alloca(var, size) => {
                put!(self, "alloca {var} ");
                self.expr(size);
            }
            Op::Assign(place, value) => {
                self.place(place);
                self.out.push_str(" = ");
                self.expr(value);
            }
            Op::Havoc(place, input) => {
                self.out.push_str("havoc ");
                self.place(place);
                match input {
                    InputKind::Nondet(function) => {
                        put!(self, " nondet {function}");
                    }
                    InputKind::External(function) => {
                        put!(self, " external {function}");
                    }
                    InputKind::Written(function) => {
                        put!(self, " written {function}");
                    }
                }
            }
            Op::Assume { cond, truth, role } => {
                self.out.push_str(if truth { "assume " } else { "assume not " });
                self.out.push_str(match role {
                    AssumeRole::Assumption => "assumption",
                    AssumeRole::Branch(branch) => BRANCHES.iter().find(|row| row.0 == branch).map_or("", |row| row.1),
                });
                self.out.push(' ');
                if repeats_condition(self.program, edge) { self.out.push_str("same") } else { self.expr(cond) }
            }
            Op::Assert { cond, property } => {
                put!(self, "assert {} ", property.name());
                self.expr(cond);
            }
            Op::Call { dest, callee, args } => self.call(dest, callee, self.program.call_args(args)),
            Op::Return(value) => self.value("return", value),
            Op::Halt(code) => self.value("halt", code),
            Op::Poison(reason) => {
                self.out.push_str("poison ");
                self.symbol(reason);
            }
        }
    }

    fn value(&mut self, keyword: &str, value: Option<ExprId>) {
        self.out.push_str(keyword);
        if let Some(value) = value {
            self.out.push(' ');
            self.expr(value);
        }
    }

    fn call(&mut self, dest: Option<PlaceId>, callee: Callee, args: &[ExprId]) {
        self.out.push_str("call ");
        if let Some(dest) = dest {
            self.place(dest);
            self.out.push_str(" = ");
        }
        match callee {
            Callee::Direct(function) => {
                put!(self, "{function}(");
            }
            Callee::Indirect(pointer) => {
                self.out.push_str("(*");
                self.expr(pointer);
                self.out.push_str(")(");
            }
        }
        for (index, arg) in args.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.expr(*arg);
        }
        self.out.push(')');
    }

    fn expr(&mut self, id: ExprId) {
        match self.naming.name(Node::Expr(id)) {
            Some(name) => {
                put!(self, "x{name}");
            }
            None => self.expr_tree(id),
        }
    }

    /// Recursion ends at named nodes, so it is shallow.
    fn expr_tree(&mut self, id: ExprId) {
        let expr = &self.program.exprs[id];
        let types = &self.program.types;
        let ty_of = |id: ExprId| self.program.exprs[id].ty;
        // Where the parts imply the type, it is not printed.
        let implied = match expr.kind {
            ExprKind::Const(bits) => {
                self.constant(expr.ty, bits);
                true
            }
            ExprKind::Read(place) => {
                self.place(place);
                expr.ty == self.program.places[place].ty
            }
            ExprKind::AddrOf(place) => {
                self.out.push('&');
                self.place(place);
                types.pointee(expr.ty) == Some(self.program.places[place].ty)
            }
            ExprKind::FuncAddr(function) => {
                put!(self, "{function}");
                types.pointee(expr.ty) == Some(self.program.functions[function].ty)
            }
            ExprKind::Unary(op, operand) => {
                let implied = if op == UnOp::Not { TypeId::INT } else { ty_of(operand) };
                self.out.push_str(match op {
                    UnOp::Neg => "(- ",
                    UnOp::BitNot => "(~ ",
                    UnOp::Not => "(! ",
                });
                self.expr(operand);
                self.out.push(')');
                expr.ty == implied
            }
            ExprKind::Binary(op, left, right) => {
                let implied = if op.is_comparison() { TypeId::INT } else { ty_of(left) };
                self.infix(Infix::Binary(op), left, right);
                expr.ty == implied
            }
            ExprKind::Cast(operand) => {
                self.ty(expr.ty);
                self.out.push('(');
                self.expr(operand);
                self.out.push(')');
                true
            }
            ExprKind::PtrAdd(pointer, offset) => {
                let implied = ty_of(pointer);
                self.infix(Infix::PtrAdd, pointer, offset);
                expr.ty == implied
            }
            ExprKind::PtrSub(pointer, offset) => {
                let implied = ty_of(pointer);
                self.infix(Infix::PtrSub, pointer, offset);
                expr.ty == implied
            }
            ExprKind::PtrDiff(left, right) => {
                self.infix(Infix::PtrDiff, left, right);
                expr.ty == TypeId::int(types.model.difference_type())
            }
        };
        if !implied {
            self.out.push(':');
            self.ty(expr.ty);
        }
        if self.options.spans && expr.span != Span::NONE {
            put!(self, "@{}..{}", expr.span.lo, expr.span.hi);
        }
    }

    fn infix(&mut self, op: Infix, left: ExprId, right: ExprId) {
        self.out.push('(');
        self.expr(left);
        let name = match op {
            Infix::Binary(op) => op.c_name(),
            _ => POINTER_INFIX.iter().find(|row| row.0 == op).map_or("", |row| row.1),
        };
        put!(self, " {name} ");
        self.expr(right);
        self.out.push(')');
    }

    fn place(&mut self, id: PlaceId) {
        match self.naming.name(Node::Place(id)) {
            Some(name) => {
                put!(self, "p{name}");
            }
            None => self.place_tree(id),
        }
    }

    fn place_tree(&mut self, id: PlaceId) {
        let place = &self.program.places[id];
        let types = &self.program.types;
        let ty_of = |id: PlaceId| types.get(self.program.places[id].ty);
        let implied = match place.kind {
            PlaceKind::Var(var) => {
                put!(self, "{var}");
                Some(self.program.vars[var].ty)
            }
            PlaceKind::Deref(pointer) => {
                self.out.push('[');
                self.expr(pointer);
                self.out.push(']');
                types.pointee(self.program.exprs[pointer].ty)
            }
            PlaceKind::Field(base, number) => {
                self.place(base);
                put!(self, ".{number}");
                match ty_of(base) {
                    Type::Record(record) => types.records[*record].fields.get(number as usize).map(|field| field.ty),
                    _ => None,
                }
            }
            PlaceKind::Index(base, index) => {
                self.place(base);
                self.out.push('[');
                self.expr(index);
                self.out.push(']');
                match ty_of(base) {
                    Type::Array(element, _) => Some(*element),
                    _ => None,
                }
            }
        };
        if implied != Some(place.ty) {
            self.out.push('#');
            self.ty(place.ty);
        }
    }

    /// Integers in decimal, `float` and `double` too when the shortest decimal says it all; the rest as bits.
    fn constant(&mut self, ty: TypeId, bits: Bits) {
        let value = bits.get();
        if let Some(kind) = ty.int_kind() {
            let width = kind.bits(self.program.model());
            let negative = self.program.types.is_signed_kind(kind) && value >> (width - 1) == 1;
            match negative {
                true => {
                    put!(self, "-{}", (u128::MAX >> (128 - width)) - value + 1);
                }
                false => {
                    put!(self, "{value}");
                }
            }
        } else if ty == TypeId::DOUBLE && value >> 64 == 0 && f64::from_bits(bits.lo).is_finite() {
            put!(self, "{:?}", f64::from_bits(bits.lo));
        } else if ty == TypeId::FLOAT && value >> 32 == 0 && f32::from_bits(value as u32).is_finite() {
            put!(self, "{:?}", f32::from_bits(value as u32));
        } else {
            put!(self, "{value:#x}");
        }
        self.out.push(':');
        self.ty(ty);
    }
}

//! Ids in range. After this check, all tables can be indexed without looking.

use super::{Report, Subject};
use crate::types::FunctionType;
use crate::*;
use base::Symbol;
use base::ids::Id;

pub(super) fn check(program: &Program, report: &mut Report) {
    let mut ids = Ids { program, report, subject: Subject::Type(TypeId::VOID) };
    ids.types();
    ids.vars_and_scopes();
    ids.expressions();
    ids.functions();
    ids.edges();
}

struct Ids<'a> {
    program: &'a Program,
    report: &'a mut Report,
    subject: Subject,
}

impl Ids<'_> {
    fn within<I: Id + std::fmt::Display>(&mut self, id: I, len: usize) {
        self.report.require(id.index() < len, self.subject, || format!("{id} does not exist"));
    }

    fn ty(&mut self, id: TypeId) {
        self.within(id, self.program.types.len());
    }

    fn var(&mut self, id: VarId) {
        self.within(id, self.program.vars.len());
    }

    fn function(&mut self, id: FuncId) {
        self.within(id, self.program.functions.len());
    }

    fn expr(&mut self, id: ExprId) {
        self.within(id, self.program.exprs.len());
    }

    fn place(&mut self, id: PlaceId) {
        self.within(id, self.program.places.len());
    }

    fn location(&mut self, id: LocId) {
        self.within(id, self.program.locations.len());
    }

    fn scope(&mut self, id: ScopeId) {
        self.within(id, self.program.scopes.len());
    }

    fn symbol(&mut self, symbol: Symbol) {
        let known = symbol.index() < self.program.names.len();
        self.report.require(known, self.subject, || format!("symbol {} was never interned", symbol.0));
    }

    fn types(&mut self) {
        for (id, ty) in self.program.types.iter() {
            self.subject = Subject::Type(id);
            match ty {
                Type::Void | Type::Int(_) | Type::Float(_) => {}
                Type::Pointer(target) | Type::Array(target, _) => self.ty(*target),
                Type::Record(record) => self.within(*record, self.program.types.records.len()),
                Type::Function(FunctionType { result, params, .. }) => {
                    self.ty(*result);
                    params.iter().for_each(|param| self.ty(*param));
                }
            }
        }
        for (id, record) in self.program.types.records.iter() {
            self.subject = Subject::Record(id);
            record.tag.into_iter().for_each(|tag| self.symbol(tag));
            for field in &record.fields {
                field.name.into_iter().for_each(|name| self.symbol(name));
                self.ty(field.ty);
            }
        }
    }

    fn vars_and_scopes(&mut self) {
        for (id, var) in self.program.vars.iter() {
            self.subject = Subject::Var(id);
            self.symbol(var.name);
            self.ty(var.ty);
            var.kind.function().into_iter().for_each(|function| self.function(function));
            match var.kind {
                VarKind::Result(function) => self.function(function),
                VarKind::Old(expr) => self.expr(expr),
                VarKind::Bound(ty) => self.ty(ty),
                _ => {}
            }
            if let Init::Static(init) = &var.init {
                for relocation in &init.relocations {
                    match relocation.target {
                        RelocationTarget::Var(var) => self.var(var),
                        RelocationTarget::Function(function) => self.function(function),
                    }
                }
            }
        }
        for (id, scope) in self.program.scopes.iter() {
            self.subject = Subject::Scope(id);
            scope.parent.into_iter().for_each(|(parent, _)| self.scope(parent));
            for (name, binding) in &scope.names {
                self.symbol(*name);
                match binding {
                    Binding::Var(var) => self.var(*var),
                    Binding::Function(function) => self.function(*function),
                    Binding::Type(ty) | Binding::Constant(ty, _) => self.ty(*ty),
                }
            }
        }
    }

    fn expressions(&mut self) {
        for (id, expr) in self.program.exprs.iter() {
            self.subject = Subject::Expr(id);
            self.ty(expr.ty);
            match expr.kind {
                ExprKind::Const(_) => {}
                ExprKind::Read(place) | ExprKind::AddrOf(place) => self.place(place),
                ExprKind::FuncAddr(function) => self.function(function),
                ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => self.expr(operand),
                ExprKind::Binary(_, left, right)
                | ExprKind::PtrAdd(left, right)
                | ExprKind::PtrSub(left, right)
                | ExprKind::PtrDiff(left, right) => {
                    self.expr(left);
                    self.expr(right);
                }
            }
        }
        for (id, place) in self.program.places.iter() {
            self.subject = Subject::Place(id);
            self.ty(place.ty);
            match place.kind {
                PlaceKind::Var(var) => self.var(var),
                PlaceKind::Deref(pointer) => self.expr(pointer),
                PlaceKind::Field(base, _) => self.place(base),
                PlaceKind::Index(base, index) => {
                    self.place(base);
                    self.expr(index);
                }
            }
        }
    }

    fn functions(&mut self) {
        for (id, function) in self.program.functions.iter() {
            self.subject = Subject::Function(id);
            self.symbol(function.name);
            self.ty(function.ty);
            function.params.iter().for_each(|param| self.var(*param));
            let Body::Defined(automaton) = &function.body else { continue };
            self.location(automaton.entry);
            self.location(automaton.exit);
            self.scope(automaton.scope);
            let ranges = [
                (&automaton.locations, self.program.locations.len(), "locations"),
                (&automaton.edges, self.program.edges.len(), "edges"),
                (&automaton.vars, self.program.vars.len(), "variables"),
            ];
            for (range, len, what) in ranges {
                let fits = range.start <= range.end && range.end as usize <= len;
                self.report.require(fits, self.subject, || format!("the range {range:?} of its {what} passes the end"));
            }
        }
        for (id, location) in self.program.locations.iter() {
            self.subject = Subject::Location(id);
            self.function(location.function);
            self.scope(location.scope);
            for edge in location.out.iter().flatten() {
                self.within(*edge, self.program.edges.len());
            }
        }
    }

    fn edges(&mut self) {
        for (id, edge) in self.program.edges.iter() {
            self.subject = Subject::Edge(id);
            self.location(edge.from);
            self.location(edge.to);
            edge.caveat.into_iter().for_each(|caveat| self.symbol(caveat));
            match edge.op {
                Op::Skip | Op::Return(None) | Op::Halt(None) => {}
                Op::Declare(var) | Op::Kill(var) => self.var(var),
                Op::Alloca(var, size) => {
                    self.var(var);
                    self.expr(size);
                }
                Op::Assign(place, value) => {
                    self.place(place);
                    self.expr(value);
                }
                Op::Havoc(
                    place,
                    InputKind::Nondet(function) | InputKind::External(function) | InputKind::Written(function),
                ) => {
                    self.place(place);
                    self.function(function);
                }
                Op::Assume { cond, .. } | Op::Assert { cond, .. } => self.expr(cond),
                Op::Call { dest, callee, args } => self.call(dest, callee, args),
                Op::Return(Some(value)) | Op::Halt(Some(value)) => self.expr(value),
                Op::Poison(reason) => self.symbol(reason),
            }
        }
    }

    fn call(&mut self, dest: Option<PlaceId>, callee: Callee, args: (u32, u32)) {
        dest.into_iter().for_each(|place| self.place(place));
        match callee {
            Callee::Direct(function) => self.function(function),
            Callee::Indirect(pointer) => self.expr(pointer),
        }
        let fits = args.0 <= args.1 && args.1 as usize <= self.program.args.len();
        self.report.require(fits, self.subject, || format!("the slice {args:?} of arguments passes the end"));
        if fits {
            self.program.call_args(args).iter().for_each(|arg| self.expr(*arg));
        }
    }
}

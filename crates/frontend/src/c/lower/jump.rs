//! `setjmp` and `longjmp` as ordinary control flow, so that no later stage knows them. `longjmp` (`prelude/jump.c`) notes where to go. Behind every
//! call that may lead to it stands a test of that note: the function returns, or, if it is the one that is meant, goes on behind its `setjmp`.
//!
//! A call of a function with `setjmp` has an object of its own, whose address the buffers have: a jump to a function that has returned reads an
//! object whose lifetime is over. Automatic variables that are not volatile and have changed since `setjmp` have indeterminate values after the
//! jump (C11 7.13.2.1p3): their values at `setjmp` are saved, and those that differ are declared anew. Where that is not possible (aggregates and
//! floating-point numbers), nothing is proved by the run.
//!
//! Temporaries belong to the range of variables of their function, so they are made when it is lowered; everything else happens when all functions
//! are there.

use super::Lower;
use super::call::Called;
use super::expr::Operand;
use crate::c::ast;
use base::{Span, Symbol};
use cfa::edit::Edit;
use cfa::{
    AssumeRole, BinOp, Body, Branch, Callee, Edge, EdgeId, Expr, ExprId, ExprKind, FuncId, Init, LocId, Op, Place,
    PlaceId, PlaceKind, Program, RelocationTarget, Type, TypeId, Var, VarId, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

const SET_JUMP: &str = "__library_set_jump";
/// Note where to go.
const LONG_JUMPS: [&str; 3] = ["longjmp", "_longjmp", "siglongjmp"];

/// A function that calls `setjmp`.
pub(super) struct JumpTarget {
    function: FuncId,
    /// Its first edge, which does nothing.
    entry: EdgeId,
    frame: VarId,
    sites: Vec<Site>,
}

/// A call of `setjmp`.
struct Site {
    /// Does nothing; the values of variables are saved behind it.
    marker: EdgeId,
    /// Gives the result of a direct call.
    zero: EdgeId,
    result: VarId,
    /// The number of the last call.
    call: VarId,
    /// Variables that are not volatile, and where their values are saved.
    saved: Vec<(VarId, VarId)>,
    /// Such variables that are not compared.
    unsaved: Vec<VarId>,
}

impl Lower<'_> {
    fn has_setjmp(&self) -> bool {
        self.program.names.lookup(SET_JUMP).is_some_and(|name| self.defined.contains(&name))
            && !self.situation.in_library
    }

    /// At the start of a function: room for what a `setjmp` in it needs.
    pub(super) fn reserve_jump_entry(&mut self, span: Span) {
        if self.has_setjmp() {
            self.state().jump_entry = Some(EdgeId(self.program.edges.len() as u32));
            self.emit(Op::Skip, span);
        }
    }

    pub(super) fn set_jump(&mut self, args: &[ast::ExprId], span: Span) -> Option<Called> {
        let (buffer, rest) = args.split_first()?;
        self.evaluate(rest);
        let buffer = self.rvalue(*buffer);
        let buffer = self.cast(buffer, TypeId::VOID_POINTER, span);
        let Some(entry) = self.function.as_ref().and_then(|function| function.jump_entry) else {
            self.poison(span, "`setjmp` here");
            return Some(Called::operand(Operand::Value(self.int(0, TypeId::INT, span))));
        };
        let function = self.state().id;
        let known = self.jump_targets.iter().position(|target| target.function == function);
        let index = known.unwrap_or_else(|| {
            let frame = self.temp(TypeId::ULONG, span);
            self.jump_targets.push(JumpTarget { function, entry, frame, sites: Vec::new() });
            self.jump_targets.len() - 1
        });
        let frame = self.jump_targets[index].frame;
        let frame_place = self.var_place(frame);
        let address = self.address_of(frame_place, TypeId::ULONG, span);
        let name = self.program.names.intern(SET_JUMP);
        let ty = self.signature_type("v(pp)");
        let callee = self.function_with_linkage(name, ty, Span::NONE);
        let address = self.cast(address, TypeId::VOID_POINTER, span);
        let args = self.argument_slice(&[buffer, address]);
        self.emit(Op::Call { dest: None, callee: Callee::Direct(callee), args }, span);
        let (call, result) = (self.temp(TypeId::ULONG, span), self.temp(TypeId::INT, span));
        let (call_place, result_place) = (self.var_place(call), self.var_place(result));
        let number = self.read(frame_place, span);
        self.emit(Op::Assign(call_place, number), span);
        let marker = EdgeId(self.program.edges.len() as u32);
        self.emit(Op::Skip, span);
        let zero = self.int(0, TypeId::INT, span);
        self.emit(Op::Assign(result_place, zero), span);
        if self.reachable() && !self.situation.speculating {
            self.mark();
            let site =
                Site { marker, zero: EdgeId(marker.0 + 1), result, call, saved: Vec::new(), unsaved: Vec::new() };
            self.jump_targets[index].sites.push(site);
        }
        Some(Called::operand(Operand::Value(self.read_var(result, span))))
    }

    /// At the end of a function: temporaries for the variables that its calls of `setjmp` save.
    pub(super) fn make_jump_temporaries(&mut self) {
        let function = self.state().id;
        let Some(index) = self.jump_targets.iter().position(|target| target.function == function) else { return };
        let mut sites = std::mem::take(&mut self.jump_targets[index].sites);
        let single = sites.len() == 1;
        for site in &mut sites {
            let location = self.program.edges[site.zero].from;
            for var in self.program.automatic_at(location) {
                let Var { ty, span, .. } = self.program.vars[var];
                if self.qualifiers.vars.get(&var).is_some_and(|qualifiers| qualifiers.is_surely_volatile()) {
                    continue;
                }
                match self.program.types.get(ty) {
                    Type::Int(_) | Type::Pointer(_) => {
                        let temp = self.temp(ty, span);
                        site.saved.push((var, temp));
                    }
                    // The only `setjmp` has written its buffer before it returns.
                    _ if single && self.is_jump_buffer(ty) => {}
                    _ => site.unsaved.push(var),
                }
            }
        }
        self.jump_targets[index].sites = sites;
    }

    fn is_jump_buffer(&self, ty: TypeId) -> bool {
        let element = match self.program.types.get(ty) {
            Type::Array(element, _) => *element,
            _ => ty,
        };
        let Type::Record(record) = self.program.types.get(element) else { return false };
        self.program.types.records[*record].tag.is_some_and(|tag| self.text(tag) == "__jmp_buf_tag")
    }

    /// After everything else: calls that may end by `longjmp` get what follows then.
    pub(super) fn resolve_non_local_jumps(&mut self) {
        let targets = std::mem::take(&mut self.jump_targets);
        if self.errors > 0 {
            return;
        }
        let Some(note) = Note::find(&self.program) else { return };
        let functions = jumping_functions(&self.program);
        let mut jumps = Jumps { note, targets, functions, results: FxHashMap::default(), span: Span::NONE };
        jumps.apply(&mut self.program);
        for target in &jumps.targets {
            cfa::loops::mark_loop_heads(&mut self.program, target.function);
        }
    }
}

/// The variables by which `longjmp` says where to go.
struct Note {
    frame: VarId,
    call: VarId,
    value: VarId,
    span: Span,
}

impl Note {
    fn find(program: &Program) -> Option<Note> {
        let var = |name: &str| {
            let name = program.names.lookup(name)?;
            program.vars.iter().find(|(_, var)| var.name == name && var.kind == VarKind::Global).map(|(id, _)| id)
        };
        let frame = var("__library_jump_frame")?;
        let span = program.vars[frame].span;
        Some(Note { frame, call: var("__library_jump_call")?, value: var("__library_jump_value")?, span })
    }
}

/// Functions in which `longjmp` may be called, directly or by what they call.
struct JumpingFunctions {
    jumping: FxHashSet<FuncId>,
    /// Whether a pointer to one may exist.
    by_pointer: bool,
}

impl JumpingFunctions {
    fn may_jump(&self, op: &Op) -> bool {
        match op {
            Op::Call { callee: Callee::Direct(function), .. } => self.jumping.contains(function),
            Op::Call { callee: Callee::Indirect(_), .. } => self.by_pointer,
            _ => false,
        }
    }
}

fn jumping_functions(program: &Program) -> JumpingFunctions {
    let in_exprs = program.exprs.values().filter_map(|expr| match expr.kind {
        ExprKind::FuncAddr(function) => Some(function),
        _ => None,
    });
    let in_objects = program.vars.values().flat_map(|var| match &var.init {
        Init::Static(init) => init.relocations.as_slice(),
        _ => &[],
    });
    let in_objects = in_objects.filter_map(|relocation| match relocation.target {
        RelocationTarget::Function(function) => Some(function),
        RelocationTarget::Var(_) => None,
    });
    let named: FxHashSet<FuncId> = in_exprs.chain(in_objects).collect();
    let is_long_jump = |function: &FuncId| {
        LONG_JUMPS.contains(&program.function_name(*function)) && program.automaton(*function).is_some()
    };
    let jumping: FxHashSet<FuncId> = program.functions.ids().filter(is_long_jump).collect();
    let by_pointer = !jumping.is_disjoint(&named);
    let mut found = JumpingFunctions { jumping, by_pointer };
    loop {
        let before = (found.jumping.len(), found.by_pointer);
        for edge in program.edges.values() {
            let function = program.locations[edge.from].function;
            if found.may_jump(&edge.op) {
                found.jumping.insert(function);
            }
        }
        found.by_pointer |= !found.jumping.is_disjoint(&named);
        if (found.jumping.len(), found.by_pointer) == before {
            return found;
        }
    }
}

struct Jumps {
    note: Note,
    targets: Vec<JumpTarget>,
    functions: JumpingFunctions,
    /// By type, where the result of a call is until it is known that the call returned it.
    results: FxHashMap<TypeId, VarId>,
    /// That of the edges which are made.
    span: Span,
}

impl Jumps {
    fn apply(&mut self, program: &mut Program) {
        // What happens on the way is the library's doing.
        self.span = self.note.span;
        let calls: Vec<EdgeId> =
            program.edges.iter().filter(|(_, edge)| self.functions.may_jump(&edge.op)).map(|(id, _)| id).collect();
        let changed: Vec<Vec<FxHashSet<VarId>>> = (self.targets.iter())
            .map(|target| target.sites.iter().map(|site| self.changed_since(program, target, site)).collect())
            .collect();
        let with_arrays: FxHashSet<FuncId> = (program.edges.values())
            .filter(|edge| matches!(edge.op, Op::Alloca(..)))
            .map(|edge| program.locations[edge.from].function)
            .collect();
        let mut resume: FxHashMap<FuncId, Vec<LocId>> = FxHashMap::default();
        let mut edit = Edit::new(program);
        for (target, changed) in self.targets.iter().zip(&changed) {
            self.begin(&mut edit, target);
            let mut places = Vec::new();
            for (site, changed) in target.sites.iter().zip(changed) {
                if with_arrays.contains(&target.function) {
                    let reason = intern(&mut edit, "`setjmp` in a function with variable-length arrays");
                    edit.set_op(site.marker, Op::Poison(reason));
                }
                places.push(self.resume(&mut edit, site, changed));
            }
            resume.insert(target.function, places);
        }
        for call in calls {
            self.follow(&mut edit, call, &resume);
        }
        edit.finish().expect("nothing was removed");
    }

    /// Variables that may have another value after a jump to the call of `setjmp` than they had there.
    fn changed_since(&self, program: &Program, target: &JumpTarget, site: &Site) -> FxHashSet<VarId> {
        let mut changed: FxHashSet<VarId> = FxHashSet::default();
        let mut seen: FxHashSet<LocId> = FxHashSet::default();
        let mut open = vec![program.edges[site.zero].to];
        while let Some(location) = open.pop() {
            if !seen.insert(location) {
                continue;
            }
            for edge in program.successors(location) {
                let edge = &program.edges[edge];
                open.push(edge.to);
                if self.functions.may_jump(&edge.op) {
                    open.extend(target.sites.iter().map(|site| program.edges[site.zero].to));
                }
                let written = match edge.op {
                    Op::Declare(var) => Some(var),
                    Op::Assign(place, _) | Op::Havoc(place, _) => root(program, place),
                    Op::Call { dest, .. } => dest.and_then(|dest| root(program, dest)),
                    _ => None,
                };
                changed.extend(written);
            }
        }
        let all = site.saved.iter().map(|(var, _)| var).chain(&site.unsaved);
        changed.extend(all.filter(|var| program.vars[**var].address_taken));
        changed
    }

    /// The function has an object for the time that it runs.
    fn begin(&self, edit: &mut Edit<'_>, target: &JumpTarget) {
        edit.set_op(target.entry, Op::Declare(target.frame));
        for var in target.sites.iter().map(|site| site.call).chain([target.frame]) {
            let place = var_place(edit, var);
            let zero = constant(edit, TypeId::ULONG);
            edit.insert_behind(target.entry, Op::Assign(place, zero)).expect("a declaration");
        }
    }

    /// Where a jump to a call of `setjmp` goes on: the note is taken, and variables that changed have no value.
    fn resume(&self, edit: &mut Edit<'_>, site: &Site, changed: &FxHashSet<VarId>) -> LocId {
        let (from, to) = (edit.edge(site.zero).from, edit.edge(site.zero).to);
        let start = edit.add_location(from);
        let (result, value) = (var_place(edit, site.result), read(edit, self.note.value));
        let mut at = self.step(edit, start, Op::Assign(result, value));
        let note = var_place(edit, self.note.frame);
        let ty = var_type(edit, self.note.frame);
        let nothing = constant(edit, ty);
        at = self.step(edit, at, Op::Assign(note, nothing));
        for (var, saved) in site.saved.iter().filter(|(var, _)| changed.contains(var)) {
            let saved_place = var_place(edit, *saved);
            let value = read(edit, *var);
            edit.insert_behind(site.marker, Op::Assign(saved_place, value)).expect("it does not return");
            let (now, then) = (read(edit, *var), read(edit, *saved));
            let differs = push(edit, ExprKind::Binary(BinOp::Ne, now, then), TypeId::INT);
            let (yes, no) = self.branch(edit, at, differs);
            self.edge(edit, yes, no, Op::Declare(*var));
            at = no;
        }
        for var in site.unsaved.iter().filter(|var| changed.contains(var)) {
            let name = edit.program().vars[*var].name;
            let text = format!("`{}` after `longjmp`, if it changed since `setjmp`", edit.program().name(name));
            let reason = intern(edit, &text);
            let next = edit.add_location(at);
            let site = edit.edge(site.zero).clone();
            edit.add_edge(Edge { from: at, to: next, op: Op::Skip, caveat: Some(reason), ..site });
            at = next;
        }
        self.edge(edit, at, to, Op::Skip);
        start
    }

    /// What follows a call that may have ended by `longjmp`.
    fn follow(&mut self, edit: &mut Edit<'_>, call: EdgeId, resume: &FxHashMap<FuncId, Vec<LocId>>) {
        let data = edit.edge(call).clone();
        let function = edit.location(data.from).function;
        let after = edit.add_location(data.from);
        let ty = var_type(edit, self.note.frame);
        let nothing = constant(edit, ty);
        let noted = read(edit, self.note.frame);
        let jumped = push(edit, ExprKind::Binary(BinOp::Ne, noted, nothing), TypeId::INT);
        let (leave, returned) = self.branch(edit, after, jumped);
        let mut last = Op::Skip;
        if let Op::Call { dest: Some(dest), callee, args } = data.op {
            // What the call did not return must not be stored.
            let result = self.result_variable(edit, dest);
            let place = var_place(edit, result);
            let value = read(edit, result);
            edit.set_op(call, Op::Call { dest: Some(place), callee, args });
            last = Op::Assign(dest, value);
        }
        edit.redirect(call, after);
        let edge = Edge { from: returned, to: data.to, op: last, caveat: None, ..data.clone() };
        edit.add_edge(edge);
        let target = self.targets.iter().find(|target| target.function == function);
        let leave = match target {
            Some(target) => self.dispatch(edit, leave, &data, target, &resume[&function]),
            None => leave,
        };
        self.leave(edit, leave, function, &data);
    }

    /// Goes to the call of `setjmp` that is meant, if it is one of this call of the function; otherwise to the location that is returned.
    fn dispatch(&self, edit: &mut Edit<'_>, from: LocId, call: &Edge, target: &JumpTarget, resume: &[LocId]) -> LocId {
        let place = var_place(edit, target.frame);
        let ty = var_type(edit, self.note.frame);
        let own = push(edit, ExprKind::AddrOf(place), ty);
        let noted = read(edit, self.note.frame);
        let is_own = push(edit, ExprKind::Binary(BinOp::Eq, noted, own), TypeId::INT);
        let (mut at, other) = self.branch(edit, from, is_own);
        let in_scope = edit.program().automatic_at(call.from);
        for (site, resume) in target.sites.iter().zip(resume) {
            let (number, last) = (read(edit, self.note.call), read(edit, site.call));
            let is_last = push(edit, ExprKind::Binary(BinOp::Eq, number, last), TypeId::INT);
            let (mut here, next) = self.branch(edit, at, is_last);
            at = next;
            let site_location = edit.edge(site.zero).from;
            let there = edit.program().automatic_at(site_location);
            if there.iter().any(|var| !in_scope.contains(var)) {
                here = self.stop(edit, here, "`longjmp` into a block that was left", call);
            }
            for var in in_scope.iter().filter(|var| !there.contains(var)) {
                if edit.program().vars[*var].address_taken {
                    here = self.step(edit, here, Op::Kill(*var));
                }
            }
            self.edge(edit, here, *resume, Op::Skip);
        }
        self.stop(edit, at, "`longjmp` to a buffer that an earlier call of the same `setjmp` set", call);
        other
    }

    /// Returns from a function that is not the one the jump goes to.
    fn leave(&mut self, edit: &mut Edit<'_>, from: LocId, function: FuncId, call: &Edge) {
        let program = edit.program();
        let name = program.function_name(function).to_string();
        let Body::Defined(automaton) = &program.functions[function].body else { return };
        let exit = automaton.exit;
        let Type::Function(signature) = program.types.get(program.functions[function].ty) else { return };
        let result = signature.result;
        if name == "main" {
            self.stop(edit, from, "`longjmp` to a function that has returned", call);
            return;
        }
        let value = (result != TypeId::VOID).then(|| {
            let var = self.result_of_type(edit, result);
            read(edit, var)
        });
        self.edge(edit, from, exit, Op::Return(value));
    }

    fn result_variable(&mut self, edit: &mut Edit<'_>, dest: PlaceId) -> VarId {
        let ty = edit.program().places[dest].ty;
        self.result_of_type(edit, ty)
    }

    fn result_of_type(&mut self, edit: &mut Edit<'_>, ty: TypeId) -> VarId {
        let span = self.span;
        *self.results.entry(ty).or_insert_with(|| {
            let program = edit.program();
            let name = program.names.intern("__library_result");
            let (kind, init) = (VarKind::Global, Init::Zero);
            program.vars.push(Var { name, ty, kind, init, address_taken: false, read_only: false, span })
        })
    }

    fn edge(&self, edit: &mut Edit<'_>, from: LocId, to: LocId, op: Op) -> EdgeId {
        edit.add_edge(Edge { from, to, op, span: self.span, anchor: self.span.lo, caveat: None })
    }

    /// What is not supported, at a call.
    fn stop(&self, edit: &mut Edit<'_>, from: LocId, reason: &str, call: &Edge) -> LocId {
        let (op, to) = (Op::Poison(intern(edit, reason)), edit.add_location(from));
        edit.add_edge(Edge { from, to, op, caveat: None, ..call.clone() });
        to
    }

    fn step(&self, edit: &mut Edit<'_>, from: LocId, op: Op) -> LocId {
        let to = edit.add_location(from);
        self.edge(edit, from, to, op);
        to
    }

    /// The locations where the condition is true and where it is false.
    fn branch(&self, edit: &mut Edit<'_>, from: LocId, cond: ExprId) -> (LocId, LocId) {
        let role = AssumeRole::Branch(Branch::If);
        let yes = self.step(edit, from, Op::Assume { cond, truth: true, role });
        (yes, self.step(edit, from, Op::Assume { cond, truth: false, role }))
    }
}

/// The variable that a place is a part of.
fn root(program: &Program, place: PlaceId) -> Option<VarId> {
    match program.places[place].kind {
        PlaceKind::Var(var) => Some(var),
        PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => root(program, base),
        PlaceKind::Deref(_) => None,
    }
}

fn var_type(edit: &mut Edit<'_>, var: VarId) -> TypeId {
    edit.program().vars[var].ty
}

fn var_place(edit: &mut Edit<'_>, var: VarId) -> PlaceId {
    let ty = var_type(edit, var);
    edit.program().places.push(Place { kind: PlaceKind::Var(var), ty })
}

fn push(edit: &mut Edit<'_>, kind: ExprKind, ty: TypeId) -> ExprId {
    edit.program().exprs.push(Expr { kind, ty, span: Span::NONE })
}

fn read(edit: &mut Edit<'_>, var: VarId) -> ExprId {
    let place = var_place(edit, var);
    let ty = var_type(edit, var);
    push(edit, ExprKind::Read(place), ty)
}

/// Zero, or a null pointer.
fn constant(edit: &mut Edit<'_>, ty: TypeId) -> ExprId {
    push(edit, ExprKind::Const(cfa::Bits::ZERO), ty)
}

fn intern(edit: &mut Edit<'_>, text: &str) -> Symbol {
    edit.program().names.intern(text)
}

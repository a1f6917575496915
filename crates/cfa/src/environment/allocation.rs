//! Allocation that may fail: before each call of an allocating function an input decides whether it gives null and does nothing else.
//!
//! What `errno` is after a failed allocation is not said: where a program looks at `errno`, nothing is proved behind one.

use super::{add_expr, add_object};
use crate::edit::Edit;
use crate::library::LibFn;
use crate::{Bits, Body, Callee, EdgeId, ExprKind, FuncId, Function, InputKind, Op, PlaceId, Program, TypeId, eval};
use crate::{RelocationTarget, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// What `posix_memalign` returns if there is no memory.
const ENOMEM: i128 = 12;

pub(super) fn may_fail(program: &mut Program) {
    without_pointers(program);
    let calls: Vec<(EdgeId, FuncId, Option<PlaceId>)> = program
        .edges
        .iter()
        .filter_map(|(edge, data)| match data.op {
            Op::Call { dest, callee: Callee::Direct(function), .. } if allocates(program, function) => {
                Some((edge, function, dest))
            }
            _ => None,
        })
        .collect();
    let functions: BTreeSet<FuncId> = calls.iter().map(|(_, function, _)| *function).collect();
    let mut decisions = BTreeMap::new();
    for function in functions {
        let name = format!("{} fails", program.function_name(function));
        let place = add_object(program, &name, TypeId::BOOL);
        let read = add_expr(program, ExprKind::Read(place), TypeId::BOOL);
        decisions.insert(function, (place, read));
    }
    let looks_at_errno = program.function_named("__errno_location").is_some();
    let errno = looks_at_errno.then(|| program.names.intern("the value of `errno` after a failed allocation"));
    let results: Vec<Op> = calls.iter().map(|(_, function, dest)| failed(program, *function, *dest)).collect();
    let mut edit = Edit::new(program);
    for ((edge, function, _), failed) in calls.into_iter().zip(results) {
        let (place, read) = decisions[&function];
        edit.insert_before(edge, Op::Havoc(place, InputKind::Written(function))).expect("a call is no branch");
        let failing = edit.replace_if(edge, read, failed).expect("a call is no branch");
        if let Some(errno) = errno {
            edit.set_caveat(failing, errno);
        }
    }
    edit.finish().expect("nothing was removed");
}

pub(super) fn allocates(program: &Program, function: FuncId) -> bool {
    let Body::Library(meaning) = program.functions[function].body else { return false };
    matches!(
        meaning,
        LibFn::Malloc
            | LibFn::Calloc
            | LibFn::Realloc
            | LibFn::ReallocArray
            | LibFn::AlignedAlloc
            | LibFn::PosixMemalign
            | LibFn::Strdup
    )
}

/// What a call does that fails.
fn failed(program: &mut Program, function: FuncId, dest: Option<PlaceId>) -> Op {
    let Some(dest) = dest else { return Op::Skip };
    let ty = program.places[dest].ty;
    let bits = match program.functions[function].body {
        Body::Library(LibFn::PosixMemalign) => eval::from_i128(&program.types, ty, ENOMEM),
        _ => Bits::ZERO,
    };
    Op::Assign(dest, add_expr(program, ExprKind::Const(bits), ty))
}

/// A call through a pointer cannot be told from others: pointers to allocating functions lead to one that is not supported.
fn without_pointers(program: &mut Program) {
    let mut instead: BTreeMap<FuncId, FuncId> = BTreeMap::new();
    let functions: Vec<FuncId> = program.functions.ids().filter(|function| allocates(program, *function)).collect();
    let exprs: Vec<_> = program.exprs.ids().collect();
    for function in functions {
        let is_here = |kind: &ExprKind| *kind == ExprKind::FuncAddr(function);
        if !is_pointed_to(program, function) {
            continue;
        }
        let other = *instead.entry(function).or_insert_with(|| {
            let name = format!("{} that may fail, called through a pointer", program.function_name(function));
            let name = program.names.intern(&name);
            let Function { ty, span, .. } = program.functions[function].clone();
            let body = Body::Library(LibFn::WITHOUT_BODY);
            program.functions.push(Function { name, ty, params: Vec::new(), body, span })
        });
        for expr in &exprs {
            if is_here(&program.exprs[*expr].kind) {
                program.exprs[*expr].kind = ExprKind::FuncAddr(other);
            }
        }
        for (var, index) in relocations(program, function) {
            if let crate::Init::Static(init) = &mut program.vars[var].init {
                init.relocations[index].target = RelocationTarget::Function(other);
            }
        }
    }
}

/// Whether some pointer leads to a function.
pub(super) fn is_pointed_to(program: &Program, function: FuncId) -> bool {
    let in_exprs = program.exprs.values().any(|expr| expr.kind == ExprKind::FuncAddr(function));
    in_exprs || !relocations(program, function).is_empty()
}

/// The places in objects of static lifetime that hold the address of a function.
fn relocations(program: &Program, function: FuncId) -> Vec<(VarId, usize)> {
    let mut found = Vec::new();
    for (var, data) in program.vars.iter() {
        if let crate::Init::Static(init) = &data.init {
            let hits = init.relocations.iter().enumerate();
            let hits = hits.filter(|(_, one)| one.target == RelocationTarget::Function(function));
            found.extend(hits.map(|(index, _)| (var, index)));
        }
    }
    found
}

//! What calls of functions without a body do, beyond giving an input as their result. The program is changed so that every stage sees the
//! same: behind such a call stand edges that give inputs to the scalars that the function can reach, and where it can reach more than can
//! be named, a call of a function that means "something may have been written here", behind which nothing is proved.
//!
//! Reached are objects with external linkage and what the arguments point to, now or at an earlier call. Assumed is that such functions
//! return, do not call functions of the program, and do not write what is passed to them as a pointer to `const`.

mod reach;

use crate::edit::Edit;
use crate::library::LibFn;
use crate::{
    Body, Callee, EdgeId, ExprKind, FuncId, Function, InputKind, Op, Program, RelocationTarget, TypeId, VarId,
};
use base::Span;
use reach::Reach;
use std::collections::{BTreeMap, BTreeSet};

/// What calls of functions without a body are taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UndefinedFunctions {
    /// They return an arbitrary value and change nothing.
    Pure,
    /// They also write arbitrary values to what they can reach.
    Havoc,
    /// Calling one is not supported.
    Error,
}

/// What only the frontend knows about the outside of a program.
#[derive(Clone, Default, Debug)]
pub struct Outside {
    /// Objects with external linkage.
    pub external: BTreeSet<VarId>,
    /// Objects that are declared `const`.
    pub constant: BTreeSet<VarId>,
    /// For each parameter of a function whether it is a pointer to `const`.
    pub reads_only: BTreeMap<FuncId, Vec<bool>>,
}

/// Gives the calls of functions without a body their meaning; the functions, by name, if there are such calls.
pub fn apply(program: &mut Program, outside: &Outside, meaning: UndefinedFunctions) -> Vec<String> {
    let named = address_taken(program);
    let mut called = BTreeSet::new();
    let mut sites = Vec::new();
    for (edge, data) in program.edges.iter() {
        match data.op {
            Op::Call { callee: Callee::Direct(function), .. } if is_undefined(program, function) => {
                called.insert(function);
                sites.push((edge, vec![function]));
            }
            Op::Call { callee: Callee::Indirect(_), .. } if !named.is_empty() => {
                called.extend(&named);
                sites.push((edge, named.iter().copied().collect()));
            }
            _ => {}
        }
    }
    match meaning {
        UndefinedFunctions::Pure => {}
        UndefinedFunctions::Error => {
            for function in &called {
                program.functions[*function].body = Body::Library(LibFn::WITHOUT_BODY);
            }
        }
        UndefinedFunctions::Havoc => write_what_is_reached(program, outside, &sites),
    }
    called.iter().map(|function| program.function_name(*function).to_string()).collect()
}

/// Whether a function has no body and is not there to give inputs, which it may do as a record too.
fn is_undefined(program: &Program, function: FuncId) -> bool {
    let name = program.function_name(function);
    let gives_inputs = ["__VERIFIER_nondet_", "nondet_"].iter().any(|prefix| name.starts_with(prefix));
    program.functions[function].body == Body::Undefined && !gives_inputs
}

/// Functions without a body whose address is taken: a call through a pointer may be one of them.
fn address_taken(program: &Program) -> BTreeSet<FuncId> {
    let in_exprs = program.exprs.iter().filter_map(|(_, expr)| match expr.kind {
        ExprKind::FuncAddr(function) => Some(function),
        _ => None,
    });
    let in_objects = program.vars.iter().flat_map(|(_, var)| match &var.init {
        crate::Init::Static(init) => init.relocations.as_slice(),
        _ => &[],
    });
    let in_objects = in_objects.filter_map(|relocation| match relocation.target {
        RelocationTarget::Function(function) => Some(function),
        RelocationTarget::Var(_) => None,
    });
    in_exprs.chain(in_objects).filter(|function| is_undefined(program, *function)).collect()
}

fn write_what_is_reached(program: &mut Program, outside: &Outside, sites: &[(EdgeId, Vec<FuncId>)]) {
    let reach = Reach::new(program, outside, sites);
    let reached: Vec<_> = sites.iter().map(|(edge, functions)| reach.of_call(program, *edge, functions)).collect();
    let mut behind: BTreeMap<EdgeId, Vec<Op>> = BTreeMap::new();
    let mut markers: BTreeMap<FuncId, FuncId> = BTreeMap::new();
    for ((edge, functions), reached) in sites.iter().zip(reached) {
        let Some(function) = functions.first().copied() else { continue };
        let mut more = reached.more;
        let mut ops = Vec::new();
        for var in reached.objects {
            let (places, all) = reach::scalars(program, var);
            more |= !all;
            ops.extend(places.into_iter().map(|place| Op::Havoc(place, InputKind::Written(function))));
        }
        if more {
            let marker = *markers.entry(function).or_insert_with(|| may_write(program, function));
            let args = program.args.len() as u32;
            ops.push(Op::Call { dest: None, callee: Callee::Direct(marker), args: (args, args) });
        }
        if !ops.is_empty() {
            behind.insert(*edge, ops);
        }
    }
    let mut edit = Edit::new(program);
    for (edge, ops) in behind {
        for op in ops.into_iter().rev() {
            edit.insert_behind(edge, op).expect("a call does not return from its caller");
        }
    }
    edit.finish().expect("nothing was removed");
    #[cfg(debug_assertions)]
    if let Err(broken) = crate::verify::verify(program) {
        panic!("writes of undefined functions broke the program representation: {broken:#?}");
    }
}

/// The function whose call says that another one may have written something that is not known; its name is what users read.
fn may_write(program: &mut Program, writer: FuncId) -> FuncId {
    let name = format!("memory that the undefined function `{}` may write", program.function_name(writer));
    let name = program.names.intern(&name);
    let ty = program.types.intern(crate::Type::Function(crate::types::FunctionType {
        result: TypeId::VOID,
        params: Vec::new(),
        variadic: false,
        unprototyped: false,
    }));
    let body = Body::Library(LibFn::MayWrite);
    program.functions.push(Function { name, ty, params: Vec::new(), body, span: Span::NONE })
}

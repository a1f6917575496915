//! Facts about the program that executions ask for, each found once, when it is first needed.

use cfa::library::{Classify, LibFn, Math};
use cfa::types::RecordKind;
use cfa::{AssumeRole, Body, EdgeId, Expr, ExprKind, FuncId, Init, LocId, Op, Program, RelocationTarget, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub(crate) struct Facts {
    address_taken_functions: Option<Vec<FuncId>>,
    error_calls: Option<ErrorCalls>,
    sees_float_bits: Option<bool>,
    padded: FxHashMap<TypeId, bool>,
}

#[derive(Default)]
struct ErrorCalls {
    by_branch: FxHashMap<LocId, Vec<EdgeId>>,
    decided: FxHashSet<EdgeId>,
}

impl Facts {
    /// Functions that a pointer may name, ascending.
    pub fn address_taken_functions(&mut self, program: &Program) -> &[FuncId] {
        self.address_taken_functions.get_or_insert_with(|| {
            let in_code = program.exprs.values().filter_map(|expr| match expr.kind {
                ExprKind::FuncAddr(function) => Some(function),
                _ => None,
            });
            let in_data = program.vars.values().flat_map(|var| match &var.init {
                Init::Static(init) => init.relocations.as_slice(),
                _ => &[],
            });
            let in_data = in_data.filter_map(|relocation| match relocation.target {
                RelocationTarget::Function(function) => Some(function),
                RelocationTarget::Var(_) => None,
            });
            let mut functions: Vec<FuncId> = in_code.chain(in_data).collect();
            functions.sort_unstable();
            functions.dedup();
            functions
        })
    }

    /// The error calls (`__assert_fail` behind `assert`, `reach_error`) that a branch decides about: an assertion is evaluated where its branch is,
    /// not where its call is, which no run of a correct program reaches.
    pub fn error_calls(&mut self, program: &Program, branch: LocId) -> &[EdgeId] {
        let calls = self.error_calls.get_or_insert_with(|| ErrorCalls::of(program));
        calls.by_branch.get(&branch).map_or(&[], Vec::as_slice)
    }

    /// Whether a branch before an error call says when its assertion is evaluated.
    pub fn is_decided_before(&mut self, program: &Program, call: EdgeId) -> bool {
        self.error_calls.get_or_insert_with(|| ErrorCalls::of(program)).decided.contains(&call)
    }

    /// Whether a type is a structure (or an array of them) with padding.
    pub fn is_padded(&mut self, program: &Program, ty: TypeId) -> bool {
        if program.types.is_scalar(ty) {
            return false;
        }
        let find = || crate::layout::of_type(&program.types, ty).is_some_and(|layout| layout.padded);
        *self.padded.entry(ty).or_insert_with(find)
    }

    /// Whether the program can look at the bits of a float: through a union, a pointer of another type, or a function that takes the sign.
    pub fn sees_float_bits(&mut self, program: &Program) -> bool {
        *self.sees_float_bits.get_or_insert_with(|| {
            let types = &program.types;
            let is_float = |ty: TypeId| ty.float_kind().is_some();
            let to_float = |ty: TypeId| types.pointee(ty).is_some_and(is_float);
            let converts = |expr: &Expr| match expr.kind {
                ExprKind::Cast(from) => {
                    let from = program.exprs[from].ty;
                    types.is_pointer(from) && types.is_pointer(expr.ty) && to_float(from) != to_float(expr.ty)
                }
                _ => false,
            };
            let in_union = types
                .records
                .values()
                .any(|record| record.kind == RecordKind::Union && record.fields.iter().any(|field| is_float(field.ty)));
            let takes_sign = program.functions.values().any(|function| {
                let Body::Library(meaning) = function.body else { return false };
                matches!(meaning, LibFn::Math(Math::Copysign, _) | LibFn::Classify(Classify::Signbit))
            });
            in_union || takes_sign || program.exprs.values().any(converts)
        })
    }
}

impl ErrorCalls {
    fn of(program: &Program) -> ErrorCalls {
        let mut into: FxHashMap<LocId, Vec<EdgeId>> = FxHashMap::default();
        for (id, edge) in program.edges.iter() {
            into.entry(edge.to).or_default().push(id);
        }
        let fails = |op: Op| match op {
            Op::Assert { cond, .. } => program.constant(cond).is_some_and(|value| value.is_zero()),
            _ => false,
        };
        let mut found = ErrorCalls::default();
        for (call, edge) in program.edges.iter().filter(|(_, edge)| fails(edge.op)) {
            let mut branches = Vec::new();
            let mut open = vec![edge.from];
            let mut seen = FxHashSet::default();
            while let Some(location) = open.pop() {
                for before in into.get(&location).into_iter().flatten().map(|edge| &program.edges[*edge]) {
                    match before.op {
                        Op::Assume { role: AssumeRole::Branch(_), .. } => branches.push(before.from),
                        Op::Skip if seen.insert(before.from) => open.push(before.from),
                        _ => {}
                    }
                }
            }
            branches.sort_unstable();
            branches.dedup();
            // Of the operands of `&&` and `||`, the first one: it is evaluated once each time.
            let follows = |branch: &LocId| {
                let edges = into.get(branch).into_iter().flatten();
                edges.map(|edge| program.edges[*edge].from).any(|from| branches.contains(&from))
            };
            for branch in branches.iter().filter(|branch| !follows(branch)) {
                found.by_branch.entry(*branch).or_default().push(call);
                found.decided.insert(call);
            }
        }
        found
    }
}

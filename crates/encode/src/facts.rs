//! Facts about the program that executions ask for, each found once, when it is first needed.

use cfa::analysis::recursion::functions_with_address;
use cfa::library::{Classify, LibFn, Math};
use cfa::types::RecordKind;
use cfa::{
    AssumeRole, Body, Callee, EdgeId, Expr, ExprId, ExprKind, FuncId, LocId, Op, PlaceId, PlaceKind, Program, Type,
    TypeId, TypeTable, VarId, VarKind,
};
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
        self.address_taken_functions.get_or_insert_with(|| functions_with_address(program))
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

    pub fn sees_float_bits(&mut self, program: &Program) -> bool {
        *self.sees_float_bits.get_or_insert_with(|| sees_float_bits(program))
    }
}

/// Whether the program can look at the bits of a float: through a union, a pointer of another type, or a function that takes the sign. What comes from
/// an allocation or goes to `free` is a pointer of one type only.
pub fn sees_float_bits(program: &Program) -> bool {
    let types = &program.types;
    let in_union = types
        .records
        .values()
        .any(|record| record.kind == RecordKind::Union && record.fields.iter().any(|field| has_float(types, field.ty)));
    let takes_sign = |function: FuncId| {
        let Body::Library(meaning) = program.functions[function].body else { return false };
        matches!(meaning, LibFn::Math(Math::Copysign, _) | LibFn::Classify(Classify::Signbit))
    };
    let called = program.edges.values().any(|edge| match edge.op {
        Op::Call { callee: Callee::Direct(function), .. } => takes_sign(function),
        _ => false,
    });
    let named =
        program.exprs.values().any(|expr| matches!(expr.kind, ExprKind::FuncAddr(function) if takes_sign(function)));
    if in_union || called || named {
        return true;
    }
    let target = |ty: TypeId| types.pointee(ty).map(|ty| element(types, ty));
    let conversion = |expr: &Expr| match expr.kind {
        ExprKind::Cast(from) => {
            let (before, after) = (target(program.exprs[from].ty)?, target(expr.ty)?);
            (before != after && (has_float(types, before) || has_float(types, after))).then_some(from)
        }
        _ => None,
    };
    let mut conversions = program.exprs.iter().filter_map(|(id, expr)| Some((id, conversion(expr)?))).peekable();
    if conversions.peek().is_none() {
        return false;
    }
    let blocks = Blocks::of(program);
    conversions.any(|(id, from)| !blocks.freed.contains(&id) && !blocks.is_fresh(program, from))
}

/// What an array consists of in the end.
fn element(types: &TypeTable, mut ty: TypeId) -> TypeId {
    while let Type::Array(inner, _) = types.get(ty) {
        ty = *inner;
    }
    ty
}

fn has_float(types: &TypeTable, ty: TypeId) -> bool {
    let ty = element(types, ty);
    match types.get(ty) {
        Type::Record(record) => types.records[*record].fields.iter().any(|field| has_float(types, field.ty)),
        _ => ty.float_kind().is_some(),
    }
}

/// Where allocations begin and end.
struct Blocks {
    /// Arguments of `free`: the conversion of an argument is made for it alone.
    freed: FxHashSet<ExprId>,
    /// Results of allocations that are read once.
    fresh: FxHashSet<VarId>,
}

impl Blocks {
    fn of(program: &Program) -> Blocks {
        let mut blocks = Blocks { freed: FxHashSet::default(), fresh: FxHashSet::default() };
        for edge in program.edges.values() {
            let Op::Call { dest, callee: Callee::Direct(function), args } = edge.op else { continue };
            match program.functions[function].body {
                Body::Library(LibFn::Free) => {
                    blocks.freed.extend(program.args[args.0 as usize..args.1 as usize].iter().copied());
                }
                Body::Library(LibFn::Malloc | LibFn::Calloc) => {
                    let var = dest.and_then(|dest| variable(program, dest));
                    blocks.fresh.extend(var.filter(|var| matches!(program.vars[*var].kind, VarKind::Temp(_))));
                }
                _ => {}
            }
        }
        let mut read = FxHashSet::default();
        for var in program.exprs.values().filter_map(|expr| read_variable(program, expr)) {
            if !read.insert(var) {
                blocks.fresh.remove(&var);
            }
        }
        blocks
    }

    fn is_fresh(&self, program: &Program, expr: ExprId) -> bool {
        read_variable(program, &program.exprs[expr]).is_some_and(|var| self.fresh.contains(&var))
    }
}

fn read_variable(program: &Program, expr: &Expr) -> Option<VarId> {
    match expr.kind {
        ExprKind::Read(place) => variable(program, place),
        _ => None,
    }
}

fn variable(program: &Program, place: PlaceId) -> Option<VarId> {
    match program.places[place].kind {
        PlaceKind::Var(var) => Some(var),
        _ => None,
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

//! What a function without a body can reach when it is called: objects of the program by name, and whether there may be more.

use super::Outside;
use crate::types::RecordKind;
use crate::{
    Body, Callee, EdgeId, Expr, ExprId, ExprKind, FuncId, Op, Place, PlaceId, PlaceKind, Program, RelocationTarget,
    Type, TypeId, VarId, VarKind, eval,
};
use base::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Scalars of one object that get inputs; a larger one is not written, and nothing is proved behind the call.
const MAX_SCALARS: usize = 64;

/// What a call reaches.
#[derive(Default)]
pub(super) struct Reached {
    pub objects: BTreeSet<VarId>,
    /// Something that has no name here.
    pub more: bool,
}

pub(super) struct Reach<'o> {
    outside: &'o Outside,
    /// Objects at file scope that a function outside can name, and that matter.
    globals: BTreeSet<VarId>,
    /// Objects whose address some call passes: a later call may still know it.
    passed: BTreeSet<VarId>,
    /// For each function, the functions that may be active when it runs.
    below: BTreeMap<FuncId, BTreeSet<FuncId>>,
}

/// What a pointer points to.
enum Target {
    Object(VarId),
    Nothing,
    Unknown,
}

impl<'o> Reach<'o> {
    pub fn new(program: &Program, outside: &'o Outside, sites: &[(EdgeId, Vec<FuncId>)]) -> Self {
        let read = read_objects(program);
        let writable = |var: &&VarId| {
            matches!(program.vars[**var].kind, VarKind::Global) && !outside.constant.contains(var) && read.contains(var)
        };
        let globals = outside.external.iter().filter(writable).copied().collect();
        let mut reach = Reach { outside, globals, passed: BTreeSet::new(), below: callers(program) };
        for (edge, functions) in sites {
            let mut reached = Reached::default();
            reach.arguments(program, *edge, functions, &mut reached);
            reach.passed.extend(reached.objects);
        }
        reach
    }

    pub fn of_call(&self, program: &Program, edge: EdgeId, functions: &[FuncId]) -> Reached {
        let mut reached = Reached::default();
        self.arguments(program, edge, functions, &mut reached);
        reached.objects.extend(&self.globals);
        let here = program.locations[program.edges[edge].from].function;
        let visible: BTreeSet<VarId> = program.automatic_at(program.edges[edge].from).into_iter().collect();
        for var in &self.passed {
            match program.vars[*var].kind.function() {
                None => drop(reached.objects.insert(*var)),
                Some(_) if visible.contains(var) => drop(reached.objects.insert(*var)),
                // Of a function that called this one; a variable of this activation that is out of scope is gone.
                Some(owner) => reached.more |= self.below.get(&here).is_some_and(|below| below.contains(&owner)),
            }
        }
        // Its result is arbitrary already.
        if let Op::Call { dest: Some(dest), .. } = program.edges[edge].op
            && let PlaceKind::Var(var) = program.places[dest].kind
            && program.types.is_scalar(program.places[dest].ty)
        {
            reached.objects.remove(&var);
        }
        reached
    }

    /// What the arguments of a call point to.
    fn arguments(&self, program: &Program, edge: EdgeId, functions: &[FuncId], reached: &mut Reached) {
        let Op::Call { args, .. } = program.edges[edge].op else { return };
        for (index, arg) in program.call_args(args).iter().enumerate() {
            let reads_only = |function: &FuncId| {
                let pointers = self.outside.reads_only.get(function);
                pointers.and_then(|pointers| pointers.get(index)).copied().unwrap_or(false)
            };
            let ty = program.exprs[*arg].ty;
            if !program.types.is_scalar(ty) {
                reached.more |= holds_pointers(program, ty);
                continue;
            }
            if !program.types.is_pointer(without_casts(program, *arg).1) && !program.types.is_pointer(ty) {
                continue;
            }
            let pointee = program.types.pointee(ty).unwrap_or(TypeId::VOID);
            let only_read = functions.iter().all(reads_only);
            match target(program, *arg) {
                Target::Nothing => {}
                Target::Object(var) if only_read => reached.more |= holds_pointers(program, program.vars[var].ty),
                Target::Object(var) => {
                    let constant = program.vars[var].kind == VarKind::Constant || self.outside.constant.contains(&var);
                    if !constant {
                        reached.objects.insert(var);
                    }
                }
                Target::Unknown => reached.more |= !only_read || holds_pointers(program, pointee),
            }
        }
    }
}

/// An expression behind its casts, and its type.
fn without_casts(program: &Program, mut expr: ExprId) -> (ExprId, TypeId) {
    while let ExprKind::Cast(inner) = program.exprs[expr].kind {
        expr = inner;
    }
    (expr, program.exprs[expr].ty)
}

fn target(program: &Program, pointer: ExprId) -> Target {
    let (expr, _) = without_casts(program, pointer);
    match program.exprs[expr].kind {
        ExprKind::Const(bits) if bits.is_zero() => Target::Nothing,
        ExprKind::AddrOf(place) => root(program, place).map_or(Target::Unknown, Target::Object),
        ExprKind::PtrAdd(base, _) | ExprKind::PtrSub(base, _) => target(program, base),
        _ => Target::Unknown,
    }
}

/// The variable that a place is a part of.
fn root(program: &Program, mut place: PlaceId) -> Option<VarId> {
    loop {
        match program.places[place].kind {
            PlaceKind::Var(var) => return Some(var),
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => place = base,
            PlaceKind::Deref(_) => return None,
        }
    }
}

/// Whether memory of a type may hold addresses. Of an incomplete type nothing is known.
fn holds_pointers(program: &Program, ty: TypeId) -> bool {
    match program.types.get(ty) {
        Type::Int(_) | Type::Float(_) => false,
        Type::Void | Type::Pointer(_) | Type::Function(_) => true,
        Type::Array(element, _) => holds_pointers(program, *element),
        Type::Record(record) => {
            let record = &program.types.records[*record];
            !record.complete || record.fields.iter().any(|field| holds_pointers(program, field.ty))
        }
    }
}

/// Variables whose value some expression uses, or whose address is taken.
fn read_objects(program: &Program) -> BTreeSet<VarId> {
    let in_exprs = program.exprs.iter().filter_map(|(_, expr)| match expr.kind {
        ExprKind::Read(place) | ExprKind::AddrOf(place) => root(program, place),
        _ => None,
    });
    let taken = program.vars.iter().filter(|(_, var)| var.address_taken).map(|(var, _)| var);
    in_exprs.chain(taken).collect()
}

/// For each function, those from which it can be reached by calls.
fn callers(program: &Program) -> BTreeMap<FuncId, BTreeSet<FuncId>> {
    let defined = |function: &FuncId| matches!(program.functions[*function].body, Body::Defined(_));
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
    let by_pointer: BTreeSet<FuncId> = in_exprs.chain(in_objects).filter(defined).collect();
    let mut below: BTreeMap<FuncId, BTreeSet<FuncId>> = BTreeMap::new();
    for (_, edge) in program.edges.iter() {
        let caller = program.locations[edge.from].function;
        let callees: Vec<FuncId> = match edge.op {
            Op::Call { callee: Callee::Direct(function), .. } => vec![function],
            Op::Call { callee: Callee::Indirect(_), .. } => by_pointer.iter().copied().collect(),
            _ => continue,
        };
        for callee in callees.into_iter().filter(defined) {
            below.entry(callee).or_default().insert(caller);
        }
    }
    loop {
        let mut changed = false;
        for function in below.keys().copied().collect::<Vec<_>>() {
            let mine = below[&function].clone();
            let further: BTreeSet<FuncId> =
                mine.iter().filter_map(|caller| below.get(caller)).flatten().copied().collect();
            let all = below.entry(function).or_default();
            let before = all.len();
            all.extend(further);
            changed |= all.len() > before;
        }
        if !changed {
            return below;
        }
    }
}

/// The scalars of an object that a number can be written to, and whether these are all of it. Pointers keep their values, because one that
/// points nowhere would only raise alarms; unions and large objects keep theirs.
pub(super) fn scalars(program: &mut Program, var: VarId) -> (Vec<PlaceId>, bool) {
    let ty = program.vars[var].ty;
    if !few_scalars(program, ty, &mut 0) {
        return (Vec::new(), false);
    }
    let place = program.places.push(Place { kind: PlaceKind::Var(var), ty });
    let (mut found, mut all) = (Vec::new(), true);
    collect(program, place, &mut found, &mut all);
    (found, all)
}

fn few_scalars(program: &Program, ty: TypeId, count: &mut usize) -> bool {
    match program.types.get(ty) {
        Type::Array(element, Some(length)) => {
            *length <= MAX_SCALARS as u64 && (0..*length).all(|_| few_scalars(program, *element, count))
        }
        Type::Record(record) if program.types.records[*record].kind == RecordKind::Struct => {
            program.types.records[*record].fields.iter().all(|field| few_scalars(program, field.ty, count))
        }
        _ => {
            *count += 1;
            *count <= MAX_SCALARS
        }
    }
}

fn collect(program: &mut Program, place: PlaceId, found: &mut Vec<PlaceId>, all: &mut bool) {
    let ty = program.places[place].ty;
    match program.types.get(ty).clone() {
        Type::Int(_) | Type::Float(_) => found.push(place),
        Type::Array(element, Some(length)) => {
            for index in 0..length {
                let bits = eval::from_i128(&program.types, TypeId::INT, index as i128);
                let index = program.exprs.push(Expr { kind: ExprKind::Const(bits), ty: TypeId::INT, span: Span::NONE });
                let inner = program.places.push(Place { kind: PlaceKind::Index(place, index), ty: element });
                collect(program, inner, found, all);
            }
        }
        Type::Record(record)
            if program.types.records[record].kind == RecordKind::Struct && program.types.records[record].complete =>
        {
            // `const` members are not written, as `const` objects are not.
            let fields = program.types.records[record].fields.iter().enumerate().filter(|(_, field)| !field.is_const);
            let fields: Vec<(usize, TypeId)> = fields.map(|(number, field)| (number, field.ty)).collect();
            for (number, ty) in fields {
                let inner = program.places.push(Place { kind: PlaceKind::Field(place, number as u32), ty });
                collect(program, inner, found, all);
            }
        }
        _ => *all = false,
    }
}

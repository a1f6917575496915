//! Which constants the text assigns to a variable, if it assigns nothing else. Copies of variables, arguments and returned values are followed; the order of
//! statements is not. For flags and program counters such a set is an invariant at every location.

use crate::build::Builder;
use crate::effects::{edges, is_in_union, root};
use crate::scope::Reachable;
use cfa::{Body, Callee, EdgeId, ExprId, ExprKind, FuncId, Init, Op, PlaceId, Program, TypeId, UnOp, VarId, eval};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A variable with more values is no flag.
const MAX_VALUES: usize = 40;

/// What holds a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Holder {
    /// In the builder's form.
    Place(PlaceId),
    /// What a function returns.
    Result(FuncId),
}

#[derive(Clone, Copy, Debug)]
enum AssignedValue {
    Constant(i128),
    /// A comparison or negation: 0 or 1.
    Truth,
    Copy(Holder),
    Any,
}

/// The sets of all variables that only get constants.
#[derive(Default)]
pub struct Assigned {
    sets: FxHashMap<Holder, BTreeSet<i128>>,
    any: FxHashSet<Holder>,
    /// Variables that are written in a way that no place describes.
    any_roots: FxHashSet<VarId>,
    through_pointer: bool,
}

impl Assigned {
    pub fn of(builder: &mut Builder<'_>, reachable: &Reachable, entry: FuncId) -> Self {
        let mut assigned = Assigned::default();
        let mut flows: Vec<(Holder, TypeId, AssignedValue)> = Vec::new();
        for param in builder.program().functions[entry].params.clone() {
            assigned.any_roots.insert(param);
        }
        for function in &reachable.functions {
            for edge in edges(builder.program(), *function) {
                assigned.edge(builder, *function, edge, &mut flows);
            }
        }
        assigned.propagate(builder.program(), &flows);
        assigned
    }

    /// The values of a place, ascending; `None` if the text does not tell.
    pub fn values(&self, program: &Program, place: PlaceId) -> Option<Vec<i128>> {
        let root = root(program, place)?;
        let holder = Holder::Place(place);
        if self.any.contains(&holder)
            || self.any_roots.contains(&root)
            || self.through_pointer && program.vars[root].address_taken
        {
            return None;
        }
        let mut values = self.sets.get(&holder)?.clone();
        values.extend(initial(program, root)?);
        Some(values.into_iter().collect())
    }

    /// The values that a function returns, the same way.
    pub fn returned(&self, function: FuncId) -> Option<Vec<i128>> {
        let holder = Holder::Result(function);
        let values = self.sets.get(&holder).filter(|_| !self.any.contains(&holder))?;
        Some(values.iter().copied().collect())
    }

    fn edge(
        &mut self,
        builder: &mut Builder<'_>,
        function: FuncId,
        edge: EdgeId,
        flows: &mut Vec<(Holder, TypeId, AssignedValue)>,
    ) {
        match builder.program().edges[edge].op {
            Op::Assign(place, expr) => {
                let value = value(builder, expr);
                self.write(builder, place, value, flows);
            }
            Op::Havoc(place, _) => self.write(builder, place, AssignedValue::Any, flows),
            Op::Return(Some(expr)) => {
                let ty = builder.ty(expr);
                flows.push((Holder::Result(function), ty, value(builder, expr)));
            }
            Op::Call { dest, callee, args } => {
                let program = builder.program();
                let direct = match callee {
                    Callee::Direct(function) => Some(function),
                    Callee::Indirect(_) => None,
                };
                let body = direct.filter(|function| matches!(program.functions[*function].body, Body::Defined(_)));
                let args = program.call_args(args).to_vec();
                match body {
                    Some(function) => {
                        let params = program.functions[function].params.clone();
                        for (param, arg) in params.into_iter().zip(args) {
                            let (ty, place) = (builder.program().vars[param].ty, builder.variable(param));
                            let value = value(builder, arg);
                            flows.push((Holder::Place(place), ty, value));
                        }
                    }
                    None => {
                        self.through_pointer |= args.iter().any(|arg| program.types.is_pointer(program.exprs[*arg].ty));
                        if direct.is_none() {
                            // Any function may get them.
                            let params = program.functions.values().flat_map(|function| function.params.iter());
                            self.any_roots.extend(params);
                        }
                    }
                }
                if let Some(dest) = dest {
                    let result =
                        body.map_or(AssignedValue::Any, |function| AssignedValue::Copy(Holder::Result(function)));
                    self.write(builder, dest, result, flows);
                }
            }
            _ => {}
        }
    }

    fn write(
        &mut self,
        builder: &mut Builder<'_>,
        place: PlaceId,
        value: AssignedValue,
        flows: &mut Vec<(Holder, TypeId, AssignedValue)>,
    ) {
        let Some(root) = root(builder.program(), place) else {
            self.through_pointer = true;
            return;
        };
        let ty = builder.program().places[place].ty;
        let in_union = is_in_union(builder.program(), place);
        match builder.place(place).filter(|_| ty.int_kind().is_some() && !in_union) {
            Some(place) => flows.push((Holder::Place(place), ty, value)),
            None => drop(self.any_roots.insert(root)),
        }
    }

    fn propagate(&mut self, program: &Program, flows: &[(Holder, TypeId, AssignedValue)]) {
        let mut changed = true;
        while changed {
            changed = false;
            for (to, ty, value) in flows {
                if self.any.contains(to) || ty.int_kind().is_none() {
                    continue;
                }
                let values: Vec<i128> = match value {
                    AssignedValue::Constant(value) => vec![*value],
                    AssignedValue::Truth => vec![0, 1],
                    AssignedValue::Copy(from) if !self.is_any(program, *from) => {
                        let before = match from {
                            Holder::Place(place) => root(program, *place).and_then(|root| initial(program, root)?),
                            Holder::Result(_) => None,
                        };
                        self.sets.get(from).into_iter().flatten().copied().chain(before).collect()
                    }
                    AssignedValue::Copy(_) | AssignedValue::Any => {
                        changed |= self.any.insert(*to);
                        continue;
                    }
                };
                let set = self.sets.entry(*to).or_default();
                for value in values {
                    let bits = eval::from_i128(&program.types, *ty, value);
                    changed |= set.insert(eval::to_i128(&program.types, *ty, bits));
                }
                if set.len() > MAX_VALUES {
                    changed |= self.any.insert(*to);
                }
            }
        }
    }

    /// Whether more than constants may come from there.
    fn is_any(&self, program: &Program, holder: Holder) -> bool {
        let Holder::Place(place) = holder else { return self.any.contains(&holder) };
        let Some(root) = root(program, place) else { return true };
        self.any.contains(&holder)
            || self.any_roots.contains(&root)
            || initial(program, root).is_none()
            || self.through_pointer && program.vars[root].address_taken
    }
}

/// The value before the first assignment, if there is one; `None` if it is not known.
fn initial(program: &Program, var: VarId) -> Option<Option<i128>> {
    let var = &program.vars[var];
    match &var.init {
        Init::None => Some(None),
        Init::Zero => Some(Some(0)),
        Init::Static(init) if var.ty.int_kind().is_some() && init.relocations.is_empty() => {
            let mut bytes = [0; 16];
            init.bytes.iter().zip(&mut bytes).for_each(|(from, to)| *to = *from);
            let bits = cfa::Bits::new(u128::from_le_bytes(bytes));
            Some(Some(eval::to_i128(&program.types, var.ty, bits)))
        }
        Init::Static(_) | Init::Unknown => None,
    }
}

fn value(builder: &mut Builder<'_>, mut expr: ExprId) -> AssignedValue {
    loop {
        let program = builder.program();
        match program.exprs[expr].kind {
            ExprKind::Const(bits) if program.exprs[expr].ty.int_kind().is_some() => {
                return AssignedValue::Constant(eval::to_i128(&program.types, program.exprs[expr].ty, bits));
            }
            ExprKind::Cast(inner) if program.exprs[inner].ty.int_kind().is_some() => expr = inner,
            ExprKind::Binary(op, ..) if op.is_comparison() => return AssignedValue::Truth,
            ExprKind::Unary(UnOp::Not, _) => return AssignedValue::Truth,
            ExprKind::Read(place) => {
                return builder
                    .place(place)
                    .map_or(AssignedValue::Any, |place| AssignedValue::Copy(Holder::Place(place)));
            }
            _ => return AssignedValue::Any,
        }
    }
}

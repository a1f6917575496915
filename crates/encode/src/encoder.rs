//! The encoder: what stays from one execution to the next, and the two ways to execute.

use crate::exec::{Bounds, Run};
use crate::limits::Limits;
use crate::order::Order;
use crate::path::{Names, NoFormula, Path, PathFormula};
use crate::relax::Relaxation;
use crate::unrolling::Unrolling;
use crate::watch::Monitor;
use base::Budget;
use cfa::{
    AssumeRole, EdgeId, ExprKind, FuncId, Init, LocId, Op, Program, PropertySet, RelocationTarget, TypeId, VarId,
};
use logic::{TermId, TermPool};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What stays from one execution to the next, so that equal things get equal terms.
pub struct Encoder<'p> {
    pub program: &'p Program,
    pub pool: TermPool,
    pub(crate) limits: Limits,
    object_ids: FxHashMap<ObjectKey, u32>,
    pub(crate) object_keys: Vec<ObjectKey>,
    contexts: FxHashMap<(u32, EdgeId, u64), u32>,
    orders: FxHashMap<FuncId, Rc<Order>>,
    /// Functions that a pointer may name, once that was asked.
    address_taken_functions: Option<Vec<FuncId>>,
    /// Which records have padding, as far as that was asked.
    padded: FxHashMap<TypeId, bool>,
    /// Inputs by name: the same input of two executions is the same variable, so that what the solver learns about it stays true.
    input_vars: FxHashMap<(String, u32), TermId>,
    /// Whether executions note their events.
    pub record_events: bool,
    /// Whether executions note when each assertion is evaluated.
    pub note_assertions: bool,
    /// Error calls by the branches that decide whether they are made, once that was asked.
    error_calls: Option<FxHashMap<LocId, Vec<EdgeId>>>,
    /// If set, executions may go wrong where it says.
    pub relaxation: Option<Relaxation>,
    /// If set, it watches [`Encoder::unroll`], and only violations that it accepts are obligations.
    pub monitor: Option<Box<dyn Monitor + 'p>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ObjectKey {
    None,
    Global(VarId),
    Function(FuncId),
    /// A variable of an activation; the last number tells its lifetimes apart.
    Local(u32, VarId, u64),
    Heap(u32, EdgeId, u64),
    /// A word of the command line; the last one is `argv` itself.
    Argument(u32),
}

impl<'p> Encoder<'p> {
    pub fn new(program: &'p Program) -> Self {
        Encoder {
            program,
            pool: TermPool::new(),
            limits: Limits::default(),
            object_ids: FxHashMap::default(),
            object_keys: vec![ObjectKey::None],
            contexts: FxHashMap::default(),
            orders: FxHashMap::default(),
            address_taken_functions: None,
            padded: FxHashMap::default(),
            input_vars: FxHashMap::default(),
            record_events: false,
            note_assertions: false,
            error_calls: None,
            relaxation: None,
            monitor: None,
        }
    }

    /// The same encoder, but objects have arbitrary addresses.
    pub fn with_arbitrary_addresses(mut self) -> Self {
        crate::address::place_anywhere(&mut self.pool, self.program.model().pointer_bytes() as u32 * 8);
        self
    }

    /// The same encoder, but some loops and functions have bounds of their own.
    pub fn with_limits(self, limits: Limits) -> Self {
        Encoder { limits, ..self }
    }

    pub(crate) fn input_var(&mut self, name: String, width: u32) -> TermId {
        if let Some(known) = self.input_vars.get(&(name.clone(), width)) {
            return *known;
        }
        let term = self.pool.bv_var(&name, width);
        self.input_vars.insert((name, width), term);
        term
    }

    pub(crate) fn address_taken_functions(&mut self) -> &[FuncId] {
        let program = self.program;
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

    /// The error calls (`__assert_fail` behind `assert`, `reach_error`) that a branch decides about: an assertion is evaluated where its branch is, not
    /// where its call is, which no run of a correct program reaches.
    pub(crate) fn error_calls(&mut self, branch: LocId) -> &[EdgeId] {
        let program = self.program;
        let calls = self.error_calls.get_or_insert_with(|| find_error_calls(program));
        calls.get(&branch).map_or(&[], Vec::as_slice)
    }

    /// Whether a branch before an error call says when its assertion is evaluated.
    pub(crate) fn is_decided_before(&mut self, call: EdgeId) -> bool {
        let program = self.program;
        let calls = self.error_calls.get_or_insert_with(|| find_error_calls(program));
        calls.values().any(|calls| calls.contains(&call))
    }

    /// Whether a type is a structure (or an array of them) with padding.
    pub(crate) fn is_padded(&mut self, ty: TypeId) -> bool {
        let types = &self.program.types;
        if types.is_scalar(ty) {
            return false;
        }
        *self.padded.entry(ty).or_insert_with(|| crate::layout::of_type(types, ty).is_some_and(|layout| layout.padded))
    }

    pub(crate) fn object_id(&mut self, key: ObjectKey) -> u32 {
        let keys = &mut self.object_keys;
        *self.object_ids.entry(key).or_insert_with(|| {
            keys.push(key);
            keys.len() as u32 - 1
        })
    }

    pub(crate) fn context_of(&mut self, caller: u32, call: EdgeId, salt: u64) -> u32 {
        let next = self.contexts.len() as u32 + 1;
        *self.contexts.entry((caller, call, salt)).or_insert(next)
    }

    pub(crate) fn order(&mut self, function: FuncId) -> Rc<Order> {
        let program = self.program;
        self.orders.entry(function).or_insert_with(|| Rc::new(Order::of(program, function))).clone()
    }

    /// Executes from a function within bounds.
    pub fn unroll(&mut self, entry: FuncId, bounds: Bounds, budget: &Budget) -> Unrolling {
        let mut run = Run::new(self, bounds, budget, None);
        run.start(entry);
        run.out
    }

    /// Executes along the run that inputs lead to: the formula of how it violates one of the properties.
    pub fn follow(&mut self, run: Follow<'_>, budget: &Budget) -> Result<PathFormula, NoFormula> {
        let bounds = Bounds { unwind: u32::MAX, decided: u32::MAX, steps: u64::MAX, properties: run.properties };
        let path = Path::new(run.inputs, run.args, run.names, run.max_steps);
        let mut executor = Run::new(self, bounds, budget, Some(Box::new(path)));
        executor.start(run.entry);
        let path = executor.path.take().expect("set above");
        path.finish()
    }
}

fn find_error_calls(program: &Program) -> FxHashMap<LocId, Vec<EdgeId>> {
    let mut into: FxHashMap<LocId, Vec<EdgeId>> = FxHashMap::default();
    for (id, edge) in program.edges.iter() {
        into.entry(edge.to).or_default().push(id);
    }
    let fails = |op: Op| match op {
        Op::Assert { cond, .. } => program.constant(cond).is_some_and(|value| value.is_zero()),
        _ => false,
    };
    let mut found: FxHashMap<LocId, Vec<EdgeId>> = FxHashMap::default();
    for (call, edge) in program.edges.iter().filter(|(_, edge)| fails(edge.op)) {
        let mut branches = Vec::new();
        let mut open = vec![edge.from];
        let mut seen = rustc_hash::FxHashSet::default();
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
            found.entry(*branch).or_default().push(call);
        }
    }
    found
}

/// A run to follow.
pub struct Follow<'a> {
    pub entry: FuncId,
    pub inputs: &'a mut dyn cfa::interp::Inputs,
    pub args: &'a cfa::interp::ProgramArgs,
    pub properties: PropertySet,
    pub names: Names,
    /// Longer runs are given up.
    pub max_steps: usize,
}

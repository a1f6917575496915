//! What an edge does to a state: assignments, lifetimes, conditions, library functions, and the ways into and out of a called function.

use crate::cells::{Access, CellId, Kind};
use crate::domains::interval::Range;
use crate::domains::number::Number;
use crate::evaluate::{Context, Evaluated};
use crate::refine::{self, assume};
use crate::relations::{self, Packs};
use crate::state::{AbstractValue, State};
use cfa::analysis::effects::{EffectAnalysis, Effects, Part, Region};
use cfa::analysis::points_to::{Object, Target};
use cfa::library::LibFn;
use cfa::{Body, Callee, EdgeId, ExprId, ExprKind, FuncId, Init, Op, PlaceId, Program, Property, TypeId, VarId, eval};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Elements of an array whose initial values are looked at; a larger one can hold anything.
const MAX_ELEMENTS: u64 = 4096;

pub struct Transfer<'p> {
    pub context: Context<'p>,
    pub effects: &'p EffectAnalysis<'p, 'p>,
    packs: Packs,
    of_calls: RefCell<FxHashMap<EdgeId, Rc<Effects>>>,
}

impl<'p> Transfer<'p> {
    pub fn new(context: Context<'p>, effects: &'p EffectAnalysis<'p, 'p>) -> Self {
        let packs = Packs::of(&context);
        Transfer { context, effects, packs, of_calls: RefCell::default() }
    }

    fn program(&self) -> &'p Program {
        self.context.program
    }

    /// Before the first step: objects of static lifetime have their initial contents.
    pub fn initial(&self, entry: FuncId) -> State {
        let mut state = State::default();
        for (cell, data) in self.context.cells.all.iter().enumerate() {
            let (Some(var), None) = (data.var, data.owner) else { continue };
            let given: &[u8] = match &self.program().vars[var].init {
                Init::Zero => &[],
                Init::Static(init) => {
                    let relocated = |offset: u64| data.offsets.overlaps(data.size, offset_of(offset), 8);
                    if init.relocations.iter().any(|relocation| relocated(relocation.offset)) {
                        continue;
                    }
                    &init.bytes
                }
                Init::None | Init::Unknown => continue,
            };
            let size = self.program().types.size_of(self.program().vars[var].ty).unwrap_or(0);
            let step = if data.offsets.stride == 0 { size.max(1) } else { data.offsets.stride as u64 };
            let mut joined: Option<AbstractValue> = None;
            // Behind the given bytes there are zeros; one of them is enough.
            let end = size.min(given.len() as u64 + step);
            if end / step > MAX_ELEMENTS {
                continue;
            }
            for at in (data.offsets.start as u64..end.max(data.offsets.start as u64 + 1)).step_by(step as usize) {
                let byte = |index: u64| given.get((at + index) as usize).copied().unwrap_or(0);
                let bits = (0..data.size.min(8)).fold(0u64, |bits, index| bits | (byte(index) as u64) << (8 * index));
                let value = match data.kind {
                    Kind::Int(shape) => AbstractValue::Int(Number::constant(shape, bits)),
                    Kind::Float(cfa::FloatKind::LongDouble) => AbstractValue::top(data.kind),
                    Kind::Float(kind) => {
                        let bits = cfa::Bits { lo: bits, hi: 0 };
                        let number = if data.size == 4 { eval::to_f32(bits) as f64 } else { eval::to_f64(bits) };
                        AbstractValue::Float(crate::domains::float::FloatRange::constant(kind, number))
                    }
                };
                joined = Some(joined.map_or_else(|| value.clone(), |joined| joined.join(&value)));
            }
            if let Some(value) = joined {
                state.set(cell as CellId, value);
            }
        }
        relations::begin(&self.context, &self.packs, &mut state, entry);
        state
    }

    /// An edge that calls no function with a body. `None`: no run takes it.
    pub fn step(&self, mut next: State, edge: EdgeId) -> Option<State> {
        let program = self.program();
        match program.edges[edge].op {
            Op::Skip => {}
            Op::Declare(var) | Op::Kill(var) => self.forget_variable(&mut next, var),
            Op::Alloca(var, _) => {
                self.forget_variable(&mut next, var);
                for cell in self.context.cells.of_variable(var) {
                    if let Kind::Int(shape) = self.context.cells.all[*cell as usize].kind {
                        next.set(*cell, AbstractValue::Int(Number::top(shape).without(0)?));
                    }
                }
            }
            Op::Assign(place, value) => match *self.context.access(place) {
                Access::Exactly(cell) if self.packs.has(cell) => {
                    let before = next.clone();
                    self.assign(&mut next, edge, place, value)?;
                    relations::assigned(&self.context, &self.packs, &before, &mut next, edge, cell, value)?;
                }
                _ => self.assign(&mut next, edge, place, value)?,
            },
            Op::Havoc(place, _) => {
                let ty = program.places[place].ty;
                match Kind::of(program, ty) {
                    Some(kind) => self.store(&mut next, place, AbstractValue::top(kind))?,
                    None => self.forget_place(&mut next, place),
                }
            }
            Op::Assume { cond, truth, .. } => return self.assume(&next, edge, cond, truth),
            Op::Assert { cond, property: Property::Assertion } => return self.assume(&next, edge, cond, true),
            Op::Assert { .. } => {}
            Op::Return(value) => {
                let function = program.locations[program.edges[edge].from].function;
                if let Some(cell) = self.context.cells.results.get(&function) {
                    let value = value.map(|value| self.value(value, &next, edge));
                    next.forget(*cell);
                    match value {
                        Some(Evaluated::AbstractValue(value)) => next.set(*cell, value),
                        Some(Evaluated::Impossible) => return None,
                        Some(Evaluated::Unknown) | None => {}
                    }
                }
            }
            Op::Halt(_) | Op::Poison(_) => return None,
            Op::Call { .. } => {}
        }
        Some(next)
    }

    fn assume(&self, state: &State, edge: EdgeId, cond: ExprId, truth: bool) -> Option<State> {
        let mut refined = assume(&self.context, state, cond, truth)?;
        relations::assumed(&self.context, &self.packs, &mut refined, edge, cond, truth)?;
        Some(refined)
    }

    fn forget_variable(&self, state: &mut State, var: VarId) {
        for cell in self.context.cells.of_variable(var) {
            state.forget(*cell);
        }
    }

    fn assign(&self, state: &mut State, edge: EdgeId, place: PlaceId, value: ExprId) -> Option<()> {
        let program = self.program();
        if !program.types.is_scalar(program.exprs[value].ty) {
            match program.exprs[value].kind {
                ExprKind::Read(from) => self.copy_record(state, place, from),
                _ => self.forget_place(state, place),
            }
            return Some(());
        }
        match self.value(value, state, edge) {
            Evaluated::AbstractValue(value) => self.store(state, place, value),
            Evaluated::Unknown => {
                self.forget_place(state, place);
                Some(())
            }
            Evaluated::Impossible => None,
        }
    }

    /// The value of an expression at an edge. A comparison is also decided by what is known of its variables together.
    fn value(&self, expr: ExprId, state: &State, edge: EdgeId) -> Evaluated {
        let value = self.context.value(expr, state);
        let Evaluated::AbstractValue(AbstractValue::Int(number)) = &value else { return value };
        if number.single().is_some() || !self.is_condition(expr) {
            return value;
        }
        let possible = |truth: bool| self.assume(state, edge, expr, truth).is_some();
        let bits = [0, 1].into_iter().filter(|bit| possible(*bit == 1));
        Number::of_values(number.shape, bits)
            .map_or(Evaluated::Impossible, |number| Evaluated::AbstractValue(AbstractValue::Int(number)))
    }

    fn is_condition(&self, expr: ExprId) -> bool {
        match self.program().exprs[expr].kind {
            ExprKind::Unary(cfa::UnOp::Not, _) => true,
            ExprKind::Binary(op, ..) => op.is_comparison(),
            _ => false,
        }
    }

    /// Stores a value of the place's type.
    fn store(&self, state: &mut State, place: PlaceId, value: AbstractValue) -> Option<()> {
        let cells = &self.context.cells.all;
        match &*self.context.access(place) {
            Access::Exactly(cell) => self.set(state, *cell, value, false),
            Access::Some { whole, partly, .. } => {
                partly.iter().for_each(|cell| state.forget(*cell));
                whole.iter().try_for_each(|cell| self.set(state, *cell, value.clone(), true))
            }
            Access::Anywhere => {
                state.retain(|cell| !cells[cell as usize].in_memory);
                Some(())
            }
        }
    }

    fn set(&self, state: &mut State, cell: CellId, value: AbstractValue, keep_old: bool) -> Option<()> {
        let data = &self.context.cells.all[cell as usize];
        let value = match (value, data.kind) {
            (AbstractValue::Int(number), Kind::Int(shape)) if number.shape != shape => {
                AbstractValue::Int(number.cast(shape)?)
            }
            (value, _) => value,
        };
        let value = if keep_old { state.value(cell, &self.context.cells.all).join(&value) } else { value };
        state.set(cell, value);
        Some(())
    }

    fn forget_place(&self, state: &mut State, place: PlaceId) {
        let cells = &self.context.cells.all;
        match &*self.context.access(place) {
            Access::Exactly(cell) => state.forget(*cell),
            Access::Some { whole, partly, .. } => whole.iter().chain(partly).for_each(|cell| state.forget(*cell)),
            Access::Anywhere => state.retain(|cell| !cells[cell as usize].in_memory),
        }
    }

    fn exact_target(&self, place: PlaceId) -> Option<Target> {
        let targets = self.context.points_to.place(place);
        let target = *targets.known.first()?;
        let exact = !targets.anything && targets.known.len() == 1 && target.offsets.stride == 0;
        exact.then_some(target)
    }

    fn copy_record(&self, state: &mut State, to: PlaceId, from: PlaceId) {
        let before = state.clone();
        self.forget_place(state, to);
        if let (Some(to), Some(source)) = (self.exact_target(to), self.exact_target(from))
            && let (Object::Var(to_var), Object::Var(from_var)) = (to.object, source.object)
        {
            let size = self.program().types.size_of(self.program().places[from].ty).unwrap_or(0);
            self.copy_cells(&before, state, (from_var, source.offsets.start), (to_var, to.offsets.start), size);
        }
    }

    /// What is known of members is known of their copies.
    fn copy_cells(&self, before: &State, state: &mut State, from: (VarId, u32), to: (VarId, u32), size: u64) {
        let all = &self.context.cells.all;
        for cell in self.context.cells.of_variable(to.0) {
            let data = &all[*cell as usize];
            let inside = data.offsets.stride == 0
                && data.offsets.start >= to.1
                && (data.offsets.start - to.1) as u64 + data.size <= size;
            if !inside {
                continue;
            }
            let at = data.offsets.start - to.1 + from.1;
            let same = |other: &&CellId| {
                let other = &all[**other as usize];
                other.offsets.stride == 0 && other.offsets.start == at && other.kind == data.kind
            };
            if let Some(source) = self.context.cells.of_variable(from.0).iter().find(same)
                && let Some(value) = before.get(*source)
            {
                state.set(*cell, value.clone());
            }
        }
    }

    pub fn call_effects(&self, edge: EdgeId) -> Rc<Effects> {
        if let Some(known) = self.of_calls.borrow().get(&edge) {
            return known.clone();
        }
        let effects = Rc::new(self.effects.edge(edge));
        self.of_calls.borrow_mut().insert(edge, effects.clone());
        effects
    }

    fn forget_region(&self, state: &mut State, region: &Region) {
        let (program, cells) = (self.program(), &self.context.cells.all);
        state.retain(|cell| {
            let data = &cells[cell as usize];
            data.var.is_none_or(|var| {
                let part = Part { offsets: data.offsets, extent: data.size };
                !region.touches(program, Object::Var(var), part)
            })
        });
    }

    /// A call of a function without a body.
    pub fn library_call(&self, state: &State, edge: EdgeId, function: FuncId) -> Option<State> {
        let program = self.program();
        let Op::Call { dest, args, callee } = program.edges[edge].op else { return Some(state.clone()) };
        let args = program.call_args(args);
        let meaning = match program.functions[function].body {
            Body::Library(meaning) => Some(meaning),
            _ => None,
        };
        if meaning.is_some_and(|meaning| meaning.ends_run() || matches!(meaning, LibFn::Unsupported { .. })) {
            return None;
        }
        let mut next = state.clone();
        let effects = self.call_effects(edge);
        self.forget_region(&mut next, &effects.writes);
        if effects.unknown {
            let cells = &self.context.cells.all;
            next.retain(|cell| !cells[cell as usize].in_memory && cells[cell as usize].owner.is_some());
        }
        let Some(dest) = dest else { return Some(next) };
        let direct = matches!(callee, Callee::Direct(_));
        let ty = program.places[dest].ty;
        let Some(kind) = Kind::of(program, ty) else {
            self.forget_place(&mut next, dest);
            return Some(next);
        };
        let result = match (meaning, kind) {
            (Some(LibFn::Rand), Kind::Int(shape)) if direct => {
                Number::in_range(shape, Range { lo: 0, hi: i32::MAX as i128 }).map(AbstractValue::Int)
            }
            (Some(LibFn::First), _) if direct && args.first().is_some_and(|arg| program.exprs[*arg].ty == ty) => {
                match self.context.value(args[0], state) {
                    Evaluated::AbstractValue(value) => Some(value),
                    _ => None,
                }
            }
            _ => None,
        };
        self.store(&mut next, dest, result.unwrap_or_else(|| AbstractValue::top(kind)))?;
        Some(next)
    }

    /// Whether a cell keeps its value and its meaning in a called function.
    fn outlives(&self, cell: CellId) -> bool {
        let data = &self.context.cells.all[cell as usize];
        data.var.is_some() && (data.in_memory || data.owner.is_none())
    }

    /// The state in which a called function begins.
    pub fn enter(&self, state: &State, edge: EdgeId, function: FuncId) -> Option<State> {
        let program = self.program();
        let Op::Call { args, .. } = program.edges[edge].op else { return None };
        let mut inside = state.clone();
        // Packs belong to one function.
        inside.take_relations(&State::default());
        inside.retain(|cell| self.outlives(cell));
        let params = &program.functions[function].params;
        for param in params {
            self.forget_variable(&mut inside, *param);
        }
        for (param, arg) in params.iter().zip(program.call_args(args)) {
            let (wanted, given) = (program.vars[*param].ty, program.exprs[*arg].ty);
            if wanted != given {
                continue;
            }
            match self.value(*arg, state, edge) {
                Evaluated::AbstractValue(value) => {
                    if let [cell] = self.context.cells.of_variable(*param) {
                        inside.set(*cell, value);
                    }
                }
                Evaluated::Impossible => return None,
                Evaluated::Unknown => {
                    if let ExprKind::Read(place) = program.exprs[*arg].kind
                        && let Some(source) = self.exact_target(place)
                        && let Object::Var(from) = source.object
                    {
                        let size = program.types.size_of(wanted).unwrap_or(0);
                        self.copy_cells(state, &mut inside, (from, source.offsets.start), (*param, 0), size);
                    }
                }
            }
        }
        relations::begin(&self.context, &self.packs, &mut inside, function);
        Some(inside)
    }

    /// The state after a call, from the one before it and the one in which the called function returned.
    pub fn leave(&self, before: &State, returned: &State, edge: EdgeId, function: FuncId) -> Option<State> {
        let program = self.program();
        let Op::Call { dest, args, .. } = program.edges[edge].op else { return None };
        let cells = &self.context.cells.all;
        let mut after = returned.clone();
        after.take_relations(&State::default());
        after.retain(|cell| self.outlives(cell));
        after.extend_from(before, |cell| !self.outlives(cell));
        let effects = self.effects.function(function);
        let untouched = |cell: CellId| {
            let data = &cells[cell as usize];
            let part = Part { offsets: data.offsets, extent: data.size };
            data.var.is_some_and(|var| {
                effects
                    .is_some_and(|effects| !effects.unknown && !effects.writes.touches(program, Object::Var(var), part))
            })
        };
        for (cell, value) in before.iter().filter(|(cell, _)| self.outlives(*cell) && untouched(*cell)) {
            let met = after.value(cell, cells).meet(value)?;
            after.refine(cell, met);
        }
        let mut related = before.clone();
        related.retain(|cell| !self.outlives(cell) || untouched(cell));
        after.take_relations(&related);
        self.learn_from_parameters(&mut after, returned, program.call_args(args), function, &untouched)?;
        if let Some(dest) = dest {
            let result = self.context.cells.results.get(&function).and_then(|cell| returned.get(*cell));
            let ty = program.places[dest].ty;
            match (Kind::of(program, ty), result) {
                (Some(kind), Some(value)) if Kind::of(program, result_type(program, function)) == Some(kind) => {
                    self.store(&mut after, dest, value.clone())?;
                }
                (Some(kind), _) => self.store(&mut after, dest, AbstractValue::top(kind))?,
                (None, _) => self.forget_place(&mut after, dest),
            }
        }
        Some(after)
    }

    /// A parameter that the function never writes still has the value of its argument when the function returns: what conditions said of
    /// it (`assume_abort_if_not(x > 0)`) holds of the argument.
    fn learn_from_parameters(
        &self,
        after: &mut State,
        returned: &State,
        args: &[ExprId],
        function: FuncId,
        untouched: &dyn Fn(CellId) -> bool,
    ) -> Option<()> {
        let program = self.program();
        for (param, arg) in program.functions[function].params.iter().zip(args) {
            let [cell] = self.context.cells.of_variable(*param) else { continue };
            let data = &self.context.cells.all[*cell as usize];
            if !data.is_argument || program.exprs[*arg].ty != program.vars[*param].ty {
                continue;
            }
            let Some(AbstractValue::Int(number)) = returned.get(*cell) else { continue };
            let stays = |cell: &CellId| !self.outlives(*cell) || untouched(*cell);
            if self.reads_only_cells(*arg, &stays) {
                refine::require(&self.context, after, *arg, number)?;
            }
        }
        Some(())
    }

    /// Whether an expression reads nothing but cells for which something holds.
    fn reads_only_cells(&self, expr: ExprId, holds: &dyn Fn(&CellId) -> bool) -> bool {
        let mut only = true;
        cfa::analysis::points_to::reads(self.program(), cfa::walk::Node::Expr(expr), |place| {
            only &= matches!(&*self.context.access(place), Access::Exactly(cell) if holds(cell));
        });
        only
    }
}

fn result_type(program: &Program, function: FuncId) -> TypeId {
    match program.types.get(program.functions[function].ty) {
        cfa::Type::Function(ty) => ty.result,
        _ => TypeId::VOID,
    }
}

fn offset_of(offset: u64) -> cfa::analysis::offsets::Offsets {
    cfa::analysis::offsets::Offsets::exactly(offset)
}

//! What edges do to an abstract state: statements, calls (executed in place), the end of the run.

use crate::evaluate::{Cases, Machine, Spot, Trouble};
use crate::facts::Facts;
use crate::graph::{End, GraphValue, Kind, Object, ZERO};
use crate::state::{Frame, State};
use cfa::{
    Body, Callee, EdgeId, ExprId, ExprKind, FuncId, Init, LocId, Op, PlaceId, PlaceKind, Program, Property,
    RelocationTarget, StaticInit, Task, Type, TypeId, VarId, VarKind,
};
use std::collections::{BTreeMap, BTreeSet};

/// Deeper calls are not followed.
const MAX_CALLS: usize = 48;
/// Initializers of larger objects are not followed.
const MAX_INITIALIZED: u64 = 1 << 12;

/// States behind an edge, each at a location.
pub type Onward = Result<Vec<(LocId, State)>, Trouble>;

impl<'p> Machine<'p> {
    pub fn new(task: Task<'p>) -> Self {
        Machine { program: task.program, properties: task.properties, edge: EdgeId(0) }
    }

    /// The state in which the entry function begins.
    pub fn start(&self, entry: FuncId) -> Result<(LocId, State), Trouble> {
        let program = self.program;
        let Some(automaton) = program.automaton(entry) else {
            return self.unsupported("entry function without a body");
        };
        let mut state = State {
            graph: Default::default(),
            statics: BTreeMap::new(),
            frames: vec![Frame { function: entry, call: None, variables: BTreeMap::new() }],
            temporaries: Vec::new(),
            pointer_bits: program.model().pointer_bytes() as u32 * 8,
        };
        self.make_statics(&mut state);
        let is_main = program.function_name(entry) == "main";
        for (index, param) in program.functions[entry].params.iter().enumerate() {
            let ty = program.vars[*param].ty;
            let mentioned = program.places.values().any(|place| place.kind == PlaceKind::Var(*param));
            if !program.types.is_scalar(ty) || (is_main && index > 0 && mentioned) {
                return self.unsupported("parameter of the entry function");
            }
            let value = match is_main && index == 0 {
                true => state.graph.symbol(Facts::between(32, true, 1, i32::MAX as i128)),
                false => self.anything(&mut state, ty),
            };
            let object = self.variable(&mut state, *param);
            let size = self.bytes(ty);
            state.graph.write(object, 0, size, value);
        }
        Ok((automaton.entry, state))
    }

    /// Objects of static lifetime that the program mentions.
    fn make_statics(&self, state: &mut State) {
        let program = self.program;
        let is_static = |var: &VarId| matches!(program.vars[*var].kind, VarKind::Global | VarKind::Constant);
        let mentioned = program.places.values().filter_map(|place| match place.kind {
            PlaceKind::Var(var) => Some(var),
            _ => None,
        });
        let mut work: Vec<VarId> = mentioned.filter(is_static).collect();
        let mut needed: BTreeSet<VarId> = work.iter().copied().collect();
        while let Some(var) = work.pop() {
            let Init::Static(init) = &program.vars[var].init else { continue };
            for relocation in &init.relocations {
                if let RelocationTarget::Var(target) = relocation.target
                    && needed.insert(target)
                {
                    work.push(target);
                }
            }
        }
        for var in &needed {
            let data = &program.vars[*var];
            let given = if let Init::Static(init) = &data.init { init.bytes.len() as u64 } else { 0 };
            let size = self.bytes(data.ty).max(given);
            let known = match &data.init {
                Init::Zero => true,
                Init::Static(_) => size <= MAX_INITIALIZED,
                Init::None | Init::Unknown => false,
            };
            let object = state.new_variable(*var, size, known);
            state.statics.insert(*var, object);
        }
        for var in needed {
            let (ty, id) = (program.vars[var].ty, state.statics[&var]);
            if let Init::Static(init) = &program.vars[var].init
                && state.graph.objects[&id].zero
            {
                self.initialize(state, id, ty, init);
            }
        }
    }

    fn initialize(&self, state: &mut State, id: crate::graph::ObjectId, ty: TypeId, init: &StaticInit) {
        let mut leaves = Vec::new();
        scalars(self.program, ty, 0, &mut leaves);
        let byte = |at: u64| init.bytes.get(at as usize).copied().unwrap_or(0);
        let mut covered = vec![false; init.bytes.len()];
        for (at, size) in leaves {
            let bits = (0..size.min(16)).rev().fold(0u128, |bits, index| bits << 8 | byte(at + index) as u128);
            state.graph.write(id, at, size, GraphValue::Const(bits));
            (at..at + size).for_each(|at| covered.iter_mut().skip(at as usize).take(1).for_each(|flag| *flag = true));
        }
        for (at, _) in covered.iter().enumerate().filter(|(_, covered)| !**covered) {
            state.graph.write(id, at as u64, 1, GraphValue::Const(byte(at as u64) as u128));
        }
        for relocation in &init.relocations {
            let value = match relocation.target {
                RelocationTarget::Var(target) => {
                    GraphValue::Address(state.statics[&target], End::First, relocation.addend)
                }
                RelocationTarget::Function(function) => GraphValue::Function(function),
            };
            let size = state.pointer_bits as u64 / 8;
            state.graph.write(id, relocation.offset, size, value);
        }
    }

    /// Carries out what leaves a location.
    pub fn step(&mut self, location: LocId, state: State) -> Onward {
        match self.program.locations[location].out {
            [None, _] => Ok(Vec::new()),
            [Some(edge), None] => {
                self.edge = edge;
                self.operation(edge, state)
            }
            [Some(yes), Some(no)] => {
                self.edge = yes;
                self.check_caveat(yes)?;
                self.check_caveat(no)?;
                let Op::Assume { cond, truth, .. } = self.program.edges[yes].op else {
                    return self.unsupported("branch without a condition");
                };
                let cases = self.truths(state, cond)?;
                let target = |value: bool| self.program.edges[if value == truth { yes } else { no }].to;
                Ok(cases.into_iter().map(|(case, value)| (target(value), case)).collect())
            }
        }
    }

    fn check_caveat(&self, edge: EdgeId) -> Result<(), Trouble> {
        match self.program.edges[edge].caveat {
            Some(caveat) => Err(Trouble::LeftOpen(edge, self.program.name(caveat).into())),
            None => Ok(()),
        }
    }

    fn operation(&self, edge: EdgeId, mut state: State) -> Onward {
        self.check_caveat(edge)?;
        let to = self.program.edges[edge].to;
        let there = |cases: Vec<State>| cases.into_iter().map(|case| (to, case)).collect();
        match self.program.edges[edge].op {
            Op::Skip => Ok(vec![(to, state)]),
            Op::Declare(var) => {
                // A second declaration gives the same object new contents.
                let object = self.variable(&mut state, var);
                let object = state.graph.objects.get_mut(&object).expect("just found");
                object.fields.clear();
                object.zero = false;
                Ok(vec![(to, state)])
            }
            Op::Kill(var) => {
                let frame = state.frames.last_mut().expect("a function runs");
                if let Some(object) = frame.variables.remove(&var) {
                    state.end_lifetime(object);
                }
                Ok(vec![(to, state)])
            }
            Op::Alloca(..) => self.unsupported("array of variable length, or alloca"),
            Op::Assign(place, value) => self.assign(state, place, value).map(there),
            Op::Havoc(place, _) => {
                let value = self.anything(&mut state, self.program.places[place].ty);
                state.push(value);
                self.store(state, place).map(there)
            }
            Op::Assume { cond, truth, .. } => {
                let cases = self.truths(state, cond)?;
                Ok(cases.into_iter().filter(|(_, value)| *value == truth).map(|(case, _)| (to, case)).collect())
            }
            Op::Assert { cond, property } => {
                let cases = self.truths(state, cond)?;
                let fails = cases.iter().any(|(_, value)| !value);
                if fails && self.asks(property) {
                    return self.may_fail();
                }
                let ends = property == Property::Assertion;
                Ok(cases.into_iter().filter(|(_, value)| *value || !ends).map(|(case, _)| (to, case)).collect())
            }
            Op::Call { dest, callee, args } => self.call(state, edge, dest, callee, args),
            Op::Return(value) => self.returned(state, value),
            Op::Halt(code) => {
                let Some(code) = code else { return Ok(Vec::new()) };
                for case in self.value(state, code)? {
                    self.end(case)?;
                }
                Ok(Vec::new())
            }
            Op::Poison(reason) => self.unsupported(self.program.name(reason)),
        }
    }

    fn assign(&self, state: State, place: PlaceId, value: ExprId) -> Cases {
        if self.program.types.is_scalar(self.program.places[place].ty) {
            let mut results = Vec::new();
            for case in self.value(state, value)? {
                results.extend(self.store(case, place)?);
            }
            return Ok(results);
        }
        let ExprKind::Read(source) = self.program.exprs[value].kind else {
            return self.unsupported("record that is not in memory");
        };
        let mut results = Vec::new();
        for case in self.place(state, source, true)? {
            results.extend(self.copy_to(case, place)?);
        }
        Ok(results)
    }

    /// Copies a record whose address and span are on top.
    fn copy_to(&self, state: State, place: PlaceId) -> Cases {
        let size = self.bytes(self.program.places[place].ty);
        let mut results = Vec::new();
        for case in self.place(state, place, true)? {
            for (mut case, to) in self.access(case, size)? {
                self.require_writable(&case, to, size)?;
                // The source may be in a segment; taking it apart changes nothing of an object that was found.
                let (span, from) = (case.pop(), case.pop());
                case.push(GraphValue::Address(to.object, End::First, to.at as i64));
                case.push(from);
                case.push(span);
                for (mut case, from) in self.access(case, size)? {
                    case.pop();
                    self.copy(&mut case, to, from, size);
                    results.push(case);
                }
            }
        }
        Ok(results)
    }

    fn call(&self, state: State, edge: EdgeId, dest: Option<PlaceId>, callee: Callee, args: (u32, u32)) -> Onward {
        let args = self.program.call_args(args);
        match callee {
            Callee::Direct(function) => self.call_function(state, edge, dest, function, args),
            Callee::Indirect(pointer) => {
                let mut results = Vec::new();
                for mut case in self.value(state, pointer)? {
                    let GraphValue::Function(function) = case.pop() else { return self.may_fail() };
                    if !self.takes(function, args, dest) {
                        return self.may_fail();
                    }
                    results.extend(self.call_function(case, edge, dest, function, args)?);
                }
                Ok(results)
            }
        }
    }

    /// Whether a function has the type that a call through a pointer needs.
    fn takes(&self, function: FuncId, args: &[ExprId], dest: Option<PlaceId>) -> bool {
        let types = &self.program.types;
        let Type::Function(signature) = types.get(self.program.functions[function].ty) else { return false };
        let class = |ty: TypeId| (types.size_of(ty), ty.float_kind(), types.is_scalar(ty));
        let result = dest.is_none_or(|dest| class(self.program.places[dest].ty) == class(signature.result));
        let params =
            signature.params.iter().zip(args).all(|(param, arg)| class(*param) == class(self.program.exprs[*arg].ty));
        result && params && args.len() == signature.params.len() && !signature.unprototyped
    }

    fn call_function(
        &self,
        state: State,
        edge: EdgeId,
        dest: Option<PlaceId>,
        function: FuncId,
        args: &[ExprId],
    ) -> Onward {
        let to = self.program.edges[edge].to;
        match &self.program.functions[function].body {
            Body::Defined(automaton) => {
                let entered = self.enter(state, edge, function, args)?;
                Ok(entered.into_iter().map(|case| (automaton.entry, case)).collect())
            }
            Body::Undefined => {
                let mut results = Vec::new();
                for mut case in self.arguments(state, args)? {
                    case.temporaries.truncate(case.temporaries.len() - args.len());
                    let Some(dest) = dest else {
                        results.push(case);
                        continue;
                    };
                    let ty = self.program.places[dest].ty;
                    if !self.program.types.is_scalar(ty) {
                        return self.unsupported("record that a function without a body returns");
                    }
                    let value = self.anything(&mut case, ty);
                    case.push(value);
                    results.extend(self.store(case, dest)?);
                }
                Ok(results.into_iter().map(|case| (to, case)).collect())
            }
            Body::Library(meaning) => {
                let cases = self.library(state, dest, *meaning, args)?;
                Ok(cases.into_iter().map(|case| (to, case)).collect())
            }
        }
    }

    /// Evaluates scalar arguments, the last one on top.
    pub fn arguments(&self, state: State, args: &[ExprId]) -> Cases {
        let mut cases = vec![state];
        for arg in args {
            let mut next = Vec::new();
            for case in cases {
                next.extend(self.value(case, *arg)?);
            }
            cases = next;
        }
        Ok(cases)
    }

    fn enter(&self, state: State, edge: EdgeId, function: FuncId, args: &[ExprId]) -> Cases {
        let params = &self.program.functions[function].params;
        if args.len() != params.len() {
            return self.unsupported("call with another number of arguments");
        }
        if state.frames.len() >= MAX_CALLS {
            return self.unsupported("deep recursion");
        }
        // Of a record, the address of a copy is passed on.
        let mut cases = vec![state];
        for (arg, param) in args.iter().zip(params) {
            let (from, to) = (self.program.exprs[*arg].ty, self.program.vars[*param].ty);
            let mut next = Vec::new();
            for case in cases {
                if !self.program.types.is_scalar(to) {
                    next.extend(self.record_copy(case, *arg, *param)?);
                    continue;
                }
                for mut case in self.value(case, *arg)? {
                    if from != to {
                        if self.is_bool(to)
                            || self.bytes(from) != self.bytes(to)
                            || from.float_kind() != to.float_kind()
                        {
                            return self.unsupported("argument of another type");
                        }
                        let value = case.pop();
                        let value = self.converted(&mut case, value, from, to)?;
                        case.push(value);
                    }
                    next.push(case);
                }
            }
            cases = next;
        }
        for case in &mut cases {
            let values: Vec<GraphValue> = params.iter().map(|_| case.pop()).collect();
            case.frames.push(Frame { function, call: Some(edge), variables: BTreeMap::new() });
            for (param, value) in params.iter().rev().zip(values) {
                let ty = self.program.vars[*param].ty;
                if self.program.types.is_scalar(ty) {
                    let object = self.variable(case, *param);
                    let size = self.bytes(ty);
                    case.graph.write(object, 0, size, value);
                } else if let Some(object) = value.object() {
                    case.frames.last_mut().expect("just entered").variables.insert(*param, object);
                }
            }
        }
        Ok(cases)
    }

    /// A new object with the contents of a record; its address is put on top.
    fn record_copy(&self, state: State, record: ExprId, var: VarId) -> Cases {
        let ExprKind::Read(source) = self.program.exprs[record].kind else {
            return self.unsupported("record that is not in memory");
        };
        let size = self.bytes(self.program.exprs[record].ty);
        let mut results = Vec::new();
        for case in self.place(state, source, true)? {
            for (mut case, from) in self.access(case, size)? {
                let object = case.graph.add(Object::new(Kind::Variable(var), size, false));
                self.copy(&mut case, Spot { object, at: 0, span: 0 }, from, size);
                case.push(GraphValue::Address(object, End::First, 0));
                results.push(case);
            }
        }
        Ok(results)
    }

    fn returned(&self, state: State, value: Option<ExprId>) -> Onward {
        let cases = match value {
            None => vec![state],
            Some(value) if self.program.types.is_scalar(self.program.exprs[value].ty) => self.value(state, value)?,
            Some(value) => {
                // The copy belongs to no variable, and ends when it was stored.
                self.record_copy(state, value, VarId(0))?
            }
        };
        let mut results = Vec::new();
        for mut case in cases {
            if case.frames.len() == 1 {
                // The variables of the entry function are gone when it has returned.
                case.frames.clear();
                self.end(case)?;
                continue;
            }
            let frame = case.frames.pop().expect("a function runs");
            for object in frame.variables.values() {
                case.end_lifetime(*object);
            }
            let call = frame.call.expect("it was called");
            let Op::Call { dest, .. } = self.program.edges[call].op else {
                return self.unsupported("return to no call");
            };
            let to = self.program.edges[call].to;
            let from = value.map(|value| self.program.exprs[value].ty);
            results.extend(self.take_result(case, from, dest)?.into_iter().map(|case| (to, case)));
        }
        Ok(results)
    }

    /// Stores what a function returned, which is on top if it is anything.
    fn take_result(&self, mut state: State, from: Option<TypeId>, dest: Option<PlaceId>) -> Cases {
        let Some(dest) = dest else {
            if from.is_some() {
                let value = state.pop();
                if let (Some(object), false) = (value.object(), from.is_some_and(|ty| self.program.types.is_scalar(ty)))
                {
                    state.end_lifetime(object);
                }
            }
            return Ok(vec![state]);
        };
        let ty = self.program.places[dest].ty;
        let Some(from) = from else { return self.unsupported("value that the function did not return") };
        if self.program.types.is_scalar(ty) {
            if from != ty {
                if self.is_bool(ty) || self.bytes(from) != self.bytes(ty) || from.float_kind() != ty.float_kind() {
                    return self.unsupported("result of another type");
                }
                let value = state.pop();
                let value = self.converted(&mut state, value, from, ty)?;
                state.push(value);
            }
            return self.store(state, dest);
        }
        let copy = state.temporaries.last().and_then(|value| value.object());
        state.push(ZERO);
        let mut cases = self.copy_to(state, dest)?;
        if let Some(copy) = copy {
            cases.iter_mut().for_each(|case| case.end_lifetime(copy));
        }
        Ok(cases)
    }

    /// A run ends regularly: allocations that are left, or that nothing in scope leads to.
    pub fn end(&self, mut state: State) -> Result<(), Trouble> {
        let heap = |state: &State| state.graph.objects.values().any(|object| object.kind == Kind::Heap);
        if self.asks(Property::ValidMemcleanup) && heap(&state) {
            return self.may_fail();
        }
        if self.asks(Property::ValidMemtrack) {
            state.temporaries.clear();
            let mut at = self.edge;
            for index in (0..state.frames.len()).rev() {
                let visible = self.program.automatic_at(self.program.edges[at].from);
                let frame = &mut state.frames[index];
                frame.variables.retain(|var, _| visible.contains(var));
                at = frame.call.unwrap_or(at);
            }
            let lost = state.lost();
            if lost.iter().any(|id| state.graph.objects[id].kind == Kind::Heap) {
                return self.may_fail();
            }
        }
        Ok(())
    }
}

/// Offsets and sizes of the scalars of a type; unions are left out.
fn scalars(program: &Program, ty: TypeId, at: u64, out: &mut Vec<(u64, u64)>) {
    match program.types.get(ty) {
        Type::Array(element, length) => {
            let size = program.types.size_of(*element).unwrap_or(0);
            (0..length.unwrap_or(0)).for_each(|index| scalars(program, *element, at + index * size, out));
        }
        Type::Record(record) => {
            let record = &program.types.records[*record];
            if record.kind == cfa::types::RecordKind::Struct {
                for field in record.fields.iter().filter(|field| field.bits.is_none()) {
                    scalars(program, field.ty, at + field.offset, out);
                }
            }
        }
        Type::Void | Type::Function(_) => {}
        Type::Int(_) | Type::Float(_) | Type::Pointer(_) => {
            let size = program.types.size_of(ty).unwrap_or(0);
            if size <= 16 {
                out.push((at, size));
            }
        }
    }
}

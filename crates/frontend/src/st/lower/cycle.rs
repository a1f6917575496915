//! The scan cycle: the entry block runs in an endless loop. At the beginning of every cycle inputs get new values and clocks move on by the time of a cycle; at
//! its end, requirements hold. Everything else keeps its value.

use super::super::ast::{PouKind, Unit, VarBlock, VarClass, VarDecl};
use super::super::parse::{Dialect, parse_expression};
use super::operator::Val;
use super::types::Ty;
use super::vars::{InstanceId, Slot};
use super::{Lower, Placed};
use crate::CycleOptions;
use crate::requirement::Pattern;
use base::Span;
use cfa::types::FunctionType;
use cfa::{
    AssumeRole, BinOp, Body, Branch, CycleRole, ExprId, ExprKind, FuncId, Function, Init, InputKind, Op, PlaceId,
    PlaceKind, Property, Type, TypeId, VarId, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The name of the function that is the cycle, if the block has the name of the one that inputs come from.
const CYCLE: &str = "main";
const INPUT: &str = "input";
/// The input that is the time of a cycle, where it is no constant.
pub const CYCLE_TIME: &str = "cycle time";

/// Arrays with more elements are in no table of cycles.
const LONGEST_ARRAY: i128 = 64;

/// The unit that runs in every cycle: the one that is asked for, that a configuration names, the only program, or the only block that no other uses.
pub fn entry_of(unit: &Unit, wanted: Option<&str>) -> Result<usize, String> {
    let runs = |pou: &super::super::ast::Pou| !pou.is_library && pou.kind != PouKind::DataBlock;
    let named = |name: &str| unit.pous.iter().position(|pou| runs(pou) && pou.name.text.eq_ignore_ascii_case(name));
    let own: Vec<usize> = (0..unit.pous.len()).filter(|index| runs(&unit.pous[*index])).collect();
    let all = || own.iter().map(|index| unit.pous[*index].name.text.as_str()).collect::<Vec<_>>().join(", ");
    if let Some(wanted) = wanted {
        return named(wanted).ok_or_else(|| format!("there is no block `{wanted}` (there are: {})", all()));
    }
    if let [task] = &unit.tasks[..]
        && let Some(found) = named(&task.program.text)
    {
        return Ok(found);
    }
    for kind in [PouKind::Program, PouKind::OrganizationBlock] {
        let of_kind: Vec<usize> = own.iter().copied().filter(|index| unit.pous[*index].kind == kind).collect();
        match of_kind[..] {
            [] => {}
            [one] => return Ok(one),
            _ => {
                return Err(format!(
                    "there are several blocks; choose the one to run with --entry (there are: {})",
                    all()
                ));
            }
        }
    }
    let used = |name: &str| {
        unit.pous.iter().any(|pou| {
            // Names are the same in capitals.
            let mentions = |text: String, part: String| text.to_ascii_uppercase().contains(&part.to_ascii_uppercase());
            let declares = |decl: &VarDecl| mentions(format!("{:?}", decl.ty.kind), format!("text: {name:?}"));
            let declared = pou.blocks.iter().flat_map(|block| &block.vars).any(declares);
            declared || pou.body.iter().any(|stmt| mentions(format!("{:?}", stmt.kind), format!("Name({name:?})")))
        })
    };
    let free: Vec<usize> = own
        .iter()
        .copied()
        .filter(|index| unit.pous[*index].kind == PouKind::FunctionBlock && !used(&unit.pous[*index].name.text))
        .collect();
    match (&free[..], &own[..]) {
        ([one], _) | ([], [one]) => Ok(*one),
        ([], []) => Err("there is no program or function block to run".into()),
        _ => Err(format!("there are several blocks; choose the one to run with --entry (there are: {})", all())),
    }
}

/// A variable that gets new values from outside.
struct Input {
    parts: Vec<(PlaceId, usize, Ty)>,
    name: String,
    span: Span,
}

impl Lower<'_> {
    /// The instance of a unit that runs by itself. Its VAR_IN_OUT are variables of the caller; inputs of a function are too.
    pub fn new_entry(&mut self, pou: usize, name: &str) -> InstanceId {
        let unit = self.unit;
        let data = &unit.pous[pou];
        let function = data.kind == PouKind::Function;
        let instance = match function {
            false => self.new_instance(pou, name, data.name.span),
            true => {
                let slots = FxHashMap::default();
                self.instances.push(super::Instance { pou: Some(pou), name: name.to_string(), slots });
                self.instances.len() - 1
            }
        };
        let frame = self.new_frame(Some(pou), FxHashMap::default(), None);
        self.frames.push(frame);
        let wanted =
            |block: &&VarBlock| block.class == VarClass::InOut || function && matches!(block.class, VarClass::Input);
        for block in data.blocks.iter().filter(wanted) {
            for decl in &block.vars {
                let full = if name.is_empty() { decl.name.text.clone() } else { format!("{name}.{}", decl.name.text) };
                let slot = self.static_slot(full, block, decl);
                self.define(decl, slot);
            }
        }
        // The value of a function is an output.
        if let (true, Some(ty)) = (function, &data.result) {
            let decl = VarDecl { name: data.name.clone(), ty: ty.clone(), init: None, address: None, edge: None };
            let block = VarBlock { class: VarClass::Output, constant: false, vars: Vec::new() };
            let slot = self.static_slot(data.name.text.clone(), &block, &decl);
            self.define(&decl, slot);
        }
        let names = self.frames.pop().map(|frame| frame.names).unwrap_or_default();
        self.instances[instance].slots.extend(names);
        instance
    }

    /// The body of a unit that runs by itself.
    pub fn inline_entry(&mut self, pou: usize, instance: InstanceId) {
        let names = self.instances[instance].slots.clone();
        let frame = self.new_frame(Some(pou), names.clone(), None);
        let span = self.unit.pous[pou].name.span;
        let result = names.get(&self.unit.pous[pou].name.key()).cloned();
        if let (PouKind::Function, Some(Slot::Place { place, ty, .. })) = (self.unit.pous[pou].kind, result) {
            self.set_initial(place, &ty, None, span);
        }
        self.run_body(pou, frame, span);
    }

    /// The function that is the whole program.
    pub fn cycle(&mut self, entry: usize, requirements: &[Placed<'_>]) -> FuncId {
        let unit = self.unit;
        let pou = &unit.pous[entry];
        let name = if pou.name.text.eq_ignore_ascii_case(INPUT) { CYCLE } else { &pou.name.text };
        let start = self.begin_function(name, pou.name.span, pou.span);
        let instance = self.new_entry(entry, "");
        self.entry_instance = Some(instance);
        let inputs = self.inputs(entry, instance);
        self.new_clock(unit);
        let constant = |input: &&Input| {
            self.options.cycle.constant_inputs.iter().any(|name| name.eq_ignore_ascii_case(&input.name))
        };
        let (fixed, changing): (Vec<&Input>, Vec<&Input>) = inputs.iter().partition(constant);
        for wanted in &self.options.cycle.constant_inputs {
            if !inputs.iter().any(|input| input.name.eq_ignore_ascii_case(wanted)) {
                let message = format!("--constant-input {wanted}: the block has no such input");
                self.diagnostics.push(base::Diagnostic::error(pou.name.span, message));
            }
        }
        for input in fixed {
            self.take_input(input);
        }
        self.begin_state(instance);
        let ghosts = self.begin_requirements(requirements, instance);
        let variables = self.roles(entry, instance, &inputs);
        let head = self.loop_head(pou.name.span);
        self.program.cycle = head.map(|head| cfa::Cycle { head, variables });
        for input in changing {
            self.take_input(input);
        }
        self.advance_clocks(pou.name.span);
        self.assume_conditions(requirements, instance);
        let counter = self.count_cycles(requirements, pou.name.span);
        self.at_beginning(requirements, &ghosts, instance);
        self.inline_entry(entry, instance);
        self.at_end(requirements, &ghosts, instance);
        if let Some(counter) = counter {
            self.expectations(requirements, counter, instance);
        }
        if let Some(head) = head {
            self.go_to(head, pou.name.span);
        }
        let function = start.function;
        self.close_function(start);
        function
    }

    /// What variables are for those outside: inputs, what the entry block declares as output or has an address of one, and the rest. What
    /// standard blocks have for themselves is left out; texts and long arrays have no place in a table.
    fn roles(&mut self, entry: usize, instance: InstanceId, inputs: &[Input]) -> Vec<(ExprId, CycleRole)> {
        let given: FxHashSet<VarId> =
            inputs.iter().flat_map(|input| &input.parts).filter_map(|(place, ..)| self.root(*place)).collect();
        let mut outside = FxHashSet::default();
        let mut add = |slot: Option<&Slot>| {
            if let Some(Slot::Place { place, .. }) = slot {
                outside.extend(self.root(*place));
            }
        };
        let out_address = |decl: &VarDecl| {
            decl.address.as_ref().is_some_and(|address| address.text.to_ascii_uppercase().starts_with("%Q"))
        };
        let pou = &self.unit.pous[entry];
        let slots = &self.instances[instance].slots;
        for block in &pou.blocks {
            let is_output = matches!(block.class, VarClass::Output | VarClass::InOut);
            for decl in block.vars.iter().filter(|decl| is_output || out_address(decl)) {
                add(slots.get(&decl.name.key()));
            }
        }
        if pou.kind == PouKind::Function {
            add(slots.get(&pou.name.key()));
        }
        for decl in self.unit.globals.iter().flat_map(|block| &block.vars).filter(|decl| out_address(decl)) {
            add(self.globals.get(&decl.name.key()));
        }
        let all = self.globals.values().chain(self.instances.iter().flat_map(|one| one.slots.values()));
        let mut variables: BTreeMap<VarId, (PlaceId, Ty)> = BTreeMap::new();
        for slot in all {
            if let Slot::Place { place, ty, .. } = slot
                && let PlaceKind::Var(var) = self.program.places[*place].kind
                && self.program.vars[var].kind == VarKind::Global
                && !self.private.contains(&var)
            {
                variables.insert(var, (*place, ty.clone()));
            }
        }
        let mut found = Vec::new();
        for (var, (place, ty)) in variables {
            let role = match (given.contains(&var), outside.contains(&var)) {
                (true, _) => CycleRole::Input,
                (_, true) => CycleRole::Output,
                _ => CycleRole::Internal,
            };
            if self.has_no_row(&ty) {
                continue;
            }
            for (part, ..) in self.scalars_of(place, &ty, 0) {
                let value = self.read(part, Span::NONE);
                found.push((value, role));
            }
        }
        found
    }

    /// The variable that a place is a part of.
    fn root(&self, mut place: PlaceId) -> Option<VarId> {
        loop {
            match self.program.places[place].kind {
                PlaceKind::Var(var) => return Some(var),
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => place = base,
                PlaceKind::Deref(_) => return None,
            }
        }
    }

    fn has_no_row(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Text(_) | Ty::Pointer(_) | Ty::Bad => true,
            Ty::Array(array) => {
                let count: i128 = array.dimensions.iter().map(|(low, high)| high - low + 1).product();
                count > LONGEST_ARRAY || self.has_no_row(&array.element)
            }
            Ty::Struct(number) => self.structs[*number].members.iter().any(|member| self.has_no_row(&member.ty)),
            _ => false,
        }
    }

    fn inputs(&mut self, entry: usize, instance: InstanceId) -> Vec<Input> {
        let unit = self.unit;
        let mut found = Vec::new();
        let in_address = |decl: &VarDecl| {
            decl.address.as_ref().is_some_and(|address| address.text.to_ascii_uppercase().starts_with("%I"))
        };
        for block in &unit.pous[entry].blocks {
            for decl in &block.vars {
                let CycleOptions { keep_in_out, more_inputs, .. } = &self.options.cycle;
                let named = || more_inputs.iter().any(|name| name.eq_ignore_ascii_case(&decl.name.text));
                let more = block.class == VarClass::InOut && (!keep_in_out || named());
                let input = block.class == VarClass::Input && !block.constant || in_address(decl) || more;
                if input {
                    let slot = self.instances[instance].slots.get(&decl.name.key()).cloned();
                    self.add_input(&mut found, slot, decl);
                }
            }
        }
        let globals = unit.globals.iter().flat_map(|block| &block.vars);
        for decl in globals.filter(|decl| in_address(decl)) {
            let slot = match decl.name.text.is_empty() {
                true => decl.address.as_ref().and_then(|address| self.addresses.get(&address.key()).cloned()),
                false => self.globals.get(&decl.name.key()).cloned(),
            };
            self.add_input(&mut found, slot, decl);
        }
        found
    }

    fn add_input(&mut self, found: &mut Vec<Input>, slot: Option<Slot>, decl: &VarDecl) {
        if let Some(Slot::Place { place, ty, .. }) = slot {
            let parts = self.scalars_of(place, &ty, 0);
            found.push(Input { parts, name: decl.name.text.clone(), span: decl.name.span });
        }
    }

    fn input_function(&mut self, ty: TypeId) -> FuncId {
        let symbol = self.program.names.intern(INPUT);
        let full = FunctionType { result: ty, params: Vec::new(), variadic: false, unprototyped: false };
        let full = self.program.types.intern(Type::Function(full));
        let known = self.program.functions.iter().find(|(_, one)| one.name == symbol && one.ty == full);
        if let Some((id, _)) = known {
            return id;
        }
        let function = Function { name: symbol, ty: full, params: Vec::new(), body: Body::Undefined, span: Span::NONE };
        self.program.functions.push(function)
    }

    fn take_input(&mut self, input: &Input) {
        let span = input.span;
        self.flow.anchor = span.lo;
        for (place, _, ty) in &input.parts {
            if matches!(ty, Ty::Pointer(_)) {
                self.poison(span, "pointer as input");
                continue;
            }
            let id = self.program.places[*place].ty;
            let function = self.input_function(id);
            self.emit(Op::Havoc(*place, InputKind::Nondet(function)), span);
            let value = self.read(*place, span);
            let range = match ty {
                Ty::Subrange(_, low, high) => Some((*low, *high)),
                Ty::Enum(number) => {
                    let values = || self.enums[*number].values.iter().map(|(_, value)| *value);
                    values().min().zip(values().max())
                }
                _ => None,
            };
            if let Some((low, high)) = range {
                self.assume_between(value, low, high, span);
            }
        }
    }

    fn assume_between(&mut self, value: ExprId, low: i128, high: i128, span: Span) {
        let id = self.program.exprs[value].ty;
        let (low, high) = (self.constant(low, id, span), self.constant(high, id, span));
        let above = self.compare(BinOp::Ge, value, low, span);
        let below = self.compare(BinOp::Le, value, high, span);
        let cond = self.expr(ExprKind::Binary(BinOp::And, above, below), TypeId::INT, span);
        // The type of an input is no step of a run.
        self.emit(Op::Assume { cond, truth: true, role: AssumeRole::Assumption }, Span::NONE);
    }

    /// The time since the first cycle, only where the text asks for it.
    fn new_clock(&mut self, unit: &Unit) {
        let asks = |stmt: &super::super::ast::Stmt| {
            let text = format!("{:?}", stmt.kind).to_ascii_uppercase();
            text.contains("NAME(\"TIME\")") || text.contains("NAME(\"TIME_TCK\")")
        };
        let wanted = unit.pous.iter().filter(|pou| !pou.is_library).any(|pou| pou.body.iter().any(asks));
        if wanted {
            let var = self.push_var("system time", TypeId::UINT, VarKind::Global, Init::Zero, Span::NONE);
            let place = self.var_place(var);
            self.now = Some(place);
        }
    }

    fn advance_clocks(&mut self, span: Span) {
        if self.clocks.is_empty() && self.now.is_none() {
            return;
        }
        let (least, most) = self.options.cycle.time;
        let passed = if least == most {
            self.constant(least as i128, TypeId::INT, span)
        } else {
            let var = self.push_var(CYCLE_TIME, TypeId::INT, VarKind::Global, Init::Zero, span);
            let place = self.var_place(var);
            let function = self.input_function(TypeId::INT);
            self.emit(Op::Havoc(place, InputKind::Nondet(function)), span);
            let value = self.read(place, span);
            if let Some(cycle) = &mut self.program.cycle {
                cycle.variables.push((value, CycleRole::Input));
            }
            self.assume_between(value, least as i128, most as i128, span);
            value
        };
        for clock in self.clocks.clone() {
            let id = self.program.places[clock].ty;
            let passed = self.cast(passed, id, span);
            let value = self.read(clock, span);
            // A clock stops at the greatest time that there is.
            let most = if self.program.types.is_signed(id) { i32::MAX as i128 } else { u32::MAX as i128 };
            let most = self.constant(most, id, span);
            let room = self.expr(ExprKind::Binary(BinOp::Sub, most, passed), id, span);
            let fits = self.compare(BinOp::Le, value, room, span);
            let (yes, no) = self.branch(fits, Branch::Conditional, span);
            self.flow.cursor = yes;
            let sum = self.expr(ExprKind::Binary(BinOp::Add, value, passed), id, span);
            self.emit(Op::Assign(clock, sum), span);
            let done = self.flow.cursor;
            self.flow.cursor = no;
            self.emit(Op::Assign(clock, most), span);
            let other = self.flow.cursor;
            self.join(&[done, other], span);
        }
        if let Some(now) = self.now {
            let value = self.read(now, span);
            let passed = self.cast(passed, TypeId::UINT, span);
            let sum = self.expr(ExprKind::Binary(BinOp::Add, value, passed), TypeId::UINT, span);
            self.emit(Op::Assign(now, sum), span);
        }
    }

    /// What a test says of the state before the first cycle.
    fn begin_state(&mut self, instance: InstanceId) {
        let options = self.options;
        let span = self.flow_span();
        for (variable, values) in &options.cycle.initial_state {
            let Some((place, ty)) = self.variable_of_test(variable, span.lo, instance) else { continue };
            for ((part, _, part_ty), value) in self.scalars_of(place, &ty, 0).into_iter().zip(values) {
                let Ok(value) = parse_expression(value.as_bytes(), span.lo, Dialect::Standard) else { continue };
                let value = self.value_for(&value, &part_ty);
                let value = self.convert(value, &part_ty, span);
                self.emit(Op::Assign(part, value), span);
            }
        }
    }

    fn flow_span(&self) -> Span {
        Span::new(self.flow.anchor, self.flow.anchor)
    }

    /// The variable that a test names, as the entry block would.
    fn variable_of_test(&mut self, variable: &str, position: u32, instance: InstanceId) -> Option<(PlaceId, Ty)> {
        let parsed = parse_expression(variable.as_bytes(), position, Dialect::Standard);
        let names = self.instances[instance].slots.clone();
        let pou = self.instances[instance].pou;
        let frame = self.new_frame(pou, names, None);
        self.frames.push(frame);
        let target = parsed.map(|expr| self.target(&expr));
        self.frames.pop();
        match target {
            Ok(super::expr::Target::Place(place, ty, _)) => Some((place, ty)),
            Ok(_) => {
                self.error(Span::new(position, position), format!("`{variable}` is no variable with a value"));
                None
            }
            Err(error) => {
                self.diagnostics.push(error);
                None
            }
        }
    }

    /// What is assumed of the inputs of every cycle.
    fn assume_conditions(&mut self, requirements: &[Placed<'_>], instance: InstanceId) {
        for placed in requirements.iter().filter(|placed| placed.requirement.pattern == Pattern::Assumed) {
            self.flow.anchor = placed.sentence.lo;
            let value = self.parameter_value(placed, 0, instance);
            let cond = self.condition_of(value);
            self.emit(Op::Assume { cond, truth: true, role: AssumeRole::Assumption }, placed.sentence);
        }
    }

    /// Variables that remember what earlier cycles were like.
    fn begin_requirements(&mut self, requirements: &[Placed<'_>], _instance: InstanceId) -> Vec<Option<PlaceId>> {
        let remembers = |placed: &Placed<'_>| {
            matches!(
                placed.requirement.pattern,
                Pattern::ChangeDuringCycle | Pattern::ChangeBetweenCycles | Pattern::NextCycle | Pattern::LeadsTo
            )
        };
        let mut found = Vec::new();
        for placed in requirements {
            found.push(remembers(placed).then(|| {
                let name = format!("{} before", placed.parameters.first().map_or("", |(text, _)| text));
                let var = self.push_var(&name, TypeId::BOOL, VarKind::Global, Init::Zero, placed.sentence);
                self.var_place(var)
            }));
        }
        found
    }

    /// A parameter of a requirement as a value of type BOOL, as the entry block would say it.
    fn parameter_value(&mut self, placed: &Placed<'_>, number: usize, instance: InstanceId) -> ExprId {
        let Some((text, position)) = placed.parameters.get(number) else {
            return self.constant(0, TypeId::BOOL, placed.sentence);
        };
        let expr = match parse_expression(text.as_bytes(), *position, Dialect::Standard) {
            Ok(expr) => expr,
            Err(error) => {
                self.diagnostics.push(error);
                return self.constant(0, TypeId::BOOL, placed.sentence);
            }
        };
        let names = self.instances[instance].slots.clone();
        let pou = self.instances[instance].pou;
        let frame = self.new_frame(pou, names, None);
        self.frames.push(frame);
        let value = self.value(&expr);
        let value = match value {
            Val::Int(number @ 0..=1) => self.constant(number, TypeId::BOOL, expr.span),
            Val::Expr(value, Ty::Bool) => value,
            Val::Bad => self.constant(0, TypeId::BOOL, expr.span),
            _ => {
                self.error(expr.span, "a requirement is about conditions, this is none");
                self.constant(0, TypeId::BOOL, expr.span)
            }
        };
        self.frames.pop();
        value
    }

    fn at_beginning(&mut self, requirements: &[Placed<'_>], ghosts: &[Option<PlaceId>], instance: InstanceId) {
        for (placed, ghost) in requirements.iter().zip(ghosts) {
            if let (Pattern::ChangeDuringCycle, Some(ghost)) = (placed.requirement.pattern, ghost) {
                let value = self.parameter_value(placed, 0, instance);
                self.emit(Op::Assign(*ghost, value), placed.sentence);
            }
        }
    }

    fn at_end(&mut self, requirements: &[Placed<'_>], ghosts: &[Option<PlaceId>], instance: InstanceId) {
        for (placed, ghost) in requirements.iter().zip(ghosts) {
            self.flow.anchor = placed.sentence.lo;
            let span = placed.sentence;
            let pattern = placed.requirement.pattern;
            if matches!(pattern, Pattern::Assertions | Pattern::Repeatability | Pattern::AtCycle | Pattern::Assumed) {
                continue;
            }
            let first = self.parameter_value(placed, 0, instance);
            let before = ghost.map(|ghost| self.read(ghost, span));
            let not = |lower: &mut Self, value| lower.negate(value, span);
            let or = |lower: &mut Self, a, b| lower.both(BinOp::Or, a, b, span);
            let holds = match (pattern, before) {
                (Pattern::Invariant, _) => first,
                (Pattern::Forbidden | Pattern::Reachability, _) => not(self, first),
                (Pattern::Implication, _) => {
                    let second = self.parameter_value(placed, 1, instance);
                    let unless = not(self, first);
                    or(self, unless, second)
                }
                (Pattern::ChangeDuringCycle | Pattern::NextCycle, Some(before)) => {
                    let second = self.parameter_value(placed, 1, instance);
                    let unless = not(self, before);
                    or(self, unless, second)
                }
                (Pattern::ChangeBetweenCycles, Some(before)) => {
                    let second = self.parameter_value(placed, 1, instance);
                    let third = self.parameter_value(placed, 2, instance);
                    let (a, b) = (not(self, before), not(self, second));
                    let unless = or(self, a, b);
                    or(self, unless, third)
                }
                (Pattern::LeadsTo, Some(before)) => {
                    let unless = not(self, first);
                    or(self, unless, before)
                }
                _ => continue,
            };
            let cond = self.condition_of(holds);
            self.emit(Op::Assert { cond, property: Property::Assertion }, span);
            if let Some(ghost) = ghost {
                let next = match pattern {
                    Pattern::NextCycle | Pattern::ChangeBetweenCycles => self.parameter_value(placed, 0, instance),
                    Pattern::LeadsTo => {
                        let second = self.parameter_value(placed, 1, instance);
                        let old = self.read(*ghost, span);
                        or(self, old, second)
                    }
                    _ => continue,
                };
                self.emit(Op::Assign(*ghost, next), span);
            }
        }
    }

    /// The number of the cycle, where a test asks for it.
    fn count_cycles(&mut self, requirements: &[Placed<'_>], span: Span) -> Option<PlaceId> {
        requirements.iter().find(|placed| placed.requirement.pattern == Pattern::AtCycle)?;
        let var = self.push_var("cycle number", TypeId::UINT, VarKind::Global, Init::Zero, span);
        let place = self.var_place(var);
        let old = self.read(place, span);
        let one = self.constant(1, TypeId::UINT, span);
        let next = self.expr(ExprKind::Binary(BinOp::Add, old, one), TypeId::UINT, span);
        self.emit(Op::Assign(place, next), span);
        Some(place)
    }

    /// What a test expects at the end of its cycles.
    fn expectations(&mut self, requirements: &[Placed<'_>], counter: PlaceId, instance: InstanceId) {
        for placed in requirements.iter().filter(|placed| placed.requirement.pattern == Pattern::AtCycle) {
            let [(number, _), (variable, position), values @ ..] = &placed.parameters[..] else { continue };
            let span = placed.sentence;
            let Some((place, ty)) = self.variable_of_test(variable, *position, instance) else { continue };
            let now = self.read(counter, span);
            let wanted = self.constant(number.parse().unwrap_or(0), TypeId::UINT, span);
            let other = self.compare(BinOp::Ne, now, wanted, span);
            let mut holds = self.truth_value(other, span);
            let mut all = self.constant(1, TypeId::BOOL, span);
            for ((part, _, part_ty), (value, _)) in self.scalars_of(place, &ty, 0).into_iter().zip(values) {
                let Ok(value) = parse_expression(value.as_bytes(), span.lo, Dialect::Standard) else { continue };
                let value = self.value_for(&value, &part_ty);
                let found = self.read(part, span);
                let same = self.as_expected(found, &part_ty, value, span);
                all = self.both(BinOp::And, all, same, span);
            }
            holds = self.both(BinOp::Or, holds, all, span);
            self.emit(Op::Assert { cond: holds, property: Property::Assertion }, span);
        }
    }

    /// Equal; numbers with a fraction up to a thousandth, as people write them.
    fn as_expected(&mut self, found: ExprId, ty: &Ty, value: Val, span: Span) -> ExprId {
        if !ty.is_real() {
            let value = self.convert(value, ty, span);
            let same = self.compare(BinOp::Eq, found, value, span);
            return self.truth_value(same, span);
        }
        let value = match value {
            Val::Int(number) => number as f64,
            Val::Real(number) => number,
            _ => return self.constant(0, TypeId::BOOL, span),
        };
        let low = self.convert(Val::Real(value - 0.001), ty, span);
        let high = self.convert(Val::Real(value + 0.001), ty, span);
        let above = self.compare(BinOp::Ge, found, low, span);
        let below = self.compare(BinOp::Le, found, high, span);
        let (above, below) = (self.truth_value(above, span), self.truth_value(below, span));
        self.both(BinOp::And, above, below, span)
    }
}

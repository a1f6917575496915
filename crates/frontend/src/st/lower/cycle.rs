//! The scan cycle: the entry block runs in an endless loop. At the beginning of every cycle inputs get new values and clocks move on by the time of a cycle; at
//! its end, requirements hold. Everything else keeps its value.

use super::super::ast::{Arg, Name, PouKind, RunsProgram, Task, TypeExpr, TypeKind, Unit, VarBlock, VarClass, VarDecl};
use super::types::Ty;
use super::vars::{InstanceId, Slot};
use super::{Lower, Placed};
use crate::CycleOptions;
use base::Span;
use cfa::types::FunctionType;
use cfa::{
    AssumeRole, BinOp, Body, Branch, CycleRole, ExprId, ExprKind, FuncId, Function, Init, InputKind, Op, PlaceId,
    PlaceKind, Type, TypeId, VarId, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The name of the function that is the cycle, if the block has the name of the one that inputs come from.
const CYCLE: &str = "main";
const INPUT: &str = "input";
/// The input that is the time of a cycle, where it is no constant.
pub const CYCLE_TIME: &str = "cycle time";

/// Milliseconds.
const USUAL_CYCLE: u32 = 10;
const LONGEST_CYCLE: u32 = 86_400_000;

/// Arrays with more elements are in no table of cycles.
const LONGEST_ARRAY: i128 = 64;

/// The unit that runs in every cycle: the one that is asked for, that a configuration names, the only program, or the only block that no other uses.
pub fn entry_of(unit: &Unit, wanted: Option<&str>) -> Result<usize, String> {
    let runs = |pou: &super::super::ast::Pou| !pou.is_library && pou.owner.is_none() && pou.kind != PouKind::DataBlock;
    let named = |name: &str| unit.pous.iter().position(|pou| runs(pou) && pou.name.text.eq_ignore_ascii_case(name));
    let own: Vec<usize> = (0..unit.pous.len()).filter(|index| runs(&unit.pous[*index])).collect();
    let all = || own.iter().map(|index| unit.pous[*index].name.text.as_str()).collect::<Vec<_>>().join(", ");
    if let Some(wanted) = wanted {
        return named(wanted).ok_or_else(|| format!("there is no block `{wanted}` (there are: {})", all()));
    }
    if let [first, others @ ..] = &unit.programs[..]
        && let Some(found) = named(&first.program.text)
        && others.iter().all(|other| named(&other.program.text).is_some())
    {
        let interval = |one| task_of(unit, one).map(|task| &task.interval);
        if others.iter().any(|other| interval(other) != interval(first)) {
            let reason =
                "the programs of the configuration run in tasks with different intervals; choose one with --entry";
            return Err(format!("{reason} (there are: {})", all()));
        }
        if let Some(task) = unit.programs.iter().filter_map(|one| task_of(unit, one)).find(|task| task.single) {
            let reason = format!("the task `{}` runs when an event happens, not in every cycle", task.name.text);
            return Err(format!("{reason}; choose a block with --entry (there are: {})", all()));
        }
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
            let extended = pou.base.as_ref().is_some_and(|base| base.text.eq_ignore_ascii_case(name));
            declared
                || extended
                || pou.body.iter().any(|stmt| mentions(format!("{:?}", stmt.kind), format!("Name({name:?})")))
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

fn task_of<'u>(unit: &'u Unit, program: &RunsProgram) -> Option<&'u Task> {
    let wanted = program.task.as_ref()?.key();
    unit.tasks.iter().find(|task| task.name.key() == wanted)
}

/// The time of a cycle that is asked for, or the interval of the task that runs the block.
pub fn time_of(unit: &Unit, options: &CycleOptions) -> (u32, u32) {
    let runs = |program: &&RunsProgram| {
        options.entry.as_ref().is_none_or(|entry| entry.eq_ignore_ascii_case(&program.program.text))
    };
    let interval = || {
        let task = task_of(unit, unit.programs.iter().find(runs)?)?;
        let (_, text) = task.interval.split_once('#')?;
        let milliseconds = super::duration(text)? / 1_000_000;
        u32::try_from(milliseconds).ok().filter(|time| (1..=LONGEST_CYCLE).contains(time))
    };
    options.time.unwrap_or_else(|| {
        let time = interval().unwrap_or(USUAL_CYCLE);
        (time, time)
    })
}

/// A program that runs in every cycle; with arguments if a configuration says so.
struct Run<'c> {
    pou: usize,
    instance: InstanceId,
    args: Option<&'c [Arg]>,
}

/// Numbers as ranges without gaps.
fn ranges(numbers: impl Iterator<Item = i128>) -> Vec<(i128, i128)> {
    let mut sorted: Vec<i128> = numbers.collect();
    sorted.sort_unstable();
    let mut found: Vec<(i128, i128)> = Vec::new();
    for number in sorted {
        match found.last_mut() {
            Some((_, high)) if number <= *high + 1 => *high = number,
            _ => found.push((number, number)),
        }
    }
    found
}

/// A variable that gets new values from outside.
struct Input {
    parts: Vec<(PlaceId, usize, Ty)>,
    name: String,
    span: Span,
}

impl<'a> Lower<'a> {
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
        for block in self.blocks_of(pou).into_iter().filter(|block| wanted(block)) {
            for decl in &block.vars {
                let full = if name.is_empty() { decl.name.text.clone() } else { format!("{name}.{}", decl.name.text) };
                let slot = self.static_slot(full, block, decl);
                self.define(decl, slot);
            }
        }
        // The value of a function is an output.
        let is_void = |ty: &TypeExpr| matches!(&ty.kind, TypeKind::Named(name) if name.key() == "VOID");
        if let (true, Some(ty)) = (function, data.result.as_ref().filter(|ty| !is_void(ty))) {
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
        let mut frame = self.new_frame(Some(pou), names.clone(), None);
        frame.instance = Some(instance);
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
        let runs = self.programs(entry, instance);
        let inputs: Vec<Input> = self.inputs(&runs);
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
        let variables = self.roles(&runs, &inputs);
        let head = self.loop_head(pou.name.span);
        self.program.cycle = head.map(|head| cfa::Cycle { head, variables });
        for input in changing {
            self.take_input(input);
        }
        self.advance_clocks(pou.name.span);
        self.assume_conditions(requirements, instance);
        let counter = self.count_cycles(requirements, pou.name.span);
        self.at_beginning(requirements, &ghosts, instance);
        for run in &runs {
            match run.args {
                Some(args) => self.call_program(run, args),
                None => self.inline_entry(run.pou, run.instance),
            }
        }
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

    /// The programs of a cycle in their order: the entry block, and what else a configuration runs, whose variables have the name of the instance before theirs.
    fn programs(&mut self, entry: usize, instance: InstanceId) -> Vec<Run<'a>> {
        let unit: &'a Unit = self.unit;
        if self.options.cycle.entry.is_some() || unit.programs.is_empty() {
            return vec![Run { pou: entry, instance, args: None }];
        }
        let mut found = Vec::new();
        for (number, program) in unit.programs.iter().enumerate() {
            let Some(pou) = self.pous.get(&program.program.key()).copied() else { continue };
            let name = &program.instance.text;
            let instance = if number == 0 { instance } else { self.new_entry(pou, name) };
            self.globals.entry(program.instance.key()).or_insert(Slot::Block(instance));
            found.push(Run { pou, instance, args: Some(&program.args) });
        }
        found
    }

    /// A program with what the configuration connects it to.
    fn call_program(&mut self, run: &Run<'_>, args: &[Arg]) {
        if args.is_empty() {
            return self.inline_entry(run.pou, run.instance);
        }
        let span = self.unit.pous[run.pou].name.span;
        let frame = self.new_frame(None, FxHashMap::default(), None);
        self.frames.push(frame);
        self.call_block(run.instance, args, span);
        self.frames.pop();
    }

    /// What variables are for those outside: inputs, what the entry block declares as output or has an address of one, and the rest. What
    /// standard blocks have for themselves is left out; texts and long arrays have no place in a table.
    fn roles(&mut self, runs: &[Run<'_>], inputs: &[Input]) -> Vec<(ExprId, CycleRole)> {
        let given: FxHashSet<VarId> =
            inputs.iter().flat_map(|input| &input.parts).filter_map(|(place, ..)| self.root(*place)).collect();
        let mut outside = FxHashSet::default();
        let mut add = |slot: Option<&Slot>| {
            if let Some(Slot::Place { place, .. }) = slot {
                outside.extend(self.root(*place));
            }
        };
        for Run { pou, instance, .. } in runs {
            let slots = &self.instances[*instance].slots;
            for block in self.blocks_of(*pou) {
                if matches!(block.class, VarClass::Output | VarClass::InOut) {
                    block.vars.iter().for_each(|decl| add(slots.get(&decl.name.key())));
                }
            }
            let pou = &self.unit.pous[*pou];
            if pou.kind == PouKind::Function {
                add(slots.get(&pou.name.key()));
            }
        }
        self.located_in("%Q").iter().for_each(|(_, slot)| add(Some(slot)));
        let located = self.located_in("%");
        let all = self.globals.values().chain(self.instances.iter().flat_map(|one| one.slots.values()));
        let all = all.chain(located.iter().map(|(_, slot)| slot));
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

    fn inputs(&mut self, runs: &[Run<'_>]) -> Vec<Input> {
        let mut found = Vec::new();
        let in_address = |decl: &VarDecl| {
            decl.address.as_ref().is_some_and(|address| address.text.to_ascii_uppercase().starts_with("%I"))
        };
        for (number, Run { pou, instance, args }) in runs.iter().enumerate() {
            for block in self.blocks_of(*pou) {
                for decl in &block.vars {
                    let CycleOptions { keep_in_out, more_inputs, .. } = &self.options.cycle;
                    let named = || more_inputs.iter().any(|name| name.eq_ignore_ascii_case(&decl.name.text));
                    let more = block.class == VarClass::InOut && (!keep_in_out || named());
                    let connected = args
                        .unwrap_or_default()
                        .iter()
                        .any(|arg| arg.name.as_ref().is_some_and(|name| name.key() == decl.name.key()));
                    let input = block.class == VarClass::Input && !block.constant || in_address(decl) || more;
                    if input && !connected {
                        let slot = self.instances[*instance].slots.get(&decl.name.key()).cloned();
                        let mut name = decl.name.clone();
                        if number > 0 {
                            name.text = format!("{}.{}", self.instances[*instance].name, name.text);
                        }
                        self.add_input(&mut found, slot, &name);
                    }
                }
            }
        }
        for (name, slot) in self.located_in("%I") {
            self.add_input(&mut found, Some(slot), &name);
        }
        found
    }

    /// A variable at an address can be found in several ways.
    fn add_input(&mut self, found: &mut Vec<Input>, slot: Option<Slot>, name: &Name) {
        let Some(Slot::Place { place, ty, .. }) = slot else { return };
        let parts = self.scalars_of(place, &ty, 0);
        let root = |input: &Input| input.parts.first().and_then(|(place, ..)| self.root(*place));
        let own = self.root(place);
        if !found.iter().any(|input| root(input) == own) {
            found.push(Input { parts, name: name.text.clone(), span: name.span });
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
            let ranges = match ty {
                Ty::Subrange(_, low, high) => vec![(*low, *high)],
                Ty::Enum(number) => ranges(self.enums[*number].values.iter().map(|(_, value)| *value)),
                _ => continue,
            };
            self.assume_within(value, &ranges, span);
        }
    }

    /// Assumes that a value lies in one of the ranges.
    fn assume_within(&mut self, value: ExprId, ranges: &[(i128, i128)], span: Span) {
        let id = self.program.exprs[value].ty;
        let mut cond = None;
        for (low, high) in ranges {
            let (low, high) = (self.constant(*low, id, span), self.constant(*high, id, span));
            let above = self.compare(BinOp::Ge, value, low, span);
            let below = self.compare(BinOp::Le, value, high, span);
            let one = self.expr(ExprKind::Binary(BinOp::And, above, below), TypeId::INT, span);
            cond = Some(match cond {
                None => one,
                Some(others) => self.expr(ExprKind::Binary(BinOp::Or, others, one), TypeId::INT, span),
            });
        }
        let Some(cond) = cond else { return };
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
        let unit = self.unit;
        if self.clocks.is_empty() && self.now.is_none() {
            return;
        }
        let (least, most) = time_of(unit, &self.options.cycle);
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
            self.assume_within(value, &[(least as i128, most as i128)], span);
            value
        };
        for clock in self.clocks.clone() {
            let id = self.program.places[clock].ty;
            let mut passed = self.cast(passed, id, span);
            let is_long = id == TypeId::LONG_LONG;
            if is_long {
                let unit = self.constant(1_000_000, id, span);
                passed = self.expr(ExprKind::Binary(BinOp::Mul, passed, unit), id, span);
            }
            let value = self.read(clock, span);
            // A clock stops at the greatest time that there is.
            let most = match self.program.types.is_signed(id) {
                true if is_long => i64::MAX as i128,
                true => i32::MAX as i128,
                false => u32::MAX as i128,
            };
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
}

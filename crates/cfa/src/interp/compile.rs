//! Control flow of one function to bytecode: locations become positions, edges become instructions, steps are counted per straight line.
//!
//! Each location is emitted once, except that a jump back to a small two-way branch repeats the branch instead (a loop then costs one jump
//! per round, not two). Without an observer nothing is emitted for an edge but its operation.

use super::code::*;
use crate::analysis::assigned::AlwaysAssigned;
use crate::eval::{self, Scalar};
use crate::expr::{ExprId, ExprKind, PlaceId, PlaceKind};
use crate::program::*;
use crate::property::{Property, PropertySet};
use crate::types::{Type, TypeId};
use rustc_hash::FxHashSet;

/// What the code depends on besides the program.
#[derive(Clone, Copy)]
pub struct CompileOptions<'a> {
    pub observed: bool,
    /// Reads check that memory was written. Variables that may be read before they are assigned live in memory.
    pub check_written: bool,
    pub properties: PropertySet,
    /// Object number and address of each variable of static lifetime, by variable.
    pub statics: &'a [(u32, u64)],
    /// The same objects by number, ascending.
    pub objects: &'a [(u32, VarId)],
    /// Address of each function.
    pub functions: &'a [u64],
}

/// Where a jump leads: known only at the end.
#[derive(Clone, Copy)]
enum Fixup {
    Location(LocId),
    /// To the trace of an edge, and then to the edge's target.
    Traced(EdgeId),
}

pub struct Compiler<'p> {
    pub(super) program: &'p Program,
    pub(super) options: CompileOptions<'p>,
    pub(super) code: Code,
    first_temp: u32,
    next_temp: u32,
    pending: u16,
    /// Expressions under way, one inside the other.
    pub(super) depth: u32,
    edge: Option<EdgeId>,
    automaton: &'p Automaton,
    /// Position of each location of the function; `u32::MAX` before it has one.
    positions: Vec<u32>,
    joins: Vec<u8>,
    work: Vec<LocId>,
    fixups: Vec<(usize, Fixup)>,
    /// Variables that `Alloca` gives memory to.
    owners: FxHashSet<VarId>,
    /// Variables with more than one `Declare`.
    declared_again: FxHashSet<VarId>,
    /// Where it matters which variables are assigned before they are read.
    assigned: Option<AlwaysAssigned>,
}

const NOWHERE: u32 = u32::MAX;

pub fn compile(program: &Program, function: FuncId, options: CompileOptions<'_>) -> Code {
    let automaton = program.automaton(function).expect("only functions with a body are compiled");
    let count = automaton.locations.len();
    let mut compiler = Compiler {
        program,
        options,
        code: Code {
            function,
            instrs: Vec::new(),
            origins: Vec::new(),
            slots: 0,
            params: Vec::new(),
            simple: true,
            homes: Vec::new(),
            first_var: automaton.vars.start,
            owned: Vec::new(),
            has_alloca: false,
            slow: Vec::new(),
            sites: Vec::new(),
            indexes: Vec::new(),
            traces: Vec::new(),
        },
        first_temp: 0,
        next_temp: 0,
        pending: 0,
        depth: 0,
        edge: None,
        automaton,
        positions: vec![NOWHERE; count],
        joins: vec![0; count],
        work: vec![automaton.entry],
        fixups: Vec::new(),
        owners: FxHashSet::default(),
        declared_again: FxHashSet::default(),
        assigned: None,
    };
    compiler.scan_edges();
    compiler.place_variables();
    while let Some(location) = compiler.work.pop() {
        if compiler.position(location) == NOWHERE {
            compiler.emit_from(location);
        }
    }
    compiler.resolve_jumps();
    compiler.code
}

impl Compiler<'_> {
    fn position(&self, location: LocId) -> u32 {
        self.positions[(location.0 - self.automaton.locations.start) as usize]
    }

    fn here(&self) -> u32 {
        self.code.instrs.len() as u32
    }

    fn scan_edges(&mut self) {
        let program = self.program;
        let mut declared = FxHashSet::default();
        for edge in self.automaton.edges.clone().map(EdgeId) {
            let edge = &program.edges[edge];
            let join = &mut self.joins[(edge.to.0 - self.automaton.locations.start) as usize];
            *join = join.saturating_add(1);
            if let Op::Alloca(var, _) = edge.op {
                self.owners.insert(var);
            }
            if let Op::Declare(var) = edge.op
                && !declared.insert(var)
            {
                self.declared_again.insert(var);
            }
        }
        self.code.has_alloca = !self.owners.is_empty();
        let entry = (self.automaton.entry.0 - self.automaton.locations.start) as usize;
        self.joins[entry] = self.joins[entry].saturating_add(1);
    }

    /// Parameters first, in order, then the other variables.
    fn place_variables(&mut self) {
        let program = self.program;
        if self.options.check_written {
            self.assigned = Some(AlwaysAssigned::of(program, self.code.function, self.automaton));
        }
        self.code.homes = vec![None; self.automaton.vars.len()];
        let params = &program.functions[self.code.function].params;
        for var in params.iter().copied() {
            let home = self.place_variable(var);
            let ty = program.vars[var].ty;
            let scalar = program.types.is_scalar(ty);
            let wide = scalar && self.is_wide(ty);
            let size = program.types.size_of(ty).unwrap_or(0);
            self.code.simple &= matches!(home, Home::Slot(_)) && !wide;
            self.code.params.push(Param { var, ty, home, size, wide, record: !scalar });
        }
        for var in self.automaton.vars.clone().map(VarId) {
            if !params.contains(&var) && program.vars[var].kind.function() == Some(self.code.function) {
                self.place_variable(var);
            }
        }
        self.first_temp = self.code.slots;
        self.next_temp = self.first_temp;
    }

    fn place_variable(&mut self, var: VarId) -> Home {
        let data = &self.program.vars[var];
        let scalar = self.program.types.is_scalar(data.ty);
        let slot = self.code.slots;
        let assigned = self.assigned.as_ref().is_none_or(|assigned| assigned.contains(var));
        let home = if scalar && !data.address_taken && assigned {
            self.code.slots += if self.is_wide(data.ty) { 2 } else { 1 };
            Home::Slot(slot)
        } else {
            self.code.slots += 1;
            self.code.owned.push((slot, var));
            Home::Local(slot)
        };
        self.code.homes[(var.0 - self.code.first_var) as usize] = Some(home);
        home
    }

    pub(super) fn is_wide(&self, ty: TypeId) -> bool {
        match eval::scalar(&self.program.types, ty) {
            Scalar::Int { width, .. } => width > 64,
            Scalar::X87 => true,
            Scalar::F32 | Scalar::F64 => false,
        }
    }

    /// A slot that lives until the end of the edge.
    pub(super) fn temp(&mut self, wide: bool) -> Slot {
        let slot = self.next_temp;
        self.next_temp += if wide { 2 } else { 1 };
        self.code.slots = self.code.slots.max(self.next_temp);
        slot
    }

    pub(super) fn emit(&mut self, instr: Instr) -> usize {
        self.code.instrs.push(instr);
        self.code.origins.push(Origin { edge: self.edge, pending: self.pending });
        self.code.instrs.len() - 1
    }

    pub(super) fn slow(&mut self, slow: Slow) -> usize {
        self.code.slow.push(slow);
        self.emit(Instr::Slow { index: self.code.slow.len() as u32 - 1 })
    }

    /// The steps that the next counting instruction accounts for. If the run stops there, these steps are already counted.
    pub(super) fn take_steps(&mut self) -> u16 {
        std::mem::take(&mut self.pending)
    }

    pub(super) fn pending(&self) -> u16 {
        self.pending
    }

    fn trace(&mut self, edge: EdgeId, value: Option<Argument>) {
        if self.options.observed {
            self.code.traces.push(Trace { edge, value });
            self.emit(Instr::Trace { index: self.code.traces.len() as u32 - 1 });
        }
    }

    fn begin_edge(&mut self, edge: EdgeId) {
        if self.pending >= u16::MAX - 1 {
            let steps = self.take_steps();
            self.emit(Instr::Steps { steps });
        }
        self.next_temp = self.first_temp;
        self.edge = Some(edge);
        self.pending += 1;
    }

    /// Emits from a location on until control goes elsewhere.
    fn emit_from(&mut self, start: LocId) {
        let program = self.program;
        let mut location = start;
        let mut repeated = false;
        self.pending = 0;
        loop {
            let out = program.locations[location].out;
            if self.position(location) != NOWHERE {
                if let (false, [Some(yes), Some(no)]) = (repeated, out)
                    && self.is_small_branch(yes)
                {
                    repeated = true;
                    location = self.branch(yes, no);
                    continue;
                }
                let steps = self.take_steps();
                let jump = self.emit(Instr::Jump { target: 0, steps });
                self.fixups.push((jump, Fixup::Location(location)));
                return;
            }
            repeated = false;
            let index = (location.0 - self.automaton.locations.start) as usize;
            if self.joins[index] > 1 && self.pending > 0 {
                let steps = self.take_steps();
                self.emit(Instr::Steps { steps });
            }
            self.positions[index] = self.here();
            location = match out {
                [Some(yes), Some(no)] => self.branch(yes, no),
                [Some(edge), None] | [None, Some(edge)] => {
                    self.begin_edge(edge);
                    if !self.operation(edge) {
                        return;
                    }
                    program.edges[edge].to
                }
                [None, None] if location == self.automaton.exit => {
                    let steps = self.take_steps();
                    self.emit(Instr::ReturnNothing { steps });
                    return;
                }
                [None, None] => {
                    self.slow(Slow::Stuck);
                    return;
                }
            };
        }
    }

    /// Two edges with one condition; returns the location that follows directly.
    fn branch(&mut self, yes: EdgeId, no: EdgeId) -> LocId {
        let program = self.program;
        let Op::Assume { cond, truth, .. } = program.edges[yes].op else {
            panic!("{yes}: one of two edges, but no assumption");
        };
        let (yes, no) = if truth { (yes, no) } else { (no, yes) };
        self.begin_edge(yes);
        let [to_yes, to_no] = [program.edges[yes].to, program.edges[no].to];
        if let Some(bits) = program.constant(cond) {
            let holds = eval::truthy(&program.types, program.exprs[cond].ty, bits);
            let (edge, to) = if holds { (yes, to_yes) } else { (no, to_no) };
            self.edge = Some(edge);
            self.trace(edge, None);
            return to;
        }
        let jump_on = self.position(to_yes) != NOWHERE;
        let jump = self.jump_if(cond, jump_on);
        let (away, next, to) = if jump_on { (yes, no, to_no) } else { (no, yes, to_yes) };
        let target = program.edges[away].to;
        let fixup = if self.options.observed { Fixup::Traced(away) } else { Fixup::Location(target) };
        self.fixups.push((jump, fixup));
        self.work.push(target);
        self.edge = Some(next);
        self.trace(next, None);
        to
    }

    fn is_small_branch(&self, edge: EdgeId) -> bool {
        let Op::Assume { cond, .. } = self.program.edges[edge].op else { return false };
        self.program.constant(cond).is_none() && self.is_small(cond, &mut 8)
    }

    fn is_small(&self, expr: ExprId, budget: &mut u32) -> bool {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        match self.program.exprs[expr].kind {
            ExprKind::Const(_) | ExprKind::FuncAddr(_) => true,
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.is_small(a, budget),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrSub(a, b) | ExprKind::PtrDiff(a, b) => {
                self.is_small(a, budget) && self.is_small(b, budget)
            }
            ExprKind::Read(place) | ExprKind::AddrOf(place) => self.is_small_place(place, budget),
        }
    }

    fn is_small_place(&self, place: PlaceId, budget: &mut u32) -> bool {
        match self.program.places[place].kind {
            PlaceKind::Var(_) => true,
            PlaceKind::Deref(pointer) => self.is_small(pointer, budget),
            PlaceKind::Field(inner, _) => self.is_small_place(inner, budget),
            PlaceKind::Index(inner, index) => self.is_small_place(inner, budget) && self.is_small(index, budget),
        }
    }

    /// Carries out an edge; false if control does not come out of it.
    fn operation(&mut self, edge: EdgeId) -> bool {
        let program = self.program;
        let mut value = None;
        match program.edges[edge].op {
            Op::Skip => {}
            Op::Declare(var) => self.declare(edge, var),
            Op::Kill(var) => self.end_lifetime(var),
            Op::Alloca(var, size) => self.alloca(edge, var, size),
            Op::Assign(place, expr) => value = self.assign(place, expr),
            Op::Havoc(place, kind) => {
                let ty = program.places[place].ty;
                let d = self.temp(true);
                self.slow(Slow::Input { d, ty, kind, edge });
                self.store(place, d);
                value = Some(Argument { slot: d, ty });
            }
            Op::Assume { cond, truth, .. } => self.require(cond, truth, Slow::AssumptionFailed),
            Op::Assert { cond, property } => self.assert(cond, property),
            Op::Call { dest, callee, args } => value = self.call(edge, dest, callee, args),
            Op::Return(expr) => {
                self.return_value(edge, expr);
                return false;
            }
            Op::Halt(code) => {
                let code = code.map(|code| self.value(code));
                self.trace(edge, None);
                self.slow(Slow::Halt { code });
                return false;
            }
            Op::Poison(reason) => {
                self.slow(Slow::Poison { reason });
                return false;
            }
        }
        self.trace(edge, value);
        true
    }

    fn declare(&mut self, edge: EdgeId, var: VarId) {
        match self.home(var) {
            // Contents are asked for at every declaration of a variable or at none, since the source of inputs counts the requests.
            Home::Slot(d) if self.declared_again.contains(&var) || !self.is_overwritten_next(edge, var) => {
                let ty = self.program.vars[var].ty;
                self.slow(Slow::Fill { d, var, ty, edge });
            }
            Home::Slot(_) | Home::Object(_) => {}
            Home::Local(slot) => {
                self.slow(Slow::Declare { slot, var, edge });
            }
        }
    }

    /// Whether the only next operation assigns the variable without reading it: its arbitrary value then plays no part.
    fn is_overwritten_next(&self, edge: EdgeId, var: VarId) -> bool {
        let program = self.program;
        let [Some(next), None] = program.locations[program.edges[edge].to].out else { return false };
        if self.joins[(program.edges[edge].to.0 - self.automaton.locations.start) as usize] > 1 {
            return false;
        }
        match program.edges[next].op {
            Op::Assign(place, expr) => {
                program.places[place].kind == PlaceKind::Var(var)
                    && self.is_small(expr, &mut 16)
                    && !self.reads(expr, var)
            }
            _ => false,
        }
    }

    fn reads(&self, expr: ExprId, var: VarId) -> bool {
        match self.program.exprs[expr].kind {
            ExprKind::Const(_) | ExprKind::FuncAddr(_) => false,
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.reads(a, var),
            ExprKind::Binary(_, a, b) | ExprKind::PtrAdd(a, b) | ExprKind::PtrSub(a, b) | ExprKind::PtrDiff(a, b) => {
                self.reads(a, var) || self.reads(b, var)
            }
            ExprKind::Read(place) | ExprKind::AddrOf(place) => self.place_reads(place, var),
        }
    }

    fn place_reads(&self, place: PlaceId, var: VarId) -> bool {
        match self.program.places[place].kind {
            PlaceKind::Var(read) => read == var,
            PlaceKind::Deref(pointer) => self.reads(pointer, var),
            PlaceKind::Field(inner, _) => self.place_reads(inner, var),
            PlaceKind::Index(inner, index) => self.place_reads(inner, var) || self.reads(index, var),
        }
    }

    fn end_lifetime(&mut self, var: VarId) {
        if self.owners.contains(&var) {
            self.slow(Slow::KillAlloca { owner: var });
        }
        if let Home::Local(slot) = self.home(var) {
            self.slow(Slow::Kill { slot });
        }
    }

    fn alloca(&mut self, edge: EdgeId, var: VarId, size: ExprId) {
        let size_type = TypeId::int(self.program.model().size_type());
        let from = self.program.exprs[size].ty;
        let value = self.value(size);
        let wide = self.temp(false);
        self.cast_slot(value, from, size_type, Some(wide));
        let d = self.temp(false);
        self.slow(Slow::Alloca { owner: var, d, size: wide, edge });
        self.store_variable(var, d);
    }

    fn assign(&mut self, place: PlaceId, expr: ExprId) -> Option<Argument> {
        let program = self.program;
        let ty = program.places[place].ty;
        if !program.types.is_scalar(ty) {
            let length = program.types.size_of(ty).unwrap_or(0);
            let from = self.record(expr);
            let to = self.memory(place);
            self.slow(Slow::Copy { to, from, length });
            return None;
        }
        let slot = match program.places[place].kind {
            PlaceKind::Var(var) if let Home::Slot(d) = self.home(var) => {
                self.value_into(expr, d);
                d
            }
            _ => {
                let slot = self.value(expr);
                self.store(place, slot);
                slot
            }
        };
        Some(Argument { slot, ty })
    }

    /// Goes on only if the condition has that truth.
    fn require(&mut self, cond: ExprId, truth: bool, otherwise: Slow) {
        let program = self.program;
        if let Some(bits) = program.constant(cond) {
            if eval::truthy(&program.types, program.exprs[cond].ty, bits) != truth {
                self.slow(otherwise);
            }
            return;
        }
        let jump = self.jump_if(cond, truth);
        self.slow(otherwise);
        let here = self.here();
        set_target(&mut self.code.instrs[jump], here);
    }

    fn assert(&mut self, cond: ExprId, property: Property) {
        if self.options.properties.contains(property) || property == Property::Assertion {
            self.require(cond, true, Slow::AssertionFailed { property });
        } else if self.program.constant(cond).is_none() {
            // The condition still may be undefined.
            self.value(cond);
        }
    }

    fn call(&mut self, edge: EdgeId, dest: Option<PlaceId>, callee: Callee, args: (u32, u32)) -> Option<Argument> {
        let program = self.program;
        let args: Vec<Argument> = program.call_args(args).iter().map(|arg| self.argument(*arg)).collect();
        let callee = match callee {
            Callee::Direct(function) => CalleeSlot::Direct(function),
            Callee::Indirect(pointer) => CalleeSlot::Indirect(self.value(pointer)),
        };
        let result = dest.map(|dest| program.places[dest].ty);
        let simple = matches!(callee, CalleeSlot::Direct(function) if self.is_simple_call(function, &args));
        self.code.sites.push(CallSite { edge, callee, args, result });
        let site = self.code.sites.len() as u32 - 1;
        let steps = self.take_steps();
        self.emit(if simple { Instr::Call { site, steps } } else { Instr::CallSlow { site, steps } });
        let (dest, ty) = (dest?, result?);
        if !program.types.is_scalar(ty) {
            let to = self.memory(dest);
            self.slow(Slow::ResultRecord { to, ty, edge });
            return None;
        }
        let own = match program.places[dest].kind {
            PlaceKind::Var(var) if let Home::Slot(slot) = self.home(var) => Some(slot),
            _ => None,
        };
        let wide = self.is_wide(ty);
        let d = own.unwrap_or_else(|| self.temp(wide));
        if wide {
            self.slow(Slow::ResultScalar { d, ty, edge });
        } else {
            self.code.slow.push(Slow::ResultScalar { d, ty, edge });
            self.emit(Instr::Result { d, slow: self.code.slow.len() as u32 - 1 });
        }
        if own.is_none() {
            self.store(dest, d);
        }
        Some(Argument { slot: d, ty })
    }

    /// Whether arguments can be copied slot by slot.
    fn is_simple_call(&self, function: FuncId, args: &[Argument]) -> bool {
        let program = self.program;
        let callee = &program.functions[function];
        let narrow = |ty: TypeId| program.types.is_scalar(ty) && !self.is_wide(ty);
        matches!(callee.body, Body::Defined(_))
            && args.len() >= callee.params.len()
            && callee.params.iter().zip(args).all(|(param, arg)| {
                let param = &program.vars[*param];
                !param.address_taken
                    && narrow(param.ty)
                    && narrow(arg.ty)
                    && program.types.scalar_bits(param.ty) == program.types.scalar_bits(arg.ty)
                    && param.ty.float_kind() == arg.ty.float_kind()
            })
    }

    fn argument(&mut self, expr: ExprId) -> Argument {
        let ty = self.program.exprs[expr].ty;
        let slot = if self.program.types.is_scalar(ty) {
            self.value(expr)
        } else {
            let address = self.record(expr);
            let d = self.temp(false);
            self.slow(Slow::Address { d, address });
            d
        };
        Argument { slot, ty }
    }

    fn return_value(&mut self, edge: EdgeId, expr: Option<ExprId>) {
        let Some(expr) = expr else {
            self.trace(edge, None);
            let steps = self.take_steps();
            self.emit(Instr::ReturnNothing { steps });
            return;
        };
        let ty = self.program.exprs[expr].ty;
        if matches!(self.program.types.get(ty), Type::Record(_)) {
            let from = self.record(expr);
            let length = self.program.types.size_of(ty).unwrap_or(0);
            self.slow(Slow::SetRecord { from, length });
            self.trace(edge, None);
        } else {
            let slot = self.value(expr);
            self.trace(edge, Some(Argument { slot, ty }));
            if !self.is_wide(ty) {
                let steps = self.take_steps();
                self.emit(Instr::Return { a: slot, steps });
                return;
            }
            self.slow(Slow::SetWide { a: slot });
        }
        let steps = self.take_steps();
        self.emit(Instr::ReturnSet { steps });
    }

    pub(super) fn home(&self, var: VarId) -> Home {
        let own = self.code.home(var);
        own.unwrap_or_else(|| Home::Object(self.options.statics[var.0 as usize].0))
    }

    fn resolve_jumps(&mut self) {
        self.edge = None;
        self.pending = 0;
        let fixups = std::mem::take(&mut self.fixups);
        for (jump, fixup) in fixups {
            let target = match fixup {
                Fixup::Location(location) => self.position(location),
                Fixup::Traced(edge) => {
                    let stub = self.here();
                    self.edge = Some(edge);
                    self.trace(edge, None);
                    let target = self.position(self.program.edges[edge].to);
                    self.emit(Instr::Jump { target, steps: 0 });
                    stub
                }
            };
            set_target(&mut self.code.instrs[jump], target);
        }
    }
}

fn set_target(instr: &mut Instr, to: Target) {
    use Instr::*;
    match instr {
        Jump { target, .. }
        | BrEq { target, .. }
        | BrNe { target, .. }
        | BrLtS32 { target, .. }
        | BrLeS32 { target, .. }
        | BrLtS64 { target, .. }
        | BrLeS64 { target, .. }
        | BrLtU { target, .. }
        | BrLeU { target, .. }
        | BrEqI { target, .. }
        | BrNeI { target, .. }
        | BrLtS32I { target, .. }
        | BrGeS32I { target, .. }
        | BrLtS64I { target, .. }
        | BrGeS64I { target, .. }
        | BrLtUI { target, .. }
        | BrGeUI { target, .. } => *target = to,
        other => panic!("{other:?} is no jump"),
    }
}

//! Functions, locations, edges and what operations demand of their parts.

use super::expressions::{is_value, is_writable};
use super::{Report, Roots, Subject};
use crate::types::FunctionType;
use crate::*;
use base::ids::Id;

pub(super) fn check(program: &Program, roots: &Roots, report: &mut Report) {
    let mut owned = Owned { locations: vec![None; program.locations.len()], edges: vec![None; program.edges.len()] };
    for (id, function) in program.functions.iter() {
        check_function(program, id, function, &mut owned, report);
    }
    for (id, var) in program.vars.iter() {
        let Some(automaton) = var.kind.function().and_then(|function| program.automaton(function)) else { continue };
        report.require(automaton.vars.contains(&id.0), Subject::Var(id), || {
            "lies outside the range of its function's variables".to_string()
        });
    }
    let mut listed = vec![0u8; program.edges.len()];
    for (id, location) in program.locations.iter() {
        let subject = Subject::Location(id);
        report.require(owned.locations[id.index()] == Some(location.function), subject, || {
            format!("lies outside the range of {}", location.function)
        });
        check_out(program, id, location, &mut listed, report);
    }
    for (id, edge) in program.edges.iter() {
        check_edge(program, id, edge, &owned, listed[id.index()], report);
        let checker = Operation { program, roots, function: program.locations[edge.from].function };
        if let Err(message) = checker.check(&edge.op) {
            report.require(false, Subject::Edge(id), || message);
        }
    }
}

/// The function whose range holds a location or an edge.
struct Owned {
    locations: Vec<Option<FuncId>>,
    edges: Vec<Option<FuncId>>,
}

fn function_type(program: &Program, ty: TypeId) -> Option<&FunctionType> {
    match program.types.get(ty) {
        Type::Function(function) => Some(function),
        _ => None,
    }
}

fn check_function(program: &Program, id: FuncId, function: &Function, owned: &mut Owned, report: &mut Report) {
    let subject = Subject::Function(id);
    let Some(ty) = function_type(program, function.ty) else {
        return report.require(false, subject, || format!("its type {} is no function type", function.ty));
    };
    let Body::Defined(automaton) = &function.body else { return };
    // Ranges that overlap show as an item that belongs to two; marking each once keeps this linear.
    for location in automaton.locations.clone() {
        let slot = &mut owned.locations[location as usize];
        if let Some(other) = *slot {
            return report.require(false, subject, || format!("shares {} with {other}", LocId(location)));
        }
        *slot = Some(id);
    }
    for edge in automaton.edges.clone() {
        let slot = &mut owned.edges[edge as usize];
        if let Some(other) = *slot {
            return report.require(false, subject, || format!("shares {} with {other}", EdgeId(edge)));
        }
        *slot = Some(id);
    }
    for var in automaton.vars.clone().map(VarId) {
        if let Some(other) = program.vars[var].kind.function().filter(|other| *other != id) {
            return report.require(false, subject, || format!("the range of its variables holds {var} of {other}"));
        }
    }
    for (location, what) in [(automaton.entry, "entry"), (automaton.exit, "exit")] {
        report.require(automaton.locations.contains(&location.0), subject, || {
            format!("its {what} {location} is not among its locations")
        });
    }
    report.require(program.locations[automaton.exit].out == [None, None], subject, || {
        format!("its exit {} has an outgoing edge", automaton.exit)
    });
    for param in &function.params {
        report.require(program.vars[*param].kind == VarKind::Param(id), subject, || {
            format!("{param} is not a parameter of it")
        });
    }
    if !ty.unprototyped {
        let mut types: Vec<_> = function.params.iter().map(|param| program.vars[*param].ty).collect();
        // A variadic function may have one more, for the other arguments.
        if ty.variadic && types.last().is_some_and(|last| program.is_argument_list(*last)) {
            types.pop();
        }
        let types = types.into_iter();
        report.require(types.eq(ty.params.iter().copied()), subject, || {
            format!("its parameters do not match its type {}", function.ty)
        });
    }
}

fn check_out(program: &Program, id: LocId, location: &Location, listed: &mut [u8], report: &mut Report) {
    let subject = Subject::Location(id);
    for edge in location.out.iter().flatten() {
        report.require(program.edges[*edge].from == id, subject, || {
            format!("lists {edge}, which leaves another location")
        });
        listed[edge.index()] = listed[edge.index()].saturating_add(1);
    }
    match location.out {
        [None, Some(_)] => report.require(false, subject, || "has a second outgoing edge but no first".to_string()),
        [Some(first), Some(second)] => {
            let pair = match (program.edges[first].op, program.edges[second].op) {
                (Op::Assume { cond, truth: true, .. }, Op::Assume { cond: other, truth: false, .. }) => cond == other,
                _ => false,
            };
            report.require(pair, subject, || {
                format!("{first} and {second} are not the true and the false branch of one condition")
            });
        }
        _ => {}
    }
}

fn check_edge(program: &Program, id: EdgeId, edge: &Edge, owned: &Owned, listed: u8, report: &mut Report) {
    let subject = Subject::Edge(id);
    let function = program.locations[edge.from].function;
    report.require(listed == 1, subject, || format!("stands {listed} times among the outgoing edges of locations"));
    report.require(owned.edges[id.index()] == Some(function), subject, || {
        format!("lies outside the range of {function}")
    });
    report.require(program.locations[edge.to].function == function, subject, || {
        format!("leads to {} of another function", edge.to)
    });
    let Some(automaton) = program.automaton(function) else { return };
    let returns = matches!(edge.op, Op::Return(_));
    report.require(returns == (edge.to == automaton.exit), subject, || {
        let exit = automaton.exit;
        if returns {
            format!("returns to {}, not to the exit {exit}", edge.to)
        } else {
            format!("leads to the exit {exit} without Return")
        }
    });
}

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

struct Operation<'a> {
    program: &'a Program,
    roots: &'a Roots,
    function: FuncId,
}

impl Operation<'_> {
    fn ty(&self, expr: ExprId) -> TypeId {
        self.program.exprs[expr].ty
    }

    fn check(&self, op: &Op) -> Result<(), String> {
        let types = &self.program.types;
        match *op {
            Op::Skip | Op::Poison(_) | Op::Halt(None) => Ok(()),
            Op::Declare(var) | Op::Kill(var) => {
                let owner = self.program.vars[var].kind.function();
                ensure(owner == Some(self.function), || format!("{var} is no automatic variable of this function"))
            }
            Op::Alloca(var, size) => {
                let (kind, ty) = (self.program.vars[var].kind, self.program.vars[var].ty);
                let holder = kind == VarKind::Vla(self.function) || kind == VarKind::Temp(self.function);
                ensure(holder, || format!("{var} is no vla or temp of this function"))?;
                ensure(types.is_pointer(ty), || format!("{var} is no pointer"))?;
                self.integer(size)
            }
            Op::Assign(place, value) => {
                self.write(place, self.ty(value))?;
                ensure(is_value(self.program, self.ty(value)), || format!("assigns a value of type {}", self.ty(value)))
            }
            Op::Havoc(place, _) => {
                let ty = self.program.places[place].ty;
                self.write(place, ty)?;
                ensure(types.is_scalar(ty), || format!("an input of type {ty}, which is no scalar"))
            }
            Op::Assume { cond, .. } | Op::Assert { cond, .. } => {
                let ty = self.ty(cond);
                ensure(types.is_scalar(ty), || format!("a condition of type {ty}, which is no scalar"))
            }
            Op::Call { dest, callee, args } => self.call(dest, callee, self.program.call_args(args)),
            Op::Return(value) => {
                let function = &self.program.functions[self.function];
                let Some(ty) = function_type(self.program, function.ty) else { return Ok(()) };
                let Some(value) = value.map(|value| self.ty(value)) else { return Ok(()) };
                ensure(value == ty.result, || format!("returns {value} where the result is {}", ty.result))
            }
            Op::Halt(Some(code)) => self.integer(code),
        }
    }

    fn integer(&self, expr: ExprId) -> Result<(), String> {
        let ty = self.ty(expr);
        ensure(ty.int_kind().is_some(), || format!("{expr} has type {ty}, which is no integer"))
    }

    fn write(&self, place: PlaceId, value: TypeId) -> Result<(), String> {
        let ty = self.program.places[place].ty;
        ensure(ty == value, || format!("a value of type {value} for a place of type {ty}"))?;
        ensure(is_writable(self.program, self.roots, place), || "writes to a constant".to_string())
    }

    fn call(&self, dest: Option<PlaceId>, callee: Callee, args: &[ExprId]) -> Result<(), String> {
        let target = match callee {
            Callee::Direct(function) => Some(self.program.functions[function].ty),
            Callee::Indirect(pointer) => self.program.types.pointee(self.ty(pointer)),
        };
        let Some(ty) = target.and_then(|target| function_type(self.program, target)) else {
            return Err("the callee is no function".to_string());
        };
        for arg in args {
            let ty = self.ty(*arg);
            ensure(is_value(self.program, ty), || format!("{arg} is an argument of type {ty}"))?;
        }
        if !ty.unprototyped {
            let counts = if ty.variadic { args.len() >= ty.params.len() } else { args.len() == ty.params.len() };
            ensure(counts, || format!("{} arguments for {} parameters", args.len(), ty.params.len()))?;
            for (arg, param) in args.iter().zip(&ty.params) {
                ensure(self.ty(*arg) == *param, || format!("{arg} has type {}, the parameter {param}", self.ty(*arg)))?;
            }
        }
        let Some(dest) = dest else { return Ok(()) };
        ensure(ty.result != TypeId::VOID, || "takes the result of a void function".to_string())?;
        self.write(dest, ty.result)
    }
}

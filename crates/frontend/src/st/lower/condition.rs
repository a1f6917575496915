//! Conditions on a finished program: a text in which names are those of its variables, `instance.variable` for what an instance has. Only what can be evaluated
//! without a statement is taken; arrays and structures are not.

use super::super::ast::{Unit, key};
use super::super::parse::parse_expression;
use super::operator::Val;
use super::types::Ty;
use super::vars::{Instance, Slot};
use super::{Cursor, Lower};
use crate::{CompileOptions, Condition, Site};
use base::{Diagnostic, Severity};
use cfa::{ExprId, FloatKind, IntKind, Program, Type, VarKind};
use rustc_hash::FxHashMap;

/// Adds the expressions of a condition to the program. The span of a diagnostic counts the bytes of the text, from 1.
pub fn condition(program: &mut Program, site: Site, text: &str) -> Result<Condition, Diagnostic> {
    // Whether a number is a string of bits is not written in a finished program: what one reading refuses, the other may allow.
    attempt(program, site, text, false).or_else(|error| attempt(program, site, text, true).map_err(|_| error))
}

fn attempt(program: &mut Program, site: Site, text: &str, bits: bool) -> Result<Condition, Diagnostic> {
    let expr = parse_expression(text.as_bytes(), 1)?;
    let (unit, options) = (Unit::default(), CompileOptions::of(program.model()));
    let mut lower = Lower::new(&unit, &options);
    let function = program.locations[site.at].function;
    lower.program = program.clone();
    lower.flow.cursor = Cursor::Nowhere;
    lower.name_variables(function, bits);
    let frame = lower.new_frame(None, FxHashMap::default(), None);
    lower.frames.push(frame);
    let value = lower.value(&expr);
    let value = match value {
        Val::Int(number @ 0..=1) => lower.constant(number, cfa::TypeId::BOOL, expr.span),
        Val::Expr(value, Ty::Bool) => lower.condition_of(value),
        _ => {
            lower.error(expr.span, "this is no condition");
            ExprId(0)
        }
    };
    if let Some(error) = lower.diagnostics.into_iter().find(|one| one.severity == Severity::Error) {
        return Err(error);
    }
    if lower.flow.emitted {
        return Err(Diagnostic::error(expr.span, "this condition needs statements to be evaluated"));
    }
    *program = lower.program;
    Ok(Condition::Atom(value))
}

impl Lower<'_> {
    /// Names for the variables of the finished program that a function sees.
    fn name_variables(&mut self, function: cfa::FuncId, bits: bool) {
        let mut enumerators: FxHashMap<String, Vec<i128>> = FxHashMap::default();
        for (name, number) in self.program.enumerations.names() {
            let numbers = enumerators.entry(key(self.program.name(name))).or_default();
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        for (name, numbers) in enumerators {
            if let [number] = numbers[..] {
                let value = super::constant::Const::Int(number);
                self.globals.insert(name, Slot::Const(value, Ty::Int(IntKind::Int, false)));
            }
        }
        let ids: Vec<cfa::VarId> = self.program.vars.ids().collect();
        for var in ids {
            let data = &self.program.vars[var];
            let visible = data.kind == VarKind::Global || data.kind == VarKind::Local(function);
            let name = self.program.name(data.name).to_string();
            let (Some(ty), true) = (finished_type(&self.program, data.ty, bits), visible && !name.is_empty()) else {
                continue;
            };
            let slot = Slot::Place { place: self.var_place(var), ty, writable: false };
            let mut parts: Vec<&str> = name.split('.').map(|part| part.trim_matches('"')).collect();
            let last = parts.pop().unwrap_or_default();
            let mut at: Option<usize> = None;
            for part in parts {
                at = Some(self.instance_named(at, part));
            }
            match at {
                Some(instance) => drop(self.instances[instance].slots.insert(key(last), slot)),
                None => drop(self.globals.insert(key(last), slot)),
            }
        }
    }

    /// The instance with a name in another one, or at the outermost level.
    fn instance_named(&mut self, inside: Option<usize>, name: &str) -> usize {
        let slots = match inside {
            Some(instance) => &self.instances[instance].slots,
            None => &self.globals,
        };
        if let Some(Slot::Block(known)) = slots.get(&key(name)) {
            return *known;
        }
        let new = self.instances.len();
        self.instances.push(Instance { pou: None, name: name.to_string(), slots: FxHashMap::default() });
        match inside {
            Some(instance) => drop(self.instances[instance].slots.insert(key(name), Slot::Block(new))),
            None => drop(self.globals.insert(key(name), Slot::Block(new))),
        }
        new
    }
}

/// The type of a scalar, as far as a finished program says it.
fn finished_type(program: &Program, ty: cfa::TypeId, bits: bool) -> Option<Ty> {
    Some(match program.types.get(ty) {
        Type::Int(IntKind::Bool) => Ty::Bool,
        Type::Int(kind) => Ty::Int(*kind, bits && !program.types.is_signed(ty)),
        Type::Float(FloatKind::Float) => Ty::Real,
        Type::Float(FloatKind::Double) => Ty::LReal,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::SourceMap;

    const TEXT: &str =
        "FUNCTION_BLOCK f VAR_INPUT a : BOOL; w : WORD; END_VAR VAR_OUTPUT n : INT; END_VAR VAR t : TON; END_VAR
        t(IN := a, PT := T#1s); IF t.Q THEN n := n + 1; END_IF; END_FUNCTION_BLOCK";

    fn program() -> Program {
        let mut sources = SourceMap::new();
        let file = sources.add("a.st", TEXT.as_bytes().to_vec()).expect("a file");
        crate::st::compile(&mut sources, &[file], &CompileOptions::of(cfa::DataModel::Lp64)).program
    }

    fn read_back(text: &str) -> Result<String, String> {
        let mut program = program();
        let at = program.cycle.as_ref().expect("a cycle").head;
        match condition(&mut program, Site { at, result: None }, text) {
            Ok(Condition::Atom(expr)) => Ok(crate::display(&program, cfa::walk::Node::Expr(expr))),
            Ok(_) => Err("not one expression".into()),
            Err(error) => Err(error.message),
        }
    }

    #[test]
    fn enumerators_have_names_where_those_are_clear() {
        let text = "TYPE Door : (Closed, Open, Moving := 7); Lamp : (Dark, Moving); END_TYPE
            FUNCTION_BLOCK f VAR_INPUT open : BOOL; END_VAR VAR door : Door; END_VAR
            IF open THEN door := Door#Open; END_IF; END_FUNCTION_BLOCK";
        let mut sources = SourceMap::new();
        let file = sources.add("a.st", text.as_bytes().to_vec()).expect("a file");
        let program = crate::st::compile(&mut sources, &[file], &CompileOptions::of(cfa::DataModel::Lp64)).program;
        let read_back = |text: &str| {
            let mut program = program.clone();
            let at = program.cycle.as_ref().expect("a cycle").head;
            match condition(&mut program, Site { at, result: None }, text) {
                Ok(Condition::Atom(expr)) => crate::display(&program, cfa::walk::Node::Expr(expr)),
                Ok(_) => "no expression".into(),
                Err(error) => error.message,
            }
        };
        assert_eq!(read_back("door = Closed"), "door = Closed");
        assert_eq!(read_back("door <> 0"), "door <> Closed");
        // The name of a variable, and one of two enumerations.
        assert_eq!(read_back("door = 1"), "door = 1");
        assert_eq!(read_back("door = 7"), "door = 7");
    }

    #[test]
    fn conditions_about_a_finished_program() {
        for text in ["a", "n < 5", "t.Q AND n > 0", "NOT t.Q OR n <> 3", "TRUE"] {
            assert_eq!(read_back(text).as_deref(), Ok(text));
        }
        assert!(read_back("(w AND 16#F) = 3").is_ok());
        assert!(read_back("n").is_err_and(|error| error.contains("no condition")));
        assert!(read_back("x > 1").is_err_and(|error| error.contains("not declared")));
        assert!(read_back("n > ").is_err());
        assert!(read_back("10 / n > 1").is_err_and(|error| error.contains("statements")));
    }
}

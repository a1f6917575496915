//! The contracts of correctness witnesses: as expressions for the encoder, and checked on a run of the interpreter.
//!
//! A contract is confirmed if all calls meet its requirements and all returns do what it ensures. Formats do not say whether a call that does not meet them
//! makes the witness wrong: it is rejected only by a call that meets them and returns otherwise.

use super::Located;
use super::induction::conjuncts;
use crate::condition::concrete;
use cfa::contract::old_values;
use cfa::interp::{Event, Observer, View};
use cfa::{Anchor, Bits, ExprId, FuncId, Op, Program, VarId, VarKind};
use std::collections::BTreeMap;

/// The clauses of all contracts, each with the number of its claim; `None` if one of them is no expression.
pub fn exprs(program: &mut Program, located: &[Located]) -> Option<Vec<(usize, Anchor, ExprId)>> {
    let mut found = Vec::new();
    for (number, claim) in located.iter().enumerate() {
        for (anchor, condition) in &claim.clauses {
            let exprs = conjuncts(program, condition)?;
            found.extend(exprs.into_iter().map(|expr| (number, *anchor, expr)));
        }
    }
    Some(found)
}

/// A function that runs.
struct Running {
    function: FuncId,
    /// Its parameters, and what `\old` stands for in its contract.
    names: BTreeMap<VarId, Bits>,
    /// The claims whose requirements the call meets.
    met: Vec<usize>,
}

/// Watches the calls of a run.
pub struct Calls<'l> {
    located: &'l [Located],
    running: Vec<Running>,
    /// What the last `return` gave.
    returned: Option<Bits>,
    /// The first claim that was broken.
    pub broken: Option<usize>,
}

impl<'l> Calls<'l> {
    pub fn new(located: &'l [Located]) -> Self {
        Calls { located, running: Vec::new(), returned: None, broken: None }
    }

    /// The claims whose requirements a call certainly meets.
    fn met(&self, view: &View<'_, '_>, function: FuncId) -> Vec<usize> {
        let meets = |index: &usize| {
            let mut clauses = self.located[*index].clauses.iter().filter(|(at, _)| *at == Anchor::Requires(function));
            clauses.all(|(_, clause)| concrete(clause, view) == Some(true))
        };
        (0..self.located.len()).filter(meets).collect()
    }

    fn called(&mut self, view: &View<'_, '_>, function: FuncId) {
        let program = view.program();
        let params = program.functions[function].params.iter();
        let mut names: BTreeMap<VarId, Bits> =
            params.filter_map(|param| Some((*param, view.variable(*param)?))).collect();
        let met = self.met(&view.with_names(&names), function);
        let own = self.located.iter().flat_map(|claim| &claim.clauses);
        let own = own.filter(|(anchor, _)| *anchor == Anchor::Ensures(function));
        let old: Vec<VarId> =
            own.flat_map(|(_, clause)| clause.atoms()).flat_map(|atom| old_values(program, atom)).collect();
        for var in old {
            if let VarKind::Old(expr) = program.vars[var].kind
                && let Ok(bits) = view.strict().value(expr)
            {
                names.insert(var, bits);
            }
        }
        self.running.push(Running { function, names, met });
    }

    fn left(&mut self, view: &View<'_, '_>, function: FuncId) {
        let Some(Running { mut names, met, .. }) = self.running.pop_if(|one| one.function == function) else { return };
        let program = view.program();
        let result = program.vars.iter().find(|(_, var)| var.kind == VarKind::Result(function));
        if let (Some((var, _)), Some(bits)) = (result, self.returned.take()) {
            names.insert(var, bits);
        }
        let view = view.with_names(&names);
        let is_false = |index: &usize| {
            let mut clauses = self.located[*index].clauses.iter().filter(|(at, _)| *at == Anchor::Ensures(function));
            clauses.any(|(_, clause)| concrete(clause, &view) == Some(false))
        };
        self.broken = self.broken.or(met.into_iter().find(is_false));
    }
}

impl Observer for Calls<'_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        match event {
            Event::Enter { function, .. } => self.called(view, function),
            Event::Leave { function } => self.left(view, function),
            Event::Edge { edge, value } => {
                if let Op::Return(_) = view.program().edges[edge].op {
                    self.returned = value.map(|(_, bits)| bits);
                }
            }
            Event::Input(_) => {}
        }
    }
}

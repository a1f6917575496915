//! One path through a block: the part of it in which all choices that matter are made as in a given step. A formula over such a part has no choices
//! left, so its interpolants are about one path instead of all at once.

use logic::{Model, Sort, TermId, TermOp, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// The conditions of the path that a step takes, and its values without choices. A value that does not matter stays as it is.
pub fn straight(
    pool: &mut TermPool,
    model: &Model,
    guard: TermId,
    values: &[TermId],
    matters: impl Fn(usize) -> bool,
) -> (TermId, Vec<TermId>) {
    let mut line =
        Line { pool, model, literals: Vec::new(), justified: FxHashSet::default(), done: FxHashMap::default() };
    line.justify(guard);
    let values = values.iter().enumerate();
    let values = values.map(|(index, value)| if matters(index) { line.resolve(*value) } else { *value }).collect();
    let literals = line.literals;
    (pool.and_all(&literals), values)
}

struct Line<'l> {
    pool: &'l mut TermPool,
    model: &'l Model,
    literals: Vec<TermId>,
    justified: FxHashSet<TermId>,
    /// Terms without the choices in them.
    done: FxHashMap<TermId, TermId>,
}

impl Line<'_> {
    /// Adds literals that hold in the step, and that make a formula what it is there.
    fn justify(&mut self, term: TermId) {
        if !self.justified.insert(term) {
            return;
        }
        let args = self.pool.args(term);
        let is_of_booleans = |line: &Self| line.pool.sort(args[0]) == Sort::Bool;
        match self.pool.op(term) {
            TermOp::Bool => {}
            TermOp::Not => self.justify(args[0]),
            TermOp::And if self.model.bool(self.pool, term) => args.iter().for_each(|arg| self.justify(*arg)),
            TermOp::And => {
                let fails = |arg: &&TermId| !self.model.bool(self.pool, **arg);
                let first = *args.iter().find(fails).expect("a conjunction that is false has a false part");
                self.justify(first);
            }
            TermOp::Ite => {
                let chosen = if self.model.bool(self.pool, args[0]) { args[1] } else { args[2] };
                self.justify(args[0]);
                self.justify(chosen);
            }
            TermOp::Xor | TermOp::Eq if is_of_booleans(self) => args.iter().for_each(|arg| self.justify(*arg)),
            _ => {
                let atom = self.resolve(term);
                let literal = if self.model.bool(self.pool, term) { atom } else { self.pool.not(atom) };
                self.literals.push(literal);
            }
        }
    }

    /// A term with the choices of the step; arrays stay as they are.
    fn resolve(&mut self, term: TermId) -> TermId {
        if let Some(done) = self.done.get(&term) {
            return *done;
        }
        let args = self.pool.args(term);
        let resolved = if self.pool.sort(term).is_array() || self.pool.op(term) == TermOp::Select {
            term
        } else if self.pool.op(term) == TermOp::Ite {
            self.justify(args[0]);
            let chosen = if self.model.bool(self.pool, args[0]) { args[1] } else { args[2] };
            self.resolve(chosen)
        } else {
            let mut below: FxHashMap<TermId, TermId> = args.iter().map(|arg| (*arg, self.resolve(*arg))).collect();
            self.pool.substitute_below(term, &mut below)
        };
        self.done.insert(term, resolved);
        resolved
    }
}

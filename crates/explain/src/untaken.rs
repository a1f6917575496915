//! Which variables the ways that a run did not take at a branch could have assigned. A value that is read behind a branch also depends on the branch if
//! another way would have written it (potential dependence: Agrawal et al. 1993; Gyimóthy et al. 1999).
//!
//! In: a program and what its edges may write. Out: for a branch, the scalar variables that edges up to where its ways meet may assign, and that the
//! function itself can name: its own, and those of static lifetime. Elements of arrays and memory behind pointers are left out, since nearly every branch in
//! a loop over them could have written any of them.

use cfa::analysis::effects::EffectAnalysis;
use cfa::analysis::points_to::{Object, PointsTo, in_memory};
use cfa::{FuncId, LocId, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

pub(crate) struct Untaken<'a, 'p> {
    program: &'p Program,
    effects: EffectAnalysis<'a, 'p>,
    known: FxHashMap<LocId, Rc<[VarId]>>,
}

impl<'a, 'p> Untaken<'a, 'p> {
    pub(crate) fn new(points_to: &'a PointsTo<'p>) -> Self {
        let effects = EffectAnalysis::new(points_to);
        Untaken { program: points_to.program(), effects, known: FxHashMap::default() }
    }

    /// What may be assigned from a branch on until its ways meet, or the function is left.
    pub(crate) fn at(&mut self, branch: LocId, until: Option<LocId>) -> Rc<[VarId]> {
        if let Some(known) = self.known.get(&branch) {
            return Rc::clone(known);
        }
        let assigned: Rc<[VarId]> = self.assigned(branch, until).into();
        self.known.insert(branch, Rc::clone(&assigned));
        assigned
    }

    fn assigned(&self, branch: LocId, until: Option<LocId>) -> Vec<VarId> {
        let program = self.program;
        let own = program.locations[branch].function;
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut open = vec![branch];
        while let Some(location) = open.pop() {
            if Some(location) == until || !seen.insert(location) {
                continue;
            }
            for edge in program.successors(location) {
                found.extend(self.effects.edge(edge).writes.variables().filter(|var| self.is_named_scalar(*var, own)));
                open.push(program.edges[edge].to);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether the variable means one cell in the activation that a function is in.
    fn is_named_scalar(&self, var: VarId, function: FuncId) -> bool {
        let (program, owner) = (self.program, self.program.vars[var].kind.function());
        // A pointer may lead to the variable of another activation.
        let own = owner == Some(function) && !in_memory(program, Object::Var(var));
        program.types.is_scalar(program.vars[var].ty) && (own || owner.is_none())
    }
}

//! How far a branch condition reaches: up to where its two branches meet again, and what the branch not taken would have assigned.
//!
//! The automata have no blocks any more, so the meeting point is found on the graph: the first location of the taken branch that the other one
//! reaches too. Where only one branch goes on (the other returns or ends the run), the one that goes on is not in the condition's scope: that is how
//! people read `if (bad) return;`.

use cfa::{Body, Callee, EdgeId, FuncId, LocId, Op, PlaceId, PlaceKind, Program, VarId, VarKind, loops};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

pub struct Scope {
    /// Where it ends, besides at the branch itself.
    pub ends: FxHashSet<LocId>,
    /// Scalars that the other branch assigns, ascending.
    pub assigned: Vec<VarId>,
}

#[derive(Default)]
pub struct Scopes {
    by_edge: FxHashMap<EdgeId, Rc<Scope>>,
    /// Bodies of the loops of each function.
    loops: FxHashMap<FuncId, Rc<Vec<FxHashSet<LocId>>>>,
    globals_assigned: FxHashMap<FuncId, Rc<Vec<VarId>>>,
}

impl Scopes {
    /// The scope of the condition of a branch, given the edge that was taken.
    pub fn of(&mut self, program: &Program, taken: EdgeId) -> Rc<Scope> {
        if let Some(known) = self.by_edge.get(&taken) {
            return known.clone();
        }
        let scope = Rc::new(self.find(program, taken));
        self.by_edge.insert(taken, scope.clone());
        scope
    }

    fn find(&mut self, program: &Program, taken: EdgeId) -> Scope {
        let branch = program.edges[taken].from;
        let other = program.successors(branch).find(|edge| *edge != taken).unwrap_or(taken);
        let (here, there) = (program.edges[taken].to, program.edges[other].to);
        let (mine, others) = (reachable(program, here, branch), reachable(program, there, branch));
        let only_others: FxHashSet<LocId> = others.difference(&mine).copied().collect();
        let assigned = self.assigned_in(program, &only_others);
        let function = program.locations[branch].function;
        let leaves_loop =
            self.loops(program, function).iter().any(|body| body.contains(&branch) && !body.contains(&here));
        let meets = mine.iter().any(|location| others.contains(location));
        if leaves_loop || (!meets && others.len() < mine.len()) {
            return Scope {
                ends: FxHashSet::from_iter([here]),
                assigned: if leaves_loop { assigned } else { Vec::new() },
            };
        }
        Scope { ends: others, assigned }
    }

    fn loops(&mut self, program: &Program, function: FuncId) -> Rc<Vec<FxHashSet<LocId>>> {
        let find = || loops::loops(program, function).into_iter().map(|one| one.body.into_iter().collect()).collect();
        self.loops.entry(function).or_insert_with(|| Rc::new(find())).clone()
    }

    /// Scalars that edges from these locations assign, also in the functions that they call.
    fn assigned_in(&mut self, program: &Program, locations: &FxHashSet<LocId>) -> Vec<VarId> {
        let mut vars = Vec::new();
        for location in locations {
            for edge in program.successors(*location) {
                self.assigned_by(program, edge, &mut vars);
            }
        }
        vars.sort_unstable_by_key(|var| var.0);
        vars.dedup();
        vars
    }

    fn assigned_by(&mut self, program: &Program, edge: EdgeId, vars: &mut Vec<VarId>) {
        let place = match program.edges[edge].op {
            Op::Assign(place, _) | Op::Havoc(place, _) => Some(place),
            Op::Call { dest, callee, .. } => {
                if let Callee::Direct(function) = callee {
                    vars.extend(self.globals_of(program, function).iter());
                }
                dest
            }
            _ => None,
        };
        vars.extend(place.and_then(|place| scalar(program, place)));
    }

    fn globals_of(&mut self, program: &Program, function: FuncId) -> Rc<Vec<VarId>> {
        if let Some(known) = self.globals_assigned.get(&function) {
            return known.clone();
        }
        // A recursive call finds this empty list and adds nothing new.
        self.globals_assigned.insert(function, Rc::default());
        let mut vars = Vec::new();
        if let Body::Defined(automaton) = &program.functions[function].body {
            for edge in automaton.edges.clone() {
                self.assigned_by(program, EdgeId(edge), &mut vars);
            }
        }
        vars.retain(|var| program.vars[*var].kind == VarKind::Global);
        vars.sort_unstable_by_key(|var| var.0);
        vars.dedup();
        let vars = Rc::new(vars);
        self.globals_assigned.insert(function, vars.clone());
        vars
    }
}

/// A scalar variable of the user's that a place is.
fn scalar(program: &Program, place: PlaceId) -> Option<VarId> {
    match program.places[place].kind {
        PlaceKind::Var(var) if program.types.is_scalar(program.vars[var].ty) => {
            (!matches!(program.vars[var].kind, VarKind::Temp(_))).then_some(var)
        }
        _ => None,
    }
}

/// Locations that can be reached without passing a branch again or returning.
fn reachable(program: &Program, from: LocId, branch: LocId) -> FxHashSet<LocId> {
    let mut seen = FxHashSet::default();
    let mut open = vec![from];
    while let Some(location) = open.pop() {
        if location == branch || !seen.insert(location) {
            continue;
        }
        for edge in program.successors(location) {
            if !matches!(program.edges[edge].op, Op::Return(_) | Op::Halt(_)) {
                open.push(program.edges[edge].to);
            }
        }
    }
    seen
}

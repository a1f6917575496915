//! Executes one path, edge by edge, as the [`crate::mode::Route`] of the mode leads: no merging, no bounds.

use crate::exec::Run;
use crate::mode::{Fill, Meeting, Naming, Next, Onward, Storing};
use crate::path::{Assigned, Origin};
use crate::state::State;
use crate::value::SymbolicValue;
use cfa::{EdgeId, FuncId, LocId, Op, TypeId};
use logic::TermId;

impl Run<'_, '_> {
    /// Whether a condition can hold on the runs that are meant, as far as the mode knows.
    pub fn happens(&mut self, cond: TermId) -> bool {
        self.mode.outcome(&self.encoder.pool, cond) != Some(false)
    }

    /// Whether one path is executed.
    pub fn is_one_path(&mut self) -> bool {
        self.mode.route().is_some()
    }

    pub fn fill(&mut self, fill: Fill<'_>) {
        self.mode.fill(&self.encoder.pool, fill);
    }

    /// Says what the values that are stored next are assigned to.
    pub fn assigning(&mut self, assigned: Assigned) {
        self.storing(Storing::To(assigned));
    }

    pub fn storing(&mut self, what: Storing) {
        if self.mode.naming() != Naming::Unnamed {
            self.mode.storing(&self.encoder.pool, what);
        }
    }

    /// The name of a value that is about to be stored.
    pub fn named(&mut self, value: SymbolicValue, ty: Option<TypeId>) -> SymbolicValue {
        let objects = match (self.mode.naming(), value) {
            (Naming::Unnamed, _) => return value,
            (Naming::Fresh, SymbolicValue::Pointer { object, .. }) => self.named_objects(object),
            _ => Vec::new(),
        };
        self.mode.name(&mut self.encoder.pool, value, ty, objects)
    }

    /// Restricts a state to where a condition holds, or not.
    pub fn restrict(&mut self, state: &mut State, onward: Onward, cond: TermId) {
        match onward {
            Onward::Restricted => {
                state.guard = state.guard.and(self.pool(), cond);
                self.restrict_bytes(state, cond);
                self.restrict_ranges(state, cond);
            }
            Onward::Unchanged => {}
            Onward::Over => self.out.interrupted = true,
        }
    }

    fn running(&self) -> FuncId {
        self.stack.last().map_or(FuncId(0), |activation| activation.function)
    }

    /// What comes after a call belongs to the call's edge again.
    pub fn resume_call(&mut self, edge: EdgeId) {
        let function = self.running();
        let interrupted = self.out.interrupted;
        if let Some(route) = self.mode.route().filter(|_| !interrupted)
            && route.returned(function, edge) == Onward::Over
        {
            self.out.interrupted = true;
        }
    }

    fn begin_step(&mut self, origin: Origin) {
        let function = self.running();
        if let Some(route) = self.mode.route()
            && route.step(function, origin) == Onward::Over
        {
            self.out.interrupted = true;
        }
    }

    /// Executes a function along the path, from a location to its exit.
    pub fn along(&mut self, entry: LocId, exit: LocId, state: State) -> Option<State> {
        self.mode.route()?.enter();
        self.on_from(entry, exit, state)
    }

    /// The same for a function that is under way.
    pub fn on_from(&mut self, entry: LocId, exit: LocId, mut state: State) -> Option<State> {
        let mut location = entry;
        while location != exit {
            self.meet(&mut state, location);
            if self.out.steps.is_multiple_of(256) && self.budget.expired() {
                self.mode.route()?.out_of_time();
                self.out.interrupted = true;
            }
            self.out.steps += 1;
            if self.out.interrupted {
                return None;
            }
            match self.mode.route()?.next(location) {
                Next::Edge => {}
                Next::End => {
                    self.stop_at(location, state);
                    return None;
                }
                Next::Elsewhere => return None,
            }
            let edge = match self.program.locations[location].out {
                [None, _] => return None,
                [Some(edge), None] => {
                    self.edge = edge;
                    self.begin_step(Origin::Edge(edge));
                    state = self.operation(edge, state)?;
                    edge
                }
                [Some(yes), Some(no)] => self.branch_on_path(&mut state, location, yes, no)?,
            };
            if self.out.interrupted {
                return None;
            }
            location = self.program.edges[edge].to;
        }
        self.mode.route()?.exit();
        Some(state)
    }

    fn branch_on_path(&mut self, state: &mut State, location: LocId, yes: EdgeId, no: EdgeId) -> Option<EdgeId> {
        self.edge = yes;
        let Op::Assume { cond, .. } = self.program.edges[yes].op else { return None };
        self.begin_step(Origin::Edge(yes));
        let truth = self.condition(state, cond);
        if self.out.interrupted {
            return None;
        }
        let (taken, onward) = self.mode.route()?.choose(&mut self.encoder.pool, location, truth, (yes, no));
        let cond = if taken == yes { truth } else { self.pool().not(truth) };
        self.restrict(state, onward, cond);
        (!self.is_dead(state)).then_some(taken)
    }

    fn meet(&mut self, state: &mut State, location: LocId) {
        let program = self.program;
        while let Some(meeting) = self.mode.route().and_then(|route| route.meeting(program, location)) {
            self.frame(state, meeting);
            if let Some(route) = self.mode.route() {
                route.met();
            }
        }
    }

    /// Variables keep their values where the branches of a condition meet: a step that can be looked at, under the condition's scope.
    fn frame(&mut self, state: &mut State, Meeting { taken, vars }: Meeting) {
        let (edge, mut begun) = (self.edge, false);
        for var in vars {
            let ty = self.program.vars[var].ty;
            let Some(spot) = self.settled_spot(state, var) else { continue };
            if !begun {
                self.begin_step(Origin::Frame(taken));
                begun = true;
            }
            let value = self.load(state, spot, ty);
            self.assigning(Assigned::Var(var));
            self.store(state, spot, ty, value);
        }
        self.edge = edge;
    }
}

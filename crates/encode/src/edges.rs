//! Executes given edges with unknown inputs: the condition under which runs take exactly this path, and the state behind it.
//!
//! Edges are listed in the order in which they begin: a call's edge comes before the edges of the function that it calls. A [`PathState`] says nothing
//! about its insides; it can be executed further, merged, asked for values, and made arbitrary in parts. To replay a path, execute
//! it from the start of the program in one go: an [`Unrolling`] has only the inputs and the memory of its own edges.

use crate::encoder::{Encoder, ObjectKey};
use crate::exec::{Activation, Bounds, Run};
use crate::guard::Guard;
use crate::memory::Object;
use crate::mode::{Mode, Next, Onward, Route};
use crate::state::{Frame, State};
use crate::unrolling::Unrolling;
use base::Budget;
use cfa::{Body, EdgeId, ExprId, FuncId, LocId, Op, Program, VarId, VarKind};
use logic::{TermId, TermPool};
use rustc_hash::FxHashMap;
use std::rc::Rc;

const UNBOUNDED: Bounds = Bounds { unwind: u32::MAX, decided: u32::MAX, steps: u64::MAX };

/// A symbolic state at a location, with the functions that are running.
#[derive(Clone)]
pub struct PathState {
    location: LocId,
    state: State,
    /// The running functions, the first one called first.
    frames: Vec<Running>,
    /// How many edges were executed: what they make gets other names than what later ones make.
    steps: u64,
}

#[derive(Clone, PartialEq, Eq)]
struct Running {
    function: FuncId,
    context: u32,
    call: EdgeId,
    allocas: Vec<u32>,
}

/// What the execution of a path gives.
pub struct EdgePath {
    /// The runs that take all edges of the path, and do not leave the model on them.
    pub condition: TermId,
    /// The state behind the last edge; `None` if runs end there, or if there are none.
    pub end: Option<PathState>,
    /// What runs ask for on the way, and how they leave the model.
    pub unrolling: Unrolling,
}

/// Why a path has no condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoPath {
    /// The edge with this position does not follow the one before.
    NotAPath(usize),
    /// The last edge calls a function through a pointer, and nothing says which.
    EndsInIndirectCall,
    OutOfBudget,
}

/// The mode of execution along given edges.
struct Edges<'a> {
    program: &'a Program,
    edges: &'a [EdgeId],
    /// The next edge.
    position: usize,
    failed: Option<NoPath>,
}

impl Mode for Edges<'_> {
    /// The next edge is the first one of the function that is called, or the one behind the call of a function without a body.
    fn calls(&mut self, program: &Program, _: &TermPool, function: Option<FuncId>, _: TermId) -> Option<bool> {
        let Body::Defined(automaton) = &program.functions[function?].body else { return None };
        match self.edges.get(self.position) {
            Some(next) if program.edges[*next].from == automaton.entry => None,
            Some(_) => Some(false),
            None => {
                self.failed = Some(NoPath::EndsInIndirectCall);
                Some(false)
            }
        }
    }

    fn route(&mut self) -> Option<&mut dyn Route> {
        Some(self)
    }
}

impl Route for Edges<'_> {
    fn next(&mut self, location: LocId) -> Next {
        match self.edges.get(self.position) {
            None => Next::End,
            Some(edge) if self.program.edges[*edge].from == location => {
                self.position += 1;
                Next::Edge
            }
            Some(_) => {
                self.failed = Some(NoPath::NotAPath(self.position));
                Next::Elsewhere
            }
        }
    }

    fn choose(&mut self, _: &mut TermPool, _: LocId, _: TermId, _: (EdgeId, EdgeId)) -> (EdgeId, Onward) {
        (self.edges[self.position - 1], Onward::Restricted)
    }

    fn out_of_time(&mut self) {
        self.failed = Some(NoPath::OutOfBudget);
    }
}

impl PathState {
    pub fn location(&self) -> LocId {
        self.location
    }

    /// The runs that have this state.
    pub fn condition(&self, pool: &mut TermPool) -> TermId {
        self.state.guard.term(pool)
    }
}

impl<'p> Encoder<'p> {
    /// Executes edges from the start of the program.
    pub fn path(&mut self, edges: &[EdgeId], budget: &Budget) -> Result<EdgePath, NoPath> {
        self.execute_edges(edges, budget, |run| run.start())
    }

    /// Executes edges from a state.
    pub fn path_from(&mut self, from: &PathState, edges: &[EdgeId], budget: &Budget) -> Result<EdgePath, NoPath> {
        self.execute_edges(edges, budget, |run| {
            run.resume(from);
            run.on_through_callers(from.location, from.state.clone());
        })
    }

    fn execute_edges(
        &mut self,
        edges: &[EdgeId],
        budget: &Budget,
        execute: impl FnOnce(&mut Run<'_, 'p>),
    ) -> Result<EdgePath, NoPath> {
        let mut mode = Edges { program: self.task.program, edges, position: 0, failed: None };
        let (mut unrolling, stopped) = {
            let mut run = Run::new(self, UNBOUNDED, budget, &mut mode);
            execute(&mut run);
            (run.out, run.stopped)
        };
        if let Some(reason) = mode.failed {
            return Err(reason);
        }
        if let Some(end) = stopped {
            // That the path ended is no interruption.
            unrolling.interrupted = false;
            let condition = end.state.guard.term(&self.pool);
            return Ok(EdgePath { condition, end: Some(end), unrolling });
        }
        let ends: Vec<TermId> = unrolling.ends.iter().chain(&unrolling.aborts).copied().collect();
        if mode.position < edges.len() && !ends.is_empty() {
            return Err(NoPath::NotAPath(mode.position));
        }
        // An edge on which no run goes on ends the execution early.
        let condition = self.pool.or_all(&ends);
        Ok(EdgePath { condition, end: None, unrolling })
    }

    /// Any state at a location: variables have arbitrary values, and so have the objects of the program, each of its own; pointers belong to no
    /// object. Nothing has called the function. `None` if the function has no body.
    pub fn anywhere(&mut self, location: LocId) -> Option<PathState> {
        let function = self.task.program.locations[location].function;
        let vars = self.task.program.automaton(function)?.vars.clone();
        let count = (vars.end - vars.start) as usize;
        let number = self.next_havoc();
        let program = self.task.program;
        self.with_run(|run| {
            let mut state = State::empty(Guard::TRUE);
            run.make_globals(&mut state);
            let waiting = Frame { registers: Vec::new(), locals: Rc::default(), tests: Rc::default(), below: None };
            (state.registers, state.locals) = (vec![None; count], Rc::new(vec![None; count]));
            state.callers = Some(Rc::new(waiting));
            let running = Running { function, context: 0, call: EdgeId(0), allocas: Vec::new() };
            let mut at = PathState { location, state, frames: vec![running], steps: 0 };
            run.resume(&at);
            for (var, data) in program.vars.iter() {
                let arbitrary = match data.kind {
                    VarKind::Global => !data.read_only,
                    kind => kind.function() == Some(function),
                };
                if arbitrary {
                    run.make_arbitrary(&mut at.state, var, number);
                }
            }
            at
        })
        .into()
    }

    /// The same state, but variables have arbitrary values; pointers among them belong to no object. `None` if one of them is not a variable that the
    /// running function can name, or does not live.
    pub fn havoc(&mut self, at: &PathState, vars: &[VarId]) -> Option<PathState> {
        let number = self.next_havoc();
        let program = self.task.program;
        let function = at.frames.last()?.function;
        self.with_run(|run| {
            run.resume(at);
            let mut at = at.clone();
            for var in vars {
                let named = match program.vars[*var].kind {
                    VarKind::Global => true,
                    kind => kind.function() == Some(function),
                };
                if !named
                    || run.settled_spot(&at.state, *var).is_none()
                    || !run.make_arbitrary(&mut at.state, *var, number)
                {
                    return None;
                }
            }
            Some(at)
        })
    }

    /// Either of two states whose runs exclude each other. `None` if they are at different locations, or in different activations.
    pub fn merge(&mut self, first: &PathState, second: &PathState) -> Option<PathState> {
        let same = |(a, b): (&Running, &Running)| (a.function, a.context, a.call) == (b.function, b.context, b.call);
        let frames = first.frames.len() == second.frames.len() && first.frames.iter().zip(&second.frames).all(same);
        if first.location != second.location || !frames {
            return None;
        }
        let state = self.with_run(|run| run.merge(first.state.clone(), &second.state));
        let mut frames = first.frames.clone();
        for (mine, other) in frames.iter_mut().zip(&second.frames) {
            mine.allocas.extend(&other.allocas);
            mine.allocas.sort_unstable();
            mine.allocas.dedup();
        }
        Some(PathState { location: first.location, state, frames, steps: first.steps.max(second.steps) })
    }

    /// The value of an expression over variables that the running function can name, and when it has one; of a pointer: object and offset in one term.
    pub fn evaluate(&mut self, at: &PathState, expr: ExprId) -> (TermId, TermId) {
        self.with_run(|run| {
            run.resume(at);
            let (value, defined) = run.defined_value(&at.state, expr);
            (value.pack(run.pool()), defined)
        })
    }

    fn with_run<T>(&mut self, work: impl FnOnce(&mut Run<'_, 'p>) -> T) -> T {
        let budget = Budget::unlimited();
        let mut mode = Edges { program: self.task.program, edges: &[], position: 0, failed: None };
        let mut run = Run::new(self, UNBOUNDED, &budget, &mut mode);
        work(&mut run)
    }

    fn next_havoc(&mut self) -> u32 {
        self.havocs += 1;
        self.havocs
    }
}

impl Run<'_, '_> {
    /// The path ends at a location, within functions.
    pub fn stop_at(&mut self, location: LocId, state: State) {
        let frames = self.stack.iter().map(|one| Running {
            function: one.function,
            context: one.context,
            call: one.call,
            allocas: one.allocas.clone(),
        });
        self.stopped = Some(PathState { location, state, frames: frames.collect(), steps: self.out.steps });
        self.out.interrupted = true;
    }

    /// The functions of a state are running again.
    fn resume(&mut self, at: &PathState) {
        self.out.steps = at.steps;
        for frame in &at.frames {
            let first_var = self.program.automaton(frame.function).map_or(0, |automaton| automaton.vars.start);
            let order = self.encoder.order(frame.function);
            self.stack.push(Activation {
                function: frame.function,
                context: frame.context,
                first_var,
                order,
                loops: FxHashMap::default(),
                rounds: 0,
                allocas: frame.allocas.clone(),
                call: frame.call,
                arbitrary: false,
            });
        }
    }

    /// Executes the running function to its end, and then what called it.
    fn on_through_callers(&mut self, mut location: LocId, mut state: State) {
        while let Some((function, call)) = self.stack.last().map(|running| (running.function, running.call)) {
            let Some(automaton) = self.program.automaton(function) else { return };
            let Some(end) = self.on_from(location, automaton.exit, state) else { return };
            let Some(end) = self.leave_function(end) else { return };
            if self.stack.is_empty() {
                return self.check_leaks(end);
            }
            let Op::Call { dest, .. } = self.program.edges[call].op else { return };
            let Some(end) = self.finish_call(end, call, dest) else { return };
            (location, state) = (self.program.edges[call].to, end);
        }
    }

    /// Gives a variable of the running function, or a global one, an arbitrary value; whether it has one object.
    fn make_arbitrary(&mut self, state: &mut State, var: VarId, number: u32) -> bool {
        let name = format!("havoc{number}.{var}");
        let (ty, kind) = (self.program.vars[var].ty, self.program.vars[var].kind);
        if self.in_register(var) {
            let width = self.program.types.scalar_bits(ty);
            let term = self.pool().bv_var(&name, width);
            let (_, value) = self.uninitialized_value(term, self.program.types.is_pointer(ty));
            let slot = self.slot(var);
            state.registers[slot] = Some(value);
            return true;
        }
        let id = match kind.function() {
            None => self.encoder.object_id(ObjectKey::Global(var)),
            Some(_) => match state.locals[self.slot(var)] {
                None => self.new_local(state, var, 0, false),
                Some(object) => match self.pool().as_u64(object) {
                    Some(id) => id as u32,
                    None => return false,
                },
            },
        };
        let Some(old) = state.memory.get(id).cloned() else { return false };
        let contents = self.typed_object(ty, &name, false).contents;
        state.memory.set(id, Rc::new(Object { contents, ..Object::clone(&old) }));
        true
    }
}

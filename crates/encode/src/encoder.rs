//! The encoder: what stays from one execution to the next, and the two ways to execute.

use crate::apart::Positions;
use crate::bytes::ByteConditions;
use crate::contract::KnownCalls;
use crate::cut::{Cut, GuardedCandidate, KnownLoops};
use crate::entry::CommandLine;
use crate::exec::{Bounds, Run};
use crate::facts::Facts;
use crate::limits::Limits;
use crate::mode::AllRuns;
use crate::order::Order;
use crate::path::{Names, NoFormula, Path, PathFormula};
use crate::relax::Relaxation;
use crate::unrolling::Unrolling;
use crate::watch::Monitor;
use base::Budget;
use cfa::analysis::Recursion;
use cfa::{Anchor, EdgeId, FuncId, Task, VarId};
use logic::{TermId, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What stays from one execution to the next, so that equal things get equal terms.
pub struct Encoder<'p> {
    pub task: Task<'p>,
    pub pool: TermPool,
    pub(crate) limits: Limits,
    pub(crate) command_line: CommandLine,
    object_ids: FxHashMap<ObjectKey, u32>,
    pub(crate) object_keys: Vec<ObjectKey>,
    contexts: FxHashMap<(u32, EdgeId, u64), u32>,
    orders: FxHashMap<FuncId, Rc<Order>>,
    pub(crate) facts: Facts,
    pub(crate) byte_conditions: ByteConditions,
    /// Inputs by name: the same input of two executions is the same variable, so that what the solver learns about it stays true.
    input_vars: FxHashMap<(String, u32), TermId>,
    /// Whether executions note their events.
    pub record_events: bool,
    /// Whether executions note when each assertion is evaluated.
    pub note_assertions: bool,
    /// If set, executions may go wrong where it says.
    pub relaxation: Option<Relaxation>,
    /// If set, loops are cut instead of unwound, and recursive calls are replaced by contracts.
    pub cut: Option<Cut>,
    /// Where loops are not cut: clauses of contracts that are checked at all calls, and never assumed.
    pub stated: FxHashMap<Anchor, Vec<GuardedCandidate>>,
    pub(crate) known_loops: KnownLoops,
    pub(crate) known_calls: KnownCalls,
    recursion: Option<Recursion>,
    /// How often states were made arbitrary.
    pub(crate) havocs: u32,
    /// Whether states with different positions in their data are kept apart where they meet.
    pub keeps_apart: bool,
    positions: Option<Rc<Positions>>,
    /// Whether results of floating-point arithmetic are arbitrary: more runs than there are, and terms that are much smaller.
    pub arbitrary_floats: bool,
    /// The results that are.
    pub(crate) float_results: FxHashSet<TermId>,
    /// If set, it watches [`Encoder::unroll`], and only violations that it accepts are obligations.
    pub monitor: Option<Box<dyn Monitor + 'p>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ObjectKey {
    None,
    Global(VarId),
    Function(FuncId),
    /// A variable of an activation; the last number tells its lifetimes apart.
    Local(u32, VarId, u64),
    Heap(u32, EdgeId, u64),
    /// A word of the command line; the last one is `argv` itself.
    Argument(u32),
}

impl<'p> Encoder<'p> {
    pub fn new(task: Task<'p>) -> Self {
        let mut pool = TermPool::new();
        if let Some(registers) = &task.program.registers {
            crate::address::keep_for_registers(&mut pool, registers.extent());
        }
        Encoder {
            task,
            pool,
            limits: Limits::default(),
            command_line: CommandLine::USUAL,
            object_ids: FxHashMap::default(),
            object_keys: vec![ObjectKey::None],
            contexts: FxHashMap::default(),
            orders: FxHashMap::default(),
            facts: Facts::default(),
            byte_conditions: ByteConditions::default(),
            input_vars: FxHashMap::default(),
            record_events: false,
            note_assertions: false,
            relaxation: None,
            cut: None,
            stated: FxHashMap::default(),
            known_loops: KnownLoops::default(),
            known_calls: KnownCalls::default(),
            recursion: None,
            havocs: 0,
            keeps_apart: false,
            positions: None,
            arbitrary_floats: false,
            float_results: FxHashSet::default(),
            monitor: None,
        }
    }

    /// The same encoder, but objects have arbitrary addresses.
    pub fn with_arbitrary_addresses(mut self) -> Self {
        crate::address::place_anywhere(&mut self.pool, self.task.program.model().pointer_bytes() as u32 * 8);
        self
    }

    /// The same encoder, but some loops and functions have bounds of their own.
    pub fn with_limits(self, limits: Limits) -> Self {
        Encoder { limits, ..self }
    }

    /// The same encoder, with as much of the command line as a known run has.
    pub fn with_room_for(self, args: &cfa::interp::ProgramArgs) -> Self {
        Encoder { command_line: self.command_line.with_room_for(args), ..self }
    }

    pub(crate) fn input_var(&mut self, name: String, width: u32) -> TermId {
        if let Some(known) = self.input_vars.get(&(name.clone(), width)) {
            return *known;
        }
        let term = self.pool.bv_var(&name, width);
        self.input_vars.insert((name, width), term);
        term
    }

    pub(crate) fn object_id(&mut self, key: ObjectKey) -> u32 {
        let keys = &mut self.object_keys;
        *self.object_ids.entry(key).or_insert_with(|| {
            keys.push(key);
            keys.len() as u32 - 1
        })
    }

    pub(crate) fn context_of(&mut self, caller: u32, call: EdgeId, salt: u64) -> u32 {
        let next = self.contexts.len() as u32 + 1;
        *self.contexts.entry((caller, call, salt)).or_insert(next)
    }

    pub(crate) fn order(&mut self, function: FuncId) -> Rc<Order> {
        let program = self.task.program;
        self.orders.entry(function).or_insert_with(|| Rc::new(Order::of(program, function))).clone()
    }

    /// Which functions are recursive.
    pub(crate) fn recursion(&mut self) -> &Recursion {
        let program = self.task.program;
        self.recursion.get_or_insert_with(|| Recursion::of(program))
    }

    /// What keeps states apart where they meet: only where all runs are unrolled and nothing else looks at the states.
    fn positions(&mut self) -> Option<Rc<Positions>> {
        let is_plain = self.cut.is_none() && self.relaxation.is_none() && self.monitor.is_none();
        if !(self.keeps_apart && is_plain) {
            return None;
        }
        let task = self.task;
        Some(self.positions.get_or_insert_with(|| Rc::new(Positions::of(task))).clone())
    }

    /// Executes the program of the task within bounds.
    pub fn unroll(&mut self, bounds: Bounds, budget: &Budget) -> Unrolling {
        let mut all = AllRuns;
        self.command_line = self.command_line.with_bound(bounds.unwind);
        let positions = self.positions();
        let mut run = Run::new(self, bounds, budget, &mut all);
        run.tracks_values = run.encoder.relaxation.is_none();
        run.positions = positions;
        run.start();
        run.assume_instances();
        run.out
    }

    /// Executes along the run that inputs lead to: the formula of how it violates the task.
    pub fn follow(&mut self, run: Follow<'_>, budget: &Budget) -> Result<PathFormula, NoFormula> {
        let bounds = Bounds { unwind: u32::MAX, decided: u32::MAX, steps: u64::MAX };
        self.command_line = self.command_line.with_room_for(run.args);
        let mut path = Path::new(run.inputs, run.args, run.names, run.max_steps);
        Run::new(self, bounds, budget, &mut path).start();
        path.finish()
    }
}

/// A run to follow.
pub struct Follow<'a> {
    pub inputs: &'a mut dyn cfa::interp::Inputs,
    pub args: &'a cfa::interp::ProgramArgs,
    pub names: Names,
    /// Longer runs are given up.
    pub max_steps: usize,
}

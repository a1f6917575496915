//! The state of a run, and how it begins and ends. C calls are frames of a vector, never host recursion.

use super::code::*;
use super::compile::{self, CompileOptions};
use super::libc::Libc;
use super::memory::{Memory, OutOfMemory};
use super::*;
use crate::program::Op;
use crate::types::DataModel;
use std::rc::Rc;

/// At most so many faults that do not end the run are reported.
const NOTICE_LIMIT: u32 = 64;

/// Steps, some milliseconds.
const CHECKPOINT: u64 = 1 << 22;

pub(super) struct Frame {
    pub code: Rc<Code>,
    /// The instruction to go on with; of the current frame only up to date while the loop is left.
    pub pc: usize,
    /// Its first slot.
    pub base: usize,
}

/// Why the loop ends.
pub(super) enum Stop {
    Fault(Fault),
    End(Outcome),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<OutOfMemory> for Stop {
    fn from(_: OutOfMemory) -> Stop {
        Stop::End(Outcome::Limit(Limit::Memory))
    }
}

/// What the last call returned.
#[derive(Default)]
pub(super) struct Returned {
    pub given: bool,
    pub bits: Bits,
    /// Of a record: its bytes, and which of them were written (empty: all).
    pub bytes: Vec<u8>,
    pub written: Vec<bool>,
}

/// Objects of static lifetime.
#[derive(Default)]
pub(super) struct Statics {
    /// Number and address by variable; (0, 0) for others.
    pub by_var: Vec<(u32, u64)>,
    pub by_number: Vec<(u32, VarId)>,
    pub functions: Vec<u64>,
}

/// The functions that were compiled, by function.
pub(super) type Codes = Vec<Option<Rc<Code>>>;

/// The receiver of the events of a run.
pub(super) enum Listener<'r> {
    Observer(&'r mut dyn Observer),
    Coverage(&'r mut Coverage),
}

pub struct Machine<'r> {
    pub(super) program: &'r Program,
    pub(super) config: &'r Config,
    inputs: &'r mut dyn Inputs,
    listener: Option<Listener<'r>>,
    pub(super) memory: Memory,
    pub(super) statics: Statics,
    codes: Codes,
    pub(super) slots: Vec<u64>,
    pub(super) frames: Vec<Frame>,
    /// Stack objects by depth of their frame, and the variable whose `Kill` ends them.
    pub(super) allocas: Vec<(usize, Option<VarId>, usize)>,
    pub(super) returned: Returned,
    /// Where the entry function returned.
    returned_at: Option<EdgeId>,
    pub(super) libc: Libc,
    pub(super) steps: u64,
    /// When it is next asked whether the run may go on.
    pub(super) checkpoint: u64,
    recorded: Vec<RecordedInput>,
    noticed: Vec<(EdgeId, Fault)>,
    notices: u32,
    pub(super) noticing: bool,
}

impl<'r> Machine<'r> {
    pub(super) fn new(
        program: &'r Program,
        inputs: &'r mut dyn Inputs,
        listener: Option<Listener<'r>>,
        config: &'r Config,
    ) -> Self {
        let track = config.uninitialized == Uninitialized::Error;
        Machine {
            program,
            config,
            inputs,
            listener,
            memory: Memory::new(program.model(), config.max_memory, track, config.placement)
                .without(program.registers.as_ref().map(|registers| registers.extent())),
            statics: Statics::default(),
            codes: vec![None; program.functions.len()],
            slots: Vec::with_capacity(256),
            frames: Vec::with_capacity(16),
            allocas: Vec::new(),
            returned: Returned::default(),
            returned_at: None,
            libc: Libc::default(),
            steps: 0,
            checkpoint: config.max_steps.min(CHECKPOINT),
            recorded: Vec::new(),
            noticed: Vec::new(),
            notices: 0,
            noticing: true,
        }
    }

    /// As [`Machine::run`]; takes the functions that another run of the program compiled, and keeps what is compiled in addition.
    pub(super) fn run_keeping(mut self, entry: FuncId, args: &ProgramArgs, codes: &mut Codes) -> Run {
        if codes.len() == self.codes.len() {
            std::mem::swap(&mut self.codes, codes);
        }
        let run = self.go(entry, args);
        *codes = self.codes;
        run
    }

    pub(super) fn run(mut self, entry: FuncId, args: &ProgramArgs) -> Run {
        self.go(entry, args)
    }

    fn go(&mut self, entry: FuncId, args: &ProgramArgs) -> Run {
        let stop = match self.set_up(entry, args) {
            Ok(()) => self.execute(),
            Err(stop) => stop,
        };
        let mut end = None;
        if let Some(frame) = self.frames.last() {
            let origin = frame.code.origins.get(frame.pc);
            end = origin.and_then(|origin| origin.edge);
            self.steps += origin.map_or(0, |origin| origin.pending as u64);
        }
        if let (Stop::Fault(fault), Some(edge)) = (&stop, end)
            && let Some(Listener::Observer(observer)) = self.listener.take()
        {
            observer.stopped(&View::new(self), edge, *fault);
            self.listener = Some(Listener::Observer(observer));
        }
        let outcome = match stop {
            Stop::End(Outcome::Finished(code)) => match self.leaks() {
                Some(leak) => {
                    end = end.or(self.returned_at);
                    leak
                }
                None => Outcome::Finished(code),
            },
            Stop::End(outcome) => outcome,
            Stop::Fault(fault) => match (fault, &self.program.registers) {
                (Fault::FixedAddress, Some(registers)) => {
                    Outcome::Poison(PoisonReason::Construct(registers.unresolved))
                }
                _ => match fault.property().filter(|property| self.config.properties.contains(*property)) {
                    Some(property) => Outcome::Violation { property, fault: Some(fault) },
                    None => Outcome::Undefined(fault),
                },
            },
        };
        Run {
            outcome,
            steps: self.steps,
            end,
            stack: self.call_stack(),
            stdout: std::mem::take(&mut self.libc.stdout),
            stderr: std::mem::take(&mut self.libc.stderr),
            inputs: std::mem::take(&mut self.recorded),
            noticed: std::mem::take(&mut self.noticed),
        }
    }

    /// Allocations that are left, or lost, at the end of the run.
    fn leaks(&self) -> Option<Outcome> {
        let asked = |property| self.config.properties.contains(property);
        let violation = |property| Some(Outcome::Violation { property, fault: None });
        if asked(Property::ValidMemtrack) {
            let (locals, values) = self.variables();
            if self.memory.lost(&locals, &values).is_some() {
                return violation(Property::ValidMemtrack);
            }
        }
        if asked(Property::ValidMemcleanup) && self.memory.heap().next().is_some() {
            return violation(Property::ValidMemcleanup);
        }
        None
    }

    /// The variables of the calls under way: numbers of their objects, and values of those that have none. Only an object that a pointer may
    /// refer to is ended with its scope; the others, and temporaries, may still be there when their lifetime is over.
    fn variables(&self) -> (Vec<usize>, Vec<u64>) {
        let (mut objects, mut values) = (Vec::new(), Vec::new());
        let last = self.frames.len().saturating_sub(1);
        for (depth, frame) in self.frames.iter().enumerate() {
            let pc = if depth == last { frame.pc } else { frame.pc.saturating_sub(1) };
            let Some(edge) = frame.code.origins.get(pc).and_then(|origin| origin.edge) else { continue };
            let visible = self.program.automatic_at(self.program.edges[edge].from);
            for var in visible.iter().copied() {
                if let Some(Home::Slot(slot)) = frame.code.home(var) {
                    values.push(self.slots[frame.base + slot as usize]);
                }
            }
            for (slot, var) in &frame.code.owned {
                let address = self.slots[frame.base + *slot as usize];
                if address != 0 && (self.program.vars[*var].address_taken || visible.contains(var)) {
                    objects.push(self.memory.resolve(address).0);
                }
            }
        }
        (objects, values)
    }

    /// The edges of the calls under way, outermost first.
    pub(super) fn call_stack(&self) -> Vec<EdgeId> {
        let callers = self.frames.split_last().map_or(&[][..], |(_, callers)| callers);
        let edge = |frame: &Frame| frame.code.origins[frame.pc.saturating_sub(1)].edge;
        callers.iter().filter_map(edge).collect()
    }

    pub(super) fn current(&self) -> &Frame {
        self.frames.last().expect("a frame while code runs")
    }

    pub(super) fn code_of(&mut self, function: FuncId) -> Rc<Code> {
        let index = function.0 as usize;
        if let Some(code) = &self.codes[index] {
            return Rc::clone(code);
        }
        let options = CompileOptions {
            observed: self.listener.is_some(),
            check_written: self.memory.tracks_written(),
            properties: self.config.properties,
            statics: &self.statics.by_var,
            objects: &self.statics.by_number,
            functions: &self.statics.functions,
        };
        let code = Rc::new(compile::compile(self.program, function, options));
        self.codes[index] = Some(Rc::clone(&code));
        code
    }

    /// More steps than the last checkpoint allowed: sets the next one, unless the run is to end.
    pub(super) fn pass_checkpoint(&mut self) -> Result<(), Stop> {
        let Config { max_steps, ref budget, .. } = *self.config;
        if self.steps > max_steps || budget.expired() {
            return Err(Stop::End(Outcome::Limit(Limit::Steps)));
        }
        self.checkpoint = max_steps.min(self.steps + CHECKPOINT);
        Ok(())
    }

    pub(super) fn is_observed(&self) -> bool {
        self.listener.is_some() && !self.config.unobserved.contains(&self.steps)
    }

    pub(super) fn observe(&mut self, event: Event<'_>) {
        if !self.is_observed() {
            return;
        }
        if let Some(Listener::Coverage(coverage)) = &mut self.listener {
            match event {
                Event::Edge { edge, .. } => coverage.edge(edge),
                Event::Input(_) => coverage.input(),
                Event::Enter { .. } | Event::Leave { .. } => {}
            }
            return;
        }
        if let Some(Listener::Observer(observer)) = self.listener.take() {
            observer.step(&View::new(self), event);
            if observer.gives_up() && self.config.max_steps < u64::MAX {
                // The next step is one too many.
                self.steps = self.steps.max(self.config.max_steps);
                self.checkpoint = self.steps;
            }
            self.listener = Some(Listener::Observer(observer));
        }
    }

    /// Reads an input of a scalar type.
    pub(super) fn input(&mut self, request: InputRequest) -> Result<Bits, Stop> {
        let Some(bits) = self.inputs.next(&request) else {
            return Err(Stop::End(Outcome::Limit(Limit::Inputs)));
        };
        let bits = crate::eval::truncate(bits.get(), self.program.types.scalar_bits(request.ty));
        let input = RecordedInput { request, bits };
        self.recorded.push(input);
        self.observe(Event::Input(&input));
        Ok(bits)
    }

    pub(super) fn fill(&mut self, request: FillRequest, bytes: &mut [u8]) {
        self.inputs.fill(&request, bytes);
    }

    /// Contents of a fresh object.
    pub(super) fn fill_object(&mut self, request: FillRequest, number: usize) {
        let mut bytes = std::mem::take(&mut self.memory.objects[number].bytes);
        self.inputs.fill(&request, &mut bytes);
        self.memory.objects[number].bytes = bytes;
    }

    /// A fault that need not end the run.
    #[cold]
    pub(super) fn notice(&mut self, code: &Code, pc: usize, fault: Fault) -> Result<(), Stop> {
        if fault.property().is_some_and(|property| self.config.properties.contains(property)) {
            return Err(Stop::Fault(fault));
        }
        if let Some(edge) = code.origins[pc].edge
            && !self.noticed.contains(&(edge, fault))
            && self.notices < NOTICE_LIMIT
        {
            self.noticed.push((edge, fault));
        }
        self.notices += 1;
        let asked = |property| self.config.properties.contains(property);
        self.noticing = self.notices < NOTICE_LIMIT || asked(Property::NoOverflow) || asked(Property::ShiftRange);
        Ok(())
    }

    /// The same for slow operations.
    pub(super) fn notice_here(&mut self, fault: Fault) -> Result<(), Stop> {
        let frame = self.current();
        let (code, pc) = (Rc::clone(&frame.code), frame.pc);
        self.notice(&code, pc, fault)
    }

    /// Gives a local object that was jumped into its memory; true if the slot belongs to one that had none.
    #[cold]
    pub(super) fn revive(&mut self, code: &Code, base: usize, slot: Slot) -> Result<bool, Stop> {
        if self.slots[base + slot as usize] != 0 {
            return Ok(false);
        }
        let Some(var) = code.owner(slot) else { return Ok(false) };
        self.declare(base, slot, var, None)?;
        Ok(true)
    }

    /// The address of a place, relative to a frame.
    pub(super) fn address(&mut self, code: &Code, base: usize, address: Address) -> Result<(u64, i64), Stop> {
        match address.base {
            Base::Object(number) => Ok((self.memory.objects[number as usize].base, address.at)),
            Base::Slot(slot) => {
                if self.slots[base + slot as usize] == 0 {
                    self.revive(code, base, slot)?;
                }
                Ok((self.slots[base + slot as usize], address.at))
            }
        }
    }

    /// Leaves the current function.
    pub(super) fn leave(&mut self) {
        if self.listener.is_some() {
            let function = self.current().code.function;
            self.observe(Event::Leave { function });
        }
        let depth = self.frames.len();
        let Some(frame) = self.frames.pop() else { return };
        for (slot, _) in &frame.code.owned {
            let address = self.slots[frame.base + *slot as usize];
            if address != 0 {
                let (number, _) = self.memory.resolve(address);
                self.memory.kill(number);
            }
        }
        while let Some((owner, _, number)) = self.allocas.last().copied()
            && owner == depth
        {
            self.memory.kill(number);
            self.allocas.pop();
        }
        self.slots.truncate(frame.base);
    }

    /// The run's end after the entry function returned.
    fn finished(&self, code: &Code) -> Stop {
        let program = self.program;
        let result = match program.types.get(program.functions[code.function].ty) {
            crate::types::Type::Function(function) => function.result,
            _ => TypeId::VOID,
        };
        let status = if self.returned.given && result.int_kind().is_some() { self.returned.bits.lo as i32 } else { 0 };
        Stop::End(Outcome::Finished(status))
    }

    /// Makes a function whose slots are ready the running one.
    pub(super) fn push_frame(&mut self, code: Rc<Code>, base: usize, edge: Option<EdgeId>) {
        let function = code.function;
        self.frames.push(Frame { code, pc: 0, base });
        if self.listener.is_some() {
            self.observe(Event::Enter { edge, function });
        }
    }

    pub(super) fn trace(&mut self, code: &Code, base: usize, index: u32) {
        let Trace { edge, value } = code.traces[index as usize];
        if let Some(Listener::Coverage(coverage)) = &mut self.listener {
            return coverage.edge(edge);
        }
        let value = value.map(|value| (value.ty, self.get(base, value.slot, value.ty)));
        debug_assert!(!matches!(self.program.edges[edge].op, Op::Poison(_)));
        self.observe(Event::Edge { edge, value });
    }

    /// Runs until something stops it. The stopped frame's `pc` is then the instruction that did.
    fn execute(&mut self) -> Stop {
        loop {
            let Some(frame) = self.frames.last() else { return Stop::End(Outcome::Finished(0)) };
            let code = Rc::clone(&frame.code);
            let (base, mut pc) = (frame.base, frame.pc);
            match self.execute_frame(&code, base, &mut pc) {
                Ok(()) => {}
                Err(stop) => {
                    match self.frames.last_mut() {
                        Some(frame) => frame.pc = pc,
                        None => self.returned_at = code.origins.get(pc).and_then(|origin| origin.edge),
                    }
                    return stop;
                }
            }
        }
    }

    pub(super) fn return_from(&mut self, code: &Code) -> Result<(), Stop> {
        self.leave();
        if self.frames.is_empty() { Err(self.finished(code)) } else { Ok(()) }
    }

    /// A call whose arguments are copied slot by slot.
    pub(super) fn call_simple(&mut self, base: usize, site: &CallSite) -> Result<(), Stop> {
        let CalleeSlot::Direct(function) = site.callee else { return Err(Stop::Fault(Fault::BadCall)) };
        if self.frames.len() >= self.config.max_depth as usize {
            return Err(Stop::End(Outcome::Limit(Limit::Depth)));
        }
        let callee = match &self.codes[function.0 as usize] {
            Some(code) => Rc::clone(code),
            None => self.code_of(function),
        };
        let count = callee.params.len();
        let start = self.slots.len();
        self.slots.resize(start + callee.slots as usize, 0);
        for (index, arg) in site.args[..count].iter().enumerate() {
            self.slots[start + index] = self.slots[base + arg.slot as usize];
        }
        self.push_frame(callee, start, Some(site.edge));
        Ok(())
    }

    pub(super) fn pointer_type_bits(&self) -> u32 {
        match self.program.model() {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }
}

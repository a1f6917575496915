//! A run of the program, step by step, as the interpreter executed it.

use crate::cycles::CycleRecorder;
use crate::measure::Measure;
use crate::pointee::{self, Allocations, FaultDetail, Pointee};
use cfa::interp::{Event, InputSource, Observer, ProgramArgs, Run, View};
use cfa::{Bits, EdgeId, Fault, FuncId, TypeId};
use std::collections::VecDeque;
use std::ops::Range;

/// A run with more steps is not followed throughout: telling each step takes ten times as long as the step.
pub const LONG_RUN: u64 = 5_000_000;

pub struct Trace {
    pub steps: Vec<Step>,
    /// Steps that were left out between the first and the last ones kept, and where: before `steps[skipped_at]`.
    pub skipped: u64,
    pub skipped_at: usize,
    /// Of the whole run, also of what was left out. `None`: the run was too long to be followed throughout.
    pub measure: Option<Measure>,
    /// The command line, and whether it was chosen for this run.
    pub arguments: Vec<Vec<u8>>,
    pub arguments_chosen: bool,
    /// What was wrong where the run stopped, of a fault.
    pub detail: Option<FaultDetail>,
    pub run: Run,
    /// Of a program that runs in cycles: the values of its variables (`Cycle::variables`) at the end of each one, or where the run ends in it.
    pub cycles: Vec<Vec<Bits>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    pub kind: StepKind,
    /// Nested calls at that time; 0 in the entry function.
    pub depth: u32,
    /// The value that the step gave to something.
    pub value: Option<(TypeId, Bits)>,
    /// Of a pointer: what it refers to at that time.
    pub pointee: Option<Box<Pointee>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepKind {
    Edge(EdgeId),
    /// An input; the edge that asked for it follows as a step of its own.
    Input(InputSource),
    Enter {
        call: Option<EdgeId>,
        function: FuncId,
    },
    Leave(FuncId),
}

/// Listens to a run. At most `limit` steps are kept: the first half as they come, then the most recent ones.
pub struct TraceRecorder {
    limit: usize,
    first: Vec<Step>,
    last: VecDeque<Step>,
    dropped: u64,
    /// Steps without events, by their numbers.
    untold: Range<u64>,
    measure: Measure,
    allocations: Allocations,
    detail: Option<FaultDetail>,
    cycles: CycleRecorder,
}

impl TraceRecorder {
    pub fn new(limit: usize) -> Self {
        TraceRecorder {
            limit: limit.max(2),
            first: Vec::new(),
            last: VecDeque::new(),
            dropped: 0,
            untold: 0..0,
            measure: Measure::default(),
            allocations: Allocations::default(),
            detail: None,
            cycles: CycleRecorder::default(),
        }
    }

    /// For a run of so many steps: which of them give no events.
    pub fn leave_out_middle(&mut self, steps: u64) -> Range<u64> {
        let kept = self.limit as u64;
        if steps > LONG_RUN.max(4 * kept) {
            self.untold = kept..steps - 2 * kept;
        }
        self.untold.clone()
    }

    pub fn finish(self, run: Run, arguments: &ProgramArgs) -> Trace {
        let skipped_at = self.first.len();
        let mut steps = self.first;
        steps.extend(self.last);
        let arguments = arguments.words.clone();
        let untold = self.untold.end - self.untold.start;
        let (skipped, measure) = (self.dropped + untold, (untold == 0).then_some(self.measure));
        // Cycles of which nothing is known are not counted.
        let cycles = if untold == 0 { self.cycles.rows } else { Vec::new() };
        let detail = self.detail;
        Trace { steps, skipped, skipped_at, measure, arguments, arguments_chosen: false, detail, run, cycles }
    }

    fn push(&mut self, view: &View<'_, '_>, kind: StepKind, value: Option<(TypeId, Bits)>) {
        let pointer = value.filter(|(ty, _)| view.program().types.is_pointer(*ty));
        let pointee = pointer.map(|(_, bits)| Box::new(self.allocations.pointee(view, bits.lo)));
        let step = Step { kind, depth: view.depth().saturating_sub(1) as u32, value, pointee };
        if self.first.len() < self.limit / 2 {
            self.first.push(step);
            return;
        }
        if self.last.len() >= self.limit - self.limit / 2 {
            self.last.pop_front();
            self.dropped += 1;
        }
        self.last.push_back(step);
    }
}

impl Observer for TraceRecorder {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        self.measure.count(view.program(), &event);
        match event {
            Event::Edge { edge, value } => {
                self.cycles.follow(view, edge);
                self.allocations.follow(view, edge, value);
                self.push(view, StepKind::Edge(edge), value);
            }
            Event::Input(input) => {
                self.push(view, StepKind::Input(input.request.source), Some((input.request.ty, input.bits)))
            }
            Event::Enter { edge, function } => self.push(view, StepKind::Enter { call: edge, function }, None),
            Event::Leave { function } => self.push(view, StepKind::Leave(function), None),
        }
    }

    fn stopped(&mut self, view: &View<'_, '_>, edge: EdgeId, fault: Fault) {
        self.cycles.look(view);
        self.detail = pointee::detail(view, &self.allocations, edge, fault);
    }
}

//! A run of the program, step by step, as the interpreter executed it.

use crate::measure::Measure;
use cfa::interp::{Event, InputSource, Observer, ProgramArgs, Run, View};
use cfa::{Bits, EdgeId, FuncId, TypeId};
use std::collections::VecDeque;

pub struct Trace {
    pub steps: Vec<Step>,
    /// Steps that were left out between the first and the last ones kept, and where: before `steps[skipped_at]`.
    pub skipped: u64,
    pub skipped_at: usize,
    /// Of the whole run, also of what was left out.
    pub measure: Measure,
    /// The command line, and whether it was chosen for this run.
    pub arguments: Vec<Vec<u8>>,
    pub arguments_chosen: bool,
    pub run: Run,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub kind: StepKind,
    /// Nested calls at that time; 0 in the entry function.
    pub depth: u32,
    /// The value that the step gave to something.
    pub value: Option<(TypeId, Bits)>,
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
pub struct Recorder {
    limit: usize,
    depth: u32,
    first: Vec<Step>,
    last: VecDeque<Step>,
    dropped: u64,
    measure: Measure,
}

impl Recorder {
    pub fn new(limit: usize) -> Self {
        Recorder {
            limit: limit.max(2),
            depth: 0,
            first: Vec::new(),
            last: VecDeque::new(),
            dropped: 0,
            measure: Measure::default(),
        }
    }

    pub fn finish(self, run: Run, arguments: &ProgramArgs) -> Trace {
        let skipped_at = self.first.len();
        let mut steps = self.first;
        steps.extend(self.last);
        let arguments = arguments.words.clone();
        let (skipped, measure) = (self.dropped, self.measure);
        Trace { steps, skipped, skipped_at, measure, arguments, arguments_chosen: false, run }
    }

    fn push(&mut self, kind: StepKind, value: Option<(TypeId, Bits)>) {
        let step = Step { kind, depth: self.depth.saturating_sub(1), value };
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

impl Observer for Recorder {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        self.measure.count(view.program(), &event);
        match event {
            Event::Edge { edge, value } => self.push(StepKind::Edge(edge), value),
            Event::Input(input) => {
                self.push(StepKind::Input(input.request.source), Some((input.request.ty, input.bits)))
            }
            Event::Enter { edge, function } => {
                self.depth += 1;
                self.push(StepKind::Enter { call: edge, function }, None);
            }
            Event::Leave { function } => {
                self.push(StepKind::Leave(function), None);
                self.depth -= 1;
            }
        }
    }
}

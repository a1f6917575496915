//! What the values of a trace are called in C, and where that is true to say: a name of the trace formula is one value of a variable or place, and
//! C can speak of it only while the storage still holds it and its text means that storage.

use crate::formula::RunFormula;
use cfa::interp::InputSource;
use cfa::walk::{Node, children};
use cfa::{Binding, ExprKind, FuncId, Op, PlaceId, PlaceKind, Program, TypeId, VarId, VarKind};
use encode::{Assigned, Origin, Slot};
use evidence::shown::{Target, target};
use logic::TermId;
use rustc_hash::FxHashMap;

/// What a value is the value of.
#[derive(Clone, Copy)]
enum Subject {
    Var(VarId),
    Place(PlaceId),
    Result(FuncId),
}

struct Word {
    subject: Subject,
    ty: Option<TypeId>,
    slot: Slot,
    /// The step after which it holds; `None`: from the start.
    step: Option<usize>,
    /// Whose variables the text is about.
    activation: u32,
}

/// Storage that writes are looked up by: a register or a result, or a whole object.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Storage {
    Register(u32, VarId),
    Object(u32),
    Results(FuncId),
}

struct Write {
    step: usize,
    /// Of an object: first byte, and the one after the last.
    bytes: (u64, u64),
}

pub struct Words {
    words: FxHashMap<TermId, Word>,
    writes: FxHashMap<Storage, Vec<Write>>,
    /// The object of a variable that was seen in memory.
    objects: FxHashMap<(u32, VarId), u32>,
    /// The step of the call of each activation.
    calls: FxHashMap<u32, usize>,
}

impl Words {
    pub fn of(trace: &RunFormula<'_>) -> Self {
        let program = trace.encoder.task.program;
        let mut words = Words {
            words: FxHashMap::default(),
            writes: FxHashMap::default(),
            objects: FxHashMap::default(),
            calls: FxHashMap::default(),
        };
        let steps = &trace.formula.steps;
        for (index, step) in steps.iter().enumerate() {
            if let Some(before) = index.checked_sub(1).filter(|before| steps[*before].activation < step.activation) {
                words.calls.entry(step.activation).or_insert(before);
            }
        }
        for input in &trace.formula.inputs {
            let step = input.step.map(|step| step as usize);
            let activation = step.map_or(1, |step| steps[step].activation);
            let subject = match input.source {
                InputSource::Param { var, .. } => Some(Subject::Var(var)),
                InputSource::Edge { edge, .. } => match program.edges[edge].op {
                    Op::Havoc(place, _) | Op::Call { dest: Some(place), .. } => subject_of(program, place),
                    _ => None,
                },
            };
            let Some(slot) = input.slot else { continue };
            words.note(trace, input.term, slot, step, subject.map(|subject| (subject, activation)), Some(input.ty));
        }
        for (index, step) in steps.iter().enumerate() {
            for one in &step.definitions {
                let subject = match one.assigned {
                    Assigned::Var(var) => is_named(program, var).then_some(Subject::Var(var)),
                    Assigned::Place(place) => subject_of(program, place),
                    Assigned::Result(function) => Some(Subject::Result(function)),
                    Assigned::Memory => None,
                };
                // A parameter that lies in memory is bound by the call, but belongs to what is called.
                let is_call = matches!(program.edges[trace.edge(index)].op, Op::Call { .. });
                let bound =
                    matches!(one.assigned, Assigned::Var(var) if matches!(program.vars[var].kind, VarKind::Param(_)));
                let activation = match (one.slot, steps.get(index + 1)) {
                    (Slot::Register(activation, _), _) => activation,
                    (_, Some(next)) if is_call && bound && next.activation > step.activation => next.activation,
                    _ => step.activation,
                };
                let subject = subject.map(|subject| (subject, activation));
                words.note(trace, one.name, one.slot, Some(index), subject, one.ty);
            }
        }
        words
    }

    fn note(
        &mut self,
        trace: &RunFormula<'_>,
        name: TermId,
        slot: Slot,
        step: Option<usize>,
        subject: Option<(Subject, u32)>,
        ty: Option<TypeId>,
    ) {
        let Some((storage, bytes)) = storage(trace, name, slot, subject.map(|subject| subject.0)) else { return };
        if let Some(step) = step {
            self.writes.entry(storage).or_default().push(Write { step, bytes });
        }
        let Some((subject, activation)) = subject else { return };
        if let (Subject::Var(var), Slot::Memory(object, _)) = (subject, slot) {
            let program = trace.encoder.task.program;
            let owner = if program.vars[var].kind.function().is_none() { 0 } else { activation };
            self.objects.insert((owner, var), object);
        }
        self.words.insert(name, Word { subject, ty, slot, step, activation });
    }

    /// The text of a value where it may be said, with its type; a position is before the step of that number.
    pub fn say(&self, trace: &RunFormula<'_>, name: TermId, at: usize) -> Option<(String, Option<TypeId>)> {
        let program = trace.encoder.task.program;
        let word = self.words.get(&name)?;
        let text = match word.subject {
            Subject::Var(var) => {
                if !program.types.is_scalar(program.vars[var].ty) {
                    return None;
                }
                self.means(trace, var, word.activation, at)?;
                program.name(program.vars[var].name).to_string()
            }
            Subject::Place(place) => {
                for (var, _) in mentioned(program, place)? {
                    self.means(trace, var, word.activation, at)?;
                }
                frontend::source_text(program, Node::Place(place))?
            }
            Subject::Result(function) => format!("{}()", program.function_name(function)),
        };
        self.until(trace, name).is_none_or(|until| at <= until).then_some((text, word.ty))
    }

    /// The position before the step that overwrites a value.
    pub fn until(&self, trace: &RunFormula<'_>, name: TermId) -> Option<usize> {
        let word = self.words.get(&name)?;
        let (storage, bytes) = storage(trace, name, word.slot, Some(word.subject))?;
        let own = self.written(storage, bytes, word.step);
        let Subject::Place(place) = word.subject else { return own };
        // What leads to a place may change too, and so may be the place that its text means then.
        let mentioned = mentioned(trace.encoder.task.program, place)?;
        let leading = mentioned.into_iter().filter(|(_, read)| *read);
        leading.filter_map(|(var, _)| self.changes(trace, var, word)).chain(own).min()
    }

    /// The first step after one that writes storage.
    fn written(&self, storage: Storage, bytes: (u64, u64), after: Option<usize>) -> Option<usize> {
        let writes = self.writes.get(&storage)?;
        let first = writes.partition_point(|write| after.is_some_and(|after| write.step <= after));
        let overlaps = |write: &&Write| write.bytes.0 < bytes.1 && bytes.0 < write.bytes.1;
        writes[first..].iter().find(overlaps).map(|write| write.step)
    }

    /// Whether the name of a variable means it at a position: of the functions under way, the innermost in which the name means anything counts.
    fn means(&self, trace: &RunFormula<'_>, var: VarId, activation: u32, at: usize) -> Option<()> {
        let program = trace.encoder.task.program;
        let data = &program.vars[var];
        let steps = &trace.formula.steps;
        // Frame conditions stand where the next statement does.
        let mut step = (at..steps.len())
            .find(|step| matches!(steps[*step].origin, Origin::Edge(_)))
            .or(steps.len().checked_sub(1))?;
        loop {
            let location = program.edges[trace.edge(step)].from;
            if let Some(binding) = program.lookup(location, data.name) {
                let same = binding == Binding::Var(var);
                return (same && (data.kind.function().is_none() || steps[step].activation == activation))
                    .then_some(());
            }
            step = *self.calls.get(&steps[step].activation)?;
        }
    }

    /// The step at which a variable changes after something was assigned by way of it; 0 if that is not known.
    fn changes(&self, trace: &RunFormula<'_>, var: VarId, word: &Word) -> Option<usize> {
        let data = &trace.encoder.task.program.vars[var];
        let owner = if data.kind.function().is_none() { 0 } else { word.activation };
        // The assignment itself may be what changes it.
        let after = word.step.and_then(|step| step.checked_sub(1));
        let register = self.written(Storage::Register(word.activation, var), (0, 1), after);
        let memory = match self.objects.get(&(owner, var)) {
            Some(object) => self.written(Storage::Object(*object), (0, u64::MAX), after),
            None => data.address_taken.then_some(0),
        };
        register.into_iter().chain(memory).min()
    }
}

/// The variables that the text of a place mentions, and whether their values matter for where it is. `None` if other memory is read to find out.
fn mentioned(program: &Program, place: PlaceId) -> Option<Vec<(VarId, bool)>> {
    let mut found = Vec::new();
    let mut open = vec![(Node::Place(place), false)];
    while let Some((node, read)) = open.pop() {
        if let Node::Place(place) = node {
            match program.places[place].kind {
                PlaceKind::Var(var) => found.push((var, read)),
                _ if read => return None,
                _ => {}
            }
        }
        let reads = matches!(node, Node::Expr(expr) if matches!(program.exprs[expr].kind, ExprKind::Read(_)));
        open.extend(children(program, node).into_iter().flatten().map(|child| (child, reads)));
    }
    Some(found)
}

fn storage(
    trace: &RunFormula<'_>,
    name: TermId,
    slot: Slot,
    subject: Option<Subject>,
) -> Option<(Storage, (u64, u64))> {
    let width = trace.encoder.pool.width(name) as u64;
    match (slot, subject) {
        (Slot::Register(activation, var), _) => Some((Storage::Register(activation, var), (0, 1))),
        (Slot::Memory(object, offset), _) => Some((Storage::Object(object), (offset, offset + width.div_ceil(8)))),
        (Slot::Result(_), Some(Subject::Result(function))) => Some((Storage::Results(function), (0, 1))),
        (Slot::Result(_), _) => None,
    }
}

fn is_named(program: &Program, var: VarId) -> bool {
    !matches!(program.vars[var].kind, VarKind::Temp(_) | VarKind::Constant | VarKind::Vla(_))
}

fn subject_of(program: &Program, place: PlaceId) -> Option<Subject> {
    match program.places[place].kind {
        PlaceKind::Var(var) => is_named(program, var).then_some(Subject::Var(var)),
        _ => (target(program, place) == Target::Named).then_some(Subject::Place(place)),
    }
}

/// What a step assigns, for people.
pub fn assigned_text(program: &Program, assigned: Assigned) -> String {
    match assigned {
        Assigned::Var(var) if !is_named(program, var) => "…".into(),
        Assigned::Var(var) => program.name(program.vars[var].name).to_string(),
        Assigned::Place(place) => frontend::display(program, Node::Place(place)),
        Assigned::Result(function) => format!("{}()", program.function_name(function)),
        Assigned::Memory => "…".into(),
    }
}

//! What the values pane of a page knows besides the steps: what parameters were given, and which elements were assigned.

use crate::value;
use crate::viewer::Viewer;
use base::SourceMap;
use cfa::interp::{Event, InputSource, Observer, View};
use cfa::walk::Node;
use cfa::{EdgeId, ExprId, ExprKind, FuncId, Op, PlaceId, PlaceKind, Program, Type, eval};
use evidence::pointee::Allocations;
use std::collections::HashMap;
use std::ops::Range;

/// By the number of the event.
#[derive(Default)]
pub struct Facts {
    /// What was assigned, with values for indices.
    pub names: HashMap<usize, String>,
    /// Of a function that was entered, its parameters.
    pub parameters: HashMap<usize, Vec<(String, String)>>,
}

/// Listens to the run that a trace was made of.
pub struct FactRecorder<'a> {
    view: Viewer<'a>,
    /// Events that the trace leaves out.
    gap: Range<usize>,
    events: usize,
    allocations: Allocations,
    facts: Facts,
}

impl<'a> FactRecorder<'a> {
    pub fn new(program: &'a Program, sources: &'a SourceMap, gap: Range<usize>) -> Self {
        let (allocations, facts) = (Allocations::default(), Facts::default());
        FactRecorder { view: Viewer::new(program, sources), gap, events: 0, allocations, facts }
    }

    pub fn finish(self) -> Facts {
        self.facts
    }

    fn assigned(&mut self, state: &View<'_, '_>, edge: EdgeId) {
        let place = match self.view.program.edges[edge].op {
            Op::Assign(place, _) | Op::Havoc(place, _) => Some(place),
            Op::Call { dest, .. } => dest,
            _ => None,
        };
        // Other languages count elements from where the declaration says.
        let in_c = self.view.program.language.is_none_or(|language| language.eq_ignore_ascii_case("c"));
        if let Some(name) = place.filter(|_| in_c).and_then(|place| concrete(self.view.program, state, place)) {
            self.facts.names.insert(self.events, name);
        }
    }

    fn entered(&mut self, state: &View<'_, '_>, function: FuncId) {
        let program = self.view.program;
        let value = |var: &cfa::VarId| {
            let (ty, bits) = (program.vars[*var].ty, state.variable(*var)?);
            let name = program.name(program.vars[*var].name).to_string();
            let pointee = program.types.is_pointer(ty).then(|| self.allocations.pointee(state, bits.lo));
            let text = pointee.and_then(|pointee| self.view.pointee(ty, &pointee));
            let text = text.unwrap_or_else(|| value::named(program, program.enumeration_of_var(*var), ty, bits));
            Some((name, text))
        };
        let all: Vec<(String, String)> = program.functions[function].params.iter().filter_map(value).collect();
        if !all.is_empty() {
            self.facts.parameters.insert(self.events, all);
        }
    }
}

impl Observer for FactRecorder<'_> {
    fn step(&mut self, state: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { edge, value } = event {
            self.allocations.follow(state, edge, value);
        }
        if !self.gap.contains(&self.events) {
            match event {
                Event::Edge { edge, .. } => self.assigned(state, edge),
                Event::Input(input) => {
                    if let InputSource::Edge { edge, .. } = input.request.source {
                        self.assigned(state, edge);
                    }
                }
                Event::Enter { function, .. } => self.entered(state, function),
                Event::Leave { .. } => {}
            }
        }
        self.events += 1;
    }
}

/// The name of a place with the values of its indices; `None` if it has none, or a value is not known.
fn concrete(program: &Program, state: &View<'_, '_>, place: PlaceId) -> Option<String> {
    let index = |expr: ExprId| {
        let bits = state.value(expr).ok()?;
        Some(eval::to_i128(&program.types, program.exprs[expr].ty, bits))
    };
    match program.places[place].kind {
        PlaceKind::Index(base, at) => {
            let base = named(program, state, base)?;
            Some(format!("{base}[{}]", index(at)?))
        }
        PlaceKind::Deref(pointer) => match program.exprs[pointer].kind {
            ExprKind::PtrAdd(base, at) => {
                Some(format!("{}[{}]", frontend::display(program, Node::Expr(base)), index(at)?))
            }
            _ => None,
        },
        PlaceKind::Field(base, number) => {
            let Type::Record(record) = *program.types.get(program.places[base].ty) else { return None };
            let name = program.types.records[record].fields[number as usize].name?;
            Some(format!("{}.{}", concrete(program, state, base)?, program.name(name)))
        }
        PlaceKind::Var(_) => None,
    }
}

fn named(program: &Program, state: &View<'_, '_>, place: PlaceId) -> Option<String> {
    concrete(program, state, place).or_else(|| Some(frontend::display(program, Node::Place(place))))
}

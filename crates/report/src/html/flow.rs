//! The control-flow automata of functions as drawings: straight-line code is one box with a row for each statement, branches are arrows.

use super::layout::{Arrow, BoxView, Drawing, RowView};
use crate::viewer::Viewer;
use base::SourceMap;
use cfa::{AssumeRole, EdgeId, FuncId, LocId, Op, Program};
use serde::Serialize;
use std::collections::HashMap;

/// Larger functions are not drawn.
const MOST_BOXES: usize = 500;
/// Further functions are not drawn.
const MOST_FUNCTIONS: usize = 80;
/// Longer texts are cut.
const MOST_LETTERS: usize = 46;

#[derive(Serialize)]
pub struct FlowGraph {
    pub function: String,
    /// `None` if it is too large.
    pub drawing: Option<Drawing>,
}

/// The drawings, and where each edge is in them: function, box, row.
#[derive(Default)]
pub struct FlowGraphs {
    pub functions: Vec<FlowGraph>,
    places: HashMap<EdgeId, (u32, u32, u32)>,
}

impl FlowGraphs {
    /// Of the functions that the user's text defines, the given one first.
    pub fn of(program: &Program, sources: &SourceMap, entry: FuncId) -> Self {
        let view = Viewer::new(program, sources);
        let mut graphs = FlowGraphs::default();
        let own = |function: &FuncId| {
            program.automaton(*function).is_some()
                && !sources.is_in_system_header(program.functions[*function].span.lo)
                && !frontend::is_library_text(sources, program.functions[*function].span.lo)
        };
        let others = program.functions.ids().filter(|function| *function != entry);
        for function in std::iter::once(entry).chain(others).filter(own).take(MOST_FUNCTIONS) {
            graphs.add(&view, function);
        }
        graphs
    }

    pub fn place(&self, edge: EdgeId) -> Option<(u32, u32, u32)> {
        self.places.get(&edge).copied()
    }

    fn add(&mut self, view: &Viewer<'_>, function: FuncId) {
        let program = view.program;
        let Some(automaton) = program.automaton(function) else { return };
        let number = self.functions.len() as u32;
        let name = program.function_name(function).to_string();
        let begins = block_starts(program, automaton.entry, automaton.edges.clone());
        let mut boxes = Vec::new();
        let mut of_location: HashMap<LocId, usize> = HashMap::new();
        // The entry's box comes first: the layout begins there.
        let mut starts: Vec<LocId> = vec![automaton.entry];
        let mut next = 0;
        let mut arrows = Vec::new();
        let mut places = Vec::new();
        while let Some(start) = starts.get(next).copied() {
            next += 1;
            if of_location.contains_key(&start) {
                continue;
            }
            if boxes.len() == MOST_BOXES {
                self.functions.push(FlowGraph { function: name, drawing: None });
                return;
            }
            let index = boxes.len();
            of_location.insert(start, index);
            let mut one = BoxView { mark: mark(program, function, start), ..BoxView::default() };
            let mut at = start;
            loop {
                let out: Vec<EdgeId> = program.successors(at).collect();
                for edge in &out {
                    let row = row_for(view, *edge, &mut one.rows);
                    places.push((*edge, (number, index as u32, row as u32)));
                }
                match out.as_slice() {
                    [edge] if !begins.contains_key(&program.edges[*edge].to) => at = program.edges[*edge].to,
                    out => {
                        for edge in out {
                            // The run ends there.
                            if let Op::Halt(_) = program.edges[*edge].op {
                                continue;
                            }
                            starts.push(program.edges[*edge].to);
                            arrows.push((index, program.edges[*edge].to, label(program, *edge)));
                        }
                        break;
                    }
                }
            }
            if one.rows.is_empty() {
                let text = if one.mark == "exit" { "return" } else { "·" };
                one.rows.push(RowView { text: text.into(), ..RowView::default() });
            }
            boxes.push(one);
        }
        let arrows = arrows.into_iter().map(|(from, to, label)| Arrow::new(from, of_location[&to], label, 0));
        let mut drawing = Drawing { title: name.clone(), boxes, arrows: arrows.collect(), ..Drawing::default() };
        drawing.arrange();
        self.places.extend(places);
        self.functions.push(FlowGraph { function: name, drawing: Some(drawing) });
    }
}

/// Locations at which a box begins: several ways lead there, or one of two.
fn block_starts(program: &Program, entry: LocId, edges: std::ops::Range<u32>) -> HashMap<LocId, ()> {
    let mut ways: HashMap<LocId, usize> = HashMap::new();
    for edge in edges.map(EdgeId) {
        let (from, to) = (program.edges[edge].from, program.edges[edge].to);
        let several = program.locations[from].out[1].is_some();
        *ways.entry(to).or_default() += if several { 2 } else { 1 };
    }
    ways.insert(entry, 2);
    ways.into_iter().filter(|(_, ways)| *ways > 1).map(|(location, _)| (location, ())).collect()
}

fn mark(program: &Program, function: FuncId, location: LocId) -> &'static str {
    let automaton = program.automaton(function);
    match automaton {
        Some(automaton) if automaton.entry == location => "entry",
        Some(automaton) if automaton.exit == location => "exit",
        _ if program.locations[location].loop_head.is_some() => "head",
        _ => "",
    }
}

fn label(program: &Program, edge: EdgeId) -> String {
    match program.edges[edge].op {
        Op::Assume { truth, cond, role: AssumeRole::Branch(_) } => {
            let truth = truth != cfa::display::negates_text(program, cond);
            if truth { "yes".into() } else { "no".into() }
        }
        _ => String::new(),
    }
}

/// The row of an edge; a new one unless it continues the last.
fn row_for(view: &Viewer<'_>, edge: EdgeId, rows: &mut Vec<RowView>) -> usize {
    let op = view.program.edges[edge].op;
    let silent = matches!(op, Op::Skip | Op::Kill(_) | Op::Declare(_)) || !view.is_own(edge);
    let place = if silent { None } else { view.place_of_edge(edge) };
    let Some(place) = place else { return rows.len().saturating_sub(1) };
    let mut text = view.snippet(edge);
    if text.chars().count() > MOST_LETTERS {
        text = text.chars().take(MOST_LETTERS - 1).chain(['…']).collect();
    }
    if matches!(op, Op::Assume { role: AssumeRole::Branch(_), .. }) {
        text.push_str(" ?");
    }
    let row = RowView { text, file: place.file, line: place.line };
    match rows.last() {
        // One statement may be several edges.
        Some(last) if last.line == row.line && (last.text == row.text || row.text.is_empty()) => {}
        _ => rows.push(row),
    }
    rows.len() - 1
}

//! A witness as a drawing: an automaton as it is, waypoints as a path, claims as boxes.

use super::layout::{Arrow, BoxView, Drawing, RowView};
use std::collections::HashMap;
use witness::model::{Action, Automaton, Content};
use witness::{Witness, show};

/// Larger witnesses are not drawn.
const MOST_NODES: usize = 600;

pub fn draw(witness: &Witness) -> Option<Drawing> {
    let mut drawing = Drawing { title: "witness".into(), ..Drawing::default() };
    match witness {
        Witness::Automaton(automaton) => of_automaton(automaton, &mut drawing),
        Witness::Entries(entries) => {
            for entry in entries {
                of_content(&entry.content, &mut drawing);
            }
        }
    }
    if drawing.boxes.is_empty() || drawing.boxes.len() > MOST_NODES {
        return None;
    }
    drawing.arrange();
    Some(drawing)
}

fn one(text: String, mark: &'static str, line: u32) -> BoxView {
    BoxView { rows: vec![RowView { text, file: String::new(), line }], mark, ..BoxView::default() }
}

fn of_automaton(automaton: &Automaton, drawing: &mut Drawing) {
    let mut numbers = HashMap::new();
    for node in &automaton.nodes {
        let mark = match node {
            _ if node.violation => "error",
            _ if node.sink => "sink",
            _ if node.entry => "entry",
            _ => "",
        };
        numbers.insert(node.id.as_str(), drawing.boxes.len());
        let mut shown = one(node.id.clone(), mark, 0);
        if let Some(invariant) = &node.invariant {
            let text = invariant.split_whitespace().collect::<Vec<_>>().join(" ");
            shown.rows.push(RowView { text, ..RowView::default() });
        }
        drawing.boxes.push(shown);
    }
    for edge in &automaton.edges {
        let ends = numbers.get(edge.source.as_str()).zip(numbers.get(edge.target.as_str()));
        if let Some((from, to)) = ends {
            let line = edge.guard.start_line.unwrap_or(0);
            drawing.arrows.push(Arrow::new(*from, *to, show::label(edge).join(", "), line));
        }
    }
}

fn of_content(content: &Content, drawing: &mut Drawing) {
    match content {
        Content::Violation(segments) => {
            let first = drawing.boxes.len();
            for number in 0..=segments.len() {
                let last = number == segments.len();
                let text = if last { "violation".to_string() } else { format!("segment {}", number + 1) };
                let mark = if last {
                    "error"
                } else if number == 0 {
                    "entry"
                } else {
                    ""
                };
                drawing.boxes.push(one(text, mark, 0));
            }
            for (number, segment) in segments.iter().enumerate() {
                for waypoint in &segment.waypoints {
                    let line = waypoint.location.line;
                    let to = match waypoint.action {
                        Action::Avoid => {
                            drawing.boxes.push(one("avoided".into(), "sink", 0));
                            drawing.boxes.len() - 1
                        }
                        Action::Follow | Action::Cycle => first + number + 1,
                    };
                    drawing.arrows.push(Arrow::new(first + number, to, show::waypoint_text(waypoint), line));
                }
            }
        }
        Content::Invariants(claims) => {
            drawing.boxes.extend(claims.iter().map(|claim| one(show::claim_text(claim), "", 0)));
        }
        Content::Ghosts(_) => {}
    }
}

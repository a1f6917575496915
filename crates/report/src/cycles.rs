//! A run of a program that works in cycles, as a table: a row for each variable, a column for each cycle, with the values at the end of the cycle. `*` marks a
//! value that another one came before.

use crate::replay::StepView;
use crate::value;
use cfa::walk::Node;
use cfa::{Bits, CycleRole, ExprKind, IntKind, Program, Type, eval};
use evidence::Trace;
use serde::Serialize;

/// One variable: its values at the end of each cycle, `None` before it has one.
pub(crate) struct Row {
    pub name: String,
    pub is_input: bool,
    pub values: Vec<Option<String>>,
}

/// The variables in the order in which they are first given something, and the step at which each cycle begins. `None` for a run that asks for nothing, whose
/// cycles cannot be told apart.
pub(crate) fn rows(steps: &[StepView]) -> Option<(Vec<Row>, Vec<usize>)> {
    let first = steps.iter().find(|step| step.kind == "input")?.assigned.clone()?;
    let mut rows: Vec<Row> = Vec::new();
    let mut starts: Vec<usize> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let (Some(name), is_input) = (&step.assigned, step.kind == "input") else { continue };
        if !is_input && step.kind != "assignment" {
            continue;
        }
        if is_input && *name == first || starts.is_empty() {
            starts.push(index);
            // What nothing is given keeps its value.
            rows.iter_mut().for_each(|row| row.values.push(row.values.last().cloned().flatten()));
        }
        let row = rows.iter().position(|known| known.name == *name).unwrap_or_else(|| {
            rows.push(Row { name: name.clone(), is_input, values: vec![None; starts.len()] });
            rows.len() - 1
        });
        let value = step.text.split_once(" = ").map_or("", |(_, value)| value).to_string();
        *rows[row].values.last_mut()? = Some(value);
    }
    Some((rows, starts))
}

/// The values of variables at the end of cycles, inputs first, then outputs.
#[derive(Clone, Debug, Serialize)]
pub struct CycleTable {
    pub cycles: usize,
    pub variables: Vec<CycleRow>,
}

#[derive(Clone, Debug, Serialize)]
pub struct CycleRow {
    pub name: String,
    /// `input`, `output` or `internal`.
    pub role: &'static str,
    /// `boolean`, `integer` or `real`.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// Plain numbers, one for each cycle.
    pub values: Vec<String>,
    /// The same for people.
    #[serde(skip)]
    pub shown: Vec<String>,
}

/// Of a longer run the first and the last cycles are in the table for people; files have all of them.
const MOST_COLUMNS: usize = 24;
const FIRST_COLUMNS: usize = 3;
const LAST_COLUMNS: usize = 12;

impl CycleTable {
    /// `None` for a run without cycles.
    pub fn of(program: &Program, trace: &Trace) -> Option<Self> {
        let cycle = program.cycle.as_ref().filter(|_| !trace.cycles.is_empty())?;
        let mut variables = Vec::new();
        for wanted in [CycleRole::Input, CycleRole::Output, CycleRole::Internal] {
            let own = cycle.variables.iter().enumerate().filter(|(_, (_, role))| *role == wanted);
            for (index, (value, role)) in own {
                let ExprKind::Read(place) = program.exprs[*value].kind else { continue };
                let ty = program.places[place].ty;
                let column = || trace.cycles.iter().map(|row| row.get(index).copied().unwrap_or(Bits::ZERO));
                let constants = program.enumeration_of(place);
                variables.push(CycleRow {
                    name: frontend::display(program, Node::Place(place)),
                    role: match role {
                        CycleRole::Input => "input",
                        CycleRole::Output => "output",
                        CycleRole::Internal => "internal",
                    },
                    ty: match program.types.get(ty) {
                        Type::Int(IntKind::Bool) => "boolean",
                        Type::Float(_) => "real",
                        _ => "integer",
                    },
                    values: column().map(|bits| eval::display(&program.types, ty, bits)).collect(),
                    shown: column().map(|bits| value::named(program, constants, ty, bits)).collect(),
                });
            }
        }
        Some(CycleTable { cycles: trace.cycles.len(), variables })
    }

    /// For people: of what is neither input nor output only what is not the same in all cycles.
    pub fn to_text(&self) -> String {
        let cut = self.cycles > MOST_COLUMNS;
        let is_shown = |index: &usize| !cut || *index < FIRST_COLUMNS || *index + LAST_COLUMNS >= self.cycles;
        let columns: Vec<usize> = (0..self.cycles).filter(is_shown).collect();
        let mut header = vec!["cycle".to_string()];
        header.extend(columns.iter().map(|index| (index + 1).to_string()));
        let mut rows: Vec<Vec<String>> = vec![header];
        let varies = |row: &&CycleRow| row.values.windows(2).any(|pair| pair[0] != pair[1]);
        for row in self.variables.iter().filter(|row| row.role != "internal" || varies(row)) {
            let kind = match row.role {
                "input" => "in ",
                "output" => "out",
                _ => "   ",
            };
            let mut line = vec![format!("{kind} {}", row.name)];
            for index in columns.iter().copied() {
                let value = &row.shown[index];
                let changed = index > 0 && row.values[index] != row.values[index - 1];
                line.push(format!("{value}{}", if changed { "*" } else { "" }));
            }
            rows.push(line);
        }
        if cut {
            rows.iter_mut().for_each(|row| row.insert(FIRST_COLUMNS + 1, "…".to_string()));
        }
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            format!("  {}\n", cells.collect::<Vec<_>>().join("  "))
        };
        rows.iter().map(line).collect()
    }

    /// One line for each cycle, one column for each variable.
    pub fn to_csv(&self) -> String {
        // A name of several dimensions has a comma.
        let quoted = |text: &str| match text.contains([',', '"']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_string(),
        };
        let names = self.variables.iter().map(|row| quoted(&row.name));
        let mut text = std::iter::once("cycle".to_string()).chain(names).collect::<Vec<_>>().join(",") + "\n";
        for cycle in 0..self.cycles {
            let values = self.variables.iter().map(|row| quoted(&row.shown[cycle]));
            text += &std::iter::once((cycle + 1).to_string()).chain(values).collect::<Vec<_>>().join(",");
            text.push('\n');
        }
        text
    }
}

/// Where the steps of the last cycle begin: at the last input that the first step of a cycle is.
pub(crate) fn last_cycle(steps: &[StepView]) -> usize {
    let Some(first) = steps.iter().position(|step| step.kind == "input") else { return 0 };
    let same = |step: &StepView| step.kind == "input" && step.assigned == steps[first].assigned;
    steps.iter().rposition(same).unwrap_or(0)
}

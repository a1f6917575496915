//! A run of a program that works in cycles, as a table: a row for each variable, a column for each cycle, with the values at the end of the cycle. `*` marks a
//! value that another one came before.

use crate::replay::StepView;

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

/// `None` for a run that asks for nothing, whose cycles cannot be told apart.
pub fn table(steps: &[StepView]) -> Option<String> {
    let (variables, starts) = rows(steps)?;
    let mut rows: Vec<Vec<String>> =
        vec![std::iter::once("cycle".to_string()).chain((1..=starts.len()).map(|number| number.to_string())).collect()];
    // Inputs first.
    for wanted in [true, false] {
        for Row { name, values, .. } in variables.iter().filter(|row| row.is_input == wanted) {
            let kind = if wanted { "in " } else { "   " };
            let mut line = vec![format!("{kind}{name}")];
            let mut last: Option<&str> = None;
            for now in values {
                let now = now.as_deref();
                let changed = last.is_some() && now != last;
                last = now;
                line.push(format!("{}{}", last.unwrap_or("-"), if changed { "*" } else { "" }));
            }
            rows.push(line);
        }
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    Some(rows.iter().map(line).collect::<Vec<_>>().join("\n") + "\n")
}

//! A run of a program that works in cycles, as a table: a row for each variable, a column for each cycle, with the values at the end of the cycle. `*` marks a
//! value that another one came before.

use crate::replay::StepView;

/// `None` for a run that asks for nothing, whose cycles cannot be told apart.
pub fn table(steps: &[StepView]) -> Option<String> {
    let first = steps.iter().find(|step| step.kind == "input")?.assigned.clone()?;
    let mut names: Vec<(String, bool)> = Vec::new();
    let mut cycles: Vec<Vec<(usize, String)>> = Vec::new();
    for step in steps {
        let (Some(name), is_input) = (&step.assigned, step.kind == "input") else { continue };
        if !is_input && step.kind != "assignment" {
            continue;
        }
        if is_input && *name == first || cycles.is_empty() {
            cycles.push(Vec::new());
        }
        let row = names.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            names.push((name.clone(), is_input));
            names.len() - 1
        });
        let value = step.text.split_once(" = ").map_or("", |(_, value)| value).to_string();
        let cells = cycles.last_mut()?;
        match cells.iter_mut().find(|(known, _)| *known == row) {
            Some(cell) => cell.1 = value,
            None => cells.push((row, value)),
        }
    }
    let mut rows: Vec<Vec<String>> =
        vec![std::iter::once("cycle".to_string()).chain((1..=cycles.len()).map(|number| number.to_string())).collect()];
    // Inputs first.
    for wanted in [true, false] {
        for (row, (name, _)) in names.iter().enumerate().filter(|(_, (_, is_input))| *is_input == wanted) {
            let kind = if wanted { "in " } else { "   " };
            let mut line = vec![format!("{kind}{name}")];
            let mut last: Option<&str> = None;
            for cells in &cycles {
                let now = cells.iter().find(|(known, _)| *known == row).map(|(_, value)| value.as_str());
                let changed = now.is_some() && last.is_some() && now != last;
                last = now.or(last);
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

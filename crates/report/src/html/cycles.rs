//! The cycles of a reactive program for a timing diagram.

use crate::cycles::{Row, rows};
use crate::replay::StepView;
use base::SourceMap;
use serde::Serialize;
use std::collections::BTreeSet;

/// One variable: what it holds at the end of each cycle.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CycleRow {
    pub name: String,
    /// `input`, `output` or `other`.
    pub role: &'static str,
    pub values: Vec<Option<String>>,
    /// The step at which each cycle begins; the same in all rows.
    pub starts: Vec<usize>,
}

pub fn cycles(steps: &[StepView], sources: &SourceMap) -> Option<Vec<CycleRow>> {
    let outputs = outputs(sources);
    let (rows, starts) = rows(steps)?;
    let row = |Row { name, is_input, values }: Row| {
        let is_output = outputs.contains(&name.to_lowercase());
        let role = if is_input {
            "input"
        } else if is_output {
            "output"
        } else {
            "other"
        };
        CycleRow { name, role, values, starts: starts.clone() }
    };
    let mut rows: Vec<CycleRow> = rows.into_iter().map(row).collect();
    rows.sort_by_key(|row| ["input", "output", "other"].iter().position(|role| *role == row.role));
    Some(rows)
}

/// The names that are declared between `VAR_OUTPUT` and `END_VAR`, in small letters.
fn outputs(sources: &SourceMap) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in sources.file_ids() {
        let text = String::from_utf8_lossy(sources.text(file)).to_lowercase();
        for section in text.split("var_output").skip(1) {
            let section = section.split("end_var").next().unwrap_or("");
            for declaration in section.split(';') {
                let names = declaration.split(':').next().unwrap_or("");
                let names = names.split(',').filter_map(|name| name.split_whitespace().last());
                found.extend(names.map(str::to_string));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn outputs_are_found_by_their_section() {
        let mut sources = base::SourceMap::new();
        let text =
            b"VAR_INPUT a : BOOL; END_VAR\nVar_Output Motor, x : BOOL; level : INT; END_VAR VAR b : INT; END_VAR";
        sources.add("p.st", text.to_vec()).expect("small");
        assert_eq!(super::outputs(&sources).into_iter().collect::<Vec<_>>(), ["level", "motor", "x"]);
    }
}

//! A list of tasks as CSV with a header: the columns `task` and `property`, and if they are there `input_file`, `expected`, `subproperty` and `data_model`;
//! others are ignored. Paths are relative to the folder of the list, or to its folder `c`, as in the public collection of verification tasks.

use super::{Named, Question, argument, verify};
use crate::task::{Expected, Task};
use crate::task_file::DataModel;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub fn takes(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "csv")
}

/// The records of a CSV by column name.
pub fn records(path: &Path) -> Result<Vec<BTreeMap<String, String>>> {
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_path(path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let rows: std::result::Result<_, csv::Error> = reader.deserialize().collect();
    rows.with_context(|| format!("{} is no CSV with a header", path.display()))
}

pub fn tasks(path: &Path, _: &Named, question: &Question) -> Result<Vec<Task>> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let rows = records(path)?;
    if let Some(row) = rows.first()
        && let Some(missing) = ["task", "property"].iter().find(|column| !row.contains_key(**column))
    {
        bail!("{}: there is no column {missing}", path.display());
    }
    let wanted =
        |property: &str| question.properties.is_empty() || question.properties.iter().any(|asked| asked == property);
    Ok(rows.iter().filter(|row| wanted(&row["property"])).map(|row| task(row, folder, question)).collect())
}

fn task(row: &BTreeMap<String, String>, folder: &Path, question: &Question) -> Task {
    let field = |name: &str| row.get(name).map(String::as_str).filter(|value| !value.is_empty());
    let (name, property) = (row["task"].clone(), row["property"].clone());
    let input = field("input_file").map_or(PathBuf::from(&name), |input| Path::new(&name).with_file_name(input));
    let places = [folder.join(&input), folder.join("c").join(&input)];
    let mut args = verify(question);
    // The tasks of such lists are those of the competition.
    args.extend(["--undefined-functions", "pure", "-p", &property].map(String::from));
    let (mut problem, mut expected) = (None, None);
    match field("data_model").map(|model| (model, DataModel::named(model))) {
        Some((_, Some(model))) => args.extend(["--data-model".to_string(), model.argument().to_string()]),
        Some((model, None)) => problem = Some(format!("the data model {model} is not known")),
        None => {}
    }
    match field("expected") {
        None => {}
        Some(text @ ("true" | "false")) => {
            expected = Some(Expected { holds: text == "true", subproperty: field("subproperty").map(String::from) });
        }
        Some(other) => problem = Some(format!("the expected verdict {other} is neither true nor false")),
    }
    match places.iter().find(|place| place.exists()) {
        Some(file) => args.push(argument(file)),
        None => problem = Some(format!("there is no file {}", places[0].display())),
    }
    Task { name, property, expected, args, problem }
}

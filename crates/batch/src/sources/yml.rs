//! Task files: one task for each property with an expected verdict, or for each that was asked for.

use super::{Named, Question, argument, property_name, verify};
use crate::task::Task;
use crate::task_file::{self, TaskFile, TaskProperty};
use anyhow::{Result, bail};
use std::path::Path;

/// Whether a file of a folder is a task: witnesses and settings are `.yml` too.
pub fn is_task(path: &Path) -> bool {
    let says = |text: String| text.lines().any(|line| line.starts_with("input_files:"));
    // One that cannot be read may be a task: it is named in the results.
    task_file::is_task_file(path) && std::fs::read_to_string(path).map_or(true, says)
}

pub fn tasks(path: &Path, named: &Named, question: &Question) -> Result<Vec<Task>> {
    let file = task_file::read(path)?;
    let name = named.name(path);
    if question.properties.is_empty() {
        let verdicts = file.properties.iter().filter(|property| property.expected.is_some());
        let mut chosen: Vec<&TaskProperty> = verdicts.collect();
        if chosen.is_empty() {
            chosen = file.properties.iter().collect();
        }
        if chosen.is_empty() {
            bail!("{name}: it lists no property; choose one with -p");
        }
        let one = |property: &TaskProperty| {
            task(&name, &file, &property.name(), &argument(&property.file), Some(property), question)
        };
        return Ok(chosen.into_iter().map(one).collect());
    }
    // A task file that does not list the wanted property gives no task.
    let listed = |asked: &String| file.properties.iter().find(|property| property.name() == property_name(asked));
    let asked = question.properties.iter().filter_map(|asked| Some((asked, listed(asked)?)));
    Ok(asked
        .map(|(asked, property)| {
            let argument = argument(if asked.ends_with(".prp") { Path::new(asked) } else { &property.file });
            task(&name, &file, &property.name(), &argument, Some(property), question)
        })
        .collect())
}

fn task(
    name: &str,
    file: &TaskFile,
    property: &str,
    property_argument: &str,
    listed: Option<&TaskProperty>,
    question: &Question,
) -> Task {
    let mut args = verify(question);
    args.extend(["-p".to_string(), property_argument.to_string()]);
    if let Some(model) = file.data_model {
        args.extend(["--data-model".to_string(), model.argument().to_string()]);
    }
    args.extend(file.files.iter().map(|file| argument(file)));
    let expected = listed.and_then(|listed| listed.expected.clone());
    Task { name: name.to_string(), property: property.to_string(), expected, args, problem: None }
}

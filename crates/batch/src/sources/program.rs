//! C programs: one task for each property that was asked for, or one about what is checked by default.

use super::{Named, Question, argument, property_name, verify};
use crate::task::Task;
use anyhow::{Result, bail};
use std::path::Path;

pub fn takes(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c" || extension == "i")
}

pub fn tasks(path: &Path, named: &Named, question: &Question) -> Result<Vec<Task>> {
    if !question.requirements.is_empty() {
        bail!("--require is about PLC programs");
    }
    of_program(path, named, question)
}

/// Tasks about properties.
pub fn of_program(path: &Path, named: &Named, question: &Question) -> Result<Vec<Task>> {
    let task = |asked: Option<&String>| {
        let mut args = verify(question);
        args.extend(asked.into_iter().flat_map(|asked| {
            let value = if asked.ends_with(".prp") { argument(Path::new(asked)) } else { asked.clone() };
            ["-p".to_string(), value]
        }));
        args.push(argument(path));
        let property = asked.map_or("default".to_string(), |asked| property_name(asked));
        Task { name: named.name(path), property, expected: None, args, problem: None }
    };
    match question.properties.as_slice() {
        [] => Ok(vec![task(None)]),
        asked => Ok(asked.iter().map(|asked| task(Some(asked))).collect()),
    }
}

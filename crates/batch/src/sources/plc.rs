//! PLC programs: one task for each requirement, whose names the tool itself is asked for, or one about what is checked by default.

use super::{Named, Question, argument, ask, program, verify};
use crate::task::Task;
use anyhow::{Result, bail};
use std::path::Path;

pub fn takes(path: &Path) -> bool {
    path.extension().is_some_and(|extension| {
        ["st", "ST", "scl", "SCL", "EXP", "exp", "iecst"].iter().any(|known| extension == *known)
    })
}

pub fn tasks(path: &Path, named: &Named, question: &Question) -> Result<Vec<Task>> {
    if question.requirements.is_empty() {
        return program::of_program(path, named, question);
    }
    let stem = path.with_extension("").display().to_string();
    let required = |text: &String| {
        let text = text.replace("%s", &stem);
        let text = if text.ends_with(".json") { argument(Path::new(&text)) } else { text };
        ["--require".to_string(), text]
    };
    let required: Vec<String> = question.requirements.iter().flat_map(required).collect();
    let mut asked = vec!["show".to_string(), "requirements".to_string()];
    asked.extend(required.iter().cloned().chain([argument(path)]));
    let task = |name: String| {
        let mut args = verify(question);
        args.extend(required.iter().cloned());
        args.extend(["--requirement".to_string(), name.clone(), argument(path)]);
        Task { name: named.name(path), property: name, expected: None, args, problem: None }
    };
    let names: Vec<String> = ask(question, &asked)?.into_iter().filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        bail!("nothing is required of it");
    }
    Ok(names.into_iter().map(task).collect())
}

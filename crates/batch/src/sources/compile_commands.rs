//! A list of compiler calls: one task for each function that a C file defines, read as it is compiled. The tool itself is asked which functions there are.

use super::{Named, Question, argument, ask, property_name, verify};
use crate::compiler_call;
use crate::task::Task;
use anyhow::Result;
use std::path::Path;

pub fn takes(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

pub fn tasks(path: &Path, named: &Named, question: &Question) -> Result<Vec<Task>> {
    let mut tasks = Vec::new();
    let list = std::path::absolute(path)?;
    let folder = list.parent().unwrap_or(Path::new(""));
    for call in compiler_call::read(path)? {
        let file = call.file;
        if file.extension().is_none_or(|extension| extension != "c") {
            continue;
        }
        let name = file.strip_prefix(folder).map_or_else(|_| named.name(&file), |file| file.display().to_string());
        match functions(&list, &file, question) {
            Ok(functions) => {
                let chosen = functions.iter().filter(|function| is_wanted(function, question));
                tasks.extend(chosen.flat_map(|function| about(&name, function, &file, &list, question)));
            }
            Err(error) => tasks.push(Task::unreadable(name, format!("its functions are not known: {error:#}"))),
        }
    }
    Ok(tasks)
}

fn is_wanted(function: &str, question: &Question) -> bool {
    let pattern = question.functions.as_ref().map(|pattern| glob::Pattern::new(pattern));
    pattern.is_none_or(|pattern| pattern.is_ok_and(|pattern| pattern.matches(function)))
}

/// The tasks about one function.
fn about(name: &str, function: &str, file: &Path, list: &Path, question: &Question) -> Vec<Task> {
    let task = |asked: Option<&String>| {
        let mut args = verify(question);
        args.extend(["--compile-commands".to_string(), argument(list)]);
        args.extend(["--entry".to_string(), function.to_string()]);
        args.extend(asked.into_iter().flat_map(|asked| ["-p".to_string(), asked.clone()]));
        args.push(argument(file));
        let property = asked.map_or("default".to_string(), |asked| property_name(asked));
        Task { name: format!("{name}:{function}"), property, expected: None, args, problem: None }
    };
    match question.properties.as_slice() {
        [] => vec![task(None)],
        asked => asked.iter().map(|asked| task(Some(asked))).collect(),
    }
}

/// The functions that the file defines.
fn functions(list: &Path, file: &Path, question: &Question) -> Result<Vec<String>> {
    let list = list.display().to_string();
    let asked = ["show", "functions", "--compile-commands", &list].map(String::from);
    ask(question, &[asked.as_slice(), &[file.display().to_string()]].concat())
}

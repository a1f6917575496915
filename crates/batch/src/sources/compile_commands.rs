//! `compile_commands.json`, the list of compiler calls that build tools write: one task for each function that a C file defines, with the macros and include
//! folders that it is compiled with. The tool itself is asked which functions there are.

use super::{Named, Question, argument, property_name, verify};
use crate::task::Task;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

pub fn takes(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

pub fn tasks(path: &Path, named: &Named, question: &Question) -> Result<Vec<Task>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let entries: Vec<Entry> =
        serde_json::from_str(&text).with_context(|| format!("{} is no list of compiler calls", path.display()))?;
    let mut tasks = Vec::new();
    let folder = std::path::absolute(path.parent().unwrap_or(Path::new("")))?;
    for entry in entries {
        let file = folder.join(&entry.directory).join(&entry.file);
        if file.extension().is_none_or(|extension| extension != "c") {
            continue;
        }
        let name = file.strip_prefix(&folder).map_or_else(|_| named.name(&file), |file| file.display().to_string());
        match functions(&entry, &file, &folder, question) {
            Ok((options, functions)) => {
                let chosen = functions.iter().filter(|function| is_wanted(function, question));
                tasks.extend(chosen.flat_map(|function| about(&name, function, &file, &options, question)));
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
fn about(name: &str, function: &str, file: &Path, options: &[String], question: &Question) -> Vec<Task> {
    let task = |asked: Option<&String>| {
        let mut args = verify(question);
        args.extend(options.iter().cloned());
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

/// Options for the tool, and the functions that the file defines.
fn functions(entry: &Entry, file: &Path, folder: &Path, question: &Question) -> Result<(Vec<String>, Vec<String>)> {
    let words = match (&entry.arguments, &entry.command) {
        (Some(words), _) => words.clone(),
        (None, Some(line)) => shlex::split(line).context("the quotes of its command are not closed")?,
        (None, None) => Vec::new(),
    };
    let (mut options, meaning) = options(&words, &folder.join(&entry.directory));
    let mut command = Command::new(&question.tool);
    command.args(["show", "functions"]).args(&options).arg(file).stdin(Stdio::null());
    let output = command.output().with_context(|| format!("cannot run {}", question.tool.display()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let error = said.lines().find(|line| line.contains("error")).unwrap_or("it cannot be read");
        anyhow::bail!("{}", error.trim());
    }
    let listed = String::from_utf8_lossy(&output.stdout).lines().map(String::from).collect();
    options.extend(meaning);
    Ok((options, listed))
}

/// What of a compiler call says how the text is read, and what it means.
fn options(words: &[String], directory: &Path) -> (Vec<String>, Vec<String>) {
    let path = |text: &str| directory.join(text).display().to_string();
    let (mut options, mut preprocessor, mut meaning) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let mut value = |flag: &str| match word.strip_prefix(flag) {
            Some("") => rest.next().cloned(),
            Some(value) => Some(value.to_string()),
            None => None,
        };
        if let Some(define) = value("-D") {
            options.extend(["-D".to_string(), define]);
        } else if word == "-include" || word == "-isystem" || word == "-iquote" {
            preprocessor.extend([word.clone(), value(word).map_or(String::new(), |file| path(&file))]);
        } else if let Some(include) = value("-I") {
            options.extend(["-I".to_string(), path(&include)]);
        } else if let Some(name) = value("-U") {
            preprocessor.push(format!("-U{name}"));
        } else if word.starts_with("-std=") {
            preprocessor.push(word.clone());
        } else if word == "-m32" {
            options.extend(["--data-model".to_string(), "ilp32".to_string()]);
        } else if word == "-funsigned-char" {
            meaning.push("--char-unsigned".to_string());
        }
    }
    if !preprocessor.is_empty() {
        options.extend(["--cpp".to_string(), format!("cc -E {}", preprocessor.join(" "))]);
    }
    (options, meaning)
}

//! Task files (`.yml`, formats 1.0 and 2.0): which program, which properties, which data model.

use crate::args::{Model, SourceArgs};
use crate::property;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct TaskFile {
    format_version: String,
    input_files: Files,
    #[serde(default)]
    properties: Vec<TaskProperty>,
    #[serde(default)]
    options: Options,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Files {
    One(String),
    Many(Vec<String>),
}

#[derive(Deserialize)]
struct TaskProperty {
    property_file: String,
}

#[derive(Default, Deserialize)]
struct Options {
    data_model: Option<String>,
}

/// Replaces a task file among the arguments by what it says. What was typed goes before what the file says.
pub fn resolve(source: &SourceArgs, properties: &[String]) -> Result<(SourceArgs, Vec<String>)> {
    let mut source = source.clone();
    let mut properties = properties.to_vec();
    let is_task = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml");
    let [path] = source.files.as_slice() else { return Ok((source, properties)) };
    if !is_task(path) {
        return Ok((source, properties));
    }
    let path = path.clone();
    let name = path.display();
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {name}"))?;
    let task: TaskFile = serde_saphyr::from_str(&text).map_err(|error| anyhow::anyhow!("{name}: {error}"))?;
    if !matches!(task.format_version.as_str(), "1.0" | "2.0") {
        bail!("{name}: format version {} of task files is not known (known: 1.0, 2.0)", task.format_version);
    }
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    source.files = match task.input_files {
        Files::One(file) => vec![folder.join(file)],
        Files::Many(files) => files.into_iter().map(|file| folder.join(file)).collect(),
    };
    if source.reading.data_model.is_none() {
        source.reading.data_model = match task.options.data_model.as_deref() {
            Some("ILP32") => Some(Model::Ilp32),
            Some("LP64") => Some(Model::Lp64),
            Some(other) => bail!("{name}: data model {other} is not known (known: ILP32, LP64)"),
            None => None,
        };
    }
    if properties.is_empty() {
        properties = only_property(&task.properties, &folder).with_context(|| name.to_string())?;
    }
    Ok((source, properties))
}

/// The one property of a task that can be checked here.
fn only_property(listed: &[TaskProperty], folder: &Path) -> Result<Vec<String>> {
    let files = listed.iter().map(|property| folder.join(&property.property_file).display().to_string());
    let supported: Vec<String> = files.filter(|file| property::parse(file).is_ok()).collect();
    match supported.as_slice() {
        [_] => Ok(supported),
        [] => bail!("it lists no property that is supported; choose one with -p"),
        _ => bail!("it lists several properties ({}); choose one with -p", supported.join(", ")),
    }
}

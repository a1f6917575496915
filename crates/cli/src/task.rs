//! Task files among the arguments are replaced by what they say. What was typed goes before what the file says.

use crate::args::{Model, SourceArgs};
use crate::property;
use anyhow::{Context, Result, bail};
use batch::task_file::{self, DataModel, TaskProperty};

pub fn resolve(source: &SourceArgs, properties: &[String]) -> Result<(SourceArgs, Vec<String>)> {
    let mut source = source.clone();
    let mut properties = properties.to_vec();
    let [path] = source.files.as_slice() else { return Ok((source, properties)) };
    if !task_file::is_task_file(path) {
        return Ok((source, properties));
    }
    let path = path.clone();
    let task = task_file::read(&path)?;
    source.files = task.files;
    if source.reading.data_model.is_none() {
        source.reading.data_model = task.data_model.map(|model| match model {
            DataModel::Ilp32 => Model::Ilp32,
            DataModel::Lp64 => Model::Lp64,
        });
    }
    if properties.is_empty() {
        properties = only_property(&task.properties).with_context(|| path.display().to_string())?;
    }
    Ok((source, properties))
}

/// The one property of a task that can be checked here.
fn only_property(listed: &[TaskProperty]) -> Result<Vec<String>> {
    let files = listed.iter().map(|property| property.file.display().to_string());
    let supported: Vec<String> = files.filter(|file| property::parse(file).is_ok()).collect();
    match supported.as_slice() {
        [_] => Ok(supported),
        [] => bail!("it lists no property that is supported; choose one with -p"),
        _ => bail!("it lists several properties ({}); choose one with -p", supported.join(", ")),
    }
}

//! Task files (`.yml`, formats 1.0 and 2.0): which program, which properties with which expected verdicts, which data model.

use crate::task::Expected;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Document {
    format_version: String,
    input_files: Files,
    #[serde(default)]
    properties: Vec<ListedProperty>,
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
struct ListedProperty {
    property_file: String,
    expected_verdict: Option<bool>,
    subproperty: Option<String>,
}

#[derive(Default, Deserialize)]
struct Options {
    data_model: Option<String>,
    language: Option<String>,
}

/// What a task file says; paths are relative to where the process runs, as the path of the task file is.
pub struct TaskFile {
    pub files: Vec<PathBuf>,
    pub properties: Vec<TaskProperty>,
    pub data_model: Option<DataModel>,
}

pub struct TaskProperty {
    /// The property file.
    pub file: PathBuf,
    pub expected: Option<Expected>,
}

impl TaskProperty {
    /// The name of the property, as the competition calls its file.
    pub fn name(&self) -> String {
        self.file.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum DataModel {
    Ilp32,
    Lp64,
}

impl DataModel {
    /// As an argument of `--data-model`.
    pub fn argument(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ilp32",
            DataModel::Lp64 => "lp64",
        }
    }

    pub fn named(name: &str) -> Option<DataModel> {
        match name.to_ascii_uppercase().as_str() {
            "ILP32" | "32BIT" => Some(DataModel::Ilp32),
            "LP64" | "64BIT" => Some(DataModel::Lp64),
            _ => None,
        }
    }
}

pub fn is_task_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml")
}

pub fn read(path: &Path) -> Result<TaskFile> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let document: Document = serde_saphyr::from_str(&text).map_err(|error| anyhow::anyhow!("{name}: {error}"))?;
    if !matches!(document.format_version.as_str(), "1.0" | "2.0") {
        bail!("{name}: format version {} of task files is not known (known: 1.0, 2.0)", document.format_version);
    }
    if let Some(language) = document.options.language.as_deref().filter(|language| *language != "C") {
        bail!("{name}: the language {language} is not supported (supported: C)");
    }
    let data_model = match document.options.data_model.as_deref() {
        Some("ILP32") => Some(DataModel::Ilp32),
        Some("LP64") => Some(DataModel::Lp64),
        Some(other) => bail!("{name}: data model {other} is not known (known: ILP32, LP64)"),
        None => None,
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let files = match document.input_files {
        Files::One(file) => vec![folder.join(file)],
        Files::Many(files) => files.into_iter().map(|file| folder.join(file)).collect(),
    };
    let property = |listed: ListedProperty| TaskProperty {
        file: folder.join(&listed.property_file),
        expected: listed.expected_verdict.map(|holds| Expected { holds, subproperty: listed.subproperty }),
    };
    Ok(TaskFile { files, properties: document.properties.into_iter().map(property).collect(), data_model })
}

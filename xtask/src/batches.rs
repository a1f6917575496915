//! Many tasks for the chores, by the crate `batch`: the one way to run them.

use anyhow::{Context, Result};
use batch::sources::{Question, expand};
use batch::{Limits, Row, Settings, Task};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Runs tasks into a folder below `target/batch`, which is made anew. Gives the rows and the folder.
pub fn run(name: &str, tool: &Path, tasks: &[Task], jobs: usize, wall_s: f64) -> Result<(Vec<Row>, PathBuf)> {
    let folder = crate::root().join("target/batch").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    let limits = Limits { wall_s: Some(wall_s), ..Limits::default() };
    let interrupted = Arc::new(AtomicBool::new(false));
    let settings = Settings { tool: tool.to_path_buf(), jobs, limits, resume: None, cluster: None, interrupted };
    batch::run(tasks, &settings, &folder, &mut |_| {})?;
    Ok((batch::results::read(&folder)?, folder))
}

/// Tasks of the benchmark list about some properties (all, if there are none), with options of `verify`.
pub fn benchmark(tool: &Path, properties: &[&str], filter: &str, options: &[&str]) -> Result<Vec<Task>> {
    let data = testkit::project::bench_data().context("there is no benchmark data beside the project")?;
    let strings = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
    let question = Question {
        properties: strings(properties),
        functions: None,
        filter: filter.to_string(),
        requirements: Vec::new(),
        options: strings(options),
        tool: tool.to_path_buf(),
    };
    expand(&[data.join("sv-benchmarks/tasks.csv").display().to_string()], &question)
}

/// A task of the chores' own.
pub fn task(name: String, property: &str, args: Vec<String>) -> Task {
    Task { name, property: property.to_string(), expected: None, args, problem: None }
}

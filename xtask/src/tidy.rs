//! Formatting, lints, the direction of dependencies, a code map that names every source file, and citations that docs/papers.md lists.

use crate::{cargo, citations, code_map, must, root};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use testkit::project::files_below;

/// A crate may depend only on crates of a strictly lower layer. Development-only crates are above all.
const LAYERS: &[(&str, u32)] = &[
    ("base", 0),
    ("batch", 1),
    ("cfa", 1),
    ("logic", 1),
    ("abstraction", 2),
    ("frontend", 2),
    ("candidates", 2),
    ("encode", 2),
    ("evidence", 2),
    ("shapes", 2),
    ("interpolate", 3),
    ("engine", 4),
    ("explain", 4),
    ("witness", 4),
    ("report", 5),
    ("validate", 5),
    ("workflow", 6),
    ("cli", 7),
    ("testkit", 8),
    ("xtask", 9),
];

pub fn tidy() -> Result<()> {
    must(cargo().args(["fmt", "--all", "--check"]))?;
    must(cargo().args(["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"]))?;
    let mut problems = Vec::new();
    layers(&mut problems)?;
    code_map::check(&mut problems)?;
    citations::check(&mut problems)?;
    file_docs(&mut problems)?;
    dependencies_explained(&mut problems)?;
    languages(&mut problems)?;
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    Ok(())
}

fn metadata() -> Result<serde_json::Value> {
    let output = cargo().args(["metadata", "--format-version", "1", "--no-deps"]).current_dir(root()).output()?;
    serde_json::from_slice(&output.stdout).context("cargo metadata gave no JSON")
}

fn layers(problems: &mut Vec<String>) -> Result<()> {
    let layers: BTreeMap<&str, u32> = LAYERS.iter().copied().collect();
    let metadata = metadata()?;
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or("");
        let Some(layer) = layers.get(name) else {
            problems.push(format!("crate {name} has no layer in xtask/src/tidy.rs"));
            continue;
        };
        let description = package["description"].as_str().unwrap_or("");
        if description.starts_with("Layer") && !description.starts_with(&format!("Layer {layer}:")) {
            problems
                .push(format!("the description of {name} says another layer than {layer}, that of xtask/src/tidy.rs"));
        }
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let target = dependency["name"].as_str().unwrap_or("");
            let development = dependency["kind"].as_str() == Some("dev");
            if let Some(below) = layers.get(target)
                && below >= layer
                && !development
            {
                problems.push(format!("{name} (layer {layer}) may not depend on {target} (layer {below})"));
            }
        }
    }
    Ok(())
}

fn file_docs(problems: &mut Vec<String>) -> Result<()> {
    for folder in ["crates", "xtask"] {
        for file in files_below(&root().join(folder), &["rs"]) {
            if !std::fs::read_to_string(&file)?.starts_with("//!") {
                problems.push(format!("{} does not open with `//!`", file.strip_prefix(root())?.display()));
            }
        }
    }
    Ok(())
}

/// Other crates use a language through its `Frontend` and do not name its folder.
fn languages(problems: &mut Vec<String>) -> Result<()> {
    let folder = root().join("crates/frontend");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder.join("src"))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(format!("frontend::{}::", entry.file_name().to_string_lossy()));
        }
    }
    for file in ["crates", "xtask"].iter().flat_map(|part| files_below(&root().join(part), &["rs"])) {
        if file.starts_with(&folder) {
            continue;
        }
        let text = std::fs::read_to_string(&file)?;
        for name in names.iter().filter(|name| text.contains(*name)) {
            let file = file.strip_prefix(root())?.display();
            problems.push(format!("{file} says {name}: ask `Frontend` for what is needed of the language"));
        }
    }
    Ok(())
}

/// Each dependency of the workspace has its line in docs/dependencies.md.
fn dependencies_explained(problems: &mut Vec<String>) -> Result<()> {
    let explained =
        std::fs::read_to_string(root().join("docs/dependencies.md")).context("docs/dependencies.md is missing")?;
    let metadata = metadata()?;
    for package in metadata["packages"].as_array().into_iter().flatten() {
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let name = dependency["name"].as_str().unwrap_or("");
            let ours = LAYERS.iter().any(|(known, _)| *known == name);
            if !ours && !explained.contains(&format!("`{name}`")) {
                problems.push(format!("{name} is not explained in docs/dependencies.md"));
            }
        }
    }
    problems.sort();
    problems.dedup();
    Ok(())
}

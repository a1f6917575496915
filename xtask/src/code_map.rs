//! Checks that ARCHITECTURE.md is true: every crate has a description, every path that is named exists, and the section "Files" lists exactly the
//! Rust files of each folder, tests and examples included.

use crate::root;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use testkit::project::files_below;

const FILES: &str = "## Files";

pub fn check(problems: &mut Vec<String>) -> Result<()> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).context("ARCHITECTURE.md is missing")?;
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        for file in files_below(&root().join(folder), &["rs"]) {
            files.push(file.strip_prefix(root())?.display().to_string());
        }
    }
    problems.extend(compare(&text, &files, |path| root().join(path).exists()));
    Ok(())
}

/// What is wrong with the text of the map, given the paths of all Rust files.
fn compare(text: &str, files: &[String], exists: impl Fn(&str) -> bool) -> Vec<String> {
    let mut problems = Vec::new();
    for name in text.split('`').skip(1).step_by(2) {
        if (name.starts_with("crates/") || name.starts_with("xtask/")) && !exists(name) {
            problems.push(format!("ARCHITECTURE.md names {name}, which does not exist"));
        }
    }
    let Some((described, listed)) = text.split_once(FILES) else {
        problems.push(format!("ARCHITECTURE.md has no section `{FILES}`"));
        return problems;
    };
    let wanted = lines(files);
    let listed: BTreeSet<&str> = listed.lines().filter(|line| line.starts_with("* ")).collect();
    for line in wanted.iter().filter(|line| !listed.contains(line.as_str())) {
        problems.push(format!("ARCHITECTURE.md, section Files, lacks the line {line}"));
    }
    for line in listed.iter().filter(|line| !wanted.contains(**line)) {
        problems.push(format!("ARCHITECTURE.md, section Files, has the line {line}, which is not true"));
    }
    let sources: BTreeSet<&str> = files.iter().filter_map(|file| Some(file.split_once("/src/")?.0)).collect();
    for source in sources.into_iter().map(|source| format!("{source}/src/")) {
        if !described.contains(&format!("`{source}`")) {
            problems.push(format!("ARCHITECTURE.md does not describe {source}"));
        }
    }
    problems
}

/// One line for each folder, with the names of its files.
fn lines(files: &[String]) -> BTreeSet<String> {
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in files {
        let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
        folders.entry(folder).or_default().insert(name.trim_end_matches(".rs"));
    }
    let line = |(folder, names): (&str, BTreeSet<&str>)| {
        format!("* `{folder}/`: {}", names.into_iter().collect::<Vec<_>>().join(", "))
    };
    folders.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::compare;

    const MAP: &str =
        "* `crates/a/src/` — a crate.\n## Files\n* `crates/a/src/`: lib, one\n* `crates/a/tests/it/`: main\n";

    fn problems(text: &str, files: &[&str]) -> usize {
        let files: Vec<String> = files.iter().map(|file| file.to_string()).collect();
        let exists = |path: &str| files.iter().any(|file| file.starts_with(path));
        compare(text, &files, exists).len()
    }

    #[test]
    fn a_map_that_is_true() {
        assert_eq!(problems(MAP, &["crates/a/src/lib.rs", "crates/a/src/one.rs", "crates/a/tests/it/main.rs"]), 0);
    }

    #[test]
    fn files_and_folders_that_are_not_named() {
        let files = ["crates/a/src/lib.rs", "crates/a/src/one.rs", "crates/a/tests/it/main.rs"];
        for new in ["crates/a/src/two.rs", "crates/a/src/new/mod.rs", "crates/a/tests/other.rs", "crates/b/src/lib.rs"]
        {
            assert!(problems(MAP, &[&files[..], &[new]].concat()) > 0, "{new}");
        }
    }

    #[test]
    fn files_and_folders_that_do_not_exist() {
        assert!(problems(MAP, &["crates/a/src/lib.rs", "crates/a/tests/it/main.rs"]) > 0);
        assert!(problems(MAP, &["crates/a/src/lib.rs", "crates/a/src/one.rs"]) > 0);
    }

    #[test]
    fn a_crate_without_description() {
        let files = ["crates/a/src/lib.rs", "crates/a/src/one.rs", "crates/a/tests/it/main.rs"];
        assert_eq!(problems(MAP.trim_start_matches("* `crates/a/src/` — a crate.\n"), &files), 1);
    }
}

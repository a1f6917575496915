//! Where things are in the project.

use std::path::{Path, PathBuf};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("crates/testkit lies two folders below the root")
        .into()
}

/// Benchmark data that may lie beside the project, or where `WHYDUNIT_BENCH` says; tests that use it are ignored when it is absent.
pub fn bench_data() -> Option<PathBuf> {
    let folder = std::env::var_os("WHYDUNIT_BENCH").map_or_else(|| root().join("../shared/bench"), PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// Where `cargo xtask setup` installs programs that no package of the system has.
pub fn tools() -> PathBuf {
    root().join("target/tools")
}

/// An SMT solver that reads SMT-LIB 2 from a file.
pub fn smt_solver() -> PathBuf {
    tools().join("bin/z3")
}

/// The program of BenchExec that runs benchmarks.
pub fn benchexec() -> PathBuf {
    tools().join("bin/benchexec")
}

/// All files below a folder with one of the extensions, sorted.
pub fn files_below(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extensions.iter().any(|known| extension == *known)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

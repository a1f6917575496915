//! Witnesses of other tools, in the benchmark data beside the project. Where that is absent, all are listed as ignored.

#[path = "../it/mutation.rs"]
mod mutation;
#[path = "../it/round_trip.rs"]
mod round_trip;

use std::path::{Path, PathBuf};

fn main() {
    testkit::data::main(&[
        ("writing_loses_nothing", writing_loses_nothing),
        ("mutated_witnesses_never_panic", mutated_witnesses_never_panic),
    ])
}

/// Every file of the folder that its index calls a witness.
fn foreign(data: &Path) -> Vec<PathBuf> {
    let folder = data.join("witnesses");
    let index = std::fs::read_to_string(folder.join("index.csv")).expect("the folder has an index");
    let first = |line: &str| match line.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().map(String::from),
        None => line.split(',').next().map(String::from),
    };
    // Some fields hold line breaks, so not every line begins with a name.
    let files: Vec<PathBuf> =
        index.lines().filter_map(first).map(|name| folder.join(name)).filter(|path| path.is_file()).collect();
    assert!(files.len() > 200, "only {} witnesses are in the index", files.len());
    files
}

fn writing_loses_nothing(data: &Path) {
    let files = foreign(data);
    let (read_back, not_readable) = round_trip::read_back(&files);
    // Two files of one collection are not XML: a bare `&`.
    assert!(read_back > 200 && not_readable.len() <= 5, "{read_back}, {not_readable:#?}");
}

fn mutated_witnesses_never_panic(data: &Path) {
    mutation::never_panics(&foreign(data), 3000);
}

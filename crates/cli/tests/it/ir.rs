//! The program representation: everything that the frontend makes is well formed and survives its textual form.

use crate::support::{compile_text, none_failed, preprocessed};
use cfa::DataModel;
use testkit::project::{files_below, root};
use testkit::round_trip;

#[test]
fn test_programs_are_well_formed_and_round_trip() {
    let mut failures = Vec::new();
    let mut accepted = 0;
    for folder in ["tests/programs", "tests/regressions", "examples"] {
        for file in files_below(&root().join(folder), &["c", "i"]) {
            for model in [DataModel::Lp64, DataModel::Ilp32] {
                // 32-bit headers are not installed everywhere; programs with directives are compared in the native model only.
                let text = std::fs::read(&file).expect("the file was just listed");
                let has_directives = text.split(|byte| *byte == b'\n').any(|line| line.starts_with(b"#include"));
                let text = match (has_directives, model) {
                    (true, DataModel::Ilp32) => continue,
                    (true, DataModel::Lp64) => match preprocessed(&file, model, &[]) {
                        Ok(text) => text,
                        Err(_) => continue,
                    },
                    (false, _) => text,
                };
                let (_, compiled) = compile_text("test.c", text, model);
                if compiled.has_errors() {
                    continue;
                }
                accepted += 1;
                failures
                    .extend(round_trip(&compiled.program).into_iter().map(|why| format!("{}: {why}", file.display())));
            }
        }
    }
    none_failed(&failures);
    assert!(accepted > 80, "only {accepted} programs were accepted");
}

/// Programs in textual form: they parse, are well formed, and print as they are written.
#[test]
fn textual_programs_print_as_written() {
    let files = files_below(&root().join("tests/ir"), &["cfa"]);
    assert!(files.len() >= 4, "only {} textual programs found", files.len());
    let mut failures = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("the file was just listed");
        let name = file.display();
        match cfa::text::parse(&text) {
            Err(error) => failures.push(format!("{name}: {error}")),
            Ok(program) => {
                if let Err(violations) = cfa::verify::verify(&program) {
                    failures.push(format!("{name}: {}", violations[0]));
                }
                if cfa::text::print(&program) != text {
                    failures.push(format!(
                        "{name}: prints differently:\n{}",
                        testkit::diff(&text, &cfa::text::print(&program))
                    ));
                }
            }
        }
    }
    none_failed(&failures);
}

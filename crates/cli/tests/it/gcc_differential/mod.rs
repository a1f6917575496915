//! Generated programs that print what they compute, compared with the same programs compiled by gcc: layouts, arithmetic, initializers,
//! control flow, library functions. One program is a batch of many small cases, so that gcc starts only a few times.

mod arithmetic;
mod control;
mod initializers;
mod layouts;
mod library;
mod order;

use crate::support::{none_failed, printed, printed_by_gcc, run_main, scratch};
use cfa::interp::{Config, Outcome};
use testkit::diff;
use testkit::project::{files_below, root};

/// Declarations that every generated program needs; no headers, so that no preprocessor is needed.
const PRELUDE: &str = "int printf(const char *, ...);\nint snprintf(char *, unsigned long, const char *, ...);\n\
    void *memcpy(void *, const void *, unsigned long);\nvoid *memset(void *, int, unsigned long);\n\
    static void show_int(const char *what, __int128 v) {\n\
      printf(\"%s %016llx%016llx\\n\", what, (unsigned long long)(v >> 64), (unsigned long long)v); }\n\
    static void show_bytes(const char *what, const void *p, int n) {\n\
      printf(\"%s\", what); for (int i = 0; i < n; i++) printf(\" %02x\", ((const unsigned char *)p)[i]); printf(\"\\n\"); }\n";

/// Compares what a program prints here and when compiled; the program stays in the build folder when they differ.
fn compare(name: &str, text: &str) -> Vec<String> {
    let path = scratch("gcc").join(format!("{name}.c"));
    let outcome = std::fs::write(&path, text).map_err(anyhow::Error::from).and_then(|()| printed_by_gcc(&path, &[]));
    let expected = match outcome {
        Ok(expected) => expected,
        Err(error) => return vec![format!("{name}: {error:#}")],
    };
    match printed(name, text.as_bytes().to_vec(), &Config::default()) {
        Ok(got) if got == expected => {
            // Best effort: a leftover file does no harm.
            std::fs::remove_file(&path).ok();
            Vec::new()
        }
        Ok(got) => vec![format!("{}: - gcc, + whydunit\n{}", path.display(), diff(&expected, &got))],
        Err(error) => vec![format!("{}: {error:#}", path.display())],
    }
}

/// Programs under `tests` with a line `//~ gcc` print and return what they do when compiled.
#[test]
fn marked_programs_agree_with_gcc() {
    let mut failures = Vec::new();
    let mut compared = 0;
    for folder in ["tests/programs", "tests/regressions"] {
        for file in files_below(&root().join(folder), &["c"]) {
            let text = String::from_utf8_lossy(&std::fs::read(&file).expect("the file was just listed")).into_owned();
            if text.lines().any(|line| line.trim() == "//~ gcc") {
                compared += 1;
                failures.extend(marked(&file).err().map(|error| format!("{}: {error:#}", file.display())));
            }
        }
    }
    none_failed(&failures);
    assert!(compared > 15, "only {compared} programs are marked");
}

fn marked(file: &std::path::Path) -> anyhow::Result<()> {
    let folder = scratch("marked");
    let binary = folder.join(file.file_stem().expect("a file has a name"));
    let compiled = std::process::Command::new("gcc")
        .args(["-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-o"])
        .args([&binary, &file.to_path_buf()])
        .arg("-lm")
        .status()?;
    anyhow::ensure!(compiled.success(), "gcc rejects it");
    let output = std::process::Command::new(&binary).output()?;
    let text = crate::support::preprocessed(file, cfa::DataModel::Lp64, &[])?;
    let (sources, compiled) = crate::support::compile_text("test.c", text, cfa::DataModel::Lp64);
    let errors = crate::support::errors(&sources, &compiled);
    anyhow::ensure!(errors.is_empty(), "rejected:\n{}", errors.join("\n"));
    let run = run_main(&compiled.program, vec![b"program".to_vec()], &Config::default());
    let run = run.ok_or_else(|| anyhow::anyhow!("no main"))?;
    let (expected, got) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&run.stdout));
    anyhow::ensure!(expected == got, "- gcc, + whydunit\n{}", diff(&expected, &got));
    let code = output.status.code();
    let same = matches!(run.outcome, Outcome::Finished(ours) if Some(ours & 0xff) == code);
    anyhow::ensure!(same, "gcc's program ends with {code:?}, ours with {:?}", run.outcome);
    Ok(())
}

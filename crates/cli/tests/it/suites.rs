//! Suites of tests as archives: `localize --tests` reads them as it reads the folder that they were made of.

use crate::support::none_failed;
use std::io::Write;
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n\
    static int twice(int x) { return x > 1 ? x + x + 1 : x + x; }\n\
    int main(void) { int x = __VERIFIER_nondet_int(); assert(twice(x) == 2 * x); return 0; }\n";

fn localized(folder: &Path, tests: &str) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
    let command = command.args(["localize", "--tests", tests, "program.c"]).current_dir(folder);
    let output = command.output().map_err(|error| error.to_string())?;
    Ok(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)))
}

fn check() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &[u8]| std::fs::write(path(name), text).map_err(|error| error.to_string());
    std::fs::create_dir(path("suite")).map_err(|error| error.to_string())?;
    write("program.c", PROGRAM.as_bytes())?;
    let file = std::fs::File::create(path("suite.zip")).map_err(|error| error.to_string())?;
    let mut archive = zip::ZipWriter::new(file);
    let mut add = |name: String, text: String| {
        let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
        archive.start_file(&name, options).map_err(|error| error.to_string())?;
        archive.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
        write(&name, text.as_bytes())
    };
    add("suite/metadata.xml".into(), "<test-metadata/>".into())?;
    for input in 0..3 {
        add(format!("suite/t{input}.xml"), format!("<testcase><input>{input}</input></testcase>"))?;
    }
    archive.finish().map_err(|error| error.to_string())?;
    let (unpacked, packed) = (localized(folder.path(), "suite")?, localized(folder.path(), "suite.zip")?);
    // What to do next names the suite.
    let answer = |text: &str| text.split("\nnext:").next().map(String::from);
    if answer(&unpacked) != answer(&packed) || !packed.contains("1 failing and 2 passing tests; failing: t2") {
        return Err(format!("{unpacked}\n{packed}"));
    }
    // What is cut off is refused.
    let whole = std::fs::read(path("suite.zip")).map_err(|error| error.to_string())?;
    write("suite.zip", &whole[..whole.len() / 2])?;
    let cut = localized(folder.path(), "suite.zip")?;
    match cut.contains("is no archive") {
        true => Ok(()),
        false => Err(cut),
    }
}

#[test]
fn archives_are_suites() {
    none_failed(&check().err().into_iter().collect::<Vec<String>>());
}

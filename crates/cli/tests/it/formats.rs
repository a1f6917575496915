//! Every format of the table, for every command that has a report: the exit code is the same in all, and lines for editors have the form of gcc's.

use report::render::RENDERERS;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use testkit::project::root;

const RUNS: &[&[&str]] = &[
    &["check", "examples/sort.c"],
    &["check", "tests/programs/errors/several.c"],
    &["replay", "--inputs", "3,2,1", "examples/sort.c"],
    &["replay", "--inputs", "3", "examples/sort.c"],
    &["verify", "examples/sort.c"],
    &["verify", "no-such-file.c"],
    &["verify", "--all-entries", "examples/sort.c"],
    &["verify", "--all", "--unwind", "3", "tests/programs/verify/checks.c"],
    &["verify", "tests/programs/verify/unsupported.c"],
    &["minimize", "examples/sort.c"],
    &["minimize", "--unwind", "1", "tests/programs/verify/unbounded_loop.c"],
    &["explain", "examples/sort.c"],
    &["localize", "tests/programs/localize/difference.c"],
    &["localize", "tests/programs/localize/nothing.c"],
    &["witness", "lint", "tests/witnesses/broken.graphml"],
    &["witness", "validate", "tests/witnesses/own/inputs.yml", "tests/witnesses/own/inputs.c"],
];

struct Printed {
    out: String,
    code: Option<i32>,
}

fn run(args: &[&str], format: &str) -> Printed {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
    let output = command.args(args).args(["--format", format]).current_dir(root()).output().expect("whydunit runs");
    Printed { out: String::from_utf8_lossy(&output.stdout).into_owned(), code: output.status.code() }
}

#[test]
fn exit_codes_do_not_depend_on_the_format() {
    for args in RUNS {
        let general = RENDERERS.iter().filter(|renderer| renderer.name != "cpachecker");
        let codes: Vec<Option<i32>> = general.map(|renderer| run(args, renderer.name).code).collect();
        assert!(codes.iter().all(|code| *code == codes[0] && code.is_some()), "{args:?}: {codes:?}");
    }
}

/// `file:line:column: severity: message`, or the tool's name for what is in no file.
fn is_diagnostic(line: &str) -> bool {
    let mut parts = line.splitn(3, ": ");
    let (Some(place), Some(severity), Some(message)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let mut place = place.rsplitn(3, ':');
    let mut number = || place.next().and_then(|text| text.parse::<u32>().ok()).is_some_and(|number| number > 0);
    let is_place = line.starts_with("whydunit: ") || (number() && number());
    is_place && matches!(severity, "error" | "warning" | "note") && !message.is_empty()
}

#[test]
fn lines_for_editors_have_the_form_of_gcc() {
    let mut lines = 0;
    for args in RUNS {
        for line in run(args, "gcc").out.lines() {
            assert!(is_diagnostic(line), "{args:?}: {line}");
            lines += 1;
        }
    }
    assert!(lines > 40, "only {lines} lines");
    assert!(!is_diagnostic("a.c:3: error: no column") && !is_diagnostic("a.c:3:x: error: no number"));
}

#[test]
fn the_short_form_of_json_is_the_long_one() {
    let without_time =
        |text: &str| text.lines().filter(|line| !line.contains("time_ms")).collect::<Vec<_>>().join("\n");
    let short = Command::new(env!("CARGO_BIN_EXE_whydunit"))
        .args(["verify", "--json", "examples/sort.c"])
        .current_dir(root())
        .output()
        .expect("whydunit runs");
    let short = without_time(&String::from_utf8_lossy(&short.stdout));
    assert_eq!(short, without_time(&run(&["verify", "examples/sort.c"], "json").out));
    assert!(short.contains("\"verdict\": \"false\""));
}

/// The official schema, which comes with a crate. Crates for other systems need not have been downloaded.
fn sarif_schema() -> PathBuf {
    let version = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names the system");
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform", host])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&metadata.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("cargo lists packages");
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").expect("a dependency of the tests");
    let manifest = PathBuf::from(package["manifest_path"].as_str().expect("a path"));
    manifest.with_file_name("src").join("schema.json")
}

#[test]
fn sarif_follows_the_official_schema() {
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    let path = sarif_schema();
    let schema = compiler.compile(path.to_str().expect("text"), &mut schemas).expect("the schema is a schema");
    let bad = serde_json::json!({ "version": "2.1.0", "runs": [{ "results": [] }] });
    assert!(schemas.validate(&bad, schema).is_err(), "a run without a tool is none");
    let (mut flows, mut related, mut fixes) = (0, 0, 0);
    for args in RUNS {
        let printed = run(args, "sarif");
        let sarif: Value = serde_json::from_str(&printed.out).unwrap_or_else(|error| panic!("{args:?}: {error}"));
        if let Err(error) = schemas.validate(&sarif, schema) {
            panic!("{args:?}: {error:#}");
        }
        for result in sarif["runs"][0]["results"].as_array().expect("results") {
            flows += result["codeFlows"].as_array().map_or(0, Vec::len);
            related += result["relatedLocations"].as_array().map_or(0, Vec::len);
            fixes += result["fixes"].as_array().map_or(0, Vec::len);
        }
    }
    assert!(flows >= 4 && related >= 4 && fixes >= 1, "{flows} code flows, {related} related locations, {fixes} fixes");
}

#[test]
fn the_fixes_of_sarif_are_the_repairs() {
    let sarif: Value = serde_json::from_str(&run(&["localize", "examples/sort.c"], "sarif").out).expect("JSON");
    let change = &sarif["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "examples/sort.c");
    let replacement = &change["replacements"][0];
    let text = std::fs::read_to_string(root().join("examples/sort.c")).expect("the example is there");
    let lines: Vec<&str> = text.lines().collect();
    let line = |name: &str| replacement["deletedRegion"][name].as_u64().expect("a line") as usize - 1;
    let new = replacement["insertedContent"]["text"].as_str().expect("a text");
    let repaired = format!("{}\n{new}{}\n", lines[..line("startLine")].join("\n"), lines[line("endLine")..].join("\n"));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("repaired.c");
    std::fs::write(&path, repaired).expect("the folder can be written");
    assert_eq!(run(&["verify", path.to_str().expect("text")], "terminal").code, Some(0));
}

#[test]
fn junit_is_well_formed_and_counts_right() {
    for args in RUNS {
        let printed = run(args, "junit");
        let mut reader = quick_xml::Reader::from_str(&printed.out);
        let (mut cases, mut failures, mut said) = (0, 0, None);
        loop {
            use quick_xml::events::Event;
            match reader.read_event().unwrap_or_else(|error| panic!("{args:?}: {error}\n{}", printed.out)) {
                Event::Eof => break,
                Event::Start(tag) | Event::Empty(tag) => match tag.name().as_ref() {
                    "testcase" => cases += 1,
                    "failure" => failures += 1,
                    "testsuite" => {
                        let number = |name: &str| -> usize {
                            let value =
                                tag.try_get_attribute(name).expect("attributes").expect("the attribute is there");
                            value.value.parse().expect("a number")
                        };
                        said = Some((number("tests"), number("failures")));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        assert_eq!(said, Some((cases, failures)), "{args:?}");
        assert!(cases > 0, "{args:?}");
        if printed.code == Some(10) {
            assert!(failures > 0, "{args:?}");
        }
    }
}

#[test]
fn annotations_of_github_are_one_line_each() {
    for args in RUNS {
        for line in run(args, "github").out.lines() {
            let is_command = ["::error ", "::warning ", "::notice "].iter().any(|start| line.starts_with(start));
            assert!(is_command && line[2..].contains("::"), "{args:?}: {line}");
        }
    }
}

#[test]
fn suspects_have_the_form_of_cpachecker() {
    let value: Value = serde_json::from_str(&run(&["localize", "examples/sort.c"], "cpachecker").out).expect("JSON");
    let text = std::fs::read(root().join("examples/sort.c")).expect("the example is there");
    let first = &value["faults"][0]["fault"];
    assert_eq!(first["intendedIndex"], 0);
    assert_eq!(first["infos"][0]["fault-info"]["type"], "REASON");
    for location in [&value["error-location"], &first["contributions"][0]["fault-contribution"]["location"]] {
        let offset = |name: &str| location[name].as_u64().expect("an offset") as usize;
        let code = String::from_utf8_lossy(&text[offset("startOffset")..offset("endOffset")]);
        assert_eq!(location["code"], code.as_ref());
    }
}

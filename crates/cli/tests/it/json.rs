//! What `--json` prints is what `docs/schema.json` says, no more and no less.

use serde_json::Value;
use std::process::Command;

fn output(args: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_whydunit"))
        .args(args)
        .current_dir(testkit::project::root())
        .output()
        .expect("whydunit runs");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}"))
}

const PUMPS: &str = "implication: NOT low AND NOT high; NOT pump1 AND NOT pump2";

/// The part of JSON Schema that our schema uses.
pub fn check(value: &Value, schema: &Value, at: &str) -> Result<(), String> {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed = |name: &str| name == kind || (name == "number" && kind == "integer");
    match &schema["type"] {
        Value::String(name) if !allowed(name) => return Err(format!("{at}: {kind} instead of {name}")),
        Value::Array(names) if !names.iter().any(|name| name.as_str().is_some_and(allowed)) => {
            return Err(format!("{at}: {kind} instead of one of {names:?}"));
        }
        _ => {}
    }
    if let Some(values) = schema["enum"].as_array()
        && !values.contains(value)
    {
        return Err(format!("{at}: {value} is not one of {values:?}"));
    }
    if let Value::Object(fields) = value {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                return Err(format!("{at}: {name} is missing"));
            }
        }
        for (name, field) in fields {
            let Some(inner) = schema["properties"].get(name) else {
                return Err(format!("{at}: {name} is not in the schema"));
            };
            check(field, inner, &format!("{at}.{name}"))?;
        }
    }
    if let (Value::Array(items), Some(inner)) = (value, schema.get("items")) {
        for (index, item) in items.iter().enumerate() {
            check(item, inner, &format!("{at}[{index}]"))?;
        }
    }
    Ok(())
}

#[test]
fn output_follows_the_schema() {
    let text = std::fs::read_to_string(testkit::project::root().join("docs/schema.json")).expect("the schema is there");
    let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
    let all = schema["oneOf"].as_array().expect("one schema a command, and one for all errors");
    let commands: Vec<&Value> = all.iter().filter(|schema| schema.get("$ref").is_none()).collect();
    let folder = std::env::temp_dir().join(format!("whydunit-schema-{}", std::process::id())).display().to_string();
    let runs: &[&[&str]] = &[
        &["check", "--json", "examples/sort.c"],
        &["check", "--json", "tests/programs/errors/several.c"],
        &["replay", "--json", "--inputs", "3,2,1", "examples/sort.c"],
        &["replay", "--json", "--inputs", "3", "examples/sort.c"],
        &["verify", "--json", "examples/sort.c"],
        &["verify", "--json", "--verbose", "--suspects", "always", "examples/sort.c"],
        &["minimize", "--json", "--box", "examples/sort.c"],
        &["verify", "--json", "tests/regressions/rounding_mode.c"],
        &["verify", "--json", "-p", "unreach-call", "tests/programs/verify/undefined.c"],
        &["verify", "--json", "--malloc-may-fail", "--stack-limit", "4096", "tests/programs/environment/allocation.c"],
        &["verify", "--json", "--all", "--unwind", "3", "tests/programs/verify/checks.c"],
        &["verify", "--all-entries", "--json", "examples/sort.c"],
        &["minimize", "--json", "examples/sort.c"],
        &["verify", "--json", "--cycle-time", "500ms", "--require", PUMPS, "examples/pump.st"],
        &["minimize", "--json", "--cycle-time", "500ms", "--require", PUMPS, "examples/pump.st"],
        &["explain", "--json", "--cycle-time", "500ms", "--require", PUMPS, "examples/pump.st"],
        &["localize", "--json", "--cycle-time", "500ms", "--require", PUMPS, "examples/pump.st"],
        &["replay", "--json", "--inputs", "1,0,0,1,0,0", "examples/pump.st"],
        &["test", "--json", "--out", &folder, "--cycle-time", "500ms", "--require", PUMPS, "examples/pump.st"],
        &["minimize", "--json", "--strategy", "greedy", "--inputs", "3,2,1", "examples/sort.c"],
        &["minimize", "--json", "--unwind", "1", "tests/programs/verify/unbounded_loop.c"],
        &["explain", "--json", "examples/sort.c"],
        &["explain", "--json", "--inputs-only", "--inputs", "3,2,1", "examples/sort.c"],
        &["explain", "--json", "tests/programs/explain/no_passing_run.c"],
        &["explain", "--json", "--unwind", "1", "tests/programs/verify/unbounded_loop.c"],
        &["verify", "--json", "--unwind-loop", "11=2", "tests/programs/verify/unwind_loop.c"],
        &["localize", "--json", "tests/programs/localize/difference.c"],
        &["localize", "--json", "tests/programs/localize/nothing.c"],
        &["witness", "lint", "--json", "tests/witnesses/figures/fig-9d.graphml"],
        &["witness", "lint", "--json", "tests/witnesses/broken.graphml"],
        &["witness", "validate", "--json", FIGURE, "tests/witnesses/figures/linear-inequality-inv-b.c"],
        &["witness", "validate", "--json", PROOF, "tests/witnesses/figures/linear-inequality-inv-b.c"],
        &["test", "--json", "--out", &folder, "examples/sort.c"],
        &["test", "--json", "--run", "--out", &folder, "examples/sort.c"],
        &["test", "--json", "--out", &folder, "--unwind", "1", "tests/programs/verify/unbounded_loop.c"],
        &["test", "--json", "--out", &folder, "tests/regressions/rounding_mode.c"],
    ];
    let mut seen = std::collections::BTreeSet::new();
    for args in runs {
        let value = output(args);
        let schema = commands
            .iter()
            .find(|schema| schema["properties"]["command"]["enum"][0] == value["command"])
            .unwrap_or_else(|| panic!("no schema for {:?}", value["command"]));
        check(&value, schema, "").unwrap_or_else(|problem| panic!("{args:?}: {problem}"));
        seen.insert(value["command"].to_string());
    }
    std::fs::remove_dir_all(&folder).ok();
    assert_eq!(seen.len(), commands.len(), "every command of the schema is run: {seen:?}");
}

/// `--json` gives JSON in every case.
#[test]
fn errors_are_json_too() {
    let text = std::fs::read_to_string(testkit::project::root().join("docs/schema.json")).expect("the schema is there");
    let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
    for args in [
        &["check", "--json", "no-such-file.c"][..],
        &["verify", "--json", "no-such-file.c"],
        &["verify", "--json", "tests/programs/errors/several.c"],
        &["replay", "--json", "--entry", "nowhere", "examples/sort.c"],
        &["localize", "--json", "--timeout", "-1", "examples/sort.c"],
        &["test", "--json", "no-such-file.c"],
        &["witness", "lint", "--json", "no-such-file.yml"],
        &["witness", "validate", "--json", "examples/sort.c", "examples/sort.c"],
        &["witness", "validate", "--json", FIGURE],
        &["witness", "validate", "--json", FIGURE, "tests/programs/errors/several.c"],
        &["witness", "validate", "--json", "--how", "luck", FIGURE, "examples/sort.c"],
    ] {
        let value = output(args);
        check(&value, &schema["definitions"]["failure"], "").unwrap_or_else(|problem| panic!("{args:?}: {problem}"));
        assert!(value["error"].as_str().is_some_and(|error| !error.is_empty()), "{args:?}: {value}");
    }
}

const FIGURE: &str = "tests/witnesses/figures/fig-9d.graphml";
const PROOF: &str = "tests/witnesses/figures/fig-13b.graphml";

/// Every assertion has a line, with what is known about it.
#[test]
fn checks_are_listed() {
    let value = output(&["verify", "--json", "--all", "--unwind", "3", "tests/programs/verify/checks.c"]);
    let checks = value["checks"].as_array().expect("a list");
    let line =
        |check: &Value| (check["line"].as_u64(), check["verdict"].as_str().map(String::from), check["bound"].as_u64());
    let want = |line, verdict: &str, bound| (Some(line), Some(verdict.to_string()), bound);
    let got: Vec<_> = checks.iter().map(line).collect();
    let wanted = [
        want(7, "not-reached", Some(3)),
        want(14, "holds-up-to-bound", Some(3)),
        want(17, "violated", None),
        want(19, "not-reached", Some(3)),
    ];
    assert_eq!(got, wanted);
    let plain = output(&["verify", "--json", "--unwind", "3", "tests/programs/verify/checks.c"]);
    assert_eq!(plain["checks"].as_array().map(Vec::len), Some(0), "only with --all");
}

/// The order of the strategies, and what is proved of the last one.
#[test]
fn minimization_is_measured() {
    let value = output(&["minimize", "--json", "--entry", "f", "tests/programs/minimize/sort.c"]);
    let measure = |name: &str| {
        let sum: u128 = value[name]["sum"].as_str().and_then(|text| text.parse().ok()).expect("a number");
        (value[name]["length"].as_u64().expect("a number"), sum)
    };
    assert!(measure("greedy") <= measure("raw") && measure("optimal") <= measure("greedy"));
    assert_eq!(measure("optimal"), (7, 2), "as the paper has it");
    assert_eq!(value["optimal"]["proven"], true);
    assert_eq!(value["optimal"]["lower_bound"]["length"], 7);
    assert_eq!(value["optimal"]["lower_bound"]["sum"], "2");
    let inputs = &value["optimal"]["trace"]["inputs"];
    assert_eq!(inputs[1]["range"], serde_json::json!(["0", "2147483647"]), "{inputs}");
}

fn causes(value: &Value) -> Vec<String> {
    let causes = value["causes"].as_array().expect("a list");
    let subsumed = |cause: &Value| cause["subsumes"].as_array().cloned().unwrap_or_default();
    let all = causes.iter().flat_map(|cause| std::iter::once(cause["predicate"].clone()).chain(subsumed(cause)));
    all.filter_map(|predicate| predicate.as_str().map(String::from)).collect()
}

/// As in Groce and Kroening 2005, figure 6.
#[test]
fn causes_of_the_paper() {
    let value = output(&["explain", "--json", "--inputs-only", "--entry", "f", "tests/programs/minimize/sort.c"]);
    let causes = causes(&value);
    for wanted in ["c < a", "c < b"] {
        assert!(causes.iter().any(|cause| cause == wanted), "{wanted} is not among {causes:?}");
    }
    assert_eq!(value["proven"], true);
}

/// What an answer rests on is part of it, chosen or not.
#[test]
fn assumptions_are_stated() {
    let assumptions = |args: &[&str]| {
        let file = ["verify", "--json", "tests/programs/environment/allocation.c", "-DCHECKED"];
        output(&[&file, args].concat())["assumptions"].clone()
    };
    assert_eq!(assumptions(&[]), serde_json::json!(["allocation succeeds", "no threads"]));
    let chosen = ["--malloc-may-fail", "--char-unsigned", "--volatile", "inputs", "--mmio", "0x40000000..0x4000ffff"];
    let stated = [
        "allocation may fail",
        "every read of a volatile object is an input",
        "every read at 0x40000000..0x4000ffff is an input",
        "char is unsigned",
        "no threads",
    ];
    assert_eq!(assumptions(&chosen), serde_json::json!(stated));
}

/// Folding is a matter of the text: the steps of the JSON are all there.
#[test]
fn steps_are_not_folded() {
    let value = output(&["verify", "--json", "-p", "assertion", "tests/programs/verify/folded.c"]);
    let steps = value["violations"][0]["trace"]["steps"].as_array().expect("a list");
    let rounds = steps.iter().filter(|step| step["assigned"] == "sum").count();
    assert_eq!(rounds, 101, "the initialization and a hundred rounds");
}

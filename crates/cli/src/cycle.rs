//! What is asked of PLC programs: requirements on the command line and in files, the time of a cycle, and test cases.

use crate::args::{EnvironmentArgs, ReplayArgs};
use crate::inputs;
use crate::load::load_with;
use crate::output::{Output, print};
use crate::pipeline::{OK, UNKNOWN, VIOLATED};
use anyhow::{Context, Result, bail};
use cfa::interp::Config;
use cfa::walk::Node;
use cfa::{Op, Program, Property, PropertySet};
use explain::suite::Test;
use frontend::{CycleOptions, Pattern, Requirement};
use serde_json::Value;
use std::path::Path;

impl EnvironmentArgs {
    /// The requirements that are asked for.
    pub fn requirements(&self) -> Result<Vec<Requirement>> {
        let mut all = Vec::new();
        for text in &self.require {
            match text.ends_with(".json") {
                true => all.extend(of_file(Path::new(text))?.0),
                false => all.push(of_text(text, all.len() + 1)?),
            }
        }
        if let Some(wanted) = &self.requirement {
            let number = wanted.parse::<usize>().ok();
            let names = all.iter().map(|one| one.name.clone()).collect::<Vec<_>>().join(", ");
            let found =
                all.into_iter().enumerate().find(|(index, one)| one.name == *wanted || number == Some(index + 1));
            let (_, found) =
                found.with_context(|| format!("there is no requirement `{wanted}` (there are: {names})"))?;
            all = vec![found];
        }
        if let Some(one) = all.iter().find(|one| one.pattern == Pattern::Repeatability)
            && all.len() == 1
        {
            bail!(
                "requirement {}: repeatability says that something stays possible from every state; only what holds in every run is decided here",
                one.name
            );
        }
        Ok(all)
    }

    pub fn cycle_options(&self, entry: &str) -> Result<CycleOptions> {
        let requirements = self.requirements()?;
        let mut options = CycleOptions { requirements, ..CycleOptions::default() };
        options.requirements.retain(|one| one.pattern != Pattern::Assertions);
        for text in self.require.iter().filter(|text| text.ends_with(".json")) {
            options.entry = options.entry.or(of_file(Path::new(text))?.1);
        }
        if entry != "main" {
            options.entry = Some(entry.to_string());
        }
        options.constant_inputs = self.constant_input.clone();
        if let Some(text) = &self.cycle_time {
            let (least, most) = text.split_once("..").unwrap_or((text, text));
            let milliseconds = |text: &str| {
                let text = text.trim().trim_start_matches("T#").trim_start_matches("t#");
                let nanoseconds = frontend::duration(text)?;
                u32::try_from(nanoseconds / 1_000_000).ok().filter(|time| (1..=86_400_000).contains(time))
            };
            let times = milliseconds(least).zip(milliseconds(most)).filter(|(least, most)| least <= most);
            options.time = times.with_context(|| {
                format!("--cycle-time {text}: a time is written as 10ms or 1s, a range as 10ms..50ms; at least 1ms, at most a day")
            })?;
        }
        Ok(options)
    }
}

/// `implication: a; b`
fn of_text(text: &str, number: usize) -> Result<Requirement> {
    let known = || {
        let names = Pattern::ALL.iter().filter(|(pattern, ..)| *pattern != Pattern::AtCycle);
        names.map(|(_, name, ..)| name.trim_start_matches("pattern-")).collect::<Vec<_>>().join(", ")
    };
    let (name, conditions) = text.split_once(':').unwrap_or((text, ""));
    let pattern = Pattern::named(name.trim())
        .with_context(|| format!("--require {text}: `{}` is no pattern (known: {})", name.trim(), known()))?;
    let parameters: Vec<String> =
        conditions.split(';').map(|one| one.trim().to_string()).filter(|one| !one.is_empty()).collect();
    requirement(format!("R{number}"), pattern, parameters)
}

fn requirement(name: String, pattern: Pattern, parameters: Vec<String>) -> Result<Requirement> {
    if parameters.len() != pattern.parameters() {
        bail!(
            "requirement {name}: {} conditions are given, the pattern has {}",
            parameters.len(),
            pattern.parameters()
        );
    }
    Ok(Requirement { name, pattern, parameters })
}

fn read_json(file: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not JSON", file.display()))
}

/// Requirements in the form of PLCverif, and the entry block that they name.
fn of_file(file: &Path) -> Result<(Vec<Requirement>, Option<String>)> {
    let json = read_json(file)?;
    let list = match &json {
        Value::Array(list) => list.clone(),
        Value::Object(object) => match object.get("properties_to_be_validated") {
            Some(Value::Array(list)) => list.clone(),
            _ => vec![json.clone()],
        },
        _ => bail!("{}: a list of requirements is needed", file.display()),
    };
    let mut found = Vec::new();
    let mut entry = None;
    for (index, one) in list.iter().enumerate() {
        let property = one.get("property").unwrap_or(one);
        let name = format!("property_{}", index + 1);
        let text = |key: &str| property.get(key).and_then(Value::as_str);
        entry = entry.or(text("entry_point").map(str::to_string));
        let id = match (text("job_req"), text("pattern_id")) {
            (Some("assertion"), _) => "assertion",
            (_, Some(id)) => id,
            _ => bail!("{}: {name} has no pattern_id", file.display()),
        };
        let pattern =
            Pattern::named(id).with_context(|| format!("{}: `{id}` is no pattern that is known", file.display()))?;
        // Numbered from 0 or from 1.
        let mut parameters: Vec<(i64, String)> = Vec::new();
        if let Some(Value::Object(given)) = property.get("pattern_params") {
            for (key, value) in given {
                let number = key.parse().with_context(|| format!("{}: `{key}` is no number", file.display()))?;
                let value = value.as_str().with_context(|| format!("{}: a condition is a text", file.display()))?;
                parameters.push((number, value.to_string()));
            }
        }
        parameters.sort();
        let parameters = parameters.into_iter().map(|(_, text)| text).collect();
        found.push(requirement(name, pattern, parameters).with_context(|| file.display().to_string())?);
    }
    Ok((found, entry))
}

/// Each requirement by itself, with its own limits: the same command once for each.
pub fn each_requirement(requirements: &[Requirement]) -> Result<u8> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let mut worst = OK;
    let rank = |code: u8| [OK, UNKNOWN, VIOLATED].iter().position(|known| *known == code).unwrap_or(9);
    for requirement in requirements {
        let mut command = std::process::Command::new(&program);
        command.args(std::env::args_os().skip(1)).arg("--requirement").arg(&requirement.name);
        let status = command.status().context("cannot run this program again")?;
        let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(UNKNOWN);
        if rank(code) > rank(worst) {
            worst = code;
        }
    }
    Ok(worst)
}

/// The answer about a requirement. That something is possible is shown by a run, and refuted by a proof.
pub fn say(requirement: &Requirement, code: u8, output: &Output) -> Result<u8> {
    let code = match (requirement.pattern, code) {
        (Pattern::Reachability, VIOLATED) => OK,
        (Pattern::Reachability, OK) => VIOLATED,
        (_, code) => code,
    };
    if !output.is_for_programs() {
        let word = match code {
            OK => "satisfied",
            VIOLATED => "violated",
            _ => "not decided",
        };
        print(&format!("requirement {}: {word}\n  {}\n", requirement.name, requirement.sentence().0))?;
    }
    Ok(code)
}

/// A value of a test case as its single numbers.
fn flatten(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|one| flatten(one, found)),
        Value::Object(members) => members.values().for_each(|one| flatten(one, found)),
        Value::Bool(value) => found.push(if *value { "TRUE" } else { "FALSE" }.into()),
        Value::String(text) => found.push(format!("'{text}'")),
        other => found.push(other.to_string()),
    }
}

/// Expected values of a variable, member by member.
fn expected(name: &str, value: &Value, cycle: usize, all: &mut Vec<Requirement>) {
    if let Value::Object(members) = value {
        return members.iter().for_each(|(member, value)| expected(&format!("{name}.{member}"), value, cycle, all));
    }
    if let Value::Array(list) = value
        && list.iter().any(Value::is_object)
    {
        return list
            .iter()
            .enumerate()
            .for_each(|(index, one)| expected(&format!("{name}[{}]", index + 1), one, cycle, all));
    }
    let mut parameters = vec![cycle.to_string(), name.to_string()];
    flatten(value, &mut parameters);
    all.push(Requirement { name: format!("of cycle {cycle}: {name}"), pattern: Pattern::AtCycle, parameters });
}

/// The variables that the program asks for in a cycle, in its order.
fn inputs_of(program: &Program) -> Vec<String> {
    let asked = program.edges.values().filter_map(|edge| match edge.op {
        Op::Havoc(place, _) => Some(frontend::display(program, Node::Place(place))),
        _ => None,
    });
    asked.collect()
}

/// Runs every test case and says which ones pass.
pub fn run_test_cases(args: &ReplayArgs, file: &Path) -> Result<u8> {
    let json = read_json(file)?;
    let cases = match json.get("test_cases").unwrap_or(&json) {
        Value::Array(cases) => cases.clone(),
        _ => bail!("{}: there is no list `test_cases`", file.display()),
    };
    let mut failed = 0;
    for (index, case) in cases.iter().enumerate() {
        let about = case.get("description").and_then(Value::as_str).unwrap_or("");
        let result = run_case(args, case)?;
        let word = if result.is_ok() { "passes" } else { "fails" };
        print(&format!("test case {}: {word}  {about}", index + 1))?;
        if let Err(reason) = result {
            failed += 1;
            print(&format!("  {}", reason.trim_end().replace('\n', "\n  ")))?;
        }
    }
    print(&format!("{} of {} test cases pass", cases.len() - failed, cases.len()))?;
    Ok(if failed == 0 { OK } else { VIOLATED })
}

fn run_case(args: &ReplayArgs, case: &Value) -> Result<Result<(), String>> {
    let Some(Value::Object(given)) = case.get("input_trace") else { return Ok(Err("it has no `input_trace`".into())) };
    let Some(Value::Object(wanted)) = case.get("expected_output_trace") else {
        return Ok(Err("it has no `expected_output_trace`".into()));
    };
    let mut options = args.environment.compile_options(args.source.data_model(), &args.entry.entry)?;
    options.cycle.requirements.clear();
    options.cycle.more_inputs = given.keys().cloned().collect();
    let rounds = |value: &Value| value.as_array().map_or(0, Vec::len);
    let cycles = given.values().map(rounds).max().unwrap_or(0).max(wanted.values().map(rounds).max().unwrap_or(0));
    for (name, values) in wanted {
        for (cycle, value) in values.as_array().into_iter().flatten().enumerate() {
            if !value.is_null() {
                expected(name, value, cycle + 1, &mut options.cycle.requirements);
            }
        }
    }
    let loaded = load_with(&args.source, &options, None)?;
    if loaded.compiled.has_errors() {
        let errors = loaded.compiled.diagnostics.iter().filter(|one| one.severity == base::Severity::Error);
        let messages: Vec<String> = errors.map(|one| one.message.clone()).collect();
        return Ok(Err(format!("it does not fit the program: {}", messages.join("; "))));
    }
    let entry = match &loaded.compiled.entry {
        Some(Ok(entry)) => *entry,
        Some(Err(reason)) => bail!("{reason}"),
        None => bail!("--test-cases is about PLC programs"),
    };
    let asked = inputs_of(&loaded.compiled.program);
    let base = |name: &str| name.split(['[', '.']).next().unwrap_or("").to_string();
    if let Some(unknown) = given.keys().find(|name| !asked.iter().any(|one| base(one).eq_ignore_ascii_case(name))) {
        return Ok(Err(format!("the program has no input `{unknown}`")));
    }
    let mut texts = Vec::new();
    for cycle in 0..cycles {
        let mut part = 0;
        let mut last = String::new();
        for one in &asked {
            let name = base(one);
            part = if name == last { part + 1 } else { 0 };
            let values = given.iter().find(|(key, _)| key.eq_ignore_ascii_case(&name)).map(|(_, values)| values);
            let mut numbers = Vec::new();
            if let Some(value) = values.and_then(|values| values.get(cycle)) {
                flatten(value, &mut numbers);
            }
            let number = numbers.get(part).map_or("0", String::as_str);
            texts.push(match number {
                "TRUE" => "1".into(),
                "FALSE" => "0".into(),
                other => other.to_string(),
            });
            last = name;
        }
    }
    let test = match inputs::numbers(&texts) {
        Ok(inputs) => Test { inputs, ..Test::default() },
        Err(error) => return Ok(Err(error.to_string())),
    };
    let config = Config {
        properties: PropertySet::of(&[Property::Assertion, Property::ValidDeref, Property::DivByZero]),
        ..Config::default()
    };
    let report = workflow::replay::replay(&loaded, entry, "main", &test, &config, None);

    Ok(match report.outcome {
        "violation" => Err(failed_expectation(&report, &options.cycle.requirements)),
        _ => Ok(()),
    })
}

/// Which expectation a run does not meet.
fn failed_expectation(report: &report::replay::ReplayReport, wanted: &[Requirement]) -> String {
    let text = report.violation.as_ref().and_then(|violation| violation.place.text.clone()).unwrap_or_default();
    let found = wanted.iter().find(|one| one.sentence().0 == text);
    match found.map(|one| &one.parameters[..]) {
        Some([cycle, variable, values @ ..]) => {
            let values = values.join(", ");
            let parts = if values.contains(',') { format!("[{values}]") } else { values };
            let last = report.steps.iter().rev().find(|step| step.assigned.as_deref() == Some(variable));
            let was =
                last.and_then(|step| step.value.clone()).map_or(String::new(), |value| format!(", it is {value}"));
            format!("at the end of cycle {cycle}, {variable} should be {parts}{was}")
        }
        _ => report.reason.clone(),
    }
}

/// A failing run as a table of cycles, for people.
pub fn print_table(violations: &[report::verify::ViolationReport]) -> Result<()> {
    for violation in violations {
        if let Some(table) = report::cycles::table(&violation.trace.steps) {
            print(&table)?;
        }
    }
    Ok(())
}

//! Test cases of PLC programs: `input_trace` and `expected_output_trace` hold, for each variable, a list with the value of each cycle. `replay --test-cases` runs
//! them, `test` writes one of a failing run.

use crate::args::{EntryArgs, EnvironmentArgs, FailureArgs, ReplayArgs, SourceArgs, TaskArgs};
use crate::load::load_with;
use crate::output::print;
use crate::pipeline::{OK, VIOLATED};
use crate::{cycle, inputs};
use anyhow::{Result, bail};
use cfa::interp::Config;
use cfa::walk::Node;
use cfa::{FuncId, Op, Program, Property, PropertySet};
use explain::suite::Test;
use frontend::{CompileOptions, Pattern, Requirement};
use report::cycles::{CycleRow, CycleTable};
use report::replay::ReplayReport;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use workflow::Loaded;

/// More steps of a run are not kept.
const KEPT_STEPS: usize = 100;

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

/// The parts of a variable with their values: members of structures by their names, what is left of arrays as one.
fn parts(name: &str, value: &Value, found: &mut Vec<(String, Vec<String>)>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(member, value)| parts(&format!("{name}.{member}"), value, found));
        }
        Value::Array(list) if list.iter().any(Value::is_object) => {
            let elements = list.iter().enumerate();
            elements.for_each(|(index, one)| parts(&format!("{name}[{}]", index + 1), one, found));
        }
        other => {
            let mut values = Vec::new();
            flatten(other, &mut values);
            found.push((name.to_string(), values));
        }
    }
}

/// The variables that the program asks for in a cycle, in its order.
fn inputs_of(program: &Program) -> Vec<String> {
    let asked = program.edges.values().filter_map(|edge| match edge.op {
        Op::Havoc(place, _) => Some(frontend::display(program, Node::Place(place))),
        _ => None,
    });
    asked.collect()
}

/// The variable that a part belongs to, and which part of it.
fn split(part: &str) -> (&str, &str) {
    part.split_at(part.find(['[', '.']).unwrap_or(part.len()))
}

/// The elements of each array among the parts that a program asks for, in their order: what stands before the bracket, and what is in it.
fn elements_of(asked: &[String]) -> BTreeMap<&str, Vec<&str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for part in asked {
        for (at, _) in part.match_indices('[') {
            let index = part[at..].split(']').next().unwrap_or_default();
            let known = found.entry(&part[..at]).or_default();
            if !known.contains(&index) {
                known.push(index);
            }
        }
    }
    found
}

/// The value of a part, from a position of its name on: members by their names, elements by their order.
fn part_of<'v>(value: &'v Value, part: &str, at: usize, elements: &BTreeMap<&str, Vec<&str>>) -> Option<&'v Value> {
    let rest = &part[at..];
    if let Some(named) = rest.strip_prefix('.') {
        let (member, _) = split(named);
        let (_, inner) = value.as_object()?.iter().find(|(known, _)| known.eq_ignore_ascii_case(member))?;
        return part_of(inner, part, at + 1 + member.len(), elements);
    }
    if !rest.starts_with('[') {
        return Some(value);
    }
    let index = rest.split(']').next()?;
    let number = elements.get(&part[..at])?.iter().position(|known| *known == index)?;
    // Dimensions may be lists of lists.
    let mut all = Vec::new();
    scalars(value, &mut all);
    part_of(all.get(number)?, part, at + index.len() + 1, elements)
}

fn scalars<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    match value {
        Value::Array(list) => list.iter().for_each(|one| scalars(one, found)),
        other => found.push(other),
    }
}

/// The test cases of a file.
fn cases_of(file: &Path) -> Result<Vec<Value>> {
    let json = cycle::read_json(file)?;
    match json.get("test_cases").unwrap_or(&json) {
        Value::Array(cases) => Ok(cases.clone()),
        _ => bail!("{}: there is no list `test_cases`", file.display()),
    }
}

/// Runs every test case and says which ones pass.
pub fn run(args: &ReplayArgs, file: &Path) -> Result<u8> {
    let cases = cases_of(file)?;
    let setting = Setting { source: &args.source, environment: &args.environment, entry: &args.entry };
    let mut failed = 0;
    for (index, case) in cases.iter().enumerate() {
        let about = ["description", "case_description"].iter().find_map(|key| case.get(key)?.as_str()).unwrap_or("");
        let result = run_case(&setting, case)?;
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

/// What a test case gives and expects, cycle by cycle. A case of one cycle may have values instead of lists, as `input` and `expected_output`.
fn traces(case: &Value) -> Result<(Map<String, Value>, Map<String, Value>), String> {
    let object = |key: &str| case.get(key).and_then(Value::as_object).cloned();
    if let (Some(given), Some(wanted)) = (object("input_trace"), object("expected_output_trace")) {
        return Ok((given, wanted));
    }
    let one_cycle = |values: Map<String, Value>| {
        values.into_iter().map(|(name, value)| (name, Value::Array(vec![value]))).collect::<Map<_, _>>()
    };
    match (object("input"), object("expected_output")) {
        (Some(given), Some(wanted)) => Ok((one_cycle(given), one_cycle(wanted))),
        _ => Err("it has no `input_trace` and `expected_output_trace`".into()),
    }
}

/// A test case for a program.
pub struct Prepared {
    /// What it expects are requirements.
    pub options: CompileOptions,
    loaded: Loaded,
    entry: FuncId,
    pub test: Test,
}

/// Where test cases are run.
struct Setting<'a> {
    source: &'a SourceArgs,
    environment: &'a EnvironmentArgs,
    entry: &'a EntryArgs,
}

fn run_case(setting: &Setting<'_>, case: &Value) -> Result<Result<(), String>> {
    Ok(match prepare(setting, case)? {
        Ok(prepared) => result(&prepared),
        Err(reason) => Err(reason),
    })
}

/// The first test case of a file that the program can run and fails.
pub fn first_failing(args: &FailureArgs, file: &Path) -> Result<Option<Prepared>> {
    let TaskArgs { source, environment, entry, .. } = &args.question;
    let setting = Setting { source, environment, entry };
    for case in cases_of(file)? {
        if let Ok(prepared) = prepare(&setting, &case)?
            && result(&prepared).is_err()
        {
            return Ok(Some(prepared));
        }
    }
    Ok(None)
}

/// What is wrong with a run.
fn result(prepared: &Prepared) -> Result<(), String> {
    let config = Config {
        properties: PropertySet::of(&[Property::Assertion, Property::ValidDeref, Property::DivByZero]),
        ..Config::default()
    };
    let Prepared { loaded, entry, test, options } = prepared;
    let report = workflow::replay::replay(loaded, *entry, "main", test, &config, Some(KEPT_STEPS));
    match report.outcome {
        "violation" => Err(failed(&report, &options.cycle.requirements)),
        "error" => Err(report.reason),
        _ => Ok(()),
    }
}

fn prepare(setting: &Setting<'_>, case: &Value) -> Result<Result<Prepared, String>> {
    let (given, wanted) = match traces(case) {
        Ok(traces) => traces,
        Err(reason) => return Ok(Err(reason)),
    };
    let Setting { source, environment, entry } = setting;
    let mut options = environment.compile_options(source.data_model(), entry)?;
    // A caller that does nothing else; what it writes the test case says.
    options.cycle.keep_in_out = true;
    options.cycle.more_inputs = given.keys().cloned().collect();
    if let Some(Value::Object(state)) = case.get("initial_state") {
        state.iter().for_each(|(name, value)| parts(name, value, &mut options.cycle.initial_state));
    }
    if let (None, Some(text)) = (&environment.cycle.cycle_time, case.get("cycle_time").and_then(Value::as_str)) {
        match cycle::time(text) {
            Some(time) => options.cycle.time = Some(time),
            None => return Ok(Err(format!("`{text}` is no time of a cycle"))),
        }
    }
    if let Some(value) = case.get("requirement") {
        let name = value.get("name").and_then(Value::as_str).unwrap_or("of the test case").to_string();
        options.cycle.requirements.push(cycle::of_value(name, value)?);
    }
    if let Some(entry) = case.get("entry_point").and_then(Value::as_str).filter(|_| entry.entry == "main") {
        options.cycle.entry = Some(entry.to_string());
    }
    let rounds = |value: &Value| value.as_array().map_or(0, Vec::len);
    let cycles = given.values().map(rounds).max().unwrap_or(0).max(wanted.values().map(rounds).max().unwrap_or(0));
    for (name, values) in &wanted {
        for (index, value) in values.as_array().into_iter().flatten().enumerate() {
            let mut expected = Vec::new();
            if !value.is_null() {
                parts(name, value, &mut expected);
            }
            for (part, values) in expected {
                let cycle = index + 1;
                let parameters = [cycle.to_string(), part.clone()].into_iter().chain(values).collect();
                let name = format!("of cycle {cycle}: {part}");
                options.cycle.requirements.push(Requirement { name, pattern: Pattern::AtCycle, parameters });
            }
        }
    }
    let loaded = load_with(source, &options, None)?;
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
    if let Some(unknown) = given.keys().find(|name| !asked.iter().any(|one| split(one).0.eq_ignore_ascii_case(name))) {
        return Ok(Err(format!("the program has no input `{unknown}`")));
    }
    let test = match inputs::numbers(&numbers(&asked, &given, cycles)) {
        Ok(inputs) => Test { inputs, ..Test::default() },
        Err(error) => return Ok(Err(error.to_string())),
    };
    Ok(Ok(Prepared { options, loaded, entry, test }))
}

/// The inputs of a run, in the order in which the program asks for them. What is not given is zero.
fn numbers(asked: &[String], given: &Map<String, Value>, cycles: usize) -> Vec<String> {
    let elements = elements_of(asked);
    let mut texts = Vec::new();
    for cycle in 0..cycles {
        for part in asked {
            let (name, _) = split(part);
            let values = given.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, values)| values);
            let value = values.and_then(|values| part_of(values.get(cycle)?, part, name.len(), &elements));
            texts.push(match value {
                Some(Value::Bool(value)) => (*value as u8).to_string(),
                Some(value @ Value::Number(_)) => value.to_string(),
                Some(Value::String(text)) => text.clone(),
                _ => "0".into(),
            });
        }
    }
    texts
}

/// Which expectation or requirement a run does not meet.
fn failed(report: &ReplayReport, wanted: &[Requirement]) -> String {
    let text = report.violation.as_ref().and_then(|violation| violation.place.text.clone()).unwrap_or_default();
    let last = report.cycles.as_ref().map_or(0, |table| table.cycles);
    match wanted.iter().find(|one| one.sentence().0 == text) {
        Some(Requirement { pattern: Pattern::AtCycle, parameters, .. }) if parameters.len() > 1 => {
            let (cycle, variable, values) = (&parameters[0], &parameters[1], parameters[2..].join(", "));
            let parts = if parameters.len() > 3 { format!("[{values}]") } else { values };
            let rows = report.cycles.iter().flat_map(|table| &table.variables);
            let row = rows.into_iter().find(|row| row.name.eq_ignore_ascii_case(variable));
            let was = row.and_then(|row| row.shown.last()).map_or(String::new(), |value| format!(", it is {value}"));
            format!("at the end of cycle {cycle}, {variable} should be {parts}{was}")
        }
        Some(one) => format!("at the end of cycle {last}, requirement {} does not hold: {text}", one.name),
        None => format!("in cycle {last}: {}", report.reason),
    }
}

/// A failing run as a file of test cases. What is expected are the outputs of the run up to the violation, which need not be right: they are those that the
/// program has now. In the last cycle only the requirement is expected.
pub fn of_run(table: &CycleTable, name: &str, requirement: Option<&Requirement>, cycle_time: Option<&str>) -> Value {
    let rows = |role: &str| table.variables.iter().filter(|row| row.role == role).collect::<Vec<_>>();
    let trace = |rows: &[&CycleRow], cycles: usize| {
        let mut names: Vec<&str> = rows.iter().map(|row| split(&row.name).0).collect();
        names.dedup();
        let values = |name: &str| {
            let own: Vec<&CycleRow> = rows.iter().copied().filter(|row| split(&row.name).0 == name).collect();
            let known = (0..cycles).map(|cycle| built(&own, name.len(), cycle));
            known.chain((cycles..table.cycles).map(|_| Value::Null)).collect::<Vec<_>>()
        };
        names.into_iter().map(|name| (name.to_string(), Value::from(values(name)))).collect::<Map<_, _>>()
    };
    let mut case = json!({
        "description": format!(
            "the run that violates the requirement in cycle {}; expected outputs are those of the program up to then",
            table.cycles
        ),
        "simulation_rounds": table.cycles,
        "input_trace": trace(&rows("input"), table.cycles),
        "expected_output_trace": trace(&rows("output"), table.cycles - 1),
    });
    if let Some(requirement) = requirement {
        case["requirement"] = cycle::to_value(requirement);
    }
    if let Some(time) = cycle_time {
        case["cycle_time"] = Value::from(time);
    }
    json!({ "id": name, "test_cases": [case] })
}

/// The value of a variable in a cycle, from a position of the names of its parts on.
fn built(rows: &[&CycleRow], at: usize, cycle: usize) -> Value {
    let Some(first) = rows.first() else { return Value::Null };
    match first.name[at..].chars().next() {
        Some('[') => {
            let groups = rows.chunk_by(|a, b| element(&a.name, at) == element(&b.name, at));
            groups.map(|group| built(group, at + element(&group[0].name, at).len(), cycle)).collect()
        }
        Some('.') => {
            let member = |row: &CycleRow| split(&row.name[at + 1..]).0.to_string();
            let groups = rows.chunk_by(|a, b| member(a) == member(b));
            let values = groups.map(|group| (member(group[0]), built(group, at + 1 + member(group[0]).len(), cycle)));
            Value::Object(values.collect())
        }
        _ => {
            let value = &first.values[cycle];
            match first.ty {
                "boolean" => Value::from(value != "0"),
                _ => serde_json::from_str(value).unwrap_or_else(|_| Value::from(value.as_str())),
            }
        }
    }
}

/// `[1]` of `a[1].b`
fn element(name: &str, at: usize) -> &str {
    let end = name[at..].find(']').map_or(name.len(), |end| at + end + 1);
    &name[at..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, ty: &'static str, values: &[&str]) -> CycleRow {
        let values: Vec<String> = values.iter().map(|value| value.to_string()).collect();
        CycleRow { name: name.into(), role: "input", ty, shown: values.clone(), values }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let variables = vec![
            row("go", "boolean", &["1", "0"]),
            row("m[0,1]", "integer", &["1", "2"]),
            row("m[0,2]", "integer", &["3", "4"]),
            row("s[1].x", "integer", &["-5", "6"]),
            row("s[1].a[3]", "real", &["0.5", "1.5"]),
            row("s[2].x", "integer", &["7", "8"]),
            row("s[2].a[3]", "real", &["2.5", "3.5"]),
        ];
        let asked: Vec<String> = variables.iter().map(|row| row.name.clone()).collect();
        let expected: Vec<String> =
            (0..2).flat_map(|cycle| variables.iter().map(move |row| row.values[cycle].clone())).collect();
        let table = CycleTable { cycles: 2, variables };
        let json = of_run(&table, "test", None, None);
        let (given, _) = traces(&json["test_cases"][0]).expect("traces");
        assert_eq!(numbers(&asked, &given, 2), expected);
    }
}

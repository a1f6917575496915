//! What is asked of PLC programs: requirements on the command line and in files, and the time of a cycle.

use crate::args::CycleArgs;
use crate::output::{Output, print};
use crate::pipeline::{OK, UNKNOWN, VIOLATED};
use anyhow::{Context, Result, bail};
use cfa::{ExprKind, IntKind, Program, Property, PropertySet, TypeId, UnOp};
use frontend::{CycleOptions, Pattern, Requirement};
use serde_json::{Value, json};
use std::path::Path;
use workflow::Loaded;

/// Overflow is a fault of `int` and wider types only, since C computes with nothing narrower: no verdict about SINT and INT would be right.
pub fn refuse_overflow_of_narrow_numbers(program: &Program, properties: PropertySet) -> Result<()> {
    if program.cycle.is_none() || !properties.contains(Property::NoOverflow) {
        return Ok(());
    }
    let computes = |expr: &cfa::Expr| match expr.kind {
        ExprKind::Unary(op, _) => op == UnOp::Neg,
        ExprKind::Binary(op, ..) => !op.is_comparison(),
        _ => false,
    };
    let is_narrow =
        |ty: TypeId| ty.int_kind().is_some_and(|kind| kind.is_signed() && kind.rank() < IntKind::Int.rank());
    if program.exprs.values().any(|expr| computes(expr) && is_narrow(expr.ty)) {
        bail!(
            "no-overflow: overflow of SINT and INT is not supported, and this program computes with them; declare them as DINT, \
             or state the limits with --require 'invariant: …' (-p names other properties)"
        );
    }
    Ok(())
}

impl CycleArgs {
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

    /// How the program is compiled; `assumed` holds in every cycle.
    pub fn options(&self, entry: &str, assumed: &[String]) -> Result<CycleOptions> {
        let requirements = self.requirements()?;
        let mut options = CycleOptions { requirements, ..CycleOptions::default() };
        options.requirements.retain(|one| one.pattern != Pattern::Assertions);
        for (index, text) in assumed.iter().enumerate() {
            let (name, parameters) = (format!("--assume {}", index + 1), vec![text.clone()]);
            options.requirements.push(Requirement { name, pattern: Pattern::Assumed, parameters });
        }
        for text in self.require.iter().filter(|text| text.ends_with(".json")) {
            options.entry = options.entry.or(of_file(Path::new(text))?.1);
        }
        if entry != "main" {
            options.entry = Some(entry.to_string());
        }
        options.constant_inputs = self.constant_input.clone();
        options.keep_in_out = self.keep_in_out;
        if let Some(text) = &self.cycle_time {
            options.time = Some(time(text).with_context(|| {
                format!("--cycle-time {text}: a time is written as 10ms or 1s, a range as 10ms..50ms; at least 1ms, at most a day")
            })?);
        }
        Ok(options)
    }

    /// Of a PLC program only what is required is checked, unless more is asked for.
    pub fn properties(&self, properties: PropertySet) -> PropertySet {
        match self.require.is_empty() || properties != PropertySet::of(Property::DEFAULT) {
            true => properties,
            false => PropertySet::of(&[Property::Assertion]),
        }
    }

    /// The first option that is not as usual.
    pub fn unusual(&self) -> Option<&'static str> {
        let chosen = [
            (!self.require.is_empty(), "--require"),
            (self.cycle_time.is_some(), "--cycle-time"),
            (!self.constant_input.is_empty(), "--constant-input"),
            (self.keep_in_out, "--keep-in-out"),
        ];
        chosen.into_iter().find_map(|(is, name)| is.then_some(name))
    }

    /// Only programs that run in cycles have them.
    pub fn check(&self, loaded: &Loaded) -> Result<()> {
        match (self.unusual(), &loaded.compiled.entry) {
            (Some(option), None) => bail!("{option} is about PLC programs"),
            _ => Ok(()),
        }
    }
}

/// `10ms`, `10ms..50ms`: the least and the greatest time in milliseconds.
pub fn time(text: &str) -> Option<(u32, u32)> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let milliseconds = |text: &str| {
        let text = text.trim().trim_start_matches("T#").trim_start_matches("t#");
        let nanoseconds = frontend::duration(text)?;
        u32::try_from(nanoseconds / 1_000_000).ok().filter(|time| (1..=86_400_000).contains(time))
    };
    milliseconds(least).zip(milliseconds(most)).filter(|(least, most)| least <= most)
}

/// `implication: a; b`
fn of_text(text: &str, number: usize) -> Result<Requirement> {
    let known = || {
        let names = Pattern::ALL.iter().filter(|(pattern, ..)| !matches!(pattern, Pattern::AtCycle | Pattern::Assumed));
        names.map(|(_, name, ..)| name.trim_start_matches("pattern-")).collect::<Vec<_>>().join(", ")
    };
    let (name, conditions) = text.split_once(':').unwrap_or((text, ""));
    let pattern = Pattern::named(name.trim())
        .filter(|pattern| !matches!(pattern, Pattern::AtCycle | Pattern::Assumed))
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

pub fn read_json(file: &Path) -> Result<Value> {
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
        entry = entry.or(property.get("entry_point").and_then(Value::as_str).map(str::to_string));
        let own = one.get("name").or(property.get("name")).and_then(Value::as_str);
        let is_new = |name: &str| !name.is_empty() && found.iter().all(|known: &Requirement| known.name != name);
        let name = own.filter(|name| is_new(name)).map_or_else(|| format!("property_{}", index + 1), str::to_string);
        found.push(of_value(name, property).with_context(|| file.display().to_string())?);
    }
    Ok((found, entry))
}

/// One requirement in the form of PLCverif.
pub fn of_value(name: String, property: &Value) -> Result<Requirement> {
    let text = |key: &str| property.get(key).and_then(Value::as_str);
    let id = match (text("job_req"), text("pattern_id")) {
        (Some("assertion"), _) => "assertion",
        (_, Some(id)) => id,
        _ => bail!("{name} has no pattern_id"),
    };
    let pattern = Pattern::named(id).with_context(|| format!("`{id}` is no pattern that is known"))?;
    // Numbered from 0 or from 1.
    let mut parameters: Vec<(i64, String)> = Vec::new();
    if let Some(Value::Object(given)) = property.get("pattern_params") {
        for (key, value) in given {
            let number = key.parse().with_context(|| format!("`{key}` is no number"))?;
            let value = value.as_str().context("a condition is a text")?;
            parameters.push((number, value.to_string()));
        }
    }
    parameters.sort();
    requirement(name, pattern, parameters.into_iter().map(|(_, text)| text).collect())
}

/// The same, written.
pub fn to_value(requirement: &Requirement) -> Value {
    let known = Pattern::ALL.iter().find(|(pattern, ..)| *pattern == requirement.pattern);
    let parameters = requirement.parameters.iter().enumerate();
    let parameters: serde_json::Map<String, Value> =
        parameters.map(|(index, text)| ((index + 1).to_string(), Value::from(text.as_str()))).collect();
    json!({
        "name": requirement.name,
        "job_req": "pattern",
        "pattern_id": known.map_or("", |(_, id, ..)| id),
        "pattern_params": parameters,
        "pattern_description": requirement.sentence().0,
    })
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

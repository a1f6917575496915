//! Properties as the user names them: by name, by group, or by a property file of the competition.

use anyhow::{Context, Result, bail};
use cfa::{Property, PropertySet};

/// Names that stand for several properties.
const GROUPS: &[(&str, &[Property])] = &[
    ("default", Property::DEFAULT),
    ("all", EVERYTHING),
    ("valid-memsafety", &[Property::ValidDeref, Property::ValidFree, Property::ValidMemtrack]),
    ("memsafety", &[Property::ValidDeref, Property::ValidFree, Property::ValidMemtrack]),
];

/// What can be asked of any program: not labels that happen to be called ERROR, nor what no engine decides (initialized) or what needs a limit.
const EVERYTHING: &[Property] = &[
    Property::UnreachCall,
    Property::Assertion,
    Property::NoOverflow,
    Property::ValidDeref,
    Property::ValidFree,
    Property::ValidMemtrack,
    Property::ValidMemcleanup,
    Property::DivByZero,
    Property::ShiftRange,
];

/// Formulas of property files, in the notation of `CHECK( init(main()), LTL(…) )`.
const FORMULAS: &[(&str, Property)] = &[
    ("G ! call(__VERIFIER_error())", Property::UnreachCall),
    ("G ! call(reach_error())", Property::UnreachCall),
    ("G ! label(ERROR)", Property::UnreachLabel),
    ("G ! overflow", Property::NoOverflow),
    ("G valid-free", Property::ValidFree),
    ("G valid-deref", Property::ValidDeref),
    ("G valid-memtrack", Property::ValidMemtrack),
    ("G valid-memcleanup", Property::ValidMemcleanup),
];

/// The properties asked for by name or by property file; the usual ones if there are none.
pub fn set(names: &[String]) -> Result<PropertySet> {
    if names.is_empty() {
        return Ok(PropertySet::of(Property::DEFAULT));
    }
    let mut set = PropertySet::EMPTY;
    for name in names {
        for property in parse(name)? {
            set = set.with(property);
        }
    }
    Ok(set)
}

pub fn parse(name: &str) -> Result<Vec<Property>> {
    if name.ends_with(".prp") {
        let text = std::fs::read_to_string(name).with_context(|| format!("cannot read the property file {name}"))?;
        return file(&text).with_context(|| format!("property file {name}"));
    }
    if let Some((_, properties)) = GROUPS.iter().find(|(group, _)| *group == name) {
        return Ok(properties.to_vec());
    }
    let Some(property) = Property::from_name(name) else {
        let groups = GROUPS.iter().map(|(group, _)| *group);
        let known: Vec<&str> = Property::ALL.iter().map(|property| property.name()).chain(groups).collect();
        bail!("unknown property `{name}` (known: {}, or a .prp file)", known.join(", "));
    };
    Ok(vec![property])
}

fn file(text: &str) -> Result<Vec<Property>> {
    let mut properties = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let formula = line
            .split_once("LTL(")
            .and_then(|(_, rest)| rest.rsplit_once(')'))
            .and_then(|(rest, _)| rest.rsplit_once(')'));
        let Some((formula, _)) = formula else { bail!("`{line}` is not of the form CHECK( init(main()), LTL(…) )") };
        let formula = formula.trim();
        match FORMULAS.iter().find(|(known, _)| *known == formula) {
            Some((_, property)) => properties.push(*property),
            None => {
                let known: Vec<&str> = FORMULAS.iter().map(|(formula, _)| *formula).collect();
                bail!("`{formula}` is not supported (supported: {})", known.join(", "))
            }
        }
    }
    if properties.is_empty() {
        bail!("it names no property");
    }
    Ok(properties)
}

//! Specifications as witnesses name them, and the properties that they stand for.

use crate::lint::forms::formula;
use cfa::Property;

/// The first formula of a property is the one that is written.
const FORMULAS: &[(Property, &str)] = &[
    (Property::UnreachCall, "G ! call(reach_error())"),
    (Property::UnreachCall, "G ! call(__VERIFIER_error())"),
    (Property::Assertion, "G assert"),
    (Property::NoOverflow, "G ! overflow"),
    (Property::ValidDeref, "G valid-deref"),
    (Property::ValidFree, "G valid-free"),
    (Property::ValidMemtrack, "G valid-memtrack"),
    (Property::ValidMemcleanup, "G valid-memcleanup"),
    (Property::ValidDeref, "G valid-memsafety"),
    (Property::ValidFree, "G valid-memsafety"),
    (Property::ValidMemtrack, "G valid-memsafety"),
    (Property::DivByZero, "G def-behavior"),
    (Property::ShiftRange, "G def-behavior"),
    (Property::Initialized, "G def-behavior"),
    (Property::ValidDeref, "G def-behavior"),
    (Property::ValidFree, "G def-behavior"),
    (Property::NoOverflow, "G def-behavior"),
];

/// The specification that a property is, for runs that begin in a function.
pub fn of(property: Property, entry: &str) -> String {
    let formula =
        FORMULAS.iter().find(|(known, _)| *known == property).map_or("G def-behavior", |(_, formula)| formula);
    format!("CHECK( init({entry}()), LTL({formula}) )")
}

/// Whether there is a formula that says just this.
pub fn is_exact(property: Property) -> bool {
    FORMULAS.iter().any(|(known, formula)| *known == property && *formula != "G def-behavior")
}

/// The properties that a specification names; empty if it is about something else. Several may stand one after the other.
pub fn properties(text: &str) -> Vec<Property> {
    let mut found = Vec::new();
    let parts = text.split("CHECK(").map(str::trim).filter(|part| !part.is_empty());
    for part in parts {
        let whole = if text.contains("CHECK(") { format!("CHECK({}", part.trim_end_matches(',')) } else { part.into() };
        let wanted = formula(&whole);
        for (property, formula) in FORMULAS {
            if formula.split_whitespace().collect::<String>() == wanted && !found.contains(property) {
                found.push(*property);
            }
        }
    }
    // Old witnesses hold the specification automaton of CPAchecker itself.
    if found.is_empty() && text.contains("AUTOMATON") && text.contains("__VERIFIER_error") {
        found.push(Property::UnreachCall);
    }
    found
}

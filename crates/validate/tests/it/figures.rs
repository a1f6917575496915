//! The figures of Beyer et al. 2022: three violation witnesses of increasing precision, and a correctness witness.

use crate::validation;
use testkit::project::root;
use validate::ValidationResult;

fn file(name: &str) -> String {
    std::fs::read_to_string(root().join("tests/witnesses/figures").join(name)).expect("the figures are there")
}

#[test]
fn violation_witnesses_of_any_precision_are_confirmed() {
    for figure in ["fig-9b", "fig-9c", "fig-9d"] {
        let found = validation(&file(&format!("{figure}.graphml")), &file("linear-inequality-inv-b.c"));
        assert_eq!(found.result, ValidationResult::Confirmed, "{figure}: {}", found.reason);
        assert_eq!(found.progress.matched, found.progress.total, "{figure}");
    }
}

#[test]
fn they_are_rejected_for_the_program_without_the_error() {
    // The third one gives all inputs, so that everything can be looked at.
    let found = validation(&file("fig-9d.graphml"), &file("linear-inequality-inv-a.c"));
    assert_eq!(found.result, ValidationResult::Rejected, "{}", found.reason);
    assert_eq!((found.progress.matched, found.progress.total), (4, 5));
}

#[test]
fn the_correctness_witness_is_rejected_where_the_property_fails() {
    let found = validation(&file("fig-13b.graphml"), &file("linear-inequality-inv-b.c"));
    assert_eq!(found.result, ValidationResult::Rejected, "{}", found.reason);
    // A smaller range of the first input can be unwound completely.
    let small = file("linear-inequality-inv-a.c").replace("if (n == 0)", "if (n == 0 || n > 5)");
    let found = validation(&file("fig-13b.graphml"), &small);
    assert_eq!(found.result, ValidationResult::Confirmed, "{}", found.reason);
    let wrong = file("fig-13b.graphml").replace("s &lt;= i * 255", "s &lt;= i * 254");
    let found = validation(&wrong, &small);
    assert_eq!(found.result, ValidationResult::Rejected, "{}", found.reason);
    assert!(found.reason.contains("254"), "{}", found.reason);
}

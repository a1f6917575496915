//! The figures of Beyer et al. 2022: flawless, and converted where the formats agree.

use crate::files::{lint_own, load, program};
use witness::convert::{Target, convert};
use witness::{Content, Witness};

const FIGURES: &[(&str, &str)] = &[
    ("fig-9b", "linear-inequality-inv-b"),
    ("fig-9c", "linear-inequality-inv-b"),
    ("fig-9d", "linear-inequality-inv-b"),
    ("fig-13b", "linear-inequality-inv-a"),
];

#[test]
fn figures_are_flawless() {
    for (figure, name) in FIGURES {
        let found = lint_own(&format!("figures/{figure}.graphml"), &format!("figures/{name}.c"));
        assert!(found.is_empty(), "{figure}: {found:?}");
    }
}

#[test]
fn a_path_becomes_a_sequence_and_comes_back() {
    let original = load("figures/fig-9d.graphml");
    let sources = program("figures/linear-inequality-inv-b.c");
    let source = sources.source();
    let sequence = convert(&original, Target::Yaml("2.0"), Some(&source)).expect("it is a path");
    let Witness::Entries(entries) = &sequence else { panic!("YAML has entries") };
    let Content::Violation(segments) = &entries[0].content else { panic!("it is a violation") };
    let places: Vec<_> = segments
        .iter()
        .map(|segment| {
            let waypoint = segment.waypoints.last().expect("a segment is not empty");
            let value = waypoint.constraint.as_ref().map_or("", |constraint| constraint.value.as_str());
            (waypoint.kind.word(), waypoint.location.line, waypoint.location.column, value)
        })
        .collect();
    assert_eq!(
        places,
        [
            ("function_return", 4, Some(44), "\\result == 2"),
            ("function_return", 12, Some(32), "\\result == 224"),
            ("function_return", 12, Some(32), "\\result == 63"),
            ("target", 17, Some(5), ""),
        ]
    );
    // No other value is allowed in between, as in the automaton.
    let avoided =
        segments.iter().flat_map(|segment| segment.waypoints.split_last().map_or(&[][..], |(_, avoided)| avoided));
    let avoided: Vec<&str> = avoided
        .filter_map(|waypoint| waypoint.constraint.as_ref())
        .map(|constraint| constraint.value.as_str())
        .collect();
    assert_eq!(avoided, ["\\result != 2", "\\result != 224", "\\result != 63"]);
    let back = convert(&sequence, Target::GraphMl, Some(&source)).expect("it came from there");
    let (Witness::Automaton(original), Witness::Automaton(back)) = (&original, &back) else { panic!("automata") };
    assert_eq!(
        (&original.producer, &original.specifications, &original.program_hash, &original.architecture),
        (&back.producer, &back.specifications, &back.program_hash, &back.architecture)
    );
    let said = |automaton: &witness::Automaton| -> Vec<_> {
        let edges = automaton.edges.iter().filter(|edge| edge.target != "sink");
        let edges = edges.filter(|edge| edge.guard.enter_function.as_deref() != Some("main"));
        edges.map(|edge| (edge.guard.start_line, edge.assumption.clone(), edge.result_function.clone())).collect()
    };
    assert_eq!(said(original), said(back));
    let again = convert(&Witness::Automaton(back.clone()), Target::Yaml("2.0"), Some(&source)).expect("still a path");
    let Witness::Entries(again) = &again else { panic!("YAML has entries") };
    assert_eq!(again[0].content, entries[0].content);
}

#[test]
fn alternatives_are_refused_as_a_sequence() {
    for figure in ["fig-9b", "fig-9c"] {
        let sources = program("figures/linear-inequality-inv-b.c");
        let original = load(&format!("figures/{figure}.graphml"));
        let reason = convert(&original, Target::Yaml("2.0"), Some(&sources.source())).expect_err(figure);
        assert!(reason.contains("ways on"), "{reason}");
    }
}

#[test]
fn invariants_go_both_ways() {
    let original = load("figures/fig-13b.graphml");
    let sources = program("figures/linear-inequality-inv-a.c");
    let source = sources.source();
    let set = convert(&original, Target::Yaml("2.0"), Some(&source)).expect("one loop, one invariant");
    let back = convert(&set, Target::GraphMl, Some(&source)).expect("it came from there");
    let again = convert(&back, Target::Yaml("2.0"), Some(&source)).expect("and again");
    let (Witness::Entries(set), Witness::Entries(again)) = (&set, &again) else { panic!("YAML has entries") };
    assert_eq!(set[0].content, again[0].content);
    let Content::Invariants(claims) = &set[0].content else { panic!("it is a correctness witness") };
    assert_eq!(claims.len(), 1);
}

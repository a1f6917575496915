//! Conversion of sequences and sets that use all that both formats can say, and the refusals.

use crate::files::{Compiled, compile};
use witness::convert::{Target, convert};
use witness::{Content, Limits, Witness, parse};

const PROGRAM: &str = "\
int input(void);
void reach_error(void);
int main(void) {
  int v = input();
  int s = v;
  while (s < 10)
    s += v;
  if (s < v)
    reach_error();
  do s--; while (s > 0);
  switch (s) { case 0: return 1; default: return 2; }
}
";

fn compiled() -> Compiled {
    compile("p.c", PROGRAM.as_bytes().to_vec())
}

fn witness(entry_type: &str, content: &str) -> Witness {
    let text = format!(
        "- entry_type: {entry_type}
  metadata:
    format_version: '2.0'
    uuid: 6f0aa4b2-7e4a-4f0c-9d7e-111111111111
    creation_time: 2026-01-01T00:00:00Z
    producer: {{name: person, version: '1'}}
    task:
      input_files: [p.c]
      input_file_hashes: {{p.c: '{}'}}
      specification: G ! call(reach_error())
      data_model: ILP32
      language: C
  content:
{content}",
        "1".repeat(64)
    );
    parse(text.as_bytes(), &Limits::default()).unwrap_or_else(|finding| panic!("{finding:?}\n{text}"))
}

fn waypoint(kind: &str, action: &str, constraint: &str, line: u32, column: u32) -> String {
    let constraint = if constraint.is_empty() { String::new() } else { format!("constraint: {{{constraint}}}, ") };
    format!(
        "    - waypoint: {{type: {kind}, action: {action}, {constraint}location: {{file_name: p.c, line: {line}, column: {column}, function: main}}}}\n"
    )
}

/// To GraphML and back: the same content.
fn there_and_back(original: &Witness) -> Result<(), String> {
    let program = compiled();
    let source = program.source();
    let automaton = convert(original, Target::GraphMl, Some(&source))?;
    let text = witness::write(&automaton)?;
    let automaton = parse(text.as_bytes(), &Limits::default()).map_err(|finding| finding.message)?;
    let back = convert(&automaton, Target::Yaml("2.0"), Some(&source))?;
    let (Witness::Entries(original), Witness::Entries(back)) = (original, &back) else { panic!("both are YAML") };
    assert_eq!(original[0].content, back[0].content);
    assert_eq!(original[0].metadata.producer, back[0].metadata.producer);
    Ok(())
}

fn target() -> String {
    format!("  - segment:\n{}", waypoint("target", "follow", "", 9, 5))
}

#[test]
fn sequences_go_there_and_back() {
    let sequence = [
        "  - segment:\n",
        &waypoint("branching", "avoid", "value: 'false'", 8, 3),
        &waypoint("function_return", "follow", "value: '\\result == 3', format: acsl_expression", 4, 17),
        "  - segment:\n",
        &waypoint("branching", "avoid", "value: 'true'", 6, 3),
        &waypoint("assumption", "follow", "value: 'v > 2 && v < 4', format: c_expression", 5, 3),
        "  - segment:\n",
        &waypoint("branching", "follow", "value: 'true'", 8, 3),
        &target(),
    ]
    .concat();
    there_and_back(&witness("violation_sequence", &sequence)).expect("both formats can say this");
}

#[test]
fn sets_go_there_and_back() {
    let set = "  - invariant: {type: loop_invariant, location: {file_name: p.c, line: 6, column: 3, function: main}, value: s >= v, format: c_expression}
  - invariant: {type: location_invariant, location: {file_name: p.c, line: 8, column: 3, function: main}, value: s >= 10, format: c_expression}
";
    there_and_back(&witness("invariant_set", set)).expect("both formats can say this");
}

#[test]
fn what_only_one_format_can_say_is_refused() {
    let refused = [
        (waypoint("branching", "follow", "value: 1", 11, 3), "switch"),
        (waypoint("function_return", "follow", "value: '\\result == 3', format: acsl_expression", 5, 3), "nothing"),
        (waypoint("branching", "follow", "value: 'true'", 1, 1), "nothing"),
    ];
    for (text, reason) in refused {
        let sequence = witness("violation_sequence", &format!("  - segment:\n{text}{}", target()));
        let found = there_and_back(&sequence).expect_err("it is refused");
        assert!(found.contains(reason), "{found}");
    }
    let set = "  - invariant: {type: loop_invariant, location: {file_name: p.c, line: 10, column: 3}, value: s > 0, format: c_expression}\n";
    let found = there_and_back(&witness("invariant_set", set)).expect_err("it is refused");
    assert!(found.contains("condition"), "{found}");
    let needs = convert(&witness("invariant_set", "    []\n"), Target::GraphMl, None).expect_err("it is refused");
    assert!(needs.contains("program is needed"), "{needs}");
}

#[test]
fn versions_change_where_they_can() {
    let cycle = format!("  - segment:\n{}", waypoint("branching", "cycle", "value: 'true'", 6, 3));
    let original = witness("violation_sequence", &cycle);
    let reason = convert(&original, Target::Yaml("2.0"), None).expect_err("2.0 has no cycles");
    assert!(reason.contains("2.1"), "{reason}");
    let Ok(Witness::Entries(newer)) = convert(&original, Target::Yaml("2.1"), None) else { panic!("2.1 has") };
    assert_eq!(newer[0].metadata.format_version, "2.1");
    assert!(matches!(newer[0].content, Content::Violation(_)));
}

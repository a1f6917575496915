//! Broken, huge and hostile texts: a finding, never a panic, never much memory.

use crate::files;
use crate::mutation::{self, mutate};
use testkit::random::Random;
use witness::convert::{Target, convert};
use witness::{Limits, lint, read};

#[test]
fn mutated_witnesses_never_panic() {
    mutation::never_panics(&files::own(), 1500);
}

#[test]
fn mutated_witnesses_of_a_program_never_panic() {
    let program = files::program("figures/linear-inequality-inv-b.c");
    let source = program.source();
    let mut texts: Vec<Vec<u8>> = files::own()
        .iter()
        .filter(|path| path.to_string_lossy().contains("figures"))
        .map(|path| std::fs::read(path).expect("it can be read"))
        .collect();
    let concrete = files::load("figures/fig-9d.graphml");
    let sequence = convert(&concrete, Target::Yaml("2.0"), Some(&source)).expect("it is a path");
    texts.push(witness::write(&sequence).expect("it can be written").into_bytes());
    let mut random = Random::new(11);
    for _ in 0..1500 {
        let mut text = texts[random.below(texts.len())].clone();
        for _ in 0..=random.below(3) {
            mutate(&mut text, &mut random);
        }
        lint::lint(&text, Some(&source), &Limits::default());
        if let Some(witness) = read(&text, &Limits::default()).witness {
            for target in [Target::GraphMl, Target::Yaml("2.0")] {
                if let Ok(converted) = convert(&witness, target, Some(&source)) {
                    let _ = witness::write(&converted);
                }
            }
        }
    }
}

fn rules(text: &str) -> Vec<&'static str> {
    lint::lint(text.as_bytes(), None, &Limits::default()).iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn entities_do_not_expand() {
    let bomb = "<!DOCTYPE g [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><graphml><graph>&b;</graph></graphml>";
    assert_eq!(rules(bomb), ["syntax"]);
    let file = "<!DOCTYPE g SYSTEM \"file:///etc/passwd\"><graphml/>";
    assert_eq!(rules(file), ["syntax"]);
    let unknown = "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><graph edgedefault=\"directed\">&file;</graph></graphml>";
    assert_eq!(rules(unknown), ["syntax"]);
    for bare in ["a & b", "a &", "&;", "&#x;", "&#xffffffffff;", "&#8;", "a < b"] {
        let text = unknown.replace("&file;", bare);
        assert!(rules(&text).contains(&"syntax"), "{bare}");
    }
}

#[test]
fn aliases_do_not_expand() {
    let mut bomb = String::from("- a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let previous = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("  a{level}: &a{level} [{previous}]\n"));
    }
    let found = lint::lint(bomb.as_bytes(), None, &Limits::default());
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(matches!(found[0].rule.id, "limit" | "syntax"), "{found:?}");
}

#[test]
fn nesting_is_limited() {
    for text in ["[".repeat(1_000_000), "- ".repeat(100_000), "{a: ".repeat(500_000)] {
        let found = rules(&text);
        assert!(matches!(found[..], ["limit" | "syntax"]), "{found:?}");
    }
    let deep = format!("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">{}", "<a>".repeat(1_000_000));
    assert!(rules(&deep).contains(&"limit"));
}

#[test]
fn size_is_limited() {
    let limits = Limits { bytes: 1000, ..Limits::default() };
    let found = lint::lint(&[b'x'; 1001], None, &limits);
    assert_eq!((found.len(), found[0].rule.id), (1, "limit"));
    let limits = Limits { elements: 100, ..Limits::default() };
    let graph = format!("<graphml><graph>{}</graph></graphml>", "<node id=\"a\"/>".repeat(200));
    let found = lint::lint(graph.as_bytes(), None, &limits);
    let limit = found.iter().find(|finding| finding.rule.id == "limit").expect("it is found");
    assert!(limit.at.line == 1 && limit.at.column > 100, "{:?}", limit.at);
}

#[test]
fn a_large_witness_is_read() {
    // About 12 MB: the time must grow with the size, not with its square.
    let edge =
        "<edge source=\"a\" target=\"a\"><data key=\"startline\">1</data><data key=\"assumption\">x == 1</data></edge>";
    let graph = format!("<graphml><graph><node id=\"a\"/>{}</graph></graphml>", edge.repeat(110_000));
    let read_one = read(graph.as_bytes(), &Limits::default());
    let Some(witness::Witness::Automaton(automaton)) = read_one.witness else { panic!("it is readable") };
    assert_eq!(automaton.edges.len(), 110_000);
    let waypoint =
        "    - waypoint:\n        type: target\n        action: follow\n        location: {file_name: a.c, line: 1}\n";
    let yaml = format!(
        "- entry_type: violation_sequence\n  metadata: {{}}\n  content:\n  - segment:\n{}",
        waypoint.repeat(40_000)
    );
    let Some(witness::Witness::Entries(entries)) = read(yaml.as_bytes(), &Limits::default()).witness else {
        panic!("it is readable")
    };
    let witness::Content::Violation(segments) = &entries[0].content else { panic!("it is a sequence") };
    assert_eq!(segments[0].waypoints.len(), 40_000);
}

#[test]
fn a_large_witness_is_shown() {
    // A path, not a star: looking through all edges for each node would take minutes.
    let mut graph = String::from("<graphml><graph>");
    for index in 0..100_000 {
        graph.push_str(&format!("<node id=\"q{index}\"/><edge source=\"q{index}\" target=\"q{}\"/>", index + 1));
    }
    graph.push_str("</graph></graphml>");
    let witness = read(graph.as_bytes(), &Limits::default()).witness.expect("it is readable");
    assert!(witness::show::text(&witness).lines().count() > 200_000);
}

#[test]
fn one_text_is_limited() {
    let long = "x == 1 && ".repeat(200_000);
    let graph = format!(
        "<graphml><graph><edge source=\"a\" target=\"a\"><data key=\"assumption\">{}</data></edge></graph></graphml>",
        long.replace('&', "&amp;")
    );
    let yaml = format!("- entry_type: \"{long}\"\n");
    for text in [graph, yaml] {
        let found = lint::lint(text.as_bytes(), None, &Limits::default());
        let limit = found.iter().find(|finding| finding.rule.id == "limit").expect("it is found");
        assert!(limit.message.contains("a text of 2000000 bytes"), "{}", limit.message);
    }
}

#[test]
fn limits_are_named() {
    let message = |text: &str, limits: &Limits| {
        let found = lint::lint(text.as_bytes(), None, limits);
        let limit = found.iter().find(|finding| finding.rule.id == "limit").expect("it is found");
        limit.message.clone()
    };
    let few = Limits { elements: 100, ..Limits::default() };
    assert_eq!(message(&"- a\n".repeat(200), &few), "the document has more than 100 values");
    assert_eq!(message(&"[".repeat(1000), &Limits::default()), "it nests deeper than 64");
    let mut bomb = String::from("- a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let previous = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("  a{level}: &a{level} [{previous}]\n"));
    }
    assert_eq!(message(&bomb, &Limits::default()), "aliases make the document much larger than its text");
}

//! The command line against enumeration: what the engine calls safe must be safe for all command lines of a few short words.

mod support;

use cfa::{Property, PropertySet};
use testkit::random::Random;

const PROGRAMS: u64 = 60;

fn condition(random: &mut Random) -> String {
    let mut pick = |choices: &[&'static str]| choices[random.below(choices.len())];
    let word = pick(&["argv[0]", "argv[1]", "argv[1]", "argv[argc - 1]", "argv[2]", "argv[argc]"]);
    match pick(&["byte", "length", "compare", "null", "count", "number", "count"]) {
        "byte" => format!("{word}[{}] == {}", pick(&["0", "1", "argc - 1"]), pick(&["0", "'a'", "'b'", "'7'"])),
        "length" => format!("strnlen({word}, 3) {} {}", pick(&["==", "<"]), pick(&["0", "1", "2", "4"])),
        "compare" => format!("strcmp({word}, {}) {} 0", pick(&["\"ab\"", "\"7\"", "argv[0]"]), pick(&["==", "<"])),
        "null" => format!("{word} == 0"),
        "number" => format!("atoi({word}) == {}", pick(&["7", "0"])),
        _ => format!("argc {} {}", pick(&["==", "<", ">"]), pick(&["1", "2", "3"])),
    }
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let conditions: Vec<String> = (0..3).map(|_| condition(&mut random)).collect();
    let write = if random.below(2) == 0 { "argv[0][0] = 'b';" } else { "" };
    format!(
        "int strcmp(const char *, const char *); int atoi(const char *); unsigned long strnlen(const char *, unsigned long);
int main(int argc, char **argv) {{
  int r = 0;
  if ({}) return 0;
  {write}
  if ({}) r++;
  if ({}) r += 2;
  //@ assert r != {};
  return 0;
}}
",
        conditions[0],
        conditions[1],
        conditions[2],
        random.below(4)
    )
}

#[test]
fn engine_and_enumeration_agree_on_command_lines() {
    let programs = support::scaled(PROGRAMS);
    let mut counts = support::Counts::default();
    let lines = support::command_lines(&["", "a", "7", "ab", "ba", "7b"]);
    for seed in 0..programs {
        let properties = match seed % 2 {
            0 => PropertySet::of(&[Property::ValidDeref]),
            _ => PropertySet::of(&[Property::Assertion]),
        };
        counts.add(support::compare(seed, &program(seed), properties, &lines));
    }
    assert!(counts.safe > 0 && counts.violated >= programs / 10, "{counts:?}");
}

//! The command line of another command about the same program: the words that were typed, without the options that it does not have.

use crate::args::Cli;
use clap::{Arg, Command, CommandFactory};

const OUTPUT: &[&str] = &["format", "json", "full", "quiet", "verbose", "show_steps", "html"];
/// Without these the question would be another one.
const MEANING: &[&str] = &[
    "entry",
    "entry_arrays",
    "entry_depth",
    "assume",
    "malloc_may_fail",
    "output_may_fail",
    "volatile",
    "mmio",
    "stack_limit",
    "char_unsigned",
    "require",
    "requirement",
    "cycle_time",
    "constant_input",
];

/// A page of all that is known begins with a search: a run that was given is shown by the command itself.
const GIVEN: &[&str] = &["inputs", "test_xml", "args", "stdin", "witness", "tests", "test_cases"];

/// `None` where no command with a program was typed, or the other one cannot be asked the same.
pub fn line(target: &str) -> Option<String> {
    let typed: Vec<String> = std::env::args().collect();
    translated(&typed, target)
}

fn translated(typed: &[String], target: &str) -> Option<String> {
    let root = Cli::command();
    let at = typed.iter().position(|word| root.find_subcommand(word).is_some())?;
    let (from, to) = (root.find_subcommand(&typed[at])?, root.find_subcommand(target)?);
    let mut words = vec!["whydunit".to_string(), target.to_string()];
    let mut rest = typed[at + 1..].iter();
    while let Some(word) = rest.next() {
        let Some(option) = option(from, word) else {
            // A file.
            if !word.starts_with("--") {
                words.push(quoted(word));
            }
            continue;
        };
        let is_apart = !word.contains('=') && (word.starts_with("--") || word.len() == 2);
        let value = if option.get_action().takes_values() && is_apart { rest.next() } else { None };
        let id = option.get_id().as_str();
        // How the answer is printed and which files are written is not asked again; other commands start from a witness.
        if OUTPUT.contains(&id) || (id == "witness" && from.get_name() == "verify") {
            continue;
        }
        if target == "report" && GIVEN.contains(&id) {
            return Some(format!("{} --html report.html", translated(typed, from.get_name())?));
        }
        match to.get_arguments().any(|other| other.get_id() == option.get_id()) {
            true => {
                words.push(quoted(word));
                words.extend(value.map(|value| quoted(value)));
            }
            false if MEANING.contains(&id) => return None,
            false => {}
        }
    }
    Some(words.join(" "))
}

fn option<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    if let Some(long) = word.strip_prefix("--") {
        let name = long.split('=').next();
        return command.get_arguments().find(|option| option.get_long() == name);
    }
    let short = word.strip_prefix('-')?.chars().next()?;
    command.get_arguments().find(|option| option.get_short() == Some(short))
}

/// As a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./=:,+@%".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_the_other_command_has_are_kept() {
        let typed = |line: &str| line.split(' ').map(String::from).collect::<Vec<_>>();
        let line = typed("/bin/whydunit verify --all --unwind 3 -DX=1 -p all --json --witness w.yml a*.c b.c");
        assert_eq!(translated(&line, "localize").unwrap(), "whydunit localize --unwind 3 -DX=1 -p all 'a*.c' b.c");
        let line = typed("whydunit --color never explain --entry=f --inputs-only --timeout 5 a.c");
        assert_eq!(translated(&line, "test").unwrap(), "whydunit test --entry=f --timeout 5 a.c");
        let line = typed("whydunit explain --inputs 1,2 --full a.c");
        assert_eq!(translated(&line, "report").unwrap(), "whydunit explain --inputs 1,2 a.c --html report.html");
        assert_eq!(translated(&typed("whydunit verify --malloc-may-fail a.c"), "test"), None);
        assert_eq!(translated(&typed("whydunit frob a.c"), "test"), None);
    }
}

//! `whydunit.toml`: options of a project. Each key is the long name of an option; what it says is put on the command line, unless the option is typed. A
//! table with the name of a command holds options of that command alone. Paths are relative to the file.

use crate::args::Cli;
use anyhow::{Context, Result, bail};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

const NAME: &str = "whydunit.toml";
/// Options whose values are paths or patterns of paths.
const PATHS: &[&str] = &["include", "compile-commands", "exclude"];

/// The words of the command line, with those of the configuration among them.
pub fn expand(words: Vec<OsString>) -> Result<Vec<OsString>> {
    let Some(path) = find(&words)? else { return Ok(words) };
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let typed = words.len();
    let all = insert(words, &text, folder).with_context(|| path.display().to_string())?;
    // They change what an answer means, and a file in a folder above is easily forgotten.
    if all.len() > typed {
        eprintln!("note: {} options are from {} (--no-config leaves them out)", all.len() - typed, path.display());
    }
    Ok(all)
}

/// The file that is named, or the nearest one in this folder and those above it.
fn find(words: &[OsString]) -> Result<Option<PathBuf>> {
    if words.iter().any(|word| word == "--no-config") {
        return Ok(None);
    }
    let mut following = words.iter().skip_while(|word| *word != "--config");
    let joined = words.iter().find_map(|word| word.to_str()?.strip_prefix("--config="));
    if let Some(named) = following.nth(1).map(PathBuf::from).or(joined.map(PathBuf::from)) {
        return Ok(Some(named));
    }
    let here = std::env::current_dir().context("there is no current folder")?;
    let found = here.ancestors().map(|folder| folder.join(NAME)).find(|path| path.is_file());
    // As it would be typed, so that messages name it briefly.
    Ok(found.map(|path| path.strip_prefix(&here).map(Path::to_path_buf).unwrap_or(path)))
}

fn insert(mut words: Vec<OsString>, text: &str, folder: &Path) -> Result<Vec<OsString>> {
    let table: Table = text.parse().context("it is no TOML")?;
    let root = Cli::command();
    check(&table, &root)?;
    // What cannot be parsed is said later, without the configuration.
    let Ok(matches) = root.clone().try_get_matches_from(&words) else { return Ok(words) };
    let Some((name, matches)) = matches.subcommand() else { return Ok(words) };
    let Some(command) = root.find_subcommand(name) else { return Ok(words) };
    let (mut command, mut matches, mut last) = (command, matches, name);
    while let Some((inner, inner_matches)) = matches.subcommand() {
        let Some(next) = command.find_subcommand(inner) else { break };
        (command, matches, last) = (next, inner_matches, inner);
    }
    let at = words.iter().position(|word| word == last).context("the command is typed")? + 1;
    let mut added = Vec::new();
    let special = table.get(name).and_then(Value::as_table);
    let general =
        table.iter().filter(|(key, value)| !value.is_table() && !special.is_some_and(|own| own.contains_key(*key)));
    for (key, value) in general.chain(special.into_iter().flatten()) {
        let Some(option) = option(command, key).filter(|option| is_open(matches, option)) else { continue };
        let option = typed(option, key, value, folder)?;
        if fits(&root, &words, at, &option) {
            added.extend(option);
        }
    }
    words.splice(at..at, added);
    Ok(words)
}

/// Whether an option has a meaning beside what was typed: not one that belongs to an option that was not, or that excludes one that was.
fn fits(root: &Command, words: &[OsString], at: usize, option: &[OsString]) -> bool {
    let mut all = words.to_vec();
    all.splice(at..at, option.iter().cloned());
    let parsed = root.clone().try_get_matches_from(all);
    !parsed.is_err_and(|error| matches!(error.kind(), ErrorKind::MissingRequiredArgument | ErrorKind::ArgumentConflict))
}

fn option<'a>(command: &'a Command, key: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|option| option.get_long() == Some(key))
}

/// Whether nothing was typed for it: what is typed comes first.
fn is_open(matches: &ArgMatches, option: &Arg) -> bool {
    let id = option.get_id().as_str();
    matches.try_contains_id(id).is_ok() && matches.value_source(id) != Some(ValueSource::CommandLine)
}

/// Every key is an option of some command.
fn check(table: &Table, root: &Command) -> Result<()> {
    fn known(command: &Command, key: &str) -> bool {
        option(command, key).is_some() || command.get_subcommands().any(|inner| known(inner, key))
    }
    for (key, value) in table {
        match value {
            Value::Table(options) => {
                let command = root.find_subcommand(key);
                let command = command.with_context(|| format!("[{key}]: there is no such command"))?;
                if let Some((option, _)) = options.iter().find(|(option, _)| !known(command, option)) {
                    bail!("[{key}] {option}: the command has no option --{option}");
                }
            }
            _ if known(root, key) => {}
            _ => bail!("{key}: no command has an option --{key}"),
        }
    }
    Ok(())
}

/// As it would be typed.
fn typed(option: &Arg, key: &str, value: &Value, folder: &Path) -> Result<Vec<OsString>> {
    let one = |value: &Value| -> Result<OsString> {
        let text = match value {
            Value::String(text) if PATHS.contains(&key) => folder.join(text).display().to_string(),
            Value::String(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            _ => bail!("{key}: a text or a number is needed"),
        };
        Ok(format!("--{key}={text}").into())
    };
    match (value, option.get_action().takes_values()) {
        (Value::Boolean(wanted), false) => Ok(wanted.then(|| format!("--{key}").into()).into_iter().collect()),
        (_, false) => bail!("{key}: true or false is needed"),
        (Value::Array(values), true) => values.iter().map(one).collect(),
        (value, true) => Ok(vec![one(value)?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &[&str], text: &str) -> Result<String> {
        let words = std::iter::once("whydunit").chain(words.iter().copied()).map(OsString::from).collect();
        let all = insert(words, text, Path::new("dir"))?;
        Ok(all.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    const TEXT: &str = "timeout = 5\nproperty = ['all', 'stack-limit']\ninclude = ['inc']\nmalloc-may-fail = true\noutput-may-fail = false\n[localize]\ntrust = ['ref_*']\ntimeout = 60\n";

    #[test]
    fn options_are_put_where_they_would_be_typed() {
        let verify = line(&["verify", "a.c"], TEXT).unwrap();
        assert_eq!(
            verify,
            "whydunit verify --include=dir/inc --malloc-may-fail --property=all --property=stack-limit --timeout=5 a.c"
        );
        assert_eq!(line(&["check", "a.c"], TEXT).unwrap(), "whydunit check --include=dir/inc a.c");
        let localize = line(&["--color", "never", "localize", "-p", "assertion", "a.c"], TEXT).unwrap();
        assert_eq!(
            localize,
            "whydunit --color never localize --include=dir/inc --malloc-may-fail --timeout=60 --trust=ref_* -p assertion a.c"
        );
        assert!(line(&["witness", "validate", "w.yml", "a.c"], TEXT).unwrap().contains("validate --include=dir/inc"));
    }

    #[test]
    fn options_that_do_not_fit_what_is_typed_are_left_out() {
        let text = "[verify]\nexclude = ['third_party/*']\n[replay]\ntest-xml = 'x.xml'\n";
        assert_eq!(line(&["verify", "a.c"], text).unwrap(), "whydunit verify a.c");
        let all = line(&["verify", "--all-entries", "a.c"], text).unwrap();
        assert_eq!(all, "whydunit verify --exclude=dir/third_party/* --all-entries a.c");
        assert_eq!(line(&["replay", "--inputs=1", "a.c"], text).unwrap(), "whydunit replay --inputs=1 a.c");
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text: &str| format!("{:#}", line(&["verify", "a.c"], text).unwrap_err());
        assert_eq!(error("tiemout = 5"), "tiemout: no command has an option --tiemout");
        assert_eq!(error("[verfy]\n"), "[verfy]: there is no such command");
        assert_eq!(error("[check]\ntrust = ['x']"), "[check] trust: the command has no option --trust");
        assert_eq!(error("malloc-may-fail = 3"), "malloc-may-fail: true or false is needed");
        assert!(error("a =").starts_with("it is no TOML"));
    }
}

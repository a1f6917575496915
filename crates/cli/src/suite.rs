//! Files of tests (`localize --tests`): a table (CSV), JSON, a suite of Test-Comp (a folder or an archive), or a folder of inputs and expected outputs.

use crate::inputs::{bytes, in_test_case, numbers, of_test_case};
use anyhow::{Context, Result, bail};
use explain::suite::{Expected, Stated, Test};
use serde::Deserialize;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The columns of a table, and the members of a test in JSON.
const FIELDS: &str = "name, args, stdin, inputs, stdout, result, verdict";

/// Whether tests are the rows of a table in a program.
pub fn is_harness(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c" || extension == "i")
}

/// The tests of a file or folder.
pub fn read(path: &Path) -> Result<Vec<Test>> {
    let tests = match path.extension().and_then(|extension| extension.to_str()) {
        _ if path.is_dir() => folder(path),
        Some("json") => json(path),
        Some("xml") => Ok(vec![test_case(path)?]),
        Some("csv") => csv(path),
        Some("zip") => archive(path),
        _ => bail!(
            "{}: tests are a .csv or .json file, a test case (.xml) or suite (.zip) of Test-Comp, a folder, or a harness (.c) with a table",
            path.display()
        ),
    }?;
    if tests.is_empty() {
        bail!("{} has no tests", path.display());
    }
    Ok(tests)
}

/// A test as JSON has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonTest {
    name: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    stdin: Option<String>,
    #[serde(default)]
    inputs: Vec<serde_json::Value>,
    stdout: Option<String>,
    result: Option<i32>,
    verdict: Option<String>,
}

fn json(path: &Path) -> Result<Vec<Test>> {
    let tests: Vec<JsonTest> = serde_json::from_slice(&bytes(path)?)
        .with_context(|| format!("{}: a list of tests is needed, each with some of {FIELDS}", path.display()))?;
    let one = |(index, test): (usize, JsonTest)| {
        let name = test.name.unwrap_or_else(|| format!("test {}", index + 1));
        let texts = test.inputs.iter().map(|value| match value {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let inputs = numbers(&texts.collect::<Vec<_>>()).with_context(|| name.clone())?;
        let stated = test.verdict.as_deref().map(stated).transpose().with_context(|| name.clone())?;
        Ok(Test {
            args: test.args.into_iter().map(String::into_bytes).collect(),
            stdin: test.stdin.map(String::into_bytes),
            inputs,
            unwritten: 0,
            expected: Expected { stdout: test.stdout.map(String::into_bytes), result: test.result, stated },
            name,
        })
    };
    tests.into_iter().enumerate().map(one).collect()
}

fn stated(word: &str) -> Result<Stated> {
    match word.trim() {
        "passes" | "pass" | "passing" => Ok(Stated::Passes),
        "fails" | "fail" | "failing" => Ok(Stated::Fails),
        other => bail!("the verdict of a test is `passes` or `fails`, not `{other}`"),
    }
}

fn csv(path: &Path) -> Result<Vec<Test>> {
    let text = String::from_utf8(bytes(path)?).with_context(|| format!("{} is not UTF-8", path.display()))?;
    let mut rows = records(&text).into_iter();
    let header = rows.next().unwrap_or_default();
    let mut tests = Vec::new();
    for (index, row) in rows.enumerate() {
        let mut test = Test { name: format!("test {}", index + 1), ..Test::default() };
        if row.len() != header.len() {
            bail!("{}: {} has {} fields, the first line has {}", path.display(), test.name, row.len(), header.len());
        }
        for (column, field) in header.iter().zip(row) {
            fill(&mut test, column.trim(), &field).with_context(|| format!("{}: {}", path.display(), test.name))?;
        }
        tests.push(test);
    }
    Ok(tests)
}

/// Gives a test what one field of a table says; an empty field says nothing, but for the texts that may be empty.
fn fill(test: &mut Test, column: &str, field: &str) -> Result<()> {
    if field.is_empty() && column != "stdin" {
        return Ok(());
    }
    match column {
        "name" => test.name = field.to_string(),
        "args" => test.args = words(field),
        "stdin" => test.stdin = Some(unescaped(field)),
        "inputs" => {
            let texts: Vec<String> =
                field.split([' ', ',', ';']).filter(|one| !one.is_empty()).map(String::from).collect();
            test.inputs = numbers(&texts)?;
        }
        "stdout" => test.expected.stdout = Some(unescaped(field)),
        "result" => test.expected.result = Some(field.trim().parse().context("the result is a number")?),
        "verdict" => test.expected.stated = Some(stated(field)?),
        other => bail!("`{other}` is no column of tests: they are {FIELDS}"),
    }
    Ok(())
}

/// Words of a command line: separated by spaces, with `"` or `'` around those that have spaces in them.
fn words(text: &str) -> Vec<Vec<u8>> {
    let mut words: Vec<Vec<u8>> = Vec::new();
    let (mut word, mut quote): (Option<Vec<u8>>, Option<char>) = (None, None);
    for letter in text.chars() {
        match (quote, letter) {
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(end), letter) if letter == end => quote = None,
            (_, letter) => {
                let mut bytes = [0; 4];
                word.get_or_insert_default().extend_from_slice(letter.encode_utf8(&mut bytes).as_bytes());
            }
        }
    }
    words.extend(word);
    words
}

/// A text in which `\n`, `\t`, `\r`, `\0` and `\\` stand for what they do in C.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let known = |letter: &u8| {
            Some(match letter {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'0' => 0,
                b'\\' => b'\\',
                _ => return None,
            })
        };
        match (byte, after.first().and_then(known)) {
            (b'\\', Some(meant)) => {
                bytes.push(meant);
                rest = &after[1..];
            }
            _ => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    bytes
}

/// The rows of a table: fields between commas, those with commas, line ends or `"` in them between `"`, where `""` is one (RFC 4180). Empty
/// lines are left out.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            letter => field.push(letter),
        }
    }
    row.push(field);
    rows.push(row);
    rows.retain(|row| row.iter().any(|field| !field.is_empty()));
    rows
}

/// How files of a folder are called that hold what a test reads, and what it writes.
const INPUTS: [&str; 4] = ["in", "input", "inp", "stdin"];
const OUTPUTS: [&str; 6] = ["out", "output", "expected", "exp", "ans", "stdout"];

/// A suite of Test-Comp, or pairs of files: `NAME.in` is the standard input, `NAME.args` the command line, `NAME.out` the expected output.
fn folder(path: &Path) -> Result<Vec<Test>> {
    let entries = std::fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut files: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|file| file.is_file()).collect();
    files.sort();
    let extension = |file: &Path| file.extension().and_then(|one| one.to_str()).unwrap_or_default().to_string();
    let cases: Vec<&PathBuf> = files.iter().filter(|file| is_test_case(file)).collect();
    if !cases.is_empty() {
        return cases.into_iter().map(|file| test_case(file)).collect();
    }
    let mut tests: Vec<(PathBuf, Test)> = Vec::new();
    for file in &files {
        let kind = extension(file);
        let (is_input, is_output) = (INPUTS.contains(&kind.as_str()), OUTPUTS.contains(&kind.as_str()));
        if !is_input && !is_output && kind != "args" {
            continue;
        }
        let stem = file.with_extension("");
        if tests.last().is_none_or(|(last, _)| *last != stem) {
            let name = stem.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
            tests.push((stem, Test { name, ..Test::default() }));
        }
        let Some((_, test)) = tests.last_mut() else { continue };
        match (is_input, is_output) {
            (true, _) => test.stdin = Some(bytes(file)?),
            (_, true) => test.expected.stdout = Some(bytes(file)?),
            _ => test.args = words(String::from_utf8_lossy(&bytes(file)?).trim_end()),
        }
    }
    if tests.is_empty() {
        bail!("{}: neither test cases of Test-Comp (.xml) nor files NAME.in, NAME.args and NAME.out", path.display());
    }
    Ok(tests.into_iter().map(|(_, test)| test).collect())
}

/// A suite of Test-Comp as it is handed out.
fn archive(path: &Path) -> Result<Vec<Test>> {
    /// A test case that unpacks to more is no list of inputs.
    const LARGEST: u64 = 10_000_000;
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut archive = zip::ZipArchive::new(file).with_context(|| format!("{} is no archive", path.display()))?;
    let mut tests = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index(index).with_context(|| format!("cannot read {}", path.display()))?;
        let name = entry.name().with_context(|| format!("{} is no archive of tests", path.display()))?.into_owned();
        if !is_test_case(Path::new(&name)) {
            continue;
        }
        let case = || format!("{}: {name}", path.display());
        let mut text = Vec::new();
        entry.take(LARGEST + 1).read_to_end(&mut text).with_context(case)?;
        if text.len() as u64 > LARGEST {
            bail!("{} is longer than {LARGEST} bytes", case());
        }
        let inputs = in_test_case(&text).with_context(case)?;
        tests.push((name.clone(), Test { name: stem(Path::new(&name)), inputs, ..Test::default() }));
    }
    // As the files of a folder.
    tests.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(tests.into_iter().map(|(_, test)| test).collect())
}

fn is_test_case(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "xml")
        && file.file_name().is_some_and(|name| name != "metadata.xml")
}

fn stem(file: &Path) -> String {
    file.file_stem().map_or(String::new(), |name| name.to_string_lossy().into_owned())
}

fn test_case(file: &Path) -> Result<Test> {
    Ok(Test { name: stem(file), inputs: of_test_case(file)?, ..Test::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables() {
        let rows = records("name,args,stdout\n\nt1,\"1 \"\"a b\"\"\",\"x,\ny\"\r\nt2,2,\n");
        assert_eq!(rows, [["name", "args", "stdout"], ["t1", "1 \"a b\"", "x,\ny"], ["t2", "2", ""]]);
        assert_eq!(words("1 \"a b\" 'c'd ''"), [b"1".to_vec(), b"a b".to_vec(), b"cd".to_vec(), b"".to_vec()]);
        assert_eq!(unescaped("a\\n\\\\n\\q"), b"a\n\\n\\q");
    }
}

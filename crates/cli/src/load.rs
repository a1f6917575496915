//! Files → source map → program. The only place that reads the disk and runs the preprocessor.

use crate::args::{Model, SourceArgs};
use anyhow::{Context, Result, bail};
use base::{FileId, SourceMap};
use cfa::DataModel;
use frontend::FRONTENDS;
use std::path::Path;
use std::process::{Command, Stdio};
use workflow::Loaded;

pub fn load(args: &SourceArgs) -> Result<Loaded> {
    load_with(args, 0, "")
}

/// As [`load`], with more text behind one of the files, which sees all of its types.
pub fn load_with(args: &SourceArgs, unit: usize, more: &str) -> Result<Loaded> {
    let mut sources = SourceMap::new();
    let mut units = Vec::new();
    for path in &args.files {
        units.push(read_unit(&mut sources, path, args)?);
    }
    if let Some(unit) = units.get_mut(unit).filter(|_| !more.is_empty()) {
        let text = [sources.text(*unit), more.as_bytes()].concat();
        let name = sources.name(*unit).to_string();
        *unit = add(&mut sources, &name, text)?;
    }
    let model = match args.model() {
        Model::Ilp32 => DataModel::Ilp32,
        Model::Lp64 => DataModel::Lp64,
    };
    let compiled = (FRONTENDS[0].compile)(&mut sources, &units, model);
    Ok(Loaded::new(sources, compiled, units))
}

/// The text to parse for one file. A preprocessed file's original is in the map too, for columns and snippets.
fn read_unit(sources: &mut SourceMap, path: &Path, args: &SourceArgs) -> Result<FileId> {
    let name = path.display().to_string();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    if !FRONTENDS.iter().any(|frontend| frontend.extensions.contains(&extension)) {
        let known: Vec<String> = FRONTENDS
            .iter()
            .flat_map(|frontend| frontend.extensions)
            .map(|extension| format!(".{extension}"))
            .collect();
        bail!("{name}: not a program file that is known here (known: {})", known.join(", "));
    }
    let text = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    let defines = !args.reading.define.is_empty();
    if extension == "i" || !(defines || has_directives(&text) || mentions_predefined_macro(&text)) {
        return add(sources, &name, text);
    }
    let keep_comments = contains(&text, b"//@") || contains(&text, b"/*@");
    add(sources, &name, text)?;
    let preprocessed = preprocess(path, args, keep_comments)?;
    add(sources, &name, preprocessed)
}

fn add(sources: &mut SourceMap, name: &str, text: Vec<u8>) -> Result<FileId> {
    sources.add(name, text).with_context(|| format!("{name}: the program is larger than 4 GiB"))
}

/// Whether a text needs the preprocessor: it has a directive other than line markers and pragmas.
fn has_directives(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').any(|line| {
        let line = line.trim_ascii_start();
        let Some(rest) = line.strip_prefix(b"#") else { return false };
        let rest = rest.trim_ascii_start();
        let marker = rest.first().is_none_or(u8::is_ascii_digit);
        !marker && !rest.starts_with(b"line") && !rest.starts_with(b"pragma") && !rest.starts_with(b"ident")
    })
}

/// Whether a text has a word that gcc's preprocessor replaces without any definition, such as `__INT_MAX__` or `__LINE__`.
fn mentions_predefined_macro(text: &[u8]) -> bool {
    const OTHERS: [&[u8]; 16] = [
        b"linux",
        b"unix",
        b"i386",
        b"_LP64",
        b"__linux",
        b"__linux__",
        b"__gnu_linux__",
        b"__unix",
        b"__unix__",
        b"__i386",
        b"__i386__",
        b"__x86_64",
        b"__x86_64__",
        b"__amd64",
        b"__amd64__",
        b"__k8__",
    ];
    // Names of objects, not macros.
    const FUNCTION_NAMES: [&[u8]; 2] = [b"__FUNCTION__", b"__PRETTY_FUNCTION__"];
    text.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_')).any(|word| {
        let reserved = word.len() > 4 && word.starts_with(b"__") && word.ends_with(b"__");
        let upper = word.iter().any(u8::is_ascii_uppercase) && !word.iter().any(u8::is_ascii_lowercase);
        OTHERS.contains(&word) || (reserved && upper && !FUNCTION_NAMES.contains(&word))
    })
}

fn contains(text: &[u8], needle: &[u8]) -> bool {
    text.windows(needle.len()).any(|window| window == needle)
}

fn preprocess(path: &Path, args: &SourceArgs, keep_comments: bool) -> Result<Vec<u8>> {
    let attempt = run_preprocessor(path, args, keep_comments, &[])?;
    match attempt {
        Ok(text) => Ok(text),
        Err(_) if args.model() == Model::Ilp32 => {
            // A 64-bit system often lacks the few headers that only 32-bit programs need.
            let stubs = StubHeaders::create()?;
            let text = run_preprocessor(path, args, keep_comments, &stubs.options())?;
            text.map_err(|message| anyhow::anyhow!("{}: the preprocessor failed\n{message}", path.display()))
        }
        Err(message) => bail!("{}: the preprocessor failed\n{message}", path.display()),
    }
}

/// Runs the preprocessor; the inner error is what it printed.
fn run_preprocessor(
    path: &Path,
    args: &SourceArgs,
    keep_comments: bool,
    extra: &[String],
) -> Result<std::result::Result<Vec<u8>, String>> {
    let mut words = args.reading.cpp.split_whitespace();
    let program = words.next().context("--cpp is empty")?;
    let mut command = Command::new(program);
    command.args(words);
    if args.model() == Model::Ilp32 {
        // Without these gcc computes floats in x87 registers, with more precision than their types have; here nothing does.
        command.args(["-m32", "-msse2", "-mfpmath=sse"]);
    }
    if keep_comments {
        command.arg("-C");
    }
    command.args(extra);
    for directory in &args.reading.include {
        command.arg("-I").arg(directory);
    }
    command.args(args.reading.define.iter().map(|define| format!("-D{define}")));
    command.arg(path).stdin(Stdio::null());
    let output = command.output().with_context(|| {
        format!("cannot run the preprocessor `{program}` (choose another with --cpp, or give a .i file)")
    })?;
    Ok(match output.status.success() {
        true => Ok(output.stdout),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    })
}

/// A temporary directory with the empty `gnu/stubs-32.h` that glibc's headers ask for.
struct StubHeaders {
    directory: tempfile::TempDir,
}

impl StubHeaders {
    fn create() -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("whydunit-stubs-").tempdir();
        let directory = directory.context("cannot create a temporary directory")?;
        let gnu = directory.path().join("gnu");
        std::fs::create_dir(&gnu).context("cannot create a temporary directory")?;
        std::fs::write(gnu.join("stubs-32.h"), "").context("cannot write a temporary file")?;
        Ok(StubHeaders { directory })
    }

    fn options(&self) -> Vec<String> {
        let mut options = vec!["-isystem".into(), self.directory.path().display().to_string()];
        let multiarch = Path::new("/usr/include/x86_64-linux-gnu");
        if multiarch.is_dir() {
            options.extend(["-idirafter".into(), multiarch.display().to_string()]);
        }
        options
    }
}

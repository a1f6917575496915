//! Files → source map → program. The only place that reads programs and runs the preprocessor.

use crate::args::{Cli, Command as Subcommand, Model, SourceArgs};
use crate::suite;
use anyhow::{Context, Result, bail};
use base::{FileId, SourceMap};
use batch::compiler_call::{self, CompilerCall};
use frontend::{CompileOptions, FRONTENDS, Frontend, Preprocessing};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use workflow::Loaded;

pub fn load(args: &SourceArgs) -> Result<Loaded> {
    load_with(args, &CompileOptions::of(args.data_model()), None)
}

/// A harness with tests is part of the program.
pub fn use_harness(cli: &mut Cli) {
    let Subcommand::Localize(args) = &mut cli.command else { return };
    let files = &mut args.failure.question.source.files;
    let absolute = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    if let Some(harness) = args.tests.as_ref().filter(|path| suite::is_harness(path))
        && !files.iter().any(|file| absolute(file) == absolute(harness))
    {
        files.push(harness.clone());
    }
}

/// What a list of compiler calls says about the whole program is as if it was typed.
pub fn use_compiler_calls(cli: &mut Cli) -> Result<()> {
    let Some((source, environment)) = cli.program() else { return Ok(()) };
    let calls = compiler_calls(source)?;
    if source.reading.data_model.is_none() && calls.iter().any(|call| call.ilp32) {
        if calls.iter().any(|call| !call.ilp32) {
            bail!("some of the files are compiled with -m32 and some without; choose with --data-model");
        }
        source.reading.data_model = Some(Model::Ilp32);
    }
    if let (Some(environment), true) = (environment, calls.iter().any(|call| call.unsigned_char)) {
        environment.char_unsigned = true;
    }
    Ok(())
}

/// The compiler call of each file, if a list of them is given.
fn compiler_calls(args: &SourceArgs) -> Result<Vec<CompilerCall>> {
    let Some(list) = &args.reading.compile_commands else { return Ok(Vec::new()) };
    let mut all = compiler_call::read(list)?;
    let mut calls = Vec::new();
    for file in &args.files {
        let found = compiler_call::find(&all, file).map(|call| call.file.clone());
        let index = all.iter().position(|call| Some(&call.file) == found.as_ref());
        let index = index.with_context(|| format!("{} has no compiler call in {}", file.display(), list.display()))?;
        calls.push(all.swap_remove(index));
    }
    Ok(calls)
}

/// As [`load`], with options, and with more text behind one of the files, which sees all of its types.
pub fn load_with(args: &SourceArgs, options: &CompileOptions, more: Option<(usize, &str)>) -> Result<Loaded> {
    let language = language(&args.files)?;
    let mut sources = SourceMap::new();
    let mut units = Vec::new();
    let calls = compiler_calls(args)?;
    // Commands that take no options about the environment read the text as it is compiled too.
    let unsigned_char = options.unsigned_char || calls.iter().any(|call| call.unsigned_char);
    let options = &CompileOptions { unsigned_char, ..options.clone() };
    if args.reading.data_model.is_none() && calls.iter().any(|call| call.ilp32) {
        bail!("the files are compiled with -m32: give --data-model ilp32");
    }
    for (path, texts) in args.files.iter().zip(unit_texts(language, args, options, &calls)) {
        let name = path.display().to_string();
        let UnitTexts { typed, preprocessed } = texts?;
        let unit = add(&mut sources, &name, typed)?;
        units.push(preprocessed.map_or(Ok(unit), |text| add(&mut sources, &name, text))?);
    }
    if let Some((unit, more)) = more
        && let Some(unit) = units.get_mut(unit)
    {
        let text = [sources.text(*unit), more.as_bytes()].concat();
        let name = sources.name(*unit).to_string();
        *unit = add(&mut sources, &name, text)?;
    }
    let compiled = (language.compile)(&mut sources, &units, options);
    Ok(Loaded::new(sources, compiled, units, options.clone()))
}

/// The language that all files are written in.
fn language(files: &[PathBuf]) -> Result<&'static Frontend> {
    let mut languages = files.iter().map(|file| {
        frontend::for_extension(extension(file)).with_context(|| {
            let known: Vec<String> = FRONTENDS
                .iter()
                .flat_map(|frontend| frontend.extensions)
                .map(|extension| format!(".{extension}"))
                .collect();
            format!("{}: not a program file that is known here (known: {})", file.display(), known.join(", "))
        })
    });
    let first = languages.next().context("no file is given")??;
    for other in languages {
        let other = other?;
        if other.language != first.language {
            bail!(
                "files in {} and in {} cannot be linked into one program: give them to separate commands",
                first.language,
                other.language
            );
        }
    }
    Ok(first)
}

fn extension(file: &Path) -> &str {
    file.extension().and_then(|extension| extension.to_str()).unwrap_or("")
}

/// One file as it is typed, and the text to parse if that is another one. Both are in the source map, for columns and snippets.
struct UnitTexts {
    typed: Vec<u8>,
    preprocessed: Option<Vec<u8>>,
}

/// The texts of all files. To start a preprocessor takes longer than to parse what it gives, so several run at a time.
fn unit_texts(
    language: &Frontend,
    args: &SourceArgs,
    options: &CompileOptions,
    calls: &[CompilerCall],
) -> Vec<Result<UnitTexts>> {
    let one = |index: usize| {
        let flags = calls.get(index).map_or(&[][..], |call| &call.preprocessor);
        read_unit(&args.files[index], language, args, options, flags)
    };
    let count = args.files.len();
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get()).min(count);
    if workers < 2 {
        return (0..count).map(one).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < count);
        std::iter::from_fn(take).map(|index| (index, one(index))).collect::<Vec<_>>()
    };
    let mut texts: Vec<(usize, Result<UnitTexts>)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    });
    texts.sort_by_key(|(index, _)| *index);
    texts.into_iter().map(|(_, text)| text).collect()
}

fn read_unit(
    path: &Path,
    language: &Frontend,
    args: &SourceArgs,
    options: &CompileOptions,
    flags: &[String],
) -> Result<UnitTexts> {
    let typed = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let defines = !args.reading.define.is_empty() || !flags.is_empty();
    let wanted = |preprocessing: &&Preprocessing| {
        !preprocessing.done_in.contains(&extension(path)) && (defines || (preprocessing.is_needed)(&typed))
    };
    let Some(preprocessing) = language.preprocessing.as_ref().filter(wanted) else {
        return Ok(UnitTexts { typed, preprocessed: None });
    };
    let mut flags = flags.to_vec();
    if options.unsigned_char {
        flags.push("-funsigned-char".to_string());
    }
    let preprocessed = preprocess(path, args, (preprocessing.keeps_comments)(&typed), &flags)?;
    Ok(UnitTexts { typed, preprocessed: Some(preprocessed) })
}

fn add(sources: &mut SourceMap, name: &str, text: Vec<u8>) -> Result<FileId> {
    sources.add(name, text).with_context(|| format!("{name}: the program is larger than 4 GiB"))
}

fn preprocess(path: &Path, args: &SourceArgs, keep_comments: bool, flags: &[String]) -> Result<Vec<u8>> {
    let attempt = run_preprocessor(path, args, keep_comments, flags)?;
    match attempt {
        Ok(text) => Ok(text),
        Err(_) if args.model() == Model::Ilp32 => {
            // A 64-bit system often lacks the few headers that only 32-bit programs need.
            let stubs = StubHeaders::create()?;
            let text = run_preprocessor(path, args, keep_comments, &[flags, &stubs.options()].concat())?;
            text.map_err(|message| anyhow::anyhow!("{}: the preprocessor failed\n{message}", path.display()))
        }
        Err(message) => bail!(
            "{}: the preprocessor failed (-I DIR adds a folder for #include, -D NAME=VALUE a macro, --cpp COMMAND is another preprocessor)\n{message}",
            path.display()
        ),
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

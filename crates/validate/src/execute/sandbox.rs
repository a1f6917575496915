//! Compiles a harness and runs it: in a process of its own, in an empty directory, without descriptors or environment of ours, under limits of
//! processor time, memory, file size and wall-clock time.

use super::harness::{Harness, Needs, is_memory, sanitizers};
use cfa::{DataModel, Property};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const CPU_SECONDS: u64 = 10;
const MEMORY: u64 = 4 << 30;
const FILE_SIZE: u64 = 1 << 20;
/// What of the output is looked at.
const OUTPUT: u64 = 1 << 16;

const RUNTIME: &str = include_str!("runtime.c");
const START: [(DataModel, &str); 2] =
    [(DataModel::Ilp32, include_str!("start32.s")), (DataModel::Lp64, include_str!("start64.s"))];
const ALLOCATOR: &str = include_str!("allocator.c");

/// How a run ended, as the system says.
pub struct Ended {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stderr: String,
    pub in_time: bool,
}

/// A directory that lives as long as this, with a name that cannot be guessed.
pub struct Directory(TempDir);

/// The directories that exist, and the processes that work in them.
static OPEN: Mutex<Open> = Mutex::new(Open { folders: Vec::new(), groups: Vec::new() });

struct Open {
    folders: Vec<PathBuf>,
    groups: Vec<i32>,
}

fn open() -> MutexGuard<'static, Open> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Directory {
    pub fn create() -> Result<Directory, String> {
        let folder = tempfile::Builder::new().prefix("whydunit-").tempdir();
        let folder = folder.map_err(|error| format!("cannot create a temporary directory: {error}"))?;
        open().folders.push(folder.path().into());
        Ok(Directory(folder))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        open().folders.retain(|folder| folder != self.0.path());
    }
}

/// Ends the processes that were started here and removes their directories, before this process is ended at once.
pub fn discard() {
    let open = open();
    for group in &open.groups {
        // SAFETY: the group is the one that a child was put in, and the child has not been waited for yet.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
    for folder in &open.folders {
        // Best effort: what is left in the temporary directory does no harm.
        std::fs::remove_dir_all(folder).ok();
    }
}

/// How the harness is compiled on this machine.
pub struct Recipe {
    pub flags: Vec<String>,
    /// Files beside the program and the harness.
    pub extra: Vec<(&'static str, &'static str)>,
    /// What comes behind the harness where that is behind the program.
    behind: &'static str,
    /// Whether the address sanitizer watches.
    pub watched: bool,
    /// Whether pages that cannot be touched lie beside allocations: after them, or before them with `-DWHYDUNIT_GUARDED_BEFORE`.
    pub guarded: bool,
}

/// The flags that do not depend on what is linked.
fn flags(harness: &Harness) -> Vec<String> {
    let mut flags = vec!["-O0", "-w", "-std=gnu11", "-fno-strict-aliasing", "-fcommon", "-ftrivial-auto-var-init=zero"];
    flags.extend(sanitizers(harness));
    match harness.model {
        // Floats without extra precision, as on the wider machine.
        DataModel::Ilp32 => flags.extend(["-m32", "-msse2", "-mfpmath=sse"]),
        DataModel::Lp64 => flags.push("-m64"),
    }
    let wraps = harness.wraps.iter().map(|name| format!("-Wl,--wrap={name}"));
    flags.into_iter().map(String::from).chain(wraps).collect()
}

const ALONE: [&str; 6] = ["-nostdlib", "-static", "-no-pie", "-fno-pie", "-fno-stack-protector", "-fno-builtin"];

/// The runtime watches accesses beside variables: what the compiler has for kernels needs no library.
const WATCHES: [&str; 6] = [
    "-fsanitize=kernel-address",
    "-fasan-shadow-offset=0x20000000",
    "--param",
    "asan-globals=1",
    "--param",
    "asan-stack=1",
];

/// Without any library, where nothing of one is needed: linking with one takes longer than compiling a small program.
fn bare(harness: &Harness) -> Option<Recipe> {
    if harness.needs == Needs::Library || is_memory(harness.properties) {
        return None;
    }
    let start = START.iter().find(|(model, _)| *model == harness.model)?.1;
    let mut flags = flags(harness);
    flags.extend(ALONE.map(String::from));
    // What is missing ends the run only if it is called, and that is no observation.
    flags.push("-Wl,--unresolved-symbols=ignore-all".into());
    let behind = if harness.needs == Needs::Memory { ALLOCATOR } else { "" };
    Some(Recipe { flags, extra: vec![("start.s", start)], behind, watched: false, guarded: false })
}

/// The recipes that may show a violation here, the best first. For 32-bit machines there is a runtime of our own: it also watches the memory
/// before variables, which the address sanitizer does not, and needs no C library, which many machines lack.
pub fn recipes(harness: &Harness, compiler: &str) -> Vec<Recipe> {
    let linked = with_library(harness);
    if harness.model != DataModel::Ilp32 {
        return vec![linked];
    }
    let alone = with_own_runtime(harness);
    if !has_library(compiler) {
        return vec![alone];
    }
    match is_memory(harness.properties) {
        true if harness.needs == Needs::Library => vec![linked, alone],
        true => vec![alone, linked],
        false => vec![linked],
    }
}

fn with_library(harness: &Harness) -> Recipe {
    let mut flags = flags(harness);
    let memory = is_memory(harness.properties);
    if memory {
        flags.push("-fsanitize=address".into());
    }
    Recipe { flags, extra: Vec::new(), behind: "", watched: memory, guarded: false }
}

fn with_own_runtime(harness: &Harness) -> Recipe {
    let mut flags = flags(harness);
    flags.extend(ALONE.map(String::from));
    for (property, define) in
        [(Property::ValidMemcleanup, "-DWHYDUNIT_CLEANUP"), (Property::ValidMemtrack, "-DWHYDUNIT_TRACK")]
    {
        if harness.properties.contains(property) {
            flags.push(define.into());
        }
    }
    let memory = is_memory(harness.properties);
    if memory {
        flags.push("-DWHYDUNIT_GUARDED".into());
        flags.extend(WATCHES.map(String::from));
    }
    Recipe { flags, extra: vec![("runtime.c", RUNTIME)], behind: "", watched: false, guarded: memory }
}

/// Whether programs for 32-bit machines can be linked with a C library here.
fn has_library(compiler: &str) -> bool {
    let output = Command::new(compiler).args(["-m32", "-print-file-name=crt1.o"]).output();
    output.is_ok_and(|output| output.stdout.starts_with(b"/"))
}

/// What came of compiling.
pub struct Compiled {
    pub binary: PathBuf,
    pub recipe: Recipe,
}

/// Compiles without a library, if that can be done: it is quicker, and what then is observed was observed.
pub fn compile_bare(
    harness: &Harness,
    compiler: &str,
    folder: &Path,
    limit: Duration,
) -> Result<Option<Compiled>, String> {
    let Some(recipe) = bare(harness) else { return Ok(None) };
    let ended = attempt(harness, &recipe, Layout::Together, &[], compiler, folder, limit)?;
    Ok((ended.code == Some(0)).then(|| Compiled { binary: folder.join("run"), recipe }))
}

/// Compiles; the error is what there is to say about it.
pub fn compile(
    harness: &Harness,
    mut recipe: Recipe,
    compiler: &str,
    folder: &Path,
    limit: Duration,
) -> Result<Compiled, String> {
    if let Err(reason) = compile_as(harness, &recipe, compiler, folder, limit) {
        // Not all compilers can watch.
        let all = recipe.flags.len();
        recipe.flags.retain(|flag| !WATCHES.contains(&flag.as_str()));
        if recipe.flags.len() == all {
            return Err(reason);
        }
        compile_as(harness, &recipe, compiler, folder, limit)?;
    }
    Ok(Compiled { binary: folder.join("run"), recipe })
}

/// Compiles as a recipe says.
pub fn compile_as(
    harness: &Harness,
    recipe: &Recipe,
    compiler: &str,
    folder: &Path,
    limit: Duration,
) -> Result<(), String> {
    let start = Instant::now();
    let attempt = |layout: Layout, more: &[&str]| {
        attempt(harness, recipe, layout, more, compiler, folder, limit.saturating_sub(start.elapsed()))
    };
    let mut ended = attempt(Layout::Together, &[])?;
    if ended.code != Some(0) && ended.in_time {
        ended = attempt(Layout::Apart, &[])?;
    }
    // Old programs mean something else by `inline`.
    if ended.code != Some(0) && ended.stderr.contains("undefined reference") {
        ended = attempt(Layout::Apart, &["-fgnu89-inline"])?;
    }
    if ended.code == Some(0) {
        return Ok(());
    }
    if !ended.in_time {
        return Err(format!("`{compiler}` did not end in time"));
    }
    let line = ended.stderr.lines().find(|line| line.contains("error") || line.contains("undefined reference"));
    let line: String = line.or(ended.stderr.lines().next()).unwrap_or("no message").chars().take(200).collect();
    Err(format!("the program does not compile with `{compiler}`: {line}"))
}

/// Where the harness is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// Behind the first unit of the program.
    Together,
    /// In a file of its own.
    Apart,
}

fn attempt(
    harness: &Harness,
    recipe: &Recipe,
    layout: Layout,
    more: &[&str],
    compiler: &str,
    folder: &Path,
    limit: Duration,
) -> Result<Ended, String> {
    let write = |name: &str, text: &[u8]| {
        std::fs::write(folder.join(name), text).map_err(|error| format!("cannot write {name}: {error}"))?;
        Ok::<String, String>(name.to_string())
    };
    let mut files = Vec::new();
    for (name, text) in &recipe.extra {
        files.push(write(name, text.as_bytes())?);
    }
    let mut behind = (layout == Layout::Together).then_some(&harness.behind);
    for (index, unit) in harness.units.iter().enumerate() {
        let name = format!("program{index}.i");
        files.push(match behind.take() {
            Some(behind) => write(
                &name,
                &[unit, b"\n# 1 \"harness.c\"\n".as_slice(), behind.as_bytes(), recipe.behind.as_bytes()].concat(),
            )?,
            None => write(&name, unit)?,
        });
    }
    if layout == Layout::Apart || harness.units.is_empty() {
        files.push(write("harness.c", harness.text.as_bytes())?);
    }
    let mut command = Command::new(compiler);
    command.current_dir(folder).args(&recipe.flags).args(more).arg("-pipe").args(&files).args(["-o", "run"]);
    if recipe.extra.is_empty() {
        command.arg("-lm");
    }
    watch(&mut command, limit).map_err(|error| format!("cannot run `{compiler}`: {error}"))
}

/// Runs what was compiled.
pub fn run(binary: &Path, harness: &Harness, recipe: &Recipe, wall: Duration) -> Result<Ended, String> {
    let empty = Directory::create()?;
    let mut command = Command::new(binary);
    let words: Vec<&std::ffi::OsStr> =
        harness.args.words.iter().map(|word| std::ffi::OsStr::from_bytes(word)).collect();
    if let [first, rest @ ..] = words.as_slice() {
        command.arg0(first).args(rest);
    }
    command.env_clear().current_dir(empty.path());
    let watched = recipe.watched;
    if watched {
        let leaks = [Property::ValidMemtrack, Property::ValidMemcleanup];
        let leaks = leaks.iter().any(|property| harness.properties.contains(*property));
        let options = format!(
            "detect_leaks={}:detect_stack_use_after_return=1:exitcode=112:malloc_fill_byte=0:max_malloc_fill_size=1073741824:hard_rss_limit_mb=4096",
            u8::from(leaks)
        );
        command.env("ASAN_OPTIONS", options);
    }
    let limit = move || {
        let set = |resource, most: u64| {
            let most = libc::rlimit { rlim_cur: most, rlim_max: most };
            // SAFETY: the structure is valid for the time of the call.
            match unsafe { libc::setrlimit(resource, &most) } {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        };
        set(libc::RLIMIT_CPU, CPU_SECONDS)?;
        set(libc::RLIMIT_FSIZE, FILE_SIZE)?;
        set(libc::RLIMIT_CORE, 0)?;
        // The address sanitizer reserves more addresses than there is memory.
        if !watched {
            set(libc::RLIMIT_AS, MEMORY)?;
        }
        // SAFETY: closing descriptors that this process no longer uses; the process is about to become another program.
        unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 4) };
        Ok(())
    };
    // SAFETY: the closure calls nothing but system calls.
    unsafe { command.pre_exec(limit) };
    watch(&mut command, wall).map_err(|error| format!("cannot run the compiled program: {error}"))
}

/// Waits for a process, and ends it and all that it started when its time is over.
fn watch(command: &mut Command, limit: Duration) -> std::io::Result<Ended> {
    let start = Instant::now();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    let mut child = {
        // Who discards everything must see what is started.
        let mut open = open();
        let child = command.spawn()?;
        open.groups.push(child.id() as i32);
        child
    };
    let group = child.id() as i32;
    let stderr = child.stderr.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(stderr) = stderr {
            let mut limited = stderr.take(OUTPUT);
            limited.read_to_end(&mut text).ok();
            // The rest is read and forgotten, so that the writer is not stopped by it.
            std::io::copy(&mut limited.into_inner(), &mut std::io::sink()).ok();
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    let ended = wait(&mut child, group, start + limit);
    open().groups.retain(|known| *known != group);
    let (status, in_time) = ended?;
    let stderr = reader.join().unwrap_or_default();
    Ok(Ended { code: status.code(), signal: status.signal(), stderr, in_time })
}

/// How a child ends, and whether it does so by itself.
fn wait(child: &mut Child, group: i32, deadline: Instant) -> std::io::Result<(ExitStatus, bool)> {
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, true));
        }
        if Instant::now() > deadline {
            // SAFETY: the group is the one that the child was put in.
            unsafe { libc::kill(-group, libc::SIGKILL) };
            return Ok((child.wait()?, false));
        }
        std::thread::sleep(pause);
        pause = (pause * 3 / 2).min(Duration::from_millis(5));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cfa::PropertySet;
    use std::os::unix::fs::PermissionsExt;

    /// A machine with a C library for 32-bit programs has two ways to look at memory, and both are tried.
    #[test]
    fn memory_of_32_bit_programs_is_watched_with_and_without_a_library() {
        let folder = Directory::create().expect("a directory can be made");
        let compiler = |name: &str, found: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\necho {found}\n")).expect("a file can be written");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
            path.display().to_string()
        };
        let (with, without) = (compiler("with", "/usr/lib32/crt1.o"), compiler("without", "crt1.o"));
        let own = |compiler: &str, model: DataModel, needs: Needs, property: Property| -> Vec<bool> {
            let harness = Harness {
                units: Vec::new(),
                text: String::new(),
                behind: String::new(),
                needs,
                wraps: Vec::new(),
                needs_copy: None,
                sanitized: true,
                model,
                args: Default::default(),
                properties: PropertySet::of(&[property]),
            };
            recipes(&harness, compiler).iter().map(|recipe| !recipe.extra.is_empty()).collect()
        };
        let (deref, reach) = (Property::ValidDeref, Property::UnreachCall);
        assert_eq!(own(&with, DataModel::Ilp32, Needs::Memory, deref), [true, false]);
        assert_eq!(own(&with, DataModel::Ilp32, Needs::Library, deref), [false, true]);
        assert_eq!(own(&with, DataModel::Ilp32, Needs::Memory, reach), [false]);
        assert_eq!(own(&without, DataModel::Ilp32, Needs::Library, deref), [true]);
        assert_eq!(own(&without, DataModel::Lp64, Needs::Library, deref), [false]);
    }
}

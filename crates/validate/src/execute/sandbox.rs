//! Compiles a harness and runs it: in a process of its own, in an empty directory, without descriptors or environment of ours, under limits of
//! processor time, memory, file size and wall-clock time.

use super::harness::{Harness, is_memory, sanitizers};
use cfa::{DataModel, Property};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const CPU_SECONDS: u64 = 10;
const MEMORY: u64 = 4 << 30;
const FILE_SIZE: u64 = 1 << 20;
/// What of the output is looked at.
const OUTPUT: u64 = 1 << 16;
const COMPILE_SECONDS: u64 = 60;

const RUNTIME: &str = include_str!("runtime.c");

/// How a run ended, as the system says.
pub struct Ended {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub stderr: String,
    pub in_time: bool,
}

/// A directory that lives as long as this.
pub struct Directory(pub PathBuf);

impl Directory {
    pub fn create() -> Result<Directory, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("whydunit-run-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).map_err(|error| format!("cannot create a temporary directory: {error}"))?;
        Ok(Directory(path))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // Best effort: what is left in the temporary directory harms nobody.
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// How the harness is compiled on this machine.
pub struct Recipe {
    pub flags: Vec<String>,
    /// Files beside the program and the harness.
    pub extra: Vec<(&'static str, &'static str)>,
    /// Whether the address sanitizer watches.
    pub watched: bool,
    /// Whether pages that cannot be touched lie beside allocations: after them, or before them with `-DWHYDUNIT_GUARDED_BEFORE`.
    pub guarded: bool,
}

pub fn recipe(harness: &Harness, compiler: &str) -> Recipe {
    let mut flags: Vec<String> =
        ["-O0", "-g", "-w", "-std=gnu11", "-fno-strict-aliasing", "-fcommon", "-ftrivial-auto-var-init=zero"]
            .map(String::from)
            .to_vec();
    flags.extend(sanitizers(harness.properties).into_iter().map(String::from));
    let memory = is_memory(harness.properties);
    let narrow = harness.model == DataModel::Ilp32;
    flags.push(if narrow { "-m32" } else { "-m64" }.into());
    if narrow {
        // Floats without extra precision, as on the wider machine.
        flags.extend(["-msse2", "-mfpmath=sse"].map(String::from));
    }
    if narrow && !has_library(compiler) {
        flags.extend(
            ["-nostdlib", "-static", "-no-pie", "-fno-pie", "-fno-stack-protector", "-fno-builtin"].map(String::from),
        );
        for (property, define) in
            [(Property::ValidMemcleanup, "-DWHYDUNIT_CLEANUP"), (Property::ValidMemtrack, "-DWHYDUNIT_TRACK")]
        {
            if harness.properties.contains(property) {
                flags.push(define.into());
            }
        }
        if memory {
            flags.push("-DWHYDUNIT_GUARDED".into());
        }
        return Recipe { flags, extra: vec![("runtime.c", RUNTIME)], watched: false, guarded: memory };
    }
    if memory {
        flags.push("-fsanitize=address".into());
    }
    Recipe { flags, extra: Vec::new(), watched: memory, guarded: false }
}

/// Whether programs for 32-bit machines can be linked with a C library here.
fn has_library(compiler: &str) -> bool {
    let output = Command::new(compiler).args(["-m32", "-print-file-name=crt1.o"]).output();
    output.is_ok_and(|output| output.stdout.starts_with(b"/"))
}

/// Compiles; the error is what there is to say about it.
pub fn compile(harness: &Harness, recipe: &Recipe, compiler: &str, folder: &Path) -> Result<PathBuf, String> {
    let write = |name: &str, text: &[u8]| {
        std::fs::write(folder.join(name), text).map_err(|error| format!("cannot write {name}: {error}"))?;
        Ok::<String, String>(name.to_string())
    };
    let mut files = Vec::new();
    for (name, text) in &recipe.extra {
        files.push(write(name, text.as_bytes())?);
    }
    for (index, unit) in harness.units.iter().enumerate() {
        files.push(write(&format!("program{index}.i"), unit)?);
    }
    files.push(write("harness.c", harness.text.as_bytes())?);
    let attempt = |more: &[&str]| {
        let mut command = Command::new(compiler);
        command.current_dir(folder).args(&recipe.flags).args(more).args(&files).args(["-o", "run"]);
        if recipe.extra.is_empty() {
            command.arg("-lm");
        }
        let limit = Duration::from_secs(COMPILE_SECONDS);
        watch(&mut command, limit).map_err(|error| format!("cannot run `{compiler}`: {error}"))
    };
    let mut ended = attempt(&[])?;
    // Old programs mean something else by `inline`.
    if ended.code != Some(0) && ended.stderr.contains("undefined reference") {
        ended = attempt(&["-fgnu89-inline"])?;
    }
    match ended.code {
        Some(0) => Ok(folder.join("run")),
        _ => {
            let line = ended.stderr.lines().find(|line| line.contains("error") || line.contains("undefined reference"));
            let line: String = line.or(ended.stderr.lines().next()).unwrap_or("no message").chars().take(200).collect();
            Err(format!("the program does not compile with `{compiler}`: {line}"))
        }
    }
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
    command.env_clear().current_dir(&empty.0);
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
        // SAFETY: closing descriptors that nobody here uses any more; the process is about to become another program.
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
    let mut child = command.spawn()?;
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
    let mut in_time = true;
    let mut pause = Duration::from_micros(500);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > limit {
            in_time = false;
            // SAFETY: the group is the one that the child was put in.
            unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
            break child.wait()?;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    let stderr = reader.join().unwrap_or_default();
    Ok(Ended { code: status.code(), signal: status.signal(), stderr, in_time })
}

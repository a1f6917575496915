//! Runs with a small fake tool: what it does is what the name of its task says.

mod faults;
mod lists;
mod runs;

use batch::{Event, Limits, Row, Settings, Task};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Answers, or does something bad, by the first argument.
const TOOL: &str = r#"#!/bin/sh
case "$1" in
  true) echo "verdict: true"; exit 0;;
  false) echo "verdict: false(unreach-call)"; exit 10;;
  unknown) echo "verdict: unknown(out of time)"; exit 30;;
  crash) kill -SEGV $$;;
  killed) kill -KILL $$;;
  hang) sleep 60;;
  ignore) trap '' TERM; while :; do sleep 0.1; done;;
  daemon) setsid sh -c 'setsid sleep 300 & sleep 300' >/dev/null 2>&1 & sleep 0.2; echo "verdict: true"; exit 0;;
  nested) (setsid sleep 300 &) ; sleep 60;;
  eat) exec perl -e 'my @l; while (1) { push @l, "x" x 4000000; select(undef, undef, undef, 0.005); }';;
  spin) while :; do :; done;;
  big) exec yes;;
  keeper) (setsid sleep 300 &); kill -KILL $PPID; sleep 60;;
  hidden) env -i sleep 301.25 & sleep 0.2; kill -KILL $PPID; sleep 60;;
  slow) sleep "$2"; echo "verdict: true"; exit 0;;
  bad) echo "error: the program has errors" >&2; exit 2;;
esac
"#;

pub struct Bench {
    pub folder: tempfile::TempDir,
    pub tool: PathBuf,
}

impl Default for Bench {
    fn default() -> Self {
        Self::new()
    }
}

impl Bench {
    pub fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let tool = folder.path().join("tool.sh");
        std::fs::write(&tool, TOOL).unwrap();
        std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
        Bench { folder, tool }
    }

    pub fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    pub fn settings(&self) -> Settings {
        Settings {
            tool: self.tool.clone(),
            jobs: 4,
            limits: Limits { wall_s: Some(1.0), cpu_s: None, memory_mb: Some(200), file_mb: Some(1) },
            resume: None,
            cluster: None,
            interrupted: Arc::new(AtomicBool::new(false)),
        }
    }

    pub fn run(&self, tasks: &[Task], settings: &Settings) -> anyhow::Result<Vec<Row>> {
        batch::run(tasks, settings, &self.out(), &mut |_: Event<'_>| {})?;
        batch::results::read(&self.out())
    }
}

pub fn task(name: &str, args: &[&str]) -> Task {
    let args = args.iter().map(|arg| arg.to_string()).collect();
    Task { name: name.into(), property: "unreach-call".into(), expected: None, args, problem: None }
}

pub fn tasks(kinds: &[&str]) -> Vec<Task> {
    kinds.iter().enumerate().map(|(index, kind)| task(&format!("{index}-{kind}"), &[kind])).collect()
}

/// Processes that run what a test started, by a number of seconds that only it sleeps, or its folder.
pub fn processes_with(text: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let line = |path: PathBuf| {
        std::fs::read(path.join("cmdline")).ok().map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
    };
    entries.filter_map(|entry| line(entry.path())).filter(|line| line.contains(text)).collect()
}

/// The processes of tasks of a folder that are still there, after a moment.
pub fn left_of(folder: &Path) -> Vec<String> {
    std::thread::sleep(std::time::Duration::from_millis(200));
    let text = folder.display().to_string();
    let own = |entry: std::fs::DirEntry| {
        let environment = std::fs::read(entry.path().join("environ")).ok()?;
        let environment = String::from_utf8_lossy(&environment).into_owned();
        let marked = environment.contains(&format!("WHYDUNIT_BATCH_TASK={}-", std::process::id()));
        let folder = std::fs::read_link(entry.path().join("fd/1")).ok()?.display().to_string();
        (marked && folder.contains(&text)).then(|| {
            String::from_utf8_lossy(&std::fs::read(entry.path().join("cmdline")).unwrap_or_default()).into_owned()
        })
    };
    std::fs::read_dir("/proc").unwrap().flatten().filter_map(own).collect()
}

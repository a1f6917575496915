//! Faults of tasks, of the run and of the disk: each is named, nothing is lost, nothing is left behind.

use crate::{Bench, left_of, processes_with, task, tasks};
use batch::outcome::Status;
use batch::{Limits, Rerun};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn verdicts(kinds: &[&str], limits: Limits) -> Vec<(String, Option<String>)> {
    let bench = Bench::new();
    let settings = batch::Settings { limits, ..bench.settings() };
    let rows = bench.run(&tasks(kinds), &settings).unwrap();
    let left = left_of(bench.folder.path());
    assert!(left.is_empty(), "left behind: {left:?}");
    rows.into_iter().map(|row| (row.verdict, row.reason)).collect()
}

fn usual() -> Limits {
    Limits { wall_s: Some(1.0), cpu_s: None, memory_mb: Some(100), file_mb: Some(1) }
}

#[test]
fn crashes_and_kills_are_rows() {
    let found = verdicts(&["true", "crash", "killed", "bad", "false"], usual());
    let names: Vec<&str> = found.iter().map(|(verdict, _)| verdict.as_str()).collect();
    assert_eq!(names, ["true", "crash", "killed", "error", "false(unreach-call)"]);
    assert_eq!(found[2].1.as_deref(), Some("signal 9 (SIGKILL)"));
    assert_eq!(found[3].1.as_deref(), Some("error: the program has errors"));
}

#[test]
fn time_limits_hold_also_against_a_task_that_ignores_the_signal() {
    let start = Instant::now();
    let found = verdicts(&["hang", "ignore", "nested"], usual());
    assert!(found.iter().all(|(verdict, _)| verdict == "timeout"), "{found:?}");
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
}

#[test]
fn memory_limits_hold() {
    let found = verdicts(&["eat"], Limits { wall_s: Some(20.0), ..usual() });
    assert_eq!(found[0], ("out-of-memory".into(), Some("memory limit of 100 MB".into())));
}

#[test]
fn limits_of_processor_time_hold() {
    let found = verdicts(&["spin"], Limits { cpu_s: Some(0.3), wall_s: Some(20.0), ..usual() });
    assert_eq!(found[0], ("timeout".into(), Some("limit of processor time of 0.3 s".into())));
}

#[test]
fn a_task_cannot_fill_the_disk() {
    let found = verdicts(&["big"], usual());
    assert_eq!(found[0].0, "killed");
    assert!(found[0].1.as_ref().is_some_and(|reason| reason.contains("too large")), "{found:?}");
}

#[test]
fn processes_that_a_task_leaves_behind_are_ended_and_counted() {
    let found = verdicts(&["daemon"], Limits { wall_s: Some(10.0), ..usual() });
    assert_eq!(found[0].0, "true");
    assert!(found[0].1.as_ref().is_some_and(|reason| reason.contains("left behind")), "{found:?}");
}

#[test]
fn a_keeper_that_is_killed_leaves_nothing() {
    let found = verdicts(&["keeper", "true"], Limits { wall_s: Some(10.0), ..usual() });
    assert_eq!(found[0].0, "killed");
    assert_eq!(found[1].0, "true");
}

#[test]
fn a_keeper_that_is_killed_leaves_no_process_without_environment() {
    let found = verdicts(&["hidden"], Limits { wall_s: Some(10.0), ..usual() });
    assert_eq!(found[0].0, "killed");
    let left = processes_with("sleep 301.25");
    assert!(left.is_empty(), "left behind: {left:?}");
}

#[test]
fn a_tool_that_is_not_there_is_named() {
    let bench = Bench::new();
    let settings = batch::Settings { tool: "/nowhere/tool".into(), ..bench.settings() };
    let rows = bench.run(&tasks(&["true"]), &settings).unwrap();
    assert_eq!(rows[0].status, Status::Error);
    assert!(rows[0].reason.as_ref().unwrap().contains("No such file"), "{rows:?}");
}

#[test]
fn an_unreadable_task_is_one_row() {
    let bench = Bench::new();
    let tasks = [task("good", &["true"]), batch::Task::unreadable("bad.yml", "cannot read bad.yml")];
    let rows = bench.run(&tasks, &bench.settings()).unwrap();
    assert_eq!((rows[0].verdict.as_str(), rows[1].verdict.as_str()), ("true", "error"));
    assert_eq!(rows[1].reason.as_deref(), Some("cannot read bad.yml"));
}

/// Runs this test program again as a process of its own, which does a run in a folder.
fn run_elsewhere(folder: &Path) -> std::process::Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "faults::child", "--nocapture"]).env("BATCH_TEST_FOLDER", folder);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn slow_tasks() -> Vec<batch::Task> {
    (0..12).map(|index| task(&format!("t{index:02}"), &["slow", if index < 4 { "0.05" } else { "1.7319" }])).collect()
}

/// Does nothing by itself: the body of the process that other tests kill.
#[test]
fn child() {
    let Some(folder) = std::env::var_os("BATCH_TEST_FOLDER") else { return };
    let mut bench = Bench::new();
    bench.tool = Path::new(&folder).join("tool.sh");
    let settings = batch::Settings { jobs: 2, limits: Limits { wall_s: Some(10.0), ..usual() }, ..bench.settings() };
    batch::run(&slow_tasks(), &settings, &Path::new(&folder).join("out"), &mut |_| {}).unwrap();
}

#[test]
fn a_run_that_is_killed_is_resumed_without_loss() {
    let bench = Bench::new();
    let mut child = run_elsewhere(bench.folder.path());
    let results = bench.out().join("results.jsonl");
    let start = Instant::now();
    while std::fs::read_to_string(&results).map_or(0, |text| text.lines().count()) < 4 {
        assert!(start.elapsed() < Duration::from_secs(20), "no results");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(100));
    child.kill().unwrap();
    child.wait().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let left = processes_with("sleep 1.7319");
    assert!(left.is_empty(), "left behind: {left:?}");
    // Half a line, as a run leaves it that is killed while it writes.
    let mut text = std::fs::read_to_string(&results).unwrap();
    let before = text.lines().count();
    text.push_str("{\"task\":\"t1");
    std::fs::write(&results, text).unwrap();
    let limits = Limits { wall_s: Some(10.0), ..usual() };
    let mut run = 0;
    let settings = batch::Settings { jobs: 12, limits, resume: Some(Rerun::default()), ..bench.settings() };
    batch::run(&slow_tasks(), &settings, &bench.out(), &mut |event| {
        run += usize::from(matches!(event, batch::Event::Ended(..)))
    })
    .unwrap();
    let rows = batch::results::read(&bench.out()).unwrap();
    assert_eq!(run, 12 - before);
    let names: Vec<String> = (0..12).map(|index| format!("t{index:02}")).collect();
    assert_eq!(rows.iter().map(|row| row.task.clone()).collect::<Vec<_>>(), names);
    assert!(rows.iter().all(|row| row.verdict == "true"), "{rows:?}");
}

/// A disk that is full: a small file system of its own, which only some may mount.
#[test]
#[allow(clippy::print_stderr, reason = "it says why it is skipped")]
fn a_full_disk_stops_the_run_and_keeps_what_was_written() {
    let bench = Bench::new();
    std::fs::create_dir(bench.out()).unwrap();
    let mount = |args: &[&str]| {
        Command::new("mount")
            .args(args)
            .arg(bench.out())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if !mount(&["-t", "tmpfs", "-o", "size=64k", "none"]) {
        eprintln!("skipped: a small file system cannot be mounted here");
        return;
    }
    let many: Vec<batch::Task> = (0..400).map(|index| task(&format!("t{index:03}"), &["true"])).collect();
    let error = bench.run(&many, &bench.settings()).map(drop).unwrap_err();
    let kept = batch::results::read(&bench.out()).unwrap();
    let larger = mount(&["-o", "remount,size=16m"]);
    let settings = batch::Settings { resume: Some(Rerun::default()), ..bench.settings() };
    let rows = bench.run(&many, &settings);
    Command::new("umount").arg(bench.out()).status().unwrap();
    assert!(format!("{error:#}").contains("No space left"), "{error:#}");
    assert!(larger && kept.len() < 400);
    let rows = rows.unwrap();
    assert_eq!(rows.len(), 400);
    assert!(rows.iter().all(|row| row.verdict == "true"));
}

//! Results of whole runs: order, files, resuming, interruption.

use crate::{Bench, task, tasks};
use batch::outcome::Status;
use batch::{Expected, Rerun};
use std::sync::atomic::Ordering;

#[test]
fn results_are_in_the_order_of_the_list() {
    let bench = Bench::new();
    let list: Vec<batch::Task> = (0..8)
        .map(|index| task(&format!("t{index}"), &["slow", if index % 2 == 0 { "0.3" } else { "0.01" }]))
        .collect();
    let rows = bench.run(&list, &bench.settings()).unwrap();
    assert!(rows.iter().map(|row| &row.task).eq(list.iter().map(|task| &task.name)));
    let csv = std::fs::read_to_string(bench.out().join("results.csv")).unwrap();
    assert_eq!(csv.lines().count(), 9);
    assert!(csv.lines().nth(3).unwrap().starts_with("t2,unreach-call,,true,decided,"), "{csv}");
    let xml = std::fs::read_to_string(bench.out().join("results.xml")).unwrap();
    assert!(xml.contains("tests=\"8\" failures=\"0\" errors=\"0\"") && xml.ends_with("</testsuites>\n"), "{xml}");
    assert!(rows.iter().all(|row| row.memory_mb > 0.1 && row.wall_s > 0.0));
}

#[test]
fn results_that_are_there_are_neither_overwritten_nor_run_again() {
    let bench = Bench::new();
    let list = tasks(&["true", "bad", "false"]);
    bench.run(&list, &bench.settings()).unwrap();
    let error = bench.run(&list, &bench.settings()).unwrap_err();
    assert!(error.to_string().contains("--resume"), "{error}");
    let count = |resume: Rerun, list: &[batch::Task]| {
        let settings = batch::Settings { resume: Some(resume), ..bench.settings() };
        let mut run = 0;
        batch::run(list, &settings, &bench.out(), &mut |event| {
            run += usize::from(matches!(event, batch::Event::Ended(..)))
        })
        .unwrap();
        run
    };
    assert_eq!(count(Rerun::default(), &list), 0);
    assert_eq!(count(Rerun(vec![Status::Error]), &list), 1);
    // A task before the others moves them, and their files.
    let longer: Vec<batch::Task> = std::iter::once(task("new", &["true"])).chain(list).collect();
    assert_eq!(count(Rerun::default(), &longer), 1);
    let rows = batch::results::read(&bench.out()).unwrap();
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|row| bench.out().join(format!("files/{}.txt", row.files)).exists()), "{rows:?}");
}

#[test]
fn other_options_are_another_run() {
    let bench = Bench::new();
    bench.run(&[task("t", &["true"])], &bench.settings()).unwrap();
    let settings = batch::Settings { resume: Some(Rerun::default()), ..bench.settings() };
    let error = bench.run(&[task("t", &["false"])], &settings).unwrap_err();
    assert!(error.to_string().contains("other options"), "{error}");
}

#[test]
fn an_interrupted_run_keeps_what_ended() {
    let bench = Bench::new();
    let list = [task("quick", &["true"]), task("long", &["slow", "50"])];
    let settings = batch::Settings {
        limits: batch::Limits { wall_s: Some(60.0), ..batch::Limits::default() },
        ..bench.settings()
    };
    let flag = settings.interrupted.clone();
    let finished = batch::run(&list, &settings, &bench.out(), &mut |_| flag.store(true, Ordering::Relaxed)).unwrap();
    assert!(finished.interrupted);
    let rows = batch::results::read(&bench.out()).unwrap();
    assert_eq!(rows.iter().map(|row| row.task.as_str()).collect::<Vec<_>>(), ["quick"]);
}

#[test]
fn the_page_shows_every_task_and_links_its_files() {
    let bench = Bench::new();
    let mut list = tasks(&["true", "false", "bad"]);
    list[1].expected = Some(Expected { holds: true, subproperty: None });
    let rows = bench.run(&list, &bench.settings()).unwrap();
    let compared = batch::compare::compare(&rows, &rows);
    let page = bench.folder.path().join("page.html");
    let against = Some(("old", rows.as_slice(), &compared));
    batch::html::write(&page, &batch::html::Page { title: "a <run>", rows: &rows, folder: &bench.out(), against })
        .unwrap();
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.contains("a &lt;run&gt;") && !text.contains("a <run>"));
    assert_eq!(text.matches("data-status=").count(), 3);
    assert!(text.contains("href=\"out/files/00002-1-false.unreach-call.txt\""), "{text}");
    assert_eq!(text.matches("<circle").count(), 3);
    assert!(!text.contains("src=") && !text.contains("http://cdn") && !text.contains("https://"));
}

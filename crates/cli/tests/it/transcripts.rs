//! The transcripts of the README and the guide are what the commands print: a block ```` ```console ```` holds commands after `$ ` and what follows them.
//! `WHYDUNIT_BLESS` writes them anew.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;
use testkit::diff;
use testkit::project::{files_below, root};

fn pages() -> Vec<PathBuf> {
    let mut pages = files_below(&root().join("docs/guide/src"), &["md"]);
    pages.push(root().join("README.md"));
    pages
}

/// The text with the transcripts as they are now, and how many commands there are.
fn executed(text: &str) -> (String, usize) {
    let (mut out, mut commands, mut inside) = (String::new(), 0, false);
    for line in text.lines() {
        match (inside, line) {
            (false, _) => inside = line == "```console",
            (true, "```") => inside = false,
            (true, _) => {
                let Some(command) = line.strip_prefix("$ ") else { continue };
                let space = if out.ends_with("```console\n") { "" } else { "\n" };
                write!(out, "{space}{line}\n{}", run(command)).expect("writing to a string");
                commands += 1;
                continue;
            }
        }
        writeln!(out, "{line}").expect("writing to a string");
    }
    (out, commands)
}

/// Times are never the same: `12.3 ms` becomes `… ms`.
fn without_times(text: &str) -> String {
    let words = |line: &str| -> String {
        if let Some((before, _)) = line.split_once("new/old ") {
            return format!("{before}new/old … (geometric mean), … (sums)");
        }
        let Some((before, after)) = line.split_once(" ms") else { return line.to_string() };
        let start = before.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        match start.len() < before.len() {
            true => format!("{}  … ms{after}", start.trim_end()),
            false => line.to_string(),
        }
    };
    let text = text.lines().map(words).collect::<Vec<_>>().join("\n");
    without_resources(&text)
}

/// Nor are processor time and memory, the last columns of a table.
fn without_resources(text: &str) -> String {
    let mut inside = false;
    let line = |line: &str| {
        inside = (inside || line.ends_with(" MB")) && !line.is_empty();
        let Some((before, _)) = line.rsplit_once(' ').filter(|_| inside && !line.ends_with(" MB")) else {
            return line.to_string();
        };
        let before = before.trim_end().trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        format!("{before}…   …")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn run(command: &str) -> String {
    let line = command.strip_prefix("whydunit ").unwrap_or_else(|| panic!("not a command of ours: {command}"));
    let tool = env!("CARGO_BIN_EXE_whydunit");
    let output = Command::new("sh")
        .args(["-c", &format!("'{tool}' {line} 2>&1")])
        .current_dir(root())
        .env("COLUMNS", "110")
        .output()
        .expect("the shell runs");
    let text = without_times(&String::from_utf8_lossy(&output.stdout));
    let text = text.trim_end();
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

#[test]
fn transcripts_are_true() {
    let mut all = 0;
    // Runs of `batch` begin in new folders.
    std::fs::remove_dir_all(root().join("target/guide")).ok();
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("the page is there");
        let (now, commands) = executed(&text);
        all += commands;
        if std::env::var_os("WHYDUNIT_BLESS").is_some() {
            // Another test reads the summary at the same time.
            if text != now {
                std::fs::write(&page, now).expect("the page can be written");
            }
            continue;
        }
        assert!(text == now, "{}: `cargo xtask bless` accepts this\n{}", page.display(), diff(&text, &now));
    }
    assert!(all >= 20, "only {all} commands");
}

#[test]
fn every_page_of_the_guide_is_in_its_summary() {
    let folder = root().join("docs/guide/src");
    let summary = std::fs::read_to_string(folder.join("SUMMARY.md")).expect("the summary is there");
    for page in files_below(&folder, &["md"]) {
        let name = page.strip_prefix(&folder).expect("below").display().to_string();
        assert!(name == "SUMMARY.md" || summary.contains(&format!("]({name})")), "{name}");
    }
    let links = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for link in links {
        assert!(folder.join(link).is_file(), "{link} is not there");
    }
}

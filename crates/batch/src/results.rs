//! The folder of a run: `tasks.jsonl` (the list), `results.jsonl`, `results.csv` and `results.xml` (JUnit), which grow while tasks end, and `files/` with what each
//! task printed and wrote.
//!
//! `results.jsonl` is what counts: the others, and a resumed run, are made of it. While a run goes on it is in the order in which tasks end; when the run is over it
//! is in the order of the list. Of a row only its place in the file stays in memory.

use crate::junit::Junit;
use crate::outcome::{Outcome, Status};
use crate::process::{Ended, How};
use crate::task::Task;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// One line of `results.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub task: String,
    pub property: String,
    pub expected: Option<String>,
    pub verdict: String,
    pub status: Status,
    pub reason: Option<String>,
    pub cpu_s: f64,
    pub wall_s: f64,
    pub memory_mb: f64,
    pub exit_code: Option<i32>,
    /// Files of the task are called `files/STEM.*`.
    pub files: String,
}

impl Row {
    pub fn new(task: &Task, index: usize, outcome: Outcome, ended: Option<&Ended>) -> Row {
        let round = |value: f64, digits: f64| (value * digits).round() / digits;
        Row {
            task: task.name.clone(),
            property: task.property.clone(),
            expected: task.expected.as_ref().map(|expected| expected.text()),
            verdict: outcome.verdict,
            status: outcome.status,
            reason: outcome.reason,
            cpu_s: ended.map_or(0.0, |ended| round(ended.cpu_s, 1e4)),
            wall_s: ended.map_or(0.0, |ended| round(ended.wall_s, 1e4)),
            memory_mb: ended.map_or(0.0, |ended| round(ended.peak_bytes as f64 / (1 << 20) as f64, 10.0)),
            exit_code: ended.and_then(|ended| match ended.how {
                How::Exited(code) => Some(code),
                _ => None,
            }),
            files: task.file_stem(index),
        }
    }

    /// `true` or `false`, if that is the answer.
    pub fn answer(&self) -> Option<bool> {
        match self.verdict.split('(').next() {
            Some("true" | "confirmed") => Some(true),
            Some("false" | "rejected") => Some(false),
            _ => None,
        }
    }

    fn key(&self) -> (String, String) {
        (self.task.clone(), self.property.clone())
    }
}

pub const RESULTS: &str = "results.jsonl";
const TASKS: &str = "tasks.jsonl";
const COLUMNS: [&str; 11] = [
    "task",
    "property",
    "expected",
    "verdict",
    "status",
    "reason",
    "cpu_s",
    "wall_s",
    "memory_mb",
    "exit_code",
    "files",
];

/// The results of a run, open for more.
pub struct Store {
    folder: PathBuf,
    lines: File,
    /// Bytes of complete lines.
    length: u64,
    table: File,
    junit: Junit,
    /// Where the row of each task starts.
    starts: Vec<Option<u64>>,
}

impl Store {
    /// Results of these tasks in a folder. With `resume`, those that are there are kept, unless `again` says otherwise.
    pub fn open(
        folder: &Path,
        tasks: &[Task],
        resume: bool,
        again: &dyn Fn(&Row) -> bool,
    ) -> Result<(Store, Vec<Row>)> {
        let path = folder.join(RESULTS);
        if path.exists() && !resume {
            bail!(
                "{} holds the results of another run: continue it with --resume, or choose another folder with --out",
                folder.display()
            );
        }
        fs::create_dir_all(folder.join("files")).with_context(|| format!("cannot create {}", folder.display()))?;
        let mut kept: BTreeMap<usize, Row> = BTreeMap::new();
        if path.exists() {
            let places: BTreeMap<(String, String), usize> = tasks
                .iter()
                .enumerate()
                .map(|(index, task)| ((task.name.clone(), task.property.clone()), index))
                .collect();
            check_same(&folder.join(TASKS), tasks, &places)?;
            for row in read_rows(&path)?.filter(|row| !again(row)) {
                if let Some(index) = places.get(&row.key()) {
                    kept.insert(
                        *index,
                        Row { files: renamed(folder, &row.files, &tasks[*index].file_stem(*index)), ..row },
                    );
                }
            }
        }
        write_whole(&folder.join(TASKS), |out| {
            tasks.iter().try_for_each(|task| Ok(writeln!(out, "{}", serde_json::to_string(task)?)?))
        })?;
        write_whole(&path, |_| Ok(()))?;
        let lines = OpenOptions::new().append(true).read(true).open(&path)?;
        let table = File::create(folder.join("results.csv")).context("cannot write results.csv")?;
        let junit = Junit::create(&folder.join("results.xml"))?;
        let mut store =
            Store { folder: folder.to_path_buf(), lines, length: 0, table, junit, starts: vec![None; tasks.len()] };
        store.write_csv(&COLUMNS.map(String::from))?;
        for (index, row) in &kept {
            store.add(*index, row)?;
        }
        Ok((store, kept.into_values().collect()))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Tasks without a row, in order.
    pub fn pending(&self) -> Vec<usize> {
        (0..self.starts.len()).filter(|index| self.starts[*index].is_none()).collect()
    }

    pub fn has(&self, index: usize) -> bool {
        self.starts[index].is_some()
    }

    /// One more row. If it cannot be written, the rows before it stay complete.
    pub fn add(&mut self, index: usize, row: &Row) -> Result<()> {
        let mut line = serde_json::to_vec(row)?;
        line.push(b'\n');
        if let Err(error) = self.lines.write_all(&line) {
            // Half a line would be taken for damage.
            self.lines.set_len(self.length).ok();
            return Err(error).with_context(|| format!("cannot write {}", self.folder.join(RESULTS).display()));
        }
        self.starts[index] = Some(self.length);
        self.length += line.len() as u64;
        self.write_csv(&fields(row))?;
        self.junit.add(row)
    }

    fn write_csv(&mut self, fields: &[String]) -> Result<()> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(fields)?;
        let line = writer.into_inner().map_err(|error| error.into_error())?;
        self.table
            .write_all(&line)
            .with_context(|| format!("cannot write {}", self.folder.join("results.csv").display()))
    }

    /// Puts all files into the order of the list; each is replaced at once.
    pub fn finish(self) -> Result<()> {
        let path = self.folder.join(RESULTS);
        let mut lines = BufReader::new(File::open(&path)?);
        let starts: Vec<u64> = self.starts.iter().flatten().copied().collect();
        write_whole(&path, |out| {
            let mut line = Vec::new();
            for start in &starts {
                lines.seek(SeekFrom::Start(*start))?;
                line.clear();
                lines.read_until(b'\n', &mut line)?;
                out.write_all(&line)?;
            }
            Ok(())
        })?;
        write_whole(&self.folder.join("results.csv"), |out| {
            let mut writer = csv::Writer::from_writer(out);
            writer.write_record(COLUMNS)?;
            for row in read_rows(&path)? {
                writer.write_record(fields(&row))?;
            }
            Ok(writer.flush()?)
        })?;
        crate::junit::write_finished(&self.folder.join("results.xml"), || read_rows(&path))
    }
}

fn fields(row: &Row) -> Vec<String> {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    vec![
        row.task.clone(),
        row.property.clone(),
        text(&row.expected),
        row.verdict.clone(),
        row.status.name().to_string(),
        text(&row.reason),
        row.cpu_s.to_string(),
        row.wall_s.to_string(),
        row.memory_mb.to_string(),
        row.exit_code.map_or(String::new(), |code| code.to_string()),
        row.files.clone(),
    ]
}

/// The rows of a results file, one at a time. The last line may be cut off, if the run that wrote it was killed.
pub fn read_rows(path: &Path) -> Result<impl Iterator<Item = Row> + use<>> {
    let file = BufReader::new(File::open(path).with_context(|| format!("cannot read {}", path.display()))?);
    Ok(file.split(b'\n').map_while(|line| line.ok()).filter_map(|line| serde_json::from_slice(&line).ok()))
}

/// The rows of a run, given its folder or its `results.jsonl`.
pub fn read(path: &Path) -> Result<Vec<Row>> {
    let file = if path.is_dir() { path.join(RESULTS) } else { path.to_path_buf() };
    Ok(read_rows(&file)?.collect())
}

/// The tasks of a run; workers of a cluster take theirs from it.
pub fn read_tasks(folder: &Path) -> Result<Vec<Task>> {
    let path = folder.join(TASKS);
    let file = BufReader::new(File::open(&path).with_context(|| format!("cannot read {}", path.display()))?);
    let parse = |line: std::io::Result<String>| Ok(serde_json::from_str(&line?)?);
    file.lines().map(parse).collect::<Result<_>>().with_context(|| format!("{} is damaged", path.display()))
}

/// Results of the same task with other options are no results of this run.
fn check_same(path: &Path, tasks: &[Task], places: &BTreeMap<(String, String), usize>) -> Result<()> {
    if !path.exists() {
        return Ok(());
    }
    let earlier = read_tasks(path.parent().unwrap_or(Path::new("")))?;
    for task in earlier {
        let now = places.get(&(task.name.clone(), task.property.clone())).map(|index| &tasks[*index]);
        if let Some(now) = now.filter(|now| now.args != task.args && task.problem.is_none()) {
            bail!(
                "{} was run with other options (before: `{}`, now: `{}`); give the same to --resume, or choose another folder with --out",
                task.name,
                task.args.join(" "),
                now.args.join(" ")
            );
        }
    }
    Ok(())
}

/// Files of a task keep their names with its row; if the list has changed, they get new ones.
fn renamed(folder: &Path, old: &str, new: &str) -> String {
    if old != new {
        let files = folder.join("files");
        for entry in fs::read_dir(&files).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some(rest) = name.strip_prefix(old).filter(|rest| rest.starts_with('.')) {
                fs::rename(entry.path(), files.join(format!("{new}{rest}"))).ok();
            }
        }
    }
    new.to_string()
}

/// Writes a file beside its place and moves it there, so that a reader never sees half of it.
pub fn write_whole(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    let written = File::create(&beside).map_err(anyhow::Error::from).and_then(|file| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.flush()?;
        Ok(fs::rename(&beside, path)?)
    });
    if written.is_err() {
        fs::remove_file(&beside).ok();
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// The beginning of a file, as much as is needed to see what it says.
pub fn beginning(path: &Path) -> String {
    let mut text = Vec::new();
    if let Ok(file) = File::open(path) {
        file.take(1 << 16).read_to_end(&mut text).ok();
    }
    String::from_utf8_lossy(&text).into_owned()
}

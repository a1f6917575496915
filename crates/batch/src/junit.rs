//! Results as JUnit XML, which CI servers show. The file is complete after every row: the closing tags are written again behind each.

use crate::outcome::Status;
use crate::results::{Row, write_whole};
use crate::task::Task;
use anyhow::{Context, Result};
use base::markup::xml as escape;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const OPEN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"whydunit batch\">\n";
const CLOSE: &str = "</testsuite>\n</testsuites>\n";

pub struct Junit {
    path: PathBuf,
    file: File,
    /// Where the closing tags begin.
    end: u64,
}

impl Junit {
    pub fn create(path: &Path) -> Result<Junit> {
        let mut file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        file.write_all(format!("{OPEN}{CLOSE}").as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Junit { path: path.to_path_buf(), file, end: OPEN.len() as u64 })
    }

    pub fn add(&mut self, row: &Row) -> Result<()> {
        let case = case(row);
        let mut write = || {
            self.file.seek(SeekFrom::Start(self.end))?;
            self.file.write_all(format!("{case}{CLOSE}").as_bytes())
        };
        write().with_context(|| format!("cannot write {}", self.path.display()))?;
        self.end += case.len() as u64;
        Ok(())
    }
}

/// The file of a finished run, with totals.
pub fn write_finished<I: Iterator<Item = Row>>(path: &Path, rows: impl Fn() -> Result<I>) -> Result<()> {
    let (mut all, mut failures, mut errors, mut skipped, mut seconds) = (0, 0, 0, 0, 0.0);
    for row in rows()? {
        all += 1;
        failures += usize::from(is_failure(&row));
        errors += usize::from(row.status == Status::Error);
        skipped += usize::from(row.status == Status::Undecided);
        seconds += row.wall_s;
    }
    write_whole(path, |out| {
        let totals = format!(
            "tests=\"{all}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\""
        );
        write!(out, "{}", OPEN.replace("\">", &format!("\" {totals}>")))?;
        for row in rows()? {
            write!(out, "{}", case(&row))?;
        }
        Ok(write!(out, "{CLOSE}")?)
    })
}

/// A wrong answer; a violation, where no answer is expected.
fn is_failure(row: &Row) -> bool {
    row.status == Status::Wrong || (row.status == Status::Decided && row.answer() == Some(false))
}

fn case(row: &Row) -> String {
    let class = Task::folder_of(&row.task).replace('/', ".");
    let name = format!("{} ({})", row.task, row.property);
    let reason = row.reason.as_deref().unwrap_or("");
    let message = match (&row.expected, row.status) {
        (Some(expected), Status::Wrong) => format!("{}, expected {expected}", row.verdict),
        _ if reason.is_empty() => row.verdict.clone(),
        _ => format!("{}: {reason}", row.verdict),
    };
    let message = escape(&message);
    let inner = match row.status {
        _ if is_failure(row) => format!("<failure message=\"{message}\"/>"),
        Status::Error => format!("<error message=\"{message}\"/>"),
        Status::Undecided => format!("<skipped message=\"{message}\"/>"),
        _ => String::new(),
    };
    let (class, name) = (escape(if class.is_empty() { "tasks" } else { &class }), escape(&name));
    format!("<testcase classname=\"{class}\" name=\"{name}\" time=\"{:.3}\">{inner}</testcase>\n", row.wall_s)
}

//! Questions at work: each is a process of this program, ended when the answer is of no use any more.

use anyhow::{Context, Result, bail};
use crossbeam_channel::{Receiver, Sender, unbounded};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    pub command: &'static str,
    pub file: String,
    /// The function to start at, if it is not `main`.
    pub entry: Option<String>,
}

impl Question {
    pub fn verify(file: &str, entry: Option<&str>) -> Self {
        Question { command: "verify", file: file.into(), entry: entry.map(String::from) }
    }

    /// Another command about the same runs.
    pub fn and(&self, command: &'static str) -> Self {
        Question { command, ..self.clone() }
    }

    /// What was asked before about the same runs has no use any more.
    pub fn replaces(&self, other: &Question) -> bool {
        self.entry == other.entry
    }

    /// Names its progress.
    pub fn token(&self) -> String {
        format!("{} {} {}", self.command, self.entry.as_deref().unwrap_or("main"), self.file)
    }

    pub fn title(&self) -> String {
        let name = Path::new(&self.file).file_name().map_or(self.file.clone(), |name| name.to_string_lossy().into());
        match &self.entry {
            Some(entry) => format!("whydunit {} {name}: {entry}", self.command),
            None => format!("whydunit {} {name}", self.command),
        }
    }
}

/// The end of a job.
pub struct Done {
    job: u64,
    /// What it printed, if that is a report.
    pub report: Option<Value>,
}

struct Job {
    number: u64,
    question: Question,
    process: Arc<Mutex<Option<Child>>>,
}

pub struct Jobs {
    tool: PathBuf,
    timeout: f64,
    open: Vec<Job>,
    next: u64,
    sender: Sender<Done>,
    receiver: Receiver<Done>,
}

impl Jobs {
    pub fn new(timeout: f64) -> Result<Self> {
        if !(timeout > 0.0 && timeout < 1e9) {
            bail!("--timeout {timeout:e}: a positive number of seconds below 1e9 is needed");
        }
        let tool = std::env::current_exe().context("cannot find this program")?;
        let (sender, receiver) = unbounded();
        Ok(Jobs { tool, timeout, open: Vec::new(), next: 0, sender, receiver })
    }

    pub fn finished(&self) -> Receiver<Done> {
        self.receiver.clone()
    }

    pub fn start(&mut self, question: Question) {
        let mut command = self.command(&question.file);
        command.args([question.command, "--json"]);
        if question.command != "check" {
            command.args(["--timeout", &self.timeout.to_string()]);
            command.args(question.entry.iter().flat_map(|entry| ["--entry", entry]));
        }
        command.arg(&question.file);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        self.next += 1;
        let number = self.next;
        let mut child = command.spawn().ok();
        let output = child.as_mut().and_then(|child| child.stdout.take());
        let process = Arc::new(Mutex::new(child));
        let (sender, running) = (self.sender.clone(), process.clone());
        std::thread::spawn(move || {
            let mut text = Vec::new();
            if let Some(mut output) = output {
                // What cannot be read is no report.
                output.read_to_end(&mut text).ok();
            }
            if let Some(mut child) = running.lock().unwrap_or_else(PoisonError::into_inner).take() {
                child.wait().ok();
            }
            // The server may be gone.
            sender.send(Done { job: number, report: serde_json::from_slice(&text).ok() }).ok();
        });
        self.open.push(Job { number, question, process });
    }

    /// The question of an answer, unless it was cancelled.
    pub fn take(&mut self, done: &Done) -> Option<Question> {
        let index = self.open.iter().position(|job| job.number == done.job)?;
        Some(self.open.remove(index).question)
    }

    pub fn cancel(&mut self, is_meant: impl Fn(&Question) -> bool) -> Vec<Question> {
        let (cancelled, open) = std::mem::take(&mut self.open).into_iter().partition(|job| is_meant(&job.question));
        self.open = open;
        let cancelled: Vec<Job> = cancelled;
        cancelled.into_iter().map(Job::end).collect()
    }

    pub fn cancel_all(&mut self) {
        self.cancel(|_| true);
    }

    /// The functions of a file with their lines; none of a file that cannot be read.
    pub fn functions(&self, file: &str) -> Result<Vec<(String, u32)>> {
        let mut command = self.command(file);
        let output = command.args(["show", "functions", "--places"]).arg(file).stdin(Stdio::null()).output();
        let output = output.context("cannot run this program again")?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let place = |line: &str| {
            let (place, name) = line.rsplit_once(": ")?;
            let number = place.rsplit(':').nth(1)?.parse().ok()?;
            Some((name.to_string(), number))
        };
        Ok(text.lines().filter_map(place).collect())
    }

    /// This program, where the configuration of the file's project is found.
    fn command(&self, file: &str) -> Command {
        let mut command = Command::new(&self.tool);
        if let Some(folder) = Path::new(file).parent().filter(|folder| folder.is_dir()) {
            command.current_dir(folder);
        }
        command
    }
}

impl Job {
    fn end(self) -> Question {
        if let Some(child) = self.process.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            // It may have ended by itself.
            child.kill().ok();
        }
        self.question
    }
}

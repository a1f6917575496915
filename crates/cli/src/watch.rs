//! While an engine works: enforces `--timeout` and `--memory` even where the engine does not check its budget for a while, shows the
//! progress, and handles Ctrl-C.

use crate::args::TaskArgs;
use crate::output::Output;
use crate::pipeline::{INTERNAL, UNKNOWN};
use anyhow::{Context, Result};
use base::{Budget, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Who gets the answer sooner sees no progress.
const PATIENCE: Duration = Duration::from_millis(300);

/// How long the work may take to stop by itself after Ctrl-C, which gives the better answer.
const GRACE: Duration = Duration::from_secs(1);

/// Exists while an engine works.
pub struct Waiting {
    answered: Arc<AtomicBool>,
    line: Arc<Line>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.answered.store(true, Ordering::SeqCst);
        self.line.close();
    }
}

/// What the work may need.
#[derive(Clone, Copy)]
pub struct Allowance {
    /// Seconds.
    pub timeout: Option<f64>,
    /// Megabytes.
    pub memory: u64,
}

/// Why there is no answer.
#[derive(Clone, Copy)]
pub struct GivenUp<'a> {
    pub reason: &'static str,
    /// How far the engine was.
    pub progress: &'a Progress,
}

impl Waiting {
    /// `give_up` prints what is known, and gives the exit code that says it.
    pub fn start(
        args: &TaskArgs,
        output: &Output,
        budget: &Budget,
        engine: &'static str,
        give_up: impl FnOnce(GivenUp<'_>) -> Result<u8> + Send + 'static,
    ) -> Waiting {
        let (timeout, memory) = (args.timeout, args.memory);
        Waiting::within(Allowance { timeout, memory }, output, budget, engine, give_up)
    }

    /// The same for commands that are no question to an engine.
    pub fn within(
        allowance: Allowance,
        output: &Output,
        budget: &Budget,
        what: &'static str,
        give_up: impl FnOnce(GivenUp<'_>) -> Result<u8> + Send + 'static,
    ) -> Waiting {
        let answered = Arc::new(AtomicBool::new(false));
        let start = output.start();
        let wanted = !output.is_for_programs() && std::io::stderr().is_terminal();
        let line = Arc::new(Line { wanted, ..Line::default() });
        let waiting = Waiting { answered: answered.clone(), line: line.clone() };
        let deadline = allowance.timeout.map(|seconds| start + Duration::from_secs_f64(seconds * 1.05 + 0.02));
        let memory = allowance.memory.saturating_mul(1 << 20);
        let budget = budget.clone();
        std::thread::spawn(move || {
            let mut interrupted = None;
            let reason = loop {
                std::thread::sleep(Duration::from_millis(10));
                if answered.load(Ordering::SeqCst) {
                    return;
                }
                if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                    break "out of time";
                }
                if memory_in_use().is_some_and(|used| used > memory) {
                    break "out of memory";
                }
                if budget.cancelled() && interrupted.get_or_insert_with(Instant::now).elapsed() > GRACE {
                    break "interrupted";
                }
                line.show(start.elapsed(), allowance.timeout, what, budget.progress());
            };
            if !answered.swap(true, Ordering::SeqCst) {
                line.close();
                workflow::discard_temporary_files();
                let given_up = GivenUp { reason, progress: budget.progress() };
                std::process::exit(give_up(given_up).unwrap_or(INTERNAL).into());
            }
        });
        waiting
    }
}

/// The best answer so far, for the thread that enforces the limits.
pub struct Best<R>(Arc<Mutex<Option<R>>>);

impl<R> Clone for Best<R> {
    fn clone(&self) -> Self {
        Best(self.0.clone())
    }
}

impl<R> Best<R> {
    pub fn none_yet() -> Self {
        Best(Arc::default())
    }

    pub fn set(&self, answer: R) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
    }

    pub fn take(&self) -> Option<R> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// One line on the terminal that goes away before anything else is printed.
#[derive(Default)]
struct Line {
    wanted: bool,
    state: Mutex<State>,
}

#[derive(Default)]
enum State {
    #[default]
    NotYet,
    Open(ProgressBar),
    Closed,
}

impl Line {
    fn show(&self, elapsed: Duration, limit: Option<f64>, engine: &str, progress: &Progress) {
        if !self.wanted || elapsed < PATIENCE {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*state, State::NotYet) {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            bar.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
            *state = State::Open(bar);
        }
        if let State::Open(bar) = &*state {
            let what = match progress.stage() {
                Some(stage) => stage.to_string(),
                None => format!("{engine}: bound {}", progress.bound()),
            };
            let of = limit.map_or(String::new(), |limit| format!(" of {limit}"));
            let message = format!("{what}, {:.1}{of} s", elapsed.as_secs_f64());
            if bar.message() != message {
                bar.set_message(message);
            }
        }
    }

    fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Open(bar) = std::mem::replace(&mut *state, State::Closed) {
            bar.finish_and_clear();
        }
    }
}

/// Bytes of memory that this process holds; `None` where the system does not say.
fn memory_in_use() -> Option<u64> {
    const PAGE: u64 = 4096;
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split_whitespace().nth(1)?.parse::<u64>().ok()? * PAGE)
}

/// A flag that Ctrl-C, SIGTERM and SIGHUP set: the engine then stops and says what it knows. A second signal ends at once.
pub fn interrupt_flag() -> Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let shared = flag.clone();
    let handler = move || {
        if shared.swap(true, Ordering::SeqCst) {
            std::process::exit(UNKNOWN.into());
        }
    };
    ctrlc::set_handler(handler).context("cannot listen to Ctrl-C")?;
    Ok(flag)
}

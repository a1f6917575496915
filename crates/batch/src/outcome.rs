//! What a task's end and output mean: its verdict, and whether that is right.

use crate::process::{Ended, How, Limits, Stop};
use crate::task::{Expected, Task};
use serde::{Deserialize, Serialize};

/// A verdict against what is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Correct,
    Wrong,
    /// An answer where none is expected.
    Decided,
    /// No answer, or not within the limits.
    Undecided,
    /// It crashed, was killed, or cannot be run.
    Error,
}

impl Status {
    pub const ALL: [Status; 5] = [Status::Correct, Status::Wrong, Status::Decided, Status::Undecided, Status::Error];

    pub fn name(self) -> &'static str {
        match self {
            Status::Correct => "correct",
            Status::Wrong => "wrong",
            Status::Decided => "decided",
            Status::Undecided => "undecided",
            Status::Error => "error",
        }
    }

    pub fn named(name: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// What is said about a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// `true`, `false(…)` or `unknown(…)` as the tool says; otherwise `timeout`, `out-of-memory`, `crash`, `killed` or `error`.
    pub verdict: String,
    pub status: Status,
    /// Why there is no answer, or what else happened.
    pub reason: Option<String>,
}

/// What the tool calls its answer, in the first line that it prints.
const ANSWERS: [&str; 2] = ["verdict: ", "result: "];

/// The outcome of a task that ran. `stdout` is the beginning of what it printed.
pub fn of(task: &Task, ended: &Ended, limits: &Limits, stdout: &str, stderr: &str) -> Outcome {
    let limit = |value: Option<f64>, what: &str| Some(format!("{what} of {} s", value.unwrap_or(0.0)));
    let none = |verdict: &str, status, reason| Outcome { verdict: verdict.to_string(), status, reason };
    match ended.stopped {
        Some(Stop::Time) => return none("timeout", Status::Undecided, limit(limits.wall_s, "time limit")),
        Some(Stop::Cpu) => return none("timeout", Status::Undecided, limit(limits.cpu_s, "limit of processor time")),
        Some(Stop::Memory) => {
            let reason = format!("memory limit of {} MB", limits.memory_mb.unwrap_or(0));
            return none("out-of-memory", Status::Undecided, Some(reason));
        }
        Some(Stop::Interrupted) => return none("killed", Status::Error, Some("the run was stopped".into())),
        None => {}
    }
    let left = (ended.left_behind > 0).then(|| format!("{} processes were left behind and ended", ended.left_behind));
    let complaint = || {
        let line =
            stderr.lines().chain(stdout.lines()).find(|line| line.contains("error:") || line.contains("panicked"));
        line.map(|line| line.trim().to_string())
    };
    let code = match &ended.how {
        How::Exited(code) => *code,
        How::Signal(signal) => {
            let verdict = if is_own_fault(*signal) { "crash" } else { "killed" };
            return none(verdict, Status::Error, Some(signal_name(*signal)));
        }
        How::NotStarted(problem) => return none("error", Status::Error, Some(format!("cannot be started: {problem}"))),
        How::KeeperKilled => {
            return none("killed", Status::Error, Some("the process that watched it was killed".into()));
        }
    };
    let answer = stdout.lines().next().and_then(|line| ANSWERS.iter().find_map(|word| line.strip_prefix(word)));
    match answer {
        Some(_)
            if is_required(task)
                && let Some(answer) = of_requirement(code, answer) =>
        {
            let reason = stdout.lines().find_map(|line| line.strip_prefix("reason: ")).map(String::from);
            let status = status(&answer, task.expected.as_ref());
            Outcome { verdict: answer, status, reason: reason.or(left) }
        }
        Some(answer) if fits(answer, code) => {
            let reason = stdout.lines().find_map(|line| line.strip_prefix("reason: ")).map(String::from);
            Outcome {
                verdict: answer.to_string(),
                status: status(answer, task.expected.as_ref()),
                reason: reason.or(left),
            }
        }
        Some(answer) => none("crash", Status::Error, Some(format!("exit code {code} after `{answer}`"))),
        None if code == 70 || code == 101 => {
            none("crash", Status::Error, complaint().or(Some(format!("exit code {code}"))))
        }
        None => {
            let reason = complaint().unwrap_or_else(|| format!("exit code {code}, and it printed no verdict"));
            none("error", Status::Error, Some(reason))
        }
    }
}

/// A task that was never run. Parsers show the place below their message; a reason is one line.
pub fn not_run(problem: &str) -> Outcome {
    let problem = problem.lines().next().unwrap_or("");
    Outcome { verdict: "error".to_string(), status: Status::Error, reason: Some(problem.to_string()) }
}

fn is_required(task: &Task) -> bool {
    task.args.iter().any(|arg| arg == "--require")
}

/// The exit code answers what is required: that something is possible is shown by a run, so the first line, which is about runs, may say the contrary;
/// and of several requirements it is about the first one only.
fn of_requirement(code: i32, first: Option<&str>) -> Option<String> {
    let first = first.filter(|answer| fits(answer, code));
    let own = match code {
        0 => "true",
        10 => "false(requirement)",
        30 => "unknown(requirement)",
        _ => return None,
    };
    Some(first.unwrap_or(own).to_string())
}

/// Exit codes say the same as the first line (0, 10, 30); commands about witnesses use them for `confirmed`, `rejected` and `undecided`.
fn fits(answer: &str, code: i32) -> bool {
    match word(answer) {
        "true" | "confirmed" => code == 0,
        "false" | "rejected" => code == 10,
        _ => code == 30 || code == 0,
    }
}

fn word(answer: &str) -> &str {
    answer.split(['(', ' ']).next().unwrap_or("")
}

fn status(answer: &str, expected: Option<&Expected>) -> Status {
    let holds = match word(answer) {
        "true" | "confirmed" => true,
        "false" | "rejected" => false,
        _ => return Status::Undecided,
    };
    let Some(expected) = expected else { return Status::Decided };
    // The competition counts a violation of another part of the property as wrong.
    let other_part =
        |part: &String| answer.split_once('(').is_some_and(|(_, named)| named.trim_end_matches(')') != part);
    if holds != expected.holds || (!holds && expected.subproperty.as_ref().is_some_and(other_part)) {
        return Status::Wrong;
    }
    Status::Correct
}

fn is_own_fault(signal: i32) -> bool {
    [libc::SIGSEGV, libc::SIGABRT, libc::SIGBUS, libc::SIGILL, libc::SIGFPE].contains(&signal)
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGKILL => "SIGKILL",
        libc::SIGTERM => "SIGTERM",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGILL => "SIGILL",
        libc::SIGFPE => "SIGFPE",
        libc::SIGINT => "SIGINT",
        libc::SIGXFSZ => "SIGXFSZ, a file became too large",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(holds: bool, part: Option<&str>) -> Task {
        let expected = Some(Expected { holds, subproperty: part.map(String::from) });
        Task { name: "t.yml".into(), property: "p".into(), expected, args: Vec::new(), problem: None }
    }

    fn ended(how: How) -> Ended {
        Ended { how, stopped: None, wall_s: 1.0, cpu_s: 1.0, peak_bytes: 0, left_behind: 0 }
    }

    fn status_of(task: &Task, code: i32, stdout: &str) -> (String, Status) {
        let outcome = of(task, &ended(How::Exited(code)), &Limits::default(), stdout, "");
        (outcome.verdict, outcome.status)
    }

    #[test]
    fn answers_are_compared_with_what_is_expected() {
        assert_eq!(status_of(&task(true, None), 0, "verdict: true\n").1, Status::Correct);
        assert_eq!(status_of(&task(true, None), 10, "verdict: false(unreach-call)\n").1, Status::Wrong);
        assert_eq!(status_of(&task(false, None), 10, "verdict: false(valid-free)\n").1, Status::Correct);
        assert_eq!(status_of(&task(false, Some("valid-deref")), 10, "verdict: false(valid-free)\n").1, Status::Wrong);
        assert_eq!(
            status_of(&task(false, Some("valid-deref")), 10, "verdict: false(valid-deref)\n").1,
            Status::Correct
        );
        assert_eq!(status_of(&task(false, None), 30, "verdict: unknown(out of time)\n").1, Status::Undecided);
    }

    #[test]
    fn an_answer_counts_only_with_its_exit_code() {
        assert_eq!(status_of(&task(true, None), 70, "verdict: true\n"), ("crash".into(), Status::Error));
        assert_eq!(status_of(&task(true, None), 0, ""), ("error".into(), Status::Error));
    }

    #[test]
    fn what_is_required_is_answered_by_the_exit_code() {
        let required =
            Task { args: ["verify", "--require", "reachability: a"].map(String::from).to_vec(), ..task(true, None) };
        let found = |code, stdout| status_of(&required, code, stdout);
        assert_eq!(found(0, "verdict: false(unreach-call)\n"), ("true".into(), Status::Correct));
        assert_eq!(found(10, "verdict: true\n"), ("false(requirement)".into(), Status::Wrong));
        assert_eq!(found(10, "verdict: false(unreach-call)\n"), ("false(unreach-call)".into(), Status::Wrong));
        assert_eq!(found(30, "verdict: true\n"), ("unknown(requirement)".into(), Status::Undecided));
        assert_eq!(found(70, "verdict: true\n"), ("crash".into(), Status::Error));
    }

    #[test]
    fn signals_are_named() {
        let outcome = of(&task(true, None), &ended(How::Signal(libc::SIGKILL)), &Limits::default(), "", "");
        assert_eq!((outcome.verdict.as_str(), outcome.reason.as_deref()), ("killed", Some("signal 9 (SIGKILL)")));
        let outcome = of(&task(true, None), &ended(How::Signal(libc::SIGSEGV)), &Limits::default(), "", "");
        assert_eq!(outcome.verdict, "crash");
    }
}

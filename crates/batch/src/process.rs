//! One command as processes under limits: started by a keeper (`keeper`), watched until nothing of it is left, measured.

use crate::cgroup::Cgroups;
use crate::keeper::{self, Orders, Report};
use crate::usage;
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often time and memory are looked at.
const INTERVAL: Duration = Duration::from_millis(50);

/// What each task may use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Seconds that pass.
    pub wall_s: Option<f64>,
    /// Seconds of processors, all processes of the task together.
    pub cpu_s: Option<f64>,
    /// Megabytes, all processes of the task together.
    pub memory_mb: Option<u64>,
    /// Megabytes of one file that it writes, what it prints included.
    pub file_mb: Option<u64>,
}

/// How a command ended, and what it used.
#[derive(Clone, Debug)]
pub struct Ended {
    pub how: How,
    /// The limit that ended it.
    pub stopped: Option<Stop>,
    pub wall_s: f64,
    pub cpu_s: f64,
    pub peak_bytes: u64,
    /// Processes that were still there when it ended, and were ended.
    pub left_behind: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    Exited(i32),
    Signal(i32),
    NotStarted(String),
    /// The process that watched it was killed.
    KeeperKilled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Time,
    Cpu,
    Memory,
    /// The whole run was stopped.
    Interrupted,
}

/// A command and where its output goes.
pub struct Job<'a> {
    pub program: &'a Path,
    pub args: &'a [String],
    pub stdout: &'a File,
    pub stderr: &'a File,
}

/// Whether a command shall end early.
pub trait Interruption {
    fn is_set(&self) -> bool;
}

/// Marks processes of a task in their environment, for those that outlive their keeper.
static MARKS: AtomicU64 = AtomicU64::new(0);

/// Runs a command to its end; `interrupted` ends it early. An error means that this machine cannot run processes at all, or not now.
pub fn run(
    job: &Job<'_>,
    limits: &Limits,
    cgroups: Option<&Cgroups>,
    interrupted: &dyn Interruption,
) -> io::Result<Ended> {
    let start = Instant::now();
    let mark = format!("WHYDUNIT_BATCH_TASK={}-{}", std::process::id(), MARKS.fetch_add(1, Ordering::Relaxed));
    let memory = limits.memory_mb.map(|megabytes| megabytes << 20);
    let group = cgroups.map(|groups| groups.create(memory)).transpose()?;
    let entrance = group.as_ref().map(|group| group.entrance()).transpose()?;
    let (receiver, sender) = pipe()?;
    let input = File::open("/dev/null")?;
    let program = CString::new(job.program.as_os_str().as_bytes())?;
    let args = c_strings(std::iter::once(program.as_bytes()).chain(job.args.iter().map(|arg| arg.as_bytes())))?;
    let inherited = std::env::vars_os().map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat());
    let environment: Vec<Vec<u8>> = inherited.chain([mark.clone().into_bytes()]).collect();
    let environment = c_strings(environment.iter().map(Vec::as_slice))?;
    let (arg_pointers, environment_pointers) = (pointers(&args), pointers(&environment));
    let orders = Orders {
        program: &program,
        args: &arg_pointers,
        environment: &environment_pointers,
        stdin: input.as_raw_fd(),
        stdout: job.stdout.as_raw_fd(),
        stderr: job.stderr.as_raw_fd(),
        report: sender.as_raw_fd(),
        cgroup: entrance.as_ref().map_or(-1, AsRawFd::as_raw_fd),
        // Only a second line behind the watch over memory: programs may reserve much more than they use.
        address_space: memory.map(|bytes| (bytes * 4).max(bytes + (8 << 30))),
        file_size: limits.file_mb.map(|megabytes| megabytes << 20),
        parent: std::process::id() as i32,
    };
    // SAFETY: the child only runs `keep`, which is made for that.
    let keeper = unsafe { libc::fork() };
    if keeper == 0 {
        // SAFETY: this is the child; the orders outlive it.
        unsafe { keeper::keep(&orders) }
    }
    if keeper < 0 {
        return Err(io::Error::last_os_error());
    }
    drop(sender);
    let watched = watch(keeper, limits, memory.filter(|_| group.is_none()), start, interrupted)?;
    let wall_s = start.elapsed().as_secs_f64();
    let report = read_report(&receiver);
    let mut stopped = watched.stopped;
    let (how, left_behind) = match &report {
        None => (How::KeeperKilled, usage::sweep(&watched.groups, &mark)),
        Some(report) if report.not_started != 0 => {
            (How::NotStarted(io::Error::from_raw_os_error(report.not_started).to_string()), 0)
        }
        Some(report) if libc::WIFEXITED(report.status) => {
            (How::Exited(libc::WEXITSTATUS(report.status)), report.left_behind)
        }
        Some(report) => (How::Signal(libc::WTERMSIG(report.status)), report.left_behind),
    };
    let report = report.unwrap_or_default();
    let measured = group.as_ref().and_then(|group| group.peak_bytes());
    let peak_bytes = measured.unwrap_or((report.peak_kilobytes * 1024).max(watched.peak_bytes));
    let over = group.as_ref().is_some_and(|group| group.ran_out_of_memory())
        || memory.is_some_and(|most| report.peak_kilobytes * 1024 > most);
    if stopped.is_none() && over {
        stopped = Some(Stop::Memory);
    }
    Ok(Ended { how, stopped, wall_s, cpu_s: report.cpu_micros as f64 / 1e6, peak_bytes, left_behind })
}

struct Watched {
    stopped: Option<Stop>,
    peak_bytes: u64,
    /// The groups of its processes at the last look.
    groups: Vec<i32>,
}

/// Until the keeper has ended.
fn watch(
    keeper: i32,
    limits: &Limits,
    memory: Option<u64>,
    start: Instant,
    interrupted: &dyn Interruption,
) -> io::Result<Watched> {
    // SAFETY: asks for a descriptor of a child that was not waited for.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, keeper, 0) } as i32;
    // SAFETY: the descriptor is new and owned here; without one (before Linux 5.3) the loop below looks at intervals.
    let descriptor = (descriptor >= 0).then(|| unsafe { OwnedFd::from_raw_fd(descriptor) });
    let mut watched = Watched { stopped: None, peak_bytes: 0, groups: Vec::new() };
    loop {
        let elapsed = start.elapsed();
        let left =
            limits.wall_s.map_or(INTERVAL, |most| Duration::from_secs_f64((most - elapsed.as_secs_f64()).max(0.001)));
        sleep(descriptor.as_ref(), left.min(INTERVAL));
        let mut status = 0;
        // SAFETY: the child is ours and only this thread waits for it.
        match unsafe { libc::waitpid(keeper, &mut status, libc::WNOHANG) } {
            0 => {}
            -1 => return Err(io::Error::last_os_error()),
            _ => return Ok(watched),
        }
        if watched.stopped.is_some() {
            continue;
        }
        if interrupted.is_set() {
            watched.stopped = Some(Stop::Interrupted);
        } else if limits.wall_s.is_some_and(|most| start.elapsed().as_secs_f64() >= most) {
            watched.stopped = Some(Stop::Time);
        } else {
            let used = usage::below(keeper);
            watched.peak_bytes = watched.peak_bytes.max(used.resident_bytes);
            watched.groups = used.groups;
            if limits.cpu_s.is_some_and(|most| used.cpu_seconds >= most) {
                watched.stopped = Some(Stop::Cpu);
            } else if memory.is_some_and(|most| used.resident_bytes > most && usage::proportional_bytes(keeper) > most)
            {
                watched.stopped = Some(Stop::Memory);
            }
        }
        let signal = match watched.stopped {
            None => continue,
            // It would go on growing.
            Some(Stop::Memory) => libc::SIGUSR1,
            Some(_) => libc::SIGTERM,
        };
        // SAFETY: the keeper was not waited for, so the number is still its own.
        unsafe { libc::kill(keeper, signal) };
    }
}

fn sleep(descriptor: Option<&OwnedFd>, most: Duration) {
    let milliseconds = most.as_millis().max(1) as i32;
    match descriptor {
        Some(descriptor) => {
            let mut waiting = libc::pollfd { fd: descriptor.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: one valid descriptor.
            unsafe { libc::poll(&mut waiting, 1, milliseconds) };
        }
        None => std::thread::sleep(most.min(Duration::from_millis(2))),
    }
}

fn read_report(receiver: &OwnedFd) -> Option<Report> {
    let mut report = Report::default();
    // SAFETY: the report is plain integers, so every content is valid; the pipe does not block.
    let length = unsafe { libc::read(receiver.as_raw_fd(), (&raw mut report).cast(), size_of::<Report>()) };
    (length == size_of::<Report>() as isize).then_some(report)
}

/// A pipe that other programs do not inherit, and whose reading does not wait.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors, which are owned from here on.
    unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

fn c_strings<'a>(texts: impl Iterator<Item = &'a [u8]>) -> io::Result<Vec<CString>> {
    texts.map(|text| CString::new(text).map_err(io::Error::from)).collect()
}

/// With null at the end.
fn pointers(texts: &[CString]) -> Vec<*const libc::c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
}

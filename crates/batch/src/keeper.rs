//! The keeper: a process between the batch run and one task. It starts the task, waits for it, and ends every process that the task leaves behind, also if the
//! batch run is killed. Orphans of the task become children of the keeper (`PR_SET_CHILD_SUBREAPER`), so none escapes, whatever session it makes itself.
//!
//! The code runs after `fork` in a program with threads, so it only uses system calls: no allocation, no lock, no panic.
//!
//! Signals to the keeper: `SIGTERM` ends the task politely (SIGTERM, after [`GRACE`] SIGKILL), `SIGUSR1` at once.

use std::ffi::CString;
use std::time::Duration;

/// How long a task may take to stop by itself.
pub const GRACE: Duration = Duration::from_secs(1);

/// What the keeper is told, made before `fork`.
pub struct Orders<'a> {
    pub program: &'a CString,
    /// With null at the end, as `execve` wants them.
    pub args: &'a [*const libc::c_char],
    pub environment: &'a [*const libc::c_char],
    pub stdin: i32,
    pub stdout: i32,
    pub stderr: i32,
    pub report: i32,
    /// `cgroup.procs` of the task's control group, if it has one; -1 otherwise.
    pub cgroup: i32,
    pub address_space: Option<u64>,
    pub file_size: Option<u64>,
    pub parent: i32,
}

/// What the keeper reports through the pipe when nothing of the task is left.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Report {
    pub status: i32,
    /// The error of `execve`, 0 if the task was started.
    pub not_started: i32,
    /// Processes that were still there when the task had ended.
    pub left_behind: u32,
    pub cpu_micros: u64,
    pub peak_kilobytes: u64,
}

/// The life of the keeper, in the child of `fork`.
///
/// # Safety
/// Only in the child after `fork`; the file descriptors are open and the pointers valid.
pub unsafe fn keep(orders: &Orders<'_>) -> ! {
    // SAFETY: system calls on valid arguments; everything is on this stack.
    unsafe {
        // Handlers of the batch run would write into its pipes.
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1] {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut watched: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut watched);
        for signal in [libc::SIGCHLD, libc::SIGTERM, libc::SIGUSR1, libc::SIGHUP, libc::SIGINT] {
            libc::sigaddset(&mut watched, signal);
        }
        libc::sigprocmask(libc::SIG_SETMASK, &watched, std::ptr::null_mut());
        leave_terminal();
        libc::prctl(libc::PR_SET_NAME, c"batch-keeper".as_ptr());
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGUSR1);
        if libc::getppid() != orders.parent {
            libc::_exit(1);
        }
        if orders.cgroup >= 0 && libc::write(orders.cgroup, b"0".as_ptr().cast(), 1) != 1 {
            finish(orders.report, &Report { not_started: errno(), ..Report::default() });
        }
        let mut started = [0; 2];
        libc::pipe2(started.as_mut_ptr(), libc::O_CLOEXEC);
        let task = libc::fork();
        if task == 0 {
            execute(orders, started[1]);
        }
        libc::close(started[1]);
        let mut report = Report::default();
        if task < 0 {
            report.not_started = errno();
            finish(orders.report, &report);
        }
        // The pipe closes when the task is started, or says why it was not.
        let mut problem = 0i32;
        libc::read(started[0], (&raw mut problem).cast(), 4);
        report.not_started = problem;
        libc::close(started[0]);
        watch(task, &watched, &mut report);
        finish(orders.report, &report)
    }
}

/// Signals of the terminal reach neither the keeper nor the task, and the task cannot read from it. A session of its own would do the same, but the kernel
/// schedules sessions as groups (autogroup), and on a busy machine a new group waits for several milliseconds.
///
/// # Safety
/// As [`keep`].
unsafe fn leave_terminal() {
    // SAFETY: system calls on valid arguments.
    unsafe {
        libc::setpgid(0, 0);
        let terminal = libc::open(c"/dev/tty".as_ptr(), libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC);
        if terminal >= 0 {
            libc::ioctl(terminal, libc::TIOCNOTTY);
            libc::close(terminal);
        }
    }
}

/// Becomes the task.
///
/// # Safety
/// As [`keep`].
unsafe fn execute(orders: &Orders<'_>, started: i32) -> ! {
    // SAFETY: system calls on valid arguments.
    unsafe {
        libc::setpgid(0, 0);
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let limits = [
            (libc::RLIMIT_AS, orders.address_space),
            (libc::RLIMIT_FSIZE, orders.file_size),
            (libc::RLIMIT_CORE, Some(0)),
        ];
        for (resource, most) in limits {
            if let Some(most) = most {
                let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
                libc::setrlimit(resource, &limit);
            }
        }
        libc::dup2(orders.stdin, 0);
        libc::dup2(orders.stdout, 1);
        libc::dup2(orders.stderr, 2);
        libc::dup3(started, 3, libc::O_CLOEXEC);
        libc::syscall(libc::SYS_close_range, 4, libc::c_uint::MAX, 0);
        // The runtime of Rust ignores it; other programs expect the default.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        libc::execve(orders.program.as_ptr(), orders.args.as_ptr(), orders.environment.as_ptr());
        let error = errno();
        libc::write(3, (&raw const error).cast(), 4);
        libc::_exit(127)
    }
}

/// Until the task has ended and nothing of it is left.
///
/// # Safety
/// As [`keep`].
unsafe fn watch(task: i32, watched: &libc::sigset_t, report: &mut Report) {
    let mut ended = false;
    let mut asked_to_stop: Option<u64> = None;
    loop {
        // SAFETY: as that of the caller.
        unsafe {
            loop {
                let (mut status, mut usage): (i32, libc::rusage) = (0, std::mem::zeroed());
                match libc::wait4(-1, &mut status, libc::WNOHANG, &mut usage) {
                    0 => break,
                    -1 if errno() == libc::ECHILD => return,
                    -1 => break,
                    process => {
                        report.cpu_micros += micros(usage.ru_utime) + micros(usage.ru_stime);
                        report.peak_kilobytes = report.peak_kilobytes.max(usage.ru_maxrss as u64);
                        if process == task {
                            report.status = status;
                            ended = true;
                        } else if ended {
                            report.left_behind += 1;
                        }
                    }
                }
            }
            if ended || asked_to_stop.is_some_and(|since| now() > since + GRACE.as_millis() as u64) {
                kill_children(task);
            }
            let wait = if ended || asked_to_stop.is_some() { 10_000_000 } else { 999_000_000 };
            let timeout = libc::timespec { tv_sec: 0, tv_nsec: wait };
            match libc::sigtimedwait(watched, std::ptr::null_mut(), &timeout) {
                libc::SIGUSR1 => kill_children(task),
                libc::SIGTERM | libc::SIGHUP | libc::SIGINT if asked_to_stop.is_none() => {
                    asked_to_stop = Some(now());
                    libc::kill(-task, libc::SIGTERM);
                }
                _ => {}
            }
            // A batch run that died before it could be watched, or whose signal was lost.
            if libc::getppid() == 1 && asked_to_stop.is_none() {
                asked_to_stop = Some(0);
            }
        }
    }
}

/// Ends the direct children; theirs become children in turn, and are ended in the next round.
///
/// # Safety
/// As [`keep`].
unsafe fn kill_children(task: i32) {
    // SAFETY: system calls on a buffer on this stack.
    unsafe {
        libc::kill(-task, libc::SIGKILL);
        let file = libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return;
        }
        let mut buffer = [0u8; 4096];
        let mut process = 0i32;
        loop {
            let length = libc::read(file, buffer.as_mut_ptr().cast(), buffer.len());
            if length <= 0 {
                break;
            }
            for byte in buffer.iter().take(length as usize) {
                match byte {
                    b'0'..=b'9' => process = process.wrapping_mul(10).wrapping_add(i32::from(byte - b'0')),
                    _ => {
                        if process > 1 {
                            libc::kill(process, libc::SIGKILL);
                        }
                        process = 0;
                    }
                }
            }
        }
        libc::close(file);
    }
}

/// # Safety
/// As [`keep`].
unsafe fn finish(pipe: i32, report: &Report) -> ! {
    // SAFETY: the report is plain data; a pipe takes so few bytes at once.
    unsafe {
        libc::write(pipe, (report as *const Report).cast(), size_of::<Report>());
        libc::_exit(0)
    }
}

fn micros(time: libc::timeval) -> u64 {
    time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64
}

/// Milliseconds of a clock that only goes forward.
fn now() -> u64 {
    // SAFETY: a valid pointer to a local.
    unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time);
        time.tv_sec as u64 * 1000 + time.tv_nsec as u64 / 1_000_000
    }
}

fn errno() -> i32 {
    // SAFETY: the location is always valid.
    unsafe { *libc::__errno_location() }
}

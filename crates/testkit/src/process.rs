//! Running other programs with a time limit, and measuring them.

use anyhow::{Context, Result};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How a program ended.
pub struct Finished {
    pub stdout: Vec<u8>,
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    pub time: Duration,
    /// The most memory that it, or a program that it ran, had at once.
    pub peak_kilobytes: u64,
}

/// Runs a command; `None` if it does not end in time or is killed by a signal.
pub fn output_within(command: &mut Command, limit: Duration) -> Result<Option<Vec<u8>>> {
    let finished = run_within(command, limit)?;
    Ok(finished.filter(|finished| finished.code.is_some()).map(|finished| finished.stdout))
}

/// Runs a command; `None` if it does not end in time.
pub fn run_within(command: &mut Command, limit: Duration) -> Result<Option<Finished>> {
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run {command:?}"))?;
    let mut stdout = child.stdout.take().expect("piped above");
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).map(|_| bytes)
    });
    loop {
        if let Some((status, usage)) = wait(&child)? {
            let time = start.elapsed();
            let stdout = reader.join().expect("the reader does not panic")?;
            let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
            return Ok(Some(Finished { stdout, code, time, peak_kilobytes: usage.ru_maxrss as u64 }));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Status and resources of a child that has ended. The standard library has no way to ask for the latter.
fn wait(child: &Child) -> Result<Option<(i32, libc::rusage)>> {
    let mut status = 0;
    // SAFETY: an all-zero rusage is valid, both pointers are to live values, and no other code has waited for the child.
    let (ended, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(child.id() as i32, &mut status, libc::WNOHANG, &mut usage), usage)
    };
    match ended {
        0 => Ok(None),
        -1 => Err(std::io::Error::last_os_error()).context("cannot wait for a child"),
        _ => Ok(Some((status, usage))),
    }
}

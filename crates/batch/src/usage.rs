//! What a process and its descendants use at the moment, read from `/proc`.

use std::fs;

/// Sums over a tree of processes.
#[derive(Clone, Default, Debug)]
pub struct Usage {
    pub processes: u32,
    pub resident_bytes: u64,
    pub cpu_seconds: f64,
    /// The groups of the processes.
    pub groups: Vec<i32>,
}

/// Everything below a process; of the process itself only what it has waited for.
pub fn below(process: i32) -> Usage {
    let mut usage = Usage::default();
    let ticks = ticks_per_second();
    if let Some(fields) = stat(process) {
        usage.cpu_seconds += (fields[15] + fields[16]) / ticks;
    }
    for process in descendants(process) {
        let Some(fields) = stat(process) else { continue };
        usage.processes += 1;
        usage.groups.push(fields[4] as i32);
        usage.cpu_seconds += fields[13..17].iter().sum::<f64>() / ticks;
        usage.resident_bytes += fields[23] as u64 * page_size();
    }
    usage
}

/// Memory below a process where pages that several share count once.
pub fn proportional_bytes(process: i32) -> u64 {
    let of = |process: i32| {
        let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
    };
    descendants(process).into_iter().filter_map(of).sum()
}

fn descendants(process: i32) -> Vec<i32> {
    let (mut found, mut open) = (Vec::new(), vec![process]);
    while let Some(process) = open.pop() {
        // Each thread has its own children.
        for thread in fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
            let text = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            let children: Vec<i32> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            found.extend(&children);
            open.extend(children);
        }
    }
    found
}

/// The numbers of `/proc/PID/stat` by position, the first two and the state as zero.
fn stat(process: i32) -> Option<Vec<f64>> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name may hold spaces and parentheses.
    let (_, rest) = text.rsplit_once(')')?;
    let numbers = rest.split_whitespace().map(|word| word.parse().unwrap_or(0.0));
    let fields: Vec<f64> = [0.0, 0.0].into_iter().chain(numbers).collect();
    (fields.len() > 24).then_some(fields)
}

fn ticks_per_second() -> f64 {
    // SAFETY: a query without side effects.
    unsafe { libc::sysconf(libc::_SC_CLK_TCK) as f64 }
}

fn page_size() -> u64 {
    // SAFETY: a query without side effects.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as u64 }
}

/// Ends what a task left behind whose keeper was killed: processes with its mark in their environment, or of its groups.
pub fn sweep(groups: &[i32], mark: &str) -> u32 {
    let mut ended = 0;
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let marked = fs::read(entry.path().join("environ"))
            .is_ok_and(|text| text.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()));
        if marked || stat(process).is_some_and(|fields| groups.contains(&(fields[4] as i32))) {
            // SAFETY: sends a signal to a process of the task.
            ended += u32::from(unsafe { libc::kill(process, libc::SIGKILL) } == 0);
        }
    }
    ended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_counted_with_its_memory() {
        let mut child = std::process::Command::new("sleep").arg("5").spawn().unwrap();
        // Just started, it has no memory yet.
        let seen = (0..200).map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(10));
            below(std::process::id() as i32)
        });
        let usage = { seen }.find(|usage| usage.resident_bytes > 100_000).unwrap_or_default();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(usage.processes >= 1, "{usage:?}");
    }
}

//! Control groups (version 2), where the system permits them: memory of all processes of a task is then limited and measured by the kernel.
//! They are permitted if the batch run may create groups below its own: as root of a container, or with `systemd-run --user --scope -p Delegate=yes`.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A group below which groups of tasks can be made.
#[derive(Debug)]
pub struct Cgroups {
    folder: PathBuf,
    made: AtomicU64,
}

/// The group of one task; removed when dropped.
#[derive(Debug)]
pub struct TaskCgroup {
    folder: PathBuf,
}

impl Cgroups {
    /// Those of this process, or why there are none.
    pub fn of_this_process() -> Result<Cgroups, String> {
        let listed = fs::read_to_string("/proc/self/cgroup").map_err(|error| format!("/proc/self/cgroup: {error}"))?;
        let own = listed
            .lines()
            .find_map(|line| line.strip_prefix("0::"))
            .ok_or("there are no control groups of version 2")?;
        let mounts = fs::read_to_string("/proc/mounts").map_err(|error| format!("/proc/mounts: {error}"))?;
        let mount = |line: &str| {
            let fields: Vec<&str> = line.split(' ').collect();
            (fields.get(2) == Some(&"cgroup2")).then(|| fields[1].to_string())
        };
        let mount = mounts.lines().find_map(mount).ok_or("control groups of version 2 are not mounted")?;
        Cgroups::below(&Path::new(&mount).join(own.trim_start_matches('/')))
    }

    /// Groups below a given one. A group with controlled groups below it may hold no process, so the processes of the given one are moved into a group of
    /// their own first.
    pub fn below(folder: &Path) -> Result<Cgroups, String> {
        let read = |name: &str| {
            fs::read_to_string(folder.join(name)).map_err(|error| format!("{}: {error}", folder.join(name).display()))
        };
        if !read("cgroup.controllers")?.split_whitespace().any(|name| name == "memory") {
            return Err(format!("{} does not control memory", folder.display()));
        }
        if !read("cgroup.subtree_control")?.split_whitespace().any(|name| name == "memory") {
            let own = folder.join(format!("whydunit-batch-{}", std::process::id()));
            let problem = |error: io::Error| format!("{}: {error}", own.display());
            fs::create_dir_all(&own).map_err(problem)?;
            for process in read("cgroup.procs")?.lines() {
                // A process may have ended meanwhile.
                fs::write(own.join("cgroup.procs"), process).ok();
            }
            let control = folder.join("cgroup.subtree_control");
            fs::write(&control, "+memory").map_err(|error| format!("{}: {error}", control.display()))?;
        }
        Ok(Cgroups { folder: folder.to_path_buf(), made: AtomicU64::new(0) })
    }

    pub fn create(&self, memory: Option<u64>) -> io::Result<TaskCgroup> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let folder = self.folder.join(format!("whydunit-task-{}-{number}", std::process::id()));
        fs::create_dir(&folder)?;
        let group = TaskCgroup { folder };
        if let Some(bytes) = memory {
            fs::write(group.folder.join("memory.max"), bytes.to_string())?;
            // Absent where there is no swap.
            fs::write(group.folder.join("memory.swap.max"), "0").ok();
        }
        Ok(group)
    }
}

impl TaskCgroup {
    /// Where a process writes `0` to enter.
    pub fn entrance(&self) -> io::Result<File> {
        OpenOptions::new().write(true).open(self.folder.join("cgroup.procs"))
    }

    /// The most memory that was used at once; older kernels do not say.
    pub fn peak_bytes(&self) -> Option<u64> {
        fs::read_to_string(self.folder.join("memory.peak")).ok()?.trim().parse().ok()
    }

    /// Whether the kernel ended a process because memory was used up.
    pub fn ran_out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("memory.events")).unwrap_or_default();
        events.lines().filter_map(|line| line.strip_prefix("oom_kill ")).any(|count| count.trim() != "0")
    }
}

impl Drop for TaskCgroup {
    fn drop(&mut self) {
        // Whatever is still in it ends; the kernel refuses to remove a group with processes.
        fs::write(self.folder.join("cgroup.kill"), "1").ok();
        for _ in 0..100 {
            match fs::remove_dir(&self.folder) {
                Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                    std::thread::sleep(std::time::Duration::from_millis(1))
                }
                _ => return,
            }
        }
    }
}

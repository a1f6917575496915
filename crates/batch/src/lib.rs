//! Many tasks: which ones (`sources`, `task_file`), each as a process under limits (`process`, `keeper`, `usage`, `cgroup`), on this machine
//! (`local`) or by the scheduler of a cluster (`cluster`), their results as they come (`results`), and what they add up to (`summary`, `compare`, `html`).
//!
//! A task is a command of the `whydunit` executable; nothing here knows what it computes, only what it prints first (`verdict: …`) and how it ends.
//! *Invariants:* a task that crashes, hangs or is killed is one row; no process of a task is left behind; the final files list the tasks in the order
//! of the list, whatever order they ended in.

pub mod cgroup;
pub mod cluster;
pub mod compare;
pub mod compiler_call;
pub mod html;
mod junit;
mod keeper;
pub mod local;
pub mod outcome;
pub mod process;
pub mod reasons;
pub mod results;
pub mod run;
pub mod sources;
pub mod summary;
pub mod task;
pub mod task_file;
mod usage;

pub use process::Limits;
pub use results::Row;
pub use run::{Event, Rerun, Settings, run};
pub use task::{Expected, Task};

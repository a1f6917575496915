//! HyperQueue, which needs no administrator: `hq server start` and `hq worker start` are the user's, here jobs are only submitted.

use super::{Cluster, Submission, ask, strings};
use anyhow::{Context, Result};

pub static HYPERQUEUE: Cluster = Cluster {
    name: "hq",
    about: "HyperQueue: one job array of the running server (`hq server start`, `hq worker start`)",
    // Each task is an element: HyperQueue starts one in a fraction of a millisecond.
    most_elements: || usize::MAX,
    submit,
    is_active,
    cancel,
};

fn submit(submission: &Submission<'_>) -> Result<String> {
    let mut args = strings(["submit", "--output-mode", "quiet", "--name", "whydunit-batch"]);
    args.extend(["--array".to_string(), format!("0-{}", submission.elements - 1)]);
    let logs = submission.folder.join("logs").display().to_string();
    args.extend([
        "--stdout".to_string(),
        "none".to_string(),
        "--stderr".to_string(),
        format!("{logs}/hq-%{{JOB_ID}}-%{{TASK_ID}}.err"),
    ]);
    args.extend(submission.options.iter().cloned());
    args.push("--".to_string());
    // The number of the element is in a variable, so a shell is needed.
    args.extend(strings(["sh", "-c", "exec \"$@\" \"$HQ_TASK_ID\"", "sh"]));
    args.extend(submission.worker.iter().cloned());
    let printed = ask("hq", &args)?;
    let id = printed.split_whitespace().last().context("hq submit printed no job id")?;
    Ok(id.to_string())
}

fn is_active(id: &str) -> Result<bool> {
    let printed = ask("hq", &strings(["job", "info", id, "--output-mode", "json"]))?;
    let jobs: serde_json::Value = serde_json::from_str(&printed).context("hq job info printed no JSON")?;
    let stats = &jobs[0]["info"]["task_stats"];
    let count = |name: &str| stats[name].as_u64().unwrap_or(0);
    Ok(count("waiting") + count("running") > 0)
}

fn cancel(id: &str) -> Result<()> {
    ask("hq", &strings(["job", "cancel", id])).map(drop)
}

//! Validates the witnesses of other tools that lie in the benchmark data, and compares with the results that their origins state.
//!
//! The list is a CSV with the columns witness, type, program, program_match, specification and a stated result of a verifier that reads the
//! witness: `VERIFICATION FAILED` means that a violation witness is confirmed, or a correctness witness rejected.

use crate::{option, release};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;
use testkit::process::run_within;

type Row = BTreeMap<String, String>;

pub fn foreign(args: &[String]) -> Result<()> {
    let data = testkit::project::bench_data().context("there is no benchmark data beside the project")?;
    let folder = data.join("witnesses");
    let timeout = option(args, "--timeout").unwrap_or("10");
    let how = option(args, "--how");
    let kind = option(args, "--kind").unwrap_or("violation");
    let tool = match option(args, "--tool") {
        Some(tool) => tool.into(),
        None => release()?,
    };
    let limit = Duration::from_secs_f64(timeout.parse::<f64>().context("--timeout needs a number")? * 2.0 + 10.0);
    let (mut counts, mut contradictions) = (BTreeMap::<(String, String), usize>::new(), 0);
    for row in batch::sources::records(&folder.join("index.csv"))? {
        let is_violation = row["type"].contains("violation") || row["type"] == "?";
        let supported = !["LTL(F", "race"].iter().any(|part| row["specification"].contains(part));
        if is_violation != (kind == "violation") || !supported || row["program"].is_empty() {
            continue;
        }
        let mut command = Command::new(&tool);
        command.current_dir(&folder).args(["witness", "validate", "--json", "--timeout", timeout]);
        // The rule of the competition that they come from.
        command.args(["--undefined-functions", "pure"]);
        command.args(how.into_iter().flat_map(|how| ["--how", how])).args([&row["witness"], &row["program"]]);
        let (result, reason) = match run_within(&mut command, limit)? {
            None => ("hangs".to_string(), String::new()),
            Some(finished) => match serde_json::from_slice::<serde_json::Value>(&finished.stdout) {
                Ok(report) => {
                    let text = |key: &str| report[key].as_str().unwrap_or("").to_string();
                    let result = if report["error"].is_string() { "error".into() } else { text("result") };
                    (
                        result,
                        format!(
                            "{} ({}/{})",
                            text(if report["error"].is_string() { "error" } else { "reason" }),
                            report["progress"]["matched"],
                            report["progress"]["total"]
                        ),
                    )
                }
                Err(_) => (format!("exit code {:?}", finished.code), "refused".into()),
            },
        };
        let expected = expected(&row, is_violation);
        let wrong = matches!(result.as_str(), "confirmed" | "rejected") && !expected.is_empty() && result != expected;
        contradictions += usize::from(wrong);
        let group = if expected.is_empty() {
            format!("program by {}", row["program_match"])
        } else {
            format!("expected {expected}")
        };
        *counts.entry((group, result.clone())).or_default() += 1;
        if result != expected {
            let mark = if wrong { "CONTRADICTION " } else { "" };
            println!("{mark}{result:11} {:9} {} [{}]: {reason}", expected, row["witness"], row["program_match"]);
        }
    }
    println!();
    for ((group, result), count) in counts {
        println!("{count:4} {group:20} {result}");
    }
    if contradictions > 0 {
        bail!("{contradictions} results contradict stated ones");
    }
    Ok(())
}

fn expected(row: &Row, is_violation: bool) -> &'static str {
    match row["esbmc_test_desc_expected"].rsplit(' ').next() {
        Some("FAILED") if is_violation => "confirmed",
        Some("SUCCESSFUL") if is_violation => "rejected",
        Some("FAILED") => "rejected",
        Some("SUCCESSFUL") => "confirmed",
        _ => "",
    }
}

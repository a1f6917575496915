//! The report of `test`: which files were made, and whether the compiled test showed the violation.

use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Serialize)]
pub struct TestReport {
    pub verdict: &'static str,
    pub property: Option<&'static str>,
    pub directory: Option<String>,
    pub files: Vec<String>,
    /// Whether the compiled test showed the violation; absent if it was not run.
    pub observed: Option<bool>,
    /// The inputs of the test as `--inputs` takes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs_line: Option<String>,
    pub reason: Option<String>,
    /// What to do where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Default for TestReport {
    /// Nothing is known.
    fn default() -> Self {
        TestReport {
            verdict: "unknown",
            property: None,
            directory: None,
            files: Vec::new(),
            observed: None,
            inputs_line: None,
            reason: None,
            help: None,
        }
    }
}

impl TestReport {
    pub fn to_text(&self) -> String {
        let property = self.property.map(|property| format!("({property})")).unwrap_or_default();
        let mut out = format!("verdict: {}{property}\n", self.verdict);
        if let Some(line) = &self.inputs_line {
            let _ = writeln!(out, "inputs: --inputs={line}");
        }
        if let Some(directory) = &self.directory {
            let _ = writeln!(out, "{directory}: {}", self.files.join(", "));
        }
        if let Some(observed) = self.observed {
            let _ = writeln!(
                out,
                "run: {}",
                if observed { "the violation was observed" } else { "the violation was not observed" }
            );
        }
        if let Some(reason) = &self.reason {
            let _ = writeln!(out, "{reason}");
        }
        if let Some(help) = &self.help {
            let _ = writeln!(out, "help: {help}");
        }
        out
    }
}

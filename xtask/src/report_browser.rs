//! The HTML report in a real browser: installs the driver with npm, then runs `tests/browser`. Screenshots and pages stay in `target/report-browser`, to be looked at.

use crate::{cargo, must, option, root};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const BROWSERS: &[&str] = &["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

pub fn report_browser(args: &[String]) -> Result<()> {
    let browser = BROWSERS.iter().find(|path| Path::new(path).exists());
    let missing: Vec<&str> = [("node", is_there("node")), ("npm", is_there("npm")), ("chromium", browser.is_some())]
        .into_iter()
        .filter_map(|(name, there)| (!there).then_some(name))
        .collect();
    let (Some(browser), []) = (browser, missing.as_slice()) else {
        println!("skipped: there is no {} (Debian: apt-get install nodejs npm chromium)", missing.join(", no "));
        return Ok(());
    };
    let tool = match option(args, "--tool") {
        Some(path) => PathBuf::from(path),
        None => {
            must(cargo().args(["build", "--quiet", "--package", "cli"]))?;
            root().join("target/debug/whydunit")
        }
    };
    let folder = root().join("tests/browser");
    if !folder.join("node_modules/playwright-core").exists() {
        // The lock file says which version; the driver brings no browser.
        must(Command::new("npm").args(["ci", "--no-audit", "--no-fund", "--prefix"]).arg(&folder))?;
    }
    let out = root().join("target/report-browser");
    must(
        Command::new("node")
            .args(["--test", "--test-concurrency=1"])
            .arg(folder.join("report.test.mjs"))
            .env("WHYDUNIT", tool)
            .env("CHROMIUM", browser)
            .env("OUT", &out),
    )?;
    println!("pages and screenshots: {}", out.display());
    Ok(())
}

fn is_there(program: &str) -> bool {
    let run = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    run.is_ok_and(|status| status.success())
}

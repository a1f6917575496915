//! The archive that a participant of SV-COMP or Test-Comp hands in: `target/whydunit.zip` with one folder that holds the executable, licences, a smoke test, the
//! option lines and the tool-info module. It is unpacked and its smoke test run before it counts.

use crate::{must, option, root};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files of the project, and where they are in the archive.
const FILES: &[(&str, &str)] = &[
    ("LICENSE", "LICENSE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("contrib/competition/README.md", "README.md"),
    ("contrib/competition/options.md", "options.md"),
    ("contrib/competition/smoketest.sh", "smoketest.sh"),
    ("contrib/competition/smoke.c", "smoke.c"),
    ("contrib/competition/unreach-call.prp", "unreach-call.prp"),
    ("contrib/benchexec/whydunit.py", "benchexec/whydunit.py"),
];

pub fn archive(args: &[String]) -> Result<()> {
    let tool: PathBuf = match option(args, "--tool") {
        Some(tool) => std::path::absolute(tool)?,
        None => static_release()?,
    };
    let place = root().join("target/archive");
    let folder = place.join("whydunit");
    if place.exists() {
        std::fs::remove_dir_all(&place)?;
    }
    std::fs::create_dir_all(folder.join("benchexec"))?;
    let copy = |from: &Path, to: &str| {
        std::fs::copy(from, folder.join(to)).with_context(|| format!("cannot copy {}", from.display()))
    };
    copy(&tool, "whydunit")?;
    for (from, to) in FILES {
        copy(&root().join(from), to)?;
    }
    std::fs::write(folder.join("LICENSE-DEPENDENCIES"), licences()?)?;
    let zip = root().join("target/whydunit.zip");
    // Python's module keeps the permission to execute, and is there where BenchExec is.
    let python = "import os, sys, zipfile\nplace, name = sys.argv[1:]\nwith zipfile.ZipFile(name, 'w', zipfile.ZIP_DEFLATED) as out:\n    for folder, _, files in sorted(os.walk(place)):\n        for file in sorted(files):\n            path = os.path.join(folder, file)\n            out.write(path, os.path.relpath(path, place))\n";
    must(Command::new("python3").args(["-c", python]).arg(&place).arg(&zip))?;
    must(Command::new("sh").arg("contrib/competition/check.sh").arg(&zip))?;
    println!("{}", zip.display());
    Ok(())
}

/// The executable with all libraries in it, so that it runs on any Linux of the same processor.
fn static_release() -> Result<PathBuf> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot run rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc does not name this machine")?;
    let folder = root().join("target/static");
    let mut build = crate::cargo();
    build.args(["build", "--quiet", "--release", "--locked", "--package", "cli", "--target", host]);
    must(build.arg("--target-dir").arg(&folder).env("RUSTFLAGS", "-C target-feature=+crt-static"))?;
    Ok(folder.join(host).join("release/whydunit"))
}

/// Name, version and licence of every crate that is linked.
fn licences() -> Result<String> {
    let output = crate::cargo().args(["metadata", "--format-version", "1", "--locked"]).current_dir(root()).output()?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).context("cargo metadata gave no JSON")?;
    let text = |value: &serde_json::Value| value.as_str().unwrap_or("?").to_string();
    let mut lines: Vec<String> = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        if package["source"].is_string() {
            let licence = text(&package["license"]);
            if licence == "?" {
                bail!("{} names no licence", package["name"]);
            }
            lines.push(format!("{} {}: {licence}", text(&package["name"]), text(&package["version"])));
        }
    }
    lines.sort();
    Ok(lines.join("\n") + "\n")
}

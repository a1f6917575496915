//! Installs what tests need and a machine with only Rust and a C compiler lacks. A test never skips because a program is missing.

use anyhow::{Context, Result, bail};
use std::process::{Command, Stdio};

/// Debian package and a file that shows it is there.
const PACKAGES: &[(&str, &str)] = &[("csmith", "/usr/bin/csmith"), ("libcsmith-dev", "/usr/include/csmith/csmith.h")];

pub fn setup() -> Result<()> {
    let missing: Vec<&str> =
        PACKAGES.iter().filter(|(_, file)| !std::path::Path::new(file).exists()).map(|(package, _)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    eprintln!("installing {}", missing.join(", "));
    // The package lists of a fresh machine may be empty or old.
    apt(&["update"])?;
    apt(&[&["install", "--yes", "--no-install-recommends"], missing.as_slice()].concat())
}

fn apt(args: &[&str]) -> Result<()> {
    let root = Command::new("id").arg("-u").output().context("cannot run id")?.stdout.trim_ascii() == b"0";
    let mut command = if root { Command::new("apt-get") } else { Command::new("sudo") };
    if !root {
        command.arg("apt-get");
    }
    command.args(args).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
    let status =
        command.status().context("cannot run apt-get: install the packages csmith and libcsmith-dev by hand")?;
    if !status.success() {
        bail!("{command:?} failed: install the packages csmith and libcsmith-dev by hand");
    }
    Ok(())
}

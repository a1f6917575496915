//! Installs what tests need and a machine with only Rust and a C compiler lacks. A test never skips because a program is missing.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testkit::project;

/// Debian package and a file that shows it is there.
const PACKAGES: &[(&str, &str)] = &[("csmith", "/usr/bin/csmith"), ("libcsmith-dev", "/usr/include/csmith/csmith.h")];

pub fn setup() -> Result<()> {
    packages()?;
    python_packages()
}

fn packages() -> Result<()> {
    let missing: Vec<&str> =
        PACKAGES.iter().filter(|(_, file)| !Path::new(file).exists()).map(|(package, _)| *package).collect();
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
    let status = command
        .status()
        .context("cannot run apt-get: install the packages csmith, libcsmith-dev and python3-venv by hand")?;
    if !status.success() {
        bail!("{command:?} failed: install the packages csmith, libcsmith-dev and python3-venv by hand");
    }
    Ok(())
}

/// A package of the Python package index, and an executable that shows that it is there.
type PythonPackage = (&'static str, fn() -> PathBuf);

/// An SMT solver, to check ours, and what measures verifiers, to try the module that it needs for this one.
const PYTHON_PACKAGES: &[PythonPackage] = &[("z3-solver", project::smt_solver), ("benchexec", project::benchexec)];

/// Into a virtual environment of the project's own.
fn python_packages() -> Result<()> {
    for (package, executable) in PYTHON_PACKAGES {
        let executable = executable();
        if executable.exists() {
            continue;
        }
        eprintln!("installing {package}");
        let folder = project::tools();
        let by_hand = "install python3 with its module venv (Debian: python3-venv), or put an executable at";
        let help = || format!("{by_hand} {}", executable.display());
        if !folder.join("bin/pip").exists() && python(&["-m", "venv"], &folder).is_err() {
            // Debian's python3 comes without what its own venv needs.
            apt(&["update"])?;
            apt(&["install", "--yes", "--no-install-recommends", "python3-venv"])?;
            python(&["-m", "venv", "--clear"], &folder).with_context(help)?;
        }
        let mut pip = Command::new(folder.join("bin/pip"));
        pip.args(["install", "--quiet", "--disable-pip-version-check", package]);
        let status = pip.status().with_context(help)?;
        if !status.success() || !executable.exists() {
            bail!("{pip:?} failed: {}", help());
        }
    }
    Ok(())
}

fn python(args: &[&str], folder: &Path) -> Result<()> {
    let mut command = Command::new("python3");
    let status = command.args(args).arg(folder).stdout(Stdio::null()).status().context("cannot run python3")?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}

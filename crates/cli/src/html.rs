//! `--html FILE`: writes the page.

use crate::args::TaskArgs;
use crate::produce::creation_time;
use anyhow::{Context, Result, bail};
use evidence::Verdict;
use report::Document;
use report::html::Page;
use std::path::Path;
use workflow::Request;
use workflow::page::{PageParts, page};

/// Refuses a page that cannot be written, before any work is done.
pub fn check(path: Option<&Path>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        bail!("--html {}: there is no folder {}", path.display(), folder.display());
    }
    if path.is_dir() {
        bail!("--html {}: that is a folder", path.display());
    }
    Ok(())
}

/// Writes the page about reports, if one is asked for.
pub fn write(args: &TaskArgs, request: &Request<'_>, documents: &[&Document], verdict: Option<&Verdict>) -> Result<()> {
    match &args.output.html {
        Some(path) => write_to(path, args, request, documents, verdict),
        None => Ok(()),
    }
}

pub fn write_to(
    path: &Path,
    args: &TaskArgs,
    request: &Request<'_>,
    documents: &[&Document],
    verdict: Option<&Verdict>,
) -> Result<()> {
    let witnesses = args.unusual().is_none() && request.task.program.cycle.is_none();
    let time = creation_time()?;
    write_page(path, &page(request, &PageParts { documents, verdict, witnesses, time: &time }))
}

pub fn write_page(path: &Path, page: &Page) -> Result<()> {
    std::fs::write(path, page.render()).with_context(|| format!("cannot write {}", path.display()))
}

/// For a command that has to stop at once.
pub fn say_not_written(wanted: bool) {
    if wanted {
        eprintln!("note: no page was written");
    }
}

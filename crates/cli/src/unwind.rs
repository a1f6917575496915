//! `--unwind-loop`: bounds of single loops and functions, as the user names them.

use anyhow::{Context, Result, bail};
use base::{Location, SourceMap};
use cfa::{FuncId, LocId, Program, loops};
use engine::Limits;

/// A loop and where its statement starts.
struct Site {
    head: LocId,
    function: FuncId,
    place: Location,
}

/// Reads `FILE:LINE=N`, `LINE=N` and `FUNCTION=N`.
pub fn limits(texts: &[String], program: &Program, sources: &SourceMap) -> Result<Limits> {
    let mut limits = Limits::default();
    if texts.is_empty() {
        return Ok(limits);
    }
    let sites = sites(program, sources);
    for text in texts {
        let (what, number) = text.rsplit_once('=').with_context(|| usage(text))?;
        let bound: u32 = number.trim().parse().ok().with_context(|| usage(text))?;
        let named = functions(program, what);
        let heads: Vec<LocId> = sites.iter().filter(|site| is_named(&site.place, what)).map(|site| site.head).collect();
        if named.is_empty() && heads.is_empty() {
            bail!("--unwind-loop {text}: there is no such loop or function\n{}", list(program, &sites));
        }
        limits.functions.extend(named.into_iter().map(|function| (function, bound)));
        limits.loops.extend(heads.into_iter().map(|head| (head, bound)));
    }
    Ok(limits)
}

fn usage(text: &str) -> String {
    format!("--unwind-loop {text}: write FILE:LINE=N, LINE=N or FUNCTION=N with a number N, e.g. sort.c:12=100")
}

/// Functions with a body of that name; static ones of several files may share it.
fn functions(program: &Program, name: &str) -> Vec<FuncId> {
    let ids = program.functions.iter().map(|(id, _)| id);
    ids.filter(|id| program.automaton(*id).is_some() && program.function_name(*id) == name).collect()
}

/// Whether a loop is what `LINE` or `FILE:LINE` names; of the file, the last parts of its path are enough.
fn is_named(place: &Location, what: &str) -> bool {
    let (file, line) = what.rsplit_once(':').unwrap_or(("", what));
    let same_file = file.is_empty() || std::path::Path::new(&place.file).ends_with(file) || place.file == file;
    same_file && line.trim().parse() == Ok(place.line)
}

/// The loops of all functions, as the encoder cuts them. The head of one that `goto` enters in the middle need not be the marked one.
fn sites(program: &Program, sources: &SourceMap) -> Vec<Site> {
    let mut sites = Vec::new();
    for (function, _) in program.functions.iter().filter(|(id, _)| program.automaton(*id).is_some()) {
        let found = loops::loops(program, function);
        for one in &found {
            let marked = std::iter::once(&one.head).chain(&one.body).find_map(|at| program.locations[*at].loop_head);
            if let Some(place) = marked.and_then(|span| sources.locate(span.lo)) {
                sites.push(Site { head: one.head, function, place });
            }
        }
    }
    sites.sort_by(|a, b| a.place.cmp(&b.place));
    sites
}

fn list(program: &Program, sites: &[Site]) -> String {
    if sites.is_empty() {
        return "the program has no loops".into();
    }
    let line = |site: &Site| {
        format!("  {}:{} in `{}`", site.place.file, site.place.line, program.function_name(site.function))
    };
    format!("the loops of the program:\n{}", sites.iter().map(line).collect::<Vec<String>>().join("\n"))
}

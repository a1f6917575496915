//! The summary of a run as one HTML file that needs nothing else: table, quantile plot, scatter plot against an older run, and all tasks with filters and links to
//! the files that each task wrote. Plots are drawn here (`plot`), so that they are there without scripts; a script only filters.

mod plot;

use crate::compare::{Change, Comparison};
use crate::outcome::Status;
use crate::results::{Row, write_whole};
use crate::summary::{Group, Summary};
use anyhow::Result;
use base::markup::html as escape;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// What the page shows.
pub struct Page<'a> {
    pub title: &'a str,
    pub rows: &'a [Row],
    /// The folder of the run, whose files are linked.
    pub folder: &'a Path,
    /// Another run, and how this one differs from it.
    pub against: Option<(&'a str, &'a [Row], &'a Comparison)>,
}

pub fn write(path: &Path, page: &Page<'_>) -> Result<()> {
    let links = Links::of(page.folder, path)?;
    write_whole(path, |out| {
        let summary = Summary::of(page.rows.iter().cloned());
        let title = escape(page.title);
        writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
        writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
        writeln!(out, "<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>")?;
        writeln!(out, "{}", headline(&summary))?;
        writeln!(out, "<div class=\"plots\">")?;
        let mut curves = vec![(page.title, summary.quantiles.clone())];
        if let Some((name, rows, _)) = page.against {
            curves.push((name, Summary::of(rows.iter().cloned()).quantiles));
        }
        writeln!(
            out,
            "<figure>{}<figcaption>Quantile plot: so many answers, each within that processor time</figcaption></figure>",
            plot::quantiles(&curves)
        )?;
        if let Some((name, _, comparison)) = page.against {
            let caption = format!(
                "Scatter plot: processor time of each task, {} (across) and {title} (up); grey: not answered by both",
                escape(name)
            );
            writeln!(
                out,
                "<figure>{}<figcaption>{caption}</figcaption></figure>",
                plot::scatter(&comparison.pairs, name, page.title)
            )?;
        }
        writeln!(out, "</div>")?;
        if let Some((name, _, comparison)) = page.against {
            writeln!(
                out,
                "<h2>Against {}</h2>\n<p>{}</p>",
                escape(name),
                escape(
                    comparison
                        .text()
                        .trim()
                        .lines()
                        .rev()
                        .take(2)
                        .collect::<Vec<_>>()
                        .into_iter()
                        .rev()
                        .collect::<Vec<_>>()
                        .join("; ")
                        .as_str()
                )
            )?;
        }
        writeln!(out, "<h2>By folder and property</h2>\n{}", groups(&summary))?;
        let changes: BTreeMap<(&str, &str), Change> = page
            .against
            .iter()
            .flat_map(|(_, _, comparison)| {
                comparison.differences.iter().map(|one| ((one.task.as_str(), one.property.as_str()), one.change))
            })
            .collect();
        writeln!(out, "<h2>Tasks</h2>\n{}", filters(page.rows, !changes.is_empty()))?;
        let header = ["task", "property", "expected", "verdict", "status", "cpu s", "wall s", "MB", "files"];
        let header: String = header.iter().map(|name| format!("<th>{name}</th>")).collect();
        writeln!(out, "<div class=\"wide\"><table id=\"tasks\">\n<thead><tr>{header}</tr></thead>\n<tbody>")?;
        for row in page.rows {
            let change = changes.get(&(row.task.as_str(), row.property.as_str()));
            writeln!(out, "{}", task(row, change.copied(), &links))?;
        }
        Ok(writeln!(out, "</tbody>\n</table></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>")?)
    })
}

fn headline(summary: &Summary) -> String {
    let total = &summary.total;
    let mut tiles = vec![("tasks", total.tasks.to_string(), "")];
    if total.best_score > 0 {
        tiles.push(("correct", total.correct().to_string(), "correct"));
        tiles.push(("wrong", total.wrong().to_string(), if total.wrong() > 0 { "wrong" } else { "" }));
    }
    if total.decided() > 0 {
        tiles.push(("hold", total.decided_true.to_string(), "correct"));
        tiles.push(("violated", total.decided_false.to_string(), "wrong"));
    }
    tiles.push(("undecided", total.undecided.to_string(), "undecided"));
    tiles.push(("error", total.error.to_string(), if total.error > 0 { "error" } else { "" }));
    if total.best_score > 0 {
        tiles.push(("score", format!("{} of {}", total.score, total.best_score), ""));
    }
    tiles.push(("processor time", format!("{:.1} s", total.cpu_s), ""));
    let tile =
        |(name, value, class): (&str, String, &str)| format!("<div class=\"tile {class}\"><b>{value}</b>{name}</div>");
    format!("<div class=\"tiles\">{}</div>", tiles.into_iter().map(tile).collect::<String>())
}

fn groups(summary: &Summary) -> String {
    let header = ["folder", "property", "tasks", "correct", "wrong", "undecided", "error", "score", "cpu s", "most MB"];
    let header: String = header.iter().map(|name| format!("<th>{name}</th>")).collect();
    let line = |folder: &str, group: &Group, class: &str| {
        let wrong = if group.wrong() > 0 { " class=\"wrong\"" } else { "" };
        let score =
            if group.best_score > 0 { format!("{} / {}", group.score, group.best_score) } else { "–".to_string() };
        format!(
            "<tr class=\"{class}\"><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td{wrong}>{}</td><td>{}</td><td>{}</td><td>{score}</td><td>{:.1}</td><td>{:.0}</td></tr>\n",
            escape(folder),
            escape(&group.property),
            group.tasks,
            group.correct() + group.decided(),
            group.wrong(),
            group.undecided,
            group.error,
            group.cpu_s,
            group.memory_mb
        )
    };
    let body: String = summary
        .groups
        .iter()
        .map(|group| line(if group.folder.is_empty() { "." } else { &group.folder }, group, ""))
        .collect();
    let several = summary.properties.iter().filter(|_| summary.properties.len() > 1);
    let whole: String = several.map(|group| line("all", group, "total")).collect();
    let total = line("total", &summary.total, "total");
    format!(
        "<div class=\"wide\"><table class=\"groups\"><thead><tr>{header}</tr></thead><tbody>\n{body}{whole}{total}</tbody></table></div>"
    )
}

fn filters(rows: &[Row], compared: bool) -> String {
    let choice = |name: &str, label: &str, values: Vec<String>| {
        let option = |value: &String| format!("<option>{}</option>", escape(value));
        let options: String = values.iter().map(option).collect();
        format!(
            "<label>{label} <select data-filter=\"{name}\"><option value=\"\">all</option>{options}</select></label>"
        )
    };
    let mut properties: Vec<String> = rows.iter().map(|row| row.property.clone()).collect();
    properties.sort();
    properties.dedup();
    let statuses = Status::ALL.into_iter().filter(|status| rows.iter().any(|row| row.status == *status));
    let statuses = statuses.map(|status| status.name().to_string()).collect();
    let changes = [Change::Gained, Change::Lost, Change::Changed].map(|change| change.name().to_string()).to_vec();
    let changes = if compared { choice("change", "change", changes) } else { String::new() };
    format!(
        "<div class=\"filters\"><label>name <input data-filter=\"name\" type=\"search\" placeholder=\"part of the name\"></label>{}{}{changes}<span id=\"count\"></span></div>",
        choice("property", "property", properties),
        choice("status", "status", statuses),
    )
}

fn task(row: &Row, change: Option<Change>, links: &Links) -> String {
    let status = row.status.name();
    let change = change.map_or("", Change::name);
    let reason =
        row.reason.as_deref().map_or(String::new(), |reason| format!("<div class=\"reason\">{}</div>", escape(reason)));
    let mark = if change.is_empty() { String::new() } else { format!(" <span class=\"change\">{change}</span>") };
    format!(
        "<tr data-name=\"{0}\" data-property=\"{1}\" data-status=\"{status}\" data-change=\"{change}\"><td>{0}{mark}</td><td>{1}</td><td>{2}</td><td>{3}{reason}</td><td class=\"{status}\">{status}</td><td>{4:.3}</td><td>{5:.3}</td><td>{6:.1}</td><td>{7}</td></tr>",
        escape(&row.task),
        escape(&row.property),
        escape(row.expected.as_deref().unwrap_or("")),
        escape(&row.verdict),
        row.cpu_s,
        row.wall_s,
        row.memory_mb,
        links.of_task(&row.files)
    )
}

/// Files that tasks wrote, by the stem of their names.
struct Links {
    prefix: String,
    by_stem: BTreeMap<String, Vec<String>>,
}

impl Links {
    /// As seen from the page.
    fn of(folder: &Path, page: &Path) -> Result<Links> {
        let files = std::path::absolute(folder.join("files"))?;
        let from = std::path::absolute(page.parent().unwrap_or(Path::new("")))?;
        let mut by_stem: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in std::fs::read_dir(&files).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            // Stems begin with five digits and may hold a dot before the property.
            by_stem.entry(name.chars().take(6).collect()).or_default().push(name);
        }
        by_stem.values_mut().for_each(|names| names.sort());
        Ok(Links { prefix: relative(&files, &from).display().to_string(), by_stem })
    }

    fn of_task(&self, stem: &str) -> String {
        let names = self.by_stem.get(&stem.chars().take(6).collect::<String>());
        let own =
            names.into_iter().flatten().filter_map(|name| Some((name, name.strip_prefix(stem)?.strip_prefix('.')?)));
        let label = |extension: &str| match extension {
            "txt" => "output".to_string(),
            "err" => "messages".to_string(),
            "html" => "report".to_string(),
            other => other.to_string(),
        };
        let link = |(name, extension): (&String, &str)| {
            format!("<a href=\"{}/{}\">{}</a>", escape(&self.prefix), escape(name), escape(&label(extension)))
        };
        own.map(link).collect::<Vec<String>>().join(" ")
    }
}

/// A path as seen from a folder.
fn relative(path: &Path, from: &Path) -> PathBuf {
    let common = path.components().zip(from.components()).take_while(|(left, right)| left == right).count();
    let up = from.components().skip(common).map(|_| Path::new(".."));
    up.chain(path.components().skip(common).map(|part| Path::new(part.as_os_str()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_page() {
        assert_eq!(relative(Path::new("/a/run/files"), Path::new("/a/run")), Path::new("files"));
        assert_eq!(relative(Path::new("/a/run/files"), Path::new("/a/other")), Path::new("../run/files"));
    }
}

//! What is wrong with a YAML witness as a whole.

use super::{Finding, Rule, rules};
use crate::model::*;

pub fn check(entries: &[Entry], findings: &mut Vec<Finding>) {
    let mut report =
        |rule: &'static Rule, at: Position, message: String| findings.push(Finding::new(rule, at, message));
    let violations = entries.iter().filter(|entry| matches!(entry.content, Content::Violation(_))).count();
    match entries.first() {
        None => {
            // A type of entry that is not known was reported already.
            if findings.is_empty() {
                findings.push(Finding::new(
                    &rules::ENTRIES,
                    Position { line: 1, column: 1 },
                    "there is no entry".into(),
                ));
            }
            return;
        }
        Some(first) if violations > 1 || (violations == 1 && entries.len() > 1) => {
            report(&rules::ENTRIES, first.at, "a violation witness has one entry and no invariants".into());
        }
        Some(_) => {}
    }
    let sequence = entries.len() == 1;
    for entry in entries {
        task(&entry.metadata.task, &mut report);
        for location in locations(entry) {
            let files = &entry.metadata.task.input_files;
            if !files.is_empty() && !files.iter().any(|file| same_file(file, &location.file_name)) {
                report(&rules::FILE_NAME, location.at, format!("`{}` is not an input file", location.file_name));
            }
        }
        version(entry, &mut report);
        match &entry.content {
            Content::Violation(segments) if sequence || !segments.is_empty() => {
                violation(segments, entry, &mut report);
            }
            Content::Violation(_) | Content::Invariants(_) | Content::Ghosts(_) => {}
        }
    }
}

/// Producers write paths of their own machines; the last part counts.
pub fn same_file(a: &str, b: &str) -> bool {
    let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or("").to_string();
    last(a) == last(b)
}

/// All locations of an entry.
pub fn locations(entry: &Entry) -> Vec<&Location> {
    match &entry.content {
        Content::Violation(segments) => {
            segments.iter().flat_map(|segment| &segment.waypoints).map(|waypoint| &waypoint.location).collect()
        }
        Content::Invariants(claims) => claims
            .iter()
            .filter_map(|claim| match claim {
                Claim::Invariant(invariant) => invariant.location.as_ref(),
                Claim::Contract(contract) => Some(&contract.location),
            })
            .collect(),
        Content::Ghosts(ghosts) => ghosts.updates.iter().map(|update| &update.location).collect(),
    }
}

fn task(task: &Task, report: &mut impl FnMut(&'static Rule, Position, String)) {
    for (file, _) in &task.input_file_hashes {
        if !task.input_files.contains(file) {
            report(&rules::HASHES, task.at, format!("a hash of `{file}`, which is not an input file"));
            return;
        }
    }
    let hashed = |file: &&String| task.input_file_hashes.iter().any(|(name, _)| name == *file);
    if let Some(file) = task.input_files.iter().find(|file| !hashed(file)) {
        report(&rules::HASHES, task.at, format!("`{file}` has no hash"));
    }
}

/// What an entry uses that its version does not have yet.
fn version(entry: &Entry, report: &mut impl FnMut(&'static Rule, Position, String)) {
    let version = entry.metadata.format_version.as_str();
    for (since, at, what) in used(entry) {
        if version < since && !version.is_empty() {
            report(&rules::VERSION, at, format!("{what}: in the format since {since}, but this is {version}"));
        }
    }
}

/// What an entry uses that not all versions have: the first version that has it, where, and its name.
pub fn used(entry: &Entry) -> Vec<(&'static str, Position, &'static str)> {
    let mut found = Vec::new();
    match &entry.content {
        Content::Violation(segments) => {
            for segment in segments {
                let follows = segment.waypoints.iter().filter(|waypoint| waypoint.action == Action::Follow).count();
                if follows > 1 && segment.waypoints.iter().any(|waypoint| waypoint.thread.is_some()) {
                    found.push(("2.2", segment.at, "several waypoints to follow in one segment"));
                }
                for waypoint in &segment.waypoints {
                    if waypoint.thread.is_some() {
                        found.push(("2.2", waypoint.at, "`thread_id`"));
                    }
                    if waypoint.action == Action::Cycle {
                        found.push(("2.1", waypoint.at, "the action `cycle`"));
                    }
                }
            }
        }
        Content::Invariants(claims) => {
            for claim in claims {
                match claim {
                    Claim::Contract(contract) => found.push(("2.1", contract.at, "`function_contract`")),
                    Claim::Invariant(invariant) => {
                        if !matches!(invariant.kind, InvariantKind::Loop | InvariantKind::Location) {
                            found.push(("2.1", invariant.at, invariant.kind.word()));
                        }
                        if !invariant.labels.is_empty() {
                            found.push(("2.1", invariant.at, "`labels`"));
                        }
                    }
                }
            }
        }
        Content::Ghosts(_) => found.push(("2.1", entry.at, "`ghost_instrumentation`")),
    }
    found
}

fn violation(segments: &[Segment], entry: &Entry, report: &mut impl FnMut(&'static Rule, Position, String)) {
    let many = entry.metadata.format_version.as_str() >= "2.2";
    for (index, segment) in segments.iter().enumerate() {
        let last = index + 1 == segments.len();
        let follows: Vec<_> = segment.waypoints.iter().filter(|waypoint| waypoint.action != Action::Avoid).collect();
        let at_end = segment.waypoints.last().is_some_and(|waypoint| waypoint.action != Action::Avoid);
        if follows.is_empty() {
            report(&rules::SEGMENT, segment.at, "the segment has no waypoint to follow".into());
        } else if !many && follows.len() > 1 {
            report(&rules::SEGMENT, follows[1].at, "a second waypoint to follow in one segment".into());
        } else if !many && !at_end {
            report(&rules::SEGMENT, follows[0].at, "the waypoint to follow is not the last of its segment".into());
        }
        for waypoint in &segment.waypoints {
            waypoint_alone(waypoint, report);
            if waypoint.kind == WaypointKind::Target && (!last || waypoint.action == Action::Avoid) {
                let message = "a target is followed, and only in the last segment".into();
                report(&rules::TARGET, waypoint.at, message);
            }
        }
        let ends = |waypoint: &&Waypoint| waypoint.kind == WaypointKind::Target || waypoint.action == Action::Cycle;
        if last && !follows.is_empty() && !follows.iter().any(ends) {
            report(&rules::TARGET, segment.at, "the last segment has no target and is not part of a cycle".into());
        }
    }
    if segments.is_empty() {
        report(&rules::TARGET, entry.at, "the sequence has no segment".into());
    }
    let cycle = |segment: &Segment| segment.waypoints.iter().any(|waypoint| waypoint.action == Action::Cycle);
    let first = segments.iter().position(cycle).unwrap_or(segments.len());
    if let Some(segment) = segments[first..].iter().find(|segment| !cycle(segment)) {
        report(&rules::SEGMENT, segment.at, "only segments of the cycle follow a segment of the cycle".into());
    }
}

fn waypoint_alone(waypoint: &Waypoint, report: &mut impl FnMut(&'static Rule, Position, String)) {
    let kind = waypoint.kind;
    let wanted = !matches!(kind, WaypointKind::FunctionEnter | WaypointKind::Target);
    let Some(constraint) = &waypoint.constraint else {
        if wanted {
            report(&rules::CONSTRAINT, waypoint.at, format!("a waypoint of type {} has a constraint", kind.word()));
        }
        return;
    };
    if !wanted {
        report(&rules::CONSTRAINT, constraint.at, format!("a waypoint of type {} has no constraint", kind.word()));
        return;
    }
    let good = match kind {
        WaypointKind::Branching => {
            let value = constraint.value.as_str();
            if !matches!(value, "true" | "false" | "default") && value.parse::<i128>().is_err() {
                report(&rules::BRANCH_VALUE, constraint.at, format!("`{value}` is no outcome of a branch"));
            }
            constraint.format.is_none()
        }
        WaypointKind::FunctionReturn => {
            if !is_result_comparison(&constraint.value) {
                let message = format!("`{}` is not \\result compared with a constant", constraint.value);
                report(&rules::RESULT_FORM, constraint.at, message);
            }
            !matches!(constraint.format, Some(ExpressionFormat::C))
        }
        _ => !matches!(constraint.format, Some(ExpressionFormat::Acsl)),
    };
    if !good {
        let format = constraint.format.map_or("", ExpressionFormat::word);
        report(&rules::FORMAT_FORM, constraint.at, format!("`{format}` is not for waypoints of type {}", kind.word()));
    }
}

fn is_result_comparison(text: &str) -> bool {
    let Some(rest) = text.trim().strip_prefix("\\result") else { return false };
    let rest = rest.trim_start();
    let operators = ["==", "!=", "<=", ">=", "<", ">"];
    operators.iter().any(|operator| {
        rest.strip_prefix(operator).is_some_and(|constant| {
            !constant.trim().is_empty() && !constant.contains("\\result") && !constant.trim_start().starts_with('=')
        })
    })
}

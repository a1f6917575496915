//! The operations of the program at the places that witnesses name.

use cfa::{AssumeRole, Branch, Callee, EdgeId, FuncId, LocId, Op, Program};
use std::collections::{HashMap, HashSet};
use witness::program::{Place, Source, Step};

pub struct Places<'a> {
    pub source: &'a Source<'a>,
    pub program: &'a Program,
    /// The edges into each location.
    into: HashMap<LocId, Vec<EdgeId>>,
    steps: HashMap<EdgeId, Step>,
}

impl<'a> Places<'a> {
    pub fn new(source: &'a Source<'a>, program: &'a Program) -> Self {
        let mut into: HashMap<LocId, Vec<EdgeId>> = HashMap::new();
        for (edge, data) in program.edges.iter() {
            into.entry(data.to).or_default().push(edge);
        }
        let steps = source.steps.iter().map(|step| (step.edge, *step)).collect();
        Places { source, program, into, steps }
    }

    /// Edges that lowering adds between statements.
    pub fn is_silent(&self, edge: EdgeId) -> bool {
        matches!(self.program.edges[edge].op, Op::Skip | Op::Kill(_))
    }

    fn anchor(&self, edge: EdgeId) -> Option<Place> {
        self.steps.get(&edge).map(|step| step.anchor)
    }

    /// The next edges that are not silent.
    pub fn successors(&self, edge: EdgeId) -> Vec<EdgeId> {
        let mut open = vec![self.program.edges[edge].to];
        let (mut found, mut seen) = (Vec::new(), Vec::new());
        while let Some(location) = open.pop() {
            if seen.contains(&location) || seen.len() > 100 {
                continue;
            }
            seen.push(location);
            for next in self.program.successors(location) {
                match self.is_silent(next) {
                    true => open.push(self.program.edges[next].to),
                    false => found.push(next),
                }
            }
        }
        found
    }

    /// Whether one of some edges can come after an edge, in the same activation of its function.
    pub fn leads_to(&self, edge: EdgeId, wanted: &[EdgeId]) -> bool {
        let start = self.program.edges[edge].to;
        let (mut open, mut seen) = (vec![start], HashSet::from([start]));
        while let Some(location) = open.pop() {
            for next in self.program.successors(location) {
                if wanted.contains(&next) {
                    return true;
                }
                let to = self.program.edges[next].to;
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        false
    }

    /// Where the statement that begins at a place is entered: the edges before which that is. Without a column the leftmost one of the line.
    pub fn statement(&self, line: u32, column: Option<u32>) -> Vec<EdgeId> {
        let leftmost = self.source.steps.iter().map(|step| step.anchor).filter(|anchor| anchor.line == line).min();
        let column = column.or(leftmost.map(|anchor| anchor.column));
        if let Some(location) = self.loop_at(line, column) {
            return self.loop_entry(location);
        }
        let mut steps: Vec<Step> = self
            .source
            .steps
            .iter()
            .filter(|step| step.anchor.line == line && !self.is_silent(step.edge))
            .copied()
            .collect();
        let column = column.or(steps.iter().map(|step| step.anchor.column).min());
        if steps.iter().any(|step| Some(step.anchor.column) == column) {
            steps.retain(|step| Some(step.anchor.column) == column);
        } else {
            steps.retain(|step| step.start.line == line && Some(step.start.column) == column);
        }
        let entries = steps.iter().map(|step| step.edge).filter(|edge| self.is_entered(*edge));
        let mut found: Vec<EdgeId> = entries.map(|edge| self.first_of(edge)).collect();
        found.sort();
        found.dedup();
        found
    }

    /// Moments before are those of the first of two branches.
    pub fn first_of(&self, edge: EdgeId) -> EdgeId {
        self.program.locations[self.program.edges[edge].from].out[0].unwrap_or(edge)
    }

    /// Whether an edge begins its statement: something else may come before it.
    fn is_entered(&self, edge: EdgeId) -> bool {
        let anchor = self.anchor(edge);
        let start = self.program.edges[edge].from;
        let (mut open, mut seen) = (vec![start], vec![start]);
        while let Some(location) = open.pop() {
            let edges = self.into.get(&location).map_or(&[][..], Vec::as_slice);
            if edges.is_empty() {
                return true;
            }
            for before in edges {
                let from = self.program.edges[*before].from;
                if self.is_silent(*before) && self.anchor(*before) != anchor {
                    if !seen.contains(&from) {
                        seen.push(from);
                        open.push(from);
                    }
                } else if self.anchor(*before) != anchor {
                    return true;
                }
            }
        }
        false
    }

    /// The head of the loop whose keyword is at a place.
    pub fn loop_at(&self, line: u32, column: Option<u32>) -> Option<LocId> {
        let heads = self.program.locations.iter().filter_map(|(id, data)| {
            let place = self.source.place(data.loop_head?.lo)?;
            let text = self.source.rest(place.line, place.column)?;
            let keyword = ["for", "while", "do"].iter().any(|word| text.starts_with(word));
            (keyword && place.line == line && column.is_none_or(|column| column == place.column)).then_some((place, id))
        });
        heads.min().map(|(_, location)| location)
    }

    /// Before which edges the condition of the loop at a place is about to be evaluated.
    pub fn loop_condition(&self, line: u32, column: Option<u32>) -> Result<Vec<EdgeId>, String> {
        let head = self.loop_at(line, column).ok_or_else(|| format!("no loop begins in line {line}"))?;
        let edge = self.program.locations[head].out[0].ok_or("a loop without an operation")?;
        let place = self.program.locations[head].loop_head.and_then(|span| self.source.place(span.lo));
        let Some(place) = place else { return Err("a loop without a place".into()) };
        let text = self.source.rest(place.line, place.column).unwrap_or_default();
        if !text.starts_with("do") {
            return Ok(vec![edge]);
        }
        // The condition of a `do` comes last: its first operand is the leftmost.
        let (_, edges) = self.source.branch_at(place.line, Some(place.column)).ok_or("a loop without a condition")?;
        let first = edges.into_iter().min_by_key(|edge| (self.program.edges[*edge].span.lo, *edge));
        let simple = first.filter(|edge| self.is_entered(*edge)).map(|edge| self.first_of(edge));
        simple.map(|edge| vec![edge]).ok_or_else(|| "a condition that begins with a call".into())
    }

    /// Before which edges a loop is begun: a `for` with its first part, others whenever the head is reached.
    fn loop_entry(&self, head: LocId) -> Vec<EdgeId> {
        let Some(span) = self.program.locations[head].loop_head else { return Vec::new() };
        let inside = |edge: &EdgeId| {
            let other = self.program.edges[*edge].span;
            span.lo <= other.lo && other.hi <= span.hi
        };
        let text = self.source.place(span.lo).and_then(|place| self.source.rest(place.line, place.column));
        if text.is_some_and(|text| text.starts_with("for")) {
            let function = self.program.locations[head].function;
            let automaton = self.program.automaton(function);
            let edges = automaton.into_iter().flat_map(|automaton| automaton.edges.clone()).map(EdgeId);
            let from_outside = |edge: &EdgeId| {
                let before = self.into.get(&self.program.edges[*edge].from);
                before.is_none_or(|edges| edges.iter().any(|edge| !inside(edge)))
            };
            let first: Vec<EdgeId> = edges.filter(|edge| inside(edge) && from_outside(edge)).collect();
            if !first.is_empty() {
                return first.into_iter().map(|edge| self.first_of(edge)).collect();
            }
        }
        self.program.locations[head].out[0].into_iter().collect()
    }

    /// The `switch` at a place: the edge after which its value is known, and the tests for its cases.
    pub fn switch_at(&self, line: u32, column: Option<u32>) -> Option<(EdgeId, Vec<EdgeId>)> {
        let (_, edges) = self.source.branch_at(line, column)?;
        let tests: Vec<EdgeId> = edges
            .into_iter()
            .filter(|edge| {
                matches!(
                    self.program.edges[*edge].op,
                    Op::Assume { truth: true, role: AssumeRole::Branch(Branch::Switch), .. }
                )
            })
            .collect();
        let first = tests.iter().find_map(|test| {
            let before = self.into.get(&self.program.edges[*test].from)?;
            before.iter().copied().find(|edge| matches!(self.program.edges[*edge].op, Op::Assign(..)))
        })?;
        Some((first, tests))
    }

    /// The calls whose closing parenthesis is at a place; without a column the leftmost of the line.
    pub fn calls(&self, line: u32, column: Option<u32>) -> Vec<EdgeId> {
        let is_call = |step: &&Step| match self.program.edges[step.edge].op {
            Op::Call { .. } | Op::Havoc(..) | Op::Halt(_) => true,
            Op::Assume { role, .. } => role == AssumeRole::Assumption,
            Op::Assert { .. } => self.source.called(step.edge).is_some(),
            _ => false,
        };
        let calls = self.source.steps.iter().filter(is_call).filter(|step| step.end.line == line);
        let column = column.or(calls.clone().map(|step| step.end.column).min());
        calls.filter(|step| Some(step.end.column) == column).map(|step| step.edge).collect()
    }

    /// The functions with a body that an edge may call: where a pointer decides, all.
    pub fn entered(&self, edge: EdgeId) -> Vec<FuncId> {
        let defined = |function: &FuncId| self.program.automaton(*function).is_some();
        match self.program.edges[edge].op {
            Op::Call { callee: Callee::Direct(function), .. } => Some(function).filter(defined).into_iter().collect(),
            Op::Call { callee: Callee::Indirect(_), .. } => {
                self.program.functions.iter().map(|(function, _)| function).filter(defined).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The edges of the statement or full expression that a place is in.
    pub fn around(&self, line: u32, column: Option<u32>) -> Vec<EdgeId> {
        let holds = |step: &&Step| {
            let from = step.anchor.min(step.start);
            match column {
                Some(column) => {
                    let (first, last) = ((from.line, from.column), (step.end.line, step.end.column));
                    first <= (line, column) && (line, column) <= last
                }
                None => (from.line..=step.end.line).contains(&line),
            }
        };
        self.source.steps.iter().filter(holds).map(|step| step.edge).collect()
    }

    /// Edges, and those of functions in other files, as in system headers, that they call: what happens there happens where they are called.
    pub fn with_hidden(&self, mut edges: Vec<EdgeId>) -> Vec<EdgeId> {
        let function = |edge: EdgeId| self.program.locations[self.program.edges[edge].from].function;
        let mut seen: HashSet<FuncId> = self.source.steps.iter().map(|step| function(step.edge)).collect();
        let mut next = 0;
        while let Some(edge) = edges.get(next).copied() {
            for callee in self.entered(edge) {
                if seen.insert(callee) {
                    edges.extend(self.program.edges.ids().filter(|edge| function(*edge) == callee));
                }
            }
            next += 1;
        }
        edges
    }
}

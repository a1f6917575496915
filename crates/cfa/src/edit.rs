//! Builds and changes automata. [`Program::add_location`] and [`Program::add_edge`] extend the function that is being built, the last one. [`Edit`] changes
//! finished functions: it works on a copy, where new locations and edges get numbers behind all others, and [`Edit::finish`] numbers everything
//! anew, because the locations and edges of a function have to be contiguous.
//!
//! *Invariant:* a program that was valid ([`crate::verify`]) is valid after [`Edit::finish`], as long as the operations that are put in are; what would
//! break it is refused, and then the program is as it was.

use crate::{AssumeRole, Body, Branch, Edge, EdgeId, ExprId, FuncId, LocId, Location, Op, Program, ScopeId};
use base::ids::Id;
use base::{IdVec, Span};
use std::collections::{BTreeMap, BTreeSet};

impl Program {
    /// A location of the function that is being built.
    pub fn add_location(&mut self, function: FuncId, scope: ScopeId, visible: u32) -> LocId {
        self.locations.push(Location { function, scope, visible, out: [None, None], loop_head: None })
    }

    /// An edge of the function that is being built, after the ones that leave its source already.
    pub fn add_edge(&mut self, edge: Edge) -> EdgeId {
        let from = edge.from;
        let id = self.edges.push(edge);
        attach(&mut self.locations[from], id);
        id
    }
}

fn attach(location: &mut Location, edge: EdgeId) {
    let free = location.out.iter_mut().find(|out| out.is_none());
    *free.expect("a location has at most two edges") = Some(edge);
}

/// Changes of a program that are under way.
pub struct Edit<'p> {
    program: &'p mut Program,
    locations: IdVec<LocId, Location>,
    edges: IdVec<EdgeId, Edge>,
    removed_locations: BTreeSet<LocId>,
    removed_edges: BTreeSet<EdgeId>,
    /// Where functions begin that do so elsewhere than before.
    entries: BTreeMap<FuncId, LocId>,
}

/// The numbers that locations and edges have after an edit, by those that they had in it; `None`: removed.
pub struct Renumbering {
    locations: Vec<Option<LocId>>,
    edges: Vec<Option<EdgeId>>,
}

impl Renumbering {
    pub fn location(&self, old: LocId) -> Option<LocId> {
        self.locations.get(old.index()).copied().flatten()
    }

    pub fn edge(&self, old: EdgeId) -> Option<EdgeId> {
        self.edges.get(old.index()).copied().flatten()
    }
}

/// Why an edit is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The edge leads to a location that was removed.
    LeadsToRemoved(EdgeId),
    /// The edge leads into another function, or it leads to the exit of its function and is no `Return`, or the other way round.
    LeadsAway(EdgeId),
    /// The entry or the exit of the function was removed.
    WithoutEnds(FuncId),
}

impl<'p> Edit<'p> {
    pub fn new(program: &'p mut Program) -> Self {
        let (locations, edges) = (program.locations.clone(), program.edges.clone());
        let (removed_locations, removed_edges) = (BTreeSet::new(), BTreeSet::new());
        Edit { program, locations, edges, removed_locations, removed_edges, entries: BTreeMap::new() }
    }

    pub fn location(&self, location: LocId) -> &Location {
        &self.locations[location]
    }

    pub fn edge(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge]
    }

    /// The edges that lead to a location.
    pub fn edges_to(&self, location: LocId) -> Vec<EdgeId> {
        let leads = |edge: &EdgeId| self.edges[*edge].to == location && !self.removed_edges.contains(edge);
        self.edges.ids().filter(leads).collect()
    }

    /// A location of the same function and scope as another, without edges.
    pub fn add_location(&mut self, like: LocId) -> LocId {
        let like = self.locations[like].clone();
        self.locations.push(Location { out: [None, None], loop_head: None, ..like })
    }

    /// An operation behind an edge, at the same place of the source. `None` for `Return`, behind which its function does nothing.
    pub fn insert_behind(&mut self, edge: EdgeId, op: Op) -> Option<EdgeId> {
        let data = self.edges[edge].clone();
        if matches!(data.op, Op::Return(_)) || matches!(op, Op::Return(_)) {
            return None;
        }
        let middle = self.add_location(data.from);
        let inserted = self.edges.push(Edge { from: middle, op, caveat: None, ..data });
        attach(&mut self.locations[middle], inserted);
        self.edges[edge].to = middle;
        Some(inserted)
    }

    /// An operation before an edge. `None` for the edges of a branch, which begin at one location.
    pub fn insert_before(&mut self, edge: EdgeId, op: Op) -> Option<EdgeId> {
        let data = self.edges[edge].clone();
        if self.locations[data.from].out[1].is_some() || matches!(op, Op::Return(_)) {
            return None;
        }
        let middle = self.add_location(data.from);
        let inserted = self.edges.push(Edge { to: middle, op, caveat: None, ..data.clone() });
        self.locations[data.from].out = [Some(inserted), None];
        self.locations[middle].out = [Some(edge), None];
        self.edges[edge].from = middle;
        Some(inserted)
    }

    /// An operation that a function begins with, once a call. `None` for a function without a body.
    pub fn insert_at_entry(&mut self, function: FuncId, op: Op, span: Span) -> Option<EdgeId> {
        let automaton = self.program.automaton(function)?;
        let before = self.entries.get(&function).copied().unwrap_or(automaton.entry);
        let entry = self.add_location(before);
        let edge = self.edges.push(Edge { from: entry, to: before, op, span, anchor: span.lo, caveat: None });
        attach(&mut self.locations[entry], edge);
        self.entries.insert(function, entry);
        Some(edge)
    }

    /// The edge is taken only where a condition does not hold; where it does, `instead` happens, and the run goes on where the edge leads. The result is
    /// the edge of `instead`; `None` for the edges of a branch.
    pub fn replace_if(&mut self, edge: EdgeId, cond: ExprId, instead: Op) -> Option<EdgeId> {
        let assume = |truth| Op::Assume { cond, truth, role: AssumeRole::Branch(Branch::Conditional) };
        let otherwise = self.insert_before(edge, assume(false))?;
        let (data, branch) = (self.edges[edge].clone(), self.edges[otherwise].from);
        let other = self.add_location(data.from);
        let holds = self.edges.push(Edge { from: branch, to: other, op: assume(true), caveat: None, ..data.clone() });
        self.locations[branch].out = [Some(holds), Some(otherwise)];
        let replaced = self.edges.push(Edge { from: other, op: instead, caveat: None, ..data });
        attach(&mut self.locations[other], replaced);
        Some(replaced)
    }

    /// What C leaves open where the edge is taken.
    pub fn set_caveat(&mut self, edge: EdgeId, caveat: base::Symbol) {
        self.edges[edge].caveat = Some(caveat);
    }

    /// For new expressions, places and variables of static lifetime.
    pub fn program(&mut self) -> &mut Program {
        self.program
    }

    /// An edge behind those that leave its source already.
    pub fn add_edge(&mut self, edge: Edge) -> EdgeId {
        let from = edge.from;
        let id = self.edges.push(edge);
        attach(&mut self.locations[from], id);
        id
    }

    /// The edge belongs to no place of the source.
    pub fn unplace(&mut self, edge: EdgeId) {
        self.edges[edge].span = Span::NONE;
        self.edges[edge].anchor = Span::NONE.lo;
    }

    pub fn set_op(&mut self, edge: EdgeId, op: Op) {
        self.edges[edge].op = op;
    }

    /// The edge leads elsewhere.
    pub fn redirect(&mut self, edge: EdgeId, to: LocId) {
        self.edges[edge].to = to;
    }

    /// Runs end where the edge would be taken. The other edge of a branch becomes an assumption.
    pub fn remove_edge(&mut self, edge: EdgeId) {
        self.removed_edges.insert(edge);
        let from = self.edges[edge].from;
        let rest = self.locations[from].out.into_iter().flatten().find(|out| *out != edge);
        self.locations[from].out = [rest, None];
        if let Some(rest) = rest
            && let Op::Assume { role, .. } = &mut self.edges[rest].op
        {
            *role = AssumeRole::Assumption;
        }
    }

    /// Removes a location and the edges that leave it.
    pub fn remove_location(&mut self, location: LocId) {
        self.removed_locations.insert(location);
        self.removed_edges.extend(self.locations[location].out.into_iter().flatten());
        self.locations[location].out = [None, None];
    }

    /// Removes the locations that no path from the entry of their function leads to, except for exits.
    pub fn remove_unreachable(&mut self) {
        let mut reached: BTreeSet<LocId> = BTreeSet::new();
        let mut kept = BTreeSet::new();
        let mut open: Vec<LocId> = Vec::new();
        for (id, function) in self.program.functions.iter() {
            if let Body::Defined(automaton) = &function.body {
                kept.insert(automaton.exit);
                open.push(self.entries.get(&id).copied().unwrap_or(automaton.entry));
            }
        }
        while let Some(location) = open.pop() {
            if reached.insert(location) {
                open.extend(self.locations[location].out.iter().flatten().map(|edge| self.edges[*edge].to));
            }
        }
        let unreachable = |location: &LocId| !reached.contains(location) && !kept.contains(location);
        for location in self.locations.ids().filter(unreachable).collect::<Vec<_>>() {
            self.remove_location(location);
        }
    }

    /// Gives the program the changed automata: of each function the old locations and edges in their order, then the new ones in theirs.
    pub fn finish(self) -> Result<Renumbering, Refused> {
        self.check()?;
        let (locations, edges) = (self.locations.len(), self.edges.len());
        let mut numbers = Renumbering { locations: vec![None; locations], edges: vec![None; edges] };
        let (mut locations_of, mut edges_of) = (self.locations_of(), self.edges_of());
        let mut next = (0, 0);
        // In the order of their numbers: functions may be defined in another order than they were declared.
        let mut functions: Vec<(u32, FuncId)> = Vec::new();
        for (function, data) in self.program.functions.iter() {
            if let Body::Defined(automaton) = &data.body {
                functions.push((automaton.locations.start, function));
            }
        }
        functions.sort_unstable();
        let mut order = (Vec::new(), Vec::new());
        for (_, function) in functions {
            let (locations, edges) =
                (std::mem::take(&mut locations_of[function.index()]), std::mem::take(&mut edges_of[function.index()]));
            let first = next;
            for old in &locations {
                numbers.locations[old.index()] = Some(LocId(next.0));
                next.0 += 1;
            }
            for old in &edges {
                numbers.edges[old.index()] = Some(EdgeId(next.1));
                next.1 += 1;
            }
            order.0.extend(locations);
            order.1.extend(edges);
            if let Body::Defined(automaton) = &mut self.program.functions[function].body {
                automaton.locations = first.0..next.0;
                automaton.edges = first.1..next.1;
                let entry = self.entries.get(&function).copied().unwrap_or(automaton.entry);
                automaton.entry = numbers.location(entry).expect("checked above");
                automaton.exit = numbers.location(automaton.exit).expect("checked above");
            }
        }
        self.program.locations = IdVec::new();
        for old in order.0 {
            let data = self.locations[old].clone();
            let out = data.out.map(|out| out.and_then(|edge| numbers.edge(edge)));
            self.program.locations.push(Location { out, ..data });
        }
        self.program.edges = IdVec::new();
        for old in order.1 {
            let data = self.edges[old].clone();
            let end = |old: LocId| numbers.location(old).expect("checked above");
            self.program.edges.push(Edge { from: end(data.from), to: end(data.to), ..data });
        }
        Ok(numbers)
    }

    fn check(&self) -> Result<(), Refused> {
        for (function, data) in self.program.functions.iter() {
            if let Body::Defined(automaton) = &data.body
                && [self.entries.get(&function).copied().unwrap_or(automaton.entry), automaton.exit]
                    .iter()
                    .any(|end| self.removed_locations.contains(end))
            {
                return Err(Refused::WithoutEnds(function));
            }
        }
        for (id, edge) in self.edges.iter().filter(|(id, _)| !self.removed_edges.contains(id)) {
            if self.removed_locations.contains(&edge.to) {
                return Err(Refused::LeadsToRemoved(id));
            }
            let (from, to) = (self.locations[edge.from].function, self.locations[edge.to].function);
            let at_exit = self.program.automaton(from).is_some_and(|automaton| automaton.exit == edge.to);
            if from != to || at_exit != matches!(edge.op, Op::Return(_)) {
                return Err(Refused::LeadsAway(id));
            }
        }
        Ok(())
    }

    /// The locations of each function that remain.
    fn locations_of(&self) -> Vec<Vec<LocId>> {
        let mut found = vec![Vec::new(); self.program.functions.len()];
        for (id, location) in self.locations.iter().filter(|(id, _)| !self.removed_locations.contains(id)) {
            found[location.function.index()].push(id);
        }
        found
    }

    fn edges_of(&self) -> Vec<Vec<EdgeId>> {
        let mut found = vec![Vec::new(); self.program.functions.len()];
        for (id, edge) in self.edges.iter().filter(|(id, _)| !self.removed_edges.contains(id)) {
            found[self.locations[edge.from].function.index()].push(id);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, random_program};
    use crate::text::{parse, print};
    use crate::verify::verify;

    fn assert_valid(program: &Program, seed: u64) {
        if let Err(violations) = verify(program) {
            panic!("seed {seed}: {}\n{}", violations[0], print(program));
        }
        let text = print(program);
        let parsed = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{text}"));
        assert_eq!(print(&parsed), text, "seed {seed}");
    }

    #[test]
    fn random_edits_keep_programs_valid() {
        let (mut inserted, mut removed, mut refused) = (0, 0, 0);
        for seed in 0..200 {
            let mut program = random_program(seed);
            let before = print(&program);
            let mut random = Random::new(seed + 1000);
            let mut edit = Edit::new(&mut program);
            for _ in 0..6 {
                if edit.edges.is_empty() {
                    break;
                }
                let edge = EdgeId::from_index(random.below(edit.edges.len()));
                let target = LocId::from_index(random.below(edit.locations.len()));
                let there = !edit.removed_edges.contains(&edge);
                match random.below(6) {
                    0 | 1 if there => inserted += edit.insert_behind(edge, Op::Skip).is_some() as u32,
                    2 if there => inserted += edit.insert_before(edge, Op::Skip).is_some() as u32,
                    3 if there => {
                        edit.remove_edge(edge);
                        removed += 1;
                    }
                    4 => edit.redirect(edge, target),
                    _ => edit.remove_unreachable(),
                }
            }
            match edit.finish() {
                Ok(_) => assert_valid(&program, seed),
                Err(_) => {
                    assert_eq!(print(&program), before, "seed {seed}");
                    refused += 1;
                }
            }
        }
        assert!(inserted > 100 && removed > 20 && refused > 5 && refused < 170, "{inserted} {removed} {refused}");
    }

    #[test]
    fn an_edit_without_changes_changes_nothing() {
        for seed in 0..50 {
            let mut program = random_program(seed);
            let before = print(&program);
            let numbers = Edit::new(&mut program).finish().expect("nothing was changed");
            assert_eq!(print(&program), before, "seed {seed}");
            assert!(program.edges.ids().all(|edge| numbers.edge(edge) == Some(edge)), "seed {seed}");
        }
    }
}

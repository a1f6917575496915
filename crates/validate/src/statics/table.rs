//! What a violation witness says, as one table for all formats: which state of the witness goes where at which moment of a run. The monitor
//! keeps the condition of each state along with the symbolic execution.

use crate::condition::Check;
use cfa::{EdgeId, FuncId};
use encode::{Look, Marks, Moment, Monitor};
use logic::{TermId, TermPool};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What the states do at one moment, by state.
pub type Groups = BTreeMap<u32, Group>;

/// Where a state goes at a moment.
pub struct Group {
    pub rules: Vec<Rule>,
    pub stays: Stays,
}

pub struct Rule {
    /// Nowhere: runs that pass it are not meant.
    pub to: Option<u32>,
    pub check: Check,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stays {
    /// It may also wait for a later match.
    Always,
    Never,
    /// Unless a rule is passed; and where one that leads nowhere is passed, no other counts.
    Otherwise,
    /// The same, but some rule must be passed.
    Must,
}

#[derive(Default)]
pub struct Table {
    pub start: u32,
    /// How far along each state is, and how far the end is.
    pub depth: Vec<usize>,
    pub total: usize,
    /// What each state waits for, for people.
    pub waits_for: Vec<String>,
    pub groups: HashMap<Moment, Groups>,
    /// The functions whose entering has rules, by call.
    entering: HashMap<EdgeId, Vec<FuncId>>,
    /// Steps that no operation of ours stands for, taken before the start: declarations outside of functions.
    pub silent: Vec<(u32, Rule)>,
    pub accepting: HashSet<u32>,
    /// In these states a violation counts on these edges.
    pub targets: HashMap<u32, HashSet<EdgeId>>,
    /// Places of the witness that nothing in the program stands for.
    pub missing: Vec<String>,
}

impl Table {
    pub fn rule(&mut self, moment: Moment, from: u32, stays: Stays, rule: Rule) {
        if let Moment::Enter(edge, function) = moment {
            let known = self.entering.entry(edge).or_default();
            if !known.contains(&function) {
                known.push(function);
            }
        }
        let group = self.groups.entry(moment).or_default().entry(from).or_insert(Group { rules: Vec::new(), stays });
        group.rules.push(rule);
        if matches!(stays, Stays::Always | Stays::Must) {
            group.stays = stays;
        }
    }

    /// The moments of an edge that a violation on it comes before.
    fn last_moments(&self, edge: EdgeId) -> Vec<Moment> {
        let functions = self.entering.get(&edge).into_iter().flatten();
        functions.map(|function| Moment::Enter(edge, *function)).chain([Moment::After(edge)]).collect()
    }

    /// Whether a violation on an edge counts in a state, some rule of the edge perhaps passed at once.
    pub fn may_accept(&self, state: u32, edge: EdgeId) -> bool {
        let by_rule = |moment: Moment| {
            let group = self.groups.get(&moment).and_then(|groups| groups.get(&state));
            group.is_some_and(|group| {
                group.rules.iter().any(|rule| rule.to.is_some_and(|to| self.accepting.contains(&to)))
            })
        };
        self.accepting.contains(&state)
            || self.targets.get(&state).is_some_and(|edges| edges.contains(&edge))
            || self.last_moments(edge).into_iter().any(by_rule)
    }
}

/// Follows a table; states from which the violation cannot be reached any more are given up, by location.
pub struct Follower<'t> {
    pub table: &'t Table,
    pub program: &'t cfa::Program,
    pub hopeful: Option<&'t super::reach::Hopeful>,
}

/// The marks after a moment, and those that rules lead to.
pub struct Stepped {
    pub marks: Marks,
    pub entered: BTreeMap<u32, TermId>,
}

impl Follower<'_> {
    /// The marks after the rules of a moment.
    pub fn step(&self, look: &mut Look<'_, '_, '_>, marks: &Marks, groups: &Groups) -> Stepped {
        let mut entered: BTreeMap<u32, TermId> = BTreeMap::new();
        let mut next: BTreeMap<u32, TermId> = BTreeMap::new();
        for (state, mark) in marks {
            let Some(group) = groups.get(state) else {
                add(look.pool(), &mut next, *state, *mark);
                continue;
            };
            let passes: Vec<TermId> = group.rules.iter().map(|rule| rule.check.symbolic(look)).collect();
            let pool = look.pool();
            let of = |wanted: bool| {
                let rules = group.rules.iter().zip(&passes);
                rules.filter(|(rule, _)| rule.to.is_none() == wanted).map(|(_, pass)| *pass).collect::<Vec<_>>()
            };
            let (forbidden, allowed) = (pool.or_all(&of(true)), pool.or_all(&of(false)));
            let not_forbidden = match group.stays {
                Stays::Otherwise | Stays::Must => pool.not(forbidden),
                Stays::Always | Stays::Never => pool.bool(true),
            };
            let stays = match group.stays {
                Stays::Always => pool.bool(true),
                Stays::Never | Stays::Must => pool.bool(false),
                Stays::Otherwise => {
                    let not_allowed = pool.not(allowed);
                    pool.and(not_forbidden, not_allowed)
                }
            };
            let stays = pool.and(*mark, stays);
            add(pool, &mut next, *state, stays);
            for (rule, pass) in group.rules.iter().zip(passes) {
                let Some(to) = rule.to else { continue };
                let pool = look.pool();
                let goes = pool.and_all(&[*mark, pass, not_forbidden]);
                add(pool, &mut next, to, goes);
                add(pool, &mut entered, to, goes);
            }
        }
        Stepped { marks: next.into_iter().collect(), entered }
    }

    pub fn silent(&self, look: &mut Look<'_, '_, '_>) {
        for _ in 0..self.table.silent.len() {
            let mut next: BTreeMap<u32, TermId> = look.marks().iter().copied().collect();
            for (from, rule) in &self.table.silent {
                let (Some(mark), Some(to)) = (next.get(from).copied(), rule.to) else { continue };
                let pass = rule.check.symbolic(look);
                let goes = look.pool().and(mark, pass);
                add(look.pool(), &mut next, to, goes);
            }
            let next: Marks = next.into_iter().collect();
            if next == *look.marks() {
                break;
            }
            look.set_marks(next);
        }
    }
}

fn add(pool: &mut TermPool, marks: &mut BTreeMap<u32, TermId>, state: u32, cond: TermId) {
    if pool.as_bool(cond) == Some(false) {
        return;
    }
    let old = marks.get(&state).copied();
    let cond = old.map_or(cond, |old| pool.or(old, cond));
    marks.insert(state, cond);
}

impl Monitor for Follower<'_> {
    fn marks(&mut self, pool: &TermPool) -> Marks {
        vec![(self.table.start, pool.bool(true))]
    }

    fn moment(&mut self, look: &mut Look<'_, '_, '_>, moment: Moment) {
        if let Moment::Start(_) = moment {
            self.silent(look);
        }
        if let (Moment::Before(edge), Some(hopeful)) = (moment, self.hopeful) {
            let location = self.program.edges[edge].from;
            let marks = look.marks();
            if !marks.iter().all(|(state, _)| hopeful.at(location, *state)) {
                look.set_marks(marks.iter().filter(|(state, _)| hopeful.at(location, *state)).copied().collect());
            }
        }
        let marks = look.marks();
        let Some(groups) = self.table.groups.get(&moment) else { return };
        if marks.iter().any(|(state, _)| groups.contains_key(state)) {
            let Stepped { marks, entered } = self.step(look, &marks, groups);
            entered.into_iter().for_each(|(state, cond)| look.sighting(state, cond));
            look.set_marks(marks);
        }
    }

    fn accepts(&mut self, look: &mut Look<'_, '_, '_>, edge: EdgeId) -> TermId {
        let mut found = Vec::new();
        for (state, mark) in look.marks().iter() {
            let at_once = self.table.accepting.contains(state)
                || self.table.targets.get(state).is_some_and(|edges| edges.contains(&edge));
            if at_once {
                found.push(*mark);
                continue;
            }
            for moment in self.table.last_moments(edge) {
                let group = self.table.groups.get(&moment).and_then(|groups| groups.get(state));
                for rule in group.iter().flat_map(|group| &group.rules) {
                    if rule.to.is_some_and(|to| self.table.accepting.contains(&to)) {
                        let pass = rule.check.symbolic(look);
                        let goes = look.pool().and(*mark, pass);
                        found.push(goes);
                    }
                }
            }
        }
        look.pool().or_all(&found)
    }
}

//! A table of rules along a symbolic execution: the monitor keeps the condition of each state of the witness.

use crate::condition::CheckTruth;
use crate::table::{Groups, Rule, Stays, Table};
use cfa::{EdgeId, Property};
use encode::{Look, Marks, Moment, Monitor};
use logic::{TermId, TermPool};
use std::collections::BTreeMap;

/// Follows a table; states from which the violation cannot be reached any more are given up, by location.
pub struct Follower<'t> {
    pub table: &'t Table,
    pub program: &'t cfa::Program,
    pub can_reach_violation: Option<&'t super::reach::CanReachViolation>,
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
            let passes: Vec<TermId> = group.rules.iter().map(|rule| passes(rule, *mark, look)).collect();
            let pool = look.pool();
            let of = |wanted: bool| {
                let rules = group.rules.iter().zip(&passes);
                rules.filter(|(rule, _)| rule.to.is_none() == wanted).map(|(_, pass)| *pass).collect::<Vec<_>>()
            };
            let (forbidden, allowed) = (pool.or_all(&of(true)), pool.or_all(&of(false)));
            let not_forbidden = match group.stays {
                stays if stays.forbids() => pool.not(forbidden),
                _ => pool.bool(true),
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
                let pass = passes(rule, mark, look);
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

/// When a rule is passed in a state with a mark; where that is unknown is noted.
fn passes(rule: &Rule, mark: TermId, look: &mut Look<'_, '_, '_>) -> TermId {
    let CheckTruth { holds, unsure, why } = rule.check.symbolic(look);
    let cond = look.pool().and(mark, unsure);
    look.unknown_where(why, cond);
    match rule.to {
        Some(_) => holds,
        // What is to be avoided may have been passed.
        None => look.pool().or(holds, unsure),
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
        let starts = matches!(moment, Moment::Start(_));
        if starts {
            self.silent(look);
        }
        if let (Moment::Before(edge), Some(can_reach_violation)) = (moment, self.can_reach_violation) {
            let location = self.program.edges[edge].from;
            let marks = look.marks();
            if !marks.iter().all(|(state, _)| can_reach_violation.at(location, *state)) {
                look.set_marks(
                    marks.iter().filter(|(state, _)| can_reach_violation.at(location, *state)).copied().collect(),
                );
            }
        }
        let marks = look.marks();
        if let Some(groups) = self.table.groups.get(&moment)
            && marks.iter().any(|(state, _)| groups.contains_key(state))
        {
            let Stepped { marks, entered } = self.step(look, &marks, groups);
            entered.into_iter().for_each(|(state, cond)| look.sighting(state, cond));
            look.set_marks(marks);
        }
        if starts {
            self.silent(look);
        }
    }

    fn accepts(&mut self, look: &mut Look<'_, '_, '_>, edge: EdgeId, property: Property) -> TermId {
        let mut found = Vec::new();
        for (state, mark) in look.marks().iter() {
            if self.table.accepts(*state, Some(edge), property) {
                found.push(*mark);
                continue;
            }
            for rule in self.table.last_rules(*state, edge) {
                let pass = passes(rule, *mark, look);
                let goes = look.pool().and(*mark, pass);
                found.push(goes);
            }
        }
        look.pool().or_all(&found)
    }
}

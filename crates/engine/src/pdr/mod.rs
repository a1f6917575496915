//! Property-directed reachability (Bradley 2011, Een et al. 2011) over the heads of loops. States that can go wrong are blocked by clauses over single
//! variables of the program (`x != 3 || flag != 0`); a clause is made as small as it can be while no step leads to the states that it excludes.
//!
//! What comes out are candidates for invariants, no proof: clauses that hold for so many steps. The inductiveness check of the engine that asks decides.

pub mod clauses;

use crate::system::{System, Told, support};
use base::Budget;
use cfa::{LocId, Program, Task, VarId};
use encode::{Encoder, Point};
use evidence::Invariant;
use logic::{Model, Satisfiability, Solver, Sort, TermId, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Attempts to make a clause smaller, for each literal of it.
const ATTEMPTS: usize = 40;

/// A literal of a cube: a cell of a point has a value, or a value on one side of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Literal {
    cell: usize,
    relation: Relation,
    value: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    Equal,
    /// As signed numbers.
    AtMost,
    AtLeast,
}

/// States of a point that no run is in for so many steps.
#[derive(Clone, Debug)]
struct Blocked {
    point: usize,
    cube: Vec<Literal>,
    level: usize,
}

/// A condition of a clause: a variable of the program, or a part of it, is not so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Excluded {
    pub var: VarId,
    pub offset: u64,
    pub size: u64,
    pub relation: Relation,
    pub value: u64,
}

/// A clause over variables that the function of the head can name: one of these is not so.
pub struct Clause {
    pub head: LocId,
    pub excluded: Vec<Excluded>,
}

pub enum Found {
    /// These clauses are inductive and exclude everything that goes wrong, as far as the points show.
    Clauses(Vec<Clause>),
    /// What goes wrong cannot be excluded by clauses.
    Nothing,
    OutOfBudget,
}

pub struct Reachability<'p> {
    encoder: Encoder<'p>,
    solver: Solver,
    points: Vec<Point>,
    /// By point: that a step ends there, and the values of its cells then.
    next: Vec<(TermId, Vec<TermId>)>,
    bad: TermId,
    blocked: Vec<Blocked>,
    /// One variable for each level: the clauses of that level count.
    levels: Vec<TermId>,
    supports: FxHashMap<TermId, Vec<TermId>>,
    /// Constants of the program and their neighbours, ascending.
    thresholds: Vec<i64>,
    /// How many steps have been looked at.
    depth: usize,
}

enum Stop {
    Counterexample,
    OutOfBudget,
}

impl<'p> Reachability<'p> {
    /// The search, where the known invariants are taken for granted; `None` if the program cannot be made a transition system.
    pub fn new(task: Task<'p>, known: &[Invariant], unwind: u32, budget: &Budget) -> Option<Self> {
        let told = Told { known, ..Told::default() };
        let System { mut encoder, points, next, bad, .. } = System::new(task, told, unwind, budget)?;
        let levels = vec![encoder.pool.bool_var("level 0")];
        let mut solver = Solver::new();
        for point in &points {
            for known in &point.known {
                let known = encoder.pool.implies(point.here, *known);
                solver.assert(&encoder.pool, known);
            }
        }
        Some(Reachability {
            encoder,
            solver,
            points,
            next,
            bad,
            blocked: Vec::new(),
            levels,
            supports: FxHashMap::default(),
            thresholds: thresholds(task.program),
            depth: 0,
        })
    }

    /// Goes on until the question is decided or the budget ends; it can be asked again then.
    pub fn run(&mut self, budget: &Budget) -> Found {
        loop {
            match self.deeper(budget) {
                Ok(None) => {}
                Ok(Some(level)) => return Found::Clauses(self.clauses(level)),
                Err(Stop::Counterexample) => return Found::Nothing,
                Err(Stop::OutOfBudget) => return Found::OutOfBudget,
            }
        }
    }

    /// What is known so far, as candidates.
    pub fn clauses(&self, level: usize) -> Vec<Clause> {
        let excluded = |point: usize, literal: &Literal| {
            let (var, offset, size) = self.points[point].cells[literal.cell].place?;
            Some(Excluded { var, offset, size, relation: literal.relation, value: literal.value })
        };
        let clause = |blocked: &Blocked| {
            let excluded: Option<Vec<Excluded>> =
                blocked.cube.iter().map(|literal| excluded(blocked.point, literal)).collect();
            Some(Clause { head: self.points[blocked.point].head, excluded: excluded? })
        };
        self.blocked.iter().filter(|blocked| blocked.level >= level).filter_map(clause).collect()
    }

    /// One more step; the level from which on the clauses are inductive, if there is one.
    fn deeper(&mut self, budget: &Budget) -> Result<Option<usize>, Stop> {
        self.depth += 1;
        while self.levels.len() <= self.depth + 1 {
            let level = self.levels.len();
            self.levels.push(self.encoder.pool.bool_var(&format!("level {level}")));
        }
        loop {
            let mut asked = self.assumed(self.depth);
            asked.push(self.bad);
            let Some(model) = self.ask(&asked, budget)? else { break };
            let Some(point) = self.begins(&model) else { return Err(Stop::Counterexample) };
            let cube = self.lifted(point, &model, self.bad, budget)?;
            if let Err(stop) = self.block(point, cube, self.depth, budget) {
                // The same step is looked at again.
                self.depth -= 1;
                return Err(stop);
            }
        }
        self.propagate(budget)
    }

    /// Excludes a cube at a level, and first everything that leads to it.
    fn block(&mut self, point: usize, cube: Vec<Literal>, level: usize, budget: &Budget) -> Result<(), Stop> {
        let mut open: BTreeMap<(usize, usize), (usize, Vec<Literal>)> = BTreeMap::new();
        let mut number = 0;
        open.insert((level, number), (point, cube));
        while let Some(((level, order), (point, cube))) = open.pop_first() {
            if level == 0 {
                return Err(Stop::Counterexample);
            }
            if self.is_blocked(point, &cube, level) {
                continue;
            }
            match self.predecessor(point, &cube, level, budget)? {
                Reached::From(model) => {
                    let Some(from) = self.begins(&model) else { return Err(Stop::Counterexample) };
                    let target = self.ends_in(point, &cube);
                    let before = self.lifted(from, &model, target, budget)?;
                    open.insert((level, order), (point, cube));
                    number += 1;
                    open.insert((level - 1, number), (from, before));
                }
                Reached::Never(core) => {
                    let general = self.generalized(point, core, level, budget)?;
                    let mut at = level;
                    while at < self.depth
                        && matches!(self.predecessor(point, &general, at + 1, budget)?, Reached::Never(_))
                    {
                        at += 1;
                    }
                    self.add(point, general, at);
                    // Only the cube itself leads to something wrong; what the clause excludes besides may be reachable later.
                    if at < self.depth {
                        number += 1;
                        open.insert((at + 1, number), (point, cube));
                    }
                }
            }
        }
        Ok(())
    }

    fn is_blocked(&self, point: usize, cube: &[Literal], level: usize) -> bool {
        let inside = |blocked: &&Blocked| {
            blocked.point == point && blocked.level >= level && blocked.cube.iter().all(|one| implied(cube, one))
        };
        self.blocked.iter().find(inside).is_some()
    }

    /// Adds a clause; what it makes superfluous is forgotten.
    fn add(&mut self, point: usize, cube: Vec<Literal>, level: usize) {
        let covers = |other: &Blocked| {
            other.point == point && other.level <= level && cube.iter().all(|one| implied(&other.cube, one))
        };
        self.blocked.retain(|other| !covers(other));
        self.assert_blocked(point, &cube, level);
        self.blocked.push(Blocked { point, cube, level });
    }

    fn assert_blocked(&mut self, point: usize, cube: &[Literal], level: usize) {
        let clause = self.not_in(point, cube);
        let clause = self.encoder.pool.implies(self.levels[level], clause);
        self.solver.assert(&self.encoder.pool, clause);
    }

    /// That a step does not begin in a cube.
    fn not_in(&mut self, point: usize, cube: &[Literal]) -> TermId {
        let cells: Vec<TermId> = self.points[point].cells.iter().map(|cell| cell.term).collect();
        let pool = &mut self.encoder.pool;
        let literals: Vec<TermId> = cube.iter().map(|literal| literal.of(pool, cells[literal.cell])).collect();
        let inside = pool.and_all(&literals);
        let here = pool.and(self.points[point].here, inside);
        pool.not(here)
    }

    /// That a step ends in a cube.
    fn ends_in(&mut self, point: usize, cube: &[Literal]) -> TermId {
        let (guard, values) = &self.next[point];
        let pool = &mut self.encoder.pool;
        let mut all = vec![*guard];
        all.extend(cube.iter().map(|literal| literal.of(pool, values[literal.cell])));
        pool.and_all(&all)
    }

    /// The clauses that hold after so many steps; before the first one, the program starts.
    fn assumed(&mut self, level: usize) -> Vec<TermId> {
        match level {
            0 => vec![self.encoder.begins_at(0)],
            _ => self.levels[level..].to_vec(),
        }
    }

    /// Whether a step from the level before leads to a cube from outside of it.
    fn predecessor(&mut self, point: usize, cube: &[Literal], level: usize, budget: &Budget) -> Result<Reached, Stop> {
        let mut asked = self.assumed(level - 1);
        asked.push(self.not_in(point, cube));
        let (guard, values) = self.next[point].clone();
        asked.push(guard);
        let literals: Vec<TermId> =
            cube.iter().map(|literal| literal.of(&mut self.encoder.pool, values[literal.cell])).collect();
        asked.extend(&literals);
        match self.solver.check(&self.encoder.pool, &asked, budget) {
            Satisfiability::Sat(model) => Ok(Reached::From(model)),
            Satisfiability::Unknown => Err(Stop::OutOfBudget),
            Satisfiability::Unsat(core) => {
                let core: FxHashSet<TermId> = core.into_iter().collect();
                let used = cube.iter().zip(&literals).filter(|(_, term)| core.contains(term));
                Ok(Reached::Never(used.map(|(literal, _)| *literal).collect()))
            }
        }
    }

    /// A smaller cube that no step leads to either.
    fn generalized(
        &mut self,
        point: usize,
        mut cube: Vec<Literal>,
        level: usize,
        budget: &Budget,
    ) -> Result<Vec<Literal>, Stop> {
        // The core was found with the larger cube excluded before the step: ask again with the smaller one.
        let mut attempts = 0;
        let mut at = 0;
        while at < cube.len() && attempts < ATTEMPTS {
            attempts += 1;
            let mut fewer = cube.clone();
            fewer.remove(at);
            match self.predecessor(point, &fewer, level, budget)? {
                Reached::Never(core) => {
                    cube.retain(|literal| core.contains(literal));
                    at = at.min(cube.len());
                }
                Reached::From(_) => at += 1,
            }
        }
        for at in 0..cube.len() {
            if cube[at].relation != Relation::Equal || self.is_bool(point, cube[at].cell) {
                continue;
            }
            for relation in [Relation::AtMost, Relation::AtLeast] {
                if self.widen(point, &mut cube, at, relation, level, budget)? {
                    break;
                }
            }
        }
        Ok(cube)
    }

    /// Makes a literal an inequality, with the farthest threshold that is excluded too.
    fn widen(
        &mut self,
        point: usize,
        cube: &mut Vec<Literal>,
        at: usize,
        relation: Relation,
        level: usize,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let mut wider = cube.clone();
        wider[at].relation = relation;
        if !matches!(self.predecessor(point, &wider, level, budget)?, Reached::Never(_)) {
            return Ok(false);
        }
        *cube = wider;
        let Sort::BitVec(width) = self.encoder.pool.sort(self.points[point].cells[cube[at].cell].term) else {
            return Ok(true);
        };
        let signed = |value: u64| (value as i64) << (64 - width) >> (64 - width);
        let value = signed(cube[at].value);
        let mut thresholds: Vec<i64> = match relation {
            Relation::AtMost => self.thresholds.iter().copied().filter(|one| *one > value).collect(),
            _ => self.thresholds.iter().rev().copied().filter(|one| *one < value).collect(),
        };
        // A farther threshold excludes more: search for the last one that works.
        while !thresholds.is_empty() {
            let middle = thresholds.len() / 2;
            let mut wider = cube.clone();
            wider[at].value = (thresholds[middle] as u64) & (u64::MAX >> (64 - width));
            match self.predecessor(point, &wider, level, budget)? {
                Reached::Never(_) => {
                    *cube = wider;
                    thresholds.drain(..=middle);
                }
                Reached::From(_) => thresholds.truncate(middle),
            }
        }
        Ok(true)
    }

    fn is_bool(&self, point: usize, cell: usize) -> bool {
        self.encoder.pool.sort(self.points[point].cells[cell].term) == Sort::Bool
    }

    /// Moves clauses to the next level where they hold there too.
    fn propagate(&mut self, budget: &Budget) -> Result<Option<usize>, Stop> {
        for level in 1..=self.depth {
            for index in 0..self.blocked.len() {
                let Blocked { point, ref cube, level: at } = self.blocked[index];
                if at != level {
                    continue;
                }
                let cube = cube.clone();
                if let Reached::Never(_) = self.predecessor(point, &cube, level + 1, budget)? {
                    self.assert_blocked(point, &cube, level + 1);
                    self.blocked[index].level = level + 1;
                }
            }
            if self.blocked.iter().all(|blocked| blocked.level != level) {
                return Ok(Some(level + 1));
            }
        }
        Ok(None)
    }

    fn ask(&mut self, asked: &[TermId], budget: &Budget) -> Result<Option<Model>, Stop> {
        match self.solver.check(&self.encoder.pool, asked, budget) {
            Satisfiability::Sat(model) => Ok(Some(model)),
            Satisfiability::Unsat(_) => Ok(None),
            Satisfiability::Unknown => Err(Stop::OutOfBudget),
        }
    }

    /// The point where the step of a model begins; `None` is the start of the program.
    fn begins(&self, model: &Model) -> Option<usize> {
        (0..self.points.len()).find(|index| model.bool(&self.encoder.pool, self.points[*index].here))
    }

    /// The part of the state of a model that already leads to the target, with the inputs of the model.
    fn lifted(&mut self, point: usize, model: &Model, target: TermId, budget: &Budget) -> Result<Vec<Literal>, Stop> {
        let cells: Vec<TermId> = self.points[point].cells.iter().map(|cell| cell.term).collect();
        let cube: Vec<Literal> = cells
            .iter()
            .enumerate()
            .filter_map(|(cell, term)| literal(&self.encoder.pool, model, cell, *term))
            .collect();
        let pool = &mut self.encoder.pool;
        let own: FxHashSet<TermId> = support(pool, &cells).into_iter().collect();
        let support = self.supports.entry(target).or_insert_with(|| support(pool, &[target])).clone();
        let mut asked = vec![self.points[point].here, pool.not(target)];
        for var in support.into_iter().filter(|var| !own.contains(var)) {
            match pool.sort(var) {
                Sort::Bool => asked.push(if model.bool(pool, var) { var } else { pool.not(var) }),
                Sort::BitVec(_) => {
                    let value = pool.bits(&model.bits(pool, var));
                    asked.push(pool.eq(var, value));
                }
                Sort::Array { .. } => {}
            }
        }
        let literals: Vec<TermId> = cube.iter().map(|literal| literal.of(pool, cells[literal.cell])).collect();
        asked.extend(&literals);
        match self.solver.check(&self.encoder.pool, &asked, budget) {
            Satisfiability::Unsat(core) => {
                let core: FxHashSet<TermId> = core.into_iter().collect();
                let used = cube.iter().zip(&literals).filter(|(_, term)| core.contains(term));
                Ok(used.map(|(literal, _)| *literal).collect())
            }
            // An array is part of the state, or the model says nothing about it.
            Satisfiability::Sat(_) => Ok(cube),
            Satisfiability::Unknown => Err(Stop::OutOfBudget),
        }
    }
}

enum Reached {
    From(Model),
    /// These literals of the cube suffice.
    Never(Vec<Literal>),
}

impl Literal {
    fn of(self, pool: &mut TermPool, cell: TermId) -> TermId {
        let Sort::BitVec(width) = pool.sort(cell) else {
            return if self.value != 0 { cell } else { pool.not(cell) };
        };
        let value = pool.bv(width, self.value as u128);
        match self.relation {
            Relation::Equal => pool.eq(cell, value),
            Relation::AtMost => pool.sle(cell, value),
            Relation::AtLeast => pool.sle(value, cell),
        }
    }
}

/// Whether a cube says at least what a literal says.
fn implied(cube: &[Literal], literal: &Literal) -> bool {
    cube.contains(literal)
}

fn literal(pool: &TermPool, model: &Model, cell: usize, term: TermId) -> Option<Literal> {
    let value = match pool.sort(term) {
        Sort::Bool => model.bool(pool, term) as u64,
        Sort::BitVec(width) if width <= 64 => model.bits(pool, term).to_u64()?,
        _ => return None,
    };
    Some(Literal { cell, relation: Relation::Equal, value })
}

/// The constants of a program that fit into 32 bits, and their neighbours.
pub fn thresholds(program: &Program) -> Vec<i64> {
    let mut found = std::collections::BTreeSet::from([-1, 0, 1]);
    for expr in program.exprs.values() {
        if let cfa::ExprKind::Const(bits) = expr.kind
            && expr.ty.int_kind().is_some()
        {
            let value = bits.get() as u32 as i32 as i64;
            found.extend([value - 1, value, value + 1]);
        }
    }
    found.into_iter().collect()
}

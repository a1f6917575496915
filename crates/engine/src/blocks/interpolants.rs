//! Sequence interpolants of infeasible paths, computed without a proof (Chockler et al. 2012): from the end of the path to its start, states that go on
//! to something wrong are collected as cubes, each made as small as it can be while no run on the path so far is in it. What remains outside of the cubes is the interpolant. The literals are, in this order: atoms of the weakest precondition of the rest
//! of the path (Dietsch et al. 2017), comparisons of cells with each other and with constants of the program, values of cells.
//!
//! Invariant: an interpolant holds whenever runs get to its position, the step after it leads from it to the next one, and nothing goes wrong after the
//! last one. It is about the state of its place only.

use super::Stop;
use super::atoms::atoms;
use super::path::{Path, Paths, Position};
use super::steps::Steps;
use crate::system::support;
use base::Budget;
use logic::{Model, Sort, TermId};
use rustc_hash::FxHashSet;

/// Cubes of one interpolant: with more it says nothing that could be true of other paths.
const MOST_CUBES: usize = 64;
/// Cells that are compared with each other.
const MOST_COMPARED: usize = 10;

/// Literals over a state that hold together.
pub type Cube = Vec<TermId>;

/// By position: the cubes that the interpolant excludes. The first position, the start of the program, has none.
pub fn interpolants(
    steps: &mut Steps<'_>,
    paths: &mut Paths,
    path: &Path,
    budget: &Budget,
) -> Result<Vec<Vec<Cube>>, Stop> {
    let count = path.positions.len();
    let mut all = vec![Vec::new(); count];
    let mut target = steps.places[path.positions[count - 1].place].bad;
    for index in (1..count).rev() {
        let at = &path.positions[index];
        let cubes = excluded(steps, paths, at, (target, &[]), budget)?;
        let (before, block) = (path.positions[index - 1].place, path.blocks[index - 1]);
        let mut parts = Vec::new();
        for cube in &cubes {
            let literals: Vec<TermId> = cube.iter().map(|literal| steps.after(before, block, *literal)).collect();
            parts.push(steps.pool().and_all(&literals));
        }
        let any = steps.pool().or_all(&parts);
        let guard = steps.places[before].blocks[block].guard;
        target = steps.pool().and(guard, any);
        all[index] = cubes;
    }
    Ok(all)
}

/// Cubes that no run on the path is in, and that have every state in them from which a step does what the target says, if some conditions about the step
/// hold.
pub fn excluded(
    steps: &mut Steps<'_>,
    paths: &mut Paths,
    at: &Position,
    (target, assumed): (TermId, &[TermId]),
    budget: &Budget,
) -> Result<Vec<Cube>, Stop> {
    let over_state = steps.over_state(at.place, target);
    let state = steps.places[at.place].state.clone();
    let atoms = atoms(steps.pool(), over_state, &state);
    let used = support(steps.pool(), &[target]).into_iter().collect::<FxHashSet<TermId>>();
    let matters = |cell: &TermId| support(&steps.system.encoder.pool, &[*cell]).iter().any(|var| used.contains(var));
    let place = &steps.places[at.place];
    let relevant: Vec<TermId> =
        place.cells.iter().zip(&place.state).filter(|(cell, _)| matters(cell)).map(|(_, state)| *state).collect();
    let mut cubes: Vec<Cube> = Vec::new();
    let mut asked = vec![target];
    asked.extend(assumed);
    while let Some(model) = steps.step(at.place, &asked, budget)? {
        if cubes.len() == MOST_CUBES {
            return Err(Stop::Stuck);
        }
        let cube = cube(steps, paths, at, &model, (&atoms, &relevant), budget)?;
        let literals: Vec<TermId> = cube.iter().map(|literal| steps.here(at.place, *literal)).collect();
        let inside = steps.pool().and_all(&literals);
        asked.push(steps.pool().not(inside));
        cubes.push(cube);
    }
    Ok(cubes)
}

/// A small cube around the state of a model that no run on the path is in.
fn cube(
    steps: &mut Steps<'_>,
    paths: &mut Paths,
    at: &Position,
    model: &Model,
    (atoms, relevant): (&[TermId], &[TermId]),
    budget: &Budget,
) -> Result<Cube, Stop> {
    let mut literals: Vec<TermId> = Vec::new();
    for kind in [Kind::Atoms, Kind::Comparisons, Kind::Values] {
        let mut more = match kind {
            Kind::Atoms => holding(steps, at.place, model, atoms),
            Kind::Comparisons => comparisons(steps, at.place, model, relevant),
            Kind::Values => holding(steps, at.place, model, relevant),
        };
        // The first ones are left out first.
        more.extend(literals);
        literals = more;
        if let Some(core) = paths.core(steps, at, &literals, budget)? {
            return Ok(core);
        }
    }
    // Something that is no cell decides.
    Err(Stop::Stuck)
}

enum Kind {
    Atoms,
    Comparisons,
    Values,
}

/// What some terms over the state are in a model.
fn holding(steps: &mut Steps<'_>, place: usize, model: &Model, terms: &[TermId]) -> Vec<TermId> {
    let literal = |term: &TermId| {
        let meaning = steps.here(place, *term);
        steps.is_so(*term, model, meaning)
    };
    terms.iter().map(literal).collect()
}

/// How cells compare with each other and with the nearest constants of the program.
fn comparisons(steps: &mut Steps<'_>, place: usize, model: &Model, cells: &[TermId]) -> Vec<TermId> {
    let mut numbers: Vec<(TermId, u32, i64)> = Vec::new();
    for cell in cells {
        let meaning = steps.here(place, *cell);
        let pool = steps.pool();
        if let Sort::BitVec(width) = pool.sort(*cell)
            && width <= 64
            && let Some(value) = model.bits(pool, meaning).to_u64()
        {
            numbers.push((*cell, width, (value as i64) << (64 - width) >> (64 - width)));
        }
    }
    let mut found = Vec::new();
    for (cell, width, value) in &numbers {
        let above = steps.thresholds.iter().copied().find(|one| one >= value);
        let below = steps.thresholds.iter().rev().copied().find(|one| one <= value);
        let fits = |one: &i64| (*one << (64 - width) >> (64 - width)) == *one;
        let pool = &mut steps.system.encoder.pool;
        if let Some(above) = above.filter(fits) {
            let bound = pool.bv_signed(*width, above.into());
            found.push(pool.sle(*cell, bound));
        }
        if let Some(below) = below.filter(fits) {
            let bound = pool.bv_signed(*width, below.into());
            found.push(pool.sle(bound, *cell));
        }
    }
    let compared = &numbers[..numbers.len().min(MOST_COMPARED)];
    for (index, (one, width, value)) in compared.iter().enumerate() {
        for (other, other_width, other_value) in &compared[index + 1..] {
            if width != other_width {
                continue;
            }
            let pool = steps.pool();
            found.push(match value.cmp(other_value) {
                std::cmp::Ordering::Equal => pool.eq(*one, *other),
                std::cmp::Ordering::Less => pool.slt(*one, *other),
                std::cmp::Ordering::Greater => pool.slt(*other, *one),
            });
        }
    }
    found
}

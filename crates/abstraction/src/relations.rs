//! Relations between variables: which variables are related to each other (packs), and what assignments and conditions do to the octagons.
//!
//! A pack is made for each loop: the integers that its conditions compare and its assignments add up.

use crate::cells::{CellId, Kind};
use crate::domains::affine::{AffineSpace, Sum};
use crate::domains::congruence::gcd;
use crate::domains::interval::{Range, view_of};
use crate::domains::number::Number;
use crate::domains::octagon::{Octagon, Signed};
use crate::evaluate::Context;
use crate::linear::{Linear, linear, modular, range_of};
use crate::state::{AbstractValue, State};
use cfa::{BinOp, EdgeId, ExprId, ExprKind, FuncId, Op, PlaceId, Program, UnOp, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Variables of one pack: closing an octagon costs the cube.
const MAX_VARIABLES: usize = 8;

#[derive(Default)]
pub struct Packs {
    /// The cells of each pack, ascending.
    pub all: Vec<Rc<[CellId]>>,
    of_function: FxHashMap<FuncId, Vec<usize>>,
    /// Cells of one width, for equations.
    pub modular: Vec<(Rc<[CellId]>, u32)>,
    modular_of_function: FxHashMap<FuncId, Vec<usize>>,
    members: FxHashSet<CellId>,
}

impl Packs {
    pub fn of(context: &Context<'_>) -> Packs {
        let program = context.program;
        let mut packs = Packs::default();
        for function in context.points_to.reached() {
            let (mut found, mut modular) = (Vec::new(), Vec::new());
            for one in cfa::loops::loops(program, *function) {
                let edges = one.body.iter().flat_map(|location| program.successors(*location));
                let mut cells = weighted(context, edges.collect());
                // And what they are compared with, or were set to, elsewhere in the function.
                let automaton = program.automaton(*function).into_iter();
                let near = automaton
                    .flat_map(|automaton| automaton.edges.clone().map(EdgeId))
                    .filter(|edge| mentioned(context, *edge).iter().any(|cell| cells.contains(cell)));
                for cell in weighted(context, near.collect()) {
                    if !cells.contains(&cell) {
                        cells.push(cell);
                    }
                }
                found.push(first(&cells, |_| true));
                for width in [32, 64] {
                    let pack = first(
                        &cells,
                        |cell| matches!(context.cells.all[*cell as usize].kind, Kind::Int(shape) if shape.width == width),
                    );
                    modular.push((pack, width));
                }
            }
            for pack in largest(found) {
                packs.of_function.entry(*function).or_default().push(packs.all.len());
                packs.all.push(Rc::from(pack));
            }
            for width in [32, 64] {
                let own = modular.iter().filter(|(_, own)| *own == width).map(|(pack, _)| pack.clone());
                for pack in largest(own.collect()) {
                    packs.modular_of_function.entry(*function).or_default().push(packs.modular.len());
                    packs.modular.push((Rc::from(pack), width));
                }
            }
        }
        let modular = packs.modular.iter().map(|(pack, _)| pack);
        packs.members = packs.all.iter().chain(modular).flat_map(|pack| pack.iter().copied()).collect();
        packs
    }

    /// Whether a cell is related to others anywhere.
    pub fn has(&self, cell: CellId) -> bool {
        self.members.contains(&cell)
    }

    fn modular_in_function(&self, function: FuncId) -> &[usize] {
        self.modular_of_function.get(&function).map_or(&[], Vec::as_slice)
    }

    fn in_function(&self, function: FuncId) -> &[usize] {
        self.of_function.get(&function).map_or(&[], Vec::as_slice)
    }
}

/// The first few cells of some kind, ascending.
fn first(cells: &[CellId], wanted: impl Fn(&CellId) -> bool) -> Vec<CellId> {
    let mut pack: Vec<CellId> = cells.iter().copied().filter(wanted).take(MAX_VARIABLES).collect();
    pack.sort_unstable();
    pack
}

/// Packs of at least two cells that are not parts of others.
fn largest(mut found: Vec<Vec<CellId>>) -> Vec<Vec<CellId>> {
    found.sort_by_key(|pack| std::cmp::Reverse(pack.len()));
    let mut kept: Vec<Vec<CellId>> = Vec::new();
    for pack in found.into_iter().filter(|pack| pack.len() > 1) {
        if !kept.iter().any(|larger| pack.iter().all(|cell| larger.contains(cell))) {
            kept.push(pack);
        }
    }
    kept
}

/// The cells that edges relate, those that are changed and compared most first.
fn weighted(context: &Context<'_>, edges: Vec<EdgeId>) -> Vec<CellId> {
    let program = context.program;
    let mut weights: FxHashMap<CellId, u32> = FxHashMap::default();
    let usable = |cell: CellId| {
        let data = &context.cells.all[cell as usize];
        let named = data.var.is_some_and(|var| !matches!(program.vars[var].kind, VarKind::Temp(_) | VarKind::Vla(_)));
        let number = matches!(data.kind, Kind::Int(shape) if shape.width > 1) && !program.types.is_pointer(data.ty);
        named && number && !data.several
    };
    let mut add = |cells: Vec<CellId>, weight: u32| {
        for cell in cells.into_iter().filter(|cell| usable(*cell)) {
            *weights.entry(cell).or_default() += weight;
        }
    };
    for edge in edges {
        let weight = if matches!(program.edges[edge].op, Op::Assign(..)) { 2 } else { 1 };
        add(mentioned(context, edge), weight);
    }
    let mut cells: Vec<(CellId, u32)> = weights.into_iter().collect();
    cells.sort_by_key(|(cell, weight)| (std::cmp::Reverse(*weight), *cell));
    cells.into_iter().map(|(cell, _)| cell).collect()
}

/// The cells that an edge adds up, compares, or gives a sum to.
fn mentioned(context: &Context<'_>, edge: EdgeId) -> Vec<CellId> {
    let program = context.program;
    match program.edges[edge].op {
        Op::Assign(place, value) => {
            let mut cells = sum_cells(context, value);
            if cells.is_empty() && program.constant(value).is_none() {
                return Vec::new();
            }
            cells.extend(exact(context, place));
            cells
        }
        Op::Assume { cond, .. } | Op::Assert { cond, .. } => compared_cells(context, cond),
        // A condition that a function checks is compared there.
        Op::Call { args, .. } => {
            let args = program.call_args(args).iter();
            args.flat_map(|arg| compared_cells(context, *arg)).collect()
        }
        _ => Vec::new(),
    }
}

fn exact(context: &Context<'_>, place: PlaceId) -> Option<CellId> {
    match *context.access(place) {
        crate::cells::Access::Exactly(cell) => Some(cell),
        _ => None,
    }
}

/// The cells of a sum, by its form alone; of a long one, only the first.
fn sum_cells(context: &Context<'_>, expr: ExprId) -> Vec<CellId> {
    let mut cells = Vec::new();
    let mut pending = vec![expr];
    let mut left = 40;
    while let Some(expr) = pending.pop().filter(|_| left > 0) {
        left -= 1;
        if let Some(cell) = context.cell_of(expr) {
            cells.push(cell);
            continue;
        }
        match context.program.exprs[expr].kind {
            ExprKind::Cast(operand) | ExprKind::Unary(UnOp::Neg, operand) => pending.push(operand),
            ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Shr, a, b) => {
                pending.extend([b, a]);
            }
            _ => {}
        }
    }
    cells
}

fn compared_cells(context: &Context<'_>, mut cond: ExprId) -> Vec<CellId> {
    while let ExprKind::Unary(UnOp::Not, operand) | ExprKind::Cast(operand) = context.program.exprs[cond].kind {
        cond = operand;
    }
    match context.program.exprs[cond].kind {
        ExprKind::Binary(op, a, b) if op.is_comparison() => {
            let mut cells = sum_cells(context, a);
            cells.extend(sum_cells(context, b));
            cells
        }
        _ => Vec::new(),
    }
}

fn function_of(program: &Program, edge: EdgeId) -> FuncId {
    program.locations[program.edges[edge].from].function
}

/// What the assignment of an expression to a cell says; the cell has its new value in `after` already, and no relations.
pub fn assigned(
    context: &Context<'_>,
    packs: &Packs,
    before: &State,
    after: &mut State,
    edge: EdgeId,
    cell: CellId,
    value: ExprId,
) -> Option<()> {
    for pack in packs.modular_in_function(function_of(context.program, edge)) {
        let (variables, width) = &packs.modular[*pack];
        let Ok(index) = variables.binary_search(&cell) else { continue };
        if let Some(sum) = modular(context, variables, *width, value) {
            let mut space = space(packs, before, *pack);
            space.assign(index, &sum);
            after.equate(*pack as u32, space);
        }
    }
    let wanted = packs.in_function(function_of(context.program, edge)).iter().copied();
    let wanted: Vec<usize> = wanted.filter(|pack| packs.all[*pack].binary_search(&cell).is_ok()).collect();
    // Through a pointer to the other signedness the number may be another one.
    if wanted.is_empty() || context.kind(value) != Some(context.cells.all[cell as usize].kind) {
        return Some(());
    }
    let Some((sum, divisor)) = quotient(context, before, value) else { return Some(()) };
    for pack in wanted {
        let old = closed(packs, before, pack)?;
        let mut new = (*old).clone();
        let index = new.index(cell)?;
        let own = sum.terms.iter().find(|(term, _)| *term == cell).map(|(_, factor)| *factor);
        if own == Some(1) && divisor == 1 {
            let others = Linear { terms: without(&sum.terms, cell), rest: sum.rest };
            new.shift(index, bounds(context, before, &old, &others)?);
        } else {
            new.forget(index);
            for (other, variable) in packs.all[pack].iter().enumerate().filter(|(other, _)| *other != index) {
                for negative in [false, true] {
                    // x - y <= greatest value of sum - y, and so on.
                    let sign = if negative { -1 } else { 1 };
                    let unit = Linear { terms: vec![(*variable, sign * divisor)], rest: Range::one(0) };
                    let apart = divided(bounds(context, before, &old, &sum.minus(&unit))?, divisor);
                    let known = sum.terms.iter().any(|(term, factor)| term == variable && factor.signum() == sign);
                    if known || sum.terms.is_empty() {
                        new.add_sum(Signed::plus(index), Some(Signed { index: other, negative: !negative }), apart.hi);
                        new.add_sum(Signed::minus(index), Some(Signed { index: other, negative }), -apart.lo);
                    }
                }
            }
        }
        let range = divided(bounds(context, before, &old, &sum)?, divisor);
        new.add_range(index, range);
        new.close()?;
        narrow(context, after, cell, range)?;
        after.relate(pack as u32, new);
    }
    Some(())
}

/// All quotients, rounded down.
fn divided(range: Range, divisor: i128) -> Range {
    Range { lo: range.lo.div_euclid(divisor), hi: range.hi.div_euclid(divisor) }
}

/// An expression as a sum divided by a positive number and rounded down. If `q` is that, `q - y` is `sum - divisor * y`, divided and
/// rounded down.
fn quotient(context: &Context<'_>, state: &State, expr: ExprId) -> Option<(Linear, i128)> {
    let program = context.program;
    match program.exprs[expr].kind {
        ExprKind::Cast(operand) => {
            let (Some(Kind::Int(to)), Some(inner)) = (context.kind(expr), context.integer(operand, state)) else {
                return Some((linear(context, state, expr)?, 1));
            };
            if program.exprs[expr].ty != cfa::TypeId::BOOL && view_of(to).includes(inner.range()) {
                return quotient(context, state, operand);
            }
        }
        ExprKind::Binary(op @ (BinOp::Div | BinOp::Shr), a, b) => {
            let by = program.constant(b).map(|bits| bits.lo as i128);
            let divisor = match (op, by) {
                (BinOp::Div, Some(by)) if (2..1 << 16).contains(&by) => Some(by),
                (BinOp::Shr, Some(by)) if (1..16).contains(&by) => Some(1 << by),
                _ => None,
            };
            // C's division rounds towards zero.
            let never_negative = context.integer(a, state)?.range().lo >= 0;
            if let Some(divisor) = divisor.filter(|_| never_negative) {
                return Some((linear(context, state, a)?, divisor));
            }
        }
        _ => {}
    }
    Some((linear(context, state, expr)?, 1))
}

/// What a condition that holds (or not) says.
pub fn assumed(
    context: &Context<'_>,
    packs: &Packs,
    state: &mut State,
    edge: EdgeId,
    cond: ExprId,
    truth: bool,
) -> Option<()> {
    match context.program.exprs[cond].kind {
        ExprKind::Unary(UnOp::Not, operand) => assumed(context, packs, state, edge, operand, !truth),
        ExprKind::Binary(op, a, b) if op.is_comparison() => {
            insert_constants(context, packs, state, function_of(context.program, edge))?;
            match (op, truth) {
                (BinOp::Eq, true) | (BinOp::Ne, false) => equal(context, packs, state, edge, a, b)?,
                (BinOp::Ne, true) | (BinOp::Eq, false) => different(context, packs, state, edge, a, b)?,
                _ => {}
            }
            let (Some(left), Some(right)) = (linear(context, state, a), linear(context, state, b)) else {
                return Some(());
            };
            let (below, above) = (left.minus(&right), right.minus(&left));
            if below.terms.is_empty() {
                return Some(());
            }
            for pack in packs.in_function(function_of(context.program, edge)) {
                let related = below.terms.iter().any(|(cell, _)| packs.all[*pack].binary_search(cell).is_ok());
                if !related {
                    continue;
                }
                let mut octagon = (*closed(packs, state, *pack)?).clone();
                match (op, truth) {
                    (BinOp::Le, true) | (BinOp::Gt, false) => add(context, state, &mut octagon, &below, 0),
                    (BinOp::Lt, true) | (BinOp::Ge, false) => add(context, state, &mut octagon, &below, -1),
                    (BinOp::Ge, true) | (BinOp::Lt, false) => add(context, state, &mut octagon, &above, 0),
                    (BinOp::Gt, true) | (BinOp::Le, false) => add(context, state, &mut octagon, &above, -1),
                    (BinOp::Eq, true) | (BinOp::Ne, false) => {
                        add(context, state, &mut octagon, &below, 0);
                        add(context, state, &mut octagon, &above, 0);
                    }
                    _ => {
                        // Not equal, but at most: less.
                        let known = bounds(context, state, &octagon, &below)?;
                        if known.hi == 0 {
                            add(context, state, &mut octagon, &below, -1);
                        }
                        if known.lo == 0 {
                            add(context, state, &mut octagon, &above, -1);
                        }
                    }
                }
                for (index, cell) in packs.all[*pack].iter().enumerate() {
                    if let Some(range) = range_of(context, state, *cell) {
                        octagon.add_range(index, range);
                    }
                }
                octagon.close()?;
                for (index, cell) in packs.all[*pack].iter().enumerate() {
                    let within = range_of(context, state, *cell)?;
                    narrow(context, state, *cell, octagon.range(index, within)?)?;
                }
                state.relate(*pack as u32, octagon);
            }
            Some(())
        }
        _ => Some(()),
    }
}

/// Two expressions have the same value.
fn equal(context: &Context<'_>, packs: &Packs, state: &mut State, edge: EdgeId, a: ExprId, b: ExprId) -> Option<()> {
    for pack in packs.modular_in_function(function_of(context.program, edge)) {
        let (variables, width) = &packs.modular[*pack];
        let sums = modular(context, variables, *width, a).zip(modular(context, variables, *width, b));
        if let Some((left, right)) = sums {
            let mut space = space(packs, state, *pack);
            space.assume_zero(&left.minus(&right))?;
            state.equate(*pack as u32, space);
        }
    }
    Some(())
}

/// Two expressions have different values: `None` if the equations say that they do not.
fn different(context: &Context<'_>, packs: &Packs, state: &State, edge: EdgeId, a: ExprId, b: ExprId) -> Option<()> {
    for pack in packs.modular_in_function(function_of(context.program, edge)) {
        let (variables, width) = &packs.modular[*pack];
        let sums = modular(context, variables, *width, a).zip(modular(context, variables, *width, b));
        if let Some((left, right)) = sums {
            let space = space(packs, state, *pack);
            if space.is_zero(&left.minus(&right)) {
                return None;
            }
        }
    }
    Some(())
}

/// Variables that have one value only are known to the equations too.
fn insert_constants(context: &Context<'_>, packs: &Packs, state: &mut State, function: FuncId) -> Option<()> {
    for pack in packs.modular_in_function(function) {
        let (variables, _) = &packs.modular[*pack];
        let mut known = None;
        for (index, cell) in variables.iter().enumerate() {
            let Some(value) = range_of(context, state, *cell).filter(|range| range.lo == range.hi) else { continue };
            let constant = Sum::number_of(value.lo as u64, variables.len());
            let known = known.get_or_insert_with(|| space(packs, state, *pack));
            known.assume_zero(&variable(index, variables.len()).minus(&constant))?;
        }
        if let Some(space) = known {
            state.equate(*pack as u32, space);
        }
    }
    Some(())
}

fn variable(index: usize, count: usize) -> Sum {
    let mut sum = Sum::number_of(0, count);
    sum.factors[index] = 1;
    sum
}

fn space(packs: &Packs, state: &State, pack: usize) -> AffineSpace {
    let (variables, width) = &packs.modular[pack];
    state.space(pack as u32).map_or_else(|| AffineSpace::top(variables.clone(), *width), |space| (**space).clone())
}

/// What the values of variables alone say of the packs of a function, where it begins.
pub fn begin(context: &Context<'_>, packs: &Packs, state: &mut State, function: FuncId) {
    for pack in packs.modular_in_function(function) {
        let (variables, width) = &packs.modular[*pack];
        let mut space = AffineSpace::top(variables.clone(), *width);
        for (index, cell) in variables.iter().enumerate() {
            if let Some(value) = range_of(context, state, *cell).filter(|range| range.lo == range.hi) {
                space.assign(index, &Sum::number_of(value.lo as u64, variables.len()));
            }
        }
        state.equate(*pack as u32, space);
    }
    for pack in packs.in_function(function) {
        let mut octagon = Octagon::top(packs.all[*pack].clone());
        for (index, cell) in packs.all[*pack].iter().enumerate() {
            if let Some(range) = range_of(context, state, *cell) {
                octagon.add_range(index, range);
            }
        }
        if octagon.close().is_some() {
            state.relate(*pack as u32, octagon);
        }
    }
}

fn closed(packs: &Packs, state: &State, pack: usize) -> Option<Rc<Octagon>> {
    match state.octagon(pack as u32) {
        Some(octagon) => closed_copy(octagon),
        None => Some(Rc::new(Octagon::top(packs.all[pack].clone()))),
    }
}

pub fn closed_copy(octagon: &Rc<Octagon>) -> Option<Rc<Octagon>> {
    let mut copy = octagon.clone();
    if !copy.is_closed() {
        Rc::make_mut(&mut copy).close()?;
    }
    Some(copy)
}

/// The state with a cell within a range.
fn narrow(context: &Context<'_>, state: &mut State, cell: CellId, range: Range) -> Option<()> {
    if let AbstractValue::Int(number) = state.value(cell, &context.cells.all) {
        if range.includes(number.range()) {
            return Some(());
        }
        let met = number.meet(&Number::in_range(number.shape, range)?)?;
        state.refine(cell, AbstractValue::Int(met));
    }
    Some(())
}

fn without(terms: &[(CellId, i128)], cell: CellId) -> Vec<(CellId, i128)> {
    terms.iter().copied().filter(|(term, _)| *term != cell).collect()
}

/// The values of a sum, from the ranges of its variables and from the octagon if there are two of them.
fn bounds(context: &Context<'_>, state: &State, octagon: &Octagon, sum: &Linear) -> Option<Range> {
    let mut range = sum.rest;
    for (cell, factor) in &sum.terms {
        let own = range_of(context, state, *cell)?;
        let own = octagon.index(*cell).map_or(Some(own), |index| octagon.range(index, own))?;
        range = range.plus(own.times(Range::one(*factor))?);
    }
    if let [(a, x), (b, y)] = sum.terms[..]
        && x.abs() == y.abs()
        && let (Some(a), Some(b)) = (octagon.index(a), octagon.index(b))
    {
        let (a, b) = (Signed { index: a, negative: x < 0 }, Signed { index: b, negative: y < 0 });
        let opposite = |one: Signed| Signed { negative: !one.negative, ..one };
        if let Some(most) = octagon.sum(a, Some(b)) {
            range.hi = range.hi.min(most * x.abs() + sum.rest.hi);
        }
        if let Some(least) = octagon.sum(opposite(a), Some(opposite(b))) {
            range.lo = range.lo.max(-least * x.abs() + sum.rest.lo);
        }
    }
    Range::new(range.lo, range.hi)
}

/// Adds `sum <= limit`: for each two of its variables, with what the others are at least.
fn add(context: &Context<'_>, state: &State, octagon: &mut Octagon, sum: &Linear, limit: i128) {
    let common = sum.terms.iter().fold(0, |common, (_, factor)| gcd(common, *factor));
    if common == 0 {
        return;
    }
    // Divided by the common factor, rounding towards the tighter bound, which is sound over integers.
    let limit = (limit - sum.rest.lo).div_euclid(common);
    let terms: Vec<(CellId, i128)> = sum.terms.iter().map(|(cell, factor)| (*cell, factor / common)).collect();
    let least = |skipped: [CellId; 2]| {
        let mut total = 0;
        for (cell, factor) in terms.iter().filter(|(cell, _)| !skipped.contains(cell)) {
            let range = range_of(context, state, *cell)?.times(Range::one(*factor))?;
            total += range.lo;
        }
        Some(total)
    };
    for (position, (cell, factor)) in terms.iter().enumerate() {
        let Some(index) = octagon.index(*cell).filter(|_| factor.abs() == 1) else { continue };
        let one = Signed { index, negative: *factor < 0 };
        if let Some(least) = least([*cell, *cell]) {
            octagon.add_sum(one, None, limit - least);
        }
        for (other, factor) in &terms[position + 1..] {
            let Some(index) = octagon.index(*other).filter(|_| factor.abs() == 1) else { continue };
            let two = Signed { index, negative: *factor < 0 };
            if let Some(least) = least([*cell, *other]) {
                octagon.add_sum(one, Some(two), limit - least);
            }
        }
    }
}

//! Floating-point inputs, minimized last: on the same path and with the same integers, numbers without a fraction where
//! possible, then with a small exponent, then with few digits.

use super::Minimized;
use super::locked::Locked;
use super::weights::{self, Soft};
use base::Budget;
use cfa::Type;
use logic::maxsat;
use logic::{Solver, TermId, TermPool};

/// Where exponent and fraction of a binary interchange format are.
#[derive(Clone, Copy)]
struct Format {
    exponent: u32,
    fraction: u32,
}

impl Format {
    fn of_width(width: u32) -> Option<Self> {
        match width {
            32 => Some(Format { exponent: 8, fraction: 23 }),
            64 => Some(Format { exponent: 11, fraction: 52 }),
            _ => None,
        }
    }

    fn bias(self) -> u128 {
        (1 << (self.exponent - 1)) - 1
    }
}

/// What decides how simple a number looks.
struct Parts {
    value: TermId,
    format: Format,
    /// Not zero, and not a number with a fraction or none at all.
    integral: TermId,
    finite: TermId,
    /// The distance of the exponent from that of 1, plus 1; of zero: 0.
    size: TermId,
}

fn parts(pool: &mut TermPool, value: TermId, format: Format) -> Parts {
    let Format { exponent, fraction } = format;
    let stored = pool.extract(value, fraction + exponent - 1, fraction);
    let mantissa = pool.extract(value, fraction - 1, 0);
    let magnitude = pool.extract(value, fraction + exponent - 1, 0);
    let none = pool.bv(fraction + exponent, 0);
    let is_zero = pool.eq(magnitude, none);
    let ones = pool.bv(exponent, (1 << exponent) - 1);
    let finite = pool.ne(stored, ones);
    let bias = pool.bv(exponent, format.bias());
    let above = pool.ule(bias, stored);
    let (over, under) = (pool.bv_sub(stored, bias), pool.bv_sub(bias, stored));
    let distance = pool.ite(above, over, under);
    // The first digits after the point are whole ones, as many as the exponent says.
    let shift = pool.resize_unsigned(over, fraction);
    let all = pool.bv(fraction, (1 << fraction) - 1);
    let below_point = pool.bv_lshr(all, shift);
    let rest = pool.bv_and(mantissa, below_point);
    let nothing = pool.bv(fraction, 0);
    let whole = pool.eq(rest, nothing);
    let large = pool.and_all(&[above, whole, finite]);
    let integral = pool.or(is_zero, large);
    let wide = pool.resize_unsigned(distance, exponent + 1);
    let one = pool.bv(exponent + 1, 1);
    let counted = pool.bv_add(wide, one);
    let zero = pool.bv(exponent + 1, 0);
    let size = pool.ite(is_zero, zero, counted);
    Parts { value, format, integral, finite, size }
}

/// The levels of simplicity, the most important first.
fn levels(pool: &mut TermPool, numbers: &[Parts]) -> Vec<Vec<(TermId, u128)>> {
    let always = pool.bool(true);
    let (mut shape, mut size, mut digits) = (Soft::new(), Soft::new(), Soft::new());
    for number in numbers {
        let (endless, broken) = (pool.not(number.finite), pool.not(number.integral));
        weights::cost(pool, always, endless, 2, &mut shape);
        weights::cost(pool, always, broken, 1, &mut shape);
        for index in 0..pool.width(number.size) {
            let bit = pool.bit(number.size, index);
            weights::cost(pool, always, bit, 1 << index, &mut size);
        }
        // A whole number is small, a fraction has few digits.
        let Format { exponent, fraction } = number.format;
        for index in 0..fraction {
            let bit = pool.bit(number.value, index);
            weights::cost(pool, number.integral, bit, 1 << (index + 1), &mut digits);
            weights::cost(pool, broken, bit, 1 << (fraction - index), &mut digits);
        }
        let sign = pool.bit(number.value, fraction + exponent);
        weights::cost(pool, always, sign, 1, &mut digits);
    }
    [shape, size, digits].into_iter().map(weights::list).collect()
}

/// Simpler numbers, if there are any.
pub fn simplify(result: &mut Minimized<'_>, budget: &Budget) {
    if result.costs.floats == 0 {
        return;
    }
    let types = &result.failure.task.program.types;
    let Some(mut locked) = Locked::of(&result.failure, budget) else { return };
    let pool = &mut locked.encoder.pool;
    let mut hard = vec![locked.same];
    for (ty, value) in &locked.values {
        if matches!(types.get(*ty), Type::Int(_)) {
            let now = logic::eval::eval(pool, &locked.formula.values, *value);
            if let Some(bits) = now.as_bits() {
                let now = pool.bits(bits);
                hard.push(pool.eq(*value, now));
            }
        }
    }
    let inputs = locked.formula.inputs.iter().filter(|input| input.ty.float_kind().is_some());
    let terms: Vec<(TermId, Format)> =
        inputs.filter_map(|input| Some((input.term, Format::of_width(pool.width(input.term))?))).collect();
    let numbers: Vec<Parts> = terms.into_iter().map(|(term, format)| parts(pool, term, format)).collect();
    let levels = levels(pool, &numbers);
    let found = maxsat::minimize_lexicographic(pool, &mut Solver::new(), &hard, &levels, budget);
    let Ok(Some(found)) = found else { return };
    if let Some(simpler) = locked.replay(&result.failure, &found.model)
        && simpler.costs().measure == result.costs.measure
    {
        result.take(simpler);
    }
}

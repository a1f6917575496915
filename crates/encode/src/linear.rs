//! Division of sums by constants where the shape of the term allows it: `24 * i + 8` divided by 24 is `i`, remainder 8.

use logic::{TermId, TermOp, TermPool};

/// A factor times this many bits cannot wrap in 64 bits.
const SMALL_BITS: u32 = 40;

/// Quotient and remainder of a 64-bit sum, if every summand but the constant is a multiple of the divisor and none can wrap.
pub fn divide(pool: &mut TermPool, term: TermId, by: u64) -> Option<(TermId, TermId)> {
    let width = pool.width(term);
    let mut summands = Vec::new();
    let mut constant = 0i128;
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        if let Some(value) = pool.as_u64(term) {
            constant += value as i64 as i128;
            continue;
        }
        match pool.op(term) {
            TermOp::Add => open.extend([pool.arg(term, 0), pool.arg(term, 1)]),
            TermOp::Mul => {
                let (a, b) = (pool.arg(term, 0), pool.arg(term, 1));
                let (factor, other) = match (pool.as_u64(a), pool.as_u64(b)) {
                    (Some(factor), _) => (factor as i64, b),
                    (_, Some(factor)) => (factor as i64, a),
                    _ => return None,
                };
                if factor % by as i64 != 0 || factor.unsigned_abs() >= 1 << 20 || !is_small(pool, other) {
                    return None;
                }
                summands.push((factor / by as i64, other));
            }
            _ => return None,
        }
        if summands.len() + open.len() > 16 {
            return None;
        }
    }
    if summands.is_empty() {
        return None;
    }
    let mut quotient = pool.bv_signed(width, constant.div_euclid(by as i128));
    for (factor, other) in summands {
        let factor = pool.bv_signed(width, factor as i128);
        let part = pool.bv_mul(factor, other);
        quotient = pool.bv_add(quotient, part);
    }
    let remainder = pool.bv(width, constant.rem_euclid(by as i128) as u128);
    Some((quotient, remainder))
}

/// Whether a term is a short number that was widened.
fn is_small(pool: &TermPool, term: TermId) -> bool {
    match pool.op(term) {
        TermOp::SignExt => pool.width(pool.arg(term, 0)) <= SMALL_BITS,
        TermOp::Concat => {
            let high = pool.arg(term, 0);
            pool.as_u64(high) == Some(0) && pool.width(high) >= pool.width(term) - SMALL_BITS
        }
        _ => false,
    }
}

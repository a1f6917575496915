//! Exact linear algebra on small integers: Gauss-Jordan elimination modulo the prime 2^61 - 1, and rational reconstruction of the result.

const PRIME: u64 = (1 << 61) - 1;
/// Numerators and denominators that are read back: their product with a value of a sample stays far from the prime.
const MAX_PART: i128 = 1 << 14;
/// Of a constant, which is the last entry of a vector.
const MAX_CONSTANT: i128 = 1 << 40;

/// A basis of the vectors that all rows are orthogonal to, with coprime integer entries whose first one is positive. Vectors whose entries are not small
/// are left out: a fact with such coefficients is an accident of the samples. The last column of the rows is 1.
pub fn nullspace(rows: &[Vec<i128>]) -> Vec<Vec<i128>> {
    let width = rows.first().map_or(0, Vec::len);
    let residue = |value: &i128| value.rem_euclid(i128::from(PRIME)) as u64;
    // Reduced rows with their pivots; the ones come first, since every equality may have a constant.
    let order: Vec<usize> = std::iter::once(width.wrapping_sub(1)).chain(0..width.saturating_sub(1)).collect();
    let mut basis: Vec<(usize, Vec<u64>)> = Vec::new();
    for row in rows {
        let mut row: Vec<u64> = row.iter().map(residue).collect();
        basis.iter().for_each(|(pivot, other)| eliminate(&mut row, *pivot, other));
        let Some(pivot) = order.iter().copied().find(|column| row[*column] != 0) else { continue };
        let factor = inverse(row[pivot]);
        row.iter_mut().for_each(|value| *value = multiply(*value, factor));
        basis.iter_mut().for_each(|(_, other)| eliminate(other, pivot, &row));
        basis.push((pivot, row));
        if basis.len() == width {
            return Vec::new();
        }
    }
    let free = (0..width).filter(|column| basis.iter().all(|(pivot, _)| pivot != column));
    free.filter_map(|free| {
        let mut vector = vec![0; width];
        vector[free] = 1;
        for (pivot, row) in &basis {
            vector[*pivot] = (PRIME - row[free]) % PRIME;
        }
        integers(&vector)
    })
    .collect()
}

/// Subtracts a multiple of a row whose pivot is 1, so that the pivot's column becomes 0.
fn eliminate(row: &mut [u64], pivot: usize, by: &[u64]) {
    let factor = row[pivot];
    if factor != 0 {
        for (value, by) in row.iter_mut().zip(by) {
            let product = multiply(factor, *by);
            *value = if *value >= product { *value - product } else { *value + PRIME - product };
        }
    }
}

/// The prime is one less than a power of two: the upper bits of a product are added to the lower ones.
fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let sum = (product as u64 & PRIME) + (product >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

/// `value^-1` modulo the prime, by Fermat.
fn inverse(value: u64) -> u64 {
    let (mut result, mut base, mut exponent) = (1, value, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, base);
        }
        base = multiply(base, base);
        exponent >>= 1;
    }
    result
}

/// The vector of fractions with the common denominator multiplied out.
fn integers(vector: &[u64]) -> Option<Vec<i128>> {
    let last = vector.len() - 1;
    let limit = |at: usize| if at == last { MAX_CONSTANT } else { MAX_PART };
    let mut fractions = Vec::with_capacity(vector.len());
    for (at, value) in vector.iter().enumerate() {
        fractions.push(fraction(*value, limit(at))?);
    }
    let mut common = 1i128;
    for (_, denominator) in &fractions {
        common = common / gcd(common, *denominator) * denominator;
        if common > MAX_PART {
            return None;
        }
    }
    let mut whole: Vec<i128> =
        fractions.iter().map(|(numerator, denominator)| numerator * (common / denominator)).collect();
    let shared = whole.iter().fold(0, |all, value| gcd(all, *value));
    let sign = whole.iter().find(|value| **value != 0)?.signum();
    whole.iter_mut().for_each(|value| *value = *value / shared * sign);
    let small = whole.iter().enumerate().all(|(at, value)| value.abs() <= limit(at));
    small.then_some(whole)
}

/// The fraction `n / d` with the smallest parts that the residue stands for (Wang 1981: the extended Euclidean algorithm, stopped half way).
fn fraction(residue: u64, limit: i128) -> Option<(i128, i128)> {
    let (mut a, mut b) = (i128::from(PRIME), i128::from(residue));
    let (mut x, mut y) = (0i128, 1i128);
    while b > limit {
        let quotient = a / b;
        (a, b) = (b, a - quotient * b);
        (x, y) = (y, x - quotient * y);
    }
    let (numerator, denominator) = if y < 0 { (-b, -y) } else { (b, y) };
    (denominator <= MAX_PART && denominator != 0 && gcd(numerator, denominator) == 1)
        .then_some((numerator, denominator))
}

/// Not negative; `gcd(0, a)` is `a`.
pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_of_rows_are_found() {
        // y = 2x + 3, 2z = x - 5
        let rows: Vec<Vec<i128>> = (0..9).map(|n| 2 * n + 1).map(|x| vec![x, 2 * x + 3, (x - 5) / 2, 1]).collect();
        let found = nullspace(&rows);
        assert_eq!(found, [[2, -1, 0, 3], [1, 0, -2, -5]]);
        for vector in found {
            for row in &rows {
                assert_eq!(row.iter().zip(&vector).map(|(a, b)| a * b).sum::<i128>(), 0);
            }
        }
    }

    #[test]
    fn independent_rows_have_none() {
        assert_eq!(nullspace(&[vec![1, 2, 1], vec![4, 9, 1], vec![7, 3, 1]]), Vec::<Vec<i128>>::new());
        assert_eq!(nullspace(&[]), Vec::<Vec<i128>>::new());
    }

    #[test]
    fn fractions_are_read_back() {
        for (numerator, denominator) in [(1, 2), (-7, 3), (0, 1), (5, 1), (-1000, 999)] {
            let residue = multiply((numerator + i128::from(PRIME)) as u64 % PRIME, inverse(denominator));
            assert_eq!(fraction(residue, MAX_PART), Some((numerator, denominator.into())));
        }
    }
}

//! Exact linear algebra on small integers: Gauss-Jordan elimination modulo the prime 2^61 - 1, and rational reconstruction of the result.

const PRIME: i128 = (1 << 61) - 1;
/// Numerators and denominators that are read back: their product with a value of a sample stays far from the prime.
const MAX_PART: i128 = 1 << 14;
/// Of a constant, which is the last entry of a vector.
const MAX_CONSTANT: i128 = 1 << 40;

/// A basis of the vectors that all rows are orthogonal to, with coprime integer entries whose first one is positive. Vectors whose entries are not small
/// are left out: a fact with such coefficients is an accident of the samples. The last column of the rows is 1.
pub fn nullspace(rows: &[Vec<i128>]) -> Vec<Vec<i128>> {
    let width = rows.first().map_or(0, Vec::len);
    let mut matrix: Vec<Vec<i128>> =
        rows.iter().map(|row| row.iter().map(|value| value.rem_euclid(PRIME)).collect()).collect();
    let mut pivots: Vec<usize> = Vec::new();
    // The ones come first: every equality may have a constant.
    for column in std::iter::once(width.wrapping_sub(1)).chain(0..width.saturating_sub(1)) {
        let rank = pivots.len();
        let Some(found) = (rank..matrix.len()).find(|row| matrix[*row][column] != 0) else { continue };
        matrix.swap(rank, found);
        let inverse = inverse(matrix[rank][column]);
        matrix[rank].iter_mut().for_each(|value| *value = *value * inverse % PRIME);
        let pivot = matrix[rank].clone();
        for (number, row) in matrix.iter_mut().enumerate() {
            let factor = row[column];
            if number != rank && factor != 0 {
                for (value, pivot) in row.iter_mut().zip(&pivot) {
                    *value = (*value - factor * pivot % PRIME).rem_euclid(PRIME);
                }
            }
        }
        pivots.push(column);
    }
    let free = (0..width).filter(|column| !pivots.contains(column));
    free.filter_map(|free| {
        let mut vector = vec![0; width];
        vector[free] = 1;
        for (row, pivot) in pivots.iter().enumerate() {
            vector[*pivot] = (PRIME - matrix[row][free]) % PRIME;
        }
        integers(&vector)
    })
    .collect()
}

/// `value^-1` modulo the prime, by Fermat.
fn inverse(value: i128) -> i128 {
    let (mut result, mut base, mut exponent) = (1, value, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % PRIME;
        }
        base = base * base % PRIME;
        exponent >>= 1;
    }
    result
}

/// The vector of fractions with the common denominator multiplied out.
fn integers(vector: &[i128]) -> Option<Vec<i128>> {
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
fn fraction(residue: i128, limit: i128) -> Option<(i128, i128)> {
    let (mut a, mut b) = (PRIME, residue);
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
            let residue = (numerator + PRIME) % PRIME * inverse(denominator) % PRIME;
            assert_eq!(fraction(residue, MAX_PART), Some((numerator, denominator)));
        }
    }
}

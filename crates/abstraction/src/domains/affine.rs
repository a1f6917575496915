//! Affine equalities modulo `2^w` (Müller-Olm and Seidl 2007): sums of variables with constant factors that
//! are constant, also where they wrap around. Variables of a pack have one width.
//!
//! Held is the smallest affine space with all values that the variables have together: a point and directions. Directions are in echelon form:
//! each has a first entry that is not 0, its pivot, and no two pivots stand in one column. An operation on variables is one on the
//! point and the directions.

use std::rc::Rc;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AffineSpace {
    /// What the variables stand for, ascending.
    pub variables: Rc<[u32]>,
    pub width: u32,
    point: Vec<u64>,
    /// By pivot: the direction whose pivot stands in the column.
    directions: Vec<Option<Vec<u64>>>,
}

/// A sum of variables, by their index, and a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sum {
    pub factors: Vec<u64>,
    pub constant: u64,
}

impl Sum {
    /// A number, and none of so many variables.
    pub fn number_of(constant: u64, count: usize) -> Sum {
        Sum { factors: vec![0; count], constant }
    }

    pub fn minus(&self, other: &Sum) -> Sum {
        self.plus(&other.times(u64::MAX))
    }

    pub fn plus(&self, other: &Sum) -> Sum {
        let factors = self.factors.iter().zip(&other.factors).map(|(a, b)| a.wrapping_add(*b)).collect();
        Sum { factors, constant: self.constant.wrapping_add(other.constant) }
    }

    pub fn times(&self, factor: u64) -> Sum {
        let factors = self.factors.iter().map(|own| own.wrapping_mul(factor)).collect();
        Sum { factors, constant: self.constant.wrapping_mul(factor) }
    }

    /// The number, if there are no variables.
    pub fn number(&self) -> Option<u64> {
        self.factors.iter().all(|factor| *factor == 0).then_some(self.constant)
    }

    fn of(&self, values: &[u64]) -> u64 {
        let product = |(factor, value): (&u64, &u64)| factor.wrapping_mul(*value);
        self.factors.iter().zip(values).map(product).fold(0, u64::wrapping_add)
    }
}

impl AffineSpace {
    pub fn top(variables: Rc<[u32]>, width: u32) -> AffineSpace {
        let count = variables.len();
        let unit = |index: usize| Some((0..count).map(|at| (at == index) as u64).collect());
        AffineSpace { variables, width, point: vec![0; count], directions: (0..count).map(unit).collect() }
    }

    pub fn is_top(&self) -> bool {
        self.directions.iter().enumerate().all(|(at, one)| one.as_ref().is_some_and(|one| one[at] & 1 == 1))
    }

    fn mask(&self) -> u64 {
        super::bits::mask(self.width)
    }

    pub fn index(&self, variable: u32) -> Option<usize> {
        self.variables.binary_search(&variable).ok()
    }

    /// Adds a direction; whether it is new.
    fn insert(&mut self, mut direction: Vec<u64>) -> bool {
        let mask = self.mask();
        direction.iter_mut().for_each(|entry| *entry &= mask);
        let mut changed = false;
        while let Some(column) = direction.iter().position(|entry| *entry != 0) {
            let Some(own) = &mut self.directions[column] else {
                self.directions[column] = Some(direction);
                return true;
            };
            if own[column].trailing_zeros() > direction[column].trailing_zeros() {
                std::mem::swap(own, &mut direction);
                changed = true;
            }
            // The pivot divides the entry.
            let shift = own[column].trailing_zeros();
            let factor = (direction[column] >> shift).wrapping_mul(inverse(own[column] >> shift));
            for (entry, own) in direction.iter_mut().zip(own.iter()) {
                *entry = entry.wrapping_sub(factor.wrapping_mul(*own)) & mask;
            }
        }
        changed
    }

    /// What both hold, and all between; structurally the same as this one if it holds the other.
    pub fn join(&self, other: &AffineSpace) -> AffineSpace {
        let mut joined = self.clone();
        let apart = other.point.iter().zip(&self.point).map(|(a, b)| a.wrapping_sub(*b)).collect();
        joined.insert(apart);
        for direction in other.directions.iter().flatten() {
            joined.insert(direction.clone());
        }
        joined
    }

    /// A variable can be anything.
    pub fn forget(&mut self, index: usize) {
        let unit = (0..self.point.len()).map(|at| (at == index) as u64).collect();
        self.insert(unit);
    }

    /// A variable gets the value of a sum.
    pub fn assign(&mut self, index: usize, sum: &Sum) {
        let mask = self.mask();
        self.point[index] = sum.of(&self.point).wrapping_add(sum.constant) & mask;
        for mut direction in std::mem::replace(&mut self.directions, vec![None; self.point.len()]).into_iter().flatten()
        {
            direction[index] = sum.of(&direction) & mask;
            self.insert(direction);
        }
    }

    /// Only where a sum is 0; `None`: nowhere.
    pub fn assume_zero(&mut self, sum: &Sum) -> Option<()> {
        let mask = self.mask();
        let rest = sum.of(&self.point).wrapping_add(sum.constant) & mask;
        let mut directions: Vec<Vec<u64>> =
            std::mem::replace(&mut self.directions, vec![None; self.point.len()]).into_iter().flatten().collect();
        let value = |direction: &Vec<u64>| sum.of(direction) & mask;
        let least = (0..directions.len())
            .min_by_key(|at| zeros(value(&directions[*at])))
            .filter(|at| value(&directions[*at]) != 0);
        let Some(least) = least else {
            for direction in directions {
                self.insert(direction);
            }
            return (rest == 0).then_some(());
        };
        let mut pivot = directions.swap_remove(least);
        let own = value(&pivot);
        let shift = own.trailing_zeros();
        if rest != 0 && rest.trailing_zeros() < shift {
            return None;
        }
        let unit = inverse(own >> shift);
        let move_by = |target: &mut Vec<u64>, amount: u64, pivot: &[u64]| {
            let factor = (amount >> shift).wrapping_mul(unit);
            for (entry, pivot) in target.iter_mut().zip(pivot) {
                *entry = entry.wrapping_sub(factor.wrapping_mul(*pivot)) & mask;
            }
        };
        move_by(&mut self.point, rest, &pivot);
        for mut direction in directions {
            let amount = value(&direction);
            move_by(&mut direction, amount, &pivot);
            self.insert(direction);
        }
        // The multiples of the pivot that do not change the sum.
        if shift > 0 {
            let factor = 1u64 << (self.width - shift);
            pivot.iter_mut().for_each(|entry| *entry = entry.wrapping_mul(factor) & mask);
            self.insert(pivot);
        }
        Some(())
    }

    /// Whether a sum is always 0.
    pub fn is_zero(&self, sum: &Sum) -> bool {
        let mask = self.mask();
        let at_point = sum.of(&self.point).wrapping_add(sum.constant) & mask;
        at_point == 0 && self.directions.iter().flatten().all(|direction| sum.of(direction) & mask == 0)
    }

    /// Equations that hold: for each variable that the others determine, a sum with the factor -1 for it that is always 0.
    pub fn equations(&self) -> Vec<(usize, Sum)> {
        let mask = self.mask();
        let count = self.point.len();
        // Entries above pivots are cleared as far as pivots divide them.
        let mut rows: Vec<(usize, Vec<u64>)> =
            self.directions.iter().enumerate().filter_map(|(at, row)| Some((at, row.clone()?))).collect();
        for lower in (0..rows.len()).rev() {
            let (column, row) = rows[lower].clone();
            let shift = row[column].trailing_zeros();
            for (_, upper) in &mut rows[..lower] {
                if zeros(upper[column]) >= shift {
                    let factor = (upper[column] >> shift).wrapping_mul(inverse(row[column] >> shift));
                    for (entry, own) in upper.iter_mut().zip(&row) {
                        *entry = entry.wrapping_sub(factor.wrapping_mul(*own)) & mask;
                    }
                }
            }
        }
        let mut found = Vec::new();
        for dependent in (0..count).filter(|column| self.directions[*column].is_none()) {
            let mut factors = vec![0u64; count];
            let determined = rows.iter().all(|(column, row)| {
                let shift = row[*column].trailing_zeros();
                let divides = zeros(row[dependent]) >= shift;
                if divides {
                    factors[*column] = (row[dependent] >> shift).wrapping_mul(inverse(row[*column] >> shift)) & mask;
                }
                // Other pivots must not get in the way.
                divides && rows.iter().all(|(other, _)| other == column || row[*other] == 0)
            });
            if !determined {
                continue;
            }
            factors[dependent] = mask;
            let sum = Sum { factors, constant: 0 };
            let constant = sum.of(&self.point).wrapping_neg() & mask;
            found.push((dependent, Sum { constant, ..sum }));
        }
        found
    }
}

/// Trailing zeros; of 0 more than any number has.
fn zeros(number: u64) -> u32 {
    if number == 0 { 64 } else { number.trailing_zeros() }
}

/// The inverse of an odd number modulo `2^64`, by Newton's iteration.
fn inverse(odd: u64) -> u64 {
    let mut result = odd;
    for _ in 0..6 {
        result = result.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(result)));
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) % limit
        }

        fn sum(&mut self) -> Sum {
            Sum { factors: (0..3).map(|_| self.below(8)).collect(), constant: self.below(8) }
        }

        fn space(&mut self) -> AffineSpace {
            let mut space = AffineSpace::top(Rc::from([1, 2, 3]), 3);
            for _ in 0..self.below(5) {
                let (index, sum) = (self.below(3) as usize, self.sum());
                match self.below(3) {
                    0 => space.forget(index),
                    1 => {
                        let mut met = space.clone();
                        if met.assume_zero(&sum).is_some() {
                            space = met;
                        }
                    }
                    _ => space.assign(index, &sum),
                }
            }
            space
        }
    }

    /// All points, from the point and all multiples of the directions.
    fn points(space: &AffineSpace) -> Vec<Vec<u64>> {
        let mut found = vec![space.point.clone()];
        for direction in space.directions.iter().flatten() {
            let more: Vec<Vec<u64>> = found
                .iter()
                .flat_map(|point| {
                    (0..8u64).map(move |times| point.iter().zip(direction).map(|(a, b)| (a + times * b) & 7).collect())
                })
                .collect();
            found.extend(more);
            found.sort();
            found.dedup();
        }
        found
    }

    #[test]
    fn operations_cover_all_points() {
        let mut random = Random(0x1234_5678_9abc_def1);
        let mut equations = 0;
        for _ in 0..500 {
            let (a, b) = (random.space(), random.space());
            let (index, sum) = (random.below(3) as usize, random.sum());
            let (in_a, in_b) = (points(&a), points(&b));
            let joined = points(&a.join(&b));
            assert!(in_a.iter().chain(&in_b).all(|point| joined.contains(point)), "{a:?} {b:?}");
            let mut assigned = a.clone();
            assigned.assign(index, &sum);
            let in_assigned = points(&assigned);
            let mut met = a.clone();
            let met = met.assume_zero(&sum).map(|()| points(&met));
            let zero = in_a.iter().all(|point| (sum.of(point) + sum.constant) & 7 == 0);
            assert_eq!(a.is_zero(&sum), zero, "{a:?} {sum:?}");
            let mut forgotten = a.clone();
            forgotten.forget(index);
            let in_forgotten = points(&forgotten);
            for point in &in_a {
                let value = (sum.of(point) + sum.constant) & 7;
                let mut next = point.clone();
                next[index] = value;
                assert!(in_assigned.contains(&next) && in_forgotten.contains(&next), "{a:?} {index} {sum:?}");
                if value == 0 {
                    assert!(met.as_ref().is_some_and(|met| met.contains(point)), "{a:?} {sum:?}");
                }
                for (_, equation) in a.equations() {
                    equations += 1;
                    assert_eq!((equation.of(point).wrapping_add(equation.constant)) & 7, 0, "{a:?} {equation:?}");
                }
            }
            // Nothing that does not satisfy the condition.
            assert!(met.into_iter().flatten().all(|point| (sum.of(&point) + sum.constant) & 7 == 0));
            assert_eq!(a.join(&a), a);
            assert!(a.join(&b).join(&b) == a.join(&b) && a.join(&b).join(&a) == a.join(&b));
        }
        assert!(equations > 1_000, "{equations}");
    }

    #[test]
    fn finds_the_equation_of_two_counters() {
        // i, j, n: i = 0, j = n, and both move.
        let mut before = AffineSpace::top(Rc::from([1, 2, 3]), 32);
        before.assign(0, &Sum { factors: vec![0; 3], constant: 0 });
        before.assign(1, &Sum { factors: vec![0, 0, 1], constant: 0 });
        let mut after = before.clone();
        after.assign(0, &Sum { factors: vec![1, 0, 0], constant: 1 });
        after.assign(1, &Sum { factors: vec![0, 1, 0], constant: u32::MAX as u64 });
        let found = before.join(&after).equations();
        assert_eq!(found, [(2, Sum { factors: vec![1, 1, u32::MAX as u64], constant: 0 })]);
    }
}

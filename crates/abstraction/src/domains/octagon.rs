//! Octagons (Miné 2006) over integers: constraints `±x ± y <= c` between the variables of a pack. The
//! numbers are mathematical ones, as the types of the variables read them; who adds a constraint makes sure that nothing wraps around.
//!
//! A matrix of differences over `2n` signed variables: variable `2k` is `x_k`, variable `2k + 1` is `-x_k`, and the entry at `(i, j)` bounds
//! `v_j - v_i`. Closed means that each entry is the tightest that the others imply; all operations but widening keep that.

use super::interval::Range;
use std::rc::Rc;

/// No bound. Sums of two bounds do not overflow.
const INFINITE: i128 = i128::MAX / 4;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Octagon {
    /// What the variables stand for, ascending.
    pub variables: Rc<[u32]>,
    bounds: Vec<i128>,
    closed: bool,
}

/// A variable with a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signed {
    pub index: usize,
    pub negative: bool,
}

impl Signed {
    pub fn plus(index: usize) -> Signed {
        Signed { index, negative: false }
    }

    pub fn minus(index: usize) -> Signed {
        Signed { index, negative: true }
    }

    fn row(self) -> usize {
        2 * self.index + self.negative as usize
    }
}

impl Octagon {
    pub fn top(variables: Rc<[u32]>) -> Octagon {
        let size = 2 * variables.len();
        let mut bounds = vec![INFINITE; size * size];
        (0..size).for_each(|index| bounds[index * size + index] = 0);
        Octagon { variables, bounds, closed: true }
    }

    fn size(&self) -> usize {
        2 * self.variables.len()
    }

    pub fn index(&self, variable: u32) -> Option<usize> {
        self.variables.binary_search(&variable).ok()
    }

    pub fn is_closed(&self) -> bool {
        self.closed
    }

    pub fn is_top(&self) -> bool {
        let size = self.size();
        self.bounds.iter().enumerate().all(|(at, bound)| *bound == INFINITE || at / size == at % size)
    }

    fn at(&self, from: usize, to: usize) -> i128 {
        self.bounds[from * self.size() + to]
    }

    fn tighten(&mut self, from: usize, to: usize, bound: i128) {
        let size = self.size();
        for at in [from * size + to, (to ^ 1) * size + (from ^ 1)] {
            self.bounds[at] = self.bounds[at].min(bound);
        }
    }

    /// The tightest bounds over integers; `None` if the constraints contradict each other.
    pub fn close(&mut self) -> Option<()> {
        if self.closed {
            return Some(());
        }
        let size = self.size();
        for middle in 0..size {
            for from in 0..size {
                let first = self.at(from, middle);
                if first == INFINITE {
                    continue;
                }
                for to in 0..size {
                    let second = self.at(middle, to);
                    if second != INFINITE {
                        let at = from * size + to;
                        self.bounds[at] = self.bounds[at].min(first + second);
                    }
                }
            }
        }
        // `2x <= c` over integers, then `x + y` from the bounds of both.
        for index in 0..size {
            let bound = self.at(index, index ^ 1);
            if bound != INFINITE {
                self.bounds[index * size + (index ^ 1)] = bound.div_euclid(2) * 2;
            }
        }
        for index in 0..size {
            let (one, other) = (self.at(index, index ^ 1), self.at(index ^ 1, index));
            if one != INFINITE && other != INFINITE && one + other < 0 {
                return None;
            }
        }
        for from in 0..size {
            let first = self.at(from, from ^ 1);
            for to in 0..size {
                let second = self.at(to ^ 1, to);
                if first != INFINITE && second != INFINITE {
                    let at = from * size + to;
                    self.bounds[at] = self.bounds[at].min(first.div_euclid(2) + second.div_euclid(2));
                }
            }
        }
        for index in 0..size {
            if self.at(index, index) < 0 {
                return None;
            }
            self.bounds[index * size + index] = 0;
        }
        self.closed = true;
        Some(())
    }

    /// `a + b <= bound`; for one variable, `2a <= 2 * bound`. [`Octagon::close`] must follow.
    pub fn add_sum(&mut self, a: Signed, b: Option<Signed>, bound: i128) {
        if bound.abs() >= 1 << 100 {
            return;
        }
        match b {
            // v_j - v_i with v_j = a and v_i = -b.
            Some(b) => self.tighten(b.row() ^ 1, a.row(), bound),
            None => self.tighten(a.row() ^ 1, a.row(), 2 * bound),
        }
        self.closed = false;
    }

    /// The greatest value of `a + b`, if there is one.
    pub fn sum(&self, a: Signed, b: Option<Signed>) -> Option<i128> {
        let bound = match b {
            Some(b) => self.at(b.row() ^ 1, a.row()),
            None => self.at(a.row() ^ 1, a.row()),
        };
        let bound = (bound != INFINITE).then_some(bound)?;
        Some(if b.is_some() { bound } else { bound.div_euclid(2) })
    }

    /// Adds the bounds of a variable.
    pub fn add_range(&mut self, index: usize, range: Range) {
        self.add_sum(Signed::plus(index), None, range.hi);
        self.add_sum(Signed::minus(index), None, -range.lo);
    }

    /// The bounds of a variable, within those that are known anyway.
    pub fn range(&self, index: usize, within: Range) -> Option<Range> {
        let hi = self.sum(Signed::plus(index), None).unwrap_or(within.hi);
        let lo = self.sum(Signed::minus(index), None).map_or(within.lo, |bound| -bound);
        Range::new(lo, hi)?.meet(within)
    }

    /// Nothing is known of a variable any more. The octagon must be closed, so that what goes through the variable is kept.
    pub fn forget(&mut self, index: usize) {
        let size = self.size();
        for row in [2 * index, 2 * index + 1] {
            for other in 0..size {
                if other != row {
                    self.bounds[row * size + other] = INFINITE;
                    self.bounds[other * size + row] = INFINITE;
                }
            }
        }
    }

    /// A variable grows by a number of a range.
    pub fn shift(&mut self, index: usize, by: Range) {
        let size = self.size();
        let (plus, minus) = (2 * index, 2 * index + 1);
        for other in 0..size {
            if other == plus || other == minus {
                continue;
            }
            // v_plus - v_other and v_other - v_plus, with their mirror images.
            for (at, change) in [
                (other * size + plus, by.hi),
                (plus * size + other, -by.lo),
                (minus * size + other, by.hi),
                (other * size + minus, -by.lo),
            ] {
                if self.bounds[at] != INFINITE {
                    self.bounds[at] += change;
                }
            }
        }
        for (at, change) in [(minus * size + plus, 2 * by.hi), (plus * size + minus, -2 * by.lo)] {
            if self.bounds[at] != INFINITE {
                self.bounds[at] += change;
            }
        }
        self.closed = by.lo == by.hi && self.closed;
    }

    /// Whether the entries are the same.
    pub fn has_bounds_of(&self, other: &Octagon) -> bool {
        self.bounds == other.bounds
    }

    /// Both closed.
    pub fn join(&self, other: &Octagon) -> Octagon {
        let bounds = self.bounds.iter().zip(&other.bounds).map(|(a, b)| *a.max(b)).collect();
        Octagon { variables: self.variables.clone(), bounds, closed: true }
    }

    /// Bounds that grew are given up. The result is not closed, and must not be: closing it between widenings need not terminate.
    pub fn widen(&self, newer: &Octagon) -> Octagon {
        let bounds = self.bounds.iter().zip(&newer.bounds);
        let bounds = bounds.map(|(old, new)| if new <= old { *old } else { next_bound(*new) }).collect();
        Octagon { variables: self.variables.clone(), bounds, closed: false }
    }
}

/// Bounds that are tried before none.
fn next_bound(bound: i128) -> i128 {
    [-1, 0, 1].into_iter().find(|step| bound <= *step).unwrap_or(INFINITE)
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

        fn signed(&mut self) -> Signed {
            Signed { index: self.below(3) as usize, negative: self.below(2) == 0 }
        }

        fn octagon(&mut self) -> Octagon {
            loop {
                let mut octagon = Octagon::top(Rc::from([10, 20, 30]));
                for _ in 0..self.below(6) {
                    let (a, b) = (self.signed(), self.signed());
                    let b = (a.index != b.index).then_some(b);
                    octagon.add_sum(a, b, self.below(9) as i128 - 4);
                }
                if octagon.close().is_some() {
                    return octagon;
                }
            }
        }
    }

    type Point = [i128; 3];

    fn points(limit: i128) -> Vec<Point> {
        let all = || -limit..=limit;
        all().flat_map(|x| all().flat_map(move |y| all().map(move |z| [x, y, z]))).collect()
    }

    fn value(point: &Point, variable: Signed) -> i128 {
        if variable.negative { -point[variable.index] } else { point[variable.index] }
    }

    fn contains(octagon: &Octagon, point: &Point) -> bool {
        let all: Vec<Signed> = (0..3).flat_map(|index| [Signed::plus(index), Signed::minus(index)]).collect();
        all.iter().all(|a| {
            let pairs = all.iter().filter(|b| b.index != a.index);
            octagon.sum(*a, None).is_none_or(|bound| value(point, *a) <= bound)
                && pairs
                    .clone()
                    .all(|b| octagon.sum(*a, Some(*b)).is_none_or(|bound| value(point, *a) + value(point, *b) <= bound))
        })
    }

    #[test]
    fn operations_cover_all_points() {
        let mut random = Random(0x1234_5678_9abc_def1);
        let points = points(5);
        for _ in 0..400 {
            let (a, b) = (random.octagon(), random.octagon());
            let (joined, widened) = (a.join(&b), a.widen(&b));
            let index = random.below(3) as usize;
            let mut forgotten = a.clone();
            forgotten.forget(index);
            let low = random.below(7) as i128 - 3;
            let by = Range { lo: low, hi: low + random.below(3) as i128 };
            let mut shifted = a.clone();
            shifted.shift(index, by);
            let (one, two) = (random.signed(), random.signed());
            let two = (one.index != two.index).then_some(two);
            let bound = random.below(9) as i128 - 4;
            let mut met = a.clone();
            met.add_sum(one, two, bound);
            let met = met.close().map(|()| met);
            for point in &points {
                let (in_a, in_b) = (contains(&a, point), contains(&b, point));
                assert!(!(in_a || in_b) || (contains(&joined, point) && contains(&widened, point)));
                if !in_a {
                    continue;
                }
                for change in -3..=3 {
                    let mut other = *point;
                    other[index] = change;
                    assert!(contains(&forgotten, &other));
                    if by.contains(change) {
                        other[index] = point[index] + change;
                        assert!(contains(&shifted, &other), "{a:?} {by:?} {shifted:?} {other:?}");
                    }
                }
                if value(point, one) + two.map_or(0, |two| value(point, two)) <= bound {
                    assert!(met.as_ref().is_some_and(|met| contains(met, point)), "{a:?} {met:?} {point:?}");
                }
            }
        }
    }

    #[test]
    fn closing_finds_what_is_implied() {
        let mut random = Random(0x0bad_5eed_1234_5671);
        let points = points(12);
        for _ in 0..200 {
            let mut octagon = random.octagon();
            // Bounded, so that the greatest values are among the points.
            (0..3).for_each(|index| octagon.add_range(index, Range { lo: -6, hi: 6 }));
            if octagon.close().is_none() {
                assert!(!points.iter().any(|point| contains(&octagon, point)));
                continue;
            }
            let inside: Vec<&Point> = points.iter().filter(|point| contains(&octagon, point)).collect();
            for a in 0..3 {
                let one = Signed::plus(a);
                let greatest = inside.iter().map(|point| value(point, one)).max();
                assert_eq!(octagon.sum(one, None), greatest);
                for b in (0..3).filter(|b| *b != a) {
                    let two = Signed::minus(b);
                    let greatest = inside.iter().map(|point| value(point, one) + value(point, two)).max();
                    assert_eq!(octagon.sum(one, Some(two)), greatest);
                }
            }
        }
    }
}

//! Sets of byte offsets in an object: one offset, or all that are congruent modulo a stride. So the members of the elements of an array
//! stay apart although the elements are not.

use std::cmp::Ordering;

/// The offsets `start + k * stride` for all integers `k`; a stride of 0 means exactly `start`. With a stride, `start` is below it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Offsets {
    pub start: u32,
    pub stride: u32,
}

/// Exact offsets beyond this are not kept.
const LARGEST: u64 = 1 << 24;

/// An extent up to the end of the object, however long it is.
pub const TO_THE_END: u64 = u64::MAX;

impl Offsets {
    pub const ZERO: Offsets = Offsets { start: 0, stride: 0 };
    pub const ANY: Offsets = Offsets { start: 0, stride: 1 };

    fn new(start: i128, stride: u64) -> Offsets {
        if stride == 0 {
            return match u32::try_from(start) {
                Ok(start) if (start as u64) < LARGEST => Offsets { start, stride: 0 },
                _ => Offsets::ANY,
            };
        }
        match u32::try_from(stride) {
            Ok(stride) => Offsets { start: start.rem_euclid(stride as i128) as u32, stride },
            Err(_) => Offsets::ANY,
        }
    }

    pub fn exactly(start: u64) -> Offsets {
        Offsets::new(start as i128, 0)
    }

    /// Moved by a constant number of bytes.
    pub fn plus(self, bytes: i128) -> Offsets {
        Offsets::new(self.start as i128 + bytes, self.stride as u64)
    }

    /// Moved by any multiple of a size.
    pub fn steps(self, size: u64) -> Offsets {
        Offsets::new(self.start as i128, gcd(self.stride as u64, size))
    }

    /// All sums of an offset of either.
    pub fn sum(self, other: Offsets) -> Offsets {
        Offsets::new(self.start as i128 + other.start as i128, gcd(self.stride as u64, other.stride as u64))
    }

    /// What must be added to offsets of the other to get offsets of this; a negative number has no representation and becomes any.
    pub fn relative_to(self, other: Offsets) -> Offsets {
        let stride = gcd(self.stride as u64, other.stride as u64);
        Offsets::new(self.start as i128 - other.start as i128, stride)
    }

    /// The smallest of these sets that holds both.
    pub fn join(self, other: Offsets) -> Offsets {
        if self == other {
            return self;
        }
        let apart = self.start.abs_diff(other.start) as u64;
        let stride = gcd(gcd(self.stride as u64, other.stride as u64), apart);
        Offsets::new(self.start as i128, stride)
    }

    pub fn includes(self, other: Offsets) -> bool {
        self.join(other) == self
    }

    /// Whether an access of some bytes at one may overlap an access at the other, in bytes.
    pub fn overlaps(self, extent: u64, other: Offsets, other_extent: u64) -> bool {
        let stride = gcd(self.stride as u64, other.stride as u64);
        if stride == 0 {
            return match self.start.cmp(&other.start) {
                Ordering::Equal => extent > 0 && other_extent > 0,
                Ordering::Less => ((other.start - self.start) as u64) < extent,
                Ordering::Greater => ((self.start - other.start) as u64) < other_extent,
            };
        }
        let ahead = (other.start as i128 - self.start as i128).rem_euclid(stride as i128) as u64;
        extent > 0 && other_extent > 0 && (ahead < extent || stride - ahead < other_extent)
    }

    /// Whether accesses of `extent` bytes at both either hit the same bytes or none in common.
    pub fn aligned(self, other: Offsets, extent: u64) -> bool {
        let stride = gcd(self.stride as u64, other.stride as u64);
        let apart = self.start.abs_diff(other.start) as u64;
        if stride == 0 {
            return apart == 0 || apart >= extent;
        }
        let ahead = apart % stride;
        (ahead == 0 && stride >= extent) || (ahead >= extent && stride - ahead >= extent)
    }
}

pub fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Offsets> {
        (0..7)
            .flat_map(|stride: u32| {
                (0..if stride == 0 { 9 } else { stride }).map(move |start| Offsets { start, stride })
            })
            .collect()
    }

    /// The members of a set in a window large enough for what the tests ask.
    fn members(set: Offsets) -> Vec<i64> {
        let member = |offset: &i64| match set.stride {
            0 => *offset == set.start as i64,
            stride => (*offset - set.start as i64).rem_euclid(stride as i64) == 0,
        };
        (-90..90).filter(member).collect()
    }

    #[test]
    fn operations_cover_their_members() {
        for a in all() {
            assert!(members(a.steps(3)).iter().all(|offset| members(a).iter().any(|one| (one - offset) % 3 == 0)));
            for b in all() {
                let (in_a, in_b) = (members(a), members(b));
                let joined = members(a.join(b));
                assert!(in_a.iter().chain(&in_b).all(|offset| joined.contains(offset)), "{a:?} {b:?}");
                assert_eq!(a.includes(b), in_b.iter().all(|offset| in_a.contains(offset)), "{a:?} {b:?}");
                let (sums, differences) = (members(a.sum(b)), members(a.relative_to(b)));
                for x in in_a.iter().filter(|x| x.abs() < 30) {
                    for y in in_b.iter().filter(|y| y.abs() < 30) {
                        assert!(sums.contains(&(x + y)));
                        assert!(differences.contains(&(x - y)));
                    }
                }
                for (n, m) in [(1, 1), (1, 4), (4, 1), (3, 3), (8, 2)] {
                    let overlap = |x: &i64, y: &i64| x < &(y + m) && y < &(x + n);
                    let expected = in_a.iter().any(|x| in_b.iter().any(|y| overlap(x, y)));
                    assert_eq!(a.overlaps(n as u64, b, m as u64), expected, "{a:?} {b:?} {n} {m}");
                }
                let partial = in_a.iter().any(|x| in_b.iter().any(|y| x != y && (x - y).abs() < 3));
                assert_eq!(a.aligned(b, 3), !partial, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn far_offsets_become_any() {
        assert_eq!(Offsets::exactly(1 << 40), Offsets::ANY);
        assert_eq!(Offsets::ZERO.plus(-1), Offsets::ANY);
        assert_eq!(Offsets::ZERO.steps(1 << 40), Offsets::ANY);
    }
}

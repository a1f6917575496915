//! xorshift64*: the same seed gives the same test everywhere.

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit
    }

    /// A value of that many bits; small, large and special ones are as likely as random ones.
    pub fn value(&mut self, width: u32) -> u128 {
        let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        let wide = self.next() as u128 | (self.next() as u128) << 64;
        mask & match self.below(8) {
            0 => (self.below(5) as u128).wrapping_sub(2),
            1 => 1 << self.below(width as usize),
            2 => (1u128 << self.below(width as usize)).wrapping_sub(1),
            3 => (1u128 << (width - 1)).wrapping_add(self.below(3) as u128).wrapping_sub(1),
            4 => wide >> self.below(128),
            _ => wide,
        }
    }
}

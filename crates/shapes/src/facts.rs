//! What is known of a number: an interval, and some numbers that it is not.

/// More numbers that it is not are forgotten.
const MOST_EXCLUDED: usize = 6;

/// Numbers of so many bits, read as `signed` says. Numbers of more than 64 bits are not followed: their interval means nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    pub bits: u32,
    pub signed: bool,
    pub low: i128,
    pub high: i128,
    /// Ascending, inside the interval.
    pub not: Vec<i128>,
}

fn limits(bits: u32, signed: bool) -> (i128, i128) {
    match (bits, signed) {
        (65.., _) => (i128::MIN, i128::MAX),
        (_, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        (_, false) => (0, (1 << bits) - 1),
    }
}

/// Bits read as a number.
pub fn number(value: u128, bits: u32, signed: bool) -> i128 {
    if signed && bits < 128 && value >> (bits - 1) & 1 == 1 { (value as i128) - (1 << bits) } else { value as i128 }
}

/// A number as bits.
pub fn pattern(value: i128, bits: u32) -> u128 {
    if bits >= 128 { value as u128 } else { value as u128 & ((1 << bits) - 1) }
}

impl Facts {
    pub fn any(bits: u32) -> Self {
        Facts::any_read(bits, true)
    }

    pub fn any_read(bits: u32, signed: bool) -> Self {
        let bits = bits.max(1);
        let (low, high) = limits(bits, signed);
        Facts { bits, signed, low, high, not: Vec::new() }
    }

    pub fn between(bits: u32, signed: bool, low: i128, high: i128) -> Self {
        let (least, most) = limits(bits, signed);
        Facts { bits, signed, low: low.max(least), high: high.min(most), not: Vec::new() }
    }

    pub fn constant(value: u128, bits: u32) -> Self {
        let value = number(value, bits, true);
        Facts { bits, signed: true, low: value, high: value, not: Vec::new() }
    }

    pub fn is_followed(&self) -> bool {
        self.bits <= 64
    }

    /// The only number there is, as bits.
    pub fn only(&self) -> Option<u128> {
        (self.is_followed() && self.low == self.high).then(|| pattern(self.low, self.bits))
    }

    pub fn is_empty(&self) -> bool {
        self.low > self.high
    }

    /// The same, read with or without sign; less is known if the interval has numbers that read differently.
    pub fn read(&self, bits: u32, signed: bool) -> Facts {
        if !self.is_followed() || self.bits != bits {
            return Facts::any_read(bits, signed);
        }
        let half = 1i128 << (bits - 1);
        if self.signed == signed || (self.low >= 0 && self.high < half) {
            return Facts { signed, ..self.clone() };
        }
        let shift = |value: i128| number(pattern(value, bits), bits, signed);
        if (self.low < 0) == (self.high < 0) && (self.low < half) == (self.high < half) {
            let not = self.not.iter().map(|value| shift(*value)).collect();
            return Facts { bits, signed, low: shift(self.low), high: shift(self.high), not };
        }
        let mut all = Facts::any_read(bits, signed);
        let mut not: Vec<i128> = self.not.iter().map(|value| shift(*value)).collect();
        not.sort_unstable();
        all.not = not;
        all
    }

    /// Whether it may be this number.
    pub fn admits(&self, value: u128) -> bool {
        let value = number(value, self.bits.min(128), self.signed);
        !self.is_followed() || (self.low <= value && value <= self.high && !self.not.contains(&value))
    }

    /// Whether every number that the other admits is admitted.
    pub fn covers(&self, other: &Facts) -> bool {
        if !self.is_followed() {
            return self.bits == other.bits;
        }
        let other = other.read(self.bits, self.signed);
        let excluded = |value: &i128| *value < other.low || *value > other.high || other.not.contains(value);
        self.low <= other.low && other.high <= self.high && self.not.iter().all(excluded)
    }

    pub fn is_any(&self) -> bool {
        let (low, high) = limits(self.bits, self.signed);
        !self.is_followed() || (self.low == low && self.high == high && self.not.is_empty())
    }

    /// Takes a number out.
    pub fn exclude(&mut self, value: i128) {
        if !self.is_followed() || value < self.low || value > self.high || self.not.contains(&value) {
            return;
        }
        self.not.push(value);
        self.not.sort_unstable();
        self.trim();
        if self.not.len() > MOST_EXCLUDED {
            // Zero is asked about most.
            let victim = self.not.iter().rposition(|value| *value != 0).unwrap_or(0);
            self.not.remove(victim);
        }
    }

    /// Keeps what lies in an interval.
    pub fn restrict(&mut self, low: i128, high: i128) {
        if self.is_followed() {
            self.low = self.low.max(low);
            self.high = self.high.min(high);
            self.trim();
        }
    }

    fn trim(&mut self) {
        while self.low <= self.high && self.not.contains(&self.low) {
            self.low += 1;
        }
        while self.low <= self.high && self.not.contains(&self.high) {
            self.high -= 1;
        }
        let (low, high) = (self.low, self.high);
        self.not.retain(|value| low < *value && *value < high);
    }

    /// What either admits. `widen`: ends that differ move to 0, 1 or the limits, so that repeated hulls end.
    pub fn hull(&self, other: &Facts, widen: bool) -> Facts {
        if !self.is_followed() || self.bits != other.bits {
            return Facts::any(self.bits);
        }
        let read = other.read(self.bits, self.signed);
        let (least, most) = limits(self.bits, self.signed);
        let mut low = self.low.min(read.low);
        let mut high = self.high.max(read.high);
        if widen {
            if read.low < self.low {
                low = [1, 0].into_iter().find(|step| *step <= low).unwrap_or(least);
            }
            if read.high > self.high {
                high = [0, 1].into_iter().find(|step| *step >= high).unwrap_or(most);
            }
        }
        let outside =
            |facts: &Facts, value: i128| value < facts.low || value > facts.high || facts.not.contains(&value);
        let mut not: Vec<i128> = self.not.iter().chain(&read.not).copied().collect();
        for end in [self.low, read.low] {
            not.push(end - 1);
        }
        not.push(0);
        not.sort_unstable();
        not.dedup();
        not.retain(|value| low < *value && *value < high && outside(self, *value) && outside(&read, *value));
        not.truncate(MOST_EXCLUDED);
        Facts { bits: self.bits, signed: self.signed, low, high, not }
    }
}

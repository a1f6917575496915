//! Chooses the inputs of runs: small numbers, the limits of types, constants of the program, arbitrary bits. Runs that got somewhere new are kept, and
//! later runs change a few of their inputs: a program that rejects most inputs is then still sampled.

use cfa::Bits;
use cfa::interp::{FillRequest, InputRequest, Inputs};

/// Different inputs that are remembered for other runs.
const MAX_KNOWN: usize = 32;
/// Inputs of one run among which different ones are looked for.
const MAX_LOOKED_AT: usize = 64;
/// Inputs of a run that are remembered.
const MAX_TAPE: usize = 4_096;

/// Bytes of an uninitialized object that are not zero.
const MAX_FILLED: usize = 256;

/// xorshift64*, as small as a generator can be and the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.word() >> 16) as usize % limit
    }
}

/// What values a run prefers.
#[derive(Clone, Copy)]
enum Style {
    Fixed(i64),
    /// From 0 up to a limit.
    Small(usize),
    /// Also negative ones.
    Signed(usize),
    /// One of the program's constants, or its neighbour.
    Constant,
    /// An input of an earlier run that came to a loop head after it.
    Known,
    /// An earlier input of the run, or what arithmetic with a constant of the program makes of it.
    Related,
    /// 0, 1, -1, least, greatest.
    Limits,
    Arbitrary,
    /// Each input another style.
    Mixed,
}

const STYLES: &[Style] = &[
    Style::Fixed(0),
    Style::Small(10),
    Style::Fixed(1),
    Style::Constant,
    Style::Small(4),
    Style::Signed(12),
    Style::Mixed,
    Style::Related,
    Style::Small(40),
    Style::Known,
    Style::Limits,
    Style::Constant,
    Style::Related,
    Style::Fixed(-1),
    Style::Small(2),
    Style::Small(300),
    Style::Mixed,
    Style::Known,
    Style::Arbitrary,
];

pub struct Chooser<'c> {
    random: Random,
    constants: &'c [i128],
    style: Style,
    /// One in so many inputs is zero, which decides branches and ends loops; 0: none on purpose.
    zeros: usize,
    /// Inputs that this run repeats; those between that are `None` are chosen.
    planned: Vec<Option<Bits>>,
    tape: Vec<Bits>,
    asked: usize,
    /// Bytes of uninitialized memory in this run.
    filled: u64,
    ever_asked: bool,
    kept: Vec<Vec<Bits>>,
    /// How many of them there are at most.
    capacity: usize,
    /// How often each of them was continued.
    uses: Vec<usize>,
    /// Inputs after which a run came to a loop head, each once.
    known: Vec<Bits>,
    /// Of the runs that were rejected before they recorded anything, the inputs of the one with most steps.
    rejected: Vec<Bits>,
    furthest: u64,
}

impl<'c> Chooser<'c> {
    /// Keeps the inputs of at most `capacity` runs.
    pub fn new(seed: u64, constants: &'c [i128], capacity: usize) -> Self {
        Chooser {
            random: Random::new(seed),
            constants,
            style: Style::Fixed(0),
            zeros: 0,
            planned: Vec::new(),
            tape: Vec::new(),
            asked: 0,
            filled: 0,
            ever_asked: false,
            kept: Vec::new(),
            capacity,
            uses: Vec::new(),
            known: Vec::new(),
            rejected: Vec::new(),
            furthest: 0,
        }
    }

    pub fn begin(&mut self, run: u32) {
        self.style = STYLES[run as usize % STYLES.len()];
        self.zeros = [0, 0, 2, 3, 8][self.random.below(5)];
        self.planned.clear();
        self.tape.clear();
        (self.asked, self.filled) = (0, 0);
        // As long as no run came to a loop head, nearly all of them try what got furthest.
        let retries = match self.kept.is_empty() {
            true => self.random.below(6) > 0,
            false => self.random.below(4) == 0,
        };
        if retries && !self.rejected.is_empty() {
            self.planned = self.rejected.iter().copied().map(Some).collect();
            // What assumptions ask for is more often said by constants and earlier inputs.
            self.style = [Style::Related, Style::Related, Style::Constant, Style::Mixed][self.random.below(4)];
            self.zeros = 0;
            self.change(1);
        } else if run as usize >= STYLES.len() && !self.kept.is_empty() && self.random.below(3) > 0 {
            // Of a few, the one that was used least.
            let some: [usize; 4] = std::array::from_fn(|_| self.random.below(self.kept.len()));
            let at = some.into_iter().min_by_key(|at| self.uses[*at]).unwrap_or(0);
            self.planned = self.kept[at].iter().copied().map(Some).collect();
            match self.random.below(6) {
                0 => self.planned.truncate(self.random.below(self.planned.len() + 1)),
                1..=3 => {
                    // One after the other, what worked elsewhere.
                    self.planned.push(self.known.get(self.uses[at] % self.known.len().max(1)).copied());
                    self.uses[at] += 1;
                }
                _ => self.change(3),
            }
            // What comes behind the planned inputs is what worked elsewhere: a program that reads commands goes on.
            if self.random.below(2) == 0 {
                (self.style, self.zeros) = (Style::Known, 0);
            }
        }
    }

    /// Lets up to so many of the planned inputs be chosen anew; the last ones are the suspects.
    fn change(&mut self, count: usize) {
        let length = self.planned.len();
        if length > 0 {
            for _ in 0..1 + self.random.below(count) {
                let last = if self.random.below(2) == 0 { length.min(2) } else { length };
                self.planned[length - 1 - self.random.below(last)] = None;
            }
        }
    }

    /// After a run of so many steps. `news`: how many inputs it needed to get to states that no run recorded before; `accepted`: how many it had read
    /// when it came to a loop head for the last time.
    pub fn end(&mut self, rejected: bool, news: Option<usize>, accepted: usize, steps: u64) {
        self.ever_asked |= self.asked > 0 || self.filled > 0;
        let mut tape = std::mem::take(&mut self.tape);
        for bits in tape.iter().take(accepted.min(MAX_LOOKED_AT)) {
            if self.known.len() < MAX_KNOWN && !self.known.contains(bits) {
                self.known.push(*bits);
            }
        }
        if let Some(needed) = news {
            tape.truncate(needed);
            if self.kept.len() < self.capacity {
                self.kept.push(tape);
                self.uses.push(0);
            } else {
                let at = self.random.below(self.capacity);
                (self.kept[at], self.uses[at]) = (tape, 0);
            }
        } else if rejected && steps >= self.furthest {
            (self.rejected, self.furthest) = (tape, steps);
        }
    }

    /// Bytes of uninitialized memory of the last run.
    pub fn filled(&self) -> u64 {
        self.filled
    }

    pub fn asked_nothing(&self) -> bool {
        !self.ever_asked
    }

    fn choose(&mut self, width: u32) -> Bits {
        let style = match self.style {
            Style::Mixed => STYLES[self.random.below(STYLES.len())],
            style => style,
        };
        let random = &mut self.random;
        if self.asked > 0 && self.zeros > 0 && random.below(self.zeros) == 0 {
            return Bits::ZERO;
        }
        let value: i128 = match style {
            Style::Fixed(value) => value.into(),
            Style::Small(limit) | Style::Signed(limit) if random.below(8) == 0 => random.below(limit * 4) as i128,
            Style::Small(limit) => random.below(limit + 1) as i128,
            Style::Signed(limit) => random.below(2 * limit + 1) as i128 - limit as i128,
            Style::Constant | Style::Mixed => match self.constants {
                [] => random.below(3) as i128,
                constants => {
                    let near = [0, 0, 0, 1, -1][random.below(5)];
                    constants[random.below(constants.len())].saturating_add(near)
                }
            },
            Style::Known if self.known.is_empty() => random.below(8) as i128,
            Style::Known => self.known[random.below(self.known.len())].get() as i128,
            Style::Related => {
                let earlier = match self.tape.len() {
                    0 => random.below(20) as i128,
                    length => self.tape[random.below(length)].get() as i128,
                };
                let distance = match random.below(3) {
                    0 => 0,
                    1 => 1,
                    _ if self.constants.is_empty() => 2,
                    _ => self.constants[random.below(self.constants.len())],
                };
                match random.below(6) {
                    0 | 1 => earlier.wrapping_add(distance),
                    2 | 3 => earlier.wrapping_sub(distance),
                    4 => earlier.wrapping_mul(distance),
                    _ => earlier.checked_div(distance).unwrap_or(earlier),
                }
            }
            Style::Limits => match random.below(5) {
                0 => 0,
                1 => 1,
                2 => -1,
                3 => 1 << (width.clamp(1, 127) - 1),
                _ => (1 << (width.clamp(1, 127) - 1)) - 1,
            },
            Style::Arbitrary => (i128::from(random.word()) << 64 | i128::from(random.word())) >> random.below(64),
        };
        Bits::new(value as u128)
    }
}

impl Inputs for Chooser<'_> {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        let bits = match self.planned.get(self.asked).copied().flatten() {
            Some(bits) => bits,
            None => {
                let bits = self.choose(if request.ty.int_kind().is_some_and(|kind| kind.rank() < 4) { 32 } else { 64 });
                // A small integer read as a float is a denormal number, which programs rarely mean.
                request.ty.float_kind().map_or(bits, |kind| float(kind, bits))
            }
        };
        self.asked += 1;
        if self.tape.len() < MAX_TAPE {
            self.tape.push(bits);
        }
        Some(bits)
    }

    fn fill(&mut self, _: &FillRequest, bytes: &mut [u8]) {
        self.filled += bytes.len() as u64;
        let part = bytes.len().min(MAX_FILLED);
        // Contents that look arbitrary from the second style on, so that nothing is concluded from zeros.
        match self.style {
            Style::Fixed(_) => {}
            Style::Small(_) | Style::Signed(_) | Style::Constant => {
                if let Some(first) = bytes.first_mut() {
                    *first = self.random.below(100) as u8;
                }
            }
            _ => bytes[..part].iter_mut().for_each(|byte| *byte = self.random.word() as u8),
        }
    }
}

/// The number with half the value, so that fractions occur too.
fn float(kind: cfa::FloatKind, bits: Bits) -> Bits {
    let value = (bits.get() as i128) as f64 / 2.0;
    match kind {
        cfa::FloatKind::Float => cfa::eval::from_f32(value as f32),
        cfa::FloatKind::Double => cfa::eval::from_f64(value),
        cfa::FloatKind::LongDouble => cfa::eval::from_x87(cfa::eval::x87_of_f64(value)),
    }
}

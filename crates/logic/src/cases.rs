//! Questions that few values decide: all assignments are tried on the gates that the SAT solver sees, 64 at a time. A remainder of two numbers below a
//! hundred is a hard circuit, but there are only ten thousand pairs of them.
//!
//! Gates have three values (true, false, unknown), so that whole groups of assignments are excluded: once the first bit of a number says that it is out of its
//! range, the others need no values.
//!
//! Invariant: `None` is said only if each assignment was tried, or belongs to a group that falsifies a condition whatever the other bits are.

use crate::aig::{Aig, Lit};
use base::Budget;

/// What trying all assignments gives.
pub enum Cases {
    /// No assignment satisfies the conditions.
    None,
    /// This one does: the values of input nodes; all others may have any.
    Solution(Vec<(usize, bool)>),
    /// There are too many, by what was seen so far.
    TooMany,
}

/// Bits that are tried together: one lane of a word for each combination.
const TOGETHER: usize = 6;
const LANES: [u64; TOGETHER] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];
/// Inputs, and gates, of which no question is decided in time.
const MOST_BITS: usize = 512;
const MOST_GATES: usize = 1 << 20;
/// When so many words, and this part of the gates, were evaluated, the rest is estimated.
const ESTIMATED_AFTER: u64 = 64;
const ESTIMATED_PART: u64 = 256;
/// What is left for others of a budget's effort: all but such a part.
const PART_OF_EFFORT: u64 = 8;
/// Words between two looks at the budget, and gates for one unit of its effort.
const WORDS_AT_ONCE: u64 = 64;
const GATES_OF_EFFORT: u64 = 2_000;

/// In which lanes a node may be true and may be false; in each lane at least one of both.
#[derive(Clone, Copy)]
struct Word {
    one: u64,
    zero: u64,
}

const UNKNOWN: Word = Word { one: u64::MAX, zero: u64::MAX };

impl Word {
    fn known(ones: u64) -> Word {
        Word { one: ones, zero: !ones }
    }
}

/// A node of the cone and a sign, like [`Lit`].
#[derive(Clone, Copy)]
struct Local(u32);

/// The gates below some conditions, numbered anew: inputs first, then gates in an order in which arguments come first.
struct Cone {
    gates: Vec<(Local, Local)>,
    conditions: Vec<Local>,
    words: Vec<Word>,
    /// The input nodes that it depends on, in the order in which they get values; they are the first nodes after the constant.
    inputs: Vec<usize>,
}

/// One choice of values for some bits, whose lanes are looked at one after the other.
struct Choice {
    /// The bits before it have values.
    first: usize,
    count: usize,
    /// Lanes that are not done.
    open: u64,
    /// The share of the whole search that each lane is taken to have.
    share: f64,
}

/// Whether all conditions can hold, if evaluating so many gates tells. `numbers` are the input nodes of each variable, the most significant bit first.
pub fn try_all(aig: &Aig, conditions: &[Lit], numbers: &[Vec<usize>], most_evaluated: u64, budget: &Budget) -> Cases {
    let Some(mut cone) = Cone::new(aig, conditions, numbers) else { return Cases::TooMany };
    let bits = cone.inputs.len();
    let most_evaluated = match budget.effort() {
        Some(left) => most_evaluated.min(left.saturating_mul(GATES_OF_EFFORT) / PART_OF_EFFORT),
        None => most_evaluated,
    };
    let mut values = vec![false; bits];
    let effort = cone.gates.len() as u64 + 1;
    let (mut words, mut done) = (0u64, 0.0f64);
    let mut open: Vec<Choice> = Vec::new();
    // The first choice is the short one, so that most words have 64 different assignments.
    let mut next = Some((0, (bits + TOGETHER - 1) % TOGETHER + 1, 1.0));
    loop {
        if let Some((first, count, share)) = next.take() {
            words += 1;
            let evaluated = words * effort;
            let estimable = words > ESTIMATED_AFTER && evaluated > most_evaluated / ESTIMATED_PART;
            let likely_too_many = estimable && evaluated as f64 > done * most_evaluated as f64;
            if words.is_multiple_of(WORDS_AT_ONCE) {
                budget.spend(WORDS_AT_ONCE * effort / GATES_OF_EFFORT);
            }
            if evaluated > most_evaluated || likely_too_many || words.is_multiple_of(WORDS_AT_ONCE) && budget.expired()
            {
                return Cases::TooMany;
            }
            let (possible, certain) = cone.run(&values[..first], count);
            if certain != 0 {
                set_lane(&mut values[first..first + count], certain.trailing_zeros());
                let values = values[..first + count].iter().copied();
                return Cases::Solution(cone.inputs.iter().copied().zip(values).collect());
            }
            if possible == 0 {
                done += share;
            } else {
                open.push(Choice { first, count, open: possible, share: share / f64::from(possible.count_ones()) });
            }
        }
        let Some(choice) = open.last_mut() else { return Cases::None };
        if choice.open == 0 {
            open.pop();
            continue;
        }
        let lane = choice.open.trailing_zeros();
        choice.open &= choice.open - 1;
        let behind = choice.first + choice.count;
        assert!(behind < bits, "conditions of known values are known");
        set_lane(&mut values[choice.first..behind], lane);
        next = Some((behind, TOGETHER, choice.share));
    }
}

fn set_lane(values: &mut [bool], lane: u32) {
    for (bit, value) in values.iter_mut().enumerate() {
        *value = lane >> bit & 1 == 1;
    }
}

impl Cone {
    /// `None` if it is too large, or depends on other inputs.
    fn new(aig: &Aig, conditions: &[Lit], numbers: &[Vec<usize>]) -> Option<Cone> {
        let mut inside = vec![false; aig.len()];
        let mut stack: Vec<usize> = conditions.iter().map(|lit| lit.node()).collect();
        let mut size = 0;
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut inside[node], true) {
                continue;
            }
            size += 1;
            if size > MOST_GATES {
                return None;
            }
            if let Some((left, right)) = aig.gate(node) {
                stack.extend([left.node(), right.node()]);
            }
        }
        let inputs = order(numbers, &inside);
        if inputs.is_empty() || inputs.len() > MOST_BITS {
            return None;
        }
        // The constant has number 0.
        let mut local = vec![None; aig.len()];
        local[0] = Some(0);
        for (number, node) in inputs.iter().enumerate() {
            local[*node] = Some(number as u32 + 1);
        }
        let sign = |number: Option<u32>, lit: Lit| number.map(|number| Local(number << 1 | lit.negated() as u32));
        let mut gates = Vec::with_capacity(size);
        for node in (1..aig.len()).filter(|node| inside[*node]) {
            if let Some((left, right)) = aig.gate(node) {
                gates.push((sign(local[left.node()], left)?, sign(local[right.node()], right)?));
                local[node] = Some((inputs.len() + gates.len()) as u32);
            }
        }
        let conditions = conditions.iter().map(|lit| sign(local[lit.node()], *lit)).collect::<Option<_>>()?;
        let mut words = vec![UNKNOWN; 1 + inputs.len() + gates.len()];
        words[0] = Word::known(0);
        Some(Cone { gates, conditions, words, inputs })
    }

    /// In which lanes all conditions may hold, and in which they do: the first bits have values, and lanes have all combinations of the next ones.
    fn run(&mut self, values: &[bool], count: usize) -> (u64, u64) {
        for (bit, value) in values.iter().enumerate() {
            self.words[1 + bit] = Word::known(if *value { u64::MAX } else { 0 });
        }
        let inputs = self.inputs.len();
        let bits = &mut self.words[1 + values.len()..=inputs];
        for (bit, word) in bits.iter_mut().enumerate() {
            *word = if bit < count { Word::known(LANES[bit]) } else { UNKNOWN };
        }
        for (number, (left, right)) in self.gates.iter().enumerate() {
            let (left, right) = (self.word(*left), self.word(*right));
            self.words[1 + inputs + number] = Word { one: left.one & right.one, zero: left.zero | right.zero };
        }
        let lanes = if count < TOGETHER { (1 << (1 << count)) - 1 } else { u64::MAX };
        let all = self.conditions.iter().map(|condition| self.word(*condition));
        all.fold((lanes, lanes), |(possible, certain), word| (possible & word.one, certain & !word.zero))
    }

    #[inline]
    fn word(&self, local: Local) -> Word {
        let word = self.words[(local.0 >> 1) as usize];
        if local.0 & 1 == 1 { Word { one: word.zero, zero: word.one } } else { word }
    }
}

/// The bits that are looked at, the most significant ones of all numbers first: comparisons are decided by these.
fn order(numbers: &[Vec<usize>], inside: &[bool]) -> Vec<usize> {
    let used = |nodes: &Vec<usize>| nodes.iter().copied().filter(|node| inside[*node]).enumerate().collect::<Vec<_>>();
    let mut ranked: Vec<(usize, usize)> = numbers.iter().flat_map(used).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, node)| node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (self.0 >> 33) as usize % limit
        }
    }

    /// The value of a literal where the inputs, which are the first nodes, have the bits of a number.
    fn value(aig: &Aig, lit: Lit, inputs: usize) -> bool {
        let plain = match aig.gate(lit.node()) {
            Some((left, right)) => value(aig, left, inputs) && value(aig, right, inputs),
            None => lit.node() > 0 && inputs >> (lit.node() - 1) & 1 == 1,
        };
        plain != lit.negated()
    }

    #[test]
    fn random_conditions_against_all_assignments() {
        let mut random = Random(7);
        let (mut none, mut some) = (0, 0);
        for _ in 0..2000 {
            let mut aig = Aig::new();
            let bits = 1 + random.below(11);
            let mut lits: Vec<Lit> = (0..bits).map(|_| aig.input()).collect();
            for _ in 0..random.below(40) {
                let [a, b] = [(); 2].map(|()| lits[random.below(lits.len())].flip_if(random.below(2) == 0));
                lits.push(aig.and(a, b));
            }
            let conditions: Vec<Lit> =
                (0..1 + random.below(3)).map(|_| lits[lits.len() - 1 - random.below(lits.len().min(6))]).collect();
            let conditions: Vec<Lit> = conditions.into_iter().map(|lit| lit.flip_if(random.below(3) == 0)).collect();
            let two = bits / 2;
            let numbers = [(1..=two).rev().collect(), (two + 1..=bits).rev().collect()];
            let holds = |inputs: usize| conditions.iter().all(|lit| value(&aig, *lit, inputs));
            match try_all(&aig, &conditions, &numbers, u64::MAX, &Budget::unlimited()) {
                Cases::None => {
                    none += 1;
                    assert!(!(0..1 << bits).any(holds));
                }
                Cases::Solution(values) => {
                    some += 1;
                    assert!(holds(values.iter().map(|(node, value)| usize::from(*value) << (node - 1)).sum()));
                }
                Cases::TooMany => {
                    assert!(conditions.iter().all(|lit| aig.gate(lit.node()).is_none() && lit.is_const()))
                }
            }
        }
        assert!(none > 200 && some > 200, "{none} {some}");
    }

    #[test]
    fn much_is_given_up_early() {
        let mut aig = Aig::new();
        let inputs: Vec<Lit> = (0..200).map(|_| aig.input()).collect();
        // Two numbers are equal and have another sum of all bits: no group of assignments is excluded before the last bit.
        let mut parity = [Lit::FALSE; 2];
        let mut equal = Lit::TRUE;
        for pair in inputs.chunks(2) {
            for (parity, bit) in parity.iter_mut().zip(pair) {
                *parity = aig.xor(*parity, *bit);
            }
            let same = aig.xor(pair[0], pair[1]);
            equal = aig.and(equal, !same);
        }
        let different = aig.xor(parity[0], parity[1]);
        let numbers = [0, 1].map(|first| inputs.iter().skip(first).step_by(2).map(|lit| lit.node()).collect());
        let cases = try_all(&aig, &[equal, different], &numbers, 1 << 30, &Budget::unlimited());
        assert!(matches!(cases, Cases::TooMany));
    }

    #[test]
    fn inputs_that_are_not_listed_are_too_many() {
        let mut aig = Aig::new();
        let (listed, other) = (aig.input(), aig.input());
        let both = aig.and(listed, other);
        let cases = try_all(&aig, &[both], &[vec![listed.node()]], u64::MAX, &Budget::unlimited());
        assert!(matches!(cases, Cases::TooMany));
    }
}

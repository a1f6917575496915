//! Terms as circuits, run on 64 assignments at once: each gate is one operation on words. Millions of cases go through the gates that the
//! SAT solver sees in seconds.

use crate::aig::{Aig, Lit};
use crate::blast::Blaster;
use crate::pool::TermPool;
use crate::term::TermId;

/// Assignments that are run together.
pub const LANES: usize = 64;

pub struct Circuit {
    aig: Aig,
    inputs: Vec<Vec<Lit>>,
    outputs: Vec<Vec<Lit>>,
    words: Vec<u64>,
}

impl Circuit {
    /// The outputs as functions of the inputs, which are variables. Neither are arrays, nor wider than 128 bits.
    pub fn new(pool: &TermPool, inputs: &[TermId], outputs: &[TermId]) -> Circuit {
        let (mut aig, mut blaster) = (Aig::new(), Blaster::default());
        let mut lits = |terms: &[TermId]| -> Vec<Vec<Lit>> {
            terms.iter().map(|term| blaster.blast(pool, &mut aig, *term).to_vec()).collect()
        };
        let (inputs, outputs) = (lits(inputs), lits(outputs));
        let words = vec![0; aig.len()];
        Circuit { aig, inputs, outputs, words }
    }

    pub fn gates(&self) -> usize {
        self.aig.gates()
    }

    /// The values of the outputs for 64 values of each input.
    pub fn run(&mut self, values: &[[u128; LANES]]) -> Vec<[u128; LANES]> {
        assert_eq!(values.len(), self.inputs.len(), "one list of values for each input");
        for (lits, values) in self.inputs.iter().zip(values) {
            for (bit, lit) in lits.iter().enumerate() {
                let lanes = values.iter().enumerate();
                self.words[lit.node()] =
                    lanes.fold(0, |word, (lane, value)| word | ((value >> bit & 1) as u64) << lane);
            }
        }
        // Arguments come before the gates that use them.
        for node in 1..self.words.len() {
            if let Some((left, right)) = self.aig.gate(node) {
                self.words[node] = self.word(left) & self.word(right);
            }
        }
        let output = |lits: &Vec<Lit>| {
            let mut values = [0; LANES];
            for (bit, lit) in lits.iter().enumerate() {
                let word = self.word(*lit);
                for (lane, value) in values.iter_mut().enumerate() {
                    *value |= ((word >> lane & 1) as u128) << bit;
                }
            }
            values
        };
        self.outputs.iter().map(output).collect()
    }

    #[inline]
    fn word(&self, lit: Lit) -> u64 {
        self.words[lit.node()] ^ (lit.negated() as u64).wrapping_neg()
    }
}

//! From terms to gates: each term that a question reaches becomes a vector of literals, least significant bit first,
//! once. Reads of arrays become fresh inputs, which `arrays` constrains on demand.

pub mod arith;
mod shift;

use crate::aig::{Aig, Lit};
use crate::pool::TermPool;
use crate::term::{TermId, TermOp};
use base::Budget;
use rustc_hash::FxHashMap;
use shift::Direction;

#[derive(Default)]
pub struct Blaster {
    /// Where the literals of a term begin; [`NOT_YET`] if it has none.
    starts: Vec<u32>,
    lits: Vec<Lit>,
    /// Quotient and remainder of a pair, whichever was asked for first.
    divisions: FxHashMap<(TermId, TermId), (Vec<Lit>, Vec<Lit>)>,
    /// Variables and reads in the order in which they got inputs.
    pub vars: Vec<TermId>,
    pub selects: Vec<TermId>,
    stack: Vec<TermId>,
}

const NOT_YET: u32 = u32::MAX;

/// As many gates as are made, and turned into clauses, for one unit of effort.
const GATES_OF_EFFORT: u64 = 16;
const MAX_UNPAID: usize = 100_000;

impl Blaster {
    /// The literals of a term blasted before.
    #[inline]
    pub fn get(&self, pool: &TermPool, term: TermId) -> Option<&[Lit]> {
        let start = *self.starts.get(term.0 as usize).filter(|start| **start != NOT_YET)? as usize;
        Some(&self.lits[start..start + pool.width(term) as usize])
    }

    fn known(&self, term: TermId) -> bool {
        self.starts.get(term.0 as usize).is_some_and(|start| *start != NOT_YET)
    }

    pub fn blast(&mut self, pool: &TermPool, aig: &mut Aig, term: TermId) -> &[Lit] {
        if !self.known(term) {
            if self.starts.len() < pool.len() {
                self.starts.resize(pool.len(), NOT_YET);
            }
            self.run(pool, aig, term, &Budget::unlimited());
        }
        self.get(pool, term).expect("just blasted")
    }

    /// Blasts ahead of [`Blaster::blast`] as far as the budget allows; whether it is done. What was done is kept either way.
    pub fn prepare(&mut self, pool: &TermPool, aig: &mut Aig, term: TermId, budget: &Budget) -> bool {
        if self.known(term) {
            return true;
        }
        if self.starts.len() < pool.len() {
            self.starts.resize(pool.len(), NOT_YET);
        }
        self.run(pool, aig, term, budget)
    }

    fn run(&mut self, pool: &TermPool, aig: &mut Aig, term: TermId, budget: &Budget) -> bool {
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(term);
        let (mut turns, mut paid) = (0u32, aig.len());
        while let Some(&term) = stack.last() {
            turns = turns.wrapping_add(1);
            // Operations that are large circuits count as what they are.
            if turns.is_multiple_of(1024) || aig.len() - paid > MAX_UNPAID {
                budget.spend((aig.len() - paid) as u64 / GATES_OF_EFFORT);
                paid = aig.len();
                if budget.expired() {
                    stack.clear();
                    self.stack = stack;
                    return false;
                }
            }
            if self.known(term) {
                stack.pop();
                continue;
            }
            let waiting = stack.len();
            for arg in dependencies(pool, term).into_iter().flatten() {
                if !self.known(arg) {
                    stack.push(arg);
                }
            }
            if stack.len() == waiting {
                stack.pop();
                let lits = self.gates(pool, aig, term);
                debug_assert_eq!(lits.len() as u32, pool.width(term));
                assert!(self.lits.len() + lits.len() < NOT_YET as usize, "too many bits");
                self.starts[term.0 as usize] = self.lits.len() as u32;
                self.lits.extend(lits);
            }
        }
        budget.spend((aig.len() - paid) as u64 / GATES_OF_EFFORT);
        self.stack = stack;
        true
    }

    fn of(&self, pool: &TermPool, term: TermId) -> &[Lit] {
        self.get(pool, term).expect("arguments come first")
    }

    fn gates(&mut self, pool: &TermPool, aig: &mut Aig, term: TermId) -> Vec<Lit> {
        let args = pool.args(term);
        let width = pool.width(term);
        let of = |i: usize| self.of(pool, args[i]);
        match pool.op(term) {
            TermOp::Bool => vec![Lit::new(term == TermId::TRUE)],
            TermOp::Const => {
                let value = pool.as_bits(term).expect("a constant");
                (0..width).map(|i| Lit::new(value.bit(i))).collect()
            }
            TermOp::Var => {
                self.vars.push(term);
                (0..width).map(|_| aig.input()).collect()
            }
            TermOp::Select => {
                self.selects.push(term);
                (0..width).map(|_| aig.input()).collect()
            }
            TermOp::Not => arith::invert(of(0)),
            TermOp::And => of(0).iter().zip(of(1)).map(|(a, b)| aig.and(*a, *b)).collect(),
            TermOp::Or => of(0).iter().zip(of(1)).map(|(a, b)| aig.or(*a, *b)).collect(),
            TermOp::Xor => of(0).iter().zip(of(1)).map(|(a, b)| aig.xor(*a, *b)).collect(),
            TermOp::Eq => vec![arith::eq(aig, of(0), of(1))],
            TermOp::Ult => vec![arith::ult(aig, of(0), of(1))],
            TermOp::Slt => vec![arith::slt(aig, of(0), of(1))],
            TermOp::Neg => arith::neg(aig, of(0)),
            TermOp::Add => match minuend(pool, term) {
                Some((x, y)) => arith::sub(aig, self.of(pool, x), self.of(pool, y)),
                None => arith::add(aig, of(0), of(1)),
            },
            TermOp::Mul => arith::mul(aig, of(0), of(1)),
            TermOp::Udiv => self.division(pool, aig, args[0], args[1]).0.clone(),
            TermOp::Urem => self.division(pool, aig, args[0], args[1]).1.clone(),
            TermOp::Shl => shift::shift(aig, of(0), of(1), Direction::Left, Lit::FALSE),
            TermOp::Lshr => shift::shift(aig, of(0), of(1), Direction::Right, Lit::FALSE),
            TermOp::Ashr => {
                let sign = of(0)[width as usize - 1];
                shift::shift(aig, of(0), of(1), Direction::Right, sign)
            }
            TermOp::Concat => [of(1), of(0)].concat(),
            TermOp::Extract => {
                let (high, low) = pool.extract_range(term);
                of(0)[low as usize..=high as usize].to_vec()
            }
            TermOp::SignExt => {
                let mut lits = of(0).to_vec();
                let sign = lits[lits.len() - 1];
                lits.resize(width as usize, sign);
                lits
            }
            TermOp::Ite => arith::mux(aig, of(0)[0], of(1), of(2)),
            op @ (TermOp::ConstArray | TermOp::Store) => panic!("{op:?} has no bits"),
        }
    }

    fn division(&mut self, pool: &TermPool, aig: &mut Aig, a: TermId, b: TermId) -> &(Vec<Lit>, Vec<Lit>) {
        if !self.divisions.contains_key(&(a, b)) {
            let result = arith::div_rem(aig, self.of(pool, a), self.of(pool, b));
            self.divisions.insert((a, b), result);
        }
        &self.divisions[&(a, b)]
    }
}

/// `x` and `y` of a sum `x + (-y)`, which needs one adder and no negation.
fn minuend(pool: &TermPool, sum: TermId) -> Option<(TermId, TermId)> {
    let (a, b) = pool.binary(sum, TermOp::Add)?;
    match (pool.unary(a, TermOp::Neg), pool.unary(b, TermOp::Neg)) {
        (_, Some(y)) => Some((a, y)),
        (Some(y), _) => Some((b, y)),
        _ => None,
    }
}

/// The terms whose bits the gates of this one need. The array of a read is not among them.
fn dependencies(pool: &TermPool, term: TermId) -> [Option<TermId>; 3] {
    let args = pool.args(term);
    match pool.op(term) {
        TermOp::Select => [Some(args[1]), None, None],
        TermOp::Add => match minuend(pool, term) {
            Some((x, y)) => [Some(x), Some(y), None],
            None => [Some(args[0]), Some(args[1]), None],
        },
        _ => [args.first().copied(), args.get(1).copied(), args.get(2).copied()],
    }
}

//! The same terms with other things in place of some of their parts.

use crate::pool::TermPool;
use crate::term::{Sort, TermId, TermOp};
use rustc_hash::FxHashMap;

impl TermPool {
    /// Replaces subterms. `done` says what stands for which term; it grows, so that further terms are replaced consistently and quickly.
    pub fn substitute(&mut self, term: TermId, done: &mut FxHashMap<TermId, TermId>) -> TermId {
        let mut open = vec![term];
        while let Some(&term) = open.last() {
            if done.contains_key(&term) {
                open.pop();
                continue;
            }
            let args = self.args(term);
            let before = open.len();
            open.extend(args.iter().copied().filter(|arg| !done.contains_key(arg)));
            if open.len() == before {
                let new: Vec<TermId> = args.iter().map(|arg| done[arg]).collect();
                let made = self.with_args(term, &new);
                done.insert(term, made);
                open.pop();
            }
        }
        done[&term]
    }

    /// As [`TermPool::substitute`], but the term itself is not replaced, only its proper subterms.
    pub fn substitute_below(&mut self, term: TermId, done: &mut FxHashMap<TermId, TermId>) -> TermId {
        let args = self.args(term);
        let new: Vec<TermId> = args.iter().map(|arg| self.substitute(*arg, done)).collect();
        self.with_args(term, &new)
    }

    /// The same operation on other arguments.
    fn with_args(&mut self, term: TermId, args: &[TermId]) -> TermId {
        if *self.args(term) == *args {
            return term;
        }
        let boolean = self.sort(term) == Sort::Bool;
        match (self.op(term), args) {
            (TermOp::Not, &[a]) if boolean => self.not(a),
            (TermOp::Not, &[a]) => self.bv_not(a),
            (TermOp::And, &[a, b]) if boolean => self.and(a, b),
            (TermOp::And, &[a, b]) => self.bv_and(a, b),
            (TermOp::Or, &[a, b]) => self.bv_or(a, b),
            (TermOp::Xor, &[a, b]) if boolean => self.xor(a, b),
            (TermOp::Xor, &[a, b]) => self.bv_xor(a, b),
            (TermOp::Eq, &[a, b]) => self.eq(a, b),
            (TermOp::Ult, &[a, b]) => self.ult(a, b),
            (TermOp::Slt, &[a, b]) => self.slt(a, b),
            (TermOp::Neg, &[a]) => self.bv_neg(a),
            (TermOp::Add, &[a, b]) => self.bv_add(a, b),
            (TermOp::Mul, &[a, b]) => self.bv_mul(a, b),
            (TermOp::Udiv, &[a, b]) => self.bv_udiv(a, b),
            (TermOp::Urem, &[a, b]) => self.bv_urem(a, b),
            (TermOp::Shl, &[a, b]) => self.bv_shl(a, b),
            (TermOp::Lshr, &[a, b]) => self.bv_lshr(a, b),
            (TermOp::Ashr, &[a, b]) => self.bv_ashr(a, b),
            (TermOp::Concat, &[a, b]) => self.concat(a, b),
            (TermOp::Extract, &[a]) => {
                let (high, low) = self.extract_range(term);
                self.extract(a, high, low)
            }
            (TermOp::SignExt, &[a]) => {
                let width = self.width(term);
                self.sext(a, width)
            }
            (TermOp::Ite, &[a, b, c]) => self.ite(a, b, c),
            (TermOp::ConstArray, &[a]) => {
                let Sort::Array { index, .. } = self.sort(term) else { return term };
                self.const_array(index, a)
            }
            (TermOp::Select, &[a, b]) => self.select(a, b),
            (TermOp::Store, &[a, b, c]) => self.store(a, b, c),
            _ => term,
        }
    }
}

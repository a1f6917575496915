//! The same terms with other things in place of some of their parts.

use crate::pool::TermPool;
use crate::term::{Op, Sort, TermId};
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
            (Op::Not, &[a]) if boolean => self.not(a),
            (Op::Not, &[a]) => self.bv_not(a),
            (Op::And, &[a, b]) if boolean => self.and(a, b),
            (Op::And, &[a, b]) => self.bv_and(a, b),
            (Op::Or, &[a, b]) => self.bv_or(a, b),
            (Op::Xor, &[a, b]) if boolean => self.xor(a, b),
            (Op::Xor, &[a, b]) => self.bv_xor(a, b),
            (Op::Eq, &[a, b]) => self.eq(a, b),
            (Op::Ult, &[a, b]) => self.ult(a, b),
            (Op::Slt, &[a, b]) => self.slt(a, b),
            (Op::Neg, &[a]) => self.bv_neg(a),
            (Op::Add, &[a, b]) => self.bv_add(a, b),
            (Op::Mul, &[a, b]) => self.bv_mul(a, b),
            (Op::Udiv, &[a, b]) => self.bv_udiv(a, b),
            (Op::Urem, &[a, b]) => self.bv_urem(a, b),
            (Op::Shl, &[a, b]) => self.bv_shl(a, b),
            (Op::Lshr, &[a, b]) => self.bv_lshr(a, b),
            (Op::Ashr, &[a, b]) => self.bv_ashr(a, b),
            (Op::Concat, &[a, b]) => self.concat(a, b),
            (Op::Extract, &[a]) => {
                let (high, low) = self.extract_range(term);
                self.extract(a, high, low)
            }
            (Op::SignExt, &[a]) => {
                let width = self.width(term);
                self.sext(a, width)
            }
            (Op::Ite, &[a, b, c]) => self.ite(a, b, c),
            (Op::ConstArray, &[a]) => {
                let Sort::Array { index, .. } = self.sort(term) else { return term };
                self.const_array(index, a)
            }
            (Op::Select, &[a, b]) => self.select(a, b),
            (Op::Store, &[a, b, c]) => self.store(a, b, c),
            _ => term,
        }
    }
}

//! Arrays without expanding them: lemmas on demand.
//!
//! Every read that a question reaches is a vector of free inputs. When the SAT solver has found a candidate, each read
//! is followed through writes and choices with the candidate's values, down to the value it must have or to a read of an
//! array variable. Where the candidate disagrees, the path taken becomes a lemma: *conditions of the path ⟹ read =
//! value*, or, for two reads of a variable at the same index, *both paths and equal indices ⟹ equal values* (Brummayer and
//! Biere 2009). Each lemma is valid and excludes the candidate; there are finitely many paths, so it ends, and a candidate without disagreement is a model.
//!
//! A stretch of writes at constant indices is one step of a path: the condition is the interval of indices that hold
//! the same value, or that are not written. So neither a path nor a lemma grows with the number of such writes.

use crate::aig::Lit;
use crate::bits::Bits;
use crate::blast::arith;
use crate::eval::ArrayValue;
use crate::pool::TermPool;
use crate::solver::Core;
use crate::term::{Sort, TermId, TermOp};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Default)]
pub struct Arrays {
    segments: FxHashMap<TermId, Rc<Segment>>,
    /// How often each read was wrong; each time more of its segment is explained at once.
    mistakes: FxHashMap<TermId, u32>,
    candidate: Candidate,
    lemmas: u64,
}

/// Writes at constant indices, newest wins, sorted; neighbours with the same value are one interval.
struct Segment {
    intervals: Vec<Interval>,
    /// The array below, for every index that is not in an interval.
    base: TermId,
}

#[derive(Clone)]
struct Interval {
    first: Bits,
    last: Bits,
    value: TermId,
}

/// The candidate's values of gates, including gates that have no clauses yet.
#[derive(Default)]
struct Candidate {
    round: u32,
    /// `round << 1 | value` of each node.
    marks: Vec<u32>,
    stack: Vec<usize>,
}

/// Where a read must end, with the gate literals that say so, all true in the candidate.
struct Path {
    conditions: Vec<Lit>,
    target: Target,
}

enum Target {
    TermValue(TermId),
    /// An element of an array variable.
    Variable(TermId),
}

impl Arrays {
    pub fn lemmas(&self) -> u64 {
        self.lemmas
    }

    /// Adds lemmas against the candidate of the SAT solver; whether there were any.
    pub fn refine(&mut self, pool: &TermPool, core: &mut Core) -> bool {
        if core.blaster.selects.is_empty() {
            return false;
        }
        self.candidate.next();
        // All lemmas are collected before the first is added: adding one ends the candidate.
        let mut lemmas: Vec<(Vec<Lit>, Vec<Lit>, Vec<Lit>)> = Vec::new();
        let mut elements: FxHashMap<(TermId, Bits), (TermId, Vec<Lit>)> = FxHashMap::default();
        let mut position = 0;
        // Following a path may reach further reads.
        while position < core.blaster.selects.len() {
            let select = core.blaster.selects[position];
            position += 1;
            let path = self.follow(pool, core, select);
            let read = core.blast(pool, select).to_vec();
            let actual = self.candidate.bits(core, &read);
            match path.target {
                Target::TermValue(value) => {
                    let expected = core.blast(pool, value).to_vec();
                    if self.candidate.bits(core, &expected) != actual {
                        lemmas.push((path.conditions, read, expected));
                        self.explain_more(pool, core, select, &mut lemmas);
                    }
                }
                Target::Variable(var) => {
                    let index = core.blast(pool, pool.arg(select, 1)).to_vec();
                    let key = (var, self.candidate.bits(core, &index));
                    let Some((other, other_path)) = elements.get(&key) else {
                        elements.insert(key, (select, path.conditions));
                        continue;
                    };
                    let other_read = core.blast(pool, *other).to_vec();
                    if self.candidate.bits(core, &other_read) != actual {
                        let other_index = core.blast(pool, pool.arg(*other, 1)).to_vec();
                        let mut conditions = path.conditions;
                        conditions.extend(other_path);
                        conditions.push(arith::eq(&mut core.aig, &index, &other_index));
                        lemmas.push((conditions, read, other_read));
                    }
                }
            }
        }
        let any = !lemmas.is_empty();
        for (conditions, left, right) in lemmas {
            self.lemmas += 1;
            let premise = core.aig.and_all(&conditions);
            for (a, b) in left.into_iter().zip(right) {
                core.add_gate_clause(&[!premise, !a, b]);
                core.add_gate_clause(&[!premise, a, !b]);
            }
        }
        any
    }

    /// The path of a read under the candidate.
    fn follow(&mut self, pool: &TermPool, core: &mut Core, select: TermId) -> Path {
        let (mut array, index_term) = pool.binary(select, TermOp::Select).expect("a read");
        let index = core.blast(pool, index_term).to_vec();
        let at = self.candidate.bits(core, &index);
        let mut conditions = Vec::new();
        loop {
            let args = pool.args(array);
            match pool.op(array) {
                TermOp::Var => return Path { conditions, target: Target::Variable(array) },
                TermOp::ConstArray => return Path { conditions, target: Target::TermValue(args[0]) },
                TermOp::Ite => {
                    let condition = core.blast(pool, args[0])[0];
                    let holds = self.candidate.lit(core, condition);
                    conditions.push(condition.flip_if(!holds));
                    array = if holds { args[1] } else { args[2] };
                }
                TermOp::Store if pool.constant_store(array).is_some() => {
                    let segment = self.segment(pool, array);
                    let (first, last, value) = segment.around(&at);
                    conditions.push(within(core, &index, &first, &last));
                    match value {
                        Some(value) => return Path { conditions, target: Target::TermValue(value) },
                        None => array = segment.base,
                    }
                }
                TermOp::Store => {
                    let written = core.blast(pool, args[1]).to_vec();
                    let same = arith::eq(&mut core.aig, &index, &written);
                    if self.candidate.bits(core, &written) == at {
                        conditions.push(same);
                        return Path { conditions, target: Target::TermValue(args[2]) };
                    }
                    conditions.push(!same);
                    array = args[0];
                }
                op => panic!("{op:?} is not an array"),
            }
        }
    }

    /// A read that goes wrong again and again in one stretch of constant indices gets more of it each time, so that
    /// a table of n entries costs about log n rounds.
    fn explain_more(
        &mut self,
        pool: &TermPool,
        core: &mut Core,
        select: TermId,
        lemmas: &mut Vec<(Vec<Lit>, Vec<Lit>, Vec<Lit>)>,
    ) {
        let mistakes = self.mistakes.entry(select).or_insert(0);
        *mistakes += 1;
        let count = 1usize << (2 * (*mistakes - 1)).min(24);
        let (array, index_term) = pool.binary(select, TermOp::Select).expect("a read");
        if count == 1 || pool.constant_store(array).is_none() {
            return;
        }
        let segment = self.segment(pool, array);
        let index = core.blast(pool, index_term).to_vec();
        let at = self.candidate.bits(core, &index);
        let read = core.blast(pool, select).to_vec();
        let middle = segment.intervals.partition_point(|interval| interval.last < at);
        let from = middle.saturating_sub(count / 2);
        for interval in segment.intervals.iter().skip(from).take(count) {
            let condition = within(core, &index, &interval.first, &interval.last);
            let value = core.blast(pool, interval.value).to_vec();
            lemmas.push((vec![condition], read.clone(), value));
        }
    }

    fn segment(&mut self, pool: &TermPool, top: TermId) -> Rc<Segment> {
        if let Some(known) = self.segments.get(&top) {
            return known.clone();
        }
        let mut writes: BTreeMap<Bits, TermId> = BTreeMap::new();
        let mut array = top;
        while let Some((inner, index, value)) = pool.constant_store(array) {
            writes.entry(pool.as_bits(index).expect("a constant")).or_insert(value);
            array = inner;
        }
        let mut intervals: Vec<Interval> = Vec::new();
        for (index, value) in writes {
            match intervals.last_mut() {
                Some(last) if last.value == value && next(&last.last) == index => last.last = index,
                _ => intervals.push(Interval { first: index.clone(), last: index, value }),
            }
        }
        let segment = Rc::new(Segment { intervals, base: array });
        self.segments.insert(top, segment.clone());
        segment
    }

    /// The array variables under the candidate, which must have no disagreement.
    pub fn values(&mut self, pool: &TermPool, core: &mut Core) -> Vec<(TermId, ArrayValue)> {
        if core.blaster.selects.is_empty() {
            return Vec::new();
        }
        self.candidate.next();
        let mut values: BTreeMap<TermId, ArrayValue> = BTreeMap::new();
        for position in 0..core.blaster.selects.len() {
            let select = core.blaster.selects[position];
            if let Target::Variable(var) = self.follow(pool, core, select).target {
                let Sort::Array { element, .. } = pool.sort(var) else { panic!("{var} is not an array") };
                let index = core.blast(pool, pool.arg(select, 1)).to_vec();
                let value = core.blast(pool, select).to_vec();
                let (index, value) = (self.candidate.bits(core, &index), self.candidate.bits(core, &value));
                values
                    .entry(var)
                    .or_insert_with(|| ArrayValue { default: Bits::zero(element), elements: BTreeMap::new() })
                    .elements
                    .insert(index, value);
            }
        }
        values.into_iter().collect()
    }
}

fn next(value: &Bits) -> Bits {
    value.add(&Bits::one(value.width()))
}

fn constant(value: &Bits) -> Vec<Lit> {
    (0..value.width()).map(|i| Lit::new(value.bit(i))).collect()
}

/// `first <= index <= last`
fn within(core: &mut Core, index: &[Lit], first: &Bits, last: &Bits) -> Lit {
    let (low, high) = (constant(first), constant(last));
    if first == last {
        return arith::eq(&mut core.aig, index, &low);
    }
    let below = arith::ult(&mut core.aig, index, &low);
    let above = arith::ult(&mut core.aig, &high, index);
    core.aig.and(!below, !above)
}

impl Segment {
    /// The interval around an index, written (with its value) or not.
    fn around(&self, at: &Bits) -> (Bits, Bits, Option<TermId>) {
        let position = self.intervals.partition_point(|interval| interval.last < *at);
        let here = self.intervals.get(position);
        if let Some(interval) = here.filter(|interval| interval.first <= *at) {
            return (interval.first.clone(), interval.last.clone(), Some(interval.value));
        }
        let width = at.width();
        let first = match position.checked_sub(1) {
            Some(before) => next(&self.intervals[before].last),
            None => Bits::zero(width),
        };
        let last = here.map_or(Bits::ones(width), |after| after.first.sub(&Bits::one(width)));
        (first, last, None)
    }
}

impl Candidate {
    /// Forgets the values: there is a new candidate.
    fn next(&mut self) {
        self.round += 1;
        if self.round > u32::MAX >> 1 {
            self.round = 1;
            self.marks.clear();
        }
    }

    fn mark(&self, node: usize) -> Option<bool> {
        let mark = *self.marks.get(node)?;
        (mark >> 1 == self.round).then_some(mark & 1 == 1)
    }

    fn bits(&mut self, core: &mut Core, lits: &[Lit]) -> Bits {
        let mut limbs = vec![0u64; lits.len().div_ceil(64)];
        for (i, lit) in lits.iter().enumerate() {
            limbs[i / 64] |= (self.lit(core, *lit) as u64) << (i % 64);
        }
        Bits::from_limbs(lits.len() as u32, &limbs)
    }

    /// By the SAT solver where there is a variable, by simulation elsewhere; inputs without a variable are false.
    fn lit(&mut self, core: &mut Core, lit: Lit) -> bool {
        if self.marks.len() < core.aig.len() {
            self.marks.resize(core.aig.len(), 0);
        }
        let mut stack = std::mem::take(&mut self.stack);
        stack.push(lit.node());
        while let Some(&node) = stack.last() {
            if self.mark(node).is_some() {
                stack.pop();
                continue;
            }
            let value = if node == 0 {
                Some(false)
            } else if let Some(known) = core.cnf.get(Lit((node as u32) << 1)) {
                Some(core.value(known))
            } else if let Some((a, b)) = core.aig.gate(node) {
                match (self.mark(a.node()), self.mark(b.node())) {
                    (Some(x), Some(y)) => Some((x ^ a.negated()) && (y ^ b.negated())),
                    (None, _) => {
                        stack.push(a.node());
                        None
                    }
                    (_, None) => {
                        stack.push(b.node());
                        None
                    }
                }
            } else {
                Some(false)
            };
            if let Some(value) = value {
                self.marks[node] = self.round << 1 | value as u32;
                stack.pop();
            }
        }
        self.stack = stack;
        self.mark(lit.node()).expect("just computed") ^ lit.negated()
    }
}

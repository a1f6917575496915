//! DIMACS CNF after bit-blasting. Arrays are expanded here, read by read: a file cannot ask for lemmas.

use crate::aig::{Aig, Lit};
use crate::blast::{Blaster, arith};
use crate::cnf::Cnf;
use crate::pool::TermPool;
use crate::sat::{ClauseSink, SatLit};
use crate::term::{TermId, TermOp};
use rustc_hash::FxHashMap;
use std::fmt::Write;

#[derive(Default)]
struct Clauses(Vec<Vec<SatLit>>);

impl ClauseSink for Clauses {
    fn add_clause(&mut self, clause: &[SatLit]) {
        self.0.push(clause.to_vec());
    }
}

/// Whether the terms can hold together. Comments say which variables are the bits of which term variable.
pub fn dimacs(pool: &TermPool, assertions: &[TermId]) -> String {
    let (mut aig, mut blaster) = (Aig::new(), Blaster::default());
    let mut facts: Vec<Lit> = assertions.iter().map(|term| blaster.blast(pool, &mut aig, *term)[0]).collect();
    facts.extend(expand_reads(pool, &mut aig, &mut blaster));

    let (mut cnf, mut clauses) = (Cnf::default(), Clauses::default());
    for fact in facts.into_iter().filter(|fact| *fact != Lit::TRUE) {
        let lit = cnf.encode(&aig, &mut clauses, fact);
        clauses.add_clause(&[lit]);
    }
    let mut text = String::new();
    for var in &blaster.vars {
        let bits = blaster.get(pool, *var).expect("a variable with bits");
        let _ = write!(text, "c {var} {}", pool.name(*var).unwrap_or("").replace(|c: char| c.is_control(), "_"));
        for bit in bits {
            let _ = write!(text, " {}", cnf.get(*bit).map_or(0, |lit| lit.0));
        }
        text.push('\n');
    }
    let _ = writeln!(text, "p cnf {} {}", cnf.vars(), clauses.0.len());
    for clause in clauses.0 {
        for lit in clause {
            let _ = write!(text, "{} ", lit.0);
        }
        text.push_str("0\n");
    }
    text
}

/// What every read is, as gates; reads of array variables at equal indices are equal.
fn expand_reads(pool: &TermPool, aig: &mut Aig, blaster: &mut Blaster) -> Vec<Lit> {
    let mut facts = Vec::new();
    let mut known: FxHashMap<(TermId, TermId), Vec<Lit>> = FxHashMap::default();
    let mut reads: FxHashMap<TermId, Vec<(TermId, Vec<Lit>)>> = FxHashMap::default();
    let mut position = 0;
    while position < blaster.selects.len() {
        let select = blaster.selects[position];
        position += 1;
        let (array, index) = pool.binary(select, TermOp::Select).expect("a read");
        let at = blaster.blast(pool, aig, index).to_vec();
        let mut stack = vec![array];
        while let Some(&array) = stack.last() {
            if known.contains_key(&(array, index)) {
                stack.pop();
                continue;
            }
            let args = pool.args(array);
            let below = match pool.op(array) {
                TermOp::Store => &args[..1],
                TermOp::Ite => &args[1..],
                _ => &[],
            };
            let missing = below.iter().find(|inner| !known.contains_key(&(**inner, index)));
            if let Some(inner) = missing {
                stack.push(*inner);
                continue;
            }
            let value = match pool.op(array) {
                TermOp::Store => {
                    let written = blaster.blast(pool, aig, args[1]).to_vec();
                    let here = arith::eq(aig, &at, &written);
                    let value = blaster.blast(pool, aig, args[2]).to_vec();
                    arith::mux(aig, here, &value, &known[&(args[0], index)])
                }
                TermOp::Ite => {
                    let condition = blaster.blast(pool, aig, args[0])[0];
                    arith::mux(aig, condition, &known[&(args[1], index)], &known[&(args[2], index)])
                }
                TermOp::ConstArray => blaster.blast(pool, aig, args[0]).to_vec(),
                _ => {
                    let fresh: Vec<Lit> = (0..pool.width(select)).map(|_| aig.input()).collect();
                    let others = reads.entry(array).or_default();
                    for (other_index, other) in others.iter() {
                        let other_at = blaster.blast(pool, aig, *other_index).to_vec();
                        let same_index = arith::eq(aig, &at, &other_at);
                        let same_value = arith::eq(aig, &fresh, other);
                        facts.push(!aig.and(same_index, !same_value));
                    }
                    others.push((index, fresh.clone()));
                    fresh
                }
            };
            known.insert((array, index), value);
        }
        let read = blaster.blast(pool, aig, select).to_vec();
        facts.push(arith::eq(aig, &read, &known[&(array, index)]));
    }
    facts
}

//! SMT-LIB 2, logic QF_ABV. Every term is a definition of its own, so the text is as large as the graph, not as its tree,
//! and not nested.

use crate::pool::TermPool;
use crate::term::{Op, Sort, TermId};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Whether the terms can hold together, as a script that ends with `(check-sat)`.
pub fn smt2(pool: &TermPool, assertions: &[TermId]) -> String {
    let mut text = String::from("(set-logic QF_ABV)\n");
    for term in reached(pool, assertions) {
        match pool.op(term) {
            Op::Bool | Op::Const => {}
            Op::Var => {
                let _ = writeln!(text, "(declare-fun {} () {})", name(pool, term), sort(pool.sort(term)));
            }
            _ => {
                let (name, sort) = (name(pool, term), sort(pool.sort(term)));
                let _ = writeln!(text, "(define-fun {name} () {sort} {})", definition(pool, term));
            }
        }
    }
    for term in assertions {
        let _ = writeln!(text, "(assert {})", name(pool, *term));
    }
    text.push_str("(check-sat)\n");
    text
}

/// Everything below the roots; arguments have smaller ids, so the order of ids is one of definition.
fn reached(pool: &TermPool, roots: &[TermId]) -> Vec<TermId> {
    let mut seen: FxHashSet<TermId> = roots.iter().copied().collect();
    let mut todo: Vec<TermId> = seen.iter().copied().collect();
    while let Some(term) = todo.pop() {
        todo.extend(pool.args(term).iter().filter(|arg| seen.insert(**arg)));
    }
    let mut terms: Vec<TermId> = seen.into_iter().collect();
    terms.sort_unstable();
    terms
}

fn sort(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".into(),
        Sort::BitVec(width) => format!("(_ BitVec {width})"),
        Sort::Array { index, element } => format!("(Array (_ BitVec {index}) (_ BitVec {element}))"),
    }
}

/// Constants are written out; variables keep their name, with the id that makes it unique.
fn name(pool: &TermPool, term: TermId) -> String {
    match pool.op(term) {
        Op::Bool => (term == TermId::TRUE).to_string(),
        Op::Const => pool.as_bits(term).expect("a constant").to_string(),
        Op::Var => {
            let plain = |c: char| if c == '|' || c == '\\' || c.is_control() || !c.is_ascii() { '_' } else { c };
            let readable: String = pool.name(term).expect("a variable").chars().map(plain).collect();
            format!("|{readable}!{}|", term.0)
        }
        _ => term.to_string(),
    }
}

fn definition(pool: &TermPool, term: TermId) -> String {
    let args = pool.args(term);
    let boolean = pool.sort(term) == Sort::Bool;
    let operator = match pool.op(term) {
        Op::Not => if boolean { "not" } else { "bvnot" }.into(),
        Op::And => if boolean { "and" } else { "bvand" }.into(),
        Op::Xor => if boolean { "xor" } else { "bvxor" }.into(),
        Op::Or => "bvor".into(),
        Op::Eq => "=".into(),
        Op::Ult => "bvult".into(),
        Op::Slt => "bvslt".into(),
        Op::Neg => "bvneg".into(),
        Op::Add => "bvadd".into(),
        Op::Mul => "bvmul".into(),
        Op::Udiv => "bvudiv".into(),
        Op::Urem => "bvurem".into(),
        Op::Shl => "bvshl".into(),
        Op::Lshr => "bvlshr".into(),
        Op::Ashr => "bvashr".into(),
        Op::Concat => "concat".into(),
        Op::Extract => {
            let (high, low) = pool.extract_range(term);
            format!("(_ extract {high} {low})")
        }
        Op::SignExt => format!("(_ sign_extend {})", pool.width(term) - pool.width(args[0])),
        Op::Ite => "ite".into(),
        Op::ConstArray => format!("(as const {})", sort(pool.sort(term))),
        Op::Select => "select".into(),
        Op::Store => "store".into(),
        op @ (Op::Bool | Op::Const | Op::Var) => panic!("{op:?} has no definition"),
    };
    let mut text: String = format!("({operator}");
    for arg in args.iter() {
        let _ = write!(text, " {}", name(pool, *arg));
    }
    text.push(')');
    text
}

//! SMT-LIB 2, logic QF_ABV. Every term is a definition of its own, so the text is as large as the graph, not as its tree,
//! and not nested.

use crate::pool::TermPool;
use crate::term::{Sort, TermId, TermOp};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Whether the terms can hold together, as a script that ends with `(check-sat)`.
pub fn smt2(pool: &TermPool, assertions: &[TermId]) -> String {
    let mut text = String::from("(set-logic QF_ABV)\n");
    for term in reached(pool, assertions) {
        match pool.op(term) {
            TermOp::Bool | TermOp::Const => {}
            TermOp::Var => {
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
        TermOp::Bool => (term == TermId::TRUE).to_string(),
        TermOp::Const => pool.as_bits(term).expect("a constant").to_string(),
        TermOp::Var => {
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
        TermOp::Not => if boolean { "not" } else { "bvnot" }.into(),
        TermOp::And => if boolean { "and" } else { "bvand" }.into(),
        TermOp::Xor => if boolean { "xor" } else { "bvxor" }.into(),
        TermOp::Or => "bvor".into(),
        TermOp::Eq => "=".into(),
        TermOp::Ult => "bvult".into(),
        TermOp::Slt => "bvslt".into(),
        TermOp::Neg => "bvneg".into(),
        TermOp::Add => "bvadd".into(),
        TermOp::Mul => "bvmul".into(),
        TermOp::Udiv => "bvudiv".into(),
        TermOp::Urem => "bvurem".into(),
        TermOp::Shl => "bvshl".into(),
        TermOp::Lshr => "bvlshr".into(),
        TermOp::Ashr => "bvashr".into(),
        TermOp::Concat => "concat".into(),
        TermOp::Extract => {
            let (high, low) = pool.extract_range(term);
            format!("(_ extract {high} {low})")
        }
        TermOp::SignExt => format!("(_ sign_extend {})", pool.width(term) - pool.width(args[0])),
        TermOp::Ite => "ite".into(),
        TermOp::ConstArray => format!("(as const {})", sort(pool.sort(term))),
        TermOp::Select => "select".into(),
        TermOp::Store => "store".into(),
        op @ (TermOp::Bool | TermOp::Const | TermOp::Var) => panic!("{op:?} has no definition"),
    };
    let mut text: String = format!("({operator}");
    for arg in args.iter() {
        let _ = write!(text, " {}", name(pool, *arg));
    }
    text.push(')');
    text
}

//! The invariants of a proof as claims of a witness: those at the heads of loops that the file shows, in C, over names that mean the same variables there,
//! and contracts of functions that the file defines, in the part of ACSL that means the same as C. Others are left out: a witness need not say everything.

use super::Claim;
use crate::convert::steps;
use crate::model::{self, ExpressionFormat, InvariantKind, Position};
use crate::program::Place;
use cfa::acsl::{equation_by_signed, is_same_in_acsl};
use cfa::walk::{Node, children};
use cfa::{Anchor, BinOp, Binding, ExprId, ExprKind, LocId, PlaceKind, Program, VarId, VarKind};
use evidence::{Invariant, Invariants};
use std::collections::BTreeMap;

pub fn claims(claim: &Claim<'_>, proof: &Invariants) -> Vec<model::Claim> {
    let mut texts: BTreeMap<(Place, LocId), Vec<String>> = BTreeMap::new();
    for Invariant { anchor, expr } in &proof.conditions {
        let Anchor::Head(head) = anchor else { continue };
        let Some((place, _)) = steps::loop_at(claim.source, *head) else { continue };
        // The condition of a `do` is not at its head.
        let text = claim.source.rest(place.line, place.column).unwrap_or_default();
        if !["for", "while"].iter().any(|keyword| text.starts_with(keyword)) {
            continue;
        }
        if let Some(text) = source_text(&proof.program, *head, *expr) {
            texts.entry((place, *head)).or_default().push(text);
        }
    }
    let claim = |((place, _), texts): ((Place, LocId), Vec<String>)| {
        let value = match &texts[..] {
            [one] => one.clone(),
            several => several.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" && "),
        };
        model::Claim::Invariant(model::Invariant {
            at: Position::default(),
            kind: InvariantKind::Loop,
            location: Some(steps::location(claim.source, claim.source.name, place)),
            value,
            format: Some(ExpressionFormat::C),
            labels: Vec::new(),
        })
    };
    texts.into_iter().map(claim).collect()
}

/// The contracts of a proof.
pub fn contracts(claim: &Claim<'_>, proof: &Invariants) -> Vec<model::Claim> {
    let program = &*proof.program;
    let mut found = Vec::new();
    for function in program.functions.ids() {
        let Some(automaton) = program.automaton(function) else { continue };
        let Some(place) = claim.source.place(automaton.span.lo) else { continue };
        let clauses = |anchor: Anchor| {
            let own = proof.conditions.iter().filter(|one| one.anchor == anchor);
            let texts: Vec<String> = own.filter_map(|one| in_acsl(program, automaton.entry, one.expr)).collect();
            match &texts[..] {
                [] => None,
                [one] => Some(one.clone()),
                several => Some(several.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" && ")),
            }
        };
        let (requires, ensures) = (clauses(Anchor::Requires(function)), clauses(Anchor::Ensures(function)));
        if requires.is_none() && ensures.is_none() {
            continue;
        }
        let name = program.function_name(function).to_string();
        let location = steps::location(claim.source, claim.source.name, place);
        found.push(model::Claim::Contract(model::Contract {
            at: Position::default(),
            location: model::Location { function: Some(name), ..location },
            requires,
            ensures,
            format: Some(ExpressionFormat::Acsl),
            labels: Vec::new(),
        }));
    }
    found
}

/// A clause in ACSL; `None` if it would mean something else there. A `|` of conditions is an `||` of both.
fn in_acsl(program: &Program, at: LocId, expr: ExprId) -> Option<String> {
    if is_same_in_acsl(program, expr) && !matches!(program.exprs[expr].kind, ExprKind::Binary(BinOp::Or, ..)) {
        return source_text(program, at, expr);
    }
    if let Some((op, left, right, ty)) = equation_by_signed(program, expr) {
        let side = |expr: ExprId| source_text(program, at, expr).map(|text| format!("({ty})({text})"));
        let word = if op == BinOp::Eq { "==" } else { "!=" };
        return Some(format!("{} {word} {}", side(left)?, side(right)?));
    }
    let ExprKind::Binary(BinOp::Or, left, right) = program.exprs[expr].kind else { return None };
    let parts = [in_acsl(program, at, left)?, in_acsl(program, at, right)?];
    Some(parts.map(|part| if part.contains(' ') { format!("({part})") } else { part }).join(" || "))
}

/// An expression as source text at a location; `None` if a name there does not mean the variable.
fn source_text(program: &Program, at: LocId, expr: ExprId) -> Option<String> {
    let text = frontend::source_text(program, Node::Expr(expr))?;
    (!cfa::display::mentions_temp(program, expr) && is_visible(program, at, Node::Expr(expr))).then_some(text)
}

fn is_visible(program: &Program, at: LocId, node: Node) -> bool {
    let named = |var: VarId| program.lookup(at, program.vars[var].name) == Some(Binding::Var(var));
    let own = match node {
        Node::Place(place) => match program.places[place].kind {
            PlaceKind::Var(var) => match program.vars[var].kind {
                VarKind::Result(_) => true,
                VarKind::Old(before) => is_visible(program, at, Node::Expr(before)),
                _ => named(var),
            },
            _ => true,
        },
        Node::Expr(expr) => !matches!(program.exprs[expr].kind, ExprKind::FuncAddr(_)),
    };
    own && children(program, node).into_iter().flatten().all(|child| is_visible(program, at, child))
}

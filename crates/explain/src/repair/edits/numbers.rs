//! Another constant: its neighbours, those that the program and its tests know, and those at a round distance.

use super::{Edit, Kind, MAX_OTHERS, Place};
use cfa::BinOp;
use frontend::TokenKind;

/// What people are wrong by when they write a number.
const DISTANCES: [i128; 20] = [2, 3, 4, 5, 6, 8, 10, 15, 16, 20, 25, 30, 40, 50, 60, 100, 150, 200, 300, 500];

impl Place<'_> {
    pub(super) fn constants(&self, edits: &mut Vec<Edit>) {
        for token in &self.tokens {
            if let TokenKind::Truth(value) = token.kind {
                edits.extend(self.operator(Kind::Constant, *token, TokenKind::Truth(!value)));
            }
        }
        for (index, token) in self.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Number) {
            let text = self.text(*token);
            let Ok(value) = text.parse::<i128>() else { continue };
            // A product with zero computes nothing.
            let multiplies = |at: Option<usize>| {
                at.and_then(|at| self.tokens.get(at)).is_some_and(|other| other.kind == TokenKind::Binary(BinOp::Mul))
            };
            let is_factor = multiplies(index.checked_sub(1)) || multiplies(Some(index + 1));
            // Neighbours first, then what the program says elsewhere, the nearest first.
            let mut others = self.constants.clone();
            others.sort_by_key(|other| (other - value).unsigned_abs());
            let near = [value + 1, value - 1];
            let others = others.into_iter().filter(|other| *other != value && !near.contains(other)).take(MAX_OTHERS);
            for new in near.into_iter().chain(others).filter(|new| !(is_factor && *new == 0)) {
                let what = format!("{new} instead of {value}");
                edits.push(Edit::replace(Kind::Constant, token.span.lo, token.span.hi, new.to_string(), what));
            }
            for new in DISTANCES.into_iter().flat_map(|distance| [value - distance, value + distance]) {
                if (new >= 0 || value < 0) && !self.constants.contains(&new) {
                    let what = format!("{new} instead of {value}");
                    edits.push(Edit::replace(Kind::Number, token.span.lo, token.span.hi, new.to_string(), what));
                }
            }
        }
    }
}

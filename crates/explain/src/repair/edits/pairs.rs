//! Two simple edits on one line.

use super::{Edit, Kind, Place};

/// Of each line.
const MAX_PAIRS: usize = 150;

impl Place<'_> {
    pub(super) fn pairs(&self, edits: &mut Vec<Edit>) {
        let simple = |edit: &&Edit| {
            edit.parts.len() == 1
                && matches!(edit.kind, Kind::Boundary | Kind::Operator | Kind::Update | Kind::Constant)
        };
        let single: Vec<Edit> = edits.iter().filter(simple).cloned().collect();
        let mut pairs = Vec::new();
        for (index, first) in single.iter().enumerate() {
            for second in &single[index + 1..] {
                let ([a], [b]) = (first.parts.as_slice(), second.parts.as_slice()) else { continue };
                // A product with zero computes nothing.
                let is_nothing = matches!((a.2.as_str(), b.2.as_str()), ("*", "0") | ("0", "*"));
                if !is_nothing && (a.1 <= b.0 || b.1 <= a.0) {
                    let mut parts = vec![a.clone(), b.clone()];
                    parts.sort();
                    let what = format!("{} and {}", first.what, second.what);
                    let simplicity = (first.kind as u32 + second.kind as u32, pairs.len());
                    pairs
                        .push((simplicity, Edit { parts, what, kind: Kind::Pair, shared_tokens: 0, definition: None }));
                }
            }
        }
        pairs.sort_by_key(|(simplicity, _)| *simplicity);
        edits.extend(pairs.into_iter().map(|(_, edit)| edit).take(MAX_PAIRS));
    }
}

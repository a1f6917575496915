//! Variables that the text only assigns constants to have one of these values. Unlike the values that were seen, none is missing.

use super::{Context, one_of};

pub fn propose(context: &mut Context<'_, '_>) {
    let columns = context.columns();
    let scope = context.scope;
    for (term, values) in scope.terms.iter().zip(&scope.assigned).filter(|(term, _)| term.written) {
        let Some(values) = values else { continue };
        let seen = columns.iter().find(|column| column.term.place == term.place);
        // It was not initialized everywhere.
        if seen.is_some_and(|column| column.values.iter().any(|value| values.binary_search(value).is_err())) {
            continue;
        }
        one_of(context, term.read, values);
    }
}

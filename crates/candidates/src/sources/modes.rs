//! Which values occur together, depending on a variable that the loop reads but does not write: it chooses how the program behaves.

use super::implications::{branches, guarded, part};
use super::{Context, exclusions};
use crate::import::Comparison;

/// Guards, and exclusions of one of them.
const MAX_GUARDS: usize = 24;
const MAX_EXCLUSIONS: usize = 12;

pub fn propose(context: &mut Context<'_, '_>) {
    let guards = branches(context);
    let modes = guards.into_iter().filter(|guard| !context.mentions_written(guard.left, guard.right));
    let modes: Vec<Comparison> = modes.take(MAX_GUARDS).collect();
    for guard in modes {
        if let Some(part) = part(context, guard) {
            let mut within = Context::new(context.builder, context.scope, &part);
            exclusions::propose(&mut within);
            let facts = within.proposed().into_iter().map(|fact| (fact, false)).collect();
            guarded(context, guard, &part, facts, MAX_EXCLUSIONS);
        }
    }
}

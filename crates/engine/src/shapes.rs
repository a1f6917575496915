//! Shape analysis as an engine: programs that build and walk linked lists of any length. The analysis is the crate `shapes`.
//!
//! Invariant: it never says that a property is violated: what may go wrong in an abstract state need not go wrong in a run.

use crate::induction::answer;
use crate::{Answer, Options};
use base::Budget;
use cfa::{Property, Task};
use encode::on_large_stack;
use evidence::{Proof, Reason, ShapeProof, Verdict};
use shapes::Trouble;
use std::sync::Arc;

const NAME: &str = "shapes";

/// Reads of memory that was never written are not followed.
pub fn supports(property: Property) -> bool {
    property != Property::Initialized
}

pub fn decide(task: Task<'_>, _: &Options, budget: &Budget) -> Answer {
    let verdict = match on_large_stack(|| shapes::analyze(task, budget)) {
        Ok(shapes) => {
            let (heads, states) = (shapes.states.len(), shapes.states.values().map(Vec::len).sum());
            Verdict::Safe(Proof::Shapes(ShapeProof { heads, states, certificate: Arc::new(shapes) }))
        }
        Err(Trouble::MayFail(edge)) => Verdict::Unknown(Reason::NotProved { edge }),
        Err(Trouble::Unsupported(edge, construct)) => Verdict::Unknown(Reason::Unsupported { construct, edge }),
        Err(Trouble::LeftOpen(edge, what)) => Verdict::Unknown(Reason::LeftOpen { what, edge }),
        Err(Trouble::Limit) => Verdict::Unknown(Reason::Budget { bound: 0 }),
    };
    answer(NAME, verdict)
}

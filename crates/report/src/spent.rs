//! What is known when the time or the memory for a question is used up, and what would help: how far the search came, which loop goes on, how much more time.

use crate::PlaceView;
use base::ids::Id;
use base::{Explored, Progress, SourceMap};
use cfa::{EdgeId, Op, Program};

/// More time is worth a try if it is this much more: one more bound often takes as long as all before it.
const MORE_TIME: u64 = 4;

pub struct Spent {
    pub known: String,
    pub help: String,
}

/// Where runs go on behind the last bound that was done, and how `--unwind-loop` names that; with recursion, nothing does.
fn goes_on(program: &Program, sources: &SourceMap, explored: Explored) -> Option<PlaceView> {
    if explored.goes_on >= program.edges.len() {
        return None;
    }
    let edge = &program.edges[EdgeId::from_index(explored.goes_on)];
    let head = program.locations[edge.to].loop_head.filter(|head| !sources.is_in_system_header(head.lo))?;
    (!matches!(edge.op, Op::Call { .. })).then(|| PlaceView::of(sources, head))?
}

impl Spent {
    /// `program` is absent where nobody can be asked about it any more.
    pub fn of(progress: &Progress, program: Option<(&Program, &SourceMap)>) -> Spent {
        let elapsed = progress.elapsed().as_secs_f64();
        let timeout = (elapsed.ceil() as u64).max(1) * MORE_TIME;
        let is_cyclic = program.is_some_and(|(program, _)| program.cycle.is_some());
        let restrict = match is_cyclic {
            true => "or restrict the inputs (--assume)",
            false => "or restrict the inputs (__VERIFIER_assume, or --assume with --entry)",
        };
        let Some(explored) = progress.explored() else {
            return Spent {
                known: "not even the shortest runs were all looked at".into(),
                help: format!("allow more (--timeout {timeout}, --memory), {restrict}"),
            };
        };
        let Explored { bound, done, .. } = explored;
        let done = done.as_secs_f64();
        let known = match bound {
            0 => "no violation on runs in which no loop goes another round".to_string(),
            1 => "no violation on runs in which no loop goes more than 1 round".to_string(),
            _ => format!("no violation on runs in which no loop goes more than {bound} rounds"),
        };
        let next = progress.bound().max(bound + 1);
        let more = format!(
            "allow more (--timeout {timeout}, --memory; bound {bound} was done after {done:.1} s, bound {next} was not after \
             {elapsed:.1} s)"
        );
        // What goes on there is the cycle.
        let place = program.filter(|_| !is_cyclic).and_then(|(program, sources)| goes_on(program, sources, explored));
        let limit = match place {
            Some(place) => format!(
                "; the loop at {}:{} goes on: --unwind-loop {}={bound} if it needs no more rounds",
                place.file, place.line, place.line
            ),
            None if is_cyclic => String::new(),
            None => "; --unwind N looks at runs with fewer rounds only".into(),
        };
        Spent { known, help: format!("{more}, {restrict}{limit}") }
    }
}

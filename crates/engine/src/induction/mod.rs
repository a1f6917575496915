//! k-induction with invariants (Beyer et al. 2022, section 4.3; Donaldson et al. 2011): loops are cut at their heads, and candidates for invariants are thrown out until
//! the rest is inductive (Houdini, Flanagan and Leino 2001). The number of rounds grows until nothing can go wrong, or the budget ends.
//! Between the attempts, property-directed reachability and abstraction refinement search for more candidates.
//!
//! Invariant: it never says that a property is violated: what can go wrong with loops cut need not go wrong in the program.

mod houdini;

use crate::blocks::{self, Stop};
use crate::pdr::{self, clauses};
use crate::system::Told;
use crate::traces;
use crate::{Answer, Options, cegar};
use base::Budget;
use cfa::analysis::Recursion;
use cfa::{Anchor, FuncId, Program, Task};
use encode::on_large_stack;
use evidence::{Invariant, Invariants, Proof, Reason, Verdict};
use houdini::{Attempt, EASY, HARD, Houdini};
use std::sync::Arc;
use std::time::Duration;

const NAME: &str = "induction";
/// Loops that end by tests of constants within so many rounds are unwound.
const UNWIND: u32 = 64;
/// More rounds in a row are left to unwinding.
const MAX_ROUNDS: u32 = 64;
/// How long abstract interpretation may take; it says less when it is stopped.
const ABSTRACTION: Duration = Duration::from_millis(300);
/// Candidates are usually thrown out in this time.
const USUAL: Duration = Duration::from_millis(400);
/// How long property-directed reachability may search before what it found is tried; later searches may take longer.
const FIRST_SEARCH: Duration = Duration::from_millis(500);

/// What is to be proved besides the property, and how.
#[derive(Clone, Copy)]
pub struct Goal<'g> {
    /// Conditions that are to be proved too, over expressions of the program.
    pub given: &'g [Invariant],
    /// Whether other invariants than the given ones may be used.
    pub proposes: bool,
    /// Loops that end by tests of constants within so many rounds are unwound.
    pub unwind: u32,
}

impl Goal<'_> {
    /// The property alone.
    pub const PROPERTY: Goal<'static> = Goal { given: &[], proposes: true, unwind: UNWIND };
}

pub fn decide(task: Task<'_>, _: &Options, budget: &Budget) -> Answer {
    answer(NAME, prove(&Goal::PROPERTY, task, budget))
}

/// Cuts every loop: for tests of the cutting.
pub fn decide_without_unwinding(task: Task<'_>, _: &Options, budget: &Budget) -> Answer {
    answer(NAME, prove(&Goal { unwind: 0, ..Goal::PROPERTY }, task, budget))
}

/// The answer of an engine that proves only.
pub(crate) fn answer(engine: &'static str, verdict: Verdict) -> Answer {
    let complete = matches!(verdict, Verdict::Safe(_));
    Answer { engine, verdict, bound: 0, violations: Vec::new(), complete, explored: None, checks: Vec::new() }
}

/// Safe with a proof by invariants, among them all that are given; or unknown.
pub fn prove(goal: &Goal<'_>, task: Task<'_>, budget: &Budget) -> Verdict {
    on_large_stack(|| schedule(goal, task, budget))
}

/// What is known when the first attempts are over.
pub(crate) enum Begun {
    Decided(Verdict),
    /// The program with the expressions of all candidates, the candidates with the given ones first, and those that are inductive.
    Open {
        program: Arc<Program>,
        proposed: Vec<Invariant>,
        known: Vec<Invariant>,
    },
}

/// Candidates for invariants; their expressions are added to the program.
pub(crate) type Propose = fn(&mut Program, FuncId, &Budget) -> Vec<Invariant>;

/// The first attempts: without invariants, then with what is proposed. Where this takes longer than usual, `or_else` is tried in between.
pub(crate) fn begin(
    goal: &Goal<'_>,
    propose: Propose,
    task: Task<'_>,
    budget: &Budget,
    or_else: impl FnOnce() -> Option<Verdict>,
) -> Begun {
    // Many loops need no invariants, or none that is not in their own conditions. Where nothing may be added, only more rounds can help.
    let first_rounds: &[u32] = if goal.proposes { &[0] } else { &[0, 1, 2, 4, 8] };
    let mut last = Reason::Budget { bound: 0 };
    for rounds in first_rounds {
        match Houdini::new(task, goal.given, goal, budget).attempt(*rounds) {
            Attempt::Proved(conditions) => {
                return Begun::Decided(proved(goal, Arc::new(task.program.clone()), conditions, *rounds));
            }
            Attempt::Failed(edge) => last = Reason::NotProved { edge },
            Attempt::OutOfBudget => last = Reason::Budget { bound: *rounds },
        }
    }
    if !goal.proposes {
        return Begun::Decided(Verdict::Unknown(last));
    }
    let mut program = task.program.clone();
    let mut proposed = goal.given.to_vec();
    proposed.extend(propose(&mut program, task.entry, budget));
    let program = Arc::new(program);
    let mut search = Houdini::new(task.about(&program), &proposed, goal, budget);
    let soon = budget.within(USUAL);
    let (mut known, mut tried) = search.attempt_or_keep(&soon);
    if matches!(tried, Attempt::OutOfBudget) && !budget.expired() {
        if let Some(verdict) = or_else() {
            return Begun::Decided(verdict);
        }
        (known, tried) = search.attempt_or_keep(budget);
    }
    drop(search);
    match tried {
        Attempt::Proved(conditions) => Begun::Decided(proved(goal, program, conditions, 0)),
        Attempt::OutOfBudget => Begun::Decided(Verdict::Unknown(Reason::Budget { bound: 0 })),
        Attempt::Failed(_) => Begun::Open { program, proposed, known },
    }
}

/// Candidates that a search found.
pub(crate) enum Found<'f> {
    /// It goes on.
    SoFar(&'f [Invariant]),
    AtTheEnd(&'f [Invariant]),
}

/// Tries to prove the property by plain induction with invariants that are known and candidates that a search found. A search that ended found something
/// that is inductive as a whole: a part that is hard to decide must not be thrown out.
pub(crate) fn check(
    goal: &Goal<'_>,
    task: Task<'_>,
    program: Arc<Program>,
    known: &[Invariant],
    found: Found<'_>,
    budget: &Budget,
) -> Verdict {
    let mut all = goal.given.to_vec();
    all.extend(known.iter().filter(|known| !goal.given.contains(known)));
    let (found, patience) = match found {
        Found::SoFar(found) => (found, EASY),
        Found::AtTheEnd(found) => (found, HARD),
    };
    all.extend(found);
    let mut search = Houdini::new(task.about(&program), &all, goal, budget);
    search.patience = patience;
    match search.attempt(0) {
        Attempt::Proved(conditions) => proved(goal, program.clone(), conditions, 0),
        Attempt::Failed(edge) => Verdict::Unknown(Reason::NotProved { edge }),
        Attempt::OutOfBudget => Verdict::Unknown(Reason::Budget { bound: 0 }),
    }
}

fn proved(goal: &Goal<'_>, program: Arc<Program>, conditions: Vec<Invariant>, rounds: u32) -> Verdict {
    Verdict::Safe(Proof::Invariants(Invariants { program, conditions, rounds, unwind: goal.unwind }))
}

fn schedule(goal: &Goal<'_>, task: Task<'_>, budget: &Budget) -> Verdict {
    // Candidates that are slow to throw out belong to programs with much control flow, and these often need the values of a few variables only. Of recursion
    // such a search knows nothing.
    let try_values = || {
        if !Recursion::of(task.program).functions().is_empty() {
            return None;
        }
        let verdict = cegar::prove(&cegar::VALUES, goal, task, &budget.within(2 * USUAL));
        matches!(verdict, Verdict::Safe(_)).then_some(verdict)
    };
    let (first, mut proposed, known) = match begin(goal, propose, task, budget, try_values) {
        Begun::Decided(verdict) => return verdict,
        Begun::Open { program, proposed, known } => (program, proposed, known),
    };
    let mut program = (*first).clone();
    // From here on with more rounds in a row each time, and with what property-directed reachability found so far.
    // It knows no contracts: recursion is something that goes wrong there.
    let mut reachability = pdr::Reachability::new(task.about(&first), &known, goal.unwind, budget);
    let own = proposed.len();
    let mut time = FIRST_SEARCH;
    let mut rounds = 1;
    let mut abstractions: Option<Vec<Box<dyn blocks::Search + '_>>> = None;
    loop {
        let mut clauses = Vec::new();
        if let Some(search) = &mut reachability {
            match search.run(&budget.within(time)) {
                pdr::Found::Clauses(found) => {
                    clauses = found;
                    reachability = None;
                }
                pdr::Found::OutOfBudget => clauses = search.clauses(2),
                pdr::Found::Nothing => reachability = None,
            }
        }
        time *= 2;
        if !clauses.is_empty() {
            let found = clauses::invariants(&mut program, &clauses);
            let extended = Arc::new(program.clone());
            if let safe @ Verdict::Safe(_) = check(goal, task, extended, &known, Found::SoFar(&found), budget) {
                return safe;
            }
            proposed.truncate(own);
            proposed.extend(found);
        }
        let extended = Arc::new(program.clone());
        match Houdini::new(task.about(&extended), &proposed, goal, budget).attempt(rounds) {
            Attempt::Proved(conditions) => return proved(goal, extended.clone(), conditions, rounds),
            Attempt::OutOfBudget => return Verdict::Unknown(Reason::Budget { bound: rounds }),
            Attempt::Failed(edge)
                if rounds >= MAX_ROUNDS
                    && reachability.is_none()
                    && abstractions.as_ref().is_some_and(Vec::is_empty) =>
            {
                return Verdict::Unknown(Reason::NotProved { edge });
            }
            Attempt::Failed(_) => rounds = (rounds * 2).min(MAX_ROUNDS),
        }
        // What is proved without abstraction was proved before it begins.
        let searches = abstractions.get_or_insert_with(|| {
            let told = Told { known: &known, seeds: goal.given };
            let task = task.about(&first);
            let refine = |domain| cegar::begin(domain, task, told, goal.unwind, budget);
            let traces = traces::begin(task, told, goal.unwind, budget);
            cegar::DOMAINS.iter().copied().filter_map(refine).chain(traces).collect()
        });
        if let Some((extended, found)) = refine(searches, &program, &budget.within(time))
            && let safe @ Verdict::Safe(_) =
                check(goal, task, Arc::new(extended), &known, Found::AtTheEnd(&found), budget)
        {
            return safe;
        }
    }
}

/// Gives every search a part of the time, and removes those that are over. The candidates of the first that found some, with the program that has their
/// expressions.
fn refine(
    searches: &mut Vec<Box<dyn blocks::Search + '_>>,
    program: &Program,
    budget: &Budget,
) -> Option<(Program, Vec<Invariant>)> {
    let mut at = 0;
    while at < searches.len() {
        let part = budget.share((searches.len() - at) as u32);
        match searches[at].run(&part) {
            Ok(()) => {
                let mut extended = program.clone();
                let found = searches.remove(at).invariants(&mut extended);
                return Some((extended, found));
            }
            Err(Stop::OutOfBudget) => at += 1,
            Err(Stop::Feasible | Stop::Stuck) => {
                searches.remove(at);
            }
        }
    }
    None
}

/// What abstract interpretation knows, and what is true of some runs.
fn propose(program: &mut Program, entry: FuncId, budget: &Budget) -> Vec<Invariant> {
    let mut all = facts(program, entry, budget);
    let guesses = candidates::propose(program, entry, budget, &candidates::SamplingOptions::default());
    all.extend(guesses.into_iter().map(|one| Invariant { anchor: one.anchor, expr: one.expr }));
    all
}

/// What abstract interpretation knows.
pub(crate) fn facts(program: &mut Program, entry: FuncId, budget: &Budget) -> Vec<Invariant> {
    let facts = abstraction::loop_facts(program, entry, &budget.within(ABSTRACTION));
    facts.into_iter().map(|(head, expr)| Invariant { anchor: Anchor::Head(head), expr }).collect()
}

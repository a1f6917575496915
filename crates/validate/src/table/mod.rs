//! What a violation witness says, as one table for all formats and validators: which state of the witness goes where at which moment of a run,
//! and which violations count. [`automaton`] and [`sequence`] read the formats; `statics` follows a table with conditions, `interpret`
//! with values.

pub mod automaton;
pub mod sequence;

use crate::WitnessTask;
use crate::condition::{Check, Conditions};
use crate::places::Places;
use cfa::{EdgeId, FuncId, Property};
use encode::Moment;
use sequence::Reading;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use witness::model::{Content, Segment};
use witness::program::Source;
use witness::{Automaton, Witness};

/// Why a witness is given up before anything is executed.
pub const TOO_LARGE: &str = "the witness is too large to be related to the program in the given time";

/// What the states do at one moment, by state.
pub type Groups = BTreeMap<u32, Group>;

/// Where a state goes at a moment.
pub struct Group {
    pub rules: Vec<Rule>,
    pub stays: Stays,
}

pub struct Rule {
    /// `None` = sink state: the witness does not describe runs that pass the rule.
    pub to: Option<u32>,
    pub check: Check,
    /// The condition as it is written: `interpret` chooses inputs by it.
    pub text: Arc<str>,
    /// The line of the program, for messages.
    pub line: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stays {
    /// It may also wait for a later match.
    Always,
    Never,
    /// Unless a rule is passed; and where one that leads nowhere is passed, no other counts.
    Otherwise,
    /// The same, but some rule must be passed.
    Must,
}

impl Stays {
    /// Whether a rule that leads nowhere is stronger than the others.
    pub fn forbids(self) -> bool {
        matches!(self, Stays::Otherwise | Stays::Must)
    }
}

/// A rule of a state, without its check.
pub struct Leaving {
    pub moment: Moment,
    pub to: Option<u32>,
    pub text: Arc<str>,
}

#[derive(Default)]
pub struct Table {
    pub start: u32,
    /// How far along each state is on the way to the violation, and how long the way is.
    pub depth: Vec<usize>,
    pub total: usize,
    /// What each state waits for, for messages.
    pub waits_for: Vec<String>,
    pub groups: HashMap<Moment, Groups>,
    /// The functions whose entering has rules, by call.
    entering: HashMap<EdgeId, Vec<FuncId>>,
    /// Steps without an operation in our automata, taken at the start: declarations outside of functions.
    pub silent: Vec<(u32, Rule)>,
    /// The rules of a state in the order of the witness; of those that say the same, only some.
    leaving: HashMap<u32, Vec<Leaving>>,
    pub accepting: HashSet<u32>,
    /// In these states a violation counts on these edges.
    pub targets: HashMap<u32, HashSet<EdgeId>>,
    /// Places of the witness without an operation in our automata, though the program does something there: jumps and labels are no
    /// operations of ours.
    pub missing: Vec<String>,
    /// Places where the text of the program shows that nothing of the kind happens.
    pub contradicted: Vec<String>,
}

/// What a violation witness is made of.
pub enum ViolationContent<'w> {
    Automaton(&'w Automaton),
    Sequence(&'w [Segment]),
}

pub fn violation_content(witness: &Witness) -> Result<ViolationContent<'_>, String> {
    match witness {
        Witness::Automaton(automaton) => Ok(ViolationContent::Automaton(automaton)),
        Witness::Entries(entries) => match &entries[..] {
            [entry] => match &entry.content {
                Content::Violation(segments) => Ok(ViolationContent::Sequence(segments)),
                Content::Invariants(_) | Content::Ghosts(_) => Err("not a violation witness".into()),
            },
            _ => Err("a violation witness with several entries is not supported".into()),
        },
    }
}

/// The table of a violation witness, or what about it is not supported.
pub fn table(witness_task: &WitnessTask<'_>, conditions: &mut Conditions, reading: Reading) -> Result<Table, String> {
    let violation_content = violation_content(witness_task.witness)?;
    let source = Source::new(witness_task.sources, witness_task.file, Some(witness_task.task.program))
        .ok_or_else(|| format!("{} is not part of the program", witness_task.file))?;
    let places = Places::new(&source, witness_task.task.program);
    match violation_content {
        ViolationContent::Automaton(automaton) => {
            automaton::table(automaton, &places, conditions, witness_task.task.entry, witness_task.budget)
        }
        ViolationContent::Sequence(segments) => {
            sequence::table(segments, &places, conditions, reading, witness_task.budget)
        }
    }
}

impl Table {
    /// A place without an operation, for messages.
    pub fn nothing_at(&self) -> Option<&str> {
        self.missing.iter().chain(&self.contradicted).map(String::as_str).next()
    }

    pub fn rule(&mut self, moment: Moment, from: u32, stays: Stays, rule: Rule) {
        if let Moment::Enter(edge, function) = moment {
            let known = self.entering.entry(edge).or_default();
            if !known.contains(&function) {
                known.push(function);
            }
        }
        self.note(moment, from, &rule);
        let group = self.groups.entry(moment).or_default().entry(from).or_insert(Group { rules: Vec::new(), stays });
        group.rules.push(rule);
        if matches!(stays, Stays::Always | Stays::Must) {
            group.stays = stays;
        }
    }

    /// A step before the first operation.
    pub fn silent_rule(&mut self, entry: FuncId, from: u32, rule: Rule) {
        self.note(Moment::Start(entry), from, &rule);
        self.silent.push((from, rule));
    }

    fn note(&mut self, moment: Moment, from: u32, rule: &Rule) {
        const ENOUGH: usize = 8;
        let leaving = self.leaving.entry(from).or_default();
        let known = |found: &Leaving| found.to == rule.to && found.text == rule.text;
        if leaving.len() < ENOUGH || !leaving.iter().any(known) {
            leaving.push(Leaving { moment, to: rule.to, text: rule.text.clone() });
        }
    }

    pub fn leaving(&self, state: u32) -> &[Leaving] {
        self.leaving.get(&state).map_or(&[], Vec::as_slice)
    }

    /// The rules of a state at a moment.
    pub fn at(&self, moment: Moment, state: u32) -> &[Rule] {
        let group = self.groups.get(&moment).and_then(|groups| groups.get(&state));
        group.map_or(&[], |group| &group.rules)
    }

    /// The rules that lead to the violation, and may be passed at the same time as a violation on an edge.
    pub fn last_rules(&self, state: u32, edge: EdgeId) -> impl Iterator<Item = &Rule> {
        let functions = self.entering.get(&edge).into_iter().flatten();
        let moments = functions.map(move |function| Moment::Enter(edge, *function)).chain([Moment::After(edge)]);
        let rules = moments.flat_map(move |moment| self.at(moment, state));
        rules.filter(|rule| rule.to.is_some_and(|to| self.accepting.contains(&to)))
    }

    /// Whether a violation on an edge counts in a state, whatever else holds. What is never freed is noticed anywhere, and witnesses say where
    /// they want: there the state is enough.
    pub fn accepts(&self, state: u32, edge: Option<EdgeId>, property: Property) -> bool {
        let at =
            |edges: &HashSet<EdgeId>| property.is_about_the_end() || edge.is_some_and(|edge| edges.contains(&edge));
        self.accepting.contains(&state) || self.targets.get(&state).is_some_and(at)
    }

    /// The same, some rule of the edge perhaps passed at once.
    pub fn may_accept(&self, state: u32, edge: EdgeId, property: Property) -> bool {
        self.accepts(state, Some(edge), property) || self.last_rules(state, edge).next().is_some()
    }
}

//! What holds in every cycle of a reactive program, in the patterns that PLCverif has.

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Requirement {
    pub name: String,
    pub pattern: Pattern,
    /// Conditions in the language of the program.
    pub parameters: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// The assertions of the text itself.
    Assertions,
    Invariant,
    Forbidden,
    Implication,
    NextCycle,
    ChangeDuringCycle,
    ChangeBetweenCycles,
    Reachability,
    LeadsTo,
    Repeatability,
    /// Of a test: in a cycle, from 1, a variable has these values. The parameters are the number, the variable and the values of its parts.
    AtCycle,
    /// Nothing that is required, but what is assumed at the beginning of every cycle.
    Assumed,
}

impl Pattern {
    /// Patterns with the names that PLCverif has for them, how many parameters they have, and what they say.
    pub const ALL: &[(Pattern, &'static str, usize, &'static str)] = &[
        (Pattern::Assertions, "assertion", 0, "The assertions in the text hold."),
        (Pattern::Invariant, "pattern-invariant", 1, "{1} is always true at the end of the PLC cycle."),
        (Pattern::Forbidden, "pattern-forbidden", 1, "{1} is impossible at the end of the PLC cycle."),
        (
            Pattern::Implication,
            "pattern-implication",
            2,
            "If {1} is true at the end of the PLC cycle, then {2} should always be true at the end of the same cycle.",
        ),
        (
            Pattern::NextCycle,
            "pattern-implication-nextcycle",
            2,
            "If {1} is true at the end of a PLC cycle, then {2} should always be true at the end of the next cycle.",
        ),
        (
            Pattern::ChangeDuringCycle,
            "pattern-statechange-duringcycle",
            2,
            "If {1} is true at the beginning of the PLC cycle, then {2} is always true at the end of the same cycle.",
        ),
        (
            Pattern::ChangeBetweenCycles,
            "pattern-statechange-betweencycles",
            3,
            "If {1} is true at the end of cycle N and {2} is true at the end of cycle N+1, then {3} is always true at the end of cycle N+1.",
        ),
        (Pattern::Reachability, "pattern-reachability", 1, "It is possible to have {1} at the end of a cycle."),
        (
            Pattern::LeadsTo,
            "pattern-leadsto",
            2,
            "If {1} is true at the end of a cycle, {2} was true at the end of an earlier cycle.",
        ),
        (
            Pattern::Repeatability,
            "pattern-repeatability",
            1,
            "Any time it is possible to have eventually {1} at the end of a cycle.",
        ),
        (Pattern::AtCycle, "expectation", 2, "At the end of cycle {1}, {2} has the expected value."),
        (Pattern::Assumed, "assumed", 1, "{1} is assumed at the beginning of every PLC cycle."),
    ];

    /// By its name, with or without `pattern-`.
    pub fn named(name: &str) -> Option<Pattern> {
        let own = |known: &str| known == name || known.strip_prefix("pattern-") == Some(name);
        Pattern::ALL.iter().find(|(_, known, ..)| own(known)).map(|(pattern, ..)| *pattern)
    }

    fn entry(self) -> &'static (Pattern, &'static str, usize, &'static str) {
        Pattern::ALL.iter().find(|(pattern, ..)| *pattern == self).unwrap_or(&Pattern::ALL[0])
    }

    pub fn parameters(self) -> usize {
        self.entry().2
    }
}

impl Requirement {
    /// What it says, and where in that each parameter stands.
    pub fn sentence(&self) -> (String, Vec<usize>) {
        let mut text = String::new();
        let mut places = vec![0; self.parameters.len()];
        let mut rest = self.pattern.entry().3;
        while let Some((before, behind)) = rest.split_once('{') {
            text.push_str(before);
            let (number, behind) = behind.split_once('}').unwrap_or(("", behind));
            let index = number.parse::<usize>().unwrap_or(1) - 1;
            if let Some(parameter) = self.parameters.get(index) {
                places[index] = text.len();
                text.push_str(parameter);
            }
            rest = behind;
        }
        text.push_str(rest);
        (text, places)
    }
}

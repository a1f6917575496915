//! Finite sets of values: what a variable that holds a state, a flag or an option can be. Operations are carried out for each value.

/// Values of one set; more are left to the other domains.
pub const MAX_VALUES: usize = 16;

/// The bits of the values, ascending; not empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueSet {
    pub values: Vec<u64>,
}

impl ValueSet {
    /// `None`: too many.
    pub fn of(values: impl IntoIterator<Item = u64>) -> Option<ValueSet> {
        let mut values: Vec<u64> = values.into_iter().collect();
        values.sort_unstable();
        values.dedup();
        (!values.is_empty() && values.len() <= MAX_VALUES).then_some(ValueSet { values })
    }

    pub fn join(&self, other: &ValueSet) -> Option<ValueSet> {
        ValueSet::of(self.values.iter().chain(&other.values).copied())
    }

    pub fn contains(&self, bits: u64) -> bool {
        self.values.binary_search(&bits).is_ok()
    }
}

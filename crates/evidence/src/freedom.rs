//! What an input may be without changing the failure.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Freedom {
    /// Anything.
    DontCare,
    /// Any integer from the first to the second; every other one next to them gives another run.
    Range(i128, i128),
    /// Not known: not checked, the budget ended, or it is no number.
    Unknown,
}

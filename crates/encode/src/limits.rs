//! Bounds that the user sets for single loops and functions. They take the place of the bound for all, and do not grow.

use cfa::{FuncId, LocId};
use rustc_hash::FxHashMap;

#[derive(Clone, Default, Debug)]
pub struct Limits {
    /// How often a loop may be entered again, by its head.
    pub loops: FxHashMap<LocId, u32>,
    /// How deep a function may call itself.
    pub functions: FxHashMap<FuncId, u32>,
}

impl Limits {
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty() && self.functions.is_empty()
    }
}

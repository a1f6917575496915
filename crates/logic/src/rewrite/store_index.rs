//! Fast reads of long chains of stores at constant indices.
//!
//! A read that has to walk far leaves a persistent map (index → newest value) at the store where it began, built on the
//! next map below. So a chain of n stores with reads in between costs O(n log n), in any order, and chains that
//! are never read cost nothing. The map is a 16-way trie on scrambled ids; nodes of finished maps are shared, never changed.

use crate::term::TermId;
use rustc_hash::FxHashMap;

/// Walks longer than this leave a map behind.
pub(super) const LONG_WALK: usize = 32;

#[derive(Default)]
pub(crate) struct StoreIndex {
    maps: FxHashMap<TermId, Map>,
    nodes: Vec<Trie>,
    leaves: Vec<(TermId, TermId)>,
    /// Nodes made by the map under construction may be changed in place.
    generation: u32,
    /// Reads at constant indices of arrays that are choices.
    pub(super) choices: FxHashMap<(TermId, TermId), TermId>,
}

#[derive(Clone, Copy)]
pub(super) struct Map {
    root: Slot,
    /// The first array below that is not a store at a constant index.
    pub base: TermId,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Slot(u32);

impl Slot {
    const EMPTY: Slot = Slot(0);
    const LEAF: u32 = 1 << 31;
}

struct Trie {
    slots: [Slot; 16],
    generation: u32,
}

/// An odd multiplier permutes the 32-bit numbers, so different keys differ in some digit.
fn scramble(key: TermId) -> u32 {
    key.0.wrapping_mul(0x9e37_79b1).swap_bytes()
}

impl StoreIndex {
    #[inline]
    pub(super) fn map(&self, array: TermId) -> Option<Map> {
        if self.maps.is_empty() { None } else { self.maps.get(&array).copied() }
    }

    pub(super) fn get(&self, map: Map, index: TermId) -> Option<TermId> {
        let hash = scramble(index);
        let (mut slot, mut shift) = (map.root, 0);
        loop {
            if slot == Slot::EMPTY {
                return None;
            }
            if slot.0 & Slot::LEAF != 0 {
                let (key, value) = self.leaves[(slot.0 & !Slot::LEAF) as usize];
                return (key == index).then_some(value);
            }
            slot = self.nodes[slot.0 as usize - 1].slots[(hash >> shift & 15) as usize];
            shift += 4;
        }
    }

    /// Puts a map at `array`: `writes` (newest first) over the map `below`, if there is one.
    pub(super) fn build(&mut self, array: TermId, below: Option<Map>, base: TermId, writes: &[(TermId, TermId)]) {
        self.generation += 1;
        let mut root = below.map_or(Slot::EMPTY, |map| map.root);
        for &(index, value) in writes.iter().rev() {
            root = self.insert(root, index, value);
        }
        self.maps.insert(array, Map { root, base });
    }

    fn insert(&mut self, root: Slot, index: TermId, value: TermId) -> Slot {
        let hash = scramble(index);
        let leaf = Slot(self.leaves.len() as u32 | Slot::LEAF);
        self.leaves.push((index, value));
        let mut result = root;
        // The place of the slot to change: none for the root, else a node and a digit.
        let mut place: Option<(usize, usize)> = None;
        let mut shift = 0;
        loop {
            let slot = match place {
                None => result,
                Some((node, digit)) => self.nodes[node].slots[digit],
            };
            let new = if slot == Slot::EMPTY {
                leaf
            } else if slot.0 & Slot::LEAF != 0 {
                let (key, _) = self.leaves[(slot.0 & !Slot::LEAF) as usize];
                if key == index {
                    leaf
                } else {
                    let mut slots = [Slot::EMPTY; 16];
                    slots[(scramble(key) >> shift & 15) as usize] = slot;
                    self.push(slots)
                }
            } else {
                self.own(slot)
            };
            match place {
                None => result = new,
                Some((node, digit)) => self.nodes[node].slots[digit] = new,
            }
            if new == leaf {
                return result;
            }
            place = Some((new.0 as usize - 1, (hash >> shift & 15) as usize));
            shift += 4;
        }
    }

    /// The node itself if it is of this generation, else a copy.
    fn own(&mut self, slot: Slot) -> Slot {
        let node = &self.nodes[slot.0 as usize - 1];
        if node.generation == self.generation {
            return slot;
        }
        let slots = node.slots;
        self.push(slots)
    }

    fn push(&mut self, slots: [Slot; 16]) -> Slot {
        self.nodes.push(Trie { slots, generation: self.generation });
        Slot(self.nodes.len() as u32)
    }
}

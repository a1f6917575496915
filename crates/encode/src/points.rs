//! Loop heads as places where executions begin. The program becomes a transition system: a step goes from the start of the program or from a head to the
//! next head, and what is between them is executed as one formula (large blocks; Beyer et al. 2009). A variable, the program counter, says where the
//! step begins, so that the paths of different steps exclude each other and can be merged like others.
//!
//! The state at a head has a fresh variable for everything that is not the same constant whenever the head is reached. Arrays are abstracted: nothing is
//! known about them at a head.

use crate::changes::CellPlace;
use crate::encoder::{Encoder, ObjectKey};
use crate::exec::Run;
use crate::guard::Guard;
use crate::order::Round;
use crate::state::State;
use cfa::{Anchor, EdgeId, LocId, VarId};
use logic::TermId;
use std::rc::Rc;

const COUNTER_BITS: u32 = 16;

/// A loop head of one context.
#[derive(Clone)]
pub struct Point {
    pub head: LocId,
    /// That the step begins here.
    pub here: TermId,
    pub cells: Vec<PointCell>,
    /// That the candidates hold in the state of the point; nothing assumes it.
    pub known: Vec<TermId>,
    /// How steps end here: when, and the values of the cells then.
    pub arrivals: Vec<(TermId, Vec<TermId>)>,
}

/// Something that the state at a point has a variable for, a number or a Boolean.
#[derive(Clone, Copy, Debug)]
pub struct PointCell {
    pub term: TermId,
    /// The variable that it is (a part of), the offset and the size in bytes, if the function of the head can name it.
    pub place: Option<(VarId, u64, u64)>,
}

impl Encoder<'_> {
    /// That a step begins at a point, counted from 1; 0 is the start of the program.
    pub fn begins_at(&mut self, number: usize) -> TermId {
        let counter = self.input_var("program counter".into(), COUNTER_BITS);
        let number = self.pool.bv(COUNTER_BITS, number as u128);
        self.pool.eq(counter, number)
    }
}

impl Run<'_, '_> {
    pub fn is_flat(&self) -> bool {
        self.encoder.cut.as_ref().is_some_and(|cut| cut.flat)
    }

    /// A path comes to a loop head: the step ends, and another one begins.
    pub fn begin_at(&mut self, round: Round, entry: State) -> Vec<(EdgeId, State)> {
        let key = (self.context(), round.head);
        let mut changes = self.encoder.known_loops.changes.remove(&key).unwrap_or_default();
        changes.add_open(&self.encoder.pool, &mut self.encoder.known_loops.closed, &entry);
        let index = self.out.points.len();
        let here = self.encoder.begins_at(index + 1);
        self.out.points.push(Point {
            head: round.head,
            here,
            cells: Vec::new(),
            known: Vec::new(),
            arrivals: Vec::new(),
        });
        let (counts, cuts, noted) = (self.activation().loops.clone(), self.cuts, self.out.obligations.len());
        loop {
            let mut head = self.arbitrary(&entry, &changes);
            head.guard = Guard::TRUE.and(self.pool(), here);
            // They are known on the path that came here, not in every step that begins here.
            head.bytes = Rc::default();
            head.ranges = Rc::default();
            let exits = self.counted_round(round, head.clone());
            let grown = exits.back.as_ref().is_some_and(|back| changes.grow(&self.encoder.pool, &head, back));
            if grown && !self.out.interrupted {
                self.out.obligations.truncate(noted);
                self.out.points.truncate(index + 1);
                self.activation().loops = counts.clone();
                self.cuts = cuts;
                continue;
            }
            let cells = self.cells_of(&head, &head, &changes);
            let cells = cells.into_iter().map(|(place, term)| PointCell { term, place: self.named_place(place) });
            let cells: Vec<PointCell> = cells.collect();
            let mut arrivals = Vec::new();
            for state in [Some(&entry), exits.back.as_ref()].into_iter().flatten() {
                let values: Vec<TermId> =
                    self.cells_of(&head, state, &changes).into_iter().map(|(_, term)| term).collect();
                let guard = state.guard.term(self.pool());
                debug_assert_eq!(values.len(), cells.len());
                arrivals.push((guard, values));
            }
            let known = self.candidates_at(Anchor::Head(round.head));
            self.out.points[index].known = known.iter().map(|one| self.holds(&head, one.expr)).collect();
            self.out.points[index].cells = cells;
            self.out.points[index].arrivals = arrivals;
            self.encoder.known_loops.changes.insert(key, changes);
            return exits.left;
        }
    }

    /// The variable that a cell is a part of, if the running function can name it.
    fn named_place(&self, place: CellPlace) -> Option<(VarId, u64, u64)> {
        let activation = self.stack.last()?;
        match place {
            CellPlace::Register(slot) => {
                let var = VarId(activation.first_var + slot as u32);
                let size = self.program.types.size_of(self.program.vars[var].ty)?;
                Some((var, 0, size))
            }
            CellPlace::Memory { object, offset, size } => match self.encoder.object_keys[object as usize] {
                ObjectKey::Global(var) => Some((var, offset, size)),
                ObjectKey::Local(context, var, _) if context == activation.context => Some((var, offset, size)),
                _ => None,
            },
            CellPlace::Elsewhere => None,
        }
    }
}

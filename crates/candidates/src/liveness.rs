//! Which variables of a function matter at its locations: those that may be read before they are written again. What is true of another variable
//! that the loop writes is of no use at its head. Variables in memory (whose address is taken, arrays, structures) always matter.

use crate::effects::edges;
use base::ids::Id;
use cfa::walk::{Node, children, parts};
use cfa::{EdgeId, FuncId, LocId, Op, PlaceId, PlaceKind, Program, VarId};

/// Sets of variables, one for each location of a function.
pub struct Liveness {
    first_location: u32,
    first_var: u32,
    /// Variables without their own object, which can be dead.
    tracked: Vec<u64>,
    live: Vec<Vec<u64>>,
}

impl Liveness {
    pub fn of(program: &Program, function: FuncId) -> Option<Self> {
        let automaton = program.automaton(function)?;
        let words = automaton.vars.len().div_ceil(64);
        let mut tracked = vec![0; words];
        for var in automaton.vars.clone() {
            let data = &program.vars[VarId(var)];
            let own = data.kind.function() == Some(function);
            if own && program.types.is_scalar(data.ty) && !data.address_taken {
                let bit = (var - automaton.vars.start) as usize;
                tracked[bit / 64] |= 1 << (bit % 64);
            }
        }
        let mut liveness = Liveness {
            first_location: automaton.locations.start,
            first_var: automaton.vars.start,
            tracked,
            live: vec![vec![0; words]; automaton.locations.len()],
        };
        liveness.solve(program, function);
        Some(liveness)
    }

    /// Whether a variable of the function may be read after the location before it is written.
    pub fn is_live(&self, at: LocId, var: VarId) -> bool {
        let Some(bit) = var.0.checked_sub(self.first_var).map(|bit| bit as usize) else { return true };
        let set = &self.live[(at.0 - self.first_location) as usize];
        let contains = |set: &[u64]| set.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1);
        !contains(&self.tracked) || contains(set)
    }

    fn solve(&mut self, program: &Program, function: FuncId) {
        let mut entering: Vec<Vec<EdgeId>> = vec![Vec::new(); self.live.len()];
        let mut open: Vec<EdgeId> = Vec::new();
        for edge in edges(program, function) {
            entering[self.index(program.edges[edge].to)].push(edge);
            open.push(edge);
        }
        // Control mostly goes on to later locations, so the last edges come first.
        while let Some(edge) = open.pop() {
            let data = &program.edges[edge];
            let mut set = self.live[self.index(data.to)].clone();
            if let Some(var) = overwritten(program, &data.op) {
                self.set(&mut set, var, false);
            }
            uses(program, &data.op, |var| self.set(&mut set, var, true));
            let from = self.index(data.from);
            let mut grown = false;
            for (old, new) in self.live[from].iter_mut().zip(set) {
                grown |= new & !*old != 0;
                *old |= new;
            }
            if grown {
                open.extend(&entering[from]);
            }
        }
    }

    fn index(&self, location: LocId) -> usize {
        location.index() - self.first_location as usize
    }

    fn set(&self, set: &mut [u64], var: VarId, live: bool) {
        let Some(bit) = var.0.checked_sub(self.first_var).map(|bit| bit as usize) else { return };
        let Some(word) = set.get_mut(bit / 64) else { return };
        match live {
            true => *word |= 1 << (bit % 64),
            false => *word &= !(1 << (bit % 64)),
        }
    }
}

/// The variable that an operation writes as a whole.
fn overwritten(program: &Program, op: &Op) -> Option<VarId> {
    let place = match *op {
        Op::Assign(place, _) | Op::Havoc(place, _) | Op::Call { dest: Some(place), .. } => place,
        Op::Declare(var) | Op::Alloca(var, _) | Op::Kill(var) => return Some(var),
        _ => return None,
    };
    match program.places[place].kind {
        PlaceKind::Var(var) => Some(var),
        _ => None,
    }
}

/// The variables that an operation reads.
fn uses(program: &Program, op: &Op, mut visit: impl FnMut(VarId)) {
    let written = match *op {
        Op::Assign(place, _) | Op::Havoc(place, _) | Op::Call { dest: Some(place), .. } => Some(place),
        _ => None,
    };
    let mut open = Vec::new();
    parts(program, op, |node| {
        if written.is_none_or(|place| node != Node::Place(place)) {
            open.push(node);
        }
    });
    written.into_iter().for_each(|place| address_parts(program, place, &mut open));
    while let Some(node) = open.pop() {
        if let Node::Place(place) = node
            && let PlaceKind::Var(var) = program.places[place].kind
        {
            visit(var);
        }
        open.extend(children(program, node).into_iter().flatten());
    }
}

/// What is read to find a place that is written.
fn address_parts(program: &Program, mut place: PlaceId, open: &mut Vec<Node>) {
    loop {
        match program.places[place].kind {
            PlaceKind::Var(_) => return,
            PlaceKind::Deref(pointer) => return open.push(Node::Expr(pointer)),
            PlaceKind::Field(base, _) => place = base,
            PlaceKind::Index(base, index) => {
                open.push(Node::Expr(index));
                place = base;
            }
        }
    }
}

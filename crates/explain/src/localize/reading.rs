//! Statements that only read what the program is given (`c = getchar()`, `scanf(…) == 2`): what is read is no fault of the program.

use cfa::walk::{self, Node};
use cfa::{AssumeRole, Callee, EdgeId, Op, PlaceId, PlaceKind, Program, VarId, VarKind};
use rustc_hash::FxHashSet;

/// Functions of the library that read the standard input.
const READERS: &[&str] = &[
    "scanf",
    "fscanf",
    "vscanf",
    "vfscanf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
    "getchar",
    "getchar_unlocked",
    "getc",
    "_IO_getc",
    "fgetc",
    "getc_unlocked",
    "fgetc_unlocked",
    "fgets",
    "gets",
    "getline",
    "getdelim",
    "fread",
    "read",
];

/// What a program reads.
pub struct Readings<'p> {
    program: &'p Program,
    /// Unnamed results of reading functions.
    results: FxHashSet<VarId>,
}

impl<'p> Readings<'p> {
    pub fn of(program: &'p Program) -> Self {
        let mut readings = Readings { program, results: FxHashSet::default() };
        let result = |(edge, data): (EdgeId, &cfa::Edge)| match data.op {
            Op::Call { dest: Some(dest), .. } if readings.calls_reader(edge) => {
                var(program, dest).filter(|var| matches!(program.vars[*var].kind, VarKind::Temp(_)))
            }
            _ => None,
        };
        let results = program.edges.iter().filter_map(result).collect();
        readings.results = results;
        readings
    }

    pub fn calls_reader(&self, edge: EdgeId) -> bool {
        matches!(self.program.edges[edge].op, Op::Call { callee: Callee::Direct(called), .. }
            if READERS.contains(&self.program.function_name(called)))
    }

    /// Whether an edge reads, keeps what was read, or compares how much was read with a number.
    pub fn only_reads(&self, edge: EdgeId) -> bool {
        let value = match self.program.edges[edge].op {
            Op::Assign(_, value) => value,
            Op::Assume { cond, role: AssumeRole::Branch(_), .. } => cond,
            _ => return self.calls_reader(edge),
        };
        let (mut open, mut reads) = (vec![Node::Expr(value)], false);
        while let Some(node) = open.pop() {
            if let Node::Place(place) = node
                && let PlaceKind::Var(var) = self.program.places[place].kind
            {
                if !self.results.contains(&var) {
                    return false;
                }
                reads = true;
            }
            open.extend(walk::children(self.program, node).into_iter().flatten());
        }
        reads
    }
}

fn var(program: &Program, place: PlaceId) -> Option<VarId> {
    match program.places[place].kind {
        PlaceKind::Var(var) => Some(var),
        _ => None,
    }
}

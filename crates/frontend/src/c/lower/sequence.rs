//! Operands that C evaluates in no fixed order, and what follows from that.
//!
//! While a function is lowered, the edges and values of the operands of each expression are noted. When the program is finished, two operands
//! *conflict* if one writes what the other reads or writes, or if one may end the run and in the other something may go wrong. The writing edge
//! then gets a caveat: a run goes on, in the order of [`super::order`], but nothing is proved by it. If one of the two accesses happens in a
//! called function the order is open (C11 6.5.2.2p10), else the behaviour is undefined (6.5p2).
//!
//! The store of an assignment comes after the values of its operands, but not after their stores: `i = i++`. Those that a sequence point
//! follows are finished.

use super::Lower;
use crate::c::ast;
use crate::c::effects::{Access, Analysis, Effects};
use base::Symbol;
use cfa::walk::Node;
use cfa::{EdgeId, ExprId, FuncId, Op, PlaceId, Program};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

/// An operand that was lowered.
#[derive(Clone, Default)]
pub(super) struct Evaluated {
    edges: SmallVec<[Range<u32>; 2]>,
    /// The value that is used, or the place whose address is.
    node: Option<Node>,
    /// The last edge also stores the result of the whole expression, which is not the operand's doing.
    stores_result: bool,
}

/// Operands of one expression.
pub(super) struct Unsequenced {
    operands: SmallVec<[Evaluated; 2]>,
    store: Option<Store>,
}

/// The store of an assignment and the stores that may happen after it.
struct Store {
    edge: EdgeId,
    place: PlaceId,
    others: SmallVec<[EdgeId; 2]>,
}

impl Lower<'_> {
    /// Where the edges of what is lowered next begin.
    pub(super) fn edges_so_far(&self) -> u32 {
        self.program.edges.len() as u32
    }

    /// A value of an initializer whose edges began there; the last one stores it.
    pub(super) fn initialized(&self, begin: u32, place: PlaceId) -> Evaluated {
        Evaluated { stores_result: true, ..self.evaluated(begin, Node::Place(place)) }
    }

    /// An operand whose edges began there.
    pub(super) fn evaluated(&self, begin: u32, node: Node) -> Evaluated {
        let edges = smallvec![begin..self.edges_so_far()];
        Evaluated { edges, node: Some(node), stores_result: false }
    }

    /// The right side of an assignment, whose edges began there; those of the left side are among them.
    pub(super) fn evaluated_around(&self, begin: u32, left: Range<u32>, node: Node, stores_result: bool) -> Evaluated {
        let edges = SmallVec::from_iter([begin..left.start, left.end..self.edges_so_far()]);
        Evaluated { edges, node: Some(node), stores_result }
    }

    /// The left side, which has these edges.
    pub(super) fn evaluated_in(&self, edges: Range<u32>, place: PlaceId) -> Evaluated {
        Evaluated { edges: smallvec![edges], node: Some(Node::Place(place)), stores_result: false }
    }

    /// The same, when its value is used too.
    pub(super) fn evaluated_value_in(&self, edges: Range<u32>, value: ExprId) -> Evaluated {
        Evaluated { edges: smallvec![edges], node: Some(Node::Expr(value)), stores_result: false }
    }

    /// Notes that C does not order these operands.
    pub(super) fn unsequenced(&mut self, operands: impl IntoIterator<Item = Evaluated>) {
        self.note_unsequenced(operands.into_iter().collect(), None);
    }

    fn note_unsequenced(&mut self, operands: SmallVec<[Evaluated; 2]>, store: Option<Store>) {
        let happens = |operand: &Evaluated| operand.edges.iter().any(|edges| !edges.is_empty());
        let interesting = operands.len() > 1 && operands.iter().any(happens);
        if !self.situation.speculating && (interesting || store.is_some()) {
            self.unsequenced.push(Unsequenced { operands, store });
        }
    }

    /// Where the stores of an operand begin that no sequence point has finished.
    pub(super) fn stores_so_far(&self) -> usize {
        self.unfinished_stores.len()
    }

    /// A sequence point after what began there.
    pub(super) fn sequence_point(&mut self, begin: usize) {
        self.unfinished_stores.truncate(begin);
    }

    /// The last edge writes a place. What has to be constant makes no edges.
    pub(super) fn note_store(&mut self) {
        if !self.situation.speculating && !self.must_fold() && self.reachable() {
            self.unfinished_stores.push(EdgeId(self.edges_so_far() - 1));
        }
    }

    /// An assignment that was stored just now. `begin`: where the stores of its operands began.
    pub(super) fn assigned(&mut self, operands: [Evaluated; 2], place: PlaceId, begin: usize, right: ast::ExprId) {
        let mut others: SmallVec<[EdgeId; 2]> = SmallVec::from_slice(&self.unfinished_stores[begin..]);
        let own = others.pop();
        // `a = b = c` stores one value twice.
        match self.ast.exprs[right].kind {
            ast::ExprKind::Assign(..) => others.retain(|other| !self.chain.contains(other)),
            _ => self.chain.clear(),
        }
        self.chain.extend(own);
        let store = own.filter(|_| !others.is_empty()).map(|edge| Store { edge, place, others });
        self.note_unsequenced(SmallVec::from_iter(operands), store);
    }

    /// Gives the edges of operands that conflict their caveats.
    pub(super) fn mark_conflicts(&mut self) {
        if self.unsequenced.is_empty() || self.errors > 0 {
            return;
        }
        let found = conflicts(&self.program, &self.unsequenced);
        for (edge, reason) in found {
            let reason: Symbol = self.program.names.intern(&reason);
            self.program.edges[edge].caveat.get_or_insert(reason);
        }
    }
}

/// An access of an operand and where it happens.
#[derive(Clone, Copy)]
struct Doing {
    access: Access,
    edge: Option<EdgeId>,
    write: bool,
    /// In a library function.
    called: bool,
}

/// What the evaluation of an operand does.
#[derive(Default)]
struct Deeds {
    doings: Vec<Doing>,
    /// Functions with a body that are called, and where.
    calls: Vec<(FuncId, EdgeId)>,
    fails: Option<EdgeId>,
    halts: Option<EdgeId>,
}

const UNSEQUENCED: &str = "without a sequence point in between (undefined behaviour)";

fn conflicts(program: &Program, groups: &[Unsequenced]) -> Vec<(EdgeId, String)> {
    let writes = |operand: &Evaluated| {
        let mut edges = operand.edges.iter().cloned().flatten();
        edges.any(|edge| matters(program, &program.edges[EdgeId(edge)].op))
    };
    let groups: Vec<&Unsequenced> =
        groups.iter().filter(|group| group.store.is_some() || group.operands.iter().any(writes)).collect();
    if groups.is_empty() {
        return Vec::new();
    }
    let analysis = Analysis::new(program);
    let mut found = Vec::new();
    for group in groups {
        let deeds: Vec<Deeds> = group.operands.iter().map(|operand| deeds(&analysis, operand)).collect();
        for (index, first) in deeds.iter().enumerate() {
            found.extend(deeds[index + 1..].iter().filter_map(|second| conflict(&analysis, program, first, second)));
        }
        if let Some(store) = &group.store {
            found.extend(store_conflict(program, &analysis, store));
        }
    }
    found
}

/// Whether an operation can be one side of a conflict by writing or ending the run.
fn matters(program: &Program, op: &Op) -> bool {
    match *op {
        Op::Assign(place, _) | Op::Havoc(place, _) => !matches!(program.places[place].kind, cfa::PlaceKind::Var(var)
                if matches!(program.vars[var].kind, cfa::VarKind::Temp(_))),
        Op::Call { .. } | Op::Halt(_) | Op::Assert { .. } => true,
        Op::Assume { role, .. } => role == cfa::AssumeRole::Assumption,
        _ => false,
    }
}

fn deeds(analysis: &Analysis<'_>, operand: &Evaluated) -> Deeds {
    let mut deeds = Deeds::default();
    let last = operand.edges.last().and_then(|edges| edges.clone().last());
    for edge in operand.edges.iter().cloned().flatten() {
        let id = EdgeId(edge);
        let Effects { reads, mut writes, library_reads, library_writes, calls, fails, halts } = analysis.effects(id);
        if operand.stores_result && Some(edge) == last {
            writes.clear();
        }
        let mut add = |access: Access, write: bool, called: bool| {
            deeds.doings.push(Doing { access, edge: Some(id), write, called });
        };
        reads.into_iter().for_each(|access| add(access, false, false));
        writes.into_iter().for_each(|access| add(access, true, false));
        library_reads.into_iter().for_each(|access| add(access, false, true));
        library_writes.into_iter().for_each(|access| add(access, true, true));
        deeds.calls.extend(calls.iter().map(|function| (*function, id)));
        if fails || calls.iter().any(|function| analysis.fails(*function)) {
            deeds.fails = Some(id);
        }
        if halts || calls.iter().any(|function| analysis.halts(*function)) {
            deeds.halts = Some(id);
        }
    }
    let mut reads = Vec::new();
    match operand.node {
        Some(Node::Expr(value)) => analysis.read_value(value, &mut reads),
        Some(Node::Place(place)) => analysis.read_address(place, &mut reads),
        None => {}
    }
    let doing = |access| Doing { access, edge: None, write: false, called: false };
    deeds.doings.extend(reads.into_iter().map(doing));
    deeds
}

/// Where two operands conflict, if they do, and why that matters.
fn conflict(analysis: &Analysis<'_>, program: &Program, first: &Deeds, second: &Deeds) -> Option<(EdgeId, String)> {
    let mut open = None;
    for (a, b) in [(first, second), (second, first)] {
        for write in a.doings.iter().filter(|doing| doing.write) {
            let Some(edge) = write.edge else { continue };
            let Some(other) = b.doings.iter().find(|other| write.access.meets(program, &other.access)) else {
                continue;
            };
            if !write.called && !other.called {
                let how = if other.write { "twice" } else { "and read" };
                return Some((edge, format!("{} is written {how} {UNSEQUENCED}", write.access.describe(program))));
            }
            open.get_or_insert((edge, write.access, other.write));
        }
    }
    let pairs = [(first, second), (second, first)];
    let open = open.or_else(|| pairs.into_iter().find_map(|(a, b)| conflict_with_calls(analysis, a, b)));
    if let Some((edge, access, written)) = open {
        let how = if written { "both operands" } else { "one operand and read by another" };
        return Some((edge, format!("order of evaluation ({} is written by {how})", access.describe(program))));
    }
    let ends = |a: &Deeds, b: &Deeds| a.halts.filter(|_| b.fails.is_some());
    let edge = ends(first, second).or_else(|| ends(second, first))?;
    let why = "order of evaluation (one operand may end the program before something goes wrong in another)";
    Some((edge, why.to_string()))
}

/// Where an operand, or a function that it calls, conflicts with the functions that another one calls: what is written, and whether by both.
fn conflict_with_calls(analysis: &Analysis<'_>, a: &Deeds, b: &Deeds) -> Option<(EdgeId, Access, bool)> {
    for (function, edge) in &b.calls {
        for doing in &a.doings {
            if let Some(written) = analysis.writes_to(*function, &doing.access) {
                return Some((*edge, *written, doing.write));
            }
            if doing.write
                && let Some(edge) = doing.edge
                && analysis.reads_from(*function, &doing.access).is_some()
            {
                return Some((edge, doing.access, false));
            }
        }
        for (writer, at) in &a.calls {
            if let Some((access, written)) = analysis.conflict(*writer, *function) {
                return Some((*at, *access, written));
            }
        }
    }
    None
}

/// Whether the store of an assignment and another store of the expression may be to the same place.
fn store_conflict(program: &Program, analysis: &Analysis<'_>, store: &Store) -> Option<(EdgeId, String)> {
    let own = Access::of(program, store.place);
    let others = store.others.iter().flat_map(|edge| analysis.effects(*edge).writes);
    let hit = others.into_iter().find(|other| own.meets(program, other))?;
    let what = hit.describe(program);
    Some((store.edge, format!("{what} is written twice {UNSEQUENCED}")))
}

//! What parts of a finished program read and write: the basis for finding operands whose order of evaluation matters.
//!
//! Memory is seen coarsely: an access is to a variable, or through a pointer to anything of a type, and knows the member it ends in. Accesses
//! through pointers of different types do not meet (C11 6.5p7), nor do different members of structs. A function's summary holds the accesses
//! of all functions that it may call, without its own automatic variables.
//!
//! Inputs are no effects: which of two operands reads its input first makes no difference to what all runs together can do. Nor is output.

use base::IdVec;
use cfa::analysis::library::{Arguments, memory_use};
use cfa::library::LibFn;
use cfa::types::RecordKind;
use cfa::walk::{self, Node};
use cfa::{
    AssumeRole, BinOp, Body, Callee, EdgeId, ExprId, ExprKind, FuncId, Init, Op, PlaceId, PlaceKind, Program, RecordId,
    RelocationTarget, Type, TypeId, VarId, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Root {
    Var(VarId),
    /// Through a pointer.
    Memory,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Access {
    pub root: Root,
    /// `None`: any.
    ty: Option<TypeId>,
    /// The member of a struct that the place ends in, unless it lies in a union.
    field: Option<(RecordId, u32)>,
    /// The constant index of an element of the root variable.
    index: Option<u64>,
}

impl Access {
    pub const ANYWHERE: Access = Access { root: Root::Memory, ty: None, field: None, index: None };

    pub fn of(program: &Program, place: PlaceId) -> Access {
        let types = &program.types;
        let (mut field, mut index, mut in_union) = (None, None, false);
        let mut at = place;
        let root = loop {
            match program.places[at].kind {
                PlaceKind::Var(var) => break Root::Var(var),
                PlaceKind::Deref(_) => break Root::Memory,
                PlaceKind::Field(base, number) => {
                    if let Type::Record(record) = *types.get(program.places[base].ty) {
                        in_union |= types.records[record].kind == RecordKind::Union;
                        field = field.or(Some((record, number)));
                    }
                    at = base;
                }
                PlaceKind::Index(base, number) => {
                    let directly = matches!(program.places[base].kind, PlaceKind::Var(_));
                    index = program.constant(number).filter(|_| directly).map(|bits| bits.lo);
                    at = base;
                }
            }
        };
        Access { root, ty: Some(program.places[place].ty), field: field.filter(|_| !in_union), index }
    }

    /// Whether two accesses may be to the same memory.
    pub fn meets(&self, program: &Program, other: &Access) -> bool {
        match (self.root, other.root) {
            (Root::Var(a), Root::Var(b)) => {
                let other_element = matches!((self.index, other.index), (Some(a), Some(b)) if a != b);
                a == b && !other_element && !self.is_other_member(program, other)
            }
            (Root::Var(var), Root::Memory) => other.reaches(program, var, self),
            (Root::Memory, Root::Var(var)) => self.reaches(program, var, other),
            (Root::Memory, Root::Memory) => {
                may_alias(program, self.ty, other.ty) && !self.is_other_member(program, other)
            }
        }
    }

    /// Whether an access through a pointer may be to what another one accesses of a variable.
    fn reaches(&self, program: &Program, var: VarId, of_var: &Access) -> bool {
        let var = &program.vars[var];
        let scalar = program.types.is_scalar(var.ty);
        var.address_taken
            && var.kind != VarKind::Constant
            && !(scalar && self.field.is_some())
            && may_alias(program, self.ty, of_var.ty)
            && !self.is_other_member(program, of_var)
    }

    fn is_other_member(&self, program: &Program, other: &Access) -> bool {
        let (Some(a), Some(b)) = (self.field, other.field) else { return false };
        let scalar = |access: &Access| access.ty.is_some_and(|ty| program.types.is_scalar(ty));
        a != b && (a.0 == b.0 || (scalar(self) && scalar(other)))
    }

    /// What the program calls it.
    pub fn describe(&self, program: &Program) -> String {
        if let Some((record, number)) = self.field
            && let Some(name) = program.types.records[record].fields[number as usize].name
        {
            return format!("the member `{}`", program.name(name));
        }
        match self.root {
            Root::Var(var) => format!("`{}`", program.name(program.vars[var].name)),
            Root::Memory => match self.ty {
                Some(ty) => format!("memory of type `{}`", program.types.c_name(ty, &program.names)),
                None => "memory".into(),
            },
        }
    }
}

/// Whether pointers to two types may lead to the same object.
fn may_alias(program: &Program, a: Option<TypeId>, b: Option<TypeId>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return true };
    let types = &program.types;
    let any = |ty: TypeId| matches!(ty, TypeId::CHAR | TypeId::SCHAR | TypeId::UCHAR) || !types.is_scalar(ty);
    let same_size = || types.size_of(a) == types.size_of(b);
    a == b
        || any(a)
        || any(b)
        || (types.is_pointer(a) && types.is_pointer(b))
        || (a.int_kind().is_some() && b.int_kind().is_some() && same_size())
}

/// What one operation does.
#[derive(Default, Debug)]
pub(super) struct Effects {
    pub reads: Vec<Access>,
    pub writes: Vec<Access>,
    /// A library function's accesses come from inside a call.
    pub library_reads: Vec<Access>,
    pub library_writes: Vec<Access>,
    pub calls: Vec<FuncId>,
    /// Something may go wrong: an assertion, a dereference, a division.
    pub fails: bool,
    /// It may end the run.
    pub halts: bool,
}

/// All that a function and the functions that it calls do; accesses by their number.
#[derive(Clone, Default)]
struct Summary {
    reads: Vec<u64>,
    writes: Vec<u64>,
    fails: bool,
    halts: bool,
    calls: Vec<FuncId>,
}

pub(super) struct Analysis<'p> {
    program: &'p Program,
    /// Functions whose address is used otherwise than to call them.
    addressed: Vec<FuncId>,
    accesses: Vec<Access>,
    /// The accesses of each variable, and those through pointers.
    by_var: FxHashMap<VarId, Vec<usize>>,
    memory: Vec<u64>,
    summaries: IdVec<FuncId, Summary>,
}

impl<'p> Analysis<'p> {
    pub fn new(program: &'p Program) -> Self {
        let addressed = addressed_functions(program);
        let mut analysis = Analysis {
            program,
            addressed,
            accesses: Vec::new(),
            by_var: FxHashMap::default(),
            memory: Vec::new(),
            summaries: IdVec::new(),
        };
        let mut numbers: FxHashMap<Access, usize> = FxHashMap::default();
        for function in program.functions.ids() {
            let summary = analysis.own(function, &mut numbers);
            analysis.summaries.push(summary);
        }
        for (number, access) in analysis.accesses.iter().enumerate() {
            match access.root {
                Root::Var(var) => analysis.by_var.entry(var).or_default().push(number),
                Root::Memory => insert(&mut analysis.memory, number),
            }
        }
        analysis.close();
        analysis
    }

    /// What a function does by itself.
    fn own(&mut self, function: FuncId, numbers: &mut FxHashMap<Access, usize>) -> Summary {
        let mut summary = Summary::default();
        let Some(automaton) = self.program.automaton(function) else { return summary };
        let mut calls = FxHashSet::default();
        for edge in automaton.edges.clone() {
            let effects = self.effects(EdgeId(edge));
            summary.fails |= effects.fails;
            summary.halts |= effects.halts;
            calls.extend(effects.calls);
            let reads = effects.reads.into_iter().chain(effects.library_reads).map(|access| (access, false));
            let writes = effects.writes.into_iter().chain(effects.library_writes).map(|access| (access, true));
            for (access, write) in reads.chain(writes) {
                // Its own variables are others each time it is called.
                if matches!(access.root, Root::Var(var) if self.program.vars[var].kind.function() == Some(function)) {
                    continue;
                }
                let next = self.accesses.len();
                let number = *numbers.entry(access).or_insert_with(|| {
                    self.accesses.push(access);
                    next
                });
                insert(if write { &mut summary.writes } else { &mut summary.reads }, number);
            }
        }
        summary.calls = calls.into_iter().collect();
        summary.calls.sort_unstable();
        summary
    }

    /// Adds what the called functions do, until nothing is new.
    fn close(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for function in self.program.functions.ids() {
                for callee in self.summaries[function].calls.clone() {
                    if callee == function {
                        continue;
                    }
                    let other = self.summaries[callee].clone();
                    let summary = &mut self.summaries[function];
                    changed |= merge(&mut summary.reads, &other.reads) | merge(&mut summary.writes, &other.writes);
                    changed |= (other.fails && !summary.fails) | (other.halts && !summary.halts);
                    summary.fails |= other.fails;
                    summary.halts |= other.halts;
                }
            }
        }
    }

    /// What a function writes of what an access concerns.
    pub fn writes_to(&self, function: FuncId, access: &Access) -> Option<&Access> {
        self.first_meeting(&self.summaries[function].writes, access)
    }

    /// What a function reads of what an access concerns.
    pub fn reads_from(&self, function: FuncId, access: &Access) -> Option<&Access> {
        self.first_meeting(&self.summaries[function].reads, access)
    }

    /// What one function writes and another reads or writes, and whether it writes it.
    pub fn conflict(&self, writer: FuncId, other: FuncId) -> Option<(&Access, bool)> {
        let (writes, other) = (&self.summaries[writer].writes, &self.summaries[other]);
        for (set, written) in [(&other.writes, true), (&other.reads, false)] {
            let both: Vec<u64> = writes.iter().zip(set).map(|(a, b)| a & b).collect();
            if let Some(number) = members(&both).next() {
                return Some((&self.accesses[number], written));
            }
        }
        members(writes).map(|number| &self.accesses[number]).find_map(|access| {
            let written = self.first_meeting(&other.writes, access).map(|_| (access, true));
            written.or_else(|| self.first_meeting(&other.reads, access).map(|_| (access, false)))
        })
    }

    /// The first access of a set that meets another one. A variable meets only its own accesses and those through pointers.
    fn first_meeting(&self, set: &[u64], access: &Access) -> Option<&Access> {
        let meets = |number: &usize| self.accesses[*number].meets(self.program, access);
        let found = match access.root {
            Root::Memory => members(set).find(meets),
            Root::Var(var) => {
                let own = self.by_var.get(&var).into_iter().flatten().copied();
                let own = own.filter(|number| set.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1));
                let through_pointers: Vec<u64> = set.iter().zip(&self.memory).map(|(a, b)| a & b).collect();
                own.chain(members(&through_pointers)).find(meets)
            }
        };
        found.map(|number| &self.accesses[number])
    }

    pub fn fails(&self, function: FuncId) -> bool {
        self.summaries[function].fails
    }

    pub fn halts(&self, function: FuncId) -> bool {
        self.summaries[function].halts
    }

    /// What an edge does, without what happens in the functions with a body that it calls.
    pub fn effects(&self, edge: EdgeId) -> Effects {
        let mut effects = Effects::default();
        match self.program.edges[edge].op {
            Op::Assign(place, value) => {
                self.written(place, &mut effects);
                self.read_value(value, &mut effects.reads);
            }
            Op::Havoc(place, _) => self.written(place, &mut effects),
            Op::Alloca(_, value) | Op::Return(Some(value)) => self.read_value(value, &mut effects.reads),
            Op::Halt(code) => {
                effects.halts = true;
                code.into_iter().for_each(|code| self.read_value(code, &mut effects.reads));
            }
            Op::Assume { cond, role, .. } => {
                effects.halts = role == AssumeRole::Assumption;
                self.read_value(cond, &mut effects.reads);
            }
            Op::Assert { cond, .. } => {
                effects.fails = true;
                self.read_value(cond, &mut effects.reads);
            }
            Op::Call { dest, callee, args } => {
                dest.into_iter().for_each(|place| self.written(place, &mut effects));
                self.program.call_args(args).iter().for_each(|arg| self.read_value(*arg, &mut effects.reads));
                self.called(callee, self.program.call_args(args), &mut effects);
            }
            Op::Skip | Op::Declare(_) | Op::Kill(_) | Op::Return(None) | Op::Poison(_) => {}
        }
        effects.fails |= self.may_fault(edge);
        effects
    }

    /// Whether an edge dereferences, indexes or divides.
    fn may_fault(&self, edge: EdgeId) -> bool {
        let mut pending = Vec::new();
        walk::parts(self.program, &self.program.edges[edge].op, |node| pending.push(node));
        while let Some(node) = pending.pop() {
            let faults = match node {
                Node::Expr(expr) => {
                    matches!(self.program.exprs[expr].kind, ExprKind::Binary(BinOp::Div | BinOp::Rem, ..))
                }
                Node::Place(place) => {
                    matches!(self.program.places[place].kind, PlaceKind::Deref(_) | PlaceKind::Index(..))
                }
            };
            if faults {
                return true;
            }
            pending.extend(walk::children(self.program, node).into_iter().flatten());
        }
        false
    }

    fn called(&self, callee: Callee, args: &[ExprId], effects: &mut Effects) {
        let functions = match callee {
            Callee::Direct(function) => vec![function],
            Callee::Indirect(pointer) => {
                self.read_value(pointer, &mut effects.reads);
                let fits = |function: &FuncId| match self.program.types.get(self.program.functions[*function].ty) {
                    Type::Function(ty) => ty.unprototyped || ty.variadic || ty.params.len() == args.len(),
                    _ => true,
                };
                self.addressed.iter().copied().filter(fits).collect()
            }
        };
        for function in functions {
            match self.program.functions[function].body {
                Body::Defined(_) => effects.calls.push(function),
                Body::Library(meaning) => {
                    let (reads, writes) = library_accesses(meaning);
                    effects.library_reads.extend(reads.then_some(Access::ANYWHERE));
                    if let Some(target) = writes {
                        effects.library_writes.extend(self.behind(target, args));
                    }
                    effects.halts |= matches!(meaning, LibFn::Exit | LibFn::Abort);
                }
                Body::Undefined => {}
            }
        }
    }

    /// What a library function writes through an argument; a null pointer means that it does not.
    fn behind(&self, target: Written, args: &[ExprId]) -> Option<Access> {
        let Written::Argument(number) = target else { return Some(Access::ANYWHERE) };
        let Some(mut pointer) = args.get(number).copied() else { return Some(Access::ANYWHERE) };
        while let ExprKind::Cast(inner) = self.program.exprs[pointer].kind {
            pointer = inner;
        }
        match self.program.exprs[pointer].kind {
            ExprKind::Const(bits) if bits.is_zero() => None,
            ExprKind::AddrOf(place) => {
                let root = Access::of(self.program, place).root;
                Some(Access { root, ..Access::ANYWHERE })
            }
            _ => Some(Access::ANYWHERE),
        }
    }

    fn written(&self, place: PlaceId, effects: &mut Effects) {
        self.read_address(place, &mut effects.reads);
        self.push(place, &mut effects.writes);
    }

    /// An access, unless no other access can conflict with it.
    fn push(&self, place: PlaceId, out: &mut Vec<Access>) {
        let access = Access::of(self.program, place);
        if let Root::Var(var) = access.root {
            let var = &self.program.vars[var];
            let constant = var.kind == VarKind::Constant;
            let private = matches!(var.kind, VarKind::Temp(_) | VarKind::Vla(_)) && !var.address_taken;
            if constant || private {
                return;
            }
        }
        if !out.contains(&access) {
            out.push(access);
        }
    }

    /// What computing a value reads.
    pub fn read_value(&self, value: ExprId, out: &mut Vec<Access>) {
        self.read(Node::Expr(value), out);
    }

    /// What computing the address of a place reads.
    pub fn read_address(&self, place: PlaceId, out: &mut Vec<Access>) {
        self.read(Node::Place(place), out);
    }

    fn read(&self, node: Node, out: &mut Vec<Access>) {
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            if let Node::Expr(expr) = node
                && let ExprKind::Read(place) = self.program.exprs[expr].kind
            {
                self.push(place, out);
            }
            pending.extend(walk::children(self.program, node).into_iter().flatten());
        }
    }
}

/// Where a library function writes.
#[derive(Clone, Copy)]
enum Written {
    Anywhere,
    /// What this argument points to.
    Argument(usize),
}

/// Whether a library function reads memory that the program sees, and where it writes. Freeing counts as writing.
fn library_accesses(function: LibFn) -> (bool, Option<Written>) {
    let uses = memory_use(function);
    let written = match uses.writes {
        _ if uses.unknown || uses.frees.is_some() => Some(Written::Anywhere),
        Arguments::None => None,
        Arguments::One(argument) => Some(Written::Argument(argument)),
        Arguments::Two(..) | Arguments::From(_) => Some(Written::Anywhere),
    };
    (!uses.reads.is_none() || uses.unknown || uses.frees.is_some(), written)
}

fn addressed_functions(program: &Program) -> Vec<FuncId> {
    let mut found: Vec<FuncId> = program
        .exprs
        .values()
        .filter_map(|expr| match expr.kind {
            ExprKind::FuncAddr(function) => Some(function),
            _ => None,
        })
        .collect();
    for var in program.vars.values() {
        if let Init::Static(init) = &var.init {
            found.extend(init.relocations.iter().filter_map(|relocation| match relocation.target {
                RelocationTarget::Function(function) => Some(function),
                RelocationTarget::Var(_) => None,
            }));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn insert(set: &mut Vec<u64>, number: usize) {
    if set.len() <= number / 64 {
        set.resize(number / 64 + 1, 0);
    }
    set[number / 64] |= 1 << (number % 64);
}

/// Adds a set to another; whether that had something new.
fn merge(set: &mut Vec<u64>, other: &[u64]) -> bool {
    if set.len() < other.len() {
        set.resize(other.len(), 0);
    }
    set.iter_mut().zip(other).fold(false, |changed, (word, more)| {
        let before = *word;
        *word |= more;
        changed | (*word != before)
    })
}

fn members(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(index, word)| {
        let word = *word;
        (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| index * 64 + bit)
    })
}

//! Programs, functions, locations and edges.
//!
//! A location has no outgoing edge (the end of a function or of the run), one, or two: two are `Assume` edges with the same condition
//! and opposite truth. Ids are global to the program; the locations and edges of one function are contiguous.

use crate::enumeration::Enumerations;
use crate::expr::{Expr, ExprId, ExprKind, Place, PlaceId};
use crate::library::LibFn;
use crate::types::{DataModel, TypeId, TypeTable};
use base::{IdVec, Interner, Span, Symbol, define_id};
use std::ops::Range;

define_id!(LocId, "L");
define_id!(EdgeId, "e");
define_id!(FuncId, "f");
define_id!(VarId, "v");
define_id!(ScopeId, "s");

/// The tag of the structure that variable arguments lie in.
pub const ARGUMENT_LIST: &str = "$arguments";

#[derive(Clone)]
pub struct Program {
    /// The language of its source, by the name of the frontend; `None` if it was made otherwise.
    pub language: Option<&'static str>,
    pub names: Interner,
    pub types: TypeTable,
    pub vars: IdVec<VarId, Var>,
    pub functions: IdVec<FuncId, Function>,
    pub locations: IdVec<LocId, Location>,
    pub edges: IdVec<EdgeId, Edge>,
    pub exprs: IdVec<ExprId, Expr>,
    pub places: IdVec<PlaceId, Place>,
    /// Arguments of all calls, sliced by [`Op::Call`].
    pub args: Vec<ExprId>,
    /// `scopes[ScopeId(0)]` is the file scope.
    pub scopes: IdVec<ScopeId, Scope>,
    /// If there are hardware registers.
    pub registers: Option<Registers>,
    pub enumerations: Enumerations,
    /// Of a program that runs in an endless cycle, if its language says so.
    pub cycle: Option<Cycle>,
}

/// Hardware registers at fixed addresses. No object of the program lies between the first and the last of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registers {
    /// First and last addresses; never empty.
    pub ranges: Vec<(u64, u64)>,
    /// Why an access at a fixed address that is left in the program is neither followed nor an error.
    pub unresolved: Symbol,
}

impl Registers {
    pub fn contains(&self, address: u64) -> bool {
        self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&address))
    }

    /// The first and the last address of all.
    pub fn extent(&self) -> (u64, u64) {
        let first = self.ranges.iter().map(|range| range.0).min();
        let last = self.ranges.iter().map(|range| range.1).max();
        (first.unwrap_or(0), last.unwrap_or(0))
    }
}

/// The loop whose iterations are the cycles of a reactive program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycle {
    pub head: LocId,
    /// Scalars that people look at, at the end of an iteration: reads of variables of static lifetime.
    pub variables: Vec<(ExprId, CycleRole)>,
}

/// What a variable is for those outside of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CycleRole {
    /// It is given values from outside.
    Input,
    /// It is read outside.
    Output,
    Internal,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var {
    pub name: Symbol,
    pub ty: TypeId,
    pub kind: VarKind,
    pub init: Init,
    /// Whether an `AddrOf` of it or of a part of it, or a relocation to it, exists. A scalar whose address is never taken can live in a register.
    pub address_taken: bool,
    /// A `const` object of static lifetime: writing it is a fault.
    pub read_only: bool,
    /// Where the name is declared.
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    /// File scope, or `static` in the function.
    Global,
    /// A string literal, or another unnamed object of static lifetime that must not be written.
    Constant,
    Param(FuncId),
    Local(FuncId),
    /// Made by lowering; no user ever sees one.
    Temp(FuncId),
    /// The storage of a variable-length array: a pointer variable that `Op::Alloca` sets; users see the array.
    Vla(FuncId),
    /// The result of a function in its contract ([`crate::contract`]); no edge mentions it.
    Result(FuncId),
    /// In a contract, what an expression was when the function was called; no edge mentions it.
    Old(ExprId),
    /// The variable of a condition that holds for all its values of the type ([`crate::contract`]); no edge mentions it.
    Bound(TypeId),
}

impl VarKind {
    /// The function it is a variable of, `None` for static lifetime.
    pub fn function(self) -> Option<FuncId> {
        match self {
            VarKind::Global | VarKind::Constant | VarKind::Result(_) | VarKind::Old(_) | VarKind::Bound(_) => None,
            VarKind::Param(function) | VarKind::Local(function) | VarKind::Temp(function) | VarKind::Vla(function) => {
                Some(function)
            }
        }
    }
}

/// Contents of an object of static lifetime before `main`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Init {
    /// Automatic variables: nothing before the run.
    None,
    Zero,
    Static(StaticInit),
    /// `extern` and never defined: arbitrary.
    Unknown,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StaticInit {
    /// Leading bytes of the object; the rest is zero.
    pub bytes: Vec<u8>,
    /// Addresses to be stored over the bytes, ascending by offset.
    pub relocations: Vec<Relocation>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Relocation {
    pub offset: u64,
    pub target: RelocationTarget,
    pub addend: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelocationTarget {
    Var(VarId),
    Function(FuncId),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    pub name: Symbol,
    /// A `Type::Function`.
    pub ty: TypeId,
    pub params: Vec<VarId>,
    pub body: Body,
    /// The name in its definition, or first declaration.
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Body {
    Defined(Automaton),
    Library(LibFn),
    /// Declared only: a call's result is an input.
    Undefined,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    pub entry: LocId,
    /// Target of every `Return` edge; has no outgoing edges.
    pub exit: LocId,
    pub locations: Range<u32>,
    pub edges: Range<u32>,
    /// Variables of the function (parameters, locals, temporaries), ascending; objects of static lifetime that its body made (string
    /// literals, `static` locals) lie between them.
    pub vars: Range<u32>,
    /// The outermost scope (parameters).
    pub scope: ScopeId,
    /// From the first token of the definition to the closing brace.
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    pub function: FuncId,
    /// Innermost scope, and how many of its names are declared already.
    pub scope: ScopeId,
    pub visible: u32,
    /// Outgoing edges; the first of two is the one whose condition is true.
    pub out: [Option<EdgeId>; 2],
    /// For a loop head (Beyer et al. 2022, section 5): the loop statement, or the label that a `goto` loops to.
    pub loop_head: Option<Span>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    pub from: LocId,
    pub to: LocId,
    pub op: Op,
    /// The statement, declarator, controlling expression or call that the edge carries out.
    pub span: Span,
    /// Where witnesses say it happens: the keyword of a branch (`if`, `while`, …, the `?` of a conditional expression), else the first
    /// character of the statement.
    pub anchor: u32,
    /// What C leaves open here, or undefined behaviour that the edge does not show: a run goes on, but nothing is proved by it.
    pub caveat: Option<Symbol>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Op {
    Skip,
    /// The lifetime of a local begins, with arbitrary contents. A second `Declare` without a `Kill` between gives the same object arbitrary
    /// contents again; after a `Kill`, it is a new object.
    Declare(VarId),
    /// The lifetime of a local ends.
    Kill(VarId),
    /// A fresh stack object of so many bytes; the variable (a `Vla` or `Temp` pointer) gets its address. Ends with `Kill` of the variable,
    /// or with the function.
    Alloca(VarId, ExprId),
    Assign(PlaceId, ExprId),
    /// The place (scalar) gets an input.
    Havoc(PlaceId, InputKind),
    Assume {
        cond: ExprId,
        truth: bool,
        role: AssumeRole,
    },
    /// If the condition is false the property is violated. When the property is not asked for: `Assertion` then ends the run as `abort` does,
    /// `UnreachCall` goes on.
    Assert {
        cond: ExprId,
        property: crate::Property,
    },
    Call {
        dest: Option<PlaceId>,
        callee: Callee,
        /// `args.0 .. args.1` of [`Program::args`].
        args: (u32, u32),
    },
    /// To the exit location.
    Return(Option<ExprId>),
    /// The run ends: `exit(code)`, or `abort()` without a code.
    Halt(Option<ExprId>),
    /// What is not supported; the reason names the construct.
    Poison(Symbol),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee {
    Direct(FuncId),
    /// A pointer to a function.
    Indirect(ExprId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssumeRole {
    /// A two-way branch of the source.
    Branch(Branch),
    /// `__VERIFIER_assume` and the like: when false the run is of no interest.
    Assumption,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Branch {
    If,
    While,
    Do,
    For,
    /// One comparison with a case label.
    Switch,
    Conditional,
    /// An operand of `&&` or `||`.
    ShortCircuit,
}

/// Where an input comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// `__VERIFIER_nondet_*` and other intrinsics that ask for a value.
    Nondet(FuncId),
    /// The result of a function that is declared only.
    External(FuncId),
    /// What a function that is declared only leaves in memory that it can reach.
    Written(FuncId),
}

/// A block of the source, for looking up names as the compiler would.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scope {
    /// The enclosing scope and how many of its names were declared when this one opened.
    pub parent: Option<(ScopeId, u32)>,
    pub names: Vec<(Symbol, Binding)>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binding {
    Var(VarId),
    Function(FuncId),
    /// A typedef name.
    Type(TypeId),
    /// An enumeration constant.
    Constant(TypeId, crate::Bits),
}

impl Program {
    pub fn new(model: DataModel) -> Self {
        let mut scopes = IdVec::new();
        scopes.push(Scope { parent: None, names: Vec::new(), span: Span::NONE });
        Program {
            language: None,
            names: Interner::new(),
            types: TypeTable::new(model),
            vars: IdVec::new(),
            functions: IdVec::new(),
            locations: IdVec::new(),
            edges: IdVec::new(),
            exprs: IdVec::new(),
            places: IdVec::new(),
            args: Vec::new(),
            scopes,
            registers: None,
            enumerations: Enumerations::default(),
            cycle: None,
        }
    }

    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.resolve(symbol)
    }

    pub fn model(&self) -> DataModel {
        self.types.model
    }

    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        let symbol = self.names.lookup(name)?;
        self.functions.iter().find(|(_, function)| function.name == symbol).map(|(id, _)| id)
    }

    pub fn function_name(&self, function: FuncId) -> &str {
        self.name(self.functions[function].name)
    }

    pub fn automaton(&self, function: FuncId) -> Option<&Automaton> {
        match &self.functions[function].body {
            Body::Defined(automaton) => Some(automaton),
            Body::Library(_) | Body::Undefined => None,
        }
    }

    /// Whether a type is that of the pointer by which variable arguments are passed. A variadic function with a body has a parameter of this
    /// type behind those of its type; a call of one through a pointer passes it in that place, with the arguments themselves behind it.
    pub fn is_argument_list(&self, ty: TypeId) -> bool {
        let record = self.types.pointee(ty).map(|record| self.types.get(record));
        let Some(crate::Type::Record(record)) = record else { return false };
        self.types.records[*record].tag.is_some_and(|tag| self.name(tag) == ARGUMENT_LIST)
    }

    pub fn call_args(&self, args: (u32, u32)) -> &[ExprId] {
        &self.args[args.0 as usize..args.1 as usize]
    }

    pub fn successors(&self, location: LocId) -> impl Iterator<Item = EdgeId> + '_ {
        self.locations[location].out.iter().flatten().copied()
    }

    /// The constant an expression is.
    pub fn constant(&self, expr: ExprId) -> Option<crate::Bits> {
        match self.exprs[expr].kind {
            ExprKind::Const(bits) => Some(bits),
            _ => None,
        }
    }

    /// The binding of a name at a location, by C's rules.
    pub fn lookup(&self, at: LocId, name: Symbol) -> Option<Binding> {
        let location = &self.locations[at];
        let mut place = Some((location.scope, location.visible));
        while let Some((scope, visible)) = place {
            let scope = &self.scopes[scope];
            let names = &scope.names[..visible as usize];
            if let Some((_, binding)) = names.iter().rev().find(|(bound, _)| *bound == name) {
                return Some(*binding);
            }
            place = scope.parent;
        }
        None
    }

    /// The binding of a name at file scope, in the file that a location belongs to, wherever in the file it is declared.
    pub fn lookup_in_file(&self, at: LocId, name: Symbol) -> Option<Binding> {
        let mut scope = self.locations[at].scope;
        // The scopes of further files lie in the first one's, where no name is visible yet.
        while let Some((parent, visible)) = self.scopes[scope].parent
            && (parent, visible) != (ScopeId(0), 0)
        {
            scope = parent;
        }
        self.scopes[scope].names.iter().rev().find(|(bound, _)| *bound == name).map(|(_, binding)| *binding)
    }

    /// The automatic variables with a name whose scope a location lies in, hidden ones too.
    pub fn automatic_at(&self, at: LocId) -> Vec<VarId> {
        let location = &self.locations[at];
        let mut found = Vec::new();
        let mut place = Some((location.scope, location.visible));
        while let Some((scope, visible)) = place {
            let scope = &self.scopes[scope];
            // At file scope there are none.
            let Some(parent) = scope.parent else { break };
            found.extend(scope.names[..visible as usize].iter().filter_map(|(_, binding)| match binding {
                Binding::Var(var) if self.vars[*var].kind.function().is_some() => Some(*var),
                _ => None,
            }));
            place = Some(parent);
        }
        found
    }
}

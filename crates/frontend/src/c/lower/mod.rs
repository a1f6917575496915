//! Tree → typed automata. Type checking and lowering are one walk: every expression is checked where it is lowered, with all conversions made
//! explicit; side effects become edges in the order of evaluation ([`order`] says which one where C leaves it open).
//!
//! * [`scope`] names, [`types`] specifiers and declarators, [`layout`] struct layout
//! * [`decl`] declarations, [`function`] functions, [`finish`] what is done before and after all units, [`weak`] and [`inline`] which definition is
//!   linked, [`init`] initializers, [`known`] the values of `const` objects
//! * [`stmt`] statements, [`flow`] where control goes, [`expr`] expressions, [`name`] names and literals, [`member`] elements and members,
//!   [`type_operator`] casts and `sizeof`, [`assign`] assignments, [`logical`] conditions, [`convert`] conversions, [`call`] calls, [`intrinsic`] the
//!   functions that mean something to a verifier, [`variadic`] variable arguments, [`library`] what library functions written in C need, [`jump`] `setjmp` and `longjmp`, [`overflow`] and [`atomic`] gcc's built-ins of these kinds,
//!   [`registers`] what is an input at every read
//! * [`pure`] expressions of witnesses
//!
//! Unsupported C is never skipped: it becomes a poison edge at the place of its use.

mod assign;
mod atomic;
mod attribute;
mod call;
mod constant;
mod convert;
mod decl;
mod enumeration;
mod expr;
mod finish;
mod flow;
mod function;
mod init;
mod inline;
mod intrinsic;
mod jump;
mod known;
mod layout;
mod library;
mod logical;
mod member;
mod name;
mod old_style;
mod operator;
mod order;
mod outside;
mod overflow;
mod pure;
mod qualifiers;
mod read_only;
mod registers;
mod scope;
mod sequence;
mod stmt;
mod type_operator;
mod types;
mod variadic;
mod vla;
mod weak;

use super::ast::Ast;
use crate::CompileOptions;
use attribute::BeforeMain;
use base::{Diagnostic, Span, Symbol};
use cfa::undefined::Outside;
use cfa::{
    Bits, Body, DataModel, Expr, ExprId, ExprKind, FuncId, Init, Place, PlaceId, PlaceKind, Program, RecordId, TypeId,
    Var, VarId, VarKind,
};
use flow::FunctionState;
use intrinsic::Intrinsic;
pub(super) use pure::condition_at;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Names;
use std::collections::BTreeMap;

/// Errors after which a run of the frontend gives up.
const MAX_ERRORS: usize = 100;

/// What is being lowered, as far as that changes what text means.
#[derive(Clone, Copy, Default)]
struct Situation {
    /// What is made now is taken back soon, so nothing that stays may remember an id of it.
    speculating: bool,
    /// In the initializer of a static object.
    in_static_initializer: bool,
    /// In a constant expression overflow wraps quietly; elsewhere it must stay visible as an operation.
    constant_context: bool,
    /// In the text of a library function: see [`super::prelude`].
    in_library: bool,
    /// An expression of a witness: no edges can be made, but it need not be constant. See [`pure`].
    pure: bool,
}

pub(super) struct Lower<'a> {
    situation: Situation,
    ast: &'a Ast,
    program: Program,
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    names: Names,
    /// Objects and functions with external linkage, over all units.
    linkage: FxHashMap<Symbol, scope::Name>,
    /// What calling a function means to us, where it is not just a call.
    intrinsics: FxHashMap<FuncId, Option<Intrinsic>>,
    /// Names of all functions that some unit defines; a call may come before the definition.
    defined: FxHashSet<Symbol>,
    /// Names of all objects that some unit defines at file scope.
    defined_objects: FxHashSet<Symbol>,
    /// Volatile objects that no unit defines: others may write them at any time.
    volatile_elsewhere: FxHashSet<VarId>,
    options: CompileOptions,
    /// Places whose every read is an input.
    volatile_places: FxHashMap<PlaceId, registers::Volatile>,
    /// The objects that stand for hardware registers, by address and type.
    registers: BTreeMap<(Option<u64>, TypeId), PlaceId>,
    /// The functions that stand for what reads registers and volatile objects.
    outside_readers: FxHashMap<String, FuncId>,
    noreturn: FxHashSet<FuncId>,
    /// Pointers to the tables of `ctype.h` that the program uses.
    character_tables: FxHashMap<cfa::library::CtypeTable, VarId>,
    /// Stand-ins for types that are not supported and records that have a member of such a type, with the name of what is not supported;
    /// using a value of one is poison.
    unsupported: FxHashMap<RecordId, Symbol>,
    unsupported_by_name: FxHashMap<Symbol, TypeId>,
    va_list: Option<TypeId>,
    /// See [`variadic`].
    argument_list: Option<TypeId>,
    require_function: Option<FuncId>,
    /// Types of objects whose initializer gave a flexible array its length, and the type that the program declares them with.
    flexible: FxHashMap<TypeId, TypeId>,
    /// Functions whose use is poison, and why: GNU functions inside functions, other names of a function.
    unusable: FxHashMap<FuncId, String>,
    /// Names whose address some unit takes with `&`.
    addressed: FxHashSet<Symbol>,
    /// Operands that C evaluates in no fixed order, see [`sequence`].
    unsequenced: Vec<sequence::Unsequenced>,
    /// Stores of the expression that is being lowered that no sequence point has finished.
    unfinished_stores: Vec<cfa::EdgeId>,
    /// The function that makes an object `const` (see `known`), once there is one.
    end_writes: [Option<FuncId>; 2],
    qualifiers: qualifiers::DeclaredQualifiers,
    enumerations: enumeration::EnumerationNames,
    /// Those of the last assignment and of the assignments on its right: `a = b = c`.
    chain: Vec<cfa::EdgeId>,
    /// Functions that some unit declares as another name of one, and by what.
    other_names: FxHashMap<Symbol, String>,
    before_main: Vec<BeforeMain<'a>>,
    /// Functions that call `setjmp`.
    jump_targets: Vec<jump::JumpTarget>,
    weak: weak::Weak,
    inline: inline::Inline,
    /// The function being lowered; `None` at file scope.
    function: Option<Box<FunctionState>>,
    /// Whether an edge was wanted where none can be: in a constant expression.
    effect_wanted: Option<Span>,
    /// What was poison there.
    poison_wanted: Option<Symbol>,
    /// An initializer of a static object that is not supported: no run is understood.
    poisoned: Option<(Symbol, Span)>,
    /// Inner lengths of the variable-length arrays, see [`vla::Vla`].
    vla_shapes: Vec<Vec<VarId>>,
    /// Variables that keep the value of their initializer; for a local one the number it is. See [`known`].
    known: BTreeMap<VarId, Option<Bits>>,
    /// An operation with a fault was seen, so what was folded since is not the whole truth about a run.
    folded_fault: bool,
    /// See [`outside`].
    outside: Outside,
    /// Edges of the user's functions; those of the library follow.
    own_edges: u32,
}

/// What lowering asks about the texts.
pub(super) struct Texts<'t> {
    /// Whether a position is in a header of the system.
    pub is_system: &'t dyn Fn(u32) -> bool,
    /// Whether two pieces are the same but for spaces.
    pub same_text: &'t dyn Fn(Span, Span) -> bool,
}

/// Lowers the units into one program; those of the library come last.
pub(super) fn lower(
    own: &[&Ast],
    library: &[&Ast],
    names: base::Interner,
    options: &CompileOptions,
    texts: &Texts<'_>,
) -> (Program, Vec<Diagnostic>, Outside) {
    let mut program = options.program();
    program.names = names;
    let units = &[own, library].concat();
    let (program, diagnostics, outside, poisoned) = lower_into(program, units, own.len(), options, texts, None);
    if poisoned.is_none() {
        return (program, diagnostics, outside);
    }
    // A run may start at any function, also at one that comes before the initializer: start anew with what is known now.
    let mut again = options.program();
    again.names = program.names;
    let (program, diagnostics, outside, _) = lower_into(again, units, own.len(), options, texts, poisoned);
    (program, diagnostics, outside)
}

/// Lowers the units, with poison at the beginning of every function. The last result is poison that was found on the way.
fn lower_into(
    program: Program,
    units: &[&Ast],
    own_units: usize,
    options: &CompileOptions,
    texts: &Texts<'_>,
    poisoned: Option<(Symbol, Span)>,
) -> (Program, Vec<Diagnostic>, Outside, Option<(Symbol, Span)>) {
    let empty = Ast::default();
    let mut lower = Lower::new(program, &empty);
    lower.poisoned = poisoned;
    lower.options = options.clone();
    for unit in units {
        lower.note_definitions(unit);
        lower.note_attributes(unit);
        lower.note_addressed(unit);
    }
    lower.note_weak(units, texts.is_system);
    lower.note_inline(units, texts.same_text);
    for (index, unit) in units.iter().enumerate() {
        lower.ast = unit;
        if index == own_units {
            (lower.situation.in_library, lower.own_edges) = (true, lower.program.edges.len() as u32);
        }
        lower.weak.unit = index;
        lower.open_unit(index == 0);
        for item in &unit.items {
            lower.declaration(*item);
            if lower.errors >= MAX_ERRORS {
                break;
            }
        }
    }
    if own_units == units.len() {
        lower.own_edges = lower.program.edges.len() as u32;
    }
    lower.finish();
    lower.finish_registers();
    options.note_registers(&mut lower.program);
    let outside = lower.take_outside();
    lower.mark_conflicts();
    lower.resolve_non_local_jumps();
    (lower.program, lower.diagnostics, outside, lower.poisoned)
}

impl<'a> Lower<'a> {
    fn new(program: Program, ast: &'a Ast) -> Self {
        Lower {
            ast,
            program,
            diagnostics: Vec::new(),
            errors: 0,
            names: Names::default(),
            linkage: FxHashMap::default(),
            intrinsics: FxHashMap::default(),
            defined: FxHashSet::default(),
            defined_objects: FxHashSet::default(),
            volatile_elsewhere: FxHashSet::default(),
            options: CompileOptions::of(DataModel::Lp64),
            volatile_places: FxHashMap::default(),
            registers: BTreeMap::new(),
            outside_readers: FxHashMap::default(),
            noreturn: FxHashSet::default(),
            character_tables: FxHashMap::default(),
            unsupported: FxHashMap::default(),
            unsupported_by_name: FxHashMap::default(),
            va_list: None,
            argument_list: None,
            require_function: None,
            flexible: FxHashMap::default(),
            unusable: FxHashMap::default(),
            addressed: FxHashSet::default(),
            unsequenced: Vec::new(),
            unfinished_stores: Vec::new(),
            end_writes: [None; 2],
            qualifiers: qualifiers::DeclaredQualifiers::default(),
            enumerations: enumeration::EnumerationNames::default(),
            chain: Vec::new(),
            other_names: FxHashMap::default(),
            before_main: Vec::new(),
            jump_targets: Vec::new(),
            weak: weak::Weak::default(),
            inline: inline::Inline::default(),
            function: None,
            effect_wanted: None,
            poison_wanted: None,
            poisoned: None,
            vla_shapes: Vec::new(),
            situation: Situation::default(),
            known: BTreeMap::new(),
            folded_fault: false,
            outside: Outside::default(),
            own_edges: 0,
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(span, message));
    }

    fn warning(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::warning(span, message));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == base::Severity::Error {
            self.errors += 1;
            if self.errors > MAX_ERRORS {
                return;
            }
        }
        self.diagnostics.push(diagnostic);
    }

    fn text(&self, symbol: Symbol) -> &str {
        self.program.names.resolve(symbol)
    }

    fn type_name(&self, ty: TypeId) -> String {
        self.program.types.c_name(ty, &self.program.names)
    }

    fn push(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        self.program.exprs.push(Expr { kind, ty, span })
    }

    fn constant(&mut self, bits: Bits, ty: TypeId, span: Span) -> ExprId {
        self.push(ExprKind::Const(bits), ty, span)
    }

    fn int(&mut self, value: i128, ty: TypeId, span: Span) -> ExprId {
        let bits = cfa::eval::from_i128(&self.program.types, ty, value);
        self.constant(bits, ty, span)
    }

    fn expr_type(&self, expr: ExprId) -> TypeId {
        self.program.exprs[expr].ty
    }

    fn place_type(&self, place: PlaceId) -> TypeId {
        self.program.places[place].ty
    }

    fn span_of(&self, expr: ExprId) -> Span {
        self.program.exprs[expr].span
    }

    fn read(&mut self, place: PlaceId, span: Span) -> ExprId {
        let ty = self.place_type(place);
        self.push(ExprKind::Read(place), ty, span)
    }

    fn place(&mut self, kind: PlaceKind, ty: TypeId) -> PlaceId {
        self.program.places.push(Place { kind, ty })
    }

    fn var_place(&mut self, var: VarId) -> PlaceId {
        let ty = self.program.vars[var].ty;
        self.place(PlaceKind::Var(var), ty)
    }

    fn read_var(&mut self, var: VarId, span: Span) -> ExprId {
        let place = self.var_place(var);
        self.read(place, span)
    }

    /// The address of a place, typed as a pointer to `target` (the place's type, or the element type of an array that decays).
    fn address_of(&mut self, place: PlaceId, target: TypeId, span: Span) -> ExprId {
        let pointer = self.program.types.pointer_to(target);
        // `&*p` is `p`, also where `p` is not valid (C11 6.5.3.2).
        if let PlaceKind::Deref(inner) = self.program.places[place].kind {
            return self.cast(inner, pointer, span);
        }
        if let Some(bits) = self.constant_address(place) {
            return self.constant(bits, pointer, span);
        }
        let mut root = place;
        let var = loop {
            match self.program.places[root].kind {
                PlaceKind::Var(var) => break Some(var),
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => root = base,
                PlaceKind::Deref(_) => break None,
            }
        };
        if let Some(var) = var {
            self.program.vars[var].address_taken = true;
        }
        // The length of an array may be known only later: its address is seen as that of its first element until then.
        if let (cfa::Type::Array(element, None), true) = (self.program.types.get(target).clone(), place == root) {
            let first = self.program.types.pointer_to(element);
            let address = self.push(ExprKind::AddrOf(place), first, span);
            return self.push(ExprKind::Cast(address), pointer, span);
        }
        self.push(ExprKind::AddrOf(place), pointer, span)
    }

    /// `&((struct s *)0)->f` and the like: an address computed from a number is a number.
    fn constant_address(&self, place: PlaceId) -> Option<Bits> {
        let program = &self.program;
        let types = &program.types;
        match program.places[place].kind {
            PlaceKind::Var(_) => None,
            PlaceKind::Deref(pointer) => program.constant(pointer),
            PlaceKind::Field(base, index) => {
                let start = self.constant_address(base)?;
                let cfa::Type::Record(record) = *types.get(self.place_type(base)) else { return None };
                Some(Bits::new(start.get() + types.records[record].fields[index as usize].offset as u128))
            }
            PlaceKind::Index(base, index) => {
                let start = self.constant_address(base)?;
                let index = cfa::eval::to_i128(types, self.expr_type(index), program.constant(index)?);
                let size = types.size_of(self.place_type(place))? as i128;
                Some(Bits::new((start.get() as i128 + index * size) as u64 as u128))
            }
        }
    }

    /// What a pointer points to, as a place of type `ty`.
    fn deref(&mut self, pointer: ExprId, ty: TypeId) -> PlaceId {
        // `*&x` is `x`: keeps places structural where the program only takes a detour.
        if let ExprKind::AddrOf(place) = self.program.exprs[pointer].kind {
            if self.place_type(place) == ty {
                return place;
            }
            if let cfa::Type::Array(element, _) = *self.program.types.get(self.place_type(place))
                && element == ty
            {
                let zero = self.int(0, TypeId::INT, self.span_of(pointer));
                return self.place(PlaceKind::Index(place, zero), ty);
            }
        }
        self.place(PlaceKind::Deref(pointer), ty)
    }

    fn temp(&mut self, ty: TypeId, span: Span) -> VarId {
        let name = self.program.names.intern("$t");
        let (kind, init) = match &self.function {
            Some(function) => (VarKind::Temp(function.id), Init::None),
            None => (VarKind::Constant, Init::Zero),
        };
        self.program.vars.push(Var { name, ty, kind, init, address_taken: false, read_only: false, span })
    }

    /// An unnamed object of static lifetime that must not be written.
    fn constant_object(&mut self, ty: TypeId, init: Init, span: Span) -> VarId {
        let name = self.program.names.intern("$constant");
        self.program.vars.push(Var {
            name,
            ty,
            kind: VarKind::Constant,
            init,
            address_taken: true,
            read_only: false,
            span,
        })
    }

    fn is_defined(&self, function: FuncId) -> bool {
        matches!(self.program.functions[function].body, Body::Defined(_))
    }
}

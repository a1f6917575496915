//! Tree → automata: types are checked and operations made in one walk. A program is one endless loop, the scan cycle ([`cycle`]); a body is put where it is
//! called ([`call`], [`flow`]). What is not supported is a poison edge where it is used.

mod address;
mod builtin;
mod call;
mod condition;
mod constant;
mod cycle;
mod edge;
mod expr;
mod flow;
mod jump;
mod member;
mod operator;
mod part;
mod requirement;
mod shift;
mod stmt;
mod text;
mod types;
mod vars;

pub use condition::condition;
pub use constant::duration;
pub use types::int_name;

use super::ast::{PouKind, StmtKind, Unit, key};
use crate::requirement::Requirement;
use crate::{CompileOptions, Compiled};
use base::{Diagnostic, Severity, Span};
use cfa::types::FunctionType;
use cfa::undefined::Outside;
use cfa::{Automaton, Body, FuncId, Function, LocId, Op, Program, Scope, ScopeId, Type, TypeId};
use flow::{Cursor, Flow};
use rustc_hash::{FxHashMap, FxHashSet};
use types::{EnumTy, StructTy, Ty};
use vars::{Frame, Instance, InstanceId, Slot};

/// A requirement with the place of its sentence and of its parameters in the source map.
pub struct Placed<'r> {
    pub requirement: &'r Requirement,
    pub sentence: Span,
    /// Text and position of each parameter.
    pub parameters: Vec<(String, u32)>,
}

enum Named {
    Declared(usize),
    Open,
    Known(Ty),
}

pub struct Lower<'a> {
    program: Program,
    unit: &'a Unit,
    options: &'a CompileOptions,
    pous: FxHashMap<String, usize>,
    /// Numbers of declared types by their names.
    type_numbers: FxHashMap<String, usize>,
    named_types: FxHashMap<String, Named>,
    structs: Vec<StructTy>,
    enums: Vec<EnumTy>,
    /// By name: the enumeration and the value.
    enumerators: FxHashMap<String, Vec<(usize, i128)>>,
    globals: FxHashMap<String, Slot>,
    /// Variables at addresses, as `%IX0.0`.
    located: Vec<address::Located>,
    /// Addresses that share bits with others of the program on some controllers.
    overlapping: FxHashSet<String>,
    /// Siemens: addresses of all sizes count bytes.
    by_bytes: bool,
    instances: Vec<Instance>,
    open_instances: Vec<usize>,
    /// What the names `instance.x` of requirements are about.
    entry_instance: Option<InstanceId>,
    /// Variables that count the time since they were set.
    clocks: Vec<cfa::PlaceId>,
    /// Variables of standard blocks that are neither inputs nor outputs of them.
    private: FxHashSet<cfa::VarId>,
    /// The time since the first cycle, if the program asks for it.
    now: Option<cfa::PlaceId>,
    /// Variables of functions, the same at every call.
    locals: FxHashMap<(FuncId, Span, Option<String>), Slot>,
    frames: Vec<Frame>,
    flow: Flow,
    /// Index expressions are kept in temporaries: what they name must not change.
    freeze: bool,
    /// Loops can be built with GOTO.
    has_jumps: bool,
    diagnostics: Vec<Diagnostic>,
    said: FxHashSet<(Span, String)>,
    /// Types that are not supported, where they are written.
    unsupported: Vec<(Span, &'static str)>,
}

/// More edges than this no program has: bodies that call others again and again would grow without end.
const MAX_EDGES: usize = 2_000_000;

/// Lowers what files declare, with the requirements that hold at the end of every cycle. Without an entry that is clear, all bodies become functions of their own.
pub fn lower(unit: &Unit, options: &CompileOptions, requirements: &[Placed<'_>]) -> Compiled {
    let mut checked = Lower::new(unit, options);
    checked.check_all();
    let mut diagnostics = std::mem::take(&mut checked.diagnostics);
    let finish = |program, mut diagnostics: Vec<Diagnostic>, entry| {
        diagnostics.sort_by_key(|diagnostic| diagnostic.span.lo);
        diagnostics.dedup();
        let cycle_time = Some(cycle::time_of(unit, &options.cycle));
        Compiled { program, diagnostics, outside: Outside::default(), entry: Some(entry), cycle_time }
    };
    if diagnostics.iter().any(|one| one.severity == Severity::Error) {
        return finish(checked.program, diagnostics, Err("the program has errors".into()));
    }
    match cycle::entry_of(unit, options.cycle.entry.as_deref()) {
        Ok(entry) => {
            let mut lower = Lower::new(unit, options);
            let function = lower.cycle(entry, requirements);
            diagnostics.extend(lower.diagnostics);
            finish(lower.program, diagnostics, Ok(function))
        }
        Err(reason) => finish(checked.program, diagnostics, Err(reason)),
    }
}

impl<'a> Lower<'a> {
    fn new(unit: &'a Unit, options: &'a CompileOptions) -> Self {
        let mut program = options.program();
        program.language = Some(super::LANGUAGE);
        let flow = Flow {
            function: FuncId(0),
            scope: ScopeId(0),
            cursor: Cursor::Nowhere,
            anchor: 0,
            checks: false,
            emitted: false,
        };
        let mut lower = Lower {
            program,
            unit,
            options,
            pous: FxHashMap::default(),
            type_numbers: FxHashMap::default(),
            named_types: FxHashMap::default(),
            structs: Vec::new(),
            enums: Vec::new(),
            enumerators: FxHashMap::default(),
            globals: FxHashMap::default(),
            located: Vec::new(),
            overlapping: FxHashSet::default(),
            by_bytes: unit.pous.iter().any(|pou| pou.kind == PouKind::OrganizationBlock),
            instances: Vec::new(),
            open_instances: Vec::new(),
            entry_instance: None,
            clocks: Vec::new(),
            private: FxHashSet::default(),
            now: None,
            locals: FxHashMap::default(),
            frames: Vec::new(),
            flow,
            freeze: false,
            has_jumps: false,
            diagnostics: Vec::new(),
            said: FxHashSet::default(),
            unsupported: Vec::new(),
        };
        lower.declare();
        lower
    }

    /// The names of all units and types, and the global variables.
    fn declare(&mut self) {
        let unit = self.unit;
        for (index, ty) in unit.types.iter().enumerate() {
            self.type_numbers.insert(ty.name.key(), index);
            if self.named_types.insert(ty.name.key(), Named::Declared(index)).is_some() {
                self.error(ty.name.span, format!("the type `{}` is declared twice", ty.name.text));
            }
        }
        for (index, pou) in unit.pous.iter().enumerate() {
            if pou.kind == PouKind::DataBlock {
                continue;
            }
            let name = match &pou.owner {
                Some(owner) => member_key(&owner.key(), &pou.name.key()),
                None => pou.name.key(),
            };
            match self.pous.get(&name).copied() {
                // The user's own definition counts.
                Some(_) if pou.is_library => {}
                Some(first) => {
                    let error = Diagnostic::error(pou.name.span, format!("`{}` is declared twice", pou.name.text))
                        .note(unit.pous[first].name.span, "first declared here");
                    self.diagnostics.push(error);
                }
                None => drop(self.pous.insert(name, index)),
            }
        }
        // All enumerations first: their values are names everywhere.
        for ty in &unit.types {
            self.type_named(&ty.name.text);
        }
        self.find_overlaps();
        self.declare_globals();
        self.declare_addresses();
    }

    fn declare_globals(&mut self) {
        let unit = self.unit;
        let blocks = || {
            unit.globals.iter().chain(unit.pous.iter().flat_map(|pou| {
                // `VAR_GLOBAL` in a program.
                pou.blocks
                    .iter()
                    .filter(|block| block.class == super::ast::VarClass::Global && pou.kind != PouKind::DataBlock)
            }))
        };
        for block in blocks().filter(|block| block.constant).chain(blocks().filter(|block| !block.constant)) {
            for decl in &block.vars {
                let slot = self.static_slot(decl.name.text.clone(), block, decl);
                if !decl.name.text.is_empty() && self.globals.insert(decl.name.key(), slot).is_some() {
                    self.error(decl.name.span, format!("`{}` is declared twice", decl.name.text));
                }
            }
        }
        for pou in unit.pous.iter().filter(|pou| pou.kind == PouKind::DataBlock) {
            let name = &pou.name.text;
            let slot = match &pou.instance_of {
                Some(ty) => match self.pous.get(&ty.key()).copied() {
                    Some(block) => Slot::Block(self.new_instance(block, name, pou.name.span)),
                    None => match self.named_types.contains_key(&ty.key()) {
                        true => {
                            let ty =
                                super::ast::TypeExpr { kind: super::ast::TypeKind::Named(ty.clone()), span: ty.span };
                            let decl = super::ast::VarDecl {
                                name: pou.name.clone(),
                                ty,
                                init: None,
                                address: None,
                                edge: None,
                            };
                            let block = super::ast::VarBlock {
                                class: super::ast::VarClass::Global,
                                constant: false,
                                vars: Vec::new(),
                            };
                            self.static_slot(name.clone(), &block, &decl)
                        }
                        false => {
                            self.missing(ty.span, &format!("`{}` is not declared", ty.text));
                            Slot::Unsupported("what is declared elsewhere")
                        }
                    },
                },
                None => {
                    let frame = self.new_frame(None, FxHashMap::default(), None);
                    self.frames.push(frame);
                    for block in &pou.blocks {
                        for decl in &block.vars {
                            let given = assigned(&pou.body, decl).or(decl.init.clone());
                            let decl = super::ast::VarDecl { init: given, ..decl.clone() };
                            let slot = self.static_slot(format!("{name}.{}", decl.name.text), block, &decl);
                            self.define(&decl, slot);
                        }
                    }
                    let slots = self.frames.pop().map(|frame| frame.names).unwrap_or_default();
                    self.instances.push(Instance { pou: None, name: name.clone(), slots });
                    Slot::Block(self.instances.len() - 1)
                }
            };
            for stmt in &pou.body {
                let is_initial = match &stmt.kind {
                    StmtKind::Assign(target, _) if pou.instance_of.is_none() && is_own(target, pou) => true,
                    StmtKind::Assign(target, value) => self.initialize_part(&slot, target, value),
                    _ => false,
                };
                if !is_initial {
                    self.unsupported.push((stmt.span, "this initial value of a data block"));
                }
            }
            self.globals.insert(pou.name.key(), slot);
        }
    }

    /// Every body as a function of its own, to find what is wrong in them.
    fn check_all(&mut self) {
        let unit = self.unit;
        for (index, pou) in unit.pous.iter().enumerate() {
            if pou.is_library || pou.kind == PouKind::DataBlock || self.pous.get(&pou.name.key()) != Some(&index) {
                continue;
            }
            let start = self.begin_function(&pou.name.text, pou.name.span, pou.span);
            let instance = self.new_entry(index, &pou.name.text);
            self.inline_entry(index, instance);
            self.end_function(start);
            for (number, member) in unit.pous.iter().enumerate() {
                if member.owner.as_ref().is_some_and(|owner| owner.key() == pou.name.key()) {
                    let name = member_key(&pou.name.text, &member.name.text);
                    let start = self.begin_function(&name, member.name.span, member.span);
                    self.inline_member(number, instance);
                    self.end_function(start);
                }
            }
        }
        let unsupported = std::mem::take(&mut self.unsupported);
        for (span, what) in unsupported {
            let message = format!("{what} is not supported: a run that comes to it has no answer");
            self.warning(span, message);
        }
    }

    /// A block and those that it extends, the last of them first.
    pub fn ancestry(&self, pou: usize) -> Vec<usize> {
        let mut found = vec![pou];
        while let Some(base) = &self.unit.pous[found[0]].base
            && let Some(base) = self.pous.get(&base.key())
            && !found.contains(base)
        {
            found.insert(0, *base);
        }
        found
    }

    /// The variables of a block, with those of the blocks that it extends.
    pub fn blocks_of(&self, pou: usize) -> Vec<&'a super::ast::VarBlock> {
        let unit: &'a Unit = self.unit;
        self.ancestry(pou).into_iter().flat_map(|one| &unit.pous[one].blocks).collect()
    }

    /// The method or action with a name that a block has or inherits.
    pub fn member_of(&self, pou: usize, name: &str) -> Option<usize> {
        let found = |one: &usize| self.pous.get(&member_key(&self.unit.pous[*one].name.key(), &key(name))).copied();
        self.ancestry(pou).iter().rev().find_map(found)
    }

    pub fn is_export(&self) -> bool {
        let pou = self.frames.last().and_then(|frame| frame.pou);
        match pou {
            Some(pou) => self.unit.pous[pou].is_export,
            None => self.unit.pous.iter().any(|pou| pou.is_export),
        }
    }

    fn is_scl(&self) -> bool {
        let pou = self.frames.last().and_then(|frame| frame.pou);
        match pou {
            Some(pou) => self.unit.pous[pou].is_scl,
            None => self.unit.pous.iter().any(|pou| pou.is_scl),
        }
    }

    pub fn error(&mut self, span: Span, message: impl Into<String>) {
        let message = message.into();
        if self.said.insert((span, message.clone())) {
            self.diagnostics.push(Diagnostic::error(span, message));
        }
    }

    pub fn warning(&mut self, span: Span, message: impl Into<String>) {
        let message = message.into();
        let in_library = self.frames.last().is_some_and(|frame| frame.called_at.is_some());
        if !in_library && self.said.insert((span, message.clone())) {
            self.diagnostics.push(Diagnostic::warning(span, message));
        }
    }

    /// A name that is not declared: an error, but in an export file, which is one object of a project, only reaching it is one.
    pub fn missing(&mut self, span: Span, message: &str) {
        if self.is_export() {
            self.warning(span, format!("{message} in this file: a run that comes to it has no answer"));
        } else {
            self.error(span, message);
        }
    }

    /// Why a type could not be used.
    pub fn why_bad(&self, span: Span) -> &'static str {
        let inside = |place: &Span| span.lo <= place.lo && place.hi <= span.hi;
        let found = self.unsupported.iter().rev().find(|(place, _)| inside(place));
        found.map_or("what is declared elsewhere", |(_, what)| what)
    }

    fn begin_function(&mut self, name: &str, name_span: Span, span: Span) -> Start {
        let ty = FunctionType { result: TypeId::VOID, params: Vec::new(), variadic: false, unprototyped: false };
        let ty = self.program.types.intern(Type::Function(ty));
        let symbol = self.program.names.intern(name);
        let function = Function { name: symbol, ty, params: Vec::new(), body: Body::Undefined, span: name_span };
        let function = self.program.functions.push(function);
        let visible = self.program.scopes[ScopeId(0)].names.len() as u32;
        let scope = Scope { parent: Some((ScopeId(0), visible)), names: Vec::new(), span };
        let scope = self.program.scopes.push(scope);
        self.flow = Flow { function, scope, cursor: Cursor::Nowhere, anchor: span.lo, checks: false, emitted: false };
        let vars = self.program.vars.len() as u32;
        let (locations, edges) = (self.program.locations.len() as u32, self.program.edges.len() as u32);
        let entry = self.new_location();
        let exit = self.new_location();
        self.flow.cursor = Cursor::At(entry);
        Start { function, entry, exit, locations, edges, vars, scope, span }
    }

    fn end_function(&mut self, start: Start) {
        self.emit_to(Op::Return(None), start.span, start.exit);
        self.close_function(start);
    }

    fn close_function(&mut self, start: Start) {
        let locations = start.locations..self.program.locations.len() as u32;
        let edges = start.edges..self.program.edges.len() as u32;
        let vars = start.vars..self.program.vars.len() as u32;
        let Start { function, entry, exit, scope, span, .. } = start;
        // Instances become global variables while their calls are lowered.
        let visible = self.program.scopes[ScopeId(0)].names.len() as u32;
        self.program.scopes[scope].parent = Some((ScopeId(0), visible));
        let automaton = Automaton { entry, exit, locations, edges, vars, scope, span };
        self.program.functions[function].body = Body::Defined(automaton);
        if self.has_jumps {
            cfa::loops::mark_loop_heads(&mut self.program, function);
        }
    }
}

/// What `BEGIN` of a data block gives to a variable: the last one counts.
fn assigned(body: &[super::ast::Stmt], decl: &super::ast::VarDecl) -> Option<super::ast::Expr> {
    body.iter().rev().find_map(|stmt| match &stmt.kind {
        StmtKind::Assign(target, value) if named(target) == Some(decl.name.key()) => Some(value.clone()),
        _ => None,
    })
}

fn named(target: &super::ast::Expr) -> Option<String> {
    match &target.kind {
        super::ast::ExprKind::Name(name) => Some(key(name)),
        _ => None,
    }
}

fn is_own(target: &super::ast::Expr, pou: &super::ast::Pou) -> bool {
    let mut own = pou.blocks.iter().flat_map(|block| &block.vars);
    named(target).is_some_and(|name| own.any(|decl| decl.name.key() == name))
}

/// What a method or action is called among all units.
fn member_key(owner: &str, name: &str) -> String {
    format!("{owner}.{name}")
}

/// A function that is being built.
struct Start {
    function: FuncId,
    entry: LocId,
    exit: LocId,
    locations: u32,
    edges: u32,
    vars: u32,
    scope: ScopeId,
    span: Span,
}

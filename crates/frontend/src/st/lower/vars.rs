//! Variables: what names of the text stand for. A function block that is declared as a variable becomes variables of its own for everything in it, named
//! `instance.variable`, so that no instance needs a pointer; all of them keep their values from cycle to cycle. Variables of functions and temporary ones are
//! set to their initial values at every call.

use super::super::ast::{Expr, PouKind, TypeKind, VarBlock, VarClass, VarDecl, key};
use super::Lower;
use super::constant::Const;
use super::types::Ty;
use base::Span;
use cfa::{
    Binding, Expr as CfaExpr, ExprId, ExprKind, Init, Op, Place, PlaceId, PlaceKind, StaticInit, TypeId, Var, VarId,
    VarKind,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;

pub type InstanceId = usize;

/// What a name stands for.
#[derive(Clone)]
pub enum Slot {
    Place {
        place: PlaceId,
        ty: Ty,
        writable: bool,
    },
    Const(Const, Ty),
    Block(InstanceId),
    /// An array of function blocks, by its bounds, in the order of the elements.
    Blocks(Rc<(Vec<(i128, i128)>, Vec<InstanceId>)>),
    /// Declared, but of something that is not supported or not known.
    Unsupported(&'static str),
}

/// A function block, program or data block with its variables.
pub struct Instance {
    pub pou: Option<usize>,
    pub name: String,
    pub slots: FxHashMap<String, Slot>,
}

/// The code that is being lowered: a body at the place where it runs.
pub struct Frame {
    pub pou: Option<usize>,
    pub names: FxHashMap<String, Slot>,
    /// What `ANY` is in this call of a function of the library.
    pub any: Option<Ty>,
    /// Where a body of the library is called.
    pub called_at: Option<Span>,
    /// The instance whose body or method it is, and what its VAR_IN_OUT are in this call.
    pub instance: Option<InstanceId>,
    pub bound: FxHashMap<String, Slot>,
    /// Where RETURN leads.
    pub end: cfa::LocId,
    /// Where EXIT and CONTINUE lead.
    pub loops: Vec<(cfa::LocId, cfa::LocId)>,
    /// Where GOTO leads.
    pub labels: FxHashMap<String, cfa::LocId>,
}

/// Of the instances of one program.
const MAX_INSTANCES: usize = 100_000;

/// A variable of the library's timers with this name is a clock: it counts the time since it was set.
const CLOCK: &str = "ELAPSED";

/// A path of names as SCL reads it: in quotation marks what is no word.
pub fn marked(path: &str) -> String {
    let is_word = |part: &str| part.chars().all(|letter| letter.is_alphanumeric() || "_$[],-".contains(letter));
    if path.split('.').all(is_word) {
        return path.to_string();
    }
    let parts = path.split('.').map(|part| if is_word(part) { part.to_string() } else { format!("\"{part}\"") });
    parts.collect::<Vec<_>>().join(".")
}

/// What is made of a declaration.
struct NewVar<'d> {
    name: String,
    decl: &'d VarDecl,
    ty: Ty,
    kind: VarKind,
}

impl Lower<'_> {
    pub fn expr(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        self.program.exprs.push(CfaExpr { kind, ty, span })
    }

    pub fn new_place(&mut self, kind: PlaceKind, ty: TypeId) -> PlaceId {
        self.program.places.push(Place { kind, ty })
    }

    pub fn read(&mut self, place: PlaceId, span: Span) -> ExprId {
        let ty = self.program.places[place].ty;
        self.expr(ExprKind::Read(place), ty, span)
    }

    pub fn push_var(&mut self, name: &str, ty: TypeId, kind: VarKind, init: Init, span: Span) -> VarId {
        let symbol = self.program.names.intern(name);
        let var = Var { name: symbol, ty, kind, init, address_taken: false, read_only: false, span };
        let var = self.program.vars.push(var);
        let scope = match kind {
            VarKind::Global => cfa::ScopeId(0),
            VarKind::Local(_) => self.flow.scope,
            _ => return var,
        };
        self.program.scopes[scope].names.push((symbol, Binding::Var(var)));
        var
    }

    pub fn var_place(&mut self, var: VarId) -> PlaceId {
        let ty = self.program.vars[var].ty;
        self.new_place(PlaceKind::Var(var), ty)
    }

    /// A variable that no user sees.
    pub fn temp(&mut self, ty: TypeId) -> PlaceId {
        let kind = VarKind::Temp(self.flow.function);
        let var = self.push_var("", ty, kind, Init::None, Span::NONE);
        self.var_place(var)
    }

    /// What a name stands for here: in the block, or at the outermost level.
    pub fn lookup(&self, name: &str) -> Option<Slot> {
        let name = key(name);
        if let Some(frame) = self.frames.last()
            && let Some(slot) = frame.names.get(&name)
        {
            return Some(slot.clone());
        }
        self.globals.get(&name).cloned()
    }

    /// A variable with storage.
    fn new_var(&mut self, new: NewVar<'_>) -> Slot {
        let NewVar { name, decl, ty, kind } = new;
        let name = marked(&name);
        let id = self.cfa_type(&ty);
        let span = self.place_of(decl.name.span);
        let init = match kind {
            VarKind::Global => {
                let init = self.initial_of(decl);
                let bytes = self.initial_bytes(&ty, init.as_ref());
                match bytes.iter().all(|byte| *byte == 0) {
                    true => Init::Zero,
                    false => Init::Static(StaticInit { bytes, relocations: Vec::new() }),
                }
            }
            _ => Init::None,
        };
        let var = self.push_var(&name, id, kind, init, span);
        let inner = match &ty {
            Ty::Array(array) => &array.element,
            other => other,
        };
        if let Ty::Enum(number) = inner {
            let shown = self.enums[*number].shown;
            self.program.enumerations.of_var(var, shown);
        }
        let place = self.var_place(var);
        Slot::Place { place, ty, writable: true }
    }

    /// The slot of a declaration of static lifetime, with everything that belongs to it.
    pub fn static_slot(&mut self, name: String, block: &VarBlock, decl: &VarDecl) -> Slot {
        if let (TypeKind::Inferred, Some(init)) = (&decl.ty.kind, &decl.init) {
            return self.inferred(init);
        }
        let ty = self.resolve_type(&decl.ty);
        match &ty {
            Ty::Bad => return Slot::Unsupported(self.why_bad(decl.ty.span)),
            Ty::Block(pou) => {
                let instance = self.new_instance(*pou, &name, decl.name.span);
                self.initialize_instance(instance, decl.init.as_ref());
                return Slot::Block(instance);
            }
            Ty::Array(array) if matches!(array.element, Ty::Block(_)) => {
                let Ty::Block(pou) = array.element else { return Slot::Unsupported("array") };
                let mut names = vec![String::new()];
                for (low, high) in &array.dimensions {
                    let join = |prefix: &String, index| match prefix.is_empty() {
                        true => format!("{index}"),
                        false => format!("{prefix},{index}"),
                    };
                    names =
                        names.iter().flat_map(|prefix| (*low..=*high).map(move |index| join(prefix, index))).collect();
                }
                let span = decl.name.span;
                let instances =
                    names.iter().map(|index| self.new_instance(pou, &format!("{name}[{index}]"), span)).collect();
                return Slot::Blocks(Rc::new((array.dimensions.clone(), instances)));
            }
            _ => {}
        }
        if block.constant && ty.is_scalar() && block.class != VarClass::Input {
            let init = self.initial_of(decl);
            let value = init.as_ref().map_or(Some(Const::Int(0)), |init| self.const_value(init));
            if let Some(value) = value {
                return Slot::Const(value, ty);
            }
        }
        if let Some(address) = &decl.address
            && let Some(slot) = self.at_address(address, &ty)
        {
            return slot;
        }
        let slot = match self.new_var(NewVar { name, decl, ty, kind: VarKind::Global }) {
            Slot::Place { place, ty, .. } => Slot::Place { place, ty, writable: !block.constant },
            other => other,
        };
        if let Some(address) = &decl.address {
            self.locate(address, &decl.name, &slot);
        }
        slot
    }

    /// A constant that has the type of its value.
    fn inferred(&mut self, init: &Expr) -> Slot {
        let typed = match &init.kind {
            super::super::ast::ExprKind::Typed(prefix, rest) => self.typed_literal(prefix, rest, init.span),
            _ => None,
        };
        if let Some((value, ty)) = typed {
            return Slot::Const(value, ty);
        }
        match self.const_value(init) {
            Some(value) => {
                let ty = match (&value, &init.kind) {
                    (_, super::super::ast::ExprKind::Bool(_)) => Ty::Bool,
                    (Const::Int(_), _) => Ty::Int(cfa::IntKind::Int, false),
                    (Const::Real(_), _) => Ty::Real,
                    (Const::Text(text), _) => Ty::Text(text.len().max(1) as u32),
                };
                Slot::Const(value, ty)
            }
            None => {
                self.missing(init.span, "this is no constant that is declared here");
                Slot::Unsupported("what is declared elsewhere")
            }
        }
    }

    /// An instance with all its variables, and the instances in it.
    pub fn new_instance(&mut self, pou: usize, name: &str, span: Span) -> InstanceId {
        let number = self.instances.len();
        self.instances.push(Instance { pou: Some(pou), name: name.to_string(), slots: FxHashMap::default() });
        if self.open_instances.contains(&pou) || number > MAX_INSTANCES {
            let message = format!("`{}` contains itself", self.unit.pous[pou].name.text);
            self.error(span, message);
            return number;
        }
        self.open_instances.push(pou);
        let unit = self.unit;
        let data = &unit.pous[pou];
        let called_at = data.is_library.then(|| self.place_of(span));
        let frame = self.new_frame(Some(pou), FxHashMap::default(), called_at);
        self.frames.push(frame);
        for block in self.blocks_of(pou) {
            if matches!(block.class, VarClass::InOut | VarClass::External | VarClass::Temp) {
                continue;
            }
            for decl in &block.vars {
                let full = match name {
                    "" => decl.name.text.clone(),
                    _ => format!("{name}.{}", decl.name.text),
                };
                let slot = self.static_slot(full, block, decl);
                if let Slot::Place { place, .. } = &slot
                    && data.is_library
                    && block.class == VarClass::Local
                {
                    if let PlaceKind::Var(var) = self.program.places[*place].kind {
                        self.private.insert(var);
                    }
                    if decl.name.key() == CLOCK {
                        self.clocks.push(*place);
                    }
                }
                self.define(decl, slot);
                self.edge_slots(name, block, decl);
            }
        }
        let frame = self.frames.pop();
        self.instances[number].slots = frame.map(|frame| frame.names).unwrap_or_default();
        self.open_instances.pop();
        number
    }

    /// `x : TON := (PT := T#5s)`
    fn initialize_instance(&mut self, instance: InstanceId, init: Option<&Expr>) {
        let Some(init) = init else { return };
        let super::super::ast::ExprKind::Record(members) = &init.kind else {
            return self.error(init.span, "the variables of a function block are given as (name := value)");
        };
        for (name, value) in members {
            match self.instances[instance].slots.get(&name.key()).cloned() {
                Some(Slot::Place { place, ty, .. }) => {
                    let bytes = self.initial_bytes(&ty, Some(value));
                    if let PlaceKind::Var(var) = self.program.places[place].kind {
                        self.program.vars[var].init = Init::Static(StaticInit { bytes, relocations: Vec::new() });
                    }
                }
                _ => self.error(name.span, format!("`{}` is no variable of the function block", name.text)),
            }
        }
    }

    /// `x := 5;`, `a[1].b := 5;` in a data block.
    pub fn initialize_part(&mut self, slot: &Slot, target: &Expr, value: &Expr) -> bool {
        let Slot::Block(instance) = slot else { return false };
        let names = self.instances[*instance].slots.clone();
        let frame = self.new_frame(None, names, None);
        self.frames.push(frame);
        let found = self.target(target);
        let bytes = match &found {
            super::expr::Target::Place(_, ty, _) => self.initial_bytes(ty, Some(value)),
            _ => Vec::new(),
        };
        self.frames.pop();
        let super::expr::Target::Place(place, ..) = found else { return false };
        let Some((var, offset)) = self.constant_offset(place) else { return false };
        let size = self.program.types.size_of(self.program.vars[var].ty).unwrap_or(0) as usize;
        let mut all = match &self.program.vars[var].init {
            Init::Static(known) => known.bytes.clone(),
            _ => vec![0; size],
        };
        all[offset..offset + bytes.len()].copy_from_slice(&bytes);
        self.program.vars[var].init = Init::Static(StaticInit { bytes: all, relocations: Vec::new() });
        true
    }

    /// The variable that a place with constant indices is a part of, and where in it.
    fn constant_offset(&self, place: PlaceId) -> Option<(VarId, usize)> {
        match self.program.places[place].kind {
            PlaceKind::Var(var) => Some((var, 0)),
            PlaceKind::Deref(_) => None,
            PlaceKind::Field(of, number) => {
                let (var, offset) = self.constant_offset(of)?;
                let cfa::Type::Record(record) = *self.program.types.get(self.program.places[of].ty) else {
                    return None;
                };
                Some((var, offset + self.program.types.records[record].fields[number as usize].offset as usize))
            }
            PlaceKind::Index(of, index) => {
                let (var, offset) = self.constant_offset(of)?;
                let index = self.constant_index(index)?;
                let size = self.program.types.size_of(self.program.places[place].ty)?;
                Some((var, offset + index as usize * size as usize))
            }
        }
    }

    fn constant_index(&self, index: ExprId) -> Option<i128> {
        let ty = self.program.exprs[index].ty;
        match self.program.exprs[index].kind {
            ExprKind::Const(bits) => Some(cfa::eval::to_i128(&self.program.types, ty, bits)),
            ExprKind::Binary(cfa::BinOp::Sub, a, b) => Some(self.constant_index(a)? - self.constant_index(b)?),
            ExprKind::Cast(inner) => self.constant_index(inner),
            _ => None,
        }
    }

    /// Gives a name its meaning in the innermost frame.
    pub fn define(&mut self, decl: &VarDecl, slot: Slot) {
        let Some(frame) = self.frames.last_mut() else { return };
        if !decl.name.text.is_empty() && frame.names.insert(decl.name.key(), slot).is_some() {
            self.error(decl.name.span, format!("`{}` is declared twice", decl.name.text));
        }
    }

    pub fn new_frame(&mut self, pou: Option<usize>, names: FxHashMap<String, Slot>, called_at: Option<Span>) -> Frame {
        let any = None;
        let called_at = self.frames.last().and_then(|frame| frame.called_at).or(called_at);
        let (instance, bound) = (None, FxHashMap::default());
        Frame {
            pou,
            names,
            any,
            called_at,
            instance,
            bound,
            end: cfa::LocId(0),
            loops: Vec::new(),
            labels: FxHashMap::default(),
        }
    }

    /// Variables that begin anew at every call, of a block or a function, set to their initial values.
    pub fn begin_temporaries(&mut self, pou: usize) {
        let unit = self.unit;
        let data = &unit.pous[pou];
        let is_function = matches!(data.kind, PouKind::Function | PouKind::Method);
        for block in &data.blocks {
            let own = match block.class {
                VarClass::Temp => true,
                VarClass::Local | VarClass::Output => is_function,
                VarClass::External => {
                    self.check_external(block);
                    false
                }
                VarClass::Input | VarClass::InOut | VarClass::Global => false,
            };
            if !own {
                continue;
            }
            for decl in &block.vars {
                let slot = self.automatic_slot(block, decl);
                self.define(decl, slot);
            }
        }
    }

    fn check_external(&mut self, block: &VarBlock) {
        for decl in &block.vars {
            if !self.globals.contains_key(&decl.name.key()) {
                self.missing(decl.name.span, &format!("there is no global variable `{}`", decl.name.text));
            }
        }
    }

    /// A variable of a call, with its initial value.
    pub fn automatic_slot(&mut self, block: &VarBlock, decl: &VarDecl) -> Slot {
        if let (TypeKind::Inferred, Some(init)) = (&decl.ty.kind, &decl.init) {
            return self.inferred(init);
        }
        let ty = self.resolve_type(&decl.ty);
        match &ty {
            Ty::Bad => return Slot::Unsupported(self.why_bad(decl.ty.span)),
            Ty::Block(_) => return Slot::Unsupported("function block as variable of a function"),
            Ty::Array(array) if matches!(array.element, Ty::Block(_)) => {
                return Slot::Unsupported("function block as variable of a function");
            }
            _ => {}
        }
        if block.constant && ty.is_scalar() {
            let init = self.initial_of(decl);
            let value = init.as_ref().map_or(Some(Const::Int(0)), |init| self.const_value(init));
            if let Some(value) = value {
                return Slot::Const(value, ty);
            }
        }
        let slot = self.local_var(&decl.name.text, decl, ty, decl.name.span);
        if let Slot::Place { place, ty, .. } = &slot {
            let init = self.initial_of(decl);
            self.set_initial(*place, ty, init.as_ref(), decl.name.span);
        }
        slot
    }

    /// The variable that a declaration of a function or block has in this program; the same one at every call.
    /// It is declared where it gets its first value: there is no time between.
    pub fn local_var(&mut self, name: &str, decl: &VarDecl, ty: Ty, span: Span) -> Slot {
        let any = self.frames.last().and_then(|frame| frame.any.clone());
        let known = (self.flow.function, decl.name.span, any.map(|any| self.ty_name(&any)));
        let slot = match self.locals.get(&known) {
            Some(slot) => slot.clone(),
            None => {
                // The library's own are no user's.
                let called = self.frames.last().is_some_and(|frame| frame.called_at.is_some());
                let kind = if called { VarKind::Temp(self.flow.function) } else { VarKind::Local(self.flow.function) };
                let slot = self.new_var(NewVar { name: name.to_string(), decl, ty, kind });
                self.locals.insert(known, slot.clone());
                slot
            }
        };
        if let Slot::Place { place, .. } = &slot
            && let PlaceKind::Var(var) = self.program.places[*place].kind
        {
            self.emit(Op::Declare(var), span);
        }
        slot
    }

    /// Assigns the initial value of a type to a place.
    pub fn set_initial(&mut self, place: PlaceId, ty: &Ty, init: Option<&Expr>, span: Span) {
        let bytes = self.initial_bytes(ty, init);
        self.set_bytes(place, ty, &bytes, span);
    }

    fn set_bytes(&mut self, place: PlaceId, ty: &Ty, bytes: &[u8], span: Span) {
        for (part, offset, part_ty) in self.scalars_of(place, ty, 0) {
            let id = self.cfa_type(&part_ty);
            let size = self.program.types.size_of(id).unwrap_or(0) as usize;
            let mut value = [0u8; 16];
            value[..size].copy_from_slice(&bytes[offset..offset + size]);
            let value = self.expr(ExprKind::Const(cfa::Bits::new(u128::from_le_bytes(value))), id, span);
            self.emit(Op::Assign(part, value), span);
        }
    }

    /// The scalars that a place consists of, with their offsets. Of a text: its bytes.
    pub fn scalars_of(&mut self, place: PlaceId, ty: &Ty, offset: usize) -> Vec<(PlaceId, usize, Ty)> {
        match ty {
            Ty::Array(array) => {
                let offsets = self.element_offsets(ty);
                let mut parts = vec![place];
                for (dimension, (low, high)) in array.dimensions.iter().enumerate() {
                    let shift = array.shift(dimension);
                    let mut next = Vec::new();
                    for part in parts {
                        for index in *low..=*high {
                            next.push(self.element_of(part, index, shift));
                        }
                    }
                    parts = next;
                }
                let mut found = Vec::new();
                for (part, own) in parts.into_iter().zip(offsets) {
                    found.extend(self.scalars_of(part, &array.element, offset + own));
                }
                found
            }
            Ty::Text(length) => (0..=*length as i128)
                .map(|index| (self.element(place, index), offset + index as usize, Ty::Int(cfa::IntKind::UChar, true)))
                .collect(),
            Ty::Struct(number) => {
                let id = self.structs[*number].ty;
                let cfa::Type::Record(record) = *self.program.types.get(id) else { return Vec::new() };
                let mut found = Vec::new();
                for index in 0..self.structs[*number].members.len() {
                    let member = self.structs[*number].members[index].ty.clone();
                    let field = &self.program.types.records[record].fields[index];
                    let (own, field_ty) = (field.offset as usize, field.ty);
                    let part = self.new_place(PlaceKind::Field(place, index as u32), field_ty);
                    found.extend(self.scalars_of(part, &member, offset + own));
                }
                found
            }
            Ty::Bad | Ty::Block(_) => Vec::new(),
            _ => vec![(place, offset, ty.clone())],
        }
    }

    /// An element by its index in the text, from which something is taken off.
    fn element_of(&mut self, array: PlaceId, index: i128, shift: i128) -> PlaceId {
        if shift == 0 {
            return self.element(array, index);
        }
        let (index, shift) =
            (self.constant(index, TypeId::LONG_LONG, Span::NONE), self.constant(shift, TypeId::LONG_LONG, Span::NONE));
        let number = self.expr(ExprKind::Binary(cfa::BinOp::Sub, index, shift), TypeId::LONG_LONG, Span::NONE);
        let cfa::Type::Array(element, _) = *self.program.types.get(self.program.places[array].ty) else { return array };
        self.new_place(PlaceKind::Index(array, number), element)
    }

    /// An element by its number.
    pub fn element(&mut self, array: PlaceId, index: i128) -> PlaceId {
        let bits = cfa::eval::from_i128(&self.program.types, TypeId::INT, index);
        let index = self.expr(ExprKind::Const(bits), TypeId::INT, Span::NONE);
        let cfa::Type::Array(element, _) = *self.program.types.get(self.program.places[array].ty) else { return array };
        self.new_place(PlaceKind::Index(array, index), element)
    }
}

//! Initializers. Braces, designators and elided braces are resolved into a list of leaves (path in the object, value); static objects
//! become a byte image with relocations, automatic ones become assignments.

use super::Lower;
use super::constant::StaticValue;
use super::expr::Operand;
use crate::c::ast::{self, Designator, ExprKind as Ast, InitItem, InitKind};
use base::Span;
use cfa::types::{BitRange, RecordKind};
use cfa::{Bits, Callee, FuncId, Init, Op, PlaceId, PlaceKind, Relocation, RelocationTarget, StaticInit, Type, TypeId, VarId, VarKind};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Up to so many scalars an automatic aggregate is initialized one by one; beyond, by a copy or fill of memory.
const FEW: usize = 16;

/// Largest static image; an initialized object beyond that is a mistake or an attack.
const MAX_IMAGE: u64 = 1 << 30;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Field(u32),
    Index(u64),
}

type Path = SmallVec<[Step; 4]>;

struct Leaf {
    path: Path,
    ty: TypeId,
    value: LeafValue,
    span: Span,
}

#[derive(Clone, Copy)]
enum LeafValue {
    Expr(ast::ExprId),
    String(ast::StringId),
}

/// The items of one pair of braces, consumed one by one, also by the elided braces inside.
struct Items<'a> {
    items: &'a [InitItem],
    next: usize,
    /// The designators of the next item were already followed.
    designated: bool,
}

impl<'a> Items<'a> {
    fn peek(&self) -> Option<&'a InitItem> {
        self.items.get(self.next)
    }

    fn take(&mut self) {
        self.next += 1;
        self.designated = false;
    }

    /// Whether the next item names its place itself.
    fn at_designator(&self) -> bool {
        !self.designated && self.peek().is_some_and(|item| !item.designators.is_empty())
    }
}

impl<'a> Lower<'a> {
    /// The leaves of an initializer and the type it completes (an array without a length gets one).
    fn leaves(&mut self, ty: TypeId, init: ast::InitId) -> (TypeId, Vec<Leaf>) {
        let mut leaves = Vec::new();
        let mut path = Path::new();
        let length = self.object(ty, init, &mut path, &mut leaves);
        let ty = match *self.program.types.get(ty) {
            Type::Array(element, None) => self.program.types.array_of(element, Some(length)),
            _ => ty,
        };
        (ty, leaves)
    }

    /// One object; for arrays the result is the number of elements the initializer needs.
    fn object(&mut self, ty: TypeId, init: ast::InitId, path: &mut Path, out: &mut Vec<Leaf>) -> u64 {
        let ast::Init { kind, span } = self.ast.inits[init];
        match (kind, self.program.types.get(ty).clone()) {
            (InitKind::Expr(expr), Type::Array(element, length)) => match self.ast.exprs[expr].kind {
                Ast::String(string) if self.string_fits(string, element) => self.string_leaf(string, ty, length, path, out, span),
                // GNU: an array may be initialized by a compound literal of its type.
                Ast::CompoundLiteral(_, inner) => self.object(ty, inner, path, out),
                _ => {
                    self.error(span, "an array needs an initializer in braces or a string");
                    0
                }
            },
            (InitKind::Expr(expr), _) => {
                out.push(Leaf { path: path.clone(), ty, value: LeafValue::Expr(expr), span });
                0
            }
            (InitKind::List(items), shape) => {
                let items = self.ast.get(items);
                if let (Type::Array(element, length), [InitItem { designators, init }]) = (&shape, items)
                    && designators.is_empty()
                    && let InitKind::Expr(expr) = self.ast.inits[*init].kind
                    && let Ast::String(string) = self.ast.exprs[expr].kind
                    && self.string_fits(string, *element)
                {
                    return self.string_leaf(string, ty, *length, path, out, span);
                }
                let mut items = Items { items, next: 0, designated: false };
                match shape {
                    Type::Array(..) | Type::Record(_) => {
                        let length = self.aggregate(ty, &mut items, path, out, true);
                        if let Some(extra) = items.peek() {
                            self.warning(self.ast.inits[extra.init].span, "excess elements in the initializer");
                        }
                        length
                    }
                    // `int x = { 3 };`, also with `{}` as zero.
                    _ => {
                        if let Some(item) = items.peek() {
                            self.object(ty, item.init, path, out);
                        }
                        0
                    }
                }
            }
        }
    }

    fn string_fits(&self, string: ast::StringId, element: TypeId) -> bool {
        let (unit, ..) = self.string_image(string);
        let size = |ty: TypeId| self.program.types.size_of(ty);
        element.int_kind().is_some() && element != TypeId::BOOL && size(unit) == size(element)
    }

    fn string_leaf(
        &mut self,
        string: ast::StringId,
        ty: TypeId,
        length: Option<u64>,
        path: &mut Path,
        out: &mut Vec<Leaf>,
        span: Span,
    ) -> u64 {
        let (.., needed) = self.string_image(string);
        if length.is_some_and(|length| length + 1 < needed) {
            self.warning(span, "the string is too long for the array");
        }
        out.push(Leaf { path: path.clone(), ty, value: LeafValue::String(string), span });
        needed
    }

    /// Elements of an array or record from the stream of items. `braced`: the items are this object's own, so designators belong to it.
    fn aggregate(&mut self, ty: TypeId, items: &mut Items<'a>, path: &mut Path, out: &mut Vec<Leaf>, braced: bool) -> u64 {
        match self.program.types.get(ty).clone() {
            Type::Array(element, length) => {
                let (mut index, mut needed) = (0u64, 0u64);
                while items.peek().is_some() {
                    if items.at_designator() {
                        if !braced {
                            break;
                        }
                        let Some((low, high)) = self.designated_range(items, length) else { continue };
                        self.repeated(element, items, path, out, low, high);
                        index = high + 1;
                    } else {
                        if length.is_some_and(|length| index >= length) {
                            break;
                        }
                        path.push(Step::Index(index));
                        self.element(element, items, path, out);
                        path.pop();
                        index += 1;
                    }
                    needed = needed.max(index);
                }
                needed
            }
            Type::Record(record) => {
                let is_union = self.program.types.records[record].kind == RecordKind::Union;
                let mut index = 0u32;
                let mut seen = false;
                while items.peek().is_some() {
                    if items.at_designator() {
                        if !braced {
                            break;
                        }
                        let Some(next) = self.designated_field(record, items, path, out) else { continue };
                        index = next;
                        seen = true;
                        continue;
                    }
                    let fields = &self.program.types.records[record].fields;
                    if index as usize >= fields.len() || (is_union && seen) {
                        break;
                    }
                    let field = fields[index as usize].ty;
                    path.push(Step::Field(index));
                    self.element(field, items, path, out);
                    path.pop();
                    index += 1;
                    seen = true;
                }
                0
            }
            _ => 0,
        }
    }

    /// The next item (or several, with elided braces) for one element.
    fn element(&mut self, ty: TypeId, items: &mut Items<'a>, path: &mut Path, out: &mut Vec<Leaf>) {
        let Some(item) = items.peek() else { return };
        let InitKind::Expr(expr) = self.ast.inits[item.init].kind else {
            items.take();
            self.object(ty, item.init, path, out);
            return;
        };
        let whole = match self.program.types.get(ty).clone() {
            Type::Array(element, _) => match self.ast.exprs[expr].kind {
                Ast::String(string) => self.string_fits(string, element),
                _ => false,
            },
            Type::Record(_) => self.is_value_of_record(expr, ty),
            _ => true,
        };
        if whole {
            items.take();
            self.object(ty, item.init, path, out);
            return;
        }
        let before = items.next;
        items.designated = true;
        self.aggregate(ty, items, path, out, false);
        if items.next == before {
            // An empty aggregate takes nothing: skip the item rather than spin.
            items.take();
        }
    }

    fn is_value_of_record(&mut self, expr: ast::ExprId, ty: TypeId) -> bool {
        match self.ast.exprs[expr].kind {
            Ast::Int(_) | Ast::Float(_) | Ast::Char(..) | Ast::String(_) | Ast::SizeofType(_) | Ast::SizeofExpr(_) => false,
            _ => {
                let given = self.type_of_expr(expr);
                self.compatible(given, ty)
            }
        }
    }

    /// The range that the first designator of the next item selects in an array. `None` after an error; the item is then consumed.
    fn designated_range(&mut self, items: &mut Items<'a>, length: Option<u64>) -> Option<(u64, u64)> {
        let item = items.peek()?;
        let span = self.ast.inits[item.init].span;
        let (low, high) = match self.ast.get(item.designators)[0] {
            Designator::Index(index) => {
                let index = self.constant_int(index);
                (index, index)
            }
            Designator::Range(low, high) => (self.constant_int(low), self.constant_int(high)),
            Designator::Field(_, at) => {
                self.error(at, "field name in the initializer of an array");
                items.take();
                return None;
            }
        };
        let limit = length.unwrap_or(MAX_IMAGE) as i128;
        match (low, high) {
            (Some(low), Some(high)) if 0 <= low && low <= high && high < limit => Some((low as u64, high as u64)),
            (Some(_), Some(_)) => {
                self.error(span, "array index in the initializer is out of bounds");
                items.take();
                None
            }
            _ => {
                self.error(span, "array index in the initializer is not an integer constant");
                items.take();
                None
            }
        }
    }

    /// One designated item for each element of a range.
    fn repeated(&mut self, element: TypeId, items: &mut Items<'a>, path: &mut Path, out: &mut Vec<Leaf>, low: u64, high: u64) {
        let start = items.next;
        let mut end = start;
        for index in low..=high {
            (items.next, items.designated) = (start, false);
            path.push(Step::Index(index));
            self.designated_rest(element, items, path, out);
            path.pop();
            end = items.next;
            if out.len() as u64 > MAX_IMAGE / 16 {
                self.error(Span::NONE, "the initializer is too large");
                break;
            }
        }
        items.next = end.max(start + 1);
        items.designated = false;
    }

    /// Follows the first designator into a record; the result is the number of the field after it.
    fn designated_field(
        &mut self,
        record: cfa::RecordId,
        items: &mut Items<'a>,
        path: &mut Path,
        out: &mut Vec<Leaf>,
    ) -> Option<u32> {
        let item = items.peek()?;
        let span = self.ast.inits[item.init].span;
        let Designator::Field(name, at) = self.ast.get(item.designators)[0] else {
            self.error(span, "array index in the initializer of a struct");
            items.take();
            return None;
        };
        let Some(way) = self.find_field(record, name) else {
            let message = format!("no member `{}`", self.text(name));
            self.error(at, message);
            items.take();
            return None;
        };
        let depth = path.len();
        let mut inner = record;
        let mut ty = TypeId::INT;
        for index in &way {
            path.push(Step::Field(*index));
            ty = self.program.types.records[inner].fields[*index as usize].ty;
            if let Type::Record(next) = *self.program.types.get(ty) {
                inner = next;
            }
        }
        self.designated_rest(ty, items, path, out);
        path.truncate(depth);
        Some(way[0] + 1)
    }

    /// The designators after the first, then the value.
    fn designated_rest(&mut self, ty: TypeId, items: &mut Items<'a>, path: &mut Path, out: &mut Vec<Leaf>) {
        let Some(item) = items.peek() else { return };
        let designators = self.ast.get(item.designators);
        let depth = path.len();
        let mut ty = ty;
        for designator in &designators[1..] {
            match (*designator, self.program.types.get(ty).clone()) {
                (Designator::Field(name, at), Type::Record(mut record)) => {
                    let Some(way) = self.find_field(record, name) else {
                        let message = format!("no member `{}`", self.text(name));
                        self.error(at, message);
                        break;
                    };
                    for index in way {
                        path.push(Step::Field(index));
                        ty = self.program.types.records[record].fields[index as usize].ty;
                        if let Type::Record(next) = *self.program.types.get(ty) {
                            record = next;
                        }
                    }
                }
                (Designator::Index(index), Type::Array(element, length)) => match self.constant_int(index) {
                    Some(index) if index >= 0 && length.is_none_or(|length| (index as u64) < length) => {
                        path.push(Step::Index(index as u64));
                        ty = element;
                    }
                    _ => {
                        self.error(self.ast.inits[item.init].span, "invalid array index in the initializer");
                        break;
                    }
                },
                _ => {
                    self.error(self.ast.inits[item.init].span, "the designator does not fit the type");
                    break;
                }
            }
        }
        items.designated = true;
        let nested = designators.len() > 1;
        self.element(ty, items, path, out);
        items.designated = false;
        path.truncate(depth);
        // After `.a.b = 1` a plain item continues inside `a`; nobody writes that, so it is refused rather than guessed.
        if nested && items.peek().is_some_and(|next| next.designators.is_empty()) {
            let span = items.peek().map_or(Span::NONE, |next| self.ast.inits[next.init].span);
            self.error(span, "an initializer without designator after a nested designator is not supported");
        }
    }

    /// Byte offset and bit range of a path.
    fn locate(&self, mut ty: TypeId, path: &[Step]) -> (u64, Option<BitRange>) {
        let (mut offset, mut bits) = (0, None);
        for step in path {
            match (*step, self.program.types.get(ty)) {
                (Step::Field(index), Type::Record(record)) => {
                    let field = &self.program.types.records[*record].fields[index as usize];
                    offset += field.offset;
                    bits = field.bits;
                    ty = field.ty;
                }
                (Step::Index(index), Type::Array(element, _)) => {
                    offset += index * self.program.types.size_of(*element).unwrap_or(0);
                    ty = *element;
                }
                _ => {}
            }
        }
        (offset, bits)
    }

    /// The initializer of a static object.
    pub(super) fn static_initializer(&mut self, ty: TypeId, init: ast::InitId) -> (TypeId, Init) {
        let (ty, leaves) = self.leaves(ty, init);
        let mut image = Image::default();
        for leaf in &leaves {
            let (offset, bits) = self.locate(ty, &leaf.path);
            self.static_leaf(&mut image, offset, bits, leaf);
        }
        (ty, image.finish())
    }

    fn static_leaf(&mut self, image: &mut Image, offset: u64, bits: Option<BitRange>, leaf: &Leaf) {
        let size = self.program.types.size_of(leaf.ty).unwrap_or(0);
        if offset.saturating_add(size) > MAX_IMAGE {
            self.error(leaf.span, "the initialized object is too large");
            return;
        }
        match leaf.value {
            LeafValue::String(string) => {
                let (_, mut bytes, _) = self.string_image(string);
                if let Type::Array(_, Some(_)) = self.program.types.get(leaf.ty) {
                    bytes.truncate(size as usize);
                }
                image.write(offset, &bytes);
            }
            LeafValue::Expr(expr) => {
                if let (Ast::CompoundLiteral(_, inner), true) = (self.ast.exprs[expr].kind, self.is_record(leaf.ty)) {
                    let (ty, nested) = self.leaves(leaf.ty, inner);
                    for nested in &nested {
                        let (inside, bits) = self.locate(ty, &nested.path);
                        self.static_leaf(image, offset + inside, bits, nested);
                    }
                    return;
                }
                self.static_scalar(image, offset, bits, leaf.ty, expr);
            }
        }
    }

    fn static_scalar(&mut self, image: &mut Image, offset: u64, bits: Option<BitRange>, ty: TypeId, expr: ast::ExprId) {
        let span = self.ast.exprs[expr].span;
        // The initializer of a `static` inside a function must not become edges of the function.
        let wanted = self.effect_wanted.take();
        let value = self.in_constant_context(|lower| {
            let value = lower.rvalue(expr);
            lower.coerce(value, ty, span)
        });
        let effect = std::mem::replace(&mut self.effect_wanted, wanted);
        let known = if effect.is_some() { None } else { self.static_value(value) };
        let size = self.program.types.size_of(ty).unwrap_or(0);
        match known {
            _ if self.expr_type(value) != ty => {}
            Some(StaticValue::Number(number)) => match bits {
                Some(range) => image.write_bits(offset, range, number),
                None => image.write(offset, &number.get().to_le_bytes()[..size.min(16) as usize]),
            },
            Some(StaticValue::Address(target, addend)) if size == self.program.model().pointer_bytes() => {
                if let RelocationTarget::Var(var) = target {
                    self.program.vars[var].address_taken = true;
                }
                image.relocate(offset, target, addend, size);
            }
            _ => self.error(span, "the initializer is not constant"),
        }
    }

    /// Initializes an automatic variable that was just declared.
    pub(super) fn automatic_initializer(&mut self, var: VarId, init: ast::InitId, span: Span) {
        let ty = self.program.vars[var].ty;
        let (ty, leaves) = self.leaves(ty, init);
        self.program.vars[var].ty = ty;
        let place = self.var_place(var);
        self.initialize(place, ty, &leaves, span);
    }

    fn initialize(&mut self, place: PlaceId, ty: TypeId, leaves: &[Leaf], span: Span) {
        if let [Leaf { path, value: LeafValue::Expr(expr), .. }] = leaves
            && path.is_empty()
        {
            if self.assign_call(place, *expr, span, false).is_none() {
                let value = self.rvalue(*expr);
                let value = self.coerce(value, ty, span);
                if self.expr_type(value) == ty && self.unsupported_name(ty).is_none() {
                    self.emit(Op::Assign(place, value), span);
                }
            }
            return;
        }
        match self.scalar_paths(ty) {
            Some(all) => self.initialize_each(place, leaves, &all, span),
            None => self.initialize_memory(place, ty, leaves, span),
        }
    }

    /// Every scalar of a small object without unions.
    fn scalar_paths(&self, ty: TypeId) -> Option<Vec<Path>> {
        let mut all = Vec::new();
        self.collect_scalars(ty, &mut Path::new(), &mut all).then_some(all)
    }

    fn collect_scalars(&self, ty: TypeId, path: &mut Path, all: &mut Vec<Path>) -> bool {
        match self.program.types.get(ty) {
            Type::Array(element, Some(length)) if *length <= FEW as u64 => (0..*length).all(|index| {
                path.push(Step::Index(index));
                let few = self.collect_scalars(*element, path, all);
                path.pop();
                few
            }),
            Type::Record(record) if self.program.types.records[*record].kind == RecordKind::Struct => {
                let fields = &self.program.types.records[*record].fields;
                fields.iter().enumerate().all(|(index, field)| {
                    path.push(Step::Field(index as u32));
                    let few = self.collect_scalars(field.ty, path, all);
                    path.pop();
                    few
                })
            }
            Type::Array(..) | Type::Record(_) => false,
            _ => {
                all.push(path.clone());
                all.len() <= FEW
            }
        }
    }

    fn initialize_each(&mut self, place: PlaceId, leaves: &[Leaf], all: &[Path], span: Span) {
        let covered = |path: &Path| leaves.iter().any(|leaf| path.starts_with(&leaf.path));
        for path in all.iter().filter(|path| !covered(path)) {
            let target = self.at(place, path);
            let zero = self.dummy(self.place_type(target), span);
            self.emit(Op::Assign(target, zero), span);
        }
        for leaf in leaves {
            self.assign_leaf(place, leaf, span);
        }
    }

    fn assign_leaf(&mut self, place: PlaceId, leaf: &Leaf, span: Span) {
        let target = self.at(place, &leaf.path);
        match leaf.value {
            LeafValue::Expr(expr) => {
                let value = self.rvalue(expr);
                let value = self.coerce(value, leaf.ty, leaf.span);
                if self.expr_type(value) == leaf.ty && self.unsupported_name(leaf.ty).is_none() {
                    self.emit(Op::Assign(target, value), span);
                }
            }
            LeafValue::String(string) => {
                let Type::Array(element, _) = *self.program.types.get(leaf.ty) else { return };
                let (_, bytes, units) = self.string_image(string);
                let width = (bytes.len() as u64 / units.max(1)).max(1) as usize;
                let length = match *self.program.types.get(self.place_type(target)) {
                    Type::Array(_, Some(length)) => length,
                    _ => units,
                };
                for index in 0..length {
                    let unit = bytes.get(index as usize * width..(index as usize + 1) * width).unwrap_or(&[]);
                    let unit = unit.iter().rev().fold(0u128, |value, byte| value << 8 | *byte as u128);
                    let index = self.int(index as i128, TypeId::INT, span);
                    let target = self.place(PlaceKind::Index(target, index), element);
                    let bits = cfa::eval::from_i128(&self.program.types, element, unit as i128);
                    let value = self.constant(bits, element, span);
                    self.emit(Op::Assign(target, value), span);
                }
            }
        }
    }

    fn at(&mut self, place: PlaceId, path: &[Step]) -> PlaceId {
        path.iter().fold(place, |place, step| match *step {
            Step::Field(index) => self.field_place(place, index),
            Step::Index(index) => {
                let Type::Array(element, _) = *self.program.types.get(self.place_type(place)) else { return place };
                let index = self.int(index as i128, TypeId::INT, Span::NONE);
                self.place(PlaceKind::Index(place, index), element)
            }
        })
    }

    /// A large object: its constant part is copied from (or filled with zeros like) an image, the rest is assigned.
    fn initialize_memory(&mut self, place: PlaceId, ty: TypeId, leaves: &[Leaf], span: Span) {
        let mut image = Image::default();
        let mut rest = Vec::new();
        for leaf in leaves {
            match self.constant_leaf(leaf) {
                Some((value, leaf_ty)) => {
                    let (offset, bits) = self.locate(ty, &leaf.path);
                    let size = self.program.types.size_of(leaf_ty).unwrap_or(0).min(16) as usize;
                    match bits {
                        Some(range) => image.write_bits(offset, range, value),
                        None => image.write(offset, &value.get().to_le_bytes()[..size]),
                    }
                }
                None => match leaf.value {
                    LeafValue::String(_) => {
                        let (offset, bits) = self.locate(ty, &leaf.path);
                        self.static_leaf(&mut image, offset, bits, leaf);
                    }
                    LeafValue::Expr(_) => rest.push(leaf),
                },
            }
        }
        let size = self.program.types.size_of(ty).unwrap_or(0);
        let size_type = TypeId::int(self.program.model().size_type());
        let to = self.address_of(place, ty, span);
        let to = self.cast(to, TypeId::VOID_POINTER, span);
        let size = self.int(size as i128, size_type, span);
        let (function, from) = match image.finish() {
            Init::Static(init) if init.bytes.iter().any(|byte| *byte != 0) => {
                let object = self.constant_object(ty, Init::Static(init), span);
                let source = self.var_place(object);
                let from = self.address_of(source, ty, span);
                (self.builtin("__builtin_memcpy", "p(ppz)"), self.cast(from, TypeId::VOID_POINTER, span))
            }
            _ => (self.builtin("__builtin_memset", "p(piz)"), self.int(0, TypeId::INT, span)),
        };
        let args = self.argument_slice(&[to, from, size]);
        self.emit(Op::Call { dest: None, callee: Callee::Direct(function), args }, span);
        for leaf in rest {
            self.assign_leaf(place, leaf, span);
        }
    }

    /// The number that a leaf is, when it is one.
    fn constant_leaf(&mut self, leaf: &Leaf) -> Option<(Bits, TypeId)> {
        let LeafValue::Expr(expr) = leaf.value else { return None };
        if !self.program.types.is_scalar(leaf.ty) {
            return None;
        }
        let ty = leaf.ty;
        self.in_constant_context(|lower| {
            lower.speculate(|lower| {
                let diagnostics = lower.diagnostics.len();
                let errors = lower.errors;
                let value = lower.rvalue(expr);
                let value = lower.coerce(value, ty, leaf.span);
                // It is lowered again where it is not constant, and says then what there is to say.
                lower.diagnostics.truncate(diagnostics);
                lower.errors = errors;
                let bits: Option<Bits> = lower.program.constant(value);
                bits.filter(|_| lower.effect_wanted.is_none()).map(|bits| (bits, ty))
            })
        })
    }

    fn builtin(&mut self, name: &str, signature: &str) -> FuncId {
        let symbol = self.program.names.intern(name);
        let ty = self.signature_type(signature);
        self.function_with_linkage(symbol, ty, Span::NONE)
    }

    pub(super) fn compound_literal(&mut self, name: ast::TypeNameId, init: ast::InitId, span: Span) -> Operand {
        let ty = self.type_of_name(name);
        if self.unsupported_name(ty).is_some() {
            return Operand::Value(self.unsupported_value(ty, TypeId::INT, span));
        }
        if self.must_fold() {
            let (ty, init) = self.static_initializer(ty, init);
            let var = self.constant_object(ty, init, span);
            self.program.vars[var].kind = VarKind::Global;
            return Operand::Place(self.var_place(var));
        }
        let (ty, leaves) = self.leaves(ty, init);
        let var = self.temp(ty, span);
        self.declare_local(var, span);
        let place = self.var_place(var);
        self.initialize(place, ty, &leaves, span);
        Operand::Place(self.var_place(var))
    }

    /// A local that lives until its block ends.
    pub(super) fn declare_local(&mut self, var: VarId, span: Span) {
        let scope = self.scope();
        self.state().locals.entry(scope).or_default().push(var);
        self.emit(Op::Declare(var), span);
    }
}

/// The bytes of a static object while its initializer is being read; later writes win.
#[derive(Default)]
struct Image {
    bytes: Vec<u8>,
    relocations: BTreeMap<u64, (RelocationTarget, i64, u64)>,
}

impl Image {
    fn write(&mut self, offset: u64, bytes: &[u8]) {
        self.clear_relocations(offset, bytes.len() as u64);
        let end = offset as usize + bytes.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[offset as usize..end].copy_from_slice(bytes);
    }

    fn write_bits(&mut self, offset: u64, range: BitRange, value: Bits) {
        let end = offset as usize + (range.start as usize + range.width as usize).div_ceil(8);
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        for bit in 0..range.width as usize {
            let at = range.start as usize + bit;
            let byte = &mut self.bytes[offset as usize + at / 8];
            let mask = 1 << (at % 8);
            *byte = if value.get() >> bit & 1 == 1 { *byte | mask } else { *byte & !mask };
        }
    }

    fn relocate(&mut self, offset: u64, target: RelocationTarget, addend: i64, size: u64) {
        self.write(offset, &[0; 8][..size as usize]);
        self.relocations.insert(offset, (target, addend, size));
    }

    fn clear_relocations(&mut self, offset: u64, length: u64) {
        if self.relocations.is_empty() {
            return;
        }
        let from = offset.saturating_sub(7);
        let hit: Vec<u64> = self
            .relocations
            .range(from..offset + length)
            .filter(|(at, (_, _, size))| *at + size > offset)
            .map(|(at, _)| *at)
            .collect();
        for at in hit {
            self.relocations.remove(&at);
        }
    }

    fn finish(mut self) -> Init {
        if self.relocations.is_empty() {
            while self.bytes.last() == Some(&0) {
                self.bytes.pop();
            }
            if self.bytes.is_empty() {
                return Init::Zero;
            }
        }
        let relocations = self
            .relocations
            .into_iter()
            .map(|(offset, (target, addend, _))| Relocation { offset, target, addend })
            .collect();
        Init::Static(StaticInit { bytes: self.bytes, relocations })
    }
}

//! Initializers. Braces, designators and elided braces are resolved into a list of leaves (path in the object, value); static objects
//! become a byte image with relocations, automatic ones become assignments.

use super::Lower;
use super::constant::StaticValue;
use super::expr::Operand;
use crate::c::ast::{self, Designator, ExprKind as Ast, InitItem, InitKind};
use base::Span;
use cfa::types::{BitRange, RecordKind};
use cfa::{
    Bits, Callee, ExprId, FuncId, Init, Op, PlaceId, PlaceKind, RecordId, Relocation, RelocationTarget, StaticInit,
    Type, TypeId, VarId, VarKind,
};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Up to so many scalars an automatic aggregate is initialized one by one; beyond, by a copy or fill of memory.
const FEW: usize = 16;

/// Largest static image; an initialized object beyond that is a mistake or an attack.
const MAX_IMAGE: u64 = 1 << 30;

/// Most values that a range may repeat.
const MAX_LEAVES: usize = 1 << 22;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Step {
    Field(u32),
    Index(u64),
}

type Path = SmallVec<[Step; 4]>;

/// A designator whose names and numbers are looked up.
#[derive(Clone, Copy)]
enum Choice {
    Field(u32),
    /// GNU `[low ... high]`, or one index.
    Range(u64, u64),
}

impl Choice {
    fn range(self) -> (u64, u64) {
        match self {
            Choice::Field(index) => (index as u64, index as u64),
            Choice::Range(low, high) => (low, high),
        }
    }
}

/// How a designated item is taken.
#[derive(Clone, Copy)]
struct Designated {
    /// What it names may have a value already.
    again: bool,
    /// The path is not empty: the current object is inside the one that the braces belong to.
    nested: bool,
}

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

/// A set of numbers as disjoint ranges, from the first number of each to its last.
struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    /// Those from `start` up to, not including, `end`.
    fn of(start: u64, end: u64) -> Self {
        Ranges(if start < end { BTreeMap::from([(start, end - 1)]) } else { BTreeMap::new() })
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn meets(&self, low: u64, high: u64) -> bool {
        self.0.range(..=high).next_back().is_some_and(|(_, last)| *last >= low)
    }

    fn add(&mut self, mut low: u64, mut high: u64) {
        while let Some((first, last)) = self.0.range(..=high).next_back().filter(|(_, last)| **last >= low) {
            let (first, last) = (*first, *last);
            self.0.remove(&first);
            (low, high) = (low.min(first), high.max(last));
        }
        self.0.insert(low, high);
    }
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
                Ast::String(string) if self.string_fits(string, element) => {
                    self.string_leaf(string, ty, length, path, out, span)
                }
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
                    // Nothing is known about the parts of what is not supported.
                    _ if self.unsupported_name(ty).is_some() => 0,
                    Type::Array(..) | Type::Record(_) => self.aggregate(ty, &mut items, path, out, true),
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

    /// The same in the order in which they are evaluated: by their position in the object, if something happens when they are. A part comes
    /// after the whole that it replaces; in a union the last value counts.
    fn evaluated_leaves(&mut self, ty: TypeId, init: ast::InitId) -> (TypeId, Vec<Leaf>) {
        let (ty, mut leaves) = self.leaves(ty, init);
        let sorted = leaves.is_sorted_by(|a, b| a.path <= b.path);
        let happens = |lower: &mut Self, leaf: &Leaf| match leaf.value {
            LeafValue::Expr(expr) => lower.has_effects(&[expr]),
            LeafValue::String(_) => false,
        };
        if !sorted && !self.has_union(ty) && leaves.iter().any(|leaf| happens(self, leaf)) {
            leaves.sort_by(|a, b| a.path.cmp(&b.path));
        }
        (ty, leaves)
    }

    fn has_union(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Array(element, _) => self.has_union(*element),
            Type::Record(record) => {
                let record = &self.program.types.records[*record];
                record.kind == RecordKind::Union || record.fields.iter().any(|field| self.has_union(field.ty))
            }
            _ => false,
        }
    }

    /// Elements of an array or record from the stream of items. `braced`: the items are this object's own, so designators belong to it.
    /// The result is the number of elements an array needs.
    fn aggregate(
        &mut self,
        ty: TypeId,
        items: &mut Items<'a>,
        path: &mut Path,
        out: &mut Vec<Leaf>,
        braced: bool,
    ) -> u64 {
        self.aggregate_from(ty, 0, items, path, out, braced)
    }

    /// The same, from element number `start` on.
    fn aggregate_from(
        &mut self,
        ty: TypeId,
        start: u64,
        items: &mut Items<'a>,
        path: &mut Path,
        out: &mut Vec<Leaf>,
        braced: bool,
    ) -> u64 {
        let room = self.room(ty);
        let (mut index, mut needed) = (start, 0);
        // Which elements have a value already, once a designator has made that a question.
        let mut seen: Option<Ranges> = None;
        let mut excess = false;
        while let Some(item) = items.peek() {
            let (low, high) = if items.at_designator() {
                if !braced {
                    break;
                }
                let Some(way) = self.designated_way(ty, items) else { continue };
                let (low, high) = way[0].range();
                let seen = seen.get_or_insert_with(|| Ranges::of(start, index.min(room)));
                let again = seen.meets(low, high) || (self.is_union(ty) && !seen.is_empty());
                self.designated(ty, &way, items, path, out, Designated { again, nested: false });
                (low, high)
            } else if index < room {
                let again = seen.as_ref().is_some_and(|seen| seen.meets(index, index));
                path.push(self.step_to(ty, index));
                let element = self.element_type(ty, index);
                self.element(element, items, path, out, again);
                path.pop();
                (index, index)
            } else if braced {
                if !excess {
                    self.warning(self.ast.inits[item.init].span, "excess elements in the initializer");
                }
                excess = true;
                items.take();
                continue;
            } else {
                break;
            };
            if let Some(seen) = &mut seen {
                seen.add(low, high);
            }
            needed = needed.max(high + 1);
            index = self.after(ty, high);
        }
        needed
    }

    /// How many elements or fields an initializer can fill.
    fn room(&self, ty: TypeId) -> u64 {
        match self.program.types.get(ty) {
            Type::Array(_, length) => length.unwrap_or(u64::MAX),
            Type::Record(record) => self.program.types.records[*record].fields.len() as u64,
            _ => 0,
        }
    }

    fn is_union(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Record(record) if self.program.types.records[*record].kind == RecordKind::Union)
    }

    /// The element after one; a union is full when one member has a value.
    fn after(&self, ty: TypeId, index: u64) -> u64 {
        if self.is_union(ty) { u64::MAX } else { index + 1 }
    }

    fn step_to(&self, ty: TypeId, index: u64) -> Step {
        match self.program.types.get(ty) {
            Type::Record(_) => Step::Field(index as u32),
            _ => Step::Index(index),
        }
    }

    fn element_type(&self, ty: TypeId, index: u64) -> TypeId {
        match self.program.types.get(ty) {
            Type::Array(element, _) => *element,
            Type::Record(record) => self.program.types.records[*record].fields[index as usize].ty,
            _ => TypeId::INT,
        }
    }

    /// The next item (or several, with elided braces) for one element. `again`: it may have a value already, which this one replaces.
    fn element(&mut self, ty: TypeId, items: &mut Items<'a>, path: &mut Path, out: &mut Vec<Leaf>, again: bool) {
        let Some(item) = items.peek() else { return };
        let whole = match self.ast.inits[item.init].kind {
            InitKind::List(_) => true,
            InitKind::Expr(expr) => self.fills(expr, ty),
        };
        if whole {
            items.take();
            if again {
                out.retain(|leaf| !leaf.path.starts_with(path));
            }
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

    /// Whether an expression is the value of a whole object, rather than of its first scalar.
    fn fills(&mut self, expr: ast::ExprId, ty: TypeId) -> bool {
        match self.program.types.get(ty).clone() {
            Type::Array(element, _) => match self.ast.exprs[expr].kind {
                Ast::String(string) => self.string_fits(string, element),
                _ => false,
            },
            Type::Record(_) => self.unsupported_name(ty).is_some() || self.is_value_of_record(expr, ty),
            _ => true,
        }
    }

    fn is_value_of_record(&mut self, expr: ast::ExprId, ty: TypeId) -> bool {
        match self.ast.exprs[expr].kind {
            Ast::Int(_) | Ast::Float(_) | Ast::Char(..) | Ast::String(_) | Ast::SizeofType(_) | Ast::SizeofExpr(_) => {
                false
            }
            _ => {
                let given = self.type_of_expr(expr);
                self.compatible(given, ty)
            }
        }
    }

    /// The designators of the next item as steps from an object of type `ty`. `None` after an error; the item is then consumed.
    fn designated_way(&mut self, ty: TypeId, items: &mut Items<'a>) -> Option<SmallVec<[Choice; 4]>> {
        let item = items.peek()?;
        let mut way = SmallVec::new();
        let mut inner = ty;
        for designator in self.ast.get(item.designators) {
            if let Err((span, message)) = self.designator(*designator, item, &mut inner, &mut way) {
                self.error(span, message);
                items.take();
                return None;
            }
        }
        Some(way)
    }

    /// Follows one designator from the type that the ones before it lead to.
    fn designator(
        &mut self,
        designator: Designator,
        item: &InitItem,
        ty: &mut TypeId,
        way: &mut SmallVec<[Choice; 4]>,
    ) -> Result<(), (Span, String)> {
        let span = self.ast.inits[item.init].span;
        match (designator, self.program.types.get(*ty).clone()) {
            (Designator::Field(name, at), Type::Record(record)) => {
                let Some(fields) = self.find_field(record, name) else {
                    return Err((at, format!("no member `{}`", self.text(name))));
                };
                for field in fields {
                    way.push(Choice::Field(field));
                    *ty = self.element_type(*ty, field as u64);
                }
            }
            (Designator::Index(_) | Designator::Range(..), Type::Array(element, length)) => {
                let (low, high) = match designator {
                    Designator::Range(low, high) => (self.constant_int(low), self.constant_int(high)),
                    Designator::Index(index) => {
                        let index = self.constant_int(index);
                        (index, index)
                    }
                    Designator::Field(..) => (None, None),
                };
                let (Some(low), Some(high)) = (low, high) else {
                    return Err((span, "array index in the initializer is not an integer constant".into()));
                };
                let limit = length.unwrap_or(MAX_IMAGE) as i128;
                if low < 0 || low > high || high >= limit {
                    return Err((span, "array index in the initializer is out of bounds".into()));
                }
                if high - low >= MAX_LEAVES as i128 {
                    return Err((span, "the initializer is too large".into()));
                }
                way.push(Choice::Range(low as u64, high as u64));
                *ty = element;
            }
            (Designator::Field(_, at), Type::Array(..)) => {
                return Err((at, "field name in the initializer of an array".into()));
            }
            (_, Type::Record(_)) => return Err((span, "array index in the initializer of a struct".into())),
            _ => return Err((span, "the designator does not fit the type".into())),
        }
        Ok(())
    }

    /// Goes the way of a designated item and initializes what is at its end; for a range, each element.
    fn designated(
        &mut self,
        ty: TypeId,
        way: &[Choice],
        items: &mut Items<'a>,
        path: &mut Path,
        out: &mut Vec<Leaf>,
        how: Designated,
    ) {
        let Some((choice, rest)) = way.split_first() else {
            items.designated = true;
            self.element(ty, items, path, out, how.again);
            items.designated = false;
            return;
        };
        let (low, high) = choice.range();
        if how.again && self.is_union(ty) {
            // Another member of the union takes the place of the one before.
            let depth = path.len();
            let kept = self.step_to(ty, low);
            out.retain(|leaf| !leaf.path.starts_with(path) || leaf.path.get(depth) == Some(&kept));
        }
        let (start, element) = (items.next, self.element_type(ty, low));
        for index in low..=high {
            path.push(self.step_to(ty, index));
            let how = Designated { nested: true, ..how };
            if index < high {
                // Only what the range is given is repeated; the items after it belong to the last element.
                let mut one = Items { items: &items.items[start..=start], next: 0, designated: false };
                self.designated(element, rest, &mut one, path, out, how);
            } else {
                self.designated(element, rest, items, path, out, how);
            }
            path.pop();
            if out.len() > MAX_LEAVES {
                self.error(self.ast.inits[items.items[start].init].span, "the initializer is too large");
                break;
            }
        }
        // After `.a.b = 1` a plain item goes on inside `a`.
        if how.nested {
            self.aggregate_from(ty, self.after(ty, high), items, path, out, false);
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
        let ty = self.with_flexible_elements(ty, &leaves);
        (ty, image.finish())
    }

    /// The record behind a type that ends in an array without length.
    pub(super) fn flexible_record(&self, ty: TypeId) -> Option<RecordId> {
        let Type::Record(record) = *self.program.types.get(ty) else { return None };
        let last = self.program.types.records[record].fields.last()?;
        matches!(self.program.types.get(last.ty), Type::Array(_, None)).then_some(record)
    }

    /// GNU: a static object has as many elements in its flexible array as its initializer gives. It gets a type of its own, exactly as
    /// large as the object; the program goes on to see it as declared.
    fn with_flexible_elements(&mut self, ty: TypeId, leaves: &[Leaf]) -> TypeId {
        let Some(record) = self.flexible_record(ty) else { return ty };
        let types = &self.program.types;
        let field = types.records[record].fields.len() - 1;
        let Type::Array(element, None) = *types.get(types.records[record].fields[field].ty) else { return ty };
        let inside = leaves.iter().filter(|leaf| leaf.path.first() == Some(&Step::Field(field as u32)));
        let needed = inside.map(|leaf| match (leaf.path.get(1), leaf.value) {
            (Some(Step::Index(index)), _) => index + 1,
            (_, LeafValue::String(string)) => self.string_image(string).2,
            _ => 0,
        });
        let Some(length) = needed.max().filter(|length| *length > 0) else { return ty };
        let (kind, tag) = (types.records[record].kind, types.records[record].tag);
        let mut fields = types.records[record].fields.clone();
        let declared_size = types.records[record].size;
        let array = self.program.types.array_of(element, Some(length));
        fields[field].ty = array;
        let end = fields[field].offset + self.program.types.size_of(array).unwrap_or(0);
        let (id, sized) = self.program.types.new_record(kind, tag);
        let own = &mut self.program.types.records[id];
        // An alignment of 1 lets the size be exact: the bytes after the last element are not the object's.
        (own.fields, own.size, own.align, own.complete) = (fields, end.max(declared_size), 1, true);
        self.flexible.insert(sized, ty);
        sized
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
            // An unsupported type: every use of the object is poison, so its contents do not matter.
            LeafValue::Expr(_) if self.unsupported_name(leaf.ty).is_some() => {}
            LeafValue::Expr(expr) => {
                if let (Ast::CompoundLiteral(_, inner), true) = (self.ast.exprs[expr].kind, self.is_record(leaf.ty)) {
                    let (ty, nested) = self.leaves(leaf.ty, inner);
                    for nested in &nested {
                        let (inside, bits) = self.locate(ty, &nested.path);
                        self.static_leaf(image, offset + inside, bits, nested);
                    }
                    return;
                }
                if self.is_record(leaf.ty) && self.static_copy(image, offset, expr, leaf.ty) {
                    return;
                }
                self.static_scalar(image, offset, bits, leaf.ty, expr);
            }
        }
    }

    /// A record that is given by the name of a `const` one, or as a cast to a union.
    fn static_copy(&mut self, image: &mut Image, offset: u64, expr: ast::ExprId, ty: TypeId) -> bool {
        if let Ast::Cast(name, inner) = self.ast.exprs[expr].kind {
            let to = self.type_of_name(name);
            let from = self.type_of_expr(inner);
            let Type::Record(record) = *self.program.types.get(to) else { return false };
            let fits = to == ty && self.program.types.records[record].fields.iter().any(|field| field.ty == from);
            if fits && self.is_union(to) {
                self.static_scalar(image, offset, None, from, inner);
            }
            return fits && self.is_union(to);
        }
        let given = self.type_of_expr(expr);
        if !self.compatible(given, ty) {
            return false;
        }
        match self.in_constant_context(|lower| lower.operand(expr)) {
            Operand::Place(place) => self.copy_known(image, offset, place),
            _ => false,
        }
    }

    fn static_scalar(&mut self, image: &mut Image, offset: u64, bits: Option<BitRange>, ty: TypeId, expr: ast::ExprId) {
        let span = self.ast.exprs[expr].span;
        // The initializer of a `static` inside a function must not become edges of the function.
        let wanted = self.effect_wanted.take();
        self.poison_wanted = None;
        let nested = std::mem::replace(&mut self.in_static_initializer, true);
        let value = self.in_constant_context(|lower| {
            let value = lower.rvalue(expr);
            lower.coerce(value, ty, span)
        });
        self.in_static_initializer = nested;
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
            _ => match self.poison_wanted {
                Some(reason) => drop(self.poisoned.get_or_insert((reason, span))),
                None => self.error(span, "the initializer is not constant"),
            },
        }
    }

    /// Initializes an automatic variable that was just declared.
    pub(super) fn automatic_initializer(&mut self, var: VarId, init: ast::InitId, span: Span) {
        let ty = self.program.vars[var].ty;
        let (ty, leaves) = self.evaluated_leaves(ty, init);
        if self.with_flexible_elements(ty, &leaves) != ty {
            self.error(span, "a flexible array member can only be initialized in an object of static lifetime");
            return;
        }
        self.program.vars[var].ty = ty;
        let place = self.var_place(var);
        self.initialize(place, ty, &leaves, span);
    }

    fn initialize(&mut self, place: PlaceId, ty: TypeId, leaves: &[Leaf], span: Span) {
        if let [Leaf { path, value: LeafValue::Expr(expr), .. }] = leaves
            && path.is_empty()
        {
            if !self.initialize_by_call(place, *expr, span) {
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
        self.assign_leaves(place, leaves.iter(), span);
    }

    fn assign_leaves<'l>(&mut self, place: PlaceId, leaves: impl Iterator<Item = &'l Leaf>, span: Span) {
        let mut operands = Vec::new();
        let mut before: Option<(ast::ExprId, ExprId)> = None;
        let mut leaves = leaves.peekable();
        while let Some(leaf) = leaves.next() {
            let begin = self.edges_so_far();
            // GNU: the value for a range is computed once.
            if let LeafValue::Expr(expr) = leaf.value
                && before.is_none_or(|(known, _)| known != expr)
                && matches!(leaves.peek(), Some(Leaf { value: LeafValue::Expr(next), .. }) if *next == expr)
                && self.has_effects(&[expr])
            {
                let value = self.rvalue(expr);
                before = Some((expr, self.fixed(value, leaf.span)));
            }
            self.assign_leaf(place, leaf, before, span);
            // One edge is the assignment of the element alone.
            if self.edges_so_far() > begin + 1 || matches!(leaf.value, LeafValue::Expr(_)) {
                let target = self.at(place, &leaf.path);
                operands.push((self.edges_so_far() - begin, self.initialized(begin, target)));
            }
        }
        if operands.iter().any(|(edges, _)| *edges > 1) {
            self.unsequenced(operands.into_iter().map(|(_, operand)| operand));
        }
    }

    /// `known`: an expression whose value is computed already.
    fn assign_leaf(&mut self, place: PlaceId, leaf: &Leaf, known: Option<(ast::ExprId, ExprId)>, span: Span) {
        let target = self.at(place, &leaf.path);
        match leaf.value {
            LeafValue::Expr(expr) => {
                let known = known.filter(|(known, _)| *known == expr);
                let value = known.map_or_else(|| self.rvalue(expr), |(_, value)| value);
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
        self.assign_leaves(place, rest.into_iter(), span);
    }

    /// The number that a leaf is, when it is one and computing it is defined: an overflow must stay an operation of the run.
    fn constant_leaf(&mut self, leaf: &Leaf) -> Option<(Bits, TypeId)> {
        let LeafValue::Expr(expr) = leaf.value else { return None };
        let before = std::mem::replace(&mut self.folded_fault, false);
        let value = self.constant_scalar(expr, leaf.ty);
        let faulty = std::mem::replace(&mut self.folded_fault, before);
        value.filter(|_| !faulty).map(|bits| (bits, leaf.ty))
    }

    /// The number that an expression is as an initializer of a scalar, when it is one.
    pub(super) fn constant_scalar(&mut self, expr: ast::ExprId, ty: TypeId) -> Option<Bits> {
        if !self.program.types.is_scalar(ty) {
            return None;
        }
        let span = self.ast.exprs[expr].span;
        self.in_constant_context(|lower| {
            lower.speculate(|lower| {
                let diagnostics = lower.diagnostics.len();
                let errors = lower.errors;
                let value = lower.rvalue(expr);
                let value = lower.coerce(value, ty, span);
                // It is lowered again where it is not constant, and says then what there is to say.
                lower.diagnostics.truncate(diagnostics);
                lower.errors = errors;
                let bits: Option<Bits> = lower.program.constant(value);
                bits.filter(|_| lower.effect_wanted.is_none())
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
        let unsized_array = matches!(self.program.types.get(ty), Type::Array(element, None) if self.program.types.size_of(*element).is_some());
        if self.program.types.size_of(ty).is_none() && !unsized_array {
            let message = format!("a value of the incomplete type `{}`", self.type_name(ty));
            self.error(span, message);
            return self.stand_in(span);
        }
        if self.must_fold() {
            let (ty, init) = self.static_initializer(ty, init);
            let var = self.constant_object(ty, init, span);
            self.program.vars[var].kind = VarKind::Global;
            self.program.vars[var].read_only = self.type_name_qualifiers(name).is_const();
            self.known.insert(var, None);
            return Operand::Place(self.view(var, self.declared(ty), span));
        }
        let (ty, leaves) = self.evaluated_leaves(ty, init);
        let var = self.temp(ty, span);
        self.declare_local(var, span);
        let place = self.var_place(var);
        self.initialize(place, ty, &leaves, span);
        let is_const = self.type_name_qualifiers(name).is_const();
        self.end_writes_of(var, is_const);
        Operand::Place(self.var_place(var))
    }

    /// A local that lives until its block ends.
    pub(super) fn declare_local(&mut self, var: VarId, span: Span) {
        if !self.speculating {
            let scope = self.scope();
            self.state().locals.entry(scope).or_default().push(var);
        }
        self.emit(Op::Declare(var), span);
    }
}

/// The bytes of a static object while its initializer is being read; later writes win.
#[derive(Default)]
pub(super) struct Image {
    bytes: Vec<u8>,
    relocations: BTreeMap<u64, (RelocationTarget, i64, u64)>,
}

impl Image {
    pub(super) fn write(&mut self, offset: u64, bytes: &[u8]) {
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

    pub(super) fn relocate(&mut self, offset: u64, target: RelocationTarget, addend: i64, size: u64) {
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

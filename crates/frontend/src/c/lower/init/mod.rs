//! Initializers. Braces, designators and elided braces are resolved into a list of leaves (path in the object, value); static objects
//! become a byte image with relocations, automatic ones become assignments.

mod automatic;
mod static_object;

pub(super) use static_object::Image;

use super::Lower;
use crate::c::ast::{self, Designator, ExprKind as Ast, InitItem, InitKind};
use base::Span;
use cfa::types::{BitRange, RecordKind};
use cfa::{Type, TypeId};
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
}

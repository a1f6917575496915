//! What pointers pointed to at moments of a run, and what a fault was about: facts of one state that the state after it no longer shows.

use cfa::interp::{Object, ObjectKind, View};
use cfa::walk::{self, Node};
use cfa::{
    Bits, Body, Callee, EdgeId, ExprId, ExprKind, Fault, FuncId, Op, PlaceId, PlaceKind, Program, Type, TypeId, VarId,
    eval, library::LibFn,
};
use std::collections::HashMap;

/// Longer strings are cut.
const STRING: usize = 64;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pointee {
    Null,
    Function(FuncId),
    Object(PointedObject),
    /// No object of the program.
    Nothing,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PointedObject {
    pub owner: Owner,
    pub offset: i64,
    /// Of the object; of one that has ended, if it is known.
    pub size: Option<u64>,
    pub ended: Option<Ended>,
    /// The bytes from there to the first zero, if there is one in the object, or the first of them.
    pub string: Option<Vec<u8>>,
}

/// Whose an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    Var(VarId),
    /// A string literal or the like.
    Constant(VarId),
    /// The edge that allocated it, if it was seen.
    Heap(Option<EdgeId>),
    /// What `argv` refers to, and the words there.
    Arguments,
    Argument(u32),
    /// Of `alloca`, or an array of variable length.
    Stack,
    Library,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// By the call at this edge.
    Freed(EdgeId),
    /// The block of its declaration was left, or what freed it was not seen.
    Over,
}

/// What was wrong where a run stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultDetail {
    /// The operands of this expression have no result of its type.
    Operands { expr: ExprId, values: Vec<(TypeId, Bits)> },
    /// The place of an array, and how many elements it has.
    Index { array: PlaceId, index: i128, length: u64 },
    /// An access of so many bytes; `None`: what a function of the library was given.
    Access { pointer: Pointee, bytes: Option<u64> },
}

/// Follows allocations through a run.
#[derive(Default)]
pub struct Allocations {
    /// By the address of the first byte.
    known: HashMap<u64, Allocation>,
}

struct Allocation {
    edge: EdgeId,
    size: u64,
    freed: Option<EdgeId>,
}

impl Allocations {
    /// An edge was carried out.
    pub fn follow(&mut self, view: &View<'_, '_>, edge: EdgeId, value: Option<(TypeId, Bits)>) {
        let program = view.program();
        let Op::Call { callee: Callee::Direct(function), args, .. } = &program.edges[edge].op else { return };
        let Body::Library(meaning) = &program.functions[*function].body else { return };
        if let Some((ty, bits)) = value
            && program.types.is_pointer(ty)
            && let Some((object, 0)) = view.object(bits.lo)
            && object.live
            && object.kind == ObjectKind::Heap
        {
            let allocation = Allocation { edge, size: object.bytes.len() as u64, freed: None };
            let known = self.known.entry(object.base).or_insert(Allocation { freed: Some(edge), ..allocation });
            if known.freed.is_some() {
                *known = allocation;
            }
        }
        if *meaning == LibFn::Free
            && let Some(argument) = program.args[args.0 as usize..args.1 as usize].first()
            && let Ok(address) = view.value(*argument)
            && let Some((object, _)) = view.object(address.lo)
            && !object.live
            && let Some(known) = self.known.get_mut(&object.base)
            && known.freed.is_none()
        {
            known.freed = Some(edge);
        }
    }

    /// What an address refers to.
    pub fn pointee(&self, view: &View<'_, '_>, address: u64) -> Pointee {
        if address == 0 {
            return Pointee::Null;
        }
        if let Some(function) = view.function_at(address) {
            return Pointee::Function(function);
        }
        let Some((object, offset)) = view.object(address) else { return Pointee::Nothing };
        let allocation = self.known.get(&object.base).filter(|_| object.kind == ObjectKind::Heap);
        let owner = match object.kind {
            ObjectKind::Nothing | ObjectKind::Function(_) => return Pointee::Nothing,
            ObjectKind::Global(var) | ObjectKind::Local(var) => Owner::Var(var),
            ObjectKind::Constant(var) => Owner::Constant(var),
            ObjectKind::Heap => Owner::Heap(allocation.map(|allocation| allocation.edge)),
            ObjectKind::Arguments => Owner::Arguments,
            ObjectKind::Argument(number) => Owner::Argument(number),
            ObjectKind::Alloca => Owner::Stack,
            ObjectKind::Internal => Owner::Library,
        };
        let size = match object.live {
            true => Some(object.bytes.len() as u64),
            false => allocation.map(|allocation| allocation.size),
        };
        let freed = allocation.and_then(|allocation| allocation.freed);
        let ended = (!object.live).then(|| freed.map_or(Ended::Over, Ended::Freed));
        Pointee::Object(PointedObject { owner, offset, size, ended, string: string(object, offset) })
    }
}

fn string(object: &Object, offset: i64) -> Option<Vec<u8>> {
    let bytes = object.bytes.get(usize::try_from(offset).ok()?..)?;
    let end = bytes.iter().position(|byte| *byte == 0)?;
    Some(bytes[..end.min(STRING + 1)].to_vec())
}

/// What is wrong in a state in which an edge cannot be carried out.
pub fn detail(view: &View<'_, '_>, allocations: &Allocations, edge: EdgeId, fault: Fault) -> Option<FaultDetail> {
    let program = view.program();
    let op = &program.edges[edge].op;
    let mut nodes = Vec::new();
    walk::parts(program, op, |node| nodes.push(node));
    if let Op::Call { callee: Callee::Direct(function), args, .. } = op
        && matches!(program.functions[*function].body, Body::Library(_))
    {
        // The first argument that cannot be used as it is, else the first.
        let args = &program.args[args.0 as usize..args.1 as usize];
        let pointers = args.iter().filter(|arg| program.types.is_pointer(program.exprs[**arg].ty));
        let pointees: Vec<Pointee> = pointers
            .filter_map(|arg| view.value(*arg).ok())
            .map(|address| allocations.pointee(view, address.lo))
            .collect();
        let bad = pointees.iter().find(|pointee| match pointee {
            Pointee::Object(object) => {
                object.ended.is_some()
                    || object.size.is_some_and(|size| !(0..=size as i64).contains(&object.offset))
                    || fault == Fault::InvalidFree && object.offset != 0
            }
            _ => true,
        });
        let pointer = bad.or(pointees.first()).cloned();
        if let Some(pointer) = pointer {
            return Some(FaultDetail::Access { pointer, bytes: None });
        }
    }
    let mut index = 0;
    // Inner parts come after outer ones.
    while index < nodes.len() {
        nodes.extend(walk::children(program, nodes[index]).into_iter().flatten());
        index += 1;
    }
    nodes.iter().rev().find_map(|node| match (node, fault) {
        (
            Node::Expr(expr),
            Fault::SignedOverflow
            | Fault::ShiftRange
            | Fault::DivisionByZero
            | Fault::DivisionOverflow
            | Fault::FloatConversion,
        ) => operands(view, *expr, fault),
        (Node::Place(place), Fault::OutOfBounds) => {
            out_of_bounds(view, *place).or_else(|| access(view, allocations, *place, fault))
        }
        (Node::Place(place), Fault::Dangling | Fault::NullDereference | Fault::WildPointer | Fault::ReadOnly) => {
            access(view, allocations, *place, fault)
        }
        _ => None,
    })
}

fn operands(view: &View<'_, '_>, expr: ExprId, fault: Fault) -> Option<FaultDetail> {
    let program = view.program();
    let parts: Vec<ExprId> = match program.exprs[expr].kind {
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => vec![a],
        ExprKind::Binary(_, a, b) => vec![a, b],
        _ => return None,
    };
    if view.strict().value(expr) != Err(fault) {
        return None;
    }
    let values: Option<Vec<(TypeId, Bits)>> =
        parts.iter().map(|part| Some((program.exprs[*part].ty, view.strict().value(*part).ok()?))).collect();
    Some(FaultDetail::Operands { expr, values: values? })
}

fn out_of_bounds(view: &View<'_, '_>, place: PlaceId) -> Option<FaultDetail> {
    let program = view.program();
    let PlaceKind::Index(array, index) = program.places[place].kind else { return None };
    let Type::Array(_, Some(length)) = *program.types.get(program.places[array].ty) else { return None };
    if cfa::interp::is_flexible(program, array, length) {
        return None;
    }
    let value = eval::to_i128(&program.types, program.exprs[index].ty, view.value(index).ok()?);
    (!(0..length as i128).contains(&value)).then_some(FaultDetail::Index { array, index: value, length })
}

/// A scalar or record at a place that is in no object.
fn access(view: &View<'_, '_>, allocations: &Allocations, place: PlaceId, fault: Fault) -> Option<FaultDetail> {
    let program = view.program();
    if !is_through_pointer(program, place) {
        return None;
    }
    let bytes = program.types.size_of(program.places[place].ty)?;
    let address = view.address(place).ok()?;
    if fault != Fault::ReadOnly && view.bytes(address, bytes).err() != Some(fault) {
        return None;
    }
    Some(FaultDetail::Access { pointer: allocations.pointee(view, address), bytes: Some(bytes) })
}

fn is_through_pointer(program: &Program, place: PlaceId) -> bool {
    match program.places[place].kind {
        PlaceKind::Deref(_) => true,
        PlaceKind::Var(_) => false,
        PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => is_through_pointer(program, base),
    }
}

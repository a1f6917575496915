//! Facts as C expressions: what the states at a loop head, joined over all contexts, say of variables that can be named there.
//!
//! Operands are promoted as C promotes them, and no operation can overflow, so a fact means the same to any C compiler.

mod numbers;
mod relations;

use crate::fixpoint::Fixpoint;
use crate::state::State;
use crate::transfer::Transfer;
use base::Span;
use cfa::types::{IntKind, Type};
use cfa::{
    BinOp, Binding, Expr, ExprId, ExprKind, LocId, Place, PlaceId, PlaceKind, Program, TypeId, VarId, VarKind, eval,
};

/// What is known at a loop head.
pub struct AtHead<'a> {
    transfer: &'a Transfer<'a>,
    state: &'a State,
    head: LocId,
}

/// A kind of knowledge about values.
pub struct Domain {
    pub name: &'static str,
    pub about: &'static str,
    facts: fn(&AtHead<'_>, &mut Vec<Fact>),
}

/// In the order in which facts are listed. What an earlier domain says is not said again.
pub static DOMAINS: &[Domain] = &[
    Domain { name: "values", about: "a variable has one of a few values", facts: numbers::values },
    Domain { name: "intervals", about: "a variable lies between two numbers", facts: numbers::intervals },
    Domain { name: "congruences", about: "the remainder of a variable by a number", facts: numbers::congruences },
    Domain { name: "bits", about: "some bits of a variable", facts: numbers::bits },
    Domain { name: "floats", about: "a floating-point variable lies between two numbers", facts: numbers::floats },
    Domain { name: "equations", about: "a variable is a sum of others", facts: relations::equations },
    Domain { name: "octagons", about: "bounds on sums and differences of two variables", facts: relations::octagons },
];

/// Facts of one domain at one location; more are of no use.
const MAX_FACTS: usize = 48;

/// An expression that is not yet part of a program.
#[derive(Clone, PartialEq, Debug)]
pub enum Fact {
    /// The scalar of a variable at an offset.
    Read(VarId, u32),
    Integer(TypeId, i128),
    Float(TypeId, f64),
    Cast(TypeId, Box<Fact>),
    Binary(BinOp, TypeId, Box<Fact>, Box<Fact>),
}

impl Fact {
    pub fn add_to(&self, program: &mut Program) -> ExprId {
        let (kind, ty) = match self {
            Fact::Read(var, offset) => {
                let place = place_of(program, *var, *offset);
                (ExprKind::Read(place), program.places[place].ty)
            }
            Fact::Integer(ty, value) => (ExprKind::Const(eval::from_i128(&program.types, *ty, *value)), *ty),
            Fact::Float(ty, value) => {
                let double = cfa::Bits { lo: value.to_bits(), hi: 0 };
                (ExprKind::Const(eval::cast(&program.types, TypeId::DOUBLE, *ty, double)), *ty)
            }
            Fact::Cast(ty, inner) => {
                let inner = inner.add_to(program);
                if program.exprs[inner].ty == *ty {
                    return inner;
                }
                (ExprKind::Cast(inner), *ty)
            }
            Fact::Binary(op, ty, left, right) => {
                let (left, right) = (left.add_to(program), right.add_to(program));
                (ExprKind::Binary(*op, left, right), *ty)
            }
        };
        program.exprs.push(Expr { kind, ty, span: Span::NONE })
    }

    pub fn cast(self, ty: TypeId) -> Fact {
        Fact::Cast(ty, Box::new(self))
    }

    /// An operation on two operands of one type.
    pub fn binary(op: BinOp, ty: TypeId, left: Fact, right: Fact) -> Fact {
        let ty = if op.is_comparison() { TypeId::INT } else { ty };
        Fact::Binary(op, ty, Box::new(left), Box::new(right))
    }
}

/// The place of a scalar, by the members that lead to it.
fn place_of(program: &mut Program, var: VarId, offset: u32) -> PlaceId {
    let ty = program.vars[var].ty;
    let mut place = program.places.push(Place { kind: PlaceKind::Var(var), ty });
    let mut left = offset as u64;
    while let Type::Record(record) = *program.types.get(program.places[place].ty) {
        let fields = &program.types.records[record].fields;
        let holds = |field: &cfa::types::Field| {
            let size = program.types.size_of(field.ty).unwrap_or(0);
            field.bits.is_none() && (field.offset..field.offset + size).contains(&left)
        };
        let Some(number) = fields.iter().position(holds) else { break };
        let (ty, start) = (fields[number].ty, fields[number].offset);
        left -= start;
        place = program.places.push(Place { kind: PlaceKind::Field(place, number as u32), ty });
    }
    place
}

pub fn at_loop_heads(transfer: &Transfer<'_>, fixpoint: &Fixpoint<'_, '_>) -> Vec<(LocId, Fact)> {
    let program = transfer.context.program;
    let mut found = Vec::new();
    for function in transfer.context.points_to.reached() {
        for one in cfa::loops::loops(program, *function) {
            let contexts = (0..fixpoint.contexts.len()).filter(|index| fixpoint.contexts[*index].function == *function);
            let states = contexts.flat_map(|context| fixpoint.states(context, one.head).into_iter());
            let joined = states.reduce(|joined, state| joined.join(&state));
            let Some(state) = joined else { continue };
            let known = AtHead { transfer, state: &state, head: one.head };
            for domain in DOMAINS {
                let mut facts = Vec::new();
                (domain.facts)(&known, &mut facts);
                found.extend(facts.into_iter().take(MAX_FACTS).map(|fact| (one.head, fact)));
            }
        }
    }
    found
}

/// Whether a name at a location means the variable.
fn is_named(program: &Program, at: LocId, var: VarId) -> bool {
    let data = &program.vars[var];
    matches!(data.kind, VarKind::Global | VarKind::Local(_) | VarKind::Param(_))
        && program.lookup(at, data.name) == Some(Binding::Var(var))
}

/// The type that C computes with, for an integer type.
fn promoted(ty: TypeId) -> Option<TypeId> {
    let kind = ty.int_kind()?;
    Some(if kind.rank() < IntKind::Int.rank() { TypeId::INT } else { ty })
}

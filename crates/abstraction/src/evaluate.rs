//! The abstract value of an expression in a state.

use crate::cells::{Access, CellId, Cells, Kind};
use crate::domains::float::FloatRange;
use crate::domains::interval::{Range, view_of};
use crate::domains::number::Number;
use crate::state::{AbstractValue, State};
use cfa::analysis::points_to::PointsTo;
use cfa::{ExprId, ExprKind, PlaceId, Program, TypeId, UnOp, eval};
use rustc_hash::FxHashMap;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What evaluation needs to know of the program.
pub struct Context<'p> {
    pub program: &'p Program,
    pub points_to: &'p PointsTo<'p>,
    pub cells: Cells,
    accesses: RefCell<FxHashMap<PlaceId, Rc<Access>>>,
    /// How deep the evaluation is, and how many expressions it may still look at.
    depth: Cell<u32>,
    left: Cell<u32>,
}

/// Deeper parts of an expression can be anything, and so can what comes after so many parts: expressions share their parts, so a tree may
/// be much larger than the program.
const MAX_DEPTH: u32 = 100;
const MAX_EXPRESSIONS: u32 = 5000;

impl<'p> Context<'p> {
    pub fn new(points_to: &'p PointsTo<'p>, cells: Cells) -> Self {
        Context {
            program: points_to.program(),
            points_to,
            cells,
            accesses: RefCell::default(),
            depth: Cell::new(0),
            left: Cell::new(0),
        }
    }

    pub fn access(&self, place: PlaceId) -> Rc<Access> {
        if let Some(known) = self.accesses.borrow().get(&place) {
            return known.clone();
        }
        let access = Rc::new(self.cells.access(self.points_to, place));
        self.accesses.borrow_mut().insert(place, access.clone());
        access
    }

    pub fn kind(&self, expr: ExprId) -> Option<Kind> {
        Kind::of(self.program, self.program.exprs[expr].ty)
    }

    /// The cell that an expression reads, and nothing else.
    pub fn cell_of(&self, expr: ExprId) -> Option<CellId> {
        match self.program.exprs[expr].kind {
            ExprKind::Read(place) => match *self.access(place) {
                Access::Exactly(cell) => Some(cell),
                _ => None,
            },
            _ => None,
        }
    }

    /// `None` for what is not followed, and for what no run computes without a fault.
    pub fn integer(&self, expr: ExprId, state: &State) -> Option<Number> {
        match self.value(expr, state) {
            Evaluated::AbstractValue(AbstractValue::Int(number)) => Some(number),
            _ => None,
        }
    }

    pub fn value(&self, expr: ExprId, state: &State) -> Evaluated {
        let Some(kind) = self.kind(expr) else { return Evaluated::Unknown };
        let depth = self.depth.get();
        if depth == 0 {
            self.left.set(MAX_EXPRESSIONS);
        }
        if depth > MAX_DEPTH || self.left.get() == 0 {
            return Evaluated::AbstractValue(AbstractValue::top(kind));
        }
        self.depth.set(depth + 1);
        self.left.set(self.left.get() - 1);
        let computed = self.evaluate(expr, kind, state);
        self.depth.set(depth);
        match computed {
            Computed::AbstractValue(value) => Evaluated::AbstractValue(value),
            Computed::Top => Evaluated::AbstractValue(AbstractValue::top(kind)),
            Computed::Impossible => Evaluated::Impossible,
        }
    }

    fn evaluate(&self, expr: ExprId, kind: Kind, state: &State) -> Computed {
        let program = self.program;
        let number = |number: Option<Number>| {
            number.map_or(Computed::Impossible, |number| Computed::AbstractValue(AbstractValue::Int(number)))
        };
        macro_rules! operand {
            ($expr:expr) => {
                match self.value($expr, state) {
                    Evaluated::AbstractValue(value) => value,
                    Evaluated::Unknown => return Computed::Top,
                    Evaluated::Impossible => return Computed::Impossible,
                }
            };
        }
        match (program.exprs[expr].kind, kind) {
            (ExprKind::Const(bits), Kind::Int(shape)) => {
                Computed::AbstractValue(AbstractValue::Int(Number::constant(shape, bits.lo)))
            }
            (ExprKind::Const(bits), Kind::Float(kind)) => match float_of(kind, bits) {
                Some(value) => Computed::AbstractValue(AbstractValue::Float(FloatRange::constant(kind, value))),
                None => Computed::Top,
            },
            (ExprKind::Read(place), _) => self.read(place, kind, state),
            // Only null is 0.
            (ExprKind::AddrOf(place), Kind::Int(shape)) => {
                let direct = !self.through_pointer(place);
                if direct { number(Number::top(shape).without(0)) } else { Computed::Top }
            }
            (ExprKind::FuncAddr(_), Kind::Int(shape)) => number(Number::top(shape).without(0)),
            (ExprKind::Unary(op, a), Kind::Int(shape)) => match operand!(a) {
                AbstractValue::Int(a) => number(Number::unary(op, &a, shape)),
                AbstractValue::Float(a) if op == UnOp::Not => {
                    let zero = FloatRange::constant(a.kind, 0.0);
                    number(Number::truth(FloatRange::compare(cfa::BinOp::Eq, &a, &zero), shape))
                }
                AbstractValue::Float(_) => Computed::Top,
            },
            (ExprKind::Unary(UnOp::Neg, a), Kind::Float(_)) => match operand!(a) {
                AbstractValue::Float(a) => Computed::AbstractValue(AbstractValue::Float(a.negated())),
                AbstractValue::Int(_) => Computed::Top,
            },
            (ExprKind::Binary(op, a, b), _) => match (operand!(a), operand!(b), kind) {
                (AbstractValue::Int(a), AbstractValue::Int(b), Kind::Int(shape)) => {
                    number(Number::binary(op, &a, &b, shape))
                }
                (AbstractValue::Float(a), AbstractValue::Float(b), Kind::Int(shape)) => {
                    number(Number::truth(FloatRange::compare(op, &a, &b), shape))
                }
                (AbstractValue::Float(a), AbstractValue::Float(b), Kind::Float(_)) => {
                    Computed::AbstractValue(AbstractValue::Float(FloatRange::arithmetic(op, &a, &b)))
                }
                _ => Computed::Top,
            },
            (ExprKind::Cast(a), _) => {
                let to = program.exprs[expr].ty;
                match (operand!(a), kind) {
                    (AbstractValue::Int(a), Kind::Int(shape)) if to == TypeId::BOOL => number(a.to_bool(shape)),
                    (AbstractValue::Int(a), Kind::Int(shape)) => number(a.cast(shape)),
                    (AbstractValue::Int(a), Kind::Float(cfa::FloatKind::LongDouble)) => {
                        let _ = a;
                        Computed::Top
                    }
                    (AbstractValue::Int(a), Kind::Float(kind)) => {
                        Computed::AbstractValue(AbstractValue::Float(FloatRange::from_integers(kind, a.range())))
                    }
                    (AbstractValue::Float(a), Kind::Float(kind)) => {
                        Computed::AbstractValue(AbstractValue::Float(a.cast(kind)))
                    }
                    (AbstractValue::Float(a), Kind::Int(shape)) => {
                        let all = if to == TypeId::BOOL { None } else { a.to_integers(view_of(shape)) };
                        match all.and_then(|range: Range| Number::in_range(shape, range)) {
                            Some(result) => Computed::AbstractValue(AbstractValue::Int(result)),
                            None => Computed::Top,
                        }
                    }
                }
            }
            _ => Computed::Top,
        }
    }

    fn through_pointer(&self, mut place: PlaceId) -> bool {
        loop {
            match self.program.places[place].kind {
                cfa::PlaceKind::Var(_) => return false,
                cfa::PlaceKind::Deref(_) => return true,
                cfa::PlaceKind::Field(base, _) => place = base,
                // An index may lead anywhere.
                cfa::PlaceKind::Index(base, index) => match self.program.constant(index) {
                    Some(_) => place = base,
                    None => return true,
                },
            }
        }
    }

    fn read(&self, place: PlaceId, kind: Kind, state: &State) -> Computed {
        let cells = &self.cells.all;
        match &*self.access(place) {
            Access::Exactly(cell) => match state.get(*cell) {
                Some(value) => reread(value, kind),
                None => Computed::Top,
            },
            Access::Some { whole, partly, elsewhere } => {
                if !partly.is_empty() || *elsewhere {
                    return Computed::Top;
                }
                let mut joined: Option<AbstractValue> = None;
                for cell in whole {
                    let value = state.value(*cell, cells);
                    joined = Some(joined.map_or_else(|| value.clone(), |joined| joined.join(&value)));
                }
                joined.map_or(Computed::Top, |value| reread(&value, kind))
            }
            Access::Anywhere => Computed::Top,
        }
    }
}

pub enum Evaluated {
    AbstractValue(AbstractValue),
    /// Its type is not followed.
    Unknown,
    /// Computing it faults in every run.
    Impossible,
}

enum Computed {
    AbstractValue(AbstractValue),
    Top,
    Impossible,
}

/// A value in a place that is read with another type of the same size.
fn reread(value: &AbstractValue, kind: Kind) -> Computed {
    match (value, kind) {
        (AbstractValue::Int(number), Kind::Int(shape)) if number.shape == shape => {
            Computed::AbstractValue(value.clone())
        }
        (AbstractValue::Int(number), Kind::Int(shape)) => match number.cast(shape) {
            Some(number) => Computed::AbstractValue(AbstractValue::Int(number)),
            None => Computed::Impossible,
        },
        (AbstractValue::Float(range), Kind::Float(kind)) if range.kind == kind => {
            Computed::AbstractValue(value.clone())
        }
        _ => Computed::Top,
    }
}

fn float_of(kind: cfa::FloatKind, bits: cfa::Bits) -> Option<f64> {
    match kind {
        cfa::FloatKind::Float => Some(eval::to_f32(bits) as f64),
        cfa::FloatKind::Double => Some(eval::to_f64(bits)),
        cfa::FloatKind::LongDouble => None,
    }
}

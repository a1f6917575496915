//! What expressions and places are in an abstract state. Where that depends on something unknown that matters (is the list empty? are the
//! pointers equal?) the state is split into cases.
//!
//! Results are put on the temporaries of the states, where they change with the graph. Nothing is guessed: what is not followed is an
//! unknown number, and what may be undefined is [`Trouble`].

use crate::facts::{Facts, number, pattern};
use crate::graph::{End, GraphValue, Kind, ObjectId, ZERO};
use crate::state::State;
use cfa::const_bits::Writes;
use cfa::eval;
use cfa::interp::is_flexible;
use cfa::{
    BinOp, Bits, EdgeId, ExprId, ExprKind, PlaceId, PlaceKind, Program, Property, PropertySet, Type, TypeId, UnOp,
    VarId, VarKind,
};

/// Why nothing is proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// A property may be violated here, or the behaviour undefined.
    MayFail(EdgeId),
    /// A construct that is not followed.
    Unsupported(EdgeId, String),
    /// C leaves open what happens here.
    LeftOpen(EdgeId, String),
    /// Too many states, or out of time.
    Limit,
}

pub type Cases = Result<Vec<State>, Trouble>;

/// Executes edges on abstract states.
pub struct Machine<'p> {
    pub program: &'p Program,
    pub properties: PropertySet,
    /// The edge that is executed.
    pub edge: EdgeId,
}

/// Bytes of an object: at one offset, or somewhere in `span + size` bytes from it.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    pub object: ObjectId,
    pub at: u64,
    pub span: u64,
}

impl<'p> Machine<'p> {
    pub fn may_fail<T>(&self) -> Result<T, Trouble> {
        Err(Trouble::MayFail(self.edge))
    }

    pub fn unsupported<T>(&self, construct: &str) -> Result<T, Trouble> {
        Err(Trouble::Unsupported(self.edge, construct.into()))
    }

    pub fn asks(&self, property: Property) -> bool {
        self.properties.contains(property)
    }

    pub fn bytes(&self, ty: TypeId) -> u64 {
        self.program.types.size_of(ty).unwrap_or(0)
    }

    /// Width and sign of a scalar as it lies in memory.
    pub fn reading(&self, ty: TypeId) -> (u32, bool) {
        (self.bytes(ty) as u32 * 8, self.program.types.is_signed(ty))
    }

    pub fn is_bool(&self, ty: TypeId) -> bool {
        !self.program.types.is_pointer(ty) && ty.float_kind().is_none() && self.program.types.scalar_bits(ty) == 1
    }

    /// Any number of a type.
    pub fn anything(&self, state: &mut State, ty: TypeId) -> GraphValue {
        let (bits, signed) = self.reading(ty);
        let facts = match self.is_bool(ty) {
            true => Facts::between(8, false, 0, 1),
            false => Facts::any_read(bits, signed),
        };
        state.graph.symbol(facts)
    }

    /// The object of a variable; one without a declaration gets it at its first use.
    pub fn variable(&self, state: &mut State, var: VarId) -> ObjectId {
        if let Some(object) = state.frame().variables.get(&var).or_else(|| state.statics.get(&var)) {
            return *object;
        }
        let object = state.new_variable(var, self.bytes(self.program.vars[var].ty), false);
        let frame = state.frames.last_mut().expect("a function runs");
        frame.variables.insert(var, object);
        object
    }

    /// The value of a scalar expression, on top of the temporaries of each case.
    pub fn value(&self, mut state: State, expr: ExprId) -> Cases {
        let program = self.program;
        let ty = program.exprs[expr].ty;
        match program.exprs[expr].kind {
            ExprKind::Const(bits) => state.push(GraphValue::Const(bits.get())),
            ExprKind::FuncAddr(function) => state.push(GraphValue::Function(function)),
            ExprKind::Read(place) => return self.read(state, place),
            ExprKind::AddrOf(place) => {
                let mut cases = self.place(state, place, false)?;
                for case in &mut cases {
                    let (span, address) = (case.pop(), case.pop());
                    let address = if span == ZERO { address } else { case.any(case.pointer_bits) };
                    case.push(address);
                }
                return Ok(cases);
            }
            ExprKind::Unary(UnOp::Not, operand) => {
                return self
                    .truths(state, operand)?
                    .into_iter()
                    .map(|(case, truth)| Ok(pushed(case, !truth)))
                    .collect();
            }
            ExprKind::Unary(op, operand) => {
                let mut cases = self.value(state, operand)?;
                for case in &mut cases {
                    let value = case.pop();
                    let result = self.negated(case, op, ty, value)?;
                    case.push(result);
                }
                return Ok(cases);
            }
            ExprKind::Binary(op, left, right) if op.is_comparison() => {
                let ty = program.exprs[left].ty;
                let mut results = Vec::new();
                for case in self.both(state, left, right)? {
                    let compared = self.compare(case, op, ty)?;
                    results.extend(compared.into_iter().map(|(case, truth)| pushed(case, truth)));
                }
                return Ok(results);
            }
            ExprKind::Binary(op, left, right) => {
                let mut cases = self.both(state, left, right)?;
                for case in &mut cases {
                    let (b, a) = (case.pop(), case.pop());
                    let types = (program.exprs[left].ty, program.exprs[right].ty);
                    let result = self.arithmetic(case, op, types, a, b)?;
                    case.push(result);
                }
                return Ok(cases);
            }
            ExprKind::Cast(operand) => return self.cast(state, operand, ty),
            ExprKind::PtrAdd(pointer, index) => return self.moved(state, pointer, index, 1),
            ExprKind::PtrSub(pointer, index) => return self.moved(state, pointer, index, -1),
            ExprKind::PtrDiff(left, right) => {
                let stride = self.stride(program.exprs[left].ty).max(1);
                let mut cases = self.both(state, left, right)?;
                for case in &mut cases {
                    let (b, a) = (case.pop(), case.pop());
                    let (bits, _) = self.reading(ty);
                    let result = match (a, b) {
                        (GraphValue::Address(one, end, x), GraphValue::Address(other, which, y))
                            if one == other && end == which =>
                        {
                            GraphValue::Const(pattern((x as i128 - y as i128) / stride as i128, bits))
                        }
                        _ => {
                            return self.unsupported("difference of pointers that need not point into the same object");
                        }
                    };
                    case.push(result);
                }
                return Ok(cases);
            }
        }
        Ok(vec![state])
    }

    /// Two values, the second one on top.
    fn both(&self, state: State, left: ExprId, right: ExprId) -> Cases {
        let mut results = Vec::new();
        for case in self.value(state, left)? {
            results.extend(self.value(case, right)?);
        }
        Ok(results)
    }

    /// The cases in which an expression is zero or not.
    pub fn truths(&self, state: State, expr: ExprId) -> Result<Vec<(State, bool)>, Trouble> {
        let ty = self.program.exprs[expr].ty;
        let mut results = Vec::new();
        for case in self.value(state, expr)? {
            results.extend(self.nonzero(case, ty)?);
        }
        Ok(results)
    }

    /// The cases in which the topmost value is zero or not.
    fn nonzero(&self, mut state: State, ty: TypeId) -> Result<Vec<(State, bool)>, Trouble> {
        if ty.float_kind().is_some() {
            return match state.pop() {
                GraphValue::Const(bits) => Ok(vec![(state, eval::truthy(&self.program.types, ty, Bits::new(bits)))]),
                _ => Ok(vec![(state.clone(), true), (state, false)]),
            };
        }
        state.push(ZERO);
        self.compare(state, BinOp::Ne, ty)
    }

    fn stride(&self, pointer: TypeId) -> u64 {
        let types = &self.program.types;
        types.pointee(pointer).and_then(|target| types.stride(target)).unwrap_or(1)
    }

    /// A pointer plus or minus an integer.
    fn moved(&self, state: State, pointer: ExprId, index: ExprId, direction: i128) -> Cases {
        let stride = self.stride(self.program.exprs[pointer].ty) as i128;
        let (bits, signed) = self.reading(self.program.exprs[index].ty);
        let mut cases = self.both(state, pointer, index)?;
        for case in &mut cases {
            let (by, from) = (case.pop(), case.pop());
            let width = case.pointer_bits;
            let result = match by {
                GraphValue::Const(count) => {
                    // Addresses wrap at the width of a pointer.
                    let distance = number(count, bits, signed).wrapping_mul(stride * direction);
                    let distance = number(pattern(distance, width), width, true) as i64;
                    case.graph.shifted(from, distance, width)
                }
                _ => case.any(width),
            };
            case.push(result);
        }
        Ok(cases)
    }

    /// Where a place is: an address and a span on top of the temporaries. `used`: array bounds matter.
    pub fn place(&self, mut state: State, place: PlaceId, used: bool) -> Cases {
        let program = self.program;
        match program.places[place].kind {
            PlaceKind::Var(var) => {
                let object = self.variable(&mut state, var);
                state.push(GraphValue::Address(object, End::First, 0));
                state.push(ZERO);
                Ok(vec![state])
            }
            PlaceKind::Deref(pointer) => {
                if let ExprKind::AddrOf(inner) = program.exprs[pointer].kind
                    && program.places[inner].ty == program.places[place].ty
                {
                    return self.place(state, inner, used);
                }
                if let ExprKind::PtrAdd(base, index) = program.exprs[pointer].kind {
                    let stride = self.stride(program.exprs[base].ty);
                    return self.indexed(self.both(state, base, index)?, index, stride, None);
                }
                let mut cases = self.value(state, pointer)?;
                for case in &mut cases {
                    self.note_hint(case, program.places[place].ty);
                    case.push(ZERO);
                }
                Ok(cases)
            }
            PlaceKind::Field(base, number) => {
                let Type::Record(record) = *program.types.get(program.places[base].ty) else {
                    return self.unsupported("member of something that is no record");
                };
                let offset = program.types.records[record].fields[number as usize].offset as i64;
                let mut cases = self.place(state, base, used)?;
                for case in &mut cases {
                    let (span, address) = (case.pop(), case.pop());
                    let bits = case.pointer_bits;
                    let address = case.graph.shifted(address, offset, bits);
                    case.push(address);
                    case.push(span);
                }
                Ok(cases)
            }
            PlaceKind::Index(base, index) => {
                let Type::Array(element, length) = *program.types.get(program.places[base].ty) else {
                    return self.unsupported("element of something that is no array");
                };
                let stride = program.types.stride(element).unwrap_or(1);
                let checked = length.filter(|length| used && !is_flexible(program, base, *length));
                let mut cases = Vec::new();
                for mut case in self.place(state, base, used)? {
                    if case.pop() != ZERO {
                        return self.unsupported("array in an element of an array, both at unknown indices");
                    }
                    cases.extend(self.value(case, index)?);
                }
                self.indexed(cases, index, stride, checked)
            }
        }
    }

    /// An address and an index are on top; they become an address and a span.
    fn indexed(&self, mut cases: Vec<State>, index: ExprId, stride: u64, length: Option<u64>) -> Cases {
        let (bits, signed) = self.reading(self.program.exprs[index].ty);
        for case in &mut cases {
            let (by, from) = (case.pop(), case.pop());
            let width = case.pointer_bits;
            let facts = case.graph.facts(by, bits).read(bits, signed);
            let inside = |length: u64| facts.is_followed() && facts.low >= 0 && facts.high < length as i128;
            if by.object().is_some() || length.is_some_and(|length| !inside(length)) {
                return self.may_fail();
            }
            let least = facts.low.checked_mul(stride as i128).filter(|_| facts.is_followed());
            let most = facts.high.checked_mul(stride as i128);
            // Distances beyond this are outside every object that is followed.
            let small = |distance: &i128| distance.abs() < 1 << 30;
            let (Some(least), Some(most)) = (least.filter(small), most.filter(small)) else {
                let unknown = case.any(width);
                case.push(unknown);
                case.push(ZERO);
                continue;
            };
            let address = case.graph.shifted(from, least as i64, width);
            case.push(address);
            case.push(GraphValue::Const((most - least) as u128));
        }
        Ok(cases)
    }

    /// An address that is used as a pointer to a whole record says what an object is.
    fn note_hint(&self, state: &mut State, ty: TypeId) {
        let Some(GraphValue::Address(id, _, 0)) = state.temporaries.last().copied() else { return };
        if let Type::Record(_) | Type::Array(..) = self.program.types.get(ty)
            && let Some(object) = state.graph.objects.get_mut(&id)
            && object.kind == Kind::Heap
            && object.segment.is_none()
            && object.hint.is_none()
            && self.program.types.size_of(ty) == Some(object.size)
        {
            object.hint = Some(ty);
        }
    }

    /// Takes an address and a span from the temporaries: the bytes there, which lie in a live object.
    pub fn access(&self, mut state: State, size: u64) -> Result<Vec<(State, Spot)>, Trouble> {
        let (span, address) = (state.pop(), state.pop());
        let GraphValue::Const(span) = span else { return self.may_fail() };
        let GraphValue::Address(object, end, at) = address else { return self.may_fail() };
        if state.graph.segment(object).is_some() {
            state.push(address);
            state.push(GraphValue::Const(span));
            let mut results = Vec::new();
            for case in self.split(state, object, end)? {
                results.extend(self.access(case, size)?);
            }
            return Ok(results);
        }
        let whole = state.graph.objects[&object].size;
        let last = at as i128 + span as i128 + size as i128;
        if at < 0 || last > whole as i128 {
            return self.may_fail();
        }
        Ok(vec![(state, Spot { object, at: at as u64, span: span as u64 })])
    }

    pub fn split(&self, state: State, object: ObjectId, end: End) -> Cases {
        state.split(object, end).map_or_else(|| self.unsupported("list whose end is itself"), Ok)
    }

    fn bits_of(&self, place: PlaceId) -> Option<cfa::types::BitRange> {
        let PlaceKind::Field(base, number) = self.program.places[place].kind else { return None };
        let Type::Record(record) = *self.program.types.get(self.program.places[base].ty) else { return None };
        self.program.types.records[record].fields[number as usize].bits
    }

    /// The value of a scalar place.
    fn read(&self, state: State, place: PlaceId) -> Cases {
        let ty = self.program.places[place].ty;
        if !self.program.types.is_scalar(ty) {
            return self.unsupported("value of a record in an expression");
        }
        let range = self.bits_of(place);
        let size = range.map_or(self.bytes(ty), |range| (range.start as u64 + range.width as u64).div_ceil(8));
        let mut results = Vec::new();
        for case in self.place(state, place, true)? {
            for (mut case, spot) in self.access(case, size)? {
                let value = match range {
                    Some(range) => {
                        let (bits, signed) = self.reading(ty);
                        let known = case.graph.peek(spot.object, spot.at, size).filter(|_| spot.span == 0);
                        match known {
                            Some(ZERO) => ZERO,
                            _ if self.is_bool(ty) => self.anything(&mut case, ty),
                            _ => {
                                let narrow = Facts::any_read(range.width as u32, signed);
                                case.graph.symbol(Facts::between(bits, signed, narrow.low, narrow.high))
                            }
                        }
                    }
                    None => self.load(&mut case, spot, ty),
                };
                case.push(value);
                results.push(case);
            }
        }
        Ok(results)
    }

    pub fn load(&self, state: &mut State, spot: Spot, ty: TypeId) -> GraphValue {
        let size = self.bytes(ty);
        let object = &state.graph.objects[&spot.object];
        if spot.span > 0 {
            let untouched = object.overlapping(spot.at, spot.span + size).is_empty();
            return if object.zero && untouched { ZERO } else { self.anything(state, ty) };
        }
        let untouched = object.overlapping(spot.at, size).is_empty();
        match state.graph.peek(spot.object, spot.at, size) {
            Some(value) if self.is_bool(ty) => match value {
                GraphValue::Const(0 | 1) => value,
                GraphValue::Symbol(_) if Facts::between(8, false, 0, 1).covers(&state.graph.facts(value, 8)) => value,
                _ => self.anything(state, ty),
            },
            Some(value) => value,
            None => {
                let value = self.anything(state, ty);
                // Memory that was never written holds one value until it is written. A `_Bool` need not hold 0 or 1.
                if untouched && !self.is_bool(ty) {
                    state.graph.write(spot.object, spot.at, size, value);
                }
                value
            }
        }
    }

    /// Whether some bytes of an object may be written.
    pub fn require_writable(&self, state: &State, spot: Spot, size: u64) -> Result<(), Trouble> {
        let Kind::Variable(var) = state.graph.objects[&spot.object].kind else { return Ok(()) };
        let var = &self.program.vars[var];
        let writes = match var.kind {
            VarKind::Constant => Writes::Nothing,
            _ if var.read_only => Writes::Nothing,
            VarKind::Global => Writes::of(&self.program.types, var.ty),
            _ => Writes::All,
        };
        match writes.allow(spot.at, spot.span + size) {
            true => Ok(()),
            false => self.may_fail(),
        }
    }

    /// Stores the topmost temporary.
    pub fn store(&self, state: State, place: PlaceId) -> Cases {
        let ty = self.program.places[place].ty;
        let range = self.bits_of(place);
        let size = range.map_or(self.bytes(ty), |range| (range.start as u64 + range.width as u64).div_ceil(8));
        let mut results = Vec::new();
        for case in self.place(state, place, true)? {
            for (mut case, spot) in self.access(case, size)? {
                let value = case.pop();
                self.require_writable(&case, spot, size)?;
                match range.is_some() || spot.span > 0 {
                    true => case.graph.forget(spot.object, spot.at, spot.span + size),
                    false => case.graph.write(spot.object, spot.at, size, value),
                }
                results.push(case);
            }
        }
        Ok(results)
    }

    /// Copies bytes from one place in memory to another.
    pub fn copy(&self, state: &mut State, to: Spot, from: Spot, size: u64) {
        if from.span > 0 || to.span > 0 {
            return state.graph.forget(to.object, to.at, to.span + size);
        }
        let source = &state.graph.objects[&from.object];
        let zero = source.zero;
        let parts: Vec<(u64, u64, Option<GraphValue>)> = source
            .overlapping(from.at, size)
            .into_iter()
            .map(|at| {
                let field = source.fields[&at];
                let (start, end) = (at.max(from.at), (at + field.size).min(from.at + size));
                let whole = end - start == field.size || field.value == ZERO;
                (start - from.at, end - start, whole.then_some(field.value))
            })
            .collect();
        match zero {
            true => state.graph.write(to.object, to.at, size, ZERO),
            false => state.graph.forget(to.object, to.at, size),
        }
        for (at, length, value) in parts {
            match value {
                Some(value) => state.graph.write(to.object, to.at + at, length, value),
                None => state.graph.forget(to.object, to.at + at, length),
            }
        }
    }
}

/// The truth as an `int` on top.
pub fn pushed(mut state: State, truth: bool) -> State {
    state.push(GraphValue::Const(truth as u128));
    state
}

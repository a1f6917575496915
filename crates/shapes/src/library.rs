//! Library functions that list programs use, with the meaning that the interpreter gives them: `malloc` does not fail.

use crate::evaluate::{Cases, Machine, Spot, Trouble};
use crate::graph::{End, GraphValue, Kind, Object, ZERO};
use crate::state::State;
use cfa::library::LibFn;
use cfa::{ExprId, PlaceId, TypeId};

/// Larger allocations are not followed.
const LARGEST: u128 = 1 << 24;

impl Machine<'_> {
    pub fn library(&self, state: State, dest: Option<PlaceId>, meaning: LibFn, args: &[ExprId]) -> Cases {
        let count = match meaning {
            LibFn::Malloc | LibFn::Free | LibFn::First | LibFn::Exit => 1,
            LibFn::Calloc => 2,
            LibFn::Memset | LibFn::Memcpy | LibFn::Memmove => 3,
            LibFn::Abort => return Ok(Vec::new()),
            LibFn::Unreachable => return self.may_fail(),
            LibFn::Zero { .. } => args.len(),
            _ => return self.unsupported("library function that is not followed by the analysis of shapes"),
        };
        if args.len() < count {
            return self.unsupported("library function with too few arguments");
        }
        let mut results = Vec::new();
        for mut case in self.arguments(state, args)? {
            let mut values: Vec<GraphValue> = args.iter().map(|_| case.pop()).collect();
            values.reverse();
            match meaning {
                LibFn::Malloc => {
                    let value = self.allocated(&mut case, Some(values[0]), false)?;
                    results.extend(self.answer(case, dest, Some(value))?);
                }
                LibFn::Calloc => {
                    let product = match (values[0], values[1]) {
                        (GraphValue::Const(a), GraphValue::Const(b)) => a.checked_mul(b).map(GraphValue::Const),
                        _ => None,
                    };
                    let value = self.allocated(&mut case, product, true)?;
                    results.extend(self.answer(case, dest, Some(value))?);
                }
                LibFn::Free => results.extend(self.freed(case, values[0])?),
                LibFn::First => results.extend(self.answer(case, dest, Some(values[0]))?),
                LibFn::Zero { .. } => {
                    let value = dest.map(|_| ZERO);
                    results.extend(self.answer(case, dest, value)?);
                }
                LibFn::Exit => self.end(case)?,
                LibFn::Memset => results.extend(self.filled(case, dest, values, args[1])?),
                _ => results.extend(self.moved_bytes(case, dest, values, meaning == LibFn::Memcpy)?),
            }
        }
        Ok(results)
    }

    fn answer(&self, mut state: State, dest: Option<PlaceId>, value: Option<GraphValue>) -> Cases {
        match (dest, value) {
            (None, _) => Ok(vec![state]),
            (Some(dest), Some(value)) => {
                state.push(value);
                self.store(state, dest)
            }
            (Some(_), None) => self.unsupported("result of a function that has none"),
        }
    }

    fn allocated(&self, state: &mut State, size: Option<GraphValue>, zero: bool) -> Result<GraphValue, Trouble> {
        match size {
            Some(GraphValue::Const(size)) if size <= LARGEST => {
                let object = state.graph.add(Object::new(Kind::Heap, size as u64, zero));
                Ok(GraphValue::Address(object, End::First, 0))
            }
            _ => self.unsupported("allocation of unknown size"),
        }
    }

    fn freed(&self, mut state: State, pointer: GraphValue) -> Cases {
        match pointer {
            GraphValue::Const(0) => Ok(vec![state]),
            GraphValue::Address(object, end, _) if state.graph.segment(object).is_some() => {
                state.push(pointer);
                let mut results = Vec::new();
                for mut case in self.split(state, object, end)? {
                    let pointer = case.pop();
                    results.extend(self.freed(case, pointer)?);
                }
                Ok(results)
            }
            GraphValue::Address(object, _, 0) if state.graph.objects[&object].kind == Kind::Heap => {
                state.end_lifetime(object);
                Ok(vec![state])
            }
            _ => self.may_fail(),
        }
    }

    /// `memset(p, byte, n)`.
    fn filled(&self, mut state: State, dest: Option<PlaceId>, values: Vec<GraphValue>, byte: ExprId) -> Cases {
        let GraphValue::Const(size) = values[2] else { return self.unsupported("memset of unknown length") };
        if self.program.exprs[byte].ty != TypeId::INT {
            return self.unsupported("memset with an argument of another type");
        }
        state.push(values[0]);
        state.push(values[0]);
        state.push(ZERO);
        let mut results = Vec::new();
        for (mut case, spot) in self.access(state, size as u64)? {
            self.require_writable(&case, spot, size as u64)?;
            match values[1] {
                GraphValue::Const(byte) if byte & 0xff == 0 => {
                    let object = case.graph.objects.get_mut(&spot.object).expect("it was accessed");
                    if spot.at == 0 && size as u64 == object.size {
                        object.fields.clear();
                        object.zero = true;
                    } else {
                        case.graph.write(spot.object, spot.at, size as u64, ZERO);
                    }
                }
                _ => case.graph.forget(spot.object, spot.at, size as u64),
            }
            let pointer = case.pop();
            results.extend(self.answer(case, dest, Some(pointer))?);
        }
        Ok(results)
    }

    /// `memcpy(to, from, n)`, `memmove(to, from, n)`.
    fn moved_bytes(&self, mut state: State, dest: Option<PlaceId>, values: Vec<GraphValue>, apart: bool) -> Cases {
        let GraphValue::Const(size) = values[2] else { return self.unsupported("copy of unknown length") };
        let size = size as u64;
        // Below: the result, the source; on top the target, with a span for each access.
        state.push(values[0]);
        state.push(values[1]);
        state.push(values[0]);
        state.push(ZERO);
        let mut results = Vec::new();
        for (mut case, to) in self.access(state, size)? {
            self.require_writable(&case, to, size)?;
            case.push(ZERO);
            for (mut case, from) in self.access(case, size)? {
                if apart && overlap(to, from, size) {
                    return self.may_fail();
                }
                self.copy(&mut case, to, from, size);
                let pointer = case.pop();
                results.extend(self.answer(case, dest, Some(pointer))?);
            }
        }
        Ok(results)
    }
}

fn overlap(a: Spot, b: Spot, size: u64) -> bool {
    a.object == b.object && a.at < b.at + size && b.at < a.at + size
}

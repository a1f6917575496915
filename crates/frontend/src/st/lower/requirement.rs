//! Requirements and tests: what is assumed of inputs, what holds at the beginning and end of cycles, and the variables that remember earlier cycles.

use super::super::parse::parse_expression;
use super::operator::Val;
use super::types::Ty;
use super::vars::InstanceId;
use super::{Lower, Placed};
use crate::requirement::Pattern;
use base::Span;
use cfa::{AssumeRole, BinOp, ExprId, ExprKind, Init, Op, PlaceId, Property, TypeId, VarKind};

impl Lower<'_> {
    /// What a test says of the state before the first cycle.
    pub fn begin_state(&mut self, instance: InstanceId) {
        let options = self.options;
        let span = self.flow_span();
        for (variable, values) in &options.cycle.initial_state {
            let Some((place, ty)) = self.variable_of_test(variable, span.lo, instance) else { continue };
            for ((part, _, part_ty), value) in self.scalars_of(place, &ty, 0).into_iter().zip(values) {
                let Ok(value) = parse_expression(value.as_bytes(), span.lo) else { continue };
                let value = self.value_for(&value, &part_ty);
                let value = self.convert(value, &part_ty, span);
                self.emit(Op::Assign(part, value), span);
            }
        }
    }

    pub fn flow_span(&self) -> Span {
        Span::new(self.flow.anchor, self.flow.anchor)
    }

    /// The variable that a test names, as the entry block would.
    pub fn variable_of_test(&mut self, variable: &str, position: u32, instance: InstanceId) -> Option<(PlaceId, Ty)> {
        let parsed = parse_expression(variable.as_bytes(), position);
        let names = self.instances[instance].slots.clone();
        let pou = self.instances[instance].pou;
        let frame = self.new_frame(pou, names, None);
        self.frames.push(frame);
        let target = parsed.map(|expr| self.target(&expr));
        self.frames.pop();
        match target {
            Ok(super::expr::Target::Place(place, ty, _)) => Some((place, ty)),
            Ok(_) => {
                self.error(Span::new(position, position), format!("`{variable}` is no variable with a value"));
                None
            }
            Err(error) => {
                self.diagnostics.push(error);
                None
            }
        }
    }

    /// What is assumed of the inputs of every cycle.
    pub fn assume_conditions(&mut self, requirements: &[Placed<'_>], instance: InstanceId) {
        for placed in requirements.iter().filter(|placed| placed.requirement.pattern == Pattern::Assumed) {
            self.flow.anchor = placed.sentence.lo;
            let value = self.parameter_value(placed, 0, instance);
            let cond = self.condition_of(value);
            self.emit(Op::Assume { cond, truth: true, role: AssumeRole::Assumption }, placed.sentence);
        }
    }

    /// Variables that remember what earlier cycles were like.
    pub fn begin_requirements(&mut self, requirements: &[Placed<'_>], _instance: InstanceId) -> Vec<Option<PlaceId>> {
        let remembers = |placed: &Placed<'_>| {
            matches!(
                placed.requirement.pattern,
                Pattern::ChangeDuringCycle | Pattern::ChangeBetweenCycles | Pattern::NextCycle | Pattern::LeadsTo
            )
        };
        let mut found = Vec::new();
        for placed in requirements {
            found.push(remembers(placed).then(|| {
                let name = format!("before({})", placed.parameters.first().map_or("", |(text, _)| text));
                let var = self.push_var(&name, TypeId::BOOL, VarKind::Global, Init::Zero, placed.sentence);
                self.var_place(var)
            }));
        }
        found
    }

    /// A parameter of a requirement as a value of type BOOL, as the entry block would say it.
    pub fn parameter_value(&mut self, placed: &Placed<'_>, number: usize, instance: InstanceId) -> ExprId {
        let Some((text, position)) = placed.parameters.get(number) else {
            return self.constant(0, TypeId::BOOL, placed.sentence);
        };
        let expr = match parse_expression(text.as_bytes(), *position) {
            Ok(expr) => expr,
            Err(error) => {
                self.diagnostics.push(error);
                return self.constant(0, TypeId::BOOL, placed.sentence);
            }
        };
        let names = self.instances[instance].slots.clone();
        let pou = self.instances[instance].pou;
        let frame = self.new_frame(pou, names, None);
        self.frames.push(frame);
        let value = self.value(&expr);
        let value = match value {
            Val::Int(number @ 0..=1) => self.constant(number, TypeId::BOOL, expr.span),
            Val::Expr(value, Ty::Bool) => value,
            Val::Bad => self.constant(0, TypeId::BOOL, expr.span),
            _ => {
                self.error(expr.span, "a requirement is about conditions, this is none");
                self.constant(0, TypeId::BOOL, expr.span)
            }
        };
        self.frames.pop();
        value
    }

    pub fn at_beginning(&mut self, requirements: &[Placed<'_>], ghosts: &[Option<PlaceId>], instance: InstanceId) {
        for (placed, ghost) in requirements.iter().zip(ghosts) {
            if let (Pattern::ChangeDuringCycle, Some(ghost)) = (placed.requirement.pattern, ghost) {
                let value = self.parameter_value(placed, 0, instance);
                self.emit(Op::Assign(*ghost, value), placed.sentence);
            }
        }
    }

    pub fn at_end(&mut self, requirements: &[Placed<'_>], ghosts: &[Option<PlaceId>], instance: InstanceId) {
        for (placed, ghost) in requirements.iter().zip(ghosts) {
            self.flow.anchor = placed.sentence.lo;
            let span = placed.sentence;
            let pattern = placed.requirement.pattern;
            if matches!(pattern, Pattern::Assertions | Pattern::Repeatability | Pattern::AtCycle | Pattern::Assumed) {
                continue;
            }
            let first = self.parameter_value(placed, 0, instance);
            let before = ghost.map(|ghost| self.read(ghost, span));
            let not = |lower: &mut Self, value| lower.negate(value, span);
            let or = |lower: &mut Self, a, b| lower.both(BinOp::Or, a, b, span);
            let holds = match (pattern, before) {
                (Pattern::Invariant, _) => first,
                (Pattern::Forbidden | Pattern::Reachability, _) => not(self, first),
                (Pattern::Implication, _) => {
                    let second = self.parameter_value(placed, 1, instance);
                    let unless = not(self, first);
                    or(self, unless, second)
                }
                (Pattern::ChangeDuringCycle | Pattern::NextCycle, Some(before)) => {
                    let second = self.parameter_value(placed, 1, instance);
                    let unless = not(self, before);
                    or(self, unless, second)
                }
                (Pattern::ChangeBetweenCycles, Some(before)) => {
                    let second = self.parameter_value(placed, 1, instance);
                    let third = self.parameter_value(placed, 2, instance);
                    let (a, b) = (not(self, before), not(self, second));
                    let unless = or(self, a, b);
                    or(self, unless, third)
                }
                (Pattern::LeadsTo, Some(before)) => {
                    let unless = not(self, first);
                    or(self, unless, before)
                }
                _ => continue,
            };
            let cond = self.condition_of(holds);
            self.emit(Op::Assert { cond, property: Property::Assertion }, span);
            if let Some(ghost) = ghost {
                let next = match pattern {
                    Pattern::NextCycle | Pattern::ChangeBetweenCycles => self.parameter_value(placed, 0, instance),
                    Pattern::LeadsTo => {
                        let second = self.parameter_value(placed, 1, instance);
                        let old = self.read(*ghost, span);
                        or(self, old, second)
                    }
                    _ => continue,
                };
                self.emit(Op::Assign(*ghost, next), span);
            }
        }
    }

    /// The number of the cycle, where a test asks for it.
    pub fn count_cycles(&mut self, requirements: &[Placed<'_>], span: Span) -> Option<PlaceId> {
        requirements.iter().find(|placed| placed.requirement.pattern == Pattern::AtCycle)?;
        let var = self.push_var("cycle number", TypeId::UINT, VarKind::Global, Init::Zero, span);
        let place = self.var_place(var);
        let old = self.read(place, span);
        let one = self.constant(1, TypeId::UINT, span);
        let next = self.expr(ExprKind::Binary(BinOp::Add, old, one), TypeId::UINT, span);
        self.emit(Op::Assign(place, next), span);
        Some(place)
    }

    /// What a test expects at the end of its cycles.
    pub fn expectations(&mut self, requirements: &[Placed<'_>], counter: PlaceId, instance: InstanceId) {
        for placed in requirements.iter().filter(|placed| placed.requirement.pattern == Pattern::AtCycle) {
            let [(number, _), (variable, position), values @ ..] = &placed.parameters[..] else { continue };
            let span = placed.sentence;
            let Some((place, ty)) = self.variable_of_test(variable, *position, instance) else { continue };
            let now = self.read(counter, span);
            let wanted = self.constant(number.parse().unwrap_or(0), TypeId::UINT, span);
            let other = self.compare(BinOp::Ne, now, wanted, span);
            let mut holds = self.truth_value(other, span);
            let mut all = self.constant(1, TypeId::BOOL, span);
            for ((part, _, part_ty), (value, _)) in self.scalars_of(place, &ty, 0).into_iter().zip(values) {
                let Ok(value) = parse_expression(value.as_bytes(), span.lo) else { continue };
                let value = self.value_for(&value, &part_ty);
                let found = self.read(part, span);
                let same = self.as_expected(found, &part_ty, value, span);
                all = self.both(BinOp::And, all, same, span);
            }
            holds = self.both(BinOp::Or, holds, all, span);
            self.emit(Op::Assert { cond: holds, property: Property::Assertion }, span);
        }
    }

    /// Equal; numbers with a fraction up to a thousandth, as people write them.
    pub fn as_expected(&mut self, found: ExprId, ty: &Ty, value: Val, span: Span) -> ExprId {
        if !ty.is_real() {
            let value = self.convert(value, ty, span);
            let same = self.compare(BinOp::Eq, found, value, span);
            return self.truth_value(same, span);
        }
        let value = match value {
            Val::Int(number) => number as f64,
            Val::Real(number) => number,
            _ => return self.constant(0, TypeId::BOOL, span),
        };
        let low = self.convert(Val::Real(value - 0.001), ty, span);
        let high = self.convert(Val::Real(value + 0.001), ty, span);
        let above = self.compare(BinOp::Ge, found, low, span);
        let below = self.compare(BinOp::Le, found, high, span);
        let (above, below) = (self.truth_value(above, span), self.truth_value(below, span));
        self.both(BinOp::And, above, below, span)
    }
}

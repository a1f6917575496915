//! Standard functions that Structured Text cannot define: conversions, functions that are operators, shifts, and those of the system's mathematical library.

use super::super::ast::{Arg, Operator, key};
use super::Lower;
use super::call::Given;
use super::operator::Val;
use super::types::{TimeKind, Ty, elementary};
use base::Span;
use cfa::library::{LibFn, lookup};
use cfa::types::FunctionType;
use cfa::{BinOp, Body, Branch, Callee, ExprId, ExprKind, Function, IntKind, Op, PlaceKind, Type, TypeId};

/// Functions of one number that the system's library has.
const MATH: &[(&str, &str)] = &[
    ("SQRT", "sqrt"),
    ("SIN", "sin"),
    ("COS", "cos"),
    ("TAN", "tan"),
    ("ASIN", "asin"),
    ("ACOS", "acos"),
    ("ATAN", "atan"),
    ("EXP", "exp"),
    ("LN", "log"),
    ("LOG", "log10"),
];

/// Functions that are operators between all their arguments.
const OPERATORS: &[(&str, Operator)] = &[
    ("ADD", Operator::Add),
    ("MUL", Operator::Mul),
    ("SUB", Operator::Sub),
    ("DIV", Operator::Div),
    ("MOD", Operator::Mod),
    ("AND", Operator::And),
    ("OR", Operator::Or),
    ("XOR", Operator::Xor),
    ("EQ", Operator::Eq),
    ("NE", Operator::Ne),
    ("LT", Operator::Lt),
    ("LE", Operator::Le),
    ("GT", Operator::Gt),
    ("GE", Operator::Ge),
];

const OTHERS: &[&str] = &[
    "MOVE",
    "EXPT",
    "ADR",
    "REF",
    "SIZEOF",
    "MUX",
    "TIME",
    "TIME_TCK",
    "NOT",
    "ATAN2",
    "LOWER_BOUND",
    "UPPER_BOUND",
    "UNSUPPORTED",
];
/// Functions of Siemens. In export files others have these names.
const SIEMENS: &[&str] = &["ROUND", "CEIL", "FLOOR", "FRAC", "SQR", "NORM_X", "SCALE_X"];

/// Where a parameter with a name stands in a call without names.
fn rank(name: &str) -> Option<u32> {
    Some(match name {
        "K" | "IN" | "Y" | "MIN" => 0,
        "N" | "X" | "VALUE" => 1,
        "MAX" => 2,
        // IN1 is behind IN0, and the first where there is none.
        _ => name.strip_prefix("IN")?.parse::<u32>().ok()? + 1,
    })
}

fn is_seconds(kind: TimeKind) -> bool {
    kind == TimeKind::Dt
}

fn is_day_part(kind: TimeKind) -> bool {
    matches!(kind, TimeKind::Date | TimeKind::Tod)
}

impl Lower<'_> {
    /// A call of a function that is not declared; `None` if the standard has none with the name.
    pub fn builtin(&mut self, name: &str, args: &[Arg], span: Span) -> Option<Val> {
        let name = key(name);
        let math = MATH.iter().find(|(own, _)| *own == name);
        let operator = OPERATORS.iter().find(|(own, _)| *own == name);
        let shift = matches!(name.as_str(), "SHL" | "SHR" | "ROL" | "ROR");
        let other = OTHERS.contains(&name.as_str()) || !self.is_export() && SIEMENS.contains(&name.as_str());
        let truncation = self.truncation(&name);
        let none = math.is_none() && operator.is_none() && !shift && !other && truncation.is_none();
        if none && self.conversion(&name).is_none() {
            return None;
        }
        match name.as_str() {
            "ADR" | "SIZEOF" | "REF" => return Some(self.address(&name, args, span)),
            "LOWER_BOUND" | "UPPER_BOUND" => return Some(self.bound(&name, args, span)),
            _ => {}
        }
        let mut values: Vec<Val> = Vec::new();
        let mut ordered: Vec<&Arg> = args.iter().collect();
        if args.iter().all(|arg| arg.name.is_some()) {
            ordered.sort_by_key(|arg| arg.name.as_ref().and_then(|name| rank(&name.key())));
        }
        for arg in ordered {
            if let Some(name) = &arg.name
                && rank(&name.key()).is_none()
            {
                self.error(name.span, format!("there is no parameter `{}`", name.text));
            }
            if let Some(value) = &arg.value {
                values.push(self.value(value));
            }
        }
        if values.iter().any(|value| matches!(value, Val::Bad)) {
            return Some(Val::Bad);
        }
        if let Some((_, operator)) = operator {
            let two = matches!(operator, Operator::Sub | Operator::Div | Operator::Mod | Operator::Ne);
            if values.len() < 2 || two && values.len() > 2 {
                return self.wrong_count(&name, span);
            }
            if matches!(operator, Operator::Eq | Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge) {
                // Each with the next one.
                let pair = |pair: &[Val]| self.binary(*operator, pair[0].clone(), pair[1].clone(), span);
                let compared: Vec<Val> = values.windows(2).map(pair).collect();
                return compared.into_iter().reduce(|left, right| self.binary(Operator::And, left, right, span));
            }
            return values.into_iter().reduce(|left, right| self.binary(*operator, left, right, span));
        }
        let count = match name.as_str() {
            "TIME" | "TIME_TCK" => 0,
            "SHL" | "SHR" | "ROL" | "ROR" | "EXPT" | "ATAN2" => 2,
            "NORM_X" | "SCALE_X" => 3,
            "MUX" => values.len().max(2),
            _ => 1,
        };
        if values.len() != count {
            return self.wrong_count(&name, span);
        }
        let first = values.first().cloned().unwrap_or(Val::Bad);
        Some(match name.as_str() {
            "TIME" | "TIME_TCK" => self.system_time(span),
            "MOVE" => first,
            "UNSUPPORTED" => {
                if let Val::Text(what) = &first {
                    self.poison(span, &String::from_utf8_lossy(what));
                }
                Val::Bad
            }
            "ROUND" | "CEIL" | "FLOOR" => {
                let whole = match name.as_str() {
                    "ROUND" => first,
                    _ => self.library(&name.to_ascii_lowercase(), &[first], span),
                };
                self.explicit(whole, &Ty::Int(IntKind::Int, false), span)
            }
            "FRAC" => {
                let whole = self.library("trunc", std::slice::from_ref(&first), span);
                self.binary(Operator::Sub, first, whole, span)
            }
            "SQR" => self.binary(Operator::Mul, first.clone(), first, span),
            "NORM_X" | "SCALE_X" => self.scale(name == "NORM_X", &values, span),
            "NOT" => self.complement(first, span),
            "SHL" | "SHR" | "ROL" | "ROR" => self.shift(&name, first, values[1].clone(), span),
            "EXPT" => self.power(first, values[1].clone(), span),
            "ATAN2" => self.library("atan2", &values, span),
            "MUX" => self.select(values, span),
            _ if truncation.is_some() => {
                let to = truncation.unwrap_or(Ty::Bad);
                match first {
                    Val::Expr(value, ty) if ty.is_real() => {
                        let id = self.cfa_type(&to);
                        Val::Expr(self.cast(value, id, span), to)
                    }
                    Val::Real(value) => Val::Int(value.trunc() as i128),
                    other => other,
                }
            }
            _ => match math {
                Some((_, function)) => self.library(function, &[first], span),
                None => match self.conversion(&name) {
                    Some(to) => self.explicit(first, &to, span),
                    None => Val::Bad,
                },
            },
        })
    }

    /// Siemens: `NORM_X(MIN, VALUE, MAX)` says where a value lies between two others, from 0 to 1; `SCALE_X` is the inverse.
    fn scale(&mut self, norm: bool, values: &[Val], span: Span) -> Val {
        let [least, value, most] = values else { return Val::Bad };
        let real = |lower: &mut Self, value: &Val| Val::Expr(lower.convert(value.clone(), &Ty::LReal, span), Ty::LReal);
        let (low, given, high) = (real(self, least), real(self, value), real(self, most));
        let range = self.binary(Operator::Sub, high, low.clone(), span);
        if norm {
            let above = self.binary(Operator::Sub, given, low, span);
            let result = self.binary(Operator::Div, above, range, span);
            return self.explicit(result, &Ty::Real, span);
        }
        let above = self.binary(Operator::Mul, given, range, span);
        let result = self.binary(Operator::Add, above, low, span);
        let to = match most {
            Val::Expr(_, ty) => ty.clone(),
            Val::Int(_) => Ty::Int(IntKind::Int, false),
            _ => Ty::Real,
        };
        self.explicit(result, &to, span)
    }

    /// `LOWER_BOUND(array, dimension)`
    fn bound(&mut self, name: &str, args: &[Arg], span: Span) -> Val {
        let [array, dimension] = args else {
            self.wrong_count(name, span);
            return Val::Bad;
        };
        let (Some(array), Some(dimension)) = (&array.value, &dimension.value) else { return Val::Bad };
        let dimension = self.const_int(dimension);
        match self.target(array) {
            super::expr::Target::Place(_, Ty::Array(array), _) => {
                let found = dimension.and_then(|dimension| array.dimensions.get((dimension - 1).max(0) as usize));
                let Some((low, high)) = found else {
                    self.error(span, "the array has no such dimension");
                    return Val::Bad;
                };
                Val::Int(if name == "LOWER_BOUND" { *low } else { *high })
            }
            super::expr::Target::Unsupported(what) => {
                self.poison(span, what);
                Val::Bad
            }
            super::expr::Target::Nothing => Val::Bad,
            _ => {
                self.error(span, format!("`{name}` needs an array"));
                Val::Bad
            }
        }
    }

    fn wrong_count(&mut self, name: &str, span: Span) -> Option<Val> {
        self.error(span, format!("`{name}` is called with a wrong number of arguments"));
        Some(Val::Bad)
    }

    /// `TRUNC`, `TRUNC_Y`, `X_TRUNC_Y`: the type of whole numbers that it cuts to.
    fn truncation(&mut self, name: &str) -> Option<Ty> {
        let to = match name.split_once("TRUNC")? {
            ("", "") => return Some(Ty::Int(IntKind::Int, false)),
            ("" | "REAL_" | "LREAL_", to) => to.strip_prefix('_')?,
            _ => return None,
        };
        elementary(to).filter(|ty| matches!(ty, Ty::Int(_, false)))
    }

    /// `X_TO_Y`, `TO_Y`: the type that it converts to.
    fn conversion(&mut self, name: &str) -> Option<Ty> {
        let (from, to) = match name.strip_prefix("TO_") {
            Some(to) => (None, to),
            None => name.split_once("_TO_").map(|(from, to)| (Some(from), to))?,
        };
        let known = |lower: &Self, name: &str| {
            elementary(name).is_some() || name == "STRING" || lower.named_types.contains_key(name)
        };
        if from.is_some_and(|from| !known(self, from)) || !known(self, to) {
            return None;
        }
        Some(match elementary(to) {
            Some(Ty::Time(TimeKind::Time)) if self.is_export() => Ty::Time(TimeKind::UnsignedTime),
            Some(ty) => ty,
            None if to == "STRING" => Ty::Text(80),
            None => self.type_named(to),
        })
    }

    /// A conversion that the text asks for.
    fn explicit(&mut self, value: Val, to: &Ty, span: Span) -> Val {
        if matches!(to, Ty::Text(_)) || matches!(value, Val::Text(_) | Val::Whole(..)) {
            return self.convert_text(value, to, span);
        }
        let id = self.cfa_type(to);
        match value {
            Val::Int(number) => {
                if matches!(to, Ty::Bool) {
                    return self.boolean(number != 0, span);
                }
                Val::Expr(self.convert(Val::Int(number), to, span), to.clone())
            }
            Val::Real(number) => match to.is_real() {
                true => Val::Expr(self.convert(Val::Real(number), to, span), to.clone()),
                false => {
                    let value = self.convert(Val::Real(number), &Ty::LReal, span);
                    self.round_to(value, to, span)
                }
            },
            Val::Expr(value, Ty::Real | Ty::LReal) if !to.is_real() => self.round_to(value, to, span),
            Val::Expr(value, Ty::Time(from)) if matches!(to, Ty::Time(to) if !is_seconds(from) || !is_day_part(*to)) => {
                match to {
                    Ty::Time(kind) => Val::Expr(self.convert_time(value, from, *kind, span), to.clone()),
                    _ => Val::Bad,
                }
            }
            Val::Expr(value, Ty::Time(TimeKind::Dt)) if matches!(to, Ty::Time(TimeKind::Date | TimeKind::Tod)) => {
                let day = self.constant(86_400, TypeId::UINT, span);
                let rest = self.expr(ExprKind::Binary(BinOp::Rem, value, day), TypeId::UINT, span);
                let result = match to {
                    Ty::Time(TimeKind::Date) => ExprKind::Binary(BinOp::Sub, value, rest),
                    _ => ExprKind::Binary(BinOp::Mul, rest, self.constant(1000, TypeId::UINT, span)),
                };
                Val::Expr(self.expr(result, TypeId::UINT, span), to.clone())
            }
            Val::Expr(_, Ty::Pointer(_)) => {
                self.poison(span, "address as a number");
                Val::Bad
            }
            Val::Expr(value, _) => Val::Expr(self.cast(value, id, span), to.clone()),
            other => other,
        }
    }

    /// Between whole numbers and texts. How other values are written depends on the controller.
    fn convert_text(&mut self, value: Val, to: &Ty, span: Span) -> Val {
        let value = match value {
            Val::Int(number) => {
                let ty = Ty::Int(IntKind::LongLong, false);
                Val::Expr(self.convert(Val::Int(number), &ty, span), ty)
            }
            other => other,
        };
        match (&value, to) {
            (Val::Text(_) | Val::Whole(_, Ty::Text(_)), Ty::Text(_)) => value,
            (Val::Text(_) | Val::Whole(_, Ty::Text(_)), Ty::Int(..)) => {
                let number = self.call_library("__TEXT_TO_NUMBER", value, span);
                self.explicit(number, to, span)
            }
            (Val::Expr(_, Ty::Bool), Ty::Text(_)) => self.call_library("__BOOL_TO_TEXT", value, span),
            (Val::Expr(_, Ty::Int(..) | Ty::Subrange(..)), Ty::Text(_)) => {
                self.call_library("__NUMBER_TO_TEXT", value, span)
            }
            _ => {
                self.poison(span, "conversion between such values and texts");
                Val::Bad
            }
        }
    }

    /// A function of one input in `prelude.st`.
    fn call_library(&mut self, name: &str, value: Val, span: Span) -> Val {
        let unit = self.unit;
        let Some(pou) = self.pous.get(name).copied() else { return Val::Bad };
        let Some(decl) = unit.pous[pou].blocks.first().and_then(|block| block.vars.first()) else { return Val::Bad };
        self.call_with(pou, None, Given { inputs: vec![(decl, value, span)], ..Given::default() }, span)
    }

    /// To the nearest whole number, of two the even one.
    pub fn round_to(&mut self, value: ExprId, to: &Ty, span: Span) -> Val {
        let ty = match self.program.exprs[value].ty {
            TypeId::FLOAT => Ty::Real,
            _ => Ty::LReal,
        };
        let Val::Expr(rounded, _) = self.library("rint", &[Val::Expr(value, ty)], span) else { return Val::Bad };
        if matches!(to, Ty::Bool) {
            let id = self.program.exprs[rounded].ty;
            let zero = self.expr(ExprKind::Const(cfa::Bits::ZERO), id, span);
            let compared = self.compare(BinOp::Ne, rounded, zero, span);
            return Val::Expr(self.truth_value(compared, span), Ty::Bool);
        }
        let id = self.cfa_type(to);
        Val::Expr(self.expr(ExprKind::Cast(rounded), id, span), to.clone())
    }

    /// A call of a function of the mathematical library, in the precision of its arguments.
    fn library(&mut self, name: &str, args: &[Val], span: Span) -> Val {
        let double = args.iter().any(|arg| match arg {
            Val::Expr(_, Ty::LReal) | Val::Real(_) => true,
            Val::Expr(_, ty) => ty.int(self).is_some_and(|kind| kind.bits(self.program.types.model) > 32),
            _ => false,
        });
        let (ty, suffix) = if double { (Ty::LReal, "") } else { (Ty::Real, "f") };
        let id = self.cfa_type(&ty);
        let values: Vec<ExprId> = args.iter().map(|arg| self.convert(arg.clone(), &ty, span)).collect();
        let full = format!("{name}{suffix}");
        // The C library's own text of inexact functions ends in a call of the second name.
        let meaning = [full.clone(), format!("__library_{full}")]
            .iter()
            .filter_map(|name| lookup(name))
            .find(|meaning| matches!(meaning, LibFn::Math(..) | LibFn::Approximate(..)));
        let Some(meaning) = meaning else {
            self.poison(span, "function of the mathematical library");
            return Val::Bad;
        };
        let symbol = self.program.names.intern(&full);
        let known = self.program.functions.iter().find(|(_, function)| function.name == symbol).map(|(id, _)| id);
        let function = known.unwrap_or_else(|| {
            let params = vec![id; values.len()];
            let ty = FunctionType { result: id, params, variadic: false, unprototyped: false };
            let ty = self.program.types.intern(Type::Function(ty));
            let body = Body::Library(meaning);
            self.program.functions.push(Function { name: symbol, ty, params: Vec::new(), body, span: Span::NONE })
        });
        let first = self.program.args.len() as u32;
        self.program.args.extend(values);
        let args = (first, self.program.args.len() as u32);
        let result = self.temp(id);
        self.emit(Op::Call { dest: Some(result), callee: Callee::Direct(function), args }, span);
        Val::Expr(self.read(result, span), ty)
    }

    pub fn power(&mut self, base: Val, exponent: Val, span: Span) -> Val {
        let exact = match (&base, &exponent) {
            (Val::Expr(_, ty), Val::Int(number @ 1..=8)) if ty.is_number() => Some(*number),
            _ => None,
        };
        if let Some(times) = exact {
            let mut product = base.clone();
            for _ in 1..times {
                product = self.binary(Operator::Mul, product, base.clone(), span);
            }
            return product;
        }
        self.library("pow", &[base, exponent], span)
    }

    fn shift(&mut self, name: &str, value: Val, amount: Val, span: Span) -> Val {
        let (value, ty) = match value {
            Val::Expr(value, ty @ Ty::Int(..)) => (value, ty),
            Val::Int(number) => {
                let ty = Ty::Int(IntKind::UInt, true);
                (self.convert(Val::Int(number), &ty, span), ty)
            }
            _ => {
                self.error(span, format!("`{name}` needs a string of bits"));
                return Val::Bad;
            }
        };
        let own = self.program.exprs[value].ty;
        let Some(kind) = ty.int(self) else { return Val::Bad };
        let id = TypeId::int(kind.to_unsigned());
        let width = kind.bits(self.program.types.model) as i128;
        let bits = self.cast(value, id, span);
        let rotates = name.starts_with("RO");
        let known = match amount {
            Val::Int(number) => Some(number),
            _ => None,
        };
        if known.is_some_and(|number| number < 0) {
            self.error(span, "the number of places is negative");
            return Val::Bad;
        }
        let ulong = TypeId::ULONG_LONG;
        let result = if let Some(number) = known {
            let number = if rotates { number % width } else { number };
            if number >= width {
                self.constant(0, id, span)
            } else {
                let places = self.constant(number, TypeId::INT, span);
                let rest = self.constant((width - number) % width, TypeId::INT, span);
                self.shifted(name, bits, places, rest, id, span)
            }
        } else {
            let Val::Expr(amount, amount_ty) = amount else { return Val::Bad };
            if amount_ty.int(self).is_none() {
                self.error(span, "the number of places is a whole number");
                return Val::Bad;
            }
            // A negative number of places is a large one.
            let amount = self.cast(amount, ulong, span);
            let limit = self.constant(width, ulong, span);
            let result = self.temp(id);
            if rotates {
                let places = self.expr(ExprKind::Binary(BinOp::Rem, amount, limit), ulong, span);
                let back = self.expr(ExprKind::Binary(BinOp::Sub, limit, places), ulong, span);
                let rest = self.expr(ExprKind::Binary(BinOp::Rem, back, limit), ulong, span);
                let value = self.shifted(name, bits, places, rest, id, span);
                self.emit(Op::Assign(result, value), span);
            } else {
                let within = self.compare(BinOp::Lt, amount, limit, span);
                let (yes, no) = self.branch(within, Branch::Conditional, span);
                self.flow.cursor = yes;
                let value = self.shifted(name, bits, amount, amount, id, span);
                self.emit(Op::Assign(result, value), span);
                let done = self.flow.cursor;
                self.flow.cursor = no;
                let zero = self.constant(0, id, span);
                self.emit(Op::Assign(result, zero), span);
                let other = self.flow.cursor;
                self.join(&[done, other], span);
            }
            self.read(result, span)
        };
        Val::Expr(self.cast(result, own, span), ty)
    }

    fn shifted(&mut self, name: &str, bits: ExprId, places: ExprId, rest: ExprId, id: TypeId, span: Span) -> ExprId {
        let (op, back) = if name.ends_with('L') { (BinOp::Shl, BinOp::Shr) } else { (BinOp::Shr, BinOp::Shl) };
        let first = self.expr(ExprKind::Binary(op, bits, places), id, span);
        if !name.starts_with("RO") {
            return first;
        }
        let second = self.expr(ExprKind::Binary(back, bits, rest), id, span);
        self.expr(ExprKind::Binary(BinOp::Or, first, second), id, span)
    }

    /// `MUX(K, a, b, …)`
    fn select(&mut self, values: Vec<Val>, span: Span) -> Val {
        let mut values = values.into_iter();
        let selector = values.next().unwrap_or(Val::Bad);
        let Val::Expr(selector, selector_ty) = selector else {
            if let Val::Int(number) = selector {
                return values.nth(number.max(0) as usize).unwrap_or(Val::Bad);
            }
            self.error(span, "the selector is a whole number");
            return Val::Bad;
        };
        if selector_ty.int(self).is_none() {
            self.error(span, "the selector is a whole number");
            return Val::Bad;
        }
        let all: Vec<Val> = values.collect();
        let mut ty: Option<Val> = None;
        for value in &all {
            ty = Some(match ty {
                None => value.clone(),
                Some(other) => match self.unify(other, value.clone(), span) {
                    Some((one, _, ty)) => Val::Expr(one, ty),
                    None => return Val::Bad,
                },
            });
        }
        let ty = match ty {
            Some(Val::Expr(_, ty)) => ty,
            Some(Val::Int(_)) => Ty::Int(IntKind::Int, false),
            _ => return Val::Bad,
        };
        let id = self.cfa_type(&ty);
        let result = self.temp(id);
        let mut ends = Vec::new();
        let last = all.len() - 1;
        for (number, value) in all.into_iter().enumerate() {
            let mut rest = None;
            if number < last {
                let selector_id = self.program.exprs[selector].ty;
                let number = self.constant(number as i128, selector_id, span);
                let cond = self.compare(BinOp::Eq, selector, number, span);
                let (yes, no) = self.branch(cond, Branch::Conditional, span);
                self.flow.cursor = yes;
                rest = Some(no);
            }
            let value = self.convert(value, &ty, span);
            self.emit(Op::Assign(result, value), span);
            ends.push(self.flow.cursor);
            if let Some(rest) = rest {
                self.flow.cursor = rest;
            }
        }
        self.join(&ends, span);
        Val::Expr(self.read(result, span), ty)
    }

    /// `ADR(x)`, `SIZEOF(x)`
    fn address(&mut self, name: &str, args: &[Arg], span: Span) -> Val {
        let Some(arg) = args.first().and_then(|arg| arg.value.as_ref()) else {
            self.wrong_count(name, span);
            return Val::Bad;
        };
        let (place, ty) = match self.target(arg) {
            super::expr::Target::Place(place, ty, _) => (place, ty),
            super::expr::Target::Unsupported(what) => {
                self.poison(span, what);
                return Val::Bad;
            }
            super::expr::Target::Nothing => return Val::Bad,
            _ => {
                self.poison(span, "address of a function block or constant");
                return Val::Bad;
            }
        };
        if name == "SIZEOF" {
            let id = self.program.places[place].ty;
            return Val::Int(self.program.types.size_of(id).unwrap_or(0) as i128);
        }
        let mut root = place;
        loop {
            match self.program.places[root].kind {
                PlaceKind::Var(var) => {
                    self.program.vars[var].address_taken = true;
                    break;
                }
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => root = base,
                PlaceKind::Deref(_) => break,
            }
        }
        let target = self.program.places[place].ty;
        let id = self.program.types.pointer_to(target);
        Val::Expr(self.expr(ExprKind::AddrOf(place), id, span), Ty::Pointer(std::rc::Rc::new(ty)))
    }

    /// The time since the first cycle.
    fn system_time(&mut self, span: Span) -> Val {
        let time = if self.is_export() { TimeKind::UnsignedTime } else { TimeKind::Time };
        let Some(now) = self.now else {
            self.poison(span, "system time");
            return Val::Bad;
        };
        let value = self.read(now, span);
        let id = TypeId::int(time.int());
        Val::Expr(self.cast(value, id, span), Ty::Time(time))
    }
}

//! Text to expressions, places and operations. All tables but those of expressions are complete when this runs.

use super::scan::{Cursor, Parsed};
use super::{BRANCHES, BUILTIN_TYPES, Infix, POINTER_INFIX};
use crate::*;
use base::ids::Id;
use rustc_hash::FxHashMap;

/// More than the printer ever nests.
const MAX_DEPTH: u32 = 200;

pub(super) struct Trees<'p> {
    pub program: &'p mut Program,
    exprs: Vec<ExprId>,
    places: Vec<PlaceId>,
    /// The pointer type to each type that has one.
    pointers: FxHashMap<TypeId, TypeId>,
    depth: u32,
}

pub(super) fn ty(cursor: &mut Cursor<'_>, types: &TypeTable) -> Parsed<TypeId> {
    cursor.space();
    let start = cursor.mark();
    let word = cursor.word()?;
    if cursor.byte() == Some(b'*') && (word == "void" || word == "char") {
        cursor.eat("*");
        return Ok(if word == "void" { TypeId::VOID_POINTER } else { TypeId::CHAR_POINTER });
    }
    if let Some(index) = BUILTIN_TYPES.iter().position(|name| *name == word) {
        return Ok(TypeId::from_index(index));
    }
    let number = word.strip_prefix('t').and_then(|digits| digits.parse::<u32>().ok());
    match number.filter(|number| (*number as usize) < types.len()) {
        Some(number) => Ok(TypeId(number)),
        None => Err(start.error(format!("`{word}` is no type"))),
    }
}

/// `10:int`, `-0.5:double`, `0x1f:t20`
pub(super) fn constant(cursor: &mut Cursor<'_>, types: &TypeTable) -> Parsed<(TypeId, Bits)> {
    cursor.space();
    let start = cursor.mark();
    let negative = cursor.byte() == Some(b'-') && cursor.eat("-");
    let hex = cursor.rest().starts_with("0x") && cursor.eat("0x");
    let text = cursor.rest();
    cursor.digits(if hex { 16 } else { 10 });
    if !hex {
        fraction(cursor);
    }
    let text = &text[..text.len() - cursor.rest().len()];
    cursor.expect(":")?;
    let ty = ty(cursor, types)?;
    if !types.is_scalar(ty) {
        return Err(start.error("a constant has a scalar type"));
    }
    let out_of_range = || start.error("expected a number in range");
    let sign = if negative { "-" } else { "" };
    let bits = match ty {
        TypeId::DOUBLE if !hex => format!("{sign}{text}").parse::<f64>().map_err(|_| out_of_range())?.to_bits() as u128,
        TypeId::FLOAT if !hex => format!("{sign}{text}").parse::<f32>().map_err(|_| out_of_range())?.to_bits() as u128,
        _ => {
            let magnitude = u128::from_str_radix(text, if hex { 16 } else { 10 }).map_err(|_| out_of_range())?;
            let mask = u128::MAX >> (128 - types.scalar_bits(ty));
            if negative { magnitude.wrapping_neg() & mask } else { magnitude }
        }
    };
    Ok((ty, Bits::new(bits)))
}

/// `.25e-3` after the leading digits.
fn fraction(cursor: &mut Cursor<'_>) {
    if cursor.byte() == Some(b'.') && cursor.byte_after().is_some_and(|byte| byte.is_ascii_digit()) {
        cursor.eat(".");
        cursor.digits(10);
    }
    if cursor.byte() == Some(b'e') {
        cursor.eat("e");
        if cursor.byte() == Some(b'-') {
            cursor.eat("-");
        }
        cursor.digits(10);
    }
}

/// The number of an id if the word is one.
fn numbered(word: &str, prefix: char) -> Option<u32> {
    word.strip_prefix(prefix)?.parse().ok()
}

impl<'p> Trees<'p> {
    pub fn new(program: &'p mut Program) -> Self {
        let pointers = program.types.iter().filter_map(|(id, ty)| match ty {
            Type::Pointer(target) => Some((*target, id)),
            _ => None,
        });
        let pointers = pointers.collect();
        Trees { program, exprs: Vec::new(), places: Vec::new(), pointers, depth: 0 }
    }

    fn var(&self, cursor: &mut Cursor<'_>) -> Parsed<VarId> {
        let start = cursor.mark();
        let var = VarId(cursor.id("v")?);
        if var.index() < self.program.vars.len() { Ok(var) } else { Err(start.error(format!("{var} is not defined"))) }
    }

    fn function(&self, cursor: &mut Cursor<'_>) -> Parsed<FuncId> {
        let start = cursor.mark();
        let function = FuncId(cursor.id("f")?);
        let known = function.index() < self.program.functions.len();
        if known { Ok(function) } else { Err(start.error(format!("{function} is not defined"))) }
    }

    /// `let x0 = …` after the keyword.
    pub fn definition(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        cursor.space();
        let start = cursor.mark();
        let word = cursor.word()?;
        cursor.expect("=")?;
        if numbered(word, 'x') == Some(self.exprs.len() as u32) {
            let expr = self.expr(cursor)?;
            self.exprs.push(expr);
        } else if numbered(word, 'p') == Some(self.places.len() as u32) {
            let place = self.place(cursor)?;
            self.places.push(place);
        } else {
            return Err(start.error(format!("expected x{} or p{}", self.exprs.len(), self.places.len())));
        }
        cursor.end()
    }

    /// An operation; `same` is the condition of the first edge of the location.
    pub fn op(&mut self, cursor: &mut Cursor<'_>, same: Option<ExprId>) -> Parsed<Op> {
        cursor.space();
        let start = cursor.clone();
        let word = cursor.peek_word();
        if word.is_empty() || numbered(word, 'v').is_some() || numbered(word, 'p').is_some() {
            let place = self.place(cursor)?;
            cursor.expect("=")?;
            return Ok(Op::Assign(place, self.expr(cursor)?));
        }
        cursor.word()?;
        Ok(match word {
            "skip" => Op::Skip,
            "declare" => Op::Declare(self.var(cursor)?),
            "kill" => Op::Kill(self.var(cursor)?),
            "alloca" => Op::Alloca(self.var(cursor)?, self.expr(cursor)?),
            "havoc" => {
                let place = self.place(cursor)?;
                let kinds: [(&str, fn(FuncId) -> InputKind); 3] =
                    [("nondet", InputKind::Nondet), ("external", InputKind::External), ("written", InputKind::Written)];
                let Some((_, kind)) = kinds.into_iter().find(|(word, _)| cursor.eat_word(word)) else {
                    return cursor.error("expected `nondet`, `external` or `written`");
                };
                Op::Havoc(place, kind(self.function(cursor)?))
            }
            "assume" => self.assume(cursor, same)?,
            "assert" => {
                let name = cursor.word()?;
                let Some(property) = Property::from_name(name) else {
                    return cursor.error(format!("`{name}` is no property"));
                };
                Op::Assert { cond: self.expr(cursor)?, property }
            }
            "call" => self.call(cursor)?,
            "return" => Op::Return(self.value(cursor)?),
            "halt" => Op::Halt(self.value(cursor)?),
            "poison" => Op::Poison(self.program.names.intern(&cursor.name()?)),
            _ => return start.error(format!("`{word}` is no operation")),
        })
    }

    fn value(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Option<ExprId>> {
        cursor.space();
        if cursor.rest().starts_with("->") { Ok(None) } else { self.expr(cursor).map(Some) }
    }

    fn assume(&mut self, cursor: &mut Cursor<'_>, same: Option<ExprId>) -> Parsed<Op> {
        let truth = !cursor.eat_word("not");
        let name = cursor.word()?;
        let role = match BRANCHES.iter().find(|row| row.1 == name) {
            Some((branch, _)) => AssumeRole::Branch(*branch),
            None if name == "assumption" => AssumeRole::Assumption,
            None => return cursor.error(format!("`{name}` is no kind of assumption")),
        };
        let cond = if cursor.eat_word("same") {
            let Some(same) = same else { return cursor.error("there is no edge before with a condition") };
            same
        } else {
            self.expr(cursor)?
        };
        Ok(Op::Assume { cond, truth, role })
    }

    fn call(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Op> {
        cursor.space();
        let direct = |cursor: &Cursor<'_>| numbered(cursor.peek_word(), 'f').is_some();
        let mut dest = None;
        if !direct(cursor) && cursor.byte() != Some(b'(') {
            dest = Some(self.place(cursor)?);
            cursor.expect("=")?;
        }
        let callee = if cursor.eat("(") {
            cursor.expect("*")?;
            let pointer = self.expr(cursor)?;
            cursor.expect(")")?;
            Callee::Indirect(pointer)
        } else {
            Callee::Direct(self.function(cursor)?)
        };
        cursor.expect("(")?;
        let mut args = Vec::new();
        while !cursor.eat(")") {
            if !args.is_empty() {
                cursor.expect(",")?;
            }
            args.push(self.expr(cursor)?);
        }
        let start = self.program.args.len() as u32;
        self.program.args.extend(args);
        Ok(Op::Call { dest, callee, args: (start, self.program.args.len() as u32) })
    }

    fn deeper<T>(
        &mut self,
        cursor: &mut Cursor<'_>,
        parse: impl FnOnce(&mut Self, &mut Cursor<'_>) -> Parsed<T>,
    ) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return cursor.error("nested too deep; use `let`");
        }
        self.depth += 1;
        let result = parse(self, cursor);
        self.depth -= 1;
        result
    }

    fn expr(&mut self, cursor: &mut Cursor<'_>) -> Parsed<ExprId> {
        self.deeper(cursor, Self::expr_inner)
    }

    fn place(&mut self, cursor: &mut Cursor<'_>) -> Parsed<PlaceId> {
        self.deeper(cursor, Self::place_inner)
    }

    fn expr_inner(&mut self, cursor: &mut Cursor<'_>) -> Parsed<ExprId> {
        cursor.space();
        let start = cursor.mark();
        let word = cursor.peek_word();
        if let Some(number) = numbered(word, 'x') {
            cursor.word()?;
            let defined = self.exprs.get(number as usize).copied();
            return defined.ok_or_else(|| start.error(format!("x{number} is not defined before")));
        }
        let (kind, implied) = self.kind(cursor, word)?;
        let ty = if cursor.eat(":") { Some(ty(cursor, &self.program.types)?) } else { implied };
        let Some(ty) = ty else { return Err(start.error("the type must be given, as in `…:t20`")) };
        let span = cursor.span()?;
        Ok(self.program.exprs.push(Expr { kind, ty, span }))
    }

    /// The expression without type and span, and the type that its parts imply.
    fn kind(&mut self, cursor: &mut Cursor<'_>, word: &str) -> Parsed<(ExprKind, Option<TypeId>)> {
        match cursor.byte() {
            Some(b'(') => self.operator(cursor),
            Some(b'0'..=b'9' | b'-') => {
                let (ty, bits) = constant(cursor, &self.program.types)?;
                Ok((ExprKind::Const(bits), Some(ty)))
            }
            Some(b'&') => {
                cursor.eat("&");
                let place = self.place(cursor)?;
                Ok((ExprKind::AddrOf(place), self.pointers.get(&self.program.places[place].ty).copied()))
            }
            _ if numbered(word, 'f').is_some() => {
                let function = self.function(cursor)?;
                let implied = self.pointers.get(&self.program.functions[function].ty).copied();
                Ok((ExprKind::FuncAddr(function), implied))
            }
            _ if word.is_empty() || numbered(word, 'v').is_some() || numbered(word, 'p').is_some() => {
                let place = self.place(cursor)?;
                Ok((ExprKind::Read(place), Some(self.program.places[place].ty)))
            }
            _ => {
                let to = ty(cursor, &self.program.types)?;
                cursor.expect("(")?;
                let operand = self.expr(cursor)?;
                cursor.expect(")")?;
                Ok((ExprKind::Cast(operand), Some(to)))
            }
        }
    }

    /// `(- a)` or `(a + b)`
    fn operator(&mut self, cursor: &mut Cursor<'_>) -> Parsed<(ExprKind, Option<TypeId>)> {
        cursor.expect("(")?;
        let unary = match cursor.byte() {
            Some(b'-') if cursor.byte_after() == Some(b' ') => Some(UnOp::Neg),
            Some(b'~') => Some(UnOp::BitNot),
            Some(b'!') => Some(UnOp::Not),
            _ => None,
        };
        if let Some(op) = unary {
            let sign = if op == UnOp::Neg {
                "-"
            } else if op == UnOp::Not {
                "!"
            } else {
                "~"
            };
            cursor.expect(sign)?;
            let operand = self.expr(cursor)?;
            cursor.expect(")")?;
            let implied = if op == UnOp::Not { TypeId::INT } else { self.program.exprs[operand].ty };
            return Ok((ExprKind::Unary(op, operand), Some(implied)));
        }
        let left = self.expr(cursor)?;
        let op = infix(cursor)?;
        let right = self.expr(cursor)?;
        cursor.expect(")")?;
        let same = self.program.exprs[left].ty;
        Ok(match op {
            Infix::Binary(op) => {
                (ExprKind::Binary(op, left, right), Some(if op.is_comparison() { TypeId::INT } else { same }))
            }
            Infix::PtrAdd => (ExprKind::PtrAdd(left, right), Some(same)),
            Infix::PtrSub => (ExprKind::PtrSub(left, right), Some(same)),
            Infix::PtrDiff => {
                let difference = self.program.model().difference_type();
                (ExprKind::PtrDiff(left, right), Some(TypeId::int(difference)))
            }
        })
    }

    fn place_inner(&mut self, cursor: &mut Cursor<'_>) -> Parsed<PlaceId> {
        cursor.space();
        let start = cursor.mark();
        let mut place = if let Some(number) = numbered(cursor.peek_word(), 'p') {
            cursor.word()?;
            let defined = self.places.get(number as usize).copied();
            defined.ok_or_else(|| start.error(format!("p{number} is not defined before")))?
        } else if cursor.eat("[") {
            let pointer = self.expr(cursor)?;
            cursor.expect("]")?;
            let implied = self.program.types.pointee(self.program.exprs[pointer].ty);
            self.finish_place(cursor, PlaceKind::Deref(pointer), implied)?
        } else {
            let var = self.var(cursor)?;
            let implied = self.program.vars[var].ty;
            self.finish_place(cursor, PlaceKind::Var(var), Some(implied))?
        };
        loop {
            let types = &self.program.types;
            let of = types.get(self.program.places[place].ty);
            if cursor.byte() == Some(b'.') && cursor.byte_after().is_some_and(|byte| byte.is_ascii_digit()) {
                cursor.eat(".");
                let number: u32 = cursor.number()?;
                let implied = match of {
                    Type::Record(record) => types.records[*record].fields.get(number as usize).map(|field| field.ty),
                    _ => None,
                };
                place = self.finish_place(cursor, PlaceKind::Field(place, number), implied)?;
            } else if cursor.byte() == Some(b'[') {
                let implied = match of {
                    Type::Array(element, _) => Some(*element),
                    _ => None,
                };
                cursor.eat("[");
                let index = self.expr(cursor)?;
                cursor.expect("]")?;
                place = self.finish_place(cursor, PlaceKind::Index(place, index), implied)?;
            } else {
                return Ok(place);
            }
        }
    }

    fn finish_place(&mut self, cursor: &mut Cursor<'_>, kind: PlaceKind, implied: Option<TypeId>) -> Parsed<PlaceId> {
        let given = if cursor.byte() == Some(b'#') {
            cursor.eat("#");
            Some(ty(cursor, &self.program.types)?)
        } else {
            implied
        };
        let Some(ty) = given else { return cursor.error("the type must be given, as in `…#t20`") };
        Ok(self.program.places.push(Place { kind, ty }))
    }
}

fn infix(cursor: &mut Cursor<'_>) -> Parsed<Infix> {
    cursor.space();
    for (op, name) in POINTER_INFIX {
        if cursor.eat(name) {
            return Ok(op);
        }
    }
    // Longest first: `<<` and `<=` before `<`.
    for length in [2, 1] {
        for op in BinOp::ALL.into_iter().filter(|op| op.c_name().len() == length) {
            if cursor.eat(op.c_name()) {
                return Ok(Infix::Binary(op));
            }
        }
    }
    cursor.error("expected an operator")
}

//! From expressions to [`Text`]. Recursion is bounded by [`MAX_DEPTH`], work by [`MAX_NODES`]: a shared expression is printed as often as it
//! is used.

use super::convert::{Text, alike, common, float, integer, is_narrow, literal_as, preserves, promoted, type_range};
use crate::types::Field;
use crate::*;

const MAX_DEPTH: u32 = 200;
const MAX_NODES: u32 = 20_000;
/// Longer string literals are no help to a reader.
const MAX_STRING: u64 = 1000;

pub(super) const PRIMARY: u8 = 17;
pub(super) const POSTFIX: u8 = 16;
pub(super) const UNARY: u8 = 15;
pub(super) const ADDITIVE: u8 = 12;

fn level(op: BinOp) -> u8 {
    match op {
        BinOp::Mul | BinOp::Div | BinOp::Rem => 13,
        BinOp::Add | BinOp::Sub => ADDITIVE,
        BinOp::Shl | BinOp::Shr => 11,
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => 10,
        BinOp::Eq | BinOp::Ne => 9,
        BinOp::And => 8,
        BinOp::Xor => 7,
        BinOp::Or => 6,
    }
}

/// As the user calls it; a variable without name goes by its id.
pub(super) fn var_name(program: &Program, var: VarId) -> String {
    match program.name(program.vars[var].name) {
        "" => var.to_string(),
        name => name.to_string(),
    }
}

/// An lvalue on its way: members are reached through a pointer with `->`.
struct Lvalue {
    text: Text,
    /// The text is a pointer to it.
    behind: bool,
    /// It is an unnamed member of what the text says: C has no name for it, only for its members.
    unnamed: bool,
}

pub(super) struct Renderer<'a> {
    program: &'a Program,
    /// False once the text is not the C that it should be.
    pub exact: bool,
    depth: u32,
    nodes: u32,
}

impl<'a> Renderer<'a> {
    pub fn new(program: &'a Program) -> Self {
        Renderer { program, exact: true, depth: 0, nodes: 0 }
    }

    fn types(&self) -> &'a TypeTable {
        &self.program.types
    }

    fn ty(&self, expr: ExprId) -> TypeId {
        self.program.exprs[expr].ty
    }

    /// Whether there is room for one more node. After `true` the caller must leave the level again.
    fn enter(&mut self) -> bool {
        self.nodes += 1;
        let room = self.depth < MAX_DEPTH && self.nodes < MAX_NODES;
        self.exact &= room;
        self.depth += u32::from(room);
        room
    }

    /// Text that has the value of the expression as it stands.
    pub fn value(&mut self, expr: ExprId) -> Text {
        let text = self.expr(expr);
        self.valued(text, self.ty(expr))
    }

    fn valued(&mut self, text: Text, ty: TypeId) -> Text {
        if preserves(self.types(), &text, ty) { text } else { self.cast(text, ty) }
    }

    /// Text of exactly the type, as C sees it.
    fn cast(&mut self, text: Text, ty: TypeId) -> Text {
        if alike(self.types(), text.ty, ty) {
            return text;
        }
        if let Some(literal) = literal_as(self.types(), &text, ty) {
            return literal;
        }
        let range = text.range.filter(|_| preserves(self.types(), &text, ty) && ty.int_kind().is_some());
        let name = self.type_name(ty);
        Text { range, ..Text::new(format!("({name}){}", text.at_least(UNARY)), UNARY, ty) }
    }

    /// The name of a type in a cast. A record without tag is named by a typedef of the file, if there is one.
    fn type_name(&mut self, ty: TypeId) -> String {
        let types = self.types();
        let (mut target, mut stars) = (ty, String::new());
        while let Some(next) = types.pointee(target) {
            target = next;
            stars.push('*');
        }
        if let Type::Record(record) = types.get(target)
            && types.records[*record].tag.is_none()
        {
            let names = &self.program.scopes[ScopeId(0)].names;
            if let Some((name, _)) = names.iter().find(|(_, binding)| *binding == Binding::Type(target)) {
                let space = if stars.is_empty() { "" } else { " " };
                return format!("{}{space}{stars}", self.program.name(*name));
            }
        }
        let name = types.c_name(ty, &self.program.names);
        self.exact &= !name.contains("{...}");
        name
    }

    /// Text that, converted to the expression's type, has its value.
    pub fn expr(&mut self, id: ExprId) -> Text {
        if !self.enter() {
            return Text::new("…".to_string(), PRIMARY, self.ty(id));
        }
        let expr = &self.program.exprs[id];
        let text = match expr.kind {
            ExprKind::Const(bits) => self.constant(expr.ty, bits),
            ExprKind::Read(place) => self.read(place),
            ExprKind::AddrOf(place) => self.address(place, expr.ty),
            ExprKind::FuncAddr(function) => {
                Text::new(self.program.function_name(function).to_string(), PRIMARY, expr.ty)
            }
            ExprKind::Unary(op, operand) => self.unary(op, operand),
            ExprKind::Binary(op, left, right) => self.binary(op, left, right),
            ExprKind::Cast(operand) => self.conversion(operand, expr.ty),
            ExprKind::PtrAdd(pointer, offset) => self.pointer_sum("+", pointer, offset),
            ExprKind::PtrSub(pointer, offset) => self.pointer_sum("-", pointer, offset),
            ExprKind::PtrDiff(left, right) => {
                let (left, right) = (self.pointer(left), self.pointer(right));
                infix("-", ADDITIVE, left, right, expr.ty)
            }
        };
        self.depth -= 1;
        text
    }

    fn constant(&mut self, ty: TypeId, bits: Bits) -> Text {
        let types = self.types();
        if let Some(kind) = ty.float_kind() {
            return float(kind, bits);
        }
        if ty.int_kind().is_some() {
            return integer(types, ty, bits);
        }
        let address = integer(types, TypeId::int(types.model.size_type()), bits);
        if bits.is_zero() { address } else { self.cast(address, ty) }
    }

    /// A conversion is left to the use of the value, unless two in a row do more than the last alone.
    fn conversion(&mut self, operand: ExprId, to: TypeId) -> Text {
        let text = self.expr(operand);
        let through = self.ty(operand);
        let bits =
            |ty: TypeId| ty.int_kind().filter(|kind| *kind != IntKind::Bool).map(|kind| kind.bits(self.types().model));
        let modular = match (bits(text.ty), bits(through), bits(to)) {
            (Some(_), Some(through), Some(to)) => through >= to,
            _ => false,
        };
        if modular { text } else { self.valued(text, through) }
    }

    fn unary(&mut self, op: UnOp, operand: ExprId) -> Text {
        let ty = self.ty(operand);
        let text = self.expr(operand);
        if op == UnOp::Not {
            let text = self.valued(text, ty);
            let not = Text::new(format!("!{}", text.at_least(UNARY)), UNARY, TypeId::INT);
            return Text { range: Some((0, 1)), ..not };
        }
        let text = if is_narrow(ty) {
            self.valued(text, ty)
        } else if alike(self.types(), promoted(text.ty), ty) {
            text
        } else {
            self.cast(text, ty)
        };
        let (sign, result) = (if op == UnOp::Neg { '-' } else { '~' }, promoted(text.ty));
        let operand = text.at_least(UNARY);
        let operand = if operand.starts_with(sign) { format!("({operand})") } else { operand };
        Text::new(format!("{sign}{operand}"), UNARY, result)
    }

    fn binary(&mut self, op: BinOp, left: ExprId, right: ExprId) -> Text {
        let ty = self.ty(left);
        let (left_text, right_text) = (self.expr(left), self.expr(right));
        let (left, right) = if matches!(op, BinOp::Shl | BinOp::Shr) {
            let fits = !is_narrow(ty) && alike(self.types(), promoted(left_text.ty), ty);
            let left = match fits {
                true => left_text,
                false if is_narrow(ty) => self.valued(left_text, ty),
                false => self.cast(left_text, ty),
            };
            (left, self.valued(right_text, self.ty(right)))
        } else if ty.is_arithmetic() {
            self.operands(left_text, right_text, ty)
        } else {
            self.compared_pointers(left_text, right_text, ty)
        };
        if op.is_comparison() {
            return Text { range: Some((0, 1)), ..infix(op.c_name(), level(op), left, right, TypeId::INT) };
        }
        let result = match op {
            BinOp::Shl | BinOp::Shr => promoted(left.ty),
            _ => common(self.types(), left.ty, right.ty).unwrap_or(ty),
        };
        infix(op.c_name(), level(op), left, right, result)
    }

    /// Makes C compute in the type (or, where promotion forbids, in one that holds all its values).
    fn operands(&mut self, left: Text, right: Text, ty: TypeId) -> (Text, Text) {
        let types = self.types();
        if is_narrow(ty) {
            let (left, right) = (self.valued(left, ty), self.valued(right, ty));
            let within = common(types, left.ty, right.ty).and_then(|common| type_range(types, common));
            let holds = type_range(types, ty).zip(within).is_some_and(|(own, all)| all.0 <= own.0 && own.1 <= all.1);
            return if holds { (left, right) } else { (self.cast(left, ty), self.cast(right, ty)) };
        }
        let computes =
            |left: &Text, right: &Text| common(types, left.ty, right.ty).is_some_and(|common| alike(types, common, ty));
        if computes(&left, &right) {
            return (left, right);
        }
        // A suffix reads better than a cast.
        if let Some(right) = literal_as(types, &right, ty).filter(|right| computes(&left, right)) {
            return (left, right);
        }
        let left = self.cast(left, ty);
        if computes(&left, &right) { (left, right) } else { (left, self.cast(right, ty)) }
    }

    fn compared_pointers(&mut self, left: Text, right: Text, ty: TypeId) -> (Text, Text) {
        let types = self.types();
        let loose = |text: &Text| text.is_zero() || text.ty == TypeId::VOID_POINTER;
        let pointer = |text: &Text| text.is_zero() || types.is_pointer(text.ty);
        if pointer(&left) && pointer(&right) && (left.ty == right.ty || loose(&left) || loose(&right)) {
            return (left, right);
        }
        (self.cast(left, ty), self.cast(right, ty))
    }

    /// A pointer of exactly its type, for arithmetic.
    fn pointer(&mut self, id: ExprId) -> Text {
        let text = self.expr(id);
        self.cast(text, self.ty(id))
    }

    fn pointer_sum(&mut self, sign: &str, pointer: ExprId, offset: ExprId) -> Text {
        let ty = self.ty(pointer);
        let (pointer, offset) = (self.pointer(pointer), self.value(offset));
        infix(sign, ADDITIVE, pointer, offset, ty)
    }

    fn read(&mut self, id: PlaceId) -> Text {
        let text = self.lvalue(id);
        match self.field(id).and_then(|field| Some((field.ty, field.bits?))) {
            Some((ty, bits)) => self.bit_field(text, ty, u32::from(bits.width)),
            None => text,
        }
    }

    fn field(&self, id: PlaceId) -> Option<&'a Field> {
        let PlaceKind::Field(base, number) = self.program.places[id].kind else { return None };
        let Type::Record(record) = self.types().get(self.program.places[base].ty) else { return None };
        self.types().records[*record].fields.get(number as usize)
    }

    /// A bit-field that fits is promoted to `int`; gcc gives a wide one a type of its own width, which only a cast undoes.
    fn bit_field(&mut self, text: Text, ty: TypeId, width: u32) -> Text {
        let signed = self.types().is_signed(ty);
        match width {
            1..=32 if signed => {
                let half = 1i128 << (width - 1);
                Text { ty: TypeId::INT, range: Some((-half, half - 1)), ..text }
            }
            1..=31 => Text { ty: TypeId::INT, range: Some((0, (1 << width) - 1)), ..text },
            32 => Text { ty: TypeId::UINT, ..text },
            _ => {
                let name = self.type_name(ty);
                Text::new(format!("({name}){}", text.at_least(UNARY)), UNARY, ty)
            }
        }
    }

    pub fn lvalue(&mut self, id: PlaceId) -> Text {
        let lvalue = self.place(id);
        self.exact &= !lvalue.unnamed;
        let ty = self.program.places[id].ty;
        if !lvalue.behind {
            return Text { ty, ..lvalue.text };
        }
        Text::new(format!("*{}", lvalue.text.at_least(UNARY)), UNARY, ty)
    }

    fn place(&mut self, id: PlaceId) -> Lvalue {
        let place = &self.program.places[id];
        let direct = |text: Text| Lvalue { text, behind: false, unnamed: false };
        if !self.enter() {
            return direct(Text::new("…".to_string(), PRIMARY, place.ty));
        }
        let lvalue = match place.kind {
            PlaceKind::Var(var) => direct(self.var(var, place.ty)),
            PlaceKind::Deref(pointer) => self.behind(pointer, place.ty),
            PlaceKind::Field(base, _) => {
                let base = self.place(base);
                match self.field(id).and_then(|field| field.name) {
                    None => Lvalue { unnamed: true, ..base },
                    Some(name) => {
                        let dot = if base.behind { "->" } else { "." };
                        let name = self.program.name(name);
                        direct(Text::new(format!("{}{dot}{name}", base.text.at_least(POSTFIX)), POSTFIX, place.ty))
                    }
                }
            }
            PlaceKind::Index(base, index) => {
                let (base, index) = (self.lvalue(base), self.value(index));
                direct(Text::new(format!("{}[{}]", base.at_least(POSTFIX), index.text), POSTFIX, place.ty))
            }
        };
        self.depth -= 1;
        lvalue
    }

    /// What a pointer points to, read as the type.
    fn behind(&mut self, pointer: ExprId, ty: TypeId) -> Lvalue {
        let types = self.types();
        let pointee = types.pointee(self.ty(pointer));
        if let ExprKind::PtrAdd(base, offset) = self.program.exprs[pointer].kind
            && pointee == Some(ty)
        {
            let (base, offset) = (self.pointer(base), self.value(offset));
            let text = Text::new(format!("{}[{}]", base.at_least(POSTFIX), offset.text), POSTFIX, ty);
            return Lvalue { text, behind: false, unnamed: false };
        }
        let text = self.expr(pointer);
        if types.pointee(text.ty) == Some(ty) {
            return Lvalue { text, behind: true, unnamed: false };
        }
        let text = if pointee == Some(ty) {
            self.cast(text, self.ty(pointer))
        } else {
            let name = match types.get(ty) {
                Type::Array(..) | Type::Function(_) => types.declare(ty, "(*)".to_string(), &self.program.names),
                _ => format!("{} *", self.type_name(ty)).replace("* *", "**"),
            };
            Text::new(format!("({name}){}", text.at_least(UNARY)), UNARY, self.ty(pointer))
        };
        Lvalue { text, behind: true, unnamed: false }
    }

    fn var(&mut self, id: VarId, ty: TypeId) -> Text {
        let var = &self.program.vars[id];
        if var.kind == VarKind::Constant
            && let Some(literal) = self.string(var)
        {
            return Text::new(literal, PRIMARY, ty);
        }
        self.exact &=
            !matches!(var.kind, VarKind::Temp(_) | VarKind::Constant) && !self.program.name(var.name).is_empty();
        Text::new(var_name(self.program, id), PRIMARY, ty)
    }

    /// The literal behind an unnamed array of `char`.
    fn string(&self, var: &Var) -> Option<String> {
        let Type::Array(TypeId::CHAR, Some(length)) = *self.types().get(var.ty) else { return None };
        let Init::Static(init) = &var.init else { return None };
        // A literal brings its own zero.
        let content = length.checked_sub(1).filter(|length| *length <= MAX_STRING)? as usize;
        if !init.relocations.is_empty() || init.bytes.get(content).is_some_and(|last| *last != 0) {
            return None;
        }
        let mut text = String::from("\"");
        for at in 0..content {
            match init.bytes.get(at).copied().unwrap_or(0) {
                b'\n' => text.push_str("\\n"),
                b'\t' => text.push_str("\\t"),
                byte @ (b'"' | b'\\' | b'?') => text.extend(['\\', byte as char]),
                byte @ 0x20..0x7f => text.push(byte as char),
                byte => text.push_str(&format!("\\{byte:03o}")),
            }
        }
        text.push('"');
        Some(text)
    }

    fn address(&mut self, id: PlaceId, ty: TypeId) -> Text {
        let types = self.types();
        let place_ty = self.program.places[id].ty;
        let pointee = types.pointee(ty);
        if let Type::Array(element, _) = types.get(place_ty)
            && pointee == Some(*element)
        {
            // An array is the address of its first element.
            return Text { ty, ..self.lvalue(id) };
        }
        let lvalue = self.place(id);
        if lvalue.behind && !lvalue.unnamed {
            return lvalue.text;
        }
        self.exact &= !lvalue.unnamed;
        let text = Text::new(format!("&{}", lvalue.text.at_least(UNARY)), UNARY, ty);
        if pointee == Some(place_ty) { text } else { self.cast(Text { ty: TypeId::VOID_POINTER, ..text }, ty) }
    }
}

fn infix(op: &str, level: u8, left: Text, right: Text, ty: TypeId) -> Text {
    let (left, right) = (left.at_least(level), right.at_least(level + 1));
    Text::new(format!("{left} {op} {right}"), level, ty)
}

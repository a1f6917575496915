//! The types of Structured Text, and what they are in the program representation.
//!
//! TIME is a number of milliseconds in 32 bits, signed as in Siemens' controllers and unsigned in export files of CoDeSys 2.3; LTIME is nanoseconds in 64 bits;
//! DATE and DT are seconds since 1970 and TOD milliseconds since midnight, in 32 bits; LDATE, LDT and LTOD are nanoseconds in 64 bits. An array begins at element 0 where its lower bound is small, so that an
//! index means what the text says; the elements below the bound are never used.

use super::super::ast::{Expr, TypeExpr, TypeKind, VarDecl, key};
use super::{Lower, Named};
use base::Span;
use cfa::types::{Field, RecordKind};
use cfa::{IntKind, TypeId};
use std::rc::Rc;

#[derive(Clone, PartialEq, Debug)]
pub enum Ty {
    Bool,
    /// Whether it is a string of bits, as WORD is.
    Int(IntKind, bool),
    Real,
    LReal,
    Time(TimeKind),
    /// With its greatest length.
    Text(u32),
    Enum(usize),
    Subrange(IntKind, i128, i128),
    Array(Rc<ArrayTy>),
    Struct(usize),
    /// The number of the function block.
    Block(usize),
    Pointer(Rc<Ty>),
    /// There was an error, or the construct is not supported.
    Bad,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeKind {
    Time,
    UnsignedTime,
    LTime,
    Date,
    Tod,
    Dt,
    LDate,
    LTod,
    LDt,
}

#[derive(Debug)]
pub struct ArrayTy {
    /// Lower and upper bound.
    pub dimensions: Vec<(i128, i128)>,
    pub element: Ty,
    /// The declared type whose initial value elements have, by its number.
    pub element_init: Option<usize>,
}

/// What elements begin with is no part of what a type is.
impl PartialEq for ArrayTy {
    fn eq(&self, other: &ArrayTy) -> bool {
        self.dimensions == other.dimensions && self.element == other.element
    }
}

pub struct StructTy {
    pub name: String,
    pub members: Vec<Member>,
    pub ty: TypeId,
    /// All members at the same place.
    pub is_union: bool,
}

#[derive(Clone)]
pub struct Member {
    pub name: String,
    pub ty: Ty,
    pub init: Option<super::super::ast::Expr>,
}

pub struct EnumTy {
    pub name: String,
    pub kind: IntKind,
    pub values: Vec<(String, i128)>,
    /// Its number among the enumerations of the program.
    pub shown: usize,
}

/// Function blocks that Siemens calls otherwise.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("TON_TIME", "TON"),
    ("TOF_TIME", "TOF"),
    ("TP_TIME", "TP"),
    ("CTU_INT", "CTU"),
    ("CTD_INT", "CTD"),
    ("CTUD_INT", "CTUD"),
];

/// Of a STRING without a length, as in CoDeSys.
const STRING_LENGTH: u32 = 80;
/// Lower bounds up to this one leave unused elements.
const UNUSED_ELEMENTS: i128 = 16;
/// More elements than this are not supported.
pub const MAX_ELEMENTS: i128 = 1 << 20;

impl ArrayTy {
    /// What is subtracted from an index of a dimension.
    pub fn shift(&self, dimension: usize) -> i128 {
        let (low, _) = self.dimensions[dimension];
        if (0..=UNUSED_ELEMENTS).contains(&low) { 0 } else { low }
    }

    pub fn length(&self, dimension: usize) -> u64 {
        let (_, high) = self.dimensions[dimension];
        (high - self.shift(dimension) + 1).max(1) as u64
    }
}

/// The elementary types by their names.
pub fn elementary(name: &str) -> Option<Ty> {
    use IntKind::*;
    Some(match name {
        "BOOL" => Ty::Bool,
        "SINT" => Ty::Int(SChar, false),
        "INT" => Ty::Int(Short, false),
        "DINT" => Ty::Int(Int, false),
        "LINT" => Ty::Int(LongLong, false),
        "USINT" => Ty::Int(UChar, false),
        "UINT" => Ty::Int(UShort, false),
        "UDINT" => Ty::Int(UInt, false),
        "ULINT" => Ty::Int(ULongLong, false),
        "BYTE" | "CHAR" => Ty::Int(UChar, true),
        "WORD" | "WCHAR" => Ty::Int(UShort, true),
        "DWORD" => Ty::Int(UInt, true),
        "LWORD" => Ty::Int(ULongLong, true),
        "REAL" => Ty::Real,
        "LREAL" => Ty::LReal,
        "TIME" | "S5TIME" => Ty::Time(TimeKind::Time),
        "LTIME" => Ty::Time(TimeKind::LTime),
        "DATE" => Ty::Time(TimeKind::Date),
        "TOD" | "TIME_OF_DAY" => Ty::Time(TimeKind::Tod),
        "DT" | "DATE_AND_TIME" => Ty::Time(TimeKind::Dt),
        "LDATE" => Ty::Time(TimeKind::LDate),
        "LTOD" | "LTIME_OF_DAY" => Ty::Time(TimeKind::LTod),
        "LDT" | "LDATE_AND_TIME" => Ty::Time(TimeKind::LDt),
        _ => return None,
    })
}

impl TimeKind {
    pub fn int(self) -> IntKind {
        match self {
            TimeKind::Time => IntKind::Int,
            TimeKind::LTime | TimeKind::LDate | TimeKind::LTod | TimeKind::LDt => IntKind::LongLong,
            TimeKind::UnsignedTime | TimeKind::Date | TimeKind::Tod | TimeKind::Dt => IntKind::UInt,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            TimeKind::Time | TimeKind::UnsignedTime => "TIME",
            TimeKind::LTime => "LTIME",
            TimeKind::Date => "DATE",
            TimeKind::Tod => "TOD",
            TimeKind::Dt => "DT",
            TimeKind::LDate => "LDATE",
            TimeKind::LTod => "LTOD",
            TimeKind::LDt => "LDT",
        }
    }

    /// The nanoseconds of one.
    pub fn unit(self) -> i128 {
        match self {
            TimeKind::Time | TimeKind::UnsignedTime | TimeKind::Tod => 1_000_000,
            TimeKind::Date | TimeKind::Dt => 1_000_000_000,
            TimeKind::LTime | TimeKind::LDate | TimeKind::LTod | TimeKind::LDt => 1,
        }
    }
}

/// The name of a type of numbers.
pub fn int_name(kind: IntKind, bits: bool) -> &'static str {
    use IntKind::*;
    match (kind, bits) {
        (Bool, _) => "BOOL",
        (UChar, true) => "BYTE",
        (UShort, true) => "WORD",
        (UInt, true) => "DWORD",
        (ULongLong | ULong, true) => "LWORD",
        (SChar | Char, _) => "SINT",
        (UChar, _) => "USINT",
        (Short, _) => "INT",
        (UShort, _) => "UINT",
        (Int, _) => "DINT",
        (UInt, _) => "UDINT",
        (Long | LongLong | Int128, _) => "LINT",
        (ULong | ULongLong | UInt128, _) => "ULINT",
    }
}

impl Ty {
    /// How a number of the type is stored, if it is an integer.
    pub fn int(&self, lower: &Lower<'_>) -> Option<IntKind> {
        Some(match self {
            Ty::Bool => IntKind::Bool,
            Ty::Int(kind, _) | Ty::Subrange(kind, ..) => *kind,
            Ty::Time(time) => time.int(),
            Ty::Enum(number) => lower.enums[*number].kind,
            _ => return None,
        })
    }

    pub fn is_number(&self) -> bool {
        matches!(self, Ty::Int(..) | Ty::Subrange(..) | Ty::Real | Ty::LReal)
    }

    pub fn is_real(&self) -> bool {
        matches!(self, Ty::Real | Ty::LReal)
    }

    /// Whether its values are single numbers.
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Ty::Text(_) | Ty::Array(_) | Ty::Struct(_) | Ty::Block(_) | Ty::Bad)
    }
}

impl Lower<'_> {
    pub fn ty_name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Bool => "BOOL".into(),
            Ty::Int(kind, bits) => int_name(*kind, *bits).into(),
            Ty::Real => "REAL".into(),
            Ty::LReal => "LREAL".into(),
            Ty::Time(time) => time.name().into(),
            Ty::Text(length) => format!("STRING[{length}]"),
            Ty::Enum(number) => self.enums[*number].name.clone(),
            Ty::Subrange(kind, low, high) => format!("{}({low}..{high})", int_name(*kind, false)),
            Ty::Array(array) => {
                let bounds: Vec<String> = array.dimensions.iter().map(|(low, high)| format!("{low}..{high}")).collect();
                format!("ARRAY[{}] OF {}", bounds.join(", "), self.ty_name(&array.element))
            }
            Ty::Struct(number) => self.structs[*number].name.clone(),
            Ty::Block(number) => self.unit.pous[*number].name.text.clone(),
            Ty::Pointer(target) => format!("POINTER TO {}", self.ty_name(target)),
            Ty::Bad => "an unknown type".into(),
        }
    }

    /// The type in the program representation.
    pub fn cfa_type(&mut self, ty: &Ty) -> TypeId {
        if let Some(kind) = ty.int(self) {
            return TypeId::int(kind);
        }
        match ty {
            Ty::Real => TypeId::FLOAT,
            Ty::LReal => TypeId::DOUBLE,
            Ty::Text(length) => self.program.types.array_of(TypeId::UCHAR, Some(*length as u64 + 1)),
            Ty::Array(array) => {
                let mut found = self.cfa_type(&array.element);
                for dimension in (0..array.dimensions.len()).rev() {
                    found = self.program.types.array_of(found, Some(array.length(dimension)));
                }
                found
            }
            Ty::Struct(number) => self.structs[*number].ty,
            Ty::Pointer(target) => {
                let target = self.cfa_type(target);
                self.program.types.pointer_to(target)
            }
            _ => TypeId::INT,
        }
    }

    /// What a type in the text means.
    pub fn resolve_type(&mut self, ty: &TypeExpr) -> Ty {
        match &ty.kind {
            TypeKind::Named(name) => self.named_type(&name.text, name.span),
            TypeKind::String(length, wide) => {
                if *wide {
                    self.unsupported.push((ty.span, "WSTRING"));
                    return Ty::Bad;
                }
                let length = match length.as_ref().map(|length| (length, self.const_int(length))) {
                    None => STRING_LENGTH as i128,
                    Some((_, Some(length))) => length,
                    Some((length, None)) => {
                        self.missing(length.span, "the length of this STRING is no constant that is declared here");
                        return Ty::Bad;
                    }
                };
                if !(1..=65_535).contains(&length) {
                    self.error(ty.span, "the length of a STRING is a number from 1 to 65535");
                    return Ty::Text(STRING_LENGTH);
                }
                Ty::Text(length as u32)
            }
            TypeKind::Array(bounds, element) => {
                let mut element_init = self.default_of(element);
                let element = self.resolve_type(element);
                let mut dimensions = Vec::new();
                let mut count: i128 = 1;
                for (low, high) in bounds {
                    let (Some(from), Some(to)) = (self.const_int(low), self.const_int(high)) else {
                        self.missing(
                            low.span.to(high.span),
                            "the bounds of this array are no constants that are declared here",
                        );
                        return Ty::Bad;
                    };
                    if from > to {
                        self.error(low.span.to(high.span), "the upper bound is below the lower bound");
                        return Ty::Bad;
                    }
                    count = count.saturating_mul(to - from + 1);
                    dimensions.push((from, to));
                }
                // An array of arrays is an array of several dimensions.
                let element = match element {
                    Ty::Array(inner) if !matches!(inner.element, Ty::Block(_)) => {
                        dimensions.extend(&inner.dimensions);
                        element_init = inner.element_init;
                        count =
                            inner.dimensions.iter().fold(count, |all, (low, high)| all.saturating_mul(high - low + 1));
                        inner.element.clone()
                    }
                    other => other,
                };
                if count > MAX_ELEMENTS {
                    self.unsupported.push((ty.span, "array of more than a million elements"));
                    return Ty::Bad;
                }
                match element {
                    Ty::Bad => Ty::Bad,
                    element => Ty::Array(Rc::new(ArrayTy { dimensions, element, element_init })),
                }
            }
            TypeKind::Struct(_) | TypeKind::Union(_) => self.new_struct("STRUCT", ty),
            // Of constants only, which have their types by then.
            TypeKind::Inferred => Ty::Bad,
            TypeKind::Enum(..) => self.new_enum("an enumeration", ty),
            TypeKind::Subrange(name, bounds) => {
                let base = self.named_type(&name.text, name.span);
                let (low, high) = (self.const_int(&bounds.0), self.const_int(&bounds.1));
                match (base.int(self), low, high) {
                    (Some(kind), Some(low), Some(high)) if low <= high => Ty::Subrange(kind, low, high),
                    _ => {
                        self.error(ty.span, "a subrange is written as INT(0..10), with constants");
                        Ty::Bad
                    }
                }
            }
            TypeKind::Pointer(target) => match self.resolve_type(target) {
                Ty::Bad => Ty::Bad,
                Ty::Block(_) => {
                    self.unsupported.push((ty.span, "pointer to a function block"));
                    Ty::Bad
                }
                target => Ty::Pointer(Rc::new(target)),
            },
            TypeKind::Unsupported(what) => {
                self.unsupported.push((ty.span, what));
                Ty::Bad
            }
        }
    }

    /// The declaration of a type that says what its variables begin with, by its number: `TYPE Level : INT(0..9) := 5; END_TYPE`.
    pub fn default_of(&self, ty: &TypeExpr) -> Option<usize> {
        let mut ty = ty;
        // A type that contains itself is an error elsewhere.
        for _ in 0..=self.unit.types.len() {
            let TypeKind::Named(name) = &ty.kind else { return None };
            let declared = self.type_numbers.get(&name.key()).copied()?;
            if self.unit.types[declared].init.is_some() {
                return Some(declared);
            }
            ty = &self.unit.types[declared].ty;
        }
        None
    }

    /// What a variable begins with, if it or its type says so.
    pub fn initial_of(&self, decl: &VarDecl) -> Option<Expr> {
        let of_type = || self.default_of(&decl.ty).and_then(|number| self.unit.types[number].init.clone());
        decl.init.clone().or_else(of_type)
    }

    /// The type with a name that is declared.
    pub fn type_named(&mut self, text: &str) -> Ty {
        self.named_type(text, Span::NONE)
    }

    fn named_type(&mut self, text: &str, span: Span) -> Ty {
        let name = key(text);
        // A type of the text may have the name of one of other dialects.
        match self.named_types.get(&name) {
            Some(Named::Known(ty)) => return ty.clone(),
            Some(Named::Open) => {
                self.error(span, format!("the type `{text}` contains itself"));
                return Ty::Bad;
            }
            Some(Named::Declared(index)) => {
                let index = *index;
                self.named_types.insert(name.clone(), Named::Open);
                let unit = self.unit;
                let declared = &unit.types[index];
                let ty = match &declared.ty.kind {
                    TypeKind::Struct(_) | TypeKind::Union(_) => self.new_struct(&declared.name.text, &declared.ty),
                    TypeKind::Enum(..) => self.new_enum(&declared.name.text, &declared.ty),
                    _ => self.resolve_type(&declared.ty),
                };
                self.named_types.insert(name, Named::Known(ty.clone()));
                return ty;
            }
            None => {}
        }
        if name.starts_with("ANY") {
            if let Some(any) = self.frames.last().and_then(|frame| frame.any.clone()) {
                return any;
            }
            self.unsupported.push((span, "generic type"));
            return Ty::Bad;
        }
        // Siemens' triggers remember the input itself, which was false before the first call.
        let own = match name.as_str() {
            "F_TRIG" if self.is_scl() => "__F_TRIG_OF_INPUT",
            other => other,
        };
        let of_library = self.pous.get(&name).is_some_and(|pou| self.unit.pous[*pou].is_library);
        let wanted = if of_library { own } else { &name };
        if let Some(pou) = self.pous.get(wanted).copied()
            && matches!(self.unit.pous[pou].kind, super::PouKind::FunctionBlock | super::PouKind::Program)
        {
            return Ty::Block(pou);
        }
        if let Some((_, standard)) = OTHER_NAMES.iter().find(|(other, _)| *other == name) {
            return self.named_type(standard, span);
        }
        if self.unit.interfaces.iter().any(|interface| interface.key() == name) {
            self.unsupported.push((span, "interface"));
            return Ty::Bad;
        }
        match elementary(&name) {
            Some(Ty::Time(TimeKind::Time)) if self.is_export() => Ty::Time(TimeKind::UnsignedTime),
            Some(ty) => ty,
            None => {
                self.missing(span, &format!("the type `{text}` is not declared"));
                Ty::Bad
            }
        }
    }

    fn new_struct(&mut self, name: &str, ty: &TypeExpr) -> Ty {
        let (declared, kind) = match &ty.kind {
            TypeKind::Struct(declared) => (declared, RecordKind::Struct),
            TypeKind::Union(declared) => (declared, RecordKind::Union),
            _ => return Ty::Bad,
        };
        let mut members: Vec<Member> = Vec::new();
        let mut bad = false;
        for member in declared {
            let ty = self.resolve_type(&member.ty);
            if matches!(ty, Ty::Block(_)) {
                self.unsupported.push((member.name.span, "function block as member of a structure"));
            }
            bad |= matches!(ty, Ty::Bad | Ty::Block(_));
            if members.iter().any(|known| known.name.eq_ignore_ascii_case(&member.name.text)) {
                self.error(member.name.span, format!("`{}` is declared twice", member.name.text));
            }
            let init = self.initial_of(member);
            members.push(Member { name: member.name.text.clone(), ty, init });
        }
        if bad {
            return Ty::Bad;
        }
        // A type mentions only types that were there before it.
        let types: Vec<TypeId> = members.iter().map(|member| self.cfa_type(&member.ty)).collect();
        let tag = self.program.names.intern(name);
        let (record, id) = self.program.types.new_record(kind, Some(tag));
        let (mut fields, mut size, mut align) = (Vec::new(), 0u64, 1u64);
        for (member, ty) in members.iter().zip(types) {
            let symbol = self.program.names.intern(&super::vars::marked(&member.name));
            let own = self.program.types.align_of(ty);
            let offset = if kind == RecordKind::Union { 0 } else { size.next_multiple_of(own) };
            fields.push(Field { name: Some(symbol), ty, offset, bits: None, is_const: false });
            size = size.max(offset + self.program.types.size_of(ty).unwrap_or(0));
            align = align.max(own);
            if let Ty::Enum(number) = member.ty {
                let shown = self.enums[number].shown;
                self.program.enumerations.of_member(record, symbol, shown);
            }
        }
        let record = &mut self.program.types.records[record];
        record.fields = fields;
        record.size = size.next_multiple_of(align).max(align);
        record.align = align;
        record.complete = true;
        let is_union = kind == RecordKind::Union;
        self.structs.push(StructTy { name: name.to_string(), members, ty: id, is_union });
        Ty::Struct(self.structs.len() - 1)
    }

    fn new_enum(&mut self, name: &str, ty: &TypeExpr) -> Ty {
        let TypeKind::Enum(declared, base) = &ty.kind else { return Ty::Bad };
        let kind = match base {
            Some(base) => self.resolve_type(base).int(self).unwrap_or(IntKind::Short),
            None => IntKind::Short,
        };
        let number = self.enums.len();
        let mut values: Vec<(String, i128)> = Vec::new();
        let mut next = 0;
        for (value_name, value) in declared {
            if let Some(value) = value {
                match self.const_int(value) {
                    Some(value) => next = value,
                    None => self.error(value.span, "this is no constant number"),
                }
            }
            values.push((value_name.text.clone(), next));
            self.enumerators.entry(value_name.key()).or_default().push((number, next));
            next += 1;
        }
        let mut constants = cfa::enumeration::Constants::new();
        for (name, value) in &values {
            let symbol = self.program.names.intern(name);
            constants.entry(*value).or_insert(symbol);
        }
        let shown = self.program.enumerations.add(constants);
        self.enums.push(EnumTy { name: name.to_string(), kind, values, shown });
        Ty::Enum(number)
    }
}

//! Types, hash-consed: equal types have equal ids. Sizes and layouts follow gcc for the data model.
//! Qualifiers are gone here, `const` of members aside: they change what a compiler accepts, not what a run does.

use base::{IdVec, Symbol, define_id};
use rustc_hash::FxHashMap;

define_id!(
    /// A type of the program's [`TypeTable`].
    TypeId,
    "t"
);
define_id!(
    /// A struct or union.
    RecordId,
    "r"
);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DataModel {
    Ilp32,
    Lp64,
}

impl DataModel {
    pub fn pointer_bytes(self) -> u64 {
        match self {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ilp32",
            DataModel::Lp64 => "lp64",
        }
    }

    /// `size_t`
    pub fn size_type(self) -> IntKind {
        match self {
            DataModel::Ilp32 => IntKind::UInt,
            DataModel::Lp64 => IntKind::ULong,
        }
    }

    /// `ptrdiff_t`
    pub fn difference_type(self) -> IntKind {
        match self {
            DataModel::Ilp32 => IntKind::Int,
            DataModel::Lp64 => IntKind::Long,
        }
    }
}

/// The integer types of C. Plain `char` is a type of its own (signed, as gcc on x86).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IntKind {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
}

impl IntKind {
    pub const ALL: [IntKind; 14] = [
        IntKind::Bool,
        IntKind::Char,
        IntKind::SChar,
        IntKind::UChar,
        IntKind::Short,
        IntKind::UShort,
        IntKind::Int,
        IntKind::UInt,
        IntKind::Long,
        IntKind::ULong,
        IntKind::LongLong,
        IntKind::ULongLong,
        IntKind::Int128,
        IntKind::UInt128,
    ];

    /// As gcc has it on x86; of `char` in a given program [`TypeTable::is_signed_kind`] knows.
    pub fn is_signed(self) -> bool {
        use IntKind::*;
        matches!(self, Char | SChar | Short | Int | Long | LongLong | Int128)
    }

    pub fn bytes(self, model: DataModel) -> u64 {
        use IntKind::*;
        match self {
            Bool | Char | SChar | UChar => 1,
            Short | UShort => 2,
            Int | UInt => 4,
            Long | ULong => model.pointer_bytes(),
            LongLong | ULongLong => 8,
            Int128 | UInt128 => 16,
        }
    }

    /// Value bits: 1 for `_Bool`, else eight a byte.
    pub fn bits(self, model: DataModel) -> u32 {
        if self == IntKind::Bool { 1 } else { self.bytes(model) as u32 * 8 }
    }

    /// Conversion rank (C11 6.3.1.1).
    pub fn rank(self) -> u32 {
        use IntKind::*;
        match self {
            Bool => 0,
            Char | SChar | UChar => 1,
            Short | UShort => 2,
            Int | UInt => 3,
            Long | ULong => 4,
            LongLong | ULongLong => 5,
            Int128 | UInt128 => 6,
        }
    }

    pub fn to_unsigned(self) -> IntKind {
        use IntKind::*;
        match self {
            Char | SChar => UChar,
            Short => UShort,
            Int => UInt,
            Long => ULong,
            LongLong => ULongLong,
            Int128 => UInt128,
            other => other,
        }
    }

    pub fn to_signed(self) -> IntKind {
        use IntKind::*;
        match self {
            Bool | UChar | Char => SChar,
            UShort => Short,
            UInt => Int,
            ULong => Long,
            ULongLong => LongLong,
            UInt128 => Int128,
            other => other,
        }
    }

    /// As C spells it.
    pub fn c_name(self) -> &'static str {
        use IntKind::*;
        match self {
            Bool => "_Bool",
            Char => "char",
            SChar => "signed char",
            UChar => "unsigned char",
            Short => "short",
            UShort => "unsigned short",
            Int => "int",
            UInt => "unsigned int",
            Long => "long",
            ULong => "unsigned long",
            LongLong => "long long",
            ULongLong => "unsigned long long",
            Int128 => "__int128",
            UInt128 => "unsigned __int128",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatKind {
    Float,
    Double,
    /// x87 80-bit extended precision.
    LongDouble,
}

impl FloatKind {
    /// Bits of the value's representation.
    pub fn bits(self) -> u32 {
        match self {
            FloatKind::Float => 32,
            FloatKind::Double => 64,
            FloatKind::LongDouble => 80,
        }
    }

    pub fn c_name(self) -> &'static str {
        match self {
            FloatKind::Float => "float",
            FloatKind::Double => "double",
            FloatKind::LongDouble => "long double",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    Void,
    Int(IntKind),
    Float(FloatKind),
    Pointer(TypeId),
    /// `None`: incomplete or flexible.
    Array(TypeId, Option<u64>),
    Record(RecordId),
    Function(FunctionType),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FunctionType {
    pub result: TypeId,
    pub params: Vec<TypeId>,
    pub variadic: bool,
    /// Declared without a parameter list, `int f();`: calls pass what they like.
    pub unprototyped: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RecordKind {
    Struct,
    Union,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub kind: RecordKind,
    pub tag: Option<Symbol>,
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u64,
    /// False until the members were seen (and for incomplete types always).
    pub complete: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// `None`: an anonymous struct or union member. Unnamed bit-fields are not listed.
    pub name: Option<Symbol>,
    pub ty: TypeId,
    /// Byte offset of the first byte that holds the field.
    pub offset: u64,
    pub bits: Option<BitRange>,
    /// Declared `const`: see [`crate::const_bits`].
    pub is_const: bool,
}

/// A bit-field: `width` bits from bit `start` (0..8) of the byte at the field's offset, least significant first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BitRange {
    pub start: u8,
    pub width: u8,
}

impl BitRange {
    /// How many bytes hold a part of it.
    pub fn bytes(self) -> u64 {
        (self.start as u64 + self.width as u64).div_ceil(8)
    }
}

#[derive(Clone)]
pub struct TypeTable {
    pub model: DataModel,
    /// Whether `char` has the values of `unsigned char`.
    pub unsigned_char: bool,
    types: IdVec<TypeId, Type>,
    ids: FxHashMap<Type, TypeId>,
    pub records: IdVec<RecordId, Record>,
}

/// The ids of the types that every table starts with.
impl TypeId {
    pub const VOID: TypeId = TypeId(0);
    pub const BOOL: TypeId = TypeId(1);
    pub const CHAR: TypeId = TypeId(2);
    pub const SCHAR: TypeId = TypeId(3);
    pub const UCHAR: TypeId = TypeId(4);
    pub const SHORT: TypeId = TypeId(5);
    pub const USHORT: TypeId = TypeId(6);
    pub const INT: TypeId = TypeId(7);
    pub const UINT: TypeId = TypeId(8);
    pub const LONG: TypeId = TypeId(9);
    pub const ULONG: TypeId = TypeId(10);
    pub const LONG_LONG: TypeId = TypeId(11);
    pub const ULONG_LONG: TypeId = TypeId(12);
    pub const INT128: TypeId = TypeId(13);
    pub const UINT128: TypeId = TypeId(14);
    pub const FLOAT: TypeId = TypeId(15);
    pub const DOUBLE: TypeId = TypeId(16);
    pub const LONG_DOUBLE: TypeId = TypeId(17);
    pub const VOID_POINTER: TypeId = TypeId(18);
    pub const CHAR_POINTER: TypeId = TypeId(19);

    #[inline]
    pub fn int(kind: IntKind) -> TypeId {
        TypeId(1 + kind as u32)
    }

    #[inline]
    pub fn float(kind: FloatKind) -> TypeId {
        TypeId(15 + kind as u32)
    }

    /// The integer kind of a type, from its id alone.
    #[inline]
    pub fn int_kind(self) -> Option<IntKind> {
        (1..=14).contains(&self.0).then(|| IntKind::ALL[self.0 as usize - 1])
    }

    #[inline]
    pub fn float_kind(self) -> Option<FloatKind> {
        match self {
            TypeId::FLOAT => Some(FloatKind::Float),
            TypeId::DOUBLE => Some(FloatKind::Double),
            TypeId::LONG_DOUBLE => Some(FloatKind::LongDouble),
            _ => None,
        }
    }

    #[inline]
    pub fn is_arithmetic(self) -> bool {
        (1..=17).contains(&self.0)
    }
}

impl TypeTable {
    pub fn new(model: DataModel) -> Self {
        let mut table = TypeTable {
            model,
            unsigned_char: false,
            types: IdVec::new(),
            ids: FxHashMap::default(),
            records: IdVec::new(),
        };
        table.intern(Type::Void);
        for kind in IntKind::ALL {
            table.intern(Type::Int(kind));
        }
        for kind in [FloatKind::Float, FloatKind::Double, FloatKind::LongDouble] {
            table.intern(Type::Float(kind));
        }
        table.intern(Type::Pointer(TypeId::VOID));
        table.intern(Type::Pointer(TypeId::CHAR));
        table
    }

    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(id) = self.ids.get(&ty) {
            return *id;
        }
        let id = self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    #[inline]
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    pub fn len(&self) -> usize {
        self.types.len()
    }

    pub fn is_empty(&self) -> bool {
        false
    }

    pub fn iter(&self) -> impl Iterator<Item = (TypeId, &Type)> {
        self.types.iter()
    }

    pub fn pointer_to(&mut self, target: TypeId) -> TypeId {
        self.intern(Type::Pointer(target))
    }

    pub fn array_of(&mut self, element: TypeId, length: Option<u64>) -> TypeId {
        self.intern(Type::Array(element, length))
    }

    pub fn new_record(&mut self, kind: RecordKind, tag: Option<Symbol>) -> (RecordId, TypeId) {
        let record = Record { kind, tag, fields: Vec::new(), size: 0, align: 1, complete: false };
        let id = self.records.push(record);
        (id, self.intern(Type::Record(id)))
    }

    /// Size in bytes; `None` for `void`, functions and incomplete types.
    pub fn size_of(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            Type::Void | Type::Function(_) => None,
            Type::Int(kind) => Some(kind.bytes(self.model)),
            Type::Float(FloatKind::Float) => Some(4),
            Type::Float(FloatKind::Double) => Some(8),
            Type::Float(FloatKind::LongDouble) => Some(match self.model {
                DataModel::Ilp32 => 12,
                DataModel::Lp64 => 16,
            }),
            Type::Pointer(_) => Some(self.model.pointer_bytes()),
            Type::Array(element, length) => self.size_of(*element)?.checked_mul((*length)?),
            Type::Record(record) => {
                let record = &self.records[*record];
                record.complete.then_some(record.size)
            }
        }
    }

    /// Alignment in bytes; 1 for what has none.
    pub fn align_of(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Void | Type::Function(_) => 1,
            // The i386 ABI aligns eight-byte scalars to four.
            Type::Int(kind) => match self.model {
                DataModel::Ilp32 => kind.bytes(self.model).min(if kind.rank() == 6 { 16 } else { 4 }),
                DataModel::Lp64 => kind.bytes(self.model),
            },
            Type::Float(FloatKind::Float) => 4,
            Type::Float(kind) => match (self.model, kind) {
                (DataModel::Ilp32, _) => 4,
                (DataModel::Lp64, FloatKind::LongDouble) => 16,
                (DataModel::Lp64, _) => 8,
            },
            Type::Pointer(_) => self.model.pointer_bytes(),
            Type::Array(element, _) => self.align_of(*element),
            Type::Record(record) => self.records[*record].align,
        }
    }

    /// Bytes that pointer arithmetic on `target*` moves by; gcc takes 1 for `void` and functions.
    pub fn stride(&self, target: TypeId) -> Option<u64> {
        match self.get(target) {
            Type::Void | Type::Function(_) => Some(1),
            _ => self.size_of(target),
        }
    }

    #[inline]
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match self.get(id) {
            Type::Pointer(target) => Some(*target),
            _ => None,
        }
    }

    #[inline]
    pub fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Pointer(_))
    }

    /// Arithmetic or pointer.
    #[inline]
    pub fn is_scalar(&self, id: TypeId) -> bool {
        id.is_arithmetic() || self.is_pointer(id)
    }

    /// Bits of a scalar's value: what a register holds.
    #[inline]
    pub fn scalar_bits(&self, id: TypeId) -> u32 {
        match self.get(id) {
            Type::Int(kind) => kind.bits(self.model),
            Type::Float(kind) => kind.bits(),
            Type::Pointer(_) => self.model.pointer_bytes() as u32 * 8,
            other => panic!("{other:?} is not a scalar"),
        }
    }

    /// Whether a scalar's value is signed when read as an integer.
    #[inline]
    pub fn is_signed(&self, id: TypeId) -> bool {
        id.int_kind().is_some_and(|kind| self.is_signed_kind(kind))
    }

    /// Whether a kind of integer has negative numbers in this program.
    pub fn is_signed_kind(&self, kind: IntKind) -> bool {
        kind.is_signed() && !(kind == IntKind::Char && self.unsigned_char)
    }

    /// As C would spell the type of a cast.
    pub fn c_name(&self, id: TypeId, names: &base::Interner) -> String {
        self.declare(id, String::new(), names)
    }

    /// A C declaration of `name` with this type.
    pub fn declare(&self, id: TypeId, name: String, names: &base::Interner) -> String {
        let joined = |base: &str| if name.is_empty() { base.to_string() } else { format!("{base} {name}") };
        match self.get(id) {
            Type::Void => joined("void"),
            Type::Int(kind) => joined(kind.c_name()),
            Type::Float(kind) => joined(kind.c_name()),
            Type::Record(record) => {
                let record = &self.records[*record];
                let kind = if record.kind == RecordKind::Struct { "struct" } else { "union" };
                match record.tag {
                    Some(tag) => joined(&format!("{kind} {}", names.resolve(tag))),
                    None => joined(&format!("{kind} {{...}}")),
                }
            }
            Type::Pointer(target) => {
                let inner = match self.get(*target) {
                    Type::Array(..) | Type::Function(_) => format!("(*{name})"),
                    _ => format!("*{name}"),
                };
                self.declare(*target, inner, names)
            }
            Type::Array(element, length) => {
                let length = length.map_or(String::new(), |length| length.to_string());
                self.declare(*element, format!("{name}[{length}]"), names)
            }
            Type::Function(function) => {
                let mut params: Vec<String> = function.params.iter().map(|param| self.c_name(*param, names)).collect();
                if function.variadic {
                    params.push("...".into());
                }
                if params.is_empty() && !function.unprototyped {
                    params.push("void".into());
                }
                self.declare(function.result, format!("{name}({})", params.join(", ")), names)
            }
        }
    }
}

//! The syntax tree of C as written: no types resolved, no name looked up. Everything lives in the arenas of one [`Ast`], lists are
//! slices of shared pools, so that a tree is a handful of vectors however large the file is.
//!
//! A span covers a construct from its first to its last token: a loop's span starts at its keyword, a call's ends with the closing
//! parenthesis. Witnesses rely on both.

use base::{IdVec, Span, Symbol, define_id};
use std::marker::PhantomData;

define_id!(ExprId, "e");
define_id!(StmtId, "s");
define_id!(DeclId, "d");
define_id!(InitId, "i");
define_id!(SpecsId, "q");
define_id!(DeclaratorId, "r");
define_id!(TypeNameId, "t");
define_id!(StringId, "l");

/// A slice of the pool that holds its element type (see [`Pool`]).
pub struct List<T> {
    pub start: u32,
    pub len: u32,
    marker: PhantomData<fn() -> T>,
}

impl<T> List<T> {
    pub const EMPTY: List<T> = List { start: 0, len: 0, marker: PhantomData };

    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for List<T> {}
impl<T> std::fmt::Debug for List<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{}; {}]", self.start, self.len)
    }
}

#[derive(Default)]
pub struct Ast {
    pub exprs: IdVec<ExprId, Expr>,
    pub stmts: IdVec<StmtId, Stmt>,
    pub decls: IdVec<DeclId, Decl>,
    pub inits: IdVec<InitId, Init>,
    pub specs: IdVec<SpecsId, Specs>,
    pub declarators: IdVec<DeclaratorId, Declarator>,
    pub type_names: IdVec<TypeNameId, TypeName>,
    pub strings: IdVec<StringId, StringLiteral>,
    /// External declarations in order.
    pub items: Vec<DeclId>,
    /// `#pragma weak name` and `#pragma weak name = other`.
    pub weak: Vec<(Symbol, Option<Symbol>)>,
    pools: Pools,
}

#[derive(Default)]
struct Pools {
    exprs: Vec<ExprId>,
    stmts: Vec<StmtId>,
    decls: Vec<DeclId>,
    symbols: Vec<Symbol>,
    params: Vec<Param>,
    parts: Vec<Part>,
    init_declarators: Vec<InitDeclarator>,
    init_items: Vec<InitItem>,
    designators: Vec<Designator>,
    associations: Vec<Association>,
    members: Vec<Member>,
    enumerators: Vec<Enumerator>,
    attributes: Vec<Attribute>,
}

/// An element type that has a pool in the [`Ast`].
pub trait Pooled: Sized {
    #[doc(hidden)]
    fn pool(ast: &Ast) -> &Vec<Self>;
    #[doc(hidden)]
    fn pool_mut(ast: &mut Ast) -> &mut Vec<Self>;
}

macro_rules! pooled {
    ($($element:ty => $pool:ident),* $(,)?) => {
        $(impl Pooled for $element {
            fn pool(ast: &Ast) -> &Vec<Self> {
                &ast.pools.$pool
            }
            fn pool_mut(ast: &mut Ast) -> &mut Vec<Self> {
                &mut ast.pools.$pool
            }
        })*
    };
}

pooled!(
    ExprId => exprs,
    StmtId => stmts,
    DeclId => decls,
    Symbol => symbols,
    Param => params,
    Part => parts,
    InitDeclarator => init_declarators,
    InitItem => init_items,
    Designator => designators,
    Association => associations,
    Member => members,
    Enumerator => enumerators,
    Attribute => attributes,
);

impl Ast {
    /// Moves the elements from `from` on of a scratch stack into the pool. Scratch stacks let nested lists grow at the same time.
    pub fn list<T: Pooled>(&mut self, scratch: &mut Vec<T>, from: usize) -> List<T> {
        let pool = T::pool_mut(self);
        let start = pool.len() as u32;
        pool.extend(scratch.drain(from..));
        List { start, len: pool.len() as u32 - start, marker: PhantomData }
    }

    #[inline]
    pub fn get<T: Pooled>(&self, list: List<T>) -> &[T] {
        &T::pool(self)[list.start as usize..(list.start + list.len) as usize]
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub enum ExprKind {
    Name(Symbol),
    Int(IntLiteral),
    /// Index into `strings` (plain, holding the spelling with suffix, e.g. `1.5e3f`, `0x1p-3`).
    Float(StringId),
    /// Value as the constant's type has it (`'\xff'` is -1), and its prefix.
    Char(i64, Encoding),
    String(StringId),
    /// The span ends with the closing parenthesis.
    Call(ExprId, List<ExprId>),
    Index(ExprId, ExprId),
    /// `e.name`; the span of the name ends the expression's span.
    Member(ExprId, Symbol),
    /// `e->name`
    Arrow(ExprId, Symbol),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// `None` for plain `=`.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// Position of the `?`. GNU: the middle may be missing.
    Conditional {
        cond: ExprId,
        then: Option<ExprId>,
        otherwise: ExprId,
        question: u32,
    },
    Cast(TypeNameId, ExprId),
    CompoundLiteral(TypeNameId, InitId),
    SizeofExpr(ExprId),
    SizeofType(TypeNameId),
    AlignofExpr(ExprId),
    AlignofType(TypeNameId),
    Statement(StmtId),
    /// `&&label`
    LabelAddress(Symbol),
    /// A value of a kind that is not supported, which has this name.
    Unsupported(&'static str),
    Generic(ExprId, List<Association>),
    VaArg(ExprId, TypeNameId),
    /// Designators: the first is always `Field`.
    Offsetof(TypeNameId, List<Designator>),
    TypesCompatible(TypeNameId, TypeNameId),
    /// `__builtin_choose_expr`
    Choose(ExprId, ExprId, ExprId),
    /// After a syntax error.
    Error,
}

#[derive(Clone, Copy, Debug)]
pub struct IntLiteral {
    pub value: u64,
    /// Decimal constants never become unsigned by size alone.
    pub decimal: bool,
    pub unsigned: bool,
    /// Number of `l`s: 0, 1, 2.
    pub long: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Plain,
    Utf8,
    /// `L`, `int` elements.
    Wide,
    /// `u`, `unsigned short` elements.
    Utf16,
    /// `U`, `unsigned int` elements.
    Utf32,
}

#[derive(Clone, Debug)]
pub struct StringLiteral {
    pub encoding: Encoding,
    /// Code units after escapes and concatenation, without the terminating zero. Plain: bytes.
    pub units: Units,
}

#[derive(Clone, Debug)]
pub enum Units {
    Bytes(Vec<u8>),
    Wide(Vec<u32>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
    BitNot,
    Deref,
    Addr,
    PreInc,
    PreDec,
    PostInc,
    PostDec,
    Real,
    Imag,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    LogAnd,
    LogOr,
    Comma,
}

#[derive(Clone, Copy, Debug)]
pub struct Association {
    /// `None`: `default`.
    pub ty: Option<TypeNameId>,
    pub value: ExprId,
}

#[derive(Clone, Copy, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub enum StmtKind {
    Null,
    Expr(ExprId),
    /// Declarations appear as `Decl` statements.
    Compound(List<StmtId>),
    Decl(DeclId),
    If(ExprId, StmtId, Option<StmtId>),
    While(ExprId, StmtId),
    DoWhile(StmtId, ExprId),
    /// The first part is an `Expr`, `Decl` or `Null` statement.
    For {
        init: StmtId,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    },
    Switch(ExprId, StmtId),
    /// GNU: `case low ... high:`
    Case(ExprId, Option<ExprId>, StmtId),
    Default(StmtId),
    Label(Symbol, StmtId),
    /// GNU: `__label__ a;` makes a label of the innermost block; the statement behind is the next of several.
    LocalLabel(Symbol, StmtId),
    Goto(Symbol),
    GotoComputed(ExprId),
    Break,
    Continue,
    Return(Option<ExprId>),
    Asm,
    /// `//@ assert e;` or `/*@ assert e; */`; the span is that of the comment's `assert e;`.
    AcslAssert(ExprId),
    /// After a syntax error.
    Error,
}

#[derive(Clone, Copy, Debug)]
pub struct Decl {
    pub kind: DeclKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub enum DeclKind {
    /// Also `struct s { … };` with no declarator at all.
    Variables {
        specs: SpecsId,
        declarators: List<InitDeclarator>,
    },
    /// `kr_params` are the declarations between the parameter names and the body of an old-style definition.
    Function {
        specs: SpecsId,
        declarator: DeclaratorId,
        kr_params: List<DeclId>,
        body: StmtId,
    },
    StaticAssert {
        cond: ExprId,
        message: Option<StringId>,
    },
    /// File-scope `asm`, stray `;`.
    Ignored,
    /// After a syntax error.
    Error,
}

#[derive(Clone, Copy, Debug)]
pub struct InitDeclarator {
    pub declarator: DeclaratorId,
    pub init: Option<InitId>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub struct Init {
    pub kind: InitKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub enum InitKind {
    Expr(ExprId),
    List(List<InitItem>),
}

#[derive(Clone, Copy, Debug)]
pub struct InitItem {
    /// GNU's `field: value` and `[i] value` are here too.
    pub designators: List<Designator>,
    pub init: InitId,
}

#[derive(Clone, Copy, Debug)]
pub enum Designator {
    Field(Symbol, Span),
    Index(ExprId),
    /// GNU: `[low ... high]`
    Range(ExprId, ExprId),
}

/// Declaration specifiers.
#[derive(Clone, Copy, Debug)]
pub struct Specs {
    pub storage: Option<Storage>,
    pub thread_local: bool,
    pub inline: bool,
    pub noreturn: bool,
    pub quals: Quals,
    pub base: TypeSpec,
    /// `_Alignas` and `__attribute__`s among the specifiers.
    pub attributes: List<Attribute>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Quals {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    pub is_atomic: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum TypeSpec {
    /// No type specifier at all: implicit `int`.
    Missing,
    Void,
    Int(cfa::IntKind),
    Float(cfa::FloatKind),
    /// A type that is known but not supported (`_Complex double`, `_Float128`, `_Decimal64`, …), by its spelling.
    Unsupported(Symbol),
    Name(Symbol),
    Record(RecordSpec),
    Enum(EnumSpec),
    TypeofExpr(ExprId),
    TypeofType(TypeNameId),
    /// `__auto_type`
    Auto,
    /// `__builtin_va_list`
    VaList,
    /// `_Atomic(type)`
    Atomic(TypeNameId),
    Error,
}

#[derive(Clone, Copy, Debug)]
pub struct RecordSpec {
    pub is_union: bool,
    pub tag: Option<Symbol>,
    /// `None`: a reference, not a definition.
    pub members: Option<List<Member>>,
    /// Attributes of the record type (before the tag or after the closing brace).
    pub attributes: List<Attribute>,
    /// `#pragma pack` in force at the definition: 0 for none.
    pub pack: u8,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub enum Member {
    /// `declarator: None` is an anonymous struct or union member, or (with `width`) an unnamed bit-field.
    Field {
        specs: SpecsId,
        declarator: Option<DeclaratorId>,
        width: Option<ExprId>,
        span: Span,
    },
    StaticAssert {
        cond: ExprId,
        message: Option<StringId>,
        span: Span,
    },
}

#[derive(Clone, Copy, Debug)]
pub struct EnumSpec {
    pub tag: Option<Symbol>,
    pub enumerators: Option<List<Enumerator>>,
    pub attributes: List<Attribute>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub struct Enumerator {
    pub name: Symbol,
    pub value: Option<ExprId>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub enum Attribute {
    Packed,
    /// `aligned` without a number is the largest alignment, 16.
    Aligned(Option<ExprId>),
    AlignedAs(TypeNameId),
    /// `mode(DI)` and friends.
    Mode(Symbol),
    VectorSize,
    Noreturn,
    TransparentUnion,
    /// Gives way to another definition.
    Weak,
    /// Runs before `main`, with no priority given.
    Constructor,
    /// Changes what a run does in a way that is not supported.
    Unsupported(Symbol),
    /// Any other attribute changes nothing that a run shows.
    Other(Symbol),
}

/// A declarator, read from the name outwards: `int *a[3]` has the parts `[3]`, `*`; `int (*f)(void)` has `*`, `(void)`.
#[derive(Clone, Copy, Debug)]
pub struct Declarator {
    pub name: Option<Symbol>,
    /// The name, or for an abstract declarator the place where it would stand.
    pub name_span: Span,
    pub parts: List<Part>,
    /// Attributes after the declarator.
    pub attributes: List<Attribute>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub enum Part {
    Pointer(Quals),
    /// `star`: `[*]`. The qualifiers are those of a parameter: `[const 3]`.
    Array {
        length: Option<ExprId>,
        star: bool,
        quals: Quals,
    },
    Function {
        params: List<Param>,
        kind: ParamKind,
    },
}

#[derive(Clone, Copy, Debug)]
pub enum ParamKind {
    /// `(void)` has no params.
    Prototype { variadic: bool },
    /// `()`
    Empty,
    /// `(a, b)` of an old-style definition.
    Names(List<Symbol>),
}

#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub specs: SpecsId,
    pub declarator: DeclaratorId,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub struct TypeName {
    pub specs: SpecsId,
    pub declarator: DeclaratorId,
    pub span: Span,
}

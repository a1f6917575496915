//! The syntax tree of Structured Text: what the text says, names not yet looked up.

use base::Span;

#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

impl Name {
    /// Names are the same whatever their case is.
    pub fn key(&self) -> String {
        key(&self.text)
    }
}

pub fn key(text: &str) -> String {
    text.to_ascii_uppercase()
}

/// Everything that files declare.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    pub pous: Vec<Pou>,
    pub types: Vec<TypeDecl>,
    pub globals: Vec<VarBlock>,
    pub programs: Vec<RunsProgram>,
    pub tasks: Vec<Task>,
    /// The names of interfaces, which are not supported.
    pub interfaces: Vec<Name>,
    /// Addresses in expressions, as `%IX0.0`.
    pub addresses: Vec<Name>,
}

/// `TASK name(INTERVAL := T#20ms)`
#[derive(Clone, Debug)]
pub struct Task {
    pub name: Name,
    /// As written, without spaces; empty if there is none.
    pub interval: String,
    /// It runs when a variable becomes true.
    pub single: bool,
}

/// `PROGRAM instance WITH task : Type(input := constant, output => variable)`
#[derive(Clone, Debug)]
pub struct RunsProgram {
    pub instance: Name,
    pub task: Option<Name>,
    pub program: Name,
    pub args: Vec<Arg>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PouKind {
    Function,
    FunctionBlock,
    Program,
    /// Siemens: what the system calls; `OB1` in every cycle.
    OrganizationBlock,
    /// Siemens: variables that others name as `block.variable`.
    DataBlock,
    /// Of a function block: it works on the variables of an instance, and has variables of its own for each call.
    Method,
    /// Statements of a block that have a name.
    Action,
}

impl PouKind {
    pub fn word(self) -> &'static str {
        match self {
            PouKind::Function => "FUNCTION",
            PouKind::FunctionBlock => "FUNCTION_BLOCK",
            PouKind::Program => "PROGRAM",
            PouKind::OrganizationBlock => "ORGANIZATION_BLOCK",
            PouKind::DataBlock => "DATA_BLOCK",
            PouKind::Method => "METHOD",
            PouKind::Action => "ACTION",
        }
    }
}

/// A program organization unit.
#[derive(Clone, Debug)]
pub struct Pou {
    pub kind: PouKind,
    pub name: Name,
    pub result: Option<TypeExpr>,
    pub blocks: Vec<VarBlock>,
    pub body: Vec<Stmt>,
    pub span: Span,
    /// Of the text of this frontend, not the user's.
    pub is_library: bool,
    /// From a file that is one object of a larger project: what it names may be declared elsewhere.
    pub is_export: bool,
    /// Siemens.
    pub is_scl: bool,
    /// Of a data block that is an instance of a function block.
    pub instance_of: Option<Name>,
    /// The block that a method or action belongs to.
    pub owner: Option<Name>,
    /// `EXTENDS`: the block whose variables and methods this one has too.
    pub base: Option<Name>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarClass {
    Input,
    Output,
    InOut,
    Local,
    Temp,
    Global,
    External,
}

#[derive(Clone, Debug)]
pub struct VarBlock {
    pub class: VarClass,
    pub constant: bool,
    pub vars: Vec<VarDecl>,
}

#[derive(Clone, Debug)]
pub struct VarDecl {
    pub name: Name,
    pub ty: TypeExpr,
    pub init: Option<Expr>,
    /// `AT %IX0.0`
    pub address: Option<Name>,
    pub edge: Option<Edge>,
}

/// An input that is true only in the call in which it changes: R_EDGE, F_EDGE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    Rising,
    Falling,
}

#[derive(Clone, Debug)]
pub struct TypeDecl {
    pub name: Name,
    pub ty: TypeExpr,
    pub init: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct TypeExpr {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    Named(Name),
    /// With its greatest length, if it is given; whether characters are wide.
    String(Option<Box<Expr>>, bool),
    Array(Vec<(Expr, Expr)>, Box<TypeExpr>),
    Struct(Vec<VarDecl>),
    Union(Vec<VarDecl>),
    Enum(Vec<(Name, Option<Expr>)>, Option<Box<TypeExpr>>),
    Subrange(Name, Box<(Expr, Expr)>),
    Pointer(Box<TypeExpr>),
    /// That of the initial value.
    Inferred,
    Unsupported(&'static str),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(i128),
    Real(f64),
    Bool(bool),
    Text(Vec<u8>),
    /// `INT#5`, `T#1s`, `Color#red`: what stands before and behind the sign.
    Typed(String, String),
    Name(String),
    /// `%IX0.0`
    Address(String),
    Member(Box<Expr>, Name),
    /// `word.3`, `word.%X3`
    Bit(Box<Expr>, u32),
    /// `word.%B1`: so many bits, and which of the parts of this width.
    Slice(Box<Expr>, u32, u32),
    Index(Box<Expr>, Vec<Expr>),
    Deref(Box<Expr>),
    Call(Box<Expr>, Vec<Arg>),
    Not(Box<Expr>),
    Neg(Box<Expr>),
    Plus(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// Of initial values: elements in brackets, with repetition.
    List(Vec<(Option<Expr>, Expr)>),
    /// Of initial values: `(a := 1, b := 2)`.
    Record(Vec<(Name, Expr)>),
    /// There was an error here already.
    Bad,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    Or,
    OrElse,
    Xor,
    And,
    AndThen,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Power,
}

/// Of a call: `a`, `x := a` or `x => a`.
#[derive(Clone, Debug)]
pub struct Arg {
    pub name: Option<Name>,
    pub value: Option<Expr>,
    pub is_output: bool,
    /// `NOT x => a`
    pub negated: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Assign(Expr, Expr),
    Call(Expr),
    If(Vec<(Expr, Vec<Stmt>)>, Vec<Stmt>),
    Case(Expr, Vec<(Vec<CaseLabel>, Vec<Stmt>)>, Vec<Stmt>),
    For {
        variable: Expr,
        from: Expr,
        to: Expr,
        by: Option<Expr>,
        body: Vec<Stmt>,
    },
    While(Expr, Vec<Stmt>),
    Repeat(Vec<Stmt>, Expr),
    Exit,
    Continue,
    Return,
    /// `name:`
    Label(Name),
    Goto(Name),
    /// `//#ASSERT condition : name`
    Assert(Expr, Option<Name>),
    /// What is read and not supported, by its name.
    Unsupported(&'static str),
}

#[derive(Clone, Debug)]
pub enum CaseLabel {
    One(Expr),
    Range(Expr, Expr),
}

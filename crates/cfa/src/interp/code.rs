//! The bytecode of one function: 16-byte instructions over the 64-bit slots of a frame.
//!
//! Invariants: a slot holds a scalar as [`crate::Bits`] does, truncated and zero-extended; a scalar wider than 64 bits has two slots, low
//! first. What is common has an instruction of its own, specialised by width; everything else is a [`Slow`] operation in a side table, so that
//! the dispatch loop stays small. Names say width and sign: `S32` works on `int`, `U64` on `unsigned long`, no letter where both are the
//! same; a trailing `I` has its right operand in the instruction.
//!
//! Steps are counted by the instructions that end straight-line code: `steps` edges since the last count, their own included.

use crate::expr::{BinOp, UnOp};
use crate::program::{EdgeId, FuncId, InputKind, VarId};
use crate::property::Property;
use crate::types::{BitRange, TypeId};
use base::Symbol;

/// A slot of the frame.
pub type Slot = u32;
/// The index of an instruction.
pub type Target = u32;

// A table: one line an instruction.
#[rustfmt::skip]
#[derive(Clone, Copy, Debug)]
pub enum Instr {
    Const { d: Slot, value: u64 },
    Mov { d: Slot, a: Slot },

    Add32 { d: Slot, a: Slot, b: Slot },
    Sub32 { d: Slot, a: Slot, b: Slot },
    Mul32 { d: Slot, a: Slot, b: Slot },
    Add64 { d: Slot, a: Slot, b: Slot },
    Sub64 { d: Slot, a: Slot, b: Slot },
    Mul64 { d: Slot, a: Slot, b: Slot },
    Add32I { d: Slot, a: Slot, b: i32 },
    Mul32I { d: Slot, a: Slot, b: i32 },
    Add64I { d: Slot, a: Slot, b: i32 },
    Mul64I { d: Slot, a: Slot, b: i32 },
    AddS32 { d: Slot, a: Slot, b: Slot },
    SubS32 { d: Slot, a: Slot, b: Slot },
    MulS32 { d: Slot, a: Slot, b: Slot },
    AddS64 { d: Slot, a: Slot, b: Slot },
    SubS64 { d: Slot, a: Slot, b: Slot },
    MulS64 { d: Slot, a: Slot, b: Slot },
    AddS32I { d: Slot, a: Slot, b: i32 },
    SubS32I { d: Slot, a: Slot, b: i32 },
    MulS32I { d: Slot, a: Slot, b: i32 },
    AddS64I { d: Slot, a: Slot, b: i32 },
    SubS64I { d: Slot, a: Slot, b: i32 },
    MulS64I { d: Slot, a: Slot, b: i32 },
    DivS32 { d: Slot, a: Slot, b: Slot },
    RemS32 { d: Slot, a: Slot, b: Slot },
    DivS64 { d: Slot, a: Slot, b: Slot },
    RemS64 { d: Slot, a: Slot, b: Slot },
    /// Of any width up to 64.
    DivU { d: Slot, a: Slot, b: Slot },
    RemU { d: Slot, a: Slot, b: Slot },
    And { d: Slot, a: Slot, b: Slot },
    Or { d: Slot, a: Slot, b: Slot },
    Xor { d: Slot, a: Slot, b: Slot },
    /// The immediates of logic are zero-extended.
    AndI { d: Slot, a: Slot, b: u32 },
    OrI { d: Slot, a: Slot, b: u32 },
    XorI { d: Slot, a: Slot, b: u32 },
    ShlS32 { d: Slot, a: Slot, b: Slot },
    ShlS64 { d: Slot, a: Slot, b: Slot },
    ShlU32 { d: Slot, a: Slot, b: Slot },
    ShlU64 { d: Slot, a: Slot, b: Slot },
    ShrS32 { d: Slot, a: Slot, b: Slot },
    ShrS64 { d: Slot, a: Slot, b: Slot },
    ShrU32 { d: Slot, a: Slot, b: Slot },
    ShrU64 { d: Slot, a: Slot, b: Slot },
    /// Immediate amounts are within the width.
    ShlS32I { d: Slot, a: Slot, b: u32 },
    ShlS64I { d: Slot, a: Slot, b: u32 },
    ShlU32I { d: Slot, a: Slot, b: u32 },
    ShlU64I { d: Slot, a: Slot, b: u32 },
    ShrS32I { d: Slot, a: Slot, b: u32 },
    ShrS64I { d: Slot, a: Slot, b: u32 },
    ShrUI { d: Slot, a: Slot, b: u32 },

    Eq { d: Slot, a: Slot, b: Slot },
    Ne { d: Slot, a: Slot, b: Slot },
    LtS32 { d: Slot, a: Slot, b: Slot },
    LeS32 { d: Slot, a: Slot, b: Slot },
    LtS64 { d: Slot, a: Slot, b: Slot },
    LeS64 { d: Slot, a: Slot, b: Slot },
    LtU { d: Slot, a: Slot, b: Slot },
    LeU { d: Slot, a: Slot, b: Slot },
    EqI { d: Slot, a: Slot, b: u32 },
    NeI { d: Slot, a: Slot, b: u32 },

    NegS32 { d: Slot, a: Slot },
    NegS64 { d: Slot, a: Slot },
    Neg32 { d: Slot, a: Slot },
    Neg64 { d: Slot, a: Slot },
    Not32 { d: Slot, a: Slot },
    Not64 { d: Slot, a: Slot },

    Sext8To32 { d: Slot, a: Slot },
    Sext16To32 { d: Slot, a: Slot },
    Sext8To64 { d: Slot, a: Slot },
    Sext16To64 { d: Slot, a: Slot },
    Sext32To64 { d: Slot, a: Slot },

    AddF32 { d: Slot, a: Slot, b: Slot },
    SubF32 { d: Slot, a: Slot, b: Slot },
    MulF32 { d: Slot, a: Slot, b: Slot },
    DivF32 { d: Slot, a: Slot, b: Slot },
    AddF64 { d: Slot, a: Slot, b: Slot },
    SubF64 { d: Slot, a: Slot, b: Slot },
    MulF64 { d: Slot, a: Slot, b: Slot },
    DivF64 { d: Slot, a: Slot, b: Slot },
    EqF64 { d: Slot, a: Slot, b: Slot },
    LtF64 { d: Slot, a: Slot, b: Slot },
    LeF64 { d: Slot, a: Slot, b: Slot },
    EqF32 { d: Slot, a: Slot, b: Slot },
    LtF32 { d: Slot, a: Slot, b: Slot },
    LeF32 { d: Slot, a: Slot, b: Slot },
    S32ToF64 { d: Slot, a: Slot },
    S64ToF64 { d: Slot, a: Slot },
    F64ToS32 { d: Slot, a: Slot },
    F32ToF64 { d: Slot, a: Slot },
    F64ToF32 { d: Slot, a: Slot },

    /// Through the address in slot `a`.
    Load8 { d: Slot, a: Slot, at: i32 },
    Load16 { d: Slot, a: Slot, at: i32 },
    Load32 { d: Slot, a: Slot, at: i32 },
    Load64 { d: Slot, a: Slot, at: i32 },
    Store8 { s: Slot, a: Slot, at: i32 },
    Store16 { s: Slot, a: Slot, at: i32 },
    Store32 { s: Slot, a: Slot, at: i32 },
    Store64 { s: Slot, a: Slot, at: i32 },
    /// Of an object that always lives and at an offset known to be inside.
    Get8 { d: Slot, object: u32, at: u32 },
    Get16 { d: Slot, object: u32, at: u32 },
    Get32 { d: Slot, object: u32, at: u32 },
    Get64 { d: Slot, object: u32, at: u32 },
    Put8 { s: Slot, object: u32, at: u32 },
    Put16 { s: Slot, object: u32, at: u32 },
    Put32 { s: Slot, object: u32, at: u32 },
    Put64 { s: Slot, object: u32, at: u32 },

    /// An address of the function's own: the slot of a local object gets one if it has none yet.
    Address { d: Slot, a: Slot, at: i32 },
    /// Moves a pointer by bytes.
    Offset { d: Slot, a: Slot, at: i32 },
    PtrAdd32 { d: Slot, a: Slot, b: Slot, stride: u16 },
    PtrAdd64 { d: Slot, a: Slot, b: Slot, stride: u16 },
    /// Element of an array: `table` is an [`IndexInfo`]; the index is a signed 32- or 64-bit slot.
    Index32 { d: Slot, index: Slot, table: u32 },
    Index64 { d: Slot, index: Slot, table: u32 },

    Jump { target: Target, steps: u16 },
    Steps { steps: u16 },
    BrEq { a: Slot, b: Slot, target: Target, steps: u16 },
    BrNe { a: Slot, b: Slot, target: Target, steps: u16 },
    BrLtS32 { a: Slot, b: Slot, target: Target, steps: u16 },
    BrLeS32 { a: Slot, b: Slot, target: Target, steps: u16 },
    BrLtS64 { a: Slot, b: Slot, target: Target, steps: u16 },
    BrLeS64 { a: Slot, b: Slot, target: Target, steps: u16 },
    BrLtU { a: Slot, b: Slot, target: Target, steps: u16 },
    BrLeU { a: Slot, b: Slot, target: Target, steps: u16 },
    BrEqI { a: Slot, b: u32, target: Target, steps: u16 },
    BrNeI { a: Slot, b: u32, target: Target, steps: u16 },
    BrLtS32I { a: Slot, b: i32, target: Target, steps: u16 },
    BrGeS32I { a: Slot, b: i32, target: Target, steps: u16 },
    BrLtS64I { a: Slot, b: i32, target: Target, steps: u16 },
    BrGeS64I { a: Slot, b: i32, target: Target, steps: u16 },
    BrLtUI { a: Slot, b: u32, target: Target, steps: u16 },
    BrGeUI { a: Slot, b: u32, target: Target, steps: u16 },

    /// A call of a function with a body and only narrow register parameters: `site` is a [`CallSite`].
    Call { site: u32, steps: u16 },
    /// Any other call.
    CallSlow { site: u32, steps: u16 },
    /// The value the call returned; `slow` is the [`Slow::ResultScalar`] for a function that returned none.
    Result { d: Slot, slow: u32 },
    Return { a: Slot, steps: u16 },
    ReturnNothing { steps: u16 },
    /// The result was set before.
    ReturnSet { steps: u16 },
    Slow { index: u32 },
    /// Only when observed: an edge was carried out.
    Trace { index: u32 },
}

/// An element's address: `base + displacement + index * stride`.
#[derive(Clone, Copy, Debug)]
pub struct IndexInfo {
    pub base: Base,
    pub displacement: i64,
    pub stride: u64,
    /// The index must be below; `u64::MAX` when only the object's bounds count.
    pub length: u64,
}

/// What an address is relative to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// An object of static lifetime, by number.
    Object(u32),
    /// A slot with an address: of a local object, or computed.
    Slot(Slot),
}

/// A place in memory with a displacement that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Address {
    pub base: Base,
    pub at: i64,
}

/// A typed value in slots; of record type: the slot has the address of the bytes.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    pub slot: Slot,
    pub ty: TypeId,
}

#[derive(Clone, Debug)]
pub struct CallSite {
    pub edge: EdgeId,
    pub callee: CalleeSlot,
    pub args: Vec<Argument>,
    /// The type of the place that takes the result.
    pub result: Option<TypeId>,
}

#[derive(Clone, Copy, Debug)]
pub enum CalleeSlot {
    Direct(FuncId),
    /// The slot of a function's address.
    Indirect(Slot),
}

/// Bits of a bit-field, in bytes `first_byte ..` of the address.
#[derive(Clone, Copy, Debug)]
pub struct BitAccess {
    pub address: Address,
    pub range: BitRange,
    pub ty: TypeId,
}

#[rustfmt::skip]
#[derive(Clone, Debug)]
pub enum Slow {
    Unary { op: UnOp, ty: TypeId, d: Slot, a: Slot },
    Binary { op: BinOp, ty: TypeId, right: TypeId, d: Slot, a: Slot, b: Slot },
    Cast { from: TypeId, to: TypeId, d: Slot, a: Slot },
    PtrAdd { d: Slot, a: Slot, b: Slot, stride: u64 },
    PtrDiff { d: Slot, a: Slot, b: Slot, stride: u64 },
    Address { d: Slot, address: Address },
    Load { d: Slot, address: Address, ty: TypeId },
    Store { s: Slot, address: Address, ty: TypeId },
    LoadBits { d: Slot, bits: BitAccess },
    StoreBits { s: Slot, bits: BitAccess },
    /// Read of memory that must be initialized; comes before the load.
    CheckWritten { address: Address, length: u64 },
    /// After a store.
    MarkWritten { address: Address, length: u64 },
    Copy { to: Address, from: Address, length: u64 },
    /// A register variable gets arbitrary contents.
    Fill { d: Slot, var: VarId, ty: TypeId, edge: EdgeId },
    /// A fresh object for a variable; its slot gets the address.
    Declare { slot: Slot, var: VarId, edge: EdgeId },
    Kill { slot: Slot },
    /// `owner` is the variable whose `Kill` ends the object.
    Alloca { owner: VarId, d: Slot, size: Slot, edge: EdgeId },
    KillAlloca { owner: VarId },
    Input { d: Slot, ty: TypeId, kind: InputKind, edge: EdgeId },
    /// After a call whose result is a record: the bytes go to the place.
    ResultRecord { to: Address, ty: TypeId, edge: EdgeId },
    /// After a call: the value, arbitrary if the function did not return one.
    ResultScalar { d: Slot, ty: TypeId, edge: EdgeId },
    /// Sets the result, of a type wider than a slot or a record.
    SetWide { a: Slot },
    SetRecord { from: Address, length: u64 },
    AssumptionFailed,
    /// An `Assert` whose condition is false.
    AssertionFailed { property: Property },
    Halt { code: Option<Slot> },
    Poison { reason: Symbol },
    /// A location without outgoing edges that is not the exit.
    Stuck,
}

#[derive(Clone, Copy, Debug)]
pub struct Trace {
    pub edge: EdgeId,
    pub value: Option<Argument>,
}

/// Which edge an instruction belongs to, and the steps not yet counted when it runs.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub edge: Option<EdgeId>,
    pub pending: u16,
}

/// Where a variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    Slot(Slot),
    /// The slot has the address of its object, or 0 before it has one.
    Local(Slot),
    Object(u32),
}

#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub var: VarId,
    pub ty: TypeId,
    pub home: Home,
    pub size: u64,
    /// Two slots.
    pub wide: bool,
    pub record: bool,
}

pub struct Code {
    pub function: FuncId,
    pub instrs: Vec<Instr>,
    pub origins: Vec<Origin>,
    /// Slots of a frame.
    pub slots: u32,
    pub params: Vec<Param>,
    /// All parameters are one slot each, the first slots in order.
    pub simple: bool,
    /// Variables of the function, `first_var` onwards.
    pub homes: Vec<Option<Home>>,
    pub first_var: u32,
    /// Slots that own objects which die with the frame.
    pub owned: Vec<(Slot, VarId)>,
    pub has_alloca: bool,
    pub slow: Vec<Slow>,
    pub sites: Vec<CallSite>,
    pub indexes: Vec<IndexInfo>,
    pub traces: Vec<Trace>,
}

impl Code {
    pub fn home(&self, var: VarId) -> Option<Home> {
        *self.homes.get(var.0.checked_sub(self.first_var)? as usize)?
    }

    /// The variable whose object's address a slot holds.
    pub fn owner(&self, slot: Slot) -> Option<VarId> {
        self.owned.iter().find(|(owner, _)| *owner == slot).map(|(_, var)| *var)
    }
}

impl Address {
    pub fn plus(self, bytes: i64) -> Address {
        Address { base: self.base, at: self.at.wrapping_add(bytes) }
    }
}

const _: () = assert!(size_of::<Instr>() == 16);

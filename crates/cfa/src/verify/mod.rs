//! The verifier of the program representation: every stage may rely on what is listed here without checking it again.
//! [`verify()`] is linear, iterative and never panics, also on ids out of range. All ids are checked first; the rest is looked at only when
//! they are in range, and owners of variables only when expressions are a DAG.
//!
//! **Ids.** Every id anywhere names an item that exists; slices of `args` lie inside it.
//!
//! **Types.** A type mentions only types with smaller ids. Elements of arrays are neither `void` nor functions; parameters are neither
//! `void` nor arrays nor functions; results are neither arrays nor functions. Of a complete record, the size is a multiple of the
//! alignment, the alignment is a power of two, each field lies inside and has a size (unless it is an array without length), a bit-field
//! is of integer type, starts within its first byte and is no wider than its type.
//!
//! **Variables.** A variable has a type with a size, unless it is `Init::Unknown`. Exactly the automatic ones and names of contracts have `Init::None`. Bytes
//! of a `StaticInit` are no more than the type's; relocations are ascending, do not overlap and lie inside the object. A variable under
//! an `AddrOf` (through fields and elements, not through a dereference) or under a relocation is `address_taken`.
//!
//! **Scopes.** Only the file scope, which is the first, has no parent; a parent precedes its children. No more names are visible than
//! there are. An enumeration constant has an integer type and fits it.
//!
//! **Expressions and places.** A child has a smaller id than its parent; so has any expression inside the place an expression mentions.
//! * `Const`: scalar, and the bits fit the width. `Read`: of the place's type, which is scalar or a complete record. `AddrOf`: a
//!   pointer to the place's type or, for an array, to its element; never of a bit-field. `FuncAddr`: a pointer to a function.
//! * `Neg`: arithmetic; `BitNot`: integer; both of the operand's type. `Not`: of a scalar, an `int`.
//! * `Binary`: both operands of one type, which is also the result's; arithmetic for `+ - * /`, integer for `% & | ^`. Shifts: both
//!   operands integers, the result of the left one's type. Comparisons: scalars of one type, an `int`.
//! * `Cast`: scalar to scalar. `PtrAdd`, `PtrSub`: of the pointer's type, whose pointee has a size; the other operand is an integer.
//!   `PtrDiff`: pointers of one type whose pointee has a size; `ptrdiff_t`.
//! * `Var`: of the variable's type. `Deref`: of a pointer. `Field`: of a complete record, the number in range, of the field's type.
//!   `Index`: of an array by an integer, of the element's type.
//!
//! So a record is read only as a whole right side, argument or returned value, and an array never.
//!
//! **Functions.** The type is a function type. Of a defined one: locations and edges are contiguous, and every location and edge belongs
//! to exactly one function; entry and exit are among the locations; each variable with the function in its kind is in the range, and
//! none of another function (objects of static lifetime may lie between). With a prototype, parameters have its types and number;
//! each is a `Param` of the function.
//!
//! **Locations and edges.** An edge stands exactly once among the outgoing edges of its source, and stays within the function. Two
//! outgoing edges are `Assume` with one and the same condition, the true one first. The exit has no outgoing edges, and exactly the
//! `Return` edges lead to it.
//!
//! **Operations.** No operation mentions a variable of another function, or a name of contracts.
//! * `Declare`, `Kill`: an automatic variable of the function. `Alloca`: a `Vla` or `Temp` of pointer type; the size is an integer.
//! * `Assign`: both sides of one type, scalar or a complete record. `Havoc`: a scalar. Neither writes to a `Constant`, nor does a call.
//! * `Assume`, `Assert`: the condition is a scalar. `Halt`: the code is an integer.
//! * `Call`: the callee is, or points to, a function; arguments match the prototype in number and type (more are fine for a variadic
//!   one, anything for an unprototyped one); the destination, if any, has the result's type, which is then not `void`.
//! * `Return`: a value of the result's type, none for `void`; a non-`void` function may return none.

mod expressions;
mod flow;
mod ids;
mod tables;
#[cfg(test)]
mod tests;

use crate::*;

/// What breaks an invariant, and which.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Defect {
    pub subject: Subject,
    pub message: String,
}

/// The item a violation is about; prints as its id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    Type(TypeId),
    Record(RecordId),
    Var(VarId),
    Scope(ScopeId),
    Expr(ExprId),
    Place(PlaceId),
    Function(FuncId),
    Location(LocId),
    Edge(EdgeId),
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Subject::Type(id) => write!(f, "{id}"),
            Subject::Record(id) => write!(f, "{id}"),
            Subject::Var(id) => write!(f, "{id}"),
            Subject::Scope(id) => write!(f, "{id}"),
            Subject::Expr(id) => write!(f, "{id}"),
            Subject::Place(id) => write!(f, "{id}"),
            Subject::Function(id) => write!(f, "{id}"),
            Subject::Location(id) => write!(f, "{id}"),
            Subject::Edge(id) => write!(f, "{id}"),
        }
    }
}

impl std::fmt::Display for Defect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.subject, self.message)
    }
}

/// At most so many violations are reported, so that the work stays linear for a program that is wrong everywhere.
const MAX_VIOLATIONS: usize = 100;

/// Checks all invariants; at most the first hundred violations are reported.
pub fn verify(program: &Program) -> Result<(), Vec<Defect>> {
    let mut report = Report { violations: Vec::new() };
    ids::check(program, &mut report);
    report.stop()?;
    let sizes = tables::sizes(program, &mut report);
    report.stop()?;
    tables::check(program, &sizes, &mut report);
    let roots = expressions::roots(program);
    expressions::check(program, &sizes, &roots, &mut report);
    let ordered = expressions::is_ordered(program, &mut report);
    flow::check(program, &roots, &mut report);
    if ordered {
        expressions::check_owners(program, &mut report);
    }
    report.stop()
}

struct Report {
    violations: Vec<Defect>,
}

impl Report {
    /// `message` is only formatted for a violation.
    fn require(&mut self, holds: bool, subject: Subject, message: impl FnOnce() -> String) {
        if !holds && self.violations.len() < MAX_VIOLATIONS {
            self.violations.push(Defect { subject, message: message() });
        }
    }

    fn stop(&mut self) -> Result<(), Vec<Defect>> {
        if self.violations.is_empty() { Ok(()) } else { Err(std::mem::take(&mut self.violations)) }
    }
}

/// The variable that a place is (a part of); `None` where it lies behind a pointer. By place.
type Roots = [Option<VarId>];

/// Size of each type, by type.
type Sizes = [Option<u64>];

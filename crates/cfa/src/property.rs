//! What can be asked of a program, and what can go wrong while it runs.

/// One checkable property. Several are checked at once as a [`PropertySet`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Property {
    /// No call of an error function (`__VERIFIER_error`, `reach_error`).
    UnreachCall,
    /// No statement labelled `ERROR`.
    UnreachLabel,
    /// `assert`, `__VERIFIER_assert`, `__CPROVER_assert`, ACSL comments.
    Assertion,
    /// No signed integer overflow.
    NoOverflow,
    /// Every dereference hits a live object within its bounds.
    ValidDeref,
    /// Every `free` gets null or the start of a live allocation.
    ValidFree,
    /// No allocation is lost while the program runs.
    ValidMemtrack,
    /// No allocation is left when the program ends.
    ValidMemcleanup,
    DivByZero,
    /// Shift amounts are at least 0 and below the width.
    ShiftRange,
    /// No read of memory that was never written.
    Initialized,
    /// Calls never need more stack than was allowed; [`crate::environment`] puts the assertions into the program.
    StackLimit,
    /// Variables of a type that has only some of the numbers of another one hold only these; the program asserts it.
    Subrange,
}

impl Property {
    pub const ALL: [Property; 13] = [
        Property::UnreachCall,
        Property::UnreachLabel,
        Property::Assertion,
        Property::NoOverflow,
        Property::ValidDeref,
        Property::ValidFree,
        Property::ValidMemtrack,
        Property::ValidMemcleanup,
        Property::DivByZero,
        Property::ShiftRange,
        Property::Initialized,
        Property::StackLimit,
        Property::Subrange,
    ];

    /// What is checked unless something else is asked for: assertions, and errors that end a run or make it meaningless on any machine.
    pub const DEFAULT: &'static [Property] =
        &[Property::UnreachCall, Property::Assertion, Property::ValidDeref, Property::ValidFree, Property::DivByZero];

    pub fn name(self) -> &'static str {
        match self {
            Property::UnreachCall => "unreach-call",
            Property::UnreachLabel => "unreach-label",
            Property::Assertion => "assertion",
            Property::NoOverflow => "no-overflow",
            Property::ValidDeref => "valid-deref",
            Property::ValidFree => "valid-free",
            Property::ValidMemtrack => "valid-memtrack",
            Property::ValidMemcleanup => "valid-memcleanup",
            Property::DivByZero => "div-by-zero",
            Property::ShiftRange => "shift-range",
            Property::Initialized => "initialized",
            Property::StackLimit => "stack-limit",
            Property::Subrange => "subrange",
        }
    }

    pub fn from_name(name: &str) -> Option<Property> {
        Property::ALL.into_iter().find(|property| property.name() == name)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct PropertySet(u16);

impl Property {
    /// Whether the text of the program says where it is checked.
    pub fn is_asserted(self) -> bool {
        matches!(self, Property::UnreachCall | Property::UnreachLabel | Property::Assertion)
    }

    /// Whether it is checked at the end of a run.
    pub fn is_about_the_end(self) -> bool {
        matches!(self, Property::ValidMemtrack | Property::ValidMemcleanup)
    }
}

impl PropertySet {
    pub const EMPTY: PropertySet = PropertySet(0);

    pub fn of(properties: &[Property]) -> Self {
        PropertySet(properties.iter().fold(0, |set, property| set | 1 << *property as u16))
    }

    #[inline]
    pub fn contains(self, property: Property) -> bool {
        self.0 & (1 << property as u16) != 0
    }

    #[must_use]
    pub fn with(self, property: Property) -> Self {
        PropertySet(self.0 | 1 << property as u16)
    }

    #[must_use]
    pub fn without(self, property: Property) -> Self {
        PropertySet(self.0 & !(1 << property as u16))
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Property> {
        Property::ALL.into_iter().filter(move |property| self.contains(*property))
    }
}

impl std::fmt::Debug for PropertySet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// Undefined behaviour that the semantics notices. All but the last two end the run where they happen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fault {
    DivisionByZero,
    /// The least number divided by -1, or the remainder of that. It traps on x86.
    DivisionOverflow,
    NullDereference,
    /// The pointer is a number that is the address of no object, as that of a hardware register.
    FixedAddress,
    /// Outside the object the pointer belongs to.
    OutOfBounds,
    /// The object's lifetime has ended (freed, or its block was left).
    Dangling,
    /// The pointer belongs to no object at all.
    WildPointer,
    /// A write to a string literal or to a `const` object of static lifetime, which lie in memory that cannot be written.
    ReadOnly,
    /// A write to another `const` object. It lies in memory as any other does, so no access is invalid.
    ConstWrite,
    /// `free` or `realloc` of what is not the start of a live allocation.
    InvalidFree,
    /// `free` of an allocation that was freed before.
    DoubleFree,
    /// A float became an integer of a type that does not have it (C11 6.3.1.4).
    FloatConversion,
    /// A call through a pointer that is not the address of a function.
    BadCall,
    /// A call of a function that takes other arguments, or returns something else, than the caller believes.
    CallMismatch,
    /// A value was used that a function failed to return.
    MissingReturn,
    /// A read of memory never written, when that is asked for.
    Uninitialized,
    /// Overlapping `memcpy`, a bad argument to a library function, and the like.
    LibraryMisuse,
    Unreachable,
    /// Defined by wrap-around unless overflow is asked for.
    SignedOverflow,
    /// Unspecified value unless shifts are asked for.
    ShiftRange,
}

impl Fault {
    /// The property that a fault violates; other undefined behaviour only makes that nothing is proved.
    pub fn property(self) -> Option<Property> {
        Some(match self {
            Fault::DivisionByZero => Property::DivByZero,
            Fault::InvalidFree | Fault::DoubleFree => Property::ValidFree,
            Fault::SignedOverflow | Fault::DivisionOverflow => Property::NoOverflow,
            Fault::ShiftRange => Property::ShiftRange,
            Fault::Uninitialized | Fault::MissingReturn => Property::Initialized,
            Fault::ConstWrite | Fault::FloatConversion => return None,
            Fault::CallMismatch | Fault::LibraryMisuse | Fault::Unreachable => return None,
            Fault::NullDereference
            | Fault::FixedAddress
            | Fault::OutOfBounds
            | Fault::Dangling
            | Fault::WildPointer
            | Fault::ReadOnly
            | Fault::BadCall => Property::ValidDeref,
        })
    }

    pub fn describe(self) -> &'static str {
        match self {
            Fault::DivisionByZero => "division by zero",
            Fault::DivisionOverflow => "signed integer overflow in a division",
            Fault::NullDereference => "null pointer dereference",
            Fault::FixedAddress => "access at a fixed address, where the program has no object",
            Fault::OutOfBounds => "access outside the bounds of the object",
            Fault::Dangling => "access to an object whose lifetime has ended",
            Fault::WildPointer => "access through a pointer to no object",
            Fault::ReadOnly => "write to constant memory",
            Fault::ConstWrite => "write to a `const` object",
            Fault::InvalidFree => "free of a pointer that is not the start of an allocation",
            Fault::DoubleFree => "second free of the same allocation",
            Fault::FloatConversion => "conversion of a float to an integer type that does not have the number",
            Fault::BadCall => "call through an invalid function pointer",
            Fault::CallMismatch => "call of a function through a type that it does not have",
            Fault::MissingReturn => "use of a value that the function did not return",
            Fault::Uninitialized => "read of uninitialized memory",
            Fault::LibraryMisuse => "undefined use of a library function",
            Fault::Unreachable => "`__builtin_unreachable` was reached",
            Fault::SignedOverflow => "signed integer overflow",
            Fault::ShiftRange => "shift by a negative or too large amount",
        }
    }
}

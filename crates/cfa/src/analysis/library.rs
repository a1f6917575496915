//! What library functions do to memory, argument by argument. Every analysis that needs to know asks here; what the functions compute is in
//! `interp::libc` and `encode`.

use crate::library::{LibFn, Math};

/// Which arguments point to memory that a function reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arguments {
    None,
    One(usize),
    Two(usize, usize),
    /// All from this one on.
    From(usize),
}

impl Arguments {
    pub fn is_none(self) -> bool {
        self == Arguments::None
    }

    /// The numbers among so many arguments.
    pub fn among(self, count: usize) -> impl Iterator<Item = usize> {
        (0..count).filter(move |index| match self {
            Arguments::None => false,
            Arguments::One(one) => *index == one,
            Arguments::Two(one, two) => *index == one || *index == two,
            Arguments::From(first) => *index >= first,
        })
    }
}

/// What a library function does to memory that a program can see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryUse {
    pub reads: Arguments,
    pub writes: Arguments,
    /// The argument whose object it frees.
    pub frees: Option<usize>,
    /// It makes a new object.
    pub allocates: bool,
    /// It may write what cannot be named (see [`LibFn::MayWrite`]).
    pub unknown: bool,
}

const NOTHING: MemoryUse =
    MemoryUse { reads: Arguments::None, writes: Arguments::None, frees: None, allocates: false, unknown: false };

const fn uses(reads: Arguments, writes: Arguments) -> MemoryUse {
    MemoryUse { reads, writes, ..NOTHING }
}

pub fn memory_use(function: LibFn) -> MemoryUse {
    use Arguments::{From, None, One, Two};
    use LibFn::*;
    match function {
        Malloc | Calloc | AlignedAlloc | Alloca | NewObject => MemoryUse { allocates: true, ..NOTHING },
        PosixMemalign => MemoryUse { allocates: true, ..uses(None, One(0)) },
        Realloc | ReallocArray => MemoryUse { allocates: true, frees: Some(0), ..uses(One(0), None) },
        Free | EndObject => MemoryUse { frees: Some(0), ..NOTHING },
        Strdup | Strndup => MemoryUse { allocates: true, ..uses(One(0), None) },
        Exit
        | Abort
        | Unreachable
        | Abs(_)
        | Rand
        | Ctype(_)
        | Tolower
        | Toupper
        | Putchar
        | Fputc
        | Approximate(..)
        | Classify(_)
        | BuiltinFpclassify
        | Compare(_)
        | Bswap(_)
        | BitCount(..)
        | First
        | Zero { .. }
        | Absent { .. }
        | Input { .. }
        | Unsupported { .. }
        | InC
        | Require
        | IsRegister
        | EndWrites(_) => NOTHING,
        MayWrite => MemoryUse { unknown: true, ..NOTHING },
        Math(self::Math::Modf | self::Math::Frexp, _) => uses(None, One(1)),
        Math(self::Math::Nan, _) => uses(One(0), None),
        Math(..) => NOTHING,
        Atoi(_) | Memchr | Memrchr | Strlen | Strnlen | Strchr | Strchrnul | Strrchr | Puts | Fputs | Fwrite
        | Perror => uses(One(0), None),
        Write => uses(One(1), None),
        Memcmp | Strcmp | Strncmp | Strcasecmp | Strncasecmp | Strstr | Strspn | Strcspn | Strpbrk => {
            uses(Two(0, 1), None)
        }
        Printf => uses(From(0), None),
        Fprintf => uses(From(1), None),
        Strtod(_) => uses(One(0), One(1)),
        Time => uses(None, One(0)),
        Memset | Bzero => uses(None, One(0)),
        Memcpy | Mempcpy | Memmove | Strcpy | Stpcpy | Strncpy => uses(One(1), One(0)),
        Strcat | Strncat => uses(Two(0, 1), One(0)),
        Bcopy => uses(One(0), One(1)),
        Snprintf => uses(From(2), One(0)),
    }
}

//! The C library functions and gcc built-ins that the semantics knows. [`lookup`] is what the frontend asks when it meets a function
//! without a body; names and signatures stand in tables here, meanings hang on [`LibFn`] in `interp` and `encode`, or are
//! written in C ([`LibFn::InC`]).
//!
//! Four kinds of functions are known without being computed, because treating them as unknown functions would be wrong or useless:
//! [`LibFn::Zero`] does nothing and returns zero, [`LibFn::Absent`] does so in a run (`fflush`,
//! `sleep`, …), but nothing is proved about a result that the program uses, [`LibFn::Input`] returns an input (`clock`), and calling [`LibFn::Unsupported`] is poison: it writes memory, calls back, or changes control or the rounding
//! mode in ways that are not modelled, or no standard says what it returns (`sin`, `pow`, …).
//!
//! A signature is the result and, in parentheses, the parameters: `v` void, `i` int, `u` unsigned, `h` unsigned short, `l` long, `L` long
//! long, `U` unsigned long long, `z` size_t (also unsigned long, which is the same in both data models), `p` void*, `s` char*, `f` float,
//! `d` double, `D` long double; a last `.` means variadic. A type-generic built-in takes `.`, and the argument's own type decides.

mod approximate;
mod ctype;
mod in_c;
mod unmodelled;

pub use approximate::Approximate;
pub use ctype::{Ctype, CtypeTable, ctype_classes};

use crate::types::{DataModel, FloatKind, IntKind};
use in_c::IN_C;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use unmodelled::UNMODELLED;

/// What of an object cannot be written any more: all of it, or its `const` members.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Frozen {
    Whole,
    Members,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LibFn {
    /// A number near the value of a function: that of the system's library in a run.
    Approximate(Approximate, FloatKind),
    Malloc,
    Calloc,
    Realloc,
    ReallocArray,
    /// `aligned_alloc`, `memalign`: alignment, size.
    AlignedAlloc,
    PosixMemalign,
    Free,
    /// Memory that lives until the calling function returns.
    Alloca,

    Exit,
    Abort,
    /// `__builtin_unreachable`: a fault.
    Unreachable,

    Abs(IntKind),
    /// `atoi`, `atol`, `atoll`.
    Atoi(IntKind),
    Strtod(FloatKind),
    /// `rand`, `random`: an input from 0 to 2^31-1; a run with any other is of no interest.
    Rand,
    Time,

    Memcpy,
    Mempcpy,
    Memmove,
    Memset,
    Memcmp,
    Memchr,
    Memrchr,
    Bzero,
    Bcopy,
    Strlen,
    Strnlen,
    Strcpy,
    Stpcpy,
    Strncpy,
    Strcat,
    Strncat,
    Strcmp,
    Strncmp,
    Strcasecmp,
    Strncasecmp,
    Strchr,
    Strchrnul,
    Strrchr,
    Strstr,
    Strdup,
    Strndup,
    Strspn,
    Strcspn,
    Strpbrk,

    Ctype(Ctype),
    Tolower,
    Toupper,

    Printf,
    Fprintf,
    /// For conversions of floating-point numbers, which the functions written in C leave to it.
    Snprintf,
    Puts,
    Putchar,
    /// `fputc`, `putc`.
    Fputc,
    Fputs,
    Fwrite,
    /// POSIX `write`.
    Write,
    Perror,

    Math(Math, FloatKind),
    /// `isnan` and the like, for any floating type.
    Classify(Classify),
    /// `__builtin_fpclassify(nan, infinite, normal, subnormal, zero, x)`.
    BuiltinFpclassify,
    /// `__builtin_isless` and the like.
    Compare(Compare),

    /// `__builtin_bswap16`, `32`, `64`.
    Bswap(u8),
    BitCount(BitCount, IntKind),
    /// `__builtin_expect` and the like: the first argument.
    First,

    /// Written in C: the frontend compiles its text when a program needs it (`frontend/src/c/prelude`).
    InC,
    /// For functions written in C: the argument is not zero, or the call is misuse.
    Require,
    /// For functions written in C: an object of the library of so many bytes. It cannot be freed, and it is not lost.
    NewObject,
    /// For functions written in C: the lifetime of such an object ends.
    EndObject,

    /// Whether a pointer leads to a hardware register. See [`crate::Registers`].
    IsRegister,

    /// Put behind a call of a function without a body: it may have written more than is modelled. See [`crate::undefined`].
    MayWrite,
    /// Put behind the initializer of an automatic `const` object that a pointer can reach: it cannot be written until its lifetime ends.
    EndWrites(Frozen),

    Zero {
        signature: &'static str,
    },
    Absent {
        signature: &'static str,
    },
    Input {
        signature: &'static str,
    },
    Unsupported {
        signature: &'static str,
        reason: &'static str,
    },
}

/// Functions of `math.h` whose results IEEE 754 or their definition makes exact.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Math {
    Fabs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    Round,
    Roundeven,
    /// `rint`, `nearbyint`: to nearest even, the only rounding mode there is.
    Rint,
    Fmod,
    Remainder,
    Copysign,
    Fmin,
    Fmax,
    Fdim,
    Nextafter,
    Fma,
    Modf,
    Frexp,
    /// `ldexp`, `scalbn`.
    Ldexp,
    Scalbln,
    Lround,
    Llround,
    Lrint,
    Llrint,
    Ilogb,
    Logb,
    Infinity,
    Nan,
}

/// What functions of `ctype.h` may be given.
pub const CHARACTERS: std::ops::RangeInclusive<i32> = -128..=255;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Classify {
    Nan,
    /// 1 for both infinities.
    Infinite,
    /// -1 for the negative one.
    InfiniteSign,
    /// The function `isinf`: some number other than zero. glibc's gives -1 for the negative infinity, what gcc puts in its place 1.
    InfiniteOpen,
    Finite,
    Normal,
    /// Some number other than zero.
    Signbit,
    /// glibc's `__fpclassify`: `FP_NAN` 0, `FP_INFINITE` 1, `FP_ZERO` 2, `FP_SUBNORMAL` 3, `FP_NORMAL` 4.
    Fpclassify,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Compare {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    LessGreater,
    Unordered,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BitCount {
    Clz,
    Ctz,
    Popcount,
    Ffs,
    Parity,
    Clrsb,
}

impl BitCount {
    /// The count for the low `width` bits of a value; `None` where it is undefined.
    pub fn of(self, value: u64, width: u32) -> Option<u32> {
        let unused = 64 - width;
        let value = value << unused >> unused;
        Some(match self {
            BitCount::Clz | BitCount::Ctz if value == 0 => return None,
            BitCount::Clz => value.leading_zeros() - unused,
            BitCount::Ctz => value.trailing_zeros(),
            BitCount::Popcount => value.count_ones(),
            BitCount::Ffs if value == 0 => 0,
            BitCount::Ffs => value.trailing_zeros() + 1,
            BitCount::Parity => value.count_ones() & 1,
            BitCount::Clrsb => {
                let signed = (value << unused) as i64 >> unused;
                (if signed < 0 { !signed } else { signed } as u64).leading_zeros() - unused - 1
            }
        })
    }
}

/// The result of a function that a constant expression may call, for the low bits of its argument.
pub fn fold(function: LibFn, value: u64, model: DataModel) -> Option<u64> {
    match function {
        LibFn::BitCount(count, kind) => count.of(value, kind.bits(model)).map(u64::from),
        LibFn::Bswap(width) => Some(value.swap_bytes() >> (64 - width as u32)),
        _ => None,
    }
}

struct Row {
    names: &'static [&'static str],
    function: LibFn,
    signature: &'static str,
}

const fn row(names: &'static [&'static str], function: LibFn, signature: &'static str) -> Row {
    Row { names, function, signature }
}

const fn zero(names: &'static [&'static str], signature: &'static str) -> Row {
    Row { names, function: LibFn::Zero { signature }, signature }
}

const fn absent(names: &'static [&'static str], signature: &'static str) -> Row {
    Row { names, function: LibFn::Absent { signature }, signature }
}

const fn input(names: &'static [&'static str], signature: &'static str) -> Row {
    Row { names, function: LibFn::Input { signature }, signature }
}

const fn class(name: &'static [&'static str], class: Ctype) -> Row {
    Row { names: name, function: LibFn::Ctype(class), signature: "i(i)" }
}

static TABLE: &[Row] = &[
    row(&["malloc", "valloc"], LibFn::Malloc, "p(z)"),
    row(&["calloc"], LibFn::Calloc, "p(zz)"),
    row(&["realloc"], LibFn::Realloc, "p(pz)"),
    row(&["reallocarray"], LibFn::ReallocArray, "p(pzz)"),
    row(&["aligned_alloc", "memalign"], LibFn::AlignedAlloc, "p(zz)"),
    row(&["posix_memalign"], LibFn::PosixMemalign, "i(pzz)"),
    row(&["free", "cfree"], LibFn::Free, "v(p)"),
    row(&["alloca"], LibFn::Alloca, "p(z)"),
    row(&["exit", "_exit", "_Exit", "quick_exit"], LibFn::Exit, "v(i)"),
    row(&["abort", "trap"], LibFn::Abort, "v()"),
    row(&["__builtin_unreachable"], LibFn::Unreachable, "v()"),
    row(&["abs"], LibFn::Abs(IntKind::Int), "i(i)"),
    row(&["labs"], LibFn::Abs(IntKind::Long), "l(l)"),
    row(&["llabs", "imaxabs"], LibFn::Abs(IntKind::LongLong), "L(L)"),
    row(&["atoi"], LibFn::Atoi(IntKind::Int), "i(s)"),
    row(&["atol"], LibFn::Atoi(IntKind::Long), "l(s)"),
    row(&["atoll"], LibFn::Atoi(IntKind::LongLong), "L(s)"),
    row(&["__library_strtof"], LibFn::Strtod(FloatKind::Float), "f(sp)"),
    row(&["__library_strtod"], LibFn::Strtod(FloatKind::Double), "d(sp)"),
    row(&["strtold"], LibFn::Strtod(FloatKind::LongDouble), "D(sp)"),
    row(&["rand"], LibFn::Rand, "i()"),
    row(&["random", "lrand48"], LibFn::Rand, "l()"),
    row(&["time"], LibFn::Time, "l(p)"),
    // string.h
    row(&["memcpy"], LibFn::Memcpy, "p(ppz)"),
    row(&["mempcpy", "__mempcpy"], LibFn::Mempcpy, "p(ppz)"),
    row(&["memmove"], LibFn::Memmove, "p(ppz)"),
    row(&["memset"], LibFn::Memset, "p(piz)"),
    row(&["memcmp", "bcmp"], LibFn::Memcmp, "i(ppz)"),
    row(&["memchr"], LibFn::Memchr, "p(piz)"),
    row(&["memrchr"], LibFn::Memrchr, "p(piz)"),
    row(&["bzero"], LibFn::Bzero, "v(pz)"),
    row(&["bcopy"], LibFn::Bcopy, "v(ppz)"),
    row(&["strlen"], LibFn::Strlen, "z(s)"),
    row(&["strnlen"], LibFn::Strnlen, "z(sz)"),
    row(&["strcpy"], LibFn::Strcpy, "s(ss)"),
    row(&["stpcpy", "__stpcpy"], LibFn::Stpcpy, "s(ss)"),
    row(&["strncpy"], LibFn::Strncpy, "s(ssz)"),
    row(&["strcat"], LibFn::Strcat, "s(ss)"),
    row(&["strncat"], LibFn::Strncat, "s(ssz)"),
    row(&["strcmp", "strcoll"], LibFn::Strcmp, "i(ss)"),
    row(&["strncmp"], LibFn::Strncmp, "i(ssz)"),
    row(&["strcasecmp", "stricmp"], LibFn::Strcasecmp, "i(ss)"),
    row(&["strncasecmp", "strnicmp"], LibFn::Strncasecmp, "i(ssz)"),
    row(&["strchr", "index"], LibFn::Strchr, "s(si)"),
    row(&["strchrnul"], LibFn::Strchrnul, "s(si)"),
    row(&["strrchr", "rindex"], LibFn::Strrchr, "s(si)"),
    row(&["strstr"], LibFn::Strstr, "s(ss)"),
    row(&["strdup", "__strdup"], LibFn::Strdup, "s(s)"),
    row(&["strndup", "__strndup"], LibFn::Strndup, "s(sz)"),
    row(&["strspn"], LibFn::Strspn, "z(ss)"),
    row(&["strcspn"], LibFn::Strcspn, "z(ss)"),
    row(&["strpbrk"], LibFn::Strpbrk, "s(ss)"),
    // ctype.h
    class(&["isalnum"], Ctype::Alnum),
    class(&["isalpha"], Ctype::Alpha),
    class(&["isblank"], Ctype::Blank),
    class(&["iscntrl"], Ctype::Cntrl),
    class(&["isdigit"], Ctype::Digit),
    class(&["isgraph"], Ctype::Graph),
    class(&["islower"], Ctype::Lower),
    class(&["isprint"], Ctype::Print),
    class(&["ispunct"], Ctype::Punct),
    class(&["isspace"], Ctype::Space),
    class(&["isupper"], Ctype::Upper),
    class(&["isxdigit"], Ctype::Xdigit),
    class(&["isascii"], Ctype::Ascii),
    class(&["toascii"], Ctype::ToAscii),
    row(&["tolower", "_tolower"], LibFn::Tolower, "i(i)"),
    row(&["toupper", "_toupper"], LibFn::Toupper, "i(i)"),
    // stdio.h
    row(&["printf", "printf_unlocked"], LibFn::Printf, "i(s.)"),
    row(&["fprintf", "fprintf_unlocked"], LibFn::Fprintf, "i(ps.)"),
    row(&["__library_snprintf"], LibFn::Snprintf, "i(szs.)"),
    row(&["puts", "puts_unlocked"], LibFn::Puts, "i(s)"),
    row(&["putchar", "putchar_unlocked"], LibFn::Putchar, "i(i)"),
    row(&["fputc", "putc", "fputc_unlocked", "putc_unlocked", "_IO_putc"], LibFn::Fputc, "i(ip)"),
    row(&["fputs", "fputs_unlocked"], LibFn::Fputs, "i(sp)"),
    row(&["fwrite", "fwrite_unlocked"], LibFn::Fwrite, "z(pzzp)"),
    row(&["write"], LibFn::Write, "l(ipz)"),
    row(&["perror"], LibFn::Perror, "v(s)"),
    // math.h: classification; the rest is in MATH.
    row(&["isnan", "__builtin_isnan"], LibFn::Classify(Classify::Nan), "i(.)"),
    row(&["__isnan", "__isnanf", "__isnanl", "isnanf", "isnanl"], LibFn::Classify(Classify::Nan), "i(.)"),
    row(&["__builtin_isinf"], LibFn::Classify(Classify::Infinite), "i(.)"),
    row(&["__builtin_isinf_sign"], LibFn::Classify(Classify::InfiniteSign), "i(.)"),
    row(
        &["isinf", "__isinf", "__isinff", "__isinfl", "isinff", "isinfl"],
        LibFn::Classify(Classify::InfiniteOpen),
        "i(.)",
    ),
    row(
        &["finite", "finitef", "finitel", "isfinite", "__finite", "__finitef", "__finitel"],
        LibFn::Classify(Classify::Finite),
        "i(.)",
    ),
    row(&["isnormal"], LibFn::Classify(Classify::Normal), "i(.)"),
    row(
        &["signbit", "signbitf", "signbitl", "__signbit", "__signbitf", "__signbitl"],
        LibFn::Classify(Classify::Signbit),
        "i(.)",
    ),
    row(&["__fpclassify", "__fpclassifyf", "__fpclassifyl"], LibFn::Classify(Classify::Fpclassify), "i(.)"),
    row(&["__builtin_fpclassify"], LibFn::BuiltinFpclassify, "i(iiiii.)"),
    row(&["isless"], LibFn::Compare(Compare::Less), "i(.)"),
    row(&["islessequal"], LibFn::Compare(Compare::LessEqual), "i(.)"),
    row(&["isgreater"], LibFn::Compare(Compare::Greater), "i(.)"),
    row(&["isgreaterequal"], LibFn::Compare(Compare::GreaterEqual), "i(.)"),
    row(&["islessgreater"], LibFn::Compare(Compare::LessGreater), "i(.)"),
    row(&["isunordered"], LibFn::Compare(Compare::Unordered), "i(.)"),
    // gcc's bit counting
    row(&["__builtin_bswap16", "__bswap_16", "htons", "ntohs"], LibFn::Bswap(16), "h(h)"),
    row(&["__builtin_bswap32", "__bswap_32", "htonl", "ntohl"], LibFn::Bswap(32), "u(u)"),
    row(&["__builtin_bswap64", "__bswap_64"], LibFn::Bswap(64), "U(U)"),
    row(&["__builtin_clz"], LibFn::BitCount(BitCount::Clz, IntKind::UInt), "i(u)"),
    row(&["__builtin_clzl"], LibFn::BitCount(BitCount::Clz, IntKind::ULong), "i(z)"),
    row(&["__builtin_clzll"], LibFn::BitCount(BitCount::Clz, IntKind::ULongLong), "i(U)"),
    row(&["__builtin_ctz"], LibFn::BitCount(BitCount::Ctz, IntKind::UInt), "i(u)"),
    row(&["__builtin_ctzl"], LibFn::BitCount(BitCount::Ctz, IntKind::ULong), "i(z)"),
    row(&["__builtin_ctzll"], LibFn::BitCount(BitCount::Ctz, IntKind::ULongLong), "i(U)"),
    row(&["__builtin_popcount"], LibFn::BitCount(BitCount::Popcount, IntKind::UInt), "i(u)"),
    row(&["__builtin_popcountl"], LibFn::BitCount(BitCount::Popcount, IntKind::ULong), "i(z)"),
    row(&["__builtin_popcountll"], LibFn::BitCount(BitCount::Popcount, IntKind::ULongLong), "i(U)"),
    row(&["__builtin_parity"], LibFn::BitCount(BitCount::Parity, IntKind::UInt), "i(u)"),
    row(&["__builtin_parityl"], LibFn::BitCount(BitCount::Parity, IntKind::ULong), "i(z)"),
    row(&["__builtin_parityll"], LibFn::BitCount(BitCount::Parity, IntKind::ULongLong), "i(U)"),
    row(&["ffs"], LibFn::BitCount(BitCount::Ffs, IntKind::Int), "i(i)"),
    row(&["ffsl"], LibFn::BitCount(BitCount::Ffs, IntKind::Long), "i(l)"),
    row(&["ffsll"], LibFn::BitCount(BitCount::Ffs, IntKind::LongLong), "i(L)"),
    row(&["__builtin_clrsb"], LibFn::BitCount(BitCount::Clrsb, IntKind::Int), "i(i)"),
    row(&["__builtin_clrsbl"], LibFn::BitCount(BitCount::Clrsb, IntKind::Long), "i(l)"),
    row(&["__builtin_clrsbll"], LibFn::BitCount(BitCount::Clrsb, IntKind::LongLong), "i(L)"),
    row(&["__builtin_expect", "__builtin_expect_with_probability"], LibFn::First, "l(ll.)"),
    row(&["__builtin_assume_aligned"], LibFn::First, "p(pz.)"),
    // Nothing happens, zero comes back, but something else could.
    absent(&["pclose"], "i(p)"),
    absent(&["popen", "fdopen", "tmpfile"], "p(ss)"),
    absent(&["freopen"], "p(ssp)"),
    absent(&["setvbuf"], "i(psiz)"),
    absent(&["sleep", "usleep"], "u(u)"),
    absent(&["setlocale"], "s(is)"),
    absent(&["sched_yield"], "i()"),
    // Nothing happens, zero comes back.
    zero(&["setbuf"], "v(ps)"),
    zero(&["srand", "srandom", "sranddev"], "v(u)"),
    zero(&["srand48"], "v(l)"),
    zero(&["__builtin_constant_p"], "i(.)"),
    zero(&["__builtin_prefetch", "__builtin_ia32_pause", "__sync_synchronize", "__builtin___clear_cache"], "v(.)"),
    // The result is an input.
    input(&["getpid", "getppid"], "i()"),
    input(&["mrand48"], "l()"),
    input(&["clock"], "l()"),
    input(&["system", "remove", "access"], "i(s)"),
    input(&["fileno"], "i(p)"),
    input(&["isatty", "close"], "i(i)"),
    // What functions written in C ask for.
    row(&["__library_require"], LibFn::Require, "v(i)"),
    row(&["__library_object"], LibFn::NewObject, "p(z)"),
    row(&["__library_end_object"], LibFn::EndObject, "v(p)"),
    // Put before an access to what may be a register.
    row(&["__library_is_register"], LibFn::IsRegister, "i(p)"),
    input(&["__library_input_character"], "i()"),
    // The next character that is no space.
    input(&["__library_input_after_spaces"], "i()"),
    input(&["__library_input_int"], "i()"),
    input(&["__library_input_size"], "z()"),
    input(&["__library_input_number"], "L()"),
    input(&["__library_input_double"], "d()"),
    input(&["__library_input_float"], "f()"),
    row(&["fegetround"], LibFn::Zero { signature: "i()" }, "i()"),
];

/// Families that share a reason, by prefix.
static UNSUPPORTED_PREFIXES: &[(&str, &str)] = &[
    ("pthread_", "threads"),
    ("thrd_", "threads"),
    ("mtx_", "threads"),
    ("cnd_", "threads"),
    ("sem_", "threads"),
    ("__sync_", "atomic operations"),
    ("__atomic_", "atomic operations"),
    ("atomic_", "atomic operations"),
    ("__builtin_ia32_", "vector instructions"),
    ("__builtin_va_", "variable argument lists"),
    ("__builtin_apply", "constructed calls"),
    ("__builtin_setjmp", "non-local jumps"),
    ("__builtin_longjmp", "non-local jumps"),
];

/// Names of `double` functions; `f` and `l` behind them make the `float` and `long double` ones.
static MATH: &[(&str, Math)] = &[
    ("fabs", Math::Fabs),
    ("sqrt", Math::Sqrt),
    ("floor", Math::Floor),
    ("ceil", Math::Ceil),
    ("trunc", Math::Trunc),
    ("round", Math::Round),
    ("roundeven", Math::Roundeven),
    ("rint", Math::Rint),
    ("nearbyint", Math::Rint),
    ("fmod", Math::Fmod),
    ("remainder", Math::Remainder),
    ("drem", Math::Remainder),
    ("copysign", Math::Copysign),
    ("fmin", Math::Fmin),
    ("fmax", Math::Fmax),
    ("fdim", Math::Fdim),
    ("nextafter", Math::Nextafter),
    ("fma", Math::Fma),
    ("modf", Math::Modf),
    ("frexp", Math::Frexp),
    ("ldexp", Math::Ldexp),
    ("scalbn", Math::Ldexp),
    ("scalbln", Math::Scalbln),
    ("lround", Math::Lround),
    ("llround", Math::Llround),
    ("lrint", Math::Lrint),
    ("llrint", Math::Llrint),
    ("ilogb", Math::Ilogb),
    ("logb", Math::Logb),
    ("__builtin_inf", Math::Infinity),
    ("__builtin_huge_val", Math::Infinity),
    ("nan", Math::Nan),
];

/// Functions of `math.h` that libraries compute differently in the last place, by number of arguments. Taking their results as inputs
/// would find violations that no library shows, so calling one is poison unless it is among [`Approximate`].
static INEXACT: &[(&[&str], u8)] = &[
    (&["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"], 1),
    (&["exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "cbrt", "erf", "erfc", "tgamma"], 1),
    (&["lgamma", "gamma", "j0", "j1", "y0", "y1", "significand"], 1),
    (&["pow", "atan2", "hypot"], 2),
];

/// The meaning of a function by its name; `None` for one that is as unknown as any undefined function.
pub fn lookup(name: &str) -> Option<LibFn> {
    static INDEX: OnceLock<FxHashMap<&'static str, LibFn>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let known = TABLE.iter().flat_map(|row| row.names.iter().map(move |name| (*name, row.function)));
        let in_c = IN_C.iter().map(|(name, _)| (*name, LibFn::InC));
        let approximate = Approximate::ALL.iter().flat_map(|(function, double, float)| {
            let of = |kind| LibFn::Approximate(*function, kind);
            [(*double, of(FloatKind::Double)), (*float, of(FloatKind::Float))]
        });
        known.chain(in_c).chain(approximate).chain(UNMODELLED.iter().flat_map(|family| family.members())).collect()
    });
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let listed = index.get(name).or_else(|| index.get(plain)).copied();
    listed.or_else(|| by_suffix(name)).or_else(|| by_suffix(plain)).or_else(|| by_prefix(name))
}

fn by_suffix(name: &str) -> Option<LibFn> {
    let exact = |name: &str, kind| {
        let row = MATH.iter().find(|(known, _)| *known == name)?;
        Some(LibFn::Math(row.1, kind))
    };
    let inexact = |name: &str, kind| {
        let (_, arity) = INEXACT.iter().find(|(names, _)| names.contains(&name))?;
        let reason = "a mathematical function that no standard makes exact";
        Some(LibFn::Unsupported { signature: arithmetic_signature(*arity, kind), reason })
    };
    let known = |name: &str, kind| exact(name, kind).or_else(|| inexact(name, kind));
    known(name, FloatKind::Double)
        .or_else(|| known(name.strip_suffix('f')?, FloatKind::Float))
        .or_else(|| known(name.strip_suffix('l')?, FloatKind::LongDouble))
}

fn by_prefix(name: &str) -> Option<LibFn> {
    let (_, reason) = UNSUPPORTED_PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix))?;
    Some(LibFn::Unsupported { signature: "i(.)", reason })
}

fn arithmetic_signature(arity: u8, kind: FloatKind) -> &'static str {
    let [float, double, long] = match arity {
        0 => ["f()", "d()", "D()"],
        1 => ["f(f)", "d(d)", "D(D)"],
        2 => ["f(ff)", "d(dd)", "D(DD)"],
        _ => ["f(fff)", "d(ddd)", "D(DDD)"],
    };
    by_kind(kind, [float, double, long])
}

fn by_kind(kind: FloatKind, of: [&'static str; 3]) -> &'static str {
    match kind {
        FloatKind::Float => of[0],
        FloatKind::Double => of[1],
        FloatKind::LongDouble => of[2],
    }
}

fn math_signature(function: Math, kind: FloatKind) -> &'static str {
    match function {
        Math::Fabs | Math::Sqrt | Math::Floor | Math::Ceil | Math::Trunc => arithmetic_signature(1, kind),
        Math::Round | Math::Roundeven | Math::Rint | Math::Logb => arithmetic_signature(1, kind),
        Math::Fmod | Math::Remainder | Math::Copysign | Math::Fmin | Math::Fmax => arithmetic_signature(2, kind),
        Math::Fdim | Math::Nextafter => arithmetic_signature(2, kind),
        Math::Fma => arithmetic_signature(3, kind),
        Math::Modf | Math::Frexp => by_kind(kind, ["f(fp)", "d(dp)", "D(Dp)"]),
        Math::Ldexp => by_kind(kind, ["f(fi)", "d(di)", "D(Di)"]),
        Math::Scalbln => by_kind(kind, ["f(fl)", "d(dl)", "D(Dl)"]),
        Math::Lround | Math::Lrint => by_kind(kind, ["l(f)", "l(d)", "l(D)"]),
        Math::Llround | Math::Llrint => by_kind(kind, ["L(f)", "L(d)", "L(D)"]),
        Math::Ilogb => by_kind(kind, ["i(f)", "i(d)", "i(D)"]),
        Math::Infinity => arithmetic_signature(0, kind),
        Math::Nan => by_kind(kind, ["f(s)", "d(s)", "D(s)"]),
    }
}

impl LibFn {
    /// A function that a system header declares and that is not modelled: poison, not nondeterministic.
    pub const UNMODELLED_SYSTEM_FUNCTION: LibFn =
        LibFn::Unsupported { signature: "i(.)", reason: "a function of a system library" };

    /// A function with the name of a library function that the program declares with another type: poison.
    pub const DECLARED_WITH_ANOTHER_TYPE: LibFn =
        LibFn::Unsupported { signature: "i(.)", reason: "a library function that is declared with another type" };

    /// Declared only, where calling such a function is not wanted.
    pub const WITHOUT_BODY: LibFn = LibFn::Unsupported { signature: "i(.)", reason: "a function without a body" };

    /// Result and parameters in the letters of the module's documentation. Two names of one meaning may be declared with different types
    /// (`__builtin_expect`, `__builtin_assume_aligned`): [`signature`] asks by name.
    pub fn signature(self) -> &'static str {
        match self {
            LibFn::Math(function, kind) => math_signature(function, kind),
            LibFn::Approximate(function, kind) => arithmetic_signature(function.arity() as u8, kind),
            LibFn::Zero { signature } | LibFn::Absent { signature } => signature,
            LibFn::Input { signature } | LibFn::Unsupported { signature, .. } => signature,
            function => TABLE.iter().find(|row| row.function == function).map_or("i(.)", |row| row.signature),
        }
    }

    /// Whether a call never comes back.
    pub fn ends_run(self) -> bool {
        matches!(self, LibFn::Exit | LibFn::Abort | LibFn::Unreachable)
    }
}

/// All names with what they mean, for the manual; of functions of `math.h`, the ones for `double`.
pub fn known_names() -> Vec<(&'static str, LibFn)> {
    let listed = TABLE.iter().flat_map(|row| row.names.iter().map(|name| (*name, row.function)));
    let in_c = IN_C.iter().map(|(name, _)| (*name, LibFn::InC));
    let unmodelled = UNMODELLED.iter().flat_map(|family| family.members());
    let exact = MATH.iter().map(|(name, math)| (*name, LibFn::Math(*math, FloatKind::Double)));
    let inexact = INEXACT.iter().flat_map(|(names, _)| names.iter().filter_map(|name| Some((*name, lookup(name)?))));
    let inexact = inexact.filter(|(_, function)| *function != LibFn::InC);
    listed.chain(in_c).chain(unmodelled).chain(exact).chain(inexact).collect()
}

/// The functions that are written in C, and their signatures.
pub fn written_in_c() -> &'static [(&'static str, &'static str)] {
    IN_C
}

/// The signature of a known function by its name.
pub fn signature(name: &str) -> Option<&'static str> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let row = TABLE.iter().find(|row| row.names.contains(&name) || row.names.contains(&plain));
    let in_c = || IN_C.iter().find(|(known, _)| *known == name || *known == plain).map(|(_, signature)| *signature);
    row.map(|row| row.signature).or_else(in_c).or_else(|| lookup(name).map(LibFn::signature))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_signatures_well_formed() {
        let mut seen = std::collections::BTreeSet::new();
        for (name, function) in UNMODELLED.iter().flat_map(|family| family.members()) {
            assert!(seen.insert(name), "{name} is listed twice");
            assert_eq!(lookup(name), Some(function));
        }
        for (name, _) in IN_C {
            assert!(seen.insert(*name), "{name} is listed twice");
            assert_eq!(lookup(name), Some(LibFn::InC));
        }
        for row in TABLE {
            for name in row.names {
                assert!(seen.insert(*name), "{name} is listed twice");
                assert_eq!(lookup(name), Some(row.function));
            }
            let (result, params) = row.signature.split_once('(').unwrap();
            assert!(result.len() == 1 && "viuhlLUzpsfdD".contains(result), "{}", row.signature);
            let params = params.strip_suffix(')').unwrap();
            let fixed = params.strip_suffix('.').unwrap_or(params);
            assert!(fixed.chars().all(|letter| "iuhlLUzpsfdD".contains(letter)), "{}", row.signature);
        }
    }

    #[test]
    fn variants_and_prefixes() {
        assert_eq!(lookup("__builtin_memcpy"), Some(LibFn::Memcpy));
        assert_eq!(lookup("fabsl"), Some(LibFn::Math(Math::Fabs, FloatKind::LongDouble)));
        assert_eq!(lookup("__builtin_fabsf"), Some(LibFn::Math(Math::Fabs, FloatKind::Float)));
        assert_eq!(lookup("modf"), Some(LibFn::Math(Math::Modf, FloatKind::Double)));
        assert_eq!(lookup("modff").unwrap().signature(), "f(fp)");
        assert_eq!(lookup("sinf"), Some(LibFn::InC));
        assert_eq!(lookup("__library_powf").unwrap().signature(), "f(ff)");
        assert!(matches!(lookup("sinl"), Some(LibFn::Unsupported { signature: "D(D)", .. })));
        assert!(matches!(lookup("tgamma"), Some(LibFn::Unsupported { signature: "d(d)", .. })));
        assert_eq!(lookup("__builtin_trap"), Some(LibFn::Abort));
        assert_eq!(lookup("__builtin_inff"), Some(LibFn::Math(Math::Infinity, FloatKind::Float)));
        assert!(matches!(lookup("pthread_create"), Some(LibFn::Unsupported { reason: "threads", .. })));
        assert_eq!(lookup("my_function"), None);
        assert_eq!(signature("__builtin_assume_aligned"), Some("p(pz.)"));
        assert_eq!(signature("__builtin_strlen"), Some("z(s)"));
    }
}

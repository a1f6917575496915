//! Functions of the C library and of POSIX that are known by name only. Calling one is poison: it writes memory, calls back, or changes
//! control in ways that are not modelled, or what it returns is not any number.

use super::LibFn;

/// Functions with one signature (see [`super`]) and one reason why they are not supported.
pub(super) struct Family {
    pub reason: &'static str,
    pub signature: &'static str,
    /// Separated by white space.
    pub names: &'static str,
}

impl Family {
    pub fn members(&self) -> impl Iterator<Item = (&'static str, LibFn)> + use<> {
        let function = LibFn::Unsupported { signature: self.signature, reason: self.reason };
        self.names.split_whitespace().map(move |name| (name, function))
    }
}

const fn family(reason: &'static str, signature: &'static str, names: &'static str) -> Family {
    Family { reason, signature, names }
}

pub(super) static UNMODELLED: &[Family] = &[
    family(
        "the floating-point environment",
        "i(i)",
        "fesetround feclearexcept fetestexcept feraiseexcept feenableexcept fedisableexcept",
    ),
    family("the floating-point environment", "i(p)", "fegetenv fesetenv feholdexcept feupdateenv"),
    family("the floating-point environment", "i(pi)", "fegetexceptflag fesetexceptflag"),
    family("callbacks from the library", "p(.)", "tsearch tfind twalk ftw nftw"),
    family("functions registered for exit", "i(p.)", "on_exit at_quick_exit __cxa_atexit"),
    family("non-local jumps", "i(p.)", "setjmp _setjmp __sigsetjmp sigsetjmp"),
    family("signals", "p(ip)", "sigset bsd_signal"),
    family("signals", "i(.)", "kill sigaction sigprocmask alarm pause sigsuspend"),
    family("variable argument lists", "i(isp)", "vdprintf"),
    family("files", "i(is.)", "dprintf"),
    family("files", "z(pzzp)", "fread_unlocked"),
    family("files", "l(ipz)", "recv pread readlink"),
    family("files", "s(s.)", "getcwd tmpnam ctermid getlogin"),
    family("files", "v(p)", "rewind"),
    family("files", "i(.)", "fseek fgetpos fsetpos fstat stat lstat pipe ioctl poll select"),
    family("files", "l(p)", "ftell"),
    family("files", "p(.)", "mmap sbrk"),
    family("files", "i(p.)", "munmap brk mprotect"),
    family("calendar time", "p(p.)", "localtime gmtime localtime_r gmtime_r asctime ctime"),
    family("calendar time", "l(p)", "mktime"),
    family("calendar time", "i(.)", "gettimeofday clock_gettime times getrusage nanosleep"),
    family("calendar time", "z(szsp)", "strftime"),
    family("structures returned by the library", "i(ii)", "div ldiv lldiv"),
    family("processes", "i(.)", "fork vfork clone wait waitpid"),
    family("processes", "i(s.)", "execl execv execve execvp execlp execle"),
    family("wide characters", "i(p.)", "wprintf swprintf fwprintf"),
    family("wide characters", "z(p.)", "mbstowcs wcstombs"),
    family(
        "wide characters",
        "i(.)",
        "mblen mbtowc mbrtowc mbrlen mbsinit mbsrtowcs mbrtoc16 mbrtoc32 c16rtomb c32rtomb wctomb wcrtomb wcsrtombs btowc wctob wcwidth wcsxfrm wcsftime wcstod wcstof wcstold fgetwc fgetws fputwc fputws getwc getwchar putwc putwchar ungetwc fwide wscanf swscanf fwscanf vwprintf vswprintf iswctype towctrans wctype wctrans",
    ),
    family("locales", "z(.)", "strxfrm localeconv nl_langinfo newlocale uselocale"),
    family("a string function", "p(.)", "strsignal strerror_r strfry memfrob a64l l64a ecvt fcvt gcvt ecvt_r fcvt_r"),
    family(
        "a function of the mathematical library",
        "d(.)",
        "remquo remquof remquol nexttoward nexttowardf nexttowardl nextup nextdown scalb",
    ),
    family(
        "a function of the mathematical library",
        "d(.)",
        "sincos sincosf sincosl lgamma_r lgammaf_r lgammal_r jn yn imaxdiv",
    ),
    family(
        "random state",
        "i(.)",
        "seed48 lcong48 initstate setstate random_r srandom_r getentropy getrandom arc4random",
    ),
    family(
        "calendar time",
        "i(.)",
        "timespec_get asctime_r ctime_r strptime timegm clock_getres clock_settime getitimer setitimer ftime utime utimes",
    ),
    family(
        "the operating system",
        "i(.)",
        "uname gethostname getdomainname getrlimit setrlimit getgroups getpwnam getpwuid getgrnam getgrgid sysconf pathconf \
         ptrace sysinfo sigemptyset sigfillset sigaddset sigdelset sigismember sigpending sigwait sigaltstack",
    ),
    family(
        "files",
        "p(.)",
        "pipe2 readv preadv writev statvfs fstatvfs mkdtemp mkstemp tempnam realpath opendir readdir readdir_r scandir glob \
         globfree fdatasync open_memstream fmemopen getw regcomp regexec regerror",
    ),
    family(
        "the network",
        "i(.)",
        "socketpair accept accept4 getsockopt getsockname getpeername recvfrom recvmsg sendmsg inet_pton inet_ntop inet_aton \
         inet_addr inet_ntoa getaddrinfo gethostbyname gethostbyaddr getnameinfo getservbyname",
    ),
    family("stack inspection", "p(u)", "__builtin_return_address __builtin_frame_address"),
    // What functions written in C call where they stop.
    family("this conversion of a format", "v()", "__library_conversion"),
    family("a format with a `$`", "v()", "__library_positions"),
    family("more functions registered for exit than 32", "v()", "__library_exits"),
    family("a failure to write that `ferror` or `fflush(NULL)` tells", "v()", "__library_failed_write"),
    family("more than one character put back", "v()", "__library_pushback"),
    family("a character right behind a number that is not decimal", "v()", "__library_after_number"),
    family("`errno` after a number in a text that is nearly zero", "v()", "__library_small_number"),
    family("a number in parentheses behind `nan`", "v()", "__library_numbered_nan"),
    family("a pointer as text", "v()", "__library_pointer_text"),
    family("`W;` among the options of `getopt_long`", "v()", "__library_long_option_by_letter"),
    family("environment", "i(s.)", "putenv setenv unsetenv"),
];

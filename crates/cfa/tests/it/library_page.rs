//! The page of the manual that lists the library functions is made from the table of them.

use cfa::library::{Approximate, LibFn, Math, known_names};
use std::collections::BTreeMap;
use testkit::project::root;

/// What is to be said of a function written in C besides that its results are those of C.
const NOTES: &[(&str, &str)] = &[
    ("qsort", "a stable insertion sort, so equal elements keep their order (C leaves it open)"),
    ("bsearch", "the element that halving finds first, as glibc does"),
    ("strerror", "the texts of glibc"),
    ("getenv", "not set, or any string of up to 131071 bytes; the same for the same name"),
    ("secure_getenv", "as `getenv`"),
    (
        "signal",
        "handlers are called by `raise` only; with a handler nothing is proved, since signals may come from outside",
    ),
    ("raise", "calls the handler, or ends the run"),
    ("atexit", "called by `exit` and when `main` returns; more than 32 are not supported"),
    ("fopen", "fails or succeeds, as an input says; contents of files are inputs"),
    ("fclose", "succeeds; using the stream afterwards is a fault"),
    ("ferror", FERROR),
    ("ferror_unlocked", FERROR),
    ("fflush", FFLUSH),
    ("fflush_unlocked", FFLUSH),
    ("read", "fails, or gives as many bytes as an input says"),
    ("ungetc", "one character at a time"),
    ("asprintf", "fails only where allocation does"),
    ("vasprintf", "fails only where allocation does"),
    ("strtod", DECIMAL),
    ("atof", DECIMAL),
    (
        "strtof",
        "numbers of more than 7 digits, with powers of ten beyond 10, or hexadecimal only where the text is known",
    ),
    ("longjmp", "as `setjmp`"),
    ("_longjmp", "as `setjmp`"),
    ("siglongjmp", "as `setjmp`; masks of signals are not modelled"),
    ("qsort_r", "as `qsort`"),
    ("drand48", "an input from 0 to 1: a multiple of 2 to the power of -48"),
    ("getopt", "as glibc; whether `POSIXLY_CORRECT` is set is an input; messages are not written"),
    ("getopt_long", "as `getopt`; `W;` is not supported"),
    ("getopt_long_only", "as `getopt_long`"),
];

const DECIMAL: &str =
    "numbers of more than 15 digits, with powers of ten beyond 22, or hexadecimal only where the text is known";
const FERROR: &str = "what reading did; with `--output-may-fail` also what `fflush` did, and a failure of another function that writes is not supported";
const FFLUSH: &str = "succeeds; with `--output-may-fail`, a failure of `fflush(NULL)` is not supported";

/// Functions that are not called, but are other edges of the program.
const IN_FRONTEND: &[(&[&str], &str)] = &[
    (
        &["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"],
        "exact where it is called by its name; automatic variables that are not volatile and changed before `longjmp` have no value, of \
         aggregates and floating-point numbers nothing is proved then; a jump to a function that has returned is a fault; variable-length \
         arrays in the function, and jumps to an earlier call of the same `setjmp`, are not supported",
    ),
    (&["div", "ldiv", "lldiv", "imaxdiv"], "exact where it is called by its name"),
];

const APPROXIMATE: &str = "near the true value: in a run what the system's library returns; a proof holds for all results that differ from it by up \
     to 8 units in the last place if the arguments are known, otherwise for all results with the right sign and range; for `long double` not \
     supported; with `errno` not supported";

/// Functions that take formats.
const PRINT: &str =
    "integers, characters and strings exact; floating-point numbers only where they are known; `%p` is not supported";
const SCAN: &str = "as glibc: numbers that do not fit are cut; from a string, floating-point numbers as `strtod` reads them, without `inf`, `nan` and incomplete exponents";

fn in_c(name: &str) -> String {
    if let Some((_, note)) = NOTES.iter().find(|(known, _)| *known == name) {
        return format!("exact: {note}");
    }
    match name {
        _ if name.ends_with("printf") => format!("exact: {PRINT}"),
        _ if name.ends_with("scanf") => format!("exact: {SCAN}"),
        _ => "exact".to_string(),
    }
}

fn exactness(name: &str, function: LibFn) -> String {
    if let Some((_, text)) = IN_FRONTEND.iter().find(|(names, _)| names.contains(&name)) {
        return text.to_string();
    }
    match function {
        LibFn::InC if Approximate::NAMES.contains(&name) => APPROXIMATE.into(),
        LibFn::InC => in_c(name),
        LibFn::Zero { .. } => "nothing happens; zero if there is a result".into(),
        LibFn::Absent { .. } => "nothing happens and zero comes back; nothing is proved about any other result".into(),
        LibFn::Input { .. } | LibFn::Time => "the result is an input".into(),
        LibFn::Rand => "an input from 0 to 2147483647".into(),
        LibFn::Unsupported { reason, .. } => format!("not supported: {reason}"),
        LibFn::Malloc | LibFn::Calloc | LibFn::AlignedAlloc | LibFn::Realloc | LibFn::ReallocArray => {
            "exact; succeeds unless the size is impossible".into()
        }
        LibFn::Strtod(_) => "exact where the text is known, otherwise not supported".into(),
        LibFn::Math(Math::Nextafter | Math::Modf | Math::Frexp | Math::Ldexp | Math::Scalbln, _)
        | LibFn::Math(Math::Ilogb | Math::Logb | Math::Nan, _) => {
            "exact where the arguments are known, otherwise not supported".into()
        }
        LibFn::Printf | LibFn::Fprintf => {
            "checks what it reads; its result is the length, of numbers where they are printed in decimal without flags"
                .into()
        }
        _ => "exact".into(),
    }
}

#[test]
fn the_manual_lists_the_library() {
    let mut page = String::from(
        "# The C library\n\n\
        What calling a function of the C library means, if the program does not define it. Exact is said of what C or, where C leaves it open, \
        glibc on x86-64 gives. Characters that are read are inputs, and so is whether reading fails. With `--malloc-may-fail` every function that allocates may fail, with `--output-may-fail` every function that writes, as inputs say. Using a null or closed `FILE *` is a fault. Of the functions of `math.h`, \
        those for `float` and `long double` are as those for `double`. Anything else that a system header declares is not supported.\n\n\
        | function | how exact |\n|---|---|\n",
    );
    let mut rows: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (name, function) in known_names() {
        if !name.starts_with("__library_") {
            rows.entry(exactness(name, function)).or_default().push(name);
        }
    }
    let mut lines: Vec<(Vec<&str>, String)> = rows.into_iter().map(|(text, names)| (names, text)).collect();
    lines.iter_mut().for_each(|(names, _)| names.sort_unstable());
    lines.sort_by_key(|(names, text)| (text.starts_with("not supported"), names[0]));
    for (names, text) in lines {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        page.push_str(&format!("| {} | {text} |\n", names.join(" ")));
    }
    let path = root().join("docs/guide/src/library.md");
    if std::env::var_os("WHYDUNIT_BLESS").is_some() {
        std::fs::write(&path, &page).expect("the manual can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, page, "WHYDUNIT_BLESS=1 writes the page anew");
}

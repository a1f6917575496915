//! What helps where the answer is unknown because a run can come to what is not modelled: by the words that name the construct.

/// Words that a construct is named by, and what to do about it; the first entry that fits counts.
const HELP: &[(&[&str], &str)] = &[
    // Functions.
    (
        &["memory that the undefined function"],
        "define the function in a file of yours and give that file too; if it writes nothing that matters here, say --undefined-functions pure",
    ),
    (
        &[
            "(a function without a body)",
            "(a library function that is declared",
            "library function declared with another type",
        ],
        "define the function in a file of yours and give that file too",
    ),
    (&["(threads)"], "verify what one thread does: start at its function with --entry"),
    (
        &["longjmp", "setjmp", "(non-local jumps)"],
        "start behind it with --entry, or return error codes instead of jumping",
    ),
    (
        &["with arguments like these", "in a format", "conversion of a format", "the end of a list of arguments"],
        "write the call with arguments that are known when it is compiled, or define a function of yours in its place: its definition goes before the model",
    ),
    (
        &["struct passed to a library function", "struct returned by a library function"],
        "define the function in a file of yours and give that file too",
    ),
    // Sizes and lengths.
    (
        &["allocation in a loop that is not unwound", "allocation in a recursive function"],
        "leaks are looked for where loops and recursion end within a bound: bound them, with __VERIFIER_assume or --assume",
    ),
    (
        &["allocation of too many bytes", "reachability of that much allocated memory"],
        "bound the size before the allocation, with __VERIFIER_assume or --assume",
    ),
    (
        &["very large allocation", "the command line"],
        "bound sizes of allocations with __VERIFIER_assume, give variables values before they are read, and test `argc` and lengths before arguments are used",
    ),
    (
        &[
            "copy of a large struct",
            "copy of a large array",
            "array of more than a million elements",
            "more than two million operations",
        ],
        "make the array smaller for the verification, as by a macro and -D",
    ),
    // Memory and numbers.
    (
        &["pointer from outside the program"],
        "--entry-arrays gives pointers among the parameters arrays, --entry-depth builds structures",
    ),
    (
        &["record parameter of the entry function", "parameters of main that are not"],
        "start with --entry at a function of yours that calls it with what it needs",
    ),
    (
        &["used as an address", "at a fixed address", "a bit-field or a structure in a register"],
        "--mmio FIRST..LAST says which addresses are hardware registers, read and written as whole numbers through pointers to what is volatile; elsewhere use pointers to objects",
    ),
    (
        &[
            "number of an address",
            "a number that may be an address",
            "held only as a number",
            "address of a distant place",
            "address as a number",
            "number as address",
            "addresses of objects",
            "pointers into different objects",
        ],
        "keep pointers in pointers, and compare and subtract them within one object only",
    ),
    (
        &["conversion of a float to an integer"],
        "test before the conversion that the number fits: otherwise C does not say what comes out",
    ),
    (
        &["memory access across the members", "memory access that no layout fits", "bits that belong to no value"],
        "copy members one by one, or use memcpy for whole objects",
    ),
    // Texts that only a compiler for the target understands.
    (
        &["inline assembly"],
        "put a function without a body in its place: its result is an input, and --undefined-functions says what it may write",
    ),
    (
        &["whose size is not known", "declared elsewhere", "weak symbol", "attribute `alias`"],
        "give the file that defines it too",
    ),
    (
        &["attribute `constructor`", "attribute `destructor`", "attribute `cleanup`", "registered for exit"],
        "call the function where it would run",
    ),
    (&["variable-length array"], "give the array a constant size that is large enough"),
    // Structured Text.
    (
        &["body in another language", "sequential function chart"],
        "export the block as Structured Text, or start at another block with --entry",
    ),
    (&["system time"], "pass the time as an input: --cycle-time says how long a cycle takes"),
];

const FUNCTION: &str = "a definition of the function in a file of yours goes before the model: give that file too";
const ANYTHING: &str = "write it in another way, put a function without a body in its place (its result is an input), or start behind it \
     with --entry; `whydunit check` lists all such places";

/// What to do about a construct that is not supported.
pub(crate) fn help(construct: &str) -> &'static str {
    let known = HELP.iter().find(|(words, _)| words.iter().any(|word| construct.contains(word)));
    match known {
        Some((_, help)) => help,
        // Functions are named with what they are about: `getrandom` (random state).
        None if construct.starts_with('`') && construct.ends_with(')') => FUNCTION,
        None if construct.starts_with("library function") => FUNCTION,
        None => ANYTHING,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_is_about_the_construct() {
        assert!(help("memory that the undefined function `init` may write").contains("--undefined-functions pure"));
        assert!(help("`pthread_create` (threads)").contains("--entry"));
        assert!(help("allocation of too many bytes").contains("bound the size"));
        assert!(help("an arbitrary number that is used as an address").contains("--mmio"));
        assert!(help("library function `strtod` with arguments like these").contains("arguments that are known"));
        assert_eq!(help("`getrandom` (random state)"), FUNCTION);
        assert_eq!(help("complex number"), ANYTHING);
    }

    #[test]
    fn what_is_said_can_be_typed() {
        // Each option that is named exists: `whydunit` itself is tested with them in golden programs.
        let known = [
            "--undefined-functions",
            "--entry",
            "--entry-arrays",
            "--entry-depth",
            "--mmio",
            "--assume",
            "--cycle-time",
            "--",
            "-D",
        ];
        for (_, help) in HELP {
            for word in help.split(|letter: char| !(letter.is_alphanumeric() || letter == '-')) {
                assert!(!word.starts_with("--") || known.contains(&word), "{word}");
            }
        }
    }
}

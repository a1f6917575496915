//! What a C text wants of the preprocessor, before one is run.

/// Whether a text has directives, or words that the preprocessor replaces.
pub fn is_needed(text: &[u8]) -> bool {
    has_directives(text) || mentions_predefined_macro(text)
}

/// Whether comments say something that the program means.
pub fn keeps_comments(text: &[u8]) -> bool {
    contains(text, b"//@") || contains(text, b"/*@")
}

/// Whether it has a directive other than line markers and pragmas.
fn has_directives(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').any(|line| {
        let line = line.trim_ascii_start();
        let Some(rest) = line.strip_prefix(b"#") else { return false };
        let rest = rest.trim_ascii_start();
        let marker = rest.first().is_none_or(u8::is_ascii_digit);
        !marker && !rest.starts_with(b"line") && !rest.starts_with(b"pragma") && !rest.starts_with(b"ident")
    })
}

/// Whether a text has a word that gcc's preprocessor replaces without any definition, such as `__INT_MAX__` or `__LINE__`.
fn mentions_predefined_macro(text: &[u8]) -> bool {
    const OTHERS: [&[u8]; 16] = [
        b"linux",
        b"unix",
        b"i386",
        b"_LP64",
        b"__linux",
        b"__linux__",
        b"__gnu_linux__",
        b"__unix",
        b"__unix__",
        b"__i386",
        b"__i386__",
        b"__x86_64",
        b"__x86_64__",
        b"__amd64",
        b"__amd64__",
        b"__k8__",
    ];
    // Names of objects, not macros.
    const FUNCTION_NAMES: [&[u8]; 2] = [b"__FUNCTION__", b"__PRETTY_FUNCTION__"];
    text.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_')).any(|word| {
        let reserved = word.len() > 4 && word.starts_with(b"__") && word.ends_with(b"__");
        let upper = word.iter().any(u8::is_ascii_uppercase) && !word.iter().any(u8::is_ascii_lowercase);
        OTHERS.contains(&word) || (reserved && upper && !FUNCTION_NAMES.contains(&word))
    })
}

fn contains(text: &[u8], needle: &[u8]) -> bool {
    text.windows(needle.len()).any(|window| window == needle)
}

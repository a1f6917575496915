//! Paths as references of RFC 3986, for formats that name files so.

/// Relative to where the command ran, or with `file://`.
pub fn of_path(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(byte.into()),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// The path that a `file:` reference names.
pub fn to_path(uri: &str) -> Option<String> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = Vec::new();
    let mut letters = rest.bytes();
    while let Some(letter) = letters.next() {
        if letter != b'%' {
            bytes.push(letter);
            continue;
        }
        let digits = [letters.next()?, letters.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_references_and_back() {
        assert_eq!(of_path("a dir/x:1%\"ü.c"), "a%20dir/x%3A1%25%22%C3%BC.c");
        for path in ["/tmp/x.c", "/a dir/ü%.c"] {
            assert_eq!(to_path(&of_path(path)).as_deref(), Some(path));
        }
        assert_eq!(to_path("https://x/y.c"), None);
        assert_eq!(to_path("file:///broken%4"), None);
    }
}

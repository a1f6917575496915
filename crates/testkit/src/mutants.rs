//! Programs with one operator or constant changed: most of them violate what the original keeps.

/// Operators that take each other's place, the longest first.
const OPERATORS: &[(&str, &[&str])] = &[
    (" << ", &[" >> "]),
    (" <= ", &[" < ", " >= "]),
    (" >= ", &[" > ", " <= "]),
    (" == ", &[" != ", " >= "]),
    (" != ", &[" == ", " < "]),
    (" && ", &[" || "]),
    (" || ", &[" && "]),
    (" += ", &[" -= "]),
    (" -= ", &[" += "]),
    (" < ", &[" <= ", " != "]),
    (" > ", &[" >= ", " != "]),
    (" + ", &[" - "]),
    (" - ", &[" + "]),
    ("++", &["--"]),
    ("--", &["++"]),
];

/// All programs that differ from a text, in which spaces are around binary operators, by one operator or one decimal number. Numbers in names stay.
pub fn mutants(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut change = |at: usize, length: usize, by: &str| {
        found.push(format!("{}{by}{}", &text[..at], &text[at + length..]));
    };
    for (old, others) in OPERATORS {
        for (at, _) in text.match_indices(old) {
            others.iter().for_each(|other| change(at, old.len(), other));
        }
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        if let Ok(number) = text[at..at + length].parse::<u32>() {
            [number + 1, number.wrapping_sub(1), 0]
                .iter()
                .filter(|other| **other != number && **other != u32::MAX)
                .for_each(|other| change(at, length, &other.to_string()));
        }
        at += length.max(1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::mutants;

    #[test]
    fn one_thing_is_changed() {
        let all = mutants("x1 = y + 10; if (x1 < 0) z++;");
        let expected = [
            "x1 = y + 10; if (x1 <= 0) z++;",
            "x1 = y + 10; if (x1 != 0) z++;",
            "x1 = y - 10; if (x1 < 0) z++;",
            "x1 = y + 10; if (x1 < 0) z--;",
            "x1 = y + 11; if (x1 < 0) z++;",
            "x1 = y + 9; if (x1 < 0) z++;",
            "x1 = y + 0; if (x1 < 0) z++;",
            "x1 = y + 10; if (x1 < 1) z++;",
        ];
        assert_eq!(all, expected);
    }
}

//! Mutants: programs with one operator or constant changed.

/// Texts with one operator or constant changed, and the line that was. Comments and directives stay.
pub fn mutations(text: &str) -> Vec<(u64, String)> {
    const OPERATORS: [(&str, &[&str]); 14] = [
        (" <= ", &[" < ", " > "]),
        (" >= ", &[" > ", " < "]),
        (" < ", &[" <= ", " > "]),
        (" > ", &[" >= ", " < "]),
        (" == ", &[" != "]),
        (" != ", &[" == "]),
        (" && ", &[" || "]),
        (" || ", &[" && "]),
        (" + ", &[" - "]),
        (" - ", &[" + "]),
        (" * ", &[" + "]),
        (" += ", &[" -= ", " = "]),
        ("++", &["--"]),
        (" = 0;", &[" = 1;"]),
    ];
    let mut found = Vec::new();
    let mut before = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let code = line.split("//").next().unwrap_or("");
        let mut put = |at: usize, old: &str, new: &str| {
            let from = before + at;
            let mutated = format!("{}{new}{}", &text[..from], &text[from + old.len()..]);
            found.push((number as u64 + 1, mutated));
        };
        if !line.trim_start().starts_with('#') {
            for (old, others) in OPERATORS {
                for (at, _) in code.match_indices(old) {
                    others.iter().for_each(|new| put(at, old, new));
                }
            }
            // Constants, but not in texts.
            if !code.contains('"') && !code.contains('\'') {
                for digit in ["1", "2", "3", "9"] {
                    for (at, _) in code.match_indices(digit) {
                        let beside = |at: usize| {
                            code.as_bytes()
                                .get(at)
                                .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'.')
                        };
                        if !(beside(at + 1) || at > 0 && beside(at - 1)) {
                            let value: u32 = digit.parse().unwrap_or(0);
                            put(at, digit, &(value + 1).to_string());
                            put(at, digit, &(value - 1).to_string());
                        }
                    }
                }
            }
        }
        before += line.len();
    }
    found
}

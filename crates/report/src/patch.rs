//! What a unified diff replaces, for editors and code-scanning services that apply an edit by its place.

/// Lines of a file, and the text that stands in their place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement {
    pub file: String,
    /// The first line that goes away, from 1; of an insertion, the line that it stands before.
    pub first_line: u32,
    pub removed: u32,
    /// Whole lines, each with its line end.
    pub text: String,
}

/// The replacements of a diff in the order of the file. Lines that are not part of a hunk do not count.
pub fn replacements(diff: &str) -> Vec<Replacement> {
    let mut found: Vec<Replacement> = Vec::new();
    let mut file = String::new();
    let mut line = 0;
    // Lines of the old and the new text that the hunk still has.
    let mut rest = (0, 0);
    let mut open = false;
    for text in diff.lines() {
        if rest == (0, 0) {
            open = false;
            if let Some(name) = text.strip_prefix("--- ") {
                let name = name.split('\t').next().unwrap_or(name);
                file = name.strip_prefix("a/").unwrap_or(name).to_string();
            } else if let Some((old, new)) = hunk(text) {
                // A hunk without old lines names the line before it.
                line = if old.1 == 0 { old.0 + 1 } else { old.0 };
                rest = (old.1, new.1);
            }
            continue;
        }
        let (kind, content) = text.split_at_checked(1).unwrap_or((" ", ""));
        if !matches!(kind, "-" | "+") {
            open = false;
            if kind != "\\" {
                line += 1;
                rest = (rest.0.saturating_sub(1), rest.1.saturating_sub(1));
            }
            continue;
        }
        if !open {
            found.push(Replacement { file: file.clone(), first_line: line, removed: 0, text: String::new() });
            open = true;
        }
        let Some(last) = found.last_mut() else { continue };
        if kind == "-" {
            last.removed += 1;
            line += 1;
            rest.0 = rest.0.saturating_sub(1);
        } else {
            last.text.push_str(content);
            last.text.push('\n');
            rest.1 = rest.1.saturating_sub(1);
        }
    }
    found
}

type Lines = (u32, u32);

/// `@@ -first,count +first,count @@`; a count of 1 may be left out.
fn hunk(text: &str) -> Option<(Lines, Lines)> {
    let mut words = text.strip_prefix("@@ ")?.split(' ');
    let mut lines = |sign: char| {
        let word = words.next()?.strip_prefix(sign)?;
        let (first, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((first.parse().ok()?, count.parse().ok()?))
    };
    Some((lines('-')?, lines('+')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_insertions_and_deletions_are_found() {
        let diff = "--- a/dir/x.c\n+++ b/dir/x.c\n@@ -2,4 +2,4 @@\n a\n-b\n+B\n c\n-- d\n+++ e\n@@ -9,0 +10,2 @@\n+one\n+two\n@@ -20 +22,0 @@\n-gone\n";
        let expected = [(3, 1, "B\n"), (5, 1, "++ e\n"), (10, 0, "one\ntwo\n"), (20, 1, "")];
        let found = replacements(diff);
        assert!(found.iter().all(|one| one.file == "dir/x.c"));
        let short: Vec<_> = found.iter().map(|one| (one.first_line, one.removed, one.text.as_str())).collect();
        assert_eq!(short, expected);
    }

    #[test]
    fn applying_the_replacements_gives_what_patch_gives() {
        let old = "int f(void)\n{\n    return 1;\n}\n";
        let diff = "--- a/f.c\n+++ b/f.c\n@@ -1,4 +1,5 @@\n int f(void)\n {\n-    return 1;\n+    int x = 2;\n+    return x;\n }\n";
        let [one] = replacements(diff).try_into().expect("one place");
        let Replacement { first_line, removed, text, .. } = one;
        let lines: Vec<&str> = old.lines().collect();
        let (before, after) = (first_line as usize - 1, (first_line - 1 + removed) as usize);
        let new = format!("{}\n{text}{}\n", lines[..before].join("\n"), lines[after..].join("\n"));
        assert_eq!(new, "int f(void)\n{\n    int x = 2;\n    return x;\n}\n");
    }
}

//! Places: lines and columns from 1 in characters, as reports have them, and from 0 in UTF-16 units, as the protocol has them.

use lsp_types::{Position, Range, Uri};
use report::uri;

pub fn path_of(uri: &Uri) -> Option<String> {
    uri::to_path(uri.as_str())
}

pub fn uri_of(path: &str) -> Option<Uri> {
    let path = std::path::absolute(path).ok()?;
    uri::of_path(path.to_str()?).parse().ok()
}

/// The place in a file, up to the end of the word or operator there.
pub fn range(file: &str, line: u32, column: u32) -> Range {
    let text = std::fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let text = text.lines().nth(line.saturating_sub(1) as usize).unwrap_or("");
    let before: String = text.chars().take(column.saturating_sub(1) as usize).collect();
    let start = before.encode_utf16().count();
    let rest = text[before.len().min(text.len())..].trim_end();
    let end = start + rest.encode_utf16().count().max(1);
    let position = |character: usize| Position { line: line.saturating_sub(1), character: character as u32 };
    Range { start: position(start), end: position(end) }
}

/// The beginning of a line.
pub fn line_range(line: u32) -> Range {
    let start = Position { line: line.saturating_sub(1), character: 0 };
    Range { start, end: start }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_utf_16() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ü x.c");
        std::fs::write(&path, "int a;\n  /* 𝄞ü */ assert(a);  \n").expect("written");
        let file = path.to_str().expect("text");
        let found = range(file, 2, 12);
        assert_eq!((found.start.line, found.start.character, found.end.character), (1, 12, 22));
        let uri = uri_of(file).expect("a reference");
        assert_eq!(path_of(&uri).as_deref(), Some(file));
    }
}

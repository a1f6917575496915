//! The texts that were read, and the way from a byte position back to what the user wrote.
//!
//! Two kinds of position matter. The *physical* one is in the text that was parsed. The *original* one is what line markers
//! (`# 12 "a.c"`) say: for a preprocessed text it names the file and line the user edits. The preprocessor keeps lines but not columns;
//! when the original text is in the map too, [`SourceMap::locate`] finds the column again by aligning the tokens of the two lines.
//! Everything here is computed on demand: parsing a file only stores its bytes.

use crate::Span;
use crate::align::{self, Alignment};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

crate::define_id!(
    /// A file of the source map.
    FileId,
    "f"
);

/// From `position` (start of the line after a marker) on, lines are numbered from `line` of the file `name`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineMark {
    pub position: u32,
    pub line: u32,
    pub name: String,
    /// The marker says that this is a system header.
    pub system: bool,
}

struct SourceFile {
    name: String,
    text: Vec<u8>,
    /// Global position of the first byte.
    base: u32,
    marks: Vec<LineMark>,
    line_starts: OnceLock<Vec<u32>>,
    /// Files that some marker names without calling it a system header.
    own_names: OnceLock<FxHashSet<String>>,
}

/// A place as people name it: lines and columns count from 1, columns count characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Location {
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// Byte offset in that file, where its text is known.
    pub offset: Option<u32>,
}

#[derive(Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    /// Lines that were aligned, by the position of their start.
    alignments: Mutex<FxHashMap<u32, Arc<Option<Alignment>>>>,
}

impl SourceMap {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text. Fails when all texts together pass 4 GiB, the reach of a [`Span`].
    pub fn add(&mut self, name: impl Into<String>, text: Vec<u8>) -> Option<FileId> {
        // One spare position between files keeps an end-of-file span inside its own file.
        let base = self.files.last().map_or(1, |file| file.base as u64 + file.text.len() as u64 + 1);
        if base + text.len() as u64 >= u32::MAX as u64 {
            return None;
        }
        let id = FileId(self.files.len() as u32);
        self.files.push(SourceFile {
            name: name.into(),
            text,
            base: base as u32,
            marks: Vec::new(),
            line_starts: OnceLock::new(),
            own_names: OnceLock::new(),
        });
        Some(id)
    }

    /// Records the line markers of a text, in ascending order of position.
    pub fn set_marks(&mut self, file: FileId, marks: Vec<LineMark>) {
        let file = &mut self.files[file.0 as usize];
        (file.marks, file.own_names) = (marks, OnceLock::new());
    }

    pub fn file_ids(&self) -> impl Iterator<Item = FileId> + use<> {
        (0..self.files.len() as u32).map(FileId)
    }

    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].name
    }

    pub fn text(&self, file: FileId) -> &[u8] {
        &self.files[file.0 as usize].text
    }

    /// Global position of the first byte of a file.
    pub fn base(&self, file: FileId) -> u32 {
        self.files[file.0 as usize].base
    }

    pub fn file_at(&self, position: u32) -> Option<FileId> {
        if position == 0 {
            return None;
        }
        let index = self.files.partition_point(|file| file.base <= position).checked_sub(1)?;
        let file = &self.files[index];
        (position - file.base <= file.text.len() as u32).then_some(FileId(index as u32))
    }

    /// The bytes of a span; empty when it lies in no file.
    pub fn bytes(&self, span: Span) -> &[u8] {
        let Some(file) = self.file_at(span.lo) else { return &[] };
        let file = &self.files[file.0 as usize];
        let lo = (span.lo - file.base) as usize;
        let hi = ((span.hi - file.base) as usize).min(file.text.len());
        file.text.get(lo..hi).unwrap_or(&[])
    }

    pub fn snippet(&self, span: Span) -> Cow<'_, str> {
        String::from_utf8_lossy(self.bytes(span))
    }

    /// Line and column in the text that was read.
    pub fn physical(&self, position: u32) -> Option<Location> {
        let file = &self.files[self.file_at(position)?.0 as usize];
        let offset = position - file.base;
        let line = file.line_of(offset);
        let start = file.line_starts()[line];
        Some(Location {
            file: file.name.clone(),
            line: line as u32 + 1,
            column: characters(&file.text[start as usize..offset as usize]) + 1,
            offset: Some(offset),
        })
    }

    /// Whether the text at a position comes from a system header, also as the text of a macro that is used elsewhere.
    pub fn is_system_text(&self, position: u32) -> bool {
        let Some(file) = self.file_at(position) else { return false };
        self.files[file.0 as usize].mark_before(position).is_some_and(|mark| mark.system)
    }

    /// Whether a position lies in a system header, according to line markers. The text of a header's macro lies where the macro is used.
    pub fn is_in_system_header(&self, position: u32) -> bool {
        let Some(file) = self.file_at(position) else { return false };
        let file = &self.files[file.0 as usize];
        file.mark_before(position).is_some_and(|mark| mark.system && !file.own_names().contains(&mark.name))
    }

    /// File, line and column of the original text, through line markers.
    pub fn locate(&self, position: u32) -> Option<Location> {
        self.located(position, Side::First)
    }

    /// The same for the last character of something: where a macro of a system header made it, the use of the macro ends there.
    pub fn locate_last(&self, position: u32) -> Option<Location> {
        self.located(position, Side::Last)
    }

    fn located(&self, position: u32, side: Side) -> Option<Location> {
        let physical = self.physical(position)?;
        let file = &self.files[self.file_at(position)?.0 as usize];
        let Some(mark) = file.mark_before(position) else { return Some(physical) };
        let marked_line = file.line_of(mark.position - file.base) as u32 + 1;
        let line = mark.line + (physical.line - marked_line);
        let mut location = Location { file: mark.name.clone(), line, column: physical.column, offset: None };
        if let Some(original) = self.original(&mark.name)
            && let Some(text) = original.line(line as usize - 1)
        {
            let start = original.line_starts()[line as usize - 1];
            let read = file.line(physical.line as usize - 1).unwrap_or(&[]);
            let start_of_line = file.line_starts()[physical.line as usize - 1];
            let byte = (position - file.base - start_of_line) as usize;
            let found = match file.split(position).filter(|split| split.column <= text.len()) {
                Some(Split { column, system: true }) if side == Side::Last => align::end_of_use(text, column),
                Some(Split { column, system: true }) => column,
                split => {
                    let from = split.map_or(0, |split| split.column);
                    let place = self.alignment(file.base + start_of_line, read, &text[from..]);
                    let same = byte.min(text.len());
                    place.as_ref().as_ref().map_or(same, |alignment| from + alignment.place(byte))
                }
            };
            location.column = characters(&text[..found]) + 1;
            location.offset = Some(start + found as u32);
        }
        Some(location)
    }

    /// The text of a line (from 1) of an original file, when that file is in the map.
    pub fn original_line(&self, location: &Location) -> Option<Cow<'_, str>> {
        let line = self.original(&location.file)?.line((location.line as usize).checked_sub(1)?)?;
        Some(String::from_utf8_lossy(line))
    }

    /// Where a line (from 1) of an original file begins in it, when that file is in the map.
    pub fn original_offset(&self, location: &Location) -> Option<u32> {
        self.original(&location.file)?.line_starts().get((location.line as usize).checked_sub(1)?).copied()
    }

    /// The text of the line, as it was read, that holds a position.
    pub fn physical_line(&self, position: u32) -> Option<Cow<'_, str>> {
        let file = &self.files[self.file_at(position)?.0 as usize];
        Some(String::from_utf8_lossy(file.line(file.line_of(position - file.base))?))
    }

    /// How a line that starts at a position came from the original one.
    fn alignment(&self, start: u32, read: &[u8], original: &[u8]) -> Arc<Option<Alignment>> {
        let mut known = self.alignments.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(start).or_insert_with(|| Arc::new(Alignment::new(read, original))).clone()
    }

    fn original(&self, name: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.name == name && file.marks.is_empty())
    }
}

/// Files that some marker names without calling it a system header: markers around the text of a header's macro do.
pub fn own_names(marks: &[LineMark]) -> impl Iterator<Item = &str> {
    marks.iter().filter(|mark| !mark.system).map(|mark| mark.name.as_str())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    First,
    Last,
}

/// A part of an original line that stands on a line of its own behind a marker.
struct Split {
    /// Where its first token is in the original line, or the use of the macro that it came from.
    column: usize,
    /// It is the text of a macro of a system header.
    system: bool,
}

impl SourceFile {
    /// gcc splits a line around the text of macros of system headers, and pads each part to the column where it begins: one space less than that.
    fn split(&self, position: u32) -> Option<Split> {
        let index = self.marks.partition_point(|mark| mark.position <= position).checked_sub(1)?;
        let (mark, before) = (&self.marks[index], self.marks.get(index.checked_sub(1)?)?);
        let line = self.line_of(position - self.base);
        let first = self.line_of(before.position - self.base);
        let last = line.checked_sub(2).filter(|last| *last >= first)?;
        let follows = self.line_of(mark.position - self.base) == line
            && before.name == mark.name
            && before.line as usize + last - first == mark.line as usize;
        let padding = self.line(line)?.iter().take_while(|byte| **byte == b' ').count();
        follows.then_some(Split { column: if padding == 0 { 0 } else { padding + 1 }, system: mark.system })
    }

    fn own_names(&self) -> &FxHashSet<String> {
        self.own_names.get_or_init(|| own_names(&self.marks).map(str::to_string).collect())
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let newlines = self.text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            std::iter::once(0).chain(newlines.map(|(index, _)| index as u32 + 1)).collect()
        })
    }

    /// Index (from 0) of the line that holds a byte offset.
    fn line_of(&self, offset: u32) -> usize {
        self.line_starts().partition_point(|start| *start <= offset) - 1
    }

    /// The last line marker before a global position.
    fn mark_before(&self, position: u32) -> Option<&LineMark> {
        self.marks[..self.marks.partition_point(|mark| mark.position <= position)].last()
    }

    fn line(&self, index: usize) -> Option<&[u8]> {
        let starts = self.line_starts();
        let start = *starts.get(index)? as usize;
        let end = starts.get(index + 1).map_or(self.text.len(), |next| *next as usize - 1);
        Some(&self.text[start..end])
    }
}

fn characters(bytes: &[u8]) -> u32 {
    String::from_utf8_lossy(bytes).chars().count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_without_markers_are_physical() {
        let mut map = SourceMap::new();
        map.add("first.c", b"x\n".to_vec()).unwrap();
        let file = map.add("a.c", "int x;\n  /* \u{e9} */ y;\n".as_bytes().to_vec()).unwrap();
        let at = map.base(file) + 18;
        let location = map.locate(at).unwrap();
        assert_eq!((location.file.as_str(), location.line, location.column), ("a.c", 2, 11));
        assert_eq!(location.offset, Some(18));
    }

    #[test]
    fn markers_lead_back_to_the_original_column() {
        let mut map = SourceMap::new();
        map.add("a.c", b"#define TWICE(x) ((x)+(x))\nint f(void) {\n  return  TWICE(3)  + g;\n}\n".to_vec()).unwrap();
        let read = b"# 1 \"a.c\"\n\nint f(void) {\n  return ((3)+(3)) + g;\n}\n";
        let file = map.add("a.i", read.to_vec()).unwrap();
        let base = map.base(file);
        map.set_marks(file, vec![LineMark { position: base + 10, line: 1, name: "a.c".into(), system: false }]);
        let place = |needle: &[u8], nth: usize| {
            let offset = read.windows(needle.len()).enumerate().filter(|(_, w)| *w == needle).nth(nth).unwrap().0;
            let location = map.locate(base + offset as u32).unwrap();
            (location.line, location.column)
        };
        assert_eq!(place(b"return", 0), (3, 3));
        assert_eq!(place(b"g;", 0), (3, 23));
        assert_eq!(place(b"((3)", 0), (3, 11), "a macro's text stands where its name does");
        assert_eq!(place(b"+(3)", 0), (3, 11), "also what stands after an argument");
        assert_eq!(map.original_line(&map.locate(base + 30).unwrap()).unwrap(), "  return  TWICE(3)  + g;");
    }

    #[test]
    fn parts_of_a_line_around_macros_of_system_headers_have_their_columns() {
        let mut map = SourceMap::new();
        map.add("a.c", b"int f(int *p) { check(p != (NULL)); p = NULL; return p; }\n".to_vec()).unwrap();
        // As gcc -E prints it.
        let read = "# 1 \"a.c\"\nint f(int *p) { \n# 1 \"a.c\" 3 4\n               test(\n# 1 \"a.c\"\n               p != (\n\
                    # 1 \"a.c\" 3 4\n               ((void *)0)\n# 1 \"a.c\"\n               )\n# 1 \"a.c\" 3 4\n               )\n\
                    # 1 \"a.c\"\n                                 ; p = \n# 1 \"a.c\" 3 4\n                                       ((void *)0)\n\
                    # 1 \"a.c\"\n                                           ; return p; }\n";
        let file = map.add("a.i", read.as_bytes().to_vec()).unwrap();
        let base = map.base(file);
        let mut marks = Vec::new();
        let mut at = 0;
        for line in read.split_inclusive('\n') {
            at += line.len() as u32;
            if line.starts_with('#') {
                let (name, system) = ("a.c".to_string(), line.contains(" 3 4"));
                marks.push(LineMark { position: base + at, line: 1, name, system });
            }
        }
        map.set_marks(file, marks);
        let position = |needle: &str| base + read.find(needle).unwrap() as u32;
        let column = |needle: &str| map.locate(position(needle)).unwrap().column;
        assert_eq!(column("{ "), 15);
        assert_eq!(column("test("), 17, "the use of the macro");
        assert_eq!(column("p != ("), 23, "its argument");
        assert_eq!(column("; p ="), 35);
        assert_eq!(column("; return"), 45);
        assert_eq!(column("p; }"), 54);
        let last = |needle: &str| map.locate_last(position(needle)).unwrap().column;
        assert_eq!(last("test("), 34, "the closing parenthesis");
        assert_eq!(last("; return"), 45);
        let null = position("; return") - "0)\n# 1 \"a.c\"\n                                           ".len() as u32;
        assert_eq!((map.locate(null).unwrap().column, map.locate_last(null).unwrap().column), (41, 44));
    }
}

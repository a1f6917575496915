//! `compile_commands.json`, the list of compiler calls that build tools write: how the text of each file is read, and what it means.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// How one file is compiled.
#[derive(Debug)]
pub struct CompilerCall {
    /// With the whole path.
    pub file: PathBuf,
    /// What a preprocessor needs to read the file as the compiler does; paths are whole.
    pub preprocessor: Vec<String>,
    /// Compiled for a machine with pointers of 32 bits.
    pub ilp32: bool,
    /// `char` is unsigned.
    pub unsigned_char: bool,
}

/// The calls of a list, or of the one in a folder.
pub fn read(path: &Path) -> Result<Vec<CompilerCall>> {
    let path = if path.is_dir() { path.join("compile_commands.json") } else { path.to_path_buf() };
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let entries: Vec<Entry> =
        serde_json::from_str(&text).with_context(|| format!("{} is no list of compiler calls", path.display()))?;
    let folder = std::path::absolute(path.parent().unwrap_or(Path::new("")))?;
    entries.iter().map(|entry| call(entry, &folder).with_context(|| path.display().to_string())).collect()
}

/// The first call that compiles a file.
pub fn find<'a>(calls: &'a [CompilerCall], file: &Path) -> Option<&'a CompilerCall> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let file = real(file);
    calls.iter().find(|call| real(&call.file) == file)
}

fn call(entry: &Entry, folder: &Path) -> Result<CompilerCall> {
    let words = match (&entry.arguments, &entry.command) {
        (Some(words), _) => words.clone(),
        (None, Some(line)) => {
            let broken = || format!("the quotes of the command for {} are not closed", entry.file.display());
            shlex::split(line).with_context(broken)?
        }
        (None, None) => Vec::new(),
    };
    let directory = folder.join(&entry.directory);
    let path = |text: &str| directory.join(text).display().to_string();
    let file = directory.join(&entry.file);
    let mut call = CompilerCall { file, preprocessor: Vec::new(), ilp32: false, unsigned_char: false };
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let mut value = |flag: &str| match word.strip_prefix(flag) {
            Some("") => rest.next().cloned(),
            Some(value) => Some(value.to_string()),
            None => None,
        };
        if let Some(define) = value("-D") {
            call.preprocessor.push(format!("-D{define}"));
        } else if let Some(name) = value("-U") {
            call.preprocessor.push(format!("-U{name}"));
        } else if matches!(word.as_str(), "-include" | "-imacros" | "-isystem" | "-iquote" | "-idirafter") {
            call.preprocessor.extend([word.clone(), value(word).map_or(String::new(), |file| path(&file))]);
        } else if let Some(include) = value("-I") {
            call.preprocessor.push(format!("-I{}", path(&include)));
        } else if word.starts_with("-std=") || word == "-nostdinc" {
            call.preprocessor.push(word.clone());
        } else if word == "-m32" {
            call.ilp32 = true;
        } else if word == "-funsigned-char" {
            call.unsigned_char = true;
        }
    }
    Ok(call)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_says_how_its_file_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let list = r#"[{"directory": "sub", "file": "a.c", "command": "gcc -Iinc -D A='1 2' -UB -m32 -funsigned-char -O2 -include x.h -std=c99 -c a.c"},
            {"directory": "/d", "file": "/d/b.c", "arguments": ["cc", "-c", "b.c"]}]"#;
        std::fs::write(folder.path().join("compile_commands.json"), list).unwrap();
        let calls = read(folder.path()).unwrap();
        let at = |name: &str| folder.path().join("sub").join(name).display().to_string();
        let call = find(&calls, Path::new(&at("a.c"))).unwrap();
        let expected = [
            format!("-I{}", at("inc")),
            "-DA=1 2".into(),
            "-UB".into(),
            "-include".into(),
            at("x.h"),
            "-std=c99".into(),
        ];
        assert_eq!(call.preprocessor, expected);
        assert!(call.ilp32 && call.unsigned_char);
        assert!(!calls[1].ilp32 && calls[1].preprocessor.is_empty() && find(&calls, Path::new("c.c")).is_none());
        std::fs::write(folder.path().join("compile_commands.json"), "{}").unwrap();
        assert!(format!("{:#}", read(folder.path()).unwrap_err()).contains("no list of compiler calls"));
    }
}

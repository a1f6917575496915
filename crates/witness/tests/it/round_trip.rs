//! What is written is read back as the same witness.

use std::path::PathBuf;
use witness::{Limits, Witness, read, write};

/// How many of some files were written and read again, and which cannot be read at all.
pub fn read_back(files: &[PathBuf]) -> (usize, Vec<&PathBuf>) {
    let (mut read_back, mut not_readable) = (0, Vec::new());
    for path in files {
        let text = std::fs::read(path).expect("the file can be read");
        let Some(mut witness) = read(&text, &Limits::default()).witness else {
            not_readable.push(path);
            continue;
        };
        if let Witness::Entries(entries) = &mut witness {
            for entry in entries.iter_mut().filter(|entry| entry.metadata.format_version == "0.1") {
                // Not written any more.
                entry.metadata.format_version = "2.0".into();
            }
            entries.retain(|entry| entry.metadata.format_version.starts_with("2."));
        }
        let written = write(&witness).unwrap_or_else(|reason| panic!("{}: {reason}", path.display()));
        let again = read(written.as_bytes(), &Limits::default());
        assert_eq!(again.witness.as_ref(), Some(&witness), "{}\n{written}", path.display());
        let twice = write(&again.witness.expect("it is there")).expect("it was written before");
        assert_eq!(twice, written, "{}", path.display());
        read_back += 1;
    }
    (read_back, not_readable)
}

#[test]
fn writing_loses_nothing() {
    let files = crate::files::own();
    let (read_back, not_readable) = read_back(&files);
    assert!(read_back > 0 && not_readable.is_empty(), "{read_back}, {not_readable:#?}");
}

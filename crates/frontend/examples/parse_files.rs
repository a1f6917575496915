//! Parses the preprocessed C files named on the command line; prints the errors and the speed.
#![allow(clippy::print_stdout)]

use base::{Interner, Severity, SourceMap};
use frontend::c::parse;
use std::time::{Duration, Instant};

fn main() {
    let (mut bytes, mut time, mut failed) = (0, Duration::ZERO, 0);
    let paths: Vec<String> = std::env::args().skip(1).collect();
    for path in &paths {
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let mut names = Interner::new();
        let start = Instant::now();
        let parsed = parse::parse(&text, 1, &mut names);
        time += start.elapsed();
        bytes += text.len();
        let mut map = SourceMap::new();
        let file = map.add(path.clone(), text).expect("the file is smaller than 4 GiB");
        map.set_marks(file, parsed.marks);
        failed += parsed.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) as usize;
        for diagnostic in &parsed.diagnostics {
            let place = map.physical(diagnostic.span.lo).unwrap_or_default();
            let severity = diagnostic.severity.name();
            println!("{path}:{}:{}: {severity}: {}", place.line, place.column, diagnostic.message);
        }
    }
    let speed = bytes as f64 / 1e6 / time.as_secs_f64();
    println!("{} files, {failed} with errors, {bytes} bytes, {time:.1?}, {speed:.0} MB/s", paths.len());
}

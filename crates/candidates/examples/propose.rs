//! Prints the candidates of preprocessed C files: `cargo run -p candidates --example propose -- FILE…`; 32-bit programs with `--ilp32` first.
#![allow(clippy::print_stdout)]

use base::Budget;
use cfa::{DataModel, display};
use std::time::Instant;

fn main() {
    let mut model = DataModel::Lp64;
    for name in std::env::args().skip(1) {
        if name == "--ilp32" {
            model = DataModel::Ilp32;
            continue;
        }
        let Ok(text) = std::fs::read(&name) else {
            println!("{name}: cannot be read");
            continue;
        };
        let (sources, compiled) = testkit::compile(&text, model);
        let mut program = compiled.program;
        let Some(entry) = program.function_named("main") else {
            println!("{name}: no main");
            continue;
        };
        let start = Instant::now();
        let found = candidates::propose(&mut program, entry, &Budget::unlimited(), &candidates::Options::default());
        println!("{name}: {} candidates in {} ms", found.len(), start.elapsed().as_millis());
        let mut head = None;
        for candidate in found {
            if head != Some(candidate.head) {
                let span = program.locations[candidate.head].loop_head.unwrap_or(base::Span::NONE);
                println!("  {} line {}", candidate.head, sources.locate(span.lo).map_or(0, |at| at.line));
                head = Some(candidate.head);
            }
            println!("    {:12} {}", candidate.origin, display::expr_text(&program, candidate.expr));
        }
    }
}

//! The encoding of library functions against the system's C library: programs that call them with random contents and compare what they do with what
//! the compiled program did.

use crate::support::{in_parallel, none_failed, scratch};
use std::process::Command;
use testkit::library::{KINDS, asserting};

const SEEDS: std::ops::Range<u64> = 0..3;

/// Sorting and options take the encoding long.
const SLOW: [u32; 2] = [4, 6];

#[test]
fn encoded_calls_do_what_the_system_does() {
    let folder = scratch("library");
    let kinds = (0..KINDS).filter(|kind| !SLOW.contains(kind));
    let calls: Vec<(u64, u32)> = kinds.flat_map(|kind| SEEDS.map(move |seed| (seed, kind))).collect();
    let proved = std::sync::atomic::AtomicUsize::new(0);
    let failures = in_parallel(&calls, |(seed, kind)| {
        let (file, options) = match asserting(&folder, *seed, *kind) {
            Ok(made) => made,
            Err(error) => return vec![format!("seed {seed}, kind {kind}: {error:#}")],
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
        command.args(["verify", "--engine", "bmc", "--timeout", "10"]).args(&options).arg(&file);
        let output = command.output().expect("whydunit runs");
        match output.status.code() {
            Some(0) => drop(proved.fetch_add(1, std::sync::atomic::Ordering::Relaxed)),
            // What is not modelled, or left open by C, is not compared.
            Some(30) => {}
            _ => {
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                return vec![format!("seed {seed}, kind {kind}: {text}")];
            }
        }
        Vec::new()
    });
    none_failed(&failures);
    let proved = proved.into_inner();
    assert!(proved * 3 > calls.len(), "only {proved} of {} are proved", calls.len());
}

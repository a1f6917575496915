//! Random programs by csmith, of every flavour: the interpreter must print the checksum that the compiled program prints.
//! `cargo xtask fuzz` does the same with thousands.

use crate::support::{count, in_parallel, none_failed, scratch};
use std::sync::atomic::{AtomicUsize, Ordering};
use testkit::csmith::{FLAVOURS, Verdict, compare, generate};

const FEW: usize = 24;

#[test]
fn csmith_programs_agree_with_gcc() {
    let folder = scratch("csmith");
    let seeds: Vec<u64> = (0..count(FEW) as u64).collect();
    let compared = AtomicUsize::new(0);
    let failures = in_parallel(&seeds, |seed| {
        let flavour = *seed as usize % FLAVOURS.len();
        let verdict = generate(&folder, flavour, 1000 + seed).and_then(|path| {
            let Some(path) = path else { return Ok(Verdict::Skipped) };
            let verdict = compare(&path)?;
            // What differs stays for a look.
            if !matches!(verdict, Verdict::Different { .. }) {
                std::fs::remove_file(&path)?;
            }
            Ok(verdict)
        });
        let name = FLAVOURS[flavour].0;
        match verdict {
            Ok(Verdict::Same) => {
                compared.fetch_add(1, Ordering::Relaxed);
                Vec::new()
            }
            Ok(Verdict::Skipped) => Vec::new(),
            Ok(Verdict::Different { expected, got }) => {
                vec![format!("{name}-{seed}: gcc says {expected:?}, we say {got:?}")]
            }
            Err(error) => vec![format!("{name}-{seed}: {error:#}")],
        }
    });
    none_failed(&failures);
    // A program that runs for ever compares nothing; most must not.
    let compared = compared.into_inner();
    assert!(compared * 2 > seeds.len(), "only {compared} of {} programs ended in time", seeds.len());
}

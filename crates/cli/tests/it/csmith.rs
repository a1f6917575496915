//! Random programs by csmith, of every flavour: the interpreter must print the checksum that the compiled program prints.
//! `cargo xtask fuzz` does the same with thousands.

use crate::support::{count, in_parallel, none_failed, scratch};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use testkit::csmith::{Comparison, FLAVOURS, compare, generate, interpret};

const FEW: usize = 24;

#[test]
fn csmith_programs_agree_with_gcc() {
    let folder = scratch("csmith");
    let seeds: Vec<u64> = (0..count(FEW) as u64).collect();
    let compared = AtomicUsize::new(0);
    let failures = in_parallel(&seeds, |seed| {
        let flavour = *seed as usize % FLAVOURS.len();
        let verdict = generate(&folder, flavour, 1000 + seed).and_then(|path| {
            let Some(path) = path else { return Ok(Comparison::Skipped) };
            let verdict = compare(&path)?;
            // What differs stays for a look.
            if !matches!(verdict, Comparison::Different { .. }) {
                std::fs::remove_file(&path)?;
            }
            Ok(verdict)
        });
        let name = FLAVOURS[flavour].0;
        match verdict {
            Ok(Comparison::Same) => {
                compared.fetch_add(1, Ordering::Relaxed);
                Vec::new()
            }
            Ok(Comparison::Skipped) => Vec::new(),
            Ok(Comparison::Different { expected, got }) => {
                vec![format!("{name}-{seed}: gcc says {expected:?}, we say {got:?}")]
            }
            Err(error) => vec![format!("{name}-{seed}: {error:#}")],
        }
    });
    none_failed(&failures);
    // A program that does not end compares nothing; most must end.
    let compared = compared.into_inner();
    assert!(compared * 2 > seeds.len(), "only {compared} of {} programs ended in time", seeds.len());
}

const FEWER: usize = 8;

/// The engine computes what the interpreter does: that the checksum is what it is holds, that it is not is violated.
#[test]
fn checksums_are_proved_and_refuted() {
    let folder = scratch("csmith-verify");
    let closed = FLAVOURS.iter().position(|(name, _)| *name == "closed").expect("a flavour without arguments");
    let seeds: Vec<u64> = (1..=count(FEWER) as u64).collect();
    let decided = AtomicUsize::new(0);
    let failures = in_parallel(&seeds, |seed| {
        let Some(path) = generate(&folder, closed, *seed).expect("csmith runs") else { return Vec::new() };
        let text = std::fs::read_to_string(&path).expect("just written");
        let printed = interpret(&path).expect("gcc -E runs");
        let Some(checksum) = printed.as_deref().and_then(|text| text.trim().strip_prefix("checksum = ")) else {
            return Vec::new();
        };
        let mut failures = Vec::new();
        for (relation, expected) in [("==", "verdict: true"), ("!=", "verdict: false(assertion)")] {
            let claim =
                format!("__VERIFIER_assert((unsigned)(crc32_context ^ 0xFFFFFFFFUL) {relation} 0x{checksum}U);");
            std::fs::write(
                &path,
                text.replace("    platform_main_end(", &format!("    {claim}\n    platform_main_end(")),
            )
            .expect("writable");
            let output = Command::new(env!("CARGO_BIN_EXE_whydunit"))
                .args([
                    "verify",
                    "-p",
                    "assertion",
                    "--timeout",
                    "20",
                    "--show-steps",
                    "2",
                    "-I",
                    "/usr/include/csmith",
                ])
                .arg(&path)
                .output()
                .expect("whydunit runs");
            let stdout = String::from_utf8_lossy(&output.stdout);
            match stdout.lines().next().unwrap_or("") {
                line if line == expected => drop(decided.fetch_add(1, Ordering::Relaxed)),
                // csmith knows where its pointers point; that operands write different objects through them is not known here.
                "verdict: unknown(budget)" | "verdict: unknown(left-open)" => {}
                line => failures.push(format!("seed {seed}: {expected:?} expected, got {line:?}")),
            }
        }
        failures
    });
    none_failed(&failures);
    assert!(decided.into_inner() > seeds.len(), "most programs are decided");
}

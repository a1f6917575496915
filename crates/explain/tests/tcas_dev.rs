//! dev
use base::{Budget, SourceMap};
use cfa::{DataModel, Property, PropertySet};
use explain::localize::rank::*;
use explain::localize::spectrum::Spectrum;
use explain::localize::*;
use explain::repair::*;
use explain::*;
use std::time::Instant;

#[test]
fn tcas() {
    let only = std::env::var("V").ok();
    let csv = std::fs::read_to_string("/work/shared/bench/tcas/faults.csv").unwrap();
    let nruns: usize = std::env::var("RUNS").ok().and_then(|t| t.parse().ok()).unwrap_or(4);
    let (mut t1, mut t3, mut t5, mut n, mut before) = (0, 0, 0, 0, 0);
    for row in csv.lines().skip(1) {
        let f: Vec<&str> = row.split(',').collect();
        let v = f[0];
        if only.as_ref().is_some_and(|o| o != v) {
            continue;
        }
        let faulty: Vec<u32> = f[2].split(' ').filter_map(|x| x.parse().ok()).collect();
        let path = format!("/work/shared/bench/tcas/harness/tcas_{v}.c");
        let out = std::process::Command::new("cc").args(["-E", &path]).output().unwrap();
        let mut sources = SourceMap::new();
        let file = sources.add(path.clone(), out.stdout).unwrap();
        let compiled = frontend::c::compile(&mut sources, &[file], DataModel::Lp64);
        let program = &compiled.program;
        let entry = program.function_named("main").unwrap();
        let properties = if v == "v33" {
            PropertySet::of(&[Property::ValidDeref])
        } else {
            PropertySet::of(&[Property::Assertion, Property::UnreachCall])
        };
        let t = Instant::now();
        let limits = engine::Limits::default();
        let task = engine::Task { program, entry, properties, unwind: None, limits: &limits, all: false };
        let answer = (engine::ENGINES[0].decide)(&task, &Budget::unlimited());
        let Some((_, mut inputs)) = answer.violations.into_iter().next() else {
            println!("{v}: no violation");
            continue;
        };
        let tv = t.elapsed();
        let args = inputs.program_args(program, entry);
        let failure = replay::failure(program, entry, properties, args, &mut inputs).ok().unwrap();
        let t = Instant::now();
        let budget = Budget::unlimited();
        let m = (minimize::minimizer("optimal").unwrap().run)(
            &failure,
            &minimize::Objective::DEFAULT,
            &Budget::unlimited().with_effort(20000),
        );
        let tm = t.elapsed();
        let t = Instant::now();
        let failures = runs::failing(&m.failure, nruns, &budget);
        let passing = runs::passing(&m.failure, 10, &budget);
        let tr = t.elapsed();
        let trusted = vec!["AllRepair_correct_*".to_string(), "main".to_string()];
        let trusted = &trusted[..1];
        let options = Options {
            sources: &sources,
            trusted,
            rounds: 100,
            minimal: false,
            decay: Decay::Harmonic,
            passing: &passing,
        };
        let found = run_methods(&failures, &["whodunit", "iterative", "errinv", "flow", "maxsat"], &options, &budget);
        let spectrum = Spectrum::of(&failures, &options);
        let suspects = rank(&failures, &found, &spectrum, &[], &options);
        let check = |program: &cfa::Program| {
            let entry = program.function_named("main").unwrap();
            let task =
                engine::Task { program, entry, properties, unwind: Some(answer.bound), limits: &limits, all: false };
            let a = (engine::ENGINES[0].decide)(&task, &Budget::unlimited());
            match a.verdict {
                evidence::Verdict::Safe(_) => Checked::Holds { bound: a.bound, complete: true },
                evidence::Verdict::Unsafe(v) => Checked::Fails(v.inputs),
                _ => Checked::Unknown,
            }
        };
        let t = Instant::now();
        let bench = Workbench { sources: &sources, units: &[file], model: DataModel::Lp64, check: &check };
        let lines: Vec<_> = suspects.iter().filter(|s| s.score >= 2.0).map(|s| s.line.clone()).take(12).collect();
        let repairs =
            if std::env::var("NOREP").is_ok() { vec![] } else { repair(&failures, &lines, &options, &bench, &budget) };
        let tp = t.elapsed();
        let suspects = rank(&failures, &found, &spectrum, &repairs, &options);
        let pos = suspects.iter().position(|s| faulty.contains(&s.line.line)).map(|p| p + 1);
        n += 1;
        if let Some(p) = pos {
            t1 += (p <= 1) as u32;
            t3 += (p <= 3) as u32;
            t5 += (p <= 5) as u32;
            before += p - 1;
        }
        let times: Vec<String> = found
            .iter()
            .map(|f| {
                format!(
                    "{} {:.0}ms {}",
                    f.localizer.name,
                    f.time_ms,
                    f.finding.lines().iter().any(|l| faulty.contains(&l.line))
                )
            })
            .collect();
        println!(
            "{v}: rank {pos:?} of {} (class2 {}), verify {tv:?} min {tm:?} {} {} runs {} {tr:?} repairs {} {tp:?} | {}",
            suspects.len(),
            suspects.iter().filter(|s| s.score >= 2.0).count(),
            m.proven,
            m.measure.sum,
            failures.len(),
            repairs.len(),
            times.join(", ")
        );
        for r in repairs.iter().take(4) {
            println!("     {}: {}", r.line.line, r.edit.what);
        }
        if only.is_some() {
            for s in &suspects {
                println!("   {} {:.3} {} {:?}", s.line.line, s.score, s.reason, s.methods);
            }
        }
    }
    println!("n {n} top1 {t1} top3 {t3} top5 {t5} before {}", before as f64 / n as f64);
}

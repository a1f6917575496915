//! Small attack programs of every flavour: what whydunit says about values, overflows, divisions, shifts and memory must be what happens
//! when the compiled program runs on all of its inputs. `cargo xtask fuzz --kind attack` does the same with thousands.

use crate::support::{count, in_parallel, none_failed, scratch};
use std::sync::Mutex;
use std::time::Duration;
use testkit::attack::verdict_check::{DecideOptions, Tally, compare};
use testkit::attack::{Attack, FLAVOURS, attack};

const FEW: usize = 60;
const BATCH: usize = 30;

#[test]
fn verdicts_agree_with_runs_on_all_inputs() {
    let folder = scratch("attack");
    let programs: Vec<Attack> =
        (0..count(FEW) as u64).map(|seed| attack(&FLAVOURS[seed as usize % FLAVOURS.len()], seed)).collect();
    let batches: Vec<&[Attack]> = programs.chunks(BATCH).collect();
    let asked = DecideOptions { decide: engine::default_engine().decide, limit: Duration::from_secs(10) };
    let total = Mutex::new(Tally::new());
    let failures = in_parallel(&batches, |batch| {
        let name = format!("batch-{}", batch[0].seed);
        let (tally, found) = compare(&folder, &name, batch, asked).expect("gcc runs");
        let mut total = total.lock().expect("no thread panics while it holds the lock");
        for (what, number) in tally {
            *total.entry(what).or_default() += number;
        }
        let wrong = found.iter().filter(|wrong| !wrong.is_doubtful());
        wrong.map(|wrong| format!("{}: {:?}\n{}", wrong.why, wrong.said, wrong.attack.text(&wrong.question))).collect()
    });
    none_failed(&failures);
    let total = total.into_inner().expect("no thread panics while it holds the lock");
    for (class, least) in [("safe: true", FEW), ("violated: false", FEW / 2)] {
        let decided: u64 = total.iter().filter(|(what, _)| what.ends_with(class)).map(|(_, number)| number).sum();
        assert!(decided as usize >= least, "only {decided} questions are answered `{class}`: {total:?}");
    }
}

//! Tests that need the benchmark data beside the project. They are targets with `harness = false` whose `main` calls [`main`]: where the data is
//! absent, each is listed as ignored, with the reason, and none passes for having done nothing.

use crate::project::bench_data;
use libtest_mimic::{Arguments, Trial};
use std::path::Path;

const ABSENT: &str = "../shared/bench is absent";

/// A name, and what is tested on the folder of the data.
pub type DataTest = (&'static str, fn(&Path));

/// Runs the tests as the built-in harness would, and ends the process.
pub fn main(tests: &[DataTest]) -> ! {
    let trial = |(name, test): &DataTest| {
        let test = *test;
        match bench_data() {
            Some(data) => Trial::test(*name, move || {
                test(&data);
                Ok(())
            }),
            None => Trial::test(*name, || Err(ABSENT.into())).with_kind(ABSENT).with_ignored_flag(true),
        }
    };
    libtest_mimic::run(&Arguments::from_args(), tests.iter().map(trial).collect()).exit()
}

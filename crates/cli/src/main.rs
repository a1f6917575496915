//! The `whydunit` command: `args` (what was typed) → `load` (files to program) → `question` (what is asked of it) →
//! `pipeline` (the flow of each command) and `failure` (of those that start from a failing run).

mod args;
mod failure;
mod harness;
mod inputs;
mod load;
mod localize;
mod pipeline;
mod produce;
mod property;
mod question;
mod task;
mod test_export;
mod undefined;
mod unwind;
mod validate;
mod watch;
mod witness;

use args::Cli;
use clap::Parser;
use std::process::ExitCode;

const REPORT_IT: &str =
    "whydunit has found a bug in itself. Please report the message above with the input that led to it.";

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = std::panic::catch_unwind(|| pipeline::run(&cli));
    match outcome {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(error)) => {
            eprintln!("error: {error:#}");
            let own = error.downcast_ref::<pipeline::OwnBug>().is_some();
            if own {
                eprintln!("{REPORT_IT}");
            }
            ExitCode::from(if own { pipeline::INTERNAL } else { pipeline::BAD_INPUT })
        }
        Err(_) => {
            eprintln!("{REPORT_IT}");
            ExitCode::from(pipeline::INTERNAL)
        }
    }
}

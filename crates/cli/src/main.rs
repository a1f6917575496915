//! The `whydunit` command: `args` (what was typed) → `load` (files to program) → `loaded_task` (properties, engine and limits with it) →
//! `pipeline` (each command: a call of `workflow`, and its report printed) and `failure` (those that start from a failing run).

mod args;
mod batch_run;
mod config;
mod cycle;
mod cycle_tests;
mod entries;
mod environment;
mod failure;
mod html;
mod inputs;
mod load;
mod loaded_task;
mod lsp;
mod manual;
mod next_command;
mod output;
mod pipeline;
mod produce;
mod property;
mod report_command;
mod suite;
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
    let words = match config::expand(std::env::args_os().collect()) {
        Ok(words) => words,
        Err(error) => {
            eprintln!("error: {error:#}");
            return ExitCode::from(pipeline::BAD_INPUT);
        }
    };
    let mut cli = Cli::parse_from(words);
    output::set_color(cli.color);
    let output = cli.output();
    load::use_harness(&mut cli);
    let outcome = load::use_compiler_calls(&mut cli)
        .map_or_else(|error| Ok(Err(error)), |()| std::panic::catch_unwind(|| pipeline::run(&cli)));
    let say = |error: &str| output.iter().for_each(|output| output.print_error(error));
    match outcome {
        Ok(Ok(code)) => {
            if code == pipeline::BAD_INPUT {
                say("the program has errors");
            }
            ExitCode::from(code)
        }
        Ok(Err(error)) => {
            let own = matches!(error.downcast_ref(), Some(workflow::Problem::OwnBug(_)));
            let error = format!("{error:#}");
            eprintln!("error: {error}");
            if own {
                eprintln!("{REPORT_IT}");
            }
            say(&error);
            ExitCode::from(if own { pipeline::INTERNAL } else { pipeline::BAD_INPUT })
        }
        Err(_) => {
            eprintln!("{REPORT_IT}");
            say("whydunit has found a bug in itself");
            ExitCode::from(pipeline::INTERNAL)
        }
    }
}

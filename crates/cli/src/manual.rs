//! What is generated from the command line itself: completions for shells, and manual pages.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::output::print;
use crate::pipeline::OK;
use anyhow::{Context, Result};
use clap::{Command, CommandFactory};

const EXIT_CODES: &str = ".SH \"EXIT STATUS\"
.TP
0
The property holds, or the command did what was asked.
.TP
2
The command line or the program has an error.
.TP
10
The property is violated.
.TP
30
It is not known.
.TP
70
whydunit has found a bug in itself.
";

pub fn completions(args: &CompletionsArgs) -> Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "whydunit", &mut text);
    print(String::from_utf8_lossy(&text).trim_end())?;
    Ok(OK)
}

pub fn man(args: &ManArgs) -> Result<u8> {
    let mut command = Cli::command();
    command.build();
    let Some(folder) = &args.out else {
        print(page(command)?.trim_end())?;
        return Ok(OK);
    };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut open = vec![(command, "whydunit".to_string())];
    while let Some((command, name)) = open.pop() {
        let others = command.get_subcommands().filter(|other| other.get_name() != "help" && !other.is_hide_set());
        open.extend(others.map(|other| (other.clone(), format!("{name}-{}", other.get_name()))));
        let path = folder.join(format!("{name}.1"));
        let text = page(command.display_name(name))?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(OK)
}

fn page(command: Command) -> Result<String> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned() + EXIT_CODES)
}

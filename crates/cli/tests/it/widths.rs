//! Answers on terminals of different widths: `tests/widths` holds what they look like, and nothing that can be wrapped is too wide. `WHYDUNIT_BLESS` writes it anew.

use std::process::Command;
use testkit::diff;
use testkit::project::root;

const WIDTHS: [usize; 3] = [60, 80, 120];
const RUNS: &[(&str, &[&str])] = &[
    ("verify", &["verify", "tests/programs/guide/average.c"]),
    ("explain", &["explain", "tests/programs/guide/average.c"]),
    ("localize", &["localize", "examples/sort.c"]),
    ("unknown", &["verify", "--engine", "bmc", "--unwind", "3", "tests/programs/guide/counter.c"]),
];

fn printed(args: &[&str], width: usize) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
    let output = command.args(args).current_dir(root()).env("COLUMNS", width.to_string()).output();
    String::from_utf8_lossy(&output.expect("whydunit runs").stdout).into_owned()
}

#[test]
fn answers_fit_the_terminal() {
    let folder = root().join("tests/widths");
    for (name, args) in RUNS {
        for width in WIDTHS {
            let text = printed(args, width);
            // Lines of the program and places are not broken.
            let prose = text
                .lines()
                .filter(|line| line.contains("; ") || line.starts_with("help:") || line.starts_with("The "));
            for line in prose {
                assert!(line.chars().count() <= width, "{name} at {width}: {line}");
            }
            let path = folder.join(format!("{name}-{width}.txt"));
            if std::env::var_os("WHYDUNIT_BLESS").is_some() {
                std::fs::create_dir_all(&folder).expect("the folder can be made");
                std::fs::write(&path, text).expect("the file can be written");
                continue;
            }
            let expected = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(
                expected == text,
                "{}: `cargo xtask bless` accepts this\n{}",
                path.display(),
                diff(&expected, &text)
            );
        }
    }
}

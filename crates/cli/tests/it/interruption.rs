//! Commands that are stopped give the best that they have: the failing run is there from the start, so they never end with nothing.

use crate::support::scratch;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use testkit::project::root;

/// The questions behind a run through products and quotients are too hard for any budget of a test.
const HARD: &str = "extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned x = __VERIFIER_nondet_uint(), h = 0;
  for (int i = 0; i < 12; i++) {
    unsigned y = __VERIFIER_nondet_uint();
    h = (h * 2654435761u) ^ (y * 40503u + (h >> 7));
    h = h + x;
    x = x + h / (y | 1);
  }
  //@ assert x % 7 != 3;
  return 0;
}
";
const INPUTS: &str = "4,2,3,4,5,6,7,8,9,10,11,12,13";

fn command(name: &str, more: &[&str]) -> Command {
    let file = scratch("interruption").join(format!("{name}.c"));
    std::fs::write(&file, HARD).expect("the build folder can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
    command.args([name, "--inputs", INPUTS]).args(more).arg(file).current_dir(root());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn says_what_it_has(name: &str, output: &Output) {
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(10), "{name}: {text}");
    assert!(text.contains("assert"), "{name}: {text}");
}

#[test]
fn out_of_time() {
    for name in ["minimize", "explain", "localize"] {
        let start = Instant::now();
        let output = command(name, &["--timeout", "4"]).output().expect("whydunit runs");
        says_what_it_has(name, &output);
        assert!(start.elapsed() < Duration::from_secs(20), "{name} takes {:?}", start.elapsed());
    }
}

#[test]
fn interrupted() {
    for name in ["minimize", "explain", "localize"] {
        let child = command(name, &[]).spawn().expect("whydunit runs");
        std::thread::sleep(Duration::from_secs(2));
        let start = Instant::now();
        let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(interrupted.is_ok_and(|status| status.success()), "{name} was still at work");
        says_what_it_has(name, &child.wait_with_output().expect("whydunit ends"));
        assert!(start.elapsed() < Duration::from_secs(20), "{name} takes {:?}", start.elapsed());
    }
}

/// The violation is found at once, but runs near it loop for hundreds of millions of rounds.
const LONG_NEIGHBOURS: &str = "extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  while (x < 0x0fffffff) x++;
  //@ assert x > 0x0fffffff;
  return 0;
}
";

#[test]
fn suspects_are_looked_for_within_the_limits() {
    let file = scratch("interruption").join("long_neighbours.c");
    std::fs::write(&file, LONG_NEIGHBOURS).expect("the build folder can be written");
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
    command.args(["verify", "--timeout", "4", "--memory", "1000", "--suspects", "always"]).arg(file);
    says_what_it_has("verify", &command.current_dir(root()).output().expect("whydunit runs"));
    assert!(start.elapsed() < Duration::from_secs(20), "takes {:?}", start.elapsed());
}

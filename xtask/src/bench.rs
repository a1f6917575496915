//! Measures what the project promises: frontend throughput, interpreter speed beside gcc's code, start-up time.
//! Times of one machine mean little; the ratios of one run do. Results go to `target/bench.json`; given an older result file, the
//! chore prints both.

use crate::{cargo, must, release, root};
use anyhow::{Context, Result};
use cfa::DataModel;
use cfa::interp::{Config, ListInputs, ProgramArgs};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Headers whose preprocessed text stands for what real programs drag in.
const HEADERS: &[&str] = &[
    "stdio.h",
    "stdlib.h",
    "string.h",
    "ctype.h",
    "math.h",
    "limits.h",
    "errno.h",
    "time.h",
    "signal.h",
    "unistd.h",
    "pthread.h",
    "sys/types.h",
    "sys/stat.h",
    "sys/socket.h",
    "netinet/in.h",
    "wchar.h",
    "inttypes.h",
    "locale.h",
    "fcntl.h",
    "stdint.h",
];

const LOOP: &str = "
unsigned f(unsigned n) {
  unsigned s = 1;
  for (unsigned i = 0; i < n; i++) { s = s * 31 + (i ^ (s >> 3)); if (s % 7 == 0) s += i; }
  return s;
}
int printf(const char *, ...);
int main(void) { printf(\"%u\\n\", f(20000000)); return 0; }
";

const ARRAY: &str = "
int a[1000];
int printf(const char *, ...);
int main(void) {
  long s = 0;
  for (int r = 0; r < 5000; r++) for (int i = 0; i < 1000; i++) { a[i] = a[i] * 3 + i; s += a[(i * 7) % 1000]; }
  printf(\"%ld\\n\", s);
  return 0;
}
";

const CALLS: &str = "
int printf(const char *, ...);
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { printf(\"%d\\n\", fib(30)); return 0; }
";

const TINY: &str = "int main(void) { int s = 0; for (int i = 0; i < 250; i++) s += i; return s != 31125; }\n";

pub fn bench(args: &[String]) -> Result<()> {
    if cfg!(debug_assertions) {
        // The chores are a development build; what is measured must be what is shipped.
        return must(cargo().args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench"]).args(args));
    }
    let tool = release()?;
    let folder = root().join("target/bench");
    std::fs::create_dir_all(&folder)?;
    let mut rows = Vec::new();
    frontend(&folder, &mut rows)?;
    interpreter(&folder, &mut rows)?;
    start_up(&tool, &folder, &mut rows)?;
    let before = args.first().map(std::fs::read_to_string).transpose()?;
    let before: serde_json::Value = before.map_or(Ok(serde_json::Value::Null), |text| serde_json::from_str(&text))?;
    for (name, value, unit) in &rows {
        match before[name].as_f64() {
            Some(old) => println!("{name:40} {value:10.2} {unit} (before: {old:.2})"),
            None => println!("{name:40} {value:10.2} {unit}"),
        }
    }
    let json: serde_json::Map<String, serde_json::Value> =
        rows.into_iter().map(|(name, value, _)| (name, serde_json::json!(value))).collect();
    std::fs::write(root().join("target/bench.json"), serde_json::to_string_pretty(&json)?)?;
    Ok(())
}

type Rows = Vec<(String, f64, &'static str)>;

fn frontend(folder: &Path, rows: &mut Rows) -> Result<()> {
    let includes: String = HEADERS.iter().map(|header| format!("#include <{header}>\n")).collect();
    rows.push(("frontend, headers".into(), throughput(&[preprocessed(folder, "headers", &includes)?]), "MB/s"));
    let random: Vec<Vec<u8>> = (1..20)
        .map(|seed| {
            let path = testkit::csmith::generate(folder, 0, seed)?.context("csmith takes too long")?;
            let text = std::fs::read_to_string(&path)?.replace("csmith.h", "csmith/csmith.h");
            preprocessed(folder, "random", &text)
        })
        .collect::<Result<_>>()?;
    rows.push(("frontend, csmith programs".into(), throughput(&random), "MB/s"));
    if let Some(data) = testkit::project::bench_data() {
        let files = testkit::project::files_below(&data.join("sv-benchmarks"), &["i"]);
        let texts: Vec<Vec<u8>> = files.iter().map(std::fs::read).collect::<Result<_, _>>()?;
        rows.push(("frontend, sv-benchmarks .i".into(), throughput(&texts), "MB/s"));
    }
    Ok(())
}

fn preprocessed(folder: &Path, name: &str, text: &str) -> Result<Vec<u8>> {
    let path = folder.join(format!("{name}.c"));
    std::fs::write(&path, text)?;
    Ok(Command::new("gcc").arg("-E").arg(&path).output().context("cannot run gcc")?.stdout)
}

/// Megabytes of text a second from bytes to automata, best of several passes.
fn throughput(texts: &[Vec<u8>]) -> f64 {
    let bytes: usize = texts.iter().map(Vec::len).sum();
    let pass = || {
        let start = Instant::now();
        for text in texts {
            let (_, compiled) = testkit::compile(text, DataModel::Lp64);
            assert!(!compiled.has_errors(), "the benchmark compiles");
        }
        start.elapsed()
    };
    let best = (0..12).map(|_| pass()).min().unwrap_or_default();
    bytes as f64 / 1e6 / best.as_secs_f64()
}

fn interpreter(folder: &Path, rows: &mut Rows) -> Result<()> {
    for (name, text) in [("integer loop", LOOP), ("array loop", ARRAY), ("calls", CALLS)] {
        let source = folder.join("native.c");
        let binary = folder.join("native");
        std::fs::write(&source, text)?;
        must(Command::new("gcc").args(["-O0", "-w", "-o"]).arg(&binary).arg(&source))?;
        let native = (0..3).map(|_| timed(|| Command::new(&binary).output())).min().context("three runs")?;
        let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
        let entry = compiled.program.function_named("main").context("main")?;
        let run = || {
            let config = Config::default();
            cfa::interp::run(&compiled.program, entry, &ProgramArgs::default(), &mut ListInputs::default(), &config)
        };
        let expected = Command::new(&binary).output()?.stdout;
        anyhow::ensure!(run().stdout == expected, "the interpreter computes what gcc's code does");
        let ours = (0..3).map(|_| timed(run)).min().context("three runs")?;
        rows.push((format!("interpreter / gcc -O0, {name}"), ours.as_secs_f64() / native.as_secs_f64(), "times"));
    }
    let (_, compiled) = testkit::compile(TINY.as_bytes(), DataModel::Lp64);
    let entry = compiled.program.function_named("main").context("main")?;
    let config = Config::default();
    let best = (0..50)
        .map(|_| {
            timed(|| {
                cfa::interp::run(&compiled.program, entry, &ProgramArgs::default(), &mut ListInputs::default(), &config)
            })
        })
        .min();
    rows.push(("interpreter, a run of 1000 steps".into(), best.unwrap_or_default().as_secs_f64() * 1e6, "us"));
    Ok(())
}

fn start_up(tool: &Path, folder: &Path, rows: &mut Rows) -> Result<()> {
    let source = folder.join("tiny.c");
    std::fs::write(&source, TINY)?;
    let best = (0..20).map(|_| timed(|| Command::new(tool).args(["replay", "--quiet"]).arg(&source).output())).min();
    rows.push(("whydunit replay, tiny file".into(), best.unwrap_or_default().as_secs_f64() * 1e3, "ms"));
    Ok(())
}

fn timed<T>(action: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(action());
    start.elapsed()
}

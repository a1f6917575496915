//! Whole projects: lists of compiler calls, the configuration file, all functions of a file; and what the command line generates about itself.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const LIBRARY: &str = "#include \"bounds.h\"
int divide(int a, int b) { return a / (b + OFFSET); }
int clamp(int x) { return x > LIMIT ? LIMIT : x; }
int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
int size(void) { return 8 / (sizeof(long) == 4 ? 1 : 0); }
";

fn project() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders can be made");
        std::fs::write(path, text).expect("the folder can be written");
    };
    write("inc/bounds.h", "#define LIMIT 10\n");
    write("src/library.c", LIBRARY);
    write("src/main.c", "int clamp(int x);\nint main(void) { return clamp(3); }\n");
    write(
        "build/compile_commands.json",
        r#"[{"directory": ".", "file": "../src/library.c", "command": "cc -m32 -I../inc -DOFFSET=1 -c ../src/library.c"},
            {"directory": ".", "file": "../src/main.c", "arguments": ["cc", "-m32", "-c", "../src/main.c"]}]"#,
    );
    folder
}

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
    command.args(args).current_dir(folder).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command.output().expect("whydunit runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Function and verdict.
fn verdicts(output: &Output) -> Vec<(String, String)> {
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let entries = report["entries"].as_array().expect("entries");
    let field = |entry: &serde_json::Value, name: &str| entry[name].as_str().expect("text").to_string();
    entries.iter().map(|entry| (field(entry, "function"), field(entry, "verdict"))).collect()
}

#[test]
fn every_function_is_an_entry_and_is_read_as_it_is_compiled() {
    let folder = project();
    let args = ["verify", "--all-entries", "--compile-commands", "build", "src/library.c", "src/main.c", "--json"];
    let output = run(folder.path(), &args);
    // Only with the macro, the header and the data model of the compiler calls are these the answers.
    let expected = [("divide", "false"), ("clamp", "true"), ("sum", "skipped"), ("size", "true"), ("main", "true")];
    assert_eq!(verdicts(&output), expected.map(|(function, verdict)| (function.to_string(), verdict.to_string())));
    assert_eq!(output.status.code(), Some(10));
    let some = run(folder.path(), &[&args[..], &["--exclude", "*library.c"]].concat());
    assert_eq!(verdicts(&some), [("main".to_string(), "true".to_string())]);
    assert_eq!(some.status.code(), Some(0));
    let cases = run(folder.path(), &[&args[..6], &["--format", "junit"]].concat());
    let cases = text(&cases.stdout);
    assert!(cases.contains("<testsuites tests=\"5\" failures=\"1\" errors=\"0\""), "{cases}");
    assert!(cases.contains("name=\"clamp at "), "{cases}");
    std::fs::write(folder.path().join("src/other.c"), "int main(void) { return 0; }\n").expect("written");
    let unlisted = run(folder.path(), &["verify", "--compile-commands", "build", "src/other.c"]);
    assert_eq!(unlisted.status.code(), Some(2));
    assert!(text(&unlisted.stderr).contains("src/other.c has no compiler call in build"), "{}", text(&unlisted.stderr));
}

#[test]
fn characters_and_sizes_are_as_they_are_compiled_in_every_command() {
    let folder = project();
    let program = "_Static_assert((char)-1 > 0, \"\"); int main(void) { return 0; }\n";
    std::fs::write(folder.path().join("src/main.c"), program).expect("written");
    let list = r#"[{"directory": ".", "file": "../src/main.c", "command": "cc -funsigned-char -c ../src/main.c"}]"#;
    std::fs::write(folder.path().join("build/compile_commands.json"), list).expect("written");
    for command in [&["check"][..], &["show", "functions"], &["verify"]] {
        let output = run(folder.path(), &[command, &["--compile-commands", "build", "src/main.c"]].concat());
        assert_eq!(output.status.code(), Some(0), "{command:?}: {}", text(&output.stderr));
        assert_eq!(run(folder.path(), &[command, &["src/main.c"]].concat()).status.code(), Some(2), "{command:?}");
    }
}

#[test]
fn the_configuration_is_as_if_it_was_typed() {
    let folder = project();
    let config = "compile-commands = 'build'\n[verify]\nproperty = ['div-by-zero']\nexclude = ['src/main.c']\n";
    std::fs::write(folder.path().join("whydunit.toml"), config).expect("written");
    let source = folder.path().join("src");
    let divided = run(&source, &["verify", "--entry", "divide", "library.c"]);
    assert!(text(&divided.stdout).contains("verdict: false(div-by-zero)"), "{}", text(&divided.stdout));
    assert!(text(&divided.stderr).contains("2 options are from "), "{}", text(&divided.stderr));
    let all = run(&source, &["verify", "--all-entries", "library.c", "main.c", "--json"]);
    assert!(verdicts(&all).contains(&("divide".into(), "false".into())), "{}", text(&all.stdout));
    assert!(!verdicts(&all).iter().any(|(function, _)| function == "main"), "excluded: {}", text(&all.stdout));
    let asked = run(&source, &["verify", "-p", "assertion", "--entry", "divide", "library.c"]);
    assert!(!text(&asked.stdout).contains("div-by-zero)\n\n"), "what is typed comes first: {}", text(&asked.stdout));
    // Without the configuration the header is not found.
    assert_eq!(run(&source, &["--no-config", "check", "library.c"]).status.code(), Some(2));
    std::fs::write(folder.path().join("whydunit.toml"), "tiemout = 3\n").expect("written");
    let wrong = run(&source, &["check", "main.c"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("tiemout: no command has an option --tiemout"), "{}", text(&wrong.stderr));
}

#[test]
fn colours_are_as_the_command_line_and_the_environment_say() {
    let folder = project();
    let args = ["verify", "--compile-commands", "build", "--entry", "divide", "src/library.c"];
    let coloured = |more: &[&str], variable: Option<(&str, &str)>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
        command.args(args).args(more).current_dir(folder.path()).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command.envs(variable);
        text(&command.output().expect("whydunit runs").stdout).contains('\u{1b}')
    };
    assert!(!coloured(&[], None), "the output is no terminal");
    assert!(coloured(&["--color", "always"], None));
    assert!(coloured(&[], Some(("CLICOLOR_FORCE", "1"))));
    assert!(!coloured(&[], Some(("CLICOLOR_FORCE", "0"))));
    assert!(!coloured(&["--color", "never"], Some(("CLICOLOR_FORCE", "1"))));
    assert!(coloured(&["--color", "always"], Some(("NO_COLOR", "1"))));
}

/// Whether a program is installed here.
fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

#[test]
fn shells_take_the_completions() {
    let folder = tempfile::tempdir().expect("a folder");
    for (shell, ask) in [
        (
            "bash",
            "source ./script; COMP_WORDS=(whydunit ver); COMP_CWORD=1; _whydunit whydunit ver whydunit; echo ${COMPREPLY[@]}",
        ),
        ("zsh", "autoload -U compinit; compinit -D -d ./dump; source ./script; print $_comps[whydunit]"),
    ] {
        let script = run(folder.path(), &["completions", shell]);
        assert!(script.status.success() && text(&script.stdout).contains("--all-entries"), "{shell}");
        std::fs::write(folder.path().join("script"), &script.stdout).expect("written");
        if !is_there(shell) {
            continue;
        }
        let answer = Command::new(shell).args(["-c", ask]).current_dir(folder.path()).output().expect("the shell runs");
        let said = text(&answer.stdout);
        let expected = if shell == "bash" { "verify" } else { "_whydunit" };
        assert_eq!(said.trim(), expected, "{shell}: {}", text(&answer.stderr));
    }
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(run(folder.path(), &["man", "--out", "pages"]).status.success());
    for name in ["whydunit", "whydunit-verify", "whydunit-witness-validate", "whydunit-batch"] {
        let page = std::fs::read_to_string(folder.path().join("pages").join(format!("{name}.1"))).expect("a page");
        assert!(page.contains(&format!(".TH {name} 1")) && page.contains(".SH \"EXIT STATUS\""), "{name}");
    }
    assert!(text(&run(folder.path(), &["man"]).stdout).contains(".SH SYNOPSIS"));
}

/// A folder with a program that fails, and one where `whydunit` is found.
fn failing_project() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir_all(folder.path().join("src")).expect("folders can be made");
    let program = "#include <assert.h>\nint main(int argc, char **argv) { assert(argc < 3); return 0; }\n";
    std::fs::write(folder.path().join("src/main.c"), program).expect("written");
    folder
}

fn shell(folder: &Path, line: &str) -> Output {
    let tool = Path::new(env!("CARGO_BIN_EXE_whydunit"));
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let own = tool.parent().expect("a folder").to_path_buf();
    let paths = std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&paths))).expect("paths");
    Command::new("sh").args(["-c", line]).current_dir(folder).env("PATH", paths).output().expect("the shell runs")
}

fn example(name: &str) -> serde_json::Value {
    let text = std::fs::read_to_string(testkit::project::root().join("contrib/ci").join(name)).expect("the example");
    serde_saphyr::from_str(&text).expect("the example is YAML")
}

#[test]
fn the_example_for_github_actions_does_what_it_says() {
    let folder = failing_project();
    let workflow = example("github-actions.yml");
    let steps = workflow["jobs"]["verify"]["steps"].as_array().expect("steps");
    let lines: Vec<&str> = steps.iter().filter_map(|step| step["run"].as_str()).collect();
    let [install, annotate, sarif] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(install.starts_with("cargo install"), "{install}");
    let annotated = shell(folder.path(), annotate);
    assert_eq!(annotated.status.code(), Some(10));
    assert!(text(&annotated.stdout).starts_with("::error file=src/main.c,line=2,"), "{}", text(&annotated.stdout));
    assert_eq!(shell(folder.path(), sarif).status.code(), Some(10));
    let uploaded = steps.iter().find_map(|step| step["with"]["sarif_file"].as_str()).expect("a file to upload");
    let report = std::fs::read(folder.path().join(uploaded)).expect("the file is written");
    let report: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(report["runs"][0]["results"][0]["ruleId"], "assertion");
}

#[test]
fn the_example_for_pre_commit_does_what_it_says() {
    let folder = failing_project();
    let hook = &example("pre-commit-config.yaml")["repos"][0]["hooks"][0];
    let line = format!("{} src/main.c", hook["entry"].as_str().expect("a command"));
    let found = shell(folder.path(), &line);
    assert_eq!(found.status.code(), Some(10));
    assert!(text(&found.stdout).starts_with("src/main.c:2:"), "{}", text(&found.stdout));
}

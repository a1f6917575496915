//! From what is typed to tasks.

use batch::sources::{Question, expand};
use batch::{Expected, Task};
use std::path::Path;

fn expand_in(folder: &Path, arguments: &[&str], question: Question) -> Vec<Task> {
    let arguments: Vec<String> = arguments.iter().map(|argument| folder.join(argument).display().to_string()).collect();
    expand(&arguments, &question).unwrap()
}

fn example() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let yml = "format_version: '2.0'\ninput_files: 'a.c'\nproperties:\n  - property_file: ../p/unreach-call.prp\n    expected_verdict: false\n  - property_file: ../p/valid-memsafety.prp\n    expected_verdict: false\n    subproperty: valid-free\n  - property_file: ../p/coverage.prp\noptions:\n  language: C\n  data_model: ILP32\n";
    write("x/a.yml", yml);
    write("x/a.c", "int main() {}");
    write("x/b.yml", "input_files: [");
    write("x/notes.yml", "just: notes");
    write("y/c.c", "int main() {}");
    write("all.set", "# a comment\nx/*.yml\n");
    write(
        "list.csv",
        "task,input_file,property,expected,subproperty,data_model\nx/a.yml,a.c,unreach-call,false,,ILP32\nx/no.yml,no.c,unreach-call,true,,LP64\n",
    );
    folder
}

#[test]
fn a_task_file_is_a_task_for_each_property_with_a_verdict() {
    let folder = example();
    let tasks =
        expand_in(folder.path(), &["x/a.yml"], Question { options: vec!["--full".into()], ..Question::default() });
    let properties: Vec<&str> = tasks.iter().map(|task| task.property.as_str()).collect();
    assert_eq!(properties, ["unreach-call", "valid-memsafety"]);
    assert_eq!(tasks[1].expected, Some(Expected { holds: false, subproperty: Some("valid-free".into()) }));
    let line = tasks[0].args.join(" ");
    assert!(
        line.starts_with("verify --full -p /")
            && line.contains("unreach-call.prp --data-model ilp32 /")
            && line.ends_with("x/a.c"),
        "{line}"
    );
    let only = Question { properties: vec!["valid-memsafety".into()], ..Question::default() };
    assert_eq!(expand_in(folder.path(), &["x/a.yml"], only).len(), 1);
}

#[test]
fn folders_hold_task_files_or_programs() {
    let folder = example();
    let names = |argument: &str| -> Vec<String> {
        expand_in(folder.path(), &[argument], Question::default())
            .into_iter()
            .map(|task| format!("{}:{}", task.name, task.problem.is_some()))
            .collect()
    };
    assert_eq!(names("x"), ["a.yml:false", "a.yml:false", "b.yml:true"]);
    assert_eq!(names("y"), ["c.c:false"]);
    assert_eq!(names("all.set"), ["x/a.yml:false", "x/a.yml:false", "x/b.yml:true", "x/notes.yml:true"]);
}

#[test]
fn patterns_and_lists() {
    let folder = example();
    let found = expand_in(folder.path(), &["*/*.c"], Question::default());
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].property, "default");
    let list = expand_in(folder.path(), &["list.csv"], Question::default());
    assert_eq!(list.len(), 2);
    assert!(list[0].problem.is_none() && list[0].args.contains(&"pure".to_string()));
    assert!(list[1].problem.as_ref().is_some_and(|problem| problem.contains("no.c")), "{list:?}");
    let missing = expand(&["/nowhere/x.yml".to_string()], &Question::default());
    assert!(missing.is_err());
}

#[test]
fn compiler_calls_are_a_task_for_each_function() {
    let folder = example();
    let tool = folder.path().join("tool.sh");
    std::fs::write(&tool, "#!/bin/sh\n[ \"$1 $2\" = 'show functions' ] || exit 2\nprintf 'first\\nsecond\\n'\n")
        .unwrap();
    std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let entry = r#"[{"directory": ".", "file": "y/c.c", "command": "gcc -Iinc -DA='1 2' -funsigned-char -std=c99 -c y/c.c"}, {"directory": ".", "file": "z.cc", "arguments": ["g++"]}]"#;
    std::fs::write(folder.path().join("compile_commands.json"), entry).unwrap();
    let question = Question { tool: tool.clone(), ..Question::default() };
    let tasks = expand_in(folder.path(), &["compile_commands.json"], question);
    let names: Vec<&str> = tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["y/c.c:first", "y/c.c:second"], "{tasks:?}");
    let line = tasks[0].args.join(" ");
    assert!(line.contains("--compile-commands ") && line.contains("compile_commands.json --entry first"), "{line}");
    let question = Question { tool, functions: Some("sec*".into()), ..Question::default() };
    assert_eq!(expand_in(folder.path(), &["compile_commands.json"], question).len(), 1);
}

#[test]
fn tasks_of_the_same_name_are_all_kept() {
    let folder = example();
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    write("z/c.c", "int main() { return 1; }");
    write("z/more.set", "*.c\n");
    write("z/list.csv", "task,property,data_model\nc.c,unreach-call,ILP32\nc.c,unreach-call,LP64\n");
    let names = |arguments: &[&str]| -> Vec<String> {
        let tasks = expand_in(folder.path(), arguments, Question::default());
        let name = |task: &Task| task.name.replace(&format!("{}/", folder.path().display()), "");
        tasks.iter().map(name).collect()
    };
    assert_eq!(names(&["y", "z"]), ["y/c.c", "z/c.c"]);
    assert_eq!(names(&["y", "y/c.c", "y"]), ["c.c"], "one task, named three times");
    assert_eq!(names(&["y", "z/more.set", "z/c.c"]), ["y/c.c", "z/c.c"]);
    assert_eq!(names(&["z/list.csv"]), ["z/c.c", "z/c.c (2)"], "the options differ");
}

#[test]
fn each_requirement_of_a_plc_program_is_a_task() {
    let folder = example();
    let tool = folder.path().join("tool.sh");
    std::fs::write(&tool, "#!/bin/sh\n[ \"$1 $2 $3\" = 'show requirements --require' ] || exit 2\n[ -e \"$4\" ] || { echo \"error: cannot read $4\" >&2; exit 2; }\nprintf 'first\\nsecond\\n'\n")
        .unwrap();
    std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for name in ["p/a.st", "p/a.json", "p/b.scl", "p/c.EXP", "p/c.json"] {
        std::fs::create_dir_all(folder.path().join("p")).unwrap();
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    let names = |tasks: Vec<Task>| -> Vec<String> {
        tasks.iter().map(|task| format!("{} {} {}", task.name, task.property, task.problem.is_some())).collect()
    };
    let plain = expand_in(folder.path(), &["p"], Question::default());
    assert_eq!(names(plain), ["a.st default false", "b.scl default false", "c.EXP default false"]);
    let question = Question { tool, requirements: vec!["%s.json".into()], ..Question::default() };
    let tasks = expand_in(folder.path(), &["p", "y/c.c"], question);
    let line = tasks[0].args.join(" ");
    assert!(line.starts_with("verify --require /") && line.contains("p/a.json --requirement first /"), "{line}");
    let problem = tasks.last().and_then(|task| task.problem.clone());
    assert_eq!(problem.as_deref(), Some("--require is about PLC programs"));
    let names = names(tasks);
    assert_eq!(names[..3], ["a.st first false", "a.st second false", "b.scl  true"]);
    assert_eq!(names[3..5], ["c.EXP first false", "c.EXP second false"]);
}

//! Repair hints as `patch -p1` takes them: the program with each hint is compiled, and all tests pass.

use crate::support::none_failed;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

struct Case {
    name: &'static str,
    program: &'static str,
    tests: &'static str,
    /// What the first hint does.
    first: &'static str,
}

const CASES: &[Case] = &[
    Case {
        name: "macro",
        program: "#include <stdio.h>\n#include <stdlib.h>\n#define LIMIT\t10\n#define IS_FULL(n) ((n) > LIMIT)\n\
            int main(int argc, char **argv) {\n\tint n = atoi(argv[1]);  /* IS_FULL */\n\
            \tif (IS_FULL(n))\t// 10\n\t\tputs(\"full\");\n\telse\n\t\tputs(\"room\");\n\treturn 0;\n}\n",
        tests: "args,stdout\n10,full\\n\n11,full\\n\n9,room\\n\n3,room\\n\n",
        first: "`>=` instead of `>`",
    },
    Case {
        name: "carriage returns",
        program: "#include <stdio.h>\r\n#include <stdlib.h>\r\nint main(int argc, char **argv) {\r\n\
            \tint n = atoi(argv[1]);\r\n\tint total = 0;\r\n\tfor (int i = 1; i < n; i++)\r\n\t\ttotal += i;\r\n\
            \tprintf(\"%d\\n\", total);\r\n\treturn 0;\r\n}\r\n",
        tests: "args,stdout\n3,6\\n\n4,10\\n\n0,0\\n\n",
        first: "`<=` instead of `<`",
    },
    Case {
        name: "precedence",
        program: "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n\
            \x20 int a = atoi(argv[1]), b = atoi(argv[2]), c = atoi(argv[3]);\n\x20 int cost = a + b * c;\n\
            \x20 printf(\"%d\\n\", cost);\n\x20 return 0;\n}\n",
        tests: "args,stdout\n1 2 3,9\\n\n4 5 6,54\\n\n0 2 3,6\\n\n7 1 1,8\\n\n2 3 9,45\\n\n",
        first: "parentheses around `a + b`",
    },
    Case {
        name: "update",
        program: "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n\x20 int sum = 0;\n\
            \x20 for (int i = 1; i < argc; i++) {\n\x20   int x = atoi(argv[i]);\n\x20   sum = x;\n\x20 }\n\
            \x20 printf(\"%d\\n\", sum);\n\x20 return 0;\n}\n",
        tests: "args,stdout\n1 2,3\\n\n5 6 7,18\\n\n4,4\\n\n",
        first: "`+=` instead of `=`",
    },
    Case {
        name: "two edits on one line",
        program: "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n\x20 int n = atoi(argv[1]);\n\
            \x20 if (n > 3 || n > 9)\n\x20   puts(\"in\");\n\x20 else\n\x20   puts(\"out\");\n\x20 return 0;\n}\n",
        tests: "args,stdout\n3,out\\n\n4,in\\n\n9,out\\n\n8,in\\n\n10,out\\n\n1,out\\n\n",
        first: "`&&` instead of `||` and `<` instead of `>`",
    },
    Case {
        name: "a statement that was forgotten",
        program: "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n\x20 int count = 0, longest = 0;\n\
            \x20 for (int i = 1; i < argc; i++) {\n\x20   int x = atoi(argv[i]);\n\x20   if (x > 0) {\n\x20     count++;\n\
            \x20     if (count > longest)\n\x20       longest = count;\n\x20   } else {\n\x20     printf(\"gap \");\n\x20   }\n\x20 }\n\
            \x20 printf(\"%d\\n\", longest);\n\x20 count = 0;\n\x20 return count;\n}\n",
        tests: "args,stdout\n1 1,2\\n\n1 0 1,gap 1\\n\n1 1 0 1 1 1,gap 3\\n\n0 0,gap gap 0\\n\n1 0 0 1 1,gap gap 2\\n\n",
        first: "`count = 0;` added",
    },
    Case {
        name: "order of free",
        program: "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n\x20 int *p = malloc(sizeof *p);\n\
            \x20 if (!p)\n\x20   return 1;\n\x20 *p = argc;\n\x20 int n = 0;\n\x20 free(p);\n\x20 n = *p;\n\x20 printf(\"%d\\n\", n);\n\x20 return 0;\n}\n",
        tests: "args,stdout\n1 2,3\\n\n,1\\n\n",
        first: "`n = *p;` before `free(p);`",
    },
    Case {
        name: "a macro in the arguments of a macro",
        program: "#include <stdio.h>\n#include <stdlib.h>\n#define SQUARE(x)   ( x * x )\n\
            #define MAX(a, b) ((a) < (b) ? (a) : (b))   /* larger */\nint main(int argc, char **argv) {\n\
            \tint a = atoi(argv[1]), b = atoi(argv[2]);\n\tprintf(\"%d\\n\",\tMAX(SQUARE(a), b) );\n\treturn 0;\n}\n",
        tests: "args,stdout\n1 2,2\\n\n3 4,9\\n\n2 2,4\\n\n0 0,0\\n\n",
        first: "`>` instead of `<`",
    },
    Case {
        name: "a jump to the wrong label",
        program: "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n\x20 int i = 0, sum = 0;\nagain:\n\
            \x20 if (++i >= argc)\n\x20   goto done;\n\x20 int n = atoi(argv[i]);\n\x20 if (n < 0)\n\x20   goto done;\n\
            \x20 sum += n;\n\x20 goto again;\ndone:\n\x20 printf(\"%d\\n\", sum);\n\x20 return 0;\n}\n",
        tests: "args,stdout\n1 2 3,6\\n\n1 -2 3,4\\n\n-1 5,5\\n\n4,4\\n\n,0\\n\n",
        first: "`goto again` instead of `goto done`",
    },
    Case {
        name: "two faults",
        program: "#include <stdio.h>\n#include <stdlib.h>\nstatic int area(int w, int h) {\n\x20 return w * h + 1;\n}\n\
            static int perimeter(int w, int h) {\n\x20 return 2 * w - 2 * h;\n}\nint main(int argc, char **argv) {\n\
            \x20 int w = atoi(argv[1]), h = atoi(argv[2]);\n\x20 if (argc > 3)\n\x20   printf(\"%d\\n\", area(w, h));\n\
            \x20 printf(\"%d\\n\", perimeter(w, h));\n\x20 return 0;\n}\n",
        tests: "args,stdout\n1 2,6\\n\n3 4,14\\n\n2 0 x,0\\n4\\n\n5 7,24\\n\n1 1 x,1\\n4\\n\n3 2 x,6\\n10\\n\n4 0,8\\n\n9 0 x,0\\n18\\n\n",
        first: "`+` instead of `-` in line 7 and 0 instead of 1 in line 4",
    },
    Case {
        name: "memory that is never written",
        program: "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n\x20 int i, sum, k = 0;\n\
            \x20 for (i = 1; i < argc; i++) {\n\x20   sum += atoi(argv[i]);\n\x20   k++;\n\x20 }\n\
            \x20 printf(\"%d\\n\", k ? sum / k : 0);\n\x20 return 0;\n}\n",
        tests: "args,stdout\n1 2 3,2\\n\n4,4\\n\n,0\\n\n9 7,8\\n\n",
        first: "`sum` begins with 0",
    },
];

fn hints(folder: &Path, name: &str) -> Result<Vec<Value>, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whydunit"));
    let args = ["localize", "--format", "json", "--tests", "tests.csv", "program.c"];
    let output = command.args(args).current_dir(folder).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let report: Value = serde_json::from_str(&text).map_err(|error| format!("{name}: {error}\n{text}{errors}"))?;
    Ok(report["repairs"].as_array().cloned().unwrap_or_default())
}

fn check(case: &Case) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let path = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &[u8]| std::fs::write(path(name), text).map_err(|error| error.to_string());
    write("program.c", case.program.as_bytes())?;
    write("tests.csv", case.tests.as_bytes())?;
    let hints = hints(folder.path(), case.name)?;
    let first = hints.first().and_then(|hint| hint["edit"].as_str());
    if first != Some(case.first) {
        return Err(format!("{}: the first hint is {first:?}, not {:?}", case.name, case.first));
    }
    for hint in &hints {
        let diff = hint["diff"].as_str().unwrap_or_default();
        write("program.c", case.program.as_bytes())?;
        write("hint.diff", diff.as_bytes())?;
        let run = |name: &str, args: &[&str]| {
            let output = Command::new(name).args(args).current_dir(folder.path()).output();
            output.map_err(|error| format!("{}: {name}: {error}", case.name))
        };
        let patched = run("patch", &["-p1", "--fuzz=0", "--binary", "-i", "hint.diff"])?;
        if !patched.status.success() {
            let said = String::from_utf8_lossy(&patched.stdout).into_owned();
            return Err(format!("{}: {said}\n{diff}", case.name));
        }
        let compiled = run("gcc", &["-w", "-fsyntax-only", "program.c"])?;
        if !compiled.status.success() {
            return Err(format!("{}: {}\n{diff}", case.name, String::from_utf8_lossy(&compiled.stderr)));
        }
        let again = run(env!("CARGO_BIN_EXE_whydunit"), &["localize", "--tests", "tests.csv", "program.c"])?;
        let said = String::from_utf8_lossy(&again.stderr).into_owned();
        if !said.contains("tests fails") {
            return Err(format!("{}: some test still fails after\n{diff}{said}", case.name));
        }
    }
    Ok(())
}

#[test]
fn every_hint_can_be_applied() {
    if Command::new("patch").arg("--version").output().is_err() {
        eprintln!("skipped: there is no `patch` on this machine");
        return;
    }
    none_failed(&CASES.iter().filter_map(|case| check(case).err()).collect::<Vec<String>>());
}

//! How the files of a test are built and run: Makefile, script, CMake file, and a file for test frameworks. All of them fail while the violation
//! is there, and pass when it is gone.

use validate::execute::COMPILER;

pub(crate) struct TestBuild<'a> {
    /// The files of the program itself, and copies of what they were when the test was made.
    pub program: &'a [String],
    pub copy: &'a [String],
    /// Why only the copy shows the violation.
    pub needs_copy: Option<&'a str>,
    pub runtime: &'a [String],
    pub compile: &'a [String],
    pub has_library: bool,
    /// The command line.
    pub words: &'a [Vec<u8>],
    pub leaks: bool,
}

impl TestBuild<'_> {
    /// The files that are tested.
    fn tested(&self) -> &[String] {
        if self.needs_copy.is_some() { self.copy } else { self.program }
    }

    fn about_program(&self) -> String {
        match self.needs_copy {
            Some(why) => format!("# A copy of the program, because {why}.\n"),
            None => {
                let copy = self.copy.join(" ");
                format!(
                    "# The program itself; `make check PROGRAM='{copy}'` tests what it was when this test was made.\n"
                )
            }
        }
    }

    pub fn makefile(&self) -> String {
        let quoted = |words: &[String]| words.iter().map(|word| in_makefile(word)).collect::<Vec<_>>().join(" ");
        let (program, runtime, flags) = (quoted(self.tested()), quoted(self.runtime), quoted(self.compile));
        let libraries = if self.has_library { " -lm" } else { "" };
        let about = self.about_program();
        let others = [self.runtime, &["harness.c".to_string()]].concat().join(" ");
        let before = if runtime.is_empty() { String::new() } else { format!("{runtime} ") };
        format!(
            "# `make check` fails while the violation is there and passes when it is gone; `make debug` stops at it.\n\
             CC = {COMPILER}\nCFLAGS = -g {flags}\n{about}PROGRAM = {program}\n\n\
             run: $(PROGRAM) {others}\n\t$(CC) $(CFLAGS) {before}$(PROGRAM) harness.c{libraries} -o run\n\n\
             .PHONY: check debug clean\ncheck: run\n\t@sh ./check.sh ./run\n\n\
             debug: run\n\tgdb -q -x violation.gdb --args ./run{}\n\nclean:\n\trm -f run\n",
            self.arguments().replace('$', "$$")
        )
    }

    /// The command line for a shell.
    fn arguments(&self) -> String {
        let words = self.words.iter().skip(1);
        words.map(|word| format!(" {}", in_shell(&String::from_utf8_lossy(word)))).collect()
    }

    pub fn script(&self) -> String {
        let options = format!(
            "exitcode=112:malloc_fill_byte=0:max_malloc_fill_size=1073741824:detect_leaks={}",
            u8::from(self.leaks)
        );
        format!(
            "#!/bin/sh\n# Runs the test that is given as argument: fails while the violation is there.\n\
             ASAN_OPTIONS=detect_stack_use_after_return=1:{options} \"$1\"{}\ncode=$?\n\
             # 107 and more: what the harness and the sanitizers say, and signals. 109: the program no longer accepts these inputs.\n\
             if [ \"$code\" -ge 107 ] && [ \"$code\" -ne 109 ]; then\n  echo \"the violation is there (exit code $code)\" >&2\n  exit 1\nfi\n\
             exit 0\n",
            self.arguments()
        )
    }

    pub fn cmake(&self) -> String {
        let path = |name: &String| match name.starts_with('/') {
            true => in_cmake(name),
            false => in_cmake(&format!("${{CMAKE_CURRENT_SOURCE_DIR}}/{name}")),
        };
        let tested: Vec<String> = self.tested().iter().map(path).collect();
        let others = [self.runtime, &["harness.c".to_string()]].concat();
        let others: Vec<String> = others.iter().map(path).collect();
        let flags: Vec<String> = self.compile.iter().map(|flag| in_cmake(flag)).collect();
        let (tested, others, flags) = (tested.join(" "), others.join(" "), flags.join(" "));
        let about = self.about_program();
        let libraries = if self.has_library { "target_link_libraries(violation_test m)\n" } else { "" };
        format!(
            "# cmake -S . -B build && cmake --build build && ctest --test-dir build; or add_subdirectory of a project with tests.\n\
             cmake_minimum_required(VERSION 3.13)\nproject(violation_test C)\nenable_testing()\n{about}\
             set(tested {tested})\nset_source_files_properties(${{tested}} PROPERTIES LANGUAGE C)\n\
             add_executable(violation_test {others} ${{tested}})\n\
             target_compile_options(violation_test PRIVATE -g {flags})\ntarget_link_options(violation_test PRIVATE {flags})\n\
             {libraries}add_test(NAME violation_test COMMAND sh \"${{CMAKE_CURRENT_SOURCE_DIR}}/check.sh\" $<TARGET_FILE:violation_test>)\n"
        )
    }
}

/// A word for a shell.
fn in_shell(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=,:+@%".contains(letter);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// A word of a command in a Makefile.
fn in_makefile(word: &str) -> String {
    in_shell(word).replace('$', "$$").replace('#', "\\#")
}

fn in_cmake(word: &str) -> String {
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

pub(crate) const GDB: &str = "# Stops where the property is violated.\nset pagination off\nset breakpoint pending on\nset debuginfod enabled off\n\
                              break whydunit_violation\nbreak whydunit_assertion\nrun\nbacktrace\nup\n";

/// The test for frameworks: the program has a `main` of its own and may crash, so it runs as a process.
pub(crate) const UNIT_TEST: &str = r#"/* The test for a framework: compile with -DWITH_CRITERION, -DWITH_UNITY or -DWITH_CMOCKA and -DTEST_DIRECTORY='"path of this directory"'. */
#include <stdlib.h>

#ifndef TEST_DIRECTORY
#define TEST_DIRECTORY "."
#endif

/* 0 when the violation is gone. */
static int violated(void) {
  return system("make -s -C '" TEST_DIRECTORY "' check");
}

#if defined WITH_CRITERION
#include <criterion/criterion.h>
Test(whydunit, violation) {
  cr_assert_eq(violated(), 0, "the violation is there");
}
#elif defined WITH_UNITY
#include "unity.h"
void setUp(void) {}
void tearDown(void) {}
static void violation(void) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, violated(), "the violation is there");
}
int main(void) {
  UNITY_BEGIN();
  RUN_TEST(violation);
  return UNITY_END();
}
#elif defined WITH_CMOCKA
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
static void violation(void **state) {
  (void)state;
  assert_int_equal(violated(), 0);
}
int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(violation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) {
  return violated() != 0;
}
#endif
"#;

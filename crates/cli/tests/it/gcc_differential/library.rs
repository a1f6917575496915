//! String functions on random strings, `printf` with random formats, numbers from text.

use super::{PRELUDE, compare};
use crate::support::{count, none_failed, scratch};
use std::fmt::Write;
use testkit::csmith::Comparison;
use testkit::random::Random;
use testkit::{diff, library};

const DECLARATIONS: &str = "\
unsigned long strlen(const char *); int strcmp(const char *, const char *); int strncmp(const char *, const char *, unsigned long);\n\
char *strchr(const char *, int); char *strrchr(const char *, int); char *strstr(const char *, const char *);\n\
unsigned long strspn(const char *, const char *); unsigned long strcspn(const char *, const char *); char *strpbrk(const char *, const char *);\n\
char *strcpy(char *, const char *); char *strncpy(char *, const char *, unsigned long); char *strcat(char *, const char *);\n\
char *strncat(char *, const char *, unsigned long); void *memmove(void *, const void *, unsigned long);\n\
int memcmp(const void *, const void *, unsigned long); void *memchr(const void *, int, unsigned long);\n\
long strtol(const char *, char **, int); unsigned long strtoul(const char *, char **, int); double strtod(const char *, char **); int atoi(const char *);\n\
static int sign(int x) { return (x > 0) - (x < 0); }\n\
static int at(const void *p, const char *s) { return p ? (const char *)p - s : -1; }\n";

fn word(random: &mut Random, letters: &[u8], longest: usize) -> String {
    let bytes = (0..random.below(longest + 1)).map(|_| letters[random.below(letters.len())]);
    let text: String =
        bytes
            .map(|byte| {
                if byte.is_ascii_graphic() || byte == b' ' {
                    (byte as char).to_string()
                } else {
                    format!("\\{byte:03o}")
                }
            })
            .collect();
    format!("\"{text}\"")
}

#[test]
fn string_functions_agree_with_gcc() {
    let mut failures = Vec::new();
    for batch in 0..count(1) {
        let mut random = Random::new(31 + batch as u64);
        let mut main = String::new();
        for case in 0..150 {
            let (s, t) = (word(&mut random, b"ab\xffc", 8), word(&mut random, b"abc", 4));
            let (n, c) = (random.below(9), ["'a'", "'\\377'", "0", "'z'"][random.below(4)]);
            writeln!(main, "  {{ const char *s = {s}, *t = {t}; char b[40] = {s}, d[40];\n\
                 printf(\"{case} %d %d %d %d\\n\", (int)strlen(s), sign(strcmp(s, t)), sign(strncmp(s, t, {n})), sign(memcmp(s, t, strlen(t) < strlen(s) ? strlen(t) : strlen(s))));\n\
                 printf(\"%d %d %d %d\\n\", at(strchr(s, {c}), s), at(strrchr(s, {c}), s), at(strstr(s, t), s), at(memchr(s, {c}, strlen(s)), s));\n\
                 printf(\"%d %d %d\\n\", (int)strspn(s, t), (int)strcspn(s, t), at(strpbrk(s, t), s));\n\
                 memset(d, 'q', sizeof d); strncpy(d, s, {n}); show_bytes(\"ncpy\", d, 12); strcpy(d, s); strcat(d, t); strncat(d, s, {n}); show_bytes(\"cat\", d, 20);\n\
                 memmove(b + {}, b + {}, {n}); show_bytes(\"move\", b, 24); }}", random.below(6), random.below(6)).expect("writing to a string");
        }
        for case in 0..150 {
            let text = word(&mut random, b"0123456789-+x aAfFeE.", 12);
            let base = [0, 10, 16, 8, 2, 36][random.below(6)];
            writeln!(main, "  {{ char *e; const char *s = {text}; printf(\"{case} %ld \", strtol(s, &e, {base})); printf(\"%d \", at(e, s));\n\
                 printf(\"%lu \", strtoul(s, &e, {base})); printf(\"%d \", at(e, s)); printf(\"%.17g \", strtod(s, &e)); printf(\"%d\\n\", at(e, s)); }}")
            .expect("writing to a string");
        }
        let program = format!("{PRELUDE}{DECLARATIONS}int main(void) {{\n{main}  return 0;\n}}\n");
        failures.extend(compare(&format!("strings-{batch}"), &program));
    }
    none_failed(&failures);
}

#[test]
fn printf_agrees_with_gcc() {
    let mut failures = Vec::new();
    for batch in 0..count(1) {
        let mut random = Random::new(63 + batch as u64);
        let mut main = String::new();
        for _ in 0..600 {
            let mut flags: String = "-+ #0".chars().filter(|_| random.below(4) == 0).collect();
            let width = if random.below(2) == 0 { format!("{}", 1 + random.below(14)) } else { String::new() };
            let precision = if random.below(2) == 0 { format!(".{}", random.below(10)) } else { String::new() };
            let number = random.word();
            let small = random.below(3) == 0;
            let number = if small { number % 100 } else { number };
            let float = [
                "0.0",
                "-0.0",
                "1.0",
                "0.1",
                "123456.789",
                "1e20",
                "-2.5",
                "9.9999999",
                "1e-7",
                "3.5e-310",
                "1.0/0.0",
                "0.5",
            ][random.below(12)];
            let (conversion, value) = match random.below(10) {
                0 => ("d".to_string(), format!("(int){number:#x}")),
                1 => ("ld".to_string(), format!("(long){number:#x}")),
                2 => (["u", "x", "X", "o"][random.below(4)].to_string(), format!("(unsigned){number:#x}")),
                3 => (["lu", "lx", "llo", "llX"][random.below(4)].to_string(), format!("(unsigned long){number:#x}")),
                4 => (["hd", "hhd", "hu", "hhx"][random.below(4)].to_string(), format!("(int){number:#x}")),
                5 => ("s".to_string(), "\"sample\"".to_string()),
                6 => ("c".to_string(), "'k'".to_string()),
                7 => (["Lf", "Le", "Lg"][random.below(3)].to_string(), format!("(long double){float}")),
                _ => (["f", "e", "g", "E", "G"][random.below(5)].to_string(), float.to_string()),
            };
            if conversion == "c" || conversion == "s" {
                flags.retain(|flag| flag == '-');
            }
            let precision = if conversion == "c" { "" } else { &precision };
            writeln!(main, "  printf(\"[%{flags}{width}{precision}{conversion}]\\n\", {value});")
                .expect("writing to a string");
        }
        failures.extend(compare(
            &format!("printf-{batch}"),
            &format!("{PRELUDE}int main(void) {{\n{main}  return 0;\n}}\n"),
        ));
    }
    none_failed(&failures);
}

/// Random calls of the functions that are written in C; `cargo xtask fuzz --kind library` makes more of them.
#[test]
fn functions_written_in_c_agree_with_the_system() {
    for seed in 1..=3 {
        let verdict = library::compare(&scratch("library"), seed).expect("gcc is installed");
        if let Comparison::Different { expected, got } = verdict {
            panic!("seed {seed}: - gcc, + whydunit\n{}", diff(&expected, &got));
        }
    }
}

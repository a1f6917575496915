//! Calls of library functions against enumeration: small buffers whose bytes depend on a few four-bit inputs, and random calls on them.

mod support;

use cfa::{Property, PropertySet};
use std::fmt::Write;
use testkit::random::Random;

const PROGRAMS: u64 = 60;

struct Generator {
    random: Random,
    text: String,
    /// Bytes of the allocation that `h` points to.
    heap: usize,
}

impl Generator {
    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.random.below(choices.len())]
    }

    /// Something to read a string from.
    fn source(&mut self) -> &'static str {
        self.pick(&[
            "s",
            "s",
            "t",
            "d",
            "h",
            "s + (a & 3)",
            "t + 1",
            "d + (c & 3)",
            "\"ab\"",
            "\"\"",
            "\"1a\"",
            "p",
            "w.name",
        ])
    }

    /// Something to write to.
    fn target(&mut self) -> &'static str {
        self.pick(&["d", "d", "d", "h", "h", "d + 2", "s", "d + (b & 3)", "w.name", "(char *)arr", "(char *)&w", "p"])
    }

    fn size(&mut self) -> String {
        match self.random.below(4) {
            0 => self.random.below(9).to_string(),
            1 => self.pick(&["a & 3", "b & 7", "c", "(a & 3) + 1", "(unsigned)r & 3"]).to_string(),
            _ => self.random.below(5).to_string(),
        }
    }

    fn character(&mut self) -> &'static str {
        self.pick(&["'a'", "'b'", "0", "'1'", "a", "s[1]", "r"])
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "  {line}").expect("writing to a string");
    }

    fn statement(&mut self) {
        let (from, other, to, size, character) =
            (self.source(), self.source(), self.target(), self.size(), self.character());
        match self.random.below(26) {
            0 => self.line(&format!("r = (int)strlen({from});")),
            1 => self.line(&format!("r = (int)strnlen({from}, {size});")),
            2 => {
                let function = self.pick(&["strcmp", "strcasecmp"]);
                // C says only which sign the result has.
                self.line(&format!("r = {function}({from}, {other}); r = (r > 0) - (r < 0);"));
            }
            3 => {
                let function = self.pick(&["strncmp", "strncasecmp", "memcmp"]);
                self.line(&format!("r = {function}({from}, {other}, {size}); r = (r > 0) - (r < 0);"));
            }
            4 => self.line(&format!("strcpy({to}, {from});")),
            5 => self.line(&format!("strncpy({to}, {from}, {size});")),
            6 => self.line(&format!("strcat({to}, {from});")),
            7 => self.line(&format!("strncat({to}, {from}, {size});")),
            8 | 9 => {
                let function = self.pick(&["strchr", "strrchr", "strchrnul"]);
                self.line(&format!("q = {function}({from}, {character}); if (q) p = q;"));
            }
            10 => self.line(&format!("q = strstr({from}, {other}); r = q != 0;")),
            11 => {
                let function = self.pick(&["memchr", "memrchr"]);
                self.line(&format!("q = {function}({from}, {character}, {size}); if (q) p = q;"));
            }
            12 | 13 => self.line(&format!("memset({to}, {character}, {size});")),
            14 | 15 => {
                let function = self.pick(&["memcpy", "memmove", "mempcpy"]);
                self.line(&format!("q = {function}({to}, {from}, {size});"));
            }
            16 => {
                let (new, old) = (1 + self.random.below(9), self.heap);
                self.line(&format!("h = realloc(h, {new});"));
                for at in old..new {
                    self.line(&format!("h[{at}] = 'z';"));
                }
                self.heap = new;
            }
            17 => {
                let copy = self.pick(&["strdup(", "strndup("]);
                let limit = if copy == "strdup(" { String::new() } else { format!(", {size}") };
                self.line(&format!("q = {copy}{from}{limit}); r = q[0]; free(q);"));
            }
            18 => {
                let function = self.pick(&["atoi", "(int)atol"]);
                self.line(&format!("r = {function}({from});"));
            }
            19 => {
                let function =
                    self.pick(&["isdigit", "isalpha", "isspace", "isupper", "ispunct", "tolower", "toupper"]);
                let value = self.pick(&["a * 16 + b", "s[0]", "r", "c - 2"]);
                let truth = if function.starts_with("is") { "!!" } else { "" };
                self.line(&format!("r = {truth}{function}({value});"));
            }
            20 => {
                let function =
                    self.pick(&["__builtin_clz", "__builtin_ctz", "__builtin_popcount", "ffs", "__builtin_parity"]);
                let function = if self.random.below(4) == 0 { "(int)__builtin_bswap32" } else { function };
                self.line(&format!("r = {function}(a * 4 + r);"));
            }
            21 => {
                let function = self.pick(&["strspn", "strcspn"]);
                self.line(&format!("r = (int){function}({from}, {other});"));
            }
            22 => self.line(&format!("q = strpbrk({from}, {other}); r = q ? *q : -1;")),
            23 => {
                let statement =
                    self.pick(&["puts(@);", "printf(\"%s\", @);", "r = printf(\"<%.2s>%c\", @, a);", "r = puts(@);"]);
                self.line(&statement.replace('@', from));
            }
            24 => {
                let base = self.pick(&["10", "8", "2", "36"]);
                self.line(&format!("r = (int)strtol({from}, &q, {base}); r += *q;"));
            }
            _ => {
                let value = self.pick(&[
                    "arr[1] = r",
                    "r = arr[a & 1]",
                    "w.next = p",
                    "if (w.next) r = *w.next",
                    "r += s[b & 3]",
                    "r = d[c & 7]",
                ]);
                self.line(&format!("{value};"));
            }
        }
    }

    fn program(seed: u64) -> String {
        let mut generator = Generator { random: Random::new(seed), text: String::new(), heap: 6 };
        for _ in 0..2 + generator.random.below(5) {
            generator.statement();
        }
        let left =
            generator.pick(&["r", "d[1]", "d[a & 3]", "s[2]", "h[0]", "arr[1]", "w.name[1]", "*p", "(int)(p - p + r)"]);
        let limit = generator.random.below(120);
        let relation = generator.pick(&["!=", "<=", "!=", ">="]);
        format!(
            "typedef unsigned long size_t;
extern unsigned char __VERIFIER_nondet_uchar(void);
void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
size_t strlen(const char *); size_t strnlen(const char *, size_t);
int strcmp(const char *, const char *); int strcasecmp(const char *, const char *);
int strncmp(const char *, const char *, size_t); int strncasecmp(const char *, const char *, size_t);
int memcmp(const void *, const void *, size_t);
char *strcpy(char *, const char *); char *strncpy(char *, const char *, size_t);
char *strcat(char *, const char *); char *strncat(char *, const char *, size_t);
char *strchr(const char *, int); char *strrchr(const char *, int); char *strchrnul(const char *, int);
char *strstr(const char *, const char *); char *strpbrk(const char *, const char *);
size_t strspn(const char *, const char *); size_t strcspn(const char *, const char *);
void *memchr(const void *, int, size_t); void *memrchr(const void *, int, size_t);
void *memset(void *, int, size_t); void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t); void *mempcpy(void *, const void *, size_t);
char *strdup(const char *); char *strndup(const char *, size_t);
int atoi(const char *); long atol(const char *); long strtol(const char *, char **, int);
int isdigit(int); int isalpha(int); int isspace(int); int isupper(int); int ispunct(int);
int tolower(int); int toupper(int); int ffs(int); int puts(const char *); int printf(const char *, ...);
struct w {{ char name[4]; char *next; }};
int main(void) {{
  int a = __VERIFIER_nondet_uchar() & 15, b = __VERIFIER_nondet_uchar() & 15, c = __VERIFIER_nondet_uchar() & 15;
  const char *alphabet = \"\\0ab1\";
  char s[5] = {{alphabet[a & 3], alphabet[a >> 2], alphabet[b & 3], '2', 0}};
  char t[3] = {{alphabet[b >> 2], alphabet[c & 3], alphabet[c >> 2]}}, d[8] = \"dad\", *p = s + 1, *q = 0;
  char *h = calloc(6, 1);
  struct w w = {{\"cb\", 0}};
  int r = 3, arr[2] = {{1, c}};
{}  //@ assert {left} {relation} {limit};
  return 0;
}}
",
            generator.text
        )
    }
}

#[test]
fn engine_and_enumeration_agree_on_library_calls() {
    let programs = support::scaled(PROGRAMS);
    let mut counts = support::Counts::default();
    for seed in 0..programs {
        let properties = match seed % 3 {
            0 => PropertySet::of(&[Property::ValidDeref, Property::ValidFree]),
            _ => PropertySet::of(&[Property::Assertion]),
        };
        counts.add(support::compare(seed, &Generator::program(seed), properties, &support::numbers()));
    }
    assert!(counts.safe >= programs / 20 && counts.violated >= programs / 10, "{counts:?}");
}

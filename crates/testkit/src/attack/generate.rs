//! Whole programs: declarations, a few functions, `main`, and checks of computed values.

use super::idiom::HELPERS;
use super::scope::{BYTE, Pointer, Record, Scope, TYPES};
use super::statement::Statement;
use super::{Attack, Flavour};
use crate::random::Random;

/// What the programs use and do not define.
const OUTSIDE: &str = "extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern char __VERIFIER_nondet_char(void);
extern short __VERIFIER_nondet_short(void);
extern long __VERIFIER_nondet_long(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern int outside(int);
extern unsigned char outside_byte(void);
extern void touch(int *);
extern void *malloc(unsigned long);
extern void *realloc(void *, unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void free(void *);
extern void abort(void);
extern void exit(int);
extern void *memcpy(void *, const void *, unsigned long);
extern void *memmove(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long);
extern int memcmp(const void *, const void *, unsigned long);
extern unsigned long strlen(const char *);
extern char *strcpy(char *, const char *);
extern char *strncpy(char *, const char *, unsigned long);
extern char *strcat(char *, const char *);
extern int strcmp(const char *, const char *);
extern char *strchr(const char *, int);";

/// Names at file scope that programs may define; the batch gives each program its own.
pub const NAMES: &[&str] = &[
    "acc", "g0", "g1", "garr", "gp", "gs", "gu", "s0", "u0", "f0", "f1", "rec", "via", "table", "n0", "pt", "make",
    "add", "twist", "each", "down", "count", "last",
];
/// Those of them that are objects.
pub const OBJECTS: &[&str] = &["acc", "g0", "g1", "garr", "gp", "gs", "gu", "last"];

/// One of a program's loops, from the inside.
pub struct LoopContext {
    /// What starts the next round, and the condition under which it may be said.
    pub again: (String, Option<String>),
    pub leave: String,
}

pub struct Generator<'f> {
    pub flavour: &'f Flavour,
    pub random: Random,
    pub lines: Vec<String>,
    pub scope: Scope,
    pub loops: Vec<LoopContext>,
    /// A `break` would leave a switch.
    pub in_switch: bool,
    /// Names of locals and labels end in a number.
    names: usize,
    pub inputs_left: u32,
    /// The functions that can be called, as far as they are written.
    pub callable: Vec<&'static str>,
    /// How many more lines the function may get.
    pub room: usize,
    /// Where pointers may not be assigned, because not every way there is followed.
    pub pointers_fixed: bool,
    indent: usize,
}

pub fn attack(flavour: &'static Flavour, seed: u64) -> Attack {
    let mut generator = Generator {
        flavour,
        random: Random::new(seed.wrapping_mul(2).wrapping_add(0x51ed)),
        lines: Vec::new(),
        scope: Scope::default(),
        loops: Vec::new(),
        in_switch: false,
        names: 0,
        inputs_left: 3,
        callable: Vec::new(),
        room: 0,
        pointers_fixed: false,
        indent: 0,
    };
    // The first numbers of neighbouring seeds resemble each other.
    for _ in 0..8 {
        generator.random.word();
    }
    generator.program();
    Attack { seed, flavour, lines: generator.lines }
}

impl Generator<'_> {
    pub fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.random.below(choices.len())]
    }

    pub fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    pub fn line(&mut self, text: &str) {
        let indent = "  ".repeat(self.indent);
        self.lines.push(format!("{indent}{text}"));
        self.room = self.room.saturating_sub(1);
    }

    /// A block with statements in it, or anything else that `inside` writes.
    pub fn block(&mut self, open: &str, close: &str, inside: impl FnOnce(&mut Self)) {
        self.line(open);
        self.indent += 1;
        self.scope.enter();
        inside(self);
        self.scope.leave();
        self.indent -= 1;
        self.line(close);
    }

    fn program(&mut self) {
        self.lines.extend(OUTSIDE.lines().map(str::to_string));
        self.types();
        self.lines.extend(HELPERS.iter().map(|(_, text)| text.to_string()));
        self.globals();
        if self.flavour.calls() {
            self.functions();
        }
        self.main();
        let text = self.lines.join("\n");
        // Only the declarations that are used: a short program is read sooner.
        self.lines.retain(|line| match declared_outside(line) {
            Some(name) => text.matches(&format!("{name}(")).count() > 1,
            None if helper(line)
                .is_some_and(|name| !self.flavour.has(Statement::Idiom) || mentions(&text, name) < 2) =>
            {
                false
            }
            None if line.starts_with("struct s0 {") => text.matches("struct s0").count() > 1,
            None if line.starts_with("union u0 {") => text.matches("union u0").count() > 1,
            None => true,
        });
    }

    /// `struct s0` and `union u0`: each member's name says its type to [`Generator::record_members`].
    fn types(&mut self) {
        let members: [(&str, usize); 4] = [("char c;", 9), ("int i;", 0), ("unsigned b : 3;", 1), ("short h;", 3)];
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.swap(0, self.random.below(4));
        order.swap(1, 1 + self.random.below(3));
        let width = 1 + self.random.below(7);
        let text: Vec<String> =
            order.iter().map(|index| members[*index].0.replace(": 3", &format!(": {width}"))).collect();
        self.line(&format!("struct s0 {{ {} }};", text.join(" ")));
        self.line("union u0 { long l; int i[2]; unsigned char b[8]; short h[4]; struct { unsigned lo : 5, hi : 11; int rest : 16; } f; };");
    }

    /// `acc` takes part in no expression: what is added to it is not lost until the check.
    fn globals(&mut self) {
        self.line("static unsigned acc;");
        for name in ["g0", "g1"] {
            if self.random.below(2) == 0 {
                continue;
            }
            let ty = self.some_type();
            let storage = self.pick(&["", "static "]);
            let value = if ty == super::scope::BOOL { "1".to_string() } else { self.random.below(9).to_string() };
            self.line(&format!("{storage}{} {name} = {value};", TYPES[ty].name));
            self.scope.scalar(name, ty, ty != super::scope::BOOL, true);
        }
        if self.random.below(3) == 0 {
            let pointee = super::scope::POINTEES[self.random.below(4)];
            self.line(&format!("{} garr[4] = {{1, 2, 3}};", TYPES[pointee].name));
            self.scope.array("garr", pointee, 4);
            self.line(&format!("{} *gp = garr;", TYPES[pointee].name));
            self.scope.pointers.push(Pointer {
                name: "gp".into(),
                pointee,
                depth: 0,
                target: Some(0),
                // It is seen by every function: it must never dangle.
                longest: (!self.flavour.dangling).then_some(0),
            });
        }
        if self.flavour.records() {
            self.line("struct s0 gs = {1, 2, 3, 1};");
            self.add_record("gs", "struct s0");
            self.line("union u0 gu;");
            self.add_record("gu", "union u0");
        }
    }

    pub fn add_record(&mut self, name: &str, tag: &'static str) {
        self.scope.records.push(Record { name: name.into(), tag, depth: self.scope.depth });
        if tag == "struct s0" {
            for (member, ty, addressable) in [("c", 9, true), ("i", 0, true), ("b", 1, false), ("h", 3, true)] {
                self.scope.scalar(format!("{name}.{member}"), ty, addressable, true);
            }
        } else {
            for (member, ty, addressable) in
                [("l", 4, true), ("f.lo", 1, false), ("f.hi", 1, false), ("f.rest", 0, false)]
            {
                self.scope.scalar(format!("{name}.{member}"), ty, addressable, true);
            }
            self.scope.array(format!("{name}.i"), 0, 2);
            self.scope.array(format!("{name}.b"), BYTE, 8);
            self.scope.array(format!("{name}.h"), 3, 4);
        }
    }

    fn functions(&mut self) {
        for name in ["f0", "f1"] {
            self.function(&format!("static int {name}(int a, int b) {{"), &[("a", 0), ("b", 0)]);
            self.callable.push(name);
        }
        self.line("static int (*table[2])(int, int) = {f0, f1};");
        self.callable.push("table");
        let (step, base) = (self.expression(1), self.simple());
        let twice = self.random.below(2) == 0;
        self.line("static int rec(int n, int m) {");
        self.line(&format!("  if (n <= 0) return m + ({base});"));
        match twice {
            true => self.line(&format!("  return rec(n - 1, m + 1) + rec(n - 2, ({step}));")),
            false => self.line(&format!("  return rec(n - 1, m ^ ({step}));")),
        }
        self.line("}");
        self.callable.push("rec");
        self.line("static void via(int *p, int v) {");
        let update =
            self.pick(&["*p = v;", "*p += v;", "if (v > 2) *p = v; else --*p;", "while (*p > 0 && v-- > 0) *p -= 1;"]);
        self.line(&format!("  {update}"));
        self.line("}");
        self.callable.push("via");
    }

    fn function(&mut self, head: &str, parameters: &[(&str, usize)]) {
        self.room = 6;
        self.block(head, "}", |this| {
            for (name, ty) in parameters {
                this.scope.scalar(*name, *ty, true, true);
            }
            for _ in 0..1 + this.random.below(2) {
                this.statement();
            }
            let result = this.expression(1);
            this.line(&format!("return {result};"));
        });
    }

    fn main(&mut self) {
        self.room = 16 + self.random.below(16);
        self.block("int main(void) {", "}", |this| {
            if this.flavour.records() {
                let value = this.simple();
                this.line(&format!("gu.l = {value};"));
            }
            for _ in 0..1 + this.random.below(2) {
                this.input();
            }
            for _ in 0..1 + this.random.below(3) {
                this.declare();
            }
            for _ in 0..1 + this.random.below(2) {
                this.declare_pointer();
            }
            for _ in 0..4 + this.random.below(5) {
                this.statement();
            }
            this.check(0);
            this.line("return 0;");
        });
    }

    /// A place where `reach_error` may be called, depending on a value.
    pub fn check(&mut self, site: u32) {
        let (left, right) = (self.readable().0, self.readable().0);
        let value = match self.random.below(9) {
            0 => left,
            4.. => self.pick(&["acc & 31", "acc % 7", "acc & 63", "acc >> 2 & 15"]).to_string(),
            1 => format!("{left} * 3 + {right}"),
            2 => format!("{left} ^ {right}"),
            _ => format!("({left} + {right}) & 15"),
        };
        self.line(&format!("CHECK({site}, {value});"));
    }
}

/// The name that a line of [`HELPERS`] defines.
fn helper(line: &str) -> Option<&'static str> {
    HELPERS.iter().find(|(_, text)| *text == line).map(|(name, _)| *name)
}

/// How many lines mention a name.
fn mentions(text: &str, name: &str) -> usize {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.lines().filter(|line| line.split(|letter| !is_name(letter)).any(|word| word == name)).count()
}

/// The function that a line of [`OUTSIDE`] declares.
fn declared_outside(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("extern ")?;
    let before = rest.split('(').next()?;
    before.rsplit([' ', '*']).next().filter(|name| *name != "reach_error")
}

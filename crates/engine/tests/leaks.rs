//! Lost and left memory against enumeration: random programs that keep allocations in variables of all kinds, in each other, as numbers and as
//! bytes, and end by `return` or by `exit` somewhere in the middle.

mod support;

use cfa::{Property, PropertySet};
use std::fmt::Write;
use testkit::random::Random;

const PROGRAMS: u64 = 100;

struct Generator {
    random: Random,
    text: String,
    depth: usize,
    /// Pointers to nodes that the statement at hand can name.
    pointers: Vec<String>,
    /// What is called below is written already.
    calls: bool,
}

impl Generator {
    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.random.below(choices.len())]
    }

    fn pointer(&mut self) -> String {
        let index = self.random.below(self.pointers.len());
        self.pointers[index].clone()
    }

    fn condition(&mut self) -> &'static str {
        self.pick(&["a > 7", "b == 3", "(a ^ c) & 1", "c < b", "a != 0", "p0 == 0"])
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{}{line}", "  ".repeat(self.depth)).expect("writing to a string");
    }

    fn statement(&mut self) {
        let (x, y) = (self.pointer(), self.pointer());
        match self.random.below(19) {
            0..=3 => self.line(&format!("{x} = malloc(sizeof(struct node)); {x}->next = 0;")),
            4 | 5 => self.line(&format!("{x} = {y};")),
            6 => self.line(&format!("{x} = 0;")),
            7 | 8 => self.line(&format!("if ({x}) {x}->next = {y};")),
            9 => self.line(&format!("if ({x}) {x} = {x}->next;")),
            10 => self.line(&format!("if ({x}) {{ free({x}); {x} = 0; }}")),
            11 | 12 if self.depth < 3 => {
                let open = match self.random.below(3) {
                    0 => "{".to_string(),
                    _ => format!("if ({}) {{", self.condition()),
                };
                self.block(&open, &y);
            }
            13 if self.depth < 3 => {
                let depth = self.depth;
                self.block(&format!("for (int i{depth} = 0; i{depth} < (b & 1) + 1; i{depth}++) {{"), &y);
            }
            14 if self.calls => {
                let stop = self.condition();
                self.line(&format!("leave({x}, {stop});"));
            }
            15 if self.calls => self.line(&format!("{x} = chain({y}).next;")),
            16 => {
                let stop = self.condition();
                self.line(&format!("if ({stop}) exit(c);"));
            }
            17 => {
                let line = match self.random.below(4) {
                    0 => format!("number = (unsigned long){x};"),
                    1 => format!("{{ void *copy = {x}; memcpy(bytes + (a & 1), &copy, sizeof copy); }}"),
                    2 => format!("either.pointer = {x};"),
                    _ => format!("if ({x}) inside = (char *){x} + {};", self.random.below(20)),
                };
                self.line(&line);
            }
            _ => {
                let (index, plus) = (self.random.below(6), self.random.below(300));
                self.line(&format!("numbers[{index}] = c + {plus};"));
            }
        }
    }

    /// A block with a variable of its own.
    fn block(&mut self, open: &str, value: &str) {
        self.line(open);
        self.depth += 1;
        let own = format!("own{}", self.depth);
        match self.random.below(3) {
            0 => self.line(&format!("struct node *{own} = {value};")),
            1 => self.line(&format!("struct node *{own} = {value}, **to_{own} = &{own};")),
            _ => self.line(&format!("struct node *{own}s[2] = {{ 0, {value} }}, *{own} = 0;")),
        }
        self.pointers.push(own);
        for _ in 0..1 + self.random.below(3) {
            self.statement();
        }
        self.pointers.pop();
        self.depth -= 1;
        self.line("}");
    }

    fn body(&mut self, pointers: &[&str], statements: usize) -> String {
        self.pointers = pointers.iter().map(|name| name.to_string()).collect();
        self.depth = 1;
        for _ in 0..statements {
            self.statement();
        }
        std::mem::take(&mut self.text)
    }

    fn program(seed: u64) -> String {
        let random = Random::new(seed);
        let mut generator = Generator { random, text: String::new(), depth: 1, pointers: Vec::new(), calls: false };
        let count = generator.random.below(3);
        let leave = generator.body(&["p0", "mine", "global"], count);
        generator.calls = true;
        let count = 2 + generator.random.below(8);
        let main = generator.body(&["p0", "p1", "taken", "record.next", "array[1]", "array[a & 1]", "global"], count);
        let end = generator.pick(&["return 0;", "exit(0);", "leave(p1, 1);", "global = 0;"]);
        format!(
            "extern unsigned char __VERIFIER_nondet_uchar(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void exit(int);
extern void *memcpy(void *, const void *, unsigned long);
struct node {{ struct node *next; int value; }};
struct node *global;
unsigned long number;
char bytes[12], *inside;
int numbers[6];
union {{ void *pointer; int parts[2]; }} either;
int a, b, c;
void leave(struct node *p0, int stop) {{
  struct node *mine = 0;
{leave}  if (stop) exit(1);
}}
struct node chain(struct node *to) {{
  struct node result = {{ malloc(sizeof(struct node)), 3 }};
  result.next->next = to;
  return result;
}}
int main(void) {{
  a = __VERIFIER_nondet_uchar() & 15;
  b = __VERIFIER_nondet_uchar() & 15;
  c = __VERIFIER_nondet_uchar() & 15;
  struct node *p0 = 0, *p1 = 0, *taken = 0, **take = &taken, *array[2] = {{ 0, 0 }};
  struct node record = {{ 0, 1 }};
{main}  {end}
  return take == 0;
}}
"
        )
    }
}

#[test]
fn leaks_and_enumeration_agree() {
    let asked = [
        PropertySet::of(&[Property::ValidMemtrack]),
        PropertySet::of(&[Property::ValidMemcleanup]),
        PropertySet::of(&[Property::ValidMemtrack, Property::ValidDeref, Property::ValidFree]),
        PropertySet::of(&[Property::ValidMemcleanup, Property::ValidMemtrack]),
    ];
    let programs = support::scaled(PROGRAMS);
    let mut counts = support::Counts::default();
    for seed in 0..programs {
        // Both data models meet each of them.
        let properties = asked[seed as usize / 2 % asked.len()];
        counts.add(support::compare(seed, &Generator::program(seed), properties, &support::numbers()));
    }
    assert!(counts.safe >= programs / 10 && counts.violated >= programs / 10, "{counts:?}");
}

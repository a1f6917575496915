//! Random programs that build, change, walk and free linked lists whose lengths depend on inputs: singly and doubly linked, with an end or
//! circular, some with lists in their nodes. Some have a defect.

use crate::random::Random;
use std::fmt::Write;

/// The program of a seed. It reads at most one input a round of its loops.
pub fn random(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from(
        "extern void *malloc(unsigned long); extern void free(void *); extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n",
    );
    match random.below(4) {
        0 => singly(&mut random, &mut text),
        1 => doubly(&mut random, &mut text),
        2 => circular(&mut random, &mut text),
        _ => nested(&mut random, &mut text),
    }
    text
}

/// One of some texts; the later ones, which are defects, are rare.
fn choose<'a>(random: &mut Random, right: &[&'a str], wrong: &[&'a str]) -> &'a str {
    match !wrong.is_empty() && random.below(8) == 0 {
        true => wrong[random.below(wrong.len())],
        false => right[random.below(right.len())],
    }
}

fn add(text: &mut String, part: &str) {
    writeln!(text, "  {part}").expect("strings grow");
}

const SINGLY: &str = "struct node { int data; struct node *next; };
struct node *new_node(int data) { struct node *n = malloc(sizeof(*n)); n->data = data; n->next = 0; return n; }
int main(void) {
  struct node *list = 0; struct node *p; struct node *q; struct node *t; int k = 0; int i = 0;";

fn singly(random: &mut Random, text: &mut String) {
    text.push_str(SINGLY);
    text.push('\n');
    let value = choose(random, &["1", "k", "__VERIFIER_nondet_int()", "2"], &[]);
    let build = choose(
        random,
        &[
            "while (__VERIFIER_nondet_int()) { p = new_node(VALUE); p->next = list; list = p; }",
            "while (__VERIFIER_nondet_int()) { t = new_node(VALUE); if (!list) list = t; else { p = list; while (p->next) p = p->next; p->next = t; } }",
            "t = 0; while (__VERIFIER_nondet_int()) { p = new_node(VALUE); if (t) t->next = p; else list = p; t = p; }",
            "for (i = 0; i < __VERIFIER_nondet_int(); i++) { p = new_node(VALUE); p->next = list; list = p; }",
        ],
        &["while (__VERIFIER_nondet_int()) { p = new_node(VALUE); t->next = p; t = p; }"],
    );
    add(text, &build.replace("VALUE", value));
    for _ in 0..1 + random.below(3) {
        let change = choose(
            random,
            &[
                "p = 0; while (list) { t = list->next; list->next = p; p = list; list = t; } list = p;",
                "if (list) { t = list; list = list->next; free(t); }",
                "for (p = list; p; p = p->next) { p->data = 1; k = k | 1; }",
                "for (p = list; p && p->data != 2; p = p->next) ; if (p) p->data = 3;",
                "p = list; while (p && __VERIFIER_nondet_int()) p = p->next; if (p) { t = new_node(2); t->next = p->next; p->next = t; }",
                "p = list; q = 0; while (p) { t = p->next; if (p->data == 1) { if (q) q->next = t; else list = t; free(p); } else q = p; p = t; }",
                "if (list && list->next) { p = list->next; list->next = p->next; free(p); }",
                "p = list; while (p && p->next && __VERIFIER_nondet_int()) { t = p->next; p->next = t->next; free(t); }",
            ],
            &[
                "p = list; while (__VERIFIER_nondet_int()) p = p->next;",
                "if (list) { free(list); }",
                "if (list && list->next) { list->next = list->next->next; }",
                "p = list; while (p && p->next) p = p->next; if (p) p->next = list;",
                "if (list) { t = list; free(t); list = t->next; }",
            ],
        );
        add(text, change);
    }
    let expected = choose(
        random,
        &["p->data == 1 || p->data != 1", "p != 0", "p->next != p", "p->data == VALUE || p->data <= 3"],
        &["p->data == 1", "p->next != 0", "p->data == 3"],
    );
    let expected = expected.replace("VALUE", if value.contains('_') { "7" } else { value });
    add(text, &format!("for (p = list; p; p = p->next) if (!({expected})) reach_error();"));
    let end = choose(
        random,
        &["while (list) { t = list->next; free(list); list = t; }"],
        &["while (list) { free(list); list = list->next; }", "if (list) free(list);", ";"],
    );
    add(text, end);
    add(text, "return 0;\n}");
}

const DOUBLY: &str = "struct node { struct node *next; struct node *prev; int data; };
int main(void) {
  struct node *head = 0; struct node *tail = 0; struct node *p; struct node *t; int k = 0;";

fn doubly(random: &mut Random, text: &mut String) {
    text.push_str(DOUBLY);
    text.push('\n');
    let build = choose(
        random,
        &[
            "while (__VERIFIER_nondet_int()) { p = malloc(sizeof(*p)); p->data = 1; p->prev = tail; p->next = 0; if (tail) tail->next = p; else head = p; tail = p; }",
            "while (__VERIFIER_nondet_int()) { p = malloc(sizeof(*p)); p->data = k; p->next = head; p->prev = 0; if (head) head->prev = p; else tail = p; head = p; }",
        ],
        &[
            "while (__VERIFIER_nondet_int()) { p = malloc(sizeof(*p)); p->data = 1; p->next = head; p->prev = 0; if (head) head->prev = p; head = p; }",
        ],
    );
    add(text, build);
    for _ in 0..random.below(3) {
        let change = choose(
            random,
            &[
                "if (tail) { t = tail->prev; if (t) t->next = 0; else head = 0; free(tail); tail = t; }",
                "for (p = tail; p; p = p->prev) p->data = 1;",
                "p = head; while (p && __VERIFIER_nondet_int()) p = p->next; if (p) { if (p->prev) p->prev->next = p->next; else head = p->next; if (p->next) p->next->prev = p->prev; else tail = p->prev; free(p); }",
                "if (head && head != tail) { t = head->next; t->prev = 0; free(head); head = t; }",
            ],
            &[
                "if (tail) { t = tail->prev; free(tail); tail = t; }",
                "p = head; while (p && __VERIFIER_nondet_int()) p = p->next; if (p) { p->prev->next = p->next; free(p); }",
            ],
        );
        add(text, change);
    }
    let expected = choose(
        random,
        &["!p->next || p->next->prev == p", "p->data <= 1", "p->prev || p == head"],
        &["p->next", "p->data == 0"],
    );
    add(text, &format!("for (p = head; p; p = p->next) if (!({expected})) reach_error();"));
    let end = choose(
        random,
        &[
            "while (head) { t = head->next; free(head); head = t; }",
            "while (tail) { t = tail->prev; free(tail); tail = t; }",
        ],
        &["while (head) { t = head->next; free(head); head = t; } if (tail) free(tail);"],
    );
    add(text, end);
    add(text, "return 0;\n}");
}

const CIRCULAR: &str = "struct link { struct link *next; struct link *prev; };
struct item { int data; struct link link; };
struct item *item_of(struct link *l) { return (struct item *)((char *)l - (unsigned long)&((struct item *)0)->link); }
int main(void) {
  struct link head; struct link *l; struct link *m; struct item *p; int k = 0;
  head.next = &head; head.prev = &head;";

fn circular(random: &mut Random, text: &mut String) {
    text.push_str(CIRCULAR);
    text.push('\n');
    let build = choose(
        random,
        &[
            "while (__VERIFIER_nondet_int()) { p = malloc(sizeof(*p)); p->data = 1; l = head.prev; p->link.next = &head; p->link.prev = l; l->next = &p->link; head.prev = &p->link; }",
            "do { p = malloc(sizeof(*p)); p->data = k; l = head.next; p->link.next = l; p->link.prev = &head; l->prev = &p->link; head.next = &p->link; } while (__VERIFIER_nondet_int());",
        ],
        &[
            "while (__VERIFIER_nondet_int()) { p = malloc(sizeof(*p)); p->data = 1; p->link.next = head.next; head.next = &p->link; }",
        ],
    );
    add(text, build);
    for _ in 0..random.below(3) {
        let change = choose(
            random,
            &[
                "l = head.next; if (l != &head) { l->prev->next = l->next; l->next->prev = l->prev; free(item_of(l)); }",
                "for (l = head.prev; l != &head; l = l->prev) item_of(l)->data = 1;",
                "l = head.next; while (l != &head) { m = l->next; if (__VERIFIER_nondet_int()) { l->prev->next = m; m->prev = l->prev; free(item_of(l)); } l = m; }",
            ],
            &[
                "l = head.next; l->prev->next = l->next; l->next->prev = l->prev; free(item_of(l));",
                "l = head.next; if (l != &head) free(l);",
            ],
        );
        add(text, change);
    }
    let expected = choose(
        random,
        &["l->next->prev == l", "item_of(l)->data <= 1"],
        &["item_of(l)->data == 1", "l->next != &head"],
    );
    add(text, &format!("for (l = head.next; l != &head; l = l->next) if (!({expected})) reach_error();"));
    let end = choose(
        random,
        &["l = head.next; while (l != &head) { m = l->next; free(item_of(l)); l = m; }"],
        &["l = head.next; while (l != &head) { free(item_of(l)); l = l->next; }"],
    );
    add(text, end);
    add(text, "return 0;\n}");
}

const NESTED: &str = "struct sub { struct sub *next; int data; };
struct top { struct top *next; struct sub *down; int data; };
int main(void) {
  struct top *list = 0; struct top *t; struct top *n; struct sub *s; struct sub *r; int k = 0;";

fn nested(random: &mut Random, text: &mut String) {
    text.push_str(NESTED);
    text.push('\n');
    let inner = choose(
        random,
        &[
            "do { s = malloc(sizeof(*s)); s->data = 2; s->next = t->down; t->down = s; } while (__VERIFIER_nondet_int());",
            "s = malloc(sizeof(*s)); s->data = 2; s->next = 0; t->down = s;",
            "while (__VERIFIER_nondet_int()) { s = malloc(sizeof(*s)); s->data = 2; s->next = t->down; t->down = s; }",
        ],
        &["s = malloc(sizeof(*s)); t->down = s;"],
    );
    add(
        text,
        &format!(
            "while (__VERIFIER_nondet_int()) {{ t = malloc(sizeof(*t)); t->down = 0; t->data = 1; {inner} t->next = list; list = t; }}"
        ),
    );
    let walk = choose(
        random,
        &[
            "for (t = list; t; t = t->next) for (s = t->down; s; s = s->next) if (s->data != 2) reach_error();",
            "for (t = list; t; t = t->next) if (t->data != 1) reach_error();",
        ],
        &["for (t = list; t; t = t->next) if (t->down->next) reach_error();"],
    );
    add(text, walk);
    let end = choose(
        random,
        &[
            "while (list) { s = list->down; while (s) { r = s->next; free(s); s = r; } n = list->next; free(list); list = n; }",
        ],
        &[
            "while (list) { s = list->down; while (s) { r = s->next; free(s); s = r; } free(list); list = list->next; }",
            "while (list) { n = list->next; free(list); list = n; }",
        ],
    );
    add(text, end);
    add(text, "return 0;\n}");
}

//! What is proved, what must not be, and that the checker needs all of a proof.

use crate::{budget, compile, memory_safety, task};
use cfa::{DataModel, Property, PropertySet};
use shapes::{Flaw, Trouble, analyze, check};

const HEAD: &str =
    "extern void *malloc(unsigned long); extern void *calloc(unsigned long, unsigned long); extern void free(void *);
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
struct node { int data; struct node *next; };
struct both { struct both *next; struct both *prev; int data; };
";

fn decide(body: &str, properties: PropertySet) -> Result<(), Trouble> {
    let text = format!("{HEAD}{body}");
    for model in [DataModel::Ilp32, DataModel::Lp64] {
        let (_, program) = compile(&text, model);
        let task = task(&program, properties);
        let found = analyze(task, &budget())?;
        assert_eq!(check(&found, task, &budget()), Ok(()), "{text}");
    }
    Ok(())
}

fn reachability() -> PropertySet {
    PropertySet::of(&[Property::UnreachCall])
}

const PUSH: &str = "struct node *l = 0; while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof(*n)); n->data = 1; n->next = l; l = n; }";
const FREE: &str = "while (l) { struct node *n = l->next; free(l); l = n; }";

#[test]
fn lists_of_any_length() {
    let proved = [
        format!("int main(void) {{ {PUSH} {FREE} return 0; }}"),
        // Appended at the end, found by a walk.
        format!(
            "int main(void) {{ struct node *l = 0; while (__VERIFIER_nondet_int()) {{ struct node *n = calloc(1, sizeof(*n));
            if (!l) l = n; else {{ struct node *p = l; while (p->next) p = p->next; p->next = n; }} }} {FREE} return 0; }}"
        ),
        // Reversed.
        format!(
            "int main(void) {{ {PUSH} struct node *r = 0; while (l) {{ struct node *n = l->next; l->next = r; r = l; l = n; }} l = r; {FREE} return 0; }}"
        ),
        // A function that is given the address of the list.
        format!(
            "void push(struct node **l) {{ struct node *n = malloc(sizeof(*n)); n->next = *l; *l = n; }}
            int main(void) {{ struct node *l = 0; while (__VERIFIER_nondet_int()) push(&l); {FREE} return 0; }}"
        ),
    ];
    for body in proved {
        assert_eq!(decide(&body, memory_safety()), Ok(()), "{body}");
    }
}

#[test]
fn data_of_all_nodes() {
    let walk =
        |cond: &str| format!("for (struct node *p = l; p; p = p->next) if (!({cond})) reach_error(); return 0; }}");
    let all_equal = format!("int main(void) {{ {PUSH} {}", walk("p->data == 1"));
    assert_eq!(decide(&all_equal, reachability()), Ok(()));
    let wrong = format!("int main(void) {{ {PUSH} {}", walk("p->data == 2"));
    assert!(decide(&wrong, reachability()).is_err());
    // Nodes of two kinds, between which a relation of two members holds.
    let kinds =
        "int main(void) { struct both *l = 0; while (__VERIFIER_nondet_int()) { struct both *n = malloc(sizeof(*n));
        n->data = __VERIFIER_nondet_int(); n->prev = 0; if (n->data > 5) n->prev = n; n->next = l; l = n; }
        for (; l; l = l->next) if (COND) reach_error(); return 0; }";
    assert_eq!(decide(&kinds.replace("COND", "l->data > 5 && l->prev != l"), reachability()), Ok(()));
    assert!(decide(&kinds.replace("COND", "l->data > 4 && l->prev != l"), reachability()).is_err());
}

#[test]
fn doubly_linked_and_circular() {
    let doubly = "int main(void) { struct both *head = 0, *tail = 0; while (__VERIFIER_nondet_int()) { struct both *n = malloc(sizeof(*n));
        n->prev = tail; n->next = 0; if (tail) tail->next = n; else head = n; tail = n; }
        while (tail) { struct both *n = tail->prev; if (n && n->next != tail) reach_error(); free(tail); tail = n; } return 0; }";
    assert_eq!(decide(doubly, memory_safety()), Ok(()));
    assert_eq!(decide(doubly, reachability()), Ok(()));
    let linux = "struct item { int data; struct both link; };
        int main(void) { struct both head; head.next = &head; head.prev = &head;
        while (__VERIFIER_nondet_int()) { struct item *n = malloc(sizeof(*n)); struct both *last = head.prev;
            n->link.next = &head; n->link.prev = last; last->next = &n->link; head.prev = &n->link; }
        struct both *l = head.next;
        while (l != &head) { struct both *m = l->next; free((char *)l - (unsigned long)&((struct item *)0)->link); l = m; } return 0; }";
    assert_eq!(decide(linux, memory_safety()), Ok(()));
    assert!(decide(&linux.replace("- (unsigned long)&((struct item *)0)->link", "- 0"), memory_safety()).is_err());
}

#[test]
fn nested_lists() {
    let nested = "struct top { struct top *next; struct node *down; };
        int main(void) { struct top *l = 0; while (__VERIFIER_nondet_int()) { struct top *t = malloc(sizeof(*t)); t->down = 0;
            do { struct node *n = malloc(sizeof(*n)); n->next = t->down; t->down = n; } while (__VERIFIER_nondet_int());
            t->next = l; l = t; }
        while (l) { struct node *s = l->down; do { struct node *n = s->next; free(s); s = n; } while (s); struct top *t = l->next; free(l); l = t; }
        return 0; }";
    assert_eq!(decide(nested, memory_safety()), Ok(()));
    assert!(
        decide(&nested.replace("do { struct node *n = s->next; free(s); s = n; } while (s);", ""), memory_safety())
            .is_err()
    );
    let empty = nested.replace(
        "do { struct node *n = malloc(sizeof(*n)); n->next = t->down; t->down = n; } while (__VERIFIER_nondet_int());",
        "while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof(*n)); n->next = t->down; t->down = n; }",
    );
    assert!(decide(&empty, memory_safety()).is_err(), "a list in a node may be empty");
}

#[test]
fn defects_are_not_proved() {
    let wrong = [
        // A leak, a second free, a use after free, a dereference of the end.
        format!("int main(void) {{ {PUSH} l = 0; return 0; }}"),
        format!("int main(void) {{ {PUSH} return 0; }}"),
        format!("int main(void) {{ {PUSH} struct node *k = l; {FREE} free(k); return 0; }}"),
        format!("int main(void) {{ {PUSH} while (l) {{ free(l); l = l->next; }} return 0; }}"),
        format!(
            "int main(void) {{ {PUSH} struct node *p = l; while (__VERIFIER_nondet_int()) p = p->next; {FREE} return 0; }}"
        ),
        format!("int main(void) {{ {PUSH} if (l) l->next = 0; {FREE} return 0; }}"),
        format!("int main(void) {{ {PUSH} if (l && l->next) l->next->next = l; {FREE} return 0; }}"),
        // An allocation that only a variable of a function that was left leads to.
        "void f(void) { struct node *n = malloc(sizeof(*n)); n->next = 0; } int main(void) { f(); return 0; }".into(),
        // The address of a variable that is gone.
        "int *f(void) { int x = 1; int *p = &x; return p; } int main(void) { return *f(); }".into(),
        // An array is left.
        "int main(void) { int a[4]; int i = __VERIFIER_nondet_int(); if (i >= 0 && i <= 4) a[i] = 1; return 0; }"
            .into(),
    ];
    for body in wrong {
        assert!(decide(&body, memory_safety()).is_err(), "{body}");
    }
    assert_eq!(
        decide(
            "int main(void) { int a[4]; int i = __VERIFIER_nondet_int(); if (i >= 0 && i < 4) a[i] = 1; return 0; }",
            memory_safety()
        ),
        Ok(())
    );
}

/// Every state of a proof is needed: without one, the checker finds a run that is not described.
#[test]
fn incomplete_proofs_are_rejected() {
    let (_, program) = compile(&format!("{HEAD}int main(void) {{ {PUSH} {FREE} return 0; }}"), DataModel::Lp64);
    let task = task(&program, memory_safety());
    let proof = analyze(task, &budget()).expect("a proof");
    assert_eq!(check(&proof, task, &budget()), Ok(()));
    for (place, states) in &proof.states {
        for index in 0..states.len() {
            let mut less = proof.clone();
            less.states.get_mut(place).expect("there").remove(index);
            assert!(matches!(check(&less, task, &budget()), Err(Flaw::NotCovered(_))), "{place:?} without {index}");
        }
    }
    // States of another program describe nothing here.
    let (_, other) = compile(&format!("{HEAD}int main(void) {{ {PUSH} l = 0; {FREE} return 0; }}"), DataModel::Lp64);
    assert!(check(&proof, crate::task(&other, memory_safety()), &budget()).is_err());
}

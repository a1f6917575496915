//! Random programs, run on random inputs: every pointer, write, call and read of every step is what the analyses allow.

use super::watch::{Compared, Watch};
use cfa::analysis::PointsTo;
use cfa::analysis::effects::EffectAnalysis;
use cfa::interp::{Config, InputRequest, Inputs, ProgramArgs, run_observed};
use cfa::{Bits, DataModel, PropertySet};
use testkit::attack::{FLAVOURS, attack};
use testkit::random::Random;

struct RandomInputs(Random);

impl Inputs for RandomInputs {
    fn next(&mut self, _: &InputRequest) -> Option<Bits> {
        let word = self.0.word();
        // Mostly the small values that the programs branch on.
        Some(Bits::new(if self.0.below(4) == 0 { word as u128 } else { (word >> 20 & 3) as u128 }))
    }
}

/// Runs a program a few times under observation.
fn watch(name: &str, text: &str, model: DataModel, runs: u64, total: &mut Compared) {
    let (_, mut compiled) = testkit::compile(text.as_bytes(), model);
    assert!(!compiled.has_errors(), "{name}: {:?}", compiled.diagnostics);
    let meaning = cfa::undefined::UndefinedFunctions::Havoc;
    cfa::undefined::apply(&mut compiled.program, &compiled.outside, meaning);
    let program = &compiled.program;
    let entry = program.function_named("main").expect("there is a main");
    let points_to = PointsTo::of(program, entry);
    let effects = EffectAnalysis::new(&points_to);
    for seed in 0..runs {
        let mut inputs = RandomInputs(Random::new(seed + 1));
        let config = Config { properties: PropertySet::EMPTY, max_steps: 400, ..Config::default() };
        let mut watch = Watch::new(&points_to, &effects, entry);
        run_observed(program, entry, &ProgramArgs::default(), &mut inputs, &config, &mut watch);
        assert!(watch.wrong.is_empty(), "{name}, run {seed}:\n{text}\n{}", watch.wrong.join("\n"));
        total.pointers += watch.compared.pointers;
        total.writes += watch.compared.writes;
        total.calls += watch.compared.calls;
        total.live += watch.compared.live;
        total.frees += watch.compared.frees;
    }
}

#[test]
fn attack_programs() {
    let mut total = Compared::default();
    for flavour in FLAVOURS {
        for seed in 0..40 {
            let text = attack(flavour, seed).with_checks();
            let text = format!("static void CHECK(int site, long value) {{ (void)site; (void)value; }}\n{text}\n");
            watch(&format!("{} {seed}", flavour.name), &text, DataModel::Lp64, 4, &mut total);
        }
    }
    let enough = total.pointers > 10_000 && total.writes > 10_000 && total.calls > 500 && total.live > 10_000;
    assert!(enough && total.frees > 50, "{total:?}");
}

#[test]
fn enumerable_programs() {
    let mut total = Compared::default();
    for seed in 0..120 {
        let text = testkit::programs::random(seed);
        let model = if seed % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
        watch(&format!("seed {seed}"), &text, model, 4, &mut total);
    }
    assert!(total.pointers > 5_000 && total.writes > 2_000, "{total:?}");
}

/// Pointers in places that random programs do not put them.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "lists on the heap",
        "extern void *malloc(unsigned long); extern void free(void *); extern void *realloc(void *, unsigned long);
        struct node { int value; struct node *next; };
        static struct node *push(struct node *list, int value) {
          struct node *new = malloc(sizeof *new); new->value = value; new->next = list; return new; }
        int main(void) { struct node *list = 0; int sum = 0;
          for (int i = 0; i < 5; i++) list = push(list, i);
          while (list) { struct node *next = list->next; sum += list->value; free(list); list = next; }
          int **table = malloc(4 * sizeof *table); int a = 1, b = 2; table[0] = &a; table[1] = &b;
          table = realloc(table, 8 * sizeof *table); table[2] = table[0]; *table[2] = 7; *table[1] = 9;
          return a + b + sum; }",
    ),
    (
        "pointers through integers, unions, bytes and memcpy",
        "extern void *memcpy(void *, const void *, unsigned long);
        union u { int *p; long l; unsigned char bytes[sizeof(int *)]; };
        struct s { int n; int *p; struct { char c; int **pp; } in; };
        int x, y, *gp = &y, **table[3] = { &gp, 0, &gp };
        int main(void) { union u a, b; a.p = &x; for (unsigned i = 0; i < sizeof(int *); i++) b.bytes[i] = a.bytes[i];
          *b.p = 3; long l = (long)&y; *(int *)l = 4; l = l ^ 0x55; l = l ^ 0x55; *(int *)l = 5;
          struct s s = { 1, &x, { 2, &gp } }, t, array[4]; memcpy(&t, &s, sizeof s); *t.p = 6; **t.in.pp = 7;
          for (int i = 0; i < 4; i++) { array[i] = t; array[i].n = i; } *array[2].p = 8; **table[2] = 9;
          char *raw = (char *)&array[3]; raw += sizeof(struct s) - sizeof(struct s); ((struct s *)raw)->p = &y;
          *array[3].p = 10; return x + y; }",
    ),
    (
        "functions in tables and members",
        "extern int __VERIFIER_nondet_int(void);
        static int one(int *p) { *p += 1; return 1; } static int two(int *p) { *p += 2; return 2; }
        struct ops { int id; int (*go)(int *); }; static struct ops all[] = { { 1, one }, { 2, two } };
        static int apply(int (*f)(int *), int *p) { return f(p); }
        static int (*choose(int n))(int *) { return n ? one : two; }
        struct pair { int *a, *b; }; static struct pair make(int *a, int *b) { struct pair p = { a, b }; return p; }
        int main(void) { int x = 0, y = 0; struct ops *o = &all[__VERIFIER_nondet_int() & 1]; o->go(&x);
          apply(all[1].go, &y); apply(choose(x), &x); (*choose(0))(&y);
          struct pair p = make(&x, &y), *q = &p; *q->a = 5; *p.b = 6; return x + y; }",
    ),
    (
        "strings",
        "typedef unsigned long size_t; extern char *strtok(char *, const char *); extern char *strchr(const char *, int);
        extern char *strdup(const char *); extern char *strcpy(char *, const char *); extern long strtol(const char *, char **, int);
        extern int sprintf(char *, const char *, ...); extern int sscanf(const char *, const char *, ...);
        extern void *memset(void *, int, size_t); extern char *strsep(char **, const char *); extern int *__errno_location(void);
        extern void free(void *); extern double modf(double, double *); extern int posix_memalign(void **, size_t, size_t);
        struct s { char name[8]; char *more; int n; };
        int main(int argc, char **argv) { char text[20]; strcpy(text, \"a b 12\"); char *word = strtok(text, \" \");
          while (word) { *word = 'x'; word = strtok(0, \" \"); }
          char *end; strcpy(text, \"77 q\"); long n = strtol(text, &end, 10); *end = 'z';
          struct s s; memset(&s, 0, sizeof s); s.more = strdup(text); strcpy(s.name, \"abc\"); s.more[0] = 'm'; *strchr(s.more, 'q') = 'r';
          sprintf(s.name, \"%d\", 5); sscanf(\"12\", \"%d\", &s.n); char *rest = text; char *first = strsep(&rest, \"z\"); first[0] = rest[0];
          *__errno_location() = 3; argv[0][0] = 'p'; double whole, f = modf(2.5, &whole); void *block = 0;
          if (posix_memalign(&block, 16, 32) == 0) { ((char *)block)[3] = 1; free(block); }
          free(s.more); return (int)n + argc + (int)(whole + f) + *__errno_location(); }",
    ),
    (
        "recursion with addresses of locals, and alloca",
        "extern void *__builtin_alloca(unsigned long);
        static int deep(int n, int *up) { int mine = n; if (up) *up += n; if (n == 0) return mine; deep(n - 1, &mine);
          int vla[n]; for (int i = 0; i < n; i++) vla[i] = mine; int *stack = __builtin_alloca(8); stack[1] = vla[n - 1]; return stack[1]; }
        int main(void) { int x = 0; { int y = 1; int *p = &y; *p = 2; x = y; } return deep(3, &x) + x; }",
    ),
];

#[test]
fn chosen_programs() {
    for (name, text) in PROGRAMS {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            watch(name, text, model, 3, &mut Compared::default());
        }
    }
}

/// The texts of places that may be anywhere.
fn unknown_places(text: &str) -> Vec<String> {
    let (_, compiled) = testkit::compile(text.as_bytes(), DataModel::Lp64);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    let program = &compiled.program;
    let points_to = PointsTo::of(program, program.function_named("main").expect("there is a main"));
    let unknown = program.places.ids().filter(|place| points_to.place(*place).anything);
    unknown.map(|place| cfa::display::place_text(program, place)).collect()
}

#[test]
fn only_computed_addresses_are_unknown() {
    for (name, text) in PROGRAMS {
        let unknown = unknown_places(text);
        let computes = name.starts_with("pointers through integers") || *name == "strings";
        assert_eq!(computes, !unknown.is_empty(), "{name}: {unknown:?}");
    }
    let unknown = unknown_places(
        "struct s { int n; int *p; struct s *next; } a[5]; int x, y, *table[40];
        int main(void) { for (int i = 0; i < 5; i++) { a[i].n = i + 100000; a[i].p = &x; a[i].next = &a[i / 2]; }
          for (int i = 0; i < 40; i++) table[i] = i & 1 ? &x : &y;
          struct s *s = a + 3; while (s != a) { *s->p = s->n; s = s->next; } return *table[x & 7]; }",
    );
    assert_eq!(unknown, Vec::<String>::new());
}

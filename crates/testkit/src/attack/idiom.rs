//! Idioms: several statements that only mean something together, each in its own block, with random expressions in them. What they compute
//! goes into `acc`.

use super::generate::Generator;
use super::scope::INT;

/// Types and functions that idioms use; a program keeps those that it mentions.
pub const HELPERS: &[(&str, &str)] = &[
    ("n0", "struct n0 { int value; struct n0 *next; };"),
    ("pt", "struct pt { short x; int y; };"),
    ("make", "static struct pt make(int a, int b) { struct pt p = {a, b}; return p; }"),
    ("add", "static void add(void *data, int v) { *(int *)data += v; }"),
    ("twist", "static void twist(void *data, int v) { *(int *)data ^= v + 1; }"),
    ("each", "static void each(void (*f)(void *, int), void *data, int n) { for (int i = 0; i < n; i++) f(data, i); }"),
    (
        "down",
        "static int down(int n, int *up) { int here = n * 2 + *up; if (n <= 0) return here; int r = down(n - 1, n & 1 ? &here : up); *up += 1; return r + here; }",
    ),
    ("count", "static int count(void) { static int c = 1; c = c * 2 + 1; return c & 15; }"),
    ("last", "static int *last;"),
];

type Idiom = fn(&mut Generator<'_>);

const IDIOMS: &[Idiom] = &[
    chain,
    pointer_to_pointer,
    callback,
    round_trip,
    matrix,
    literal,
    record_by_value,
    floats,
    float_bits,
    frames,
    static_local,
    record_with_pointer,
    walk,
    duff,
    global_pointer,
    growing_array,
    volatile_object,
    rows_of_records,
];

impl Generator<'_> {
    pub fn idiom(&mut self) {
        let idiom = IDIOMS[self.random.below(IDIOMS.len())];
        self.block("{", "}", |this| idiom(this));
    }

    fn number(&mut self) -> String {
        self.expression(1)
    }

    /// A number from 0 to 3.
    fn small(&mut self) -> String {
        format!("(({}) & 3)", self.simple())
    }

    fn lines_of(&mut self, text: &str) {
        for line in text.lines() {
            self.line(line.trim());
        }
    }
}

fn chain(g: &mut Generator<'_>) {
    let (a, b, c, cond, other, new) = (g.number(), g.number(), g.number(), g.condition(), g.condition(), g.number());
    g.lines_of(&format!(
        "struct n0 a = {{{a}, 0}}, b = {{{b}, &a}}, c = {{{c}, {cond} ? &b : &a}}, *q = &c;
         if ({other}) c.next = c.next->next;
         if (c.next) c.next->value ^= {new};
         while (q) {{ acc = acc * 3 + q->value; if (q->value & 1) q->value += 2; q = q->next; }}
         acc += a.value + b.value;"
    ));
}

fn pointer_to_pointer(g: &mut Generator<'_>) {
    let Some((first, _)) = g.address(INT, None) else { return };
    let Some((second, _)) = g.address(INT, None) else { return };
    let (cond, value, other) = (g.condition(), g.number(), g.number());
    g.lines_of(&format!(
        "int x = {value}, *p = {first}, *r = &x, **pp = {cond} ? &p : &r;
         *pp = {second};
         **pp = {other};
         acc = acc * 5 + *p + *r * 3 + x + (p == r);"
    ));
}

fn callback(g: &mut Generator<'_>) {
    let (start, cond, times) = (g.number(), g.condition(), g.small());
    g.lines_of(&format!(
        "int data = {start};
         each({cond} ? add : twist, &data, {times});
         acc = acc * 3 + data;"
    ));
}

fn round_trip(g: &mut Generator<'_>) {
    let (start, cond, value) = (g.number(), g.condition(), g.small());
    g.lines_of(&format!(
        "int data = {start};
         void *raw = {cond} ? (void *)add : (void *)twist;
         void *where = &data;
         ((void (*)(void *, int))raw)(where, {value});
         if ((unsigned long)where == (unsigned long)&data) acc = acc * 3 + *(int *)where;"
    ));
}

fn matrix(g: &mut Generator<'_>) {
    let (a, b, row, column, value) = (g.number(), g.number(), g.simple(), g.simple(), g.number());
    g.lines_of(&format!(
        "short m[2][3] = {{{{{a}, 2}}, {{3, {b}, 5}}}}, (*row)[3] = &m[({row}) & 1];
         m[({column}) & 1][({row}) & 1] = {value};
         (*row)[2] += 1;
         acc = acc * 3 + m[0][0] + m[1][2] * 3 + *(*(m + 1) + 1) + row[0][({column}) & 1] + (row - m);"
    ));
}

fn literal(g: &mut Generator<'_>) {
    let (a, b, index) = (g.number(), g.number(), g.simple());
    g.lines_of(&format!(
        "int *p = (int[]){{{a}, {b}, 7}};
         struct pt q = (struct pt){{.y = p[({index}) & 1]}};
         p[1] = q.x + 1;
         acc = acc * 3 + p[({index}) & 1] + q.y + \"abcd\"[({index}) & 3];"
    ));
}

fn record_by_value(g: &mut Generator<'_>) {
    let (a, b, c, cond) = (g.number(), g.number(), g.number(), g.condition());
    g.lines_of(&format!(
        "struct pt p = make({a}, {b}), q = p;
         q.y = make({c}, p.x).y;
         p = {cond} ? q : make(p.y, 3);
         acc = acc * 3 + p.x + p.y * 5 + q.y;"
    ));
}

fn floats(g: &mut Generator<'_>) {
    let (a, b) = (g.simple(), g.simple());
    let op = g.pick(&["+", "-", "*"]);
    let compare = g.pick(&["<", ">", "==", ">=", "!="]);
    g.lines_of(&format!(
        "double d = (({a}) & 15) * 0.25 - 1;
         float f = (({b}) & 7) / 3.0f;
         d = d {op} f;
         if (d {compare} f) acc += 5;
         acc = acc * 3 + (int)(d * 4) + (unsigned char)(f + 1) + (d != (float)d);"
    ));
}

fn float_bits(g: &mut Generator<'_>) {
    let (a, b) = (g.small(), g.small());
    g.lines_of(&format!(
        "union {{ float f; unsigned u; unsigned char b[4]; }} w = {{1.5f + {a}}};
         w.u ^= (unsigned){b} << 22;
         w.b[3] |= ({a}) << 7;
         acc = acc * 3 + (w.f > 1) + (w.f < -1) * 2 + (w.u >> 24);"
    ));
}

fn frames(g: &mut Generator<'_>) {
    let (start, depth) = (g.small(), g.small());
    g.lines_of(&format!("int top = {start};\nacc = acc * 3 + down({depth}, &top);\nacc += top;"));
}

fn static_local(g: &mut Generator<'_>) {
    let cond = g.condition();
    g.lines_of(&format!("if ({cond}) count();\nacc = acc * 3 + count();"));
}

fn record_with_pointer(g: &mut Generator<'_>) {
    let (value, new) = (g.number(), g.number());
    g.lines_of(&format!(
        "int x = {value}, y = 4;
         struct {{ int *p; char tag; int k; }} a = {{&x, 1, 2}}, b = {{&y, 3, 4}}, t;
         memcpy(&t, &a, sizeof t); a = b; b = t;
         *b.p = {new}; *a.p += b.tag;
         acc = acc * 3 + x * 5 + y + a.k + (b.p == &x);"
    ));
}

fn walk(g: &mut Generator<'_>) {
    let (a, b, count) = (g.number(), g.number(), g.small());
    let condition = g.pick(&["q != end", "q < end", "end - q > 0", "end > q"]);
    g.lines_of(&format!(
        "int w[4] = {{{a}, {b}, 3}}, *end = w + {count};
         for (int *q = w; {condition}; q++) {{ if (*q & 1) continue; acc = acc * 3 + *q; *q += (int)(q - w); }}
         acc += w[0] + w[3] + (int)(end - w);"
    ));
}

fn duff(g: &mut Generator<'_>) {
    let (entry, limit, value) = (g.simple(), 1 + g.random.below(3), g.number());
    let k = g.fresh("k");
    g.lines_of(&format!(
        "int {k} = 0;
         switch (({entry}) & 3) {{
         do {{ case 3: acc++; case 2: acc = acc * 3 + ({value}); case 1: acc ^= 1; default: {k}++; }} while ({k} < {limit});
         }}"
    ));
}

fn global_pointer(g: &mut Generator<'_>) {
    let (value, cond) = (g.number(), g.condition());
    g.lines_of(&format!(
        "int here = {value};
         if (!last || {cond}) last = &here;
         *last += 1;
         acc = acc * 3 + here + (last == &here);
         last = 0;"
    ));
}

fn growing_array(g: &mut Generator<'_>) {
    let (value, index) = (g.number(), g.simple());
    let limit = 1 + g.random.below(3);
    let k = g.fresh("k");
    g.lines_of(&format!(
        "for (int {k} = 1; {k} <= {limit}; {k}++) {{
         unsigned char grow[{k}]; memset(grow, {value}, sizeof grow);
         unsigned char *p = &grow[(({index}) & 3) % {k}]; *p = {k};
         acc = acc * 3 + grow[0] + grow[{k} - 1] + sizeof grow;
         }}"
    ));
}

fn volatile_object(g: &mut Generator<'_>) {
    let (value, other) = (g.number(), g.number());
    g.lines_of(&format!(
        "volatile short s = {value}; const volatile long c = {other};
         s = s + 1; s ^= c;
         acc = acc * 3 + (unsigned short)s + (c > s);"
    ));
}

fn rows_of_records(g: &mut Generator<'_>) {
    let (a, b, index, value) = (g.number(), g.number(), g.simple(), g.number());
    g.lines_of(&format!(
        "struct pt r[3] = {{{{1, {a}}}, [2] = {{{b}}}}}, *q = r + (({index}) & 1);
         q[1] = *q; q->y = {value}; r[({index}) & 1].x--;
         acc = acc * 3 + r[0].x + r[1].y * 3 + r[2].x + r[2].y + (q == r);"
    ));
}

//! One test for each source.

use super::{contract, expect, texts};

#[test]
fn constants_bound_a_counter() {
    expect("int main(void) { int i = 0; while (i < 100) i++; return 0; }", &["i >= 0", "i <= 100"]);
    // The loop does not end within the limit of steps.
    expect("int main(void) { int i = 0; while (i < 1000000) i++; return 0; }", &["i >= 0", "i <= 1000000"]);
}

#[test]
fn constants_list_the_states_of_a_machine() {
    let text = "int main(void) { int s = 3; unsigned flag = 1; while (1) {
        if (s == 3) s = 40; else if (s == 40 && __VERIFIER_nondet_int()) s = 500; else s = 3; } }";
    expect(text, &["s == 3 | s == 40 | s == 500"]);
}

#[test]
fn constants_see_the_only_value_of_members_and_globals() {
    let text = "struct s { int a, b; } g; int locked; void f(void) { locked = 1; g.a++; locked = 0; }
        int main(void) { g.b = 7; while (__VERIFIER_nondet_int()) { f(); g.b = 7; } return 0; }";
    expect(text, &["locked == 0", "g.b == 7", "g.a >= 0"]);
}

#[test]
fn constants_know_pointers_and_floats() {
    let text = "int a[9]; int main(void) { int *p = a; double d = 0.5; while (__VERIFIER_nondet_int()) { p = a; d = d * 0.5; } return d > 2 || !p; }";
    expect(text, &["p != 0", "d >= 0.0", "d <= 1.0"]);
}

#[test]
fn relations_compare_as_c_does() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(); int i = 0, j = 0, k = 3; if (n < 0) return 0;
        while (i < n) { i++; j++; k++; } return 0; }";
    expect(text, &["i == j", "i <= n", "i < k", "i == k - 3U", "i == k - 3LL"]);
    let text = "int main(void) { unsigned n = __VERIFIER_nondet_uint(), i = 0; while (i < n) i++; return 0; }";
    expect(text, &["i <= n"]);
}

#[test]
fn every_loop_of_every_called_function_has_candidates() {
    let text = "int t; void g(int m) { int k = m; while (k > 0) k--; } void h(int m) { g(m); }
        void unused(void) { int z = 0; while (z < 3) z++; }
        int main(void) { void (*p)(int) = h; for (int i = 0; i < 9; i++) { int j; for (j = 0; j < i; j++) t++; p(j); } return 0; }";
    let found = texts(text);
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(found[0].contains(&"k <= m".to_string()), "{found:#?}");
    assert!(found[1].contains(&"i <= 9".to_string()), "{found:#?}");
    assert!(found[2].contains(&"j <= i".to_string()), "{found:#?}");
}

#[test]
fn assumptions_are_passed() {
    let text = "int main(void) { int a = __VERIFIER_nondet_int(); __VERIFIER_assume(a > 500 && a < 520); int b = __VERIFIER_nondet_int();
        __VERIFIER_assume(b == a - 13); int i = b; while (i < a) i += 1; return 0; }";
    expect(text, &["i >= b", "i <= a"]);
    // The same, written with branches.
    let text = "void require(int c) { if (!c) abort(); }
        int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); require(a > 7000); require(a < 7005); if (b != a - 13) return 0;
        int i = b; while (i < a) i += 1; return 0; }";
    expect(text, &["i >= b", "i <= a"]);
}

#[test]
fn linear_finds_equalities_and_inequalities() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(), i = 0, j = 0, k = n, s = 0; if (n < 0) return 0;
        while (i < n) { i++; k--; j += 2; s += 3; if (__VERIFIER_nondet_int()) s--; } return 0; }";
    expect(text, &["(unsigned int)i + k == n", "(long long)i + k == n", "2U * i == j", "s <= 3LL * i", "s >= 2LL * i"]);
    // Values of 64 bits are added in more.
    let text = "int main(void) { long long n = __VERIFIER_nondet_longlong(), i = 0, k = n; while (i < n) { i++; k--; } return 0; }";
    expect(text, &["(unsigned long long)i + k == n", "(__int128)i + k == n"]);
}

#[test]
fn text_gives_compared_expressions_and_implications() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(), i = 0, k = 0;
        while (i < 2 * n + m) { i++; k++; if (k > 10) k = 0; } __VERIFIER_assert(k <= 10 && i >= m); return 0; }";
    expect(text, &["k <= 10", "i <= (int)(2U * n + m) | i == 0"]);
}

#[test]
fn text_speaks_where_no_run_comes() {
    let text = "int main(void) { int i = 0, n = __VERIFIER_nondet_int(); for (int j = 0; j < 100000000; j++) ;
        while (i < n) i++; __VERIFIER_assert(i >= 0); return 0; }";
    let found = texts(text);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[1].contains(&"i <= n".to_string()) && found[1].contains(&"i >= 0".to_string()), "{found:#?}");
}

#[test]
fn congruences_know_steps() {
    let text = "int main(void) { int i = 0, j = 7; unsigned u = 1, v = 0, w = 0; while (__VERIFIER_nondet_int()) { i += 2; j += 5; u += 6;
        if (__VERIFIER_nondet_int()) { v++; w += 3; } } return 0; }";
    expect(text, &["(i & 1) == 0", "j % 5 == 2", "u % 6 == 1", "((v ^ w) & 1) == 0"]);
}

#[test]
fn polynomials_of_degree_two() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(), i = 0, s = 0, q = 0; if (n < 0 || n > 1000) return 0;
        while (i < n) { i++; s += i; q += n; } __VERIFIER_assert(2 * s == n * (n + 1)); return 0; }";
    expect(text, &["i + (unsigned int)i * i == 2U * s", "q == (unsigned int)i * n"]);
    let text = "int main(void) { long long x = 0, i = 0; while (i < 1000) { x += 2 * i + 1; i++; } __VERIFIER_assert(x == i * i); return 0; }";
    expect(text, &["x == (unsigned long long)i * i"]);
}

#[test]
fn implications_of_flags_and_phases() {
    let text = "int main(void) { int x = 0, y = 0; while (1) { if (x < 50) y++; else y--; if (y < 0) break; x++; } return 0; }";
    expect(text, &["x >= 50 | x == y", "x < 50 | (long long)x + y == 100"]);
    let text = "int main(void) { int lock = 0, old = 1, new = __VERIFIER_nondet_int(); while (new != old) { lock = 1; old = new;
        if (__VERIFIER_nondet_int()) { lock = 0; new++; } } return lock; }";
    expect(text, &["lock != 1 | old == new"]);
}

#[test]
fn assignments_know_values_that_no_run_reached() {
    let text = "int state = 3; int pick(int v) { return v ? 700 : 40; }
        int main(void) { int flag = 5; while (1) { int in = __VERIFIER_nondet_int(); if (in == 123456789) { state = 500; flag = 9; }
        else if (in == 987654321) state = pick(in); else if (flag < 100) flag = in < 4 ? 9 : 5; } }";
    expect(text, &["state == 3 | state == 40 | state == 500 | state == 700", "flag == 5 | flag == 9"]);
}

#[test]
fn linear_takes_the_limits_of_types_as_factors() {
    let text = "extern unsigned char __VERIFIER_nondet_uchar(void); int main(void) { unsigned char n = __VERIFIER_nondet_uchar(), v = 0;
        unsigned s = 0, i = 0; while (i < n) { v = __VERIFIER_nondet_uchar(); s += v; ++i; } return s < v; }";
    expect(text, &["s <= 255LL * i", "i <= n", "v <= s"]);
}

#[test]
fn variables_that_are_written_before_they_are_read_do_not_matter() {
    let text =
        "int main(void) { int i = 0, t, u = 0; while (i < 10) { t = i; if (t > 3) t = 3; u = t; i++; } return u; }";
    let found = texts(text);
    assert!(
        found[0].iter().any(|text| text == "u <= 3") && !found[0].iter().any(|text| text.contains('t')),
        "{found:#?}"
    );
}

#[test]
fn counters_of_nested_loops_are_added() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(), k = 0, i, j; if (n < 10 || n > 1000 || m < 10 || m > 1000) return 0;
        for (i = 0; i < n; i++) for (j = 0; j < m; j++) k++; __VERIFIER_assert(k >= 100); return 0; }";
    let found = texts(text);
    assert!(found[0].contains(&"k >= 10LL * i".to_string()), "{found:#?}");
    assert!(found[1].contains(&"k >= 10LL * i + j".to_string()), "{found:#?}");
}

#[test]
fn relations_hold_after_the_first_round_or_up_to_a_constant() {
    let text = "int main(void) { int x = 0, m = 0, n = __VERIFIER_nondet_int(); while (x < n) { if (__VERIFIER_nondet_int()) m = x; x++; } return m; }";
    expect(text, &["x > m | x == 0"]);
    let text = "int main(void) { int i = 0, j = 0; while (__VERIFIER_nondet_int() && i < 100) i++;
        while (__VERIFIER_nondet_int() && j < 5000) { i++; j++; } __VERIFIER_assert(i <= 5100); return 0; }";
    assert!(texts(text)[1].contains(&"i <= j + 100LL".to_string()), "{:#?}", texts(text)[1]);
}

#[test]
fn states_of_a_machine_are_listed() {
    let text = "int a, b = 2, c = 5; void step(int in) { if (in == 1 && a == 0) { a = 1; b = 4; } else if (in == 2 && b == 4) { a = 0; c = 7; } else { a = 0; b = 2; } }
        int main(void) { while (1) { int in = __VERIFIER_nondet_int(); if (in < 1 || in > 3) return 0; step(in); } }";
    let states = "a == 0 & b == 2 & c == 5 | a == 0 & b == 2 & c == 7 | a == 0 & b == 4 & c == 7 | a == 1 & b == 4 & c == 5 | a == 1 & b == 4 & c == 7";
    expect(text, &[states, "a != 1 | b == 4"]);
}

#[test]
fn sums_of_a_bounded_counter_are_bounded() {
    let text = "int main(void) { int x = 1, y = 0; while (y < 1000 && __VERIFIER_nondet_int()) { x = x + y; y = y + 1; } __VERIFIER_assert(x >= y); return 0; }";
    expect(text, &["y <= 1000", "x <= 1000LL * y + 1", "y <= x"]);
}

#[test]
fn exclusions_speak_about_values_that_no_run_reached() {
    let text = "int main(void) { int pc = 10, flag = 0; while (1) { int in = __VERIFIER_nondet_int();
        if (pc == 10) pc = 20; else if (pc == 20 && in == 123456789) { pc = 30; flag = 1; } else if (pc == 30 && flag == 1) { pc = 40; flag = 2; } } }";
    expect(text, &["pc != 40 | flag != 1", "pc != 10 | flag != 2"]);
}

#[test]
fn modes_tell_which_values_occur_together() {
    let text = "int main(void) { int mode = __VERIFIER_nondet_int(), pc = 1, flag = 0; while (1) { __VERIFIER_nondet_int();
        if (pc == 1) { pc = 2; if (mode) flag = 3; } else if (pc == 2 && flag < 9) pc = 5; else { pc = 1; flag = 0; } } }";
    expect(text, &["mode == 0 | (pc != 2 | flag != 0)", "mode != 0 | (pc != 2 | flag != 3)"]);
}

#[test]
fn contracts_speak_of_parameters_results_and_what_was_before() {
    let text = "int f(int m, int n) { if (n == 0) return m; return f(m + 1, n - 1); }
        int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 50) return 0; return f(3, n); }";
    contract(text, "f", &["n >= 0", "n <= 50"], &["\\result == (long long)m + n"]);
    let text = "int g; void f(int *p, int n) { if (n <= 0) return; g++; *p = *p - 1; f(p, n - 1); }
        int main(void) { int x = 9; g = __VERIFIER_nondet_int() & 7; f(&x, __VERIFIER_nondet_int() & 15); return x; }";
    contract(text, "f", &["n >= 0"], &["g >= \\old(g)", "*p <= \\old(*p)"]);
}

#[test]
fn conditions_of_callers_say_what_is_expected_of_a_function() {
    let text = "int f(int n) { return n <= 0 ? 0 : f(n - 1) + 3; }
        int main(void) { int x = __VERIFIER_nondet_int(); if (x > 77) return 0; int r = f(x); if (r < x - 7) return 1; return 0; }";
    contract(text, "f", &["n <= 77"], &["\\result > n - 7LL"]);
}

#[test]
fn powers_and_tables_follow_recursion() {
    let text = "int f(int n) { return n == 0 ? 1 : 2 * f(n - 1) + 5; }
        int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 20) return 0; return f(n); }";
    contract(text, "f", &["n >= 0"], &["\\result == 6U * (unsigned int)(1ULL << (n & 63ULL)) - 5"]);
    // Values that no run had are computed.
    let text = "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
        int main(void) { int n = __VERIFIER_nondet_int(); if (n > 40) return 0; return f(n); }";
    contract(text, "f", &["n <= 40"], &["n != 10 | \\result == 55", "n != 40 | \\result == 102334155"]);
}

#[test]
fn arrays_say_what_all_elements_are() {
    let text = "int a[1000], b[1000]; int main(void) { int n = __VERIFIER_nondet_int(); if (n > 1000) return 0;
        for (int i = 0; i < n; i++) if (i != 3) a[i] = b[i]; return 0; }";
    let wanted = ["\\k < 0 | \\k >= i | !(\\k != 3) | a[\\k] == b[\\k]", "\\k < 0 | \\k >= n | a[\\k] == b[\\k]"];
    expect(text, &wanted);
}

//! What the parser accepts, and that it ends on anything.

use super::*;
use crate::st::ast::StmtKind;

fn errors(text: &str) -> Vec<String> {
    parse(text.as_bytes(), 1, Dialect::Standard).diagnostics.into_iter().map(|one| one.message).collect()
}

const PROGRAM: &str =
    "TYPE T : STRUCT a : INT := 3; b : ARRAY[0..1, 2..3] OF BOOL; END_STRUCT; E : (x, y := 5); END_TYPE
FUNCTION_BLOCK F
VAR_INPUT i, j : INT; END_VAR
VAR t : T; e : E := y; s : STRING[5] := 'a$'b'; r : INT(0..10); END_VAR
IF i > 0 AND NOT (j = 2) THEN t.a := -i ** 2; ELSIF t.b[0, 2] THEN RETURN; ELSE ; END_IF;
CASE i OF 1, 2..3: j := 1; x: j := 2; ELSE j := 3; END_CASE;
FOR i := 1 TO 10 BY 2 DO CONTINUE; EXIT; END_FOR;
WHILE j < 3 DO j := j + 1; END_WHILE;
REPEAT j := j - 1; UNTIL j = 0 END_REPEAT;
//#ASSERT j = 0 : done
END_FUNCTION_BLOCK";

#[test]
fn a_program_is_read_without_errors() {
    assert_eq!(errors(PROGRAM), Vec::<String>::new());
    let unit = parse(PROGRAM.as_bytes(), 1, Dialect::Standard).unit;
    assert_eq!((unit.types.len(), unit.pous.len()), (2, 1));
    let body = &unit.pous[0].body;
    assert_eq!(body.len(), 6);
    assert!(matches!(body[5].kind, StmtKind::Assert(_, Some(_))));
}

#[test]
fn every_error_is_found_once() {
    let text = "PROGRAM p VAR x : INT END_VAR x := ; y = 3; x := 1 x := 2; END_PROGRAM";
    assert_eq!(
        errors(text),
        ["expected an expression, found `;`", "expected `:=` or a call, found `=`", "a semicolon is missing here"]
    );
}

#[test]
fn truncated_and_damaged_text_ends() {
    for end in 0..PROGRAM.len() {
        parse(&PROGRAM.as_bytes()[..end], 1, Dialect::Standard);
        parse(&PROGRAM.as_bytes()[end..], 1, Dialect::Scl);
    }
    let mut state = 7u64;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % bound
    };
    for _ in 0..2000 {
        let mut text = PROGRAM.as_bytes().to_vec();
        for _ in 0..4 {
            let at = below(text.len());
            match below(3) {
                0 => text[at] = below(256) as u8,
                1 => drop(text.remove(at)),
                _ => text.insert(at, b"()[];:=.'\"#E"[below(12)]),
            }
        }
        parse(&text, 1, Dialect::Standard);
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let text = format!("PROGRAM p x := {}1{}; END_PROGRAM", "(".repeat(100_000), ")".repeat(100_000));
    let run = || errors(&text);
    let found = std::thread::scope(|scope| {
        std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, run).expect("a thread").join()
    });
    assert_eq!(found.expect("no panic"), ["this is nested too deep"]);
}

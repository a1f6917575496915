//! Tokens, literals, directives and splices.

use super::literal::{self, Number};
use super::*;
use crate::c::ast::{Encoding, Units};

/// The spellings of all tokens, by their spans.
fn spell(text: &str) -> Vec<String> {
    let mut names = Interner::new();
    let lexed = lex(text.as_bytes(), 1, &mut names);
    assert!(lexed.diagnostics.is_empty(), "{:?}", lexed.diagnostics);
    let tokens = lexed.tokens.iter().filter(|token| token.kind != Tok::End);
    tokens.map(|token| text[token.lo as usize - 1..token.hi() as usize - 1].to_string()).collect()
}

fn kinds(text: &[u8]) -> (Vec<Tok>, Vec<String>) {
    let mut names = Interner::new();
    let lexed = lex(text, 1, &mut names);
    let kinds = lexed.tokens.iter().map(|token| token.kind).take_while(|kind| *kind != Tok::End).collect();
    (kinds, lexed.diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect())
}

#[test]
fn spans_are_exact() {
    let text = "x+++y <<= 0x1p-3f ... L'a' u8\"s\\\"\" /* c */ a$b // end\n ->*";
    let expected = ["x", "++", "+", "y", "<<=", "0x1p-3f", "...", "L'a'", "u8\"s\\\"\"", "a$b", "->", "*"];
    assert_eq!(spell(text), expected);
}

#[test]
fn every_punctuator_is_the_longest() {
    let all = "{ } ( ) [ ] ; , . ... -> ++ -- & * + - ~ ! / % << >> < > <= >= == != ^ | && || ? : = *= /= %= += -= <<= >>= &= ^= |=";
    let (found, errors) = kinds(all.as_bytes());
    assert_eq!(errors, Vec::<String>::new());
    let texts: Vec<&str> = found.iter().map(|kind| kind.text()).collect();
    assert_eq!(texts, all.split(' ').collect::<Vec<_>>());
    assert_eq!(kinds(b"<: :> <% %>").0, [Tok::LBracket, Tok::RBracket, Tok::LBrace, Tok::RBrace]);
}

#[test]
fn splices_are_invisible_but_positions_remain() {
    let text = "in\\\nt a\\\r\n = \"x\\\ny\"; // c \\\n still\nb";
    let mut names = Interner::new();
    let lexed = lex(text.as_bytes(), 1, &mut names);
    let spans: Vec<&str> =
        lexed.tokens[..6].iter().map(|token| &text[token.lo as usize - 1..token.hi() as usize - 1]).collect();
    assert_eq!(spans, ["in\\\nt", "a", "=", "\"x\\\ny\"", ";", "b"]);
    assert_eq!(lexed.tokens[0].kind, Tok::Int);
}

#[test]
fn bytes_that_are_no_utf8_make_words() {
    let (found, errors) = kinds(b"int caf\xe9; /* \xff */ char *s = \"\xff\"; int \xc3\xa9;");
    assert!(errors.is_empty());
    assert_eq!(found.iter().filter(|kind| **kind == Tok::Word).count(), 3);
    let mut names = Interner::new();
    let lexed = lex("caf\\u00e9 caf\u{e9}".as_bytes(), 1, &mut names);
    assert_eq!(lexed.tokens[0].symbol(), lexed.tokens[1].symbol());
}

#[test]
fn keywords_are_found_in_an_interner_with_other_words() {
    let mut names = Interner::new();
    names.intern("x");
    names.intern("while");
    let lexed = lex(b"while x __const__ const", 1, &mut names);
    let found: Vec<Tok> = lexed.tokens[..4].iter().map(|token| token.kind).collect();
    assert_eq!(found, [Tok::While, Tok::Word, Tok::Const, Tok::Const]);
}

#[test]
fn line_markers_are_recorded() {
    let text = "# 1 \"a.c\"\nint x;\n#line 7 \"d\\\\b\\\".h\"\nint y;\n  # 9\n#pragma GCC poison x\n#ident \"v\"\nz";
    let mut names = Interner::new();
    let lexed = lex(text.as_bytes(), 1, &mut names);
    assert!(lexed.diagnostics.is_empty(), "{:?}", lexed.diagnostics);
    let marks: Vec<_> = lexed.marks.iter().map(|mark| (mark.line, mark.name.as_str(), mark.position)).collect();
    let after = |needle: &str| (text.find(needle).unwrap() + needle.len()) as u32 + 2;
    let expected = [(1, "a.c", after("# 1 \"a.c\"")), (7, "d\\b\".h", after(".h\"")), (9, "d\\b\".h", after("# 9"))];
    assert_eq!(marks, expected);
}

#[test]
fn directives_and_junk_are_errors() {
    let (found, errors) = kinds(b"#include <stdio.h>\nint x @`; 'a\nb");
    assert_eq!(
        errors,
        ["unexpected preprocessor directive `#include`", "stray `@` in program", "missing terminating `'`"]
    );
    assert_eq!(found, [Tok::Int, Tok::Word, Tok::Semi, Tok::Char, Tok::Word]);
    assert_eq!(kinds(b"a # b /* ").1, ["stray `#` in program", "unterminated comment"]);
    let junk: Vec<u8> = b"` x ".iter().copied().cycle().take(1 << 20).collect();
    assert_eq!(kinds(&junk).1.len(), MAX_ERRORS);
}

#[test]
fn acsl_assertions_have_tokens() {
    use Tok::*;
    assert_eq!(kinds(b"; //@ assert x;\ny").0, [Semi, AcslStart, Word, Word, Semi, AcslEnd, Word]);
    assert_eq!(kinds(b"; /*@ assert\n @ x; @*/ y").0, [Semi, AcslStart, Word, Word, Semi, AcslEnd, Word]);
    assert_eq!(kinds(b"; //@ assert x;").0, [Semi, AcslStart, Word, Word, Semi, AcslEnd]);
    assert_eq!(kinds(b"; //@ loop invariant x;\n//@ assertion\n a + /*@ assert b; */ c").0, [Semi, Word, Plus, Word]);
}

fn int(text: &str) -> Result<(u64, bool, bool, u8), String> {
    match literal::number(text.as_bytes())? {
        Number::Int(int) => Ok((int.value, int.decimal, int.unsigned, int.long)),
        Number::Float(text) => Err(text),
        Number::Unsupported(kind) => Err(kind.into()),
    }
}

#[test]
fn numbers() {
    assert_eq!(int("0"), Ok((0, true, false, 0)));
    assert_eq!(int("42uLL"), Ok((42, true, true, 2)));
    assert_eq!(int("42llu"), Ok((42, true, true, 2)));
    assert_eq!(int("0Xff"), Ok((255, false, false, 0)));
    assert_eq!(int("0b101L"), Ok((5, false, false, 1)));
    assert_eq!(int("0777u"), Ok((511, false, true, 0)));
    assert_eq!(int("18446744073709551615"), Ok((u64::MAX, true, false, 0)));
    assert_eq!(int("18446744073709551616"), Err("integer constant is too large for any supported type".into()));
    assert_eq!(int("089"), Err("invalid digit `8` in octal constant".into()));
    assert_eq!(int("0x"), Err("invalid number `0x`".into()));
    assert_eq!(int("1lul"), Err("invalid suffix `lul` on integer constant".into()));
    assert_eq!(int("1i"), Err("complex number".into()));
    assert_eq!(int("1uLj"), Err("complex number".into()));
    assert_eq!(int("1ii"), Err("invalid suffix `ii` on integer constant".into()));
    for (text, spelling) in
        [("1.5F", "1.5f"), (".5", ".5"), ("1e+3L", "1e+3l"), ("0x1.8p-3", "0x1.8p-3"), ("09.5", "09.5")]
    {
        assert_eq!(int(text), Err(spelling.into()));
    }
    assert_eq!(int("1.0q"), Err("128-bit floating constant".into()));
    assert_eq!(int("0x1.8"), Err("invalid floating constant `0x1.8`".into()));
    assert_eq!(int("1e+"), Err("exponent has no digits in `1e+`".into()));
    assert_eq!(int("1.2.3"), Err("invalid floating constant `1.2.3`".into()));
}

#[test]
fn characters() {
    let value = |text: &str| literal::character(text.as_bytes(), &mut Vec::new()).unwrap();
    assert_eq!(value("'a'"), (97, Encoding::Plain));
    assert_eq!(value("'\\xff'").0, -1);
    assert_eq!(value("'\\377'").0, -1);
    assert_eq!(value("'\\e'").0, 27);
    assert_eq!(value("'ab'").0, 0x6162);
    assert_eq!(value("'\\377\\377\\377\\377'").0, -1);
    assert_eq!(value("'\u{e9}'").0, 0xc3a9);
    assert_eq!(value("L'\u{e9}'"), (0xe9, Encoding::Wide));
    assert_eq!(value("L'\\xffffffff'").0, -1);
    assert_eq!(value("u'\\u20ac'"), (0x20ac, Encoding::Utf16));
    assert_eq!(value("U'\\U0001F600'"), (0x1f600, Encoding::Utf32));
    assert_eq!(value("u8'a'"), (97, Encoding::Utf8));
    assert!(literal::character(b"''", &mut Vec::new()).is_err());
}

#[test]
fn strings() {
    let mut units = Units::Bytes(Vec::new());
    let mut warnings = Vec::new();
    literal::string(b"\"a\\n\\x41\\0\\u00e9\\q\xff\"", Encoding::Plain, &mut units, &mut warnings);
    assert!(matches!(&units, Units::Bytes(bytes) if bytes == b"a\nA\0\xc3\xa9q\xff"), "{units:?}");
    assert_eq!(warnings, ["unknown escape sequence `\\q`"]);
    let mut units = Units::Wide(Vec::new());
    literal::string("u\"\u{1f600}\"".as_bytes(), Encoding::Utf16, &mut units, &mut warnings);
    assert!(matches!(&units, Units::Wide(units) if units == &[0xd83d, 0xde00]), "{units:?}");
}

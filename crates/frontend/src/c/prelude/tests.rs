//! The names that are written in C are those that the table has.

use super::*;

#[test]
fn the_table_lists_what_is_defined() {
    let mut names = Interner::new();
    let parsed = crate::c::parse::parse(&text(), 1, &mut names);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let ast = &parsed.ast;
    let defined: FxHashSet<&str> = (ast.items.iter())
        .filter(|item| matches!(ast.decls[**item].kind, DeclKind::Function { .. }))
        .flat_map(|item| defined_names(ast, *item))
        .map(|name| names.resolve(name))
        .filter(|name| !name.starts_with("__library_"))
        .collect();
    let listed: FxHashSet<&str> = library::written_in_c().iter().map(|(name, _)| *name).collect();
    assert_eq!(defined, listed);
}

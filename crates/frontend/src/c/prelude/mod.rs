//! Library functions that are written in C. What a program calls of them and does not define itself is compiled with it, as one more unit: the
//! interpreter and the encoding see functions like any other. Their text is marked as that of a system header, so what happens in it is shown at
//! the call in the user's text.
//!
//! The texts are preprocessed C. They call built-in functions (`__builtin_strlen`) where a program may have a function of that name, and the
//! functions `__library_…` of [`cfa::library`] for what C cannot say. A definition takes the types that the program declares the function with,
//! where they are passed alike (`FILE *` for `void *`).

use crate::c::ast::{Ast, DeclKind, ExprKind, Part};
use crate::c::parse::Parsed;
use base::{Interner, Span, Symbol};
use cfa::library;
use rustc_hash::{FxHashMap, FxHashSet};

const FILES: &[(&str, &str)] = &[
    ("errno", include_str!("errno.c")),
    ("number", include_str!("number.c")),
    ("string", include_str!("string.c")),
    ("format", include_str!("format.c")),
    ("stream", include_str!("stream.c")),
    ("scan", include_str!("scan.c")),
    ("sort", include_str!("sort.c")),
    ("process", include_str!("process.c")),
    ("jump", include_str!("jump.c")),
    ("option", include_str!("option.c")),
    ("wide", include_str!("wide.c")),
    ("more", include_str!("more.c")),
];

/// Texts for `double` and for `float`, and what stands for the differences between them.
const OF_REALS: [(&str, &str); 2] = [("math", include_str!("math.c")), ("decimal", include_str!("decimal.c"))];
const REALS: [&[(&str, &str)]; 2] = [
    &[
        ("REAL", "double"),
        ("SUFFIX", ""),
        ("LIMIT_E", "709"),
        ("LIMIT_2", "1023"),
        ("PUBLIC", "d"),
        ("DIGITS", "15"),
        ("POWERS", "22"),
        ("GREATEST", "0x1.fffffffffffffp+1023"),
        ("LEAST", "0x1p-1022"),
    ],
    &[
        ("REAL", "float"),
        ("SUFFIX", "f"),
        ("LIMIT_E", "88"),
        ("LIMIT_2", "127"),
        ("PUBLIC", "f"),
        ("DIGITS", "7"),
        ("POWERS", "10"),
        ("GREATEST", "0x1.fffffep+127f"),
        ("LEAST", "0x1p-126f"),
    ],
];

/// All functions, each file behind a line marker.
pub fn text() -> Vec<u8> {
    let mut text = String::new();
    for (name, contents) in FILES {
        text.push_str(&format!("# 1 \"<library>/{name}.c\" 3\n{contents}"));
    }
    for words in REALS {
        for (name, contents) in OF_REALS {
            let contents = words.iter().fold(contents.to_string(), |text, (word, meaning)| text.replace(word, meaning));
            text.push_str(&format!("# 1 \"<library>/{name}.c\" 3\n{contents}"));
        }
    }
    text.into_bytes()
}

/// What lowering calls where a program calls one of these functions.
const NEEDED: &[(&str, &[&str])] = &[("__library_set_jump", &["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"])];

/// Functions written in C that some unit calls, or declares and names, and that none defines; and what lowering needs.
pub fn wanted(units: &[Parsed], names: &mut Interner) -> FxHashSet<Symbol> {
    let indirect = NEEDED.iter().flat_map(|(_, callers)| callers.iter());
    let listed = library::written_in_c().iter().map(|(name, _)| name).chain(indirect);
    let known: FxHashSet<Symbol> = listed.filter_map(|name| names.lookup(name)).collect();
    let mut wanted = FxHashSet::default();
    for unit in units {
        let ast = &unit.ast;
        let mut called = FxHashSet::default();
        let mut named = FxHashSet::default();
        for expr in ast.exprs.values() {
            match expr.kind {
                ExprKind::Call(callee, _) => {
                    if let ExprKind::Name(name) = ast.exprs[callee].kind {
                        called.insert(name);
                    }
                }
                ExprKind::Name(name) => drop(named.insert(name)),
                _ => {}
            }
        }
        let declared: FxHashSet<Symbol> = ast.items.iter().flat_map(|item| declared_functions(ast, *item)).collect();
        named.retain(|name| called.contains(name) || declared.contains(name));
        wanted.extend(named.into_iter().filter(|name| known.contains(name)));
    }
    for unit in units {
        for item in &unit.ast.items {
            for name in defined_names(&unit.ast, *item) {
                wanted.remove(&name);
            }
        }
    }
    for (needed, callers) in NEEDED {
        let callers = callers.iter().filter_map(|name| names.lookup(name)).collect::<Vec<_>>();
        if callers.iter().filter(|caller| wanted.remove(caller)).count() > 0 {
            wanted.insert(names.intern(needed));
        }
    }
    wanted
}

fn declared_functions(ast: &Ast, item: crate::c::ast::DeclId) -> Vec<Symbol> {
    let DeclKind::Variables { declarators, .. } = ast.decls[item].kind else { return Vec::new() };
    let declarators = ast.get(declarators).iter().map(|item| ast.declarators[item.declarator]);
    let is_function = |parts| matches!(ast.get(parts), [Part::Function { .. }, ..]);
    declarators.filter(|declarator| is_function(declarator.parts)).filter_map(|declarator| declarator.name).collect()
}

/// Functions and objects that an item of a unit defines.
fn defined_names(ast: &Ast, item: crate::c::ast::DeclId) -> impl Iterator<Item = Symbol> {
    let mut names = Vec::new();
    match ast.decls[item].kind {
        DeclKind::Function { declarator, .. } => names.extend(ast.declarators[declarator].name),
        DeclKind::Variables { declarators, .. } => {
            let functions = declared_functions(ast, item);
            let all = ast.get(declarators).iter().filter_map(|item| ast.declarators[item.declarator].name);
            names.extend(all.filter(|name| !functions.contains(name)));
        }
        _ => {}
    }
    names.into_iter()
}

/// Leaves only what the wanted functions need, in the tree of the library's text.
pub fn keep(ast: &mut Ast, wanted: &FxHashSet<Symbol>) {
    let spans: Vec<Span> = ast.items.iter().map(|item| ast.decls[*item].span).collect();
    let item_at = |position: u32| spans.partition_point(|span| span.lo <= position).checked_sub(1);
    let mut uses: Vec<Vec<Symbol>> = vec![Vec::new(); spans.len()];
    for expr in ast.exprs.values() {
        if let (ExprKind::Name(name), Some(item)) = (expr.kind, item_at(expr.span.lo)) {
            uses[item].push(name);
        }
    }
    let mut definers: FxHashMap<Symbol, usize> = FxHashMap::default();
    for (index, item) in ast.items.iter().enumerate() {
        definers.extend(defined_names(ast, *item).map(|name| (name, index)));
    }
    let mut kept = vec![false; spans.len()];
    let mut pending: Vec<Symbol> = wanted.iter().copied().collect();
    while let Some(name) = pending.pop() {
        if let Some(item) = definers.get(&name).copied()
            && !std::mem::replace(&mut kept[item], true)
        {
            pending.extend(&uses[item]);
        }
    }
    let defines: FxHashSet<usize> = definers.values().copied().collect();
    let mut index = 0;
    // Types, and declarations of functions.
    ast.items.retain(|_| {
        index += 1;
        kept[index - 1] || !defines.contains(&(index - 1))
    });
}

#[cfg(test)]
mod tests;

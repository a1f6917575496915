//! The C library functions that the semantics models; names, signatures and (in `interp` and `encode`) meanings hang on [`LibFn`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LibFn {
    Malloc,
}

pub fn lookup(name: &str) -> Option<LibFn> {
    (name == "malloc").then_some(LibFn::Malloc)
}

//! A span is a range of bytes of the text that was *read* (for a preprocessed file: the `.i` text).
//! All files of a [`crate::SourceMap`] share one address space, so a span is eight bytes and names its file.

/// Half-open byte range in the address space of the source map.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    pub lo: u32,
    pub hi: u32,
}

impl Span {
    /// For what no source text stands behind. Position 0 belongs to no file.
    pub const NONE: Span = Span { lo: 0, hi: 0 };

    #[inline]
    pub fn new(lo: u32, hi: u32) -> Self {
        debug_assert!(lo <= hi);
        Span { lo, hi }
    }

    /// From the start of `self` to the end of `end`.
    #[inline]
    pub fn to(self, end: Span) -> Span {
        Span { lo: self.lo, hi: end.hi.max(self.lo) }
    }

    pub fn is_none(self) -> bool {
        self.lo == 0
    }

    /// The empty span at the start.
    pub fn start(self) -> Span {
        Span { lo: self.lo, hi: self.lo }
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.lo, self.hi)
    }
}

//! Characters in the C locale: the classes and the tables of glibc's `ctype.h`.

/// The classes of `ctype.h`; [`Ctype::mask`] is glibc's bit for the class in its table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ctype {
    Alnum,
    Alpha,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Xdigit,
    Ascii,
    ToAscii,
}

/// What glibc's macros look characters up in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CtypeTable {
    Classes,
    Lower,
    Upper,
}

impl CtypeTable {
    /// Indices run from this one to 255.
    pub const FIRST: i32 = -128;

    /// The bytes of an element.
    pub fn element(self) -> u64 {
        if self == CtypeTable::Classes { 2 } else { 4 }
    }

    /// Below zero stand the same bytes read as unsigned; -1 is `EOF`.
    pub fn bytes(self) -> Vec<u8> {
        let case = |index: i32, change: fn(&u8) -> u8| match index {
            0.. => change(&(index as u8)) as i32,
            -1 => -1,
            _ => index as u8 as i32,
        };
        let entry = |index: i32| match self {
            CtypeTable::Classes if index == -1 => 0,
            CtypeTable::Classes => ctype_classes(index as u8) as i32,
            CtypeTable::Lower => case(index, u8::to_ascii_lowercase),
            CtypeTable::Upper => case(index, u8::to_ascii_uppercase),
        };
        (Self::FIRST..256).flat_map(|index| entry(index).to_le_bytes()[..self.element() as usize].to_vec()).collect()
    }
}

impl Ctype {
    /// `None` for what is no class of the table.
    pub fn mask(self) -> Option<u16> {
        let bit = match self {
            Ctype::Upper => 0,
            Ctype::Lower => 1,
            Ctype::Alpha => 2,
            Ctype::Digit => 3,
            Ctype::Xdigit => 4,
            Ctype::Space => 5,
            Ctype::Print => 6,
            Ctype::Graph => 7,
            Ctype::Blank => 8,
            Ctype::Cntrl => 9,
            Ctype::Punct => 10,
            Ctype::Alnum => 11,
            Ctype::Ascii | Ctype::ToAscii => return None,
        };
        // glibc's bits are big-endian within 16.
        Some(if bit < 8 { 1 << bit << 8 } else { 1 << bit >> 8 })
    }
}

/// The class bits of a character in the C locale.
pub fn ctype_classes(byte: u8) -> u16 {
    let has = |class: Ctype, holds: bool| if holds { class.mask().unwrap_or(0) } else { 0 };
    let graph = (0x21..0x7f).contains(&byte);
    let space = byte == b' ' || (9..=13).contains(&byte);
    has(Ctype::Upper, byte.is_ascii_uppercase())
        | has(Ctype::Lower, byte.is_ascii_lowercase())
        | has(Ctype::Alpha, byte.is_ascii_alphabetic())
        | has(Ctype::Digit, byte.is_ascii_digit())
        | has(Ctype::Xdigit, byte.is_ascii_hexdigit())
        | has(Ctype::Space, space)
        | has(Ctype::Print, graph || byte == b' ')
        | has(Ctype::Graph, graph)
        | has(Ctype::Blank, byte == b' ' || byte == b'\t')
        | has(Ctype::Cntrl, byte < 0x20 || byte == 0x7f)
        | has(Ctype::Punct, graph && !byte.is_ascii_alphanumeric())
        | has(Ctype::Alnum, byte.is_ascii_alphanumeric())
}

//! Declaration specifiers and type names.

use super::*;
use cfa::{FloatKind, IntKind};

const VOID: u16 = 1;
const CHAR: u16 = 1 << 1;
const INT: u16 = 1 << 2;
const FLOAT: u16 = 1 << 3;
const DOUBLE: u16 = 1 << 4;
const BOOL: u16 = 1 << 5;
const INT128: u16 = 1 << 6;
const SIGNED: u16 = 1 << 7;
const UNSIGNED: u16 = 1 << 8;
const SHORT: u16 = 1 << 9;
const LONG: u16 = 1 << 10;
const LONG_LONG: u16 = 1 << 11;
const COMPLEX: u16 = 1 << 12;

/// The keywords of an arithmetic type, as they come.
fn type_bit(kind: Tok) -> Option<u16> {
    Some(match kind {
        Tok::Void => VOID,
        Tok::CharType => CHAR,
        Tok::Int => INT,
        Tok::Float => FLOAT,
        Tok::Double => DOUBLE,
        Tok::Bool => BOOL,
        Tok::Int128 => INT128,
        Tok::Signed => SIGNED,
        Tok::Unsigned => UNSIGNED,
        Tok::Short => SHORT,
        Tok::Long => LONG,
        Tok::Complex => COMPLEX,
        _ => return None,
    })
}

/// The type that a set of keywords names.
fn arithmetic(bits: u16) -> Option<TypeSpec> {
    use IntKind::*;
    if bits & SIGNED != 0 && bits & UNSIGNED != 0 {
        return None;
    }
    let unsigned = bits & UNSIGNED != 0;
    let sign = |signed, other| TypeSpec::Int(if unsigned { other } else { signed });
    Some(match bits & !(SIGNED | UNSIGNED) {
        VOID if bits == VOID => TypeSpec::Void,
        BOOL if bits == BOOL => TypeSpec::Int(Bool),
        FLOAT if bits == FLOAT => TypeSpec::Float(FloatKind::Float),
        DOUBLE if bits == DOUBLE => TypeSpec::Float(FloatKind::Double),
        _ if bits == DOUBLE | LONG => TypeSpec::Float(FloatKind::LongDouble),
        CHAR if bits == CHAR => TypeSpec::Int(Char),
        CHAR => sign(SChar, UChar),
        INT128 => sign(Int128, UInt128),
        rest => match rest & !INT {
            0 => sign(Int, UInt),
            SHORT => sign(Short, UShort),
            LONG => sign(Long, ULong),
            LONG_LONG => sign(LongLong, ULongLong),
            _ => return None,
        },
    })
}

/// Specifiers while they are read.
struct Reading {
    specs: Specs,
    bits: u16,
    /// A type that is not made of keywords was seen.
    whole: bool,
}

impl Parser<'_> {
    /// Whether a type name starts here, as after `(` or `sizeof (`.
    #[inline]
    pub(super) fn starts_type_name(&self) -> bool {
        use Tok::*;
        match self.kind() {
            Word => self.scopes.is_type(self.token().symbol()),
            Extension => {
                let mut ahead = self.at;
                while self.tokens[ahead].kind == Extension {
                    ahead += 1;
                }
                let token = self.tokens[ahead];
                match token.kind {
                    Word => self.scopes.is_type(token.symbol()),
                    kind => is_specifier(kind),
                }
            }
            kind => is_specifier(kind),
        }
    }

    /// Whether a declaration starts here; a typedef name before a colon is a label.
    #[inline]
    pub(super) fn starts_declaration(&self) -> bool {
        match self.kind() {
            Tok::Word => self.scopes.is_type(self.token().symbol()) && self.peek(1) != Tok::Colon,
            Tok::StaticAssert => true,
            _ => self.starts_type_name(),
        }
    }

    /// Any number of specifiers, also none. Attributes from `from` on of the scratch stack belong to them.
    pub(super) fn specs(&mut self, from: usize) -> Parse<SpecsId> {
        let lo = self.lo();
        let mut reading = Reading {
            specs: Specs {
                storage: None,
                thread_local: false,
                inline: false,
                noreturn: false,
                quals: Quals::default(),
                base: TypeSpec::Missing,
                attributes: List::EMPTY,
                span: Span::NONE,
            },
            bits: 0,
            whole: false,
        };
        while self.spec(&mut reading)? {}
        let Reading { mut specs, bits, whole } = reading;
        specs.span = self.since(lo);
        if bits != 0 {
            specs.base = self.combine(bits, whole, specs.base, specs.span);
        }
        specs.attributes = self.ast.list(&mut self.scratch.attributes, from);
        Ok(self.ast.specs.push(specs))
    }

    /// One specifier, if there is one.
    #[inline]
    fn spec(&mut self, reading: &mut Reading) -> Parse<bool> {
        let token = self.token();
        let specs = &mut reading.specs;
        match token.kind {
            Tok::Word => return Ok(self.named_type(token, reading)),
            Tok::Const => specs.quals.is_const = true,
            Tok::Volatile => specs.quals.is_volatile = true,
            Tok::Restrict => specs.quals.is_restrict = true,
            Tok::Typedef => return self.storage(specs, Storage::Typedef),
            Tok::Extern => return self.storage(specs, Storage::Extern),
            Tok::Static => return self.storage(specs, Storage::Static),
            Tok::Auto => return self.storage(specs, Storage::Auto),
            Tok::Register => return self.storage(specs, Storage::Register),
            Tok::ThreadLocal => specs.thread_local = true,
            Tok::Inline => specs.inline = true,
            Tok::Noreturn => specs.noreturn = true,
            Tok::Extension => {}
            Tok::Attribute => {
                self.attributes()?;
                return Ok(true);
            }
            Tok::LBracket if self.starts_attribute() => {
                self.attributes()?;
                return Ok(true);
            }
            Tok::Alignas => {
                self.alignas()?;
                return Ok(true);
            }
            Tok::Atomic if self.peek(1) != Tok::LParen => specs.quals.is_atomic = true,
            kind => match type_bit(kind) {
                Some(bit) => self.keyword_type(bit, reading)?,
                None => return self.whole_type(reading),
            },
        }
        self.bump();
        Ok(true)
    }

    fn storage(&mut self, specs: &mut Specs, storage: Storage) -> Parse<bool> {
        if specs.storage.is_some_and(|other| other != storage) {
            self.report(Diagnostic::error(self.token().span(), "multiple storage classes in declaration"));
        }
        specs.storage = Some(storage);
        if self.kind() != Tok::End {
            self.bump();
        }
        Ok(true)
    }

    /// A typedef name is a specifier only where no type was seen before: in `T T;` the second declares a variable.
    fn named_type(&mut self, token: Token, reading: &mut Reading) -> bool {
        let symbol = token.symbol();
        if reading.whole || reading.bits & !COMPLEX != 0 || !self.scopes.is_type(symbol) {
            return false;
        }
        let base = self.scopes.type_spec(symbol);
        if reading.bits != 0 && matches!(base, TypeSpec::Name(_)) {
            return false;
        }
        reading.specs.base = base;
        reading.whole = true;
        self.bump();
        true
    }

    fn keyword_type(&mut self, bit: u16, reading: &mut Reading) -> Parse<()> {
        let seen = reading.bits;
        if bit == LONG && seen & LONG != 0 {
            reading.bits = seen & !LONG | LONG_LONG;
        } else if seen & bit != 0 || (bit == LONG && seen & LONG_LONG != 0) {
            let message = format!("duplicate `{}`", self.kind().text());
            return self.error(self.token().span(), message);
        } else {
            reading.bits |= bit;
        }
        if reading.whole && bit != COMPLEX {
            return self.error(self.token().span(), "two or more data types in declaration");
        }
        Ok(())
    }

    /// A type that is more than keywords.
    fn whole_type(&mut self, reading: &mut Reading) -> Parse<bool> {
        let token = self.token();
        use Tok::*;
        if !matches!(token.kind, Struct | Union | Enum | Typeof | AutoType | UnsupportedType | VaList | Atomic) {
            return Ok(false);
        }
        if reading.whole || reading.bits != 0 {
            return self.error(token.span(), "two or more data types in declaration");
        }
        reading.whole = true;
        reading.specs.base = match token.kind {
            Struct | Union => self.record()?,
            Enum => self.enumeration()?,
            Typeof => self.type_of()?,
            Atomic => {
                self.bump();
                let open = self.token();
                self.bump();
                let ty = self.type_name()?;
                self.expect_closing(RParen, open)?;
                TypeSpec::Atomic(ty)
            }
            kind => {
                self.bump();
                match kind {
                    AutoType => TypeSpec::Auto,
                    VaList => TypeSpec::VaList,
                    _ => TypeSpec::Unsupported(token.symbol()),
                }
            }
        };
        Ok(true)
    }

    fn type_of(&mut self) -> Parse<TypeSpec> {
        self.enter()?;
        self.bump();
        let open = self.token();
        self.expect(Tok::LParen, "after `typeof`")?;
        let base = if self.starts_type_name() {
            TypeSpec::TypeofType(self.type_name()?)
        } else {
            TypeSpec::TypeofExpr(self.expression()?)
        };
        self.expect_closing(Tok::RParen, open)?;
        self.leave();
        Ok(base)
    }

    fn combine(&mut self, bits: u16, whole: bool, base: TypeSpec, span: Span) -> TypeSpec {
        if bits & COMPLEX != 0 {
            let real = match bits & !COMPLEX {
                FLOAT => "_Complex float",
                DOUBLE => "_Complex double",
                bits if bits == DOUBLE | LONG => "_Complex long double",
                _ => "_Complex",
            };
            return TypeSpec::Unsupported(self.names.intern(real));
        }
        if whole {
            return base;
        }
        arithmetic(bits).unwrap_or_else(|| {
            self.report(Diagnostic::error(span, "invalid combination of type specifiers"));
            TypeSpec::Error
        })
    }

    /// Sets `height` to that of the tallest expression inside.
    pub(super) fn type_name(&mut self) -> Parse<TypeNameId> {
        self.enter()?;
        let outer = std::mem::take(&mut self.tallest);
        let lo = self.lo();
        if !self.starts_type_name() {
            return self.expected("type name");
        }
        let from = self.scratch.attributes.len();
        let specs = self.specs(from)?;
        if self.ast.specs[specs].storage.is_some() {
            return self.error(self.ast.specs[specs].span, "storage class in type name");
        }
        let declarator = self.declarator(declarator::Form::Abstract)?;
        let span = self.since(lo);
        self.height = self.tallest;
        self.tallest = outer.max(self.height);
        self.leave();
        Ok(self.ast.type_names.push(TypeName { specs, declarator, span }))
    }

    /// Where a type is missing and a word stands that cannot be a declarator: takes the word for a type.
    pub(super) fn unknown_type(&mut self, specs: SpecsId) {
        let token = self.token();
        let name = self.names.resolve(token.symbol()).to_string();
        self.report(Diagnostic::error(token.span(), format!("unknown type name `{name}`")));
        self.scopes.assume_type(token.symbol());
        if self.kind() != Tok::End {
            self.bump();
        }
        self.ast.specs[specs].base = TypeSpec::Error;
        self.ast.specs[specs].span.hi = token.hi();
    }
}

/// Keywords that are declaration specifiers.
fn is_specifier(kind: Tok) -> bool {
    use Tok::*;
    matches!(
        kind,
        Void | CharType
            | Int
            | Float
            | Double
            | Bool
            | Int128
            | Signed
            | Unsigned
            | Short
            | Long
            | Complex
            | Struct
            | Union
            | Enum
            | Typeof
            | AutoType
            | UnsupportedType
            | VaList
            | Atomic
            | Const
            | Volatile
            | Restrict
            | Typedef
            | Extern
            | Static
            | Auto
            | Register
            | ThreadLocal
            | Inline
            | Noreturn
            | Alignas
            | Attribute
    )
}

//! Values as a person reads them: characters, names of enumerators, objects that pointers refer to, operands of a fault. The one place
//! where that is decided; the JSON fields `value` keep the plain number.

use crate::viewer::Viewer;
use cfa::enumeration::Constants;
use cfa::{BinOp, Bits, EdgeId, ExprKind, Fault, IntKind, PlaceId, Program, Type, TypeId, UnOp, VarId, VarKind, eval};
use evidence::{Ended, FaultDetail, Owner, PointedObject, Pointee};

/// Longer strings are cut.
const STRING: usize = 40;

/// A scalar. `char` is a character; `signed char` and `unsigned char` are small numbers as often, so the number comes first.
pub fn scalar(program: &Program, ty: TypeId, bits: Bits) -> String {
    let number = eval::display(&program.types, ty, bits);
    let byte = bits.lo as u8;
    if frontend::of(program).is_some_and(|frontend| !frontend.has_characters) {
        return truth_value(program, ty, bits).map_or(number, String::from);
    }
    match ty.int_kind() {
        Some(IntKind::Bool) => truth_value(program, ty, bits).map_or(number, String::from),
        Some(IntKind::Char) => match byte {
            b' '..=b'~' => character(byte),
            b'\t' | b'\n' | b'\r' | 0 => format!("{} ({number})", character(byte)),
            _ => number,
        },
        Some(IntKind::SChar | IntKind::UChar) if (b' '..=b'~').contains(&byte) => {
            format!("{number} ({})", character(byte))
        }
        _ => number,
    }
}

/// The word for a truth value, where the language has words for them.
pub fn truth_value(program: &Program, ty: TypeId, bits: Bits) -> Option<&'static str> {
    let words = frontend::of(program)?.truth_values.filter(|_| ty.int_kind() == Some(IntKind::Bool))?;
    Some(words[(bits != Bits::ZERO) as usize])
}

/// A number as the language writes it.
pub fn plain(program: &Program, ty: TypeId, bits: Bits) -> String {
    truth_value(program, ty, bits).map_or_else(|| eval::display(&program.types, ty, bits), String::from)
}

/// One of the numbers that functions that read characters return: a character, or -1 for the end.
pub fn read_character(program: &Program, ty: TypeId, bits: Bits) -> String {
    match eval::to_i128(&program.types, ty, bits) {
        value @ 0..=255 => match value as u8 {
            byte @ b' '..=b'~' => character(byte),
            byte @ (b'\t' | b'\n' | b'\r' | 0) => format!("{} ({byte})", character(byte)),
            byte => byte.to_string(),
        },
        -1 => "EOF".into(),
        _ => "EOF (a failure to read)".into(),
    }
}

fn character(byte: u8) -> String {
    match byte {
        b'"' => "'\"'".into(),
        0 => "'\\0'".into(),
        _ => format!("'{}'", byte.escape_ascii()),
    }
}

/// Bytes as a string literal.
pub fn string(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for chunk in bytes[..bytes.len().min(STRING)].utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '\'' => text.push('\''),
                '\0' => text.push_str("\\0"),
                _ if letter.is_ascii() => text.push_str(&(letter as u8).escape_ascii().to_string()),
                _ => text.push(letter),
            }
        }
        text.push_str(&chunk.invalid().escape_ascii().to_string());
    }
    text.push('"');
    if bytes.len() > STRING {
        text.push('…');
    }
    text
}

/// Whether bytes are a text that a person reads.
fn is_readable(bytes: &[u8]) -> bool {
    let letter = |letter: char| !letter.is_control() || letter.is_ascii_whitespace();
    !bytes.is_empty() && std::str::from_utf8(bytes).is_ok_and(|text| text.chars().all(letter))
}

/// A value of something that may be declared with an enumeration.
pub fn named(program: &Program, constants: Option<&Constants>, ty: TypeId, bits: Bits) -> String {
    let number = ty.int_kind().map(|_| eval::to_i128(&program.types, ty, bits));
    let constant = number.and_then(|number| constants?.get(&number));
    match constant {
        Some(name) => program.name(*name).to_string(),
        None => scalar(program, ty, bits),
    }
}

impl Viewer<'_> {
    /// The line of an edge in the user's text, as part of a sentence.
    fn line(&self, edge: EdgeId) -> String {
        match self.place_of_edge(edge) {
            Some(place) => format!("line {}", place.line),
            None => "an unknown line".into(),
        }
    }

    /// What a pointer of a type refers to.
    pub(crate) fn pointee(&self, ty: TypeId, pointee: &Pointee) -> Option<String> {
        match pointee {
            Pointee::Null => Some("NULL".into()),
            Pointee::Function(function) => Some(format!("&{}", self.program.function_name(*function))),
            Pointee::Nothing => None,
            Pointee::Object(object) => {
                let types = &self.program.types;
                let target = types.pointee(ty);
                let text = self.object(target, object)?;
                let is_character = target
                    .and_then(TypeId::int_kind)
                    .is_some_and(|kind| matches!(kind, IntKind::Char | IntKind::SChar | IntKind::UChar));
                let bytes = object.string.as_ref().filter(|_| is_character && object.ended.is_none());
                Some(match (bytes, object.owner) {
                    (Some(bytes), Owner::Constant(_)) => string(bytes),
                    (Some(bytes), _) if is_readable(bytes) => format!("{text} ({})", string(bytes)),
                    _ => text,
                })
            }
        }
    }

    /// A place in an object, as C would write its address where it can.
    fn object(&self, target: Option<TypeId>, object: &PointedObject) -> Option<String> {
        let ended = match object.ended {
            Some(Ended::Freed(edge)) => format!(" (freed at {})", self.line(edge)),
            Some(Ended::Over) => " (which no longer exists)".into(),
            None => String::new(),
        };
        let moved = |text: String| match object.offset {
            0 => text,
            offset => format!("{text} {} {} bytes", if offset < 0 { '-' } else { '+' }, offset.unsigned_abs()),
        };
        let text = match object.owner {
            Owner::Var(var) if self.own_name(var).is_none() => return None,
            Owner::Var(var) => match self.path(var, target, object.offset) {
                Some(path) => format!("&{path}"),
                None => moved(format!("&{}", self.program.name(self.program.vars[var].name))),
            },
            Owner::Constant(_) => moved("a string literal".into()),
            Owner::Heap(Some(edge)) => moved(format!("memory allocated at {}", self.line(edge))),
            Owner::Heap(None) => moved("allocated memory".into()),
            Owner::Arguments => {
                let size = self.program.model().pointer_bytes() as i64;
                match object.offset % size {
                    0 => format!("&argv[{}]", object.offset / size),
                    _ => moved("argv".into()),
                }
            }
            Owner::Argument(number) => moved(format!("argv[{number}]")),
            Owner::Stack => moved("memory on the stack".into()),
            Owner::Library => moved("an object of the library".into()),
        };
        Some(format!("{text}{ended}"))
    }

    /// The name that the program's text gives a variable.
    fn own_name(&self, var: VarId) -> Option<&str> {
        let data = &self.program.vars[var];
        let name = self.program.name(data.name);
        let ours = matches!(data.kind, VarKind::Temp(_) | VarKind::Constant);
        (!ours && !name.is_empty() && !name.contains([' ', '$']) && !name.starts_with("__library_")).then_some(name)
    }

    /// The part of a variable that begins at an offset and has a type, as C: `toks[1].kind`. Without a type, the smallest part.
    fn path(&self, var: VarId, target: Option<TypeId>, offset: i64) -> Option<String> {
        let types = &self.program.types;
        let mut text = self.own_name(var)?.to_string();
        let (mut ty, mut offset) = (self.program.vars[var].ty, offset);
        loop {
            if offset == 0 && target.is_none_or(|target| target == ty || target == TypeId::VOID) {
                return Some(text);
            }
            match types.get(ty) {
                Type::Array(element, length) => {
                    let size = types.size_of(*element).filter(|size| *size > 0)? as i64;
                    // One past the end is a pointer too.
                    let index = offset.div_euclid(size).min(length.map_or(i64::MAX, |length| length as i64));
                    (text, offset, ty) = (format!("{text}[{index}]"), offset - index * size, *element);
                }
                Type::Record(record) => {
                    let record = &types.records[*record];
                    let inside = |field: &&cfa::types::Field| {
                        let size = types.size_of(field.ty).unwrap_or(0) as i64;
                        field.bits.is_none() && (field.offset as i64..field.offset as i64 + size).contains(&offset)
                    };
                    let field = record.fields.iter().find(inside)?;
                    let name = self.program.name(field.name?);
                    (text, offset, ty) = (format!("{text}.{name}"), offset - field.offset as i64, field.ty);
                }
                _ => return None,
            }
        }
    }

    /// What was wrong where a run stopped.
    pub(crate) fn detail(&self, detail: &FaultDetail, fault: Fault) -> Option<String> {
        match detail {
            FaultDetail::Operands { expr, values } => self.operands(*expr, values),
            FaultDetail::Index { array, index, length } => {
                let name = self.own_place(*array).map(|name| format!(" `{name}`")).unwrap_or_default();
                let elements = if *length == 1 { "element" } else { "elements" };
                Some(format!("index {index} of the array{name} of {length} {elements}"))
            }
            FaultDetail::Access { pointer: Pointee::Object(object), bytes } => match fault {
                Fault::OutOfBounds | Fault::Dangling | Fault::InvalidFree | Fault::DoubleFree => {
                    self.access(object, *bytes)
                }
                Fault::ReadOnly | Fault::ConstWrite => Some(format!("a write to {}", self.owner(object)?)),
                _ => None,
            },
            FaultDetail::Access { .. } => None,
        }
    }

    fn own_place(&self, place: PlaceId) -> Option<String> {
        self.user_place(place).filter(|name| !name.contains("__library_"))
    }

    fn operands(&self, expr: cfa::ExprId, values: &[(TypeId, Bits)]) -> Option<String> {
        let number = |(ty, bits): &(TypeId, Bits)| {
            let text = eval::display(&self.program.types, *ty, *bits);
            if text.starts_with('-') { format!("({text})") } else { text }
        };
        let expr = &self.program.exprs[expr];
        let ty = self.program.types.c_name(expr.ty, &self.program.names);
        match (expr.kind, values) {
            (ExprKind::Binary(op, ..), [left, right]) => {
                let sign = match op {
                    BinOp::Add => "+",
                    BinOp::Sub => "-",
                    BinOp::Mul => "*",
                    BinOp::Div => "/",
                    BinOp::Rem => "%",
                    BinOp::Shl => "<<",
                    BinOp::Shr => ">>",
                    _ => return None,
                };
                let left = eval::display(&self.program.types, left.0, left.1);
                Some(format!("{left} {sign} {} in `{ty}`", number(right)))
            }
            (ExprKind::Unary(UnOp::Neg, _), [only]) => Some(format!("-{} in `{ty}`", number(only))),
            (ExprKind::Cast(_), [only]) => {
                Some(format!("{} as `{ty}`", eval::display(&self.program.types, only.0, only.1)))
            }
            _ => None,
        }
    }

    /// An object in a sentence.
    fn owner(&self, object: &PointedObject) -> Option<String> {
        Some(match object.owner {
            Owner::Var(var) => format!("`{}`", self.own_name(var)?),
            Owner::Constant(_) => "a string literal".into(),
            Owner::Heap(Some(edge)) => format!("the memory allocated at {}", self.line(edge)),
            Owner::Heap(None) => "allocated memory".into(),
            Owner::Arguments => "`argv`".into(),
            Owner::Argument(number) => format!("`argv[{number}]`"),
            Owner::Stack => "the memory on the stack".into(),
            Owner::Library => "the object of the library".into(),
        })
    }

    fn access(&self, object: &PointedObject, bytes: Option<u64>) -> Option<String> {
        let many = |bytes: u64| if bytes == 1 { "1 byte".to_string() } else { format!("{bytes} bytes") };
        let name = self.owner(object)?;
        let ended = match object.ended {
            Some(Ended::Freed(edge)) => return Some(format!("{name} was freed at {}", self.line(edge))),
            Some(Ended::Over) => return Some(format!("{name} no longer exists")),
            None => object.size,
        };
        let size = many(ended?);
        Some(match bytes {
            Some(bytes) => format!("{} at offset {} of {name}, which has {size}", many(bytes), object.offset),
            None if object.offset == 0 => format!("{name} has {size}"),
            None => format!("offset {} of {name}, which has {size}", object.offset),
        })
    }
}

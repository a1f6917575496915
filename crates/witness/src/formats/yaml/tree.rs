//! A YAML document as a tree with positions. Scalars are kept as they were written, so that `2.0`, `"2.0"` and a hash that looks like a
//! number are all texts. The budget stops documents that are large, deep, or made large by aliases.

use crate::formats::Limits;
use crate::lint::{Finding, rules};
use crate::model::Position;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

pub struct Tree {
    pub at: Position,
    pub value: YamlValue,
}

pub enum YamlValue {
    Text(String),
    /// A number or Boolean by its looks; its text is that of the source.
    Typed(String),
    Null,
    List(Vec<Tree>),
    Map(Vec<(String, Position, Tree)>),
}

pub fn parse(text: &str, limits: &Limits) -> Result<Tree, Finding> {
    let budget = serde_saphyr::budget! {
        max_events: limits.elements.saturating_mul(2),
        max_nodes: limits.elements,
        max_depth: limits.depth,
        max_total_scalar_bytes: limits.bytes,
        max_aliases: 1000,
        max_documents: 1,
        max_reader_input_bytes: Some(limits.bytes),
    };
    let options = serde_saphyr::options! {
        budget: budget,
        with_snippet: false,
    };
    match serde_saphyr::from_str_with_options::<Raw>(text, options) {
        Ok(raw) => {
            let tree = raw.tree(text);
            tree.too_long(limits).map_or(Ok(tree), Err)
        }
        Err(error) => {
            let at = error.location().map_or_else(Position::default, |location| Position {
                line: location.line() as u32,
                column: location.column() as u32,
            });
            let message = error.to_string();
            match exceeded(&message, limits) {
                Some(clear) => Err(Finding::new(&rules::LIMIT, at, clear)),
                None => Err(Finding::new(&rules::SYNTAX, at, message)),
            }
        }
    }
}

/// Which limit the parser's message is about.
fn exceeded(message: &str, limits: &Limits) -> Option<String> {
    let about = |word: &str| message.contains(word);
    if about("recursion limit") || about("Depth") {
        Some(format!("it nests deeper than {}", limits.depth))
    } else if !about("budget") {
        None
    } else if about("Nodes") || about("Events {") && !about("Anchor") {
        Some(format!("the document has more than {} values", limits.elements))
    } else if about("Alias") || about("Anchor") {
        Some("aliases make the document much larger than its text".into())
    } else {
        Some(message.into())
    }
}

impl Tree {
    /// The first text that is too long; the depth is bounded already.
    fn too_long(&self, limits: &Limits) -> Option<Finding> {
        match &self.value {
            YamlValue::Text(text) | YamlValue::Typed(text) => limits.too_long(text, self.at),
            YamlValue::Null => None,
            YamlValue::List(items) => items.iter().find_map(|item| item.too_long(limits)),
            YamlValue::Map(fields) => fields
                .iter()
                .find_map(|(name, at, value)| limits.too_long(name, *at).or_else(|| value.too_long(limits))),
        }
    }
}

/// The tree while serde builds it: a typed scalar is only its place in the source.
struct Raw {
    at: Position,
    bytes: Option<(usize, usize)>,
    value: RawValue,
}

enum RawValue {
    Text(String),
    Typed(String),
    Null,
    List(Vec<Raw>),
    Map(Vec<(Raw, Raw)>),
}

impl Raw {
    fn tree(self, source: &str) -> Tree {
        let text = |typed: String| {
            let found = self.bytes.and_then(|(start, length)| source.get(start..start.checked_add(length)?));
            found.map_or(typed, |found| found.trim().to_string())
        };
        let value = match self.value {
            RawValue::Text(text) => YamlValue::Text(text),
            RawValue::Typed(typed) => YamlValue::Typed(text(typed)),
            RawValue::Null => YamlValue::Null,
            RawValue::List(items) => YamlValue::List(items.into_iter().map(|item| item.tree(source)).collect()),
            RawValue::Map(entries) => YamlValue::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| {
                        let key = key.tree(source);
                        let name = match key.value {
                            YamlValue::Text(name) | YamlValue::Typed(name) => name,
                            YamlValue::Null | YamlValue::List(_) | YamlValue::Map(_) => "~".into(),
                        };
                        (name, key.at, value.tree(source))
                    })
                    .collect(),
            ),
        };
        Tree { at: self.at, value }
    }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<RawValue>::deserialize(deserializer)?;
        let location = spanned.referenced;
        let span = spanned.defined.span();
        let bytes = match (span.byte_offset(), span.byte_len()) {
            (Some(offset), Some(length)) => Some((offset as usize, length as usize)),
            _ => None,
        };
        let at = Position { line: location.line() as u32, column: location.column() as u32 };
        Ok(Raw { at, bytes, value: spanned.value })
    }
}

impl<'de> Deserialize<'de> for RawValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = RawValue;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_str<E>(self, value: &str) -> Result<RawValue, E> {
        Ok(RawValue::Text(value.into()))
    }

    fn visit_string<E>(self, value: String) -> Result<RawValue, E> {
        Ok(RawValue::Text(value))
    }

    fn visit_bool<E>(self, value: bool) -> Result<RawValue, E> {
        Ok(RawValue::Typed(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<RawValue, E> {
        Ok(RawValue::Typed(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<RawValue, E> {
        Ok(RawValue::Typed(value.to_string()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<RawValue, E> {
        Ok(RawValue::Typed(value.to_string()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<RawValue, E> {
        Ok(RawValue::Typed(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<RawValue, E> {
        Ok(RawValue::Typed(format!("{value:?}")))
    }

    fn visit_unit<E>(self) -> Result<RawValue, E> {
        Ok(RawValue::Null)
    }

    fn visit_none<E>(self) -> Result<RawValue, E> {
        Ok(RawValue::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<RawValue, D::Error> {
        RawValue::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<RawValue, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(RawValue::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<RawValue, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(RawValue::Map(entries))
    }
}

//! How a listing spells numbers, text, bytes, types and values.

use std::borrow::Cow;
use std::fmt::Display;

use serde::{Deserialize, Serialize};
#[cfg(feature = "schemas")]
use serde_json::json;

use crate::model::{Address, FieldType, Name, PrimitiveType, Value};

/// An unsigned number as a hexadecimal string with `0x`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hex(pub u64);

/// Text, or its bytes in hexadecimal where they are not the modified UTF-8 of any text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Text {
    /// Text.
    Text(String),
    /// Bytes.
    Bytes {
        /// The bytes, two hexadecimal digits each.
        bytes: Bytes,
    },
}

/// Bytes as a string of two hexadecimal digits each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

/// The type of a field: `object` or the keyword of a primitive type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeName(pub FieldType);

/// The element type of a primitive array, by its keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementName(pub PrimitiveType);

/// A value: its type, and its bits in hexadecimal (an address; an integer in two's complement; IEEE 754).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct TypedValue(pub TypeName, pub Hex);

/// How identity hashes are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub enum Hashes {
    /// Every object has a 16-bit hash.
    #[serde(rename = "every-16")]
    Every16,
    /// An object has a 32-bit hash where one was asked for.
    #[serde(rename = "where-used-32")]
    WhereUsed32,
}

pub(in super::super) fn addresses(hexes: Vec<Hex>) -> Vec<Address> {
    hexes.into_iter().map(Hex::address).collect()
}

impl Hex {
    pub(in super::super) fn address(self) -> Address {
        Address(self.0)
    }

    /// The number in fewer bits.
    pub(in super::super) fn narrow<T: TryFrom<u64>>(self, what: &str) -> Result<T, String> {
        T::try_from(self.0).map_err(|_| format!("{what} {:#x} is too large", self.0))
    }
}

impl From<Address> for Hex {
    fn from(address: Address) -> Hex {
        Hex(address.0)
    }
}

impl From<&Name> for Text {
    fn from(name: &Name) -> Text {
        match name.to_text() {
            Some(text) => Text::Text(text),
            None => Text::Bytes { bytes: Bytes(name.as_bytes().to_vec()) },
        }
    }
}

impl From<Text> for Name {
    fn from(text: Text) -> Name {
        match text {
            Text::Text(text) => Name::from_text(&text),
            Text::Bytes { bytes } => Name::from_bytes(bytes.0),
        }
    }
}

impl From<Value> for TypedValue {
    fn from(value: Value) -> TypedValue {
        TypedValue(TypeName(value.kind), Hex(value.bits))
    }
}

impl TypedValue {
    pub(in super::super) fn value(self) -> Result<Value, String> {
        let TypedValue(TypeName(kind), Hex(bits)) = self;
        let value = match kind {
            FieldType::Object => Value::reference(Address(bits)),
            FieldType::Primitive(kind) => Value::primitive(kind, bits),
        };
        match value.bits == bits {
            true => Ok(value),
            false => Err(format!("expected the bits of {}, found {bits:#x}, which is too large", keyword(kind))),
        }
    }
}

/// Two hexadecimal digits for each byte.
pub(in super::super) fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|&b| [b >> 4, b & 15]).map(|digit| char::from(DIGITS[usize::from(digit)]));
    digits.collect()
}

fn keyword(kind: FieldType) -> &'static str {
    match kind {
        FieldType::Object => "object",
        FieldType::Primitive(kind) => kind.keyword(),
    }
}

/// A type that JSON has as a string.
trait Word: Sized {
    /// What is expected.
    const WANTED: &'static str;

    fn spell(&self) -> impl Display;

    fn of(text: &str) -> Option<Self>;

    /// What JSON schemas say of the string beside its type.
    #[cfg(feature = "schemas")]
    fn schema() -> serde_json::Value;
}

macro_rules! words {
    ($($word:ident),*) => {$(
        impl Serialize for $word {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.spell())
            }
        }

        impl<'de> Deserialize<'de> for $word {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$word, D::Error> {
                let text = Cow::<'de, str>::deserialize(deserializer)?;
                let wanted = || serde::de::Error::custom(format!("expected {}, found {text:?}", $word::WANTED));
                $word::of(&text).ok_or_else(wanted)
            }
        }

        #[cfg(feature = "schemas")]
        impl schemars::JsonSchema for $word {
            fn schema_name() -> Cow<'static, str> {
                stringify!($word).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let mut schema = schemars::Schema::try_from($word::schema()).unwrap_or_default();
                schema.insert("type".to_owned(), "string".into());
                schema
            }
        }
    )*};
}

words!(Hex, Bytes, TypeName, ElementName);

impl Word for Hex {
    const WANTED: &'static str = "a string like \"0x1f\"";

    fn spell(&self) -> impl Display {
        self.address()
    }

    fn of(text: &str) -> Option<Hex> {
        let digits = text.strip_prefix("0x").filter(|digits| !digits.starts_with('+'))?;
        u64::from_str_radix(digits, 16).ok().map(Hex)
    }

    #[cfg(feature = "schemas")]
    fn schema() -> serde_json::Value {
        json!({ "pattern": "^0x[0-9a-fA-F]{1,16}$", "description": "an unsigned number in hexadecimal" })
    }
}

impl Word for Bytes {
    const WANTED: &'static str = "bytes of two hexadecimal digits";

    fn spell(&self) -> impl Display {
        hexadecimal(&self.0)
    }

    fn of(text: &str) -> Option<Bytes> {
        let digits: Vec<u8> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<_>>()?;
        let (pairs, rest) = digits.as_chunks::<2>();
        rest.is_empty().then(|| Bytes(pairs.iter().map(|[high, low]| high << 4 | low).collect()))
    }

    #[cfg(feature = "schemas")]
    fn schema() -> serde_json::Value {
        json!({ "pattern": "^([0-9a-fA-F]{2})*$", "description": "bytes, two hexadecimal digits each" })
    }
}

impl Word for TypeName {
    const WANTED: &'static str = "the type of a field";

    fn spell(&self) -> impl Display {
        keyword(self.0)
    }

    fn of(text: &str) -> Option<TypeName> {
        let object = (text == "object").then_some(FieldType::Object);
        object.or_else(|| PrimitiveType::from_keyword(text).map(FieldType::Primitive)).map(TypeName)
    }

    #[cfg(feature = "schemas")]
    fn schema() -> serde_json::Value {
        let primitive = PrimitiveType::ALL.map(PrimitiveType::keyword);
        let names: Vec<&str> = ["object"].into_iter().chain(primitive).collect();
        json!({ "enum": names, "description": "the type of a field" })
    }
}

impl Word for ElementName {
    const WANTED: &'static str = "the element type of an array";

    fn spell(&self) -> impl Display {
        self.0.keyword()
    }

    fn of(text: &str) -> Option<ElementName> {
        PrimitiveType::from_keyword(text).map(ElementName)
    }

    #[cfg(feature = "schemas")]
    fn schema() -> serde_json::Value {
        json!({ "enum": PrimitiveType::ALL.map(PrimitiveType::keyword), "description": "an element type" })
    }
}

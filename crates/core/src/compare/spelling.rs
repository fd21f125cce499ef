//! The spelling of numbers, text, bytes, types and values in listings.

#[cfg(feature = "schemas")]
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Serialize};
#[cfg(feature = "schemas")]
use serde_json::json;

use crate::bytes::{DIGITS, hexadecimal};
use crate::model::{Address, FieldType, Name, PrimitiveType, Value};

/// An unsigned number as a hexadecimal string with `0x`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hex(pub u64);

/// Text, or its bytes in hexadecimal where they are not the modified UTF-8 of any text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

pub(super) fn addresses(hexes: Vec<Hex>) -> Vec<Address> {
    hexes.into_iter().map(Hex::address).collect()
}

impl Hex {
    pub(super) fn address(self) -> Address {
        Address(self.0)
    }

    /// The number in fewer bits.
    pub(super) fn narrow<T: TryFrom<u64>>(self, what: &str) -> Result<T, String> {
        T::try_from(self.0).map_err(|_| format!("{what} {:#x} is too large", self.0))
    }
}

impl From<Address> for Hex {
    fn from(address: Address) -> Hex {
        Hex(address.0)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        deserializer.deserialize_any(TextOrBytes)
    }
}

/// Reads text in place where it is plain, which most of it is.
struct TextOrBytes;

impl<'de> Visitor<'de> for TextOrBytes {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, or an object with the key `bytes`")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Text, A::Error> {
        #[derive(Deserialize)]
        struct TextKeys {
            bytes: Bytes,
        }
        let TextKeys { bytes } = TextKeys::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Text::Bytes { bytes })
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
    pub(super) fn value(self) -> Result<Value, String> {
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

/// The value of a hexadecimal digit.
fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

fn keyword(kind: FieldType) -> &'static str {
    match kind {
        FieldType::Object => "object",
        FieldType::Primitive(kind) => kind.keyword(),
    }
}

/// A type that is a string in JSON.
trait StringForm: Sized {
    /// The description of a valid string, for error messages.
    const WANTED: &'static str;

    /// Calls `put` with the string. Most values of a listing are such strings, so that none is allocated for a number.
    fn spell<R>(&self, put: impl FnOnce(&str) -> R) -> R;

    fn parse(text: &str) -> Option<Self>;

    /// The JSON schema of the string, without its type.
    #[cfg(feature = "schemas")]
    fn schema() -> serde_json::Value;
}

macro_rules! words {
    ($($word:ident),*) => {$(
        impl Serialize for $word {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.spell(|text| serializer.serialize_str(text))
            }
        }

        impl<'de> Deserialize<'de> for $word {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$word, D::Error> {
                deserializer.deserialize_str(StringFormVisitor(PhantomData))
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

/// Reads a string in place.
struct StringFormVisitor<W>(PhantomData<W>);

impl<W: StringForm> Visitor<'_> for StringFormVisitor<W> {
    type Value = W;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<W, E> {
        W::parse(text).ok_or_else(|| E::custom(format!("expected {}, found {text:?}", W::WANTED)))
    }
}

words!(Hex, Bytes, TypeName, ElementName);

impl StringForm for Hex {
    const WANTED: &'static str = "a string like \"0x1f\"";

    fn spell<R>(&self, put: impl FnOnce(&str) -> R) -> R {
        let mut text = [0; 18];
        let mut at = text.len();
        let mut left = self.0;
        loop {
            at -= 1;
            text[at] = DIGITS[(left & 15) as usize];
            left >>= 4;
            if left == 0 {
                break;
            }
        }
        text[at - 2..at].copy_from_slice(b"0x");
        put(str::from_utf8(&text[at - 2..]).unwrap_or_default())
    }

    fn parse(text: &str) -> Option<Hex> {
        let digits = text.strip_prefix("0x").filter(|digits| !digits.starts_with('+'))?;
        u64::from_str_radix(digits, 16).ok().map(Hex)
    }

    #[cfg(feature = "schemas")]
    fn schema() -> serde_json::Value {
        json!({ "pattern": "^0x[0-9a-fA-F]{1,16}$", "description": "an unsigned number in hexadecimal" })
    }
}

impl StringForm for Bytes {
    const WANTED: &'static str = "bytes of two hexadecimal digits";

    fn spell<R>(&self, put: impl FnOnce(&str) -> R) -> R {
        put(&hexadecimal(&self.0))
    }

    fn parse(text: &str) -> Option<Bytes> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let mut bytes = Vec::with_capacity(pairs.len());
        for [high, low] in pairs {
            bytes.push(digit(*high)? << 4 | digit(*low)?);
        }
        rest.is_empty().then_some(Bytes(bytes))
    }

    #[cfg(feature = "schemas")]
    fn schema() -> serde_json::Value {
        json!({ "pattern": "^([0-9a-fA-F]{2})*$", "description": "bytes, two hexadecimal digits each" })
    }
}

impl StringForm for TypeName {
    const WANTED: &'static str = "the type of a field";

    fn spell<R>(&self, put: impl FnOnce(&str) -> R) -> R {
        put(keyword(self.0))
    }

    fn parse(text: &str) -> Option<TypeName> {
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

impl StringForm for ElementName {
    const WANTED: &'static str = "the element type of an array";

    fn spell<R>(&self, put: impl FnOnce(&str) -> R) -> R {
        put(self.0.keyword())
    }

    fn parse(text: &str) -> Option<ElementName> {
        PrimitiveType::from_keyword(text).map(ElementName)
    }

    #[cfg(feature = "schemas")]
    fn schema() -> serde_json::Value {
        json!({ "enum": PrimitiveType::ALL.map(PrimitiveType::keyword), "description": "an element type" })
    }
}

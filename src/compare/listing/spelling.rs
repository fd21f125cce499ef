//! How a listing spells numbers, text, bytes, types and values.

use serde::{Deserialize, Serialize};

use crate::model::{Address, FieldType, HashRegime, Name, PrimitiveType, Value};

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

impl From<HashRegime> for Hashes {
    fn from(regime: HashRegime) -> Hashes {
        match regime {
            HashRegime::Every16 => Hashes::Every16,
            HashRegime::WhereUsed32 => Hashes::WhereUsed32,
        }
    }
}

impl From<Hashes> for HashRegime {
    fn from(hashes: Hashes) -> HashRegime {
        match hashes {
            Hashes::Every16 => HashRegime::Every16,
            Hashes::WhereUsed32 => HashRegime::WhereUsed32,
        }
    }
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

fn keyword(kind: FieldType) -> &'static str {
    match kind {
        FieldType::Object => "object",
        FieldType::Primitive(kind) => kind.keyword(),
    }
}

impl Serialize for Hex {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:#x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Hex, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let digits = text.strip_prefix("0x").filter(|digits| !digits.starts_with('+'));
        digits
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .map(Hex)
            .ok_or_else(|| serde::de::Error::custom(format!("expected a string like \"0x1f\", found {text:?}")))
    }
}

#[cfg(feature = "schemas")]
impl schemars::JsonSchema for Hex {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Hex".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^0x[0-9a-fA-F]{1,16}$",
            "description": "an unsigned number in hexadecimal",
        })
    }
}

impl Serialize for Bytes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digits = self.0.iter().flat_map(|&b| [b >> 4, b & 15]).map(|digit| char::from(DIGITS[usize::from(digit)]));
        serializer.serialize_str(&digits.collect::<String>())
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let digits: Option<Vec<u8>> = text.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
        match digits {
            Some(digits) if digits.len() % 2 == 0 => {
                Ok(Bytes(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()))
            }
            _ => Err(serde::de::Error::custom(format!("expected bytes of two hexadecimal digits, found {text:?}"))),
        }
    }
}

#[cfg(feature = "schemas")]
impl schemars::JsonSchema for Bytes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Bytes".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^([0-9a-fA-F]{2})*$",
            "description": "bytes, two hexadecimal digits each",
        })
    }
}

impl Serialize for TypeName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(keyword(self.0))
    }
}

impl<'de> Deserialize<'de> for TypeName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<TypeName, D::Error> {
        let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let kind = match name.as_ref() {
            "object" => Some(FieldType::Object),
            name => PrimitiveType::from_keyword(name).map(FieldType::Primitive),
        };
        kind.map(TypeName)
            .ok_or_else(|| serde::de::Error::custom(format!("expected the type of a field, found {name:?}")))
    }
}

#[cfg(feature = "schemas")]
impl schemars::JsonSchema for TypeName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TypeName".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let primitive = PrimitiveType::ALL.map(PrimitiveType::keyword);
        let names: Vec<&str> = ["object"].into_iter().chain(primitive).collect();
        schemars::json_schema!({ "type": "string", "enum": names, "description": "the type of a field" })
    }
}

impl Serialize for ElementName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.keyword())
    }
}

impl<'de> Deserialize<'de> for ElementName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<ElementName, D::Error> {
        let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let found = PrimitiveType::from_keyword(&name);
        let wanted = || serde::de::Error::custom(format!("expected the element type of an array, found {name:?}"));
        found.map(ElementName).ok_or_else(wanted)
    }
}

#[cfg(feature = "schemas")]
impl schemars::JsonSchema for ElementName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ElementName".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names = PrimitiveType::ALL.map(PrimitiveType::keyword);
        schemars::json_schema!({ "type": "string", "enum": names, "description": "an element type" })
    }
}

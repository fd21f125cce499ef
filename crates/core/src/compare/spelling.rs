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
use crate::error::did_you_mean;
use crate::model::{Address, FieldType, Name, PrimitiveType};

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
    /// UTF-16 code units, unpaired surrogates among them.
    Utf16 {
        /// The units, four hexadecimal digits each.
        utf16: Bytes,
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

/// An unsigned number of a listing: written in hexadecimal, read in hexadecimal or decimal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct ListedNumber(pub Hex);

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

pub(super) fn addresses(numbers: Vec<ListedNumber>) -> Vec<Address> {
    numbers.into_iter().map(ListedNumber::address).collect()
}

impl ListedNumber {
    pub(super) fn number(self) -> u64 {
        self.0.0
    }

    pub(super) fn address(self) -> Address {
        Address(self.number())
    }

    /// The number in fewer bits.
    pub(super) fn narrow<T: TryFrom<u64>>(self, what: &str) -> Result<T, String> {
        T::try_from(self.number()).map_err(|_| {
            let bits = 8 * size_of::<T>();
            format!("expected {what} of {bits} bits, at most {:#x}, found {:#x}", (1_u128 << bits) - 1, self.number())
        })
    }
}

impl From<Address> for Hex {
    fn from(address: Address) -> Hex {
        Hex(address.0)
    }
}

impl From<Address> for ListedNumber {
    fn from(address: Address) -> ListedNumber {
        ListedNumber(address.into())
    }
}

impl<'de> Deserialize<'de> for ListedNumber {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<ListedNumber, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

/// Reads a number in place.
struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = ListedNumber;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NUMBER)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<ListedNumber, E> {
        let number = Hex::parse(text).or_else(|| parse_decimal(text).map(Hex)).map(ListedNumber);
        number.ok_or_else(|| E::custom(format!("expected {NUMBER}, found {}", quote(text))))
    }

    fn visit_u64<E>(self, number: u64) -> Result<ListedNumber, E> {
        Ok(ListedNumber(Hex(number)))
    }
}

/// The description of an unsigned number, for error messages.
pub(super) const NUMBER: &str = "a number from 0 to 2^64 - 1 like \"0x1f\" or 31";

/// The number that decimal digits stand for.
fn parse_decimal(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// A text in quotes, of a long one the beginning.
pub(super) fn quote(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{:?} and more, {} bytes in all", &text[..end], text.len()),
        None => format!("{text:?}"),
    }
}

/// The most characters of a text that an error message repeats.
const LONGEST_QUOTE: usize = 80;

#[cfg(feature = "schemas")]
impl schemars::JsonSchema for ListedNumber {
    fn schema_name() -> Cow<'static, str> {
        "ListedNumber".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "an unsigned number below 2^64: in hexadecimal, as heapsmith writes it, or in decimal",
            "type": ["string", "integer"],
            "pattern": "^(0x[0-9a-fA-F]{1,16}|[0-9]+)$",
            "minimum": 0,
        })
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
        f.write_str("a string, or an object with the key `bytes` or `utf16`")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Text, E> {
        Ok(Text::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Text, A::Error> {
        #[derive(Deserialize)]
        struct TextKeys {
            bytes: Option<Bytes>,
            utf16: Option<Bytes>,
        }
        match TextKeys::deserialize(MapAccessDeserializer::new(map))? {
            TextKeys { bytes: Some(bytes), utf16: None } => Ok(Text::Bytes { bytes }),
            TextKeys { bytes: None, utf16: Some(utf16) } if utf16.0.len().is_multiple_of(2) => {
                Ok(Text::Utf16 { utf16 })
            }
            TextKeys { utf16: Some(utf16), bytes: None } => Err(serde::de::Error::custom(format!(
                "expected four hexadecimal digits for each code unit, found {} digits",
                2 * utf16.0.len()
            ))),
            TextKeys { .. } => Err(serde::de::Error::custom("expected one of the keys bytes and utf16")),
        }
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
            Text::Utf16 { utf16 } => {
                let units = utf16.0.as_chunks::<2>().0.iter().map(|unit| u16::from_be_bytes(*unit));
                Name::from_units(&units.collect::<Vec<u16>>())
            }
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
pub(super) trait StringForm: Sized {
    /// The description of a valid string, for error messages.
    const WANTED: &'static str;

    /// All valid strings, where they are names.
    fn names() -> Vec<&'static str> {
        Vec::new()
    }

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
        f.write_str(&describe_wanted::<W>())
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<W, E> {
        W::parse(text).ok_or_else(|| {
            let near = did_you_mean(text, W::names());
            E::custom(format!("expected {}, found {}{near}", describe_wanted::<W>(), quote(text)))
        })
    }
}

/// What a word stands for, with the words that there are.
fn describe_wanted<W: StringForm>() -> String {
    let names = W::names();
    if names.is_empty() { W::WANTED.to_owned() } else { format!("{} ({})", W::WANTED, names.join(", ")) }
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

    fn names() -> Vec<&'static str> {
        ["object"].into_iter().chain(ElementName::names()).collect()
    }

    fn spell<R>(&self, put: impl FnOnce(&str) -> R) -> R {
        put(keyword(self.0))
    }

    fn parse(text: &str) -> Option<TypeName> {
        let object = (text == "object").then_some(FieldType::Object);
        object.or_else(|| PrimitiveType::from_keyword(text).map(FieldType::Primitive)).map(TypeName)
    }

    #[cfg(feature = "schemas")]
    fn schema() -> serde_json::Value {
        json!({ "enum": TypeName::names(), "description": "the type of a field" })
    }
}

impl StringForm for ElementName {
    const WANTED: &'static str = "the element type of an array";

    fn names() -> Vec<&'static str> {
        PrimitiveType::ALL.map(PrimitiveType::keyword).to_vec()
    }

    fn spell<R>(&self, put: impl FnOnce(&str) -> R) -> R {
        put(self.0.keyword())
    }

    fn parse(text: &str) -> Option<ElementName> {
        PrimitiveType::from_keyword(text).map(ElementName)
    }

    #[cfg(feature = "schemas")]
    fn schema() -> serde_json::Value {
        json!({ "enum": ElementName::names(), "description": "an element type" })
    }
}

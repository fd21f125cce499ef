//! Values of fields in listings: with their bits in hexadecimal, or as Java has them.

#[cfg(feature = "schemas")]
use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use serde::de::Visitor;
use serde::{Deserialize, Serialize};

use crate::model::{Address, FieldType, PrimitiveType, Value};

use super::spelling::{Hex, NUMBER, StringForm, TypeName, quote};

/// A value with its type: written with its bits in hexadecimal (an address; an integer in two's complement; IEEE 754), read
/// with any [`SpelledValue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypedValue(pub Value);

/// A value as a listing spells it. Only with its type it is known which one it is.
#[derive(Clone, Debug, PartialEq)]
pub enum SpelledValue {
    /// Bits in hexadecimal.
    Bits(Hex),
    /// A whole number.
    Whole(i128),
    /// A number with a fraction or an exponent.
    Fraction(f64),
    /// True or false.
    Truth(bool),
    /// Any other text.
    Text(String),
}

impl Serialize for TypedValue {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (TypeName(self.0.kind), Hex(self.0.bits)).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TypedValue {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<TypedValue, D::Error> {
        let (TypeName(kind), spelled) = <(TypeName, SpelledValue)>::deserialize(deserializer)?;
        spelled.with_type(kind).map(TypedValue).map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schemas")]
impl schemars::JsonSchema for TypedValue {
    fn schema_name() -> Cow<'static, str> {
        "TypedValue".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let parts = [generator.subschema_for::<TypeName>(), generator.subschema_for::<SpelledValue>()];
        schemars::json_schema!({
            "description": "a value: its type, and its bits, or the value as Java has it",
            "type": "array",
            "prefixItems": parts,
            "minItems": 2,
            "maxItems": 2,
        })
    }
}

impl<'de> Deserialize<'de> for SpelledValue {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<SpelledValue, D::Error> {
        deserializer.deserialize_any(SpelledVisitor)
    }
}

struct SpelledVisitor;

impl Visitor<'_> for SpelledVisitor {
    type Value = SpelledValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value: its bits like \"0x1f\", a number, true, false or a string")
    }

    fn visit_str<E>(self, text: &str) -> Result<SpelledValue, E> {
        Ok(Hex::parse(text).map_or_else(|| SpelledValue::Text(text.to_owned()), SpelledValue::Bits))
    }

    fn visit_u64<E>(self, number: u64) -> Result<SpelledValue, E> {
        Ok(SpelledValue::Whole(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<SpelledValue, E> {
        Ok(SpelledValue::Whole(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<SpelledValue, E> {
        Ok(SpelledValue::Fraction(number))
    }

    fn visit_bool<E>(self, truth: bool) -> Result<SpelledValue, E> {
        Ok(SpelledValue::Truth(truth))
    }
}

#[cfg(feature = "schemas")]
impl schemars::JsonSchema for SpelledValue {
    fn schema_name() -> Cow<'static, str> {
        "SpelledValue".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "a value of a type that stands beside it: its bits in hexadecimal, as heapsmith writes it; or a \
                            number, in decimal or as a string; of a float or double also `NaN`, `Infinity` or `-Infinity`; of a \
                            char a string of one; of a boolean also true or false",
            "type": ["string", "number", "boolean"],
        })
    }
}

impl SpelledValue {
    /// The value of this type.
    ///
    /// # Errors
    /// If the type has no such value, with the range of those that it has.
    pub(super) fn with_type(self, kind: FieldType) -> Result<Value, String> {
        let found = |spelled: &SpelledValue| match spelled {
            SpelledValue::Bits(Hex(bits)) => format!("\"{bits:#x}\""),
            SpelledValue::Whole(number) => number.to_string(),
            SpelledValue::Fraction(number) => format!("{number:?}"),
            SpelledValue::Truth(truth) => truth.to_string(),
            SpelledValue::Text(text) => quote(text),
        };
        let value = self.bits(kind).map(|bits| match kind {
            FieldType::Object => Value::reference(Address(bits)),
            FieldType::Primitive(kind) => Value::primitive(kind, bits),
        });
        value.ok_or_else(|| format!("expected {}, found {}", describe_values(kind), found(&self)))
    }

    /// The bits of the value of this type; `None` if the type has no such value.
    fn bits(&self, kind: FieldType) -> Option<u64> {
        let FieldType::Primitive(kind) = kind else {
            return match self {
                SpelledValue::Bits(Hex(bits)) => Some(*bits),
                _ => self.whole().and_then(|number| u64::try_from(number).ok()),
            };
        };
        let in_range = |number: i128| range(kind).contains(&number).then_some(number as u64);
        match (kind, self) {
            (_, SpelledValue::Bits(Hex(bits))) => {
                Some(*bits).filter(|bits| Value::primitive(kind, *bits).bits == *bits)
            }
            (PrimitiveType::Float, _) => self.float().map(|number| number.to_bits().into()),
            (PrimitiveType::Double, _) => self.double().map(f64::to_bits),
            (PrimitiveType::Boolean, SpelledValue::Truth(truth)) => Some((*truth).into()),
            // A digit is a character, too.
            (PrimitiveType::Char, SpelledValue::Text(text)) => {
                let mut units = text.encode_utf16();
                units.next().filter(|_| units.next().is_none()).map(u64::from)
            }
            _ => self.whole().and_then(in_range),
        }
    }

    fn whole(&self) -> Option<i128> {
        match self {
            SpelledValue::Whole(number) => Some(*number),
            SpelledValue::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    fn float(&self) -> Option<f32> {
        match self {
            SpelledValue::Whole(number) => Some(*number as f32),
            SpelledValue::Fraction(number) => Some(*number as f32).filter(|number| number.is_finite()),
            SpelledValue::Text(text) => match &**text {
                "NaN" => Some(f32::from_bits(0x7fc0_0000)),
                "Infinity" => Some(f32::INFINITY),
                "-Infinity" => Some(f32::NEG_INFINITY),
                text => parse_fraction(text).filter(|number: &f32| number.is_finite()),
            },
            SpelledValue::Bits(_) | SpelledValue::Truth(_) => None,
        }
    }

    fn double(&self) -> Option<f64> {
        match self {
            SpelledValue::Whole(number) => Some(*number as f64),
            SpelledValue::Fraction(number) => Some(*number),
            SpelledValue::Text(text) => match &**text {
                "NaN" => Some(f64::from_bits(0x7ff8_0000_0000_0000)),
                "Infinity" => Some(f64::INFINITY),
                "-Infinity" => Some(f64::NEG_INFINITY),
                text => parse_fraction(text).filter(|number: &f64| number.is_finite()),
            },
            SpelledValue::Bits(_) | SpelledValue::Truth(_) => None,
        }
    }
}

/// The number that a text spells in digits; Rust has words for others.
fn parse_fraction<T: FromStr>(text: &str) -> Option<T> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    is_digits.then(|| text.parse().ok()).flatten()
}

/// The whole numbers that are values of a type, or its bits.
fn range(kind: PrimitiveType) -> RangeInclusive<i128> {
    match kind {
        PrimitiveType::Boolean => 0..=0xff,
        PrimitiveType::Char => 0..=0xffff,
        kind => {
            let half = 1 << (8 * kind.size() - 1);
            -half..=half - 1
        }
    }
}

/// A description of the values of a type, for error messages.
fn describe_values(kind: FieldType) -> String {
    let FieldType::Primitive(kind) = kind else { return format!("an address, {NUMBER}") };
    let (least, most) = range(kind).into_inner();
    let bits = 8 * kind.size();
    let values = match kind {
        PrimitiveType::Boolean => format!("true, false, or {least} to {most}"),
        PrimitiveType::Char => format!("a string of one character up to U+FFFF, or {least} to {most}"),
        PrimitiveType::Float => format!("{:e} to {:e}, \"NaN\", \"Infinity\", \"-Infinity\"", f32::MIN, f32::MAX),
        PrimitiveType::Double => format!("{:e} to {:e}, \"NaN\", \"Infinity\", \"-Infinity\"", f64::MIN, f64::MAX),
        _ => format!("{least} to {most}"),
    };
    format!("a value of the type {kind} ({values}; or its {bits} bits like \"0x1f\")")
}

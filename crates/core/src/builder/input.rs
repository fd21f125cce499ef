//! Values as a caller writes them, and as a heap holds them.

use crate::model::{Address, FieldType, PrimitiveType};

use super::error::BuildError;
use super::{ClassId, HeapBuilder, ObjectId, RepeatId};

/// The target of a reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReferenceTarget {
    /// Nothing.
    #[default]
    Null,
    /// An object.
    Object(ObjectId),
    /// The class object of a class.
    Class(ClassId),
    /// An address, whether anything lies there or not.
    Address(Address),
    /// A member of a repeated part, in one of its turns.
    #[doc(hidden)]
    Repeated(RepeatId, u32, u64),
}

impl From<ObjectId> for ReferenceTarget {
    fn from(object: ObjectId) -> ReferenceTarget {
        ReferenceTarget::Object(object)
    }
}

impl From<ClassId> for ReferenceTarget {
    fn from(class: ClassId) -> ReferenceTarget {
        ReferenceTarget::Class(class)
    }
}

impl From<Address> for ReferenceTarget {
    fn from(address: Address) -> ReferenceTarget {
        ReferenceTarget::Address(address)
    }
}

/// A value as a caller writes it. The type of its field says how it is read.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldInput {
    /// A reference.
    Reference(ReferenceTarget),
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i128),
    /// A number with a fraction, as it was written.
    Decimal(String),
    /// A text: a character for a field of that type, and a String for a reference.
    Text(String),
    /// A text of UTF-16 code units, which may be no Unicode text.
    Units(Vec<u16>),
    /// A text that was computed: a number where the field is one.
    Computed(String),
    /// The bits of a primitive value.
    Bits(u64),
    /// A value of a primitive type, to be boxed.
    Boxed(PrimitiveType, Box<FieldInput>),
}

macro_rules! integers {
    ($($type:ty)*) => {
        $(impl From<$type> for FieldInput {
            fn from(number: $type) -> FieldInput {
                FieldInput::Integer(number.into())
            }
        })*
    };
}

integers!(i8 i16 i32 i64 u8 u16 u32);

impl From<f32> for FieldInput {
    fn from(number: f32) -> FieldInput {
        FieldInput::Decimal(number.to_string())
    }
}

impl From<f64> for FieldInput {
    fn from(number: f64) -> FieldInput {
        FieldInput::Decimal(number.to_string())
    }
}

impl From<bool> for FieldInput {
    fn from(value: bool) -> FieldInput {
        FieldInput::Boolean(value)
    }
}

impl From<char> for FieldInput {
    fn from(value: char) -> FieldInput {
        FieldInput::Text(value.into())
    }
}

impl From<&str> for FieldInput {
    fn from(text: &str) -> FieldInput {
        FieldInput::Text(text.to_owned())
    }
}

impl From<String> for FieldInput {
    fn from(text: String) -> FieldInput {
        FieldInput::Text(text)
    }
}

impl<T: Into<ReferenceTarget>> From<T> for FieldInput {
    fn from(target: T) -> FieldInput {
        FieldInput::Reference(target.into())
    }
}

/// A value of a heap under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BuiltValue {
    Reference(ReferenceTarget),
    Primitive(PrimitiveType, u64),
}

impl BuiltValue {
    /// Null, or zero.
    pub(super) fn zero(kind: FieldType) -> BuiltValue {
        match kind {
            FieldType::Object => BuiltValue::Reference(ReferenceTarget::Null),
            FieldType::Primitive(kind) => BuiltValue::Primitive(kind, 0),
        }
    }
}

impl FieldInput {
    /// The value as a message shows it.
    pub(super) fn shown(&self) -> String {
        match self {
            FieldInput::Reference(ReferenceTarget::Null) => "null".into(),
            FieldInput::Reference(ReferenceTarget::Class(_)) => "a class".into(),
            FieldInput::Reference(ReferenceTarget::Address(address)) => format!("@{address}"),
            FieldInput::Reference(_) => "an object".into(),
            FieldInput::Boolean(value) => value.to_string(),
            FieldInput::Integer(number) => number.to_string(),
            FieldInput::Decimal(text) => text.clone(),
            FieldInput::Text(text) | FieldInput::Computed(text) => format!("{text:?}"),
            FieldInput::Units(units) => format!("{:?}", String::from_utf16_lossy(units)),
            FieldInput::Bits(bits) => format!("the bits {bits:#x}"),
            FieldInput::Boxed(kind, input) => format!("({kind}){}", input.shown()),
        }
    }

    /// Refuses what is no value of a primitive type.
    pub(crate) fn check_primitive(&self, kind: PrimitiveType) -> Result<(), BuildError> {
        self.primitive_bits(kind).map(drop)
    }

    /// The bits of a primitive value.
    pub(super) fn primitive_bits(&self, kind: PrimitiveType) -> Result<u64, BuildError> {
        use PrimitiveType::{Boolean, Byte, Char, Double, Float, Int, Long, Short};
        let refuse = || BuildError::new(format!("{} is no {kind}{}", self.shown(), expected(kind)));
        let is_wider = |bits: u64| kind.size() < 8 && bits >> (8 * kind.size()) > 0;
        match (kind, self) {
            (_, FieldInput::Bits(bits)) if is_wider(*bits) => Err(BuildError::new(format!(
                "the bits {bits:#x} are wider than a {kind}, which has {} bytes",
                kind.size()
            ))),
            (_, FieldInput::Bits(bits)) => Ok(*bits),
            (_, FieldInput::Boxed(given, value)) if *given == kind => value.primitive_bits(kind),
            (_, FieldInput::Computed(text)) if kind != Char => computed(kind, text).ok_or_else(refuse),
            (Boolean, FieldInput::Boolean(value)) => Ok((*value).into()),
            (Char, FieldInput::Integer(number)) => u16::try_from(*number).map(u64::from).map_err(|_| refuse()),
            (Char, FieldInput::Text(text) | FieldInput::Computed(text)) => {
                let mut units = text.encode_utf16();
                units.next().filter(|_| units.next().is_none()).map(u64::from).ok_or_else(refuse)
            }
            (Char, FieldInput::Units(units)) if units.len() == 1 => Ok(units[0].into()),
            (Byte | Short | Int | Long, FieldInput::Integer(number)) => integer_bits(kind, *number).ok_or_else(refuse),
            (Float | Double, FieldInput::Integer(number)) => decimal_bits(kind, &number.to_string()).ok_or_else(refuse),
            (Float | Double, FieldInput::Decimal(text)) => decimal_bits(kind, text).ok_or_else(refuse),
            _ => Err(refuse()),
        }
    }

    /// The primitive type of the object that Java boxes the value in, unless another is asked for.
    pub(super) fn boxed_type(&self) -> Option<PrimitiveType> {
        match self {
            FieldInput::Boolean(_) => Some(PrimitiveType::Boolean),
            FieldInput::Integer(number) if i32::try_from(*number).is_ok() => Some(PrimitiveType::Int),
            FieldInput::Integer(_) => Some(PrimitiveType::Long),
            FieldInput::Decimal(_) => Some(PrimitiveType::Double),
            FieldInput::Boxed(kind, _) => Some(*kind),
            _ => None,
        }
    }
}

/// The values of a type, for a message.
fn expected(kind: PrimitiveType) -> &'static str {
    match kind {
        PrimitiveType::Boolean => " (#true or #false)",
        PrimitiveType::Char => " (one UTF-16 unit in a text, or 0 to 65535)",
        PrimitiveType::Byte => " (-128 to 127)",
        PrimitiveType::Short => " (-32768 to 32767)",
        PrimitiveType::Int => " (-2147483648 to 2147483647)",
        PrimitiveType::Long => " (-9223372036854775808 to 9223372036854775807)",
        PrimitiveType::Float | PrimitiveType::Double => " (a number, #nan, #inf or #-inf)",
    }
}

/// The bits of a signed number, if the type has it.
fn integer_bits(kind: PrimitiveType, number: i128) -> Option<u64> {
    let bits = 8 * kind.size() as u32;
    let most = 1_i128 << (bits - 1);
    (-most..most).contains(&number).then(|| (number as u64) << (64 - bits) >> (64 - bits))
}

fn decimal_bits(kind: PrimitiveType, text: &str) -> Option<u64> {
    let text = text.replace('_', "");
    match kind {
        PrimitiveType::Float => text.parse::<f32>().ok().map(|number| canonical_float(number).into()),
        _ => text.parse::<f64>().ok().map(canonical_double),
    }
}

/// The bits of a float, with one NaN, as `Float.floatToIntBits` has it.
fn canonical_float(number: f32) -> u32 {
    if number.is_nan() { 0x7fc0_0000 } else { number.to_bits() }
}

/// The bits of a double, with one NaN, as `Double.doubleToLongBits` has it.
fn canonical_double(number: f64) -> u64 {
    if number.is_nan() { 0x7ff8_0000_0000_0000 } else { number.to_bits() }
}

/// The bits of a number in a computed text.
fn computed(kind: PrimitiveType, text: &str) -> Option<u64> {
    match kind {
        PrimitiveType::Boolean => match text {
            "0" | "false" => Some(0),
            "1" | "true" => Some(1),
            _ => None,
        },
        PrimitiveType::Float | PrimitiveType::Double => decimal_bits(kind, text),
        _ => text.parse::<i128>().ok().and_then(|number| integer_bits(kind, number)),
    }
}

impl HeapBuilder {
    /// The value that an input is for a field or element: of a primitive type, or a reference to an object of the
    /// declared class.
    pub(super) fn value(
        &mut self,
        input: FieldInput,
        kind: FieldType,
        declared: Option<&str>,
    ) -> Result<BuiltValue, BuildError> {
        match kind {
            FieldType::Primitive(kind) => Ok(BuiltValue::Primitive(kind, input.primitive_bits(kind)?)),
            FieldType::Object => Ok(BuiltValue::Reference(self.target(input, declared)?)),
        }
    }

    /// The object that an input stands for: itself, a String, or a boxed value.
    pub(super) fn target(&mut self, input: FieldInput, declared: Option<&str>) -> Result<ReferenceTarget, BuildError> {
        match input {
            FieldInput::Reference(target) => {
                self.check_target(target)?;
                Ok(target)
            }
            FieldInput::Text(text) | FieldInput::Computed(text) => {
                if declared.is_some_and(|declared| declared.ends_with("[]")) {
                    let declared = declared.unwrap_or_default();
                    return Err(BuildError::new(format!("{text:?} is no {declared}; make an array of it")));
                }
                Ok(self.string(&text)?.into())
            }
            FieldInput::Units(units) => Ok(self.string_of_units(&units)?.into()),
            FieldInput::Bits(_) => {
                Err(BuildError::new(format!("{} are no reference; give the type: (int)1 boxes a value", input.shown())))
            }
            other => Ok(self.boxed(other, declared)?.into()),
        }
    }
}

//! Nodes: arguments, properties and children, with the variables of their place.

use kdl::{KdlEntry, KdlNode, KdlValue};

use crate::builder::FieldInput;
use crate::error::did_you_mean;
use crate::model::{Name, PrimitiveType};

use super::template::Variables;

/// A mistake at a byte offset.
pub(super) type Mistake = (usize, String);

/// A node in its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeView<'d, 'v> {
    pub(super) node: &'d KdlNode,
    pub(super) variables: &'v Variables,
}

/// The text of a value, and whether it was computed.
pub(super) struct ValueText {
    pub(super) text: String,
    pub(super) is_computed: bool,
}

impl<'d, 'v> NodeView<'d, 'v> {
    pub(super) fn new(node: &'d KdlNode, variables: &'v Variables) -> NodeView<'d, 'v> {
        NodeView { node, variables }
    }

    pub(super) fn kind(&self) -> &'d str {
        self.node.name().value()
    }

    pub(super) fn offset(&self) -> usize {
        self.node.name().span().offset()
    }

    pub(super) fn mistake<T>(&self, message: impl Into<String>) -> Result<T, Mistake> {
        Err((self.offset(), message.into()))
    }

    pub(super) fn arguments(&self) -> impl Iterator<Item = &'d KdlEntry> + use<'d> {
        self.node.entries().iter().filter(|entry| entry.name().is_none())
    }

    pub(super) fn properties(&self) -> impl Iterator<Item = (&'d str, &'d KdlEntry)> + use<'d> {
        self.node.entries().iter().filter_map(|entry| Some((entry.name()?.value(), entry)))
    }

    pub(super) fn children(&self) -> &'d [KdlNode] {
        self.node.children().map_or(&[], |children| children.nodes())
    }

    pub(super) fn property(&self, key: &str) -> Option<&'d KdlEntry> {
        self.properties().find(|(known, _)| *known == key).map(|(_, entry)| entry)
    }

    /// An argument by its place; the error says what it should be.
    pub(super) fn argument(&self, place: usize, what: &str) -> Result<&'d KdlEntry, Mistake> {
        match self.arguments().nth(place) {
            Some(entry) => Ok(entry),
            None => self.mistake(format!("{} without {what}", self.kind())),
        }
    }

    /// Refuses properties that come twice, other keys than these, and more arguments than a number.
    pub(super) fn expect(&self, keys: &[&str], arguments: usize) -> Result<(), Mistake> {
        self.refuse_twins()?;
        for (key, entry) in self.properties() {
            if !keys.contains(&key) {
                let known = if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
                let near = did_you_mean(key, keys.iter().copied());
                return Err((
                    offset_of(entry),
                    format!("{} has no property {key:?}; it has {known}{near}", self.kind()),
                ));
            }
        }
        if let Some(entry) = self.arguments().nth(arguments) {
            let message = match arguments {
                0 => format!("{} has no arguments", self.kind()),
                1 => format!("{} has 1 argument, and this is one more", self.kind()),
                _ => format!("{} has {arguments} arguments, and this is one more", self.kind()),
            };
            return Err((offset_of(entry), message));
        }
        Ok(())
    }

    pub(super) fn refuse_twins(&self) -> Result<(), Mistake> {
        let mut keys = std::collections::HashSet::new();
        match self.properties().find(|(key, _)| !keys.insert(*key)) {
            Some((key, entry)) => Err((offset_of(entry), format!("the property {key:?} stands twice"))),
            None => Ok(()),
        }
    }

    /// Refuses children.
    pub(super) fn expect_no_children(&self) -> Result<(), Mistake> {
        match self.children().first() {
            Some(child) => Err((child.name().span().offset(), format!("{} has no children", self.kind()))),
            None => Ok(()),
        }
    }

    /// A text: of an argument or a property.
    pub(super) fn text(&self, entry: &KdlEntry) -> Result<ValueText, Mistake> {
        let KdlValue::String(text) = entry.value() else {
            return Err((offset_of(entry), format!("{} is not a text; write it in quotes", shown(entry))));
        };
        if let Some(annotation) = entry.ty() {
            return Err((offset_of(entry), format!("({}) is not for this text", annotation.value())));
        }
        self.expanded(text, entry)
    }

    fn expanded(&self, text: &str, entry: &KdlEntry) -> Result<ValueText, Mistake> {
        let (text, is_computed) = self.variables.expand(text).map_err(|message| (offset_of(entry), message))?;
        Ok(ValueText { text, is_computed })
    }

    /// A text that is none of a reference: `@@` stands for one `@`.
    pub(super) fn plain_text(&self, entry: &KdlEntry) -> Result<String, Mistake> {
        let text = self.text(entry)?.text;
        match text.strip_prefix('@') {
            None => Ok(text),
            Some(rest) if rest.starts_with('@') => Ok(rest.to_owned()),
            Some(_) => {
                Err((offset_of(entry), format!("{text:?} is a reference; a text that begins with @ has two of them")))
            }
        }
    }

    /// The UTF-16 units of a text: `(utf16)"0041d83d"`, or those of a plain text.
    pub(super) fn units(&self, entry: &KdlEntry) -> Result<Vec<u16>, Mistake> {
        match annotation(entry) {
            Some("utf16") => units_of(entry),
            _ => Ok(self.plain_text(entry)?.encode_utf16().collect()),
        }
    }

    /// A name as a dump has it: a text, or `(bytes)"eda080"`.
    pub(super) fn name(&self, entry: &KdlEntry) -> Result<Name, Mistake> {
        match annotation(entry) {
            Some("bytes") => Ok(Name::from_bytes(bytes_of(entry)?)),
            _ => Ok(Name::from_text(&self.plain_text(entry)?)),
        }
    }

    /// A whole number, which may be computed.
    pub(super) fn number<T: TryFrom<i128>>(&self, entry: &KdlEntry, expected: &str) -> Result<T, Mistake> {
        let number = match entry.value() {
            KdlValue::Integer(number) => Some(*number),
            KdlValue::String(_) if annotation(entry).is_none() => {
                let text = self.text(entry)?;
                text.text.parse::<i128>().ok().filter(|_| text.is_computed)
            }
            _ => None,
        };
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| (offset_of(entry), format!("{} is no {expected}", shown(entry))))
    }

    /// A truth value.
    pub(super) fn flag(&self, entry: &KdlEntry) -> Result<bool, Mistake> {
        match entry.value() {
            KdlValue::Bool(value) => Ok(*value),
            _ => Err((offset_of(entry), format!("{} is neither #true nor #false", shown(entry)))),
        }
    }

    /// A name of an object: a reference without its `@` sign is refused.
    pub(super) fn reference_text(&self, entry: &KdlEntry) -> Result<String, Mistake> {
        let text = self.text(entry)?.text;
        match text.strip_prefix('@') {
            Some(name) if !name.starts_with('@') => Ok(name.to_owned()),
            _ => Err((offset_of(entry), format!("{text:?} is no reference; one begins with @, such as @{text}"))),
        }
    }
}

/// The place of an argument or a property.
pub(super) fn offset_of(entry: &KdlEntry) -> usize {
    entry.span().offset()
}

pub(super) fn annotation(entry: &KdlEntry) -> Option<&str> {
    entry.ty().map(|annotation| annotation.value())
}

/// A value as a message shows it.
pub(super) fn shown(entry: &KdlEntry) -> String {
    match entry.value() {
        KdlValue::String(text) => format!("{text:?}"),
        KdlValue::Integer(number) => number.to_string(),
        KdlValue::Float(number) => decimal_text(entry, *number),
        KdlValue::Bool(value) => format!("#{value}"),
        KdlValue::Null => "#null".into(),
    }
}

/// A number with a fraction as it was written: a float is rounded once, from its decimal digits.
fn decimal_text(entry: &KdlEntry, number: f64) -> String {
    match entry.format() {
        Some(format) if number.is_finite() => format.value_repr.replace('_', ""),
        _ => number.to_string(),
    }
}

/// The bytes of a text of hexadecimal digits.
pub(super) fn bytes_of(entry: &KdlEntry) -> Result<Vec<u8>, Mistake> {
    let refuse = || {
        (offset_of(entry), format!("{} is not a text of two hexadecimal digits for each byte, in quotes", shown(entry)))
    };
    let KdlValue::String(text) = entry.value() else { return Err(refuse()) };
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'_').collect();
    if !digits.len().is_multiple_of(2) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(refuse());
    }
    let value = |digit: u8| (digit as char).to_digit(16).unwrap_or_default() as u8;
    Ok(digits.chunks_exact(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect())
}

fn units_of(entry: &KdlEntry) -> Result<Vec<u16>, Mistake> {
    let bytes = bytes_of(entry)?;
    if !bytes.len().is_multiple_of(2) {
        return Err((offset_of(entry), "(utf16) has four hexadecimal digits for each unit".into()));
    }
    Ok(bytes.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect())
}

/// A value before its references are looked up: an input, or the text after an `@`.
pub(super) enum ReadValue {
    FieldInput(FieldInput),
    Reference(String),
}

/// The annotations that values may have.
const ANNOTATIONS: [&str; 11] =
    ["bits", "utf16", "text", "boolean", "char", "float", "double", "byte", "short", "int", "long"];

impl NodeView<'_, '_> {
    /// A value of a field, an element, an entry.
    pub(super) fn value(&self, entry: &KdlEntry) -> Result<ReadValue, Mistake> {
        let at = offset_of(entry);
        let plain = |view: &Self| -> Result<ReadValue, Mistake> {
            Ok(match entry.value() {
                KdlValue::Integer(number) => ReadValue::FieldInput(FieldInput::Integer(*number)),
                KdlValue::Float(number) => ReadValue::FieldInput(FieldInput::Decimal(decimal_text(entry, *number))),
                KdlValue::Bool(value) => ReadValue::FieldInput(FieldInput::Boolean(*value)),
                KdlValue::Null => ReadValue::FieldInput(FieldInput::Reference(crate::builder::ReferenceTarget::Null)),
                KdlValue::String(text) => {
                    let ValueText { text, is_computed } = view.expanded(text, entry)?;
                    match text.strip_prefix('@') {
                        Some(rest) if rest.starts_with('@') => ReadValue::FieldInput(FieldInput::Text(rest.to_owned())),
                        Some(name) => ReadValue::Reference(name.to_owned()),
                        None if is_computed => ReadValue::FieldInput(FieldInput::Computed(text)),
                        None => ReadValue::FieldInput(FieldInput::Text(text)),
                    }
                }
            })
        };
        let Some(annotation) = annotation(entry) else { return plain(self) };
        if let Some(kind) = PrimitiveType::ALL.into_iter().find(|kind| kind.keyword() == annotation) {
            return match plain(self)? {
                ReadValue::FieldInput(input) => Ok(ReadValue::FieldInput(FieldInput::Boxed(kind, Box::new(input)))),
                ReadValue::Reference(name) => Err((at, format!("@{name} is no {kind}"))),
            };
        }
        match (annotation, entry.value()) {
            ("bits", KdlValue::Integer(bits)) => match u64::try_from(*bits) {
                Ok(bits) => Ok(ReadValue::FieldInput(FieldInput::Bits(bits))),
                Err(_) => Err((at, format!("the bits {bits} are none of 64 bits"))),
            },
            ("bits", _) => Err((at, format!("(bits){} is no number", shown(entry)))),
            ("utf16", _) => Ok(ReadValue::FieldInput(FieldInput::Units(units_of(entry)?))),
            ("text", KdlValue::String(text)) => {
                Ok(ReadValue::FieldInput(FieldInput::Text(self.expanded(text, entry)?.text)))
            }
            _ => {
                let near = did_you_mean(annotation, ANNOTATIONS);
                Err((
                    at,
                    format!("({annotation}) says nothing about a value; known are {}{near}", ANNOTATIONS.join(", ")),
                ))
            }
        }
    }
}

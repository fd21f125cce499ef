//! The lines of roots.

use serde::{Deserialize, Serialize};

use crate::compare::spelling::ListedNumber;
use crate::error::did_you_mean;
use crate::model::{Root, RootKind, RootNumber};

/// A GC root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct RootLine {
    /// What keeps the object alive.
    pub root: RootName,
    /// The object that is kept alive.
    pub object: ListedNumber,
    /// The JNI global reference's own id: `jni-global`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<ListedNumber>,
    /// Thread serial number: `jni-local`, `java-frame`, `native-stack`, `thread-block`, `thread-object` and
    /// `jni-monitor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// Frame number, -1 for none: `jni-local`, `java-frame` and `jni-monitor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<i32>,
    /// Stack trace serial number: `thread-object`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<u32>,
    /// How many classes and objects stand before it in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
}

/// Kinds of root, by their place in [`RootKind::FORMS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RootName(usize);

impl Serialize for RootName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(RootKind::FORMS[self.0].name)
    }
}

impl<'de> Deserialize<'de> for RootName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<RootName, D::Error> {
        let name = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let found = RootKind::FORMS.iter().position(|form| form.name == name);
        found.map(RootName).ok_or_else(|| {
            let kinds = RootKind::FORMS.map(|form| form.name);
            let near = did_you_mean(&name, kinds);
            serde::de::Error::custom(format!("expected a kind of root ({}), found {name:?}{near}", kinds.join(", ")))
        })
    }
}

#[cfg(feature = "schemas")]
impl schemars::JsonSchema for RootName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RootName".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let kind = |form: &crate::model::RootForm| schemars::json_schema!({ "description": form.summary, "type": "string", "const": form.name });
        let kinds: Vec<_> = RootKind::FORMS.iter().map(kind).collect();
        schemars::json_schema!({ "description": "Kinds of root.", "oneOf": kinds })
    }
}

impl From<&Root> for RootLine {
    fn from(root: &Root) -> RootLine {
        let Root { object, mut kind, after } = *root;
        let (mut reference, mut thread, mut frame, mut trace) = (None, None, None, None);
        let root = RootName(kind.index());
        for number in kind.numbers() {
            match number {
                RootNumber::Reference(id) => reference = Some((*id).into()),
                RootNumber::Thread(serial) => thread = Some(serial.0),
                RootNumber::Frame(number) => frame = Some(*number),
                RootNumber::Trace(serial) => trace = Some(serial.0),
            }
        }
        RootLine { root, object: object.into(), reference, thread, frame, trace, after }
    }
}

impl RootLine {
    pub(super) fn to_root(&self) -> Result<Root, String> {
        let mut kind = RootKind::FORMS[self.root.0].kind;
        for number in kind.numbers() {
            let (key, value) = match number {
                RootNumber::Reference(_) => ("reference", self.reference.map(|id| id.address().0)),
                RootNumber::Thread(_) => ("thread", self.thread.map(u64::from)),
                RootNumber::Frame(_) => ("frame", self.frame.map(|number| number as u64)),
                RootNumber::Trace(_) => ("trace", self.trace.map(u64::from)),
            };
            number.set(value.ok_or_else(|| format!("expected the key {key} in a root of this kind"))?);
        }
        Ok(Root { object: self.object.address(), kind, after: self.after })
    }
}

//! The lines of roots, threads, stack traces and regions.

use serde::{Deserialize, Serialize};

use crate::model::{Region, Root, RootKind, RootNumber, Serial, StackFrame, StackTrace, Thread};

use super::spelling::{Hex, Text};

/// A GC root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct RootLine {
    /// What keeps the object alive.
    pub root: RootName,
    /// The object that is kept alive.
    pub object: Hex,
    /// The JNI global reference's own id: `jni-global`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Hex>,
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
        found.map(RootName).ok_or_else(|| serde::de::Error::custom(format!("expected a kind of root, found {name:?}")))
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

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ThreadLine {
    /// Thread serial number.
    pub serial: u32,
    /// The thread object.
    pub object: Hex,
    /// The thread's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Text>,
    /// Serial of its stack trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<u32>,
}

/// A stack trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct TraceLine {
    /// Stack trace serial number.
    pub serial: u32,
    /// Serial of the thread that it belongs to; 0 for none.
    pub thread: u32,
    /// Frames, innermost first.
    pub frames: Vec<FrameItem>,
}

/// A stack frame, with its names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct FrameItem {
    /// Method name.
    pub method: Text,
    /// Method signature.
    pub signature: Text,
    /// Source file name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Text>,
    /// The declaring class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Hex>,
    /// Line number: above 0 a line, -1 unknown, -2 compiled, -3 native.
    pub line: i32,
}

/// From here on the objects belong to this part of the heap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct RegionLine {
    /// The part's number.
    pub id: u32,
    /// Its name.
    pub name: Text,
    /// How many classes and objects stand before it in the file.
    pub after: u64,
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
    pub(super) fn root(&self) -> Result<Root, String> {
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

impl From<&Thread> for ThreadLine {
    fn from(thread: &Thread) -> ThreadLine {
        ThreadLine {
            serial: thread.serial.0,
            object: thread.object.into(),
            name: thread.name.as_ref().map(Text::from),
            trace: thread.trace.map(|trace| trace.0),
        }
    }
}

impl From<ThreadLine> for Thread {
    fn from(line: ThreadLine) -> Thread {
        Thread {
            serial: Serial(line.serial),
            object: line.object.address(),
            name: line.name.map(Into::into),
            trace: line.trace.map(Serial),
        }
    }
}

impl From<&StackTrace> for TraceLine {
    fn from(trace: &StackTrace) -> TraceLine {
        let frames = trace.frames.iter().map(FrameItem::from).collect();
        TraceLine { serial: trace.serial.0, thread: trace.thread.0, frames }
    }
}

impl From<TraceLine> for StackTrace {
    fn from(line: TraceLine) -> StackTrace {
        let frames = line.frames.into_iter().map(Into::into).collect();
        StackTrace { serial: Serial(line.serial), thread: Serial(line.thread), frames }
    }
}

impl From<&StackFrame> for FrameItem {
    fn from(frame: &StackFrame) -> FrameItem {
        FrameItem {
            method: (&frame.method).into(),
            signature: (&frame.signature).into(),
            source: frame.source.as_ref().map(Text::from),
            class: frame.class.map(Hex::from),
            line: frame.line,
        }
    }
}

impl From<FrameItem> for StackFrame {
    fn from(item: FrameItem) -> StackFrame {
        StackFrame {
            method: item.method.into(),
            signature: item.signature.into(),
            source: item.source.map(Into::into),
            class: item.class.map(Hex::address),
            line: item.line,
        }
    }
}

impl From<&Region> for RegionLine {
    fn from(region: &Region) -> RegionLine {
        RegionLine { id: region.id, name: (&region.name).into(), after: region.after }
    }
}

impl From<RegionLine> for Region {
    fn from(line: RegionLine) -> Region {
        Region { id: line.id, name: line.name.into(), after: line.after }
    }
}

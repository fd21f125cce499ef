//! The numbers of the format: versions, identifier sizes, tags and type codes, in the documents' spelling.

use std::fmt;

use crate::model::{FieldType, PrimitiveType};

pub use crate::units::IdSize;

/// The text at the start of every HPROF dump, in front of its version.
pub const MAGIC: &[u8; 13] = b"JAVA PROFILE ";

/// Bytes of a record before its body: tag, time and length.
pub const HEAD: usize = 9;

/// The version in the header's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// One HEAP DUMP record for a heap.
    V1_0_1,
    /// HEAP DUMP SEGMENT records may take its place (S3, header).
    V1_0_2,
    /// Android's: more sub-records.
    V1_0_3,
}

impl Version {
    /// All versions that readers accept. Plain 1.0 had another class layout.
    pub const ALL: [Version; 3] = [Version::V1_0_1, Version::V1_0_2, Version::V1_0_3];

    /// The version as the header spells it.
    pub const fn text(self) -> &'static str {
        match self {
            Version::V1_0_1 => "1.0.1",
            Version::V1_0_2 => "1.0.2",
            Version::V1_0_3 => "1.0.3",
        }
    }

    /// The version of a spelling.
    pub fn from_text(text: &[u8]) -> Option<Version> {
        Self::ALL.into_iter().find(|v| v.text().as_bytes() == text)
    }

    /// The number that the rule book gives it: the last of the three.
    pub const fn number(self) -> u32 {
        self as u32 + 1
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// The tag of a top-level record. Unknown ones are kept and can be printed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(pub u8);

/// The tag of a sub-record, inside a HEAP DUMP or HEAP DUMP SEGMENT: a namespace apart from [`Tag`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubTag(pub u8);

macro_rules! tags {
    ($type:ident: $($(#[$doc:meta])* $name:ident = $value:literal, $spelling:literal;)*) => {
        impl $type {
            $($(#[$doc])* pub const $name: $type = $type($value);)*

            /// Every tag that a document lists.
            pub const KNOWN: &'static [$type] = &[$($type::$name),*];

            /// The documents' name of the tag.
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $($type::$name => Some($spelling),)*
                    _ => None,
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.name() {
                    Some(name) => f.write_str(name),
                    None => write!(f, "unknown tag {:#04x}", self.0),
                }
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({:#04x}, {self})", stringify!($type), self.0)
            }
        }
    };
}

tags! { Tag:
    /// A string, with its identifier.
    STRING_IN_UTF8 = 0x01, "STRING IN UTF8";
    /// A class was loaded.
    LOAD_CLASS = 0x02, "LOAD CLASS";
    /// A class was unloaded.
    UNLOAD_CLASS = 0x03, "UNLOAD CLASS";
    /// A stack frame.
    STACK_FRAME = 0x04, "STACK FRAME";
    /// A stack trace.
    STACK_TRACE = 0x05, "STACK TRACE";
    /// Allocation sites.
    ALLOC_SITES = 0x06, "ALLOC SITES";
    /// Totals of the heap.
    HEAP_SUMMARY = 0x07, "HEAP SUMMARY";
    /// A thread started.
    START_THREAD = 0x0a, "START THREAD";
    /// A thread ended.
    END_THREAD = 0x0b, "END THREAD";
    /// A whole heap.
    HEAP_DUMP = 0x0c, "HEAP DUMP";
    /// CPU samples.
    CPU_SAMPLES = 0x0d, "CPU SAMPLES";
    /// Settings of the profiler.
    CONTROL_SETTINGS = 0x0e, "CONTROL SETTINGS";
    /// A part of a heap.
    HEAP_DUMP_SEGMENT = 0x1c, "HEAP DUMP SEGMENT";
    /// Ends the segments of a heap.
    HEAP_DUMP_END = 0x2c, "HEAP DUMP END";
}

tags! { SubTag:
    /// Root of an unknown kind.
    ROOT_UNKNOWN = 0xff, "ROOT UNKNOWN";
    /// JNI global reference.
    ROOT_JNI_GLOBAL = 0x01, "ROOT JNI GLOBAL";
    /// JNI local reference.
    ROOT_JNI_LOCAL = 0x02, "ROOT JNI LOCAL";
    /// Local of a Java frame.
    ROOT_JAVA_FRAME = 0x03, "ROOT JAVA FRAME";
    /// Native stack.
    ROOT_NATIVE_STACK = 0x04, "ROOT NATIVE STACK";
    /// System class.
    ROOT_STICKY_CLASS = 0x05, "ROOT STICKY CLASS";
    /// Thread block.
    ROOT_THREAD_BLOCK = 0x06, "ROOT THREAD BLOCK";
    /// Monitor in use.
    ROOT_MONITOR_USED = 0x07, "ROOT MONITOR USED";
    /// Thread object.
    ROOT_THREAD_OBJECT = 0x08, "ROOT THREAD OBJECT";
    /// A class.
    CLASS_DUMP = 0x20, "CLASS DUMP";
    /// A plain object.
    INSTANCE_DUMP = 0x21, "INSTANCE DUMP";
    /// An array of references.
    OBJECT_ARRAY_DUMP = 0x22, "OBJECT ARRAY DUMP";
    /// An array of primitive values.
    PRIMITIVE_ARRAY_DUMP = 0x23, "PRIMITIVE ARRAY DUMP";
    /// Android: interned string.
    ROOT_INTERNED_STRING = 0x89, "ROOT INTERNED STRING";
    /// Android: waits for its finalizer.
    ROOT_FINALIZING = 0x8a, "ROOT FINALIZING";
    /// Android: held by a debugger.
    ROOT_DEBUGGER = 0x8b, "ROOT DEBUGGER";
    /// Android: reference cleanup.
    ROOT_REFERENCE_CLEANUP = 0x8c, "ROOT REFERENCE CLEANUP";
    /// Android: held by the virtual machine.
    ROOT_VM_INTERNAL = 0x8d, "ROOT VM INTERNAL";
    /// Android: JNI monitor.
    ROOT_JNI_MONITOR = 0x8e, "ROOT JNI MONITOR";
    /// Android: unreachable.
    ROOT_UNREACHABLE = 0x90, "ROOT UNREACHABLE";
    /// Android: an array of primitive values without the values.
    PRIMITIVE_ARRAY_NO_DATA_DUMP = 0xc3, "PRIMITIVE ARRAY NO DATA DUMP";
    /// Android: the heap that the following objects belong to.
    HEAP_DUMP_INFO = 0xfe, "HEAP DUMP INFO";
}

impl Tag {
    /// Whether the record holds sub-records.
    pub const fn is_dump(self) -> bool {
        matches!(self, Tag::HEAP_DUMP | Tag::HEAP_DUMP_SEGMENT)
    }
}

impl SubTag {
    /// Whether only Android's documents have the tag.
    pub const fn is_android(self) -> bool {
        matches!(self.0, 0x89..=0x8e | 0x90 | 0xc3 | 0xfe)
    }
}

/// The code of a basic type (S3, Basic Type): 2 for a reference, 4 to 11 for the primitives.
pub const fn type_code(kind: FieldType) -> u8 {
    match kind {
        FieldType::Object => 2,
        FieldType::Primitive(kind) => 4 + kind as u8,
    }
}

/// The basic type of a code.
#[inline]
pub fn type_of_code(code: u8) -> Option<FieldType> {
    match code {
        2 => Some(FieldType::Object),
        4..=11 => Some(FieldType::Primitive(PrimitiveType::ALL[usize::from(code - 4)])),
        _ => None,
    }
}

/// Bytes of a value of this type: identifiers for references, Java's sizes for primitives (the page leaves
/// them out).
#[inline]
pub const fn size_of(kind: FieldType, id: IdSize) -> usize {
    match kind {
        FieldType::Object => id.bytes(),
        FieldType::Primitive(kind) => kind.size() as usize,
    }
}

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Version.
    pub version: Version,
    /// Size of identifiers.
    pub id_size: IdSize,
    /// Milliseconds since 1970-01-01T00:00Z.
    pub timestamp: u64,
}

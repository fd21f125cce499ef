//! The tags of records and of sub-records, two namespaces: each with the documents' name and, where its sub-record is a
//! flat list of fields, with those: decoding, encoding and byte maps read them here.

use std::fmt;

use crate::compare::Facet;
use crate::model::{Address, RootKind, Serial};

use super::wire::IdSize;

/// The tag of a top-level record. Unknown ones are kept and can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordTag(pub u8);

/// The tag of a sub-record, inside a HEAP DUMP or HEAP DUMP SEGMENT: a namespace apart from [`RecordTag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubRecordTag(pub u8);

impl RecordTag {
    /// A string, with its identifier.
    pub const STRING_IN_UTF8: RecordTag = RecordTag(0x01);
    /// A class was loaded.
    pub const LOAD_CLASS: RecordTag = RecordTag(0x02);
    /// A class was unloaded.
    pub const UNLOAD_CLASS: RecordTag = RecordTag(0x03);
    /// A stack frame.
    pub const STACK_FRAME: RecordTag = RecordTag(0x04);
    /// A stack trace.
    pub const STACK_TRACE: RecordTag = RecordTag(0x05);
    /// Allocation sites.
    pub const ALLOC_SITES: RecordTag = RecordTag(0x06);
    /// Totals of the heap.
    pub const HEAP_SUMMARY: RecordTag = RecordTag(0x07);
    /// A thread started.
    pub const START_THREAD: RecordTag = RecordTag(0x0a);
    /// A thread ended.
    pub const END_THREAD: RecordTag = RecordTag(0x0b);
    /// A whole heap.
    pub const HEAP_DUMP: RecordTag = RecordTag(0x0c);
    /// CPU samples.
    pub const CPU_SAMPLES: RecordTag = RecordTag(0x0d);
    /// Settings of the profiler.
    pub const CONTROL_SETTINGS: RecordTag = RecordTag(0x0e);
    /// A part of a heap.
    pub const HEAP_DUMP_SEGMENT: RecordTag = RecordTag(0x1c);
    /// Ends the segments of a heap.
    pub const HEAP_DUMP_END: RecordTag = RecordTag(0x2c);

    /// Every record that a document lists.
    pub const FORMS: [TagForm; 14] = [
        form(RecordTag::STRING_IN_UTF8.0, "STRING IN UTF8", &[id("string id")]),
        form(RecordTag::LOAD_CLASS.0, "LOAD CLASS", &[CLASS, id("class object id"), TRACE, id("class name string id")]),
        form(RecordTag::UNLOAD_CLASS.0, "UNLOAD CLASS", &[CLASS]),
        form(
            RecordTag::STACK_FRAME.0,
            "STACK FRAME",
            &[id("stack frame id"), METHOD, SIGNATURE, SOURCE, CLASS, signed("line number")],
        ),
        form(RecordTag::STACK_TRACE.0, "STACK TRACE", &[TRACE, THREAD]),
        form(
            RecordTag::ALLOC_SITES.0,
            "ALLOC SITES",
            &[unsigned(2, "flags"), CUTOFF, LIVE_BYTES, LIVE, ALLOCATED_BYTES, ALLOCATED],
        ),
        form(RecordTag::HEAP_SUMMARY.0, "HEAP SUMMARY", &[LIVE_BYTES, LIVE, ALLOCATED_BYTES, ALLOCATED]),
        form(
            RecordTag::START_THREAD.0,
            "START THREAD",
            &[THREAD, id("thread object id"), TRACE, id("thread name string id"), GROUP, PARENT],
        ),
        form(RecordTag::END_THREAD.0, "END THREAD", &[THREAD]),
        form(RecordTag::HEAP_DUMP.0, "HEAP DUMP", &[]),
        form(RecordTag::CPU_SAMPLES.0, "CPU SAMPLES", &[unsigned(4, "total number of samples")]),
        form(
            RecordTag::CONTROL_SETTINGS.0,
            "CONTROL SETTINGS",
            &[unsigned(4, "flags"), unsigned(2, "stack trace depth")],
        ),
        form(RecordTag::HEAP_DUMP_SEGMENT.0, "HEAP DUMP SEGMENT", &[]),
        form(RecordTag::HEAP_DUMP_END.0, "HEAP DUMP END", &[]),
    ];

    /// The tag's row in [`RecordTag::FORMS`].
    #[inline]
    pub fn form(self) -> Option<&'static TagForm> {
        Self::FORMS.iter().find(|form| form.tag == self.0)
    }

    /// The tag's fields in their order; a list, a string or sub-records may stand after them.
    #[inline]
    pub fn fields(self) -> &'static [FlatField] {
        self.form().map_or(&[], |form| form.fields)
    }

    /// The facets of what such a record says; none of one that holds sub-records or nothing.
    pub(super) const fn facets(self) -> &'static [Facet] {
        match self {
            RecordTag::STRING_IN_UTF8 => &[
                Facet::ClassName,
                Facet::Fields,
                Facet::Statics,
                Facet::Threads,
                Facet::StackTraces,
                Facet::Regions,
                Facet::Strings,
                Facet::Events,
            ],
            RecordTag::LOAD_CLASS => {
                &[Facet::ClassName, Facet::ClassSerial, Facet::ClassTrace, Facet::StackTraces, Facet::Events]
            }
            RecordTag::UNLOAD_CLASS => &[Facet::Unloads, Facet::Events],
            RecordTag::STACK_FRAME | RecordTag::STACK_TRACE => &[Facet::StackTraces, Facet::Events],
            RecordTag::ALLOC_SITES => &[Facet::AllocationSites, Facet::Events],
            RecordTag::HEAP_SUMMARY => &[Facet::HeapSummaries, Facet::Events],
            RecordTag::START_THREAD => &[Facet::Threads, Facet::Events],
            RecordTag::END_THREAD => &[Facet::Events],
            RecordTag::CPU_SAMPLES => &[Facet::CpuSamples, Facet::Events],
            RecordTag::CONTROL_SETTINGS => &[Facet::ControlSettings, Facet::Events],
            _ => &[],
        }
    }

    /// Whether the record holds sub-records.
    pub const fn is_dump(self) -> bool {
        matches!(self, RecordTag::HEAP_DUMP | RecordTag::HEAP_DUMP_SEGMENT)
    }

    /// The tags that a document lists, for messages.
    pub(super) fn listed() -> String {
        let all = ranges(Self::FORMS.iter());
        all.rsplit_once(", ").map_or_else(|| all.clone(), |(others, last)| format!("{others} or {last}"))
    }
}

impl SubRecordTag {
    /// A class.
    pub const CLASS_DUMP: SubRecordTag = SubRecordTag(0x20);
    /// A plain object.
    pub const INSTANCE_DUMP: SubRecordTag = SubRecordTag(0x21);
    /// An array of references.
    pub const OBJECT_ARRAY_DUMP: SubRecordTag = SubRecordTag(0x22);
    /// An array of primitive values.
    pub const PRIMITIVE_ARRAY_DUMP: SubRecordTag = SubRecordTag(0x23);
    /// Android: an array of primitive values without the values.
    pub const PRIMITIVE_ARRAY_NO_DATA_DUMP: SubRecordTag = SubRecordTag(0xc3);
    /// Android: the heap that the following objects belong to.
    pub const HEAP_DUMP_INFO: SubRecordTag = SubRecordTag(0xfe);

    /// Every sub-record that a document lists. One without fields here has lists or contents, and functions of its own in
    /// `decode` and `encode`; a root has the object's identifier and then the numbers of its kind in their order.
    pub const FORMS: &'static [TagForm] = &[
        root(0xff, "ROOT UNKNOWN", RootKind::Unknown, &[OBJECT]),
        root(0x01, "ROOT JNI GLOBAL", RootKind::JniGlobal(Address(0)), &[OBJECT, REFERENCE]),
        root(0x02, "ROOT JNI LOCAL", RootKind::JniLocal(Serial(0), 0), &[OBJECT, THREAD, FRAME]),
        root(0x03, "ROOT JAVA FRAME", RootKind::JavaFrame(Serial(0), 0), &[OBJECT, THREAD, FRAME]),
        root(0x04, "ROOT NATIVE STACK", RootKind::NativeStack(Serial(0)), &[OBJECT, THREAD]),
        root(0x05, "ROOT STICKY CLASS", RootKind::StickyClass, &[OBJECT]),
        root(0x06, "ROOT THREAD BLOCK", RootKind::ThreadBlock(Serial(0)), &[OBJECT, THREAD]),
        root(0x07, "ROOT MONITOR USED", RootKind::MonitorUsed, &[OBJECT]),
        root(0x08, "ROOT THREAD OBJECT", RootKind::ThreadObject(Serial(0), Serial(0)), &[OBJECT, THREAD, TRACE]),
        form(SubRecordTag::CLASS_DUMP.0, "CLASS DUMP", &[]),
        form(SubRecordTag::INSTANCE_DUMP.0, "INSTANCE DUMP", &[]),
        form(SubRecordTag::OBJECT_ARRAY_DUMP.0, "OBJECT ARRAY DUMP", &[]),
        form(SubRecordTag::PRIMITIVE_ARRAY_DUMP.0, "PRIMITIVE ARRAY DUMP", &[]),
        android(root(0x89, "ROOT INTERNED STRING", RootKind::InternedString, &[OBJECT])),
        android(root(0x8a, "ROOT FINALIZING", RootKind::Finalizing, &[OBJECT])),
        android(root(0x8b, "ROOT DEBUGGER", RootKind::Debugger, &[OBJECT])),
        android(root(0x8c, "ROOT REFERENCE CLEANUP", RootKind::ReferenceCleanup, &[OBJECT])),
        android(root(0x8d, "ROOT VM INTERNAL", RootKind::VmInternal, &[OBJECT])),
        android(root(0x8e, "ROOT JNI MONITOR", RootKind::JniMonitor(Serial(0), 0), &[OBJECT, THREAD, FRAME])),
        android(root(0x90, "ROOT UNREACHABLE", RootKind::Unreachable, &[OBJECT])),
        android(form(SubRecordTag::PRIMITIVE_ARRAY_NO_DATA_DUMP.0, "PRIMITIVE ARRAY NO DATA DUMP", &[])),
        android(form(
            SubRecordTag::HEAP_DUMP_INFO.0,
            "HEAP DUMP INFO",
            &[unsigned(4, "heap id"), id("heap name string id")],
        )),
    ];

    /// The tag's row in [`SubRecordTag::FORMS`].
    pub fn form(self) -> Option<&'static TagForm> {
        Self::FORMS.iter().find(|form| form.tag == self.0)
    }

    /// Whether only Android's documents have the tag.
    pub fn is_android(self) -> bool {
        self.form().is_some_and(|form| form.is_android)
    }

    /// The tags that the HPROF manual lists, for messages.
    pub(super) fn listed() -> String {
        ranges(Self::FORMS.iter().filter(|form| !form.is_android))
    }
}

/// The form of a record or sub-record of one tag, in one place for all that need it.
#[derive(Debug, PartialEq, Eq)]
pub struct TagForm {
    /// Tag.
    pub tag: u8,
    /// The documents' name.
    pub name: &'static str,
    /// Fields in their order.
    pub fields: &'static [FlatField],
    /// The kind of root that it is.
    pub root: Option<RootKind>,
    /// Whether only Android's documents have it.
    pub is_android: bool,
}

impl TagForm {
    /// The sub-record that is a root of this kind.
    ///
    /// # Panics
    /// Never: every kind of root has its row, which a test checks.
    pub fn of_root(kind: RootKind) -> &'static TagForm {
        let is_it = |form: &&TagForm| form.root.is_some_and(|own| own.is_a(kind));
        SubRecordTag::FORMS.iter().find(is_it).expect("every kind of root has its sub-record")
    }
}

const fn form(tag: u8, name: &'static str, fields: &'static [FlatField]) -> TagForm {
    TagForm { tag, name, fields, root: None, is_android: false }
}

const fn root(tag: u8, name: &'static str, kind: RootKind, fields: &'static [FlatField]) -> TagForm {
    TagForm { root: Some(kind), ..form(tag, name, fields) }
}

const fn android(form: TagForm) -> TagForm {
    TagForm { is_android: true, ..form }
}

/// A field of a record or sub-record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatField {
    /// The field's name. Byte maps go by it: one that ends with "string id" or "object id" is shown as such.
    pub name: &'static str,
    /// The field's width.
    pub width: FlatWidth,
}

/// The width of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlatWidth {
    /// An identifier.
    Id,
    /// A number of this many bytes.
    Unsigned(usize),
    /// A signed number of this many bytes.
    Signed(usize),
}

impl FlatWidth {
    /// Bytes.
    pub const fn bytes(self, id: IdSize) -> usize {
        match self {
            FlatWidth::Id => id.bytes(),
            FlatWidth::Unsigned(bytes) | FlatWidth::Signed(bytes) => bytes,
        }
    }
}

const fn id(name: &'static str) -> FlatField {
    FlatField { name, width: FlatWidth::Id }
}

const fn unsigned(bytes: usize, name: &'static str) -> FlatField {
    FlatField { name, width: FlatWidth::Unsigned(bytes) }
}

const fn signed(name: &'static str) -> FlatField {
    FlatField { name, width: FlatWidth::Signed(4) }
}

const OBJECT: FlatField = id("object id");
const REFERENCE: FlatField = id("JNI global reference id");
const THREAD: FlatField = unsigned(4, "thread serial number");
const FRAME: FlatField = signed("frame number in stack trace");
const TRACE: FlatField = unsigned(4, "stack trace serial number");
const CLASS: FlatField = unsigned(4, "class serial number");
const METHOD: FlatField = id("method name string id");
const SIGNATURE: FlatField = id("method signature string id");
const SOURCE: FlatField = id("source file name string id");
const GROUP: FlatField = id("thread group name string id");
const PARENT: FlatField = id("thread parent group name string id");
const CUTOFF: FlatField = unsigned(4, "cutoff ratio");
const LIVE_BYTES: FlatField = unsigned(4, "total live bytes");
const LIVE: FlatField = unsigned(4, "total live instances");
const ALLOCATED_BYTES: FlatField = unsigned(8, "total bytes allocated");
const ALLOCATED: FlatField = unsigned(8, "total instances allocated");

/// The values of a row's fields, in their order; those after the last field are 0.
pub type FlatValues = [u64; MAX_FIELDS];

/// The most fields that a row has.
pub const MAX_FIELDS: usize = 6;

/// The values of a row's first fields.
pub(super) fn flat_values(first: &[u64]) -> FlatValues {
    std::array::from_fn(|at| first.get(at).copied().unwrap_or_default())
}

/// Tags in their order, with ranges for neighbours.
fn ranges<'f>(forms: impl Iterator<Item = &'f TagForm>) -> String {
    let mut tags: Vec<u8> = forms.map(|form| form.tag).collect();
    tags.sort_unstable();
    let runs = tags.chunk_by(|a, b| a + 1 == *b).map(|run| match run {
        [tag] => format!("{tag:#04x}"),
        run => format!("{:#04x} to {:#04x}", run[0], run[run.len() - 1]),
    });
    runs.collect::<Vec<_>>().join(", ")
}

fn write_tag_name(form: Option<&TagForm>, tag: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match form {
        Some(form) => f.write_str(form.name),
        None => write!(f, "unknown tag {tag:#04x}"),
    }
}

impl fmt::Display for RecordTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_tag_name(self.form(), self.0, f)
    }
}

impl fmt::Display for SubRecordTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_tag_name(self.form(), self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RootNumber;

    #[test]
    fn every_kind_of_root_is_one_sub_record_with_the_fields_of_its_numbers() {
        for told in RootKind::FORMS {
            let form = TagForm::of_root(told.kind);
            assert_eq!(form.is_android, told.kind.is_android(), "{}", told.name);
            let mut kind = told.kind;
            let numbers = kind.numbers().map(|number| match number {
                RootNumber::Reference(_) => REFERENCE,
                RootNumber::Thread(_) => THREAD,
                RootNumber::Frame(_) => FRAME,
                RootNumber::Trace(_) => TRACE,
            });
            assert_eq!(form.fields, [OBJECT].into_iter().chain(numbers).collect::<Vec<_>>(), "{}", told.name);
        }
    }

    #[test]
    fn no_two_rows_have_one_tag_and_none_has_too_many_fields() {
        for forms in [&RecordTag::FORMS, SubRecordTag::FORMS] {
            for (index, form) in forms.iter().enumerate() {
                assert!(forms[..index].iter().all(|other| other.tag != form.tag), "{}", form.name);
                assert!(form.fields.len() <= MAX_FIELDS, "{}", form.name);
            }
        }
    }
}

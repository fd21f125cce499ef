//! The names that byte maps go by, in every table of tags: the field's name, its bytes where identifiers have 8, and
//! whether it has a sign; from the HPROF manual, the documents of Android and HotSpot's own comments.

use heapsmith::hprof::IdSize;
use heapsmith::hprof::tags::{FlatField, FlatWidth, RecordTag, SubRecordTag, TagForm};

/// A tag, its name, and its fields.
type Row = (u8, &'static str, &'static [Field]);

/// A name, bytes, and whether it has a sign.
type Field = (&'static str, usize, bool);

const OBJECT: Field = ("object id", 8, false);
const THREAD: Field = ("thread serial number", 4, false);
const TRACE: Field = ("stack trace serial number", 4, false);
const FRAME: Field = ("frame number in stack trace", 4, true);

/// Records; of those with lists or text the fields before them.
const RECORDS: &[Row] = &[
    (0x01, "STRING IN UTF8", &[("string id", 8, false)]),
    (
        0x02,
        "LOAD CLASS",
        &[("class serial number", 4, false), ("class object id", 8, false), TRACE, ("class name string id", 8, false)],
    ),
    (0x03, "UNLOAD CLASS", &[("class serial number", 4, false)]),
    (
        0x04,
        "STACK FRAME",
        &[
            ("stack frame id", 8, false),
            ("method name string id", 8, false),
            ("method signature string id", 8, false),
            ("source file name string id", 8, false),
            ("class serial number", 4, false),
            ("line number", 4, true),
        ],
    ),
    (0x05, "STACK TRACE", &[TRACE, THREAD]),
    (
        0x06,
        "ALLOC SITES",
        &[
            ("flags", 2, false),
            ("cutoff ratio", 4, false),
            ("total live bytes", 4, false),
            ("total live instances", 4, false),
            ("total bytes allocated", 8, false),
            ("total instances allocated", 8, false),
        ],
    ),
    (
        0x07,
        "HEAP SUMMARY",
        &[
            ("total live bytes", 4, false),
            ("total live instances", 4, false),
            ("total bytes allocated", 8, false),
            ("total instances allocated", 8, false),
        ],
    ),
    (
        0x0a,
        "START THREAD",
        &[
            THREAD,
            ("thread object id", 8, false),
            TRACE,
            ("thread name string id", 8, false),
            ("thread group name string id", 8, false),
            ("thread parent group name string id", 8, false),
        ],
    ),
    (0x0b, "END THREAD", &[THREAD]),
    (0x0c, "HEAP DUMP", &[]),
    (0x0d, "CPU SAMPLES", &[("total number of samples", 4, false)]),
    (0x0e, "CONTROL SETTINGS", &[("flags", 4, false), ("stack trace depth", 2, false)]),
    (0x1c, "HEAP DUMP SEGMENT", &[]),
    (0x2c, "HEAP DUMP END", &[]),
];

/// Sub-records of the manual; those with lists or contents have functions of their own.
const SUB_RECORDS: &[Row] = &[
    (0xff, "ROOT UNKNOWN", &[OBJECT]),
    (0x01, "ROOT JNI GLOBAL", &[OBJECT, ("JNI global reference id", 8, false)]),
    (0x02, "ROOT JNI LOCAL", &[OBJECT, THREAD, FRAME]),
    (0x03, "ROOT JAVA FRAME", &[OBJECT, THREAD, FRAME]),
    (0x04, "ROOT NATIVE STACK", &[OBJECT, THREAD]),
    (0x05, "ROOT STICKY CLASS", &[OBJECT]),
    (0x06, "ROOT THREAD BLOCK", &[OBJECT, THREAD]),
    (0x07, "ROOT MONITOR USED", &[OBJECT]),
    (0x08, "ROOT THREAD OBJECT", &[OBJECT, THREAD, TRACE]),
    (0x20, "CLASS DUMP", &[]),
    (0x21, "INSTANCE DUMP", &[]),
    (0x22, "OBJECT ARRAY DUMP", &[]),
    (0x23, "PRIMITIVE ARRAY DUMP", &[]),
];

/// Those of Android alone.
const ANDROID: &[Row] = &[
    (0x89, "ROOT INTERNED STRING", &[OBJECT]),
    (0x8a, "ROOT FINALIZING", &[OBJECT]),
    (0x8b, "ROOT DEBUGGER", &[OBJECT]),
    (0x8c, "ROOT REFERENCE CLEANUP", &[OBJECT]),
    (0x8d, "ROOT VM INTERNAL", &[OBJECT]),
    (0x8e, "ROOT JNI MONITOR", &[OBJECT, THREAD, FRAME]),
    (0x90, "ROOT UNREACHABLE", &[OBJECT]),
    (0xc3, "PRIMITIVE ARRAY NO DATA DUMP", &[]),
    (0xfe, "HEAP DUMP INFO", &[("heap id", 4, false), ("heap name string id", 8, false)]),
];

#[test]
fn names_and_fields_of_records_are_those_of_the_documents() {
    compare(&RecordTag::FORMS, RECORDS, &[]);
}

#[test]
fn names_and_fields_of_sub_records_are_those_of_the_documents() {
    compare(SubRecordTag::FORMS, SUB_RECORDS, ANDROID);
}

fn compare(forms: &[TagForm], everybody: &[Row], android: &[Row]) {
    assert_eq!(forms.len(), everybody.len() + android.len());
    for (is_android, rows) in [(false, everybody), (true, android)] {
        for &(tag, name, fields) in rows {
            let form = forms.iter().find(|form| form.tag == tag).unwrap_or_else(|| panic!("{name} has a row"));
            assert_eq!((form.name, form.is_android), (name, is_android), "{tag:#04x}");
            assert_eq!(form.fields.iter().map(spelled).collect::<Vec<_>>(), fields, "{name}");
        }
    }
}

fn spelled(field: &FlatField) -> Field {
    (field.name, field.width.bytes(IdSize::Eight), matches!(field.width, FlatWidth::Signed(_)))
}

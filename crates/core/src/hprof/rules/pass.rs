//! The rules that one pass with constant state can judge.

use crate::bytes::mutf8;
use crate::findings::Findings;
use crate::hprof::decode::{DecodeStep, RecordSlice};
use crate::hprof::lift::HeapCounter;
use crate::hprof::record::{Record, RecordBody, Segment, SegmentLength};
use crate::hprof::sub_record::{ClassDump, SubRecord};
use crate::hprof::wire::{Header, IdSize, RecordTag, Version};
use crate::model::{FieldType, PrimitiveType, Value};

use super::{FindingPlace, each_id, severity};

/// Judges a dump's records and sub-records, one by one.
///
/// Contents in pieces are judged, and counted, when their last piece has come.
#[derive(Debug)]
pub struct PassRules {
    id: IdSize,
    version: Version,
    heaps: HeapCounter,
    segment: Option<OpenSegment>,
    pending: Option<PendingContents>,
    /// Classes seen.
    pub classes: u64,
    /// Objects seen.
    pub objects: u64,
    /// References seen that are known without the classes: elements of object arrays, and values of static
    /// fields and constant pools. Those of instances are counted by [`super::GraphIndex`].
    pub references: u64,
}

/// The dump record that is open.
#[derive(Clone, Copy, Debug)]
struct OpenSegment {
    place: FindingPlace,
    tag: RecordTag,
    is_empty: bool,
}

/// A record or sub-record of whose contents a part is still to come.
#[derive(Clone, Copy, Debug)]
struct PendingContents {
    place: FindingPlace,
    is_object: bool,
    contents: JudgedContents,
}

/// The kinds of contents that are judged or counted.
#[derive(Clone, Copy, Debug)]
enum JudgedContents {
    /// Contents that are neither judged nor counted.
    Any,
    Text(mutf8::Mutf8Checker),
    /// References, with the number of those that are not null.
    Elements(u64),
    /// Booleans, with the number of those that are neither 0 nor 1.
    Booleans(u64),
}

impl JudgedContents {
    fn feed(&mut self, id: IdSize, bytes: &[u8]) {
        match self {
            JudgedContents::Any => {}
            JudgedContents::Text(checker) => checker.feed(bytes),
            JudgedContents::Elements(references) => each_id(bytes, id, |to| *references += u64::from(to != 0)),
            JudgedContents::Booleans(odd) => *odd += bytes.iter().filter(|&&b| b > 1).count() as u64,
        }
    }
}

impl PassRules {
    /// Rules for a dump with this header.
    pub fn new(header: &Header) -> PassRules {
        PassRules {
            id: header.id_size,
            version: header.version,
            heaps: HeapCounter::default(),
            segment: None,
            pending: None,
            classes: 0,
            objects: 0,
            references: 0,
        }
    }

    /// Judges a step through the dump.
    #[inline]
    pub fn step(&mut self, step: DecodeStep<'_, '_>, findings: &mut Findings) {
        match step {
            DecodeStep::Sub(at, sub_record) => self.sub_record(&at, sub_record, findings),
            DecodeStep::More(at) => self.more(&at, findings),
            DecodeStep::Record(at, record) => self.record(&at, record, findings),
            DecodeStep::Segment(at, segment) => self.segment(&at, segment, findings),
            DecodeStep::SegmentEnd(_) => self.segment_end(findings),
        }
    }

    /// Judges the end of a file that has this number of bytes.
    pub fn finish(&mut self, length: u64, findings: &mut Findings) {
        if self.heaps.is_open() {
            let rule = super::SEGMENT_END_MISSING;
            findings.add(rule, severity, length, None, || end_missing("the end of the file"));
        }
    }

    fn record(&mut self, at: &RecordSlice<'_>, record: &Record<'_>, findings: &mut Findings) {
        let place = FindingPlace::from_slice(at);
        let mut contents = JudgedContents::Any;
        match &record.body {
            RecordBody::Text(id, bytes) => {
                report_null_id(place, id.0, "string", findings);
                contents = JudgedContents::Text(mutf8::Mutf8Checker::default());
                contents.feed(self.id, bytes);
            }
            RecordBody::LoadClass(load) if load.serial.0 == 0 => {
                place.report(findings, super::CLASS_SERIAL_ZERO, || {
                    ("a class serial number above 0".to_owned(), format!("0, for the class {}", load.class))
                });
            }
            RecordBody::Frame(frame) if !(frame.line > 0 || (-3..=-1).contains(&frame.line)) => {
                place.report(findings, super::FRAME_LINE, || {
                    ("a line number above 0, or -1, -2 or -3".to_owned(), frame.line.to_string())
                });
            }
            RecordBody::AllocSites(sites) => {
                report_reserved_flags(
                    place,
                    super::SITES_RESERVED_FLAGS,
                    u32::from(sites.flags & !7),
                    "1, 2 and 4",
                    findings,
                );
            }
            RecordBody::ControlSettings(settings) => {
                report_reserved_flags(place, super::CONTROL_RESERVED_FLAGS, settings.flags & !3, "1 and 2", findings);
            }
            RecordBody::End => self.dump_end(place, record.rest.len(), findings),
            RecordBody::Unknown(tag, _) => place.report(findings, super::RECORD_UNKNOWN_TAG, || {
                (format!("a record tag: {}", RecordTag::listed()), format!("{:#04x}, skipped by its length", tag.0))
            }),
            _ => {}
        }
        if !record.rest.is_empty() && record.tag() != RecordTag::HEAP_DUMP_END {
            place.report(findings, super::RECORD_REST, || {
                let found = format!("{} bytes after them, ignored", record.rest.len());
                (format!("a {} that ends with its fields", record.tag()), found)
            });
        }
        self.contents(at, PendingContents { place, is_object: false, contents }, findings);
    }

    fn dump_end(&mut self, place: FindingPlace, body: usize, findings: &mut Findings) {
        if !self.heaps.end_heap() {
            place.report(findings, super::SEGMENT_END_ALONE, || {
                let expected = "a HEAP DUMP SEGMENT before every HEAP DUMP END";
                (expected.to_owned(), "a HEAP DUMP END without segments to close".to_owned())
            });
        }
        if body > 0 {
            place.report(findings, super::SEGMENT_END_BODY, || {
                ("a HEAP DUMP END of length 0".to_owned(), format!("{body} bytes, ignored"))
            });
        }
    }

    fn segment(&mut self, at: &RecordSlice<'_>, segment: Segment, findings: &mut Findings) {
        let place = FindingPlace::from_slice(at);
        let (_, unclosed) = self.heaps.begin_segment(segment.tag);
        if unclosed {
            place.report(findings, super::SEGMENT_END_MISSING, || end_missing("a HEAP DUMP"));
        }
        if segment.tag == RecordTag::HEAP_DUMP_SEGMENT && !self.version.has_segments() {
            place.report(findings, super::SEGMENT_VERSION, || {
                ("version 1.0.2 or 1.0.3 in a file with segments".to_owned(), "1.0.1".to_owned())
            });
        }
        match segment.length {
            SegmentLength::Stated => {}
            SegmentLength::Wrapped(length) => place.report(findings, super::SEGMENT_WRAPPED_LENGTH, || {
                let found = format!("{length} bytes up to the end of the file, and {} stated", segment.stated);
                ("a HEAP DUMP of less than 4 GiB".to_owned(), found)
            }),
            SegmentLength::Unpatched => place.report(findings, super::SEGMENT_UNPATCHED_LENGTH, || {
                let found = "0, with something else than records after it; read as sub-records";
                (format!("the length of the {}", segment.tag), found.to_owned())
            }),
        }
        self.segment = Some(OpenSegment { place, tag: segment.tag, is_empty: true });
    }

    fn segment_end(&mut self, findings: &mut Findings) {
        let Some(open) = self.segment.take() else { return };
        self.heaps.end_segment(open.tag);
        if open.is_empty {
            open.place.report(findings, super::SEGMENT_EMPTY, || {
                ("a sub-record at least".to_owned(), format!("an empty {}", open.tag))
            });
        }
    }

    #[inline]
    fn sub_record(&mut self, at: &RecordSlice<'_>, sub_record: &SubRecord<'_>, findings: &mut Findings) {
        if let Some(segment) = &mut self.segment {
            segment.is_empty = false;
        }
        let place = FindingPlace::from_slice(at);
        let mut contents = JudgedContents::Any;
        match sub_record {
            SubRecord::Instance(r) => report_null_id(place, r.id.0, "instance", findings),
            SubRecord::ObjectArray(r) => {
                report_null_id(place, r.id.0, "object array", findings);
                contents = JudgedContents::Elements(0);
                contents.feed(self.id, &r.elements);
            }
            SubRecord::PrimitiveArray(r) => {
                report_null_id(place, r.head.id.0, "primitive array", findings);
                if r.head.element == PrimitiveType::Boolean {
                    contents = JudgedContents::Booleans(0);
                    contents.feed(self.id, &r.elements);
                }
            }
            SubRecord::Class(r) => return self.class(place, r, findings),
            SubRecord::NoDataArray(r) => {
                report_null_id(place, r.id.0, "primitive array", findings);
                self.extension(place, sub_record, findings);
            }
            SubRecord::Root(_) | SubRecord::HeapInfo(..) | SubRecord::Flat(..) => {
                return self.extension(place, sub_record, findings);
            }
        }
        self.contents(at, PendingContents { place, is_object: true, contents }, findings);
    }

    fn class(&mut self, place: FindingPlace, class: &ClassDump, findings: &mut Findings) {
        self.classes += 1;
        report_null_id(place, class.id.0, "class", findings);
        if class.reserved != [0, 0] {
            place.report(findings, super::CLASS_RESERVED, || {
                let [a, b] = class.reserved;
                ("0 in both reserved identifiers".to_owned(), format!("{a:#x} and {b:#x}"))
            });
        }
        let mut odd = 0;
        for value in class.statics.iter().map(|(_, v)| v).chain(class.constant_pool.iter().map(|(_, v)| v)) {
            match value {
                Value { kind: FieldType::Object, bits } => self.references += u64::from(*bits != 0),
                Value { kind: FieldType::Primitive(PrimitiveType::Boolean), bits } => odd += u64::from(*bits > 1),
                Value { .. } => {}
            }
        }
        report_odd_booleans(place, odd, findings);
    }

    fn extension(&self, place: FindingPlace, sub_record: &SubRecord<'_>, findings: &mut Findings) {
        let tag = sub_record.tag();
        if !self.version.is_android() && tag.is_android() {
            place.report(findings, super::EXTENSION_TAG, || {
                ("version 1.0.3 in a file with this sub-record".to_owned(), format!("a {tag} in {}", self.version))
            });
        }
    }

    #[inline]
    fn contents(&mut self, at: &RecordSlice<'_>, pending: PendingContents, findings: &mut Findings) {
        if at.rest == 0 { self.complete(&pending, findings) } else { self.pending = Some(pending) }
    }

    fn more(&mut self, at: &RecordSlice<'_>, findings: &mut Findings) {
        let Some(mut pending) = self.pending.take() else { return };
        pending.contents.feed(self.id, at.bytes);
        self.contents(at, pending, findings);
    }

    #[inline]
    fn complete(&mut self, pending: &PendingContents, findings: &mut Findings) {
        self.objects += u64::from(pending.is_object);
        match pending.contents {
            JudgedContents::Any => {}
            JudgedContents::Elements(references) => self.references += references,
            JudgedContents::Booleans(odd) => report_odd_booleans(pending.place, odd, findings),
            JudgedContents::Text(checker) if checker.is_valid() => {}
            JudgedContents::Text(_) => pending.place.report(findings, super::TEXT_ENCODING, || {
                ("modified UTF-8".to_owned(), "a string of other bytes, kept as they are".to_owned())
            }),
        }
    }
}

#[inline]
fn report_null_id(place: FindingPlace, id: u64, what: &str, findings: &mut Findings) {
    if id == 0 {
        place.report(findings, super::ID_NULL, || {
            ("an identifier other than 0, which names nothing".to_owned(), format!("a {what} with the identifier 0"))
        });
    }
}

fn report_odd_booleans(place: FindingPlace, odd: u64, findings: &mut Findings) {
    if odd > 0 {
        place.report(findings, super::BOOLEAN_VALUE, || {
            ("booleans of 0 or 1".to_owned(), format!("{odd} of other values"))
        });
    }
}

fn report_reserved_flags(
    place: FindingPlace,
    rule: crate::error::RuleId,
    flags: u32,
    known: &str,
    findings: &mut Findings,
) {
    if flags != 0 {
        place.report(findings, rule, || (format!("flags {known} only"), format!("{flags:#x} as well")));
    }
}

fn end_missing(before: &str) -> (String, String) {
    ("a HEAP DUMP END after the segments".to_owned(), format!("{before} instead"))
}

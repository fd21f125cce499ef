//! The rules that one pass with constant state can judge.

use crate::bytes::mutf8;
use crate::findings::Findings;
use crate::model::{FieldType, PrimitiveType, Value};

use super::super::decode::{At, Step};
use super::super::lift::HeapCounter;
use super::super::record::{Body, Record, Segment, SegmentLength};
use super::super::sub_record::{ClassDump, SubRecord};
use super::super::wire::{Header, IdSize, Tag, Version};
use super::{Place, each_id, severity};

/// Judges a dump's records and sub-records, one by one.
///
/// Contents in pieces are judged, and counted, when their last piece has come.
#[derive(Debug)]
pub struct PassRules {
    id: IdSize,
    version: Version,
    heaps: HeapCounter,
    segment: Option<Open>,
    pending: Option<Pending>,
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
struct Open {
    place: Place,
    tag: Tag,
    is_empty: bool,
}

/// A record or sub-record of whose contents a part is still to come.
#[derive(Clone, Copy, Debug)]
struct Pending {
    place: Place,
    is_object: bool,
    contents: Contents,
}

/// The kinds of contents that are judged or counted.
#[derive(Clone, Copy, Debug)]
enum Contents {
    /// Contents that are neither judged nor counted.
    Any,
    Text(mutf8::Checker),
    /// References, with the number of those that are not null.
    Elements(u64),
    /// Booleans, with the number of those that are neither 0 nor 1.
    Booleans(u64),
}

impl Contents {
    fn feed(&mut self, id: IdSize, bytes: &[u8]) {
        match self {
            Contents::Any => {}
            Contents::Text(checker) => checker.feed(bytes),
            Contents::Elements(references) => each_id(bytes, id, |to| *references += u64::from(to != 0)),
            Contents::Booleans(odd) => *odd += bytes.iter().filter(|&&b| b > 1).count() as u64,
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
    pub fn step(&mut self, step: Step<'_, '_>, findings: &mut Findings) {
        match step {
            Step::Sub(at, sub_record) => self.sub_record(&at, sub_record, findings),
            Step::More(at) => self.more(&at, findings),
            Step::Record(at, record) => self.record(&at, record, findings),
            Step::Segment(at, segment) => self.segment(&at, segment, findings),
            Step::SegmentEnd(_) => self.segment_end(findings),
        }
    }

    /// Judges the end of a file that has this number of bytes.
    pub fn end(&mut self, length: u64, findings: &mut Findings) {
        if self.heaps.is_open() {
            let rule = super::SEGMENT_END_MISSING;
            findings.add(rule, severity, length, None, || end_missing("the end of the file"));
        }
    }

    fn record(&mut self, at: &At<'_>, record: &Record<'_>, findings: &mut Findings) {
        let place = Place::of(at);
        let mut contents = Contents::Any;
        match &record.body {
            Body::Text(id, bytes) => {
                not_null(place, id.0, "string", findings);
                contents = Contents::Text(mutf8::Checker::default());
                contents.feed(self.id, bytes);
            }
            Body::LoadClass(load) if load.serial.0 == 0 => {
                place.finding(findings, super::CLASS_SERIAL_ZERO, || {
                    ("a class serial number above 0".to_owned(), format!("0, for the class {}", load.class))
                });
            }
            Body::Frame(frame) if !(frame.line > 0 || (-3..=-1).contains(&frame.line)) => {
                place.finding(findings, super::FRAME_LINE, || {
                    ("a line number above 0, or -1, -2 or -3".to_owned(), frame.line.to_string())
                });
            }
            Body::AllocSites(sites) => {
                reserved(place, super::SITES_RESERVED_FLAGS, u32::from(sites.flags & !7), "1, 2 and 4", findings);
            }
            Body::ControlSettings(settings) => {
                reserved(place, super::CONTROL_RESERVED_FLAGS, settings.flags & !3, "1 and 2", findings);
            }
            Body::End => self.dump_end(place, record.rest.len(), findings),
            Body::Unknown(tag, _) => place.finding(findings, super::RECORD_UNKNOWN_TAG, || {
                (format!("a record tag: {}", Tag::listed()), format!("{:#04x}, skipped by its length", tag.0))
            }),
            _ => {}
        }
        if !record.rest.is_empty() && record.tag() != Tag::HEAP_DUMP_END {
            place.finding(findings, super::RECORD_REST, || {
                let found = format!("{} bytes after them, ignored", record.rest.len());
                (format!("a {} that ends with its fields", record.tag()), found)
            });
        }
        self.contents(at, Pending { place, is_object: false, contents }, findings);
    }

    fn dump_end(&mut self, place: Place, body: usize, findings: &mut Findings) {
        if !self.heaps.end() {
            place.finding(findings, super::SEGMENT_END_ALONE, || {
                let expected = "a HEAP DUMP SEGMENT before every HEAP DUMP END";
                (expected.to_owned(), "a HEAP DUMP END without segments to close".to_owned())
            });
        }
        if body > 0 {
            place.finding(findings, super::SEGMENT_END_BODY, || {
                ("a HEAP DUMP END of length 0".to_owned(), format!("{body} bytes, ignored"))
            });
        }
    }

    fn segment(&mut self, at: &At<'_>, segment: Segment, findings: &mut Findings) {
        let place = Place::of(at);
        let (_, unclosed) = self.heaps.segment(segment.tag);
        if unclosed {
            place.finding(findings, super::SEGMENT_END_MISSING, || end_missing("a HEAP DUMP"));
        }
        if segment.tag == Tag::HEAP_DUMP_SEGMENT && !self.version.has_segments() {
            place.finding(findings, super::SEGMENT_VERSION, || {
                ("version 1.0.2 or 1.0.3 in a file with segments".to_owned(), "1.0.1".to_owned())
            });
        }
        match segment.length {
            SegmentLength::Stated => {}
            SegmentLength::Wrapped(length) => place.finding(findings, super::SEGMENT_WRAPPED_LENGTH, || {
                let found = format!("{length} bytes up to the end of the file, and {} stated", segment.stated);
                ("a HEAP DUMP of less than 4 GiB".to_owned(), found)
            }),
            SegmentLength::Unpatched => place.finding(findings, super::SEGMENT_UNPATCHED_LENGTH, || {
                let found = "0, with something else than records after it; read as sub-records";
                (format!("the length of the {}", segment.tag), found.to_owned())
            }),
        }
        self.segment = Some(Open { place, tag: segment.tag, is_empty: true });
    }

    fn segment_end(&mut self, findings: &mut Findings) {
        let Some(open) = self.segment.take() else { return };
        self.heaps.segment_end(open.tag);
        if open.is_empty {
            open.place.finding(findings, super::SEGMENT_EMPTY, || {
                ("a sub-record at least".to_owned(), format!("an empty {}", open.tag))
            });
        }
    }

    #[inline]
    fn sub_record(&mut self, at: &At<'_>, sub_record: &SubRecord<'_>, findings: &mut Findings) {
        if let Some(segment) = &mut self.segment {
            segment.is_empty = false;
        }
        let place = Place::of(at);
        let mut contents = Contents::Any;
        match sub_record {
            SubRecord::Instance(r) => not_null(place, r.id.0, "instance", findings),
            SubRecord::ObjectArray(r) => {
                not_null(place, r.id.0, "object array", findings);
                contents = Contents::Elements(0);
                contents.feed(self.id, &r.elements);
            }
            SubRecord::PrimitiveArray(r) => {
                not_null(place, r.head.id.0, "primitive array", findings);
                if r.head.element == PrimitiveType::Boolean {
                    contents = Contents::Booleans(0);
                    contents.feed(self.id, &r.elements);
                }
            }
            SubRecord::Class(r) => return self.class(place, r, findings),
            SubRecord::NoDataArray(r) => {
                not_null(place, r.id.0, "primitive array", findings);
                self.extension(place, sub_record, findings);
            }
            SubRecord::Root(_) | SubRecord::HeapInfo(..) | SubRecord::Flat(..) => {
                return self.extension(place, sub_record, findings);
            }
        }
        self.contents(at, Pending { place, is_object: true, contents }, findings);
    }

    fn class(&mut self, place: Place, class: &ClassDump, findings: &mut Findings) {
        self.classes += 1;
        not_null(place, class.id.0, "class", findings);
        if class.reserved != [0, 0] {
            place.finding(findings, super::CLASS_RESERVED, || {
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
        booleans(place, odd, findings);
    }

    fn extension(&self, place: Place, sub_record: &SubRecord<'_>, findings: &mut Findings) {
        let tag = sub_record.tag();
        if !self.version.is_android() && tag.is_android() {
            place.finding(findings, super::EXTENSION_TAG, || {
                ("version 1.0.3 in a file with this sub-record".to_owned(), format!("a {tag} in {}", self.version))
            });
        }
    }

    #[inline]
    fn contents(&mut self, at: &At<'_>, pending: Pending, findings: &mut Findings) {
        if at.rest == 0 { self.complete(&pending, findings) } else { self.pending = Some(pending) }
    }

    fn more(&mut self, at: &At<'_>, findings: &mut Findings) {
        let Some(mut pending) = self.pending.take() else { return };
        pending.contents.feed(self.id, at.bytes);
        self.contents(at, pending, findings);
    }

    #[inline]
    fn complete(&mut self, pending: &Pending, findings: &mut Findings) {
        self.objects += u64::from(pending.is_object);
        match pending.contents {
            Contents::Any => {}
            Contents::Elements(references) => self.references += references,
            Contents::Booleans(odd) => booleans(pending.place, odd, findings),
            Contents::Text(checker) if checker.is_valid() => {}
            Contents::Text(_) => pending.place.finding(findings, super::TEXT_ENCODING, || {
                ("modified UTF-8".to_owned(), "a string of other bytes, kept as they are".to_owned())
            }),
        }
    }
}

#[inline]
fn not_null(place: Place, id: u64, what: &str, findings: &mut Findings) {
    if id == 0 {
        place.finding(findings, super::ID_NULL, || {
            ("an identifier other than 0, which names nothing".to_owned(), format!("a {what} with the identifier 0"))
        });
    }
}

fn booleans(place: Place, odd: u64, findings: &mut Findings) {
    if odd > 0 {
        place.finding(findings, super::BOOLEAN_VALUE, || {
            ("booleans of 0 or 1".to_owned(), format!("{odd} of other values"))
        });
    }
}

fn reserved(place: Place, rule: crate::error::RuleId, flags: u32, known: &str, findings: &mut Findings) {
    if flags != 0 {
        place.finding(findings, rule, || (format!("flags {known} only"), format!("{flags:#x} as well")));
    }
}

fn end_missing(before: &str) -> (String, String) {
    ("a HEAP DUMP END after the segments".to_owned(), format!("{before} instead"))
}

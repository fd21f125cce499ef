//! Every byte of a dump with its field, value and meaning.
//!
//! The fields come from the decoder itself, which reads no byte except through a named field; the meanings come
//! from the index of the dump, if there is one: names of strings and classes, and how instances are laid out.

use std::io::Read;

use crate::annotation::{
    Annotation, MappedRecord, Meanings, RecordStep, UndecodableBytes, VisitAnnotations, spans, spans_before_error,
};
use crate::bytes::field_error::{FieldError, is_visitor_error, keeping_error};
use crate::bytes::{Cursor, FieldSpan, NoTrace};
use crate::error::DecodeError;
use crate::model::{Address, Field, FieldType, FrameId, Name, PrimitiveType, Serial, TextId};

use super::decode::{self, DecodeStep, Decoder, RecordSlice};
use super::lift::{DumpIndex, HeapCounter, ids};
use super::record::{Segment, SegmentLength};
use super::sub_record::SubRecord;
use super::wire::{HEAD, IdSize, RecordTag, SubRecordTag, size_of, type_of_code};

/// Calls `visit` with every field in file order. With an index, fields of instances are named.
///
/// # Errors
/// An error of `visit`, or one of decoding; the last field is the one at which it stopped.
pub fn visit<R, E, F>(decoder: &mut Decoder<R>, index: Option<&DumpIndex>, visit: F) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(Annotation<'_>) -> Result<(), E>,
{
    visit_with(decoder, index, Meanings::Spelled, visit)
}

/// Like [`visit`], perhaps without the meanings.
pub(super) fn visit_with<R, E, F>(
    decoder: &mut Decoder<R>,
    index: Option<&DumpIndex>,
    meanings: Meanings,
    mut visit: F,
) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(Annotation<'_>) -> Result<(), E>,
{
    keeping_error(|keep| visit_fields(decoder, index, meanings, &mut |field| keep(visit(field))))
}

/// Calls `visit` with the fields of the header and of the records and sub-records that are wanted, without meanings. The fields of an
/// instance are one.
pub(super) fn visit_wanted<R, E, F>(decoder: &mut Decoder<R>, mut visit: F) -> Result<(), E>
where
    R: Read,
    E: From<DecodeError>,
    F: FnMut(RecordStep<'_>) -> Result<bool, E>,
{
    let bytes = decoder.header_bytes().to_vec();
    let id = decoder.header().id_size;
    let mut reader = HprofAnnotator {
        id,
        index: None,
        meanings: Meanings::Omitted,
        heaps: HeapCounter::default(),
        fields_of: Vec::new(),
        contents: None,
        to_come: 0,
        segment_end: None,
    };
    keeping_error(|keep| {
        let mut step = |step: RecordStep<'_>| {
            let mut is_wanted = false;
            keep(visit(step).map(|wanted| is_wanted = wanted)).map(|()| is_wanted)
        };
        for span in spans(&bytes, |cursor| decode::header(cursor).map(|_| ())) {
            step(RecordStep::Field(Annotation::from_span(&span, &bytes, 0, None, String::new())))?;
        }
        let ended = decoder.visit(|decoded| {
            let (at, is_held) = match decoded {
                DecodeStep::Record(at, _) | DecodeStep::Segment(at, _) => (at, false),
                DecodeStep::Sub(at, _) => (at, true),
                DecodeStep::More(_) | DecodeStep::SegmentEnd(_) => return Ok(()),
            };
            let (length, tag) = (at.bytes.len() as u64 + at.rest, at.bytes.first().copied().unwrap_or_default());
            if !step(RecordStep::Record(MappedRecord::new(at.offset, length, tag, is_held)))? {
                return Ok(());
            }
            let mut visit = |field: Annotation<'_>| step(RecordStep::Field(field)).map(|_| ());
            let spans = match decoded {
                DecodeStep::Sub(_, sub_record) => return reader.sub_record(at, sub_record, &mut visit),
                DecodeStep::Record(..) => spans(at.bytes, |cursor| decode::record(cursor, id, length).map(|_| ())),
                _ => spans(at.bytes, |cursor| Ok(decode::head(cursor).map(|_| ())?)),
            };
            visit_spans(&spans, at, |_| String::new(), &mut visit)
        });
        ended.map(|_| ())
    })
}

/// The body of [`visit`] through a pointer, so that the program has one copy for every kind of visitor and error.
fn visit_fields<R: Read>(
    decoder: &mut Decoder<R>,
    index: Option<&DumpIndex>,
    meanings: Meanings,
    visit: VisitAnnotations<'_>,
) -> Result<(), DecodeError> {
    let bytes = decoder.header_bytes().to_vec();
    for span in spans(&bytes, |cursor| decode::header(cursor).map(|_| ())) {
        let meaning = meanings.spell(|| header_meaning(&span, &bytes));
        visit(Annotation::from_span(&span, &bytes, 0, None, meaning))?;
    }
    let classes = index.iter().flat_map(|index| &index.heaps).flat_map(|heap| &heap.classes);
    let fields_of = classes.map(|class| class.fields.as_deref().unwrap_or_default()).collect();
    let id = decoder.header().id_size;
    let mut reader = HprofAnnotator {
        id,
        index,
        meanings,
        heaps: HeapCounter::default(),
        fields_of,
        contents: None,
        to_come: 0,
        segment_end: None,
    };
    let mut tag = RecordTag::HEAP_DUMP;
    let ended = decoder.visit(|step| match step {
        DecodeStep::Record(at, record) => {
            reader.to_come = at.rest;
            let (id, length) = (reader.id, at.bytes.len() as u64 + at.rest);
            reader.heaps.observe_record(record.tag());
            let spans = spans(at.bytes, |cursor| decode::record(cursor, id, length).map(|_| ()));
            reader.contents = Some("body");
            visit_spans(&spans, at, |span| meanings.spell(|| reader.record_meaning(span, at.bytes)), visit)
        }
        DecodeStep::Segment(at, segment) => {
            tag = segment.tag;
            reader.heaps.begin_segment(tag);
            let length = segment.bytes().unwrap_or(u64::MAX);
            reader.segment_end = Some((at.offset + HEAD as u64).saturating_add(length));
            let spans = spans(at.bytes, |cursor| Ok(decode::head(cursor).map(|_| ())?));
            visit_spans(&spans, at, |span| meanings.spell(|| reader.segment_meaning(span, &segment)), visit)
        }
        DecodeStep::Sub(at, sub_record) => reader.sub_record(at, sub_record, visit),
        DecodeStep::More(at) => {
            reader.to_come = at.rest;
            let name = reader.contents.unwrap_or("contents");
            let meaning = meanings.spell(|| format!("{} bytes more to come", at.rest));
            let span = FieldSpan { name, at: 0..at.bytes.len(), value: None };
            visit(Annotation::from_span(&span, at.bytes, at.offset, Some(at.index), meaning))
        }
        DecodeStep::SegmentEnd(_) => {
            reader.segment_end = None;
            reader.heaps.end_segment(tag);
            Ok(())
        }
    });
    match ended {
        Err(error) if !is_visitor_error(&error) => {
            let (base, bytes) = decoder.at_hand();
            reader.visit_broken(base, bytes, &error, visit)?;
            Err(error)
        }
        ended => ended.map(|_| ()),
    }
}

/// The fields of a header that cannot be read.
pub(super) fn broken_header(bytes: &[u8], error: &DecodeError, visit: VisitAnnotations<'_>) -> Result<(), DecodeError> {
    let spans = spans_before_error(bytes, |cursor| decode::header(cursor).map(|_| ()));
    UndecodableBytes { base: 0, bytes, spans: &spans }.visit_spans(error, |span| header_meaning(span, bytes), visit)
}

fn visit_spans(
    spans: &[FieldSpan],
    at: RecordSlice<'_>,
    meaning: impl Fn(&FieldSpan) -> String,
    visit: VisitAnnotations<'_>,
) -> Result<(), DecodeError> {
    spans
        .iter()
        .try_for_each(|span| visit(Annotation::from_span(span, at.bytes, at.offset, Some(at.index), meaning(span))))
}

/// The fields of a sub-record.
pub(super) fn sub_record_spans(bytes: &[u8], id: IdSize) -> Vec<FieldSpan> {
    spans(bytes, |cursor| match id {
        IdSize::One => decode::sub_record::<_, 1, _>(cursor, u64::MAX, |_, _, _| ()),
        IdSize::Two => decode::sub_record::<_, 2, _>(cursor, u64::MAX, |_, _, _| ()),
        IdSize::Four => decode::sub_record::<_, 4, _>(cursor, u64::MAX, |_, _, _| ()),
        IdSize::Eight => decode::sub_record::<_, 8, _>(cursor, u64::MAX, |_, _, _| ()),
    })
}

fn header_meaning(span: &FieldSpan, bytes: &[u8]) -> String {
    let value = span.value.unwrap_or_default();
    match span.name {
        "magic" | "version" => format!("\"{}\"", bytes[span.at.clone()].escape_ascii()),
        "end of text" => "a zero byte".to_owned(),
        "size of identifiers" => format!("{value} bytes"),
        "time stamp, high word" => "milliseconds since 1970, above 2^32".to_owned(),
        _ => "milliseconds since 1970, the rest".to_owned(),
    }
}

struct HprofAnnotator<'i> {
    id: IdSize,
    index: Option<&'i DumpIndex>,
    meanings: Meanings,
    heaps: HeapCounter,
    /// The fields that each class of the file declares.
    fields_of: Vec<&'i [Field]>,
    /// The field name of the pieces that follow.
    contents: Option<&'static str>,
    /// Bytes of contents that are to come in pieces.
    to_come: u64,
    /// The end of the segment that is being read.
    segment_end: Option<u64>,
}

impl HprofAnnotator<'_> {
    /// The record, sub-record or piece that begins at `base` and cannot be read.
    fn visit_broken(
        &self,
        base: u64,
        bytes: &[u8],
        error: &DecodeError,
        visit: VisitAnnotations<'_>,
    ) -> Result<(), DecodeError> {
        let until = |length: u64| &bytes[..bytes.len().min(usize::try_from(length).unwrap_or(usize::MAX))];
        if self.to_come > 0 {
            let bytes = until(self.to_come);
            return UndecodableBytes { base, bytes, spans: &[] }.visit_spans(error, |_| String::new(), visit);
        }
        if let Some(end) = self.segment_end {
            let bytes = until(end.saturating_sub(base));
            let spans = spans_before_error(bytes, |cursor| self.sub_record_fields(cursor, bytes.len() as u64));
            return UndecodableBytes { base, bytes, spans: &spans }.visit_spans(
                error,
                |span| self.sub_meaning(span),
                visit,
            );
        }
        let head = decode::head(&mut Cursor::new(bytes, NoTrace));
        let length = head.map_or(0, |head| if head.tag.is_dump() { 0 } else { head.length });
        let bytes = until(HEAD as u64 + u64::from(length));
        let spans = spans_before_error(bytes, |cursor| decode::record(cursor, self.id, bytes.len() as u64).map(|_| ()));
        UndecodableBytes { base, bytes, spans: &spans }.visit_spans(
            error,
            |span| self.record_meaning(span, bytes),
            visit,
        )
    }

    /// Reads the fields of a sub-record in a segment that has `left` bytes more.
    fn sub_record_fields(&self, cursor: &mut Cursor<'_, &mut Vec<FieldSpan>>, left: u64) -> Result<(), FieldError> {
        match self.id {
            IdSize::One => decode::sub_record::<_, 1, _>(cursor, left, |_, _, _| ()),
            IdSize::Two => decode::sub_record::<_, 2, _>(cursor, left, |_, _, _| ()),
            IdSize::Four => decode::sub_record::<_, 4, _>(cursor, left, |_, _, _| ()),
            IdSize::Eight => decode::sub_record::<_, 8, _>(cursor, left, |_, _, _| ()),
        }
    }

    fn record_meaning(&self, span: &FieldSpan, bytes: &[u8]) -> String {
        let value = span.value.unwrap_or_default();
        match span.name {
            "tag" => RecordTag(value as u8).to_string(),
            "string" => Name::from_bytes(&bytes[span.at.clone()]).quoted(),
            "stack frame id" if bytes[0] == RecordTag::STACK_TRACE.0 => self.frame(FrameId(value as u64)),
            _ => self.common_meaning(span),
        }
    }

    fn segment_meaning(&self, span: &FieldSpan, segment: &Segment) -> String {
        match (span.name, segment.length) {
            ("tag", _) => format!("{}, heap {}", segment.tag, self.heaps.heap()),
            ("length", SegmentLength::Wrapped(length)) => format!("wrapped at 2^32; in truth {length} bytes"),
            ("length", SegmentLength::Unpatched) => "never patched; sub-records follow all the same".to_owned(),
            ("length", SegmentLength::Stated) if segment.stated == 0 => "an empty segment".to_owned(),
            _ => self.common_meaning(span),
        }
    }

    fn sub_record(
        &mut self,
        at: RecordSlice<'_>,
        sub_record: &SubRecord<'_>,
        visit: VisitAnnotations<'_>,
    ) -> Result<(), DecodeError> {
        let spans = sub_record_spans(at.bytes, self.id);
        self.to_come = at.rest;
        self.contents = Some("contents");
        let mut kind = None;
        for span in &spans {
            if span.name == "type of field" || span.name == "type of entry" {
                kind = span.value.and_then(|code| type_of_code(code as u8));
            }
            match (span.name, sub_record) {
                ("field values", SubRecord::Instance(instance)) => {
                    self.fields(at, span, instance.class, visit)?;
                }
                ("element", SubRecord::ObjectArray(array)) => {
                    let bytes = self.id.bytes();
                    for (number, to) in ids(&array.elements, self.id).enumerate() {
                        let start = span.at.start + number * bytes;
                        let value = Some(to.0 as i64);
                        let part = FieldSpan { name: "element", at: start..start + bytes, value };
                        let meaning = self.meanings.spell(|| format!("[{number}] {}", object(to)));
                        visit(Annotation::from_span(&part, at.bytes, at.offset, Some(at.index), meaning))?;
                    }
                }
                ("elements", SubRecord::PrimitiveArray(array)) => {
                    let head = array.head;
                    let meaning = self.meanings.spell(|| {
                        format!("{}[{}]{}", head.element, head.length, preview(head.element, &array.elements))
                    });
                    visit(Annotation::from_span(span, at.bytes, at.offset, Some(at.index), meaning))?;
                }
                ("value of field" | "value of entry", _) => {
                    let of_kind = |kind| value_meaning(kind, span.value.unwrap_or_default());
                    let meaning = self.meanings.spell(|| kind.map_or(String::new(), of_kind));
                    visit(Annotation::from_span(span, at.bytes, at.offset, Some(at.index), meaning))?;
                }
                _ => {
                    let meaning = self.meanings.spell(|| self.sub_meaning(span));
                    visit(Annotation::from_span(span, at.bytes, at.offset, Some(at.index), meaning))?;
                }
            }
        }
        Ok(())
    }

    /// The fields of an instance, if the index says how they are laid out.
    fn fields(
        &self,
        at: RecordSlice<'_>,
        span: &FieldSpan,
        class: Address,
        visit: VisitAnnotations<'_>,
    ) -> Result<(), DecodeError> {
        let heap = self.index.and_then(|index| index.heaps.get(self.heaps.heap()));
        let known = heap.filter(|heap| heap.layouts.instance_bytes(class) == Some(span.at.len() as u64));
        let Some(heap) = known else {
            let meaning = if self.index.is_some() { "no class says what they are" } else { "" };
            let meaning = self.meanings.spell(|| meaning.to_owned());
            return visit(Annotation::from_span(span, at.bytes, at.offset, Some(at.index), meaning));
        };
        let mut start = span.at.start;
        for declaring in heap.layouts.class_chain(class) {
            for (number, &kind) in heap.layouts.declared_types(declaring).iter().enumerate() {
                let size = size_of(kind, self.id);
                let place = start..start + size;
                let bits = at.bytes[place.clone()].iter().fold(0u64, |bits, b| bits << 8 | u64::from(*b)) as i64;
                let part = FieldSpan { name: "field value", at: place, value: Some(bits) };
                let meaning = self.meanings.spell(|| {
                    let name = self.fields_of.get(declaring).and_then(|fields| fields.get(number));
                    let name = name.map_or_else(|| "?".to_owned(), |field| field.name.to_string());
                    format!("{name} = {}", value_meaning(kind, bits))
                });
                visit(Annotation::from_span(&part, at.bytes, at.offset, Some(at.index), meaning))?;
                start += size;
            }
        }
        Ok(())
    }

    fn sub_meaning(&self, span: &FieldSpan) -> String {
        let value = span.value.unwrap_or_default();
        match span.name {
            "sub-record tag" => SubRecordTag(value as u8).to_string(),
            "element type" | "type of field" | "type of entry" => {
                type_of_code(value as u8).map_or(String::new(), |kind| kind_name(kind).to_owned())
            }
            _ => self.common_meaning(span),
        }
    }

    fn common_meaning(&self, span: &FieldSpan) -> String {
        let value = span.value.unwrap_or_default();
        let address = Address(value as u64);
        match span.name {
            name if name.ends_with("string id") => self.text(TextId(value as u64)),
            "class serial number" => {
                let class = self.index.and_then(|index| index.log.class(self.heaps.heap(), Serial(value as u32)));
                class.map_or(String::new(), |class| self.class(class))
            }
            "class object id" | "super class object id" | "array class object id" if !address.is_null() => {
                self.class(address)
            }
            name if name.ends_with("object id") => object(address),
            "length" | "number of bytes that follow" | "instance size" => format!("{value} bytes"),
            "time" => format!("{value} µs after the time stamp"),
            "line number" => match value {
                -1 => "unknown location".to_owned(),
                -2 => "compiled method".to_owned(),
                -3 => "native method".to_owned(),
                line => format!("line {line}"),
            },
            "frame number in stack trace" if value == -1 => "no frame".to_owned(),
            "number of elements" => format!("{value} elements"),
            _ => String::new(),
        }
    }

    fn text(&self, id: TextId) -> String {
        let text = self.index.and_then(|index| index.log.text(self.heaps.heap(), id));
        match (text, self.index) {
            (Some(text), _) => text.quoted(),
            (None, Some(_)) => "no string has this id".to_owned(),
            (None, None) => String::new(),
        }
    }

    fn class(&self, class: Address) -> String {
        let heap = self.heaps.heap();
        let name = self.index.and_then(|index| {
            let load = index.log.load(heap, class)?;
            index.log.text(heap, load.name)
        });
        name.map_or_else(|| object(class), |name| format!("class {}", name.quoted()))
    }

    fn frame(&self, id: FrameId) -> String {
        let frame = self.index.and_then(|index| index.log.frame(self.heaps.heap(), id));
        frame.map_or(String::new(), |frame| format!("{}{}, line {}", frame.method, frame.signature, frame.line))
    }
}

fn object(address: Address) -> String {
    if address.is_null() { "null".to_owned() } else { address.to_string() }
}

fn kind_name(kind: FieldType) -> &'static str {
    match kind {
        FieldType::Object => "object",
        FieldType::Primitive(kind) => kind.keyword(),
    }
}

/// A value as its type shows it.
fn value_meaning(kind: FieldType, bits: i64) -> String {
    match kind {
        FieldType::Object => object(Address(bits as u64)),
        FieldType::Primitive(PrimitiveType::Boolean) if bits & !1 == 0 => format!("boolean {}", bits == 1),
        FieldType::Primitive(PrimitiveType::Boolean) => format!("boolean {bits:#x}"),
        FieldType::Primitive(PrimitiveType::Char) => match char::from_u32(bits as u32) {
            Some(c) => format!("char '{}'", c.escape_debug()),
            None => format!("char {bits:#06x}"),
        },
        FieldType::Primitive(PrimitiveType::Float) => format!("float {:?}", f32::from_bits(bits as u32)),
        FieldType::Primitive(PrimitiveType::Double) => format!("double {:?}", f64::from_bits(bits as u64)),
        FieldType::Primitive(PrimitiveType::Byte) => format!("byte {}", bits as i8),
        FieldType::Primitive(PrimitiveType::Short) => format!("short {}", bits as i16),
        FieldType::Primitive(PrimitiveType::Int) => format!("int {}", bits as i32),
        FieldType::Primitive(PrimitiveType::Long) => format!("long {bits}"),
    }
}

/// The first elements.
fn preview(element: PrimitiveType, bytes: &[u8]) -> String {
    const SHOWN: usize = 4;
    let size = element.size() as usize;
    let values = bytes.chunks_exact(size).take(SHOWN).map(|chunk| {
        let bits = chunk.iter().fold(0u64, |bits, b| bits << 8 | u64::from(*b));
        let text = value_meaning(FieldType::Primitive(element), bits as i64);
        text.split_once(' ').map_or(text.clone(), |(_, value)| value.to_owned())
    });
    let values: Vec<String> = values.collect();
    let more = if bytes.len() > SHOWN * size { ", ..." } else { "" };
    if values.is_empty() { String::new() } else { format!(": {}{more}", values.join(", ")) }
}

/// The parts of a dump that rules speak of: the header, the records and sub-records that documents list, others, and
/// the end.
pub(super) fn parts() -> Vec<&'static str> {
    let listed = RecordTag::FORMS.iter().chain(SubRecordTag::FORMS).map(|form| form.name);
    std::iter::once("header").chain(listed).chain([UNKNOWN, UNKNOWN_SUB, "end"]).collect()
}

/// The one of them that a field begins.
pub(super) fn part(field: &Annotation<'_>) -> Option<&'static str> {
    let tag = field.value.and_then(|tag| u8::try_from(tag).ok());
    match field.name {
        "magic" => Some("header"),
        "tag" => Some(tag.and_then(|tag| RecordTag(tag).form()).map_or(UNKNOWN, |form| form.name)),
        "sub-record tag" => Some(tag.and_then(|tag| SubRecordTag(tag).form()).map_or(UNKNOWN_SUB, |form| form.name)),
        _ => None,
    }
}

const UNKNOWN: &str = "unknown record";
const UNKNOWN_SUB: &str = "unknown sub-record";

//! The header and the records that hold no sub-records.

use std::borrow::Cow;

use crate::bytes::field_error::{FieldError, bad_field};
use crate::bytes::{Cursor, FieldTrace, IncompleteField, quoted_or_hex};
use crate::hprof::book;
use crate::hprof::record::{Record, RecordBody};
use crate::hprof::tags::{FlatField, FlatValues, FlatWidth, RecordTag};
use crate::hprof::wire::{Header, IdSize, MAGIC, Version};
use crate::model::{
    Address, AllocationSite, AllocationSites, ControlSettings, CpuSamples, Frame, FrameId, HeapSummary, LoadClass,
    Serial, StartThread, TextId, Trace as StackTrace,
};

use super::ParsedRecord;

/// The three fields in front of every body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordHead {
    pub(crate) tag: RecordTag,
    pub(crate) time: u32,
    pub(crate) length: u32,
}

/// The header (S3, beginning).
pub(crate) fn header<T: FieldTrace>(c: &mut Cursor<'_, T>) -> Result<Header, FieldError> {
    let all = c.remaining();
    if all.len() < MAGIC.len() && MAGIC.starts_with(all) {
        c.bytes("magic", MAGIC.len())?;
    }
    if !all.starts_with(MAGIC) {
        // What it is instead takes a few bytes to tell.
        return Err(if all.len() < TELLING {
            IncompleteField { field: "magic", at: 0, needed: TELLING as u64 }.into()
        } else {
            not_an_hprof(all)
        });
    }
    c.bytes("magic", MAGIC.len())?;
    let at = c.position();
    let rest = c.remaining();
    // The longest version that is known has 5 bytes; a text without an end is none.
    let length = match rest.iter().take(MAX_VERSION).position(|&b| b == 0) {
        Some(length) => length,
        None if rest.len() < MAX_VERSION => {
            return Err(IncompleteField { field: "version", at, needed: rest.len() as u64 + 1 }.into());
        }
        None => return Err(unknown_version(at, &rest[..MAX_VERSION])),
    };
    let text = c.bytes("version", length)?;
    let Some(version) = Version::from_text(text) else {
        return Err(unknown_version(at, text));
    };
    c.bytes("end of text", 1)?;
    let at = c.position();
    let size = c.u32("size of identifiers")?;
    let Some(id_size) = IdSize::from_bytes(u64::from(size)) else {
        let expected = "identifiers of 1, 2, 4 or 8 bytes";
        return Err(bad_field(book::HEADER_ID_SIZE, "size of identifiers", at, expected, size.to_string()));
    };
    let high = c.u32("time stamp, high word")?;
    let low = c.u32("time stamp, low word")?;
    Ok(Header { version, id_size, timestamp: u64::from(high) << 32 | u64::from(low) })
}

pub(crate) fn head<T: FieldTrace>(c: &mut Cursor<'_, T>) -> Result<RecordHead, IncompleteField> {
    Ok(RecordHead { tag: RecordTag(c.u8("tag")?), time: c.u32("time")?, length: c.u32("length")? })
}

/// Whether the body may be delivered in pieces.
pub(super) fn in_pieces(tag: RecordTag) -> bool {
    tag == RecordTag::STRING_IN_UTF8 || tag.form().is_none()
}

/// One record, from a slice that ends where it does (or where a piece of it does); `length` is that of the
/// whole record.
pub(crate) fn record<'a, T: FieldTrace>(
    c: &mut Cursor<'a, T>,
    id: IdSize,
    length: u64,
) -> Result<ParsedRecord<Record<'a>>, FieldError> {
    let RecordHead { tag, time, .. } = head(c)?;
    let v = flat(c, id.bytes(), tag.fields())?;
    let serial = |at: usize| Serial(v[at] as u32);
    let body = match tag {
        RecordTag::STRING_IN_UTF8 => RecordBody::Text(TextId(v[0]), to_the_end(c, "string")?),
        RecordTag::LOAD_CLASS => {
            let (class, name) = (Address(v[1]), TextId(v[3]));
            RecordBody::LoadClass(LoadClass { serial: serial(0), class, trace: serial(2), name })
        }
        RecordTag::UNLOAD_CLASS => RecordBody::UnloadClass(serial(0)),
        RecordTag::STACK_FRAME => {
            let [method, signature, source] = [1, 2, 3].map(|at| TextId(v[at]));
            RecordBody::Frame(Frame {
                id: FrameId(v[0]),
                method,
                signature,
                source,
                class: serial(4),
                line: v[5] as i32,
            })
        }
        RecordTag::STACK_TRACE => {
            let frame = |c: &mut Cursor<'a, T>| c.unsigned("stack frame id", id.bytes()).map(FrameId);
            let frames = list(c, "number of frames", "stack frame ids", id.bytes(), frame)?;
            RecordBody::Trace(StackTrace { serial: serial(0), thread: serial(1), frames })
        }
        RecordTag::ALLOC_SITES => {
            let (flags, cutoff, totals) = (v[0] as u16, v[1] as u32, totals(&v[2..]));
            let sites = list(c, "number of sites", "sites", 25, site)?;
            RecordBody::AllocSites(AllocationSites { flags, cutoff, totals, sites })
        }
        RecordTag::HEAP_SUMMARY => RecordBody::HeapSummary(totals(&v)),
        RecordTag::START_THREAD => {
            let [name, group, parent_group] = [3, 4, 5].map(|at| TextId(v[at]));
            let (object, trace) = (Address(v[1]), serial(2));
            RecordBody::StartThread(StartThread { serial: serial(0), object, trace, name, group, parent_group })
        }
        RecordTag::END_THREAD => RecordBody::EndThread(serial(0)),
        RecordTag::CPU_SAMPLES => {
            let sample = |c: &mut Cursor<'a, T>| {
                Ok((c.u32("number of samples")?, c.u32("stack trace serial number").map(Serial)?))
            };
            let traces = list(c, "number of traces", "traces", 8, sample)?;
            RecordBody::CpuSamples(CpuSamples { total: v[0] as u32, traces })
        }
        RecordTag::CONTROL_SETTINGS => {
            RecordBody::ControlSettings(ControlSettings { flags: v[0] as u32, depth: v[1] as u16 })
        }
        RecordTag::HEAP_DUMP_END => RecordBody::End,
        _ => RecordBody::Unknown(tag, to_the_end(c, "body")?),
    };
    let have = c.position() as u64;
    if in_pieces(tag) {
        return Ok(ParsedRecord { what: Record { time, body, rest: Cow::Borrowed(&[]) }, rest: length - have });
    }
    // A body that is not all there yet has its rest cut too; the caller sees to that.
    let rest = to_the_end(c, "bytes after the fields")?;
    Ok(ParsedRecord { what: Record { time, body, rest }, rest: 0 })
}

/// The fields of a row; an identifier has `id` bytes.
#[inline]
pub(crate) fn flat<T: FieldTrace>(
    c: &mut Cursor<'_, T>,
    id: usize,
    fields: &[FlatField],
) -> Result<FlatValues, IncompleteField> {
    let mut values = FlatValues::default();
    for (value, FlatField { name, width }) in values.iter_mut().zip(fields) {
        *value = match *width {
            FlatWidth::Id => c.unsigned(name, id)?,
            FlatWidth::Unsigned(bytes) => c.unsigned(name, bytes)?,
            FlatWidth::Signed(bytes) => c.signed(name, bytes)? as u64,
        };
    }
    Ok(values)
}

fn totals(values: &[u64]) -> HeapSummary {
    HeapSummary {
        live_bytes: values[0] as u32,
        live_instances: values[1] as u32,
        allocated_bytes: values[2],
        allocated_instances: values[3],
    }
}

fn site<T: FieldTrace>(c: &mut Cursor<'_, T>) -> Result<AllocationSite, IncompleteField> {
    Ok(AllocationSite {
        array: c.u8("array indicator")?,
        class: c.u32("class serial number").map(Serial)?,
        trace: c.u32("stack trace serial number").map(Serial)?,
        live_bytes: c.u32("live bytes")?,
        live_instances: c.u32("live instances")?,
        allocated_bytes: c.u32("bytes allocated")?,
        allocated_instances: c.u32("instances allocated")?,
    })
}

/// A count, and items of `size` bytes each; more than are there ask for more, and nothing is allocated yet.
fn list<'a, T: FieldTrace, I>(
    c: &mut Cursor<'a, T>,
    field: &'static str,
    items: &'static str,
    size: usize,
    item: impl Fn(&mut Cursor<'a, T>) -> Result<I, IncompleteField>,
) -> Result<Vec<I>, IncompleteField> {
    let count = c.u32(field)?;
    let needed = u64::from(count) * size as u64;
    if needed > c.remaining().len() as u64 {
        return Err(IncompleteField { field: items, at: c.position(), needed });
    }
    (0..count).map(|_| item(c)).collect()
}

fn to_the_end<'a, T: FieldTrace>(c: &mut Cursor<'a, T>, field: &'static str) -> Result<Cow<'a, [u8]>, IncompleteField> {
    let length = c.remaining().len();
    c.bytes(field, length).map(Cow::Borrowed)
}

fn unknown_version(at: usize, text: &[u8]) -> FieldError {
    if let Some((version, how)) = zero_byte_damage(text) {
        let at = at + version.text().len();
        return bad_field(book::HEADER_TEXT_MODE, "end of text", at, "a zero byte after the version", damaged(how));
    }
    let expected = "version 1.0.1, 1.0.2 or 1.0.3, ended by a zero byte";
    bad_field(book::HEADER_VERSION, "version", at, expected, quoted_or_hex(text))
}

/// Says what the input is instead, as far as the first bytes tell.
pub(super) fn not_an_hprof(bytes: &[u8]) -> FieldError {
    let expected = "an HPROF dump: \"JAVA PROFILE \" and a version";
    let (rule, found) = if bytes.starts_with(&EBCDIC_MAGIC) {
        (book::HEADER_TEXT_MODE, damaged("translated from ASCII to EBCDIC"))
    } else if bytes.strip_prefix(b"\xef\xbb\xbf").is_some_and(|rest| rest.starts_with(MAGIC)) {
        (book::HEADER_TEXT_MODE, damaged("a byte order mark was added"))
    } else if bytes.starts_with(b"\x00\x12portable heap") {
        (book::HEADER_MAGIC, "a PHD".to_owned())
    } else {
        (book::HEADER_MAGIC, quoted_or_hex(&bytes[..bytes.len().min(16)]))
    };
    bad_field(rule, "magic", 0, expected, found)
}

/// A version after which the zero byte was dropped or turned into a space; what follows is then the lowest byte
/// of the identifiers' size.
fn zero_byte_damage(text: &[u8]) -> Option<(Version, &'static str)> {
    let (version, next) = Version::ALL.into_iter().find_map(|version| {
        let rest = text.strip_prefix(version.text().as_bytes())?;
        Some((version, *rest.first()?))
    })?;
    match next {
        b' ' => Some((version, "its zero bytes became spaces")),
        1 | 2 | 4 | 8 => Some((version, "its zero bytes were removed")),
        _ => None,
    }
}

fn damaged(how: &str) -> String {
    format!("an HPROF header damaged by a text-mode transfer ({how}); transfer the original again in binary mode")
}

/// "JAVA PROFILE " in every EBCDIC code page for Latin letters.
const EBCDIC_MAGIC: [u8; 13] = [0xd1, 0xc1, 0xe5, 0xc1, 0x40, 0xd7, 0xd9, 0xd6, 0xc6, 0xc9, 0xd3, 0xc5, 0x40];

/// The number of bytes that tell whether something else is known about an input: the magic text after a byte order mark.
const TELLING: usize = 3 + MAGIC.len();

/// A limit of the version's length, longer than any version.
const MAX_VERSION: usize = 16;

//! The header and the records that hold no sub-records.

use std::borrow::Cow;

use crate::bytes::stop::{Stop, bad};
use crate::bytes::{Cursor, Incomplete, Trace};
use crate::model::{
    Address, AllocationSite, AllocationSites, ControlSettings, CpuSamples, Frame, FrameId, HeapSummary, LoadClass,
    Serial, StartThread, TextId, Trace as StackTrace,
};

use super::super::record::{Body, Record};
use super::super::rules;
use super::super::wire::{Header, IdSize, MAGIC, Tag, Version};
use super::Parsed;

/// The three fields in front of every body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) tag: Tag,
    pub(crate) time: u32,
    pub(crate) length: u32,
}

/// The header (S3, beginning).
pub(crate) fn header<T: Trace>(c: &mut Cursor<'_, T>) -> Result<Header, Stop> {
    let all = c.remaining();
    if all.len() < MAGIC.len() && MAGIC.starts_with(all) {
        c.bytes("magic", MAGIC.len())?;
    }
    if !all.starts_with(MAGIC) {
        // What it is instead takes a few bytes to tell.
        return Err(if all.len() < TELLING {
            Incomplete { field: "magic", at: 0, needed: TELLING as u64 }.into()
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
            return Err(Incomplete { field: "version", at, needed: rest.len() as u64 + 1 }.into());
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
        return Err(bad(rules::HEADER_ID_SIZE, "size of identifiers", at, expected, size.to_string()));
    };
    let high = c.u32("time stamp, high word")?;
    let low = c.u32("time stamp, low word")?;
    Ok(Header { version, id_size, timestamp: u64::from(high) << 32 | u64::from(low) })
}

pub(crate) fn head<T: Trace>(c: &mut Cursor<'_, T>) -> Result<Head, Incomplete> {
    Ok(Head { tag: Tag(c.u8("tag")?), time: c.u32("time")?, length: c.u32("length")? })
}

/// Whether the body may be delivered in pieces.
pub(super) fn in_pieces(tag: Tag) -> bool {
    tag == Tag::STRING_IN_UTF8 || tag.name().is_none()
}

/// One record, from a slice that ends where it does (or where a piece of it does); `length` is that of the
/// whole record.
pub(crate) fn record<'a, T: Trace>(c: &mut Cursor<'a, T>, id: IdSize, length: u64) -> Result<Parsed<Record<'a>>, Stop> {
    let Head { tag, time, .. } = head(c)?;
    let body = match tag {
        Tag::STRING_IN_UTF8 => {
            let id = TextId(identifier(c, id, "string id")?);
            Body::Text(id, to_the_end(c, "string")?)
        }
        Tag::LOAD_CLASS => Body::LoadClass(LoadClass {
            serial: serial(c, "class serial number")?,
            class: Address(identifier(c, id, "class object id")?),
            trace: serial(c, "stack trace serial number")?,
            name: TextId(identifier(c, id, "class name string id")?),
        }),
        Tag::UNLOAD_CLASS => Body::UnloadClass(serial(c, "class serial number")?),
        Tag::STACK_FRAME => Body::Frame(Frame {
            id: FrameId(identifier(c, id, "stack frame id")?),
            method: TextId(identifier(c, id, "method name string id")?),
            signature: TextId(identifier(c, id, "method signature string id")?),
            source: TextId(identifier(c, id, "source file name string id")?),
            class: serial(c, "class serial number")?,
            line: c.signed("line number", 4)? as i32,
        }),
        Tag::STACK_TRACE => Body::Trace(stack_trace(c, id)?),
        Tag::ALLOC_SITES => Body::AllocSites(alloc_sites(c)?),
        Tag::HEAP_SUMMARY => Body::HeapSummary(heap_summary(c)?),
        Tag::START_THREAD => Body::StartThread(StartThread {
            serial: serial(c, "thread serial number")?,
            object: Address(identifier(c, id, "thread object id")?),
            trace: serial(c, "stack trace serial number")?,
            name: TextId(identifier(c, id, "thread name string id")?),
            group: TextId(identifier(c, id, "thread group name string id")?),
            parent_group: TextId(identifier(c, id, "thread parent group name string id")?),
        }),
        Tag::END_THREAD => Body::EndThread(serial(c, "thread serial number")?),
        Tag::CPU_SAMPLES => Body::CpuSamples(cpu_samples(c)?),
        Tag::CONTROL_SETTINGS => {
            Body::ControlSettings(ControlSettings { flags: c.u32("flags")?, depth: c.u16("stack trace depth")? })
        }
        Tag::HEAP_DUMP_END => Body::End,
        _ => Body::Unknown(tag, to_the_end(c, "body")?),
    };
    let have = c.position() as u64;
    if in_pieces(tag) {
        return Ok(Parsed { what: Record { time, body, rest: Cow::Borrowed(&[]) }, rest: length - have });
    }
    // A body that is not all there yet has its rest cut too; the caller sees to that.
    let rest = to_the_end(c, "bytes behind the fields")?;
    Ok(Parsed { what: Record { time, body, rest }, rest: 0 })
}

fn stack_trace<T: Trace>(c: &mut Cursor<'_, T>, id: IdSize) -> Result<StackTrace, Stop> {
    let serial = self::serial(c, "stack trace serial number")?;
    let thread = self::serial(c, "thread serial number")?;
    let count = count(c, "number of frames", "stack frame ids", id.bytes())?;
    let frames: Result<_, _> = (0..count).map(|_| identifier(c, id, "stack frame id").map(FrameId)).collect();
    Ok(StackTrace { serial, thread, frames: frames? })
}

fn alloc_sites<T: Trace>(c: &mut Cursor<'_, T>) -> Result<AllocationSites, Stop> {
    let flags = c.u16("flags")?;
    let cutoff = c.u32("cutoff ratio")?;
    let totals = heap_summary(c)?;
    let count = count(c, "number of sites", "sites", 25)?;
    let site = |_| {
        Ok(AllocationSite {
            array: c.u8("array indicator")?,
            class: serial(c, "class serial number")?,
            trace: serial(c, "stack trace serial number")?,
            live_bytes: c.u32("live bytes")?,
            live_instances: c.u32("live instances")?,
            allocated_bytes: c.u32("bytes allocated")?,
            allocated_instances: c.u32("instances allocated")?,
        })
    };
    let sites: Result<_, Incomplete> = (0..count).map(site).collect();
    Ok(AllocationSites { flags, cutoff, totals, sites: sites? })
}

fn heap_summary<T: Trace>(c: &mut Cursor<'_, T>) -> Result<HeapSummary, Incomplete> {
    Ok(HeapSummary {
        live_bytes: c.u32("total live bytes")?,
        live_instances: c.u32("total live instances")?,
        allocated_bytes: c.unsigned("total bytes allocated", 8)?,
        allocated_instances: c.unsigned("total instances allocated", 8)?,
    })
}

fn cpu_samples<T: Trace>(c: &mut Cursor<'_, T>) -> Result<CpuSamples, Stop> {
    let total = c.u32("total number of samples")?;
    let count = count(c, "number of traces", "traces", 8)?;
    let sample = |_| Ok((c.u32("number of samples")?, serial(c, "stack trace serial number")?));
    let traces: Result<_, Incomplete> = (0..count).map(sample).collect();
    Ok(CpuSamples { total, traces: traces? })
}

/// A count of items with so many bytes each; more than are there ask for more, and nothing is allocated yet.
fn count<T: Trace>(
    c: &mut Cursor<'_, T>,
    field: &'static str,
    items: &'static str,
    size: usize,
) -> Result<u32, Incomplete> {
    let count = c.u32(field)?;
    let needed = u64::from(count) * size as u64;
    if needed > c.remaining().len() as u64 {
        return Err(Incomplete { field: items, at: c.position(), needed });
    }
    Ok(count)
}

fn identifier<T: Trace>(c: &mut Cursor<'_, T>, id: IdSize, field: &'static str) -> Result<u64, Incomplete> {
    c.unsigned(field, id.bytes())
}

fn serial<T: Trace>(c: &mut Cursor<'_, T>, field: &'static str) -> Result<Serial, Incomplete> {
    c.u32(field).map(Serial)
}

fn to_the_end<'a, T: Trace>(c: &mut Cursor<'a, T>, field: &'static str) -> Result<Cow<'a, [u8]>, Incomplete> {
    let length = c.remaining().len();
    c.bytes(field, length).map(Cow::Borrowed)
}

fn unknown_version(at: usize, text: &[u8]) -> Stop {
    if let Some((version, how)) = zero_byte_damage(text) {
        let at = at + version.text().len();
        return bad(rules::HEADER_TEXT_MODE, "end of text", at, "a zero byte behind the version", damaged(how));
    }
    let expected = "version 1.0.1, 1.0.2 or 1.0.3, ended by a zero byte";
    bad(rules::HEADER_VERSION, "version", at, expected, format!("\"{}\"", text.escape_ascii()))
}

/// Says what the input is instead, as far as the first bytes tell.
pub(super) fn not_an_hprof(bytes: &[u8]) -> Stop {
    let expected = "an HPROF dump: \"JAVA PROFILE \" and a version";
    let shown = &bytes[..bytes.len().min(16)];
    let (rule, found) = if bytes.starts_with(&EBCDIC_MAGIC) {
        (rules::HEADER_TEXT_MODE, damaged("translated from ASCII to EBCDIC"))
    } else if bytes.strip_prefix(b"\xef\xbb\xbf").is_some_and(|rest| rest.starts_with(MAGIC)) {
        (rules::HEADER_TEXT_MODE, damaged("a byte order mark was added"))
    } else if bytes.starts_with(b"\x00\x12portable heap") {
        (rules::HEADER_MAGIC, "a PHD".to_owned())
    } else {
        (rules::HEADER_MAGIC, format!("\"{}\"", shown.escape_ascii()))
    };
    bad(rule, "magic", 0, expected, found)
}

/// A version behind which the zero byte was dropped or turned into a space; what follows is then the lowest byte
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

/// So many bytes tell whether something else is known about an input: the magic text behind a byte order mark.
const TELLING: usize = 3 + MAGIC.len();

/// More than any version has.
const MAX_VERSION: usize = 16;

//! The header, and what an input is that has none.

use std::io::Read;

use crate::bytes::field_error::{FieldError, bad_field, truncated};
use crate::bytes::{Cursor, FieldTrace, IncompleteField, Window, quoted_or_hex};
use crate::error::{DecodeError, Problem, RuleId};
use crate::model::HeaderTotals;
use crate::phd::book;
use crate::phd::record::{Header, HeaderRecord};
use crate::phd::wire::{FileFlags, MAGIC, Version, header_tag};

pub(super) fn header_cut_short<R: Read>(
    window: &Window<R>,
    short: IncompleteField,
    declared: Option<u64>,
) -> DecodeError {
    let bytes = window.bytes();
    if let Some(opened) = declared.filter(|&opened| (bytes.len() as u64) < opened) {
        return DecodeError::new(book::FILE_TRUNCATED, bytes.len() as u64, short.field, Problem::Shrunk { opened });
    }
    // A short file that does not even begin like a PHD is not a truncated one.
    let magic = [&[0, MAGIC.len() as u8][..], MAGIC].concat();
    if !bytes.is_empty()
        && !magic.starts_with(&bytes[..bytes.len().min(magic.len())])
        && let FieldError::Bad(bad) = not_a_phd(bytes)
    {
        return bad.into_error(0);
    }
    truncated(book::FILE_TRUNCATED, 0, bytes.len(), short)
}

/// The header, up to and including the tag that starts the body (S0, General structure).
pub(crate) fn header<T: FieldTrace>(c: &mut Cursor<'_, T>) -> Result<Header, FieldError> {
    let all = c.remaining();
    let length = c.u16("magic length")?;
    if usize::from(length) != MAGIC.len() {
        return Err(not_a_phd(all));
    }
    if c.bytes("magic", MAGIC.len())? != MAGIC {
        return Err(not_a_phd(all));
    }
    let at = c.position();
    let number = c.u32("version")?;
    let Some(version) = Version::from_number(number) else {
        let expected = format!("version {}", Version::numbers());
        return Err(bad_field(book::HEADER_VERSION, "version", at, expected, number.to_string()));
    };
    let flags = FileFlags(c.u32("flags")?);
    expect_tag(c, book::HEADER_START_TAG, "start of header tag", header_tag::START_OF_HEADER)?;
    let mut records = Vec::new();
    loop {
        let at = c.position();
        match c.u8("header record tag")? {
            header_tag::END_OF_HEADER => break,
            _ if records.len() == MAX_HEADER_RECORDS => {
                let expected = format!("at most {MAX_HEADER_RECORDS} header records (a limit of this decoder)");
                return Err(bad_field(book::HEADER_LIMIT, "header record tag", at, expected, "one more"));
            }
            _ if at > MAX_HEADER_BYTES => {
                let expected =
                    format!("the end of a header of at most {MAX_HEADER_BYTES} bytes (a limit of this decoder)");
                return Err(bad_field(book::HEADER_LIMIT, "header record tag", at, expected, "one more record"));
            }
            header_tag::TOTALS => records.push(HeaderRecord::Totals(HeaderTotals {
                objects: c.u32("total objects")?,
                references: c.u32("total references")?,
            })),
            header_tag::HASHCODE_RANDOMS => {
                records.push(HeaderRecord::HashcodeRandoms(c.u32("hash code random 1")?, c.u32("hash code random 2")?));
            }
            header_tag::FULL_VERSION => {
                let length = usize::from(c.u16("version text length")?);
                records.push(HeaderRecord::FullVersion(c.bytes("version text", length)?.to_vec()));
            }
            tag => {
                let expected = "header record tag 1, 2, 3 or 4";
                return Err(bad_field(book::HEADER_RECORD_TAG, "header record tag", at, expected, tag.to_string()));
            }
        }
    }
    expect_tag(c, book::HEADER_BODY_TAG, "start of body tag", header_tag::START_OF_DUMP)?;
    Ok(Header { version, flags, records })
}

/// Whether the magic text went through a translation of bytes: equal letters became equal bytes, and
/// hardly two different ones the same. (Tables differ; what a code page lacks may all become one sign.)
fn is_substituted(text: &[u8]) -> bool {
    let pairs = || MAGIC.iter().zip(text);
    text.len() == MAGIC.len()
        && pairs().filter(|(a, b)| a != b).count() > MAGIC.len() / 2
        && pairs().all(|(a, b)| pairs().all(|(c, d)| a != c || b == d))
        && text.iter().collect::<std::collections::BTreeSet<_>>().len() >= 8
}

fn expect_tag<T: FieldTrace>(
    c: &mut Cursor<'_, T>,
    rule: RuleId,
    field: &'static str,
    tag: u8,
) -> Result<(), FieldError> {
    let at = c.position();
    match c.u8(field)? {
        found if found == tag => Ok(()),
        found => Err(bad_field(rule, field, at, tag.to_string(), found.to_string())),
    }
}

/// Says what the input is instead, as far as the first bytes tell.
fn not_a_phd(bytes: &[u8]) -> FieldError {
    let expected = "a PHD: 00 12 and \"portable heap dump\"";
    let (rule, found) = if let Some(how) = text_mode_damage(bytes) {
        (
            book::HEADER_TEXT_MODE,
            format!("a PHD header damaged by a text-mode transfer ({how}); transfer the original again in binary mode"),
        )
    } else if bytes.starts_with(b"JAVA PROFILE ") {
        (book::HEADER_MAGIC, "an HPROF dump".to_owned())
    } else if bytes.starts_with(b"// Version") || bytes.starts_with(b"\n0x") {
        (book::HEADER_MAGIC, "a classic text heap dump".to_owned())
    } else {
        (book::HEADER_MAGIC, quoted_or_hex(&bytes[..bytes.len().min(16)]))
    };
    bad_field(rule, "magic", 0, expected, found)
}

/// Marks that a transfer in text mode leaves on the first bytes.
fn text_mode_damage(bytes: &[u8]) -> Option<&'static str> {
    let start = &bytes[..bytes.len().min(32)];
    if is_substituted(bytes.get(2..2 + MAGIC.len()).unwrap_or_default()) {
        Some("translated between EBCDIC and ASCII")
    } else if start.starts_with(&[0x12]) && start[1..].starts_with(&MAGIC[..8]) {
        Some("its zero bytes were removed")
    } else if start.starts_with(&[0x20, 0x12]) && start.get(20..22) == Some(b"  ") {
        Some("its zero bytes became spaces")
    } else if start.starts_with(&[0xef, 0xbb, 0xbf, 0x00, 0x12]) && start[5..].starts_with(&MAGIC[..8]) {
        Some("a byte order mark was added")
    } else {
        None
    }
}

/// Real headers have one record. The limit keeps the memory of a header proportionate: an empty
/// version text takes 3 bytes in the file and ten times that in memory.
const MAX_HEADER_RECORDS: usize = 4096;
/// A header is held whole, and each of its texts may have 64 KiB.
const MAX_HEADER_BYTES: usize = 1 << 20;

//! The bytes of a dump that rely on rules: where a reader comes to another result that does not know the rule, or that
//! follows a likely misreading of it.
//!
//! One pass in constant state. The references of a record are one place, from the first to the last that relies on the rule.

mod distances;
mod facts;
mod forms;
mod header;

use std::io::Read;
use std::ops::Range;

use distances::PrecedingRecord;
use facts::CacheWithArrays;

use crate::bytes::{Cursor, FieldSpan, FieldTrace};
use crate::error::{DecodeError, Error, RuleId};
use crate::family::{Opener, Reliance};
use crate::model::{Address, HeaderTotals};
use crate::phd::decode::{self, LocatedRecord};
use crate::phd::lift::{Resolved, Resolver};
use crate::phd::open::open;
use crate::phd::record::{Header, Record};
use crate::phd::wire::{FileFlags, RecordLayout, Version};

/// Calls `found` with every place that relies on a rule, as far as the dump can be read.
///
/// # Errors
/// If the dump cannot be read because of the machine.
pub(in crate::phd) fn reliances(opener: &Opener, found: &mut dyn FnMut(Reliance)) -> Result<(), Error> {
    let mut decoder = match open(opener.open()?) {
        Ok(decoder) => decoder,
        Err(error) => return fail_on_machine_error(error),
    };
    let bytes = decoder.header_bytes().to_vec();
    if opener.input.is_compressed() {
        found(Reliance { offset: 0, length: 2, rule: super::FILE_COMPRESSED, of: None, record: None });
    }
    let stated = header::reliances(decoder.header(), &bytes, found);
    let mut body = DependencyPass::new(decoder.header(), found);
    let ended = decoder.visit::<DecodeError, _>(|located| {
        body.record(located);
        Ok(())
    });
    let ended = ended.and_then(|ended| {
        let trailing = decoder.visit_trailing::<DecodeError, _>(|_| Ok(()))?;
        body.report_end(ended.end_tag, trailing, stated);
        Ok(())
    });
    let Err(error) = ended else { return Ok(()) };
    if error.rule() == super::FILE_TRUNCATED && error.record().is_some() {
        let offset = body.last.as_ref().map_or(bytes.len() as u64, |(at, _)| at.end);
        let mut rest = Vec::new();
        let stream = opener.input.stream_from(offset).and_then(|stream| stream.take(AT_MOST).read_to_end(&mut rest));
        stream.map_err(|e| Error::io(format!("reading {}", opener.input.name()), e))?;
        body.report_cut_record(offset, &rest);
    }
    body.report_kept_prefix();
    fail_on_machine_error(error)
}

/// An error of the dump only ends the pass.
fn fail_on_machine_error(error: DecodeError) -> Result<(), Error> {
    if error.is_machine_fault() { Err(error.into()) } else { Ok(()) }
}

/// The records of a body, one by one.
struct DependencyPass<'f> {
    found: &'f mut dyn FnMut(Reliance),
    layout: RecordLayout,
    version: Version,
    j9: bool,
    /// Flag 2 without flag 4, and no record yet.
    hashes_doubtful: bool,
    resolver: Resolver,
    preceding: Option<PrecedingRecord>,
    arrays_cached: CacheWithArrays,
    /// Whether a record of an object was there.
    has_objects: bool,
    counted: RecordCount,
    /// Place and index of the record read last.
    last: Option<(Range<u64>, u64)>,
}

/// The counts that the totals of a header state.
#[derive(Default)]
struct RecordCount {
    records: u64,
    references: u64,
}

/// A record with what it says and where.
struct PlacedRecord<'a, 'r> {
    record: &'r Record<'a>,
    bytes: &'a [u8],
    fields: RecordFields,
    offset: u64,
    index: u64,
    resolved: Resolved,
}

/// The places of a record's fields; all references are one.
#[derive(Default)]
struct RecordFields(Vec<FieldSpan>);

impl FieldTrace for &mut RecordFields {
    fn field(&mut self, name: &'static str, at: Range<usize>, value: Option<i64>) {
        match self.0.last_mut() {
            Some(last) if last.name == name => last.at.end = at.end,
            _ => self.0.push(FieldSpan { name, at, value }),
        }
    }
}

impl RecordFields {
    fn decode(bytes: &[u8], layout: RecordLayout) -> RecordFields {
        let mut fields = RecordFields::default();
        let again = decode::record(&mut Cursor::new(bytes, &mut fields), layout);
        debug_assert!(again.is_ok(), "these bytes were decoded before");
        fields
    }

    fn get(&self, name: &str) -> Option<&FieldSpan> {
        self.0.iter().find(|span| span.name == name)
    }
}

impl PlacedRecord<'_, '_> {
    /// The reliance of these bytes of the record on a rule.
    fn reliance(&self, rule: RuleId, at: Range<usize>) -> Reliance {
        Reliance {
            offset: self.offset + at.start as u64,
            length: at.len() as u64,
            rule,
            of: Some(self.resolved.address),
            record: Some(self.index),
        }
    }

    /// The bytes of a field; of the tag, where the record has no such field.
    fn field_range(&self, name: &str) -> Range<usize> {
        self.fields.get(name).map_or(TAG, |span| span.at.clone())
    }
}

/// Limits where the file ends in a record: the most of its bytes that are read, and the number of zeros after them in
/// place of those that are missing.
const AT_MOST: u64 = 4096;
const MISSING: usize = 64;

/// The tag of a record.
const TAG: Range<usize> = 0..1;

impl<'f> DependencyPass<'f> {
    fn new(header: &Header, found: &'f mut dyn FnMut(Reliance)) -> DependencyPass<'f> {
        let layout = RecordLayout::new(header.version, header.flags);
        let j9 = header.flags.has(FileFlags::J9);
        DependencyPass {
            found,
            layout,
            version: header.version,
            j9,
            hashes_doubtful: header.flags.has(FileFlags::ALL_HASHED) && !j9,
            resolver: Resolver::new(layout),
            preceding: None,
            arrays_cached: CacheWithArrays::default(),
            has_objects: false,
            counted: RecordCount::default(),
            last: None,
        }
    }

    fn record(&mut self, located: LocatedRecord<'_, '_>) {
        let record = located.record;
        let before = self.resolver.previous();
        let place = PlacedRecord {
            record,
            bytes: located.bytes,
            fields: RecordFields::decode(located.bytes, self.layout),
            offset: located.offset,
            index: located.index,
            resolved: self.resolver.resolve(record),
        };
        if std::mem::take(&mut self.hashes_doubtful) {
            (self.found)(header::reliance(super::HEADER_HASHED_WITHOUT_J9, header::FLAGS));
        }
        self.form(&place);
        self.gap(&place, before);
        self.references(&place);
        self.hash(&place);
        self.class_word(&place);
        match record {
            Record::Class(r) => self.class(&place, r),
            Record::ObjectArray(r) => self.object_array(&place, r),
            Record::PrimitiveArray(r) => self.primitive_array(&place, r.element, r.length),
            Record::LongPrimitiveArray(r) => self.primitive_array(&place, r.element, r.length),
            Record::Short(_) | Record::Medium(_) | Record::Long(_) => {}
        }
        self.has_objects |= !matches!(record, Record::Class(_));
        self.counted.records += 1;
        self.counted.references += record.references().map_or(0, |references| references.len() as u64);
        self.last = Some((located.offset..located.offset + located.bytes.len() as u64, located.index));
    }

    /// Tells that bytes of a record rely on a rule.
    fn report(&mut self, place: &PlacedRecord<'_, '_>, rule: RuleId, at: Range<usize>) {
        (self.found)(place.reliance(rule, at));
    }

    /// The end tag and what follows it.
    fn report_end(&mut self, end_tag: u64, trailing: u64, stated: Option<(HeaderTotals, Range<usize>)>) {
        let mut tell = |offset, length, rule| (self.found)(Reliance { offset, length, rule, of: None, record: None });
        tell(end_tag, 1, super::BODY_END_TAG);
        if trailing > 0 {
            tell(end_tag + 1, trailing, super::BODY_TRAILING_BYTES);
        }
        // A reader that counts by itself states the same where the totals are true.
        let RecordCount { records, references } = self.counted;
        if let Some((totals, at)) = stated
            && (totals.objects, totals.references) != (records as u32, references as u32)
        {
            (self.found)(header::reliance(super::HEADER_TOTALS, at));
        }
    }

    /// The file ends in a record, of which these bytes are there. A reader that does not expect its hash takes these two or four bytes for
    /// what follows, and may find the record whole.
    fn report_cut_record(&mut self, offset: u64, bytes: &[u8]) {
        // The fields that are there do not depend on those that are missing.
        let whole: Vec<u8> = bytes.iter().copied().chain([0; MISSING]).collect();
        let mut fields = RecordFields::default();
        let Ok(record) = decode::record(&mut Cursor::new(&whole, &mut fields), self.layout) else { return };
        let index = self.last.as_ref().map_or(0, |(_, index)| index + 1);
        let resolved = self.resolver.clone().resolve(&record);
        fields.0.retain(|field| field.at.end <= bytes.len());
        let place = PlacedRecord { record: &record, bytes, fields, offset, index, resolved };
        if place.fields.get("hash").is_some() {
            self.hash(&place);
        }
    }

    /// The dump cannot be read any further.
    fn report_kept_prefix(&mut self) {
        if let Some((at, index)) = self.last.take() {
            let (offset, length) = (at.start, at.end - at.start);
            let rule = super::FILE_KEPT_PREFIX;
            (self.found)(Reliance { offset, length, rule, of: None, record: Some(index) });
        }
    }
}

/// Whether an address has the top bit of a 32-bit word.
fn is_high(Address(address): Address) -> bool {
    address >> 31 & 1 != 0
}

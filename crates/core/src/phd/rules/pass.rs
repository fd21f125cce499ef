//! The rules that one pass with constant state can judge.

use crate::bytes::{mutf8, quoted};
use crate::error::{DecodeError, RuleId};
use crate::findings::Findings;
use crate::model::{ByteLen, HeaderTotals, PrimitiveType};
use crate::phd::decode::{BodyEnd, LocatedRecord};
use crate::phd::lift::{Resolved, Resolver};
use crate::phd::record::{Header, HeaderRecord, ObjectArray, Record, ReferenceList, StoredHash};
use crate::phd::wire::{FileFlags, RecordLayout};

use super::severity;

/// Judges a dump's header and records, one by one.
#[derive(Debug)]
pub struct PassRules {
    resolver: Resolver,
    /// Whether only rules that are errors are judged.
    errors: bool,
    j9: bool,
    stated: Option<HeaderTotals>,
    header_length: u64,
    /// Records seen, by class or object.
    pub classes: u64,
    /// Objects seen.
    pub objects: u64,
    /// References seen.
    pub references: u64,
    signs: ReadingSigns,
}

/// Signs for readings that the bytes do not decide, with the first place of each.
#[derive(Debug, Default)]
struct ReadingSigns {
    length_first_only: u64,
    size_first_only: u64,
    size_first_at: Option<(u64, u64)>,
    ordered_arrays: u64,
    ordered_at: Option<(u64, u64)>,
    hashes: u64,
    largest_hash: u16,
    hash_at: Option<(u64, u64)>,
}

impl PassRules {
    /// Judges the header. `errors` says whether of the records only rules that are errors are judged.
    pub fn new(header: &Header, header_length: u64, errors: bool, findings: &mut Findings) -> PassRules {
        let layout = RecordLayout::new(header.version, header.flags);
        let mut add = |rule: RuleId, offset: u64, expected: &str, found: String| {
            findings.add(rule, severity, offset, None, || (expected.to_owned(), found));
        };
        const VERSION_AT: u64 = 20;
        const FLAGS_AT: u64 = 24;
        const RECORDS_AT: u64 = 29;
        let reserved = header.flags.0 & !FileFlags::KNOWN;
        if reserved != 0 {
            add(super::HEADER_RESERVED_FLAGS, FLAGS_AT, "flags 1, 2 and 4 only", format!("{reserved:#x} as well"));
        }
        let j9 = header.flags.has(FileFlags::J9);
        if !header.version.form().goes_without_j9 && !j9 {
            let version = header.version.number();
            let found = "without it: S0 says units of 4 bytes, the DTFJ reader takes 8; read as 8";
            let (expected, found) = (format!("flag 4 in version {version}"), format!("version {version} {found}"));
            add(super::HEADER_ADDRESS_UNIT, VERSION_AT, &expected, found);
        }
        if header.flags.has(FileFlags::ALL_HASHED) && !j9 {
            let found = "flag 2 alone: no record has a 16-bit hash";
            add(super::HEADER_HASHED_WITHOUT_J9, FLAGS_AT, "flag 2 together with flag 4", found.to_owned());
        }
        let mut at = RECORDS_AT;
        let mut seen = [false; 3];
        let mut stated = None;
        for record in &header.records {
            let (kind, tag, length) = match record {
                HeaderRecord::Totals(totals) => {
                    stated = Some(*totals);
                    (0, 1, 9)
                }
                HeaderRecord::HashcodeRandoms(..) => (1, 3, 9),
                HeaderRecord::FullVersion(text) => {
                    if mutf8::decode(text).is_none() {
                        let found = quoted(text);
                        add(super::HEADER_VERSION_TEXT_ENCODING, at + 3, "modified UTF-8", found);
                    }
                    (2, 4, 3 + text.len() as u64)
                }
            };
            if std::mem::replace(&mut seen[kind], true) {
                let found = "another one; the last counts".to_owned();
                add(super::HEADER_REPEATED_RECORD, at, &format!("one header record {tag}"), found);
            }
            at += length;
        }
        PassRules {
            resolver: Resolver::new(layout),
            errors,
            j9,
            stated,
            header_length,
            classes: 0,
            objects: 0,
            references: 0,
            signs: ReadingSigns::default(),
        }
    }

    /// Judges a record, and gives its absolute addresses.
    ///
    /// # Errors
    /// If references that are not held cannot be read.
    #[inline]
    pub fn record(&mut self, located: LocatedRecord<'_, '_>, findings: &mut Findings) -> Result<Resolved, DecodeError> {
        let record = located.record;
        let resolved = self.resolver.resolve(record);
        if self.errors {
            self.count_and_judge_lengths(located, findings);
            return Ok(resolved);
        }
        match record {
            Record::Class(r) => {
                self.classes += 1;
                if !is_plain_ascii(&r.name) && mutf8::decode(&r.name).is_none() {
                    add(findings, super::CLASS_NAME_ENCODING, located, || {
                        ("modified UTF-8".to_owned(), quoted(&r.name))
                    });
                }
            }
            Record::ObjectArray(r) => {
                self.objects += 1;
                self.object_array(located, r, findings);
            }
            Record::PrimitiveArray(r) => {
                self.objects += 1;
                self.array_length(located, r.length, findings);
                array_size(located, r.element, r.length, r.size_words, findings);
            }
            Record::LongPrimitiveArray(r) => {
                self.objects += 1;
                self.array_length(located, r.length, findings);
                array_size(located, r.element, r.length, r.size_words, findings);
            }
            Record::Short(r) => {
                self.objects += 1;
                if resolved.empty_slot {
                    add(findings, super::SHORT_OBJECT_CACHE_SLOT, located, || {
                        (
                            "a class cache slot that was filled before".to_owned(),
                            format!("slot {}, still empty", r.slot),
                        )
                    });
                }
            }
            Record::Medium(_) | Record::Long(_) => self.objects += 1,
        }
        if record.reserved_flags() != 0 {
            add(findings, super::RECORD_RESERVED_FLAGS, located, || {
                ("no flags without a meaning".to_owned(), format!("{:#04x}", record.reserved_flags()))
            });
        }
        if let StoredHash::Bits16(hash) = record.hash() {
            self.signs.hash16(hash, (located.offset, located.index));
        }
        if let Some(references) = record.references() {
            self.judge_references(located, &resolved, references, findings)?;
        }
        Ok(resolved)
    }

    /// Counts a record, and judges it by the rules that are errors.
    #[inline]
    fn count_and_judge_lengths(&mut self, located: LocatedRecord<'_, '_>, findings: &mut Findings) {
        let record = located.record;
        let count = if matches!(record, Record::Class(_)) { &mut self.classes } else { &mut self.objects };
        *count += 1;
        self.references += record.references().map_or(0, |references| located.count(references));
        match record {
            Record::ObjectArray(r) => self.object_array_length(located, r, findings),
            Record::PrimitiveArray(r) => self.array_length(located, r.length, findings),
            Record::LongPrimitiveArray(r) => self.array_length(located, r.length, findings),
            Record::Class(_) | Record::Short(_) | Record::Medium(_) | Record::Long(_) => {}
        }
    }

    /// Judges the end of the body. `trailing` is the number of bytes after it.
    pub fn finish(&mut self, ended: BodyEnd, trailing: u64, findings: &mut Findings) {
        if trailing > 0 {
            let rule = super::BODY_TRAILING_BYTES;
            findings.add(rule, severity, ended.end_tag + 1, None, || {
                ("nothing after the end tag".to_owned(), format!("{trailing} bytes, ignored"))
            });
        }
        if let Some(stated) = self.stated {
            let counted = (self.classes + self.objects, self.references);
            // Writers count in 32 bits, so a larger dump states its totals modulo 2^32.
            if (stated.objects, stated.references) != (counted.0 as u32, counted.1 as u32) {
                let rule = super::HEADER_TOTALS;
                findings.add(rule, severity, self.header_length, None, || {
                    (
                        format!("{} objects and {} references, as counted", counted.0, counted.1),
                        format!("{} objects and {} references stated", stated.objects, stated.references),
                    )
                });
            }
        }
        self.report_signs(findings);
    }

    /// The absolute addresses of the record judged last.
    pub fn resolver(&self) -> &Resolver {
        &self.resolver
    }

    #[inline]
    fn judge_references(
        &mut self,
        located: LocatedRecord<'_, '_>,
        resolved: &Resolved,
        references: &ReferenceList<'_>,
        findings: &mut Findings,
    ) -> Result<(), DecodeError> {
        let count = located.count(references);
        if count == 0 {
            return Ok(());
        }
        self.references += count;
        let from = resolved.address;
        let nulls = match located.long {
            None => self.resolver.nulls(from, references),
            Some(_) => {
                let (mut nulls, resolver) = (0, &self.resolver);
                located.references(references, |units| nulls += u64::from(resolver.offset(from, units).is_null()))?;
                nulls
            }
        };
        if nulls > 0 {
            add(findings, super::REFERENCES_NULL, located, || {
                ("no null references".to_owned(), format!("{nulls} of {count}"))
            });
        }
        let first = if self.j9 { located.first(references)? } else { None };
        let is_first = first.is_some_and(|units| Some(self.resolver.offset(from, units)) == resolved.class_word);
        if is_first {
            add(findings, super::REFERENCES_FIRST_IS_CLASS, located, || {
                (
                    "a reference 0 other than the class word".to_owned(),
                    "the class word; the DTFJ reader drops this reference, others keep it".to_owned(),
                )
            });
        }
        Ok(())
    }

    fn object_array(&mut self, located: LocatedRecord<'_, '_>, r: &ObjectArray<'_>, findings: &mut Findings) {
        let place = (located.offset, located.index);
        if located.count(&r.references) > 1 {
            self.signs.ordered_arrays += 1;
            self.signs.ordered_at.get_or_insert(place);
        }
        self.object_array_length(located, r, findings);
        let Some(length) = r.length else { return };
        if let Some(words) = r.size_words {
            // An array takes at least a header of 8 bytes and 4 bytes an element.
            let fits = |length: u32, words: u32| u64::from(words) >= u64::from(length) + 2;
            match (fits(length, words), fits(words, length)) {
                (true, false) => self.signs.length_first_only += 1,
                (false, true) => {
                    self.signs.size_first_only += 1;
                    self.signs.size_first_at.get_or_insert(place);
                }
                _ => {}
            }
        }
    }

    fn object_array_length(&self, located: LocatedRecord<'_, '_>, r: &ObjectArray<'_>, findings: &mut Findings) {
        let Some(length) = r.length else { return };
        self.array_length(located, u64::from(length), findings);
        if u64::from(length) < located.count(&r.references) {
            add(findings, super::OBJECT_ARRAY_LENGTH, located, || {
                (format!("a true length of at least {}", located.count(&r.references)), length.to_string())
            });
        }
    }

    #[inline]
    fn array_length(&self, located: LocatedRecord<'_, '_>, length: u64, findings: &mut Findings) {
        if !is_length(length) {
            add(findings, super::ARRAY_LENGTH, located, || {
                ("at most 2147483647 elements".to_owned(), length.to_string())
            });
        }
    }

    /// Reports the signs for each reading where the bytes do not decide.
    fn report_signs(&self, findings: &mut Findings) {
        let signs = &self.signs;
        let mut note = |rule: RuleId, place: (u64, u64), expected: &str, found: String| {
            findings.add(rule, severity, place.0, Some(place.1), || (expected.to_owned(), found));
        };
        if let Some(place) = signs.size_first_at {
            let found = format!(
                "{} arrays whose numbers fit only with the instance size first (S0's text), {} only with the length first",
                signs.size_first_only, signs.length_first_only
            );
            note(super::OBJECT_ARRAY_FIELD_ORDER, place, "true length, then instance size", found);
        }
        if let Some(place) = signs.ordered_at {
            let sign = if self.j9 {
                "the J9 flag speaks for reverse index order (native writer, jdmpview's command)"
            } else {
                "no J9 flag, which speaks for index order (DTFJ writer)"
            };
            let found = format!("{} arrays with several references; {sign}", signs.ordered_arrays);
            note(
                super::OBJECT_ARRAY_REFERENCE_ORDER,
                place,
                "an order of references that the bytes do not tell",
                found,
            );
        }
        if let Some(place) = signs.hash_at {
            let sign = if signs.largest_hash > 0x7fff {
                "bit 15 is in use, which speaks for 16 significant bits"
            } else {
                "bit 15 is never set, which speaks for 15 significant bits, shown doubled as 32 by the DTFJ reader"
            };
            let found = format!("{} hashes, the largest {:#06x}: {sign}", signs.hashes, signs.largest_hash);
            note(super::HASH_16_BIT_VALUE, place, "a meaning of 16-bit hashes that the bytes do not tell", found);
        }
    }
}

impl ReadingSigns {
    /// A record with a hash of 16 bits.
    #[inline]
    fn hash16(&mut self, hash: u16, place: (u64, u64)) {
        self.hashes += 1;
        self.hash_at.get_or_insert(place);
        self.largest_hash = self.largest_hash.max(hash);
    }
}

/// Bytes of elements from which a collector keeps them apart from the array's object, so that its size says nothing of them.
const APART: u64 = 512 << 10;

/// Whether an array may have this length.
#[inline]
fn is_length(length: u64) -> bool {
    length <= i32::MAX as u64
}

/// Whether a primitive array of this length may have this size.
#[inline]
fn is_size(element: PrimitiveType, length: u64, words: Option<u32>) -> bool {
    let size = words.map_or(0, |words| u64::from(words) * 4);
    let payload = length.saturating_mul(element.size());
    let least = if payload < APART { payload + 8 } else { 0 };
    let most = payload.saturating_add(24 + 15) & !15;
    // 0 says nothing.
    (size == 0) | (least <= size) & (size <= most)
}

/// Whether a primitive array's length and size belong together.
#[inline]
fn array_size(
    located: LocatedRecord<'_, '_>,
    element: PrimitiveType,
    length: u64,
    words: Option<u32>,
    findings: &mut Findings,
) {
    if !is_size(element, length, words) {
        let (size, payload) = (u64::from(words.unwrap_or(0)) * 4, length.saturating_mul(element.size()));
        add(findings, super::ARRAY_LENGTH_AND_SIZE, located, || {
            (
                format!("an instance size for {length} elements of the type {element}"),
                format!("{size} bytes, for {} of elements and a header of 8 to 24", ByteLen(payload)),
            )
        });
    }
}

#[cold]
fn add(
    findings: &mut Findings,
    rule: RuleId,
    located: LocatedRecord<'_, '_>,
    describe: impl FnOnce() -> (String, String),
) {
    findings.add(rule, severity, located.offset, Some(located.index), describe);
}

/// Whether every byte is ASCII other than NUL: valid modified UTF-8 without a closer look.
pub(super) fn is_plain_ascii(name: &[u8]) -> bool {
    name.iter().all(|b| (1..0x80).contains(b))
}

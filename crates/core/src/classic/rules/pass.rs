//! The rules that one pass with constant state can judge.

use crate::bytes::quoted;
use crate::classic::decode::{DecodeStep, RecordSlice};
use crate::classic::lift::word_size;
use crate::classic::record::{EntryRecord, Record, ReferenceList};
use crate::classic::wire::{Charset, Encoding, EntryRecordKind};
use crate::error::RuleId;
use crate::findings::{DumpPosition, Findings, SoundCounts};
use crate::model::WordSize;

use super::trailers::{EntryTally, SeenTrailers};
use super::{add, byte_place, name, record_place};

/// Judges a dump's records, one by one.
#[derive(Debug)]
pub struct PassRules {
    ebcdic: bool,
    tally: EntryTally,
    trailers: SeenTrailers,
    /// The place of the first record that is no version line, comment or white space.
    first: Option<DumpPosition>,
    /// Whether a version line was there.
    version: bool,
    /// Whether the first record's digits are those of 32 bits.
    narrow: bool,
    line_end: Option<LineEndKind>,
    mixed_line_ends: bool,
    entry: OpenEntry,
    blocks: ClassBlockEvidence,
}

/// The entry that is being read, as far as it is known.
#[derive(Debug, Default)]
struct OpenEntry {
    is_object: bool,
    /// The entry's place, if it is a primitive array.
    primitive_array: Option<DumpPosition>,
    listed: u64,
    /// Whether its first reference is null.
    null_first: bool,
}

/// Evidence for or against class blocks as first references.
#[derive(Debug, Default)]
struct ClassBlockEvidence {
    /// Whether some object has no first reference, or null.
    refuted: bool,
    /// Primitive arrays with one reference, and the first of them.
    lone: u64,
    first_lone: Option<DumpPosition>,
}

/// The line ends that can differ in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineEndKind {
    LineFeed,
    CarriageReturnLineFeed,
    /// The one of the bytes 0x15 and 0x25 by which the encoding was not detected (EBCDIC).
    Other,
}

impl PassRules {
    /// Before the first record.
    pub fn new(encoding: Encoding) -> PassRules {
        PassRules {
            ebcdic: encoding.charset != Charset::Utf8,
            tally: EntryTally::default(),
            trailers: SeenTrailers::default(),
            first: None,
            version: false,
            narrow: false,
            line_end: None,
            mixed_line_ends: false,
            entry: OpenEntry::default(),
            blocks: ClassBlockEvidence::default(),
        }
    }

    /// Judges a record or a piece of one.
    #[inline]
    pub fn step(&mut self, step: DecodeStep<'_>, findings: &mut Findings) {
        let at = match step {
            DecodeStep::Record(at, Record::Entry(entry)) => {
                self.entry(&at, &entry, findings);
                at
            }
            DecodeStep::More(at, references) => {
                self.references(&at, &references, findings);
                at
            }
            DecodeStep::Record(at, record) => {
                self.line(&at, &record, findings);
                at
            }
        };
        self.line_end(&at, at.bytes, findings);
    }

    /// Judges what only the end shows, be it the end of the text or of what can be read of it.
    pub fn finish(&self, findings: &mut Findings) {
        if let Some(first) = self.first.filter(|_| !self.version) {
            add(findings, super::HEADER_MISSING, first, || {
                ("a version line in front of the records".to_owned(), "none".to_owned())
            });
        }
        if let Some(first) = self.blocks.first_lone.filter(|_| self.blocks.refuted) {
            add(findings, super::REFERENCE_PRIMITIVE_ARRAY, first, || {
                let found = format!("one in {}, and other objects have no class block", self.blocks.lone);
                ("no references in primitive arrays".to_owned(), found)
            });
        }
        self.trailers.judge(self.tally, findings);
    }

    /// Whether the text is spelled as by a writer that lists the elements of an array from the last index to the first.
    #[cfg(feature = "corpus")]
    pub fn lists_backwards(&self) -> bool {
        self.trailers.are_of_a_known_writer(self.tally)
    }

    /// The numbers of records, objects, classes and references seen.
    pub fn sound(&self, records: u64) -> SoundCounts {
        let tally = &self.tally;
        SoundCounts { records, objects: tally.objects(), classes: tally.classes(), references: tally.linked() }
    }

    #[cold]
    fn line(&mut self, at: &RecordSlice<'_>, record: &Record<'_>, findings: &mut Findings) {
        let place = record_place(at);
        match record {
            Record::Space(text) => {
                if text.starts_with(b"\xef") {
                    add(findings, super::FILE_BYTE_ORDER_MARK, place, || {
                        ("a text without a byte order mark".to_owned(), "ef bb bf".to_owned())
                    });
                }
            }
            Record::Version(_) => {
                let repeated = std::mem::replace(&mut self.version, true);
                if repeated || self.first.is_some() {
                    add(findings, super::HEADER_SINGLE, place, || {
                        let found = if repeated { "another version line" } else { "a version line after records" };
                        ("one version line, in front of the records".to_owned(), found.to_owned())
                    });
                }
            }
            Record::Comment(line) => {
                if self.trailers.have_ended() {
                    add(findings, super::TRAILER_COMMENT_AFTER, place, || {
                        let text = quoted(&line.text[..line.text.len().min(32)]);
                        ("nothing after trailer record 2".to_owned(), format!("the comment {text}"))
                    });
                }
            }
            Record::Breakdown(line, counts) => {
                self.first.get_or_insert(place);
                self.trailers.breakdown(place, line.text, *counts, findings);
            }
            Record::Eof(line, totals) => {
                self.first.get_or_insert(place);
                self.trailers.eof(place, line.text, *totals, self.tally, findings);
            }
            Record::Entry(_) => {}
        }
    }

    #[inline]
    fn entry(&mut self, at: &RecordSlice<'_>, entry: &EntryRecord<'_>, findings: &mut Findings) {
        if self.first.is_none() {
            self.first = Some(record_place(at));
            self.narrow = word_size(entry.address.text) == Some(WordSize::Bits32);
        }
        if let Some(rule) = self.trailers.misplaced_entry() {
            self.report_misplaced(rule, at, findings);
        }
        let primitive_array = self.tally.add_entry(entry.kind, entry.name).then(|| record_place(at));
        let is_object = entry.kind == EntryRecordKind::Object;
        self.entry = OpenEntry { is_object, primitive_array, listed: 0, null_first: false };
        let (address, size) = (entry.address.value, entry.size.value);
        if address == 0 || size >> 63 != 0 || self.narrow && (address | size) >> 32 != 0 {
            self.judge_numbers(at, entry, findings);
        }
        if !name::is_plain(entry.name) {
            self.name(at, entry, findings);
        }
        let line_end = match entry.references.text {
            [b'\r', b'\n', ..] => 2,
            _ => 1,
        };
        self.line_end(
            at,
            &at.bytes[..references_at(at, &entry.references) + line_end.min(entry.references.text.len())],
            findings,
        );
        self.references(at, &entry.references, findings);
    }

    #[inline]
    fn references(&mut self, at: &RecordSlice<'_>, references: &ReferenceList<'_>, findings: &mut Findings) {
        let values = references.values;
        let (mut nulls, mut bits) = (0, 0);
        for &value in values {
            nulls += u64::from(value == 0);
            bits |= value;
        }
        self.tally.add_references(values.len() as u64, nulls);
        if self.narrow && bits >> 32 != 0 {
            self.judge_wide_reference(at, references, findings);
        }
        if self.entry.listed == 0 {
            self.entry.null_first = values.first() == Some(&0);
        }
        self.entry.listed += values.len() as u64;
        if !at.open && self.entry.is_object {
            self.blocks.refuted |= self.entry.listed == 0 || self.entry.null_first;
            if let Some(place) = self.entry.primitive_array {
                self.primitive_array(place, findings);
            }
        }
    }

    /// The end of a primitive array.
    fn primitive_array(&mut self, place: DumpPosition, findings: &mut Findings) {
        match self.entry.listed {
            0 => {}
            1 => {
                // A class block, should every object have one.
                self.blocks.lone += 1;
                self.blocks.first_lone.get_or_insert(place);
            }
            listed => add(findings, super::REFERENCE_PRIMITIVE_ARRAY, place, || {
                ("no references in a primitive array, but for a class block".to_owned(), listed.to_string())
            }),
        }
    }

    #[inline]
    fn line_end(&mut self, at: &RecordSlice<'_>, up_to: &[u8], findings: &mut Findings) {
        let (line_end, length) = match up_to {
            [.., b'\r', b'\n'] => (LineEndKind::CarriageReturnLineFeed, 2),
            [.., b'\n'] => (LineEndKind::LineFeed, 1),
            [.., 0x85] if self.ebcdic => (LineEndKind::Other, 1),
            _ => return,
        };
        if *self.line_end.get_or_insert(line_end) != line_end && !self.mixed_line_ends {
            self.mixed_line_ends = true;
            add(findings, super::FILE_LINE_ENDS, byte_place(at, up_to.len() - length, self.ebcdic), || {
                ("lines that all end alike".to_owned(), "another line end than before".to_owned())
            });
        }
    }

    #[cold]
    fn report_misplaced(&self, rule: RuleId, at: &RecordSlice<'_>, findings: &mut Findings) {
        add(findings, rule, record_place(at), || {
            let which = if self.trailers.have_ended() { "trailer record 2" } else { "trailer record 1" };
            ("objects and classes in front of the trailer records".to_owned(), format!("one after {which}"))
        });
    }

    #[cold]
    fn judge_numbers(&self, at: &RecordSlice<'_>, entry: &EntryRecord<'_>, findings: &mut Findings) {
        let (address, size) = (entry.address, entry.size);
        if address.value == 0 {
            add(findings, super::RECORD_NULL_ADDRESS, record_place(at), || {
                ("an address other than null".to_owned(), quoted(address.text))
            });
        }
        if self.narrow && address.value >> 32 != 0 {
            add(findings, super::NUMBER_WORD, record_place(at), || wide_number(address.text));
        }
        let bits = if self.narrow { 32 } else { 63 };
        if size.value >> bits != 0 {
            let place = byte_place(at, address.text.len() + entry.before_size.len(), self.ebcdic);
            add(findings, super::NUMBER_SIZE_RANGE, place, || {
                (format!("a size below 2^{bits} bytes"), size.value.to_string())
            });
        }
    }

    #[cold]
    fn judge_wide_reference(&self, at: &RecordSlice<'_>, references: &ReferenceList<'_>, findings: &mut Findings) {
        let mut parts = references.parts();
        if let Some((byte, word, _)) = parts.find(|(.., value)| value.is_some_and(|value| value >> 32 != 0)) {
            let byte = references_at(at, references) + byte;
            add(findings, super::NUMBER_WORD, byte_place(at, byte, self.ebcdic), || wide_number(word));
        }
    }

    fn name(&self, at: &RecordSlice<'_>, entry: &EntryRecord<'_>, findings: &mut Findings) {
        let begin = references_at(at, &entry.references) - entry.name.len();
        name::judge(entry.name, self.ebcdic, |(rule, byte, expected, found)| {
            add(findings, rule, byte_place(at, begin + byte, self.ebcdic), || (expected.to_owned(), found));
        });
    }
}

/// The first byte of the references in a record or piece.
fn references_at(at: &RecordSlice<'_>, references: &ReferenceList<'_>) -> usize {
    at.bytes.len() - references.text.len()
}

fn wide_number(text: &[u8]) -> (String, String) {
    let expected = "32 bits, as the first record's address has".to_owned();
    (expected, quoted(text))
}

//! The rules that the form of a record relies on: its tag, its flags byte, the widths of its fields.

use crate::error::RuleId;
use crate::phd::record::{Record, StoredHash};
use crate::phd::rules::{
    CLASS_LAYOUT, LONG_OBJECT_LAYOUT, LONG_PRIMITIVE_ARRAY_LAYOUT, MEDIUM_OBJECT_LAYOUT, OBJECT_ARRAY_LAYOUT,
    OBJECT_ARRAY_TAG_5, PRIMITIVE_ARRAY_LAYOUT, RECORD_ANY_COUNT, RECORD_FLAGS_BYTE, RECORD_TAG_BITS,
    RECORD_WIDTH_CODES, SHORT_OBJECT_LAYOUT,
};
use crate::phd::wire::{Width, record_tag};

use super::{DependencyPass, PlacedRecord, TAG};

impl DependencyPass<'_> {
    pub(super) fn form(&mut self, place: &PlacedRecord<'_, '_>) {
        self.report(place, layout_rule(place.record), 0..place.bytes.len());
        if place.record.tag() == record_tag::OBJECT_ARRAY {
            self.report(place, OBJECT_ARRAY_TAG_5, TAG);
        }
        let (Some(&tag), flags) = (place.bytes.first(), place.bytes.get(1)) else { return };
        if has_lower_tag_bits(place.record, tag) {
            self.report(place, RECORD_TAG_BITS, TAG);
        }
        let has_flags = place.fields.get("flags").is_some();
        if has_wide_code(place.record) {
            self.report(place, RECORD_WIDTH_CODES, place.field_range(if has_flags { "flags" } else { "tag" }));
        }
        if let (Some(&flags), Some(references)) = (flags.filter(|_| has_flags), place.record.references())
            && is_misread(flags, !references.is_empty())
        {
            self.report(place, RECORD_FLAGS_BYTE, place.field_range("flags"));
        }
        match place.record {
            Record::Medium(r) if r.references.len() < MEDIUM_FROM => self.report(place, RECORD_ANY_COUNT, TAG),
            // A gap of 4 bytes or a hash asks for a long record by itself.
            Record::Long(r)
                if r.references.len() < LONG_FROM
                    && r.gap.width <= Width::Two
                    && !matches!(r.hash, StoredHash::Bits32(_)) =>
            {
                self.report(place, RECORD_ANY_COUNT, place.field_range("number of references"));
            }
            _ => {}
        }
    }
}

/// The numbers of references from which on S0 has medium and long records.
const MEDIUM_FROM: usize = 4;
const LONG_FROM: usize = 8;

fn layout_rule(record: &Record<'_>) -> RuleId {
    match record {
        Record::Short(_) => SHORT_OBJECT_LAYOUT,
        Record::Medium(_) => MEDIUM_OBJECT_LAYOUT,
        Record::PrimitiveArray(_) => PRIMITIVE_ARRAY_LAYOUT,
        Record::Long(_) => LONG_OBJECT_LAYOUT,
        Record::ObjectArray(_) => OBJECT_ARRAY_LAYOUT,
        Record::Class(_) => CLASS_LAYOUT,
        Record::LongPrimitiveArray(_) => LONG_PRIMITIVE_ARRAY_LAYOUT,
    }
}

/// Whether the tag has another kind's bit below that of its own.
fn has_lower_tag_bits(record: &Record<'_>, tag: u8) -> bool {
    match record {
        Record::Short(_) => tag & (record_tag::MEDIUM_OBJECT | record_tag::PRIMITIVE_ARRAY) != 0,
        Record::Medium(_) => tag & record_tag::PRIMITIVE_ARRAY != 0,
        _ => false,
    }
}

/// Whether a width code is used that is not its number of bytes less one.
fn has_wide_code(record: &Record<'_>) -> bool {
    let references = record.references().is_some_and(|of| of.width >= Width::Four && !of.is_empty());
    let gap = !matches!(record, Record::LongPrimitiveArray(_)) && record.gap().width >= Width::Four;
    references || gap
}

/// Whether a flags byte gives other widths with its two codes exchanged, or with its bits counted from the other end.
fn is_misread(flags: u8, has_references: bool) -> bool {
    let code = |shift: u8| flags >> shift & 3;
    let differs = |gap, references| gap != code(6) || has_references && references != code(4);
    differs(code(4), code(6)) || differs(code(0), code(2))
}

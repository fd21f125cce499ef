//! The rules that gaps and references rely on.

use std::ops::Range;

use crate::error::RuleId;
use crate::model::{Address, WordSize};
use crate::phd::record::{Record, ReferenceList};
use crate::phd::rules::{
    CLASS_REFERENCES, GAP_BASE, GAP_SIGNED, GAP_UNIT, HEADER_ADDRESS_UNIT, OBJECT_ARRAY_REFERENCE_ORDER,
    REFERENCES_BASE, REFERENCES_FIRST_IS_CLASS, REFERENCES_NULL, WORDS_MODULO_2_32,
};
use crate::phd::wire::{Units, Width};

use super::{DependencyPass, PlacedRecord};

/// The preceding record.
pub(super) struct PrecedingRecord {
    /// Whether it is neither a class nor an array.
    is_plain_object: bool,
    /// Whether its gap was other than 0.
    moved: bool,
}

/// The references that rely on a rule, from the first to the last.
#[derive(Default)]
struct ReferenceStretch(Option<Range<usize>>);

impl ReferenceStretch {
    fn include(&mut self, index: usize, relies: bool) {
        if relies {
            self.0.get_or_insert(index..index).end = index + 1;
        }
    }
}

impl DependencyPass<'_> {
    pub(super) fn gap(&mut self, place: &PlacedRecord<'_, '_>, before: Address) {
        let gap = place.record.gap();
        let at = place.field_range("gap");
        let is_class = matches!(place.record, Record::Class(_));
        // S0 speaks of the preceding object: a reader may pass over classes and arrays, or count classes apart.
        if self.preceding.as_ref().is_some_and(|of| of.moved && (is_class || !of.is_plain_object)) {
            self.report(place, GAP_BASE, at.clone());
        }
        let unsigned = match gap.width {
            Width::Eight => gap.units,
            width => Units(gap.units.0 & ((1 << (8 * width.bytes())) - 1)),
        };
        if self.resolver.offset(before, unsigned) != place.resolved.address {
            self.report(place, GAP_SIGNED, at.clone());
        }
        if gap.units != Units(0)
            && let Some(rule) = self.unit_rule()
        {
            self.report(place, rule, at.clone());
        }
        if self.wraps(before, gap.units) {
            self.report(place, WORDS_MODULO_2_32, at);
        }
        let is_plain_object = matches!(place.record, Record::Short(_) | Record::Medium(_) | Record::Long(_));
        self.preceding = Some(PrecedingRecord { is_plain_object, moved: gap.units != Units(0) });
    }

    pub(super) fn references(&mut self, place: &PlacedRecord<'_, '_>) {
        let Some(references) = place.record.references().filter(|references| !references.is_empty()) else { return };
        let from = place.resolved.address;
        let (mut nulls, mut scaled, mut wrapped) = <(ReferenceStretch, ReferenceStretch, ReferenceStretch)>::default();
        for (index, units) in references.iter().enumerate() {
            nulls.include(index, self.resolver.offset(from, units).is_null());
            scaled.include(index, units != Units(0));
            wrapped.include(index, self.wraps(from, units));
        }
        let at = place.field_range("reference");
        let width = references.width.bytes();
        let unit_rule = self.unit_rule();
        let mut tell = |rule: RuleId, stretch: ReferenceStretch| {
            if let ReferenceStretch(Some(of)) = stretch {
                self.report(place, rule, at.start + of.start * width..at.start + of.end * width);
            }
        };
        tell(REFERENCES_NULL, nulls);
        tell(WORDS_MODULO_2_32, wrapped);
        if let Some(rule) = unit_rule {
            tell(rule, scaled);
        }
        let all = 0..references.len();
        tell(REFERENCES_BASE, ReferenceStretch(Some(all.clone())));
        if matches!(place.record, Record::Class(_)) {
            tell(CLASS_REFERENCES, ReferenceStretch(Some(all.clone())));
        }
        if matches!(place.record, Record::ObjectArray(_)) && !is_palindrome(references) {
            tell(OBJECT_ARRAY_REFERENCE_ORDER, ReferenceStretch(Some(all)));
        }
        let first = references.iter().next().map(|units| self.resolver.offset(from, units));
        // Without flag 4 it is a reference like any other; a reader that drops it in dumps of J9 may do so here as well.
        if first == place.resolved.class_word {
            self.report(place, REFERENCES_FIRST_IS_CLASS, at.start..at.start + width);
        }
    }

    /// The rule that says what a distance counts. In 32-bit dumps of J9 that is 32-bit words, as in the documents; in others
    /// a reader may take a word of another size for it.
    fn unit_rule(&self) -> Option<RuleId> {
        let is_documented = self.layout.unit == 4 && self.layout.word == WordSize::Bits32;
        let is_doubtful = !self.j9 && !self.version.form().goes_without_j9;
        (!is_documented).then_some(if is_doubtful { HEADER_ADDRESS_UNIT } else { GAP_UNIT })
    }

    /// Whether a distance leads across an end of 32-bit addresses.
    fn wraps(&self, from: Address, units: Units) -> bool {
        let target = i128::from(from.0) + i128::from(units.0) * i128::from(self.layout.unit);
        self.layout.word == WordSize::Bits32 && u32::try_from(target).is_err()
    }
}

fn is_palindrome(references: &ReferenceList<'_>) -> bool {
    let each = || references.bytes.chunks_exact(references.width.bytes());
    each().eq(each().rev())
}

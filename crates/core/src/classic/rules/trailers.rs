//! The rules of the trailer records: the numbers that they state, against those counted by the rules of the dialect
//! that wrote them.

use crate::classic::lower::counted_kind;
use crate::classic::record::{BreakdownCounts, EofTotals};
use crate::classic::wire::EntryRecordKind;
use crate::error::RuleId;
use crate::findings::{DumpPosition, Findings};
use crate::model::ObjectKind;

use super::add;

/// The records and references counted so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EntryTally {
    classes: u64,
    instances: u64,
    /// Arrays of references, but for those of the next but one.
    object_arrays: u64,
    primitive_arrays: u64,
    /// Arrays of arrays of a primitive type, which the native writer counts as primitive (C13).
    nested_primitive: u64,
    /// References that are listed.
    listed: u64,
    /// Listed references that are null.
    nulls: u64,
}

/// The trailer records seen.
#[derive(Debug, Default)]
pub(super) struct SeenTrailers {
    breakdown: Option<(DumpPosition, BreakdownCounts, BreakdownSpacing)>,
    eof: Option<(DumpPosition, EofTotals, EofSpacing, EntryTally)>,
}

/// The white space around the numbers of trailer record 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BreakdownSpacing {
    /// `Classes: 9`
    Spaced,
    /// `Classes:9`
    Tight,
    Other,
}

/// The white space of trailer record 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EofSpacing {
    /// `EOF:  Total ... : 9`
    Two,
    /// `EOF: Total ... : 9`
    One,
    /// `EOF: Total ... :9`
    Tight,
    Other,
}

/// The dialect by whose rules a dump's records and references are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CountingDialect {
    /// Arrays of arrays by their leaf type; null references are counted and not listed.
    Native,
    /// Arrays of arrays as what they are; null references are listed and counted.
    Jdmpview,
    /// Any dialect, where no sign decides.
    Any,
}

impl EntryTally {
    /// Counts an entry; whether it is a primitive array.
    #[inline]
    pub(super) fn add_entry(&mut self, kind: EntryRecordKind, name: &[u8]) -> bool {
        if kind == EntryRecordKind::Class {
            self.classes += 1;
        } else if name.first() != Some(&b'[') {
            self.instances += 1;
        } else if matches!(ObjectKind::from_class_name(name), ObjectKind::PrimitiveArray(_)) {
            self.primitive_arrays += 1;
            return true;
        } else if matches!(counted_kind(name, true), ObjectKind::PrimitiveArray(_)) {
            self.nested_primitive += 1;
        } else {
            self.object_arrays += 1;
        }
        false
    }

    pub(super) fn add_references(&mut self, listed: u64, nulls: u64) {
        self.listed += listed;
        self.nulls += nulls;
    }

    pub(super) fn classes(&self) -> u64 {
        self.classes
    }

    pub(super) fn objects(&self) -> u64 {
        self.instances + self.object_arrays + self.nested_primitive + self.primitive_arrays
    }

    /// References other than null.
    pub(super) fn linked(&self) -> u64 {
        self.listed - self.nulls
    }

    fn counts(&self, by_leaf: bool) -> BreakdownCounts {
        let nested = self.nested_primitive;
        BreakdownCounts {
            classes: self.classes,
            objects: self.instances,
            object_arrays: self.object_arrays + if by_leaf { 0 } else { nested },
            primitive_arrays: self.primitive_arrays + if by_leaf { nested } else { 0 },
        }
    }
}

impl SeenTrailers {
    /// The rule that an object or class breaks by standing here.
    #[inline]
    pub(super) fn misplaced_entry(&self) -> Option<RuleId> {
        match (&self.breakdown, &self.eof) {
            (None, None) => None,
            (_, Some(_)) => Some(super::TRAILER_RECORD_AFTER),
            (Some(_), None) => Some(super::TRAILER_RECORD_BETWEEN),
        }
    }

    pub(super) fn have_ended(&self) -> bool {
        self.eof.is_some()
    }

    pub(super) fn breakdown(
        &mut self,
        place: DumpPosition,
        text: &[u8],
        counts: BreakdownCounts,
        findings: &mut Findings,
    ) {
        if self.breakdown.is_some() {
            return report_repeated(place, "trailer record 1", findings);
        }
        if self.have_ended() {
            add(findings, super::TRAILER_ORDER, place, || {
                ("trailer record 1 in front of trailer record 2".to_owned(), "after it".to_owned())
            });
        }
        self.breakdown = Some((place, counts, BreakdownSpacing::from_text(text, counts)));
    }

    pub(super) fn eof(
        &mut self,
        place: DumpPosition,
        text: &[u8],
        totals: EofTotals,
        tally: EntryTally,
        findings: &mut Findings,
    ) {
        if self.eof.is_some() {
            return report_repeated(place, "trailer record 2", findings);
        }
        self.eof = Some((place, totals, EofSpacing::from_text(text, totals), tally));
    }

    /// Judges what was stated. `tally` is of all records.
    pub(super) fn judge(&self, tally: EntryTally, findings: &mut Findings) {
        let tally = self.eof.map_or(tally, |(.., before)| before);
        let counting = self.counting_dialect(&tally);
        if let Some((place, stated, _)) = self.breakdown {
            let own = tally.counts(counting == CountingDialect::Native);
            let other = tally.counts(true);
            if stated != own && !(counting == CountingDialect::Any && stated == other) {
                add(findings, super::TRAILER_COUNTS, place, || {
                    (format!("{}, as counted", describe_counts(own)), format!("{} stated", describe_counts(stated)))
                });
            }
        }
        let Some((place, stated, ..)) = self.eof else { return };
        if self.breakdown.is_none() {
            add(findings, super::TRAILER_BREAKDOWN_MISSING, place, || {
                ("trailer record 1, \"// Breakdown\", in front of it".to_owned(), "none".to_owned())
            });
        }
        let total = tally.classes() + tally.objects();
        if stated.objects != total {
            add(findings, super::TRAILER_TOTAL, place, || {
                (format!("{total} objects and classes, as counted"), format!("{} stated", stated.objects))
            });
        }
        if !agrees(stated, &tally, counting) {
            add(findings, super::TRAILER_REFERENCES, place, || {
                let expected = match counting {
                    CountingDialect::Native => format!("{} references more than null ones, as listed", tally.listed),
                    _ => format!("{} references, {} of them null, as listed", tally.listed, tally.nulls),
                };
                (expected, format!("{} references, {} of them null, stated", stated.references, stated.nulls))
            });
        }
    }

    /// Whether the trailers are spelled as those of the native writer or of jdmpview. `tally` is of all records.
    #[cfg(feature = "corpus")]
    pub(super) fn are_of_a_known_writer(&self, tally: EntryTally) -> bool {
        self.counting_dialect(&self.eof.map_or(tally, |(.., before)| before)) != CountingDialect::Any
    }

    /// The rules to count by, as the trailers' own spelling shows them. IBM's page has lost its white space, so that
    /// its writers may have spelled like the native one; listed nulls tell them apart.
    fn counting_dialect(&self, tally: &EntryTally) -> CountingDialect {
        let colons = self.breakdown.map(|(.., colons)| colons);
        match (colons, self.eof.map(|(_, _, gaps, _)| gaps)) {
            (None | Some(BreakdownSpacing::Spaced), Some(EofSpacing::Two)) if tally.nulls == 0 => {
                CountingDialect::Native
            }
            (Some(BreakdownSpacing::Tight), None | Some(EofSpacing::Tight)) | (None, Some(EofSpacing::Tight)) => {
                CountingDialect::Jdmpview
            }
            _ => CountingDialect::Any,
        }
    }
}

/// Whether the totals of references are true.
fn agrees(stated: EofTotals, tally: &EntryTally, counting: CountingDialect) -> bool {
    let all_listed = (stated.references, stated.nulls) == (tally.listed, tally.nulls);
    let linked = stated.references.checked_sub(stated.nulls);
    let unlisted = tally.nulls == 0 && linked == Some(tally.listed);
    match counting {
        CountingDialect::Native => unlisted,
        CountingDialect::Jdmpview => all_listed,
        // Nothing says whether IBM's totals have the class block of each object in them.
        CountingDialect::Any => {
            let without_blocks = tally.listed.checked_sub(tally.objects());
            all_listed || unlisted || (Some(stated.references), stated.nulls) == (without_blocks, tally.nulls)
        }
    }
}

/// Whether trailer record 1 has the white space that the documents show.
pub(super) fn is_shown_breakdown(text: &[u8], counts: BreakdownCounts) -> bool {
    BreakdownSpacing::from_text(text, counts) == BreakdownSpacing::Spaced
}

/// Whether trailer record 2 has. IBM's page has lost its own, so that it shows one space or two.
pub(super) fn is_shown_eof(text: &[u8], totals: EofTotals) -> bool {
    matches!(EofSpacing::from_text(text, totals), EofSpacing::Two | EofSpacing::One)
}

fn report_repeated(place: DumpPosition, what: &str, findings: &mut Findings) {
    add(findings, super::TRAILER_REPEATED, place, || {
        (format!("one {what}"), "another one; the first counts".to_owned())
    });
}

fn describe_counts(counts: BreakdownCounts) -> String {
    let BreakdownCounts { classes, objects, object_arrays, primitive_arrays } = counts;
    format!("{classes} classes, {objects} objects, {object_arrays} object arrays, {primitive_arrays} primitive arrays")
}

impl BreakdownSpacing {
    fn from_text(text: &[u8], counts: BreakdownCounts) -> BreakdownSpacing {
        let BreakdownCounts { classes, objects, object_arrays, primitive_arrays } = counts;
        let spelled = |gap: &str| {
            format!(
                "// Breakdown - Classes:{gap}{classes}, Objects:{gap}{objects}, ObjectArrays:{gap}{object_arrays}, \
                 PrimitiveArrays:{gap}{primitive_arrays}"
            )
        };
        match text {
            _ if text == spelled(" ").as_bytes() => BreakdownSpacing::Spaced,
            _ if text == spelled("").as_bytes() => BreakdownSpacing::Tight,
            _ => BreakdownSpacing::Other,
        }
    }
}

impl EofSpacing {
    fn from_text(text: &[u8], totals: EofTotals) -> EofSpacing {
        let EofTotals { objects, references, nulls } = totals;
        let spelled = |first: &str, last: &str| {
            format!("// EOF:{first}Total 'Objects',Refs(null) :{last}{objects},{references}({nulls})")
        };
        match text {
            _ if text == spelled("  ", " ").as_bytes() => EofSpacing::Two,
            _ if text == spelled(" ", " ").as_bytes() => EofSpacing::One,
            _ if text == spelled(" ", "").as_bytes() => EofSpacing::Tight,
            _ => EofSpacing::Other,
        }
    }
}

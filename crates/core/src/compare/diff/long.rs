//! Comparison of references that are too long to be held: in pieces, sorted in temporary files.

use crate::compare::carriage::Carriage;
use crate::compare::facet::Facet;
use crate::compare::facts::EntryReferences;
use crate::error::Error;
use crate::model::Address;
use crate::model::long::Pieces;

use super::{HeapDiff, HeapSide, show};

/// The references of one side in pieces, where they are known.
type ReferencePieces = Option<Pieces<Address>>;

/// The references of both sides in pieces, if those of at least one side are too long to be held.
pub(super) fn reference_pieces(sides: [Option<EntryReferences<'_>>; 2]) -> Result<Option<[ReferencePieces; 2]>, Error> {
    let mut found = [None, None];
    for (side, found) in sides.into_iter().zip(&mut found) {
        *found = side.map_or(Ok(None), EntryReferences::long_pieces)?;
    }
    if found.iter().all(Option::is_none) {
        return Ok(None);
    }
    let held = |all: EntryReferences<'_>| all.iter().collect::<Vec<_>>().into();
    let [left, right] = found;
    let [l, r] = sides;
    Ok(Some([left.or_else(|| l.map(held)), right.or_else(|| r.map(held))]))
}

impl HeapDiff<'_> {
    /// Compares references in pieces, as [`HeapDiff::compare_references`] compares those that are held.
    pub(super) fn compare_long_references(
        &mut self,
        facet: Facet,
        at: Option<Address>,
        mut l: ReferencePieces,
        mut r: ReferencePieces,
    ) -> Result<(), Error> {
        if self.carried.is_some_and(|column| column.carriage(Facet::NullReferences) == Carriage::None) {
            for listed in [&mut l, &mut r].into_iter().flatten() {
                *listed = listed.without_nulls()?;
            }
        }
        let nulls = |listed: &ReferencePieces| listed.as_ref().map_or(Ok(0), Pieces::nulls);
        let lists = |side: &HeapSide, nulls: u64| side.habits.nulls || nulls > 0;
        let counted = (nulls(&l)?, nulls(&r)?);
        let (left_lists, right_lists) = (lists(&self.left, counted.0), lists(&self.right, counted.1));
        if left_lists != right_lists
            && let (Some(l), Some(r)) = (&mut l, &mut r)
        {
            // Only one of the two dumps lists null references.
            let nulls = (left_lists.then_some(counted.0), right_lists.then_some(counted.1));
            if nulls.0.or(nulls.1) != Some(0) {
                self.compare_fact(Facet::NullReferences, at, nulls.0, nulls.1, u64::to_string);
            }
            for listed in [l, r] {
                *listed = listed.without_nulls()?;
            }
        }
        let (Some(l), Some(r)) = (&l, &r) else {
            self.both_recorded(facet, l, r);
            return Ok(());
        };
        let in_order = l.first_difference(r)?.is_none();
        let sorted = if in_order { None } else { Some((l.sorted()?, r.sorted()?)) };
        let same =
            sorted.as_ref().map_or(Ok(true), |(ls, rs)| Ok::<bool, Error>(ls.first_difference(rs)?.is_none()))?;
        if self.both_recorded(facet, Some(l), Some(r)).is_some()
            && let Some((ls, rs)) = sorted.filter(|_| !same)
        {
            let shown = (show::long_references(&ls)?, show::long_references(&rs)?);
            self.report_difference(facet, at, || shown);
        }
        if same && self.both_recorded(Facet::ReferenceOrder, Some(l), Some(r)).is_some() && !in_order {
            let shown = (show::long_references(l)?, show::long_references(r)?);
            self.report_difference(Facet::ReferenceOrder, at, || shown);
        }
        Ok(())
    }
}

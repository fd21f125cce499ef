//! The facts of a heap that its dump does not record.

use std::fmt;

use crate::compare::told::Counts;
use crate::error::Error;
use crate::family::Wishes;
use crate::format::{Lowering, Target, profiles};
use crate::model::{DumpSource, HeapSource};

use super::report::{self, Lost, OmittedRoots};

/// The facts of a heap that its dump does not record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unwritten {
    /// The dump's format and profile.
    pub to: String,
    /// Facets that the heap records and such dumps do not.
    pub lost: Vec<Lost>,
    /// Roots that the writer leaves out.
    pub roots: Vec<OmittedRoots>,
}

impl Unwritten {
    /// The facts of a heap that a dump would not record.
    ///
    /// # Errors
    /// If reading a heap fails.
    pub fn of(dump: &mut dyn DumpSource, lowering: &Lowering) -> Result<Unwritten, Error> {
        let to = Target { format: lowering.format(), profile: Some(lowering.profile().to_owned()) };
        let (mut told, mut roots) = (Counts::default(), Vec::new());
        for number in 0..dump.heaps() {
            let heap = dump.heap(number);
            Counts::of(heap)?.0.into_iter().for_each(|(facet, count)| *told.0.entry(facet).or_default() += count);
            add(&mut roots, omitted_roots(heap, lowering)?);
        }
        let (lost, _) = report::losses(&told, &to.column());
        Ok(Unwritten { to: to.to_string(), lost, roots })
    }

    /// Whether the dump records everything.
    pub fn is_empty(&self) -> bool {
        self.lost.is_empty() && self.roots.is_empty()
    }

    /// The lost facets and their counts, in a line.
    pub fn lost_facets(&self) -> Option<String> {
        let facets: Vec<String> = self.lost.iter().map(|lost| format!("{} ({})", lost.facet, lost.count)).collect();
        (!facets.is_empty())
            .then(|| format!("not written, since {} does not record it: {}", self.to, facets.join(", ")))
    }

    /// The omitted roots by kind, in a line.
    pub fn omitted_roots(&self) -> Option<String> {
        let kinds: Vec<String> = self.roots.iter().map(|roots| format!("{} ({})", roots.kind, roots.count)).collect();
        (!kinds.is_empty()).then(|| format!("roots that {} leaves out: {}", self.to, kinds.join(", ")))
    }
}

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.lost_facets().into_iter().chain(self.omitted_roots()).collect();
        f.write_str(&lines.join("\n"))
    }
}

/// The roots that a writer leaves out, by kind.
pub(super) fn omitted_roots(heap: &mut dyn HeapSource, lowering: &Lowering) -> Result<Vec<OmittedRoots>, Error> {
    let counts = lowering.omitted_roots(heap)?;
    Ok(counts.into_iter().map(|(kind, count)| OmittedRoots { kind: kind.to_owned(), count }).collect())
}

fn add(roots: &mut Vec<OmittedRoots>, more: Vec<OmittedRoots>) {
    for other in more {
        match roots.iter_mut().find(|known| known.kind == other.kind) {
            Some(known) => known.count += other.count,
            None => roots.push(other),
        }
    }
}

/// A profile of the same format that leaves out no root and has identifiers of the same size: one with a
/// writer-specific spelling, or else one whose spelling is drawn.
///
/// # Errors
/// If reading a heap fails.
pub fn profile_with_all_roots(dump: &mut dyn DumpSource, lowering: &Lowering) -> Result<Option<&'static str>, Error> {
    let format = lowering.format();
    let mut seeded = None;
    for name in profiles(format) {
        let other = Lowering::new(format, &Wishes { profile: Some(name.to_owned()), ..Wishes::default() })?;
        if other.is_seeded() && seeded.is_some() || !keeps_roots(dump, lowering, &other)? {
            continue;
        }
        if !other.is_seeded() {
            return Ok(Some(name));
        }
        seeded = Some(name);
    }
    Ok(seeded)
}

fn keeps_roots(dump: &mut dyn DumpSource, lowering: &Lowering, other: &Lowering) -> Result<bool, Error> {
    for number in 0..dump.heaps() {
        let heap = dump.heap(number);
        let has_room = other.needs(heap.facts()).largest >= lowering.needs(heap.facts()).largest;
        if !has_room || !other.omitted_roots(heap)?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

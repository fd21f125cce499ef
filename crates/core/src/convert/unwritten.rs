//! The facts of a heap that its dump does not record.

use std::collections::HashMap;
use std::fmt;

use crate::compare::Facet;
use crate::compare::carriage::Carriage;
use crate::compare::recorded::FacetCounts;
use crate::error::Error;
use crate::family::WriteRequest;
use crate::format::{DumpTarget, Lowering, profiles};
#[cfg(feature = "heap-file")]
use crate::heap_file::HeapFile;
use crate::model::{Address, DumpSource, FieldType, HeapSource, Hierarchy, Name};

use super::report::{self, LostFacet, OmittedRoots};

/// The facts of a heap that its dump does not record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unwritten {
    /// The dump's format and profile.
    pub to: String,
    /// Facets that the heap records and such dumps do not.
    pub lost: Vec<LostFacet>,
    /// Roots that the writer leaves out.
    pub roots: Vec<OmittedRoots>,
    /// Values whose own type is lost.
    pub retyped: Option<RetypedValues>,
}

/// Values of another type than their class declares. A dump with values has the type of a field once, in its class, and what stands
/// in an object is read by that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetypedValues {
    /// How many objects have one.
    pub objects: u64,
    /// The first of them.
    pub address: Address,
    /// Its field.
    pub field: Name,
    /// The type that its class declares.
    pub declared: FieldType,
    /// The type of the value.
    pub found: FieldType,
}

impl Unwritten {
    /// The facts of a heap that a dump would not record.
    ///
    /// # Errors
    /// If reading a heap fails.
    pub fn from_dump(dump: &mut dyn DumpSource, lowering: &Lowering) -> Result<Unwritten, Error> {
        let to = DumpTarget { format: lowering.format(), profile: Some(lowering.profile().to_owned()) };
        let (mut told, mut roots) = (FacetCounts::default(), Vec::new());
        for number in 0..dump.heaps() {
            let heap = dump.heap(number);
            FacetCounts::from_source(heap)?
                .0
                .into_iter()
                .for_each(|(facet, count)| *told.0.entry(facet).or_default() += count);
            add_roots(&mut roots, omitted_roots(heap, lowering)?);
        }
        let column = to.column();
        let (lost, _) = report::losses(&told, &column);
        let mut retyped = None;
        if column.carriage(Facet::FieldValues) != Carriage::None {
            for number in 0..dump.heaps() {
                retyped = RetypedValues::from_source(dump.heap(number))?.or(retyped);
            }
        }
        Ok(Unwritten { to: to.to_string(), lost, roots, retyped })
    }

    /// These facts without those that a heap file leaves to heapsmith: what it does not say is not lost.
    #[cfg(feature = "heap-file")]
    #[must_use]
    pub fn without_automatic(mut self, file: &HeapFile) -> Unwritten {
        self.lost.retain(|lost| !file.is_automatic(lost.facet));
        self.roots.retain(|roots| !file.has_only_automatic_roots(&roots.kind));
        self
    }

    /// Whether the dump records everything.
    pub fn is_empty(&self) -> bool {
        self.lost.is_empty() && self.roots.is_empty() && self.retyped.is_none()
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
        let retyped = self.retyped.as_ref().map(ToString::to_string);
        let lines: Vec<String> = self.lost_facets().into_iter().chain(self.omitted_roots()).chain(retyped).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl RetypedValues {
    /// Those of a heap.
    ///
    /// # Errors
    /// If reading it fails.
    pub fn from_source(heap: &mut dyn HeapSource) -> Result<Option<RetypedValues>, Error> {
        let classes = heap.classes().to_vec();
        let places: HashMap<Address, usize> =
            (0..).zip(&classes).map(|(place, class)| (class.address, place)).collect();
        let hierarchy = Hierarchy::new(&classes, |address| places.get(&address).copied());
        let mut retyped: Option<RetypedValues> = None;
        heap.visit_objects(&mut |object| {
            let class = object.class.and_then(|class| places.get(&class).copied());
            if let Some((field, found)) = hierarchy.retyped_value(&classes, class, object) {
                let first = RetypedValues {
                    objects: 0,
                    address: object.address,
                    field: field.name.clone(),
                    declared: field.kind,
                    found,
                };
                retyped.get_or_insert(first).objects += 1;
            }
            Ok(())
        })?;
        Ok(retyped)
    }
}

impl fmt::Display for RetypedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RetypedValues { objects, address, field, declared, found } = self;
        write!(
            f,
            "objects with values of another type than their class declares ({objects}); the first is {address}: expected \
             {declared} in {field}, found {found}"
        )
    }
}

/// The roots that a writer leaves out, by kind.
pub(super) fn omitted_roots(heap: &mut dyn HeapSource, lowering: &Lowering) -> Result<Vec<OmittedRoots>, Error> {
    let counts = lowering.omitted_roots(heap)?;
    Ok(counts.into_iter().map(|(kind, count)| OmittedRoots { kind: kind.to_owned(), count }).collect())
}

fn add_roots(roots: &mut Vec<OmittedRoots>, more: Vec<OmittedRoots>) {
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
        let other = Lowering::new(format, &WriteRequest { profile: Some(name.to_owned()), ..WriteRequest::default() })?;
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
        let has_room = other.requirements(heap.facts()).largest >= lowering.requirements(heap.facts()).largest;
        if !has_room || !other.omitted_roots(heap)?.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

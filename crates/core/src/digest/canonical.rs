//! The canonical records of classes and objects.

use foldhash::{HashMap, HashMapExt};

use crate::compare::Facet;
use crate::compare::facts::{ContentItems, Described, EntryReferences, Fact, FactWalk, GetFact};
use crate::error::Error;
use crate::model::long::Pieces;
use crate::model::{Address, Class, Name, Object};

use super::fields::{ByteSink, CanonicalRecord, CanonicalTag};
use super::selection::FacetSelection;

/// Canonical records of one heap: facts of the whole heap that they need, and room to sort references in.
#[derive(Debug, Default)]
pub(super) struct CanonicalRecords {
    /// The name of the class at each address, where names are wanted.
    names: HashMap<Address, Name>,
    kept: Vec<Address>,
}

impl CanonicalRecords {
    pub(super) fn new(classes: &[Class], wanted: FacetSelection) -> CanonicalRecords {
        let mut names: HashMap<Address, Name> = HashMap::new();
        if wanted.contains(Facet::ClassName) {
            for class in classes {
                // Of two classes at one address, the same one whichever comes first.
                let name = names.entry(class.address).or_insert_with(|| class.name.clone());
                if class.name < *name {
                    *name = class.name.clone();
                }
            }
        }
        CanonicalRecords { names, kept: Vec::new() }
    }

    /// Writes the record of a class, and returns the facets that went in.
    pub(super) fn class<S: ByteSink>(
        &mut self,
        class: &Class,
        wanted: FacetSelection,
        sink: &mut S,
    ) -> Result<FacetSelection, Error> {
        let record = CanonicalRecord::begin(sink, wanted, CanonicalTag::Entry, Some(class.address));
        let (name, kept) = (Some(&class.name), &mut self.kept);
        RecordWriter { record, entry: class, name, kept, inside: false }.write()
    }

    /// Writes the record of an object, and returns the facets that went in.
    ///
    /// # Errors
    /// An error of reading contents that are not held.
    #[inline]
    pub(super) fn object<S: ByteSink>(
        &mut self,
        object: &Object,
        wanted: FacetSelection,
        sink: &mut S,
    ) -> Result<FacetSelection, Error> {
        let record = CanonicalRecord::begin(sink, wanted, CanonicalTag::Entry, Some(object.address));
        let name = class_name(&self.names, object, wanted);
        RecordWriter { record, entry: object, name, kept: &mut self.kept, inside: false }.write()
    }
}

/// A record that is being written.
struct RecordWriter<'p, S, E> {
    record: CanonicalRecord<'p, S>,
    entry: &'p E,
    /// The name that goes in.
    name: Option<&'p Name>,
    kept: &'p mut Vec<Address>,
    /// Whether field values or elements went in, which say all that references do.
    inside: bool,
}

impl<S: ByteSink, E: Described> RecordWriter<'_, S, E> {
    #[inline]
    fn write(mut self) -> Result<FacetSelection, Error> {
        E::walk(&mut self);
        self.record.finish()
    }
}

impl<S: ByteSink, E> RecordWriter<'_, S, E> {
    #[cold]
    fn long_references(&mut self, facet: Facet, all: &Pieces<Address>) -> Result<(), Error> {
        let listed = all.without_nulls()?;
        let listed = if facet == Facet::ReferenceOrder { listed } else { listed.sorted()? };
        self.record.long_addresses(facet, &listed);
        Ok(())
    }
}

/// A missing hash is no field: whether a heap keeps hashes for all objects or only for some is no fact of its own.
impl<S: ByteSink, E> FactWalk<E> for RecordWriter<'_, S, E> {
    #[inline]
    fn unkeyed_fact(&mut self, facet: Facet, get: impl GetFact<E>) {
        let fact = if facet == Facet::ClassName { self.name.map(Fact::Name) } else { get(self.entry) };
        if let Some(fact) = fact {
            self.inside |= matches!((facet, fact), (Facet::FieldValues, Fact::Values(_)) | (Facet::Elements, _))
                && self.record.wants(facet);
            self.record.fact(facet, fact);
        }
    }

    /// The number of null references of a record, if any is listed; the other references, ascending, since they are a
    /// multiset, or in their own order.
    #[inline]
    fn references(&mut self, facet: Facet, get: impl for<'e> Fn(&'e E) -> Option<EntryReferences<'e>>) {
        let Some(references) = get(self.entry).filter(|_| self.record.wants(facet) && !self.inside) else { return };
        if facet == Facet::NullReferences {
            match references.count_nulls() {
                Ok(nulls) => self.record.number(facet, Some(nulls).filter(|&nulls| nulls > 0)),
                Err(error) => self.record.keep(Err(error)),
            }
            return;
        }
        if let Some(long) = references.long_pieces().transpose() {
            let put = long.and_then(|long| self.long_references(facet, &long));
            self.record.keep(put);
            return;
        }
        self.kept.clear();
        match references {
            // Most records have no nulls, and are copied at once.
            EntryReferences::Listed(ContentItems::Held(listed))
            | EntryReferences::Elements(ContentItems::Held(listed)) => {
                self.kept.extend_from_slice(listed);
                if listed.iter().any(|reference| reference.is_null()) {
                    self.kept.retain(|reference| !reference.is_null());
                }
            }
            other => self.kept.extend(other.iter().filter(|reference| !reference.is_null())),
        }
        if facet != Facet::ReferenceOrder {
            self.kept.sort_unstable();
        }
        self.record.addresses(facet, self.kept);
    }
}

/// The name of an object's own class, unless `class` is wanted as well and the class there has that name.
#[inline]
fn class_name<'n>(names: &'n HashMap<Address, Name>, object: &'n Object, wanted: FacetSelection) -> Option<&'n Name> {
    if !wanted.contains(Facet::ClassName) {
        return None;
    }
    let by_class = wanted.contains(Facet::Class);
    let table = |class| names.get(&class);
    match &object.class_name {
        None if by_class => None,
        None => object.class.and_then(table),
        Some(name) if by_class => Some(name).filter(|name| object.class.and_then(table) != Some(name)),
        name => name.as_ref(),
    }
}

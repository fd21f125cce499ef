//! Facts in a listing that the dump does not record.

use std::collections::{BTreeSet, HashMap};

use crate::check::judge::Mismatch;
use heapsmith_core::compare::{Comparison, Facet, NotComparedReason};
use heapsmith_core::model::string_text::strings_without_array;
use heapsmith_core::model::{Address, Heap, Name, Object};

/// Facets that a dump has in a record of their own or not at all: they cannot be worked out.
const OWN: [Facet; 4] = [Facet::VersionText, Facet::HeaderTotals, Facet::HashRandoms, Facet::PrimitiveContents];

/// Rejects facts that the listing has and the dump lacks: a header record, the contents of an array without contents,
/// the word size of a dump without records, or the choice of one of several classes with an object's class name.
pub(super) fn reject_invented(
    right: &Heap,
    told: &Heap,
    left_out: &BTreeSet<Facet>,
    comparison: &Comparison,
) -> Result<(), Mismatch> {
    let is_empty = right.classes.is_empty() && right.objects.is_empty();
    let is_own = |facet: Facet| OWN.contains(&facet) || facet == Facet::WordSize && is_empty;
    let silent = comparison.not_compared.iter().filter(|n| n.why == NotComparedReason::UnknownLeft);
    if let Some(found) = silent.into_iter().find(|n| is_own(n.facet)) {
        return Err(invented_fact(found.facet, None, found.count));
    }
    reject_invented_texts(right, told, left_out)?;
    if left_out.contains(&Facet::Class) {
        return Ok(());
    }
    let mut names: HashMap<&Name, u64> = HashMap::new();
    right.classes.iter().for_each(|class| *names.entry(&class.name).or_default() += 1);
    let is_ambiguous = |name: &Name| names.get(name).is_some_and(|count| *count > 1);
    let open: BTreeSet<Address> = right
        .objects
        .iter()
        .filter(|object| object.class.is_none() && object.class_name.as_ref().is_some_and(is_ambiguous))
        .map(|object| object.address)
        .collect();
    let mut chosen = told.objects.iter().filter(|object| object.class.is_some() && open.contains(&object.address));
    match chosen.next() {
        Some(object) => Err(invented_fact(Facet::Class, Some(object.address.to_string()), 1 + chosen.count() as u64)),
        None => Ok(()),
    }
}

/// Rejects texts of strings whose array is null. An empty one may stand for it.
fn reject_invented_texts(right: &Heap, told: &Heap, left_out: &BTreeSet<Facet>) -> Result<(), Mismatch> {
    let has_text = |object: &&Object| object.text.as_ref().is_some_and(|text| !text.as_bytes().is_empty());
    if left_out.contains(&Facet::StringText) || !told.objects.iter().any(|object| has_text(&object)) {
        return Ok(());
    }
    let without: BTreeSet<Address> = strings_without_array(right).collect();
    let mut invented = told.objects.iter().filter(has_text).filter(|object| without.contains(&object.address));
    match invented.next() {
        Some(object) => {
            let count = 1 + invented.count() as u64;
            Err(invented_fact(Facet::StringText, Some(object.address.to_string()), count))
        }
        None => Ok(()),
    }
}

fn invented_fact(facet: Facet, address: Option<String>, count: u64) -> Mismatch {
    let (expected, found) = ("nothing, since the dump does not record it", "a value");
    Mismatch::facet(facet, address, expected.to_owned(), found.to_owned(), count)
}

//! Numbers of objects, and objects by class.

use std::collections::{BTreeMap, BTreeSet};

use crate::compare::listing::Hex;
use crate::error::Error;
use crate::format::DumpFile;
use crate::model::{Contents, EventKind, Heap, Name, ObjectKind};

use super::super::index::Index;
use super::super::protocol::{Accepted, Count, Counts};
use super::spelling::in_words;
use super::{Differing, Wrong};

/// Judges what an adapter declared to count; names as text, if the heap has them so.
pub(super) fn judge(
    heap: &Heap,
    strings: Option<u64>,
    declared: &[Count],
    accepted: &Accepted,
    has_text: bool,
) -> Result<(), Wrong> {
    let right = Counts { strings, ..counts(heap) };
    let told = accepted.counts.clone().unwrap_or_default();
    let mut wrong = Vec::new();
    for count in Count::ALL.into_iter().filter(|count| declared.contains(count)) {
        if count == Count::Histogram {
            wrong.extend(histogram(heap, accepted, has_text).err().map(Wrong::into_first));
            continue;
        }
        let Some(due) = of(&right, count) else { continue };
        let found = of(&told, count);
        if found != Some(due) {
            let found = found.map_or("nothing, although it is declared".to_owned(), |found| spelled(count, found));
            wrong.push(Wrong::number(count.to_string(), spelled(count, due), found).into_first());
        }
    }
    Wrong::all(wrong).map_or(Ok(()), Err)
}

fn spelled(count: Count, number: u64) -> String {
    match count {
        Count::FieldSum | Count::ElementSum => format!("{number:#x}"),
        _ => number.to_string(),
    }
}

/// One of the counts; none of the histogram.
pub(in crate::check) fn of(counts: &Counts, count: Count) -> Option<u64> {
    match count {
        Count::Classes => counts.classes,
        Count::Instances => counts.instances,
        Count::ObjectArrays => counts.object_arrays,
        Count::PrimitiveArrays => counts.primitive_arrays,
        Count::References => counts.references,
        Count::Roots => counts.roots,
        Count::Strings => counts.strings,
        Count::FieldSum => counts.field_sum.map(|sum| sum.0),
        Count::ElementSum => counts.element_sum.map(|sum| sum.0),
        Count::Histogram => None,
    }
}

/// The counts of a heap, as far as its dump tells them; texts are the file's.
pub(in crate::check) fn counts(heap: &Heap) -> Counts {
    let mut counts = Counts { classes: Some(heap.classes.len() as u64), ..Counts::default() };
    let (mut instances, mut object_arrays, mut primitive_arrays, mut references) = (0, 0, 0, 0);
    let (mut fields, mut elements) = (Some(0_u64), Some(0_u64));
    for object in &heap.objects {
        match object.kind {
            ObjectKind::Instance => instances += 1,
            ObjectKind::ObjectArray => object_arrays += 1,
            ObjectKind::PrimitiveArray(_) => primitive_arrays += 1,
        }
        references += object.references().filter(|address| !address.is_null()).count() as u64;
        let sum = |values: &mut dyn Iterator<Item = u64>| values.fold(0_u64, u64::wrapping_add);
        let add = |total: Option<u64>, more: Option<u64>| Some(total?.wrapping_add(more?));
        match (object.kind, &object.contents) {
            (ObjectKind::Instance, Contents::Fields(values)) => {
                fields = add(fields, Some(sum(&mut values.iter().map(|value| value.bits))));
            }
            (ObjectKind::Instance, _) => fields = None,
            (_, Contents::Elements(list)) => elements = add(elements, Some(sum(&mut list.iter().map(|to| to.0)))),
            (ObjectKind::PrimitiveArray(kind), Contents::Primitives(bytes)) => {
                let number = |bytes: &[u8]| bytes.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
                elements = add(elements, Some(sum(&mut bytes.chunks_exact(kind.size() as usize).map(number))));
            }
            _ => elements = None,
        }
    }
    counts.instances = Some(instances);
    counts.object_arrays = Some(object_arrays);
    counts.primitive_arrays = Some(primitive_arrays);
    counts.references = Some(references);
    counts.roots = heap.surroundings.roots.as_ref().map(|roots| roots.len() as u64);
    counts.field_sum = fields.map(Hex);
    counts.element_sum = elements.map(Hex);
    counts
}

/// The number of different texts in a file with a log, after its heaps too; `None` for a format without one.
pub(in crate::check) fn strings(file: &DumpFile) -> Result<Option<u64>, Error> {
    let whole = file.read()?;
    if whole.dump.heaps.iter().all(|heap| heap.surroundings.events.is_none()) {
        return Ok(None);
    }
    let of_heaps = whole.dump.heaps.iter().flat_map(|heap| heap.surroundings.events.iter().flatten());
    let texts: BTreeSet<&Name> = of_heaps
        .chain(&whole.dump.tail)
        .filter_map(|event| match &event.kind {
            EventKind::Text(_, text) => Some(text),
            _ => None,
        })
        .collect();
    Ok(Some(texts.len() as u64))
}

/// Objects by the name of their class, in the form of Java source. Those of a class without a name, or with an empty one, are
/// not in it.
pub(in crate::check) fn histogram_of(heap: &Heap) -> BTreeMap<Name, u64> {
    let index = Index::new(heap);
    let mut classes = BTreeMap::new();
    for name in heap.objects.iter().filter_map(|object| index.class_name(object)).filter(has_characters) {
        *classes.entry(name).or_default() += 1;
    }
    classes
}

fn has_characters(name: &Name) -> bool {
    !name.as_bytes().is_empty()
}

fn histogram(heap: &Heap, accepted: &Accepted, has_text: bool) -> Result<(), Wrong> {
    let right = histogram_of(heap);
    let Some(told) = &accepted.histogram else {
        return Err(Wrong::answer("a histogram, since it is declared", "none".to_owned()));
    };
    let mut found: BTreeMap<Name, u64> = BTreeMap::new();
    for entry in told.iter().filter(|entry| entry.objects > 0) {
        let name = Name::from(entry.class.clone()).to_java_form();
        if !has_characters(&name) {
            continue;
        }
        let text = if has_text { in_words(&name) } else { None };
        let count = found.entry(text.unwrap_or(name)).or_default();
        *count = count.saturating_add(entry.objects);
    }
    let wrong = |name: &Name| {
        let number = |classes: &BTreeMap<Name, u64>| classes.get(name).copied().unwrap_or(0).to_string();
        Wrong::number(format!("objects of {name}"), number(&right), number(&found))
    };
    let differ: Vec<&Name> = right
        .keys()
        .chain(found.keys().filter(|name| !right.contains_key(*name)))
        .filter(|name| right.get(*name) != found.get(*name))
        .collect();
    match differ.first() {
        Some(name) => Err(Differing { count: differ.len() as u64, ..wrong(name).into_first() }.into()),
        None => Ok(()),
    }
}

//! Numbers of objects, and objects by class.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::declarations::lenient_text;
use crate::check::judge::tally::{ClassTally, ObjectTally};
use crate::check::judge::{Mismatch, WrongFact};
use crate::check::protocol::{Accepted, CountKind, ObjectCounts};
use heapsmith_core::error::Error;
use heapsmith_core::model::{Address, DumpSource, Event, EventKind, HeapSource, Name, TextId};

/// Judges what an adapter declared to count; names as text, if the heap has them so.
pub(super) fn judge(
    source: &mut dyn HeapSource,
    strings: Option<u64>,
    declared: &[CountKind],
    accepted: &Accepted,
    has_text: bool,
) -> Result<Result<(), Mismatch>, Error> {
    let tally = ObjectTally::from_heap(source)?;
    let right = ObjectCounts { strings, ..tally.counts(source) };
    let told = accepted.counts.clone().unwrap_or_default();
    let mut wrong = Vec::new();
    for count in CountKind::ALL.into_iter().filter(|count| declared.contains(count)) {
        if count.is_by_class() {
            let right = tally.histogram(source);
            let open = unrecorded_class_names(source);
            let told = answered_by_class(count, &right, accepted, has_text);
            wrong.extend(
                told.and_then(|told| compare_histogram(count, &right, &open, &told)).err().map(Mismatch::into_first),
            );
            continue;
        }
        let Some(due) = number_of(&right, count) else { continue };
        let found = number_of(&told, count);
        if found != Some(due) {
            let found = found.map_or("nothing, although it is declared".to_owned(), |found| format_count(count, found));
            wrong.push(Mismatch::number(count.to_string(), format_count(count, due), found).into_first());
        }
    }
    Ok(Mismatch::from_facts(wrong).map_or(Ok(()), Err))
}

fn format_count(count: CountKind, number: u64) -> String {
    match count {
        CountKind::FieldSum | CountKind::ElementSum => format!("{number:#x}"),
        _ => number.to_string(),
    }
}

/// The value of a count; `None` for the histograms.
pub(in crate::check) fn number_of(counts: &ObjectCounts, count: CountKind) -> Option<u64> {
    match count {
        CountKind::Classes => counts.classes,
        CountKind::Instances => counts.instances,
        CountKind::ObjectArrays => counts.object_arrays,
        CountKind::PrimitiveArrays => counts.primitive_arrays,
        CountKind::References => counts.references,
        CountKind::Roots => counts.roots,
        CountKind::Strings => counts.strings,
        CountKind::FieldSum => counts.field_sum.map(|sum| sum.0),
        CountKind::ElementSum => counts.element_sum.map(|sum| sum.0),
        CountKind::Histogram | CountKind::HistogramBytes => None,
    }
}

/// The counts of a heap, as far as its dump tells them; texts are the file's.
pub(in crate::check) fn counts_of(source: &mut dyn HeapSource) -> Result<ObjectCounts, Error> {
    Ok(ObjectTally::from_heap(source)?.counts(source))
}

/// The number of different texts in a file with a log, after its heaps too; `None` for a format without one.
pub(in crate::check) fn strings(source: &mut dyn DumpSource) -> Option<u64> {
    let mut has_log = false;
    let mut texts: BTreeSet<Name> = BTreeSet::new();
    let mut add = |events: &[Event]| {
        texts.extend(events.iter().filter_map(|event| match &event.kind {
            EventKind::Text(_, text) => Some(text.clone()),
            _ => None,
        }));
    };
    for number in 0..source.heaps() {
        if let Some(events) = &source.heap(number).surroundings().events {
            has_log = true;
            add(events);
        }
    }
    add(source.tail());
    has_log.then_some(texts.len() as u64)
}

fn is_not_empty(name: &Name) -> bool {
    !name.as_bytes().is_empty()
}

/// The names of classes that only the log has, in the form of Java source: objects may be counted under them or not.
fn unrecorded_class_names(source: &dyn HeapSource) -> BTreeSet<Name> {
    let recorded: BTreeSet<Address> = source.classes().iter().map(|class| class.address).collect();
    let mut texts: BTreeMap<TextId, &Name> = BTreeMap::new();
    let mut names = BTreeSet::new();
    for event in source.surroundings().events.iter().flatten() {
        match &event.kind {
            EventKind::Text(id, text) => _ = texts.insert(*id, text),
            EventKind::LoadClass(loaded) if !recorded.contains(&loaded.class) => {
                names.extend(texts.get(&loaded.name).map(|name| name.to_java_form()));
            }
            _ => {}
        }
    }
    names
}

/// Objects or bytes of each class, as an answer has them.
fn answered_by_class(
    count: CountKind,
    right: &BTreeMap<Name, ClassTally>,
    accepted: &Accepted,
    has_text: bool,
) -> Result<BTreeMap<Name, u64>, Mismatch> {
    let Some(told) = &accepted.histogram else {
        return Err(Mismatch::answer("a histogram, since it is declared", "none".to_owned()));
    };
    let mut found: BTreeMap<Name, u64> = BTreeMap::new();
    for entry in told.iter().filter(|entry| entry.objects > 0) {
        let name = Name::from(entry.class.clone()).to_java_form();
        if !is_not_empty(&name) {
            continue;
        }
        // Where the dump does not record the sizes of a class, its bytes may be absent.
        if count != CountKind::Histogram
            && entry.bytes.is_none()
            && right.get(&name).is_some_and(|right| right.unsized_objects == 0)
        {
            return Err(Mismatch::answer(&format!("the bytes of {name}, since they are declared"), "none".to_owned()));
        }
        let told = if count == CountKind::Histogram { entry.objects } else { entry.bytes.unwrap_or(0) };
        let text = if has_text { lenient_text(&name) } else { None };
        let sum = found.entry(text.unwrap_or(name)).or_default();
        *sum = sum.saturating_add(told);
    }
    Ok(found)
}

fn compare_histogram(
    count: CountKind,
    right: &BTreeMap<Name, ClassTally>,
    open: &BTreeSet<Name>,
    found: &BTreeMap<Name, u64>,
) -> Result<(), Mismatch> {
    let is_judged = |name: &Name| match right.get(name) {
        Some(of_class) => count == CountKind::Histogram || of_class.unsized_objects == 0,
        None => !open.contains(name) && !open.iter().any(|open| lenient_text(open).as_ref() == Some(name)),
    };
    let due = |name: &Name| {
        right.get(name).map_or(0, |right| if count == CountKind::Histogram { right.objects } else { right.bytes })
    };
    let told = |name: &Name| found.get(name).copied().unwrap_or(0);
    let differ: Vec<&Name> = right
        .keys()
        .chain(found.keys().filter(|name| !right.contains_key(*name)))
        .filter(|name| is_judged(name) && due(name) != told(name))
        .collect();
    let Some(name) = differ.first() else { return Ok(()) };
    let what = if count == CountKind::Histogram { "objects" } else { "bytes" };
    let wrong = Mismatch::number(format!("{what} of {name}"), due(name).to_string(), told(name).to_string());
    Err(WrongFact { count: differ.len() as u64, ..wrong.into_first() }.into())
}

#[cfg(test)]
mod tests {
    use heapsmith_core::model::{Heap, LoadClass};

    use super::*;

    /// A class of which only the log knows may have its objects counted under its name, or not.
    #[test]
    fn accepts_any_count_for_class_known_only_from_log() {
        let mut heap = Heap::default();
        let loaded = LoadClass { class: Address(0x1100), name: TextId(7), ..LoadClass::default() };
        let kinds = [EventKind::Text(TextId(7), Name::from_text("[LA;")), EventKind::LoadClass(loaded)];
        heap.surroundings.events = Some(kinds.into_iter().map(|kind| Event::new(0, 0, kind)).collect());
        let source = &heap as &dyn HeapSource;
        let open = unrecorded_class_names(source);
        assert_eq!(open, [Name::from_text("A[]")].into());
        let told = |text: &str| -> Accepted { serde_json::from_str(text).expect("an answer") };
        let right = BTreeMap::<Name, ClassTally>::new();
        let array = told(r#"{"histogram": [{"class": "A[]", "objects": 1}]}"#);
        let judge = |open: &BTreeSet<Name>, told: &Accepted| {
            compare_histogram(
                CountKind::Histogram,
                &right,
                open,
                &answered_by_class(CountKind::Histogram, &right, told, true)?,
            )
        };
        assert!(judge(&open, &array).is_ok());
        assert!(judge(&open, &told(r#"{"histogram": []}"#)).is_ok());
        assert!(judge(&BTreeSet::new(), &array).is_err());
        assert!(judge(&open, &told(r#"{"histogram": [{"class": "B[]", "objects": 1}]}"#)).is_err());
    }
}

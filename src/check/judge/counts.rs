//! Numbers of objects, and objects by class.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::declarations::in_words;
use crate::check::judge::tally::{OfClass, Tally};
use crate::check::judge::{Differing, Wrong};
use crate::check::protocol::{Accepted, Count, Counts};
use crate::error::Error;
use crate::model::{Address, DumpSource, Event, EventKind, HeapSource, Name, TextId};

/// Judges what an adapter declared to count; names as text, if the heap has them so.
pub(super) fn judge(
    source: &mut dyn HeapSource,
    strings: Option<u64>,
    declared: &[Count],
    accepted: &Accepted,
    has_text: bool,
) -> Result<Result<(), Wrong>, Error> {
    let tally = Tally::of(source)?;
    let right = Counts { strings, ..tally.counts(source) };
    let told = accepted.counts.clone().unwrap_or_default();
    let mut wrong = Vec::new();
    for count in Count::ALL.into_iter().filter(|count| declared.contains(count)) {
        if count.is_by_class() {
            let right = tally.histogram(source);
            let open = without_record(source);
            let told = by_class(count, &right, accepted, has_text);
            wrong.extend(told.and_then(|told| histogram(count, &right, &open, &told)).err().map(Wrong::into_first));
            continue;
        }
        let Some(due) = of(&right, count) else { continue };
        let found = of(&told, count);
        if found != Some(due) {
            let found = found.map_or("nothing, although it is declared".to_owned(), |found| spelled(count, found));
            wrong.push(Wrong::number(count.to_string(), spelled(count, due), found).into_first());
        }
    }
    Ok(Wrong::all(wrong).map_or(Ok(()), Err))
}

fn spelled(count: Count, number: u64) -> String {
    match count {
        Count::FieldSum | Count::ElementSum => format!("{number:#x}"),
        _ => number.to_string(),
    }
}

/// The value of a count; `None` for the histograms.
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
        Count::Histogram | Count::HistogramBytes => None,
    }
}

/// The counts of a heap, as far as its dump tells them; texts are the file's.
pub(in crate::check) fn counts(source: &mut dyn HeapSource) -> Result<Counts, Error> {
    Ok(Tally::of(source)?.counts(source))
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

fn has_characters(name: &Name) -> bool {
    !name.as_bytes().is_empty()
}

/// The names of classes that only the log has, in the form of Java source: objects may be counted under them or not.
fn without_record(source: &dyn HeapSource) -> BTreeSet<Name> {
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
fn by_class(
    count: Count,
    right: &BTreeMap<Name, OfClass>,
    accepted: &Accepted,
    has_text: bool,
) -> Result<BTreeMap<Name, u64>, Wrong> {
    let Some(told) = &accepted.histogram else {
        return Err(Wrong::answer("a histogram, since it is declared", "none".to_owned()));
    };
    let mut found: BTreeMap<Name, u64> = BTreeMap::new();
    for entry in told.iter().filter(|entry| entry.objects > 0) {
        let name = Name::from(entry.class.clone()).to_java_form();
        if !has_characters(&name) {
            continue;
        }
        // Where the dump does not record the sizes of a class, its bytes may be absent.
        if count != Count::Histogram
            && entry.bytes.is_none()
            && right.get(&name).is_some_and(|right| right.unsized_objects == 0)
        {
            return Err(Wrong::answer(&format!("the bytes of {name}, since they are declared"), "none".to_owned()));
        }
        let told = if count == Count::Histogram { entry.objects } else { entry.bytes.unwrap_or(0) };
        let text = if has_text { in_words(&name) } else { None };
        let sum = found.entry(text.unwrap_or(name)).or_default();
        *sum = sum.saturating_add(told);
    }
    Ok(found)
}

fn histogram(
    count: Count,
    right: &BTreeMap<Name, OfClass>,
    open: &BTreeSet<Name>,
    found: &BTreeMap<Name, u64>,
) -> Result<(), Wrong> {
    let is_judged = |name: &Name| match right.get(name) {
        Some(of_class) => count == Count::Histogram || of_class.unsized_objects == 0,
        None => !open.contains(name) && !open.iter().any(|open| in_words(open).as_ref() == Some(name)),
    };
    let due = |name: &Name| {
        right.get(name).map_or(0, |right| if count == Count::Histogram { right.objects } else { right.bytes })
    };
    let told = |name: &Name| found.get(name).copied().unwrap_or(0);
    let differ: Vec<&Name> = right
        .keys()
        .chain(found.keys().filter(|name| !right.contains_key(*name)))
        .filter(|name| is_judged(name) && due(name) != told(name))
        .collect();
    let Some(name) = differ.first() else { return Ok(()) };
    let what = if count == Count::Histogram { "objects" } else { "bytes" };
    let wrong = Wrong::number(format!("{what} of {name}"), due(name).to_string(), told(name).to_string());
    Err(Differing { count: differ.len() as u64, ..wrong.into_first() }.into())
}

#[cfg(test)]
mod tests {
    use crate::model::{Heap, LoadClass};

    use super::*;

    /// A class of which only the log knows may have its objects counted under its name, or not.
    #[test]
    fn a_name_that_the_log_alone_has_is_left_open() {
        let mut heap = Heap::default();
        let loaded = LoadClass { class: Address(0x1100), name: TextId(7), ..LoadClass::default() };
        let kinds = [EventKind::Text(TextId(7), Name::from_text("[LA;")), EventKind::LoadClass(loaded)];
        heap.surroundings.events = Some(kinds.into_iter().map(|kind| Event::new(0, 0, kind)).collect());
        let source = &heap as &dyn HeapSource;
        let open = without_record(source);
        assert_eq!(open, [Name::from_text("A[]")].into());
        let told = |text: &str| -> Accepted { serde_json::from_str(text).expect("an answer") };
        let right = BTreeMap::<Name, OfClass>::new();
        let array = told(r#"{"histogram": [{"class": "A[]", "objects": 1}]}"#);
        let judge = |open: &BTreeSet<Name>, told: &Accepted| {
            histogram(Count::Histogram, &right, open, &by_class(Count::Histogram, &right, told, true)?)
        };
        assert!(judge(&open, &array).is_ok());
        assert!(judge(&open, &told(r#"{"histogram": []}"#)).is_ok());
        assert!(judge(&BTreeSet::new(), &array).is_err());
        assert!(judge(&open, &told(r#"{"histogram": [{"class": "B[]", "objects": 1}]}"#)).is_err());
    }
}

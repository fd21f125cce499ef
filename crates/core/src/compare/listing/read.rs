//! Reading a listing.

use std::io::{self, BufRead, Read};

use serde_json::Value;

use crate::compare::Facet;
use crate::compare::facts::{Keyed, ListingHead};
use crate::error::{Error, ListingError};
use crate::model::{Class, Event, Heap, Object, Surroundings};

use super::faults::{FrameKeys, ListingFaults, without_position};
use super::head::{has_class_words, head};
use super::line::ListingLine;

/// A listing that was read.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The first line.
    pub head: ListingHead,
    /// The heap, in file order where places are given, else by address.
    pub heap: Heap,
    /// Number of the first line of a class without a name; its name in the heap is empty.
    pub nameless: Option<u64>,
}

/// Reads a listing.
///
/// # Errors
/// If it does not follow `specs/listing.md`, with the lines and keys at fault ([`ListingError`]), or cannot be read.
pub fn read(input: impl BufRead) -> Result<Listing, Error> {
    read_within(input, u64::MAX)
}

/// The most bytes of the first line. A file that is no listing seldom has line feeds, and an endless input none at all.
const LONGEST_HEAD: u64 = 16 << 20;

/// The most bytes of another line, which may hold the contents of a large array.
const LONGEST_LINE: u64 = 1 << 30;

/// The most bytes of the line with this number.
fn line_limit(number: u64) -> u64 {
    if number == 1 { LONGEST_HEAD } else { LONGEST_LINE }
}

/// Reads a listing whose lines together take about this number of bytes of memory at most.
///
/// # Errors
/// Like [`read`], and if they take more.
pub fn read_within(mut input: impl BufRead, allowed: u64) -> Result<Listing, Error> {
    let mut number = 0;
    let mut lines = std::iter::from_fn(|| {
        number += 1;
        next_line(&mut input, allowed.min(line_limit(number))).transpose().map(|line| (number, line))
    });
    let bad = |line: u64, message: String| Error::from(ListingError::of_line(line, message));
    let wanted = "expected a listing, whose first line has the dump's facts as JSON";
    let (_, first) = lines.next().ok_or_else(|| bad(1, format!("{wanted}; found nothing")))?;
    let first =
        first.map_err(|e| if is_too_long(&e) { endless_line(1, allowed) } else { bad(1, format!("{wanted}; {e}")) })?;
    let mut faults = ListingFaults::default();
    let mut head = read_head(&first, &mut faults).map_err(|e| bad(1, format!("{wanted}; {}", without_position(&e))))?;
    if head.listing != 1 {
        return Err(bad(1, format!("expected listing version 1, found {}", head.listing)));
    }
    let mut entries = ListingEntries::new(&head);
    for (number, line) in lines {
        let line = match line {
            Ok(line) => line,
            Err(e) if is_too_long(&e) => return Err(endless_line(number, allowed)),
            Err(e) => {
                faults.add(number, e.to_string());
                break;
            }
        };
        entries.held += line.len() as u64;
        if entries.held > allowed {
            return Err(beyond_memory(number, allowed));
        }
        match ListingLine::parse(&line) {
            Ok(line) => entries.add(number, line).unwrap_or_else(|e| faults.add(number, e)),
            Err(e) => faults.add_line(number, &line, &e, LINE_FRAME, &|text| ListingLine::parse(text).map(|_| ())),
        }
    }
    if let Some(e) = faults.into_error() {
        return Err(e.into());
    }
    let nameless = entries.nameless;
    let heap = entries.into_heap(&head).map_err(|e| bad(1, e))?;
    if heap.surroundings.roots.is_none() && head.omits.contains(&Facet::Roots) {
        head.omits.push(Facet::RootObjects);
    }
    for ((what, stated), (_, found)) in head.keyed_counts().zip(self::head(&heap).keyed_counts()) {
        if stated.is_some() && stated != found {
            let (stated, found) = (stated.unwrap_or_default(), found.unwrap_or_default());
            return Err(bad(1, format!("expected {stated} {what}, as the first line states, found {found}")));
        }
    }
    Ok(Listing { head, heap, nameless })
}

/// The keys that say which line it is, and what an event has besides.
const LINE_FRAME: FrameKeys<'static> = &[("kind", None), ("after", Some(0)), ("time", Some(0)), ("event", None)];

/// Reads the first line. Of one with values that are wrong little is known.
///
/// # Errors
/// If it is that of no listing.
fn read_head(text: &str, faults: &mut ListingFaults) -> serde_json::Result<ListingHead> {
    let read = |text: &str| serde_json::from_str::<Keyed<'static, ListingHead>>(text);
    match read(text) {
        Ok(head) => Ok(head.into_entry()),
        // A value that is wrong is that of a listing; anything else is none.
        Err(e) if e.is_data() && text.contains("\"listing\"") => {
            faults.add_line(1, text, &e, &[("listing", None)], &|text| read(text).map(|_| ()));
            let version = serde_json::from_str(text).ok().and_then(|head: Value| head["listing"].as_u64());
            let listing = version.and_then(|version| u32::try_from(version).ok()).unwrap_or(1);
            Ok(ListingHead { listing, ..ListingHead::default() })
        }
        Err(e) => Err(e),
    }
}

/// The next line without its end; `None` after the last.
fn next_line(input: &mut impl BufRead, most: u64) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    // With its end.
    if input.take(most.saturating_add(1)).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 > most {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    if line.pop_if(|last| *last == b'\n').is_some() {
        line.pop_if(|last| *last == b'\r');
    }
    String::from_utf8(line)
        .map(Some)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

fn is_too_long(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::OutOfMemory
}

/// The error for a line that is longer than is read.
fn endless_line(line: u64, allowed: u64) -> Error {
    let longest = line_limit(line);
    if longest > allowed {
        return beyond_memory(line, allowed);
    }
    ListingError::of_line(line, format!("expected a line of at most {longest} bytes, found more")).into()
}

fn beyond_memory(line: u64, allowed: u64) -> Error {
    Error::Usage(format!(
        "listing, line {line}: expected at most {allowed} bytes of memory for what is held of it, found more up to here; decompress \
         the listing into a file first, whose own length allows more than that of a compressed one"
    ))
}

/// The memory of a line that is neither a class nor an object, without its names and lists, which are counted by the
/// line's length.
const AROUND: u64 = 256;

/// The entries that the lines so far describe.
struct ListingEntries {
    items: Vec<(u64, ListingItem)>,
    has_class_words: bool,
    placed: bool,
    unplaced: bool,
    nameless: Option<u64>,
    around: Surroundings,
    /// The approximate memory that they take, in bytes.
    held: u64,
}

enum ListingItem {
    /// Boxed, since objects are many and smaller.
    Class(Box<Class>),
    Object(Object),
}

impl ListingItem {
    fn held_bytes(&self) -> u64 {
        // The item goes into the heap once all are known.
        let moved = size_of::<(u64, ListingItem)>() as u64;
        moved
            + match self {
                ListingItem::Class(class) => 2 * class.memory_size() + class.name.as_bytes().len() as u64,
                ListingItem::Object(object) => object.memory_size(),
            }
    }
}

impl ListingEntries {
    /// No entries. Kinds that the head counts are known, even if no line lists any.
    fn new(head: &ListingHead) -> ListingEntries {
        fn known<T>(count: Option<u64>) -> Option<Vec<T>> {
            count.map(|_| Vec::new())
        }
        let [.., roots, threads, traces, regions, events] = head.counts;
        ListingEntries {
            items: Vec::new(),
            has_class_words: has_class_words(head),
            placed: false,
            unplaced: false,
            nameless: None,
            held: 0,
            around: Surroundings {
                roots: known(roots),
                threads: known(threads),
                traces: known(traces),
                regions: known(regions),
                events: known(events),
                times: head.times,
            },
        }
    }

    fn add(&mut self, number: u64, line: ListingLine<'static>) -> Result<(), String> {
        let around = &mut self.around;
        let found = match line {
            ListingLine::Class(line) => {
                if line.nameless {
                    self.nameless = self.nameless.or(Some(number));
                }
                Some((line.record, ListingItem::Class(Box::new(line.into_entry()))))
            }
            ListingLine::Object(line) => {
                let (record, mut object) = (line.record, line.into_entry());
                object.class_word = object.class.filter(|_| self.has_class_words);
                Some((record, ListingItem::Object(object)))
            }
            ListingLine::ObjectArray(line) => Some((line.record, ListingItem::Object(line.into_entry()))),
            ListingLine::PrimitiveArray(line) => Some((line.record, ListingItem::Object(line.into_entry()))),
            ListingLine::Root(line) => {
                around.roots.get_or_insert_default().push(line.to_root()?);
                None
            }
            ListingLine::Thread(line) => {
                around.threads.get_or_insert_default().push(line.into_entry());
                None
            }
            ListingLine::Trace(line) => {
                around.traces.get_or_insert_default().push(line.into_entry());
                None
            }
            ListingLine::Region(line) => {
                around.regions.get_or_insert_default().push(line.into_entry());
                None
            }
            ListingLine::Event(line) => {
                Event::from(*line).append_to(around.events.get_or_insert_default());
                None
            }
        };
        let Some((record, item)) = found else {
            self.held += AROUND;
            return Ok(());
        };
        self.held += item.held_bytes();
        let was_mixed = self.placed && self.unplaced;
        self.placed |= record.is_some();
        self.unplaced |= record.is_none();
        if self.placed && self.unplaced && !was_mixed {
            return Err("expected the key record in every line or in none".to_owned());
        }
        self.items.push((record.unwrap_or(self.items.len() as u64), item));
        Ok(())
    }

    fn into_heap(mut self, head: &ListingHead) -> Result<Heap, String> {
        let mut heap = Heap { facts: head.facts.clone(), surroundings: self.around, ..Heap::default() };
        self.items.sort_by_key(|(place, _)| *place);
        if let Some(twice) = self.items.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(format!("expected each record once, found two lines for record {}", twice[0].0));
        }
        for (_, item) in self.items {
            match item {
                ListingItem::Class(class) => {
                    heap.classes.push(Class { after_objects: Some(heap.objects.len() as u64), ..*class });
                }
                ListingItem::Object(object) => heap.objects.push(object),
            }
        }
        Ok(heap)
    }
}

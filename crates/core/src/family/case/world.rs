//! The ordinary world around a spelled case: the classes that every JVM has, a stack trace and roots, so that a reader that
//! looks for them is tested by the case's subject alone. Its records and lines are spelled by hand in `world.toml` of each
//! format; here they are joined with those of a case.

use serde::Deserialize;
use serde_json::Value;

/// A world for the dumps of one layout.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WorldSheet {
    /// The layout of the dumps that it fits, as [`WorldJoin::layout`] names it.
    layout: String,
    /// A part of a listing that only the cases of this world have. The first world that fits is taken.
    when: Option<String>,
    /// Records that hold the heap, for dumps that have none.
    #[serde(default)]
    frame: Vec<String>,
    /// Of each: a reading, a text in the lines of classes, and what stands in its place under the reading.
    #[serde(default)]
    readings: Vec<[String; 3]>,
    part: Vec<WorldPart>,
}

/// A part of a world, which some cases do without. Each text is a record.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct WorldPart {
    /// Parts of listings: a case with one of them has no need of the part, or has the same itself.
    unless: Vec<String>,
    /// Parts of listings: where there are some, a case with none of them has no need of the part.
    only: Vec<String>,
    log: Vec<String>,
    heap: Vec<String>,
    roots: Vec<String>,
    /// Lines of the log's records. Only the first heap of a file has them.
    log_lines: Vec<String>,
    /// Lines of the stack traces.
    trace_lines: Vec<String>,
    /// Lines of the classes, without `record`.
    lines: Vec<String>,
    /// Lines of the roots, without `after`.
    root_lines: Vec<String>,
}

/// The records of a world that go into a dump.
#[derive(Debug)]
pub struct WorldRecords {
    /// Records outside of heaps.
    pub log: Vec<Vec<u8>>,
    /// Classes, and then the roots of them.
    pub heap: Vec<Vec<u8>>,
    /// Records that hold the heap, for dumps that have none.
    pub frame: Vec<Vec<u8>>,
    /// The addresses of the classes.
    pub addresses: Vec<u64>,
    /// The address of the case's last object, if it has an answer that is a heap.
    pub last_address: Option<u64>,
}

/// How the dumps of a format take a world in.
#[derive(Clone, Copy, Debug)]
pub struct WorldJoin {
    /// The layout of a dump, which a world has to fit: such as its size of identifiers.
    pub layout: fn(&[u8]) -> Option<&'static str>,
    /// The dump with the world; `None` where it has no place for one.
    pub join: fn(&[u8], &WorldRecords) -> Option<JoinedDump>,
}

/// A dump with a world in it.
#[derive(Debug)]
pub struct JoinedDump {
    /// The dump.
    pub bytes: Vec<u8>,
    /// The places of the world, in order.
    pub insertions: Vec<Insertion>,
    /// Whether the world's classes stand in front of the case's own classes and objects, and not after them.
    pub is_in_front: bool,
    /// For each heap, the case's own log records in front of its first object.
    pub log_records: Vec<usize>,
}

/// Bytes of a world in a dump.
#[derive(Clone, Copy, Debug)]
pub struct Insertion {
    /// Their offset in the dump without any.
    pub offset: usize,
    /// Their number.
    pub length: usize,
    /// The records in them.
    pub records: u64,
}

/// A world that is joined with a case.
pub(super) struct JoinedWorld {
    pub(super) dump: JoinedDump,
    log_lines: Vec<String>,
    trace_lines: Vec<String>,
    lines: Vec<String>,
    root_lines: Vec<String>,
    readings: Vec<[String; 3]>,
}

impl WorldSheet {
    /// Whether it is for dumps of a layout, with this listing.
    pub(super) fn fits(&self, layout: &str, listing: &[String]) -> bool {
        self.layout == layout && self.when.as_ref().is_none_or(|when| has(listing, when))
    }

    /// The world around a dump, by the lines of its first listing and what reads words.
    pub(super) fn join(
        &self,
        dump: &[u8],
        listing: &[String],
        join: WorldJoin,
        read: impl Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Result<JoinedWorld, String> {
        let is_needed = |part: &&WorldPart| {
            let is_asked = part.only.is_empty() || part.only.iter().any(|only| has(listing, only));
            is_asked && !part.unless.iter().any(|unless| has(listing, unless))
        };
        let parts: Vec<&WorldPart> = self.part.iter().filter(is_needed).collect();
        let all = |texts: fn(&WorldPart) -> &Vec<String>| parts.iter().copied().flat_map(texts).cloned();
        let records = |texts: Vec<String>| texts.iter().map(|text| read(text)).collect::<Result<Vec<_>, _>>();
        let lines: Vec<String> = all(|part| &part.lines).collect();
        let addresses = lines.iter().map(|line| address(&line_value(line)?)).collect::<Result<_, _>>()?;
        let records = WorldRecords {
            log: records(all(|part| &part.log).collect())?,
            heap: records(all(|part| &part.heap).chain(all(|part| &part.roots)).collect())?,
            frame: records(self.frame.clone())?,
            addresses,
            last_address: last_address(listing)?,
        };
        let dump = (join.join)(dump, &records).ok_or("the dump has no place for a world: the case is bare")?;
        let log_lines = all(|part| &part.log_lines).collect();
        let trace_lines = all(|part| &part.trace_lines).collect();
        let root_lines = all(|part| &part.root_lines).collect();
        Ok(JoinedWorld { dump, log_lines, trace_lines, lines, root_lines, readings: self.readings.clone() })
    }
}

impl JoinedWorld {
    /// The place in the dump of what is at this offset in the case's own bytes.
    pub(super) fn dump_offset(&self, offset: usize) -> usize {
        offset + self.in_front_of(offset).map(|put| put.length).sum::<usize>()
    }

    /// The records that are put in front of an offset of the case's own bytes.
    pub(super) fn records_in_front_of(&self, offset: usize) -> u64 {
        self.in_front_of(offset).map(|put| put.records).sum()
    }

    fn in_front_of(&self, offset: usize) -> impl Iterator<Item = &Insertion> {
        // A finding at the offset 0 is about the file, wherever its first record is.
        self.dump.insertions.iter().filter(move |put| put.offset <= offset && offset > 0)
    }

    /// The lines of a heap's listing, under a reading, with those of the world.
    pub(super) fn listing(&self, lines: &[String], heap: u64, reading: Option<&str>) -> Result<Vec<String>, String> {
        let own = lines.iter().map(|line| line_value(line)).collect::<Result<Vec<Value>, String>>()?;
        let items = own.iter().filter(|line| line.get("record").is_some()).count() as u64;
        let (first, shift) = if self.dump.is_in_front { (0, self.lines.len() as u64) } else { (items, 0) };
        let mut joined = if heap == 0 { self.log_lines.clone() } else { Vec::new() };
        joined.extend(self.trace_lines.iter().cloned());
        for (place, line) in self.lines.iter().enumerate() {
            let read = self.readings.iter().filter(|[name, ..]| Some(name.as_str()) == reading);
            let line = read.fold(line.clone(), |line, [_, stored, read]| line.replace(stored, read));
            joined.push(with_key(line_value(&line)?, "record", first + place as u64)?);
        }
        for line in &self.root_lines {
            joined.push(with_key(line_value(line)?, "after", first + self.lines.len() as u64)?);
        }
        let log_records = self.dump.log_records.get(heap as usize).copied().unwrap_or_default();
        let mut events = 0;
        for mut line in own {
            let is_event = line["kind"] == "event";
            events += usize::from(is_event);
            for key in ["record", "after"] {
                let is_later = !is_event || events > log_records;
                if let (Some(number), true) = (line.get(key).and_then(Value::as_u64), is_later) {
                    line[key] = (number + shift).into();
                }
            }
            joined.push(line.to_string());
        }
        Ok(joined)
    }
}

fn has(listing: &[String], part: &str) -> bool {
    listing.iter().any(|line| line.contains(part))
}

fn line_value(line: &str) -> Result<Value, String> {
    serde_json::from_str(line).map_err(|e| format!("{line}: {e}"))
}

fn with_key(mut line: Value, key: &str, number: u64) -> Result<String, String> {
    let keys = line.as_object_mut().ok_or("a line is an object")?;
    keys.insert(key.to_owned(), number.into());
    Ok(line.to_string())
}

fn address(line: &Value) -> Result<u64, String> {
    let digits = line["address"].as_str().and_then(|address| address.strip_prefix("0x"));
    digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).ok_or(format!("{line}: has no address"))
}

/// The address of the object whose record is the last.
fn last_address(listing: &[String]) -> Result<Option<u64>, String> {
    let mut last = None;
    for line in listing {
        let line = line_value(line)?;
        if let Some(record) = line.get("record").and_then(Value::as_u64)
            && last.is_none_or(|(latest, _)| record > latest)
        {
            last = Some((record, address(&line)?));
        }
    }
    Ok(last.map(|(_, address)| address))
}

//! The choice of one record of a dump, whatever its format.

use std::fmt;
use std::str::FromStr;

use crate::error::{DecodeError, Error};
use crate::model::Address;

use super::{ListedPart, RecordLine, Records};

/// The choice of one record of a dump, whatever its format. It is looked up in the list of a dump's records, which
/// `inspect` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordSelector {
    /// The record of this index, from 0.
    Index(u64),
    /// The record that has the byte at this offset of the decompressed dump: a sub-record, and not the record around it.
    Offset(u64),
    /// The record of the class or object of this address.
    Object(Address),
}

/// A part of a dump that was chosen: a record, or what is no record, such as the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpPart {
    /// The index of the record; `None` if it is none.
    pub record: Option<u64>,
    /// Offset of its first byte.
    pub offset: u64,
    /// Offset after its last byte; of a record with sub-records, after these.
    pub end: u64,
    /// The kind of record, or the part in words.
    pub kind: String,
    /// The address of its class or object.
    pub address: Option<Address>,
}

impl RecordSelector {
    /// The chosen record of a dump whose length may be known.
    ///
    /// # Errors
    /// If the dump has no such record, or several; or if it cannot be read because of the machine.
    pub fn find_record(self, records: Box<dyn Records>, length: Option<u64>) -> Result<DumpPart, Error> {
        let search = self.search(records, length)?;
        match search.found {
            Some(ref part) if part.record.is_some() && !search.is_past(part) => Ok(part.clone()),
            _ => Err(search.refusal()),
        }
    }

    /// The chosen record, or the part that has the chosen byte and is no record.
    ///
    /// # Errors
    /// If the dump has no such record or byte; or if it cannot be read because of the machine.
    pub fn find_part(self, records: Box<dyn Records>, length: Option<u64>) -> Result<DumpPart, Error> {
        let search = self.search(records, length)?;
        match search.found {
            Some(ref part) if !search.is_past(part) => Ok(part.clone()),
            _ => Err(search.refusal()),
        }
    }

    fn search(self, records: Box<dyn Records>, length: Option<u64>) -> Result<RecordSearch, Error> {
        let mut search = RecordSearch::new(self);
        let listed = records.list(&mut |listed| {
            search.visit(listed);
            // Only ends the list.
            if search.is_done { Err(Error::Usage(String::new())) } else { Ok(()) }
        });
        match listed {
            Err(_) if search.is_done => {}
            Err(Error::Decode(error)) if !error.is_machine_fault() => search.stopped = Some(error),
            listed => listed?,
        }
        let end = search.end.max(length.unwrap_or_default());
        search.close(end);
        match search.twin {
            Some(twin) => Err(search.refuse_twins(twin)),
            None => Ok(search),
        }
    }
}

/// A number of a selector: decimal, or hexadecimal after 0x.
///
/// # Errors
/// If it is neither.
pub fn selector_number(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|e| format!("{text}: {e}; it is decimal, or hexadecimal after 0x"))
}

impl FromStr for RecordSelector {
    type Err = String;

    /// `record:N`, `object:ADDRESS`, or an offset.
    fn from_str(text: &str) -> Result<RecordSelector, String> {
        match text.split_once(':') {
            Some(("record", index)) => selector_number(index).map(RecordSelector::Index),
            Some(("object", address)) => {
                selector_number(address).map(|address| RecordSelector::Object(Address(address)))
            }
            Some(_) => Err(format!("{text}: expected OFFSET, record:N or object:ADDRESS")),
            None => selector_number(text).map(RecordSelector::Offset),
        }
    }
}

impl fmt::Display for RecordSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordSelector::Index(index) => write!(f, "record:{index}"),
            RecordSelector::Offset(offset) => write!(f, "{offset:#x}"),
            RecordSelector::Object(address) => write!(f, "object:{address}"),
        }
    }
}

impl DumpPart {
    fn from_listed(listed: ListedPart) -> DumpPart {
        match listed {
            ListedPart::Record(line) => {
                let digits = line.address.as_deref().and_then(|text| text.strip_prefix("0x"));
                let address = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
                DumpPart {
                    record: Some(line.record),
                    offset: line.offset,
                    end: line.offset.saturating_add(line.length),
                    kind: line.kind.trim_start().to_owned(),
                    address: address.map(Address),
                }
            }
            ListedPart::Other { offset, length, what } => DumpPart {
                record: None,
                offset,
                end: offset.saturating_add(length),
                kind: what.to_owned(),
                address: None,
            },
        }
    }
}

impl fmt::Display for DumpPart {
    /// Such as `record 12 (class at 0x1000, offset 0x2b)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DumpPart { record, offset, kind, address, .. } = self;
        let address = address.map(|address| format!(" at {address}")).unwrap_or_default();
        match record {
            Some(record) => write!(f, "record {record} ({kind}{address}, offset {offset:#x})"),
            None => write!(f, "the {kind} (offset {offset:#x})"),
        }
    }
}

/// The search for a chosen record among those that are listed.
struct RecordSearch {
    wanted: RecordSelector,
    found: Option<DumpPart>,
    /// Whether the end of what was found is yet to be seen.
    is_open: bool,
    /// Whether what was found ends where any other part begins: it has no parts of its own.
    is_single: bool,
    is_done: bool,
    /// Another record of the wanted address.
    twin: Option<u64>,
    nearest: Option<DumpPart>,
    records: u64,
    /// The end of all that was listed.
    end: u64,
    /// The error at which reading stopped.
    stopped: Option<DecodeError>,
}

impl RecordSearch {
    fn new(wanted: RecordSelector) -> RecordSearch {
        // Before all that is listed stands the header.
        let header = DumpPart { record: None, offset: 0, end: 0, kind: "header".to_owned(), address: None };
        let found = matches!(wanted, RecordSelector::Offset(_)).then_some(header);
        RecordSearch {
            wanted,
            is_open: found.is_some(),
            found,
            is_single: true,
            is_done: false,
            twin: None,
            nearest: None,
            records: 0,
            end: 0,
            stopped: None,
        }
    }

    fn visit(&mut self, listed: ListedPart) {
        let is_inside = matches!(&listed, ListedPart::Record(line) if line.is_inside());
        let part = DumpPart::from_listed(listed);
        if self.is_open && (self.is_single || !is_inside) {
            self.close(part.offset);
        }
        self.end = self.end.max(part.end);
        self.records += u64::from(part.record.is_some());
        let is_wanted = match self.wanted {
            RecordSelector::Index(index) => part.record == Some(index),
            RecordSelector::Offset(offset) => part.offset <= offset,
            RecordSelector::Object(address) => part.address == Some(address),
        };
        if is_wanted && matches!(self.wanted, RecordSelector::Object(_)) && self.found.is_some() {
            self.twin = part.record;
        }
        self.is_done = self.twin.is_some()
            || self.found.is_some() && !self.is_open && !is_wanted && !matches!(self.wanted, RecordSelector::Object(_));
        if self.is_nearer(&part) {
            self.nearest = Some(part.clone());
        }
        if is_wanted && self.twin.is_none() {
            (self.is_open, self.is_single, self.found) = (true, is_inside, Some(part));
        }
    }

    fn close(&mut self, end: u64) {
        if let Some(found) = self.found.as_mut().filter(|_| self.is_open) {
            found.end = end;
        }
        self.is_open = false;
    }

    /// Whether a record is nearer to what is wanted than any before it.
    fn is_nearer(&self, part: &DumpPart) -> bool {
        let Some(nearest) = self.nearest.as_ref().filter(|_| part.record.is_some()) else {
            return part.record.is_some();
        };
        match self.wanted {
            RecordSelector::Index(_) => true,
            RecordSelector::Offset(offset) => part.offset <= offset,
            RecordSelector::Object(wanted) => {
                let distance = |part: &DumpPart| part.address.map(|address| address.0.abs_diff(wanted.0));
                distance(part).is_some_and(|own| distance(nearest).is_none_or(|other| own < other))
            }
        }
    }

    /// Whether the wanted byte is after what was found. What cannot be read to its end has an unknown one.
    fn is_past(&self, part: &DumpPart) -> bool {
        matches!(self.wanted, RecordSelector::Offset(offset) if offset >= part.end && self.stopped.is_none())
    }

    /// The error that there is no such record.
    fn refusal(&self) -> Error {
        let Some(nearest) = &self.nearest else {
            return Error::Usage(format!("there is no record to choose{}", self.read_so_far()));
        };
        let missing = match self.wanted {
            RecordSelector::Index(index) => {
                let last = self.records - 1;
                format!("there is no record {index}: the dump has records 0 to {last}")
            }
            RecordSelector::Offset(offset) => {
                let place = match &self.found {
                    Some(part) if part.record.is_none() && !self.is_past(part) => format!("in the {}", part.kind),
                    _ => format!("after the end of the dump, which has {0} ({0:#x}) bytes", self.end),
                };
                format!("no record has the byte at offset {offset:#x}, which is {place}")
            }
            RecordSelector::Object(address) => format!("no class or object has the address {address}"),
        };
        Error::Usage(format!("{missing}; the nearest is {nearest}{}", self.read_so_far()))
    }

    fn refuse_twins(&self, twin: u64) -> Error {
        let first = self.found.as_ref().and_then(|part| part.record).unwrap_or_default();
        let (wanted, index) = (self.wanted, RecordSelector::Index(first));
        Error::Usage(format!(
            "{wanted} is the address of several records: {first}, {twin}; choose one by its index, as {index}"
        ))
    }

    fn read_so_far(&self) -> String {
        let stopped = self.stopped.as_ref().map(|error| format!("; reading stops before the end: {error}"));
        stopped.unwrap_or_default()
    }
}

impl RecordLine {
    /// Whether the record is a part of another one, such as a sub-record. Lists show it by an indent.
    pub fn is_inside(&self) -> bool {
        self.kind.starts_with(' ')
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use pretty_assertions::assert_eq;

    use super::*;
    use crate::error::{Problem, RuleId};

    /// A list of a header of 16 bytes, a record, a record of 30 bytes with two sub-records, another record, and an end.
    struct Listed {
        is_cut: bool,
    }

    impl Records for Listed {
        fn copy(self: Box<Self>, _: &mut dyn Write) -> Result<Option<DecodeError>, Error> {
            Ok(None)
        }

        fn list(self: Box<Self>, each: &mut dyn FnMut(ListedPart) -> Result<(), Error>) -> Result<(), Error> {
            let lines = [
                (16, 4, "TEXT", None),
                (20, 30, "DUMP", None),
                (25, 10, "  CLASS", Some("0x1000")),
                (35, 15, "  OBJECT", Some("0x2000")),
                (50, 5, "TEXT", None),
            ];
            for (record, (offset, length, kind, address)) in lines.into_iter().enumerate() {
                each(ListedPart::Record(RecordLine {
                    record: record as u64,
                    offset,
                    length,
                    kind: kind.to_owned(),
                    address: address.map(str::to_owned),
                    fields: Vec::new(),
                }))?;
            }
            if self.is_cut {
                let problem = Problem::Unexpected { expected: "a".to_owned(), found: "b".to_owned() };
                return Err(DecodeError::new(RuleId("rule"), 55, "tag", problem).into());
            }
            each(ListedPart::Other { offset: 55, length: 1, what: "end" })
        }
    }

    fn find(text: &str) -> Result<(u64, u64, u64), String> {
        let selector: RecordSelector = text.parse()?;
        let found = selector.find_record(Box::new(Listed { is_cut: false }), None).map_err(|e| e.to_string())?;
        Ok((found.record.expect("a record"), found.offset, found.end))
    }

    #[test]
    fn finds_record_by_index_byte_and_address() {
        for (text, found) in [
            ("record:0", (0, 16, 20)),
            ("record:1", (1, 20, 50)),
            ("record:3", (3, 35, 50)),
            ("record:4", (4, 50, 55)),
            ("16", (0, 16, 20)),
            ("0x13", (0, 16, 20)),
            ("20", (1, 20, 50)),
            ("24", (1, 20, 50)),
            ("25", (2, 25, 35)),
            ("49", (3, 35, 50)),
            ("54", (4, 50, 55)),
            ("object:0x1000", (2, 25, 35)),
            ("object:8192", (3, 35, 50)),
        ] {
            assert_eq!(find(text), Ok(found), "{text}");
        }
    }

    #[test]
    fn names_nearest_record_where_there_is_none() {
        for (text, message) in [
            (
                "record:5",
                "there is no record 5: the dump has records 0 to 4; the nearest is record 4 (TEXT, offset 0x32)",
            ),
            (
                "3",
                "no record has the byte at offset 0x3, which is in the header; the nearest is record 0 (TEXT, offset 0x10)",
            ),
            (
                "55",
                "no record has the byte at offset 0x37, which is in the end; the nearest is record 4 (TEXT, offset 0x32)",
            ),
            (
                "56",
                "no record has the byte at offset 0x38, which is after the end of the dump, which has 56 (0x38) bytes; the \
                 nearest is record 4 (TEXT, offset 0x32)",
            ),
            (
                "object:0x1900",
                "no class or object has the address 0x1900; the nearest is record 3 (OBJECT at 0x2000, offset 0x23)",
            ),
            ("object:x", "x: invalid digit found in string; it is decimal, or hexadecimal after 0x"),
            ("root:1", "root:1: expected OFFSET, record:N or object:ADDRESS"),
        ] {
            assert_eq!(find(text), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn finds_part_that_is_no_record() {
        for (offset, kind, place) in [(0, "header", (0, 16)), (15, "header", (0, 16)), (55, "end", (55, 56))] {
            let found = RecordSelector::Offset(offset).find_part(Box::new(Listed { is_cut: false }), None);
            let found = found.expect("it is there");
            assert_eq!((found.record, found.kind.as_str(), (found.offset, found.end)), (None, kind, place));
        }
    }

    #[test]
    fn finds_last_record_before_the_end_of_reading() {
        let cut = || Box::new(Listed { is_cut: true });
        let found = RecordSelector::Offset(58).find_part(cut(), Some(70)).expect("the last record");
        assert_eq!((found.record, found.offset), (Some(4), 50));
        let message = RecordSelector::Index(7).find_part(cut(), Some(70)).expect_err("there is none").to_string();
        assert!(
            message.contains("0 to 4; the nearest is record 4") && message.contains("; reading stops"),
            "{message}"
        );
    }
}

//! A field of a dump, with its kind of record, its number and its address.

use std::collections::HashMap;
use std::fmt;
use std::io::Read;
use std::ops::Range;

use heapsmith_core::error::Error;
use heapsmith_core::format::DumpFile;
use heapsmith_core::input::Input;

/// A field by the kind of its record and its name; of any kind of record without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProbedFieldKey {
    pub part: Option<&'static str>,
    pub name: &'static str,
}

impl ProbedFieldKey {
    /// The key, and that of the fields of this name in any record.
    pub fn general(self) -> [ProbedFieldKey; 2] {
        [self, ProbedFieldKey { part: None, ..self }]
    }
}

/// A field in words: `the gap of a medium object`.
impl fmt::Display for ProbedFieldKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            Some(part) => write!(f, "the {} of {part}", self.name),
            None => write!(f, "a field {}", self.name),
        }
    }
}

/// A field of a dump.
#[derive(Clone, Debug)]
pub struct ProbedField {
    pub at: Range<usize>,
    pub record: Option<u64>,
    /// The kind of record, or the part of the file.
    pub part: &'static str,
    pub name: &'static str,
    /// Its bytes as a number, where they are one: unsigned, as wide as the field.
    pub number: Option<u64>,
    /// The address that it leads to, or that it gives to its record.
    pub address: Option<u64>,
    /// Whether it is a float or a double.
    pub is_float: bool,
}

impl ProbedField {
    pub fn key(&self) -> ProbedFieldKey {
        ProbedFieldKey { part: Some(self.part), name: self.name }
    }
}

/// The records, each with the places of its fields.
pub fn records(fields: &[ProbedField]) -> Vec<Range<usize>> {
    let mut records: Vec<Range<usize>> = Vec::new();
    for (place, field) in fields.iter().enumerate().filter(|(_, field)| field.record.is_some()) {
        match records.last_mut() {
            Some(last) if fields[last.start].record == field.record && last.end == place => last.end += 1,
            _ => records.push(place..place + 1),
        }
    }
    records
}

/// The first and the last number of each kind of field in a record.
pub fn list_ends(record: &[ProbedField]) -> HashMap<ProbedFieldKey, [u64; 2]> {
    let mut ends: HashMap<ProbedFieldKey, [u64; 2]> = HashMap::new();
    for field in record {
        if let Some(number) = field.number {
            ends.entry(field.key()).or_insert([number; 2])[1] = number;
        }
    }
    ends
}

/// The number that up to eight bytes are, the most significant first.
pub fn binary_number(bytes: &[u8]) -> Option<u64> {
    (1..=8).contains(&bytes.len()).then(|| bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// The fields of a dump, as far as it can be read. Fields of a record have the record's kind, wherever in it that is said.
///
/// # Errors
/// If the machine cannot read it.
pub fn fields(file: &DumpFile, plain: &[u8]) -> Result<Vec<ProbedField>, Error> {
    let family = file.family();
    let mut fields: Vec<ProbedField> = Vec::new();
    let mut part = "header";
    let mut begun = 0;
    let mut is_named = false;
    let read = file.annotate(&mut |field| {
        if field.breaks.is_some() && field.bytes.is_empty() {
            return Ok(());
        }
        let start = field.offset as usize;
        let at = start.min(plain.len())..(start + field.bytes.len()).min(plain.len());
        if fields.last().is_none_or(|last| last.record != field.record) {
            begun = fields.len();
            is_named = false;
            part = if field.record.is_some() { "record" } else { part };
        }
        // A record is of one kind: in classic text the type of a class is no array.
        if let Some(named) = family.part(&field).filter(|_| !is_named) {
            is_named = field.record.is_some();
            part = named;
            fields[begun..].iter_mut().filter(|_| field.record.is_some()).for_each(|earlier| earlier.part = named);
        }
        let number = field.value.map(|value| match binary_number(&plain[at.clone()]) {
            // Text says a number by its digits.
            Some(number) if number << (64 - 8 * at.len()) == (value as u64) << (64 - 8 * at.len()) => number,
            _ => value as u64,
        });
        let address = field.meaning.split_once("0x").and_then(|(_, rest)| {
            let digits = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
            u64::from_str_radix(&rest[..digits], 16).ok()
        });
        // `float 0.5`, and `ratio = float 0.5` where it is a field of that name.
        let value = field.meaning.rsplit(" = ").next().unwrap_or_default();
        let is_float = value.starts_with("float ") || value.starts_with("double ");
        fields.push(ProbedField { at, record: field.record, part, name: field.name, number, address, is_float });
        Ok(())
    });
    unless_damaged(read)?;
    Ok(fields)
}

/// Takes damage for the end of what can be read.
///
/// # Errors
/// If it is another error than damage.
pub fn unless_damaged(read: Result<(), Error>) -> Result<(), Error> {
    match read {
        Err(Error::Decode(error)) if !error.is_machine_fault() => Ok(()),
        read => read,
    }
}

/// The first bytes of a compressed dump, at most this number of them.
///
/// # Errors
/// If it cannot be opened.
pub fn decompressed(input: &Input, most: u64) -> Result<Vec<u8>, Error> {
    let mut plain = Vec::new();
    let mut stream = input.stream()?.take(most);
    // What is damaged is read as far as it goes.
    let _read = stream.read_to_end(&mut plain);
    Ok(plain)
}

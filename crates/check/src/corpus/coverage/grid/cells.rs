//! The cells of a format: what each case has of each field and record.

use std::collections::{BTreeMap, HashMap, HashSet};

use heapsmith_core::error::Error;
use heapsmith_core::family::ReadOptions;
use heapsmith_core::format::{DumpFile, Family};
use heapsmith_core::input::Input;

use super::GridCell;
use super::rows::{AppliesTo, GridRow, ROWS, RowTest};
use crate::corpus::{Case, CaseVerdict, LargeCase, RightAnswer};
use crate::fields::{
    FieldListEnd, ProbedField, ProbedFieldKey, binary_number, decompressed, fields, list_ends, records, visit_relations,
};

/// The most bytes of a compressed case.
const LARGEST: u64 = 64 << 20;

/// The power of 2 that is the smallest multiple across which a field may lie.
const SMALLEST_BUFFER: u32 = 12;

/// The most bytes of a dump that is made of a case too large to be stored.
const LARGEST_MADE: u64 = 5 << 18;

/// The most bytes and the most parts of such a case that is made as it is.
const LARGEST_WHOLE: u64 = 32 << 20;
const MOST_WHOLE: u64 = 65_535;

/// Rows by their places in [`ROWS`], as bits.
type RowSet = u128;

/// What is known of each field and record of a format.
pub(super) struct FormatCells {
    format: Family,
    fields: BTreeMap<ProbedFieldKey, FieldCells>,
    records: BTreeMap<&'static str, RecordCells>,
    ids: Vec<String>,
}

/// A field over all cases.
#[derive(Default)]
struct FieldCells {
    /// By their places among the ids.
    cases: RowCases,
    first: Option<Vec<u8>>,
    varies: bool,
    is_binary: bool,
    is_wide: bool,
    is_digits: bool,
    is_hex: bool,
    is_text: bool,
    is_address: bool,
    is_no_address: bool,
    is_wide_address: bool,
    is_list: bool,
    is_float: bool,
    is_flags: bool,
}

/// A kind of record over all cases.
#[derive(Default)]
struct RecordCells {
    cases: RowCases,
    /// Whether it is a record, and no part of the header or the end.
    is_record: bool,
}

/// What one dump has.
struct DumpCells<'d> {
    fields: &'d [ProbedField],
    plain: &'d [u8],
    rows: HashMap<ProbedFieldKey, RowSet>,
    parts: HashMap<&'static str, RowSet>,
}

impl FormatCells {
    /// The cells of a format by these cases.
    ///
    /// # Errors
    /// If a case cannot be read, which is a defect.
    pub(super) fn from_cases(format: Family, cases: &[Case], large: &[LargeCase]) -> Result<FormatCells, Error> {
        // What a dump has that has to be refused, no listing shows.
        let is_read = |case: &&Case| {
            case.format.family() == format && case.answers.iter().any(|answer| matches!(answer, RightAnswer::Reads(..)))
        };
        let mut own: Vec<&Case> = cases.iter().filter(is_read).collect();
        own.sort_by(|one, other| (one.bytes.len(), &one.id).cmp(&(other.bytes.len(), &other.id)));
        let records = format.parts().into_iter();
        let records = records.map(|part| (part, RecordCells::default())).collect();
        let mut cells = FormatCells { format, fields: BTreeMap::new(), records, ids: Vec::new() };
        for case in own {
            Error::check_stop()?;
            cells.add(&case.id, case.bytes.clone(), case.heap.is_some())?;
        }
        for case in large.iter().filter(|case| case.format.family() == format && case.verdict != CaseVerdict::Invalid) {
            Error::check_stop()?;
            cells.add_large(case)?;
        }
        Ok(cells)
    }

    /// All cells, by record, field and row.
    pub(super) fn into_cells(self) -> Vec<GridCell> {
        let cell = |row: &GridRow, record, field, case: Option<u32>| GridCell {
            dimension: row.name,
            format: self.format.name(),
            record,
            field,
            case: case.map(|place| self.ids[place as usize].clone()),
            why: None,
            open: false,
        };
        let mut cells = Vec::new();
        for (&record, known) in self.records.iter().filter(|(_, known)| known.is_record) {
            let rows = ROWS.iter().enumerate().filter(|(_, row)| row.applies == AppliesTo::Record);
            cells.extend(rows.map(|(place, row)| cell(row, record, None, known.cases.0[place])));
        }
        for (key, known) in self.fields.iter().filter(|(key, _)| !key.name.ends_with("tag")) {
            let rows = ROWS.iter().enumerate().filter(|(_, row)| known.is_of(row.applies));
            cells.extend(
                rows.map(|(place, row)| cell(row, key.part.unwrap_or_default(), Some(key.name), known.cases.0[place])),
            );
        }
        cells
    }

    fn add(&mut self, id: &str, bytes: Vec<u8>, has_several_heaps: bool) -> Result<(), Error> {
        let input = Input::from_memory(id, bytes.clone());
        let Ok(file) = DumpFile::new(input.clone(), ReadOptions::default()) else { return Ok(()) };
        let plain = if input.is_compressed() { decompressed(&input, LARGEST)? } else { bytes };
        let all = fields(&file, &plain)?;
        let mut dump = DumpCells { fields: &all, plain: &plain, rows: HashMap::new(), parts: HashMap::new() };
        dump.work_out(has_several_heaps);
        let DumpCells { rows, parts, .. } = dump;
        self.ids.push(id.to_owned());
        let place = self.ids.len() as u32 - 1;
        for field in &all {
            self.fields.entry(field.key()).or_default().learn(field, &plain, place);
        }
        for record in records(&all) {
            let mut members: HashMap<ProbedFieldKey, u64> = HashMap::new();
            all[record].iter().for_each(|field| *members.entry(field.key()).or_default() += 1);
            let lists = members.into_iter().filter(|(_, count)| *count > 1);
            lists.for_each(|(key, _)| self.fields.entry(key).or_default().is_list = true);
        }
        for (key, rows) in rows {
            self.fields.entry(key).or_default().cases.set(rows, place);
        }
        for (part, known) in &mut self.records {
            match parts.get(part) {
                Some(rows) => {
                    known.is_record = true;
                    known.cases.set(*rows, place);
                }
                None => known.cases.set(bits(|row| row.test == RowTest::NoRecord), place),
            }
        }
        Ok(())
    }

    /// What a dump has that is too large to be made here: two smaller ones of the same make show what grows, and a prefix of the
    /// large one is much like the larger of these.
    fn add_large(&mut self, case: &LargeCase) -> Result<(), Error> {
        if case.n <= MOST_WHOLE && case.size().is_some_and(|size| size < LARGEST_WHOLE) {
            return self.add(&case.id, case.bytes()?, case.heap().is_some());
        }
        let mut more = case.small.max(1) * 2;
        while more < case.n / 2 && case.with_size(2 * more).size().is_some_and(|size| size < LARGEST_MADE) {
            more *= 2;
        }
        let fewer = more / 2;
        let mut counts: [BTreeMap<&'static str, u64>; 2] = Default::default();
        let mut across: BTreeMap<&'static str, RowSet> = BTreeMap::new();
        for (size, counts) in [fewer, more].into_iter().zip(&mut counts) {
            let bytes = case.with_size(size).bytes()?;
            let Ok(file) = DumpFile::new(Input::from_memory(&case.id, bytes.clone()), ReadOptions::default()) else {
                return Ok(());
            };
            let all = fields(&file, &bytes)?;
            let mut dump = DumpCells { fields: &all, plain: &bytes, rows: HashMap::new(), parts: HashMap::new() };
            dump.add_records(false);
            across.extend(dump.parts);
            records(&all).into_iter().for_each(|record| *counts.entry(all[record.start].part).or_default() += 1);
        }
        self.ids.push(case.id.clone());
        let place = self.ids.len() as u32 - 1;
        for (part, count) in &counts[1] {
            let grown = count.saturating_sub(counts[0].get(part).copied().unwrap_or_default());
            let reached = count.saturating_add(grown.saturating_mul(case.n.saturating_sub(more)) / fewer.max(1));
            let straddles = bits(|row| matches!(row.test, RowTest::Straddles(_)));
            let rows = bits(|row| matches!(row.test, RowTest::Records(least) if reached >= least))
                | across.get(part).copied().unwrap_or_default() & straddles;
            if let Some(known) = self.records.get_mut(part) {
                known.cases.set(rows, place);
            }
        }
        Ok(())
    }
}

impl FieldCells {
    fn learn(&mut self, field: &ProbedField, plain: &[u8], place: u32) {
        let bytes = &plain[field.at.clone()];
        match &self.first {
            None => self.first = Some(bytes.to_vec()),
            Some(first) if !self.varies && first != bytes => {
                self.varies = true;
                self.cases.set(bits(|row| row.test == RowTest::Varies), place);
            }
            Some(_) => {}
        }
        self.is_wide |= bytes.len() >= 2;
        self.is_float |= field.is_float;
        self.is_flags |= field.name.ends_with("flags");
        // In a text an address may be written, and flags may be those of something at one.
        let is_none = field.number.is_some_and(|number| number > 0) && field.address.is_none();
        self.is_address |= field.number.is_some() && field.address.is_some();
        self.is_no_address |= is_none;
        self.is_wide_address |= field.address.is_some_and(|address| address >> 32 != 0);
        match field.number {
            None => self.is_text |= !bytes.is_empty() && field.address.is_none(),
            Some(number) if binary_number(bytes) == Some(number) => self.is_binary = true,
            Some(_) => {
                self.is_digits = true;
                self.is_hex |= bytes.windows(2).any(|two| matches!(two, b"0x" | b"0X"));
            }
        }
    }

    fn is_of(&self, applies: AppliesTo) -> bool {
        if applies == AppliesTo::EveryField {
            return true;
        }
        self.varies
            && match applies {
                AppliesTo::EveryField => true,
                AppliesTo::Binary => self.is_binary,
                AppliesTo::WideBinary => self.is_binary && self.is_wide,
                AppliesTo::Digits => self.is_digits,
                AppliesTo::HexDigits => self.is_hex,
                AppliesTo::Address => self.is_address && !self.is_no_address,
                AppliesTo::WideAddress => self.is_wide_address && self.is_address && !self.is_no_address,
                AppliesTo::Text => self.is_text,
                AppliesTo::List => self.is_list,
                AppliesTo::Float => self.is_float,
                AppliesTo::Flags => self.is_flags,
                AppliesTo::Record => false,
            }
    }
}

impl DumpCells<'_> {
    fn work_out(&mut self, has_several_heaps: bool) {
        self.add_values();
        self.add_lists();
        self.add_neighbours();
        let (rows, plain) = (&mut self.rows, self.plain);
        visit_relations(self.fields, plain, &mut |_, key, relation| {
            *rows.entry(key).or_default() |= bits(|row| row.test == RowTest::Relation(relation));
        });
        self.add_records(has_several_heaps);
    }

    fn add_values(&mut self) {
        for field in self.fields {
            let bytes = &self.plain[field.at.clone()];
            let is_binary = field.number.is_some_and(|number| binary_number(bytes) == Some(number));
            let width = is_binary.then_some(8 * bytes.len() as u32);
            let found = bits(|row| match row.test {
                RowTest::Number(test) if row.applies == AppliesTo::Address => {
                    field.address.is_some_and(|address| test.holds(address, width))
                }
                RowTest::Number(test) => field.number.is_some_and(|number| test.holds(number, width)),
                RowTest::Text(test) if row.applies == AppliesTo::Text => field.number.is_none() && test.holds(bytes),
                RowTest::Text(test) => !is_binary && test.holds(bytes),
                RowTest::OddEnd(end) => field.number.is_none() && is_odd(bytes, end),
                RowTest::Float(test) => {
                    field.is_float && field.number.is_some_and(|number| test.holds(number, bytes.len()))
                }
                _ => false,
            });
            *self.rows.entry(field.key()).or_default() |= found;
        }
    }

    fn add_lists(&mut self) {
        for record in records(self.fields) {
            let record = &self.fields[record];
            let mut members: HashMap<ProbedFieldKey, u64> = HashMap::new();
            record.iter().for_each(|field| *members.entry(field.key()).or_default() += 1);
            for (&key, &count) in &members {
                *self.rows.entry(key).or_default() |= bits(|row| match row.test {
                    RowTest::OneMember => count == 1,
                    RowTest::Members(least) => count >= least,
                    _ => false,
                });
            }
            for (key, [first, last]) in list_ends(record).into_iter().filter(|(key, _)| members[key] > 1) {
                *self.rows.entry(key).or_default() |= bits(|row| match row.test {
                    RowTest::ZeroAtEnd(FieldListEnd::First) => first == 0,
                    RowTest::ZeroAtEnd(FieldListEnd::Last) => last == 0,
                    _ => false,
                });
            }
        }
    }

    /// Values that are far from each other, equal in part, or equal texts.
    fn add_neighbours(&mut self) {
        let addresses = || self.fields.iter().filter_map(|field| Some((field.key(), field.address?)));
        let mut highs: HashMap<u32, HashSet<u32>> = HashMap::new();
        for (_, address) in addresses() {
            highs.entry(address as u32).or_default().insert((address >> 32) as u32);
        }
        let mut before: HashMap<ProbedFieldKey, u64> = HashMap::new();
        let mut found: Vec<(ProbedFieldKey, RowTest)> = Vec::new();
        for (key, address) in addresses().filter(|(_, address)| *address > 0) {
            if before.insert(key, address).is_some_and(|before| before.abs_diff(address) >= 1 << 31) {
                found.push((key, RowTest::Far));
            }
            if address as u32 != 0 && highs.get(&(address as u32)).is_some_and(|highs| highs.len() > 1) {
                found.push((key, RowTest::EqualLowHalf));
            }
        }
        let mut texts: HashMap<ProbedFieldKey, HashMap<&[u8], Option<u64>>> = HashMap::new();
        for field in self.fields.iter().filter(|field| field.number.is_none() && field.at.len() > 1) {
            let known = texts.entry(field.key()).or_default();
            if *known.entry(&self.plain[field.at.clone()]).or_insert(field.record) != field.record {
                found.push((field.key(), RowTest::TextAgain));
            }
        }
        for (key, test) in found {
            *self.rows.entry(key).or_default() |= bits(|row| row.test == test);
        }
    }

    fn add_records(&mut self, has_several_heaps: bool) {
        let parts: Vec<&'static str> =
            records(self.fields).into_iter().map(|record| self.fields[record.start].part).collect();
        let mut counts: HashMap<&'static str, u64> = HashMap::new();
        parts.iter().for_each(|part| *counts.entry(part).or_default() += 1);
        let mut across: HashMap<&'static str, RowSet> = HashMap::new();
        for field in self.fields.iter().filter(|field| field.at.end > field.at.start) {
            let (start, last) = (field.at.start, field.at.end - 1);
            // Most fields lie across no multiple at all.
            if start >> SMALLEST_BUFFER != last >> SMALLEST_BUFFER {
                *across.entry(field.part).or_default() |=
                    bits(|row| matches!(row.test, RowTest::Straddles(bits) if start >> bits != last >> bits));
            }
        }
        for (&part, &count) in &counts {
            *self.parts.entry(part).or_default() |= across.get(part).copied().unwrap_or_default();
            *self.parts.entry(part).or_default() |= bits(|row| match row.test {
                RowTest::OnlyRecord => count == 1,
                RowTest::Records(least) => count >= least,
                RowTest::SeveralHeaps => has_several_heaps,
                RowTest::FirstRecord => parts.first() == Some(&part),
                RowTest::LastRecord => parts.last() == Some(&part),
                RowTest::InARow => parts.windows(2).any(|two| two == [part, part]),
                _ => false,
            });
        }
    }
}

/// Whether a text begins, or ends, with something else than an ASCII letter, a digit or what stands at an end of a type's name.
fn is_odd(text: &[u8], end: FieldListEnd) -> bool {
    let byte = match end {
        FieldListEnd::First => text.first(),
        FieldListEnd::Last => text.last(),
    };
    byte.is_some_and(|byte| {
        !byte.is_ascii_alphanumeric() && !matches!(byte, b'[' | b';' | b'$' | b'_' | b'<' | b'>' | b'(' | b')')
    })
}

/// The rows for which something holds.
fn bits(mut holds: impl FnMut(&GridRow) -> bool) -> RowSet {
    ROWS.iter().enumerate().filter(|(_, row)| holds(row)).fold(0, |set, (place, _)| set | 1 << place)
}

/// The case of each row.
struct RowCases([Option<u32>; ROWS.len()]);

impl Default for RowCases {
    fn default() -> Self {
        RowCases([None; ROWS.len()])
    }
}

impl RowCases {
    /// Gives rows a case that have none yet.
    fn set(&mut self, rows: RowSet, case: u32) {
        let lacking = self.0.iter_mut().enumerate().filter(|(place, known)| rows >> place & 1 == 1 && known.is_none());
        lacking.for_each(|(_, known)| *known = Some(case));
    }
}

//! Mutations: changes by chance in a dump whose fields are known.
//!
//! An edit breaks one rule at a place that is known before. A mutation changes what a field, a record or the end of the file is,
//! whatever comes of it: the dump may stay valid, and what it means then is for a decoder to say.

mod related;
mod sound;
mod whole;

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::FixedState;

use crate::annotation::{Annotation, Meanings, is_length};
use crate::bytes::gzip;
use crate::draw::{Draw, DrawStream, SeedDraw};
use crate::error::Error;

use super::{Family, Opener};

pub(crate) use sound::{crossed_over, mutated_soundly, record_places, scrambled, shortened};

/// Numbers at which readers go wrong; those that do not fit a field are cut off.
const NUMBERS: [u64; 17] = [
    0,
    1,
    2,
    3,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x2000_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// Such numbers in decimal digits, with those that take more than a double, 63 and 64 bits.
const DECIMALS: [&str; 12] = [
    "0",
    "1",
    "3",
    "12",
    "2147483647",
    "2147483648",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "-1",
];

/// Such numbers in hexadecimal digits.
const HEXADECIMALS: [&str; 9] = [
    "0",
    "00000000000000000010",
    "7fffffff",
    "80000000",
    "FFFFFFFF",
    "100000000",
    "8000000000000000",
    "ffffffffffffffff",
    "10000000000000000",
];

/// Snippets that are put into a text: white space of several kinds, characters that end something, and bytes that are
/// no UTF-8, no modified UTF-8, or neither.
const SNIPPETS: [&[u8]; 20] = [
    b"\0",
    b" ",
    b"\t",
    b"\n",
    b"\r\n",
    b"\x85",
    b"\xa0",
    b"\xc2\xa0",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"\xff",
    b"/",
    b".",
    b"[",
    b"]",
    b";",
    b"#",
    b"0",
    b"$1",
];

/// Seeds from here to [`REARRANGED`] leave out records by their kind, as a writer does that has none of it.
pub const THINNED: u64 = 1 << 20;
/// Seeds from here to [`RELATED`] add a heap, move records, or change a number wherever it stands.
pub const REARRANGED: u64 = 2 * THINNED;
/// Seeds from here on give a field the value of another one of its record, or leave few records.
pub const RELATED: u64 = 3 * THINNED;

/// A field of the dump as it is now.
struct MutationField {
    at: Range<usize>,
    record: Option<u64>,
    name: &'static str,
    value: Option<i64>,
}

/// A dump with one change or a few, drawn by a seed, or with one that concerns it as a whole ([`THINNED`], [`REARRANGED`]) or what
/// belongs together ([`RELATED`]); `None` where it has no fields, or is the same afterwards.
///
/// # Errors
/// If the dump cannot be read because of the machine.
pub fn mutated(family: Family, dump: &[u8], seed: u64) -> Result<Option<Vec<u8>>, Error> {
    let mut draw = SeedDraw::new(seed, DrawStream::Mutation);
    let draw: &mut dyn Draw = &mut draw;
    if seed >= THINNED {
        let fields = fields(family, dump)?;
        let changed = match seed {
            RELATED.. if draw.one_in(2) => related::repeat_value(dump, &fields, draw),
            RELATED.. => related::keep_few_records(family, dump, &fields, draw),
            REARRANGED.. => whole::rearranged(family, dump, &fields, draw),
            _ => whole::thinned(family, dump, &fields, draw),
        };
        return Ok(changed.filter(|changed| changed != dump));
    }
    let changes = *draw.pick(&[1, 1, 1, 2, 3]);
    let mut bytes = dump.to_vec();
    for _ in 0..changes {
        let Some(map) = FieldMap::new(fields(family, &bytes)?) else { break };
        Mutant::new(&mut bytes, &map).change(draw);
    }
    if draw.one_in(40) {
        let (first, rest) = bytes.split_at(draw.below(bytes.len() as u64 + 1) as usize);
        bytes = gzip::members([first, rest]);
    }
    Ok((bytes != dump).then_some(bytes))
}

/// The fields of each record; what stands in none, such as a header, is left out.
fn records(fields: &[MutationField]) -> impl Iterator<Item = &[MutationField]> {
    let all = fields.chunk_by(|one, next| one.record.is_some() && one.record == next.record);
    all.filter(|record| record.first().is_some_and(|first| first.record.is_some()))
}

/// The tag that a record begins with, if it does.
fn tag(record: &[MutationField]) -> Option<i64> {
    record.first().and_then(|first| first.value.filter(|_| first.name.ends_with("tag")))
}

/// The fields, as far as the dump can be read.
fn fields(family: Family, bytes: &[u8]) -> Result<Vec<MutationField>, Error> {
    first_fields(family, bytes, usize::MAX)
}

/// The fields, as far as the dump can be read, up to a number of them.
fn first_fields(family: Family, bytes: &[u8], most: usize) -> Result<Vec<MutationField>, Error> {
    let mut fields = Vec::new();
    let read = family.map_bytes(&Opener::from_memory("dump", bytes), Meanings::Omitted, &mut |field| {
        if fields.len() == most {
            return Err(Error::Usage("more fields than are mapped".to_owned()));
        }
        fields.push(MutationField::new(&field, bytes.len()));
        Ok(())
    });
    match read {
        Err(e @ Error::Io { .. }) => Err(e),
        _ => Ok(fields),
    }
}

impl MutationField {
    /// The field of a dump of this length.
    fn new(field: &Annotation<'_>, length: usize) -> MutationField {
        let start = length.min(field.offset as usize);
        let at = start..(start + field.bytes.len()).min(length);
        MutationField { at, record: field.record, name: field.name, value: field.value }
    }

    /// Its number, and the bytes that it counts if it is a length; `None` if these are not there.
    fn counted(&self, bytes: &[u8]) -> Option<(u64, Range<usize>)> {
        let value = number(&bytes[self.at.clone()], self.value)?;
        let end = self.at.end.saturating_add(usize::try_from(value).unwrap_or(usize::MAX));
        (end <= bytes.len()).then_some((value, self.at.end..end))
    }

    /// Writes another number over the field.
    fn write_number(&self, bytes: &mut [u8], value: u64) {
        bytes[self.at.clone()].copy_from_slice(&value.to_be_bytes()[8 - self.at.len()..]);
    }
}

/// The fields of a dump, by kind and by record.
struct FieldMap {
    fields: Vec<MutationField>,
    /// The places of fields by kind: the tag that their record begins with, if it does, and their name. Each kind is as likely as another.
    kinds: Vec<Vec<usize>>,
    /// The records, each with its fields.
    records: Vec<Range<usize>>,
}

impl FieldMap {
    /// `None` if there are no fields.
    fn new(fields: Vec<MutationField>) -> Option<FieldMap> {
        let mut numbers: HashMap<TaggedName, usize, FixedState> = HashMap::default();
        let mut kinds: Vec<(TaggedName, Vec<usize>)> = Vec::new();
        let mut records: Vec<Range<usize>> = Vec::new();
        let mut first = None;
        for (at, field) in fields.iter().enumerate() {
            match records.last_mut() {
                Some(record) if fields[record.start].record == field.record => record.end = at + 1,
                _ => {
                    records.push(at..at + 1);
                    first = tag(std::slice::from_ref(field));
                }
            }
            let kind = (first, field.name);
            // Elements of a list follow each other.
            let number = match kinds.last() {
                Some((last, _)) if *last == kind => kinds.len() - 1,
                _ => *numbers.entry(kind).or_insert_with(|| {
                    kinds.push((kind, Vec::new()));
                    kinds.len() - 1
                }),
            };
            kinds[number].1.push(at);
        }
        kinds.sort_unstable_by_key(|(kind, _)| *kind);
        let kinds: Vec<Vec<usize>> = kinds.into_iter().map(|(_, fields)| fields).collect();
        (!kinds.is_empty()).then_some(FieldMap { fields, kinds, records })
    }
}

/// The tag that a field's record begins with, if it does, and the field's name.
type TaggedName = (Option<i64>, &'static str);

/// A dump on its way.
struct Mutant<'m> {
    bytes: &'m mut Vec<u8>,
    fields: &'m [MutationField],
    kinds: &'m [Vec<usize>],
    records: &'m [Range<usize>],
    /// Whether lengths around a change are made right every time, not only most of the time.
    is_sound: bool,
}

impl<'m> Mutant<'m> {
    fn new(bytes: &'m mut Vec<u8>, map: &'m FieldMap) -> Mutant<'m> {
        let FieldMap { fields, kinds, records } = map;
        Mutant { bytes, fields, kinds, records, is_sound: false }
    }

    fn change(mut self, draw: &mut dyn Draw) {
        match draw.below(16) {
            0 => self.cut(draw),
            1 => self.duplicate_record(draw),
            2 => self.remove_record(draw),
            3 => self.swap_records(draw),
            4 => self.lengthen_record(draw),
            _ => self.change_field(draw),
        }
    }

    fn any_field(&self, draw: &mut dyn Draw) -> &'m MutationField {
        let of_kind = draw.pick(self.kinds);
        &self.fields[*draw.pick(of_kind)]
    }

    /// The bytes of a field of the same name, perhaps of this one; half of the time of one around it, which may be of
    /// the same record.
    fn namesake(&self, field: &MutationField, draw: &mut dyn Draw) -> Vec<u8> {
        let same: Vec<&MutationField> = self.fields.iter().filter(|other| other.name == field.name).collect();
        let at = same.iter().position(|other| other.at == field.at).unwrap_or_default();
        let around = if draw.one_in(2) { &same[at.saturating_sub(2)..same.len().min(at + 3)] } else { &same[..] };
        self.bytes[draw.pick(around).at.clone()].to_vec()
    }

    /// The place of a record's bytes.
    fn place(&self, record: &Range<usize>) -> Range<usize> {
        self.fields[record.start].at.start..self.fields[record.end - 1].at.end
    }

    /// A record of any kind.
    fn any_record(&self, draw: &mut dyn Draw) -> Range<usize> {
        let of_kind = draw.pick(self.kinds);
        let field = *draw.pick(of_kind);
        self.records.get(self.number_of_record(field)).cloned().unwrap_or(0..1)
    }

    /// The number of the record that has a field.
    fn number_of_record(&self, field: usize) -> usize {
        self.records.partition_point(|record| record.end <= field)
    }

    fn cut(&mut self, draw: &mut dyn Draw) {
        let Range { start, end } = self.any_field(draw).at;
        self.bytes.truncate(draw.between(start as u64, end as u64) as usize);
    }

    fn duplicate_record(&mut self, draw: &mut dyn Draw) {
        let record = self.any_record(draw);
        let place = self.place(&record);
        let mut copy = self.bytes[place.clone()].to_vec();
        if draw.one_in(2) {
            // Of two that say different things, one counts.
            let field = draw.pick(&self.fields[record.clone()]);
            let within = field.at.start - place.start..field.at.end - place.start;
            copy.splice(within, self.other_value(field, draw));
        }
        let target = if draw.one_in(2) {
            place
        } else {
            let other = self.any_record(draw);
            self.place(&other)
        };
        // What is put at the end of a record, the record's own length counts.
        let to = if self.is_sound { target.start } else { target.end };
        self.replace(to..to, &copy, draw);
    }

    fn remove_record(&mut self, draw: &mut dyn Draw) {
        let record = self.any_record(draw);
        let place = self.place(&record);
        self.replace(place, &[], draw);
    }

    fn swap_records(&mut self, draw: &mut dyn Draw) {
        let record = self.any_record(draw);
        let at = self.records.iter().position(|other| *other == record).unwrap_or_default();
        let Some(next) = self.records.get(at + 1) else { return };
        let (one, other) = (self.place(&record), self.place(next));
        if one.end == other.start {
            self.bytes[one.start..other.end].rotate_left(one.len());
        }
    }

    /// Bytes at the end of a record, which counts them.
    fn lengthen_record(&mut self, draw: &mut dyn Draw) {
        let record = self.any_record(draw);
        let end = self.place(&record).end;
        let more = if draw.one_in(2) {
            vec![*draw.pick(&[0, 1, 0x0c, 0x2c, 0xff]); draw.between(1, 9) as usize]
        } else {
            let other = self.any_record(draw);
            self.bytes[self.place(&other)].to_vec()
        };
        self.replace(end..end, &more, draw);
    }

    fn change_field(&mut self, draw: &mut dyn Draw) {
        let field = self.any_field(draw);
        let new = self.other_value(field, draw);
        self.replace(field.at.clone(), &new, draw);
    }

    /// New bytes for a field.
    fn other_value(&self, field: &MutationField, draw: &mut dyn Draw) -> Vec<u8> {
        let old = &self.bytes[field.at.clone()];
        match (draw.below(6), number(old, field.value)) {
            (0, _) => self.namesake(field, draw),
            (_, Some(number)) => other_number(number, old.len(), draw),
            _ => other_text(old, draw),
        }
    }

    /// Replaces bytes by others. Lengths of the parts around them are made right, most of the time.
    fn replace(&mut self, place: Range<usize>, new: &[u8], draw: &mut dyn Draw) {
        let more = new.len() as i64 - place.len() as i64;
        if more != 0 && (self.is_sound || !draw.one_in(8)) {
            for field in self.fields.iter().filter(|field| is_length(field.name)) {
                let Some((value, counted)) = field.counted(self.bytes) else { continue };
                if counted.start <= place.start && place.end <= counted.end {
                    field.write_number(self.bytes, value.wrapping_add_signed(more));
                }
            }
        }
        self.bytes.splice(place, new.iter().copied());
    }
}

/// The number that bytes are, if they are one, the most significant first.
fn number(bytes: &[u8], value: Option<i64>) -> Option<u64> {
    let value = value?;
    let width = Some(bytes.len()).filter(|width| (1..=8).contains(width))?;
    let number = bytes.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    // That of digits is another.
    let mask = u64::MAX >> (64 - 8 * width);
    (value as u64 & mask == number).then_some(number)
}

/// A different number in as many bytes.
fn other_number(number: u64, width: usize, draw: &mut dyn Draw) -> Vec<u8> {
    let new = match draw.below(8) {
        0 => number.wrapping_add(1),
        1 => number.wrapping_sub(1),
        // One of the four highest bits, which is lost where a reader multiplies the number by a size in as many bits.
        2 => number ^ 1 << (8 * width as u64 - 1 - draw.below(4)),
        5 => number ^ 1 << draw.below(8 * width as u64),
        3 => draw.u64(),
        _ => *draw.pick(&NUMBERS),
    };
    new.to_be_bytes()[8 - width..].to_vec()
}

/// A different text, or bytes without a meaning.
fn other_text(old: &[u8], draw: &mut dyn Draw) -> Vec<u8> {
    let mut new = old.to_vec();
    let digits = |bytes: &[u8], is_digit: fn(&u8) -> bool| -> Option<Range<usize>> {
        let start = bytes.iter().position(is_digit)?;
        let length = bytes[start..].iter().position(|byte| !is_digit(byte)).unwrap_or(bytes.len() - start);
        Some(start..start + length)
    };
    let prefix = old.windows(2).position(|two| two.eq_ignore_ascii_case(b"0x")).map(|at| at + 2);
    match draw.below(8) {
        0 => new.clear(),
        1..=3 => {
            let at = *draw.pick(&[0, old.len() / 2, old.len()]);
            let snippet = *draw.pick(&SNIPPETS);
            new.splice(at..at, snippet.iter().copied());
        }
        4 if !old.is_empty() => _ = new.remove(draw.below(old.len() as u64) as usize),
        5 => new.iter_mut().for_each(|byte| {
            *byte = if byte.is_ascii_uppercase() { byte.to_ascii_lowercase() } else { byte.to_ascii_uppercase() };
        }),
        _ => match (prefix, digits(old, u8::is_ascii_digit)) {
            (Some(start), _) => {
                let text = *draw.pick(&HEXADECIMALS);
                let hexadecimal = digits(&old[start..], u8::is_ascii_hexdigit).unwrap_or(0..0);
                new.splice(start + hexadecimal.start..start + hexadecimal.end, text.bytes());
            }
            (None, Some(place)) => {
                let text = *draw.pick(&DECIMALS);
                new.splice(place, text.bytes());
            }
            (None, None) => new.extend_from_slice(old),
        },
    }
    new
}

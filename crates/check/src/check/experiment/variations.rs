//! Variations: dumps with one difference. Each row knows no format: byte maps say which fields and records there are.

use std::ops::Range;

use super::pool::Pool;
use super::probed_dump::ProbedDump;
use crate::fields::{ProbedField, ProbedFieldKey, binary_number};
use heapsmith_core::annotation::is_length;
use heapsmith_core::bytes::gzip;

/// One difference to a dump, which can be made in others as well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Variation {
    /// Another number in a field.
    Number(ProbedFieldKey, u64),
    /// Another number in a field, and wherever else it stands.
    Rename(ProbedFieldKey, u64),
    /// Other bytes in a field.
    Bytes(ProbedFieldKey, Vec<u8>),
    /// A record less.
    RecordOut(&'static str),
    /// A record twice.
    RecordTwice(&'static str),
    /// A record after the one that follows it.
    RecordLater(&'static str),
    /// A record at the end, or at the beginning.
    RecordLast(&'static str),
    RecordFirst(&'static str),
    /// A member of a list less. Its number is a field, or this much of the byte that says which record it is.
    MemberOut(ProbedFieldKey, u8),
    /// A record of another dump after one of these.
    RecordIn(&'static str, Vec<u8>),
    /// The whole dump compressed by gzip, or not.
    Compressed,
    Decompressed,
}

/// A dump with one difference to another.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    pub(super) variation: Variation,
    /// The field or record that it was made in, by its place in the dump.
    pub(super) place: usize,
    pub(super) bytes: Vec<u8>,
}

impl Variation {
    /// How plainly a pair with this difference shows what is wrong: the lower the plainer.
    pub(super) fn rank(&self) -> u32 {
        match self {
            Variation::Number(..) | Variation::Bytes(..) => 0,
            Variation::Rename(..) => 1,
            Variation::MemberOut(..) | Variation::Compressed | Variation::Decompressed => 2,
            Variation::RecordLater(_) | Variation::RecordLast(_) | Variation::RecordFirst(_) => 3,
            Variation::RecordTwice(_) | Variation::RecordIn(..) => 4,
            Variation::RecordOut(_) => 5,
        }
    }

    /// Whether it gives another value to a field.
    pub(super) fn is_of_a_value(&self) -> bool {
        matches!(self, Variation::Number(..) | Variation::Rename(..) | Variation::Bytes(..))
    }

    /// The number that it gives to a field.
    pub(super) fn number(&self) -> Option<(ProbedFieldKey, u64)> {
        match self {
            Variation::Number(key, number) | Variation::Rename(key, number) => Some((*key, *number)),
            _ => None,
        }
    }

    /// The place of the difference, in words.
    pub(super) fn words(&self) -> String {
        match self {
            Variation::Number(key, _) | Variation::Bytes(key, _) => key.to_string(),
            Variation::Rename(key, _) => format!("{key}, wherever its value stands"),
            Variation::RecordOut(part) => format!("without the record {part}"),
            Variation::RecordTwice(part) => format!("with the record {part} twice"),
            Variation::RecordLater(part) => format!("with the record {part} after the next one"),
            Variation::RecordLast(part) => format!("with the record {part} at the end"),
            Variation::RecordFirst(part) => format!("with the record {part} at the beginning"),
            Variation::MemberOut(key, _) => format!("without {key}"),
            Variation::RecordIn(part, _) => format!("with another record after {part}"),
            Variation::Compressed => "compressed".to_owned(),
            Variation::Decompressed => "not compressed".to_owned(),
        }
    }

    /// The variation with another number.
    pub(super) fn with_number(&self, number: u64) -> Variation {
        match self {
            Variation::Number(key, _) => Variation::Number(*key, number),
            Variation::Rename(key, _) => Variation::Rename(*key, number),
            other => other.clone(),
        }
    }

    /// The dump with the difference made at a place; `None` where that changes nothing, or cannot be.
    pub(super) fn apply(&self, specimen: &ProbedDump, place: usize) -> Option<Vec<u8>> {
        let plain = &specimen.plain;
        let changed = match self {
            Variation::Compressed => return (!specimen.is_compressed).then(|| gzip::members([&plain[..], &[]])),
            Variation::Decompressed => return specimen.is_compressed.then(|| plain.clone()),
            Variation::Number(_, number) => {
                let field = specimen.fields.get(place)?;
                splice(specimen, &field.at, &spell_number(field, &plain[field.at.clone()], *number)?)
            }
            Variation::Rename(_, number) => rename(specimen, place, *number)?,
            Variation::Bytes(_, new) => splice(specimen, &specimen.fields.get(place)?.at, new),
            Variation::MemberOut(_, step) => without_member(specimen, place, *step)?,
            Variation::RecordOut(_) => splice(specimen, &specimen.record_bytes(&record_of(specimen, place)?), &[]),
            Variation::RecordIn(_, record) => {
                let at = record_of(specimen, place).map_or(plain.len(), |own| specimen.record_bytes(&own).end);
                splice(specimen, &(at..at), record)
            }
            Variation::RecordTwice(_) => {
                let at = specimen.record_bytes(&record_of(specimen, place)?);
                splice(specimen, &(at.end..at.end), &plain[at.clone()])
            }
            Variation::RecordLater(_) | Variation::RecordLast(_) | Variation::RecordFirst(_) => {
                self.with_record_moved(specimen, place)?
            }
        };
        let is_same = changed == *plain;
        (!is_same).then(|| if specimen.is_compressed { gzip::members([&changed[..], &[]]) } else { changed })
    }

    fn with_record_moved(&self, specimen: &ProbedDump, place: usize) -> Option<Vec<u8>> {
        let own = record_of(specimen, place)?;
        let records = specimen.records();
        let number = records.iter().position(|record| *record == own)?;
        // Records are moved among those of one list alone.
        let is_near =
            |pair: &[Range<usize>]| specimen.record_bytes(&pair[0]).end == specimen.record_bytes(&pair[1]).start;
        let last = (number + 1..records.len()).take_while(|next| is_near(&records[next - 1..=*next])).last();
        let first = (0..number).rev().take_while(|before| is_near(&records[*before..=before + 1])).last();
        let at = specimen.record_bytes(&own);
        let mut bytes = specimen.plain.clone();
        match self {
            Variation::RecordLater(_) => {
                last?;
                bytes[at.start..specimen.record_bytes(&records[number + 1]).end].rotate_left(at.len());
            }
            Variation::RecordLast(_) => {
                bytes[at.start..specimen.record_bytes(&records[last?]).end].rotate_left(at.len())
            }
            _ => bytes[specimen.record_bytes(&records[first?]).start..at.end].rotate_right(at.len()),
        }
        Some(bytes)
    }

    /// The places in another dump where the same can be done.
    pub(super) fn places(&self, specimen: &ProbedDump) -> Vec<usize> {
        let of_key = |key: &ProbedFieldKey| {
            let is_of = |field: &ProbedField| field.name == key.name && key.part.is_none_or(|part| field.part == part);
            (0..specimen.fields.len()).filter(|place| is_of(&specimen.fields[*place])).collect()
        };
        let of_part = |part: &str| {
            specimen
                .records()
                .into_iter()
                .map(|record| record.start)
                .filter(|start| specimen.fields[*start].part == part)
                .collect()
        };
        match self {
            Variation::Number(key, _)
            | Variation::Rename(key, _)
            | Variation::Bytes(key, _)
            | Variation::MemberOut(key, _) => of_key(key),
            Variation::RecordOut(part)
            | Variation::RecordTwice(part)
            | Variation::RecordIn(part, _)
            | Variation::RecordLater(part)
            | Variation::RecordLast(part)
            | Variation::RecordFirst(part) => of_part(part),
            Variation::Compressed | Variation::Decompressed => vec![0],
        }
    }
}

/// Numbers at which readers go wrong.
const NUMBERS: [u64; 16] = [
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
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

const TEXTS: [&[u8]; 10] =
    [b"", b"a", b"A", b"ab", b"java/lang/Object", b"[I", b"[[I", b"[La;", b"\xc3\xa9", b"abcdefghijklmnopqrstuvwxyz"];

/// The largest specimen of whose fields each is varied.
const FIELDS: usize = 400;

/// All variations of a dump.
pub(super) fn variants(specimen: &ProbedDump, pool: &Pool) -> Vec<Variant> {
    let mut variants: Vec<Variant> = Vec::new();
    let mut add = |variation: Variation, place: usize| {
        if let Some(bytes) = variation.apply(specimen, place) {
            variants.push(Variant { variation, place, bytes });
        }
    };
    let plain = &specimen.plain;
    for (place, field) in specimen.fields.iter().enumerate().take(FIELDS) {
        let old = &plain[field.at.clone()];
        let key = field.key();
        match field.number {
            Some(number) => {
                let mut numbers: Vec<u64> = NUMBERS.to_vec();
                numbers.extend([number.wrapping_add(1), number.wrapping_sub(1), number.wrapping_add(8)]);
                let bits = 8 * old.len().min(8) as u32;
                numbers.extend([number ^ 1 << (bits - 1), number ^ 1 << (bits / 2).saturating_sub(1)]);
                numbers.extend((0..8).filter(|_| bits == 8).map(|bit| number ^ 1 << bit));
                let same = specimen.fields.iter().filter(|other| other.name == field.name && other.at != field.at);
                numbers.extend(same.filter_map(|other| other.number).take(4));
                numbers.sort_unstable();
                numbers.dedup();
                for number in numbers {
                    add(Variation::Number(key, number), place);
                    if old.len() >= 2 && !is_length(field.name) {
                        add(Variation::Rename(key, number), place);
                    }
                }
                if binary_number(old) != Some(number) {
                    respelled(old).into_iter().for_each(|text| add(Variation::Bytes(key, text), place));
                }
            }
            None => {
                let mut texts: Vec<Vec<u8>> = TEXTS.iter().map(|text| text.to_vec()).collect();
                texts.push([old, b"a"].concat());
                texts.push(old[..old.len() - old.len().min(1)].to_vec());
                texts.push(old.iter().map(|byte| if byte.is_ascii_alphanumeric() { *byte } else { b'x' }).collect());
                let same = specimen.fields.iter().filter(|other| other.name == field.name && other.at != field.at);
                texts.extend(same.map(|other| plain[other.at.clone()].to_vec()).take(3));
                texts.push(vec![b'x'; old.len()]);
                texts.into_iter().for_each(|text| add(Variation::Bytes(key, text), place));
            }
        }
        pool.values(key).for_each(|value| add(Variation::Bytes(key, value.to_vec()), place));
        if field.name.contains("reference") || field.name.contains("element") || field.name.contains("entry") {
            [0, 1, 2, 4, 8, 16].into_iter().for_each(|step| add(Variation::MemberOut(key, step), place));
        }
    }
    for record in specimen.records().into_iter().take(FIELDS) {
        let (place, part) = (record.start, specimen.fields[record.start].part);
        add(Variation::RecordOut(part), place);
        add(Variation::RecordTwice(part), place);
        add(Variation::RecordLater(part), place);
        add(Variation::RecordLast(part), place);
        add(Variation::RecordFirst(part), place);
    }
    let records = specimen.records();
    let places = [records.first(), records.last()].map(|record| record.map_or(0, |record| record.start));
    for place in places {
        let Some(part) = specimen.fields.get(place).map(|field| field.part) else { continue };
        pool.records().for_each(|record| add(Variation::RecordIn(part, record.to_vec()), place));
    }
    add(Variation::Compressed, 0);
    add(Variation::Decompressed, 0);
    variants
}

fn record_of(specimen: &ProbedDump, place: usize) -> Option<Range<usize>> {
    specimen.records().into_iter().find(|record| record.contains(&place))
}

/// The number as this field spells it: in as many bytes, or in digits.
fn spell_number(field: &ProbedField, old: &[u8], number: u64) -> Option<Vec<u8>> {
    let width = old.len();
    if (1..=8).contains(&width) && field.number == binary_number(old) {
        let is_fit = width == 8 || number >> (8 * width) == 0;
        return is_fit.then(|| number.to_be_bytes()[8 - width..].to_vec());
    }
    let text = std::str::from_utf8(old).ok()?;
    let (start, is_hexadecimal) = match text.find("0x") {
        Some(at) => (at + 2, true),
        None => (text.find(|c: char| c.is_ascii_digit())?, false),
    };
    let is_digit = |c: char| if is_hexadecimal { c.is_ascii_hexdigit() } else { c.is_ascii_digit() };
    let length = text[start..].find(|c| !is_digit(c)).unwrap_or(text.len() - start);
    let digits = if is_hexadecimal { format!("{number:0length$x}") } else { number.to_string() };
    Some([&text[..start], &digits, &text[start + length..]].concat().into_bytes())
}

/// Another number wherever the one of a field stands in a field as wide.
fn rename(specimen: &ProbedDump, place: usize, number: u64) -> Option<Vec<u8>> {
    let (plain, field) = (&specimen.plain, specimen.fields.get(place)?);
    let old = field.number.filter(|old| *old > 0)?;
    let is_same =
        |other: &&ProbedField| other.number == Some(old) && other.at.len() == field.at.len() && !is_length(other.name);
    let same: Vec<&ProbedField> = specimen.fields.iter().filter(is_same).collect();
    if same.len() < 2 || same.iter().any(|other| other.at.end > plain.len()) {
        return None;
    }
    let mut bytes = plain.clone();
    for other in same.into_iter().rev() {
        let new = spell_number(other, &plain[other.at.clone()], number)?;
        if new.len() != other.at.len() {
            return None;
        }
        bytes[other.at.clone()].copy_from_slice(&new);
    }
    Some(bytes)
}

/// A number of text with other digits for the same value.
fn respelled(old: &[u8]) -> [Vec<u8>; 4] {
    let letters = old.iter().position(|byte| matches!(byte, b'x' | b'X')).map_or(0, |at| at + 1);
    let digits = old.iter().skip(letters).position(u8::is_ascii_hexdigit).map_or(letters, |at| letters + at);
    let zeros = old[digits..].iter().take_while(|byte| **byte == b'0').count();
    let (before, after) = old.split_at(digits);
    [
        [before, &after.to_ascii_uppercase()].concat(),
        [before, &after.to_ascii_lowercase()].concat(),
        [before, b"0", after].concat(),
        [before, &after[zeros.min(after.len().saturating_sub(1))..]].concat(),
    ]
}

/// A list without a member, and its number one less: a field, or a part of the record's first byte where a step is given.
fn without_member(specimen: &ProbedDump, place: usize, step: u8) -> Option<Vec<u8>> {
    let (plain, field) = (&specimen.plain, specimen.fields.get(place)?);
    let mut before = specimen.fields[..place].iter().rev().take_while(|earlier| earlier.record == field.record);
    let (count, less) = match step {
        0 => {
            let count = before.find(|earlier| earlier.name.starts_with("number of"))?;
            (count, count.number?.checked_sub(1)?)
        }
        _ => {
            let tag = before.last().filter(|first| first.at.len() == 1)?;
            (tag, tag.number?.checked_sub(u64::from(step))?)
        }
    };
    let without = splice(specimen, &field.at, &[]);
    let spelled = spell_number(count, &plain[count.at.clone()], less).filter(|new| new.len() == count.at.len())?;
    let mut without = without;
    without.get_mut(count.at.clone())?.copy_from_slice(&spelled);
    Some(without)
}

/// Other bytes in a place. The lengths that count it are made right.
fn splice(specimen: &ProbedDump, place: &Range<usize>, new: &[u8]) -> Vec<u8> {
    let plain = &specimen.plain;
    let mut bytes = plain.clone();
    let more = new.len() as i64 - place.len() as i64;
    if more != 0 {
        for field in specimen.fields.iter().filter(|field| is_length(field.name)) {
            let Some(value) = field.number else { continue };
            let end = field.at.end.saturating_add(usize::try_from(value).unwrap_or(usize::MAX));
            let counts = field.at.end <= place.start && place.end <= end && end <= plain.len();
            if let Some(spelled) =
                counts.then(|| spell_number(field, &plain[field.at.clone()], value.wrapping_add_signed(more))).flatten()
                && spelled.len() == field.at.len()
            {
                bytes[field.at.clone()].copy_from_slice(&spelled);
            }
        }
    }
    bytes.splice(place.clone(), new.iter().copied());
    bytes
}

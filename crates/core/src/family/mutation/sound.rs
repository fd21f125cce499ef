//! Changes for fuzzing engines: most of what they make can be read to its end, so that an engine gets past the framing of a dump.

use std::ops::Range;

use crate::annotation::{MappedRecord, RecordStep, is_length};
use crate::draw::Draw;
use crate::error::Error;
use crate::family::edit::RecordTarget;
use crate::family::{Family, Opener, remove_ranges};

use super::{FieldMap, Mutant, MutationField, NUMBERS, first_fields, related, whole};

/// The most fields of a dump that are mapped: what follows them is not changed.
const MOST_FIELDS: usize = 1 << 14;
/// The most records that are looked at.
const MOST_RECORDS: usize = 1 << 16;
/// The number of tags, of records that are held and that are not.
const KINDS: usize = 512;
/// Bytes that most records have at least.
const BYTES_OF_RECORD: usize = 8;
/// Samples of records in which changes are tried, until one can be read.
const ATTEMPTS: u32 = 4;
/// One of this many changes concerns a dump as a whole, for which all of its fields are mapped.
const BROAD: u64 = 64;
/// One of this many changes may be in the header.
const HEADER: u64 = 16;
/// One of this many changes is made by a named edit, which breaks one rule.
const EDITED: u64 = 64;
/// One of this many changes may be anything.
const FREE: u64 = 24;
/// The most records that are taken over from another dump.
const SERIES: u64 = 8;

/// A dump with one change, of at most `most` bytes; `None` where there is no field, or no change that fits. Most of these dumps can
/// be read to their end if the dump can; a few break one rule, and few are cut off or garbled.
///
/// # Errors
/// If the dump cannot be read because of the machine.
pub(crate) fn mutated_soundly(
    family: Family,
    dump: &[u8],
    most: usize,
    draw: &mut dyn Draw,
) -> Result<Option<Vec<u8>>, Error> {
    let fits = |bytes: &Vec<u8>| bytes.len() <= most && bytes != dump;
    // The last number stands for what is rare: zeros, which a fuzzer's bytes often are, for what is common.
    let (is_edited, is_free) = (draw.below(EDITED) == EDITED - 1, draw.below(FREE) == FREE - 1);
    if is_edited && let Some(edited) = edited(family, dump, draw)?.filter(fits) {
        return Ok(Some(edited));
    }
    if draw.below(BROAD) == BROAD - 1 {
        let fields = first_fields(family, dump, MOST_FIELDS)?;
        let changed = match draw.below(8) {
            0..4 => related::repeat_value(dump, &fields, draw),
            4 => related::keep_few_records(family, dump, &fields, draw),
            5 => whole::thinned(family, dump, &fields, draw),
            _ => whole::rearranged(family, dump, &fields, draw),
        };
        if let Some(changed) = changed.filter(fits)
            && (is_free || can_be_read(family, &changed)?)
        {
            return Ok(Some(changed));
        }
    }
    let all = RecordMap::new(family, dump)?;
    let mut last = None;
    for _ in 0..ATTEMPTS {
        let Some(map) = FieldMap::new(all.sample(family, dump, draw)?) else { return Ok(None) };
        // The records of a sample take longer to find than to change.
        for _ in 0..2 {
            let mut changed = dump.to_vec();
            let mut mutant = Mutant::new(&mut changed, &map);
            if is_free {
                mutant.change(draw);
            } else {
                mutant.is_sound = true;
                mutant.change_soundly(draw);
            }
            if !fits(&changed) {
                continue;
            }
            // What could not be read before cannot be afterwards.
            if is_free || !all.is_whole || can_be_read(family, &changed)? {
                return Ok(Some(changed));
            }
            last = Some(changed);
        }
    }
    Ok(last)
}

/// A dump with a series of records of another one, in the place of a record or before one; `None` where nothing fits.
///
/// # Errors
/// If a dump cannot be read because of the machine.
pub(crate) fn crossed_over(
    family: Family,
    dump: &[u8],
    other: &[u8],
    most: usize,
    draw: &mut dyn Draw,
) -> Result<Option<Vec<u8>>, Error> {
    let (ours, theirs) = (RecordMap::new(family, dump)?, RecordMap::new(family, other)?);
    if ours.records.is_empty() || theirs.records.is_empty() {
        return Ok(None);
    }
    for _ in 0..ATTEMPTS {
        let from = theirs.draw_record(draw);
        let first = &theirs.records[from];
        let holds = |number: usize| theirs.holders.binary_search(&number).is_ok();
        if holds(from) {
            continue;
        }
        let alike =
            (from..theirs.records.len()).take_while(|number| !holds(*number)).map(|number| &theirs.records[number]);
        let alike = alike.take_while(|record| record.is_held == first.is_held);
        let end = alike.take(draw.between(1, SERIES) as usize).last().map_or(first.at.end, |record| record.at.end);
        let goal = ours.draw_record(draw);
        if ours.records[goal].is_held != first.is_held {
            continue;
        }
        let Some(map) = FieldMap::new(ours.fields(family, dump, &[goal])?) else { continue };
        let mut changed = dump.to_vec();
        let mut mutant = Mutant::new(&mut changed, &map);
        mutant.is_sound = true;
        let place = ours.records[goal].at.clone();
        // What is put at the end of a record, the record's own length would count.
        let place = if draw.one_in(2) { place } else { place.start..place.start };
        mutant.replace(place, &other[first.at.start..end], draw);
        if changed.len() <= most && changed != dump && can_be_read(family, &changed)? {
            return Ok(Some(changed));
        }
    }
    Ok(None)
}

/// The places of a dump's records, as far as it can be read, without those that hold others: what these hold would be lost.
///
/// # Errors
/// If the dump cannot be read because of the machine.
pub(crate) fn record_places(family: Family, dump: &[u8]) -> Result<Vec<Range<usize>>, Error> {
    let RecordMap { records, holders, .. } = RecordMap::new(family, dump)?;
    let free = (0..).zip(records).filter(|(number, _)| holders.binary_search(number).is_err());
    Ok(free.map(|(_, record)| record.at).collect())
}

/// The records of a dump, without their fields.
struct RecordMap {
    records: Vec<MappedRecord>,
    /// The numbers of the records, sorted by kind.
    sorted: Vec<u32>,
    /// Where the numbers of each kind begin among them.
    begins: [u32; KINDS + 1],
    /// The kinds that there are: each is as likely as another.
    kinds: Vec<usize>,
    /// The numbers of the records that hold others: lengths around these stand in them.
    holders: Vec<usize>,
    /// Whether the dump can be read to its end.
    is_whole: bool,
}

impl RecordMap {
    fn new(family: Family, dump: &[u8]) -> Result<RecordMap, Error> {
        let mut records: Vec<MappedRecord> = Vec::with_capacity(MOST_RECORDS.min(dump.len() / BYTES_OF_RECORD));
        let read = family.map_records(&Opener::from_memory("dump", dump), &mut |step| {
            if let RecordStep::Record(record) = step
                && records.len() < MOST_RECORDS
                && record.at.end <= dump.len()
            {
                records.push(record);
            }
            Ok(false)
        });
        let is_whole = match read {
            Err(error @ Error::Io { .. }) => return Err(error),
            read => read.is_ok(),
        };
        // How many records each kind has, and then where its numbers begin in one list of all.
        let kind = |record: &MappedRecord| usize::from(record.tag) << 1 | usize::from(record.is_held);
        let mut begins = [0_u32; KINDS + 1];
        records.iter().for_each(|record| begins[kind(record) + 1] += 1);
        let kinds = (0..KINDS).filter(|kind| begins[kind + 1] > 0).collect();
        (0..KINDS).for_each(|kind| begins[kind + 1] += begins[kind]);
        let (mut next, mut sorted) = (begins, vec![0_u32; records.len()]);
        for (number, record) in records.iter().enumerate() {
            let place = &mut next[kind(record)];
            sorted[*place as usize] = number as u32;
            *place += 1;
        }
        let holds = |pair: &[MappedRecord]| !pair[0].is_held && pair[1].is_held;
        let holders = (0..).zip(records.windows(2)).filter(|(_, pair)| holds(pair)).map(|(number, _)| number);
        let holders = holders.collect();
        Ok(RecordMap { records, sorted, begins, kinds, holders, is_whole })
    }

    /// The number of a record. There is one.
    fn draw_record(&self, draw: &mut dyn Draw) -> usize {
        let kind = *draw.pick(&self.kinds);
        self.draw_of_kind(kind, draw)
    }

    /// The number of a record of a kind that there is.
    fn draw_of_kind(&self, kind: usize, draw: &mut dyn Draw) -> usize {
        *draw.pick(&self.sorted[self.begins[kind] as usize..self.begins[kind + 1] as usize]) as usize
    }

    /// The fields of a few records: of one, the next one, one of its kind, and any other; of the one that holds them; and seldom of the
    /// header, which is all that a dump without records has.
    fn sample(&self, family: Family, dump: &[u8], draw: &mut dyn Draw) -> Result<Vec<MutationField>, Error> {
        let mut chosen = Vec::new();
        if !self.records.is_empty() {
            let kind = *draw.pick(&self.kinds);
            let first = self.draw_of_kind(kind, draw);
            chosen.extend([first, first + 1, self.draw_of_kind(kind, draw), self.draw_record(draw)]);
        }
        let has_header = self.records.is_empty() || draw.below(HEADER) == HEADER - 1;
        let mut fields = self.fields(family, dump, &chosen)?;
        fields.retain(|field| has_header || field.record.is_some());
        Ok(fields)
    }

    /// The fields of some records, of the one that holds them, and of the header. They are read in a dump of these records alone, which
    /// takes less than reading all others again. Of records that several ones hold, those of one are read.
    fn fields(&self, family: Family, dump: &[u8], chosen: &[usize]) -> Result<Vec<MutationField>, Error> {
        let mut numbers: Vec<usize> = chosen.iter().copied().filter(|number| *number < self.records.len()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let (held, free): (Vec<usize>, Vec<usize>) =
            numbers.into_iter().partition(|number| self.records[*number].is_held);
        let (holders, mut taken): (Vec<usize>, Vec<usize>) =
            free.into_iter().partition(|number| self.holders.binary_search(number).is_ok());
        let holder_of = |number: usize| self.holders[..self.holders.partition_point(|holder| *holder < number)].last();
        // What follows a record that holds others is taken for one of them: it comes last.
        let holder = held.first().and_then(|number| holder_of(*number)).or(holders.first()).copied();
        taken.extend(holder);
        taken.extend(held.into_iter().filter(|number| holder_of(*number) == holder.as_ref()));

        let header = self.records.first().map_or(dump.len(), |record| record.at.start);
        let mut part = dump[..header].to_vec();
        // Where records begin in the part, and in the dump.
        let mut places = vec![(0, 0)];
        for number in taken {
            let at = self.records[number].at.clone();
            places.push((part.len(), at.start));
            part.extend_from_slice(&dump[at]);
        }
        let mut fields = Vec::new();
        let read = family.map_records(&Opener::from_memory("dump", &part), &mut |step| match step {
            RecordStep::Record(_) => Ok(true),
            RecordStep::Field(_) if fields.len() == MOST_FIELDS => {
                Err(Error::Usage("more fields than are mapped".to_owned()))
            }
            RecordStep::Field(field) => {
                let mut field = MutationField::new(&field, part.len());
                let (here, there) = places[places.partition_point(|(here, _)| *here <= field.at.start) - 1];
                let end = dump.len().min(field.at.end - here + there);
                field.at = end.min(field.at.start - here + there)..end;
                fields.push(field);
                Ok(false)
            }
        });
        match read {
            Err(error @ Error::Io { .. }) => Err(error),
            // The part ends before the record does that holds others, or has no end tag.
            _ => Ok(fields),
        }
    }
}

/// Bytes with one change that heeds no format, at most `most` of them.
pub(crate) fn scrambled(bytes: &[u8], most: usize, draw: &mut dyn Draw) -> Vec<u8> {
    let mut changed = bytes[..bytes.len().min(most)].to_vec();
    let room = most - changed.len();
    let (length, at) = (changed.len() as u64, draw.below(changed.len() as u64 + 1) as usize);
    let end = (at + draw.between(1, 8) as usize).min(changed.len());
    match draw.below(6) {
        0 if at < changed.len() => changed[at] ^= 1 << draw.below(8),
        1 if at < changed.len() => changed[at] = draw.u32() as u8,
        2 if end > at => _ = changed.drain(at..end),
        3 if room > 0 && end > at => {
            let copy: Vec<u8> = changed[at..end].iter().copied().take(room).collect();
            let to = draw.below(length + 1) as usize;
            changed.splice(to..to, copy);
        }
        4 if length >= 8 => {
            let width = *draw.pick(&[1, 2, 4, 8]);
            let at = draw.below(length - width as u64 + 1) as usize;
            changed[at..at + width].copy_from_slice(&draw.pick(&NUMBERS).to_be_bytes()[8 - width..]);
        }
        _ if room > 0 => changed.insert(at, draw.u32() as u8),
        _ => {
            if let Some(byte) = changed.get_mut(at) {
                *byte = byte.wrapping_add(1);
            }
        }
    }
    changed
}

/// Whether a dump can be read to its end.
fn can_be_read(family: Family, dump: &[u8]) -> Result<bool, Error> {
    match family.map_records(&Opener::from_memory("dump", dump), &mut |_| Ok(false)) {
        Err(error @ Error::Io { .. }) => Err(error),
        read => Ok(read.is_ok()),
    }
}

/// The dump after a named edit, which acts on any record, or on one that is drawn; `None` if it has no place for the edit.
fn edited(family: Family, dump: &[u8], draw: &mut dyn Draw) -> Result<Option<Vec<u8>>, Error> {
    let edits = family.edits();
    if edits.is_empty() {
        return Ok(None);
    }
    let edit = draw.pick(&edits);
    let target = if edit.takes_record && draw.one_in(2) {
        let bits = draw.below(10);
        RecordTarget::from_index(draw.below(1 << bits))
    } else {
        RecordTarget::ANY
    };
    match edit.apply_in(dump.to_vec(), target) {
        Ok(edited) => Ok(edited.map(|edited| edited.bytes)),
        Err(error @ Error::Io { .. }) => Err(error),
        // Edits are made in valid dumps alone.
        Err(_) => Ok(None),
    }
}

impl MutationField {
    /// Whether other fields are found by it: with another value, what follows is seldom read.
    fn is_framing(&self) -> bool {
        self.name.ends_with("tag")
            || is_length(self.name)
            || self.name.starts_with("number of")
            || self.name.contains("flags")
            || self.name.contains("type")
            || self.record.is_none()
    }
}

impl Mutant<'_> {
    /// A change after which the dump can be read, as far as that can be known before.
    fn change_soundly(&mut self, draw: &mut dyn Draw) {
        match draw.below(16) {
            15 | 14 => self.duplicate_record(draw),
            13 | 12 => self.remove_record(draw),
            11 => self.swap_records(draw),
            8..=10 => self.change_list(draw),
            6 | 7 => self.repeat_namesake(draw),
            _ => {
                let mut field = self.any_field(draw);
                for _ in 0..3 {
                    if field.is_framing() && !draw.one_in(8) {
                        field = self.any_field(draw);
                    }
                }
                let new = match self.contents_change(field, draw) {
                    Some(new) => new,
                    None => self.other_value(field, draw),
                };
                self.replace(field.at.clone(), &new, draw);
            }
        }
    }

    /// Gives a field the bytes of another one of its name.
    fn repeat_namesake(&mut self, draw: &mut dyn Draw) {
        let of_kind = draw.pick(self.kinds);
        let (field, other) = (*draw.pick(of_kind), *draw.pick(of_kind));
        let new = self.bytes[self.fields[other].at.clone()].to_vec();
        self.replace(self.fields[field].at.clone(), &new, draw);
    }

    /// New bytes for a field of contents without parts of their own, of as many bytes: a number in them is another, or one of an
    /// identifier's width.
    fn contents_change(&self, field: &MutationField, draw: &mut dyn Draw) -> Option<Vec<u8>> {
        let old = &self.bytes[field.at.clone()];
        if field.value.is_some() || old.len() < 8 || draw.one_in(2) {
            return None;
        }
        let width = *draw.pick(&[1, 2, 4, 8]);
        let at = draw.below((old.len() / width) as u64) as usize * width;
        let mut new = old.to_vec();
        let number = *draw.pick(&NUMBERS);
        new[at..at + width].copy_from_slice(&number.to_be_bytes()[8 - width..]);
        Some(new)
    }

    /// Removes an element of a list, or repeats one; the number of elements before the list becomes another.
    fn change_list(&mut self, draw: &mut dyn Draw) {
        let record = self.any_record(draw);
        let fields = &self.fields[record];
        let lists: Vec<(&MutationField, &[MutationField])> = fields
            .chunk_by(|one, next| one.name == next.name)
            .filter_map(|list| {
                let count = list.len() as i64;
                let is_number = |field: &&MutationField| {
                    field.at.end <= list[0].at.start
                        && field.value == Some(count)
                        && (field.name.starts_with("number of") || is_length(field.name))
                };
                Some((fields.iter().rfind(is_number)?, list))
            })
            .collect();
        if lists.is_empty() {
            return self.repeat_namesake(draw);
        }
        let (number, list) = *draw.pick(&lists);
        let element = draw.pick(list);
        let count = list.len() as u64;
        if draw.one_in(2) {
            number.write_number(self.bytes, count - 1);
            self.replace(element.at.clone(), &[], draw);
        } else {
            number.write_number(self.bytes, count + 1);
            let copy = self.bytes[element.at.clone()].to_vec();
            self.replace(element.at.end..element.at.end, &copy, draw);
        }
    }
}

/// The start of a dump, of at most `most` bytes: its last records are left out; where that does not help, it is cut.
///
/// # Errors
/// If the dump cannot be read because of the machine.
pub(crate) fn shortened(family: Family, dump: &[u8], most: usize) -> Result<Vec<u8>, Error> {
    if dump.len() <= most {
        return Ok(dump.to_vec());
    }
    let (mut gone, mut over) = (Vec::new(), dump.len() - most);
    for place in record_places(family, dump)?.into_iter().rev() {
        if over == 0 {
            break;
        }
        over = over.saturating_sub(place.len());
        gone.push(place);
    }
    gone.reverse();
    let mut left = remove_ranges(dump, &family.lengths(dump), &gone);
    left.truncate(most);
    Ok(left)
}

//! Changes that follow what belongs together: values of one record, and records with the same value.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::draw::Draw;
use crate::family::{Family, StatedLength, remove_ranges};

use super::{MutationField, records, tag};

/// Bytes of a field from which on a value that two records have is likely to name the same thing.
const NAMING: usize = 2;
/// The most records that are left.
const FEW: u64 = 8;

/// A kind of field: the tag that its record begins with, if it does, and its name.
type TaggedField<'f> = (Option<i64>, &'f str);

/// The dump with a field that has the value of another one of its record. Half of the time that is a field that has the value by which
/// another record is named, and gets that by which its own is: a class becomes its own superclass, and an array its own element.
pub(super) fn repeat_value(dump: &[u8], fields: &[MutationField], draw: &mut dyn Draw) -> Option<Vec<u8>> {
    let records: Vec<&[MutationField]> = records(fields).collect();
    let bytes = |field: &MutationField| &dump[field.at.clone()];
    let others = |record: &'_ [MutationField], field: &MutationField| -> Vec<Range<usize>> {
        let is_other = |other: &&MutationField| {
            other.value.is_some() && other.at.len() == field.at.len() && bytes(other) != bytes(field)
        };
        record.iter().filter(is_other).map(|other| other.at.clone()).collect()
    };
    // The first value that is wide enough for that names a record.
    let names: BTreeSet<&[u8]> =
        records.iter().filter_map(|record| record.iter().find(|field| is_name(dump, field))).map(bytes).collect();
    let leads_elsewhere = draw.one_in(2);
    // Each kind of field is as likely as another.
    let mut kinds: BTreeMap<TaggedField<'_>, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, record) in records.iter().enumerate() {
        let is_wanted = |field: &MutationField| {
            !others(record, field).is_empty()
                && (!leads_elsewhere || is_name(dump, field) && names.contains(bytes(field)))
        };
        for (place, field) in record.iter().enumerate().filter(|(_, field)| is_wanted(field)) {
            kinds.entry((tag(record), field.name)).or_default().push((number, place));
        }
    }
    let kinds: Vec<Vec<(usize, usize)>> = kinds.into_values().collect();
    if kinds.is_empty() {
        return None;
    }
    let of_kind = draw.pick(&kinds);
    let (number, place) = *draw.pick(of_kind);
    let field = &records[number][place];
    let others = others(records[number], field);
    let other = if leads_elsewhere { &others[0] } else { draw.pick(&others) };
    let mut changed = dump.to_vec();
    changed.copy_within(other.clone(), field.at.start);
    Some(changed)
}

/// Whether a field may name something.
fn is_name(dump: &[u8], field: &MutationField) -> bool {
    field.at.len() >= NAMING && dump[field.at.clone()].iter().any(|byte| *byte != 0)
}

/// The dump with few of its records, besides those that hold records: some of any kind, and some that have a value of another one that is left, as an instance has the
/// identifier of its class.
pub(super) fn keep_few_records(
    family: Family,
    dump: &[u8],
    fields: &[MutationField],
    draw: &mut dyn Draw,
) -> Option<Vec<u8>> {
    let lengths = family.lengths(dump);
    let place = |record: &[MutationField]| Some(record.first()?.at.start..record.last()?.at.end);
    let all: Vec<(Range<usize>, &[MutationField])> =
        records(fields).filter_map(|record| Some((place(record)?, record))).collect();
    let starts: Vec<usize> = all.iter().map(|(place, _)| place.start).collect();
    let held = |of: &Range<usize>| {
        let from = starts.partition_point(|start| *start < of.start);
        from..from + starts[from..].partition_point(|start| *start < of.end)
    };
    // By what holds records, those that it holds.
    let ends: BTreeMap<usize, usize> = (0..).zip(&all).map(|(record, (place, _))| (place.end, record)).collect();
    let holders: BTreeMap<usize, Range<usize>> = lengths
        .iter()
        .filter_map(|StatedLength { of, .. }| Some((*ends.get(&of.start)?, held(of))))
        .filter(|(_, held)| !held.is_empty())
        .collect();
    let free: Vec<usize> = (0..all.len()).filter(|record| !holders.contains_key(record)).collect();
    if free.is_empty() {
        return None;
    }
    let names =
        |record: usize| all[record].1.iter().filter(|field| is_name(dump, field)).map(|field| &dump[field.at.clone()]);
    let mut named: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    for &record in &free {
        names(record).for_each(|name| named.entry(name).or_default().push(record));
    }
    let mut left: BTreeSet<usize> = BTreeSet::from([*draw.pick(&free)]);
    for _ in 0..draw.below(FEW) {
        let known: Vec<usize> = left.iter().copied().collect();
        let of: Vec<&[u8]> = names(*draw.pick(&known)).collect();
        let from = if of.is_empty() || draw.one_in(3) { &free } else { &named[*draw.pick(&of)] };
        left.insert(*draw.pick(from));
    }
    let is_left = |held: &Range<usize>| left.range(held.clone()).next().is_some();
    let around: Vec<usize> = holders.iter().filter(|(_, held)| is_left(held)).map(|(holder, _)| *holder).collect();
    left.extend(around);
    let gone: Vec<Range<usize>> =
        (0..).zip(&all).filter(|(record, _)| !left.contains(record)).map(|(_, (place, _))| place.clone()).collect();
    Some(remove_ranges(dump, &lengths, &gone))
}

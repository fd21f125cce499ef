//! Changes that concern a dump as a whole: what it has none of, how many heaps it has, in which order its records stand, and by which
//! numbers it names things.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::draw::Draw;
use crate::family::{Family, StatedLength, remove_ranges};

use super::{MutationField, NUMBERS, number, other_number, records, tag};

/// The dump without all records of some kinds.
pub(super) fn thinned(family: Family, dump: &[u8], fields: &[MutationField], draw: &mut dyn Draw) -> Option<Vec<u8>> {
    Some(remove_ranges(dump, &family.lengths(dump), &kinds_of_records(fields, draw)))
}

/// The dump with another heap, with records in other places, or with another number wherever one stands.
pub(super) fn rearranged(
    family: Family,
    dump: &[u8],
    fields: &[MutationField],
    draw: &mut dyn Draw,
) -> Option<Vec<u8>> {
    match draw.below(3) {
        0 => family.framing()?.another_heap(dump, &starts(fields), draw),
        1 => moved(family, dump, &starts(fields), draw),
        _ => renumbered(family, dump, fields, draw),
    }
}

/// The offsets at which records begin.
fn starts(fields: &[MutationField]) -> Vec<usize> {
    records(fields).filter_map(|record| Some(record.first()?.at.start)).collect()
}

/// A kind of record: the tag that it begins with, or the names of its fields where there is none.
type RecordShape<'f> = (Option<i64>, Vec<&'f str>);

/// The places of all records of one to three kinds, or of all other kinds, in the order of the dump.
fn kinds_of_records(fields: &[MutationField], draw: &mut dyn Draw) -> Vec<Range<usize>> {
    let mut kinds: BTreeMap<RecordShape<'_>, Vec<Range<usize>>> = BTreeMap::new();
    for record in records(fields) {
        let (Some(first), Some(last)) = (record.first(), record.last()) else { continue };
        let tag = tag(record);
        let mut names: Vec<&str> = record.iter().map(|field| field.name).filter(|_| tag.is_none()).collect();
        names.sort_unstable();
        names.dedup();
        kinds.entry((tag, names)).or_default().push(first.at.start..last.at.end);
    }
    let mut kinds: Vec<Vec<Range<usize>>> = kinds.into_values().collect();
    if kinds.is_empty() {
        return Vec::new();
    }
    let few = draw.between(1, 3);
    let chosen: Vec<usize> = (0..few).map(|_| draw.below(kinds.len() as u64) as usize).collect();
    let keeps = draw.one_in(3);
    let mut at = 0;
    kinds.retain(|_| {
        at += 1;
        chosen.contains(&(at - 1)) != keeps
    });
    let mut gone: Vec<Range<usize>> = kinds.into_iter().flatten().collect();
    gone.sort_unstable_by_key(|place| place.start);
    gone
}

/// The dump with two series of records in each other's place, which follow each other.
fn moved(family: Family, dump: &[u8], starts: &[usize], draw: &mut dyn Draw) -> Option<Vec<u8>> {
    let lengths = family.lengths(dump);
    let (mut outside, mut left) = (Vec::new(), starts);
    let mut within = Vec::new();
    for StatedLength { of, .. } in &lengths {
        let (before, rest) = left.split_at(left.partition_point(|start| *start < of.start));
        let (inside, after) = rest.split_at(rest.partition_point(|start| *start < of.end));
        outside.extend_from_slice(before);
        within.push([inside, &[of.end]].concat());
        left = after;
    }
    outside.extend_from_slice(left);
    outside.push(dump.len());
    // Records among which some can be moved.
    within.retain(|ends: &Vec<usize>| ends.len() > 2);
    let ends: &Vec<usize> = if within.is_empty() || draw.one_in(2) { &outside } else { draw.pick(&within) };
    let mut chosen: Vec<usize> = (0..3).map(|_| *draw.pick(ends)).collect();
    chosen.sort_unstable();
    let mut moved = dump.to_vec();
    moved[chosen[0]..chosen[2]].rotate_left(chosen[1] - chosen[0]);
    Some(moved)
}

/// The dump with another number in all fields that have the number of one; of text, with the bytes of another field.
fn renumbered(family: Family, dump: &[u8], fields: &[MutationField], draw: &mut dyn Draw) -> Option<Vec<u8>> {
    let mut names: BTreeMap<&str, Vec<&MutationField>> = BTreeMap::new();
    fields
        .iter()
        .filter(|field| field.value.is_some())
        .for_each(|field| names.entry(field.name).or_default().push(field));
    let named: Vec<Vec<&MutationField>> = names.into_values().collect();
    if named.is_empty() {
        return None;
    }
    let same_name = draw.pick(&named);
    let field = draw.pick(same_name);
    let old = &dump[field.at.clone()];
    let new = match number(old, field.value) {
        // 0 is often read as none.
        Some(_) if draw.one_in(3) => vec![0; old.len()],
        Some(_) if draw.one_in(2) => dump[draw.pick(same_name).at.clone()].to_vec(),
        Some(_) if draw.one_in(2) => draw.pick(&NUMBERS).to_be_bytes()[8 - old.len()..].to_vec(),
        Some(number) => other_number(number, old.len(), draw),
        None => dump[draw.pick(same_name).at.clone()].to_vec(),
    };
    if new.len() != old.len() && !family.lengths(dump).is_empty() {
        return None;
    }
    let mut changed = Vec::with_capacity(dump.len());
    let mut from = 0;
    for other in fields.iter().filter(|other| other.value.is_some() && dump[other.at.clone()] == *old) {
        if other.at.start < from {
            continue;
        }
        changed.extend_from_slice(&dump[from..other.at.start]);
        changed.extend_from_slice(&new);
        from = other.at.end;
    }
    changed.extend_from_slice(&dump[from..]);
    Some(changed)
}

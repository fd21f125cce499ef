//! Relations of values to others of the dump.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{ProbedField, ProbedFieldKey, ValueRelation, records};

/// Passes on where the values of fields lead, and whether they stand twice: the place of the field, its key and the relation.
pub fn visit_relations(
    fields: &[ProbedField],
    plain: &[u8],
    visit: &mut dyn FnMut(usize, ProbedFieldKey, ValueRelation),
) {
    let value = |field: &ProbedField| {
        field.address.or_else(|| field.number.filter(|_| field.at.len() >= 4)).filter(|value| *value > 0)
    };
    // By value and field: where it stands first and last.
    let mut places: HashMap<u64, BTreeMap<ProbedFieldKey, (usize, usize)>> = HashMap::new();
    for (place, field) in fields.iter().enumerate().filter(|(_, field)| field.record.is_some()) {
        if let Some(value) = value(field) {
            let (_, last) = places.entry(value).or_default().entry(field.key()).or_insert((place, place));
            *last = place;
        }
    }
    let mut before: HashMap<ProbedFieldKey, &[u8]> = HashMap::new();
    for record in records(fields) {
        let mut own: HashMap<u64, BTreeSet<ProbedFieldKey>> = HashMap::new();
        for field in &fields[record.clone()] {
            value(field).into_iter().for_each(|value| _ = own.entry(value).or_default().insert(field.key()));
        }
        for (place, field) in record.clone().zip(&fields[record.clone()]) {
            let key = field.key();
            let bytes = &plain[field.at.clone()];
            if bytes.len() >= 2 && before.insert(key, bytes) == Some(bytes) {
                visit(place, key, ValueRelation::AsBefore);
            }
            let Some(value) = value(field) else { continue };
            let Some(all) = places.get(&value) else { continue };
            let others = || all.iter().filter(|(other, _)| **other != key);
            let is_own = own.get(&value).is_some_and(|keys| keys.len() > 1);
            let relation = if is_own {
                ValueRelation::InOwnRecord
            } else if others().any(|(_, (first, _))| *first < place) {
                ValueRelation::After
            } else if others().any(|(_, (_, last))| *last > place) {
                ValueRelation::Ahead
            } else {
                ValueRelation::Alone
            };
            visit(place, key, relation);
            if matches!(relation, ValueRelation::Ahead | ValueRelation::Alone) {
                visit(place, key, ValueRelation::Unseen);
            }
            if all.get(&key).is_some_and(|(first, _)| *first < place) {
                visit(place, key, ValueRelation::Again);
            }
        }
    }
}

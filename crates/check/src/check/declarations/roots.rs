//! Declarations about roots that are listed once, or not at all.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::check::declarations::ComparedSides;
use crate::check::declarations::references::addresses;
use heapsmith_core::model::{Address, Root, RootNumber};

/// A root without its place: object, kind and numbers.
pub(in crate::check) type RootKey = (Address, usize, Vec<u64>);

/// The key of a root.
pub(in crate::check) fn root_key(root: &Root) -> RootKey {
    let mut kind = root.kind;
    (root.object, kind.index(), kind.numbers().map(|number: RootNumber<'_>| number.get()).collect())
}

/// Takes away the right roots of nothing that are not told: by the place among the choices those of the address 0, or all of what
/// is not in the dump.
pub(in crate::check) fn without_left_out(sides: &mut ComparedSides<'_>, left_out: &[usize]) {
    let has_dangling = left_out.contains(&1);
    let there = if has_dangling { addresses(&sides.right) } else { HashSet::new() };
    let is_nothing = |root: &Root| root.object.is_null() || has_dangling && !there.contains(&root.object);
    let told: HashSet<RootKey> = sides.told.surroundings.roots.iter().flatten().map(root_key).collect();
    if let Some(roots) = &mut sides.right.to_mut().surroundings.roots {
        roots.retain(|root| !is_nothing(root) || told.contains(&root_key(root)));
    }
}

/// Reduces right roots that count as one, and told ones that are equal, to one each: the told one if it is right. Their
/// order is unknown afterwards.
pub(in crate::check) fn merge_roots(sides: &mut ComparedSides<'_>, chosen: &[usize]) {
    let group = |key: &RootKey| {
        let (object, kind, numbers) = key.clone();
        match chosen {
            [1] => (object, Some((kind, numbers))),
            [2] => (object, Some((kind, Vec::new()))),
            _ => (object, None),
        }
    };
    let unplaced = |roots: &[Root]| -> BTreeMap<RootKey, Root> {
        roots.iter().map(|root| (root_key(root), Root { after: None, ..*root })).collect()
    };
    let Some(told) = sides.told.surroundings.roots.as_deref().map(unplaced) else { return };
    let Some(right) = sides.right.surroundings.roots.as_deref().map(unplaced) else { return };
    let mut groups: BTreeMap<_, Vec<RootKey>> = BTreeMap::new();
    right.keys().for_each(|key| groups.entry(group(key)).or_default().push(key.clone()));
    // Where threads and frames are not reported, a told root has none.
    let told_kinds: BTreeSet<(Address, usize)> = told.keys().map(|(object, kind, _)| (*object, *kind)).collect();
    let mut kept = BTreeSet::new();
    for keys in groups.into_values() {
        let exact: Vec<&RootKey> = keys.iter().filter(|key| told.contains_key(key)).collect();
        let of_kind = keys.iter().find(|(object, kind, _)| told_kinds.contains(&(*object, *kind)));
        match (exact.is_empty(), of_kind) {
            (false, _) => kept.extend(exact.into_iter().cloned()),
            (true, of_kind) => kept.extend(of_kind.or(keys.first()).cloned()),
        }
    }
    let right = right.into_iter().filter(|(key, _)| kept.contains(key)).map(|(_, root)| root).collect();
    sides.right.to_mut().surroundings.roots = Some(right);
    sides.told.to_mut().surroundings.roots = Some(told.into_values().collect());
}

//! Answers with the right classes and objects in their order at wrong addresses. Their other mistakes are found by
//! comparing entries in the same place.

use std::collections::{HashMap, HashSet};

use crate::check::judge::consequences::describe_entry;
use crate::check::judge::{Mismatch, WrongFact};
use crate::check::report::MISREAD_SIGN;
use heapsmith_core::compare::Facet;
use heapsmith_core::compare::listing::HeapPlaces;
use heapsmith_core::family::Family;
use heapsmith_core::model::{Address, Class, Heap, Object, ObjectKind, WordSize, visit};

/// Judges an answer that may have its classes and objects in the right order at wrong addresses. Such an answer is
/// judged once more at the right addresses: a fact that is right there is wrong only because of the addresses.
pub(super) fn judge_allowing_moves(
    family: Family,
    right: &Heap,
    told: &Heap,
    mut judge: impl FnMut(&Heap) -> Result<(), Mismatch>,
) -> Result<(), Mismatch> {
    let Err(wrong) = judge(told) else { return Ok(()) };
    let moved = if wrong.differing.contains(Facet::Address) { relocate(right, told) } else { None };
    let Some(moved) = moved else { return Err(wrong) };
    let settled = judge(&moved.heap).err();
    Err(moved.mismatch(right, family, wrong, settled))
}

/// An answer with the addresses of the right heap.
struct RelocatedAnswer {
    heap: Heap,
    /// The right addresses of those that are somewhere else, in the order of the dump, and where the answer has them.
    all: Vec<(Address, Address)>,
    /// Entries whose distance from the one before is wrong.
    apart: Vec<Displacement>,
}

/// A class or object whose distance from the one before is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Displacement {
    /// Its right address, and the address that the answer has.
    right: Address,
    told: Address,
    /// Whether the distance has the other sign and is wrong by a power of two: by which.
    sign: Option<u32>,
}

/// A class or an object, with its place among those of the heap.
#[derive(Clone, Copy)]
enum HeapEntry<'h> {
    Class(usize, &'h Class),
    Object(usize, &'h Object),
}

impl HeapEntry<'_> {
    fn address(self) -> Address {
        match self {
            HeapEntry::Class(_, class) => class.address,
            HeapEntry::Object(_, object) => object.address,
        }
    }

    fn kind(self) -> Option<ObjectKind> {
        match self {
            HeapEntry::Class(..) => None,
            HeapEntry::Object(_, object) => Some(object.kind),
        }
    }

    /// Whether another one says the same of what does not depend on addresses.
    fn resembles(self, other: HeapEntry<'_>) -> bool {
        match (self, other) {
            (HeapEntry::Class(_, one), HeapEntry::Class(_, other)) => one.name == other.name,
            (HeapEntry::Object(_, one), HeapEntry::Object(_, other)) => {
                (one.hash, one.length) == (other.hash, other.length)
            }
            _ => false,
        }
    }

    /// The addresses of classes that are no references.
    fn class_addresses(self) -> [Option<Address>; 2] {
        match self {
            HeapEntry::Class(_, class) => [class.superclass, None],
            HeapEntry::Object(_, object) => [object.class, object.class_word],
        }
    }

    /// Every address that it holds besides its own, which is visited first.
    fn held_addresses(self) -> HashSet<Address> {
        let mut all = Vec::new();
        match self {
            HeapEntry::Class(_, one) => visit::class(&mut one.clone(), &mut |address| all.push(*address)),
            // Contents that cannot be read any more hold nothing.
            HeapEntry::Object(_, one) => _ = visit::addresses(one, &mut |address| all.push(address)),
        }
        all.into_iter().skip(1).collect()
    }
}

/// The answer's heap at the right addresses; `None` unless its classes and objects are those of the right heap in the
/// same order.
fn relocate(right: &Heap, told: &Heap) -> Option<RelocatedAnswer> {
    let (rights, tolds) = (entries_in_order(right), entries_in_order(told));
    let pairs = || rights.iter().copied().zip(tolds.iter().copied());
    if rights.len() != tolds.len() || pairs().any(|(right, told)| right.kind() != told.kind()) {
        return None;
    }
    let moved = || pairs().filter(|(right, told)| right.address() != told.address());
    let alike = moved().filter(|(right, told)| right.resembles(*told)).count();
    let mut missing: HashMap<Address, i64> = HashMap::new();
    for (right, told) in pairs() {
        *missing.entry(right.address()).or_default() += 1;
        *missing.entry(told.address()).or_default() -= 1;
    }
    let missing = missing.into_values().filter(|missing| *missing > 0).sum::<i64>() as usize;
    let shift = |(right, told): (HeapEntry<'_>, HeapEntry<'_>)| told.address().0.wrapping_sub(right.address().0);
    let all: Vec<_> = moved().map(|(right, told)| (right.address(), told.address())).collect();
    let word = right.facts.word_size.unwrap_or(WordSize::Bits64);
    let addresses = || pairs().map(|(right, told)| (right.address(), told.address()));
    let before = std::iter::once((Address::NULL, Address::NULL)).chain(addresses());
    // Addresses of 4 bytes wrap, if the answer has none beyond.
    let are_words =
        addresses().all(|(right, told)| [right, told].iter().all(|address| word.mask(address.0) == address.0));
    let unused = if are_words { u64::BITS - word.bits() } else { 0 };
    let distance = |to: Address, from: Address| (to.0.wrapping_sub(from.0) << unused).cast_signed() >> unused;
    let apart = addresses().zip(before).filter_map(|((right, told), before)| {
        let (due, found) = (distance(right, before.0), distance(told, before.1));
        (due != found).then(|| Displacement {
            right,
            told,
            sign: misread_sign_power(due, found).filter(|_| right != told),
        })
    });
    let apart: Vec<_> = apart.collect();
    // The right addresses in another order are not moved: few are missing then, and few are as far from the one before as they should.
    let signs = missing + all.len().saturating_sub(apart.len());
    if missing == 0 || all.len() > 2 * alike.min(signs) {
        return None;
    }
    // Where an address leads: nowhere for certain, if several are at it.
    let mut back: HashMap<Address, Option<Address>> = HashMap::new();
    for (right, told) in pairs() {
        back.entry(told.address()).and_modify(|to| *to = None).or_insert(Some(right.address()));
    }
    let back = |told: Address| back.get(&told).copied().flatten().unwrap_or(told);
    let mut heap = told.clone();
    for (right, told) in pairs() {
        let (held, shift) = (right.held_addresses(), shift((right, told)));
        let near = |told: Address| Address(word.mask(told.0.wrapping_sub(shift)));
        let is_held = |address: &Address| held.contains(address);
        let references: Vec<Address> =
            told.held_addresses().into_iter().filter(|to| !told.class_addresses().contains(&Some(*to))).collect();
        let right_as_they_are = references.iter().filter(|to| is_held(to)).count();
        let are_near = references.iter().filter(|to| is_held(&near(**to))).count() > right_as_they_are;
        // Right by itself; or at the right distance, as references are where most of them are; or that of one that has moved.
        let settled = |told: Address, are_near: bool| {
            let (one, other) = if are_near { (near(told), told) } else { (told, near(told)) };
            [one, other].into_iter().find(is_held).unwrap_or_else(|| back(told))
        };
        let reference = &mut |address: &mut Address| *address = settled(*address, are_near);
        match told {
            HeapEntry::Class(at, told) => {
                let class = &mut heap.classes[at];
                visit::class(class, reference);
                class.superclass = told.superclass.map(|superclass| settled(superclass, false));
                class.address = right.address();
            }
            HeapEntry::Object(at, told) => {
                let object = &mut heap.objects[at];
                visit::object(object, reference);
                [object.class, object.class_word] =
                    [told.class, told.class_word].map(|class| class.map(|class| settled(class, false)));
                object.address = right.address();
            }
        }
    }
    let mut held = HashSet::new();
    visit::surroundings(&mut right.surroundings.clone(), &mut |address| _ = held.insert(*address));
    visit::surroundings(&mut heap.surroundings, &mut |address| {
        if !held.contains(address) {
            *address = back(*address);
        }
    });
    Some(RelocatedAnswer { heap, all, apart })
}

/// The power of two by which a distance is wrong, if its sign was misread.
fn misread_sign_power(due: i64, found: i64) -> Option<u32> {
    let apart = due.abs_diff(found);
    let is_a_byte_at_least = apart.is_power_of_two() && apart >= 1 << u8::BITS;
    // A signed number is at most half of that below zero.
    let is_other = (due < 0) != (found < 0) && due.min(found).unsigned_abs() <= apart / 2;
    (is_a_byte_at_least && is_other).then(|| apart.ilog2())
}

impl RelocatedAnswer {
    /// The mismatch of the answer: wrong addresses, facts that are wrong at the right addresses as well, and facts that
    /// are wrong only as told.
    fn mismatch(&self, right: &Heap, family: Family, told: Mismatch, settled: Option<Mismatch>) -> Mismatch {
        let apart: Vec<Displacement> = match family.facts().tells_distances {
            // Where a dump says only how far a record is from the one before, those after it are as far away as it is.
            true => self.apart.clone(),
            false => self.all.iter().map(|&(right, told)| Displacement { right, told, sign: None }).collect(),
        };
        let (signs, others): (Vec<Displacement>, Vec<Displacement>) =
            apart.iter().partition(|apart| apart.sign.is_some());
        // One that is at its right address again, after another that is not, is no mistake of its own.
        let has_moved = |of: &[Displacement]| of.iter().any(|apart| apart.right != apart.told);
        let is_mixed = has_moved(&signs) && has_moved(&others);
        // Those that are elsewhere are so because of the first, but of two kinds it cannot be said which.
        let count = |of: &[Displacement]| if is_mixed { of.len() } else { self.all.len() } as u64;
        let addresses = [others, signs].into_iter().filter_map(|of| {
            let first = of.iter().find(|apart| apart.right != apart.told)?;
            Some(first.wrong_fact(right, count(&of), &of))
        });
        let settled = settled.map(|wrong| wrong.facts).unwrap_or_default();
        let is_open = |fact: &WrongFact| {
            fact.facet != Some(Facet::Address) && settled.iter().all(|other| other.fact != fact.fact)
        };
        let follows = Some(Facet::Address.to_string());
        let of_address = |fact: &WrongFact| WrongFact { follows: follows.clone(), is_settled: true, ..fact.clone() };
        let following: Vec<WrongFact> = told.facts.iter().filter(|fact| is_open(fact)).map(of_address).collect();
        // One has moved at least.
        Mismatch::from_facts(addresses.chain(settled).chain(following)).unwrap_or(told)
    }
}

impl Displacement {
    /// The wrong fact of which this entry is the first: all of them are wrong in the same way.
    fn wrong_fact(self, heap: &Heap, count: u64, all: &[Displacement]) -> WrongFact {
        let by = self.sign.map(|power| format!("; distance off by 2^{power}, {MISREAD_SIGN}"));
        let by = by.unwrap_or_default();
        WrongFact {
            fact: Facet::Address.to_string(),
            facet: Some(Facet::Address),
            address: Some(self.right.to_string()),
            expected: describe_entry(heap, self.right),
            found: format!("the same at {}{by}", self.told),
            count,
            at: all.iter().map(|apart| apart.right).collect(),
            is_settled: true,
            follows: None,
        }
    }
}

/// The classes and objects of a heap in the order of its dump.
fn entries_in_order(heap: &Heap) -> Vec<HeapEntry<'_>> {
    let places = HeapPlaces::from_order(heap);
    let classes = heap.classes.iter().enumerate().map(|(at, class)| HeapEntry::Class(at, class)).zip(&places.classes);
    let objects =
        heap.objects.iter().enumerate().map(|(at, object)| HeapEntry::Object(at, object)).zip(&places.objects);
    let mut all: Vec<_> = classes.chain(objects).collect();
    all.sort_by_key(|(_, place)| place.record);
    all.into_iter().map(|(entry, _)| entry).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::check::judge::listing::reject_differences;
    use heapsmith_core::compare::compare;
    use heapsmith_core::format::Format;
    use heapsmith_core::model::{Contents, IdentityHash};

    /// A class, and objects at these addresses, each with a hash of its own and a reference to the next one.
    fn heap(class: u64, objects: &[u64]) -> Heap {
        let to = objects.iter().skip(1).map(|to| vec![Address(*to)]).chain([Vec::new()]);
        let of = |((hash, address), to): ((u16, &u64), Vec<Address>)| Object {
            address: Address(*address),
            class_word: Some(Address(0x1000)),
            hash: Some(IdentityHash::Bits16(hash)),
            contents: Contents::References(to),
            ..Object::default()
        };
        let classes = vec![Class { address: Address(class), after_objects: Some(0), ..Class::default() }];
        Heap { classes, objects: (1..).zip(objects).zip(to).map(of).collect(), ..Heap::default() }
    }

    /// The wrong facts: name, number of places, and the fact that each follows from.
    fn wrong(right: &Heap, told: &Heap) -> Vec<(String, u64, Option<String>)> {
        let judge = |told: &Heap| reject_differences(&compare(right, told, &BTreeSet::from([Facet::RecordOrder])));
        let wrong = judge_allowing_moves(Format::PHD6.family(), right, told, judge).expect_err("it differs");
        wrong.facts.into_iter().map(|fact| (fact.fact, fact.count, fact.follows)).collect()
    }

    fn address(count: u64) -> (String, u64, Option<String>) {
        ("address".to_owned(), count, None)
    }

    #[test]
    fn compares_moved_objects_with_expected_ones() {
        let right = heap(0x1000, &[0x1010, 0x1020, 0x1040]);
        let mut told = heap(0x1000, &[0x1008, 0x1018, 0x1038]);
        assert_eq!(wrong(&right, &told), [address(3)]);
        let moved = relocate(&right, &told).expect("it has moved");
        assert_eq!(moved.apart, [Displacement { right: Address(0x1010), told: Address(0x1008), sign: None }]);
        assert_eq!(moved.heap.objects, right.objects);
        // Another mistake is told apart.
        told.objects[1].hash = None;
        told.objects[2].contents = Contents::References(vec![Address(0x1038)]);
        let others = [("hash-16".to_owned(), 1, None), ("references".to_owned(), 1, None)];
        let told = wrong(&right, &told);
        assert_eq!(told[0], address(3));
        assert!(others.iter().all(|other| told.contains(other)), "{told:?}");
    }

    /// The second object is at the address of the third, whose hash is wrong only because that is another object.
    #[test]
    fn derives_differences_from_wrong_address() {
        let right = heap(0x1000, &[0x1010, 0x1020, 0x1030]);
        let told = wrong(&right, &heap(0x1000, &[0x1010, 0x1030, 0x1040]));
        assert_eq!(told[0], address(2));
        assert!(told.contains(&("hash-16".to_owned(), 1, Some("address".to_owned()))), "{told:?}");
        assert!(told[1..].iter().all(|(_, _, follows)| follows.is_some()), "{told:?}");
    }

    /// 0x10 back in a byte of words of 4 bytes is 0x3f0 on without a sign.
    #[test]
    fn detects_distance_with_wrong_sign() {
        let signs = |right: &[u64], told: &[u64]| -> Vec<Option<u32>> {
            let moved = relocate(&heap(0x1000, right), &heap(0x1000, told)).expect("it has moved");
            moved.apart.iter().map(|apart| apart.sign).collect()
        };
        let right = [0x2000, 0x1ff0, 0x2100];
        assert_eq!(signs(&right, &[0x2000, 0x23f0, 0x2500]), [Some(10)]);
        assert_eq!(signs(&right, &[0x2000, 0x23f0, 0x2508]), [Some(10), None]);
        // With the other sign, or wrong by a power of two; but no number is so without its sign, or with one.
        assert_eq!(signs(&right, &[0x2000, 0x23f8, 0x2508]), [None]);
        assert_eq!(signs(&[0x2000, 0x2010, 0x2020], &[0x2000, 0x1c10, 0x1c20]), [None]);
        assert_eq!(signs(&[0x2000, 0x2100, 0x2110], &[0x2000, 0x2200, 0x2210]), [None]);
        // A byte with the highest bit set that is read with a sign.
        assert_eq!(signs(&[0x2000, 0x2300, 0x2310], &[0x2000, 0x1f00, 0x1f10]), [Some(10)]);
        let told = wrong(&heap(0x1000, &right), &heap(0x1000, &[0x2000, 0x23f0, 0x2508]));
        assert_eq!(told[..2], [address(1), address(1)]);
        // The one after it is where it should be, and not a mistake of its own.
        let (back, elsewhere) = (&[0x2000, 0x23f0, 0x2100], &[0x2000, 0x23f8, 0x2100]);
        assert_eq!(signs(&right, back), [Some(10), None]);
        assert_eq!(wrong(&heap(0x1000, &right), &heap(0x1000, back))[0], address(1));
        let facts = |told: &[u64]| {
            let (right, told) = (heap(0x1000, &right), heap(0x1000, told));
            let judge = |told: &Heap| reject_differences(&compare(&right, told, &BTreeSet::from([Facet::RecordOrder])));
            judge_allowing_moves(Format::PHD6.family(), &right, &told, judge).expect_err("it differs").facts
        };
        let are_signs = |told: &[u64]| -> Vec<bool> {
            let addresses = facts(told).into_iter().filter(|fact| fact.facet == Some(Facet::Address));
            addresses.map(|fact| fact.found.contains(MISREAD_SIGN)).collect()
        };
        assert_eq!(are_signs(&[0x2000, 0x23f0, 0x2508]), [false, true]);
        assert_eq!(are_signs(back), [true]);
        assert_eq!(are_signs(elsewhere), [false]);
        // Addresses of 4 bytes wrap: 0x10 back, or 0x3f0 on.
        let words = |objects: &[u64]| {
            let mut heap = heap(0x1000, objects);
            heap.facts.word_size = Some(WordSize::Bits32);
            heap
        };
        let (right, told) = (words(&[8, 0xffff_fff8, 0x28]), words(&[8, 0x3f8, 0x428]));
        let moved = relocate(&right, &told).expect("it has moved");
        assert_eq!(moved.apart.iter().map(|apart| apart.sign).collect::<Vec<_>>(), [Some(10)]);
    }

    #[test]
    fn does_not_treat_reordered_or_other_objects_as_moved() {
        let right = heap(0x1000, &[0x1010, 0x1020, 0x1040, 0x1060]);
        // One of them is somewhere else, and the others in another order.
        assert!(relocate(&right, &heap(0x1000, &[0x1060, 0x1040, 0x1020, 0x1018])).is_none());
        // One is missing.
        assert!(relocate(&right, &heap(0x1000, &[0x1010, 0x1028, 0x1048])).is_none());
        // Others stand there.
        let mut others = heap(0x1000, &[0x1018, 0x1028, 0x1048, 0x1068]);
        others.objects.iter_mut().for_each(|object| object.hash = None);
        assert!(relocate(&right, &others).is_none());
    }
}

//! The readings that a PHD leaves open.

use std::collections::{HashMap, HashSet};

use crate::compare::Facet;
use crate::family::case::{Ambiguity, CaseDump, ReadingChoice, ReadingHeap, repeated_classes, repeated_objects};
use crate::model::{Address, ByteLen, Class, Contents, Heap, IdentityHash, Object, ObjectKind};
use crate::phd::wire::{FileFlags, Version};

/// The ambiguities of a dump, in the order in which readings are applied.
pub(in crate::phd) const AMBIGUITIES: &[Ambiguity] = &[
    Ambiguity {
        name: "phd.address-unit",
        about: "The unit of addresses in a dump of version 6 without flag 4",
        rule: "phd.header.address-unit",
        choices: &[
            ReadingChoice::new("8", "8 bytes, as the DTFJ reader takes it"),
            ReadingChoice::new("4", "4 bytes, as S0 says"),
        ],
        facets: &[Facet::Address],
        means: ReadingHeap::Spelled,
    },
    Ambiguity {
        name: "phd.hashes-without-j9",
        about: "Hashes in a dump with flag 2 and without flag 4",
        rule: "phd.header.hashed-without-j9",
        choices: &[
            ReadingChoice::new("none", "no record has a 16-bit hash, as the DTFJ reader takes it"),
            ReadingChoice::new("every-record", "every record has one, as the documents say"),
        ],
        facets: &[Facet::Hash16],
        means: ReadingHeap::Spelled,
    },
    Ambiguity {
        name: "phd.length-and-size",
        about: "The last two numbers of an object array in version 6",
        rule: "phd.object-array.field-order",
        choices: &[
            ReadingChoice::new("length-first", "the length, then the instance size, as writers and readers have it"),
            ReadingChoice::new(
                "size-first",
                "the instance size, then the length, as S0 says, unless that leaves fewer elements than references",
            ),
            ReadingChoice::new(
                "by-size",
                "the same where the size would else have no room for two words and one for each element",
            ),
        ],
        facets: &[Facet::ArrayLength, Facet::ObjectSize],
        means: ReadingHeap::Heap {
            same: |_, heap, one, other| {
                let is_other = |object: &Object| {
                    swapped_length_and_size(object, one).is_some() != swapped_length_and_size(object, other).is_some()
                };
                !heap.objects.iter().any(is_other)
            },
            apply: swap_lengths_and_sizes,
        },
    },
    Ambiguity {
        name: "phd.missing-hash",
        about: "The hash of a record that stores none, in a dump without flag 4",
        rule: "phd.hash.computed",
        choices: &[
            ReadingChoice::new("none", "it has none"),
            ReadingChoice::new(
                "computed",
                "worked out of the address and the header's random numbers, as the DTFJ reader does",
            ),
        ],
        facets: &[Facet::Hash32],
        means: ReadingHeap::Heap {
            same: |dump, heap, _, _| is_j9(dump) || addresses_without_hash(heap).next().is_none(),
            apply: compute_hashes,
        },
    },
    Ambiguity {
        name: "phd.hash-16",
        about: "The number that a 16-bit hash is",
        rule: "phd.hash.16-bit-value",
        choices: &[
            ReadingChoice::new("stored", "the 16 bits as they are stored"),
            ReadingChoice::new("15-bits", "the low 15 bits"),
            ReadingChoice::new(
                "doubled",
                "with h for the low 15 bits, h << 16 | h in 32 bits, as the DTFJ reader shows it",
            ),
        ],
        facets: &[Facet::Hash16, Facet::Hash32],
        means: ReadingHeap::Heap { same: is_same_hash, apply: rewrite_hashes },
    },
    Ambiguity {
        name: "phd.array-class",
        about: "The class of an object array in version 4 whose first reference is to the class record of an array",
        rule: "phd.object-array.class-word",
        choices: &[
            ReadingChoice::new("as-written", "the class word as the record has it"),
            ReadingChoice::new("first-reference", "the class that the first reference leads to"),
            ReadingChoice::new("first-reference-removed", "that class, and the reference is none of the array's"),
        ],
        facets: &[Facet::ClassWord, Facet::References, Facet::ReferenceOrder],
        means: ReadingHeap::Heap {
            same: |dump, heap, _, other| {
                let classes = array_classes(dump, heap);
                // With the class word that it has, a class changes nothing unless the reference goes.
                let is_kept = |object: &Object| {
                    classes.get(&object.address).is_none_or(|class| object.class_word == Some(*class))
                };
                classes.is_empty() || other == 1 && heap.objects.iter().all(is_kept)
            },
            apply: take_array_class,
        },
    },
    Ambiguity {
        name: "phd.first-reference",
        about: "The first reference of an object or object array that is the same as its class word, in a dump with flag 4",
        rule: "phd.references.first-is-class",
        choices: &[
            ReadingChoice::new("kept", "a reference like any other"),
            ReadingChoice::new("dropped", "a repetition of the class word, which is left out, as the DTFJ reader does"),
        ],
        facets: &[Facet::References, Facet::ReferenceOrder],
        means: ReadingHeap::Heap {
            same: |dump, heap, _, _| !is_j9(dump) || !heap.objects.iter().any(begins_with_class),
            apply: drop_first,
        },
    },
    Ambiguity {
        name: "phd.null-references",
        about: "Null references that a record lists",
        rule: "phd.references.null",
        choices: &[ReadingChoice::new("listed", "listed"), ReadingChoice::new("left-out", "left out")],
        facets: &[Facet::References, Facet::ClassReferences, Facet::ReferenceOrder, Facet::NullReferences],
        means: ReadingHeap::Heap {
            same: |_, heap, _, _| {
                let of_classes = heap.classes.iter().flat_map(|class| class.references.iter().flatten());
                !heap.objects.iter().filter_map(listed).flatten().chain(of_classes).any(|to| to.is_null())
            },
            apply: |_, heap, _| references(heap).for_each(|(_, listed)| listed.retain(|to| !to.is_null())),
        },
    },
    Ambiguity {
        name: "phd.element-order",
        about: "The order of the references of an object array",
        rule: "phd.object-array.reference-order",
        choices: &[
            ReadingChoice::new("file", "as they stand in the file"),
            ReadingChoice::new("index", "turned round, into the order of indices, as the DTFJ reader does"),
        ],
        facets: &[Facet::ReferenceOrder],
        means: ReadingHeap::Heap {
            same: |_, heap, _, _| {
                heap.objects.iter().filter(is_object_array).filter_map(listed).all(|listed| is_palindrome(listed))
            },
            apply: |_, heap, _| {
                heap.objects.iter_mut().filter(is_array).filter_map(listed_mut).for_each(|to| to.reverse())
            },
        },
    },
    repeated_classes("phd.repeated-class", "phd.graph.duplicate-address"),
    repeated_objects("phd.repeated-object", "phd.graph.duplicate-address"),
];

fn is_j9(dump: &CaseDump<'_>) -> bool {
    // S0, General structure: the flags follow the magic text and the version.
    dump.word(24) & FileFlags::J9 != 0
}

fn is_object_array(object: &&Object) -> bool {
    object.kind == ObjectKind::ObjectArray
}

fn is_array(object: &&mut Object) -> bool {
    object.kind == ObjectKind::ObjectArray
}

fn listed(object: &Object) -> Option<&Vec<Address>> {
    match &object.contents {
        Contents::References(listed) => Some(listed),
        _ => None,
    }
}

fn listed_mut(object: &mut Object) -> Option<&mut Vec<Address>> {
    match &mut object.contents {
        Contents::References(listed) => Some(listed),
        _ => None,
    }
}

/// The references of all classes and objects, each list with its class word.
fn references(heap: &mut Heap) -> impl Iterator<Item = (Option<Address>, &mut Vec<Address>)> {
    let of_classes = heap.classes.iter_mut().filter_map(|class| class.references.as_mut()).map(|listed| (None, listed));
    let of_objects = heap.objects.iter_mut().filter_map(|object| {
        let word = object.class_word;
        listed_mut(object).map(|listed| (word, listed))
    });
    of_classes.chain(of_objects)
}

fn is_palindrome(listed: &[Address]) -> bool {
    listed.iter().eq(listed.iter().rev())
}

/// Length and size of an array whose numbers are taken the other way round.
fn swapped_length_and_size(object: &Object, choice: usize) -> Option<(u64, ByteLen)> {
    let (ObjectKind::ObjectArray, Some(length), Some(ByteLen(size))) = (object.kind, object.length, object.size) else {
        return None;
    };
    let fits = listed(object).is_none_or(|listed| size / 4 >= listed.len() as u64);
    let is_chosen = match choice {
        0 => false,
        1 => true,
        _ => size / 4 < length + 2,
    };
    (is_chosen && fits && size / 4 != length).then_some((size / 4, ByteLen(length * 4)))
}

fn swap_lengths_and_sizes(_: &CaseDump<'_>, heap: &mut Heap, choice: usize) {
    for object in &mut heap.objects {
        if let Some((length, size)) = swapped_length_and_size(object, choice) {
            (object.length, object.size) = (Some(length), Some(size));
        }
    }
}

fn addresses_without_hash(heap: &Heap) -> impl Iterator<Item = Address> {
    let of_classes = heap.classes.iter().filter(|class| class.hash.is_none()).map(|class| class.address);
    of_classes.chain(heap.objects.iter().filter(|object| object.hash.is_none()).map(|object| object.address))
}

/// The rule `phd.hash.computed`.
fn compute_hashes(dump: &CaseDump<'_>, heap: &mut Heap, _: usize) {
    if is_j9(dump) {
        return;
    }
    let (first, second) = heap.facts.hash_randoms.unwrap_or_default();
    let of = |Address(address): Address| {
        let turned = (((address >> 3) as u32) ^ first).rotate_right(17);
        Some(IdentityHash::Bits32((turned ^ second) >> 1))
    };
    for Class { address, hash, .. } in &mut heap.classes {
        *hash = hash.or_else(|| of(*address));
    }
    for Object { address, hash, .. } in &mut heap.objects {
        *hash = hash.or_else(|| of(*address));
    }
}

fn hashes(heap: &Heap) -> impl Iterator<Item = u16> {
    let of_classes = heap.classes.iter().map(|class| class.hash);
    of_classes.chain(heap.objects.iter().map(|object| object.hash)).filter_map(|hash| match hash {
        Some(IdentityHash::Bits16(bits)) => Some(bits),
        _ => None,
    })
}

fn is_same_hash(_: &CaseDump<'_>, heap: &Heap, _: usize, other: usize) -> bool {
    // Doubled hashes have 32 bits: they differ from whatever has 16.
    let differs = |bits: u16| other == 2 || bits & 0x8000 != 0;
    !hashes(heap).any(differs)
}

fn rewrite_hashes(_: &CaseDump<'_>, heap: &mut Heap, choice: usize) {
    let all = heap.classes.iter_mut().map(|class| &mut class.hash);
    for hash in all.chain(heap.objects.iter_mut().map(|object| &mut object.hash)) {
        if let Some(IdentityHash::Bits16(bits)) = *hash {
            let low = bits & 0x7fff;
            let doubled = u32::from(low) << 16 | u32::from(low);
            *hash = Some(if choice == 1 { IdentityHash::Bits16(low) } else { IdentityHash::Bits32(doubled) });
        }
    }
}

/// Object arrays in the dump of a J9 VM in version 4, by address, with the array class that their first reference is to.
fn array_classes(dump: &CaseDump<'_>, heap: &Heap) -> HashMap<Address, Address> {
    if dump.word(20) != Version::V4.number() || !is_j9(dump) {
        return HashMap::new();
    }
    let of_arrays: HashSet<Address> = heap
        .classes
        .iter()
        .filter(|class| class.name.as_bytes().starts_with(b"["))
        .map(|class| class.address)
        .collect();
    let first = |object: &Object| Some((object.address, *listed(object)?.first()?));
    let arrays = heap.objects.iter().filter(is_object_array).filter_map(first);
    arrays.filter(|(_, class)| of_arrays.contains(class)).collect()
}

fn take_array_class(dump: &CaseDump<'_>, heap: &mut Heap, choice: usize) {
    let classes = array_classes(dump, heap);
    for object in heap.objects.iter_mut().filter(is_array) {
        let Some(class) = classes.get(&object.address) else { continue };
        object.class_word = Some(*class);
        if let (2, Some(listed)) = (choice, listed_mut(object)) {
            listed.remove(0);
        }
    }
}

fn begins_with_class(object: &Object) -> bool {
    let first = listed(object).and_then(|listed| listed.first());
    first.is_some() && first == object.class_word.as_ref()
}

fn drop_first(dump: &CaseDump<'_>, heap: &mut Heap, _: usize) {
    let is_j9 = is_j9(dump);
    for object in heap.objects.iter_mut().filter(|_| is_j9) {
        if begins_with_class(object)
            && let Some(listed) = listed_mut(object)
        {
            listed.remove(0);
        }
    }
}

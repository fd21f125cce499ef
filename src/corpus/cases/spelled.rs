//! Dumps spelled byte by byte, with their heaps worked out by hand: the corpus's third witness.

use crate::model::{
    Address, ByteLen, Class, Contents, Facts, HashRegime, Heap, IdentityHash, Name, Object, ObjectKind, PrimitiveType,
    Totals, WordSize,
};
use crate::phd::{Version, rules};

use super::{Answer, Case, Verdict};

/// `00 12` and "portable heap dump".
const MAGIC: &str = "0012 706f727461626c65 2068656170 2064756d70";

/// A class record for java/lang/Object at 0x1000 in a 32-bit dump with units of 4 bytes, first in its
/// file: gap 0x400 units in two bytes, instance size 8, no superclass, no references.
const OBJECT_32: &str = "06 40 0400 00000008 00000000 0010 6a6176612f6c616e672f4f626a656374 00000000";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = vec![
        header_without_records(),
        header_with_every_record(),
        round_robin_cache(),
        wrapping_at_4_gib(),
        negative_gaps(),
        unsigned_lengths(),
        tag_5_in_version_6(),
        every_record_hashed(),
        names(),
        computed_hash(),
    ];
    cases.extend([class_word_convention(), reference_order(), doubled_hash()]);
    cases
}

/// A header without records and a body without records.
fn header_without_records() -> Case {
    Case {
        shows: vec!["phd.header.optional-records"],
        ..valid(
            "phd5-spelled-empty",
            "no header record, no record",
            &[MAGIC, "00000005 00000005 01 02 02 03"],
            0,
            Heap { facts: facts(WordSize::Bits64), ..Heap::default() },
        )
    }
}

/// Header records 3, 1, 4 and 1 again: any order, the last of a kind counts.
fn header_with_every_record() -> Case {
    let body = [
        MAGIC,
        "00000005 00000004 01 03 00000011 00000022 01 00000007 00000008 04 0003 4a394a 01 00000001 00000000 02 02",
        OBJECT_32,
        "03",
    ];
    let heap = Heap {
        facts: Facts {
            totals: Some(Totals { objects: 1, references: 0 }),
            hash_randoms: Some((0x11, 0x22)),
            version_text: Some("J9J".into()),
            ..facts(WordSize::Bits32)
        },
        classes: vec![object_class()],
        ..Heap::default()
    };
    Case {
        shows: vec!["phd.header.record-payloads", "phd.header.optional-records"],
        ..valid("phd5-spelled-header-records", "header records 3, 1, 4, 1: the last of a kind counts", &body, 1, heap)
    }
}

/// Five classes through a cache of four slots, one of them twice.
fn round_robin_cache() -> Case {
    let body = [
        MAGIC,
        "00000005 00000004 01 02 02",
        OBJECT_32,
        // Medium, no references, gap 2 units: classes 1000, 2000, 1000, 3000 into slots 0, 1, 2, 3.
        "40 02 00001000  40 02 00002000  40 02 00001000  40 02 00003000",
        // Long, flags 0, into slot 0 again: class 4000. Its gap of 2 in one byte, no references.
        "04 00 02 00004000 00000000",
        // An object array of class 5000 (tag 5, no references) and a char array leave the cache alone.
        "05 00 02 00005000 00000000  24 02 00",
        // Short through slots 0, 1, 2, 3.
        "80 02  a0 02  c0 02  e0 02",
        "03",
    ];
    let instance = |n: u64, class: u64| Object {
        class: Some(Address(class)),
        class_word: Some(Address(class)),
        contents: Contents::References(Vec::new()),
        ..Object::new(Address(0x1000 + 8 * n), ObjectKind::Instance)
    };
    let heap = Heap {
        facts: facts(WordSize::Bits32),
        classes: vec![object_class()],
        objects: vec![
            instance(1, 0x1000),
            instance(2, 0x2000),
            instance(3, 0x1000),
            instance(4, 0x3000),
            instance(5, 0x4000),
            Object {
                class_word: Some(Address(0x5000)),
                contents: Contents::References(Vec::new()),
                ..Object::new(Address(0x1030), ObjectKind::ObjectArray)
            },
            Object { length: Some(0), ..Object::new(Address(0x1038), ObjectKind::PrimitiveArray(PrimitiveType::Char)) },
            instance(8, 0x4000),
            instance(9, 0x2000),
            instance(10, 0x1000),
            instance(11, 0x3000),
        ],
        ..Heap::default()
    };
    Case {
        shows: vec!["phd.class-cache.round-robin", "phd.class-cache.untouched", "phd.object-array.tag-5"],
        ..valid("phd5-spelled-class-cache", "the class cache: round robin, duplicates kept", &body, 12, heap)
    }
}

/// Gaps and references across 4 GiB in a 32-bit dump.
fn wrapping_at_4_gib() -> Case {
    let body = [
        MAGIC,
        "00000005 00000004 01 02 02",
        // Long primitive array without a hash, fields of a word: gap -0x04000000 units is f0000000.
        "07 d0 fc000000 00000005",
        // Long, gap of 4 bytes 0x04000004 units: 10 beyond 4 GiB. Its reference goes back over it.
        "04 a0 04000004 00001000 00000001 fbfffffc",
        "03",
    ];
    let heap = Heap {
        facts: facts(WordSize::Bits32),
        objects: vec![
            Object {
                length: Some(5),
                ..Object::new(Address(0xf000_0000), ObjectKind::PrimitiveArray(PrimitiveType::Int))
            },
            Object {
                class: Some(Address(0x1000)),
                class_word: Some(Address(0x1000)),
                contents: Contents::References(vec![Address(0xf000_0000)]),
                ..Object::new(Address(0x10), ObjectKind::Instance)
            },
        ],
        ..Heap::default()
    };
    Case {
        shows: vec!["phd.words.modulo-2-32", "phd.gap.signed"],
        ..valid("phd5-spelled-wrap", "addresses and references of 32-bit dumps wrap at 4 GiB", &body, 2, heap)
    }
}

/// Gaps below zero, of one and two bytes, in every kind of record that has them.
fn negative_gaps() -> Case {
    let body = [
        MAGIC,
        "00000005 00000004 01 02 02",
        OBJECT_32,
        // Medium, gap 0x1000 units in two bytes: 0x5000. Medium, gap -2: 0x4ff8.
        "44 1000 00001000  40 fe 00001000",
        // Short, gap -0x100 units in two bytes: 0x4bf8. Short, gap -2: 0x4bf0.
        "84 ff00  80 fe",
        // int[1], gap -4: 0x4be0. int[1] in two bytes, gap -0x200 units: 0x43e0.
        "38 fc 01  39 fe00 0001",
        // Long, gap -2: 0x43d8. Array of tag 5, gap -0x80: 0x41d8. Class A, gap -0x76: 0x4000.
        "04 00 fe 00001000 00000000  05 00 80 00001000 00000000",
        "06 00 8a 00000008 00001000 0001 41 00000000",
        // Long int[2] of bytes, gap -4: 0x3ff0.
        "07 c0 fc 02",
        "03",
    ];
    let instance = |address| Object {
        class: Some(Address(0x1000)),
        class_word: Some(Address(0x1000)),
        contents: Contents::References(Vec::new()),
        ..Object::new(Address(address), ObjectKind::Instance)
    };
    let ints = |address, length| Object {
        length: Some(length),
        ..Object::new(Address(address), ObjectKind::PrimitiveArray(PrimitiveType::Int))
    };
    let array = Object {
        class_word: Some(Address(0x1000)),
        contents: Contents::References(Vec::new()),
        ..Object::new(Address(0x41d8), ObjectKind::ObjectArray)
    };
    let class = Class {
        address: Address(0x4000),
        name: "A".into(),
        superclass: Some(Address(0x1000)),
        after_objects: Some(8),
        ..object_class()
    };
    let heap = Heap {
        facts: facts(WordSize::Bits32),
        classes: vec![object_class(), class],
        objects: vec![
            instance(0x5000),
            instance(0x4ff8),
            instance(0x4bf8),
            instance(0x4bf0),
            ints(0x4be0, 1),
            ints(0x43e0, 1),
            instance(0x43d8),
            array,
            ints(0x3ff0, 2),
        ],
        ..Heap::default()
    };
    Case {
        shows: vec!["phd.gap.signed", "phd.gap.base"],
        ..valid("phd5-spelled-negative-gaps", "gaps below zero in every kind of record", &body, 11, heap)
    }
}

/// Lengths of 255 and 65535 in one and two bytes.
fn unsigned_lengths() -> Case {
    let body = [
        MAGIC,
        "00000006 00000005 01 02 02",
        // byte[255], size 0x48 words; double[65535], gap 0x100 units, size 0x20002 words.
        "30 08 ff 00000048  2d 0100 ffff 00020002",
        // long[200] as a long record of bytes without a hash.
        "07 e0 08 c8 00000194",
        "03",
    ];
    let array = |address, element, length, words: u64| Object {
        length: Some(length),
        size: Some(ByteLen(words * 4)),
        ..Object::new(Address(address), ObjectKind::PrimitiveArray(element))
    };
    let heap = Heap {
        facts: facts(WordSize::Bits64),
        objects: vec![
            array(0x20, PrimitiveType::Byte, 255, 0x48),
            array(0x420, PrimitiveType::Double, 65_535, 0x2_0002),
            array(0x440, PrimitiveType::Long, 200, 0x194),
        ],
        ..Heap::default()
    };
    Case {
        shows: vec!["phd.array.length-unsigned", "phd.array.instance-size", "phd.primitive-array.type-codes"],
        ..valid("phd6-spelled-lengths", "lengths are unsigned in every width", &body, 3, heap)
    }
}

/// Tag 5 in version 6 has an instance size and no length.
fn tag_5_in_version_6() -> Case {
    let body = [
        MAGIC,
        "00000006 00000004 01 02 02",
        OBJECT_32,
        // Tag 5, flags 0x01, gap 2, class word 1000, two references of a byte, 6 words. Reference 0 is
        // not the class word, which would be another matter (erratum E11).
        "05 01 02 00001000 00000002 00 fe 00000006",
        "03",
    ];
    let heap = Heap {
        facts: facts(WordSize::Bits32),
        classes: vec![object_class()],
        objects: vec![Object {
            class_word: Some(Address(0x1000)),
            size: Some(ByteLen(24)),
            contents: Contents::References(vec![Address(0x1008), Address(0x1000)]),
            ..Object::new(Address(0x1008), ObjectKind::ObjectArray)
        }],
        ..Heap::default()
    };
    Case {
        shows: vec!["phd.object-array.tag-5", "phd.array.instance-size"],
        ..valid("phd6-spelled-tag-5", "tag 5 in version 6: an instance size, no true length", &body, 2, heap)
    }
}

/// Flags 2 and 4: two bytes of hash in every record, whatever the record's own flags say.
fn every_record_hashed() -> Case {
    let body = [
        MAGIC,
        "00000005 00000006 01 02 02",
        // Class at 0x1000 with flag 0x08 set: its hash has two bytes all the same.
        "06 48 0400 00000008 1234 00000000 0001 41 00000000",
        // Long with flags 0x03, medium, short, int[1], long char[2] with flag 0x02, array tag 8.
        "04 03 02 00001000 0001 00000000",
        "40 02 00001000 0002",
        "80 02 0003",
        "38 02 01 0004",
        "07 22 02 02 0005",
        "08 02 02 00001000 0006 00000000 00000004",
        "03",
    ];
    let hash = |bits| Some(IdentityHash::Bits16(bits));
    let instance = |n: u64, bits| Object {
        class: Some(Address(0x1000)),
        class_word: Some(Address(0x1000)),
        hash: hash(bits),
        contents: Contents::References(Vec::new()),
        ..Object::new(Address(0x1000 + 8 * n), ObjectKind::Instance)
    };
    let array = |n: u64, kind, bits, length| Object {
        hash: hash(bits),
        length: Some(length),
        ..Object::new(Address(0x1000 + 8 * n), kind)
    };
    let heap = Heap {
        facts: Facts { hash_regime: Some(HashRegime::Every16), ..facts(WordSize::Bits32) },
        classes: vec![Class { hash: hash(0x1234), name: "A".into(), ..object_class() }],
        objects: vec![
            instance(1, 1),
            instance(2, 2),
            instance(3, 3),
            array(4, ObjectKind::PrimitiveArray(PrimitiveType::Int), 4, 1),
            array(5, ObjectKind::PrimitiveArray(PrimitiveType::Char), 5, 2),
            Object {
                class_word: Some(Address(0x1000)),
                contents: Contents::References(Vec::new()),
                ..array(6, ObjectKind::ObjectArray, 6, 4)
            },
        ],
        ..Heap::default()
    };
    Case {
        shows: vec!["phd.hash.every-record"],
        ..valid(
            "phd5-spelled-every-record-hashed",
            "a 16-bit hash in every record; record flags do not matter",
            &body,
            7,
            heap,
        )
    }
}

/// Names: empty, NUL, a supplementary character, a lone surrogate.
fn names() -> Case {
    let body = [
        MAGIC,
        "00000005 00000004 01 04 0000 02 02",
        "06 40 0400 00000008 00000000 0000 00000000",
        "06 00 10 00000008 00001000 0004 61c08062 00000000",
        "06 00 10 00000008 00001000 0006 eda0bdedb880 00000000",
        "06 00 10 00000008 00001000 0003 eda080 00000000",
        "03",
    ];
    let class = |n: u64, name: Name| Class {
        address: Address(0x1000 + 0x40 * n),
        name,
        superclass: Some(Address(if n == 0 { 0 } else { 0x1000 })),
        ..object_class()
    };
    let heap = Heap {
        facts: Facts { version_text: Some("".into()), ..facts(WordSize::Bits32) },
        classes: vec![
            class(0, "".into()),
            class(1, Name::from_text("a\u{0}b")),
            class(2, Name::from_text("\u{1f600}")),
            class(3, Name::from_bytes([0xed, 0xa0, 0x80])),
        ],
        ..Heap::default()
    };
    Case {
        shows: vec!["phd.class.name"],
        // The lone surrogate is no text, which a warning says; its record is at 0x60.
        breaks: Some((rules::CLASS_NAME_ENCODING.0, 0x60)),
        ..valid("phd5-spelled-names", "names: empty, with NUL, beyond the BMP, a lone surrogate", &body, 4, heap)
    }
}

/// Without flag 4, the DTFJ reader makes up a hash for every object that has none.
fn computed_hash() -> Case {
    let body = [
        MAGIC,
        // Version 4, flags 0: units of 8 bytes. Random numbers 1 and 2.
        "00000004 00000000 01 03 00000001 00000002 02 02",
        // Medium at 0x1000, class 2000; short, two units on, at 0x1010.
        "44 0200 00002000  80 02",
        "03",
    ];
    let instance = |address| Object {
        class: Some(Address(0x2000)),
        class_word: Some(Address(0x2000)),
        contents: Contents::References(Vec::new()),
        ..Object::new(Address(address), ObjectKind::Instance)
    };
    let stored = Heap {
        facts: Facts { hash_randoms: Some((1, 2)), ..facts(WordSize::Bits32) },
        objects: vec![instance(0x1000), instance(0x1010)],
        ..Heap::default()
    };
    let mut computed = stored.clone();
    // (0x1000 >> 3) ^ 1 = 0x201; rotated right by 17: 0x01008000; ^ 2 = 0x01008002; >> 1 = 0x00804001.
    computed.objects[0].hash = Some(IdentityHash::Bits32(0x0080_4001));
    // (0x1010 >> 3) ^ 1 = 0x203; rotated right by 17: 0x01018000; ^ 2 = 0x01018002; >> 1 = 0x0080c001.
    computed.objects[1].hash = Some(IdentityHash::Bits32(0x0080_c001));
    Case {
        verdict: Verdict::Ambiguous,
        shows: vec!["phd.hash.computed", "phd.gap.unit"],
        answers: vec![
            Answer::Reads("only hashes that are stored", Box::new(stored.clone())),
            Answer::Reads("DTFJ reader: hashes computed from address and random numbers", Box::new(computed)),
        ],
        ..valid("phd4-spelled-computed-hash", "no hash is stored; a Sovereign VM's can be computed", &body, 2, stored)
    }
}

/// Erratum E15: which class a class word of an object array names.
fn class_word_convention() -> Case {
    let body = [
        MAGIC,
        "00000004 00000004 01 02 02",
        OBJECT_32,
        // Class "[LA;" at 0x1040, superclass 1000; class "A" at 0x1080.
        "06 00 10 00000008 00001000 0004 5b4c413b 00000000",
        "06 00 10 00000008 00001000 0001 41 00000000",
        // Tag 5 at 0x1088: class word 1080 (A), and reference 0 to 1040 ([LA;), -0x12 units.
        "05 01 02 00001080 00000001 ee",
        "03",
    ];
    let class = |address, name: &str| Class {
        address: Address(address),
        name: name.into(),
        superclass: Some(Address(0x1000)),
        ..object_class()
    };
    let written = Heap {
        facts: facts(WordSize::Bits32),
        classes: vec![object_class(), class(0x1040, "[LA;"), class(0x1080, "A")],
        objects: vec![Object {
            class_word: Some(Address(0x1080)),
            contents: Contents::References(vec![Address(0x1040)]),
            ..Object::new(Address(0x1088), ObjectKind::ObjectArray)
        }],
        ..Heap::default()
    };
    let mut resolved = written.clone();
    resolved.objects[0].class_word = Some(Address(0x1040));
    let mut dropped = resolved.clone();
    dropped.objects[0].contents = Contents::References(Vec::new());
    // The first array's record is at 0x68.
    Case {
        verdict: Verdict::Ambiguous,
        breaks: Some((rules::OBJECT_ARRAY_CLASS_WORD.0, 0x68)),
        answers: vec![
            Answer::Reads("the class word as written", Box::new(written.clone())),
            Answer::Reads("the array class in its place", Box::new(resolved)),
            Answer::Reads("the array class in its place, and not as a reference", Box::new(dropped)),
        ],
        ..valid(
            "phd4-spelled-class-word",
            "an array's class word names its base class, reference 0 its class",
            &body,
            4,
            written,
        )
    }
}

/// Erratum E12: in which order an object array's references stand.
fn reference_order() -> Case {
    let body = [
        MAGIC,
        "00000005 00000004 01 02 02",
        OBJECT_32,
        // int[0] at 0x1008; tag 8 at 0x1010 with references to 0x1008 and 0x1000, true length 2.
        "38 02 00  08 01 02 00001000 00000002 fe fc 00000002",
        "03",
    ];
    let ints =
        Object { length: Some(0), ..Object::new(Address(0x1008), ObjectKind::PrimitiveArray(PrimitiveType::Int)) };
    let array = |references: [u64; 2]| Object {
        class_word: Some(Address(0x1000)),
        length: Some(2),
        contents: Contents::References(references.map(Address).to_vec()),
        ..Object::new(Address(0x1010), ObjectKind::ObjectArray)
    };
    let heap = |references| Heap {
        facts: facts(WordSize::Bits32),
        classes: vec![object_class()],
        objects: vec![ints.clone(), array(references)],
        ..Heap::default()
    };
    // The array's record is at 0x44.
    Case {
        verdict: Verdict::Ambiguous,
        breaks: Some((rules::OBJECT_ARRAY_REFERENCE_ORDER.0, 0x44)),
        answers: vec![
            Answer::Reads("in file order", Box::new(heap([0x1008, 0x1000]))),
            Answer::Reads("DTFJ reader: reversed, into index order", Box::new(heap([0x1000, 0x1008]))),
        ],
        ..valid(
            "phd5-spelled-reference-order",
            "two references of an array, in an order that nothing tells",
            &body,
            3,
            heap([0x1008, 0x1000]),
        )
    }
}

/// Erratum E22: what a 16-bit hash is as a number.
fn doubled_hash() -> Case {
    let body = [
        MAGIC,
        "00000005 00000006 01 02 02",
        // Class A at 0x1000 with hash 8001; an instance, medium, with hash 7abc.
        "06 40 0400 00000008 8001 00000000 0001 41 00000000",
        "40 02 00001000 7abc",
        "03",
    ];
    let heap = |class: IdentityHash, object: IdentityHash| Heap {
        facts: Facts { hash_regime: Some(HashRegime::Every16), ..facts(WordSize::Bits32) },
        classes: vec![Class { hash: Some(class), name: "A".into(), ..object_class() }],
        objects: vec![Object {
            class: Some(Address(0x1000)),
            class_word: Some(Address(0x1000)),
            hash: Some(object),
            contents: Contents::References(Vec::new()),
            ..Object::new(Address(0x1008), ObjectKind::Instance)
        }],
        ..Heap::default()
    };
    let stored = heap(IdentityHash::Bits16(0x8001), IdentityHash::Bits16(0x7abc));
    let doubled = heap(IdentityHash::Bits32(0x0001_0001), IdentityHash::Bits32(0x7abc_7abc));
    let masked = heap(IdentityHash::Bits16(0x0001), IdentityHash::Bits16(0x7abc));
    Case {
        verdict: Verdict::Ambiguous,
        breaks: Some((rules::HASH_16_BIT_VALUE.0, 0x1f)),
        answers: vec![
            Answer::Reads("16 bits as stored", Box::new(stored.clone())),
            Answer::Reads("DTFJ reader: 15 bits, doubled", Box::new(doubled)),
            Answer::Reads("15 bits", Box::new(masked)),
        ],
        ..valid("phd5-spelled-hash-value", "16-bit hashes, one with its highest bit set", &body, 2, stored)
    }
}

/// A valid case from hexadecimal digits.
fn valid(id: &str, summary: &str, hex: &[&str], records: u64, heap: Heap) -> Case {
    let version = match id.as_bytes()[3] {
        b'4' => Version::V4,
        b'5' => Version::V5,
        _ => Version::V6,
    };
    Case {
        id: id.to_owned(),
        summary: summary.to_owned(),
        format: crate::phd::family::format(version),
        heap: None,
        recipe: "spelled by hand".to_owned(),
        bytes: bytes(hex),
        verdict: Verdict::Valid,
        keeps: Vec::new(),
        breaks: None,
        shows: Vec::new(),
        records_due: records,
        answers: vec![Answer::Reads("as written", Box::new(heap))],
    }
}

pub(super) fn bytes(hex: &[&str]) -> Vec<u8> {
    let digits: Vec<u8> = hex.concat().chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn facts(word: WordSize) -> Facts {
    Facts { word_size: Some(word), hash_regime: Some(HashRegime::WhereUsed32), ..Facts::default() }
}

/// The class of [`OBJECT_32`].
fn object_class() -> Class {
    Class {
        address: Address(0x1000),
        name: "java/lang/Object".into(),
        superclass: Some(Address::NULL),
        instance_size: Some(ByteLen(8)),
        references: Some(Vec::new()),
        after_objects: Some(0),
        ..Class::default()
    }
}

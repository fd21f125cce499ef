//! Damaged PHDs.

use std::fs;
use std::path::PathBuf;

use heapsmith::error::{DecodeError, Problem};
use heapsmith::input::Input;
use heapsmith::model::{
    Address, ByteLen, Class, Contents, Facts, HashRegime, Heap, IdentityHash, Object, ObjectKind, PrimitiveType,
    WordSize,
};
use heapsmith::phd::corrupt::MappedDump;
use heapsmith::phd::lower::{self, LowerOptions};
use heapsmith::phd::{Decoder, Version, lift, rules};
use heapsmith::validate::{Severity, ValidateOptions, validate};
use pretty_assertions::assert_eq;

/// A dump of some 200 bytes with a record of every kind.
fn small(version: Version) -> Vec<u8> {
    let at = |n: u64| Address(0x1000 + n);
    let class = |n, name: &str, superclass| Class {
        address: at(n),
        name: name.into(),
        superclass: Some(superclass),
        instance_size: Some(ByteLen(16)),
        references: Some(vec![at(0)]),
        ..Class::default()
    };
    let object = |n, references: &[Address]| Object {
        class: Some(at(0x40)),
        class_word: Some(at(0x40)),
        contents: Contents::References(references.to_vec()),
        ..Object::new(at(n), ObjectKind::Instance)
    };
    let hash = Some(IdentityHash::Bits32(0x1234_5678));
    let array = |n, kind, length| Object { length: Some(length), size: Some(ByteLen(32)), ..Object::new(at(n), kind) };
    let mut heap = Heap {
        facts: Facts {
            word_size: Some(WordSize::Bits32),
            version_text: Some("J9".into()),
            hash_regime: Some(HashRegime::WhereUsed32),
            ..Facts::default()
        },
        classes: vec![class(0, "java/lang/Object", Address::NULL), class(0x40, "A", at(0))],
        objects: vec![
            object(0x80, &[at(0x90)]),
            object(0x90, &[at(0x80), at(0x90)]),
            Object { hash, ..object(0xa0, &[at(0x80)]) },
            array(0xb0, ObjectKind::PrimitiveArray(PrimitiveType::Int), 3),
            Object { hash, ..array(0xd0, ObjectKind::PrimitiveArray(PrimitiveType::Byte), 9) },
            Object {
                class_word: Some(at(0x40)),
                contents: Contents::References(vec![at(0x80), at(0x90)]),
                ..array(0xf0, ObjectKind::ObjectArray, 4)
            },
        ],
        ..Heap::default()
    };
    let options = LowerOptions::new(version);
    if let Some(HashRegime::Every16) = options.profile.hashes {
        heap.facts.hash_regime = Some(HashRegime::Every16);
    }
    lower::to_bytes(&heap, &options).expect("writable")
}

#[test]
fn every_strict_prefix_gives_an_error_within_it_and_exactly_the_records_that_end_before_it() {
    for version in Version::ALL {
        let whole = small(version);
        let map = MappedDump::from_bytes(whole.clone()).expect("valid");
        for length in 0..whole.len() {
            let prefix = &whole[..length];
            let ends = map.records.iter().filter(|r| r.offset + r.length <= length).count() as u64;
            let (records, error) = match Decoder::new(prefix) {
                Err(error) => (0, error),
                Ok(mut decoder) => {
                    let error = decoder.visit::<DecodeError, _>(|_| Ok(())).expect_err("a prefix is not a dump");
                    (decoder.records(), error)
                }
            };
            assert!(error.offset() <= length as u64, "{version:?} cut at {length}: {error}");
            let due = if length < map.body { 0 } else { ends };
            assert_eq!(records, due, "{version:?} cut at {length}: {error}");
            // Cut between records, only the end is missing; anywhere else, a field is.
            let between = length >= map.body && (length == map.end || map.records.iter().any(|r| r.offset == length));
            assert_eq!(error.is_missing_end(), between, "{version:?} cut at {length}: {error}");

            let report = validate(&Input::from_memory("prefix", prefix.to_vec()), ValidateOptions::default());
            let report = report.expect("memory can be read");
            assert_eq!(report.sound.records, due, "{version:?} cut at {length}");
            assert_eq!(report.valid, between, "{version:?} cut at {length}: {:?}", report.findings);
        }
    }
}

/// The committed outcome of every flip: `tests/formats/hostile/flips-phdN.txt`. To write it anew after a change
/// that was meant, run the test with HEAPSMITH_BLESS set, and review the difference.
#[test]
fn every_single_bit_flip_has_the_outcome_that_the_table_states() {
    for version in Version::ALL {
        let table = table_of_flips(&small(version));
        let name = format!("flips-phd{}.txt", version.number());
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/formats/hostile").join(name);
        if std::env::var_os("HEAPSMITH_BLESS").is_some() {
            fs::create_dir_all(path.parent().expect("a folder")).expect("creatable");
            fs::write(&path, &table).expect("writable");
        }
        let committed = fs::read_to_string(&path).expect("the table is committed");
        assert_eq!(committed, table, "{}", path.display());
    }
}

const LEGEND: &str = "\
# Outcome of flipping each bit of a small dump. A row is a field: offset, field, and a letter for each
# bit, from the highest bit of its first byte to the lowest of its last.
#   .  the same heap, no finding beyond notes   h  another heap, no finding beyond notes
#   w  readable, with a warning                 e  readable to its end, and not valid
# Reading stops, by rule:
#   M  header.magic        V  header.version     S  header.start-tag   K  header.record-tag
#   B  header.body-tag     R  record.tag         C  references.count   T  file.truncated
#   N  body.end-tag (missing)
";

fn table_of_flips(whole: &[u8]) -> String {
    let map = MappedDump::from_bytes(whole.to_vec()).expect("valid");
    let original = heap_of(whole);
    let mut table = LEGEND.to_owned();
    for field in &map.fields {
        let mut outcomes = String::new();
        for offset in field.offset..field.offset + field.length {
            if offset > field.offset {
                outcomes.push(' ');
            }
            for bit in (0..8).rev() {
                let mut flipped = whole.to_vec();
                flipped[offset] ^= 1 << bit;
                outcomes.push(outcome(&flipped, &original));
            }
        }
        let record = map.record(field).map(|r| format!("{}: ", r.kind)).unwrap_or_default();
        table += &format!("{:04x} {:<44} {outcomes}\n", field.offset, format!("{record}{}", field.name));
    }
    table
}

fn outcome(bytes: &[u8], original: &Heap) -> char {
    let report = validate(&Input::from_memory("flip", bytes.to_vec()), ValidateOptions::default());
    let report = report.expect("memory can be read");
    if let Some(fatal) = report.findings.iter().find(|f| f.fatal || f.rule == rules::BODY_END_TAG) {
        return match fatal.rule {
            rules::HEADER_MAGIC => 'M',
            rules::HEADER_VERSION => 'V',
            rules::HEADER_START_TAG => 'S',
            rules::HEADER_RECORD_TAG => 'K',
            rules::HEADER_BODY_TAG => 'B',
            rules::RECORD_TAG => 'R',
            rules::REFERENCES_COUNT => 'C',
            rules::FILE_TRUNCATED => 'T',
            rules::BODY_END_TAG => 'N',
            other => panic!("a flip stops reading at {other}, which has no letter"),
        };
    }
    match report.findings.iter().map(|f| f.severity).max() {
        Some(Severity::Error) => 'e',
        Some(Severity::Warning) => 'w',
        _ if heap_of(bytes) == *original => '.',
        _ => 'h',
    }
}

fn heap_of(bytes: &[u8]) -> Heap {
    lift::heap(&mut Decoder::new(bytes).expect("a header")).0
}

#[test]
fn distinguishes_shrinking_file_from_truncated_one() {
    let whole = small(Version::V6);
    for length in 0..whole.len() {
        let cut = &whole[..length];
        let error = match Decoder::with_length(cut, Some(whole.len() as u64)) {
            Err(error) => error,
            Ok(mut decoder) => decoder.visit::<DecodeError, _>(|_| Ok(())).expect_err("the rest is gone"),
        };
        assert!(matches!(error.problem(), Problem::Shrunk { opened } if *opened == whole.len() as u64), "{error}");
        assert_eq!(error.offset(), length as u64);
    }
}

#[test]
fn a_reader_that_fails_is_an_error_with_the_offset_reached() {
    struct Failing(usize);
    impl std::io::Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let whole = small(Version::V6);
            let Some(rest) = whole.get(self.0..100).filter(|rest| !rest.is_empty()) else {
                return Err(std::io::Error::other("the disk is on fire"));
            };
            let count = rest.len().min(buffer.len());
            buffer[..count].copy_from_slice(&rest[..count]);
            self.0 += count;
            Ok(count)
        }
    }
    let mut decoder = Decoder::new(Failing(0)).expect("the header is within the first 100 bytes");
    let error = decoder.visit::<DecodeError, _>(|_| Ok(())).expect_err("reading fails");
    assert_eq!(error.offset(), 100);
    assert!(error.to_string().contains("the disk is on fire"), "{error}");
}

#[test]
fn names_empty_file_and_other_formats() {
    let error = |bytes: &[u8]| Decoder::new(bytes).expect_err("not a PHD").to_string();
    assert!(error(b"").contains("0 bytes, then the end of the data"), "{}", error(b""));
    assert!(error(b"JAVA PROFILE 1.0.2\0").contains("an HPROF dump"));
    assert!(error(b"// Version: JRE 1.8.0").contains("a classic text heap dump"));
    assert!(error(b"\x7fELF\x02\x01\x01\x00").contains("found 7f 45 4c 46 02 01 01 00"));
    assert!(error(b"xy").contains("xy"), "shorter than the magic");
    let lossy = [b"\xef\xbb\xbf".as_slice(), &small(Version::V6)].concat();
    assert!(error(&lossy).contains("text-mode transfer (a byte order mark was added)"));
    let spaces: Vec<u8> = small(Version::V6).into_iter().map(|b| if b == 0 { b' ' } else { b }).collect();
    assert!(error(&spaces).contains("its zero bytes became spaces"));
}

//! Damaged HPROF dumps: every profile's, cut and flipped everywhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use heapsmith::error::{DecodeError, Error, Problem};
use heapsmith::family::Opening;
use heapsmith::format::DumpFile;
use heapsmith::hprof::lift::{self, WholeDump};
use heapsmith::hprof::lower::{self, LowerOptions, PROFILES};
use heapsmith::hprof::{DecodeStep, Decoder, IdSize, Profile, ReadOptions};
use heapsmith::input::Input;
use heapsmith::model::{
    Address, Class, Contents, Dump, Field, FieldType, Heap, Object, ObjectKind, PoolEntry, PrimitiveType, Root,
    RootKind, Serial, StackFrame, StackTrace, Static, Surroundings, Thread, Value,
};
use pretty_assertions::assert_eq;
use sha2::{Digest, Sha256};

/// A dump of some 800 bytes with every kind of sub-record, and what a writer puts around it.
pub(crate) fn small(profile: &'static Profile) -> Vec<u8> {
    let options = LowerOptions::default().profile(profile).id_size(IdSize::Four);
    lower::to_bytes(&heap(), &options).expect("writable")
}

fn heap() -> Heap {
    let at = |n: u64| Address(0x1000 + n);
    let field = |name: &str, kind| Field { name: name.into(), kind };
    let class = |n, name: &str, superclass| Class {
        address: at(n),
        name: name.into(),
        superclass: Some(superclass),
        statics: Some(Vec::new()),
        fields: Some(Vec::new()),
        ..Class::default()
    };
    let object = |n, class, contents, kind| Object { class: Some(at(class)), contents, ..Object::new(at(n), kind) };
    let int = FieldType::Primitive(PrimitiveType::Int);
    Heap {
        classes: vec![
            class(0, "java/lang/Object", Address::NULL),
            Class {
                statics: Some(vec![Static { name: "s".into(), value: Value::reference(at(0x90)) }]),
                constant_pool: Some(vec![PoolEntry { index: 3, value: Value::primitive(PrimitiveType::Byte, 7) }]),
                fields: Some(vec![field("a", FieldType::Object), field("b", int)]),
                ..class(0x40, "A", at(0))
            },
            class(0x60, "[LA;", at(0)),
            class(0x70, "[S", at(0)),
        ],
        objects: vec![
            object(
                0x80,
                0x40,
                Contents::Fields(vec![Value::reference(at(0x90)), Value::primitive(PrimitiveType::Int, 5)]),
                ObjectKind::Instance,
            ),
            object(0x90, 0, Contents::Fields(Vec::new()), ObjectKind::Instance),
            Object {
                length: Some(3),
                ..object(
                    0xa0,
                    0x60,
                    Contents::Elements(vec![at(0x80), Address::NULL, at(0x80)]),
                    ObjectKind::ObjectArray,
                )
            },
            Object {
                length: Some(2),
                ..object(
                    0xb0,
                    0x70,
                    Contents::Primitives(vec![0, 1, 0xff, 0xfe]),
                    ObjectKind::PrimitiveArray(PrimitiveType::Short),
                )
            },
        ],
        surroundings: Surroundings {
            roots: Some(vec![
                Root { object: at(0x80), kind: RootKind::JavaFrame(Serial(1), 0), after: None },
                Root { object: at(0x90), kind: RootKind::ThreadObject(Serial(1), Serial(2)), after: None },
            ]),
            threads: Some(vec![Thread {
                serial: Serial(1),
                object: at(0x90),
                name: Some("main".into()),
                trace: Some(Serial(2)),
            }]),
            traces: Some(vec![StackTrace {
                serial: Serial(2),
                thread: Serial(1),
                frames: [StackFrame {
                    method: "m".into(),
                    signature: "()V".into(),
                    source: None,
                    class: Some(at(0x40)),
                    line: 9,
                }]
                .into(),
            }]),
            ..Surroundings::default()
        },
        ..Heap::default()
    }
}

/// Ends of whole records, segment heads and sub-records; and where a file may end.
fn ends(whole: &[u8]) -> (Vec<usize>, Vec<usize>) {
    let mut decoder = Decoder::new(whole).expect("a header");
    let header = decoder.header_bytes().len();
    let (mut items, mut files) = (Vec::new(), vec![header]);
    decoder
        .visit::<DecodeError, _>(|step| {
            match step {
                DecodeStep::Record(at, _) => {
                    items.push(at.offset as usize + at.bytes.len());
                    files.push(at.offset as usize + at.bytes.len());
                }
                DecodeStep::Segment(at, _) | DecodeStep::Sub(at, _) => items.push(at.offset as usize + at.bytes.len()),
                DecodeStep::SegmentEnd(offset) => files.push(offset as usize),
                DecodeStep::More(_) => panic!("nothing is so large"),
            }
            Ok(())
        })
        .expect("a whole dump");
    (items, files)
}

fn lifted(bytes: &[u8]) -> Option<(WholeDump, Result<(), DecodeError>)> {
    lift::dump(|| Ok(Decoder::new(bytes)?)).ok()
}

#[test]
fn every_strict_prefix_gives_an_error_within_it_and_exactly_what_ends_before_it() {
    for profile in PROFILES {
        let whole = small(profile);
        let (items, files) = ends(&whole);
        let (all, _) = lifted(&whole).expect("a header");
        let name = profile.name;
        for length in 0..whole.len() {
            let prefix = &whole[..length];
            let due = items.iter().filter(|&&end| end <= length).count() as u64;
            let mut decoder = match Decoder::new(prefix) {
                Ok(decoder) => decoder,
                Err(error) => {
                    assert!(length < files[0], "{name} cut at {length}: {error}");
                    assert!(error.offset() <= length as u64, "{name} cut at {length}: {error}");
                    continue;
                }
            };
            let ended = decoder.visit::<DecodeError, _>(|_| Ok(()));
            assert_eq!(decoder.index(), due, "{name} cut at {length}");
            match &ended {
                Ok(end) => assert!(*end == length as u64 && files.contains(&length), "{name} cut at {length}"),
                Err(error) => {
                    assert!(!files.contains(&length), "{name} cut at {length}: {error}");
                    assert!(error.offset() <= length as u64, "{name} cut at {length}: {error}");
                    assert_eq!(error.record(), Some(due), "{name} cut at {length}: {error}");
                    assert!(matches!(error.problem(), Problem::Truncated { .. }), "{name} cut at {length}: {error}");
                }
            }
            let (found, ended_too) = lifted(prefix).expect("it was opened before");
            assert_eq!(ended.is_ok(), ended_too.is_ok(), "{name} cut at {length}");
            for (heap, (classes, objects)) in found.places.iter().enumerate() {
                let (_, due) = all.places.get(heap).cloned().unwrap_or_default();
                assert_eq!(*objects, due[..objects.len()], "{name} cut at {length}");
                let sound = |place: &&lift::ItemPlace| place.index < decoder.index();
                assert_eq!(objects.len(), due.iter().filter(sound).count(), "{name} cut at {length}");
                assert_eq!(classes.len(), found.dump.heaps[heap].classes.len(), "{name} cut at {length}");
            }
        }
    }
}

/// The committed outcomes: `tests/formats/hostile/flips-hprof.txt`. To write them anew after a change that was meant, run
/// the test with HEAPSMITH_BLESS set, and review the difference.
#[test]
fn every_single_bit_flip_has_the_outcome_that_the_table_states() {
    let mut table = LEGEND.to_owned();
    for profile in PROFILES {
        table += &row(profile);
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/formats/hostile/flips-hprof.txt");
    if std::env::var_os("HEAPSMITH_BLESS").is_some() {
        fs::write(&path, &table).expect("writable");
    }
    let committed = fs::read_to_string(&path).expect("the table is committed");
    assert_eq!(committed, table, "{}", path.display());
}

const LEGEND: &str = "\
# Outcomes of flipping each bit of a small dump of each profile, by number of flips: the same heap, another one,
# another number of heaps, or the rule at which reading stops; and the SHA-256 of all outcomes in order.
";

fn row(profile: &'static Profile) -> String {
    let whole = small(profile);
    let original = read(&whole).1;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = Sha256::new();
    for bit in 0..whole.len() * 8 {
        let mut flipped = whole.clone();
        flipped[bit / 8] ^= 0x80 >> (bit % 8);
        let outcome = match read(&flipped) {
            (Some(error), sound) => {
                assert!(error.offset() <= whole.len() as u64, "{} bit {bit}: {error}", profile.name);
                let sound: usize = sound.heaps.iter().map(|heap| heap.objects.len()).sum();
                format!("{} at {:#x}, {sound} objects", error.rule(), error.offset())
            }
            (None, dump) if dump == original => "the same".to_owned(),
            (None, dump) if dump.heaps.len() != original.heaps.len() => "another number of heaps".to_owned(),
            (None, _) => "another heap".to_owned(),
        };
        all.update(&outcome);
        all.update("\n");
        let kind = outcome.split(" at ").next().unwrap_or_default();
        *counts.entry(kind.to_owned()).or_default() += 1;
    }
    let mut row = format!("\n{}, {} bytes\n", profile.name, whole.len());
    for (outcome, count) in counts {
        row += &format!("{count:6} {outcome}\n");
    }
    let digest: String = all.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    row + &format!("       {digest}\n")
}

/// As files are read: with a second look where the bytes do not decide.
fn read(bytes: &[u8]) -> (Option<DecodeError>, Dump) {
    let input = Input::from_memory("flip", bytes.to_vec());
    let open = || Ok(heapsmith::hprof::open(Opening::from_input(&input, ReadOptions::default())?)?);
    match lift::dump(open) {
        Ok((whole, ended)) => (ended.err(), whole.dump),
        Err(Error::Decode(error)) => (Some(error), Dump::default()),
        Err(e) => panic!("memory can be read: {e}"),
    }
}

#[test]
fn distinguishes_shrinking_file_from_truncated_one() {
    let whole = small(&PROFILES[0]);
    for length in 0..whole.len() {
        let error = match Decoder::with_length(&whole[..length], Some(whole.len() as u64)) {
            Err(error) => error,
            Ok(mut decoder) => decoder.visit::<DecodeError, _>(|_| Ok(())).expect_err("the rest is gone"),
        };
        assert!(matches!(error.problem(), Problem::Shrunk { opened } if *opened == whole.len() as u64), "{error}");
        assert_eq!(error.offset(), length as u64);
        assert!(error.is_machine_fault());
    }
}

#[test]
fn reports_broken_gzip_as_error_of_dump() {
    use std::io::Write;
    let whole = small(&PROFILES[0]);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&whole).expect("memory");
    let compressed = encoder.finish().expect("memory");
    let read = |bytes: &[u8]| {
        let file =
            DumpFile::new(Input::from_memory("dump.gz", bytes.to_vec()), ReadOptions::default()).expect("memory");
        match file.read() {
            Ok(read) => read.ended.err(),
            Err(Error::Decode(error)) => Some(error),
            Err(e) => panic!("the dump's fault, not ours: {e}"),
        }
    };
    assert!(read(&compressed).is_none());
    for length in 0..compressed.len() {
        let error = read(&compressed[..length]).unwrap_or_else(|| panic!("cut at {length}, something is missing"));
        assert!(!error.is_machine_fault(), "cut at {length}: {error}");
    }
    for garbage in [b"\x1f\x8b".as_slice(), b"\x1f\x8bgarbage", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff]] {
        assert!(!read(garbage).expect("no gzip").is_machine_fault());
    }
    assert!(read(&[&compressed[..], b"garbage after"].concat()).is_some());
}

//! Real dumps, and dumps that other writers made of known graphs.
//!
//! They are read from the folder that `HEAPSMITH_WITNESSES` names (subfolders `dumps` and `vectors`),
//! since dumps of other projects are not part of this one. Without it these tests are skipped, and say
//! so; with `HEAPSMITH_WITNESSES_REQUIRED` set, skipping fails.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use heapsmith::classic;
use heapsmith::error::Error;
use heapsmith::family::SingleHeap;
use heapsmith::family::property::{decoding_and_encoding_again_is_the_identity, every_byte_belongs_to_one_field};
use heapsmith::input::Input;
use heapsmith::model::{Class, Contents, Heap, IdentityHash, Name, Object, ObjectKind, PrimitiveType};
use heapsmith::phd::properties::PhdProperties;
use heapsmith::phd::{Decoder, Record, lift, lower};
use heapsmith::validate::{Severity, ValidateOptions, validate};
use pretty_assertions::assert_eq;
use serde_json::Value;

const J9_24: &str = "dumps/heapdump.20100112.141124.11580.0002.phd";
const J9_26: &str = "dumps/heapdump.20130429.083110.14261.0001.phd";

pub(crate) fn witnesses() -> Option<PathBuf> {
    match std::env::var_os("HEAPSMITH_WITNESSES") {
        Some(folder) => Some(PathBuf::from(folder)),
        None => {
            assert!(std::env::var_os("HEAPSMITH_WITNESSES_REQUIRED").is_none(), "the witnesses are required here");
            // Not eprintln!, which the test runner keeps to itself when a test passes.
            let _ = writeln!(std::io::stderr(), "skipped: HEAPSMITH_WITNESSES does not name a folder with real dumps");
            None
        }
    }
}

/// Every PHD below the folder's two subfolders.
fn phds(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for part in ["dumps", "vectors"] {
        let Ok(entries) = fs::read_dir(folder.join(part)) else { continue };
        files.extend(entries.filter_map(Result::ok).map(|e| e.path()).filter(|p| p.to_string_lossy().contains(".phd")));
    }
    files.sort();
    assert!(!files.is_empty(), "{} holds no PHD", folder.display());
    files
}

/// The classic texts of the vectors, each with the graph that was handed to its writer.
fn texts(folder: &Path) -> Vec<(PathBuf, Vec<Value>)> {
    let entries = fs::read_dir(folder.join("vectors")).expect("a folder with vectors");
    let paths = entries.filter_map(Result::ok).map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "txt"));
    let mut texts: Vec<(PathBuf, Vec<Value>)> = paths.map(|path| (path.clone(), graph(&path))).collect();
    texts.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(!texts.is_empty(), "{} holds no classic text", folder.display());
    texts
}

/// The graph beside a vector.
fn graph(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path.with_extension("expected.jsonl")).expect("a graph beside the vector");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn decompressed(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut stream = Input::open(path).and_then(|input| input.stream()).expect("a readable witness");
    std::io::Read::read_to_end(&mut stream, &mut bytes).expect("a readable witness");
    bytes
}

fn heap(bytes: &[u8]) -> Heap {
    let (heap, ended) = lift::heap(&mut Decoder::new(bytes).expect("a PHD"));
    ended.expect("a whole PHD");
    heap
}

#[test]
fn round_trips_every_witness_through_records() {
    let Some(folder) = witnesses() else { return };
    for path in phds(&folder) {
        println!("{}", path.display());
        decoding_and_encoding_again_is_the_identity::<PhdProperties>(&decompressed(&path));
    }
}

#[test]
fn round_trips_every_witness_through_heap_with_recognised_writer() {
    let Some(folder) = witnesses() else { return };
    let writers =
        [("20100112", "j9-2.4"), ("20130429", "j9-2.6"), ("dtfj-writer", "sovereign"), ("jdmpview", "jdmpview")];
    for path in phds(&folder) {
        let bytes = decompressed(&path);
        let version = Decoder::new(bytes.as_slice()).expect("a PHD").header().version;
        let open = || Ok(Box::new(std::io::Cursor::new(bytes.clone())) as Box<dyn std::io::Read>);
        let recognised = lower::recognise(&mut SingleHeap(heap(&bytes)), version, open).expect("readable");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let options = recognised.unwrap_or_else(|| panic!("{name}: no profile gives its bytes"));
        if let Some((_, writer)) = writers.iter().find(|(part, _)| name.contains(part)) {
            assert_eq!(options.profile.name, *writer, "{name}");
        }
        // The bytes themselves, not only the recogniser's word.
        assert!(lower::to_bytes(&heap(&bytes), &options).expect("writable") == bytes, "{name}");
    }
}

#[test]
fn every_byte_of_every_witness_belongs_to_one_field() {
    let Some(folder) = witnesses() else { return };
    for path in phds(&folder) {
        every_byte_belongs_to_one_field::<PhdProperties>(&decompressed(&path));
    }
}

#[test]
fn witnesses_are_valid_and_real_dumps_have_no_warnings() {
    let Some(folder) = witnesses() else { return };
    for path in phds(&folder) {
        let report = validate(&Input::open(&path).expect("readable"), ValidateOptions::default()).expect("readable");
        assert!(report.valid, "{}: {:?}", path.display(), report.findings);
        if path.parent().is_some_and(|p| p.ends_with("dumps")) {
            let warnings: Vec<_> = report.findings.iter().filter(|f| f.severity > Severity::Note).collect();
            assert!(warnings.is_empty(), "{}: {warnings:?}", path.display());
        }
    }
}

#[test]
fn real_hprof_dumps_are_valid_without_warnings() {
    let Some(folder) = witnesses() else { return };
    let entries = fs::read_dir(folder.join("dumps")).expect("a folder with dumps");
    let dumps: Vec<PathBuf> = entries.filter_map(Result::ok).map(|e| e.path()).collect();
    let dumps: Vec<&PathBuf> = dumps.iter().filter(|p| p.to_string_lossy().contains(".hprof")).collect();
    assert!(!dumps.is_empty(), "{} holds no HPROF dump", folder.display());
    for path in dumps {
        let report = validate(&Input::open(path).expect("readable"), ValidateOptions::default()).expect("readable");
        let worse: Vec<_> = report.findings.iter().filter(|f| f.severity > Severity::Note).collect();
        assert!(report.valid && worse.is_empty(), "{}: {worse:?}", path.display());
    }
}

/// The counts that stand in the README beside the dumps.
#[test]
fn real_dumps_have_the_counts_that_were_published_with_them() {
    let Some(folder) = witnesses() else { return };
    let expected = [
        (
            J9_24,
            [
                ("class", 411),
                ("long object", 7),
                ("medium object", 536),
                ("object array (tag 8)", 555),
                ("primitive array", 1583),
                ("short object", 2177),
            ],
            6538,
        ),
        (
            J9_26,
            [
                ("class", 515),
                ("long object", 34),
                ("medium object", 644),
                ("object array (tag 8)", 565),
                ("primitive array", 1322),
                ("short object", 2223),
            ],
            10374,
        ),
    ];
    for (file, kinds, references) in expected {
        let bytes = fs::read(folder.join(file)).expect("a witness");
        let mut counted: BTreeMap<&str, u32> = BTreeMap::new();
        let mut counted_references = 0;
        Decoder::new(bytes.as_slice())
            .expect("a PHD")
            .visit::<Error, _>(|located| {
                *counted.entry(located.record.kind()).or_default() += 1;
                counted_references += located.record.references().map_or(0, |r| r.len());
                Ok(())
            })
            .expect("a whole PHD");
        assert_eq!(counted.into_iter().collect::<Vec<_>>(), kinds.to_vec(), "{file}");
        assert_eq!(counted_references, references, "{file}");
    }
}

/// What every real dump is known for: no array carries a 32-bit hash without the long record, flag 0x01
/// stands in every long object and object array, and class records stand together.
#[test]
fn real_dumps_show_the_native_writers_habits() {
    let Some(folder) = witnesses() else { return };
    for (file, classes_first) in [(J9_24, true), (J9_26, false)] {
        let bytes = fs::read(folder.join(file)).expect("a witness");
        let mut kinds = Vec::new();
        Decoder::new(bytes.as_slice())
            .expect("a PHD")
            .visit::<Error, _>(|located| {
                kinds.push(matches!(located.record, Record::Class(_)));
                match located.record {
                    Record::Long(r) => assert_eq!(r.flags & 1, 1),
                    Record::ObjectArray(r) => assert_eq!(r.flags & 1, 1),
                    _ => {}
                }
                Ok(())
            })
            .expect("a whole PHD");
        let mut sorted = kinds.clone();
        sorted.sort_unstable_by_key(|&class| class != classes_first);
        assert_eq!(kinds, sorted, "{file}");
    }
}

#[test]
fn vectors_hold_known_graphs() {
    let Some(folder) = witnesses() else { return };
    let mut seen = 0;
    for path in phds(&folder) {
        let expected = path.with_extension("expected.jsonl");
        let Ok(text) = fs::read_to_string(&expected) else { continue };
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let found = heap(&decompressed(&path));
        assert_eq!(found.classes.len() + found.objects.len(), lines.len());
        let version_4 = found.classes.first().is_some_and(|_| path.to_string_lossy().contains("v4"));
        let mut classes = found.classes.iter();
        let mut objects = found.objects.iter();
        // The graph stands in file order, and in each of the two lists the order is the same.
        for line in &lines {
            if line["kind"] == "class" {
                same_class(classes.next().expect("as many classes"), line);
            } else {
                same_object(objects.next().expect("as many objects"), line, &found, version_4);
            }
        }
        seen += 1;
    }
    assert!(seen > 0, "vectors were compared");
}

#[test]
fn classic_texts_are_valid_and_come_back_with_their_writer_recognised() {
    let Some(folder) = witnesses() else { return };
    for (path, _) in texts(&folder) {
        let report = validate(&Input::open(&path).expect("readable"), ValidateOptions::default()).expect("readable");
        // The graph has arrays without a class.
        let other: Vec<_> = report.findings.iter().filter(|f| f.rule != classic::rules::GRAPH_TYPE).collect();
        assert!(report.valid && other.is_empty(), "{}: {other:?}", path.display());
        let bytes = fs::read(&path).expect("a witness");
        let (heap, encoding) = classic_heap(&bytes);
        let open = || Ok(Box::new(std::io::Cursor::new(bytes.clone())) as Box<dyn std::io::Read>);
        let recognised = classic::lower::recognise(&mut SingleHeap(heap.clone()), encoding, open).expect("readable");
        let options = recognised.unwrap_or_else(|| panic!("{}: no profile gives its bytes", path.display()));
        assert_eq!(options.profile.name, "jdmpview", "{}", path.display());
        // The bytes themselves, not only the recogniser's word.
        assert!(classic::lower::to_bytes(&heap, &options).expect("writable") == bytes, "{}", path.display());
    }
}

#[test]
fn classic_texts_hold_known_graphs() {
    let Some(folder) = witnesses() else { return };
    for (path, lines) in texts(&folder) {
        let (heap, _) = classic_heap(&fs::read(&path).expect("a witness"));
        assert_eq!(heap.classes.len() + heap.objects.len(), lines.len());
        let mut classes = heap.classes.iter();
        let mut objects = heap.objects.iter();
        for line in &lines {
            let name = Name::from_text(line["class_name"].as_str().expect("a name"));
            let listed = if line["kind"] == "class" {
                let class = classes.next().expect("as many classes");
                assert_eq!((Some(class.address.0), &class.name), (hex(&line["address"]), &name));
                assert_eq!(class.class_object_size.map(|s| s.0), line["size"].as_u64(), "{line}");
                class.references.clone().expect("references")
            } else {
                let object = objects.next().expect("as many objects");
                assert_eq!((Some(object.address.0), object.class_name.as_ref()), (hex(&line["address"]), Some(&name)));
                assert_eq!(object.size.map(|s| s.0), line["size"].as_u64(), "{line}");
                match &object.contents {
                    Contents::References(listed) => listed.clone(),
                    _ => Vec::new(),
                }
            };
            let nulls = listed.iter().filter(|a| a.is_null()).count() as u64;
            assert_eq!(nulls, line["nulls"].as_u64().unwrap_or(0), "{line}");
            let linked: Vec<u64> = listed.iter().map(|a| a.0).filter(|&a| a != 0).collect();
            assert_eq!(linked, list(&line["refs"]).unwrap_or_default(), "{line}");
        }
    }
}

fn classic_heap(bytes: &[u8]) -> (Heap, classic::Encoding) {
    let open = || classic::Decoder::new(bytes).map_err(Error::from);
    let (heap, _, ended) = classic::lift::heap(open).expect("a classic text");
    ended.expect("a whole text");
    (heap, open().expect("a classic text").encoding())
}

fn same_class(class: &Class, line: &Value) {
    assert_eq!(Some(class.address.0), hex(&line["address"]));
    assert_eq!(class.name, Name::from_text(line["class_name"].as_str().expect("a name")));
    assert_eq!(class.superclass.map(|a| a.0), hex(&line["super"]));
    assert_eq!(class.instance_size.map(|s| s.0), line["instance_size"].as_u64());
    assert_eq!(class.references.as_ref().map(|r| r.iter().map(|a| a.0).collect()), list(&line["refs"]));
    same_hash(class.hash, line);
}

fn same_object(object: &Object, line: &Value, heap: &Heap, version_4: bool) {
    assert_eq!(Some(object.address.0), hex(&line["address"]));
    let kind = match line["kind"].as_str() {
        Some("object") => ObjectKind::Instance,
        Some("object-array") => ObjectKind::ObjectArray,
        _ => ObjectKind::PrimitiveArray(PrimitiveType::ALL[line["type"].as_u64().expect("a type") as usize]),
    };
    assert_eq!(object.kind, kind);
    assert_eq!(object.class_word.map(|a| a.0), hex(&line["class"]));
    same_hash(object.hash, line);
    if let (ObjectKind::Instance, Some(name)) = (kind, line["class_name"].as_str()) {
        let class = heap.classes.iter().find(|c| Some(c.address) == object.class).expect("its class");
        assert_eq!(class.name, Name::from_text(name));
    }
    match kind {
        ObjectKind::PrimitiveArray(_) => assert_eq!(object.length, line["length"].as_u64()),
        // Tag 5 keeps no length.
        ObjectKind::ObjectArray => assert_eq!(object.length, line["length"].as_u64().filter(|_| !version_4)),
        ObjectKind::Instance => {}
    }
    if kind != ObjectKind::Instance && !version_4 {
        assert_eq!(object.size.map(|s| s.0), line["size"].as_u64());
    }
    if !matches!(kind, ObjectKind::PrimitiveArray(_)) {
        assert_eq!(Some(object.references().map(|a| a.0).collect()), list(&line["refs"]));
    }
}

/// In files of 16-bit hashes an object without one has 0.
fn same_hash(hash: Option<IdentityHash>, line: &Value) {
    let bits = match hash {
        None | Some(IdentityHash::Bits16(0)) => None,
        Some(IdentityHash::Bits16(hash)) => Some(u64::from(hash)),
        Some(IdentityHash::Bits32(hash)) => Some(u64::from(hash)),
    };
    assert_eq!(bits, line["hash"].as_u64());
}

fn hex(value: &Value) -> Option<u64> {
    u64::from_str_radix(value.as_str()?.strip_prefix("0x")?, 16).ok()
}

fn list(value: &Value) -> Option<Vec<u64>> {
    value.as_array().map(|items| items.iter().filter_map(hex).collect())
}

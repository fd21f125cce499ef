//! Digests: the vectors of specs/digest.md, faults that are found by their buckets, and the independent
//! implementation in Python.
//!
//! Without python3 the tests of the latter are skipped, and say so; with `HEAPSMITH_PYTHON_REQUIRED` set, skipping
//! fails.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use heapsmith::DumpOptions;
use heapsmith::compare::Facet;
use heapsmith::compare::listing::{self, HeapPlaces};
use heapsmith::corpus::{RightAnswer, cases};
use heapsmith::digest::{
    DigestOptions, DigestPlace, FacetSelection, Sum, bucket_of, compare_digests, digest, visit_records,
};
use heapsmith::error::Error;
use heapsmith::format::Format;
use heapsmith::generate::from_seed;
use heapsmith::model::{
    Address, ByteLen, Class, Contents, Dump, Facts, HashRegime, Heap, HeapSource, IdentityHash, Object, ObjectKind,
    PrimitiveType, Root, RootKind, Surroundings, VisitObjects,
};
use pretty_assertions::assert_eq;
use serde_json::{Value as Json, json};

fn document(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("specs").join(name)).expect("a document")
}

/// What stands between two marks.
fn between<'t>(text: &'t str, begin: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(begin).expect("a beginning");
    rest.split_once(end).expect("an end").0
}

fn bytes(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits.chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Records by their bytes, each with its SHA-256 and where it belongs, and the sum of a block of vectors.
fn vectors(block: &str) -> (BTreeMap<Vec<u8>, (String, String)>, String) {
    let (records, sum) = block.rsplit_once("sum ").expect("a sum");
    let record = |text: &str| {
        let (digits, rest) = text.split_once("\n= ").expect("a SHA-256");
        let (hash, place) = rest.split_once(", ").expect("a place");
        (bytes(digits), (hash.to_owned(), place.to_owned()))
    };
    (records.trim().split("\n\n").map(record).collect(), sum.trim().to_owned())
}

#[test]
fn the_records_of_the_examples_are_those_spelled_in_the_specification() {
    let (spec, listings) = (document("digest.md"), document("listing.md"));
    let heap_of = |text: &str| listing::read(text.as_bytes()).expect("a listing").heap;
    let tiny = heap_of(between(&listings, "$ heapsmith decode tiny.phd\n", "\n\n```"));
    let right = heap_of(between(&listings, "```jsonl right.jsonl\n", "```"));
    let default = FacetSelection::unordered();
    let names = FacetSelection::from_iter([Facet::ClassName]);
    let references = FacetSelection::from_iter([Facet::References, Facet::ReferenceOrder]);
    let roots = FacetSelection::from_iter([Facet::RootObjects]);
    let (_, spelled) = spec.split_once("## Test vectors").expect("vectors");
    let mut blocks = spelled.split("```text\n").skip(1).map(|block| block.split_once("```").expect("an end").0);
    for (heap, facets) in [(&tiny, default), (&tiny, names), (&right, default), (&right, references), (&right, roots)] {
        let (expected, sum) = vectors(blocks.next().expect("a block"));
        let mut found = BTreeMap::new();
        let collect = &mut |place, record: &[u8]| {
            let place = match place {
                DigestPlace::Entry(address) | DigestPlace::Root(address) => format!("bucket {}", bucket_of(address)),
                DigestPlace::Other => "surroundings".to_owned(),
            };
            found.insert(record.to_vec(), place);
            Ok(())
        };
        visit_records(&mut heap.clone(), facets, collect).expect("in memory");
        let places: BTreeMap<_, _> = expected.iter().map(|(record, (_, at))| (record.clone(), at.clone())).collect();
        assert_eq!(found, places);
        let options = DigestOptions::default().facets(facets);
        assert_eq!(digest(&mut heap.clone(), &options).expect("in memory").digest.to_string(), sum);
    }
    assert_eq!(blocks.next(), None);
}

#[test]
fn a_long_value_has_the_sha_256_of_the_specification() {
    let contents = Contents::Primitives(vec![0; 255]);
    let array = Object { contents, ..Object::new(Address(8), ObjectKind::PrimitiveArray(PrimitiveType::Byte)) };
    let mut heap = Heap { objects: vec![array], ..Heap::default() };
    let facets = FacetSelection::from_iter([Facet::PrimitiveContents]);
    let found = digest(&mut heap, &DigestOptions::default().facets(facets)).expect("in memory");
    let spec = document("digest.md");
    let (_, said) = spec.split_once("an array of 255 bytes 0").expect("the vector");
    assert_eq!(found.digest.to_string(), between(said, "SHA-256 is `", "`"));
    assert!(said.contains(&format!("bucket {}.", bucket_of(Address(8)))));
}

/// A million objects that are worked out one by one, with a fault in one of them or none.
struct Million {
    facts: Facts,
    classes: Vec<Class>,
    around: Surroundings,
    fault: Option<Fault>,
}

/// What is wrong with the object of an index.
type Fault = (u64, fn(&mut Object));

const OBJECTS: u64 = 1_000_000;

const fn address_of(index: u64) -> Address {
    Address(0x7_0000_0000 + 24 * index)
}

impl Million {
    fn new() -> Million {
        let class = |n: u64| Class {
            address: Address(0x1000 + 64 * n),
            name: format!("C{n}").as_str().into(),
            ..Class::default()
        };
        let root = |n: u64| Root { object: address_of(n * 7), kind: RootKind::StickyClass, after: None };
        Million {
            facts: Facts { hash_regime: Some(HashRegime::WhereUsed32), ..Facts::default() },
            classes: (0..3000).map(class).collect(),
            around: Surroundings { roots: Some((0..3000).map(root).collect()), ..Surroundings::default() },
            fault: None,
        }
    }

    fn object(index: u64) -> Object {
        let to = |n: u64| address_of((index * 7919 + n) % OBJECTS);
        let (kind, contents) = match index % 3 {
            0 => (ObjectKind::PrimitiveArray(PrimitiveType::Byte), Contents::Primitives(index.to_be_bytes().repeat(3))),
            1 => (ObjectKind::ObjectArray, Contents::Elements(vec![to(1), Address::NULL, to(2)])),
            _ => (ObjectKind::Instance, Contents::References(vec![to(3), to(4)])),
        };
        Object {
            class: Some(Address(0x1000 + 64 * (index % 3000))),
            size: Some(ByteLen(24)),
            hash: Some(IdentityHash::Bits32(index as u32)),
            contents,
            ..Object::new(address_of(index), kind)
        }
    }
}

impl HeapSource for Million {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn classes(&self) -> &[Class] {
        &self.classes
    }

    fn surroundings(&self) -> &Surroundings {
        &self.around
    }

    fn visit_objects(&mut self, visit: &mut VisitObjects<'_>) -> Result<(), Error> {
        (0..OBJECTS).try_for_each(|index| {
            let mut object = Million::object(index);
            if let Some((_, fault)) = self.fault.filter(|(at, _)| *at == index) {
                fault(&mut object);
            }
            visit(&object)
        })
    }
}

/// One bucket for all, so that it is listed only once for the sound heap.
const BUCKET: u8 = 77;

#[test]
fn one_fault_among_a_million_objects_is_found_by_its_bucket() {
    let options = DigestOptions::default().bucket(BUCKET);
    let sound = digest(&mut Million::new(), &options).expect("worked out");
    let in_bucket = |address: Address| bucket_of(address) == BUCKET;
    let object = |rest: u64| (500_000..).find(|n| n % 3 == rest && in_bucket(address_of(*n))).expect("an object");
    let (bytes, array, instance) = (object(0), object(1), object(2));

    let mut heaps: Vec<(&str, Address, Million)> = Vec::new();
    let mut faulty = |name, index, fault: fn(&mut Object)| {
        heaps.push((name, address_of(index), Million { fault: Some((index, fault)), ..Million::new() }));
    };
    faulty("one reference", instance, |object| {
        let Contents::References(references) = &mut object.contents else { panic!("references") };
        references[0] = address_of(5);
    });
    faulty("one null", array, |object| elements(object)[1] = address_of(5));
    faulty("two swapped elements", array, |object| elements(object).swap(0, 2));
    faulty("one byte of an array", bytes, |object| {
        let Contents::Primitives(bytes) = &mut object.contents else { panic!("bytes") };
        bytes[23] ^= 0x10;
    });
    faulty("one bit of a hash", bytes, |object| {
        let Some(IdentityHash::Bits32(hash)) = &mut object.hash else { panic!("a hash") };
        *hash ^= 0x0800_0000;
    });
    let mut heap = Million::new();
    let class = heap.classes.iter_mut().find(|class| in_bucket(class.address)).expect("a class");
    class.name = "renamed".into();
    heaps.push(("one class", class.address, heap));
    let mut heap = Million::new();
    let roots = heap.around.roots.iter_mut().flatten();
    let root = roots.into_iter().find(|root| in_bucket(root.object)).expect("a root");
    root.kind = RootKind::MonitorUsed;
    heaps.push(("one root", root.object, heap));

    for (name, address, mut heap) in heaps {
        let found = digest(&mut heap, &options).expect("worked out");
        let difference = compare_digests(&sound, &found);
        assert!(!difference.equal && !difference.surroundings, "{name}");
        assert_eq!(difference.buckets, Some(vec![BUCKET]), "{name}");
        assert_eq!(difference.addresses, Some(vec![address.into()]), "{name}");
    }
}

fn elements(object: &mut Object) -> &mut Vec<Address> {
    match &mut object.contents {
        Contents::Elements(elements) => elements,
        _ => panic!("elements"),
    }
}

#[test]
fn dumps_of_every_format_have_the_digests_that_python_works_out_from_their_listings() {
    let found = Command::new("python3").arg("--version").stdout(Stdio::null()).status().is_ok_and(|s| s.success());
    if !found {
        assert!(std::env::var_os("HEAPSMITH_PYTHON_REQUIRED").is_none(), "python3 is required and does not run");
        eprintln!("skipped: python3 does not run");
        return;
    }
    let mut heaps: Vec<(String, Heap)> = Vec::new();
    for case in cases().expect("recipes work") {
        if let Some(RightAnswer::Reads(_, heap)) = case.answers.into_iter().next() {
            heaps.push((case.id, (*heap).clone()));
        }
    }
    assert!(heaps.len() > 100, "{} cases", heaps.len());
    for format in Format::all() {
        for profile in [None, Some("any")] {
            let Ok(lowering) = DumpOptions::new(format).profile(profile).seed(3).lowering() else { continue };
            let heap = from_seed(&lowering.generate_options(100, None), 3);
            let carried = lowering.carry(&mut Dump { heaps: vec![heap], tail: Vec::new() }).expect("writable");
            heaps.extend(carried.heaps.into_iter().map(|heap| (format!("{format} {profile:?}"), heap)));
        }
    }
    for (told, (name, heap)) in python(&heaps).into_iter().zip(&heaps) {
        assert_eq!(told, ours(heap), "{name}");
    }
}

/// What the script says of each heap.
fn python(heaps: &[(String, Heap)]) -> Vec<Json> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new("python3");
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/digest.py")).args(["--buckets", "--by-facet"]);
    for (number, (_, heap)) in heaps.iter().enumerate() {
        let path = folder.path().join(number.to_string());
        let mut file = fs::File::create(&path).map(BufWriter::new).expect("a file");
        listing::write(&mut file, &listing::head(heap), heap, &HeapPlaces::from_order(heap)).expect("written");
        file.flush().expect("written");
        command.arg(path);
    }
    let told = command.output().expect("started");
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let told = String::from_utf8(told.stdout).expect("text");
    let told: Vec<Json> = told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(told.len(), heaps.len());
    told
}

/// The same from this crate.
fn ours(heap: &Heap) -> Json {
    let ours = digest(&mut heap.clone(), &DigestOptions::default().by_facet(true)).expect("in memory");
    let mut facets: Vec<String> = ours.facets.iter().map(Facet::to_string).collect();
    facets.sort();
    let by_facet: BTreeMap<String, Sum> =
        ours.by_facet.iter().flatten().map(|alone| (alone.facet.to_string(), alone.digest)).collect();
    json!({
        "facets": facets,
        "digest": ours.digest,
        "surroundings": ours.surroundings,
        "by_facet": by_facet,
        "buckets": ours.buckets,
    })
}

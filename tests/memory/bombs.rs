//! Dumps of few bytes that stand for many: what is shared is kept once, what has no contents is counted, and what would have
//! to be synthesised is refused before.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use heapsmith::compare::{CompareOptions, MEMORY, compare_sources};
use heapsmith::convert::{self, convert, judge};
use heapsmith::digest::{self, digest};
use heapsmith::error::{Error, LowerError, Remedy};
use heapsmith::family::WriteRequest;
use heapsmith::format::{DumpFile, DumpTarget, FileSource, Format, Lowering};
use heapsmith::hprof::{IdSize, ReadOptions};
use heapsmith::input::Input;
use heapsmith::model::{
    Address, ByteLen, Class, Contents, DumpSource, Facts, Heap, Object, ObjectKind, PrimitiveType, WordSize,
};
use heapsmith::validate::{ValidateOptions, validate};

use super::{class, header, peak, record, show};

/// What every command that takes a heap does with an input, each with its peak.
fn work(input: &Input, targets: &[Format]) -> Vec<(String, usize)> {
    let open = || -> FileSource {
        let file = DumpFile::new(input.clone(), ReadOptions::default()).expect("a dump");
        file.source().expect("a dump")
    };
    let mut peaks = Vec::new();
    let mut measure = |what: &str, work: &mut dyn FnMut()| peaks.push((what.to_owned(), peak(work)));
    measure("validate", &mut || drop(validate(input, ValidateOptions::default()).expect("readable")));
    measure("open", &mut || drop(open()));
    measure("decode", &mut || {
        let file = DumpFile::new(input.clone(), ReadOptions::default()).expect("a dump");
        let whole = file.read().expect("a dump");
        assert!(whole.ended.is_ok(), "{:?}", whole.ended);
    });
    measure("digest", &mut || drop(digest(open().heap(0), &digest::DigestOptions::default()).expect("a digest")));
    measure("compare", &mut || {
        let (mut left, mut right) = (open(), open());
        assert!(compare_sources(left.heap(0), right.heap(0), &CompareOptions::default()).expect("readable").equal);
    });
    for target in targets {
        let lowering = Lowering::new(*target, &WriteRequest::default()).expect("a profile");
        measure(&format!("convert to {target}"), &mut || {
            convert(open().heap(0), &convert::ConvertOptions::new(&lowering), &mut io::sink()).expect("converted");
        });
        measure(&format!("check-conversion to {target}"), &mut || {
            let (mut left, mut right) = (open(), open());
            let target = DumpTarget { format: *target, profile: None };
            drop(judge(left.heap(0), right.heap(0), &target, MEMORY).expect("judged"));
        });
    }
    measure("rewrite", &mut || {
        let file = DumpFile::new(input.clone(), ReadOptions::default()).expect("a dump");
        let (mut source, mut out) = (open(), io::sink());
        let lowering = Lowering::new(file.format().expect("a format"), &WriteRequest::default()).expect("a profile");
        lowering.adhering().write(&mut source, &mut out).expect("written");
    });
    peaks
}

/// 2000 classes of one name of 100,000 bytes, in each of the forms that names have: 200 MB, were they kept for each.
pub(crate) fn stores_shared_class_name_once() {
    const CLASSES: u32 = 2_000;
    for start in ["a.", "a/", "a"] {
        let name = [start.as_bytes(), &[b'b'; 100_000]].concat();
        let mut dump = header(IdSize::Eight);
        let text = [&1_u64.to_be_bytes()[..], &name].concat();
        dump.extend(record(0x01, text.len() as u32, &text));
        let mut classes = Vec::new();
        for n in 1..=CLASSES {
            let at = u64::from(n) * 8;
            let load = [&n.to_be_bytes()[..], &at.to_be_bytes(), &[0; 4], &1_u64.to_be_bytes()].concat();
            dump.extend(record(0x02, load.len() as u32, &load));
            classes.extend(class(IdSize::Eight, at, 0, 0));
        }
        dump.extend(record(0x1c, classes.len() as u32, &classes));
        dump.extend(record(0x2c, 0, &[]));
        let input = Input::from_memory("names", dump);
        for (what, peak) in work(&input, &[Format::HPROF, Format::CLASSIC]) {
            show(&format!("{what}, {start:?}: {peak} bytes"));
            assert!(peak < 8 << 20, "{what}, {start:?}: {peak} bytes");
        }
    }
}

/// 200,000 records without contents, before, in and after a heap: 1.8 MB, in 32 KiB of gzip.
pub(crate) fn counts_memory_of_records_without_contents() {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    let mut put = |bytes: &[u8]| gzip.write_all(bytes).expect("memory");
    let many = record(0xf0, 0, &[]).repeat(1 << 12);
    let classes = class(IdSize::Eight, 8, 0, 0);
    put(&header(IdSize::Eight));
    for part in 0..3 {
        (0..1 << 4).for_each(|_| put(&many));
        if part < 2 {
            let classes = if part == 0 { &classes[..] } else { &[] };
            put(&record(0x1c, classes.len() as u32, classes));
        } else {
            put(&record(0x2c, 0, &[]));
        }
    }
    (0..1 << 2).for_each(|_| put(&many));
    let input = Input::from_memory("records", gzip.finish().expect("memory"));
    assert!(input.length() < 1 << 15);
    for (what, peak) in work(&input, &[Format::HPROF]) {
        show(&format!("{what}: {peak} bytes for {} bytes of gzip", input.length()));
        assert!(peak < 2 << 20, "{what}: {peak} bytes");
    }
}

/// A PHD whose objects claim far more than it has.
fn claims(objects: Vec<Object>) -> Heap {
    let class = |n: u64, name: &str| Class {
        address: Address(8 * n),
        name: name.into(),
        superclass: Some(Address(0)),
        instance_size: Some(ByteLen(8)),
        references: Some(Vec::new()),
        ..Class::default()
    };
    Heap {
        facts: Facts { word_size: Some(WordSize::Bits64), ..Facts::default() },
        classes: vec![class(1, "A"), class(2, "[LA;"), class(3, "[J")],
        objects,
        ..Heap::default()
    }
}

pub(crate) fn refuses_to_synthesise_beyond_budget_before_writing() {
    let array = |n: u64, kind, length: u64| Object {
        class: Some(Address(8)),
        class_word: Some(Address(8)),
        length: Some(length),
        contents: Contents::References(Vec::new()),
        ..Object::new(Address(800 + 8 * n), kind)
    };
    let longs = |n, length| Object {
        contents: Contents::Unknown,
        ..array(n, ObjectKind::PrimitiveArray(PrimitiveType::Long), length)
    };
    let instance = |n: u64, references: usize| Object {
        class: Some(Address(8)),
        contents: Contents::References(vec![Address(8); references]),
        ..Object::new(Address(800 + 8 * n), ObjectKind::Instance)
    };
    let many = |object: &dyn Fn(u64) -> Object, count: u64| (0..count).map(object).collect::<Vec<_>>();
    for (what, objects, bytes) in [
        ("one array", vec![array(0, ObjectKind::ObjectArray, 1 << 30)], 1 << 33),
        ("one primitive array", vec![longs(0, 1 << 30)], 1 << 33),
        // None of which is large by itself.
        ("many arrays", many(&|n| longs(n, 1 << 20), 1000), 1000 << 23),
        (
            "many instances",
            [many(&|n| instance(n, 0), 20_000), vec![instance(20_000, 20_000)]].concat(),
            20_000 * 160_000,
        ),
    ] {
        let mut heap = claims(objects);
        let lowering = Lowering::new(Format::HPROF, &WriteRequest::default()).expect("a profile");
        let mut refused = None;
        let peak = peak(|| {
            refused = convert(&mut heap, &convert::ConvertOptions::new(&lowering), &mut io::sink()).err();
        });
        assert!(peak < 1 << 20, "{what}: {peak} bytes");
        let Some(error @ Error::Lower(LowerError::Budget { bytes: found, budget })) = &refused else {
            panic!("{what}: {refused:?}")
        };
        assert_eq!((error.remedy(), *budget), (Some(Remedy::Budget { bytes: *found }), convert::BUDGET), "{what}");
        assert!((bytes..bytes + bytes / 100).contains(found), "{what}: {found} bytes, and not {bytes}");
    }
    // What is allowed is made, and one byte less is refused.
    let mut heap = claims(many(&|n| longs(n, 1 << 10), 100));
    let lowering = Lowering::new(Format::HPROF, &WriteRequest::default()).expect("a profile");
    let mut with = |budget| {
        convert(&mut heap, &convert::ConvertOptions::new(&lowering).budget(budget), &mut io::sink()).map(|_| ())
    };
    assert!(with(100 << 13).is_ok());
    assert!(matches!(with((100 << 13) - 1), Err(Error::Lower(LowerError::Budget { bytes, .. })) if bytes == 100 << 13));
}

/// The superclasses of each class are listed by PHD and classic text, so the lists are quadratic in the depth.
pub(crate) fn applies_budget_to_superclass_lists() {
    let class = |n: u64| Class {
        address: Address(8 * n),
        name: "A".into(),
        superclass: Some(Address(8 * (n - 1))),
        statics: Some(Vec::new()),
        fields: Some(Vec::new()),
        ..Class::default()
    };
    let mut heap = Heap { classes: (1..=20_000).map(class).collect(), ..claims(Vec::new()) };
    for (target, profile, entry) in
        [(Format::PHD6, None, 8), (Format::PHD5, None, 8), (Format::CLASSIC, Some("ibm-j9"), 19)]
    {
        let wishes = WriteRequest { profile: profile.map(str::to_owned), ..WriteRequest::default() };
        let lowering = Lowering::new(target, &wishes).expect("a profile");
        let converted = convert(&mut heap, &convert::ConvertOptions::new(&lowering), &mut io::sink());
        let Err(Error::Lower(LowerError::Budget { bytes, .. })) = converted else { panic!("{target}: {converted:?}") };
        assert_eq!(bytes, 20_000 * 19_999 / 2 * entry, "{target}");
    }
}

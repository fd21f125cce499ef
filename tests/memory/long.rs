//! What one large array costs: pieces of it, and never the array.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use heapsmith::compare::listing::SortedLines;
use heapsmith::compare::{CompareOptions, compare_sources};
use heapsmith::convert::{self, convert};
use heapsmith::digest::{self, digest};
use heapsmith::family::{ReadOptions, WriteRequest};
use heapsmith::format::{DumpFile, DumpTarget, Family, Format, Lowering};
use heapsmith::input::Input;
use heapsmith::model::{
    Address, ByteLen, Class, Contents, DumpSource, Heap, HeapSource, Name, Object, ObjectKind, PrimitiveType,
};
use heapsmith::validate::{ValidateOptions, validate};

use crate::{peak, show};

/// What one array takes that is held.
const HELD: usize = 24 << 20;

/// What a command may take: less than the array.
const BOUND: usize = 20 << 20;

/// A heap with one large array.
fn heap(kind: ObjectKind) -> Heap {
    let class = |address, name: &str| Class {
        address: Address(address),
        name: Name::from_text(name),
        superclass: Some(Address::NULL),
        instance_size: Some(ByteLen(16)),
        class_object_size: Some(ByteLen(16)),
        references: Some(Vec::new()),
        statics: Some(Vec::new()),
        fields: Some(Vec::new()),
        ..Class::default()
    };
    let array = Object {
        class: (kind == ObjectKind::ObjectArray).then_some(Address(0x1010)),
        class_word: (kind == ObjectKind::ObjectArray).then_some(Address(0x1000)),
        size: Some(ByteLen(HELD as u64)),
        ..Object::new(Address(0x2000), kind)
    };
    let array = if kind == ObjectKind::ObjectArray {
        // In no order, with nulls among them.
        let to =
            |n: u64| Address(if n.is_multiple_of(11) { 0 } else { 0x2000 + n.wrapping_mul(0x9e37_79b9) % 4096 * 8 });
        let elements: Vec<Address> = (0..HELD as u64 / 8).map(to).collect();
        Object { length: Some(elements.len() as u64), contents: Contents::Elements(elements), ..array }
    } else {
        Object { length: Some(HELD as u64), contents: Contents::Primitives(vec![7; HELD]), ..array }
    };
    let classes = vec![class(0x1000, "java/lang/Object"), class(0x1010, "[Ljava/lang/Object;")];
    Heap { classes, objects: vec![array], ..Heap::default() }
}

fn format(family: Family) -> Format {
    family.formats().last().expect("every family has a format")
}

fn lowering(family: Family) -> Lowering {
    Lowering::new(format(family), &WriteRequest::default()).expect("a format")
}

/// The dump of a heap as a file, as it is or compressed.
fn file(mut heap: Heap, family: Family, is_compressed: bool) -> DumpFile {
    let file = tempfile::tempfile().expect("there is room");
    let mut out: Box<dyn Write> = match is_compressed {
        true => Box::new(GzEncoder::new(file.try_clone().expect("open"), Compression::fast())),
        false => Box::new(BufWriter::new(file.try_clone().expect("open"))),
    };
    lowering(family).write(&mut (&mut heap as &mut dyn HeapSource), &mut out).expect("there is room");
    out.flush().expect("there is room");
    drop(out);
    open(file)
}

fn open(file: File) -> DumpFile {
    let length = file.metadata().expect("open").len();
    let input = Input::from_file("a large array", file, length).expect("open");
    DumpFile::new(input, ReadOptions::default()).expect("a dump")
}

pub(crate) fn no_command_holds_large_array() {
    let primitive = ObjectKind::PrimitiveArray(PrimitiveType::Byte);
    for (family, kind) in [
        (Family::HPROF, primitive),
        (Family::HPROF, ObjectKind::ObjectArray),
        (Family::PHD, ObjectKind::ObjectArray),
        (Family::CLASSIC, ObjectKind::ObjectArray),
    ] {
        for is_compressed in [false, true] {
            let dump = file(heap(kind), family, is_compressed);
            let what = format!("{kind:?} of {family}, {}", if is_compressed { "compressed" } else { "plain" });
            for (command, run) in COMMANDS {
                let peak = peak(|| run(&dump, family));
                show(&format!("{what}: {command} took {} KiB", peak >> 10));
                assert!(peak < BOUND, "{what}: {command} took {peak} bytes");
            }
        }
    }
}

/// A command over a dump of a family.
type Run = fn(&DumpFile, Family);

/// What each command does, by way of the library.
const COMMANDS: &[(&str, Run)] = &[
    ("validate", |dump, _| {
        let report = validate(dump.input(), ValidateOptions::default()).expect("it can be read");
        assert!(report.findings.iter().all(|finding| finding.rule.to_string() != "phd.file.truncated"));
    }),
    ("digest", |dump, _| {
        digest(dump.source().expect("a dump").heap(0), &digest::DigestOptions::default()).expect("sound");
    }),
    ("decode", |dump, _| {
        let mut outline = dump.outline().expect("a dump");
        let mut lines = SortedLines::new(1 << 20);
        outline.visit_objects(0, &mut |place, object| lines.add(place, object)).expect("read").expect("sound");
        let head = lines.head(&outline.dump.heaps[0]);
        lines.write(&mut io::sink(), &head, &outline.dump.heaps[0], &outline.classes[0]).expect("written");
    }),
    ("compare", |dump, _| {
        let (mut left, mut right) = (dump.source().expect("a dump"), dump.source().expect("a dump"));
        let compared = compare_sources(left.heap(0), right.heap(0), &CompareOptions::default().memory(1 << 20));
        assert!(compared.expect("sound").equal);
    }),
    ("rewrite", |dump, family| {
        lowering(family).write(&mut dump.source().expect("a dump"), &mut io::sink()).expect("written");
    }),
    ("recognise", |dump, _| {
        dump.recognise(&mut dump.source().expect("a dump")).expect("sound");
    }),
    ("convert and check-conversion", |dump, _| {
        for to in Family::ALL {
            let file = tempfile::tempfile().expect("there is room");
            let mut out = BufWriter::new(file.try_clone().expect("open"));
            let mut source = dump.source().expect("a dump");
            convert(source.heap(0), &convert::ConvertOptions::new(&lowering(to)), &mut out).expect("converted");
            out.flush().expect("there is room");
            let target = DumpTarget { format: format(to), profile: None };
            let result = open(file);
            let mut result = result.source().expect("a dump");
            convert::judge(source.heap(0), result.heap(0), &target, 1 << 20).expect("sound");
        }
    }),
];

/// Objects that are many are sorted outside of memory.
pub(crate) fn listing_of_many_objects_holds_only_part_of_them() {
    const MANY: u64 = 200_000;
    let object = |n: u64| Object {
        class: Some(Address(0x1000)),
        contents: Contents::References(vec![Address(8); 4]),
        ..Object::new(Address(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)), ObjectKind::Instance)
    };
    let peak = peak(|| {
        let mut lines = SortedLines::new(1 << 20);
        for record in 0..MANY {
            let place = heapsmith::compare::listing::RecordPlace { record, offset: None };
            lines.add(place, &object(record)).expect("there is room");
        }
        let heap = Heap::default();
        let head = lines.head(&heap);
        let mut count = Lines(0);
        lines.write(&mut count, &head, &heap, &[]).expect("written");
        assert_eq!(count.0, MANY + 1);
    });
    show(&format!("{MANY} objects took {} KiB", peak >> 10));
    assert!(peak < 12 << 20, "{peak} bytes");
}

struct Lines(u64);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

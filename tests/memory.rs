//! How much memory damaged dumps can make us allocate.
//!
//! A program of its own, whose only thread runs one test after the other: they watch the allocator of the process, and
//! threads of a test harness would allocate meanwhile. `--nocapture` shows the figures.

use std::cell::Cell;
use std::io::{self, Read};
use std::process::ExitCode;

#[path = "memory/allowed.rs"]
mod allowed;
#[path = "memory/bombs.rs"]
mod bombs;

use allowed::{
    allows_64_mebibytes_plus_64_bytes_per_byte_of_file, every_command_refuses_decompression_bomb,
    refuses_hprof_that_needs_more_memory_than_allowed, refuses_listing_that_needs_more_memory_than_allowed,
    refuses_phd_and_classic_text_that_need_more_memory_than_allowed,
};
use bombs::{
    applies_budget_to_superclass_lists, counts_memory_of_records_without_contents,
    refuses_to_synthesise_beyond_budget_before_writing, stores_shared_class_name_once,
};
use heapsmith::classic;
use heapsmith::corpus::cases;
use heapsmith::digest;
use heapsmith::error::{DecodeError, Error};
use heapsmith::format::Format;
use heapsmith::hprof::{self, DecodeStep, IdSize};
use heapsmith::input::Input;
use heapsmith::model::{
    Address, ByteLen, Class, Contents, Facts, Heap, HeapSource, Name, Object, ObjectKind, Surroundings, VisitObjects,
};
use heapsmith::phd::{Decoder, annotate, lift};
use heapsmith::validate::{ValidateOptions, validate};
use libtest_mimic::{Arguments, Trial};
use peak_alloc::PeakAlloc;

#[path = "memory/long.rs"]
mod long;

use long::{listing_of_many_objects_holds_only_part_of_them, no_command_holds_large_array};

#[path = "memory/shapes.rs"]
mod shapes;

use shapes::shape_memory_is_independent_of_size;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// A row for each of these functions, by its name.
macro_rules! tests {
    ($($name:ident)*) => {
        const TESTS: &[(&str, fn())] = &[$((stringify!($name), $name)),*];
    };
}

tests! {
    digest_memory_is_independent_of_object_count
    the_graph_rules_take_8_bytes_or_less_for_an_object
    reading_a_damaged_phd_allocates_at_most_16_times_its_size_and_a_mebibyte
    allocates_nothing_from_unchecked_hprof_counts
    reading_an_hprof_dump_allocates_at_most_128_times_its_size_and_a_mebibyte
    reading_an_hprof_dump_of_many_heaps_allocates_at_most_128_times_its_size_and_a_mebibyte
    an_array_of_300_million_bytes_passes_through_4_mebibytes
    no_command_holds_large_array
    listing_of_many_objects_holds_only_part_of_them
    shape_memory_is_independent_of_size
    a_line_of_100_million_bytes_of_classic_text_passes_through_6_mebibytes
    stores_shared_class_name_once
    counts_memory_of_records_without_contents
    refuses_to_synthesise_beyond_budget_before_writing
    applies_budget_to_superclass_lists
    refuses_hprof_that_needs_more_memory_than_allowed
    refuses_phd_and_classic_text_that_need_more_memory_than_allowed
    refuses_listing_that_needs_more_memory_than_allowed
    allows_64_mebibytes_plus_64_bytes_per_byte_of_file
    every_command_refuses_decompression_bomb
}

fn main() -> ExitCode {
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    let trials = TESTS.iter().map(|(name, test)| {
        Trial::test(*name, || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// Figures, for those who ask for them.
fn show(figures: &str) {
    if std::env::args().any(|argument| argument == "--nocapture") {
        println!("{figures}");
    }
}

/// What `work` allocates at its peak.
fn peak(work: impl FnOnce()) -> usize {
    let before = ALLOCATED.current_usage();
    ALLOCATED.reset_peak_usage();
    work();
    ALLOCATED.peak_usage().saturating_sub(before)
}

/// This many instances of one class.
struct Many(u64, Facts, Vec<Class>, Surroundings);

impl HeapSource for Many {
    fn facts(&self) -> &Facts {
        &self.1
    }

    fn classes(&self) -> &[Class] {
        &self.2
    }

    fn surroundings(&self) -> &Surroundings {
        &self.3
    }

    fn visit_objects(&mut self, visit: &mut VisitObjects<'_>) -> Result<(), Error> {
        (0..self.0).try_for_each(|n| {
            let contents = Contents::References(vec![Address(8 * n), Address(16)]);
            visit(&Object { contents, class: Some(Address(8)), ..Object::new(Address(8 * n), ObjectKind::Instance) })
        })
    }
}

fn digest_memory_is_independent_of_object_count() {
    let options = digest::DigestOptions::default().by_facet(true);
    let [few, many] = [1_000, 200_000].map(|count| {
        let mut heap = Many(count, Facts::default(), vec![Class::default()], Surroundings::default());
        peak(|| drop(digest::digest(&mut heap, &options)))
    });
    assert!(few < 100_000 && many < few + 1024, "{few} and {many} bytes");
}

/// Objects of 32 bytes side by side, as in a heap of small objects; of 128; and each alone in a megabyte.
fn the_graph_rules_take_8_bytes_or_less_for_an_object() {
    for (format, apart, allowed) in [
        (Format::HPROF, 32, 8.0),
        (Format::PHD6, 32, 8.0),
        (Format::CLASSIC, 32, 8.0),
        (Format::HPROF, 128, 8.0),
        (Format::PHD6, 128, 8.0),
        (Format::HPROF, 1 << 20, 64.0),
        (Format::PHD6, 1 << 20, 64.0),
    ] {
        // The second number is one at which most of the 64 tables, with room for 7/8 of 2^12, have just grown.
        let [few, many] = [20_000_u64, 240_000].map(|count| {
            let class = Class { address: Address(8), name: Name::from_text("A"), ..known_class() };
            let object = |n: u64| Object {
                class: Some(Address(8)),
                size: Some(ByteLen(16)),
                contents: Contents::Fields(Vec::new()),
                ..Object::new(Address(0x10_0000 + n * apart), ObjectKind::Instance)
            };
            let objects = (0..count).map(object).collect();
            let heap = Heap { classes: vec![class], objects, ..Heap::default() };
            let input = Input::from_memory("memory", heap.write(format).expect("it can be said").into_bytes());
            peak(|| {
                let report = validate(&input, ValidateOptions::default()).expect("readable");
                assert!(report.graph_checked && report.sound.objects == count, "{report:?}");
            })
        });
        let each = many.saturating_sub(few) as f64 / 220_000.0;
        show(&format!("{format:?}, {apart} bytes apart: {each:.2} bytes for an object"));
        assert!(each <= allowed, "{format:?}: {each} bytes for an object");
    }
}

fn known_class() -> Class {
    Class {
        superclass: Some(Address::NULL),
        instance_size: Some(ByteLen(0)),
        class_object_size: Some(ByteLen(16)),
        references: Some(Vec::new()),
        statics: Some(Vec::new()),
        fields: Some(Vec::new()),
        ..Class::default()
    }
}

/// Everything that reads a dump, on bytes that the caller owns.
fn read(bytes: &[u8]) {
    if let Ok(mut decoder) = Decoder::new(bytes) {
        drop(lift::heap(&mut decoder));
    }
    if let Ok(mut decoder) = Decoder::new(bytes) {
        let _ = annotate::visit::<_, DecodeError, _>(&mut decoder, |_| Ok(()));
    }
}

fn reading_a_damaged_phd_allocates_at_most_16_times_its_size_and_a_mebibyte() {
    let mut worst = 0.0_f64;
    let mut measure = |what: &str, bytes: &[u8]| {
        let input = Input::from_memory("memory", bytes.to_vec());
        for graph in [false, true] {
            let peak = peak(|| {
                if graph {
                    read(bytes);
                }
                drop(validate(&input, ValidateOptions::default().graph(graph)));
            });
            let allowed = 16 * bytes.len() + (1 << 20);
            worst = worst.max(peak as f64 / allowed as f64);
            assert!(peak <= allowed, "{what}: {peak} bytes for a dump of {}", bytes.len());
        }
    };
    let cases = cases().expect("recipes work");
    for case in &cases {
        measure(&case.id, &case.bytes);
    }
    let golden = cases.iter().find(|case| case.id == "phd6-openj9-32").expect("a golden dump");
    for length in 0..golden.bytes.len() {
        measure(&format!("cut at {length}"), &golden.bytes[..length]);
    }
    for bit in 0..golden.bytes.len() * 8 {
        let mut flipped = golden.bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        measure(&format!("bit {bit}"), &flipped);
    }
    // Counts that claim far more than there is, in a larger file.
    let mut claims = golden.bytes[..36].to_vec();
    for _ in 0..20_000 {
        claims.extend_from_slice(b"\x24\x08\x7f\x00\x00\x00\x01");
    }
    claims.extend_from_slice(b"\x04\x30\x08\0\0\0\0\x7f\xff\xff\xff");
    measure("a claim of 2^31 - 1 references", &claims);
    show(&format!("the worst took {:.0} % of what is allowed", worst * 100.0));
}

/// Everything that reads an HPROF dump.
fn read_hprof(bytes: &[u8]) {
    let open = || hprof::Decoder::new(bytes);
    if let Ok(mut decoder) = open() {
        let _ = decoder.visit::<DecodeError, _>(|_| Ok(()));
    }
    drop(hprof::lift::dump(|| Ok(open()?)));
    let index = open().map(|mut decoder| hprof::lift::DumpIndex::read(&mut decoder).0);
    if let (Ok(mut decoder), Ok(index)) = (open(), index) {
        let _ = hprof::annotate::visit::<_, DecodeError, _>(&mut decoder, Some(&index), |_| Ok(()));
    }
    let input = Input::from_memory("memory", bytes.to_vec());
    for graph in [false, true] {
        drop(validate(&input, ValidateOptions::default().graph(graph)));
    }
}

fn header(id: IdSize) -> Vec<u8> {
    let mut bytes = b"JAVA PROFILE 1.0.2\0".to_vec();
    bytes.extend((id.bytes() as u32).to_be_bytes());
    bytes.extend([0; 8]);
    bytes
}

/// A class that declares this many fields of one byte.
fn class(id: IdSize, at: u64, superclass: u64, fields: u8) -> Vec<u8> {
    let number = |number: u64| number.to_be_bytes()[8 - id.bytes()..].to_vec();
    let mut class = [&[0x20], &number(at)[..], &[0; 4], &number(superclass)].concat();
    // Loader, signers, domain, two reserved ones; instance size, pool, statics.
    class.extend(vec![0; 5 * id.bytes() + 8]);
    class.extend([0, fields]);
    class.extend([&number(0)[..], &[8]].concat().repeat(usize::from(fields)));
    class
}

fn record(tag: u8, length: u32, body: &[u8]) -> Vec<u8> {
    [&[tag, 0, 0, 0, 0], length.to_be_bytes().as_slice(), body].concat()
}

fn allocates_nothing_from_unchecked_hprof_counts() {
    // The rule books are read once, by the first test that needs them.
    read_hprof(&[header(IdSize::Eight), vec![0x1c]].concat());
    const MANY: [u8; 4] = [0xff; 4];
    for id in IdSize::ALL {
        let i = id.bytes();
        let object = |tag: u8, count: &[u8], rest: &[u8]| {
            [&[tag], vec![0; i - 1].as_slice(), &[8, 0, 0, 0, 1], count, rest].concat()
        };
        let class = |lists: &[u8]| [vec![0x20].as_slice(), &vec![0; 7 * i + 8], lists].concat();
        let subs = [
            ("elements", object(0x22, &MANY, &vec![0; i + 20])),
            ("longs", object(0x23, &MANY, &[11, 0, 0])),
            ("bytes", object(0x23, &MANY, &[8, 0, 0])),
            ("field values", [object(0x21, &vec![0; i], &MANY).as_slice(), &[0; 9]].concat()),
            ("pool entries", class(&[0xff, 0xff, 0, 0, 2])),
            ("static fields", class(&[0, 0, 0xff, 0xff, 0])),
            ("instance fields", class(&[0, 0, 0, 0, 0xff, 0xff, 0])),
        ];
        let mut claims = Vec::new();
        for (what, sub) in subs {
            // In a segment that is long enough for it, as far as it says.
            claims.push((what, record(0x1c, 0xffff_ffff, &sub)));
            claims.push((what, record(0x1c, sub.len() as u32, &sub)));
            claims.push((what, record(0x0c, 0, &sub)));
        }
        for length in [0xffff_ffff, 64] {
            claims.push(("string bytes", record(0x01, length, &[1; 64])));
            claims.push(("unknown bytes", record(0xf0, length, &[1; 64])));
            claims.push(("frames", record(0x05, length, &[[0; 8].as_slice(), &MANY, &[0; 52]].concat())));
            claims.push(("sites", record(0x06, length, &[[0; 30].as_slice(), &MANY, &[0; 30]].concat())));
            claims.push(("samples", record(0x0d, length, &[[0; 4].as_slice(), &MANY, &[0; 56]].concat())));
            claims.push(("a class's name", record(0x02, length, &[0; 64])));
        }
        for (what, claim) in claims {
            let bytes = [header(id), claim].concat();
            let peak = peak(|| read_hprof(&bytes));
            assert!(peak <= 1 << 20, "{what}, {id:?}: {peak} bytes for a dump of {}", bytes.len());
        }
    }
}

/// The densest records there are: a root of two bytes becomes one of forty, and lists double as they grow.
fn reading_an_hprof_dump_allocates_at_most_128_times_its_size_and_a_mebibyte() {
    // The rule books are read once, by the first test that needs them.
    read_hprof(&[header(IdSize::Eight), vec![0x1c]].concat());
    let instance = b"\x21\x08\0\0\0\x01\x04\0\0\0\0".as_slice();
    let class = class(IdSize::One, 4, 0, 0);
    let array = b"\x23\x09\0\0\0\x01\0\0\0\0\x08".as_slice();
    let subs: [(&str, &[u8]); 5] = [
        ("root", b"\xff\x08"),
        ("instance", instance),
        ("class", &class),
        ("array", array),
        ("thread", b"\x08\x01\0\0\0\x01\0\0\0\x02"),
    ];
    for (what, sub) in subs {
        let body = sub.repeat(400_000 / sub.len());
        measure_hprof(what, &[header(IdSize::One), record(0x0c, body.len() as u32, &body)].concat());
    }
    let records: [(&str, u8, &[u8]); 4] =
        [("string", 0x01, b"\x01"), ("load", 0x02, &[1; 10]), ("trace", 0x05, &[0; 12]), ("unknown", 0xf0, b"")];
    for (what, tag, body) in records {
        let one = record(tag, body.len() as u32, body);
        measure_hprof(what, &[header(IdSize::One), one.repeat(400_000 / one.len())].concat());
    }
}

/// What is told once is not copied into each heap or class that names it.
fn reading_an_hprof_dump_of_many_heaps_allocates_at_most_128_times_its_size_and_a_mebibyte() {
    // The rule books are read once, by the first test that needs them.
    read_hprof(&[header(IdSize::Eight), vec![0x1c]].concat());
    let one = |tag, body: &[u8]| record(tag, body.len() as u32, body);
    let heap = |subs: &[u8]| one(0x0c, subs);
    let number = |number: usize| (number as u32).to_be_bytes();
    let trace = |n| one(0x05, &[&number(n)[..], &[0; 8]].concat());
    let many: Vec<u8> = (1..3000).flat_map(trace).collect();
    let end = record(0x2c, 0, &[]);
    let text = one(0x01, &[[1].as_slice(), &[b'm'; 5000]].concat());
    let load = one(0x02, b"\0\0\0\x01\x04\0\0\0\0\x01");
    let frame = one(0x04, b"\x01\x01\x01\x01\0\0\0\x01\0\0\0\x01");
    let long =
        [frame, one(0x05, &[b"\0\0\0\x05\0\0\0\x07".as_slice(), &number(10_000), &[1; 10_000]].concat())].concat();
    let start = one(0x0a, b"\0\0\0\x07\x08\0\0\0\x05\x01\x01\x01");
    let of_thread = heap(b"\x08\x08\0\0\0\x07\0\0\0\x05");
    let plain = class(IdSize::One, 4, 0, 0);
    let array = b"\x23\x09\0\0\0\x05\0\0\0\0\x08";
    let rows = [
        ("empty heaps", heap(&[]).repeat(20_000)),
        ("empty heaps after many traces", [many, [heap(&[]), end].concat().repeat(5000)].concat()),
        ("heaps of one trace each", (1..3000).flat_map(|n| [trace(n), heap(&[])].concat()).collect()),
        ("heaps of one class each", heap(&plain).repeat(10_000)),
        ("heaps of one class each with fields", heap(&class(IdSize::One, 4, 0, 64)).repeat(2000)),
        ("classes of one long name", [text.clone(), load.clone(), heap(&plain.repeat(5000))].concat()),
        ("heaps of one class each of one long name", [text.clone(), load.clone(), heap(&plain).repeat(5000)].concat()),
        ("one long trace", [text.clone(), load.clone(), long.clone(), heap(&[])].concat()),
        (
            "heaps whose root names one long trace",
            [text.clone(), long.clone(), start.clone(), of_thread.repeat(5000)].concat(),
        ),
        (
            "heaps whose object names one long trace",
            [text.clone(), long.clone(), heap(&[]), heap(array).repeat(5000)].concat(),
        ),
        ("heaps whose root names one thread of a long name", [text, start, of_thread.repeat(5000)].concat()),
    ];
    for (what, records) in rows {
        measure_hprof(what, &[header(IdSize::One), records].concat());
    }
    let chain = |fields| (1..=300).flat_map(move |n| class(IdSize::Two, n, n - 1, fields)).collect::<Vec<u8>>();
    for (what, fields) in [("no fields", 0u8), ("a field in each", 1)] {
        let length = 300 * usize::from(fields);
        let instance = [b"\x21\x10\0\0\0\0\0\x01\x2c".as_slice(), &number(length), &vec![9; length]].concat();
        let records = [heap(&chain(fields)), heap(&instance).repeat(5000)].concat();
        let what = format!("heaps of one instance below 300 superclasses with {what}");
        measure_hprof(&what, &[header(IdSize::Two), records].concat());
    }
}

fn measure_hprof(what: &str, bytes: &[u8]) {
    // What cannot be read allocates nothing.
    let (index, ended) = hprof::lift::DumpIndex::read(&mut hprof::Decoder::new(bytes).expect("a header"));
    assert!(ended.is_ok(), "{what}: {ended:?}");
    drop(index);
    let peak = peak(|| read_hprof(bytes));
    show(&format!("{what}: {:.1} times its size", peak as f64 / bytes.len() as f64));
    assert!(peak <= 128 * bytes.len() + (1 << 20), "{what}: {peak} bytes for a dump of {}", bytes.len());
}

/// A dump with one array of this many bytes, which are never there all at once.
struct LongArray {
    start: io::Cursor<Vec<u8>>,
    left: u64,
}

impl LongArray {
    fn new(length: u32) -> LongArray {
        let head = [b"\x23\0\0\0\x08\0\0\0\x01".as_slice(), &(length / 8).to_be_bytes(), &[11]].concat();
        let start = [header(IdSize::Four), record(0x1c, head.len() as u32 + length, &head)].concat();
        LongArray { start: io::Cursor::new(start), left: u64::from(length) }
    }
}

impl Read for LongArray {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.start.read(buffer)?;
        if count > 0 {
            return Ok(count);
        }
        let count = self.left.min(buffer.len() as u64) as usize;
        buffer[..count].fill(7);
        self.left -= count as u64;
        Ok(count)
    }
}

fn an_array_of_300_million_bytes_passes_through_4_mebibytes() {
    const LENGTH: u32 = 300_000_000;
    let open = || hprof::Decoder::new(LongArray::new(LENGTH)).expect("a header");
    let mut seen = 0;
    let decoding = peak(|| {
        let ended = open().visit::<DecodeError, _>(|step| {
            if let DecodeStep::Sub(at, _) | DecodeStep::More(at) = step {
                seen += at.bytes.len() as u64;
            }
            Ok(())
        });
        assert!(ended.is_ok());
    });
    assert_eq!(seen, u64::from(LENGTH) + 14);
    assert!(decoding < 4 << 20, "{decoding} bytes to decode");
    let indexing = peak(|| assert!(hprof::lift::DumpIndex::read(&mut open()).1.is_ok()));
    assert!(indexing < 4 << 20, "{indexing} bytes to index");
    let annotating = peak(|| {
        let ended = hprof::annotate::visit::<_, DecodeError, _>(&mut open(), None, |_| Ok(()));
        assert!(ended.is_ok());
    });
    assert!(annotating < 4 << 20, "{annotating} bytes to annotate");
}

/// A classic dump with a piece of text again and again, which is never there all at once.
struct LongText {
    start: io::Cursor<&'static [u8]>,
    piece: &'static [u8],
    left: u64,
    end: io::Cursor<&'static [u8]>,
}

const END: &[u8] = b"\n// EOF: Total 'Objects',Refs(null) : 1,0(0)\n";

impl LongText {
    fn new(start: &'static str, piece: &'static str, length: u64) -> LongText {
        assert!(piece.len().is_power_of_two(), "what is read ends where a piece does");
        let (start, piece) = (io::Cursor::new(start.as_bytes()), piece.as_bytes());
        LongText { start, piece, left: length / piece.len() as u64 * piece.len() as u64, end: io::Cursor::new(END) }
    }
}

impl Read for LongText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.start.read(buffer)?;
        if count > 0 {
            return Ok(count);
        }
        let count = self.left.min(buffer.len() as u64) as usize;
        if count == 0 {
            return self.end.read(buffer);
        }
        let from = (self.left % self.piece.len() as u64) as usize;
        let from = if from == 0 { 0 } else { self.piece.len() - from };
        for (at, byte) in buffer[..count].iter_mut().enumerate() {
            *byte = self.piece[(from + at) % self.piece.len()];
        }
        self.left -= count as u64;
        Ok(count)
    }
}

/// What a reader asks of its source: how often, and how many bytes it gets.
#[derive(Default)]
struct Asked {
    reads: Cell<u64>,
    bytes: Cell<u64>,
}

struct Counted<'c, R>(R, &'c Asked);

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.reads.set(self.1.reads.get() + 1);
        self.1.bytes.set(self.1.bytes.get() + count as u64);
        Ok(count)
    }
}

fn a_line_of_100_million_bytes_of_classic_text_passes_through_6_mebibytes() {
    const LENGTH: u64 = 100_000_000;
    // What is longer than any field may be is refused at a mebibyte; references have no end.
    for (what, start, piece, refused) in [
        ("references", "0x10 [8] OBJ [LA;\n\t", "0x00001000 0x20 ", false),
        ("lines of references", "0x10 [8] OBJ [LA;\n\t", "0x00001000\n0x20\n", false),
        ("wide references", "0x10 [8] CLS A\n\t", "0x0000000000001000 0x0000001234 ", false),
        ("comment", "//", "x", true),
        ("comments", "//\n", "//xxxxxxxxxxxxx\n", false),
        ("name", "0x10 [8] OBJ ", "A", true),
        ("lines of a name", "0x10 [8] OBJ A", "A\n", true),
        ("white space", "0x10 [8] OBJ A\n", " ", true),
        ("line breaks", "0x10 [8] OBJ A\n", "\n", true),
        ("white space in a record", "0x10", " ", true),
        ("digits", "0x", "0", true),
        ("digits of a size", "0x10 [", "0", true),
        ("binary data", "0x10 [8] OBJ A\n\t", "\0", true),
    ] {
        for annotates in [false, true] {
            let asked = Asked::default();
            let mut ended = Ok(());
            let peak = peak(|| {
                let text = Counted(LongText::new(start, piece, LENGTH), &asked);
                let mut decoder = classic::Decoder::new(text).expect("a start");
                ended = match annotates {
                    false => decoder.visit::<DecodeError, _>(|_| Ok(())).map(|_| ()),
                    true => classic::annotate::visit(&mut decoder, |_| Ok(())),
                }
            });
            assert_eq!(ended.is_err(), refused, "{what}: {ended:?}");
            let (reads, bytes) = (asked.reads.get(), asked.bytes.get());
            show(&format!("{what}: {peak} bytes held, {bytes} read in {reads} reads"));
            assert!(peak < 6 << 20, "{what}: {peak} bytes");
            // What is held may be looked at anew after each read: that is all the work there is, fast or slow.
            assert!(reads * peak as u64 <= 4 * LENGTH, "{what}: {reads} reads, {peak} bytes held");
            assert!(!refused || bytes < 4 << 20, "{what}: {bytes} bytes were read before it was refused");
        }
    }
}

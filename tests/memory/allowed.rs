//! What a compressed dump says in few bytes: reading stops where it takes more memory than its file allows.

use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use heapsmith::compare::listing;
use heapsmith::error::{DecodeError, Error, Problem};
use heapsmith::family::ReadOptions;
use heapsmith::format::DumpFile;
use heapsmith::hprof::IdSize;
use heapsmith::input::Input;
use heapsmith::validate::{ValidateOptions, validate};

use super::{class, header, peak, record, show};

/// What is allowed here.
const ALLOWED: u64 = 1 << 20;
/// What a dump has.
const BYTES: usize = 12 << 20;
/// Lists that grow have up to three times their items while they are copied, and a window twice what is allowed.
const BOUND: usize = 5 << 20;

/// Which of the commands' ways to read a dump it stops.
#[derive(Clone, Copy, PartialEq)]
enum Stops {
    /// All that hold what has to be known of it.
    All,
    /// Those and validation, which holds numbers.
    Validation,
}

fn is_refused(error: &DecodeError) -> bool {
    let is_memory = matches!(error.problem(), Problem::Memory { allowed: ALLOWED, held } if *held > ALLOWED);
    is_memory && error.is_machine_fault() && error.to_string().contains("1048576 bytes")
}

fn is_refused_at_all(error: Option<Error>, what: &str) {
    assert!(matches!(&error, Some(Error::Decode(e)) if is_refused(e)), "{what}: {error:?}");
}

/// Reads a dump in every way, of a compressed file.
fn refused(what: &str, dump: &[u8], stops: Stops) {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(dump).expect("memory");
    let input = Input::from_memory(what, gzip.finish().expect("memory"));
    let reading = ReadOptions::default().indexed(ALLOWED);
    let open = || DumpFile::new(input.clone(), reading).expect("a dump");
    let measure = |way: &str, work: &mut dyn FnMut()| {
        let peak = peak(work);
        show(&format!("{what}, {way}: {peak} bytes"));
        assert!(peak < BOUND, "{what}, {way}: {peak} bytes");
    };
    measure("source", &mut || is_refused_at_all(open().source().err(), what));
    measure("outline", &mut || {
        let ended = open().outline().map(|outline| outline.ended);
        assert!(matches!(&ended, Ok(Err(e)) if is_refused(e)), "{what}: {ended:?}");
    });
    measure("read", &mut || {
        let ended = open().read().map(|whole| whole.ended);
        assert!(matches!(&ended, Ok(Err(e)) if is_refused(e)), "{what}: {ended:?}");
    });
    measure("validate", &mut || {
        let validated = validate(&input, ValidateOptions::default().reading(reading));
        if stops == Stops::Validation {
            is_refused_at_all(validated.err(), what);
        }
    });
}

fn repeated(items: &[Vec<u8>]) -> Vec<u8> {
    let items = items.concat();
    items.repeat(BYTES / items.len())
}

pub(crate) fn refuses_hprof_that_needs_more_memory_than_allowed() {
    let id = IdSize::Eight;
    let one = |tag, body: &[u8]| record(tag, body.len() as u32, body);
    let timed =
        |tag, time: u8, body: &[u8]| [&[tag, 0, 0, 0, time], &(body.len() as u32).to_be_bytes()[..], body].concat();
    let number = |n: u64| n.to_be_bytes();
    let long = |tag, head: &[u8]| [record(tag, (head.len() + BYTES) as u32, head), vec![b'a'; BYTES]].concat();
    let frames = (BYTES / 8) as u32;
    let segment = |subs: Vec<u8>| record(0x1c, subs.len() as u32, &subs);
    let rows = [
        ("heaps", repeated(&[timed(0x0c, 1, &[]), timed(0x2c, 2, &[])]), Stops::Validation),
        ("heaps of a class", repeated(&[one(0x0c, &class(id, 8, 0, 0))]), Stops::Validation),
        ("unknown records", repeated(&[timed(0xf0, 1, &[]), timed(0xf0, 2, &[])]), Stops::All),
        ("strings", repeated(&[one(0x01, &number(1)), one(0x01, &number(2))]), Stops::All),
        ("traces", repeated(&[one(0x05, &[0; 12]), one(0x05, &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])]), Stops::All),
        ("threads", repeated(&[one(0x0a, &[0; 40]), one(0x0a, &[1; 40])]), Stops::All),
        ("roots", segment(repeated(&[[&[0x05][..], &number(8)].concat()])), Stops::All),
        ("classes", segment(repeated(&[class(id, 8, 0, 0)])), Stops::Validation),
        ("a long string", long(0x01, &number(1)), Stops::All),
        ("a long unknown record", long(0xf0, &[]), Stops::All),
        ("a long trace", long(0x05, &[&[0; 8][..], &frames.to_be_bytes()].concat()), Stops::Validation),
    ];
    for (what, records, stops) in rows {
        refused(what, &[header(id), records].concat(), stops);
    }
}

pub(crate) fn refuses_phd_and_classic_text_that_need_more_memory_than_allowed() {
    let start = b"\0\x12portable heap dump\0\0\0\x06\0\0\0\x05";
    let begin = [&start[..], b"\x01\x02\x02"].concat();
    // A class a unit on, of a name, without references.
    let class = |name: &[u8]| {
        let fields = [&b"\x06\0\x01\0\0\0\x10"[..], &[0; 8], &(name.len() as u16).to_be_bytes(), name].concat();
        [&fields[..], &[0; 4]].concat()
    };
    let mut wide = class(b"A");
    let count = wide.len() - 4;
    wide[count..].copy_from_slice(&(BYTES as u32).to_be_bytes());
    // Objects of a megabyte and more each, so that each lies alone.
    let apart = b"\x04\x80\x00\x10\0\0\0\0\0\0\0\0\0\x10\0\0\0\0".to_vec();
    for (what, records) in [
        ("classes", repeated(&[class(b"A")])),
        ("references of a class", [wide, vec![1; BYTES]].concat()),
        ("objects far apart", [class(b"A"), repeated(&[apart])].concat()),
    ] {
        let dump = [&begin[..], &records, b"\x03"].concat();
        if what == "objects far apart" {
            let input = Input::from_memory(what, dump);
            let reading = ReadOptions::default().indexed(ALLOWED);
            let peak =
                peak(|| is_refused_at_all(validate(&input, ValidateOptions::default().reading(reading)).err(), what));
            show(&format!("{what}: {peak} bytes"));
            assert!(peak < BOUND, "{what}: {peak} bytes");
        } else {
            refused(what, &dump, Stops::Validation);
        }
    }
    let types: Vec<u8> = (0..BYTES / 24).flat_map(|n| format!("0x10 [8] CLS A{n}\n\t0x10\n").into_bytes()).collect();
    let references = [b"0x10 [8] CLS A\n\t".to_vec(), repeated(&[b"0x10 ".to_vec()])].concat();
    for (what, text, stops) in
        [("classes", types, Stops::Validation), ("references of a class", references, Stops::All)]
    {
        let text = [b"// Version: J2RE\n", &text[..], b"\n// EOF: Total 'Objects',Refs(null) : 1,1(0)\n"].concat();
        refused(what, &text, stops);
    }
    // Texts of a header are held before anything is allowed.
    let texts = [&start[..], b"\x01", &[&b"\x04\xff\xff"[..], &[b'a'; 0xffff]].concat().repeat(1000)].concat();
    let input = Input::from_memory("texts of a header", texts);
    let peak = peak(|| {
        let report = validate(&input, ValidateOptions::default()).expect("readable");
        let rules: Vec<&str> = report.findings.iter().filter(|f| f.fatal).map(|f| f.rule.0).collect();
        assert_eq!(rules, ["phd.header.limit"]);
    });
    assert!(peak < BOUND, "{peak} bytes");
}

pub(crate) fn refuses_listing_that_needs_more_memory_than_allowed() {
    let head = "{\"listing\":1}\n";
    let line = "{\"kind\":\"object\",\"address\":\"0x10\"}\n";
    for (what, rest) in [("objects", line.repeat(BYTES / line.len())), ("a line", " ".repeat(BYTES))] {
        let text = [head, &rest].concat();
        let peak = peak(|| {
            let read = listing::read_within(text.as_bytes(), ALLOWED);
            assert!(
                matches!(&read, Err(e) if e.to_string().contains("1048576 bytes of memory") && !e.is_input_fault()),
                "{read:?}"
            );
        });
        show(&format!("{what}: {peak} bytes"));
        assert!(peak < BOUND, "{what}: {peak} bytes");
    }
}

pub(crate) fn allows_64_mebibytes_plus_64_bytes_per_byte_of_file() {
    let allowed = |reading: ReadOptions| reading.allowed(Some(&Input::from_memory("ten bytes", vec![0; 10])));
    assert_eq!(allowed(ReadOptions::default()), 67_108_864 + 640);
    assert_eq!(allowed(ReadOptions::default().indexed(7)), 7);
}

/// A compressed array of zeros: each command that reads it refuses it, and holds little until then, or no more than it reads.
pub(crate) fn every_command_refuses_decompression_bomb() {
    const ZEROS: u32 = 200 << 20;
    let head = [b"\x23\0\0\0\x08\0\0\0\x01".as_slice(), &ZEROS.to_be_bytes(), &[8]].concat();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    let start = record(0x1c, head.len() as u32 + ZEROS, &head);
    gzip.write_all(&[header(IdSize::Four), start].concat()).expect("memory");
    io::copy(&mut io::repeat(0).take(ZEROS.into()), &mut gzip).expect("memory");
    let file = gzip.finish().expect("memory");
    // 64 mebibytes, and 64 bytes for each of some 65,000 that are read until then.
    assert!(file.len() < 300_000, "{} bytes", file.len());
    let input = Input::from_memory("zeros", file);
    let open = || DumpFile::new(input.clone(), ReadOptions::default());
    type Command<'c> = (&'static str, &'c dyn Fn() -> Option<String>);
    let said = |error: Error| Some(error.to_string());
    let commands: [Command<'_>; 5] = [
        ("validate", &|| validate(&input, ValidateOptions::default()).err().and_then(said)),
        ("open", &|| open().and_then(|file| file.source()).err().and_then(said)),
        ("decode", &|| match open().and_then(|file| file.read()) {
            Ok(whole) => whole.ended.err().map(|error| error.to_string()),
            Err(error) => said(error),
        }),
        ("inspect", &|| open().and_then(|file| file.annotate(&mut |_| Ok(()))).err().and_then(said)),
        ("members", &|| {
            input
                .stream()
                .and_then(|mut stream| {
                    io::copy(&mut stream, &mut io::sink()).map(drop).map_err(|e| Error::io("reading", e))
                })
                .err()
                .and_then(said)
        }),
    ];
    for (command, run) in commands {
        let mut message = None;
        let peak = peak(|| message = run());
        let message = message.unwrap_or_else(|| panic!("{command} reads it all"));
        assert!(
            message.contains("decompressed bytes, 64 for each") && message.contains("into a file first"),
            "{message}"
        );
        // What holds a heap in memory holds the array as far as it is read, and half of it once more while that grows.
        let most = if command == "decode" { 3 * (68 << 20) } else { 8 << 20 };
        assert!(peak < most, "{command}: {peak} bytes");
    }
}

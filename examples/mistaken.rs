//! A PHD decoder that makes one mistake, chosen on the command line: what `heapsmith check` has to notice.
//!
//! ```text
//! heapsmith check --decoder 'mistaken --units-of-4 {}'
//! ```
//!
//! Most mistakes are traps of the format, places where its documents mislead or say nothing; the others are
//! ways for a program to misbehave, and a few only look like mistakes and have to pass. Everything else about
//! the decoder is right: it refuses what has to be refused whatever it misreads elsewhere, and without a
//! mistake it passes every case.
//!
//! It shows as well how short a decoder for `check` may be: a dump's path in; a listing and exit code 0 out,
//! or a message and exit code 1 for a dump that is no good.

use std::error::Error;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Duration;

use heapsmith::compare::Facet;
use heapsmith::compare::listing::{self, HeapPlaces, RecordPlace};
use heapsmith::error::{DecodeError, Problem};
use heapsmith::input::Input;
use heapsmith::model::{Address, ByteLen, Contents, Heap, IdentityHash, Name, Object, ObjectKind, WordSize};
use heapsmith::phd::lift::{self, DumpItem};
use heapsmith::phd::wire::{FileFlags, Width};
use heapsmith::phd::{Decoder, Record, RecordLayout, Resolver};

/// Every mistake by its name on the command line.
const MISTAKES: [(&str, &str); 36] = [
    ("units-of-4", "counts gaps and references in units of 4 bytes in every dump"),
    ("no-wrap", "lets the addresses of 32-bit dumps grow beyond 4 GiB"),
    ("unsigned-gaps", "takes gaps for unsigned numbers"),
    ("gap-from-last-object", "takes a record's gap from the object before it, classes left out"),
    ("references-from-previous", "takes references from the preceding record's address"),
    ("unique-cache", "leaves a class out of the class cache that is in it already"),
    ("least-recently-used", "overwrites the slot of the class cache that was used the longest ago"),
    ("array-fills-cache", "lets the class words of object arrays into the class cache"),
    ("signed-lengths", "takes lengths of 1 and 2 bytes for signed; lists negative ones modulo 2^64"),
    ("length-from-references", "takes the number of references for an object array's length"),
    ("size-first", "reads an object array's instance size before its true length"),
    ("size-in-words", "lists the sizes of arrays in words of 4 bytes, as they are stored"),
    ("version-5-layout", "reads version 6 as if it were 5, without the instance sizes of arrays"),
    ("hash-by-flag-2", "reads a 16-bit hash in every record where file flag 2 is set, even without flag 4"),
    ("first-header-record-wins", "lets the first of repeated header records count"),
    ("drop-first-reference-if-class", "drops reference 0 of J9 dumps where it equals the class word"),
    ("drop-nulls", "drops references to address 0"),
    ("reverse-references", "lists references from the last to the first"),
    ("plain-utf8-names", "takes names and the version text for plain UTF-8"),
    ("ignore-hashes", "leaves out all hashes without a word"),
    ("zero-hashes", "lists a hash of 0 for everything that has none"),
    ("declare-omitted-hashes", "leaves out all hashes and says so, as a decoder may"),
    ("declare-omitted-addresses", "says that it leaves out addresses, which no decoder may"),
    ("ignore-gzip", "does not look for gzip"),
    ("accept-truncated", "lists what stands before a truncated record as if it were the whole"),
    ("unchecked-lengths", "does not mind arrays that are too long, or shorter than their references"),
    ("refuse-trailing-bytes", "refuses a dump with bytes after its end tag, as a decoder may"),
    ("refuse-everything", "refuses every dump"),
    ("silent", "prints nothing"),
    ("garbage", "prints text that is no listing"),
    ("endless", "prints without end"),
    ("crash", "aborts"),
    ("exit-3", "ends with exit code 3"),
    ("hang", "hangs"),
    ("hang-with-children", "hangs, and so does a child whose process id it writes to a file, if one is named"),
    ("leave-a-child", "answers rightly, but leaves a child running; writes its process id to a file too"),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (mistake, dump, note) = match arguments[..] {
        [flag, dump, ref note @ ..] if flag.starts_with("--") => (&flag[2..], dump, note.first()),
        [dump] => ("", dump, None),
        _ => return usage(),
    };
    if !mistake.is_empty() && MISTAKES.iter().all(|(name, _)| *name != mistake) {
        return usage();
    }
    if let Some(code) = misbehave(mistake, note) {
        return code;
    }
    match decode(mistake, Path::new(dump)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{dump}: {e}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    println!("mistaken [--MISTAKE] DUMP [CHILD-ID-FILE]\n");
    for (name, what) in MISTAKES {
        println!("--{name:30} {what}");
    }
    ExitCode::from(2)
}

/// What has nothing to do with the dump; the exit code where that is all.
fn misbehave(mistake: &str, note: Option<&&str>) -> Option<ExitCode> {
    match mistake {
        "silent" => return Some(ExitCode::SUCCESS),
        "garbage" => {
            println!("7 instances of java/lang/Object");
            return Some(ExitCode::SUCCESS);
        }
        "endless" => loop {
            println!("and one more instance of java/lang/Object");
        },
        "crash" => std::process::abort(),
        "exit-3" => return Some(ExitCode::from(3)),
        "hang-with-children" | "leave-a-child" => start_a_child(note),
        _ => {}
    }
    while mistake.starts_with("hang") {
        thread::sleep(Duration::from_secs(1000));
    }
    None
}

#[expect(clippy::zombie_processes, reason = "that the child is not waited for is the misbehaviour")]
fn start_a_child(note: Option<&&str>) {
    let child = Command::new("sleep").arg("1000").spawn().expect("`sleep` can be started");
    if let Some(note) = note {
        fs::write(note, child.id().to_string()).expect("the child's id can be written down");
    }
}

/// Prints the listing of a dump, or says why the dump is refused.
fn decode(mistake: &str, file: &Path) -> Result<(), Box<dyn Error>> {
    let mut dump = Vec::new();
    match mistake {
        "ignore-gzip" => dump = fs::read(file)?,
        _ => _ = Input::open(file)?.stream()?.read_to_end(&mut dump)?,
    }
    // The last bytes of the version and of the file's flags.
    match (mistake, dump.get_mut(23..28)) {
        ("version-5-layout", Some([version @ 6, ..])) => *version = 5,
        ("hash-by-flag-2", Some([.., flags])) if *flags & 2 != 0 => *flags |= 4,
        _ => {}
    }
    let mut decoder = Decoder::new(dump.as_slice())?;
    let mut header = decoder.header().clone();
    if mistake == "first-header-record-wins" {
        header.records.reverse();
    }
    let mut heap = Heap { facts: lift::facts(&header), ..Heap::default() };
    if mistake == "plain-utf8-names" {
        heap.facts.version_text = heap.facts.version_text.as_ref().map(plain_utf8);
    }
    let mut places = HeapPlaces::default();
    let mut resolver = Resolver::new(decoder.layout());
    let mut walk = Walk::new(mistake, decoder.layout());
    let ended = decoder.visit::<Box<dyn Error>, _>(|located| {
        let mut item = lift::item(&mut resolver, located.record);
        match &item {
            DumpItem::Object(object) if mistake != "unchecked-lengths" => check_length(object)?,
            _ => {}
        }
        walk.place(located.record, &mut item);
        misread(mistake, header.flags.has(FileFlags::J9), located.record, &mut item);
        let place = RecordPlace { record: located.index, offset: Some(located.offset) };
        match item {
            DumpItem::Class(class) => {
                heap.classes.push(class);
                places.classes.push(place);
            }
            DumpItem::Object(object) => {
                heap.objects.push(object);
                places.objects.push(place);
            }
        }
        Ok(())
    });
    match ended.as_ref().err().and_then(|e| e.downcast_ref::<DecodeError>()) {
        Some(e) if e.is_missing_end() => {}
        Some(e) if mistake == "accept-truncated" && matches!(e.problem(), Problem::Truncated { .. }) => {}
        _ => _ = ended?,
    }
    if mistake == "refuse-trailing-bytes" && decoder.visit_trailing::<DecodeError, _>(|_| Ok(()))? > 0 {
        return Err("there are bytes after the end tag".into());
    }
    if mistake == "refuse-everything" {
        return Err("a heap dump is not a toy".into());
    }
    let mut head = listing::head(&heap);
    match mistake {
        "declare-omitted-hashes" => head.omits.extend([Facet::Hash16, Facet::Hash32]),
        "declare-omitted-addresses" => head.omits.push(Facet::Address),
        _ => {}
    }
    Ok(listing::write(&mut io::stdout().lock(), &head, &heap, &places)?)
}

/// What can be wrong with a record that was read without trouble.
fn check_length(object: &Object) -> Result<(), Box<dyn Error>> {
    let references = object.references().count() as u64;
    match object.length {
        Some(length) if length > i32::MAX as u64 || length < references => {
            Err(format!("{length} elements and {references} references at {}", object.address).into())
        }
        _ => Ok(()),
    }
}

/// Addresses and the class cache: what one record says about the next.
struct Walk<'m> {
    mistake: &'m str,
    layout: RecordLayout,
    /// Where the next gap begins.
    previous: u64,
    cache: [u64; 4],
    /// The slot that is written next.
    next: usize,
    /// When each slot was used last, in records.
    used: [u64; 4],
    records: u64,
}

impl<'m> Walk<'m> {
    fn new(mistake: &'m str, mut layout: RecordLayout) -> Walk<'m> {
        match mistake {
            "units-of-4" => layout.unit = 4,
            "no-wrap" => layout.word = WordSize::Bits64,
            _ => {}
        }
        Walk { mistake, layout, previous: 0, cache: [0; 4], next: 0, used: [0; 4], records: 0 }
    }

    /// Puts a class or object, its references and its class where this walk says that they are.
    fn place(&mut self, record: &Record<'_>, item: &mut DumpItem) {
        self.records += 1;
        let gap = match (self.mistake, record.gap().units.0, record.gap().width) {
            ("unsigned-gaps", gap, Width::One) => i64::from(gap as u8),
            ("unsigned-gaps", gap, Width::Two) => i64::from(gap as u16),
            ("unsigned-gaps", gap, Width::Four) => i64::from(gap as u32),
            (_, gap, _) => gap,
        };
        let address = self.offset(self.previous, gap);
        let base = if self.mistake == "references-from-previous" { self.previous } else { address };
        let target = |units: i64| Address(self.offset(base, units));
        let targets = record.references().map(|references| references.iter().map(|units| target(units.0)).collect());
        if self.mistake != "gap-from-last-object" || !matches!(record, Record::Class(_)) {
            self.previous = address;
        }
        match item {
            DumpItem::Class(class) => (class.address, class.references) = (Address(address), targets),
            DumpItem::Object(object) => {
                object.address = Address(address);
                object.contents = targets.map_or(Contents::Unknown, Contents::References);
                object.class_word = self.class_word(record).map(Address);
                object.class = object.class_word.filter(|_| object.kind == ObjectKind::Instance);
            }
        }
    }

    fn offset(&self, from: u64, units: i64) -> u64 {
        self.layout.word.mask(from.wrapping_add((units as u64).wrapping_mul(self.layout.unit)))
    }

    fn class_word(&mut self, record: &Record<'_>) -> Option<u64> {
        let word = match record {
            Record::Short(r) => {
                self.used[usize::from(r.slot)] = self.records;
                return Some(self.cache[usize::from(r.slot)]);
            }
            Record::Medium(r) => r.class_word,
            Record::Long(r) => r.class_word,
            Record::ObjectArray(r) if self.mistake == "array-fills-cache" => r.class_word,
            Record::ObjectArray(r) => return Some(r.class_word),
            Record::Class(_) | Record::PrimitiveArray(_) | Record::LongPrimitiveArray(_) => return None,
        };
        let held = self.cache.iter().position(|&class| class == word);
        let slot = match (self.mistake, held) {
            ("unique-cache", Some(_)) => return Some(word),
            ("least-recently-used", Some(held)) => held,
            ("least-recently-used", None) => (0..4).min_by_key(|&slot| self.used[slot]).unwrap_or_default(),
            _ => self.next,
        };
        (self.cache[slot], self.used[slot]) = (word, self.records);
        self.next = (self.next + 1) % 4;
        Some(word)
    }
}

/// The mistakes that a single record is enough for.
fn misread(mistake: &str, j9: bool, record: &Record<'_>, item: &mut DumpItem) {
    let (references, hash) = match item {
        DumpItem::Class(class) => (class.references.as_mut(), &mut class.hash),
        DumpItem::Object(Object { contents: Contents::References(references), hash, .. }) => (Some(references), hash),
        DumpItem::Object(object) => (None, &mut object.hash),
    };
    match (mistake, references) {
        ("reverse-references", Some(references)) => references.reverse(),
        ("drop-nulls", Some(references)) => references.retain(|reference| !reference.is_null()),
        ("ignore-hashes" | "declare-omitted-hashes", _) => *hash = None,
        ("zero-hashes", _) => _ = hash.get_or_insert(IdentityHash::Bits32(0)),
        _ => {}
    }
    let object = match item {
        DumpItem::Class(class) if mistake == "plain-utf8-names" => return class.name = plain_utf8(&class.name),
        DumpItem::Class(_) => return,
        DumpItem::Object(object) => object,
    };
    let first = object.references().next();
    let is_array = object.kind == ObjectKind::ObjectArray;
    match (mistake, object.length, object.size, &mut object.contents) {
        ("signed-lengths", Some(length), ..) if !is_array => match record.gap().width {
            Width::One => object.length = Some(length as i8 as u64),
            Width::Two => object.length = Some(length as i16 as u64),
            Width::Four | Width::Eight => {}
        },
        ("length-from-references", _, _, Contents::References(references)) if is_array => {
            object.length = Some(references.len() as u64);
        }
        ("size-first", Some(length), Some(ByteLen(size)), _) if is_array => {
            (object.length, object.size) = (Some(size / 4), Some(ByteLen(length * 4)));
        }
        ("size-in-words", _, Some(ByteLen(size)), _) => object.size = Some(ByteLen(size / 4)),
        ("drop-first-reference-if-class", .., Contents::References(references))
            if j9 && first.is_some() && first == object.class_word =>
        {
            references.remove(0);
        }
        _ => {}
    }
}

fn plain_utf8(name: &Name) -> Name {
    Name::from_text(&String::from_utf8_lossy(name.as_bytes()))
}

//! A PHD decoder that makes one mistake, chosen on the command line: what `heapsmith check` has to notice.
//!
//! ```text
//! heapsmith check --decoder 'mistaken --units-of-4 {}'
//! ```
//!
//! Most mistakes are traps of the format, places where its documents mislead or say nothing; the others are
//! ways for a program to misbehave, and a few only look like mistakes and have to pass. Everything else about
//! the decoder is right: it refuses what has to be refused whatever it misreads elsewhere, and without a
//! mistake it passes every case. `--help` lists the mistakes.
//!
//! It shows as well how short a decoder for `check` may be: a dump's path in, a listing and exit code 0 out,
//! or a message and exit code 1 for a dump that is no good.

use std::error::Error;
use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use heapsmith::compare::Facet;
use heapsmith::compare::listing::{self, Place, Places};
use heapsmith::error::{DecodeError, Problem};
use heapsmith::input::Input;
use heapsmith::model::{Address, ByteLen, Contents, Heap, Name, Object, ObjectKind, WordSize};
use heapsmith::phd::lift::{self, Item};
use heapsmith::phd::wire::{FileFlags, Width};
use heapsmith::phd::{Decoder, Layout, Record, Resolver};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mistake {
    /// Counts gaps and references in units of 4 bytes in every dump (E3).
    #[value(name = "units-of-4")]
    UnitsOf4,
    /// Lets the addresses of 32-bit dumps grow beyond 4 GiB (E17).
    NoWrap,
    /// Takes gaps for unsigned numbers.
    UnsignedGaps,
    /// Takes a record's gap from the last object, classes left out.
    GapFromLastObject,
    /// Takes references from the preceding record's address.
    ReferencesFromPrevious,
    /// Leaves a class out of the class cache that is in it already (E9).
    UniqueCache,
    /// Lets a class into the cache in place of the one used the longest ago (E9).
    LeastRecentlyUsed,
    /// Lets the class words of object arrays into the class cache.
    ArrayFillsCache,
    /// Takes lengths of 1 and 2 bytes for signed; what is negative is listed modulo 2^64 (E10).
    SignedLengths,
    /// Takes the number of references for an object array's length.
    LengthFromReferences,
    /// Reads an object array's instance size before its true length (E2).
    SizeFirst,
    /// Lists the sizes of arrays in words of 4 bytes, as they are stored.
    SizeInWords,
    /// Reads version 6 as if it were version 5, without the instance sizes of arrays (E1).
    #[value(name = "version-5-layout")]
    Version5Layout,
    /// Reads a 16-bit hash in every record wherever file flag 2 is set (E4).
    #[value(name = "hash-by-flag-2")]
    HashByFlag2,
    /// Lets the first of repeated header records count.
    FirstHeaderRecordWins,
    /// Drops reference 0 of J9 dumps where it equals the class word, as the DTFJ reader does (E11).
    DropFirstReferenceIfClass,
    /// Drops references to address 0 (E13).
    DropNulls,
    /// Lists references from the last to the first (E12).
    ReverseReferences,
    /// Takes names and the version text for plain UTF-8 (E18).
    #[value(name = "plain-utf8-names")]
    PlainUtf8Names,
    /// Leaves out all hashes without a word.
    IgnoreHashes,
    /// Leaves out all hashes and says so, as a decoder may.
    DeclareOmittedHashes,
    /// Says that it leaves out addresses, which no decoder may.
    DeclareOmittedAddresses,
    /// Lists a hash of 0 for everything that has none.
    ZeroHashes,
    /// Does not look for gzip (E21).
    IgnoreGzip,
    /// Lists what stands before a truncated record as if it were the whole (E20).
    AcceptTruncated,
    /// Does not mind arrays that are too long, or shorter than their references (E25).
    UncheckedLengths,
    /// Refuses a dump with bytes behind its end tag, as a decoder may (E20).
    RefuseTrailingBytes,
    /// Refuses every dump.
    RefuseEverything,
    /// Prints nothing.
    Silent,
    /// Prints text that is no listing.
    Garbage,
    /// Prints without end.
    Endless,
    /// Aborts.
    Crash,
    /// Ends with exit code 3.
    #[value(name = "exit-3")]
    Exit3,
    /// Hangs.
    Hang,
    /// Hangs, and so does a child, whose process id it writes to a file named behind the dump.
    HangWithChildren,
    /// Answers and leaves a child behind, whose process id it writes to a file named behind the dump.
    LeaveAChild,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (flag, rest) = match arguments.as_slice() {
        [flag, rest @ ..] if flag.starts_with("--") => (Some(flag.trim_start_matches("--")), rest),
        rest => (None, rest),
    };
    let (mistake, file) = match (flag.map(|name| Mistake::from_str(name, false)), rest) {
        (None, [file, ..]) => (None, file),
        (Some(Ok(mistake)), [file, ..]) => (Some(mistake), file),
        _ => return usage(),
    };
    if let Some(code) = misbehave(mistake, rest.get(1)) {
        return code;
    }
    match decode(mistake, Path::new(file)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{file}: {e}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    println!("mistaken [--MISTAKE] DUMP [CHILD-ID-FILE]\n");
    for value in Mistake::value_variants().iter().filter_map(Mistake::to_possible_value) {
        println!("--{}\n    {}", value.get_name(), value.get_help().map(|h| h.to_string()).unwrap_or_default());
    }
    ExitCode::from(2)
}

/// What has nothing to do with the dump; the exit code where that is all.
fn misbehave(mistake: Option<Mistake>, note: Option<&String>) -> Option<ExitCode> {
    match mistake? {
        Mistake::Silent => Some(ExitCode::SUCCESS),
        Mistake::Garbage => {
            println!("7 instances of java/lang/Object");
            Some(ExitCode::SUCCESS)
        }
        Mistake::Endless => loop {
            println!("{{}}");
        },
        Mistake::Crash => std::process::abort(),
        Mistake::Exit3 => Some(ExitCode::from(3)),
        Mistake::Hang => hang(),
        Mistake::HangWithChildren => {
            start_a_child(note);
            hang()
        }
        Mistake::LeaveAChild => {
            start_a_child(note);
            None
        }
        _ => None,
    }
}

fn hang() -> ! {
    loop {
        thread::sleep(Duration::from_secs(1000));
    }
}

#[expect(clippy::zombie_processes, reason = "that nobody waits for the child is the misbehaviour")]
fn start_a_child(note: Option<&String>) {
    let child = Command::new("sleep").arg("1000").spawn().expect("`sleep` can be started");
    if let Some(note) = note {
        fs::write(note, child.id().to_string()).expect("the child's id can be written down");
    }
}

/// Prints the listing of a dump, or says why the dump is refused.
fn decode(mistake: Option<Mistake>, file: &Path) -> Result<(), Box<dyn Error>> {
    let makes = |this| mistake == Some(this);
    let mut dump = Vec::new();
    match makes(Mistake::IgnoreGzip) {
        true => dump = fs::read(file)?,
        false => _ = Input::open(file)?.stream()?.read_to_end(&mut dump)?,
    }
    // Version and flags are the 4 bytes before offsets 24 and 28.
    if let [_, version, _, _, _, flags] = dump.get_mut(22..28).unwrap_or_default() {
        *version = if makes(Mistake::Version5Layout) && *version == 6 { 5 } else { *version };
        *flags |= if makes(Mistake::HashByFlag2) && *flags & 2 != 0 { 4 } else { 0 };
    }
    let mut decoder = Decoder::new(dump.as_slice())?;
    let mut header = decoder.header().clone();
    if makes(Mistake::FirstHeaderRecordWins) {
        header.records.reverse();
    }
    let mut heap = Heap { facts: lift::facts(&header), ..Heap::default() };
    if makes(Mistake::PlainUtf8Names) {
        heap.facts.version_text = heap.facts.version_text.as_ref().map(plain_utf8);
    }
    let mut places = Places::default();
    let mut resolver = Resolver::new(decoder.layout());
    let mut walk = Walk::new(mistake, decoder.layout());
    let ended = decoder.visit::<Box<dyn Error>, _>(|located| {
        let mut item = lift::item(&mut resolver, located.record);
        if let (Item::Object(object), false) = (&item, makes(Mistake::UncheckedLengths)) {
            check_length(object)?;
        }
        walk.place(located.record, &mut item);
        if let Some(mistake) = mistake {
            misread(mistake, header.flags.has(FileFlags::J9), located.record, &mut item);
        }
        let place = Place { record: located.index, offset: Some(located.offset) };
        match item {
            Item::Class(class) => {
                heap.classes.push(class);
                places.classes.push(place);
            }
            Item::Object(object) => {
                heap.objects.push(object);
                places.objects.push(place);
            }
        }
        Ok(())
    });
    if let Err(e) = ended {
        let tolerated = e.downcast_ref::<DecodeError>().is_some_and(|e| {
            let truncated = matches!(e.problem(), Problem::Truncated { .. });
            e.is_missing_end() || (truncated && makes(Mistake::AcceptTruncated))
        });
        if !tolerated {
            return Err(e);
        }
    }
    if makes(Mistake::RefuseTrailingBytes) && decoder.visit_trailing::<DecodeError, _>(|_| Ok(()))? > 0 {
        return Err("there are bytes behind the end tag".into());
    }
    if makes(Mistake::RefuseEverything) {
        return Err("I do not like it".into());
    }
    let mut head = listing::head(&heap);
    match mistake {
        Some(Mistake::DeclareOmittedHashes) => head.omits.push(Facet::Hash),
        Some(Mistake::DeclareOmittedAddresses) => head.omits.push(Facet::Address),
        _ => {}
    }
    Ok(listing::write(&mut io::stdout().lock(), &head, &heap, &places)?)
}

/// What can be wrong with a dump that has been read without trouble.
fn check_length(object: &Object) -> Result<(), Box<dyn Error>> {
    let references = object.references().count() as u64;
    match object.length {
        Some(length) if length > i32::MAX as u64 => Err(format!("{length} elements at {}", object.address).into()),
        Some(length) if length < references => {
            Err(format!("{length} elements, {references} references at {}", object.address).into())
        }
        _ => Ok(()),
    }
}

/// Addresses and the class cache: what one record says about the next.
struct Walk {
    mistake: Option<Mistake>,
    layout: Layout,
    /// Where the next gap begins.
    previous: u64,
    cache: [u64; 4],
    /// The slot that is written next.
    next: usize,
    /// When each slot was used last, in records.
    used: [u64; 4],
    records: u64,
}

impl Walk {
    fn new(mistake: Option<Mistake>, layout: Layout) -> Walk {
        let layout = match mistake {
            Some(Mistake::UnitsOf4) => Layout { unit: 4, ..layout },
            // 64 bits, where addresses have no end to wrap at.
            Some(Mistake::NoWrap) => Layout { word: WordSize::Bits64, ..layout },
            _ => layout,
        };
        Walk { mistake, layout, previous: 0, cache: [0; 4], next: 0, used: [0; 4], records: 0 }
    }

    /// Puts a class or object, its references and its class where this walk says that they are.
    fn place(&mut self, record: &Record<'_>, item: &mut Item) {
        self.records += 1;
        let gap = record.gap();
        let gap = match (self.mistake, gap.width) {
            (Some(Mistake::UnsignedGaps), Width::One) => i64::from(gap.units.0 as u8),
            (Some(Mistake::UnsignedGaps), Width::Two) => i64::from(gap.units.0 as u16),
            (Some(Mistake::UnsignedGaps), Width::Four) => i64::from(gap.units.0 as u32),
            _ => gap.units.0,
        };
        let address = self.offset(self.previous, gap);
        let base = if self.mistake == Some(Mistake::ReferencesFromPrevious) { self.previous } else { address };
        let targets =
            record.references().map(|all| all.iter().map(|units| Address(self.offset(base, units.0))).collect());
        if self.mistake != Some(Mistake::GapFromLastObject) || !matches!(record, Record::Class(_)) {
            self.previous = address;
        }
        match item {
            Item::Class(class) => (class.address, class.references) = (Address(address), targets),
            Item::Object(object) => {
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
            Record::ObjectArray(r) if self.mistake == Some(Mistake::ArrayFillsCache) => r.class_word,
            Record::ObjectArray(r) => return Some(r.class_word),
            Record::Class(_) | Record::PrimitiveArray(_) | Record::LongPrimitiveArray(_) => return None,
        };
        let held = self.cache.iter().position(|&class| class == word);
        let slot = match self.mistake {
            Some(Mistake::UniqueCache) if held.is_some() => return Some(word),
            Some(Mistake::LeastRecentlyUsed) => held.or((0..4).min_by_key(|&slot| self.used[slot])).unwrap_or_default(),
            _ => self.next,
        };
        (self.cache[slot], self.used[slot]) = (word, self.records);
        self.next = (self.next + 1) % 4;
        Some(word)
    }
}

/// The mistakes that one record is enough for.
fn misread(mistake: Mistake, j9: bool, record: &Record<'_>, item: &mut Item) {
    let (references, hash) = match item {
        Item::Class(class) => (class.references.as_mut(), &mut class.hash),
        Item::Object(Object { contents: Contents::References(references), hash, .. }) => (Some(references), hash),
        Item::Object(object) => (None, &mut object.hash),
    };
    match (mistake, references) {
        (Mistake::ReverseReferences, Some(references)) => references.reverse(),
        (Mistake::DropNulls, Some(references)) => references.retain(|reference| !reference.is_null()),
        (Mistake::IgnoreHashes | Mistake::DeclareOmittedHashes, _) => *hash = None,
        (Mistake::ZeroHashes, _) => _ = hash.get_or_insert(heapsmith::model::IdentityHash::Bits32(0)),
        _ => {}
    }
    let object = match item {
        Item::Class(class) if mistake == Mistake::PlainUtf8Names => return class.name = plain_utf8(&class.name),
        Item::Class(_) => return,
        Item::Object(object) => object,
    };
    let is_object_array = object.kind == ObjectKind::ObjectArray;
    match (mistake, object.length, object.size) {
        (Mistake::SignedLengths, Some(length), _) if !is_object_array => {
            object.length = Some(match record.gap().width {
                Width::One => length as i8 as u64,
                Width::Two => length as i16 as u64,
                Width::Four | Width::Eight => length,
            });
        }
        (Mistake::LengthFromReferences, _, _) if is_object_array => {
            object.length = Some(object.references().count() as u64);
        }
        (Mistake::SizeFirst, Some(length), Some(ByteLen(size))) if is_object_array => {
            (object.length, object.size) = (Some(size / 4), Some(ByteLen(length * 4)));
        }
        (Mistake::SizeInWords, _, Some(ByteLen(size))) => object.size = Some(ByteLen(size / 4)),
        _ => {}
    }
    if let (Mistake::DropFirstReferenceIfClass, true, Contents::References(references)) =
        (mistake, j9, &mut object.contents)
    {
        if references.first().is_some_and(|&first| Some(first) == object.class_word) {
            references.remove(0);
        }
    }
}

fn plain_utf8(name: &Name) -> Name {
    Name::from_text(&String::from_utf8_lossy(name.as_bytes()))
}

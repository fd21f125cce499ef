//! Twice as much of anything is twice the work, in every command.
//!
//! Work is counted and never timed: bytes that are allocated, all together, and steps ([`steps_of`]) where something is looked at
//! without allocating.

#[path = "doubling/kinds.rs"]
mod kinds;

use std::io;

use allocation_counter::measure;
use heapsmith::answers::{Analysis, EdgeOptions, EntryGraph, answers};
use heapsmith::compare::listing::{self, HeapPlaces};
use heapsmith::compare::{CompareOptions, MEMORY, compare_sources};
use heapsmith::convert::{self, convert, judge};
use heapsmith::digest::{self, digest};
use heapsmith::family::{ReadOptions, WriteRequest};
use heapsmith::format::{DumpFile, DumpTarget, FileSource, Format, Lowering};
use heapsmith::input::Input;
use heapsmith::model::{DumpSource, Heap, HeapSource, steps_of};
use heapsmith::recipe::Recipe;
use heapsmith::validate::{ValidateOptions, validate};

use kinds::KINDS;

/// The number of things, and twice as many. Neither is near a power of two, where a list that grows takes twice the room.
const NUMBERS: [usize; 2] = [5_000, 10_000];

/// Work that multiplies by its nature: the kind of thing, the command, and why.
const MULTIPLY: &[(&str, &str, &str)] = &[
    ("classes in a chain", "convert to phd6", IN_A_CHAIN),
    ("classes=constant:N,depth=N,fields=constant:0,mix=0:1:1:0", "phd6", IN_A_CHAIN),
];
const IN_A_CHAIN: &str = "a class record of PHD lists the whole chain of its superclasses";

/// Bytes that a piece of work allocates, and steps that it takes. Another thread's are not counted.
fn cost(work: &mut dyn FnMut()) -> [u64; 2] {
    let mut steps = 0;
    let allocated = measure(|| steps = steps_of(&mut *work)).bytes_total;
    [allocated, steps]
}

/// What takes more than 2.2 times as much for twice as many things.
fn check(what: &str, command: &str, costs: [[u64; 2]; 2]) -> Option<String> {
    let [once, twice] = costs;
    let is_more = once.iter().zip(&twice).any(|(once, twice)| twice * 10 > once * 22 + 10_000);
    let is_known = MULTIPLY.iter().any(|(kind, by, _)| (*kind, *by) == (what, command));
    (is_more != is_known).then(|| format!("{what}: {command}: {once:?} bytes and steps, {twice:?} for twice as many"))
}

fn all_is_linear(wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What every command that takes a heap does with a dump, each with its cost.
fn commands(dump: &[u8], profiles: &[&str], formats: &[Format]) -> Vec<(String, [u64; 2])> {
    let input = Input::from_memory("memory", dump.to_vec());
    let file = || DumpFile::new(input.clone(), ReadOptions::default()).expect("a dump");
    let open = || -> FileSource { file().source().expect("a dump") };
    let mut costs = Vec::new();
    let mut count = |what: &str, work: &mut dyn FnMut()| costs.push((what.to_owned(), cost(work)));
    count("validate", &mut || drop(validate(&input, ValidateOptions::default()).expect("readable")));
    count("decode", &mut || drop(file().read().expect("a dump")));
    count("inspect", &mut || file().annotate(&mut |_| Ok(())).expect("a dump"));
    count("digest", &mut || drop(digest(open().heap(0), &digest::DigestOptions::default()).expect("sound")));
    count("compare", &mut || {
        let (mut left, mut right) = (open(), open());
        assert!(compare_sources(left.heap(0), right.heap(0), &CompareOptions::default()).expect("sound").equal);
    });
    count("answers", &mut || {
        let mut source = open();
        let graph = EntryGraph::from_source(source.heap(0), EdgeOptions::default()).expect("a graph");
        drop(answers(source.heap(0), &Analysis::new(graph)).expect("answers"));
    });
    // A listing and back, which is also how the answers of several implementations are held against each other.
    let listing = {
        let heap = Heap::collect(open().heap(0)).expect("a dump");
        let mut text = Vec::new();
        let head = listing::head(&heap);
        listing::write(&mut text, &head, &heap, &HeapPlaces::from_order(&heap)).expect("in memory");
        text
    };
    count("encode", &mut || {
        let heap = listing::read(&listing[..]).expect("a listing").heap;
        let lowering = Lowering::new(file().format().expect("a format"), &WriteRequest::default()).expect("a profile");
        let mut source: &Heap = &heap;
        lowering.write(&mut (&mut source as &mut dyn HeapSource), &mut io::sink()).expect("written");
    });
    count("compare two listings", &mut || {
        let [left, right] = [0, 1].map(|_| listing::read(&listing[..]).expect("a listing").heap);
        let (mut left, mut right): (&Heap, &Heap) = (&left, &right);
        assert!(compare_sources(&mut left, &mut right, &CompareOptions::default()).expect("sound").equal);
    });
    for profile in profiles {
        let wishes = WriteRequest { profile: Some((*profile).to_owned()), ..WriteRequest::default() };
        let lowering = Lowering::new(file().format().expect("a format"), &wishes).expect("a profile");
        count(&format!("rewrite as {profile}"), &mut || {
            lowering.write(&mut open(), &mut io::sink()).expect("written");
        });
    }
    for format in formats {
        let lowering = Lowering::new(*format, &WriteRequest::default()).expect("a profile");
        count(&format!("convert to {format}"), &mut || {
            convert(open().heap(0), &convert::ConvertOptions::new(&lowering), &mut io::sink()).expect("converted");
        });
        count(&format!("check-conversion to {format}"), &mut || {
            let (mut left, mut right) = (open(), open());
            let target = DumpTarget { format: *format, profile: None };
            drop(judge(left.heap(0), right.heap(0), &target, MEMORY).expect("judged"));
        });
    }
    costs
}

fn pairs(what: &str, make: &dyn Fn(usize) -> Vec<u8>, profiles: &[&str], formats: &[Format]) -> Vec<String> {
    let [once, twice] = NUMBERS.map(|number| commands(&make(number), profiles, formats));
    let pairs = once.into_iter().zip(twice);
    pairs.filter_map(|((command, once), (_, twice))| check(what, &command, [once, twice])).collect()
}

/// A recipe's dump.
fn made(recipe: &str, number: usize) -> Vec<u8> {
    let text = recipe.replace('N', &number.to_string());
    let mut dump = Vec::new();
    Recipe::read(&text).and_then(|recipe| recipe.write(&mut dump)).unwrap_or_else(|error| panic!("{text}: {error}"));
    dump
}

/// Parts of a recipe in which something grows.
const GROWING: &[&str] = &[
    "classes=constant:N",
    "classes=constant:N,names=program",
    "classes=constant:N,depth=5,names=program,hidden-classes=0.3",
    "classes=constant:N,array-classes=1,mix=0:0:0:1",
    "classes=constant:N,depth=N,fields=constant:0,mix=0:1:1:0",
    "classes=constant:N,resolved-references=0.5",
    "java-threads=constant:N,objects=40000,addresses=numbers",
    "loaders=N,objects=40000,addresses=numbers",
    "java-threads=constant:1,frames=constant:N",
    "java-threads=constant:1,roots=constant:N",
    "java-threads=constant:1,frames=constant:2,locals=constant:N",
    "classes=constant:1,fields=constant:N",
    "classes=constant:1,statics=constant:N",
    "objects=1,unused-texts=N",
    "objects=N,owned=0.9,popular=0.5,collections=0.5",
    "string-lengths=constant:N,mix=0:1:0:0",
    "primitive-lengths=constant:N,mix=0:0:1:0",
    "object-lengths=constant:N,mix=0:0:0:1",
    "name-lengths=constant:N",
];

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn work_grows_linearly_with_each_recipe_option() {
    let mut wrong = Vec::new();
    for growing in GROWING {
        for writer in ["hprof", "hprof,profile=agent,word=32", "hprof,profile=any", "phd6", "classic"] {
            // PHD has addresses in units of a word.
            if writer == "phd6" && growing.contains("numbers") {
                continue;
            }
            let recipe = format!("heapsmith-2:{growing},format={writer}");
            let costs = NUMBERS.map(|number| cost(&mut || drop(made(&recipe, number))));
            wrong.extend(check(growing, writer, costs));
        }
    }
    all_is_linear(wrong);
}

/// The kinds that other formats have as well.
const CONVERTED: &[&str] =
    &["classes", "classes in a chain", "threads with locals", "instances in a list", "elements", "segments"];

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn work_grows_linearly_with_each_hprof_record_kind() {
    let profiles = ["hotspot", "agent", "any"];
    let mut wrong = Vec::new();
    for (kind, make) in KINDS {
        let formats: &[Format] = if CONVERTED.contains(kind) { &[Format::PHD6, Format::CLASSIC] } else { &[] };
        wrong.extend(pairs(kind, make, &profiles, formats));
    }
    all_is_linear(wrong);
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn work_grows_linearly_with_phd_and_classic_records() {
    let mut wrong = Vec::new();
    for (format, profile) in [("phd6", "any"), ("phd5", "any"), ("classic", "any")] {
        for growing in
            ["classes=constant:N", "objects=N", "object-lengths=constant:N,mix=0:0:0:1", "name-lengths=constant:N"]
        {
            let recipe = format!("heapsmith-2:{growing},format={format}");
            let what = format!("{growing} in {format}");
            wrong.extend(pairs(&what, &|number| made(&recipe, number), &[profile], &[Format::HPROF]));
        }
    }
    all_is_linear(wrong);
}

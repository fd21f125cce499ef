//! Dumps that are described as heap files and built again.
//!
//! Without `exact` the heap comes back up to the addresses; with it every fact does, and the writer of the dump gives back the
//! same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use heapsmith::DumpOptions;
use heapsmith::compare::renaming::{BUDGET, Renaming, up_to_renaming};
use heapsmith::compare::{Facet, NotComparedReason, compare};
use heapsmith::corpus::{Case, CaseVerdict, cases};
use heapsmith::family::WriteRequest;
use heapsmith::format::{DumpFile, Format};
use heapsmith::generate::Preset;
use heapsmith::heap_file::{DescribeOptions, HeapFile, describe};
use heapsmith::hprof::ReadOptions;
use heapsmith::input::Input;
use heapsmith::model::{Dump, Heap, Serial, WordSize};
use heapsmith::random::AnyDump;
use heapsmith::recipe::{Recipe, usual_profiles};
use pretty_assertions::assert_eq;
use quickcheck::{Arbitrary, Gen, QuickCheck};

use crate::witnesses::witnesses;

fn describe_text(dump: &Dump, exact: bool) -> Result<String, heapsmith::Error> {
    let mut text = Vec::new();
    describe(dump, &DescribeOptions::default().exact(exact), &mut text)?;
    Ok(String::from_utf8(text).expect("text"))
}

fn build(text: &str) -> Result<Dump, String> {
    let file = HeapFile::parse(text, &[]).map_err(|errors| errors.to_string())?;
    file.into_dump().map_err(|error| error.to_string())
}

/// The heap without what is left out of a heap file that is not exact.
fn without_numbers(heap: &Heap) -> Heap {
    let mut heap = heap.clone();
    let traces = heap.surroundings.traces.iter().flatten();
    let says_something = traces.filter(|trace| !trace.frames.is_empty() || trace.thread != Serial(0));
    let traces: BTreeSet<Serial> = says_something.map(|trace| trace.serial).collect();
    let keep = |trace: &mut Option<Serial>| *trace = trace.filter(|trace| traces.contains(trace));
    for class in &mut heap.classes {
        class.serial = None;
        // A heap that is built knows all static fields: there are none.
        class.references.take_if(|references| references.is_empty());
        keep(&mut class.trace);
    }
    heap.objects.iter_mut().for_each(|object| keep(&mut object.trace));
    heap.surroundings.events = None;
    heap
}

/// The heap that came back without the names of threads that the dump does not record apart from their objects.
fn without_added_names(before: &Heap, after: &Heap) -> Heap {
    let mut after = after.clone();
    let unnamed = before.surroundings.threads.iter().flatten().filter(|thread| thread.name.is_none());
    let unnamed: BTreeSet<Serial> = unnamed.map(|thread| thread.serial).collect();
    let threads = after.surroundings.threads.iter_mut().flatten();
    threads.filter(|thread| unnamed.contains(&thread.serial)).for_each(|thread| thread.name = None);
    after
}

/// What is wrong with the heap that comes back up to renaming.
fn renaming_faults(before: &Dump, after: &Dump) -> Vec<String> {
    let mut faults = Vec::new();
    if before.heaps.len() != after.heaps.len() {
        return vec![format!("{} heaps for {}", after.heaps.len(), before.heaps.len())];
    }
    for (before, after) in before.heaps.iter().zip(&after.heaps) {
        let after = without_added_names(before, after);
        match up_to_renaming(&without_numbers(before), &after, &BTreeSet::new(), BUDGET) {
            Renaming::Equal { comparison, .. } => faults.extend(lost(&comparison.not_compared)),
            Renaming::Different { invariant, left, right } => {
                faults.push(format!("{invariant}: {left} before, {right} after"));
            }
            Renaming::Undecided { steps, ambiguous } => {
                faults.push(format!("undecided after {steps} steps, {ambiguous} are ambiguous"));
            }
        }
    }
    faults
}

/// Facts that only the heap before has. The name of an object's class stands in its record in classic text alone; it is that
/// of the class.
fn lost(not_compared: &[heapsmith::compare::NotCompared]) -> Vec<String> {
    let lost = not_compared.iter().filter(|row| row.why == NotComparedReason::UnknownRight);
    lost.filter(|row| row.facet != Facet::ClassName).map(|row| format!("{} of {} lost", row.facet, row.count)).collect()
}

/// What is wrong with the heap that comes back exactly.
fn exact_faults(before: &Dump, after: &Dump) -> Vec<String> {
    let mut faults = Vec::new();
    if before.heaps.len() != after.heaps.len() || before.tail != after.tail {
        faults.push("another number of heaps, or another log after them".to_owned());
    }
    for (before, after) in before.heaps.iter().zip(&after.heaps) {
        let comparison = compare(before, after, &BTreeSet::new());
        faults.extend(comparison.differences.iter().map(|difference| {
            let at = difference.address.as_deref().unwrap_or("the heap");
            format!("{} at {at}: {} before, {} after", difference.facet, difference.left, difference.right)
        }));
        faults.extend(lost(&comparison.not_compared));
    }
    faults
}

/// What is wrong with the bytes that the dump's writer makes of the heap that comes back; nothing where it does not even make them
/// of the heap before.
fn byte_faults(input: &Input, before: &Dump, after: &Dump) -> Vec<String> {
    let file = DumpFile::new(input.clone(), ReadOptions::default()).expect("readable");
    let mut source = file.source().expect("readable");
    let recognised = file.recognise(&mut source).expect("readable");
    let Some(lowering) = recognised.or_else(|| file.lossless_lowering(&mut source)) else { return Vec::new() };
    let write = |dump: &Dump| {
        let mut bytes = Vec::new();
        lowering.write(&mut dump.clone(), &mut bytes).map(|()| bytes)
    };
    let mut expected = Vec::new();
    input.stream().map(|mut stream| stream.read_to_end(&mut expected)).expect("readable").expect("readable");
    if write(before).ok().as_ref() != Some(&expected) {
        return Vec::new();
    }
    match write(after) {
        Ok(bytes) if bytes == expected => Vec::new(),
        Ok(bytes) => {
            let at = bytes.iter().zip(&expected).position(|(one, other)| one != other);
            vec![format!("other bytes from {:#x} on", at.unwrap_or(bytes.len().min(expected.len())))]
        }
        Err(error) => vec![error.to_string()],
    }
}

fn read(input: &Input) -> Dump {
    DumpFile::new(input.clone(), ReadOptions::default()).and_then(|file| file.read()).expect("readable").dump
}

/// All that is wrong with describing a dump in one form and building it again, or why it is not described.
fn faults_of_form(dump: &Dump, exact: bool, input: Option<&Input>) -> Result<Vec<String>, heapsmith::Error> {
    let text = describe_text(dump, exact)?;
    Ok(match build(&text) {
        Err(errors) => vec![errors.lines().take(3).collect::<Vec<_>>().join("; ")],
        Ok(after) if exact => {
            let mut faults = exact_faults(dump, &after);
            faults.extend(input.into_iter().flat_map(|input| byte_faults(input, dump, &after)));
            faults
        }
        Ok(after) => renaming_faults(dump, &after),
    })
}

fn form_name(exact: bool) -> &'static str {
    if exact { "exact" } else { "default" }
}

/// All that is wrong with describing a dump and building it again.
fn faults(input: &Input) -> Vec<String> {
    let dump = read(input);
    let mut faults = Vec::new();
    for exact in [false, true] {
        let found = faults_of_form(&dump, exact, Some(input)).unwrap_or_else(|refusal| vec![refusal.to_string()]);
        faults.extend(found.into_iter().map(|fault| format!("{}: {fault}", form_name(exact))));
    }
    faults
}

/// Describes and builds the valid cases whose size this is true of, and gives the number of those that come back.
fn build_again(is_wanted: impl Fn(usize) -> bool) -> usize {
    // An address of null is one that a heap file cannot name.
    let refused = "the class or object at 0x0: a heap file has no words for it";
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let (mut built, mut refusals) = (0, Vec::new());
    let mut seen = BTreeSet::new();
    let is_valid = |case: &Case| case.verdict == CaseVerdict::Valid && is_wanted(case.bytes.len());
    for case in cases().expect("cases").into_iter().filter(is_valid) {
        if !seen.insert(case.bytes.clone()) {
            continue;
        }
        let faults = faults(&Input::from_memory(&case.id, case.bytes.clone()));
        match faults.as_slice() {
            [] => built += 1,
            all if all.iter().all(|fault| fault.ends_with(refused)) => refusals.push(case.id),
            _ => drop(wrong.insert(case.id, faults)),
        }
    }
    assert_eq!(wrong, BTreeMap::new());
    assert_eq!(refusals.iter().filter(|id| !id.contains("null")).count(), 0, "{refusals:?}");
    built
}

/// The examples of docs/heap-file.md with fewer turns of their repeats.
fn small_examples() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/heaps");
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut examples: Vec<(String, String)> = paths
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a text");
            let fewer = [("65535", "31"), ("20000", "200"), ("10000", "40"), ("5000", "40"), ("1000 ", "40 ")];
            let text = fewer.iter().fold(text, |text, (many, few)| text.replace(many, few));
            (path.file_name().expect("a name").to_string_lossy().into_owned(), text)
        })
        .collect();
    examples.sort();
    examples
}

/// The examples of docs/heap-file.md, small: as they are, and as dumps of the formats and writers that record the most.
#[test]
fn builds_dumps_of_the_examples_again_from_their_heap_files() {
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, text) in small_examples() {
        let dump = build(&text).unwrap_or_else(|errors| panic!("{name}: {errors}"));
        let described = describe_text(&dump, false).expect("a heap file");
        let after = build(&described).unwrap_or_else(|errors| panic!("{name}: {errors}\n{described}"));
        wrong.insert(format!("{name} as it is"), renaming_faults(&dump, &after));
        for (format, profile) in
            [(Format::HPROF, "hotspot-17"), (Format::HPROF, "art"), (Format::HPROF, "any"), (Format::PHD6, "openj9")]
        {
            // ART's dumps have identifiers of 32 bits.
            let Ok(bytes) = dump.heaps[0].write(DumpOptions::new(format).profile(profile)) else { continue };
            wrong.insert(format!("{name} as {profile}"), faults(&Input::from_memory(&name, bytes.to_vec())));
        }
    }
    assert!(wrong.len() > 40, "{} dumps", wrong.len());
    wrong.retain(|_, faults| !faults.is_empty());
    assert_eq!(wrong, BTreeMap::new());
}

/// Bytes of the dumps of the corpus that take long to parse as text.
const LARGE: usize = 8000;

#[test]
fn builds_each_valid_dump_of_the_corpus_again_from_its_heap_file() {
    let built = build_again(|bytes| bytes < LARGE);
    assert!(built > 300, "{built} dumps");
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn builds_each_large_dump_of_the_corpus_again_from_its_heap_file() {
    let built = build_again(|bytes| bytes >= LARGE);
    assert!(built > 20, "{built} dumps");
}

/// The facts that a heap file cannot say (docs/heap-file.md).
const UNSAYABLE: [&str; 6] = [
    "class or object at 0x0",
    "second class or object",
    " values of an object whose class has ",
    "value of type ",
    "array whose length is not that of its contents",
    "hash of ",
];

/// Numbers of descriptions that were built again, and of those that were refused.
#[derive(Debug)]
struct InverseCounts {
    built: AtomicUsize,
    refused: AtomicUsize,
}

impl InverseCounts {
    const fn new() -> InverseCounts {
        InverseCounts { built: AtomicUsize::new(0), refused: AtomicUsize::new(0) }
    }

    /// Describes a dump in both forms, and builds both again.
    fn count(&self, dump: &Dump, input: Option<&Input>, name: &dyn Display) {
        for exact in [false, true] {
            match faults_of_form(dump, exact, input) {
                Ok(faults) => {
                    assert_eq!(faults, Vec::<String>::new(), "{name}, {}", form_name(exact));
                    self.built.fetch_add(1, Ordering::Relaxed);
                }
                Err(refusal) => {
                    let refusal = refusal.to_string();
                    assert!(UNSAYABLE.iter().any(|fact| refusal.contains(fact)), "{name}: {refusal}");
                    self.refused.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }

    fn totals(&self) -> (usize, usize) {
        (self.built.load(Ordering::Relaxed), self.refused.load(Ordering::Relaxed))
    }
}

/// A seed and a number of objects, for a heap of each preset.
#[derive(Clone, Copy, Debug)]
struct DrawnHeap {
    seed: u64,
    objects: usize,
}

impl Arbitrary for DrawnHeap {
    fn arbitrary(g: &mut Gen) -> DrawnHeap {
        DrawnHeap { seed: u64::arbitrary(g), objects: usize::arbitrary(g) % g.size() }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = DrawnHeap>> {
        let seed = self.seed;
        Box::new(self.objects.shrink().map(move |objects| DrawnHeap { seed, objects }))
    }
}

impl DrawnHeap {
    /// The recipe of a preset's dump, by one of the format's usual writers. Text takes much longer to read than a dump, so that
    /// there are fewer classes than the preset has, and no name of 32,768 characters.
    fn recipe(self, preset: Preset, format: Format) -> Recipe {
        let profiles = usual_profiles(format);
        let profile = profiles[(self.seed % profiles.len() as u64) as usize];
        let wishes = WriteRequest { profile: Some(profile.to_owned()), ..WriteRequest::default() };
        let mut recipe = Recipe::from(preset).format(format).wishes(wishes).seed(self.seed);
        recipe.options.objects = self.objects;
        let fewer: &[(&str, &str)] = match preset {
            Preset::Boundary => &[("classes", "constant:6"), ("name-lengths", "among:64+128+256")],
            Preset::HotSpot | Preset::OpenJ9 | Preset::Android => &[("classes", "constant:12"), ("unused-texts", "0")],
            _ => &[],
        };
        for (key, value) in fewer {
            recipe.options.set(key, value).expect("an option");
        }
        if recipe.lowering().is_err() {
            recipe.options.word = WordSize::Bits32;
        }
        recipe
    }
}

/// Describing and building are inverse for random heaps of every preset, as they are generated and as dumps of each format have
/// them.
#[test]
fn describing_and_building_are_inverse_for_heaps_of_presets() {
    static COUNTS: InverseCounts = InverseCounts::new();
    fn holds(drawn: DrawnHeap) -> bool {
        for form in Preset::FORMS {
            for format in Format::all() {
                let recipe = drawn.recipe(form.preset, format);
                let mut bytes = Vec::new();
                recipe.write(&mut bytes).unwrap_or_else(|error| panic!("{recipe}: {error}"));
                let input = Input::from_memory("random", bytes);
                COUNTS.count(&read(&input), Some(&input), &recipe);
            }
            let recipe = drawn.recipe(form.preset, Format::HPROF);
            let heap = Heap::collect(&mut recipe.heap().expect("a heap")).expect("a heap");
            COUNTS.count(&Dump { heaps: vec![heap], tail: Vec::new() }, None, &recipe);
        }
        true
    }
    QuickCheck::new().rng(Gen::from_size_and_seed(30, 31)).tests(3).quickcheck(holds as fn(DrawnHeap) -> bool);
    let (built, refused) = COUNTS.totals();
    assert!(built > 200 && refused * 4 < built, "{built} built, {refused} refused");
}

/// Describing and building are inverse for random dumps with oddities, in every format.
#[test]
fn describing_and_building_are_inverse_for_random_dumps() {
    static COUNTS: InverseCounts = InverseCounts::new();
    fn holds(dump: AnyDump) -> bool {
        let input = Input::from_memory("random", dump.bytes().to_vec());
        COUNTS.count(&read(&input), Some(&input), &dump.format());
        true
    }
    QuickCheck::new().rng(Gen::from_size_and_seed(30, 32)).tests(60).quickcheck(holds as fn(AnyDump) -> bool);
    let (built, refused) = COUNTS.totals();
    assert!(built > 80 && refused * 4 < built, "{built} built, {refused} refused");
}

/// Real dumps of up to 50,000 objects.
#[test]
fn builds_real_dumps_again_from_their_heap_files() {
    let Some(folder) = witnesses() else { return };
    let mut wrong: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    let mut paths: Vec<PathBuf> = Vec::new();
    for part in ["dumps", "more-dumps"] {
        let entries = fs::read_dir(folder.join(part)).into_iter().flatten().filter_map(Result::ok);
        paths.extend(entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end != "md")));
    }
    paths.sort();
    let mut built = 0;
    for path in paths {
        let input = Input::open(&path).expect("readable");
        if read(&input).heaps.iter().map(|heap| heap.objects.len()).sum::<usize>() > 50_000 {
            continue;
        }
        let faults = faults(&input);
        built += 1;
        if !faults.is_empty() {
            wrong.insert(path, faults);
        }
    }
    assert_eq!(wrong, BTreeMap::new());
    assert!(built > 0, "no real dump of up to 50,000 objects");
}

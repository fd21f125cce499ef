//! `check` against decoders that are known to be wrong: `examples/mistaken.rs`, one mistake at a time.
//!
//! What a mistake does to a case is worked out here, from the dump's bytes and from the heaps that are
//! expected of it, by other means than the example's: a mistake that goes unnoticed, or a case that fails
//! without a reason, is a defect of the corpus or of the judge.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, OnceLock};
use std::time::Duration;

use heapsmith::check::report::TestedImplementation;
use heapsmith::check::{
    Budget, CaseChoice, CaseResult, CheckOptions, CheckProgress, Outcome, ReportFolder, Subject, SubjectKind, check,
};
use heapsmith::compare::Facet;
use heapsmith::corpus::{Case, RightAnswer, cases};
use heapsmith::error::DecodeError;
use heapsmith::format::Family;
use heapsmith::input::Input;
use heapsmith::model::{Address, HashRegime, HeaderTotals, Heap, IdentityHash, Name, Object, ObjectKind};
use heapsmith::phd::record::HeaderRecord;
use heapsmith::phd::{Decoder, Record, rules};
use heapsmith::validate::{Rule, rulebook};

#[path = "check/choice.rs"]
mod choice;
#[path = "check/readings.rs"]
mod readings;

// What is expected of `check`.

/// The outcome that a mistake has in a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Pass,
    /// Misread, and this is the first facet that shows it.
    Fail(Facet),
    /// The output is no listing.
    NoListing,
    WrongVerdict,
    Crash,
    Hang,
}

use Expected::{Crash, Fail, Hang, NoListing, Pass, WrongVerdict};

impl Expected {
    fn of(outcome: &Outcome) -> Expected {
        match outcome {
            Outcome::Pass { .. } => Pass,
            Outcome::Fail { fact, .. } if fact == "answer" => NoListing,
            Outcome::Fail { fact, .. } => Fail(fact.parse().expect("a listing is judged by its facets")),
            Outcome::WrongVerdict { .. } => WrongVerdict,
            Outcome::Crash { .. } => Crash,
            Outcome::Hang { .. } => Hang,
            other => panic!("{other:?} of a decoder"),
        }
    }
}

/// Runs the example over every case and holds each outcome against the expected one.
#[track_caller]
fn expect(mistake: &str, expected: impl Fn(&Probe) -> Expected) -> Vec<CaseResult> {
    let report = run(mistake, "", PATIENT);
    assert_eq!(report.len(), PROBES.len());
    let mut wrong = Vec::new();
    for (probe, result) in PROBES.iter().zip(&report) {
        assert_eq!(probe.case.id, result.id);
        let (due, found) = (expected(probe), Expected::of(result.outcome()));
        if due != found {
            wrong.push(format!("{}: {due:?} is due\n    {:?}", result.id, result.outcome()));
        }
    }
    assert!(wrong.is_empty(), "{mistake}\n  {}", wrong.join("\n  "));
    report
}

/// The same for a mistake that some case has to notice.
#[track_caller]
fn expect_notice(mistake: &str, expected: impl Fn(&Probe) -> Expected) {
    let report = expect(mistake, expected);
    assert!(report.iter().any(|case| !case.outcome().is_pass()), "no case notices {mistake}");
}

/// Runs the example over all cases of PHD whose id contains the filter.
fn run(mistake: &str, filter: &str, limit: Duration) -> Vec<CaseResult> {
    let flag = (!mistake.is_empty()).then(|| format!("--{mistake}"));
    run_command([Some(example()), flag, Some("{}".to_owned())].into_iter().flatten().collect(), filter, limit)
}

fn run_command(words: Vec<String>, filter: &str, limit: Duration) -> Vec<CaseResult> {
    tested(words, filter, limit).results
}

/// Verdicts are written before causes are reduced, which takes time that a user may not give.
#[test]
fn writes_report_before_it_reduces_causes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("report");
    let subject = subject(vec!["false".to_owned(), "{}".to_owned()], PATIENT);
    let filter = "phd5-spelled-class-cache".parse().expect("a filter");
    let options = CheckOptions::default()
        .choice(CaseChoice::default().format(Family::PHD).filters(vec![filter]))
        .reduce(3)
        .folder(ReportFolder::claim(&path, false).expect("a new folder"));
    let seen = std::sync::Mutex::new(None);
    let progress = |progress: CheckProgress<'_>| {
        if let CheckProgress::Reducing(_) = progress {
            let text = std::fs::read_to_string(path.join("report.json")).expect("a report is there");
            seen.lock().expect("no panic before").get_or_insert(text);
        }
    };
    check(&[subject], &options, &progress).expect("`false` can be run");
    let seen = seen.into_inner().expect("no panic").expect("a dump was tried");
    let report: serde_json::Value = serde_json::from_str(&seen).expect("JSON");
    let implementation = &report["implementations"][0];
    assert_eq!(implementation["results"].as_array().map(Vec::len), Some(1));
    assert_eq!(implementation["tally"]["wrong-verdict"], 1, "{implementation}");
    assert_eq!(implementation["causes"][0].get("reduced"), None);
}

fn tested(words: Vec<String>, filter: &str, limit: Duration) -> TestedImplementation {
    let subject = subject(words, limit);
    let filter = (!filter.is_empty()).then(|| filter.to_owned());
    let filters = filter.iter().map(|filter| filter.parse().expect("a filter")).collect();
    let choice = CaseChoice::default().format(Family::PHD).filters(filters);
    let options = CheckOptions::default().choice(choice).jobs(2).max_equal_ends(0);
    let mut report = check(&[subject], &options, &|_| {}).expect("the example can be run").report;
    report.implementations.remove(0)
}

fn subject(words: Vec<String>, limit: Duration) -> Subject {
    let budget = Budget::default().time(limit);
    let supervisor = env!("CARGO_BIN_EXE_heapsmith").into();
    Subject::new(SubjectKind::Decoder, words.join(" "), words, supervisor).budget(budget)
}

/// Longer than any case takes, on a busy machine too.
const PATIENT: Duration = Duration::from_secs(120);

/// The example beside this test. Cargo is asked for it every time: `cargo test --test check` builds no
/// examples, and one that was built earlier may be out of date.
fn example() -> String {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let path = BUILT.get_or_init(|| {
        let own = env::current_exe().expect("a test knows its own path");
        let profile = own.parent().and_then(Path::parent).expect("tests are built in target/PROFILE/deps");
        let name = profile.file_name().and_then(|name| name.to_str()).expect("profiles have plain names");
        let target = profile.parent().expect("profiles have folders in the target folder");
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--example", "mistaken", "--profile"])
            .arg(if name == "debug" { "dev" } else { name })
            .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), "--target-dir"])
            .arg(target)
            .status();
        let example = profile.join("examples").join(format!("mistaken{}", env::consts::EXE_SUFFIX));
        assert!(built.is_ok_and(|status| status.success()) && example.exists(), "the example cannot be built");
        example
    });
    path.to_str().expect("the target folder is Unicode").to_owned()
}

// What is known of the cases.

/// A case with what its bytes say, as far as they can be read.
struct Probe {
    case: Case,
    version: u32,
    flags: u32,
    /// Whether the header can be read.
    has_header: bool,
    header: Vec<HeaderRecord>,
    records: Vec<Record<'static>>,
}

static PROBES: LazyLock<Vec<Probe>> = LazyLock::new(|| {
    let of_phd = |case: &Case| case.format.family() == Family::PHD;
    cases().expect("every recipe works").into_iter().filter(of_phd).map(Probe::new).collect()
});

impl Probe {
    fn new(case: Case) -> Probe {
        let mut dump = Vec::new();
        let mut stream = Input::from_memory(&case.id, case.bytes.clone()).stream().expect("memory can be read");
        std::io::copy(&mut stream, &mut dump).expect("what is compressed is sound");
        let number =
            |at: usize| dump.get(at..at + 4).map_or(0, |bytes| bytes.iter().fold(0, |n, &b| n << 8 | u32::from(b)));
        let (version, flags) = (number(20), number(24));
        let (mut header, mut records, mut has_header) = (Vec::new(), Vec::new(), false);
        if let Ok(mut decoder) = Decoder::new(dump.as_slice()) {
            has_header = true;
            header = decoder.header().records.clone();
            // An error is one of those that the case is about.
            let _ = decoder.visit::<DecodeError, _>(|located| {
                records.push(located.record.clone().into_owned());
                Ok(())
            });
        }
        Probe { case, version, flags, has_header, header, records }
    }

    /// The heaps that are right answers, the example's own first: it refuses only what leaves no other answer, and what this
    /// crate's decoder does not read on.
    fn readings(&self) -> impl Iterator<Item = &Heap> {
        let is_broken = |rule: &&Rule| self.case.breaks.is_some_and(|(broken, _)| broken == rule.id);
        let stops = rulebook(Family::PHD).rule.iter().find(is_broken).is_some_and(|rule| rule.stops);
        // Of the readings of an ambiguity the first is the example's, and may be that the dump is refused.
        let refuses = |answer: &RightAnswer| matches!(answer, RightAnswer::Refuses(reading) if reading.contains('='));
        let is_refused = stops || self.case.answers.first().is_some_and(refuses);
        self.case.answers.iter().filter(move |_| !is_refused).filter_map(|answer| match answer {
            RightAnswer::Reads(_, heap) => Some(&**heap),
            RightAnswer::Refuses(_) => None,
        })
    }

    /// Whether the dump breaks this rule beyond repair.
    fn is_invalid_by(&self, rule: heapsmith::error::RuleId) -> bool {
        self.readings().next().is_none() && self.case.breaks.is_some_and(|(broken, _)| broken == rule.0)
    }

    /// What refusing the dump is worth.
    fn refused(&self) -> Expected {
        let may = self.case.answers.iter().any(|answer| matches!(answer, RightAnswer::Refuses(_)));
        if may { Pass } else { WrongVerdict }
    }

    /// What a listing is worth that differs from a right answer in this facet: it passes if there is another
    /// right answer that it agrees with. What has to be refused is refused by the example whatever it misreads.
    fn listed(&self, first_wrong: impl Fn(&Heap) -> Option<Facet>) -> Expected {
        let wrong: Vec<Option<Facet>> = self.readings().map(first_wrong).collect();
        match wrong.first() {
            Some(Some(facet)) if wrong.iter().all(Option::is_some) => Fail(*facet),
            _ => Pass,
        }
    }

    /// The same, where the mistake turns the facts of the example's own reading into others.
    fn turned<T: PartialEq>(&self, facet: Facet, facts: impl Fn(&Heap) -> T, turn: impl Fn(T) -> T) -> Expected {
        let told = self.readings().next().map(&facts).map(turn);
        self.listed(|heap| (Some(facts(heap)) != told).then_some(facet))
    }
}

/// The reference lists of a heap, those of its classes first.
fn references(heap: &Heap) -> Vec<Vec<Address>> {
    let classes = heap.classes.iter().map(|class| class.references.clone().unwrap_or_default());
    classes.chain(heap.objects.iter().map(|object| object.references().collect())).collect()
}

fn object_arrays(heap: &Heap) -> impl Iterator<Item = &Object> {
    heap.objects.iter().filter(|object| object.kind == ObjectKind::ObjectArray)
}

// Nothing wrong, and what a decoder may do.

#[test]
fn a_decoder_without_mistakes_passes_every_case() {
    expect("", |_| Pass);
}

#[test]
fn allows_declared_omission_of_hashes() {
    expect("declare-omitted-hashes", |_| Pass);
    let words = vec![example(), "--declare-omitted-hashes".to_owned(), "{}".to_owned()];
    assert_eq!(tested(words, "", PATIENT).omitted, [Facet::Hash16, Facet::Hash32]);
}

#[test]
fn no_decoder_may_leave_out_addresses() {
    expect_notice("declare-omitted-addresses", |probe| probe.listed(|_| Some(Facet::Address)));
}

#[test]
fn allows_refusal_of_trailing_bytes_and_reports_it() {
    let report = expect("refuse-trailing-bytes", |_| Pass);
    let case = report.iter().find(|case| case.id == "phd-append-bytes").expect("there is such a case");
    let Outcome::Pass { reading: Some(reading) } = case.outcome() else { panic!("{:?}", case.outcome()) };
    assert!(reading.starts_with("refused"), "{reading}");
}

// Addresses.

/// How a decoder gets from gaps and references to addresses.
#[derive(Clone, Copy)]
struct Sums {
    unit: i128,
    bits: u32,
    signed_gaps: bool,
    classes_count_for_gaps: bool,
    references_from_own: bool,
}

/// Addresses, and references by them, of classes and of objects.
#[derive(Debug, PartialEq)]
struct Places {
    classes: Vec<(u64, Vec<u64>)>,
    objects: Vec<(u64, Vec<u64>)>,
}

impl Sums {
    /// The right ones.
    fn of(probe: &Probe) -> Sums {
        Sums {
            unit: if probe.flags & 4 == 0 && probe.version != 5 { 8 } else { 4 },
            bits: if probe.flags & 1 == 0 { 32 } else { 64 },
            signed_gaps: true,
            classes_count_for_gaps: true,
            references_from_own: true,
        }
    }

    /// Where these sums put the records of a dump. Nothing overflows in 128 bits; wrapping comes last.
    fn places(self, probe: &Probe) -> Places {
        let wrap = |address: i128| address.rem_euclid(1 << self.bits);
        let mut places = Places { classes: Vec::new(), objects: Vec::new() };
        let mut base = 0;
        for record in &probe.records {
            let gap = record.gap();
            let too_low = !self.signed_gaps && gap.units.0 < 0;
            let units = i128::from(gap.units.0) + if too_low { 1 << (8 * gap.width.bytes()) } else { 0 };
            let own = wrap(base + units * self.unit);
            let from = if self.references_from_own { own } else { base };
            let to = |units: i64| wrap(from + i128::from(units) * self.unit) as u64;
            let targets = record.references().map(|all| all.iter().map(|units| to(units.0)).collect());
            let is_class = matches!(record, Record::Class(_));
            let kind = if is_class { &mut places.classes } else { &mut places.objects };
            kind.push((own as u64, targets.unwrap_or_default()));
            if self.classes_count_for_gaps || !is_class {
                base = own;
            }
        }
        places.sorted()
    }

    /// What a decoder with these sums deserves.
    fn expected(self, probe: &Probe) -> Expected {
        let found = self.places(probe);
        let addresses = |places: &Places| {
            let all = places.classes.iter().chain(&places.objects);
            let mut addresses: Vec<u64> = all.map(|(address, _)| *address).collect();
            addresses.sort_unstable();
            addresses
        };
        probe.listed(|heap| {
            let due = Places::of(heap);
            if addresses(&due) != addresses(&found) {
                Some(Facet::Address)
            } else if due.classes != found.classes {
                Some(Facet::ClassReferences)
            } else {
                (due.objects != found.objects).then_some(Facet::References)
            }
        })
    }
}

impl Places {
    fn of(heap: &Heap) -> Places {
        let mut lists = references(heap).into_iter().map(|list| list.iter().map(|to| to.0).collect());
        let classes = heap.classes.iter().map(|class| class.address.0).zip(lists.by_ref()).collect();
        let objects = heap.objects.iter().map(|object| object.address.0).zip(lists).collect();
        Places { classes, objects }.sorted()
    }

    fn sorted(mut self) -> Places {
        self.classes.sort_by_key(|(address, _)| *address);
        self.objects.sort_by_key(|(address, _)| *address);
        self
    }
}

#[test]
fn computes_expected_addresses_from_deltas() {
    for probe in PROBES.iter() {
        assert_eq!(Sums::of(probe).expected(probe), Pass, "{}", probe.case.id);
    }
}

#[test]
fn units_of_4_bytes_in_a_sovereign_dump_are_noticed() {
    // Version 6 without flag 4 may be read in units of 4: its second reading says so.
    expect_notice("units-of-4", |probe| Sums { unit: 4, ..Sums::of(probe) }.expected(probe));
}

#[test]
fn addresses_beyond_4_gib_in_a_32_bit_dump_are_noticed() {
    expect_notice("no-wrap", |probe| Sums { bits: 64, ..Sums::of(probe) }.expected(probe));
}

#[test]
fn gaps_without_a_sign_are_noticed() {
    expect_notice("unsigned-gaps", |probe| Sums { signed_gaps: false, ..Sums::of(probe) }.expected(probe));
}

#[test]
fn gaps_that_leave_out_class_records_are_noticed() {
    expect_notice("gap-from-last-object", |probe| {
        Sums { classes_count_for_gaps: false, ..Sums::of(probe) }.expected(probe)
    });
}

#[test]
fn references_from_the_preceding_address_are_noticed() {
    expect_notice("references-from-previous", |probe| {
        Sums { references_from_own: false, ..Sums::of(probe) }.expected(probe)
    });
}

// The class cache.

/// The classes of the instances of a dump. `write` is told each class that a record offers to the cache, with
/// the kind of the record and all that was written so far, and says whether the class is written too. The
/// slots take turns, so that they always hold the last four.
fn classes_by_turns(probe: &Probe, write: impl Fn(&Record<'_>, u64, &[u64]) -> bool) -> Vec<u64> {
    let mut written = vec![0; 4];
    let mut classes = Vec::new();
    for record in &probe.records {
        let offered = match record {
            Record::Short(r) => {
                let turn = (0..written.len()).rev().find(|turn| turn % 4 == usize::from(r.slot));
                classes.push(written[turn.expect("four were written at the start")]);
                continue;
            }
            Record::Medium(r) => r.class_word,
            Record::Long(r) => r.class_word,
            Record::ObjectArray(r) => r.class_word,
            _ => continue,
        };
        if !matches!(record, Record::ObjectArray(_)) {
            classes.push(offered);
        }
        if write(record, offered, &written) {
            written.push(offered);
        }
    }
    classes
}

/// The classes of the instances of a dump, where a class takes the slot that was used the longest ago.
fn classes_by_use(probe: &Probe) -> Vec<u64> {
    // Slot and class, the one that was used last at the end.
    let mut slots = vec![(0, 0), (1, 0), (2, 0), (3, 0)];
    let mut classes = Vec::new();
    for record in &probe.records {
        let (used, class) = match record {
            Record::Short(r) => (slots.iter().position(|(slot, _)| *slot == r.slot), None),
            Record::Medium(r) => (slots.iter().position(|(_, class)| *class == r.class_word), Some(r.class_word)),
            Record::Long(r) => (slots.iter().position(|(_, class)| *class == r.class_word), Some(r.class_word)),
            _ => continue,
        };
        let (slot, old) = slots.remove(used.unwrap_or(0));
        slots.push((slot, class.unwrap_or(old)));
        classes.push(class.unwrap_or(old));
    }
    classes
}

fn expected_of_classes(probe: &Probe, told: Vec<u64>) -> Expected {
    probe.listed(|heap| {
        let instances = heap.objects.iter().filter(|object| object.kind == ObjectKind::Instance);
        let due: Vec<u64> = instances.filter_map(|object| object.class.map(|class| class.0)).collect();
        (due != told).then_some(Facet::Class)
    })
}

fn is_array(record: &Record<'_>) -> bool {
    matches!(record, Record::ObjectArray(_))
}

#[test]
fn computes_expected_classes_from_cache() {
    for probe in PROBES.iter() {
        let told = classes_by_turns(probe, |record, _, _| !is_array(record));
        assert_eq!(expected_of_classes(probe, told), Pass, "{}", probe.case.id);
    }
}

#[test]
fn a_cache_without_duplicates_is_noticed() {
    expect_notice("unique-cache", |probe| {
        let told = classes_by_turns(probe, |record, class, written| {
            !is_array(record) && !written[written.len() - 4..].contains(&class)
        });
        expected_of_classes(probe, told)
    });
}

#[test]
fn a_cache_that_drops_the_least_recently_used_class_is_noticed() {
    expect_notice("least-recently-used", |probe| expected_of_classes(probe, classes_by_use(probe)));
}

#[test]
fn a_cache_that_object_arrays_write_to_is_noticed() {
    expect_notice("array-fills-cache", |probe| expected_of_classes(probe, classes_by_turns(probe, |_, _, _| true)));
}

// Arrays.

#[test]
fn lengths_with_a_sign_are_noticed() {
    expect_notice("signed-lengths", |probe| {
        let lengths: Vec<(u64, usize)> = probe
            .records
            .iter()
            .filter_map(|record| match record {
                Record::PrimitiveArray(r) => Some((r.length, r.gap.width.bytes())),
                Record::LongPrimitiveArray(r) => Some((r.length, r.gap.width.bytes())),
                _ => None,
            })
            .collect();
        // A gap and its length have one width; a set top bit is a sign to one who looks for it.
        let negative = lengths.iter().any(|&(length, width)| width <= 2 && length >> (8 * width - 1) == 1);
        probe.listed(|_| negative.then_some(Facet::ArrayLength))
    });
}

#[test]
fn a_length_that_is_the_number_of_references_is_noticed() {
    expect_notice("length-from-references", |probe| {
        // Where a dump tells no length (tag 5), nothing can be wrong about it.
        let nulls = |array: &Object| array.length.is_some_and(|length| length != array.references().count() as u64);
        probe.listed(|heap| object_arrays(heap).any(nulls).then_some(Facet::ArrayLength))
    });
}

#[test]
fn accepts_instance_size_before_length_as_reading() {
    expect("size-first", |_| Pass);
}

#[test]
fn sizes_in_words_are_noticed() {
    expect_notice("size-in-words", |probe| {
        let sizes = |heap: &Heap| heap.objects.iter().filter_map(|o| o.size).map(|size| size.0).collect();
        probe.turned(Facet::ObjectSize, sizes, |sizes: Vec<u64>| sizes.iter().map(|size| size / 4).collect())
    });
}

// Layouts that the header does not ask for.

#[test]
fn instance_sizes_that_are_not_read_in_version_6_are_noticed() {
    expect_notice("version-5-layout", |probe| {
        let mut sizes = probe.records.iter().filter_map(|record| match record {
            Record::PrimitiveArray(r) => r.size_words,
            Record::LongPrimitiveArray(r) => r.size_words,
            Record::ObjectArray(r) => r.size_words,
            _ => None,
        });
        match sizes.next() {
            // Its first byte stands where the next record's tag is looked for: 0 is no tag, and the others begin a record that the
            // dump ends in.
            Some(size) if matches!(size >> 24, 0 | 0x7f | 0xfe | 0xff) => probe.refused(),
            Some(size) => panic!("{}: {size:#x} may be a record", probe.case.id),
            // Nothing to misread, or nothing that can be read.
            None => probe.listed(|_| None),
        }
    });
}

#[test]
fn accepts_16_bit_hash_for_flag_2_alone_as_reading() {
    expect("hash-by-flag-2", |_| Pass);
}

// The header.

#[test]
fn notices_use_of_first_of_repeated_header_records() {
    expect_notice("first-header-record-wins", |probe| {
        let text = probe.header.iter().find_map(|record| match record {
            HeaderRecord::FullVersion(text) => Some(text.as_slice()),
            _ => None,
        });
        let totals: Option<HeaderTotals> = probe.header.iter().find_map(|record| match record {
            HeaderRecord::Totals(totals) => Some(*totals),
            _ => None,
        });
        let randoms = probe.header.iter().find_map(|record| match record {
            HeaderRecord::HashcodeRandoms(first, second) => Some((*first, *second)),
            _ => None,
        });
        probe.listed(|heap| {
            let due = &heap.facts;
            if due.version_text.as_ref().map(Name::as_bytes) != text {
                Some(Facet::VersionText)
            } else if due.totals != totals {
                Some(Facet::HeaderTotals)
            } else {
                (due.hash_randoms != randoms).then_some(Facet::HashRandoms)
            }
        })
    });
}

#[test]
fn a_compressed_dump_that_is_not_recognised_is_noticed() {
    expect_notice(
        "ignore-gzip",
        |probe| if probe.case.bytes.starts_with(b"\x1f\x8b") { probe.refused() } else { Pass },
    );
}

// References, names and hashes.

/// Erratum E11 and null references: the cases that hold such references allow for either answer, and
/// no other case has one by accident that allows for one answer alone.
#[test]
fn passes_decoder_that_omits_optional_references() {
    for mistake in ["drop-first-reference-if-class", "drop-nulls"] {
        let report = expect(mistake, |_| Pass);
        let readings: Vec<_> = report.iter().map(CaseResult::outcome).collect();
        let dropped = |outcome: &&&Outcome| matches!(outcome, Outcome::Pass { reading: Some(r) } if r.contains("dropped") || r.contains("left-out"));
        assert!(readings.iter().any(|outcome| dropped(&outcome)), "{mistake} is met by no case");
    }
}

#[test]
fn reversed_references_are_noticed() {
    expect_notice("reverse-references", |probe| {
        // In arrays alone it is a reading.
        let others = |heap: &Heap| {
            let lists = heap.objects.iter().filter(|object| object.kind == ObjectKind::Instance);
            let lists = lists.map(|object| object.references().collect::<Vec<_>>());
            lists
                .chain(heap.classes.iter().map(|class| class.references.clone().unwrap_or_default()))
                .collect::<Vec<_>>()
        };
        let is_turned = |heap: &Heap| others(heap).iter().any(|list| !list.iter().eq(list.iter().rev()));
        if probe.listed(|heap| is_turned(heap).then_some(Facet::ReferenceOrder)) == Pass {
            return Pass;
        }
        probe.turned(Facet::ReferenceOrder, references, |mut lists| {
            lists.iter_mut().for_each(|list| list.reverse());
            lists
        })
    });
}

#[test]
fn names_read_as_plain_utf_8_are_noticed() {
    /// Whether plain and modified UTF-8 read the same in these bytes.
    fn is_common(name: &Name) -> bool {
        std::str::from_utf8(name.as_bytes()).is_ok_and(|text| text.chars().all(|c| c != '\0' && c <= '\u{ffff}'))
    }
    // Bytes that are not valid text may be replaced.
    let is_common = |name: &Name| is_common(name) || name.to_text().is_none();
    expect_notice("plain-utf8-names", |probe| {
        probe.listed(|heap| {
            if !heap.facts.version_text.iter().all(is_common) {
                return Some(Facet::VersionText);
            }
            (!heap.classes.iter().all(|class| is_common(&class.name))).then_some(Facet::ClassName)
        })
    });
}

/// The hashes of a heap, those of its classes first.
fn hashes(heap: &Heap) -> Vec<Option<IdentityHash>> {
    heap.classes.iter().map(|class| class.hash).chain(heap.objects.iter().map(|object| object.hash)).collect()
}

/// The facet of a heap's hashes.
fn hash_facet(heap: &Heap) -> Facet {
    match heap.facts.hash_regime {
        Some(HashRegime::Every16) => Facet::Hash16,
        _ => Facet::Hash32,
    }
}

#[test]
fn notices_undeclared_omission_of_hashes() {
    expect_notice("ignore-hashes", |probe| {
        probe.listed(|heap| hashes(heap).iter().any(Option::is_some).then_some(hash_facet(heap)))
    });
}

#[test]
fn notices_synthesised_hashes() {
    let made_up = |hash: Option<IdentityHash>| hash.or(Some(IdentityHash::Bits32(0)));
    expect_notice("zero-hashes", |probe| {
        probe.turned(Facet::Hash32, hashes, |hashes| hashes.into_iter().map(made_up).collect())
    });
}

// Verdicts.

#[test]
fn a_truncated_dump_that_is_read_is_noticed() {
    expect_notice("accept-truncated", |probe| {
        // It reads headers as they have to be read.
        if probe.has_header && probe.is_invalid_by(rules::FILE_TRUNCATED) { WrongVerdict } else { Pass }
    });
}

#[test]
fn impossible_lengths_that_are_read_are_noticed() {
    expect_notice("unchecked-lengths", |probe| {
        let unchecked = [rules::ARRAY_LENGTH, rules::OBJECT_ARRAY_LENGTH];
        if unchecked.into_iter().any(|rule| probe.is_invalid_by(rule)) { WrongVerdict } else { Pass }
    });
}

#[test]
fn a_decoder_that_refuses_everything_is_noticed() {
    expect_notice("refuse-everything", Probe::refused);
}

// Programs that are no decoders.

#[test]
fn a_program_that_prints_nothing_fails_everywhere() {
    expect_notice("silent", |_| NoListing);
}

#[test]
fn text_that_is_no_listing_fails_everywhere() {
    expect_notice("garbage", |_| NoListing);
}

#[test]
fn an_exit_code_other_than_0_and_1_is_a_crash() {
    expect_notice("exit-3", |_| Crash);
}

#[test]
fn reports_death_by_signal_as_crash() {
    // Two cases: the system may take a while over each crash.
    expect_in_two_cases("crash", PATIENT, Crash);
}

#[test]
fn stops_program_that_hangs() {
    expect_in_two_cases("hang", Duration::from_secs(1), Hang);
}

#[test]
fn a_program_that_prints_without_end_is_stopped() {
    expect_in_two_cases("endless", Duration::from_millis(250), Hang);
}

fn expect_in_two_cases(mistake: &str, limit: Duration, expected: Expected) {
    let report = run(mistake, "phd6-openj9-heap-", limit);
    let outcomes: Vec<Expected> = report.iter().map(|case| Expected::of(case.outcome())).collect();
    assert_eq!(outcomes, [expected; 2]);
}

#[cfg(target_os = "linux")]
#[test]
fn the_children_of_a_program_that_hangs_are_stopped_with_it() {
    // On a busy machine it may be stopped before it has started its child: then it gets more time.
    let found = [2, 8, 32, 128]
        .into_iter()
        .any(|limit| expect_no_child("hang-with-children", Duration::from_secs(limit), Hang));
    assert!(found, "the example starts no child within 128 s");
}

#[cfg(target_os = "linux")]
#[test]
fn a_child_that_outlives_its_program_is_stopped() {
    assert!(expect_no_child("leave-a-child", PATIENT, Pass), "the example starts no child");
}

/// Runs the example over one case and looks for the child whose process id it writes down. Whether it came to do so.
#[cfg(target_os = "linux")]
fn expect_no_child(mistake: &str, limit: Duration, expected: Expected) -> bool {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let note = folder.path().join("child");
    let note = note.to_str().expect("temporary folders are Unicode");
    let command = vec![example(), format!("--{mistake}"), "{}".to_owned(), note.to_owned()];
    let report = run_command(command, "phd6-openj9-64", limit);
    assert!(!report.is_empty());
    assert_eq!(Expected::of(report[0].outcome()), expected);
    let child = std::fs::read_to_string(note).unwrap_or_default();
    if child.is_empty() {
        return false;
    }
    // A signal takes a moment, and a process that is not waited for stays as a zombie.
    let runs = || {
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        stat.contains("(sleep)") && !stat.contains("(sleep) Z")
    };
    let asked = std::time::Instant::now();
    while runs() && asked.elapsed() < PATIENT {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!runs(), "{mistake}: process {child} is still there after {} s", PATIENT.as_secs());
    true
}

// The report.

#[test]
fn two_runs_give_the_same_report() {
    for mistake in ["", "no-wrap", "refuse-everything", "exit-3"] {
        let [first, second] = [(); 2].map(|()| {
            let report = run(mistake, "", PATIENT);
            serde_json::to_string_pretty(&report).expect("a report is JSON")
        });
        pretty_assertions::assert_eq!(first, second);
    }
}

//! Golden classic texts: a specimen in every profile, word size and encoding.

use crate::bytes::ebcdic::CodePage;
use crate::classic::open::FORMAT;
use crate::classic::{Charset, Decoder, Encoding, LowerOptions, Newline, PROFILES, Profile, book, lower};
use crate::error::Error;
use crate::family::Lowering;
use crate::family::case::gzip::{chain, member};
use crate::family::case::{Case, CaseOrigin};
use crate::findings::RuleKind;
use crate::generate::{VERSION, from_seed};
use crate::model::{Heap, WordSize};

use super::specimen::{Letters, specimen};

const WORDS: [WordSize; 2] = [WordSize::Bits32, WordSize::Bits64];

pub(super) fn cases() -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for profile in PROFILES {
        for word in WORDS {
            for seed in if profile.is_seeded() { 1..=4 } else { 0..=0 } {
                cases.push(golden(&options(profile, word, Encoding::default(), seed))?);
            }
        }
    }
    cases.extend(encoded_cases()?);
    cases.extend(cases_without_version()?);
    cases.extend(empty()?);
    cases.extend(random()?.into_iter().map(|case| Case { kind: CaseOrigin::Random, ..case }));
    cases.extend(two_heaps()?);
    cases.extend(compressed()?);
    cases.extend(odd_names()?);
    Ok(cases)
}

fn options(profile: &'static Profile, word: WordSize, encoding: Encoding, seed: u64) -> LowerOptions {
    LowerOptions { profile, word: Some(word), encoding, seed, ..LowerOptions::default() }
}

fn write_and_carry(heap: &Heap, options: &LowerOptions) -> Result<(Vec<u8>, Heap), Error> {
    Ok((lower::to_bytes(heap, options)?, lower::carry(&mut heap.clone(), options)?))
}

/// The number of records of a dump, as the decoder counts them; texts spelled by hand hold the decoder to it.
fn count_records(bytes: &[u8]) -> Result<u64, Error> {
    let mut decoder = Decoder::new(bytes)?;
    decoder.visit::<Error, _>(|_| Ok(()))?;
    Ok(decoder.index())
}

fn case(id: String, summary: String, recipe: String, (bytes, heap): (Vec<u8>, Heap)) -> Result<Case, Error> {
    let records_due = count_records(&bytes)?;
    Ok(Case { records_due, ..Case::valid(id, FORMAT, summary, recipe, bytes, heap) })
}

fn golden(options: &LowerOptions) -> Result<Case, Error> {
    let LowerOptions { profile, seed, encoding, .. } = *options;
    let word = options.word.unwrap_or(WordSize::Bits64);
    let mut id = format!("classic-{}-{}{}", profile.name, word.bits(), encoding_suffix(encoding));
    if profile.is_seeded() {
        id += &format!("-seed{seed}");
    }
    let letters = if encoding.charset == Charset::Utf8 { Letters::Plain } else { Letters::Latin1 };
    let (charset, newline) = (encoding.charset.name(), encoding.newline.name());
    let summary = format!("specimen, {} bits, as {} writes it, in {charset} with {newline}", word.bits(), profile.name);
    let recipe = format!(
        "specimen({}, {letters:?}) lowered with profile {}, {charset}, {newline}, seed {seed}",
        word.bits(),
        profile.name
    );
    let made = case(id, summary, recipe, write_and_carry(&specimen(word, letters), options)?)?;
    let keeps = if made.id == KEEPS_ALL { book::ALL.iter().map(|rule| rule.0).collect() } else { Vec::new() };
    let readers = SHOWN_BY_THE_SPECIMEN.into_iter().filter(|_| made.id == KEEPS_ALL);
    Ok(Case { keeps, shows: shown_rules(profile).into_iter().chain(readers).collect(), ..made })
}

/// The dump that keeps every rule of the bytes where it could break it.
const KEEPS_ALL: &str = "classic-openj9-32";

/// Rules of readers that it shows.
const SHOWN_BY_THE_SPECIMEN: [&str; 12] = [
    "classic.file.encoding",
    "classic.header.layout",
    "classic.number.word-size",
    "classic.number.size-meaning",
    "classic.record.layout",
    "classic.name.types",
    "classic.reference.class-meaning",
    "classic.reference.class-by-name",
    "classic.reference.array-order",
    "classic.trailer.layout",
    "classic.trailer.dialect",
    "classic.trailer.unlisted-nulls",
];

/// The rules of a profile's writer, each of which its dump of the specimen shows.
fn shown_rules(profile: &Profile) -> Vec<&'static str> {
    let rules = book::BOOK.rule.iter().filter(|rule| rule.kind == RuleKind::Writer);
    let all = rules.filter(|rule| rule.profiles.contains(&profile.name)).map(|rule| rule.id);
    all.filter(|id| !OF_NAMES.contains(id)).collect()
}

/// Rules of writers that only odd names show.
const OF_NAMES: [&str; 2] = ["classic.name.native", "classic.name.jdmpview"];

/// Names that are not ASCII, as each writer spells them.
fn odd_names() -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for (name, rule) in [("openj9", OF_NAMES[0]), ("ibm-j9", OF_NAMES[0]), ("jdmpview", OF_NAMES[1])] {
        let profile = LowerOptions::default().with_profile(name)?.profile;
        let options = options(profile, WordSize::Bits64, Encoding::default(), 0);
        let made = case(
            format!("classic-{name}-64-odd-names"),
            format!("a name with U+0000 and characters beyond ASCII, as {name} writes it"),
            format!("specimen(64, All) lowered with {name}"),
            write_and_carry(&specimen(WordSize::Bits64, Letters::All), &options)?,
        )?;
        cases.push(Case { shows: vec![rule, "classic.name.characters"], ..made });
    }
    Ok(cases)
}

/// The suffix of a case's name that tells its encoding from the usual one.
fn encoding_suffix(encoding: Encoding) -> String {
    let usual = encoding.charset.newline() == encoding.newline;
    let charset = if encoding.charset == Charset::Utf8 { "" } else { encoding.charset.name() };
    let newline = if usual { "" } else { encoding.newline.name() };
    [charset, newline].into_iter().filter(|part| !part.is_empty()).map(|part| format!("-{part}")).collect()
}

/// EBCDIC of J9's own writers, whose pages and line ends differ, and lines as jdmpview ends them on Windows.
fn encoded_cases() -> Result<Vec<Case>, Error> {
    let ebcdic = |page, newline| Encoding { charset: Charset::Ebcdic(page), newline };
    let wanted = [
        ("openj9", WordSize::Bits64, ebcdic(CodePage::Ibm1047, Newline::Nel)),
        ("openj9", WordSize::Bits32, ebcdic(CodePage::Ibm1047, Newline::Lf)),
        ("openj9", WordSize::Bits64, ebcdic(CodePage::Ibm037, Newline::Nel)),
        ("ibm-j9", WordSize::Bits32, ebcdic(CodePage::Ibm1047, Newline::Nel)),
        ("ibm-j9", WordSize::Bits32, ebcdic(CodePage::Ibm037, Newline::CrLf)),
        ("any", WordSize::Bits64, ebcdic(CodePage::Ibm1047, Newline::Nel)),
        ("jdmpview", WordSize::Bits64, Encoding { charset: Charset::Utf8, newline: Newline::CrLf }),
    ];
    let mut cases = Vec::new();
    for (name, word, encoding) in wanted {
        let mut made = golden(&options(LowerOptions::default().with_profile(name)?.profile, word, encoding, 5))?;
        if encoding.charset != Charset::Utf8 {
            made.shows.extend([
                "classic.file.encoding",
                "classic.file.ebcdic-page",
                "classic.file.ebcdic-line-end",
                "classic.name.characters",
            ]);
        } else {
            // Its line ends are those of the platform; the rule is about those that all the profiles write.
            made.shows.retain(|rule| *rule != "classic.file.native-line-end");
        }
        cases.push(made);
    }
    Ok(cases)
}

/// Dumps without a version text, with the line that each writer has in the place of the version line.
fn cases_without_version() -> Result<Vec<Case>, Error> {
    let ebcdic = Encoding { charset: Charset::Ebcdic(CodePage::Ibm1047), newline: Newline::Nel };
    let utf8 = Encoding::default();
    let wanted =
        [("openj9", utf8), ("ibm-j9", utf8), ("jdmpview", utf8), ("any", utf8), ("openj9", ebcdic), ("ibm-j9", ebcdic)];
    let mut cases = Vec::new();
    for (name, encoding) in wanted {
        let options = options(LowerOptions::default().with_profile(name)?.profile, WordSize::Bits32, encoding, 7);
        let mut heap = specimen(WordSize::Bits32, Letters::Latin1);
        heap.facts.version_text = None;
        let made = case(
            format!("classic-{name}-32{}-without-version", encoding_suffix(encoding)),
            format!("no version text, as {name} writes it, in {}", encoding.charset.name()),
            format!("specimen(32, Latin1) without its version text, lowered with {name}, seed 7"),
            write_and_carry(&heap, &options)?,
        )?;
        let first = |byte: u8| byte == b'/' || byte == 0x61;
        let offset = made.bytes.iter().position(|byte| matches!(byte, b'0' | 0xf0)).unwrap_or_default();
        // A comment may stand before the first object, whose place is then not told so easily.
        let noted =
            (!made.bytes.first().copied().is_some_and(first)).then_some((book::HEADER_MISSING.0, offset as u64));
        let shows = if name == "openj9" { "classic.header.native" } else { "classic.header.line" };
        let shows = if name == "any" { Vec::new() } else { vec![shows] };
        cases.push(Case { breaks: noted, shows, ..made });
    }
    Ok(cases)
}

/// A heap of nothing.
fn empty() -> Result<Vec<Case>, Error> {
    let make = |profile: &'static Profile| {
        let mut heap = specimen(WordSize::Bits64, Letters::Latin1);
        (heap.classes, heap.objects) = (Vec::new(), Vec::new());
        case(
            format!("classic-{}-empty", profile.name),
            format!("no object and no class, as {} writes it", profile.name),
            format!("specimen(64, Latin1) without classes and objects, lowered with {}", profile.name),
            write_and_carry(&heap, &options(profile, WordSize::Bits64, Encoding::default(), 0))?,
        )
    };
    PROFILES.iter().filter(|profile| !profile.is_seeded()).map(make).collect()
}

fn random() -> Result<Vec<Case>, Error> {
    let utf8 = Encoding::default();
    let ebcdic = Encoding { charset: Charset::Ebcdic(CodePage::Ibm037), newline: Newline::Nel };
    let wanted = [
        ("openj9", WordSize::Bits64, utf8, 40, 1),
        ("ibm-j9", WordSize::Bits32, ebcdic, 30, 2),
        ("jdmpview", WordSize::Bits64, utf8, 30, 3),
        ("any", WordSize::Bits32, utf8, 40, 5),
        ("any", WordSize::Bits64, utf8, 40, 6),
    ];
    let mut cases = Vec::new();
    for (name, word, encoding, objects, seed) in wanted {
        let options = options(LowerOptions::default().with_profile(name)?.profile, word, encoding, seed);
        let heap = from_seed(&Lowering::from(options).generate_options(objects, None), seed);
        let made = case(
            format!("classic-{name}-{}{}-random", word.bits(), encoding_suffix(encoding)),
            format!("a random heap, {} bits, in {}", word.bits(), encoding.charset.name()),
            format!("generate {objects} objects from seed {seed} of generator {VERSION}, lower with {name}"),
            write_and_carry(&heap, &options)?,
        )?;
        let shows = if name == "any" { vec!["classic.file.order", "classic.record.white-space"] } else { Vec::new() };
        cases.push(Case { shows, ..made });
    }
    Ok(cases)
}

/// The two heaps of one VM, a text for each.
fn two_heaps() -> Result<Vec<Case>, Error> {
    let whole = specimen(WordSize::Bits64, Letters::Plain);
    let make = |part: usize| {
        let objects = whole.objects.iter().enumerate().filter(|(n, _)| n % 2 == part).map(|(_, o)| o.clone());
        let heap = Heap { objects: objects.collect(), ..whole.clone() };
        let made = case(
            format!("classic-openj9-64-heap-{}-of-2", part + 1),
            "one of two heaps of a VM: every class, half of the objects, references across".to_owned(),
            format!("every second object of the specimen from number {part}, lowered with openj9"),
            write_and_carry(&heap, &options(Profile::DEFAULT, WordSize::Bits64, Encoding::default(), 0))?,
        )?;
        Ok(Case { shows: vec!["classic.file.name"], ..made })
    };
    (0..2).map(make).collect()
}

/// Texts inside gzip, stored and not deflated, so that the bytes do not depend on a compressor.
fn compressed() -> Result<Vec<Case>, Error> {
    let make = |name: &str, encoding: Encoding, summary: &str, pack: &dyn Fn(&[u8]) -> Vec<u8>| {
        let heap = specimen(WordSize::Bits64, Letters::Latin1);
        let (plain, heap) = write_and_carry(&heap, &options(Profile::DEFAULT, WordSize::Bits64, encoding, 0))?;
        let recipe = format!("specimen(64, Latin1) lowered with openj9, stored in gzip: {summary}");
        let made = case(format!("classic-{name}"), summary.to_owned(), recipe, (plain, heap))?;
        Ok::<Case, Error>(Case { bytes: pack(&made.bytes), shows: vec!["classic.file.compressed"], ..made })
    };
    let ebcdic = Encoding { charset: Charset::Ebcdic(CodePage::Ibm1047), newline: Newline::Nel };
    Ok(vec![
        make("compressed", Encoding::default(), "one gzip member", &|plain| member(plain, None))?,
        make("compressed-ibm-1047", ebcdic, "EBCDIC in one gzip member", &|plain| member(plain, None))?,
        make("compressed-members", Encoding::default(), "members of 777 bytes, one of them empty", &|plain| {
            [chain(&plain[..777], 777, None), member(&[], None), chain(&plain[777..], 777, None)].concat()
        })?,
    ])
}

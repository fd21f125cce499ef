//! Code, rule book and corpus name the same rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use heapsmith::corpus::Manifest;
use heapsmith::corrupt::EditMap;
use heapsmith::error::RuleId;
use heapsmith::format::Family;
use heapsmith::phd::Version;
use heapsmith::phd::lower::{PROFILES, Profile};
use heapsmith::validate::{RuleKind, RuleScope, Severity, rule, rulebook};
use heapsmith::{classic, hprof, phd};
use pretty_assertions::assert_eq;

/// A rule book, and what the code has to say about its format.
struct Book {
    format: Family,
    file: &'static str,
    named: &'static [RuleId],
    /// Numbers of the format's versions.
    versions: Vec<u32>,
    /// Names of the profiles with the numbers of the versions that they write.
    profiles: Vec<(&'static str, Vec<u32>)>,
    /// At least this many errata, and sections of documents.
    at_least: (usize, usize),
}

fn books() -> [Book; 3] {
    let phd = Book {
        format: Family::PHD,
        file: "specs/phd.toml",
        named: phd::rules::ALL,
        versions: Version::ALL.iter().map(|v| v.number()).collect(),
        profiles: PROFILES.iter().map(|p| (p.name, p.versions.iter().map(|v| v.number()).collect())).collect(),
        at_least: (23, 20),
    };
    let framed = |p: &hprof::lower::Profile| p.framings.iter().map(|framing| framing.version.number()).collect();
    let hprof = Book {
        format: Family::HPROF,
        file: "specs/hprof.toml",
        named: hprof::rules::ALL,
        versions: hprof::Version::ALL.iter().map(|v| v.number()).collect(),
        profiles: hprof::lower::PROFILES.iter().map(|p| (p.name, framed(p))).collect(),
        at_least: (26, 30),
    };
    let classic = Book {
        format: Family::CLASSIC,
        file: "specs/classic.toml",
        named: classic::rules::ALL,
        versions: vec![1],
        profiles: classic::PROFILES.iter().map(|p| (p.name, vec![1])).collect(),
        at_least: (17, 18),
    };
    [phd, hprof, classic]
}

fn manifest() -> Manifest {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/manifest.json");
    serde_json::from_str(&fs::read_to_string(path).expect("the manifest")).expect("a manifest")
}

fn spec(book: &Book) -> toml::Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(book.file);
    fs::read_to_string(path).expect("the rule book").parse().expect("TOML")
}

fn ids(format: Family, kind: RuleKind) -> BTreeSet<&'static str> {
    rulebook(format).rule.iter().filter(|r| r.kind == kind).map(|r| r.id).collect()
}

/// Folders of a format whose code names rules and judges none: cases about a rule, edits that break it, and the bytes that
/// rely on it.
const NOT_JUDGING: [&str; 3] = ["cases", "corrupt", "rule_dependencies"];

/// The text of every file of a folder, but for those of [`NOT_JUDGING`], whose names are collected.
fn code(folder: &Path, text: &mut String, passed_over: &mut BTreeSet<&'static str>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            match NOT_JUDGING.into_iter().find(|name| path.ends_with(name)) {
                Some(name) => _ = passed_over.insert(name),
                None => code(&path, text, passed_over),
            }
        } else if !path.ends_with("tests.rs") {
            *text += &fs::read_to_string(&path).expect("a text");
        }
    }
}

/// A rule of the bytes has a constant, which is made from `specs/`; one that no code judges or stops at is not checked.
#[test]
fn the_code_judges_every_rule_of_the_bytes() {
    for book in books() {
        let (mut text, mut passed_over) = (String::new(), BTreeSet::new());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/core/src").join(book.format.name());
        code(&folder, &mut text, &mut passed_over);
        assert_eq!(passed_over, BTreeSet::from(NOT_JUDGING), "{}: a folder has another name now", folder.display());
        let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        assert_eq!(book.named.iter().map(|rule| rule.0).collect::<BTreeSet<_>>(), ids(book.format, RuleKind::Bytes));
        for rule in book.named {
            let (_, name) = rule.0.split_once('.').expect("a family and a name");
            let constant = name.replace(['.', '-'], "_").to_uppercase();
            assert!(words.contains(constant.as_str()), "{} is judged nowhere", rule.0);
        }
    }
}

/// Reports and lists of expected failures name rules by their ids.
#[test]
fn no_id_of_a_rule_disappears() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/rules.txt");
    let text = fs::read_to_string(path).expect("the list of ids");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let (renamed, known): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.contains(' '));
    let rules = Family::ALL.into_iter().flat_map(|format| rulebook(format).rule.iter().map(|rule| rule.id));
    let rules: BTreeSet<&str> = rules.collect();
    let known: BTreeSet<&str> = known.into_iter().collect();
    assert_eq!(known.difference(&rules).collect::<Vec<_>>(), Vec::<&&str>::new(), "gone: specs/rules.txt has them");
    assert_eq!(rules.difference(&known).collect::<Vec<_>>(), Vec::<&&str>::new(), "new: add them to specs/rules.txt");
    for (old, now) in renamed.into_iter().filter_map(|line| line.split_once(' ')) {
        assert!(rules.contains(now) && !rules.contains(old), "{old} {now}");
    }
}

#[test]
fn every_rule_is_complete() {
    for book in books() {
        let rules = rulebook(book.format);
        let sources: BTreeSet<&str> = rules.source.iter().map(|s| s.key).collect();
        let mut seen = BTreeSet::new();
        for rule in rules.rule {
            assert!(seen.insert(&rule.id), "{} stands twice", rule.id);
            let parts: Vec<&str> = rule.id.split('.').collect();
            assert!(parts.len() == 3 && parts[0] == rules.format, "{}", rule.id);
            assert_eq!(heapsmith::validate::rule(rule.id), Some(rule), "{}", rule.id);
            assert!(rule.statement.trim().ends_with(['.', ')']), "{}: a statement is a sentence", rule.id);
            assert!(!rule.source.is_empty(), "{}: no source", rule.id);
            for source in rule.source {
                let key = source.split(',').next().unwrap_or_default();
                assert!(sources.contains(key), "{}: no source {key:?}", rule.id);
            }
            assert!(!rule.stops || rule.severity == Some(Severity::Error), "{}: stops, and is no error", rule.id);
            assert!(!rule.since.is_empty(), "{}: since when", rule.id);
            assert_eq!(rule.severity.is_some(), rule.kind == RuleKind::Bytes, "{}", rule.id);
            let judged = matches!(rule.scope, RuleScope::Pass | RuleScope::Graph);
            assert_eq!(judged, rule.kind == RuleKind::Bytes, "{}: what it takes to judge it", rule.id);
            assert!(rule.versions.iter().all(|v| book.versions.contains(v)), "{}", rule.id);
            assert!(!rule.versions.is_empty(), "{}", rule.id);
            if let Some(same) = rule.same_test.map(|id| rules.rule(id).unwrap_or_else(|| panic!("no rule {id}"))) {
                assert!([rule, same].iter().all(|one| one.kind == RuleKind::Bytes && one.stops), "{}", rule.id);
                assert_eq!(same.same_test, None, "{}: one rule has the name of the test", rule.id);
            }
            for name in rule.profiles {
                let profile = book.profiles.iter().find(|(profile, _)| profile == name);
                let (_, versions) = profile.unwrap_or_else(|| panic!("{}: no profile {name:?}", rule.id));
                assert!(versions.iter().any(|v| rule.versions.contains(v)), "{}: {name}", rule.id);
            }
        }
    }
}

#[test]
fn case_that_breaks_rule_states_offset_and_severity() {
    for case in manifest().cases {
        assert_eq!(case.rules.breaks.is_empty(), case.finding.is_none(), "{}", case.id);
        let Some(finding) = case.finding else { continue };
        let rule = rule(&finding.rule).unwrap_or_else(|| panic!("{}: no rule {}", case.id, finding.rule));
        assert_eq!(Some(finding.severity), rule.severity, "{}", case.id);
        if finding.severity == Severity::Error {
            assert_ne!(case.verdict, "valid", "{}", case.id);
        }
        if case.verdict == "invalid" {
            assert!(case.answers.iter().all(|a| a.listing.is_none()), "{}", case.id);
        }
    }
}

#[test]
fn ambiguous_case_names_reading_of_each_right_answer() {
    for case in manifest().cases {
        let readings: BTreeSet<&str> = case.answers.iter().map(|a| a.reading.as_str()).collect();
        assert_eq!(readings.len(), case.answers.len(), "{}", case.id);
        assert_eq!(case.answers.len() > 1, case.verdict == "ambiguous", "{}", case.id);
    }
}

#[test]
fn every_erratum_is_settled_by_a_rule_and_met_by_a_case() {
    let manifest = manifest();
    let met: BTreeSet<&str> = manifest
        .cases
        .iter()
        .flat_map(|c| c.rules.keeps.iter().chain(&c.rules.breaks).chain(&c.rules.shows))
        .map(String::as_str)
        .collect();
    for book in books() {
        let mut settled: BTreeMap<String, bool> = BTreeMap::new();
        for rule in rulebook(book.format).rule {
            for erratum in rule.errata {
                *settled.entry((*erratum).to_owned()).or_default() |= met.contains(rule.id);
            }
        }
        let spec = spec(&book);
        let errata = spec["erratum"].as_array().expect("a list of errata");
        let listed: BTreeSet<String> = errata.iter().filter_map(|e| e["id"].as_str()).map(str::to_owned).collect();
        assert_eq!(listed.len(), errata.len(), "each once");
        assert!(listed.len() >= book.at_least.0, "{listed:?}");
        assert_eq!(listed, settled.keys().cloned().collect());
        // What is above 4 GiB is not stored.
        settled.retain(|erratum, _| (book.format, erratum.as_str()) != (Family::HPROF, "E18"));
        assert!(settled.values().all(|&met| met), "{settled:?}");
    }
}

#[test]
fn every_book_has_its_errata_and_the_sections_of_its_documents() {
    for book in books() {
        let rules = rulebook(book.format);
        assert!((rules.erratum.len(), rules.section.len()) >= book.at_least, "{}", book.file);
        let statements: usize = rules.section.iter().map(|section| section.statements.len()).sum();
        assert!(statements >= 4 * book.at_least.1, "{}: {statements} statements", book.file);
    }
}

#[test]
fn every_edit_breaks_a_rule_of_the_bytes_under_a_name_of_its_own() {
    name_their_rules::<heapsmith::phd::corrupt::MappedDump>();
    name_their_rules::<heapsmith::hprof::corrupt::MappedDump>();
    name_their_rules::<heapsmith::classic::corrupt::MappedDump>();
}

fn name_their_rules<M: EditMap>() {
    let names: BTreeSet<&str> = M::EDITS.iter().map(|edit| edit.name).collect();
    assert_eq!(names.len(), M::EDITS.len());
    for edit in M::EDITS {
        let rule =
            rule(edit.rule.0).filter(|rule| rule.kind == RuleKind::Bytes && edit.rule.0.starts_with(M::FAMILY.name()));
        let rule = rule.unwrap_or_else(|| panic!("{}: no rule {}", edit.name, edit.rule));
        let is_done = rule.stops && !rule.is_project_choice();
        assert!(!is_done || edit.is_refused(), "{}: nothing can be read after it", edit.name);
    }
}

#[test]
fn every_version_has_one_default_profile_and_profiles_have_names_of_their_own() {
    for version in Version::ALL {
        assert_eq!(PROFILES.iter().filter(|p| p.default_of.contains(&version)).count(), 1, "{version:?}");
        assert!(Profile::default_of(version).versions.contains(&version));
    }
    let names: BTreeSet<&str> = PROFILES.iter().map(|p| p.name).collect();
    assert_eq!(names.len(), PROFILES.len());
}

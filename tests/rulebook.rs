//! Code, rule book and corpus name the same rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use heapsmith::corpus::Manifest;
use heapsmith::corrupt::EDITS;
use heapsmith::phd::lower::{PROFILES, Profile};
use heapsmith::phd::{Version, rules};
use heapsmith::validate::{RuleKind, Scope, Severity, rulebook};
use pretty_assertions::assert_eq;

fn manifest() -> Manifest {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/manifest.json");
    serde_json::from_str(&fs::read_to_string(path).expect("the manifest")).expect("a manifest")
}

fn spec() -> toml::Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/phd.toml");
    fs::read_to_string(path).expect("the rule book").parse().expect("TOML")
}

fn ids(kind: RuleKind) -> BTreeSet<&'static str> {
    rulebook().rule.iter().filter(|r| r.kind == kind).map(|r| r.id.as_str()).collect()
}

#[test]
fn the_code_names_exactly_the_rules_of_the_bytes() {
    let named: BTreeSet<&str> = rules::ALL.iter().map(|rule| rule.0).collect();
    assert_eq!(named.len(), rules::ALL.len(), "each once");
    assert_eq!(named, ids(RuleKind::Bytes));
}

#[test]
fn every_rule_is_complete() {
    let sources: BTreeSet<&str> = rulebook().source.iter().map(|s| s.key.as_str()).collect();
    let mut seen = BTreeSet::new();
    for rule in &rulebook().rule {
        assert!(seen.insert(&rule.id), "{} stands twice", rule.id);
        assert!(rule.id.starts_with("phd.") && rule.id.split('.').count() == 3, "{}", rule.id);
        assert!(rule.statement.trim().ends_with(['.', ')']), "{}: a statement is a sentence", rule.id);
        assert!(!rule.source.is_empty(), "{}: no source", rule.id);
        for source in &rule.source {
            let key = source.split(',').next().unwrap_or_default();
            assert!(sources.contains(key), "{}: no source {key:?}", rule.id);
        }
        assert_eq!(rule.severity.is_some(), rule.kind == RuleKind::Bytes, "{}", rule.id);
        let judged = matches!(rule.scope, Scope::Pass | Scope::Graph);
        assert_eq!(judged, rule.kind == RuleKind::Bytes, "{}: what it takes to judge it", rule.id);
        assert!(rule.versions.iter().all(|&v| Version::from_number(v).is_some()), "{}", rule.id);
        assert!(!rule.versions.is_empty(), "{}", rule.id);
        for name in &rule.profiles {
            let profile = Profile::named(name).unwrap_or_else(|| panic!("{}: no profile {name:?}", rule.id));
            assert!(profile.versions.iter().any(|v| rule.versions.contains(&v.number())), "{}: {name}", rule.id);
        }
    }
}

#[test]
fn every_rule_of_the_bytes_has_a_case_that_keeps_it_and_one_that_breaks_it() {
    let manifest = manifest();
    let kept: BTreeSet<&str> = manifest.cases.iter().flat_map(|c| &c.rules.keeps).map(String::as_str).collect();
    let broken: BTreeSet<&str> = manifest.cases.iter().flat_map(|c| &c.rules.breaks).map(String::as_str).collect();
    assert_eq!(ids(RuleKind::Bytes).difference(&kept).collect::<Vec<_>>(), Vec::<&&str>::new(), "never kept");
    assert_eq!(ids(RuleKind::Bytes).difference(&broken).collect::<Vec<_>>(), Vec::<&&str>::new(), "never broken");
}

#[test]
fn every_other_rule_has_a_case_that_shows_it() {
    let manifest = manifest();
    let shown: BTreeSet<&str> = manifest.cases.iter().flat_map(|c| &c.rules.shows).map(String::as_str).collect();
    let rest: BTreeSet<&str> = ids(RuleKind::Reader).union(&ids(RuleKind::Writer)).copied().collect();
    assert_eq!(rest.difference(&shown).collect::<Vec<_>>(), Vec::<&&str>::new(), "never shown");
    assert_eq!(shown.difference(&rest).collect::<Vec<_>>(), Vec::<&&str>::new(), "shown, but no such rule");
}

#[test]
fn a_case_that_breaks_a_rule_says_where_and_how_badly() {
    for case in manifest().cases {
        assert_eq!(case.rules.breaks.is_empty(), case.finding.is_none(), "{}", case.id);
        let Some(finding) = case.finding else { continue };
        let rule = rulebook().rule(&finding.rule).unwrap_or_else(|| panic!("{}: no rule {}", case.id, finding.rule));
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
fn an_ambiguous_case_names_each_right_answer_and_what_reading_leads_to_it() {
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
    let mut settled: BTreeMap<String, bool> = BTreeMap::new();
    for rule in &rulebook().rule {
        for erratum in &rule.errata {
            *settled.entry(erratum.clone()).or_default() |= met.contains(rule.id.as_str());
        }
    }
    let spec = spec();
    let errata = spec["erratum"].as_array().expect("a list of errata");
    let listed: BTreeSet<String> = errata.iter().filter_map(|e| e["id"].as_str()).map(str::to_owned).collect();
    assert!(listed.len() >= 23, "{listed:?}");
    assert_eq!(listed, settled.keys().cloned().collect());
    assert!(settled.values().all(|&met| met), "{settled:?}");
}

#[test]
fn every_section_of_the_documents_is_covered_by_rules_that_exist() {
    let spec = spec();
    let coverage = spec["coverage"].as_array().expect("a list of sections");
    assert!(coverage.len() > 20);
    for entry in coverage {
        let section = entry["section"].as_str().expect("a section");
        let rules = entry.get("rules").and_then(|r| r.as_array()).cloned().unwrap_or_default();
        assert!(!rules.is_empty() || entry.get("left_out").is_some(), "{section}");
        for rule in rules {
            let id = rule.as_str().expect("an id");
            assert!(rulebook().rule(id).is_some(), "{section}: no rule {id}");
        }
    }
}

#[test]
fn every_edit_breaks_a_rule_of_the_bytes_under_a_name_of_its_own() {
    let names: BTreeSet<&str> = EDITS.iter().map(|edit| edit.name).collect();
    assert_eq!(names.len(), EDITS.len());
    assert!(EDITS.iter().all(|edit| ids(RuleKind::Bytes).contains(edit.rule.0)));
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

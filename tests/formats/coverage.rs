//! The corpus covers every rule, in every kind of record that it speaks of, and the books every statement and erratum.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use heapsmith::corpus::{Case, CoverageGap, CoverageMeasure, FormatCoverage, Grid, cases, coverage, large_cases};
use heapsmith::format::Family;
use heapsmith::validate::{CaseRole, RuleKind, rulebook};
use pretty_assertions::assert_eq;

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| cases().expect("the cases"));

fn of(format: Family, takes: impl Fn(&Case) -> bool) -> FormatCoverage {
    let cases: Vec<Case> = CASES.iter().filter(|case| takes(case)).cloned().collect();
    FormatCoverage::from_cases(format, &cases).expect("every case can be read")
}

fn is_of(gap: &CoverageGap, measure: CoverageMeasure, rule: &str, record: Option<&str>) -> bool {
    gap.measure == measure && gap.of == rule && gap.record == record
}

#[test]
fn corpus_covers_every_rule_record_and_statement() {
    let coverage = coverage(&Family::ALL).expect("every case can be read");
    let missing: Vec<&CoverageGap> = coverage.formats.iter().flat_map(|format| &format.missing).collect();
    assert_eq!(missing, Vec::<&CoverageGap>::new());
    assert!(coverage.complete);
    for format in coverage.formats {
        assert_eq!(format.counts.len(), CoverageMeasure::ALL.len(), "{}", format.format);
        for count in format.counts {
            assert_eq!(count.covered, count.all, "{}: {:?}", format.format, count.measure);
        }
    }
}

/// The dump that has a null reference in each kind of record is the only one that has it in four of them.
#[test]
fn reports_missing_record_kinds_of_removed_case() {
    let coverage = of(Family::PHD, |case| case.id != "phd5-spelled-null-in-every-kind");
    let rule = "phd.references.null";
    let missed: BTreeSet<&str> = coverage.missing.iter().filter_map(|gap| gap.record).collect();
    for record in ["long object", "object array (tag 5)", "object array (tag 8)", "class"] {
        assert!(missed.contains(record), "{record}: {:?}", coverage.missing);
        assert!(coverage.missing.iter().any(|gap| is_of(gap, CoverageMeasure::RecordsBroken, rule, Some(record))));
    }
    // Other cases have it in a short and in a medium object.
    assert!(!missed.contains("short object") && !missed.contains("medium object"));
    assert!(coverage.missing.iter().all(|gap| gap.of == rule && gap.add.contains("a case that breaks the rule")));
}

#[test]
fn reports_every_rule_missing_without_cases() {
    for format in Family::ALL {
        let coverage = of(format, |_| false);
        let book = rulebook(format);
        let of_bytes = book.rule.iter().filter(|rule| rule.kind == RuleKind::Bytes);
        for rule in of_bytes {
            let is_missed = |measure| coverage.missing.iter().any(|gap| is_of(gap, measure, rule.id, None));
            let is_exempt = |role| rule.exempt.iter().any(|e| e.from == role && e.records.is_empty());
            assert_eq!(is_missed(CoverageMeasure::RulesKept), !is_exempt(CaseRole::Keeps), "{}", rule.id);
            assert_eq!(is_missed(CoverageMeasure::RulesBroken), !is_exempt(CaseRole::Breaks), "{}", rule.id);
        }
        assert!(
            coverage
                .missing
                .iter()
                .all(|gap| !matches!(gap.measure, CoverageMeasure::Statements | CoverageMeasure::Errata))
        );
    }
}

/// A name in a book that no byte map gives could never be covered, and an exemption of what is covered would hide a loss.
#[test]
fn rule_books_name_existing_records_and_needed_exemptions() {
    for format in Family::ALL {
        let parts: BTreeSet<&str> = format.parts().into_iter().collect();
        let coverage = of(format, |_| true);
        for rule in rulebook(format).rule {
            assert_eq!(rule.records.is_empty(), rule.kind != RuleKind::Bytes, "{}", rule.id);
            let once: BTreeSet<&str> = rule.records.iter().copied().collect();
            assert_eq!(once.len(), rule.records.len(), "{}: each once", rule.id);
            assert!(once.is_subset(&parts), "{}: {once:?}", rule.id);
            for exempt in rule.exempt {
                assert!(exempt.reason.len() > 20, "{}", rule.id);
                assert!(exempt.records.iter().all(|record| once.contains(record)), "{}: {exempt:?}", rule.id);
                let needed = if exempt.records.is_empty() { &[][..] } else { exempt.records };
                for record in needed {
                    let is_used = coverage.exempt.iter().any(|e| e.of == rule.id && e.record == Some(record));
                    assert!(is_used, "{}: {record} needs no exemption", rule.id);
                }
                assert!(coverage.exempt.iter().any(|e| e.of == rule.id), "{}: no exemption is needed", rule.id);
            }
        }
    }
}

/// What a rule cites of a document, some statement of that document leads to.
#[test]
fn every_rule_that_cites_a_document_stands_for_a_statement_of_it() {
    for format in Family::ALL {
        let book = rulebook(format);
        let mut names = BTreeSet::new();
        let mut stands: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for section in book.section {
            let page = section.name.split(',').next().expect("a document");
            assert!(book.source.iter().any(|source| source.key == page), "{}", section.name);
            assert!(names.insert(section.name) && !section.statements.is_empty(), "{}", section.name);
            for statement in section.statements {
                assert!(statement.says.ends_with('.'), "{}: {}", section.name, statement.says);
                assert_eq!(statement.rules.is_empty(), statement.without.is_some(), "{}", statement.says);
                for rule in statement.rules {
                    assert!(book.rule(rule).is_some(), "{}: no rule {rule}", section.name);
                    stands.entry(rule).or_default().insert(page);
                }
            }
        }
        for rule in book.rule {
            let cited = rule.source.iter().filter_map(|source| source.split(',').next());
            let pages: BTreeSet<&str> = cited.filter(|key| ["S0", "S1", "S2", "S3"].contains(key)).collect();
            let stands = stands.get(rule.id).cloned().unwrap_or_default();
            assert!(pages.is_subset(&stands), "{} cites {pages:?} and stands for {stands:?}", rule.id);
        }
    }
}

/// What is too large to be stored is exempt, and the manifest says how to make it.
#[test]
fn large_exempt_rules_have_recipe() {
    let recipes: BTreeSet<String> =
        large_cases().expect("they can be read").into_iter().flat_map(|case| case.rules).map(str::to_owned).collect();
    let rules = Family::ALL.iter().flat_map(|format| rulebook(*format).rule);
    let large =
        rules.filter(|rule| rule.exempt.iter().any(|exempt| exempt.reason.contains("a recipe of the manifest")));
    let large: BTreeSet<&str> = large.map(|rule| rule.id).collect();
    assert_eq!(large, BTreeSet::from(["classic.record.long", "hprof.segment.wrapped", "hprof.segment.wrapped-length"]));
    assert!(large.iter().all(|rule| recipes.contains(*rule)), "{recipes:?}");
}

/// A field that is added without its cells is missing here, and an entry of the list that is not needed any more is a fault.
#[test]
fn every_cell_of_the_grid_has_a_case_or_a_reason() {
    let grid = Grid::from_corpus(&Family::ALL).expect("every case can be read");
    let missing: Vec<String> =
        grid.cells.iter().filter(|cell| cell.is_missing()).map(|cell| format!("missing: {cell}")).collect();
    assert_eq!([missing, grid.faults].concat(), Vec::<String>::new());
    assert!(grid.complete);
}

/// Two cells of the class cache above 4 GiB: without the case that has them alone, they are missing.
#[test]
fn grid_misses_cells_of_removed_cases() {
    let takes = |case: &&Case| case.format.family() == Family::PHD && !case.id.contains("low-halves");
    let cases: Vec<Case> = CASES.iter().filter(takes).cloned().collect();
    let grid = Grid::from_cases(&[Family::PHD], &cases, &[]).expect("every case can be read");
    let missing: Vec<String> = grid.cells.iter().filter(|cell| cell.is_missing()).map(ToString::to_string).collect();
    for cell in ["equal-low-half [phd] class: superclass word", "equal-low-half [phd] long object: class word"] {
        assert!(missing.iter().any(|missed| missed == cell), "{cell}: {missing:#?}");
    }
    assert!(!grid.complete);
}

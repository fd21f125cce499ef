//! Which cases are chosen, and which may be named.

use std::collections::BTreeSet;

use heapsmith::check::{CaseChoice, CaseSource, ExpectedFailure, ExpectedFailures, Filter};

fn chosen(filters: &[&str]) -> Vec<String> {
    let filters = filters.iter().map(|text| text.parse().expect("a filter")).collect();
    let sources = CaseSource::from_choice(&CaseChoice::default().random(3).seed(1).filters(filters)).expect("cases");
    sources.iter().map(CaseSource::id).collect()
}

#[test]
fn filters_by_id_part_pattern_and_rule_add_up() {
    assert_eq!(chosen(&["phd6-openj9-64"]), ["phd6-openj9-64"], "others have more after it");
    let part = chosen(&["phd6-openj9"]);
    assert!(part.len() > 2 && part.iter().all(|id| id.contains("phd6-openj9")), "{part:?}");
    let pattern = chosen(&["phd?-spelled-*"]);
    assert!(pattern.len() > 4, "{pattern:?}");
    assert!(pattern.iter().all(|id| id.starts_with("phd") && &id[4..13] == "-spelled-"), "{pattern:?}");
    let rule = chosen(&["rule=phd.header.*"]);
    assert!(rule.contains(&"phd-flood-the-header".to_owned()) && rule.len() < 100, "{rule:?}");
    assert!(!rule.iter().any(|id| id.starts_with("hprof") || id.starts_with("random")));
    let both = chosen(&["rule=phd.header.*", "hprof-hotspot-25-8", "random-*"]);
    assert_eq!(both.len(), rule.len() + 4);
    assert_eq!(chosen(&[]).len(), chosen(&["*"]).len());
    assert!("phd[".parse::<Filter>().is_err());
}

#[test]
fn a_case_that_does_not_exist_is_an_error() {
    let corpus: BTreeSet<String> = ["phd-a", "hprof-b[1]"].map(str::to_owned).into_iter().collect();
    let choice = CaseChoice::default().random(3).seed(7);
    let check = |case: &str| {
        let entry = ExpectedFailure { cases: vec![case.to_owned()], ..ExpectedFailure::default() };
        ExpectedFailures { expect: vec![entry] }.check_cases(&corpus, &choice)
    };
    let sources = CaseSource::from_choice(&choice).expect("cases");
    let random = sources.iter().map(CaseSource::id).find(|id| id.ends_with("-7-000002")).expect("the last of 3");
    for case in ["phd-a", "phd-a:to-hprof", "phd-*", "hprof-b[[]1]", "*", "random-*", &random] {
        assert!(check(case).is_ok(), "{case}");
    }
    // Not made by this choice: nothing is known of it.
    assert!(check("random-plain-8-000002").is_ok() && check("random-plain-7-000003").is_ok());
    for case in ["phd-b", "phd-b*", "hprof-b", "random-odd-nothing-7-000002"] {
        assert!(check(case).is_err(), "{case}");
    }
}

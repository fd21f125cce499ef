//! The tables of facets: which facts each kind of dump carries, and which fields of a dump record them.

use std::collections::BTreeSet;

use heapsmith::compare::Facet;
use heapsmith::compare::carriage::{Carriage, ChangeRule};
use heapsmith::format::{DumpTarget, Family, TEXTS};
use heapsmith::validate::rule;

#[test]
fn tables_name_existing_dump_kinds_and_only_used_rules() {
    let known: BTreeSet<String> = DumpTarget::all().iter().flat_map(DumpTarget::keys).collect();
    let mut used = BTreeSet::new();
    for family in Family::ALL {
        let facets: BTreeSet<Facet> = family.carries().iter().map(|(facet, _)| *facet).collect();
        assert_eq!(facets.len(), family.carries().len(), "{family}: each facet once");
        for (facet, row) in family.carries() {
            for (key, carriage) in *row {
                assert!(known.contains(*key), "{facet} has a line for {key}, which is nothing");
                used.extend(match carriage {
                    Carriage::Changed(rule) => Some(*rule),
                    Carriage::Exact | Carriage::None => None,
                });
            }
        }
    }
    assert_eq!(TEXTS.iter().map(|(rule, _)| *rule).collect::<BTreeSet<_>>(), used);
    assert!(TEXTS.iter().all(|(_, text)| text.ends_with('.')));
}

#[test]
fn most_specific_row_applies() {
    let carriage = |target: &str, facet| target.parse::<DumpTarget>().expect("a target").column().carriage(facet);
    assert_eq!(carriage("phd6/openj9", Facet::Hash16), Carriage::Changed(ChangeRule::Low15Bits));
    assert_eq!(carriage("phd6/jdmpview", Facet::Hash32), Carriage::Changed(ChangeRule::ZeroIsNone));
    assert_eq!(carriage("phd6/any", Facet::Hash32), Carriage::Exact);
    assert_eq!(carriage("phd4", Facet::ObjectSize), Carriage::None);
    assert_eq!(carriage("hprof/sa", Facet::Signers), Carriage::None);
    assert_eq!(carriage("hprof/art", Facet::Signers), Carriage::None);
    assert_eq!(carriage("hprof/hotspot-8", Facet::Signers), Carriage::Exact);
    assert!("phd6/agent".parse::<DumpTarget>().is_err());
}

#[test]
fn every_rule_that_is_named_is_in_a_rule_book() {
    let mut named = 0;
    for family in Family::ALL {
        for facet in Facet::ALL {
            for is_array in [false, true] {
                let (_, id) = family.fields(facet, is_array);
                if !id.is_empty() {
                    assert!(rule(id).is_some(), "{id}");
                    named += 1;
                }
            }
        }
    }
    assert!(named > 80, "{named}");
}

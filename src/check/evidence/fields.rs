//! Every rule that a family names for a fact is in its rule book.

use crate::compare::Facet;
use crate::format::{Family, rule};

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

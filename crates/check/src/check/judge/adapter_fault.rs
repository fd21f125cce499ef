//! Faults of listings that no dump and no parser brings about: what has to be fixed is the adapter.

use heapsmith_core::compare::Facet;
use heapsmith_core::compare::listing::Listing;
use heapsmith_core::error::{Error, ListingFault};
use heapsmith_core::model::{Heap, Surroundings};

/// The first fault of the adapter among the errors of a listing. A number where none such can be is no fault of it: a parser
/// that reads wrongly has such numbers.
pub(in crate::check) fn find_adapter_fault(error: &Error) -> Option<String> {
    let Error::Listing(error) = error else { return None };
    error.faults().find(|fault| !is_wrong_number(fault)).map(ToString::to_string)
}

fn is_wrong_number(ListingFault { message, .. }: &ListingFault) -> bool {
    let found = message.rsplit_once(", found ").map(|(_, found)| found);
    let of_another_type = message.strip_prefix("invalid type: ").and_then(|rest| rest.split_once(", expected "));
    message.starts_with("invalid value: integer")
        || message.starts_with("invalid value: floating point")
        || message.starts_with("number out of range")
        || message.starts_with("expected each record once")
        || found.is_some_and(is_number)
        || of_another_type.is_some_and(|(found, wanted)| {
            (found.starts_with("integer") || found.starts_with("floating point")) && is_name_of_number(wanted)
        })
}

/// Whether a text begins like a number, in quotation marks or not.
fn is_number(text: &str) -> bool {
    let text = text.trim_start_matches(['"', '`', '-', '+']);
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a number is wanted: by the name of a type, or in words.
fn is_name_of_number(wanted: &str) -> bool {
    let is_type = wanted.trim_start_matches(['u', 'i', 'f']).bytes().all(|digit| digit.is_ascii_digit());
    is_type || wanted.starts_with("a number") || wanted.starts_with("a value: its bits")
}

/// The first key that the head of a listing lacks, of the numbers of what is judged and the dump can have.
pub(in crate::check) fn find_missing_count(
    listing: &Listing,
    right: &Heap,
    is_judged: impl Fn(Facet) -> bool,
) -> Option<String> {
    let has_count = |key: &str| listing.head.keyed_counts().any(|(known, count)| known == key && count.is_some());
    describe_missing(right, has_count, is_judged)
}

/// The same, where no line says what the head does not: whether there are none, or the adapter has not asked, is left open.
pub(super) fn find_unknown_count(listing: &Listing, right: &Heap, is_judged: impl Fn(Facet) -> bool) -> Option<String> {
    let told = counted_lists(&listing.heap.surroundings);
    let is_known = |key: &str| told.iter().any(|(known, is_there, _)| *known == key && *is_there);
    describe_missing(right, is_known, is_judged)
}

fn describe_missing(
    right: &Heap,
    is_known: impl Fn(&str) -> bool,
    is_judged: impl Fn(Facet) -> bool,
) -> Option<String> {
    let counted = counted_lists(&right.surroundings).into_iter();
    let mut missing = counted.filter(|(key, is_there, _)| *is_there && !is_known(key));
    missing.find_map(|(key, _, facets)| {
        let facet = facets.into_iter().find(|facet| is_judged(*facet))?;
        Some(format!(
            "listing, line 1: expected the key {key} with the number of such lines, 0 if there are none, since `facets` of hello has \
             {facet}; found no such key"
        ))
    })
}

/// The lists of a heap that a listing counts: the key, whether the list is known, and the facets of what is in it.
fn counted_lists(around: &Surroundings) -> [(&'static str, bool, Vec<Facet>); 5] {
    [
        ("roots", around.roots.is_some(), vec![Facet::Roots, Facet::RootObjects]),
        ("threads", around.threads.is_some(), vec![Facet::Threads]),
        ("traces", around.traces.is_some(), vec![Facet::StackTraces]),
        ("regions", around.regions.is_some(), vec![Facet::Regions]),
        ("events", around.events.is_some(), [&Facet::OF_THE_LOG[..], &[Facet::Events]].concat()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use heapsmith_core::compare::listing;

    #[test]
    fn a_number_out_of_range_is_the_parsers_and_another_type_is_the_adapters() {
        let fault = |line: &str| {
            let text = format!("{{\"listing\":1}}\n{line}\n");
            find_adapter_fault(&listing::read(text.as_bytes()).expect_err("an error"))
        };
        for of_parser in [
            r#"{"kind":"class","address":8,"instance_size":-5}"#,
            r#"{"kind":"class","address":-8}"#,
            r#"{"kind":"class","address":1e30}"#,
            r#"{"kind":"class","address":1.5}"#,
            r#"{"kind":"class","address":"0x10000000000000000"}"#,
            r#"{"kind":"object","address":8,"values":[["int",4294967296]]}"#,
            r#"{"kind":"object","address":8,"hash16":65536}"#,
            "{\"kind\":\"object\",\"address\":8,\"record\":0}\n{\"kind\":\"object\",\"address\":16,\"record\":0}",
        ] {
            assert_eq!(fault(of_parser), None, "{of_parser}");
        }
        for of_adapter in [
            r#"{"kind":"class","address":8,"name":7}"#,
            r#"{"kind":"class","address":8,"fields":[{"name":"a","type":null}]}"#,
            r#"{"kind":"class","address":8,"name":"\ud800"}"#,
            r#"{"kind":"class","address":"here"}"#,
            r#"{"kind":"class","address":null}"#,
            r#"{"kind":"class","address":8,"instance_size":"5"}"#,
            r#"{"kind":"object","address":8,"values":[["integer",1]]}"#,
            r#"{"kind":"instance","address":8}"#,
            "garbage",
            "",
            // One of each.
            "{\"kind\":\"class\",\"address\":-8}\n{\"kind\":\"class\",\"address\":8,\"name\":7}",
        ] {
            let told = fault(of_adapter).expect(of_adapter);
            assert!(told.starts_with("listing, line "), "{told}");
        }
        for nothing in ["", "\n", "no listing\n", "[1]\n"] {
            let error = listing::read(nothing.as_bytes()).expect_err("no listing");
            assert!(find_adapter_fault(&error).is_some_and(|told| told.contains("expected a listing")), "{nothing}");
        }
    }
}

//! `check_decoder`, with decoders that are right and decoders that are not.

use std::error::Error;
use std::fs;
use std::path::Path;

use heapsmith::check::protocol::ObjectCounts;
use heapsmith::check::report::Outcome;
use heapsmith::check::{DecoderAnswer, Failures};
use heapsmith::compare::{Facet, listing};
use heapsmith::format::Family;
use heapsmith::model::Heap;
use heapsmith::{check_decoder, read};

fn right(path: &Path) -> Result<Heap, Box<dyn Error>> {
    Ok(read(fs::read(path)?)?)
}

fn counts(heap: &Heap) -> ObjectCounts {
    ObjectCounts::default().classes(heap.classes.len() as u64)
}

#[test]
fn a_right_decoder_passes_at_every_level() -> Result<(), Failures> {
    let heaps = check_decoder(right).run()?;
    assert!(heaps.passed > 150, "{heaps:?}");
    assert!(heaps.skipped.iter().all(|skipped| skipped.reason.contains("several heaps")));
    let counted = check_decoder(|path| right(path).map(|heap| counts(&heap))).run()?;
    let read = check_decoder(|path| right(path).map(|_| ())).random(10, 1).run()?;
    assert_eq!((counted.passed, read.passed), (heaps.passed, heaps.passed + 10));
    Ok(())
}

#[test]
fn names_object_that_decoder_lost() {
    let decoder = |path: &Path| {
        right(path).map(|mut heap| {
            heap.objects.pop();
            heap
        })
    };
    let failures = check_decoder(decoder).filter("phd6-openj9-64").run().expect_err("an object is missing");
    let Outcome::Fail { fact, address: Some(address), found, .. } = &failures.failed()[0].outcome else {
        panic!("{failures}")
    };
    assert_eq!((fact.as_str(), found.as_str()), ("address", "nothing"));
    let message = failures.to_string();
    for part in ["1 of 1 cases failed", "phd6-openj9-64: ", &format!("address at {address}"), "found:    nothing"] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

/// Asked for, the list begins with what has to be in a dump for the decoder to fail.
#[test]
fn explains_failures_where_it_is_asked_to() {
    let decoder = |path: &Path| {
        let heap = right(path)?;
        match heap.objects.iter().any(|object| object.length.is_some_and(|length| length >= 3)) {
            true => Err::<Heap, Box<dyn Error>>("too many elements".into()),
            false => Ok(heap),
        }
    };
    let checked = || check_decoder(decoder).format(Family::PHD).filter("phd5-spelled");
    let failures = checked().explain(2000).run().expect_err("arrays of three elements are refused");
    let causes: Vec<&str> = failures.causes().iter().map(|cause| &*cause.sentence).collect();
    assert!(causes.iter().any(|sentence| sentence.contains("is 3 or more")), "{causes:?}");
    let pair = failures.causes().iter().find_map(|cause| cause.pair.as_ref()).expect("a pair");
    assert!(
        failures
            .to_string()
            .contains(&format!("passes with {}, fails with {}", pair.passes.differing, pair.fails.differing))
    );
    assert!(checked().run().expect_err("without causes").causes().is_empty());
}

#[test]
fn reports_wrong_count_wrong_verdict_and_panic_per_case() {
    let decoder = |path: &Path| -> Result<DecoderAnswer, Box<dyn Error>> {
        let bytes = fs::read(path)?;
        assert!(bytes.len() != 154, "154 bytes are too many");
        Ok(match read(&bytes) {
            // The dump was to be refused.
            Err(_) => DecoderAnswer::Read,
            Ok(heap) => counts(&heap).classes(1000).into(),
        })
    };
    let failures = check_decoder(decoder).format(Family::PHD).run().expect_err("nothing is right");
    let of = |id: &str| failures.failed().iter().find(|failed| failed.case == id).map(|failed| &failed.outcome);
    let Some(Outcome::Crash { how }) = of("phd6-spelled-tag-5") else { panic!("{failures}") };
    assert!(how.contains("154 bytes are too many"), "{how}");
    let refused = Outcome::WrongVerdict { expected: "refuse".to_owned(), found: "accepted".to_owned() };
    assert_eq!(of("phd-cut-in-a-record"), Some(&refused));
    let Some(Outcome::Fail { fact, found, .. }) = of("phd6-openj9-64") else { panic!("{failures}") };
    assert_eq!((fact.as_str(), found.as_str()), ("classes", "1000"));
}

#[test]
fn accepts_known_failure_until_it_passes() {
    let refuses = |_: &Path| Err::<(), _>("not today");
    let report = check_decoder(refuses).filter("phd6-openj9-64").known("phd6-*", "issue 12").run();
    assert_eq!(report.expect("it is known").known.len(), 1);
    let pattern = check_decoder(right).filter("phd6-openj9-64").known("phd6-*", "issue 12").run();
    assert_eq!(pattern.expect("a pattern says what a failure may be, not that there is one").passed, 1);
    let passes = check_decoder(right).filter("phd6-openj9-64").known("phd6-openj9-64", "issue 12").run();
    let message = passes.expect_err("it passes").to_string();
    assert!(message.contains("`.known` marks it as failing (issue 12)"), "{message}");
}

#[test]
fn hides_case_in_dump_path_and_removes_file() {
    let mut paths = Vec::new();
    let decoder = |path: &Path| {
        paths.push(path.to_owned());
        right(path)
    };
    check_decoder(decoder).filter("phd6-openj9-64").assert();
    assert!(!paths[0].to_string_lossy().contains("openj9") && !paths[0].exists(), "{paths:?}");
}

#[test]
fn a_listing_may_not_omit_what_every_decoder_reports() {
    let decoder = |path: &Path| -> Result<DecoderAnswer, Box<dyn Error>> {
        let heap = right(path)?;
        let (head, mut listing) = (listing::head(&heap), Vec::new());
        let head = listing::ListingHead { omits: vec![Facet::Kind], ..head };
        listing::write(&mut listing, &head, &heap, &listing::HeapPlaces::from_order(&heap))?;
        Ok(DecoderAnswer::Listing(String::from_utf8(listing)?))
    };
    let failures = check_decoder(decoder).filter("phd6-openj9-64").run().expect_err("it omits the kind");
    assert!(failures.to_string().contains("a facet that every decoder reports"), "{failures}");
}

#[test]
fn distinguishes_empty_selection_from_skipping_decoder() {
    let nothing = check_decoder(right).filter("no such case").run().expect_err("nothing was checked");
    assert!(nothing.to_string().contains("no case"), "{nothing}");
    let several = check_decoder(right).filter("hprof-agent-4-heap-").run().expect_err("no dump of one heap was chosen");
    assert!(several.to_string().contains("several heaps"), "{several}");
    let unknown = check_decoder(right).known("phd6-openj9-65", "why").run().expect_err("there is no such case");
    assert!(unknown.to_string().contains("phd6-openj9-65"), "{unknown}");
    let malformed = check_decoder(right).filter("phd6-openj9-64").known("phd6-[", "why").run().expect_err("a pattern");
    assert!(malformed.to_string().contains("phd6-["), "{malformed}");
    let skips = |_: &Path| Ok::<_, String>(DecoderAnswer::Skipped("no HPROF".to_owned()));
    let report = check_decoder(skips).filter("hprof-hotspot-25-8").run().expect("skipped");
    assert_eq!((report.passed, report.skipped[0].reason.as_str()), (0, "no HPROF"));
}

#[test]
#[should_panic(expected = "cases failed")]
fn assert_panics_with_the_list() {
    check_decoder(|_: &Path| Err::<(), _>("no")).filter("phd6-openj9").assert();
}

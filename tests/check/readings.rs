//! What is worked out of the first answer of a case, against what is spelled by hand or by an edit.

use std::collections::BTreeSet;

use heapsmith::check::ambiguities;
use heapsmith::compare::compare;
use heapsmith::corpus::RightAnswer;

#[test]
fn derives_readings_as_spelled() {
    let mut seen = BTreeSet::new();
    for case in heapsmith::corpus::cases().expect("there are cases") {
        for answer in &case.answers {
            let Some((name, choice)) = answer.choice() else { continue };
            let heap = case.heap_under(name, choice).unwrap_or_else(|e| panic!("{}: {e}", case.id));
            let (RightAnswer::Reads(_, spelled), Some(heap)) = (answer, heap) else { continue };
            let comparison = compare(spelled, &heap, &BTreeSet::new());
            assert_eq!(comparison.differences, [], "{}: {name}={choice}", case.id);
            assert_eq!(comparison.not_compared, [], "{}: {name}={choice}", case.id);
            seen.insert((name, choice));
        }
    }
    // No case spells these.
    let not_spelled = ["booleans", "names"];
    for ambiguity in ambiguities() {
        if not_spelled.contains(&ambiguity.name)
            || ambiguity.name.starts_with("answers.")
            || ambiguity.name.contains(".repeated-class")
            || ambiguity.name.contains(".repeated-object")
        {
            continue;
        }
        let is_spelled = |choice: &str| seen.contains(&(ambiguity.name, choice));
        let others = [
            "phd.address-unit",
            "phd.hashes-without-j9",
            "hprof.several-heaps",
            "hprof.unpatched-length",
            "hprof.string-0",
            "classic.carriage-return",
        ];
        for choice in ambiguity.choices.iter().skip(1).filter(|_| !others.contains(&ambiguity.name)) {
            assert!(is_spelled(choice.name), "{}={} is spelled nowhere", ambiguity.name, choice.name);
        }
    }
}

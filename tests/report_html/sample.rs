//! Reports made by hand: the cases are the corpus's and some random ones, the outcomes are invented. Every verdict is
//! there, expected failures, evidence, and texts that try to break out of what they are put into.

use std::collections::BTreeMap;

use heapsmith::check::evidence::{Evidence, EvidenceField, NeighbourEdge, NeighbourNode, Neighbourhood};
use heapsmith::check::merge;
use heapsmith::check::report::{
    CaseFacts, CaseResult, CheckReport, ChosenCases, Declared, Expectation, InterruptedRun, OtherFact, Outcome,
    RunCosts, SCHEMA, Suspect, TestedImplementation,
};
use heapsmith::compare::Facet;
use heapsmith::corpus::{self, CaseVerdict};

/// What must come out as text everywhere.
pub(crate) const HOSTILE: &str =
    "<script>window.broken=1</script><img src=x onerror=\"window.broken=1\">'\"`|]]> & \u{1}\u{0} 𝄞 \u{202e}\u{1b}[31m";

/// A word without a place to break it.
pub(crate) const LONG: &str =
    "com/example/AVeryLongClassNameWithoutAnyPlaceToBreakItWhichGoesOnAndOnAndOnAndOnAndOnUntilTheEnd";

/// The report; `cases` has everything that the corpus knows of each case.
pub(crate) fn report() -> CheckReport {
    let mut cases: Vec<CaseFacts> = corpus::cases().expect("the corpus").iter().map(facts).collect();
    cases.extend((0..100).map(random));
    let ids: Vec<(String, String, Vec<String>)> =
        cases.iter().map(|case| (case.id.clone(), case.format.clone(), case.rules.clone())).collect();
    let implementations = vec![
        tested("phd-lens 2.4.1", "adapter", Some(java()), &ids, lens),
        tested("heaptide 0.9.0", "adapter", Some(rust()), &ids, tide),
        tested("python3 decode.py {}", "decoder", None, &ids, script),
    ];
    let mut milliseconds: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for tested in &implementations {
        let times = tested.results.iter().enumerate().map(|(n, result)| (result.id.clone(), 3.0 + (n % 17) as f64));
        milliseconds.insert(tested.label.clone(), times.collect());
    }
    explained(CheckReport {
        schema: SCHEMA,
        heapsmith: "0.1.0".to_owned(),
        chosen: ChosenCases { random: 100, seed: 7, ..ChosenCases::default() },
        cases,
        implementations,
        incomplete: Some(InterruptedRun { signal: "SIGTERM".to_owned(), judged: 2890, planned: 3456 }),
        run: Some(RunCosts { seconds: 41.37, jobs: 8, milliseconds, ..RunCosts::default() }),
    })
}

/// The report with the causes of its failures.
pub(crate) fn explained(report: CheckReport) -> CheckReport {
    merge(vec![report]).expect("one report")
}

/// A report in which everything fails.
pub(crate) fn large(implementations: usize, cases: usize) -> CheckReport {
    let cases: Vec<CaseFacts> = (0..cases as u64).map(random).collect();
    let failed = |n: usize, case: &CaseFacts| {
        let fact = if n.is_multiple_of(2) { "array-length" } else { "elements" };
        let failed = result(&case.id, wrong(fact, "5", "37"));
        failed.evidence(object_array_evidence()).repeat(repeat("adapter", &case.id))
    };
    let implementations = (0..implementations)
        .map(|n| {
            let results = cases.iter().enumerate().map(|(n, case)| failed(n, case)).collect();
            let mut tested =
                TestedImplementation { label: format!("parser {n}"), results, ..TestedImplementation::default() };
            tested.count();
            tested
        })
        .collect();
    explained(CheckReport {
        schema: SCHEMA,
        heapsmith: "0.1.0".to_owned(),
        cases,
        implementations,
        ..CheckReport::default()
    })
}

pub(crate) fn facts(case: &corpus::Case) -> CaseFacts {
    let verdict = match case.verdict {
        CaseVerdict::Valid => "valid",
        CaseVerdict::Invalid => "invalid",
        CaseVerdict::Ambiguous => "ambiguous",
    };
    let broken = case.breaks.iter().map(|(rule, _)| rule);
    let rules = broken.chain(&case.keeps).chain(&case.shows);
    let rules: Vec<String> = rules.map(|rule| (*rule).to_owned()).collect();
    CaseFacts {
        id: case.id.clone(),
        summary: case.summary.clone(),
        format: case.format.to_string(),
        verdict: verdict.to_owned(),
        recipe: case.recipe.clone(),
        size: case.bytes.len() as u64,
        relies: rules.clone(),
        rules,
    }
}

pub(crate) fn random(n: u64) -> CaseFacts {
    let format = ["phd4", "phd5", "phd6", "hprof", "classic"][n as usize % 5];
    CaseFacts {
        id: format!("random-7-{n:06}"),
        summary: format!("{} random objects", n % 120 + 1),
        format: format.to_owned(),
        verdict: "valid".to_owned(),
        recipe: format!("{} objects from seed {}, {format}", n % 120 + 1, n.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        size: 4000 + 37 * n,
        ..CaseFacts::default()
    }
}

fn java() -> Declared {
    Declared {
        name: "phd-lens".to_owned(),
        version: "2.4.1".to_owned(),
        language: "Java".to_owned(),
        reads: ["phd4", "phd5", "phd6", "hprof"].map(str::to_owned).to_vec(),
        level: "listing".to_owned(),
        reports: ["address", "kind", "class-name", "array-length", "object-size"].map(str::to_owned).to_vec(),
        identifies: "address".to_owned(),
        protocol: 2,
        ..Declared::default()
    }
}

fn rust() -> Declared {
    Declared {
        name: "heaptide".to_owned(),
        version: "0.9.0".to_owned(),
        language: "Rust".to_owned(),
        reads: vec!["hprof".to_owned()],
        level: "counts".to_owned(),
        reports: ["classes", "instances", "histogram"].map(str::to_owned).to_vec(),
        identifies: "opaque".to_owned(),
        protocol: 1,
        ..Declared::default()
    }
}

type Judge = fn(&str, &str, &[String]) -> CaseResult;

fn tested(
    label: &str,
    kind: &str,
    declared: Option<Declared>,
    cases: &[(String, String, Vec<String>)],
    judge: Judge,
) -> TestedImplementation {
    let mut results: Vec<CaseResult> = cases.iter().map(|(id, format, rules)| judge(id, format, rules)).collect();
    for result in &mut results {
        if result.outcome().is_failure() {
            result.repeat = Some(repeat(kind, &result.id));
        }
    }
    let omitted = if kind == "adapter" { vec![Facet::Loader, Facet::Signers] } else { Vec::new() };
    let command =
        if kind == "adapter" { format!("java -jar 'the adapters/{label}.jar' --stdio") } else { label.to_owned() };
    let mut tested = TestedImplementation {
        label: label.to_owned(),
        kind: kind.to_owned(),
        command,
        declared,
        omitted,
        results,
        ..TestedImplementation::default()
    };
    tested.count();
    tested
}

pub(crate) fn repeat(kind: &str, id: &str) -> String {
    format!(
        "heapsmith check --{kind} 'java -jar \"the adapters/phd-lens.jar\" --stdio' --filter {id} --random 100 --seed 7"
    )
}

pub(crate) fn result(id: &str, outcome: Outcome) -> CaseResult {
    CaseResult::new(id, outcome)
}

pub(crate) fn suspect(rule: &str) -> Vec<Suspect> {
    vec![Suspect { rule: rule.to_owned(), offset: 72, length: 4 }]
}

pub(crate) fn pass(id: &str) -> CaseResult {
    result(id, Outcome::Pass { reading: None })
}

fn skip(id: &str, reason: &str) -> CaseResult {
    result(id, Outcome::skip(reason, None))
}

pub(crate) fn wrong(fact: &str, expected: &str, found: &str) -> Outcome {
    Outcome::Fail {
        fact: fact.to_owned(),
        address: Some("0xe0000248".to_owned()),
        expected: expected.to_owned(),
        found: found.to_owned(),
        count: 3,
    }
}

pub(crate) fn known(reason: &str, link: Option<&str>) -> Option<Expectation> {
    Some(Expectation { reason: reason.to_owned(), link: link.map(str::to_owned) })
}

fn other(fact: &str, follows: Option<&str>) -> OtherFact {
    let (expected, found) = ("1".to_owned(), "2".to_owned());
    let (fact, follows) = (fact.to_owned(), follows.map(str::to_owned));
    OtherFact { fact, follows, expected, found, count: 1, ..OtherFact::default() }
}

/// Reads two fields of object arrays in the wrong order, and knows of it in one version.
fn lens(id: &str, format: &str, rules: &[String]) -> CaseResult {
    let has = |rule: &str| rules.iter().any(|r| r == rule);
    let length = || wrong("array-length", "array of 5, 40 bytes", "array of 37, 40 bytes");
    if format == "classic" {
        return skip(id, "does not read classic");
    }
    if has("phd.object-array.native-tag") {
        let others =
            vec![other("object-size", None), other("references", None), other("reference-order", Some("references"))];
        let suspects = suspect("phd.object-array.native-tag");
        return result(id, length()).evidence(object_array_evidence()).others(others).suspects(suspects);
    }
    if has("phd.object-array.field-order") {
        let expected = known(
            "the page of the format has these two fields the other way round",
            Some("https://example.org/issues/12"),
        );
        let suspects = suspect("phd.object-array.field-order");
        return result(id, length()).evidence(object_array_evidence()).expected(expected).suspects(suspects);
    }
    if has("phd.class.name-encoding") {
        let outcome = wrong("class-name", "class \u{1d11e}/Clef", "class \u{fffd}\u{fffd}/Clef");
        return result(id, outcome).evidence(name_evidence());
    }
    if has("phd.gap.signed") {
        return pass(id).expected(known("fixed in 2.4, it seems", None));
    }
    if has("hprof.heap.extent") {
        return result(id, Outcome::Hang { how: "still running after 10 s".to_owned() });
    }
    if id.starts_with("random") && format == "phd6" && id.ends_with('7') {
        return result(id, length()).evidence(object_array_evidence());
    }
    pass(id)
}

/// Dies, and takes too much memory.
fn tide(id: &str, format: &str, rules: &[String]) -> CaseResult {
    let has = |rule: &str| rules.iter().any(|r| r == rule);
    if format != "hprof" {
        return skip(id, &format!("does not read {format}"));
    }
    if has("hprof.file.truncated") {
        let how = "exit code 101: thread 'main' panicked at src/parser.rs:217:41:\nrange end index 4096 out of range for slice of length 212\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace".to_owned();
        return result(id, Outcome::Crash { how }).first(Outcome::Pass { reading: None });
    }
    if (has("hprof.object-array.class") || has("hprof.class.values")) && !id.ends_with('1') {
        let outcome = Outcome::WrongVerdict {
            expected: "accept".to_owned(),
            found: "refused: UnexpectedTag { tag: 0x21, offset: 93 }".to_owned(),
        };
        return result(id, outcome).evidence(name_evidence());
    }
    if has("hprof.id.size") {
        return result(id, Outcome::OutOfMemory { how: "more than 512 MiB".to_owned() });
    }
    if id.starts_with("hprof-compressed") {
        let how = "crash: exit code 139".to_owned();
        let first = Outcome::Crash { how: "exit code 139".to_owned() };
        return result(id, Outcome::PassAlone { how }).first(first);
    }
    if id.starts_with("hprof-spelled-seg") {
        return result(id, Outcome::AdapterError { how: "a line that is no JSON: \"Reading heap...\"".to_owned() });
    }
    pass(id)
}

/// Says things that are meant to break reports.
fn script(id: &str, format: &str, rules: &[String]) -> CaseResult {
    let has = |rule: &str| rules.iter().any(|r| r == rule);
    if format == "classic" && has("classic.number.size-range") {
        let expected = known(HOSTILE, Some("javascript:window.broken=1"));
        return result(id, wrong("object-size", "4294967296", "0")).expected(expected);
    }
    if has("phd.body.end-tag") {
        let mut evidence = object_array_evidence();
        for field in &mut evidence.fields {
            field.meaning = HOSTILE.to_owned();
            field.name = LONG.to_owned();
        }
        if let Some(neighbourhood) = &mut evidence.neighbourhood {
            neighbourhood.nodes[1].label = HOSTILE.to_owned();
            neighbourhood.nodes[2].label = format!("class {LONG}");
            neighbourhood.edges[1].label = LONG.to_owned();
        }
        return result(id, wrong(HOSTILE, &format!("{LONG}{HOSTILE}"), &LONG.repeat(60))).evidence(evidence);
    }
    if has("phd.record.tag") {
        return result(id, Outcome::Crash { how: format!("signal 11: {}", HOSTILE.repeat(200)) });
    }
    pass(id)
}

fn field(offset: u64, bytes: &str, name: &str, meaning: &str, wrong: bool) -> EvidenceField {
    EvidenceField { offset, bytes: bytes.to_owned(), name: name.to_owned(), meaning: meaning.to_owned(), wrong }
}

/// An object array of version 6, with its neighbours.
pub(crate) fn object_array_evidence() -> Evidence {
    let node = |address: &str, label: &str| NeighbourNode { address: address.to_owned(), label: label.to_owned() };
    let edge = |from: &str, to: &str, label: &str| NeighbourEdge {
        from: from.to_owned(),
        to: to.to_owned(),
        label: label.to_owned(),
    };
    Evidence {
        offset: 0x1ca,
        length: 8,
        record: Some(12),
        rule: Some("phd.object-array.field-order".to_owned()),
        fields: vec![
            field(0x1b4, "08", "tag", "long object array", false),
            field(0x1b5, "48", "flags", "gap of 1 byte, references of 1 byte, a hash follows", false),
            field(0x1b6, "0c", "gap", "12 units of 4 bytes: address 0xe0000248", false),
            field(0x1b7, "e0 00 00 40", "class word", "class com/example/Node", false),
            field(0x1bb, "7a 31 00 2c", "hash", "0x7a31002c", false),
            field(0x1bf, "00 00 00 04", "number of references", "4", false),
            field(0x1c3, "f8 04 10 2a", "references", "0xe0000228, 0xe0000258, 0xe0000288, 0xe00002f0", false),
            field(0x1ca, "00 00 00 05", "true length", "5 elements, of which one is null", true),
            field(0x1ce, "00 00 00 0a", "instance size", "10 words of 4 bytes: 40 bytes", true),
            field(0x1d2, "01", "tag", "the next record: short object", false),
        ],
        neighbourhood: Some(Neighbourhood {
            nodes: vec![
                node("0xe0000248", "com/example/Node[5]"),
                node("0xe0000040", "class com/example/Node"),
                node("0xe0000200", "com/example/collections/LinkedTable"),
                node("0xe0000228", "com/example/Node"),
                node("0xe0000258", "com/example/Node"),
                node("0xe0000288", "com/example/Node"),
                node("0xe00002f0", "java/lang/ref/WeakReference"),
                node("0xe0000310", "int[2]"),
            ],
            edges: vec![
                edge("0xe0000248", "0xe0000040", "class"),
                edge("0xe0000200", "0xe0000248", "table"),
                edge("0xe0000248", "0xe0000228", "0"),
                edge("0xe0000248", "0xe0000258", "1"),
                edge("0xe0000258", "0xe0000248", "owner"),
                edge("0xe0000248", "0xe0000288", "2"),
                edge("0xe0000248", "0xe0000288", "3"),
                edge("0xe00002f0", "0xe0000248", "referent"),
                edge("0xe0000228", "0xe0000040", "class"),
                edge("0xe0000258", "0xe0000040", "class"),
                edge("0xe0000248", "0xe0000310", "4"),
            ],
            more: 9,
        }),
    }
}

/// A name, and nothing around it.
fn name_evidence() -> Evidence {
    Evidence {
        offset: 93,
        length: 6,
        record: None,
        rule: None,
        fields: vec![
            field(91, "00 0b", "length of the name", "11 bytes", false),
            field(93, "ed a0 b4 ed b4 9e", "name", "U+1D11E as two surrogates of 3 bytes each", true),
            field(99, "2f 43 6c 65 66", "name", "/Clef", false),
        ],
        neighbourhood: None,
    }
}

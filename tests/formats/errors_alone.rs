//! Looking for errors alone, and what comes with it: for every case of the corpus, the errors are those of a whole validation, and the
//! heaps those of the dump.

use heapsmith::corpus::cases;
use heapsmith::digest::{self, digest};
use heapsmith::format::{DumpFile, Family};
use heapsmith::hprof::ReadOptions;
use heapsmith::input::Input;
use heapsmith::model::DumpSource;
use heapsmith::validate::{Severity, ValidateOptions, ValidationReport, validate, validate_source};
use hex_literal::hex;
use pretty_assertions::assert_eq;

/// The errors of a report.
fn errors(report: &ValidationReport) -> Vec<String> {
    let errors = report.findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| format!("{finding:?}")).collect()
}

/// Holds both ways to judge a dump, and both ways to read it, against each other; whether it is valid, and whether its
/// heaps came with the errors.
fn check(name: &str, bytes: &[u8]) -> (bool, bool) {
    let input = Input::from_memory(name, bytes.to_vec());
    let whole = validate(&input, ValidateOptions::default()).expect("memory can be read");
    let file = DumpFile::new(input.clone(), ReadOptions::default()).expect("memory can be read");
    let (report, source) = validate_source(&file).expect("memory can be read");
    assert_eq!(errors(&report), errors(&whole), "{name}");
    assert_eq!(report.valid, whole.valid, "{name}");
    let came = source.is_some();
    if let (Some(mut source), Ok(mut due)) = (source, file.source()) {
        assert_eq!((source.heaps(), source.tail()), (due.heaps(), due.tail()), "{name}");
        for number in 0..source.heaps() {
            let options = digest::DigestOptions::default();
            let found = digest(source.heap(number), &options).expect("memory can be read");
            assert_eq!(found, digest(due.heap(number), &options).expect("memory can be read"), "{name}");
        }
    }
    (whole.valid, came)
}

#[test]
fn error_only_validation_finds_errors_of_every_corpus_case() {
    let (mut valid, mut broken) = (0, 0);
    for case in cases().expect("recipes") {
        let (is_valid, came) = check(&case.id, &case.bytes);
        *if is_valid { &mut valid } else { &mut broken } += 1;
        // Classic text is read anew for its heap; of the others, each that can be read to its end comes with it.
        let is_indexed = case.format.family() != Family::CLASSIC;
        assert!(came || !is_valid || !is_indexed, "{}", case.id);
    }
    assert!(valid > 300 && broken > 300, "{valid} valid dumps and {broken} others");
}

/// Instances before their class, between classes, and after a second class of the same address, which counts; each right and wrong.
#[test]
fn checks_instances_against_later_classes() {
    let header = hex!("4a4156412050524f46494c4520312e302e3200 00000004 0000000000000000");
    let class = |id: u8, field: &[u8]| {
        let head = hex!("00000001 00000000 00000000 00000000 00000000 00000000 00000000");
        let size = u32::from(!field.is_empty()).to_be_bytes();
        [&[0x20, 0, 0, 1, id], &head[..], &size, &[0; 4], &[0, u8::from(!field.is_empty())], field].concat()
    };
    let (empty, byte) = (class(0, &[]), class(0, &hex!("00000003 08")));
    let other = class(0x80, &[]);
    let instance = |id: u8, length: u8| {
        let head = [0x21, 0, 0, 2, id, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, length];
        [&head[..], &vec![0; length.into()]].concat()
    };
    let dump = |subs: &[&[u8]]| {
        let body = subs.concat();
        [&header[..], &[0x0c, 0, 0, 0, 0], &(body.len() as u32).to_be_bytes(), &body].concat()
    };
    for (name, subs, is_valid) in [
        ("its class first", [&byte[..], &instance(0x10, 1), &other], true),
        ("its class first, and it is too short", [&byte, &instance(0x10, 0), &other], false),
        ("its class last", [&other, &instance(0x10, 1), &byte], true),
        ("its class last, and it is too short", [&other, &instance(0x10, 0), &byte], false),
        ("no class before it", [&instance(0x10, 1), &other, &byte], true),
        ("no class before it, and it is too long", [&instance(0x10, 2), &other, &byte], false),
        ("no class at all", [&instance(0x10, 2), &other, &instance(0x20, 1)], true),
        ("too short for the first of two", [&empty, &instance(0x10, 1), &byte], false),
        ("too long for the second of two", [&byte, &instance(0x10, 1), &empty], false),
    ] {
        assert_eq!(check(name, &dump(&subs)), (is_valid, true), "{name}");
    }
}

//! What is declared of dumps that are not held while they are judged: by the same table as of the others.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::bench::{HEAPSMITH, check, has_python, python};

/// A dump above the 4 MiB that are held, for the sake of an array of bytes.
#[derive(Clone, Copy)]
struct LargeDump<'d> {
    /// Bytes of an identifier.
    identifiers: usize,
    /// Records in front of the heap.
    records: &'d [(u8, &'d [u8])],
    /// Sub-records in front of the others.
    first: &'d [u8],
    roots: usize,
    /// The serial number of the trace of an instance.
    trace: u32,
    floats: [u32; 2],
    booleans: [u8; 3],
    /// The value of each of the bytes.
    byte: u8,
}

/// STACK TRACE with the serial number 1 and no frames.
const TRACE: (u8, &[u8]) = (0x05, &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);

const PLAIN: LargeDump<'_> = LargeDump {
    identifiers: 4,
    records: &[TRACE],
    first: &[],
    roots: 2,
    trace: 1,
    // A signalling NaN and 1.
    floats: [0x7f80_0001, 0x3f80_0000],
    booleans: [0, 1, 2],
    byte: 7,
};

impl LargeDump<'_> {
    fn bytes(&self) -> Vec<u8> {
        let id = |number: u32| [vec![0; self.identifiers - 4], number.to_be_bytes().to_vec()].concat();
        let word = |number: u32| number.to_be_bytes().to_vec();
        let ids = |numbers: &[u32]| numbers.iter().copied().flat_map(id).collect::<Vec<u8>>();
        let array = |address: u32, kind: u8, count: u32, bytes: &[u8]| {
            [vec![0x23], id(address), word(0), word(count), vec![kind], bytes.to_vec()].concat()
        };
        let floats: Vec<u8> = self.floats.iter().flat_map(|bits| bits.to_be_bytes()).collect();
        let heap = [
            self.first.to_vec(),
            [vec![0x05], id(0x1000)].concat().repeat(self.roots),
            // CLASS DUMP: trace, superclass to the second reserved field, instance size, and nothing in three lists.
            [vec![0x20], id(0x1000), word(0), ids(&[0; 6]), word(0), vec![0; 6]].concat(),
            [vec![0x21], id(0x2000), word(self.trace), id(0x1000), word(0)].concat(),
            array(0x3000, 6, 2, &floats),
            array(0x3100, 4, 3, &self.booleans),
            array(0x4000, 8, 5 << 20, &vec![self.byte; 5 << 20]),
        ];
        let text = [id(1), b"A".to_vec()].concat();
        let load_class = [word(1), id(0x1000), word(0), id(1)].concat();
        let mut dump = b"JAVA PROFILE 1.0.2\0".to_vec();
        dump.extend(word(self.identifiers as u32).into_iter().chain([0; 8]));
        let records = [(0x01, &text[..]), (0x02, &load_class[..])];
        let heap = heap.concat();
        for (tag, body) in records.iter().chain(self.records).chain(&[(0x1c, &heap[..]), (0x2c, &[][..])]) {
            dump.extend([*tag, 0, 0, 0, 0]);
            dump.extend(word(body.len() as u32));
            dump.extend(*body);
        }
        dump
    }
}

/// A folder with these dumps, and their paths.
fn written(dumps: &[(&str, LargeDump<'_>)]) -> (TempDir, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |(name, dump): &(&str, LargeDump<'_>)| {
        let path = folder.path().join(format!("{name}.hprof"));
        fs::write(&path, dump.bytes()).expect("it can be written");
        path.to_string_lossy().into_owned()
    };
    let paths = dumps.iter().map(write).collect();
    (folder, paths)
}

/// The verdict of each implementation on each dump, by the name of its file, and the fact that is wrong.
fn verdicts(report: &Value) -> Vec<BTreeMap<String, String>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of_dump = |result: &Value| {
        let outcome = &result["outcome"];
        let id = text(&result["id"]);
        (
            id.rsplit('-').next().unwrap_or_default().to_owned(),
            format!("{} {}", text(&outcome["verdict"]), text(&outcome["fact"])).trim().to_owned(),
        )
    };
    let all = report["implementations"].as_array().expect("implementations").iter();
    all.map(|tested| tested["results"].as_array().expect("results").iter().map(of_dump).collect()).collect()
}

fn of(verdicts: [(&str, &str); 4]) -> BTreeMap<String, String> {
    verdicts.into_iter().map(|(id, verdict)| (id.to_owned(), verdict.to_owned())).collect()
}

#[test]
fn judges_large_dumps_by_what_is_declared() {
    if !has_python() {
        return;
    }
    // END THREAD with 2 of 4 bytes; HEAP DUMP INFO of a region whose name has the identifier 1.
    let (broken, region) = ([TRACE, (0x0b, &[0, 1][..])], [0xfe, 0, 0, 0, 0, 0, 0, 0, 1]);
    let (_folder, paths) = written(&[
        ("plain", PLAIN),
        ("wide", LargeDump { identifiers: 8, ..PLAIN }),
        ("android", LargeDump { first: &region, ..PLAIN }),
        ("broken", LargeDump { records: &broken, ..PLAIN }),
    ]);
    let small = r#""identifier_sizes": [4], "android": "skipped""#;
    let adapters = [
        format!(r#"once {{"skips": ["end-thread"], "roots": "once", {small}}}"#),
        "right {}".to_owned(),
        format!(r#"right {{"skips": ["stack-trace"], {small}}}"#),
        format!(r#"fewer {{"skips": ["end-thread"], {small}}}"#),
    ];
    let adapters: Vec<String> = adapters.iter().map(|words| large(words)).collect();
    let adapters = adapters.iter().flat_map(|adapter| ["--adapter", adapter]);
    let dumps = ["--level", "counts", "--dumps"].into_iter().chain(paths.iter().map(String::as_str));
    let (report, _) = check(&adapters.chain(dumps).collect::<Vec<_>>());
    let (fails, refused) = ("fail roots", "wrong-verdict");
    let expected = [
        of([("plain", "pass"), ("wide", "skip"), ("android", "skip"), ("broken", "pass")]),
        of([("plain", "pass"), ("wide", refused), ("android", refused), ("broken", refused)]),
        of([("plain", "pass"), ("wide", "skip"), ("android", "skip"), ("broken", refused)]),
        of([("plain", fails), ("wide", "skip"), ("android", "skip"), ("broken", fails)]),
    ];
    assert_eq!(verdicts(&report), expected, "{report:#}");
}

/// The counter for HPROF in one of its ways, and what it declares.
fn large(words: &str) -> String {
    let (way, declared) = words.split_once(' ').expect("two words");
    python("tests/adapters/large.py", &format!("{way} '{declared}'"))
}

#[test]
fn judges_large_conversions_by_what_is_declared() {
    if !has_python() {
        return;
    }
    let (_folder, paths) = written(&[
        ("source", PLAIN),
        ("lossy", LargeDump { roots: 1, trace: 0, byte: 0, ..PLAIN }),
        ("wrong", LargeDump { roots: 1, trace: 0, byte: 8, ..PLAIN }),
        ("spelled", LargeDump { floats: [0x7fc0_0001, 0x3f80_0000], booleans: [0, 1, 1], ..PLAIN }),
        ("other", LargeDump { floats: [0x7fc0_0001, 0x3f80_0001], booleans: [0, 1, 1], ..PLAIN }),
    ]);
    let [source, lossy, wrong, spelled, other] = &paths[..] else { panic!("five dumps") };
    let lost = r#""loses": ["roots", "object-trace", "primitive-contents"]"#;
    let said = r#""nans": "quiet", "booleans": "0/1""#;
    let conversions = [
        (lossy, lost, "pass"),
        (lossy, "", "fail"),
        (wrong, lost, "fail"),
        (spelled, said, "pass"),
        (spelled, r#""nans": "quiet""#, "fail"),
        (other, said, "fail"),
    ];
    let adapters: Vec<String> = conversions
        .iter()
        .map(|(made, declared, _)| python("tests/adapters/copied.py", &format!("{made} '{{{declared}}}'")))
        .collect();
    let adapters = adapters.iter().flat_map(|adapter| ["--adapter", adapter]);
    let (report, _) = check(&adapters.chain(["--dumps", source]).collect::<Vec<_>>());
    let found: Vec<Value> = report["implementations"]
        .as_array()
        .expect("implementations")
        .iter()
        .map(|tested| tested["results"][0]["outcome"]["verdict"].clone())
        .collect();
    assert_eq!(found, conversions.map(|(_, _, verdict)| Value::from(verdict)), "{report:#}");
}

#[test]
fn judges_digests_of_large_dumps_by_what_is_declared() {
    if !has_python() {
        return;
    }
    let (_folder, paths) = written(&[("source", PLAIN), ("spelled", LargeDump { booleans: [0, 1, 1], ..PLAIN })]);
    let [source, spelled] = &paths[..] else { panic!("two dumps") };
    let adapter = |declared: &str| python("tests/adapters/own.py", &format!("{HEAPSMITH} of {spelled} '{declared}'"));
    let adapters = [adapter(r#"{"booleans": "0/1"}"#), adapter("{}")];
    let adapters = adapters.iter().flat_map(|adapter| ["--adapter", adapter]);
    let (report, _) = check(&adapters.chain(["--level", "digest", "--dumps", source]).collect::<Vec<_>>());
    let found = verdicts(&report);
    assert_eq!(
        found.iter().map(|verdicts| verdicts["source"].as_str()).collect::<Vec<_>>(),
        ["pass", "fail primitive-contents"],
        "{report:#}"
    );
}

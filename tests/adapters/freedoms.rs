//! Right decoders that say things in their own way: each is a full adapter (examples/adapters/full/) with a small change,
//! and passes every case and random dumps.

use std::fs;
use std::path::Path;

use crate::bench::{check, has_python, tally};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A change of a full adapter: its format, what it does then, what is replaced, and by what.
type Freedom = (&'static str, &'static str, &'static str, &'static str);

const FREEDOMS: [Freedom; 6] = [
    (
        "phd",
        "says nothing of how hashes are kept, other than with its hashes",
        r#""word_size": dump.word * 8,
            "hashes": "every-16" if dump.hashes_everywhere else "where-used-32"}"#,
        r#""word_size": dump.word * 8}"#,
    ),
    ("phd", "reads however many header records there are", "HEADER_LIMIT = 4096", "HEADER_LIMIT = 1 << 30"),
    (
        "hprof",
        "takes the first serial number of a class that has several",
        r#"self.serials[record["class"]] = record["serial"]"#,
        r#"self.serials.setdefault(record["class"], record["serial"])"#,
    ),
    (
        "hprof",
        "calls no bytes no values, whether their class is known or not",
        r#"        if owner not in classes:
            return {"raw": item["bytes"].hex()}"#,
        r#"        if owner not in classes:
            return {"raw": item["bytes"].hex()} if item["bytes"] else {"values": []}"#,
    ),
    (
        "hprof",
        "calls no values no bytes",
        r#"    return {"values": listed}"#,
        r#"    return {"values": listed} if listed else {"raw": ""}"#,
    ),
    (
        "classic",
        "refuses a text whose lines end in two ways",
        "WHITE_SPACE = ",
        r#"def one_end(text):
    with_return = text.count("\r\n")
    if 0 < with_return < text.count("\n"):
        raise Refusal("lines end in two ways", 0)
    return text


WHITE_SPACE = "#,
    ),
];

#[test]
fn a_right_decoder_passes_whichever_words_it_chooses() {
    if !has_python() {
        return;
    }
    for (format, what, old, new) in FREEDOMS {
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["protocol.py", "hprof.py", "phd.py", "classic.py"] {
            let source = Path::new(ROOT).join("examples/adapters/full").join(file);
            let mut source = fs::read_to_string(source).expect("an adapter");
            if file == format!("{format}.py") {
                assert_eq!(source.matches(old).count(), 1, "{what}: the old text");
                source = source.replace(old, new);
                if format == "classic" {
                    let used = "self.text, self.is_ebcdic = characters(data)";
                    assert_eq!(source.matches(used).count(), 1, "{what}: where the text comes in");
                    source = source.replace(used, &format!("{used}\n        one_end(self.text)"));
                }
            }
            fs::write(folder.path().join(file), source).expect("it can be written");
        }
        let adapter = format!("python3 -B {}", folder.path().join(format!("{format}.py")).display());
        let (report, code) = check(&["--adapter", &adapter, "--format", format, "--random", "40", "--seed", "11"]);
        let verdicts: Vec<String> = tally(&report).into_keys().collect();
        assert_eq!((code, verdicts), (0, vec!["pass".to_owned()]), "{format}: {what}: {report:#}");
    }
}

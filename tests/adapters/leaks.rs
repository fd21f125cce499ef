//! Decoders that keep a table from one dump to the next: each is a full adapter (examples/adapters/full/) whose table outlives
//! the dump. A process is asked about many dumps in a row, so that what leaks shows in a later one.

use std::fs;
use std::path::Path;

use crate::bench::{check, has_python, interpreter};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A table that leaks: its format, what it holds, and what is replaced in the adapter, by what. `KEPT` is a table of the process.
const LEAKS: [(&str, &str, &str, &str); 15] = [
    ("hprof", "strings", "self.texts = Given()", r#"self.texts = KEPT.setdefault("texts", Given())"#),
    (
        "hprof",
        "names of classes",
        "self.names, self.serials, self.loaded = Given()",
        r#"self.names, self.serials, self.loaded = KEPT.setdefault("names", Given())"#,
    ),
    (
        "hprof",
        "classes by serial number",
        "self.names, self.serials, self.loaded = Given(), Given(), Given()",
        r#"self.names, self.serials, self.loaded = Given(), Given(), KEPT.setdefault("loaded", Given())"#,
    ),
    ("hprof", "stack frames", "self.frames = Given()", r#"self.frames = KEPT.setdefault("frames", Given())"#),
    (
        "hprof",
        "layouts of classes",
        "    classes = {}\n    for item",
        "    classes = KEPT.setdefault(\"classes\", {})\n    for item",
    ),
    (
        "hprof",
        "threads",
        "heap, threads = dump.heaps[index], {}",
        r#"heap, threads = dump.heaps[index], KEPT.setdefault("threads", {})"#,
    ),
    (
        "hprof",
        "stack traces",
        "heap, traces = dump.heaps[index], {}",
        r#"heap, traces = dump.heaps[index], KEPT.setdefault("traces", {})"#,
    ),
    (
        "phd",
        "the class cache",
        "self.class_cache, self.next_slot = [0, 0, 0, 0], 0",
        r#"self.class_cache, self.next_slot = KEPT.setdefault("cache", [0, 0, 0, 0]), 0"#,
    ),
    ("phd", "the next slot of the class cache", "[0, 0, 0, 0], 0", r#"[0, 0, 0, 0], KEPT.get("slot", 0)"#),
    ("phd", "random numbers of hashes", "self.hash_randoms = None", r#"None; self.hash_randoms = KEPT.get("randoms")"#),
    (
        "phd",
        "totals",
        "self.totals = self.hash_randoms = None",
        r#"self.hash_randoms = None; self.totals = KEPT.get("totals")"#,
    ),
    (
        "phd",
        "the version text",
        "self.version_text = self.totals",
        r#"self.version_text = KEPT.get("version"); self.totals"#,
    ),
    ("classic", "classes by name", "    classes = {}\n", "    classes = KEPT.setdefault(\"classes\", {})\n"),
    (
        "classic",
        "the version text",
        "self.version_text = self.breakdown",
        r#"self.version_text = KEPT.get("version"); self.breakdown"#,
    ),
    (
        "classic",
        "the total",
        "self.total = self.word_digits = None",
        r#"self.word_digits = None; self.total = KEPT.get("total")"#,
    ),
];

/// What the process keeps of a dump that was read, where an assignment at its beginning takes it up again.
const AT_END: [(&str, &str, &str); 2] = [
    (
        "phd",
        "        self.body()\n\n",
        "        self.body()\n        KEPT.update(randoms=self.hash_randoms, totals=self.totals, version=self.version_text, slot=self.next_slot)\n\n",
    ),
    (
        "classic",
        "        self.body()\n\n",
        "        self.body()\n        KEPT.update(version=self.version_text, total=self.total)\n\n",
    ),
];

#[test]
fn finds_each_table_that_leaks_into_the_next_dump() {
    if !has_python() {
        return;
    }
    for (format, what, old, new) in LEAKS {
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["protocol.py", "hprof.py", "phd.py", "classic.py"] {
            let mut source =
                fs::read_to_string(Path::new(ROOT).join("examples/adapters/full").join(file)).expect("an adapter");
            if file == format!("{format}.py") {
                let at_end = AT_END.into_iter().filter(|(of, ..)| *of == format).map(|(_, old, new)| (old, new));
                for (old, new) in at_end.chain([(old, new), ("\nclass Dump", "\nKEPT = {}\n\n\nclass Dump")]) {
                    assert_eq!(source.matches(old).count(), 1, "{format}: {what}: {old}");
                    source = source.replace(old, new);
                }
            }
            fs::write(folder.path().join(file), source).expect("it can be written");
        }
        let adapter = format!("{} -S -B {}", interpreter(), folder.path().join(format!("{format}.py")).display());
        let (report, code) = check(&["--adapter", &adapter, "--format", format, "--max-failures", "1"]);
        assert_eq!(code, 1, "{format}: {what}: {:#}", report["implementations"][0]["readings"]);
    }
}

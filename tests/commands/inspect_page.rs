//! The page of `inspect --html` as a file.

use pretty_assertions::assert_eq;

use super::bench::Bench;

#[test]
fn writes_complete_page_of_broken_dump() {
    let bench = Bench::new();
    bench.ok("generate --format phd6 --seed 5 --objects 60 -o good.phd");
    assert_eq!(bench.ok("inspect --html good.phd -o good.html"), "");
    let page = String::from_utf8(bench.read("good.html")).expect("text");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>") && page.contains("read to the end"));
    assert_eq!(bench.ok("inspect --html good.phd"), page, "standard output is the default");

    let dump = bench.read("good.phd");
    bench.write("bad.phd", &dump[..dump.len() / 2]);
    let (code, out, error) = bench.run("inspect --html bad.phd -o bad.html");
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(error.contains("phd.file.truncated"), "{error}");
    let page = String::from_utf8(bench.read("bad.html")).expect("text");
    assert!(page.ends_with("</html>") && page.contains("reading stops at offset"));
    assert!(bench.refused("inspect --html bad.phd -o bad.html").contains("--force"));
    assert_eq!(bench.run("inspect --html bad.phd -o bad.html --force").0, 1);
}

#[test]
fn refuses_invalid_page_options() {
    let bench = Bench::new();
    bench.ok("generate --format phd6 --seed 5 --objects 60 -o good.phd");
    assert!(bench.refused("inspect --html --records 0 good.phd").contains("1..=50000"));
    assert!(bench.refused("inspect --html --from x1 good.phd").contains("hexadecimal after 0x"));
    for arguments in ["--from 5", "--records 5", "-o out", "--bytes --html", "--json --html"] {
        bench.refused(&format!("inspect {arguments} good.phd"));
    }
    assert!(!bench.0.path().join("out").exists());
    bench.refused("inspect --html missing.phd -o out");
    assert!(!bench.0.path().join("out").exists(), "whole or not at all");
    let hexadecimal = bench.ok("inspect --html --from 0x40 --records 2 good.phd");
    assert_eq!(bench.ok("inspect --html --from 64 --records 2 good.phd"), hexadecimal);
    let page = bench.ok("inspect --html --from record:7 --records 2 good.phd");
    assert!(page.contains("Records 7 to 8 of"), "{page}");
}

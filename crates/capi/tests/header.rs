//! The header declares what the sources export, as cbindgen makes it of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn header_declares_every_function() {
    let header = fs::read_to_string(Path::new(ROOT).join("include/heapsmith.h")).expect("it is committed");
    let sources =
        fs::read_dir(Path::new(ROOT).join("src")).expect("a folder").map(|entry| entry.expect("a file").path());
    let text: String = sources.map(|path| fs::read_to_string(path).expect("a text")).collect();
    let exported = text.split("extern \"C\" fn ").skip(1);
    let exported: BTreeSet<&str> = exported.filter_map(|rest| rest.split('(').next()).collect();
    assert!(exported.len() > 20, "{exported:?}");
    for name in &exported {
        assert!(
            header.contains(&format!(" {name}(")) || header.contains(&format!("*{name}(")),
            "{name} is not declared"
        );
    }
    assert_eq!(header.matches(");\n").count(), exported.len(), "the header declares other functions, too");
}

/// With HEAPSMITH_BLESS set, the header is written anew.
#[test]
fn header_is_that_of_cbindgen() {
    let made = Command::new("cbindgen").args(["--config", "cbindgen.toml"]).current_dir(ROOT).output();
    let Ok(made) = made else {
        assert!(std::env::var_os("HEAPSMITH_CBINDGEN_REQUIRED").is_none(), "cbindgen is required and not there");
        println!("skipped: no cbindgen");
        return;
    };
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let text = String::from_utf8(made.stdout).expect("a header is text");
    let path = Path::new(ROOT).join("include/heapsmith.h");
    if std::env::var_os("HEAPSMITH_BLESS").is_some() {
        fs::write(&path, &text).expect("the header is written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == text, "{} is not up to date: run this test with HEAPSMITH_BLESS set", path.display());
}

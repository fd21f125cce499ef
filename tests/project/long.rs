//! Tests that `cargo test` leaves out: `tests/long.sh` runs all of them, and `.ci/run` calls it.

use std::fs;
use std::path::Path;

use crate::portable::files;

/// The one reason to leave a test out.
const REASON: &str = r#"#[ignore = "long: tests/long.sh runs it"]"#;

#[test]
fn leaves_out_no_test_but_long_ones() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    ["crates/core/src", "crates/check/src", "src", "tests"]
        .iter()
        .for_each(|place| files(&root.join(place), &mut found));
    let (mut long, mut other) = (0, Vec::new());
    for path in found {
        let text = fs::read_to_string(&path).expect("text in UTF-8");
        for line in text.lines().map(str::trim).filter(|line| line.starts_with("#[ignore")) {
            match line == REASON {
                true => long += 1,
                false => other.push(format!("{}: {line}", path.display())),
            }
        }
    }
    assert!(other.is_empty(), "left out for another reason than {REASON}:\n{}", other.join("\n"));
    assert!(long > 10, "{long}");
    let ci = fs::read_to_string(root.join(".ci/run")).expect("the script");
    assert!(ci.lines().any(|line| line == "tests/long.sh"), ".ci/run does not call tests/long.sh");
}

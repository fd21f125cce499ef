//! What every command has in common: how much it says, colours, completions, manual pages; and folders of dumps.

use std::fs;

use pretty_assertions::assert_eq;

use super::bench::Bench;
use super::schema::Schema;

#[test]
fn every_command_has_a_manual_page_and_is_completed() {
    let bench = Bench::new();
    let help = bench.ok("--help");
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // What a line goes on with is indented further.
    let commands = commands.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    let commands: Vec<&str> = commands.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() > 20 && commands.contains(&"verify"), "{commands:?}");
    bench.ok("man -o pages");
    for command in commands.iter().filter(|command| **command != "help") {
        let page = fs::read_to_string(bench.0.path().join(format!("pages/heapsmith-{command}.1")));
        let page = page.unwrap_or_else(|e| panic!("{command}: {e}"));
        assert!(page.contains(".TH") && page.contains(".SH SYNOPSIS"), "{command}");
        let (_, examples) = page.split_once(".SH EXAMPLES\n.nf\n").unwrap_or_else(|| panic!("{command}: {page}"));
        assert!(
            examples.contains("\n$ ") && examples.contains(".SH \"EXIT STATUS\"\n.nf\n0  "),
            "{command}: {examples}"
        );
    }
    let below = fs::read_to_string(bench.0.path().join("pages/heapsmith-corpus-verify.1")).expect("a page");
    assert!(below.contains("heapsmith corpus verify"), "{below}");
    assert!(!bench.0.path().join("pages/heapsmith-supervise.1").exists(), "what is hidden has no page");
    let (code, _, error) = bench.run("man -o pages");
    assert!(code == 2 && error.contains("--force"), "{error}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = bench.ok(&format!("completions {shell}"));
        assert!(["check-conversion", "verify", "any-order"].iter().all(|word| script.contains(word)), "{shell}");
    }
}

#[test]
fn outputs_are_named_by_one_option_and_go_to_standard_output_without_it() {
    let bench = Bench::new();
    bench.ok("generate --format classic --seed 3 --objects 20 -o a.txt");
    bench.ok("decode a.txt -o a.jsonl");
    bench.write("a.kdl", b"class A\nobject a A\n");
    for command in [
        "generate --format classic --seed 3 --objects 20",
        "decode a.txt",
        "encode a.jsonl --format classic",
        "build a.kdl --format classic",
        "rewrite a.txt --through records",
        "rewrite a.txt --through heap",
        "convert a.txt --to classic",
        "corrupt a.txt --edit mix-line-ends",
    ] {
        let (code, printed, error) = bench.run(command);
        assert_eq!(code, 0, "{command}: {error}");
        bench.run(&format!("{command} -o out --force"));
        assert!(!printed.is_empty() && printed.as_bytes() == bench.read("out"), "{command}");
        let (code, dashed, _) = bench.run(&format!("{command} --output -"));
        assert!(code == 0 && dashed == printed, "{command}");
        let error = bench.refused(&format!("{command} --force new"));
        assert!(!bench.0.path().join("new").exists(), "{command}: {error}");
    }
}

#[test]
fn suggests_nearest_names() {
    let bench = Bench::new();
    bench.ok("generate --format phd6 -o a.phd");
    for (arguments, answer) in [
        ("generate --format phd6 --profile opnj9 -o x", "did you mean openj9?"),
        ("rewrite a.phd -o x --through heap --profile jdmpveiw", "did you mean jdmpview?"),
        ("convert a.phd -o x --to hprof --profile hotspot25", "did you mean hotspot-25"),
        ("convert a.phd -o x --to hrpof", "did you mean hprof?"),
        ("check-conversion a.phd a.phd --profile opnj9", "did you mean openj9?"),
        ("facets phd6/opnj9", "did you mean openj9?"),
        ("build a.kdl --format phd6/opnj9 -o x", "did you mean openj9?"),
        ("build a.kdl --format hrpof -o x", "did you mean hprof?"),
        ("compare a.phd a.phd --leave-out record-odrer", "did you mean record-order"),
        ("digest a.phd --facets clas-name", "did you mean class-name"),
        ("explain phd.gap.bas", "did you mean phd.gap.base"),
        ("generate --hit phd.gap.bas -o x", "did you mean phd.gap.base"),
        ("generate --preset tiney -o x", "did you mean tiny?"),
        ("corrupt a.phd --edit raise-the-versoin -o x", "did you mean raise-the-version?"),
        ("corpus export -o x --rule phd.gap.bas", "did you mean phd.gap.base"),
        ("corpus export -o x --tag goldn", "did you mean golden?"),
        ("check --decoder true{} --filter phd6-openj9-radnom", "did you mean phd6-openj9-random"),
        ("check --decoder true{} --filter rule=phd.gap.bas", "did you mean phd.gap.base"),
        ("schema valdate", "a similar value exists: 'validate'"),
    ] {
        let error = bench.refused(arguments);
        assert!(error.contains(answer), "{arguments}: {error}");
        assert!(!bench.0.path().join("x").exists(), "{arguments}");
    }
    // Where no name is near, none is guessed.
    assert!(!bench.refused("generate --format phd6 --profile hotspot-mobile -o x").contains("did you mean"));
}

#[test]
fn prints_colours_as_color_option_says() {
    let bench = Bench::new();
    bench.ok("generate -o a.hprof");
    let coloured = |arguments: &str| bench.ok(arguments).contains("\u{1b}[32m");
    assert!(!coloured("validate a.hprof"), "not in a pipe");
    assert!(coloured("validate a.hprof --color always"));
    assert!(coloured("--color always validate a.hprof"));
    assert!(!coloured("validate a.hprof --color never"));
}

#[test]
fn quiet_and_verbose_change_standard_error() {
    let bench = Bench::new();
    bench.ok("generate -o a.hprof");
    let dump = fs::read(bench.0.path().join("a.hprof")).expect("readable");
    bench.write("dumps/a.hprof", &dump);
    bench.write("dumps/notes.txt", b"no dump");
    let (code, out, said) = bench.run("validate dumps");
    assert_eq!((code, said.as_str()), (0, "warning: dumps: skipped 1 file that does not begin like a dump\n"), "{out}");
    assert_eq!(bench.run("validate dumps -q"), (0, out.clone(), String::new()));
    let (code, same, said) = bench.run("validate a.hprof -v");
    assert!(code == 0 && same.starts_with("a.hprof: valid"), "{same}");
    assert!(said.starts_with("0.") && said.contains("generator 2") && said.contains(" took "), "{said}");
    let (code, _, error) = bench.run("validate a.hprof -v -q");
    assert!(code == 2 && error.contains("cannot be used with"), "{error}");
    let version = bench.ok("--version");
    assert!(version.starts_with("heapsmith 0.") && version.contains("generator 2"), "{version}");
}

#[test]
fn expands_folders_and_patterns() {
    let bench = Bench::new();
    bench.ok("generate -o one.hprof");
    let dump = fs::read(bench.0.path().join("one.hprof")).expect("readable");
    bench.write("in/b.hprof", &dump);
    bench.write("in/deeper/c.bin", &dump);
    bench.write("in/a.hprof", &dump[..dump.len() / 2]);
    bench.write("in/readme.txt", b"what these are");
    bench.write("in/empty", b"");
    let judged = |out: &str| -> Vec<String> {
        let verdicts = out.lines().filter(|line| line.contains(": valid (") || line.contains(": not valid ("));
        verdicts.map(|line| line.split(" (").next().unwrap_or_default().to_owned()).collect()
    };
    let (code, out, _) = bench.run("validate in one.hprof");
    assert_eq!(
        judged(&out),
        ["in/a.hprof: not valid", "in/b.hprof: valid", "in/deeper/c.bin: valid", "one.hprof: valid"]
    );
    assert_eq!(code, 1);
    let (code, out, _) = bench.run("validate in/[b-z]*.hprof *.hprof");
    assert_eq!(judged(&out), ["in/b.hprof: valid", "one.hprof: valid"]);
    assert_eq!(code, 0);
    for (arguments, expected) in [
        ("validate *.phd", "*.phd: no file matches the pattern"),
        ("validate in/[", "invalid pattern"),
        ("validate none", "none"),
    ] {
        let (code, _, error) = bench.run(arguments);
        assert!(code == 2 && error.contains(expected), "{arguments}: {error}");
    }
    fs::create_dir(bench.0.path().join("bare")).expect("writable");
    let (code, _, error) = bench.run("validate bare");
    assert!(code == 2 && error.contains("no file in this folder begins like a dump"), "{error}");
}

#[cfg(unix)]
/// As if each was named: one that cannot be read is said, and the others are judged.
#[test]
fn a_file_that_cannot_be_read_does_not_hide_the_others_of_a_folder() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    bench.ok("generate --objects 20 -o folder.hprof");
    let dump = bench.read("folder.hprof");
    bench.write("folder/1.hprof", &dump);
    bench.write("folder/2.hprof", &dump);
    std::os::unix::fs::symlink(bench.path("folder.hprof"), bench.path("folder/3.hprof")).expect("a link");
    fs::set_permissions(bench.path("folder/1.hprof"), fs::Permissions::from_mode(0o000)).expect("it is ours");
    // Root reads it all the same.
    let is_readable = fs::File::open(bench.path("folder/1.hprof")).is_ok();
    let (code, out, error) = bench.run("validate folder");
    assert_eq!(code, if is_readable { 0 } else { 2 }, "{error}");
    assert!(is_readable || error.contains("reading folder/1.hprof: Permission denied"), "{error}");
    assert!(out.contains("folder/2.hprof: valid"), "{out}");
    assert!(error.contains("skipped 1 link; name what a link leads to"), "{error}");
}

#[cfg(unix)]
#[test]
fn does_not_follow_folder_links() {
    let bench = Bench::new();
    bench.ok("generate -o one.hprof");
    std::os::unix::fs::symlink(bench.0.path(), bench.0.path().join("again")).expect("a link");
    let (code, out, _) = bench.run("validate .");
    assert_eq!((code, out.lines().count()), (0, 1), "{out}");
}

#[test]
fn demo_prints_short_lines_and_next_steps() {
    let bench = Bench::new();
    let short = bench.ok("demo --objects 40");
    assert!(short.lines().all(|line| line.chars().count() <= 100), "{short}");
    let long = bench.ok("demo --objects 40 --long");
    let sums: Vec<&str> = long.lines().filter(|line| !short.contains(line)).collect();
    let json = bench.ok("demo --objects 40 --json");
    let schema = Schema::new(serde_json::from_str(&bench.ok("schema demo")).expect("JSON"));
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(schema.error(&report), None);
    let dumps = report["dumps"].as_array().expect("dumps");
    assert_eq!(sums.len(), dumps.len());
    for (sum, dump) in sums.iter().zip(dumps) {
        let text = |key: &str| dump[key].as_str().expect("text").to_owned();
        assert_eq!(*sum, format!("{}  {}", text("sha256"), text("file")));
        assert!(short.contains(&text("format")) && dump["sound"] == true, "{dump}");
    }
    // What it says comes next works.
    for command in short.lines().skip_while(|line| !line.contains("Next:")).skip(1).take(2) {
        bench.ok(command.trim().trim_start_matches("heapsmith "));
    }
}

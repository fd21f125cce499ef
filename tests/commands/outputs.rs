//! Where outputs go: never over what is read, never two into one.

use std::fs;

use pretty_assertions::assert_eq;

use super::bench::Bench;

/// With `--force`, too.
#[test]
fn refuses_output_that_is_an_input_or_another_output() {
    let bench = Bench::new();
    bench.ok("generate --format classic --seed 3 --objects 20 -o a.txt");
    bench.ok("generate --seed 3 --objects 20 -o a.hprof");
    bench.ok("decode a.txt -o a.jsonl");
    bench.write("options.toml", b"objects = 20\n");
    bench.write("a.kdl", b"class A\nobject a A\n");
    fs::create_dir(bench.path("folder")).expect("a folder");
    std::os::unix::fs::symlink(bench.path("a.txt"), bench.path("link")).expect("a link");
    for (input, command) in [
        ("a.txt", "decode a.txt -o a.txt"),
        ("a.txt", "decode a.txt -o link"),
        ("a.txt", "decode link -o a.txt"),
        ("a.txt", "decode a.txt -o folder/../a.txt"),
        ("a.jsonl", "encode a.jsonl --format classic -o a.jsonl"),
        ("a.kdl", "build a.kdl --format classic -o a.kdl"),
        ("a.kdl", "decode a.kdl -o a.kdl"),
        ("a.txt", "rewrite a.txt --through records -o a.txt"),
        ("a.txt", "rewrite a.txt --through heap -o a.txt"),
        ("a.txt", "convert a.txt --to classic -o a.txt"),
        ("a.txt", "corrupt a.txt --edit mix-line-ends -o a.txt"),
        ("a.txt", "inspect a.txt --html -o a.txt"),
        ("a.hprof", "answers a.hprof --entries a.hprof"),
        ("options.toml", "generate --options options.toml -o options.toml"),
        ("options.toml", "generate --options options.toml -o new --answers options.toml"),
        ("a.txt", "reduce a.txt --test false{} -o a.txt"),
        ("a.txt", "reduce a.txt --test false{} -o new --issue a.txt"),
        ("a.txt", "reduce a.txt --test false{} -o new --journal a.txt"),
        ("a.txt", "reduce a.txt --test false{} -o new --journal link"),
    ] {
        let before = bench.read(input);
        let error = bench.refused(&format!("{command} --force"));
        assert!(error.contains("is the input, which is never overwritten"), "{command}: {error}");
        assert!(bench.read(input) == before && !bench.path("new").exists(), "{command}");
    }
    for command in [
        "generate --objects 20 -o new --answers new",
        "generate --objects 20 -o new --answers folder/../new",
        "generate --objects 20 --answers -",
        "reduce a.txt --test false{} -o new --issue new",
        "reduce a.txt --test false{} --issue -",
        "reduce a.txt --test false{} -o new --journal new",
    ] {
        let error = bench.refused(&format!("{command} --force"));
        assert!(error.contains("cannot take two outputs"), "{command}: {error}");
        assert!(!bench.path("new").exists(), "{command}");
    }
    let error = bench.refused("reduce a.txt --test false{} -o new --journal a.hprof");
    assert!(error.contains("a.hprof is not a journal of heapsmith reduce"), "{error}");
    // Devices take any number.
    bench.ok("generate --objects 20 -o /dev/null --answers /dev/null");
}

/// What cannot be written is refused before anything is.
#[test]
fn writes_no_output_if_second_output_is_refused() {
    let bench = Bench::new();
    bench.ok("generate --objects 20 -o a.hprof");
    bench.write("old", b"old");
    for (command, reason) in [
        ("generate --objects 20 -o new --answers old", "exists"),
        ("generate --objects 20 -o new --answers nowhere/answers", "there is no folder nowhere"),
        ("generate --break hprof.instance.length -o new --answers answers", "a damaged dump is that of no heap"),
        ("compare a.hprof a.hprof --up-to-renaming --mapping old", "exists"),
    ] {
        let error = bench.refused(command);
        assert!(error.contains(reason), "{command}: {error}");
        assert!(!bench.path("new").exists() && !bench.path("answers").exists(), "{command}");
    }
    assert_eq!(bench.read("old"), b"old");
}

/// A report does not mix with an output that goes to standard output.
#[test]
fn a_report_beside_standard_output_goes_to_standard_error() {
    let bench = Bench::new();
    bench.ok("generate --objects 20 -o a.hprof");
    for (command, report) in [
        ("answers a.hprof --entries -", "classes"),
        ("answers a.hprof --entries - --json", "{\"schema\""),
        ("compare a.hprof a.hprof --up-to-renaming --mapping -", "equal"),
        ("compare a.hprof a.hprof --up-to-renaming --mapping - --json", "{"),
        ("convert a.hprof --to phd6 -o -", "written as"),
        ("corrupt a.hprof --edit repeat-an-object -o -", "breaks"),
    ] {
        let into_a_file = match command {
            command if command.contains("--entries -") => command.replace("--entries -", "--entries out"),
            command if command.contains("--mapping -") => command.replace("--mapping -", "--mapping out"),
            command => command.replace("-o -", "-o out"),
        };
        let (_, said, _) = bench.run(&into_a_file);
        let (code, printed, error) = bench.run(command);
        assert_eq!(code, 0, "{command}: {error}");
        assert!(said.starts_with(report), "{into_a_file}: {said}");
        assert!(error.contains(&said), "{command}: {error}");
        assert!(!printed.is_empty() && printed == String::from_utf8_lossy(&bench.read("out")), "{command}");
        fs::remove_file(bench.path("out")).expect("it is there");
    }
}

/// Of a recipe that says gzip=yes, what is about the plain dump is refused, and nothing is compressed twice.
#[test]
fn compresses_dump_at_most_once() {
    let bench = Bench::new();
    let recipe = "generate heapsmith-2:preset=tiny,gzip=yes,seed=3";
    bench.ok(&format!("{recipe} -o by-recipe.gz"));
    bench.ok(&format!("{recipe} --gzip -o by-both.gz"));
    bench.ok("generate heapsmith-2:preset=tiny,seed=3 -o plain");
    for dump in ["by-recipe.gz", "by-both.gz"] {
        assert_eq!(bench.ok(&format!("digest {dump} --json")), bench.ok("digest plain --json"), "{dump}");
    }
    bench.ok(&format!("{recipe} --threads 2 -o threads.gz"));
    assert!(bench.read("threads.gz") == bench.read("by-recipe.gz"));
    for of_the_plain in ["--size", "--window 0..3"] {
        let error = bench.refused(&format!("{recipe} {of_the_plain}"));
        assert!(error.contains("are for dumps that are not compressed"), "{error}");
    }
    assert!(bench.refused("generate --gzip --print-recipe").contains("a recipe cannot say --gzip"));
}

/// A page alone has an output, and a page or a byte map a place to begin at.
#[test]
fn options_of_a_page_are_refused_without_one() {
    let bench = Bench::new();
    bench.ok("generate --objects 20 -o a.hprof");
    for text in ["", " --bytes", " --json"] {
        for option in ["-o new", "--records 5", "--force"] {
            bench.refused(&format!("inspect a.hprof{text} {option}"));
        }
    }
    bench.refused("inspect a.hprof --from 5");
    bench.refused("inspect a.hprof --json --from 5");
    assert!(!bench.path("new").exists());
}

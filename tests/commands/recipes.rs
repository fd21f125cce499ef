//! Recipes on the command line: they stand for dumps wherever a command reads one.

use std::fs;

use pretty_assertions::assert_eq;
use sha2::{Digest, Sha256};

use super::bench::Bench;

/// `DUMP` stands for the dump, `OUT` for an output, which is compared as well.
const COMMANDS: &[&str] = &[
    "inspect DUMP",
    "inspect --json DUMP",
    "inspect --bytes DUMP",
    "inspect --bytes --from record:5 DUMP",
    "inspect --html DUMP",
    "inspect --html --from 0x100 --records 5 DUMP",
    "decode DUMP",
    "rewrite DUMP -o OUT --through records --force",
    "rewrite DUMP -o OUT --through heap --force",
    "validate DUMP",
    "validate --no-graph --notes DUMP",
    "validate --json DUMP",
    "compare DUMP other",
    "compare --json DUMP other",
    "compare DUMP other --up-to-renaming",
    "digest DUMP",
    "convert DUMP -o OUT --to hprof --force",
    "convert DUMP -o OUT --to classic --force",
    "check-conversion DUMP other",
];

#[test]
fn every_command_answers_recipe_like_its_file() {
    let bench = Bench::new();
    for (spelling, edit) in [
        (",format=phd6", "use-a-reserved-tag"),
        ("", "raise-the-version"),
        (",profile=any", "raise-the-version"),
        (",format=classic", "add-a-stray-line"),
    ] {
        let recipe = format!("heapsmith-2:preset=plain,objects=60,seed=5{spelling}");
        bench.ok(&format!("generate {recipe} -o file --force"));
        bench.ok(&format!("generate {recipe} --seed 6 -o other --force"));
        let edit = format!("corrupt DUMP --edit {edit} -o OUT --force");
        for command in COMMANDS.iter().copied().chain([edit.as_str()]) {
            let answer = |dump: &str| {
                let _ = fs::remove_file(bench.0.path().join("out"));
                let (code, out, error) = bench.run(&command.replace("DUMP", dump).replace("OUT", "out"));
                // Answers name what they are about.
                let named = |text: String| text.replace(&recipe, "file");
                (code, named(out), named(error), fs::read(bench.0.path().join("out")).ok())
            };
            let of_file = answer("file");
            assert!(of_file.0 <= 2, "{command}");
            assert_eq!(answer(&recipe), of_file, "{command} of {recipe}");
        }
    }
}

#[test]
fn a_recipe_is_printed_and_generates_the_same_bytes() {
    let bench = Bench::new();
    let arguments = "generate --format phd5 --profile any --preset tiny --seed 9 --objects 30 --nulls 0.5";
    let recipe = bench.ok(&format!("{arguments} --print-recipe"));
    assert_eq!(recipe, "heapsmith-2:preset=tiny,objects=30,nulls=0.5,seed=9,format=phd5,profile=any\n");
    bench.ok(&format!("{arguments} -o a"));
    bench.ok(&format!("generate {} -o b", recipe.trim_end()));
    assert_eq!(bench.read("a"), bench.read("b"));
    let (code, _, said) = bench.run(&format!("{arguments} -o c --recipe"));
    assert_eq!((code, said), (0, recipe));
    assert_eq!(bench.read("a"), bench.read("c"));
}

#[test]
fn options_file_equals_flags() {
    let bench = Bench::new();
    let file = "preset = \"tiny\"\nobjects = 40\nnulls = 0.25\noddities = [\"nul-names\", \"signers\"]\nhashes = 16\n";
    fs::write(bench.0.path().join("options.toml"), file).expect("writable");
    let flags =
        "generate --preset tiny --objects 40 --nulls 0.25 --oddities nul-names+signers --hashes 16 --print-recipe";
    assert_eq!(bench.ok("generate --options options.toml --print-recipe"), bench.ok(flags));
    // A flag changes what the file says.
    let changed = bench.ok("generate --options options.toml --objects 50 --print-recipe");
    assert!(changed.contains("objects=50,"), "{changed}");
    fs::write(bench.0.path().join("wrong.toml"), "object = 3\n").expect("writable");
    let error = bench.refused("generate --options wrong.toml");
    assert!(
        error.contains("unknown option \"object\"; `heapsmith generate --help` shows all; did you mean objects"),
        "{error}"
    );
}

#[test]
fn one_heap_in_several_formats_is_converted_faithfully() {
    let bench = Bench::new();
    for options in ["--seed 7 --objects 100", "--preset tiny --seed 3", "--preset boundary --seed 4 --addresses dense"]
    {
        bench.ok(&format!("generate --format phd6,hprof,classic {options} -o stem --force"));
        let stems = ["stem.phd6", "stem.hprof", "stem.txt"];
        for (one, other) in stems.iter().flat_map(|one| stems.iter().map(move |other| (one, other))) {
            let verdict = bench.ok(&format!("check-conversion {one} {other}"));
            assert!(verdict.starts_with("faithful"), "{options}: {one} to {other}: {verdict}");
        }
    }
    let recipes = bench.ok("generate --format hprof,classic --print-recipe -o stem");
    assert!(recipes.lines().all(|recipe| recipe.contains(",class-objects=hotspot,")), "{recipes}");
    let kept = bench.ok("generate --format hprof,classic --class-objects j9 --print-recipe -o stem");
    assert!(!kept.contains("class-objects"), "{kept}");
    let error = bench.refused("generate --format phd6,hprof");
    assert!(error.contains("each of several formats needs a file"), "{error}");
    let error = bench.refused("generate --format phd6,hprof --addresses unaligned -o other");
    assert!(error.contains("addresses=unaligned: phd6") && error.contains("choose addresses=ordinary"), "{error}");
    assert!(!bench.0.path().join("other.hprof").exists(), "nothing is written where one is refused");
    let error = bench.refused("generate --format phd6,classic --id-size 4 -o other");
    assert!(error.contains("has no identifier size"), "{error}");
}

#[test]
fn swarm_seed_draws_unset_options() {
    let bench = Bench::new();
    let recipe = bench.ok("generate --swarm --seed 12 --format phd6,hprof --objects 40 --print-recipe");
    let lines: Vec<&str> = recipe.lines().collect();
    assert_eq!(lines.len(), 2, "{recipe}");
    assert!(lines.iter().all(|line| line.contains(",objects=40,") && !line.contains("swarm")), "{recipe}");
    bench.ok("generate --swarm --seed 12 --format hprof --objects 40 -o one");
    let alone = bench.ok("generate --swarm --seed 12 --format hprof --objects 40 --print-recipe");
    bench.ok(&format!("generate {} -o two", alone.trim_end()));
    bench.ok("generate heapsmith-2:swarm=yes,seed=12,objects=40 -o three");
    assert_eq!(bench.read("one"), bench.read("two"));
    assert_eq!(bench.read("one"), bench.read("three"));
    assert!(bench.ok("verify one --recipe heapsmith-2:swarm=yes,seed=12,objects=40").contains("the same heap"));
}

#[test]
fn dumps_that_rely_on_a_rule_or_break_it_are_found() {
    let bench = Bench::new();
    bench.ok("generate --hit phd.gap.signed -o signed");
    assert!(bench.ok("validate signed").contains("valid"));
    bench.ok("generate --break hprof.instance.length --seed 7 -o broken");
    let (code, out, _) = bench.run("validate broken");
    assert!(code == 1 && out.contains("hprof.instance.length"), "{out}");
    let recipe = bench.ok("generate --break hprof.instance.length --seed 7 --print-recipe");
    assert!(recipe.contains(",edit=lengthen-an-instance,"), "{recipe}");
    bench.ok(&format!("generate {} -o again", recipe.trim_end()));
    assert_eq!(bench.read("broken"), bench.read("again"));
    let (code, out, _) = bench.run("validate heapsmith-2:break=hprof.instance.length,seed=7");
    assert!(code == 1 && out.contains("hprof.instance.length"), "{out}");
    let error = bench.refused("generate --hit phd.gap.sinned -o no");
    assert!(error.contains("did you mean phd.gap.signed"), "{error}");
    let error = bench.refused("generate --hit phd.gap.signed --format hprof -o no");
    assert!(error.contains("phd.gap.signed is no rule of hprof"), "{error}");
    let error = bench.refused("generate --hit phd.gap.signed --format phd6,phd5 -o no");
    assert!(error.contains("a dump of one format"), "{error}");
    let error = bench.refused(&format!("verify broken --recipe {}", recipe.trim_end()));
    assert!(error.contains("a damaged dump is that of no heap"), "{error}");
}

#[test]
fn mutation_is_reproducible() {
    let bench = Bench::new();
    let recipe = "heapsmith-2:preset=tiny,mutation=8,seed=3,format=phd6";
    for name in ["one", "two"] {
        bench.ok(&format!("generate {recipe} -o {name}"));
    }
    bench.ok(&format!("generate {} -o before", recipe.replace("mutation=8,", "")));
    assert_eq!(bench.read("one"), bench.read("two"));
    assert_ne!(bench.read("one"), bench.read("before"));
    let error = bench.refused(&format!("verify one --recipe {recipe}"));
    assert!(error.contains("mutation=8: a changed dump is that of no heap"), "{error}");
    let error = bench.refused("generate heapsmith-2:mutation=1,edit=drop-the-end -o no");
    assert!(error.contains("edit and mutation exclude each other"), "{error}");
}

#[test]
fn a_recipe_of_another_version_or_with_a_mistake_is_refused() {
    let bench = Bench::new();
    let error = bench.refused("validate heapsmith-9:seed=1");
    assert!(error.contains("it is for version 9 of the generator"), "{error}");
    let error = bench.refused("digest heapsmith-2:objekts=1");
    assert!(error.contains("did you mean objects"), "{error}");
    let error = bench.refused("decode heapsmith-2:profile=agent,word=64");
    assert!(error.contains("word=64: hprof of the profile agent"), "{error}");
}

#[test]
fn windows_and_size_match_whole_dump() {
    let bench = Bench::new();
    let recipe = "heapsmith-2:preset=huge,objects=9000,seed=3,profile=even";
    bench.ok(&format!("generate {recipe} -o whole"));
    let whole = bench.read("whole");
    assert_eq!(bench.ok(&format!("generate {recipe} --size")), format!("{}\n", whole.len()));
    let (at, length) = (whole.len() - 70_000, 65_536);
    let sum = bench.ok(&format!("generate {recipe} --window {at}..{length} --threads 3 --sha256 -o part"));
    let part = bench.read("part");
    assert!(part == whole[at..at + length]);
    let hash: String = Sha256::digest(&part).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(sum, format!("{hash}  part\n"));
    let beyond = bench.refused(&format!("generate {recipe} --window {}..1 -o beyond", whole.len()));
    assert!(beyond.contains(&format!("the dump has {} bytes", whole.len())), "{beyond}");
    assert!(!bench.0.path().join("beyond").exists());
    let unclear = bench.refused(&format!("generate {recipe} --window 5 -o beyond"));
    assert!(unclear.contains("expected the first byte's offset and a number of bytes"), "{unclear}");
    let (code, out, sum) = bench.run(&format!("generate {recipe} --sha256 --format classic --profile ibm-j9"));
    let hash: String = Sha256::digest(&out).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!((code, sum), (0, format!("{hash}  -\n")));
}

/// Version 2 is frozen: the sums stand in specs/generator.md.
#[test]
fn sums_of_whole_dumps_are_those_of_the_frozen_version() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/specs/generator.md")).expect("the page");
    let rows = page.lines().filter_map(|line| line.split_once("  heapsmith-2:"));
    let (bench, mut count) = (Bench::new(), 0);
    for (sum, recipe) in rows {
        let found = bench.ok(&format!("generate heapsmith-2:{recipe} --sha256 --force -o dump"));
        assert_eq!(found, format!("{sum}  dump\n"), "{recipe}");
        count += 1;
    }
    assert!(count > 15, "{count}");
}

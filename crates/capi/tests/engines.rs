//! The templates of harnesses under the engines that they are for, which call the library.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

mod common;

use common::{found, libraries, succeed};

/// The variable that makes the absence of an engine a failure.
const REQUIRED: &str = "HEAPSMITH_ENGINES_REQUIRED";

#[test]
fn changes_dumps_in_libfuzzer() {
    if found("clang", "--version", REQUIRED).is_none() {
        return;
    }
    let folder = template("libfuzzer");
    let found = folder.path().join("found");
    fs::create_dir(&found).expect("there is room");
    let arguments = ["-runs=20000", "-seed=1", "-max_len=4096"];
    let output = succeed(Command::new(folder.path().join("fuzz")).args(arguments).arg(&found));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("found LLVMFuzzerCustomMutator")
            && said.contains("MS: 1 Custom-")
            && said.contains("CustomCrossOver-"),
        "{said}"
    );
}

#[test]
fn changes_dumps_in_afl() {
    if found("afl-fuzz", "-h", REQUIRED).is_none() {
        return;
    }
    let folder = template("afl");
    let seeds = folder.path().join("seeds");
    fs::create_dir(&seeds).expect("there is room");
    let seed = heapsmith_core::mutator::generate("preset=tiny,objects=4,format=hprof", 1 << 20).expect("a dump");
    fs::write(seeds.join("seed"), seed).expect("there is room");
    let library = libraries().join("libheapsmith_afl.so");
    let mut command = Command::new("afl-fuzz");
    for flag in ["AFL_SKIP_CPUFREQ", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "AFL_NO_AFFINITY", "AFL_NO_UI"] {
        command.env(flag, "1");
    }
    command.env("AFL_CUSTOM_MUTATOR_LIBRARY", library).env("AFL_CUSTOM_MUTATOR_ONLY", "1").current_dir(folder.path());
    let output = succeed(command.args(["-V", "10", "-t", "1000", "-i", "seeds", "-o", "findings", "--", "./fuzz"]));
    let queue = folder.path().join("findings/default/queue");
    let names = fs::read_dir(&queue).expect("a folder").map(|entry| entry.expect("a file").file_name());
    let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(names.iter().any(|name| name.contains("heapsmith-")), "{names:?}\n{said}");
}

/// A template in a folder of its own, with its harness built.
fn template(engine: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/engines");
    let of_engine = |name: &str| examples.join(engine).join(name);
    for file in [examples.join("parser.h"), of_engine("harness.c"), of_engine("Makefile")] {
        let name: PathBuf = file.file_name().expect("a name").into();
        fs::copy(&file, folder.path().join(name)).expect("there is room");
    }
    let given = format!("HEAPSMITH={}", libraries().display());
    succeed(Command::new("make").args(["fuzz", &given]).current_dir(folder.path()));
    folder
}

/// As OSS-Fuzz's builder runs it, with libraries that are built already.
#[test]
fn builds_fuzzer_of_clusterfuzzlite() {
    let built = libraries().parent().expect("a folder").to_owned();
    let missing = [("clang", "--version"), ("zip", "-v")].map(|(name, option)| found(name, option, REQUIRED).is_none());
    if missing.contains(&true) {
        return;
    }
    if !built.join("heapsmith").is_file() {
        assert!(std::env::var_os(REQUIRED).is_none_or(|value| value != "1"), "the program heapsmith is not built");
        println!("skipped: the program heapsmith is not built");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for name in ["heapsmith/target", "parser", "out", "programs"] {
        fs::create_dir_all(at(name)).expect("there is room");
    }
    std::os::unix::fs::symlink(&built, at("heapsmith/target/release")).expect("there is room");
    // Nothing is left for cargo to do.
    std::os::unix::fs::symlink("/bin/true", at("programs/cargo")).expect("there is room");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/engines");
    for file in ["parser.h", "libfuzzer/harness.c", "clusterfuzzlite/clusterfuzzlite/build.sh"] {
        let name = Path::new(file).file_name().expect("a name");
        fs::copy(examples.join(file), at("parser").join(name)).expect("there is room");
    }
    let path = format!("{}:{}", at("programs").display(), std::env::var("PATH").unwrap_or_default());
    let mut build = Command::new("bash");
    build.arg("-eu").arg("build.sh").current_dir(at("parser")).env("PATH", path);
    build.env("SRC", folder.path()).env("OUT", at("out")).env("CC", "clang").env("CXX", "clang++");
    let flags = "-g -O1 -fsanitize=address,fuzzer-no-link";
    build.env("CFLAGS", flags).env("CXXFLAGS", flags).env("LIB_FUZZING_ENGINE", "-fsanitize=fuzzer");
    succeed(&mut build);
    let dictionary = format!("-dict={}", at("out/parse.dict").display());
    let output = succeed(Command::new(at("out/parse")).args(["-runs=2000", "-seed=1", &dictionary]));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("found LLVMFuzzerCustomMutator") && said.contains("Dictionary: "), "{said}");
    let seeds = fs::read(at("out/parse_seed_corpus.zip")).expect("seeds");
    assert!(seeds.windows(13).any(|part| part == b"hprof-agent-4"), "{} bytes", seeds.len());
}

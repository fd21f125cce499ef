//! `fuzz`: campaigns with bugs of the bank, killed, repeated and in shards.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::bank::{adapters, bugs};
use crate::bench::{HEAPSMITH, assert_gone, check, has_python, heapsmith, interpreter, wait_until};
use crate::schema::Schema;

/// Adapters with two bugs: one takes strings for UTF-8, and the other the values of superclasses before those of subclasses.
fn two_bugs() -> (TempDir, String) {
    let all = bugs("hprof");
    let chosen = ["hprof-bug-utf-8", "hprof-bug-superclass-first"];
    let chosen: Vec<_> = all.iter().filter(|bug| chosen.contains(&&*bug.id)).collect();
    assert_eq!(chosen.len(), 2);
    let folder = adapters(chosen);
    let script = folder.path().join("hprof.py");
    let command = format!("{} -S -B {}", interpreter(), shell_words::quote(&script.to_string_lossy()));
    (folder, command)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn fuzz(adapter: &str, state: &Path, more: &[&str]) -> (i32, String) {
    let state = text(state);
    let output = heapsmith(&[&["fuzz", "--adapter", adapter, "--format", "hprof", "--state", &state], more].concat());
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.code().unwrap_or(-1), said)
}

fn json(arguments: &[&str], schema: &str) -> Value {
    let output = heapsmith(&[arguments, &["--json"]].concat());
    let value = serde_json::from_slice(&output.stdout).expect("JSON");
    let path = format!("{}/specs/schemas/{schema}.schema.json", env!("CARGO_MANIFEST_DIR"));
    let schema = fs::read_to_string(path).expect("it is there");
    assert_eq!(Schema::new(serde_json::from_str(&schema).expect("JSON")).error(&value), None);
    value
}

fn status(state: &Path) -> Value {
    json(&["fuzz", "status", &text(state)], "fuzz-status")
}

/// What a report says, without how dumps were reduced: that is done by each shard for itself.
fn report(states: &[&Path]) -> Value {
    let states: Vec<String> = states.iter().map(|path| text(path)).collect();
    let states: Vec<&str> = states.iter().map(String::as_str).collect();
    let mut told = json(&[&["fuzz", "report"], &states[..]].concat(), "check");
    told["chosen"].as_object_mut().expect("what was chosen").remove("shard");
    for cause in told["implementations"][0]["causes"].as_array_mut().expect("causes") {
        cause.as_object_mut().expect("a cause").remove("reduced");
    }
    told
}

/// The first place in which two values differ.
fn difference(one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(all), Value::Object(others)) if all.len() == others.len() => {
            all.iter().find_map(|(key, value)| {
                Some(format!("{key}/{}", difference(value, others.get(key).unwrap_or(&Value::Null))?))
            })
        }
        (Value::Array(all), Value::Array(others)) if all.len() == others.len() => {
            let pairs = all.iter().zip(others).enumerate();
            pairs.into_iter().find_map(|(at, (value, other))| Some(format!("{at}/{}", difference(value, other)?)))
        }
        _ if one == other => None,
        _ => Some(format!(": {:.300} and {:.300}", one.to_string(), other.to_string())),
    }
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().unwrap_or_else(|| panic!("{key} is a list of {value:#}"))
}

#[test]
fn finds_two_causes_with_reduced_dumps_for_two_bugs() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let (_adapters, adapter) = two_bugs();
    let state = folder.path().join("state");
    let (code, said) = fuzz(&adapter, &state, &["--cases", "256"]);
    assert_eq!(code, 1, "{said}");
    let told = status(&state);
    assert_eq!((&told["cases"], &told["batches"]), (&256.into(), &"0-3".into()), "{told:#}");
    let causes = list(&told, "causes");
    assert_eq!(causes.len(), 2, "{told:#}");
    let mut shown = BTreeSet::new();
    for cause in causes {
        let dump = &cause["reduced"];
        assert!(said.contains(dump["file"].as_str().expect("a file")), "{said}");
        assert!(dump["bytes"].as_u64().expect("a number") <= 400, "{dump:#}");
        // Asked about alone, it shows this and nothing else.
        let path = text(&state.join(dump["file"].as_str().expect("a file")));
        let (alone, code) = check(&["--adapter", &adapter, "--dumps", &path]);
        let found = list(&alone["implementations"][0], "causes");
        assert_eq!((code, found.len()), (1, 1), "{alone:#}");
        let seen: Vec<&str> = list(&found[0], "symptoms").iter().filter_map(|one| one["what"].as_str()).collect();
        let shows: Vec<&str> = list(dump, "shows").iter().filter_map(Value::as_str).collect();
        assert!(shows.iter().any(|what| seen.contains(what)), "{shows:?} {seen:?}");
        shown.insert(seen[0].to_owned());
        // Its recipe is a dump, too.
        let recipe = cause["recipe"].as_str().expect("a recipe");
        assert_eq!(check(&["--adapter", &adapter, "--dumps", recipe]).1, 1, "{recipe}");
    }
    assert_eq!(shown.len(), 2, "{shown:?}");
    // Every failure is of a cause, and counted there.
    let failed: u64 = told["tally"]["fail"].as_u64().expect("a number");
    assert!(causes.iter().map(|cause| cause["cases"].as_u64().expect("a number")).sum::<u64>() >= failed, "{told:#}");
    // What was reached is counted.
    for (what, least) in [("rules", 60), ("records", 15), ("facets", 30), ("widths", 2)] {
        assert!(told["reached"][what].as_object().expect("counts").len() >= least, "{what}: {:#}", told["reached"]);
    }
    // The report has the dumps beside it.
    let folder = folder.path().join("report");
    let output = heapsmith(&["fuzz", "report", &text(&state), "--report", &text(&folder)]);
    assert_eq!(output.status.code(), Some(1));
    for cause in causes {
        let file = cause["reduced"]["file"].as_str().expect("a file");
        assert_eq!(fs::read(folder.join(file)).expect("a dump"), fs::read(state.join(file)).expect("a dump"));
        assert!(fs::read_to_string(folder.join("report.html")).expect("a page").contains(file));
        assert!(fs::read_to_string(folder.join("report.md")).expect("a text").contains(file));
    }
}

/// Files and folders of temporary files.
fn left(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn killed_campaign_resumes_without_losing_announced_causes() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let temporary = folder.path().join("temporary");
    fs::create_dir(&temporary).expect("there is room");
    let (state, whole) = (folder.path().join("state"), folder.path().join("whole"));
    let (adapters, adapter) = two_bugs();
    let mark = text(&adapters.path().join("hprof.py"));
    let options = ["--cases", "320", "--jobs", "1", "--trials", "30"];
    let (code, said) = fuzz(&adapter, &whole, &options);
    assert_eq!(code, 1, "{said}");
    // It is killed when the state has these numbers of lines.
    for lines in [2, 3, 4, 6] {
        let mut command = Command::new(HEAPSMITH);
        command.args(["fuzz", "--adapter", &adapter, "--format", "hprof", "--state", &text(&state)]).args(options);
        command.env("TMPDIR", &temporary).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut running = command.spawn().expect("it starts");
        let path = state.join("state.jsonl");
        let count = || fs::read_to_string(&path).map_or(0, |text| text.lines().filter(|line| !line.is_empty()).count());
        wait_until("the lines", || count() >= lines);
        running.kill().expect("it can be killed");
        let output = running.wait_with_output().expect("it has ended");
        // Its programs are gone.
        assert_gone(&mark);
        // Every dump that it printed is there, and in the state.
        let told = status(&state);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        for line in said.lines().filter_map(|line| line.split_once("smallest dump: ")) {
            let file = line.1.split(' ').next().expect("a path");
            assert!(Path::new(file).is_file(), "{file}");
            assert!(
                fs::read_to_string(&path).expect("lines").contains(file.rsplit('/').next().expect("a name")),
                "{file}"
            );
        }
        assert_eq!(told["damaged"], 0);
    }
    // A line that was cut.
    let path = state.join("state.jsonl");
    let lines = fs::read_to_string(&path).expect("lines");
    fs::write(&path, &lines[..lines.len() - 20]).expect("there is room");
    let output = Command::new(HEAPSMITH)
        .args(["fuzz", "--adapter", &adapter, "--format", "hprof", "--state", &text(&state)])
        .args(options)
        .env("TMPDIR", &temporary)
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(left(&temporary), Vec::<PathBuf>::new(), "what was killed left nothing");
    assert_eq!(status(&state)["batches"], "0-4");
    assert_eq!(difference(&report(&[&state]), &report(&[&whole])), None);
}

#[test]
fn merged_shards_equal_whole_campaign() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = |name: &str| folder.path().join(name);
    let (_adapters, adapter) = two_bugs();
    let options = ["--cases", "320", "--seed", "3", "--trials", "0"];
    assert_eq!(fuzz(&adapter, &path("whole"), &options).0, 1);
    for shard in ["1/2", "2/2"] {
        let state = path(&shard.replace('/', "-"));
        assert!(fuzz(&adapter, &state, &[&options[..], &["--shard", shard]].concat()).0 < 2);
    }
    assert_eq!(status(&path("1-2"))["batches"], "0, 2, 4");
    assert_eq!(difference(&report(&[&path("2-2"), &path("1-2")]), &report(&[&path("whole")])), None);
    // A shard counts once, and other campaigns do not count.
    let twice = heapsmith(&["fuzz", "report", &text(&path("1-2")), &text(&path("1-2"))]);
    assert!(String::from_utf8_lossy(&twice.stderr).contains("name each shard once"));
    assert_eq!(fuzz(&adapter, &path("other"), &["--cases", "64", "--seed", "4", "--trials", "0"]).0, 1);
    let other = heapsmith(&["fuzz", "report", &text(&path("1-2")), &text(&path("other"))]);
    assert!(String::from_utf8_lossy(&other.stderr).contains("expected shards of one campaign"));
    let (code, said) = fuzz(&adapter, &path("other"), &["--cases", "64", "--seed", "5"]);
    assert!(code == 2 && said.contains("--seed was 4, not 5"), "{said}");
}

#[test]
fn a_right_reader_passes_generated_damaged_and_own_dumps() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let seed = folder.path().join("seed.hprof");
    let made = heapsmith(&["generate", "--format", "hprof", "--objects", "30", "--seed", "9", "-o", &text(&seed)]);
    assert!(made.status.success());
    let adapter = format!("{HEAPSMITH} adapter serve");
    let state = folder.path().join("state");
    let more = ["--cases", "2048", "--seeds", &text(&seed)];
    let run = |more: &[&str]| {
        let own = ["fuzz", "--adapter", &adapter, "--state", &text(&state)];
        let output = heapsmith(&[&own[..], more].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, said) = run(&more);
    assert_eq!(code, Some(0), "{said}");
    let told = status(&state);
    assert_eq!((&told["tally"]["pass"], list(&told, "causes").len()), (&2048.into(), 0), "{told:#}");
    assert!(told["reached"]["broken"].as_object().expect("counts").len() >= 60, "{:#}", told["reached"]["broken"]);
    // There is nothing more to do.
    let (code, said) = run(&more);
    assert!(code == Some(0) && said.contains("goes on after 2048 cases"), "{said}");
    // A seed that has changed is no seed of this campaign any more.
    fs::write(&seed, "JAVA PROFILE 1.0.2").expect("there is room");
    assert_eq!(run(&more).0, Some(2));
}

/// What an engine found, in the names that libFuzzer gives it: its dumps are asked about, each once; what comes later is asked about when
/// the command runs again.
#[test]
fn asks_about_the_dumps_that_an_engine_found() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let found = folder.path().join("found");
    fs::create_dir(&found).expect("there is room");
    let add = |name: &str, format: &str, seed: u64| {
        let own = ["--preset", "tiny", "--objects", "8", "--format", format, "--seed", &seed.to_string()];
        let made = heapsmith(&[&["generate", "-o", &text(&found.join(name))], &own[..]].concat());
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    };
    for seed in 0..70 {
        add(&format!("{seed:040x}"), "hprof", seed);
    }
    // The same dump again, one of another format, and what is no dump.
    fs::copy(found.join(format!("{:040x}", 3)), found.join("again")).expect("there is room");
    add("other", "phd6", 1);
    fs::write(found.join("README.txt"), "what afl-fuzz writes there").expect("there is room");
    let all = bugs("hprof");
    let adapters = adapters(all.iter().filter(|bug| bug.id == "hprof-bug-utf-8"));
    let script = adapters.path().join("hprof.py");
    let adapter = format!("{} -S -B {}", interpreter(), shell_words::quote(&script.to_string_lossy()));
    let state = folder.path().join("state");
    let coverage = ["--coverage", &text(&found)];
    let (code, said) = fuzz(&adapter, &state, &coverage);
    assert!(code == 0 && said.contains("70 new dumps of the engine; 1 file is no dump"), "{said}");
    assert_eq!(status(&state)["cases"], 70);
    // The engine removes what a smaller input covers as well, and writes other bytes in the place of what it trimmed.
    fs::remove_file(found.join(format!("{:040x}", 7))).expect("it is there");
    fs::write(found.join(format!("{:040x}", 8)), "trimmed").expect("there is room");
    // A string that is no UTF-8, as an engine may find one.
    let mut dump = fs::read(found.join(format!("{:040x}", 5))).expect("a dump");
    let name = b"java/lang/String";
    let place = dump.windows(name.len()).position(|part| part == name).expect("the name of the class");
    dump[place..place + 2].copy_from_slice(&[0xc0, 0x80]);
    fs::write(found.join("crash-da39a3ee"), dump).expect("there is room");
    let (code, said) = fuzz(&adapter, &state, &coverage);
    assert!(
        code == 1 && said.contains("goes on after 70 cases") && said.contains("1 new dump of the engine"),
        "{said}"
    );
    let told = status(&state);
    assert_eq!((&told["cases"], list(&told, "causes").len()), (&71.into(), 1), "{told:#}");
    // An empty folder is no campaign of drawn dumps.
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).expect("there is room");
    let (code, said) = fuzz(&adapter, &folder.path().join("none"), &["--coverage", &text(&empty)]);
    assert!(code == 2 && said.contains("begins like a dump"), "{said}");
    let (code, said) = fuzz(&adapter, &state, &[]);
    assert!(code == 2 && said.contains("what it asks about was an engine's dumps, not drawn dumps"), "{said}");
}

/// Decoders in another language, written by the rule books alone, answer every dump of a campaign rightly, mutated ones among
/// them.
#[test]
fn full_adapters_answer_generated_damaged_and_mutated_dumps_rightly() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let right = adapters([]);
    for format in ["hprof", "phd", "classic"] {
        let script = right.path().join(format!("{format}.py"));
        let adapter = format!("{} -S -B {}", interpreter(), shell_words::quote(&script.to_string_lossy()));
        let state = folder.path().join(format);
        let own = ["fuzz", "--adapter", &adapter, "--format", format, "--state", &text(&state)];
        let output = heapsmith(&[&own[..], &["--cases", "768", "--seed", "2"]].concat());
        assert_eq!(output.status.code(), Some(0), "{format}: {}", String::from_utf8_lossy(&output.stdout));
        let told = status(&state);
        assert!(told["tally"]["pass"].as_u64().expect("a number") >= 740, "{format}: {told:#}");
    }
}

/// The full adapter for HPROF with other texts in the place of some: its folder, and its command.
fn changed(changes: &[(&str, &str)]) -> (TempDir, String) {
    let folder = adapters([]);
    let script = folder.path().join("hprof.py");
    let mut source = fs::read_to_string(&script).expect("it is there");
    for (old, new) in changes {
        assert_eq!(source.matches(old).count(), 1, "{old}");
        source = source.replace(old, new);
    }
    fs::write(&script, source).expect("writable");
    let adapter = format!("{} -S -B {}", interpreter(), shell_words::quote(&text(&script)));
    (folder, adapter)
}

/// An adapter that refuses, with the same words, dumps with records of unknown kinds and dumps with a HEAP DUMP INFO: these are two
/// mistakes, and each has its condition.
#[test]
fn reduces_one_dump_per_mistake_with_same_message() {
    if !has_python() {
        return;
    }
    let refused = |old: &str| format!("raise Refusal(\"lost\")\n            {old}");
    let places = ["record = {\"event\": \"unknown\", \"tag\": tag, ", "info = body.fields(HEAP_DUMP_INFO)"];
    let new = places.map(refused);
    let (folder, adapter) = changed(&[(places[0], &new[0]), (places[1], &new[1])]);
    let state = folder.path().join("state");
    let (code, said) = fuzz(&adapter, &state, &["--cases", "512"]);
    assert_eq!(code, 1, "{said}");
    let told = status(&state);
    let of_message = |cause: &&Value| cause["reduced"]["shows"][0] == "refused: lost";
    let of = |words: &str| {
        let causes = list(&told, "causes").iter().filter(of_message);
        let mut named =
            causes.filter(|cause| cause["sentence"].as_str().is_some_and(|sentence| sentence.contains(words)));
        let cause = named.next().unwrap_or_else(|| panic!("no cause with {words}: {told:#}"));
        fs::read(state.join(cause["reduced"]["file"].as_str().expect("a file"))).expect("a dump")
    };
    // HEAP DUMP INFO is the sub-record fe.
    assert!(of("HEAP DUMP INFO").contains(&0xfe));
    assert!(!of("unknown-tag").is_empty());
}

/// A class that is its own superclass breaks a rule, and the dump can be read all the same: readers may answer what they like. To end
/// there is wrong.
#[test]
fn finds_crash_on_dump_that_may_be_read_or_refused() {
    if !has_python() {
        return;
    }
    let old = "raise Refusal(f\"the class {owner:#x} is its own superclass\")";
    let (folder, adapter) = changed(&[(old, "__import__(\"os\")._exit(3)")]);
    let state = folder.path().join("state");
    let (code, said) = fuzz(&adapter, &state, &["--cases", "320", "--seed", "1"]);
    assert_eq!(code, 1, "{said}");
    let told = status(&state);
    let [cause] = list(&told, "causes") else { panic!("expected one cause: {told:#}") };
    let dump = &cause["reduced"];
    assert_eq!(dump["rule"], "hprof.class.superclass-cycle", "{told:#}");
    assert!(dump["bytes"].as_u64().is_some_and(|bytes| bytes <= 300), "{told:#}");
}

/// A bug that only mutations show, and the recipe of the dump that shows it.
#[test]
fn mutation_finds_bug_that_generated_dumps_miss_and_recipe_reproduces_it() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let all = bugs("classic");
    // No writer begins an address with 0X.
    let folder_of_bug = adapters(all.iter().filter(|bug| bug.id == "classic-bug-upper-case-x"));
    let script = folder_of_bug.path().join("classic.py");
    let adapter = format!("{} -S -B {}", interpreter(), shell_words::quote(&script.to_string_lossy()));
    let state = text(&folder.path().join("state"));
    let own =
        ["fuzz", "--adapter", &adapter, "--format", "classic", "--state", &state, "--cases", "128", "--seed", "1"];
    assert_eq!(heapsmith(&own).status.code(), Some(1));
    let told = status(Path::new(&state));
    let recipe = list(&told, "causes")[0]["recipe"].as_str().expect("a recipe");
    assert!(recipe.contains(",mutation="), "{recipe}");
    assert_eq!(check(&["--adapter", &adapter, "--dumps", recipe]).1, 1, "{recipe}");
}

#[test]
fn reduces_dump_for_named_symptom_and_during_check() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let (_adapters, adapter) = two_bugs();
    let report = folder.path().join("report");
    let options = ["--format", "hprof", "--random", "30", "--filter", "random-*", "--seed", "1"];
    let (told, code) =
        check(&[&["--adapter", &adapter, "--reduce", "--report", &text(&report)], &options[..]].concat());
    let causes = list(&told["implementations"][0], "causes");
    assert_eq!((code, causes.len()), (1, 2), "{causes:#?}");
    for cause in causes {
        let dump = &cause["reduced"];
        let file = report.join(dump["file"].as_str().expect("a file"));
        let bytes = fs::read(&file).expect("a dump").len() as u64;
        assert!(bytes <= 400 && dump["bytes"] == bytes, "{dump:#}");
        // The same from the case that shows it, for this symptom alone.
        let id = cause["example"].as_str().expect("an id");
        let case = told["cases"].as_array().expect("cases").iter().find(|case| case["id"] == id).expect("a case");
        let small = folder.path().join("small.hprof");
        let recipe = case["recipe"].as_str().expect("a recipe");
        let name = cause["symptoms"][0]["what"].as_str().expect("a symptom");
        let reduce = ["reduce", recipe, "--adapter", &adapter, "--symptom", name, "--force", "-o", &text(&small)];
        let output = heapsmith(&reduce);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(fs::read(&small).expect("a dump").len() <= 400);
        let other = heapsmith(&["reduce", recipe, "--adapter", &adapter, "--symptom", "hang"]);
        assert_eq!(other.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&other.stderr).contains("does not show the symptom \"hang\""));
    }
}

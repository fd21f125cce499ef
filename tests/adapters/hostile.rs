//! Children that do what children should not.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::bench::{HEAPSMITH, assert_gone, check, has_python, mark, outcomes, processes, python, tally, wait_until};

/// Dumps that every reader accepts: ten or more.
const VALID: &str = "hprof-hotspot";

/// Runs the hostile adapter over some valid cases; no process is left.
fn hostile(way: &str, more: &[&str]) -> Option<(Value, i32)> {
    if !has_python() {
        return None;
    }
    let mark = mark();
    let adapter = python("tests/adapters/hostile.py", &format!("{way} {mark}"));
    let run = |limit: &[&str]| {
        let told = check(&[&["--adapter", &adapter], limit, more].concat());
        assert_gone(&mark);
        told
    };
    if !["hangs", "ignores-sigterm"].contains(&way) {
        return Some(run(&[]));
    }
    // Those that do nothing are not waited for; but they say hello first, for which a busy machine may take longer.
    let is_late = |told: &(Value, i32)| {
        outcomes(&told.0)
            .iter()
            .any(|outcome| outcome["how"].as_str().is_some_and(|how| how.starts_with("hello: no answer")))
    };
    let mut told = ["2", "8", "32", "128"].iter().map(|limit| run(&["--time-limit", limit]));
    told.find(|told| !is_late(told)).or_else(|| panic!("{way}: no hello within 128 s"))
}

/// The same; and every case that is not skipped has this verdict. Gives the message of the first.
#[track_caller]
fn every_case(way: &str, verdict: &str, more: &[&str]) -> Option<String> {
    let (report, code) = hostile(way, more)?;
    let mut verdicts = tally(&report);
    verdicts.remove("skip");
    let is_alone = verdicts.len() == 1 && verdicts.contains_key(verdict);
    assert!(is_alone, "{way}: {verdicts:?}, {:?}", outcomes(&report).first());
    assert_eq!(code, i32::from(verdict != "pass"), "{way}");
    let how = outcomes(&report).into_iter().find(|outcome| outcome["verdict"] == verdict)?["how"].as_str()?.to_owned();
    Some(how)
}

const SOME: &[&str] = &["--filter", VALID];
const ONE: &[&str] = &["--filter", "phd6-openj9-64"];

#[test]
fn one_that_behaves_passes() {
    let Some((report, code)) = hostile("behaves", SOME) else { return };
    let passed = tally(&report)["pass"];
    assert!(passed > 6 && code == 0, "{passed} passes, exit code {code}");
}

#[test]
fn garbage_is_no_answer() {
    let Some(how) = every_case("garbage", "adapter-error", SOME) else { return };
    assert!(how.contains("7 instances"), "{how}");
}

#[test]
fn an_adapter_that_never_says_hello_is_not_asked_anything() {
    let Some(how) = every_case("never-says-hello", "adapter-error", &[SOME, &["--time-limit", "3"]].concat()) else {
        return;
    };
    assert!(how.contains("hello") && how.contains("no answer after 3.0 s"), "{how}");
    // It is asked twice, not for every case: that is how often a program is started that ends without a hello.
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let starts = folder.path().join("starts");
    let adapter = format!("sh -c 'echo started >> {}'", shell_words::quote(&starts.to_string_lossy()));
    let (report, code) = check(&[&["--adapter", &adapter], SOME].concat());
    assert_eq!((tally(&report).keys().map(String::as_str).collect::<Vec<_>>(), code), (vec!["adapter-error"], 1));
    assert_eq!(fs::read_to_string(starts).expect("it was started"), "started\nstarted\n");
}

#[test]
fn one_that_dies_at_the_start_is_told_with_its_last_words() {
    let Some(how) = every_case("dies-at-start", "adapter-error", SOME) else { return };
    assert!(how.contains("I have had enough") && how.contains("exit code 1"), "{how}");
}

#[test]
fn hanging_is_told_and_after_some_cases_the_rest_is_not_asked() {
    let Some((report, code)) = hostile("hangs", &["--filter", VALID, "--max-hangs", "2"]) else { return };
    let verdicts = tally(&report);
    assert_eq!((verdicts.get("hang"), verdicts.get("pass"), code), (Some(&2), None, 1), "{verdicts:?}");
    assert!(verdicts["skip"] > 4, "{verdicts:?}");
}

#[test]
fn one_that_ignores_the_signal_to_end_is_killed() {
    let Some(how) = every_case("ignores-sigterm", "hang", ONE) else { return };
    assert!(how.contains("no answer after"), "{how}");
}

#[test]
fn one_that_dies_at_the_seventh_case_is_asked_again_and_passes() {
    let Some((report, code)) = hostile("dies-at-seventh", &["--filter", VALID]) else { return };
    assert_eq!(code, 0, "{:?}", tally(&report));
    let results = report["implementations"][0]["results"].as_array().expect("results");
    let first: Vec<&Value> = results.iter().filter(|result| !result["first"].is_null()).collect();
    assert!(!first.is_empty(), "what happened at first is told");
    assert!(first.iter().all(|result| result["first"]["how"] == "ended by SIGSEGV"), "{first:?}");
}

#[test]
fn a_crash_is_told_with_its_last_words() {
    let Some(how) = every_case("dies-always", "crash", SOME) else { return };
    assert_eq!(how, "exit code 101: panicked at src/parser.rs:7");
}

#[test]
fn half_a_line_is_a_crash() {
    let Some(how) = every_case("dies-in-a-line", "crash", ONE) else { return };
    assert!(how.contains("in the middle of a line"), "{how}");
}

#[test]
fn what_is_left_behind_is_killed_in_sessions_of_its_own_too() {
    let Some((report, code)) = hostile("leaves-children", &["--filter", VALID]) else { return };
    assert_eq!(code, 0, "{:?}", tally(&report));
}

#[test]
fn too_much_memory_is_its_own_verdict() {
    for way in ["eats-memory", "a-child-eats-memory"] {
        let limits = ["--filter", "phd6-openj9-64", "--memory-limit", "200"];
        let Some(how) = every_case(way, "out-of-memory", &limits) else { return };
        assert!(how.contains("200 MiB"), "{way}: {how}");
    }
}

#[test]
fn answers_in_another_order_are_no_answers() {
    let Some(how) = every_case("out-of-order", "adapter-error", SOME) else { return };
    assert!(how.contains("the answer to request 2 has the id 0"), "{how}");
}

#[test]
fn a_second_answer_is_held_against_the_case_that_has_it() {
    let Some(how) = every_case("answers-twice", "adapter-error", SOME) else { return };
    assert!(how.contains("nobody asked for"), "{how}");
    // One that does so at its third case alone passes alone.
    let Some((report, code)) = hostile("answers-twice-once", &["--filter", VALID]) else { return };
    assert_eq!(code, 0, "{:?}", tally(&report));
}

#[test]
fn closing_standard_output_is_no_answer() {
    let Some(how) = every_case("closes-stdout", "adapter-error", ONE) else { return };
    assert!(how.contains("closed its standard output"), "{how}");
}

#[test]
fn a_line_without_end_is_no_answer() {
    let Some(how) = every_case("long-line", "adapter-error", ONE) else { return };
    assert!(how.contains("16 MiB"), "{how}");
}

#[test]
fn errors_and_skips_are_told_as_they_are() {
    let Some(how) = every_case("errors", "adapter-error", ONE) else { return };
    assert_eq!(how, "my fault: phd6-openj9-64.phd", "without the temporary folder");
    // Skips alone are no answer to the question; beside another adapter they are.
    let others = ["--adapter", "heapsmith adapter serve", ONE[0], ONE[1]];
    let Some((report, code)) = hostile("skips", &others) else { return };
    assert_eq!((tally(&report), code), (BTreeMap::from([("skip".to_owned(), 1)]), 0));
    assert_eq!(outcomes(&report)[0]["link"], "https://example.org/7");
}

#[test]
fn one_that_stays_when_its_input_ends_is_killed() {
    every_case("stays", "pass", ONE);
}

#[test]
fn ten_gigabytes_of_messages_take_no_memory() {
    if !has_python() {
        return;
    }
    let adapter = python("tests/adapters/hostile.py", "floods-stderr");
    let arguments = ["check", "--json", "--adapter", &adapter, "--filter", "phd6-openj9-64", "--time-limit", "3600"];
    let mut child =
        Command::new(HEAPSMITH).args(arguments).stdout(Stdio::piped()).spawn().expect("heapsmith can be run");
    let mut most = 0;
    while child.try_wait().expect("it is ours").is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        most = most.max(peak.and_then(|kib| kib.trim().parse::<u64>().ok()).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().expect("it has ended");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(tally(&report).get("pass"), Some(&1), "{report}");
    assert!(most > 0 && most < 200 << 10, "{most} KiB");
}

#[test]
fn nothing_is_left_when_check_itself_is_killed() {
    if !has_python() {
        return;
    }
    let mark = mark();
    let adapter = python("tests/adapters/hostile.py", &format!("hangs {mark}"));
    let arguments = ["check", "--adapter", &adapter, "--filter", VALID, "--time-limit", "600"];
    let mut child =
        Command::new(HEAPSMITH).args(arguments).stdout(Stdio::null()).spawn().expect("heapsmith can be run");
    wait_until("the adapter and its supervisor run", || processes(&mark).len() >= 2);
    child.kill().expect("it is ours");
    child.wait().expect("it was killed");
    assert_gone(&mark);
}

#[test]
fn an_answer_that_is_no_plain_file_is_not_opened() {
    for way in ["out-fifo", "out-folder", "out-link"] {
        let Some(how) = every_case(way, "adapter-error", SOME) else { return };
        assert!(how.contains("plain file"), "{way}: {how}");
    }
    let Some((report, code)) = hostile("out-garbage", SOME) else { return };
    let verdicts = tally(&report);
    assert_eq!((verdicts.keys().map(String::as_str).collect::<Vec<_>>(), code), (vec!["fail"], 1), "{verdicts:?}");
    // Neither is one of a converter; what else it is refused for is a verdict, too.
    for make in ["mkfifo $1", "mkdir $1", "ln -s /dev/zero $1", "echo no dump > $1", ": > $1"] {
        let converter = format!("sh -c '{make}' sh {{out}} {{in}}");
        let question = ["--to", "hprof", "--filter", "hprof-hotspot-25-8-random"];
        let (report, code) = check(&[&["--converter", &converter], &question[..]].concat());
        let verdict = outcomes(&report)[0]["verdict"].as_str().unwrap_or_default().to_owned();
        assert!(code == 1 && ["crash", "fail"].contains(&verdict.as_str()), "{make}: {report}");
    }
}

#[test]
fn counts_beyond_64_bits_are_wrong_and_no_more() {
    let Some((report, code)) = hostile("counts-too-much", SOME) else { return };
    let verdicts = tally(&report);
    assert_eq!((verdicts.keys().map(String::as_str).collect::<Vec<_>>(), code), (vec!["fail"], 1), "{verdicts:?}");
}

#[test]
fn a_format_that_there_is_not_is_told_and_not_skipped() {
    let Some(how) = every_case("knows-no-format", "adapter-error", SOME) else { return };
    assert!(how.contains("\"HPROF\" is no format"), "{how}");
}

#[test]
fn dying_behind_the_answer_is_a_crash_of_that_case() {
    let Some(how) = every_case("dies-behind-its-answer", "crash", SOME) else { return };
    assert!(how.contains("exit code 7"), "{how}");
}

#[test]
fn nothing_is_left_when_a_child_kills_what_watches_it() {
    let Some((report, code)) = hostile("kills-its-parent", ONE) else { return };
    assert_eq!((tally(&report).get("crash"), code), (Some(&1), 1), "{report}");
}

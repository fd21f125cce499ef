//! What `check` says is the cause of failures, where that is known: of the bugs of the bank (tests/bank/), one by one and
//! two in one decoder. docs/causes.md has the figures.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use std::thread;

use serde_json::Value;
use tempfile::TempDir;

use crate::bank::{Bug, adapters, bugs};
use crate::bench::{check, has_python, interpreter};

const FORMATS: [&str; 3] = ["hprof", "phd", "classic"];

/// Pairs of a format.
const PAIRS: usize = 10;

/// What `check` says of a decoder.
struct Told {
    causes: Vec<Value>,
    /// What is wrong of the answer to each case.
    answers: BTreeMap<String, String>,
}

/// The bugs of a format that the corpus finds, and what is told of each alone.
struct OfFormat {
    name: &'static str,
    bugs: Vec<Bug>,
    alone: Vec<Told>,
}

/// What is told of decoders with these bugs, one run for all of a format.
fn told(format: &str, decoders: &[Vec<&Bug>]) -> Vec<Told> {
    let folders: Vec<TempDir> = decoders.iter().map(|bugs| adapters(bugs.iter().copied())).collect();
    // The full adapters need nothing that is installed besides Python.
    let command = |folder: &TempDir| {
        let script = folder.path().join(format!("{format}.py"));
        format!("{} -S {}", interpreter(), shell_words::quote(&script.to_string_lossy()))
    };
    let mut arguments = vec!["--format".to_owned(), format.to_owned(), "--jobs".to_owned(), "2".to_owned()];
    for folder in &folders {
        arguments.extend(["--adapter".to_owned(), command(folder)]);
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (report, _) = check(&arguments);
    let implementations = report["implementations"].as_array().expect("implementations");
    assert_eq!(implementations.len(), decoders.len());
    let told = implementations.iter().map(|tested| {
        let results = tested["results"].as_array().expect("results");
        Told {
            causes: tested["causes"].as_array().cloned().unwrap_or_default(),
            answers: results.iter().map(|result| (result["id"].to_string(), answer(result))).collect(),
        }
    });
    told.collect()
}

/// What is wrong of an answer. Of a crash the last line counts: the lines of the source differ with its bugs.
fn answer(result: &Value) -> String {
    let mut outcome = result["outcome"].clone();
    if let Some(how) = outcome.get_mut("how") {
        *how = how.as_str().and_then(|how| how.trim_end().lines().last()).unwrap_or_default().into();
    }
    format!("{outcome} {}", result["others"])
}

/// Does something for each, all at the same time.
fn side_by_side<A: Sync, B: Send>(all: &[A], each: impl Fn(&A) -> B + Sync) -> Vec<B> {
    thread::scope(|scope| {
        let running: Vec<_> = all.iter().map(|one| scope.spawn(|| each(one))).collect();
        running.into_iter().map(|one| one.join().expect("it does not panic")).collect()
    })
}

/// All bugs that the corpus finds, one by one.
fn bank() -> &'static [OfFormat] {
    static BANK: OnceLock<Vec<OfFormat>> = OnceLock::new();
    BANK.get_or_init(|| {
        side_by_side(&FORMATS, |&name| {
            let bugs: Vec<Bug> = bugs(name).into_iter().filter(|bug| !bug.survives).collect();
            let decoders: Vec<Vec<&Bug>> = bugs.iter().map(|bug| vec![bug]).collect();
            let alone = told(name, &decoders);
            OfFormat { name, bugs, alone }
        })
    })
}

fn rule(cause: &Value) -> &str {
    cause["rule"].as_str().unwrap_or("no rule")
}

/// A bug that the corpus finds has one cause, and the rule is the one that is broken.
#[test]
#[ignore = "long: tests/long.sh runs it"]
fn reports_one_cause_with_rule_for_each_bug() {
    if !has_python() {
        return;
    }
    let (mut found, mut single, mut exact) = (0, 0, 0);
    let mut others = Vec::new();
    for (bug, Told { causes, .. }) in bank().iter().flat_map(|of| of.bugs.iter().zip(&of.alone)) {
        found += 1;
        single += usize::from(causes.len() == 1);
        // What fails most is named first.
        let is_exact = causes.first().is_some_and(|cause| rule(cause) == bug.rule);
        exact += usize::from(is_exact);
        if causes.len() != 1 || !is_exact {
            others.push(format!("{} ({}): {:?}", bug.id, bug.rule, causes.iter().map(rule).collect::<Vec<_>>()));
        }
    }
    let others = others.join("\n");
    println!("of {found} bugs {single} have one cause, and the rule of {exact} is named");
    assert!(single * 100 >= 98 * found, "{single} of {found} bugs have one cause:\n{others}");
    assert!(exact * 100 >= 86 * found, "the rule of {exact} of {found} bugs is named:\n{others}");
}

/// Two bugs in one decoder are two causes. The seed is that of docs/causes.md; with `HEAPSMITH_PAIRS_SEED` the figures of
/// another are printed.
#[test]
#[ignore = "long: tests/long.sh runs it"]
fn reports_two_causes_for_two_bugs() {
    if !has_python() {
        return;
    }
    let other: Option<u64> = std::env::var("HEAPSMITH_PAIRS_SEED").ok().map(|seed| seed.parse().expect("a number"));
    let seed = other.unwrap_or(1);
    let pairs: Vec<(String, usize)> =
        side_by_side(bank(), |of| observable_pairs(of, seed)).into_iter().flatten().collect();
    let drawn = pairs.iter().filter(|(_, causes)| *causes > 0).count();
    let right = pairs.iter().filter(|(_, causes)| *causes == 2).count();
    let others: Vec<&str> = pairs.iter().filter(|(_, causes)| *causes != 2).map(|(text, _)| text.as_str()).collect();
    let summary = format!(
        "seed {seed}: {right} of {drawn} pairs have two causes; {} were drawn again\n{}",
        pairs.len() - drawn,
        others.join("\n")
    );
    println!("{summary}");
    assert_eq!(drawn, PAIRS * FORMATS.len());
    assert!(other.is_some() || right == drawn, "{summary}");
}

/// Of a case that has two causes, the bytes are shown of the one that it is the example for.
#[test]
fn shows_bytes_of_the_cause_of_example() {
    if !has_python() {
        return;
    }
    let bugs = bugs("phd");
    let of = |id: &str| bugs.iter().find(|bug| bug.id == id).unwrap_or_else(|| panic!("no bug {id}"));
    let folder = adapters(["phd-bug-gap-unsigned", "phd-bug-gap-from-objects-alone"].map(of));
    let script = folder.path().join("phd.py");
    let command = format!("{} -S {}", interpreter(), shell_words::quote(&script.to_string_lossy()));
    let (report, _) = check(&["--format", "phd", "--adapter", &command]);
    let tested = &report["implementations"][0];
    let causes = tested["causes"].as_array().expect("causes");
    let results = tested["results"].as_array().expect("results");
    assert_eq!(causes.iter().map(rule).collect::<Vec<_>>(), ["phd.gap.base", "phd.gap.signed"]);
    let cases: Vec<BTreeSet<String>> = causes
        .iter()
        .map(|cause| cause["cases"].as_array().expect("cases").iter().map(Value::to_string).collect())
        .collect();
    // Every dump with a negative gap has others that are wrong as well.
    assert!(cases[1].is_subset(&cases[0]), "{cases:?}");
    for cause in causes {
        let example = results.iter().find(|result| result["id"] == cause["example"]).expect("an example");
        assert_eq!(example["evidence"]["rule"].as_str(), Some(rule(cause)), "{}", cause["example"]);
        let fields = example["evidence"]["fields"].as_array().expect("fields");
        let wrong: Vec<&str> =
            fields.iter().filter(|f| f["wrong"] == true).filter_map(|f| f["meaning"].as_str()).collect();
        assert!(!wrong.is_empty(), "{}", cause["example"]);
        // `address 0x8 (-0x10 from 0x18)`
        assert_eq!(wrong.iter().all(|gap| gap.contains("(-")), rule(cause) == "phd.gap.signed", "{wrong:?}");
    }
}

/// A bug that shows in one case of the corpus has a pair of dumps beside the report, of which one is read rightly and one is not.
#[test]
fn experiments_write_a_pair_of_dumps() {
    if !has_python() {
        return;
    }
    let bugs = bugs("phd");
    let folder = adapters(bugs.iter().filter(|bug| bug.id == "phd-bug-hash-0"));
    let script = folder.path().join("phd.py");
    let command = format!("{} -S {}", interpreter(), shell_words::quote(&script.to_string_lossy()));
    let reports = tempfile::tempdir().expect("a folder");
    let path = reports.path().join("report");
    let path = path.to_str().expect("UTF-8");
    let (report, code) = check(&["--format", "phd", "--adapter", &command, "--explain", "400", "--report", path]);
    let causes = report["implementations"][0]["causes"].as_array().expect("causes");
    assert_eq!((code, causes.len()), (1, 1), "{causes:?}");
    let pair = &causes[0]["pair"];
    // The bug: `hash or None`.
    assert_eq!((rule(&causes[0]), pair["fails"]["differing"].as_str()), ("phd.hash.where-used", Some("00")), "{pair}");
    assert!(causes[0]["sentence"].as_str().is_some_and(|sentence| sentence.contains("hash of class is 0")));
    let judged = |side: &str| {
        let file = format!("{path}/{}", pair[side]["file"].as_str().expect("a file"));
        let (report, code) = check(&["--adapter", &command, "--dumps", &file]);
        (code, report["implementations"][0]["results"][0]["outcome"]["verdict"].as_str().map(str::to_owned))
    };
    assert_eq!(judged("passes"), (0, Some("pass".to_owned())));
    assert_eq!(judged("fails"), (1, Some("fail".to_owned())));
    let page = std::fs::read_to_string(format!("{path}/report.html")).expect("a page");
    assert!(page.contains("Two dumps with one difference"));
}

/// Pairs of bugs that both can be observed in a decoder that has the two: it answers something else, to some case, than the
/// decoder with either of them. Of each pair the number of causes; 0 for those that had to be drawn again.
fn observable_pairs(of: &OfFormat, seed: u64) -> Vec<(String, usize)> {
    let mut drawn = Drawn { state: seed, had: BTreeSet::new() };
    let (mut all, mut kept) = (Vec::new(), 0);
    while kept < PAIRS {
        let pairs: Vec<[usize; 2]> = (kept..PAIRS).map(|_| drawn.next(&of.bugs)).collect();
        let decoders: Vec<Vec<&Bug>> = pairs.iter().map(|pair| pair.map(|at| &of.bugs[at]).to_vec()).collect();
        for (pair, Told { causes, answers }) in pairs.iter().zip(told(of.name, &decoders)) {
            let [one, other] = pair.map(|at| &of.bugs[at].id);
            if pair.iter().any(|&at| of.alone[at].answers == answers) {
                all.push((format!("{one} and {other}: one hides the other"), 0));
                continue;
            }
            kept += 1;
            let rules: Vec<&str> = causes.iter().map(rule).collect();
            all.push((format!("{one} and {other}: {rules:?}"), causes.len()));
        }
    }
    all
}

/// Pairs by chance, each once (SplitMix64).
struct Drawn {
    state: u64,
    had: BTreeSet<[usize; 2]>,
}

impl Drawn {
    /// Two bugs that do not change the same text.
    fn next(&mut self, bugs: &[Bug]) -> [usize; 2] {
        loop {
            let pair = [self.below(bugs.len()), self.below(bugs.len())];
            let mut sorted = pair;
            sorted.sort_unstable();
            let [one, other] = pair;
            if one != other && bugs[one].can_stand_beside(&bugs[other]) && self.had.insert(sorted) {
                return pair;
            }
        }
    }

    fn below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

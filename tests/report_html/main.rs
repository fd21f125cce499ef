//! The written forms of a report: that they are well-formed whatever the report says, and that the page can be read and
//! used in a browser.
//!
//! The same of the page of a dump's bytes (`inspect --html`), in `bytes.rs`.
//!
//! The browser is Chromium, driven by `browse.mjs` and `bytes.mjs`; it needs `chromium`, `node`, and `npm ci --ignore-scripts` done in
//! this folder. Without one of these that test is skipped, and says so; with `HEAPSMITH_BROWSER_REQUIRED` set, skipping
//! fails. `HEAPSMITH_SCREENSHOTS` names a folder for pictures of the page.

mod bytes;
mod causes;
mod differences;
mod sample;
mod thirteen;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use heapsmith::check::report::{
    CaseFacts, CaseResult, Cause, CausePair, CheckReport, Declared, Expectation, OtherFact, Outcome, PairedDump,
    ReducedDump, Suspect, Symptom, TestedImplementation, html, junit, markdown,
};
use heapsmith::check::{KeptFiles, ReportFolder};
use roxmltree::{Document, Node};

fn page(report: &CheckReport) -> String {
    let mut out = Vec::new();
    html::write(report, &mut out).expect("a page");
    String::from_utf8(out).expect("text")
}

fn suites(report: &CheckReport) -> String {
    let mut out = Vec::new();
    junit::write(report, &mut out).expect("a report");
    String::from_utf8(out).expect("text")
}

fn summary(report: &CheckReport) -> String {
    let mut out = Vec::new();
    markdown::write(report, &mut out).expect("a summary");
    String::from_utf8(out).expect("text")
}

#[test]
fn the_sample_has_every_verdict() {
    let report = sample::report();
    for name in Outcome::NAMES {
        assert!(report.implementations.iter().any(|tested| tested.tally[name] > 0), "{name}");
    }
    assert!(report.implementations.iter().any(|tested| tested.expectations.passed > 0));
    assert!(report.implementations.iter().any(|tested| tested.expectations.failed > 0));
}

#[test]
fn all_forms_are_the_same_each_time() {
    let report = sample::report();
    assert!(page(&report) == page(&report.clone()));
    assert!(suites(&report) == suites(&report.clone()));
    assert!(summary(&report) == summary(&report.clone()));
}

#[test]
fn an_empty_report_has_every_form() {
    let report = CheckReport::default();
    assert!(page(&report).contains("no failures"));
    Document::parse(&suites(&report)).expect("well-formed");
    assert!(summary(&report).contains("no failures"));
}

#[test]
fn junit_has_a_suite_for_each_implementation_and_a_test_for_each_case() {
    let report = sample::report();
    let text = suites(&report);
    let document = Document::parse(&text).expect("well-formed");
    let suites: Vec<Node<'_, '_>> = children(document.root_element(), "testsuite");
    for (suite, tested) in suites.iter().zip(&report.implementations) {
        assert_eq!(suite.attribute("name"), Some(tested.label.as_str()));
        assert!(suite.attribute("timestamp").is_none());
        let properties = suite.descendants().filter(|node| node.has_tag_name("property"));
        let is_cause = |node: &Node<'_, '_>| node.attribute("name").is_some_and(|name| name.starts_with("cause "));
        assert_eq!(properties.filter(is_cause).count(), tested.causes.len());
        let tests = children(*suite, "testcase");
        assert_eq!(tests.len(), tested.results.len());
        for (test, result) in tests.iter().zip(&tested.results) {
            assert_eq!(test.attribute("name"), Some(result.id.as_str()));
            assert!(test.attribute("time").is_some());
            let (failures, skips) = (children(*test, "failure"), children(*test, "skipped"));
            assert_eq!(failures.len(), usize::from(result.is_unexpected()), "{}", result.id);
            let skipped = !result.is_unexpected() && !result.outcome().is_pass();
            assert_eq!(skips.len(), usize::from(skipped), "{}", result.id);
            match (failures.first(), result.outcome().is_pass()) {
                (Some(failure), false) => assert_eq!(failure.attribute("type"), Some(result.outcome().name())),
                (Some(failure), true) => assert_eq!(failure.attribute("type"), Some("unexpected-pass")),
                (None, _) => {}
            }
            let message = failures.first().or(skips.first()).and_then(|node| node.attribute("message"));
            if skips.len() == 1 && result.expected.is_some() {
                assert!(message.is_some_and(|m| m.starts_with("expected failure: ")));
            }
            if result.outcome().is_failure() {
                assert!(message.is_some_and(|m| m.contains("; cause ")), "{}: {message:?}", result.id);
            }
        }
    }
    assert_eq!(suites.len(), 3);
}

#[test]
fn junit_has_no_times_where_the_report_has_none() {
    let report = CheckReport { run: None, ..sample::report() };
    let text = suites(&report);
    let document = Document::parse(&text).expect("well-formed");
    let timed = document.descendants().filter(|node| node.has_attribute("time") || node.has_attribute("timestamp"));
    assert_eq!(timed.count(), 0);
}

#[test]
fn junit_is_well_formed_whatever_the_texts() {
    let forbidden = (0..0x20).chain(0x7f..0xa0).chain([0x202e, 0xfdd0, 0xfffe, 0xffff, 0x1_fffe, 0x10_ffff]);
    for c in forbidden.filter_map(char::from_u32) {
        let text = || format!("a{c}[31m <&\"' ]]> \u{e000}b");
        let declared = Declared {
            name: text(),
            version: text(),
            language: text(),
            level: text(),
            ignored: vec![text()],
            ..Declared::default()
        };
        let result = |outcome, expected: Option<Expectation>| {
            CaseResult::new(text(), outcome)
                .first(Outcome::Crash { how: text() })
                .others(vec![OtherFact { fact: text(), follows: Some(text()), ..OtherFact::default() }])
                .suspects(vec![Suspect { rule: text(), ..Suspect::default() }])
                .expected(expected)
                .repeat(text())
        };
        let expectation = || Some(Expectation { reason: text(), link: Some(text()) });
        let fail = || Outcome::Fail { fact: text(), address: Some(text()), expected: text(), found: text(), count: 1 };
        let results = vec![
            result(fail(), None),
            result(fail(), expectation()),
            result(Outcome::Pass { reading: Some(text()) }, expectation()),
            result(Outcome::skip(text(), Some(text())), None),
            result(Outcome::WrongVerdict { expected: text(), found: text() }, None),
        ];
        let declared = Some(declared);
        let causes = vec![Cause {
            id: text(),
            rule: Some(text()),
            sentence: text(),
            symptoms: vec![Symptom { what: text(), cases: 5 }],
            example: text(),
            repeat: Some(text()),
            failures: Some(5),
            pair: Some(CausePair {
                place: text(),
                fails: PairedDump { file: text(), differing: text(), ..PairedDump::default() },
                passes: PairedDump { file: text(), differing: text(), ..PairedDump::default() },
                wrong: text(),
                repeat: Some(text()),
                ..CausePair::default()
            }),
            other_rules: vec![text()],
            reduced: Some(ReducedDump { file: text(), shows: vec![text()], of: text(), ..ReducedDump::default() }),
            explained: true,
            unexpected: 4,
            cases: vec![text(), text(), format!("{} 2", text())],
        }];
        let (label, kind, command) = (text(), text(), text());
        let tested =
            TestedImplementation { label, kind, command, declared, results, causes, ..TestedImplementation::default() };
        let case = CaseFacts { id: text(), format: text(), summary: text(), ..CaseFacts::default() };
        let (cases, implementations) = (vec![case], vec![tested]);
        let report = CheckReport { heapsmith: text(), cases, implementations, ..CheckReport::default() };

        let xml = suites(&report);
        let document = Document::parse(&xml).unwrap_or_else(|e| panic!("{c:?}: {e}"));
        let suite = children(document.root_element(), "testsuite")[0];
        let shown = match c {
            // An attribute's tabs and ends of lines are blanks to its reader.
            '\t' | '\n' => "a [31m <&\"' ]]> \u{e000}b".to_owned(),
            c => {
                c.encode_utf16(&mut [0; 2]).iter().fold("a".to_owned(), |text, unit| format!("{text}\\u{unit:04x}"))
                    + "[31m <&\"' ]]> \u{e000}b"
            }
        };
        let name = |node: Node<'_, '_>| node.attribute("name").map(|name| name.replace(['\t', '\n'], " "));
        assert_eq!(name(suite), Some(shown.clone()), "{c:?}");
        let tests = children(suite, "testcase");
        assert_eq!(tests.len(), 5);
        assert_eq!(name(tests[0]), Some(shown), "{c:?}");
        for written in [&xml, &page(&report), &summary(&report)] {
            assert!(!written.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')), "{c:?}");
            assert!(!written.contains(['\u{202e}', '\u{fdd0}', '\u{fffe}', '\u{ffff}', '\u{1fffe}']), "{c:?}");
        }
    }
}

fn children<'a, 'input>(node: Node<'a, 'input>, name: &str) -> Vec<Node<'a, 'input>> {
    node.children().filter(|child| child.has_tag_name(name)).collect()
}

#[test]
fn hostile_texts_are_text_in_the_page() {
    let page = page(&sample::report());
    assert!(page.contains("&#60;script&#62;window.broken=1"));
    assert_eq!(page.matches("<script").count(), 1, "only our own");
    assert_eq!(page.matches("<img").count(), 0);
    assert!(!page.contains("href=\"javascript:"));
    assert!(page.contains("<code>javascript:window.broken=1</code>"));
    assert!(page.contains("href=\"https://example.org/issues/12\""));
    assert!(!page.contains(['\u{0}', '\u{1}', '\u{1b}', '\u{202e}']));
    assert!(page.contains("𝄞"));
}

#[test]
fn hostile_texts_are_text_in_the_summary() {
    let summary = summary(&sample::report());
    assert!(!summary.contains("<script") && !summary.contains("<img") && !summary.contains("onerror=\""));
    assert!(!summary.contains("javascript:"), "not even as a text that could become a link");
    assert!(summary.contains("<a href=\"https&#58;//example.org/issues/12\">"));
    let table: Vec<&str> = summary.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(table.len(), 2 + 3);
    for row in table {
        assert_eq!(row.matches('|').count(), 15, "{row}");
    }
    // A heading, a row, a command or words of ours: nothing of the report begins a line.
    for line in summary.lines().filter(|line| !line.is_empty()) {
        let known = [
            "**Incomplete:** ended by SIGTERM",
            "#",
            "| ",
            "|--",
            "<pre>",
            "<details><summary>What it shows</summary>",
            "Smallest dump: <code>",
            "Other cases: <code>",
            "Expected to fail, ",
            "heapsmith ",
            "Cost of ",
        ];
        let counts = line.starts_with(|c: char| c.is_ascii_digit()) && line.ends_with("have them.");
        assert!(counts || known.iter().any(|begin| line.starts_with(begin)), "{line}");
    }
}

#[test]
fn truncates_large_reports_with_notice() {
    let report = sample::large(20, 3000);
    let page = page(&report);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert_eq!(page.matches("<details class=\"cause\"").count(), 40, "two of each implementation");
    assert!(page.contains("and 1199 more"), "of 1500 cases one is shown, and 300 are listed");
    let summary = summary(&report);
    assert!(summary.len() < 600_000, "{} bytes", summary.len());
    assert!(summary.contains(" and 1479 more"));
}

/// Whether what there is of an implementation fits into a page that opens at once.
#[test]
fn a_page_of_13_implementations_and_700_cases_is_small() {
    let report = thirteen::thirteen();
    let (cases, failed) = (report.cases.len(), |tested: &TestedImplementation| tested.expectations.failed);
    assert_eq!((cases, report.implementations.len()), (700, 13));
    assert!(report.implementations.iter().map(failed).sum::<u64>() > 600, "there is something to show");
    let page = page(&report);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    // Of each element there is one tag that opens it, and texts have no `<` of their own.
    let body = &page[page.find("<body>").expect("a body")..page.rfind("<script>").expect("a script")];
    let elements = body.match_indices('<').filter(|(at, _)| !body[at + 1..].starts_with('/')).count();
    assert!(elements < 15_000, "{elements} elements");
}

#[test]
fn shows_no_tick_for_known_defects() {
    let mut report = thirteen::thirteen();
    assert!(page(&report).contains("<span class=\"state bad\""));
    for result in report.implementations.iter_mut().flat_map(|tested| &mut tested.results) {
        if result.is_unexpected() {
            result.expected = Some(Expectation { reason: "known".to_owned(), link: None });
        }
    }
    let page = page(&sample::explained(report));
    assert!(page.contains("0 regressions; 13 of 13 implementations have known defects"));
    assert!(page.contains("<span class=\"state known\"") && !page.contains("<span class=\"state good\""));
}

#[test]
fn marks_differences_that_follow_from_others() {
    let report = sample::report();
    let follows = "follows from references: reference-order";
    for written in [page(&report), suites(&report), summary(&report)] {
        assert!(written.contains(follows) || written.contains(&follows.replace(':', "&#58;")));
    }
}

#[test]
fn the_page_can_be_used_in_a_browser() {
    if let Some(pictures) = pictures() {
        fs::write(pictures.join("report.xml"), suites(&sample::report())).expect("a file");
        fs::write(pictures.join("report.md"), summary(&sample::report())).expect("a file");
    }
    browse("browse.mjs", "report.html", &page(&sample::report()));
}

/// Opens a page in a browser, which the script drives.
fn browse(script: &str, name: &str, page: &str) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report_html");
    if let Err(reason) = tools(&here) {
        assert!(std::env::var_os("HEAPSMITH_BROWSER_REQUIRED").is_none(), "a browser is required here: {reason}");
        // Past the harness, which hides what passing tests print.
        let _ = writeln!(std::io::stderr(), "note: the page was not tried in a browser: {reason}");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // The page stays beside its pictures.
    let path = pictures().as_deref().unwrap_or(folder.path()).join(name);
    fs::write(&path, page).expect("a file");
    let output = Command::new("node")
        .arg(here.join(script))
        .arg(&path)
        .env("HEAPSMITH_BROWSER", browser())
        .stdin(Stdio::null())
        .output()
        .expect("node");
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
}

fn pictures() -> Option<PathBuf> {
    std::env::var_os("HEAPSMITH_SCREENSHOTS").map(PathBuf::from)
}

fn browser() -> String {
    std::env::var("HEAPSMITH_BROWSER").unwrap_or_else(|_| "chromium".to_owned())
}

/// What the test needs of the machine.
fn tools(here: &Path) -> Result<(), String> {
    for (program, argument) in [("node".to_owned(), "--version"), (browser(), "--version")] {
        let run = Command::new(&program).arg(argument).stdin(Stdio::null()).output();
        run.ok().filter(|output| output.status.success()).ok_or_else(|| format!("no {program} here"))?;
    }
    if here.join("node_modules/puppeteer-core").is_dir() && here.join("node_modules/axe-core").is_dir() {
        return Ok(());
    }
    Err("run npm ci --ignore-scripts in tests/report_html".to_owned())
}

#[test]
fn replaces_only_files_of_earlier_report() {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let path = folder.path().join("report");
    let claimed = ReportFolder::claim(&path, false).expect("it is made");
    assert!(ReportFolder::claim(&path, false).is_err(), "it is in use");
    claimed.write(&CheckReport::default(), KeptFiles::default()).expect("there is room");
    drop(claimed);
    fs::write(path.join("notes.txt"), "mine").expect("there is room");
    assert!(ReportFolder::claim(&path, false).is_err(), "it holds a report");
    let claimed = ReportFolder::claim(&path, true).expect("it is ours");
    claimed.clear().expect("it is ours");
    assert_eq!(fs::read_dir(&path).expect("a folder").count(), 3, "marker, lock, notes");
    // A file of the same name that we did not write is not replaced, and the others are written.
    fs::write(path.join("report.md"), "mine").expect("there is room");
    let error = claimed.write(&CheckReport::default(), KeptFiles::default()).expect_err("a file is lost").to_string();
    assert!(error.contains("report.md"), "{error}");
    assert_eq!(fs::read_to_string(path.join("report.md")).expect("a file"), "mine");
    assert!(path.join("report.html").exists() && path.join("junit.xml").exists());
}

#[test]
fn sources_of_rules_have_their_titles() {
    let rules = ["phd.object-array.field-order", "<script>"].map(str::to_owned).to_vec();
    let case = CaseFacts { id: "phd-a".to_owned(), format: "phd6".to_owned(), rules, ..CaseFacts::default() };
    let result = sample::result("phd-a", Outcome::Crash { how: "signal 11".to_owned() });
    let tested = TestedImplementation { results: vec![result], ..TestedImplementation::default() };
    let page = page(&CheckReport { cases: vec![case], implementations: vec![tested], ..CheckReport::default() });
    assert!(page.contains(": Array records, 3, true length"), "sources have their titles");
    assert!(page.contains("<span class=\"row-title\">&#60;script&#62;</span>"), "no rule, and no text of one");
    assert_eq!(page.matches("<div class=\"rule-text\">").count(), 1);
}

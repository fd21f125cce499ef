//! What reaches a terminal: texts from dumps, listings, file names, arguments and other programs' messages are shown,
//! and none of them acts on the terminal.
#![cfg(unix)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

use assert_cmd::cargo::CommandCargoExt;
use heapsmith::check::report::{CaseFacts, CaseResult, CheckReport, OtherFact, Outcome, SCHEMA, TestedImplementation};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use super::pty::Terminal;

/// Sets the title, clears the screen, goes back, turns the direction round, in C0 and C1, and hides itself; then commands to a log of
/// continuous integration, where a line begins and within one, and a line as if it were ours.
const EVIL: &str = "x\u{1b}]0;owned\u{7}\u{1b}[2J\u{8}\r\u{c}\u{7f}\u{9b}31m\u{9d}\u{85}\u{202e}\u{2066}\u{200e}\
                    \u{61c}\u{2028}\u{feff}\u{200b}\u{fdd0}\u{fdd1}\u{ffff}\u{e0001}\u{e0067}y\n::error::z\n \u{a0}\t::add-mask::z ##[error]z\nFORGED";

/// The same in a single line.
fn evil_line() -> String {
    EVIL.replace('\n', " ")
}

/// The same where a file system or a command line is to take it: its bytes, with one that is no character.
fn evil_name() -> OsString {
    let mut bytes = EVIL.as_bytes().to_vec();
    bytes.extend(b"\x9b2J");
    OsString::from_vec(bytes)
}

/// What must not be in an output, spelled by hand.
fn acts(c: char) -> bool {
    let c = u32::from(c);
    c < 0x20 && c != 0x0a && c != 0x09
        || (0x7f..=0x9f).contains(&c)
        || (0x200b..=0x200f).contains(&c)
        || (0x2028..=0x202e).contains(&c)
        || (0x2066..=0x2069).contains(&c)
        || (0xfdd0..=0xfdef).contains(&c)
        || (0xe0000..=0xe007f).contains(&c)
        || [0x61c, 0xfeff, 0xfffe, 0xffff].contains(&c)
}

/// What is wrong with what people get.
fn harm(output: &[u8]) -> Option<String> {
    let text = match std::str::from_utf8(output) {
        Ok(text) => text,
        Err(e) => return Some(format!("not UTF-8: {e}: {:?}", String::from_utf8_lossy(output))),
    };
    // A runner trims lines before it takes them for commands, and finds others wherever they stand.
    let is_command = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
    let line = text.lines().find(|line| is_command(line) || line.starts_with("FORGED"));
    let c = text.chars().find(|c| acts(*c));
    c.map(|c| format!("{c:?} in {text:?}")).or(line.map(|line| format!("the line {line:?} in {text:?}")))
}

#[track_caller]
fn assert_harmless(what: &[&str], output: &[u8]) {
    assert_eq!(harm(output), None, "{what:?}");
}

/// Takes our own colours out of what a terminal got, and the carriage returns that it puts before line feeds itself.
fn without_colours(output: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(output).replace("\r\n", "\n");
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("\u{1b}[") {
        let (before, sequence) = rest.split_at(at);
        plain += before;
        let length = 2 + sequence[2..].chars().take_while(|c| c.is_ascii_digit() || *c == ';').count();
        if !sequence[length..].starts_with('m') {
            // Not a colour: it stays, and is found.
            plain += "\u{1b}";
            rest = &sequence[1..];
            continue;
        }
        rest = &sequence[length + 1..];
    }
    (plain + rest).into_bytes()
}

/// A folder with dumps, listings and programs full of such texts.
struct Bench(TempDir);

impl Bench {
    fn new() -> Bench {
        let bench = Bench(tempfile::tempdir().expect("a temporary folder"));
        let text = serde_json::to_string(EVIL).expect("text");
        // Classic text has names of one line, and PHD bytes of any kind: the same listing serves both.
        let listing = |name: &str| {
            format!(
                "{{\"listing\":1,\"word_size\":32,\"version_text\":{name},\"hashes\":\"where-used-32\"}}\n\
                 {{\"kind\":\"class\",\"address\":\"0x1000\",\"name\":\"java/lang/Object\",\"super\":\"0x0\",\"instance_size\":8,\"refs\":[]}}\n\
                 {{\"kind\":\"class\",\"address\":\"0x1040\",\"name\":{name},\"super\":\"0x1000\",\"instance_size\":16,\"refs\":[]}}\n\
                 {{\"kind\":\"object\",\"address\":\"0x1080\",\"class\":\"0x1040\",\"size\":16,\"refs\":[\"0x1000\"]}}\n\
                 {{\"kind\":\"object\",\"address\":\"0x10c0\",\"class\":\"0x1040\",\"size\":16,\"refs\":[\"0x1080\"]}}\n"
            )
        };
        bench.write("evil.jsonl", listing(&text));
        bench.write("other.jsonl", listing("\"plain\"").replace("[\"0x1080\"]", "[\"0x10c0\"]"));
        bench.write("hprof.jsonl", hprof(&text));
        bench.write("hprof-other.jsonl", hprof("\"plain\""));
        for (listing, format, dump) in [
            ("evil.jsonl", "phd6", "evil.phd"),
            ("other.jsonl", "phd6", "other.phd"),
            ("hprof.jsonl", "hprof", "evil.hprof"),
            ("hprof-other.jsonl", "hprof", "other.hprof"),
        ] {
            bench.made(&["encode", listing, "--format", format, "-o", dump]);
        }
        let classic = "// Version: V\n0x1000 [8] CLS EVIL\n\t\n0x1080 [16] OBJ EVIL\n\t0x1000 \n\n// EOF: Total 2\n";
        bench.write("evil.txt", classic.replace("EVIL", &evil_line()));
        let whole = fs::read(bench.path("evil.hprof")).expect("made above");
        bench.write("cut.hprof", &whole[..whole.len() - 5]);
        let whole = fs::read(bench.path("evil.phd")).expect("made above");
        bench.write("cut.phd", &whole[..whole.len() - 5]);
        bench.write("bad-key.jsonl", format!("{{\"listing\":1,\"format\":{text},\"hashes\":{text}}}\n"));
        bench.write("bad-kind.jsonl", format!("{{\"listing\":1}}\n{{\"kind\":{text},\"address\":{text}}}\n"));
        bench.write("bad-address.jsonl", format!("{{\"listing\":1}}\n{{\"kind\":\"class\",\"address\":{text}}}\n"));
        bench.write("bad.jsonl", format!("{{\"listing\":1}}\n{EVIL}\n"));
        let escaped: String = EVIL.chars().map(|c| format!("\\u{{{:x}}}", u32::from(c))).collect();
        bench.write("evil.kdl", format!("object a \"{escaped}\"\nroot \"{escaped}\" @a\n"));
        bench.write("bad.kdl", format!("object {EVIL}\n"));
        bench.write("facets.json", format!("{{\"schema\":1,\"facets\":[{text}],{text}:1}}\n"));
        bench.write("expected.toml", format!("[[expected]]\ncase = '{}'\n", evil_line()));
        bench.write("message", EVIL);
        bench.write("decoder.sh", "sed s/size.:32/size\\\":64/ evil.jsonl; cat message >&2\n");
        bench.write("refuser.sh", "cat message >&2; exit 1\n");
        bench.write("crasher.sh", "cat message; cat message >&2; exit 7\n");
        bench.write("adapter.sh", "cat message >&2; cat message; echo\n");
        let hello =
            format!("{{\"id\":1,\"protocol\":1,\"name\":{text},\"version\":{text},\"reads\":[\"phd\",{text}]}}\n");
        bench.write("hello.json", hello);
        bench.write("liar.sh", "read -r line; cat hello.json; cat message >&2; read -r line; cat bad-kind.jsonl\n");
        bench.write("report.json", report());
        fs::create_dir(bench.path("").join(evil_name())).expect("a folder may have such a name");
        fs::write(bench.path("").join(evil_name()).join("dump"), &whole).expect("writable");
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).expect("writable");
    }

    /// The program, as a user at a terminal would run it.
    fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::cargo_bin("heapsmith").expect("built");
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
            command.env_remove(variable);
        }
        command.env("TERM", "xterm-256color");
        command
    }

    fn made(&self, arguments: &[&str]) {
        let ran = self.command(arguments).output().expect("started");
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    /// Runs a command whose standard output and standard error are one terminal.
    fn on_a_terminal<S: AsRef<OsStr>>(&self, arguments: &[S]) -> (ExitStatus, Vec<u8>) {
        let terminal = Terminal::open();
        let mut command = self.command(arguments);
        let status = command.stdout(terminal.side()).stderr(terminal.side()).status().expect("started");
        (status, terminal.rest())
    }
}

/// A listing of HPROF in which every kind of text is this one.
fn hprof(text: &str) -> String {
    let frame = format!("{{\"method\":{text},\"signature\":{text},\"source\":{text},\"class\":\"0x1000\",\"line\":7}}");
    [
        "{\"listing\":1,\"identifier_size\":4,\"header_version\":\"1.0.2\",\"time_stamp\":0,\"roots\":1,\"threads\":1,\"traces\":2}",
        &format!(
            "{{\"kind\":\"class\",\"address\":\"0x1000\",\"record\":0,\"name\":{text},\"super\":\"0x0\",\"loader\":\"0x0\",\"signers\":\"0x0\",\"protection_domain\":\"0x0\",\"instance_size\":4,\"fields\":[{{\"name\":{text},\"type\":\"int\"}}],\"statics\":[{{\"name\":{text},\"type\":\"int\",\"value\":\"0x1\"}}],\"constant_pool\":[],\"serial\":1,\"trace\":1}}"
        ),
        "{\"kind\":\"object\",\"address\":\"0x2000\",\"record\":1,\"class\":\"0x1000\",\"trace\":1,\"values\":[[\"int\",\"0x1\"]]}",
        "{\"kind\":\"root\",\"root\":\"java-frame\",\"object\":\"0x2000\",\"thread\":1,\"frame\":0,\"after\":2}",
        &format!("{{\"kind\":\"thread\",\"serial\":1,\"object\":\"0x2000\",\"name\":{text},\"trace\":2}}"),
        "{\"kind\":\"trace\",\"serial\":1,\"thread\":0,\"frames\":[]}",
        &format!("{{\"kind\":\"trace\",\"serial\":2,\"thread\":1,\"frames\":[{frame}]}}"),
        "",
    ]
    .join("\n")
}

/// A report of `check` whose every text is this one; two implementations, so that there are labels.
fn report() -> String {
    let text = || EVIL.to_owned();
    let case = |id: &str| CaseFacts {
        id: format!("{id} {EVIL}"),
        summary: text(),
        format: text(),
        verdict: text(),
        rules: vec![text()],
        ..CaseFacts::default()
    };
    let fail = Outcome::Fail { fact: text(), address: Some(text()), expected: text(), found: text(), count: 1 };
    let result = |id: &str, outcome: &Outcome, first: Option<&Outcome>| {
        CaseResult::new(format!("{id} {EVIL}"), outcome.clone())
            .first(first.cloned())
            .others(vec![OtherFact { fact: text(), follows: Some(text()), ..OtherFact::default() }])
            .repeat(text())
    };
    let tested = |number: usize| {
        let crash = Outcome::Crash { how: text() };
        let results = vec![result("0", &fail, None), result("1", &crash, Some(&fail))];
        let mut tested = TestedImplementation {
            label: format!("{number} {EVIL}"),
            kind: text(),
            command: text(),
            ..TestedImplementation::default()
        };
        tested.results = results;
        tested.count();
        tested
    };
    let (cases, implementations) = (vec![case("0"), case("1")], vec![tested(1), tested(2)]);
    let report = CheckReport { schema: SCHEMA, heapsmith: text(), cases, implementations, ..CheckReport::default() };
    serde_json::to_string(&report).expect("a report is JSON")
}

/// Commands that say something to people, and what they have to show of the text.
fn human() -> Vec<(Vec<OsString>, &'static str)> {
    let evil = || OsString::from(EVIL);
    let name = evil_name;
    let inside = || PathBuf::from(evil_name()).join("dump").into_os_string();
    let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let with = |before: &[&str], foreign: OsString, after: &[&str]| {
        let mut all = words(before);
        all.push(foreign);
        all.extend(words(after));
        all
    };
    // A name of a dump is spelled by the model already, in its own way.
    let (named, gated) = ("owned", "\\u001b]0;owned\\u0007\\u001b[2J\\u0008\\u000d");
    vec![
        (words(&["inspect", "evil.phd"]), named),
        (words(&["inspect", "evil.hprof"]), named),
        (words(&["inspect", "evil.txt"]), named),
        (words(&["inspect", "cut.phd"]), ""),
        (words(&["inspect", "--bytes", "evil.phd"]), named),
        (words(&["inspect", "--bytes", "evil.hprof"]), named),
        (words(&["inspect", "--bytes", "evil.txt"]), named),
        (with(&["inspect"], inside(), &[]), named),
        (words(&["validate", "evil.phd", "evil.hprof", "evil.txt", "cut.phd", "cut.hprof"]), ""),
        (with(&["validate", "--notes"], inside(), &[]), gated),
        (with(&["validate", "evil.phd"], name(), &["missing"]), gated),
        (words(&["compare", "evil.phd", "other.phd"]), named),
        (words(&["compare", "evil.jsonl", "other.jsonl"]), named),
        (words(&["compare", "evil.hprof", "other.hprof"]), named),
        (words(&["compare", "evil.phd", "other.phd", "--up-to-renaming"]), ""),
        (words(&["compare", "evil.hprof", "other.hprof", "--up-to-renaming"]), ""),
        (words(&["check-conversion", "evil.phd", "other.phd"]), ""),
        (words(&["check-conversion", "evil.hprof", "other.hprof"]), named),
        (words(&["convert", "evil.phd", "-o", "new.hprof", "--to", "hprof", "--force"]), ""),
        (words(&["convert", "evil.hprof", "-o", "new.phd", "--to", "phd6", "--force"]), ""),
        (words(&["convert", "evil.hprof", "-o", "new.txt", "--to", "classic", "--force"]), ""),
        (words(&["convert", "evil.phd", "-o", "/dev/null", "--to", "hprof"]), ""),
        (words(&["digest", "evil.phd", "--by-facet"]), ""),
        (words(&["digest", "evil.phd", "--against", "facets.json"]), gated),
        (words(&["decode", "cut.hprof"]), ""),
        (words(&["encode", "bad-key.jsonl", "--format", "phd6", "-o", "x"]), gated),
        (words(&["encode", "bad-kind.jsonl", "--format", "phd6", "-o", "x"]), gated),
        (words(&["encode", "bad-address.jsonl", "--format", "phd6", "-o", "x"]), named),
        (words(&["encode", "bad.jsonl", "--format", "phd6", "-o", "x"]), ""),
        (with(&["encode", "evil.jsonl", "--format", "phd6", "-o"], name(), &[]), gated),
        (words(&["build", "evil.kdl", "--check"]), named),
        (words(&["build", "bad.kdl", "--check"]), ""),
        (with(&["build", "evil.kdl", "--check", "--set"], evil(), &[]), gated),
        (with(&["digest"], OsString::from(format!("{EVIL}.kdl")), &[]), gated),
        (words(&["describe", "evil.phd"]), ""),
        (words(&["describe", "evil.hprof"]), ""),
        (words(&["describe", "cut.hprof"]), ""),
        (with(&["describe", "other.hprof", "--class"], evil(), &[]), named),
        (words(&["corpus", "add", "evil.kdl", "--format", "hprof", "-o", "cases"]), named),
        (with(&["generate", "--format", "phd6", "-o"], inside(), &[]), gated),
        (with(&["generate", "--format", "phd6", "-o", "x", "--profile"], evil(), &[]), named),
        (with(&["rewrite", "--through", "heap", "evil.phd", "-o", "x", "--profile"], evil(), &[]), named),
        (with(&["rewrite", "--through", "records"], name(), &["-o", "x"]), gated),
        (with(&["corpus", "verify"], name(), &[]), gated),
        (with(&["demo", "--objects", "5", "--out"], inside(), &[]), gated),
        (with(&["facets"], evil(), &[]), gated),
        (words(&["merge", "report.json"]), gated),
        (words(&["merge", "report.json", "--all"]), gated),
        (with(&["merge", "report.json", "--report"], name(), &[]), gated),
        (with(&["merge"], name(), &[]), gated),
        (words(&["adapter", "test", "sh adapter.sh"]), named),
        (words(&["adapter", "test", "sh liar.sh"]), ""),
        (with(&["adapter", "test"], evil(), &[]), ""),
        (words(&["check", "--filter", "phd6-openj9-64", "--decoder", "sh decoder.sh {}"]), ""),
        (words(&["check", "--filter", "phd6-openj9-64", "--decoder", "sh refuser.sh {}"]), gated),
        (words(&["check", "--filter", "phd6-openj9-64", "--decoder", "sh crasher.sh {}"]), gated),
        (words(&["check", "--filter", "phd6-openj9-64", "--adapter", "sh adapter.sh"]), named),
        (words(&["check", "--filter", "phd6-openj9-64", "--adapter", "sh liar.sh"]), named),
        (words(&["check", "--decoder", "sh decoder.sh {}", "--expected", "expected.toml"]), gated),
        (with(&["check", "--filter"], evil(), &["--decoder", "sh decoder.sh {}"]), ""),
        (with(&["check", "--decoder"], evil(), &[]), ""),
        (with(&["check", "--decoder", "true {}", "--format"], evil(), &[]), gated),
        (with(&["check", "--decoder", "true {}", "--shard"], evil(), &[]), gated),
        (with(&["check", "--converter", "true {in} {out}", "--to"], evil(), &[]), gated),
        (with(&[], evil(), &[]), gated),
        (with(&[], name(), &[]), gated),
        (with(&["validate"], OsString::from(format!("--{EVIL}")), &[]), gated),
        (with(&["generate", "--format"], evil(), &[]), gated),
        (with(&["generate", "--format"], name(), &[]), ""),
        (with(&["generate", "--format", "phd6", "--seed"], evil(), &[]), gated),
        (with(&["compare", "a", "b", "--facets"], evil(), &[]), gated),
        (with(&["compare", "a", "b"], evil(), &[]), gated),
        (with(&["schema"], evil(), &[]), gated),
        (words(&["--help"]), ""),
    ]
}

/// Commands that print for programs.
const MACHINE: [&[&str]; 12] = [
    &["decode", "evil.phd"],
    &["decode", "evil.hprof"],
    &["inspect", "--json", "evil.phd"],
    &["inspect", "--json", "evil.hprof"],
    &["inspect", "--bytes", "--json", "evil.hprof"],
    &["validate", "--json", "evil.phd"],
    &["compare", "--json", "evil.phd", "other.phd"],
    &["compare", "--json", "evil.phd", "other.phd", "--up-to-renaming"],
    &["compare", "--json", "evil.hprof", "other.hprof"],
    &["check-conversion", "--json", "evil.hprof", "other.hprof"],
    &["digest", "--json", "evil.hprof"],
    &["merge", "--json", "report.json"],
];

#[test]
fn escapes_foreign_text_in_pipe() {
    let bench = Bench::new();
    let mut wrong = Vec::new();
    for (arguments, shown) in human() {
        let ran = bench.command(&arguments).output().expect("started");
        // A listing is for programs, and so is a heap file, whose names are exact.
        let stdout = if arguments[0] == "decode" || arguments[0] == "describe" { Vec::new() } else { ran.stdout };
        let harm = harm(&stdout).or(harm(&ran.stderr));
        let text = String::from_utf8_lossy(&[stdout, ran.stderr].concat()).into_owned();
        wrong.extend(trouble(harm, &text, shown, ran.status).map(|trouble| format!("{arguments:?}: {trouble}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn escapes_foreign_text_on_terminal() {
    let bench = Bench::new();
    let (mut wrong, mut coloured) = (Vec::new(), 0);
    for (arguments, shown) in human() {
        let (status, output) = bench.on_a_terminal(&arguments);
        let plain = without_colours(&without_bars(&output));
        let text = String::from_utf8_lossy(&plain);
        wrong.extend(trouble(harm(&plain), &text, shown, status).map(|trouble| format!("{arguments:?}: {trouble}")));
        coloured += usize::from(output.contains(&b'\x1b'));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(coloured > 20, "our own colours are there: {coloured}");
}

fn trouble(harm: Option<String>, text: &str, shown: &str, status: ExitStatus) -> Option<String> {
    let hidden = || (!text.contains(shown)).then(|| format!("{shown} is not in {text}"));
    let ended = || status.code().is_none_or(|code| code >= 4).then(|| format!("{status}: {text}"));
    harm.or_else(hidden).or_else(ended)
}

/// What progress bars draw and take away again: up to the last time that a line is cleared.
fn without_bars(output: &[u8]) -> Vec<u8> {
    const CLEARED: &[u8] = b"\r\x1b[2K";
    // A bar of two lines goes up for the first.
    const UP: &[u8] = b"\x1b[1A";
    let rest = match output.windows(CLEARED.len()).rposition(|piece| piece == CLEARED) {
        Some(at) => &output[at + CLEARED.len()..],
        None => output,
    };
    rest.strip_prefix(UP).unwrap_or(rest).to_vec()
}

#[test]
fn pipes_get_exact_json_and_terminals_escaped_json() {
    let bench = Bench::new();
    for arguments in MACHINE {
        let ran = bench.command(arguments).output().expect("started");
        let piped = String::from_utf8(ran.stdout).expect("JSON is UTF-8");
        let (status, output) = bench.on_a_terminal(arguments);
        assert_eq!(status.code(), ran.status.code(), "{arguments:?}");
        let shown = without_colours(&output);
        assert_harmless(arguments, &shown);
        let shown = String::from_utf8(shown).expect("UTF-8");
        assert_eq!(values(&shown), values(&piped), "{arguments:?}");
    }
    let piped = bench.command(&["decode", "evil.phd"]).output().expect("started").stdout;
    bench.made(&["decode", "evil.phd", "-o", "file.jsonl"]);
    assert_eq!(piped, fs::read(bench.path("file.jsonl")).expect("made"));
    assert!(String::from_utf8_lossy(&piped).contains("\u{9b}31m\u{9d}\u{85}\u{202e}"), "as it is in the dump");
}

fn values(lines: &str) -> Vec<serde_json::Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[test]
fn colours_are_on_a_terminal_unless_they_are_refused() {
    let bench = Bench::new();
    let (_, output) = bench.on_a_terminal(&["compare", "evil.phd", "evil.phd"]);
    assert!(String::from_utf8_lossy(&output).contains("\u{1b}[32mequal\u{1b}[0m: "));
    let (_, output) = bench.on_a_terminal(&["compare", "evil.phd", "nowhere"]);
    assert!(output.starts_with(b"\x1b[1m\x1b[31merror:\x1b[0m "), "{}", String::from_utf8_lossy(&output));
    let (status, output) = bench.on_a_terminal(&["compare", "--facets"]);
    assert!(output.starts_with(b"\x1b[1m\x1b[31merror:\x1b[0m "), "clap's own: {}", String::from_utf8_lossy(&output));
    assert_eq!(status.code(), Some(2));
    let forced = bench.command(&["compare", "evil.phd", "evil.phd"]).env("CLICOLOR_FORCE", "1").output();
    assert!(forced.expect("started").stdout.starts_with(b"\x1b[32mequal\x1b[0m: "));
    for arguments in [["compare", "evil.phd", "evil.phd"], ["compare", "a", "--facets"]] {
        let refused = bench.command(&arguments).env("NO_COLOR", "1").env("CLICOLOR_FORCE", "1").output();
        let refused = refused.expect("started");
        assert!(![refused.stdout, refused.stderr].concat().contains(&b'\x1b'));
    }
}

#[test]
fn prints_help_on_standard_output_and_usage_errors_on_standard_error() {
    let bench = Bench::new();
    for (arguments, code, on_stdout) in [
        (&["--help"][..], 0, true),
        (&["--version"], 0, true),
        (&["help", "check"], 0, true),
        (&["validate", "-h"], 0, true),
        (&[], 2, false),
        (&["--nonsense"], 2, false),
        (&["validate"], 2, false),
    ] {
        let ran = bench.command(arguments).output().expect("started");
        assert_eq!(ran.status.code(), Some(code), "{arguments:?}");
        assert_eq!((!ran.stdout.is_empty(), !ran.stderr.is_empty()), (on_stdout, !on_stdout), "{arguments:?}");
    }
}

#[test]
fn refuses_to_write_dump_to_terminal() {
    let bench = Bench::new();
    for output in ["-", "/dev/stdout", "/dev/stderr"] {
        let (status, shown) = bench.on_a_terminal(&["generate", "--format", "phd6", "-o", output]);
        let shown = String::from_utf8_lossy(&shown).into_owned();
        assert_eq!(status.code(), Some(2), "{output}: {shown}");
        assert!(shown.contains("a dump is binary and") && shown.contains("is a terminal; name a file"), "{shown}");
    }
    let (status, shown) = bench.on_a_terminal(&["decode", "evil.phd", "-o", "/dev/stderr"]);
    assert!(status.success());
    assert_harmless(&["decode", "-o", "/dev/stderr"], &without_colours(&shown));
}

#[test]
fn only_terminal_module_prints() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/command");
    for entry in fs::read_dir(folder).expect("readable").filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() || path.ends_with("terminal.rs") {
            continue;
        }
        let mut source = fs::read_to_string(&path).expect("text");
        for gate in ["stdout()", "stderr()", "data_on_stderr()"] {
            source = source.replace(&format!("terminal::{gate}"), "");
        }
        for way in ["print!(", "println!(", "eprint", "dbg!(", "stdout()", "stderr()", "anstream", "anstyle"] {
            assert!(!source.contains(way), "{}: {way}", path.display());
        }
    }
}

//! Templates that other tools than this project's build: `adapter new` writes one, the line that it prints as the next step builds
//! and tests it, and it answers as the template in Python does.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::bench::{HEAPSMITH, PATIENT, ask, check, has_python, python};
use crate::new::{new, quoted};
use crate::templates::speaks_both_versions;

/// What a template needs, and the variable that makes it required.
struct Tool {
    program: &'static str,
    version: &'static str,
    required: &'static str,
}

const NODE: Tool = Tool { program: "node", version: "--version", required: "HEAPSMITH_NODE_REQUIRED" };
const GO: Tool = Tool { program: "go", version: "version", required: "HEAPSMITH_GO_REQUIRED" };
const MAVEN: Tool = Tool { program: "mvn", version: "--version", required: "HEAPSMITH_MAVEN_REQUIRED" };

impl Tool {
    fn is_there(&self) -> bool {
        let output = Command::new(self.program).arg(self.version).env("PATH", path()).output();
        self.says(output.is_ok_and(|output| output.status.success()), &format!("no {}", self.program))
    }

    /// What is so, unless it is not and the tool is required.
    fn says(&self, is_so: bool, otherwise: &str) -> bool {
        assert!(is_so || env::var_os(self.required).is_none(), "{} is required: {otherwise}", self.program);
        if !is_so {
            println!("skipped: {otherwise}");
        }
        is_so
    }
}

/// The path of programs, on which heapsmith is, and the JDK that `JAVA_HOME` names.
fn path() -> String {
    let heapsmith = Path::new(HEAPSMITH).parent().expect("it lies in a folder").display().to_string();
    let jdk = env::var("JAVA_HOME").map(|home| format!("{home}/bin:")).unwrap_or_default();
    format!("{heapsmith}:{jdk}{}", env::var("PATH").unwrap_or_default())
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// A project that `adapter new` wrote.
struct Project {
    folder: TempDir,
    /// The line that it is to be built and tested with.
    next: String,
    /// The command of the adapter, in the project's folder.
    command: String,
}

impl Project {
    /// The project of a template, if its tool is there.
    fn new(tool: &Tool, template: &[&str]) -> Option<Project> {
        if !tool.is_there() {
            return None;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (text, code) = new(&folder, &[template, &["mine-2"]].concat());
        assert_eq!(code, Some(0), "{text}");
        let next = text.lines().find_map(|line| line.strip_prefix("next: ")).expect("what to do next").to_owned();
        let (_, command) = next.split_once("heapsmith adapter test ").expect("a test");
        let command = command.trim_matches('\'').to_owned();
        Some(Project { folder, next, command })
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("mine-2")
    }

    /// Takes one text for another, which has to be there once.
    fn replace(&self, file: &str, before: &str, after: &str) {
        let path = self.root().join(file);
        let text = fs::read_to_string(&path).expect("it is there");
        assert_eq!(text.matches(before).count(), 1, "{before} in {file}");
        fs::write(path, text.replace(before, after)).expect("written");
    }

    /// Builds it by the line that `adapter new` printed; no command where a library cannot be fetched.
    fn build(&self, tool: &Tool, is_tested: bool) -> Option<String> {
        let line = match self.next.split_once(" && heapsmith") {
            Some((build, _)) if !is_tested => build.to_owned(),
            _ => format!("{} {}", self.next, PATIENT.join(" ")),
        };
        let mut shell = Command::new("sh");
        let output = shell.args(["-c", &line]).env("PATH", path()).current_dir(&self.folder).output().expect("it runs");
        let text = printed(&output);
        let unreached = ["Could not transfer artifact", "Cannot access", "Could not find artifact"];
        if !output.status.success() && unreached.iter().any(|reason| text.contains(reason)) {
            tool.says(false, &format!("a library cannot be fetched: {text}"));
            return None;
        }
        assert!(output.status.success(), "{line}: {text}");
        if is_tested {
            assert!(text.contains(" steps, all passed\n"), "{text}");
        }
        let inside = format!("cd {} && PATH={} exec {}", quoted(&self.root()), quoted(path().as_ref()), self.command);
        Some(format!("sh -c {}", shell_words::quote(&inside)))
    }
}

const HPROF: [&str; 6] = ["--format", "hprof", "--random", "40", "--seed", "5"];

/// What became of each case: of HPROF's in the corpus, and of random dumps.
fn verdicts(adapter: &str) -> Value {
    let (report, code) = check(&[&["--adapter", adapter], &HPROF[..]].concat());
    assert_eq!(code, 0, "{report}");
    let results = report["implementations"][0]["results"].as_array().expect("results");
    assert!(results.len() > 500, "{}", results.len());
    results.iter().map(|result| json!([result["id"], result["outcome"]["verdict"]])).collect()
}

/// It is called as the parser is, speaks both versions, and has the same verdicts as the template in Python.
#[track_caller]
fn answers_as_python_does(adapter: &str) {
    speaks_both_versions(adapter);
    let hello = json!({"id": 1, "op": "hello", "protocols": [2], "runner": "a test"}).to_string();
    let hello: Value = serde_json::from_str(&ask(adapter, &[hello])[0]).expect("JSON");
    assert_eq!((&hello["name"], &hello["omits"]), (&"mine-2".into(), &json!([])), "{hello}");
    static PYTHON: OnceLock<Value> = OnceLock::new();
    if has_python() {
        let expected = PYTHON.get_or_init(|| verdicts(&python("examples/adapters/templates/adapter.py", "")));
        assert_eq!(&verdicts(adapter), expected);
    }
}

/// The answers of a parser in the place of the example: by the last letter of the dump's path, it refuses, fails, or lists an array.
#[track_caller]
fn takes_failures_and_omits(adapter: &str, class: &str, ending: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out.jsonl");
    let request =
        |path: &str| json!({"id": 1, "op": "parse", "path": path, "format": "hprof", "level": "listing", "out": out});
    let omitting = |path: &str| {
        let mut request = request(path);
        request["omits"] = json!(["primitive-contents"]);
        request
    };
    let requests = [request("a"), request("b"), request("c"), request("d"), request("e"), request("f"), omitting("g")];
    let answers = ask(adapter, &requests.map(|request| request.to_string()));
    let answers: Vec<Value> = answers.iter().map(|answer| serde_json::from_str(answer).expect("JSON")).collect();
    let reject =
        |message: &str, offset: u64| json!({"id": 1, "status": "reject", "message": message, "offset": offset});
    assert_eq!(answers[0], reject(&format!("{class}no tag at 0x1f{ending}"), 31));
    assert_eq!(answers[1]["status"], "crash", "{}", answers[1]);
    assert!(answers[1]["message"].as_str().is_some_and(|message| message.contains("odd offset")), "{}", answers[1]);
    assert_eq!(answers[2], reject("bad at 9", 7));
    assert_eq!(answers[3], reject("bad tag, offset=12.", 12));
    assert_eq!((&answers[4]["status"], answers[4]["offset"].as_u64()), (&"reject".into(), None), "{}", answers[4]);
    assert_eq!(answers[5]["status"], "error", "{}", answers[5]);
    assert_eq!(answers[6], json!({"id": 1, "status": "accept", "warnings": ["a warning"]}));
    let written = fs::read_to_string(&out).expect("it is there");
    let lines: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let array = json!({"kind": "primitive-array", "address": "0x8", "element": "byte", "length": 1});
    assert_eq!(lines, [json!({"listing": 1, "roots": 0, "omits": ["primitive-contents"]}), array]);
    // Without the key, nothing is left out.
    ask(adapter, &[request("g").to_string()]);
    let written = fs::read_to_string(&out).expect("it is there");
    assert!(written.contains(r#""contents":"2a""#) && !written.contains("omits"), "{written}");
}

#[test]
fn new_node_adapter_answers_as_python_does() {
    for name in ["node", "javascript"] {
        let Some(project) = Project::new(&NODE, &[name]) else { return };
        if let Some(adapter) = project.build(&NODE, true).filter(|_| name == "node") {
            answers_as_python_does(&adapter);
        }
    }
}

#[test]
fn node_template_takes_errors_by_class_as_refusals_and_omits() {
    let Some(project) = Project::new(&NODE, &["node"]) else { return };
    project.replace(
        "adapter.mjs",
        "return new HprofReader(readFileSync(path)).listing();",
        "return mine(path, omits);",
    );
    project.replace("adapter.mjs", "const REFUSALS = [];", "const REFUSALS = [RangeError];");
    project.replace("adapter.mjs", "\"address\", \"kind\",", "\"roots\", \"kind\",");
    let mine = r#"async function mine(path, omits) {
  console.log("this is not an answer");
  switch (path) {
    case "a": throw new RangeError("no tag at 0x1f");
    case "b": throw new TypeError("odd offset");
    case "c": throw new Refusal("bad at 9", 7);
    case "d": throw new Refusal("bad tag, offset=12.");
    case "e": throw new RangeError("what 3");
    case "f": return readFileSync("/there/is/none");
  }
  WARNINGS.push("a warning");
  const contents = omits.includes("primitive-contents") ? undefined : "2a";
  return [{ listing: 1 }, { kind: "primitive-array", address: "0x8", element: "byte", length: 1, contents }];
}

await main();"#;
    project.replace("adapter.mjs", "await main();", mine);
    let adapter = project.build(&NODE, false).expect("nothing is fetched");
    takes_failures_and_omits(&adapter, "", "");
}

#[test]
fn new_go_adapter_answers_as_python_does() {
    let Some(project) = Project::new(&GO, &["go"]) else { return };
    answers_as_python_does(&project.build(&GO, true).expect("nothing is fetched"));
}

#[test]
fn go_template_takes_known_errors_as_refusals_and_omits() {
    let Some(project) = Project::new(&GO, &["go"]) else { return };
    let example =
        "data, err := os.ReadFile(path)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\treturn readHprof(data)";
    project.replace("main.go", example, "return mine(path, omits)");
    let known = "return errors.As(err, &refusal) || errors.Is(err, io.ErrUnexpectedEOF)";
    project.replace("main.go", "return errors.As(err, &refusal)", known);
    project.replace("main.go", "\"address\", \"kind\",", "\"roots\", \"kind\",");
    let mine = r#"package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

func mine(path string, omits []string) ([]object, error) {
	fmt.Println("this is not an answer")
	switch path {
	case "a":
		return nil, fmt.Errorf("no tag at 0x1f: %w", io.ErrUnexpectedEOF)
	case "b":
		return nil, errors.New("odd offset")
	case "c":
		return nil, &Refusal{"bad at 9", 7}
	case "d":
		return nil, &Refusal{"bad tag, offset=12.", -1}
	case "e":
		return nil, io.ErrUnexpectedEOF
	case "f":
		_, err := os.ReadFile("/there/is/none")
		return nil, err
	}
	warnings = append(warnings, "a warning")
	array := object{"kind": "primitive-array", "address": "0x8", "element": "byte", "length": 1}
	if !slices.Contains(omits, "primitive-contents") {
		array["contents"] = "2a"
	}
	return []object{{"listing": 1}, array}, nil
}
"#;
    fs::write(project.root().join("mine.go"), mine).expect("written");
    let adapter = project.build(&GO, false).expect("nothing is fetched");
    takes_failures_and_omits(&adapter, "", ": unexpected EOF");
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn new_kotlin_adapter_answers_as_python_does() {
    let Some(project) = Project::new(&MAVEN, &["kotlin"]) else { return };
    let Some(adapter) = project.build(&MAVEN, true) else { return };
    answers_as_python_does(&adapter);
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn kotlin_template_takes_exceptions_by_class_as_refusals_and_omits() {
    let Some(project) = Project::new(&MAVEN, &["kotlin", "--maven", "com.squareup.haha:haha:2.0.4"]) else { return };
    let adapter = "src/main/kotlin/Adapter.kt";
    project.replace(adapter, "HprofReader(path.readBytes()).listing()", "mine(path, omits)");
    let known = "REFUSALS = listOf<KClass<out Exception>>(java.io.EOFException::class)";
    project.replace(adapter, "REFUSALS = listOf<KClass<out Exception>>()", known);
    project.replace(adapter, "\"address\", \"kind\",", "\"roots\", \"kind\",");
    // A class of the library is found when it is compiled, and when it runs.
    let mine = r#"
import com.squareup.haha.perflib.HprofParser
import java.io.EOFException
import java.nio.file.Path
import kotlin.io.path.Path
import kotlin.io.path.readBytes

fun mine(path: Path, omits: List<String>): List<Line> {
    println("this is not an answer, nor is ${HprofParser::class.java.getDeclaredConstructors().size}")
    when ("$path") {
        "a" -> throw EOFException("no tag at 0x1f")
        "b" -> throw IllegalStateException("odd offset")
        "c" -> throw Refusal("bad at 9", 7)
        "d" -> throw Refusal("bad tag, offset=12.")
        "e" -> throw EOFException("what 3")
        "f" -> Path("/there/is/none").readBytes()
    }
    WARNINGS += "a warning"
    val array = mutableMapOf<String, Any?>(
        "kind" to "primitive-array", "address" to "0x8", "element" to "byte", "length" to 1,
    )
    if ("primitive-contents" !in omits) array["contents"] = "2a"
    return listOf(mutableMapOf("listing" to 1), array)
}
"#;
    fs::write(project.root().join("src/main/kotlin/Mine.kt"), mine).expect("written");
    let Some(adapter) = project.build(&MAVEN, false) else { return };
    takes_failures_and_omits(&adapter, "java.io.EOFException: ", "");
}

#[test]
#[ignore = "long: tests/long.sh runs it"]
fn new_java_project_of_maven_has_its_library_on_the_class_path() {
    let libraries = [
        ("org.gridkit.jvmtool:hprof-heap:0.16", "org.gridkit.jvmtool.heapdump.HeapHistogram"),
        ("com.squareup.haha:haha:2.0.4", "com.squareup.haha.perflib.HprofParser"),
    ];
    for (coordinates, class) in libraries {
        let Some(project) = Project::new(&MAVEN, &["java", "--maven", coordinates]) else { return };
        let Some(adapter) = project.build(&MAVEN, true) else { return };
        // The example in Java reports fewer facets, and has the same verdicts.
        answers_as_python_does(&adapter);
        // The class has others of its library, and these of other libraries, in the signatures of its methods.
        let call = format!("System.err.println({class}.class.getDeclaredMethods().length); serve(new Example());");
        project.replace("src/main/java/Adapter.java", "serve(new Example());", &call);
        let Some(adapter) = project.build(&MAVEN, true) else { return };
        speaks_both_versions(&adapter);
        let readme = fs::read_to_string(project.root().join("README.md")).expect("it is there");
        assert!(readme.contains("mvn -q package\nheapsmith adapter test 'java -jar target/adapter.jar'\n"), "{readme}");
    }
}

#[test]
fn new_takes_a_library_for_java_and_kotlin_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let refusals = [
        ("python", "a:b:1", "expected java or kotlin"),
        ("java-analyser", "a:b:1", "expected java or kotlin"),
        ("libfuzzer", "a:b:1", "expected java or kotlin"),
        ("java", "a:b", "expected GROUP:ARTIFACT:VERSION"),
        ("java", "a::1", "expected GROUP:ARTIFACT:VERSION"),
        ("kotlin", "a:b:1:c", "expected GROUP:ARTIFACT:VERSION"),
        ("java", "a:b:</version>", "expected GROUP:ARTIFACT:VERSION"),
    ];
    for (language, coordinates, expected) in refusals {
        let (text, code) = new(&folder, &[language, "--maven", coordinates, "mine"]);
        assert!(code == Some(2) && text.contains(expected), "{language} {coordinates}: {text}");
    }
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0);
    let (text, code) = new(&folder, &["java", "--maven", "org.a_b:c-d:1.0-rc.1", "mine"]);
    assert_eq!(code, Some(0), "{text}");
    let pom = fs::read_to_string(folder.path().join("mine/pom.xml")).expect("a pom");
    for element in [
        "<artifactId>mine</artifactId>",
        "<groupId>org.a_b</groupId>",
        "<artifactId>c-d</artifactId>",
        "<version>1.0-rc.1</version>",
    ] {
        assert_eq!(pom.matches(element).count(), 1, "{element}: {pom}");
    }
    assert!(!folder.path().join("mine/Adapter.java").exists());
}
